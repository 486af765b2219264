package order

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns quotes: what an order of lines would cost. Nothing is made, no stock is asked for, and no event is
// sent.

// Quote is what an order of lines comes to.
type Quote struct {
	Order *Order // with its lines priced and its codes put on; it is not kept
	// by line: rows of its item's table that ask less together than the line costs; nil: none do
	Combinations []*commerce.Combination
}

// QuoteOrder prices what would be a draft order, whose input has been checked. It counts no use of a code.
func QuoteOrder(v base.View, o CreateOrder, now int64) (*Quote, error) {
	t := &base.Tx{Acc: v.Acc, Now: now, Base: base.Base{Hi: 0x0fff}, Ledger: v.Acc.Ledger} // no drawn base is as high
	n, err := newOrder(t, &o.OrderInput)
	if err != nil {
		return nil, err
	}
	q := &Quote{Order: n, Combinations: make([]*commerce.Combination, len(o.Lines))}
	var looks commerce.Looked // in addition to those for the prices, which the order has
	for i := range o.Lines {
		in := o.Lines[i]
		if in.AddonOfLine != nil {
			in.AddonOf = &n.Lines[*in.AddonOfLine].ID
		}
		if err := addLine(t, n, &in); err != nil {
			return nil, ofNewLine(i, err)
		}
		q.Combinations[i] = cheaper(v.Acc, n, &n.Lines[i], &looks)
	}
	for i := range n.Lines {
		if err := plannedUnits(t, n, &n.Lines[i]); err != nil {
			return nil, ofLineItem(i, err)
		}
	}
	if n.UnitCount() > base.MaxUnits {
		return nil, tooManyUnits()
	}
	if err := reprice(n); err != nil {
		return nil, err
	}
	if err := applyCodes(t, n, o.Discounts); err != nil {
		return nil, err
	}
	return q, nil
}

// cheaper is a combination of rows by which a booking would cost less than it does, or nil: also where it is sold by
// one.
func cheaper(a *base.AccountState, o *Order, l *OrderLine, looks *commerce.Looked) *commerce.Combination {
	table := tableOf(a, l.Item())
	if table == nil || l.Purchase.Type() != base.PurchaseBooking || l.Rest().Combined != nil {
		return nil
	}
	c := commerce.Combine(fitting(table, o.Currency.String(), l.Purchase.Type()), l.Span(), o.PickupAt.Zone(), looks)
	if c == nil || c.Total >= l.UnitPrice {
		return nil
	}
	return c
}
