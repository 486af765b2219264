package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// probe has a member of every kind.
type probe struct {
	Name  string
	Count int64
	Small int
	Flag  *bool
	ID    base.ID
	At    *int64
	Color string
	Tags  []string
	Lines []probeLine
	Note  base.Opt[string]
	Label base.Opt[string]
}

type probeLine struct {
	Quantity int
	Where    *probePlace
}

type probePlace struct{ City string }

var (
	probePlaceShape = wire.ShapeOf("Place",
		wire.Required("city", wire.Text(0, 20), func(p *probePlace) *string { return &p.City }))
	probeLineShape = wire.ShapeOf("Line",
		wire.Defaulted("quantity", wire.Integer[int](1, 10_000), 1, func(l *probeLine) *int { return &l.Quantity }),
		wire.Optional("where", wire.Object(probePlaceShape), func(l *probeLine) **probePlace { return &l.Where }))
	probeShape = wire.ShapeOf("Probe",
		wire.Required("name", wire.Text(1, 255), func(p *probe) *string { return &p.Name }),
		wire.Defaulted("count", wire.Integer[int64](-wire.MaxSafeInteger, wire.MaxSafeInteger), 7,
			func(p *probe) *int64 { return &p.Count }),
		wire.Defaulted("small", wire.Integer[int](0, 100), 0, func(p *probe) *int { return &p.Small }),
		wire.Optional("flag", wire.Boolean, func(p *probe) **bool { return &p.Flag }),
		wire.Defaulted("id", wire.UUID, base.ID{}, func(p *probe) *base.ID { return &p.ID }),
		wire.Optional("at", wire.Instant, func(p *probe) **int64 { return &p.At }),
		wire.Defaulted("color", wire.Enum("red", "green"), "red", func(p *probe) *string { return &p.Color }),
		wire.Defaulted("tags", wire.ListOf(wire.Text(0, 50), 0, 5), nil, func(p *probe) *[]string { return &p.Tags }),
		wire.Defaulted("lines", wire.ListOf(wire.Object(probeLineShape), 0, 3), nil,
			func(p *probe) *[]probeLine { return &p.Lines }),
		wire.Merged("note", wire.Text(0, 50), true, func(p *probe) *base.Opt[string] { return &p.Note }),
		wire.Merged("label", wire.Text(1, 50), false, func(p *probe) *base.Opt[string] { return &p.Label }))
)

func readProbe(data string) (probe, []base.Fault) {
	var p probe
	var r wire.Reader
	var found wire.Faults
	r.Reset([]byte(data), &found)
	r.Document(func(r *wire.Reader) { probeShape.ReadJSON(r, &p) })
	return p, r.Faults.ListOf
}

func faultLines(faults []base.Fault) string {
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "%s %s %s\n", f.In, f.Pointer, f.Code)
	}
	return strings.TrimSpace(b.String())
}

func TestReaderReadsEveryKind(t *testing.T) {
	p, faults := readProbe(` { "name" : "a\u00e9\ud83d\ude00\n" , "count":-9007199254740991,"flag":false,
		"id":"0190D3A4-6b1f-7c32-9d5e-3f2a1b0c9d8e","at":"2025-06-01T12:00:00.5+02:00","color":"green",
		"tags":["x",""],"lines":[{},{"quantity":3,"where":{"city":"Åbo"}}],"note":null,"n\u0061me2":0}`)
	require.Equal(t, "body /name2 unknown", faultLines(faults))
	no, at := false, int64(1748772000500)
	id, _ := wire.ParseID([]byte("0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e"))
	require.Equal(t, probe{
		Name: "aé😀\n", Count: -9007199254740991, Flag: &no, ID: id, At: &at, Color: "green", Tags: []string{"x", ""},
		Lines: []probeLine{{Quantity: 1}, {Quantity: 3, Where: &probePlace{"Åbo"}}},
		Note:  base.Opt[string]{Set: true, Null: true},
	}, p)
}

