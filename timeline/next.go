package timeline

// This file owns next fit: the earliest window of a length in which so many units can be held.

import (
	"math"
	"slices"
	"sort"
)

// nextTries is how many windows that the count allows are seated for real before next fit gives up on a pool that is
// not easy.
const nextTries = 64

// Shape is one of several pools that are asked together, and what a window needs in it: the hull, buffers included, of
// a window that begins at from. Before the instant Turn(from), neither end of the hull moves back when from moves
// forward; without a Turn they never do.
type Shape struct {
	Pool PoolRef
	Hull func(from int64) Span
	Turn func(from int64) int64
	For  *Hold // what it asks of its lot, by its flags, owner and line; nil: nothing
	Now  int64 // when it asks
	// Named: the pool is a lot, and the holds name its article, so that others may make room for them (SeatNamed).
	Named bool
}

// available is how many units can be held over a hull, for a caller that needs no more than most.
func (p *Shape) available(s *Stock, hull Span, now int64, most int) int {
	switch {
	case p.For != nil:
		return s.AvailableFor(p.Pool, p.hold(hull), now).Available
	case p.Named:
		return s.AvailableNamed(p.lot(), hull, now, s.Available(p.Pool, hull, now)).Available
	}
	return s.availableUpTo(p.Pool, hull, now, most).Available
}

// lot is the lot of one that is named.
func (p *Shape) lot() LotNo {
	no, _ := p.Pool.Lot()
	return no
}

// reach is where room may come from.
func (p *Shape) reach(s *Stock) PoolRef {
	if p.Named {
		if wide, ok := s.around(p.lot()); ok {
			return wide
		}
	}
	return p.Pool
}

// hold is what is to be seated over a hull.
func (p *Shape) hold(hull Span) Hold {
	h := NewHold(ID{}, hull, 0, 0)
	h.Flags, h.Owner, h.Line = p.For.Flags, p.For.Owner, p.For.Line
	return h
}

// NextFit is the earliest instant from notBefore on, and before until, at which a window can begin in which n units can
// be held over the pools together: what Available, asked for each pool's own hull, sums up to. ok is false where there
// is none, or where the search of pools that are not easy gave up.
func (s *Stock) NextFit(pools []Shape, n int, notBefore, until, now int64) (from int64, ok bool) {
	enough := func(free []int) bool {
		sum := 0
		for _, f := range free {
			sum += f
		}
		return sum >= n
	}
	return s.NextWhere(pools, notBefore, until, enough, func(from int64) bool { return s.held(pools, n, from, now) })
}

// NextWhere is NextFit for what takes of the pools in other ways than by their sum. enough says whether so many free
// units of each would do, never below 0; of more it never says less. Where it does, held says whether it can be had.
//
// It searches from one turn to the next, and begins anew at each. At a turn a hull may move back, so that a later
// window needs stock at instants that the search has already passed.
func (s *Stock) NextWhere(pools []Shape, notBefore, until int64, enough func(free []int) bool,
	held func(from int64) bool) (from int64, ok bool) {
	c := s.counting(pools, notBefore, until, enough)
	tries := nextTries
	for begin := notBefore; begin < until && tries > 0; begin = c.until {
		c.until = until
		for i := range pools {
			if turn := pools[i].Turn; turn != nil {
				c.until = min(c.until, turn(begin))
			}
		}
		for t := begin; tries > 0; tries-- {
			if t, ok = c.next(t); !ok {
				break
			}
			if held(t) {
				return t, true
			}
			if t, ok = s.nextRoom(pools, t, c.until); !ok {
				break
			}
		}
	}
	return 0, false
}

// counting looks for windows in which the count of free units is enough.
type counting struct {
	pools  []Shape
	curves []curve // by pool
	need   []int   // by pool: with less it is not enough, whatever the others have
	free   []int   // by pool, over the hull that is looked at
	enough func(free []int) bool
	until  int64 // where the next turn is, or the end
}

