package order

import (
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns codes on orders: applying one, trying one, taking one off. A use is counted in the command that makes
// it.

// OrderCode is a discount code that an order carries: its terms as they were when it was applied.
type OrderCode struct {
	ID          base.ID
	Terms       commerce.DiscountTerms
	Allocations []LineAmount `json:",omitempty"`
	Unused      bool         `json:",omitempty"` // its use was given back: the order was cancelled as a draft
}

// LineAmount is a part of an amount that falls to a line.
type LineAmount struct {
	Line  base.ID
	Value int64 // minor units
}

// Applied is what the code takes off the order.
func (c *OrderCode) Applied() (n int64) {
	for _, x := range c.Allocations {
		n += x.Value
	}
	return n
}

// spread spreads the code over what is left of the lines' amounts, and takes it off them.
func (c *OrderCode) spread(o *Order, left []commerce.Discountable) {
	values, _ := c.Terms.Allocate(left)
	c.Allocations = nil
	for i, v := range values {
		if v > 0 {
			c.Allocations = append(c.Allocations, LineAmount{o.Lines[i].ID, v})
			left[i].Amount -= v
		}
	}
}

// code finds a code that the order carries, whatever its case, or -1.
func (o *Order) code(text string) int {
	text = base.FoldCode(text)
	return slices.IndexFunc(o.Codes, func(c OrderCode) bool { return base.FoldCode(c.Terms.Code) == text })
}

// Discounted is what applying a code comes to.
type Discounted struct {
	Code        *commerce.DiscountCode // nil: there is none
	Reason      base.Code              // why it is not valid; empty: it is
	Applied     int64
	Allocations []LineAmount
	Order       *OrderRecord // nil of a trial
}

// ApplyDiscount puts a discount code on a draft or an open order and counts a use of it, or refuses and counts none. It
// answers with the *Discounted.
type ApplyDiscount struct {
	base.Answers[*Discounted]
	Order base.ID
	Code  string
}

func (o ApplyDiscount) Check(c *base.Checker) { c.Text("/code", o.Code, 1, commerce.MaxCode) }

func (o ApplyDiscount) PlanOn(t *base.Tx) (any, error) {
	n, err := editFor(t, Discount, o.Order, nil)
	if err != nil {
		return nil, err
	}
	d, err := applyCode(t, n, o.Code)
	if err != nil {
		return nil, err
	}
	c := &n.Codes[len(n.Codes)-1]
	return &Discounted{Code: d, Applied: c.Applied(), Allocations: c.Allocations, Order: answer(t, n)}, nil
}

// applyCode puts a code on an order and counts a use of it.
func applyCode(t *base.Tx, o *Order, text string) (*commerce.DiscountCode, error) {
	d, err := discount(t.Acc, o, text, t.Now)
	if err != nil {
		return nil, err
	}
	d = commerce.UseDiscount(t, d, 1)
	o.Codes = append(o.Codes, OrderCode{ID: d.ID, Terms: d.DiscountTerms})
	return d, reprice(o)
}

// applyCodes puts codes on an order, one after the other, or refuses the first that cannot be put on.
func applyCodes(t *base.Tx, o *Order, texts []string) error {
	for _, text := range texts {
		if _, err := applyCode(t, o, text); err != nil {
			return err
		}
	}
	return nil
}

// discount judges whether a code can be put on an order.
func discount(a *base.AccountState, o *Order, text string, now int64) (*commerce.DiscountCode, error) {
	applied := o.code(text) >= 0
	d := commerce.DiscountByCode(a, text)
	if d == nil {
		return nil, base.Refuse(base.CodeDiscountNotFound, "there is no discount code %q", text)
	}
	left, ok := o.amounts()
	if !ok {
		return d, tooDear()
	}
	off := o.discounts()
	for i := range left {
		left[i].Amount -= off[i]
	}
	return d, d.Judge(now, o.Currency.String(), left, o.later(&d.DiscountTerms, now), applied)
}

// TryDiscount says what applying a code would come to. It counts no use.
func TryDiscount(v base.View, order base.ID, text string, now int64) (*Discounted, error) {
	o := OrderTable(v.Acc).Get(order)
	if o == nil {
		return nil, base.NotFound("order")
	}
	if err := o.allow(Discount); err != nil {
		return nil, err
	}
	d, err := discount(v.Acc, o, text, now)
	if err != nil {
		refusal, ok := err.(*base.Error)
		if !ok || !strings.HasPrefix(string(refusal.Code), "DISCOUNT_") {
			return nil, err
		}
		return &Discounted{Code: d, Reason: refusal.Code}, nil
	}
	left, _ := o.amounts()
	for i, off := range o.discounts() {
		left[i].Amount -= off
	}
	c := OrderCode{ID: d.ID, Terms: d.DiscountTerms}
	c.spread(o, left)
	return &Discounted{Code: d, Applied: c.Applied(), Allocations: c.Allocations}, nil
}

// RemoveDiscount takes a discount code off a draft or an open order and gives its use back.
type RemoveDiscount struct {
	base.Answers[any]
	base.IfMatch
	Order base.ID
	Code  string
}

func (o RemoveDiscount) PlanOn(t *base.Tx) (any, error) {
	if n := order(t, o.Order); n != nil && n.code(o.Code) < 0 {
		return nil, base.Refuse(base.CodeNotFound, "the order carries no such discount code")
	}
	n, err := editMatching(t, o.Order, o.IfMatch)
	if err != nil {
		return nil, err
	}
	i := n.code(o.Code)
	if err := n.allowAs(Discount, alongside[Discount]); err != nil {
		return nil, err
	}
	giveBack(t, &n.Codes[i])
	n.Codes = append(n.Codes[:i], n.Codes[i+1:]...)
	return nil, reprice(n)
}

// giveBack takes back the use that an order has made of a code, once.
func giveBack(t *base.Tx, c *OrderCode) {
	if d := commerce.DiscountTable(t.Acc).Get(c.ID); d != nil && !c.Unused {
		commerce.UseDiscount(t, d, -1)
	}
	c.Unused = true
}
