package api

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file holds tags on the wire: whose scope a key needs, and the forms in which they are linked.

func (s *shop) tag(value, scope string) string {
	s.Helper()
	return s.ok("POST", "/v1/admin/tags", fmt.Sprintf(`{"value":%q,"scope":%q}`, value, scope))["id"].(string)
}

func tagValues(record map[string]any) (values []any) {
	for _, g := range record["tags"].([]any) {
		values = append(values, at(g, "value"))
	}
	return values
}

func TestTags(t *testing.T) {
	s := newShop(t)
	g := s.ok("POST", "/v1/admin/tags", `{"value":"Outdoor","scope":"inventory"}`)
	require.Equal(t, map[string]any{"id": g["id"], "value": "Outdoor", "scope": "inventory", "createdAt": when(noon),
		"updatedAt": when(noon)}, g)
	path := "/v1/admin/tags/" + g["id"].(string)
	s.clock.Add(1000)
	p := s.call("PATCH", path, `{"value":"Indoor"}`, "If-Match", `"1"`)
	require.Equal(t, `"2"`, p.header["Etag"])
	require.Equal(t, "Indoor", p.object()["value"])
	require.Equal(t, when(noon+1000), p.object()["updatedAt"])
	require.Equal(t, []any{p.object()}, s.ok("GET", "/v1/admin/tags", "")["data"])
	s.call("DELETE", path, "", "If-Match", `"1"`).isRefusal(412, base.CodePrecondition)

	s.call("GET", "/v1/admin/tags", "", "X-API-KEY", s.other)
	s.call("PATCH", path, `{"value":"x"}`, "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
	s.call("DELETE", path, "", "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
	s.refused(404, base.CodeNotFound, "DELETE", "/v1/admin/tags/none", "")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/tags", `{"value":"","scope":"stock","id":"x"}`,
		"body /value length", "body /scope enum", "body /id unknown")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/tags", "", "body /value required", "body /scope required")
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"value":null,"scope":"orders"}`, "body /value required",
		"body /scope unknown")
	s.refused(409, base.CodeConflict, "POST", "/v1/admin/tags", `{"value":"Indoor","scope":"inventory"}`)

	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	s.refused(404, base.CodeNotFound, "DELETE", path, "")
}

// A record shows the names of what it is labelled with, and who holds it with an old one is not told that it is the
// same.
func TestARenamedLabelIsSeen(t *testing.T) {
	s := newShop(t)
	tags := map[string]string{"/skus": "inventory", "/customers": "customers", "/catalog": "catalog"}
	names := map[string]string{"/skus": `"name":"Bike"`,
		"/customers": `"firstName":"Ada","lastName":"L","email":"ada@example.com"`, "/catalog": `"name":"Bike"`}
	for _, of := range slices.Sorted(maps.Keys(tags)) {
		tag := s.tag("red", tags[of])
		attribute := s.ok("POST", "/v1/admin/attributes",
			fmt.Sprintf(`{"name":"Colour","key":"colour%s","format":"text"}`, of[1:]))["id"].(string)
		s.clock.Add(1000)
		made := s.ok("POST", "/v1/admin"+of,
			fmt.Sprintf(`{%s,"tags":[%q],"attributes":{"colour%s":"red"}}`, names[of], tag, of[1:]))
		path := "/v1/admin" + of + "/" + made["id"].(string)
		require.Equal(t, 304, s.call("GET", path, "", "If-None-Match", `"1"`).status, of)
		for _, rename := range [][2]string{{"/v1/admin/tags/" + tag, `{"value":"crimson"}`},
			{"/v1/admin/attributes/" + attribute, `{"name":"Color"}`}, {"/v1/admin/tags/" + tag, ""}} {
			s.clock.Add(1000)
			was := s.call("GET", path, "")
			if rename[1] != "" {
				s.ok("PATCH", rename[0], rename[1])
			} else {
				require.Equal(t, 200, s.call("DELETE", rename[0], "").status)
			}
			now := s.call("GET", path, "", "If-None-Match", was.header["Etag"])
			require.Equal(t, 200, now.status, of)
			require.NotEqual(t, string(was.body), string(now.body), of)
			s.clock.Add(1000)
			// A change of its own: from then on it is told apart again.
			patched := s.call("PATCH", path, fmt.Sprintf(`{"attributes":{"colour%s":%q}}`, of[1:], "after "+rename[1]))
			require.Equal(t, 304, s.call("GET", path, "", "If-None-Match", patched.header["Etag"]).status, of)
		}
	}
}

func TestTagsByScopeOfTheKey(t *testing.T) {
	s := newShop(t)
	scopes := map[string]string{"inventory": "inventory.stock_items", "catalog": "catalog.listings",
		"customers": "customers", "orders": "orders.details"}
	tags := map[string]string{}
	for _, scope := range []string{"inventory", "catalog", "customers", "orders"} {
		tags[scope] = s.tag(scope, scope)
	}
	n := 0
	for own, area := range scopes {
		n++
		key := s.newKey(s.account,
			engine.CreateKey{PublicID: fmt.Sprintf("wwwwwww%d", n), Scopes: []string{area + ".write"}})
		reader := s.newKey(s.account,
			engine.CreateKey{PublicID: fmt.Sprintf("rrrrrrr%d", n), Scopes: []string{area + ".read"}})
		for _, k := range []string{key, reader} {
			list := s.ok("GET", "/v1/admin/tags", "", "X-API-KEY", k)
			require.Equal(t, 1.0, at(list, "pagination", "total"))
			require.Equal(t, own, at(list, "data", 0, "scope"))
		}
		for of, id := range tags {
			body := fmt.Sprintf(`{"value":"more","scope":%q}`, of)
			if of == own {
				made := s.ok("POST", "/v1/admin/tags", body, "X-API-KEY", key)["id"].(string)
				s.ok("PATCH", "/v1/admin/tags/"+made, `{"value":"x"}`, "X-API-KEY", key)
				s.call("PATCH", "/v1/admin/tags/"+made, `{"value":"x"}`, "X-API-KEY", reader).
					isRefusal(403, base.CodeMissingScope)
				require.Equal(t, 200, s.call("DELETE", "/v1/admin/tags/"+made, "", "X-API-KEY", key).status)
				continue
			}
			for _, a := range []*answer{
				s.call("POST", "/v1/admin/tags", body, "X-API-KEY", key),
				s.call("PATCH", "/v1/admin/tags/"+id, `{"value":"x"}`, "X-API-KEY", key),
				s.call("DELETE", "/v1/admin/tags/"+id, "", "X-API-KEY", key),
			} {
				a.isRefusal(403, base.CodeMissingScope)
				require.Equal(t, []any{scopes[of] + ".write"}, at(a.object(), "details", "requiredScopes"))
			}
		}
		// faults come first
		s.call("POST", "/v1/admin/tags", `{"value":"","scope":"orders"}`, "X-API-KEY", key).
			isRefusal(400, base.CodeInvalid, "body /value length")
		s.call("PATCH", "/v1/admin/tags/none", `{"value":"x"}`, "X-API-KEY", key).isRefusal(404, base.CodeNotFound)
	}
	two := s.newKey(s.account,
		engine.CreateKey{PublicID: "twotwo22", Scopes: []string{"orders.read", "catalog.listings.read"}})
	list := s.ok("GET", "/v1/admin/tags?page=2&pageSize=1", "", "X-API-KEY", two)
	require.Equal(t, 2.0, at(list, "pagination", "total"))
	require.Equal(t, "orders", at(list, "data", 0, "scope"))
	none := s.newKey(s.account, engine.CreateKey{PublicID: "nonenone", Scopes: []string{"inventory.skus.write"}})
	s.call("GET", "/v1/admin/tags", "", "X-API-KEY", none).isRefusal(403, base.CodeMissingScope)
}

func TestLinkingTags(t *testing.T) {
	s, _, sku, article, _ := stocked(t)
	a, b, other := s.tag("a", "inventory"), s.tag("b", "inventory"), s.tag("c", "customers")
	foreign := s.ok("POST", "/v1/admin/tags", `{"value":"x","scope":"inventory"}`, "X-API-KEY", s.other)["id"].(string)
	for _, path := range []string{"/v1/admin/skus/" + sku, "/v1/admin/articles/" + article} {
		link := path + "/tags"
		require.Empty(t, s.ok("GET", path, "")["tags"])
		first := s.ok("POST", link, fmt.Sprintf(`{"tagIds":[%q]}`, b))
		require.Equal(t, []any{"b"}, tagValues(first))
		second := s.ok("POST", link, fmt.Sprintf(`{"tagIds":[%q,%q]}`, a, b))
		require.Equal(t, []any{"b", "a"}, tagValues(second))
		require.Equal(t, second["tags"], s.ok("GET", path, "")["tags"])
		require.Equal(t, []any{"b", "a"}, tagValues(s.ok("POST", link, fmt.Sprintf(`{"tagIds":[%q,%q]}`, a, a))))

		for _, method := range []string{"POST", "DELETE"} {
			s.refused(400, base.CodeInvalid, method, link, "", "body /tagIds required")
			s.refused(400, base.CodeInvalid, method, link, `{"tagIds":null}`, "body /tagIds required")
			s.refused(400, base.CodeInvalid, method, link, `{"tagIds":[]}`, "body /tagIds length")
			s.refused(400, base.CodeInvalid, method, link, `{"tagIds":"x"}`, "body /tagIds type")
			s.refused(400, base.CodeInvalid, method, link+"?tagId="+a, "", "query tagId unknown",
				"body /tagIds required")
			body := fmt.Sprintf(`{"tagIds":[%q]}`, a)
			s.refused(404, base.CodeNotFound, method, path[:len(path)-len(a)]+a+"/tags", body)
			s.call(method, link, body, "X-API-KEY", s.other).isRefusal(404, base.CodeNotFound)
		}
		s.refused(400, base.CodeInvalid, "DELETE", link+"?tagIds="+a, fmt.Sprintf(`{"tagIds":[%q]}`, b),
			"query tagIds exclusive")
		s.refused(400, base.CodeInvalid, "POST", link+"?tagIds="+a, "", "query tagIds unknown", "body /tagIds required")
		s.refused(404, base.CodeNotFound, "POST", link, `{"tagIds":["none"]}`)
		s.refused(404, base.CodeNotFound, "POST", link, fmt.Sprintf(`{"tagIds":[%q]}`, foreign))
		s.refused(400, base.CodeInvalid, "POST", link, fmt.Sprintf(`{"tagIds":[%q,%q]}`, a, other),
			"body /tagIds/1 scope")
		s.refused(400, base.CodeInvalid, "PATCH", path, fmt.Sprintf(`{"name":"","tags":[%q]}`, other),
			"body /name length", "body /tags/0 scope")
		s.refused(404, base.CodeNotFound, "PATCH", path, `{"tags":["none"]}`)

		tag := s.call("PATCH", path, `{}`).header["Etag"]
		s.call("DELETE", link+"?tagIds="+a, "", "If-Match", `"1"`).isRefusal(412, base.CodePrecondition)
		require.Equal(t, "null", string(s.call("DELETE", link+"?tagIds="+a+"&tagIds="+other, "", "If-Match", tag).body))
		require.Equal(t, []any{"b"}, tagValues(s.ok("GET", path, "")))
		require.Equal(t, "null", string(s.call("DELETE", link, fmt.Sprintf(`{"tagIds":[%q]}`, a)).body),
			"not linked is no fault")

		require.Equal(t, []any{"a", "b"}, tagValues(s.ok("PATCH", path, fmt.Sprintf(`{"tags":[%q,%q]}`, a, b))))
		require.Empty(t, s.ok("PATCH", path, `{"tags":null}`)["tags"])
		s.ok("PATCH", path, fmt.Sprintf(`{"tags":[%q,%q]}`, a, b))
	}
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/skus/none/tags", `{"tagIds":["`+a+`"]}`, "path id format")
	s.refused(404, base.CodeNotFound, "POST", "/v1/admin/articles/none/tags", `{"tagIds":["`+a+`"]}`)
	made := s.ok("POST", "/v1/admin/articles", fmt.Sprintf(`{"name":"x","skuId":%q,"tags":[%q]}`, sku, b))
	require.Equal(t, []any{"b"}, tagValues(made))
	require.Equal(t, []any{"a", "b"}, tagValues(made["sku"].(map[string]any)))
	require.Equal(t, []any{"b"}, tagValues(s.ok("POST", "/v1/admin/skus", fmt.Sprintf(`{"name":"x","tags":[%q]}`, b))))

	// A new value is shown, a deleted tag is not, wherever it was linked.
	revision := s.call("GET", "/v1/admin/skus/"+sku, "").header["Etag"]
	s.ok("PATCH", "/v1/admin/tags/"+b, `{"value":"B"}`)
	require.Equal(t, revision, s.call("GET", "/v1/admin/skus/"+sku, "").header["Etag"],
		"the tag's record changed, the SKU's own did not")
	require.Equal(t, []any{"a", "B"}, tagValues(s.ok("GET", "/v1/admin/skus/"+sku, "")))
	s.call("DELETE", "/v1/admin/tags/"+a, "")
	require.Equal(t, []any{"B"}, tagValues(s.ok("GET", "/v1/admin/skus/"+sku, "")))
	require.Equal(t, []any{"B"}, tagValues(s.ok("GET", "/v1/admin/articles/"+article, "")))
	require.NotEqual(t, revision, s.call("GET", "/v1/admin/skus/"+sku, "").header["Etag"])

	// Inventory is written with the record's own scope.
	key := s.newKey(s.account, engine.CreateKey{PublicID: "skuskusk", Scopes: []string{"inventory.skus.write"}})
	require.Equal(t, 200,
		s.call("POST", "/v1/admin/skus/"+sku+"/tags", `{"tagIds":["`+b+`"]}`, "X-API-KEY", key).status)
	s.call("POST", "/v1/admin/articles/"+article+"/tags", `{"tagIds":["`+b+`"]}`, "X-API-KEY", key).
		isRefusal(403, base.CodeMissingScope)
}

func TestTagIDsOfAQueryMayHaveCommasBetween(t *testing.T) {
	s := newShop(t)
	a, b, c := s.tag("a", "catalog"), s.tag("b", "catalog"), s.tag("c", "catalog")
	item := s.ok("POST", "/v1/admin/catalog", fmt.Sprintf(`{"name":"Bike","tags":[%q,%q,%q]}`, a, b, c))
	path := "/v1/admin/catalog/" + item["id"].(string)
	require.Equal(t, "null", string(s.call("DELETE", path+"/tags?tagIds="+a+","+b, "").body))
	require.Equal(t, []any{"c"}, tagValues(s.ok("GET", path, "")))
	require.Equal(t, "null", string(s.call("DELETE", path+"/tags?tagIds[]="+a+"&tagIds="+b+","+c, "").body))
	require.Empty(t, tagValues(s.ok("GET", path, "")))
	for _, unknown := range []string{nobodyID, a + "," + nobodyID, "none"} {
		s.refused(404, base.CodeNotFound, "DELETE", path+"/tags?tagIds="+unknown, "")
	}
}
