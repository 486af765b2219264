package order

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns steps that are taken back: what was prepared, handed over or returned by mistake. Payments stay, the
// planned dates of the line count again, and what may move makes room; where the stock has gone on, it is refused with
// what stands in the way.

// UndoOrder takes back the last step of each of some units: one that lies ready waits again, one that is out was not
// handed over, one that came back is out. There is no time limit.
type UndoOrder struct {
	base.Answers[*OrderRecord]
	ID    base.ID
	Units []base.ID
}

func (o UndoOrder) Check(c *base.Checker) {
	if len(o.Units) == 0 {
		c.Fault("/stockItemIds", "length", "must have at least one entry")
	}
	c.Distinct("/stockItemIds", o.Units, base.MaxUnits)
}

func (o UndoOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := editUnits(t, Undo, o.ID, o.Units)
	if err != nil {
		return nil, err
	}
	if n.ArchivedAt != 0 {
		return nil, base.NotAllowed("the order is archived; unarchive it first", "archived", n.allowedBut(Undo)...)
	}
	var blockers []base.ID
	for _, x := range n.named(o.Units) {
		in, err := undo(t, n, x)
		if err != nil {
			return nil, err
		}
		blockers = append(blockers, in...)
	}
	if len(blockers) > 0 {
		slices.SortFunc(blockers, base.ID.Compare)
		blockers = slices.Compact(blockers)
		plan := &stock.QuantityPlan{Reason: timeline.PinnedHoldsInTheWay.String(), BlockersTotal: len(blockers),
			Blockers: stock.Standing(t.Acc, t.Acc.Stock, blockers, base.First)}
		plan.Digest = plan.Fingerprint(blockers)
		return nil, &base.Error{Code: base.CodeQuantityBlocked, Detail: "the stock has gone on: " + plan.Reason,
			Details: stock.QuantityDetails{Plan: plan}}
	}
	if n.Status == OrderClosed {
		n.Status = OrderActive
	}
	stock.SeatFreed(t)
	return answer(t, n), nil
}

// undo takes the last step of a unit back. It returns what stands in the way of that.
func undo(t *base.Tx, o *Order, x unitOfLine) (blockers []base.ID, err error) {
	u := x.unit
	h, at, held := stock.Draft(t).Find(u.Hold)
	switch {
	case u.State == Prepared:
		u.State = Pending
		return nil, nil
	case u.State == Fulfilled && u.Lot != 0:
		return nil, unsell(t, o, x)
	case u.State == Fulfilled && held:
		return undoHandOver(t, x, h, at)
	case u.State == Returned && o.Return != o.Pickup:
		return nil, base.Refuse(base.CodeConflict, "the unit has come back at another location and goes on there")
	case u.State == Returned:
		return undoReturn(t, o, x, h, at, held)
	}
	return nil, unitState(u)
}

// wait makes a unit one that was not handed over yet: prepared, if it was, else pending.
func (u *OrderUnit) wait() {
	u.State, u.Handed, u.Lot = Pending, 0, 0
	if u.WasReady {
		u.State = Prepared
	}
	u.WasReady = false
}

// onArticle is the article of a lot that takes the holds of units that are not out.
func onArticle(t *base.Tx, lot timeline.LotNo) (*stock.Article, *stock.ArticleLot, error) {
	l := stock.Draft(t).Lot(lot)
	r := stock.ArticleTable(t.Acc).No(l.Article)
	if r == nil {
		return nil, nil, base.Refuse(base.CodeConflict, "the article of the unit is gone")
	}
	if stock.LocationTable(t.Acc).No(l.Location) == nil {
		return nil, nil, base.Refuse(base.CodeConflict, "the location of the unit is gone")
	}
	if !r.Takes() {
		return nil, nil, stock.TakesNone("article", string(r.Status), r.ArchivedAt)
	}
	return r, r.LotAt(l.Location), nil
}

// planned is a unit over the dates of its line, with the buffers of an article as they are set now. Of its past it
// needs no more room than from the instant since on.
func planned(t *base.Tx, h timeline.Hold, l *OrderLine, on *stock.ArticleLot, since int64) timeline.Hold {
	body := l.Span()
	hull := timeline.Hull(body, on.Before, on.After, stock.LocationTable(t.Acc).No(on.Location).Zone(), t.Now)
	n := h.WithSpan(hull).WithBuffers(body.Start-hull.Start, stock.Trail(body, hull))
	start := max(hull.Start, min(t.Now, since))
	return n.WithCut(max(0, min(start-hull.Start, hull.End-hull.Start-1)))
}

// undoHandOver makes a unit that is out wait again: its planned dates count again. Where its subscription is over it
// would wait for ever, and if it were cancelled, a wrong undo of what is out could not be made good.
func undoHandOver(t *base.Tx, x unitOfLine, h timeline.Hold, at timeline.Place) ([]base.ID, error) {
	if s := x.line.Subscription; s != nil && s.over() {
		return nil, base.NotAllowed("the subscription of line "+base.Itoa(x.no)+" is over; return the unit instead",
			x.unit.State.String(), string(Return))
	}
	_, on, err := onArticle(t, at.Lot)
	if err != nil {
		return nil, err
	}
	n := planned(t, h, x.line, on, h.Seat().Start)
	n.Flags &^= timeline.Out
	if !stock.StretchTo(t, h, at, n, false) {
		return inTheWayOf(t, n, at.Lot, at.Slot), nil
	}
	x.unit.wait()
	return nil, nil
}

