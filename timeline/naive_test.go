package timeline

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// naive is a Stock as plain lists: every question is answered by looking at everything. It is what the Stock must agree
// with.
type naive struct {
	lots  []Lot
	slots []Slot
	holds []Placed // by id
}

// join is the smallest span that covers both.
func (s Span) join(o Span) Span { return Span{min(s.Start, o.Start), max(s.End, o.End)} }

func (n *naive) clone() *naive {
	return &naive{slices.Clone(n.lots), slices.Clone(n.slots), slices.Clone(n.holds)}
}

func (n *naive) inPool(p PoolRef, lot LotNo) bool {
	if no, ok := p.Lot(); ok {
		return no == lot
	}
	for _, l := range n.lots {
		if l.No == lot {
			return l.Pool == PoolNo(p.no)
		}
	}
	return false
}

func (n *naive) slot(no SlotNo) Slot {
	for _, s := range n.slots {
		if s.No == no {
			return s
		}
	}
	return Slot{}
}

func (n *naive) poolSlots(p PoolRef) (list []Slot) {
	for _, s := range n.slots {
		if n.inPool(p, s.Lot) {
			list = append(list, s)
		}
	}
	return list
}

// takes is the range over which a hold is counted.
func takes(h Placed) Span {
	if h.Place.Seated() {
		return h.Seat()
	}
	return h.Span
}

// naivePool is the ranges of a pool's slots and of what takes them, and of a pool of several lots those of each that
// are pinned to it.
type naivePool struct {
	slots, taken []Span
	lots         []naiveLot
}

// naiveLot is a lot's slots, what sits there and is pinned, and what is pinned there and waits.
type naiveLot struct{ slots, pinned, waiting []Span }

func holding(list []Span, t int64) (n int) {
	for _, s := range list {
		if s.Holds(t) {
			n++
		}
	}
	return n
}

// countAt is all at an instant but the conflicts that could not sit on the lot that they are pinned to whoever moved.
func (v naivePool) countAt(t int64) Count {
	c := v.allAt(t)
	for _, l := range v.lots {
		could := max(0, holding(l.slots, t)-holding(l.pinned, t))
		c.Committed -= max(0, holding(l.waiting, t)-could)
	}
	return c
}

func (n *naive) pool(p PoolRef) (v naivePool) {
	for _, s := range n.poolSlots(p) {
		v.slots = append(v.slots, s.Span)
	}
	for _, h := range n.holds {
		if n.inPool(p, h.Place.Lot) {
			v.taken = append(v.taken, takes(h))
		}
	}
	for _, lot := range n.lots {
		if !p.pool || !n.inPool(p, lot.No) {
			continue
		}
		var l naiveLot
		for _, s := range n.slots {
			if s.Lot == lot.No {
				l.slots = append(l.slots, s.Span)
			}
		}
		for _, h := range n.holds {
			switch {
			case h.Place.Lot != lot.No:
			case h.Place.Seated() && h.Flags.Any(PinnedArticle|PinnedSlot|Out):
				l.pinned = append(l.pinned, h.Seat())
			case !h.Place.Seated() && h.Flags.Any(PinnedArticle|PinnedSlot):
				l.waiting = append(l.waiting, h.Span)
			}
		}
		v.lots = append(v.lots, l)
	}
	if len(v.lots) < 2 {
		v.lots = nil
	}
	return v
}

func (v naivePool) allAt(t int64) Count { return Count{holding(v.slots, t), holding(v.taken, t)} }

// sweep is the counts at every instant of w at which they change, and at its start.
func (v naivePool) sweep(w Span) (list []stretch) {
	instants := []int64{w.Start}
	for _, s := range slices.Concat(v.slots, v.taken) {
		for _, t := range []int64{s.Start, s.End} {
			if t > w.Start && t < w.End {
				instants = append(instants, t)
			}
		}
	}
	slices.Sort(instants)
	for _, t := range slices.Compact(instants) {
		c := v.countAt(t)
		if m := len(list); m == 0 || list[m-1].Count != c {
			if m > 0 {
				list[m-1].End = t
			}
			list = append(list, stretch{Span{t, w.End}, c})
		}
	}
	return list
}

type stretch struct {
	Span
	Count
}

