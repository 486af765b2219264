package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns whose an auto-assigned unit is: of the SKU that it was made for, whatever becomes of the article that
// it sits on.

// strayed is a shop in which a unit that was made for a SKU is over, and its article has been given to another SKU
// since. make makes the unit, for the SKU or a kit of it, over some hours.
type strayed struct {
	*shop
	sku, other      base.Item
	article, second base.ID // the one that the unit sits on, and the one that its SKU has left
	item            base.Item
}

func stray(t *testing.T, kit bool, make func(s *shop, i base.Item) base.ID) (x strayed, unit base.ID) {
	s := newShop(t)
	x = strayed{shop: s, sku: base.Item{SKU: s.sku()}, other: base.Item{SKU: s.sku()}}
	one, two := s.article(x.sku.SKU, 1), s.article(x.sku.SKU, 1)
	if x.item = x.sku; kit {
		x.item = s.kit(commerce.Component{Item: base.Item{SKU: s.bin()}, Quantity: 1},
			commerce.Component{Item: x.sku, Quantity: 1})
	}
	s.now += hour
	unit = make(s, x.item)
	if x.article, x.second = one, two; s.unit(unit).Article != one {
		x.article, x.second = two, one
	}
	s.tick(s.now + 2*hour)
	s.do(stock.PatchArticle{ID: x.article, Fields: base.Changed(stock.ArticleFields{SKU: new(x.other.SKU)}),
		Force: true})
	require.Equal(t, x.article, s.unit(unit).Article, "what is over stays")
	return x, unit
}

// bin is a SKU with one article of many units.
func (s *shop) bin() base.ID {
	sku := s.sku()
	s.article(sku, 9)
	return sku
}

// ofSKU demands that a unit sits on the article that its SKU has left, and the other SKU has all that it had.
func (x *strayed) ofSKU(unit base.ID, to int64) {
	x.T.Helper()
	u := x.unit(unit)
	require.False(x.T, u.Conflict())
	require.Equal(x.T, x.second, u.Article)
	require.Equal(x.T, 0, x.available(x.sku, x.now, to))
	require.Equal(x.T, 1, x.available(x.other, x.now, to))
	x.reopen()
}

func ordered(s *shop, i base.Item) (*order.OrderRecord, base.ID) {
	r := s.order(i, base.PurchaseBooking, s.now, ptr(s.now+hour), 1, false)
	return r, r.Lines[0].Units[len(r.Lines[0].Units)-1].Hold
}

func held(s *shop, i base.Item) (*hold.Hold, base.ID) {
	h := s.book(i, s.now, s.now+hour, 1)
	return h, h.Lines[0].Units[len(h.Lines[0].Units)-1].ID
}

func TestALineWithOtherDatesAsksForItsSKU(t *testing.T) {
	for _, kit := range []bool{false, true} {
		for _, overbook := range []bool{false, true} {
			var r *order.OrderRecord
			x, unit := stray(t, kit, func(s *shop, i base.Item) (id base.ID) { r, id = ordered(s, i); return id })
			to := x.until(r, 10)
			to.AllowOverbooked = overbook
			x.do(to)
			x.ofSKU(unit, *to.Fields.To.To)
		}
	}
}

func TestAHoldWithOtherDatesAsksForItsSKU(t *testing.T) {
	for _, kit := range []bool{false, true} {
		var h *hold.Hold
		x, unit := stray(t, kit, func(s *shop, i base.Item) (id base.ID) { h, id = held(s, i); return id })
		x.do(hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{{Unavailability: unit, To: ptr(x.now + 10*hour)}}})
		x.ofSKU(unit, x.now+10*hour)
	}
}

// A hold that becomes an order says of its units which component they are, whatever their articles are of by then.
func TestAnOrderOfAHoldWithOtherDatesAsksForItsSKU(t *testing.T) {
	for _, kit := range []bool{false, true} {
		var h *hold.Hold
		x, unit := stray(t, kit, func(s *shop, i base.Item) (id base.ID) { h, id = held(s, i); return id })
		r := x.do(order.OrderHold{Holds: []base.ID{h.ID}}).(*order.OrderRecord)
		to := x.until(r, 10)
		x.do(to)
		x.ofSKU(unit, *to.Fields.To.To)
	}
}

