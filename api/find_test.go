package api

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file holds what lists are asked for, over the interface: words, codes, and what holds are of.

// listed are the ids of a list.
func (s *shop) listed(path string) (ids []any) {
	s.Helper()
	res := s.ok("GET", path, "")
	for _, r := range listOf(res["data"]) {
		ids = append(ids, at(r, "id"))
	}
	require.EqualValues(s, len(ids), at(res, "pagination", "total"), path)
	return ids
}

func TestRecordsAreFound(t *testing.T) {
	s := newShop(t)
	made := func(path, body string) any { return s.ok("POST", path, body)["id"] }
	ann := made("/v1/admin/customers",
		`{"firstName":"José","lastName":"Müller","email":"Jose@Example.com","companyName":"Räder AG","phone":"+49 170"}`)
	bob := made("/v1/admin/customers", `{"firstName":"Bob","lastName":"Mull"}`)
	for query, want := range map[string][]any{
		"search=MULL": {ann, bob}, "search=m%C3%BCll%20jos": {ann}, "search=rad": {ann}, "search=170": {ann},
		"search=nobody": nil, "search=ull": nil, "search=!": nil,
		"email=jose@example.com": {ann}, "email=jose": nil, "email=jose@example.com&search=bob": nil, "": {ann, bob},
	} {
		require.Equal(t, want, s.listed("/v1/admin/customers?"+query), query)
	}
	bike := made("/v1/admin/skus", `{"name":"Cargo bike","code":"CB-7"}`)
	for query, want := range map[string][]any{"search=bik": {bike}, "search=cb-7": {bike}, "code=cb-7": {bike},
		"code=cb": nil, "search=argo": nil} {
		require.Equal(t, want, s.listed("/v1/admin/skus?"+query), query)
	}
	place := made("/v1/admin/locations",
		`{"name":"Harbour","timezone":"UTC","address":{"city":"Łódź","zipCode":"90-001"}}`)
	for query, want := range map[string][]any{"search=lodz": {place}, "search=90": {place},
		"search=harb%20lod": {place}, "search=porto": nil} {
		require.Equal(t, want, s.listed("/v1/admin/locations?"+query), query)
	}
	vip, late := s.tag("VIP guest", "customers"), s.tag("Late guest", "orders")
	for query, want := range map[string][]any{
		"search=guest": {vip, late}, "search=guest&scope=orders": {late}, "scope=customers&scope=orders": {vip, late},
		"scope=catalog": nil, "search=vi": {vip},
	} {
		require.Equal(t, want, s.listed("/v1/admin/tags?"+query), query)
	}
	s.refused(400, base.CodeInvalid, "GET", "/v1/admin/tags?scope=x&search="+strings.Repeat("x", 256), "",
		"query scope enum", "query search length")
	s.refused(400, base.CodeInvalid, "GET", "/v1/admin/skus?email=x&code=", "", "query code length",
		"query email unknown")
}

func TestHoldsAreFound(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	other := s.ok("POST", "/v1/admin/skus", `{"name":"Other"}`)["id"].(string)
	hold := func(from int64, more string) any {
		return s.ok("POST", "/v1/admin/holds",
			strings.TrimSuffix(s.holdBody("sku", sku, location, from, from+hour, 1), "}")+more+"}")["id"]
	}
	ann := s.ok("POST", "/v1/admin/customers", `{"firstName":"Ann"}`)["id"].(string)
	a, b := hold(noon+hour, `,"note":"call Ann","customerId":"`+ann+`"`), hold(noon+5*hour, `,"expiresInSeconds":60`)
	c := hold(noon+5*hour, "")
	s.call("DELETE", "/v1/admin/holds/"+c.(string), "")
	for query, want := range map[string][]any{
		"": {a, b, c}, "direction=desc": {c, b, a}, "status=held": {b}, "status=confirmed&status=released": {a, c},
		"skuId=" + sku: {a, b, c}, "skuId=" + other: nil, "search=ann": {a}, "customerId=" + ann: {a},
		"customerId=" + nobodyID:        nil,
		"serviceLocationId=" + location: {a, b, c}, "serviceLocationId=" + nobodyID: nil, "articleId=" + nobodyID: nil,
		"catalogItemId=" + nobodyID: nil,
		"dateRange[from]=" + when(noon+5*hour) + "&dateRange[to]=" + when(noon+6*hour) + "&direction=desc": {c, b},
	} {
		require.Equal(t, want, s.listed("/v1/admin/holds?"+query), query)
	}
	require.Equal(t, []any{ann, nil}, []any{s.ok("GET", "/v1/admin/holds/"+a.(string), "")["customerId"],
		s.ok("GET", "/v1/admin/holds/"+b.(string), "")["customerId"]})
	units := s.ok("GET", "/v1/admin/holds/"+a.(string)+"/unavailabilities", "")["data"].([]any)
	require.Equal(t, []any{sku, nil}, []any{at(units[0], "ordered", "skuId"), at(units[0], "ordered", "articleId")})
	require.Equal(t, units, at(s.ok("GET", "/v1/admin/holds/"+a.(string), ""), "lines", 0, "unavailabilities"))
	s.refused(409, base.CodeInUse, "POST", "/v1/admin/customers/"+ann+"/erase", "")
	require.Equal(t, ann, s.ok("PATCH", "/v1/admin/holds/"+b.(string), `{"customerId":"`+ann+`"}`)["customerId"])
	require.Equal(t, []any{a, b}, s.listed("/v1/admin/holds?customerId="+ann))
	require.Nil(t, s.ok("PATCH", "/v1/admin/holds/"+a.(string), `{"customerId":null}`)["customerId"])
	order := s.ok("POST", "/v1/admin/holds/"+b.(string)+"/order", "{}")
	require.Equal(t, ann, at(order, "mainContact", "crmCustomerId"))
	s.refused(400, base.CodeInvalid, "GET",
		"/v1/admin/holds?status=x&skuId=x&dateRange[from]="+when(noon)+"&dateRange[to]="+when(noon-1)+"&owner=1", "",
		"query status enum", "query skuId format", "query owner unknown", "query dateRange[to] order")
}
