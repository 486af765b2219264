package timeline

// This file owns the plain reads of a Stock: what is where. All may be called from any goroutine on a published Stock.

import (
	"iter"
	"slices"

	"github.com/tidwall/btree"
)

// Find is the hold of an id and where it is.
func (s *Stock) Find(id ID) (h Hold, at Place, ok bool) {
	f := s.Finder()
	return f.Find(id)
}

// Finder finds many holds of a Stock that does not change meanwhile, those that were made together for less. One
// goroutine uses it.
type Finder struct {
	s   *Stock
	ids finger[key, uint32, struct{}, none[key, uint32]]

	conflict btree.PathHint
}

// Finder begins to look for many holds.
func (s *Stock) Finder() Finder { return Finder{s: s, ids: s.ids.finger()} }

// Find is the hold of an id and where it is.
func (f *Finder) Find(id ID) (h Hold, at Place, ok bool) {
	at, ok = f.Where(id)
	switch {
	case !ok:
		return h, at, false
	case !at.Seated():
		c, _ := f.s.conflicts.rows.GetHint(conflict(at.Lot, id), &f.conflict)
		return c.Hold, at, true
	}
	r := &f.s.slot(at.Slot).rail
	p, _ := r.find(id)
	return r.run(p.j)[p.i], at, true
}

// Where is where the hold of an id is.
func (f *Finder) Where(id ID) (at Place, ok bool) {
	where, ok := f.ids.get(id.key())
	switch {
	case !ok || where == 0:
		return at, false
	case where&conflictBit != 0:
		return Place{Lot: LotNo(where &^ conflictBit)}, true
	}
	return Place{f.s.slot(SlotNo(where)).lot, SlotNo(where)}, true
}

// Len counts the holds, conflicts included.
func (s *Stock) Len() int { return s.ids.len() }

// ConflictLen counts the conflicts of the account.
func (s *Stock) ConflictLen() int { return s.conflicts.len() }

// Slot is the slot of a number.
func (s *Stock) Slot(no SlotNo) (Slot, bool) {
	e := s.slot(no)
	if e == nil {
		return Slot{}, false
	}
	return Slot{e.id, no, e.lot, e.span}, true
}

// Lot is the lot of a number; the zero Lot where there is none.
func (s *Stock) Lot(no LotNo) Lot {
	e := s.lot(no)
	if e == nil {
		return Lot{}
	}
	b, i := s.block(no)
	return Lot{no, b.article[i], b.location[i], e.pool}
}

// EndingAt lists slots of a lot that end at an instant, those of the smallest numbers, at most n.
func (s *Stock) EndingAt(lot LotNo, at int64, n int) (list []SlotNo) {
	if l := s.large(LotRef(lot)); l != nil {
		most, _ := l.ends.get(instant(at))
		n = min(n, int(most))
	}
	for _, no := range s.Slots(lot) {
		if len(list) == n {
			break
		}
		if s.slot(no).span.End == at {
			list = append(list, no)
		}
	}
	return list
}

// Lots lists the lots of p, ascending; the list is not the caller's to change. A pool that does not exist has none.
func (s *Stock) Lots(p PoolRef) []LotNo {
	if no, ok := p.Lot(); ok {
		if e := s.lot(no); e != nil {
			return e.self[:]
		}
		return nil
	}
	if e := s.pool(PoolNo(p.no)); e != nil {
		return e.lots
	}
	return nil
}

// In says whether a lot is the one that is named, or of the pool that is.
func (s *Stock) In(p PoolRef, lot LotNo) bool {
	if no, ok := p.Lot(); ok {
		return no == lot
	}
	e := s.lot(lot)
	return e != nil && SKURef(e.pool) == p
}

// Slots lists the slots of a lot, ascending, whatever their range; the list is not the caller's to change.
func (s *Stock) Slots(no LotNo) []SlotNo {
	if e := s.lot(no); e != nil {
		return e.slots
	}
	return nil
}

// few lists the slots of p, lot by lot, where it has no large.
func (s *Stock) few(p PoolRef) []SlotNo {
	if no, ok := p.Lot(); ok {
		return s.Slots(no)
	}
	if e := s.pool(PoolNo(p.no)); e != nil {
		return e.few
	}
	return nil
}

// SlotCount counts the slots of p, whatever their range.
func (s *Stock) SlotCount(p PoolRef) int {
	if no, ok := p.Lot(); ok {
		return len(s.Slots(no))
	}
	if e := s.pool(PoolNo(p.no)); e != nil {
		return int(e.slots)
	}
	return 0
}

// ConflictCount counts the conflicts of p.
func (s *Stock) ConflictCount(p PoolRef) int {
	if no, ok := p.Lot(); ok {
		if e := s.lot(no); e != nil {
			return int(e.conflicts)
		}
		return 0
	}
	if e := s.pool(PoolNo(p.no)); e != nil {
		return int(e.conflicts)
	}
	return 0
}

