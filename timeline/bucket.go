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
	Min, Max  int // of the free units at an instant; negative where more is committed than there is
	Available int // units free for the whole bucket
}

// tick is a change of a pool's free units.
type tick struct {
	at     int64
	by     int32
	pool   int32
	bucket int32
}

// calendar is the room that one read works in.
type calendar struct {
	ticks, sorted []tick
	parts, shift  int     // a bucket has 2^parts parts of 2^shift milliseconds
	starts        []int32 // of each part in sorted
	free, least   []int   // per pool
}

var calendars = sync.Pool{New: func() any { return new(calendar) }}

// Calendar appends to out a bucket for each pair of neighbouring edges, which ascend. Min and Max are of the pools' free units summed instant by instant;
// Available is the sum over the pools of the least they have free in the bucket, 0 where that is negative, since no hold lies on two pools. It is the count,
// which is what Available would say wherever the pool is easy, and an upper bound elsewhere.
//
// Changes are gathered slot by slot, where they are in order, and thrown into the buckets, so that only the few of one bucket need sorting.
func (s *Stock) Calendar(pools []PoolRef, edges []int64, out []Bucket) []Bucket {
	n := len(edges) - 1
	if n < 1 {
		return out
	}
	if len(pools) == 1 {
		if l := s.large(pools[0]); l != nil {
			for i := range n {
				w := Span{edges[i], edges[i+1]}
				low, _ := l.net.least(w)
				out = append(out, Bucket{int(low), int(l.net.most(w)), max(0, int(low))})
			}
			return out
		}
	}
	c := calendars.Get().(*calendar)
	out = c.fill(s, pools, edges, out)
	calendars.Put(c)
	return out
}

func (c *calendar) fill(s *Stock, pools []PoolRef, edges []int64, out []Bucket) []Bucket {
	c.ticks, c.free, c.least = c.ticks[:0], resized(c.free, len(pools)), resized(c.least, len(pools))
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
		b := Bucket{Min: total, Max: total}
		for j < len(ticks) {
			k, t := j, ticks[j].at
			for ; j < len(ticks) && ticks[j].at == t; j++ {
				c.free[ticks[j].pool] += int(ticks[j].by)
				total += int(ticks[j].by)
			}
			for ; k < j; k++ {
				p := ticks[k].pool
				c.least[p] = min(c.least[p], c.free[p])
			}
			b.Min, b.Max = min(b.Min, total), max(b.Max, total)
		}
		for _, least := range c.least {
			b.Available += max(0, least)
		}
		out = append(out, b)
	}
	return out
}

// gather adds a pool's changes after the first edge and before the last, and returns what is free at the first.
func (s *Stock) gather(c *calendar, p PoolRef, pool int32, edges []int64) (free int) {
	w := Span{edges[0], edges[len(edges)-1]}
	if l := s.large(p); l != nil {
		var cursor steps
		cursor.seek(&l.net, w.Start)
		for i := 0; cursor.at() < w.End; {
			t := cursor.at()
			i = bucketOf(edges, i, t)
			c.ticks = append(c.ticks, tick{t, cursor.take(), pool, int32(i)})
		}
		return int(l.net.at(w.Start))
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

// span adds the two changes that a span makes inside w, and returns what it makes at its start. No change lies in a bucket before i.
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

// bucketOf is the bucket that t lies in, i being one that is not behind it. Most changes of a slot follow each other closely.
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

// Edges cuts w wherever the free units of one of the pools change: its start, each such instant, its end. Where stock and committed units change together and no
// pool has more or fewer free than before, nothing is cut. It gives up when there are more than most, and returns at least one more than that.
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
