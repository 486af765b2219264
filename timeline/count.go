package timeline

// This file owns counting: how many units a pool has, has committed and has free over a window, by walking its slots.

import (
	"slices"
	"sync"
)

// Count is a pool's units at an instant. Committed counts seats and, over their whole hulls, conflicts; so free units may be fewer than none.
type Count struct{ Stock, Committed int }

// Free is the units not committed; negative where more is committed than there is.
func (c Count) Free() int { return c.Stock - c.Committed }

// change is a step of a pool's counts.
type change struct {
	at               int64
	stock, committed int32
}

// scratch is the room that one read works in.
type scratch struct {
	changes []change
	up      []int64
	down    []int64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// overlap calls visit with the seats and the conflicts' hulls of p that share an instant with w.
func (s *Stock) overlap(p PoolRef, w Span, visit func(Span)) {
	for _, lot := range s.Lots(p) {
		e := s.lot(lot)
		for _, no := range e.slots {
			r := &s.slot(no).rail
			for h, at := r.next(r.from(w.Start)); h != nil && seatStart(h) < w.End; h, at = r.next(at) {
				visit(h.Seat())
			}
		}
		if e.conflicts > 0 {
			for h := range s.Conflicts(lot) {
				if h.Span.Overlaps(w) {
					visit(h.Span)
				}
			}
		}
	}
}

// CountAt is the counts of p at the instant t.
func (s *Stock) CountAt(p PoolRef, t int64) Count {
	var c Count
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if s.slot(no).span.Holds(t) {
				c.Stock++
			}
		}
	}
	s.overlap(p, Span{t, t + 1}, func(Span) { c.Committed++ })
	return c
}

// MinFree is the least number of free units of p over the window w, which is not empty, the earliest instant at which it is reached, and the counts there.
func (s *Stock) MinFree(p PoolRef, w Span) (free, stock, committed int, at int64) {
	buf := scratches.Get().(*scratch)
	up, down := buf.up[:0], buf.down[:0]
	note := func(span Span, starts, ends *[]int64) {
		if span.Start <= w.Start {
			free++
		} else {
			*starts = append(*starts, span.Start)
		}
		if span.End < w.End {
			*ends = append(*ends, span.End)
		}
	}
	taken := 0
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if e := s.slot(no); e.span.Overlaps(w) {
				note(e.span, &up, &down)
			}
		}
	}
	free, taken = 0, free
	s.overlap(p, w, func(seat Span) { note(seat, &down, &up) })
	free = taken - free
	slices.Sort(up)
	slices.Sort(down)
	at = w.Start
	now, i := free, 0
	for j := 0; j < len(down); {
		t := down[j]
		for ; i < len(up) && up[i] <= t; i++ {
			now++
		}
		for ; j < len(down) && down[j] == t; j++ {
			now--
		}
		if now < free {
			free, at = now, t
		}
	}
	buf.up, buf.down = up, down
	scratches.Put(buf)
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if s.slot(no).span.Holds(at) {
				stock++
			}
		}
	}
	return free, stock, stock - free, at
}

// Sweep goes through the counts of p over the window w, from its start to its end: each stretch is as long as the counts stay the same. It stops when visit
// returns false.
func (s *Stock) Sweep(p PoolRef, w Span, visit func(Span, Count) bool) {
	buf := scratches.Get().(*scratch)
	changes := buf.changes[:0]
	var now Count
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			span := s.slot(no).span
			if !span.Overlaps(w) {
				continue
			}
			if span.Start <= w.Start {
				now.Stock++
			} else {
				changes = append(changes, change{span.Start, 1, 0})
			}
			if span.End < w.End {
				changes = append(changes, change{span.End, -1, 0})
			}
		}
	}
	s.overlap(p, w, func(seat Span) {
		if seat.Start <= w.Start {
			now.Committed++
		} else {
			changes = append(changes, change{seat.Start, 0, 1})
		}
		if seat.End < w.End {
			changes = append(changes, change{seat.End, 0, -1})
		}
	})
	slices.SortFunc(changes, func(a, b change) int {
		if a.at < b.at {
			return -1
		}
		if a.at > b.at {
			return 1
		}
		return 0
	})
	from, on := w.Start, true
	for i := 0; on && i < len(changes); {
		t, was := changes[i].at, now
		for ; i < len(changes) && changes[i].at == t; i++ {
			now.Stock += int(changes[i].stock)
			now.Committed += int(changes[i].committed)
		}
		if now != was {
			on = visit(Span{from, t}, was)
			from = t
		}
	}
	if on {
		visit(Span{from, w.End}, now)
	}
	buf.changes = changes
	scratches.Put(buf)
}

// FreeThroughout counts the slots of p that are alive over all of w and meet no seat there.
func (s *Stock) FreeThroughout(p PoolRef, w Span) int {
	n := 0
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if gap, ok := s.FreeAround(no, w.Start); ok && gap.End >= w.End {
				n++
			}
		}
	}
	return n
}
