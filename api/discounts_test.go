package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file owns the tests of discount codes over the interface.

const discountCodes = "/v1/admin/discount-codes"

func TestDiscountCodes(t *testing.T) {
	s := newShop(t)
	item := s.ok("POST", "/v1/admin/catalog", `{"name":"Bike"}`)["id"].(string)
	a := s.call("POST", discountCodes, `{"code":"Summer","valueType":"percentage","value":15}`)
	d := a.object()
	id := d["id"].(string)
	require.Equal(t, map[string]any{
		"id": id, "code": "Summer", "valueType": "percentage", "value": 15.0, "currency": nil,
		"applicablePurchaseTypes": []any{"booking", "sale", "subscription"},
		"usageLimit":              nil, "usedCount": 0.0, "startsAt": nil, "endsAt": nil, "catalogItemIds": nil,
		"subscriptionDuration": "once", "subscriptionDurationCycles": nil,
		"createdAt": when(noon), "updatedAt": when(noon),
	}, d)
	require.Equal(t, `"1"`, a.header["Etag"])
	path := discountCodes + "/" + id
	require.Equal(t, d, s.ok("GET", path, ""))
	require.Equal(t, 304, s.call("GET", path, "", "If-None-Match", `"1"`).status)

	s.clock.Add(1000)
	p := s.ok("PATCH", path, fmt.Sprintf(`{"valueType":"fixed_per_item","value":2500,"applicablePurchaseTypes":["subscription"],"usageLimit":1,"startsAt":"2025-06-01T02:00:00+02:00",
		"endsAt":"2025-07-01T00:00:00Z","catalogItemIds":[%q],"subscriptionDuration":"repeating","subscriptionDurationCycles":6}`, item), "If-Match", `"1"`)
	require.Equal(t, map[string]any{
		"id": id, "code": "Summer", "valueType": "fixed_per_item", "value": 2500.0, "currency": "EUR",
		"applicablePurchaseTypes": []any{"subscription"}, "usageLimit": 1.0, "usedCount": 0.0,
		"startsAt": "2025-06-01T00:00:00.000Z", "endsAt": "2025-07-01T00:00:00.000Z", "catalogItemIds": []any{item},
		"subscriptionDuration":       "repeating",
		"subscriptionDurationCycles": 6.0, "createdAt": when(noon), "updatedAt": when(noon + 1000),
	}, p)
	s.call("PATCH", path, `{}`, "If-Match", `"1"`).isRefusal(412, base.CodePrecondition)
	p = s.ok("PATCH", path,
		`{"applicablePurchaseTypes":null,"usageLimit":null,"startsAt":null,"endsAt":null,"catalogItemIds":null,"subscriptionDuration":null,"subscriptionDurationCycles":null}`)
	for name, want := range d {
		if name != "valueType" && name != "value" && name != "currency" && name != "updatedAt" {
			require.Equal(t, want, p[name], name)
		}
	}

	s.refused(409, base.CodeConflict, "POST", discountCodes, `{"code":"sUMMER","valueType":"percentage","value":1}`)
	s.refused(404, base.CodeNotFound, "POST", discountCodes,
		fmt.Sprintf(`{"code":"x","valueType":"percentage","value":1,"catalogItemIds":[%q]}`, id))
	s.refused(400, base.CodeInvalid, "POST", discountCodes, "", "body /code required", "body /valueType required",
		"body /value required")
	s.refused(400, base.CodeInvalid, "POST", discountCodes, `{"code":"`+strings.Repeat("x", 65)+`","valueType":"gift","value":0,"applicablePurchaseTypes":["sale","sale"],"usageLimit":0,
		"startsAt":"2025-07-01T00:00:00Z","endsAt":"2025-07-01T00:00:00Z","catalogItemIds":[],"subscriptionDuration":"twice","subscriptionDurationCycles":0,"usedCount":1}`,
		"body /code length", "body /valueType enum", "body /value range", "body /usageLimit range",
		"body /catalogItemIds length", "body /subscriptionDuration enum",
		"body /subscriptionDurationCycles range", "body /usedCount unknown",
		"body /applicablePurchaseTypes/1 duplicate", "body /endsAt order")
	s.refused(400, base.CodeInvalid, "POST", discountCodes,
		`{"code":"x","valueType":"percentage","value":101,"subscriptionDurationCycles":2}`,
		"body /value range", "body /subscriptionDurationCycles forbidden")
	// One that hangs on a value that could not be read is not said beside it.
	s.refused(400, base.CodeInvalid, "POST", discountCodes,
		`{"code":"x","valueType":"percentage","value":1,"subscriptionDuration":"twice","subscriptionDurationCycles":2}`,
		"body /subscriptionDuration enum")
	s.refused(400, base.CodeInvalid, "POST", discountCodes, `{"code":"x","valueType":"gift","value":500}`,
		"body /valueType enum")
	s.refused(400, base.CodeInvalid, "POST", discountCodes, `{"code":"x","value":500}`, "body /valueType required")
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"code":null,"valueType":"percentage","value":2500}`,
		"body /code required")
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"valueType":"percentage"}`, "body /value range")
	s.refused(404, base.CodeNotFound, "GET", discountCodes+"/Summer", "")

	s.ok("POST", discountCodes, `{"code":"winter","valueType":"fixed_per_order","value":1}`)
	codes := func(query string) (list []any) {
		for _, d := range s.ok("GET", discountCodes+query, "")["data"].([]any) {
			list = append(list, at(d, "code"))
		}
		return list
	}
	require.Equal(t, []any{"Summer", "winter"}, codes(""))
	require.Equal(t, []any{"winter"}, codes("?pageSize=1&page=2"))
	require.Equal(t, []any{"winter"}, codes("?search=WI"))
	require.Empty(t, codes("?search=winter&page=2"))
	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	s.refused(404, base.CodeNotFound, "DELETE", path, "")
	require.Empty(t, s.ok("GET", discountCodes, "", "X-API-KEY", s.other)["data"])
	s.ok("POST", discountCodes, `{"code":"winter","valueType":"fixed_per_order","value":1}`, "X-API-KEY", s.other)
	require.Equal(t, []string{"account created", "apiKey created", "catalogItem created", "discountCode created",
		"discountCode updated", "discountCode updated",
		"discountCode created", "discountCode deleted"}, lines(s.call("GET", changesPath, "")))
}
