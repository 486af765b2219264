package timeline

// This file owns the exchange walk: room for a hold that no slot has a gap for, made by exchanging what two slots hold
// over a stretch, again and again.

import (
	"cmp"
	"slices"
)

// exchangeSteps is how many exchanges the walks of a pool that is not easy may try, from all anchors together, before
// the sweep is asked. In an easy pool the first one tried is always right; there a walk may take as many as the room
// has holds.
const (
	exchangeSteps = 512
	easySteps     = 1 << 20
)

// exchangeFan is how many lanes are tried for one exchange.
const exchangeFan = 8

// walk looks for exchanges that leave a lane free over room.
//
// It begins on a lane that is free at the anchor. Going right, where the lane is taken at x, it takes a lane that is
// free at x and exchanges what both hold from x up to the next instant that no bar of either crosses: not whole tails,
// and not up to an instant at which neither is taken, which run into fixed things. Then to the left of the anchor,
// mirrored. Each step reaches further, so it ends. Where all fixed things that overlap the component share the anchor,
// or share only earlier instants and the anchor is the room's first, or only later ones and it is the last, no fixed
// thing is ever met, and whatever lanes are chosen the first walk gets there. Elsewhere it goes back and tries others,
// depth first: that is a search, bounded in steps.
type walk struct {
	*board
	room  Span
	only  int  // the one lane to free, or -1
	among bool // only a lane of a lot that meets the board's wish is to be freed
	left  int  // steps
	steps int  // of these, for the walks from one anchor
	lane  int  // the lane that was freed, after success
	log   []swap
}

// swap is an exchange that was made.
type swap struct {
	k, l int
	w    Span
}

// candidate is a lane that is free at some instant.
type candidate struct {
	lane int
	key  int64 // the smaller, the longer it stays free, or has been
	no   SlotNo
}

func (c candidate) before(o candidate) bool { return c.key < o.key || c.key == o.key && c.no < o.no }

// fan is the first few of some candidates, in order.
type fan struct {
	list [exchangeFan]candidate
	n    int
}

func (f *fan) add(c candidate) {
	switch {
	case f.n < exchangeFan:
		f.n++
	case !c.before(f.list[f.n-1]):
		return
	}
	i := f.n - 1
	for ; i > 0 && c.before(f.list[i-1]); i-- {
		f.list[i] = f.list[i-1]
	}
	f.list[i] = c
}

// free lists the lanes that are free at t, those that stay free for longest first.
func (b *board) free(t int64, until int64) (list []candidate) {
	if b.wide {
		b.discover(Span{t, until}, false)
	}
	b.freeAt(t, -1, func(l int, gap Span) { list = append(list, candidate{l, -gap.End, b.lanes[l].slot.No}) })
	slices.SortFunc(list, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.no, y.no))
	})
	return list
}

// next is the first of the lanes except for one that are free at t, those that stay free for longest.
func (b *board) next(t int64, but int, until int64) (f fan) {
	if b.wide {
		b.discover(Span{t, until}, false)
	}
	b.freeAt(t, but, func(l int, gap Span) { f.add(candidate{l, -gap.End, b.lanes[l].slot.No}) })
	return f
}

// nextBack is the first of the lanes except for one that are free just before t, those that have been free for longest.
func (b *board) nextBack(t int64, but int, since int64) (f fan) {
	if b.wide {
		b.discover(Span{since, t}, true)
	}
	b.freeAt(t-1, but, func(l int, gap Span) { f.add(candidate{l, gap.Start, b.lanes[l].slot.No}) })
	return f
}

func (b *board) freeAt(t int64, but int, found func(l int, gap Span)) {
	b.looked += len(b.lanes)
	for l := range b.lanes {
		if l == but {
			continue
		}
		if gap, ok := b.gap(l, t); ok {
			found(l, gap)
		}
	}
}

// discover makes lanes known that are free over all of w, at most exchangeFan of them. If it finds none, it tries the
// half of w next to its start (with back: next to its end), then half of that, and so on. It also stops when boardLanes
// of the known lanes are free.
func (b *board) discover(w Span, back bool) {
	least := Span{w.Start, w.Start + 1}
	if back {
		least = Span{w.End - 1, w.End}
	}
	if w.End-w.Start > 1 && !b.unknownFree(least) { // none is free over more either
		return
	}
	for {
		found, known := 0, 0
		b.stock.EachFree(b.pool, w, func(no SlotNo) bool {
			b.looked++
			if b.laneOf(no) >= 0 {
				known++
			} else {
				b.know(no)
				found++
			}
			return found < exchangeFan && known < boardLanes
		})
		length := w.End - w.Start
		switch {
		case found > 0 || known == boardLanes || length <= 1:
			return
		case back:
			w.Start = w.End - length/2
		default:
			w.End = w.Start + length/2
		}
	}
}

