package order

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns what an order costs: the price of each line, and what its codes take off.
//
// A line costs its own unit price, else what the row, or the combination of rows, that it was sold by asks for its
// window, by the terms that it had then, else nothing. Another window is priced as a whole by them, a shorter one, too.
// A booking without end whose row is for a length of time costs one such length until it is given an end, and what the
// row asks for the whole of it from then on. A return changes no dates of a line, and no price: a merchant that wants
// to charge the time that a unit was out gives the line its end while the unit is out.

// price works out the unit price of a line from the terms of its row, unless it was given. With neither, the line costs
// 0.
func price(t *base.Tx, o *Order, l *OrderLine) error {
	switch {
	case l.OwnPrice:
		return nil
	case l.Rest().Combined != nil:
		return l.priceCombined(o, &Ordering(t).looked)
	case l.PricingRow == (base.ID{}):
		l.UnitPrice = 0
		return nil
	}
	if l.Terms == nil {
		return nil // its row was gone before lines kept its terms: the line keeps the price that it had
	}
	price, ok := l.Terms.price(l.Span(), o)
	if !ok {
		return tooDear()
	}
	l.UnitPrice = price
	return nil
}

// priceLines prices all lines of an order anew.
func priceLines(t *base.Tx, o *Order) error {
	for i := range o.Lines {
		if err := price(t, o, &o.Lines[i]); err != nil {
			return err
		}
	}
	return reprice(t, o)
}

func tooDear() *base.Error {
	return base.Invalid([]base.Fault{{Pointer: "/lineItems", Code: "range",
		Message: "the order, or a later payment of it, would cost more than 9007199254740991 minor units"}})
}

// reprice spreads the codes that an order carries over its lines again, in the order in which they were applied, each
// over what those before it have left.
func reprice(t *base.Tx, o *Order) error {
	left, ok := o.amounts()
	if !ok {
		return tooDear()
	}
	for i := range o.Codes {
		o.Codes[i].spread(o, left)
	}
	if _, ok := o.Price(); !ok {
		return tooDear()
	}
	return nil
}

// amounts are what the lines cost before anything is taken off; ok is false where that, or a later payment of a line,
// is too much.
func (o *Order) amounts() (list []commerce.Discountable, ok bool) {
	list = make([]commerce.Discountable, len(o.Lines))
	for i := range o.Lines {
		l := &o.Lines[i]
		p, ok := commerce.PriceLine(l.UnitPrice, l.Charged(), 0, int64(l.TaxRate))
		if s := l.Subscription; ok && s != nil && s.Terms.RenewalPrice != nil {
			_, ok = commerce.PriceLine(*s.Terms.RenewalPrice, l.Charged(), 0, int64(l.TaxRate))
		}
		if !ok {
			return nil, false
		}
		list[i] = commerce.Discountable{Purchase: l.Purchase.Type(), CatalogItem: l.Item().CatalogItem,
			Quantity: l.Charged(), Amount: p.Subtotal}
	}
	return list, true
}

// LinePrices are the prices of an order's lines, in their order.
func (o *Order) LinePrices() (list []commerce.LinePrice, ok bool) {
	off := o.discounts()
	list, ok = make([]commerce.LinePrice, len(o.Lines)), true
	for i := range o.Lines {
		l := &o.Lines[i]
		if list[i], ok = commerce.PriceLine(l.UnitPrice, l.Charged(), off[i], int64(l.TaxRate)); !ok {
			return nil, false
		}
	}
	return list, true
}

// discounts are what the codes take off each line. A code's parts are written in the order of the lines, so each is
// looked for behind the line of the one before it: a code looks at each line once.
func (o *Order) discounts() []int64 {
	off := make([]int64, len(o.Lines))
	for i := range o.Codes {
		at := 0
		for _, x := range o.Codes[i].Allocations {
			for range o.Lines { // once around at most
				j := at % len(o.Lines)
				if at++; o.Lines[j].ID == x.Line {
					off[j] += x.Value
					break
				}
			}
		}
	}
	return off
}

// Price is what an order costs in all; ok is false where that is too much to say.
func (o *Order) Price() (total commerce.OrderPrice, ok bool) {
	lines, ok := o.LinePrices()
	if !ok {
		return total, false
	}
	return commerce.PriceOrder(lines)
}
