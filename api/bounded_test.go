package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file holds answers against their bounds: what is asked of one article, one order and one hold of ten thousand
// units, every list with rows as long as they can be made, and the memory of answers under way.

const (
	page8MB = 8_000_000
	units   = 10_000
)

// hall is a shop with one article of ten thousand units, all of them taken by holds and orders on several days.
type hall struct {
	*shop
	loc, sku, article string
	holds, orders     []string
}

func newHall(t *testing.T) *hall {
	long(t)
	h := &hall{shop: newShop(t)}
	h.loc = h.ok("POST", "/v1/admin/locations", `{"name":"Hall","timezone":"Europe/Lisbon"}`)["id"].(string)
	h.sku = h.ok("POST", "/v1/admin/skus", `{"name":"Chair"}`)["id"].(string)
	h.article = h.ok("POST", "/v1/admin/articles",
		fmt.Sprintf(`{"name":"Chair","skuId":%q,"quantities":[{"serviceLocationId":%q,"count":%d,"from":%q}]}`,
			h.sku, h.loc, units, when(noon-day)))["id"].(string)
	return h
}

// hold takes so many units for a day.
func (h *hall) hold(from int64, n int) string {
	id := h.ok("POST", "/v1/admin/holds",
		fmt.Sprintf(`{"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":%d}]}`,
			h.sku, h.loc, when(noon+from*day), when(noon+(from+1)*day), n))["id"].(string)
	h.holds = append(h.holds, id)
	return id
}

// order takes so many units for a day.
func (h *hall) order(from int64, n int) string {
	id := h.ok("POST", "/v1/admin/orders",
		fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q,"quantity":%d}]}`,
			h.loc, h.sku, when(noon+from*day), when(noon+(from+1)*day), n))["id"].(string)
	h.orders = append(h.orders, id)
	return id
}

// pages reads all of a list, and holds each page against the bound of pages, and each row against that of rows.
func (s *shop) pages(path, member string, size int) (rows []map[string]any) {
	s.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for number := 1; ; number++ {
		a := s.call("GET", fmt.Sprintf("%s%spage=%d&pageSize=%d", path, sep, number, size), "")
		require.Equal(s, 200, a.status, "%s: %s", a.what, a.body)
		require.Less(s, len(a.body), page8MB, a.what)
		var got map[string]json.RawMessage
		require.NoError(s, json.Unmarshal(a.body, &got))
		var list []json.RawMessage
		require.NoError(s, json.Unmarshal(got[member], &list))
		for _, r := range list {
			require.LessOrEqual(s, len(r), wire.MaxRow, a.what)
			var v map[string]any
			require.NoError(s, json.Unmarshal(r, &v))
			rows = append(rows, v)
		}
		if len(list) < size {
			return rows
		}
	}
}

func TestAnswersAboutTenThousandUnits(t *testing.T) {
	h := newHall(t)
	hold, made := h.hold(1, units), h.order(2, units)
	h.order(0, units-1) // of the hour now
	early := h.order(5, units)

	// Records of their own have the first thousand, lists of them fewer, and pages have them all.
	r := h.ok("GET", "/v1/admin/holds/"+hold, "")
	require.Len(t, at(r, "lines", 0, "unavailabilities"), base.MaxListed)
	require.EqualValues(t, units, at(r, "lines", 0, "unavailabilitiesTotal"))
	r = h.ok("GET", "/v1/admin/orders/"+made, "")
	require.Len(t, r["stockItems"], base.MaxListed)
	require.EqualValues(t, units, r["stockItemsTotal"])
	r = h.ok("GET", "/v1/admin/articles/"+h.article+"?dateRange[from]="+when0(noon)+"&dateRange[to]="+
		when0(noon+365*day), "")
	require.Len(t, r["unavailability"], base.MaxListed)
	require.EqualValues(t, 4*units-1, r["unavailabilityTotal"])

	seen := map[any]bool{}
	for _, list := range []struct {
		path string
		n    int
	}{
		{"/v1/admin/holds/" + hold + "/unavailabilities", units},
		{"/v1/admin/orders/" + made + "/stock-items", units},
		{"/v1/admin/articles/" + h.article + "/unavailabilities?dateRange[from]=" + when0(noon+day) +
			"&dateRange[to]=" + when0(noon+2*day), units},
	} {
		rows := h.pages(list.path, "data", 250)
		require.Len(t, rows, list.n, list.path)
		clear(seen)
		for _, r := range rows {
			seen[r["id"]] = true
		}
		require.Len(t, seen, list.n, "%s: each once", list.path)
	}
	for path, member := range map[string]string{
		"/v1/admin/holds": "data", "/v1/admin/orders": "data",
		"/v1/admin/articles?dateRange[from]=" + when0(noon) + "&dateRange[to]=" + when0(noon+365*day): "articles",
	} {
		require.NotEmpty(t, h.pages(path, member, 250), path)
	}
	row := h.pages("/v1/admin/orders", "data", 250)[0]
	require.EqualValues(t, units, row["stockItemsTotal"])
	require.Less(t, len(row["stockItems"].([]any)), units)
	row = h.pages("/v1/admin/holds", "data", 250)[0]
	require.EqualValues(t, units, at(row, "lines", 0, "unavailabilitiesTotal"))

	// What webhooks are told is what is answered.
	id, _ := base.ParseID(made)
	v, _ := h.eng.View(h.account)
	require.JSONEq(t, string(h.call("GET", "/v1/admin/orders/"+made, "").body),
		string(EventPayload(Version, order.OrderByID(v, id))))

	// The feed.
	a := h.call("GET", "/v1/admin/changes?limit=1000", "")
	require.Equal(t, 200, a.status)
	require.Less(t, len(a.body), page8MB)

	// A hand-over of all of an order that nobody else makes room for.
	a = h.call("POST", "/v1/admin/orders/"+early+"/fulfill", "{}")
	a.isRefusal(409, base.CodeInsufficient)
	lines := at(a.object(), "details", "lines").([]any)
	require.Len(t, lines, 1, "one for each line of the order")
	require.Len(t, at(lines, 0, "blockingUnavailabilities"), 20)
	require.Greater(t, at(lines, 0, "blockingTotal"), 20.0)
	require.Less(t, len(a.body), 100_000)

	// A thousand lines, none of which fits.
	one := fmt.Sprintf(`{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q}`, h.sku, h.loc, when(noon+day),
		when(noon+2*day))
	a = h.call("POST", "/v1/admin/holds", `{"lines":[`+one+strings.Repeat(","+one, 999)+`]}`)
	a.isRefusal(409, base.CodeInsufficient)
	require.Less(t, len(a.body), page8MB)
	named := 0
	for _, l := range at(a.object(), "details", "lines").([]any) {
		n := len(at(l, "blockingUnavailabilities").([]any))
		require.LessOrEqual(t, n, 20)
		require.EqualValues(t, units, at(l, "blockingTotal"))
		named += n
	}
	require.Equal(t, 1000, named)
}

// when0 is an instant in a query.
func when0(t int64) string { return strings.Trim(when(t), `"`) }

