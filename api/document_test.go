package api

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"mime"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file holds the document against the operations, and every answer of all tests against the document.

var update = flag.Bool("update", false, "write openapi.json again")

const golden = "openapi.json"

// ofNoOperation are the codes of refusals that belong to no operation: an unknown method, and requests that did not
// arrive whole.
var ofNoOperation = []base.Code{base.CodeMethodNotAllowed, codeTimeout, base.CodeURITooLong, base.CodeHeadersTooLarge}

// readDocument is the document, which TestDocumentIsCommitted holds against the committed one.
var readDocument = sync.OnceValues(func() (published, error) {
	v, err := decode(document())
	root, _ := v.(tree)
	return published{root}, err
})

// decode reads one JSON value and nothing behind it, numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err = d.Token(); err != io.EOF {
		return nil, err
	}
	return v, nil
}

func theDocument(t testing.TB) published {
	t.Helper()
	p, err := readDocument()
	require.NoError(t, err)
	return p
}

func TestDocumentIsCommitted(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(golden, document(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	if !bytes.Equal(want, document()) {
		t.Fatal("the operations have changed: go test ./api -run TestDocumentIsCommitted -update writes the " +
			"document again")
	}
	require.Equal(t, string(document()), string(renderDocument(operations)), "the same every time")

	s := newShop(t)
	a := s.call("GET", "/openapi.json", "", "X-API-KEY", "")
	require.Equal(t, 200, a.status)
	require.Equal(t, "application/json", a.header["Content-Type"])
	require.Equal(t, string(want), string(a.body))
	require.Equal(t, string(want),
		string(s.call("GET", "/openapi.json", "", "X-API-KEY", "", "Accept-Encoding", "gzip").body))
}

// Every operation stands in the document as it is, and the document has no other.
func TestRoutesAndDocumentMatch(t *testing.T) {
	p := theDocument(t)
	ids := map[string]bool{}
	documented := slices.DeleteFunc(slices.Clone(operations), func(op operation) bool { return op.apart })
	for _, op := range documented {
		d := p.operation(op.method, op.path)
		require.NotNil(t, d, op.id)
		require.Equal(t, op.id, d["operationId"])
		require.Equal(t, op.summary, d["summary"])
		require.Equal(t, op.summary, d["description"])
		require.Equal(t, op.access.String(), d["x-access"])
		var scopes []string
		for _, s := range listOf(d["x-scopes"]) {
			scopes = append(scopes, s.(string))
		}
		require.Equal(t, op.scopes, scopes, op.id)
		require.Equal(t, op.access == noKey, d["security"] != nil, op.id)
		require.Equal(t, op.body != nil, d["requestBody"] != nil, op.id)

		in := map[string][]string{}
		for _, x := range listOf(d["parameters"]) {
			x := p.resolve(x)
			in[x["in"].(string)] = append(in[x["in"].(string)], x["name"].(string))
		}
		require.Equal(t, op.params, in["path"], op.id)
		var query []string
		for _, m := range op.queryParams {
			query = append(query, m.Name)
		}
		require.Equal(t, query, in["query"], op.id)
		require.Equal(t, op.write, slices.Contains(in["header"], "Idempotency-Key"), op.id)
		require.Equal(t, op.guarded, slices.Contains(in["header"], "If-Match"), op.id)
		require.Equal(t, op.cached, slices.Contains(in["header"], "If-None-Match"), op.id)
		ids[op.id] = true
	}
	s := newShop(t)
	found := 0
	for path, methods := range p.root["paths"].(tree) {
		allowed := s.server.routes.allowed(path)
		for method, d := range methods.(tree) {
			require.True(t, ids[d.(tree)["operationId"].(string)], path)
			require.Contains(t, strings.Split(allowed, ", "), strings.ToUpper(method), path)
			found++
		}
	}
	require.Len(t, documented, found)
	require.Equal(t, "3.1.0", p.root["openapi"])
	require.Equal(t, "alpha", p.root["x-stability"])
	require.Equal(t, tree{"type": "apiKey", "in": "header", "name": "X-API-KEY"},
		without(p.resolve(tree{"$ref": "#/components/securitySchemes/ApiKey"}), "description"))
}

func listOf(v any) []any {
	l, _ := v.([]any)
	return l
}

func without(t tree, name string) tree {
	t = maps.Clone(t)
	delete(t, name)
	return t
}

// Each reference leads somewhere, each component is referred to, and each example is as its schema says.
func TestDocumentIsWhole(t *testing.T) {
	p := theDocument(t)
	used := map[string]bool{}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case tree:
			if ref, ok := v["$ref"].(string); ok {
				require.NotNil(t, p.resolve(v), ref)
				used[ref] = true
			}
			for _, x := range v {
				look(x)
			}
		case []any:
			for _, x := range v {
				look(x)
			}
		}
	}
	look(p.root)
	for kind, all := range p.root["components"].(tree) {
		for name := range all.(tree) {
			ref := "#/components/" + kind + "/" + name
			require.True(t, used[ref] || kind == "securitySchemes", "nothing refers to %s", ref)
		}
	}
	for _, op := range operations {
		d := p.operation(op.method, op.path)
		if op.apart {
			continue
		}
		if body := p.resolve(d["requestBody"]); body != nil {
			media := body["content"].(tree)["application/json"].(tree)
			require.Empty(t, p.mismatch(media["example"], media["schema"], ""), "the request of %s", op.id)
		}
		for status, r := range d["responses"].(tree) {
			content, _ := p.resolve(r)["content"].(tree)
			for _, media := range content {
				media := media.(tree)
				all := []any{media["example"]}
				if examples, ok := media["examples"].(tree); ok {
					all = nil
					for _, named := range examples {
						all = append(all, p.resolve(named)["value"])
					}
				}
				for _, example := range all {
					require.Empty(t, p.mismatch(example, media["schema"], ""), "the answer %s of %s", status, op.id)
				}
			}
		}
	}
}

