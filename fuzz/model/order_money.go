package model

import (
	"slices"
	"strings"

	"holdfast/engine"
)

// This file owns what an order costs and what codes take off it.

// AppliedCode is a discount code that an order carries, with its terms as they were, and what it takes off each line.
type AppliedCode struct {
	ID    ID
	Terms engine.DiscountTerms
	Off   []engine.LineAmount
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
func (o *Order) left() (list []engine.Discountable) {
	for _, l := range o.Lines {
		list = append(list, engine.Discountable{
			Purchase: l.Purchase, CatalogItem: l.Item.CatalogItem, Quantity: l.Quantity, Amount: l.Price*int64(l.Quantity) - o.off(l.ID),
		})
	}
	return list
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
				c.Off = append(c.Off, engine.LineAmount{Line: o.Lines[i].ID, Value: v})
			}
		}
		o.Codes = append(o.Codes, c)
	}
	_, _, ok = o.price()
	return ok
}

// price is what the lines come to, and the order.
func (o *Order) price() (lines []engine.LinePrice, total engine.OrderPrice, ok bool) {
	for _, l := range o.Lines {
		p, ok := PriceLine(l.Price, l.Quantity, o.off(l.ID), l.TaxRate)
		if !ok {
			return nil, total, false
		}
		lines = append(lines, p)
	}
	total, ok = PriceOrder(lines)
	return lines, total, ok
}

func (s *step) applyCode(o *Order, text string, res any, err error) error {
	d := find(s.a.Codes, func(d *engine.DiscountCode) bool { return strings.EqualFold(d.Code, text) })
	if d == nil {
		return refused(err, engine.CodeDiscountNotFound)
	}
	applied := slices.ContainsFunc(o.Codes, func(c AppliedCode) bool { return strings.EqualFold(c.Terms.Code, text) })
	want := Judge(*d, s.now, o.left(), applied)
	if err := refused(err, want); err != nil || want != "" {
		return err
	}
	s.a.Seen.Applied++
	s.use(d.ID, 1)
	o.Codes = append(o.Codes, AppliedCode{ID: d.ID, Terms: d.DiscountTerms})
	o.reprice()
	c := o.Codes[len(o.Codes)-1]
	sum := int64(0)
	for _, x := range c.Off {
		sum += x.Value
	}
	if r := res.(*engine.Discounted); r.Applied != sum || !slices.Equal(r.Allocations, c.Off) {
		return wrong("the code took off %d by %+v, the twin says %d by %+v", r.Applied, r.Allocations, sum, c.Off)
	}
	return nil
}

func (s *step) removeCode(op engine.RemoveDiscount, err error) error {
	carries := func(c AppliedCode) bool { return strings.EqualFold(c.Terms.Code, op.Code) }
	if o := s.a.order(op.Order); o == nil || !slices.ContainsFunc(o.Codes, carries) {
		return refused(err, engine.CodeNotFound)
	}
	return s.with(op.Order, engine.Discount, err, func(o *Order) error {
		i := slices.IndexFunc(o.Codes, carries)
		s.use(o.Codes[i].ID, -1)
		o.Codes = slices.Delete(o.Codes, i, i+1)
		o.reprice()
		return refused(err, "")
	})
}
