package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"holdfast/engine"
	"holdfast/engine/base"
)

// This file holds every operation against what the interface promises of all of them.

// raw sends a request as it is and returns the whole answer.
func (s *shop) raw(method, path string, headers ...string) *fasthttp.Response {
	s.Helper()
	var req fasthttp.Request
	res := new(fasthttp.Response)
	req.Header.SetMethod(method)
	req.SetRequestURI("http://shop" + path)
	req.Header.Set("X-API-KEY", s.key)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res.SkipBody = method == "HEAD"
	require.NoError(s, s.client.Do(&req, res))
	return res
}

// listing is the query without which some reads are refused.
func (s *shop) listing(op *operation, sku string) string {
	switch op.id {
	case "admin.availability.get":
		return "?skuId=" + sku + "&from=" + when(noon)
	case "admin.availability.counts":
		return "?from=" + when(noon) + "&to=" + when(noon+day)
	case "admin.availability.calendar":
		return "?skuId=" + sku + "&from=" + when(noon) + "&to=" + when(noon+day)
	}
	return ""
}

// With and without a slash at the end, and without the body, a read is the same.
func TestReadsInOtherForms(t *testing.T) {
	s, _, sku, _, _ := stocked(t)
	for i := range operations {
		op := &operations[i]
		if op.method != "GET" || len(op.params) > 0 {
			continue
		}
		query := s.listing(op, sku)
		plain := s.raw("GET", op.path+query)
		require.Equal(t, 200, plain.StatusCode(), "%s: %s", op.id, plain.Body())
		for _, path := range []string{op.path, op.path + "/"} {
			again := s.raw("GET", path+query)
			require.Equal(t, string(plain.Body()), string(again.Body()), path)
			require.Equal(t, string(plain.Header.Peek("Link")), string(again.Header.Peek("Link")), path)
			head := s.raw("HEAD", path+query)
			require.Empty(t, head.Body(), path)
			for _, name := range []string{"Content-Type", "Content-Length", "Link", "Etag", "X-Api-Version", "Vary"} {
				require.Equal(t, string(plain.Header.Peek(name)), string(head.Header.Peek(name)), "%s of %s", name,
					path)
			}
			require.Equal(t, 200, head.StatusCode())
		}
	}
	require.Equal(t, 401, s.raw("HEAD", "/v1/admin/account", "X-API-KEY", "x").StatusCode())
	require.Equal(t, 404, s.raw("HEAD", "/v1/nothing").StatusCode())
	require.Equal(t, 304, s.raw("HEAD", "/v1/admin/account", "If-None-Match", "*").StatusCode())
	require.Equal(t, "ok", s.ok("GET", "/healthz", "")["status"], "the connection is in step")
}

// methodsAt are the methods of a path of the document, and of those whose parameters are its words.
func methodsAt(path string) (methods []string) {
	words := strings.Split(path, "/")
	for _, op := range operations {
		segments := strings.Split(op.path, "/")
		same := len(segments) == len(words)
		for i := 0; same && i < len(words); i++ {
			// a path without any stands for itself
			same = segments[i] == words[i] || strings.HasPrefix(segments[i], "{") && strings.Contains(path, "{")
		}
		if same && !slices.Contains(methods, op.method) {
			methods = append(methods, op.method)
		}
	}
	return methods
}

// Every path says which methods it has when it is asked with another.
func TestOtherMethods(t *testing.T) {
	s := newShop(t)
	methods := map[string][]string{}
	for _, op := range operations {
		methods[op.path] = methodsAt(op.path)
		if slices.Contains(methods[op.path], "GET") {
			methods[op.path] = append(methods[op.path], "HEAD")
		}
	}
	for path, has := range methods {
		slices.Sort(has)
		for _, method := range []string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE", "CONNECT",
			"get", "PROPFIND"} {
			if slices.Contains(has, method) {
				continue
			}
			for _, slash := range []string{"", "/"} {
				res := s.raw(method, strings.NewReplacer("{", "", "}", "").Replace(path)+slash)
				require.Equal(t, 405, res.StatusCode(), "%s %s", method, path)
				require.Equal(t, strings.Join(has, ", "), string(res.Header.Peek("Allow")), "%s %s", method, path)
			}
		}
	}
}

