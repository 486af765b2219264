package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Many windows together are what each is alone: as many as laying everything out finds, where the search did not give
// up.
func TestWindows(t *testing.T) {
	rnd := seeded(t)
	fewer, given := 0, 0
	for i := range 400 {
		k := poolKind{slots: []int{4, 4, 40}[i%3], lots: 3, holds: []int{18, 6, 200}[i%3], line: 60, pins: 10, ends: 25,
			conflicts: i / 3 % 3}
		x := randomPool(rnd, k)
		p := SKURef(1)
		if rnd.Intn(2) == 0 {
			p = LotRef(LotNo(1 + rnd.Intn(x.lots)))
		}
		var hulls []Span
		for range 1 + rnd.Intn(12) {
			from := rnd.Int63n(50)
			hulls = append(hulls, Span{from, from + 1 + rnd.Int63n(12)})
			if rnd.Intn(5) == 0 {
				hulls[len(hulls)-1].End = Forever
			}
		}
		searches := []int{bucketSearches, 3, 0}[rnd.Intn(3)]
		left := searches
		for j, b := range x.s.Windows(p, hulls, x.now, &left, nil) {
			free, _, _, _ := x.s.MinFree(p, hulls[j])
			most := max(0, free)
			if k.slots < 10 {
				most = bruteMost(x.s, p, hulls[j], x.now, most)
			} else {
				most = x.s.Available(p, hulls[j], x.now).Available
			}
			if most < free {
				fewer++
			}
			if !b.Exact {
				given++
				require.LessOrEqual(t, b.Available, most)
				most = b.Available
			}
			require.Equal(t, Bucket{Min: free, Available: most, Exact: b.Exact}, b, "pool %d, hull %d of %v", i, j,
				hulls)
		}
		require.LessOrEqual(t, 0, left)
		require.LessOrEqual(t, left, searches)
	}
	t.Logf("%d windows with fewer than the count, %d not exact", fewer, given)
	require.NotZero(t, fewer)
	require.NotZero(t, given)
}
