package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns the stories of orders over the interface: their records, their life, what is refused.

// rental is an order of a booking of a SKU, with more members behind it.
func rental(status, location, sku string, from, to int64, quantity int, more string) string {
	return fmt.Sprintf(
		`{"status":%q,"pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q,"quantity":%d}]%s}`,
		status, location, sku, when(from), when(to), quantity, more)
}

// states are the status of an order, its fulfillment and that of its units.
func states(o map[string]any) (all []any) {
	all = []any{o["status"], o["fulfillmentState"]}
	for _, u := range listOf(o["stockItems"]) {
		all = append(all, at(u, "fulfillmentState"))
	}
	return all
}

func TestOrderRecord(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	item := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"City bike","components":[{"skuId":%q}]}`, sku))["id"].(string)
	tag := s.ok("POST", "/v1/admin/tags", `{"value":"VIP","scope":"orders"}`)
	table := s.ok("POST", "/v1/admin/pricing-tables/pricing-table", `{"name":"Bikes"}`)["id"].(string)
	row := s.ok("POST", "/v1/admin/pricing-tables/pricing-table/"+table+"/pricing-row",
		`{"label":"Day","purchaseType":"booking","price":2500,"durationAmount":1,"durationUnit":"days"}`)["id"].(string)
	user := `{"id":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","name":"Rui","email":"rui@example.com"}`
	o := s.ok("POST", ordersPath, fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"reference":"WEB-1","note":"By the door","channel":"online","tags":[%q],
		"mainContact":{"firstName":"Ana","lastName":"Silva","email":"ana@example.com","billingAddress":{"city":"Lisboa"}},"assignedTo":%s,
		"checkoutFields":[{"ids":[%q],"name":"Height","type":"number","required":true,"value":"172","options":[{"name":"any"}]}],
		"consentAcceptances":[{"label":"Terms","consentText":"I agree","required":true,"acceptedAt":"2025-06-01T11:00:00Z","ipAddress":"192.0.2.1","links":[{"kind":"policy","name":"Terms"}]}],
		"documents":[{"type":"email","name":"Confirmation"}],
		"lineItems":[{"catalogItemId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q,"pricingRowId":%q,"taxRate":2300,"note":"Saddle high","revenueSplitRate":0.25,
			"variants":[{"variantId":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","variantValueId":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8f","variantLabel":"Frame","variantValueLabel":"L"}],"checkoutFields":[{"id":"helmet","name":"Helmet","type":"checkbox","value":"true"}]},
			{"articleId":%q,"purchaseType":"sale","startDate":%q,"unitPrice":100,"isAddon":"cart","addonOfLine":0,"name":"To keep"}]}`,
		location, tag["id"], user, "0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e", item, when(noon+day), when(noon+3*day), row,
		first, when(noon+10*day)))
	id, line := o["id"].(string), at(o, "lineItems", 0).(map[string]any)
	require.Equal(t, o, s.ok("GET", ordersPath+"/"+id, ""))
	require.Equal(t, []any{1.0, "WEB-1", "open", "online", when(noon), when(noon), nil, "key 11111111", nil,
		"By the door", when(noon + day), when(noon + 3*day), "pending"}, []any{
		o["number"], o["reference"], o["status"], o["channel"], o["createdAt"], o["updatedAt"], o["archivedAt"],
		o["updatedBy"], o["currentlyViewing"], o["note"],
		o["earliestStartDate"], o["latestEndDate"], o["fulfillmentState"],
	})
	require.Equal(t, map[string]any{"id": "0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e", "name": "Rui",
		"email": "rui@example.com", "avatarUrl": nil}, o["assignedTo"])
	require.Equal(t, []any{location, "Lisbon", "Lisboa", "Europe/Lisbon"}, []any{
		at(o, "pickupLocation", "id"), at(o, "pickupLocation", "name"), at(o, "pickupLocation", "address", "city"),
		at(o, "pickupLocation", "timezone"),
	})
	require.Equal(t, o["pickupLocation"], o["returnLocation"])
	require.Equal(t, []any{tag}, o["tags"])

	// The one whom it is for is a new customer, and the order's own record of them has an id of the order's.
	customer := s.ok("GET", "/v1/admin/customers/"+at(o, "mainContact", "crmCustomerId").(string), "")
	require.Equal(t, []any{"Ana Silva", "ana@example.com", "Lisboa"},
		[]any{customer["fullName"], at(o, "mainContact", "email"), at(o, "mainContact", "billingAddress", "city")})
	require.Len(t, o["customers"], 1)
	require.Equal(t, at(o, "customers", 0, "id"), line["orderCustomerId"])
	require.Equal(t, []any{customer["id"], "Ana", 172.0}, []any{
		at(o, "customers", 0, "crmCustomerId"), at(o, "customers", 0, "firstName"),
		at(o, "customers", 0, "checkoutFields", 0, "value"),
	})

	require.Equal(t, map[string]any{"currency": "EUR", "priced": true, "unitPrice": 5000.0, "quantity": 1.0,
		"cancelledQuantity": 0.0, "taxRate": 2300.0, "subtotal": 5000.0, "totalDiscounts": 0.0, "totalTaxes": 1150.0,
		"total": 6150.0},
		line["pricing"])
	require.Equal(t, map[string]any{"currency": "EUR", "subtotal": 5100.0, "totalDiscounts": 0.0, "totalTaxes": 1150.0,
		"total": 6250.0, "discountCodes": []any{}}, o["pricing"])
	require.Equal(t, []any{item, row, map[string]any{"def": "City bike"}, "PT48H", "2 days", "booking", nil,
		"Saddle high", "L", true, "helmet", nil}, []any{
		line["catalogItemId"], line["pricingRowId"], line["name"], line["duration"], line["durationLabel"],
		line["purchaseType"], line["returnedDate"], line["note"],
		at(line, "variants", 0, "variantValueLabel"), at(line, "checkoutFields", 0, "value"),
		at(line, "checkoutFields", 0, "id"), line["isAddon"],
	})
	require.Equal(t, line["id"], at(o, "lineItems", 1, "addonOfLineItemId"))
	require.Equal(t, []any{nil, nil, first, "cart", map[string]any{"def": "To keep"}, nil}, []any{
		at(o, "lineItems", 1, "endDate"), at(o, "lineItems", 1, "catalogItemId"), at(o, "lineItems", 1, "articleId"),
		at(o, "lineItems", 1, "isAddon"),
		at(o, "lineItems", 1, "name"), at(o, "lineItems", 1, "duration"),
	})

	// One stock item a unit; the unavailability names order and stock item, and the article of it shows both.
	require.Len(t, o["stockItems"], 2)
	unit, sold := at(o, "stockItems", 0).(map[string]any), at(o, "stockItems", 1).(map[string]any)
	require.Equal(t, []any{line["id"], id, "auto-assigned", false, 0.25, "Bike", "B1", nil, nil, when(noon + day),
		when(noon + 3*day)}, []any{
		unit["lineItemId"], unit["orderId"], unit["codeType"], unit["hasConflicts"], unit["revenueSplitRate"],
		at(unit, "inventoryArticle", "skuName"),
		at(unit, "inventoryArticle", "skuCode"), at(unit, "inventoryArticle", "binLocation"), unit["note"],
		unit["pickupDate"], unit["returnDate"],
	})
	require.Equal(t, at(unit, "inventoryArticle", "codes", 0), unit["code"])
	require.Equal(t, []any{"manual", "c-one", first, 1.0, nil},
		[]any{sold["codeType"], sold["code"], sold["inventoryArticleId"], sold["revenueSplitRate"], sold["returnDate"]})
	article := s.ok("GET", "/v1/admin/articles/"+unit["inventoryArticleId"].(string)+"?dateRange[from]="+when(noon+day)+
		"&dateRange[to]="+when(noon+2*day), "")
	taken := at(article, "unavailability", 0)
	require.Equal(t, []any{unit["unavailabilityId"], id, unit["id"], "order", nil}, []any{
		at(taken, "id"), at(taken, "orderId"), at(taken, "orderStockItemId"), at(taken, "blockerType"),
		at(taken, "holdId"),
	})
	require.Equal(t, []any{"policy", "192.0.2.1", id}, []any{
		at(o, "consentAcceptances", 0, "links", 0, "kind"), at(o, "consentAcceptances", 0, "ipAddress"),
		at(o, "consentAcceptances", 0, "orderId"),
	})
	require.Equal(t, "Confirmation", at(o, "documents", 0, "name"))

	// What is told of an order needs no request.
	view, _ := s.eng.View(s.account)
	parsed, _ := base.ParseID(id)
	require.JSONEq(t, string(s.call("GET", ordersPath+"/"+id, "").body),
		string(EventPayload(Version, order.OrderByID(view, parsed))))
}

// A place that is not there is named, before the state of the order is; the order itself may name one that is gone.
func TestOrderOfAPlaceThatIsGone(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	back := s.ok("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`)["id"].(string)
	path := ordersPath + "/" + s.ok("POST", ordersPath, rental("open", location, sku, noon+hour, noon+day, 1,
		fmt.Sprintf(`,"returnLocationId":%q`, back)))["id"].(string)
	pickup := func(id string) string { return fmt.Sprintf(`{"pickupLocationId":%q}`, id) }
	gone := func(place, id string) {
		t.Helper()
		p := s.refused(404, base.CodeNotFound, "PATCH", path, pickup(place)).object()
		require.Equal(t, "no location with the id "+id, p["detail"])
	}
	gone(sku, sku)
	s.refused(409, base.CodeStateNotAllowed, "PATCH", path, pickup(back))
	s.ok("POST", path+"/cancel", "")
	s.ok("DELETE", "/v1/admin/locations/"+back, "")
	gone(location, back)
}

