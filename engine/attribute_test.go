package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file holds attributes and their values: what a value may be, what a record shows, and what is left when an
// attribute or an option goes.

func (s *shop) attribute(key string, format label.AttributeFormat, options ...string) *label.Attribute {
	return s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: key, Key: key, Format: format},
		Options: options}).(*label.Attribute)
}

func text(s string) label.Value        { return label.Value{Kind: label.TextValue, Text: s} }
func numeric(n float64) label.Value    { return label.Value{Kind: label.NumberValue, Number: n} }
func boolean(b bool) label.Value       { return label.Value{Kind: label.BooleanValue, Bool: b} }
func list(texts ...string) label.Value { return label.Value{Kind: label.ListValue, List: texts} }
func values(pairs ...any) (p label.LabelsPatch) {
	p.Attributes = base.Some([]label.AttributeInput{})
	for i := 0; i < len(pairs); i += 2 {
		v, _ := pairs[i+1].(label.Value)
		p.Attributes.Value = append(p.Attributes.Value, label.AttributeInput{Key: pairs[i].(string), Value: v})
	}
	return p
}

// shown are the values that a record shows, by key; those that are not its own with a star.
func (s *shop) shown(own, other *label.Labels) map[string]label.Value {
	m := map[string]label.Value{}
	last := base.ID{}
	label.EachAttribute(s.view(), own, other, func(d *label.Attribute, v label.Value, own bool) {
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
	d := s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "Colour", Key: "colour",
		Format: label.FormatSelect}, Options: []string{"red", "blue"}, Group: &group}).(*label.Attribute)
	require.Equal(t,
		&label.Attribute{ID: d.ID, AttributeFields: label.AttributeFields{Name: "Colour", Key: "colour",
			Format: label.FormatSelect}, Stamp: base.Stamp{UpdatedAt: noon, Revision: 1},
			Group: &label.AttributeGroup{ID: d.Group.ID, Name: "Look"},
			Options: []label.AttributeOption{{ID: d.Options[0].ID, Name: "red"},
				{ID: d.Options[1].ID, Name: "blue"}}}, d)
	require.Equal(t, d.Group,
		s.do(label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "Shape", Key: "shape",
			Format: label.FormatText}, Group: &group}).(*label.Attribute).Group, "a group is its name")
	s.refused(base.CodeConflict,
		label.CreateAttribute{
			AttributeFields: label.AttributeFields{Name: "Other", Key: "colour", Format: label.FormatText}})

	s.now += hour
	n := s.do(label.PatchAttribute{ID: d.ID, IfMatch: []uint64{1},
		Fields: base.Changed(label.AttributeFields{Name: "Color", Key: "color"}), Group: base.Null[string](),
		Options: base.Some([]label.AttributeOption{
			{Name: "green"}, {ID: d.Options[0].ID, Name: "crimson"}, {Name: "blue"},
		})}).(*label.Attribute)
	require.Equal(t, []label.AttributeOption{{ID: n.Options[0].ID, Name: "green"},
		{ID: d.Options[0].ID, Name: "crimson"}, d.Options[1]}, n.Options)
	require.Equal(t, [4]any{"Color", "color", uint64(2), noon + int64(hour)},
		[4]any{n.Name, n.Key, n.Revision, n.UpdatedAt})
	require.Nil(t, n.Group)
	s.refused(base.CodeConflict,
		label.PatchAttribute{ID: d.ID, Fields: base.Changed(label.AttributeFields{Key: "shape"})})
	s.do(label.PatchAttribute{ID: d.ID, Fields: base.Changed(label.AttributeFields{Key: "color"})})
	s.refused(base.CodePrecondition, label.PatchAttribute{ID: d.ID, IfMatch: []uint64{1}})
	s.refused(base.CodePrecondition, label.DeleteAttribute{ID: d.ID, IfMatch: []uint64{1}})
	s.refused(base.CodeNotFound, label.PatchAttribute{ID: s.loc})
	other := s.attribute("other", label.FormatMultiselect, "x")
	require.ElementsMatch(t, []string{"/options/0/id", "/options/1/name", "/options/3/name", "/options/3/id"},
		pointers(s.refused(base.CodeInvalid, label.PatchAttribute{
			ID: d.ID, Options: base.Some([]label.AttributeOption{{ID: other.Options[0].ID, Name: "x"}, {Name: ""},
				{ID: d.Options[0].ID, Name: "y"}, {ID: d.Options[0].ID, Name: "y"}}),
		})))
	require.Equal(t, []string{"/options"},
		pointers(s.refused(base.CodeInvalid,
			label.PatchAttribute{ID: d.ID, Options: base.Some([]label.AttributeOption{})})))
	empty := ""
	require.Equal(t, []string{"/name", "/key", "/format", "/options", "/group"},
		pointers(s.refused(base.CodeInvalid,
			label.CreateAttribute{AttributeFields: label.AttributeFields{Key: "a b", Format: "colour"},
				Options: []string{"x"}, Group: &empty})))
	require.Equal(t, []string{"/key", "/options/1/name"},
		pointers(s.refused(base.CodeInvalid,
			label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "x", Key: strings.Repeat("k", 65),
				Format: label.FormatSelect}, Options: []string{"x", "x"}})))
	require.Equal(t, []string{"/options"},
		pointers(s.refused(base.CodeInvalid,
			label.CreateAttribute{
				AttributeFields: label.AttributeFields{Name: "x", Key: "x", Format: label.FormatMultiselect}})))

	s.reopen()
	require.Equal(t, 3, label.Attributes(s.view()).Len())
	require.Equal(t, "Color", label.AttributeByID(s.view(), d.ID).Name)
	require.Nil(t, s.do(label.DeleteAttribute{ID: d.ID}))
	s.refused(base.CodeNotFound, label.DeleteAttribute{ID: d.ID})
	s.attribute("color", label.FormatNumber)
	s.reopen()
}

