package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file holds the removal of locations, SKUs and articles, and articles in the archive.

func (s *shop) inUse(resource string, count int, op base.Op) {
	s.T.Helper()
	require.Equal(s.T, base.InUseDetails{Resource: resource, Count: count}, s.refused(base.CodeInUse, op).Details)
}

// Only units that have not ended hold up the end of their article: those that were taken away are gone.
func TestAnArticleOfManyUnitsIsDeletedOnceTheyWereTakenAway(t *testing.T) {
	long(t)
	s := newShop(t)
	article := s.article(s.sku(), 10_000)
	for range 2 {
		s.do(stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 10_000})
	}
	s.inUse("unit", 30_000, stock.DeleteArticle{ID: article})
	s.now += hour
	for range 3 {
		s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 10_000})
	}
	s.do(stock.DeleteArticle{ID: article})
	s.reopen()
}

func TestAnArticleIsDeletedOnceNothingIsToHappenOnIt(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article, other := s.article(sku, 3), s.article(sku, 1)
	past := s.book(base.Item{Article: article}, noon, noon+day, 1)
	ahead := s.book(base.Item{Article: article}, noon+10*day, noon+11*day, 2)
	note := s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventNote, Name: "n"},
		Window:               base.Span{Start: noon, End: base.Forever}}).(*stock.ScheduledEvent)
	service := s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "s"},
		Window:               base.Span{Start: noon, End: noon + 2*day + hour}}).(*stock.ScheduledEvent)
	s.now += 2 * day
	s.inUse("hold", 1, stock.DeleteArticle{ID: article})
	s.do(hold.ReleaseHold{ID: ahead.ID})
	s.inUse("scheduledEvent", 1, stock.DeleteArticle{ID: article})
	s.now += 2 * hour
	s.refused(base.CodePrecondition, stock.DeleteArticle{ID: article, IfMatch: []uint64{9}})
	require.Equal(t, 4, s.available(base.Item{SKU: sku}, noon+20*day, noon+21*day))
	before, _ := hold.HoldByID(s.view(), past.ID)

	seq, _ := s.State()
	require.Nil(t, s.do(stock.DeleteArticle{ID: article}))
	got, _ := s.State()
	require.Equal(t, seq+1, got)
	s.refused(base.CodeNotFound, stock.DeleteArticle{ID: article})
	check := func() {
		v := s.view()
		require.Nil(t, stock.ArticleByID(v, article))
		require.Nil(t, stock.ScheduledEventByID(v, note.ID))
		_, ok := stock.UnavailabilityByID(v, base.After(service.ID, 1))
		require.False(t, ok, "what its events took is gone with them")
		require.Equal(t, 1, stock.Articles(v).Len())
		require.Equal(t, 1, s.available(base.Item{SKU: sku}, noon+20*day, noon+21*day))
		h, ok := hold.HoldByID(v, past.ID)
		require.True(t, ok)
		require.Equal(t, before, h, "a hold that is over still says what it had")
		ended, _ := hold.HoldByID(v, ahead.ID)
		require.Equal(t, article, ended.Lines[0].Article)
		page, total, err := stock.ListArticles(v, &stock.ArticleQuery{Window: base.Span{Start: s.now, End: s.now},
			Now: s.now, Active: true, Archived: true, Sort: stock.ByAvailability, Limit: 10}, nil)
		require.NoError(t, err)
		require.Equal(t, 1, total)
		require.Equal(t, other, page[0].ID)
		require.ErrorIs(t, stock.FillArticleStock(v, new(stock.ArticleStock), article, base.ID{},
			base.Span{Start: noon, End: s.now}, s.now), stock.ErrNoArticle)
	}
	check()
	s.reopen()
	check()
	for _, op := range []base.Op{
		stock.PatchArticle{ID: article}, stock.ArchiveArticle{ID: article},
		stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1},
		s.booking(base.Item{Article: article}, noon+20*day, noon+21*day, 1),
		label.LinkTags{To: stock.ArticleLabels, ID: article, Tags: []base.ID{{1}}},
		hold.MoveHold{ID: past.ID,
			Lines: []hold.MoveLine{{Unavailability: past.Lines[0].Units[0].ID, From: ptr(noon + hour)}}},
		stock.CreateScheduledEvent{Article: article, Location: s.loc,
			ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventNote, Name: "n"},
			Window:               base.Span{Start: noon, End: base.Forever}},
	} {
		s.refused(base.CodeNotFound, op)
	}
	again := s.article(sku, 2)
	require.Equal(t, 3, s.available(base.Item{SKU: sku}, noon+20*day, noon+21*day))
	page, total, _ := stock.ListArticles(s.view(), &stock.ArticleQuery{
		Window: base.Span{Start: s.now + day, End: s.now + day}, Now: s.now, Active: true, Archived: true,
		Sort: stock.ByAvailability, Desc: true, Limit: 10,
	}, nil)
	require.Equal(t, 2, total)
	require.Equal(t, again, page[0].ID)
	s.reopen()
}