func TestOrderFromDraftToArchive(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	from, to := noon+day, noon+3*day
	o := s.ok("POST", ordersPath, rental("draft", location, sku, from, to, 2, ""))
	path := ordersPath + "/" + o["id"].(string)
	require.Equal(t, []any{"draft", "pending", "pending", "pending"}, states(o))
	require.Equal(t, 2.0, s.available("sku", sku, location, from, to), "a draft takes no stock")
	notAllowed := func(step, state string, allowed ...any) {
		t.Helper()
		a := s.refused(409, base.CodeStateNotAllowed, "POST", path+step, "")
		require.Equal(t, map[string]any{"state": state, "allowed": allowed}, at(a.object(), "details"))
		for _, name := range allowed {
			require.True(t, slices.ContainsFunc(operations,
				func(op operation) bool { return op.id == "admin.orders."+name.(string) }), name)
		}
	}
	for _, step := range []string{"/prepare", "/fulfill", "/return", "/archive", "/unarchive"} {
		notAllowed(step, "draft", "confirm", "cancel", "delete", "applyDiscountCode", "removeDiscountCode",
			"addLineItems", "deleteLineItem", "updateLineItem", "update")
	}

	o = s.ok("POST", path+"/confirm", "")
	require.Equal(t, []any{"open", "pending", "pending", "pending"}, states(o))
	require.Zero(t, s.available("sku", sku, location, from, to))
	for _, step := range []string{"/confirm", "/return", "/archive"} {
		notAllowed(step, "open", "prepare", "fulfill", "undo", "cancel", "cancelStockItem", "delete",
			"applyDiscountCode", "removeDiscountCode", "addLineItems", "deleteLineItem", "updateLineItem",
			"assignStockItem", "unassignStockItem", "update")
	}
	units := []any{at(o, "stockItems", 0, "id"), at(o, "stockItems", 1, "id")}
	one := fmt.Sprintf(`{"stockItemIds":[%q]}`, units[0])
	require.Equal(t, []any{"open", "pending", "prepared", "pending"}, states(s.ok("POST", path+"/prepare", one)))
	require.Equal(t, []any{"open", "prepared", "prepared", "prepared"}, states(s.ok("POST", path+"/prepare", "")))

	s.clock.Store(from)
	o = s.ok("POST", path+"/fulfill", one)
	require.Equal(t, []any{"active", "partially_fulfilled", "fulfilled", "prepared"}, states(o))
	require.Equal(t, when(from), at(o, "stockItems", 0, "pickupDate"))
	a := s.refused(409, base.CodeStateNotAllowed, "POST", path+"/fulfill", one)
	require.Equal(t, map[string]any{"state": "fulfilled", "allowed": []any{"return", "undo"}},
		at(a.object(), "details"))
	notAllowed("/cancel", "active", "fulfill", "return", "readyStockItem", "undo", "cancelStockItem", "updateLineItem",
		"assignStockItem", "unassignStockItem", "update")
	s.refused(409, base.CodeStateNotAllowed, "DELETE", path, "")
	require.Equal(t, []any{"active", "fulfilled", "fulfilled", "fulfilled"}, states(s.ok("POST", path+"/fulfill", "")))

	// One comes back early: from then on, and the buffer, somebody else can have it.
	s.clock.Store(from + day)
	o = s.ok("POST", path+"/return", one)
	require.Equal(t, []any{"active", "partially_returned", "returned", "fulfilled"}, states(o))
	require.Equal(t, when(from+day), at(o, "stockItems", 0, "returnDate"))
	require.Nil(t, at(o, "lineItems", 0, "returnedDate"))
	require.Zero(t, s.available("sku", sku, location, from+day, to))
	require.Equal(t, 1.0, s.available("sku", sku, location, from+day+2*hour, to))
	s.clock.Store(from + day + hour)
	o = s.ok("POST", path+"/return", "")
	require.Equal(t, []any{"closed", "returned", "returned", "returned"}, states(o))
	require.Equal(t, when(from+day+hour), at(o, "lineItems", 0, "returnedDate"))
	notAllowed("/fulfill", "closed", "readyStockItem", "undo", "archive", "unarchive", "delete", "update")

	o = s.ok("POST", path+"/archive", "")
	require.Equal(t, when(from+day+hour), o["archivedAt"])
	require.Nil(t, s.ok("POST", path+"/unarchive", "")["archivedAt"])
	require.Equal(t, "Late", s.ok("PATCH", path, `{"note":"Late"}`)["note"])
	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	s.refused(404, base.CodeNotFound, "GET", path, "")
	require.Equal(t, 2.0, s.available("sku", sku, location, from+day+3*hour, to))
}

// Cancelling and deleting give stock back, a sale that was handed over keeps it.
// The document has each state that an order, a line and a unit can be in, and says what each of them means. A unit is
// never partially anything; a line of several units is.
func TestFulfillmentIsDescribed(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	o := s.ok("POST", ordersPath, rental("open", location, sku, noon+day, noon+3*day, 2, ""))
	path := ordersPath + "/" + o["id"].(string)
	one := fmt.Sprintf(`{"stockItemIds":[%q]}`, at(o, "stockItems", 0, "id"))
	s.clock.Store(noon + day)
	line := func(step string) any { return at(s.ok("POST", path+step, one), "lineItems", 0, "fulfillmentState") }
	require.Equal(t, "partially_fulfilled", line("/fulfill"))
	require.Equal(t, "partially_returned", line("/return"))

	p := theDocument(t)
	schemas := p.root["components"].(tree)["schemas"].(tree)
	whole := []any{"pending", "prepared", "fulfilled", "returned", "cancelled"}
	for record, want := range map[string][]any{
		"Order":         append(whole[:5:5], "partially_fulfilled", "partially_returned"),
		"OrderLineItem": append(whole[:5:5], "partially_fulfilled", "partially_returned"), "OrderStockItem": whole,
	} {
		state := schemas[record].(tree)["properties"].(tree)["fulfillmentState"].(tree)
		require.Equal(t, want, p.resolve(state)["enum"], record)
		for _, word := range want {
			require.Contains(t, state["description"], word.(string)+" (", record)
		}
	}
}

