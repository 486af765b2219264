package timeline

// This file owns the calendar: free units by buckets of time, and the instants at which they change.

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
)

// Bucket is the free units over one stretch of time.
type Bucket struct {
	Min, Max  int  // of the free units at an instant; negative where more is committed than there is
	Available int  // units that can be held for the whole bucket
	Exact     bool // one more is sure to be refused; false where the search gave up
}

// tick is a change of a pool's free units.
type tick struct {
	at     int64
	by     int32
	pool   int32
	bucket int32
}

// doubt is a bucket over which fewer units of a pool may be held than are free at every instant: count.
type doubt struct{ pool, bucket, count int32 }

// doubtful is the first and the last bucket that are in doubt for a pool; n is how many there are.
type doubtful struct{ first, last, n int32 }

// calendar is the room that one read works in.
type calendar struct {
	ticks, sorted     []tick
	parts, shift      int     // a bucket has 2^parts parts of 2^shift milliseconds
	starts            []int32 // of each part in sorted
	free, least, sure []int   // per pool
	profiled          []int32 // the pools that have a profile
	doubts, of        []doubt // all, by bucket; those of one pool that are looked at
	doubtful          []doubtful
}

var calendars = sync.Pool{New: func() any { return new(calendar) }}

// bucketSearches is how often one calendar looks for a rearrangement, all its buckets together. Once that is used up, a
// bucket counts only the units that are free throughout it. These can be held for sure, but the count is not exact.
const bucketSearches = 1000

// Calendar appends to out a bucket for each pair of neighbouring edges, which ascend. Min and Max are of the pools'
// free units summed instant by instant; Available is the sum over the pools of what Available says of the bucket, for a
// command of the instant now.
//
// That is mostly the count, the least that a pool has free in the bucket, and goes from cheap to deep, as Available
// does: where no unit comes free in the bucket before another is taken, so many slots are free throughout it (fill).
// What is in doubt is asked together, whether the pool is easy over all of it, then in ever smaller parts (search).
// Only what is left is seated for real, bucket by bucket.
func (s *Stock) Calendar(pools []PoolRef, edges []int64, now int64, out []Bucket) []Bucket {
	if len(edges) < 2 {
		return out
	}
	c := calendars.Get().(*calendar)
	first := len(out)
	out = c.count(s, pools, edges, out)
	q := bucketQuery{Stock: s, edges: edges, now: now, out: out[first:], searches: bucketSearches}
	for i, d := range c.doubtful {
		if q.pool = pools[i]; d.n == 0 || q.SlotCount(q.pool) == 1 ||
			q.easyOver(Span{edges[d.first], edges[d.last+1]}) {
			continue
		}
		c.of = c.of[:0]
		for _, x := range c.doubts {
			if x.pool == int32(i) && q.FreeThroughout(q.pool, q.window(x)) < int(x.count) {
				c.of = append(c.of, x)
			}
		}
		q.search(c.of)
	}
	calendars.Put(c)
	return out
}

// bucketQuery asks how many units of a pool can be held over the buckets in doubt.
type bucketQuery struct {
	*Stock
	edges    []int64 // between the buckets, or
	hulls    []Span  // what the buckets are
	now      int64
	out      []Bucket // their Available has the counts
	searches int      // that are left
	pool     PoolRef
}

func (q *bucketQuery) window(d doubt) Span {
	if q.hulls != nil {
		return q.hulls[d.bucket]
	}
	return Span{q.edges[d.bucket], q.edges[d.bucket+1]}
}

// easyOver says that the pool is easy over w, and so over each window in it.
func (q *bucketQuery) easyOver(w Span) bool { return q.countIsAnswer(q.pool, w, q.now) }

// around is the least window that has those of all doubts in it.
func (q *bucketQuery) around(doubts []doubt) Span {
	all := q.window(doubts[0])
	for _, d := range doubts[1:] {
		w := q.window(d)
		all = Span{min(all.Start, w.Start), max(all.End, w.End)}
	}
	return all
}

// search puts right what buckets have of the pool, where the count is not the answer.
func (q *bucketQuery) search(doubts []doubt) {
	switch n := len(doubts); {
	case q.searches == 0:
		for _, d := range doubts {
			q.set(d, q.FreeThroughout(q.pool, q.window(d)), false)
		}
	case n == 0 || q.easyOver(q.around(doubts)):
	case n == 1:
		d := doubts[0]
		tries := min(q.searches, availableSeats)
		q.searches -= tries
		held, exact := q.seatForReal(q.pool, nil, NewHold(ID{}, q.window(d), 0, 0), q.now, int(d.count), &tries)
		q.searches += tries // those that were not used
		q.set(d, held, exact)
	default:
		q.search(doubts[:n/2])
		q.search(doubts[n/2:])
	}
}

