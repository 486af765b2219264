package timeline

// This file owns holds that name an article: they sit on units of its lot, and where those are taken, what is
// auto-assigned there goes to other lots of the pool. They take from the pool as all that sits there does, so they
// leave what is counted there for conflicts, whichever lot those are kept on.

import (
	"cmp"
	"slices"
)

// around is the pool of a lot, where it has other lots that holds can go to.
func (s *Stock) around(no LotNo) (wide PoolRef, ok bool) {
	pool := s.lot(no).pool
	return SKURef(pool), pool != 0 && len(s.Lots(SKURef(pool))) > 1
}

// contested is the pool of a lot, where conflicts are counted there and it has other lots.
func (s *Stock) contested(no LotNo) (wide PoolRef, ok bool) {
	if s.conflicts.len() == 0 { // asked first, as the pool lies elsewhere in memory
		return wide, false
	}
	wide, ok = s.around(no)
	return wide, ok && s.ConflictCount(wide) > 0
}

// SeatNamed seats a hold on a lot, or on slot on of it where that is not 0, that its owner named: on the lot's own
// slots as Seat and SeatOn do; where they have no room, and the rule moves others, on what is left there when holds
// move out of it to other lots of its pool. It takes nothing that a conflict of the pool is counted for (MayName).
func (d *Draft) SeatNamed(no LotNo, on SlotNo, h Hold, r Rule) (at Place, why Refusal) {
	switch {
	case on != 0:
		at, why = d.SeatOn(LotRef(no), on, h)
	case !d.MayName(no, h.Seat()):
		return Place{}, NotEnoughStock
	default:
		at, why = d.Seat(LotRef(no), h, r)
	}
	if why == Granted || r != Exact {
		return at, why
	}
	wide, ok := d.Stock().around(no)
	if !ok || !d.mayPush(no, h.Seat()) {
		return at, why
	}
	if on != 0 {
		return d.SeatOn(wide, on, h)
	}
	return d.SeatOnLot(wide, no, h)
}

// MayName is MayTake for one more unit of a lot, asked of the pool that the lot is in.
func (d *Draft) MayName(no LotNo, room Span) bool {
	wide, ok := d.Stock().contested(no)
	return !ok || d.MayTake(wide, room)
}

// mayPush is MayTake for one more unit of a lot beyond those that have room on its own slots.
func (d *Draft) mayPush(no LotNo, room Span) bool {
	s := d.Stock()
	wide, _ := s.around(no)
	if !d.MayTake(wide, room) || s.Full(wide, room) {
		return false
	}
	if s.lot(no).conflicts == 0 {
		return true // what is pinned there is seen where room is made
	}
	return !slices.ContainsFunc(s.leftBy(no, room), func(x leftStep) bool {
		if x.left > 0 {
			return false
		}
		return d.claimed == nil ||
			slices.ContainsFunc(d.claimed.leftBy(no, x.over), func(was leftStep) bool { return was.left >= x.left })
	})
}

// leftStep is how many units of a lot what is pinned there leaves, waiting or seated; below 0 where more is pinned than
// there are.
type leftStep struct {
	over Span
	left int
}

// leftBy goes through a window, step by step.
func (s *Stock) leftBy(no LotNo, w Span) (steps []leftStep) {
	type edge struct {
		at int64
		n  int
	}
	edges := []edge{{w.Start, 0}}
	add := func(x Span, n int) {
		if x = x.Clip(w); !x.Empty() {
			edges = append(edges, edge{x.Start, n}, edge{x.End, -n})
		}
	}
	for h := range s.ConflictsIn(LotRef(no), w) {
		if h.Flags.Any(PinnedArticle | PinnedSlot) {
			add(h.Span, -1)
		}
	}
	for _, slot := range s.lot(no).slots {
		e := s.slot(slot)
		add(e.span, 1)
		for h, at := e.rail.next(e.rail.from(w.Start)); h != nil && seatStart(h) < w.End; h, at = e.rail.next(at) {
			if h.Flags.Any(Pinned) {
				add(h.Seat(), -1)
			}
		}
	}
	slices.SortFunc(edges, func(x, y edge) int { return cmp.Compare(x.at, y.at) })
	left := 0
	for i := 0; i < len(edges) && edges[i].at < w.End; {
		t := edges[i].at
		for ; i < len(edges) && edges[i].at == t; i++ {
			left += edges[i].n
		}
		over := Span{t, w.End}
		if i < len(edges) {
			over.End = min(over.End, edges[i].at)
		}
		steps = append(steps, leftStep{over, left})
	}
	return steps
}

// AvailableNamed is how many holds that name the article of a lot SeatNamed can seat over hull, one after the other, by
// a command of the instant now; own is what Available says of the lot. Others may leave it more than own, and conflicts
// that are counted in its pool less; the counts are those of own.
func (s *Stock) AvailableNamed(no LotNo, hull Span, now int64, own Answer) Answer {
	wide, contested := s.contested(no)
	if !contested {
		if own.Available >= len(s.lot(no).slots) { // asked first, as the pool lies elsewhere in memory
			return own
		}
		var ok bool
		if wide, ok = s.around(no); !ok {
			return own
		}
		// The present seats decide everything, and the pool has no fewer free units than the lot.
		if free, _, _, _ := s.MinFree(wide, hull); free <= own.Available {
			own.Exact = own.Exact || free == own.Available
			return own
		} else if s.loose(wide, s.fixityOf(wide, hull.Start, now), hull) {
			own.Available, own.Exact = min(free, int(s.unitsOver(no, hull))), true
			return own
		}
		if n, ok := s.vacated(no, wide, hull, now); ok {
			own.Available, own.Exact = n, true
			return own
		}
	}
	if most := max(0, s.boundNamed(no, wide, hull)); most <= own.Available {
		own.Available, own.Exact = most, true
		return own
	}
	return s.namedForReal(no, wide, hull, now, own)
}

