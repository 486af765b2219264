package timeline

// This file owns the search for a slot: which one is free, and for how long.

import (
	"cmp"
	"slices"
)

// TightGap is the slot of p to seat need on without moving anything: among the gaps that cover need, one of the tightest length class; of those, the one of the
// smallest slot number. ok is false where no gap covers need.
func (s *Stock) TightGap(p PoolRef, need Span) (best SlotNo, ok bool) {
	if l := s.large(p); l != nil {
		return l.gaps.tight(need)
	}
	class := classCount
	var few [probes]probe
	for _, x := range s.probe(few[:0], p, need.Start) {
		gap, free := x.gap(need.Start)
		if !free || gap.End < need.End {
			continue
		}
		if c := lengthClass(gap); c < class || c == class && x.no < best {
			class, best = c, x.no
		}
	}
	return best, class < classCount
}

// FreeThroughout counts the slots of p that are alive over all of w and meet no seat there.
func (s *Stock) FreeThroughout(p PoolRef, w Span) (n int) {
	if l := s.large(p); l != nil {
		return l.gaps.covering(w)
	}
	var few [probes]probe
	for _, x := range s.probe(few[:0], p, w.Start) {
		if gap, ok := x.gap(w.Start); ok && gap.End >= w.End {
			n++
		}
	}
	return n
}

// probe is a slot and the first look at its rail. The slots of a pool lie anywhere in memory, and so do their rows. Gone
// through one by one each costs several waits for memory, one after the other; looked at all together, step by step, they
// wait at the same time: of 26 us for a booking this took 5.
type probe struct {
	no  SlotNo
	e   *slotEntry
	mid int64 // seat start of the middle row of a short rail
}

const probes = 32 // a pool of more slots is large, and has an index

// probe appends the slots of p that are alive at t.
func (s *Stock) probe(dst []probe, p PoolRef, t int64) []probe {
	for _, no := range s.few(p) {
		dst = append(dst, probe{no: no, e: s.slot(no)})
	}
	n := 0
	for _, x := range dst {
		if x.e.span.Holds(t) {
			if rows := x.e.rail.rows; len(rows) > 0 {
				x.mid = seatStart(&rows[len(rows)/2])
			}
			dst[n] = x
			n++
		}
	}
	return dst[:n]
}

// gap is FreeAround of a slot that is alive at t.
func (x *probe) gap(t int64) (Span, bool) {
	r := &x.e.rail
	if r.long != nil || len(r.rows) == 0 {
		return r.around(t, x.e.span)
	}
	mid, i := len(r.rows)/2, 0
	if x.mid <= t {
		i = mid + 1 + startsBefore(r.rows[mid+1:], t)
	} else {
		i = startsBefore(r.rows[:mid], t)
	}
	gap := r.between(railPos{0, i}, x.e.span)
	return gap, gap.Start <= t
}

// AppendFree appends the slots of p that are alive over all of w and meet no seat there, ascending.
func (s *Stock) AppendFree(dst []SlotNo, p PoolRef, w Span) []SlotNo {
	n := len(dst)
	if l := s.large(p); l != nil {
		dst = l.gaps.appendCovering(dst, w)
	} else {
		for _, lot := range s.Lots(p) {
			for _, no := range s.lot(lot).slots {
				if gap, ok := s.FreeAround(no, w.Start); ok && gap.End >= w.End {
					dst = append(dst, no)
				}
			}
		}
	}
	slices.SortFunc(dst[n:], cmp.Compare[SlotNo])
	return dst
}
