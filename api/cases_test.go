package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file makes bad requests of every operation of the document: each is one that goes through, with one thing
// spoilt, and has to be refused for just that, with the state as it was (call looks at it each time).

// badCase is a request and what has to be said of it.
type badCase struct {
	generated
	what      string
	raw       string   // the body where it is not the JSON of the request
	headers   []string // on top
	status    int
	code      base.Code
	fault     string // "in pointer code" of one of the faults; empty: not looked at
	wholeBody bool   // raw is the body
}

func (c badCase) text() string {
	if c.wholeBody {
		return c.raw
	}
	return c.generated.text()
}

// bad begins a case that is refused with a fault.
func (r generated) bad(what, in, pointer, fault string) badCase {
	return badCase{generated: r, what: what, status: 400, code: base.CodeInvalid,
		fault: in + " " + pointer + " " + fault}
}

func (r generated) refused(what string, status int, code base.Code, headers ...string) badCase {
	return badCase{generated: r, what: what, status: status, code: code, headers: headers}
}

func (w *world) cases() (all []badCase) {
	for _, r := range w.requests() {
		all = slices.Concat(all, w.requestCases(r), w.headerCases(r), w.pathCases(r), w.queryCases(r), w.bodyCases(r))
	}
	return all
}

// requestCases are about the request as a whole.
func (w *world) requestCases(r generated) (all []badCase) {
	methods := methodsAt(r.template)
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		if !slices.Contains(methods, method) {
			other := r
			other.method, other.body, other.query = method, nil, nil
			all = append(all, other.refused("method "+method, 405, base.CodeMethodNotAllowed))
		}
	}
	text := func(what, raw string, c badCase) {
		c.what, c.raw, c.wholeBody = what, raw, true
		all = append(all, c)
	}
	limit := bodyLimit
	for _, op := range operations {
		if op.id == r.id {
			limit = op.limit
		}
	}
	malformed := r.bad("", "body", "", wire.FaultMalformed)
	malformed.code = base.CodeMalformed
	text("no JSON", "{", malformed)
	text("two values", "{}{}", malformed)
	text("not UTF-8", "{\"\xff\":1}", malformed)
	text("an array", "[]", r.bad("", "body", "", wire.FaultType))
	text("a name twice", `{"zz":1,"zz":1}`, r.bad("", "body", "/zz", wire.FaultUnknown))
	text("too deep", `{"zz":`+strings.Repeat("[", wire.MaxDepth)+strings.Repeat("]", wire.MaxDepth)+"}",
		r.bad("", "body", "/zz"+strings.Repeat("/0", wire.MaxDepth-1), wire.FaultTooDeep))
	if r.op["x-access"] == "no-key" {
		return all // it looks at no media type
	}
	text("too large", large()[:limit+1], r.refused("", 413, base.CodeBodyTooLarge))
	text("text", `{}`, r.refused("", 415, base.CodeMediaType, "Content-Type", "text/plain"))
	text("a form", `a=b`, r.refused("", 415, base.CodeMediaType, "Content-Type", "application/x-www-form-urlencoded"))
	text("a coding", `{}`, r.refused("", 415, base.CodeMediaType, "Content-Encoding", "gzip"))
	return all
}

// large is longer than any body may be; there is one, since there are many cases.
var large = sync.OnceValue(func() string { return strings.Repeat(" ", bulkBodyLimit+1) })

// headerCases are about what stands in headers.
func (w *world) headerCases(r generated) (all []badCase) {
	if r.op["x-access"] == "no-key" {
		return nil
	}
	for _, key := range []string{"", "x", "hf_11111111_" + strings.Repeat("t", 32),
		"hf_99999999_" + strings.Repeat("s", 32)} {
		all = append(all, r.refused("key "+key, 401, base.CodeUnauthenticated, "X-API-KEY", key))
	}
	all = append(all, r.refused("version", 400, base.CodeVersion, "X-Api-Version", "2019-01"))
	for _, x := range listOf(r.op["parameters"]) {
		switch name := w.doc.resolve(x)["name"]; name {
		case "Idempotency-Key":
			for _, key := range []string{"with space", strings.Repeat("k", 256), "é"} {
				c := r.bad("idempotency key", "header", "Idempotency-Key", wire.FaultFormat)
				c.headers = []string{"Idempotency-Key", key}
				all = append(all, c)
			}
		case "If-Match":
			for _, tag := range []string{`"999999"`, `W/"1"`, `x`} {
				all = append(all, r.refused("tag "+tag, 412, base.CodePrecondition, "If-Match", tag))
			}
		}
	}
	return all
}

