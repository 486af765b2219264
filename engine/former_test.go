package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file holds the removal of locations, SKUs and articles, and articles in the archive.

func (s *shop) inUse(resource string, count int, op Op) {
	s.T.Helper()
	require.Equal(s.T, InUseDetails{resource, count}, s.refused(CodeInUse, op).Details)
}

func TestAnArticleIsDeletedOnceNothingIsToHappenOnIt(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article, other := s.article(sku, 3), s.article(sku, 1)
	past := s.book(Item{Article: article}, noon, noon+day, 1)
	ahead := s.book(Item{Article: article}, noon+10*day, noon+11*day, 2)
	note := s.do(CreateScheduledEvent{Article: article, Location: s.loc, Type: EventNote, Name: "n", Window: Span{Start: noon, End: Forever}}).(*ScheduledEvent)
	service := s.do(CreateScheduledEvent{Article: article, Location: s.loc, Type: EventReservation, Name: "s", Window: Span{Start: noon, End: noon + 2*day + hour}}).(*ScheduledEvent)
	s.now += 2 * day
	s.inUse("hold", 1, DeleteArticle{ID: article})
	s.do(ReleaseHold{ID: ahead.ID})
	s.inUse("scheduledEvent", 1, DeleteArticle{ID: article})
	s.now += 2 * hour
	s.refused(CodePrecondition, DeleteArticle{ID: article, IfMatch: []uint64{9}})
	require.Equal(t, 4, s.available(Item{SKU: sku}, noon+20*day, noon+21*day))
	before, _ := s.view().Hold(past.ID)

	seq, _ := s.State()
	require.Nil(t, s.do(DeleteArticle{ID: article}))
	got, _ := s.State()
	require.Equal(t, seq+1, got)
	s.refused(CodeNotFound, DeleteArticle{ID: article})
	check := func() {
		v := s.view()
		require.Nil(t, v.Article(article))
		require.Nil(t, v.ScheduledEvent(article, note.ID))
		_, ok := v.Unavailability(after(service.ID, 1))
		require.False(t, ok, "what its events took is gone with them")
		require.Equal(t, 1, v.Articles().Len())
		require.Equal(t, 1, s.available(Item{SKU: sku}, noon+20*day, noon+21*day))
		h, ok := v.Hold(past.ID)
		require.True(t, ok)
		require.Equal(t, before, h, "a hold that is over still says what it had")
		ended, _ := v.Hold(ahead.ID)
		require.Equal(t, article, ended.Lines[0].Article)
		page, total, err := v.ListArticles(&ArticleQuery{Window: Span{Start: s.now, End: s.now}, Now: s.now, Active: true, Archived: true, Sort: ByAvailability, Limit: 10}, nil)
		require.NoError(t, err)
		require.Equal(t, 1, total)
		require.Equal(t, other, page[0].ID)
		require.ErrorIs(t, v.ArticleStock(new(ArticleStock), article, ID{}, Span{Start: noon, End: s.now}, s.now), errNoArticle)
	}
	check()
	s.reopen()
	check()
	for _, op := range []Op{
		PatchArticle{ID: article}, ArchiveArticle{ID: article}, IncreaseQuantity{Article: article, Location: s.loc, Amount: 1}, s.booking(Item{Article: article}, noon+20*day, noon+21*day, 1),
		LinkTags{To: ArticleLabels, ID: article, Tags: []ID{{1}}}, MoveHold{ID: past.ID, Lines: []MoveLine{{Unavailability: past.Lines[0].Units[0].ID, From: ptr(noon + hour)}}},
		CreateScheduledEvent{Article: article, Location: s.loc, Type: EventNote, Name: "n", Window: Span{Start: noon, End: Forever}},
	} {
		s.refused(CodeNotFound, op)
	}
	again := s.article(sku, 2)
	require.Equal(t, 3, s.available(Item{SKU: sku}, noon+20*day, noon+21*day))
	page, total, _ := s.view().ListArticles(&ArticleQuery{
		Window: Span{Start: s.now + day, End: s.now + day}, Now: s.now, Active: true, Archived: true, Sort: ByAvailability, Desc: true, Limit: 10,
	}, nil)
	require.Equal(t, 2, total)
	require.Equal(t, again, page[0].ID)
	s.reopen()
}

func ptr[V any](v V) *V { return &v }

