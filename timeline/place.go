package timeline

// This file owns seating: which slot a hold gets, and which holds move to make room for it.

import (
	"cmp"
	"math"
	"slices"
)

// Rule is how a hold is seated.
type Rule uint8

const (
	// Exact moves others where that makes room. It refuses only where the count of free units is 0 or the pool is not
	// easy and the search found nothing.
	Exact Rule = iota
	// BestFit takes a gap of the tightest length class and never moves anything. A baseline for comparison.
	BestFit
	// FirstFit takes the first slot with a gap and never moves anything. A baseline for comparison.
	FirstFit
)

// Refusal is why something cannot be done. The zero value is no refusal.
type Refusal uint8

const (
	Granted Refusal = iota
	// at some instant of the room no unit is free; of a reduction: fewer units than are to go
	NotEnoughStock
	// a unit is free at every instant, but the search found no way around what may not move
	FragmentedByPinnedHolds
	HoldsExceedRemainingStock // of a reduction: at some instant more holds than units that stay
	PinnedHoldsInTheWay       // of a reduction: the count would do, but what may not move stands in the way
)

// String is the reason as the interface spells it; empty where nothing was refused.
func (r Refusal) String() string {
	return [...]string{"", "not_enough_stock", "fragmented_by_pinned_holds", "holds_exceed_remaining_stock",
		"pinned_holds_in_the_way"}[r]
}

// Seat seats a hold on a slot of p, moving others of p where the rule allows and it must. Over the hold's seat the
// count of free units is at least 1, with conflicts counted as committed, except for what the command's own holds had
// before (MayTake): no hold takes what a conflict is waiting for. A choosy one is seated on a lot that meets its wish.
//
// Of the slots it prefers a free one whose gap is of the tightest length class (factor 2); where there is none, fewest
// moved holds as far as a bounded search finds; then the smallest number. A moved hold keeps its range; only its slot
// changes, and its lot where p has several.
//
// A hold that is pinned to an article is seated on the article's lot: p is that lot, and SeatNamed continues where Seat
// fails. Where p is one lot, its holds move among its own slots and take along their slots' ends. Holds that are out,
// over or pinned to a slot never move, those pinned to an article only inside their lot. In an easy pool (easy) this
// never refuses; elsewhere the search is bounded in steps.
func (d *Draft) Seat(p PoolRef, h Hold, r Rule) (Place, Refusal) {
	s, room := d.Stock(), h.Seat()
	w := s.asks(p, &h, d.now)
	if s.ConflictCount(p) > 0 && !d.MayTake(p, room) {
		return Place{}, NotEnoughStock
	}
	var no SlotNo
	var ok bool
	if r == FirstFit {
		no, ok = s.firstGap(p, room)
	} else {
		no, ok = s.tight(p, w, room)
	}
	if ok {
		at := Place{s.slot(no).lot, no}
		d.put(h, at)
		return at, Granted
	}
	if s.short(p, room) {
		return Place{}, NotEnoughStock
	}
	if r != Exact {
		return Place{}, FragmentedByPinnedHolds
	}
	return d.rearrange(p, 0, w, h)
}

// SeatLike seats holds with the same seat and flags on slots of p, as Seat does one after the other, and says how many:
// as many as the first of them as find a plain gap where no conflict and no wish is to be looked at. The slots of so
// many are listed once, where p has many.
func (d *Draft) SeatLike(p PoolRef, n int, hold func(i int) Hold, r Rule) (seated int) {
	if n < 2 || r == FirstFit || d.work == nil && d.base.large(p) == nil {
		return 0 // nothing is copied for one
	}
	s, like := d.copied(), hold(0)
	l := s.large(p)
	if no, ok := p.Lot(); ok { // its article was named
		if _, contested := s.contested(no); contested {
			return 0
		}
	}
	if l == nil || s.ConflictCount(p) > 0 || s.asks(p, &like, d.now) != nil {
		return 0
	}
	s.flushGaps() // nothing else is looked at
	slots := l.gaps.tightest(like.Seat(), n)
	for i, no := range slots {
		d.put(hold(i), Place{s.slot(no).lot, no})
	}
	return len(slots)
}

