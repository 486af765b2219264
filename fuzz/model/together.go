package model

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns what rows ask together, and quotes.

// fewLooks is how many tries the engine takes in any case. For a line that takes more, it may stay with the one row
// that asks least; so it may for a line that comes after many such lines in one order.
const fewLooks = 5_000

// Together is the least that rows ask for a window when they lie one after the other, those that take longest first,
// each as often as one likes, until they reach its end: all ways are tried. There is none for a window without end, nor
// of rows for the whole time. looks is how often a row was tried.
func Together(rows []commerce.PricingRow, w Span, z string) (total int64, looks int, ok bool) {
	var list []commerce.PricingRow
	for _, r := range rows {
		if r.Duration != nil {
			list = append(list, r)
		}
	}
	if len(list) == 0 || w.End == Forever {
		return 0, 0, false
	}
	end := func(r commerce.PricingRow) int64 { return addSteps(z, w.Start, r.Duration.Amount, r.Duration.Unit) }
	slices.SortStableFunc(list, func(x, y commerce.PricingRow) int { return cmp.Compare(end(y), end(x)) })
	type place struct {
		row int
		at  int64
	}
	known := map[place]int64{}
	var from func(p place) int64
	from = func(p place) int64 { // -1: the rows that are left do not reach the end
		switch best, done := known[p]; {
		case p.at >= w.End:
			return 0
		case p.row == len(list):
			return -1
		case done:
			return best
		}
		r, best := list[p.row], int64(-1)
		for n := int64(0); ; n++ {
			looks++
			next := place{p.row + 1, addSteps(z, p.at, n*r.Duration.Amount, r.Duration.Unit)}
			if rest := from(next); rest >= 0 && (best < 0 || n*r.Price+rest < best) {
				best = n*r.Price + rest
			}
			if next.at >= w.End {
				break
			}
		}
		known[p] = best
		return best
	}
	return from(place{0, w.Start}), looks, true
}

// alone is what the row asks that asks least alone.
func alone(rows []commerce.PricingRow, w Span, z string) (least int64) {
	for i, r := range rows {
		if n := r.Price * UnitsOf(r, w, z); i == 0 || n < least {
			least = n
		}
	}
	return least
}

// together is what a line costs that is sold by a combination of rows: the least of all combinations and of each row
// alone.
func (s *step) together(o *Order, l *OrderLine) int64 {
	zone := s.a.location(o.Pickup).Zone
	one := alone(l.Together, l.Window, zone)
	all, looks, ok := Together(l.Together, l.Window, zone)
	if !ok || all >= one {
		return one
	}
	if looks > fewLooks && s.said != nil {
		if x := at(s.said.Lines, func(x *order.OrderLine) bool { return x.No == l.No }); x != nil &&
			x.UnitPrice == one {
			return one
		}
	}
	s.a.Seen.Mixed++
	return all
}

// summed is what rows ask that the engine says make a line's price, or -1 where one is none of the line's.
func (a *Account) summed(c *commerce.Combination, l *OrderLine) (sum int64) {
	for _, u := range c.Rows {
		r := at(l.Together, func(r *commerce.PricingRow) bool { return r.ID == u.Row })
		if r == nil {
			return -1
		}
		sum += u.Units * r.Price
	}
	return sum
}

// Quote judges what the engine says that an order would cost: each line what it would cost as ordered, less the codes;
// and of a booking by a table, what its rows would ask together, if that is less.
func (a *Account) Quote(v base.View, o order.CreateOrder, now int64) error {
	if len(v.Check(&o)) > 0 {
		return nil
	}
	q, err := order.QuoteOrder(v, o, now)
	s := &step{now: now, was: a, a: a.clone()}
	n := &Order{Currency: a.Currency, Pickup: o.Pickup, Return: o.Pickup, Status: order.OrderDraft,
		Paid: map[Payment]int64{}}
	if o.Return != nil {
		n.Return = *o.Return
	}
	if a.location(n.Pickup) == nil || a.location(n.Return) == nil {
		return refused(err, base.CodeNotFound)
	}
	if err == nil {
		s.said = &order.OrderRecord{Order: q.Order}
	}
	for i := range o.Lines {
		l, refusal := s.newLine(n, &o.Lines[i])
		if n.Lines = append(n.Lines, l); refusal != "" {
			return refused(err, refusal)
		}
	}
	for i := range n.Lines {
		if refusal := s.planned(n, &n.Lines[i]); refusal != "" {
			return refused(err, refusal)
		}
	}
	if want := s.putCodes(n.numbered(), o.Discounts); want != "" || err != nil {
		return refused(err, want)
	}
	a.Seen.Quotes++
	lines, total, _ := n.price()
	have, _ := q.Order.LinePrices()
	sum, _ := q.Order.Price()
	if !slices.Equal(have, lines) || sum != total {
		return wrong("a quote of %+v is %+v in all and by line %+v, the twin says %+v and %+v", o, sum, have, total,
			lines)
	}
	for i := range n.Lines {
		if err := s.offered(n, &n.Lines[i], q.Combinations[i]); err != nil {
			return err
		}
	}
	return nil
}

// offered judges the combination that a quote offers of a line.
func (s *step) offered(o *Order, l *OrderLine, c *commerce.Combination) error {
	t := s.a.tableOf(l.Item)
	if t == nil || l.Purchase != base.PurchaseBooking {
		if c != nil {
			return wrong("a quote offers %+v of %+v", *c, *l)
		}
		return nil
	}
	fit := slices.DeleteFunc(slices.Clone(t.Rows),
		func(r commerce.PricingRow) bool { return r.Purchase != l.Purchase || r.RetiredAt != 0 })
	all, looks, ok := Together(fit, l.Window, s.a.location(o.Pickup).Zone)
	switch {
	case c == nil && ok && all < l.Price && looks <= fewLooks:
		return wrong("a quote offers no combination of %+v, the twin has one of %d", *l, all)
	case c != nil && (!ok || c.Total != all || all >= l.Price):
		return wrong("a quote offers %+v of %+v, the twin says %d", *c, *l, all)
	case c != nil:
		s.a.Seen.Offered++
	}
	return nil
}
