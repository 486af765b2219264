package timeline

// This file owns the search for a plan of a reduction: lanes that end, and where what lies on them goes.

import (
	"cmp"
	"slices"
)

// reducer is what the parts of one plan share.
type reducer struct {
	*board  // as it is; plans are made on copies
	lot     LotNo
	amount  int
	at      int64
	lasting []int // lanes that end after the instant

	counted bool // excess is known
	over    []int32
	can     bool
}

// reducer lays out a lot, or the pool of it.
func (d *Draft) reducer(p PoolRef, lot LotNo, amount int, at int64) *reducer {
	s := d.Stock()
	f := s.fixityOf(p, at, d.now)
	// What lies left of the last instant that nothing movable crosses has no reason to move.
	w := s.component(p, f, Span{at, Forever}, true)
	r := &reducer{board: &board{fixity: f, stock: s, pool: p, window: w}, lot: lot, amount: amount, at: at}
	r.knowAll()
	r.layAll()
	for l := range r.lanes {
		if r.lanes[l].slot.Span.End > at {
			r.lasting = append(r.lasting, l)
		}
	}
	return r
}

// past is the bars of a lane that reach past an instant, the slot's end not among them.
func (b *board) past(l int, t int64) []bar {
	bars := b.lanes[l].bars
	bars = bars[firstEndingAfter(bars, t):]
	if n := len(bars); n > 0 && bars[n-1].hold == ending {
		bars = bars[:n-1]
	}
	return bars
}

// closable orders the lanes that are alive at an instant by how little ending them then costs. Lanes that cannot end
// then, because something that is with a customer or over lies there, are left out.
func (r *reducer) closable(b *board, t int64) (list []closing) {
	for _, l := range r.lasting {
		slot := b.lanes[l].slot
		if slot.Span.Start > t || b.endOf(l) <= t {
			continue
		}
		c := closing{lane: l, at: t, fresh: slot.Span.Start == t, ends: b.endOf(l) != Forever}
		ok := true
		bars := b.past(l, t)
		for i := range bars {
			switch x := &bars[i]; {
			case x.hold < 0:
			case x.bound != fixed:
				c.holds++
			case b.droppable(x):
				c.pinned++
			default:
				ok = false
			}
		}
		if ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, closing.compare)
	return list
}

// closing is a lane that is to end at an instant.
type closing struct {
	lane   int
	at     int64
	holds  int  // past the instant, those that may move
	pinned int  // and those that may not
	fresh  bool // it begins just then: to end it calls off what was planned
	ends   bool // it has an end, which is to be handed on
}

