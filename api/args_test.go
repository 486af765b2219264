package api

import (
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
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

var askedShape = shapeOf("Asked",
	defaulted("name", text(0, 20), "-", func(a *asked) *string { return &a.Name }),
	defaulted("ids", list(text(1, 5), 0, 3), nil, func(a *asked) *[]string { return &a.IDs }),
	optional("dateRange", dateRange, func(a *asked) **window { return &a.Window }),
	defaulted("filters", list(object(shapeOf("Filter",
		required("field", enum("name", "code"), func(f *askedFilter) *string { return &f.Field }),
		required("value", list(text(1, 5), 1, 2), func(f *askedFilter) *[]string { return &f.Values }))), 0, 2), nil,
		func(a *asked) *[]askedFilter { return &a.Filters }))

func ask(query string) (v asked, faults []engine.Fault) {
	var found faultList
	a := args{in: "query", faults: &found}
	a.parse([]byte(query))
	askedShape.readArgs(&a, "", &v)
	a.unknown(askedShape.schema().Members)
	return v, found.list
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
	check("dateRange[from]=1970-01-01T00:00:01Z&dateRange[to]=1970-01-01T01:00:02%2B01:00", asked{Name: "-", Window: &window{1000, 2000}})
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
	wrong("filters[0][field]=size&filters[0][value]=a&filters[0][size]=1", "query filters[0][field] enum\nquery filters[0][size] unknown")
	wrong("filters[1][field]=name", "query filters[1][field] unknown")
	wrong("Name=a&nam=b", "query Name unknown\nquery nam unknown")
	wrong("name=%", "query name malformed")
	wrong("name=%c3%28", "query name malformed")
	_, faults := ask("x=1")
	require.Equal(t, "unknown parameter; known are name, ids, dateRange[from], dateRange[to], filters[0][field], filters[0][value]", faults[0].Message)
}

// FuzzArgs holds the reader of queries against net/url: where neither refuses, they see the same pairs in the same order.
func FuzzArgs(f *testing.F) {
	for _, s := range []string{"a=b&c=d", "a=%20+b", "a", "=", "&&a=1", "a[b]=%5b", "a=b=c", "%", "a=%f0%9f%98%80", "a;b=c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		want, err := url.ParseQuery(query)
		if err != nil || !utf8.ValidString(query) {
			return
		}
		var found faultList
		a := args{in: "query", faults: &found}
		a.parse([]byte(query))
		if len(found.list) > 0 {
			for name, values := range want {
				for _, v := range append(values, name) {
					if !utf8.ValidString(v) {
						return // refused on top
					}
				}
			}
			t.Fatalf("refused %q: %v", query, found.list)
		}
		got := url.Values{}
		for _, p := range a.list {
			got[string(p.name)] = append(got[string(p.name)], string(p.value))
		}
		require.Equal(t, want, got, "%q", query)
	})
}
