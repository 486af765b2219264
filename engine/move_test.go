package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns moves of what is held already: other dates, another unit.

// What is past of a hold that has begun needs no room, also where it lies on a unit that was another's then: such a
// hold can be made shorter and longer like any other.
func TestOtherDatesForWhatHasBegun(t *testing.T) {
	s := newShop(t)
	begin := ptr(s.now - 9*day)
	sku := s.sku()
	unit := func() base.ID {
		return s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku},
			Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1, From: begin}}}).(*stock.Article).ID
	}
	first, second := unit(), unit()
	s.book(base.Item{Article: second}, s.now-3*day, s.now-day, 1)
	h := s.book(base.Item{SKU: sku}, s.now-2*day, s.now+day, 1)
	o := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now+2*day, ptr(s.now+3*day), 1, false)
	s.do(stock.ArchiveArticle{ID: first, Archived: true, Force: true})
	id := h.Lines[0].Units[0].ID
	u, _ := stock.UnavailabilityByID(s.view(), id)
	require.Equal(t, second, u.Article, "its past is another's there")

	move := func(from, to int64) hold.MoveHold {
		return hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{{Unavailability: id, From: &from, To: &to}}}
	}
	s.do(move(s.now-2*day, s.now+hour))
	s.do(move(s.now-4*day, s.now+2*day))
	s.refused(base.CodeInsufficient, move(s.now-2*day, s.now+2*day+hour))
	s.do(order.DeleteOrder{ID: o.ID})
	s.do(move(s.now-2*day, s.now+2*day+hour))
	s.reopen()
}

func TestOtherDatesForAReservationThatHasBegun(t *testing.T) {
	s := newShop(t)
	article := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Lot"},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 2, From: ptr(s.now - 9*day)}}}).(*stock.Article).ID
	old := s.book(base.Item{Article: article}, s.now-3*day, s.now-2*day, 1).Lines[0].Units[0].ID
	next := s.book(base.Item{Article: article}, s.now+5*day, s.now+6*day, 1)
	u, _ := stock.UnavailabilityByID(s.view(), old)
	// so that this is the unit that stays
	s.do(hold.MoveHold{ID: next.ID, Lines: []hold.MoveLine{{Unavailability: next.Lines[0].Units[0].ID, Slot: &u.Slot}}})
	e := s.do(stock.CreateScheduledEvent{Article: article, Location: s.loc,
		ScheduledEventFields: stock.ScheduledEventFields{Type: stock.EventReservation, Name: "Repair"},
		Window:               base.Span{Start: s.now - 4*day, End: s.now + day}}).(*stock.ScheduledEvent)
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	s.do(stock.PatchScheduledEvent{Article: article, ID: e.ID, To: base.Some(s.now + hour)})
	s.do(stock.PatchScheduledEvent{Article: article, ID: e.ID, To: base.Some(s.now + 2*day)})
	s.reopen()
	e = stock.ScheduledEventByID(s.view(), e.ID)
	require.Equal(t, base.Span{Start: s.now - 4*day, End: s.now + 2*day}, e.Window)
}

// Of several pools of a SKU a unit that has begun takes one with room from now on.
func TestOtherDatesInAnotherPool(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	unit := func(after int64) base.ID {
		return s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku},
			After: &stock.Buffer{Amount: after, Unit: timeline.Hours}, Quantities: []stock.InitialQuantity{
				{Location: s.loc, Count: 1, From: ptr(s.now - 9*day)},
			}}).(*stock.Article).ID
	}
	busy, over := unit(4), unit(1)
	s.book(base.Item{Article: over}, s.now-4*day, s.now-3*day, 1)
	o := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now-4*day, ptr(s.now+day), 1, false)
	s.book(base.Item{Article: busy}, s.now+2*day, s.now+3*day, 1)
	require.Equal(t, busy, o.Units[0].Article)
	r := s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(s.now + 4*day)})}).(*order.OrderRecord)
	require.Equal(t, over, r.Units[0].Article)
	s.reopen()
}

// A unit that is put on an article, or on one slot of it, pushes what is there to another article of the pool, where it
// may move.
func TestMoveOntoAnArticleMakesRoomInThePool(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	unit := func() base.ID {
		return s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku},
			Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1}}}).(*stock.Article).ID
	}
	unit()
	unit()
	one, two := s.book(base.Item{SKU: sku}, s.now+day, s.now+2*day, 1),
		s.book(base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)
	id := func(h *hold.Hold) base.ID { return h.Lines[0].Units[0].ID }
	of := func(h *hold.Hold) stock.Unavailability {
		u, ok := stock.UnavailabilityByID(s.view(), id(h))
		require.True(t, ok)
		return u
	}
	onto := func(h *hold.Hold, l hold.MoveLine) hold.MoveHold {
		l.Unavailability = id(h)
		return hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{l}}
	}
	first, second := of(one).Article, of(two).Article
	s.do(onto(two, hold.MoveLine{Article: &first}))
	require.Equal(t, [2]base.ID{second, first}, [2]base.ID{of(one).Article, of(two).Article},
		"they have changed places")

	s.refused(base.CodeInsufficient, onto(one, hold.MoveLine{Article: &first}))
	slot := of(two).Slot
	s.refused(base.CodeInsufficient, onto(one, hold.MoveLine{Slot: &slot}))

	roaming := s.book(base.Item{SKU: sku}, s.now+7*day, s.now+8*day, 1)
	on := of(roaming).Article
	pinned := s.book(base.Item{Article: on}, s.now+5*day, s.now+6*day, 1)
	s.do(onto(pinned, hold.MoveLine{To: ptr(s.now + 8*day)}))
	require.Equal(t, on, of(pinned).Article)
	require.NotEqual(t, on, of(roaming).Article)
	s.refused(base.CodeInsufficient, onto(pinned, hold.MoveLine{From: ptr(s.now + day)}))
	slot = of(roaming).Slot
	s.do(onto(pinned, hold.MoveLine{Slot: &slot}))
	require.Equal(t, on, of(roaming).Article, "and back")
	s.reopen()
}

