package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns the stories of what orders cost and how they are found: codes, payments, subscriptions, lists.

func TestOrderList(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	tags := make([]string, 2)
	for i := range tags {
		tags[i] = s.ok("POST", "/v1/admin/tags", fmt.Sprintf(`{"value":"t%d","scope":"orders"}`, i))["id"].(string)
	}
	customer := s.ok("POST", "/v1/admin/customers", `{"firstName":"Zoë","email":"zoe@example.com"}`)["id"].(string)
	make := func(status string, from int64, more string) string {
		s.clock.Add(1000)
		return s.ok("POST", ordersPath, rental(status, location, sku, from, from+day, 1, more))["id"].(string)
	}
	a := make("draft", noon+day, `,"reference":"WEB-77"`)
	b := make("open", noon+5*day, `,"customerId":"`+customer+`","tags":["`+tags[0]+`"]`)
	c := make("open", noon+5*day, `,"note":"ring twice","tags":["`+tags[1]+`","`+tags[0]+`"]`)
	d := make("draft", noon+9*day, `,"customers":[{"firstName":"Paul"}]`)
	s.ok("POST", ordersPath+"/"+d+"/cancel", "")
	s.ok("POST", ordersPath+"/"+d+"/archive", "")
	sale := s.ok("POST", ordersPath,
		fmt.Sprintf(`{"pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"sale","startDate":%q,"name":"Sold bell"}]}`, location, sku, when(noon-day)))["id"].(string)

	found := func(query string, want ...string) {
		t.Helper()
		res := s.ok("GET", ordersPath+"?"+query, "")
		var got []string
		for _, o := range listOf(res["data"]) {
			got = append(got, at(o, "id").(string))
		}
		require.Equal(t, want, got, query)
		if !strings.Contains(query, "pageSize") {
			require.Equal(t, float64(len(want)), at(res, "pagination", "total"), query)
		}
	}
	found("", a, b, c, sale)
	found("direction=desc", sale, c, b, a)
	found("archive=all", a, b, c, d, sale)
	found("archive=all&direction=desc", sale, d, c, b, a)
	found("archive=archived", d)
	found("archive=all&pageSize=2&page=2", c, d)
	found("archive=all&pageSize=2&page=2&direction=desc", c, b)
	found("archive=all&pageSize=2&page=9")
	found("status=open", b, c)
	found("status=open&status=closed&archive=all", b, c, d)
	found("dateRange[from]="+when(noon+5*day+hour)+"&dateRange[to]="+when(noon+5*day+hour), b, c)
	found("dateRange[from]="+when(noon+2*day)+"&dateRange[to]="+when(noon+5*day), []string(nil)...)
	found("dateRange[from]="+when(noon-2*day)+"&dateRange[to]="+when(noon), sale)
	found("createdAt[from]="+when(noon+1000)+"&createdAt[to]="+when(noon+2000), a, b)
	found("customerId="+customer, b)
	found("customerId="+nobodyID, []string(nil)...)
	found("tagIds="+tags[0], b, c)
	found("tagIds="+tags[0]+"&tagIds="+tags[1], b, c)
	found("tagIds="+tags[0]+"&tagIds="+tags[1]+"&direction=desc", c, b)
	found("tagIds="+tags[1], c)
	found("tagIds=none", []string(nil)...)
	found("number=2", b)
	found("number=99", []string(nil)...)
	found("number=2&status=draft", []string(nil)...)
	for search, want := range map[string][]string{
		"web-7": {a}, "ZOË": {b}, "zoe@": {b}, "TWICE": {c}, "bell": {sale}, "bike": {a, b, c}, "3": {c},
		"nothing": nil,
	} {
		found("search="+search, want...)
	}
	found("search=paul&archive=all", d)
	found("fulfillmentState=cancelled&archive=all", d)
	found("channel=online", []string(nil)...)
	found("pickupLocationId="+location+"&sort=earliestStartDate", sale, a, b, c)
	found("returnLocationId="+nobodyID, []string(nil)...)
	found("hasConflicts=true", []string(nil)...)
	found("hasConflicts=false&sort=number&direction=desc", sale, c, b, a)
	found("late=pickup&late=return", []string(nil)...)
	found("pickupDue[from]="+when(noon+5*day)+"&pickupDue[to]="+when(noon+6*day), b, c)
	found("latestEndDate[from]="+when(noon)+"&latestEndDate[to]="+when(noon+4*day), a)

	s.refused(400, base.CodeInvalid, "GET",
		ordersPath+"?status=gone&number=0&archive=x&direction=up&customerId=x&createdAt[from]="+when(noon)+
			"&createdAt[to]="+when(noon-1)+"&dateRange[from]="+when(noon)+"&colour=1", "",
		"query status enum", "query dateRange[to] required", "query customerId format", "query number range",
		"query archive enum", "query direction enum", "query colour unknown",
		"query createdAt[to] order")
	s.refused(400, base.CodeInvalid, "GET",
		ordersPath+"?late=x&fulfillmentState=x&channel=x&hasConflicts=x&sort=x&pickupLocationId=x&returnDue[from]="+
			when(noon)+"&returnDue[to]="+when(noon-1), "",
		"query fulfillmentState enum", "query hasConflicts type", "query late enum", "query channel enum",
		"query pickupLocationId format", "query sort enum", "query returnDue[to] order")
}