func TestValuesByFormat(t *testing.T) {
	s := newShop(t)
	for _, f := range []label.AttributeFormat{label.FormatText, label.FormatNumber, label.FormatBoolean,
		label.FormatDate, label.FormatDatetime, label.FormatFormula, label.FormatSmartField} {
		s.attribute(string(f), f)
	}
	s.attribute("select", label.FormatSelect, "red", "blue")
	s.attribute("multiselect", label.FormatMultiselect, "red", "blue")
	sku := s.sku()
	for _, x := range []struct {
		key   string
		in    label.Value
		out   label.Value // if it is another
		fault string      // its pointer behind the key, and its code
	}{
		{key: "text", in: text("a \"b\" ü")},
		{key: "text", in: text(""), fault: " required"},
		{key: "text", in: text(strings.Repeat("x", base.MaxNote+1)), fault: " length"},
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
		{key: "a/b~", in: label.Value{}, fault: " unknown"},
	} {
		op := stock.PatchSKU{ID: sku, Labels: values(x.key, x.in)}
		if x.fault != "" {
			e := s.refused(base.CodeInvalid, op)
			key := strings.NewReplacer("~", "~0", "/", "~1").Replace(x.key)
			require.Equal(t, "/attributes/"+key+x.fault, e.Faults[0].Pointer+" "+e.Faults[0].Code, "%+v", x)
			require.Len(t, e.Faults, 1)
			continue
		}
		if x.out.Kind == label.NoValue {
			x.out = x.in
		}
		r := s.do(op).(*stock.SKU)
		require.Equal(t, x.out, s.shown(&r.Labels, nil)[x.key], "%+v", x)
	}
	all := s.shown(&stock.SKUByID(s.view(), sku).Labels, nil)
	require.Len(t, all, 9)
	s.reopen()
	require.Equal(t, all, s.shown(&stock.SKUByID(s.view(), sku).Labels, nil))
	e := s.refused(base.CodeInvalid, stock.PatchSKU{ID: sku, Fields: base.Changed(stock.SKUFields{}, "name"),
		Labels: values("number", text("x"), "none", numeric(1))})
	require.Equal(t, []string{"/name", "/attributes/number", "/attributes/none"}, pointers(e), "all faults at once")
}

