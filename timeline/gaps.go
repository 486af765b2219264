package timeline

// This file owns the gap index: the free stretches of a large pool's slots, by length class and start.

// gapIndex has each gap of each slot, which is a longest stretch inside the slot's range that meets no seat, in the tree of its length class, ordered by start,
// then slot; the value is its end. A gap of class c that covers [f, t) starts in (t - 2^c, f].
//
// The summaries answer "which of them reaches furthest" and "the smallest slot of those that reach at least t" without looking at each: in a pool of 10,000
// slots most gaps are of the last class, without end. Tried first: no summaries, and the first gap found when going down from f. That is as fast, but which gap
// it finds depends on where others begin, and no walk over the slots gives the same one.
type gapIndex [classCount]gapTree

type gapTree = sumTree[key, int64, gapSum, gapSums]

type gapNode = node[key, int64, gapSum, gapSums]

// gapSum is what a subtree of gaps can offer.
type gapSum struct {
	first, last int64  // the least and the greatest end
	slot        uint32 // the smallest slot
	furthest    uint32 // the smallest slot of those that end last
	n           int32
}

type gapSums struct{}

func (gapSums) leaf(keys []key, ends []int64) gapSum {
	s := gapSum{first: ends[0], last: ends[0], slot: keys[0].upper(), furthest: keys[0].upper(), n: int32(len(keys))}
	for i, k := range keys[1:] {
		end, slot := ends[i+1], k.upper()
		s.slot = min(s.slot, slot)
		s.first = min(s.first, end)
		if end > s.last || end == s.last && slot < s.furthest {
			s.last, s.furthest = end, slot
		}
	}
	return s
}

func (gapSums) join(sums []gapSum) gapSum {
	s := sums[0]
	for _, o := range sums[1:] {
		s.n += o.n
		s.slot = min(s.slot, o.slot)
		s.first = min(s.first, o.first)
		if o.last > s.last || o.last == s.last && o.furthest < s.furthest {
			s.last, s.furthest = o.last, o.furthest
		}
	}
	return s
}

func gapKey(gap Span, no SlotNo) key { return timeKey(gap.Start, uint32(no), 0) }

// put and del take empty gaps, too, and do nothing with them.
func (g *gapIndex) put(edit *token, gap Span, no SlotNo) {
	if !gap.Empty() {
		g[lengthClass(gap)].set(edit, gapKey(gap, no), gap.End)
	}
}

func (g *gapIndex) del(edit *token, gap Span, no SlotNo) {
	if gap.Empty() {
		return
	}
	if end, ok := g[lengthClass(gap)].del(edit, gapKey(gap, no)); !ok || end != gap.End {
		panic("timeline: gap not in its class")
	}
}

// tight is the smallest slot with a gap that covers need, among those of the tightest length class.
func (g *gapIndex) tight(need Span) (SlotNo, bool) {
	for c := lengthClass(need); c < classCount; c++ {
		t := &g[c]
		if t.root == nil {
			continue
		}
		best := uint32(noSlot)
		tightIn(t.root, timeKey(reach(c, need.End-1), 0, 0), need, &best)
		if best != noSlot {
			return SlotNo(best), true
		}
	}
	return 0, false
}

const noSlot = 1<<32 - 1

func tightIn(n *gapNode, from key, need Span, best *uint32) {
	if n.in == nil {
		for i := from.search(n.keys); i < len(n.keys) && n.keys[i].time() <= need.Start; i++ {
			if n.vals[i] >= need.End {
				*best = min(*best, n.keys[i].upper())
			}
		}
		return
	}
	for i := childOf(n.keys, from); i < len(n.keys) && n.keys[i].time() <= need.Start; i++ {
		if s := &n.in.sums[i]; s.last >= need.End && s.slot < *best {
			tightIn(n.in.kids[i], from, need, best)
		}
	}
}

