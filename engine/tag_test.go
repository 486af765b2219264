package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds tags: their records, what links to them, and what is left when one is deleted.

func (s *shop) tag(value string, scope TagScope) ID {
	return s.do(CreateTag{Value: value, Scope: scope}).(*Tag).ID
}

func TestTagsAreMadeChangedAndDeleted(t *testing.T) {
	s := newShop(t)
	g := s.do(CreateTag{Value: "new", Scope: TagInventory}).(*Tag)
	require.Equal(t, &Tag{ID: g.ID, Value: "new", Scope: TagInventory, UpdatedAt: noon, Revision: 1}, g)
	s.now += hour
	n := s.do(PatchTag{ID: g.ID, Value: Some("newer"), IfMatch: []uint64{1}}).(*Tag)
	require.Equal(t, &Tag{ID: g.ID, Value: "newer", Scope: TagInventory, UpdatedAt: noon + hour, Revision: 2}, n)
	s.refused(CodePrecondition, PatchTag{ID: g.ID, Value: Some("x"), IfMatch: []uint64{1}})
	s.refused(CodePrecondition, DeleteTag{ID: g.ID, IfMatch: []uint64{1}})
	e := s.refused(CodeInvalid, CreateTag{Value: strings.Repeat("x", 256), Scope: "stock"})
	require.Equal(t, []string{"/value", "/scope"}, pointers(e))
	s.reopen()
	require.Equal(t, n, s.view().Tag(g.ID))
	require.Nil(t, s.do(DeleteTag{ID: g.ID}))
	s.refused(CodeNotFound, DeleteTag{ID: g.ID})
	s.refused(CodeNotFound, PatchTag{ID: g.ID})
	require.Zero(t, s.view().Tags().Len())
	s.reopen()
}

func pointers(e *Error) (list []string) {
	for _, f := range e.Faults {
		list = append(list, f.Pointer)
	}
	return list
}

func TestLinksOfTags(t *testing.T) {
	s := newShop(t)
	a, b, c := s.tag("a", TagInventory), s.tag("b", TagInventory), s.tag("c", TagCatalog)
	sku := s.do(CreateSKU{Name: "Bike", Labels: LabelsPatch{Tags: Some([]ID{b, a, b})}}).(*SKU)
	require.Equal(t, []ID{b, a}, sku.Tags, "in the order given, each once")
	r := s.do(CreateArticle{Name: "one", SKU: &sku.ID, Labels: LabelsPatch{Tags: Some([]ID{a})}, Quantities: []InitialQuantity{{Location: s.loc, Count: 2}}}).(*Article)

	for _, to := range []struct {
		kind Labelled
		id   ID
	}{{SKULabels, sku.ID}, {ArticleLabels, r.ID}} {
		e := s.refused(CodeInvalid, LinkTags{To: to.kind, ID: to.id, Tags: []ID{a, c}})
		require.Equal(t, []Fault{{Pointer: "/tagIds/1", Code: "scope", Message: "is a tag of scope catalog; here tags of scope inventory can be linked"}}, e.Faults)
		require.Equal(t, []string{"/tagIds"}, pointers(s.refused(CodeInvalid, LinkTags{To: to.kind, ID: to.id})))
		require.Equal(t, []string{"tagIds"}, pointers(s.refused(CodeInvalid, UnlinkTags{From: to.kind, ID: to.id, InQuery: true})))
		s.refused(CodeNotFound, LinkTags{To: to.kind, ID: to.id, Tags: []ID{a, {1}}})
		s.refused(CodeNotFound, LinkTags{To: to.kind, ID: a, Tags: []ID{a}})
		s.refused(CodeNotFound, UnlinkTags{From: to.kind, ID: a, Tags: []ID{a}})
		s.refused(CodePrecondition, UnlinkTags{From: to.kind, ID: to.id, Tags: []ID{a}, IfMatch: []uint64{9}})
	}
	require.Equal(t, []string{"/name", "/tags/0"}, pointers(s.refused(CodeInvalid, CreateSKU{Labels: LabelsPatch{Tags: Some([]ID{c})}})), "all faults at once")
	s.refused(CodeInvalid, PatchArticle{ID: r.ID, Labels: LabelsPatch{Tags: Some([]ID{c})}})
	s.refused(CodeNotFound, PatchSKU{ID: sku.ID, Labels: LabelsPatch{Tags: Some([]ID{{1}})}})

	s.now += hour
	linked := s.do(LinkTags{To: ArticleLabels, ID: r.ID, Tags: []ID{b, a}}).(*Article)
	require.Equal(t, []ID{a, b}, linked.Tags)
	require.Equal(t, [2]uint64{2, uint64(noon + hour)}, [2]uint64{linked.Revision, uint64(linked.UpdatedAt)})
	seq, hash := s.State()
	require.Equal(t, linked.Tags, s.do(LinkTags{To: ArticleLabels, ID: r.ID, Tags: []ID{b}}).(*Article).Tags)
	s.do(UnlinkTags{From: ArticleLabels, ID: r.ID, Tags: []ID{c}})
	s.refused(CodeNotFound, UnlinkTags{From: ArticleLabels, ID: r.ID, Tags: []ID{a, {1}}})
	gotSeq, gotHash := s.State()
	require.Equal(t, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash}, "what changes nothing is no change")
	require.Nil(t, s.do(UnlinkTags{From: ArticleLabels, ID: r.ID, Tags: []ID{a, c}}))
	require.Equal(t, []ID{b}, s.view().Article(r.ID).Tags)
	require.Equal(t, 2, s.available(Item{Article: r.ID}, noon+day, noon+2*day), "its units are where they were")

	require.Equal(t, []ID{b}, s.do(PatchSKU{ID: sku.ID, Labels: LabelsPatch{Tags: Some([]ID{b})}}).(*SKU).Tags)
	require.Equal(t, []ID{b}, s.do(PatchSKU{ID: sku.ID, Name: Some("Bike 2")}).(*SKU).Tags)
	require.Empty(t, s.do(PatchSKU{ID: sku.ID, Labels: LabelsPatch{Tags: Null[[]ID]()}}).(*SKU).Tags)
	s.reopen()
	require.Equal(t, []ID{b}, s.view().Article(r.ID).Tags)

	// The most a record has.
	var many []ID
	for i := range maxTags {
		many = append(many, s.tag("m"+itoa(i), TagInventory))
	}
	s.refused(CodeConflict, LinkTags{To: ArticleLabels, ID: r.ID, Tags: many})
	require.Equal(t, []string{"/tags"}, pointers(s.refused(CodeInvalid, PatchArticle{ID: r.ID, Labels: LabelsPatch{Tags: Some(append(many, a))}})))
	require.Len(t, s.do(PatchArticle{ID: r.ID, Labels: LabelsPatch{Tags: Some(many)}}).(*Article).Tags, maxTags)
}

