package api

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
)

// This file holds what other systems keep on records, over the interface.

func TestExternalIDs(t *testing.T) {
	s := newShop(t)
	location := s.ok("POST", "/v1/admin/locations", `{"name":"Lisbon","timezone":"UTC"}`)["id"].(string)
	for path, body := range map[string]string{
		"/v1/admin/locations": `{"name":"Porto","timezone":"UTC"`, "/v1/admin/skus": `{"name":"Bike"`,
		"/v1/admin/articles":  `{"name":"one"`,
		"/v1/admin/customers": `{"firstName":"Ana"`, "/v1/admin/catalog": `{"name":"Bike"`,
		"/v1/admin/orders": `{"pickupLocationId":"` + location + `"`,
	} {
		r := s.ok("POST", path, body+`,"externalId":"shop-1","metadata":{"b":"2","a":"1"}}`)
		require.Equal(t, []any{"shop-1", map[string]any{"a": "1", "b": "2"}}, []any{r["externalId"], r["metadata"]},
			path)
		other := s.ok("POST", path, body+"}")
		require.Equal(t, []any{nil, map[string]any{}}, []any{other["externalId"], other["metadata"]}, path)
		s.refused(409, base.CodeConflict, "POST", path, body+`,"externalId":"shop-1"}`)
		s.refused(409, base.CodeConflict, "PATCH", path+"/"+other["id"].(string), `{"externalId":"shop-1"}`)
		s.refused(400, base.CodeInvalid, "PATCH", path+"/"+other["id"].(string),
			`{"externalId":"","metadata":{"x":7,"y":"`+strings.Repeat("y", 501)+`","z":"","z":""}}`,
			"body /externalId length", "body /metadata/x type", "body /metadata/y length", "body /metadata/z duplicate")

		r = s.ok("PATCH", path+"/"+r["id"].(string), `{"metadata":{"b":null,"c":""}}`)
		require.Equal(t, []any{"shop-1", map[string]any{"a": "1", "c": ""}}, []any{r["externalId"], r["metadata"]},
			path)
		list := func(external string) (ids []any) {
			answer := s.ok("GET", path+"?externalId="+external, "")
			rows, ok := answer["data"].([]any)
			if !ok {
				rows = answer["articles"].([]any)
			}
			require.EqualValues(t, len(rows), at(answer, "pagination", "total"), path)
			for _, row := range rows {
				ids = append(ids, at(row, "id"))
			}
			return ids
		}
		require.Equal(t, []any{r["id"]}, list("shop-1"), path)
		require.Empty(t, list("shop-2"), path)
		require.Empty(t, s.call("GET", path+"?externalId=shop-1", "", "X-API-KEY", s.other).object()["data"],
			"another account has its own")
		s.refused(400, base.CodeInvalid, "GET", path+"?externalId=", "", "query externalId length")
	}
}

func TestHoldsOfThePast(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	past := s.holdBody("sku", sku, location, noon-2*day, noon, 1)
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/holds", past, "body /lines/0/to past")
	require.Equal(t, "confirmed",
		s.ok("POST", "/v1/admin/holds", strings.TrimSuffix(past, "}")+`,"allowPast":true}`)["status"])
	require.Equal(t, "confirmed", s.ok("POST", "/v1/admin/holds",
		s.holdBody("sku", sku, location, noon-2*day, noon+1, 1))["status"], "what has begun is not over")
}