// gap is the free stretch of a slot around t.
func (n *naive) gap(s Slot, t int64) (gap Span, ok bool) {
	if !s.Span.Holds(t) {
		return Span{}, false
	}
	gap = s.Span
	for _, h := range n.holds {
		if h.Place.Slot != s.No {
			continue
		}
		switch seat := h.Seat(); {
		case seat.Holds(t):
			return Span{}, false
		case seat.End <= t:
			gap.Start = max(gap.Start, seat.End)
		default:
			gap.End = min(gap.End, seat.Start)
		}
	}
	return gap, true
}

func (n *naive) tightGap(p PoolRef, need Span) (best SlotNo, ok bool) {
	class := 0
	for _, s := range n.poolSlots(p) {
		if gap, free := n.gap(s, need.Start); free && gap.Covers(need) {
			if c := lengthClass(gap); !ok || c < class || c == class && s.No < best {
				best, class, ok = s.No, c, true
			}
		}
	}
	return best, ok
}

func (n *naive) free(p PoolRef, w Span) (list []SlotNo) {
	for _, s := range n.poolSlots(p) {
		if gap, ok := n.gap(s, w.Start); ok && gap.Covers(w) {
			list = append(list, s.No)
		}
	}
	slices.Sort(list)
	return list
}

func (n *naive) fixedAfter(p PoolRef, t int64) Span {
	all, lots := always, 0
	for _, l := range n.lots {
		if n.inPool(p, l.No) {
			lots++
		}
	}
	for _, s := range n.poolSlots(p) {
		if s.Span.Start > t {
			all.End = min(all.End, s.Span.Start)
		}
		if s.Span.End > t && !s.Span.Open() && lots > 1 {
			all.Start = max(all.Start, s.Span.End)
		}
	}
	for _, h := range n.holds {
		fixed := h.Flags.Any(Out|PinnedSlot) || lots > 1 && h.Flags.Has(PinnedArticle)
		if fixed && h.Place.Seated() && n.inPool(p, h.Place.Lot) && h.Span.End > t {
			all = all.Clip(h.Seat())
		}
	}
	return all
}

// testID is the i-th id.
func testID(i int) (id ID) {
	binary.BigEndian.PutUint64(id[8:], uint64(i))
	return id
}

// compare asks both everything about a pool and a window.
func (n *naive) compare(t require.TestingT, s *Stock, p PoolRef, w Span) {
	v := n.pool(p)
	slow := v.sweep(w)
	least := slow[0]
	for _, st := range slow {
		if st.Free() < least.Free() {
			least = st
		}
	}
	free, stock, committed, at := s.MinFree(p, w)
	require.Equal(t, []any{least.Free(), least.Count, least.Start}, []any{free, Count{stock, committed}, at},
		"MinFree of %v over %v", p, w)
	require.Equal(t, v.allAt(w.Start), s.CountAt(p, w.Start))
	end := min(w.End, w.Start+40)
	instants, units := []int64{w.Start, end - 1, end}, []int{7, 7, 7}
	s.AddStock(p, instants, units)
	for i, when := range instants {
		require.Equal(t, 7+v.allAt(when).Stock, units[i], "AddStock of %v at %d", p, when)
	}
	var list []stretch
	s.Sweep(p, w, func(over Span, c Count) bool {
		list = append(list, stretch{over, c})
		return true
	})
	require.Equal(t, slow, list, "Sweep of %v over %v", p, w)

	no, ok := s.TightGap(p, w)
	no2, ok2 := n.tightGap(p, w)
	require.Equal(t, []any{no2, ok2}, []any{no, ok}, "TightGap of %v for %v", p, w)
	require.Equal(t, n.free(p, w), freeSlots(s, p, w), "free slots of %v over %v", p, w)
	require.Equal(t, len(n.free(p, w)), s.FreeThroughout(p, w))

	if shared, ok := s.fixedAfter(p, w.Start); ok {
		require.Equal(t, n.fixedAfter(p, w.Start), shared, "fixedAfter of %v at %d", p, w.Start)
	}

	var conflicts []Hold
	slots := 0
	for _, h := range n.holds {
		if n.inPool(p, h.Place.Lot) && !h.Place.Seated() && h.Span.Overlaps(w) {
			conflicts = append(conflicts, h.Hold)
		}
	}
	require.Equal(t, conflicts, slices.Collect(s.ConflictsIn(p, w)))
	for slot := range s.PoolSlots(p) {
		require.Equal(t, n.slot(slot.No), slot)
		slots++
	}
	require.Equal(t, len(n.poolSlots(p)), slots)
	require.Equal(t, slots, s.SlotCount(p))
}

