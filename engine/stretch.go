package engine

import "holdfast/timeline"

// This file owns units that are out with a customer: how they keep their slot beyond what was planned, and what makes room for them.

// stretch gives a unit that was handed over another body on the slot where it is: other holds there make room. Where they
// cannot, it says so and leaves all as it was; forced, they become conflicts, and the slot ends no earlier than the unit.
func (t *tx) stretch(h timeline.Hold, at timeline.Place, body Span, forced bool) bool {
	return t.stretchTo(h, at, t.handedOver(h, t.draft().Lot(at.Lot), body), forced)
}

// stretchTo is stretch to what handedOver has made of the hold.
func (t *tx) stretchTo(h timeline.Hold, at timeline.Place, n timeline.Hold, forced bool) bool {
	if n.Span.End != h.Span.End { // one that leaves does so at another instant
		t.lift(h.ID)
	}
	if was, _, _ := t.draft().Find(h.ID); !was.Flags.Has(timeline.OneWay) {
		n.Flags &^= timeline.OneWay
	}
	if !t.stretched(h, at, n, forced) {
		return false
	}
	t.settleUnits(h.ID)
	return true
}

// stretched is stretchTo of a unit whose departure, if it is to be another, was called off.
func (t *tx) stretched(h timeline.Hold, at timeline.Place, n timeline.Hold, forced bool) bool {
	d := t.draft()
	lot := d.Lot(at.Lot)
	old := h.Seat()
	room := n.Seat()
	pool := timeline.LotRef(at.Lot)
	if lot.Pool != 0 {
		pool = timeline.SKURef(lot.Pool)
	}
	if !forced {
		for _, more := range [2]Span{{Start: room.Start, End: min(room.End, old.Start)}, {Start: max(room.Start, old.End), End: room.End}} {
			if more.Empty() {
				continue
			}
			if free, _, _, _ := d.Stock().MinFree(pool, more); free < 1 { // what a conflict is counted for is not taken
				return false
			}
		}
	}
	if d.Stretch(n) {
		t.freed(h.Span, at)
		return true
	}
	f := d.Fork()
	f.Take(h.ID)
	_, why := f.SeatOn(timeline.LotRef(at.Lot), at.Slot, n)
	if why != timeline.Granted && lot.Pool != 0 {
		_, why = f.SeatOn(pool, at.Slot, n)
	}
	switch {
	case why == timeline.Granted:
		d.Adopt(f)
	case !forced:
		return false
	default:
		t.pushAside(h.ID, at, n)
	}
	t.freed(h.Span, at)
	return true
}

// handedOver is a hold with another body: its beginning is past, and what follows it is the buffer of its article as it is set
// now.
func (t *tx) handedOver(h timeline.Hold, lot timeline.Lot, body Span) timeline.Hold {
	hull, trailing := h.Span, h.After()
	if body.Start != h.Body().Start {
		hull.Start = body.Start
	}
	hull.End = body.End
	if body.End != Forever {
		hull.End += trailing
		article, where := t.acc.articles().No(lot.Article), t.acc.locations().No(lot.Location)
		if article != nil && where != nil {
			if l := article.lotAt(lot.Location); l != nil {
				hull.End = timeline.Hull(body, Buffer{}, l.after, where.Zone(), t.now).End
			}
		}
	}
	n := h.WithSpan(hull).WithBuffers(body.Start-hull.Start, trail(body, hull))
	start := min(h.Seat().Start, max(body.Start, t.now)) // what is past needs no more room than it had
	return n.WithCut(max(0, min(start-hull.Start, hull.End-hull.Start-1)))
}

// pushAside seats a unit that is out on its slot whatever is in its way: that is seated elsewhere if it may move, else it
// becomes a conflict, and leaves what room it had beside it to others. The slot ends no earlier than the unit.
func (t *tx) pushAside(id ID, at timeline.Place, n timeline.Hold) {
	d := t.draft()
	d.Take(id)
	var met []timeline.Hold
	for h := range d.Stock().Holds(at.Slot, n.Seat()) {
		met = append(met, h)
	}
	for _, h := range met {
		d.Take(h.ID)
		d.Keep(h, at.Lot)
	}
	slot, _ := d.Stock().Slot(at.Slot)
	if _, why := d.SeatOn(timeline.LotRef(at.Lot), at.Slot, n); why != timeline.Granted && slot.Span.End < n.Span.End { // no other takes over its end
		d.EndSlot(at.Slot, n.Span.End)
		d.SeatOn(timeline.LotRef(at.Lot), at.Slot, n)
	}
	for _, h := range met {
		if to, ok := t.seatConflict(h.ID); !ok || to.Slot != at.Slot {
			t.freed(h.Span, at) // what of it n does not take
		}
	}
}

// overdue keeps a unit that is not back in time for the next step: until then nobody else has it.
func (t *tx) overdue(id ID) {
	h, at, ok := t.draft().Find(id)
	if !ok {
		return
	}
	if h.Kind == timeline.Sale {
		retired(t, h, at)
		return
	}
	end, is := outUntil(h)
	if !is || end > t.now {
		return
	}
	t.stretch(h, at, Span{Start: h.Body().Start, End: t.notOver(end)}, true)
}

// retired takes a unit out of the stock that was sold by an older program, where it went on to be a hold.
var retired func(t *tx, h timeline.Hold, at timeline.Place)

// notOver is until when a unit is kept that is out and was to be back at an instant: till then, or to the end of the step that
// runs now.
func (t *tx) notOver(end int64) int64 {
	if end > t.now {
		return end
	}
	return end + ((t.now-end)/t.step+1)*t.step
}

// outUntil is when a unit is due that is with a customer, if it is to come back at all.
func outUntil(h timeline.Hold) (at int64, is bool) {
	if !h.Flags.Has(timeline.Out) || h.Flags.Has(timeline.Back) || h.Kind != timeline.Booking || h.Span.End == Forever {
		return 0, false
	}
	return h.Body().End, true
}