// Each area is declared once, has operations, and says what it is about; every operation stands in one.
func TestAreasAreDeclared(t *testing.T) {
	p := theDocument(t)
	var declared, used []string
	for _, tag := range listOf(p.root["tags"]) {
		declared = append(declared, tag.(tree)["name"].(string))
		require.NotEmpty(t, tag.(tree)["description"])
	}
	for _, methods := range p.root["paths"].(tree) {
		for _, op := range methods.(tree) {
			used = append(used, op.(tree)["tags"].([]any)[0].(string))
		}
	}
	slices.Sort(used)
	require.ElementsMatch(t, slices.Compact(used), declared)
	require.Equal(t, []string{"availability", "holds", "orders", "catalog", "articles"}, declared[:5],
		"as a shop needs them")
}

// Every event stands in the document, its example is as its schema says, and so is what a webhook is really sent.
func TestEventsAreDocumented(t *testing.T) {
	p := theDocument(t)
	events := p.root["webhooks"].(tree)
	require.Len(t, events, len(base.HookEvents))
	s, location, sku, _, _ := stocked(t)
	hooks := map[base.HookEvent]string{}
	for _, typ := range base.HookEvents {
		hooks[typ] = "/v1/admin/webhooks/" + s.ok("POST", "/v1/admin/webhooks",
			fmt.Sprintf(`{"eventType":%q,"url":"https://example.com/"}`, typ))["id"].(string)
	}
	order := "/v1/admin/orders/" + s.ok("POST", "/v1/admin/orders", fmt.Sprintf(
		`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q}]}`,
		location, sku, when(noon+day), when(noon+2*day)))["id"].(string)
	s.ok("PATCH", order, `{"note":"Collects at noon"}`)
	s.ok("DELETE", order, "")
	s.happens(location, sku)
	for typ, hook := range hooks {
		post := events[string(typ)].(tree)["post"].(tree)
		require.NotEmpty(t, post["description"], typ)
		media := post["requestBody"].(tree)["content"].(tree)["application/json"].(tree)
		require.Empty(t, p.mismatch(media["example"], media["schema"], ""), typ)
		require.Equal(t, string(typ), media["example"].(tree)["eventType"])

		d := s.ok("GET", hook+"/deliveries", "")
		sent := s.ok("GET", hook+"/deliveries/"+at(d, "data", 0, "id").(string), "")
		body, err := decode([]byte(sent["body"].(string)))
		require.NoError(t, err)
		require.Empty(t, p.mismatch(body, media["schema"], ""), typ)
		require.Equal(t, string(typ), body.(tree)["eventType"])
		require.Equal(t, typ == base.OrderDeleted, body.(tree)["data"] == nil, "%s: %s", typ, sent["body"])
		require.Equal(t, media["example"].(tree)["data"] == nil, body.(tree)["data"] == nil, typ)
	}
}

