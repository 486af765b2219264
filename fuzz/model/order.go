package model

import (
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns orders: what the twin knows of them, and the commands that make, change and end them as a whole. Their
// lines are in order_line.go, a hold that becomes one in order_hold.go, how they take stock in order_stock.go, the way
// of their units in handover.go.

// Order is an order with its lines. Like the other records it is a value: code that changes one changes a copy.
type Order struct {
	ID             ID
	No             uint32
	Revision       uint64
	Status         order.OrderStatus
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
	Item        base.Item
	Purchase    base.PurchaseType
	No          uint16
	Quantity    int
	Waived      int // the part of the quantity that was not fetched: it costs nothing
	Window      Span
	FromOpening bool                // it begins when it takes stock
	Price       int64               // of one unit
	Own         bool                // the price was given
	Row         ID                  // what says it otherwise
	Sold        commerce.PricingRow // that row as it was when the line was sold by it
	// in place of it rows, as they were, of which the combination that asks least says it
	Together []commerce.PricingRow
	TaxRate  int64
	Note     string
	AddonOf  ID
	Requires []order.Requirement
	// of a kit, what one of it takes since the line was booked; nil: the line is not of a kit, or that is not known
	Booked    []commerce.Component
	Units     []OrderUnit
	Subscribe *Subscription
}

// endless is 1 of a booking without end, else 0.
func (l *OrderLine) endless() int {
	if l.Purchase == base.PurchaseBooking && l.Window.End == Forever {
		return 1
	}
	return 0
}

// OrderUnit is an order stock item.
type OrderUnit struct {
	ID       ID
	Hold     ID // zero: it takes no stock
	State    order.Fulfillment
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
var may = map[order.OrderStatus][]order.OrderAction{
	order.OrderDraft: {order.Confirm, order.Cancel, order.Delete, order.Discount, order.EditLines, order.Extend},
	order.OrderOpen: {order.Prepare, order.Fulfill, order.Undo, order.Cancel, order.CancelItem, order.Delete,
		order.Discount, order.EditLines, order.Extend, order.Assign},
	order.OrderActive: {order.Fulfill, order.Return, order.Ready, order.Undo, order.CancelItem, order.Extend,
		order.Assign},
	order.OrderClosed: {order.Ready, order.Undo, order.Archive, order.Unarchive, order.Delete},
}

// with judges an operation on an order that some states do not allow.
func (s *step) with(id ID, action order.OrderAction, err error, do func(o *Order) error) error {
	o := s.edit(id)
	switch {
	case o == nil:
		return refused(err, base.CodeNotFound)
	case action != "" && !slices.Contains(may[o.Status], action):
		return refused(err, base.CodeStateNotAllowed)
	}
	if fault := do(o); fault != nil {
		return fault
	}
	o.stage()
	return nil
}

// stage moves an order on that was handed over in part or as a whole, or of which all is cancelled.
func (o *Order) stage() {
	if o.Status != order.OrderOpen && o.Status != order.OrderActive {
		return
	}
	handed, left, units := false, false, 0
	o.each(func(l *OrderLine, u *OrderUnit) {
		units++
		handed = handed || u.Handed != 0
		done := u.State == order.Returned || u.State == order.Cancelled || u.State == order.Fulfilled &&
			l.Purchase == base.PurchaseSale
		left = left || !done
	})
	switch {
	case units > 0 && !left:
		o.Status = order.OrderClosed
	case handed:
		o.Status = order.OrderActive
	default:
		o.Status = order.OrderOpen
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

// stale says that a command is on another revision of an order than the one that there is, which counts more than its
// state.
func (s *step) stale(op base.Op) bool {
	var made ID
	var list []uint64
	switch o := op.(type) {
	case order.PatchOrder:
		made, list = o.ID, o.IfMatch
	case order.PatchOrderLine:
		made, list = o.Order, o.IfMatch
	case order.DeleteOrderLine:
		made, list = o.Order, o.IfMatch
	case order.DeleteOrder:
		made, list = o.ID, o.IfMatch
	case order.RemoveDiscount:
		made, list = o.Order, o.IfMatch
	}
	return len(list) > 0 && !slices.Contains(list, s.a.order(made).Revision)
}

// misses says that a command names a line, a code, a unit or an article that is not there, which counts more than the
// state of the order.
func (s *step) misses(op base.Op) bool {
	switch o := op.(type) {
	case order.PrepareOrder:
		return !s.there(o.ID, o.Units...)
	case order.FulfillOrder:
		return !s.there(o.ID, o.Units...)
	case order.ReturnOrder:
		return !s.there(o.ID, o.Units...)
	case order.ReadyUnit:
		return !s.there(o.Order, o.Unit)
	case order.CancelUnit:
		return !s.there(o.Order, o.Unit)
	case order.UndoOrder:
		return !s.there(o.ID, o.Units...)
	case order.AssignUnit:
		return !s.there(o.Order, o.Unit) || s.a.article(o.Article) == nil
	case order.UnassignUnit:
		return !s.there(o.Order, o.Unit)
	case order.PatchOrderLine:
		return !s.listed(o.Order, o.ID)
	case order.DeleteOrderLine:
		return !s.listed(o.Order, o.ID)
	case order.PatchOrder:
		return s.a.order(o.ID) == nil
	case order.DeleteOrder:
		return s.a.order(o.ID) == nil
	case order.RemoveDiscount:
		n := s.a.order(o.Order)
		return n == nil || n.code(o.Code) < 0
	}
	return false
}

// senseless says that a command asks for something that no article can have, or names a row for another way to buy,
// which counts more than all else.
func (s *step) senseless(op base.Op) bool {
	var lines []order.OrderLineInput
	switch o := op.(type) {
	case order.CreateOrder:
		lines = o.Lines
	case order.AddOrderLines:
		lines = o.Lines
	case order.OrderHold:
		return s.unfit(&o) || s.several(&o)
	}
	return slices.ContainsFunc(lines, func(l order.OrderLineInput) bool {
		if l.PricingRow != nil && s.a.misfit(*l.PricingRow, l.Item, l.Purchase) {
			return true
		}
		if s.a.lacksTerms(&l) {
			return true
		}
		return slices.ContainsFunc(l.Requirements, func(q order.Requirement) bool { return !s.a.sensible(q) })
	})
}

// orders judges the commands on orders.
func (s *step) orders(op base.Op, res any, err error) error {
	rec, _ := res.(*order.OrderRecord)
	s.said = rec
	if s.senseless(op) {
		return refused(err, base.CodeInvalid)
	}
	if s.misses(op) {
		return refused(err, base.CodeNotFound)
	}
	if s.stale(op) {
		s.a.Seen.Stale++
		return refused(err, base.CodePrecondition)
	}
	switch o := op.(type) {
	case order.CreateOrder:
		return s.createOrder(o, rec, err)
	case order.OrderHold:
		return s.orderHold(o, rec, err)
	case order.PatchOrder:
		return s.with(o.ID, "", err, func(n *Order) error { return s.patchOrder(n, o, err) })
	case order.AddOrderLines:
		return s.with(o.Order, order.EditLines, err,
			func(n *Order) error { return s.addLines(n, o.Lines, o.AllowOverbooked, rec, err) })
	case order.PatchOrderLine:
		return s.patchLine(o, rec, err)
	case order.DeleteOrderLine:
		return s.deleteLine(o, err)
	case order.ConfirmOrder:
		return s.with(o.ID, order.Confirm, err, func(n *Order) error {
			if len(n.Lines) == 0 {
				return refused(err, base.CodeConflict)
			}
			n.Status = order.OrderOpen
			return s.open(n, 0, o.AllowOverbooked, rec, err)
		})
	case order.CancelOrder:
		return s.with(o.ID, order.Cancel, err, func(n *Order) error {
			n.each(func(_ *OrderLine, u *OrderUnit) {
				s.free(u)
				u.State = order.Cancelled
			})
			for i := range n.Lines {
				if b := n.Lines[i].Subscribe; b != nil && b.CancelledAt == 0 {
					b.CancelAt, b.CancelledAt, b.NextBillingAt = s.now, s.now, 0
				}
			}
			for i := range n.Codes { // a draft was never sold: its codes can be used again
				if n.Status == order.OrderDraft {
					s.use(n.Codes[i].ID, -1)
					n.Codes[i].Unused = true
				}
			}
			n.Status, n.Cancelled = order.OrderClosed, true
			return refused(err, "")
		})
	case order.ArchiveOrder:
		return s.with(o.ID, order.Archive, err, func(n *Order) error {
			n.Archived = o.Archive
			return refused(err, "")
		})
	case order.DeleteOrder:
		return s.with(o.ID, order.Delete, err, func(n *Order) error {
			n.each(func(_ *OrderLine, u *OrderUnit) { s.free(u) })
			for _, c := range n.Codes {
				if !c.Unused {
					s.use(c.ID, -1)
				}
			}
			s.a.Orders = slices.DeleteFunc(s.a.Orders, func(x *Order) bool { return x.ID == n.ID })
			return refused(err, "")
		})
	case order.PrepareOrder:
		return s.with(o.ID, order.Prepare, err, func(n *Order) error {
			list, want := n.named(o.Units, func(_ *OrderLine, u *OrderUnit) bool {
				return u.State == order.Pending || u.State == order.Prepared && o.Units != nil
			})
			for _, x := range list {
				x.unit.State = order.Prepared
			}
			return refused(err, want)
		})
	case order.FulfillOrder:
		return s.with(o.ID, order.Fulfill, err, func(n *Order) error { return s.fulfill(n, o, rec, err) })
	case order.ReturnOrder:
		return s.with(o.ID, order.Return, err, func(n *Order) error { return s.giveBack(n, o, err) })
	case order.ReadyUnit:
		return s.with(o.Order, order.Ready, err, func(n *Order) error { return s.ready(n, o, err) })
	case order.CancelUnit:
		return s.with(o.Order, order.CancelItem, err, func(n *Order) error { return s.cancelUnit(n, o, err) })
	case order.UndoOrder:
		return s.with(o.ID, order.Undo, err, func(n *Order) error { return s.undo(n, o, rec, err) })
	case order.AssignUnit:
		return s.with(o.Order, order.Assign, err, func(n *Order) error { return s.assign(n, o, err) })
	case order.UnassignUnit:
		return s.with(o.Order, order.Assign, err, func(n *Order) error { return s.unassign(n, o, err) })
	case order.CancelSubscription:
		return s.cancelSubscription(o, err)
	case order.AddPayment:
		return s.with(o.Order, "", err, func(n *Order) error { return n.pay(o, err) })
	case commerce.CreateDiscountCode:
		if err := refused(err, ""); err != nil {
			return err
		}
		d := *res.(*commerce.DiscountCode)
		if d.Currency = s.a.Currency; d.ValueType == commerce.DiscountPercentage {
			d.Currency = ""
		}
		s.a.Codes = append(s.a.Codes, &d)
		return nil
	case order.ApplyDiscount:
		return s.with(o.Order, order.Discount, err, func(n *Order) error { return s.applyCode(n, o.Code, res, err) })
	case order.RemoveDiscount:
		return s.removeCode(o, err)
	}
	return wrong("the twin does not know %T", op)
}

func (s *step) createOrder(o order.CreateOrder, rec *order.OrderRecord, err error) error {
	n := &Order{Currency: s.a.Currency, Pickup: o.Pickup, Return: o.Pickup, Status: o.Status, Paid: map[Payment]int64{}}
	if o.Return != nil {
		n.Return = *o.Return
	}
	if s.a.location(n.Pickup) == nil || s.a.location(n.Return) == nil {
		return refused(err, base.CodeNotFound)
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
func (o *Order) ids(rec *order.OrderRecord) error {
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

// patchOrder judges a change of an order's own fields: where its stock is taken, which a draft may change, and where it
// comes back.
func (s *step) patchOrder(o *Order, op order.PatchOrder, err error) error {
	in, back := &op.Fields.To, op.Fields.Has("returnLocationId")
	if op.Fields.Has("note") {
		o.Note = base.ValueOf(in.Note)
	}
	elsewhere := op.Pickup.Set && op.Pickup.Value != o.Pickup
	if elsewhere && o.Status != order.OrderDraft {
		return refused(err, base.CodeStateNotAllowed)
	}
	follows, was := o.Return == o.Pickup, o.Return
	if elsewhere {
		o.Pickup = op.Pickup.Value
	}
	switch {
	case in.Return != nil:
		o.Return = *in.Return
	case back, follows:
		o.Return = o.Pickup
	}
	if (op.Pickup.Set || back) && (s.a.location(o.Pickup) == nil || s.a.location(o.Return) == nil) {
		return refused(err, base.CodeNotFound)
	}
	if o.Return != was && o.Status != order.OrderDraft {
		if err := s.reroute(o, op.AllowOverbooked, err); err != nil {
			return err
		}
	}
	if elsewhere {
		for i := range o.Lines {
			s.quote(o, &o.Lines[i])
		}
		if !o.reprice() {
			return refused(err, base.CodeInvalid)
		}
	}
	return refused(err, "")
}

// state is how far units are together; sale says of the i-th whether it is sold.
func state(units []OrderUnit, sale func(int) bool) order.Fulfillment {
	var live, prepared, handed, rented, back int
	for i, u := range units {
		if u.State == order.Cancelled {
			continue
		}
		live++
		if !sale(i) {
			rented++
		}
		switch u.State {
		case order.Prepared:
			prepared++
		case order.Fulfilled:
			handed++
		case order.Returned:
			handed, back = handed+1, back+1
		}
	}
	switch {
	case live == 0:
		return order.Cancelled
	case back > 0 && handed == live && back == rented:
		return order.Returned
	case back > 0:
		return order.PartiallyReturned
	case handed == live:
		return order.Fulfilled
	case handed > 0:
		return order.PartiallyFulfilled
	case prepared == live:
		return order.Prepared
	}
	return order.Pending
}

func (l *OrderLine) state() order.Fulfillment {
	return state(l.Units, func(int) bool { return l.Purchase == base.PurchaseSale })
}

func (o *Order) state() order.Fulfillment {
	var units []OrderUnit
	var sales []bool
	o.each(func(l *OrderLine, u *OrderUnit) {
		units, sales = append(units, *u), append(sales, l.Purchase == base.PurchaseSale)
	})
	if len(units) == 0 && !o.Cancelled {
		return order.Pending
	}
	return state(units, func(i int) bool { return sales[i] })
}
