package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file holds attributes and their values on the wire.

// values are a record's attribute values by key.
func values(record map[string]any) map[string]any {
	m := map[string]any{}
	for _, v := range record["attributes"].([]any) {
		m[at(v, "key").(string)] = at(v, "value")
	}
	return m
}

func TestAttributes(t *testing.T) {
	s := newShop(t)
	d := s.ok("POST", "/v1/admin/attributes",
		`{"name":"Colour","key":"colour","format":"select","options":[{"name":"red"},{"name":"blue"}],"group":"Look"}`)
	red := at(d, "options", 0, "id").(string)
	require.Equal(t, map[string]any{
		"id": d["id"], "name": "Colour", "key": "colour", "format": "select", "groupId": d["groupId"],
		"groupName": "Look", "systemGroup": nil,
		"options": []any{map[string]any{"id": red, "name": "red"},
			map[string]any{"id": at(d, "options", 1, "id"), "name": "blue"}},
		"createdAt": when(noon), "updatedAt": when(noon),
	}, d)
	path := "/v1/admin/attributes/" + d["id"].(string)
	g := s.call("GET", path, "")
	require.Equal(t, `"1"`, g.header["Etag"])
	require.Equal(t, d, g.object())
	require.Equal(t, 304, s.call("GET", path, "", "If-None-Match", `"1"`).status)
	require.Equal(t, []any{d}, s.ok("GET", "/v1/admin/attributes", "")["data"])
	plain := s.ok("POST", "/v1/admin/attributes", `{"name":"Note","key":"note","format":"text"}`)
	require.Nil(t, plain["groupId"])
	require.Empty(t, plain["options"])

	s.clock.Add(1000)
	p := s.ok("PATCH", path,
		fmt.Sprintf(`{"name":"Color","options":[{"id":%q,"name":"crimson"},{"name":"green"}],"group":null}`, red),
		"If-Match", `"1"`)
	require.Equal(t, "Color", p["name"])
	require.Equal(t, "colour", p["key"])
	require.Equal(t, map[string]any{"id": red, "name": "crimson"}, at(p, "options", 0))
	require.Nil(t, p["groupName"])
	require.Equal(t, when(noon+1000), p["updatedAt"])
	s.call("PATCH", path, `{}`, "If-Match", `"1"`).isRefusal(412, base.CodePrecondition)

	s.refused(409, base.CodeConflict, "POST", "/v1/admin/attributes", `{"name":"x","key":"colour","format":"text"}`)
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/attributes",
		`{"name":"","key":"a b","format":"color","options":[{"id":"x"}],"systemGroup":null}`,
		"body /name length", "body /format enum", "body /options/0/id unknown", "body /options/0/name required",
		"body /systemGroup unknown", "body /key format")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/attributes", `{"name":"x","key":"x","format":"select"}`,
		"body /options length")
	s.refused(400, base.CodeInvalid, "PATCH", path, `{"name":null,"format":"text"}`, "body /name required",
		"body /format unknown")
	s.refused(400, base.CodeInvalid, "PATCH", path,
		fmt.Sprintf(`{"key":"","options":[{"id":%q,"name":"x"},{"name":"x"}]}`, d["groupId"]),
		"body /key length", "body /options/1/name duplicate", "body /options/0/id unknown")
	s.refused(400, base.CodeInvalid, "PATCH", "/v1/admin/attributes/"+plain["id"].(string),
		`{"options":[{"name":"x"}]}`, "body /options forbidden")
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/attributes",
		`{"name":"x","key":"x","format":"color","options":[{"name":"x"}]}`, "body /format enum")
	for _, none := range []string{"null", "[]"} { // as it was read, or as it has none
		require.Equal(t, plain, s.ok("PATCH", "/v1/admin/attributes/"+plain["id"].(string), `{"options":`+none+`}`))
		s.refused(400, base.CodeInvalid, "PATCH", path, `{"options":`+none+`}`, "body /options length")
	}
	for _, other := range []*answer{
		s.call("GET", path, "", "X-API-KEY", s.other), s.call("PATCH", path, `{}`, "X-API-KEY", s.other),
		s.call("DELETE", path, "", "X-API-KEY", s.other),
		s.call("GET", "/v1/admin/attributes/"+red, ""),
	} {
		other.isRefusal(404, base.CodeNotFound)
	}
	require.Equal(t, "null", string(s.call("DELETE", path, "").body))
	s.refused(404, base.CodeNotFound, "DELETE", path, "")
}

