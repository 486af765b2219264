package engine

import "holdfast/timeline"

// This file owns one-way units: what is taken at one place and comes back at another. While it is seated, a slot of its article ends
// where it was taken, at the end of its hull, and one begins where it goes: the transfer of a unit at that instant, planned with it,
// moved with its end, and called off with it. What a transfer changes is the quantity, so which of the article's slots ends is not
// fixed, and calling it off is the transfer back. Its row has the flag OneWay, and keeps it in its lot.

// departure is the transfer that goes with a one-way unit.
type departure struct {
	lot timeline.LotNo // that has one unit less
	at  int64          // from when on
	to  uint32         // number of the location that has one more
}

// departing is what a plan makes of departures.
type departing struct {
	to       map[ID]*Location  // of units that the command asks for, where they go to; of the others their records say it
	planned  map[ID]*departure // of units that were looked at: what is planned by now, nil: nothing
	overbook bool              // what stands in the way of units that the command asks for becomes a conflict
	blocked  *QuantityPlan     // the first that stands in the way of one
	called   []calledOff
	together bool      // several lines are seated: until all are, units that leave have no end, and make room for each other
	endless  []endless // those of them that were
}

// endless is units that were seated without end.
type endless struct {
	owner   ID
	request *request
}

// calledOff is what stands in the way of calling off a departure: the units that were booked on what was to arrive.
type calledOff struct {
	units []ID
	plan  *QuantityPlan
}

// send says where a unit goes that the command asks for.
func (t *tx) send(id ID, to *Location) {
	x := &t.seating().departing
	if x.to == nil {
		x.to = map[ID]*Location{}
	}
	x.to[id] = to
}

// goes is where a one-way unit goes to, nil where nobody can say.
func (t *tx) goes(h timeline.Hold) *Location {
	if to, is := t.seating().departing.to[h.ID]; is {
		return to
	}
	return t.acc.goes(h)
}

// goes is where a one-way unit goes to by its record.
func (a *account) goes(h timeline.Hold) *Location {
	if o := ownerships[h.Flags.Blocker()]; o != nil && o.goes != nil && h.Flags.Has(timeline.OneWay) {
		return a.locations().Get(o.goes(a, h))
	}
	return nil
}

// departureOf is the transfer that goes with a unit at a place, nil where it is none that leaves.
func (a *account) departureOf(h timeline.Hold, lot timeline.Lot, at timeline.Place, to *Location) *departure {
	if !h.Flags.Has(timeline.OneWay) || !at.Seated() || h.Span.End == Forever || to == nil || to.No == lot.Location {
		return nil
	}
	return &departure{at.Lot, h.Span.End, to.No}
}

// departure is what is planned for a unit so far.
func (t *tx) departure(id ID) *departure {
	if x, is := t.seating().departing.planned[id]; is {
		return x
	}
	h, at, ok := t.acc.stock.Find(id)
	if !ok {
		return nil
	}
	return t.acc.departureOf(h, t.acc.stock.Lot(at.Lot), at, t.acc.goes(h))
}

// plans notes what is planned for a unit by now.
func (t *tx) plans(id ID, x *departure) {
	if t.seating().departing.planned == nil {
		t.seating().departing.planned = map[ID]*departure{}
	}
	t.seating().departing.planned[id] = x
}

// settleDepartures brings the departures of all units that the plan has changed in line with where and when they are, and says whether
// that changed anything.
func (t *tx) settleDepartures() (changed bool) {
	if t.seating().stock == nil || t.acc.oneWays().n == 0 && t.seating().departing.to == nil {
		return false
	}
	var ids []ID
	for _, c := range t.draft().Changes().Holds {
		if c.Had && c.Before.Flags.Has(timeline.OneWay) || c.Has && c.After.Flags.Has(timeline.OneWay) {
			ids = append(ids, c.ID())
		}
	}
	return t.settleUnits(ids...)
}

// settleLast settles what a command has left unsettled, as the conflicts of a follow-up, and tries who waits for a unit that arrives.
func (t *tx) settleLast() {
	if t.settleDepartures() || t.seating().stock != nil && len(t.seating().room) > 0 {
		t.seatFreed()
	}
}

