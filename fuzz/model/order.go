package model

import (
	"slices"

	"holdfast/engine"
	"holdfast/timeline"
)

// This file owns orders: what the twin knows of them, and the commands that make, change and end them as a whole. How they
// take stock is in order_stock.go, the way of their units in handover.go.

// Order is an order with its lines. Like the other records it is a value: who changes one has a copy.
type Order struct {
	ID             ID
	No             uint32
	Revision       uint64
	Status         engine.OrderStatus
	Cancelled      bool
	Archived       bool
	Pickup, Return ID
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
	Window      Span
	FromOpening bool  // it begins when it takes stock
	Price       int64 // of one unit
	Own         bool  // the price was given
	Row         ID    // what says it otherwise
	TaxRate     int64
	Note        string
	AddonOf     ID
	Requires    []engine.Requirement
	Units       []OrderUnit
	Subscribe   *Subscription
}

// OrderUnit is an order stock item.
type OrderUnit struct {
	ID       ID
	Hold     ID // zero: it takes no stock
	State    engine.Fulfillment
	Handed   int64
	Returned int64
	Part     int
	Made     ID   // the SKU that it was made for; zero: an article
	ByHand   bool // its article was named
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

// owner is the record that a unit belongs to.
func (a *Account) owner(u Unit) ID {
	if !u.ordered() {
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
	engine.OrderOpen:   {engine.Prepare, engine.Fulfill, engine.Cancel, engine.Delete, engine.Discount, engine.EditLines, engine.Extend, engine.Assign},
	engine.OrderActive: {engine.Fulfill, engine.Return, engine.Extend, engine.Assign},
	engine.OrderClosed: {engine.Archive, engine.Delete},
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
	case engine.AssignUnit:
		return !s.there(o.Order, o.Unit) || s.a.article(o.Article) == nil
	case engine.UnassignUnit:
		return !s.there(o.Order, o.Unit)
	case engine.PatchOrderLine:
		return !s.listed(o.Order, o.ID)
	case engine.DeleteOrderLine:
		return !s.listed(o.Order, o.ID)
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
	}
	return slices.ContainsFunc(lines, func(l engine.OrderLineInput) bool {
		if l.PricingRow != nil {
			if r := s.a.row(*l.PricingRow); r != nil && r.Purchase != l.Purchase {
				return true
			}
		}
		return slices.ContainsFunc(l.Requirements, func(q engine.Requirement) bool { return !s.a.sensible(q) })
	})
}

// orders judges the commands on orders.
func (s *step) orders(op engine.Op, res any, err error) error {
	rec, _ := res.(*engine.OrderRecord)
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
			n.each(func(_ *OrderLine, u *OrderUnit) { s.forget(u) })
			for _, c := range n.Codes {
				s.use(c.ID, -1)
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
		return s.with(o.ID, engine.Fulfill, err, func(n *Order) error { return s.fulfill(n, o, err) })
	case engine.ReturnOrder:
		return s.with(o.ID, engine.Return, err, func(n *Order) error { return s.giveBack(n, o, err) })
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
	n := &Order{Pickup: o.Pickup, Return: o.Pickup, Status: o.Status, Paid: map[Payment]int64{}}
	if o.Return != nil {
		n.Return = *o.Return
	}
	if s.a.location(n.Pickup) == nil || s.a.location(n.Return) == nil {
		return refused(err, engine.CodeNotFound)
	}
	s.a.LastOrder++
	n.No = s.a.LastOrder
	if fault := s.addLines(n, o.Lines, o.AllowOverbooked, rec, err); fault != nil || err != nil {
		return fault
	}
	if n.ID = rec.ID; rec.Number != n.No {
		return wrong("order %d has the number %d", n.No, rec.Number)
	}
	s.a.Orders = append(s.a.Orders, n)
	return nil
}

// orderHold judges a hold that becomes an order: units stay where they are.
func (s *step) orderHold(o engine.OrderHold, rec *engine.OrderRecord, err error) error {
	h := s.a.hold(o.Hold)
	switch {
	case h == nil:
		return refused(err, engine.CodeNotFound)
	case h.Status == engine.Expired:
		return refused(err, engine.CodeHoldExpired)
	case h.Status.Ended():
		return refused(err, engine.CodeStateNotAllowed)
	}
	here := h.Lines[0].Location
	if slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Location != here }) || s.a.location(here) == nil ||
		o.Pickup != (ID{}) && o.Pickup != here {
		return refused(err, engine.CodeConflict)
	}
	n := &Order{Pickup: here, Return: here, Status: engine.OrderOpen, Paid: map[Payment]int64{}}
	if o.Return != nil {
		n.Return = *o.Return
		if s.a.location(n.Return) == nil {
			return refused(err, engine.CodeNotFound)
		}
	}
	if want := s.a.orderable(h, o.Subscription); want != "" {
		return refused(err, want)
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	s.a.LastOrder++
	n.ID, n.No = rec.ID, s.a.LastOrder
	nth := uint64(1)
	for i, l := range h.Lines {
		part := s.a.componentsOf(h, i)
		first := len(n.Lines)
		for j, sku := range l.Made {
			k := slices.IndexFunc(s.a.Units, func(u Unit) bool { return u.ID == follows(h.ID, nth) })
			nth++
			u := &s.a.Units[k]
			x := at(n.Lines[first:], func(x *OrderLine) bool { return x.Window == u.Body() })
			if x == nil { // units that were moved apart are lines of their own
				n.LastLine++
				n.Lines = append(n.Lines, OrderLine{Item: l.Item, Purchase: l.Purchase, No: n.LastLine, Window: u.Body()})
				x = &n.Lines[len(n.Lines)-1]
			}
			u.Nth, u.Line, u.Flags = uint64(n.No), x.No, u.Flags.WithBlocker(timeline.BlockerOrder)
			x.Units = append(x.Units, OrderUnit{Hold: u.ID, Part: part[j], Made: sku, ByHand: u.articlePinned()})
			if x.Quantity++; l.CatalogItem != (ID{}) {
				x.Quantity = l.Quantity
			}
		}
		for j := range n.Lines[first:] {
			if x := &n.Lines[first+j]; x.Purchase == engine.PurchaseSubscription {
				x.Subscribe = &Subscription{Terms: *o.Subscription}
				s.begin(n, x)
			}
		}
	}
	s.a.Orders = append(s.a.Orders, n)
	ended := *h
	ended.Status, ended.Due = engine.Ordered, s.now+endedKept
	s.setHold(&ended)
	return n.ids(rec)
}

// orderable says why no order can be made of a hold: empty where one can.
func (a *Account) orderable(h *Hold, terms *engine.SubscriptionTerms) engine.Code {
	nth := uint64(1)
	for _, l := range h.Lines {
		var windows []Span
		for range l.Made {
			if w := a.unit(follows(h.ID, nth)).Body(); !slices.Contains(windows, w) {
				windows = append(windows, w)
			}
			nth++
		}
		open := slices.ContainsFunc(windows, func(w Span) bool { return w.End == Forever })
		switch {
		case l.CatalogItem != (ID{}) && len(windows) > 1:
			return engine.CodeConflict
		case l.Purchase == engine.PurchaseSubscription && terms == nil:
			return engine.CodeInvalid
		case !a.Known(l.Item) && l.Purchase == engine.PurchaseBooking && windows[0].End == Forever, a.Known(l.Item) && l.Purchase == engine.PurchaseBooking && open:
			return engine.CodeConflict
		case !a.Known(l.Item):
			return engine.CodeNotFound
		}
	}
	return ""
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

// newLine is the line that an input makes; refusal is why it makes none.
func (s *step) newLine(o *Order, in *engine.OrderLineInput) (l OrderLine, refusal engine.Code) {
	o.LastLine++
	l = OrderLine{Item: in.Item, Purchase: in.Purchase, No: o.LastLine, Quantity: in.Quantity, Window: Span{Start: s.now, End: Forever}, Requires: in.Requirements}
	if l.FromOpening = in.From == nil; !l.FromOpening {
		l.Window.Start = *in.From
	}
	if in.To != nil {
		l.Window.End = *in.To
	}
	if !s.a.Known(in.Item) {
		return l, engine.CodeNotFound
	}
	if in.UnitPrice != nil {
		l.Price, l.Own = *in.UnitPrice, true
	}
	if in.TaxRate != nil {
		l.TaxRate = int64(*in.TaxRate)
	}
	if in.AddonOf != nil {
		if l.AddonOf = *in.AddonOf; o.line(l.AddonOf) < 0 {
			return l, engine.CodeNotFound
		}
	}
	var row *engine.PricingRow
	if in.PricingRow != nil {
		if l.Row, row = *in.PricingRow, s.a.row(*in.PricingRow); row == nil {
			return l, engine.CodeNotFound
		}
	}
	if in.Purchase == engine.PurchaseSubscription {
		if l.Subscribe = new(Subscription); row != nil {
			l.Subscribe.agree(row)
		}
		if in.Subscription != nil {
			l.Subscribe.Terms = *in.Subscription
		}
	}
	s.quote(o, &l)
	return l, ""
}

// addLines judges lines that are added to an order: those of a draft say which units they would take, others take them.
func (s *step) addLines(o *Order, lines []engine.OrderLineInput, overbook bool, rec *engine.OrderRecord, err error) error {
	first := len(o.Lines)
	for i := range lines {
		l, refusal := s.newLine(o, &lines[i])
		if refusal != "" {
			return refused(err, refusal)
		}
		o.Lines = append(o.Lines, l)
	}
	if o.Status != engine.OrderDraft {
		return s.open(o, first, overbook, rec, err)
	}
	for i := first; i < len(o.Lines); i++ {
		if refusal := s.planned(o, &o.Lines[i]); refusal != "" {
			return refused(err, refusal)
		}
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	if err := o.ids(rec); err != nil {
		return err
	}
	if !o.reprice() {
		return wrong("order %d costs more than there is money", o.No)
	}
	return nil
}

// planned gives a line of a draft the units that it would take.
func (s *step) planned(o *Order, l *OrderLine) engine.Code {
	requests, refusal := s.ask(0, l.input(o, l.Quantity))
	if refusal != "" {
		return refusal
	}
	var units []OrderUnit
	for part, q := range requests {
		for range q.quantity {
			u := OrderUnit{}
			if len(units) < len(l.Units) {
				u = l.Units[len(units)]
			}
			u.Part, u.Made, u.ByHand = part, q.sku, l.Item.Article != ID{}
			units = append(units, u)
		}
	}
	l.Units = units
	return ""
}

// open takes stock for an order's lines from one on, and begins their subscriptions.
func (s *step) open(o *Order, first int, overbook bool, rec *engine.OrderRecord, err error) error {
	var wants []want
	for i := first; i < len(o.Lines); i++ {
		l := &o.Lines[i]
		if l.FromOpening {
			l.Window.Start, l.FromOpening = s.now, false
		}
		wants = append(wants, want{i, l.Quantity})
	}
	if fault := s.takeStock(o, wants, overbook, rec, err); fault != nil || err != nil {
		return fault
	}
	for i := first; i < len(o.Lines); i++ {
		s.begin(o, &o.Lines[i])
	}
	if !o.reprice() {
		return wrong("order %d costs more than there is money", o.No)
	}
	return nil
}

func (s *step) deleteLine(o engine.DeleteOrderLine, err error) error {
	return s.with(o.Order, engine.EditLines, err, func(n *Order) error {
		gone := []ID{o.ID}
		n.Lines = slices.DeleteFunc(n.Lines, func(l OrderLine) bool {
			goes := slices.Contains(gone, l.ID) || l.AddonOf != (ID{}) && slices.Contains(gone, l.AddonOf)
			if goes {
				gone = append(gone, l.ID)
				for j := range l.Units {
					s.free(&l.Units[j])
				}
			}
			return goes
		})
		n.reprice()
		return refused(err, "")
	})
}

func (s *step) patchLine(o engine.PatchOrderLine, rec *engine.OrderRecord, err error) error {
	n := s.edit(o.Order)
	i := n.line(o.ID)
	l := &n.Lines[i]
	switch {
	case o.To.Set && l.Subscribe != nil && l.Subscribe.CancelAt != 0:
		return refused(err, engine.CodeStateNotAllowed)
	case o.From.Set || o.Quantity.Set || o.PricingRow.Set || o.UnitPrice.Set || o.TaxRate.Set:
		if !slices.Contains(may[n.Status], engine.EditLines) {
			return refused(err, engine.CodeStateNotAllowed)
		}
	case o.To.Set:
		over := l.Subscribe != nil && l.Subscribe.CancelledAt != 0 || l.state() == engine.Returned
		if over || !slices.Contains(may[n.Status], engine.Extend) {
			return refused(err, engine.CodeStateNotAllowed)
		}
	}
	was := *l
	if o.Quantity.Set {
		l.Quantity = o.Quantity.Value
	}
	if o.From.Set {
		l.Window.Start, l.FromOpening = o.From.Value, false
	}
	if o.To.Set {
		if l.Window.End = o.To.Value; o.To.Null {
			l.Window.End = Forever
		}
	}
	if l.Purchase == engine.PurchaseSale && l.Window.End != Forever || l.Purchase == engine.PurchaseBooking && l.Window.End == Forever || l.Window.Empty() {
		return refused(err, engine.CodeInvalid)
	}
	if o.PricingRow.Set {
		l.Row = ID{}
		if !o.PricingRow.Null {
			switch r := s.a.row(o.PricingRow.Value); {
			case r == nil:
				return refused(err, engine.CodeNotFound)
			case r.Purchase != l.Purchase:
				return refused(err, engine.CodeInvalid)
			}
			l.Row, l.Own = o.PricingRow.Value, false
			if l.Subscribe != nil {
				l.Subscribe.agree(s.a.row(l.Row))
			}
		}
	}
	if o.UnitPrice.Set {
		l.Price, l.Own = o.UnitPrice.Value, !o.UnitPrice.Null
	}
	if o.Note.Set {
		l.Note = o.Note.Value
	}
	if o.TaxRate.Set {
		l.TaxRate = int64(o.TaxRate.Value)
	}
	if o.From.Set || o.To.Set || o.Quantity.Set || o.PricingRow.Set || o.UnitPrice.Set || o.TaxRate.Set {
		s.quote(n, l)
		if n.Status != engine.OrderDraft {
			s.begin(n, l)
		}
	}
	if n.Status == engine.OrderDraft {
		if l.Quantity != was.Quantity {
			if refusal := s.planned(n, l); refusal != "" {
				return refused(err, refusal)
			}
		}
		if !n.reprice() {
			return refused(err, engine.CodeInvalid)
		}
		if err := refused(err, ""); err != nil {
			return err
		}
		return n.ids(rec)
	}
	if l.Quantity < was.Quantity {
		parts := map[int]int{}
		for _, u := range l.Units {
			parts[u.Part]++
		}
		for _, n := range parts {
			if n%was.Quantity != 0 {
				return refused(err, engine.CodeConflict)
			}
		}
		seen := map[int]int{}
		l.Units = slices.DeleteFunc(l.Units, func(u OrderUnit) bool {
			seen[u.Part]++
			if seen[u.Part] <= parts[u.Part]/was.Quantity*l.Quantity {
				return false
			}
			s.free(&u)
			return true
		})
	}
	if l.Window != was.Window {
		if l.Quantity > was.Quantity { // one of the two was refused: which, the engine does not say
			_, refusal := s.ask(i, l.input(n, l.Quantity-was.Quantity))
			if c := code(err); c == engine.CodeInsufficient || c != "" && c == refusal {
				return errRefused
			}
		}
		if fault := s.redate(n, i, o.AllowOverbooked, err); fault != nil {
			return fault
		}
		s.begin(n, l)
	}
	if l.Quantity > was.Quantity {
		if fault := s.takeStock(n, []want{{i, l.Quantity - was.Quantity}}, o.AllowOverbooked, rec, err); fault != nil || err != nil {
			return fault
		}
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	n.reprice()
	n.stage()
	return n.ids(rec)
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
