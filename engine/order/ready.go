package order

import (
	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns units that are back and ready before their buffer ends: what is left of the buffer is free at once.

// ReadyUnit says that a unit that came back is ready for the next customer: its buffer ends now. Where it has ended,
// nothing changes.
type ReadyUnit struct {
	base.Answers[*OrderRecord]
	Order, Unit base.ID
}

func (o ReadyUnit) PlanOn(t *base.Tx) (any, error) {
	n, err := editUnits(t, Ready, o.Order, []base.ID{o.Unit})
	if err != nil {
		return nil, err
	}
	_, u := n.unit(o.Unit)
	if u.State != Returned {
		return nil, unitState(u)
	}
	if h, at, ok := stock.Draft(t).Find(u.Hold); ok && buffered(t, h) {
		if n.Return != n.Pickup {
			return nil, base.Refuse(base.CodeConflict,
				"the unit goes on at another location, where it is available from the end of its buffer on")
		}
		endBuffer(t, h, at)
		stock.SeatFreed(t)
	}
	return answer(t, n), nil
}

// buffered says that a unit has come back, and lies in its buffer.
func buffered(t *base.Tx, h timeline.Hold) bool {
	return h.Flags.Has(timeline.Back) && max(h.Body().End, h.Seat().Start+1) <= t.Now && t.Now < h.Span.End
}

// endBuffer ends the buffer of a unit that is back.
func endBuffer(t *base.Tx, h timeline.Hold, at timeline.Place) {
	n := h.WithSpan(base.Span{Start: h.Span.Start, End: t.Now}).WithBuffers(h.Before(), t.Now-h.Body().End)
	stock.Draft(t).Replace(n)
	stock.Freed(t, h.Span, at)
}

// clearBuffer ends the buffer of what lies now on the very slot of a unit that is to be handed over.
func clearBuffer(t *base.Tx, at timeline.Place) {
	for h := range stock.Draft(t).Stock().Holds(at.Slot, base.Span{Start: t.Now, End: t.Now + 1}) {
		if o := orderOf(t.Acc, h); buffered(t, h) && o != nil && o.Return == o.Pickup {
			endBuffer(t, h, at)
			return
		}
	}
}