func TestAPageLinksToTheOthers(t *testing.T) {
	s := newShop(t)
	for i := range 5 {
		s.ok("POST", "/v1/admin/locations", fmt.Sprintf(`{"name":"%d","timezone":"UTC"}`, i))
	}
	for _, c := range []struct{ query, rest, links string }{
		{"", "", "first 1, last 1"},
		{"?page=1", "", "first 1, last 1"},
		{"?pageSize=2", "pageSize=2&", "first 1, next 2, last 3"},
		{"?page=2&pageSize=2", "pageSize=2&", "first 1, prev 1, next 3, last 3"},
		{"?pageSize=2&page=3", "pageSize=2&", "first 1, prev 2, last 3"},
		{"?pageSize=5", "pageSize=5&", "first 1, last 1"},
		{"?pageSize=5&page=2", "pageSize=5&", "first 1, prev 1, last 1"},
		{"?pageSize=2&page=900", "pageSize=2&", "first 1, prev 3, last 3"},
		{"?page%53ize=2", "page%53ize=2&", "first 1, next 2, last 3"},
	} {
		var want []string
		for link := range strings.SplitSeq(c.links, ", ") {
			relation, number, _ := strings.Cut(link, " ")
			want = append(want, fmt.Sprintf(`</v1/admin/locations?%spage=%s>; rel="%s"`, c.rest, number, relation))
		}
		require.Equal(t, strings.Join(want, ", "), s.call("GET", "/v1/admin/locations/"+c.query, "").header["Link"],
			c.query)
	}
	require.Equal(t, `</v1/admin/skus?page=1>; rel="first", </v1/admin/skus?page=1>; rel="last"`,
		s.call("GET", "/v1/admin/skus", "").header["Link"], "an empty list has one page")
	require.NotContains(t, s.call("GET", "/v1/admin/account", "").header, "Link")
}

// The address of a page is one that the server takes, however the page was asked for.
func TestLinksOfAPageNameItOnce(t *testing.T) {
	s := newShop(t)
	for _, name := range []string{"one", "two", "three"} {
		s.ok("POST", "/v1/admin/locations", `{"name":"`+name+`","timezone":"UTC"}`)
	}
	for _, query := range []string{"page=2", "page[]=2", "%70age=2", "page%5B%5D=2", "&page[]=2&"} {
		a := s.call("GET", "/v1/admin/locations?"+query+"&%70ageSize[]=1", "")
		require.Equal(t, "two", at(a.object(), "data", 0, "name"), query)
		for relation, name := range map[string]string{"first": "one", "prev": "one", "next": "three", "last": "three"} {
			before, _, found := strings.Cut(a.header["Link"], `>; rel="`+relation+`"`)
			require.True(t, found, "%s: %s", query, a.header["Link"])
			link := before[strings.LastIndexByte(before, '<')+1:]
			require.Equal(t, name, at(s.ok("GET", link, ""), "data", 0, "name"), "%s: %s", query, link)
		}
	}
}

