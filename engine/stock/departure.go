package stock

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns one-way units: units that are taken at one place and come back at another. While such a unit is
// seated, a slot of its article ends, at the end of its hull, at the place where it was taken, and a slot begins at the
// place where it goes. This transfer of a unit is planned with the unit, moved with its end, and called off with it. A
// transfer changes the quantity, so it is not fixed which of the article's slots ends, and calling it off is the
// transfer back. The row of a one-way unit has the flag OneWay, which keeps it in its lot.

// departure is the transfer that goes with a one-way unit.
type departure struct {
	lot timeline.LotNo // that has one unit less
	at  int64          // from when on
	to  uint32         // number of the location that has one more
	// at as it was planned: one that never left is called off from a later instant on
	planned int64
}

// departing is what a plan makes of departures.
type departing struct {
	// of units that the command asks for, where they go to; of the others their records say it
	to      map[base.ID]*Location
	planned map[base.ID]*departure // of units that were looked at: what is planned by now, nil: nothing
	looked  []base.ID              // the units of planned
	undo    []wasPlanned           // what planned was, change by change
	// of units whose departure is to be another: the one of which only the arrival is left, as others count on it
	arrivals map[base.ID]*departure
	Overbook bool          // what stands in the way of units that the command asks for becomes a conflict
	blocked  *QuantityPlan // the first that stands in the way of one
	called   []calledOff
	pushed   []base.ID // one-way units that lost their places to units that are out
	// several lines are seated: until all are, units that leave have no end, and make room for each other
	together bool
	endless  []endless // those of them that were
	late     bool      // a late unit that cannot leave waits for the units that other late ones bring
	waits    bool      // one that lost its unit leaves as it was planned until it is known whether it gets another
	last     bool      // that is known
}

var departingPlace = base.RegisterPlace[departing]()

// Departing is what a plan knows of departures.
func Departing(t *base.Tx) *departing { return departingPlace.On(&t.Shelf) }

// leavesNothing says that nothing is known of departures, and there are none.
func leavesNothing(t *base.Tx) bool {
	return OneWays(t.Acc).N == 0 && (!departingPlace.Made(&t.Shelf) || Departing(t).to == nil)
}

// wasPlanned is what was planned for a unit before a change, where it was looked at.
type wasPlanned struct {
	id     base.ID
	was    *departure
	looked bool
}

// endless is units that were seated without end.
type endless struct {
	owner   base.ID
	request *Request
}

// calledOff is what stands in the way of calling off a departure: the units that were booked on what was to arrive.
type calledOff struct {
	units []base.ID
	plan  *QuantityPlan
}

// Send notes where a unit goes that the command asks for.
func Send(t *base.Tx, id base.ID, to *Location) {
	x := Departing(t)
	if x.to == nil {
		x.to = map[base.ID]*Location{}
	}
	x.to[id] = to
}

// GoesInPlan is where a one-way unit goes to, nil if that is not known.
func GoesInPlan(t *base.Tx, h timeline.Hold) *Location {
	if to, is := Departing(t).to[h.ID]; is {
		return to
	}
	return GoesTo(t.Acc, h)
}

// GoesTo is where a one-way unit goes to by its record.
func GoesTo(a *base.AccountState, h timeline.Hold) *Location {
	if o := ownerships[h.Flags.Blocker()]; o != nil && o.Goes != nil && h.Flags.Has(timeline.OneWay) {
		return LocationTable(a).Get(o.Goes(a, h))
	}
	return nil
}

// departureOf is the transfer that goes with a unit at a place, nil where it is none that leaves.
func departureOf(h timeline.Hold, lot timeline.Lot, at timeline.Place, to *Location) *departure {
	if !h.Flags.Has(timeline.OneWay) || !at.Seated() || h.Span.End == base.Forever || to == nil ||
		to.No == lot.Location {
		return nil
	}
	return &departure{at.Lot, h.Span.End, to.No, h.Span.End}
}

