package timeline

// This file owns the board: the slots of a pool laid out to be rearranged, with everything on them that takes room.

import (
	"cmp"
	"math"
	"slices"
)

// bound is how far something on a board may be moved.
type bound uint8

const (
	anywhere bound = iota // to every lane
	inLot                 // between the lanes of its lot
	inPlace               // not at all, but it may be taken off
	fixed                 // not at all
)

// Things on a lane that are not holds have one of these in place of the index of a hold.
const (
	beginning = -1 - iota // of a slot, as something that fills it until then
	ending                // of a slot, as something that fills it from then on; an exchange inside a lot takes it along
	incoming              // the hold to be seated
	closure               // of a slot by a reduction
)

// bar is something that takes room on a lane.
type bar struct {
	span   Span  // from the floor on
	hold   int32 // index into board.holds, or what else it is
	home   int32 // the lane it came from
	bound  bound
	locked bool // where the search has put it; it stays there until the search goes back
}

// lane is a slot and what is on it, by start. Bars of a lane never overlap.
type lane struct {
	slot Slot
	bars []bar
}

// fixity is what may not be moved, seen from one command: who asks, and when.
type fixity struct {
	now   int64
	floor int64 // nothing left of it is looked at: what began before it needs room from it on
	lots  bool  // the pool has several lots
}

// of is how far a seated hold may be moved. A hold that is over is history; one that is handed over is with a customer.
func (f fixity) of(h *Hold) bound {
	switch {
	case h.Flags.Any(Out|PinnedSlot) || h.Span.End <= f.now:
		return fixed
	case f.lots && h.Flags.Has(PinnedArticle):
		return inLot
	}
	return anywhere
}

// fixityOf is the fixity of a pool for a seat that takes room from start on.
func (s *Stock) fixityOf(p PoolRef, start, now int64) fixity {
	return fixity{now: now, floor: min(now, start), lots: len(s.Lots(p)) > 1}
}

// board is lanes at hand: a copy to try things on, of as much of the pool as a question is about. It is laid out once, changed by exchange, lift and drop, and
// read off at the end: what lies on another lane than its home has been moved.
type board struct {
	fixity
	window Span // what lies outside is not on the board
	lanes  []lane
	holds  []Hold
	moved  int   // holds that are away from home
	proven bool  // after a search: what it did not find there is not
	stuck  []bar // what found no place when lanes ended
}

// layOut puts everything of the pool that overlaps w on a board. Slots that end at the floor or earlier are not on it: no room is theirs to give.
func (s *Stock) layOut(p PoolRef, f fixity, w Span) *board {
	b := &board{fixity: f, window: w}
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if e := s.slot(no); e.span.End > f.floor {
				b.lay(no, e, w)
			}
		}
	}
	// By number, whatever the lot: numbers decide between lanes that are equally good.
	if f.lots {
		slices.SortFunc(b.lanes, func(x, y lane) int { return cmp.Compare(x.slot.No, y.slot.No) })
		for i := range b.lanes {
			for j := range b.lanes[i].bars {
				b.lanes[i].bars[j].home = int32(i)
			}
		}
	}
	return b
}

func (b *board) lay(no SlotNo, e *slotEntry, w Span) {
	home := int32(len(b.lanes))
	bars := make([]bar, 0, min(e.rail.len(), 14)+2)
	if e.span.Start > max(b.floor, w.Start) {
		bars = append(bars, bar{Span{b.floor, e.span.Start}, beginning, home, fixed, false})
	}
	for h, p := e.rail.next(e.rail.from(max(b.floor, w.Start))); h != nil && seatStart(h) < w.End; h, p = e.rail.next(p) {
		bars = append(bars, bar{Span{max(b.floor, seatStart(h)), h.Span.End}, int32(len(b.holds)), home, b.of(h), false})
		b.holds = append(b.holds, *h)
	}
	if e.span.End < w.End {
		bars = append(bars, bar{Span{e.span.End, Forever}, ending, home, inLot, false})
	}
	b.lanes = append(b.lanes, lane{Slot{e.id, no, e.lot, e.span}, bars})
}

// meet is the range of bars of lane l that overlap w.
func (b *board) meet(l int, w Span) (lo, hi int) {
	bars := b.lanes[l].bars
	lo = firstEndingAfter(bars, w.Start)
	for hi = lo; hi < len(bars) && bars[hi].span.Start < w.End; hi++ {
	}
	return lo, hi
}