// plenty is more units than any pool has.
const plenty = 1 << 24

// backAtMost is more than the end of any hull ever moves back: three days at the end of a month, and a day that a zone
// repeats.
const backAtMost = 5 * dayMs

func (s *Stock) counting(pools []Shape, notBefore, until int64, enough func(free []int) bool) counting {
	c := counting{pools: pools, curves: make([]curve, len(pools)), need: make([]int, len(pools)),
		free: make([]int, len(pools)), enough: enough}
	for i := range pools {
		over := Span{pools[i].Hull(notBefore).Start, pools[i].Hull(until).End}
		if pools[i].Turn != nil {
			over = Span{over.Start - backAtMost, max(over.End, over.End+backAtMost)} // Forever stays what it is
		}
		c.curves[i] = s.curveOf(&pools[i], over)
	}
	for i := range c.free {
		c.free[i] = plenty
	}
	for i := range pools {
		does := func(n int) bool {
			c.free[i] = n
			return enough(c.free)
		}
		if !does(0) { // of several pools one can mostly do without each
			c.need[i] = sort.Search(plenty, does)
		}
		c.free[i] = plenty
	}
	return c
}

// next is the first such window from t on.
//
// It jumps from violation to violation: where a hull falls short, the next window worth a look is the first whose hull
// begins after the last stretch that is short, as every window between still covers it. So it looks at each run of
// short stretches once. A stretch is short if it is below the pool's need. If no pool is short, but all together are,
// one of them has to rise.
func (c *counting) next(t int64) (from int64, ok bool) {
	if len(c.pools) == 1 {
		return c.nextOfOne(t)
	}
	for t < c.until {
		rise, next := Forever, int64(math.MinInt64)
		for i := range c.pools {
			p := &c.pools[i]
			hull := p.Hull(t)
			c.free[i] = max(0, c.curves[i].least(hull))
			want := max(c.free[i]+1, c.need[i])
			first := Forever
			if u, ok := c.curves[i].pass(hull, want); ok {
				first = p.first(t, c.until, u)
			}
			if rise = min(rise, first); c.free[i] < c.need[i] {
				next = max(next, first)
			}
		}
		if c.enough(c.free) {
			return t, true
		}
		if t = next; t == math.MinInt64 {
			t = rise
		}
	}
	return 0, false
}

// nextOfOne is next for one pool. That has to have its need, so how much less it has is not asked: a search less for
// each run.
func (c *counting) nextOfOne(t int64) (from int64, ok bool) {
	p, curve, need := &c.pools[0], &c.curves[0], c.need[0]
	if need == 0 {
		return t, t < c.until
	}
	for t < c.until {
		hull := p.Hull(t)
		end, passed := curve.pass(hull, need)
		if !passed { // nothing is short, or it is so for good
			return t, curve.least(hull) >= need
		}
		t = p.first(t, c.until, end)
	}
	return 0, false
}

// A window at t finds no room, though the count allows it. nextRoom is the first instant after t at which a window can
// begin that finds room; it is until if there is none before that. Only something that ends on a slot, or a slot that
// begins, makes room for a window that begins later. With several pools, a conflict that ends does so, too, as the
// count of one pool may rise where another has no room. ok is false if nothing ends any more.
func (s *Stock) nextRoom(pools []Shape, t, until int64) (from int64, ok bool) {
	from = Forever
	for i := range pools {
		if u, ok := s.nextEnd(pools[i].reach(s), pools[i].Hull(t).Start, len(pools) > 1 || pools[i].Named); ok {
			from = min(from, pools[i].first(t, until, u))
		}
	}
	return from, from < Forever
}

// held says that n units can be held over the pools by windows that begin at t.
func (s *Stock) held(pools []Shape, n int, t, now int64) bool {
	for i := range pools {
		if n -= pools[i].available(s, pools[i].Hull(t), now, n); n <= 0 {
			return true
		}
	}
	return false
}