// departureByID is what is planned for a unit so far.
func departureByID(t *base.Tx, id base.ID) *departure {
	if x, is := Departing(t).planned[id]; is {
		return x
	}
	h, at, ok := t.Acc.Stock.Find(id)
	if !ok {
		return nil
	}
	return departureOf(h, t.Acc.Stock.Lot(at.Lot), at, GoesTo(t.Acc, h))
}

// plans notes what is planned for a unit by now.
func plans(t *base.Tx, id base.ID, x *departure) {
	d := Departing(t)
	if d.planned == nil {
		d.planned = map[base.ID]*departure{}
	}
	was, is := d.planned[id]
	if !is {
		d.looked = append(d.looked, id)
	}
	d.undo = append(d.undo, wasPlanned{id, was, is})
	d.planned[id] = x
}

// settleDepartures brings the departures of all units that the plan has changed in line with where and when they are,
// and says whether that changed anything. A unit whose departure was called off may be back where it was.
func settleDepartures(t *base.Tx) (changed bool) {
	if Seating(t).Stock == nil || leavesNothing(t) {
		return false
	}
	ids := slices.Clone(Departing(t).looked)
	for _, c := range Draft(t).Changes().Holds {
		if c.Had && c.Before.Flags.Has(timeline.OneWay) || c.Has && c.After.Flags.Has(timeline.OneWay) {
			ids = append(ids, c.ID())
		}
	}
	slices.SortFunc(ids, base.ID.Compare)
	return SettleUnits(t, slices.Compact(ids)...)
}

// SettleLast settles the departures that a command, such as the conflicts of a follow-up, has left unsettled. It tries
// the conflicts that wait for a unit that arrives.
func SettleLast(t *base.Tx) {
	if settleDepartures(t) || Seating(t).Stock != nil && len(Seating(t).room)+len(Seating(t).due) > 0 {
		SeatFreed(t)
	}
	if departingPlace.Made(&t.Shelf) && Departing(t).waits {
		Departing(t).last = true
		if settleDepartures(t); len(Seating(t).room) > 0 {
			SeatFreed(t)
		}
	}
}

// SettleUnits is settleDepartures for some units only.
func SettleUnits(t *base.Tx, ids ...base.ID) (changed bool) {
	var off, stay, anew, leave []base.ID
	for _, id := range ids {
		is := departs(t, id)
		if was := departureByID(t, id); !same(was, is) {
			changed = true
			if is == nil {
				off = append(off, id)
			} else {
				anew = append(anew, id)
			}
		}
		if is == nil {
			stay = append(stay, id)
		}
	}
	called := len(Departing(t).called)
	for again := true; again; { // one that is called off may let another be: as many are as can
		before := len(off)
		off = callBackAll(t, off)
		again = len(off) < before
		for _, c := range Departing(t).called[called:] { // nor do those leave that have lost their units by it
			for _, id := range c.units {
				if _, at, _ := Draft(t).Find(id); !at.Seated() && departureByID(t, id) != nil {
					off = append(off, id)
				}
			}
			called++
		}
	}
	x := Departing(t)
	off = slices.DeleteFunc(off, func(id base.ID) bool {
		_, _, has := Draft(t).Find(id)
		waits := has && !x.last
		x.waits = x.waits || waits
		return waits
	})
	strandAll(t, off)
	for _, id := range stay {
		if _, at, has := Draft(t).Find(id); has && !at.Seated() && x.arrivals[id] != nil && x.Overbook && !x.last {
			x.waits = true // it may have a unit in a moment
			continue
		}
		fasten(t, id)
	}
	stays := loosenAll(t, anew)
	for _, id := range anew {
		if !stays[id] {
			leave = append(leave, id)
		}
	}
	if leave = setOff(t, leave); x.late {
		return changed
	}
	for i, id := range leave {
		if departs(t, id) != nil { // else it has lost its unit to one before it
			depart(t, id, leave[i:])
		}
	}
	return changed
}

