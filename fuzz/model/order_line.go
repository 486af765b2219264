package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns the lines of orders: how they come, change and go.

// newLine is the line that an input makes; refusal is why it makes none.
func (s *step) newLine(o *Order, in *order.OrderLineInput) (l OrderLine, refusal base.Code) {
	o.LastLine++
	l = OrderLine{Item: in.Item, Purchase: in.Purchase, No: o.LastLine, Quantity: in.Quantity,
		Window: Span{Start: s.now, End: Forever}, Requires: in.Requirements}
	if l.FromOpening = in.From == nil; !l.FromOpening {
		l.Window.Start = *in.From
	}
	if in.To != nil {
		l.Window.End = *in.To
	}
	if !s.a.Known(in.Item) {
		return l, base.CodeNotFound
	}
	if in.UnitPrice != nil {
		l.Price, l.Own = *in.UnitPrice, true
	}
	if in.TaxRate != nil {
		l.TaxRate = int64(*in.TaxRate)
	}
	if in.AddonOf != nil {
		if l.AddonOf = *in.AddonOf; o.line(l.AddonOf) < 0 {
			return l, base.CodeNotFound
		}
	}
	var row *commerce.PricingRow
	switch {
	case in.PricingRow != nil:
		if row = s.a.row(*in.PricingRow); row == nil {
			return l, base.CodeNotFound
		}
	case in.UnitPrice == nil:
		if row, refusal = s.choose(o, &l); refusal != "" {
			return l, refusal
		}
	}
	if row != nil {
		l.Row, l.Sold = row.ID, *row
	}
	if in.Purchase == base.PurchaseSubscription {
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
func (s *step) addLines(o *Order, lines []order.OrderLineInput, overbook bool, rec *order.OrderRecord,
	err error) error {
	first := len(o.Lines)
	for i := range lines {
		l, refusal := s.newLine(o, &lines[i])
		if refusal != "" {
			return refused(err, refusal)
		}
		o.Lines = append(o.Lines, l)
	}
	if o.Status != order.OrderDraft {
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
func (s *step) planned(o *Order, l *OrderLine) base.Code {
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
func (s *step) open(o *Order, first int, overbook bool, rec *order.OrderRecord, err error) error {
	var wants []want
	for i := first; i < len(o.Lines); i++ {
		l := &o.Lines[i]
		if l.FromOpening {
			l.Window.Start, l.FromOpening = s.now, false
		}
		wants = append(wants, want{i, l.Quantity})
	}
	if fault := s.takeStock(o, wants, overbook, rec, ofLines(err, first, 0)); fault != nil || err != nil {
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

// ofLines is a refusal of lines of an order, of which the request brings those from the first on, or changes that one.
// A shortage counts them from the first, and says what each is to have with what it had.
func ofLines(err error, first, had int) error {
	d, ok := as[base.ShortageDetails](err)
	if !ok {
		return err
	}
	n := base.Error{Code: base.CodeInsufficient}
	var lines []base.Shortage
	for _, l := range d.Lines {
		l.Line, l.Requested, l.Available = l.Line+first, l.Requested-had, l.Available-had
		lines = append(lines, l)
	}
	n.Details = base.ShortageDetails{Lines: lines}
	return &n
}

func (s *step) deleteLine(o order.DeleteOrderLine, err error) error {
	return s.with(o.Order, order.EditLines, err, func(n *Order) error {
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

func (s *step) patchLine(o order.PatchOrderLine, rec *order.OrderRecord, err error) error {
	n := s.edit(o.Order)
	i := n.line(o.ID)
	l := &n.Lines[i]
	in, set := &o.Fields.To, o.Fields.Has
	priced := set("pricingRowId") || set("unitPrice")
	switch {
	case set("endDate") && l.Subscribe != nil && l.Subscribe.CancelAt != 0:
		return refused(err, base.CodeStateNotAllowed)
	case set("startDate") || set("quantity") || set("taxRate") || priced && !set("endDate"):
		if !slices.Contains(may[n.Status], order.EditLines) {
			return refused(err, base.CodeStateNotAllowed)
		}
	case set("endDate"):
		over := l.Subscribe != nil && l.Subscribe.CancelledAt != 0 || l.state() == order.Returned
		if over || !slices.Contains(may[n.Status], order.Extend) {
			return refused(err, base.CodeStateNotAllowed)
		}
	}
	was := *l
	if set("quantity") {
		l.Quantity = in.Quantity
	}
	if set("startDate") {
		l.Window.Start, l.FromOpening = *in.From, false
	}
	if set("endDate") {
		if l.Window.End = Forever; in.To != nil {
			l.Window.End = *in.To
		}
	}
	if l.Purchase == base.PurchaseSale && l.Window.End != Forever || l.Window.Empty() {
		return refused(err, base.CodeInvalid)
	}
	var row *commerce.PricingRow
	if set("pricingRowId") {
		l.Row, l.Together = ID{}, nil
		if in.PricingRow != nil {
			switch row = s.a.row(*in.PricingRow); {
			case row == nil:
				return refused(err, base.CodeNotFound)
			case !s.a.misfit(row.ID, l.Item, l.Purchase):
			case row.ID == was.Row: // the line goes on by it as it was
				l.Row, l.Own, row = was.Row, false, nil
			default:
				return refused(err, base.CodeInvalid)
			}
		}
	}
	if set("unitPrice") {
		l.Price, l.Own = base.ValueOf(in.UnitPrice), in.UnitPrice != nil
	}
	if priced && row == nil && l.Row == (ID{}) && l.Together == nil && !l.Own {
		// what it was sold by is taken away
		var want base.Code
		if row, want = s.choose(n, l); want != "" {
			return refused(err, want)
		}
	}
	if row != nil {
		if l.Row, l.Sold, l.Own = row.ID, *row, false; l.Subscribe != nil {
			l.Subscribe.agree(row)
		}
	}
	if !set("unitPrice") && l.Own && l.Purchase == base.PurchaseBooking && l.Window != was.Window {
		return refused(err, base.CodeInvalid) // its own price was for its dates
	}
	if set("note") {
		l.Note = base.ValueOf(in.Note)
	}
	if set("taxRate") {
		l.TaxRate = int64(base.ValueOf(in.TaxRate))
	}
	if set("startDate") || set("endDate") || set("quantity") || set("taxRate") || priced {
		s.quote(n, l)
		if n.Status != order.OrderDraft {
			s.begin(n, l)
		}
	}
	if n.Status == order.OrderDraft {
		if l.Quantity != was.Quantity {
			if refusal := s.planned(n, l); refusal != "" {
				return refused(err, refusal)
			}
		}
		if !n.reprice() {
			return refused(err, base.CodeInvalid)
		}
		if err := refused(err, ""); err != nil {
			return err
		}
		return n.ids(rec)
	}
	if l.Quantity != was.Quantity &&
		slices.ContainsFunc(l.Units, func(u OrderUnit) bool { return u.State == order.Cancelled }) {
		return rightly(err, base.CodeConflict)
	}
	if l.Quantity < was.Quantity {
		parts := map[int]int{}
		for _, u := range l.Units {
			parts[u.Part]++
		}
		for _, n := range parts {
			if n%was.Quantity != 0 {
				return refused(err, base.CodeConflict)
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
			_, refusal := s.askLine(n, i, l.Quantity-was.Quantity)
			if c := code(err); c == base.CodeInsufficient || c != "" && c == refusal {
				return errRefused
			}
		}
		if fault := s.redate(n, i, o.AllowOverbooked, ofLines(err, i, 0)); fault != nil {
			return fault
		}
		s.begin(n, l)
	}
	if l.Quantity > was.Quantity {
		fault := s.takeStock(n, []want{{i, l.Quantity - was.Quantity}}, o.AllowOverbooked, rec,
			ofLines(err, i, was.Quantity))
		if fault != nil || err != nil {
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