// compareSlot asks both about one slot.
func (n *naive) compareSlot(t require.TestingT, s *Stock, no SlotNo, w Span) {
	var over []Hold
	var at Hold
	for _, h := range n.holds {
		if h.Place.Slot != no {
			continue
		}
		seat := h.Seat()
		if seat.Overlaps(w) {
			over = append(over, h.Hold)
		}
		if seat.Holds(w.Start) {
			at = h.Hold
		}
	}
	slices.SortFunc(over, func(a, b Hold) int { return int(a.Seat().Start - b.Seat().Start) })
	require.Equal(t, over, slices.Collect(s.Holds(no, w)))
	got, ok := held(s.slot(no).rail.at(w.Start))
	require.Equal(t, []any{at, at != Hold{}}, []any{got, ok})
	gap, ok := s.FreeAround(no, w.Start)
	gap2, ok2 := n.gap(n.slot(no), w.Start)
	require.Equal(t, []any{gap2, ok2}, []any{gap, ok})
}

// compareAll asks both about single holds and about what overlaps w in the whole account.
func (n *naive) compareAll(t require.TestingT, s *Stock, w Span) {
	require.NoError(t, s.Check())
	require.Equal(t, len(n.holds), s.Len())
	require.Equal(t, len(n.slots), s.slotCount)
	var over []Placed
	for _, h := range n.holds {
		got, at, ok := s.Find(h.ID)
		require.Equal(t, []any{h, true}, []any{Placed{got, at}, ok})
		if takes(h).Overlaps(w) {
			over = append(over, h)
		}
	}
	got := slices.Collect(s.Overlapping(w))
	slices.SortFunc(got, func(a, b Placed) int { return a.ID.Compare(b.ID) })
	require.Equal(t, over, got, "Overlapping %v", w)
	for _, l := range n.lots {
		require.Equal(t, l, s.Lot(l.No))
		var of []Slot
		for _, x := range n.slots {
			if s.Lot(x.Lot).Article == l.Article {
				of = append(of, x)
			}
		}
		conflict := slices.ContainsFunc(n.holds,
			func(h Placed) bool { return !h.Place.Seated() && h.Place.Lot == l.No })
		a, ok := s.Single(l.Article).Available(l.No, w)
		require.Equal(t, len(of) == 1 && of[0].Lot == l.No && !conflict, ok, "the one slot of article %d", l.Article)
		if ok {
			require.Equal(t, s.Available(LotRef(l.No), w, 0), a)
		}
	}
	_, _, ok := s.Find(testID(1 << 40))
	require.False(t, ok)
}

// world drives a Stock and its naive twin side by side.
type world struct {
	s       *Stock
	n       *naive
	horizon int64
	nextID  int
	nextNo  SlotNo
}

func newWorld(horizon int64) *world { return &world{s: New(), n: &naive{}, horizon: horizon} }

func (w *world) addLot(pool PoolNo) LotNo {
	no := LotNo(len(w.n.lots) + 1)
	lot := Lot{no, uint32(no)/2 + 1, uint32(no) % 3, pool}
	w.s.AddLot(no, lot.Article, lot.Location)
	w.s.SetPool(no, pool)
	w.n.lots = append(w.n.lots, lot)
	return no
}

func (w *world) setPool(i int, pool PoolNo) {
	w.n.lots[i].Pool = pool
	w.s.SetPool(w.n.lots[i].No, pool)
}

// moveLots moves some lots of a pool to another one, without which there is none to move.
func (w *world) moveLots(from, to PoolNo, of func(i int) bool) {
	var lots []LotNo
	for i := range w.n.lots {
		if l := &w.n.lots[i]; l.Pool == from && from != to && of(i) {
			l.Pool = to
			lots = append(lots, l.No)
		}
	}
	w.s.MoveLots(lots, from, to)
}

func (w *world) addSlot(lot LotNo, span Span) {
	w.nextNo++
	slot := Slot{testID(int(w.nextNo)), w.nextNo, lot, span}
	w.s.PutSlot(slot)
	w.n.slots = append(w.n.slots, slot)
}