// SeatOn seats a hold on the slot no of p and nowhere else, moving away others that may move. The count is not looked
// at: of the slots of p the caller has chosen this one.
func (d *Draft) SeatOn(p PoolRef, no SlotNo, h Hold) (Place, Refusal) {
	s, room := d.Stock(), h.Seat()
	if gap, ok := s.FreeAround(no, room.Start); ok && gap.End >= room.End {
		at := Place{s.slot(no).lot, no}
		d.put(h, at)
		return at, Granted
	}
	return d.rearrange(p, no, nil, h)
}

// SeatOnLot seats a hold on a slot of one lot of p, moving away others that may move, to other lots of p too. The count
// is not looked at.
func (d *Draft) SeatOnLot(p PoolRef, no LotNo, h Hold) (Place, Refusal) {
	s := d.Stock()
	w := onLot(no)
	if slot, ok := s.tight(p, w, h.Seat()); ok {
		at := Place{no, slot}
		d.put(h, at)
		return at, Granted
	}
	return d.rearrange(p, 0, w, h)
}

// Reseat gives the hold that is there under h's id another range, as h says, and seats it again: on its own slot where
// it may not leave it or has room there, else as Seat does, within p. It is judged by seats alone: a unit that is
// handed over is there, whatever is counted for conflicts, which have none. One that is pinned to its article asks that
// lot, from which others move out to the rest of p. It is refused whole: the hold stays as it was.
func (d *Draft) Reseat(p PoolRef, h Hold) (Place, Refusal) {
	_, at, ok := d.Find(h.ID)
	if !ok {
		panic("timeline: no hold to seat again")
	}
	near := p
	if h.Flags.Any(toLot) && at.Seated() || h.Flags.Has(PinnedArticle) {
		near = LotRef(at.Lot)
	}
	if d.Stretch(h) {
		return at, Granted
	}
	f := d.Fork()
	f.Take(h.ID)
	to, why := f.reseat(near, h, at)
	if why != Granted && near != p {
		if h.Flags.Has(PinnedSlot) {
			to, why = f.SeatOn(p, at.Slot, h)
		} else {
			to, why = f.SeatOnLot(p, at.Lot, h)
		}
	}
	if why == Granted {
		d.Adopt(f)
	}
	return to, why
}

func (d *Draft) reseat(p PoolRef, h Hold, at Place) (Place, Refusal) {
	s, room := d.Stock(), h.Seat()
	if at.Seated() {
		gap, ok := s.FreeAround(at.Slot, room.Start)
		if ok && gap.End >= room.End || h.Flags.Any(Out|PinnedSlot) {
			return d.SeatOn(p, at.Slot, h)
		}
	}
	w := s.asks(p, &h, d.now)
	if no, ok := s.tight(p, w, room); ok {
		to := Place{s.slot(no).lot, no}
		d.put(h, to)
		return to, Granted
	}
	return d.rearrange(p, 0, w, h)
}

// firstGap is the slot of the smallest number with a gap for need.
func (s *Stock) firstGap(p PoolRef, need Span) (first SlotNo, ok bool) {
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if gap, free := s.FreeAround(no, need.Start); free && gap.End >= need.End && (!ok || no < first) {
				first, ok = no, true
				break // the lot's other slots have larger numbers
			}
		}
	}
	return first, ok
}

// rearrange makes room for a hold by moving others and seats it, on slot no where that is not 0, else on a lot that
// meets the wish, where there is one.
func (d *Draft) rearrange(p PoolRef, no SlotNo, w *wish, h Hold) (Place, Refusal) {
	s, room := d.Stock(), h.Seat()
	b, l, ok := s.makeRoom(p, no, w, room, d.now)
	d.searched += b.cost()
	if !ok {
		if s.Full(p, room) {
			return Place{}, NotEnoughStock
		}
		return Place{}, FragmentedByPinnedHolds
	}
	d.carryOut(b)
	at := Place{b.lanes[l].slot.Lot, b.lanes[l].slot.No}
	d.put(h, at)
	return at, Granted
}