func ptr[V any](v V) *V { return &v }

func TestConflictsStandInTheWayOfDeletion(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	h := s.book(base.Item{Article: article}, noon+day, noon+2*day, 1)
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
	s.inUse("hold", 1, stock.DeleteArticle{ID: article})
	s.inUse("hold", 1, stock.DeleteLocation{ID: s.loc})
	s.now += 3 * day
	s.do(stock.DeleteArticle{ID: article})
	s.do(stock.DeleteLocation{ID: s.loc})
	conflicts, total := stock.Conflicts(s.view(), stock.ConflictFilter{Article: article, Location: s.loc}, 0, 10, s.now)
	require.Equal(t, 1, total)
	require.Equal(t, h.ID, conflicts[0].Owner)
	_, total = stock.Conflicts(s.view(), stock.ConflictFilter{SKU: article}, 0, 10, s.now)
	require.Zero(t, total)
	s.reopen()
	s.do(hold.ReleaseHold{ID: h.ID})
	s.reopen()
}

func TestALocationIsDeletedOnceNothingIsThere(t *testing.T) {
	s := newShop(t)
	there := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	article := s.article(base.ID{}, 2)
	s.do(stock.IncreaseQuantity{Article: article, Location: there, Amount: 1, From: ptr(noon + day)})
	s.inUse("article", 1, stock.DeleteLocation{ID: s.loc})
	s.inUse("article", 1, stock.DeleteLocation{ID: there})
	s.do(stock.TransferQuantity{Article: article, From: s.loc, To: there, Amount: 2, At: ptr(noon + 2*day)})
	s.inUse("article", 1, stock.DeleteLocation{ID: s.loc})
	s.now += 3 * day
	note := s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventNote, Name: "n"},
		Window:               base.Span{Start: noon, End: noon + 4*day}}).(*stock.ScheduledEvent)
	s.inUse("scheduledEvent", 1, stock.DeleteLocation{ID: s.loc})
	s.now += 2 * day
	s.refused(base.CodePrecondition, stock.DeleteLocation{ID: s.loc, IfMatch: []uint64{9}})
	s.do(stock.DeleteLocation{ID: s.loc})
	s.refused(base.CodeNotFound, stock.DeleteLocation{ID: s.loc})
	s.refused(base.CodeNotFound, stock.PatchLocation{ID: s.loc})
	check := func() {
		var x stock.ArticleStock
		require.NoError(t,
			stock.FillArticleStock(s.view(), &x, article, base.ID{}, base.Span{Start: noon, End: noon + day}, s.now))
		require.Equal(t, s.loc, x.Locations[0].Location, "the past is as it was")
		require.Equal(t, 3, s.available2(article, there))
		require.Equal(t, 1, s.filtered(noon, label.Equal, s.loc))
		require.Equal(t, 0, s.filtered(noon, label.NotEqual, s.loc))
		require.Equal(t, 0, s.filtered(noon, label.Equal, there))
		require.Equal(t, 1, s.filtered(noon, label.InArray, there, s.loc))
		require.Equal(t, 1, s.filtered(noon, label.IsNotEmpty))
		require.Equal(t, 0, s.filtered(s.now, label.Equal, s.loc))
		require.Equal(t, 1, s.filtered(s.now, label.Equal, there))
		require.Equal(t, 1, s.filtered(noon, label.NotEqual, article), "no location")
	}
	check()
	s.reopen()
	check()
	s.refused(base.CodeNotFound, stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	s.do(stock.PatchScheduledEvent{Article: article, ID: note.ID,
		Fields: base.Changed(stock.ScheduledEventFields{Name: "other"})})
	s.refused(base.CodeNotFound, stock.PatchScheduledEvent{Article: article, ID: note.ID, To: base.Some(noon + 9*day)})
	s.reopen()
}