func TestCancelledAndDeletedOrders(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	from, to := noon+day, noon+2*day
	cancelled := s.ok("POST", ordersPath, rental("open", location, sku, from, to, 2, ""))
	path := ordersPath + "/" + cancelled["id"].(string)
	require.Zero(t, s.available("sku", sku, location, from, to))
	o := s.ok("POST", path+"/cancel", "")
	require.Equal(t, []any{"closed", "cancelled", "cancelled", "cancelled"}, states(o))
	require.Nil(t, at(o, "stockItems", 0, "unavailabilityId"))
	require.Equal(t, 2.0, s.available("sku", sku, location, from, to))
	deleted := s.ok("POST", ordersPath, rental("open", location, sku, from, to, 2, ""))
	s.call("DELETE", ordersPath+"/"+deleted["id"].(string), "", "If-Match", `"7"`).isRefusal(412, base.CodePrecondition)
	s.call("DELETE", ordersPath+"/"+deleted["id"].(string), "", "If-Match", `"1"`)
	require.Equal(t, 2.0, s.available("sku", sku, location, from, to))
	require.Equal(t, 3.0, s.ok("POST", ordersPath, rental("draft", location, sku, from, to, 1, ""))["number"],
		"a number is given once")

	sale := s.ok("POST", ordersPath,
		fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"sale","unitPrice":500}]}`, location, sku))
	require.Equal(t, 1.0, s.available("sku", sku, location, from, to))
	sold := s.ok("POST", ordersPath+"/"+sale["id"].(string)+"/fulfill", "")
	require.Equal(t, []any{"closed", "fulfilled", "fulfilled"}, states(sold))
	require.Equal(t, 1.0, s.available("sku", sku, location, from, to))
	s.ok("DELETE", ordersPath+"/"+sale["id"].(string), "")
	require.Equal(t, 1.0, s.available("sku", sku, location, from, to), "what was sold stays gone")
}

func TestShortOrdersAreRefusedOrOverbooked(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	from, to := noon+day, noon+2*day
	first := s.ok("POST", ordersPath, rental("open", location, sku, from, to, 1, ""))
	a := s.refused(409, base.CodeInsufficient, "POST", ordersPath, rental("open", location, sku, from, to, 2, ""))
	line := at(a.object(), "details", "lines", 0)
	require.Equal(t, []any{0.0, 2.0, 1.0, "not_enough_stock", when(to + 2*hour)}, []any{
		at(line, "line"), at(line, "requested"), at(line, "available"), at(line, "reason"), at(line, "next", "from"),
	})
	require.Equal(t, []any{first["id"], at(first, "stockItems", 0, "id")}, []any{
		at(line, "blockingUnavailabilities", 0, "orderId"), at(line, "blockingUnavailabilities", 0, "orderStockItemId"),
	})
	draft := s.ok("POST", ordersPath, rental("draft", location, sku, from, to, 2, ""))
	path := ordersPath + "/" + draft["id"].(string)
	s.refused(409, base.CodeInsufficient, "POST", path+"/confirm", "")
	require.Equal(t, "draft", s.ok("GET", path, "")["status"])

	// Overbooked, what is short is a conflict, until there is room for it.
	o := s.ok("POST", path+"/confirm", `{"allowOverbooking":true}`)
	require.Equal(t, "open", o["status"])
	conflict := func(o map[string]any) (n int) {
		for _, u := range listOf(o["stockItems"]) {
			if at(u, "hasConflicts") == true {
				require.Nil(t, at(u, "inventoryArticle"))
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, conflict(o))
	require.Equal(t, 1.0, at(s.ok("GET", "/v1/admin/conflicts", ""), "pagination", "total"))
	s.ok("POST", ordersPath+"/"+first["id"].(string)+"/cancel", "")
	require.Zero(t, conflict(s.ok("GET", path, "")))
	require.Equal(t, 1,
		conflict(s.ok("POST", ordersPath, rental("open", location, sku, from, to, 1, `,"allowOverbooking":true`))))
}

func TestOrderOfAHold(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	from, to := noon+day, noon+2*day
	hold := s.ok("POST", "/v1/admin/holds",
		strings.Replace(s.holdBody("sku", sku, location, from, to, 2), `{"lines"`, `{"expiresInSeconds":60,"lines"`, 1))
	path := "/v1/admin/holds/" + hold["id"].(string)
	s.refused(400, base.CodeInvalid, "POST", path+"/order", `{"status":"draft"}`, "body /status enum")
	s.refused(400, base.CodeInvalid, "POST", path+"/order", `{"lineItems":[]}`, "body /lineItems unknown")
	o := s.ok("POST", path+"/order", `{"note":"Phone","mainContact":{"phone":"5"}}`)
	require.Equal(t, []any{"open", "pending", "pending", "pending"}, states(o))
	var units, held []any
	for i := range 2 {
		units = append(units, at(o, "stockItems", i, "unavailabilityId"))
		held = append(held, at(hold, "lines", 0, "unavailabilities", i, "id"))
	}
	require.Equal(t, held, units, "the units are the same ones")
	require.Equal(t, location, at(o, "pickupLocation", "id"))
	require.Equal(t, "ordered", s.ok("GET", path, "")["status"])
	s.refused(404, base.CodeNotFound, "DELETE", path, "")
	require.Zero(t, s.available("sku", sku, location, from, to))
	s.clock.Add(hour)
	s.ok("POST", "/v1/admin/locations", `{"name":"x","timezone":"UTC"}`)
	require.Zero(t, s.available("sku", sku, location, from, to), "an order does not expire")
	line := ordersPath + "/" + o["id"].(string) + "/line-items/" + at(o, "lineItems", 0, "id").(string)
	require.Equal(t, 3000.0, at(s.ok("PATCH", line, `{"unitPrice":1500}`), "pricing", "total"))
}

// Carts become one order, each line for its price; one that has expired refuses it and is named.
func TestOrderOfHoldsWithPrices(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	from, to := noon+day, noon+2*day
	hold := func() string {
		return s.ok("POST", "/v1/admin/holds", strings.Replace(s.holdBody("sku", sku, location, from, to, 1),
			`{"lines"`, `{"expiresInSeconds":60,"lines"`, 1))["id"].(string)
	}
	table := s.ok("POST", "/v1/admin/pricing-tables/pricing-table", `{"name":"Bikes"}`)["id"].(string)
	row := s.ok("POST", "/v1/admin/pricing-tables/pricing-table/"+table+"/pricing-row",
		`{"label":"Day","purchaseType":"booking","price":2500}`)["id"].(string)
	s.ok("POST", "/v1/admin/discount-codes", `{"code":"FIVE","valueType":"fixed_per_order","value":500}`)
	gone, a := hold(), ""
	s.clock.Add(hour)
	a = hold()
	of := func(more string, holds ...string) string {
		ids := `["` + strings.Join(holds, `","`) + `"]`
		return fmt.Sprintf(`{"holdIds":%s,%s}`, ids, more)
	}
	expired := s.refused(409, base.CodeHoldExpired, "POST", ordersPath, of(`"note":"x"`, a, gone))
	require.Equal(t, gone, at(expired.object(), "details", "holdId"))
	s.refused(400, base.CodeInvalid, "POST", ordersPath,
		of(fmt.Sprintf(`"lineItems":[{"skuId":%q,"purchaseType":"sale"}],"heldLines":[{"line":0,"unitPrice":1,"pricingRowId":%q}]`, sku, row), a),
		"body /lineItems exclusive", "body /heldLines/0/unitPrice exclusive")
	s.refused(400, base.CodeInvalid, "POST", ordersPath, `{"heldLines":[{"line":1000}]}`,
		"body /heldLines/0/line range", "body /pickupLocationId required", "body /heldLines exclusive")
	for _, x := range [][2]string{{`"x"`, " type"}, {`[]`, " length"}, {`["x"]`, "/0 format"}} {
		s.refused(400, base.CodeInvalid, "POST", ordersPath,
			fmt.Sprintf(`{"holdIds":%s,"heldLines":[{"holdId":%q,"line":0}]}`, x[0], a), "body /holdIds"+x[1])
		s.refused(400, base.CodeInvalid, "POST", ordersPath, `{"holdIds":`+x[0]+`,"heldLines":[{"line":0}]}`,
			"body /holdIds"+x[1])
	}
	b := hold()
	o := s.ok("POST", ordersPath,
		of(fmt.Sprintf(`"discountCodes":["five"],"heldLines":[{"holdId":%q,"line":0,"pricingRowId":%q,"taxRate":1000},{"holdId":%q,"line":0,"unitPrice":800}]`, a, row, b), a, b))
	require.Equal(t, []any{"open", 3300.0, 500.0, 212.0, 3012.0},
		[]any{o["status"], at(o, "pricing", "subtotal"), at(o, "pricing", "totalDiscounts"),
			at(o, "pricing", "totalTaxes"), at(o, "pricing", "total")})
	for _, id := range []string{a, b} {
		require.Equal(t, "ordered", s.ok("GET", "/v1/admin/holds/"+id, "")["status"])
	}
	require.Equal(t, 1.0, at(s.ok("GET", "/v1/admin/discount-codes", ""), "data", 0, "usedCount"))
}

// Lines of a cart come, change and go in one request.
func TestChangeHold(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	from, to := noon+day, noon+2*day
	hold := s.ok("POST", "/v1/admin/holds", s.holdBody("sku", sku, location, from, to, 1))
	path := "/v1/admin/holds/" + hold["id"].(string)
	add := fmt.Sprintf(`"add":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q}]`, sku, location, when(from),
		when(to))
	require.Len(t, s.ok("PATCH", path, `{`+add+`,"dryRun":true}`)["lines"], 2)
	require.Len(t, s.ok("GET", path, "")["lines"], 1)
	two := s.ok("PATCH", path, `{`+add+`,"change":[{"line":0,"to":null}]}`)
	require.Equal(t, []any{nil, when(to)}, []any{at(two, "lines", 0, "to"), at(two, "lines", 1, "to")})
	require.Zero(t, s.available("sku", sku, location, from, to))
	short := s.refused(409, base.CodeInsufficient, "PATCH", path, `{"change":[{"line":1,"quantity":2}]}`)
	require.Equal(t, []any{1.0, 1.0}, []any{at(short.object(), "details", "lines", 0, "line"),
		at(short.object(), "details", "lines", 0, "available")})
	require.Equal(t, two["lines"], s.ok("GET", path, "")["lines"])
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"remove":[0,0,2],"change":[{"quantity":0}]}`,
		"body /change/0/quantity range", "body /change/0/line required", "body /remove/0 duplicate",
		"body /remove/1 duplicate", "body /remove/2 range")
	one := s.ok("PATCH", path, `{"remove":[0]}`)
	require.Equal(t, at(two, "lines", 1), at(one, "lines", 0))
}

