package api

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file owns the tests of pricing tables over the interface.

const pricingTables = "/v1/admin/pricing-tables"

func (s *shop) pricingTable(body string) (id, path string) {
	s.Helper()
	id = s.ok("POST", pricingTables+"/pricing-table", body)["id"].(string)
	return id, pricingTables + "/pricing-table/" + id
}

func TestExternalPricingRow(t *testing.T) {
	s := newShop(t)
	id, path := s.pricingTable(`{"name":"Bikes"}`)
	a := s.call("POST", path+"/external-pricing-row",
		`{"label":"Book at our partner","url":"https://example.com/b?x=1"}`)
	r := a.object()
	require.Equal(t, 200, a.status, "stored also while external pricing is off")
	require.Equal(t, map[string]any{"id": r["id"], "pricingTableId": id, "label": "Book at our partner",
		"url": "https://example.com/b?x=1"}, r, "no other properties")
	require.Equal(t, `"1"`, a.header["Etag"])
	row := path + "/external-pricing-row/" + r["id"].(string)
	p := s.ok("PATCH", row, `{"translatedLabel":"Reservar","url":"http://example.com"}`, "If-Match", a.header["Etag"])
	require.Equal(t, map[string]any{"id": r["id"], "pricingTableId": id, "label": "Book at our partner",
		"translatedLabel": "Reservar", "url": "http://example.com"}, p)
	s.call("PATCH", row, `{"label":"x"}`, "If-Match", a.header["Etag"]).isRefusal(412, base.CodePrecondition)
	require.Empty(t, s.ok("GET", path, "")["externalPricingRows"], "hidden while external pricing is off")
	require.Equal(t, []any{p}, s.ok("PATCH", path, `{"externalPricingEnabled":true}`)["externalPricingRows"])
	require.Equal(t, []any{p}, s.ok("GET", path, "")["externalPricingRows"])
	require.NotContains(t, s.ok("PATCH", row, `{"translatedLabel":null}`), "translatedLabel")

	s.refused(400, base.CodeInvalid, "POST", path+"/external-pricing-row",
		`{"label":"","url":"/book","translatedLabel":"x"}`,
		"body /label length", "body /translatedLabel unknown", "body /url format")
	s.refused(400, base.CodeInvalid, "POST", path+"/external-pricing-row", "", "body /label required",
		"body /url required")
	s.refused(400, base.CodeInvalid, "POST", pricingTables+"/pricing-table/7/external-pricing-row",
		`{"label":"x","url":"https://example.com"}`, "path pricingTableId format")
	s.refused(404, base.CodeNotFound, "POST", pricingTables+"/pricing-table/"+r["id"].(string)+"/external-pricing-row",
		`{"label":"x","url":"https://example.com"}`)
	require.Equal(t, "null", string(s.call("DELETE", row, "").body))
	s.refused(404, base.CodeNotFound, "DELETE", row, "")
}

func TestScopesOfPricing(t *testing.T) {
	s := newShop(t)
	_, path := s.pricingTable(`{"name":"Bikes"}`)
	keys := map[string]string{}
	for i, scope := range []string{"catalog.listings.write", "catalog.price_tables.write", "catalog.price_tables.read",
		"catalog.discounts.write"} {
		keys[scope] = s.newKey(s.account,
			engine.CreateKey{PublicID: "4444444" + string(rune('1'+i)), Scopes: []string{scope}})
	}
	try := func(scope, method, path, body string) int {
		return s.call(method, path, body, "X-API-KEY", keys[scope]).status
	}
	const row = `{"label":"x","url":"https://example.com"}`
	require.Equal(t, 200, try("catalog.listings.write", "POST", path+"/external-pricing-row", row))
	require.Equal(t, 200, try("catalog.price_tables.write", "POST", path+"/external-pricing-row", row))
	require.Equal(t, 403, try("catalog.price_tables.read", "POST", path+"/external-pricing-row", row))
	require.Equal(t, 403, try("catalog.discounts.write", "POST", path+"/external-pricing-row", row))
	require.Equal(t, 403, try("catalog.listings.write", "PATCH", path, `{"name":"y"}`))
	require.Equal(t, 200, try("catalog.price_tables.read", "GET", path, ""))
	require.Equal(t, 403, try("catalog.listings.write", "GET", path, ""))
	denied := s.call("POST", path+"/external-pricing-row", row, "X-API-KEY", keys["catalog.discounts.write"])
	require.Equal(t, []any{"catalog.listings.write", "catalog.price_tables.write"},
		at(denied.object(), "details", "requiredScopes"))
}

