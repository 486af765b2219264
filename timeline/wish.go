package timeline

// This file owns how wishes (chooser.go) bound what can be seated, and where holds that have one may be moved.

import (
	"iter"
	"slices"
)

// SetChooser sets the Chooser that knows the wishes of the holds of s and of its forks.
func (s *Stock) SetChooser(c Chooser) { s.chooser, s.wishes = c, nil }

// DraftFor is Draft with another Chooser.
func (s *Stock) DraftFor(c Chooser, now int64) *Draft {
	base := *s
	base.chooser, base.wishes = c, &wishes{chooser: c, now: now}
	return &Draft{base: &base, now: now}
}

// wishesAt is where wishes are asked for at an instant: those of a draft are kept, a published version keeps none.
func (s *Stock) wishesAt(now int64) *wishes {
	if s.wishes != nil && s.wishes.now == now {
		return s.wishes
	}
	return &wishes{chooser: s.chooser, now: now}
}

// shutsOut says that some lot of p with slots does not meet the wish.
func (s *Stock) shutsOut(p PoolRef, w *wish) bool {
	return slices.ContainsFunc(s.Lots(p), func(no LotNo) bool { return len(s.lot(no).slots) > 0 && !w.met(no) })
}

// asks is the wish of a hold that is to be seated in p, where it shuts out some of p; nil: every lot of p will do.
func (s *Stock) asks(p PoolRef, h *Hold, now int64) *wish {
	if !h.choosy() || s.chooser == nil || !p.pool {
		return nil
	}
	one := *h // a copy leaves the stack only here, where it is needed
	if w := s.wishesAt(now).of(&one); s.shutsOut(p, w) {
		return w
	}
	return nil
}

// choosing is how far choosy holds of a pool may be moved, found out once for each wish.
type choosing struct {
	stock  *Stock
	pool   PoolRef
	wishes *wishes
	all    map[*wish]bool // every lot of the pool meets it
}

// choosingOf is nil where no hold is choosy.
func (s *Stock) choosingOf(p PoolRef, now int64) *choosing {
	if s.choosy.len() == 0 || s.chooser == nil || len(s.Lots(p)) < 2 {
		return nil
	}
	return &choosing{s, p, s.wishesAt(now), map[*wish]bool{}}
}

// of is how far a choosy hold may be moved: everywhere where every lot will do, else to the lots that meet its wish;
// one whose lot does not meet it any more stays there.
func (c *choosing) of(h *Hold) bound {
	if c == nil {
		return inLot
	}
	w := c.wishes.of(h)
	if _, at, ok := c.stock.Find(h.ID); ok && !w.met(at.Lot) {
		return inLot
	}
	all, known := c.all[w]
	if !known {
		all = !c.stock.shutsOut(c.pool, w)
		c.all[w] = all
	}
	if all {
		return anywhere
	}
	return among
}

// tight is TightGap on the lots of p that meet the wish; nil: on all.
func (s *Stock) tight(p PoolRef, w *wish, need Span) (best SlotNo, ok bool) {
	if w == nil {
		return s.TightGap(p, need)
	}
	class := classCount
	for _, lot := range s.Lots(p) {
		if !w.met(lot) {
			continue
		}
		if no, found := s.TightGap(LotRef(lot), need); found {
			gap, _ := s.FreeAround(no, need.Start)
			if c := lengthClass(gap); c < class || c == class && no < best {
				class, best = c, no
			}
		}
	}
	return best, class < classCount
}

// Meets says that a lot has what a choosy hold asks for.
func (s *Stock) Meets(h Hold, no LotNo, now int64) bool {
	return s.chooser == nil || s.wishesAt(now).of(&h).met(no)
}

// Choosy goes through the holds with the flag on a lot, seated or not, by id.
func (s *Stock) Choosy(no LotNo) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		s.choosy.rows.Ascend(idKey{lot: no}, func(k idKey) bool { return k.lot == no && yield(k.id) })
	}
}

// ChoosyLots goes through the lots that have holds with the flag, some more than once.
func (s *Stock) ChoosyLots() iter.Seq[LotNo] {
	return func(yield func(LotNo) bool) {
		s.choosy.rows.Scan(func(k idKey) bool { return yield(k.lot) })
	}
}

// ChoosyLen counts the holds with the flag.
func (s *Stock) ChoosyLen() int { return s.choosy.len() }

