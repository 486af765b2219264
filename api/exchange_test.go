package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/api/admin"
	"holdfast/api/wire"
)

// This file owns the tests of import and export as calls. The command line has those of files.

// exchangeShop is a shop with the operator's listener.
type exchangeShop struct {
	*shop
	ops *httptest.Server
}

func newExchangeShop(t *testing.T) *exchangeShop {
	s := &exchangeShop{shop: newShop(t)}
	s.ops = httptest.NewServer(
		admin.New(admin.Options{Metrics: prometheus.NewRegistry(), Calls: s.server.Admin()}).Handler)
	t.Cleanup(s.ops.Close)
	return s
}

func (s *exchangeShop) send(method, path, body string, headers ...string) (status int, text string,
	answer *http.Response) {
	s.Helper()
	r, err := http.NewRequest(method, s.ops.URL+path, strings.NewReader(body))
	require.NoError(s, err)
	r.Header.Set("Content-Type", mediaRows)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err = http.DefaultClient.Do(r)
	require.NoError(s, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(s, err)
	return answer.StatusCode, string(b), answer
}

// rows imports rows into the shop's account.
func (s *exchangeShop) rows(resource, rows string, headers ...string) (status int, text string) {
	s.Helper()
	status, text, _ = s.send("POST", "/import/"+resource+"?account="+s.account.String(), rows, headers...)
	return status, text
}

// bad demands that an import is refused with exactly these faults ("pointer code"), by checks and by itself, and
// changes nothing.
func (s *exchangeShop) bad(resource, rows string, faults ...string) {
	s.Helper()
	seq, hash := s.eng.State()
	for _, check := range []string{"", "&check=all"} {
		status, text, _ := s.send("POST", "/import/"+resource+"?account="+s.account.String()+check, rows)
		var p struct {
			Errors []struct{ Pointer, Code string }
		}
		require.Equal(s, 400, status, text)
		require.NoError(s, json.Unmarshal([]byte(text), &p))
		var got []string
		for _, f := range p.Errors {
			got = append(got, f.Pointer+" "+f.Code)
		}
		require.Equal(s, strings.Join(faults, "\n"), strings.Join(got, "\n"), text)
	}
	gotSeq, gotHash := s.eng.State()
	require.Equal(s, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash})
}

func (s *exchangeShop) made(resource, rows string, n int) {
	s.Helper()
	status, text := s.rows(resource, rows)
	require.Equal(s, 200, status, text)
	require.JSONEq(s, fmt.Sprintf(`{"rows":%d,"repeated":false}`, n), text)
}

