package stock

import (
	"maps"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns how the departures of one-way units are called off or changed. The unit that was to arrive is then no
// longer promised: a hold that counts on it gets another unit or becomes a conflict. Where that is not possible, the
// unit arrives as it was planned. Units that are alike are handled together, as each call needs a plan for a whole lot.

// inGroups does something to units with the same planned departure, to as many of them together as possible. It returns
// those for which it could not be done.
func inGroups(t *base.Tx, ids []base.ID, do func(ids []base.ID) bool) (left []base.ID) {
	for len(ids) > 0 {
		n, x := 1, standing(t, ids[0])
		for n < len(ids) && same(x, standing(t, ids[n])) {
			n++
		}
		left = append(left, ids[most(ids[:n], do):n]...)
		ids = ids[n:]
	}
	return left
}

// most does something to as many of some units that are alike as possible, and says to how many.
func most(ids []base.ID, do func(ids []base.ID) bool) (n int) {
	if do(ids) {
		return len(ids)
	}
	if len(ids) == 1 {
		return 0
	}
	half := len(ids) / 2
	if n = most(ids[:half], do); n == half {
		n += most(ids[half:], do)
	}
	return n
}

// callBackAll is callBack of any units. It returns those that it cannot call back.
func callBackAll(t *base.Tx, ids []base.ID) (left []base.ID) {
	return inGroups(t, ids, func(ids []base.ID) bool { return callBack(t, ids) })
}

// callBackMost is callBackAll in any order that works: once one is called back, another may be possible.
func callBackMost(t *base.Tx, ids []base.ID) (left []base.ID) {
	for before := len(ids) + 1; len(ids) < before; {
		before = len(ids)
		ids = callBackAll(t, ids)
	}
	return ids
}

// loosenAll is Loosen for some units: it says which of them still leave as they were planned.
func loosenAll(t *base.Tx, ids []base.ID) (stays map[base.ID]bool) {
	if leavesNothing(t) {
		return nil
	}
	left := inGroups(t, callBackMost(t, ids), func(ids []base.ID) bool { return loosen(t, ids) })
	stays = make(map[base.ID]bool, len(left))
	for _, id := range left {
		plans(t, id, nil)
		stayPut(t, id)
		stays[id] = true
	}
	return stays
}

// Loosen calls off the departure of a unit that is to get another departure. If other holds count on its arrival, the
// arrival stays until the new departure is known. If the unit was never fetched, and should have left by now, the
// departure stays for good: off is false.
func Loosen(t *base.Tx, id base.ID) (off bool) { return !loosenAll(t, []base.ID{id})[id] }

// loosen is Loosen of units of which the same departure is planned and cannot be called back, of all or none.
func loosen(t *base.Tx, ids []base.ID) (off bool) {
	x := departureByID(t, ids[0])
	_, from, r := lotsOf(t, x)
	gone := func(id base.ID) bool {
		h, _, _ := Draft(t).Find(id)
		return x.at <= t.Now && !h.Flags.Has(timeline.Out)
	}
	if r == nil || slices.ContainsFunc(ids, gone) {
		return false
	}
	giveBack(t, x, r, from, len(ids), ownEnds(t, ids, x))
	d := Departing(t)
	if d.arrivals == nil {
		d.arrivals = map[base.ID]*departure{}
	}
	for _, id := range ids {
		plans(t, id, nil)
		d.arrivals[id] = x
	}
	return true
}

// fasten makes a unit of which only an arrival is left leave for it: as it was planned before, if others count on the
// arrival, or as soon as it is back. It is no longer a one-way unit.
func fasten(t *base.Tx, id base.ID) {
	x := Departing(t).arrivals[id]
	if x == nil {
		return
	}
	h, at, has := Draft(t).Find(id)
	red := Draft(t).Reduce(x.lot, 1, x.at)
	if !red.Feasible() && has && at.Seated() && h.Span.End > x.at {
		refuseArrival(t, id)
		red = Draft(t).Reduce(x.lot, 1, h.Span.End)
	}
	if red.Feasible() {
		noteLoss(t, red)
		apply(t, red)
	}
	delete(Departing(t).arrivals, id)
	stayPut(t, id)
}

// refuseArrival refuses a command that asks for a unit of which only an arrival is left, and may not overbook: others
// count on it. It says whether it does.
func refuseArrival(t *base.Tx, id base.ID) bool {
	x := Departing(t)
	to, _, r := lotsOf(t, x.arrivals[id])
	if _, asked := x.to[id]; r == nil || !asked || x.Overbook {
		return false
	}
	if x.blocked == nil {
		x.blocked = quantityPlan(t.Acc, Draft(t).Stock(), Draft(t).Reduce(to, 1, x.arrivals[id].at), base.First)
	}
	return true
}

// stayPut makes a one-way unit an ordinary one: it stays at the location where it is now.
func stayPut(t *base.Tx, id base.ID) {
	if h, _, has := Draft(t).Find(id); has {
		h.Flags &^= timeline.OneWay
		Draft(t).Replace(h)
	}
}

// arriveAll replaces the old arrivals of some units by departures with their new dates, if every hold that counts on an
// old arrival still gets a unit: one of these, or another that arrives. It returns the units for which that is not
// possible, and those without an arrival.
func arriveAll(t *base.Tx, ids []base.ID) (left []base.ID) {
	arrivals := Departing(t).arrivals
	for len(ids) > 0 {
		n, was := 1, arrivals[ids[0]]
		for n < len(ids) && was != nil && same(was, arrivals[ids[n]]) {
			n++
		}
		done := 0
		if was != nil {
			done = most(ids[:n], func(ids []base.ID) bool { return arrive(t, ids) })
		}
		left = append(left, ids[done:n]...)
		ids = ids[n:]
	}
	return left
}

// arrive is arriveAll of units of which the same arrival is left, of all or none.
func arrive(t *base.Tx, ids []base.ID) bool {
	x := Departing(t)
	was := x.arrivals[ids[0]]
	to, _, r := lotsOf(t, was)
	if r == nil {
		return false
	}
	planned := make([]*departure, len(ids))
	if !attempt(t, func() bool {
		for i, id := range ids {
			d := departs(t, id)
			if d == nil {
				return false
			}
			r := articleOf(t, Draft(t).Lot(d.lot))
			if r == nil {
				return false
			}
			addUnits(t, r, LocationTable(t.Acc).No(d.to), 1, d.at)
			planned[i] = d
		}
		if !unpromise(t, to, len(ids), was.at) {
			return false
		}
		for i, id := range ids {
			h, at, _ := Draft(t).Find(id)
			red := spare(t, at, planned[i].at)
			_, asked := x.to[id]
			if !red.OK && (!red.Feasible() || !x.Overbook && asked || !asked && !h.Flags.Has(timeline.Out)) {
				return false
			}
			apply(t, red)
			plans(t, id, planned[i])
		}
		return true
	}) {
		return false
	}
	for _, id := range ids {
		delete(x.arrivals, id)
	}
	return true
}

// noteLoss notes the holds that block a change because they count on the units that it takes away.
func noteLoss(t *base.Tx, red timeline.Reduction) {
	if !red.OK {
		plan := quantityPlan(t.Acc, Draft(t).Stock(), red, base.First)
		Departing(t).called = append(Departing(t).called, calledOff{red.Blockers, plan})
	}
}

// lotsOf are the lot that a departure brings a unit to, the location that it leaves and the article, nil where one of
// them is not there any more.
func lotsOf(t *base.Tx, x *departure) (to timeline.LotNo, from *Location, r *Article) {
	lot := Draft(t).Lot(x.lot)
	r, from = articleOf(t, lot), LocationTable(t.Acc).No(lot.Location)
	if r == nil || from == nil {
		return 0, nil, nil
	}
	to, ok := lotFor(t, r, x.to)
	if !ok {
		return 0, nil, nil
	}
	return to, from, r
}

// Lift calls off the departure of a unit, if one is planned. A hold that was booked on the unit that was to arrive is
// seated elsewhere, or becomes a conflict. If other plans were built on that unit, the transfer stays, and the unit is
// no longer a one-way unit: off is false.
func Lift(t *base.Tx, id base.ID) (off bool) {
	if callBack(t, []base.ID{id}) {
		return true
	}
	plans(t, id, nil)
	stayPut(t, id)
	return false
}

// LiftAsked calls off the departures of units that are given up, as the command asks for others in their place. If
// other holds count on an arrival, the arrival stays until ArriveAsked. If a departure cannot be called off even so,
// the refusal says what stands in the way.
func LiftAsked(t *base.Tx, ids []base.ID) error {
	planned := make([]*departure, len(ids))
	for i, id := range ids {
		planned[i] = departureByID(t, id)
	}
	stays := loosenAll(t, ids)
	for i, id := range ids {
		if !stays[id] {
			continue
		}
		if to, _, r := lotsOf(t, planned[i]); r != nil {
			return quantityPlan(t.Acc, Draft(t).Stock(), Draft(t).Reduce(to, 1, planned[i].at), base.First).blocks()
		}
	}
	return nil
}

// ArriveAsked removes the arrivals that LiftAsked has left, once the units in their place have theirs. It refuses if a
// hold that counts on one of them would have no unit then.
func ArriveAsked(t *base.Tx) error {
	x := Departing(t)
	gone := slices.DeleteFunc(slices.Clone(x.looked), func(id base.ID) bool {
		_, _, has := Draft(t).Find(id)
		return x.arrivals[id] == nil || has
	})
	for len(gone) > 0 {
		n, was := 1, x.arrivals[gone[0]]
		for n < len(gone) && same(was, x.arrivals[gone[n]]) {
			n++
		}
		if to, _, r := lotsOf(t, was); r != nil && !unpromise(t, to, n, was.at) {
			return quantityPlan(t.Acc, Draft(t).Stock(), Draft(t).Reduce(to, n, was.at), base.First).blocks()
		}
		for _, id := range gone[:n] {
			delete(x.arrivals, id)
		}
		gone = gone[n:]
	}
	return BlockedDeparture(t)
}

// Arrived removes the arrival that Loosen has left of a unit that was brought there at once and is no longer booked. If
// it cannot be removed, the unit leaves for it as it was planned before.
func Arrived(t *base.Tx, id base.ID) {
	was := Departing(t).arrivals[id]
	if was == nil {
		return
	}
	if to, _, r := lotsOf(t, was); r != nil && unpromise(t, to, 1, was.at) {
		delete(Departing(t).arrivals, id)
		return
	}
	fasten(t, id)
}

// CallBack calls off the departures of units that are given up, if no other plans were built on them. BlockedDeparture
// then refuses nothing because of what was called off so far.
func CallBack(t *base.Tx, ids []base.ID) {
	callBackAll(t, ids)
	Departing(t).called = nil
}

// callBack calls off the departures of units of which the same is planned, of all or none. off is false where other
// plans were built on them, and nothing has changed.
func callBack(t *base.Tx, ids []base.ID) (off bool) {
	x := standing(t, ids[0])
	if x == nil {
		return true
	}
	to, from, r := lotsOf(t, x)
	if r == nil {
		return false
	}
	red := Draft(t).Reduce(to, len(ids), x.at)
	if !red.Feasible() {
		return false
	}
	giveBack(t, x, r, from, len(ids), ownEnds(t, ids, x))
	for _, id := range ids {
		plans(t, id, nil)
	}
	noteLoss(t, red)
	apply(t, red)
	return true
}

// notePushed notes units that were pushed aside, of which those that were to leave may be called back.
func notePushed(t *base.Tx, met []timeline.Hold) {
	for _, h := range met {
		if h.Flags.Has(timeline.OneWay) {
			x := Departing(t)
			x.pushed = append(x.pushed, h.ID)
		}
	}
}

// callBackPushed calls off the departures from a lot at an instant of units that were pushed aside and leave it no
// more, and says whether there was one. Each is tried once.
func callBackPushed(t *base.Tx, lot timeline.LotNo, at int64) bool {
	var off, later []base.ID
	for _, id := range Departing(t).pushed {
		switch x := departureByID(t, id); {
		case x == nil:
		case x.lot != lot || x.at != at:
			later = append(later, id)
		case !same(x, departs(t, id)):
			off = append(off, id)
		}
	}
	Departing(t).pushed = later
	slices.SortFunc(off, base.ID.Compare)
	off = slices.Compact(off)
	return len(callBackAll(t, off)) < len(off)
}

// giveBack makes units that were to leave a lot stay in it: slots that end at that instant continue, those that are
// named or any. A slot that was to end then, but now ends later because a unit on it is late, continues as well: the
// late unit keeps one of the units that were to leave.
func giveBack(t *base.Tx, x *departure, r *Article, from *Location, n int, ends []timeline.SlotNo) {
	var kept []timeline.SlotNo
	if len(ends) < n {
		kept = keptByLate(t, x, n)
	}
	if more := n - len(kept); more > 0 {
		addUnits(t, r, from, more, x.at, ends...)
	}
	for _, no := range kept {
		slot, _ := Draft(t).Slot(no)
		Draft(t).EndSlot(no, base.Forever)
		FreedOf(t, x.lot, base.Span{Start: slot.Span.End, End: base.Forever})
	}
}

// keptByLate are slots of a lot that end after a departure, as units on them are late. It gives as many as are missing
// if n slots must end with the departure and fewer do.
func keptByLate(t *base.Tx, x *departure, n int) (kept []timeline.SlotNo) {
	stock := Draft(t).Stock()
	if n -= len(stock.EndingAt(x.lot, x.planned, n)); n == 0 {
		return nil
	}
	for _, no := range stock.Slots(x.lot) {
		slot, _ := stock.Slot(no)
		if end := slot.Span.End; end > x.planned && end != base.Forever && len(kept) < n {
			for h := range stock.Holds(no, base.Span{Start: end - 1, End: end}) {
				due, is := OutUntil(h)
				if is && h.Span.End == end && due-t.Step <= t.Now && !h.Flags.Has(timeline.OneWay) {
					kept = append(kept, no)
				}
			}
		}
	}
	return kept
}

// ownEnds are the slots of units that leave, where these are the ones that end then.
func ownEnds(t *base.Tx, ids []base.ID, x *departure) (ends []timeline.SlotNo) {
	for _, id := range ids {
		_, at, _ := Draft(t).Find(id)
		if slot, ok := Draft(t).Slot(at.Slot); ok && at.Lot == x.lot && slot.Span.End == x.at {
			ends = append(ends, at.Slot)
		}
	}
	return ends
}

// callOff calls off the departures of units that have to leave their places, as many as possible: once one is called
// off, another may be possible. The others leave as they were planned, and are no longer one-way units.
func callOff(t *base.Tx, ids []base.ID) {
	strandAll(t, callBackMost(t, ids))
}

// strandAll calls off departures where units that count on them can wait (strand), and lifts the others (Lift).
func strandAll(t *base.Tx, ids []base.ID) {
	var others stranding
	for _, id := range inGroups(t, ids, func(ids []base.ID) bool { return others.strand(t, ids) }) {
		Lift(t, id)
	}
}

// stranding is what becomes of units that were to leave with those that go nowhere any more.
type stranding struct {
	leaving map[timeline.LotNo][]timeline.Hold // units that leave a lot, the youngest first
	asked   map[base.ID]bool                   // those that wait by now, or were asked in vain
	tries   int
}

// strand calls off the departures of units that go nowhere any more and had the same departure planned: of all or none.
// At the place where they were to go, other one-way units may have been planned to take them and to leave again. As
// many of those become conflicts, which wait for another unit: the youngest for which this works. Their departures are
// then called off in the same way. At most strandTries are asked in vain. off is false if it works for none; nothing
// has changed then.
func (s *stranding) strand(t *base.Tx, ids []base.ID) (off bool) {
	x, n := standing(t, ids[0]), len(ids)
	if x == nil {
		return true // it waits already, for one before it
	}
	to, from, r := lotsOf(t, x)
	if r == nil {
		return false
	}
	return attempt(t, func() bool {
		giveBack(t, x, r, from, n, nil) // first: others may do with the units
		for _, id := range ids {
			plans(t, id, nil)
		}
		if unpromise(t, to, n, x.at) {
			return true
		}
		var list []timeline.Hold
		for _, h := range s.from(t, to) {
			if s.asked[h.ID] || h.Span.End < x.at || s.tries >= strandTries {
				continue
			}
			if list = append(list, h); len(list) == n {
				if s.ask(t, list, func() bool { return unpromise(t, to, n, x.at) }) {
					return true
				}
				if n > 1 {
					return false
				}
				list = list[:0]
			}
		}
		return false
	})
}

// strandTries is how often a command asks in vain: each time is a plan for a whole lot.
const strandTries = 32

// ask makes units wait for other ones, if that is possible and is then enough (will).
func (s *stranding) ask(t *base.Tx, list []timeline.Hold, will func() bool) bool {
	for _, h := range list {
		s.asked[h.ID] = true
	}
	loose := false
	if attempt(t, func() bool {
		ids := make([]base.ID, len(list))
		for i, h := range list {
			ids[i] = h.ID
			h, at, _ := Draft(t).Take(h.ID)
			Draft(t).Keep(h, at.Lot)
			Freed(t, h.Span, at)
		}
		loose = len(inGroups(t, ids, func(ids []base.ID) bool { return s.strand(t, ids) })) == 0
		return loose && will()
	}) {
		return true
	}
	s.tries++
	for _, h := range list {
		s.asked[h.ID] = !loose && len(list) == 1
	}
	return false
}

// attempt makes a change of what is seated and planned, or, where it says that it cannot, none.
func attempt(t *base.Tx, change func() bool) (made bool) {
	x, leaving := Seating(t), Departing(t)
	if leaving.planned == nil {
		leaving.planned = map[base.ID]*departure{}
	}
	d, was, room := x.Stock, *leaving, len(x.room)
	lots, lot, set := maps.Clone(x.lots), t.Ledger.Lot, len(t.Set)
	x.Stock = d.Fork()
	if change() {
		d.Adopt(x.Stock)
		x.Stock = d
		return true
	}
	for _, u := range slices.Backward(leaving.undo[len(was.undo):]) {
		if delete(was.planned, u.id); u.looked {
			was.planned[u.id] = u.was
		}
	}
	x.Stock, *leaving, x.room = d, was, x.room[:room]
	x.lots, t.Ledger.Lot, t.Set = lots, lot, t.Set[:set]
	return false
}

// unpromise gives a lot n units less from an instant on, where that can be, as they do not arrive there.
func unpromise(t *base.Tx, lot timeline.LotNo, n int, at int64) bool {
	red := Draft(t).Reduce(lot, n, at)
	if !red.Feasible() {
		return false
	}
	noteLoss(t, red)
	apply(t, red)
	return true
}

// standing is what is planned for a unit as it is called off: what is not there any more never left.
func standing(t *base.Tx, id base.ID) *departure {
	x := departureByID(t, id)
	if x == nil || x.at >= t.Now {
		return x
	}
	if _, _, has := Draft(t).Find(id); !has {
		return &departure{x.lot, t.Now, x.to, x.planned}
	}
	return x
}

// from are the units that leave a lot for another place, were not fetched, and are not asked for by the command.
func (s *stranding) from(t *base.Tx, lot timeline.LotNo) []timeline.Hold {
	if list, is := s.leaving[lot]; is {
		return list
	}
	if s.leaving == nil {
		s.leaving, s.asked = map[timeline.LotNo][]timeline.Hold{}, map[base.ID]bool{}
	}
	stock := Draft(t).Stock()
	var list []timeline.Hold
	for _, no := range stock.Slots(lot) {
		for h := range stock.Holds(no, base.Span{Start: t.Now, End: base.Forever}) {
			_, asked := Departing(t).to[h.ID]
			if h.Flags.Has(timeline.OneWay) && !h.Flags.Has(timeline.Out) && !asked && departureByID(t, h.ID) != nil {
				list = append(list, h)
			}
		}
	}
	slices.SortFunc(list, func(a, b timeline.Hold) int { return b.ID.Compare(a.ID) })
	s.leaving[lot] = list
	return list
}
