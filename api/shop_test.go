package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// stocked is a shop with a location, a SKU with a buffer of two hours after, and two articles of it, one unit each.
func stocked(t testing.TB) (s *shop, location, sku, first, second string) {
	s = newShop(t)
	location = s.ok("POST", "/v1/admin/locations",
		`{"name":"Lisbon","timezone":"Europe/Lisbon","address":{"city":"Lisboa"}}`)["id"].(string)
	sku = s.ok("POST", "/v1/admin/skus",
		`{"name":"Bike","code":"B1","bufferTimeAmountAfter":2,"bufferTimeUnitAfter":"hours"}`)["id"].(string)
	article := func(name string) string {
		return s.ok("POST", "/v1/admin/articles", fmt.Sprintf(
			`{"name":%q,"skuId":%q,"codes":["c-%s"],"quantities":[{"serviceLocationId":%q,"count":1,"from":"2025-01-01T00:00:00Z"}]}`, name, sku, name, location))["id"].(string)
	}
	return s, location, sku, article("one"), article("two")
}

func (s *shop) holdBody(item, id, location string, from, to int64, quantity int) string {
	return fmt.Sprintf(`{"lines":[{"%sId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":%d}]}`, item, id,
		location, when(from), when(to), quantity)
}

func (s *shop) available(item, id, location string, from, to int64) float64 {
	s.Helper()
	return s.ok("GET", fmt.Sprintf("/v1/admin/availability?%sId=%s&serviceLocationId=%s&from=%s&to=%s", item, id,
		location, when(from), when(to)), "")["available"].(float64)
}

func TestAccount(t *testing.T) {
	s := newShop(t)
	a := s.ok("GET", "/v1/admin/account", "")
	require.Equal(t, "Rental", a["name"])
	require.Equal(t, "EUR", a["currency"])
	require.Equal(t, "unlimited", a["plan"])
	require.Equal(t, s.account.String(), a["id"])

	s.clock.Add(1000)
	p := s.call("PATCH", "/v1/admin/account", `{"name":"Rental 2","timezone":"Europe/Stockholm"}`, "If-Match", `"1"`)
	require.Equal(t, `"2"`, p.header["Etag"])
	b := p.object()
	require.Equal(t, [5]any{"Rental 2", "EUR", "Europe/Stockholm", "unlimited", when(noon + 1000)},
		[5]any{b["name"], b["currency"], b["timezone"], b["plan"], b["updatedAt"]})
	require.Equal(t, b, s.ok("GET", "/v1/admin/account", ""))
	require.Equal(t, "JPY", s.ok("PATCH", "/v1/admin/account", `{"currency":"JPY"}`)["currency"])
	s.call("PATCH", "/v1/admin/account", `{}`, "If-Match", `"1"`).isRefusal(412, base.CodePrecondition)
	require.Equal(t, "Another", s.ok("GET", "/v1/admin/account", "", "X-API-KEY", s.other)["name"])
	s.refused(400, base.CodeInvalid, "PATCH", "/v1/admin/account",
		`{"name":"","plan":"growth","currency":"eur","timezone":"Local"}`,
		"body /name length", "body /plan unknown", "body /currency format", "body /timezone zone")
	for _, currency := range []string{`"XYZ"`, `"E A"`, `"R U"`} {
		s.refused(400, base.CodeInvalid, "PATCH", "/v1/admin/account", `{"currency":`+currency+`}`,
			"body /currency format")
	}
	s.refused(400, base.CodeInvalid, "PATCH", "/v1/admin/account", `{"currency":null,"name":null}`,
		"body /currency required", "body /name required")

	// The currency takes a scope of its own.
	some := s.newKey(s.account, engine.CreateKey{PublicID: "settings", Scopes: []string{"settings.account.write"}})
	require.Equal(t, "R", s.ok("PATCH", "/v1/admin/account", `{"name":"R"}`, "X-API-KEY", some)["name"])
	denied := s.call("PATCH", "/v1/admin/account", `{"name":"S","currency":"EUR"}`, "X-API-KEY", some)
	denied.isRefusal(403, base.CodeDeniedFields)
	require.Equal(t,
		[]any{map[string]any{"fields": []any{"currency"}, "requiredScopes": []any{"settings.payments.write"}}},
		at(denied.object(), "details", "deniedFields"))
	s.call("PATCH", "/v1/admin/account", `{"name":"","currency":"EUR"}`, "X-API-KEY", some).
		isRefusal(400, base.CodeInvalid, "body /name length")
	more := s.newKey(s.account,
		engine.CreateKey{PublicID: "payments", Scopes: []string{"settings.account.write", "settings.payments.write"}})
	require.Equal(t, "EUR", s.ok("PATCH", "/v1/admin/account", `{"currency":"EUR"}`, "X-API-KEY", more)["currency"])
	reader := s.newKey(s.account, engine.CreateKey{PublicID: "accounts", Scopes: []string{"account.read"}})
	s.call("PATCH", "/v1/admin/account", `{}`, "X-API-KEY", reader).isRefusal(403, base.CodeMissingScope)
}