// A hold that is over is found by what it was of, and where, also when that was deleted since.
func TestHoldsAreFoundByWhatWasDeleted(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	kit := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Kit",
		Components: []commerce.Component{{Item: base.Item{SKU: sku}, Quantity: 1}}}}).(*commerce.CatalogItem).ID
	items := []base.Item{{SKU: sku}, {Article: article}, {CatalogItem: kit}}
	for i, item := range items {
		s.book(item, noon+int64(i)*hour, noon+int64(i+1)*hour, 1)
	}
	s.now += day
	s.do(commerce.DeleteCatalogItem{ID: kit})
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	s.do(stock.DeleteArticle{ID: article})
	s.do(stock.DeleteSKU{ID: sku})
	s.do(stock.DeleteLocation{ID: s.loc})
	check := func() {
		count := func(q hold.HoldQuery) int {
			q.Limit = 10
			_, total := hold.ListHolds(s.view(), &q)
			return total
		}
		require.Equal(t, 3, count(hold.HoldQuery{Location: &s.loc}))
		for _, item := range items {
			require.Equal(t, 1, count(hold.HoldQuery{Items: []base.Item{item}}), item)
		}
		require.Zero(t, count(hold.HoldQuery{Items: []base.Item{{SKU: article}}}), "it was an article")
	}
	check()
	s.reopen()
	check()
}

// filtered counts the articles with a unit at some of these locations in the hour that follows, or without one.
func (s *shop) filtered(from int64, o label.Operator, locations ...base.ID) int {
	f := stock.Filter{Field: stock.FieldServiceLocation, Operator: o}
	for _, id := range locations {
		f.Values = append(f.Values, label.Value{Kind: label.TextValue, Text: id.String()})
	}
	_, total, err := stock.ListArticles(s.view(), &stock.ArticleQuery{Window: base.Span{Start: from, End: from + hour},
		Now: s.now, Active: true, Sort: stock.ByAvailability, Limit: 10, Filters: []stock.Filter{f}}, nil)
	require.NoError(s.T, err)
	return total
}

func (s *shop) available2(article, location base.ID) int {
	a, err := hold.Available(s.view(), hold.Query{Item: base.Item{Article: article}, Location: location,
		Window: base.Span{Start: s.now, End: s.now + hour}}, s.now)
	require.NoError(s.T, err)
	return a.Available
}

func TestASKUIsDeletedOnceNothingNamesIt(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	second := hold.PlaceHold{Lines: []hold.HoldLineInput{
		{Item: base.Item{Article: s.article(base.ID{}, 1)}, Location: s.loc,
			Window: base.Span{Start: noon, End: noon + day}, Quantity: 1},
		{Item: base.Item{SKU: sku}, Location: s.loc, Window: base.Span{Start: noon + day, End: noon + 2*day},
			Quantity: 1},
	}}
	h := s.do(second).(*hold.Hold)
	s.inUse("article", 1, stock.DeleteSKU{ID: sku})
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{}, "skuId"), Force: true})
	s.inUse("hold", 1, stock.DeleteSKU{ID: sku})
	s.now += 2 * day
	s.refused(base.CodePrecondition, stock.DeleteSKU{ID: sku, IfMatch: []uint64{9}})
	s.do(stock.DeleteSKU{ID: sku})
	s.refused(base.CodeNotFound, stock.DeleteSKU{ID: sku})
	s.refused(base.CodeNotFound,
		stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{SKU: new(sku)}), Force: true})
	s.reopen()
	got, _ := hold.HoldByID(s.view(), h.ID)
	require.Equal(t, sku, got.Lines[1].SKU)
	require.Nil(t, stock.SKUByID(s.view(), sku))
	s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "x", Code: ptr("c")}})
	s.reopen()
}

