package timeline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The calendar and its edges against counting every instant, over pools that are walked and pools that have a profile.
func TestCalendar(t *testing.T) {
	rnd := seeded(t)
	for i := range 3000 {
		k := poolKind{slots: []int{4, 4, 40}[i%3], lots: 3, holds: []int{18, 6, 200}[i%3], line: 60, pins: 10, ends: 25, conflicts: i / 3 % 3}
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
		free := func(p PoolRef, t int64) int { return x.s.CountAt(p, t).Free() }
		got := x.s.Calendar(pools, edges, nil)
		require.Len(t, got, len(edges)-1)
		for j, b := range got {
			want := Bucket{Min: 1 << 30, Max: -1 << 30}
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
			for _, n := range least {
				want.Available += max(0, n)
			}
			require.Equal(t, want, b, "pool %d, bucket %d of %v", i, j, edges)
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
}

func TestCalendarAllocatesNothing(t *testing.T) {
	rnd := seeded(t)
	x := randomPool(rnd, poolKind{slots: 20, lots: 1, holds: 100, line: 1000})
	edges := make([]int64, 91)
	for i := range edges {
		edges[i] = int64(i * 10)
	}
	pools, out, c := []PoolRef{SKURef(1)}, make([]Bucket, 0, 90), new(calendar)
	require.Zero(t, testing.AllocsPerRun(100, func() { out = c.fill(x.s, pools, edges, out[:0]) }))
}
