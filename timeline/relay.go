package timeline

// This file owns laying out many lanes anew at once: what has lost its lane, and what that pushes aside.

import (
	"cmp"
	"slices"

	"github.com/tidwall/btree"
)

// relayTries is how many lanes are looked at for one that is free until something there that may not move.
const relayTries = 64

// relay is a sweep over all lanes of a board by the starts of what is to be laid. A bar stays on its lane if nothing
// was laid there before it. Any other gets the free lane of the tightest gap, else the one on which the next bar begins
// last, and pushes that aside: it is laid anew when the sweep gets to its start. So where nothing is fixed, each bar
// finds a lane if no more bars overlap than there are lanes; and what takes n log n for n bars takes the exchange walk
// a look at all lanes for each bar.
type relay struct {
	*board
	ends  bool // the ends of lanes may be pushed aside, too
	lanes []relayLane
	stuck []bar
	free  *btree.BTreeG[freeLane]
	busy  []freeLane // a heap of the lanes that are taken, by until when
}

// relayLane is what was on a lane, how much of it the sweep has got to, and what it has laid there.
type relayLane struct {
	own  []bar
	next int
	bars []bar
}

// freeLane is a lane that is free up to an instant, or taken up to one.
type freeLane struct {
	until int64
	lane  int32
}

func (a freeLane) compare(b freeLane) int {
	return cmp.Or(cmp.Compare(a.until, b.until), cmp.Compare(a.lane, b.lane))
}

// relay lays displaced bars on the board, and what they push aside, and returns what finds no lane: where nothing is
// fixed, that is only what the count does not admit. An end of a lane is among it only if it was displaced.
func (b *board) relay(displaced []bar) (stuck []bar) {
	r := b.relayed(displaced, true)
	if hasEnd(r.stuck) {
		r = b.relayed(displaced, false)
	}
	b.moved = 0
	for l := range r.lanes {
		b.lanes[l].bars = r.lanes[l].bars
		for i := range b.lanes[l].bars {
			b.away(&b.lanes[l].bars[i], l, 1)
		}
	}
	return r.stuck
}

func (b *board) relayed(displaced []bar, ends bool) *relay {
	before := func(x, y freeLane) bool { return x.compare(y) < 0 }
	r := &relay{board: b, ends: ends, lanes: make([]relayLane, len(b.lanes)),
		free: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
	type start struct {
		at     int64
		lane   int32 // -1: of displaced
		number int32
	}
	list := make([]start, 0, len(displaced)+len(b.holds)+2*len(b.lanes))
	for i := range displaced {
		list = append(list, start{displaced[i].span.Start, -1, int32(i)})
	}
	for l := range b.lanes {
		own := b.on(l)
		r.lanes[l] = relayLane{own: own, bars: make([]bar, 0, len(own)+1)}
		for i := range own {
			list = append(list, start{own[i].span.Start, int32(l), int32(i)})
		}
		r.offer(int32(l))
	}
	slices.SortFunc(list, func(x, y start) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.lane, y.lane), cmp.Compare(x.number, y.number))
	})
	var pushed []bar
	for len(list) > 0 {
		at := list[0].at
		r.advance(at)
		pushed = pushed[:0]
		for ; len(list) > 0 && list[0].at == at; list = list[1:] {
			if x := list[0]; x.lane < 0 {
				pushed = append(pushed, displaced[x.number])
			} else if own := r.lanes[x.lane].own[x.number]; !r.stay(own, x.lane) {
				pushed = append(pushed, own)
			}
		}
		for _, x := range pushed {
			if !r.lay(x) {
				r.stuck = append(r.stuck, x)
			}
		}
	}
	return r
}

// upcoming is a lane with the start of the next bar that was on it.
func (r *relay) upcoming(l int32) freeLane {
	if x := &r.lanes[l]; x.next < len(x.own) {
		return freeLane{x.own[x.next].span.Start, l}
	}
	return freeLane{Forever, l}
}

// offer makes a lane free.
func (r *relay) offer(l int32) { r.free.Set(r.upcoming(l)) }

// advance makes the lanes free whose last bars end by an instant.
func (r *relay) advance(at int64) {
	for len(r.busy) > 0 && r.busy[0].until <= at {
		l := r.busy[0].lane
		last := len(r.busy) - 1
		r.busy[0] = r.busy[last]
		r.busy = r.busy[:last]
		for i := 0; ; {
			least := i
			for _, kid := range [2]int{2*i + 1, 2*i + 2} {
				if kid < last && r.busy[kid].compare(r.busy[least]) < 0 {
					least = kid
				}
			}
			if least == i {
				break
			}
			r.busy[i], r.busy[least] = r.busy[least], r.busy[i]
			i = least
		}
		r.offer(l)
	}
}

// put lays a bar on a lane that was free.
func (r *relay) put(x bar, l int32) {
	r.lanes[l].bars = append(r.lanes[l].bars, x)
	r.busy = append(r.busy, freeLane{x.span.End, l})
	for i := len(r.busy) - 1; i > 0; {
		over := (i - 1) / 2
		if r.busy[over].compare(r.busy[i]) <= 0 {
			break
		}
		r.busy[i], r.busy[over] = r.busy[over], r.busy[i]
		i = over
	}
}

// stay lays the next bar that was on a lane there, if the lane is free.
func (r *relay) stay(x bar, l int32) bool {
	_, free := r.free.Delete(r.upcoming(l))
	if r.lanes[l].next++; free {
		r.put(x, l)
	}
	return free
}

// lay lays a bar that has no lane.
func (r *relay) lay(x bar) bool {
	found := freeLane{lane: -1}
	tries := 0
	if x.bound >= inPlace {
		if home := r.upcoming(x.home); home.until >= x.span.End {
			if _, free := r.free.Get(home); free {
				found = home
			}
		}
	} else if r.free.Ascend(freeLane{x.span.End, -1}, func(f freeLane) bool {
		if r.mayLie(&x, int(f.lane)) {
			found = f
		}
		tries++
		return found.lane < 0 && tries < relayTries
	}); found.lane < 0 {
		r.free.Reverse(func(f freeLane) bool {
			if r.mayLie(&x, int(f.lane)) && r.loose(f.lane, x.span.End) {
				found = f
			}
			tries++
			return found.lane < 0 && tries < 2*relayTries
		})
	}
	if found.lane < 0 {
		return false
	}
	r.free.Delete(found)
	r.put(x, found.lane)
	return true
}

// loose says that everything may be pushed aside that is still to come on a lane and begins before an instant.
func (r *relay) loose(l int32, before int64) bool {
	for _, x := range r.lanes[l].own[r.lanes[l].next:] {
		if x.span.Start >= before {
			break
		}
		if x.bound >= inPlace || x.hold == ending && !r.ends {
			return false
		}
	}
	return true
}
