package api

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file owns the tests of an order's history on the wire, and of what the feed tells of units that move.

func TestOrderHistory(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	const path = "/v1/admin/orders"
	id := s.ok("POST", path,
		fmt.Sprintf(`{"pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","quantity":1,"startDate":%q,"endDate":%q}]}`,
			location, sku, when(noon+day), when(noon+2*day)))["id"].(string)
	s.clock.Add(1000)
	s.ok("POST", path+"/"+id+"/comments", `{"content":"x"}`)
	s.ok("POST", path+"/"+id+"/confirm", "")
	s.ok("POST", path+"/"+id+"/payments", `{"kind":"capture","amount":5}`)
	all := s.ok("GET", path+"/"+id+"/history", "")
	require.Equal(t, []any{true, nil}, []any{all["whole"], all["next"]})
	list := all["changes"].([]any)
	require.Len(t, list, 4)
	require.Equal(t, []any{"payments"}, at(list, 0, "changed"))
	require.Equal(t, []any{"status", "open", 3.0},
		[]any{at(list, 1, "changed", 0), at(list, 1, "status"), at(list, 1, "revision")})
	require.Equal(t, []any{"comments"}, at(list, 2, "changed"))
	require.Equal(t, map[string]any{"sequence": at(list, 3, "sequence"), "at": when(noon), "actor": "key 11111111",
		"change": "created", "revision": 1.0, "status": "draft",
		"changed": []any{}, "moved": []any{}}, at(list, 3))

	var paged []any
	for query := "?limit=3"; ; {
		a := s.ok("GET", path+"/"+id+"/history"+query, "")
		require.Equal(t, true, a["whole"])
		paged = append(paged, a["changes"].([]any)...)
		if a["next"] == nil {
			break
		}
		query = "?limit=3&before=" + a["next"].(string)
	}
	require.Equal(t, list, paged)

	s.refused(400, base.CodeInvalid, "GET", path+"/"+id+"/history?before=x&limit=51", "", "query before format",
		"query limit range")
	s.refused(400, base.CodeInvalid, "GET", path+"/"+id+"/history?before=0.5", "", "query before format")
	s.refused(400, base.CodeInvalid, "GET", path+"/"+id+"/history?before=5", "", "query before format")
	s.refused(400, base.CodeInvalid, "GET", path+"/"+id+"/history?before=900.1", "", "query before range")
	require.Empty(t, s.ok("GET", path+"/"+id+"/history?before=3.1", "")["changes"], "nothing was there at that instant")
	s.call("GET", path+"/"+location+"/history", "").isRefusal(404, base.CodeNotFound)
	s.call("GET", path+"/"+id+"/history", "", "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
}

// The history names each member that is another in the record, and no other. A line or a unit says that it was changed
// where it shows something else.
func TestOrderSaysWhatWasChangedAndWhen(t *testing.T) {
	s, location, sku, one, two := stocked(t)
	other := s.ok("POST", "/v1/admin/locations", `{"name":"Elsewhere","timezone":"Europe/Lisbon"}`)["id"].(string)
	kit := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"Kit","components":[{"skuId":%q}]}`, sku))["id"].(string)
	s.ok("POST", "/v1/admin/discount-codes", `{"code":"TEN","valueType":"percentage","value":10}`)
	var people [2]string
	for i := range people {
		people[i] = s.ok("POST", "/v1/admin/customers", fmt.Sprintf(`{"lastName":"%d"}`, i))["id"].(string)
	}
	var path, line, unit string
	create := func(status, item, id, more string) {
		o := s.ok("POST", "/v1/admin/orders", fmt.Sprintf(
			`{"status":%q,"pickupLocationId":%q,"customerId":%q%s,"lineItems":[{"%sId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q,"unitPrice":100}]}`,
			status, location, people[0], more, item, id, when(noon+day), when(noon+2*day)))
		path = "/v1/admin/orders/" + o["id"].(string)
		line, unit = at(o, "lineItems", 0, "id").(string), at(o, "stockItems", 0, "id").(string)
	}
	members := engine.OrderMembers()
	step := func(method, to, body string) {
		t.Helper()
		newest := func() any { return at(s.ok("GET", path+"/history?limit=1", ""), "changes", 0) }
		was, last := s.ok("GET", path, ""), newest()
		s.clock.Add(1000)
		s.ok(method, path+to, body)
		is := s.ok("GET", path, "")
		var want []any
		for _, name := range members {
			x, y := was[name], is[name]
			if name == "customers" { // of a main contact it moves with the order
				x, y = undated(x), undated(y)
			}
			if name == "payments" {
				x, y = was["capturedTotal"], is["capturedTotal"]
			}
			if !reflect.DeepEqual(x, y) {
				want = append(want, name)
			}
		}
		if c := newest(); at(c, "revision") == at(last, "revision") {
			require.Empty(t, want, "%s %s", to, body)
		} else {
			require.Equal(t, want, at(c, "changed"), "%s %s", to, body)
		}
		for _, list := range []string{"lineItems", "stockItems"} {
			x, y := was[list].([]any), is[list].([]any)
			for i := range min(len(x), len(y)) {
				other := !reflect.DeepEqual(undated(x[i:i+1]), undated(y[i:i+1]))
				require.Equal(t, other, at(x[i], "updatedAt") != at(y[i], "updatedAt"), "%s %s: %s", to, body, list)
			}
		}
	}
	patch := func(body string) { t.Helper(); step("PATCH", "", body) }
	ofLine := func(body string) { t.Helper(); step("PATCH", "/line-items/"+line, body) }
	for _, status := range []string{"draft", "open"} {
		create(status, "sku", sku, "")
		patch(`{"metadata":{"x":"1"}}`)
		patch(`{"externalId":"` + status + `"}`)
		patch(`{"customerId":"` + people[1] + `"}`)
		patch(`{"mainContact":{"lastName":"Given"}}`)
		patch(`{"customers":[{"lastName":"Three"}]}`)
		patch(`{"note":"bell"}`)
		ofLine(fmt.Sprintf(`{"endDate":%q,"unitPrice":90}`, when(noon+3*day)))
		ofLine(`{"name":"N"}`)
		ofLine(`{"revenueSplitRate":0.5}`)
		ofLine(`{"expectsInventoryLink":true}`)
		ofLine(`{"quantity":2}`)
		ofLine(`{"quantity":1}`)
		patch(`{"returnLocationId":"` + other + `"}`)
		patch(`{"returnLocationId":null}`)
		step("POST", "/discount-codes", `{"code":"ten"}`)
		if status == "draft" {
			step("POST", "/cancel", "")
		}
	}
	for _, article := range []string{one, two, one} {
		step("POST", "/stock-items/"+unit+"/assign", `{"articleId":"`+article+`"}`)
	}
	step("POST", "/prepare", "")
	step("POST", "/fulfill", "")
	step("POST", "/payments", `{"kind":"capture","amount":5,"lineItemId":"`+line+`"}`)
	step("POST", "/payments", `{"kind":"capture","amount":5}`)
	step("POST", "/return", "")
	step("POST", "/undo", `{"stockItemIds":["`+unit+`"]}`)
	step("POST", "/return", "")
	step("POST", "/stock-items/"+unit+"/ready", "")
	step("POST", "/archive", "")
	create("draft", "catalogItem", kit, `,"discountCodes":["TEN"]`)
	step("POST", "/confirm", "")
	step("POST", "/stock-items/"+unit+"/cancel", "")
}

