package model

import (
	"slices"
	"strings"

	"holdfast/engine"
)

// This file owns orders: what the twin knows of them, and the commands that make, change and end them as a whole. Their
// lines are in order_line.go, a hold that becomes one in order_hold.go, how they take stock in order_stock.go, the way of their
// units in handover.go.

// Order is an order with its lines. Like the other records it is a value: who changes one has a copy.
type Order struct {
	ID             ID
	No             uint32
	Revision       uint64
	Status         engine.OrderStatus
	Cancelled      bool
	Archived       bool
	Pickup, Return ID
	Currency       string // of the account as it was made
	Customer       ID
	Note           string
	Lines          []OrderLine
	LastLine       uint16
	Codes          []AppliedCode
	Paid           map[Payment]int64
}

// OrderLine is a line item.
type OrderLine struct {
	ID          ID
	Item        engine.Item
	Purchase    engine.PurchaseType
	No          uint16
	Quantity    int
	Waived      int // of the quantity, as nobody fetched it: it costs nothing
	Window      Span
	FromOpening bool                // it begins when it takes stock
	Price       int64               // of one unit
	Own         bool                // the price was given
	Row         ID                  // what says it otherwise
	Sold        engine.PricingRow   // that row as it was when the line was sold by it
	Together    []engine.PricingRow // in place of it rows, as they were, of which the combination that asks least says it
	TaxRate     int64
	Note        string
	AddonOf     ID
	Requires    []engine.Requirement
	Booked      []engine.Component // of a kit, what one of it takes since the line was booked; nil: it is not, or nobody can say
	Units       []OrderUnit
	Subscribe   *Subscription
}

// endless is 1 of a booking without end, else 0.
func (l *OrderLine) endless() int {
	if l.Purchase == engine.PurchaseBooking && l.Window.End == Forever {
		return 1
	}
	return 0
}

// OrderUnit is an order stock item.
type OrderUnit struct {
	ID       ID
	Hold     ID // zero: it takes no stock
	State    engine.Fulfillment
	Handed   int64
	Returned int64
	Part     int
	Made     ID     // the SKU that it was made for; zero: an article
	ByHand   bool   // its article was named
	Lot      uint32 // that it was of as it was sold; 0: it is not
	Was      uint32 // that it was of as it came back before any time had gone by, else 0
	WasReady bool   // it lay ready before it was handed over

	Substitute bool // its article is none that its line may have
}

func (o *Order) clone() *Order {
	n := *o
	n.Lines = slices.Clone(o.Lines)
	for i := range n.Lines {
		l := &n.Lines[i]
		l.Units = slices.Clone(l.Units)
		if l.Subscribe != nil {
			c := *l.Subscribe
			l.Subscribe = &c
		}
	}
	n.Codes = slices.Clone(o.Codes)
	n.Paid = map[Payment]int64{}
	for k, v := range o.Paid {
		n.Paid[k] = v
	}
	return &n
}

func (a *Account) order(id ID) *Order {
	return find(a.Orders, func(o *Order) bool { return o.ID == id })
}

// Owner is the record that a unit belongs to.
func (a *Account) Owner(u Unit) ID {
	if !u.ordered() {
		if h, _ := a.held(u); h != nil {
			return h.ID
		}
		return u.Owner()
	}
	if o := find(a.Orders, func(o *Order) bool { return uint64(o.No) == u.Nth }); o != nil {
		return o.ID
	}
	return ID{}
}

// orderUnit is the stock item that a unit is of, or nil.
func (a *Account) orderUnit(hold ID) *OrderUnit {
	for _, o := range a.Orders {
		for i := range o.Lines {
			for j := range o.Lines[i].Units {
				if u := &o.Lines[i].Units[j]; u.Hold == hold {
					return u
				}
			}
		}
	}
	return nil
}

func (o *Order) line(id ID) int {
	return slices.IndexFunc(o.Lines, func(l OrderLine) bool { return l.ID == id })
}

