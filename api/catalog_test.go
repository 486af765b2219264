package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file owns the tests of catalog items over the interface.

func TestCatalogItemFromCreationToEnd(t *testing.T) {
	s, _, sku, first, _ := stocked(t)
	table, tablePath := s.pricingTable(`{"name":"Bikes"}`)
	i := s.ok("POST", "/v1/admin/catalog", fmt.Sprintf(
		`{"name":"Bike","components":[{"skuId":%q},{"articleId":%q,"quantity":2}],"pricingTableId":%q,"taxonomyCategoryId":"sports/bikes","variants":[{"label":"Size","values":[{"label":"S"}]}]}`,
		sku, first, table))
	require.Equal(t, map[string]any{
		"id": i["id"], "name": "Bike", "internalName": "Bike", "status": "active", "taxonomyCategoryId": "sports/bikes",
		"createdAt":   when(noon),
		"description": nil, "pricingTableId": table, "tags": []any{}, "attributes": []any{}, "archivedAt": nil,
		"updatedAt": when(noon), "externalId": nil, "metadata": map[string]any{},
		"components": []any{map[string]any{"skuId": sku, "articleId": nil, "quantity": 1.0},
			map[string]any{"skuId": nil, "articleId": first, "quantity": 2.0}},
		"purchaseTypes": []any{"booking", "sale", "subscription"}, "variants": i["variants"],
	}, i)
	require.Equal(t, s.ok("GET", "/internal/catalog", ""), s.ok("GET", "/v1/admin/catalog", ""),
		"the list is beside the rest, too")
	require.Equal(t, "S", at(i, "variants", 0, "values", 0, "label"))
	path := "/v1/admin/catalog/" + i["id"].(string)
	got := s.call("GET", path, "")
	require.Equal(t, i, got.object())
	require.Equal(t, 304, s.call("GET", path, "", "If-None-Match", got.header["Etag"]).status)
	inUse := s.refused(409, base.CodeInUse, "DELETE", tablePath, "")
	require.Equal(t, map[string]any{"resource": "catalogItem", "count": 1.0}, at(inUse.object(), "details"))

	p := s.ok("PATCH", path,
		`{"internalName":"b1","status":"draft","purchaseTypes":["sale"],"pricingTableId":null,"components":[]}`,
		"If-Match", got.header["Etag"])
	require.Equal(t, []any{"b1", "draft", []any{"sale"}, nil, []any{}},
		[]any{p["internalName"], p["status"], p["purchaseTypes"], p["pricingTableId"], p["components"]})
	s.call("PATCH", path, `{"name":"x"}`, "If-Match", got.header["Etag"]).isRefusal(412, base.CodePrecondition)
	require.Equal(t, "Bike", s.ok("PATCH", path, `{"internalName":null}`)["internalName"])

	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"","status":"sold","components":[{"skuId":%q,"articleId":%q},{"quantity":0}],"purchaseTypes":["sale","sale"],"variants":[{"label":"x","values":[]}],"no":1}`, sku, first),
		"body /name length", "body /status enum", "body /components/1/quantity range", "body /variants/0/values length",
		"body /no unknown",
		"body /components/0 exclusive", "body /components/1 required", "body /purchaseTypes/1 duplicate")
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"x","components":[{"skuId":%q}]}`, first))
	s.refused(400, base.CodeInvalid, "GET", "/v1/admin/catalog/17", "", "path id format")

	require.Equal(t, when(noon), s.ok("POST", path+"/archive", "")["archivedAt"])
	require.Nil(t, s.ok("POST", path+"/unarchive", "")["archivedAt"])
	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	s.refused(404, base.CodeNotFound, "GET", path, "")
	require.Equal(t, "null", string(s.call("DELETE", tablePath, "").body))
}