// first is the first instant after t at which a window can begin whose hull begins at u or later; until where none
// before it does. No hull moves back between the two.
func (p *Shape) first(t, until, u int64) int64 {
	behind := func(t int64) bool { return p.Hull(t).Start >= u }
	// Buffers are mostly of one length, and then this is it.
	lo, hi := t, t+(u-p.Hull(t).Start)
	if hi >= until {
		lo, hi = t, until-1
	} else if hi > lo && behind(hi) {
		if !behind(hi - 1) {
			return hi
		}
	} else {
		lo, hi = max(lo, hi), until-1
	}
	if !behind(hi) {
		return until
	}
	for hi-lo > 1 { // behind(hi), not behind(lo)
		if mid := lo + (hi-lo)/2; behind(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// nextEnd is the first instant after t at which something on a slot of p ends, or a slot begins, or, where they are
// asked for, a conflict ends.
func (s *Stock) nextEnd(p PoolRef, t int64, conflicts bool) (end int64, ok bool) {
	end = Forever
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			e := s.slot(no)
			if e.span.Start > t {
				end = min(end, e.span.Start)
			}
			if h, _ := e.rail.next(e.rail.from(t)); h != nil {
				end = min(end, h.Span.End)
			}
		}
		if !conflicts {
			continue
		}
		for h := range s.Conflicts(lot) {
			if h.Span.End > t {
				end = min(end, h.Span.End)
			}
		}
	}
	return end, end < Forever
}

// curve is a pool's free units, to be asked again and again: its profile, or all its steps where it has none.
type curve struct {
	large *large
	at    []int64 // starts of steps; the first is where the curve begins
	free  []int
}

func (s *Stock) curveOf(x *Shape, over Span) (c curve) {
	p := x.Pool
	if x.For != nil {
		h := x.hold(over)
		if w := s.asks(p, &h, x.Now); w != nil {
			for _, step := range s.boundFor(p, w, over, x.Now) {
				c.at, c.free = append(c.at, step.at), append(c.free, step.free)
			}
			return c
		}
	}
	if wide := x.reach(s); wide != p {
		for _, step := range s.namedSteps(x.lot(), wide, over) {
			c.at, c.free = append(c.at, step.over.Start), append(c.free, step.left)
		}
		return c
	}
	if c.large = s.large(p); c.large != nil && s.stranded(p, over) == nil {
		return c
	}
	c.large = nil
	s.Sweep(p, over, func(over Span, n Count) bool {
		c.at, c.free = append(c.at, over.Start), append(c.free, n.Free())
		return true
	})
	return c
}

// step is the index of the step over t.
func (c *curve) step(t int64) int {
	i, ok := slices.BinarySearch(c.at, t)
	if !ok {
		i--
	}
	return max(i, 0)
}

// least is the least of the curve over w.
func (c *curve) least(w Span) int {
	if c.large != nil {
		low, _ := c.large.net.least(w)
		return int(low)
	}
	i := c.step(w.Start)
	low := c.free[i]
	for i++; i < len(c.at) && c.at[i] < w.End; i++ {
		low = min(low, c.free[i])
	}
	return low
}

// pass is the end of the last run of steps over w that fall short of want; ok is false where there is none, or it has
// no end.
func (c *curve) pass(w Span, want int) (end int64, ok bool) {
	if c.large != nil {
		if end, ok = c.large.net.lastBelow(w, int32(want)); ok {
			end, ok = c.large.net.reaches(end, int32(want))
		}
		return end, ok
	}
	last := -1
	for i := c.step(w.Start); i < len(c.at) && (c.at[i] < w.End || last == i-1); i++ {
		if c.free[i] < want {
			last = i
		}
	}
	if last < 0 || last == len(c.at)-1 {
		return 0, false
	}
	return c.at[last+1], true
}