// A record's tag is that of its own fields: the same for every key, for every read and for the write that made it,
// changed by a change of the record alone.
func TestTagsOfRecords(t *testing.T) {
	s, location, sku, article, _ := stocked(t)
	hold := s.ok("POST", "/v1/admin/holds", strings.Replace(s.holdBody("sku", sku, location, noon+day, noon+2*day, 1),
		"{", `{"expiresInSeconds":600,`, 1))["id"].(string)
	event := s.ok("POST", "/v1/admin/articles/"+article+"/scheduled-events", fmt.Sprintf(
		`{"type":"note","name":"n","serviceLocationId":%q,"startDate":%q,"endDate":%q}`, location, when(noon),
		when(noon+day)))["id"].(string)
	order := s.ok("POST", ordersPath, rental("open", location, sku, noon+3*day, noon+4*day, 1, ""))["id"].(string)
	scoped := s.newKey(s.account, engine.CreateKey{PublicID: "readonly1",
		Scopes: []string{"account.read", "inventory.read", "locations.read", "orders.read"}})
	for _, c := range []struct {
		path         string
		method, body string // a change of the record
		cached       bool
	}{
		{"/v1/admin/locations/" + location, "PATCH", `{"name":"n"}`, true},
		{"/v1/admin/skus/" + sku, "PATCH", `{"name":"n"}`, true},
		{"/v1/admin/articles/" + article, "PATCH", `{"name":"n"}`, false},
		{"/v1/admin/holds/" + hold, "POST /extend", `{"expiresInSeconds":700}`, false},
		{ordersPath + "/" + order, "PATCH", `{"note":"n"}`, false},
	} {
		first := s.call("GET", c.path, "")
		tag := first.header["Etag"]
		require.Regexp(t, `^"[0-9]+"$`, tag, c.path)
		a := s.call("GET", c.path, "", "X-API-KEY", scoped, "X-Request-Id", "other")
		require.Equal(t, tag, a.header["Etag"], c.path)
		require.Equal(t, string(first.body), string(a.body), c.path)

		// What happens to the stock changes no tag.
		s.ok("POST", "/v1/admin/articles/"+article+"/increase-quantity",
			fmt.Sprintf(`{"serviceLocationId":%q,"amount":1}`, location))
		s.ok("POST", "/v1/admin/holds", s.holdBody("article", article, location, noon+day, noon+2*day, 1))
		require.Equal(t, tag, s.call("GET", c.path, "").header["Etag"], c.path)

		status := map[bool]int{true: 304, false: 200}[c.cached]
		for _, same := range []string{tag, "*", "W/" + tag, `"x", ` + tag} {
			require.Equal(t, status, s.call("GET", c.path, "", "If-None-Match", same).status, "%s with %s", c.path,
				same)
		}
		require.Equal(t, 200, s.call("GET", c.path, "", "If-None-Match", `"9"`).status, c.path)

		method, below, _ := strings.Cut(c.method, " ")
		changed := s.call(method, c.path+below, c.body)
		require.Equal(t, 200, changed.status, "%s: %s", c.path, changed.body)
		require.NotEqual(t, tag, changed.header["Etag"], c.path)
		require.Equal(t, changed.header["Etag"], s.call("GET", c.path, "").header["Etag"], c.path)
		require.Equal(t, 200, s.call("GET", c.path, "", "If-None-Match", tag).status, c.path)
		for _, verb := range []string{"PATCH", "DELETE"} {
			if op := s.server.routes.find(new(fasthttp.RequestCtx), []byte(verb), []byte(c.path)); op != nil {
				s.call(verb, c.path, map[string]string{"PATCH": `{}`}[verb], "If-Match", tag).
					isRefusal(412, base.CodePrecondition)
			}
		}
	}
	for _, path := range []string{"/v1/admin/locations", "/v1/admin/skus", "/v1/admin/articles", "/v1/admin/holds",
		keysPath} {
		a := s.call("GET", path, "", "If-None-Match", "*")
		require.Equal(t, 200, a.status, path)
		require.NotContains(t, a.header, "Etag", path)
	}

	// The present tag lets a change pass, once.
	tag := s.call("GET", "/v1/admin/holds/"+hold, "").header["Etag"]
	s.call("DELETE", "/v1/admin/holds/"+hold, "", "If-Match", `"1", W/`+tag).isRefusal(412, base.CodePrecondition)
	require.Equal(t, 200, s.call("DELETE", "/v1/admin/holds/"+hold, "", "If-Match", `"1", `+tag).status)
	path := "/v1/admin/articles/" + article + "/scheduled-events/" + event
	s.call("DELETE", path, "", "If-Match", `"7"`).isRefusal(412, base.CodePrecondition)
	require.Equal(t, `"2"`, s.call("PATCH", path, `{"name":"m"}`, "If-Match", `"1"`).header["Etag"])
	s.call("PATCH", path, `{"name":"o"}`, "If-Match", `"1"`).isRefusal(412, base.CodePrecondition)
	require.Equal(t, 200, s.call("DELETE", path, "", "If-Match", `"2"`).status)
}

// An answer is compressed from 1 KiB on, a refusal never.
func TestCompressedFromOneKiB(t *testing.T) {
	s := newShop(t)
	l := s.ok("POST", "/v1/admin/locations", `{"name":"x","timezone":"UTC"}`)
	path := "/v1/admin/locations/" + l["id"].(string)
	short := len(s.call("GET", path, "").body)
	fill := func(n int) {
		n -= short
		// A city, and the rest of the address, of up to 255 characters each.
		var b strings.Builder
		n -= len(`{"address":"a","zipCode":"a","city":"a","country":"a","state":"a","details":"a"}`) - len("null")
		b.WriteString(`{"name":"x","address":{`)
		for i, name := range []string{"address", "zipCode", "city", "country", "state", "details"} {
			m := min(n+1, 255) // one is counted
			n -= m - 1
			fmt.Fprintf(&b, `%s"%s":"%s"`, map[bool]string{true: ","}[i > 0], name, strings.Repeat("a", m))
		}
		require.Zero(t, n)
		s.ok("PATCH", path, b.String()+"}}")
	}
	for _, coding := range []string{"gzip", "zstd"} {
		fill(1023)
		a := s.call("GET", path, "", "Accept-Encoding", coding)
		require.Len(t, a.body, 1023)
		require.NotContains(t, a.header, "Content-Encoding")
		fill(1024)
		a = s.call("GET", path, "", "Accept-Encoding", coding)
		require.Len(t, a.body, 1024)
		require.Equal(t, coding, a.header["Content-Encoding"])
		require.Equal(t, "Accept-Encoding", a.header["Vary"])
	}
	require.NotContains(t, s.call("POST", "/v1/admin/holds", `{"lines":[`+strings.Repeat("{},", 99)+"{}]}",
		"Accept-Encoding", "gzip").header, "Content-Encoding")
}
