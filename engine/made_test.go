package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns whose an auto-assigned unit is: of the SKU that it was made for, whatever becomes of the article that it sits on.

// strayed is a shop in which a unit that was made for a SKU is over, and its article has been given to another SKU since. make makes the unit, for the SKU or a
// kit of it, over some hours.
type strayed struct {
	*shop
	sku, other      Item
	article, second ID // the one that the unit sits on, and the one that its SKU has left
	item            Item
}

func stray(t *testing.T, kit bool, make func(s *shop, i Item) ID) (x strayed, unit ID) {
	s := newShop(t)
	x = strayed{shop: s, sku: Item{SKU: s.sku()}, other: Item{SKU: s.sku()}}
	one, two := s.article(x.sku.SKU, 1), s.article(x.sku.SKU, 1)
	if x.item = x.sku; kit {
		x.item = s.kit(Component{Item: Item{SKU: s.bin()}, Quantity: 1}, Component{Item: x.sku, Quantity: 1})
	}
	s.now += hour
	unit = make(s, x.item)
	if x.article, x.second = one, two; s.unit(unit).Article != one {
		x.article, x.second = two, one
	}
	s.tick(s.now + 2*hour)
	s.do(PatchArticle{ID: x.article, SKU: Some(x.other.SKU), Force: true})
	require.Equal(t, x.article, s.unit(unit).Article, "what is over stays")
	return x, unit
}

// bin is a SKU with one article of many units.
func (s *shop) bin() ID {
	sku := s.sku()
	s.article(sku, 9)
	return sku
}

// ofSKU demands that a unit sits on the article that its SKU has left, and the other SKU has all that it had.
func (x *strayed) ofSKU(unit ID, to int64) {
	x.T.Helper()
	u := x.unit(unit)
	require.False(x.T, u.Conflict())
	require.Equal(x.T, x.second, u.Article)
	require.Equal(x.T, 0, x.available(x.sku, x.now, to))
	require.Equal(x.T, 1, x.available(x.other, x.now, to))
	x.reopen()
}

func ordered(s *shop, i Item) (*OrderRecord, ID) {
	r := s.order(i, PurchaseBooking, s.now, ptr(s.now+hour), 1, false)
	return r, r.Lines[0].Units[len(r.Lines[0].Units)-1].Hold
}

func held(s *shop, i Item) (*Hold, ID) {
	h := s.book(i, s.now, s.now+hour, 1)
	return h, h.Lines[0].Units[len(h.Lines[0].Units)-1].ID
}

func TestALineWithOtherDatesAsksForItsSKU(t *testing.T) {
	for _, kit := range []bool{false, true} {
		for _, overbook := range []bool{false, true} {
			var r *OrderRecord
			x, unit := stray(t, kit, func(s *shop, i Item) (id ID) { r, id = ordered(s, i); return id })
			to := x.until(r, 10)
			to.AllowOverbooked = overbook
			x.do(to)
			x.ofSKU(unit, to.To.Value)
		}
	}
}

func TestAHoldWithOtherDatesAsksForItsSKU(t *testing.T) {
	for _, kit := range []bool{false, true} {
		var h *Hold
		x, unit := stray(t, kit, func(s *shop, i Item) (id ID) { h, id = held(s, i); return id })
		x.do(MoveHold{ID: h.ID, Lines: []MoveLine{{Unavailability: unit, To: ptr(x.now + 10*hour)}}})
		x.ofSKU(unit, x.now+10*hour)
	}
}

// A hold that becomes an order says of its units which component they are, whatever their articles are of by then.
func TestAnOrderOfAHoldWithOtherDatesAsksForItsSKU(t *testing.T) {
	for _, kit := range []bool{false, true} {
		var h *Hold
		x, unit := stray(t, kit, func(s *shop, i Item) (id ID) { h, id = held(s, i); return id })
		r := x.do(OrderHold{Holds: []ID{h.ID}}).(*OrderRecord)
		to := x.until(r, 10)
		x.do(to)
		x.ofSKU(unit, to.To.Value)
	}
}

