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
