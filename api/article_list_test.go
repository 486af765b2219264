package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file owns the test of the list of articles over HTTP: what the two ways of asking read, and what they answer.
// What filters and sorts mean is tested in the engine.

// both asks for articles by GET and by POST, and demands the same answer.
func (s *shop) both(query, body string) map[string]any {
	s.Helper()
	got := s.call("GET", "/v1/admin/articles?"+query, "")
	require.Equal(s, 200, got.status, "%s", got.body)
	posted := s.call("POST", "/v1/admin/articles/search", body)
	require.Equal(s, 200, posted.status, "%s", posted.body)
	require.Equal(s, string(got.body), string(posted.body))
	return got.object()
}

// names are the names of listed articles.
func names(list map[string]any) string {
	var words []string
	for _, r := range list["articles"].([]any) {
		words = append(words, at(r, "name").(string))
	}
	return strings.Join(words, " ")
}

func TestListArticlesBothWays(t *testing.T) {
	s := newShop(t)
	lisbon := at(s.ok("POST", "/v1/admin/locations", `{"name":"Lisbon","timezone":"Europe/Lisbon"}`), "id").(string)
	porto := at(s.ok("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`), "id").(string)
	sku := at(s.ok("POST", "/v1/admin/skus", `{"name":"Hammer","code":"HAM","purchasePrice":500}`), "id").(string)
	power := at(s.ok("POST", "/v1/admin/attributes", `{"name":"Power","key":"power","format":"number"}`), "id").(string)
	article := func(body string) string { return at(s.ok("POST", "/v1/admin/articles", body), "id").(string) }
	drill := article(
		`{"name":"Drill","codes":["D-1","x"],"attributes":{"power":700},"quantities":[{"serviceLocationId":"` + lisbon +
			`","count":3},{"serviceLocationId":"` + porto + `","count":2}]}`)
	saw := article(`{"name":"Saw","codes":["S-1"],"attributes":{"power":900},"quantities":[{"serviceLocationId":"` +
		porto + `","count":1}]}`)
	article(`{"name":"mallet","skuId":"` + sku + `","status":"inactive"}`)
	article(`{"name":"\"Q,}{][\\","description":"a \"b\" {\\","status":"draft"}`)
	s.ok("POST", "/v1/admin/holds", s.holdBody("article", drill, porto, noon+day, noon+2*day, 2))

	list := s.both("", "")
	require.Equal(t, 4.0, list["totalCount"])
	require.Equal(t, `Drill Saw mallet "Q,}{][\`, names(list))
	require.Equal(t, map[string]any{"from": when(noon), "to": when(noon)}, at(list, "articles", 0, "snapshotDate"))

	window := "dateRange[from]=" + when(noon+day) + "&dateRange[to]=" + when(noon+2*day)
	inWindow := fmt.Sprintf(`"dateRange":{"from":%q,"to":%q}`, when(noon+day), when(noon+2*day))
	list = s.both(window+"&sort=availability&direction=desc", `{`+inWindow+`,"sort":"availability","direction":"desc"}`)
	require.Equal(t, `Drill Saw mallet "Q,}{][\`, names(list))
	require.Equal(t, 3.0, at(list, "articles", 0, "availability", "total"))
	require.Equal(t, 5.0, at(list, "articles", 0, "quantity", "total"))
	require.Len(t, at(list, "articles", 0, "unavailability"), 2)
	require.Equal(t, map[string]any{"from": when(noon + day), "to": when(noon + 2*day)},
		at(list, "articles", 0, "snapshotDate"))

	list = s.both(window+"&sort=availability&direction=desc&serviceLocationId="+porto,
		`{`+inWindow+`,"sort":"availability","direction":"desc","serviceLocationId":"`+porto+`"}`)
	require.Equal(t, "Saw Drill", names(list))
	require.Equal(t, 0.0, at(list, "articles", 1, "availability", "total"))
	require.Equal(t, 2.0, at(list, "articles", 1, "quantity", "total"))
	require.Len(t, at(list, "articles", 1, "temporalStock", "stockCommitted"), 1)

	tag := s.ok("POST", "/v1/admin/tags", `{"value":"Winter gear 5","scope":"inventory"}`)["id"].(string)
	s.ok("POST", "/v1/admin/articles/"+saw+"/tags", `{"tagIds":["`+tag+`"]}`)
	for _, c := range []struct{ query, body, want string }{
		{"search=d-1", `{"search":"d-1"}`, "Drill"},
		{"search=ham", `{"search":"ham"}`, "mallet"},
		{"status=active&status[]=inactive", `{"status":["active","inactive"]}`, "Drill Saw mallet"},
		{"archive=archived", `{"archive":"archived"}`, ""},
		{"ids=" + saw + "&ids=" + drill, `{"ids":["` + saw + `","` + drill + `"]}`, "Drill Saw"},
		{"skuId=" + sku, `{"skuId":"` + sku + `"}`, "mallet"},
		{"sort=name&direction=desc&status=active", `{"sort":"name","direction":"desc","status":["active"]}`,
			"Saw Drill"},
		{"sort=name&pageSize=2&page=2&status=active&status=inactive",
			`{"sort":"name","pageSize":2,"page":2,"status":["active","inactive"]}`, "Saw"},
		{"filters[0][field]=name&filters[0][operator]=contains&filters[0][value]=AL",
			`{"filters":[{"field":"name","operator":"contains","value":"AL"}]}`, "mallet"},
		{"filters[0][field]=codes&filters[0][operator]=eq&filters[0][value]=X&filters[0][value][]=s-1",
			`{"filters":[{"field":"codes","operator":"eq","value":["X","s-1"]}]}`, "Drill Saw"},
		{"filters[0][field]=codes&filters[0][operator]=contains&filters[0][value]=-1",
			`{"filters":[{"field":"codes","operator":"contains","value":"-1"}]}`, "Drill Saw"},
		{"filters[0][field]=tags&filters[0][operator]=contains&filters[0][value]=gear",
			`{"filters":[{"field":"tags","operator":"contains","value":"gear"}]}`, ""},
		{"filters[0][field]=tags&filters[0][operator]=contains&filters[0][value]=WINTER+gear+5",
			`{"filters":[{"field":"tags","operator":"contains","value":"WINTER gear 5"}]}`, "Saw"},
		{"filters[0][field]=status&filters[0][operator]=isNotEmpty&filters[1][field]=purchasePrice&" +
			"filters[1][operator]=between&filters[1][value]=1&filters[1][value]=500",
			`{"filters":[{"field":"status","operator":"isNotEmpty"},{"field":"purchasePrice","operator":"between","value":[1,500]}]}`, "mallet"},
		{"filters[0][attributeId]=" + power +
			"&filters[0][format]=number&filters[0][operator]=gt&filters[0][value]=800",
			`{"filters":[{"attributeId":"` + power + `","format":"number","operator":"gt","value":800}]}`, "Saw"},
		{"filters[0][field]=serviceLocationId&filters[0][operator]=eq&filters[0][value]=" + lisbon,
			`{"filters":[{"field":"serviceLocationId","operator":"eq","value":"` + lisbon + `"}]}`, "Drill"},
		{"filters[0][field]=createdAt&filters[0][operator]=isToday&search=saw",
			`{"filters":[{"field":"createdAt","operator":"isToday"}],"search":"saw"}`, "Saw"},
	} {
		require.Equal(t, c.want, names(s.both(c.query, c.body)), c.query)
	}

	link := s.call("GET", "/v1/admin/articles?sort=name&pageSize=1&page=2", "").header["Link"]
	require.Contains(t, link, `</v1/admin/articles?sort=name&pageSize=1&page=3>; rel="next"`)
	require.NotContains(t, s.call("POST", "/v1/admin/articles/search", `{"page":2}`).header, "Link")
}

// One value of a filter needs no list around it.
func TestFiltersOfOneValue(t *testing.T) {
	s, _, _, article, _ := stocked(t)
	s.ok("POST", "/v1/admin/articles", `{"name":"Drill"}`)
	require.Len(t, s.ok("POST", "/v1/admin/articles/search", `{"ids":"`+article+`"}`)["articles"], 1)
	for body, list := range map[string]string{
		`{"ids":"` + article + `"}`: `{"ids":["` + article + `"]}`,
		`{"status":"inactive"}`:     `{"status":["inactive"]}`,
		`{"fields":"name"}`:         `{"fields":["name"]}`,
	} {
		require.Equal(t, s.ok("POST", "/v1/admin/articles/search", list),
			s.ok("POST", "/v1/admin/articles/search", body), body)
	}
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/articles/search",
		`{"ids":"x","status":1,"fields":"nothing"}`, "body /ids format", "body /status type", "body /fields enum")
}

func TestFieldsOfListedArticles(t *testing.T) {
	s, _, _, _, _ := stocked(t)
	s.ok("POST", "/v1/admin/articles", `{"name":"\"Q,}{][\\","description":"a \"b\" {\\","codes":["]\"","}"]}`)
	whole := s.both("", "{}")["articles"].([]any)
	for _, fields := range [][]string{{"id"}, {"temporalStock", "name"},
		{"name", "codes", "description", "snapshotDate"}, {"quantity", "unavailability", "sku"}} {
		asJSON, err := json.Marshal(fields)
		require.NoError(t, err)
		some := s.both("fields="+strings.Join(fields, ","), `{"fields":`+string(asJSON)+`}`)["articles"].([]any)
		require.Len(t, some, len(whole))
		for i, r := range some {
			want := map[string]any{}
			for _, name := range fields {
				want[name] = at(whole[i], name)
			}
			require.Equal(t, want, r)
		}
	}
	var all []string
	for _, m := range articleSchema.Members {
		all = append(all, m.Name)
	}
	require.Equal(t, whole, s.both("fields="+strings.Join(all, ","), "")["articles"])
}

func TestFaultsOfTheList(t *testing.T) {
	s, _, _, _, _ := stocked(t)
	number := at(s.ok("POST", "/v1/admin/attributes", `{"name":"n","key":"n","format":"number"}`), "id").(string)
	for _, c := range []struct{ query, body, faults string }{
		{"sort=colour&direction=up&archive=some&status=gone",
			`{"sort":"colour","direction":"up","archive":"some","status":["gone"]}`,
			"status enum, archive enum, sort enum, direction enum"},
		{"pageSize=251&page=0&fields=id,colour", `{"pageSize":251,"page":0,"fields":["id","colour"]}`,
			"fields enum, page range, pageSize range"},
		{"ids=1&skuId=2&serviceLocationId=3", `{"ids":["1"],"skuId":"2","serviceLocationId":"3"}`,
			"ids format, skuId format, serviceLocationId format"},
		{"filters[0][field]=colour&filters[0][operator]=eq&filters[0][value]=x&filters[1][field]=name&" +
			"filters[1][operator]=gt&filters[1][value]=x",
			`{"filters":[{"field":"colour","operator":"eq","value":"x"},{"field":"name","operator":"gt","value":"x"}]}`,
			"filters/0/field enum, filters/1/operator enum"},
		{"filters[0][attributeId]=" + number +
			"&filters[0][format]=text&filters[0][operator]=eq&filters[0][value]=x&filters[1][field]=quantity&" +
			"filters[1][operator]=eq&filters[1][value]=x",
			`{"filters":[{"attributeId":"` + number +
				`","format":"text","operator":"eq","value":"x"},{"field":"quantity","operator":"eq","value":"x"}]}`,
			"filters/0/format enum, filters/1/value type"},
		{"filters[0][field]=name&filters[0][operator]=isToday&filters[1][operator]=eq",
			`{"filters":[{"field":"name","operator":"isToday"},{"operator":"eq"}]}`,
			"filters/0/operator enum, filters/1/field required"},
		{"filters[0][field]=name&filters[1][field]=name&filters[1][operator]=isEmpty&filters[1][value]=x",
			`{"filters":[{"field":"name"},{"field":"name","operator":"isEmpty","value":"x"}]}`,
			"filters/0/operator required, filters/1/value length"},
		{"dateRange[from]=2025-06-03T12:00:00Z&dateRange[to]=2025-06-02T12:00:00Z",
			`{"dateRange":{"from":"2025-06-03T12:00:00Z","to":"2025-06-02T12:00:00Z"}}`, "dateRange/to order"},
	} {
		var inQuery, inBody []string
		for f := range strings.SplitSeq(c.faults, ", ") {
			pointer, code, _ := strings.Cut(f, " ")
			name, rest, nested := strings.Cut(pointer, "/")
			if nested {
				name += "[" + strings.ReplaceAll(rest, "/", "][") + "]"
			}
			inQuery = append(inQuery, "query "+name+" "+code)
			if code == "enum" && (name == "status" || name == "fields") || name == "ids" {
				pointer += map[string]string{"status": "/0", "fields": "/1", "ids": "/0"}[name]
			}
			inBody = append(inBody, "body /"+pointer+" "+code)
		}
		s.refused(400, base.CodeInvalid, "GET", "/v1/admin/articles?"+c.query, "", inQuery...)
		a := s.call("POST", "/v1/admin/articles/search", c.body)
		require.Equal(t, 400, a.status)
		for _, f := range inBody {
			in := strings.Fields(f)
			found := false
			for _, e := range a.object()["errors"].([]any) {
				found = found || at(e, "in") == in[0] && at(e, "pointer") == in[1] && at(e, "code") == in[2]
			}
			require.True(t, found, "%s: %s", f, a.body)
		}
		require.Len(t, a.object()["errors"], len(inBody), "%s", a.body)
	}
	message := func(query string) string {
		return at(s.call("GET", "/v1/admin/articles?"+query, "").object(), "errors", 0, "message").(string)
	}
	require.Contains(t, message("filters[0][field]=colour&filters[0][operator]=isEmpty"), "skuName")
	require.Contains(t, message("filters[0][field]=name&filters[0][operator]=likes&filters[0][value]=x"),
		"doesNotContain")
	require.Contains(t, message("filters[0][field]=name&filters[0][operator]=gt&filters[0][value]=x"), "startsWith")
	require.Contains(t, message("colour=red"), "filters[0][attributeId]")

	many := func(n int) string {
		return strings.Repeat(`{"field":"name","operator":"isEmpty"},`, n-1) + `{"field":"name","operator":"isEmpty"}`
	}
	s.ok("POST", "/v1/admin/articles/search", `{"filters":[`+many(32)+`]}`)
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/articles/search", `{"filters":[`+many(33)+`]}`,
		"body /filters length")
	values := func(n int) string { return `[` + strings.Repeat(`"x",`, n-1) + `"x"]` }
	filter := func(n int) string { return `{"field":"name","operator":"eq","value":` + values(n) + `}` }
	s.ok("POST", "/v1/admin/articles/search", `{"filters":[`+filter(150)+`,`+filter(50)+`]}`)
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/articles/search",
		`{"filters":[`+filter(150)+`,`+filter(51)+`]}`, "body /filters length")

	nobody := url.QueryEscape("0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e")
	s.refused(404, base.CodeNotFound, "GET", "/v1/admin/articles?skuId="+nobody, "")
	s.refused(404, base.CodeNotFound, "GET", "/v1/admin/articles?serviceLocationId="+nobody, "")
	s.refused(404, base.CodeNotFound, "GET", "/v1/admin/articles?filters[0][attributeId]="+nobody+
		"&filters[0][format]=text&filters[0][operator]=isEmpty", "")
	require.Equal(t, 0.0, s.both("ids="+nobody, `{"ids":["`+nobody+`"]}`)["totalCount"])
}
