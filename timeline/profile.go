package timeline

// This file owns the profile: a step function of time, kept as the changes at its steps.

import "math"

// profile is a step function from -infinity, where it is 0: at each instant that is a key, it changes by the value,
// which is not 0. A hold is two point changes; the level at t is the sum of all changes up to t, and the least level
// over a window is found in the sums and least prefixes of subtrees. So nothing is ever added to a range, and nothing
// needs to be pushed down before a node is copied: a tree of levels with lazy adds was dropped for that.
type profile struct {
	sumTree[instant, int32, level, levels]
}

// level is what a run of changes does to a step function that is 0 in front of it: where it ends up, and the least and
// greatest level on the way, after the first change.
type level struct{ sum, low, high int32 }

type levels struct{}

func (levels) leaf(_ []instant, deltas []int32) level {
	l := level{0, math.MaxInt32, math.MinInt32}
	for _, d := range deltas {
		l.sum += d
		l.low, l.high = min(l.low, l.sum), max(l.high, l.sum)
	}
	return l
}

func (levels) join(sums []level) level {
	l := level{0, math.MaxInt32, math.MinInt32}
	for _, s := range sums {
		l.low, l.high = min(l.low, l.sum+s.low), max(l.high, l.sum+s.high)
		l.sum += s.sum
	}
	return l
}

type levelNode = node[instant, int32, level, levels]

// add changes the level by d over the whole span; an open end is no change.
func (p *profile) add(edit *token, over Span, d int32) {
	p.step(edit, over.Start, d)
	if over.End != Forever {
		p.step(edit, over.End, -d)
	}
}

func (p *profile) step(edit *token, t int64, d int32) {
	if edit.later != nil {
		edit.later.step(p, t, d)
		return
	}
	was, _ := p.get(instant(t))
	if was+d == 0 {
		p.del(edit, instant(t))
		return
	}
	p.set(edit, instant(t), was+d)
}

// at is the level at t.
func (p *profile) at(t int64) int32 {
	n, sum := p.root, int32(0)
	if n == nil {
		return 0
	}
	for n.in != nil {
		i := childOf(n.keys, instant(t))
		for _, s := range n.in.sums[:i] {
			sum += s.sum
		}
		n = n.in.kids[i]
	}
	for i, k := range n.keys {
		if int64(k) > t {
			break
		}
		sum += n.vals[i]
	}
	return sum
}

// least is the least level over w, and the earliest instant of w at which it is reached.
func (p *profile) least(w Span) (low int32, at int64) {
	q := leastQuery{level: p.at(w.Start), at: w.Start}
	q.low = q.level
	if p.root != nil {
		q.visit(p.root, w)
	}
	if q.in != nil {
		q.at = firstLevel(q.in, q.before, q.low)
	}
	return q.low, q.at
}

// leastQuery is a search on its way from left to right. A subtree that reaches a new least level is only noted; which
// instant it was is looked up at the end.
type leastQuery struct {
	level  int32 // in front of what comes next
	low    int32
	at     int64
	in     *levelNode // where low was reached, nil: at
	before int32      // the level in front of in
}

// visit takes in the changes of n that lie inside w but not at its start.
func (q *leastQuery) visit(n *levelNode, w Span) {
	if n.in == nil {
		for i := instant(w.Start + 1).search(n.keys); i < len(n.keys) && int64(n.keys[i]) < w.End; i++ {
			q.level += n.vals[i]
			if q.level < q.low {
				q.low, q.at, q.in = q.level, int64(n.keys[i]), nil
			}
		}
		return
	}
	first := childOf(n.keys, instant(w.Start+1))
	for i := first; i < len(n.keys) && int64(n.keys[i]) < w.End; i++ {
		if i == first && int64(n.keys[i]) <= w.Start || i+1 == len(n.keys) || int64(n.keys[i+1]) > w.End {
			q.visit(n.in.kids[i], w)
			continue
		}
		s := &n.in.sums[i]
		if low := q.level + s.low; low < q.low {
			q.low, q.in, q.before = low, n.in.kids[i], q.level
		}
		q.level += s.sum
	}
}

// firstLevel is the first instant in n at which the level is low, before being the level in front of n.
func firstLevel(n *levelNode, before, low int32) int64 {
	for n.in != nil {
		for i := range n.keys {
			s := &n.in.sums[i]
			if before+s.low <= low {
				n = n.in.kids[i]
				break
			}
			before += s.sum
		}
	}
	for i, d := range n.vals {
		if before += d; before <= low {
			return int64(n.keys[i])
		}
	}
	panic("timeline: profile out of step")
}

// most is the greatest level over w.
func (p *profile) most(w Span) int32 {
	now := p.at(w.Start)
	high := now
	if p.root != nil {
		mostIn(p.root, w, &now, &high)
	}
	return high
}

