package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// requireLawful checks that a draft changed nothing that a command may not change.
func requireLawful(t *testing.T, base *Stock, d *Draft, p PoolRef, start int64) {
	t.Helper()
	floor := min(d.now, start)
	f := base.fixityOf(p, start, d.now)
	changes := d.Changes()
	for _, c := range changes.Holds {
		if !c.Had {
			continue
		}
		want := c.Before.Hold
		if want.Seat().Start < floor {
			want = want.WithCut(floor - want.Span.Start)
		}
		bound := f.of(&c.Before.Hold)
		_, single := p.Lot()
		switch {
		case !c.Has || !c.Before.Place.Seated() || !c.After.Place.Seated():
			t.Fatal("a hold came or went")
		case c.Before.Place.Slot == c.After.Place.Slot || c.After.Hold != want:
			t.Fatalf("%v has become %v", c.Before, c.After)
		case bound == fixed:
			t.Fatalf("%v, which is fixed, moved", c.Before)
		case c.Before.Place.Lot != c.After.Place.Lot && (bound != anywhere || single):
			t.Fatalf("%v left its lot", c.Before)
		}
	}
	if len(changes.Slots) == 0 {
		return
	}
	// Ends change hands inside a lot and are neither made nor lost.
	for _, c := range changes.Slots {
		require.True(t, c.Had)
		require.True(t, !c.Has || c.Before.Span.Start == c.After.Span.Start)
	}
	for _, lot := range base.Lots(p) {
		for at := floor; at < 60; at++ {
			require.Equal(t, base.CountAt(LotRef(lot), at).Stock, d.Stock().CountAt(LotRef(lot), at).Stock)
		}
	}
}

// The promise: whatever number comes out, that many succeed and one more is refused; nothing fixed moves. Against
// exhaustive search, with everything that can be fixed.
func TestPromise(t *testing.T) {
	rnd := seeded(t)
	asked, hard, less := 0, 0, 0
	for i := range 40_000 {
		k := poolKind{slots: 4, lots: 1 + i%3, holds: 18, line: 24, pins: []int{0, 12, 40}[i%3],
			ends: []int{0, 30}[i/3%2], conflicts: i / 6 % 2}
		x := randomPool(rnd, k)
		for range 3 {
			p, w := x.ref(rnd), x.window(rnd)
			for range 5 {
				if bruteCount(x.s, p, w) > 0 {
					break
				}
				w = x.window(rnd)
			}
			asked++
			count := max(0, bruteCount(x.s, p, w))
			most := bruteMost(x.s, p, w, x.now, count)
			picture := func() string { return draw(x.s, p, x.now) + short(w) }
			if _, ok := x.s.easy(p, x.s.fixityOf(p, w.Start, x.now), w); !ok {
				hard++
			} else if most != count {
				t.Fatalf("pool %d is easy, but of %d units %d can be seated\n%s", i, count, most, picture())
			}
			if most < count {
				less++
			}
			a := x.s.Available(p, w, x.now)
			if a.Available != most || !a.Exact {
				t.Fatalf("pool %d: %d promised (exact %v), %d possible\n%s", i, a.Available, a.Exact, most, picture())
			}
			d := x.s.Draft(x.now)
			for n := 0; n <= a.Available; n++ {
				_, why := d.Seat(p, NewHold(testID(1000+n), w, 0, 0), Exact)
				want := Granted
				if n == a.Available {
					if want = NotEnoughStock; n < count {
						want = FragmentedByPinnedHolds
					}
				}
				if why != want {
					t.Fatalf("pool %d: %d promised, number %d: %v, want %v\n%s", i, a.Available, n+1, why, want,
						picture())
				}
				if i%16 == 0 {
					require.NoError(t, d.Stock().Check())
				}
			}
			requireLawful(t, x.s, d, p, w.Start)
		}
	}
	t.Logf("%d windows; in %d the pool is not easy, in %d the count is too high", asked, hard, less)
	require.NotZero(t, less)
}