// A quote has the order's pricing, and makes nothing.
func TestQuote(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	const tables = "/v1/admin/pricing-tables/pricing-table"
	table := s.ok("POST", tables, `{"name":"Bikes"}`)["id"].(string)
	row := func(unit string, price int) string {
		return s.ok("POST", tables+"/"+table+"/pricing-row",
			fmt.Sprintf(`{"label":"x","purchaseType":"booking","price":%d,"durationAmount":1,"durationUnit":%q}`, price,
				unit))["id"].(string)
	}
	days, weeks := row("days", 1000), row("weeks", 4000)
	item := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"Bike","pricingTableId":%q,"components":[{"skuId":%q}]}`, table, sku))["id"].(string)
	s.ok("POST", "/v1/admin/discount-codes", `{"code":"FIVE","valueType":"fixed_per_order","value":500}`)
	lines := fmt.Sprintf(
		`"pickupLocationId":%q,"discountCodes":["five"],"lineItems":[{"catalogItemId":%q,"purchaseType":"booking","quantity":2,"startDate":%q,"endDate":%q,"taxRate":1000}]`,
		location, item, when(noon), when(noon+8*day))
	q := s.ok("POST", "/v1/admin/quotes", `{`+lines+`}`)
	require.Equal(t, []any{days, true, 8000.0, 5000.0},
		[]any{at(q, "lineItems", 0, "pricingRowId"), at(q, "lineItems", 0, "priced"),
			at(q, "lineItems", 0, "unitPrice"), at(q, "lineItems", 0, "combination", "unitPrice")})
	require.Equal(t, []any{map[string]any{"pricingRowId": weeks, "units": 1.0},
		map[string]any{"pricingRowId": days, "units": 1.0}}, at(q, "lineItems", 0, "combination", "rows"))
	back := func(at string) string { return fmt.Sprintf(`{"returnLocationId":%q,`, at) + lines + `}` }
	porto := s.ok("POST", "/v1/admin/locations", `{"name":"Porto","timezone":"Europe/Lisbon"}`)["id"].(string)
	require.Equal(t, q["pricing"], s.ok("POST", "/v1/admin/quotes", back(porto))["pricing"])
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/quotes", back(item))
	require.Zero(t, at(s.ok("GET", ordersPath, ""), "pagination", "total"))
	require.Zero(t, at(s.ok("GET", "/v1/admin/discount-codes", ""), "data", 0, "usedCount"))
	o := s.ok("POST", ordersPath, `{`+lines+`}`)
	for _, sum := range []string{"subtotal", "totalDiscounts", "totalTaxes", "total", "currency"} {
		require.Equal(t, at(o, "pricing", sum), at(q, "pricing", sum), sum)
	}
	require.Nil(t, at(o, "lineItems", 0, "combinedRows"))

	// One row for a length of time may ask less than the one that is named.
	short := s.ok("POST", tables, `{"name":"Short"}`)["id"].(string)
	priced := func(terms string) string {
		return s.ok("POST", tables+"/"+short+"/pricing-row", `{"label":"x","purchaseType":"booking",`+terms+`}`)["id"].(string)
	}
	flat, hours := priced(`"price":9000`), priced(`"price":2000,"durationAmount":48,"durationUnit":"hours"`)
	boat := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"Boat","pricingTableId":%q,"components":[{"skuId":%q}]}`, short, sku))["id"].(string)
	named := s.ok("POST", "/v1/admin/quotes", fmt.Sprintf(
		`{"pickupLocationId":%q,"lineItems":[{"catalogItemId":%q,"purchaseType":"booking","pricingRowId":%q,"startDate":%q,"endDate":%q}]}`,
		location, boat, flat, when(noon), when(noon+8*day)))
	require.Equal(t, []any{9000.0, map[string]any{"unitPrice": 8000.0,
		"rows": []any{map[string]any{"pricingRowId": hours, "units": 4.0}}}},
		[]any{at(named, "lineItems", 0, "unitPrice"), at(named, "lineItems", 0, "combination")})

	// Where the table combines its rows that is the price, of the quote as of an order.
	require.Equal(t, true, s.ok("PATCH", tables+"/"+table, `{"combineRows":true}`)["combineRows"])
	s.refused(400, base.CodeInvalid, "PATCH", tables+"/"+table, `{"combineRows":null}`, "body /combineRows required")
	best := map[string]any{"unitPrice": 5000.0, "rows": []any{map[string]any{"pricingRowId": weeks, "units": 1.0},
		map[string]any{"pricingRowId": days, "units": 1.0}}}
	q = s.ok("POST", "/v1/admin/quotes", `{`+lines+`}`)
	require.Equal(t, []any{nil, true, 5000.0, best, nil},
		[]any{at(q, "lineItems", 0, "pricingRowId"), at(q, "lineItems", 0, "priced"),
			at(q, "lineItems", 0, "unitPrice"), at(q, "lineItems", 0, "combinedRows"),
			at(q, "lineItems", 0, "combination")})
	o = s.ok("POST", ordersPath, `{`+lines+`}`)
	require.Equal(t, []any{nil, true, 5000.0, best},
		[]any{at(o, "lineItems", 0, "pricingRowId"), at(o, "lineItems", 0, "pricing", "priced"),
			at(o, "lineItems", 0, "pricing", "unitPrice"), at(o, "lineItems", 0, "combinedRows")})
	require.Equal(t, true, s.ok("POST", tables, `{"name":"Boats","combineRows":true}`)["combineRows"])
	s.refused(422, base.CodeDiscountNotFound, "POST", "/v1/admin/quotes",
		strings.Replace(`{`+lines+`}`, "five", "none", 1))
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/quotes",
		strings.Replace(`{`+lines+`}`, `"booking"`, `"sale","unitPrice":-1`, 1), "body /lineItems/0/unitPrice range",
		"body /lineItems/0/endDate forbidden")
}