// departs is the transfer that belongs to a unit where it is now, nil where it stays.
func departs(t *base.Tx, id base.ID) *departure {
	h, at, ok := Draft(t).Find(id)
	if !ok {
		return nil
	}
	return departureOf(h, Draft(t).Lot(at.Lot), at, GoesInPlan(t, h))
}

// lotFor is the lot of an article at a location, as the plan has it.
func lotFor(t *base.Tx, r *Article, location uint32) (timeline.LotNo, bool) {
	if l := r.LotAt(location); l != nil {
		return l.No, true
	}
	no, ok := Seating(t).lots[lotOf{r.No, location}]
	return no, ok
}

// setOff plans the departures of those units that can leave without taking the unit of another hold. The order is free:
// the unit that one brings may let another leave. It returns the units that cannot.
func setOff(t *base.Tx, ids []base.ID) (left []base.ID) {
	for before := len(ids) + 1; len(ids) > 0 && len(ids) < before; {
		before = len(ids)
		ids = goAll(t, arriveAll(t, ids))
	}
	return ids
}

// goAll plans the departures of those units on whose arrival no hold counts yet, and that can leave without taking the
// unit of another hold. It returns the units that cannot.
func goAll(t *base.Tx, ids []base.ID) (left []base.ID) {
	var stuck *departure
	for len(ids) > 0 {
		slots := ownSlots(t, ids)
		n := max(1, len(slots))
		if n == 1 || !departAll(t, ids[:n], slots) {
			for _, id := range ids[:n] {
				switch x := departs(t, id); {
				case x == nil: // it has lost its unit to one before it
				case same(x, stuck), Departing(t).arrivals[id] != nil:
					left = append(left, id)
				case !goes(t, id, x):
					left, stuck = append(left, id), x
				}
			}
		}
		ids = ids[n:]
	}
	return left
}

// goes plans the departure of a unit, if that takes no unit from another hold.
func goes(t *base.Tx, id base.ID, x *departure) bool {
	_, at, _ := Draft(t).Find(id)
	red, r := spare(t, at, x.at), articleOf(t, Draft(t).Lot(at.Lot))
	if r == nil || !red.OK {
		return false
	}
	transfer(t, red, r, LocationTable(t.Acc).No(x.to), x.at)
	plans(t, id, x)
	return true
}

// ownSlots are the slots of the first of some units, as far as all of them leave alike and nothing lies on their slots
// from then on: then nothing moves.
func ownSlots(t *base.Tx, ids []base.ID) (slots []timeline.SlotNo) {
	first, d := departs(t, ids[0]), Draft(t)
	for _, id := range ids {
		_, at, _ := d.Find(id)
		if first == nil || !same(first, departs(t, id)) || Departing(t).arrivals[id] != nil ||
			!idleFrom(d, at.Slot, first.at) {
			break
		}
		slots = append(slots, at.Slot)
	}
	return slots
}

// departAll plans the departures of units that leave alike, with their own slots or those that begin just then, of all
// or none.
func departAll(t *base.Tx, ids []base.ID, slots []timeline.SlotNo) bool {
	x := departs(t, ids[0])
	red, ok := Draft(t).ReduceTo(x.lot, x.at, slots, len(slots))
	r := articleOf(t, Draft(t).Lot(x.lot))
	if r == nil || !ok {
		return false
	}
	transfer(t, red, r, LocationTable(t.Acc).No(x.to), x.at)
	for _, id := range ids {
		plans(t, id, x)
	}
	return true
}

