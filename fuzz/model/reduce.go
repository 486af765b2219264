package model

import (
	"errors"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns plans of a reduction: what a plan says is compared with what it would do, and with an exhaustive
// search.

// as finds the details of a refusal.
func as[D any](err error) (d D, ok bool) {
	var e *base.Error
	if errors.As(err, &e) {
		d, ok = e.Details.(D)
	}
	return d, ok
}

// dropCost is more than all moves of a searched lot.
const dropCost = 1000

// unitsAt is the quantity of a lot at an instant: the number of its slots that are alive then.
func (a *Account) unitsAt(lot uint32, t int64) (n int) {
	for _, s := range a.Slots {
		if s.Lot == lot && s.Span.Holds(t) {
			n++
		}
	}
	return n
}

// edges are the instants from one on at which the quantity of a lot may change, that one with them, in order.
func (a *Account) edges(lot uint32, from int64) []int64 {
	list := []int64{from}
	for _, s := range a.Slots {
		for _, t := range []int64{s.Span.Start, s.Span.End} {
			if s.Lot == lot && from < t && t < Forever {
				list = append(list, t)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// enough is the earliest instant, at or after a given one, from which on a lot never has fewer than so many units; ok
// is false where there is none.
func (a *Account) enough(lot uint32, amount int, at int64) (from int64, ok bool) {
	for _, t := range a.edges(lot, at) {
		if a.unitsAt(lot, t) < amount {
			ok = false
		} else if !ok {
			from, ok = t, true
		}
	}
	return from, ok
}

// Plan judges a plan for an article to have fewer units at a location, at every instant from one on.
func (a *Account) Plan(p *stock.QuantityPlan, article, location ID, amount int, at, now int64) error {
	a.Seen.Plans++
	if !p.OK {
		a.Seen.Blocked++
	}
	no := a.lotAt(article, location)
	from, ever := a.enough(no, amount, at)
	if !ever || from > at {
		if ever {
			a.Seen.Scarce++
		}
		if p.OK || p.Reason != "not_enough_stock" || len(p.Removed)+len(p.Moves)+len(p.Blockers) > 0 || !p.Minimal {
			return wrong("%d units are to go, which is possible from %d on (%v), the plan is %+v", amount, from, ever,
				p)
		}
		if (p.PossibleFrom != nil) != ever || ever && *p.PossibleFrom != from {
			return wrong("there are %d units from %d on (%v), the plan says %v", amount, from, ever, p.PossibleFrom)
		}
		return nil
	}
	if p.PossibleFrom != nil || p.Reason == "not_enough_stock" {
		return wrong("there are %d units from %d on, the plan is %+v", amount, at, p)
	}
	if p.OK != (p.Reason == "") || p.OK && len(p.Blockers) > 0 || !p.OK && len(p.Blockers) == 0 {
		return wrong("plan %+v contradicts itself", p)
	}
	if p.LowerBound > len(p.Moves) || p.OK && p.Minimal != (p.LowerBound == len(p.Moves)) {
		return wrong("a plan with %d moves calls %d its bound: %+v", len(p.Moves), p.LowerBound, p)
	}
	if p.OK || len(p.Removed) > 0 {
		if err := a.carried(p, no, amount, at, now); err != nil {
			return err
		}
	}
	return a.exhausted(p, no, amount, at, now)
}

// carried checks that what a plan does is lawful.
func (a *Account) carried(p *stock.QuantityPlan, lot uint32, amount int, at, now int64) error {
	v := a.clone()
	for _, b := range p.Blockers {
		u := v.unit(b.ID)
		if u == nil || u.Slot == 0 || u.Hull.End <= at ||
			u.Lot != lot && !(a.poolOf(lot).has(u.Lot) && a.mayMove(*u, now) >= among) {
			return wrong("%x blocks a reduction of lot %d at %d: %+v", b.ID, lot, at, u)
		}
		if u.Lot != lot {
			a.Seen.Aside++
		}
		u.Slot, u.Cut = 0, 0
	}
	for _, m := range p.Moves {
		u, to := v.unit(m.Unavailability), slotByID(v.Slots, m.To)
		if u == nil || to == nil || u.Slot == 0 || v.slot(u.Slot).ID != m.From || m.From == m.To {
			return wrong("the plan moves %x from %x to %x, it is %+v", m.Unavailability, m.From, m.To, u)
		}
		if may := a.mayMove(*u, now); may == nowhere || to.Lot != u.Lot &&
			(may < among || !a.poolOf(u.Lot).has(to.Lot) || !a.suits(to.Lot, a.required(*u), now)) {
			return wrong("the plan moves %+v, which may not move there", *u)
		}
		if to.Lot != u.Lot {
			a.Seen.Pushed++
		}
		u.Lot, u.Slot = to.Lot, to.No
		u.Cut = max(u.Cut, now-u.Hull.Start) // what is past needs no room
	}
	if len(p.Removed) != amount {
		return wrong("a plan for %d units takes %d: %+v", amount, len(p.Removed), p)
	}
	// Ends of a lot may be exchanged, and none is used up: those that were planned are there in addition to the new
	// ones, and each slot gets one that is no earlier than the units on it. A slot whose end is where it begins is
	// gone.
	for _, l := range v.Lots {
		var ends, need []int64
		gone := 0
		for _, s := range v.Slots {
			if s.Lot != l.No {
				continue
			}
			last := s.Span.Start
			for _, u := range v.Units {
				if u.Slot == s.No {
					last = max(last, u.Hull.End)
				}
			}
			ends = append(ends, s.Span.End)
			if slices.Contains(p.Removed, s.ID) {
				if gone++; last > at {
					return wrong("slot %+v cannot end at %d: something lies on it until %d", s, at, last)
				}
				continue
			}
			need = append(need, last)
		}
		if l.No != lot && gone > 0 || l.No == lot && gone != amount {
			return wrong("lot %d loses %d slots of %d", l.No, gone, amount)
		}
		slices.Sort(ends)
		slices.Sort(need)
		for i := range need { // as many of the ends that are Forever are no more as are new
			if need[i] > ends[i] {
				return wrong("lot %d has the ends %v for what lasts until %v", l.No, ends, need)
			}
		}
	}
	for i, u := range v.Units {
		for _, w := range v.Units[:i] {
			if u.Slot != 0 && u.Slot == w.Slot && u.Takes().Overlaps(w.Takes()) {
				return wrong("the plan lays %+v over %+v: %+v", u, w, p)
			}
		}
	}
	return nil
}

func slotByID(slots []Slot, id ID) *Slot { return at(slots, func(s *Slot) bool { return s.ID == id }) }

// exhausted holds a plan against an exhaustive search: there is no plan that keeps all where it says so, and none with
// fewer moves or fewer blockers.
func (a *Account) exhausted(p *stock.QuantityPlan, lot uint32, amount int, at, now int64) error {
	pool := Pool{Lots: []uint32{lot}}
	alone := len(a.poolOf(lot).Lots) == 1
	drops, moves, known := a.search(pool, lot, amount, at, now, nil)
	switch possible := drops >= 0; {
	case !known, !possible && !p.OK && len(p.Removed) == 0:
		return nil // not even by making conflicts: something that is over lies there
	case possible == (len(p.Removed) == 0):
		return wrong("the search finds a way: %v, the plan is %+v", possible, p)
	}
	outside := slices.ContainsFunc(p.Moves, func(m stock.SlotMove) bool { return slotByID(a.Slots, m.To).Lot != lot })
	switch {
	case p.OK && !outside && drops > 0:
		return wrong("a plan that keeps all, and the search finds none: %+v", p)
	case !p.OK && drops == 0:
		return wrong("no plan (%s), and the search finds one with %d moves", p.Reason, moves)
	case p.OK && !outside && p.LowerBound > moves:
		return wrong("the bound is %d, the search finds a plan with %d moves", p.LowerBound, moves)
	case p.OK && !outside && !p.Minimal && a.small(pool, at):
		return wrong("a small lot's plan is not proven minimal: %d moves, bound %d, the least is %d", len(p.Moves),
			p.LowerBound, moves)
	case !p.OK && len(p.Blockers) > drops, !p.OK && alone && len(p.Blockers) < drops:
		return wrong("%d blockers, the search finds %d: %+v", len(p.Blockers), drops, p)
	}
	if !p.OK && !alone {
		// All over the pool, no plan has fewer blockers; and this one has no more, where all of the pool may move.
		wide := a.poolOf(lot)
		least, _, known := a.search(wide, lot, amount, at, now, nil)
		tight := known && least >= 0 && a.loose(wide, min(at, now), now)
		if known && len(p.Blockers) < least || tight && len(p.Blockers) > least {
			return wrong("%d blockers, the search of the pool finds %d: %+v", len(p.Blockers), least, p)
		}
	}
	if !p.OK && !outside {
		if _, moves, known := a.search(pool, lot, amount, at, now, p.Blockers); known && p.LowerBound > moves {
			return wrong("the bound with blockers is %d, the search finds %d moves", p.LowerBound, moves)
		}
	}
	return nil
}

// small says that a lot is one for which a plan is promised to be proven.
func (a *Account) small(p Pool, at int64) bool {
	past := 0
	for _, u := range a.unitsOf(p) {
		if u.Slot != 0 && u.Hull.End > at {
			past++
		}
	}
	return len(a.slotsOf(p)) <= 6 && past <= 60
}

// loose says that what is seated in a pool past an instant may be moved to any article of it.
func (a *Account) loose(p Pool, from, now int64) bool {
	return !slices.ContainsFunc(a.unitsOf(p), func(u Unit) bool {
		return u.Slot != 0 && u.Hull.End > from && a.mayMove(u, now) < anywhere
	})
}

// search finds, in a lot or all over its pool, the fewest holds that cannot be kept, and the fewest moves once those
// are gone. The first number is -1 where no number of them suffices. Some holds may be gone from the start. To take
// away so many units means to lay as many more ends on the lot's slots, in addition to those that are planned.
func (a *Account) search(p Pool, lot uint32, amount int, at, now int64, gone []stock.Unavailability) (drops,
	moves int, known bool) {
	v := a.clone()
	for _, b := range gone {
		v.unit(b.ID).Slot = 0
	}
	lanes, things := v.lanes(p, at, now)
	if len(lanes) > maxLanes || len(things) > maxTasks {
		return 0, 0, false
	}
	fixed := make([][]Span, len(lanes))
	of := func(lot uint32) func(int) bool { return func(l int) bool { return lanes[l].Lot == lot } }
	var tasks []task
	for range amount {
		tasks = append(tasks, task{span: Span{Start: at, End: Forever}, home: -1, may: of(lot)})
	}
	for _, x := range things {
		t := task{span: x.span, home: x.lane, may: of(lanes[x.lane].Lot)}
		u := v.unit(x.unit)
		switch {
		case u == nil && x.move == nowhere, u != nil && (u.out() || u.Hull.End <= now):
			fixed[x.lane] = append(fixed[x.lane], x.span)
			continue
		case u == nil: // a planned end
		case u.slotPinned():
			t.may, t.drop = func(l int) bool { return l == x.lane }, dropCost
		default:
			t.cost, t.drop = 1, dropCost
			if x.move >= among {
				t.may = func(l int) bool { return v.suits(lanes[l].Lot, x.asks, now) }
			}
		}
		tasks = append(tasks, t)
	}
	cost, known := cheapest(len(lanes), fixed, tasks)
	if cost < 0 || !known {
		return -1, 0, known
	}
	return cost / dropCost, cost % dropCost, true
}