// each goes through the units of an order with their lines.
func (o *Order) each(do func(l *OrderLine, u *OrderUnit)) {
	for i := range o.Lines {
		for j := range o.Lines[i].Units {
			do(&o.Lines[i], &o.Lines[i].Units[j])
		}
	}
}

// edit is a copy of an order in the account, to be changed.
func (s *step) edit(id ID) *Order {
	for i, o := range s.a.Orders {
		if o.ID == id {
			s.a.Orders[i] = o.clone()
			return s.a.Orders[i]
		}
	}
	return nil
}

// may are the operations that each state allows.
var may = map[engine.OrderStatus][]engine.OrderAction{
	engine.OrderDraft:  {engine.Confirm, engine.Cancel, engine.Delete, engine.Discount, engine.EditLines, engine.Extend},
	engine.OrderOpen:   {engine.Prepare, engine.Fulfill, engine.Undo, engine.Cancel, engine.CancelItem, engine.Delete, engine.Discount, engine.EditLines, engine.Extend, engine.Assign},
	engine.OrderActive: {engine.Fulfill, engine.Return, engine.Ready, engine.Undo, engine.CancelItem, engine.Extend, engine.Assign},
	engine.OrderClosed: {engine.Ready, engine.Undo, engine.Archive, engine.Unarchive, engine.Delete},
}

// with judges an operation on an order that some states do not allow.
func (s *step) with(id ID, action engine.OrderAction, err error, do func(o *Order) error) error {
	o := s.edit(id)
	switch {
	case o == nil:
		return refused(err, engine.CodeNotFound)
	case action != "" && !slices.Contains(may[o.Status], action):
		return refused(err, engine.CodeStateNotAllowed)
	}
	if fault := do(o); fault != nil {
		return fault
	}
	o.stage()
	return nil
}

// stage moves an order on that was handed over in part or as a whole, or of which all is cancelled.
func (o *Order) stage() {
	if o.Status != engine.OrderOpen && o.Status != engine.OrderActive {
		return
	}
	handed, left, units := false, false, 0
	o.each(func(l *OrderLine, u *OrderUnit) {
		units++
		handed = handed || u.Handed != 0
		done := u.State == engine.Returned || u.State == engine.Cancelled || u.State == engine.Fulfilled && l.Purchase == engine.PurchaseSale
		left = left || !done
	})
	switch {
	case units > 0 && !left:
		o.Status = engine.OrderClosed
	case handed:
		o.Status = engine.OrderActive
	default:
		o.Status = engine.OrderOpen
	}
}

// there says that an order, if it is one, has the units that are named.
func (s *step) there(id ID, units ...ID) bool {
	o, n := s.a.order(id), 0
	if o == nil {
		return true
	}
	o.each(func(_ *OrderLine, u *OrderUnit) {
		if slices.Contains(units, u.ID) {
			n++
		}
	})
	return n == len(units)
}

// listed says that an order has a line.
func (s *step) listed(order, line ID) bool {
	o := s.a.order(order)
	return o != nil && o.line(line) >= 0
}

// stale says that a command is on another revision of an order than the one that there is, which counts more than its state.
func (s *step) stale(op engine.Op) bool {
	var order ID
	var list []uint64
	switch o := op.(type) {
	case engine.PatchOrder:
		order, list = o.ID, o.IfMatch
	case engine.PatchOrderLine:
		order, list = o.Order, o.IfMatch
	case engine.DeleteOrderLine:
		order, list = o.Order, o.IfMatch
	case engine.DeleteOrder:
		order, list = o.ID, o.IfMatch
	case engine.RemoveDiscount:
		order, list = o.Order, o.IfMatch
	}
	return len(list) > 0 && !slices.Contains(list, s.a.order(order).Revision)
}