// depart plans the departure of a unit, the first of some for which none is planned. If other holds stand in the way, a
// command that asks for the unit is refused, unless overbooking is allowed: then these holds become conflicts. They
// become conflicts, too, if the unit is out. In all other cases the unit itself becomes a conflict.
func depart(t *base.Tx, id base.ID, of []base.ID) {
	d := Draft(t)
	h, at, _ := d.Find(id)
	x := departureOf(h, d.Lot(at.Lot), at, GoesInPlan(t, h))
	r := articleOf(t, d.Lot(at.Lot))
	red := spare(t, at, x.at)
	_, asked := Departing(t).to[id]
	if asked && !Departing(t).Overbook && (!red.OK || r == nil) {
		if Departing(t).blocked == nil {
			Departing(t).blocked = standsInTheWay(t, x, of)
		}
		return
	}
	out := h.Flags.Has(timeline.Out)
	switch {
	case r != nil && (red.OK || red.Feasible() && (asked || out)):
		if Departing(t).arrivals[id] != nil { // it cannot arrive then
			if !refuseArrival(t, id) {
				fasten(t, id)
			}
			return
		}
		transfer(t, red, r, LocationTable(t.Acc).No(x.to), x.at)
		plans(t, id, x)
	case out:
		stayPut(t, id)
	default:
		d.Take(id)
		d.Keep(h, at.Lot)
		TryAnew(t, id) // there may be one that can leave
		if _, was, ok := t.Acc.Stock.Find(id); ok && was.Seated() {
			Freed(t, h.Span, at)
		}
	}
}

// TransferUnit gives a lot one unit less and another location one more from an instant on, whatever counts on it,
// where it has one then.
func TransferUnit(t *base.Tx, from timeline.LotNo, to *Location, at int64) {
	d := Draft(t)
	lot := d.Lot(from)
	r := articleOf(t, lot)
	if r == nil || lot.Location == to.No {
		return
	}
	if red := d.Reduce(from, 1, at); red.Feasible() {
		transfer(t, red, r, to, at)
	}
}

// transfer gives an article fewer units where that is planned, and as many more at another location from an instant on.
// It may get more slots by that than it may have: only what a command asks for is bounded (Crowded). What comes back
// elsewhere is there.
func transfer(t *base.Tx, less timeline.Reduction, r *Article, more *Location, at int64) {
	addUnits(t, r, more, less.Amount, at)
	apply(t, less)
}

// Crowded refuses a command that asks for units that leave, where an article gets more slots by that than it may have.
func Crowded(t *base.Tx) error {
	if leavesNothing(t) {
		return nil
	}
	seen := map[uint32]bool{}
	for _, id := range Departing(t).looked {
		_, asked := Departing(t).to[id]
		x := departureByID(t, id)
		if !asked || x == nil {
			continue
		}
		r := articleOf(t, Draft(t).Lot(x.lot))
		if r == nil || seen[r.No] {
			continue
		}
		seen[r.No] = true
		if beyond(planned(t), r, 0, t.Now) > beyond(t.Acc.Stock, r, 0, t.Now) {
			return base.Refuse(base.CodeConflict, "%s; a unit that comes back elsewhere needs one there", manySlots)
		}
	}
	return nil
}

// spare plans for the lot of a unit to have one unit less from an instant on: that unit's slot, or one that begins just
// then, where it can, as then nothing moves.
func spare(t *base.Tx, at timeline.Place, from int64) timeline.Reduction {
	d := Draft(t)
	if idleFrom(d, at.Slot, from) {
		if red, ok := d.ReduceTo(at.Lot, from, []timeline.SlotNo{at.Slot}, 1); ok {
			return red
		}
	}
	return d.Reduce(at.Lot, 1, from)
}

// idleFrom says that a slot has no end, and nothing lies on it from an instant on.
func idleFrom(d *timeline.Draft, no timeline.SlotNo, from int64) bool {
	if slot, _ := d.Slot(no); slot.Span.End != base.Forever {
		return false
	}
	for range d.Stock().Holds(no, base.Span{Start: from, End: base.Forever}) {
		return false
	}
	return true
}

// standsInTheWay is the plan for as many units less as are to leave with the first of some.
func standsInTheWay(t *base.Tx, x *departure, of []base.ID) *QuantityPlan {
	d, n := Draft(t), 0
	for _, id := range of {
		h, at, _ := d.Find(id)
		if same(x, departureOf(h, d.Lot(at.Lot), at, GoesInPlan(t, h))) {
			n++
		}
	}
	return quantityPlan(t.Acc, d.Stock(), d.Reduce(x.lot, n, x.at), base.First)
}

