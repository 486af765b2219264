package timeline

// This file owns the search for a slot: which one is free, and for how long.

// TightGap is the slot of p to seat need on without moving anything: among the gaps that cover need, one of the
// tightest length class; of those, the one of the smallest slot number. ok is false where no gap covers need.
func (s *Stock) TightGap(p PoolRef, need Span) (best SlotNo, ok bool) {
	if l := s.large(p); l != nil {
		return l.gaps.tight(need)
	}
	class := classCount
	var few [probes]probe
	for _, x := range s.probe(few[:0], p, Span{need.Start, need.Start + 1}) {
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
	for _, x := range s.probe(few[:0], p, Span{w.Start, w.Start + 1}) {
		if gap, ok := x.gap(w.Start); ok && gap.End >= w.End {
			n++
		}
	}
	return n
}

// EachFree visits the slots of p that are alive over all of w and meet no seat there, in an order that depends on what
// the Stock holds alone, until visit says false.
func (s *Stock) EachFree(p PoolRef, w Span, visit func(SlotNo) bool) {
	if l := s.large(p); l != nil {
		l.gaps.eachCovering(w, visit)
		return
	}
	for _, no := range s.few(p) {
		if gap, ok := s.FreeAround(no, w.Start); ok && gap.End >= w.End && !visit(no) {
			return
		}
	}
}
