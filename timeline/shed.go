package timeline

// This file owns the search for a plan of a reduction: lanes that end, and where what lies on them goes.

import (
	"cmp"
	"math/bits"
	"slices"
)

// reducer is what the parts of one plan share.
type reducer struct {
	*board  // as it is; plans are made on copies
	lot     LotNo
	amount  int
	at      int64
	current []int // lanes alive at the instant
	later   []int // lanes that begin after it
}

func (d *Draft) reducer(lot LotNo, amount int, at int64) *reducer {
	s, p := d.Stock(), LotRef(lot)
	f := s.fixityOf(p, at, d.now)
	// What lies left of the last instant that nothing movable crosses has no reason to move.
	w := s.component(p, f, Span{at, Forever}, true)
	r := &reducer{board: &board{fixity: f, stock: s, pool: p, window: w}, lot: lot, amount: amount, at: at}
	r.knowAll()
	r.layAll()
	for l := range r.lanes {
		switch slot := r.lanes[l].slot; {
		case slot.Span.Start > at:
			r.later = append(r.later, l)
		case slot.Span.End > at:
			r.current = append(r.current, l)
		}
	}
	return r
}

// past is the bars of a lane that reach past the instant, the slot's end not among them.
func (r *reducer) past(b *board, l int) []bar {
	bars := b.lanes[l].bars
	bars = bars[firstEndingAfter(bars, r.at):]
	if n := len(bars); n > 0 && bars[n-1].hold == ending {
		bars = bars[:n-1]
	}
	return bars
}

// cheap orders lanes by how little ending them costs: nothing that is with a customer, fewest holds that may not move, fewest holds, largest number. Lanes that
// cannot end are left out.
func (r *reducer) cheap(b *board, lanes []int) (list []closing) {
	for _, l := range lanes {
		c := closing{lane: l, at: max(r.at, b.lanes[l].slot.Span.Start)}
		ok := true
		for _, x := range r.past(b, l) {
			switch {
			case x.hold < 0:
			case x.bound != fixed:
				c.holds++
			case b.droppable(&x):
				c.pinned++
			default:
				ok = false
			}
		}
		if ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y closing) int {
		return cmp.Or(cmp.Compare(x.pinned, y.pinned), cmp.Compare(x.holds, y.holds), cmp.Compare(y.lane, x.lane))
	})
	return list
}

// closing is a lane that is to end, and what lies on it past that instant.
type closing struct {
	lane   int
	at     int64
	holds  int
	pinned int
}

// droppable says that a fixed bar could become a conflict: a unit that is with a customer cannot, and what is over is history.
func (b *board) droppable(x *bar) bool {
	return x.hold >= 0 && !b.holds[x.hold].Flags.Has(Out) && b.holds[x.hold].Span.End > b.now
}

// closings is the lanes to consider: need of them from those alive, more from those that begin later. ok is false where there are not as many.
func (r *reducer) closings(b *board) (now, later []closing, need, more int, ok bool) {
	now, later = r.cheap(b, r.current), r.cheap(b, r.later)
	need = min(r.amount, len(r.current))
	more = r.amount - need
	return now, later, need, more, len(now) >= need && len(later) >= more
}

// layout is what a plan comes to.
type layout struct {
	*board
	lower int // bound on moves
}

// plan looks for a plan that keeps every hold but the dropped ones, nil where it finds none.
func (r *reducer) plan(dropped []int32) *layout {
	b := r.without(dropped)
	now, later, need, more, ok := r.closings(b)
	if !ok || stays(now[:need])+stays(later[:more]) > 0 {
		return nil
	}
	lower := holds(now[:need]) + holds(later[:more])
	best := r.direct(b, now, need, later[:more], &lower)
	if best == nil {
		if over, ok := r.orphans(dropped, nil); !ok || len(over) > 0 {
			return nil // by count alone
		}
		best = r.rearranged(b, now[:need], later, more)
	}
	if best == nil || best.moved > lower {
		if swept, proven := r.sweepAll(b, best, false); swept != nil || proven && best != nil {
			if swept != nil {
				best = swept
			}
			if proven {
				lower = best.moved
			}
		}
	}
	if best == nil {
		return nil
	}
	return &layout{best, lower}
}