// unknownFree says whether a lane that is not known is free over all of w, or there are so many that are known that
// discover would not look further.
func (b *board) unknownFree(w Span) (unknown bool) {
	known := 0
	b.stock.EachFree(b.pool, w, func(no SlotNo) bool {
		b.looked++
		if b.laneOf(no) < 0 {
			unknown = true
		}
		known++
		return !unknown && known < boardLanes
	})
	return unknown || known >= boardLanes
}

// run looks for room: from the room's start, which is the anchor where nothing is fixed, or all that is shares now;
// then from the anchor; then, where the pool is not easy, from every gap in the room.
func (w *walk) run() bool {
	if w.from(w.room.Start, exchangeSteps/8) {
		return true
	}
	anchor, easy := w.stock.easy(w.pool, w.fixity, w.room)
	if w.looked += 4 * w.stock.SlotCount(w.pool); easy && !w.among { // it has looked far on each slot
		w.left += easySteps
		if w.from(anchor, easySteps) {
			return true
		}
	}
	w.left = min(w.left, exchangeSteps)
	var more []int64
	for l := range w.lanes {
		if !w.frees(l) {
			continue
		}
		lo, hi := w.meet(l, w.room)
		for _, x := range w.lanes[l].bars[lo:hi] {
			if x.span.End < w.room.End {
				more = append(more, x.span.End)
			}
		}
	}
	slices.Sort(more)
	for _, t := range slices.Compact(more) {
		if w.from(t, exchangeSteps/8) {
			return true
		}
	}
	return false
}

// runAnywhere looks for room on any lane, and exchanges what is on it for what is on one of those that are wanted.
// Where nothing that the room can come to touch is fixed but things over the same room, which others like it are, this
// never fails: what is laid at all can be laid with any lane for any other.
func (w *walk) runAnywhere() bool {
	anchor, easy := w.stock.easy(w.pool, w.fixity, w.room)
	if !easy {
		return false
	}
	w.log, w.left, w.among = w.log[:0], easySteps, false
	found := w.from(anchor, easySteps)
	if w.among = true; !found || w.frees(w.lane) {
		return found
	}
	for l := range w.lanes {
		if over, ok := w.apart(w.lane, l, w.room); ok && w.frees(l) {
			w.swap(w.lane, l, over)
			w.lane = l
			return true
		}
	}
	w.undo()
	return false
}

// from walks from every lane that is free at the anchor.
func (w *walk) from(anchor int64, steps int) bool {
	w.steps = min(steps, w.left)
	w.left -= w.steps
	defer func() { w.left += max(0, w.steps) }()
	for _, c := range w.free(anchor, w.room.End) {
		if !w.frees(c.lane) {
			continue
		}
		if w.right(c.lane, anchor, anchor) {
			w.lane = c.lane
			return true
		}
		if w.steps <= 0 {
			break
		}
	}
	return false
}

// frees says that the lane is one of those that may be freed.
func (w *walk) frees(l int) bool {
	return (w.only < 0 || l == w.only) && (!w.among || w.wish.met(w.lanes[l].slot.Lot))
}

func (w *walk) swap(k, l int, over Span) {
	w.exchange(k, l, over)
	w.log = append(w.log, swap{k, l, over})
}

func (w *walk) unswap() {
	last := w.log[len(w.log)-1]
	w.log = w.log[:len(w.log)-1]
	w.exchange(last.k, last.l, last.w)
}

// undo takes all exchanges back, redo makes them again.
func (w *walk) undo() {
	for i := len(w.log) - 1; i >= 0; i-- {
		w.exchange(w.log[i].k, w.log[i].l, w.log[i].w)
	}
}

func (w *walk) redo() {
	for _, x := range w.log {
		w.exchange(x.k, x.l, x.w)
	}
}

// right frees lane l from x on, it being free from anchor to x.
func (w *walk) right(l int, anchor, x int64) bool {
	bars := w.on(l)
	i := firstEndingAfter(bars, x)
	if i == len(bars) || bars[i].span.Start >= w.room.End {
		return w.back(l, anchor)
	}
	x = bars[i].span.Start
	f := w.next(x, l, w.room.End)
	for _, c := range f.list[:f.n] {
		y, ok := w.uncrossed(l, c.lane, x)
		if !ok {
			continue
		}
		if w.steps--; w.steps < 0 {
			return false
		}
		w.swap(l, c.lane, Span{x, y})
		if w.right(l, anchor, x) {
			return true
		}
		w.unswap()
	}
	return false
}

// back frees lane l before x, it being free from x to the end of the room.
func (w *walk) back(l int, x int64) bool {
	gap, _ := w.gap(l, x)
	if gap.Start <= w.room.Start {
		return true
	}
	x = gap.Start
	f := w.nextBack(x, l, w.room.Start)
	for _, c := range f.list[:f.n] {
		y, ok := w.uncrossedBack(l, c.lane, x)
		if !ok {
			continue
		}
		if w.steps--; w.steps < 0 {
			return false
		}
		w.swap(l, c.lane, Span{y, x})
		if w.back(l, x) {
			return true
		}
		w.unswap()
	}
	return false
}
