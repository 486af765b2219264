package order

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
)

// This file owns subscriptions: lines that are paid again and again. Nothing is charged here; when it would be is said,
// and the stock is held as long as the subscription lasts.

// Subscription is how a line is subscribed to.
type Subscription struct {
	ID            base.ID
	Label         string `json:",omitempty"` // of the pricing row
	Terms         commerce.SubscriptionTerms
	Collection    string `json:",omitempty"` // charge_automatically
	NextBillingAt int64  `json:",omitempty"` // 0: not begun, or no more
	CancelAt      int64  `json:",omitempty"` // the end that was agreed; 0: none
	CancelledAt   int64  `json:",omitempty"` // when it ended: at CancelAt, or earlier where no unit of it was left
}

// defaultCollection is how subscriptions are paid if nothing else was given.
const defaultCollection = "charge_automatically"

// SubscriptionStatus is where a subscription is in its life.
type SubscriptionStatus string

// One of a draft has not begun. A cancelling subscription is to end at a known instant.
const (
	SubscriptionDraft      SubscriptionStatus = "draft"
	SubscriptionActive     SubscriptionStatus = "active"
	SubscriptionCancelling SubscriptionStatus = "cancelling"
	SubscriptionCancelled  SubscriptionStatus = "cancelled"
)

// Status is where the subscription of an order is.
func (s *Subscription) Status(of *Order) SubscriptionStatus {
	switch {
	case of.Status == OrderDraft:
		return SubscriptionDraft
	case s.CancelledAt != 0:
		return SubscriptionCancelled
	case s.CancelAt != 0:
		return SubscriptionCancelling
	}
	return SubscriptionActive
}

func (s *Subscription) over() bool { return s.CancelledAt != 0 }

// EndsAt is when the subscription is to end or has ended; 0: it goes on.
func (s *Subscription) EndsAt() int64 {
	if s.over() {
		return s.CancelledAt
	}
	return s.CancelAt
}

// end ends the subscription at an instant that is past.
func (s *Subscription) end(at int64) { s.CancelAt, s.CancelledAt, s.NextBillingAt = at, at, 0 }

// endIfSettled ends the subscription of a line of which each unit has come back or is cancelled. The end that was
// agreed stays as it was: it counts again when a return is taken back.
func (l *OrderLine) endIfSettled(at int64) {
	s := l.Subscription
	if s == nil || s.over() {
		return
	}
	if f := l.Fulfillment(); f == Returned || f == Cancelled {
		s.CancelledAt, s.NextBillingAt = at, 0
	}
}

// resume lets the subscription of a line of which a unit is out again go on as it did before, if endIfSettled ended it.
func (l *OrderLine) resume(t *base.Tx, o *Order) {
	s := l.Subscription
	switch {
	case s == nil || !s.over():
		return
	case s.CancelAt != s.CancelledAt:
	case l.From < s.CancelledAt && s.CancelledAt < l.To:
		// An older program lost the agreed end here. What else ends a subscription leaves its line no time after it.
		s.CancelAt = 0
	default:
		return
	}
	s.CancelledAt = 0
	beginSubscription(t, o, l)
}

// newSubscription is the subscription of a line: by its own terms, else by those of its pricing row.
func newSubscription(t *base.Tx, row *commerce.PricingRow, in *OrderLineInput) *Subscription {
	s := &Subscription{ID: t.NewID(), Collection: defaultCollection}
	if row != nil {
		s.agree(row)
	}
	if in.Subscription != nil {
		s.Terms = *in.Subscription
	}
	if in.Collection != nil {
		s.Collection = *in.Collection
	}
	return s
}

// agree takes over the terms of a pricing row.
func (s *Subscription) agree(row *commerce.PricingRow) {
	if s.Label = row.Label; row.Subscription != nil {
		s.Terms = *row.Subscription
	}
}

// beginSubscription sets the first payment after the one that is made with the order.
func beginSubscription(t *base.Tx, o *Order, l *OrderLine) {
	if s := l.Subscription; s != nil && !s.over() {
		s.NextBillingAt = billing(t, o, l)
	}
}

// rebill sets the next payment anew, as the line has another window.
func rebill(t *base.Tx, o *Order, l *OrderLine) {
	if l.Subscription != nil && o.Status != OrderDraft {
		beginSubscription(t, o, l)
	}
}

// billing is the line's next payment, 0 if it ends before.
func billing(t *base.Tx, o *Order, l *OrderLine) int64 {
	s := l.Subscription
	_, at := commerce.NextBilling(l.From, s.Terms.Cycle, max(t.Now, l.From), o.PickupAt.Zone())
	if at == base.Forever || at >= l.To || s.CancelAt != 0 && at >= s.CancelAt {
		return 0
	}
	return at
}

// due is when time next changes the subscription of a line; 0: never.
func (l *OrderLine) due() int64 {
	s := l.Subscription
	if s == nil || s.over() {
		return 0
	}
	at := s.NextBillingAt
	if end := l.lasts(); end != base.Forever && (at == 0 || end < at) {
		at = end
	}
	return at
}

// lasts is when time ends the subscription of a line; Forever: it does not.
func (l *OrderLine) lasts() int64 {
	if at := l.Subscription.CancelAt; at != 0 {
		return min(l.To, at)
	}
	return l.To
}

// renewalStep is the least time between two renewals of an order, in milliseconds: each writes all of its row.
const renewalStep = 60_000