func TestImportNamesEveryFault(t *testing.T) {
	s := newExchangeShop(t)
	foreign := s.ok("POST", "/v1/admin/skus", `{"name":"Foreign"}`, "X-API-KEY", s.other)["id"].(string)
	s.ok("POST", "/v1/admin/tags", `{"value":"vip","scope":"customers"}`)
	s.made("locations", `{"name":"Harbour","timezone":"UTC"}`+"\n"+`{"name":"Twice","timezone":"UTC"}`+"\n"+
		`{"name":"Twice","timezone":"UTC"}`+"\n", 3)
	s.made("skus", `{"name":"Bike","code":"B"}`+"\n"+`{"name":"B"}`+"\n"+`{"name":"Helmet","code":"Bike"}`, 3)
	s.made("articles", `{"name":"B1","skuId":"B","quantities":[{"serviceLocationId":"Harbour","count":1}]}`, 1)

	s.bad("locations", `{"name":"x"}`+"\n"+`{"name":"y","timezone":"Mars","zone":1}`+"\n"+
		`{"name":"z","timezone":"UTC"`+"\n"+`[]`+"\n"+`{"name":"ok","timezone":"UTC","id":"ours"}`,
		"/0/timezone required", "/1/zone unknown", "/1/timezone zone", "/2/timezone malformed", "/3 type")
	s.bad("locations", "", "/0 malformed")
	s.bad("locations", strings.Repeat("[", 40), "/0 type",
		"/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0 too_deep")
	s.bad("skus", `{"name":"x","code":"N","code":"M","tags":["vip","nowhere","none"],"attributes":{"color":1}}`+"\n"+
		`{"name":"y","code":"B"}`+"\n"+`{"name":"z","code":"N"}`,
		"/0/code duplicate", "/0/tags/0 reference", "/0/tags/1 reference", "/0/tags/2 reference",
		"/0/attributes/color unknown", "/2/code duplicate", "/1 CONFLICT")
	s.bad("articles", fmt.Sprintf(`{"name":"x","skuId":%q}`, foreign)+"\n"+
		`{"name":"y","skuId":"Helmets","quantities":[{"serviceLocationId":"Twice","count":0}]}`+"\n"+
		`{"name":"z","skuId":7}`,
		"/0/skuId reference", "/1/skuId reference", "/1/quantities/0/serviceLocationId reference",
		"/1/quantities/0/count range", "/2/skuId type")
	s.bad("articles", strings.Repeat(`{"name":"lot","quantities":[{"serviceLocationId":"Harbour","count":10000}]}`+"\n",
		5000), " range")
	s.bad("customers", `{}`+"\n"+`{"email":"x"}`, "/0 required", "/1/email format")
	hold := func(item, from, to string) string {
		return fmt.Sprintf(`{"lines":[{%s,"serviceLocationId":"Harbour","from":%q,"to":%q}]}`, item, from, to) + "\n"
	}
	day1, day2, day3 := when(noon+day), when(noon+2*day), when(noon+3*day)
	s.bad("holds", hold(`"skuId":"B"`, day1, day2)+hold(`"articleId":"B1"`, day1, day3)+hold(`"skuId":"Bike"`, day2,
		day3)+hold(`"skuId":"B"`, day3, day2)+hold(`"catalogItemId":"x","skuId":"B"`, day1, day2),
		"/3/lines/0/to order", "/4/lines/0/catalogItemId reference", "/4/lines/0 exclusive",
		"/1/lines/0 INSUFFICIENT_AVAILABILITY", "/2/lines/0 INSUFFICIENT_AVAILABILITY")
	s.made("holds", hold(`"skuId":"B"`, day1, day2)+hold(`"articleId":"B1"`, day2, day3), 2)
}

// A frequent fault hides no other one from the operator: of each, the first rows are named, and the numbers of the
// others are there.
func TestImportNamesEveryRow(t *testing.T) {
	s := newExchangeShop(t)
	refused := func(resource, rows string, faults int) (detail string, alike []Alike) {
		status, text := s.rows(resource, rows)
		require.Equal(t, 400, status)
		var p struct {
			Detail  string
			Errors  []any
			Details struct{ Alike []Alike }
		}
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		require.Len(t, p.Errors, faults)
		return p.Detail, p.Details.Alike
	}
	numbers := func(from, to int) (list []int) {
		for n := from; n < to; n++ {
			list = append(list, n)
		}
		return list
	}
	at := func(n int) *int { return &n }
	named := strings.Repeat(`{"name":""}`+"\n", 1400)
	detail, alike := refused("skus", named+strings.Repeat(`{"name":"x","purchasePrice":"abc"}`+"\n", 100), 40)
	require.Contains(t, detail, "(and 1460 more)")
	require.Equal(t, []Alike{{at(0), numbers(20, 1400)}, {at(20), numbers(1420, 1500)}}, alike)
	_, alike = refused("skus", strings.Repeat(`{"name":""}`+"\n", 20), 20)
	require.Empty(t, alike)

	// Of more kinds than there is room for, those rows are told that none is named of.
	var rows strings.Builder
	for n := range 1100 {
		fmt.Fprintf(&rows, `{"name":"x","%s":1}`+"\n", strings.Repeat(string(rune('a'+n%26)), n/26+1))
	}
	_, alike = refused("customers", rows.String(), 1000)
	require.Nil(t, alike[len(alike)-1].Fault)
	require.Equal(t, 1099, slices.Max(alike[len(alike)-1].Rows))

	// So it is with what the state refuses.
	s.made("locations", `{"name":"Harbour","timezone":"UTC"}`, 1)
	s.made("articles", `{"name":"B1","quantities":[{"serviceLocationId":"Harbour","count":1}]}`, 1)
	hold := fmt.Sprintf(`{"lines":[{"articleId":"B1","serviceLocationId":"Harbour","from":%q,"to":%q}]}`+"\n",
		when(noon+day), when(noon+2*day))
	_, alike = refused("holds", strings.Repeat(hold, 31), 20)
	require.Equal(t, []Alike{{at(0), numbers(21, 31)}}, alike)
}

