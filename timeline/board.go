package timeline

// This file owns the board: the slots of a pool laid out to be rearranged, with everything on them that takes room.

import (
	"cmp"
	"slices"
)

// bound is how far something on a board may be moved.
type bound uint8

const (
	anywhere bound = iota // to every lane
	among                 // to the lanes of lots that meet its wish, and not all of them do
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

// lane is a slot and what is on it. Bars of a lane never overlap.
type lane struct {
	slot Slot
	rail *rail // what it held at first
	laid bool  // bars hold what is on it; until then it is as it was
	bars []bar // by start
}

// fixity says what one command may not move. That depends on the command and on its instant.
type fixity struct {
	now   int64
	floor int64 // nothing left of it is looked at: what began before it needs room from it on
	lots  bool  // the pool has several lots

	choosing *choosing // nil: no hold is choosy
}

// of is how far a seated hold may be moved. A hold that is over is history; one that is handed over is with a customer.
func (f fixity) of(h *Hold) bound {
	switch {
	case h.Flags.Any(Out|PinnedSlot) || h.Span.End <= f.now:
		return fixed
	case f.lots && h.Flags.Any(toLot):
		return inLot
	case f.lots && h.Flags.Has(Choosy):
		return f.choosing.of(h)
	}
	return anywhere
}

// fixityOf is the fixity of a pool for a seat that takes room from start on.
func (s *Stock) fixityOf(p PoolRef, start, now int64) fixity {
	return fixity{now: now, floor: min(now, start), lots: len(s.Lots(p)) > 1, choosing: s.choosingOf(p, now)}
}

// board is the slots of a pool from the floor on, to try things on. It is changed by exchange, lift and drop, and read
// off at the end: what lies on another lane than its home has been moved.
//
// Nothing is copied before it is touched: a lane is laid when something on it may change, and of a pool of more than
// boardLanes slots only lanes are known that were found free somewhere. Slots that end at the floor or earlier are not
// on the board: no room is theirs to give.
type board struct {
	fixity
	stock  *Stock
	pool   PoolRef
	window Span // what lies outside has no reason to move; empty: not known yet
	wide   bool // not all lanes of the pool are known
	lanes  []lane
	known  map[SlotNo]int // of a wide board: the lanes, by slot
	holds  []*Hold
	wish   *wish // of the hold to be seated, where it is choosy

	moved  int   // holds that are away from home
	looked int   // what searches looked at: lanes that were asked whether they are free, again and again
	proven bool  // after a search: what it did not find there is not
	stuck  []bar // what found no place when lanes ended
}

// wide says that more than boardLanes slots of a pool are there after the floor. Those that ended before are on no
// board.
func (s *Stock) wide(p PoolRef, floor int64) bool {
	if s.SlotCount(p) <= boardLanes {
		return false
	}
	n := 0
	for no := range s.slotNos(p) {
		if s.slot(no).span.End > floor {
			n++
		}
		if n > boardLanes {
			return true
		}
	}
	return false
}

// newBoard is a board of the pool.
func (s *Stock) newBoard(p PoolRef, f fixity) *board {
	b := &board{fixity: f, stock: s, pool: p}
	if b.wide = s.wide(p, f.floor); b.wide {
		b.known = map[SlotNo]int{}
	} else {
		b.knowAll()
	}
	return b
}

// knowAll makes all lanes known, by number.
func (b *board) knowAll() {
	b.wide, b.known = false, nil
	b.lanes = make([]lane, 0, min(boardLanes, b.stock.SlotCount(b.pool)))
	for _, lot := range b.stock.Lots(b.pool) {
		for _, no := range b.stock.lot(lot).slots {
			b.know(no)
		}
	}
	if b.lots {
		slices.SortFunc(b.lanes, func(x, y lane) int { return cmp.Compare(x.slot.No, y.slot.No) })
	}
}

// knowLots makes lanes of the lots that meet a wish known: first those from which all may leave for another lot that is
// in the way over the room, of these those first that are free at its start.
func (b *board) knowLots(w *wish, room Span) {
	left := boardLanes
	for _, suits := range [...]func(no SlotNo) bool{
		func(no SlotNo) bool {
			_, free := b.stock.FreeAround(no, room.Start)
			return free && b.mayClear(no, room)
		},
		func(no SlotNo) bool { return b.mayClear(no, room) },
		func(SlotNo) bool { return true },
	} {
		for _, lot := range b.stock.Lots(b.pool) {
			if !w.met(lot) {
				continue
			}
			for _, no := range b.stock.lot(lot).slots {
				if left == 0 {
					return
				}
				if b.laneOf(no) < 0 && suits(no) {
					b.know(no)
					left--
				}
			}
		}
	}
}

// mayClear says that a slot is alive over a room, and that all that is in the way there may leave for another lot.
func (b *board) mayClear(no SlotNo, room Span) bool {
	e := b.stock.slot(no)
	if !e.span.Covers(room) {
		return false
	}
	for h, p := e.rail.next(e.rail.from(room.Start)); h != nil && seatStart(h) < room.End; h, p = e.rail.next(p) {
		if b.of(h) >= inLot {
			return false
		}
	}
	return true
}

// know adds a lane.
func (b *board) know(no SlotNo) {
	if e := b.stock.slot(no); e.span.End > b.floor {
		if b.wide {
			b.known[no] = len(b.lanes)
		}
		b.lanes = append(b.lanes, lane{slot: Slot{e.id, no, e.lot, e.span}, rail: &e.rail})
	}
}

// layAll lays every lane, so that bars can be read anywhere.
func (b *board) layAll() {
	for l := range b.lanes {
		b.on(l)
	}
}

// on is what is on lane l.
func (b *board) on(l int) []bar {
	x := &b.lanes[l]
	if x.laid {
		return x.bars
	}
	x.laid = true
	from := x.rail.from(b.floor)
	n := x.rail.left(from)
	bars := make([]bar, 0, n+3) // beginning and end, and what is to come
	b.holds = slices.Grow(b.holds, n)
	if x.slot.Span.Start > b.floor {
		bars = append(bars, bar{Span{b.floor, x.slot.Span.Start}, beginning, int32(l), fixed, false})
	}
	for h, p := x.rail.next(from); h != nil; h, p = x.rail.next(p) {
		bars = append(bars,
			bar{Span{max(b.floor, seatStart(h)), h.Span.End}, int32(len(b.holds)), int32(l), b.of(h), false})
		b.holds = append(b.holds, h)
	}
	if !x.slot.Span.Open() {
		bars = append(bars, bar{Span{x.slot.Span.End, Forever}, ending, int32(l), inLot, false})
	}
	x.bars = bars
	return bars
}

// meet is the range of bars of lane l that overlap w.
func (b *board) meet(l int, w Span) (lo, hi int) {
	bars := b.on(l)
	lo = firstEndingAfter(bars, w.Start)
	for hi = lo; hi < len(bars) && bars[hi].span.Start < w.End; hi++ {
	}
	return lo, hi
}

// inWay counts the holds in the way of a bar over w on lane l; ok is false where they are more than most, or something
// there may not be moved.
func (b *board) inWay(l int, w Span, most int) (n int, ok bool) {
	x := &b.lanes[l]
	if x.laid {
		for i := firstEndingAfter(x.bars, w.Start); i < len(x.bars) && x.bars[i].span.Start < w.End; i++ {
			u := &x.bars[i]
			if u.hold >= 0 {
				n++
			}
			if u.locked || u.bound >= inPlace || n > most {
				return 0, false
			}
		}
		return n, true
	}
	if x.slot.Span.Start > w.Start {
		return 0, false
	}
	for h, p := x.rail.next(x.rail.from(w.Start)); h != nil && seatStart(h) < w.End; h, p = x.rail.next(p) {
		if n++; n > most || b.of(h) == fixed {
			return 0, false
		}
	}
	return n, true
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

// gap is the free stretch of lane l around [t, t+1), not left of the floor; ok is false where the lane is taken then.
func (b *board) gap(l int, t int64) (gap Span, ok bool) {
	x := &b.lanes[l]
	if !x.laid {
		if !x.slot.Span.Holds(t) {
			return Span{}, false
		}
		gap, ok = x.rail.around(t, x.slot.Span)
		gap.Start = max(gap.Start, b.floor)
		return gap, ok
	}
	gap = Span{b.floor, Forever}
	i := firstEndingAfter(x.bars, t)
	if i < len(x.bars) {
		if x.bars[i].span.Start <= t {
			return Span{}, false
		}
		gap.End = x.bars[i].span.Start
	}
	if i > 0 {
		gap.Start = x.bars[i-1].span.End
	}
	return gap, true
}

// mayLie says that the bar may lie on lane l at all.
func (b *board) mayLie(x *bar, l int) bool {
	switch x.bound {
	case anywhere:
		return true
	case among:
		return b.wishOf(x).met(b.lanes[l].slot.Lot)
	case inLot:
		return b.lanes[l].slot.Lot == b.lanes[x.home].slot.Lot
	}
	return int32(l) == x.home
}

// wishOf is the wish of a bar that may go to some lots alone.
func (b *board) wishOf(x *bar) *wish {
	if x.hold == incoming {
		return b.wish
	}
	return b.choosing.wishes.of(b.holds[x.hold])
}

// clone is a copy of the board to be changed.
func (b *board) clone() *board {
	c := *b
	c.lanes = slices.Clone(b.lanes)
	for l := range c.lanes {
		c.lanes[l].bars = slices.Clone(c.lanes[l].bars)
	}
	return &c
}

// endOf is where lane l ends.
func (b *board) endOf(l int) int64 {
	if bars := b.on(l); len(bars) > 0 && bars[len(bars)-1].hold == ending {
		return bars[len(bars)-1].span.Start
	}
	return Forever
}

// away counts a bar as moved, by +1 or -1, where it lies on lane l.
func (b *board) away(x *bar, l int, by int) {
	if x.hold >= 0 && x.home != int32(l) {
		b.moved += by
	}
}

// drop puts a bar on lane l, where nothing overlaps it.
func (b *board) drop(l int, x bar) {
	bars := b.on(l)
	b.lanes[l].bars = slices.Insert(bars, firstEndingAfter(bars, x.span.Start), x)
	b.away(&x, l, 1)
}

// lift takes the bar that starts at t off lane l.
func (b *board) lift(l int, t int64) {
	bars := b.on(l)
	i := firstEndingAfter(bars, t)
	x := bars[i]
	b.lanes[l].bars = slices.Delete(bars, i, i+1)
	b.away(&x, l, -1)
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

// uncrossed is the first instant after x that no bar of lane k or l crosses, x being one; ok is false where a bar
// between the two may not change lanes.
func (b *board) uncrossed(k, l int, x int64) (y int64, ok bool) {
	ks, ls := b.on(k), b.on(l)
	i, j := firstEndingAfter(ks, x), firstEndingAfter(ls, x)
	for y = x; ; {
		switch {
		case i < len(ks) && (y == x || ks[i].span.Start < y):
			if !b.mayLie(&ks[i], l) {
				return 0, false
			}
			y = max(y, ks[i].span.End)
			i++
		case j < len(ls) && ls[j].span.Start < y:
			if !b.mayLie(&ls[j], k) {
				return 0, false
			}
			y = max(y, ls[j].span.End)
			j++
		default:
			return y, true
		}
	}
}

// uncrossedBack is uncrossed to the left: the last instant before x that no bar of lane k or l crosses.
func (b *board) uncrossedBack(k, l int, x int64) (y int64, ok bool) {
	ks, ls := b.on(k), b.on(l)
	i, j := startingBefore(ks, x), startingBefore(ls, x)
	for y = x; ; {
		switch {
		case i > 0 && (y == x || ks[i-1].span.End > y):
			i--
			if !b.mayLie(&ks[i], l) {
				return 0, false
			}
			y = min(y, ks[i].span.Start)
		case j > 0 && ls[j-1].span.End > y:
			j--
			if !b.mayLie(&ls[j], k) {
				return 0, false
			}
			y = min(y, ls[j].span.Start)
		default:
			return y, true
		}
	}
}

// apart is the least stretch around w that no bar of lane k or l crosses; ok is false where a bar in it may not change
// lanes.
func (b *board) apart(k, l int, w Span) (over Span, ok bool) {
	for over = w; ; w = over {
		for _, x := range [2]struct{ on, to int }{{k, l}, {l, k}} {
			lo, hi := b.meet(x.on, w)
			for i := lo; i < hi; i++ {
				u := &b.lanes[x.on].bars[i]
				if !b.mayLie(u, x.to) {
					return over, false
				}
				over.Start, over.End = min(over.Start, u.span.Start), max(over.End, u.span.End)
			}
		}
		if over == w {
			return over, true
		}
	}
}

// startingBefore counts the bars that start before t.
func startingBefore(bars []bar, t int64) int {
	i := firstEndingAfter(bars, t)
	if i < len(bars) && bars[i].span.Start < t {
		i++
	}
	return i
}
