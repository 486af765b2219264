package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns subscriptions of order lines: when they are paid, and how they end.

// Subscription is a line's subscription.
type Subscription struct {
	ID                    ID
	Label                 string // of the pricing row
	Terms                 commerce.SubscriptionTerms
	NextBillingAt         int64
	Payment               int // the number of that payment, from 0
	CancelAt, CancelledAt int64
	Emptied               bool  // it ended as each of its units had come back or was cancelled
	Agreed                int64 // the end that it was to have before that, 0: none
}

// agree takes over what a pricing row says.
func (b *Subscription) agree(row *commerce.PricingRow) {
	if b.Label = row.Label; row.Subscription != nil {
		b.Terms = *row.Subscription
	}
}

func (b *Subscription) end(at int64) { b.CancelAt, b.CancelledAt, b.NextBillingAt = at, at, 0 }

// emptied ends a line's subscription of which nothing is left: each unit has come back or is cancelled.
func (l *OrderLine) emptied(at int64) (ended bool) {
	b := l.Subscribe
	left := func(u OrderUnit) bool { return u.State != order.Returned && u.State != order.Cancelled }
	if b == nil || b.CancelledAt != 0 || slices.ContainsFunc(l.Units, left) {
		return false
	}
	b.Agreed, b.Emptied = b.CancelAt, true
	b.end(at)
	return true
}

// refilled takes back what emptied has done, as a unit that came back is out again.
func (s *step) refilled(o *Order, l *OrderLine, u *OrderUnit) {
	if b := l.Subscribe; b != nil && b.Emptied {
		if b.Agreed != 0 {
			s.a.Seen.Rebound++
		}
		if b.CancelledAt != u.Returned {
			s.a.Seen.Resumed++
		}
		b.CancelAt, b.CancelledAt, b.Emptied = b.Agreed, 0, false
		s.begin(o, l)
	}
}

// begin sets the next payment of a line that is subscribed to.
func (s *step) begin(o *Order, l *OrderLine) {
	if b := l.Subscribe; b != nil && b.CancelledAt == 0 {
		b.Payment, b.NextBillingAt = NextBilling(l.Window.Start, b.Terms.Cycle, max(s.now, l.Window.Start),
			s.a.location(o.Pickup).Zone)
		if b.NextBillingAt >= l.Window.End || b.CancelAt != 0 && b.NextBillingAt >= b.CancelAt {
			b.NextBillingAt = 0
		}
	}
}

// plans judges how the subscriptions of an order go on.
func (a *Account) plans(r *order.OrderRecord, o *Order) error {
	plans := r.Plans()
	for i := range o.Lines {
		b := o.Lines[i].Subscribe
		if b == nil {
			continue
		}
		if b.NextBillingAt != 0 {
			if err := o.plan(i, a.location(o.Pickup).Zone, &plans[0], a.Seen); err != nil {
				return err
			}
		}
		plans = plans[1:]
	}
	return nil
}

// plan judges what the next payment of a line is after codes and with taxes, what the line is renewed for after the
// commitment, or the first cycle, and until when codes are for it.
func (o *Order) plan(i int, z string, p *order.SubscriptionPlan, seen *Tally) error {
	l, b, end := &o.Lines[i], o.Lines[i].Subscribe, o.Lines[i].Window.End
	if b.CancelAt != 0 {
		end = min(end, b.CancelAt)
	}
	renewal, from := l.Price, l.Window.Start
	if b.Terms.RenewalPrice != nil {
		renewal = *b.Terms.RenewalPrice
	}
	renewal *= int64(l.Quantity - l.Waived)
	renews := known(max(BillingAt(from, b.Terms.Cycle, 1, z), CommitmentEnd(from, b.Terms, z)))
	next, ok := PriceLine(o.payment(i, b.Payment, b.NextBillingAt >= renews), 1, 0, l.TaxRate)
	switch {
	case ok && p.NextAmount != next.Total:
		return wrong("payment %d of line %d is %d, the twin says %d", b.Payment, i, p.NextAmount, next.Total)
	case p.RenewsAt != renews, p.EndsAt != end, (p.Renewal != nil) != (renews < end):
		return wrong("line %d renews at %d and ends at %d, the twin says %d and %d", i, p.RenewsAt, p.EndsAt, renews,
			end)
	case p.Renewal != nil && *p.Renewal != renewal:
		return wrong("line %d is renewed for %d, the twin says %d", i, *p.Renewal, renewal)
	}
	for _, c := range o.Codes {
		until := int64(Forever)
		switch c.Terms.Duration {
		case commerce.DiscountOnce:
			until = known(BillingAt(from, b.Terms.Cycle, 1, z))
		case commerce.DiscountRepeating:
			until = known(BillingAt(from, b.Terms.Cycle, int(*c.Terms.Cycles), z))
		}
		off := slices.ContainsFunc(c.Off, func(x order.LineAmount) bool { return x.Line == l.ID })
		if !off && !(lasts(c.Terms, 1) && eligible(c.Terms, o.left()[i])) {
			until = 0
		}
		said := int64(0)
		for _, d := range p.Discounts {
			if d.ID == c.ID {
				said = d.Until
			}
		}
		switch {
		case until == 0:
		case b.NextBillingAt < until:
			seen.Coded++
		default:
			seen.Outlived++
		}
		if said != until {
			return wrong("code %s is for line %d until %d, the twin says %d", c.Terms.Code, i, said, until)
		}
	}
	return nil
}

