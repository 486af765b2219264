package model

import (
	"maps"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns one-way units. A unit that is taken at one place and comes back at another makes one unit less here
// and one more there, from the end of its hull on, while it has a slot.

// departure is a unit less on a lot, and one more of its article at another location, from an instant on.
type departure struct {
	lot uint32
	at  int64
	to  ID
}

// oneWay says that a unit leaves its place when it ends. Seated it stays on its lot.
func (u Unit) oneWay() bool { return u.Flags.Has(timeline.OneWay) }

// goes is where a one-way unit goes to, as its record says it.
func (a *Account) goes(u Unit) ID {
	if u.ordered() {
		if o := find(a.Orders, func(o *Order) bool { return uint64(o.No) == u.Nth }); o != nil {
			return o.Return
		}
		return ID{}
	}
	if h, _ := a.held(u); h != nil {
		return h.Lines[u.Line].Return
	}
	return ID{}
}

// departure is what a unit on a slot of a lot brings about, nil where it stays.
func (a *Account) departure(u Unit, lot uint32) *departure {
	to := a.goes(u)
	if !u.oneWay() || u.Hull.End == Forever || a.location(to) == nil || a.Locations[a.lot(lot).Location].ID == to {
		return nil
	}
	return &departure{lot, u.Hull.End, to}
}

// planned is the departure that a unit has so far.
func (s *step) plannedFor(id ID) *departure {
	if x, is := s.departs[id]; is {
		return x
	}
	if u := s.was.unit(id); u != nil && u.Slot != 0 {
		return s.was.departure(*u, u.Lot)
	}
	return nil
}

// wanted is the departure that a unit is to have, by where it is now.
func (s *step) wanted(id ID) *departure {
	if x, is := s.left[id]; is {
		return x
	}
	if u, o := s.a.unit(id), s.obs.unit(id); u != nil && o != nil && o.Slot != 0 {
		s.knowLots(o.Lot) // it may sit on a lot that another one's arrival has made
		return s.a.departure(*u, o.Lot)
	}
	return nil
}

// lift calls off a departure: what counts on the unit there may become a conflict. Where other changes were planned on
// that unit, or it is with a customer, the unit goes there all the same, and its hold is no one-way hold any more.
func (s *step) lift(id ID) (off bool) {
	x := s.plannedFor(id)
	if x == nil {
		return true
	}
	if !s.mayLift(id) {
		s.departs[id] = nil
		if u := s.a.unit(id); u != nil {
			u.Flags &^= timeline.OneWay
		}
		return false
	}
	s.departs[id] = nil
	to, at := s.arrival(id, x)
	s.a.Seen.CalledBack++
	s.displaced(to, at)
	s.one(to, at, -1)
	s.back(x, at)
	return true
}

// arrival is the lot that a departure brings a unit to, 0 for none, and the instant from which it would be called off:
// a unit that is gone by now has left before.
func (s *step) arrival(id ID, x *departure) (lot uint32, at int64) {
	if at = x.at; s.a.unit(id) == nil {
		at = max(at, s.now)
	}
	if r := s.a.of(s.a.lot(x.lot)); !r.Gone {
		lot = s.a.lotAt(r.ID, x.to)
	}
	return lot, at
}

// mayLift says that no other unit counts on the arrival of a unit.
func (s *step) mayLift(id ID) bool {
	to, at := s.arrival(id, s.plannedFor(id))
	return to != 0 && s.a.canGo(to, at, s.now)
}

// loosen is lift of a unit that may leave at another instant. Where others count on its arrival, that waits for when
// it leaves by then: it may be there in time all the same.
func (s *step) loosen(id ID) (off bool) {
	x := s.plannedFor(id)
	if x == nil {
		return true
	}
	r := s.a.of(s.a.lot(x.lot))
	to := s.a.lotAt(r.ID, x.to)
	if u := s.a.unit(id); u == nil || r.Gone || to == 0 || x.at <= s.now && !u.out() || s.a.canGo(to, x.at, s.now) {
		return s.lift(id)
	}
	s.departs[id] = nil
	s.back(x, x.at)
	s.arrivals[id] = x
	return true
}

// liftMost calls lift for those of some units on whose arrival no other counts, in whatever order that is possible: to
// call one off may make it possible for another. It returns the units that are still to leave.
func (s *step) liftMost(ids []ID) (left []ID) {
	for again := true; again; {
		again = false
		ids = slices.DeleteFunc(ids, func(id ID) bool {
			switch {
			case s.plannedFor(id) == nil:
				return true
			case !s.mayLift(id):
				return false
			}
			again = true
			return s.lift(id)
		})
	}
	return ids
}

// fasten makes a unit whose arrival others count on leave when it was planned before, or as soon as it is back. From
// then on it is not marked as leaving any more.
func (s *step) fasten(id ID) {
	x := s.arrivals[id]
	delete(s.arrivals, id)
	u := s.a.unit(id)
	at := x.at
	if o := s.obs.unit(id); !s.a.canGo(x.lot, at, s.now) && u != nil && o != nil && o.Slot != 0 {
		at = max(at, u.Hull.End) // as soon as it is back
	}
	if s.a.canGo(x.lot, at, s.now) {
		s.displaced(x.lot, at)
		s.one(x.lot, at, -1)
	}
	if u != nil {
		u.Flags &^= timeline.OneWay
	}
}

// arrives moves an arrival that others count on to another instant, where they have a unit then all the same.
func (s *step) arrives(id ID, x *departure) bool {
	was := s.arrivals[id]
	r := s.a.of(s.a.lot(was.lot))
	if was.to != x.to || s.a.of(s.a.lot(x.lot)) != r || r.Gone {
		return false
	}
	to := s.a.lotAt(r.ID, x.to)
	s.one(to, x.at, 1)
	if !s.a.canGo(to, was.at, s.now) {
		s.a.Slots = s.a.Slots[:len(s.a.Slots)-1]
		return false
	}
	s.a.Seen.Shifted++
	s.displaced(to, was.at)
	s.one(to, was.at, -1)
	delete(s.arrivals, id)
	return true
}

// unpromise calls off an arrival that others counted on, where none does any more, because other units arrive.
func (s *step) unpromise(id ID) bool {
	was := s.arrivals[id]
	r := s.a.of(s.a.lot(was.lot))
	to := s.a.lotAt(r.ID, was.to)
	if r.Gone || to == 0 || !s.a.canGo(to, was.at, s.now) {
		return false
	}
	s.displaced(to, was.at)
	s.one(to, was.at, -1)
	delete(s.arrivals, id)
	return true
}

// displaced are the units of a lot that have to make room from an instant on, and those of its pool that the command
// may have brought there.
func (s *step) displaced(lot uint32, at int64) {
	pool := s.a.poolOf(lot)
	for _, u := range s.a.Units {
		if u.Slot != 0 && (u.Lot == lot || pool.has(u.Lot) && s.a.mayMove(u, s.now) >= among) && u.Hull.End > at &&
			!u.out() {
			s.evict[u.ID] = true
		}
	}
}

// canGo says that a lot can have one unit less from an instant on. Any unit may become a conflict for that, except
// those that are out.
func (a *Account) canGo(lot uint32, from, now int64) bool {
	if a.late(lot) {
		a = a.clone()
		for i := range a.Slots {
			x := &a.Slots[i]
			if until := a.outUntil(x.No); until > x.Span.End { // it is kept for as long
				a.goOn(x)
				x.Span.End = max(x.Span.End, until)
			}
		}
	}
	drops, _, known := a.search(Pool{Lots: []uint32{lot}}, lot, 1, from, now, nil)
	return a.fewest(lot, from) >= 1 && a.mayEnd(lot, from, now) && (!known || drops >= 0)
}

// goOn extends a slot by another slot of its lot that begins when the first ends, and on which there is nothing. The
// other slot is gone then.
func (a *Account) goOn(x *Slot) {
	for i := range a.Slots {
		y := &a.Slots[i]
		if y.Lot == x.Lot && y.Span.Start == x.Span.End && y.Span.End > x.Span.End &&
			!slices.ContainsFunc(a.Units, func(u Unit) bool { return u.Slot == y.No }) {
			x.Span.End, y.Span.End = y.Span.End, x.Span.End
			return
		}
	}
}

// late says that a unit is out on a slot of a lot beyond its end.
func (a *Account) late(lot uint32) bool {
	return slices.ContainsFunc(a.Slots, func(x Slot) bool { return x.Lot == lot && a.outUntil(x.No) > x.Span.End })
}

// mayEnd says that each of the ends of a lot's slots, and one more, can be the end of another slot, with all that is
// out, or over, on the slot where it lies.
func (a *Account) mayEnd(lot uint32, at, now int64) bool {
	ends, earliest := []int64{at}, []int64(nil)
	for _, x := range a.Slots {
		if x.Lot != lot || x.Span.Empty() {
			continue
		}
		if x.Span.End != Forever {
			ends = append(ends, x.Span.End)
		}
		first := x.Span.Start
		for _, u := range a.Units {
			if u.Slot == x.No && (u.out() || u.Hull.End <= now) {
				first = max(first, u.Hull.End)
			}
		}
		earliest = append(earliest, first)
	}
	slices.Sort(ends)
	slices.Sort(earliest)
	for i, end := range ends {
		if i == len(earliest) || earliest[i] > end {
			return false
		}
	}
	return true
}

// fewest is the least number of units of a lot at any instant from one on.
func (a *Account) fewest(lot uint32, from int64) int {
	n := a.unitsAt(lot, from)
	for _, t := range a.edges(lot, from) {
		n = min(n, a.unitsAt(lot, t))
	}
	return n
}

// back is a unit that was to leave its lot and is there from an instant on. Where no slot ends when it was to leave, as
// a unit that is late has kept one beyond that, it is the one that the late unit has: it is there once.
func (s *step) back(was *departure, at int64) {
	lot, late := was.lot, -1
	for i, x := range s.a.Slots {
		switch {
		case x.Lot != lot:
		case x.Span.End == was.at:
			s.one(lot, at, 1)
			return
		case x.Span.End > was.at && s.keptByLate(x) && late < 0:
			late = i
		}
	}
	if late < 0 {
		s.one(lot, at, 1)
		return
	}
	x := &s.a.Slots[late].Span
	s.frees(lot, Span{Start: x.End, End: Forever})
	x.End = Forever
}

// keptByLate says that a slot ends with a unit on it that is out, stays, and was to be back a step ago or less.
func (s *step) keptByLate(x Slot) bool {
	return slices.ContainsFunc(s.a.Units, func(u Unit) bool {
		return u.Slot == x.No && u.Hull.End == x.Span.End && u.out() && !u.Flags.Has(timeline.Back) && !u.oneWay() &&
			u.Kind == timeline.Booking && u.Body().End-overdueStep <= s.now
	})
}

// one is a unit more or less on a lot from an instant on. Which slot it is makes no difference.
func (s *step) one(lot uint32, at int64, by int) {
	if by > 0 {
		no := uint32(1<<31) + uint32(len(s.a.Slots))
		s.a.Slots = append(s.a.Slots, Slot{No: no, Lot: lot, Span: Span{Start: at, End: Forever}})
		s.frees(lot, Span{Start: at, End: Forever})
		return
	}
	best, least, begin, fixed := -1, 0, at, false
	for i, x := range s.a.Slots {
		if x.Lot != lot || x.Span.End != Forever {
			continue
		}
		behind := 0
		for _, u := range s.a.Units {
			if u.Slot == x.No && u.Hull.End > at {
				if behind++; u.out() || u.Hull.End <= s.now { // it stays on its slot
					behind += 100
				}
			}
		}
		// One that something stays on comes last, and of those that begin later the first comes first.
		from, stays := max(x.Span.Start, at), s.a.staysBeyond(x.No, at, s.now) && s.a.spare(x, at) == nil
		if best < 0 || fixed && !stays ||
			stays == fixed && (from < begin || from == begin && behind < least) {
			best, least, begin, fixed = i, behind, from, stays
		}
	}
	for end := at; best >= 0; {
		x := &s.a.Slots[best].Span
		if x.Start <= end {
			if y := s.a.spare(s.a.Slots[best], end); y != nil {
				end, y.Span.End = y.Span.End, end
			}
			x.End = end
			return
		}
		last := -1 // it begins later: what is there until then ends now, and that one later
		for i, y := range s.a.Slots {
			if y.Lot == lot && y.Span.Start <= end && end < y.Span.End && y.Span.End != Forever &&
				!s.a.staysBeyond(y.No, end, s.now) && (last < 0 || y.Span.End > s.a.Slots[last].Span.End) {
				last = i
			}
		}
		if last < 0 {
			x.End = at
			return
		}
		y := &s.a.Slots[last].Span
		end, y.End = y.End, end
	}
}

// staysBeyond says that what is out, or over, lies on a slot beyond an instant: it stays there.
func (a *Account) staysBeyond(no uint32, at, now int64) bool {
	return slices.ContainsFunc(a.Units, func(u Unit) bool {
		return u.Slot == no && u.Hull.End > at && (u.out() || u.Hull.End <= now)
	})
}

// spare is a slot that can end at an instant in the place of one of its lot on which a unit is out until later, and
// whose own end is late enough for that one; nil: none is needed, or there is none.
func (a *Account) spare(x Slot, at int64) *Slot {
	until := a.outUntil(x.No)
	if until <= at {
		return nil
	}
	for i := range a.Slots {
		y := &a.Slots[i]
		if y.Lot == x.Lot && y.Span.Start <= at && y.Span.End >= until && y.Span.End != Forever &&
			a.outUntil(y.No) <= at {
			return y
		}
	}
	return nil
}

// outUntil is when the last unit of a slot is back that is out, 0 for none.
func (a *Account) outUntil(slot uint32) (end int64) {
	for _, u := range a.Units {
		if u.Slot == slot && u.out() {
			end = max(end, u.Hull.End)
		}
	}
	return end
}

// departures brings the departures of all units in line with where they are now.
func (s *step) departures() error {
	for _, x := range s.added { // a unit that has just come may leave again
		x.No = uint32(1<<31) + uint32(len(s.a.Slots))
		s.a.Slots = append(s.a.Slots, x)
	}
	s.added = nil
	var ids []ID
	for _, list := range [][]Unit{s.was.Units, s.a.Units} {
		for _, u := range list {
			if u.oneWay() {
				ids = append(ids, u.ID)
			}
		}
	}
	for id := range s.left {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, ID.Compare)
	ids = slices.Compact(ids)
	same := func(x, y *departure) bool { return x == y || x != nil && y != nil && *x == *y }
	off := slices.DeleteFunc(slices.Clone(ids), func(id ID) bool {
		return s.wanted(id) != nil || s.plannedFor(id) == nil
	})
	gave := map[ID]bool{}
	for _, id := range ids {
		gave[id] = s.gaveWay(id)
	}
	kept := slices.DeleteFunc(slices.Clone(off), func(id ID) bool { return gave[id] })
	kept = s.liftMost(kept)
	off = slices.DeleteFunc(off, func(id ID) bool { return !gave[id] && !slices.Contains(kept, id) })
	lost := slices.DeleteFunc(slices.Clone(ids), func(id ID) bool {
		// that, too, which has another article by now may have waited for it, with none, as others gave way
		w, p := s.wanted(id), s.plannedFor(id)
		return p == nil || w != nil && (s.a.lot(w.lot).Article == s.a.lot(p.lot).Article || !s.gaveFor(id, gave))
	})
	// one that is there without a unit may have had one again, so it is judged after the units that leave anew
	waits := func(id ID) bool { return s.a.unit(id) != nil && s.wanted(id) == nil }
	// one that gave way for a unit that goes nowhere is judged together with that unit
	alone := func(id ID) bool { return !gave[id] || s.evict[id] }
	liftOff := func() {
		rest := slices.DeleteFunc(slices.Clone(off), alone)
		off = append(s.liftMost(slices.DeleteFunc(off, func(id ID) bool { return !alone(id) })), rest...)
	}
	strand := func(list []ID) error {
		for _, id := range list {
			if s.plannedFor(id) != nil && !s.mayLift(id) {
				if _, err := s.strand(id, gave); err != nil {
					return err
				}
			}
		}
		liftOff()
		return nil
	}
	if err := strand(slices.DeleteFunc(slices.Clone(lost), waits)); err != nil {
		return err
	}
	for _, id := range off {
		if !waits(id) {
			s.lift(id)
		}
	}
	off = slices.DeleteFunc(off, func(id ID) bool { return !waits(id) })
	anew := func() []ID {
		return slices.DeleteFunc(slices.Clone(ids), func(id ID) bool {
			x := s.wanted(id)
			return x == nil || same(s.plannedFor(id), x)
		})
	}
	for _, id := range s.liftMost(anew()) {
		s.loosen(id)
	}
	for _, id := range ids {
		if s.arrivals[id] != nil && s.wanted(id) == nil && !slices.Contains(s.replaced, id) {
			s.fasten(id)
		}
	}
	for _, id := range s.setOff(anew()) {
		if u := s.a.unit(id); u == nil || u.out() || s.arrivals[id] != nil { // the others wait till they can
			s.depart(id, s.wanted(id))
		}
	}
	liftOff()
	if err := strand(slices.Clone(off)); err != nil {
		return err
	}
	for _, id := range off {
		s.lift(id)
	}
	for _, id := range s.setOff(anew()) {
		s.depart(id, s.wanted(id))
	}
	return s.arriveAnew()
}

// setOff plans the departures of those of some units that can go: one may with the unit that another brings. It returns
// the others.
func (s *step) setOff(ids []ID) (left []ID) {
	for again := true; again; {
		again = false
		ids = slices.DeleteFunc(ids, func(id ID) bool {
			x := s.wanted(id)
			if !s.a.canGo(x.lot, x.at, s.now) {
				return false
			}
			if s.arrivals[id] != nil {
				if f := s.fork(); !f.arrives(id, x) && !f.unpromise(id) {
					return false // until others arrive
				}
			}
			s.depart(id, x)
			again = true
			return true
		})
	}
	return ids
}

// gaveWay says that a one-way unit that the command did not ask for lost its place.
func (s *step) gaveWay(id ID) bool {
	was, is, o := s.was.unit(id), s.a.unit(id), s.obs.unit(id)
	_, asked := s.homes[id]
	return was != nil && is != nil && o != nil && was.Slot != 0 && is.Slot != 0 && (o.Slot == 0 || o.Lot != was.Lot) &&
		!asked
}

// gaveFor says that a unit that was to leave with what another one was to bring gave way.
func (s *step) gaveFor(id ID, gave map[ID]bool) bool {
	to, at := s.arrival(id, s.plannedFor(id))
	return slices.ContainsFunc(s.a.Units, func(u Unit) bool {
		p := s.plannedFor(u.ID)
		return gave[u.ID] && u.Lot == to && p != nil && p.at >= at
	})
}

// strand judges a unit that goes nowhere any more, while another is planned to leave with it from where it was to go:
// that one, the youngest that will do, waits for another unit, and so on. It is one of those that gave way, or has a
// unit again as others arrive or can no longer leave. Whether it can be, is judged as if the first were back where it
// was: off says that it can.
func (s *step) strand(id ID, gave map[ID]bool) (off bool, err error) {
	x := s.plannedFor(id)
	to, at := s.arrival(id, x)
	if to == 0 {
		return false, nil
	}
	before := s.fork()
	s.back(x, at)
	s.departs[id] = nil
	leave := func() bool {
		if !s.a.canGo(to, at, s.now) {
			return false
		}
		s.displaced(to, at)
		s.one(to, at, -1)
		return true
	}
	if leave() {
		return true, nil
	}
	younger := slices.Clone(s.a.Units)
	slices.Reverse(younger)
	for _, u := range younger {
		p := s.plannedFor(u.ID)
		_, asked := s.homes[u.ID]
		if u.Slot == 0 || u.Lot != to || u.out() || u.Hull.End <= s.now || p == nil || u.Hull.End < at || asked {
			continue
		}
		v := s.fork()
		loose, err := s.strand(u.ID, gave)
		if err != nil {
			return false, err
		}
		switch will := loose && leave(); {
		case will && (gave[u.ID] || s.bringsAnew(to, u.Hull.End) || s.cannotLeave(to, u.Hull.End, gave)):
			s.evict[u.ID] = true
			s.a.Seen.CastOff++
			return true, nil
		case will:
			return false, wrong("unit %x leaves with what %x was to bring, and does not wait", u.ID, id)
		}
		*s = *v
	}
	*s = *before
	return false, nil
}

// bringsAnew says that the command has a unit arrive on a lot before an instant that was not to arrive so.
func (s *step) bringsAnew(lot uint32, by int64) bool {
	return slices.ContainsFunc(s.a.Units, func(u Unit) bool {
		x, p := s.wanted(u.ID), s.plannedFor(u.ID)
		if x == nil || x.at >= by || p != nil && *p == *x {
			return false
		}
		to, _ := s.arrival(u.ID, x)
		return to == lot
	})
}

// cannotLeave says that a unit that gave way was to leave a lot before an instant, and that no slot there is alive for
// all of its time: so it gives way whatever else waits, and leaves its unit there.
func (s *step) cannotLeave(lot uint32, by int64, gave map[ID]bool) bool {
	return slices.ContainsFunc(s.a.Units, func(u Unit) bool {
		p := s.plannedFor(u.ID)
		return gave[u.ID] && p != nil && p.lot == lot && p.at < by &&
			!slices.ContainsFunc(s.a.Slots, func(x Slot) bool {
				return x.Lot == lot && x.Span.Start <= u.Hull.Start && x.Span.End >= u.Hull.End
			})
	})
}

// fork is a new step that continues from the state of this one.
func (s *step) fork() *step {
	v := *s
	v.a, v.departs, v.evict, v.freed = s.a.clone(), maps.Clone(s.departs), maps.Clone(s.evict), slices.Clone(s.freed)
	v.arrivals = maps.Clone(s.arrivals)
	return &v
}

// depart plans a departure, where the lot has a unit that can leave. A unit that counts on it may become a conflict
// where the leaving unit is out, or where the command allowed that.
func (s *step) depart(id ID, x *departure) {
	u := s.a.unit(id)
	r := s.a.of(s.a.lot(x.lot))
	if r.Gone || !s.a.canGo(x.lot, x.at, s.now) {
		if s.arrivals[id] != nil {
			s.fasten(id)
		}
		if u != nil {
			u.Flags &^= timeline.OneWay
		}
		return
	}
	if _, is := s.left[id]; is || u.out() || s.short[id] || s.rerouted {
		s.displaced(x.lot, x.at)
	}
	if s.arrivals[id] != nil {
		if s.arrives(id, x) {
			s.one(x.lot, x.at, -1)
			s.departs[id] = x
			return
		}
		if !s.unpromise(id) {
			s.fasten(id)
			return
		}
	}
	s.a.Seen.OneWay++
	s.one(x.lot, x.at, -1)
	to := s.a.lotAt(r.ID, x.to)
	if to == 0 {
		to = s.newLot(r.ID, x.to)
	}
	if to != 0 {
		s.one(to, x.at, 1)
	}
	s.departs[id] = x
}

// newLot takes over the lot of an article at a location that the command has made. The same command may have made the
// article.
func (s *step) newLot(article, location ID) uint32 {
	no := s.a.lotAmong(s.obs.Lots, article, location)
	s.knowLots(no)
	return no
}

// knowLots takes over the lots up to one that the command has made.
func (s *step) knowLots(no uint32) {
	for n := len(s.a.Lots); n < int(no); n++ {
		s.a.Lots = append(s.a.Lots, s.obs.Lots[n])
	}
}

// endless are requests as what leaves asks for stock: for units without end.
func endless(requests []request) []request {
	list := slices.Clone(requests)
	for i := range list {
		if q := &list[i]; q.leaves {
			q.hulls = slices.Clone(q.hulls)
			for j := range q.hulls {
				q.hulls[j].End = Forever
			}
		}
	}
	return list
}

// anyLeaves says that some request is for units that leave.
func anyLeaves(requests []request) bool {
	return slices.ContainsFunc(requests, func(q request) bool { return q.leaves })
}

// grantLeaving judges requests of an order of which some leave: granted, they can be had without end; refused for what
// counts on them later, they can be had for their windows and may not be had without end.
func (s *step) grantLeaving(requests []request, err error) (ok bool, from [][]int, fault error) {
	switch code(err) {
	case base.CodeQuantityBlocked:
		d, _ := as[stock.QuantityDetails](err)
		may, _, _ := s.judge(endless(requests))
		plain, _, _ := s.judge(requests)
		if may == certain || plain == impossible || d.Plan == nil || d.Plan.OK {
			return false, nil, wrong("refused for the plan %+v, the twin says it is %d and %d", d.Plan, may, plain)
		}
		s.a.Seen.StaysHere++
		return false, nil, errRefused
	case "":
		may, _, from := s.judge(endless(requests))
		if may == impossible {
			return false, nil, wrong("what leaves was granted, and is not there without end")
		}
		return true, from, nil
	}
	may, _, _ := s.judge(requests)
	if leaving := len(requests) - len(slices.DeleteFunc(slices.Clone(requests), func(q request) bool {
		return q.leaves
	})); leaving > 0 && may == certain && (len(requests) > 1 || s.a.HasConflicts()) {
		// a line may ask for what has left with another one, or for what a conflict is counted for
		may, _, _ = s.judge(endless(requests))
	}
	return judgedLeaving(err, may)
}

func judgedLeaving(err error, may chance) (ok bool, from [][]int, fault error) {
	ok, fault = judged(err, may)
	return ok, nil, fault
}

// departing says that a unit leaves when it has a body.
func (s *step) departing(u Unit, body Span, location ID) bool {
	to := s.a.goes(u)
	return u.oneWay() && body.End != Forever && to != location && s.a.location(to) != nil
}

// regrant judges units that are given other dates or another place: they let go of what they have, and of their
// departures. Units that leave may count on each other in several places, so the outcome for them is taken from the
// engine and judged.
func (s *step) regrant(requests []request, units []Unit, err error, judge func() (bool, [][]int, error)) (ok bool,
	from [][]int, fault error) {
	leaves := anyLeaves(requests) || slices.ContainsFunc(units, Unit.oneWay)
	ids := make([]ID, len(units))
	for i, u := range units {
		ids[i] = u.ID
	}
	s.liftMost(ids)
	for i, u := range units {
		if !s.loosen(u.ID) { // it leaves as it was planned, and not once more
			requests[i].leaves = false
			units[i].Flags &^= timeline.OneWay
		}
	}
	for _, u := range units {
		s.take(u.ID)
	}
	if !leaves {
		return judge()
	}
	switch code(err) {
	case "":
		return true, make([][]int, len(requests)), nil
	case base.CodeQuantityBlocked:
		s.a.Seen.StaysHere++
		return false, nil, errRefused
	}
	ok, fault = judged(err, open)
	return ok, nil, fault
}

// reroute judges units of an order that has another place to come back to: those that are not handed over may be seated
// anew for that.
func (s *step) reroute(o *Order, overbook bool, err error) error {
	if c := code(err); c == base.CodeQuantityBlocked || c == base.CodeInsufficient {
		s.a.Seen.StaysHere++
		return errRefused
	}
	s.rerouted = overbook
	var fault error
	o.each(func(l *OrderLine, x *OrderUnit) {
		u := s.a.unit(x.Hold)
		if u == nil || x.Returned != 0 || fault != nil || err != nil {
			return
		}
		goes := o.Return != o.Pickup && l.Purchase != base.PurchaseSale
		if d := s.plannedFor(u.ID); goes == u.oneWay() && (!goes || d != nil && d.to == o.Return) {
			return
		}
		if !s.lift(u.ID) {
			return
		}
		if u.Flags &^= timeline.OneWay; goes {
			u.Flags |= timeline.OneWay
		}
		if x.Handed != 0 || !goes {
			return
		}
		home, n := s.a.home(*u), *u
		if q, _, refusal := s.moved(0, hold.MoveLine{}, n); refusal == "" {
			for _, p := range q.pools {
				home.Lots = append(slices.Clone(home.Lots), p.Lots...)
			}
		}
		s.short[n.ID] = s.short[n.ID] || overbook || n.Slot == 0
		s.take(n.ID)
		fault = s.put(n, home)
	})
	return fault
}
