package timeline

// This file owns the exchange walk: room for a hold that no slot has a gap for, made by exchanging what two slots hold over a stretch, again and again.

import (
	"cmp"
	"slices"
)

// exchangeSteps is how many exchanges one walk tries. In an easy pool the first one tried is always right, and a walk needs as many as the room has holds at
// most; elsewhere they are what it may spend before the sweep is asked.
const exchangeSteps = 256

// exchangeFan is how many lanes are tried for one exchange.
const exchangeFan = 8

// walk looks for exchanges that leave a lane free over room.
//
// It begins on a lane that is free at the anchor. Going right, where the lane is taken at x, it takes a lane that is free at x and exchanges what both hold from
// x up to the next instant that no bar of either crosses: not whole tails, and not up to an instant at which neither is taken, which run into fixed things.
// Then to the left of the anchor, mirrored. Each step reaches further, so it ends. Where all fixed things that overlap the component share the anchor, or share
// only earlier instants and the anchor is the room's first, or only later ones and it is the last, no fixed thing is ever met, and whatever lanes are chosen the
// first walk gets there. Elsewhere it goes back and tries others, depth first: that is a search, bounded in steps.
type walk struct {
	*board
	room  Span
	only  int // the one lane to free, or -1
	steps int // left
	lane  int // the lane that was freed, after success
	log   []swap
}

// swap is an exchange that was made.
type swap struct {
	k, l int
	w    Span
}

// candidate is a lane that is free at some instant, and how far.
type candidate struct {
	lane  int
	reach int64
}

// free lists the lanes but for one that are free at t, those that stay free for longest first, or, back, that have been free for longest.
func (b *board) free(t int64, but int, back bool) []candidate {
	var list []candidate
	for l := range b.lanes {
		if l == but {
			continue
		}
		if gap, ok := b.gap(l, t); ok {
			reach := -gap.End
			if back {
				reach = gap.Start
			}
			list = append(list, candidate{l, reach})
		}
	}
	slices.SortFunc(list, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.reach, y.reach), cmp.Compare(x.lane, y.lane))
	})
	return list
}

// run looks for room. Where the board is not easy it begins at every gap in the room, after the anchor.
func (w *walk) run() bool {
	anchor, easy := w.easy(w.room)
	if w.from(anchor) {
		return true
	}
	if easy && w.only < 0 {
		return false
	}
	var more []int64
	for l := range w.lanes {
		if w.only >= 0 && l != w.only {
			continue
		}
		lo, hi := w.meet(l, w.room)
		if lo < hi && w.lanes[l].bars[lo].span.Start > w.room.Start {
			more = append(more, w.room.Start)
		}
		for _, x := range w.lanes[l].bars[lo:hi] {
			if x.span.End < w.room.End {
				more = append(more, x.span.End)
			}
		}
	}
	slices.Sort(more)
	for _, t := range slices.Compact(more) {
		if t != anchor && w.from(t) {
			return true
		}
	}
	return false
}

// from walks from every lane that is free at the anchor.
func (w *walk) from(anchor int64) bool {
	for _, c := range w.free(anchor, -1, false) {
		if w.only >= 0 && c.lane != w.only {
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

func (w *walk) swap(k, l int, over Span) {
	w.exchange(k, l, over)
	w.log = append(w.log, swap{k, l, over})
}

func (w *walk) back() {
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
	bars := w.lanes[l].bars
	i := firstEndingAfter(bars, x)
	if i == len(bars) || bars[i].span.Start >= w.room.End {
		return w.left(l, anchor)
	}
	x = bars[i].span.Start
	for n, c := range w.free(x, l, false) {
		if n == exchangeFan {
			break
		}
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
		w.back()
	}
	return false
}

// left frees lane l before x, it being free from x to the end of the room.
func (w *walk) left(l int, x int64) bool {
	gap, _ := w.gap(l, x)
	if gap.Start <= w.room.Start {
		return true
	}
	x = gap.Start
	for n, c := range w.free(x-1, l, true) {
		if n == exchangeFan {
			break
		}
		y, ok := w.uncrossedBack(l, c.lane, x)
		if !ok {
			continue
		}
		if w.steps--; w.steps < 0 {
			return false
		}
		w.swap(l, c.lane, Span{y, x})
		if w.left(l, x) {
			return true
		}
		w.back()
	}
	return false
}
