package timeline

// This file owns the search for few moves: a hold takes the place of others, which take places of others, down to gaps.

import (
	"cmp"
	"slices"
)

// ejectProbes is how many lanes one search looks at, ejectMoves the most moves it looks for.
const (
	ejectProbes = 1500
	ejectMoves  = 8
)

// eject looks for the fewest moved holds that make room, by depth-first search with a growing limit on moves. Every bar in the queue gets the lane that it will
// have in the end; what is in its way there, and has not been placed by the search itself, joins the queue. Any rearrangement can be found this way, so the
// first one found has the fewest moves of all, unless probes ran out before.
type eject struct {
	*board
	probes int // left
	limit  int // on moves
	first  int // lane of the first of the queue
	queue  []bar
	spare  [][]offer // one per depth
}

// offer is a lane for a bar, and how many bars are in the way there.
type offer struct {
	lane, lo, hi int
	class        int // length class of the gap where nothing is in the way
}

// fewest finds a lane for x, which is not on the board, and makes room there with the fewest moves, at most limit, not counting x itself. ok is false where it
// found none; the board is then as it was.
func (b *board) fewest(x bar, limit int) (l int, ok bool) {
	e := eject{board: b, probes: ejectProbes, queue: make([]bar, 0, 16)}
	was := b.moved
	if x.hold >= 0 {
		was++
	}
	for e.limit = was + 1; e.limit <= was+limit && e.probes > 0; e.limit++ {
		e.queue = append(e.queue[:0], x)
		if e.place(0) {
			b.lift(e.first, x.span.Start)
			return e.first, true
		}
	}
	return 0, false
}

// place finds lanes for queue[at:].
func (e *eject) place(at int) bool {
	if at == len(e.queue) {
		return true
	}
	x := e.queue[at]
	x.locked = true
	for _, o := range e.offers(&x, at) {
		if e.probes--; e.probes < 0 {
			return false
		}
		out := len(e.queue)
		e.queue = append(e.queue, e.lanes[o.lane].bars[o.lo:o.hi]...)
		for range o.hi - o.lo {
			u := e.lanes[o.lane].bars[o.lo]
			e.lift(o.lane, u.span.Start)
		}
		e.drop(o.lane, x)
		if at == 0 {
			e.first = o.lane
		}
		// What waits in the queue will be moved, or goes back home for nothing.
		if e.moved+e.waiting(at+1) <= e.limit && e.place(at+1) {
			return true
		}
		e.lift(o.lane, x.span.Start)
		for _, u := range e.queue[out:] {
			e.drop(o.lane, u)
		}
		e.queue = e.queue[:out]
	}
	return false
}

// waiting counts the holds of the queue that will count as moved once they are placed.
func (e *eject) waiting(at int) (n int) {
	for i := range e.queue[at:] {
		if e.queue[at+i].hold >= 0 {
			n++
		}
	}
	return n
}

// offers lists the lanes where x may go, fewest in the way first, then tightest gap, then number.
func (e *eject) offers(x *bar, depth int) []offer {
	for len(e.spare) <= depth {
		e.spare = append(e.spare, nil)
	}
	list := e.spare[depth][:0]
next:
	for l := range e.lanes {
		if !e.mayLie(x, l) {
			continue
		}
		o := offer{lane: l}
		o.lo, o.hi = e.meet(l, x.span)
		if o.hi-o.lo > ejectMoves+1 {
			continue
		}
		bars := e.lanes[l].bars
		for i := o.lo; i < o.hi; i++ {
			if bars[i].locked || bars[i].bound == fixed {
				continue next
			}
		}
		if o.lo == o.hi {
			gap, _ := e.gap(l, x.span.Start)
			o.class = lengthClass(gap)
		}
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b offer) int {
		return cmp.Or(cmp.Compare(a.hi-a.lo, b.hi-b.lo), cmp.Compare(a.class, b.class), cmp.Compare(a.lane, b.lane))
	})
	e.spare[depth] = list
	return list
}
