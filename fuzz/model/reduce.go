package model

import (
	"errors"
	"slices"

	"holdfast/engine"
)

// This file owns plans of a reduction: what a plan says is held against what it would do and against an exhaustive search.

// as finds the details of a refusal.
func as[D any](err error) (d D, ok bool) {
	var e *engine.Error
	if errors.As(err, &e) {
		d, ok = e.Details.(D)
	}
	return d, ok
}

// dropCost is more than all moves of a searched lot.
const dropCost = 1000

// Plan judges a plan for an article to have fewer units at a location from an instant on.
func (a *Account) Plan(p *engine.QuantityPlan, article, location ID, amount int, at, now int64) error {
	a.Seen.Plans++
	if !p.OK {
		a.Seen.Blocked++
	}
	no := a.lotAt(article, location)
	var current, later []Slot
	for _, s := range a.Slots {
		if s.Lot == no && s.Span.Start > at {
			later = append(later, s)
		} else if s.Lot == no && s.Span.End > at {
			current = append(current, s)
		}
	}
	if amount > len(current)+len(later) {
		if p.OK || p.Reason != "not_enough_stock" || len(p.Removed) > 0 || !p.Minimal {
			return wrong("%d of %d units are to go, the plan is %+v", amount, len(current)+len(later), p)
		}
		return nil
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
	return a.exhausted(p, no, amount, len(current), at, now)
}

// carried checks that what a plan does is lawful.
func (a *Account) carried(p *engine.QuantityPlan, lot uint32, amount int, at, now int64) error {
	v := a.clone()
	for _, b := range p.Blockers {
		u := v.unit(b.ID)
		if u == nil || u.Lot != lot || u.Slot == 0 || u.Hull.End <= at {
			return wrong("%x blocks a reduction of lot %d at %d: %+v", b.ID, lot, at, u)
		}
		u.Slot, u.Cut = 0, 0
	}
	for _, m := range p.Moves {
		u, to := v.unit(m.Unavailability), slotByID(v.Slots, m.To)
		if u == nil || to == nil || u.Slot == 0 || v.slot(u.Slot).ID != m.From || m.From == m.To {
			return wrong("the plan moves %x from %x to %x, it is %+v", m.Unavailability, m.From, m.To, u)
		}
		if may := u.mayMove(now); may == nowhere || to.Lot != u.Lot && (may != anywhere || !a.poolOf(u.Lot).has(to.Lot)) {
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
	// Ends of a lot may be exchanged: the slots that stay need ends that are late enough, the earliest ones go, of each slot
	// that goes one behind its own end.
	for _, l := range v.Lots {
		var ends, need, gone []int64
		for _, s := range v.Slots {
			if s.Lot != l.No {
				continue
			}
			end, last := s.Span.End, s.Span.Start
			for _, u := range v.Units {
				if u.Slot == s.No {
					last = max(last, u.Hull.End)
				}
			}
			if slices.Contains(p.Removed, s.ID) {
				if gone = append(gone, max(at, s.Span.Start)); s.Lot != lot || last > max(at, s.Span.Start) {
					return wrong("slot %+v cannot go: something lies on it until %d", s, last)
				}
			} else {
				need = append(need, last)
			}
			ends = append(ends, end)
		}
		slices.Sort(ends)
		slices.Sort(need)
		slices.Sort(gone)
		for _, from := range gone {
			i := slices.IndexFunc(ends, func(t int64) bool { return t > at && t >= from })
			ends = slices.Delete(ends, i, i+1)
		}
		for i := range need {
			if need[i] > ends[i] {
				return wrong("lot %d has the ends %v for what lasts until %v", l.No, ends, need)
			}
		}
		if l.No != lot && len(gone) > 0 || l.No == lot && len(gone) != amount {
			return wrong("lot %d loses %d of %d slots", l.No, len(gone), amount)
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

// exhausted holds a plan against an exhaustive search: there is no plan that keeps all where it says so, and none with fewer
// moves or fewer blockers.
func (a *Account) exhausted(p *engine.QuantityPlan, lot uint32, amount, current int, at, now int64) error {
	pool := Pool{Lots: []uint32{lot}}
	alone := len(a.poolOf(lot).Lots) == 1
	drops, moves, known := a.search(pool, amount, current, at, now, nil)
	switch possible := drops >= 0; {
	case !known, !possible && !p.OK && len(p.Removed) == 0:
		return nil // not even by making conflicts: something that is over lies there
	case possible == (len(p.Removed) == 0):
		return wrong("the search finds a way: %v, the plan is %+v", possible, p)
	}
	outside := slices.ContainsFunc(p.Moves, func(m engine.SlotMove) bool { return slotByID(a.Slots, m.To).Lot != lot })
	switch {
	case p.OK && !outside && drops > 0:
		return wrong("a plan that keeps all, and the search finds none: %+v", p)
	case !p.OK && drops == 0:
		return wrong("no plan (%s), and the search finds one with %d moves", p.Reason, moves)
	case p.OK && !outside && p.LowerBound > moves:
		return wrong("the bound is %d, the search finds a plan with %d moves", p.LowerBound, moves)
	case p.OK && !outside && !p.Minimal && a.small(pool, at):
		return wrong("a small lot's plan is not proven minimal: %d moves, bound %d, the least is %d", len(p.Moves), p.LowerBound, moves)
	case !p.OK && len(p.Blockers) > drops, !p.OK && alone && len(p.Blockers) < drops:
		return wrong("%d blockers, the search finds %d: %+v", len(p.Blockers), drops, p)
	}
	if !p.OK && !outside {
		if _, moves, known := a.search(pool, amount, current, at, now, p.Blockers); known && p.LowerBound > moves {
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

// search finds the fewest holds that cannot be kept, -1 where even that is no way, and the fewest moves with those gone.
// Some may be gone from the start.
func (a *Account) search(p Pool, amount, current int, at, now int64, gone []engine.Unavailability) (drops, moves int, known bool) {
	v := a.clone()
	for _, b := range gone {
		v.unit(b.ID).Slot = 0
	}
	lanes, things := v.lanes(p, at, now)
	if len(lanes) > maxLanes || len(things) > maxTasks {
		return 0, 0, false
	}
	need := min(amount, current)
	best, found := 0, false
	for choice := range 1 << len(lanes) {
		// Which of the slots that begin later go is tried one choice after the other.
		fixed, removed, fits := make([][]Span, len(lanes)), 0, true
		for l := range lanes {
			if choice>>l&1 == 1 {
				removed++
				fits = fits && lanes[l].Span.Start > at
				fixed[l] = append(fixed[l], Span{Start: lanes[l].Span.Start, End: Forever})
			}
		}
		if !fits || removed != amount-need {
			continue
		}
		var tasks []task
		for range need {
			tasks = append(tasks, task{span: Span{Start: at, End: Forever}, home: -1, may: func(int) bool { return true }})
		}
		for _, x := range things {
			t := task{span: x.span, home: x.lane, may: func(int) bool { return true }}
			u := v.unit(x.unit)
			switch {
			case u == nil && x.move == nowhere, u != nil && (u.out() || u.Hull.End <= now):
				fits = fits && !slices.ContainsFunc(fixed[x.lane], x.span.Overlaps)
				fixed[x.lane] = append(fixed[x.lane], x.span)
				continue
			case u == nil:
				if x.span.Start > at { // an end goes for a slot that is gone by then
					t.waive = need
					for l := range lanes {
						if choice>>l&1 == 1 && lanes[l].Span.Start <= x.span.Start {
							t.waive++
						}
					}
				}
			case u.slotPinned():
				t.may, t.drop = func(l int) bool { return l == x.lane }, dropCost
			default:
				t.cost, t.drop = 1, dropCost
			}
			tasks = append(tasks, t)
		}
		if !fits {
			continue
		}
		cost, known := cheapest(len(lanes), fixed, tasks)
		if !known {
			return 0, 0, false
		}
		if cost >= 0 && (!found || cost < best) {
			best, found = cost, true
		}
	}
	if !found {
		return -1, 0, true
	}
	return best / dropCost, best % dropCost, true
}
