package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/timeline"
)

// This file owns the law: what a command may do to units and slots in addition to what it was asked for.

// step is one submission on its way through the twin.
type step struct {
	now   int64
	was   *Account      // before
	a     *Account      // as the twin says it becomes; places of units come from obs
	obs   *Account      // lots, slots and units as the log has them
	held  *Account      // before the command let go of what it seats anew; nil: it does not
	homes map[ID]Pool   // of units that the command made or moved: where they may be seated
	evict map[ID]bool   // units that may become conflicts
	sent  map[ID]uint32 // slots that units are to be on, by name
	freed []freed
	added []Slot // slots that the command makes, without their ids

	// units that the command made or moved and that may be conflicts, as overbooking was allowed
	short map[ID]bool
	// of those that may become conflicts, the ones that are to be seated elsewhere if they can be
	pushed   map[ID]bool
	fixed    map[ID]uint32     // slots that units keep
	arrivals map[ID]*departure // of units that may leave at another instant, while others count on when they did
	departs  map[ID]*departure // of units that were looked at, the departure that is planned by now
	left     map[ID]*departure // of units that have come back, the one that they are of
	replaced []ID              // of arrivals, those of units that a hold asked for anew, as others
	promised bool              // no unit may lose its place by that
	rerouted bool              // what counts on units that leave may become a conflict
	// units that keep their slots for longer, as they have not come back, or came back and have a buffer after them
	stayed []Unit
	named  ID // the unit whose article the command names, or leaves to the service again
	op     base.Op
	said   *order.OrderRecord // what the engine answers of an order; nil: it refuses, or answers with something else
	later  []func() error     // judgements of what came of the command as a whole
}

// freed is a range that came free on a lot.
type freed struct {
	lot   uint32
	span  Span
	moved bool // what was there moved to another lot of the pool
}

// take takes a unit out of the account.
func (s *step) take(id ID) Unit {
	i := slices.IndexFunc(s.a.Units, func(u Unit) bool { return u.ID == id })
	u := s.a.Units[i]
	s.a.Units = slices.Delete(s.a.Units, i, i+1)
	if u.Slot != 0 {
		s.frees(u.Lot, u.Hull)
	}
	return u
}

// frees notes that room came free on a lot. An article that is out gives it to its scheduled events alone.
func (s *step) frees(lot uint32, over Span) { s.freed = append(s.freed, freed{lot, over, false}) }

// put puts a unit into the account, at the place that the engine gave it.
func (s *step) put(u Unit, home Pool) error {
	o := s.obs.unit(u.ID)
	if o == nil {
		return wrong("unit %x is not in the log", u.ID)
	}
	u.Lot, u.Slot, u.Cut = o.Lot, o.Slot, o.Cut
	i, had := slices.BinarySearchFunc(s.a.Units, u.ID, func(x Unit, id ID) int { return x.ID.Compare(id) })
	if had {
		return wrong("unit %x is there twice", u.ID)
	}
	s.a.Units = slices.Insert(s.a.Units, i, u)
	s.homes[u.ID] = home
	return nil
}

// settle holds what the log says against the law, and takes over the places.
func (s *step) settle() error {
	if err := s.departures(); err != nil {
		return err
	}
	if err := s.slots(); err != nil {
		return err
	}
	if len(s.a.Units) != len(s.obs.Units) {
		return wrong("%d units, the twin has %d", len(s.obs.Units), len(s.a.Units))
	}
	for i, u := range s.a.Units {
		if err := s.unit(u, s.obs.Units[i]); err != nil {
			return err
		}
	}
	s.a.Units, s.a.Slots = s.obs.Units, s.obs.Slots
	s.lose()
	return s.a.sane()
}

// lose notes since when units have been conflicts, and which slot those had that are pinned to one.
func (s *step) lose() {
	s.a.Lost, s.a.Homed, s.a.Pins = map[ID]int64{}, map[ID]int64{}, map[ID]uint32{}
	for _, u := range s.a.Units {
		if u.Slot != 0 {
			continue
		}
		since, had := s.was.Lost[u.ID]
		if !had {
			since = s.now
		}
		s.a.Lost[u.ID] = since
		s.a.Homed[u.ID] = s.now
		if was := s.was.unit(u.ID); had && was.Lot == u.Lot && was.Hull == u.Hull {
			s.a.Homed[u.ID] = s.was.Homed[u.ID]
		}
		if u.slotPinned() {
			s.a.Pins[u.ID] = s.slotOf(u.ID)
		}
	}
}

// slotOf is the slot that a unit had before the step, and where it was a conflict the one that it was made for.
func (s *step) slotOf(id ID) uint32 {
	if was := s.was.unit(id); was != nil && was.Slot != 0 {
		return was.Slot
	}
	return s.was.Pins[id]
}

