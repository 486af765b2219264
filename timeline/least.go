package timeline

// This file owns the least free units of pools, bucket by bucket: what a heat map asks of hundreds of pools at once.

import (
	"math/bits"
	"slices"
	"sync"
)

// mark is one unit more or less of a pool from an instant on: twice the time since the window's start, and one more
// where it is less. So in order of marks what ends at an instant is free before another begins there.
type mark int64

// marks are the changes of pools over a window.
type marks struct {
	window       Span
	free         int // units free at the window's start
	list, sorted []mark
	starts       []int32 // of each part in sorted
}

var marksPool = sync.Pool{New: func() any { return new(marks) }}

// MinFrees appends to out the least free units of the pools in each bucket, summed instant by instant. The edges
// ascend. A large pool alone looks each up; any others are gone over once.
func (s *Stock) MinFrees(pools []PoolRef, edges []int64, out []int) []int {
	if len(pools) == 1 && s.large(pools[0]) != nil {
		for i := range len(edges) - 1 {
			free, _, _, _ := s.MinFree(pools[0], Span{edges[i], edges[i+1]})
			out = append(out, free)
		}
		return out
	}
	m := marksPool.Get().(*marks)
	m.window, m.free, m.list = Span{edges[0], edges[len(edges)-1]}, 0, m.list[:0]
	for _, p := range pools {
		through(s.stranded(p, m.window), m.window, func(over Span, n int) bool {
			for range n {
				m.more(over)
			}
			return true
		})
		if l := s.large(p); l != nil {
			m.profile(&l.net)
		} else {
			s.each(p, m.window, m.more, m.less)
		}
	}
	m.sort()
	list, free := m.sorted, m.free
	for i := range len(edges) - 1 {
		for len(list) > 0 && m.at(list[0]) <= edges[i] {
			free, list = free+list[0].by(), list[1:]
		}
		least := free
		for len(list) > 0 && m.at(list[0]) < edges[i+1] {
			free, list = free+list[0].by(), list[1:]
			least = min(least, free)
		}
		out = append(out, least)
	}
	marksPool.Put(m)
	return out
}

// by is what a mark changes.
func (x mark) by() int { return 1 - 2*int(x&1) }

func (m *marks) at(x mark) int64 { return m.window.Start + int64(x>>1) }

// more marks a unit that is there over a span.
func (m *marks) more(over Span) { m.span(over, 0) }

// less marks one that is taken.
func (m *marks) less(over Span) { m.span(over, 1) }

func (m *marks) span(over Span, less mark) {
	if over.Start <= m.window.Start {
		m.free += less.by()
	} else {
		m.list = append(m.list, mark(over.Start-m.window.Start)<<1|less)
	}
	if over.End < m.window.End {
		m.list = append(m.list, mark(over.End-m.window.Start)<<1|less^1)
	}
}

// profile marks the free units of a large pool.
func (m *marks) profile(net *profile) {
	m.free += int(net.at(m.window.Start))
	var cursor steps
	cursor.seek(net, m.window.Start)
	for cursor.at() < m.window.End {
		x := mark(cursor.at()-m.window.Start) << 1
		by := cursor.take()
		if by < 0 {
			x, by = x|1, -by
		}
		for range by {
			m.list = append(m.list, x)
		}
	}
}

// sort throws the marks into parts of the window, about as many as there are marks, so that only the few of one part
// need sorting.
func (m *marks) sort() {
	shift := max(0, bits.Len64(uint64(m.window.End-m.window.Start)<<1)-bits.Len(uint(len(m.list))))
	part := func(x mark) int { return int(x >> shift) }
	m.starts = resized(m.starts, part(mark(m.window.End-m.window.Start)<<1)+3)
	for _, x := range m.list {
		m.starts[part(x)+2]++
	}
	for i := 2; i < len(m.starts); i++ {
		m.starts[i] += m.starts[i-1]
	}
	m.sorted = slices.Grow(m.sorted[:0], len(m.list))[:len(m.list)]
	for _, x := range m.list {
		at := &m.starts[part(x)+1]
		m.sorted[*at] = x
		*at++
	}
	for i := range len(m.starts) - 1 {
		if few := m.sorted[m.starts[i]:m.starts[i+1]]; len(few) > 1 {
			slices.Sort(few)
		}
	}
}