// makeRoom looks for a rearrangement of p after which a lane is free over room: slot no's where that is not 0, else one
// of a lot that meets the wish, where there is one. The board is what it comes to.
func (s *Stock) makeRoom(p PoolRef, no SlotNo, w *wish, room Span, now int64) (b *board, l int, ok bool) {
	f := s.fixityOf(p, room.Start, now)
	b = s.newBoard(p, f)
	x := bar{span: room, hold: incoming, home: -1, bound: anywhere}
	if b.wish = w; w != nil && no == 0 {
		if x.bound = among; b.wide {
			b.knowLots(w, room)
		}
	}
	if no != 0 {
		if b.wide {
			b.know(no)
		}
		x.home, x.bound = int32(b.laneOf(no)), inPlace
		if x.home < 0 {
			return b, 0, false
		}
	}
	l, ok = b.makeRoom(x)
	return b, l, ok
}

// makeRoom rearranges the board so that x, which is not on it, can be dropped on lane l. First the exchange walk, which
// never fails on an easy board; then the search for few moves; then the sweep, which knows whether there is a way at
// all unless it has to cut; and where only some lanes will do, a walk to any lane, which changes places with one of
// them. After a failure the board is as it was.
func (b *board) makeRoom(x bar) (l int, ok bool) {
	w := walk{board: b, room: x.span, only: -1, left: exchangeSteps}
	w.among = x.bound == among
	if x.bound == inPlace {
		w.only = int(x.home)
	}
	was := b.moved
	if w.run() {
		if limit := b.moved - was - 1; limit > 0 {
			w.undo()
			if l, ok := b.fewest(x, min(limit, ejectMoves)); ok {
				return l, true
			}
			w.redo()
		}
		return w.lane, true
	}
	if l, ok := b.fewest(x, ejectMoves); ok {
		return l, true
	}
	if l, ok := b.sweepFor(x); ok || b.proven || !w.among {
		return l, ok
	}
	ok = w.runAnywhere()
	return w.lane, ok
}

// laneOf is the lane of a slot, or -1.
func (b *board) laneOf(no SlotNo) int {
	if b.wide {
		if l, ok := b.known[no]; ok {
			return l
		}
		return -1
	}
	for l := range b.lanes {
		if b.lanes[l].slot.No == no {
			return l
		}
	}
	return -1
}

// carryOut makes the changes on the draft that the board shows: holds on other lanes than their home, and ends that
// went with them.
func (d *Draft) carryOut(b *board) {
	s := d.own()
	moved := func(do func(x *bar, l int)) {
		for l := range b.lanes {
			for i := range b.lanes[l].bars {
				if x := &b.lanes[l].bars[i]; x.hold >= 0 && x.home != int32(l) {
					do(x, l)
				}
			}
		}
	}
	moved(func(x *bar, l int) {
		s.Remove(b.holds[x.hold].ID)
		if from := b.lanes[x.home].slot.Lot; from != b.lanes[l].slot.Lot {
			d.leave(from, x.span)
		}
	})
	for l := range b.lanes {
		if slot := b.lanes[l].slot; b.lanes[l].laid && b.endOf(l) != slot.Span.End {
			d.EndSlot(slot.No, b.endOf(l))
		}
	}
	moved(func(x *bar, l int) {
		h := *b.holds[x.hold]
		if h.Seat().Start < b.floor {
			h = h.WithCut(b.floor - h.Span.Start)
		}
		s.Put(h, Place{b.lanes[l].slot.Lot, b.lanes[l].slot.No})
		d.touched = append(d.touched, h.ID)
	})
}

// sweepFor lays everything on the board anew with x among it, by the sweep, and lifts x again. After a failure the
// board is as it was, and b.proven says whether there is no way at all.
func (b *board) sweepFor(x bar) (l int, ok bool) {
	if b.wide || len(b.lanes) > sweepLanes {
		return 0, false
	}
	w := b.window
	if w.Empty() {
		w = b.stock.component(b.pool, b.fixity, x.span, true)
	}
	b.layAll()
	if b.proven = b.impossible(x, w); b.proven {
		return 0, false
	}
	c, q := b.clone(), sweep{lanes: len(b.lanes), width: seatWidth, work: seatWork}
	bars := c.pickUp(&q, w, true, x)
	ok = q.run()
	b.looked += q.looks(seatWork)
	if b.proven = q.proven; !ok {
		return 0, false
	}
	for i := range bars {
		if bars[i] == x { // unlike all others it is incoming, or not on its home
			l = q.at[i]
		} else {
			c.drop(q.at[i], bars[i])
		}
	}
	b.lanes, b.moved = c.lanes, c.moved
	return l, true
}

