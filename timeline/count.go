package timeline

// This file owns counting: how many units a pool has, has committed and has free over a window. Small pools are walked,
// large ones look it up.

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// Count is a pool's units at an instant. Committed counts seats and, over their whole hulls, conflicts; so free units
// may be fewer than none. In a pool of several lots a conflict that is pinned to one is counted only where it could sit
// (stranded).
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
	changes  []change
	up, down []int64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// each calls slot with the ranges of the slots of p, which has no large, that share an instant with w, and taken with
// the seats and the conflicts' hulls that do.
func (s *Stock) each(p PoolRef, w Span, slot, taken func(Span)) {
	var few [probes]probe
	for _, x := range s.probe(few[:0], p, w) {
		slot(x.e.span)
		for h, at := x.e.rail.next(x.from(w.Start)); h != nil && seatStart(h) < w.End; h, at = x.e.rail.next(at) {
			taken(h.Seat())
		}
	}
	if s.ConflictCount(p) == 0 {
		return
	}
	for _, lot := range s.Lots(p) {
		if s.lot(lot).conflicts > 0 {
			s.eachConflict(lot, w, taken)
		}
	}
}

func (s *Stock) eachConflict(lot LotNo, w Span, taken func(Span)) {
	for h := range s.Conflicts(lot) {
		if h.Span.Overlaps(w) {
			taken(h.Span)
		}
	}
}

// CountAt is the units of p at the instant t, and all that is there then: every conflict, wherever it could sit.
func (s *Stock) CountAt(p PoolRef, t int64) (c Count) {
	if l := s.large(p); l != nil {
		stock := l.stock.at(t)
		return Count{int(stock), int(stock - l.net.at(t))}
	}
	s.each(p, Span{t, t + 1}, func(Span) { c.Stock++ }, func(Span) { c.Committed++ })
	return c
}

// AddStock adds to out the units of p at each of the instants, which ascend.
func (s *Stock) AddStock(p PoolRef, at []int64, out []int) {
	if l := s.large(p); l != nil {
		for i, t := range at {
			out[i] += int(l.stock.at(t))
		}
		return
	}
	for no := range s.slotNos(p) {
		span := s.slot(no).span
		for i, _ := slices.BinarySearch(at, span.Start); i < len(at) && at[i] < span.End; i++ {
			out[i]++
		}
	}
}

// MinFree is the least number of free units of p over the window w, which is not empty, the earliest instant at which
// it is reached, and the counts there.
func (s *Stock) MinFree(p PoolRef, w Span) (free, stock, committed int, at int64) {
	steps := s.stranded(p, w)
	if steps == nil {
		return s.minFree(p, w)
	}
	first := true
	through(steps, w, func(over Span, n int) bool {
		low, units, taken, t := s.minFree(p, over)
		if low += n; first || low < free {
			free, stock, committed, at = low, units, taken-n, t
		}
		first = false
		return true
	})
	return free, stock, committed, at
}

