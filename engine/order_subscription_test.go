package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/timeline"
)

// This file owns the stories of how subscriptions of orders end, and go on where a step is taken back.

// subscribed is an order of units of one article by the day, and the ids of the units.
func (s *shop) subscribed(units int, to *int64) (o *order.OrderRecord, ids []base.ID) {
	s.T.Helper()
	o = s.order(base.Item{Article: s.article(base.ID{}, units)}, base.PurchaseSubscription, s.now, to, units, false)
	for _, u := range o.Lines[0].Units {
		ids = append(ids, u.ID)
	}
	return o, ids
}

// subscription is what the subscription of an order's first line says, with the order's status.
type subscription struct {
	order         order.OrderStatus
	status        order.SubscriptionStatus
	next          int64
	ends, endedAt int64
}

func (s *shop) subscription(o *order.OrderRecord) subscription {
	s.T.Helper()
	require.NoError(s.T, s.Tick(s.T.Context()))
	r := order.OrderByID(s.view(), o.ID)
	x := r.Lines[0].Subscription
	return subscription{r.Status, x.Status(r.Order), x.NextBillingAt, x.EndsAt(), x.CancelledAt}
}

// A subscription ends as the last of its units comes back or is cancelled, whichever of the two comes last.
func TestSubscriptionEndsWithItsLastUnit(t *testing.T) {
	for name, returnedLast := range map[string]bool{"returned": true, "cancelled": false} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			o, units := s.subscribed(2, nil)
			begun := s.now
			s.do(order.FulfillOrder{ID: o.ID, Units: units[:1]})
			steps := []base.Op{order.ReturnOrder{ID: o.ID, Units: units[:1]},
				order.CancelUnit{Order: o.ID, Unit: units[1]}}
			if returnedLast {
				steps[0], steps[1] = steps[1], steps[0]
			}
			s.now += hour
			s.do(steps[0])
			require.Equal(t, subscription{order.OrderActive, order.SubscriptionActive, begun + day, 0, 0},
				s.subscription(o))
			s.now += hour
			s.do(steps[1])
			over := subscription{order.OrderClosed, order.SubscriptionCancelled, 0, s.now, s.now}
			require.Equal(t, over, s.subscription(o))
			s.now += 3 * day
			require.Equal(t, over, s.subscription(o))
			s.reopen()

			s.do(order.UndoOrder{ID: o.ID, Units: units[:1]})
			require.Equal(t, subscription{order.OrderActive, order.SubscriptionActive, begun + 4*day, 0, 0},
				s.subscription(o), "its unit is out again")
			s.reopen()
		})
	}
}

// A subscription that is over keeps its end as its order is cancelled: how long it was paid for stays what it was.
func TestCancelledOrderKeepsEndedSubscriptions(t *testing.T) {
	for name, end := range map[string]func(o *order.OrderRecord, unit base.ID) base.Op{
		"cancelled": func(o *order.OrderRecord, _ base.ID) base.Op {
			return order.CancelSubscription{ID: o.Lines[0].Subscription.ID}
		},
		"its unit is cancelled": func(o *order.OrderRecord, unit base.ID) base.Op {
			return order.CancelUnit{Order: o.ID, Unit: unit}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			o, units := s.subscribed(1, nil)
			to := s.now + day
			s.do(order.AddOrderLines{Order: o.ID, Lines: []order.OrderLineInput{{
				Item: base.Item{Article: s.article(base.ID{}, 1)}, Purchase: base.PurchaseBooking,
				From: &s.now, To: &to, Quantity: 1}}})
			s.now += hour
			s.do(end(o, units[0]))
			over := s.subscription(o)
			require.Equal(t, subscription{order.OrderOpen, order.SubscriptionCancelled, 0, s.now, s.now}, over)
			s.now += hour
			s.do(order.CancelOrder{ID: o.ID})
			over.order = order.OrderClosed
			require.Equal(t, over, s.subscription(o))
		})
	}
}

