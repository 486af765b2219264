package main

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/api"
)

// This file owns the tests of files of rows.

// euroForm is how the file of an account with euros is read.
func euroForm(format string) rowForm {
	return rowForm{format: format, currency: func() (string, error) { return "EUR", nil }}
}

// A file is read to its end, whatever stands in it: what cannot be read is named with its line, the rest is there.
func TestReadRows(t *testing.T) {
	long := strings.Repeat("x", maxRow+1)
	for _, c := range []struct {
		name, resource, format, file string
		rows                         []string // line: JSON
		faults                       string   // one a line, or the error
	}{
		{"CSV", "locations", "csv", "name,timezone\nA,UTC\nB,UTC",
			[]string{`2: {"name":"A","timezone":"UTC"}`, `3: {"name":"B","timezone":"UTC"}`}, ""},
		{"mark, CRLF, empty lines", "locations", "csv", "\ufeffname,timezone\r\n\r\nA,UTC\r\n\r\n",
			[]string{`3: {"name":"A","timezone":"UTC"}`}, ""},
		{
			"cells over lines", "skus", "csv", "name,description,code\nA,\"x\ny \"\"z\"\"\",1\nB,,2\n",
			[]string{`2: {"name":"A","description":"x\ny \"z\"","code":"1"}`, `4: {"name":"B","code":"2"}`}, "",
		},
		{
			"types", "skus", "csv",
			"purchasePrice,bufferTimeAmountAfter,name,tags,attributes\n1,1.5,007,a|b,\n" +
				"007,abc,true,\"[\"\"a|b\"\"]\",\"{ \"\"k\"\": [1] }\"\n[1],\"\"\"1\"\"\",null,[x],\n",
			[]string{
				`2: {"purchasePrice":1,"bufferTimeAmountAfter":1.5,"name":"007","tags":["a","b"]}`,
				`3: {"bufferTimeAmountAfter":"abc","name":"true","tags":["a|b"],"attributes":{"k":[1]}}`,
				`4: {"bufferTimeAmountAfter":"\"1\"","name":"null","tags":["[x]"]}`,
			}, "3: purchasePrice must be an amount like 12.50 or 12.50 EUR, or whole minor units like 1250\n" +
				"4: purchasePrice must be an amount like 12.50 or 12.50 EUR, or whole minor units like 1250",
		},
		{
			"lists", "articles", "csv",
			"name,quantities.10.count,quantities.2.count,quantities.2.serviceLocationId,quantities\nA,1,2,here,\nB,," +
				",,\"[{\"\"count\"\":3}]\"\nC,1,,,[]\nD,,,,[\nE,,,,\n",
			[]string{
				`2: {"name":"A","quantities":[{"count":2,"serviceLocationId":"here"},{"count":1}]}`,
				`3: {"name":"B","quantities":[{"count":3}]}`, `6: {"name":"E"}`,
			},
			"4: quantities is given in columns of its own as well\n5: quantities is not JSON",
		},
		{
			"any value", "articles", "csv", "name,fulfillmentFields.0.value\nA,\" 5 \"\nB, 5 \n",
			[]string{`2: {"name":"A","fulfillmentFields":[{"value":" 5 "}]}`,
				`3: {"name":"B","fulfillmentFields":[{"value":5}]}`}, "",
		},
		{"objects", "locations", "csv", "address.city,name,timezone,address.details\nX,A,,\n,B,,\n",
			[]string{`2: {"address":{"city":"X"},"name":"A"}`, `3: {"name":"B"}`}, ""},
		{"too few and too many", "locations", "csv", "name,timezone\nA\nB,UTC\nC,UTC,\n",
			[]string{`3: {"name":"B","timezone":"UTC"}`},
			"2: has 1 fields, the header has 2\n4: has 3 fields, the header has 2"},
		{
			"quotes", "locations", "csv", "name,timezone\n\"A\"x,UTC\nB\"\"b,UTC\nC,\"UTC\nD,UTC\n",
			[]string{`5: {"name":"D","timezone":"UTC"}`},
			"2: has a quote out of place at character 3\n3: has a quote out of place at character 2\n4: has a quote " +
				"without its other half",
		},
		{"UTF-8", "locations", "csv", "name,timezone\n\xff,UTC\nB,UTC\n\"C\n\xff\",UTC\n",
			[]string{`3: {"name":"B","timezone":"UTC"}`},
			"2: is not UTF-8\n4: has a quote without its other half\n5: is not UTF-8"},
		{"long", "locations", "csv", "name,timezone\n" + long + ",UTC\nB,UTC\n\"" + long[:maxRow-10] + "\n" +
			long[:20] + "\",UTC\nE,UTC\n",
			[]string{`3: {"name":"B","timezone":"UTC"}`, `6: {"name":"E","timezone":"UTC"}`},
			"2: is longer than 1 MiB\n4: has a quote without its other half\n5: has a quote without its other half"},
		{"zero bytes", "locations", "csv", "name,timezone\n\x00,UTC\n",
			[]string{`2: {"name":"\u0000","timezone":"UTC"}`}, ""},
		{"empty", "skus", "csv", "", nil, "the file is empty: it must begin with the names of its columns"},
		{"UTF-16", "skus", "csv", "\xff\xfen\x00", nil, "the file is UTF-16: it must be UTF-8"},
		{"gzip", "skus", "ndjson", "\x1f\x8b\x08", nil, "the file is compressed: it must be plain text"},
		{"semicolons", "locations", "csv", "name;address.city;timezone\n\"A;B\";C,D;UTC\n",
			[]string{`2: {"name":"A;B","address":{"city":"C,D"},"timezone":"UTC"}`}, ""},
		{"tabs", "locations", "csv", "name\ttimezone\taddress.city\nA\tUTC\t\n B \t\tC\n",
			[]string{`2: {"name":"A","timezone":"UTC"}`, `3: {"name":"B","address":{"city":"C"}}`}, ""},
		{"one column", "customers", "csv", "companyName\nA;B\n", []string{`2: {"companyName":"A;B"}`}, ""},
		{"separator inside a heading", "locations", "csv", "name,timezone,\"x;y;z\"\n", nil,
			`line 1: unknown column "x;y;z"; columns are`},
		{"unknown columns under semicolons", "locations", "csv", "nome;timezone\n", nil,
			`line 1: unknown column "nome", the nearest is name; column name is missing; columns are`},
		{
			"headings of any case, with blanks", "articles", "csv",
			" Name ,SKUID,Quantities.0.COUNT,\" codes \"\nA,B,1,C\n",
			[]string{`2: {"name":"A","skuId":"B","quantities":[{"count":1}],"codes":["C"]}`}, "",
		},
		{"the same heading twice", "locations", "csv", "name,timezone, NAME\n", nil,
			"line 1: column name is there more than once"},
		{
			"blanks", "articles", "csv", "name,codes,status,purchasePrice,description,attributes\n  A  , B | C " +
				",active ,\" 12 \",\" x \", {} \n" +
				"\u00a0B\u00a0,\" D | E\",\" active \", 5 , ,\nC,, \"active\",, \" y\" \n   \n",
			[]string{
				`2: {"name":"A","codes":["B","C"],"status":"active","purchasePrice":12,"description":" x ","attributes":{}}`,
				`3: {"name":"B","codes":[" D "," E"],"status":"active","purchasePrice":5}`,
			},
			"4: has a quote out of place at character 19",
		},
		{
			"columns", "locations", "csv", "\nname,nam,name,,address,address.town,address.0,id.x\n", nil,
			`line 2: unknown column "nam", the nearest is name; column name is there more than once; column 4 has no name; unknown column "address"; unknown column "address.town"; ` +
				`unknown column "address.0"; unknown column "id.x", the nearest is id; column timezone is missing; ` +
				`columns are id, name, address.address, address.zipCode, address.city, address.country, address.state, address.details, timezone`,
		},
		{"missing", "holds", "csv", "note\nx\n", nil, "line 1: column lines is missing"},
		{"numbers", "holds", "csv", "lines.00.from,lines.1000.from,lines.-1.from,lines.0,lines.0.from.x\n", nil,
			`unknown column "lines.00.from"`},
		{"header", "locations", "csv", "na\"me\",timezone\nA,UTC\n", nil,
			"line 1: has a quote out of place at character 3"},
		{"header without end", "locations", "csv", "\"name,timezone\nA,UTC\n", nil,
			"line 1: has a quote without its other half"},
		{"NDJSON", "skus", "ndjson", "\ufeff{\"name\":\"A\"}\r\n\n  \n[1]\n{\xff}\n" + long + "\n{",
			[]string{`1: {"name":"A"}`, `4: [1]`, `7: {`}, "5: is not UTF-8\n6: is longer than 1 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, faults, err := readRows(strings.NewReader(c.file), euroForm(c.format), api.ExchangeRow(c.resource))
			var got []string
			for _, r := range rows {
				got = append(got, strconv.Itoa(r.line)+": "+string(r.json))
			}
			require.Equal(t, c.rows, got, "faults: %v", faults)
			if err != nil {
				require.Empty(t, faults)
				require.Contains(t, err.Error(), c.faults)
				require.NotEmpty(t, c.faults)
				return
			}
			var texts []string
			for _, f := range faults {
				texts = append(texts, strconv.Itoa(f.line)+": "+f.text)
			}
			require.Equal(t, c.faults, strings.Join(texts, "\n"))
		})
	}
}