// BlockedDeparture is the refusal of a command that asks for units that cannot leave, or that calls off an arrival on
// which another hold counts.
func BlockedDeparture(t *base.Tx) error {
	x := Departing(t)
	for _, c := range x.called {
		for _, id := range c.units {
			_, at, is := Draft(t).Find(id)
			if is && !at.Seated() {
				at, _ = SeatConflict(t, id)
			}
			if is && !at.Seated() && x.blocked == nil && !x.Overbook {
				x.blocked = c.plan
			}
		}
	}
	if x.blocked != nil {
		return x.blocked.blocks()
	}
	return nil
}

// blocks is the refusal of a command for what stands in the way of a plan.
func (p *QuantityPlan) blocks() error {
	return &base.Error{Code: base.CodeQuantityBlocked, Detail: p.refusal(), Details: QuantityDetails{p}}
}

// Leaves says that the units of a request leave their place when they end.
func (q *Request) Leaves() bool {
	return Needed(q.Body, q.Location, q.To) != q.Body
}

// seatLeaving seats units that leave: each where every other hold can do without the unit from then on, without end. An
// order may find room for its window alone: then the holds after the window stand in the way.
func seatLeaving(t *base.Tx, owner base.ID, q *Request) *base.Shortage {
	for _, id := range q.ids(owner) {
		Send(t, id, q.To)
	}
	var endless *base.Shortage
	if q.first != 0 || q.Body.End > t.Now { // what is over may have been on a slot that others had since
		endless = seatEndless(t, owner, q)
		if endless == nil || q.Proto.Flags.Blocker() == timeline.BlockerHold {
			return endless
		}
	}
	endAll(t) // the plan says what stands in the way of all
	if short := seatHere(t, owner, q); short != nil {
		return short
	}
	SettleUnits(t, q.ids(owner)...)
	if x := Departing(t); endless != nil && endless.Reason == timeline.NotEnoughStock.String() &&
		x.blocked == nil && !x.Overbook {
		return endless // nothing stands in the way but conflicts that are counted, which no plan looks at
	}
	return nil
}

// seatTogether seats several lines, of which those that leave may move to other articles until all are seated.
func seatTogether(t *base.Tx, seat func()) {
	Departing(t).together = true
	seat()
	Departing(t).together = false
	endAll(t)
}

// seatEndless seats units as if they had no end, and gives them the end that they have.
func seatEndless(t *base.Tx, owner base.ID, q *Request) *base.Shortage {
	d, overbook, flags := Draft(t), q.Overbook, q.Proto.Flags
	q.Overbook, q.endless = false, true
	q.Proto.Flags &^= timeline.OneWay // until all have a unit each may have another
	Seating(t).Stock = d.Fork()
	short := seatHere(t, owner, q)
	f := Seating(t).Stock
	Seating(t).Stock, q.Overbook, q.endless, q.Proto.Flags = d, overbook, false, flags
	if short != nil {
		return short
	}
	d.Adopt(f)
	if Departing(t).together {
		Departing(t).endless = append(Departing(t).endless, endless{owner, q})
		return nil
	}
	endThere(t, owner, q)
	SettleUnits(t, q.ids(owner)...)
	return nil
}

// endAll gives all that were seated so far the ends that they have, and plans their departures.
func endAll(t *base.Tx) {
	x := Departing(t)
	var ids []base.ID
	for _, e := range x.endless {
		endThere(t, e.owner, e.request)
		ids = append(ids, e.request.ids(e.owner)...)
	}
	x.endless = x.endless[:0]
	SettleUnits(t, ids...)
}

// ids are the ids of the units of a request.
func (q *Request) ids(owner base.ID) []base.ID {
	if q.first == 0 {
		return []base.ID{q.Proto.ID}
	}
	list := make([]base.ID, q.Quantity)
	for i := range list {
		list[i] = base.After(owner, q.first+uint64(i))
	}
	return list
}