// A subscription goes on when one of its units is out again, whichever of them came back last.
func TestUndoneReturnResumesTheSubscription(t *testing.T) {
	for _, which := range [][]int{{0}, {1}, {0, 1}} {
		s := newShop(t)
		o, units := s.subscribed(2, nil)
		begun := s.now
		s.do(order.FulfillOrder{ID: o.ID})
		for _, u := range units {
			s.now += hour
			s.do(order.ReturnOrder{ID: o.ID, Units: []base.ID{u}})
		}
		require.Equal(t, order.SubscriptionCancelled, s.subscription(o).status)
		s.now += hour
		undo := order.UndoOrder{ID: o.ID}
		for _, n := range which {
			undo.Units = append(undo.Units, units[n])
		}
		s.do(undo)
		require.Equal(t, subscription{order.OrderActive, order.SubscriptionActive, begun + day, 0, 0},
			s.subscription(o))
		s.reopen()
	}
}

// Each subscription of an order is found by its own id.
func TestSubscriptionsOfOneOrder(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 3)
	line := order.OrderLineInput{Item: base.Item{Article: article}, Quantity: 1, UnitPrice: new(int64(500)),
		Purchase: base.PurchaseSubscription, From: &s.now,
		Subscription: &commerce.SubscriptionTerms{Cycle: commerce.Period{Amount: 1, Unit: timeline.Days}}}
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
		Lines: []order.OrderLineInput{line, line, line}}).(*order.OrderRecord)
	for _, l := range o.Lines {
		r, ok := order.SubscriptionByID(s.view(), l.Subscription.ID)
		require.True(t, ok)
		require.Equal(t, l.ID, r.Line.ID)
	}
	o = s.do(order.CancelSubscription{ID: o.Lines[1].Subscription.ID}).(*order.OrderRecord)
	for i, l := range o.Lines {
		require.Equal(t, i != 1, l.Subscription.CancelledAt == 0, i)
	}
}

// The end that was agreed counts again where an early return is taken back, and time brings it.
func TestUndoneReturnKeepsTheAgreedEnd(t *testing.T) {
	s := newShop(t)
	o, units := s.subscribed(1, nil)
	s.do(order.FulfillOrder{ID: o.ID})
	s.now += 2*day + hour
	end := s.now + day - hour
	s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID, AtEnd: true})
	agreed := subscription{order.OrderActive, order.SubscriptionCancelling, 0, end, 0}
	require.Equal(t, agreed, s.subscription(o))
	s.now += hour
	s.do(order.ReturnOrder{ID: o.ID})
	back := s.now
	require.Equal(t, subscription{order.OrderClosed, order.SubscriptionCancelled, 0, back, back}, s.subscription(o))
	r := order.OrderByID(s.view(), o.ID)
	require.Equal(t, back, r.Plans()[0].EndsAt)
	s.reopen()
	s.now += hour
	s.do(order.UndoOrder{ID: o.ID, Units: units})
	require.Equal(t, agreed, s.subscription(o))
	s.refused(base.CodeStateNotAllowed, order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{}, "endDate")})
	s.now = end
	over := subscription{order.OrderActive, order.SubscriptionCancelled, 0, end, end}
	require.Equal(t, over, s.subscription(o))

	// Time has ended it: that stays so whatever is taken back, also of a return at the very instant.
	s.now += hour
	s.do(order.ReturnOrder{ID: o.ID, At: &end})
	s.do(order.UndoOrder{ID: o.ID, Units: units})
	require.Equal(t, over, s.subscription(o))
	s.reopen()
}

// What was cancelled at once stays cancelled where a return is taken back, also one before its line began.
func TestUndoneReturnLeavesACancellation(t *testing.T) {
	s := newShop(t)
	for _, from := range []int64{s.now, s.now + day} {
		o := s.order(base.Item{Article: s.article(base.ID{}, 1)}, base.PurchaseSubscription, from, nil, 1, false)
		s.do(order.FulfillOrder{ID: o.ID})
		s.now += hour
		s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID})
		s.do(order.ReturnOrder{ID: o.ID})
		s.do(order.UndoOrder{ID: o.ID, Units: []base.ID{o.Lines[0].Units[0].ID}})
		require.Equal(t, subscription{order.OrderActive, order.SubscriptionCancelled, 0, s.now, s.now},
			s.subscription(o))
	}
	s.reopen()
}

