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
		k := poolKind{slots: 4, lots: 3, holds: 18, line: 40, pins: []int{0, 25}[i%2], ends: []int{0, 20}[i/2%2], conflicts: i / 4 % 2}
		x := randomPool(rnd, k)
		shapes := []Shape{{Pool: SKURef(1)}}
		if rnd.Intn(2) == 0 {
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
