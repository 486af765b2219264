package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What an answer says of the instant with the least free, against the counts; lots of one slot have a way of their own.
func TestAvailableCounts(t *testing.T) {
	rnd := seeded(t)
	for i := range 30_000 {
		x := randomPool(rnd,
			poolKind{slots: []int{2, 2, 4}[i%3], lots: 2, holds: 12, line: 24, pins: 10, ends: 30, conflicts: i % 2})
		p, w := x.ref(rnd), x.window(rnd)
		if i%3 == 0 {
			p = LotRef(1)
		}
		a := x.s.Available(p, w, x.now)
		free, stock, committed, at := x.s.MinFree(p, w)
		require.Equal(t, []any{stock, committed, at}, []any{a.Stock, a.Committed, a.At}, "pool %d, %s\n%s", i, short(w),
			draw(x.s, p, x.now))
		require.LessOrEqual(t, a.Available, max(0, free))
		if x.s.SlotCount(p) == 1 {
			require.Equal(t, Answer{max(0, free), stock, committed, at, true}, a)
		}
	}
}

// In a pool that is not easy, where more units than mostGaps have a gap of their own, these are the answer: no search
// is worth what it takes there. Who asks for one unit is not kept waiting for the rest.
func TestAvailableOfMoreGapsThanAreSearched(t *testing.T) {
	w := Span{35 * benchDay, 330 * benchDay}
	for _, slots := range []int{mostGaps/4 - 10, mostGaps / 2} {
		s, p := namedCrowd(slots)
		gaps := s.FreeThroughout(p, w)
		free, _, _, _ := s.MinFree(p, w)
		require.Less(t, gaps, free)
		a := s.Available(p, w, 0)
		require.False(t, a.Exact)
		if require.GreaterOrEqual(t, a.Available, gaps); gaps > mostGaps {
			require.Equal(t, gaps, a.Available)
		}
		require.Equal(t, 7, s.availableUpTo(p, w, 0, 7).Available)
		shape := []Shape{{Pool: p, Hull: func(from int64) Span { return Span{from, from + w.Length()} }}}
		from, ok := s.NextFit(shape, 1, w.Start, w.End, 0)
		require.True(t, ok)
		require.Equal(t, w.Start, from)
	}
}

// Slots that ended before now change no answer, however many there are: a pool of few units is searched as such.
func TestSlotsThatEndedChangeNoAnswer(t *testing.T) {
	rnd := seeded(t)
	hard := 0
	for range 60 {
		fresh, old := New(), New()
		k := 3 + rnd.Intn(6)
		for _, s := range []*Stock{fresh, old} {
			s.AddLot(1, 1, 1)
			for n := 1; n <= k; n++ {
				s.PutSlot(Slot{testID(n), SlotNo(n), 1, Span{0, Forever}})
			}
		}
		for n := 100; n < 100+boardLanes; n++ {
			old.PutSlot(Slot{testID(n), SlotNo(n), 1, Span{0, 10}})
		}
		for i := range 14 * k {
			from := 100 + rnd.Int63n(60)
			h := NewHold(testID(1000+i), Span{from, from + 1 + rnd.Int63n(12)}, 0, 0)
			if rnd.Intn(4) == 0 {
				h.Flags = PinnedSlot | PinnedArticle
			}
			no := SlotNo(1 + rnd.Intn(k))
			if gap, ok := fresh.FreeAround(no, h.Span.Start); ok && gap.Covers(h.Span) {
				fresh.Put(h, Place{1, no})
				old.Put(h, Place{1, no})
			}
		}
		for range 12 {
			from := 100 + rnd.Int63n(50)
			w := Span{from, from + 2 + rnd.Int63n(15)}
			want := fresh.Available(LotRef(1), w, 50)
			require.Equal(t, want, old.Available(LotRef(1), w, 50))
			if _, easy := fresh.easy(LotRef(1), fresh.fixityOf(LotRef(1), w.Start, 50), w); !easy {
				hard++
			}
		}
		amount := 1 + rnd.Intn(k-1)
		require.Equal(t, fresh.Reduce(1, amount, 60, 50), old.Reduce(1, amount, 60, 50))
	}
	require.Greater(t, hard, 150)
}