func TestImportRefusesTheCall(t *testing.T) {
	s := newExchangeShop(t)
	for _, c := range []struct {
		status         int
		method, target string
		body           string
		headers        []string
	}{
		{404, "POST", "/import/bikes?account=" + s.account.String(), "{}", nil},
		{404, "POST", "/import/skus?account=x", "{}", nil},
		{404, "GET", "/export/skus?account=0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e", "", nil},
		{404, "GET", "/export/orders", "", nil},
		{400, "POST", "/import/skus", "{}", nil}, // there are two accounts
		{400, "GET", "/export/skus", "", nil},
		{415, "POST", "/import/skus?account=" + s.account.String(), "{}", []string{"Content-Type", "application/json"}},
		{413, "POST", "/import/skus?account=" + s.account.String(), strings.Repeat("\n", MaxImport+1), nil},
		{400, "POST", "/import/skus?account=" + s.account.String(), strings.Repeat("{}\n", 100_001), nil},
		{403, "POST", "/import/skus?account=" + s.account.String(), "{}", []string{"Origin", "http://localhost"}},
		{400, "POST", "/import/skus?check=everything&account=" + s.account.String(), `{"name":"Bike"}`, nil},
		{400, "POST", "/import/skus?check=all&check=&account=" + s.account.String(), `{"name":"Bike"}`, nil},
		{400, "POST", "/import/skus?chek=all&account=" + s.account.String(), `{"name":"Bike"}`, nil},
		{400, "POST", "/import/skus?%zz&account=" + s.account.String(), `{"name":"Bike"}`, nil},
		{400, "GET", "/export/skus?check=all&account=" + s.account.String(), "", nil},
		{400, "GET", "/archive?id=" + s.account.String() + "&account=" + s.account.String(), "", nil},
		{400, "POST", "/archive?idz=new", "", nil},
		{400, "GET", "/keys?acount=" + s.account.String(), "", nil},
		{400, "GET", "/accounts?account=" + s.account.String(), "", nil},
		{405, "GET", "/import/skus", "", nil},
	} {
		status, text, _ := s.send(c.method, c.target, c.body, c.headers...)
		require.Equal(t, c.status, status, "%s %s: %.300s", c.method, c.target, text)
	}
}

// The same import under a key is done once; other rows under it are refused; a check under it is only a check.
// Who is refused for another import of an archive is told since when that one goes on.
func TestImportOfAnArchiveBesideAnother(t *testing.T) {
	s := newExchangeShop(t)
	_, archive, answer := s.send("GET", "/archive?account="+s.account.String(), "")
	require.Equal(t, mediaRows, answer.Header.Get("Content-Type"))
	s.server.importing.Lock()
	s.server.imports.Store(noon)
	status, text, _ := s.send("POST", "/archive?ids=new", archive)
	require.Equal(t, 503, status)
	require.Contains(t, text, "since "+when(noon))
	s.server.importing.Unlock()
	status, text, _ = s.send("POST", "/archive?ids=new", archive)
	require.Equal(t, 200, status, text)
	require.Equal(t, s.server.now(), s.server.imports.Load())
}

