package timeline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// After a pass no conflict that overlaps what was freed could be seated, by exhaustive search; those that were are
// seated lawfully, and nothing fixed moved.
func TestSeatConflicts(t *testing.T) {
	rnd := seeded(t)
	seated, again := 0, 0
	for i := range 12_000 {
		k := poolKind{slots: 4, lots: 3, holds: 14, line: 16, pins: []int{0, 20}[i%2], ends: []int{0, 20}[i/2%2]}
		x := randomPool(rnd, k)
		var freed Freed
		for slot := range x.s.PoolSlots(SKURef(1)) { // the last hold of some slot goes
			for h := range x.s.Holds(slot.No, Span{x.now, Forever}) {
				freed = Freed{slot.Lot, h.Span}
				if rnd.Intn(3) == 0 {
					break
				}
			}
		}
		if freed.Span.Empty() {
			continue
		}
		for range 1 + rnd.Intn(4) {
			start := max(0, freed.Span.Start-3) + rnd.Int63n(8)
			x.holds++
			c := NewHold(testID(x.holds), Span{start, start + 1 + rnd.Int63n(6)}, 0, 0)
			if rnd.Intn(3) == 0 {
				c.Flags |= PinnedArticle
			}
			x.s.Put(c, Place{Lot: LotNo(1 + rnd.Intn(x.lots))})
		}
		s := x.s.Fork()
		for slot := range x.s.PoolSlots(SKURef(1)) {
			for h := range x.s.Holds(slot.No, freed.Span) {
				if h.Span == freed.Span && slot.Lot == freed.Lot {
					s.Remove(h.ID)
				}
			}
		}
		d := s.Draft(x.now)
		looks := 1000
		waiting, _, all := d.wanting(Waiting{Room: []Freed{freed}}, &looks, nil)
		require.True(t, all)
		r := d.SeatConflicts(Waiting{Room: []Freed{freed}}, 1000, nil)
		require.False(t, r.More)
		seated += len(r.Seated)
		if r.Tries > len(waiting) {
			again++
		}
		require.NoError(t, d.Stock().Check())
		f := s.fixityOf(SKURef(1), x.now, x.now)
		for _, c := range d.Changes().Holds {
			require.True(t, c.Had && c.Has && c.After.Place.Seated())
			if !c.Before.Place.Seated() {
				require.Contains(t, r.Seated, c.ID())
				require.Equal(t, c.Before.Hold.WithCut(max(0, x.now-c.Before.Span.Start)), c.After.Hold)
				require.True(t, c.Before.Place.Lot == c.After.Place.Lot || !c.Before.Flags.Has(PinnedArticle))
				continue
			}
			require.NotEqual(t, fixed, f.of(&c.Before.Hold))
			require.True(t, c.Before.Place.Lot == c.After.Place.Lot || f.of(&c.Before.Hold) == anywhere)
		}
		for c := range d.Stock().ConflictsIn(SKURef(1), freed.Span) {
			_, at, _ := d.Find(c.ID)
			if c.Span.End <= x.now || c.Flags.Has(PinnedArticle) && at.Lot != freed.Lot {
				continue
			}
			room := Span{max(c.Span.Start, x.now), c.Span.End}
			if bruteMost(d.Stock(), d.Stock().Home(&c, at.Lot), room, x.now, 1) == 1 {
				t.Fatalf("pool %d: %s freed on lot %d, conflict %d still fits\n%s", i, short(freed.Span), freed.Lot,
					c.ID[15], draw(d.Stock(), SKURef(1), x.now))
			}
		}
	}
	t.Logf("%d seated, %d passes began again", seated, again)
	require.NotZero(t, again)
}

// A pass stops when its tries run out, and says where the next one goes on.
func TestSeatConflictsBounded(t *testing.T) {
	s := New()
	s.AddLot(1, 1, 1)
	s.PutSlot(Slot{testID(1), 1, 1, Span{0, Forever}})
	for n := range 10 {
		s.Put(NewHold(testID(10+n), Span{int64(n), int64(n) + 1}, 0, 0), Place{Lot: 1})
	}
	d, w, seated := s.Draft(0), Waiting{Room: []Freed{{1, Span{0, Forever}}}}, 0
	for pass := 0; ; pass++ {
		r := d.SeatConflicts(w, 4, nil)
		seated += len(r.Seated)
		if w = r.Next; !r.More {
			require.Equal(t, 2, pass)
			break
		}
		require.Equal(t, 4, r.Tries)
	}
	require.Equal(t, 10, seated)
	require.Zero(t, d.Stock().ConflictLen())
}

// Many conflicts that want nothing of what came free, or want it, are gone through in passes, none of which looks at
// many; they come to what one pass without bounds does.
func TestSeatConflictsInPassesIsAsInOne(t *testing.T) {
	rnd := seeded(t)
	passes, seated := 0, 0
	for i := range 60 {
		k := poolKind{slots: 6, lots: 3, holds: 14, line: 60, pins: []int{0, 20}[i%2]}
		x := randomPool(rnd, k)
		for range 3000 {
			start := rnd.Int63n(300)
			if rnd.Intn(20) == 0 {
				start = rnd.Int63n(60)
			}
			x.holds++
			c := NewHold(testID(x.holds), Span{start, start + 1 + rnd.Int63n(6)}, 0, 0)
			if rnd.Intn(3) == 0 {
				c.Flags |= PinnedArticle
			}
			x.s.Put(c, Place{Lot: LotNo(1 + min(rnd.Intn(5), x.lots-1))})
		}
		w := Waiting{Room: []Freed{{1, Span{0, 20}}, {LotNo(x.lots), Span{10, 30}}, {1, Span{40, 60}}}}
		at := max(x.now, 1)
		one := x.s.Draft(at)
		want := one.SeatConflicts(w, 1_000_000, nil)
		require.False(t, want.More)
		parts := x.s.Draft(at)
		var got []ID
		for {
			r := parts.SeatConflicts(w, 1+rnd.Intn(60), nil)
			got = append(got, r.Seated...)
			passes++
			if !r.More {
				break
			}
			w = r.Next
		}
		require.Equal(t, want.Seated, got)
		seated += len(got)
		require.Equal(t, one.Changes(), parts.Changes())
	}
	t.Logf("%d seated in %d passes", seated, passes)
	require.Greater(t, passes, 1000)
	require.NotZero(t, seated)
}