// undated are records without the instant of their last change.
func undated(list any) (bare []map[string]any) {
	for _, x := range list.([]any) {
		m := maps.Clone(x.(map[string]any))
		delete(m, "updatedAt")
		bare = append(bare, m)
	}
	return bare
}

// Bookings push each other from one bike to the other. The feed tells of each unit that goes, with the bikes' names,
// and without the records where nobody wants them.
func TestFeedTellsOfMoves(t *testing.T) {
	s, location, sku, article, second := stocked(t)
	names := map[any]any{article: s.ok("GET", "/v1/admin/articles/"+article, "")["name"],
		second: s.ok("GET", "/v1/admin/articles/"+second, "")["name"]}
	units, moved := map[string]string{}, 0
	next := s.ok("GET", changesPath, "")["next"]
	chance := rand.New(rand.NewPCG(1, 2))
	for range 80 {
		from := noon + int64(1+chance.IntN(60))*day/2
		a := s.call("POST", "/v1/admin/holds",
			s.holdBody("sku", sku, location, from, from+int64(1+chance.IntN(9))*day/2, 1))
		if a.status != 200 {
			continue
		}
		u := at(a.object(), "lines", 0, "unavailabilities", 0)
		units[at(u, "id").(string)] = at(u, "articleId").(string)
		feed := s.ok("GET", fmt.Sprint(changesPath, "?records=false&after=", next), "")
		next = feed["next"]
		for _, c := range feed["changes"].([]any) {
			require.Nil(t, at(c, "record"))
			for _, m := range at(c, "moved").([]any) {
				id := at(m, "unavailabilityId").(string)
				require.Equal(t, units[id], at(m, "fromArticleId"))
				require.NotEqual(t, at(m, "fromArticleId"), at(m, "toArticleId"))
				require.Equal(t, []any{names[at(m, "fromArticleId")], names[at(m, "toArticleId")]},
					[]any{at(m, "fromArticleName"), at(m, "toArticleName")})
				units[id] = at(m, "toArticleId").(string)
				moved++
			}
		}
		for id := range names {
			row := s.ok("GET", fmt.Sprintf("/v1/admin/articles/%s/unavailabilities?dateRange[from]=%s&dateRange[to]=%s",
				id, when(noon), when(noon+100*day)), "")
			for _, u := range row["data"].([]any) {
				require.Equal(t, id, units[at(u, "id").(string)])
			}
		}
	}
	require.Positive(t, moved)
}
