package timeline

import (
	"math"
	"math/bits"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// bruteReduce tries every choice of slots that end, of planned ends that go with them, and of holds that are left out, and every way to lay the rest. It returns
// the fewest holds left out and the fewest moves with those, and whether there is any way.
func bruteReduce(s *Stock, lot LotNo, amount int, at, now int64) (lost, moves int, ok bool) {
	floor := min(now, at)
	slots, list := pieces(s, LotRef(lot), floor, now)
	var current, later uint
	ends := map[int]int{} // slot -> its ending in list
	var out []int         // holds that could become conflicts
	for l, slot := range slots {
		switch {
		case slot.Span.Start > at:
			later |= 1 << l
		case slot.Span.End > at:
			current |= 1 << l
		}
	}
	at2hold := map[int]Hold{}
	i := 0
	for l, slot := range slots { // in the order in which pieces made them
		if slot.Span.Start > floor {
			i++
		}
		if !slot.Span.Open() {
			ends[l] = i
			i++
		}
		for h := range s.Holds(slot.No, Span{floor, Forever}) {
			if !h.Flags.Has(Out) && h.Span.End > now {
				out = append(out, i)
				at2hold[i] = h
			}
			i++
		}
	}
	need := min(amount, bits.OnesCount(current))
	more := amount - need
	if more > bits.OnesCount(later) {
		return 0, 0, false
	}
	try := func(left uint) (int, bool) {
		best, found := math.MaxInt, false
		for gone := uint(0); gone < 1<<len(slots); gone++ {
			if gone&^(current|later) != 0 || bits.OnesCount(gone&current) != need || bits.OnesCount(gone&later) != more {
				continue
			}
			for waived := uint(0); waived < 1<<len(slots); waived++ {
				if waived&^(current|later) != 0 || bits.OnesCount(waived) != amount {
					continue
				}
				skip := map[int]bool{}
				for k, j := range out {
					skip[j] = left>>k&1 == 1
				}
				for l := range slots {
					if e, ok := ends[l]; ok && waived>>l&1 == 1 {
						skip[e] = true
					}
				}
				var rest []piece
				for j, x := range list {
					if !skip[j] {
						rest = append(rest, x)
					}
				}
				for l, slot := range slots {
					if gone>>l&1 == 1 {
						rest = append(rest, piece{Span{max(at, slot.Span.Start), Forever}, 1 << l, l, 0})
					}
				}
				if cost, ok := cheapest(len(slots), rest, best, false); ok {
					best, found = cost, true
				}
			}
		}
		return best, found
	}
	for lost = 0; lost <= len(out); lost++ {
		best, found := math.MaxInt, false
		for left := uint(0); left < 1<<len(out); left++ {
			if bits.OnesCount(left) != lost {
				continue
			}
			if cost, ok := try(left); ok {
				best, found = min(best, cost), true
			}
		}
		if found {
			return lost, best, true
		}
	}
	return 0, 0, false
}

// requirePlan applies a plan and checks that it does what it says, and nothing else.
func requirePlan(t *testing.T, s *Stock, r Reduction, now int64) {
	t.Helper()
	d := s.Draft(now)
	d.ApplyReduction(r)
	require.NoError(t, d.Stock().Check())
	moved := map[ID]Move{}
	for _, m := range r.Moves {
		moved[m.Hold] = m
	}
	require.Len(t, moved, len(r.Moves))
	for _, c := range d.Changes().Holds {
		require.True(t, c.Had && c.Has)
		if !c.After.Place.Seated() {
			require.Contains(t, r.Blockers, c.ID())
			require.Equal(t, r.Lot, c.After.Place.Lot)
			require.False(t, c.Before.Flags.Has(Out))
			continue
		}
		m := moved[c.ID()]
		require.Equal(t, Move{c.ID(), c.Before.Place.Slot, c.After.Place.Slot, c.After.Cut()}, m)
		require.NotEqual(t, m.From, m.To)
		require.False(t, c.Before.Flags.Any(Out|PinnedSlot) || c.Before.Span.End <= now, "a fixed hold moved")
		require.Zero(t, c.Before.Flags.Has(PinnedArticle) && c.Before.Place.Lot != c.After.Place.Lot)
		delete(moved, c.ID())
	}
	require.Empty(t, moved)
	was, is := s.CountAt(LotRef(r.Lot), r.At).Stock, d.Stock().CountAt(LotRef(r.Lot), r.At).Stock
	require.Equal(t, max(0, was-r.Amount), is)
	require.Len(t, r.Slots, r.Amount, "%s%+v", draw(s, LotRef(r.Lot), now), r)
}

func reducible(rnd *rand.Rand, k poolKind) (*testPool, int, int64) {
	x := randomPool(rnd, k)
	at := max(x.now, rnd.Int63n(x.line))
	if rnd.Intn(2) == 0 {
		at = x.now
	}
	return x, 1 + rnd.Intn(3), at
}

// Plans of small lots against every plan there is: the fewest moves, proven as such; the fewest blockers.
func TestReduceBrute(t *testing.T) {
	rnd := seeded(t)
	done, plans, refused := 0, 0, 0
	for i := 0; done < 2500; i++ {
		k := poolKind{slots: 4, lots: 1, holds: 16, line: 16, pins: []int{0, 0, 20}[i%3], ends: []int{0, 25}[i/3%2]}
		x, amount, at := reducible(rnd, k)
		if _, list := pieces(x.s, LotRef(1), min(x.now, at), x.now); len(list) > 11 {
			continue
		}
		done++
		r := x.s.Reduce(1, amount, at, x.now)
		lost, moves, ok := bruteReduce(x.s, 1, amount, at, x.now)
		picture := func() string { return draw(x.s, LotRef(1), x.now) }
		if !ok {
			if r.OK || r.Feasible() {
				t.Fatalf("lot %d, %d at %d: planned, impossible\n%s%+v", i, amount, at, picture(), r)
			}
			refused++
			continue
		}
		if !r.Feasible() {
			t.Fatalf("lot %d, %d at %d: no plan, possible with %d lost, %d moves\n%s%+v", i, amount, at, lost, moves, picture(), r)
		}
		requirePlan(t, x.s, r, x.now)
		if r.OK != (lost == 0) || len(r.Blockers) != lost {
			t.Fatalf("lot %d, %d at %d: %d blockers, want %d\n%s%+v", i, amount, at, len(r.Blockers), lost, picture(), r)
		}
		if r.OK {
			plans++
			if len(r.Moves) != moves || !r.Minimal || r.LowerBound != moves {
				t.Fatalf("lot %d, %d at %d: %d moves, want %d\n%s%+v", i, amount, at, len(r.Moves), moves, picture(), r)
			}
		}
		again := x.s.Reduce(1, amount, at, x.now)
		require.Equal(t, r, again)
	}
	t.Logf("%d lots: %d plans that keep all, %d impossible", done, plans, refused)
}