// A refusal names what is in the way in the SKU's own pool; overbooked, the unit is a conflict of its SKU, and gets what comes free there.
func TestShortOfTheSKUThatItWasMadeFor(t *testing.T) {
	for _, kit := range []bool{false, true} {
		var r *OrderRecord
		x, unit := stray(t, kit, func(s *shop, i Item) (id ID) { r, id = ordered(s, i); return id })
		taken := x.book(x.sku, x.now, x.now+20*hour, 1)
		to := x.until(r, 10)
		short := x.refused(CodeInsufficient, to).Details.(ShortageDetails).Lines[0]
		require.Equal(t, []ID{taken.Lines[0].Units[0].ID}, short.Blockers)
		to.AllowOverbooked = true
		x.do(to)
		u := x.unit(unit)
		require.True(t, u.Conflict())
		require.Equal(t, x.second, u.Article)
		require.Equal(t, 1, x.available(x.other, x.now, to.To.Value))
		_, total := x.view().Conflicts(ConflictFilter{SKU: x.sku.SKU}, 0, 10, x.now)
		require.Equal(t, 1, total)
		x.do(ReleaseHold{ID: taken.ID})
		x.ofSKU(unit, to.To.Value)
	}
}

// Its article may be gone by then, or out.
func TestOtherDatesWhereTheArticleIsOut(t *testing.T) {
	for name, out := range map[string]func(s *shop, r ID){
		"inactive": func(s *shop, r ID) { s.do(PatchArticle{ID: r, Status: Some(ArticleInactive), Force: true}) },
		"deleted":  func(s *shop, r ID) { s.do(DeleteArticle{ID: r}) },
	} {
		t.Run(name, func(t *testing.T) {
			var r *OrderRecord
			x, unit := stray(t, false, func(s *shop, i Item) (id ID) { r, id = ordered(s, i); return id })
			out(x.shop, x.article)
			x.do(x.until(r, 10))
			require.Equal(t, x.second, x.unit(unit).Article)
			x.reopen()
		})
	}
}

// Of a catalog item that was changed since, nobody knows which component a unit was made for: it is of the SKU of its article.
func TestOtherDatesOfAKitThatHasChanged(t *testing.T) {
	s := newShop(t)
	was, is := Item{SKU: s.bin()}, Item{SKU: s.bin()}
	kit := s.kit(Component{Item: was, Quantity: 1})
	s.now += hour
	r := s.order(kit, PurchaseBooking, s.now+hour, ptr(s.now+2*hour), 1, false)
	s.do(PatchCatalogItem{ID: kit.CatalogItem, Components: Some([]Component{{Item: is, Quantity: 1}})})
	to := s.until(r, 10)
	s.do(to)
	require.Equal(t, 8, s.available(was, s.now, to.To.Value))
	require.Equal(t, 9, s.available(is, s.now, to.To.Value))
	s.reopen()
}