// slotNos goes through the slots of p lot by lot, in each ascending; those of few without a look at their lots, which
// lie elsewhere in memory. It is in two parts so that the compiler inlines the first, and a loop allocates nothing.
func (s *Stock) slotNos(p PoolRef) iter.Seq[SlotNo] {
	return func(yield func(SlotNo) bool) { s.yieldSlotNos(p, yield) }
}

func (s *Stock) yieldSlotNos(p PoolRef, yield func(SlotNo) bool) {
	if few := s.few(p); few != nil {
		for _, no := range few {
			if !yield(no) {
				return
			}
		}
		return
	}
	for _, lot := range s.Lots(p) {
		for _, no := range s.lot(lot).slots {
			if !yield(no) {
				return
			}
		}
	}
}

// PoolSlots goes through the slots of p lot by lot, in each ascending.
func (s *Stock) PoolSlots(p PoolRef) iter.Seq[Slot] {
	return func(yield func(Slot) bool) {
		for no := range s.slotNos(p) {
			e := s.slot(no)
			if !yield(Slot{e.id, no, e.lot, e.span}) {
				return
			}
		}
	}
}

// PoolHolds goes through the slots of p as PoolSlots does, with the hold of each whose seat holds the instant t; ok is
// false where there is none.
func (s *Stock) PoolHolds(p PoolRef, t int64) iter.Seq2[Hold, bool] {
	return func(yield func(h Hold, ok bool) bool) {
		for no := range s.slotNos(p) {
			if !yield(held(s.slot(no).rail.at(t))) {
				return
			}
		}
	}
}

// Holds goes through the holds of a slot whose seats overlap w, in order of time.
func (s *Stock) Holds(no SlotNo, w Span) iter.Seq[Hold] {
	return func(yield func(Hold) bool) {
		e := s.slot(no)
		if e == nil {
			return
		}
		for h, p := e.rail.next(e.rail.from(w.Start)); h != nil && seatStart(h) < w.End; h, p = e.rail.next(p) {
			if !yield(*h) {
				return
			}
		}
	}
}

func held(h *Hold) (Hold, bool) {
	if h == nil {
		return Hold{}, false
	}
	return *h, true
}

// FreeAround is the gap of a slot around the instant t: the longest stretch inside the slot's range that holds t and
// meets no seat. ok is false where the slot is taken at t, or t lies outside its range.
func (s *Stock) FreeAround(no SlotNo, t int64) (gap Span, ok bool) {
	e := s.slot(no)
	if e == nil || !e.span.Holds(t) {
		return Span{}, false
	}
	return e.rail.around(t, e.span)
}

// Conflicts goes through the conflicts of a lot by id.
func (s *Stock) Conflicts(no LotNo) iter.Seq[Hold] { return s.conflictsBehind(no, ID{}) }

// conflictsBehind is Conflicts for the ids after one.
func (s *Stock) conflictsBehind(no LotNo, id ID) iter.Seq[Hold] {
	return func(yield func(Hold) bool) {
		e := s.lot(no)
		if e == nil || e.conflicts == 0 {
			return
		}
		s.conflicts.rows.Ascend(conflict(no, id), func(c Placed) bool {
			return c.Place.Lot == no && (c.ID == id || yield(c.Hold))
		})
	}
}

// EachConflict goes through all conflicts of the account, by lot, then id.
func (s *Stock) EachConflict() iter.Seq[Placed] {
	return s.conflicts.rows.Scan
}

// ConflictsIn goes through the conflicts of p that overlap w, by id.
func (s *Stock) ConflictsIn(p PoolRef, w Span) iter.Seq[Hold] {
	return func(yield func(Hold) bool) {
		if s.ConflictCount(p) == 0 {
			return
		}
		var found []Hold
		for _, lot := range s.Lots(p) {
			for h := range s.Conflicts(lot) {
				if h.Span.Overlaps(w) {
					found = append(found, h)
				}
			}
		}
		slices.SortFunc(found, func(a, b Hold) int { return a.ID.Compare(b.ID) })
		for _, c := range found {
			if !yield(c) {
				return
			}
		}
	}
}

// Overlapping goes through everything that takes stock in w: seated holds whose seats overlap it, then conflicts that
// do. The order is fixed by what the Stock holds, and means nothing.
func (s *Stock) Overlapping(w Span) iter.Seq[Placed] {
	return func(yield func(Placed) bool) {
		on := true
		s.classes.overlapping(w, func(seat Span, at Place) bool {
			on = yield(Placed{*s.slot(at.Slot).rail.at(seat.Start), at})
			return on
		})
		if !on {
			return
		}
		s.conflicts.rows.Scan(func(c Placed) bool { return !c.Span.Overlaps(w) || yield(c) })
	}
}