// AvailableFor is Available for holds like h, which says by its seat where, and by its flags, owner and line what it
// asks of its lot. The upper bound is what boundFor says; it is not the answer, so the holds are seated for real.
func (s *Stock) AvailableFor(p PoolRef, h Hold, now int64) Answer {
	hull := h.Seat()
	w := s.asks(p, &h, now)
	if w == nil {
		return s.Available(p, hull, now)
	}
	a := Answer{Available: maxSlots, Exact: true}
	for i, x := range s.boundFor(p, w, hull, now) {
		if i == 0 || x.free < a.Available {
			a.Available, a.Stock, a.Committed, a.At = x.free, x.stock, x.stock-x.free, x.at
		}
	}
	if a.Available = max(0, a.Available); a.Available > 0 {
		tries := availableSeats
		a.Available, a.Exact = s.seatForReal(p, w, h, now, a.Available, &tries)
	}
	return a
}

// BoundFor bounds, by counting, the holds like h that can be seated.
func (s *Stock) BoundFor(p PoolRef, h Hold, now int64) (n int) {
	w := s.asks(p, &h, now)
	if w == nil {
		n, _, _, _ = s.MinFree(p, h.Seat())
		return n
	}
	n = maxSlots
	for _, x := range s.boundFor(p, w, h.Seat(), now) {
		n = min(n, x.free)
	}
	return n
}

// FreeThroughoutFor is FreeThroughout of the lots that meet what h asks for.
func (s *Stock) FreeThroughoutFor(p PoolRef, h Hold, now int64) (n int) {
	w := s.asks(p, &h, now)
	if w == nil {
		return s.FreeThroughout(p, h.Seat())
	}
	for _, lot := range s.Lots(p) {
		if w.met(lot) {
			n += s.FreeThroughout(LotRef(lot), h.Seat())
		}
	}
	return n
}

// boundStep is from when on so many units of the lots that meet a wish are there, and at most so many are to be had.
type boundStep struct {
	at          int64
	stock, free int
}

// boundFor bounds the units that holds of a wish can have over a window, step by step: no more than are free in the
// pool, with conflicts counted, and of the lots that meet it no more than are left by what cannot leave those.
func (s *Stock) boundFor(p PoolRef, w *wish, over Span, now int64) (steps []boundStep) {
	type edge struct {
		at                 int64
		stock, stuck, free int
	}
	var edges []edge
	add := func(x Span, stock, stuck, free int) {
		if x = x.Clip(over); !x.Empty() {
			edges = append(edges, edge{x.Start, stock, stuck, free}, edge{x.End, -stock, -stuck, -free})
		}
	}
	edges = append(edges, edge{at: over.Start})
	f := s.fixityOf(p, over.Start, now)
	leaves := map[*wish]bool{} // what meets this one meets another lot, too
	for _, lot := range s.Lots(p) {
		if !w.met(lot) {
			continue
		}
		for _, no := range s.lot(lot).slots {
			e := s.slot(no)
			add(e.span, 1, 0, 0)
			for h, at := e.rail.next(e.rail.from(over.Start)); h != nil && seatStart(h) < over.End; h,
				at = e.rail.next(at) {
				to := f.of(h)
				if to == among {
					x := f.choosing.wishes.of(h)
					can, known := leaves[x]
					if !known {
						can = slices.ContainsFunc(s.Lots(p), func(no LotNo) bool { return x.met(no) && !w.met(no) })
						leaves[x] = can
					}
					if !can {
						to = inLot
					}
				}
				if to >= inLot {
					add(h.Seat(), 0, 1, 0)
				}
			}
		}
	}
	s.Sweep(p, over, func(x Span, n Count) bool {
		add(x, 0, 0, n.Free())
		return true
	})
	slices.SortFunc(edges, func(x, y edge) int {
		switch {
		case x.at < y.at:
			return -1
		case x.at > y.at:
			return 1
		}
		return 0
	})
	stock, stuck, free := 0, 0, 0
	for i, x := range edges {
		stock, stuck, free = stock+x.stock, stuck+x.stuck, free+x.free
		if x.at < over.End && (i+1 == len(edges) || edges[i+1].at > x.at) {
			steps = append(steps, boundStep{x.at, stock, min(stock-stuck, free)})
		}
	}
	return steps
}

// maxSlots is more slots than a pool has.
const maxSlots = 1 << 30
