package workload

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns random commands on subscriptions of several units, which end and go on as units come back, are
// cancelled, or are out again.

// subscribedCommand draws the next step of a subscription, mostly one that the state of a unit of it allows.
func subscribedCommand(d Dice, a *model.Account, now int64) base.Op {
	left := func(u model.OrderUnit) bool { return u.State != order.Cancelled }
	subscribed := slices.DeleteFunc(slices.Clone(a.Orders), func(o *model.Order) bool {
		return o.Status == order.OrderDraft || len(o.Lines) == 0 || o.Lines[0].Subscribe == nil ||
			!slices.ContainsFunc(o.Lines[0].Units, left)
	})
	kind := d.N("subscription command", 100)
	if len(subscribed) == 0 || kind < 8 && len(a.Orders) < maxOrders {
		return subscribe(d, a, now)
	}
	o := pick(d, "subscribed order", subscribed)
	l := &o.Lines[0]
	if kind < 20 {
		return order.CancelSubscription{ID: l.Subscribe.ID, AtEnd: odds(d, "at the end", 85)}
	}
	u := pick(d, "unit", slices.DeleteFunc(slices.Clone(l.Units), func(u model.OrderUnit) bool { return !left(u) }))
	switch ids := []ID{u.ID}; {
	case u.State == order.Returned, u.State == order.Fulfilled && kind < 30:
		return order.UndoOrder{ID: o.ID, Units: ids}
	case u.State == order.Fulfilled:
		return order.ReturnOrder{ID: o.ID, Units: ids, At: past(d, now)}
	case kind < 60:
		return order.CancelUnit{Order: o.ID, Unit: u.ID}
	}
	return order.FulfillOrder{ID: o.ID, Units: []ID{u.ID}}
}

// subscribe draws an order of a subscription, which now and then is bound for longer than there are years.
func subscribe(d Dice, a *model.Account, now int64) order.CreateOrder {
	o := createOrder(d, a, now)
	o.Status, o.AllowOverbooked = order.OrderOpen, true
	from := now + int64(d.N("soon", 3)-1)*hour
	l := &o.Lines[0]
	l.Purchase, l.From, l.To, l.Subscription = base.PurchaseSubscription, &from, nil, terms(d)
	l.Quantity = 1 + d.N("quantity", 3)
	switch {
	case odds(d, "with an end", 30):
		l.To = new(from + int64(2+d.N("hours", 10))*hour)
	case odds(d, "for ever", 15):
		l.Subscription.Cycle = commerce.Period{Amount: 10, Unit: timeline.Years}
		l.Subscription.CommitmentCycles = new(int64(800))
	}
	if l.PricingRow != nil { // it is of what was drawn before
		l.PricingRow, l.UnitPrice = nil, new(int64(700))
	}
	return o
}

// renewFor gives a subscription that an order begins another price once it is renewed, now and then.
func renewFor(d Dice, op base.Op) {
	if o, is := op.(order.CreateOrder); is && o.Lines[0].Subscription != nil && odds(d, "another price", 50) {
		o.Lines[0].Subscription.RenewalPrice = new(int64(d.N("renewal", 900)))
	}
}