func TestADeletedTagIsTakenOffEveryRecord(t *testing.T) {
	s := newShop(t)
	a, b := s.tag("a", TagInventory), s.tag("b", TagInventory)
	both := LabelsPatch{Tags: Some([]ID{a, b})}
	sku := s.do(CreateSKU{Name: "Bike", Labels: both}).(*SKU)
	var articles []ID
	for i := range 5 {
		o := CreateArticle{Name: "one", SKU: &sku.ID, Labels: both}
		if i == 4 {
			o.Labels = LabelsPatch{Tags: Some([]ID{b})}
		}
		articles = append(articles, s.do(o).(*Article).ID)
	}
	s.now += hour
	seq, _ := s.State()
	s.do(DeleteTag{ID: a})
	got, _ := s.State()
	require.Equal(t, seq+1, got, "in the same command")
	check := func() {
		require.Equal(t, []ID{b}, s.view().SKU(sku.ID).Tags)
		for i, id := range articles {
			r := s.view().Article(id)
			require.Equal(t, []ID{b}, r.Tags)
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
	a, b := s.tag("a", TagInventory), s.tag("b", TagInventory)
	long := strings.Repeat("x", maxNote)
	var articles []ID
	for range 900 {
		articles = append(articles, s.do(CreateArticle{Name: "one", Description: &long, Labels: LabelsPatch{Tags: Some([]ID{a})}}).(*Article).ID)
	}
	s.do(DeleteTag{ID: a})
	first, last := s.view().Article(articles[0]), s.view().Article(articles[899])
	require.Empty(t, first.Tags)
	require.Nil(t, s.view().Tag(a), "it names nothing, whether a record still has it or not")
	require.Equal(t, []ID{b}, s.do(LinkTags{To: ArticleLabels, ID: last.ID, Tags: []ID{b}}).(*Article).Tags, "and is gone before the next command")
	require.Empty(t, s.do(PatchArticle{ID: articles[898], Name: Some("other")}).(*Article).Tags)
	s.reopen()
}

func TestTwoTagsOfAScopeHaveTwoNames(t *testing.T) {
	s := newShop(t)
	a, b := s.tag("a", TagOrders), s.tag("b", TagOrders)
	s.tag("a", TagCatalog)
	s.refused(CodeConflict, CreateTag{Value: "a", Scope: TagOrders})
	s.refused(CodeConflict, PatchTag{ID: b, Value: Some("a")})
	s.do(PatchTag{ID: a, Value: Some("a")})
	s.do(PatchTag{ID: a, Value: Some("c")})
	s.do(PatchTag{ID: b, Value: Some("a")})
	s.reopen()
	s.do(DeleteTag{ID: b})
	s.tag("a", TagOrders)
}