// firstEndingAfter is the index of the first bar that ends after t.
func firstEndingAfter(bars []bar, t int64) int {
	lo, hi := 0, len(bars)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if bars[mid].span.End <= t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// gap is the free stretch of lane l around [t, t+1): ok is false where the lane is taken then. It is cut at the floor.
func (b *board) gap(l int, t int64) (gap Span, ok bool) {
	bars := b.lanes[l].bars
	gap = Span{b.floor, Forever}
	i := firstEndingAfter(bars, t)
	if i < len(bars) {
		if bars[i].span.Start <= t {
			return Span{}, false
		}
		gap.End = bars[i].span.Start
	}
	if i > 0 {
		gap.Start = bars[i-1].span.End
	}
	return gap, true
}

// mayLie says that the bar may lie on lane l at all.
func (b *board) mayLie(x *bar, l int) bool {
	switch x.bound {
	case anywhere:
		return true
	case inLot:
		return b.lanes[l].slot.Lot == b.lanes[x.home].slot.Lot
	}
	return int32(l) == x.home
}

// away counts a bar as moved, by +1 or -1, where it lies on lane l.
func (b *board) away(x *bar, l int, by int) {
	if x.hold >= 0 && x.home != int32(l) {
		b.moved += by
	}
}

// drop puts a bar on lane l, where nothing overlaps it.
func (b *board) drop(l int, x bar) {
	bars := b.lanes[l].bars
	b.lanes[l].bars = slices.Insert(bars, firstEndingAfter(bars, x.span.Start), x)
	b.away(&x, l, 1)
}

// lift takes the bar that starts at t off lane l.
func (b *board) lift(l int, t int64) bar {
	bars := b.lanes[l].bars
	i := firstEndingAfter(bars, t)
	x := bars[i]
	b.lanes[l].bars = slices.Delete(bars, i, i+1)
	b.away(&x, l, -1)
	return x
}

// exchange swaps what lanes k and l hold over w, whose ends no bar of either crosses. It is its own inverse.
func (b *board) exchange(k, l int, w Span) {
	k0, k1 := b.meet(k, w)
	l0, l1 := b.meet(l, w)
	ks, ls := slices.Clone(b.lanes[k].bars[k0:k1]), slices.Clone(b.lanes[l].bars[l0:l1])
	for i := range ks {
		b.away(&ks[i], k, -1)
		b.away(&ks[i], l, 1)
	}
	for i := range ls {
		b.away(&ls[i], l, -1)
		b.away(&ls[i], k, 1)
	}
	b.lanes[k].bars = slices.Replace(b.lanes[k].bars, k0, k1, ls...)
	b.lanes[l].bars = slices.Replace(b.lanes[l].bars, l0, l1, ks...)
}

// uncrossed is the first instant after x that no bar of lane k or l crosses, x being one; ok is false where a bar between the two may not change lanes.
func (b *board) uncrossed(k, l int, x int64) (y int64, ok bool) {
	i, j := firstEndingAfter(b.lanes[k].bars, x), firstEndingAfter(b.lanes[l].bars, x)
	for y = x; ; {
		switch {
		case i < len(b.lanes[k].bars) && (y == x || b.lanes[k].bars[i].span.Start < y):
			u := &b.lanes[k].bars[i]
			if !b.mayLie(u, l) {
				return 0, false
			}
			y = max(y, u.span.End)
			i++
		case j < len(b.lanes[l].bars) && b.lanes[l].bars[j].span.Start < y:
			u := &b.lanes[l].bars[j]
			if !b.mayLie(u, k) {
				return 0, false
			}
			y = max(y, u.span.End)
			j++
		default:
			return y, true
		}
	}
}

// uncrossedBack is uncrossed to the left: the last instant before x that no bar of lane k or l crosses.
func (b *board) uncrossedBack(k, l int, x int64) (y int64, ok bool) {
	i, j := firstEndingAfter(b.lanes[k].bars, x-1), firstEndingAfter(b.lanes[l].bars, x-1)
	// A bar that ends at x lies left of it; firstEndingAfter stopped at it.
	if i < len(b.lanes[k].bars) && b.lanes[k].bars[i].span.Start < x {
		i++
	}
	if j < len(b.lanes[l].bars) && b.lanes[l].bars[j].span.Start < x {
		j++
	}
	for y = x; ; {
		switch {
		case i > 0 && (y == x || b.lanes[k].bars[i-1].span.End > y):
			i--
			u := &b.lanes[k].bars[i]
			if !b.mayLie(u, l) {
				return 0, false
			}
			y = min(y, u.span.Start)
		case j > 0 && b.lanes[l].bars[j-1].span.End > y:
			j--
			u := &b.lanes[l].bars[j]
			if !b.mayLie(u, k) {
				return 0, false
			}
			y = min(y, u.span.Start)
		default:
			return y, true
		}
	}
}

// freely says that a bar may move to any lane that stands in for its own, as far as the easy test is concerned. A slot's end is one in a pool of one lot.
func (b *board) freely(x *bar) bool { return x.bound == anywhere || x.bound == inLot && !b.lots }

// easy is Stock.easy for what lies on the board.
func (b *board) easy(room Span) (anchor int64, ok bool) {
	asked := room
	for grown := true; grown; {
		grown = false
		for l := range b.lanes {
			lo, hi := b.meet(l, room)
			if lo == hi {
				continue
			}
			if x := &b.lanes[l].bars[lo]; x.span.Start < room.Start && b.freely(x) {
				room.Start, grown = x.span.Start, true
			}
			if x := &b.lanes[l].bars[hi-1]; x.span.End > room.End && b.freely(x) {
				room.End, grown = x.span.End, true
			}
		}
	}
	all := Span{math.MinInt64, Forever}
	for l := range b.lanes {
		lo, hi := b.meet(l, room)
		for _, x := range b.lanes[l].bars[lo:hi] {
			if !b.freely(&x) {
				all = Span{max(all.Start, x.span.Start), min(all.End, x.span.End)}
			}
		}
	}
	return all.anchor(asked)
}
