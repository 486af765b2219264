package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of holds whose lines are added, changed and taken out.

func TestLinesOfAHoldAreChangedInOneCommand(t *testing.T) {
	s := newShop(t)
	bike, tent := Item{SKU: s.sku()}, Item{SKU: s.sku()}
	s.article(bike.SKU, 3)
	s.article(tent.SKU, 1)
	window := Span{Start: s.now + day, End: s.now + 2*day}
	line := func(i Item, n int) HoldLineInput {
		return HoldLineInput{Item: i, Location: s.loc, Window: window, Quantity: n}
	}
	h := s.do(PlaceHold{Lines: []HoldLineInput{line(bike, 2), line(tent, 1)}, ExpiresIn: ptr[int64](600)}).(*Hold)
	s.book(bike, window.Start, window.End, 1)
	require.Zero(t, s.available(bike, window.Start, window.End)+s.available(tent, window.Start, window.End))

	// All of it or nothing: a refusal leaves the hold as it was.
	e := s.refused(CodeInsufficient, ChangeHold{ID: h.ID, Remove: []int{1}, Change: []HoldLineChange{{Line: 0, Quantity: ptr(3)}}})
	require.Equal(t, 2, e.Details.(ShortageDetails).Lines[0].Available, "its own room is its own")
	kept, _ := s.view().Hold(h.ID)
	require.Equal(t, h.Lines, kept.Lines)
	s.refused(CodeInsufficient, ChangeHold{ID: h.ID, Change: []HoldLineChange{{Line: 0, Quantity: ptr(1)}}, Add: []HoldLineInput{line(bike, 2)}})

	// What goes makes room for what comes; what stays keeps its units.
	c := s.do(ChangeHold{ID: h.ID, Change: []HoldLineChange{{Line: 0, Quantity: ptr(1)}}, Add: []HoldLineInput{line(bike, 1)}}).(*Hold)
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
	s.refused(CodePrecondition, ChangeHold{ID: h.ID, IfMatch: []uint64{h.Revision}, Remove: []int{0}})
	c = s.do(ChangeHold{ID: h.ID, Remove: []int{0, 1}}).(*Hold)
	require.Len(t, c.Lines, 1)
	require.Equal(t, []int{1, 1}, []int{s.available(bike, window.Start, window.End), s.available(tent, window.Start, window.End)})
	list, total, _ := s.view().HoldUnits(h.ID, Part{Limit: 10})
	require.Equal(t, []any{1, c.Lines[0].Units[0].ID, 0}, []any{total, list[0].ID, list[0].Line})
	s.reopen()

	// It is moved, becomes an order and expires as any hold does.
	to := window.End + day
	c = s.do(MoveHold{ID: h.ID, Lines: []MoveLine{{Unavailability: list[0].ID, To: &to}}}).(*Hold)
	require.Equal(t, to, c.Lines[0].Window.End)
	o := s.do(OrderHold{Holds: []ID{h.ID}}).(*OrderRecord)
	require.Equal(t, list[0].ID, o.Lines[0].Units[0].Hold)
	s.refused(CodeStateNotAllowed, ChangeHold{ID: h.ID, Remove: []int{0}})
	x := s.do(PlaceHold{Lines: []HoldLineInput{line(tent, 1)}, ExpiresIn: ptr[int64](60)}).(*Hold)
	s.do(ChangeHold{ID: x.ID, Change: []HoldLineChange{{Line: 0, To: ptr(window.End + day)}}})
	s.tick(s.now + 61_000)
	require.Equal(t, 1, s.available(tent, window.Start, window.End))
	require.Equal(t, HoldDetails{x.ID}, s.refused(CodeHoldExpired, ChangeHold{ID: x.ID, Remove: []int{0}}).Details)
	s.reopen()
}

func TestFaultsOfAChangedHold(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 3)
	h := s.book(bike, s.now+day, s.now+2*day, 1)
	require.Equal(t, []string{"/add/0/quantity", "/change/1/line", "/remove/0"}, pointers(s.refused(CodeInvalid, ChangeHold{
		ID: h.ID, Add: []HoldLineInput{{Item: bike, Location: s.loc, Window: Span{Start: s.now, End: s.now + day}}},
		Change: []HoldLineChange{{Line: 0, Quantity: ptr(2)}, {Line: 0}}, Remove: []int{0},
	})))
	require.Equal(t, []string{"/change/0/line", "/remove/0"}, pointers(s.refused(CodeInvalid, ChangeHold{ID: h.ID, Change: []HoldLineChange{{Line: 1}}, Remove: []int{2}})))
	require.Equal(t, []string{"/remove"}, pointers(s.refused(CodeInvalid, ChangeHold{ID: h.ID, Remove: []int{0}})))
	require.Equal(t, []string{"/change/0/to"}, pointers(s.refused(CodeInvalid, ChangeHold{ID: h.ID, Change: []HoldLineChange{{Line: 0, To: ptr(s.now)}}})))
	same := s.do(ChangeHold{ID: h.ID, Change: []HoldLineChange{{Line: 0, Quantity: ptr(1)}}}).(*Hold)
	require.Equal(t, h, same, "what changes nothing changes nothing")
	s.refused(CodeNotFound, ChangeHold{ID: bike.SKU, Remove: []int{0}})
}

// A conflict of a line that moves up, as one before it goes, still waits for the SKU that it was made for.
func TestALineThatMovesUpKeepsItsSKU(t *testing.T) {
	s := newShop(t)
	one, other := s.sku(), s.sku()
	s.article(one, 1)
	article := s.article(other, 1)
	line := func(sku ID) HoldLineInput {
		return HoldLineInput{Item: Item{SKU: sku}, Location: s.loc, Window: Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}
	}
	h := s.do(PlaceHold{Lines: []HoldLineInput{line(one), line(other)}}).(*Hold)
	s.do(DecreaseQuantity{Article: article, Location: s.loc, Amount: 1, Force: true})
	waits := h.Lines[1].Units[0].ID
	s.do(ChangeHold{ID: h.ID, Remove: []int{0}})
	u, _ := s.view().Unavailability(waits)
	require.True(t, u.Conflict(), "the unit that came free is of another SKU")
	s.reopen()
	s.do(IncreaseQuantity{Article: article, Location: s.loc, Amount: 1})
	u, _ = s.view().Unavailability(waits)
	require.Equal(t, article, u.Article)
	s.reopen()
}