// A booking without end is made at once, of a hold, and by taking a line's end away; it costs one length of its row
// until it has an end.
func TestBookingsWithoutEnd(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	table := s.ok("POST", "/v1/admin/pricing-tables/pricing-table", `{"name":"Bikes"}`)["id"].(string)
	row := s.ok("POST", "/v1/admin/pricing-tables/pricing-table/"+table+"/pricing-row",
		`{"label":"Day","purchaseType":"booking","price":2500,"durationAmount":1,"durationUnit":"days"}`)["id"].(string)
	from := noon + day
	free := func() float64 { return s.available("sku", sku, location, from+300*day, from+301*day) }
	dates := func(o map[string]any) []any {
		l := at(o, "lineItems", 0)
		return []any{at(l, "endDate"), at(l, "duration"), at(l, "durationLabel"), at(l, "pricing", "total"),
			at(o, "latestEndDate"), at(o, "stockItems", 0, "returnDate")}
	}
	o := s.ok("POST", ordersPath, fmt.Sprintf(`{"status":"open","pickupLocationId":%q,
		"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":null,"pricingRowId":%q}]}`, location, sku, when(from), row))
	require.Equal(t, []any{nil, nil, nil, 2500.0, nil, nil}, dates(o))
	require.Equal(t, 1.0, free())
	line := ordersPath + "/" + o["id"].(string) + "/line-items/" + at(o, "lineItems", 0, "id").(string)
	end := when(from + 3*day)
	require.Equal(t, []any{end, "PT72H", "3 days", 7500.0, end, end},
		dates(s.ok("PATCH", line, fmt.Sprintf(`{"endDate":%q}`, end))))
	require.Equal(t, 2.0, free())
	require.Equal(t, []any{nil, nil, nil, 2500.0, nil, nil}, dates(s.ok("PATCH", line, `{"endDate":null}`)))

	hold := s.ok("POST", "/v1/admin/holds",
		fmt.Sprintf(`{"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":null}]}`, sku, location, when(from)))
	held := s.ok("POST", "/v1/admin/holds/"+hold["id"].(string)+"/order", "")
	require.Equal(t, []any{nil, nil, nil, 0.0, nil, nil}, dates(held))
	require.Zero(t, free())
	path := ordersPath + "/" + held["id"].(string)
	s.ok("POST", path+"/fulfill", "")
	s.ok("POST", path+"/return", "")
	require.Equal(t, 1.0, free())
}

func TestOrderLines(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	from, to := noon+day, noon+2*day
	o := s.ok("POST", ordersPath, rental("open", location, sku, from, to, 1, ""))
	path := ordersPath + "/" + o["id"].(string)
	first := at(o, "lineItems", 0, "id").(string)
	add := func(more string) string {
		return fmt.Sprintf(`{"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q%s}]}`, sku,
			when(from), when(to), more)
	}
	o = s.ok("POST", path+"/line-items", add(fmt.Sprintf(`,"addonOfLineItemId":%q,"unitPrice":200`, first)))
	require.Equal(t, first, at(o, "lineItems", 1, "addonOfLineItemId"))
	require.Equal(t, 200.0, at(o, "pricing", "total"))
	s.refused(409, base.CodeInsufficient, "POST", path+"/line-items", add(""))
	s.refused(404, base.CodeNotFound, "POST", path+"/line-items", add(`,"addonOfLineItemId":"`+nobodyID+`"`))

	// Dates and quantity change together with the stock, or not at all.
	line := path + "/line-items/" + first
	s.refused(409, base.CodeInsufficient, "PATCH", line, `{"quantity":2}`)
	other := s.ok("POST", ordersPath, rental("open", location, sku, to+day, to+2*day, 1, ""))
	require.Equal(t, when(to+3*day),
		at(s.ok("PATCH", line, fmt.Sprintf(`{"endDate":%q}`, when(to+3*day))), "lineItems", 0, "endDate"))
	a := s.refused(409, base.CodeInsufficient, "PATCH", path+"/line-items/"+at(o, "lineItems", 1, "id").(string),
		fmt.Sprintf(`{"endDate":%q,"unitPrice":200}`, when(to+3*day)))
	require.NotEmpty(t, at(a.object(), "details", "lines", 0, "blockingUnavailabilities"))
	s.ok("POST", ordersPath+"/"+other["id"].(string)+"/cancel", "")
	s.refused(400, base.CodeInvalid, "PATCH", line,
		fmt.Sprintf(`{"startDate":%q,"endDate":%q,"unitPrice":-1,"taxRate":10001,"quantity":0,"revenueSplitRate":1.5}`,
			when(to), when(from)),
		"body /unitPrice range", "body /taxRate range", "body /quantity range", "body /revenueSplitRate range",
		"body /endDate order")
	s.refused(400, base.CodeInvalid, "PATCH", line, fmt.Sprintf(`{"startDate":%q}`, when(to+9*day)),
		"body /endDate order")

	// The price is a row's or the line's own.
	table := s.ok("POST", "/v1/admin/pricing-tables/pricing-table", `{"name":"Bikes"}`)["id"].(string)
	row := s.ok("POST", "/v1/admin/pricing-tables/pricing-table/"+table+"/pricing-row",
		`{"label":"Day","purchaseType":"booking","price":2500,"durationAmount":1,"durationUnit":"days"}`)["id"].(string)
	for _, c := range []struct {
		row, price string
		want       []any
	}{
		{"null", "7", []any{nil, 7.0}}, {`"` + row + `"`, "null", []any{row, 10000.0}},
		{"null", "null", []any{nil, 0.0}},
	} {
		s.refused(400, base.CodeInvalid, "PATCH", line, fmt.Sprintf(`{"pricingRowId":%q,"unitPrice":1}`, row),
			"body /unitPrice exclusive")
		l := at(s.ok("PATCH", line, fmt.Sprintf(`{"pricingRowId":%s,"unitPrice":%s}`, c.row, c.price)), "lineItems", 0)
		require.Equal(t, c.want, []any{at(l, "pricingRowId"), at(l, "pricing", "unitPrice")})
	}

	// An add-on goes with what it is added to.
	s.call("DELETE", line, "", "If-Match", `"1"`).isRefusal(412, base.CodePrecondition)
	s.ok("DELETE", line, "")
	require.Empty(t, s.ok("GET", path, "")["lineItems"])
	require.Equal(t, 2.0, s.available("sku", sku, location, from, to))
	s.refused(404, base.CodeNotFound, "DELETE", line, "")
}

// What is said of a line is kept as it was made, stays where a change does not name it, and goes where it is null.
func TestWhatIsSaidOfALine(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	said := `"name":"Front bike","note":"Saddle high","imageUrl":"https://example.com/a.png",
		"variants":[{"variantId":"` + nobodyID + `","variantValueId":"` + nobodyID + `"}],
		"checkoutFields":[{"name":"Height"}],"expectsInventoryLink":true,"revenueSplitRate":0.5`
	o := s.ok("POST", ordersPath, fmt.Sprintf(`{"pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking",
		"quantity":null,"startDate":%q,"endDate":%q,%s}]}`, location, sku, when(noon+day), when(noon+2*day), said))
	line := ordersPath + "/" + o["id"].(string) + "/line-items/" + at(o, "lineItems", 0, "id").(string)
	is := func(o map[string]any) []any {
		l, unit := at(o, "lineItems", 0), at(o, "stockItems", 0)
		return []any{at(l, "name", "def"), at(l, "note"), at(l, "imageUrl"), len(at(l, "variants").([]any)),
			len(at(l, "checkoutFields").([]any)), at(unit, "expectsInventoryLink"), at(unit, "revenueSplitRate")}
	}
	all := []any{"Front bike", "Saddle high", "https://example.com/a.png", 1, 1, true, 0.5}
	require.Equal(t, 1.0, at(o, "lineItems", 0, "pricing", "quantity"), "a quantity of null is left out")
	require.Equal(t, all, is(o))
	require.Equal(t, all, is(s.ok("PATCH", line, `{"taxRate":100}`)))
	require.Equal(t, []any{"Front bike", nil, nil, 0, 0, false, 1.0}, is(s.ok("PATCH", line, `{"note":null,
		"imageUrl":null,"variants":null,"checkoutFields":null,"expectsInventoryLink":null,"revenueSplitRate":null}`)))
	require.Equal(t, all, is(s.ok("PATCH", line, "{"+said+"}")))
	s.refused(400, base.CodeInvalid, "PATCH", line, `{"quantity":null,"startDate":null,"name":null}`,
		"body /quantity required", "body /startDate required", "body /name required")
}

