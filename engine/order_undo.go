package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns steps that are taken back: what was prepared, handed over or returned by mistake. Payments stay, the planned dates of the
// line count again, and what may move makes room; where the stock has gone on, it is refused with what stands in the way.

// UndoOrder takes back the last step of each of some units: one that lies ready waits again, one that is out was not handed over, one that
// came back is out. There is no time limit. It answers with the *OrderRecord.
type UndoOrder struct {
	ID    ID
	Units []ID
}

func (o UndoOrder) Check() []Fault {
	var c checker
	if len(o.Units) == 0 {
		c.fault("/stockItemIds", "length", "must have at least one entry")
	}
	c.distinct("/stockItemIds", o.Units, maxUnits)
	return c.faults
}

func (o UndoOrder) plan(t *tx) (any, error) {
	n, err := t.editUnits(Undo, o.ID, o.Units)
	if err != nil {
		return nil, err
	}
	if n.ArchivedAt != 0 {
		return nil, &Error{Code: CodeStateNotAllowed, Detail: "the order is archived; unarchive it first", Details: StateDetails{State: "archived"}}
	}
	var blockers []ID
	for _, x := range n.named(o.Units) {
		in, err := t.undo(n, x)
		if err != nil {
			return nil, err
		}
		blockers = append(blockers, in...)
	}
	if len(blockers) > 0 {
		slices.SortFunc(blockers, ID.Compare)
		blockers = slices.Compact(blockers)
		plan := &QuantityPlan{Reason: timeline.PinnedHoldsInTheWay.String(), BlockersTotal: len(blockers), Blockers: t.acc.standing(t.acc.stock, blockers, First)}
		plan.Digest = plan.digest(blockers)
		return nil, &Error{Code: CodeQuantityBlocked, Detail: "the stock has gone on: " + plan.Reason, Details: QuantityDetails{plan}}
	}
	if n.Status == OrderClosed {
		n.Status = OrderActive
	}
	t.seatFreed()
	return t.answer(n), nil
}

func (UndoOrder) result() any { return new(OrderRecord) }

// undo takes the last step of a unit back. It returns what stands in the way of that.
func (t *tx) undo(o *Order, x unitOfLine) (blockers []ID, err error) {
	u := x.unit
	h, at, held := t.draft().Find(u.Hold)
	switch {
	case u.State == Prepared:
		u.State = Pending
		return nil, nil
	case u.State == Fulfilled && u.Lot != 0:
		return nil, t.unsell(o, x)
	case u.State == Fulfilled && held:
		return t.undoHandOver(x, h, at)
	case u.State == Returned && o.Return != o.Pickup:
		return nil, refuse(CodeConflict, "the unit has come back at another location and goes on there")
	case u.State == Returned:
		return t.undoReturn(o, x, h, at, held)
	}
	return nil, unitState(u)
}

// wait has a unit be one that was not handed over.
func (u *OrderUnit) wait() {
	u.State, u.Handed, u.Lot = Pending, 0, 0
	if u.WasReady {
		u.State = Prepared
	}
	u.WasReady = false
}

// onArticle is the article of a lot that takes the holds of units that are not out.
func (t *tx) onArticle(lot timeline.LotNo) (*Article, *articleLot, error) {
	l := t.draft().Lot(lot)
	r := t.acc.articles().No(l.Article)
	if r == nil {
		return nil, nil, refuse(CodeConflict, "the article of the unit is gone")
	}
	if !r.Takes() {
		return nil, nil, takesNone("article", string(r.Status), r.ArchivedAt)
	}
	return r, r.lotAt(l.Location), nil
}

// planned is a unit over the dates of its line, with the buffers of an article as they are set now. What is past of it needs no more room
// than from an instant on.
func (t *tx) planned(h timeline.Hold, l *OrderLine, on *articleLot, since int64) timeline.Hold {
	body := l.span()
	hull := timeline.Hull(body, on.before, on.after, t.acc.locations().No(on.location).Zone(), t.now)
	n := h.WithSpan(hull).WithBuffers(body.Start-hull.Start, trail(body, hull))
	start := max(hull.Start, min(t.now, since))
	return n.WithCut(max(0, min(start-hull.Start, hull.End-hull.Start-1)))
}

// undoHandOver has a unit wait that is out: its planned dates count again.
func (t *tx) undoHandOver(x unitOfLine, h timeline.Hold, at timeline.Place) ([]ID, error) {
	_, on, err := t.onArticle(at.Lot)
	if err != nil {
		return nil, err
	}
	n := t.planned(h, x.line, on, h.Seat().Start)
	n.Flags &^= timeline.Out
	if !t.stretchTo(h, at, n, false) {
		return t.inTheWayOf(n, at.Lot, at.Slot), nil
	}
	x.unit.wait()
	return nil, nil
}

