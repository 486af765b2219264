package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A plan that was made ahead is the one that would be made, or is not taken over; after a change of its pool it never
// is.
func TestReduceAhead(t *testing.T) {
	rnd := seeded(t)
	taken, stale, searched := 0, 0, 0
	for i := range 2500 {
		k := poolKind{slots: 6, lots: 1 + i%3, holds: 30, line: 40, pins: []int{0, 20}[i%2], ends: []int{0, 25}[i/2%2],
			conflicts: i % 4}
		if i%8 == 7 { // too large to be swept, and crowded with ends
			k.slots, k.holds, k.line, k.ends = 20, 60, 20, 40
		}
		x, amount, at := reducible(rnd, k)
		lot := LotNo(1 + rnd.Intn(x.lots))
		a := x.s.Publish().SearchReduction(lot, amount, at, x.now)
		now := x.now + rnd.Int63n(3)
		if at == x.now && rnd.Intn(2) == 0 {
			at = now
		}
		changed := 0
		if rnd.Intn(3) == 0 {
			before := x.holds
			x.addHold(rnd, k)
			changed = x.holds - before
		}
		got, ok := x.s.ReduceAs(a, lot, amount, at, now)
		if !ok {
			stale++
			continue
		}
		require.Zero(t, changed, "a pool that changed")
		want := x.s.Reduce(lot, amount, at, now)
		if now == x.now {
			require.Equal(t, want, got)
		}
		if got.Feasible() {
			requirePlan(t, x.s, got, now)
		}
		require.Equal(t, measures(want), measures(got), "%d %d from %d\n%s", amount, at, now,
			draw(x.s, LotRef(lot), x.now))
		taken++
		if len(got.Moves) > 0 && now > x.now {
			searched++
		}
	}
	require.Greater(t, taken, 400)
	require.Greater(t, stale, 400)
	require.Greater(t, searched, 20, "plans that move something, taken over later")
	var none *SearchedReduction
	_, ok := New().ReduceAs(none, 1, 1, 0, 0)
	require.False(t, ok)
}

// measures is what of a plan does not depend on which of several equally good ones it is.
func measures(r Reduction) Reduction {
	r.Slots, r.Ends, r.Moves, r.Blockers = make([]SlotNo, len(r.Slots)), nil, make([]Move, len(r.Moves)),
		make([]ID, len(r.Blockers))
	return r
}

// What happens to other pools does not matter, and all that can happen to the pool does.
func TestAheadOfWhat(t *testing.T) {
	build := func() *Stock {
		s := New()
		for lot := LotNo(1); lot <= 3; lot++ {
			s.AddLot(lot, uint32(lot), 1)
			s.SetPool(lot, PoolNo(1+lot/3))
			for n := range 2 {
				no := SlotNo(2*int(lot) - 1 + n)
				s.PutSlot(Slot{testID(int(no)), no, lot, Span{0, Forever}})
			}
		}
		s.Put(NewHold(testID(10), Span{10, 20}, 0, 0), Place{1, 1})
		s.Put(NewHold(testID(11), Span{30, 40}, 0, 0), Place{1, 2})
		return s
	}
	for name, c := range map[string]struct {
		change func(s *Stock)
		now    int64
		stands bool
	}{
		"nothing":      {func(*Stock) {}, 5, true},
		"another pool": {func(s *Stock) { s.Put(NewHold(testID(12), Span{10, 20}, 0, 0), Place{3, 5}) }, 5, true},
		"a conflict": {func(s *Stock) { s.Put(NewHold(testID(12), Span{10, 20}, 0, 0), Place{Lot: 1}) }, 5,
			true},
		"its pool": {func(s *Stock) { s.Put(NewHold(testID(12), Span{10, 20}, 0, 0), Place{2, 3}) }, 5,
			false},
		"gone and come back": {func(s *Stock) { h, at, _ := s.Find(testID(10)); s.Remove(h.ID); s.Put(h, at) }, 5,
			false},
		"a slot":          {func(s *Stock) { s.PutSlot(Slot{testID(7), 7, 2, Span{0, Forever}}) }, 5, false},
		"an end":          {func(s *Stock) { s.PutSlot(Slot{testID(3), 3, 2, Span{0, 50}}) }, 5, false},
		"a lot":           {func(s *Stock) { s.SetPool(3, 1) }, 5, false},
		"out of the pool": {func(s *Stock) { s.SetPool(1, 0) }, 5, false},
		"time":            {func(*Stock) {}, 10, false},
		"time back":       {func(*Stock) {}, -1, false},
	} {
		s := build()
		a := s.Publish().SearchReduction(1, 1, 25, 0)
		c.change(s)
		r, ok := s.ReduceAs(a, 1, 1, 25, c.now)
		require.Equal(t, c.stands, ok, name)
		if ok {
			require.Equal(t, s.Reduce(1, 1, 25, c.now), r, name)
		}
		_, ok = s.ReduceAs(a, 1, 2, 25, c.now)
		require.False(t, ok, "another amount")
		_, ok = s.ReduceAs(a, 2, 1, 25, c.now)
		require.False(t, ok, "another lot")
		_, ok = s.ReduceAs(a, 1, 1, 26, c.now)
		require.False(t, ok, "another instant")
	}
}

// wishOf are the lots that meet the wish of every choosy hold.
type wishOf map[LotNo]bool

func (w wishOf) Wish(*Hold, int64) (string, func(LotNo) bool) {
	return "", func(no LotNo) bool { return w[no] }
}
func (wishOf) Version() int  { return 0 }
func (wishOf) Pin(ID) SlotNo { return 0 }

// A plan that was made ahead moves a choosy hold only to a lot that still meets its wish.
func TestReduceAheadOfAChangeOfWishes(t *testing.T) {
	s := New()
	for lot := LotNo(1); lot <= 3; lot++ {
		s.AddLot(lot, uint32(lot), 1)
		s.SetPool(lot, 1)
		s.PutSlot(Slot{testID(int(lot)), SlotNo(lot), lot, Span{0, Forever}})
	}
	h := NewHold(testID(10), Span{10, 20}, 0, 0)
	h.Owner, h.Flags = 7, Choosy
	s.Put(h, Place{1, 1})
	s.SetChooser(wishOf{1: true, 2: true})
	a := s.Publish().SearchReduction(1, 1, 5, 5)
	require.Equal(t, []Move{{Hold: h.ID, From: 1, To: 2}}, a.plan.Moves)
	_, ok := s.ReduceAs(a, 1, 1, 5, 5)
	require.True(t, ok)
	s.SetChooser(wishOf{1: true, 3: true})
	_, ok = s.ReduceAs(a, 1, 1, 5, 5)
	require.False(t, ok)
}
