package stock

import (
	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns units that are out with a customer: how they keep their slot beyond what was planned, and what makes
// room for them.

// Stretch gives a unit that was handed over another body on the slot where it is: other holds there make room. Where
// they cannot, it says so and leaves all as it was; forced, they become conflicts, and the slot ends no earlier than
// the unit.
func Stretch(t *base.Tx, h timeline.Hold, at timeline.Place, body base.Span, forced bool) bool {
	return StretchTo(t, h, at, HandedOver(t, h, Draft(t).Lot(at.Lot), body), forced)
}

// StretchTo is Stretch to what HandedOver has made of the hold.
func StretchTo(t *base.Tx, h timeline.Hold, at timeline.Place, n timeline.Hold, forced bool) bool {
	if n.Span.End != h.Span.End { // one that leaves does so at another instant
		Loosen(t, h.ID)
	}
	if was, _, _ := Draft(t).Find(h.ID); !was.Flags.Has(timeline.OneWay) {
		n.Flags &^= timeline.OneWay
	}
	if !stretched(t, h, at, n, forced) {
		return false
	}
	SettleUnits(t, h.ID)
	return true
}

// stretched is StretchTo of a unit whose departure, if it is to be another, was called off.
func stretched(t *base.Tx, h timeline.Hold, at timeline.Place, n timeline.Hold, forced bool) bool {
	d := Draft(t)
	lot := d.Lot(at.Lot)
	old := h.Seat()
	room := n.Seat()
	pool := timeline.LotRef(at.Lot)
	if lot.Pool != 0 {
		pool = timeline.SKURef(lot.Pool)
	}
	if !forced {
		for _, more := range [2]base.Span{{Start: room.Start, End: min(room.End, old.Start)},
			{Start: max(room.Start, old.End), End: room.End}} {
			if more.Empty() || more.End <= t.Now { // what is past needs no room
				continue
			}
			if free, _, _, _ := d.Stock().MinFree(pool, more); free < 1 { // what a conflict is counted for is not taken
				return false
			}
		}
	}
	if d.Stretch(n) {
		Freed(t, h.Span, at)
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
		pushAside(t, h.ID, at, n)
	}
	Freed(t, h.Span, at)
	return true
}

// HandedOver is a hold with another body: its beginning is past, and what follows it is the buffer of its article as it
// is set now.
func HandedOver(t *base.Tx, h timeline.Hold, lot timeline.Lot, body base.Span) timeline.Hold {
	hull, trailing := h.Span, h.After()
	if body.Start != h.Body().Start {
		hull.Start = body.Start
	}
	hull.End = body.End
	if body.End != base.Forever {
		hull.End += trailing
		article, where := ArticleTable(t.Acc).No(lot.Article), LocationTable(t.Acc).No(lot.Location)
		if article != nil && where != nil {
			if l := article.LotAt(lot.Location); l != nil {
				hull.End = timeline.Hull(body, Buffer{}, l.After, where.Zone(), t.Now).End
			}
		}
	}
	n := h.WithSpan(hull).WithBuffers(body.Start-hull.Start, Trail(body, hull))
	start := min(h.Seat().Start, max(body.Start, t.Now)) // what is past needs no more room than it had
	return n.WithCut(max(0, min(start-hull.Start, hull.End-hull.Start-1)))
}

// pushAside seats a unit that is out on its slot, whatever is in its way. A hold in the way is seated elsewhere if it
// may move, else it becomes a conflict; the room that it had and that the unit does not take is free for others. The
// slot ends no earlier than the unit: if it was to end for a hold that has lost its place, and so goes nowhere, it does
// not end then.
func pushAside(t *base.Tx, id base.ID, at timeline.Place, n timeline.Hold) {
	d := Draft(t)
	d.Take(id)
	var met []timeline.Hold
	for h := range d.Stock().Holds(at.Slot, n.Seat()) {
		met = append(met, h)
	}
	for _, h := range met {
		d.Take(h.ID)
		d.Keep(h, at.Lot)
	}
	notePushed(t, met)
	sits := func() bool {
		_, why := d.SeatOn(timeline.LotRef(at.Lot), at.Slot, n)
		return why == timeline.Granted
	}
	if slot, _ := d.Slot(at.Slot); !sits() && (!callBackPushed(t, at.Lot, slot.Span.End) || !sits()) {
		if slot, _ = d.Slot(at.Slot); slot.Span.End < n.Span.End { // no other takes over its end
			d.EndSlot(at.Slot, n.Span.End)
		}
		sits()
	}
	for _, h := range met {
		if to, ok := SeatConflict(t, h.ID); !ok || to.Slot != at.Slot {
			Freed(t, h.Span, at) // what of it n does not take
		}
	}
}

// overdue keeps a unit that is not back in time for the next step: until then no other hold gets it.
func overdue(t *base.Tx, id base.ID) {
	h, at, ok := Draft(t).Find(id)
	if !ok {
		return
	}
	if h.Kind == timeline.Sale {
		Retired(t, h, at)
		return
	}
	end, is := OutUntil(h)
	if !is || end > t.Now {
		return
	}
	x := Departing(t)
	x.late = true
	Stretch(t, h, at, base.Span{Start: h.Body().Start, End: NotOver(t, end)}, true)
	x.late = false
}

// lateAtOnce is how many units that become late at the same instant are handled together at most. Those that the
// command does not come to get back their departures as they were.
const lateAtOnce = 256

// overdueTogether calls off the departures of the first of some due items together, as long as they are late units that
// leave for another place and are due at the same instant: calling off each one needs a plan for all holds that count
// on its arrival. Units that are due earlier have to be kept longer before that. Say A, due at 10, is out at the place
// that B, due at 11, leaves for: when B's arrival there is called off, A must already have its longer time, as the unit
// of a hold that is out cannot be taken away.
func overdueTogether(t *base.Tx, due []base.DueItem) int {
	var units []base.ID
	for _, i := range due[:min(lateAtOnce, len(due))] {
		if i.Tag != base.TagUnit || i.At != due[0].At || !lateElsewhere(t, i.ID) {
			break
		}
		units = append(units, i.ID)
	}
	loosenAll(t, units)
	return len(units)
}

// lateElsewhere says that a unit that leaves for another place is late.
func lateElsewhere(t *base.Tx, id base.ID) bool {
	if OneWays(t.Acc).N == 0 {
		return false
	}
	h, _, _ := Draft(t).Find(id)
	end, is := OutUntil(h)
	return is && end <= t.Now && h.Flags.Has(timeline.OneWay)
}

// Retired takes a unit out of the stock that was sold by an older program, which kept it as a hold.
var Retired func(t *base.Tx, h timeline.Hold, at timeline.Place)

// NotOver is until when a unit is kept that is out and was to be back at an instant: till then, or to the end of the
// step that runs now.
func NotOver(t *base.Tx, end int64) int64 {
	if end > t.Now {
		return end
	}
	return end + ((t.Now-end)/t.Step+1)*t.Step
}

// OutUntil is when a unit is due that is with a customer, if it is to come back at all.
func OutUntil(h timeline.Hold) (at int64, is bool) {
	if !h.Flags.Has(timeline.Out) || h.Flags.Has(timeline.Back) || h.Kind != timeline.Booking ||
		h.Span.End == base.Forever {
		return 0, false
	}
	return h.Body().End, true
}
