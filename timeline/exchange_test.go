package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the twin of how lanes of a large pool become known.

// discoverSlowly is discover as its sentence says it.
func discoverSlowly(b *board, w Span, back bool) {
	for {
		found, known := 0, 0
		b.stock.EachFree(b.pool, w, func(no SlotNo) bool {
			if b.laneOf(no) >= 0 {
				known++
			} else {
				b.know(no)
				found++
			}
			return found < exchangeFan && known < boardLanes
		})
		half := (w.End - w.Start) / 2
		switch {
		case found > 0 || known == boardLanes || half == 0:
			return
		case back:
			w.Start = w.End - half
		default:
			w.End = w.Start + half
		}
	}
}

// TestLanesBecomeKnownAsIfLookedForOverEachHalf also counts that a look goes through the stretches once where no other
// lane is left to be found.
func TestLanesBecomeKnownAsIfLookedForOverEachHalf(t *testing.T) {
	rnd := seeded(t)
	grew, stayed := 0, 0
	for range 20 {
		s := tangle(20 + rnd.Intn(60)) // in each of four lots
		p := SKURef(1)
		fast, slow := s.newBoard(p, s.fixityOf(p, 0, 0)), s.newBoard(p, s.fixityOf(p, 0, 0))
		require.True(t, fast.wide)
		for range 60 {
			from := rnd.Int63n(1000)
			w, back := Span{from, from + rnd.Int63n(200)}, rnd.Intn(2) == 0
			was, looked := len(fast.lanes), fast.looked
			fast.discover(w, back)
			discoverSlowly(slow, w, back)
			require.Equal(t, slow.known, fast.known)
			if len(fast.lanes) > was {
				grew++
				continue
			}
			free := 0
			at := w.Start
			if back {
				at = w.End - 1
			}
			s.EachFree(p, Span{at, at + 1}, func(SlotNo) bool { free++; return true })
			if free < boardLanes && w.End > w.Start {
				stayed++
				require.LessOrEqual(t, fast.looked-looked, free)
			}
		}
	}
	require.Greater(t, min(grew, stayed), 50)
}
