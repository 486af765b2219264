package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Next fit against asking every instant, over one pool or several, with buffers of changing length, in easy pools and others.
func TestNextFit(t *testing.T) {
	rnd := seeded(t)
	found, hard := 0, 0
	for i := range 6000 {
		k := poolKind{slots: 4, lots: 3, holds: 18, line: 40, pins: []int{0, 25}[i%2], ends: []int{0, 20}[i/2%2], conflicts: i / 4 % 4}
		several := i%3 == 2
		if several {
			k.slots, k.lots, k.holds = 7, 4, 30
		}
		x := randomPool(rnd, k)
		shapes := []Shape{{Pool: SKURef(1)}}
		switch {
		case several && x.lots > 2: // the last lot is a pool of its own
			x.s.SetPool(LotNo(x.lots), 2)
			shapes = append(shapes, Shape{Pool: SKURef(2)})
		case rnd.Intn(2) == 0:
			shapes = shapes[:0]
			for l := 1; l <= x.lots; l++ {
				shapes = append(shapes, Shape{Pool: LotRef(LotNo(l))})
			}
		}
		length := 1 + rnd.Int63n(8)
		for j := range shapes {
			before, after, turn := rnd.Int63n(3), rnd.Int63n(3), rnd.Int63n(40)
			shapes[j].Hull = func(from int64) Span {
				to := from + length + after
				if from >= turn { // as where clocks change
					to++
				}
				return Span{max(from-before, min(from, x.now)), to}
			}
		}
		n := 1 + rnd.Intn(3)
		notBefore := x.now + rnd.Int63n(10)
		until := notBefore + rnd.Int63n(50)
		want, ok := int64(0), false
		for at := notBefore; at < until && !ok; at++ {
			sum, count := 0, 0
			for _, shape := range shapes {
				sum += x.s.Available(shape.Pool, shape.Hull(at), x.now).Available
				count += max(0, bruteCount(x.s, shape.Pool, shape.Hull(at)))
			}
			if want, ok = at, sum >= n; !ok && count >= n {
				hard++
			}
		}
		got, is := x.s.NextFit(shapes, n, notBefore, until, x.now)
		require.Equal(t, ok, is, "pool %d: want %d\n%s", i, want, draw(x.s, SKURef(1), x.now))
		if ok {
			found++
			require.Equal(t, want, got, "pool %d\n%s", i, draw(x.s, SKURef(1), x.now))
		}
	}
	t.Logf("%d found; %d windows that the count allows and the pool does not", found, hard)
	require.NotZero(t, hard)
}

// While the one pool has a unit free at every instant, but no slot that is free throughout, the other waits for a conflict to end.
func TestNextFitWhereAConflictEnds(t *testing.T) {
	s := New()
	for lot := LotNo(1); lot <= 2; lot++ {
		s.AddLot(lot, uint32(lot), 1)
	}
	for no, lot := range []LotNo{1, 1, 2} {
		s.PutSlot(Slot{testID(no + 1), SlotNo(no + 1), lot, Span{0, Forever}})
	}
	pinned := func(id int, span Span, no SlotNo) {
		h := NewHold(testID(id), span, 0, 0)
		h.Flags = PinnedSlot
		s.Put(h, Place{1, no})
	}
	pinned(1, Span{9, 100}, 1)
	pinned(2, Span{0, 9}, 2)
	s.Put(NewHold(testID(3), Span{0, 5}, 0, 0), Place{Lot: 2})
	hull := func(from int64) Span { return Span{from, from + 10} }
	from, ok := s.NextFit([]Shape{{Pool: LotRef(1), Hull: hull}, {Pool: LotRef(2), Hull: hull}}, 1, 0, 50, 0)
	require.True(t, ok)
	require.Equal(t, int64(5), from)
}