// vacated is how many units of a lot with one slot a hold that names its article can get, in a pool without conflicts.
// ok says that this can be seen without a search: there are none if something may not leave the slot, and there is one
// if everything on it has a plain gap elsewhere. Every search finds so few moves (fewest).
func (s *Stock) vacated(no LotNo, wide PoolRef, hull Span, now int64) (n int, ok bool) {
	slots := s.lot(no).slots
	if len(slots) != 1 {
		return 0, false
	}
	e := s.slot(slots[0])
	if !e.span.Covers(hull) {
		return 0, true
	}
	f, moves := s.fixityOf(wide, hull.Start, now), 0
	for h, at := e.rail.next(e.rail.from(hull.Start)); h != nil && seatStart(h) < hull.End; h, at = e.rail.next(at) {
		switch f.of(h) {
		case fixed, inLot:
			return 0, true
		case among:
			return 0, false
		}
		if moves++; moves > ejectMoves {
			return 0, false
		}
		if _, found := s.TightGap(wide, h.Seat()); !found {
			// what is on one slot never wants the same gap at the same time
			return 0, false
		}
	}
	return 1, true
}

// namedForReal seats holds for AvailableNamed, as a write would, until one is refused.
func (s *Stock) namedForReal(no LotNo, wide PoolRef, hull Span, now int64, own Answer) Answer {
	d := s.Draft(now)
	h := NewHold(ID{}, hull, 0, 0)
	h.Flags = PinnedArticle
	for n := 0; ; n++ {
		if n == availableSeats || d.searched >= availableSeats {
			own.Available, own.Exact = max(own.Available, n), false
			return own
		}
		h.ID = rehearsal(n)
		if _, why := d.SeatNamed(no, 0, h, Exact); why != Granted {
			own.Exact = n >= own.Available && d.searched < availableSeats && d.neverNamed(no, wide, h)
			own.Available = max(own.Available, n)
			return own
		}
	}
}

// neverNamed says that SeatNamed, which refused a hold, would refuse it however long it searched.
func (d *Draft) neverNamed(no LotNo, wide PoolRef, h Hold) bool {
	s, room := d.Stock(), h.Seat()
	if !d.mayPush(no, room) { // the lot's own slots have no more
		return true
	}
	if !s.short(LotRef(no), room) && d.MayTake(LotRef(no), room) {
		if b, _, _ := s.makeRoom(LotRef(no), 0, nil, room, d.now); !b.proven {
			return false
		}
	}
	b, _, _ := s.makeRoom(wide, 0, onLot(no), room, d.now)
	return b.proven
}

// BoundNamed bounds AvailableNamed by counting.
func (s *Stock) BoundNamed(no LotNo, hull Span) int {
	if wide, ok := s.around(no); ok {
		return s.boundNamed(no, wide, hull)
	}
	free, _, _, _ := s.MinFree(LotRef(no), hull)
	return free
}

// ShortNamed says that of n holds which name the article of a lot the lot itself keeps none from a unit, when all goes
// elsewhere that may, but its pool does: it has fewer free. It says which pool that is, and at which instant the fewest
// are free there.
func (s *Stock) ShortNamed(no LotNo, hull Span, n int) (wide PoolRef, at int64, is bool) {
	wide, ok := s.around(no)
	if !ok {
		return wide, 0, false
	}
	free, _, _, at := s.MinFree(wide, hull)
	return wide, at, free < n &&
		!slices.ContainsFunc(s.leftBy(no, hull), func(x leftStep) bool { return x.left < n })
}

func (s *Stock) boundNamed(no LotNo, wide PoolRef, hull Span) int {
	least := maxSlots
	for _, x := range s.namedSteps(no, wide, hull) {
		least = min(least, x.left)
	}
	return least
}

// namedSteps bounds, step by step, the units that holds which name the article of a lot can have: those that are free
// in its pool, and no more than what is pinned to the lot leaves there.
func (s *Stock) namedSteps(no LotNo, wide PoolRef, w Span) (steps []leftStep) {
	type step struct {
		at          int64
		all, pinned int // what they are from here on; unset: as before
	}
	const unset = -maxSlots
	var list []step
	s.Sweep(wide, w, func(x Span, c Count) bool {
		list = append(list, step{x.Start, c.Free(), unset})
		return true
	})
	for _, x := range s.leftBy(no, w) {
		list = append(list, step{x.over.Start, unset, x.left})
	}
	slices.SortFunc(list, func(x, y step) int { return cmp.Compare(x.at, y.at) })
	now := step{}
	set := func(x *int, to int) {
		if to != unset {
			*x = to
		}
	}
	for i, x := range list {
		set(&now.all, x.all)
		set(&now.pinned, x.pinned)
		if i+1 < len(list) && list[i+1].at == x.at {
			continue
		}
		over := Span{x.at, w.End}
		if i+1 < len(list) {
			over.End = list[i+1].at
		}
		steps = append(steps, leftStep{over, min(now.all, now.pinned)})
	}
	return steps
}
