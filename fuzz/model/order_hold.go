package model

import (
	"slices"

	"holdfast/engine"
	"holdfast/timeline"
)

// This file owns the hold that becomes an order.

// orderHold judges a hold that becomes an order: units stay where they are.
func (s *step) orderHold(o engine.OrderHold, rec *engine.OrderRecord, err error) error {
	h := s.a.hold(o.Hold)
	if want := h.over(); want != "" {
		return refused(err, want)
	}
	here := h.Lines[0].Location
	if slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Location != here }) || s.a.location(here) == nil ||
		o.Pickup != (ID{}) && o.Pickup != here {
		return refused(err, engine.CodeConflict)
	}
	back := h.Lines[0].Return
	if o.Return == nil && slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Return != back }) {
		return refused(err, engine.CodeConflict)
	}
	n := &Order{Currency: s.a.Currency, Pickup: here, Return: back, Status: engine.OrderOpen, Paid: map[Payment]int64{}}
	if o.Return != nil {
		n.Return = *o.Return
		if s.a.location(n.Return) == nil {
			return refused(err, engine.CodeNotFound)
		}
	}
	if o.Return == nil && s.a.location(back) == nil {
		return refused(err, engine.CodeNotFound)
	}
	if want := s.a.orderable(h, o.Subscription); want != "" {
		return refused(err, want)
	}
	if c := code(err); n.Return != here && (c == engine.CodeQuantityBlocked || c == engine.CodeInsufficient) {
		s.a.Seen.StaysHere++
		return errRefused
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
			s.a.Seen.Endless += x.endless()
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
	if err := s.reroute(n, o.AllowOverbooked, nil); err != nil {
		return err
	}
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
		switch {
		case l.CatalogItem != (ID{}) && len(windows) > 1:
			return engine.CodeConflict
		case l.Purchase == engine.PurchaseSubscription && terms == nil:
			return engine.CodeInvalid
		case !a.Known(l.Item):
			return engine.CodeNotFound
		}
	}
	return ""
}
