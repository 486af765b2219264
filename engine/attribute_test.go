package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds attributes and their values: what a value may be, what a record shows, and what is left when an attribute
// or an option goes.

func (s *shop) attribute(key string, format AttributeFormat, options ...string) *Attribute {
	return s.do(CreateAttribute{Name: key, Key: key, Format: format, Options: options}).(*Attribute)
}

func text(s string) Value        { return Value{Kind: TextValue, Text: s} }
func numeric(n float64) Value    { return Value{Kind: NumberValue, Number: n} }
func boolean(b bool) Value       { return Value{Kind: BooleanValue, Bool: b} }
func list(texts ...string) Value { return Value{Kind: ListValue, List: texts} }
func values(pairs ...any) (p LabelsPatch) {
	p.Attributes = Some([]AttributeInput{})
	for i := 0; i < len(pairs); i += 2 {
		v, _ := pairs[i+1].(Value)
		p.Attributes.Value = append(p.Attributes.Value, AttributeInput{pairs[i].(string), v})
	}
	return p
}

// shown are the values that a record shows, by key; those that are not its own with a star.
func (s *shop) shown(own, other *Labels) map[string]Value {
	m := map[string]Value{}
	last := ID{}
	s.view().EachAttribute(own, other, func(d *Attribute, v Value, own bool) {
		require.True(s.T, last.Before(d.ID), "in the order of the attributes")
		last = d.ID
		if own {
			m[d.Key] = v
		} else {
			m[d.Key+"*"] = v
		}
	})
	return m
}

func TestAttributesAreMadeChangedAndDeleted(t *testing.T) {
	s := newShop(t)
	group := "Look"
	d := s.do(CreateAttribute{Name: "Colour", Key: "colour", Format: FormatSelect, Options: []string{"red", "blue"}, Group: &group}).(*Attribute)
	require.Equal(t, &Attribute{
		ID: d.ID, Name: "Colour", Key: "colour", Format: FormatSelect, UpdatedAt: noon, Revision: 1, Group: &AttributeGroup{d.Group.ID, "Look"},
		Options: []AttributeOption{{d.Options[0].ID, "red"}, {d.Options[1].ID, "blue"}},
	}, d)
	require.Equal(t, d.Group, s.do(CreateAttribute{Name: "Shape", Key: "shape", Format: FormatText, Group: &group}).(*Attribute).Group, "a group is its name")
	s.refused(CodeConflict, CreateAttribute{Name: "Other", Key: "colour", Format: FormatText})

	s.now += hour
	n := s.do(PatchAttribute{ID: d.ID, IfMatch: []uint64{1}, Name: Some("Color"), Key: Some("color"), Group: Null[string](), Options: Some([]OptionPatch{
		{Name: "green"}, {ID: &d.Options[0].ID, Name: "crimson"}, {Name: "blue"},
	})}).(*Attribute)
	require.Equal(t, []AttributeOption{{n.Options[0].ID, "green"}, {d.Options[0].ID, "crimson"}, d.Options[1]}, n.Options)
	require.Equal(t, [4]any{"Color", "color", uint64(2), noon + int64(hour)}, [4]any{n.Name, n.Key, n.Revision, n.UpdatedAt})
	require.Nil(t, n.Group)
	s.refused(CodeConflict, PatchAttribute{ID: d.ID, Key: Some("shape")})
	s.do(PatchAttribute{ID: d.ID, Key: Some("color")})
	s.refused(CodePrecondition, PatchAttribute{ID: d.ID, IfMatch: []uint64{1}})
	s.refused(CodePrecondition, DeleteAttribute{ID: d.ID, IfMatch: []uint64{1}})
	s.refused(CodeNotFound, PatchAttribute{ID: s.loc})
	other := s.attribute("other", FormatMultiselect, "x")
	require.ElementsMatch(t, []string{"/options/0/id", "/options/1/name", "/options/3/name", "/options/3/id"}, pointers(s.refused(CodeInvalid, PatchAttribute{
		ID: d.ID, Options: Some([]OptionPatch{{ID: &other.Options[0].ID, Name: "x"}, {Name: ""}, {ID: &d.Options[0].ID, Name: "y"}, {ID: &d.Options[0].ID, Name: "y"}}),
	})))
	require.Equal(t, []string{"/options"}, pointers(s.refused(CodeInvalid, PatchAttribute{ID: d.ID, Options: Some([]OptionPatch{})})))
	empty := ""
	require.Equal(t, []string{"/name", "/key", "/format", "/options", "/group"}, pointers(s.refused(CodeInvalid, CreateAttribute{Key: "a b", Format: "colour", Options: []string{"x"}, Group: &empty})))
	require.Equal(t, []string{"/key", "/options/1/name"}, pointers(s.refused(CodeInvalid, CreateAttribute{Name: "x", Key: strings.Repeat("k", 65), Format: FormatSelect, Options: []string{"x", "x"}})))
	require.Equal(t, []string{"/options"}, pointers(s.refused(CodeInvalid, CreateAttribute{Name: "x", Key: "x", Format: FormatMultiselect})))

	s.reopen()
	require.Equal(t, 3, s.view().Attributes().Len())
	require.Equal(t, "Color", s.view().Attribute(d.ID).Name)
	require.Nil(t, s.do(DeleteAttribute{ID: d.ID}))
	s.refused(CodeNotFound, DeleteAttribute{ID: d.ID})
	s.attribute("color", FormatNumber)
	s.reopen()
}