// unpins judges the pin of a unit that waited for its slot, or lost it, and has a slot: its own as long as that is
// there for all of the time that is left, and else any of its article's, and is pinned to the article alone from then
// on.
func (s *step) unpins(u, o Unit) (gone bool, err error) {
	no := s.slotOf(u.ID)
	is, was := s.obs.holds(no, u, s.now), s.was.holds(no, u, s.now)
	switch gone = !o.slotPinned(); {
	case !gone && o.Slot != no:
		return gone, wrong("unit %+v waited for slot %d and has another: %+v", u, no, o)
	case gone && is && was:
		return gone, wrong("unit %+v lost its pin to slot %d, which is there: %+v", u, no, o)
	case !gone && !is && !was:
		return gone, wrong("unit %+v kept its pin to slot %d, which is gone: %+v", u, no, o)
	}
	s.a.Seen.Unpinned++
	return gone, nil
}

// holds says that a slot is there for what is left of a unit of its lot.
func (a *Account) holds(no uint32, u Unit, now int64) bool {
	x := a.slot(no)
	return x != nil && x.Lot == u.Lot && x.Span.Covers(rest(u, now))
}

// unit judges what became of one unit.
func (s *step) unit(u, o Unit) error {
	same := u
	same.Lot, same.Slot, same.Cut = o.Lot, o.Slot, o.Cut
	was, unpinned := s.was.unit(u.ID), false
	if o.Slot != 0 && s.sent[u.ID] != o.Slot && u.slotPinned() && was != nil && was.slotPinned() &&
		(was.Slot == 0 || s.evict[u.ID] && o.Slot != was.Slot) {
		var err error
		if unpinned, err = s.unpins(u, o); err != nil {
			return err
		}
		same.Flags = same.Flags&^timeline.PinnedSlot | o.Flags&timeline.PinnedSlot
	}
	if same != o {
		return wrong("unit is %+v, the twin has %+v", o, u)
	}
	if slot, is := s.fixed[u.ID]; is && o.Slot != slot {
		return wrong("unit %+v was to stay on slot %d and is on %d", u, slot, o.Slot)
	}
	home, given := s.homes[u.ID]
	came := was == nil || was.Lot != o.Lot
	if _, undo := s.op.(order.UndoOrder); undo && was == nil {
		// it is again where it was, whatever its article has by now
		x := s.was.orderUnit(o.ID) // nil: it is out again, on the lot that is its home
		came = x != nil && x.Lot != o.Lot
	}
	if o.Slot != 0 && !o.articlePinned() && came && s.a.unmet(o, s.now) {
		return wrong("unit %+v went to an article that does not have what its line requires", o)
	}
	switch {
	case given:
		if int(o.Lot) > len(s.was.Lots) && !u.articlePinned() {
			// what leaves for there by this command made the lot: it is of a pool that knew none
			home.Lots = slices.Clone(home.Lots)
			for _, p := range s.a.belongs(u, s.now) {
				home.Lots = append(home.Lots, p.Lots...)
			}
		}
		if !home.has(o.Lot) && (o.Slot != 0 || o.articlePinned()) {
			return wrong("unit %x was seated on lot %d, outside of %v", u.ID, o.Lot, home.Lots)
		}
		if o.Slot == 0 &&
			(!s.short[u.ID] && (!s.evict[u.ID] || was == nil || o.Lot != was.Lot && o.articlePinned()) || o.Cut != 0) {
			return wrong("unit %+v was given no slot: %+v", u, o)
		}
		if o.Slot == 0 {
			s.a.Seen.Evicted++
			return nil
		}
	case was.Slot == 0 && o.Slot == 0:
		if o.Lot != u.Lot && !o.articlePinned() { // it was brought where it belongs, to be tried there
			s.a.Seen.Housed++
			s.pushed[u.ID], u.Lot = true, o.Lot
		}
		if o != u {
			return wrong("conflict %+v became %+v", *was, o)
		}
		return nil
	case was.Slot == 0:
		s.a.Seen.Reseated++
		return s.reseated(u, o)
	case o.Slot == 0:
		s.a.Seen.Evicted++
		s.own(*was)
		if !s.evict[u.ID] {
			return wrong("unit %+v became a conflict", u)
		}
		if o.Lot != was.Lot && o.articlePinned() && !(s.pushed[u.ID] && s.was.home(*was).has(o.Lot)) || o.Cut != 0 {
			// pushed, it may have sat there in between
			return wrong("unit %+v became a conflict elsewhere: %+v", *was, o)
		}
		if home := s.a.home(*was); !o.articlePinned() && !home.has(o.Lot) &&
			slices.ContainsFunc(s.a.belongs(u, s.now), func(p Pool) bool { return p.has(was.Lot) }) {
			return wrong("unit %+v lost its unit, and does not wait where it sat: %+v", *was, o)
		}
		return nil
	case o.Lot != was.Lot:
		left := s.relabels() && !was.articlePinned() && !was.out() && was.Hull.End > s.now && s.a.unmet(*was, s.now)
		if left {
			s.a.Seen.Refitted++
		}
		inPool := s.was.poolOf(was.Lot).has(o.Lot) || s.a.poolOf(was.Lot).has(o.Lot)
		seat := *was
		seat.Flags &^= was.Flags &^ u.Flags & timeline.OneWay // one that stays by now moves as others do
		if s.evict[u.ID] && !was.articlePinned() {
			// what lost its place waits in the pool that it belongs to, and has a seat there as if it had waited
			inPool = inPool || slices.ContainsFunc(s.a.belongs(u, s.now), func(p Pool) bool { return p.has(o.Lot) })
			seat.Slot = 0
		}
		if !left && s.a.mayMove(seat, s.now) < among || !inPool {
			return wrong("unit %+v may not move to lot %d", *was, o.Lot)
		}
		s.freed = append(s.freed, freed{was.Lot, was.Takes(), true})
		s.a.Seen.Between++
	case o.Slot != was.Slot:
		if s.a.mayMove(*was, s.now) == nowhere && !unpinned {
			return wrong("unit %+v may not move to slot %d", *was, o.Slot)
		}
		s.a.Seen.Moved++
	}
	// The past part of a hold may be cut off when it moves.
	before := int64(0)
	if was != nil && was.Hull == o.Hull {
		before = was.Cut
	}
	if o.Cut != before && !(given && o.Cut == 0) &&
		(o.Cut < before || o.Hull.Start+o.Cut > s.now ||
			!given && !unpinned && s.a.mayMove(*was, s.now) == nowhere) {
		return wrong("unit %+v was cut: %+v", u, o)
	}
	return nil
}

