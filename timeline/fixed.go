package timeline

// This file owns the question whether a pool is easy: whether the count of free units is the answer.

import "math"

// wideRounds is how often a pool of many slots is gone through for one component.
const wideRounds = 32

// component is room widened on both sides to the next instant that no movable hold of the pool lies across, not left of
// the floor: what seating room can come to touch. A slot's end counts as a hold that lasts for ever where it may move,
// which is in a pool of one lot. far widens over what may move inside its lot, too.
func (s *Stock) component(p PoolRef, f fixity, room Span, far bool) Span {
	reach := anywhere
	if far {
		reach = inLot
	}
	rounds := math.MaxInt
	if !far && s.wide(p, f.floor) {
		rounds = wideRounds
	}
	for grown := true; grown; rounds-- {
		if rounds == 0 {
			return Span{f.floor, Forever}
		}
		room, grown = s.widened(p, f, room, reach)
	}
	return room
}

// widened is room widened by what lies across it, as component has it, and perhaps by some of what lies across that.
func (s *Stock) widened(p PoolRef, f fixity, room Span, reach bound) (wider Span, grown bool) {
	for _, lot := range s.Lots(p) {
		slots := s.lot(lot).slots
		for _, no := range slots {
			e := s.slot(no)
			if ends := e.span.End; ends > f.floor && ends < room.End && (reach == inLot || !f.lots) && len(slots) > 1 {
				grown = grown || room.End < Forever || ends < room.Start
				room = Span{min(room.Start, ends), Forever}
			}
			if h := e.rail.at(room.Start); h != nil && seatStart(h) < room.Start && room.Start > f.floor &&
				f.of(h) <= reach {
				room.Start, grown = max(f.floor, seatStart(h)), true
			}
			if h := e.rail.at(room.End - 1); h != nil && h.Span.End > room.End && f.of(h) <= reach {
				room.End, grown = h.Span.End, true
			}
		}
	}
	return room, grown
}

// shared is the stretch that all fixed things overlapping w have in common; empty where they have none, and all time
// where there are no fixed things.
func (s *Stock) shared(p PoolRef, f fixity, w Span) Span {
	all := always
	for no := range s.slotNos(p) {
		e := s.slot(no)
		if e.span.End <= f.floor {
			continue
		}
		if e.span.Start > w.Start {
			all.End = min(all.End, e.span.Start)
		}
		if e.span.End < w.End && f.lots {
			all.Start = max(all.Start, e.span.End)
		}
		until := w.End
		if e.pins == 0 {
			until = min(until, f.now) // only what is over is fixed
		}
		if until > w.Start {
			for h, p := e.rail.next(e.rail.from(w.Start)); h != nil && seatStart(h) < until; h, p = e.rail.next(p) {
				if f.of(h) != anywhere {
					all.Start, all.End = max(all.Start, seatStart(h)), min(all.End, h.Span.End)
				}
			}
		}
		if all.Empty() {
			return all
		}
	}
	return all
}

// easy says whether the pool is easy for a seat that takes room, and where to begin a walk there.
func (s *Stock) easy(p PoolRef, f fixity, room Span) (anchor int64, ok bool) {
	all, known := Span{}, false
	if f.floor == f.now { // else what is over counts, too
		all, known = s.fixedAfter(p, f.floor)
	}
	if !known {
		all = s.shared(p, f, Span{f.floor, Forever})
	}
	if all.Empty() {
		all = s.sharedAround(p, f, room)
	}
	return all.anchor(room)
}

// sharedAround is what all fixed things share that overlap the component of room. In a pool with many of them it is
// mostly known before the component is: they share nothing.
func (s *Stock) sharedAround(p PoolRef, f fixity, room Span) (all Span) {
	for range 2 {
		grown := false
		if all = s.shared(p, f, room); all.Empty() {
			return all
		}
		if room, grown = s.widened(p, f, room, anywhere); !grown {
			return all
		}
	}
	return s.shared(p, f, s.component(p, f, room, false))
}

// anchor is where to begin a walk over room, where s is what all fixed things of its component share: the room's first
// instant that they share, its start where they share only earlier ones, its last instant where they share only later
// ones. ok is false where they share none.
func (s Span) anchor(room Span) (t int64, ok bool) {
	switch {
	case s.Empty():
		return room.Start, false
	case s.Start >= room.End:
		return room.End - 1, true
	}
	return max(room.Start, s.Start), true
}

// loose says that nothing of the pool is fixed that seating room can come to touch: the counts are the answer,
// whichever of its lanes are wanted.
func (s *Stock) loose(p PoolRef, f fixity, room Span) bool {
	if f.floor == f.now {
		if all, known := s.fixedAfter(p, f.floor); known && all == always {
			return true
		}
	}
	return s.shared(p, f, Span{f.floor, Forever}) == always ||
		s.shared(p, f, room) == always && s.shared(p, f, s.component(p, f, room, false)) == always
}