func TestRoomOfLikeHoldsIsLookedAtOnce(t *testing.T) {
	rnd := seeded(t)
	for range 200 {
		var room []Freed
		held := map[Freed]bool{} // by lot and instant
		for range rnd.Intn(30) {
			start := rnd.Int63n(20)
			f := Freed{LotNo(rnd.Intn(3)), Span{start, start + 1 + rnd.Int63n(4)}}
			for at := f.Span.Start; at < f.Span.End; at++ {
				held[Freed{f.Lot, Span{at, at}}] = true
			}
			room = append(room, f)
		}
		joined, is := joinFreed(room), map[Freed]bool{}
		for i, f := range joined {
			require.False(t, slices.ContainsFunc(joined[:i],
				func(o Freed) bool { return o.Lot == f.Lot && o.Span.End >= f.Span.Start }), "%v", joined)
			for at := f.Span.Start; at < f.Span.End; at++ {
				is[Freed{f.Lot, Span{at, at}}] = true
			}
		}
		require.Equal(t, held, is)
	}
	require.Len(t, joinFreed(slices.Repeat([]Freed{{1, Span{0, 10}}}, 10_000)), 1)
}

func TestConflictsTriedTogetherAreAsEachInTurn(t *testing.T) {
	rnd := seeded(t)
	seated, left := 0, 0
	for i := range 3000 {
		k := poolKind{slots: 4, lots: 3, holds: 10, line: 16, pins: []int{0, 20}[i%2], ends: []int{0, 20}[i/2%2]}
		x := randomPool(rnd, k)
		var ids []ID
		for range 1 + rnd.Intn(3) {
			start := rnd.Int63n(12)
			c := NewHold(ID{}, Span{start, start + 1 + rnd.Int63n(6)}, 0, 0)
			c.Flags |= []Flags{0, 0, PinnedArticle}[rnd.Intn(3)]
			lot := LotNo(1 + rnd.Intn(x.lots))
			for range 1 + rnd.Intn(4) { // like ones side by side
				x.holds++
				c.ID, c.Owner = testID(x.holds), uint64(x.holds)
				x.s.Put(c, Place{Lot: lot})
				ids = append(ids, c.ID)
			}
		}
		all, each := x.s.Draft(x.now), x.s.Draft(x.now)
		all.SeatThose(ids)
		for _, id := range ids {
			if _, ok := each.SeatConflict(id); ok {
				seated++
			} else {
				left++
			}
		}
		require.Equal(t, each.Changes(), all.Changes())
	}
	require.Greater(t, seated, 500)
	require.Greater(t, left, 500)
}

// Before the instant that Openings name nothing but time has to pass for no conflict that has no room now to be seated;
// and where all units are taken until then, it is the first at which one is free.
func TestOpensIsNotTooLate(t *testing.T) {
	rnd := seeded(t)
	finite, seats, never := 0, 0, 0
	for i := range 6000 {
		k := poolKind{slots: 4, lots: 3, holds: 12, line: 16, pins: []int{0, 20, 50}[i%3], ends: []int{0, 20}[i/3%2]}
		x := randomPool(rnd, k)
		start := rnd.Int63n(12)
		x.holds++
		c := NewHold(testID(x.holds), Span{start, start + 1 + rnd.Int63n(8)}, 0, 0)
		if rnd.Intn(3) == 0 {
			c.Flags |= PinnedArticle
		}
		lot := LotNo(1 + rnd.Intn(x.lots))
		x.s.Put(c, Place{Lot: lot})
		seated := func(now int64) bool {
			_, ok := x.s.Draft(now).SeatConflict(c.ID)
			return ok
		}
		if c.Span.End <= x.now || seated(x.now) {
			continue
		}
		openings := x.s.Openings(x.now)
		opens := openings.Of(c, lot)
		other := c
		other.Span.End++
		require.Equal(t, x.s.Openings(x.now).Of(other, lot), openings.Of(other, lot))
		require.Equal(t, opens, openings.Of(c, lot))
		require.Greater(t, opens, x.now)
		for at := x.now + 1; at < min(opens, c.Span.End); at++ {
			if seated(at) {
				t.Fatalf("pool %d: seated at %d, opens at %d\n%s", i, at, opens, draw(x.s, SKURef(1), x.now))
			}
		}
		switch {
		case opens == Forever:
			never++
		case seated(opens):
			seats++
			fallthrough
		default:
			finite++
		}
	}
	t.Logf("%d opened, %d of them at once, %d never", finite, seats, never)
	require.Greater(t, seats, 100)
	require.Greater(t, finite, seats)
	require.Greater(t, never, 100)
}
