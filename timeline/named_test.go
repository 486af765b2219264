package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of how many holds that name an article there is room for.

// What is told at a glance is what seating for real comes to, in small pools and in those of which a board knows only a
// part.
func TestNamedAtAGlanceIsAsSeated(t *testing.T) {
	rnd := seeded(t)
	more, none, fewer := 0, 0, 0
	for i := range 800 {
		k := poolKind{slots: 6, lots: 4, holds: 16, line: 24, pins: []int{0, 15}[i%2], ends: []int{0, 15}[i/2%2],
			conflicts: []int{0, 2, 9}[i%3]}
		if i%10 == 9 {
			k.slots, k.lots, k.holds, k.line = 90, 90, 400, 40
		}
		x := randomPool(rnd, k)
		w := x.window(rnd)
		for no := LotNo(1); int(no) <= x.lots; no++ {
			wide, ok := x.s.around(no)
			if !ok {
				continue
			}
			own := x.s.Available(LotRef(no), w, x.now)
			got, want := x.s.AvailableNamed(no, w, x.now, own), x.s.namedForReal(no, wide, w, x.now, Answer{})
			require.Equal(t, want.Available, got.Available, "pool %d, lot %d over %+v\n%s", i, no, w,
				draw(x.s, wide, x.now))
			require.True(t, got.Exact || !want.Exact)
			switch {
			case got.Available > own.Available:
				more++
			case got.Available < own.Available:
				fewer++
			default:
				none++
			}
			if k.lots == 90 && no == 4 {
				break
			}
		}
	}
	t.Logf("moves make room %d times, not %d times, conflicts take it %d times", more, none, fewer)
	require.Greater(t, more, 100)
	require.Greater(t, none, 100)
	require.Greater(t, fewer, 5)
}

// Where nothing is fixed, units that are free at every instant are there for who names any article of the pool, however
// its units are taken.
func TestNamedWhereNothingIsFixed(t *testing.T) {
	rnd := seeded(t)
	window := Span{40, 160}
	for _, x := range []struct{ lanes, spare, times int }{{6, 1, 40}, {40, 2, 5}, {90, 1, 5}, {90, 2, 5}} {
		for range x.times {
			s := New()
			for n := range x.lanes {
				no := LotNo(1 + n/2)
				if n%2 == 0 {
					s.AddLot(no, uint32(no), 1)
					s.SetPool(no, 1)
				}
				s.PutSlot(Slot{testID(1000 + n), SlotNo(1 + n), no, Span{0, Forever}})
			}
			// All lanes but the spare ones are always taken: what ends at an instant is followed on a lane that is
			// spare.
			lanes, begun, holds := rnd.Perm(x.lanes), make([]int64, x.lanes), 0
			put := func(lane int, until int64) {
				if holds++; begun[lane] < until {
					s.Put(NewHold(testID(holds), Span{begun[lane], until}, 0, 0),
						Place{LotNo(1 + lane/2), SlotNo(1 + lane)})
				}
			}
			for at := int64(1); at < 200; at++ {
				i, j := rnd.Intn(x.spare), x.spare+rnd.Intn(x.lanes-x.spare)
				put(lanes[j], at)
				lanes[i], lanes[j] = lanes[j], lanes[i]
				begun[lanes[j]] = at
			}
			for _, lane := range lanes[x.spare:] {
				put(lane, 200)
			}
			for range 10 {
				no := LotNo(1 + rnd.Intn(x.lanes/2))
				got := s.AvailableNamed(no, window, 0, s.Available(LotRef(no), window, 0))
				require.Equal(t, [2]any{x.spare, true}, [2]any{got.Available, got.Exact})
				d := s.Draft(0)
				h := NewHold(testID(5000), window, 0, 0)
				h.Flags = PinnedArticle
				for n := range x.spare {
					h.ID = testID(5000 + n)
					_, why := d.SeatNamed(no, 0, h, Exact)
					require.Equal(t, Granted, why, "unit %d of lot %d of %d lanes", n, no, x.lanes)
				}
				require.NoError(t, d.Stock().Check())
			}
		}
	}
}

// A lot may have more units than a board of part of the pool knows, and what may leave the lot may be on any of them.
func TestNamedInAWideLot(t *testing.T) {
	rnd := seeded(t)
	window := Span{40, 160}
	for _, x := range []struct{ slots, loose int }{{boardLanes + 6, 2}, {boardLanes + 6, boardLanes + 6}, {200, 5}} {
		s := New()
		for no := LotNo(1); no <= 2; no++ {
			s.AddLot(no, uint32(no), 1)
			s.SetPool(no, 1)
		}
		for n := range x.slots + x.loose {
			s.PutSlot(Slot{testID(1000 + n), SlotNo(1 + n), LotNo(1 + n/x.slots), Span{0, Forever}})
		}
		for i, n := range rnd.Perm(x.slots)[:x.loose] {
			s.Put(NewHold(testID(1+i), Span{20 + rnd.Int63n(40), 180}, 0, 0),
				Place{1, SlotNo(1 + n)})
		}
		got := s.AvailableNamed(1, window, 0, s.Available(LotRef(1), window, 0))
		require.Equal(t, [2]any{x.slots, true}, [2]any{got.Available, got.Exact})
		d := s.Draft(0)
		for n := range x.slots {
			h := NewHold(testID(5000+n), window, 0, 0)
			h.Flags = PinnedArticle
			_, why := d.SeatNamed(1, 0, h, Exact)
			require.Equal(t, Granted, why, "unit %d of %d, of which %d are taken", n, x.slots, x.loose)
		}
		require.NoError(t, d.Stock().Check())
	}
}