func TestConflictsStandInTheWayOfDeletion(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	h := s.book(Item{Article: article}, noon+day, noon+2*day, 1)
	s.do(DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
	s.inUse("hold", 1, DeleteArticle{ID: article})
	s.inUse("hold", 1, DeleteLocation{ID: s.loc})
	s.now += 3 * day
	s.do(DeleteArticle{ID: article})
	s.do(DeleteLocation{ID: s.loc})
	conflicts, total := s.view().Conflicts(ConflictFilter{Article: article, Location: s.loc}, 0, 10, s.now)
	require.Equal(t, 1, total)
	require.Equal(t, h.ID, conflicts[0].Owner)
	_, total = s.view().Conflicts(ConflictFilter{SKU: article}, 0, 10, s.now)
	require.Zero(t, total)
	s.reopen()
	s.do(ReleaseHold{ID: h.ID})
	s.reopen()
}

func TestALocationIsDeletedOnceNothingIsThere(t *testing.T) {
	s := newShop(t)
	there := s.do(CreateLocation{Name: "Porto", Timezone: "Europe/Lisbon"}).(*Location).ID
	article := s.article(ID{}, 2)
	s.do(IncreaseQuantity{Article: article, Location: there, Amount: 1, From: ptr(noon + day)})
	s.inUse("article", 1, DeleteLocation{ID: s.loc})
	s.inUse("article", 1, DeleteLocation{ID: there})
	s.do(TransferQuantity{Article: article, From: s.loc, To: there, Amount: 2, At: ptr(noon + 2*day)})
	s.inUse("article", 1, DeleteLocation{ID: s.loc})
	s.now += 3 * day
	note := s.do(CreateScheduledEvent{Article: article, Location: s.loc, Type: EventNote, Name: "n", Window: Span{Start: noon, End: noon + 4*day}}).(*ScheduledEvent)
	s.inUse("scheduledEvent", 1, DeleteLocation{ID: s.loc})
	s.now += 2 * day
	s.refused(CodePrecondition, DeleteLocation{ID: s.loc, IfMatch: []uint64{9}})
	s.do(DeleteLocation{ID: s.loc})
	s.refused(CodeNotFound, DeleteLocation{ID: s.loc})
	s.refused(CodeNotFound, PatchLocation{ID: s.loc})
	check := func() {
		var x ArticleStock
		require.NoError(t, s.view().ArticleStock(&x, article, ID{}, Span{Start: noon, End: noon + day}, s.now))
		require.Equal(t, s.loc, x.Locations[0].Location, "the past is as it was")
		require.Equal(t, 3, s.available2(article, there))
	}
	check()
	s.reopen()
	check()
	s.refused(CodeNotFound, IncreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	s.do(PatchScheduledEvent{Article: article, ID: note.ID, Name: Some("other")})
	s.refused(CodeNotFound, PatchScheduledEvent{Article: article, ID: note.ID, To: Some(noon + 9*day)})
	s.reopen()
}

func (s *shop) available2(article, location ID) int {
	a, err := s.view().Available(Query{Item: Item{Article: article}, Location: location, Window: Span{Start: s.now, End: s.now + hour}}, s.now)
	require.NoError(s.T, err)
	return a.Available
}

func TestASKUIsDeletedOnceNothingNamesIt(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	second := PlaceHold{Lines: []HoldLineInput{
		{Item: Item{Article: s.article(ID{}, 1)}, Location: s.loc, Window: Span{Start: noon, End: noon + day}, Quantity: 1},
		{Item: Item{SKU: sku}, Location: s.loc, Window: Span{Start: noon + day, End: noon + 2*day}, Quantity: 1},
	}}
	h := s.do(second).(*Hold)
	s.inUse("article", 1, DeleteSKU{ID: sku})
	s.do(PatchArticle{ID: article, SKU: Null[ID](), Force: true})
	s.inUse("hold", 1, DeleteSKU{ID: sku})
	s.now += 2 * day
	s.refused(CodePrecondition, DeleteSKU{ID: sku, IfMatch: []uint64{9}})
	s.do(DeleteSKU{ID: sku})
	s.refused(CodeNotFound, DeleteSKU{ID: sku})
	s.refused(CodeNotFound, PatchArticle{ID: article, SKU: Some(sku), Force: true})
	s.reopen()
	got, _ := s.view().Hold(h.ID)
	require.Equal(t, sku, got.Lines[1].SKU)
	require.Nil(t, s.view().SKU(sku))
	s.do(CreateSKU{Name: "x", Code: ptr("c")})
	s.reopen()
}

func TestTheArchive(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a, b := s.article(sku, 1), s.article(sku, 1)
	h := s.book(Item{SKU: sku}, noon+day, noon+2*day, 2)
	s.now += hour
	r := s.do(ArchiveArticle{ID: a, Archived: true, Force: true}).(*Article)
	require.Equal(t, [3]any{s.now, uint64(2), ArticleActive}, [3]any{*r.ArchivedAt, r.Revision, r.Status})
	again := s.do(ArchiveArticle{ID: a, Archived: true, Force: true}).(*Article)
	require.Equal(t, r.Revision, again.Revision, "it is there already")
	require.Equal(t, r.ArchivedAt, again.ArchivedAt)
	_, total := s.view().Conflicts(ConflictFilter{SKU: sku}, 0, 10, s.now)
	require.Equal(t, 1, total)
	s.refused(CodeStateNotAllowed, s.booking(Item{Article: a}, noon+3*day, noon+4*day, 1))
	require.Equal(t, 1, s.available(Item{SKU: sku}, noon+3*day, noon+4*day))
	s.reopen()
	s.now += hour
	r = s.do(ArchiveArticle{ID: a}).(*Article)
	require.Nil(t, r.ArchivedAt)
	require.Equal(t, uint64(3), r.Revision)
	got, _ := s.view().Hold(h.ID)
	for _, u := range got.Lines[0].Units {
		require.False(t, u.Conflict())
	}
	require.Equal(t, 2, s.available(Item{SKU: sku}, noon+3*day, noon+4*day))
	s.do(PatchArticle{ID: b, Status: Some(ArticleInactive), Force: true})
	s.do(ArchiveArticle{ID: b, Archived: true, Force: true})
	s.do(ArchiveArticle{ID: b})
	require.Equal(t, ArticleInactive, s.view().Article(b).Status, "the archive leaves the status alone")
	s.refused(CodeNotFound, ArchiveArticle{ID: sku})
	s.reopen()
}

// TestComponentsStay: what a catalog item is made of is not removed under it.
func TestComponentsStay(t *testing.T) {
	s := newShop(t)
	sku, article := s.sku(), s.article(ID{}, 0)
	kit := s.do(CreateCatalogItem{Name: "kit", Components: []Component{
		{Item: Item{SKU: sku}, Quantity: 1}, {Item: Item{Article: article}, Quantity: 1},
	}}).(*CatalogItem)
	s.refused(CodeInUse, DeleteSKU{ID: sku})
	s.refused(CodeInUse, DeleteArticle{ID: article})
	s.do(DeleteCatalogItem{ID: kit.ID})
	s.do(DeleteSKU{ID: sku})
	s.do(DeleteArticle{ID: article})
}

// A hold that is over keeps no catalog item, still says what it was for, and its item's number is nobody else's.
func TestHoldsThatAreOverKeepNoCatalogItem(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 2)
	item := func() ID {
		return s.do(CreateCatalogItem{Name: "kit", Components: []Component{{Item: Item{SKU: sku}, Quantity: 1}}}).(*CatalogItem).ID
	}
	released, past := item(), item()
	h := s.book(Item{CatalogItem: released}, noon+day, noon+2*day, 1)
	p := s.book(Item{CatalogItem: past}, noon, noon+hour, 1)
	s.inUse("hold", 1, DeleteCatalogItem{ID: released})
	s.inUse("hold", 1, DeleteCatalogItem{ID: past})
	s.do(ReleaseHold{ID: h.ID})
	s.now += 2 * hour
	s.do(DeleteCatalogItem{ID: released})
	s.do(DeleteCatalogItem{ID: past})
	other := item()
	for range 2 {
		for id, of := range map[ID]ID{h.ID: released, p.ID: past} {
			got, ok := s.view().Hold(id)
			require.True(t, ok)
			require.Equal(t, of, got.Lines[0].CatalogItem)
		}
		s.reopen()
	}
	s.do(DeleteCatalogItem{ID: other})
	s.refused(CodeNotFound, OrderHold{Holds: []ID{p.ID}})
	s.reopen()
}