// slots judges what became of the slots: made and ended ones as the twin says, and otherwise ends that were exchanged
// inside a lot. A slot that got the end at which it begins is no more.
func (s *step) slots() error {
	for _, x := range s.a.Slots {
		if o := s.obs.slot(x.No); o != nil && (o.ID != x.ID || o.Lot != x.Lot || o.Span.Start != x.Span.Start) {
			return wrong("slot %+v became %+v", x, o)
		} else if o == nil || o.Span.End != x.Span.End {
			s.a.Seen.Ends++
		}
	}
	want := slices.Concat(s.a.Slots, s.added)
	if err := s.postpone(want); err != nil {
		return err
	}
	for no := range uint32(max(len(s.a.Lots), len(s.obs.Lots))) {
		starts, more := missing(want, s.obs.Slots, no+1, func(x Slot) int64 { return x.Span.Start })
		ends, later := missing(want, s.obs.Slots, no+1, func(x Slot) int64 { return x.Span.End })
		if len(more)+len(later) > 0 || !slices.Equal(s.fromNow(starts), s.fromNow(ends)) {
			return wrong("lot %d lost slots from %v to %v and got some from %v to %v", no+1, starts, ends, more, later)
		}
	}
	return nil
}

// fromNow is instants as they matter from now on: one that is past as now. A unit that was to have left by now, and is
// kept by one that is late, has been there all the time.
func (s *step) fromNow(instants []int64) []int64 {
	for i := range instants {
		instants[i] = max(instants[i], s.now)
	}
	return instants
}

// missing lists, in order, the instants that slots of a lot have in one list and not in the other, and the other way
// round.
func missing(want, have []Slot, lot uint32, of func(Slot) int64) (less, more []int64) {
	for _, x := range want {
		if x.Lot == lot {
			less = append(less, of(x))
		}
	}
	for _, x := range have {
		if x.Lot != lot {
			continue
		}
		if i := slices.Index(less, of(x)); i >= 0 {
			less = slices.Delete(less, i, i+1)
		} else {
			more = append(more, of(x))
		}
	}
	slices.Sort(less)
	return less, more
}

// sane checks the invariants of units and slots.
func (a *Account) sane() error {
	for i, u := range a.Units {
		if u.Slot == 0 {
			continue
		}
		s := a.slot(u.Slot)
		if s == nil || s.Lot != u.Lot || !s.Span.Covers(u.Takes()) {
			return wrong("unit %+v does not lie inside slot %+v", u, s)
		}
		for _, v := range a.Units[:i] {
			if v.Slot == u.Slot && v.Takes().Overlaps(u.Takes()) {
				return wrong("units %+v and %+v overlap on one slot", v, u)
			}
		}
	}
	for i, s := range a.Slots {
		if s.Span.Empty() || i > 0 && (a.Slots[i-1].No >= s.No || !a.Slots[i-1].ID.Before(s.ID)) {
			return wrong("slot %+v is empty or out of order", s)
		}
	}
	return nil
}