func holds(list []closing) (n int) {
	for i := range list {
		n += list[i].holds
	}
	return n
}

func stays(list []closing) (n int) {
	for i := range list {
		n += list[i].pinned
	}
	return n
}

// without is a copy of the board that lacks some holds.
func (r *reducer) without(dropped []int32) *board {
	b := r.board.clone()
	for l := range b.lanes {
		b.lanes[l].bars = slices.DeleteFunc(b.lanes[l].bars, func(x bar) bool { return x.hold >= 0 && slices.Contains(dropped, x.hold) })
	}
	return b
}

// directTries is how many choices of slots are tried for direct fits.
const directTries = 16

// direct looks for slots whose displaced holds all have gaps elsewhere, so that nothing else moves. Where one slot goes, a lane that fails costs a move more
// than it has holds, which may raise the bound.
func (r *reducer) direct(b *board, now []closing, need int, later []closing, lower *int) (best *board) {
	if r.amount == 1 && need == 1 {
		bound, more := -1, 1
		if slices.ContainsFunc(b.lanes, func(l lane) bool { return len(l.bars) > 0 && l.bars[len(l.bars)-1].hold == ending }) {
			more = 0 // an exchange of ends may make the gap, and moves no hold
		}
		for i, c := range now {
			if bound >= 0 && c.holds >= bound || c.pinned > 0 {
				break
			}
			if i == directTries {
				bound = min(bound, c.holds)
				break
			}
			if best = b.clone(); r.shut(best, []closing{c}, false, false) {
				if bound < 0 || c.holds < bound {
					bound = c.holds
				}
				break
			}
			best = nil
			if bound < 0 || c.holds+more < bound {
				bound = c.holds + more
			}
		}
		*lower = max(*lower, bound)
		return best
	}
	chosen, next := slices.Concat(now[:need], later), need
	for range directTries {
		try := b.clone()
		if r.shut(try, chosen, false, false) {
			return try
		}
		// The lane whose hold found no gap stays; the next one goes in its place.
		l := try.stuck[0].home
		i := slices.IndexFunc(chosen, func(c closing) bool { return c.lane == int(l) })
		if i >= need || next == len(now) || now[next].pinned > 0 {
			return nil
		}
		chosen[i] = now[next]
		next++
	}
	return nil
}

// rearranged ends slots and makes room for their holds by moving others, too. Where the slots' own ends leave too little stock later on, the earliest ends of
// the lot go in their place, and the slots that had them last longer; and those of the later slots go that begin last.
func (r *reducer) rearranged(b *board, now, later []closing, more int) *board {
	for round := range 3 {
		if round == 2 {
			if more == 0 {
				break
			}
			later = lastFirst(later)
		}
		if try := b.clone(); r.shut(try, slices.Concat(now, later[:more]), round > 0, true) {
			return try
		}
	}
	return nil
}

// lastFirst orders slots that begin later: without those that begin last, most stock is left.
func lastFirst(later []closing) []closing {
	later = slices.Clone(later)
	slices.SortStableFunc(later, func(x, y closing) int { return cmp.Compare(y.at, x.at) })
	return later
}

// shut ends lanes on the board and lays what was on them elsewhere; what finds no place is in b.stuck. earliest: it is the earliest ends of the lot that go.
func (r *reducer) shut(b *board, chosen []closing, earliest, rearrange bool) bool {
	var displaced []bar
	if earliest {
		r.passEnds(b, chosen)
	}
	for _, c := range chosen {
		bars := b.lanes[c.lane].bars
		i := firstEndingAfter(bars, c.at)
		for _, x := range bars[i:] {
			if x.hold >= 0 {
				displaced = append(displaced, x)
			}
		}
		b.lanes[c.lane].bars = append(bars[:i:i], bar{Span{c.at, Forever}, ending, int32(c.lane), inLot, false})
	}
	slices.SortFunc(displaced, func(x, y bar) int {
		return cmp.Or(cmp.Compare(x.span.Start, y.span.Start), cmp.Compare(x.home, y.home))
	})
	b.stuck = b.stuck[:0]
	var hard []bar
	for _, x := range displaced {
		if l, ok := b.tightest(&x); ok {
			b.drop(l, x)
		} else if !rearrange {
			b.stuck = append(b.stuck, x)
			return false
		} else {
			hard = append(hard, x)
		}
	}
	for _, x := range hard {
		if x.bound == fixed {
			b.stuck = append(b.stuck, x)
			continue
		}
		if l, ok := b.makeRoom(x); ok {
			b.drop(l, x)
		} else {
			b.stuck = append(b.stuck, x)
		}
	}
	return len(b.stuck) == 0
}

