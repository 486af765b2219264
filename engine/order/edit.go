package order

import (
	"bytes"
	"reflect"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
)

// This file owns how a plan changes orders: each change goes through edit, and its result is recorded once, after the
// plan. So no operation can forget a revision or an event.

// orderEdit is what a plan makes of one order.
type orderEdit struct {
	before  *Order  // nil: it is made
	image   *[]byte // before without its units, as it is written, once that was asked for
	now     *Order  // nil: it goes
	kept    bool    // it is given what an older program did not keep, which is no change of what it says
	settled bool    // now is as settle leaves it, and changed what settle says
	changed bool

	assigned []base.ID // holds of units whose article somebody has named, or left to the service again
}

// ordering is what a plan makes of orders, and of the records that they name.
type ordering struct {
	edits  []*orderEdit
	named  Edits
	looked commerce.Looked // for combinations of rows
}

var orderingPlace = base.RegisterPlace[ordering]()

// orderingOf is what a plan knows of the orders that it changes.
func orderingOf(t *base.Tx) *ordering { return orderingPlace.On(&t.Shelf) }

// Edited is how many orders a plan has looked into so far, to change them.
func Edited(t *base.Tx) int { return len(orderingOf(t).edits) }

// editOf is what the plan has made of an order so far, or nil.
func editOf(t *base.Tx, id base.ID) *orderEdit {
	for _, e := range orderingOf(t).edits {
		if e.before != nil && e.before.ID == id || e.now != nil && e.now.ID == id {
			return e
		}
	}
	return nil
}

// order is an order as the plan leaves it, to read; nil: there is none.
func order(t *base.Tx, id base.ID) *Order {
	if e := editOf(t, id); e != nil {
		return e.now
	}
	return OrderTable(t.Acc).Get(id)
}

// Edit gives an order to change in place. It may be changed until it is answered (answer); after that, call Edit again.
func Edit(t *base.Tx, id base.ID) (*Order, error) {
	if e := editOf(t, id); e != nil && e.now != nil {
		e.settled = false
		return e.now, nil
	}
	o := order(t, id)
	if o == nil {
		return nil, base.NotFound("order")
	}
	n := o.Clone()
	keep(t, &orderEdit{before: o, now: n})
	return n, nil
}

// editMatching is Edit of an order in a revision that the caller accepts.
func editMatching(t *base.Tx, id base.ID, ifMatch base.IfMatch) (*Order, error) {
	o := order(t, id)
	if o == nil {
		return nil, base.NotFound("order")
	}
	if err := ifMatch.Match(o.Revision); err != nil {
		return nil, err
	}
	return Edit(t, id)
}

// editFor is editMatching of an order whose state allows what is to be done with it.
func editFor(t *base.Tx, a OrderAction, id base.ID, ifMatch base.IfMatch) (*Order, error) {
	n, err := editMatching(t, id, ifMatch)
	if err != nil {
		return nil, err
	}
	return n, n.allow(a)
}

// editLine is editMatching of an order that has a line, and says where. A line that it has not counts more than its
// revision.
func editLine(t *base.Tx, made, line base.ID, ifMatch base.IfMatch) (n *Order, i int, err error) {
	if o := order(t, made); o != nil && o.line(line) < 0 {
		return nil, 0, base.NotFound("line item of this order")
	}
	if n, err = editMatching(t, made, ifMatch); err != nil {
		return nil, 0, err
	}
	return n, n.line(line), nil
}

// add has the plan make an order.
func add(t *base.Tx, o *Order) { keep(t, &orderEdit{now: o}) }

func keep(t *base.Tx, e *orderEdit) {
	x := orderingOf(t)
	x.edits, stock.Seating(t).Choosy = append(x.edits, e), true
}

// drop has the plan remove an order.
func drop(t *base.Tx, id base.ID) error {
	if _, err := Edit(t, id); err != nil {
		return err
	}
	editOf(t, id).now = nil
	return nil
}