// minFree is MinFree with every conflict counted.
func (s *Stock) minFree(p PoolRef, w Span) (free, stock, committed int, at int64) {
	if l := s.large(p); l != nil {
		low, at := l.net.least(w)
		stock = int(l.stock.at(at))
		return int(low), stock, stock - int(low), at
	}
	if e := s.only(p); e != nil && e.span.Covers(w) {
		h, _ := e.rail.next(e.rail.from(w.Start))
		if h == nil || seatStart(h) >= w.End {
			return 1, 1, 0, w.Start
		}
		return 0, 1, 1, max(w.Start, seatStart(h))
	}
	buf := scratches.Get().(*scratch)
	up, down := buf.up[:0], buf.down[:0]
	s.each(p, w, func(span Span) {
		if span.Start <= w.Start {
			free++
		} else {
			up = append(up, span.Start)
		}
		if span.End < w.End {
			down = append(down, span.End)
		}
	}, func(seat Span) {
		if seat.Start <= w.Start {
			free--
		} else {
			down = append(down, seat.Start)
		}
		if seat.End < w.End {
			up = append(up, seat.End)
		}
	})
	slices.Sort(up)
	slices.Sort(down)
	at = w.Start
	for now, i, j := free, 0, 0; j < len(down); {
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
	for _, no := range s.few(p) {
		if s.slot(no).span.Holds(at) {
			stock++
		}
	}
	return free, stock, stock - free, at
}

// LastBelow is the end of the last stretch before the instant t over which p has fewer free units than so many, every
// conflict counted; so many are more than none, so that there is one: before the first unit. A small pool is walked
// back in few steps, each much longer than the one before it.
func (s *Stock) LastBelow(p PoolRef, t int64, free int) (end int64) {
	w := Span{math.MinInt64, t}
	if l := s.large(p); l != nil {
		at, _ := l.net.lastBelow(w, int32(free))
		if at, ok := l.net.reaches(at, int32(free)); ok {
			return min(at, t)
		}
		return t
	}
	for back, found := 64*dayMs, false; !found; back *= 16 {
		if w.Start = t - back; w.Start < 0 {
			w.Start = math.MinInt64
		}
		s.sweep(p, w, func(x Span, c Count) bool {
			if c.Free() < free {
				end, found = x.End, true
			}
			return true
		})
	}
	return end
}

// only is the slot of a lot that has no other, and no conflicts: nine of ten have one unit.
func (s *Stock) only(p PoolRef) *slotEntry {
	if p.pool {
		return nil
	}
	if e := s.lot(LotNo(p.no)); e != nil && e.single != 0 && e.conflicts == 0 {
		return s.slot(e.single)
	}
	return nil
}

// Sweep goes through the counts of p over the window w, from its start to its end: each stretch is as long as the
// counts stay the same. It stops when visit returns false.
func (s *Stock) Sweep(p PoolRef, w Span, visit func(Span, Count) bool) {
	steps := s.stranded(p, w)
	if steps == nil {
		s.sweep(p, w, visit)
		return
	}
	on, from, last := true, w.Start, Count{-1, 0}
	through(steps, w, func(over Span, n int) bool {
		s.sweep(p, over, func(x Span, c Count) bool {
			if c.Committed -= n; c == last {
				return true
			}
			if x.Start > from {
				on = visit(Span{from, x.Start}, last)
			}
			from, last = x.Start, c
			return on
		})
		return on
	})
	if on {
		visit(Span{from, w.End}, last)
	}
}

// sweep is Sweep with every conflict counted.
func (s *Stock) sweep(p PoolRef, w Span, visit func(Span, Count) bool) {
	if l := s.large(p); l != nil {
		l.sweep(w, visit)
		return
	}
	buf := scratches.Get().(*scratch)
	changes := buf.changes[:0]
	var now Count
	s.each(p, w, func(span Span) {
		if span.Start <= w.Start {
			now.Stock++
		} else {
			changes = append(changes, change{span.Start, 1, 0})
		}
		if span.End < w.End {
			changes = append(changes, change{span.End, -1, 0})
		}
	}, func(seat Span) {
		if seat.Start <= w.Start {
			now.Committed++
		} else {
			changes = append(changes, change{seat.Start, 0, 1})
		}
		if seat.End < w.End {
			changes = append(changes, change{seat.End, 0, -1})
		}
	})
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	buf.changes = changes
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
	scratches.Put(buf)
}

func (l *large) sweep(w Span, visit func(Span, Count) bool) {
	var net, stock steps
	net.seek(&l.net, w.Start)
	stock.seek(&l.stock, w.Start)
	alive, free := l.stock.at(w.Start), l.net.at(w.Start)
	from := w.Start
	for {
		t := min(net.at(), stock.at())
		was := Count{int(alive), int(alive - free)}
		if t >= w.End {
			visit(Span{from, w.End}, was)
			return
		}
		if net.at() == t {
			free += net.take()
		}
		if stock.at() == t {
			alive += stock.take()
		}
		if !visit(Span{from, t}, was) {
			return
		}
		from = t
	}
}