// readsAnything demands of any file that reading it ends, and that its rows and its faults are told of in order. A
// file that is no plain UTF-8 is refused as a whole, and so is a CSV file whose header says nothing.
func readsAnything(t require.TestingT, file, format, resource string) {
	rows, faults, err := readRows(strings.NewReader(file), euroForm(format), api.ExchangeRow(resource))
	if err != nil {
		if format == formatNDJSON {
			require.Regexp(t, "UTF-16|compressed", err.Error())
		}
		require.Empty(t, rows)
		return
	}
	last, most := 0, strings.Count(file, "\n")+1
	for _, r := range rows {
		require.Greater(t, r.line, last)
		last = r.line
	}
	require.LessOrEqual(t, last, most)
	last = 0
	for _, f := range faults {
		require.GreaterOrEqual(t, f.line, last)
		last = f.line
	}
	require.LessOrEqual(t, last, most)
}

func TestReadRowsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("a\",\n\r|[{}]1é\x00")), 0, 60, -1).Draw(t, "text")
		readsAnything(t, "name,timezone\n"+text, formatCSV, "locations")
		readsAnything(t, text, formatNDJSON, "locations")
	})
}

// FuzzReadRows is the same with headers, and with cells of every type.
func FuzzReadRows(f *testing.F) {
	f.Add("name,timezone\nShop,Europe/Berlin\n", false)
	f.Add("\ufeffname;purchasePrice\r\n\"A \"\"1\"\"\";12,50 EUR\r\n", true)
	f.Add("name\ttagIds\nA\tx|y\n", true)
	f.Add("{\"name\": \"A\"}\n[]\n", true)
	f.Add("\xfe\xff", false)
	f.Fuzz(func(t *testing.T, file string, skus bool) {
		resource := "locations"
		if skus {
			resource = "skus"
		}
		readsAnything(t, file, formatCSV, resource)
		readsAnything(t, file, formatNDJSON, resource)
	})
}