// An older program wrote the instant of a return as the agreed end, too.
func TestUndoneReturnOfAnOlderProgram(t *testing.T) {
	s := newShop(t)
	o, units := s.subscribed(1, nil)
	begun := s.now
	s.do(order.FulfillOrder{ID: o.ID})
	s.now += hour
	s.do(order.ReturnOrder{ID: o.ID})
	s.do(asOlder{order: o.ID})
	s.reopen()
	require.Equal(t, subscription{order.OrderClosed, order.SubscriptionCancelled, 0, s.now, s.now}, s.subscription(o))
	s.do(order.UndoOrder{ID: o.ID, Units: units})
	require.Equal(t, subscription{order.OrderActive, order.SubscriptionActive, begun + day, 0, 0}, s.subscription(o))
	s.reopen()
}

// asOlder leaves the subscription of an order as an older program left one whose units had come back.
type asOlder struct {
	base.Answers[any]
	order base.ID
}

func (o asOlder) PlanOn(t *base.Tx) (any, error) {
	n, err := order.Edit(t, o.order)
	if err == nil {
		s := n.Lines[0].Subscription
		s.CancelAt = s.CancelledAt
	}
	return nil, err
}

// A unit of a subscription that is over cannot wait to be handed over again; it can come back.
func TestUndoneHandOverOfWhatIsOver(t *testing.T) {
	s := newShop(t)
	o, units := s.subscribed(1, nil)
	s.do(order.FulfillOrder{ID: o.ID})
	s.now += hour
	s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID})
	e := s.refused(base.CodeStateNotAllowed, order.UndoOrder{ID: o.ID, Units: units})
	require.Equal(t, base.StateDetails{State: "fulfilled", Allowed: []string{"return"}}, e.Details)
	s.do(order.ReturnOrder{ID: o.ID})
	require.Equal(t, order.OrderClosed, s.subscription(o).order)
	s.do(order.UndoOrder{ID: o.ID, Units: units})
	require.Equal(t, order.OrderActive, s.subscription(o).order, "it is out again")
	s.reopen()
}

// A subscription whose commitment lasts longer than all years has no end that could be agreed on, unless its line has
// one. It can be cancelled at once.
func TestCommitmentWithoutAnEnd(t *testing.T) {
	s := newShop(t)
	for _, to := range []*int64{nil, ptr(s.now + 9*day)} {
		o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
			Lines: []order.OrderLineInput{{
				Item: base.Item{Article: s.article(base.ID{}, 1)}, Purchase: base.PurchaseSubscription, Quantity: 1,
				From: &s.now, To: to, Subscription: &commerce.SubscriptionTerms{
					Cycle: commerce.Period{Amount: 1, Unit: timeline.Years}, CommitmentCycles: ptr(int64(10_000))},
			}}}).(*order.OrderRecord)
		atEnd := order.CancelSubscription{ID: o.Lines[0].Subscription.ID, AtEnd: true}
		if to != nil {
			s.do(atEnd)
			require.Equal(t, subscription{order.OrderOpen, order.SubscriptionCancelling, 0, *to, 0}, s.subscription(o))
			continue
		}
		s.refused(base.CodeConflict, atEnd)
		require.Equal(t, order.SubscriptionActive, s.subscription(o).status)
		atEnd.AtEnd = false
		s.do(atEnd)
		require.Equal(t, order.SubscriptionCancelled, s.subscription(o).status)
	}
	s.reopen()
}

