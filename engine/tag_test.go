package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/stock"
)

// This file holds tags: their records, what links to them, and what is left when one is deleted.

func (s *shop) tag(value string, scope label.TagScope) base.ID {
	return s.do(label.CreateTag{TagFields: label.TagFields{Value: value, Scope: scope}}).(*label.Tag).ID
}

func TestTagsAreMadeChangedAndDeleted(t *testing.T) {
	s := newShop(t)
	g := s.do(label.CreateTag{TagFields: label.TagFields{Value: "new", Scope: label.TagInventory}}).(*label.Tag)
	require.Equal(t, &label.Tag{ID: g.ID, TagFields: label.TagFields{Value: "new", Scope: label.TagInventory},
		Stamp: base.Stamp{UpdatedAt: noon, Revision: 1}}, g)
	s.now += hour
	n := s.do(label.PatchTag{ID: g.ID, Fields: base.Changed(label.TagFields{Value: "newer"}),
		IfMatch: []uint64{1}}).(*label.Tag)
	require.Equal(t, &label.Tag{ID: g.ID, TagFields: label.TagFields{Value: "newer", Scope: label.TagInventory},
		Stamp: base.Stamp{UpdatedAt: noon + hour, Revision: 2}}, n)
	s.refused(base.CodePrecondition,
		label.PatchTag{ID: g.ID, Fields: base.Changed(label.TagFields{Value: "x"}), IfMatch: []uint64{1}})
	s.refused(base.CodePrecondition, label.DeleteTag{ID: g.ID, IfMatch: []uint64{1}})
	e := s.refused(base.CodeInvalid,
		label.CreateTag{TagFields: label.TagFields{Value: strings.Repeat("x", 256), Scope: "stock"}})
	require.Equal(t, []string{"/value", "/scope"}, pointers(e))
	s.reopen()
	require.Equal(t, n, label.TagByID(s.view(), g.ID))
	require.Nil(t, s.do(label.DeleteTag{ID: g.ID}))
	s.refused(base.CodeNotFound, label.DeleteTag{ID: g.ID})
	s.refused(base.CodeNotFound, label.PatchTag{ID: g.ID})
	require.Zero(t, label.Tags(s.view()).Len())
	s.reopen()
}

func pointers(e *base.Error) (list []string) {
	for _, f := range e.Faults {
		list = append(list, f.Pointer)
	}
	return list
}

func TestLinksOfTags(t *testing.T) {
	s := newShop(t)
	a, b, c := s.tag("a", label.TagInventory), s.tag("b", label.TagInventory), s.tag("c", label.TagCatalog)
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"},
		Labels: label.LabelsPatch{Tags: base.Some([]base.ID{b, a, b})}}).(*stock.SKU)
	require.Equal(t, []base.ID{b, a}, sku.Tags, "in the order given, each once")
	r := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "one", SKU: &sku.ID},
		Labels:     label.LabelsPatch{Tags: base.Some([]base.ID{a})},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 2}}}).(*stock.Article)

	for _, to := range []struct {
		kind label.Labelled
		id   base.ID
	}{{stock.SKULabels, sku.ID}, {stock.ArticleLabels, r.ID}} {
		e := s.refused(base.CodeInvalid, label.LinkTags{To: to.kind, ID: to.id, Tags: []base.ID{a, c}})
		require.Equal(t, []base.Fault{{Pointer: "/tagIds/1", Code: "scope", Message: "is a tag of scope catalog; " +
			"here tags of scope inventory can be linked"}}, e.Faults)
		require.Equal(t, []string{"/tagIds"},
			pointers(s.refused(base.CodeInvalid, label.LinkTags{To: to.kind, ID: to.id})))
		require.Equal(t, []string{"/tagIds"},
			pointers(s.refused(base.CodeInvalid, label.UnlinkTags{From: to.kind, ID: to.id})))
		s.refused(base.CodeNotFound, label.LinkTags{To: to.kind, ID: to.id, Tags: []base.ID{a, {1}}})
		s.refused(base.CodeNotFound, label.LinkTags{To: to.kind, ID: a, Tags: []base.ID{a}})
		s.refused(base.CodeNotFound, label.UnlinkTags{From: to.kind, ID: a, Tags: []base.ID{a}})
		s.refused(base.CodePrecondition,
			label.UnlinkTags{From: to.kind, ID: to.id, Tags: []base.ID{a}, IfMatch: []uint64{9}})
	}
	require.Equal(t, []string{"/name", "/tags/0"},
		pointers(s.refused(base.CodeInvalid,
			stock.CreateSKU{Labels: label.LabelsPatch{Tags: base.Some([]base.ID{c})}})), "all faults at once")
	s.refused(base.CodeInvalid, stock.PatchArticle{ID: r.ID, Labels: label.LabelsPatch{Tags: base.Some([]base.ID{c})}})
	s.refused(base.CodeNotFound, stock.PatchSKU{ID: sku.ID, Labels: label.LabelsPatch{Tags: base.Some([]base.ID{{1}})}})

	s.now += hour
	linked := s.do(label.LinkTags{To: stock.ArticleLabels, ID: r.ID, Tags: []base.ID{b, a}}).(*stock.Article)
	require.Equal(t, []base.ID{a, b}, linked.Tags)
	require.Equal(t, [2]uint64{2, uint64(noon + hour)}, [2]uint64{linked.Revision, uint64(linked.UpdatedAt)})
	seq, hash := s.State()
	require.Equal(t, linked.Tags,
		s.do(label.LinkTags{To: stock.ArticleLabels, ID: r.ID, Tags: []base.ID{b}}).(*stock.Article).Tags)
	s.do(label.UnlinkTags{From: stock.ArticleLabels, ID: r.ID, Tags: []base.ID{c}})
	s.refused(base.CodeNotFound, label.UnlinkTags{From: stock.ArticleLabels, ID: r.ID, Tags: []base.ID{a, {1}}})
	gotSeq, gotHash := s.State()
	require.Equal(t, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash}, "what changes nothing is no change")
	require.Nil(t, s.do(label.UnlinkTags{From: stock.ArticleLabels, ID: r.ID, Tags: []base.ID{a, c}}))
	require.Equal(t, []base.ID{b}, stock.ArticleByID(s.view(), r.ID).Tags)
	require.Equal(t, 2, s.available(base.Item{Article: r.ID}, noon+day, noon+2*day), "its units are where they were")

	require.Equal(t, []base.ID{b},
		s.do(stock.PatchSKU{ID: sku.ID, Labels: label.LabelsPatch{Tags: base.Some([]base.ID{b})}}).(*stock.SKU).Tags)
	require.Equal(t, []base.ID{b},
		s.do(stock.PatchSKU{ID: sku.ID, Fields: base.Changed(stock.SKUFields{Name: "Bike 2"})}).(*stock.SKU).Tags)
	require.Empty(t,
		s.do(stock.PatchSKU{ID: sku.ID, Labels: label.LabelsPatch{Tags: base.Null[[]base.ID]()}}).(*stock.SKU).Tags)
	s.reopen()
	require.Equal(t, []base.ID{b}, stock.ArticleByID(s.view(), r.ID).Tags)

	// The most a record has.
	var many []base.ID
	for i := range label.MaxTags {
		many = append(many, s.tag("m"+base.Itoa(i), label.TagInventory))
	}
	s.refused(base.CodeConflict, label.LinkTags{To: stock.ArticleLabels, ID: r.ID, Tags: many})
	require.Equal(t, []string{"/tags"},
		pointers(s.refused(base.CodeInvalid,
			stock.PatchArticle{ID: r.ID, Labels: label.LabelsPatch{Tags: base.Some(append(many, a))}})))
	require.Len(t, s.do(stock.PatchArticle{ID: r.ID,
		Labels: label.LabelsPatch{Tags: base.Some(many)}}).(*stock.Article).Tags, label.MaxTags)
}

