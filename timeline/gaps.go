package timeline

// This file owns the gap index: the free stretches of a large pool's slots, by length class and start.

import "slices"

// gapIndex has each gap of each slot, which is a longest stretch inside the slot's range that meets no seat, in the
// tree of its length class, ordered by start, then slot; the value is its end. A gap of class c that covers [f, t)
// starts in (t - 2^c, f].
//
// The summaries find the smallest slot of those that reach far enough, and count them, without looking at each: in a
// pool of 10,000 slots most gaps are of the last class, without end. Tried first: no summaries, and the first gap found
// when going down from f. That is as fast, but which gap it finds depends on where others begin, and no walk over the
// slots gives the same one.
type gapIndex [classCount]gapTree

type gapTree = sumTree[key, int64, gapSum, gapSums]

type gapNode = node[key, int64, gapSum, gapSums]

// gapSum is what a subtree of gaps can offer.
type gapSum struct {
	first, last int64  // the least and the greatest end
	slot        uint32 // the smallest slot
	n           int32
}

type gapSums struct{}

func (gapSums) leaf(keys []key, ends []int64) gapSum {
	s := gapSum{first: ends[0], last: ends[0], slot: keys[0].upper(), n: int32(len(keys))}
	for i, k := range keys[1:] {
		s.slot = min(s.slot, k.upper())
		s.first, s.last = min(s.first, ends[i+1]), max(s.last, ends[i+1])
	}
	return s
}

func (gapSums) join(sums []gapSum) gapSum {
	s := sums[0]
	for _, o := range sums[1:] {
		s.n += o.n
		s.slot = min(s.slot, o.slot)
		s.first, s.last = min(s.first, o.first), max(s.last, o.last)
	}
	return s
}

func gapKey(gap Span, no SlotNo) key { return timeKey(gap.Start, uint32(no), 0) }

// put and del take empty gaps, too, and do nothing with them.
func (g *gapIndex) put(edit *token, gap Span, no SlotNo) {
	if gap.Empty() {
		return
	}
	t, k := &g[lengthClass(gap)], gapKey(gap, no)
	if edit.later != nil {
		edit.later.gaps.add(t, pending[int64]{k: k, v: gap.End})
		return
	}
	t.set(edit, k, gap.End)
}

func (g *gapIndex) del(edit *token, gap Span, no SlotNo) {
	if gap.Empty() {
		return
	}
	t, k := &g[lengthClass(gap)], gapKey(gap, no)
	if edit.later != nil {
		edit.later.gaps.add(t, pending[int64]{k: k, v: gap.End, gone: true})
		return
	}
	if end, ok := t.del(edit, k); !ok || end != gap.End {
		panic("timeline: gap not in its class")
	}
}

// tightest are the n slots that tight would give one after the other, where on each of them need is taken before the
// next is asked for; or as many as there are.
func (g *gapIndex) tightest(need Span, n int) (list []SlotNo) {
	for c := lengthClass(need); c < classCount && len(list) < n; c++ {
		if t := &g[c]; t.root != nil {
			few := fewest{n: n - len(list), below: noSlot}
			few.covering(t.root, earliest(c, need), need)
			list = append(list, few.all()...)
		}
	}
	return list
}

// earliest is where the gaps of class c begin that may cover w.
func earliest(c int, w Span) key { return timeKey(reach(c, w.End-1), 0, 0) }

// fewest gathers the n smallest slots of many.
type fewest struct {
	n     int
	list  []SlotNo
	below uint32 // others are not among them
}

// covering takes in the slots of the gaps that cover w.
func (f *fewest) covering(n *gapNode, from key, w Span) {
	for i := firstOf(n, from); i < len(n.keys) && n.keys[i].time() <= w.Start; i++ {
		if n.in != nil {
			if s := &n.in.sums[i]; s.last >= w.End && s.slot < f.below {
				f.covering(n.in.kids[i], from, w)
			}
		} else if no := n.keys[i].upper(); n.vals[i] >= w.End && no < f.below {
			if f.list = append(f.list, SlotNo(no)); len(f.list) == 2*f.n {
				f.below = uint32(f.all()[f.n-1])
			}
		}
	}
}

