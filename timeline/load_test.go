package timeline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// load makes a Stock of the twin's rows, in chunks.
func (n *naive) load(chunk int) (*Stock, error) {
	l := NewLoader()
	for _, lot := range n.lots {
		l.AddLot(lot)
	}
	slots := slices.Clone(n.slots)
	slices.SortFunc(slots, func(a, b Slot) int { return int(a.No) - int(b.No) })
	for _, slot := range slots {
		l.AddSlot(slot)
	}
	for holds := n.holds; len(holds) > 0; holds = holds[min(chunk, len(holds)):] {
		l.AddHolds(slices.Clone(holds[:min(chunk, len(holds))]))
	}
	return l.Finish()
}

// TestLoadIsTheSame loads what random steps have led to: it answers as the Stock that took the steps, and goes on as
// that would. It holds invariant 8.
func TestLoadIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.SampledFrom([]int64{12, 60, 700}).Draw(t, "horizon"))
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			w.step(t)
		}
		s, err := w.n.load(rapid.IntRange(1, 200).Draw(t, "chunk"))
		require.NoError(t, err)
		w.s = s
		for range rapid.IntRange(1, 5).Draw(t, "more") {
			win := drawSpan(t, w.horizon)
			w.n.compareAll(t, w.s, win)
			w.n.compare(t, w.s, rapid.SampledFrom(w.pools()).Draw(t, "pool"), win)
			w.step(t)
		}
		require.NoError(t, w.s.Check())
	})
}

// TestLoadLarge loads enough that every tree has inner nodes and every part of time its share.
func TestLoadLarge(t *testing.T) {
	d := smallDataset()
	s := d.load()
	require.NoError(t, s.Check())
	one := d.empty()
	for _, h := range d.holds {
		one.Put(h.Hold, h.Place)
	}
	require.NoError(t, one.Check())
	for _, w := range windows(200, 9) {
		for _, p := range []PoolRef{SKURef(1), SKURef(2), LotRef(1), LotRef(8), LotRef(98)} {
			free, stock, committed, at := s.MinFree(p, w)
			free2, stock2, committed2, at2 := one.MinFree(p, w)
			require.Equal(t, []any{free2, stock2, committed2, at2}, []any{free, stock, committed, at})
			no, ok := s.TightGap(p, w)
			no2, ok2 := one.TightGap(p, w)
			require.Equal(t, []any{no2, ok2}, []any{no, ok})
		}
	}
	var want, got []ID
	for h := range s.Overlapping(windows(1, 9)[0]) {
		got = append(got, h.ID)
	}
	for h := range one.Overlapping(windows(1, 9)[0]) {
		want = append(want, h.ID)
	}
	require.Equal(t, want, got)
}

// TestLoadRefuses breaks one rule of the rows at a time.
func TestLoadRefuses(t *testing.T) {
	good := func() *naive {
		return &naive{
			lots:  []Lot{{1, 1, 1, 1}, {2, 2, 1, 1}},
			slots: []Slot{{testID(1), 1, 1, Span{0, 100}}, {testID(2), 2, 2, Span{0, Forever}}},
			holds: []Placed{
				{NewHold(testID(1), Span{10, 20}, 0, 0), Place{1, 1}},
				{NewHold(testID(2), Span{20, 30}, 0, 0), Place{1, 1}},
				{NewHold(testID(3), Span{20, 30}, 0, 0), Place{Lot: 2}},
			},
		}
	}
	_, err := good().load(2)
	require.NoError(t, err)
	for name, break_ := range map[string]func(n *naive){
		"lots out of order":       func(n *naive) { slices.Reverse(n.lots) },
		"lot without a number":    func(n *naive) { n.lots[0].No = 0 },
		"slot of no lot":          func(n *naive) { n.slots[1].Lot = 9 },
		"slot without a range":    func(n *naive) { n.slots[1].Span = Span{5, 5} },
		"two slots of one number": func(n *naive) { n.slots[1].No = 1 },
		"ids out of order":        func(n *naive) { slices.Reverse(n.holds) },
		"one id twice":            func(n *naive) { n.holds[1].ID = n.holds[0].ID },
		"holds that meet":         func(n *naive) { n.holds[1].Span.Start = 19 },
		"hold without a range":    func(n *naive) { n.holds[1].Span = Span{20, 20} },
		"hold behind its slot":    func(n *naive) { n.holds[1].Span.End = 101 },
		"hold before its slot":    func(n *naive) { n.slots[0].Span.Start = 11 },
		"hold of another lot":     func(n *naive) { n.holds[1].Place.Lot = 2 },
		"hold on no slot":         func(n *naive) { n.holds[1].Place.Slot = 9 },
		"hold far from any slot":  func(n *naive) { n.holds[1].Place.Slot = 90000 },
		"conflict of no lot":      func(n *naive) { n.holds[2].Place.Lot = 9 },
	} {
		t.Run(name, func(t *testing.T) {
			n := good()
			break_(n)
			_, err := n.load(2)
			require.Error(t, err)
		})
	}
}