// Each stock item says when it was last changed itself, whatever happens to the others and to the order.
func TestStockItemsSayWhenTheyChanged(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	from, to := noon+day, noon+2*day
	o := s.ok("POST", ordersPath, rental("draft", location, sku, from, to, 2, ""))
	path := ordersPath + "/" + o["id"].(string)
	one, two := at(o, "stockItems", 0, "id").(string), at(o, "stockItems", 1, "id").(string)
	times := []int64{noon, noon}
	step := func(method, path, body string, changed ...int) {
		t.Helper()
		s.clock.Add(60_000)
		for _, i := range changed {
			times[i] = s.clock.Load()
		}
		o := s.ok(method, path, body)
		require.Equal(t, when(times[0]), at(o, "stockItems", 0, "updatedAt"), path)
		if len(listOf(o["stockItems"])) > 1 {
			require.Equal(t, when(times[1]), at(o, "stockItems", 1, "updatedAt"), path)
		}
	}
	step("PATCH", path, `{"note":"By the door"}`)
	step("POST", path+"/confirm", "", 0, 1)
	step("POST", path+"/prepare", fmt.Sprintf(`{"stockItemIds":[%q]}`, one), 0)
	step("POST", path+"/prepare", fmt.Sprintf(`{"stockItemIds":[%q]}`, one))
	step("POST", path+"/stock-items/"+two+"/assign", fmt.Sprintf(`{"articleId":%q}`, first), 1)
	step("POST", path+"/stock-items/"+two+"/unassign", "", 1)
	step("POST", path+"/stock-items/"+two+"/unassign", "")
	step("POST", path+"/fulfill", fmt.Sprintf(`{"stockItemIds":[%q],"at":%q}`, one, when(noon)), 0)
	step("POST", path+"/fulfill", "", 1)
	step("POST", path+"/return", fmt.Sprintf(`{"stockItemIds":[%q],"at":%q}`, two, when(noon+600_000)), 1)

	// Where one goes, the others stay as they were.
	o = s.ok("POST", ordersPath, rental("open", location, sku, to+day, to+2*day, 1, ""))
	path = ordersPath + "/" + o["id"].(string)
	times[0] = s.clock.Load()
	lines := fmt.Sprintf(`{"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q}]}`, sku,
		when(to+day), when(to+2*day))
	times[1] = times[0] + 60_000
	step("POST", path+"/line-items", lines)
	s.ok("DELETE", path+"/line-items/"+at(o, "lineItems", 0, "id").(string), "")
	times[0] = times[1]
	step("PATCH", path, `{"note":"One left"}`)
	step("POST", path+"/cancel", "", 0)
}

func TestAssignedUnits(t *testing.T) {
	s, location, sku, first, second := stocked(t)
	from, to := noon+day, noon+2*day
	o := s.ok("POST", ordersPath, rental("open", location, sku, from, to, 1, ""))
	path := ordersPath + "/" + o["id"].(string) + "/stock-items/" + at(o, "stockItems", 0, "id").(string)
	for _, article := range []string{first, second, first} {
		o = s.ok("POST", path+"/assign", fmt.Sprintf(`{"articleId":%q}`, article))
		require.Equal(t, []any{article, "manual"},
			[]any{at(o, "stockItems", 0, "inventoryArticleId"), at(o, "stockItems", 0, "codeType")})
	}
	pinned := s.ok("POST", ordersPath, rental("open", location, sku, from, to, 1, ""))
	a := s.refused(409, base.CodeInsufficient, "POST", ordersPath+"/"+pinned["id"].(string)+"/stock-items/"+
		at(pinned, "stockItems", 0, "id").(string)+"/assign", fmt.Sprintf(`{"articleId":%q}`, first))
	require.Equal(t, o["id"], at(a.object(), "details", "lines", 0, "blockingUnavailabilities", 0, "orderId"))
	o = s.ok("POST", path+"/unassign", "")
	require.Equal(t, []any{first, "auto-assigned"},
		[]any{at(o, "stockItems", 0, "inventoryArticleId"), at(o, "stockItems", 0, "codeType")})
	swapped := s.ok("POST", ordersPath+"/"+pinned["id"].(string)+"/stock-items/"+
		at(pinned, "stockItems", 0, "id").(string)+"/assign", fmt.Sprintf(`{"articleId":%q}`, first))
	require.Equal(t, first, at(swapped, "stockItems", 0, "inventoryArticleId"), "what may move makes room")
	require.Equal(t, second,
		at(s.ok("GET", ordersPath+"/"+o["id"].(string), ""), "stockItems", 0, "inventoryArticleId"))
	s.refused(404, base.CodeNotFound, "POST", path+"/assign", `{"articleId":"`+nobodyID+`"}`)
}

// Where an order's units are is no change of the order: its tag stays, and so it is always answered with its record.
func TestOrderIsReadWithItsUnitsWhereTheyAre(t *testing.T) {
	s, location, sku, first, second := stocked(t)
	from, to := noon+day, noon+2*day
	o := s.ok("POST", ordersPath, rental("open", location, sku, from, to, 1, ""))
	path := ordersPath + "/" + o["id"].(string)
	was, other := at(o, "stockItems", 0, "inventoryArticleId").(string), second
	if was == second {
		other = first
	}
	tag := s.call("GET", path, "").header["Etag"]
	read := func() any {
		a := s.call("GET", path, "", "If-None-Match", tag)
		require.Equal(t, []any{200, tag}, []any{a.status, a.header["Etag"]})
		return at(a.object(), "stockItems", 0)
	}
	next := s.ok("POST", ordersPath, rental("open", location, sku, from, to, 1, ""))
	s.ok("POST", ordersPath+"/"+next["id"].(string)+"/stock-items/"+at(next, "stockItems", 0, "id").(string)+"/assign",
		fmt.Sprintf(`{"articleId":%q}`, was))
	require.Equal(t, []any{other, false}, []any{at(read(), "inventoryArticleId"), at(read(), "hasConflicts")})
	s.ok("POST", "/v1/admin/articles/"+other+"/decrease-quantity",
		fmt.Sprintf(`{"serviceLocationId":%q,"amount":1,"force":true}`, location))
	require.Equal(t, []any{nil, true}, []any{at(read(), "inventoryArticleId"), at(read(), "hasConflicts")})
	require.Equal(t, 200, s.call("PATCH", path, `{"note":"Phone"}`, "If-Match", tag).status)
	s.call("PATCH", path, `{"note":"Mail"}`, "If-Match", tag).isRefusal(412, base.CodePrecondition)
}

