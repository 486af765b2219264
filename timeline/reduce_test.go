package timeline

import (
	"math"
	"math/bits"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// bruteReduce tries every choice of slots that end, of planned ends that go with them, and of holds that are left out, and every way to lay the rest on p, which
// is the lot or its pool. It returns the fewest holds left out and the fewest moves with those, and whether there is any way.
func bruteReduce(s *Stock, p PoolRef, lot LotNo, amount int, at, now int64) (lost, moves int, ok bool) {
	floor := min(now, at)
	slots, list := pieces(s, p, floor, now)
	var current, later uint
	ends := map[int]int{} // slot -> its ending in list
	var out []int         // holds that could become conflicts
	for l, slot := range slots {
		switch {
		case slot.Lot != lot:
		case slot.Span.Start > at:
			later |= 1 << l
		case slot.Span.End > at:
			current |= 1 << l
		}
	}
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
				// An end goes for a slot that is gone by then.
				lawful := true
				for l, slot := range slots {
					e, closed := slot.Span.End, need
					if waived>>l&1 == 0 || e == Forever {
						continue
					}
					ended := 0
					for k := range slots {
						if waived>>k&1 == 1 && slots[k].Span.End <= e {
							ended++
						}
						if (gone&later)>>k&1 == 1 && slots[k].Span.Start <= e {
							closed++
						}
					}
					lawful = lawful && ended <= closed
				}
				if !lawful {
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
	requireStock(t, s, d.Stock(), r)
}

// requireStock checks what a plan did to the count of units: nothing in other lots and before its instant, whatever ends were exchanged; and from then on it
// took as many as it said, until they would have ended.
func requireStock(t *testing.T, was, is *Stock, r Reduction) {
	t.Helper()
	for _, lot := range was.Lots(was.home(&Hold{}, r.Lot)) {
		for at := int64(-1); at < 100; at++ {
			less := was.CountAt(LotRef(lot), at).Stock - is.CountAt(LotRef(lot), at).Stock
			most := 0
			if lot == r.Lot && at >= r.At {
				most = r.Amount
			}
			require.True(t, 0 <= less && less <= most, "lot %d has %d units less at %d\n%s%+v", lot, less, at, draw(was, was.home(&Hold{}, r.Lot), 0), r)
		}
	}
}

func reducible(rnd *rand.Rand, k poolKind) (*testPool, int, int64) {
	x := randomPool(rnd, k)
	at := rnd.Int63n(x.line)
	if rnd.Intn(4) != 0 {
		at = max(x.now, at)
	}
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
		lost, moves, ok := bruteReduce(x.s, LotRef(1), 1, amount, at, x.now)
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

// Lots too large to be swept. Where nothing is pinned there is a plan whenever the count of units that stay suffices, units out or ends planned or not; and
// blockers are as many as the count asks for.
func TestReduceLarge(t *testing.T) {
	rnd := seeded(t)
	kept, lost, minimal, moves := 0, 0, 0, 0
	for i := range 400 {
		slots, line, now := 9+rnd.Intn(12), int64(40), int64(10)
		s := New()
		s.AddLot(1, 1, 1)
		id := 0
		for no := SlotNo(1); int(no) <= slots; no++ {
			span := Span{0, Forever}
			if i%2 == 0 && rnd.Intn(5) == 0 {
				span.End = now + 1 + rnd.Int63n(line)
			}
			s.PutSlot(Slot{testID(int(no)), no, 1, span})
			at := rnd.Int63n(8)
			for out := i%3 == 0; at < line; {
				end := at + 1 + rnd.Int63n(9)
				if end > span.End {
					break
				}
				id++
				h := NewHold(testID(id), Span{at, end}, 0, 0)
				if h.Span.Holds(now) && out && rnd.Intn(2) == 0 {
					h.Flags = Out
				}
				s.Put(h, Place{1, no})
				at = end + rnd.Int63n([]int64{2, 8}[i%2])
			}
		}
		amount := 1 + rnd.Intn(3)
		at := now + []int64{0, rnd.Int63n(15)}[rnd.Intn(2)]
		r := s.Reduce(1, amount, at, now)
		picture := func() string { return draw(s, LotRef(1), now) }
		if !r.Feasible() {
			out := 0
			for slot := range s.PoolSlots(LotRef(1)) {
				if h, ok := s.HoldAt(slot.No, at); ok && h.Flags.Has(Out) {
					out++
				}
			}
			require.Equal(t, PinnedHoldsInTheWay, r.Reason, picture())
			require.Greater(t, out+amount, s.CountAt(LotRef(1), at).Stock-1, picture())
			continue
		}
		requirePlan(t, s, r, now)

		// The count, instant by instant: the earliest ends go.
		var ends []int64
		for slot := range s.PoolSlots(LotRef(1)) {
			if slot.Span.End > at {
				ends = append(ends, slot.Span.End)
			}
		}
		slices.Sort(ends)
		fits := true
		for at := at; at < 2*line; at++ {
			stock := 0
			for _, end := range ends[amount:] {
				if end > at {
					stock++
				}
			}
			fits = fits && s.CountAt(LotRef(1), at).Committed <= stock
		}
		require.Equal(t, fits, r.OK, "lot %d, %d at %d: %v\n%s", i, amount, at, r, picture())
		require.LessOrEqual(t, r.LowerBound, len(r.Moves))
		require.Equal(t, r, s.Reduce(1, amount, at, now))
		if r.OK {
			kept++
			moves += len(r.Moves)
		} else {
			lost++
			require.Equal(t, HoldsExceedRemainingStock, r.Reason)
		}
		if r.Minimal {
			minimal++
		}
	}
	t.Logf("%d keep all holds, with %d moves, %d do not; %d proven minimal", kept, moves, lost, minimal)
	require.NotZero(t, kept)
	require.NotZero(t, lost)
}

// Six slots and 60 holds past the instant, as tight as they come: proven always.
func TestReduceProven(t *testing.T) {
	rnd := seeded(t)
	kept, beyond := 0, 0
	for i := range 150 {
		s := New()
		s.AddLot(1, 1, 1)
		id, slots := 0, 3+rnd.Intn(4)
		for no := SlotNo(1); int(no) <= slots; no++ {
			span := Span{0, Forever}
			if rnd.Intn(6) == 0 {
				span.End = 60 + rnd.Int63n(60)
			}
			s.PutSlot(Slot{testID(int(no)), no, 1, span})
			at := rnd.Int63n(10)
			for n := 0; n < 60/slots; n++ {
				end := at + 1 + rnd.Int63n(9)
				if end > span.End {
					break
				}
				id++
				h := NewHold(testID(id), Span{at, end}, 0, 0)
				if rnd.Intn(20) == 0 {
					h.Flags = []Flags{PinnedSlot, Out}[rnd.Intn(2)]
				}
				s.Put(h, Place{1, no})
				at = end + rnd.Int63n(6+8*int64(i%3))
			}
		}
		r := s.Reduce(1, 1, 0, 0)
		if r.Feasible() {
			requirePlan(t, s, r, 0)
		}
		if !r.OK {
			continue
		}
		kept++
		require.True(t, r.Minimal, "lot %d: %d moves, bound %d\n%s", i, len(r.Moves), r.LowerBound, draw(s, LotRef(1), 0))
		counts := []int{}
		for slot := range s.PoolSlots(LotRef(1)) {
			counts = append(counts, s.HoldCount(slot.No))
		}
		slices.Sort(counts)
		if len(r.Moves) > counts[0] {
			beyond++
		}
	}
	t.Logf("%d plans, all proven; %d need more moves than the emptiest slot has holds", kept, beyond)
	require.NotZero(t, beyond)
}

// What a lot has no room for goes to other lots of its pool.
func TestReducePush(t *testing.T) {
	rnd := seeded(t)
	pushed, partly := 0, 0
	for i := range 4000 {
		k := poolKind{slots: 5, lots: 3, holds: 18, line: 16, pins: []int{0, 15}[i%2], ends: []int{0, 15}[i/2%2]}
		x, amount, at := reducible(rnd, k)
		r := x.s.Reduce(1, amount, at, x.now)
		if !r.Feasible() {
			continue
		}
		requirePlan(t, x.s, r, x.now)
		alone := x.s.Fork()
		alone.SetPool(1, 0)
		own := alone.Reduce(1, amount, at, x.now)
		if own.OK {
			require.Equal(t, own, r)
			continue
		}
		require.LessOrEqual(t, len(r.Blockers), len(own.Blockers), "pool %d\n%s", i, draw(x.s, SKURef(1), x.now))
		if r.OK {
			pushed++
		} else if len(r.Blockers) < len(own.Blockers) {
			partly++
		}
		require.Equal(t, r, x.s.Reduce(1, amount, at, x.now))
	}
	t.Logf("%d plans keep all holds with the pool's help, %d keep more", pushed, partly)
	require.NotZero(t, pushed)
	require.NotZero(t, partly)
}

// What a plan that moves holds to other lots calls its bound, no plan all over the pool goes below that keeps the same holds.
func TestReducePushBound(t *testing.T) {
	rnd := seeded(t)
	done, proven := 0, 0
	for i := 0; done < 1000; i++ {
		k := poolKind{slots: 4, lots: 3, holds: 16, line: 16, pins: []int{0, 15}[i%2], ends: []int{0, 15}[i/2%2]}
		x, amount, at := reducible(rnd, k)
		r := x.s.Reduce(1, amount, at, x.now)
		helped := slices.ContainsFunc(r.Moves, func(m Move) bool {
			slot, _ := x.s.Slot(m.To)
			return slot.Lot != 1
		})
		if _, list := pieces(x.s, SKURef(1), min(x.now, at), x.now); len(list) > 12 || !helped {
			continue
		}
		done++
		kept := x.s.Fork()
		for _, id := range r.Blockers {
			kept.Remove(id)
		}
		lost, moves, ok := bruteReduce(kept, SKURef(1), 1, amount, at, x.now)
		picture := func() string { return draw(x.s, SKURef(1), x.now) }
		require.True(t, ok && lost == 0, "pool %d, %d at %d\n%s%+v", i, amount, at, picture(), r)
		require.LessOrEqual(t, r.LowerBound, moves, "pool %d, %d at %d\n%s%+v", i, amount, at, picture(), r)
		require.Equal(t, r.LowerBound == len(r.Moves), r.Minimal)
		if r.Minimal {
			proven++
		}
	}
	t.Logf("%d plans, %d proven minimal", done, proven)
	require.Greater(t, proven, done/2)
}

// One slot, and its hold has to leave: that is one move, and no plan has fewer.
func TestReducePushOfOne(t *testing.T) {
	s := New()
	for no := LotNo(1); no <= 2; no++ {
		s.AddLot(no, uint32(no), 1)
		s.SetPool(no, 1)
		s.PutSlot(Slot{testID(int(no)), SlotNo(no), no, Span{0, Forever}})
	}
	s.Put(NewHold(testID(11), Span{4, 11}, 0, 0), Place{1, 1})
	r := s.Reduce(1, 1, 0, 0)
	require.True(t, r.OK)
	require.Len(t, r.Moves, 1)
	require.Equal(t, 1, r.LowerBound)
	require.True(t, r.Minimal)
}

// The slot that ends may get the end at which it begins from another one, in the exchange that makes room for a hold which the pool keeps: it is gone, and the
// one that the plan takes.
func TestReducePushEndsABeginning(t *testing.T) {
	s := New()
	for no := LotNo(1); no <= 2; no++ {
		s.AddLot(no, uint32(no), 1)
		s.SetPool(no, 1)
	}
	s.PutSlot(Slot{testID(1), 1, 1, Span{0, Forever}})
	s.PutSlot(Slot{testID(2), 2, 2, Span{0, Forever}})
	s.PutSlot(Slot{testID(3), 3, 1, Span{9, Forever}})
	s.PutSlot(Slot{testID(4), 4, 2, Span{9, Forever}})
	s.Put(NewHold(testID(11), Span{4, 11}, 0, 0), Place{1, 1})
	s.Put(NewHold(testID(12), Span{4, 12}, 0, 0), Place{2, 2})
	s.Put(NewHold(testID(13), Span{9, 10}, 0, 0), Place{1, 3})
	r := s.Reduce(1, 1, 9, 0)
	require.True(t, r.OK)
	require.Equal(t, []SlotNo{3}, r.Slots)
	require.Empty(t, r.Ends)
	requirePlan(t, s, r, 0)
}

// The slot that was to go may get the end at which it begins, before the instant of the plan, while another one gets the plan's end: that one is what the plan
// takes, and the first never was. Else there were a unit more in between.
func TestReducePushLeavesNoUnitMore(t *testing.T) {
	s := New()
	for no := LotNo(1); no <= 2; no++ {
		s.AddLot(no, uint32(no), 1)
		s.SetPool(no, 1)
	}
	s.PutSlot(Slot{testID(1), 1, 1, Span{0, 9}})
	s.PutSlot(Slot{testID(2), 2, 2, Span{0, Forever}})
	s.PutSlot(Slot{testID(3), 3, 1, Span{9, Forever}})
	s.Put(NewHold(testID(11), Span{10, 13}, 0, 0), Place{1, 3})
	s.Put(NewHold(testID(12), Span{5, 11}, 0, 0), Place{2, 2})
	r := s.Reduce(1, 1, 11, 0)
	require.True(t, r.OK)
	require.Len(t, r.Moves, 2)
	requirePlan(t, s, r, 0)
	require.Equal(t, []SlotNo{1}, r.Slots)
	require.Equal(t, []SlotEnd{{3, 9}}, r.Ends)
}

// Where fewer slots are there than are to go, one that begins later goes, too; but an end from before its beginning does not go with it, or there were a unit
// more from that end on.
func TestReduceLaterLeavesNoUnitMore(t *testing.T) {
	s := New()
	s.AddLot(1, 1, 1)
	for i, span := range []Span{{0, 6}, {15, 22}, {1, 10}, {3, Forever}} {
		s.PutSlot(Slot{testID(i + 1), SlotNo(i + 1), 1, span})
	}
	s.Put(NewHold(testID(11), Span{15, 16}, 0, 0), Place{1, 2})
	s.Put(NewHold(testID(12), Span{10, 17}, 0, 0), Place{1, 4})
	s.Put(NewHold(testID(13), Span{1, 6}, 0, 0), Place{1, 3})
	s.Put(NewHold(testID(14), Span{1, 4}, 0, 0), Place{1, 1})
	r := s.Reduce(1, 2, 0, 0)
	require.Len(t, r.Blockers, 1)
	requirePlan(t, s, r, 0)
	require.NotContains(t, r.Slots, SlotNo(2))
}

// A plan from an instant that is past keeps the room that was found for what moves: more of a hold is past when it makes room for one that begins later. Cut
// to the instant of the plan alone, it would meet what lay there before.
func TestReduceFromThePast(t *testing.T) {
	s := New()
	for no := LotNo(1); no <= 2; no++ {
		s.AddLot(no, uint32(no), 1)
		s.SetPool(no, 1)
	}
	s.PutSlot(Slot{testID(1), 1, 1, Span{0, Forever}})
	s.PutSlot(Slot{testID(2), 2, 2, Span{0, Forever}})
	s.PutSlot(Slot{testID(3), 3, 2, Span{0, Forever}})
	s.Put(NewHold(testID(11), Span{6, 11}, 0, 0), Place{1, 1}) // has to go, and only slot 2 can be made free for it
	s.Put(NewHold(testID(12), Span{0, 10}, 0, 0), Place{2, 2})
	s.Put(NewHold(testID(13), Span{0, 5}, 0, 0), Place{2, 3}) // over, and in the way of the one before from 3 on
	stays := NewHold(testID(14), Span{10, 20}, 0, 0)
	stays.Flags = PinnedSlot
	s.Put(stays, Place{2, 3})
	a := s.Publish().ReduceAhead(1, 1, 3, 8)
	r, ok := s.ReduceAs(a, 1, 1, 3, 8)
	require.True(t, ok)
	require.True(t, r.OK)
	require.Equal(t, []Move{{testID(11), 1, 2, 0}, {testID(12), 2, 3, 6}}, r.Moves)
	requirePlan(t, s, r, 8)
}

// Lots that are not laid out: the emptiest slots go, as they would by the long way.
func TestReduceEmptiest(t *testing.T) {
	rnd := seeded(t)
	quick := 0
	for i := range 60 {
		s, slots := New(), 65+rnd.Intn(30)
		s.AddLot(1, 1, 1)
		id, now := 0, int64(10)
		for no := SlotNo(1); int(no) <= slots; no++ {
			span := Span{0, Forever}
			if rnd.Intn(10) == 0 {
				span.End = 20 + rnd.Int63n(30)
			}
			s.PutSlot(Slot{testID(int(no)), no, 1, span})
			for at := rnd.Int63n(20); ; at += 1 + rnd.Int63n(30) {
				end := at + 1 + rnd.Int63n(6)
				if end > min(span.End, 60) {
					break
				}
				id++
				h := NewHold(testID(id), Span{at, end}, 0, 0)
				if h.Span.Holds(now) && rnd.Intn(2) == 0 {
					h.Flags = Out
				}
				s.Put(h, Place{1, no})
				at = end
			}
		}
		amount, at := 1+rnd.Intn(12), now+int64(i%2)*5
		d := s.Draft(now)
		r, ok := d.reduceEmptiest(1, amount, at)
		require.Empty(t, d.Changes())
		long := d.reducer(1, amount, at).plan(nil)
		if !ok {
			continue
		}
		quick++
		require.True(t, r.Minimal)
		require.Len(t, r.Moves, long.moved)
		require.Equal(t, r, s.Reduce(1, amount, at, now))
		requirePlan(t, s, r, now)
	}
	require.NotZero(t, quick)
}