// unsell gives a slot back that was sold: the one that has ended with the sale goes on, or another begins.
func (t *tx) unsell(o *Order, x unitOfLine) error {
	l, u := x.line, x.unit
	lot, d := u.Lot, t.draft()
	r, on, err := t.onArticle(lot)
	if err != nil {
		return err
	}
	if ended := d.Stock().EndingAt(lot, u.Handed, 1); len(ended) > 0 {
		d.EndSlot(ended[0], Forever)
		t.freedOf(r, lot, Span{Start: t.now, End: Forever})
	} else {
		t.newUnits(r, on.location, 1, Span{Start: t.now, End: Forever})
	}
	h := t.planned(t.unitHold(o, x, u.Hold, r), l, on, t.now)
	h.Kind = timeline.SalesReservation
	t.putOn(h, lot)
	u.wait()
	return nil
}

// unitHold is the hold of a unit that has none, with the pins that the unit and its line give it.
func (t *tx) unitHold(o *Order, x unitOfLine, id ID, on *Article) timeline.Hold {
	h := timeline.Hold{ID: id, Owner: uint64(o.Number), Line: x.line.No, Kind: x.line.Purchase.Type().kind()}
	h.Flags = h.Flags.WithBlocker(timeline.BlockerOrder)
	if x.unit.ByHand || t.acc.ordered(x.line, x.unit, on).Article != (ID{}) {
		h.Flags |= timeline.PinnedArticle
	}
	if len(x.line.Rest().Requirements) > 0 {
		h.Flags |= timeline.Choosy
	}
	return h
}

// putOn seats a unit on an article by seats alone, if it can be.
func (t *tx) putOn(h timeline.Hold, lot timeline.LotNo) (ok bool) {
	d, pinned := t.draft(), h
	pinned.Flags |= timeline.PinnedArticle
	d.Keep(pinned, lot)
	if _, ok = d.SeatConflict(h.ID); !ok {
		d.Take(h.ID)
		return false
	}
	seated, _, _ := d.Find(h.ID)
	seated.Flags = h.Flags
	d.Replace(seated)
	return true
}

// undoReturn has a unit be out that came back: to the end of its line, or of the running step.
func (t *tx) undoReturn(o *Order, x unitOfLine, h timeline.Hold, at timeline.Place, held bool) ([]ID, error) {
	l, u := x.line, x.unit
	end := t.notOver(l.To)
	if held {
		h.Flags &^= timeline.Back
		n := t.handedOver(h, t.draft().Lot(at.Lot), Span{Start: h.Body().Start, End: end})
		if !t.stretchTo(h, at, n, false) {
			return t.inTheWayOf(n, at.Lot, at.Slot), nil
		}
	} else if blockers, err := t.outAgain(o, x, end); blockers != nil || err != nil {
		return blockers, err
	}
	if s := l.Subscription; s != nil && s.over() && s.CancelledAt == u.Returned && s.CancelAt == u.Returned {
		s.CancelAt, s.CancelledAt = 0, 0
		t.beginSubscription(o, l)
	}
	u.State, u.Returned, u.Lot = Fulfilled, 0, 0
	return nil, nil
}

// outAgain gives a unit a hold anew that came back before any time had gone by.
func (t *tx) outAgain(o *Order, x unitOfLine, end int64) ([]ID, error) {
	u, lot := x.unit, t.draft().Lot(x.unit.Lot)
	r, where := t.acc.articles().No(lot.Article), t.acc.locations().No(lot.Location)
	if r == nil || where == nil {
		return nil, refuse(CodeConflict, "the article of the unit is gone")
	}
	body := Span{Start: min(x.line.From, u.Handed), End: end}
	hull := timeline.Hull(body, Buffer{}, r.lotAt(lot.Location).after, where.Zone(), t.now)
	id := t.newID()
	h := begun(t.unitHold(o, x, id, r).WithSpan(hull).WithBuffers(0, trail(body, hull)), t.now)
	pool := timeline.LotRef(lot.No)
	if free, _, _, _ := t.draft().Stock().MinFree(pool, h.Seat()); free < 1 || !t.putOn(h, lot.No) {
		return t.inTheWayOf(h, lot.No, t.draft().Stock().Slots(lot.No)...), nil
	}
	seated, _, _ := t.draft().Find(id)
	seated.Flags |= timeline.Out
	t.draft().Replace(seated)
	u.Hold = id
	return nil, nil
}

// inTheWayOf are the holds on some slots of a lot that a unit without room would meet there, and where those are none, what waits there and
// is counted. Where that is none either it is in its own way: its slot ends before.
func (t *tx) inTheWayOf(n timeline.Hold, lot timeline.LotNo, slots ...timeline.SlotNo) (ids []ID) {
	s := t.draft().Stock()
	for _, no := range slots {
		for h := range s.Holds(no, n.Seat()) {
			if h.ID != n.ID {
				ids = append(ids, h.ID)
			}
		}
	}
	if ids == nil {
		for h := range s.ConflictsIn(t.acc.around(timeline.LotRef(lot)), n.Seat()) {
			ids = append(ids, h.ID)
		}
	}
	if ids == nil {
		ids = append(ids, n.ID)
	}
	return ids
}