func TestValuesByFormat(t *testing.T) {
	s := newShop(t)
	for _, f := range []AttributeFormat{FormatText, FormatNumber, FormatBoolean, FormatDate, FormatDatetime, FormatFormula, FormatSmartField} {
		s.attribute(string(f), f)
	}
	s.attribute("select", FormatSelect, "red", "blue")
	s.attribute("multiselect", FormatMultiselect, "red", "blue")
	sku := s.sku()
	for _, x := range []struct {
		key   string
		in    Value
		out   Value  // if it is another
		fault string // its pointer behind the key, and its code
	}{
		{key: "text", in: text("a \"b\" ü")},
		{key: "text", in: text(""), fault: " required"},
		{key: "text", in: text(strings.Repeat("x", maxNote+1)), fault: " length"},
		{key: "text", in: numeric(1), fault: " type"},
		{key: "text", in: list("x"), fault: " type"},
		{key: "number", in: numeric(-0.1)},
		{key: "number", in: numeric(0)},
		{key: "number", in: numeric(1e300)},
		{key: "number", in: text("1"), fault: " type"},
		{key: "boolean", in: boolean(true)},
		{key: "boolean", in: boolean(false)},
		{key: "boolean", in: numeric(1), fault: " type"},
		{key: "date", in: text("2024-02-29")},
		{key: "date", in: text("2025-02-29"), fault: " format"},
		{key: "date", in: text("2025-06-01T00:00:00Z"), fault: " format"},
		{key: "datetime", in: text("2025-06-01T12:00:00+02:00"), out: text("2025-06-01T10:00:00.000Z")},
		{key: "datetime", in: text("2025-06-01"), fault: " format"},
		{key: "datetime", in: boolean(true), fault: " type"},
		{key: "formula", in: text("x")},
		{key: "formula", in: numeric(5)},
		{key: "smart_field", in: boolean(true)},
		{key: "smart_field", in: list("x"), fault: " type"},
		{key: "select", in: text("red")},
		{key: "select", in: text("Red"), fault: " enum"},
		{key: "select", in: list("red"), fault: " type"},
		{key: "multiselect", in: list("blue", "red")},
		{key: "multiselect", in: list("blue", "blue"), fault: "/1 duplicate"},
		{key: "multiselect", in: list("blue", "green"), fault: "/1 enum"},
		{key: "multiselect", in: text("blue"), fault: " type"},
		{key: "none", in: text("x"), fault: " unknown"},
		{key: "a/b~", in: Value{}, fault: " unknown"},
	} {
		op := PatchSKU{ID: sku, Labels: values(x.key, x.in)}
		if x.fault != "" {
			e := s.refused(CodeInvalid, op)
			key := strings.NewReplacer("~", "~0", "/", "~1").Replace(x.key)
			require.Equal(t, "/attributes/"+key+x.fault, e.Faults[0].Pointer+" "+e.Faults[0].Code, "%+v", x)
			require.Len(t, e.Faults, 1)
			continue
		}
		if x.out.Kind == NoValue {
			x.out = x.in
		}
		r := s.do(op).(*SKU)
		require.Equal(t, x.out, s.shown(&r.Labels, nil)[x.key], "%+v", x)
	}
	all := s.shown(&s.view().SKU(sku).Labels, nil)
	require.Len(t, all, 9)
	s.reopen()
	require.Equal(t, all, s.shown(&s.view().SKU(sku).Labels, nil))
	e := s.refused(CodeInvalid, PatchSKU{ID: sku, Name: Some(""), Labels: values("number", text("x"), "none", numeric(1))})
	require.Equal(t, []string{"/name", "/attributes/number", "/attributes/none"}, pointers(e), "all faults at once")
}