// misses says that a command names a line, a code, a unit or an article that is not there, which counts more than the state of the order.
func (s *step) misses(op engine.Op) bool {
	switch o := op.(type) {
	case engine.PrepareOrder:
		return !s.there(o.ID, o.Units...)
	case engine.FulfillOrder:
		return !s.there(o.ID, o.Units...)
	case engine.ReturnOrder:
		return !s.there(o.ID, o.Units...)
	case engine.ReadyUnit:
		return !s.there(o.Order, o.Unit)
	case engine.CancelUnit:
		return !s.there(o.Order, o.Unit)
	case engine.UndoOrder:
		return !s.there(o.ID, o.Units...)
	case engine.AssignUnit:
		return !s.there(o.Order, o.Unit) || s.a.article(o.Article) == nil
	case engine.UnassignUnit:
		return !s.there(o.Order, o.Unit)
	case engine.PatchOrderLine:
		return !s.listed(o.Order, o.ID)
	case engine.DeleteOrderLine:
		return !s.listed(o.Order, o.ID)
	case engine.PatchOrder:
		return s.a.order(o.ID) == nil
	case engine.DeleteOrder:
		return s.a.order(o.ID) == nil
	case engine.RemoveDiscount:
		n := s.a.order(o.Order)
		return n == nil || n.code(o.Code) < 0
	}
	return false
}

// senseless says that a command asks for something that no article can have, or names a row for another way to buy, which counts
// more than all else.
func (s *step) senseless(op engine.Op) bool {
	var lines []engine.OrderLineInput
	switch o := op.(type) {
	case engine.CreateOrder:
		lines = o.Lines
	case engine.AddOrderLines:
		lines = o.Lines
	case engine.OrderHold:
		return s.unfit(&o) || s.several(&o)
	}
	return slices.ContainsFunc(lines, func(l engine.OrderLineInput) bool {
		if l.PricingRow != nil && s.a.misfit(*l.PricingRow, l.Item, l.Purchase) {
			return true
		}
		if s.a.lacksTerms(&l) {
			return true
		}
		return slices.ContainsFunc(l.Requirements, func(q engine.Requirement) bool { return !s.a.sensible(q) })
	})
}