// settle makes an order that was changed consistent, and the next revision, and says whether it is another than before.
func settle(t *base.Tx, e *orderEdit) (changed bool) {
	if e.settled {
		return e.changed
	}
	n := e.now
	n.derive()
	e.settled, e.changed = true, true
	if e.before != nil {
		n.UpdatedAt, n.UpdatedBy, n.Revision = e.before.UpdatedAt, e.before.UpdatedBy, e.before.Revision
		moved := e.movedByHand(t)
		n.keepDates(e.before)
		if e.changed = len(moved) > 0 || !n.sameUnits(e.before) || e.othersChanged(); !e.changed {
			// units first: where one is another, no order of many lines has to be written to see it
			return false
		}
		if e.kept && e.saysTheSame() {
			return true
		}
		n.date(e.before, moved, t.Now)
		n.Revision++
	} else {
		n.Revision = 1
	}
	n.UpdatedAt, n.UpdatedBy = t.Now, base.NewWord(t.Actor)
	return true
}

// movedByHand are those of the assigned holds that are of another article now. Where the article of a unit was named
// before, nothing else of the order differs.
func (e *orderEdit) movedByHand(t *base.Tx) (holds map[base.ID]bool) {
	for _, id := range e.assigned {
		_, from, was := t.Acc.Stock.Find(id)
		if _, to, is := stock.Draft(t).Find(id); was && is && elsewhere(t, from, to) {
			if holds == nil {
				holds = map[base.ID]bool{}
			}
			holds[id] = true
		}
	}
	return holds
}

// assigned notes that somebody has named the article of a unit, or left it to the service again.
func assigned(t *base.Tx, o *Order, u *OrderUnit) {
	e := editOf(t, o.ID)
	e.assigned = append(e.assigned, u.Hold)
}

// othersChanged says that an order is another than before in what is not its units.
func (e *orderEdit) othersChanged() bool {
	if e.image == nil {
		image := encodeOrder(nil, e.before)
		e.image = &image
	}
	return !bytes.Equal(*e.image, encodeOrder(nil, e.now))
}

// saysTheSame says that an order differs from what it was only in what older programs did not keep.
func (e *orderEdit) saysTheSame() bool {
	was := e.before.Clone()
	was.OrderCopies, was.Departs = e.now.OrderCopies, e.now.Departs
	for i := range min(len(was.Lines), len(e.now.Lines)) {
		was.Lines[i].Terms = e.now.Lines[i].Terms
	}
	return base.Alike(encodeOrder, was, e.now) && e.now.sameUnits(e.before)
}

// keepDates has the lines and units of an order say that they were last changed when they were before.
func (o *Order) keepDates(before *Order) {
	for i := range o.Lines {
		l := &o.Lines[i]
		if k := before.lineLike(i, l.ID); k >= 0 {
			l.UpdatedAt = before.Lines[k].UpdatedAt
			eachUnit(l, &before.Lines[k], func(u, was *OrderUnit) {
				if u.UpdatedAt = 0; was != nil {
					u.UpdatedAt = was.UpdatedAt
				}
			})
		}
	}
}

// date says that the lines and units of an order were changed now of which its record shows something else than before;
// moved are the holds of those units that somebody has put on another article.
func (o *Order) date(before *Order, moved map[base.ID]bool, now int64) {
	was, is := before.ShownLines(), o.ShownLines()
	for i := range o.Lines {
		l := &o.Lines[i]
		k := before.lineLike(i, l.ID)
		if k < 0 {
			continue
		}
		old := &before.Lines[k]
		if !reflect.DeepEqual(was[k], is[i]) {
			l.UpdatedAt = now
		}
		all := before.shownByUnits(old) != o.shownByUnits(l)
		eachUnit(l, old, func(u, was *OrderUnit) {
			if was != nil && (all || *u != *was || moved[u.Hold] || u.Handed == 0 && l.From != old.From ||
				u.Returned == 0 && l.To != old.To) {
				u.UpdatedAt = now
			}
		})
	}
}

// lineLike finds a line by its id, first at the place where it stands unless lines before it are gone, or -1.
func (o *Order) lineLike(i int, id base.ID) int {
	if i < len(o.Lines) && o.Lines[i].ID == id {
		return i
	}
	return o.line(id)
}

