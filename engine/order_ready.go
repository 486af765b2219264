package engine

import "holdfast/timeline"

// This file owns units that are back and ready before their buffer ends: what is left of the buffer is free at once.

// ReadyUnit says that a unit that came back is ready for the next customer: its buffer ends now. Where it has ended, nothing changes.
// It answers with the *OrderRecord.
type ReadyUnit struct{ Order, Unit ID }

func (ReadyUnit) Check() []Fault { return nil }

func (o ReadyUnit) plan(t *tx) (any, error) {
	n, err := t.editUnits(Ready, o.Order, []ID{o.Unit})
	if err != nil {
		return nil, err
	}
	_, u := n.unit(o.Unit)
	if u.State != Returned {
		return nil, unitState(u)
	}
	if h, at, ok := t.draft().Find(u.Hold); ok && t.buffered(h) {
		if n.Return != n.Pickup {
			return nil, refuse(CodeConflict, "the unit goes on at another location, where it is available from the end of its buffer on")
		}
		t.endBuffer(h, at)
		t.seatFreed()
	}
	return t.answer(n), nil
}

func (ReadyUnit) result() any { return new(OrderRecord) }

// buffered says that a unit has come back, and lies in its buffer.
func (t *tx) buffered(h timeline.Hold) bool {
	return h.Flags.Has(timeline.Back) && max(h.Body().End, h.Seat().Start+1) <= t.now && t.now < h.Span.End
}

// endBuffer ends the buffer of a unit that is back.
func (t *tx) endBuffer(h timeline.Hold, at timeline.Place) {
	n := h.WithSpan(Span{Start: h.Span.Start, End: t.now}).WithBuffers(h.Before(), t.now-h.Body().End)
	t.draft().Replace(n)
	t.freed(h.Span, at)
}

// clear ends the buffer of what lies now on the very slot of a unit that is to be handed over.
func (t *tx) clear(at timeline.Place) {
	for h := range t.draft().Stock().Holds(at.Slot, Span{Start: t.now, End: t.now + 1}) {
		if o := t.acc.orderOf(h); t.buffered(h) && o != nil && o.Return == o.Pickup {
			t.endBuffer(h, at)
			return
		}
	}
}