func TestAttributeValues(t *testing.T) {
	s, _, sku, article, _ := stocked(t)
	for _, format := range []string{"text", "number", "boolean", "date", "datetime", "formula", "smart_field"} {
		s.ok("POST", "/v1/admin/attributes",
			fmt.Sprintf(`{"name":"The %s","key":%q,"format":%q,"group":"G"}`, format, format, format))
	}
	for _, format := range []string{"select", "multiselect"} {
		s.ok("POST", "/v1/admin/attributes",
			fmt.Sprintf(`{"name":"The %s","key":%q,"format":%q,"options":[{"name":"red"},{"name":"blue"}]}`, format,
				format, format))
	}
	all := `{"text":"a","number":-1.5e2,"boolean":false,"date":"2024-02-29","datetime":"2025-06-01T12:00:00.5+02:00","formula":7,"smart_field":true,"select":"red","multiselect":["blue","red"]}`
	want := map[string]any{"text": "a", "number": -150.0, "boolean": false, "date": "2024-02-29",
		"datetime": "2025-06-01T10:00:00.500Z", "formula": 7.0,
		"smart_field": true, "select": "red", "multiselect": []any{"blue", "red"}}

	for _, origin := range []string{"article", "sku"} {
		path := map[string]string{"sku": "/v1/admin/skus/" + sku, "article": "/v1/admin/articles/" + article}[origin]
		record := s.ok("PATCH", path, `{"attributes":`+all+`}`)
		require.Equal(t, want, values(record))
		first := at(record, "attributes", 0)
		require.Equal(t, map[string]any{"id": at(first, "id"), "name": "The text", "key": "text", "value": "a",
			"format": "text", "groupId": at(first, "groupId"), "groupName": "G",
			"systemGroup": nil, "origin": origin, "smartFieldMeta": nil}, first)
		require.Equal(t, record["attributes"], s.ok("GET", path, "")["attributes"])
		require.Equal(t, record["attributes"], s.ok("PATCH", path, `{"attributes":{}}`)["attributes"])
		less := s.ok("PATCH", path, `{"attributes":{"text":null,"multiselect":[],"number":0}}`)
		require.Equal(t, 0.0, values(less)["number"])
		require.Len(t, values(s.ok("GET", path, "")), 7)
		s.refused(400, base.CodeInvalid, "PATCH", path,
			`{"name":"","attributes":{"text":{"x":1},"text":"y","number":1e999,"none":[],"date":"2025-02-30","multiselect":["red",5]}}`,
			"body /name length", "body /attributes/text type", "body /attributes/text duplicate",
			"body /attributes/number range", "body /attributes/multiselect/1 type",
			"body /attributes/none unknown", "body /attributes/date format")
		s.refused(400, base.CodeInvalid, "PATCH", path,
			`{"attributes":{"select":"green","multiselect":["red","red"],"a/b":1}}`,
			"body /attributes/select enum", "body /attributes/multiselect/1 duplicate", "body /attributes/a~1b unknown")
		s.refused(400, base.CodeInvalid, "PATCH", path, `{"attributes":[]}`, "body /attributes type")
		s.ok("PATCH", path, `{"attributes":`+all+`}`)
	}

	// An article shows its SKU's where it has none of its own.
	r := s.ok("PATCH", "/v1/admin/articles/"+article, `{"attributes":{"text":null,"number":null}}`)
	require.Equal(t, want, values(r))
	require.Equal(t, "sku", at(r, "attributes", 0, "origin"))
	require.Equal(t, "article", at(r, "attributes", 2, "origin"))
	none := s.ok("PATCH", "/v1/admin/articles/"+article, `{"attributes":null,"skuId":null}`)
	require.Empty(t, none["attributes"])
	made := s.ok("POST", "/v1/admin/articles", `{"name":"x","attributes":{"text":"own","number":null}}`)
	require.Equal(t, map[string]any{"text": "own"}, values(made))
	require.Equal(t, want, values(s.ok("POST", "/v1/admin/skus", `{"name":"x","attributes":`+all+`}`)))
	var many strings.Builder
	for i := range 251 {
		fmt.Fprintf(&many, `"k%d":1,`, i)
	}
	s.refused(400, base.CodeInvalid, "POST", "/v1/admin/skus",
		`{"name":"x","attributes":{`+strings.TrimSuffix(many.String(), ",")+`}}`, "body /attributes length")

	// A deleted attribute is shown nowhere.
	list := s.ok("GET", "/v1/admin/attributes", "")
	gone := "/v1/admin/attributes/" + at(list, "data", 0, "id").(string)
	require.Equal(t, map[string]any{"resource": "sku", "count": 2.0},
		at(s.refused(409, base.CodeInUse, "DELETE", gone, "").object(), "details"))
	s.ok("DELETE", gone+"?force=true", "")
	require.NotContains(t, values(s.ok("GET", "/v1/admin/skus/"+sku, "")), "text")
	s.refused(400, base.CodeInvalid, "PATCH", "/v1/admin/skus/"+sku, `{"attributes":{"text":"x"}}`,
		"body /attributes/text unknown")
}

func TestAppendNumber(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 1: "1", -0.1: "-0.1", 1e20: "100000000000000000000", 1e21: "1e+21",
		1e-7: "1e-07", 123456.789: "123456.789", 5e-324: "5e-324"} {
		require.Equal(t, want, string(wire.AppendNumber(nil, n)))
	}
}
