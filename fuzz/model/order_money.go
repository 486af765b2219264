package model

import (
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns what an order costs and what codes take off it.

// AppliedCode is a discount code that an order carries, with its terms as they were, and what it takes off each line.
type AppliedCode struct {
	ID    ID
	Terms commerce.DiscountTerms
	Off   []order.LineAmount

	Unused bool // its use was given back as the order, a draft, was cancelled
}

// Payment is the key by which payments are added up: their kind, and their line, which is zero where they are of the
// order as a whole.
type Payment struct {
	Kind order.PaymentKind
	Line ID
}

// paid is what payments of a kind come to, those of lines and those of none.
func (o *Order) paid(k order.PaymentKind) (n int64) {
	for p, amount := range o.Paid {
		if p.Kind == k {
			n += amount
		}
	}
	return n
}

// pay judges a payment that is put down.
func (o *Order) pay(op order.AddPayment, err error) error {
	p := Payment{Kind: op.Kind}
	if p.Kind == order.Refund && o.paid(order.Refund)+op.Amount > o.paid(order.Capture) ||
		p.Kind == order.DepositRefund && o.paid(order.DepositRefund)+op.Amount > o.paid(order.DepositCapture) ||
		p.Kind == order.DepositCancel && o.paid(order.DepositCancel)+op.Amount > o.paid(order.DepositAuthorise) {
		return refused(err, base.CodeInvalid)
	}
	if op.Line != nil {
		if p.Line = *op.Line; o.line(p.Line) < 0 {
			return refused(err, base.CodeNotFound)
		}
	}
	if o.paid(p.Kind)+op.Amount > maxMoney {
		return refused(err, base.CodeInvalid)
	}
	o.Paid[p] += op.Amount
	return refused(err, "")
}

// use counts uses of a code.
func (s *step) use(id ID, n int64) {
	for i, d := range s.a.Codes {
		if d.ID == id {
			c := *d
			c.Used += n
			s.a.Codes[i] = &c
		}
	}
}

// off is what all codes take off a line.
func (o *Order) off(line ID) (n int64) {
	for _, c := range o.Codes {
		for _, x := range c.Off {
			if x.Line == line {
				n += x.Value
			}
		}
	}
	return n
}

// left is what is left of the lines' prices to take something off.
func (o *Order) left() (list []commerce.Discountable) {
	for _, l := range o.Lines {
		list = append(list, commerce.Discountable{
			Purchase: l.Purchase, CatalogItem: l.Item.CatalogItem, Quantity: l.Quantity - l.Waived,
			Amount: l.Price*int64(l.Quantity-l.Waived) - o.off(l.ID),
		})
	}
	return list
}

// toPay are payments of subscriptions that are still to come and that a code would be for, from each line's next one to
// the first at which all that may become another has done so.
func (s *step) toPay(o *Order, d commerce.DiscountTerms) (list []commerce.Discountable) {
	zone := s.a.location(o.Pickup).Zone
	for i, l := range o.Lines {
		b, of := l.Subscribe, o.left()[i]
		if b == nil || !eligible(d, of) {
			continue
		}
		end, renews := l.Window.End, max(BillingAt(l.Window.Start, b.Terms.Cycle, 1, zone),
			CommitmentEnd(l.Window.Start, b.Terms, zone))
		if b.CancelAt != 0 {
			end = min(end, b.CancelAt)
		}
		for n, settled := 1, false; !settled && lasts(d, n); n++ {
			at := BillingAt(l.Window.Start, b.Terms.Cycle, n, zone)
			if at >= end {
				break
			}
			if settled = at > s.now && at >= renews && n >= mostRepeated; at > s.now {
				of.Amount = o.payment(i, n, at >= renews)
				list = append(list, of)
			}
		}
	}
	return list
}

// mostRepeated is for how many payments codes are at most that are for some.
const mostRepeated = 10

// lasts says that a code is for the n-th payment of a subscription, from 0.
func lasts(d commerce.DiscountTerms, n int) bool {
	return n == 0 || d.Duration == commerce.DiscountForever ||
		d.Duration == commerce.DiscountRepeating && int64(n) < *d.Cycles
}

// payment is what is left of the n-th payment of a line, from 0.
func (o *Order) payment(i, n int, renewed bool) int64 {
	price := func(l *OrderLine, renewed bool) int64 {
		if b := l.Subscribe; renewed && b != nil && b.Terms.RenewalPrice != nil {
			return *b.Terms.RenewalPrice * int64(l.Quantity-l.Waived)
		}
		return l.Price * int64(l.Quantity-l.Waived)
	}
	all := o.left()
	for j := range all {
		if all[j].Amount = price(&o.Lines[j], false); all[j].Amount == 0 {
			all[j].Amount = price(&o.Lines[j], true)
		}
	}
	one := []commerce.Discountable{all[i]}
	one[0].Amount = price(&o.Lines[i], renewed)
	for _, c := range o.Codes {
		if !lasts(c.Terms, 1) {
			continue
		}
		values, _ := Allocate(c.Terms, one)
		if c.Terms.ValueType == commerce.DiscountPerOrder {
			dear := slices.Clone(all)
			for j := range dear {
				dear[j].Amount *= c.Terms.Value // so that all of it is taken off
			}
			shares, _ := Allocate(c.Terms, dear)
			values[0] = min(one[0].Amount, shares[i])
		}
		if lasts(c.Terms, n) {
			one[0].Amount -= values[0]
		}
		values, _ = Allocate(c.Terms, all)
		for j := range all {
			all[j].Amount -= values[j]
		}
	}
	return one[0].Amount
}

// reprice spreads the codes anew, one after the other; ok is false where the order costs more than there is money.
func (o *Order) reprice() (ok bool) {
	codes := o.Codes
	o.Codes = nil
	for _, c := range codes {
		values, _ := Allocate(c.Terms, o.left())
		c.Off = nil
		for i, v := range values {
			if v > 0 {
				c.Off = append(c.Off, order.LineAmount{Line: o.Lines[i].ID, Value: v})
			}
		}
		o.Codes = append(o.Codes, c)
	}
	_, _, ok = o.price()
	return ok
}

// price is what the lines come to, and the order.
func (o *Order) price() (lines []commerce.LinePrice, total commerce.OrderPrice, ok bool) {
	for _, l := range o.Lines {
		p, ok := PriceLine(l.Price, l.Quantity-l.Waived, o.off(l.ID), l.TaxRate)
		if !ok {
			return nil, total, false
		}
		lines = append(lines, p)
	}
	total, ok = PriceOrder(lines)
	return lines, total, ok
}

// putCode puts a code on an order, or says why it cannot be.
func (s *step) putCode(o *Order, text string) base.Code {
	d := find(s.a.Codes, func(d *commerce.DiscountCode) bool { return strings.EqualFold(d.Code, text) })
	if d == nil {
		return base.CodeDiscountNotFound
	}
	if want := Judge(*d, s.now, o.Currency, o.left(), s.toPay(o, d.DiscountTerms), o.code(text) >= 0); want != "" {
		return want
	}
	s.a.Seen.Applied++
	s.use(d.ID, 1)
	o.Codes = append(o.Codes, AppliedCode{ID: d.ID, Terms: d.DiscountTerms})
	o.reprice()
	return ""
}

// putCodes puts codes on an order one after the other, up to the first that cannot be.
func (s *step) putCodes(o *Order, texts []string) base.Code {
	for _, text := range texts {
		if want := s.putCode(o, text); want != "" {
			return want
		}
	}
	return ""
}

// numbered gives ids to the lines of an order that was not made. They keep apart what codes take off each line.
func (o *Order) numbered() *Order {
	for i := range o.Lines {
		o.Lines[i].ID = ID{15: byte(i + 1)}
	}
	return o
}

func (s *step) applyCode(o *Order, text string, res any, err error) error {
	want := s.putCode(o, text)
	if err := refused(err, want); err != nil || want != "" {
		return err
	}
	c := o.Codes[len(o.Codes)-1]
	sum := int64(0)
	for _, x := range c.Off {
		sum += x.Value
	}
	if r := res.(*order.Discounted); r.Applied != sum || !slices.Equal(r.Allocations, c.Off) {
		return wrong("the code took off %d by %+v, the twin says %d by %+v", r.Applied, r.Allocations, sum, c.Off)
	}
	return nil
}

// code finds a code that an order carries, whatever its case, or -1.
func (o *Order) code(text string) int {
	return slices.IndexFunc(o.Codes, func(c AppliedCode) bool { return strings.EqualFold(c.Terms.Code, text) })
}

func (s *step) removeCode(op order.RemoveDiscount, err error) error {
	return s.with(op.Order, order.Discount, err, func(o *Order) error {
		i := o.code(op.Code)
		s.use(o.Codes[i].ID, -1)
		o.Codes = slices.Delete(o.Codes, i, i+1)
		o.reprice()
		return refused(err, "")
	})
}
