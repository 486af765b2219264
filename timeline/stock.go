package timeline

// This file owns the Stock: an account's timelines as one persistent value, and everything that changes it.

import (
	"fmt"
	"slices"
)

// Stock is all timelines of one account: lots, pools, slots, the holds on them, and every index over them. The zero
// value is not usable, see New.
//
// It is a persistent value. Publish hands out a version that never changes; Fork makes a scratch copy. Both are O(1),
// and share all nodes. Versions that come from Publish may be read, and forked, by any number of goroutines at once.
// The Stock that the mutators are called on belongs to one goroutine; a fork of it that was not published is valid
// until it changes again.
//
// The mutators are for a caller that has decided already: they never refuse. A call that breaks an invariant of the
// package panics, and leaves the Stock unusable.
type Stock struct {
	edit      *token
	slots     vec[slotEntry]
	lots      vec[lotEntry]
	pools     vec[poolEntry]
	ids       tree[key, uint32] // hold -> slot number, or conflictBit and the lot number of a conflict
	classes   *classes
	conflicts versioned[Placed] // by lot, then id
	choosy    versioned[idKey]  // holds with that flag
	blocks    vec[*lotBlock]
	articles  vec[articleEntry]
	singles   vec[singleRow]
	byUnits   tree[key, struct{}] // articles with slots, the most units first
	slotCount int
	visited   int // slots that were walked to note what lots weigh: tests bound it

	chooser Chooser
	wishes  *wishes // of a draft: those that were asked for
}

const conflictBit = 1 << 31

// slotEntry is a slot and its holds; lot is 0 where there is none.
type slotEntry struct {
	id   ID
	span Span
	lot  LotNo
	pins Flags // of the holds, what may fix one
	rail rail
}

// lotEntry is a lot; self is its own number in an array of one, so that it can be handed out as a list without
// allocating. 0: there is none.
type lotEntry struct {
	self      [1]LotNo
	pool      PoolNo
	conflicts int32
	claims    int32    // of the conflicts, those that no other lot will do for
	next      LotNo    // of the same article
	single    SlotNo   // the slot, where there is one only: most reads need not go to the list
	slots     []SlotNo // ascending; what a published version sees of it never changes
	grown     *token   // the owner that made the array of slots: it may change the array until it publishes
	large     *large   // nil: few slots, walk them
}

// poolEntry is a pool; if it has no lots, the pool does not exist.
type poolEntry struct {
	lots      []LotNo // ascending; what a published version sees of it never changes
	grown     *token  // the owner that made the array of lots: it may append to the array until it publishes
	slots     int32
	conflicts int32
	few       []SlotNo // all slots, lot by lot, where they are few enough to walk; never changed in place
	large     *large   // nil: few slots, walk them; or one lot, ask that
}

// New is an empty Stock.
func New() *Stock {
	return newStock(newToken())
}

func newStock(edit *token) *Stock {
	return &Stock{
		edit:      edit,
		classes:   &classes{edit: edit},
		conflicts: newVersioned(edit, conflictBefore),
		choosy:    newVersioned(edit, idKey.before),
	}
}

// Fork is a scratch copy in O(1). It writes nothing to s.
func (s *Stock) Fork() *Stock {
	f := *s
	f.edit = newToken()
	return &f
}

// Publish hands out the Stock as it is now, as a version that never changes. Only the owner of s calls it, and
// continues to use s.
func (s *Stock) Publish() *Stock {
	p := *s
	p.edit, s.edit, p.wishes = newToken(), s.edit.next(), nil
	return &p
}

func (s *Stock) inconsistent(format string, args ...any) {
	panic("timeline: " + fmt.Sprintf(format, args...))
}

// AddLot adds a lot that did not exist: an article at a location, without slots and in no pool.
func (s *Stock) AddLot(no LotNo, article, location uint32) {
	if no == 0 || no >= conflictBit {
		s.inconsistent("lot number %d", no)
	}
	e := s.lots.own(s.edit, int(no))
	if e.self[0] != 0 {
		s.inconsistent("lot %d exists", no)
	}
	*e = lotEntry{self: [1]LotNo{no}}
	s.noteLot(no, article, location)
}

// SetPool moves a lot with its holds to a pool, 0 for none. A pool exists while it has lots.
func (s *Stock) SetPool(no LotNo, p PoolNo) {
	e := s.ownLot(no)
	if e.pool == p {
		return
	}
	if e.pool != 0 {
		q := s.pools.own(s.edit, int(e.pool))
		q.lots = without(q.lots, false, no)
		q.grown = s.edit
		q.slots -= int32(len(e.slots))
		q.conflicts -= e.conflicts
		q.few = s.slotsOf(q.lots, q.slots)
		if s.fitPool(e.pool); q.large != nil {
			q.large = q.large.own(s.edit)
			s.leaveLot(q.large, no)
		}
	}
	e.pool = p
	if p != 0 {
		q := s.pools.own(s.edit, int(p))
		if n := len(q.lots); n > 0 && q.grown == s.edit && q.lots[n-1] < no {
			q.lots = append(q.lots, no)
		} else {
			q.lots = with(q.lots, no)
		}
		q.grown = s.edit
		q.slots += int32(len(e.slots))
		q.conflicts += e.conflicts
		q.few = s.slotsOf(q.lots, q.slots)
		if q.large != nil {
			q.large = q.large.own(s.edit)
			s.joinLot(q.large, no)
		}
		s.fitPool(p)
	}
}