func mostIn(n *levelNode, w Span, now, high *int32) {
	if n.in == nil {
		for i := instant(w.Start + 1).search(n.keys); i < len(n.keys) && int64(n.keys[i]) < w.End; i++ {
			*now += n.vals[i]
			*high = max(*high, *now)
		}
		return
	}
	first := childOf(n.keys, instant(w.Start+1))
	for i := first; i < len(n.keys) && int64(n.keys[i]) < w.End; i++ {
		if i == first && int64(n.keys[i]) <= w.Start || i+1 == len(n.keys) || int64(n.keys[i+1]) > w.End {
			mostIn(n.in.kids[i], w, now, high)
			continue
		}
		*high = max(*high, *now+n.in.sums[i].high)
		*now += n.in.sums[i].sum
	}
}

// reaches is the first instant from t on at which the level is at least want; ok is false where it never is.
func (p *profile) reaches(t int64, want int32) (at int64, ok bool) {
	now := p.at(t)
	if now >= want {
		return t, true
	}
	if p.root == nil {
		return 0, false
	}
	return reachesIn(p.root, t, want, &now)
}

func reachesIn(n *levelNode, t int64, want int32, now *int32) (int64, bool) {
	if n.in == nil {
		for i := instant(t + 1).search(n.keys); i < len(n.keys); i++ {
			if *now += n.vals[i]; *now >= want {
				return int64(n.keys[i]), true
			}
		}
		return 0, false
	}
	first := childOf(n.keys, instant(t+1))
	for i := first; i < len(n.keys); i++ {
		if i == first && int64(n.keys[i]) <= t || *now+n.in.sums[i].high >= want {
			if at, ok := reachesIn(n.in.kids[i], t, want, now); ok {
				return at, true
			}
			continue
		}
		*now += n.in.sums[i].sum
	}
	return 0, false
}

// lastBelow is the start of the last step over w with a level below want, at the earliest the start of w; ok is false
// where there is none.
func (p *profile) lastBelow(w Span, want int32) (at int64, ok bool) {
	if p.root != nil {
		behind := p.at(w.End - 1)
		if at, ok = lastBelowIn(p.root, w, want, &behind); ok {
			return at, true
		}
	}
	if p.at(w.Start) < want {
		return w.Start, true
	}
	return 0, false
}

// lastBelowIn goes from right to left; level is the level after the changes seen so far.
func lastBelowIn(n *levelNode, w Span, want int32, level *int32) (int64, bool) {
	if n.in == nil {
		for i := instant(w.End).search(n.keys) - 1; i >= 0 && int64(n.keys[i]) > w.Start; i-- {
			if *level < want {
				return int64(n.keys[i]), true
			}
			*level -= n.vals[i]
		}
		return 0, false
	}
	last := instant(w.End).search(n.keys) - 1
	for i := last; i >= 0; i-- {
		if i+1 < len(n.keys) && int64(n.keys[i+1]) <= w.Start {
			break
		}
		s := &n.in.sums[i]
		if i == last || int64(n.keys[i]) <= w.Start || *level-s.sum+s.low < want {
			if at, ok := lastBelowIn(n.in.kids[i], w, want, level); ok {
				return at, true
			}
			continue
		}
		*level -= s.sum
	}
	return 0, false
}

// steps is a cursor over the changes of a profile.
type steps struct {
	stack [10]struct {
		n *levelNode
		i int
	}
	depth int
	leaf  *levelNode
	i     int
}

// seek puts the cursor in front of the first change after t.
func (c *steps) seek(p *profile, t int64) {
	c.depth, c.leaf = 0, p.root
	if c.leaf == nil {
		return
	}
	for c.leaf.in != nil {
		i := childOf(c.leaf.keys, instant(t+1))
		c.stack[c.depth].n, c.stack[c.depth].i = c.leaf, i
		c.depth++
		c.leaf = c.leaf.in.kids[i]
	}
	c.i = instant(t + 1).search(c.leaf.keys)
	c.settle()
}

// settle moves on from the end of a leaf; leaf is nil after the last change.
func (c *steps) settle() {
	for c.leaf != nil && c.i == len(c.leaf.keys) {
		for c.depth > 0 && c.stack[c.depth-1].i+1 == len(c.stack[c.depth-1].n.keys) {
			c.depth--
		}
		if c.depth == 0 {
			c.leaf = nil
			return
		}
		top := &c.stack[c.depth-1]
		top.i++
		c.leaf = top.n.in.kids[top.i]
		for c.leaf.in != nil {
			c.stack[c.depth].n, c.stack[c.depth].i = c.leaf, 0
			c.depth++
			c.leaf = c.leaf.in.kids[0]
		}
		c.i = 0
	}
}

// at is the instant of the change at the cursor, Forever after the last.
func (c *steps) at() int64 {
	if c.leaf == nil {
		return Forever
	}
	return int64(c.leaf.keys[c.i])
}

// take is the change at the cursor, which it moves past.
func (c *steps) take() int32 {
	d := c.leaf.vals[c.i]
	c.i++
	c.settle()
	return d
}