func TestValuesMergeAndFallBackToTheSKU(t *testing.T) {
	s := newShop(t)
	s.attribute("size", FormatText)
	s.attribute("weight", FormatNumber)
	s.attribute("tags", FormatMultiselect, "x", "y")
	sku := s.do(CreateSKU{Name: "Bike", Labels: values("weight", numeric(9), "size", text("L"))}).(*SKU)
	r := s.do(CreateArticle{Name: "one", SKU: &sku.ID, Labels: values("weight", numeric(8.5), "tags", nil)}).(*Article)
	shown := func() map[string]Value {
		r, sku := s.view().Article(r.ID), s.view().SKU(sku.ID)
		return s.shown(&r.Labels, &sku.Labels)
	}
	require.Equal(t, map[string]Value{"weight": numeric(8.5), "size*": text("L")}, shown())
	s.do(PatchArticle{ID: r.ID, Labels: values("tags", list("y", "x"), "size", text("M"))})
	require.Equal(t, map[string]Value{"weight": numeric(8.5), "size": text("M"), "tags": list("y", "x")}, shown())
	s.do(PatchArticle{ID: r.ID, Labels: values("size", nil, "tags", list())})
	require.Equal(t, map[string]Value{"weight": numeric(8.5), "size*": text("L")}, shown())
	s.reopen()
	require.Equal(t, map[string]Value{"weight": numeric(8.5), "size*": text("L")}, shown())
	s.do(PatchArticle{ID: r.ID, Labels: LabelsPatch{Attributes: Null[[]AttributeInput]()}})
	require.Equal(t, map[string]Value{"weight*": numeric(9), "size*": text("L")}, shown())
	s.reopen()
}