// happens has stock of two units come to what events tell of: a conflict that is made and is over, a hold that lapses,
// a unit that is late, a webhook that is disabled.
func (s *shop) happens(location, sku string) {
	s.Helper()
	order := func(from, to int64, quantity int) map[string]any {
		return s.ok("POST", "/v1/admin/orders",
			fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"allowOverbooking":true,"lineItems":[`+
				`{"skuId":%q,"purchaseType":"booking","startDate":%q,"endDate":%q,"quantity":%d}]}`, location, sku,
				when(from), when(to), quantity))
	}
	s.ok("DELETE", "/v1/admin/orders/"+order(noon+5*day, noon+6*day, 3)["id"].(string), "")
	s.ok("POST", "/v1/admin/holds",
		fmt.Sprintf(`{"expiresInSeconds":60,"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":1}]}`,
			sku, location, when(noon+5*day), when(noon+6*day)))
	s.ok("POST", "/v1/admin/orders/"+order(noon, noon+hour, 1)["id"].(string)+"/fulfill", "{}")
	failing := hooksPath + "/" + s.hook("failing")["id"].(string)
	for range 3 {
		order(noon+10*day, noon+11*day, 1)
		d := at(s.ok("GET", failing+"/deliveries", ""), "data", 0, "id").(string)
		for n := range 4 {
			s.attempted(d, outbox.Attempt{Number: n + 1, At: s.clock.Load(), Status: 500})
		}
	}
	s.clock.Add(2 * hour)
	require.NoError(s, s.eng.Tick(context.Background()))
}

// Each code is of some operation or of none, each row of the table of codes is of an operation, and each code's refusal
// has its form.
func TestCodesAreDocumented(t *testing.T) {
	p := theDocument(t)
	given := map[base.Code]bool{}
	for _, op := range operations {
		for _, codes := range refusals(&op) {
			for _, code := range codes {
				given[code] = true
			}
		}
	}
	for code := range statuses {
		require.NotEqual(t, given[code], slices.Contains(ofNoOperation, code), "%s is of an operation or of none", code)
		problem, err := decode(appendOrdered(nil, problemExample(code), 0))
		require.NoError(t, err)
		require.Empty(t, p.mismatch(problem, tree{"$ref": "#/components/schemas/Problem"}, ""), code)
	}
	for id, codes := range ofState {
		require.True(t, slices.ContainsFunc(operations, func(op operation) bool { return op.id == id }),
			"there is no operation %s", id)
		require.NotEmpty(t, codes, id)
	}
}

var anyHeader = []string{
	"Content-Type", "Content-Length", "Content-Encoding", "Date", "Connection", "Vary", "Cache-Control",
	"X-Content-Type-Options",
	"Content-Security-Policy", "Referrer-Policy", "Allow",
}

// documented holds the answer to a request against what the document says of it: status, code, headers, media type and
// body. As all tests ask through it, no code that they meet is missing from its operation.
func (a *answer) documented(method, path string) {
	a.Helper()
	p := theDocument(a)
	path, _, _ = strings.Cut(path, "?")
	if path != "/" {
		path = strings.TrimSuffix(path, "/")
	}
	if method == "HEAD" {
		method = "GET"
	}
	v, code := a.decoded(), ""
	if refusal, ok := v.(tree); ok && a.status >= 400 {
		code, _ = refusal["code"].(string)
	}
	// Where no operation is reached, it is a problem like any other.
	response := tree{
		"content": tree{string(mediaProblem): tree{"schema": tree{"$ref": "#/components/schemas/Problem"}}}}
	if op := a.server.routes.find(new(fasthttp.RequestCtx), []byte(method), []byte(path)); op != nil &&
		!slices.Contains(ofNoOperation, base.Code(code)) {
		if op.apart || !slices.ContainsFunc(operations, func(o operation) bool { return o.id == op.id }) {
			return // the document itself, or one that a test has put in
		}
		d := p.operation(op.method, op.path)
		require.NotNil(a, d, "%s is not in the document", a.what)
		responses := d["responses"].(tree)
		if response, _ = responses[strconv.Itoa(a.status)].(tree); response == nil && a.status >= 400 {
			response = responses["default"].(tree)
			listed := listOf(response["x-codes"].(tree)[strconv.Itoa(a.status)])
			require.Contains(a, listed, any(code), "%s: the document does not have this code of %s", a.what, op.id)
		}
	}
	require.NotNil(a, response, "%s: %d is not in the document: %s", a.what, a.status, a.body)
	a.headersDocumented(p, listOf(response["x-headers"]))

	content, _ := response["content"].(tree)
	if content == nil {
		require.Contains(a, []string{"", "null"}, string(a.body), a.what)
		return
	}
	media, _ := content[a.header["Content-Type"]].(tree)
	require.NotNil(a, media, "%s: %s is not in the document", a.what, a.header["Content-Type"])
	if fault := p.mismatch(v, media["schema"], ""); fault != "" {
		a.Fatalf("%s: %d: %s: %s", a.what, a.status, fault, a.body)
	}
}

// decoded is the body, as text where it is not JSON.
func (a *answer) decoded() any {
	a.Helper()
	kind, _, _ := mime.ParseMediaType(a.header["Content-Type"])
	if !strings.HasSuffix(kind, "json") || len(a.body) == 0 {
		return string(a.body)
	}
	v, err := decode(a.body)
	require.NoError(a, err, "%s: %s", a.what, a.body)
	return v
}

// headersDocumented holds the headers against those that the document has of every answer and of this one.
func (a *answer) headersDocumented(p published, own []any) {
	a.Helper()
	if a.status == 429 || a.status == 503 {
		require.Contains(a, a.header, headerNameRetryAfter, a.what)
		own = append(slices.Clone(own), headerNameRetryAfter)
	}
	headers := map[string]bool{}
	for name, h := range p.root["x-answer-headers"].(tree) {
		h, canonical := h.(tree), canonicalHeader(name)
		here := h["x-any"] == true || slices.Contains(own, any(name))
		if headers[canonical] = here; here && h["required"] == true {
			require.Contains(a, a.header, canonical, "%s: %d", a.what, a.status)
		}
	}
	for name := range a.header {
		require.True(a, headers[name] || slices.Contains(anyHeader, name),
			"%s: %d: the header %s is not in the document", a.what, a.status, name)
	}
}

// canonicalHeader is a header's name as the server writes it.
func canonicalHeader(name string) string {
	parts := strings.Split(strings.ToLower(name), "-")
	for i, p := range parts {
		parts[i] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "-")
}

// Every operation, parameter and member is described, in words that begin and end like a sentence.
func TestEverythingIsDescribed(t *testing.T) {
	p := theDocument(t)
	sentence := regexp.MustCompile(`^[\p{Lu}\p{Ll}0-9*][^\n]* [^\n]*\.$`)
	fragment := regexp.MustCompile(`^(Default|Null|In|Of|Absent|This or|Replaced|By)\b`)
	described, bare := 0, []string{}
	say := func(at string, v any) {
		described++
		text, _ := v.(tree)["description"].(string)
		if text == "" {
			text, _ = p.resolve(v)["description"].(string)
		}
		if !sentence.MatchString(text) || fragment.MatchString(text) {
			bare = append(bare, at+": "+text)
		}
	}
	var look func(at string, v any)
	look = func(at string, v any) {
		switch v := v.(type) {
		case tree:
			if properties, ok := v["properties"].(tree); ok {
				for name, m := range properties {
					say(at+"."+name, m)
				}
			}
			for name, x := range v {
				if name != "example" && name != "examples" {
					look(at+"/"+name, x)
				}
			}
		case []any:
			for i, x := range v {
				look(fmt.Sprint(at, "/", i), x)
			}
		}
	}
	look("", p.root)
	for path, methods := range p.root["paths"].(tree) {
		for method, op := range methods.(tree) {
			say(method+" "+path, op)
			for _, x := range listOf(op.(tree)["parameters"]) {
				x := p.resolve(x)
				say(method+" "+path+" "+x["name"].(string), x)
			}
		}
	}
	slices.Sort(bare)
	require.Empty(t, bare, "%d of %d", len(bare), described)
	require.Greater(t, described, 1500)
	t.Logf("%d operations, parameters and members are described", described)
}