// Large pools, whose lanes are found through the index of gaps: easy ones, so that the count is the answer, filled
// until hardly a gap is left.
func TestPromiseLarge(t *testing.T) {
	rnd := seeded(t)
	moves, seats := 0, 0
	for i := range 60 {
		s := New()
		lots, slots := 1+i%2*4, 40+rnd.Intn(60)
		for l := 1; l <= lots; l++ {
			s.AddLot(LotNo(l), uint32(l), 1)
			s.SetPool(LotNo(l), 1)
		}
		now := int64(30)
		for n := 1; n <= slots; n++ {
			span := Span{0, Forever}
			switch {
			case rnd.Intn(8) == 0:
				span.Start = now + rnd.Int63n(30)
			case lots == 1 && rnd.Intn(8) == 0:
				span.End = now + 20 + rnd.Int63n(60)
			}
			s.PutSlot(Slot{testID(n), SlotNo(n), LotNo(1 + n%lots), span})
		}
		d := s.Draft(now)
		for n := range slots * 12 {
			start := rnd.Int63n(100)
			h := NewHold(testID(n+1), Span{start, start + 1 + rnd.Int63n(14)}, 0, 0)
			if start <= now && rnd.Intn(3) == 0 {
				h.Flags = Out
			}
			if h.Span.End <= now && n%2 == 0 || h.Span.Start < now && h.Span.End > now && h.Flags != Out {
				continue
			}
			d.Seat(SKURef(1), h, []Rule{FirstFit, BestFit}[n%2])
		}
		s = d.Stock()
		for range 12 {
			start := now + rnd.Int63n(70)
			w := Span{start, start + 1 + rnd.Int63n(40)}
			p := []PoolRef{SKURef(1), LotRef(LotNo(1 + rnd.Intn(lots)))}[rnd.Intn(2)]
			f := s.fixityOf(p, w.Start, now)
			_, easy := s.easy(p, f, w)
			require.True(t, easy)
			require.False(t, s.shared(p, f, Span{f.floor, Forever}).Empty())
			a := s.Available(p, w, now)
			free, _, _, _ := s.MinFree(p, w)
			require.Equal(t, max(0, free), a.Available)
			require.True(t, a.Exact)
			try := s.Draft(now)
			for n := range a.Available {
				_, why := try.Seat(p, NewHold(testID(1_000_000+n), w, 0, 0), Exact)
				require.Equal(t, Granted, why, "pool %d, %v: unit %d of %d", i, w, n+1, a.Available)
				seats++
			}
			_, why := try.Seat(p, NewHold(testID(2_000_000), w, 0, 0), Exact)
			require.Equal(t, NotEnoughStock, why)
			requireLawful(t, s, try, p, w.Start)
			moves += len(try.Changes().Holds) - a.Available
			require.Equal(t, try.Changes(), try.Changes())
		}
	}
	t.Logf("%d seats, %d moves", seats, moves)
	require.NotZero(t, moves)
}

// Seating on one slot against exhaustive search.
func TestSeatOn(t *testing.T) {
	rnd := seeded(t)
	granted, refused := 0, 0
	for i := range 12_000 {
		k := poolKind{slots: 4, lots: 1 + i%3, holds: 14, line: 16, pins: []int{0, 15}[i%2], ends: []int{0, 20}[i/2%2]}
		x := randomPool(rnd, k)
		w := x.window(rnd)
		slots, list := pieces(x.s, SKURef(1), min(x.now, w.Start), x.now)
		no := SlotNo(1 + rnd.Intn(x.slots))
		want := false
		for l := range slots {
			if slots[l].No == no {
				want = fits(len(slots), append(list, piece{w, 1 << l, l, 0}))
			}
		}
		d := x.s.Draft(x.now)
		at, why := d.SeatOn(SKURef(1), no, NewHold(testID(1000), w, 0, 0))
		require.Equal(t, want, why == Granted, "pool %d, %s on %d: %v\n%s", i, short(w), no, why,
			draw(x.s, SKURef(1), x.now))
		if want {
			granted++
			require.Equal(t, no, at.Slot)
		} else {
			refused++
			require.Empty(t, d.Changes())
		}
		requireLawful(t, x.s, d, SKURef(1), w.Start)
	}
	t.Logf("%d granted, %d refused", granted, refused)
}