// What nobody fetched of a subscription that time has ended stays charged, and counts as brought in by the units that
// were fetched.
func TestUnfetchedUnitOfAnEndedSubscription(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 1)
	s.article(sku, 1)
	end := s.now + 2*day
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
		Lines: []order.OrderLineInput{{Item: base.Item{SKU: sku}, Purchase: base.PurchaseSubscription, Quantity: 2,
			From: &s.now, To: &end, UnitPrice: ptr(int64(700)),
			Subscription: &commerce.SubscriptionTerms{Cycle: commerce.Period{Amount: 1, Unit: timeline.Days}}}},
	}).(*order.OrderRecord)
	fetched, left := o.Units[0].Article, o.Units[1].Article
	s.do(order.FulfillOrder{ID: o.ID, Units: []base.ID{o.Lines[0].Units[0].ID}})
	s.now += hour
	s.do(order.ReturnOrder{ID: o.ID})
	require.Equal(t, []int64{700, 700}, s.earned(fetched, left))
	s.now = end
	require.Equal(t, subscription{order.OrderClosed, order.SubscriptionCancelled, 0, end, end}, s.subscription(o))
	r := order.OrderByID(s.view(), o.ID)
	require.Equal(t, order.Cancelled, r.Lines[0].Units[1].State)
	total, _ := r.Price()
	require.EqualValues(t, 1400, total.Total)
	require.Equal(t, []int64{1400, 0}, s.earned(fetched, left))
	s.reopen()
}

// An order whose lines are paid each second, at other instants within it, is written at most once a minute. Ends are
// at their instants, and so are the payments of calendar cycles that begin with the order's first subscription.
func TestAnOrderRenewsOnceAMinute(t *testing.T) {
	s := newShop(t)
	const lines, second, minute = 20, 1000, 60_000
	s.now += 123
	end, article := s.now+3*minute+1, s.article(base.ID{}, lines)
	in := order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc}}
	for i := range int64(lines) {
		unit, to := timeline.Seconds, &end
		if i == 0 {
			unit, to = timeline.Days, nil
		}
		in.Lines = append(in.Lines, order.OrderLineInput{Item: base.Item{Article: article}, Quantity: 1,
			Purchase: base.PurchaseSubscription, From: ptr(s.now + i), To: to,
			Subscription: &commerce.SubscriptionTerms{Cycle: commerce.Period{Amount: 1, Unit: unit}}})
	}
	o := s.do(in).(*order.OrderRecord)
	begun := s.now
	at := func(now int64) *order.OrderRecord {
		s.now = now
		require.NoError(t, s.Tick(t.Context()))
		return order.OrderByID(s.view(), o.ID)
	}
	renewals := uint64(0)
	for was := o.Revision; s.now < begun+2*minute; {
		r := at(s.now + 1 + s.now%second/2)
		if r.Revision != was {
			renewals, was = renewals+1, r.Revision
			for i := range r.Lines[1:] {
				require.Greater(t, r.Lines[1+i].Subscription.NextBillingAt, s.now)
			}
		}
	}
	require.EqualValues(t, 2, renewals)
	s.reopen()
	require.Equal(t, order.SubscriptionActive, at(end - 1).Lines[1].Subscription.Status(o.Order))
	require.Equal(t, end, at(end).Lines[1].Subscription.CancelledAt)
	require.Equal(t, begun+day, at(begun + day - 1).Lines[0].Subscription.NextBillingAt)
	require.Equal(t, begun+2*day, at(begun + day).Lines[0].Subscription.NextBillingAt)
	s.reopen()
}