func TestReaderNamesEveryFault(t *testing.T) {
	check := func(data string, want ...string) {
		t.Helper()
		_, faults := readProbe(data)
		require.Equal(t, strings.Join(want, "\n"), faultLines(faults), data)
	}
	// What the members may be.
	check(`{"name":"a"}`)
	check(`{}`, "body /name required")
	check(`{"name":null,"label":null}`, "body /name required", "body /label required")
	check(`{"name":1,"count":"1","flag":0,"id":7,"at":1,"tags":{},"lines":[1,{"where":[]}]}`,
		"body /name type", "body /count type", "body /flag type", "body /id type", "body /at type", "body /tags type",
		"body /lines/0 type",
		"body /lines/1/where type")
	check(`{"name":"","count":9007199254740992,"small":101,"id":"x","at":"2025-06-01","color":"blue","tags":["","","","","",""]}`,
		"body /name length", "body /count range", "body /small range", "body /id format", "body /at format",
		"body /color enum", "body /tags length")
	check(`{"name":"a","count":1.0,"small":1e2}`, "body /count type", "body /small type")
	check(`{"name":"a","count":123456789012345678901234567890}`, "body /count range")
	check(`{"name":"a","Name":"b","name":"c"}`, "body /Name unknown", "body /name duplicate")
	check(`{"name":"a","n\u0061me":"c"}`, "body /name duplicate")
	check(`{"name":"a","a/b~c":{"x":[1,2,{"y":null}]}}`, "body /a~1b~0c unknown")
	check(`{"name":"a","lines":[{"quantity":0},{"where":{"city":1,"zip":2}},{},{"quantity":"x"}]}`,
		"body /lines/0/quantity range", "body /lines/1/where/city type", "body /lines/1/where/zip unknown",
		"body /lines length")
	check(`[]`, "body  type")
	check(`"text"`, "body  type")
	check(`null`, "body  type")

	// Syntax: one fault, where reading stopped, behind those found before.
	check(``, "body  malformed")
	check(`{`, "body  malformed")
	check(`{"small":"x","name":`, "body /small type", "body /name malformed")
	check(`{"name":"a"}x`, "body  malformed")
	check(`{"name":"a",}`, "body /name malformed")
	check(`{"name":"a" "count":1}`, "body /name malformed")
	check(`{"tags":["a",],"name":"a"}`, "body /tags/1 malformed")
	check(`{"name":'a'}`, "body /name malformed")
	check(`{"count":01,"name":"a"}`, "body /count malformed")
	check(`{"count":-,"name":"a"}`, "body /count malformed")
	check(`{"count":1.,"name":"a"}`, "body /count malformed")
	check(`{"flag":truely,"name":"a"}`, "body /flag malformed")
	check("{\"name\":\"a\nb\"}", "body /name malformed")
	check(`{"name":"\x"}`, "body /name malformed")
	check(`{"name":"\ud83d"}`, "body /name malformed")
	check(`{"name":"\ud83d\u0041"}`, "body /name malformed")
	check("{\"name\":\"\xff\"}", "body /name malformed")
	check("{\"name\":\"a\"}\x00", "body  malformed")
	check("\ufeff{}", "body  malformed")
	check(strings.Repeat("[", 1000), "body  type", "body "+strings.Repeat("/0", 32)+" too_deep")
	check(`{"name":"a","x":`+strings.Repeat(`{"x":`, 1000), "body /x unknown",
		"body "+strings.Repeat("/x", 32)+" too_deep")
	check(`{"name":"a","x":`+strings.Repeat(`[`, 31)+strings.Repeat(`]`, 31)+`}`, "body /x unknown")
}

func TestReaderCountsFaultsItDoesNotKeep(t *testing.T) {
	var p probe
	var r wire.Reader
	r.Reset([]byte(`{"name":"a"`+strings.Repeat(`,"x":1`, 1500)+`}`), new(wire.Faults))
	r.Document(func(r *wire.Reader) { probeShape.ReadJSON(r, &p) })
	require.Len(t, r.Faults.ListOf, wire.MaxFaults)
	require.Equal(t, 500, r.Faults.More)
}

func TestParseIDIsTheEngines(t *testing.T) {
	for _, s := range []string{
		"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e", "0190D3A4-6B1F-7C32-9D5E-3F2A1B0C9D8E",
		"00000000-0000-0000-0000-000000000000",
		"ffffffff-ffff-ffff-ffff-ffffffffffff", "0190d3a4-6b1f-0c32-9d5e-3f2a1b0c9d8e",
		"0190d3a4-6b1f-9c32-9d5e-3f2a1b0c9d8e",
		"0190d3a4-6b1f-7c32-cd5e-3f2a1b0c9d8e", "0190d3a4-6b1f-7c32-1d5e-3f2a1b0c9d8e",
		"0190d3a46b1f7c329d5e3f2a1b0c9d8e",
		"{0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e}", "urn:uuid:0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e",
		"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8", "",
		"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8g", "0190d3a4x6b1f-7c32-9d5e-3f2a1b0c9d8e",
		"0190d3a4-6b1f-8c32-bd5e-3f2a1b0c9d8e",
	} {
		want, wantOK := base.ParseID(s)
		got, ok := wire.ParseID([]byte(s))
		require.Equal(t, wantOK, ok, s)
		if ok {
			require.Equal(t, want, got, s)
		}
	}
}

