package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file holds customers on the wire.

func TestCustomers(t *testing.T) {
	s := newShop(t)
	vip := s.tag("VIP", "customers")
	s.ok("POST", "/v1/admin/attributes", `{"name":"Note","key":"note","format":"text"}`)
	s.clock.Add(1)
	body := fmt.Sprintf(`{"firstName":"Ann","lastName":"Lee","email":"ann@example.com","phone":"+351 1","marketingConsent":true,"dateOfBirth":"1980-02-29",
		"billingAddress":{"address":"Main Street 1","zipCode":"1000","city":"Lisboa","country":"PT","state":"LX","details":"2nd floor","deliveryNotes":"ring twice"},
		"customerType":"business","companyName":"Lee Ltd","taxId":"PT1","language":"pt-PT","tags":[%q],"attributes":{"note":"n"}}`, vip)
	m := s.ok("POST", "/v1/admin/customers", body)
	require.Equal(t, []any{"VIP"}, tagValues(m))
	require.Equal(t, "customer", at(m, "attributes", 0, "origin"))
	require.Equal(t, map[string]any{
		"id": m["id"], "firstName": "Ann", "lastName": "Lee", "fullName": "Ann Lee", "email": "ann@example.com",
		"phone": "+351 1", "marketingConsent": true,
		"dateOfBirth": "1980-02-29", "shippingAddress": nil, "customerType": "business", "companyName": "Lee Ltd",
		"taxId": "PT1", "language": "pt-PT", "erasedAt": nil,
		"billingAddress": map[string]any{"address": "Main Street 1", "zipCode": "1000", "city": "Lisboa",
			"country": "PT", "state": "LX", "details": "2nd floor", "deliveryNotes": "ring twice"},
		"tags": m["tags"], "attributes": m["attributes"], "createdAt": when(noon + 1),
		"updatedAt":  when(noon + 1),
		"externalId": nil, "metadata": map[string]any{},
	}, m)
	path := "/v1/admin/customers/" + m["id"].(string)
	require.Equal(t, m, s.ok("GET", path, ""))
	require.Equal(t, []any{m}, s.ok("GET", "/v1/admin/customers", "")["data"])
	require.Equal(t, 304, s.call("GET", path, "", "If-None-Match", `"1"`).status)

	s.clock.Add(1000)
	p := s.call("PATCH", path,
		`{"lastName":null,"shippingAddress":{"city":"Porto"},"billingAddress":null,"marketingConsent":null,"attributes":{"note":null}}`, "If-Match", `"1"`)
	require.Equal(t, `"2"`, p.header["Etag"])
	n := p.object()
	require.Equal(t, "Ann", n["fullName"])
	require.Equal(t, "Porto", at(n, "shippingAddress", "city"))
	require.Nil(t, n["billingAddress"])
	require.Equal(t, false, n["marketingConsent"])
	require.Empty(t, n["attributes"])
	require.Equal(t, m["tags"], n["tags"])
	require.Equal(t, when(noon+1001), n["updatedAt"])
	n = s.ok("PATCH", path, `{"shippingAddress":{"details":"x","deliveryNotes":"ring","country":null}}`)
	require.Equal(t, map[string]any{
		"address": nil, "zipCode": nil, "city": "Porto", "country": nil, "state": nil, "details": "x",
		"deliveryNotes": "ring",
	}, n["shippingAddress"], "an address is merged, too")

	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/customers", "", "body  required")
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"firstName":null,"email":null,"phone":null,"companyName":null}`,
		"body  required")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/customers",
		`{"firstName":5,"email":"ann","dateOfBirth":"yesterday","customerType":"firm","language":"pt_PT","billingAddress":{"street":"x"},"fullname":"x","attributes":{"none":1}}`,
		"body /firstName type", "body /customerType enum", "body /billingAddress/street unknown",
		"body /fullname unknown", "body /email format", "body /dateOfBirth format",
		"body /language format", "body /attributes/none unknown")
	for _, a := range []*answer{
		s.call("GET", path, "", "X-API-KEY", s.other), s.call("PATCH", path, `{}`, "X-API-KEY", s.other),
		s.call("DELETE", path, "", "X-API-KEY", s.other),
	} {
		a.isRefusal(404, base.CodeNotFound)
	}
	require.Empty(t, s.ok("POST", path+"/tags",
		`{"tagIds":["`+s.tag("b", "customers")+`"]}`)["shippingAddress"].(map[string]any)["address"])
	require.Equal(t, "null", string(s.call("DELETE", path+"/tags?tagIds="+vip, "").body))
	require.Equal(t, []any{"b"}, tagValues(s.ok("GET", path, "")))
	s.refused(400, base.CodeInvalid, "POST", path+"/tags", `{"tagIds":["`+s.tag("c", "orders")+`"]}`,
		"body /tagIds/0 scope")
	s.call("DELETE", path, "", "If-Match", `"1"`).isRefusal(412, base.CodePrecondition)
	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	s.refused(404, base.CodeNotFound, "GET", path, "")
	s.refused(404, base.CodeNotFound, "DELETE", path, "")
}