func TestValuesMergeAndFallBackToTheSKU(t *testing.T) {
	s := newShop(t)
	s.attribute("size", label.FormatText)
	s.attribute("weight", label.FormatNumber)
	s.attribute("tags", label.FormatMultiselect, "x", "y")
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"},
		Labels: values("weight", numeric(9), "size", text("L"))}).(*stock.SKU)
	r := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "one", SKU: &sku.ID},
		Labels: values("weight", numeric(8.5), "tags", nil)}).(*stock.Article)
	shown := func() map[string]label.Value {
		r, sku := stock.ArticleByID(s.view(), r.ID), stock.SKUByID(s.view(), sku.ID)
		return s.shown(&r.Labels, &sku.Labels)
	}
	require.Equal(t, map[string]label.Value{"weight": numeric(8.5), "size*": text("L")}, shown())
	s.do(stock.PatchArticle{ID: r.ID, Labels: values("tags", list("y", "x"), "size", text("M"))})
	require.Equal(t, map[string]label.Value{"weight": numeric(8.5), "size": text("M"), "tags": list("y", "x")}, shown())
	s.do(stock.PatchArticle{ID: r.ID, Labels: values("size", nil, "tags", list())})
	require.Equal(t, map[string]label.Value{"weight": numeric(8.5), "size*": text("L")}, shown())
	s.reopen()
	require.Equal(t, map[string]label.Value{"weight": numeric(8.5), "size*": text("L")}, shown())
	s.do(stock.PatchArticle{ID: r.ID, Labels: label.LabelsPatch{Attributes: base.Null[[]label.AttributeInput]()}})
	require.Equal(t, map[string]label.Value{"weight*": numeric(9), "size*": text("L")}, shown())
	s.reopen()
}