// settleUnits is settleDepartures of some units.
func (t *tx) settleUnits(ids ...ID) (changed bool) {
	var leave []ID
	for _, id := range ids {
		h, at, ok := t.draft().Find(id)
		var is *departure
		if ok {
			is = t.acc.departureOf(h, t.draft().Lot(at.Lot), at, t.goes(h))
		}
		if was := t.departure(id); !same(was, is) {
			changed = true
			if t.lift(id) && is != nil {
				leave = append(leave, id)
			}
		}
	}
	for i, id := range leave {
		t.depart(id, leave[i:])
	}
	return changed
}

// lift calls off the departure of a unit, if one is planned. What was booked on the unit that was to arrive is seated elsewhere, or
// becomes a conflict. Where other plans were built on that unit, the transfer stays, and the unit is no one-way unit any more: off is false.
func (t *tx) lift(id ID) (off bool) {
	x := t.departure(id)
	if x == nil {
		return true
	}
	t.plans(id, nil)
	d := t.draft()
	h, _, has := d.Find(id)
	at := x.at
	if !has {
		at = max(at, t.now) // it never left
	}
	lot := d.Lot(x.lot)
	r, from := t.articleOf(lot), t.acc.locations().No(lot.Location)
	if r != nil && from != nil {
		if to, ok := t.lotOf(r, x.to); ok {
			if red := d.Reduce(to, 1, at); red.Feasible() {
				if !red.OK {
					plan := t.acc.quantityPlan(d.Stock(), red, First)
					t.seating().departing.called = append(t.seating().departing.called, calledOff{red.Blockers, plan})
				}
				if t.transfer(red, r, from, at) {
					return true
				}
			}
		}
	}
	if has {
		h.Flags &^= timeline.OneWay
		d.Replace(h)
	}
	return false
}

// lotOf is the lot of an article at a location, as the plan has it.
func (t *tx) lotOf(r *Article, location uint32) (timeline.LotNo, bool) {
	if l := r.lotAt(location); l != nil {
		return l.no, true
	}
	no, ok := t.seating().lots[lotOf{r.No, location}]
	return no, ok
}

// depart plans the departure of a unit, the first of some for which none is planned. What stands in the way refuses a command that asks
// for the unit, unless overbooking is allowed: then it becomes a conflict, as it does where the unit is out. Else the unit does.
func (t *tx) depart(id ID, of []ID) {
	d := t.draft()
	h, at, _ := d.Find(id)
	x := t.acc.departureOf(h, d.Lot(at.Lot), at, t.goes(h))
	r := t.articleOf(d.Lot(at.Lot))
	red := t.spare(h, at, x.at)
	_, asked := t.seating().departing.to[id]
	if asked && !t.seating().departing.overbook && (!red.OK || r == nil) {
		if t.seating().departing.blocked == nil {
			t.seating().departing.blocked = t.standsInTheWay(x, of)
		}
		return
	}
	out := h.Flags.Has(timeline.Out)
	switch {
	case r != nil && (red.OK || red.Feasible() && (asked || out)):
		if t.transfer(red, r, t.acc.locations().No(x.to), x.at) {
			t.plans(id, x)
			return
		}
		fallthrough
	case out:
		h.Flags &^= timeline.OneWay
		d.Replace(h)
	default:
		d.Take(id)
		d.Keep(h, at.Lot)
		if _, was, ok := t.acc.stock.Find(id); ok && was.Seated() {
			t.freed(h.Span, at)
		}
	}
}

// transferUnit has a lot have one unit less and another location one more from an instant on, whatever counts on it, where it has one then.
func (t *tx) transferUnit(from timeline.LotNo, to *Location, at int64) {
	d := t.draft()
	lot := d.Lot(from)
	r := t.articleOf(lot)
	if r == nil || lot.Location == to.No {
		return
	}
	if red := d.Reduce(from, 1, at); red.Feasible() {
		t.transfer(red, r, to, at)
	}
}

// transfer has an article have one unit more at a location from an instant on, and one less where that is planned; or neither, where it has as many as it may have.
func (t *tx) transfer(less timeline.Reduction, r *Article, more *Location, at int64) bool {
	if t.addUnits(r, more, 1, at) != nil {
		return false
	}
	t.apply(less)
	return true
}