// impossible says that there is no way to lay x and just what overlaps its span, or some stretch around it, whatever
// becomes of the rest: what cannot be done mostly cannot for what is fixed close by, and that few intervals prove it.
// Where they can be laid it says nothing.
func (b *board) impossible(x bar, all Span) bool {
	for w, length := x.span, x.span.Length(); ; {
		c, q := b.clone(), sweep{lanes: len(b.lanes), width: seatWidth, work: seatWork / 4}
		c.pickUp(&q, w, false, x)
		for i := range q.tasks { // homes tell lanes apart, and moves cost nothing here
			q.tasks[i].home, q.tasks[i].cost = -1, 0
		}
		ok := q.run()
		if b.looked += q.looks(seatWork / 4); !ok {
			return q.proven
		}
		if w.Covers(all) || length > Forever/8 {
			return false
		}
		w = Span{w.Start - length, w.End + length}.Clip(all)
		length *= 4
	}
}

// pickUp takes everything that overlaps w and may move off the board and, with more, makes it the tasks of a sweep; the
// fixed bars stay and say which lanes each may have. bars[i] is what tasks[i] stands for. Bars outside w stay as they
// are, or, without keep, are forgotten. No bar that may move crosses the ends of w.
func (b *board) pickUp(q *sweep, w Span, keep bool, more ...bar) (bars []bar) {
	bars = more
	for l := range b.lanes {
		stay := b.on(l)[:0]
		for _, x := range b.lanes[l].bars {
			switch {
			case x.bound == fixed, keep && !x.span.Overlaps(w):
				stay = append(stay, x)
				continue
			case !x.span.Overlaps(w):
				continue
			}
			b.away(&x, l, -1)
			bars = append(bars, x)
		}
		b.lanes[l].bars = stay
	}
	slices.SortFunc(bars, func(x, y bar) int {
		return cmp.Or(cmp.Compare(x.span.Start, y.span.Start), cmp.Compare(x.home, y.home))
	})
	for i := range bars {
		x := &bars[i]
		t := task{span: x.span, home: int(x.home)}
		switch {
		case x.hold >= 0:
			t.cost = costMove
		case x.hold == ending:
			t.cost, t.close = costEnd, true
		case x.hold == closure:
			t.close = true
			if x.home >= 0 {
				t.cost = costEnd
			}
		}
		for l := range b.lanes {
			if lo, hi := b.meet(l, x.span); lo == hi && b.mayLie(x, l) {
				t.lanes |= 1 << l
			}
		}
		q.tasks = append(q.tasks, t)
	}
	return bars
}

// Full says that at some instant of w every unit of p has a hold: that room is short whatever moves. Conflicts are not
// looked at. It goes from gap to gap, always to the end of the one that reaches furthest.
func (s *Stock) Full(p PoolRef, w Span) bool {
	for t := w.Start; t < w.End; {
		end := s.freeUntil(p, t)
		if end <= t {
			return true
		}
		t = end
	}
	return false
}

// short is Full, of a pool without conflicts by the count, which is looked up.
func (s *Stock) short(p PoolRef, w Span) bool {
	if s.ConflictCount(p) > 0 {
		return s.Full(p, w)
	}
	free, _, _, _ := s.MinFree(p, w)
	return free < 1
}

// freeUntil is the latest end of a gap over the instant t, or some earlier instant where no slot of p is free at t.
func (s *Stock) freeUntil(p PoolRef, t int64) int64 {
	end := int64(math.MinInt64)
	if l := s.large(p); l != nil {
		for c := range l.gaps {
			if n := l.gaps[c].root; n != nil {
				end = max(end, lastEnd(n, t))
			}
		}
		return end
	}
	for no := range s.slotNos(p) {
		if gap, ok := s.FreeAround(no, t); ok {
			end = max(end, gap.End)
		}
	}
	return end
}

// lastEnd is the latest end of the gaps of n that start at t or earlier.
func lastEnd(n *gapNode, t int64) int64 {
	end := int64(math.MinInt64)
	for i := 0; i < len(n.keys) && n.keys[i].time() <= t; i++ {
		switch {
		case n.in == nil:
			end = max(end, n.vals[i])
		case i+1 < len(n.keys) && n.keys[i+1].time() <= t:
			end = max(end, n.in.sums[i].last)
		default:
			end = max(end, lastEnd(n.in.kids[i], t))
		}
	}
	return end
}