// room is the stretch that the holds of a slot take.
func (w *world) room(no SlotNo) (room Span, any bool) {
	for _, h := range w.n.holds {
		if h.Place.Slot == no {
			if !any {
				room = h.Seat()
			}
			room, any = room.join(h.Seat()), true
		}
	}
	return room, any
}

func (w *world) resizeSlot(i int, span Span) {
	if room, any := w.room(w.n.slots[i].No); any {
		span = span.join(room)
	}
	w.n.slots[i].Span = span
	w.s.PutSlot(w.n.slots[i])
}

func (w *world) removeSlot(i int) {
	if _, any := w.room(w.n.slots[i].No); any {
		return
	}
	w.s.RemoveSlot(w.n.slots[i].No)
	w.n.slots = slices.Delete(w.n.slots, i, i+1)
}

// put seats a hold with a hull of span less cut, if it fits; as a conflict where slot is none.
func (w *world) put(at Place, span Span, cut int64) bool {
	h := NewHold(testID(w.nextID+1), span, 0, 0).WithCut(cut)
	if w.nextID%5 == 0 {
		h.Flags = []Flags{Out, PinnedSlot, PinnedArticle, PinnedSlot | PinnedArticle}[w.nextID/5%4]
	}
	if at.Seated() {
		slot := w.n.slot(at.Slot)
		if gap, ok := w.n.gap(slot, h.Seat().Start); !ok || !gap.Covers(h.Seat()) {
			return false
		}
	}
	w.nextID++
	w.s.Put(h, at)
	w.n.holds = append(w.n.holds, Placed{h, at})
	return true
}

func (w *world) remove(i int) {
	w.s.Remove(w.n.holds[i].ID)
	w.n.holds = slices.Delete(w.n.holds, i, i+1)
}

// draft goes on with what a draft comes to that takes some holds, and puts every second of them back.
func (w *world) draft(by int) {
	d := w.s.Draft(0)
	for i := len(w.n.holds) - 1; i >= 0; i -= by {
		h := w.n.holds[i]
		if d.Take(h.ID); i%2 == 0 {
			d.put(h.Hold, h.Place)
		} else {
			w.n.holds = slices.Delete(w.n.holds, i, i+1)
		}
	}
	if s := d.Outcome(); s != nil {
		w.s = s
	}
}

func drawSpan(t *rapid.T, horizon int64) Span {
	from := rapid.Int64Range(0, horizon).Draw(t, "from")
	s := Span{from, from + 1 +
		rapid.Int64Range(0, rapid.SampledFrom([]int64{0, 2, horizon / 8, horizon}).Draw(t, "scale")).Draw(t, "length")}
	if rapid.IntRange(0, 11).Draw(t, "open") == 0 {
		s.End = Forever
	}
	return s
}

