package timeline

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The calendar against counting every instant and laying every bucket out, over pools that are walked and pools that
// have a profile.
func TestCalendar(t *testing.T) {
	rnd := seeded(t)
	fewer, inexact := 0, 0
	for i := range 1500 {
		k := poolKind{slots: []int{4, 4, 40}[i%3], lots: 3, holds: []int{18, 6, 200}[i%3], line: 60, pins: 10, ends: 25,
			conflicts: i / 3 % 3}
		x := randomPool(rnd, k)
		pools := []PoolRef{SKURef(1)}
		if rnd.Intn(2) == 0 {
			pools = pools[:0]
			for l := 1; l <= x.lots; l++ {
				pools = append(pools, LotRef(LotNo(l)))
			}
		}
		edges := []int64{rnd.Int63n(40)}
		for range 1 + rnd.Intn(12) {
			edges = append(edges, edges[len(edges)-1]+1+rnd.Int63n(9))
		}
		free := func(p PoolRef, t int64) int { n, _, _, _ := x.s.MinFree(p, Span{t, t + 1}); return n }
		got := x.s.Calendar(pools, edges, x.now, nil)
		require.Len(t, got, len(edges)-1)
		for j, b := range got {
			want := Bucket{Min: 1 << 30, Max: -1 << 30, Exact: true}
			least := make([]int, len(pools))
			for at := edges[j]; at < edges[j+1]; at++ {
				sum := 0
				for l, p := range pools {
					n := free(p, at)
					sum += n
					if at == edges[j] || n < least[l] {
						least[l] = n
					}
				}
				want.Min, want.Max = min(want.Min, sum), max(want.Max, sum)
			}
			for l, n := range least {
				n = max(0, n)
				if k.slots < 10 {
					most := bruteMost(x.s, pools[l], Span{edges[j], edges[j+1]}, x.now, n)
					if most < n {
						fewer++
					}
					n = most
				} else {
					n = x.s.Available(pools[l], Span{edges[j], edges[j+1]}, x.now).Available
				}
				want.Available += n
			}
			if !b.Exact {
				inexact++
				require.LessOrEqual(t, b.Available, want.Available)
				want.Available, want.Exact = b.Available, false
			}
			require.Equal(t, want, b, "pool %d, bucket %d of %v", i, j, edges)
		}

		for j := range pools {
			for _, of := range [][]PoolRef{pools[j : j+1], pools[:j+1]} {
				var least []int
				for k := range len(edges) - 1 {
					low := math.MaxInt
					for at := edges[k]; at < edges[k+1]; at++ {
						sum := 0
						for _, p := range of {
							sum += free(p, at)
						}
						low = min(low, sum)
					}
					least = append(least, low)
				}
				require.Equal(t, least, x.s.MinFrees(of, edges, nil), "pool %d, least of %v", i, edges)
			}
		}

		w := Span{edges[0], edges[len(edges)-1]}
		cuts := []int64{w.Start}
		for at := w.Start + 1; at < w.End; at++ {
			if slices.ContainsFunc(pools, func(p PoolRef) bool { return free(p, at) != free(p, at-1) }) {
				cuts = append(cuts, at)
			}
		}
		require.Equal(t, append(cuts, w.End), x.s.Edges(pools, w, 1000))
		if len(cuts) > 3 {
			require.Greater(t, len(x.s.Edges(pools, w, 3)), 3)
		}
	}
	t.Logf("%d buckets of fewer than the count, %d not exact", fewer, inexact)
	require.NotZero(t, fewer)
}

// A calendar looks for a rearrangement so often and no more; buckets that are left have what is sure, and say so.
func TestCalendarSearchesSoOften(t *testing.T) {
	const more = 20
	s := New()
	edges := []int64{0}
	for no := range 2 {
		s.AddLot(LotNo(no+1), uint32(no+1), 1)
		s.SetPool(LotNo(no+1), 1)
		s.PutSlot(Slot{testID(no + 1), SlotNo(no + 1), LotNo(no + 1), Span{0, Forever}})
	}
	for i := range bucketSearches + more {
		// the first half of each bucket is taken on one slot, the second on the other
		t := int64(10 * i)
		edges = append(edges, t+10)
		for no := range int64(2) {
			h := NewHold(testID(100+2*i+int(no)), Span{t + 5*no, t + 5*no + 5}, 0, 0)
			h.Flags = PinnedSlot
			s.Put(h, Place{LotNo(no + 1), SlotNo(no + 1)})
		}
	}
	inexact := 0
	for _, b := range s.Calendar([]PoolRef{SKURef(1)}, edges, 0, nil) {
		require.Equal(t, Bucket{Min: 1, Max: 1, Exact: b.Exact}, b)
		if !b.Exact {
			inexact++
		}
	}
	require.Equal(t, more, inexact)
}

func TestCalendarAllocatesNothing(t *testing.T) {
	rnd := seeded(t)
	x := randomPool(rnd, poolKind{slots: 20, lots: 1, holds: 100, line: 1000})
	edges := make([]int64, 91)
	for i := range edges {
		edges[i] = int64(i * 10)
	}
	pools, out := []PoolRef{SKURef(1)}, make([]Bucket, 0, 90)
	require.Zero(t, testing.AllocsPerRun(100, func() { out = x.s.Calendar(pools, edges, 0, out[:0]) }))
	least := make([]int, 0, 90)
	require.Zero(t, testing.AllocsPerRun(100, func() { least = x.s.MinFrees(pools, edges, least[:0]) }))
}