func TestAnArchivedArticleIsArchivedOnce(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	a, b := s.article(sku, 1), s.article(sku, 1)
	h := s.book(base.Item{SKU: sku}, noon+day, noon+2*day, 2)
	s.now += hour
	r := s.do(stock.ArchiveArticle{ID: a, Archived: true, Force: true}).(*stock.Article)
	require.Equal(t, [3]any{s.now, uint64(2), stock.ArticleActive}, [3]any{*r.ArchivedAt, r.Revision, r.Status})
	again := s.do(stock.ArchiveArticle{ID: a, Archived: true, Force: true}).(*stock.Article)
	require.Equal(t, r.Revision, again.Revision, "it is there already")
	require.Equal(t, r.ArchivedAt, again.ArchivedAt)
	_, total := stock.Conflicts(s.view(), stock.ConflictFilter{SKU: sku}, 0, 10, s.now)
	require.Equal(t, 1, total)
	s.refused(base.CodeStateNotAllowed, s.booking(base.Item{Article: a}, noon+3*day, noon+4*day, 1))
	require.Equal(t, 1, s.available(base.Item{SKU: sku}, noon+3*day, noon+4*day))
	s.reopen()
	s.now += hour
	r = s.do(stock.ArchiveArticle{ID: a}).(*stock.Article)
	require.Nil(t, r.ArchivedAt)
	require.Equal(t, uint64(3), r.Revision)
	got, _ := hold.HoldByID(s.view(), h.ID)
	for _, u := range got.Lines[0].Units {
		require.False(t, u.Conflict())
	}
	require.Equal(t, 2, s.available(base.Item{SKU: sku}, noon+3*day, noon+4*day))
	s.do(stock.PatchArticle{ID: b, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	s.do(stock.ArchiveArticle{ID: b, Archived: true, Force: true})
	s.do(stock.ArchiveArticle{ID: b})
	require.Equal(t, stock.ArticleInactive, stock.ArticleByID(s.view(), b).Status,
		"the archive leaves the status alone")
	s.refused(base.CodeNotFound, stock.ArchiveArticle{ID: sku})
	s.reopen()
}

// TestComponentsStay: what a catalog item is made of is not removed under it.
func TestComponentsStay(t *testing.T) {
	s := newShop(t)
	sku, article := s.sku(), s.article(base.ID{}, 0)
	kit := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "kit",
		Components: []commerce.Component{
			{Item: base.Item{SKU: sku}, Quantity: 1}, {Item: base.Item{Article: article}, Quantity: 1},
		}}}).(*commerce.CatalogItem)
	s.refused(base.CodeInUse, stock.DeleteSKU{ID: sku})
	s.refused(base.CodeInUse, stock.DeleteArticle{ID: article})
	s.do(commerce.DeleteCatalogItem{ID: kit.ID})
	s.do(stock.DeleteSKU{ID: sku})
	s.do(stock.DeleteArticle{ID: article})
}

// A hold that is over keeps no catalog item, still says what it was for, and its item's number is nobody else's.
func TestHoldsThatAreOverKeepNoCatalogItem(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 2)
	item := func() base.ID {
		return s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "kit",
			Components: []commerce.Component{{Item: base.Item{SKU: sku}, Quantity: 1}}}}).(*commerce.CatalogItem).ID
	}
	released, past := item(), item()
	h := s.book(base.Item{CatalogItem: released}, noon+day, noon+2*day, 1)
	p := s.book(base.Item{CatalogItem: past}, noon, noon+hour, 1)
	s.inUse("hold", 1, commerce.DeleteCatalogItem{ID: released})
	s.inUse("hold", 1, commerce.DeleteCatalogItem{ID: past})
	s.do(hold.ReleaseHold{ID: h.ID})
	s.now += 2 * hour
	s.do(commerce.DeleteCatalogItem{ID: released})
	s.do(commerce.DeleteCatalogItem{ID: past})
	other := item()
	for range 2 {
		for id, of := range map[base.ID]base.ID{h.ID: released, p.ID: past} {
			got, ok := hold.HoldByID(s.view(), id)
			require.True(t, ok)
			require.Equal(t, of, got.Lines[0].CatalogItem)
		}
		s.reopen()
	}
	s.do(commerce.DeleteCatalogItem{ID: other})
	s.refused(base.CodeNotFound, order.OrderHold{Holds: []base.ID{p.ID}})
	s.reopen()
}
