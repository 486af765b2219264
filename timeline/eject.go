package timeline

// This file owns the search for few moves: a hold takes the place of others, which take places of others, down to gaps.

import (
	"cmp"
	"slices"
)

// ejectProbes is how many lanes one search looks at, ejectMoves the most moves it looks for.
const (
	ejectProbes = 2000
	ejectMoves  = 8
)

// eject looks for the fewest moved holds that make room, by depth-first search with a growing limit on moves. Every bar
// in the queue gets the lane that it will have in the end; what is in its way there, and has not been placed by the
// search itself, joins the queue. Any rearrangement can be found this way, so the first one found has the fewest moves
// of all, unless probes ran out before.
type eject struct {
	*board
	probes int // left
	limit  int // on moves
	moves  int // holds that have joined the queue
	first  int // lane of the first of the queue
	queue  []bar
	spare  [][]offer // one per depth
}

// offer is a lane for a bar, and what is in its way there.
type offer struct {
	lane  int
	holds int
	class int // length class of the gap where nothing is in the way
}

// fewest finds a lane for x, which is not on the board, and makes room there with the fewest moves, at most limit, not
// counting x itself. ok is false where it found none; the board is then as it was.
func (b *board) fewest(x bar, limit int) (l int, ok bool) {
	e := eject{board: b, probes: ejectProbes, queue: make([]bar, 0, 16)}
	for e.limit = 1; e.limit <= limit && e.probes > 0; e.limit++ {
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
		if e.probes < 0 {
			return false
		}
		out := len(e.queue)
		lo, hi := e.meet(o.lane, x.span)
		e.queue = append(e.queue, e.lanes[o.lane].bars[lo:hi]...)
		for range hi - lo {
			e.lift(o.lane, e.lanes[o.lane].bars[lo].span.Start)
		}
		e.drop(o.lane, x)
		if at == 0 {
			e.first = o.lane
		}
		e.moves += o.holds
		if e.place(at + 1) {
			return true
		}
		e.moves -= o.holds
		e.lift(o.lane, x.span.Start)
		for _, u := range e.queue[out:] {
			e.drop(o.lane, u)
		}
		e.queue = e.queue[:out]
	}
	return false
}

// offers lists the lanes where x may go within the limit, fewest holds in the way first, then tightest gap, then
// number.
func (e *eject) offers(x *bar, depth int) []offer {
	for len(e.spare) <= depth {
		e.spare = append(e.spare, nil)
	}
	if e.wide {
		if no, ok := e.stock.TightGap(e.pool, x.span); ok && e.laneOf(no) < 0 {
			e.know(no)
		}
		e.discover(x.span, false)
		e.discover(x.span, true)
	}
	list, most := e.spare[depth][:0], e.limit-e.moves
	e.probes -= len(e.lanes)
	for l := range e.lanes {
		if !e.mayLie(x, l) {
			continue
		}
		o := offer{lane: l}
		var ok bool
		if o.holds, ok = e.inWay(l, x.span, most); !ok {
			continue
		}
		if o.holds == 0 {
			gap, _ := e.gap(l, x.span.Start)
			o.class = lengthClass(gap)
		}
		list = append(list, o)
	}
	if len(list) > 1 {
		slices.SortFunc(list, func(a, b offer) int {
			return cmp.Or(cmp.Compare(a.holds, b.holds), cmp.Compare(a.class, b.class),
				cmp.Compare(e.lanes[a.lane].slot.No, e.lanes[b.lane].slot.No))
		})
	}
	e.spare[depth] = list
	return list
}