// What the document allows of the smallest unit is what is taken, and not one more.
func TestLengthsOfTimeHaveTenYearsAtMost(t *testing.T) {
	s := newShop(t)
	_, path := s.pricingTable(`{"name":"Bikes"}`)
	row := func(amount int64) string {
		return fmt.Sprintf(`{"label":"Long","purchaseType":"subscription","price":1,"subscription":{
			"paymentCycleAmount":%[1]d,"paymentCycleUnit":"seconds",
			"commitmentPeriodAmount":%[1]d,"commitmentPeriodUnit":"seconds",
			"cancellationLeadTimeAmount":%[1]d,"cancellationLeadTimeUnit":"seconds"}}`, amount)
	}
	of := at(theDocument(t).root, "components", "schemas", "SubscriptionTermsInput", "properties",
		"cancellationLeadTimeAmount", "maximum")
	most, err := of.(json.Number).Int64()
	require.NoError(t, err)
	s.ok("POST", path+"/pricing-row", row(most))
	s.refused(400, base.CodeInvalid, "POST", path+"/pricing-row", row(most+1),
		"body /subscription/paymentCycleAmount range", "body /subscription/commitmentPeriodAmount range",
		"body /subscription/cancellationLeadTimeAmount range")
}

func TestPricingTableFromCreationToEnd(t *testing.T) {
	s := newShop(t)
	id, path := s.pricingTable(`{"name":"Bikes","externalPricingEnabled":true}`)
	day := s.ok("POST", path+"/pricing-row",
		`{"label":"A day","purchaseType":"booking","price":2500,"durationAmount":1,"durationUnit":"days"}`)
	require.Equal(t, map[string]any{
		"id": day["id"], "pricingTableId": id, "label": "A day", "purchaseType": "booking", "price": 2500.0,
		"currency": "EUR", "durationAmount": 1.0, "durationUnit": "days",
		"subscription": nil, "retiredAt": nil, "createdAt": when(noon), "updatedAt": when(noon),
	}, day)
	plan := s.ok("POST", path+"/pricing-row",
		`{"label":"Plan","purchaseType":"subscription","price":900,"subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"months","commitmentCycles":12,"cancellationLeadTimeAmount":2,"cancellationLeadTimeUnit":"weeks"}}`)
	require.Equal(t, map[string]any{
		"paymentCycleAmount": 1.0, "paymentCycleUnit": "months", "renewalPrice": nil, "commitmentCycles": 12.0,
		"commitmentPeriodAmount": nil,
		"commitmentPeriodUnit":   nil, "cancellationLeadTimeAmount": 2.0, "cancellationLeadTimeUnit": "weeks",
		"renewalType": "none", "initialChargeType": "order_creation",
	}, plan["subscription"])
	table := s.call("GET", path, "")
	require.Equal(t, []any{day, plan}, table.object()["pricingRows"])
	require.Equal(t, `"3"`, table.header["Etag"])
	require.Equal(t, 304, s.call("GET", path, "", "If-None-Match", `"3"`).status)
	list := s.ok("GET", path+"/pricing-row?page=2&pageSize=1", "")
	require.Equal(t, []any{plan}, list["data"])
	require.Equal(t, table.object(), at(s.ok("GET", pricingTables, ""), "data", 0))

	s.clock.Add(1000)
	terms := path + "/pricing-row/" + plan["id"].(string)
	merged := s.ok("PATCH", terms,
		`{"subscription":{"commitmentCycles":null,"paymentCycleAmount":3,"renewalType":"each_year"}}`)
	require.Equal(t, map[string]any{
		"paymentCycleAmount": 3.0, "paymentCycleUnit": "months", "renewalPrice": nil, "commitmentCycles": nil,
		"commitmentPeriodAmount": nil,
		"commitmentPeriodUnit":   nil, "cancellationLeadTimeAmount": 2.0, "cancellationLeadTimeUnit": "weeks",
		"renewalType": "each_year", "initialChargeType": "order_creation",
	}, merged["subscription"])
	s.refused(400, base.CodeInvalid, "PATCH", terms, `{"subscription":{"paymentCycleUnit":null}}`,
		"body /subscription/paymentCycleUnit required", "body /subscription/paymentCycleAmount required")
	s.refused(400, base.CodeInvalid, "PATCH", terms, `{"subscription":{"commitmentPeriodAmount":1}}`,
		"body /subscription/commitmentPeriodAmount required")
	same := s.call("PATCH", terms, `{"label":"Plan","subscription":{"paymentCycleAmount":3}}`)
	require.Equal(t, []any{merged, `"2"`}, []any{same.object(), same.header["Etag"]}, "nothing was changed")

	row := path + "/pricing-row/" + day["id"].(string)
	require.Equal(t, day, s.ok("GET", row, ""))
	p := s.ok("PATCH", row, `{"price":3000,"durationUnit":null}`)
	require.Equal(t, []any{3000.0, nil, nil, when(noon + 1000)},
		[]any{p["price"], p["durationAmount"], p["durationUnit"], p["updatedAt"]})
	require.Equal(t, 200, s.call("GET", path, "", "If-None-Match", `"3"`).status, "a changed row is a changed table")
	s.refused(400, base.CodeInvalid, "PATCH", row,
		`{"subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"months"}}`, "body /subscription forbidden")
	s.refused(400, base.CodeInvalid, "POST", path+"/pricing-row",
		`{"label":"x","purchaseType":"lease","price":-1,"durationAmount":0,"subscription":{"paymentCycleUnit":"fortnights","commitmentPeriodUnit":"days","renewalPrice":1.5}}`,
		"body /purchaseType enum", "body /price range", "body /durationAmount range",
		"body /subscription/paymentCycleUnit enum",
		"body /subscription/renewalPrice type", "body /subscription/paymentCycleAmount required",
		"body /durationUnit required",
		"body /subscription/commitmentPeriodAmount required")
	require.Equal(t, "null", string(s.call("DELETE", row, "").body))
	s.refused(404, base.CodeNotFound, "GET", row, "")
	s.refused(404, base.CodeNotFound, "GET", path+"/pricing-row/"+id, "")
	s.refused(405, base.CodeMethodNotAllowed, "DELETE", path+"/pricing-row", "")
	require.Equal(t, false, s.ok("PATCH", path, `{"externalPricingEnabled":false}`)["externalPricingEnabled"])
	s.call("DELETE", path, "", "If-Match", `"3"`).isRefusal(412, base.CodePrecondition)
	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	s.refused(404, base.CodeNotFound, "GET", path, "")
}

