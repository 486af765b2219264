package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns moves of what is held already: other dates, another unit.

// What is past of a hold that has begun needs no room, also where it lies on a unit that was another's then: such a hold can be
// made shorter and longer like any other.
func TestOtherDatesForWhatHasBegun(t *testing.T) {
	s := newShop(t)
	begin := ptr(s.now - 9*day)
	sku := s.sku()
	unit := func() ID {
		return s.do(CreateArticle{Name: "Unit", SKU: &sku, Quantities: []InitialQuantity{{Location: s.loc, Count: 1, From: begin}}}).(*Article).ID
	}
	first, second := unit(), unit()
	s.book(Item{Article: second}, s.now-3*day, s.now-day, 1)
	h := s.book(Item{SKU: sku}, s.now-2*day, s.now+day, 1)
	o := s.order(Item{SKU: sku}, PurchaseBooking, s.now+2*day, ptr(s.now+3*day), 1, false)
	s.do(ArchiveArticle{ID: first, Archived: true, Force: true})
	id := h.Lines[0].Units[0].ID
	u, _ := s.view().Unavailability(id)
	require.Equal(t, second, u.Article, "its past is another's there")

	move := func(from, to int64) MoveHold {
		return MoveHold{ID: h.ID, Lines: []MoveLine{{Unavailability: id, From: &from, To: &to}}}
	}
	s.do(move(s.now-2*day, s.now+hour))
	s.do(move(s.now-4*day, s.now+2*day))
	s.refused(CodeInsufficient, move(s.now-2*day, s.now+2*day+hour))
	s.do(DeleteOrder{ID: o.ID})
	s.do(move(s.now-2*day, s.now+2*day+hour))
	s.reopen()
}

func TestOtherDatesForAReservationThatHasBegun(t *testing.T) {
	s := newShop(t)
	article := s.do(CreateArticle{Name: "Lot", Quantities: []InitialQuantity{{Location: s.loc, Count: 2, From: ptr(s.now - 9*day)}}}).(*Article).ID
	old := s.book(Item{Article: article}, s.now-3*day, s.now-2*day, 1).Lines[0].Units[0].ID
	next := s.book(Item{Article: article}, s.now+5*day, s.now+6*day, 1)
	u, _ := s.view().Unavailability(old)
	s.do(MoveHold{ID: next.ID, Lines: []MoveLine{{Unavailability: next.Lines[0].Units[0].ID, Slot: &u.Slot}}}) // so that this is the unit that stays
	e := s.do(CreateScheduledEvent{Article: article, Location: s.loc, Type: EventReservation, Name: "Repair", Window: Span{Start: s.now - 4*day, End: s.now + day}}).(*ScheduledEvent)
	s.do(DecreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	s.do(PatchScheduledEvent{Article: article, ID: e.ID, To: Some(s.now + hour)})
	s.do(PatchScheduledEvent{Article: article, ID: e.ID, To: Some(s.now + 2*day)})
	s.reopen()
}

// Of several pools of a SKU a unit that has begun takes one with room from now on.
func TestOtherDatesInAnotherPool(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	unit := func(after int64) ID {
		return s.do(CreateArticle{Name: "Unit", SKU: &sku, After: &Buffer{Amount: after, Unit: timeline.Hours}, Quantities: []InitialQuantity{
			{Location: s.loc, Count: 1, From: ptr(s.now - 9*day)},
		}}).(*Article).ID
	}
	busy, over := unit(4), unit(1)
	s.book(Item{Article: over}, s.now-4*day, s.now-3*day, 1)
	o := s.order(Item{SKU: sku}, PurchaseBooking, s.now-4*day, ptr(s.now+day), 1, false)
	s.book(Item{Article: busy}, s.now+2*day, s.now+3*day, 1)
	require.Equal(t, busy, o.Units[0].Article)
	r := s.do(PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, To: Some(s.now + 4*day)}).(*OrderRecord)
	require.Equal(t, over, r.Units[0].Article)
	s.reopen()
}