func TestBadOrders(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	table := s.ok("POST", "/v1/admin/pricing-tables/pricing-table", `{"name":"Bikes"}`)["id"].(string)
	row := s.ok("POST", "/v1/admin/pricing-tables/pricing-table/"+table+"/pricing-row",
		`{"label":"Day","purchaseType":"sale","price":2500}`)["id"].(string)
	scoped := s.ok("POST", "/v1/admin/tags", `{"value":"x","scope":"catalog"}`)["id"].(string)
	s.refused(400, base.CodeInvalid, "POST", ordersPath, fmt.Sprintf(`{"status":"active","customerId":"x","mainContact":{},"channel":"fax","tags":[%q],"customers":[{"email":"?"}],"allowOverbooking":1,
		"consentAcceptances":[{"links":[{}]}],"documents":[{"name":"x"}],"assignedTo":{"name":""},"checkoutFields":[{"type":"colour"}],"extra":1,"lineItems":[
		{"purchaseType":"gift"},
		{"skuId":%[2]q,"articleId":%[2]q,"purchaseType":"booking","startDate":"2025-06-02"},
		{"skuId":%[2]q,"purchaseType":"sale","endDate":%[3]q,"taxRate":20000,"revenueSplitRate":2},
		{"skuId":%[2]q,"purchaseType":"booking","startDate":%[3]q,"endDate":%[3]q,"quantity":0},
		{"skuId":%[2]q,"purchaseType":"booking","startDate":%[3]q,"endDate":%[4]q,"pricingRowId":%[5]q,"unitPrice":1,"subscription":{"paymentCycleAmount":1}},
		{"skuId":%[2]q,"purchaseType":"subscription","startDate":%[3]q,"requirements":[{"attributeId":%[2]q,"operator":"has"}]}]}`,
		scoped, sku, when(noon), when(noon+day), row),
		"body /status enum", "body /customerId format", "body /channel enum", "body /allowOverbooking type",
		"body /consentAcceptances/0/links/0/kind required",
		"body /documents/0/type required", "body /assignedTo/name length", "body /assignedTo/id required",
		"body /checkoutFields/0/type enum", "body /extra unknown",
		"body /lineItems/0/purchaseType enum", "body /lineItems/1/startDate format", "body /lineItems/2/taxRate range",
		"body /lineItems/2/revenueSplitRate range",
		"body /lineItems/3/quantity range", "body /lineItems/4/subscription/paymentCycleUnit required",
		"body /lineItems/5/requirements/0/operator enum",
		"body /pickupLocationId required", "body /mainContact exclusive", "body /mainContact required",
		"body /customers/0/email format",
		"body /lineItems/1 exclusive", "body /lineItems/2/endDate forbidden",
		"body /lineItems/3/endDate order", "body /lineItems/4/unitPrice exclusive",
		"body /lineItems/4/subscription forbidden",
		"body /tags/0 scope",
		"body /lineItems/4/pricingRowId purchase", "body /lineItems/5/requirements/0/attributeId unknown",
		"body /lineItems/5/subscription required")
	s.refused(400, base.CodeInvalid, "POST", ordersPath,
		fmt.Sprintf(`{"status":"open","pickupLocationId":%q}`, location), "body /lineItems length")
	s.refused(404, base.CodeNotFound, "POST", ordersPath, `{"pickupLocationId":"`+nobodyID+`"}`)
	s.refused(404, base.CodeNotFound, "POST", ordersPath,
		rental("draft", location, sku, noon, noon+day, 1, `,"customerId":"`+nobodyID+`"`))
	s.refused(404, base.CodeNotFound, "POST", ordersPath, rental("draft", location, nobodyID, noon, noon+day, 1, ""))

	// Members that take a scope of their own.
	key := s.newKey(s.account, engine.CreateKey{PublicID: "orders00", Scopes: []string{"orders.details.write"}})
	denied := s.call("POST", ordersPath,
		fmt.Sprintf(`{"pickupLocationId":%q,"mainContact":{"phone":"5"},"lineItems":[{"skuId":%q,"purchaseType":"sale","unitPrice":1}]}`, location, sku), "X-API-KEY", key)
	denied.isRefusal(403, base.CodeDeniedFields)
	require.ElementsMatch(t, []any{
		map[string]any{"fields": []any{"mainContact"}, "requiredScopes": []any{"customers.write"}},
		map[string]any{"fields": []any{"lineItems.unitPrice"}, "requiredScopes": []any{"orders.payments.write"}},
	}, at(denied.object(), "details", "deniedFields"))
	o := s.ok("POST", ordersPath, rental("draft", location, sku, noon, noon+day, 1, ""), "X-API-KEY", key)
	path := ordersPath + "/" + o["id"].(string)
	s.call("PATCH", path, `{"savedCard":{"brand":"visa","last4":"4242"}}`, "X-API-KEY", key).
		isRefusal(403, base.CodeDeniedFields)
	s.call("PATCH", path+"/line-items/"+at(o, "lineItems", 0, "id").(string), `{"unitPrice":null}`, "X-API-KEY", key).
		isRefusal(403, base.CodeDeniedFields)
	s.call("POST", path+"/payments", `{"kind":"capture","amount":1}`, "X-API-KEY", key).
		isRefusal(403, base.CodeMissingScope)

	// A row that is named for what has no table is as good as a price.
	byRow := fmt.Sprintf(`{"pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"sale","pricingRowId":%q}]}`,
		location, sku, row)
	denied = s.call("POST", ordersPath, byRow, "X-API-KEY", key)
	denied.isRefusal(403, base.CodeDeniedFields)
	rowNeeds := []any{
		map[string]any{"fields": []any{"lineItems.pricingRowId"}, "requiredScopes": []any{"orders.payments.write"}}}
	require.Equal(t, rowNeeds, at(denied.object(), "details", "deniedFields"))
	sale := s.ok("POST", ordersPath, byRow)
	s.call("PATCH", ordersPath+"/"+sale["id"].(string)+"/line-items/"+at(sale, "lineItems", 0, "id").(string),
		fmt.Sprintf(`{"pricingRowId":%q}`, row), "X-API-KEY", key).
		isRefusal(403, base.CodeDeniedFields)
	held := s.ok("POST", "/v1/admin/holds", fmt.Sprintf(
		`{"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"purchaseType":"sale"}]}`, sku, location,
		when(noon+day)))["id"].(string)
	byRow = fmt.Sprintf(`"heldLines":[{"line":0,"pricingRowId":%q}]`, row)
	for _, call := range [][2]string{{ordersPath, fmt.Sprintf(`{"holdIds":[%q],%s}`, held, byRow)},
		{"/v1/admin/holds/" + held + "/order", "{" + byRow + "}"}} {
		denied = s.call("POST", call[0], call[1], "X-API-KEY", key)
		denied.isRefusal(403, base.CodeDeniedFields)
		require.Equal(t, []any{"heldLines.pricingRowId"}, at(denied.object(), "details", "deniedFields", 0, "fields"))
	}
	s.ok("POST", "/v1/admin/holds/"+held+"/order", "{"+byRow+"}")
	item := s.ok("POST", "/v1/admin/catalog",
		fmt.Sprintf(`{"name":"Bike","pricingTableId":%q,"components":[{"skuId":%q}]}`, table, sku))["id"]
	s.ok("POST", ordersPath,
		fmt.Sprintf(`{"pickupLocationId":%q,"lineItems":[{"catalogItemId":%q,"purchaseType":"sale","pricingRowId":%q}]}`, location, item, row), "X-API-KEY", key)
}

// TestSubstitute hands another article out than the one that was ordered: only where that is said, and until it is
// taken back.
func TestSubstitute(t *testing.T) {
	s, location, sku, first, _ := stocked(t)
	helmet := s.ok("POST", "/v1/admin/articles",
		fmt.Sprintf(`{"name":"Helmet","quantities":[{"serviceLocationId":%q,"count":1}]}`, location))["id"].(string)
	o := s.ok("POST", ordersPath, rental("open", location, sku, noon+day, noon+2*day, 1, ""))
	path := ordersPath + "/" + o["id"].(string) + "/stock-items/" + at(o, "stockItems", 0, "id").(string)
	need := s.refused(409, base.CodeSubstitute, "POST", path+"/assign", fmt.Sprintf(`{"articleId":%q}`, helmet))
	require.Equal(t, sku, at(need.object(), "details", "skuId"))
	require.Contains(t, at(need.object(), "details", "articleIds"), first)
	dry := s.ok("POST", path+"/assign", fmt.Sprintf(`{"articleId":%q,"substitute":true,"dryRun":true}`, helmet))
	require.Equal(t, []any{helmet, true},
		[]any{at(dry, "stockItems", 0, "inventoryArticleId"), at(dry, "stockItems", 0, "substitute")})
	kept := s.ok("GET", ordersPath+"/"+o["id"].(string), "")
	require.Equal(t, false, at(kept, "stockItems", 0, "substitute"), "nothing was done")
	s.ok("POST", path+"/assign", fmt.Sprintf(`{"articleId":%q,"substitute":true}`, helmet))
	back := s.ok("POST", path+"/unassign", "")
	require.Equal(t, false, at(back, "stockItems", 0, "substitute"))
	require.NotEqual(t, helmet, at(back, "stockItems", 0, "inventoryArticleId"))
}

// TestCheckoutFields keeps what the customer was asked on an order of nobody, and takes numbers and checkboxes as what
// they are.
func TestCheckoutFields(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	o := s.ok("POST", ordersPath, rental("draft", location, sku, noon, noon+day, 1, `,"checkoutFields":[{"name":"Height","value":180,"type":"number"},{"name":"Weight","type":"number","value":"80.50"},
		{"name":"Shoe","type":"number","value":"large"},{"name":"Helmet","type":"checkbox","value":true},{"name":"Gloves","type":"checkbox","value":"false"},{"name":"Note","type":"text","value":"7"},
		{"name":"Age","type":"customer_attribute","attributeFormat":"number","value":1e2},{"name":"None","type":"number","value":null}]`))
	values := func(o map[string]any) (list []any) {
		for _, f := range o["checkoutFields"].([]any) {
			list = append(list, at(f, "value"))
		}
		return list
	}
	require.Empty(t, o["customers"])
	wanted := []any{180.0, 80.5, "large", true, false, "7", 100.0, nil}
	require.Equal(t, wanted, values(o))
	path := ordersPath + "/" + o["id"].(string)
	require.Equal(t, wanted, values(s.ok("GET", path, "")))

	// What was read can be sent back.
	back, err := json.Marshal(map[string]any{"checkoutFields": o["checkoutFields"]})
	require.NoError(t, err)
	require.Equal(t, o["checkoutFields"], s.ok("PATCH", path, string(back))["checkoutFields"])
	line := path + "/line-items/" + at(o, "lineItems", 0, "id").(string)
	named := s.ok("PATCH", line,
		`{"name":{"def":"Saddle"},"checkoutFields":[{"id":"h","type":"checkbox","value":true}]}`)
	require.Equal(t, []any{map[string]any{"def": "Saddle"}, true},
		[]any{at(named, "lineItems", 0, "name"), at(named, "lineItems", 0, "checkoutFields", 0, "value")})
	s.refused(400, base.CodeInvalid, "PATCH", line, `{"name":{}}`, "body /name/def required", "body /name required")
	s.refused(400, base.CodeInvalid, "PATCH", line, `{"name":7}`, "body /name type")

	s.refused(400, base.CodeInvalid, "PATCH", path, `{"checkoutFields":[{"name":"d","value":[]}]}`,
		"body /checkoutFields/0/value type")
	s.refused(400, base.CodeInvalid, "PATCH", path,
		`{"checkoutFields":[{"name":"a","value":1},{"name":"b","type":"number","value":true},{"name":"c","type":"checkbox","value":1}]}`,
		"body /checkoutFields/0/value type", "body /checkoutFields/1/value type", "body /checkoutFields/2/value type")
}