// orders judges the commands on orders.
func (s *step) orders(op engine.Op, res any, err error) error {
	rec, _ := res.(*engine.OrderRecord)
	s.said = rec
	if s.senseless(op) {
		return refused(err, engine.CodeInvalid)
	}
	if s.misses(op) {
		return refused(err, engine.CodeNotFound)
	}
	if s.stale(op) {
		s.a.Seen.Stale++
		return refused(err, engine.CodePrecondition)
	}
	switch o := op.(type) {
	case engine.CreateOrder:
		return s.createOrder(o, rec, err)
	case engine.OrderHold:
		return s.orderHold(o, rec, err)
	case engine.PatchOrder:
		return s.with(o.ID, "", err, func(n *Order) error { return s.patchOrder(n, o, err) })
	case engine.AddOrderLines:
		return s.with(o.Order, engine.EditLines, err, func(n *Order) error { return s.addLines(n, o.Lines, o.AllowOverbooked, rec, err) })
	case engine.PatchOrderLine:
		return s.patchLine(o, rec, err)
	case engine.DeleteOrderLine:
		return s.deleteLine(o, err)
	case engine.ConfirmOrder:
		return s.with(o.ID, engine.Confirm, err, func(n *Order) error {
			if len(n.Lines) == 0 {
				return refused(err, engine.CodeConflict)
			}
			n.Status = engine.OrderOpen
			return s.open(n, 0, o.AllowOverbooked, rec, err)
		})
	case engine.CancelOrder:
		return s.with(o.ID, engine.Cancel, err, func(n *Order) error {
			n.each(func(_ *OrderLine, u *OrderUnit) {
				s.free(u)
				u.State = engine.Cancelled
			})
			for i := range n.Lines {
				if b := n.Lines[i].Subscribe; b != nil {
					b.CancelAt, b.CancelledAt, b.NextBillingAt = s.now, s.now, 0
				}
			}
			for i := range n.Codes { // a draft was never sold: its codes can be used again
				if n.Status == engine.OrderDraft {
					s.use(n.Codes[i].ID, -1)
					n.Codes[i].Unused = true
				}
			}
			n.Status, n.Cancelled = engine.OrderClosed, true
			return refused(err, "")
		})
	case engine.ArchiveOrder:
		return s.with(o.ID, engine.Archive, err, func(n *Order) error {
			n.Archived = o.Archive
			return refused(err, "")
		})
	case engine.DeleteOrder:
		return s.with(o.ID, engine.Delete, err, func(n *Order) error {
			n.each(func(_ *OrderLine, u *OrderUnit) { s.free(u) })
			for _, c := range n.Codes {
				if !c.Unused {
					s.use(c.ID, -1)
				}
			}
			s.a.Orders = slices.DeleteFunc(s.a.Orders, func(x *Order) bool { return x.ID == n.ID })
			return refused(err, "")
		})
	case engine.PrepareOrder:
		return s.with(o.ID, engine.Prepare, err, func(n *Order) error {
			list, want := n.named(o.Units, func(_ *OrderLine, u *OrderUnit) bool {
				return u.State == engine.Pending || u.State == engine.Prepared && o.Units != nil
			})
			for _, x := range list {
				x.unit.State = engine.Prepared
			}
			return refused(err, want)
		})
	case engine.FulfillOrder:
		return s.with(o.ID, engine.Fulfill, err, func(n *Order) error { return s.fulfill(n, o, rec, err) })
	case engine.ReturnOrder:
		return s.with(o.ID, engine.Return, err, func(n *Order) error { return s.giveBack(n, o, err) })
	case engine.ReadyUnit:
		return s.with(o.Order, engine.Ready, err, func(n *Order) error { return s.ready(n, o, err) })
	case engine.CancelUnit:
		return s.with(o.Order, engine.CancelItem, err, func(n *Order) error { return s.cancelUnit(n, o, err) })
	case engine.UndoOrder:
		return s.with(o.ID, engine.Undo, err, func(n *Order) error { return s.undo(n, o, rec, err) })
	case engine.AssignUnit:
		return s.with(o.Order, engine.Assign, err, func(n *Order) error { return s.assign(n, o, err) })
	case engine.UnassignUnit:
		return s.with(o.Order, engine.Assign, err, func(n *Order) error { return s.unassign(n, o, err) })
	case engine.CancelSubscription:
		return s.cancelSubscription(o, err)
	case engine.AddPayment:
		return s.with(o.Order, "", err, func(n *Order) error { return n.pay(o, err) })
	case engine.CreateDiscountCode:
		if err := refused(err, ""); err != nil {
			return err
		}
		d := *res.(*engine.DiscountCode)
		if d.Currency = s.a.Currency; d.ValueType == engine.DiscountPercentage {
			d.Currency = ""
		}
		s.a.Codes = append(s.a.Codes, &d)
		return nil
	case engine.ApplyDiscount:
		return s.with(o.Order, engine.Discount, err, func(n *Order) error { return s.applyCode(n, o.Code, res, err) })
	case engine.RemoveDiscount:
		return s.removeCode(o, err)
	}
	return wrong("the twin does not know %T", op)
}

func (s *step) createOrder(o engine.CreateOrder, rec *engine.OrderRecord, err error) error {
	n := &Order{Currency: s.a.Currency, Pickup: o.Pickup, Return: o.Pickup, Status: o.Status, Paid: map[Payment]int64{}}
	if o.Return != nil {
		n.Return = *o.Return
	}
	if s.a.location(n.Pickup) == nil || s.a.location(n.Return) == nil {
		return refused(err, engine.CodeNotFound)
	}
	s.a.LastOrder++
	n.No = s.a.LastOrder
	if strings.HasPrefix(string(code(err)), "DISCOUNT_") { // the last that is judged
		for i := range o.Lines {
			l, refusal := s.newLine(n, &o.Lines[i])
			if n.Lines = append(n.Lines, l); refusal != "" {
				return refused(err, refusal)
			}
		}
		return refused(err, s.putCodes(n.numbered(), o.Discounts))
	}
	if fault := s.addLines(n, o.Lines, o.AllowOverbooked, rec, err); fault != nil || err != nil {
		return fault
	}
	if n.ID = rec.ID; rec.Number != n.No {
		return wrong("order %d has the number %d", n.No, rec.Number)
	}
	s.a.Orders = append(s.a.Orders, n)
	return refused(err, s.putCodes(n, o.Discounts))
}

