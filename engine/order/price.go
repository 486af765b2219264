package order

import (
	"iter"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns what an order costs: the price of each line, what its codes take off, and how its subscriptions go on
// to be paid.
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
		return l.priceCombined(o, &orderingOf(t).looked)
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
	return reprice(o)
}

func tooDear() *base.Error {
	return base.InvalidAt("/lineItems", "range",
		"the order, or a later payment of it, would cost more than 9007199254740991 minor units")
}

// reprice spreads the codes that an order carries over its lines again, in the order in which they were applied, each
// over what those before it have left.
func reprice(o *Order) error {
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
		list[i] = l.discountable(p.Subtotal)
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

// discounts are what the codes take off each line.
func (o *Order) discounts() []int64 {
	off := make([]int64, len(o.Lines))
	for i := range o.Codes {
		o.Codes[i].addTo(off, o.Lines)
	}
	return off
}

// takenOff is what each code takes off each line.
func (o *Order) takenOff() [][]int64 {
	off := make([][]int64, len(o.Codes))
	for i := range o.Codes {
		off[i] = make([]int64, len(o.Lines))
		o.Codes[i].addTo(off[i], o.Lines)
	}
	return off
}

// addTo adds what a code takes off each line. Its parts are written in the order of the lines, so each is looked for
// behind the line of the one before it: each line is looked at once.
func (c *OrderCode) addTo(off []int64, lines []OrderLine) {
	at := 0
	for _, x := range c.Allocations {
		for range lines { // once around at most
			j := at % len(lines)
			if at++; lines[j].ID == x.Line {
				off[j] += x.Value
				break
			}
		}
	}
}

// Price is what an order costs in all; ok is false where that is too much to say.
func (o *Order) Price() (total commerce.OrderPrice, ok bool) {
	lines, ok := o.LinePrices()
	if !ok {
		return total, false
	}
	return commerce.PriceOrder(lines)
}

// SubscriptionPlan is how a line's subscription continues. Amounts are for all units of the line.
type SubscriptionPlan struct {
	SubscriptionRecord
	ListPrice   int64 // of a payment, before anything is taken off
	Discounts   []SubscriptionDiscount
	NextAmount  int64 // of the next payment, where there is one
	MinimumTerm *commerce.Period
	TermEnd     int64  // where there is a minimum term
	Renewal     *int64 // the price of a payment from RenewsAt on; nil: it ends before
	RenewsAt    int64
	EndsAt      int64 // Forever: it has no end
}

// SubscriptionDiscount is a code that is taken off payments of a subscription, from the first one on.
type SubscriptionDiscount struct {
	*OrderCode
	Until int64 // the beginning of the first cycle at the full price; Forever: there is none
}

// zone is that of the place where the order's stock is taken.
func (o *Order) zone() *timeline.Zone {
	if o.PickupAt == nil {
		return stock.MustZone("UTC")
	}
	return o.PickupAt.Zone()
}

// Plans says how the subscriptions of an order continue, in the order of its lines.
//
// A payment is at the line's unit price until the end of the commitment, else for the first cycle, and at the renewal
// price from then on. A code takes off a payment what it would take off this line alone. Of an amount for the whole
// order it takes off the line's share, and at most the payment.
func (o *Order) Plans() (list []SubscriptionPlan) {
	var shares map[*OrderCode][]int64
	discounts := o.SubscriptionDiscounts(len(o.Lines))
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.Subscription == nil {
			continue
		}
		p := o.plan(l, discounts[i])
		if at := l.Subscription.NextBillingAt; at != 0 {
			if shares == nil {
				shares = o.shares()
			}
			left := p.payment(at, shares, i)
			tax := commerce.RoundedShare(uint64(left), uint64(l.TaxRate), commerce.WholeRate)
			p.NextAmount = min(left+int64(tax), base.MaxSafe)
		}
		list = append(list, p)
	}
	return list
}

// plan is the plan of a line with some discounts, without its next payment.
func (o *Order) plan(l *OrderLine, discounts []SubscriptionDiscount) SubscriptionPlan {
	p := SubscriptionPlan{SubscriptionRecord: SubscriptionRecord{l.Subscription, o, l}, Discounts: discounts}
	terms, z := &l.Subscription.Terms, o.zone()
	p.ListPrice = clamped(commerce.Times(l.UnitPrice, int64(l.Charged())))
	p.EndsAt = l.To
	if at := l.Subscription.EndsAt(); at != 0 {
		p.EndsAt = min(p.EndsAt, at)
	}
	p.RenewsAt = commerce.BillingAt(l.From, terms.Cycle, 1, z)
	if n := terms.CommitmentCycles; n != nil {
		p.MinimumTerm = &commerce.Period{Amount: *n * terms.Cycle.Amount, Unit: terms.Cycle.Unit}
	}
	if c := terms.Commitment; c != nil &&
		(p.MinimumTerm == nil || timeline.AddSteps(z, l.From, c.Amount, c.Unit) >
			commerce.BillingAt(l.From, terms.Cycle, int(*terms.CommitmentCycles), z)) {
		p.MinimumTerm = c
	}
	if p.MinimumTerm != nil {
		p.TermEnd = commerce.CommitmentEnd(l.From, terms, z)
		p.RenewsAt = max(p.RenewsAt, p.TermEnd)
	}
	if p.RenewsAt < p.EndsAt {
		p.Renewal = new(l.renewal())
	}
	return p
}

