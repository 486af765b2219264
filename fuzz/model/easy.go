package model

import (
	"math"

	"holdfast/engine/order"
)

// This file owns the easy test: whether the count of free units is the answer. The rule: widen the window on both sides
// to the next instant that nothing movable lies across; the pool is easy when all fixed things that overlap the stretch
// share one instant.

// thing takes room on one of a pool's slots: a unit, or a slot's beginning or end.
type thing struct {
	span Span
	lane int // index into the pool's lanes
	move movable
	unit ID // zero: not a unit
	asks []order.Requirement
}

type movable int

const (
	nowhere movable = iota
	inLot
	among // to the articles that have what its line requires, and not all of the pool have it
	anywhere
)

// lanes are the slots of a pool and everything that takes room on them, seen from a command that wants room from an
// instant on. Nothing before the floor matters: what began earlier needs room from the floor on.
func (a *Account) lanes(p Pool, from, now int64) (lanes []Slot, things []thing) {
	floor := min(now, from)
	for _, s := range a.slotsOf(p) {
		if s.Span.End <= max(floor, s.Span.Start) {
			continue
		}
		lane := len(lanes)
		lanes = append(lanes, s)
		if s.Span.Start > floor {
			things = append(things, thing{Span{Start: floor, End: s.Span.Start}, lane, nowhere, ID{}, nil})
		}
		if s.Span.End < Forever {
			// Slots of one lot exchange their ends: an end is a thing that moves inside its lot.
			things = append(things, thing{Span{Start: s.Span.End, End: Forever}, lane, inLot, ID{}, nil})
		}
		for _, u := range a.Units {
			if u.Slot == s.No && u.Hull.End > floor {
				seat := u.Takes()
				things = append(things, thing{Span{Start: max(seat.Start, floor), End: seat.End}, lane,
					a.mayMove(u, now), u.ID, a.required(u)})
			}
		}
	}
	return lanes, things
}

// mayMove says how far a seated unit may be moved at an instant: one whose line requires something to the articles that
// have it, which is everywhere where all of the pool do; one whose article does not have it any more stays there.
func (a *Account) mayMove(u Unit, now int64) movable {
	switch {
	case u.out() || u.slotPinned() || u.Hull.End <= now:
		return nowhere
	case u.articlePinned(), u.oneWay() && u.Slot != 0:
		return inLot
	}
	asks := a.required(u)
	switch {
	case !a.suits(u.Lot, asks, now):
		return inLot
	case a.partly(a.poolOf(u.Lot), asks, now):
		return among
	}
	return anywhere
}

// easy says that the count of free units over a hull is the answer.
func (a *Account) easy(p Pool, hull Span, now int64) bool {
	_, things := a.lanes(p, hull.Start, now)
	// In a pool of one lot what moves inside its lot moves everywhere.
	least := anywhere
	if len(p.Lots) == 1 {
		least = inLot
	}
	w := hull
	for grown := true; grown; {
		grown = false
		for _, x := range things {
			if x.move < least {
				continue
			}
			if x.span.Start < w.Start && w.Start < x.span.End {
				w.Start, grown = x.span.Start, true
			}
			if x.span.Start < w.End && w.End < x.span.End {
				w.End, grown = x.span.End, true
			}
		}
	}
	shared := Span{Start: math.MinInt64, End: Forever}
	for _, x := range things {
		if x.move < least && x.span.Overlaps(w) {
			shared = shared.Clip(x.span)
		}
	}
	return !shared.Empty()
}