func TestImportOnce(t *testing.T) {
	s := newExchangeShop(t)
	rows := `{"companyName":"A"}` + "\n" + `{"companyName":"B"}` + "\n"
	for _, check := range []string{"all", "inputs"} {
		status, text, _ := s.send("POST", "/import/customers?check="+check+"&account="+s.account.String(), rows,
			"Idempotency-Key", "k")
		require.Equal(t, 200, status, text)
	}
	require.Zero(t, at(s.ok("GET", "/v1/admin/customers", ""), "pagination", "total"))
	for _, repeated := range []bool{false, true, true} {
		status, text := s.rows("customers", rows, "Idempotency-Key", "k")
		require.Equal(t, 200, status, text)
		require.JSONEq(t, fmt.Sprintf(`{"rows":2,"repeated":%t}`, repeated), text)
	}
	status, text := s.rows("customers", `{"companyName":"C"}`, "Idempotency-Key", "k")
	require.Equal(t, 422, status, text)
	status, _ = s.rows("locations", `{"name":"C","timezone":"UTC"}`, "Idempotency-Key", "k")
	require.Equal(t, 200, status, "a key is for a resource")
	status, _ = s.rows("customers", rows)
	require.Equal(t, 200, status)
	require.EqualValues(t, 4, at(s.ok("GET", "/v1/admin/customers", ""), "pagination", "total"))
}

// What rows cannot say is noted.
func TestExportNotes(t *testing.T) {
	s := newExchangeShop(t)
	location := s.ok("POST", "/v1/admin/locations", `{"name":"Lisbon","timezone":"UTC"}`)["id"].(string)
	s.ok("POST", "/v1/admin/locations", `{"name":"Lisbon","timezone":"UTC"}`)
	sku := s.ok("POST", "/v1/admin/skus", `{"name":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e"}`)["id"].(string)
	article := func(body string) string {
		return s.ok("POST", "/v1/admin/articles",
			fmt.Sprintf(`{%s,"skuId":%q,"quantities":[{"serviceLocationId":%q,"count":2}]}`, body, sku,
				location))["id"].(string)
	}
	a := article(`"name":"one","codes":["x","same"]`)
	gone := article(`"name":"two","codes":["same"]`)
	s.ok("POST", "/v1/admin/articles/"+gone+"/archive", "")
	hold := s.ok("POST", "/v1/admin/holds", s.holdBody("article", a, location, noon+day, noon+2*day, 2))["id"].(string)
	s.ok("POST", "/v1/admin/articles/"+a+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1,"effectiveFrom":%q,"force":true}`, location, when(noon+hour)))

	status, text, answer := s.send("GET", "/export/articles?account="+s.account.String(), "")
	require.Equal(t, 200, status)
	require.Equal(t, mediaRows, answer.Header.Get("Content-Type"))
	require.JSONEq(t, fmt.Sprintf(`{"id":%q,"name":"one","status":"active","skuId":%q,"codes":["x","same"],"description":null,"condition":null,"purchasePrice":null,
		"itemCosts":null,"taxonomyCategoryId":null,"parentId":null,"path":null,"taxonomyCategory":null,"fulfillmentFields":[],"media":[],"documents":[],
		"quantities":[{"serviceLocationId":%q,"count":1,"from":%q}],"tags":[],"attributes":{},"externalId":null,"metadata":{},"bufferTimeAmountBefore":null,"bufferTimeUnitBefore":null,
		"bufferTimeAmountAfter":null,"bufferTimeUnitAfter":null}`, a, sku, location, when(noon)), text)
	require.Equal(t, "2 references are ids, as no code or name stands for the record alone: another account does "+
		"not have them; 1 archived articles are left out; "+
		"1 units that end later are left out", answer.Trailer.Get(NotesTrailer))

	_, text, answer = s.send("GET", "/export/holds?account="+s.account.String(), "")
	require.JSONEq(t,
		fmt.Sprintf(`{"id":%q,"lines":[{"articleId":"x","serviceLocationId":%q,"from":%q,"to":%q,"quantity":2,"purchaseType":"booking"}]}`,
			hold, location, when(noon+day), when(noon+2*day)), text)
	require.Contains(t, answer.Trailer.Get(NotesTrailer), "1 holds are in conflict")

	_, text, answer = s.send("GET", "/export/customers?account="+s.account.String(), "")
	require.Empty(t, text)
	require.Empty(t, answer.Trailer.Get(NotesTrailer))
}

// Who was erased is nobody that an import could make, or that a hold could be for. Who has no name is named by id.
func TestExportOfErasedCustomers(t *testing.T) {
	s := newExchangeShop(t)
	made := func(path, body string) string { return s.ok("POST", "/v1/admin/"+path, body)["id"].(string) }
	location := made("locations", `{"name":"Lisbon","timezone":"UTC"}`)
	sku := made("skus", `{"name":"Bike"}`)
	made("articles", fmt.Sprintf(`{"name":"one","skuId":%q,"quantities":[{"serviceLocationId":%q,"count":2}]}`, sku,
		location))
	ann, ben := made("customers", `{"firstName":"Ann"}`), made("customers", `{"phone":"+351 210 000 000"}`)
	for _, id := range []string{ann, ben} {
		made("holds", fmt.Sprintf(`{"customerId":%q,"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q}]}`,
			id, sku, location, when(noon), when(noon+hour)))
	}
	s.clock.Add(3 * hour)
	s.ok("POST", "/v1/admin/customers/"+ann+"/erase", "")

	_, text, answer := s.send("GET", "/export/customers?account="+s.account.String(), "")
	require.Equal(t, "1 erased customers are left out", answer.Trailer.Get(NotesTrailer))
	require.NotContains(t, text, ann)
	require.Contains(t, text, ben)
	_, text, _ = s.send("GET", "/export/holds?account="+s.account.String(), "")
	require.NotContains(t, text, ann)
	require.NotContains(t, text, `""`)
	require.Contains(t, text, `"customerId":"`+ben+`"`)
}