// A seated hold that is given another range stays on its slot where it is bound to it, else goes anywhere; against
// exhaustive search.
func TestReseat(t *testing.T) {
	rnd := seeded(t)
	granted, refused, short1 := 0, 0, 0
	for i := range 20_000 {
		k := poolKind{slots: 4, lots: 1 + i%3, holds: 14, line: 16, pins: []int{0, 25}[i%2], ends: []int{0, 20}[i/2%2],
			conflicts: i / 4 % 2}
		x := randomPool(rnd, k)
		if x.holds == 0 {
			continue
		}
		old, at, ok := x.s.Find(testID(1 + rnd.Intn(x.holds)))
		if !ok || !at.Seated() || old.Span.Open() || old.Span.End <= x.now {
			continue
		}
		h := old.WithSpan(Span{max(0, old.Span.Start-rnd.Int63n(3)), old.Span.End - 1 + rnd.Int63n(6)})
		if h.Seat().Empty() {
			continue
		}
		d := x.s.Draft(x.now)
		to, why := d.Reseat(SKURef(1), h)
		picture := func() string {
			return draw(x.s, SKURef(1), x.now) + old.ID.String() + short(h.Span)
		}
		if why != Granted {
			require.Empty(t, d.Changes())
		} else {
			got, place, _ := d.Find(h.ID)
			require.Equal(t, h, got)
			require.Equal(t, to, place)
		}
		p := SKURef(1)
		rest := x.s.Fork()
		rest.Remove(old.ID)
		slots, list := pieces(rest, p, min(x.now, h.Seat().Start), x.now)
		on := uint(1)<<len(slots) - 1
		if h.Flags.Has(PinnedArticle) { // others may go from there to the rest of the pool
			for l := range slots {
				if slots[l].Lot != at.Lot {
					on &^= 1 << l
				}
			}
		}
		if h.Flags.Any(Out | PinnedSlot) {
			for l := range slots {
				if slots[l].No == at.Slot {
					on = 1 << l
				}
			}
		}
		want := fits(len(slots), append(list, piece{h.Seat(), on, -1, 0}))
		require.Equal(t, want, why == Granted, "pool %d: %v\n%s", i, why, picture())
		if want {
			granted++
		} else {
			refused++
			if !rest.Full(p, h.Seat()) {
				short1++
			}
		}
		rest = d.Stock().Fork()
		require.NoError(t, rest.Check())
	}
	t.Logf("%d granted, %d refused, %d of them for what may not move", granted, refused, short1)
	require.NotZero(t, short1)
}

func TestFullIsWhenNoSlotIsFree(t *testing.T) {
	rnd := seeded(t)
	for i := range 4000 {
		x := randomPool(rnd,
			poolKind{slots: []int{3, 50}[i%2], lots: 3, holds: []int{14, 300}[i%2], line: 24, ends: 20, conflicts: 2})
		p, w := x.ref(rnd), x.window(rnd)
		want := false
		for at := w.Start; at < min(w.End, 100); at++ {
			free := 0
			for slot := range x.s.PoolSlots(p) {
				if _, ok := x.s.FreeAround(slot.No, at); ok {
					free++
				}
			}
			want = want || free == 0
		}
		require.Equal(t, want, x.s.Full(p, w))
	}
}

// A long room over many short holds takes many exchanges; nothing is fixed, so there is always a next one.
func TestLongWalk(t *testing.T) {
	rnd := seeded(t)
	for _, slots := range []int{2, 5, 40} {
		s := New()
		s.AddLot(1, 1, 1)
		for n := 1; n <= slots; n++ {
			s.PutSlot(Slot{testID(n), SlotNo(n), 1, Span{0, Forever}})
		}
		// As many at once as leave one slot free, each on any slot that has room.
		ends, id := make([]int64, slots-1), 0
		for at := int64(0); at < 2000; at++ {
			for i := range ends {
				if ends[i] > at || rnd.Intn(3) == 0 {
					continue
				}
				span := Span{at, at + 1 + rnd.Int63n(6)}
				list := freeSlots(s, LotRef(1), span)
				if len(list) == 0 {
					continue
				}
				ends[i] = span.End
				id++
				s.Put(NewHold(testID(id), span, 0, 0), Place{1, list[rnd.Intn(len(list))]})
			}
		}
		room := Span{3, 2000}
		require.Zero(t, s.FreeThroughout(LotRef(1), room))
		require.Equal(t, 1, s.Available(LotRef(1), room, 0).Available)
		d := s.Draft(0)
		_, why := d.Seat(LotRef(1), NewHold(testID(1_000_000), room, 0, 0), Exact)
		require.Equal(t, Granted, why)
		require.NoError(t, d.Stock().Check())
		t.Logf("%d slots, %d holds: %d moves", slots, id, len(d.Changes().Holds)-1)
	}
}