// tightest is the lane with a gap for x of the tightest length class, of those the first.
func (b *board) tightest(x *bar) (best int, ok bool) {
	class := classCount
	for l := range b.lanes {
		if !b.mayLie(x, l) {
			continue
		}
		gap, free := b.gap(l, x.span.Start)
		if free && gap.End >= x.span.End && lengthClass(gap) < class {
			best, class = l, lengthClass(gap)
		}
	}
	return best, class < classCount
}

// passEnds gives later ends of the chosen lanes to lanes that end earlier, but not before the chosen one closes (closedBy).
func (r *reducer) passEnds(b *board, chosen []closing) {
	var to []int
	for _, l := range slices.Concat(r.current, r.later) {
		if !slices.ContainsFunc(chosen, func(c closing) bool { return c.lane == l }) {
			to = append(to, l)
		}
	}
	chosen = slices.Clone(chosen)
	slices.SortStableFunc(chosen, func(x, y closing) int { return cmp.Compare(b.endOf(y.lane), b.endOf(x.lane)) })
	slices.SortStableFunc(to, func(x, y int) int { return cmp.Compare(b.endOf(x), b.endOf(y)) })
	for _, c := range chosen {
		i := slices.IndexFunc(to, func(l int) bool { return b.endOf(l) >= c.at })
		if i < 0 || b.endOf(c.lane) <= b.endOf(to[i]) {
			continue
		}
		was, is := b.endOf(to[i]), b.endOf(c.lane)
		b.setEnd(to[i], is)
		b.setEnd(c.lane, was)
		to = slices.Delete(to, i, i+1)
	}
}

// setEnd lets lane l end at t, whatever lies behind that.
func (b *board) setEnd(l int, t int64) {
	bars := b.lanes[l].bars
	if n := len(bars); n > 0 && bars[n-1].hold == ending {
		bars = bars[:n-1]
	}
	if t != Forever {
		bars = append(bars, bar{Span{t, Forever}, ending, int32(l), inLot, false})
	}
	b.lanes[l].bars = bars
}

// sweepSlots is the most lanes of a lot whose reduction is swept.
const sweepSlots = 8

// sweepAll looks for the plan of fewest moves by a sweep over everything on the board: fewer than best has, where there is a best. lose: holds may be left out
// where it must be, the fewest first; then what is pinned may be, too. nil where it found none.
func (r *reducer) sweepAll(b *board, best *board, lose bool) (found *board, proven bool) {
	if len(b.lanes) > sweepSlots {
		return nil, false
	}
	need := min(r.amount, len(r.current))
	more := r.amount - need
	proven = true
	// Which of the slots that begin later go, is tried one choice after the other; there are seldom any.
	for choice := range 1 << len(r.later) {
		if bits.OnesCount(uint(choice)) != more {
			continue
		}
		c := b.clone()
		q := sweep{lanes: len(c.lanes), width: reduceWidth, work: reduceWork}
		if best != nil {
			q.limit = int64(best.moved) * costMove
		}
		var closed []bar
		for range need {
			closed = append(closed, bar{Span{r.at, Forever}, closure, -1, anywhere, false})
		}
		for i, l := range r.later {
			if choice>>i&1 == 1 {
				closed = append(closed, bar{Span{c.lanes[l].slot.Span.Start, Forever}, closure, int32(l), fixed, false})
			}
		}
		if lose {
			for l := range c.lanes {
				for i := range c.lanes[l].bars {
					if x := &c.lanes[l].bars[i]; x.bound == fixed && c.droppable(x) {
						x.bound = inPlace
					}
				}
			}
		}
		bars := c.pickUp(&q, r.window, true, slices.Clone(closed)...)
		for i := range q.tasks {
			t := &q.tasks[i]
			if x := &bars[i]; x.hold == ending && x.span.Start > r.at {
				t.waive = closedBy(closed, x.span.Start)
			}
			if lose && bars[i].hold >= 0 {
				t.drop = costDrop
			}
		}
		ok := q.run()
		proven = proven && q.proven
		if !ok {
			continue
		}
		for i, l := range q.at {
			switch x := bars[i]; {
			case l < 0 && x.hold >= 0:
				c.stuck = append(c.stuck, x)
			case l < 0:
			case x.hold == closure:
				c.drop(l, bar{x.span, ending, int32(l), inLot, false})
			default:
				c.drop(l, x)
			}
		}
		if found == nil || len(c.stuck) < len(found.stuck) || len(c.stuck) == len(found.stuck) && c.moved < found.moved {
			found, best = c, c
		}
		if lose {
			best = nil
		}
	}
	return found, proven
}

