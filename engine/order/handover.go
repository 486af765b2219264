package order

import (
	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the way of a unit to the customer and back: prepared, handed over, returned.

// editUnits gives an order to change in place whose state allows something to be done with units: those named, which
// are its own, or all that can.
func editUnits(t *base.Tx, a OrderAction, id base.ID, units []base.ID) (*Order, error) {
	n, err := Edit(t, id)
	if err != nil {
		return nil, err
	}
	for _, x := range n.named(units) {
		if x.unit == nil {
			return nil, base.NotFound("stock item of this order")
		}
	}
	return n, n.allow(a)
}

// named are units of an order by their ids, which are distinct, in the order of the ids. For an id that is not in the
// order, unit is nil.
func (o *Order) named(ids []base.ID) []unitOfLine {
	list, at := make([]unitOfLine, len(ids)), make(map[base.ID]int, len(ids))
	for i, id := range ids {
		at[id] = i
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range l.Units {
			if k, is := at[l.Units[j].ID]; is {
				list[k] = unitOfLine{i, l, &l.Units[j]}
			}
		}
	}
	return list
}

// unitsNamed are the units of an order that an operation is about: those named, which it knows, or all that can.
func (o *Order) unitsNamed(ids []base.ID, can func(*OrderLine, *OrderUnit) bool) (list []unitOfLine, err error) {
	if ids == nil {
		for i := range o.Lines {
			l := &o.Lines[i]
			for j := range l.Units {
				if can(l, &l.Units[j]) {
					list = append(list, unitOfLine{i, l, &l.Units[j]})
				}
			}
		}
		return list, nil
	}
	list = o.named(ids)
	for _, x := range list {
		if !can(x.line, x.unit) {
			return nil, unitState(x.unit)
		}
	}
	return list, nil
}

// unitOfLine is a unit with its line.
type unitOfLine struct {
	no   int
	line *OrderLine
	unit *OrderUnit
}

// unitsOfLine counts the units that are of one line.
func unitsOfLine(units []unitOfLine, no int) (n int) {
	for i := range units {
		if units[i].no == no {
			n++
		}
	}
	return n
}

// unitState is the refusal of what a unit's state does not allow.
func unitState(u *OrderUnit) *base.Error {
	d := base.StateDetails{State: u.State.String()}
	switch u.State {
	case Pending:
		d.Allowed = operationsOf(Prepare, Fulfill, Assign, CancelItem)
	case Prepared:
		d.Allowed = operationsOf(Fulfill, Assign, CancelItem, Undo)
	case Fulfilled:
		d.Allowed = operationsOf(Return, Undo)
	case Returned:
		d.Allowed = operationsOf(Ready, Undo)
	}
	return &base.Error{Code: base.CodeStateNotAllowed, Detail: "the stock item is " + d.State, Details: d}
}

// PrepareOrder says that units lie ready.
type PrepareOrder struct {
	base.Answers[*OrderRecord]
	ID    base.ID
	Units []base.ID // nil: all that can
}

func (o PrepareOrder) Check(c *base.Checker) { c.Distinct("/stockItemIds", o.Units, base.MaxUnits) }

func (o PrepareOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := editUnits(t, Prepare, o.ID, o.Units)
	if err != nil {
		return nil, err
	}
	units, err := n.unitsNamed(o.Units, func(_ *OrderLine, u *OrderUnit) bool {
		return u.State == Pending || u.State == Prepared && o.Units != nil
	})
	if err != nil {
		return nil, err
	}
	for _, x := range units {
		x.unit.State = Prepared
	}
	return answer(t, n), nil
}

// FulfillOrder hands units over: for good what is sold, until they come back the others. One handed over before its
// time is taken from then on.
type FulfillOrder struct {
	base.Answers[*OrderRecord]
	ID    base.ID
	Units []base.ID // nil: all that can
	At    *int64    // nil: now
	Ready bool      // what has come back and lies in its buffer on the very slot of a unit is ready
}

func (o FulfillOrder) Check(c *base.Checker) {
	c.Distinct("/stockItemIds", o.Units, base.MaxUnits)
	c.OptionalInstant("/at", o.At)
}

// happened is the instant at which something was done: not later than now.
func happened(t *base.Tx, at *int64) (int64, error) {
	if at == nil {
		return t.Now, nil
	}
	if *at > t.Now {
		return 0, base.InvalidAt("/at", "range", "must not be later than now")
	}
	return max(*at, 1), nil // 0 says that it has not happened
}

func (o FulfillOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := editUnits(t, Fulfill, o.ID, o.Units)
	if err != nil {
		return nil, err
	}
	at, err := happened(t, o.At)
	if err != nil {
		return nil, err
	}
	units, err := n.unitsNamed(o.Units,
		func(_ *OrderLine, u *OrderUnit) bool { return u.State == Pending || u.State == Prepared })
	if err != nil {
		return nil, err
	}
	if len(units) == 0 {
		return nil, base.Refuse(base.CodeConflict, "the order has nothing that waits to be handed over")
	}
	if o.Ready { // before the first of them makes room for itself, which may put others on other units
		for _, x := range units {
			if h, place, ok := stock.Draft(t).Find(x.unit.Hold); ok && place.Seated() && at < h.Body().Start {
				clearBuffer(t, place)
			}
		}
	}
	var short []base.Shortage
	refused := map[int]bool{}
	for i, x := range units {
		if refused[x.no] {
			continue // one unavailable unit is enough to refuse its line
		}
		s, err := handOver(t, x, at)
		if err != nil {
			return nil, err
		}
		if s != nil {
			refused[x.no] = true
			s.Available = unitsOfLine(units[:i], x.no)
			s.Requested = s.Available + unitsOfLine(units[i:], x.no)
			short = append(short, *s)
		}
	}
	if len(short) > 0 {
		return nil, stock.Insufficient(t, short)
	}
	stock.SeatFreed(t)
	return answer(t, n), nil
}

// handOver hands one unit over. If there is no unit, it says what is short. It judges by seats alone: the unit lies on
// the counter, and a conflict is counted but has no unit.
func handOver(t *base.Tx, x unitOfLine, at int64) (*base.Shortage, error) {
	d := stock.Draft(t)
	h, place, ok := d.Find(x.unit.Hold)
	if !ok {
		return nil, unitState(x.unit)
	}
	body, sold := h.Body(), h.Kind == timeline.SalesReservation
	if body.End <= t.Now && !sold {
		return nil, base.NotAllowed("the period of line "+base.Itoa(x.no)+" is over; give it another end first",
			x.unit.State.String(), string(Extend))
	}
	if !place.Seated() {
		seat, ok := stock.SeatConflict(t, h.ID)
		if !ok && h.Flags.Has(timeline.OneWay) { // it lies on the counter, even if other holds count on it later
			seat, ok = stock.SeatWindow(t, h)
		}
		if !ok {
			return shortOf(t, x, h, place), nil
		}
		place = seat
		h, _, _ = d.Find(h.ID)
	}
	if ends := sold && body.End != base.Forever; at < body.Start || ends {
		body.Start = min(at, body.Start)
		if ends { // an older program let it be moved to dates with an end: later holds go elsewhere
			body.End = base.Forever
		}
		lot := d.Lot(place.Lot)
		pool := timeline.LotRef(place.Lot)
		if lot.Pool != 0 {
			pool = timeline.SKURef(lot.Pool)
		}
		n := stock.HandedOver(t, h, lot, body)
		seat, why := d.Reseat(pool, n)
		if why != timeline.Granted {
			return shortOf(t, x, h, place), nil
		}
		if n.Span.End < h.Span.End || seat != place { // the buffer is shorter by now, or it left its slot
			stock.Freed(t, h.Span, place)
		}
		h, place = n, seat
	}
	x.unit.WasReady = x.unit.State == Prepared
	if sold {
		sell(t, x.unit, h, place, at)
		return nil, nil
	}
	h.Flags |= timeline.Out
	d.Replace(h)
	if at < t.Now { // put down later: it was out from then on, where its slot had room
		d.Stretch(h.WithCut(0))
	}
	stock.SettleUnits(t, h.ID)
	x.unit.State, x.unit.Handed = Fulfilled, at
	return nil, nil
}

// shortOf says what stands in the way of a unit of a line, other than the unit itself.
func shortOf(t *base.Tx, x unitOfLine, h timeline.Hold, at timeline.Place) *base.Shortage {
	d := stock.Draft(t)
	stock.Seating(t).Stock = d.Fork()
	stock.Seating(t).Stock.Take(h.ID)
	defer func() { stock.Seating(t).Stock = d }()
	if was, from, ok := t.Acc.Stock.Find(h.ID); ok && t.Explain {
		stock.NotedInTheWay(t).Gone = []timeline.Placed{{Hold: was, Place: from}}
	}
	lot := d.Stock().Lot(at.Lot)
	q := stock.Request{Line: x.no, Body: base.Span{Start: min(t.Now, h.Body().Start), End: h.Body().End}, Quantity: 1,
		Location: stock.LocationTable(t.Acc).No(lot.Location)}
	q.Article = stock.ArticleTable(t.Acc).No(lot.Article)
	if q.Article == nil || q.Location == nil {
		return &base.Shortage{Line: x.no, Requested: 1, Reason: timeline.NotEnoughStock.String()}
	}
	if !h.Flags.Has(timeline.PinnedArticle) {
		sku := q.Article.SKU // what has a unit is short of room around it, what waits is short of its own SKU
		if made := stock.MadeFor(t.Acc, h, q.Article); made != (base.ID{}) && !at.Seated() {
			sku = &made
		}
		if sku != nil {
			q.SKU, q.Article = stock.SKUTable(t.Acc).Get(*sku), nil
		}
	}
	q.Proto = h
	sources := stock.Sources(t.Acc, nil, q.Article, q.SKU, q.Location, q.Body, t.Now)
	return stock.Shortage(t, &q, stock.Meeting(stock.Seating(t).Stock.Stock(), sources, q.Asks(), t.Now),
		timeline.NotEnoughStock)
}

// ReturnOrder takes units back. The rest of their time is free, except for the buffer that begins then. A unit that
// comes back at another location than the one that it was taken at stays there.
type ReturnOrder struct {
	base.Answers[*OrderRecord]
	ID    base.ID
	Units []base.ID // nil: all that can
	At    *int64    // nil: now
}

func (o ReturnOrder) Check(c *base.Checker) {
	c.Distinct("/stockItemIds", o.Units, base.MaxUnits)
	c.OptionalInstant("/at", o.At)
}

func (o ReturnOrder) PlanOn(t *base.Tx) (any, error) {
	n, err := editUnits(t, Return, o.ID, o.Units)
	if err != nil {
		return nil, err
	}
	at, err := happened(t, o.At)
	if err != nil {
		return nil, err
	}
	units, err := n.unitsNamed(o.Units, func(l *OrderLine, u *OrderUnit) bool {
		return u.State == Fulfilled && l.Purchase.Type() != base.PurchaseSale
	})
	if err != nil {
		return nil, err
	}
	if len(units) == 0 {
		return nil, base.Refuse(base.CodeConflict, "the order has nothing that is out")
	}
	back := make([]bool, len(n.Lines))
	for _, x := range units {
		if at < x.unit.Handed {
			return nil, base.InvalidAt("/at", "range", "must not be earlier than the hand-over")
		}
		takeBack(t, n, x.unit, at)
		back[x.no] = true
	}
	for i := range n.Lines {
		if back[i] {
			n.Lines[i].endIfSettled(at)
		}
	}
	stock.SeatFreed(t)
	return answer(t, n), nil
}

// takeBack ends a unit's time.
func takeBack(t *base.Tx, o *Order, u *OrderUnit, at int64) {
	u.State, u.Returned = Returned, at
	h, place, ok := stock.Draft(t).Find(u.Hold)
	if !ok {
		return
	}
	body := h.Body()
	body.End = at
	h.Flags |= timeline.Back
	n := stock.HandedOver(t, h, stock.Draft(t).Lot(place.Lot), body)
	leaves, to := n.Span.End, stock.LocationTable(t.Acc).Get(o.Return)
	goes := o.Return != o.Pickup && to != nil
	if at <= body.Start || n.Span.End <= h.Seat().Start { // no time has gone by that it took room for
		leaves = max(at, t.Now)
		if goes {
			stock.Loosen(t, h.ID)
		}
		free(t, u)
		u.Lot = place.Lot
		if !goes {
			stock.SettleUnits(t, h.ID)
		}
	} else {
		stock.StretchTo(t, h, place, n, true)
	}
	if !stock.Departed(t, h.ID) && goes {
		stock.TransferUnit(t, place.Lot, to, leaves)
		stock.Arrived(t, h.ID)
	}
}