// A page of a long list costs what a page costs.
func TestOrderListRendersItsPage(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	for range 60 {
		s.ok("POST", ordersPath, rental("draft", location, sku, noon+day, noon+2*day, 1, ""))
	}
	res := s.ok("GET", ordersPath+"?search=bike&pageSize=7&page=2&direction=desc", "")
	require.Len(t, res["data"], 7)
	require.Equal(t, []any{60.0, 53.0}, []any{at(res, "pagination", "total"), at(res, "data", 0, "number")})
	view, _ := s.eng.View(s.account)
	list, total := order.ListOrders(view, &order.OrderQuery{Active: true, Search: "BIKE", Offset: 10, Limit: 5})
	require.Equal(t, []int{5, 60}, []int{len(list), total}, "rows, not records")
}

func TestDiscountsOnOrders(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	code := s.ok("POST", discountCodes,
		`{"code":"Summer","valueType":"percentage","value":15,"usageLimit":1}`)["id"].(string)
	used := func() any { return s.ok("GET", discountCodes+"/"+code, "")["usedCount"] }
	body := fmt.Sprintf(
		`{"pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"sale","unitPrice":333,"quantity":1},{"skuId":%[2]q,"purchaseType":"sale","unitPrice":334,"taxRate":1000}]}`, location, sku)
	o := s.ok("POST", ordersPath, body)
	path := ordersPath + "/" + o["id"].(string) + "/discount-codes"
	brief := map[string]any{"id": code, "code": "Summer", "valueType": "percentage", "value": 15.0,
		"applicablePurchaseTypes": []any{"booking", "sale", "subscription"}}
	lines := []any{at(o, "lineItems", 0, "id"), at(o, "lineItems", 1, "id")}
	allocations := []any{map[string]any{"itemId": lines[0], "value": 50.0},
		map[string]any{"itemId": lines[1], "value": 50.0}}

	trial := s.ok("POST", path+"/validate", `{"code":"SUMMER"}`)
	require.Equal(t, map[string]any{"valid": true, "reason": nil, "code": brief, "appliedValue": 100.0,
		"allocations": allocations}, trial["result"])
	require.Zero(t, used())
	res := s.ok("POST", path, `{"code":"sUMMER"}`)
	require.Equal(t, map[string]any{"valid": true, "code": brief, "appliedValue": 100.0, "allocations": allocations},
		res["result"])
	require.Equal(t, []any{667.0, 100.0, 28.0, 595.0}, []any{
		at(res, "order", "pricing", "subtotal"), at(res, "order", "pricing", "totalDiscounts"),
		at(res, "order", "pricing", "totalTaxes"), at(res, "order", "pricing", "total"),
	})
	require.Equal(t, 50.0, at(res, "order", "lineItems", 0, "pricing", "totalDiscounts"))
	require.Equal(t, []any{"Summer", 100.0}, []any{at(res, "order", "pricing", "discountCodes", 0, "code"),
		at(res, "order", "pricing", "discountCodes", 0, "appliedValue")})
	require.Equal(t, res["order"], s.ok("GET", strings.TrimSuffix(path, "/discount-codes"), ""))
	require.Equal(t, 1.0, used())

	// What is refused uses nothing, and a trial says why.
	for text, want := range map[string]base.Code{"summer": base.CodeDiscountApplied,
		"winter": base.CodeDiscountNotFound} {
		s.refused(422, want, "POST", path, fmt.Sprintf(`{"code":%q}`, text))
		r := s.ok("POST", path+"/validate", fmt.Sprintf(`{"code":%q}`, text))["result"]
		require.Equal(t, []any{false, string(want), 0.0, []any{}},
			[]any{at(r, "valid"), at(r, "reason"), at(r, "appliedValue"), at(r, "allocations")})
	}
	second := ordersPath + "/" + s.ok("POST", ordersPath, body)["id"].(string) + "/discount-codes"
	s.refused(422, base.CodeDiscountUsageLimit, "POST", second, `{"code":"summer"}`)
	require.Equal(t, 1.0, used())
	s.refused(400, base.CodeInvalid, "POST", path, `{"code":""}`, "body /code length")
	s.refused(404, base.CodeNotFound, "POST", ordersPath+"/"+nobodyID+"/discount-codes/validate", `{"code":"x"}`)

	// Taken off, its use is there for another; a repeat under an idempotency key counts once.
	s.ok("DELETE", path+"/SUMMER", "")
	s.refused(404, base.CodeNotFound, "DELETE", path+"/SUMMER", "")
	require.Zero(t, used())
	first := s.call("POST", second, `{"code":"summer"}`, "Idempotency-Key", "k")
	again := s.call("POST", second, `{"code":"summer"}`, "Idempotency-Key", "k")
	require.Equal(t, "true", again.header["Idempotent-Replayed"])
	require.JSONEq(t, string(first.body), string(again.body))
	require.Equal(t, 1.0, used())
	s.ok("DELETE", strings.TrimSuffix(second, "/discount-codes"), "")
	require.Zero(t, used())
	cancelled := s.ok("POST", ordersPath, body)["id"].(string)
	s.ok("POST", ordersPath+"/"+cancelled+"/cancel", "")
	s.refused(409, base.CodeStateNotAllowed, "POST", ordersPath+"/"+cancelled+"/discount-codes", `{"code":"summer"}`)
	s.refused(409, base.CodeStateNotAllowed, "POST", ordersPath+"/"+cancelled+"/discount-codes/validate",
		`{"code":"summer"}`)
}