// pathCases are about each id in the path: one that nobody has, and one of another form.
func (w *world) pathCases(r generated) (all []badCase) {
	segments, template := strings.Split(r.path, "/"), strings.Split(r.template, "/")
	for i, segment := range template {
		if !strings.HasPrefix(segment, "{") {
			continue
		}
		name := strings.Trim(segment, "{}")
		with := func(id string) generated {
			r := r
			r.path = strings.Join(slices.Concat(segments[:i], []string{id}, segments[i+1:]), "/")
			return r
		}
		all = append(all, with(nobodyID).refused("nobody's "+name, 404, base.CodeNotFound))
		for _, x := range listOf(r.op["parameters"]) {
			p := w.doc.resolve(x)
			if p["in"] != "path" || p["name"] != name {
				continue
			}
			for _, id := range []string{"x", "0190d3a4-6b1f-0c32-9d5e-3f2a1b0c9d8e",
				strings.ReplaceAll(nobodyID, "-", "")} {
				if p["schema"].(tree)["format"] == "uuid" {
					all = append(all, with(id).bad("form of "+name, "path", name, wire.FaultFormat))
				} else {
					all = append(all, with(id).refused("form of "+name, 404, base.CodeNotFound))
				}
			}
		}
	}
	return all
}

const nobodyID = "0190d3a4-6b1f-7c32-9d5e-000000000000"

// queryCases are about each parameter of the query.
func (w *world) queryCases(r generated) (all []badCase) {
	with := func(pairs ...string) generated {
		r := r
		r.query = slices.Concat(r.query, pairs)
		return r
	}
	all = append(all, with("zz=1").bad("unknown parameter", "query", "zz", wire.FaultUnknown),
		with("a=%zz").bad("coding", "query", "a", wire.FaultMalformed))
	for _, x := range listOf(r.op["parameters"]) {
		p := w.doc.resolve(x)
		if p["in"] != "query" {
			continue
		}
		name, s := p["name"].(string), w.doc.resolve(p["schema"])
		bare := func(pairs ...string) generated {
			r := r
			r.query = slices.DeleteFunc(slices.Clone(r.query),
				func(q string) bool { return strings.HasPrefix(q, name+"=") })
			r.query = append(r.query, pairs...)
			return r
		}
		if p["required"] == true {
			all = append(all, bare().bad("without "+name, "query", name, wire.FaultRequired))
		}
		if s["type"] == "object" {
			of := name
			if each, ok := s["additionalProperties"].(tree); ok { // a list of objects, by their places
				s, of = w.doc.resolve(each), name+"[0]"
			}
			for member, m := range s["properties"].(tree) {
				pointer := of + "[" + member + "]"
				for _, bad := range badScalars(w.doc.resolve(m)) {
					all = append(all, bare(pointer+"="+fmt.Sprint(bad.value)).bad(pointer, "query", pointer, bad.fault))
				}
			}
			if s["additionalProperties"] == false {
				all = append(all, bare(of+"[zz]=1").bad("unknown in "+of, "query", of+"[zz]", wire.FaultUnknown))
			}
			continue
		}
		if s["type"] == "array" {
			s = w.doc.resolve(s["items"])
		} else if value := w.parameter(name, p, r.template)[0]; true {
			all = append(all, bare(value, value).bad(name+" twice", "query", name, wire.FaultDuplicate))
		}
		for _, bad := range badScalars(s) {
			all = append(all, bare(name+"="+fmt.Sprint(bad.value)).bad(fmt.Sprintf("%s=%.20v", name, bad.value),
				"query", name, bad.fault))
		}
	}
	return all
}

type badValue struct {
	value any
	fault string
}

// badScalars are values that a scalar's schema excludes, and are as bad in a query as in a body.
func badScalars(s tree) (all []badValue) {
	add := func(value any, fault string) { all = append(all, badValue{value, fault}) }
	number := func(name string) (int64, bool) {
		n, ok := s[name].(json.Number)
		i, _ := n.Int64()
		return i, ok
	}
	switch {
	case isType(s, "integer"):
		add("x", wire.FaultType)
		add(1.5, wire.FaultType)
		if n, ok := number("minimum"); ok {
			add(n-1, wire.FaultRange)
		}
		if n, ok := number("maximum"); ok {
			add(n+1, wire.FaultRange)
		}
		add(json.Number("1"+strings.Repeat("0", 40)), wire.FaultRange)
	case isType(s, "boolean"):
		add("yes", wire.FaultType)
	case s["enum"] != nil:
		add("no-such-value", wire.FaultEnum)
	case s["format"] == "uuid":
		add("x", wire.FaultFormat)
		add("{"+nobodyID+"}", wire.FaultFormat)
	case s["format"] == "date-time":
		add("2025-06-02", wire.FaultFormat)
		add("2025-02-29T00:00:00Z", wire.FaultFormat)
	case isType(s, "string"):
		if n, ok := number("minLength"); ok && n > 0 {
			add(strings.Repeat("z", int(n-1)), wire.FaultLength)
		}
		if n, ok := number("maxLength"); ok && n < 10_000 { // longer ones are no address any more
			add(strings.Repeat("z", int(n+1)), wire.FaultLength)
		}
	}
	return all
}

func isType(s tree, name string) bool {
	types, several := s["type"].([]any)
	return s["type"] == name || several && slices.Contains(types, any(name))
}

