package api

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// asked is a query with every form that queries have.
type asked struct {
	Name    string
	IDs     []string
	Window  *window
	Filters []askedFilter
}

type askedFilter struct {
	Field  string
	Values []string
}

var askedShape = wire.ShapeOf("Asked",
	wire.Defaulted("name", wire.Text(0, 20), "-", func(a *asked) *string { return &a.Name }),
	wire.Defaulted("ids", wire.ListOf(wire.Text(1, 5), 0, 3), nil, func(a *asked) *[]string { return &a.IDs }),
	wire.Optional("dateRange", dateRange, func(a *asked) **window { return &a.Window }),
	wire.Defaulted("filters", wire.ListOf(wire.Object(wire.ShapeOf("Filter",
		wire.Required("field", wire.Enum("name", "code"), func(f *askedFilter) *string { return &f.Field }),
		wire.Required("value", wire.ListOf(wire.Text(1, 5), 1, 2),
			func(f *askedFilter) *[]string { return &f.Values }))), 0, 2), nil,
		func(a *asked) *[]askedFilter { return &a.Filters }))

func ask(query string) (v asked, faults []base.Fault) {
	var found wire.Faults
	a := wire.Args{In: "query", Faults: &found}
	a.Parse([]byte(query))
	askedShape.ReadArgs(&a, "", &v)
	a.Unknown(askedShape.Schema().Members)
	return v, found.ListOf
}

func TestQueryForms(t *testing.T) {
	check := func(query string, want asked) {
		t.Helper()
		got, faults := ask(query)
		require.Empty(t, faults, query)
		require.Equal(t, want, got, query)
	}
	check("", asked{Name: "-"})
	check("name=a+b%20c%2B&", asked{Name: "a b c+"})
	check("name=", asked{})
	check("ids=a&ids=b", asked{Name: "-", IDs: []string{"a", "b"}})
	check("ids[]=a&ids%5B%5D=b&ids=c", asked{Name: "-", IDs: []string{"a", "b", "c"}})
	check("ids=a", asked{Name: "-", IDs: []string{"a"}})
	check("dateRange[from]=1970-01-01T00:00:01Z&dateRange[to]=1970-01-01T01:00:02%2B01:00",
		asked{Name: "-", Window: &window{1000, 2000}})
	check("filters[1][field]=code&filters[1][value]=x&filters[0][field]=name&filters[0][value]=a&filters[0][value]=b",
		asked{Name: "-", Filters: []askedFilter{{"name", []string{"a", "b"}}, {"code", []string{"x"}}}})

	wrong := func(query string, want string) {
		t.Helper()
		_, faults := ask(query)
		require.Equal(t, want, faultLines(faults), query)
	}
	wrong("name=a&name=b", "query name duplicate")
	wrong("ids=a&ids=b&ids=c&ids=d", "query ids length")
	wrong("ids=toolong&ids=", "query ids length\nquery ids length")
	wrong("dateRange[from]=x", "query dateRange[from] format\nquery dateRange[to] required")
	wrong("dateRange=x", "query dateRange unknown")
	wrong("filters[0][value]=a", "query filters[0][field] required")
	wrong("filters[0][field]=size&filters[0][value]=a&filters[0][size]=1",
		"query filters[0][field] enum\nquery filters[0][size] unknown")
	wrong("filters[1][field]=name&filters[1][value]=a", "query filters[0] required")
	wrong("Name=a&nam=b", "query Name unknown\nquery nam unknown")
	wrong("name=%", "query name malformed")
	wrong("name=%c3%28", "query name malformed")
	_, faults := ask("x=1")
	require.Equal(t, "unknown parameter; known are name, ids, dateRange[from], dateRange[to], filters[0][field], "+
		"filters[0][value]", faults[0].Message)
}

// FuzzArgs holds the reader of queries against net/url: where neither refuses, they see the same pairs in the same
// order.
func FuzzArgs(f *testing.F) {
	for _, s := range []string{"a=b&c=d", "a=%20+b", "a", "=", "&&a=1", "a[b]=%5b", "a=b=c", "%", "a=%f0%9f%98%80",
		"a;b=c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		want, err := url.ParseQuery(query)
		if err != nil || !utf8.ValidString(query) {
			return
		}
		var found wire.Faults
		a := wire.Args{In: "query", Faults: &found}
		a.Parse([]byte(query))
		if len(found.ListOf) > 0 {
			for name, values := range want {
				for _, v := range append(values, name) {
					if !utf8.ValidString(v) {
						return // refused on top
					}
				}
			}
			t.Fatalf("refused %q: %v", query, found.ListOf)
		}
		got := url.Values{}
		for _, p := range a.ListOf {
			got[string(p.Name)] = append(got[string(p.Name)], string(p.Value))
		}
		require.Equal(t, want, got, "%q", query)
	})
}

// Clocks of languages write up to nine digits of a second; below a millisecond they say nothing here.
func TestInstantsOfManyDigits(t *testing.T) {
	for text, want := range map[string]int64{
		"1970-01-01T00:00:01Z": 1000, "1970-01-01T00:00:01.5Z": 1500, "1970-01-01T00:00:01.123Z": 1123,
		"1970-01-01T00:00:01.1239Z":   1123,
		"1970-01-01T00:00:01.123999Z": 1123, "1970-01-01T00:00:01.000999999Z": 1000,
		"1970-01-01T01:00:01.999999999+01:00": 1999,
	} {
		var got int64
		require.Equal(t, wire.Wrong{}, wire.ParseInstant([]byte(text), &got), text)
		require.Equal(t, want, got, text)
	}
	for text, message := range map[string]string{
		"1970-01-01T00:00:01.1234567890Z": "may have at most nine digits of a " +
			"second's fraction",
		"1970-01-01T00:00:01.Z":                                   "must be a date-time like 2025-06-01T10:00:00Z",
		"1970-01-01T00:00:01.123456":                              "must end with Z or an offset like +02:00",
		"1970-01-01T00:00:01.123456Zx" + strings.Repeat("x", 100): "must be a date-time like 2025-06-01T10:00:00Z",
		"1970-01-01 00:00:01.123456Z":                             "must be a date-time like 2025-06-01T10:00:00Z",
	} {
		got := int64(7)
		require.Equal(t, wire.Wrong{Code: wire.FaultFormat, Message: message}, wire.ParseInstant([]byte(text), &got),
			text)
		require.EqualValues(t, 7, got, text)
	}
}

// A plus that was not escaped has become a space: the fault says so, and only where that is what is wrong.
func TestLostPlus(t *testing.T) {
	message := func(from string) string {
		_, faults := ask("dateRange[from]=" + from + "&dateRange[to]=1970-01-01T02:00:00Z")
		require.Len(t, faults, 1, from)
		return faults[0].Message
	}
	const hint = "write %2B or Z"
	require.Contains(t, message("1970-01-01T03:00:00+02:00"), hint)
	require.Contains(t, message("1970-01-01T01:00:00.123456+00:30"), hint)
	require.NotContains(t, message("1970-01-01+01:00:00"), hint)
	require.NotContains(t, message("1970-01-01T25:00:00+00:00"), hint)
	require.NotContains(t, message("+00:00"), hint)
}