// A refusal names what is in the way in the SKU's own pool; overbooked, the unit is a conflict of its SKU, and gets
// what comes free there.
func TestShortOfTheSKUThatItWasMadeFor(t *testing.T) {
	for _, kit := range []bool{false, true} {
		var r *order.OrderRecord
		x, unit := stray(t, kit, func(s *shop, i base.Item) (id base.ID) { r, id = ordered(s, i); return id })
		taken := x.book(x.sku, x.now, x.now+20*hour, 1)
		to := x.until(r, 10)
		short := x.refused(base.CodeInsufficient, to).Details.(base.ShortageDetails).Lines[0]
		require.Equal(t, []base.ID{taken.Lines[0].Units[0].ID}, short.Blockers)
		to.AllowOverbooked = true
		x.do(to)
		u := x.unit(unit)
		require.True(t, u.Conflict())
		require.Equal(t, x.second, u.Article)
		require.Equal(t, 1, x.available(x.other, x.now, *to.Fields.To.To))
		_, total := stock.Conflicts(x.view(), stock.ConflictFilter{SKU: x.sku.SKU}, 0, 10, x.now)
		require.Equal(t, 1, total)
		x.do(hold.ReleaseHold{ID: taken.ID})
		x.ofSKU(unit, *to.Fields.To.To)
	}
}

// Its article may be gone by then, or out.
func TestOtherDatesWhereTheArticleIsOut(t *testing.T) {
	for name, out := range map[string]func(s *shop, r base.ID){
		"inactive": func(s *shop, r base.ID) {
			s.do(stock.PatchArticle{ID: r, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
				Force: true})
		},
		"deleted": func(s *shop, r base.ID) { s.do(stock.DeleteArticle{ID: r}) },
	} {
		t.Run(name, func(t *testing.T) {
			var r *order.OrderRecord
			x, unit := stray(t, false, func(s *shop, i base.Item) (id base.ID) { r, id = ordered(s, i); return id })
			out(x.shop, x.article)
			x.do(x.until(r, 10))
			require.Equal(t, x.second, x.unit(unit).Article)
			x.reopen()
		})
	}
}

// Of a catalog item that was changed since, nobody knows which component a unit was made for: it is of the SKU of its
// article.
func TestOtherDatesOfAKitThatHasChanged(t *testing.T) {
	s := newShop(t)
	was, is := base.Item{SKU: s.bin()}, base.Item{SKU: s.bin()}
	kit := s.kit(commerce.Component{Item: was, Quantity: 1})
	s.now += hour
	r := s.order(kit, base.PurchaseBooking, s.now+hour, ptr(s.now+2*hour), 1, false)
	s.do(takes(kit.CatalogItem, commerce.Component{Item: is, Quantity: 1}))
	to := s.until(r, 10)
	s.do(to)
	require.Equal(t, 8, s.available(was, s.now, *to.Fields.To.To))
	require.Equal(t, 9, s.available(is, s.now, *to.Fields.To.To))
	s.reopen()
}

// A unit that was a substitute is again of the SKU that its line names: it is seated there, or, where that has no room,
// refused; where it waits, it waits there.
func TestUnassignedUnitIsOfItsLine(t *testing.T) {
	s := newShop(t)
	sku, other := base.Item{SKU: s.sku()}, base.Item{SKU: s.sku()}
	own := s.article(sku.SKU, 1)
	foreign := s.article(other.SKU, 1)
	from, to := s.now+10*hour, s.now+20*hour
	r := s.order(sku, base.PurchaseBooking, from, &to, 1, false)
	unit := r.Lines[0].Units[0]
	pin := func() {
		o := s.do(order.AssignUnit{Order: r.ID, Unit: unit.ID, Article: foreign, Substitute: true}).(*order.OrderRecord)
		require.Equal(t, foreign, s.unit(unit.Hold).Article)
		require.True(t, o.Lines[0].Units[0].Substitute)
		require.Equal(t, [2]int{1, 0}, [2]int{s.available(sku, from, to), s.available(other, from, to)})
	}
	e := s.refused(base.CodeSubstitute, order.AssignUnit{Order: r.ID, Unit: unit.ID, Article: foreign})
	require.Equal(t, &order.SubstituteDetails{Ordered: sku, Articles: []base.ID{own}, Total: 1}, e.Details)

	pin()
	s.reopen()
	require.True(t, s.orderNow(r).Lines[0].Units[0].Substitute)
	o := s.do(order.UnassignUnit{Order: r.ID, Unit: unit.ID}).(*order.OrderRecord)
	require.Equal(t, own, s.unit(unit.Hold).Article)
	require.False(t, o.Lines[0].Units[0].Substitute)
	require.Equal(t, [2]int{0, 1}, [2]int{s.available(sku, from, to), s.available(other, from, to)})

	pin()
	h := s.book(sku, from, to, 1)
	s.refused(base.CodeInsufficient, order.UnassignUnit{Order: r.ID, Unit: unit.ID})
	s.do(hold.ReleaseHold{ID: h.ID})
	s.do(stock.DecreaseQuantity{Article: foreign, Location: s.loc, Amount: 1, Force: true})
	require.True(t, s.unit(unit.Hold).Conflict())
	s.do(order.UnassignUnit{Order: r.ID, Unit: unit.ID})
	require.Equal(t, own, s.unit(unit.Hold).Article)

	s.do(order.AssignUnit{Order: r.ID, Unit: unit.ID, Article: own, Substitute: true})
	require.False(t, s.orderNow(r).Lines[0].Units[0].Substitute, "it is what was ordered")
	s.reopen()
}