// bodyCases are about each member of the body that the document knows, in the places that the example has.
func (w *world) bodyCases(r generated) (all []badCase) {
	body := w.doc.resolve(r.op["requestBody"])
	if body == nil || r.body == nil {
		return nil
	}
	w.spoil(r, body["content"].(tree)["application/json"].(tree)["schema"], r.body, nil, &all)
	return all
}

// spoil adds the cases of an object of the body and of what is in it.
func (w *world) spoil(r generated, schema any, v any, at []any, all *[]badCase) {
	s, _ := w.named(schema)
	pointer := func(more ...any) string {
		var b strings.Builder
		for _, step := range slices.Concat(at, more) {
			fmt.Fprint(&b, "/", step)
		}
		return b.String()
	}
	set := func(value any, step any) generated {
		r := r
		r.body = replaced(r.body, slices.Concat(at, []any{step}), value)
		return r
	}
	if s["additionalProperties"] == false {
		*all = append(*all, set(1, "zz").bad("unknown member", "body", pointer("zz"), wire.FaultUnknown))
	}
	required := listOf(s["required"])
	for _, name := range required {
		*all = append(*all,
			set(gone{}, name).bad(fmt.Sprint("without ", name), "body", pointer(name), wire.FaultRequired))
	}
	properties, _ := s["properties"].(tree)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		m, nullable := w.named(properties[name])
		if m["type"] == nil && m["enum"] == nil {
			continue // any value
		}
		add := func(what string, value any, fault string) {
			*all = append(*all, set(value, name).bad(pointer(name)+": "+what, "body", pointer(name), fault))
		}
		if wrong := any(7); !isType(m, "integer") && !isType(m, "number") {
			add("wrong type", wrong, wire.FaultType)
		} else {
			add("wrong type", true, wire.FaultType)
		}
		if !nullable {
			add("null", nil, wire.FaultRequired)
		}
		for _, bad := range badScalars(m) {
			add(fmt.Sprintf("%.40v", bad.value), bad.value, bad.fault)
		}
		inside, _ := v.(tree)[name]
		switch inside := inside.(type) {
		case tree:
			w.spoil(r, m, inside, slices.Concat(at, []any{name}), all)
		case []any:
			if len(inside) == 0 {
				continue
			}
			if most, ok := m["maxItems"].(json.Number); ok {
				n, _ := most.Int64()
				add("too many", slices.Repeat(inside[:1], int(n)+1), wire.FaultLength)
			}
			if least, ok := m["minItems"].(json.Number); ok && least != "0" {
				add("too few", []any{}, wire.FaultLength)
			}
			element, _ := w.named(m["items"])
			if _, is := inside[0].(tree); is {
				w.spoil(r, element, inside[0], slices.Concat(at, []any{name, 0}), all)
				continue
			}
			for _, bad := range badScalars(element) {
				c := set(slices.Concat([]any{bad.value}, inside[1:]), name).
					bad("an element", "body", pointer(name, 0), bad.fault)
				*all = append(*all, c)
			}
		}
	}
}

// named is a schema without its reference, and whether null is one of its values.
func (w *world) named(schema any) (s tree, nullable bool) {
	s = w.doc.resolve(schema)
	if choices := listOf(s["anyOf"]); choices != nil {
		return w.doc.resolve(choices[0]), true
	}
	return s, isType(s, "null")
}

// gone is what replaced takes as the removal of a member.
type gone struct{}

// replaced is a copy of a value with another one at a place in it.
func replaced(v any, at []any, value any) any {
	if len(at) == 0 {
		return value
	}
	switch v := v.(type) {
	case tree:
		o := maps.Clone(v)
		name := at[0].(string)
		if o[name] = replaced(v[name], at[1:], value); o[name] == (gone{}) {
			delete(o, name)
		}
		return o
	case []any:
		l := slices.Clone(v)
		l[at[0].(int)] = replaced(l[at[0].(int)], at[1:], value)
		return l
	}
	panic("there is no such place")
}

func TestBadInputOfEveryOperation(t *testing.T) {
	long(t)
	w := newWorld(t)
	of := map[string]int{}
	cases := w.cases()
	for _, c := range cases {
		a := w.call(c.method, c.target(), c.text(), c.headers...)
		told := fmt.Sprintf("%s, %s: %s %.300s %.300s: %s", c.id, c.what, c.method, c.target(), c.text(), a.body)
		var p struct {
			Code   base.Code
			Errors []struct{ In, Pointer, Code string }
		}
		require.NoError(t, json.Unmarshal(a.body, &p), told)
		found := c.fault == ""
		for _, f := range p.Errors {
			found = found || f.In+" "+f.Pointer+" "+f.Code == c.fault
		}
		if a.status != c.status || p.Code != c.code || !found {
			t.Errorf("want %d %s (%s) of %s", c.status, c.code, c.fault, told)
		}
		of[c.id]++
	}
	for _, op := range operations {
		require.True(t, op.apart || of[op.id] >= 5, op.id)
	}
	t.Logf("%d cases of %d operations", len(cases), len(of))
}