// eachUnit visits the units of a line with what each was before, or nil.
func eachUnit(l, before *OrderLine, visit func(u, was *OrderUnit)) {
	var by map[base.ID]*OrderUnit // where they do not stand where they stood
	for j := range l.Units {
		u := &l.Units[j]
		if j < len(before.Units) && before.Units[j].ID == u.ID {
			visit(u, &before.Units[j])
			continue
		}
		if by == nil {
			by = make(map[base.ID]*OrderUnit, len(before.Units))
			for k := range before.Units {
				by[before.Units[k].ID] = &before.Units[k]
			}
		}
		visit(u, by[u.ID])
	}
}

// answer is an order's record as the plan leaves it.
func answer(t *base.Tx, o *Order) *OrderRecord {
	if e := editOf(t, o.ID); e != nil {
		settle(t, e)
	}
	return shown(t, o)
}

// shown is the record of an order that is settled, with what the plan makes of the records that it names.
func shown(t *base.Tx, o *Order) *OrderRecord {
	orderingOf(t).named.read(t.Set)
	orderingOf(t).named.now = t.Now
	return RecordWith(t.Acc, o, stock.Draft(t).Stock(), &orderingOf(t).named, base.MaxListed)
}

// RecordOrders adds what the plan has made of orders to the write set.
func RecordOrders(t *base.Tx) {
	if !orderingPlace.Made(&t.Shelf) {
		return
	}
	for _, e := range orderingOf(t).edits {
		if e.now != nil && !settle(t, e) || e.now == nil && e.before == nil {
			continue
		}
		c := &base.Change[Order]{Kind: OrderKind, Before: e.before, After: e.now}
		if e.before != nil {
			c.Image = e.image
		}
		t.Set = append(t.Set, c)
		recordUnits(t, e.before, e.now)
	}
}

// derive works out what of an order follows from its lines: how far it is, and when time next changes it.
func (o *Order) derive() {
	if o.Status == OrderOpen || o.Status == OrderActive {
		o.Status = o.stage()
	}
	o.Due = 0
	for i := range o.Lines {
		if at := o.Lines[i].due(); at != 0 && (o.Due == 0 || at < o.Due) && o.Status != OrderDraft {
			o.Due = at
		}
	}
}

// stage is where an order is that takes stock: closed when everything sold is handed over, everything rented is back,
// and the rest is cancelled.
func (o *Order) stage() OrderStatus {
	handed, waits := false, o.UnitCount() == 0
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range l.Units {
			u := &l.Units[j]
			handed = handed || u.Handed != 0
			waits = waits || !u.settled(l.Purchase)
		}
	}
	switch {
	case !waits:
		return OrderClosed
	case handed:
		return OrderActive
	}
	return OrderOpen
}

// settled says that nothing more is to happen to a unit.
func (u *OrderUnit) settled(p base.Purchase) bool {
	return u.State == Returned || u.State == Cancelled || u.State == Fulfilled && p.Type() == base.PurchaseSale
}

// tally counts how far units are together.
type tally struct{ live, prepared, handed, rented, back int }

func (c *tally) add(l *OrderLine) {
	for j := range l.Units {
		u := &l.Units[j]
		if u.State == Cancelled {
			continue
		}
		c.live++
		if l.Purchase.Type() != base.PurchaseSale {
			c.rented++
		}
		switch u.State {
		case Prepared:
			c.prepared++
		case Fulfilled:
			c.handed++
		case Returned:
			c.handed++
			c.back++
		}
	}
}

func (c *tally) state() Fulfillment {
	switch {
	case c.live == 0:
		return Cancelled
	case c.back > 0 && c.back == c.rented && c.handed == c.live:
		return Returned
	case c.back > 0:
		return PartiallyReturned
	case c.handed == c.live:
		return Fulfilled
	case c.handed > 0:
		return PartiallyFulfilled
	case c.prepared == c.live:
		return Prepared
	}
	return Pending
}

// Fulfillment is how far the units of an order are together.
func (o *Order) Fulfillment() Fulfillment {
	var c tally
	for i := range o.Lines {
		c.add(&o.Lines[i])
	}
	if o.UnitCount() == 0 && !o.Cancelled {
		return Pending // nothing is in it yet
	}
	return c.state()
}

// Fulfillment is how far the units of a line are together.
func (l *OrderLine) Fulfillment() Fulfillment {
	var c tally
	c.add(l)
	return c.state()
}