func TestADeletedTagIsTakenOffEveryRecord(t *testing.T) {
	s := newShop(t)
	a, b := s.tag("a", label.TagInventory), s.tag("b", label.TagInventory)
	both := label.LabelsPatch{Tags: base.Some([]base.ID{a, b})}
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"}, Labels: both}).(*stock.SKU)
	var articles []base.ID
	for i := range 5 {
		o := stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "one", SKU: &sku.ID}, Labels: both}
		if i == 4 {
			o.Labels = label.LabelsPatch{Tags: base.Some([]base.ID{b})}
		}
		articles = append(articles, s.do(o).(*stock.Article).ID)
	}
	s.now += hour
	seq, _ := s.State()
	s.do(label.DeleteTag{ID: a})
	got, _ := s.State()
	require.Equal(t, seq+1, got, "in the same command")
	check := func() {
		require.Equal(t, []base.ID{b}, stock.SKUByID(s.view(), sku.ID).Tags)
		for i, id := range articles {
			r := stock.ArticleByID(s.view(), id)
			require.Equal(t, []base.ID{b}, r.Tags)
			require.Equal(t, i < 4, r.Revision == 2, "who had it is changed, who had not is not")
			require.Equal(t, i < 4, r.UpdatedAt == s.now)
		}
	}
	check()
	s.reopen()
	check()
}

func TestATagOnMoreRecordsThanACommandChanges(t *testing.T) {
	long(t)
	s := newShop(t)
	a, b := s.tag("a", label.TagInventory), s.tag("b", label.TagInventory)
	long := strings.Repeat("x", base.MaxNote)
	var articles []base.ID
	for range 900 {
		articles = append(articles,
			s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "one", Description: &long},
				Labels: label.LabelsPatch{Tags: base.Some([]base.ID{a})}}).(*stock.Article).ID)
	}
	s.do(label.DeleteTag{ID: a})
	first, last := stock.ArticleByID(s.view(), articles[0]), stock.ArticleByID(s.view(), articles[899])
	require.Empty(t, first.Tags)
	require.Nil(t, label.TagByID(s.view(), a), "it names nothing, whether a record still has it or not")
	require.Equal(t, []base.ID{b},
		s.do(label.LinkTags{To: stock.ArticleLabels, ID: last.ID, Tags: []base.ID{b}}).(*stock.Article).Tags,
		"and is gone before the next command")
	require.Empty(t,
		s.do(stock.PatchArticle{ID: articles[898],
			Fields: base.Changed(stock.ArticleFields{Name: "other"})}).(*stock.Article).Tags)
	s.reopen()
}

func TestTwoTagsOfAScopeHaveTwoNames(t *testing.T) {
	s := newShop(t)
	a, b := s.tag("a", label.TagOrders), s.tag("b", label.TagOrders)
	s.tag("a", label.TagCatalog)
	s.refused(base.CodeConflict, label.CreateTag{TagFields: label.TagFields{Value: "a", Scope: label.TagOrders}})
	s.refused(base.CodeConflict, label.PatchTag{ID: b, Fields: base.Changed(label.TagFields{Value: "a"})})
	s.do(label.PatchTag{ID: a, Fields: base.Changed(label.TagFields{Value: "a"})})
	s.do(label.PatchTag{ID: a, Fields: base.Changed(label.TagFields{Value: "c"})})
	s.do(label.PatchTag{ID: b, Fields: base.Changed(label.TagFields{Value: "a"})})
	s.reopen()
	s.do(label.DeleteTag{ID: b})
	s.tag("a", label.TagOrders)
}