// A unit that was a substitute is again of the SKU that its line names: it is seated there, or, where that has no room, refused; where it
// waits, it waits there.
func TestUnassignedUnitIsOfItsLine(t *testing.T) {
	s := newShop(t)
	sku, other := Item{SKU: s.sku()}, Item{SKU: s.sku()}
	own := s.article(sku.SKU, 1)
	foreign := s.article(other.SKU, 1)
	from, to := s.now+10*hour, s.now+20*hour
	r := s.order(sku, PurchaseBooking, from, &to, 1, false)
	unit := r.Lines[0].Units[0]
	pin := func() {
		o := s.do(AssignUnit{Order: r.ID, Unit: unit.ID, Article: foreign, Substitute: true}).(*OrderRecord)
		require.Equal(t, foreign, s.unit(unit.Hold).Article)
		require.True(t, o.Lines[0].Units[0].Substitute)
		require.Equal(t, [2]int{1, 0}, [2]int{s.available(sku, from, to), s.available(other, from, to)})
	}
	e := s.refused(CodeSubstitute, AssignUnit{Order: r.ID, Unit: unit.ID, Article: foreign})
	require.Equal(t, &SubstituteDetails{Ordered: sku, Articles: []ID{own}, Total: 1}, e.Details)

	pin()
	s.reopen()
	require.True(t, s.orderNow(r).Lines[0].Units[0].Substitute)
	o := s.do(UnassignUnit{Order: r.ID, Unit: unit.ID}).(*OrderRecord)
	require.Equal(t, own, s.unit(unit.Hold).Article)
	require.False(t, o.Lines[0].Units[0].Substitute)
	require.Equal(t, [2]int{0, 1}, [2]int{s.available(sku, from, to), s.available(other, from, to)})

	pin()
	h := s.book(sku, from, to, 1)
	s.refused(CodeInsufficient, UnassignUnit{Order: r.ID, Unit: unit.ID})
	s.do(ReleaseHold{ID: h.ID})
	s.do(DecreaseQuantity{Article: foreign, Location: s.loc, Amount: 1, Force: true})
	require.True(t, s.unit(unit.Hold).Conflict())
	s.do(UnassignUnit{Order: r.ID, Unit: unit.ID})
	require.Equal(t, own, s.unit(unit.Hold).Article)

	s.do(AssignUnit{Order: r.ID, Unit: unit.ID, Article: own, Substitute: true})
	require.False(t, s.orderNow(r).Lines[0].Units[0].Substitute, "it is what was ordered")
	s.reopen()
}

// TestUnassignedUnitOfALineThatNamesAnArticle leaves a unit pinned where its line names the article.
func TestUnassignedUnitOfALineThatNamesAnArticle(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	named, like := s.article(sku, 1), s.article(sku, 1)
	r := s.order(Item{Article: named}, PurchaseBooking, s.now+hour, ptr(s.now+day), 1, false)
	unit := r.Lines[0].Units[0]
	s.refused(CodeSubstitute, AssignUnit{Order: r.ID, Unit: unit.ID, Article: like})
	s.do(AssignUnit{Order: r.ID, Unit: unit.ID, Article: like, Substitute: true})
	s.do(UnassignUnit{Order: r.ID, Unit: unit.ID})
	require.Equal(t, named, s.unit(unit.Hold).Article)
	s.refused(CodeQuantityBlocked, ArchiveArticle{ID: named, Archived: true})
	s.reopen()
}

// TestAssignAComponent gives a unit of a kit an article of its component and of no other.
func TestAssignAComponent(t *testing.T) {
	s := newShop(t)
	body, tripod := s.sku(), s.sku()
	s.article(body, 1)
	second := s.article(body, 1)
	legs, lone := s.article(tripod, 2), s.article(ID{}, 1)
	kit := s.do(CreateCatalogItem{Name: "Film kit", Components: []Component{{Item: Item{SKU: body}, Quantity: 1}, {Item: Item{Article: lone}, Quantity: 1}}}).(*CatalogItem).ID
	s.now += hour
	r := s.order(Item{CatalogItem: kit}, PurchaseBooking, s.now+hour, ptr(s.now+day), 1, false)
	units := r.Lines[0].Units
	s.refused(CodeSubstitute, AssignUnit{Order: r.ID, Unit: units[0].ID, Article: legs})
	s.do(AssignUnit{Order: r.ID, Unit: units[0].ID, Article: second})
	require.Equal(t, second, s.unit(units[0].Hold).Article)
	e := s.refused(CodeSubstitute, AssignUnit{Order: r.ID, Unit: units[1].ID, Article: legs})
	require.Equal(t, &SubstituteDetails{Ordered: Item{Article: lone}, Articles: []ID{lone}, Total: 1}, e.Details)
	s.do(AssignUnit{Order: r.ID, Unit: units[1].ID, Article: legs, Substitute: true})
	s.do(UnassignUnit{Order: r.ID, Unit: units[1].ID})
	require.Equal(t, lone, s.unit(units[1].Hold).Article)
	s.reopen()
}