// set says that held units of the pool can be held for a bucket, not the count.
func (q *bucketQuery) set(d doubt, held int, exact bool) {
	b := &q.out[d.bucket]
	b.Available += held - int(d.count)
	b.Exact = b.Exact && exact
}

// count appends the buckets as the count has them, and notes what is in doubt.
func (c *calendar) count(s *Stock, pools []PoolRef, edges []int64, out []Bucket) []Bucket {
	c.doubts, c.doubtful = c.doubts[:0], resized(c.doubtful, len(pools))
	if len(pools) == 1 {
		if l := s.large(pools[0]); l != nil && s.stranded(pools[0], Span{edges[0], edges[len(edges)-1]}) == nil {
			for i := range len(edges) - 1 {
				w := Span{edges[i], edges[i+1]}
				low, _ := l.net.least(w)
				if out = append(out, Bucket{int(low), int(l.net.most(w)), max(0, int(low)), true}); low > 0 {
					c.doubt(0, i, int(low))
				}
			}
			return out
		}
	}
	return c.fill(s, pools, edges, out)
}

func (c *calendar) doubt(pool, bucket, count int) {
	c.doubts = append(c.doubts, doubt{int32(pool), int32(bucket), int32(count)})
	d := &c.doubtful[pool]
	if d.n == 0 {
		d.first = int32(bucket)
	}
	d.last = int32(bucket)
	d.n++
}

// fill counts the changes of the pools. Changes are gathered slot by slot, where they are in order, and thrown into the
// buckets, so that only the few of one bucket need sorting.
func (c *calendar) fill(s *Stock, pools []PoolRef, edges []int64, out []Bucket) []Bucket {
	c.ticks, c.profiled = c.ticks[:0], c.profiled[:0]
	c.free, c.least, c.sure = resized(c.free, len(pools)), resized(c.least, len(pools)), resized(c.sure, len(pools))
	for i, p := range pools {
		c.free[i] = s.gather(c, p, int32(i), edges)
	}
	c.deal(edges)
	total := 0
	for _, free := range c.free {
		total += free
	}
	for i := range len(edges) - 1 {
		ticks := c.bucket(i)
		j := 0
		for ; j < len(ticks) && ticks[j].at <= edges[i]; j++ {
			c.free[ticks[j].pool] += int(ticks[j].by)
			total += int(ticks[j].by)
		}
		copy(c.least, c.free)
		copy(c.sure, c.free)
		for _, p := range c.profiled {
			c.sure[p] = 0 // its changes are of several slots together
		}
		b := Bucket{Min: total, Max: total, Exact: true}
		for j < len(ticks) {
			k, t := j, ticks[j].at
			for ; j < len(ticks) && ticks[j].at == t; j++ {
				by, p := int(ticks[j].by), ticks[j].pool
				c.free[p] += by
				c.sure[p] += min(by, 0) // of the slots free at the start one less is free throughout, or none
				total += by
			}
			for ; k < j; k++ {
				p := ticks[k].pool
				c.least[p] = min(c.least[p], c.free[p])
			}
			b.Min, b.Max = min(b.Min, total), max(b.Max, total)
		}
		for p, least := range c.least {
			if least > 0 {
				if b.Available += least; c.sure[p] < least {
					c.doubt(p, i, least)
				}
			}
		}
		out = append(out, b)
	}
	return out
}

// gather adds a pool's changes after the first edge and before the last, and returns what is free at the first.
func (s *Stock) gather(c *calendar, p PoolRef, pool int32, edges []int64) (free int) {
	w := Span{edges[0], edges[len(edges)-1]}
	through(s.stranded(p, w), w, func(over Span, n int) bool {
		if n > 0 {
			free += c.span(over, w, int32(n), pool, edges, 0)
		}
		return true
	})
	if l := s.large(p); l != nil {
		c.profiled = append(c.profiled, pool)
		var cursor steps
		cursor.seek(&l.net, w.Start)
		for i := 0; cursor.at() < w.End; {
			t := cursor.at()
			i = bucketOf(edges, i, t)
			c.ticks = append(c.ticks, tick{t, cursor.take(), pool, int32(i)})
		}
		return free + int(l.net.at(w.Start))
	}
	for _, lot := range s.Lots(p) {
		l := s.lot(lot)
		for _, no := range l.slots {
			e := s.slot(no)
			if !e.span.Overlaps(w) {
				continue
			}
			free += c.span(e.span, w, 1, pool, edges, 0)
			i := 0
			for h, at := e.rail.next(e.rail.from(w.Start)); h != nil && seatStart(h) < w.End; h, at = e.rail.next(at) {
				seat := h.Seat()
				if seat.Start > w.Start {
					i = bucketOf(edges, i, seat.Start)
				}
				free += c.span(seat, w, -1, pool, edges, i)
			}
		}
		if l.conflicts > 0 {
			for h := range s.Conflicts(lot) {
				if h.Span.Overlaps(w) {
					free += c.span(h.Span, w, -1, pool, edges, 0)
				}
			}
		}
	}
	return free
}