// TestUnassignedUnitOfALineThatNamesAnArticle leaves a unit pinned where its line names the article.
func TestUnassignedUnitOfALineThatNamesAnArticle(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	named, like := s.article(sku, 1), s.article(sku, 1)
	r := s.order(base.Item{Article: named}, base.PurchaseBooking, s.now+hour, ptr(s.now+day), 1, false)
	unit := r.Lines[0].Units[0]
	s.refused(base.CodeSubstitute, order.AssignUnit{Order: r.ID, Unit: unit.ID, Article: like})
	s.do(order.AssignUnit{Order: r.ID, Unit: unit.ID, Article: like, Substitute: true})
	s.do(order.UnassignUnit{Order: r.ID, Unit: unit.ID})
	require.Equal(t, named, s.unit(unit.Hold).Article)
	s.refused(base.CodeQuantityBlocked, stock.ArchiveArticle{ID: named, Archived: true})
	s.reopen()
}

// TestAssignAComponent gives a unit of a kit an article of its component and of no other.
func TestAssignAComponent(t *testing.T) {
	for name, of := range map[string]func(s *shop, kit base.Item) *order.OrderRecord{
		"booked": func(s *shop, kit base.Item) *order.OrderRecord {
			return s.order(kit, base.PurchaseBooking, s.now+hour, ptr(s.now+day), 1, false)
		},
		"of an older program": func(s *shop, kit base.Item) *order.OrderRecord {
			s.now++ // the kit is older than its units
			r := s.order(kit, base.PurchaseBooking, s.now+hour, ptr(s.now+day), 1, false)
			s.do(unbooked{ID: r.ID})
			return r
		},
	} {
		t.Run(name, func(t *testing.T) { assignsAComponent(t, of) })
	}
}

func assignsAComponent(t *testing.T, of func(s *shop, kit base.Item) *order.OrderRecord) {
	s := newShop(t)
	body, tripod := s.sku(), s.sku()
	s.article(body, 1)
	second := s.article(body, 1)
	legs, lone := s.article(tripod, 2), s.article(base.ID{}, 1)
	kit := s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Film kit",
		Components: []commerce.Component{{Item: base.Item{SKU: body}, Quantity: 1},
			{Item: base.Item{Article: lone}, Quantity: 1}}}}).(*commerce.CatalogItem).ID
	s.now += hour
	r := of(s, base.Item{CatalogItem: kit})
	units := r.Lines[0].Units
	s.refused(base.CodeSubstitute, order.AssignUnit{Order: r.ID, Unit: units[0].ID, Article: legs})
	s.do(order.AssignUnit{Order: r.ID, Unit: units[0].ID, Article: second})
	require.Equal(t, second, s.unit(units[0].Hold).Article)
	e := s.refused(base.CodeSubstitute, order.AssignUnit{Order: r.ID, Unit: units[1].ID, Article: legs})
	require.Equal(t, &order.SubstituteDetails{Ordered: base.Item{Article: lone}, Articles: []base.ID{lone}, Total: 1},
		e.Details)
	s.do(order.AssignUnit{Order: r.ID, Unit: units[1].ID, Article: legs, Substitute: true})
	s.do(order.UnassignUnit{Order: r.ID, Unit: units[1].ID})
	require.Equal(t, lone, s.unit(units[1].Hold).Article)
	s.reopen()
}

// TestAssignWhatIsRequired gives a unit of a line with requirements no article that does not meet them, and names those
// that do: the first 1,000.
func TestAssignWhatIsRequired(t *testing.T) {
	s := newShop(t)
	sku, of, size := s.sized("L", "S", "L")
	r := s.do(s.requiring(s.line(base.Item{SKU: sku}, s.now+hour, s.now+day, size("L")))).(*order.OrderRecord)
	away := s.article(sku, 0) // was never there
	assign := func(article base.ID) order.AssignUnit {
		return order.AssignUnit{Order: r.ID, Unit: r.Lines[0].Units[0].ID, Article: article}
	}
	e := s.refused(base.CodeSubstitute, assign(of[1]))
	require.Equal(t, &order.SubstituteDetails{Ordered: base.Item{SKU: sku}, Articles: []base.ID{of[0], of[2], away},
		Total: 3}, e.Details)
	s.refused(base.CodeInsufficient, assign(away))
	s.do(assign(of[2]))
	require.Equal(t, of[2], s.unit(r.Lines[0].Units[0].Hold).Article)

	for range base.MaxListed {
		s.article(sku, 0)
	}
	d := s.refused(base.CodeSubstitute, assign(of[1])).Details.(*order.SubstituteDetails)
	require.Equal(t, base.MaxListed+3, d.Total)
	require.Len(t, d.Articles, base.MaxListed)
	require.Equal(t, []base.ID{of[0], of[2], away}, d.Articles[:3])
}