func TestLocations(t *testing.T) {
	s := newShop(t)
	l := s.ok("POST", "/v1/admin/locations/",
		`{"name":"Åre \"North\"","timezone":"Europe/Stockholm","address":{"city":"Åre","zipCode":"83751"}}`)
	require.Equal(t, `Åre "North"`, l["name"])
	require.Equal(t, "Åre", at(l, "address", "city"))
	require.Equal(t, when(noon), l["createdAt"])
	path := "/v1/admin/locations/" + l["id"].(string)
	require.Equal(t, l, s.ok("GET", path, ""))

	// A PATCH merges: absent is unchanged, null clears.
	s.clock.Add(1000)
	p := s.ok("PATCH", path, `{"name":"Åre"}`)
	require.Equal(t, "Åre", p["name"])
	require.Equal(t, l["address"], p["address"])
	require.Equal(t, when(noon+1000), p["updatedAt"])
	p = s.ok("PATCH", path, `{"address":{"country":"SE","zipCode":null}}`)
	require.Equal(t, map[string]any{"address": nil, "zipCode": nil, "city": "Åre", "country": "SE", "state": nil,
		"details": nil}, p["address"])
	require.Nil(t, s.ok("PATCH", path, `{"address":null}`)["address"])
	require.Equal(t, "X", at(s.ok("PATCH", path, `{"address":{"state":"X"}}`), "address", "state"))
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"address":{"state":5,"city":"`+strings.Repeat("x", 256)+`"}}`,
		"body /address/state type", "body /address/city length")
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"name":null,"timezone":"Local"}`, "body /name required",
		"body /timezone zone")
}

func TestArticleOverAWindow(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	hold := s.ok("POST", "/v1/admin/holds", s.holdBody("article", first, location, noon+day, noon+2*day, 1))
	s.ok("POST", "/v1/admin/articles/"+first+"/scheduled-events", fmt.Sprintf(
		`{"type":"note","name":"Paint","serviceLocationId":%q,"startDate":%q,"endDate":%q}`, location, when(noon+day),
		when(noon+3*day)))

	now := s.ok("GET", "/v1/admin/articles/"+first, "")
	require.Empty(t, now["unavailability"], "only what overlaps the present instant")
	require.Empty(t, now["scheduledEvents"])
	require.Equal(t, when(noon), at(now, "snapshotDate", "from"))
	require.Equal(t, 1.0, at(now, "availability", "total"))
	require.Equal(t, sku, at(now, "sku", "id"))
	require.Equal(t, "sku", now["bufferTimeOrigin"])
	require.Equal(t, "article", now["bufferTimeOriginBefore"])
	require.Equal(t, 2.0, now["bufferTimeAmountAfter"])

	w := s.ok("GET",
		"/v1/admin/articles/"+first+"?dateRange[from]="+when(noon+day)+"&dateRange%5Bto%5D="+when(noon+2*day), "")
	unit := at(hold, "lines", 0, "unavailabilities", 0).(map[string]any)
	require.Equal(t, first, at(unit, "ordered", "articleId"))
	delete(unit, "ordered") // which the hold alone says
	require.Equal(t, []any{unit}, w["unavailability"])
	require.Len(t, w["scheduledEvents"], 1)
	require.Equal(t, 0.0, at(w, "availability", "total"))
	require.Equal(t, 1.0, at(w, "quantity", "total"))
	require.Equal(t, when(noon+2*day), at(w, "snapshotDate", "to"))
	require.Equal(t, []any{"booking", "buffer"},
		[]any{at(w, "unavailability", 0, "intervals", 0, "type"), at(w, "unavailability", 0, "intervals", 1, "type")})
	require.Equal(t, 1.0, at(w, "temporalStock", "stockCommitted", 0, "value"))

	list := s.call("GET", "/v1/admin/articles?page=2&pageSize=1", "")
	require.Equal(t, 2.0, list.object()["totalCount"])
	require.Len(t, list.object()["articles"], 1)
	require.Equal(t,
		`</v1/admin/articles?pageSize=1&page=1>; rel="first", </v1/admin/articles?pageSize=1&page=1>; rel="prev", </v1/admin/articles?pageSize=1&page=2>; rel="last"`, list.header["Link"])
}