// compare orders lanes by what it costs to end them: fewest holds that may not move, fewest holds, one that begins just
// then, one without an end, the largest number.
func (c closing) compare(o closing) int {
	rank := func(c closing) int {
		switch {
		case c.fresh:
			return 0
		case !c.ends:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(c.pinned, o.pinned), cmp.Compare(c.holds, o.holds), cmp.Compare(rank(c), rank(o)),
		cmp.Compare(o.lane, c.lane))
}

// droppable says that a fixed bar could become a conflict: a unit that is with a customer cannot, and what is over is
// history.
func (b *board) droppable(x *bar) bool {
	return x.hold >= 0 && !b.holds[x.hold].Flags.Has(Out) && b.holds[x.hold].Span.End > b.now
}

// bound gets what can be closed now, and gives a lower bound of the moves of any plan. At the plan's instant, and at
// each planned end after it, as many more lanes have ended as must go. No choice of these lanes has fewer holds past
// that instant than the cheapest lanes have. ok is false if fewer lanes can end than must go, so that no plan keeps all
// holds. The planned ends of lots of many lanes are not looked at.
func (r *reducer) bound(b *board, now []closing) (moves int, ok bool) {
	judge := func(list []closing) bool {
		if len(list) < r.amount || stays(list[:r.amount]) > 0 {
			return false
		}
		moves = max(moves, holds(list[:r.amount]))
		return true
	}
	if ok = judge(now); ok && len(r.lasting) <= boardLanes {
		for _, l := range r.lasting {
			if end := b.endOf(l); end != Forever && !judge(r.closable(b, end)) {
				return moves, false
			}
		}
	}
	return moves, ok
}

// layout is what a plan comes to.
type layout struct {
	*board
	lower int // bound on moves
}

// plan looks for a plan that keeps every hold but the dropped ones, nil where it finds none. Without these, where there
// are some, the count is enough.
func (r *reducer) plan(dropped []int32) *layout {
	b := r.without(dropped)
	now := r.closable(b, r.at)
	lower, ok := r.bound(b, now)
	if !ok {
		return nil
	}
	best := r.direct(b, now, &lower)
	if best == nil {
		if dropped == nil {
			if over, ok := r.excess(); !ok || len(over) > 0 {
				return nil // by count alone
			}
		}
		best = r.rearranged(b, now)
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
	b, lacks := r.board.clone(), r.marked(dropped)
	for l := range b.lanes {
		b.lanes[l].bars = slices.DeleteFunc(b.lanes[l].bars, func(x bar) bool { return x.hold >= 0 && lacks[x.hold] })
	}
	return b
}

// marked says of each hold of the board whether it is one of some.
func (b *board) marked(some []int32) []bool {
	is := make([]bool, len(b.holds))
	for _, h := range some {
		is[h] = true
	}
	return is
}

// directTries is how many choices of slots are tried for direct fits.
const directTries = 16

// direct looks for slots whose displaced holds, and ends, all have gaps elsewhere, so that nothing else moves. Where
// one slot goes, a lane that fails costs a move more than it has holds, which may raise the bound.
func (r *reducer) direct(b *board, now []closing, lower *int) (best *board) {
	if r.amount == 1 {
		bound, more := -1, 1
		if slices.ContainsFunc(b.lanes,
			func(l lane) bool { return len(l.bars) > 0 && l.bars[len(l.bars)-1].hold == ending }) {
			more = 0 // an exchange of ends may make the gap, and moves no hold
		}
		for i, c := range now {
			if bound >= 0 && c.holds > bound || c.pinned > 0 {
				break
			}
			if i == directTries {
				bound = min(bound, c.holds)
				break
			}
			if best = b.clone(); r.shut(best, now[i:i+1], false) {
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
	if len(b.lanes) > boardLanes { // reduceEmptiest has tried that
		return nil
	}
	chosen, next := slices.Clone(now[:r.amount]), r.amount
	for range directTries {
		try := b.clone()
		if r.shut(try, chosen, false) {
			return try
		}
		// The lane whose hold or end found no gap stays; the next one goes in its place.
		l := try.stuck[0].home
		i := slices.IndexFunc(chosen, func(c closing) bool { return c.lane == int(l) })
		if next == len(now) || now[next].pinned > 0 {
			return nil
		}
		chosen[i] = now[next]
		next++
	}
	return nil
}

// rearranged ends slots and makes room for their holds, and for the ends that they hand on, by moving others, too: the
// emptiest slots, then those without a planned end, then whichever end last for what may not move. The first of these
// ways that leads there is taken.
func (r *reducer) rearranged(b *board, now []closing) *board {
	try := b.clone()
	if r.shut(try, now[:r.amount], true) {
		return try
	}
	open := slices.DeleteFunc(slices.Clone(now), func(c closing) bool { return c.ends || c.pinned > 0 })
	if len(open) >= r.amount && slices.ContainsFunc(now[:r.amount], func(c closing) bool { return c.ends }) {
		if try = b.clone(); r.shut(try, open[:r.amount], true) {
			return try
		}
	}
	try = b.clone()
	if displaced, ok := r.match(try, func(x *bar) bool { return x.bound != fixed }); ok &&
		r.settle(try, displaced, true) {
		return try
	}
	return nil
}

// shut ends lanes on the board and lays what was on them elsewhere, their own ends among it; what finds no place is in
// b.stuck.
func (r *reducer) shut(b *board, chosen []closing, rearrange bool) bool {
	var displaced []bar
	for _, c := range chosen {
		bars := b.lanes[c.lane].bars
		i := firstEndingAfter(bars, c.at)
		displaced = append(displaced,
			slices.DeleteFunc(slices.Clone(bars[i:]), func(x bar) bool { return x.hold == beginning })...)
		b.lanes[c.lane].bars = bars[:i]
		b.setEnd(c.lane, c.at)
	}
	return r.settle(b, displaced, rearrange)
}

// match deals out the ends of the lot anew, the planned ones and those at the plan's instant: the earliest to the lane
// that is free of what stays the earliest. Where this is no way for every lane to keep what stays, none is, and ok is
// false. loose says what need not stay; of that, the displaced overlap the new ends.
func (r *reducer) match(b *board, loose func(*bar) bool) (displaced []bar, ok bool) {
	ends, last := make([]int64, len(r.lasting)), make([]int64, len(b.lanes))
	for i, l := range r.lasting {
		ends[i], last[l] = b.endOf(l), b.lanes[l].slot.Span.Start
		for _, x := range b.past(l, r.at) {
			if x.hold >= 0 && !loose(&x) {
				last[l] = max(last[l], x.span.End)
			}
		}
	}
	slices.Sort(ends)
	ends = append(slices.Repeat([]int64{r.at}, r.amount), ends[:len(ends)-r.amount]...)
	lanes := slices.SortedFunc(slices.Values(r.lasting), func(x, y int) int {
		return cmp.Or(cmp.Compare(max(r.at, last[x]), max(r.at, last[y])), cmp.Compare(b.endOf(x), b.endOf(y)),
			cmp.Compare(y, x))
	})
	for i, l := range lanes {
		if last[l] > ends[i] {
			return nil, false
		}
	}
	for i, l := range lanes {
		b.setEnd(l, Forever)
		bars := b.lanes[l].bars
		from := len(bars)
		for from > 0 && bars[from-1].span.End > ends[i] {
			from--
		}
		displaced = append(displaced, bars[from:]...)
		b.lanes[l].bars = slices.Clone(bars[:from])
		b.setEnd(l, ends[i])
	}
	return displaced, true
}

// roomLooks is how many lanes the searches for room look at, all together, for what a relay has left.
const roomLooks = 1 << 15

// settle lays displaced holds on the board, where there is a gap, or, with rearrange, also by making room. A hold that
// finds no place is in b.stuck.
func (r *reducer) settle(b *board, displaced []bar, rearrange bool) bool {
	var hard []bar
	tries := len(displaced)
	if rearrange && len(b.lanes) > boardLanes {
		hard, tries = b.relay(displaced), roomLooks/len(b.lanes)
	} else {
		slices.SortFunc(displaced, func(x, y bar) int {
			return cmp.Or(cmp.Compare(x.span.Start, y.span.Start), cmp.Compare(x.home, y.home))
		})
		for _, x := range displaced {
			if l, ok := b.tightest(&x); ok {
				b.drop(l, x)
			} else if hard = append(hard, x); !rearrange {
				break
			}
		}
	}
	b.stuck = b.stuck[:0]
	for _, x := range hard {
		if x.bound < fixed && rearrange && tries > 0 {
			tries--
			if l, ok := b.makeRoom(x); ok {
				b.drop(l, x)
				continue
			}
		}
		b.stuck = append(b.stuck, x)
	}
	return len(b.stuck) == 0
}

// keepsEnd says that a planned end has found no lane: then the board is no plan, whatever else is given up.
func (b *board) keepsEnd() bool { return hasEnd(b.stuck) }

func hasEnd(list []bar) bool {
	return slices.ContainsFunc(list, func(x bar) bool { return x.hold == ending })
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

// setEnd lets lane l end at t, whatever lies after that.
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

// sweepAll looks for the plan of fewest moves by a sweep over everything on the board: fewer than best has, where there
// is a best. lose: holds may be left out where it must be, the fewest first; then what is pinned may be, too. nil where
// it found none.
func (r *reducer) sweepAll(b *board, best *board, lose bool) (found *board, proven bool) {
	if len(b.lanes) > sweepSlots {
		return nil, false
	}
	c := b.clone()
	q := sweep{lanes: len(c.lanes), width: reduceWidth, work: reduceWork}
	if best != nil {
		q.limit = int64(best.moved) * costMove
	}
	var closed []bar
	for range r.amount {
		closed = append(closed, bar{Span{r.at, Forever}, closure, -1, anywhere, false})
	}
	fresh := 0
	for l := range c.lanes {
		if c.lanes[l].slot.Span.Start == r.at && fresh < r.amount { // to end it calls off what was planned
			closed[fresh].home = int32(l)
			fresh++
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
	bars := c.pickUp(&q, r.window, true, closed...)
	for i := range q.tasks {
		if lose && bars[i].hold >= 0 {
			q.tasks[i].drop = costDrop
		}
	}
	if !q.run() {
		return nil, q.proven
	}
	for i, l := range q.at {
		switch x := bars[i]; {
		case l < 0:
			c.stuck = append(c.stuck, x)
		case x.hold == closure:
			c.drop(l, bar{x.span, ending, int32(l), inLot, false})
		default:
			c.drop(l, x)
		}
	}
	return c, q.proven
}

// orphans is the smallest set of holds that must go, in addition to those that are gone, so that the count is enough.
// ok is false if that is not possible. only: which holds may go at all; nil: all that are not fixed.
//
// Sweep by start; where more overlap than slots stay, drop the one that ends last. That is optimal: at the first
// instant with too many one of them must go, all of them lie over it, and after it only their ends matter (maximum
// k-colourable subgraph of an interval graph; Faigle and Nawijn 1995, Carlisle and Lloyd 1995). What is fixed is kept.
func (r *reducer) orphans(gone []int32, only func(*bar) bool) (out []int32, ok bool) {
	type step struct {
		at   int64
		end  int64 // of a hold that begins and may go; of anything else at
		hold int32 // that begins or ends; below 0: slots do
		by   int32
	}
	list := make([]step, 0, 2*len(r.holds)+2*len(r.lanes)+1)
	lacks := r.marked(gone)
	for l := range r.lanes {
		from, to := max(r.floor, r.lanes[l].slot.Span.Start), r.endOf(l)
		list = append(list, step{from, from, -1, 1}, step{to, to, -1, -1})
		for i := range r.lanes[l].bars {
			x := &r.lanes[l].bars[i]
			if x.hold < 0 || lacks[x.hold] {
				continue
			}
			begin := step{x.span.Start, x.span.Start, x.hold, 1}
			if only == nil && x.bound != fixed || only != nil && only(x) {
				begin.end = x.span.End
			}
			list = append(list, begin, step{x.span.End, x.span.End, x.hold, -1})
		}
	}
	list = append(list, step{r.at, r.at, -1, int32(-r.amount)})
	slices.SortFunc(list, func(x, y step) int { return cmp.Compare(x.at, y.at) }) // those of an instant go together
	left := int32(0)                                                              // slots that no hold has
	var active []step                                                             // that may go, by end
	dropped := make([]bool, len(r.holds))
	for i := 0; i < len(list); {
		t := list[i].at
		for ; i < len(list) && list[i].at == t; i++ {
			switch e := list[i]; {
			case e.hold < 0:
				left += e.by
			case !dropped[e.hold]:
				left -= e.by
			}
			if e := list[i]; e.end > t {
				at, _ := slices.BinarySearchFunc(active, e, func(x, y step) int {
					return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.hold, y.hold))
				})
				active = slices.Insert(active, at, e)
			}
		}
		for len(active) > 0 && active[0].end <= t {
			active = active[1:]
		}
		for ; left < 0 && t < Forever; left++ {
			n := len(active) - 1
			if n < 0 {
				return nil, false
			}
			dropped[active[n].hold] = true
			out = append(out, active[n].hold)
			active = active[:n]
		}
	}
	slices.Sort(out)
	return out, true
}

// excess is the smallest set of holds that must go so that the count is enough, where nothing is gone.
func (r *reducer) excess() (out []int32, ok bool) {
	if !r.counted {
		r.over, r.can = r.orphans(nil, nil)
		r.counted = true
	}
	return r.over, r.can
}