// A mainContact of null has an order be for nobody, as a customerId of null does.
func TestAMainContactOfNullIsCleared(t *testing.T) {
	s, location, _, _, _ := stocked(t)
	o := s.ok("POST", ordersPath, fmt.Sprintf(`{"pickupLocationId":%q,"mainContact":{"firstName":"Ana"}}`, location))
	path := ordersPath + "/" + o["id"].(string)
	customer := at(o, "mainContact", "crmCustomerId").(string)
	require.Nil(t, s.ok("PATCH", path, `{"mainContact":null}`)["mainContact"])
	for _, body := range []string{`{"mainContact":null,"customerId":%q}`, `{"customerId":%q,"mainContact":null}`} {
		o = s.ok("PATCH", path, fmt.Sprintf(body, customer))
		require.Equal(t, customer, at(o, "mainContact", "crmCustomerId"))
	}
}

// A main contact that was read can be given back: the order stays with its customer, also where there is no email to
// know them by, or where they are deleted by now. Another crmCustomerId has the order be for that customer.
func TestAMainContactThatWasReadIsTaken(t *testing.T) {
	s, location, _, _, _ := stocked(t)
	o := s.ok("POST", ordersPath, fmt.Sprintf(`{"pickupLocationId":%q,"mainContact":{"firstName":"Ana","phone":"1"}}`,
		location))
	path := ordersPath + "/" + o["id"].(string)
	back := func() {
		t.Helper()
		was, err := json.Marshal(o["mainContact"])
		require.NoError(t, err)
		require.Equal(t, o["mainContact"], s.ok("PATCH", path, `{"mainContact":`+string(was)+`}`)["mainContact"])
	}
	back()
	require.Len(t, s.ok("GET", "/v1/admin/customers", "")["data"], 1, "nobody is new")
	ana := at(o, "mainContact", "crmCustomerId").(string)
	rui := s.ok("POST", "/v1/admin/customers", `{"firstName":"Rui","email":"rui@example.com"}`)["id"].(string)
	o = s.ok("PATCH", path, fmt.Sprintf(`{"mainContact":{"crmCustomerId":%q,"phone":"2"}}`, rui))
	require.Equal(t, []any{rui, "Rui", "2"}, []any{at(o, "mainContact", "crmCustomerId"),
		at(o, "mainContact", "firstName"), at(o, "mainContact", "phone")})
	s.ok("PATCH", path, fmt.Sprintf(`{"mainContact":{"crmCustomerId":%q}}`, ana))
	o = s.ok("PATCH", path, fmt.Sprintf(`{"customerId":%q}`, rui))
	back()
	s.refused(404, base.CodeNotFound, "PATCH", path,
		`{"mainContact":{"crmCustomerId":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e"}}`)
	s.refused(400, base.CodeInvalid, "PATCH", path,
		fmt.Sprintf(`{"customerId":%q,"mainContact":{"crmCustomerId":%q}}`, rui, rui), "body /mainContact exclusive")
	o = s.ok("PATCH", path, `{"mainContact":{"firstName":"Eva","crmCustomerId":null}}`)
	require.NotContains(t, []any{ana, rui}, at(o, "mainContact", "crmCustomerId"))
}

// TestOrderCustomersKeepTheirIDs changes those whom an order is for: who is named by id stays who it is, so that lines
// stay theirs.
func TestOrderCustomersKeepTheirIDs(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	o := s.ok("POST", ordersPath, rental("draft", location, sku, noon, noon+day, 1,
		`,"customers":[{"fullName":"Ana"},{"fullName":"Rui"}]`))
	path := ordersPath + "/" + o["id"].(string)
	ana, rui := at(o, "customers", 0, "id").(string), at(o, "customers", 1, "id").(string)
	o = s.ok("POST", path+"/line-items", fmt.Sprintf(
		`{"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q,"orderCustomerId":%q}]}`, sku,
		when(noon), when(noon+day), rui))
	whose := func(o map[string]any) []any {
		return []any{at(o, "lineItems", 0, "orderCustomerId"), at(o, "lineItems", 1, "orderCustomerId")}
	}
	require.Equal(t, []any{ana, rui}, whose(o))
	o = s.ok("PATCH", path, fmt.Sprintf(
		`{"customers":[{"fullName":"Eva"},{"id":%q,"fullName":"Rui Costa","phone":"1"}]}`, rui))
	eva := at(o, "customers", 0, "id").(string)
	require.NotEqual(t, ana, eva)
	require.Equal(t, []any{rui, "Rui Costa"}, []any{at(o, "customers", 1, "id"), at(o, "customers", 1, "fullName")})
	require.Equal(t, []any{eva, rui}, whose(o))
	require.Equal(t, []any{eva, eva}, whose(s.ok("PATCH", path, fmt.Sprintf(`{"customers":[{"id":%q}]}`, eva))))
	s.refused(404, base.CodeNotFound, "PATCH", path, fmt.Sprintf(`{"customers":[{"id":%q}]}`, rui))
	s.refused(400, base.CodeInvalid, "PATCH", path, fmt.Sprintf(`{"customers":[{"id":%q},{"id":%q}]}`, eva, eva),
		"body /customers/1/id duplicate")

	// The main contact's own record is one of them.
	o = s.ok("POST", ordersPath, rental("draft", location, sku, noon, noon+day, 1, `,"mainContact":{"fullName":"Ana"}`))
	ana = at(o, "customers", 0, "id").(string)
	o = s.ok("PATCH", ordersPath+"/"+o["id"].(string), fmt.Sprintf(
		`{"customers":[{"fullName":"Eva"},{"id":%q,"fullName":"Ana"}]}`, ana))
	require.Equal(t, ana, at(o, "customers", 1, "id"))
}

// TestDurationIsToldInDaysOfTheCalendar tells the length of a line over a change of the clock as people count it.
func TestDurationIsToldInDaysOfTheCalendar(t *testing.T) {
	s, location, sku, _, _ := stocked(t) // in Lisbon, whose clocks go forward on 29 March 2026
	for to, want := range map[string][2]string{
		"2026-03-30T09:00:00Z": {"PT47H", "2 days"},
		"2026-03-30T12:00:00Z": {"PT50H", "2 days 3 hours"},
		"2026-03-30T08:30:00Z": {"PT46H30M", "1 day 23 hours 30 minutes"},
		"2026-03-28T10:00:01Z": {"PT1S", "1 second"},
		"2026-03-29T09:59:00Z": {"PT23H59M", "1 day 59 minutes"},
		"2026-03-29T08:59:00Z": {"PT22H59M", "22 hours 59 minutes"},
	} {
		o := s.ok("POST", ordersPath, fmt.Sprintf(`{"pickupLocationId":%q,"lineItems":[{"skuId":%q,
			"purchaseType":"booking","startDate":"2026-03-28T10:00:00Z","endDate":%q}]}`, location, sku, to))
		require.Equal(t, []any{want[0], want[1]},
			[]any{at(o, "lineItems", 0, "duration"), at(o, "lineItems", 0, "durationLabel")}, to)
	}
}
