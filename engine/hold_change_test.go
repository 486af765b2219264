package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the tests of holds whose lines are added, changed and taken out.

func TestLinesOfAHoldAreChangedInOneCommand(t *testing.T) {
	s := newShop(t)
	bike, tent := base.Item{SKU: s.sku()}, base.Item{SKU: s.sku()}
	s.article(bike.SKU, 3)
	s.article(tent.SKU, 1)
	window := base.Span{Start: s.now + day, End: s.now + 2*day}
	line := func(i base.Item, n int) hold.HoldLineInput {
		return hold.HoldLineInput{Item: i, Location: s.loc, Window: window, Quantity: n}
	}
	h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line(bike, 2), line(tent, 1)},
		ExpiresIn: ptr[int64](600)}).(*hold.Hold)
	s.book(bike, window.Start, window.End, 1)
	require.Zero(t, s.available(bike, window.Start, window.End)+s.available(tent, window.Start, window.End))

	// All of it or nothing: a refusal leaves the hold as it was.
	e := s.refused(base.CodeInsufficient,
		hold.ChangeHold{ID: h.ID, Remove: []int{1}, Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(3)}}})
	require.Equal(t, 2, e.Details.(base.ShortageDetails).Lines[0].Available, "its own room is its own")
	kept, _ := hold.HoldByID(s.view(), h.ID)
	require.Equal(t, h.Lines, kept.Lines)
	s.refused(base.CodeInsufficient, hold.ChangeHold{ID: h.ID,
		Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(1)}}, Add: []hold.HoldLineInput{line(bike, 2)}})

	// What goes makes room for what comes; what stays keeps its units.
	c := s.do(hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(1)}},
		Add: []hold.HoldLineInput{line(bike, 1)}}).(*hold.Hold)
	require.Equal(t, []int{1, 1, 1}, []int{len(c.Lines[0].Units), len(c.Lines[1].Units), len(c.Lines[2].Units)})
	require.Equal(t, h.Lines[1].Units[0].ID, c.Lines[1].Units[0].ID)
	require.Equal(t, h.ExpiresAt, c.ExpiresAt)
	require.NotEqual(t, h.Revision, c.Revision)
	for i, l := range c.Lines {
		require.Equal(t, h.ID, l.Units[0].Owner)
		u := s.unit(l.Units[0].ID)
		require.Equal(t, []any{h.ID, i}, []any{u.Owner, u.Line})
	}
	s.reopen()
	s.refused(base.CodePrecondition, hold.ChangeHold{ID: h.ID, IfMatch: []uint64{h.Revision}, Remove: []int{0}})
	c = s.do(hold.ChangeHold{ID: h.ID, Remove: []int{0, 1}}).(*hold.Hold)
	require.Len(t, c.Lines, 1)
	require.Equal(t, []int{1, 1},
		[]int{s.available(bike, window.Start, window.End), s.available(tent, window.Start, window.End)})
	list, total, _ := hold.HoldUnits(s.view(), h.ID, base.Part{Limit: 10})
	require.Equal(t, []any{1, c.Lines[0].Units[0].ID, 0}, []any{total, list[0].ID, list[0].Line})
	s.reopen()

	// It is moved, becomes an order and expires as any hold does.
	to := window.End + day
	c = s.do(hold.MoveHold{ID: h.ID, Lines: []hold.MoveLine{{Unavailability: list[0].ID, To: &to}}}).(*hold.Hold)
	require.Equal(t, to, c.Lines[0].Window.End)
	o := s.do(order.OrderHold{Holds: []base.ID{h.ID}}).(*order.OrderRecord)
	require.Equal(t, list[0].ID, o.Lines[0].Units[0].Hold)
	s.refused(base.CodeStateNotAllowed, hold.ChangeHold{ID: h.ID, Remove: []int{0}})
	x := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line(tent, 1)}, ExpiresIn: ptr[int64](60)}).(*hold.Hold)
	s.do(hold.ChangeHold{ID: x.ID, Change: []hold.HoldLineChange{{Line: 0, To: ptr(window.End + day)}}})
	s.tick(s.now + 61_000)
	require.Equal(t, 1, s.available(tent, window.Start, window.End))
	require.Equal(t, base.HoldDetails{ID: x.ID},
		s.refused(base.CodeHoldExpired, hold.ChangeHold{ID: x.ID, Remove: []int{0}}).Details)
	s.reopen()
}

func TestFaultsOfAChangedHold(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 3)
	h := s.book(bike, s.now+day, s.now+2*day, 1)
	require.Equal(t, []string{"/add/0/quantity", "/change/1/line", "/remove/0"},
		pointers(s.refused(base.CodeInvalid, hold.ChangeHold{
			ID: h.ID, Add: []hold.HoldLineInput{
				{Item: bike, Location: s.loc, Window: base.Span{Start: s.now, End: s.now + day}}},
			Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(2)}, {Line: 0}}, Remove: []int{0},
		})))
	require.Equal(t, []string{"/change/0/line", "/remove/0"},
		pointers(s.refused(base.CodeInvalid,
			hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 1}}, Remove: []int{2}})))
	require.Equal(t, []string{"/remove"},
		pointers(s.refused(base.CodeInvalid, hold.ChangeHold{ID: h.ID, Remove: []int{0}})))
	require.Equal(t, []string{"/change/0/to"},
		pointers(s.refused(base.CodeInvalid,
			hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 0, To: ptr(s.now)}}})))
	same := s.do(hold.ChangeHold{ID: h.ID, Change: []hold.HoldLineChange{{Line: 0, Quantity: ptr(1)}}}).(*hold.Hold)
	require.Equal(t, h, same, "what changes nothing changes nothing")
	s.refused(base.CodeNotFound, hold.ChangeHold{ID: bike.SKU, Remove: []int{0}})
}

// A conflict of a line that moves up, as one before it goes, still waits for the SKU that it was made for.
func TestALineThatMovesUpKeepsItsSKU(t *testing.T) {
	s := newShop(t)
	one, other := s.sku(), s.sku()
	s.article(one, 1)
	article := s.article(other, 1)
	line := func(sku base.ID) hold.HoldLineInput {
		return hold.HoldLineInput{Item: base.Item{SKU: sku}, Location: s.loc,
			Window: base.Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}
	}
	h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{line(one), line(other)}}).(*hold.Hold)
	s.do(stock.DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
	waits := h.Lines[1].Units[0].ID
	s.do(hold.ChangeHold{ID: h.ID, Remove: []int{0}})
	u, _ := stock.UnavailabilityByID(s.view(), waits)
	require.True(t, u.Conflict(), "the unit that came free is of another SKU")
	s.reopen()
	s.do(stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	u, _ = stock.UnavailabilityByID(s.view(), waits)
	require.Equal(t, article, u.Article)
	s.reopen()
}
