package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file owns the stories of whom an order is for: kept, and erased.

func TestAnOrderOutlivesItsCustomer(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	const customers = "/v1/admin/customers"
	ann := s.ok("POST", customers,
		`{"firstName":"Ann","email":"ann@example.com","taxId":"PT1","billingAddress":{"city":"Lisboa"}}`)["id"].(string)
	order := s.ok("POST", ordersPath, rental("open", location, sku, noon+day, noon+2*day, 1,
		`,"customerId":"`+ann+`","note":"rings twice"`))["id"].(string)
	s.refused(409, base.CodeInUse, "DELETE", customers+"/"+ann, "")
	s.refused(409, base.CodeInUse, "POST", customers+"/"+ann+"/erase", "")
	s.ok("POST", ordersPath+"/"+order+"/cancel", "")
	s.ok("PATCH", customers+"/"+ann, `{"firstName":"Anna"}`)
	r := s.ok("GET", ordersPath+"/"+order, "")
	require.Equal(t, "Ann", at(r, "mainContact", "firstName"))

	erased := s.ok("POST", customers+"/"+ann+"/erase", "")
	require.Equal(t, []any{map[string]any{"orderId": order, "comments": 0.0, "notes": 1.0}}, erased["remarks"])
	require.Equal(t, false, erased["complete"])
	require.NotNil(t, at(erased, "keptLog", "bytes"))
	s.refused(409, base.CodeStateNotAllowed, "DELETE", customers+"/"+ann, "")
	require.Equal(t, erased["erasedAt"], s.ok("GET", customers+"/"+ann, "")["erasedAt"])
	r = s.ok("GET", ordersPath+"/"+order, "")
	require.Equal(t, []any{nil, nil, ann}, []any{at(r, "mainContact", "firstName"),
		at(r, "mainContact", "billingAddress"), at(r, "mainContact", "crmCustomerId")})

	// One who is deleted leaves it as it was.
	ben := s.ok("POST", customers, `{"firstName":"Ben","taxId":"PT2"}`)["id"].(string)
	order = s.ok("POST", ordersPath,
		rental("open", location, sku, noon+day, noon+2*day, 1, `,"customerId":"`+ben+`"`))["id"].(string)
	s.ok("POST", ordersPath+"/"+order+"/cancel", "")
	before := s.ok("GET", ordersPath+"/"+order, "")
	s.ok("DELETE", customers+"/"+ben, "")
	require.Equal(t, before, s.ok("GET", ordersPath+"/"+order, ""))
	require.Equal(t, "PT2", at(before, "mainContact", "taxId"))
}