// MoveLots moves lots, ascending, with their holds from one pool to another; neither is 0. It is SetPool of each, in
// the time that the lots and the two pools take once. Where all lots of a pool move to one without lots, what is kept
// for them goes along as it is.
func (s *Stock) MoveLots(lots []LotNo, from, to PoolNo) {
	if len(lots) == 0 || from == to {
		return
	}
	p := s.pools.own(s.edit, int(from))
	left := poolEntry{lots: lessAll(p.lots, lots), grown: s.edit, slots: p.slots, conflicts: p.conflicts,
		large: p.large}
	if len(p.lots) != len(left.lots)+len(lots) {
		s.inconsistent("lots of pool %d that are not in it", from)
	}
	if whole := *p; len(left.lots) == 0 && s.pool(to) == nil {
		*p = poolEntry{}
		*s.pools.own(s.edit, int(to)) = whole
		for _, no := range lots {
			s.ownLot(no).pool = to
		}
		return
	}
	var slots, conflicts int32
	for _, no := range lots {
		e := s.ownLot(no)
		e.pool = to
		slots += int32(len(e.slots))
		conflicts += e.conflicts
	}
	left.slots -= slots
	left.conflicts -= conflicts
	left.few = s.slotsOf(left.lots, left.slots)
	*p = left
	s.fitPool(from)
	s.eachOf(from, lots, s.leaveLot)

	q := s.pools.own(s.edit, int(to))
	q.lots, q.grown = slices.Concat(q.lots, lots), s.edit
	slices.Sort(q.lots)
	q.slots += slots
	q.conflicts += conflicts
	q.few = s.slotsOf(q.lots, q.slots)
	s.eachOf(to, lots, s.joinLot)
	s.fitPool(to)
}

// eachOf has some lots change what is kept for a pool, if anything is.
func (s *Stock) eachOf(no PoolNo, lots []LotNo, change func(*large, LotNo)) {
	q := s.pools.own(s.edit, int(no))
	if q.large == nil {
		return
	}
	q.large = q.large.own(s.edit)
	for _, lot := range lots {
		change(q.large, lot)
	}
}

// lessAll is an ascending list without the numbers of another, in a new array.
func lessAll(list, other []LotNo) []LotNo {
	kept := make([]LotNo, 0, max(0, len(list)-len(other)))
	for _, no := range list {
		if len(other) > 0 && other[0] == no {
			other = other[1:]
			continue
		}
		kept = append(kept, no)
	}
	return kept
}

// PutSlot adds a slot, or changes the range of one that exists: its holds lie inside the new range. A slot keeps its
// lot.
func (s *Stock) PutSlot(slot Slot) {
	if slot.No == 0 || slot.No >= conflictBit || slot.Span.Empty() {
		s.inconsistent("slot %d of %v", slot.No, slot.Span)
	}
	e := s.slots.own(s.edit, int(slot.No))
	was := e.span
	added := e.lot == 0
	if added {
		s.countSlot(slot.Lot, slot.No, 1)
	} else {
		if e.lot != slot.Lot {
			s.inconsistent("slot %d belongs to lot %d, not %d", slot.No, e.lot, slot.Lot)
		}
		if n := e.rail.len(); n > 0 {
			first, _ := e.rail.next(railPos{})
			last := e.rail.prev(e.rail.behind(Forever))
			if !slot.Span.Covers(Span{seatStart(first), last.Span.End}) {
				s.inconsistent("slot %d has holds outside of %v", slot.No, slot.Span)
			}
		}
	}
	e.id, e.lot, e.span = slot.ID, slot.Lot, slot.Span
	s.tell(slot.Lot, func(l *large) {
		if added {
			l.join(s.edit, slot.No, e)
		} else {
			l.resize(s.edit, slot.No, &e.rail, was, e.span)
		}
	})
	if added {
		was = Span{}
		s.fit(slot.Lot)
	}
	s.noteSlot(slot.Lot, was, e.span)
}

