package order

import (
	"strconv"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns what is shown of an order in addition to what is stored of it: how its subscriptions continue, and its
// lengths in words. All of it follows from the record alone, so that it is the same wherever the record is written.

// SubscriptionPlan is how a line's subscription continues. Amounts are for all units of the line.
type SubscriptionPlan struct {
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
func (r *OrderRecord) zone() *timeline.Zone {
	if r.PickupAt == nil {
		return stock.MustZone("UTC")
	}
	return r.PickupAt.Zone()
}

// Plan says how the subscription of a line continues.
//
// A payment is at the line's unit price until the end of the commitment, else for the first cycle, and at the renewal
// price from then on. A code takes off a payment what it would take off this line alone. Of an amount for the whole
// order it takes off the line's share, and at most the payment.
func (r *OrderRecord) Plan(l *OrderLine) (p SubscriptionPlan) {
	s, z := l.Subscription, r.zone()
	terms := &s.Terms
	p.ListPrice = clamped(commerce.Times(l.UnitPrice, int64(l.Charged())))
	p.EndsAt = l.To
	if at := s.EndsAt(); at != 0 {
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
	renewal := l.UnitPrice
	if terms.RenewalPrice != nil {
		renewal = *terms.RenewalPrice
	}
	if p.RenewsAt < p.EndsAt {
		p.Renewal = new(int64)
		*p.Renewal = clamped(commerce.Times(renewal, int64(l.Charged())))
	}
	for i := range r.Codes {
		if c := &r.Codes[i]; c.of(l.ID) > 0 {
			p.Discounts = append(p.Discounts, SubscriptionDiscount{c, until(&c.Terms, l.From, terms.Cycle, z)})
		}
	}
	if at := s.NextBillingAt; at != 0 {
		amount := p.ListPrice
		if at >= p.RenewsAt {
			amount = clamped(commerce.Times(renewal, int64(l.Charged())))
		}
		p.NextAmount = r.payment(l, amount, at, p.Discounts)
	}
	return p
}

// payment is what is to be paid at an instant of so much.
func (r *OrderRecord) payment(l *OrderLine, amount, at int64, codes []SubscriptionDiscount) int64 {
	for _, c := range codes {
		if at >= c.Until {
			continue
		}
		off := int64(0)
		if c.Terms.ValueType == commerce.DiscountPerOrder {
			off = min(c.share(l.ID), amount)
		} else {
			_, off = c.Terms.Allocate([]commerce.Discountable{
				{Purchase: l.Purchase.Type(), CatalogItem: l.Item().CatalogItem, Quantity: l.Charged(),
					Amount: amount}})
		}
		amount -= off
	}
	return min(amount+int64(commerce.RoundedShare(uint64(amount), uint64(l.TaxRate), commerce.WholeRate)), base.MaxSafe)
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

// Duration is the length of a line, as ISO 8601 has it; empty where it has no end.
func (l *OrderLine) Duration() string {
	if l.To == base.Forever {
		return ""
	}
	text, left := "PT", l.To-l.From
	for _, u := range [...]struct {
		name string
		ms   int64
	}{{"H", 3_600_000}, {"M", 60_000}} {
		if n := left / u.ms; n > 0 {
			text, left = text+strconv.FormatInt(n, 10)+u.name, left%u.ms
		}
	}
	if left > 0 {
		text += strconv.FormatFloat(float64(left)/1000, 'f', -1, 64) + "S"
	}
	return text
}

// DurationLabel is the length of a line in words: its whole days of the calendar, and the time that is left.
func (r *OrderRecord) DurationLabel(l *OrderLine) string {
	if l.To == base.Forever {
		return ""
	}
	days := (l.To - l.From + timeline.Hour) / (24 * timeline.Hour) // an hour is what a day may lack
	behind := timeline.AddSteps(r.zone(), l.From, days, timeline.Days)
	if behind > l.To {
		days--
		behind = timeline.AddSteps(r.zone(), l.From, days, timeline.Days)
	}
	var parts []string
	if days > 0 {
		parts = append(parts, counted(days, "day"))
	}
	left := (l.To - behind) / 1000
	for _, u := range [...]struct {
		name    string
		seconds int64
	}{{"hour", 3_600}, {"minute", 60}, {"second", 1}} {
		if n := left / u.seconds; n > 0 {
			parts, left = append(parts, counted(n, u.name)), left%u.seconds
		}
	}
	return strings.Join(parts, " ")
}

func counted(n int64, of string) string {
	if n != 1 {
		of += "s"
	}
	return strconv.FormatInt(n, 10) + " " + of
}

// Bounds are the earliest beginning of a line of the order and the latest end, 0 where no line has one.
func (o *Order) Bounds() (from, to int64) {
	for i := range o.Lines {
		l := &o.Lines[i]
		if i == 0 || l.From < from {
			from = l.From
		}
		if l.To != base.Forever {
			to = max(to, l.To)
		}
	}
	return from, to
}

// ReturnedAt is when the last unit of a line came back, 0 while not all are.
func (l *OrderLine) ReturnedAt() (at int64) {
	if l.Fulfillment() != Returned {
		return 0
	}
	for j := range l.Units {
		at = max(at, l.Units[j].Returned)
	}
	return at
}

// share is a line's share of an amount for the whole order: what the code takes off it or, where the order came to less
// than the amount, what it would take off it if all that it is for cost as many times more.
func (c *OrderCode) share(line base.ID) int64 {
	sum := c.Applied()
	if sum == 0 || sum >= c.Terms.Value {
		return c.of(line)
	}
	shares, weights := make([]int64, len(c.Allocations)), make([]uint64, len(c.Allocations))
	for i, x := range c.Allocations {
		weights[i] = uint64(x.Value)
	}
	commerce.Apportion(shares, uint64(c.Terms.Value), weights, uint64(sum))
	for i, x := range c.Allocations {
		if x.Line == line {
			return shares[i]
		}
	}
	return 0
}

// of is what the code takes off a line.
func (c *OrderCode) of(line base.ID) (n int64) {
	for _, x := range c.Allocations {
		if x.Line == line {
			n += x.Value
		}
	}
	return n
}