// closedBy counts the closures up to an instant. No more planned ends than that may go up to it: an end goes for a slot that is gone by then, or there were a
// unit more in between.
func closedBy(closed []bar, t int64) (n int) {
	for i := range closed {
		if closed[i].span.Start <= t {
			n++
		}
	}
	return n
}

// orphans is the fewest holds that have to go, beside those that are gone, for the count to do, and ok false where that is not possible. only: which holds may go at all; nil: all that
// are not fixed.
//
// Sweep by start; where more overlap than slots stay, drop the one that ends last. That is optimal: at the first instant with too many one of them must go, all
// of them lie over it, and after it only their ends matter (maximum k-colourable subgraph of an interval graph; Faigle and Nawijn 1995, Carlisle and Lloyd
// 1995). What is fixed is kept. The slots that end are counted as those with the earliest ends, which leaves most stock, be they
// of slots that begin later, for which they could not go (closedBy): so few at least.
func (r *reducer) orphans(gone []int32, only func(*bar) bool) (out []int32, ok bool) {
	type step struct {
		at   int64
		by   int // of stock
		x    *bar
		ends bool
	}
	var list []step
	_, later, need, more, _ := r.closings(r.board)
	closed := map[int]bool{}
	for _, c := range lastFirst(later)[:min(more, len(later))] {
		closed[c.lane] = true
	}
	var ends []int64
	for l := range r.lanes {
		from, to := max(r.floor, r.lanes[l].slot.Span.Start), r.endOf(l)
		if to > r.at {
			ends = append(ends, to)
			to = Forever
		}
		if !closed[l] {
			list = append(list, step{at: from, by: 1}, step{at: to, by: -1})
		}
		for i := range r.lanes[l].bars {
			if x := &r.lanes[l].bars[i]; x.hold >= 0 && !slices.Contains(gone, x.hold) {
				list = append(list, step{at: x.span.Start, x: x}, step{at: x.span.End, x: x, ends: true})
			}
		}
	}
	list = append(list, step{at: r.at, by: -need})
	slices.Sort(ends)
	for _, t := range ends[min(r.amount, len(ends)):] {
		list = append(list, step{at: t, by: -1})
	}
	slices.SortStableFunc(list, func(x, y step) int { return cmp.Compare(x.at, y.at) })
	stock, taken := 0, 0
	var active []*bar // droppable, by end
	dropped := map[*bar]bool{}
	for i := 0; i < len(list); {
		t := list[i].at
		for ; i < len(list) && list[i].at == t; i++ {
			switch e := list[i]; {
			case e.x == nil:
				stock += e.by
			case e.ends:
				if !dropped[e.x] {
					taken--
				}
				if len(active) > 0 && active[0] == e.x {
					active = active[1:]
				}
			default:
				taken++
				if only == nil && e.x.bound != fixed || only != nil && only(e.x) {
					at, _ := slices.BinarySearchFunc(active, e.x, func(x, y *bar) int {
						return cmp.Or(cmp.Compare(x.span.End, y.span.End), cmp.Compare(x.hold, y.hold))
					})
					active = slices.Insert(active, at, e.x)
				}
			}
		}
		for active = slices.DeleteFunc(active, func(x *bar) bool { return x.span.End <= t }); taken > stock && t < Forever; taken-- {
			n := len(active) - 1
			if n < 0 {
				return nil, false
			}
			dropped[active[n]] = true
			out = append(out, active[n].hold)
			active = active[:n]
		}
	}
	slices.Sort(out)
	return out, true
}