// renewal is what a payment of a subscription's line is in the end, before anything is taken off.
func (l *OrderLine) renewal() int64 {
	price := l.UnitPrice
	if p := l.Subscription.Terms.RenewalPrice; p != nil {
		price = *p
	}
	return clamped(commerce.Times(price, int64(l.Charged())))
}

// SubscriptionDiscounts are, of each of the first lines, the codes that take something off the first payment of its
// subscription, or may take it off later ones; nil where none of these is a subscription.
func (o *Order) SubscriptionDiscounts(lines int) (list [][]SubscriptionDiscount) {
	var off [][]int64
	for i := range lines {
		if o.Lines[i].Subscription == nil {
			continue
		}
		if list == nil {
			list, off = make([][]SubscriptionDiscount, lines), o.takenOff()
		}
		list[i] = o.discountsOf(i, off)
	}
	return list
}

// discountsOf are the codes that may take something off later payments of a line's subscription, and those that do off
// the first one, by what all take off, where that is given.
func (o *Order) discountsOf(i int, off [][]int64) (list []SubscriptionDiscount) {
	l := &o.Lines[i]
	of := l.discountable(0)
	for j := range o.Codes {
		if c := &o.Codes[j]; c.Terms.Lasts() && c.Terms.Eligible(&of) || off != nil && off[j][i] > 0 {
			list = append(list, SubscriptionDiscount{c, until(&c.Terms, l.From, l.Subscription.Terms.Cycle, o.zone())})
		}
	}
	return list
}

// discountable is a line of which so much is to be paid.
func (l *OrderLine) discountable(amount int64) commerce.Discountable {
	return commerce.Discountable{Purchase: l.Purchase.Type(), CatalogItem: l.Item().CatalogItem,
		Quantity: l.Charged(), Amount: amount}
}

// payment is what is left of a later payment, before taxes: by the shares of the order, of which the line is the i-th.
func (p *SubscriptionPlan) payment(at int64, shares map[*OrderCode][]int64, i int) int64 {
	left := p.ListPrice
	if at >= p.RenewsAt {
		left = p.Line.renewal()
	}
	for _, c := range p.Discounts {
		if at >= c.Until {
			continue
		}
		if c.Terms.ValueType == commerce.DiscountPerOrder {
			left -= min(shares[c.OrderCode][i], left)
			continue
		}
		_, off := c.Terms.Allocate([]commerce.Discountable{p.Line.discountable(left)})
		left -= off
	}
	return left
}

// shares are, of each code that is an amount for an order, the parts of the lines in their order. A line weighs what it
// costs before codes that are for first payments alone, and a subscription whose first payment is free what it costs
// later.
func (o *Order) shares() map[*OrderCode][]int64 {
	parts, left := map[*OrderCode][]int64{}, make([]commerce.Discountable, len(o.Lines))
	for i := range o.Lines {
		l := &o.Lines[i]
		amount := clamped(commerce.Times(l.UnitPrice, int64(l.Charged())))
		if amount == 0 && l.Subscription != nil {
			amount = l.renewal()
		}
		left[i] = l.discountable(amount)
	}
	for i := range o.Codes {
		c := &o.Codes[i]
		if !c.Terms.Lasts() {
			continue
		}
		if c.Terms.ValueType == commerce.DiscountPerOrder {
			parts[c] = c.Terms.Weigh(left)
		}
		values, _ := c.Terms.Allocate(left)
		for j, v := range values {
			left[j].Amount -= v
		}
	}
	return parts
}

// later yields payments of subscriptions that are still to come and that a code would be for: of each line those from
// which on the price or the codes are others. So the code takes something off a later payment if it does off one of
// these.
func (o *Order) later(d *commerce.DiscountTerms, now int64) iter.Seq[commerce.Discountable] {
	return func(yield func(commerce.Discountable) bool) {
		if !d.Lasts() {
			return
		}
		shares, z := o.shares(), o.zone()
		for i := range o.Lines {
			l := &o.Lines[i]
			if of := l.discountable(0); l.Subscription == nil || !d.Eligible(&of) {
				continue
			}
			p := o.plan(l, o.discountsOf(i, nil)) // without codes for the first payment alone
			cycle, from := l.Subscription.Terms.Cycle, max(l.From, now)
			behind := []int64{from, p.RenewsAt - 1}
			for _, c := range p.Discounts {
				behind = append(behind, c.Until-1)
			}
			for _, t := range behind {
				_, at := commerce.NextBilling(l.From, cycle, max(t, from), z)
				if at < min(p.EndsAt, until(d, l.From, cycle, z)) &&
					!yield(l.discountable(p.payment(at, shares, i))) {
					return
				}
			}
		}
	}
}

// until is the beginning of the first cycle that the code takes nothing off.
func until(d *commerce.DiscountTerms, start int64, cycle commerce.Period, z *timeline.Zone) int64 {
	switch d.Duration {
	case commerce.DiscountForever:
		return base.Forever
	case commerce.DiscountRepeating:
		return commerce.BillingAt(start, cycle, int(*d.Cycles), z)
	}
	return commerce.BillingAt(start, cycle, 1, z)
}

// clamped is a product, or the largest amount that there is.
func clamped(n int64, ok bool) int64 {
	if !ok {
		return base.MaxSafe
	}
	return n
}
