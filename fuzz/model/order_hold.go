package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/timeline"
)

// This file owns the hold that becomes an order.

// orderHold judges holds that become an order: units stay where they are, each line is sold for its price.
func (s *step) orderHold(o order.OrderHold, rec *order.OrderRecord, err error) error {
	var holds []*Hold
	for _, id := range o.Holds {
		h := s.a.hold(id)
		if want := h.over(); want != "" {
			if d, ok := as[base.HoldDetails](err); want == base.CodeHoldExpired && (!ok || d.ID != id) {
				return wrong("hold %v has expired, the refusal says %+v", id, d)
			}
			return refused(err, want)
		}
		holds = append(holds, h)
	}
	n, want := s.heldAt(o, holds)
	if want != "" {
		return refused(err, want)
	}
	for _, h := range holds {
		if want := s.takeOver(n, h, &o); want != "" {
			return refused(err, want)
		}
	}
	leaves := n.Return != n.Pickup || slices.ContainsFunc(holds, func(h *Hold) bool {
		return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Return != l.Location })
	})
	if c := code(err); leaves && (c == base.CodeQuantityBlocked || c == base.CodeInsufficient) {
		s.a.Seen.StaysHere++
		return errRefused
	}
	if err != nil {
		return refused(err, s.putCodes(n.numbered(), o.Discounts))
	}
	s.a.LastOrder++
	n.ID, n.No = rec.ID, s.a.LastOrder
	for i := range s.a.Units { // those that were taken over
		if u := &s.a.Units[i]; slices.ContainsFunc(n.Lines, func(l OrderLine) bool {
			return slices.ContainsFunc(l.Units, func(x OrderUnit) bool { return x.Hold == u.ID })
		}) {
			u.Nth = uint64(n.No)
		}
	}
	s.a.Orders = append(s.a.Orders, n)
	if err := s.reroute(n, o.AllowOverbooked, nil); err != nil {
		return err
	}
	for _, h := range holds {
		ended := *h
		ended.Status, ended.Due = hold.Ordered, s.now+endedKept
		s.setHold(&ended)
	}
	s.a.Seen.Carts += min(len(holds)-1, 1)
	if err := n.ids(rec); err != nil {
		return err
	}
	return refused(err, s.putCodes(n, o.Discounts))
}

// heldAt is the order that holds become, without lines: where they have their stock, and where that goes to.
func (s *step) heldAt(o order.OrderHold, holds []*Hold) (n *Order, refusal base.Code) {
	var lines []Line
	for _, h := range holds {
		lines = append(lines, h.Lines...)
	}
	here, back := lines[0].Location, lines[0].Return
	n = &Order{Currency: s.a.Currency, Pickup: here, Return: back, Status: order.OrderOpen, Paid: map[Payment]int64{}}
	if slices.ContainsFunc(lines, func(l Line) bool {
		return l.Location != here
	}) || s.a.location(here) == nil || o.Pickup != (ID{}) && o.Pickup != here {
		return nil, base.CodeConflict
	}
	if o.Return != nil {
		n.Return = *o.Return
	} else if slices.ContainsFunc(lines, func(l Line) bool { return l.Return != back }) {
		return nil, base.CodeConflict
	}
	if s.a.location(n.Return) == nil || o.Customer != nil && !s.a.knows(*o.Customer) {
		return nil, base.CodeNotFound
	}
	if o.Customer != nil {
		n.Customer = *o.Customer
	} else if of := ownersOf(holds); len(of) == 1 && s.a.knows(of[0]) {
		s.a.Seen.Owned++
		n.Customer = of[0]
	}
	return n, ""
}

// ownersOf are the customers that holds are for.
func ownersOf(holds []*Hold) (list []ID) {
	for _, h := range holds {
		if h.Customer != (ID{}) && !slices.Contains(list, h.Customer) {
			list = append(list, h.Customer)
		}
	}
	return list
}

// several says that holds that become an order are for several customers, and that the command does not say which
// customer the order is for.
func (s *step) several(o *order.OrderHold) bool {
	var holds []*Hold
	for _, id := range o.Holds {
		if h := s.a.hold(id); h != nil {
			holds = append(holds, h)
		}
	}
	is := o.Customer == nil && len(ownersOf(holds)) > 1
	if is {
		s.a.Seen.Disowned++
	}
	return is
}

// takeOver makes lines of a hold's lines: units that were moved apart are lines of their own, but not those of a kit.
func (s *step) takeOver(n *Order, h *Hold, o *order.OrderHold) (refusal base.Code) {
	for i, l := range h.Lines {
		part, booked := s.a.componentsOf(h, i)
		first := len(n.Lines)
		for j := range l.Made {
			if l.CatalogItem != (ID{}) && s.a.unit(l.unit(j)).Body() != s.a.unit(l.unit(0)).Body() {
				return base.CodeConflict
			}
		}
		var windows []Span
		for j, sku := range l.Made {
			u := s.a.unit(l.unit(j))
			k := slices.Index(windows, u.Body())
			if k < 0 {
				k = len(windows)
				windows = append(windows, u.Body())
				in := h.input(o, i, u.Body())
				if s.a.lacksTerms(in) {
					return base.CodeInvalid
				}
				x, refusal := s.newLine(n, in)
				if refusal != "" {
					return refusal
				}
				x.Quantity, x.Booked = 0, booked
				n.Lines = append(n.Lines, x)
			}
			x := &n.Lines[first+k]
			u.Line, u.Flags = x.No, u.Flags.WithBlocker(timeline.BlockerOrder)
			x.Units = append(x.Units, OrderUnit{Hold: u.ID, Part: part[j], Made: sku, ByHand: u.articlePinned()})
			s.a.Seen.Endless += x.endless()
			if x.Quantity++; l.CatalogItem != (ID{}) {
				x.Quantity = l.Quantity
			}
		}
		for j := range n.Lines[first:] {
			s.begin(n, &n.Lines[first+j])
		}
	}
	return ""
}

// input is what a line of a hold asks for as a line of an order: as the entry that names it says, or as if nothing was
// said.
func (h *Hold) input(o *order.OrderHold, line int, w Span) *order.OrderLineInput {
	l := h.Lines[line]
	in := &order.OrderLineInput{Item: l.Item, Purchase: l.Purchase, Quantity: l.Quantity, From: &w.Start}
	if w.End != Forever {
		in.To = &w.End
	}
	if l.Purchase == base.PurchaseSubscription {
		in.Subscription = o.Subscription
	}
	if e := at(o.Held,
		func(e *order.HeldLineInput) bool { return e.Line == line && (e.Hold == nil || *e.Hold == h.ID) }); e != nil {
		in.PricingRow, in.UnitPrice, in.TaxRate = e.PricingRow, e.UnitPrice, e.TaxRate
	}
	return in
}

// unfit says that an entry is of no line of the holds, or names a row that its line cannot be sold by.
func (s *step) unfit(o *order.OrderHold) bool {
	return slices.ContainsFunc(o.Held, func(e order.HeldLineInput) bool {
		id := o.Holds[0]
		if e.Hold != nil {
			id = *e.Hold
		}
		h := s.a.hold(id)
		switch {
		case !slices.Contains(o.Holds, id), e.Hold == nil && len(o.Holds) > 1:
			return true
		case h == nil:
			return false
		case e.Line >= len(h.Lines):
			return true
		}
		return e.PricingRow != nil && s.a.misfit(*e.PricingRow, h.Lines[e.Line].Item, h.Lines[e.Line].Purchase)
	})
}