// A unit that goes to an article with other buffers gets those, also where its dates stay: else the refusal would name
// the very window that it refuses as the next one.
func TestMoveToAnArticleWithOtherBuffers(t *testing.T) {
	s := newShop(t)
	unit := func(before *stock.Buffer) base.ID {
		return s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit"}, Before: before,
			Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1}}}).(*stock.Article).ID
	}
	a, b := unit(&stock.Buffer{Amount: 5, Unit: timeline.Hours}), unit(nil)
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	s.book(base.Item{Article: b}, at(0), at(10), 1)
	h := s.book(base.Item{Article: a}, at(12), at(20), 1)
	id := h.Lines[0].Units[0].ID
	hull := func() base.Span {
		u, _ := stock.UnavailabilityByID(s.view(), id)
		return u.Range
	}
	move := func(l hold.MoveLine) hold.MoveHold {
		l.Unavailability = id
		return hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{l}}
	}
	s.do(move(hold.MoveLine{Article: &b}))
	require.Equal(t, base.Span{Start: at(12), End: at(20)}, hull())
	s.do(move(hold.MoveLine{Article: &a, From: ptr(at(12))}))
	require.Equal(t, base.Span{Start: at(7), End: at(20)}, hull())

	// An article of the same setting, however it was entered, leaves the hull as it is; dates that are sent as they are
	// change nothing.
	alike := unit(&stock.Buffer{Amount: 300, Unit: timeline.Minutes})
	s.do(stock.PatchArticle{ID: a,
		Before: stock.BufferPatch{Amount: base.Some(int64(1)), Unit: base.Some(timeline.Hours)}})
	seq, _ := s.State()
	s.do(move(hold.MoveLine{From: ptr(at(12)), To: ptr(at(20))}))
	unchanged, _ := s.State()
	require.Equal(t, seq, unchanged)
	require.Equal(t, base.Span{Start: at(7), End: at(20)}, hull())
	s.do(stock.PatchArticle{ID: a,
		Before: stock.BufferPatch{Amount: base.Some(int64(5)), Unit: base.Some(timeline.Hours)}})
	s.do(move(hold.MoveLine{Article: &alike, From: ptr(at(12))}))
	require.Equal(t, base.Span{Start: at(7), End: at(20)}, hull())

	// What keeps its hull is refused for it, and the next window is another one.
	same := unit(&stock.Buffer{Amount: 5, Unit: timeline.Hours})
	s.book(base.Item{Article: same}, at(-10), at(6), 1)
	s.do(stock.PatchArticle{ID: same,
		Before: stock.BufferPatch{Amount: base.Some(int64(0)), Unit: base.Some(timeline.Hours)}})
	s.do(stock.PatchArticle{ID: alike,
		Before: stock.BufferPatch{Amount: base.Some(int64(0)), Unit: base.Some(timeline.Hours)}})
	s.book(base.Item{Article: same}, at(6), at(8), 1)
	e := s.refused(base.CodeInsufficient, move(hold.MoveLine{Article: &same}))
	require.Equal(t, base.Span{Start: at(12) + 1, End: at(20) + 1}, *e.Details.(base.ShortageDetails).Lines[0].Next)
	s.reopen()
}

// Dates of a line that a unit of it has already leave that unit alone, on a line of an order as well.
func TestSameDatesOfALine(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	o := s.order(base.Item{SKU: sku}, base.PurchaseBooking, s.now+day, ptr(s.now+2*day), 1, false)
	s.do(stock.PatchArticle{ID: article,
		After: stock.BufferPatch{Amount: base.Some(int64(4)), Unit: base.Some(timeline.Hours)}})
	s.book(base.Item{SKU: sku}, s.now+2*day, s.now+3*day, 1)
	later := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{From: new(s.now + day), To: new(s.now + 2*day)})}
	r := s.do(later).(*order.OrderRecord)
	require.Equal(t, s.now+2*day, r.Units[0].Range.End)
	later.Fields.To.From = new(s.now + day + hour)
	s.refused(base.CodeInsufficient, later)
}