// A unit that is put on an article, or on one slot of it, pushes what is there to another article of the pool, where it may move.
func TestMoveOntoAnArticleMakesRoomInThePool(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	unit := func() ID {
		return s.do(CreateArticle{Name: "Unit", SKU: &sku, Quantities: []InitialQuantity{{Location: s.loc, Count: 1}}}).(*Article).ID
	}
	unit()
	unit()
	one, two := s.book(Item{SKU: sku}, s.now+day, s.now+2*day, 1), s.book(Item{SKU: sku}, s.now+day, s.now+2*day, 1)
	id := func(h *Hold) ID { return h.Lines[0].Units[0].ID }
	of := func(h *Hold) Unavailability {
		u, ok := s.view().Unavailability(id(h))
		require.True(t, ok)
		return u
	}
	onto := func(h *Hold, l MoveLine) MoveHold {
		l.Unavailability = id(h)
		return MoveHold{ID: h.ID, Lines: []MoveLine{l}}
	}
	first, second := of(one).Article, of(two).Article
	s.do(onto(two, MoveLine{Article: &first}))
	require.Equal(t, [2]ID{second, first}, [2]ID{of(one).Article, of(two).Article}, "they have changed places")

	s.refused(CodeInsufficient, onto(one, MoveLine{Article: &first}))
	slot := of(two).Slot
	s.refused(CodeInsufficient, onto(one, MoveLine{Slot: &slot}))

	roaming := s.book(Item{SKU: sku}, s.now+7*day, s.now+8*day, 1)
	on := of(roaming).Article
	pinned := s.book(Item{Article: on}, s.now+5*day, s.now+6*day, 1)
	s.do(onto(pinned, MoveLine{To: ptr(s.now + 8*day)}))
	require.Equal(t, on, of(pinned).Article)
	require.NotEqual(t, on, of(roaming).Article)
	s.refused(CodeInsufficient, onto(pinned, MoveLine{From: ptr(s.now + day)}))
	slot = of(roaming).Slot
	s.do(onto(pinned, MoveLine{Slot: &slot}))
	require.Equal(t, on, of(roaming).Article, "and back")
	s.reopen()
}

// A unit that goes to an article with other buffers gets those, also where its dates stay: else the refusal would name the very window that
// it refuses as the next one.
func TestMoveToAnArticleWithOtherBuffers(t *testing.T) {
	s := newShop(t)
	unit := func(before *Buffer) ID {
		return s.do(CreateArticle{Name: "Unit", Before: before, Quantities: []InitialQuantity{{Location: s.loc, Count: 1}}}).(*Article).ID
	}
	a, b := unit(&Buffer{Amount: 5, Unit: timeline.Hours}), unit(nil)
	at := func(h int64) int64 { return s.now + 100*hour + h*hour }
	s.book(Item{Article: b}, at(0), at(10), 1)
	h := s.book(Item{Article: a}, at(12), at(20), 1)
	id := h.Lines[0].Units[0].ID
	hull := func() Span {
		u, _ := s.view().Unavailability(id)
		return u.Range
	}
	move := func(l MoveLine) MoveHold {
		l.Unavailability = id
		return MoveHold{ID: h.ID, Lines: []MoveLine{l}}
	}
	s.do(move(MoveLine{Article: &b}))
	require.Equal(t, Span{Start: at(12), End: at(20)}, hull())
	s.do(move(MoveLine{Article: &a, From: ptr(at(12))}))
	require.Equal(t, Span{Start: at(7), End: at(20)}, hull())

	// An article of the same setting, however it was entered, leaves the hull as it is; dates that are sent as they are change nothing.
	alike := unit(&Buffer{Amount: 300, Unit: timeline.Minutes})
	s.do(PatchArticle{ID: a, Before: BufferPatch{Amount: Some(int64(1)), Unit: Some(timeline.Hours)}})
	seq, _ := s.State()
	s.do(move(MoveLine{From: ptr(at(12)), To: ptr(at(20))}))
	unchanged, _ := s.State()
	require.Equal(t, seq, unchanged)
	require.Equal(t, Span{Start: at(7), End: at(20)}, hull())
	s.do(PatchArticle{ID: a, Before: BufferPatch{Amount: Some(int64(5)), Unit: Some(timeline.Hours)}})
	s.do(move(MoveLine{Article: &alike, From: ptr(at(12))}))
	require.Equal(t, Span{Start: at(7), End: at(20)}, hull())

	// What keeps its hull is refused for it, and the next window is another one.
	same := unit(&Buffer{Amount: 5, Unit: timeline.Hours})
	s.book(Item{Article: same}, at(-10), at(6), 1)
	s.do(PatchArticle{ID: same, Before: BufferPatch{Amount: Some(int64(0)), Unit: Some(timeline.Hours)}})
	s.do(PatchArticle{ID: alike, Before: BufferPatch{Amount: Some(int64(0)), Unit: Some(timeline.Hours)}})
	s.book(Item{Article: same}, at(6), at(8), 1)
	e := s.refused(CodeInsufficient, move(MoveLine{Article: &same}))
	require.Equal(t, Span{Start: at(12) + 1, End: at(20) + 1}, *e.Details.(ShortageDetails).Lines[0].Next)
	s.reopen()
}

// Dates of a line that a unit of it has already leave that unit alone, on a line of an order as well.
func TestSameDatesOfALine(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	article := s.article(sku, 1)
	o := s.order(Item{SKU: sku}, PurchaseBooking, s.now+day, ptr(s.now+2*day), 1, false)
	s.do(PatchArticle{ID: article, After: BufferPatch{Amount: Some(int64(4)), Unit: Some(timeline.Hours)}})
	s.book(Item{SKU: sku}, s.now+2*day, s.now+3*day, 1)
	later := PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, From: Some(s.now + day), To: Some(s.now + 2*day)}
	r := s.do(later).(*OrderRecord)
	require.Equal(t, s.now+2*day, r.Units[0].Range.End)
	later.From = Some(s.now + day + hour)
	s.refused(CodeInsufficient, later)
}