func TestPaymentsAndComments(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	o := s.ok("POST", ordersPath, rental("draft", location, sku, noon+day, noon+2*day, 1, ""))
	path, line := ordersPath+"/"+o["id"].(string), at(o, "lineItems", 0, "id").(string)
	for i, kind := range []string{"capture", "refund", "deposit_capture", "deposit_refund", "deposit_authorise",
		"deposit_cancel"} {
		s.ok("POST", path+"/payments", fmt.Sprintf(`{"kind":%q,"amount":%d,"lineItemId":%q}`, kind, 10*(6-i), line))
	}
	o = s.ok("POST", path+"/payments",
		`{"kind":"capture","amount":5,"at":"2025-05-01T00:00:00Z","reference":"pi_1","method":"card"}`)
	for i, name := range []string{"capturedTotal", "refundedTotal", "depositCapturedTotal", "depositRefundedTotal",
		"depositAuthorisedTotal", "depositCancelledTotal"} {
		require.Equal(t, float64(10*(6-i)), at(o, "lineItems", 0, name), name)
		if i > 0 {
			require.Equal(t, float64(10*(6-i)), o[name], name)
		}
	}
	require.Equal(t, 65.0, o["capturedTotal"])
	s.refused(400, base.CodeInvalid, "POST", path+"/payments", `{"kind":"refund","amount":16}`, "body /amount range")
	s.refused(400, base.CodeInvalid, "POST", path+"/payments", `{"kind":"refund","amount":16,"reference":""}`,
		"body /reference length", "body /amount range")
	list := s.ok("GET", path+"/payments?page=4&pageSize=2", "")
	require.Equal(t, []any{7.0, "capture", 5.0, nil, "2025-05-01T00:00:00.000Z"}, []any{
		at(list, "pagination", "total"), at(list, "data", 0, "kind"), at(list, "data", 0, "amount"),
		at(list, "data", 0, "lineItemId"), at(list, "data", 0, "at"),
	})
	s.refused(400, base.CodeInvalid, "POST", path+"/payments", `{"kind":"tip","amount":0}`, "body /kind enum",
		"body /amount range")
	s.refused(400, base.CodeInvalid, "POST", path+"/payments", `{"kind":"refund","amount":1,"reference":"","method":7}`,
		"body /reference length", "body /method type")
	s.refused(404, base.CodeNotFound, "POST", path+"/payments",
		`{"kind":"capture","amount":1,"lineItemId":"`+nobodyID+`"}`)

	o = s.ok("PATCH", path, `{"paymentMethodKey":"CARD_ONLINE_PROVIDER","hasSavedPaymentMethod":true,"savedCard":{"brand":"visa","last4":"4242"},
		"customPaymentMethod":{"id":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","label":"Invoice","key":"invoice"}}`)
	require.Equal(t, []any{"CARD_ONLINE_PROVIDER", true, map[string]any{"brand": "visa", "last4": "4242"}, "Invoice"},
		[]any{
			o["paymentMethodKey"], o["hasSavedPaymentMethod"], o["savedCard"], at(o, "customPaymentMethod", "label"),
		})
	o = s.ok("PATCH", path,
		`{"paymentMethodKey":null,"hasSavedPaymentMethod":null,"savedCard":null,"customPaymentMethod":null}`)
	require.Equal(t, []any{nil, false, nil, nil},
		[]any{o["paymentMethodKey"], o["hasSavedPaymentMethod"], o["savedCard"], o["customPaymentMethod"]})

	o = s.ok("POST", path+"/comments", `{"content":"First"}`)
	first := at(o, "comments", 0, "id").(string)
	require.Equal(t, []any{"system", nil, nil, nil}, []any{at(o, "comments", 0, "authorType"),
		at(o, "comments", 0, "author"), at(o, "comments", 0, "authorId"), at(o, "comments", 0, "parentCommentId")})
	o = s.ok("POST", path+"/comments",
		fmt.Sprintf(`{"content":"Second","parentCommentId":%q,"author":{"id":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","name":"Rui"}}`, first))
	require.Equal(t, []any{"user", "Rui", "0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e", first}, []any{
		at(o, "comments", 1, "authorType"), at(o, "comments", 1, "author", "name"), at(o, "comments", 1, "authorId"),
		at(o, "comments", 1, "parentCommentId"),
	})
	s.refused(404, base.CodeNotFound, "POST", path+"/comments", `{"content":"x","parentCommentId":"`+nobodyID+`"}`)
	s.refused(400, base.CodeInvalid, "POST", path+"/comments", `{"content":"","author":{"id":"x","name":""}}`,
		"body /content length", "body /author/id format", "body /author/name length")
}