func TestValuesGoWithTheirAttributeOrOption(t *testing.T) {
	s := newShop(t)
	colour, kinds, note := s.attribute("colour", FormatSelect, "red", "blue"), s.attribute("kinds", FormatMultiselect, "a", "b", "c"), s.attribute("note", FormatText)
	sku := s.do(CreateSKU{Name: "Bike", Labels: values("colour", text("red"), "kinds", list("a", "b"), "note", text("n"))}).(*SKU).ID
	one := s.do(CreateArticle{Name: "one", SKU: &sku, Labels: values("colour", text("blue"), "kinds", list("c"))}).(*Article).ID
	two := s.do(CreateArticle{Name: "two", Labels: values("note", text("two"))}).(*Article).ID
	type revisions [3]uint64
	now := func() (map[string]Value, map[string]Value, revisions) {
		v := s.view()
		return s.shown(&v.SKU(sku).Labels, nil), s.shown(&v.Article(one).Labels, &v.SKU(sku).Labels), revisions{v.SKU(sku).Revision, v.Article(one).Revision, v.Article(two).Revision}
	}
	// Values are not lost by a slip: who removes what they chose is told how many there are.
	require.Equal(t, InUseDetails{"sku", 1}, s.refused(CodeInUse, DeleteAttribute{ID: colour.ID}).Details)
	require.Contains(t, s.refused(CodeInUse, DeleteAttribute{ID: note.ID}).Detail, "(sku: 1, article: 1)")
	e := s.refused(CodeInUse, PatchAttribute{ID: kinds.ID, Options: Some([]OptionPatch{{Name: "b"}})})
	require.Equal(t, InUseDetails{"sku", 1}, e.Details)
	require.Contains(t, e.Detail, "(sku: 1, article: 1)")
	require.Equal(t, InUseDetails{"article", 1}, s.refused(CodeInUse, PatchAttribute{ID: colour.ID, Options: Some([]OptionPatch{{Name: "red"}})}).Details)
	s.do(PatchAttribute{ID: kinds.ID, Options: Some([]OptionPatch{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "e"}})})
	s.do(PatchAttribute{ID: kinds.ID, Options: Some([]OptionPatch{{Name: "a"}, {Name: "b"}, {Name: "c"}})}) // nobody chose it

	// A new name for an option is shown; what chose an option that goes loses it, in the same command.
	seq, _ := s.State()
	s.do(PatchAttribute{ID: colour.ID, Options: Some([]OptionPatch{{ID: &colour.Options[0].ID, Name: "crimson"}}), Force: true})
	got, _ := s.State()
	require.Equal(t, seq+1, got)
	ofSKU, ofArticle, r := now()
	require.Equal(t, map[string]Value{"colour": text("crimson"), "kinds": list("a", "b"), "note": text("n")}, ofSKU)
	require.Equal(t, map[string]Value{"colour*": text("crimson"), "kinds": list("c"), "note*": text("n")}, ofArticle)
	require.Equal(t, revisions{1, 2, 1}, r)
	s.do(PatchAttribute{ID: kinds.ID, Options: Some([]OptionPatch{{Name: "b"}, {Name: "d"}}), Force: true})
	ofSKU, ofArticle, r = now()
	require.Equal(t, list("b"), ofSKU["kinds"])
	require.Equal(t, list("b"), ofArticle["kinds*"])
	require.Equal(t, revisions{2, 3, 1}, r)
	require.Empty(t, s.view().Article(one).Attributes)
	s.do(PatchAttribute{ID: kinds.ID, Options: Some([]OptionPatch{{Name: "b"}, {Name: "d"}, {Name: "c"}})})
	_, ofArticle, r = now()
	require.Equal(t, list("b"), ofArticle["kinds*"], "an option made anew is another one")
	require.Equal(t, revisions{2, 3, 1}, r)

	s.do(DeleteAttribute{ID: note.ID, Force: true})
	ofSKU, _, r = now()
	require.Equal(t, map[string]Value{"colour": text("crimson"), "kinds": list("b")}, ofSKU)
	require.Equal(t, revisions{3, 3, 2}, r)
	s.reopen()
	again, _, _ := now()
	require.Equal(t, ofSKU, again)
}

func TestAnAttributeOnMoreRecordsThanACommandChanges(t *testing.T) {
	long(t)
	s := newShop(t)
	d := s.attribute("colour", FormatSelect, "red", "blue")
	s.attribute("note", FormatText)
	long := strings.Repeat("x", maxNote)
	for range 900 {
		s.do(CreateArticle{Name: "one", Description: &long, Labels: values("colour", text("red"), "note", text("n"))})
	}
	last := func() *Article { return s.view().Articles().At(899) }
	s.do(PatchAttribute{ID: d.ID, Options: Some([]OptionPatch{{Name: "blue"}}), Force: true})
	require.Equal(t, map[string]Value{"note": text("n")}, s.shown(&last().Labels, nil), "it shows nothing, gone or not")
	s.do(PatchArticle{ID: s.view().Articles().At(0).ID, Name: Some("x")})
	require.Len(t, last().Attributes, 1, "and is gone before the next command")
	s.do(DeleteAttribute{ID: d.ID})
	require.Empty(t, s.shown(&s.view().Articles().At(898).Labels, nil)["colour"])
	s.reopen()
}
