package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of how many holds that name an article there is room for.

// What is told at a glance is what seating for real comes to, in small pools and in those of which a board knows only a part.
func TestNamedAtAGlanceIsAsSeated(t *testing.T) {
	rnd := seeded(t)
	more, none := 0, 0
	for i := range 800 {
		k := poolKind{slots: 6, lots: 4, holds: 16, line: 24, pins: []int{0, 15}[i%2], ends: []int{0, 15}[i/2%2], conflicts: []int{0, 0, 2}[i%3]}
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
			got, want := x.s.AvailableNamed(no, w, x.now, own), x.s.namedForReal(no, wide, w, x.now, own)
			require.Equal(t, want.Available, got.Available, "pool %d, lot %d over %+v\n%s", i, no, w, draw(x.s, wide, x.now))
			require.True(t, got.Exact || !want.Exact)
			if got.Available > own.Available {
				more++
			} else {
				none++
			}
			if k.lots == 90 && no == 4 {
				break
			}
		}
	}
	t.Logf("moves make room %d times, not %d times", more, none)
	require.Greater(t, more, 100)
	require.Greater(t, none, 100)
}