// A key that may record payments, and not read orders, is told of the order all but what tells of persons.
func TestKeyOfPaymentsIsToldNothingOfPersons(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	fields := `"checkoutFields":[{"name":"Body height","type":"number","value":172}]`
	ann := s.ok("POST", "/v1/admin/customers", `{"firstName":"Ann","taxId":"PT1"}`)["id"]
	o := s.ok("POST", ordersPath, fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"reference":"WEB-7","note":"Ann",%s,
		"customerId":%q,"customers":[{"crmCustomerId":%[3]q,%[2]s}],"assignedTo":{"id":%[3]q,"name":"Rui"},"consentAcceptances":[{"label":"Terms"}],
		"documents":[{"type":"invoice","name":"Ann"}],"lineItems":[{"skuId":%[4]q,"purchaseType":"booking",
		"startDate":%q,"endDate":%q,"unitPrice":5000,"note":"Ann",%[2]s}]}`, location, fields, ann, sku, when(noon),
		when(noon+day)))
	path := ordersPath + "/" + o["id"].(string)
	s.ok("POST", path+"/comments", `{"content":"Ann rang"}`)
	s.ok("PATCH", path, `{"savedCard":{"brand":"visa","last4":"4242"}}`)
	key := s.newKey(s.account, engine.CreateKey{PublicID: "payments", Scopes: []string{"orders.payments.write"}})
	pay := func(key string) *answer {
		return s.call("POST", path+"/payments", `{"kind":"capture","amount":1500}`, "X-API-KEY", key,
			"Idempotency-Key", "pay")
	}
	got := pay(key).object()
	require.Equal(t, got, pay(key).object(), "a repeat tells no more")
	require.Equal(t, s.ok("GET", path, ""), pay(s.key).object(), "a repeat tells a key what it may read")

	want := s.ok("GET", path, "")
	require.Equal(t, float64(1500), want["capturedTotal"])
	line := at(want, "lineItems", 0).(tree)
	for _, member := range []string{"mainContact", "assignedTo", "note"} {
		require.NotNil(t, want[member], member)
		want[member] = nil
	}
	for _, member := range []string{"customers", "checkoutFields", "consentAcceptances", "documents", "comments"} {
		require.NotEmpty(t, want[member], member)
		want[member] = []any{}
	}
	require.NotNil(t, line["orderCustomerId"])
	require.NotEmpty(t, line["checkoutFields"])
	line["orderCustomerId"], line["note"], line["checkoutFields"] = nil, nil, []any{}
	require.Equal(t, want, got)
	s.call("GET", path, "", "X-API-KEY", key).isRefusal(403, base.CodeMissingScope)
}

func TestSubscriptions(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	s.ok("POST", discountCodes,
		`{"code":"three","valueType":"percentage","value":50,"subscriptionDuration":"repeating","subscriptionDurationCycles":3}`)
	subscribe := func(status string) map[string]any {
		return s.ok("POST", ordersPath, fmt.Sprintf(`{"status":%q,"pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"subscription","startDate":%q,"unitPrice":4000,"taxRate":1000,
			"subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"months","renewalPrice":3000,"commitmentCycles":2,"cancellationLeadTimeAmount":14,"cancellationLeadTimeUnit":"days"}}]}`,
			status, location, sku, when(noon)))
	}
	o := subscribe("draft")
	require.Nil(t, at(o, "lineItems", 0, "subscription", "nextBillingAt"), "it has not begun")
	path := ordersPath + "/" + o["id"].(string)
	s.ok("POST", path+"/discount-codes", `{"code":"three"}`)
	o = s.ok("POST", path+"/confirm", "")
	line := at(o, "lineItems", 0).(map[string]any)
	require.Equal(t, map[string]any{
		"id": at(line, "subscription", "id"), "orderLineItemId": line["id"], "label": nil, "price": 4000.0,
		"renewalPrice": 3000.0, "commitmentCycles": 2.0,
		"paymentCycleAmount": 1.0, "paymentCycleUnit": "months", "commitmentPeriodAmount": nil,
		"commitmentPeriodUnit": nil, "cancellationLeadTimeAmount": 14.0,
		"cancellationLeadTimeUnit": "days", "initialChargeType": "order_creation", "renewalType": "none",
		"collectionMethod": "charge_automatically", "status": "active",
		"nextBillingAt": "2025-07-01T12:00:00.000Z", "cancelAt": nil, "cancelledAt": nil,
	}, line["subscription"])
	require.Equal(t, []any{map[string]any{
		"code": "three", "valueType": "percentage", "value": 50.0, "subscriptionDuration": "repeating",
		"subscriptionDurationCycles": 3.0, "firstDiscountedCycleIndex": 0.0,
		"discountCodeId": at(o, "pricing", "discountCodes", 0, "id"), "discountPeriodTo": "2025-09-01T12:00:00.000Z",
	}}, line["subscriptionDiscounts"])
	item := func(amount float64, date string) map[string]any {
		return map[string]any{
			"productName": "Bike", "planLabel": nil, "listPrice": 4000.0, "paymentCycleUnit": "months",
			"paymentCycleAmount": 1.0,
			"discounts":          []any{map[string]any{"code": "three", "valueType": "percentage", "value": 50.0}},
			"nextPayment":        map[string]any{"amount": amount, "date": date},
			"minimumTerm": map[string]any{"periodAmount": 2.0, "periodUnit": "months",
				"endDate": "2025-08-01T12:00:00.000Z"},
			"renewal":            map[string]any{"price": 3000.0, "fromDate": "2025-08-01T12:00:00.000Z"},
			"endsAt":             nil,
			"cancellationNotice": map[string]any{"amount": 14.0, "unit": "days"},
		}
	}
	require.Equal(t, map[string]any{"hasSubscriptions": true, "currency": "EUR",
		"items": []any{item(2200, "2025-07-01T12:00:00.000Z")}}, o["subscriptionData"])

	// A commitment of more years than there are has no end.
	bound := s.ok("POST", ordersPath, fmt.Sprintf(`{"pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"subscription","startDate":%q,"unitPrice":4000,
		"subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"years","commitmentCycles":10000}}]}`,
		location, sku, when(noon)))
	require.Equal(t, map[string]any{"periodAmount": 10000.0, "periodUnit": "years", "endDate": nil},
		at(bound, "subscriptionData", "items", 0, "minimumTerm"))
	s.ok("DELETE", ordersPath+"/"+bound["id"].(string), "")

	// The months go by: the price of the renewal, then the full one.
	for _, c := range []struct {
		clock  string
		amount float64
		next   string
	}{{"2025-07-01T12:00:00Z", 1650, "2025-08-01T12:00:00.000Z"},
		{"2025-08-15T00:00:00Z", 3300, "2025-09-01T12:00:00.000Z"}} {
		s.clock.Store(instantOf(t, c.clock))
		require.NoError(t, s.eng.Tick(t.Context()))
		require.Equal(t, []any{item(c.amount, c.next)}, at(s.ok("GET", path, ""), "subscriptionData", "items"), c.clock)
	}

	id := at(line, "subscription", "id").(string)
	one := s.ok("GET", "/v1/admin/subscriptions/"+id, "")
	require.Equal(t, []any{o["id"], 1.0, nil, "Bike", 1.0, "active", line["id"]}, []any{
		one["orderId"], one["orderNumber"], one["customerId"], one["productName"], one["quantity"], one["status"],
		one["orderLineItemId"],
	})
	other := at(subscribe("draft"), "lineItems", 0, "subscription", "id").(string)
	require.Equal(t, 2.0, at(s.ok("GET", "/v1/admin/subscriptions", ""), "pagination", "total"))
	a := s.refused(409, base.CodeStateNotAllowed, "POST", "/v1/admin/subscriptions/"+other+"/cancel", "")
	require.Equal(t, map[string]any{"state": "draft", "allowed": []any{}}, at(a.object(), "details"))
	for status, wanted := range map[string]float64{"active": 1, "draft": 1} {
		require.Equal(t, wanted, at(s.ok("GET", "/v1/admin/subscriptions?status="+status, ""), "pagination", "total"),
			status)
	}

	// Cancelled at the end, it keeps its unit until then.
	o = s.ok("POST", "/v1/admin/subscriptions/"+id+"/cancel", `{"atEnd":true}`)
	require.Equal(t, []any{"cancelling", "2025-09-01T12:00:00.000Z", nil}, []any{
		at(o, "lineItems", 0, "subscription", "status"), at(o, "lineItems", 0, "subscription", "cancelAt"),
		at(o, "lineItems", 0, "subscription", "nextBillingAt"),
	})
	require.Equal(t, "2025-09-01T12:00:00.000Z", at(o, "subscriptionData", "items", 0, "endsAt"))
	require.Equal(t, 1.0, at(s.ok("GET", "/v1/admin/subscriptions?status=cancelling", ""), "pagination", "total"))
	end := instantOf(t, "2025-09-01T12:00:00Z")
	require.Equal(t, 1.0, s.available("sku", sku, location, end-hour, end))
	require.Equal(t, 2.0, s.available("sku", sku, location, end+3*hour, end+4*hour))
	o = s.ok("POST", "/v1/admin/subscriptions/"+id+"/cancel", "")
	require.Equal(t, "cancelled", at(o, "lineItems", 0, "subscription", "status"))
	require.Equal(t, 2.0, s.available("sku", sku, location, end-3*hour, end))
	s.refused(409, base.CodeStateNotAllowed, "POST", "/v1/admin/subscriptions/"+id+"/cancel", "")
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/subscriptions/"+nobodyID+"/cancel", "")
}