func TestPlanOfTenThousandUnitsHasPages(t *testing.T) {
	h := newHall(t)
	h.hold(1, units-10)
	path := "/v1/admin/articles/" + h.article + "/plan-quantity-change?serviceLocationId=" + h.loc + "&amount=10000"
	a := h.call("GET", path, "")
	require.Equal(t, 200, a.status, "%s", a.body)
	require.Less(t, len(a.body), page8MB)
	plan := a.object()
	require.Equal(t, false, plan["ok"])
	blocking := int(plan["blockingTotal"].(float64))
	require.Equal(t, units-10, blocking)
	require.Len(t, plan["blockingUnavailabilities"], base.MaxListed)
	require.Equal(t, min(base.MaxListed, int(plan["removedSlotIdsTotal"].(float64))),
		len(plan["removedSlotIds"].([]any)))

	seen := map[string]bool{}
	last := ""
	for number := 1; len(seen) < blocking; number++ {
		page := h.ok("GET", fmt.Sprintf("%s&plan=%s&page=%d&pageSize=999", path, plan["plan"], number), "")
		for _, u := range page["blockingUnavailabilities"].([]any) {
			id := at(u, "id").(string)
			place := at(u, "range", "start").(string) + id
			require.Less(t, last, place, "by start, then id")
			last, seen[id] = place, true
		}
		require.Equal(t, plan["plan"], page["plan"])
	}
	require.Len(t, seen, blocking)

	h.ok("DELETE", "/v1/admin/holds/"+h.holds[0], "")
	h.refused(409, base.CodePlanChanged, "GET", fmt.Sprintf("%s&plan=%s&page=2", path, plan["plan"]), "")
	h.refused(409, base.CodePlanChanged, "POST", "/v1/admin/articles/"+h.article+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":10000,"expectedPlan":%q}`, h.loc, plan["plan"]))
}

// What one command changed may be more than an answer: it is told in parts, each change once.
func TestFeedEndsEarly(t *testing.T) {
	long(t)
	s := newShop(t)
	note := strings.Repeat("\U0001F6B2", 7_500)
	var batch engine.Batch
	for range 275 {
		batch.Rows = append(batch.Rows,
			commerce.CreateCustomer{
				Contact: base.Changed(commerce.Contact{FirstName: new("Ana"),
					ShippingAddress: &commerce.ContactAddress{DeliveryNotes: note}})})
	}
	before := s.ok("GET", "/v1/admin/changes?limit=1000", "")
	for len(before["changes"].([]any)) > 0 {
		before = s.ok("GET", "/v1/admin/changes?limit=1000&after="+before["next"].(string), "")
	}
	v, _ := s.eng.View(s.account)
	was := v.Sequence()
	_, err := s.eng.Do(engine.Command{Account: s.account, Actor: "test", Op: batch})
	require.NoError(t, err)
	v, _ = s.eng.View(s.account)
	want, _, err := s.eng.Changes(t.Context(), v, was, 10_000)
	require.NoError(t, err)
	require.Equal(t, want[0].Sequence, want[len(want)-1].Sequence, "of one command")
	next, seen, answers := before["next"].(string), map[string]int{}, 0
	for {
		a := s.call("GET", "/v1/admin/changes?limit=1000&after="+next, "")
		require.Equal(t, 200, a.status, "%s", a.body)
		require.Less(t, len(a.body), page8MB)
		list := a.object()["changes"].([]any)
		if len(list) == 0 {
			break
		}
		answers++
		for _, c := range list {
			seen[at(c, "resourceId").(string)]++
		}
		next = a.object()["next"].(string)
	}
	require.Len(t, seen, len(want))
	for _, c := range want {
		require.Equal(t, 1, seen[c.ID.String()], c.ID)
	}
	require.Greater(t, answers, 1)
	s.refused(400, base.CodeInvalid, "GET", "/v1/admin/changes?after="+next+".0", "", "query after format")
}

// Answers that nobody reads take up the account's room, and all of it comes back.
func TestBytesUnderWayAreBounded(t *testing.T) {
	s := newShop(t)
	note := strings.Repeat("n", 10_000)
	for range 20 {
		s.ok("POST", "/v1/admin/locations", `{"name":"Lisboa","timezone":"Europe/Lisbon"}`)
		s.ok("POST", "/v1/admin/skus", fmt.Sprintf(`{"name":"Bike","description":%q}`, note))
	}
	s.server.room.bound = Bytes{PerAccount: 300 << 10, InAll: 700 << 10}
	tooMany := func(a *answer) {
		t.Helper()
		a.isRefusal(429, base.CodeRateLimited)
		require.Equal(t, "bytes", at(a.object(), "details", "layer"))
		require.Equal(t, "1", a.header["Retry-After"])
	}
	const list = "/v1/admin/skus?pageSize=250"
	free := func() bool { return s.server.room.taken() == 0 } // the last byte is read before it is told as gone out
	require.Equal(t, 200, s.call("GET", list, "").status)
	require.Eventually(t, free, time.Minute, time.Millisecond)
	require.Equal(t, 200, s.call("GET", list, "", "Accept-Encoding", "gzip").status)
	require.Eventually(t, free, time.Minute, time.Millisecond)

	c, served := net.Pipe() // it takes nothing that is not read
	done := make(chan error, 1)
	go func() { done <- s.server.http.ServeConn(served) }()
	_, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\n\r\n", list, s.key)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.server.room.taken() > 200<<10 }, 10*time.Second, time.Millisecond)
	tooMany(s.call("GET", list, ""))
	require.Equal(t, 200, s.call("GET", "/v1/admin/locations", "").status, "what is short goes on")
	require.Equal(t, 200, s.call("GET", "/v1/admin/skus", "", "X-API-KEY", s.other).status, "and so do others")
	require.Equal(t, 200,
		s.call("POST", "/v1/admin/skus", fmt.Sprintf(`{"name":"Bike","description":%q}`, note)).status)
	require.NoError(t, c.Close())
	<-done
	require.Zero(t, s.server.room.taken())
	require.Equal(t, 200, s.call("GET", list, "").status)

	// Where all is used up nothing is begun, and nothing done.
	require.True(t, s.server.room.take(s.account, 300<<10, false))
	tooMany(s.call("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`))
	require.Equal(t, 200, s.call("GET", "/v1/admin/locations", "", "X-API-KEY", s.other).status)
	require.True(t, s.server.room.take(s.account, 400<<10, true))
	tooMany(s.call("GET", "/v1/admin/locations", "", "X-API-KEY", s.other))
	s.server.room.give(s.account, 700<<10)
	require.Equal(t, 200, s.call("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`).status)
	require.Empty(t, s.server.room.by)
}

// The room for a body is taken when its headers are read: without a key that there is, none that is worth mentioning,
// and of an account no more than it may have.
func TestBodiesUnderWayAreBounded(t *testing.T) {
	s := newShop(t)
	s.server.bodies.room.bound = Bytes{PerAccount: 300 << 10, InAll: 400 << 10}
	taken := func() int64 { return s.server.bodies.room.taken() }
	send := func(path, key, length, body string) (c net.Conn, answer func() (code string)) {
		c, served := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- s.server.http.ServeConn(served) }()
		said := make(chan []byte, 1)
		go func() {
			b, _ := io.ReadAll(c)
			said <- b
		}()
		_, err := fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\n"+
			"X-API-KEY: %s\r\n%s\r\n\r\n%s", path, key, length, body)
		require.NoError(t, err)
		return c, func() string {
			b := <-said
			<-done
			_, problem, _ := bytes.Cut(b, []byte("\r\n\r\n"))
			var x struct{ Code string }
			require.NoError(t, json.Unmarshal(problem, &x), "%s", b)
			return x.Code
		}
	}
	const skus, long = "/v1/admin/skus", 200 << 10
	length := fmt.Sprintf("Content-Length: %d", long)
	c, _ := send(skus, s.key, length, "{")
	require.Eventually(t, func() bool { return taken() == long }, time.Minute, time.Millisecond)
	for code, of := range map[base.Code][3]string{
		base.CodeRateLimited:     {skus, s.key, length},
		base.CodeUnauthenticated: {skus, s.key + "x", length},
		base.CodeNotFound:        {"/v1/admin/nothing", "", length},
	} {
		_, answer := send(of[0], of[1], of[2], strings.Repeat(" ", long))
		require.Equal(t, string(code), answer())
		require.EqualValues(t, long, taken())
	}
	for key, bound := range map[string]int{"": shortBody, s.key + "x": shortBody, s.other: bulkBodyLimit} {
		var h fasthttp.RequestHeader
		h.SetContentLength(long / 2)
		h.Set("X-API-KEY", key)
		require.Equal(t, bound, s.server.bodyBound(&h), "so much is read of %q", key)
		s.server.bodies.end(&h)
	}
	// In chunks it may come to as much as any body.
	_, answer := send(skus, s.key, "Transfer-Encoding: chunked",
		fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", shortBody+1, strings.Repeat(" ", shortBody+1)))
	require.Equal(t, string(base.CodeRateLimited), answer())

	sku := func(n int) string { return `{"name":"Bike"}` + strings.Repeat(" ", n) }
	require.Equal(t, 200, s.call("POST", skus, sku(shortBody-100)).status, "what is short goes on")
	require.Equal(t, 200, s.call("POST", skus, sku(long/2), "X-API-KEY", s.other).status, "and so do others")
	require.NoError(t, c.Close())
	require.Eventually(t, func() bool { return taken() == 0 }, time.Minute, time.Millisecond)
	require.Equal(t, 200, s.call("POST", skus, sku(long)).status)
	require.Zero(t, taken())
	s.bodiless()
}

// What is left for an account is as much as one of those has that take what they can.
func TestRoomIsSharedByAccounts(t *testing.T) {
	r := room{bound: Bytes{PerAccount: 1 << 20, InAll: 1 << 20}}
	for n := range 20 {
		account := base.ID{byte(n)}
		require.False(t, r.full(account))
		for r.take(account, 1, false) {
		}
		require.True(t, r.full(account))
		require.InDelta(t, (1<<20)>>(n+1), r.by[account], 1)
	}
	require.False(t, r.take(base.ID{20}, 2, false))
	r.give(base.ID{}, 1<<19)
	require.True(t, r.take(base.ID{20}, 2, false))
	require.False(t, r.full(base.ID{1}))
}