// longest is the gap over the instant t that ends last, the smallest slot's where several do.
func (g *gapIndex) longest(t int64) (no SlotNo, ok bool) {
	best := gapSum{last: t, furthest: noSlot}
	for c := classCount - 1; c > 0; c-- {
		n := g[c].root
		if n == nil {
			continue
		}
		if best.last-t > int64(1)<<c-1 {
			break // none of this class over t ends as late
		}
		longestIn(n, t, &best)
	}
	if best.furthest == noSlot {
		return 0, false
	}
	return SlotNo(best.furthest), true
}

func longestIn(n *gapNode, t int64, best *gapSum) {
	if n.in == nil {
		for i := 0; i < len(n.keys) && n.keys[i].time() <= t; i++ {
			better(best, n.vals[i], n.keys[i].upper())
		}
		return
	}
	for i := 0; i < len(n.keys) && n.keys[i].time() <= t; i++ {
		s := &n.in.sums[i]
		if s.last < best.last || s.last == best.last && s.furthest >= best.furthest {
			continue
		}
		if i+1 < len(n.keys) && n.keys[i+1].time() <= t {
			better(best, s.last, s.furthest)
		} else {
			longestIn(n.in.kids[i], t, best)
		}
	}
}

// better takes a gap that ends later, or as late on a smaller slot. One that ends at the instant asked for is none.
func better(best *gapSum, end int64, slot uint32) {
	if end > best.last || end == best.last && best.furthest != noSlot && slot < best.furthest {
		best.last, best.furthest = end, slot
	}
}

// longestBack is the gap over the instant t that starts first, the smallest slot's where several do.
func (g *gapIndex) longestBack(t int64) (no SlotNo, ok bool) {
	var best key
	for c := classCount - 1; c > 0; c-- {
		n := g[c].root
		if n == nil {
			continue
		}
		if ok && best.time() < reach(c, t) {
			break // none of this class over t starts as early
		}
		if k, found := firstPast(n, t); found && k.time() <= t && (!ok || k.before(best)) {
			best, ok = k, true
		}
	}
	return SlotNo(best.upper()), ok
}

// firstPast is the first gap of n, by start, then slot, that ends after t.
func firstPast(n *gapNode, t int64) (key, bool) {
	for n.in != nil {
		next := (*gapNode)(nil)
		for i := range n.keys {
			if n.in.sums[i].last > t {
				next = n.in.kids[i]
				break
			}
		}
		if next == nil {
			return key{}, false
		}
		n = next
	}
	for i, end := range n.vals {
		if end > t {
			return n.keys[i], true
		}
	}
	return key{}, false
}

// covering counts the gaps that cover w.
func (g *gapIndex) covering(w Span) (n int) {
	for c := lengthClass(w); c < classCount; c++ {
		if g[c].root != nil {
			n += coveringIn(g[c].root, w)
		}
	}
	return n
}

func coveringIn(n *gapNode, w Span) (count int) {
	if n.in == nil {
		for i := 0; i < len(n.keys) && n.keys[i].time() <= w.Start; i++ {
			if n.vals[i] >= w.End {
				count++
			}
		}
		return count
	}
	for i := 0; i < len(n.keys) && n.keys[i].time() <= w.Start; i++ {
		switch s := &n.in.sums[i]; {
		case s.last < w.End:
		case s.first >= w.End && i+1 < len(n.keys) && n.keys[i+1].time() <= w.Start:
			count += int(s.n)
		default:
			count += coveringIn(n.in.kids[i], w)
		}
	}
	return count
}

// appendCovering appends the slots of the gaps that cover w, in no order that matters.
func (g *gapIndex) appendCovering(dst []SlotNo, w Span) []SlotNo {
	for c := lengthClass(w); c < classCount; c++ {
		if g[c].root != nil {
			dst = appendCoveringIn(dst, g[c].root, w)
		}
	}
	return dst
}

func appendCoveringIn(dst []SlotNo, n *gapNode, w Span) []SlotNo {
	for i := 0; i < len(n.keys) && n.keys[i].time() <= w.Start; i++ {
		if n.in != nil {
			if n.in.sums[i].last >= w.End {
				dst = appendCoveringIn(dst, n.in.kids[i], w)
			}
		} else if n.vals[i] >= w.End {
			dst = append(dst, SlotNo(n.keys[i].upper()))
		}
	}
	return dst
}