// step does one random thing.
func (w *world) step(t *rapid.T) {
	n := w.n
	what := rapid.SampledFrom([]string{"lot", "pool", "pools", "slots", "resize", "drop slot", "hold", "hold", "hold",
		"holds", "conflict", "take", "takes"}).Draw(t, "step")
	if len(n.slots) == 0 && what != "lot" {
		what = "slots"
	}
	switch what {
	case "lot":
		if len(n.lots) < 5 {
			w.addLot(PoolNo(rapid.IntRange(0, 2).Draw(t, "pool")))
		}
	case "pools":
		from, of := rapid.IntRange(1, 2).Draw(t, "from"), rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "one in")
		w.moveLots(PoolNo(from), PoolNo(rapid.IntRange(1, 3).Draw(t, "to")), func(i int) bool { return i%of == 0 })
	case "pool":
		w.setPool(rapid.IntRange(0, len(n.lots)-1).Draw(t, "lot"), PoolNo(rapid.IntRange(0, 2).Draw(t, "pool")))
	case "slots":
		if len(n.lots) == 0 {
			w.addLot(1)
		}
		if len(n.slots) > 90 {
			return
		}
		lot := LotNo(rapid.IntRange(1, len(n.lots)).Draw(t, "lot"))
		span := drawSpan(t, w.horizon)
		for range rapid.SampledFrom([]int{1, 1, 8, 25}).Draw(t, "count") {
			w.addSlot(lot, span)
			span = Span{0, Forever}
		}
	case "resize":
		w.resizeSlot(rapid.IntRange(0, len(n.slots)-1).Draw(t, "slot"), drawSpan(t, w.horizon))
	case "drop slot":
		for i := len(n.slots) - 1; i >= 0; i -= rapid.SampledFrom([]int{1, 2, 100}).Draw(t, "by") {
			w.removeSlot(i)
		}
	case "hold":
		slot := n.slots[rapid.IntRange(0, len(n.slots)-1).Draw(t, "slot")]
		span, cut := drawSpan(t, w.horizon), int64(0)
		if rapid.IntRange(0, 5).Draw(t, "late") == 0 && !span.Open() {
			cut = rapid.Int64Range(0, span.Length()-1).Draw(t, "cut")
		}
		w.put(Place{slot.Lot, slot.No}, span, cut)
	case "holds": // one after the other, touching or not: long rails
		slot := n.slots[rapid.IntRange(0, len(n.slots)-1).Draw(t, "slot")]
		length, gap := rapid.Int64Range(1, 3).Draw(t, "each"), rapid.Int64Range(0, 2).Draw(t, "apart")
		cut := rapid.Int64Range(0, length-1).Draw(t, "cut")
		back := rapid.Bool().Draw(t, "back")
		for i := range rapid.SampledFrom([]int64{5, 5, 70, 140}).Draw(t, "count") {
			from := i * (length + gap)
			if back {
				from = w.horizon - from
			}
			if from >= 0 {
				w.put(Place{slot.Lot, slot.No}, Span{from, from + length}, cut)
			}
		}
	case "conflict":
		lot := LotNo(rapid.IntRange(1, len(n.lots)).Draw(t, "lot"))
		for range rapid.SampledFrom([]int{1, 1, 1, 30}).Draw(t, "count") {
			w.put(Place{Lot: lot}, drawSpan(t, w.horizon), 0)
		}
	case "take":
		if len(n.holds) > 0 {
			w.remove(rapid.IntRange(0, len(n.holds)-1).Draw(t, "hold"))
		}
	case "takes":
		for i := len(n.holds) - 1; i >= 0; i -= rapid.SampledFrom([]int{1, 2, 7}).Draw(t, "by") {
			w.remove(i)
		}
	}
}

func (w *world) pools() []PoolRef {
	refs := []PoolRef{SKURef(1), SKURef(2), SKURef(3), SKURef(99), LotRef(99)}
	for _, l := range w.n.lots {
		refs = append(refs, LotRef(l.No))
	}
	return refs
}

// TestStockAgainstNaive does random things to a Stock and its twin and asks both everything after each; forks and
// published versions are asked again at the end, when what they came from has gone on. It holds invariants 1 to 7.
func TestStockAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.SampledFrom([]int64{12, 60, 700}).Draw(t, "horizon"))
		type version struct {
			s *Stock
			n *naive
		}
		var kept []version
		ask := func(s *Stock, n *naive) {
			refs := w.pools()
			win := drawSpan(t, w.horizon)
			n.compareAll(t, s, win)
			n.compare(t, s, rapid.SampledFrom(refs).Draw(t, "pool"), win)
			if len(n.slots) > 0 {
				n.compareSlot(t, s, rapid.SampledFrom(n.slots).Draw(t, "slot").No, win)
			}
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "version") {
			case 0:
				kept = append(kept, version{w.s.Publish(), w.n.clone()})
			case 1: // go on with a fork, and keep what it came from
				kept = append(kept, version{w.s, w.n.clone()})
				w.s = w.s.Fork()
			case 2: // a fork of a fork that is dropped
				f := &world{s: w.s.Fork(), n: w.n.clone(), horizon: w.horizon, nextID: w.nextID, nextNo: w.nextNo}
				f.step(t)
				ask(f.s, f.n)
			case 3:
				w.draft(rapid.IntRange(1, 7).Draw(t, "by"))
			}
			w.step(t)
			ask(w.s, w.n)
		}
		for _, v := range kept {
			ask(v.s, v.n)
		}
	})
}

// freeSlots are the slots that EachFree visits, ascending.
func freeSlots(s *Stock, p PoolRef, w Span) (list []SlotNo) {
	s.EachFree(p, w, func(no SlotNo) bool {
		list = append(list, no)
		return true
	})
	slices.Sort(list)
	return list
}