func TestAnAmountForAnOrderIsTakenOffLaterPayments(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	s.ok("POST", discountCodes,
		`{"code":"fifty","valueType":"fixed_per_order","value":51,"subscriptionDuration":"forever"}`)
	line := func(price, renewal int64) string {
		return fmt.Sprintf(`{"skuId":%q,"purchaseType":"subscription","startDate":%q,"unitPrice":%d,"subscription":{"paymentCycleAmount":1,"paymentCycleUnit":"months","renewalPrice":%d}}`,
			sku, when(noon), price, renewal)
	}
	buys := func(lines string) string {
		return fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"discountCodes":["fifty"],"lineItems":[%s]}`,
			location, lines)
	}
	for _, c := range []struct {
		lines string
		next  []any
	}{
		{line(30, 100), []any{49.0}}, // the first payment was less than the code takes off
		{line(60, 100), []any{49.0}},
		{line(60, 20), []any{0.0}},
		{line(20, 100) + "," + line(10, 100), []any{66.0, 83.0}}, // 34 and 17, in proportion to the first payments
		{line(200, 100) + "," + line(100, 100), []any{66.0, 83.0}},
	} {
		var next []any
		o := s.ok("POST", ordersPath, buys(c.lines))
		for _, item := range at(o, "subscriptionData", "items").([]any) {
			next = append(next, at(item, "nextPayment", "amount"))
		}
		require.Equal(t, c.next, next, c.lines)
		s.ok("POST", ordersPath+"/"+o["id"].(string)+"/cancel", "")
	}

	// A later payment that cannot be said is refused as the first one is.
	s.refused(400, base.CodeInvalid, "POST", ordersPath,
		strings.Replace(buys(line(1, wire.MaxSafeInteger)), `"unitPrice"`, `"quantity":2,"unitPrice"`, 1),
		"body /lineItems range")
}

func instantOf(t *testing.T, text string) (at int64) {
	require.Zero(t, wire.Instant.Text([]byte(text), &at))
	return at
}

// The feed tells of orders, and of those alone to whom may read them.
func TestOrdersInTheFeed(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	after := s.ok("GET", "/v1/admin/changes", "")["next"].(string)
	o := s.ok("POST", ordersPath, rental("open", location, sku, noon+day, noon+2*day, 1, ""))
	changes := func(key string) (all []any) {
		res := s.ok("GET", "/v1/admin/changes?after="+after, "", "X-API-KEY", key)
		after = res["next"].(string)
		for _, c := range listOf(res["changes"]) {
			all = append(all, at(c, "resource"), at(c, "change"), at(c, "resourceId"))
			if at(c, "resource") == "order" && at(c, "record") != nil {
				require.Equal(t, s.ok("GET", ordersPath+"/"+o["id"].(string), ""), at(c, "record"))
			}
		}
		return all
	}
	require.Equal(t, []any{"order", "created", o["id"]}, changes(s.key))
	// A unit that goes to another article changes its order.
	used := at(o, "stockItems", 0, "inventoryArticleId").(string)
	s.ok("POST", "/v1/admin/articles/"+used+"/archive", "")
	require.NotEqual(t, used,
		at(s.ok("GET", ordersPath+"/"+o["id"].(string), ""), "stockItems", 0, "inventoryArticleId"))
	told := map[any]any{}
	res := s.ok("GET", "/v1/admin/changes?after="+after, "")
	for _, c := range listOf(res["changes"]) {
		told[at(c, "resource")] = at(c, "resourceId")
	}
	require.Equal(t, map[any]any{"article": used, "order": o["id"]}, told)
	after = res["next"].(string)
	reader := s.newKey(s.account, engine.CreateKey{PublicID: "feeds000", Scopes: []string{"account.read"}})
	s.ok("DELETE", ordersPath+"/"+o["id"].(string), "")
	before := after
	require.NotContains(t, changes(reader), "order")
	after = before
	require.Contains(t, changes(s.key), "deleted")
}
