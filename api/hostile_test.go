package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
)

// This file holds refusals against their bound: whatever is sent, its faults fill an answer of a few hundred kilobytes.

// mostRefused is more than any refusal has: the texts of its faults, and what stands around each of them.
const mostRefused = wire.MaxFaultBytes + wire.MaxFaults*100 + 64<<10

// hostile are bodies whose faults would fill very long answers: long names with much that is wrong below them, and very
// many short ones.
func hostile(members []string) (bodies []string) {
	share := 900_000 / max(1, len(members))
	many := strings.TrimSuffix(strings.Repeat("1,", min(2000, share/8)), ",")
	empty := strings.TrimSuffix(strings.Repeat("{},", min(2000, share/8)), ",")
	fill := func(value string) string {
		var b strings.Builder
		for i, m := range members {
			fmt.Fprintf(&b, "%s%q:%s", strings.Repeat(",", min(i, 1)), m, value)
		}
		return "{" + b.String() + "}"
	}
	var long, short strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&long, `,"%s%d":1`, strings.Repeat(`\u0001`, 140), i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&short, `,"%d":1`, i)
	}
	return []string{
		fill(`{"` + strings.Repeat("k", share/2) + `":[` + many + `]}`),
		fill("[" + many + "]"),
		fill("[" + empty + "]"),
		"{" + long.String()[1:] + "}",
		"{" + short.String()[1:] + "}",
	}
}

func TestNoRefusalIsLong(t *testing.T) {
	long(t)
	w := newWorld(t)
	for _, r := range w.requests() {
		var members []string
		if body := w.doc.resolve(r.op["requestBody"]); body != nil {
			s, _ := w.named(body["content"].(tree)["application/json"].(tree)["schema"])
			properties, _ := s["properties"].(tree)
			for name := range properties {
				members = append(members, name)
			}
			for _, body := range hostile(members) {
				a := w.call(r.method, r.target(), body)
				require.Equal(t, 400, a.status, "%s: %.100s", r.id, a.body)
				require.LessOrEqual(t, len(a.body), mostRefused, "%s: %.60s...", r.id, body)
			}
		}
		for _, more := range []string{strings.Repeat("a&", 6000), strings.Repeat("%01", 4000),
			strings.Repeat("%ff&", 3000)} {
			r := r
			r.query = append(r.query[:len(r.query):len(r.query)], more)
			a := w.call(r.method, r.target(), r.text())
			require.Equal(t, 400, a.status, "%s: %.100s", r.id, a.body)
			require.LessOrEqual(t, len(a.body), mostRefused, "%s?%.60s...", r.id, more)
		}
	}
}

// An import has one bound for the faults of all its rows. They are named row by row, and the rest is counted.
func TestNoRefusalOfAnImportIsLong(t *testing.T) {
	long(t)
	s := newExchangeShop(t)
	row := `{` + strings.Repeat(`"u":1,`, 119) + `"u":1}`
	rows := strings.Repeat(row+",", 4999) + row
	for _, rows := range []string{rows, strings.Repeat(`{},`, 4999) + `{}`, strings.Repeat(`{"name":""},`, 4999) + `1`} {
		a := s.call("POST", "/v1/admin/import", `{"resource":"skus","rows":[`+rows+`]}`)
		require.Equal(t, 400, a.status)
		require.LessOrEqual(t, len(a.body), mostRefused)
		require.Equal(t, "/rows/0", at(a.object(), "errors", 0, "pointer").(string)[:len("/rows/0")])
		require.Regexp(t, `\(and \d+ more\)$`, a.object()["detail"])

		status, text := s.rows("skus", strings.ReplaceAll(rows, "},", "}\n"))
		require.Equal(t, 400, status)
		require.LessOrEqual(t, len(text), mostRefused)
		var p struct{ Detail string }
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		require.Regexp(t, `\(and \d+ more\)$`, p.Detail)
	}
}

// A name that no key can have is one fault, with the beginning of the name, and nothing is said of its value.
func TestNamesThatNoKeyCanHave(t *testing.T) {
	s := newShop(t)
	name := strings.Repeat("ж", 256)
	s.refused(400, "INVALID_ARGUMENTS", "POST", "/v1/admin/skus",
		`{"name":"x","attributes":{"`+name+`":[1,2,3],"a":[1]},"metadata":{"`+name+`":1}}`,
		"body /attributes/"+name[2:]+"… length", "body /attributes/a/0 type", "body /metadata/"+name[2:]+"… length",
		"body /attributes/a unknown")
	s.refused(400, "INVALID_ARGUMENTS", "POST", "/v1/admin/skus", `{"name":"x","`+name+`":1}`,
		"body /"+name[2:]+"… unknown")
}
