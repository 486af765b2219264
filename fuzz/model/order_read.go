package model

import (
	"reflect"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns the comparison of orders and discount codes as they are answered.

// orderRecords judges every order and code.
func (a *Account) orderRecords(v base.View) error {
	if n := order.Orders(v).Len(); n != len(a.Orders) {
		return wrong("%d orders, the twin has %d", n, len(a.Orders))
	}
	for _, o := range a.Orders {
		r := order.OrderByID(v, o.ID)
		if r == nil {
			return wrong("order %x is gone", o.ID)
		}
		if err := a.orderRecord(r, o); err != nil {
			return wrong("order %d: %w\n%+v\nthe twin has\n%+v", o.No, err, *r.Order, *o)
		}
	}
	for _, d := range a.Codes {
		if x := commerce.DiscountCodeByID(v, d.ID); x == nil || x.Used != d.Used || x.Currency != d.Currency {
			return wrong("discount code %+v, the twin has %+v", x, d)
		}
	}
	return nil
}

func (a *Account) orderRecord(r *order.OrderRecord, o *Order) error {
	lines, total, _ := o.price()
	prices, _ := r.LinePrices()
	sum, ok := r.Price()
	switch {
	case r.Number != o.No, r.Status != o.Status, r.Cancelled != o.Cancelled, (r.ArchivedAt != 0) != o.Archived,
		r.Pickup != o.Pickup, r.Return != o.Return, r.Currency.String() != o.Currency, r.Rest().Note != o.Note:
		return wrong("it is %s (cancelled %v, archived %v) from %x to %x", r.Status, r.Cancelled, r.ArchivedAt != 0,
			r.Pickup, r.Return)
	case r.Customer != o.Customer:
		return wrong("it is for %x, the twin says %x", r.Customer, o.Customer)
	case r.Fulfillment() != o.state():
		return wrong("it is %s, the twin says %s", r.Fulfillment(), o.state())
	case !ok || sum != total || !slices.Equal(prices, lines):
		return wrong("it costs %+v by %+v, the twin says %+v by %+v", sum, prices, total, lines)
	case len(r.Lines) != len(o.Lines), len(r.Codes) != len(o.Codes):
		return wrong("it has %d lines and %d codes", len(r.Lines), len(r.Codes))
	}
	for i := range o.Codes {
		if c, x := &o.Codes[i], &r.Codes[i]; c.ID != x.ID || !slices.Equal(c.Off, x.Allocations) {
			return wrong("a code takes off %+v, the twin says %+v", x.Allocations, c.Off)
		}
	}
	for _, k := range order.PaymentKinds {
		if n := o.paid(k); r.Paid(k, ID{}) != n {
			return wrong("%d are paid as %s, the twin says %d", r.Paid(k, ID{}), k, n)
		}
		for _, l := range o.Lines {
			if n := o.Paid[Payment{k, l.ID}]; r.Paid(k, l.ID) != n {
				return wrong("%d are paid as %s for line %x, the twin says %d", r.Paid(k, l.ID), k, l.ID, n)
			}
		}
	}
	n := 0
	for i := range o.Lines {
		l, x := &o.Lines[i], &r.Lines[i]
		switch {
		case x.ID != l.ID, x.Item() != l.Item, x.Purchase.Type() != l.Purchase, x.No != l.No,
			int(x.Quantity) != l.Quantity, int(x.Waived) != l.Waived, x.From != l.Window.Start, x.To != l.Window.End,
			x.PricingRow != l.Row, x.OwnPrice != l.Own, x.Rest().Note != l.Note:
			return wrong("line %d is %+v, the twin says %+v", i, *x, *l)
		case !slices.EqualFunc(x.Rest().Requirements, l.Requires, func(x, y order.Requirement) bool {
			return x.Key == y.Key && x.Operator == y.Operator && x.Attribute == y.Attribute &&
				slices.Equal(x.Values, y.Values)
		}):
			return wrong("line %d requires %+v, the twin says %+v", i, x.Rest().Requirements, l.Requires)
		case x.Fulfillment() != l.state():
			return wrong("line %d is %s, the twin says %s", i, x.Fulfillment(), l.state())
		case (x.Rest().Combined != nil) != (l.Together != nil):
			return wrong("line %d is sold by %+v, the twin says %+v", i, x.Rest().Combined, l.Together)
		case x.Combination() != nil && a.summed(x.Combination(), l) != l.Price:
			return wrong("line %d is sold for %d by %+v", i, l.Price, x.Combination().Rows)
		case (x.Subscription != nil) != (l.Subscribe != nil), len(x.Units) != len(l.Units):
			return wrong("line %d is %+v, the twin says %+v", i, *x, *l)
		}
		if b, y := l.Subscribe, x.Subscription; b != nil &&
			(y.ID != b.ID || y.Label != b.Label || !reflect.DeepEqual(y.Terms, b.Terms) ||
				y.NextBillingAt != b.NextBillingAt || y.EndsAt() != b.CancelAt || y.CancelledAt != b.CancelledAt) {
			return wrong("line %d has the subscription %+v, the twin says %+v", i, *y, *b)
		}
		for j := range l.Units {
			u, y := &l.Units[j], &x.Units[j]
			if u.ID != y.ID || u.Hold != y.Hold || u.State != y.State || u.Handed != y.Handed ||
				u.Returned != y.Returned || u.ByHand != y.ByHand || u.Substitute != y.Substitute ||
				u.WasReady != y.WasReady || u.Part != int(y.Part) {
				return wrong("unit %d of line %d is %+v, the twin says %+v", j, i, *y, *u)
			}
			if n >= len(r.Units) {
				return wrong("it says where %d units are", n)
			}
			if want := a.place(u); r.Units[n].Range != want.Range || r.Units[n].Conflict != want.Conflict ||
				r.Units[n].Unmet != want.Unmet || r.Units[n].Article != want.Article {
				return wrong("unit %d of line %d is at %+v, the twin says %+v", j, i, r.Units[n], want)
			}
			n++
		}
	}
	return a.plans(r, o)
}

// place is where a unit of an order is.
func (a *Account) place(x *OrderUnit) (r order.UnitRecord) {
	u := a.unit(x.Hold)
	switch {
	case x.Lot != 0:
		return order.UnitRecord{Article: a.of(a.lot(x.Lot)).ID, Range: Span{Start: x.Handed, End: Forever}}
	case x.Was != 0:
		return order.UnitRecord{Article: a.of(a.lot(x.Was)).ID}
	case u == nil:
		return r
	}
	r.Range, r.Conflict, r.Unmet = u.Hull, u.Slot == 0, a.unmet(*u, a.At)
	if !r.Conflict {
		r.Article = a.of(a.lot(u.Lot)).ID
	}
	return r
}