// span adds the two changes that a span makes inside w, and returns what it makes at its start. No change lies in a
// bucket before i.
func (c *calendar) span(s, w Span, by, pool int32, edges []int64, i int) (at int) {
	if s.Start <= w.Start {
		at = int(by)
	} else {
		i = bucketOf(edges, i, s.Start)
		c.ticks = append(c.ticks, tick{s.Start, by, pool, int32(i)})
	}
	if s.End < w.End {
		i = bucketOf(edges, i, s.End)
		c.ticks = append(c.ticks, tick{s.End, -by, pool, int32(i)})
	}
	return at
}

// bucketOf is the bucket that t lies in; i is that bucket or an earlier one. It looks at the next few first, as most
// changes of a slot follow each other closely.
func bucketOf(edges []int64, i int, t int64) int {
	for range 8 {
		if edges[i+1] > t {
			return i
		}
		i++
	}
	lo, hi := i, len(edges)-1
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if edges[mid+1] > t {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// deal sorts the changes into parts: of each bucket as many as leave a few changes in one, cut by powers of two.
func (c *calendar) deal(edges []int64) {
	buckets := len(edges) - 1
	longest := int64(1)
	for i := range buckets {
		longest = max(longest, edges[i+1]-edges[i])
	}
	c.parts = min(6, bits.Len(uint(len(c.ticks)/buckets/4)))
	c.shift = max(0, bits.Len64(uint64(longest-1))-c.parts)
	c.starts = resized(c.starts, buckets<<c.parts+2)
	part := func(t *tick) int { return int(t.bucket)<<c.parts + int((t.at-edges[t.bucket])>>c.shift) }
	for i := range c.ticks {
		c.starts[part(&c.ticks[i])+2]++
	}
	for i := 2; i < len(c.starts); i++ {
		c.starts[i] += c.starts[i-1]
	}
	c.sorted = slices.Grow(c.sorted[:0], len(c.ticks))[:len(c.ticks)]
	for i := range c.ticks {
		at := &c.starts[part(&c.ticks[i])+1]
		c.sorted[*at] = c.ticks[i]
		*at++
	}
}

// bucket is the changes in bucket i, by instant.
func (c *calendar) bucket(i int) []tick {
	first, last := i<<c.parts, (i+1)<<c.parts
	for part := first; part < last; part++ {
		ticks := c.sorted[c.starts[part]:c.starts[part+1]]
		if len(ticks) < 24 {
			insertionSort(ticks)
		} else {
			slices.SortFunc(ticks, func(a, b tick) int { return cmp.Compare(a.at, b.at) })
		}
	}
	return c.sorted[c.starts[first]:c.starts[last]]
}

// insertionSort sorts a few changes by instant.
func insertionSort(ticks []tick) {
	for i := 1; i < len(ticks); i++ {
		t := ticks[i]
		j := i
		for ; j > 0 && ticks[j-1].at > t.at; j-- {
			ticks[j] = ticks[j-1]
		}
		ticks[j] = t
	}
}

// resized is s with n elements, all zero.
func resized[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Edges cuts w wherever the free units of one of the pools change: its start, each such instant, its end. Where stock
// and committed units change together and no pool has more or fewer free than before, nothing is cut. It gives up when
// there are more than most, and returns at least one more than that.
func (s *Stock) Edges(pools []PoolRef, w Span, most int) []int64 {
	edges := []int64{w.Start, w.End}
	for _, p := range pools {
		was, cuts := 0, 0
		s.Sweep(p, w, func(over Span, c Count) bool {
			if c.Free() != was && over.Start > w.Start {
				edges = append(edges, over.Start)
				cuts++
			}
			was = c.Free()
			return cuts <= most
		})
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}