func TestValuesGoWithTheirAttributeOrOption(t *testing.T) {
	s := newShop(t)
	colour, kinds, note := s.attribute("colour", label.FormatSelect, "red", "blue"),
		s.attribute("kinds", label.FormatMultiselect, "a", "b", "c"), s.attribute("note", label.FormatText)
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"},
		Labels: values("colour", text("red"), "kinds", list("a", "b"), "note", text("n"))}).(*stock.SKU).ID
	one := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "one", SKU: &sku},
		Labels: values("colour", text("blue"), "kinds", list("c"))}).(*stock.Article).ID
	two := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "two"},
		Labels: values("note", text("two"))}).(*stock.Article).ID
	type revisions [3]uint64
	now := func() (map[string]label.Value, map[string]label.Value, revisions) {
		v := s.view()
		return s.shown(&stock.SKUByID(v, sku).Labels, nil),
			s.shown(&stock.ArticleByID(v, one).Labels, &stock.SKUByID(v, sku).Labels),
			revisions{stock.SKUByID(v, sku).Revision, stock.ArticleByID(v, one).Revision,
				stock.ArticleByID(v, two).Revision}
	}
	// Values are not lost by a slip: who removes what they chose is told how many there are.
	require.Equal(t, base.InUseDetails{Resource: "sku", Count: 1},
		s.refused(base.CodeInUse, label.DeleteAttribute{ID: colour.ID}).Details)
	require.Contains(t, s.refused(base.CodeInUse, label.DeleteAttribute{ID: note.ID}).Detail, "(sku: 1, article: 1)")
	e := s.refused(base.CodeInUse,
		label.PatchAttribute{ID: kinds.ID, Options: base.Some([]label.AttributeOption{{Name: "b"}})})
	require.Equal(t, base.InUseDetails{Resource: "sku", Count: 1}, e.Details)
	require.Contains(t, e.Detail, "(sku: 1, article: 1)")
	require.Equal(t, base.InUseDetails{Resource: "article", Count: 1},
		s.refused(base.CodeInUse,
			label.PatchAttribute{ID: colour.ID, Options: base.Some([]label.AttributeOption{{Name: "red"}})}).Details)
	s.do(label.PatchAttribute{ID: kinds.ID,
		Options: base.Some([]label.AttributeOption{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "e"}})})
	// nobody chose it
	s.do(label.PatchAttribute{ID: kinds.ID,
		Options: base.Some([]label.AttributeOption{{Name: "a"}, {Name: "b"}, {Name: "c"}})})

	// A new name for an option is shown; what chose an option that goes loses it, in the same command.
	seq, _ := s.State()
	s.do(label.PatchAttribute{ID: colour.ID,
		Options: base.Some([]label.AttributeOption{{ID: colour.Options[0].ID, Name: "crimson"}}), Force: true})
	got, _ := s.State()
	require.Equal(t, seq+1, got)
	ofSKU, ofArticle, r := now()
	require.Equal(t, map[string]label.Value{"colour": text("crimson"), "kinds": list("a", "b"), "note": text("n")},
		ofSKU)
	require.Equal(t, map[string]label.Value{"colour*": text("crimson"), "kinds": list("c"), "note*": text("n")},
		ofArticle)
	require.Equal(t, revisions{1, 2, 1}, r)
	s.do(label.PatchAttribute{ID: kinds.ID, Options: base.Some([]label.AttributeOption{{Name: "b"}, {Name: "d"}}),
		Force: true})
	ofSKU, ofArticle, r = now()
	require.Equal(t, list("b"), ofSKU["kinds"])
	require.Equal(t, list("b"), ofArticle["kinds*"])
	require.Equal(t, revisions{2, 3, 1}, r)
	require.Empty(t, stock.ArticleByID(s.view(), one).Attributes)
	s.do(label.PatchAttribute{ID: kinds.ID,
		Options: base.Some([]label.AttributeOption{{Name: "b"}, {Name: "d"}, {Name: "c"}})})
	_, ofArticle, r = now()
	require.Equal(t, list("b"), ofArticle["kinds*"], "an option made anew is another one")
	require.Equal(t, revisions{2, 3, 1}, r)

	s.do(label.DeleteAttribute{ID: note.ID, Force: true})
	ofSKU, _, r = now()
	require.Equal(t, map[string]label.Value{"colour": text("crimson"), "kinds": list("b")}, ofSKU)
	require.Equal(t, revisions{3, 3, 2}, r)
	s.reopen()
	again, _, _ := now()
	require.Equal(t, ofSKU, again)
}

func TestAnAttributeOnMoreRecordsThanACommandChanges(t *testing.T) {
	long(t)
	s := newShop(t)
	d := s.attribute("colour", label.FormatSelect, "red", "blue")
	s.attribute("note", label.FormatText)
	long := strings.Repeat("x", base.MaxNote)
	for range 900 {
		s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "one", Description: &long},
			Labels: values("colour", text("red"), "note", text("n"))})
	}
	last := func() *stock.Article { return stock.Articles(s.view()).At(899) }
	s.do(label.PatchAttribute{ID: d.ID, Options: base.Some([]label.AttributeOption{{Name: "blue"}}), Force: true})
	require.Equal(t, map[string]label.Value{"note": text("n")}, s.shown(&last().Labels, nil),
		"it shows nothing, gone or not")
	s.do(stock.PatchArticle{ID: stock.Articles(s.view()).At(0).ID,
		Fields: base.Changed(stock.ArticleFields{Name: "x"})})
	require.Len(t, last().Attributes, 1, "and is gone before the next command")
	s.do(label.DeleteAttribute{ID: d.ID})
	require.Empty(t, s.shown(&stock.Articles(s.view()).At(898).Labels, nil)["colour"])
	s.reopen()
}
