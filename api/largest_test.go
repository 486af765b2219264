package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
)

// This file makes records as long as the document lets them be, by the document alone, and reads every list that there
// is: a list that is added is in it by itself.

// longest is a value with texts and lists as long as its schema allows, and the pointers of what was made longer.
func (w *world) longest(v, schema any, at string, made map[string]bool) any {
	s, _ := w.named(schema)
	most := func(name string) int {
		n, _ := s[name].(json.Number)
		i, _ := n.Int64()
		return int(i)
	}
	switch v := v.(type) {
	case tree:
		o := maps.Clone(v)
		properties, _ := s["properties"].(tree)
		for name, p := range properties {
			m, _ := w.named(p)
			x, there := o[name]
			if !there && m["type"] == "string" && m["enum"] == nil && m["format"] == nil {
				x, there = "x", true
			}
			if there {
				o[name] = w.longest(x, p, at+"/"+name, made)
			}
		}
		return o
	case []any:
		if len(v) == 0 || most("maxItems") <= len(v) {
			return v
		}
		made[at] = true
		list := make([]any, min(most("maxItems"), 12))
		for i := range list {
			list[i] = w.longest(v[min(i, len(v)-1)], s["items"], at+"/"+strconv.Itoa(i), made)
		}
		return list
	case string:
		if s["enum"] != nil || s["format"] != nil || most("maxLength") <= len(v) {
			return v
		}
		made[at] = true
		return strings.Repeat("\U0001F6B2", most("maxLength"))
	}
	return v
}

// shortened gives a value back what it was at a pointer, or had not.
func shortened(long, was any, pointer []string) any {
	if len(pointer) == 0 {
		return was
	}
	switch v := long.(type) {
	case tree:
		o := maps.Clone(v)
		before, _ := was.(tree)
		x, there := before[pointer[0]]
		if !there && len(pointer) == 1 {
			delete(o, pointer[0])
			return o
		}
		o[pointer[0]] = shortened(v[pointer[0]], x, pointer[1:])
		return o
	case []any:
		i, err := strconv.Atoi(pointer[0])
		before, _ := was.([]any)
		if err != nil || i >= len(v) || len(before) == 0 {
			return was
		}
		l := slices.Clone(v)
		l[i] = shortened(v[i], before[min(i, len(before)-1)], pointer[1:])
		return l
	}
	return was
}

// enlarge sends a request with its body as long as can be: what is refused of it is as it was.
func (w *world) enlarge(r generated) (made int) {
	body := w.doc.resolve(r.op["requestBody"])
	if body == nil || r.body == nil {
		return 0
	}
	schema := body["content"].(tree)["application/json"].(tree)["schema"]
	longer := map[string]bool{}
	long := w.longest(r.body, schema, "", longer)
	for range 12 {
		try := r
		try.body = long
		a := w.call(r.method, try.target(), try.text())
		if a.status == 200 {
			return len(longer)
		}
		var p struct{ Errors []struct{ Pointer string } }
		require.NoError(w, json.Unmarshal(a.body, &p))
		if len(p.Errors) == 0 {
			return 0
		}
		for _, f := range p.Errors {
			at := strings.Split(strings.TrimPrefix(f.Pointer, "/"), "/")
			long = shortened(long, r.body, at)
			delete(longer, f.Pointer)
		}
	}
	return 0
}