// spare plans for the lot of a unit to have one unit less from an instant on: that unit's slot where it can, as then nothing moves.
func (t *tx) spare(h timeline.Hold, at timeline.Place, from int64) timeline.Reduction {
	d := t.draft()
	if slot, _ := d.Slot(at.Slot); slot.Span.End == Forever {
		idle := true
		for range d.Stock().Holds(at.Slot, Span{Start: from, End: Forever}) {
			idle = false
			break
		}
		if idle {
			return timeline.Reduction{Lot: at.Lot, Amount: 1, At: from, OK: true, Slots: []timeline.SlotNo{at.Slot}, Minimal: true}
		}
	}
	return d.Reduce(at.Lot, 1, from)
}

// standsInTheWay is the plan for as many units less as are to leave with the first of some.
func (t *tx) standsInTheWay(x *departure, of []ID) *QuantityPlan {
	d, n := t.draft(), 0
	for _, id := range of {
		h, at, _ := d.Find(id)
		if same(x, t.acc.departureOf(h, d.Lot(at.Lot), at, t.goes(h))) {
			n++
		}
	}
	return t.acc.quantityPlan(d.Stock(), d.Reduce(x.lot, n, x.at), First)
}

// blockedDeparture is the refusal of a command that asks for units that cannot leave, or no more arrive for who counts on it.
func (t *tx) blockedDeparture() error {
	x := &t.seating().departing
	for _, c := range x.called {
		for _, id := range c.units {
			_, at, is := t.draft().Find(id)
			if is && !at.Seated() {
				at, _ = t.seatConflict(id)
			}
			if is && !at.Seated() && x.blocked == nil && !x.overbook {
				x.blocked = c.plan
			}
		}
	}
	if plan := x.blocked; plan != nil {
		return &Error{Code: CodeQuantityBlocked, Detail: plan.refusal(), Details: QuantityDetails{plan}}
	}
	return nil
}

// leaves says that the units of a request leave their place when they end.
func (q *request) leaves() bool {
	return needed(q.body, q.location, q.to) != q.body
}

// seatLeaving seats units that leave: each where every other hold can do without the unit from then on, without end. An order may find
// room for its window alone: then what is behind that stands in the way.
func (t *tx) seatLeaving(owner ID, q *request) *Shortage {
	for _, id := range q.ids(owner) {
		t.send(id, q.to)
	}
	var endless *Shortage
	if q.first != 0 || q.body.End > t.now { // what is over may have been on a slot that others had since
		endless = t.seatEndless(owner, q)
		if endless == nil || q.proto.Flags.Blocker() == timeline.BlockerHold {
			return endless
		}
	}
	t.endAll() // the plan says what stands in the way of all
	if short := t.seatHere(owner, q); short != nil {
		return short
	}
	t.settleUnits(q.ids(owner)...)
	if x := &t.seating().departing; endless != nil && endless.Reason == timeline.NotEnoughStock.String() && x.blocked == nil && !x.overbook {
		return endless // nothing stands in the way but conflicts that are counted, which no plan looks at
	}
	return nil
}

// seatTogether seats several lines, of which those that leave may move to other articles until all are seated.
func (t *tx) seatTogether(seat func()) {
	t.seating().departing.together = true
	seat()
	t.seating().departing.together = false
	t.endAll()
}

// seatEndless seats units as if they had no end, and gives them the end that they have.
func (t *tx) seatEndless(owner ID, q *request) *Shortage {
	d, overbook, flags := t.draft(), q.overbook, q.proto.Flags
	q.overbook, q.endless = false, true
	q.proto.Flags &^= timeline.OneWay // until all have a unit each may have another
	t.seating().stock = d.Fork()
	short := t.seatHere(owner, q)
	f := t.seating().stock
	t.seating().stock, q.overbook, q.endless, q.proto.Flags = d, overbook, false, flags
	if short != nil {
		return short
	}
	d.Adopt(f)
	if t.seating().departing.together {
		t.seating().departing.endless = append(t.seating().departing.endless, endless{owner, q})
		return nil
	}
	t.endThere(owner, q)
	return nil
}