// endThere gives units that were seated without end the end that they have.
func endThere(t *base.Tx, owner base.ID, q *Request) {
	d := Draft(t)
	for _, id := range q.ids(owner) {
		h, at, ok := d.Find(id)
		if !ok {
			continue // its line was given up
		}
		end := q.Proto.Span.End
		if !q.KeepHull {
			end = q.Body.End
			r := ArticleTable(t.Acc).No(d.Lot(at.Lot).Article)
			if !at.Seated() && q.Stays && q.waitsIn(t.Acc, meetingOf(t, nil, q)) < 0 {
				r = nil // it may not be of the article that it waits on
			}
			if r != nil {
				_, after := EffectiveBuffers(t.Acc, r)
				end = timeline.Hull(q.Body, Buffer{}, after, q.Location.Zone(), t.Now).End
			} else if end != base.Forever { // it waits where no article is left for it, with the buffer that it has
				end += q.Proto.After()
			}
		}
		h.Flags |= q.Proto.Flags & timeline.OneWay
		endAt(t, h, at, end, end-q.Body.End)
	}
}

// endAt gives a unit that is without end one that is no later than what it has room for.
func endAt(t *base.Tx, h timeline.Hold, at timeline.Place, end, trailing int64) {
	n := h.WithSpan(base.Span{Start: h.Span.Start, End: end}).WithBuffers(h.Before(), trailing)
	if at.Seated() {
		Draft(t).Stretch(n)
	} else {
		Draft(t).Replace(n)
	}
}

// seatPushed seats a hold that has lost its place in a pool: one that leaves where its unit can leave.
func seatPushed(t *base.Tx, p timeline.PoolRef, h timeline.Hold) bool {
	d := Draft(t)
	if to := GoesInPlan(t, h); to == nil || h.Span.End == base.Forever {
		_, why := d.Seat(p, Begun(h, t.Now), timeline.Exact)
		return why == timeline.Granted
	}
	endless := h.WithSpan(base.Span{Start: h.Span.Start, End: base.Forever}).WithBuffers(h.Before(), 0)
	at, why := d.Seat(p, Begun(endless, t.Now), timeline.Exact)
	if why != timeline.Granted {
		return false
	}
	n, _, _ := d.Find(h.ID)
	endAt(t, n, at, h.Span.End, h.After())
	SettleUnits(t, h.ID)
	return true
}

// SeatWindow seats a conflict over its hull alone. The plan for its departure is then what it comes to.
func SeatWindow(t *base.Tx, h timeline.Hold) (at timeline.Place, ok bool) {
	d := Draft(t)
	stays := h
	stays.Flags &^= timeline.OneWay
	d.Replace(stays)
	at, ok = SeatConflict(t, h.ID)
	stays, _, _ = d.Find(h.ID)
	stays.Flags |= timeline.OneWay
	d.Replace(stays)
	return at, ok
}

// Departed says whether a unit that has come back has left its place by that. Its departure is a fact from then on: it
// no longer moves with the unit, and is not called off with it.
func Departed(t *base.Tx, id base.ID) bool {
	h, _, ok := Draft(t).Find(id)
	if !ok || !h.Flags.Has(timeline.OneWay) {
		return false
	}
	left := departureByID(t, id) != nil
	h.Flags &^= timeline.OneWay
	Draft(t).Replace(h)
	plans(t, id, nil)
	return left
}

// OneWayUnits counts an account's units with the flag OneWay.
type OneWayUnits struct{ N int }

var OneWayExtension = base.RegisterExtension(func() *OneWayUnits { return new(OneWayUnits) })

// Publish gives a copy that never changes.
func (x *OneWayUnits) Publish() base.Extension { return &OneWayUnits{x.N} }

// OneWays counts the one-way units of an account.
func OneWays(a *base.AccountState) *OneWayUnits { return OneWayExtension.In(a) }

// count counts a unit by more, if it is one.
func (x *OneWayUnits) count(h timeline.Hold, by int) {
	if h.Flags.Has(timeline.OneWay) {
		x.N += by
	}
}
