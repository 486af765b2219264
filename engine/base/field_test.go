package base

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds declared fields and changes of them.

type colour string

func (colour) Words() []string { return []string{"red", "blue"} }

type inside struct {
	Street string `field:"street text 0..5" about:"Street."`
	City   string `field:"city text 0..5" about:"City."`
}

type embedded struct {
	Note *string `field:"note text 0..9" about:"Note."`
}

type thing struct {
	Kept   int    // declares nothing
	Name   string `field:"name text 1..5 required" about:"Name."`
	Colour colour `field:"colour word required" default:"red" about:"Colour."`
	Shade  colour `field:"shade word" default:"blue" about:"Shade."`
	embedded
	Price *int64   `field:"price money" about:"Price."`
	On    bool     `field:"on flag" about:"Whether it is on."`
	Codes []string `field:"codes list 0..2 text 1..3" about:"Codes."`
	Of    *ID      `field:"ofId id" about:"Another."`
	At    *inside  `field:"at object Inside" about:"Where it is."`
	Mail  *string  `field:"mail email" about:"Email."`
	Born  *string  `field:"born date" about:"Day."`
	Web   *string  `field:"web link" about:"Address."`
	Size  *int64   `field:"size int 0..9" about:"Size."`
	Zone  string   `field:"zone zone" about:"Zone."`
	Lang  *string  `field:"lang language" about:"Language."`
	Cash  string   `field:"cash currency required fixed" default:"EUR" about:"Currency."`
	Key   string   `field:"key key 1..4" default:"k" about:"Key." given:"Key to give." changed:"Another key."`
	Hues  []colour `field:"hues list 1..2 distinct word" default:"all" about:"Hues."`
	IDs   []ID     `field:"ids list 1..3 distinct id" about:"Others; null: none."`
	Said  bool     `field:"said flag required" about:"Whether it was said."`
	Count int      `field:"count int 1..9 required" default:"1" about:"How many."`
	Since *int64   `field:"since instant required" about:"Since when."`
	Hook  *string  `field:"hook endpoint" about:"Who is told."`
	Odd   any      `field:"odd own" about:"What is read otherwise."`
}

func TestFieldsAreDeclaredOnce(t *testing.T) {
	names := func(fs *Fields) (list []string) {
		for _, f := range fs.List {
			list = append(list, f.Name)
		}
		return list
	}
	fs := FieldsOf[thing]()
	require.Equal(t, strings.Fields("name colour shade note price on codes ofId at mail born web size zone lang "+
		"cash key hues ids said count since hook odd"), names(fs))
	at := fs.List[8]
	require.Equal(t, []string{"Inside", "InsideRecord"}, []string{at.ReadAs, at.WrittenAs})
	require.Equal(t, []string{"street", "city"}, names(at.Fields))
	require.Equal(t, []string{"red", "blue"}, fs.List[1].Words)
	demanded := map[string][2]bool{} // when a thing is made, when it is changed
	for _, f := range fs.List {
		if f.Demanded(true) {
			demanded[f.Name] = [2]bool{f.Demanded(false), f.Demanded(true)}
		}
	}
	require.Equal(t, map[string][2]bool{"name": {true, true}, "colour": {false, true}, "cash": {false, true},
		"said": {false, true}, "count": {false, true}, "since": {false, true}}, demanded)
	empties, fixed := []string{}, []string{}
	for _, f := range fs.List {
		if f.Empties() {
			empties = append(empties, f.Name)
		}
		if f.Fixed {
			fixed = append(fixed, f.Name)
		}
	}
	require.Equal(t, [][]string{{"ids"}, {"cash"}}, [][]string{empties, fixed})
	key := fs.List[16]
	require.Equal(t, []string{"Key.", "Key to give.", "Another key."}, []string{key.About, key.Made, key.Changed})

	require.Panics(t, func() { FieldsOf[struct{ A int }]() }, "no field")
	for _, wrong := range []func(){
		func() {
			FieldsOf[struct {
				A string `field:"a"`
			}]()
		},
		func() {
			FieldsOf[struct {
				A string `field:"a text 1"`
			}]()
		},
		func() {
			FieldsOf[struct {
				A string `field:"a text x..2"`
			}]()
		},
		func() {
			FieldsOf[struct {
				A string `field:"a text 1..y"`
			}]()
		},
		func() {
			FieldsOf[struct {
				A string `field:"a sound"`
			}]()
		},
		func() {
			FieldsOf[struct {
				A string `field:"a flag"`
			}]()
		},
		func() {
			FieldsOf[struct {
				A string `field:"a text 1..2 unique"`
			}]()
		},
		func() {
			FieldsOf[struct {
				A int `field:"a money"`
			}]()
		},
		func() {
			FieldsOf[struct {
				A inside `field:"a object Inside"`
			}]()
		},
	} {
		require.Panics(t, wrong)
	}
}