// renewsAt is when an order that has something due does it: an end at its instant, payments whole steps from the start
// of its first subscription. So a payment's date is late only where the cycle is of seconds, or where its line begins
// at another second of the minute than the first one.
func (o *Order) renewsAt() int64 {
	at, first := int64(base.Forever), slices.IndexFunc(o.Lines, func(l OrderLine) bool { return l.Subscription != nil })
	for i := range o.Lines {
		l := &o.Lines[i]
		if x := l.due(); x != 0 {
			wait := (o.Lines[first].From - x) % renewalStep
			at = min(at, x+(wait+renewalStep)%renewalStep, l.lasts())
		}
	}
	return at
}

// renewSubscriptions does what is due in an order: payments' dates have come and the next are set, or subscriptions
// end. Units of these that were never handed over are cancelled, and stay charged: they were kept for the customer to
// the end, and nobody called them off (CancelUnit).
func renewSubscriptions(t *base.Tx, id base.ID) {
	o, err := Edit(t, id)
	if err != nil {
		return
	}
	for i := range o.Lines {
		l := &o.Lines[i]
		s := l.Subscription
		if at := l.due(); at == 0 || at > t.Now {
			continue
		}
		end := l.lasts()
		if end > t.Now {
			s.NextBillingAt = billing(t, o, l)
			continue
		}
		s.end(end)
		for j := range l.Units {
			if u := &l.Units[j]; u.Handed == 0 && u.State != Cancelled {
				free(t, u)
				u.State = Cancelled
			}
		}
	}
}

// CancelSubscription ends a subscription: now, or at the end of the first payment cycle that its commitment and its
// notice allow. Its stock is free from then on.
type CancelSubscription struct {
	base.Answers[*OrderRecord]
	ID    base.ID
	AtEnd bool
}

func (o CancelSubscription) PlanOn(t *base.Tx) (any, error) {
	of := OrderTable(t.Acc).First(orderBySubscription, string(o.ID[:]))
	if of == nil {
		return nil, base.NotFound("subscription")
	}
	n, err := Edit(t, of.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(n.Lines, func(l OrderLine) bool { return l.Subscription != nil && l.Subscription.ID == o.ID })
	l := &n.Lines[i]
	s := l.Subscription
	if n.Status == OrderDraft || s.over() {
		state := string(s.Status(n))
		return nil, base.NotAllowed("the subscription is "+state+" and cannot be cancelled", state)
	}
	at := t.Now
	if o.AtEnd {
		at = min(commerce.EarliestEnd(l.From, &s.Terms, t.Now, n.PickupAt.Zone()), l.To)
		if at == base.Forever {
			return nil, base.Refuse(base.CodeConflict,
				"its commitment and notice last beyond the year 9999; it can only be cancelled at once")
		}
	}
	endLine(t, l, at)
	s.CancelAt = at
	if at <= t.Now {
		s.end(at)
	} else {
		s.NextBillingAt = billing(t, n, l)
	}
	stock.SeatFreed(t)
	return answer(t, n), nil
}

// endLine lets a line end at an instant: what is not handed over by then is cancelled, what is out is expected back.
// Less time needs no other room, so nothing refuses it.
func endLine(t *base.Tx, l *OrderLine, at int64) {
	if at == base.Forever || at == l.To {
		return
	}
	if at > l.From {
		l.To = at
	}
	for j := range l.Units {
		u := &l.Units[j]
		h, place, ok := stock.Draft(t).Find(u.Hold)
		if !ok || u.Returned != 0 {
			continue
		}
		body := base.Span{Start: h.Body().Start, End: at}
		if u.Handed != 0 {
			body.End = stock.NotOver(t, at) // it is not back yet
		}
		switch {
		case u.Handed == 0 && (at <= t.Now || body.Empty()):
			free(t, u)
			u.State = Cancelled
		case !place.Seated():
			stock.Draft(t).Replace(stock.HandedOver(t, h, stock.Draft(t).Stock().Lot(place.Lot), body).WithCut(0))
			stock.SeatConflict(t, h.ID)
		default:
			stock.Stretch(t, h, place, body, true)
		}
	}
}

// SubscriptionRecord is a subscription with the order and the line that it is of.
type SubscriptionRecord struct {
	*Subscription
	Order *Order
	Line  *OrderLine
}

// SubscriptionByID finds a subscription; ok is false where there is none.
func SubscriptionByID(v base.View, id base.ID) (r SubscriptionRecord, ok bool) {
	o := OrderTable(v.Acc).First(orderBySubscription, string(id[:]))
	if o == nil {
		return r, false
	}
	for _, r := range o.Subscriptions() {
		if r.ID == id {
			return r, true
		}
	}
	return r, false
}

// Subscriptions are those of an order, in the order of its lines.
func (o *Order) Subscriptions() (list []SubscriptionRecord) {
	for i := range o.Lines {
		if l := &o.Lines[i]; l.Subscription != nil {
			list = append(list, SubscriptionRecord{l.Subscription, o, l})
		}
	}
	return list
}

// Subscriptions lists all of the account, in the order in which their orders were made.
func Subscriptions(v base.View) (list []SubscriptionRecord) {
	for o := range OrderTable(v.Acc).By(orderBySubscription, "") {
		list = append(list, o.Subscriptions()...)
	}
	return list
}
