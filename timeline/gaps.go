package timeline

// This file owns the search for a slot: the gaps between holds, by length class and by how far they reach.

// TightGap is the slot of p to seat need on without moving anything: among the gaps that cover need, one of the tightest length class; of those, the one of the
// smallest slot number. ok is false where no gap covers need.
func (s *Stock) TightGap(p PoolRef, need Span) (best SlotNo, ok bool) {
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

// AppendFree appends the slots of p that have a gap covering w, lot by lot, in each ascending.
func (s *Stock) AppendFree(dst []SlotNo, p PoolRef, w Span) []SlotNo {
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if gap, ok := s.FreeAround(no, w.Start); ok && gap.End >= w.End {
				dst = append(dst, no)
			}
		}
	}
	return dst
}
