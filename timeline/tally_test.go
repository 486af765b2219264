package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// This file owns the test of tallies against counting everything.

// tally counts the long way: units at the window's start, and at each of its instants what is taken of each lot.
func (n *naive) tally(w Span, location, article uint32) (t Tally, conflict bool, at map[uint32]bool) {
	at = map[uint32]bool{}
	for _, lot := range n.lots {
		if lot.Article != article || location != 0 && lot.Location != location {
			continue
		}
		for _, s := range n.slots {
			if s.Lot != lot.No {
				continue
			}
			if s.Span.Holds(w.Start) {
				t.Units++
			}
			if s.Span.Overlaps(w) {
				at[lot.Location] = true
			}
		}
		var most int32
		for _, h := range n.holds {
			if h.Place.Lot != lot.No {
				continue
			}
			taken := func(p Placed) Span {
				if p.Place.Seated() {
					return p.Seat()
				}
				return p.Span
			}
			if !h.Place.Seated() && h.Span.Overlaps(w) {
				conflict = true
			}
			instant := max(w.Start, taken(h).Start)
			now := int32(0)
			for _, o := range n.holds {
				if o.Place.Lot == lot.No && w.Holds(instant) && taken(o).Holds(instant) {
					now++
				}
			}
			most = max(most, now)
		}
		t.Taken += most
	}
	return t, conflict, at
}

func TestTalliesAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(60)
		for range rapid.IntRange(0, 12).Draw(t, "lots") {
			w.addLot(PoolNo(rapid.IntRange(0, 3).Draw(t, "pool")))
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			w.step(t)
		}
		var r Ranking
		const articles = 13
		for range 8 {
			window := drawSpan(t, w.horizon)
			location := rapid.SampledFrom([]uint32{0, 0, 1, 2}).Draw(t, "location")
			tallies := w.s.Tallies(&r, window, location, articles, true, nil)
			units := w.s.Tallies(&r, window, location, articles, false, nil)
			conflicted := make([]uint64, 1)
			w.s.Conflicted(window, location, conflicted)
			stocked := map[[2]uint32]bool{}
			w.s.Stocked(window, func(article, location uint32) { stocked[[2]uint32{article, location}] = true })
			for a := uint32(1); a <= articles; a++ {
				want, conflict, at := w.n.tally(window, location, a)
				require.Equal(t, want, tallies[a])
				require.Equal(t, Tally{Units: want.Units}, units[a])
				require.Equal(t, conflict, conflicted[0]>>a&1 == 1)
				for l := uint32(0); l < 4; l++ {
					if location == 0 || location == l {
						require.Equal(t, at[l], stocked[[2]uint32{a, l}])
					}
				}
			}
		}
	})
}