func TestHoldFromAskingToRelease(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	from, to := noon+day, noon+2*day
	require.Equal(t, 2.0, s.available("sku", sku, location, from, to))
	body := s.holdBody("sku", sku, location, from, to, 2)
	h := s.ok("POST", "/v1/admin/holds",
		strings.Replace(body, `{"lines"`, `{"expiresInSeconds":60,"note":"phone","lines"`, 1))
	require.Equal(t, "held", h["status"])
	require.Equal(t, when(noon+60_000), h["expiresAt"])
	require.Len(t, at(h, "lines", 0, "unavailabilities"), 2)
	require.Equal(t, 0.0, s.available("sku", sku, location, from, to))

	a := s.refused(409, base.CodeInsufficient, "POST", "/v1/admin/holds", s.holdBody("sku", sku, location, from, to, 1))
	line := at(a.object(), "details", "lines", 0)
	require.Equal(t, 0.0, at(line, "available"))
	require.Equal(t, 1.0, at(line, "requested"))
	require.Equal(t, "not_enough_stock", at(line, "reason"))
	require.Len(t, at(line, "blockingUnavailabilities"), 2)
	require.Equal(t, when(to+2*hour), at(line, "next", "from"), "behind the buffer")

	path := "/v1/admin/holds/" + h["id"].(string)
	require.Equal(t, h, s.ok("GET", path, ""))
	s.clock.Add(30_000)
	require.Equal(t, when(noon+90_000), s.ok("POST", path+"/extend", `{"expiresInSeconds":60}`)["expiresAt"])
	require.Equal(t, "confirmed", s.ok("POST", path+"/confirm", "")["status"])
	s.refused(409, base.CodeStateNotAllowed, "POST", path+"/extend", `{"expiresInSeconds":60}`)

	// A move: first dry, then for real, to an open end.
	unit := at(h, "lines", 0, "unavailabilities", 0, "id").(string)
	move := fmt.Sprintf(`{"lines":[{"unavailabilityId":%q,"from":%q,"to":null}]`, unit, when(from+hour))
	seq, _ := s.eng.State()
	dry := s.ok("POST", path+"/move", move+`,"dryRun":true}`)
	require.Nil(t, at(dry, "lines", 0, "unavailabilities", 0, "range", "end"))
	after, _ := s.eng.State()
	require.Equal(t, seq, after, "a dry run changes nothing")
	require.Equal(t, at(dry, "lines"), at(s.ok("POST", path+"/move", move+"}"), "lines"))

	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	require.Equal(t, "released", s.ok("GET", path, "")["status"])
	s.refused(404, base.CodeNotFound, "DELETE", path, "")
	require.Equal(t, 2.0, s.available("sku", sku, location, from, to))
	require.Equal(t, 1.0, at(s.ok("GET", "/v1/admin/holds", ""), "pagination", "total"))
}

