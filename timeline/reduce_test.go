package timeline

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// bruteReduce tries every way in which the slots of a lot can have the planned ends and as many more as are to go,
// which holds are left out, and every way to lay the rest on p, which is the lot or its pool. It returns the fewest
// holds left out and the fewest moves with those, and whether there is any way.
func bruteReduce(s *Stock, p PoolRef, lot LotNo, amount int, at, now int64) (lost, moves int, ok bool) {
	floor := min(now, at)
	slots, list := pieces(s, p, floor, now)
	var ours uint
	var out []int // holds that could become conflicts
	i := 0
	for l, slot := range slots { // in the order in which pieces made them
		if slot.Lot == lot {
			ours |= 1 << l
		}
		if slot.Span.Start > floor {
			i++
		}
		if !slot.Span.Open() {
			i++
		}
		for h := range s.Holds(slot.No, Span{floor, Forever}) {
			if !h.Flags.Has(Out) && h.Span.End > now {
				out = append(out, i)
			}
			i++
		}
	}
	for range amount {
		list = append(list, piece{Span{at, Forever}, ours, -1, 0})
	}
	try := func(left uint) (int, bool) {
		skip := map[int]bool{}
		for k, j := range out {
			skip[j] = left>>k&1 == 1
		}
		var rest []piece
		for j, x := range list {
			if !skip[j] {
				rest = append(rest, x)
			}
		}
		return cheapest(len(slots), rest, math.MaxInt, false)
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
			require.Equal(t, c.Before.Place.Lot, c.After.Place.Lot)
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
	require.Len(t, r.Slots, r.Amount, "%s%+v", draw(s, LotRef(r.Lot), now), r)
	requireStock(t, s, d.Stock(), r)
}

// requireStock checks what a plan did to the count of units: nothing in other lots and before its instant, whatever
// ends were exchanged; and from then on it took as many as it said, at every instant.
func requireStock(t *testing.T, was, is *Stock, r Reduction) {
	t.Helper()
	for _, lot := range was.Lots(was.Home(&Hold{}, r.Lot)) {
		for at := int64(-1); at < 200; at++ {
			less, want := was.CountAt(LotRef(lot), at).Stock-is.CountAt(LotRef(lot), at).Stock, 0
			if lot == r.Lot && at >= r.At {
				want = r.Amount
			}
			require.Equal(t, want, less, "lot %d at %d\n%s%+v", lot, at, draw(was, was.Home(&Hold{}, r.Lot), 0), r)
		}
	}
}

// requireEnough checks what a plan says of the number of units alone, instant by instant.
func requireEnough(t *testing.T, s *Stock, r Reduction) {
	t.Helper()
	from := Forever
	for at := int64(200); at >= r.At && s.CountAt(LotRef(r.Lot), at).Stock >= r.Amount; at-- {
		from = at
	}
	if from == r.At {
		require.NotEqual(t, NotEnoughStock, r.Reason, "%s%+v", draw(s, LotRef(r.Lot), 0), r)
		return
	}
	require.Equal(t, Reduction{Lot: r.Lot, Amount: r.Amount, At: r.At, Reason: NotEnoughStock, PossibleFrom: from,
		Minimal: true}, r, draw(s, LotRef(r.Lot), 0))
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
	for i := 0; done < 1000; i++ {
		k := poolKind{slots: 4, lots: 1, holds: 16, line: 16, pins: []int{0, 0, 20}[i%3], ends: []int{0, 25}[i/3%2]}
		x, amount, at := reducible(rnd, k)
		if _, list := pieces(x.s, LotRef(1), min(x.now, at), x.now); len(list) > 11 {
			continue
		}
		done++
		r := x.s.Reduce(1, amount, at, x.now)
		requireEnough(t, x.s, r)
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
			t.Fatalf("lot %d, %d at %d: no plan, possible with %d lost, %d moves\n%s%+v", i, amount, at, lost, moves,
				picture(), r)
		}
		requirePlan(t, x.s, r, x.now)
		if r.OK != (lost == 0) || len(r.Blockers) != lost {
			t.Fatalf("lot %d, %d at %d: %d blockers, want %d\n%s%+v", i, amount, at, len(r.Blockers), lost, picture(),
				r)
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

// Lots too large to be swept. Where nothing is pinned there is a plan whenever the count of units that stay suffices,
// units out or ends planned or not; and blockers are as many as the count asks for.
func TestReduceLarge(t *testing.T) {
	rnd := seeded(t)
	kept, lost, minimal, moves := 0, 0, 0, 0
	for i := range 150 {
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
		requireEnough(t, s, r)
		if !r.Feasible() {
			out := 0
			for slot := range s.PoolSlots(LotRef(1)) {
				if h, ok := held(s.slot(slot.No).rail.at(at)); ok && h.Flags.Has(Out) {
					out++
				}
			}
			require.Equal(t, PinnedHoldsInTheWay, r.Reason, picture())
			require.Greater(t, out+amount, s.CountAt(LotRef(1), at).Stock-1, picture())
			continue
		}
		requirePlan(t, s, r, now)

		fits := true
		for t := at; t < 2*line; t++ {
			n := s.CountAt(LotRef(1), t)
			fits = fits && n.Committed <= n.Stock-amount
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

// fewestBlockers is how many holds of a lot without pinned ones must go, by the rule itself: at each instant, while
// more overlap than slots remain, the one goes that ends last. Units that are out stay.
func fewestBlockers(s *Stock, amount int, at int64) (n int) {
	var left []Hold
	for _, no := range s.Slots(1) {
		left = slices.AppendSeq(left, s.Holds(no, Span{at, 200}))
	}
	for t := at; t < 200; t++ {
		for {
			over, last := amount-s.CountAt(LotRef(1), t).Stock, -1
			for i, h := range left {
				if !h.Span.Holds(t) {
					continue
				}
				over++
				if !h.Flags.Has(Out) && (last < 0 || h.Span.End > left[last].Span.End) {
					last = i
				}
			}
			if over <= 0 {
				break
			}
			left = slices.Delete(left, last, last+1)
			n++
		}
	}
	return n
}

// Lots of too many slots to look at all for each hold. Where nothing is pinned there is a plan whenever the count
// suffices, and with any plan everything is on one slot or a blocker.
func TestReduceWide(t *testing.T) {
	rnd := seeded(t)
	kept, lost, pinned := 0, 0, 0
	for i := range 20 {
		slots, now := boardLanes+1+rnd.Intn(40), int64(10)
		s := New()
		s.AddLot(1, 1, 1)
		for no := SlotNo(1); int(no) <= slots; no++ {
			span := Span{0, Forever}
			switch rnd.Intn(30 / (1 + i%2)) {
			case 0:
				span.End = 20 + rnd.Int63n(80)
			case 1:
				span.Start = 20 + rnd.Int63n(60)
			}
			s.PutSlot(Slot{testID(int(no)), no, 1, span})
		}
		some := i%4 == 3
		for id := range slots * (2 + rnd.Intn(8)) {
			at := rnd.Int63n(100)
			h := NewHold(testID(1000+id), Span{at, at + 1 + rnd.Int63n(20)}, 0, 0)
			if h.Span.Holds(now) && rnd.Intn(2) == 0 {
				h.Flags = Out
			} else if some && rnd.Intn(10) == 0 {
				h.Flags = PinnedSlot
			}
			if no, ok := s.TightGap(LotRef(1), h.Span); ok {
				s.Put(h, Place{1, no})
			}
		}
		amount, at := 1+rnd.Intn(slots), now+rnd.Int63n(60)
		if i%4 == 0 {
			amount = 1 + rnd.Intn(9)
		}
		r := s.Reduce(1, amount, at, now)
		requireEnough(t, s, r)
		if !r.Feasible() {
			continue
		}
		requirePlan(t, s, r, now)
		require.LessOrEqual(t, r.LowerBound, len(r.Moves))
		fits := true
		for t := at; t < 200; t++ {
			n := s.CountAt(LotRef(1), t)
			fits = fits && n.Committed <= n.Stock-amount
		}
		switch {
		case some:
			require.True(t, fits || !r.OK)
			pinned++
			continue
		case r.OK:
			kept++
		default:
			lost++
		}
		require.Equal(t, fits, r.OK, "%d of %d at %d: %s", amount, slots, at, r.Reason)
		require.Len(t, r.Blockers, fewestBlockers(s, amount, at))
	}
	t.Logf("%d keep all holds, %d do not; %d with pinned ones", kept, lost, pinned)
	require.NotZero(t, kept)
	require.NotZero(t, lost)
	require.NotZero(t, pinned)
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
		require.True(t, r.Minimal, "lot %d: %d moves, bound %d\n%s", i, len(r.Moves), r.LowerBound,
			draw(s, LotRef(1), 0))
		counts := []int{}
		for slot := range s.PoolSlots(LotRef(1)) {
			counts = append(counts, s.slot(slot.No).rail.len())
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
	for i := range 1500 {
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

// One hold of another lot stands in the way of two of the lot's own, which can go where it lies.
func TestReducePushNamesOneOfAnotherLot(t *testing.T) {
	s := New()
	for no := LotNo(1); no <= 2; no++ {
		s.AddLot(no, uint32(no), 1)
		s.SetPool(no, 1)
		s.PutSlot(Slot{testID(int(no)), SlotNo(no), no, Span{0, Forever}})
	}
	s.Put(NewHold(testID(11), Span{0, 5}, 0, 0), Place{1, 1})
	s.Put(NewHold(testID(12), Span{10, 15}, 0, 0), Place{1, 1})
	s.Put(NewHold(testID(13), Span{4, 11}, 0, 0), Place{2, 2})
	r := s.Reduce(1, 1, 0, 0)
	require.False(t, r.OK)
	require.Equal(t, HoldsExceedRemainingStock, r.Reason)
	require.Equal(t, []ID{testID(13)}, r.Blockers)
	require.Len(t, r.Moves, 2)
	requirePlan(t, s, r, 0)
	d := s.Draft(0)
	d.ApplyReduction(r)
	_, at, _ := d.Stock().Find(testID(13))
	require.Equal(t, Place{Lot: 2}, at, "it is a conflict of the lot on which it was")
}

// Where all may move, the blockers are the fewest that any plan all over the pool has.
func TestReducePushNamesTheFewest(t *testing.T) {
	rnd := seeded(t)
	done, several, foreign := 0, 0, 0
	for i := 0; done < 400; i++ {
		k := poolKind{slots: 4, lots: 2, holds: 12, line: 16, pins: []int{0, 15}[i%2], ends: []int{0, 15}[i/2%2]}
		x, amount, at := reducible(rnd, k)
		r := x.s.Reduce(1, amount, at, x.now)
		if _, list := pieces(x.s, SKURef(1), min(x.now, at), x.now); len(list) > 12 || !r.Feasible() || r.OK {
			continue
		}
		lost, _, ok := bruteReduce(x.s, SKURef(1), 1, amount, at, x.now)
		picture := func() string { return draw(x.s, SKURef(1), x.now) }
		require.True(t, ok, "pool %d", i)
		require.LessOrEqual(t, lost, len(r.Blockers), "pool %d, %d at %d\n%s%+v", i, amount, at, picture(), r)
		if k.pins > 0 {
			continue
		}
		done++
		require.Equal(t, lost, len(r.Blockers), "pool %d, %d at %d\n%s%+v", i, amount, at, picture(), r)
		if lost > 1 {
			several++
		}
		for _, id := range r.Blockers {
			if _, at, _ := x.s.Find(id); at.Lot != 1 {
				foreign++
			}
		}
	}
	t.Logf("%d plans, %d with several blockers, %d of them of another lot", done, several, foreign)
	require.NotZero(t, several)
	require.NotZero(t, foreign)
}

// What a plan that moves holds to other lots calls its bound, no plan all over the pool goes below that keeps the same
// holds.
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

// The slot that ends may get the end at which it begins from another one, in the exchange that makes room for a hold
// which the pool keeps: it is gone, and the one that the plan takes.
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

// The slot that was to go may get the end at which it begins, before the instant of the plan, while another one gets
// the plan's end: that one is what the plan takes, and the first never was. Else there were a unit more in between.
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

// A slot that begins later does not stand in for one that is to go before: the plan is refused, and says from when on
// there are as many.
func TestReduceWantsStockAtEveryInstant(t *testing.T) {
	s := New()
	s.AddLot(1, 1, 1)
	for i, span := range []Span{{0, 6}, {15, 22}, {1, 10}, {3, Forever}, {22, Forever}} {
		s.PutSlot(Slot{testID(i + 1), SlotNo(i + 1), 1, span})
	}
	for _, c := range []struct {
		amount   int
		at, from int64
	}{{1, 0, 0}, {2, 0, 15}, {2, 1, 15}, {2, 15, 15}, {2, 22, 22}, {3, 0, Forever}, {1, 10, 10}} {
		r := s.Reduce(1, c.amount, c.at, 0)
		requireEnough(t, s, r)
		if c.from > c.at {
			require.Equal(t, c.from, r.PossibleFrom)
			r = s.Reduce(1, c.amount, min(c.from, 1000), 0)
		}
		if c.from < Forever {
			require.True(t, r.OK)
			requirePlan(t, s, r, 0)
		}
	}
}

// Planned decreases add up, in whatever order they are entered: each leaves the quantity lower from its instant on,
// beside all others.
func TestReductionsAddUp(t *testing.T) {
	rnd := seeded(t)
	for range 300 {
		type change struct {
			amount int
			at     int64
		}
		var list []change
		units := 0
		for range 2 + rnd.Intn(3) {
			c := change{1 + rnd.Intn(2), rnd.Int63n(5) * 10}
			list, units = append(list, c), units+c.amount
		}
		slots := []int{units, 70}[rnd.Intn(2)] // large lots have their own way
		for range 3 {
			s := wideLot(slots)
			rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for _, c := range list {
				r := s.Reduce(1, c.amount, c.at, 0)
				require.True(t, r.OK, "%+v: %+v", list, r)
				d := s.Draft(0)
				d.ApplyReduction(r)
				s = d.Stock().Publish()
			}
			for at := int64(0); at < 60; at++ {
				want := slots
				for _, c := range list {
					if c.at <= at {
						want -= c.amount
					}
				}
				require.Equal(t, want, s.CountAt(LotRef(1), at).Stock, "%+v at %d", list, at)
			}
			require.NoError(t, s.Check())
		}
	}
}

// A decrease at the instant at which units come calls those off, where that costs no more moves than to end others.
func TestReduceCallsOffWhatBegins(t *testing.T) {
	for _, slots := range []int{1, 7, 20, 90} {
		s := wideLot(slots)
		for no := SlotNo(1000); no < 1003; no++ {
			s.PutSlot(Slot{testID(int(no)), no, 1, Span{30, Forever}})
		}
		r := s.Reduce(1, 2, 30, 0)
		require.Equal(t, []SlotNo{1001, 1002}, r.Slots, slots)
		require.Empty(t, r.Ends)
		requirePlan(t, s, r, 0)
		require.Equal(t, slots+1, func() int { d := s.Draft(0); d.ApplyReduction(r); return len(d.Stock().Slots(1)) }())
	}
}

// An end that a slot hands on goes to one that has no use for what lies behind it, in small lots and in those that are
// not laid out.
func TestReduceHandsOnEnds(t *testing.T) {
	for _, slots := range []int{2, 12, 80} {
		s := New()
		s.AddLot(1, 1, 1)
		for no := SlotNo(1); int(no) <= slots; no++ {
			end := int64(100)
			if no == 1 {
				end = Forever
			}
			s.PutSlot(Slot{testID(int(no)), no, 1, Span{0, end}})
		}
		s.Put(NewHold(testID(1001), Span{10, 20}, 0, 0), Place{1, 1})
		r := s.Reduce(1, 1, 5, 0)
		require.True(t, r.OK)
		require.Empty(t, r.Moves)
		require.Equal(t, []SlotEnd{{1, 100}}, r.Ends)
		requirePlan(t, s, r, 0)
	}
}

// A plan from an instant that is past keeps the room that was found for what moves: more of a hold is past when it
// makes room for one that begins later. Cut to the instant of the plan alone, it would meet what lay there before.
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
	a := s.Publish().SearchReduction(1, 1, 3, 8)
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
		if s.enough(1, amount, at) > at {
			continue
		}
		r, ok := d.reduceEmptiest(1, amount, at)
		require.Empty(t, d.Changes())
		long := d.reducer(LotRef(1), 1, amount, at).plan(nil)
		if !ok {
			continue
		}
		quick++
		require.True(t, r.Minimal)
		require.LessOrEqual(t, len(r.Moves), long.moved)
		require.Equal(t, r, s.Reduce(1, amount, at, now))
		requirePlan(t, s, r, now)
	}
	require.NotZero(t, quick)
}

// Where as many slots of a large lot are idle from the instant on, those go of them that begin just then, and those end
// that were taken last.
func TestReduceIdle(t *testing.T) {
	rnd := seeded(t)
	quick, begun := 0, 0
	for world := range 160 {
		s, slots := New(), 65+rnd.Intn(60)
		s.AddLot(1, 1, 1)
		id, now := 0, int64(10)
		for no := SlotNo(1); int(no) <= slots; no++ {
			span := Span{[]int64{0, now, now + 5, now + 10}[rnd.Intn(4)], Forever}
			if rnd.Intn(4) == 0 && (world%2 == 0 || span.Start < now) {
				span.End = span.Start + 1 + rnd.Int63n(30)
			}
			s.PutSlot(Slot{testID(int(no)), no, 1, span})
			for at := span.Start + rnd.Int63n(20); rnd.Intn(3) > 0; at += 1 + rnd.Int63n(30) {
				end := at + 1 + rnd.Int63n(6)
				if end > span.End {
					break
				}
				id++
				s.Put(NewHold(testID(id), Span{at, end}, 0, 0), Place{1, no})
				at = end
			}
		}
		amount, at := 1+rnd.Intn(12), now+int64(rnd.Intn(3))*5
		type idle struct {
			no    SlotNo
			since int64 // at+1: it begins just then
		}
		var all []idle
		handsOn := 0 // those of them that begin just then, and have an end
		for slot := range s.PoolSlots(LotRef(1)) {
			since, busy := slot.Span.Start, slot.Span.Start > at
			for h := range s.Holds(slot.No, Span{0, Forever}) {
				since, busy = max(since, h.Span.End), busy || h.Span.End > at
			}
			if slot.Span.Start == at {
				since++
			}
			if !busy && slot.Span.End == Forever {
				all = append(all, idle{slot.No, since})
			} else if !busy && since > at {
				handsOn++
			}
		}
		slices.SortFunc(all,
			func(x, y idle) int { return cmp.Or(cmp.Compare(y.since, x.since), cmp.Compare(y.no, x.no)) })
		r, ok := s.Draft(now).reduceIdle(1, amount, at)
		if handsOn > 0 {
			continue // which of them is met first is not settled
		}
		require.Equal(t, s.large(LotRef(1)) != nil && len(all) >= amount, ok)
		if !ok {
			continue
		}
		quick++
		if all[0].since > at && all[amount-1].since == at {
			begun++
		}
		var want []SlotNo
		for _, x := range all[:amount] {
			want = append(want, x.no)
		}
		slices.Sort(want)
		require.Equal(t, want, r.Slots)
		require.Equal(t, r, s.Reduce(1, amount, at, now))
		requirePlan(t, s, r, now)
	}
	require.Greater(t, quick, 20)
	require.NotZero(t, begun)
}