// RemoveSlot takes out a slot without holds, as if it had never been.
func (s *Stock) RemoveSlot(no SlotNo) {
	e := s.ownSlot(no)
	if e.rail.len() > 0 {
		s.inconsistent("slot %d has holds", no)
	}
	lot, was := e.lot, e.span
	s.tell(lot, func(l *large) { l.leave(s.edit, no, e) })
	s.countSlot(lot, no, -1)
	*e = slotEntry{}
	s.fit(lot)
	s.noteSlot(lot, was, Span{})
}

// note takes note of a changed list of slots.
func (e *lotEntry) note() {
	if e.single = 0; len(e.slots) == 1 {
		e.single = e.slots[0]
	}
}

func (s *Stock) countSlot(no LotNo, slot SlotNo, by int) {
	lot := s.ownLot(no)
	switch n := len(lot.slots); {
	case by < 0:
		lot.slots = without(lot.slots, lot.grown == s.edit, slot)
	case n > 0 && lot.grown == s.edit && lot.slots[n-1] < slot:
		lot.slots = append(lot.slots, slot)
	default:
		lot.slots = with(lot.slots, slot)
	}
	lot.grown = s.edit
	lot.note()
	if lot.pool != 0 {
		q := s.pools.own(s.edit, int(lot.pool))
		q.slots += int32(by)
		q.few = s.slotsOf(q.lots, q.slots)
	}
	s.slotCount += by
}

// slotsOf lists the n slots of some lots, where they are few enough to be walked.
func (s *Stock) slotsOf(lots []LotNo, n int32) (all []SlotNo) {
	if n > walkMax {
		return nil
	}
	all = make([]SlotNo, 0, n)
	for _, lot := range lots {
		all = append(all, s.lot(lot).slots...)
	}
	return all
}

// Put seats a hold at at.Slot, or keeps it as a conflict of at.Lot where that is 0. The id is new; the seat lies inside
// the slot and meets no other.
func (s *Stock) Put(h Hold, at Place) {
	if h.Span.Empty() || seatStart(&h) >= h.Span.End {
		s.inconsistent("hold %v of %v", h.ID, h.Span)
	}
	where := uint32(at.Slot)
	if at.Slot == 0 {
		where = uint32(at.Lot) | conflictBit
	}
	if !s.enter(h.ID, where) {
		s.inconsistent("hold %v exists", h.ID)
	}
	s.noteChoosy(&h, at.Lot, true)
	if at.Slot == 0 {
		s.conflicts.set(s.edit, Placed{h, at})
		s.countConflict(at.Lot, &h, 1)
		return
	}
	e := s.ownSlot(at.Slot)
	if e.lot != at.Lot {
		s.inconsistent("hold %v on slot %d of lot %d, not %d", h.ID, at.Slot, e.lot, at.Lot)
	}
	var gap Span
	e.rail, gap = e.rail.put(h, e.span)
	e.pins |= h.Flags & mayFix
	s.tell(at.Lot, func(l *large) { l.fill(s.edit, at.Slot, gap, &h) })
	s.classes = s.classes.own(s.edit)
	s.classes.put(s.edit, h.Seat(), at)
}

// Remove takes out the hold of an id.
func (s *Stock) Remove(id ID) {
	if _, _, ok := s.take(id); !ok {
		s.inconsistent("no hold %v", id)
	}
}

// take takes out the hold of an id, and says where it was.
func (s *Stock) take(id ID) (h Hold, at Place, ok bool) {
	where, ok := s.lose(id)
	if !ok {
		return h, at, false
	}
	if where&conflictBit != 0 {
		at.Lot = LotNo(where &^ conflictBit)
		c, _ := s.conflicts.del(s.edit, conflict(at.Lot, id))
		s.noteChoosy(&c.Hold, at.Lot, false)
		s.countConflict(at.Lot, &c.Hold, -1)
		return c.Hold, at, true
	}
	e := s.ownSlot(SlotNo(where))
	p, ok := e.rail.find(id)
	if !ok {
		s.inconsistent("hold %v not on slot %d", id, where)
	}
	h, at = e.rail.run(p.j)[p.i], Place{e.lot, SlotNo(where)}
	s.noteChoosy(&h, e.lot, false)
	seat := h.Seat()
	if e.rail = e.rail.take(p); h.Flags.Any(mayFix) {
		e.pins = e.rail.pins()
	}
	gap, _ := e.rail.around(seat.Start, e.span)
	s.tell(e.lot, func(l *large) { l.clear(s.edit, at.Slot, gap, &h) })
	s.classes = s.classes.own(s.edit)
	s.classes.del(s.edit, seat, at)
	return h, at, true
}

// Change puts another row in the place of the hold of the same id, where it is: on a slot its seat lies inside that and
// meets no other. It is what Remove and Put come to, for less: a hold that is only marked has its place in all that is
// ordered by time.
func (s *Stock) Change(h Hold) {
	if !s.change(h, false) {
		s.inconsistent("no hold %v", h.ID)
	}
}