// unsell gives back a slot that was sold: the slot that ended with the sale continues, or another begins.
func unsell(t *base.Tx, o *Order, x unitOfLine) error {
	l, u := x.line, x.unit
	lot, d := u.Lot, stock.Draft(t)
	r, on, err := onArticle(t, lot)
	if err != nil {
		return err
	}
	if ended := d.Stock().EndingAt(lot, u.Handed, 1); len(ended) > 0 {
		d.EndSlot(ended[0], base.Forever)
		stock.FreedOf(t, lot, base.Span{Start: t.Now, End: base.Forever})
	} else {
		stock.NewUnits(t, r, on.Location, 1, base.Span{Start: t.Now, End: base.Forever})
	}
	h := planned(t, unitHold(t, o, x, u.Hold, r), l, on, t.Now)
	h.Kind = timeline.SalesReservation
	putOn(t, h, lot)
	u.wait()
	return nil
}

// unitHold is the hold of a unit that has none, with the pins that the unit and its line give it.
func unitHold(t *base.Tx, o *Order, x unitOfLine, id base.ID, on *stock.Article) timeline.Hold {
	h := timeline.Hold{ID: id, Owner: uint64(o.Number), Line: x.line.No, Kind: x.line.Purchase.Type().Kind()}
	h.Flags = h.Flags.WithBlocker(timeline.BlockerOrder)
	if x.unit.ByHand || ordered(t.Acc, x.line, x.unit, on).Article != (base.ID{}) {
		h.Flags |= timeline.PinnedArticle
	}
	if len(x.line.Rest().Requirements) > 0 {
		h.Flags |= timeline.Choosy
	}
	return h
}

// putOn seats a unit on an article by seats alone, if it can be.
func putOn(t *base.Tx, h timeline.Hold, lot timeline.LotNo) (ok bool) {
	d, pinned := stock.Draft(t), h
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

// undoReturn makes a unit that came back be out again: to the end of its line, or of the running step.
func undoReturn(t *base.Tx, o *Order, x unitOfLine, h timeline.Hold, at timeline.Place, held bool) ([]base.ID, error) {
	l, u := x.line, x.unit
	end := stock.NotOver(t, l.To)
	if held {
		h.Flags &^= timeline.Back
		n := stock.HandedOver(t, h, stock.Draft(t).Lot(at.Lot), base.Span{Start: h.Body().Start, End: end})
		if !stock.StretchTo(t, h, at, n, false) {
			return inTheWayOf(t, n, at.Lot, at.Slot), nil
		}
	} else if blockers, err := outAgain(t, o, x, end); blockers != nil || err != nil {
		return blockers, err
	}
	l.resume(t, o)
	u.State, u.Returned, u.Lot = Fulfilled, 0, 0
	return nil, nil
}

// outAgain gives a unit a hold anew that came back before any time had gone by.
func outAgain(t *base.Tx, o *Order, x unitOfLine, end int64) ([]base.ID, error) {
	u, lot := x.unit, stock.Draft(t).Lot(x.unit.Lot)
	r, where := stock.ArticleTable(t.Acc).No(lot.Article), stock.LocationTable(t.Acc).No(lot.Location)
	if r == nil || where == nil {
		return nil, base.Refuse(base.CodeConflict, "the article of the unit is gone, or its location")
	}
	body := base.Span{Start: min(x.line.From, u.Handed), End: end}
	hull := timeline.Hull(body, stock.Buffer{}, r.LotAt(lot.Location).After, where.Zone(), t.Now)
	id := t.NewID()
	h := stock.Begun(unitHold(t, o, x, id, r).WithSpan(hull).WithBuffers(0, stock.Trail(body, hull)), t.Now)
	pool := timeline.LotRef(lot.No)
	if free, _, _, _ := stock.Draft(t).Stock().MinFree(pool, h.Seat()); free < 1 || !putOn(t, h, lot.No) {
		return inTheWayOf(t, h, lot.No, stock.Draft(t).Stock().Slots(lot.No)...), nil
	}
	seated, _, _ := stock.Draft(t).Find(id)
	seated.Flags |= timeline.Out
	stock.Draft(t).Replace(seated)
	u.Hold = id
	return nil, nil
}

// inTheWayOf are the holds on some slots of a lot that a unit without room would meet there, and where those are none,
// what waits there and is counted. Where that is none either it is in its own way: its slot ends before.
func inTheWayOf(t *base.Tx, n timeline.Hold, lot timeline.LotNo, slots ...timeline.SlotNo) (ids []base.ID) {
	s := stock.Draft(t).Stock()
	for _, no := range slots {
		for h := range s.Holds(no, n.Seat()) {
			if h.ID != n.ID {
				ids = append(ids, h.ID)
			}
		}
	}
	if ids == nil {
		for h := range s.ConflictsIn(stock.Around(t.Acc, timeline.LotRef(lot)), n.Seat()) {
			ids = append(ids, h.ID)
		}
	}
	if ids == nil {
		ids = append(ids, n.ID)
	}
	return ids
}