// A date of birth that older versions took, or that lies ahead since the account is elsewhere, is one that no import
// takes: the customer is exported without it.
func TestExportOfDatesOfBirthThatLieAhead(t *testing.T) {
	s := newExchangeShop(t)
	s.ok("PATCH", "/v1/admin/account", `{"timezone":"Pacific/Kiritimati"}`)
	s.clock.Store(noon - noon%day + 11*hour)
	tomorrow := when(s.clock.Load() + day)[:len("2006-01-02")]
	s.made("customers", fmt.Sprintf(`{"firstName":"Ann","dateOfBirth":%q}`, tomorrow)+"\n"+
		`{"firstName":"Ben","dateOfBirth":"1980-02-29"}`, 2)
	s.ok("PATCH", "/v1/admin/account", `{"timezone":"UTC"}`)

	_, text, answer := s.send("GET", "/export/customers?account="+s.account.String(), "")
	require.Equal(t, "1 dates of birth are left out: they lie ahead, or are of the year 0",
		answer.Trailer.Get(NotesTrailer))
	require.Contains(t, text, `"dateOfBirth":"1980-02-29"`)
	s.made("customers", regexp.MustCompile(`"id":"[^"]*",`).ReplaceAllString(text, ""), 2)
}

// A kit is held whole: an export says that a unit of one was moved to other dates.
func TestExportOfKitsThatWereMovedApart(t *testing.T) {
	s := newExchangeShop(t)
	made := func(path, body string) map[string]any { return s.ok("POST", "/v1/admin/"+path, body) }
	location := made("locations", `{"name":"Lisbon","timezone":"UTC"}`)["id"]
	bike, cam := made("skus", `{"name":"Bike"}`)["id"], made("skus", `{"name":"Cam"}`)["id"]
	for _, sku := range []any{bike, cam} {
		made("articles", fmt.Sprintf(`{"name":"one","skuId":%q,"quantities":[{"serviceLocationId":%q,"count":1}]}`, sku,
			location))
	}
	kit := made("catalog", fmt.Sprintf(`{"name":"Kit","components":[{"skuId":%q},{"skuId":%q}]}`, bike, cam))["id"]
	h := made("holds", fmt.Sprintf(`{"lines":[{"catalogItemId":%q,"serviceLocationId":%q,"from":%q,"to":%q}]}`, kit,
		location, when(noon+day), when(noon+2*day)))
	notes := func() string {
		_, _, answer := s.send("GET", "/export/holds?account="+s.account.String(), "")
		return answer.Trailer.Get(NotesTrailer)
	}
	require.Empty(t, notes())
	made("holds/"+h["id"].(string)+"/move", fmt.Sprintf(`{"lines":[{"unavailabilityId":%q,"to":%q}]}`,
		at(h, "lines", 0, "unavailabilities", 0, "id"), when(noon+3*day)))
	require.Equal(t, "1 lines of holds are of kits of which units were moved to other dates: they are written as if "+
		"none was", notes())
}