func TestFaultsOfDeclaredFields(t *testing.T) {
	pointers := func(faults []Fault) (list []string) {
		for _, f := range faults {
			list = append(list, f.Pointer+" "+f.Code)
		}
		return list
	}
	good := thing{
		Name: "a", Codes: []string{"x"}, At: &inside{Street: "x"}, Mail: new("a@b"), Born: new("2024-02-29"),
		Web: new("https://example.com"), Hook: new("https://example.com/x"), Zone: "UTC", Lang: new("pt-BR"),
		Price: new(int64(-1)), Cash: "USD", Key: "a_.-", Hues: []colour{"blue"}, IDs: []ID{{1}, {2}}, Count: 1, Odd: 1,
	}
	var c Checker
	CheckFields(&c, "", &good)
	require.Empty(t, c.Faults)
	bad := thing{
		Colour: "green", embedded: embedded{Note: new(strings.Repeat("é", 10))}, Price: new(int64(1) << 60),
		Codes: []string{"", "long"},
		At:    &inside{City: "longer"}, Mail: new("ann"), Born: new("2023-02-29"), Web: new("ftp://x"),
		Size: new(int64(10)), Zone: "Moon", Lang: new("e"),
		Cash: "EURO", Key: "a b", Hues: []colour{"red", "red"}, IDs: []ID{{1}, {2}, {1}}, Count: 10,
		Since: new(int64(-1)), Hook: new("https://127.1/"),
	}
	all := strings.Split(
		"/name required,/colour enum,/note length,/price range,/codes/0 required,/codes/1 length,/at/city length,"+
			"/mail format,/born format,/web format,/size range,/zone zone,/lang format,/cash format,/key "+
			"format,/hues/1 "+
			"duplicate,/ids/2 duplicate,/count range,/since range,/hook format", ",")
	CheckFields(&c, "", &bad)
	require.Equal(t, all, pointers(c.Faults))
	c = Checker{}
	changes := Changed(bad, "name")
	changes.Check(&c, "/x")
	for i := range all {
		all[i] = "/x" + all[i]
	}
	require.Equal(t, all, pointers(c.Faults))
	c = Checker{}
	changes.Given = []string{"codes", "at", "at/street"}
	changes.Check(&c, "")
	require.Equal(t, []string{"/codes/0 required", "/codes/1 length"}, pointers(c.Faults),
		"what is not given is not judged")
	bad.Codes = []string{"a", "b", "c"}
	c = Checker{}
	CheckFields(&c, "", &bad)
	require.Contains(t, pointers(c.Faults), "/codes length")
	c = Checker{}
	changes = Changed(thing{}, "cash", "key", "hues", "ids", "count")
	changes.Check(&c, "")
	require.Equal(t, []string{"/cash format", "/count range"}, pointers(c.Faults),
		"null is the default, or none, of what can be without")

	given := []Fault{{Pointer: "/zone"}, {Pointer: "/other"}, {Pointer: "/ids/2"}, {Pointer: "/ids"},
		{Pointer: "/name"}}
	require.Equal(t, []Fault{{Pointer: "/name"}, {Pointer: "/zone"}, {Pointer: "/ids/2"}, {Pointer: "/ids"},
		{Pointer: "/other"}}, InOrder[thing](given))
}

func TestChangesOfDeclaredFields(t *testing.T) {
	was := thing{
		Kept: 7, Name: "a", Colour: "blue", embedded: embedded{Note: new("n")}, Price: new(int64(1)), On: true,
		Codes: []string{"x"}, Of: &ID{1}, At: &inside{Street: "s", City: "c"},
	}
	same := was
	// the defaults, as they were not set
	same.Shade, same.Cash, same.Key, same.Hues = "blue", "EUR", "k", []colour{"red", "blue"}
	require.Equal(t, same, Completed(was))
	fixed := Changed(thing{Cash: "USD", Hues: []colour{"red"}, IDs: []ID{{1}}})
	require.Equal(t, []any{"EUR", []colour{"red"}, []ID{{1}}},
		[]any{fixed.Of(same).Cash, fixed.Of(same).Hues, fixed.Of(same).IDs})
	var none Changes[thing]
	require.Equal(t, same, none.Of(was))

	changed := Changed(thing{Name: "b", At: &inside{City: "d"}}, "note", "on", "codes")
	require.True(t, changed.Has("at/city"))
	require.False(t, changed.Has("at/street"))
	want := same
	want.Name, want.Note, want.On, want.Codes, want.At = "b", nil, false, nil, &inside{Street: "s", City: "d"}
	require.Equal(t, want, changed.Of(was))
	require.Equal(t, inside{Street: "s", City: "c"}, *was.At, "what was there is not written to")

	cleared := Changed(thing{}, "at", "price", "ofId", "colour")
	want = same
	want.At, want.Price, want.Of, want.Colour = nil, nil, nil, "red"
	require.Equal(t, want, cleared.Of(was))

	again := Changed(thing{}, "hues", "ids")
	require.Equal(t, []any{[]colour{"red", "blue"}, []ID(nil)},
		[]any{again.Of(fixed.Of(same)).Hues, again.Of(fixed.Of(same)).IDs})

	require.Equal(t, &inside{}, new(Changed(thing{At: &inside{}})).Of(thing{}).At, "an object without members is one")
	empty := thing{Codes: []string{}}
	require.Equal(t, []string{}, new(Changed(thing{}, "codes")).Of(empty).Codes, "an empty list stays as it is kept")
}