// change is Change, and says whether the hold is there; with fit only where it is seated and its new seat meets no
// other on its slot.
func (s *Stock) change(h Hold, fit bool) bool {
	where, ok := s.where(h.ID)
	switch {
	case !ok:
		return false
	case where&conflictBit != 0:
		if !fit {
			s.Remove(h.ID)
			s.Put(h, Place{Lot: LotNo(where &^ conflictBit)})
		}
		return !fit
	}
	if h.Span.Empty() || seatStart(&h) >= h.Span.End {
		s.inconsistent("hold %v of %v", h.ID, h.Span)
	}
	no := SlotNo(where)
	e := s.slot(no)
	p, ok := e.rail.find(h.ID)
	if !ok {
		s.inconsistent("hold %v not on slot %d", h.ID, where)
	}
	if fit && !e.rail.room(p, e.span).Covers(h.Seat()) {
		return false
	}
	e = s.ownSlot(no)
	was := e.rail.run(p.j)[p.i]
	old, seat := was.Seat(), h.Seat()
	var from, to Span // the gaps that the old seat leaves and the new one takes, where they differ
	switch {
	case old == seat:
		e.rail = e.rail.swap(p, h)
	case fit:
		from = e.rail.room(p, e.span)
		e.rail, to = e.rail.swap(p, h), from
	default:
		e.rail = e.rail.take(p)
		from, _ = e.rail.around(old.Start, e.span)
		e.rail, to = e.rail.put(h, e.span)
	}
	e.pins |= h.Flags & mayFix
	if was.Flags.Any(mayFix) {
		e.pins = e.rail.pins()
	}
	if was.Flags.Has(Choosy) != h.Flags.Has(Choosy) {
		s.noteChoosy(&was, e.lot, false)
		s.noteChoosy(&h, e.lot, true)
	}
	s.tell(e.lot, func(l *large) {
		if from == to {
			l.shift(s.edit, no, from, &was, &h)
			return
		}
		l.clear(s.edit, no, from, &was)
		l.fill(s.edit, no, to, &h)
	})
	if old != seat {
		at := Place{e.lot, no}
		s.classes = s.classes.own(s.edit)
		if old.Start != seat.Start || lengthClass(old) != lengthClass(seat) {
			s.classes.del(s.edit, old, at)
		}
		s.classes.put(s.edit, seat, at)
	}
	return true
}

// countConflict is called when the conflict is there, or gone.
func (s *Stock) countConflict(no LotNo, h *Hold, by int32) {
	s.tell(no, func(l *large) { l.overbook(s.edit, h.Span, by) })
	e := s.ownLot(no)
	e.conflicts += by
	if h.claims() {
		e.claims += by
	}
	if e.pool != 0 {
		s.pools.own(s.edit, int(e.pool)).conflicts += by
	}
	s.fit(no)
}

// ownLot and ownSlot are the entries to be changed.
func (s *Stock) ownLot(no LotNo) *lotEntry {
	if int(no) < s.lots.n {
		if e := s.lots.own(s.edit, int(no)); e.self[0] != 0 {
			return e
		}
	}
	s.inconsistent("no lot %d", no)
	return nil
}

func (s *Stock) ownSlot(no SlotNo) *slotEntry {
	if int(no) < s.slots.n {
		if e := s.slots.own(s.edit, int(no)); e.lot != 0 {
			return e
		}
	}
	s.inconsistent("no slot %d", no)
	return nil
}

// lot, slot and pool are the entries to be read, nil where there is none.
func (s *Stock) lot(no LotNo) *lotEntry {
	if e := s.lots.at(int(no)); e != nil && e.self[0] != 0 {
		return e
	}
	return nil
}

func (s *Stock) slot(no SlotNo) *slotEntry {
	if e := s.slots.at(int(no)); e != nil && e.lot != 0 {
		return e
	}
	return nil
}

func (s *Stock) pool(no PoolNo) *poolEntry {
	if e := s.pools.at(int(no)); e != nil && len(e.lots) > 0 {
		return e
	}
	return nil
}

// with is the ascending list with one more number, in a new array.
func with[N ~uint32](list []N, no N) []N {
	i, _ := slices.BinarySearch(list, no)
	return insertAt(list, false, i, no)
}

// without is the ascending list less one number, in a new array but where it is owned.
func without[N ~uint32](list []N, owned bool, no N) []N {
	i, ok := slices.BinarySearch(list, no)
	if !ok {
		panic("timeline: number not in its list")
	}
	return removeAt(list, owned, i)
}

// noteChoosy keeps the holds with the flag in order.
func (s *Stock) noteChoosy(h *Hold, lot LotNo, there bool) {
	switch {
	case !h.Flags.Has(Choosy):
	case there:
		s.choosy.set(s.edit, idKey{lot, h.ID})
	default:
		s.choosy.del(s.edit, idKey{lot, h.ID})
	}
}