// A line that is over may name what was deleted since: no import finds that, and the line is left out.
func TestExportOfHoldsOfWhatWasDeleted(t *testing.T) {
	s := newExchangeShop(t)
	made := func(path, body string) string { return s.ok("POST", "/v1/admin/"+path, body)["id"].(string) }
	location := made("locations", `{"name":"Lisbon","timezone":"UTC"}`)
	bike, cam := made("skus", `{"name":"Bike"}`), made("skus", `{"name":"Cam"}`)
	article := func(sku string) string {
		return made("articles", fmt.Sprintf(`{"name":"one","skuId":%q,"quantities":[{"serviceLocationId":%q,"count":1}]}`,
			sku, location))
	}
	one, two := article(bike), article(cam)
	kit := made("catalog", fmt.Sprintf(`{"name":"Kit","components":[{"skuId":%q,"quantity":1}]}`, bike))
	line := func(member, id string, from int64) string {
		return fmt.Sprintf(`{%q:%q,"serviceLocationId":%q,"from":%q,"to":%q}`, member, id, location, when(from),
			when(from+hour))
	}
	made("holds", `{"lines":[`+line("catalogItemId", kit, noon)+`]}`)
	made("holds", `{"lines":[`+line("articleId", two, noon)+`]}`)
	both := made("holds", `{"lines":[`+line("skuId", cam, noon+hour)+`,`+line("skuId", bike, noon+day)+`]}`)
	s.clock.Add(3 * hour)
	s.ok("DELETE", "/v1/admin/catalog/"+kit, "")
	s.ok("DELETE", "/v1/admin/articles/"+two, "")
	s.ok("DELETE", "/v1/admin/skus/"+cam, "")

	_, text, answer := s.send("GET", "/export/holds?account="+s.account.String(), "")
	require.Equal(t, "3 lines of holds are left out: they are over, and what they are of, or where, was deleted",
		answer.Trailer.Get(NotesTrailer))
	var row struct{ Lines []struct{ SKUID string } }
	require.NoError(t, json.Unmarshal([]byte(text), &row), "one row")
	require.Len(t, row.Lines, 1)
	require.Equal(t, "Bike", row.Lines[0].SKUID)
	s.ok("POST", "/v1/admin/articles/"+one+"/increase-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1}`, location))
	s.made("holds", strings.Replace(text, fmt.Sprintf(`"id":%q,`, both), "", 1), 1)
}

// What an import takes of a record, an export says: an article's details, and where a hold's units go.
func TestExportSaysWhatImportTakes(t *testing.T) {
	s := newExchangeShop(t)
	here := s.ok("POST", "/v1/admin/locations", `{"name":"Here","timezone":"UTC"}`)["id"].(string)
	there := s.ok("POST", "/v1/admin/locations", `{"name":"There","timezone":"UTC"}`)["id"].(string)
	sku := s.ok("POST", "/v1/admin/skus", `{"name":"Bike"}`)["id"].(string)
	member := func(v any, name string) any {
		b, err := json.Marshal(v.(map[string]any)[name])
		require.NoError(t, err)
		return string(b)
	}
	list := func(resource string) []any {
		page := s.ok("GET", "/v1/admin/"+resource, "")
		rows, _ := cmp.Or(page["data"], page[resource]).([]any)
		return rows
	}
	again := func(resource string) map[string]any {
		_, row, answer := s.send("GET", "/export/"+resource+"?account="+s.account.String(), "")
		require.Empty(t, answer.Trailer.Get(NotesTrailer))
		id := list(resource)[0].(map[string]any)["id"].(string)
		s.made(resource, strings.Replace(row, fmt.Sprintf(`"id":%q,`, id), "", 1), 1)
		for _, r := range list(resource) {
			if r := r.(map[string]any); r["id"] != id {
				return s.ok("GET", "/v1/admin/"+resource+"/"+r["id"].(string), "")
			}
		}
		return nil
	}

	first := s.ok("POST", "/v1/admin/articles", fmt.Sprintf(`{"name":"one","skuId":%q,"itemCosts":1200,
		"taxonomyCategoryId":"c7","parentId":"p","path":"a/b","taxonomyCategory":{"id":"c7","name":"Bikes","level":2},
		"fulfillmentFields":[{"key":"colour","value":"red","systemGroup":null},{"key":"gears","value":7}],
		"media":[{"media":{"fileUrl":"https://a.example/a.png","mimeType":"image/png","size":7}}],
		"documents":[{"document":{"fileUrl":"https://a.example/b.pdf","originalName":"b.pdf"},"comment":"signed"}],
		"quantities":[{"serviceLocationId":%q,"count":1}]}`, sku, here))
	second := again("articles")
	for _, name := range []string{"itemCosts", "taxonomyCategoryId", "parentId", "path", "taxonomyCategory",
		"fulfillmentFields", "quantities"} {
		require.Equal(t, member(first, name), member(second, name), name)
	}
	for _, files := range []string{"media", "documents"} {
		a, b := first[files].([]any)[0].(map[string]any), second[files].([]any)[0].(map[string]any)
		kind := strings.TrimSuffix(files, "s")
		for _, name := range []string{"fileUrl", "originalName", "folderPath", "mimeType", "size"} {
			require.Equal(t, member(a[kind], name), member(b[kind], name), name)
		}
		require.Equal(t, a["comment"], b["comment"])
	}

	s.ok("POST", "/v1/admin/holds", fmt.Sprintf(`{"lines":[{"skuId":%q,"serviceLocationId":%q,
		"returnServiceLocationId":%q,"from":%q,"to":%q}]}`, sku, here, there, when(noon+day), when(noon+2*day)))
	hold := again("holds")
	require.Equal(t, there, at(hold, "lines", 0, "returnServiceLocationId"))
	line := fmt.Sprintf(`{"lines":[{"skuId":"Bike","serviceLocationId":"Here","from":%q,"to":%q,"returnServiceLocationId":`,
		when(noon+300*day), when(noon+301*day))
	s.bad("holds", line+`"Nowhere"}]}`, "/0/lines/0/returnServiceLocationId reference")
	s.bad("holds", line+fmt.Sprintf("%q}]}", sku), "/0/lines/0/returnServiceLocationId reference")
}

// A row is a row of one resource of the interface, and is described as the body that makes it.
func TestExchangeRows(t *testing.T) {
	require.Equal(t, []string{"locations", "skus", "articles", "customers", "holds"}, ExchangeNames())
	require.Nil(t, ExchangeRow("orders"))
	for _, name := range ExchangeNames() {
		row, made := ExchangeRow(name), false
		for _, o := range operations {
			if o.method == "POST" && o.path == "/v1/admin/"+name {
				made = true
				// a row may always be of the past
				members := slices.DeleteFunc(slices.Clone(o.body.Members),
					func(m wire.Member) bool { return m.Name == "allowPast" })
				require.Equal(t, append([]wire.Member{{Name: "id", Schema: wire.TextSchema.OrNull()}}, members...),
					row.Members)
			}
		}
		require.True(t, made, name)
	}
}