// FuzzReader holds the reader against encoding/json: they call the same documents malformed but for what we refuse on
// top, which is found here by other means; of an object they see the same members missing, unknown and given twice; and
// where no fault is found they read the same values.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"name":"a","count":-5,"small":3,"flag":true,"id":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","tags":["\u00e9\\\"\ud83d\ude00"]}`,
		`{"name":"a","lines":[{"quantity":3,"where":{"city":"x"}},{}],"note":null,"label":"l"}`,
		`[1.5e-3,null,true,"\ud800"]`, `{"a":{"a":{}}`, "\"\xff\"",
		`{"name":"a","count":0.1}`, ` {"name" : "b" , "x":[{}]} `, `{"name":"\n\/","name":1}`,
		`{"count":-0,"name":"-"}`, `{"name":"\\ud800","at":"2025-06-01T12:00:00Z"}`,
		`{"name":"\b","at":"2000-01-01t00:00z"}`,
		`{"name":"\ud83d\u0041"}`, `{"n\u0061me":"a","Name":"b","color":"green"}`,
		strings.Repeat("[", 33) + strings.Repeat("]", 33), `{"name":"a","x":` + strings.Repeat(`{"[":`, 40),
		`{"` + strings.Repeat("~é/", 200) + `":1}`,
		`[1d5]`, "[\"\\n\x01\"]", `["\u00:0"]`, `["\u00@0"]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(readAsLibrary)
}

// readAsLibrary reads a document with the reader and with encoding/json.
func readAsLibrary(t *testing.T, data []byte) {
	p, faults := readProbe(string(data))
	var bad, deep bool
	for _, x := range faults {
		bad, deep = bad || x.Code == wire.FaultMalformed, deep || x.Code == wire.FaultTooDeep
	}
	lone, depth := beyondJSON(data)
	good := json.Valid(data) && utf8.Valid(data) && !lone
	switch {
	case good && depth <= wire.MaxDepth && (bad || deep):
		t.Fatalf("refused as malformed or too deep: %q", data)
	case good && depth > wire.MaxDepth && !deep:
		t.Fatalf("%d levels are taken: %q", depth, data)
	case !good && !bad && !deep:
		t.Fatalf("taken, but malformed: %q", data)
	case !good || deep:
		return
	}
	sameMembers(t, data, faults)
	if len(faults) == 0 {
		sameValues(t, data, p)
	}
}

// Strings are read eight bytes at a time: each byte at each place of two such steps, alone and behind one that the
// subtraction of such a step borrows of.
func TestReaderOfEveryByteAtEveryPlace(t *testing.T) {
	for c := range 256 {
		for at := range 17 {
			for _, before := range []byte{'a', ' ', '!', '"', '#', 0x1f, '\\', ']', 0x7f, 0x80} {
				name := []byte("abcdefghijklmnopq")
				name[at] = byte(c)
				if at > 0 {
					name[at-1] = before
				}
				readAsLibrary(t, fmt.Appendf(nil, `{"name":"%s"}`, name))
			}
		}
	}
}

// A document may break off anywhere, and begin anywhere.
func TestReaderOfEveryPartOfADocument(t *testing.T) {
	const document = `{"name":"a\n\u00e9\"b","x":[-1.5e+3,0,true,false,null,"\ud83d\ude00"]}`
	for from := range len(document) {
		for to := from; to < len(document); to++ {
			readAsLibrary(t, []byte(document[from:to]))
		}
	}
}

// beyondJSON says of a document whether a half of a surrogate pair stands alone in it, and how deep it is. It looks at
// bytes, where it is not JSON to no avail.
func beyondJSON(data []byte) (lone bool, depth int) {
	level, inside := 0, false
	unit := func(at int) (u uint64, ok bool) {
		if at+6 > len(data) || data[at] != '\\' || data[at+1] != 'u' {
			return 0, false
		}
		u, err := strconv.ParseUint(string(data[at+2:at+6]), 16, 16)
		return u, err == nil
	}
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			inside = !inside
		case inside && c == '\\':
			u, ok := unit(i)
			low, paired := unit(i + 6)
			switch {
			case !ok:
				i++
			case u >= 0xd800 && u < 0xdc00 && paired && low >= 0xdc00 && low < 0xe000:
				i += 11
			default:
				lone = lone || u >= 0xd800 && u < 0xe000
				i += 5
			}
		case !inside && (c == '{' || c == '['):
			level++
			depth = max(depth, level)
		case !inside && (c == '}' || c == ']'):
			level--
		}
	}
	return lone, depth
}

// sameMembers compares which members the two see in the object that the document is.
func sameMembers(t *testing.T, data []byte, faults []base.Fault) {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		require.Equal(t, "body  type", faultLines(faults), "%q", data)
		return
	}
	want := map[string]int{}
	given := map[string]bool{}
	for d.More() {
		name, err := d.Token()
		require.NoError(t, err)
		var skipped json.RawMessage
		require.NoError(t, d.Decode(&skipped))
		n := name.(string)
		told := []rune(n)
		if len(told) > base.MaxName { // no name is as long
			told = append(told[:base.MaxName], '…')
		}
		pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(string(told))
		switch {
		case !slices.ContainsFunc(wire.FieldsOf(probeShape), func(f wire.Field[probe]) bool { return f.Name == n }):
			want[pointer+" "+wire.FaultUnknown]++
		case given[n]:
			want[pointer+" "+wire.FaultDuplicate]++
		case n == "name" && string(skipped) == "null":
			want["/name "+wire.FaultRequired]++
		}
		given[n] = true
	}
	if !given["name"] {
		want["/name "+wire.FaultRequired]++
	}
	got := map[string]int{}
	for _, f := range faults {
		if strings.Count(f.Pointer, "/") == 1 && (f.Code == wire.FaultUnknown || f.Code == wire.FaultDuplicate ||
			f.Code == wire.FaultRequired && f.Pointer == "/name") {
			got[f.Pointer+" "+f.Code]++
		}
	}
	if len(faults) < wire.MaxFaults {
		require.Equal(t, want, got, "%q", data)
	}
}

// sameValues compares what the two read from a document without fault.
func sameValues(t *testing.T, data []byte, p probe) {
	var twin struct {
		Name  string
		Count *int64
		Small int
		Flag  *bool
		Tags  []string
		Lines []struct {
			Quantity *int
			Where    *struct{ City string }
		}
		Note, Label   *string
		ID, At, Color *string
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&twin), "accepted what encoding/json refuses: %q", data)
	require.Equal(t, twin.Name, p.Name)
	require.Equal(t, or(twin.Count, 7), p.Count)
	require.Equal(t, twin.Small, p.Small)
	require.Equal(t, twin.Flag, p.Flag)
	require.Equal(t, or(twin.Color, "red"), p.Color)
	require.Equal(t, twin.At == nil, p.At == nil)
	if twin.At != nil {
		at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(*twin.At))
		if err != nil {
			at, err = time.Parse("2006-01-02T15:04Z07:00", strings.ToUpper(*twin.At))
		}
		require.NoError(t, err, *twin.At)
		require.Equal(t, at.UnixMilli(), *p.At)
	}
	id, ok := base.ParseID(or(twin.ID, base.ID{}.String()))
	require.True(t, ok)
	require.Equal(t, id, p.ID)
	require.Equal(t, len(twin.Tags), len(p.Tags))
	for i := range p.Tags {
		require.Equal(t, twin.Tags[i], p.Tags[i])
	}
	require.Equal(t, len(twin.Lines), len(p.Lines))
	for i, l := range p.Lines {
		require.Equal(t, or(twin.Lines[i].Quantity, 1), l.Quantity)
		require.Equal(t, twin.Lines[i].Where == nil, l.Where == nil)
		if l.Where != nil {
			require.Equal(t, twin.Lines[i].Where.City, l.Where.City)
		}
	}
	for _, x := range []struct {
		twin *string
		read base.Opt[string]
	}{{twin.Note, p.Note}, {twin.Label, p.Label}} {
		require.Equal(t, x.twin != nil, x.read.Set && !x.read.Null)
		require.Equal(t, or(x.twin, ""), x.read.Value)
	}
}

// or is what a pointer points to, or else the default.
func or[V any](v *V, otherwise V) V {
	if v == nil {
		return otherwise
	}
	return *v
}
