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
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			gap, free := s.FreeAround(no, need.Start)
			if !free || gap.End < need.End {
				continue
			}
			if c := lengthClass(gap); c < class || c == class && no < best {
				class, best = c, no
			}
		}
	}
	return best, class < classCount
}

// LongestFree is the slot of p that is free at the instant t and stays free for longest, and its gap around t; the smallest slot number where several do.
func (s *Stock) LongestFree(p PoolRef, t int64) (best SlotNo, gap Span, ok bool) {
	if l := s.large(p); l != nil {
		if best, ok = l.gaps.longest(t); ok {
			gap, _ = s.FreeAround(best, t)
		}
		return best, gap, ok
	}
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			g, free := s.FreeAround(no, t)
			if free && (!ok || g.End > gap.End || g.End == gap.End && no < best) {
				best, gap, ok = no, g, true
			}
		}
	}
	return best, gap, ok
}

// LongestFreeBack is the slot of p that is free just before the instant t and has been free for longest then, and its gap around t-1; the smallest slot number
// where several have.
func (s *Stock) LongestFreeBack(p PoolRef, t int64) (best SlotNo, gap Span, ok bool) {
	if l := s.large(p); l != nil {
		if best, ok = l.gaps.longestBack(t - 1); ok {
			gap, _ = s.FreeAround(best, t-1)
		}
		return best, gap, ok
	}
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			g, free := s.FreeAround(no, t-1)
			if free && (!ok || g.Start < gap.Start || g.Start == gap.Start && no < best) {
				best, gap, ok = no, g, true
			}
		}
	}
	return best, gap, ok
}

// FreeThroughout counts the slots of p that are alive over all of w and meet no seat there.
func (s *Stock) FreeThroughout(p PoolRef, w Span) (n int) {
	if l := s.large(p); l != nil {
		return l.gaps.covering(w)
	}
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if gap, ok := s.FreeAround(no, w.Start); ok && gap.End >= w.End {
				n++
			}
		}
	}
	return n
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