// ids takes over the ids of lines and units that the command made.
func (o *Order) ids(rec *engine.OrderRecord) error {
	if len(rec.Lines) != len(o.Lines) {
		return wrong("order %d has %d lines, the twin has %d", o.No, len(rec.Lines), len(o.Lines))
	}
	for i := range o.Lines {
		l, r := &o.Lines[i], &rec.Lines[i]
		if l.ID == (ID{}) {
			l.ID = r.ID
			if l.Subscribe != nil && r.Subscription != nil {
				l.Subscribe.ID = r.Subscription.ID
			}
		}
		if len(l.Units) != len(r.Units) {
			return wrong("line %d of order %d has %d units, the twin has %d", i, o.No, len(r.Units), len(l.Units))
		}
		for j := range l.Units {
			if l.Units[j].ID == (ID{}) {
				l.Units[j].ID = r.Units[j].ID
			}
		}
	}
	return nil
}

// patchOrder judges a change of an order's own fields: where its stock is taken, which a draft may change, and where it comes back.
func (s *step) patchOrder(o *Order, op engine.PatchOrder, err error) error {
	if op.Note.Set {
		o.Note = op.Note.Value
	}
	elsewhere := op.Pickup.Set && op.Pickup.Value != o.Pickup
	if elsewhere && o.Status != engine.OrderDraft {
		return refused(err, engine.CodeStateNotAllowed)
	}
	follows, was := o.Return == o.Pickup, o.Return
	if elsewhere {
		o.Pickup = op.Pickup.Value
	}
	switch {
	case op.Return.Set && !op.Return.Null:
		o.Return = op.Return.Value
	case op.Return.Null, follows:
		o.Return = o.Pickup
	}
	if (op.Pickup.Set || op.Return.Set) && (s.a.location(o.Pickup) == nil || s.a.location(o.Return) == nil) {
		return refused(err, engine.CodeNotFound)
	}
	if o.Return != was && o.Status != engine.OrderDraft {
		if err := s.reroute(o, op.AllowOverbooked, err); err != nil {
			return err
		}
	}
	if elsewhere {
		for i := range o.Lines {
			s.quote(o, &o.Lines[i])
		}
		if !o.reprice() {
			return refused(err, engine.CodeInvalid)
		}
	}
	return refused(err, "")
}

// state is how far units are together; sale says of the i-th whether it is sold.
func state(units []OrderUnit, sale func(int) bool) engine.Fulfillment {
	var live, prepared, handed, rented, back int
	for i, u := range units {
		if u.State == engine.Cancelled {
			continue
		}
		live++
		if !sale(i) {
			rented++
		}
		switch u.State {
		case engine.Prepared:
			prepared++
		case engine.Fulfilled:
			handed++
		case engine.Returned:
			handed, back = handed+1, back+1
		}
	}
	switch {
	case live == 0:
		return engine.Cancelled
	case back > 0 && handed == live && back == rented:
		return engine.Returned
	case back > 0:
		return engine.PartiallyReturned
	case handed == live:
		return engine.Fulfilled
	case handed > 0:
		return engine.PartiallyFulfilled
	case prepared == live:
		return engine.Prepared
	}
	return engine.Pending
}

func (l *OrderLine) state() engine.Fulfillment {
	return state(l.Units, func(int) bool { return l.Purchase == engine.PurchaseSale })
}

func (o *Order) state() engine.Fulfillment {
	var units []OrderUnit
	var sales []bool
	o.each(func(l *OrderLine, u *OrderUnit) {
		units, sales = append(units, *u), append(sales, l.Purchase == engine.PurchaseSale)
	})
	if len(units) == 0 && !o.Cancelled {
		return engine.Pending
	}
	return state(units, func(i int) bool { return sales[i] })
}