func TestRowsOfEveryListAreBounded(t *testing.T) {
	long(t)
	w := newWorld(t)
	grown := 0
	for range 2 {
		for _, r := range w.requests() {
			if r.method == "POST" || r.method == "PATCH" {
				grown += w.enlarge(w.again(r))
			}
		}
	}
	require.Greater(t, grown, 100, "values of requests that are as long as can be")
	lists, cut := 0, 0
	for _, r := range w.requests() {
		if r.method != "GET" || !slices.ContainsFunc(listOf(r.op["parameters"]),
			func(x any) bool { return w.doc.resolve(x)["name"] == "pageSize" }) {
			continue
		}
		if strings.HasSuffix(r.path, "/plan-quantity-change") {
			continue // its lists are parts of one plan
		}
		size := 250
		a := w.call("GET", r.path+"?"+strings.Join(append(slices.Clone(r.query), fmt.Sprint("pageSize=", size)), "&"),
			"")
		if a.status == 404 {
			continue // gone by what was sent
		}
		require.Equal(t, 200, a.status, "%s: %s", a.what, a.body)
		var got map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(a.body, &got))
		var rows []json.RawMessage
		require.NoError(t, json.Unmarshal(append(got["data"], got["articles"]...), &rows))
		for _, row := range rows {
			require.LessOrEqual(t, len(row), wire.MaxRow, a.what)
			if strings.Contains(string(row), `…"`) || strings.Contains(string(row), `Total":`) {
				cut++
			}
		}
		lists++
	}
	a := w.call("GET", "/v1/admin/changes?limit=1000", "")
	var feed struct {
		Changes []struct{ Record json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(a.body, &feed))
	for _, c := range feed.Changes {
		require.LessOrEqual(t, len(c.Record), wire.MaxRow)
	}
	require.Greater(t, lists, 18)
	require.Greater(t, cut, 0)
	t.Logf("%d values made longer, %d lists, %d rows cut", grown, lists, cut)
}

// What is cut says how long it is, and what is not cut is as it was.
func TestCutsSayWhatTheyCut(t *testing.T) {
	list := "[" + strings.TrimSuffix(
		strings.Repeat(`{"id":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","name":"a \"b\" \u0007"},`, 900), ",") + "]"
	text := `{"id":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","note":"` + strings.Repeat("é", 20_000) +
		`","codes":[],"n":-1.5,"b":false,"units":` + list + `,"unitsTotal":5000,"parts":` + list + `,"short":"x"`
	lengths := []int{0, 1, 49, 50, 51, 99, 100, 101}
	for _, n := range lengths {
		text += fmt.Sprintf(`,"of%d":[%s]`, n, strings.TrimSuffix(strings.Repeat("1,", n), ","))
	}
	text += "}"
	require.Equal(t, text, string(wire.Bounded([]byte(text), 0, len(text))))
	b := wire.Bounded([]byte("["+text), 1, wire.MaxRow)
	require.LessOrEqual(t, len(b)-1, wire.MaxRow)
	var got map[string]any
	require.NoError(t, json.Unmarshal(b[1:], &got))
	require.True(t, strings.HasSuffix(got["note"].(string), "é…"))
	require.EqualValues(t, 5000, got["unitsTotal"], "of what an encoder has cut it says the length itself")
	require.Equal(t, 1, strings.Count(string(b), "unitsTotal"))
	require.EqualValues(t, 900, got["partsTotal"])
	require.Len(t, got["parts"], len(got["units"].([]any)))
	require.Greater(t, len(got["parts"].([]any)), 10)
	require.Equal(t, "a \"b\" \a", at(got, "parts", 0, "name"))
	require.Equal(t, "x", got["short"])
	require.NotContains(t, got, "shortTotal")
	require.NotContains(t, got, "codesTotal")
	kept := len(got["parts"].([]any))
	require.Contains(t, lengths, kept)
	for _, n := range lengths {
		name := fmt.Sprint("of", n)
		require.Len(t, got[name], min(n, kept))
		require.Equal(t, n > kept, got[name+"Total"] != nil, "%s of %d", name, kept)
	}
}

// A text is cut between two characters, however these are written.
func TestTextsAreCutBetweenCharacters(t *testing.T) {
	for _, c := range []string{`x`, `\n`, `\"`, `\\`, `\u0007`, `é`, `😀`} {
		var one, got string
		require.NoError(t, json.Unmarshal([]byte(`"`+c+`"`), &one))
		for _, first := range []string{"", "a", "ab"} {
			b := wire.Bounded([]byte(`{"note":"`+first+strings.Repeat(c, 40_000)+`"}`), 0, wire.MaxRow)
			require.NoError(t, json.Unmarshal(b[len(`{"note":`):len(b)-1], &got), c)
			n := utf8.RuneCountInString(got) - 1
			require.GreaterOrEqual(t, n, 4000)
			require.Equal(t, first+strings.Repeat(one, n-len(first))+"…", got)
		}
	}
}