// endAll is endThere of all that were seated so far.
func (t *tx) endAll() {
	x := &t.seating().departing
	for _, e := range x.endless {
		t.endThere(e.owner, e.request)
	}
	x.endless = x.endless[:0]
}

// ids are the ids of the units of a request.
func (q *request) ids(owner ID) []ID {
	if q.first == 0 {
		return []ID{q.proto.ID}
	}
	list := make([]ID, q.quantity)
	for i := range list {
		list[i] = after(owner, q.first+uint64(i))
	}
	return list
}

// endThere gives units that were seated without end the end that they have, and plans their departure.
func (t *tx) endThere(owner ID, q *request) {
	d := t.draft()
	for _, id := range q.ids(owner) {
		h, at, ok := d.Find(id)
		if !ok {
			continue // its line was given up
		}
		end := q.proto.Span.End
		if !q.keepHull {
			end = q.body.End
			if r := t.acc.articles().No(d.Lot(at.Lot).Article); r != nil {
				_, after := t.acc.buffers(r)
				end = timeline.Hull(q.body, Buffer{}, after, q.location.Zone(), t.now).End
			}
		}
		h.Flags |= q.proto.Flags & timeline.OneWay
		t.endAt(h, at, end, end-q.body.End)
	}
	t.settleUnits(q.ids(owner)...)
}

// endAt gives a unit that is without end one that is no later than what it has room for.
func (t *tx) endAt(h timeline.Hold, at timeline.Place, end, trailing int64) {
	n := h.WithSpan(Span{Start: h.Span.Start, End: end}).WithBuffers(h.Before(), trailing)
	if at.Seated() {
		t.draft().Stretch(n)
	} else {
		t.draft().Replace(n)
	}
}

// seatPushed seats a hold that has lost its place in a pool: one that leaves where its unit can leave.
func (t *tx) seatPushed(p timeline.PoolRef, h timeline.Hold) bool {
	d := t.draft()
	if to := t.goes(h); to == nil || h.Span.End == Forever {
		_, why := d.Seat(p, begun(h, t.now), timeline.Exact)
		return why == timeline.Granted
	}
	endless := h.WithSpan(Span{Start: h.Span.Start, End: Forever}).WithBuffers(h.Before(), 0)
	at, why := d.Seat(p, begun(endless, t.now), timeline.Exact)
	if why != timeline.Granted {
		return false
	}
	n, _, _ := d.Find(h.ID)
	t.endAt(n, at, h.Span.End, h.After())
	t.settleUnits(h.ID)
	return true
}

// seatWindow seats a conflict over its hull alone. The plan for its departure is then what it comes to.
func (t *tx) seatWindow(h timeline.Hold) (at timeline.Place, ok bool) {
	d := t.draft()
	stays := h
	stays.Flags &^= timeline.OneWay
	d.Replace(stays)
	at, ok = t.seatConflict(h.ID)
	stays, _, _ = d.Find(h.ID)
	stays.Flags |= timeline.OneWay
	d.Replace(stays)
	return at, ok
}

// departed says whether a unit that has come back has left its place by that. Its departure is a fact from then on, and moves and goes
// with it no more.
func (t *tx) departed(id ID) bool {
	h, _, ok := t.draft().Find(id)
	if !ok || !h.Flags.Has(timeline.OneWay) {
		return false
	}
	left := t.departure(id) != nil
	h.Flags &^= timeline.OneWay
	t.draft().Replace(h)
	t.plans(id, nil)
	return left
}

// oneWayUnits counts an account's units with the flag OneWay.
type oneWayUnits struct{ n int }

var oneWayExtension = registerExtension(func() *oneWayUnits { return new(oneWayUnits) })

func (x *oneWayUnits) publish() extension { return &oneWayUnits{x.n} }

func (a *account) oneWays() *oneWayUnits { return oneWayExtension.in(a) }

// count counts a unit by more, if it is one.
func (x *oneWayUnits) count(h timeline.Hold, by int) {
	if h.Flags.Has(timeline.OneWay) {
		x.n += by
	}
}