// renewsAt is when time next changes a line's subscription; Forever: never. Payments are looked at each minute, counted
// from an instant.
func (l *OrderLine) renewsAt(from int64) int64 {
	b := l.Subscribe
	if b == nil || b.CancelledAt != 0 {
		return Forever
	}
	at := l.Window.End
	if b.CancelAt != 0 {
		at = min(at, b.CancelAt)
	}
	if next := b.NextBillingAt; next != 0 {
		const minute = 60_000
		for (next-from)%minute != 0 {
			next++
		}
		at = min(at, next)
	}
	return at
}

// renews says that time changes a subscription of an order.
func (s *step) renews(o *Order) bool {
	first := slices.IndexFunc(o.Lines, func(l OrderLine) bool { return l.Subscribe != nil })
	return o.Status != order.OrderDraft && slices.ContainsFunc(o.Lines,
		func(l OrderLine) bool { return l.renewsAt(o.Lines[max(first, 0)].Window.Start) <= s.now })
}

// renew does what is due of subscriptions: the next payment is set, or they end, and what was never handed over is
// cancelled.
func (s *step) renew() {
	for _, o := range slices.Clone(s.a.Orders) {
		if !s.renews(o) {
			continue
		}
		o = s.edit(o.ID)
		for i := range o.Lines {
			l := &o.Lines[i]
			b := l.Subscribe
			if b == nil || b.CancelledAt != 0 {
				continue
			}
			end := l.Window.End
			if b.CancelAt != 0 {
				end = min(end, b.CancelAt)
			}
			if end > s.now {
				if b.NextBillingAt != 0 && b.NextBillingAt <= s.now {
					s.begin(o, l)
					s.a.Seen.Billed++
				}
				continue
			}
			s.a.Seen.Lapsed++
			b.end(end)
			for j := range l.Units {
				if u := &l.Units[j]; u.Handed == 0 && u.State != order.Cancelled {
					s.free(u)
					u.State = order.Cancelled
				}
			}
		}
		o.stage()
	}
}

func (s *step) cancelSubscription(op order.CancelSubscription, err error) error {
	for _, o := range s.a.Orders {
		if i := slices.IndexFunc(o.Lines,
			func(l OrderLine) bool { return l.Subscribe != nil && l.Subscribe.ID == op.ID }); i >= 0 {
			return s.with(o.ID, "", err, func(o *Order) error { return s.unsubscribe(o, &o.Lines[i], op.AtEnd, err) })
		}
	}
	return refused(err, base.CodeNotFound)
}

func (s *step) unsubscribe(o *Order, l *OrderLine, atEnd bool, err error) error {
	b := l.Subscribe
	if o.Status == order.OrderDraft || b.CancelledAt != 0 {
		return refused(err, base.CodeStateNotAllowed)
	}
	at := s.now
	if atEnd {
		at = min(EarliestEnd(l.Window.Start, b.Terms, s.now, s.a.location(o.Pickup).Zone), l.Window.End)
		if at == Forever { // it is bound for longer than there are years
			s.a.Seen.Bound++
			return refused(err, base.CodeConflict)
		}
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	if at != l.Window.End {
		if at > l.Window.Start {
			l.Window.End = at
		}
		for j := range l.Units {
			u := &l.Units[j]
			h := s.a.unit(u.Hold)
			if h == nil || u.Returned != 0 {
				continue
			}
			body := Span{Start: h.Body().Start, End: at}
			if u.Handed != 0 {
				body.End = s.notOver(at)
			}
			switch {
			case u.Handed == 0 && (at <= s.now || body.Empty()):
				s.free(u)
				u.State = order.Cancelled
			case h.Slot == 0:
				i := slices.IndexFunc(s.a.Units, func(x Unit) bool { return x.ID == h.ID })
				s.a.Units[i] = s.handed(*h, body)
				s.push(u.Hold)
			default:
				if err := s.stay(*h, s.handed(*h, body), false); err != nil {
					return err
				}
			}
		}
	}
	b.CancelAt = at
	if at <= s.now {
		b.end(at)
	} else {
		s.begin(o, l)
	}
	return nil
}