// TestCodesDateTheLinesThatShowThem applies codes where no price changes: a line of a subscription whose first payment
// is free shows a code for later ones, and none that is for other items.
func TestCodesDateTheLinesThatShowThem(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 3)
	other := s.kit(commerce.Component{Item: base.Item{Article: article}, Quantity: 1})
	for name, items := range map[string][]base.ID{"all": nil, "others": {other.CatalogItem}} {
		s.do(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{Code: name, CatalogItems: items,
			ValueType: commerce.DiscountPercentage, Value: 10, Duration: commerce.DiscountForever}})
	}
	line := order.OrderLineInput{Item: base.Item{Article: article}, Quantity: 1, UnitPrice: new(int64(0)),
		Purchase: base.PurchaseSubscription, From: &s.now,
		Subscription: &commerce.SubscriptionTerms{RenewalPrice: new(int64(500)),
			Cycle: commerce.Period{Amount: 1, Unit: timeline.Days}}}
	sale := order.OrderLineInput{Item: other, Quantity: 1, UnitPrice: new(int64(900)), Purchase: base.PurchaseSale}
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc},
		Lines: []order.OrderLineInput{line, sale}}).(*order.OrderRecord)
	began := s.now
	s.now += hour
	o = s.do(order.ApplyDiscount{Order: o.ID, Code: "others"}).(*order.Discounted).Order
	require.Equal(t, []int64{began, s.now}, []int64{o.Lines[0].UpdatedAt, o.Lines[1].UpdatedAt})
	s.do(order.RemoveDiscount{Order: o.ID, Code: "others"})
	s.now += hour
	o = s.do(order.ApplyDiscount{Order: o.ID, Code: "all"}).(*order.Discounted).Order
	require.Equal(t, []int64{s.now, s.now}, []int64{o.Lines[0].UpdatedAt, o.Lines[1].UpdatedAt})
	s.reopen()
}

// A code that is for later payments, too, counts for them where it takes nothing off the first one: whatever is put on
// before it, and where the first one is free.
func TestCodesOfLaterPayments(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 20)
	code := func(name string, kind commerce.DiscountType, value int64, d commerce.DiscountDuration) {
		s.do(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{Code: name, ValueType: kind,
			Value: value, Purchases: []base.PurchaseType{base.PurchaseSubscription, base.PurchaseSale}, Duration: d}})
	}
	code("first", commerce.DiscountPercentage, 100, commerce.DiscountOnce)
	code("once", commerce.DiscountPercentage, 10, commerce.DiscountOnce)
	code("all", commerce.DiscountPercentage, 10, commerce.DiscountForever)
	code("free", commerce.DiscountPercentage, 100, commerce.DiscountForever)
	code("fixed", commerce.DiscountPerOrder, 300, commerce.DiscountForever)
	made := func(first, later, sale int64, codes ...string) order.CreateOrder {
		in := order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc, Discounts: codes},
			Lines: []order.OrderLineInput{{Item: base.Item{Article: article}, Quantity: 1,
				Purchase: base.PurchaseSubscription, From: &s.now, UnitPrice: &first,
				Subscription: &commerce.SubscriptionTerms{RenewalPrice: &later,
					Cycle: commerce.Period{Amount: 1, Unit: timeline.Days}}}}}
		if sale > 0 {
			in.Lines = slices.Insert(in.Lines, 0, order.OrderLineInput{Item: base.Item{Article: article}, Quantity: 1,
				Purchase: base.PurchaseSale, UnitPrice: &sale})
		}
		return in
	}
	for _, c := range []struct {
		of     order.CreateOrder
		listed int
		next   int64
	}{
		{made(500, 400, 1000, "first", "all"), 2, 360},
		{made(500, 400, 1000, "all", "first"), 2, 360},
		{made(0, 500, 1000, "all"), 1, 450},
		{made(0, 1000, 0, "all"), 1, 900},
		{made(500, 500, 1000, "first", "fixed"), 2, 400},
		{made(500, 500, 1000, "fixed", "first"), 2, 400},
		{made(0, 500, 1000, "fixed"), 1, 400},
		{made(500, 500, 1000, "once"), 1, 500},
		{made(0, 500, 1000, "once"), 0, 500},
	} {
		r := s.do(c.of).(*order.OrderRecord)
		p := r.Plans()[0]
		require.Len(t, p.Discounts, c.listed, c.of.Discounts)
		require.Equal(t, c.next, p.NextAmount, c.of.Discounts)
		s.now += day
		require.NoError(t, s.Tick(t.Context()))
		require.Equal(t, c.next, order.OrderByID(s.view(), r.ID).Plans()[0].NextAmount, c.of.Discounts)
	}
	for _, of := range []order.CreateOrder{made(500, 500, 0, "free", "all"), made(500, 500, 0, "first", "once"),
		made(0, 500, 0, "once"), made(0, 0, 0, "all")} {
		s.refused(base.CodeDiscountNoEffect, of)
	}
	s.reopen()
}
