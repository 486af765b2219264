package engine

import (
	"holdfast/timeline"
)

// This file owns the way of a unit to the customer and back: prepared, handed over, returned.

// editUnits gives an order to change in place whose state allows something to be done with units: those named, which are its
// own, or all that can.
func (t *tx) editUnits(a OrderAction, id ID, units []ID) (*Order, error) {
	n, err := t.edit(id)
	if err != nil {
		return nil, err
	}
	for _, x := range n.named(units) {
		if x.unit == nil {
			return nil, notFound("stock item of this order")
		}
	}
	return n, n.allow(a)
}

// named are units of an order by their ids, which are distinct, in the order of those. What the order has not has no unit.
func (o *Order) named(ids []ID) []unitOfLine {
	list, at := make([]unitOfLine, len(ids)), make(map[ID]int, len(ids))
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
func (o *Order) unitsNamed(ids []ID, can func(*OrderLine, *OrderUnit) bool) (list []unitOfLine, err error) {
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
func unitState(u *OrderUnit) *Error {
	d := StateDetails{State: u.State.String()}
	switch u.State {
	case Pending:
		d.Allowed = []string{string(Prepare), string(Fulfill), string(Assign), string(CancelItem)}
	case Prepared:
		d.Allowed = []string{string(Fulfill), string(Assign), string(CancelItem), string(Undo)}
	case Fulfilled:
		d.Allowed = []string{string(Return), string(Undo)}
	case Returned:
		d.Allowed = []string{string(Ready), string(Undo)}
	}
	return &Error{Code: CodeStateNotAllowed, Detail: "the stock item is " + d.State, Details: d}
}

// PrepareOrder says that units lie ready. It answers with the *OrderRecord.
type PrepareOrder struct {
	ID    ID
	Units []ID // nil: all that can
}

func (o PrepareOrder) Check() []Fault {
	var c checker
	c.distinct("/stockItemIds", o.Units, maxUnits)
	return c.faults
}

func (o PrepareOrder) plan(t *tx) (any, error) {
	n, err := t.editUnits(Prepare, o.ID, o.Units)
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
	return t.answer(n), nil
}

func (PrepareOrder) result() any { return new(OrderRecord) }

// FulfillOrder hands units over: for good what is sold, until they come back the others. One handed over before its time is
// taken from then on. It answers with the *OrderRecord.
type FulfillOrder struct {
	ID    ID
	Units []ID   // nil: all that can
	At    *int64 // nil: now
	Ready bool   // what has come back and lies in its buffer on the very slot of a unit is ready
}

func (o FulfillOrder) Check() []Fault {
	var c checker
	c.distinct("/stockItemIds", o.Units, maxUnits)
	c.optionalInstant("/at", o.At)
	return c.faults
}

// happened is the instant at which something was done: not later than now.
func (t *tx) happened(at *int64) (int64, error) {
	if at == nil {
		return t.now, nil
	}
	if *at > t.now {
		return 0, invalid([]Fault{{Pointer: "/at", Code: "range", Message: "must not be later than now"}})
	}
	return max(*at, 1), nil // 0 says that it has not happened
}

func (o FulfillOrder) plan(t *tx) (any, error) {
	n, err := t.editUnits(Fulfill, o.ID, o.Units)
	if err != nil {
		return nil, err
	}
	at, err := t.happened(o.At)
	if err != nil {
		return nil, err
	}
	units, err := n.unitsNamed(o.Units, func(_ *OrderLine, u *OrderUnit) bool { return u.State == Pending || u.State == Prepared })
	if err != nil {
		return nil, err
	}
	if len(units) == 0 {
		return nil, refuse(CodeConflict, "the order has nothing that waits to be handed over")
	}
	if o.Ready { // before the first of them makes room for itself, which may put others on other units
		for _, x := range units {
			if h, place, ok := t.draft().Find(x.unit.Hold); ok && place.Seated() && at < h.Body().Start {
				t.clear(place)
			}
		}
	}
	var short []Shortage
	refused := map[int]bool{}
	for i, x := range units {
		if refused[x.no] {
			continue // one unit that cannot be had says it for its line
		}
		s, err := t.handOver(x, at)
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
		return nil, insufficient(short)
	}
	t.seatFreed()
	return t.answer(n), nil
}

func (FulfillOrder) result() any { return new(OrderRecord) }

// handOver hands one unit over. It says what is short where the unit cannot be had: by seats alone, as the unit lies on the counter and a conflict
// that is counted beside it has none.
func (t *tx) handOver(x unitOfLine, at int64) (*Shortage, error) {
	d := t.draft()
	h, place, ok := d.Find(x.unit.Hold)
	if !ok {
		return nil, unitState(x.unit)
	}
	body, sold := h.Body(), h.Kind == timeline.SalesReservation
	if body.End <= t.now && !sold {
		return nil, &Error{Code: CodeStateNotAllowed, Detail: "the period of line " + itoa(x.no) + " is over; give it another end first",
			Details: StateDetails{State: x.unit.State.String(), Allowed: []string{string(Extend)}}}
	}
	if !place.Seated() {
		seat, ok := t.seatConflict(h.ID)
		if !ok && h.Flags.Has(timeline.OneWay) { // it lies on the counter, whoever counts on it later
			seat, ok = t.seatWindow(h)
		}
		if !ok {
			return t.shortOf(x, h, place), nil
		}
		place = seat
		h, _, _ = d.Find(h.ID)
	}
	if ends := sold && body.End != Forever; at < body.Start || ends {
		body.Start = min(at, body.Start)
		if ends { // an older program let it be moved to dates with an end: whoever is behind that goes elsewhere
			body.End = Forever
		}
		lot := d.Lot(place.Lot)
		pool := timeline.LotRef(place.Lot)
		if lot.Pool != 0 {
			pool = timeline.SKURef(lot.Pool)
		}
		n := t.handedOver(h, lot, body)
		seat, why := d.Reseat(pool, n)
		if why != timeline.Granted {
			return t.shortOf(x, h, place), nil
		}
		h, place = n, seat
	}
	x.unit.WasReady = x.unit.State == Prepared
	if sold {
		t.sell(x.unit, h, place, at)
		return nil, nil
	}
	h.Flags |= timeline.Out
	d.Replace(h)
	t.settleUnits(h.ID)
	x.unit.State, x.unit.Handed = Fulfilled, at
	return nil, nil
}

// shortOf says what stands in the way of a unit of a line, beside itself.
func (t *tx) shortOf(x unitOfLine, h timeline.Hold, at timeline.Place) *Shortage {
	d := t.draft()
	t.seating().stock = d.Fork()
	t.seating().stock.Take(h.ID)
	defer func() { t.seating().stock = d }()
	if was, from, ok := t.acc.stock.Find(h.ID); ok && t.explain {
		t.inTheWay().gone = []timeline.Placed{{Hold: was, Place: from}}
	}
	lot := d.Stock().Lot(at.Lot)
	q := request{line: x.no, body: Span{Start: min(t.now, h.Body().Start), End: h.Body().End}, quantity: 1, location: t.acc.locations().No(lot.Location)}
	q.article = t.acc.articles().No(lot.Article)
	if q.article == nil || q.location == nil {
		return &Shortage{Line: x.no, Requested: 1, Reason: timeline.NotEnoughStock.String()}
	}
	if !h.Flags.Has(timeline.PinnedArticle) {
		sku := q.article.SKU // what has a unit is short of room around it, what waits is short of its own SKU
		if made := t.acc.madeFor(h, q.article); made != (ID{}) && !at.Seated() {
			sku = &made
		}
		if sku != nil {
			q.sku, q.article = t.acc.skus().Get(*sku), nil
		}
	}
	q.proto = h
	sources := t.acc.sources(nil, q.article, q.sku, q.location, q.body, t.now)
	return t.shortage(&q, meeting(t.seating().stock.Stock(), sources, q.asks(), t.now), timeline.NotEnoughStock)
}

// ReturnOrder takes units back. What is left of their time is free, but for the buffer that begins then. A unit that comes
// back at another location than the one that it was taken at stays there. It answers with the *OrderRecord.
type ReturnOrder struct {
	ID    ID
	Units []ID   // nil: all that can
	At    *int64 // nil: now
}

func (o ReturnOrder) Check() []Fault {
	var c checker
	c.distinct("/stockItemIds", o.Units, maxUnits)
	c.optionalInstant("/at", o.At)
	return c.faults
}

func (o ReturnOrder) plan(t *tx) (any, error) {
	n, err := t.editUnits(Return, o.ID, o.Units)
	if err != nil {
		return nil, err
	}
	at, err := t.happened(o.At)
	if err != nil {
		return nil, err
	}
	units, err := n.unitsNamed(o.Units, func(l *OrderLine, u *OrderUnit) bool {
		return u.State == Fulfilled && l.Purchase.Type() != PurchaseSale
	})
	if err != nil {
		return nil, err
	}
	if len(units) == 0 {
		return nil, refuse(CodeConflict, "the order has nothing that is out")
	}
	back := make([]bool, len(n.Lines))
	for _, x := range units {
		if at < x.unit.Handed {
			return nil, invalid([]Fault{{Pointer: "/at", Code: "range", Message: "must not be earlier than the hand-over"}})
		}
		t.takeBack(n, x.unit, at)
		back[x.no] = true
	}
	for i := range n.Lines {
		l := &n.Lines[i]
		if s := l.Subscription; back[i] && s != nil && !s.over() && l.Fulfillment() == Returned {
			s.end(at)
		}
	}
	t.seatFreed()
	return t.answer(n), nil
}

func (ReturnOrder) result() any { return new(OrderRecord) }

// takeBack ends a unit's time.
func (t *tx) takeBack(o *Order, u *OrderUnit, at int64) {
	u.State, u.Returned = Returned, at
	h, place, ok := t.draft().Find(u.Hold)
	if !ok {
		return
	}
	body := h.Body()
	body.End = at
	h.Flags |= timeline.Back
	n := t.handedOver(h, t.draft().Lot(place.Lot), body)
	leaves := n.Span.End
	if at <= body.Start || n.Span.End <= h.Seat().Start { // no time has gone by that it took room for
		leaves = max(at, t.now)
		t.free(u)
		u.Lot = place.Lot
		t.settleUnits(h.ID)
	} else {
		t.stretchTo(h, place, n, true)
	}
	if to := t.acc.locations().Get(o.Return); !t.departed(h.ID) && o.Return != o.Pickup && to != nil {
		t.transferUnit(place.Lot, to, leaves)
	}
}