func TestCatalogList(t *testing.T) {
	s := newShop(t)
	ids := map[string]string{}
	for _, name := range []string{"Bike", "Cargo bike", "Helmet"} {
		ids[name] = s.ok("POST", "/v1/admin/catalog", fmt.Sprintf(`{"name":%q}`, name))["id"].(string)
	}
	s.ok("POST", "/v1/admin/catalog/"+ids["Cargo bike"]+"/archive", "")
	s.ok("PATCH", "/v1/admin/catalog/"+ids["Helmet"], `{"status":"inactive"}`)
	list := func(query string) (names []any) {
		a := s.call("GET", "/internal/catalog"+query, "").object()
		for _, row := range a["data"].([]any) {
			names = append(names, row.(map[string]any)["name"])
		}
		return append(names, at(a, "pagination", "total"))
	}
	require.Equal(t, map[string]any{
		"data": []any{map[string]any{"id": ids["Bike"], "name": "Bike", "internalName": "Bike",
			"status": "active", "taxonomyCategoryId": nil, "createdAt": when(noon)}},
		"pagination": map[string]any{"page": 1.0, "pageSize": 1.0, "total": 2.0, "totalPages": 2.0},
	}, s.ok("GET", "/internal/catalog?pageSize=1", ""))
	require.Equal(t, []any{"Bike", "Helmet", 2.0}, list(""))
	require.Equal(t, []any{"Cargo bike", 1.0}, list("?archive=archived"))
	require.Equal(t, []any{"Bike", "Cargo bike", 2.0}, list("?archive=all&search=BIKE"))
	require.Equal(t, []any{"Helmet", 1.0}, list("?status[]=inactive&status=draft"))
	require.Equal(t, []any{"Helmet", 2.0}, list("?page=2&pageSize=1"))
	s.refused(400, base.CodeInvalid, "GET", "/internal/catalog?archive=no&status=old&q=x", "", "query archive enum",
		"query status enum", "query q unknown")
	reader := s.newKey(s.account, engine.CreateKey{PublicID: "55555555", Scopes: []string{"catalog.listings.read"}})
	require.Equal(t, 200, s.call("GET", "/internal/catalog", "", "X-API-KEY", reader).status)
	require.Equal(t, 403, s.call("POST", "/v1/admin/catalog", `{"name":"x"}`, "X-API-KEY", reader).status)
	for _, c := range [][3]string{
		{"GET", "", ""}, {"PATCH", "", `{"name":"x"}`}, {"DELETE", "", ""}, {"POST", "/archive", ""},
		{"POST", "/unarchive", ""},
	} {
		s.call(c[0], "/v1/admin/catalog/"+ids["Bike"]+c[1], c[2], "X-API-KEY", s.other).
			isRefusal(404, base.CodeNotFound)
	}
	require.Empty(t, s.ok("GET", "/internal/catalog?archive=all", "", "X-API-KEY", s.other)["data"])
}

func TestTagsAndAttributesOfCatalogItems(t *testing.T) {
	s := newShop(t)
	summer, stock := s.tag("summer", "catalog"), s.tag("workshop", "inventory")
	s.ok("POST", "/v1/admin/attributes", `{"name":"Weight","key":"weight","format":"number"}`)
	i := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"Bike","tags":[%q],"attributes":{"weight":12.5}}`, summer))
	require.Equal(t, []any{"summer"}, tagValues(i))
	require.Equal(t, []any{"weight", 12.5, "catalog"},
		[]any{at(i, "attributes", 0, "key"), at(i, "attributes", 0, "value"), at(i, "attributes", 0, "origin")})
	path := "/v1/admin/catalog/" + i["id"].(string)
	require.Equal(t, "null", string(s.call("DELETE", path+"/tags?tagIds="+summer, "").body))
	require.Empty(t, s.ok("GET", path, "")["tags"])
	require.Equal(t, "summer", s.ok("GET", "/v1/admin/tags", "")["data"].([]any)[0].(map[string]any)["value"],
		"the tag itself stays")
	require.Equal(t, "null", string(s.call("DELETE", path+"/tags", fmt.Sprintf(`{"tagIds":[%q]}`, summer)).body),
		"not linked is no fault")
	require.Equal(t, []any{"summer"}, tagValues(s.ok("POST", path+"/tags", fmt.Sprintf(`{"tagIds":[%q]}`, summer))))
	s.refused(400, base.CodeInvalid, "POST", path+"/tags", fmt.Sprintf(`{"tagIds":[%q]}`, stock),
		"body /tagIds/0 scope")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/catalog", fmt.Sprintf(`{"name":"","tags":[%q]}`, stock),
		"body /name length", "body /tags/0 scope")
	s.refused(400, base.CodeInvalid, "DELETE", path+"/tags", "", "body /tagIds required")
	require.Equal(t, "null", string(s.call("DELETE", "/v1/admin/tags/"+summer, "").body))
	require.Empty(t, s.ok("GET", path, "")["tags"], "a deleted tag is taken off")
	require.Empty(t, s.ok("PATCH", path, `{"attributes":{"weight":null}}`)["attributes"])
}

func TestPricingTableOfACatalogItemTakesAScopeOfItsOwn(t *testing.T) {
	s := newShop(t)
	table, _ := s.pricingTable(`{"name":"Bikes"}`)
	lister := s.newKey(s.account, engine.CreateKey{PublicID: "77777777", Scopes: []string{"catalog.listings.write"}})
	both := s.newKey(s.account, engine.CreateKey{PublicID: "88888888", Scopes: []string{"catalog.write"}})
	denied := func(a *answer) {
		t.Helper()
		a.isRefusal(403, base.CodeDeniedFields)
		require.Equal(t,
			[]any{map[string]any{"fields": []any{"pricingTableId"},
				"requiredScopes": []any{"catalog.price_tables.write"}}}, at(a.object(), "details", "deniedFields"))
	}
	body := fmt.Sprintf(`{"name":"Bike","pricingTableId":%q}`, table)
	denied(s.call("POST", "/v1/admin/catalog", body, "X-API-KEY", lister))
	path := "/v1/admin/catalog/" + s.ok("POST", "/v1/admin/catalog", body, "X-API-KEY", both)["id"].(string)
	denied(s.call("PATCH", path, `{"name":"x","pricingTableId":null}`, "X-API-KEY", lister))
	require.Equal(t, table, s.ok("PATCH", path, `{"name":"x"}`, "X-API-KEY", lister)["pricingTableId"])
	require.Nil(t, s.ok("PATCH", path, `{"pricingTableId":null}`, "X-API-KEY", both)["pricingTableId"])
}
