package timeline

// This file owns reductions that are searched for ahead of their commands: a search may take milliseconds, and the
// goroutine that judges commands cannot wait so long. So the search is made on a version of the stock that does not
// change. Its result is taken over if nothing that it looked at has changed since.

import "slices"

// SearchedReduction is a Reduction that was planned on a version of a Stock, for a command that comes later. It does
// not change.
type SearchedReduction struct {
	stock   *Stock
	at, now int64
	plan    Reduction
}

// SearchReduction is Reduce for a command of the instant now or a later one. If at is now, the command's at may be
// later, too, as long as it is the instant of the command. s does not change any more.
func (s *Stock) SearchReduction(lot LotNo, amount int, at, now int64) *SearchedReduction {
	return &SearchedReduction{s, at, now, s.Reduce(lot, amount, at, now)}
}

// ReduceAs returns what Reduce would return, or a plan as good as that, without a search. ok is false if a search is
// needed: the lot or its pool is not what it was when the plan was made, other lots of it meet a wish, or the begin or
// the end of something in it has passed since. A hold that moves keeps the room that was found for it, though a little
// of that is past now. A nil SearchedReduction is none.
func (s *Stock) ReduceAs(a *SearchedReduction, lot LotNo, amount int, at, now int64) (r Reduction, ok bool) {
	if a == nil || a.plan.Lot != lot || a.plan.Amount != amount || now < a.now ||
		at != a.at && (at != now || a.at != a.now) {
		return r, false
	}
	p := s.Home(&Hold{}, lot)
	if p != a.stock.Home(&Hold{}, lot) || !s.stands(a.stock, p, a.now, now) || !s.meetsAs(a.stock, p, a.now, now) {
		return r, false
	}
	r = a.plan
	r.At = at
	r.Ends = slices.Clone(r.Ends)
	for i := range r.Ends {
		if r.Ends[i].End == a.at {
			r.Ends[i].End = at
		}
	}
	return r, true
}

// stands says that a pool has the slots and seats that it had in an earlier version, and that none of them begins or
// ends after then and up to now. Rails are compared by identity, since they never change.
func (s *Stock) stands(was *Stock, p PoolRef, then, now int64) bool {
	lots := s.Lots(p)
	if !slices.Equal(lots, was.Lots(p)) {
		return false
	}
	passed := func(t int64) bool { return then < t && t <= now }
	for _, lot := range lots {
		slots := s.lot(lot).slots
		if !slices.Equal(slots, was.lot(lot).slots) {
			return false
		}
		for _, no := range slots {
			e := s.slot(no)
			if before := was.slot(no); e.span != before.span || !e.rail.is(&before.rail) {
				return false
			}
			if passed(e.span.Start) || passed(e.span.End) {
				return false
			}
			for h, at := e.rail.next(e.rail.from(then)); h != nil && seatStart(h) <= now; h, at = e.rail.next(at) {
				if passed(seatStart(h)) || passed(h.Span.End) {
					return false
				}
			}
		}
	}
	return true
}

// meetsAs says that the wish of each choosy hold of a pool is met by the lots that met it in an earlier version.
func (s *Stock) meetsAs(was *Stock, p PoolRef, then, now int64) bool {
	lots := s.Lots(p)
	if s.choosy.len() == 0 || s.chooser == nil || len(lots) < 2 {
		return true
	}
	type pair struct{ before, after *wish }
	seen := map[pair]bool{} // few, as holds that ask for the same share a wish
	before, after := was.wishesAt(then), s.wishesAt(now)
	for _, lot := range lots {
		for id := range s.Choosy(lot) {
			h, _, _ := s.Find(id)
			w := pair{before.of(&h), after.of(&h)}
			if seen[w] {
				continue
			}
			seen[w] = true
			for _, no := range lots {
				if w.before.met(no) != w.after.met(no) {
					return false
				}
			}
		}
	}
	return true
}