func TestPricingOfAnotherAccountIsNobodys(t *testing.T) {
	s := newShop(t)
	_, path := s.pricingTable(`{"name":"Bikes"}`)
	row := path + "/pricing-row/" +
		s.ok("POST", path+"/pricing-row", `{"label":"Buy","purchaseType":"sale","price":1}`)["id"].(string)
	button := path + "/external-pricing-row/" +
		s.ok("POST", path+"/external-pricing-row", `{"label":"x","url":"https://example.com"}`)["id"].(string)
	for _, c := range []struct{ method, path, body string }{
		{"GET", path, ""}, {"PATCH", path, `{"name":"x"}`}, {"DELETE", path, ""},
		{"GET", path + "/pricing-row", ""},
		{"POST", path + "/pricing-row", `{"label":"Buy","purchaseType":"sale","price":1}`},
		{"GET", row, ""}, {"PATCH", row, `{"price":2}`}, {"DELETE", row, ""},
		{"POST", path + "/external-pricing-row", `{"label":"x","url":"https://example.com"}`},
		{"PATCH", button, `{"label":"y"}`}, {"DELETE", button, ""},
	} {
		s.call(c.method, c.path, c.body, "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
	}
	require.Empty(t, s.ok("GET", pricingTables, "", "X-API-KEY", s.other)["data"])
}

// What hangs on a member that could not be read is not called a fault beside it.
func TestOneFaultIsNamedOnce(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	_, table := s.pricingTable(`{"name":"Bikes"}`)
	rows := table + "/pricing-row"
	row := s.ok("POST", rows, `{"label":"Day","purchaseType":"booking","price":1,"durationAmount":1,"durationUnit":"days"}`)
	for unit, code := range map[string]string{``: "required", `,"paymentCycleUnit":"nope"`: "enum",
		`,"paymentCycleUnit":7`: "type"} {
		s.refused(400, base.CodeInvalid, "POST", rows,
			`{"label":"s","purchaseType":"subscription","price":1,"subscription":{"paymentCycleAmount":5`+unit+`}}`,
			"body /subscription/paymentCycleUnit "+code)
	}
	s.refused(400, base.CodeInvalid, "PATCH", rows+"/"+row["id"].(string),
		`{"durationAmount":3,"durationUnit":"nope"}`, "body /durationUnit enum")
	quote := func(members string) string {
		return fmt.Sprintf(`{"pickupLocationId":%q,"lineItems":[{"skuId":%q,"unitPrice":4,%s}]}`, location, sku, members)
	}
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/quotes", quote(`"purchaseType":"Sale"`),
		"body /lineItems/0/purchaseType enum")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/quotes",
		quote(`"purchaseType":"Subscription","startDate":"2027-01-01T00:00:00Z","subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"months"}`),
		"body /lineItems/0/purchaseType enum")
}