// What an export writes into cells reads back as the same row.
func TestCellsReadBack(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab|\"[]{},;\r\n 'é\u2028<&")), 1, 8, -1)
	list := func(t *rapid.T, of *rapid.Generator[string], name string) []any {
		var all []any
		for _, s := range rapid.SliceOfN(of, 0, 3).Draw(t, name) {
			all = append(all, s)
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		row := map[string]any{"name": text.Draw(t, "name"),
			"purchasePrice": rapid.Int64Range(-1<<53, 1<<53).Draw(t, "price")}
		if codes := list(t, text, "codes"); codes != nil {
			row["codes"] = codes
		}
		if rapid.Bool().Draw(t, "attributes") {
			row["attributes"] = map[string]any{text.Draw(t, "key"): list(t, text, "value"), "x": 1.5, "y": true}
		}
		var quantities []any
		for range rapid.IntRange(0, 4).Draw(t, "quantities") {
			quantities = append(quantities, map[string]any{"serviceLocationId": text.Draw(t, "place"), "count": 3})
		}
		if quantities != nil {
			row["quantities"] = quantities
		}
		want := jsonText(t, row)
		var file bytes.Buffer
		_, err := writeRows(&file, strings.NewReader(want+"\n"), formatCSV, api.ExchangeRow("articles"),
			newBar(&file, -1, "", false))
		require.NoError(t, err)
		rows, faults, err := readRows(&file, euroForm(formatCSV), api.ExchangeRow("articles"))
		require.NoError(t, err)
		require.Empty(t, faults)
		require.Len(t, rows, 1)
		require.JSONEq(t, want, string(rows[0].json))
	})
}

// What ends a line inside quotes stays as it is, whatever ends the records of the file.
func TestLineEndsInQuotes(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		file := strings.Join([]string{"name,description",
			"A,\"one\ntwo\r\nthree\r\r\n\rfour\r\n\"", "B,\"x\r\"", ""}, end)
		rows, faults, err := readRows(strings.NewReader(file), euroForm(formatCSV), api.ExchangeRow("skus"))
		require.NoError(t, err)
		require.Empty(t, faults)
		require.Len(t, rows, 2)
		require.JSONEq(t, `{"name":"A","description":"one\ntwo\r\nthree\r\r\n\rfour\r\n"}`, string(rows[0].json))
		require.JSONEq(t, `{"name":"B","description":"x\r"}`, string(rows[1].json))
	}
}

// The separator that is given is taken, whatever the heading line looks like.
func TestSeparatorIsGiven(t *testing.T) {
	form := euroForm(formatCSV)
	form.separator = ';'
	_, _, err := readRows(strings.NewReader("name,timezone\n"), form, api.ExchangeRow("locations"))
	require.ErrorContains(t, err, `unknown column "name,timezone"`)
	rows, faults, err := readRows(strings.NewReader("companyName\n\"A\";\n"), form, api.ExchangeRow("customers"))
	require.NoError(t, err)
	require.Empty(t, rows)
	require.Equal(t, []rowFault{{2, "has 2 fields, the header has 1"}}, faults)
}

// Every column is found by its own name, and no two by one.
func TestColumnsAreFound(t *testing.T) {
	for _, resource := range api.ExchangeNames() {
		seen := map[string]bool{}
		for _, c := range columnsOf(api.ExchangeRow(resource)) {
			found, ok := findColumn(api.ExchangeRow(resource), strings.ToUpper(c.name))
			require.True(t, ok, c.name)
			require.Equal(t, c.name, found.name)
			require.False(t, seen[found.name], found.name)
			seen[found.name] = true
		}
	}
}