func TestHoldExpires(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	body := s.holdBody("sku", sku, location, noon+day, noon+2*day, 2)
	h := s.ok("POST", "/v1/admin/holds", strings.Replace(body, `{"lines"`, `{"expiresInSeconds":30,"lines"`, 1))
	s.clock.Add(30_000)
	second := s.ok("POST", "/v1/admin/holds", body) // no write fails on a hold that has lapsed
	require.Equal(t, "confirmed", second["status"])
	require.Equal(t, "expired", s.ok("GET", "/v1/admin/holds/"+h["id"].(string), "")["status"])
	s.refused(409, base.CodeHoldExpired, "POST", "/v1/admin/holds/"+h["id"].(string)+"/confirm", "")
}

func TestQuantities(t *testing.T) {
	s, location, _, first, _ := stocked(t)
	path := "/v1/admin/articles/" + first
	a := s.ok("POST", path+"/increase-quantity", fmt.Sprintf(`{"serviceLocationId":%q,"amount":2}`, location))
	require.Equal(t, 3.0, at(a, "quantity", "total"))
	for i := range 3 {
		s.ok("POST", "/v1/admin/holds",
			s.holdBody("article", first, location, noon+int64(i)*day, noon+int64(i+1)*day-2*hour, 1))
	}
	query := fmt.Sprintf("?serviceLocationId=%s&amount=2", location)
	plan := s.ok("GET", path+"/plan-quantity-change"+query, "")
	require.Equal(t, true, plan["ok"])
	require.Nil(t, plan["reason"])
	require.Len(t, plan["removedSlotIds"], 2)
	again := s.ok("GET", path+"/plan-quantity-change"+query, "")
	require.Equal(t, plan, again, "asking changes nothing")
	s.refused(409, base.CodePlanChanged, "POST", path+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":2,"expectedPlan":"x"}`, location))
	applied := s.ok("POST", path+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":2,"expectedPlan":%q}`, location, plan["plan"]))
	require.Equal(t, plan, applied, "the plan applied is the one previewed")
	require.Equal(t, 1.0, at(s.ok("GET", path, ""), "quantity", "total"))

	// The last unit is booked: not without force, and with it the holds become conflicts.
	blocked := s.refused(409, base.CodeQuantityBlocked, "POST", path+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1}`, location))
	require.Equal(t, "holds_exceed_remaining_stock", at(blocked.object(), "details", "reason"))
	s.clock.Add(1000)
	forced := s.ok("POST", path+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1,"force":true}`, location))
	require.NotEmpty(t, forced["blockingUnavailabilities"])
	conflicts := s.ok("GET", "/v1/admin/conflicts?articleId="+first, "")
	require.Len(t, conflicts["data"], len(forced["blockingUnavailabilities"].([]any)))
	require.Equal(t, []any{"not_enough_stock", when(s.clock.Load())},
		[]any{at(conflicts, "data", 0, "reason"), at(conflicts, "data", 0, "since")})
	require.Nil(t, at(conflicts, "data", 0, "unavailability", "slotId"))
	require.Empty(t, s.ok("GET",
		"/v1/admin/conflicts?dateRange[from]=2030-01-01T00:00:00Z&dateRange[to]=2031-01-01T00:00:00Z", "")["data"])

	// Moved to another location.
	other := s.ok("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`)["id"].(string)
	s.ok("POST", path+"/increase-quantity", fmt.Sprintf(`{"serviceLocationId":%q,"amount":5}`, location))
	s.ok("POST", path+"/transfer-quantity",
		fmt.Sprintf(`{"fromServiceLocationId":%q,"toServiceLocationId":%q,"amount":2}`, location, other))
	require.Equal(t, 5.0, at(s.ok("GET", path, ""), "quantity", "total"))
	require.Empty(t, s.ok("GET", "/v1/admin/conflicts", "")["data"], "stock came free")
}

func TestScheduledEvents(t *testing.T) {
	s, location, _, first, _ := stocked(t)
	path := "/v1/admin/articles/" + first + "/scheduled-events"
	body := fmt.Sprintf(
		`{"type":"reservation","name":"Service","comment":"brakes","serviceLocationId":%q,"startDate":%q,"endDate":%q}`,
		location, when(noon+day), when(noon+2*day))
	e := s.ok("POST", path, body)
	require.Equal(t, "brakes", e["comment"])
	s.refused(409, base.CodeInsufficient, "POST", path, body)
	require.Equal(t, 0.0, s.available("article", first, location, noon+day, noon+2*day))
	moved := s.ok("PATCH", path+"/"+e["id"].(string), fmt.Sprintf(`{"endDate":%q,"comment":null}`, when(noon+day+hour)))
	require.Nil(t, moved["comment"])
	require.Equal(t, 1.0, s.available("article", first, location, noon+day+2*hour, noon+2*day))
	s.refused(404, base.CodeNotFound, "PATCH", path+"/"+location, `{}`)
	require.Equal(t, "null", string(s.call("DELETE", path+"/"+e["id"].(string), "").body))
	s.refused(404, base.CodeNotFound, "DELETE", path+"/"+e["id"].(string), "")
	require.Equal(t, 1.0, s.available("article", first, location, noon+day, noon+2*day))
}

func TestAvailabilityInItsForms(t *testing.T) {
	s, location, sku, first, second := stocked(t)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", first, location, noon+day, noon+2*day, 1))
	line := func(item, id string, more string) string {
		return fmt.Sprintf(`{"%sId":%q,"serviceLocationId":%q,"from":%q,"to":%q%s}`, item, id, location, when(noon+day),
			when(noon+2*day), more)
	}
	q := s.ok("POST", "/v1/admin/availability/query", `{"lines":[`+line("sku", sku, `,"quantity":3`)+","+
		line("article", first, "")+","+line("article", second, `,"quantity":1`)+`]}`)
	require.Equal(t, 1.0, at(q, "lines", 0, "available"))
	require.Equal(t, 2.0, at(q, "lines", 0, "stock"))
	require.Equal(t, 2.0, at(q, "lines", 0, "shortage"))
	require.Equal(t, 0.0, at(q, "lines", 1, "available"))
	require.Nil(t, at(q, "lines", 1, "shortage"))
	require.Equal(t, 0.0, at(q, "lines", 2, "shortage"))

	roams := s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, noon+4*day, noon+5*day, 1))
	unit := s.ok("GET", fmt.Sprintf("/v1/admin/holds/%s/unavailabilities", roams["id"]), "")
	on := at(unit, "data", 0, "articleId")
	of := fmt.Sprintf("/v1/admin/availability?articleId=%s&serviceLocationId=%s&from=%s&to=%s&quantity=1", on, location,
		when(noon+4*day), when(noon+5*day))
	a := s.ok("GET", of, "")
	require.Equal(t, []any{0.0, 1.0, 0.0, true}, []any{a["available"], a["withMoves"], a["shortage"], a["exact"]},
		"what is on it can go elsewhere")
	s.ok("DELETE", fmt.Sprintf("/v1/admin/holds/%s", roams["id"]), "")

	one := s.ok("GET", fmt.Sprintf("/v1/admin/availability?skuId=%s&from=%s&quantity=2", sku, when(noon+day)), "")
	require.Equal(t, 1.0, one["available"], "all locations, no end")
	require.Equal(t, 1.0, one["shortage"])

	c := s.ok("GET", fmt.Sprintf("/v1/admin/availability/calendar?skuId=%s&serviceLocationId=%s&from=%s&to=%s", sku,
		location, when(noon), when(noon+3*day)), "")
	require.Equal(t, 2.0, at(c, "buckets", 0, "maxFree"))
	require.Equal(t, 1.0, at(c, "buckets", 1, "minFree"))
	require.Equal(t, "2025-06-01T23:00:00.000Z", at(c, "buckets", 1, "range", "start"), "a day is the location's own")

	next := func(id string) map[string]any {
		return s.ok("POST", "/v1/admin/availability/next",
			fmt.Sprintf(`{"articleId":%q,"serviceLocationId":%q,"notBefore":%q,"seconds":86400}`, id, location,
				when(noon+day)))
	}
	require.Equal(t, map[string]any{"from": when(noon + 2*day + 2*hour), "to": when(noon + 3*day + 2*hour)},
		next(first))
	require.Equal(t, when(noon+day), next(second)["from"])
	require.Equal(t, map[string]any{"from": nil, "to": nil}, s.ok("POST", "/v1/admin/availability/next", fmt.Sprintf(
		`{"articleId":%q,"serviceLocationId":%q,"notBefore":%q,"seconds":86400,"quantity":2}`, first, location,
		when(noon))))

	// The window ends at until or before. Without it the window begins within two years, and may be longer than that.
	until := func(end, length int64) any {
		return s.ok("POST", "/v1/admin/availability/next", fmt.Sprintf(
			`{"articleId":%q,"serviceLocationId":%q,"notBefore":%q,"seconds":%d,"until":%q}`, first, location,
			when(noon+day), length/1000, when(end)))["from"]
	}
	require.Equal(t, when(noon+2*day+2*hour), until(noon+3*day+2*hour, day))
	require.Nil(t, until(noon+3*day+2*hour-1, day), "it would end too late")
	require.Nil(t, until(noon+day+hour, day), "there is less time than it takes")
	require.Equal(t, when(noon+2*day+2*hour), s.ok("POST", "/v1/admin/availability/next", fmt.Sprintf(
		`{"articleId":%q,"serviceLocationId":%q,"notBefore":%q,"seconds":%d}`, first, location, when(noon+day),
		3*366*day/1000))["from"])

	// Without a location, what each has is added up.
	there := s.ok("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`)["id"].(string)
	s.ok("POST", "/v1/admin/articles/"+second+"/increase-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1,"effectiveFrom":%q}`, there, when(noon+20*day)))
	kit := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"Two","components":[{"skuId":%q}]}`, sku))["id"].(string)
	everywhere := func(item, id string, n int) any {
		return s.ok("POST", "/v1/admin/availability/next",
			fmt.Sprintf(`{"%sId":%q,"notBefore":%q,"seconds":86400,"quantity":%d}`, item, id, when(noon), n))["from"]
	}
	for item, id := range map[string]string{"sku": sku, "catalogItem": kit} {
		require.Equal(t, when(noon+2*day+2*hour), everywhere(item, id, 2))
		require.Equal(t, when(noon+20*day), everywhere(item, id, 3))
		require.Nil(t, everywhere(item, id, 4))
	}
	require.Equal(t, when(noon+20*day), everywhere("article", second, 2))
	why := s.ok("POST", "/v1/admin/availability/explain",
		fmt.Sprintf(`{"skuId":%q,"from":%q,"to":%q,"quantity":3}`, sku, when(noon), when(noon+day)))
	require.Equal(t, []any{1.0, "later", when(noon + 20*day), nil},
		[]any{why["available"], at(why, "alternatives", 0, "kind"), at(why, "alternatives", 0, "from"),
			at(why, "alternatives", 0, "serviceLocationId")})

	x := s.ok("POST", "/v1/admin/availability/explain", line("article", first, ""))
	require.Equal(t, 0.0, x["available"])
	require.Len(t, x["blockingUnavailabilities"], 1)
	require.NotEmpty(t, x["alternatives"])
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/availability/query",
		`{"lines":[`+line("sku", sku, "")+","+line("sku", first, "")+`]}`)
}

// Many lines are shared out; each gets its own answer, and of several that are refused the first is named.
func TestManyLinesOfAvailability(t *testing.T) {
	s, location, sku, first, second := stocked(t)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", first, location, noon+day, noon+2*day, 1))
	const n = 3*linesAtOnce + 7
	lines := make([]string, n)
	for i := range lines {
		item, id := [...]string{"article", "article", "sku"}[i%3], [...]string{first, second, sku}[i%3]
		from := noon + int64(i%4)*day/2
		lines[i] = fmt.Sprintf(`{"%sId":%q,"serviceLocationId":%q,"from":%q,"to":%q}`, item, id, location, when(from),
			when(from+hour))
	}
	ask := func() *answer {
		return s.call("POST", "/v1/admin/availability/query", `{"lines":[`+strings.Join(lines, ",")+`]}`)
	}
	all := ask().object()
	require.Len(t, all["lines"], n)
	for i := range 12 {
		one := s.ok("POST", "/v1/admin/availability/query", `{"lines":[`+lines[i]+`]}`)
		for j := i; j < n; j += 12 {
			require.Equal(t, at(one, "lines", 0), at(all, "lines", j))
		}
	}
	for _, i := range []int{n - 1, 2 * linesAtOnce, linesAtOnce + 5} {
		lines[i] = strings.Replace(lines[i], location, sku, 1)
		a := ask()
		require.Equal(t, 404, a.status)
		require.Contains(t, a.object()["detail"], fmt.Sprintf("(line %d)", i))
	}
}

func TestIdempotencyKey(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	body := s.holdBody("sku", sku, location, noon+day, noon+2*day, 2)
	a := s.call("POST", "/v1/admin/holds", body, "Idempotency-Key", "k-1")
	require.Equal(t, 200, a.status)
	require.NotContains(t, a.header, "Idempotent-Replayed")
	seq, hash := s.eng.State()
	b := s.call("POST", "/v1/admin/holds/", body, "Idempotency-Key", "k-1")
	require.Equal(t, "true", b.header["Idempotent-Replayed"])
	require.JSONEq(t, string(a.body), string(b.body))
	gotSeq, gotHash := s.eng.State()
	require.Equal(t, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash})

	s.call("POST", "/v1/admin/holds", body+" ", "Idempotency-Key", "k-1").isRefusal(422, base.CodeIdempotencyReused)
	s.call("POST", "/v1/admin/holds?x=1", body, "Idempotency-Key", "k-1").
		isRefusal(400, base.CodeInvalid, "query x unknown")
	// another key: another command
	s.call("POST", "/v1/admin/holds", body, "Idempotency-Key", "k-2").isRefusal(409, base.CodeInsufficient)
	s.call("POST", "/v1/admin/holds", body, "Idempotency-Key", "a b").
		isRefusal(400, base.CodeInvalid, "header Idempotency-Key format")
	s.call("POST", "/v1/admin/holds", body, "Idempotency-Key", strings.Repeat("k", 256)).
		isRefusal(400, base.CodeInvalid, "header Idempotency-Key format")

	// A refusal is not kept: it is judged anew.
	s.ok("DELETE", "/v1/admin/holds/"+a.object()["id"].(string), "")
	require.Equal(t, 200, s.call("POST", "/v1/admin/holds", body, "Idempotency-Key", "k-2").status)
	// The same key on another path is another scope.
	require.Equal(t, 200,
		s.call("POST", "/v1/admin/locations", `{"name":"x","timezone":"UTC"}`, "Idempotency-Key", "k-1").status)
}

func TestEntityTags(t *testing.T) {
	s, _, sku, first, _ := stocked(t)
	path := "/v1/admin/skus/" + sku
	tag := s.call("GET", path, "").header["Etag"]
	require.Equal(t, `"1"`, tag)
	for _, same := range []string{`"1"`, `W/"1"`, `"7", "1"`, `*`} {
		a := s.call("GET", path, "", "If-None-Match", same)
		require.Equal(t, 304, a.status, same)
		require.Empty(t, a.body)
		require.Equal(t, tag, a.header["Etag"])
	}
	require.Equal(t, 200, s.call("GET", path, "", "If-None-Match", `"2"`).status)
	require.Equal(t, 200, s.call("GET", "/v1/admin/skus", "", "If-None-Match", `*`).status, "never on lists")
	require.Equal(t, 200, s.call("GET", "/v1/admin/articles/"+first, "", "If-None-Match", `*`).status,
		"nor on articles")

	for _, other := range []string{`"2"`, `W/"1"`, `1`, `"x"`, `"1-"`, `"1-foo"`} {
		s.call("PATCH", path, `{"name":"n"}`, "If-Match", other).isRefusal(412, base.CodePrecondition)
	}
	require.Equal(t, `"2"`, s.call("PATCH", path, `{"name":"n"}`, "If-Match", `"9", "1"`).header["Etag"])
	require.Equal(t, `"3"`, s.call("PATCH", path, `{"name":"m"}`, "If-Match", `*`).header["Etag"])
	require.Equal(t, `"4"`, s.call("PATCH", path, `{"name":"l"}`, "If-Match", `"3-gzip"`).header["Etag"])
	s.call("PATCH", "/v1/admin/skus/"+first, `{"name":"n"}`, "If-Match", `"9"`).isRefusal(404, base.CodeNotFound)
}