// all are those of them that were met so far, ascending.
func (f *fewest) all() []SlotNo {
	slices.Sort(f.list)
	f.list = f.list[:min(f.n, len(f.list))]
	return f.list
}

// tight is the smallest slot with a gap that covers need, among those of the tightest length class.
func (g *gapIndex) tight(need Span) (SlotNo, bool) {
	for c := lengthClass(need); c < classCount; c++ {
		t := &g[c]
		if t.root == nil {
			continue
		}
		best := uint32(noSlot)
		tightIn(t.root, earliest(c, need), need, &best)
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

// idle are the slots of the n gaps without end that begin last, but no later than an instant, or of as many as there
// are. Of gaps that begin at the same instant, those of the largest slot numbers come first.
func (g *gapIndex) idle(from int64, n int) (list []SlotNo) {
	for c := lengthClass(Span{from, Forever}); c < classCount && len(list) < n; c++ { // a later gap is shorter
		if g[c].root != nil {
			list = idleIn(list, g[c].root, from, n)
		}
	}
	return list
}

func idleIn(list []SlotNo, n *gapNode, from int64, most int) []SlotNo {
	for i := len(n.keys) - 1; i >= 0 && len(list) < most; i-- {
		switch {
		case n.keys[i].time() > from:
		case n.in == nil:
			if n.vals[i] == Forever {
				list = append(list, SlotNo(n.keys[i].upper()))
			}
		case n.in.sums[i].last == Forever:
			list = idleIn(list, n.in.kids[i], from, most)
		}
	}
	return list
}

// covering counts the gaps that cover w.
func (g *gapIndex) covering(w Span) (n int) {
	for c := lengthClass(w); c < classCount; c++ {
		if g[c].root != nil {
			n += coveringIn(g[c].root, earliest(c, w), w)
		}
	}
	return n
}

// firstOf is the first child or item of a node that keys from a key on may be in.
func firstOf(n *gapNode, from key) int {
	if n.in == nil {
		return from.search(n.keys)
	}
	return childOf(n.keys, from)
}

func coveringIn(n *gapNode, from key, w Span) (count int) {
	if n.in == nil {
		for i := firstOf(n, from); i < len(n.keys) && n.keys[i].time() <= w.Start; i++ {
			if n.vals[i] >= w.End {
				count++
			}
		}
		return count
	}
	for i := firstOf(n, from); i < len(n.keys) && n.keys[i].time() <= w.Start; i++ {
		switch s := &n.in.sums[i]; {
		case s.last < w.End:
		case s.first >= w.End && i+1 < len(n.keys) && n.keys[i+1].time() <= w.Start:
			count += int(s.n)
		default:
			count += coveringIn(n.in.kids[i], from, w)
		}
	}
	return count
}

// eachCovering visits the slots of the gaps that cover w, in the order of the gaps' length classes and then of their
// starts, until visit says false. It returns whether it never did.
func (g *gapIndex) eachCovering(w Span, visit func(SlotNo) bool) bool {
	for c := lengthClass(w); c < classCount; c++ {
		if g[c].root != nil && !eachCoveringIn(g[c].root, earliest(c, w), w, visit) {
			return false
		}
	}
	return true
}

func eachCoveringIn(n *gapNode, from key, w Span, visit func(SlotNo) bool) bool {
	for i := firstOf(n, from); i < len(n.keys) && n.keys[i].time() <= w.Start; i++ {
		switch {
		case n.in == nil:
			if n.vals[i] >= w.End && !visit(SlotNo(n.keys[i].upper())) {
				return false
			}
		case n.in.sums[i].last >= w.End:
			if !eachCoveringIn(n.in.kids[i], from, w, visit) {
				return false
			}
		}
	}
	return true
}
