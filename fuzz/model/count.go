package model

import (
	"slices"

	"holdfast/engine/base"
)

// This file owns counting: how many units of a pool are there and taken at an instant, by looking at every slot and
// unit.

// at counts a pool's slots and taken units at an instant. A conflict that is pinned to one article of several is
// counted only where it could sit: where what is seated and pinned there, or stays there until it leaves for good,
// leaves a unit of that article for it.
func (a *Account) at(p Pool, t int64) (stock, committed int) {
	stock, committed = a.all(p, t)
	if len(p.Lots) < 2 || !slices.Equal(p.Lots, a.poolOf(p.Lots[0]).Lots) { // lots of several places, say, are no pool
		return stock, committed
	}
	for _, lot := range p.Lots {
		units, pinned, waiting := 0, 0, 0
		for _, s := range a.Slots {
			if s.Lot == lot && s.Span.Holds(t) {
				units++
			}
		}
		for _, u := range a.Units {
			switch {
			case u.Lot != lot || !u.Takes().Holds(t):
			case u.Slot == 0 && u.articlePinned():
				waiting++
			case u.Slot != 0 && (u.articlePinned() || u.out() || u.oneWay()):
				pinned++
			}
		}
		if could := max(0, units-pinned); waiting > could {
			a.Seen.Stranded++
			committed -= waiting - could
		}
	}
	return stock, committed
}

// all counts a pool's slots and units at an instant, every conflict among them.
func (a *Account) all(p Pool, t int64) (stock, committed int) {
	for _, s := range a.slotsOf(p) {
		if s.Span.Holds(t) {
			stock++
		}
	}
	for _, u := range a.unitsOf(p) {
		if u.Takes().Holds(t) {
			committed++
		}
	}
	return stock, committed
}

// instants are a window's start and the instants inside it at which a count of the pools may change, in order.
func (a *Account) instants(pools []Pool, w Span) []int64 {
	list := []int64{w.Start}
	note := func(s Span) {
		for _, t := range []int64{s.Start, s.End} {
			if w.Start < t && t < w.End {
				list = append(list, t)
			}
		}
	}
	for _, p := range pools {
		for _, s := range a.slotsOf(p) {
			note(s.Span)
		}
		for _, u := range a.unitsOf(p) {
			note(u.Takes())
			note(u.Hull)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// least is the least number of free units over a window, the counts at the first instant of it, and that instant.
func (a *Account) least(p Pool, w Span) (free, stock, committed int, at int64) {
	for i, t := range a.instants([]Pool{p}, w) {
		s, c := a.at(p, t)
		if i == 0 || s-c < free {
			free, stock, committed, at = s-c, s, c, t
		}
	}
	return free, stock, committed, at
}

// full says that at some instant of a window every unit has a seat: conflicts are not counted.
func (a *Account) full(p Pool, w Span) bool {
	return slices.ContainsFunc(a.instants([]Pool{p}, w), func(t int64) bool {
		stock, seated := a.all(p, t)
		for _, u := range a.unitsOf(p) {
			if u.Slot == 0 && u.Hull.Holds(t) {
				seated--
			}
		}
		return seated >= stock
	})
}

// freeThroughout counts the slots that are alive over a whole window and have no seat in it.
func (a *Account) freeThroughout(p Pool, w Span) (n int) {
	for _, s := range a.slotsOf(p) {
		taken := slices.ContainsFunc(a.Units, func(u Unit) bool { return u.Slot == s.No && u.Takes().Overlaps(w) })
		if s.Span.Covers(w) && !taken {
			n++
		}
	}
	return n
}

// Tight says that a booking of a window needs others to move: a unit is free at every instant, none throughout.
func (a *Account) Tight(i base.Item, location ID, body Span, now int64) bool {
	return slices.ContainsFunc(a.pools(i, location), func(p Pool) bool {
		hull := p.hull(body, now)
		free, _, _, _ := a.least(p, hull)
		return free > 0 && a.freeThroughout(p, hull) == 0
	})
}

// chance is what a rule says of an outcome.
type chance int

const (
	impossible chance = iota // the count says no
	open                     // the pool is not easy: the bounded search decides
	certain                  // the count says yes, and it is the answer
)

// room says whether n more units can be seated over a hull.
func (a *Account) room(p Pool, hull Span, n int, now int64) chance {
	switch free, _, _, _ := a.least(p, hull); {
	case free < n:
		return impossible
	case a.freeThroughout(p, hull) >= n || a.easy(p, hull, now):
		return certain
	}
	return open
}
