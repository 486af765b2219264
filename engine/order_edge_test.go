package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns cases of orders at the edges of time and stock: each was wrong once.

func TestNoMoreIsRefundedThanWasCaptured(t *testing.T) {
	s := newShop(t)
	o := s.do(order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc}}).(*order.OrderRecord)
	pay := func(k order.PaymentKind, amount int64) order.AddPayment {
		return order.AddPayment{Order: o.ID, Kind: k, Amount: amount}
	}
	s.refused(base.CodeInvalid, pay(order.Refund, 1))
	s.do(pay(order.Capture, 6000))
	e := s.refused(base.CodeInvalid, pay(order.Refund, 99_999))
	require.Equal(t, []base.Fault{{Pointer: "/amount", Code: "range", Message: "must be at most 6000, what is left " +
		"to give back of what was captured"}}, e.Faults)
	s.do(pay(order.Refund, 2000))
	s.refused(base.CodeInvalid, pay(order.Refund, 4001))
	s.do(pay(order.Refund, 4000))
	e = s.refused(base.CodeInvalid, pay(order.Refund, 1))
	require.Equal(t, "there is nothing left to give back of what was captured", e.Faults[0].Message)
	s.do(pay(order.DepositCapture, 1)) // deposits are an account of their own
}

func TestNoMoreOfADepositIsRefundedThanWasTaken(t *testing.T) {
	s := newShop(t)
	o := s.do(order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc}}).(*order.OrderRecord)
	pay := func(k order.PaymentKind, amount int64) order.AddPayment {
		return order.AddPayment{Order: o.ID, Kind: k, Amount: amount}
	}
	s.do(pay(order.DepositAuthorise, 500))
	s.do(pay(order.Capture, 500))
	// what is only set aside is released by deposit_cancel
	e := s.refused(base.CodeInvalid, pay(order.DepositRefund, 1))
	require.Equal(t, []base.Fault{{Pointer: "/amount", Code: "range", Message: "there is nothing left to give back " +
		"of the deposit"}}, e.Faults)
	s.do(pay(order.DepositCapture, 300))
	e = s.refused(base.CodeInvalid, pay(order.DepositRefund, 301))
	require.Equal(t, "must be at most 300, what is left to give back of the deposit", e.Faults[0].Message)
	s.do(pay(order.DepositRefund, 300))
	s.refused(base.CodeInvalid, pay(order.DepositRefund, 1))
	s.do(pay(order.Refund, 500))
}

// A capture takes nothing off what can be cancelled: a deposit may be captured that was not authorised here.
func TestNoMoreOfADepositIsCancelledThanWasAuthorised(t *testing.T) {
	s := newShop(t)
	o := s.do(order.CreateOrder{
		OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc}}).(*order.OrderRecord)
	pay := func(k order.PaymentKind, amount int64) order.AddPayment {
		return order.AddPayment{Order: o.ID, Kind: k, Amount: amount}
	}
	s.do(pay(order.DepositCapture, 200))
	e := s.refused(base.CodeInvalid, pay(order.DepositCancel, 1))
	require.Equal(t, "there is nothing left to cancel of what was authorised", e.Faults[0].Message)
	s.do(pay(order.DepositAuthorise, 500))
	e = s.refused(base.CodeInvalid, pay(order.DepositCancel, 501))
	require.Equal(t, []base.Fault{{Pointer: "/amount", Code: "range", Message: "must be at most 500, what is left " +
		"to cancel of what was authorised"}}, e.Faults)
	s.do(pay(order.DepositCancel, 400))
	s.refused(base.CodeInvalid, pay(order.DepositCancel, 101))
	s.do(pay(order.DepositCancel, 100))
}

func TestNobodyAgreesInTheFuture(t *testing.T) {
	s := newShop(t)
	agreed := func(at int64) []order.Consent {
		return []order.Consent{{Label: ptr("Terms")}, {Label: ptr("Terms"), AcceptedAt: &at}}
	}
	create := func(at int64) order.CreateOrder {
		return order.CreateOrder{
			OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc, Consents: agreed(at)}}
	}
	o := s.do(create(s.now)).(*order.OrderRecord)
	for _, op := range []base.Op{create(s.now + 1),
		order.PatchOrder{ID: o.ID, Fields: base.Changed(order.OrderInput{Consents: agreed(s.now + 1)})}} {
		e := s.refused(base.CodeInvalid, op)
		require.Equal(t, []base.Fault{
			{Pointer: "/consentAcceptances/1/acceptedAt", Code: "range", Message: "must not lie ahead"}}, e.Faults)
	}
	s.do(order.PatchOrder{ID: o.ID, Fields: base.Changed(order.OrderInput{Consents: agreed(s.now)})})
}

func (s *shop) order(i base.Item, purchase base.PurchaseType, from int64, to *int64, n int,
	overbook bool) *order.OrderRecord {
	s.T.Helper()
	l := order.OrderLineInput{Item: i, Purchase: purchase, Quantity: n, From: &from, To: to}
	if purchase == base.PurchaseSubscription {
		l.Subscription = &commerce.SubscriptionTerms{Cycle: commerce.Period{Amount: 1, Unit: timeline.Days},
			RenewalType: commerce.DefaultRenewalType, InitialCharge: commerce.DefaultInitialCharge}
	}
	return s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc,
		AllowOverbooked: overbook}, Lines: []order.OrderLineInput{l}}).(*order.OrderRecord)
}

// A subscription that has no stock can be cancelled all the same, and so can one whose article is out of use.
func TestCancelSubscriptionWithoutStock(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	s.order(base.Item{Article: article}, base.PurchaseBooking, s.now, ptr(s.now+9*day), 1, false)
	short := s.order(base.Item{Article: article}, base.PurchaseSubscription, s.now+hour, ptr(s.now+5*day), 1, true)
	require.True(t, short.Conflict())
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	r := s.do(order.CancelSubscription{ID: short.Lines[0].Subscription.ID, AtEnd: true}).(*order.OrderRecord)
	require.Equal(t, order.SubscriptionCancelling, r.Lines[0].Subscription.Status(r.Order))
	require.Equal(t, s.now+hour+day, r.Units[0].Range.End)
	s.reopen()
}

// What was sold is gone from the instant on from which it had its slot: the slot's past is another's.
func TestDeletedSaleLeavesThePastAlone(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	first := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1, From: ptr(s.now - 5*day)}}}).(*stock.Article).ID
	second := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1, From: ptr(s.now - 5*day)}}}).(*stock.Article).ID
	sale := s.order(base.Item{SKU: sku}, base.PurchaseSale, s.now-4*day, nil, 1, false)
	other := second
	if sale.Units[0].Article == second {
		other = first
	}
	old := s.book(base.Item{Article: other}, s.now-3*day, s.now-2*day, 1)
	s.do(order.AssignUnit{Order: sale.ID, Unit: sale.Lines[0].Units[0].ID, Article: other})
	require.Equal(t, order.OrderClosed, s.do(order.FulfillOrder{ID: sale.ID}).(*order.OrderRecord).Status)
	s.do(order.DeleteOrder{ID: sale.ID})
	u, ok := stock.UnavailabilityByID(s.view(), old.Lines[0].Units[0].ID)
	require.True(t, ok)
	require.False(t, u.Conflict())
	require.Equal(t, 0, s.available(base.Item{Article: other}, s.now, s.now+day))
	s.reopen()
}

// Days are those of the place where the order begins: on the day on which the clocks go back 25 hours are one.
func TestAnotherPickupLocationPricesDaysAnew(t *testing.T) {
	s := newShop(t)
	s.now = 1761350400000 // 2025-10-25T00:00:00Z
	bike := base.Item{SKU: s.sku()}
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Bikes"}}).(*commerce.PricingTable).ID
	row := s.do(commerce.CreatePricingRow{Table: table,
		PricingRowFields: commerce.PricingRowFields{Label: "Day", Purchase: base.PurchaseBooking, Price: 100},
		Duration:         &commerce.Period{Amount: 1, Unit: timeline.Days}}).(*commerce.PricingRow)
	there := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Accra", Timezone: "Africa/Accra"}}).(*stock.Location).ID
	from, to := s.now+12*hour, s.now+37*hour
	o := s.rental(order.OrderDraft, bike, from, to, 1)
	o.Lines[0].UnitPrice, o.Lines[0].PricingRow = nil, &row.ID
	o.Lines = append(o.Lines, o.Lines[0])
	o.Lines[1].UnitPrice, o.Lines[1].PricingRow = ptr(int64(7)), nil
	prices := func(r any) (list []int64) {
		for _, l := range r.(*order.OrderRecord).Lines {
			list = append(list, l.UnitPrice)
		}
		return list
	}
	r := s.do(o).(*order.OrderRecord)
	require.Equal(t, []int64{100, 7}, prices(r))
	require.Equal(t, []int64{200, 7}, prices(s.do(order.PatchOrder{ID: r.ID, Pickup: base.Some(there)})))
	require.Equal(t, []int64{100, 7}, prices(s.do(order.PatchOrder{ID: r.ID, Pickup: base.Some(s.loc)})))
	s.do(commerce.PatchPricingRow{Table: table, ID: row.ID,
		Fields: base.Changed(commerce.PricingRowFields{Price: int64(300)})})
	require.Equal(t, []int64{100, 7}, prices(s.do(order.PatchOrder{ID: r.ID, Pickup: base.Some(s.loc)})),
		"it is there already")
}

// A note changes no price, whatever has become of the row and of the location.
func TestNoteOnALineChangesNoPrice(t *testing.T) {
	s := newShop(t)
	there := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	article := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit"}}).(*stock.Article).ID
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Prices"}}).(*commerce.PricingTable).ID
	row := s.do(commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: "Day",
		Purchase: base.PurchaseBooking, Price: 100}}).(*commerce.PricingRow)
	from := s.now + day
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: there}, Lines: []order.OrderLineInput{
		{Item: base.Item{Article: article}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from,
			To: ptr(from + day), PricingRow: &row.ID},
	}}).(*order.OrderRecord)
	s.do(stock.PatchArticle{ID: article, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleInactive}),
		Force: true})
	s.do(commerce.PatchPricingRow{Table: table, ID: row.ID,
		Fields: base.Changed(commerce.PricingRowFields{Price: int64(700)})})
	note := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{Note: new("by the door")})}
	require.Equal(t, int64(100), s.do(note).(*order.OrderRecord).Lines[0].UnitPrice)
	s.do(order.CancelOrder{ID: o.ID})
	s.do(stock.DeleteLocation{ID: there})
	require.Equal(t, int64(100), s.do(note).(*order.OrderRecord).Lines[0].UnitPrice)
	s.reopen()
}

// priced is an order of a day, priced by a row.
func (s *shop) priced() (*commerce.PricingRow, *order.OrderRecord) {
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Prices"}}).(*commerce.PricingTable).ID
	row := s.do(commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: "Day",
		Purchase: base.PurchaseBooking, Price: 100}}).(*commerce.PricingRow)
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}, Lines: []order.OrderLineInput{
		{Item: base.Item{Article: s.article(base.ID{}, 1)}, Purchase: base.PurchaseBooking, Quantity: 1,
			From: ptr(s.now), To: ptr(s.now + day), PricingRow: &row.ID},
	}}).(*order.OrderRecord)
	return row, o
}

// A row that has become one for another way to buy sells no line of the old one any more: those that it sold go on by
// the terms that it had then.
func TestARowForAnotherWayToBuyPricesNoLine(t *testing.T) {
	s := newShop(t)
	row, o := s.priced()
	s.do(commerce.PatchPricingRow{Table: row.Table, ID: row.ID,
		Fields: base.Changed(commerce.PricingRowFields{Purchase: base.PurchaseSale, Price: int64(900)})})
	patch := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(s.now + 2*day)})}
	require.Equal(t, int64(100), s.do(patch).(*order.OrderRecord).Lines[0].UnitPrice)
	s.do(commerce.PatchPricingRow{Table: row.Table, ID: row.ID,
		Fields: base.Changed(commerce.PricingRowFields{Purchase: base.PurchaseBooking})})
	patch.Fields = base.Changed(order.OrderLineInput{To: new(s.now + 3*day)})
	require.Equal(t, int64(100), s.do(patch).(*order.OrderRecord).Lines[0].UnitPrice)
	patch.Fields = base.Changed(order.OrderLineInput{To: patch.Fields.To.To, PricingRow: &row.ID})
	require.Equal(t, int64(900), s.do(patch).(*order.OrderRecord).Lines[0].UnitPrice)
	s.reopen()
}

// A line with neither a price of its own nor a row is for nothing, also when its row was taken off.
func TestLineWithoutARowIsForNothing(t *testing.T) {
	s := newShop(t)
	_, o := s.priced()
	patch := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{}, "pricingRowId")}
	require.Equal(t, int64(0), s.do(patch).(*order.OrderRecord).Lines[0].UnitPrice)
	patch.Fields = base.Changed(order.OrderLineInput{UnitPrice: new(int64(70))}, "pricingRowId")
	require.Equal(t, int64(70), s.do(patch).(*order.OrderRecord).Lines[0].UnitPrice)
	s.reopen()
}

// A line or a code that is not there counts more than a revision that is past.
func TestUnknownPartOfAPastRevision(t *testing.T) {
	s := newShop(t)
	o := s.order(base.Item{Article: s.article(base.ID{}, 1)}, base.PurchaseBooking, s.now, ptr(s.now+day), 1, false)
	past := []uint64{o.Revision + 1}
	s.refused(base.CodePrecondition, order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, IfMatch: past})
	s.refused(base.CodePrecondition, order.DeleteOrderLine{Order: o.ID, ID: o.Lines[0].ID, IfMatch: past})
	s.refused(base.CodeNotFound, order.PatchOrderLine{Order: o.ID, ID: base.ID{9}, IfMatch: past})
	s.refused(base.CodeNotFound, order.DeleteOrderLine{Order: o.ID, ID: base.ID{9}, IfMatch: past})
	s.refused(base.CodeNotFound, order.RemoveDiscount{Order: o.ID, Code: "none", IfMatch: past})
}

// A unit whose hand-over was put down as of before its slot began, and whose return as of soon after, took no room.
func TestReturnBeforeTheSlotBegan(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	o := s.order(base.Item{Article: article}, base.PurchaseBooking, s.now+hour, ptr(s.now+day), 1, false)
	s.do(order.FulfillOrder{ID: o.ID, At: ptr(s.now - 3*hour)})
	r := s.do(order.ReturnOrder{ID: o.ID, At: ptr(s.now - 2*hour)}).(*order.OrderRecord)
	require.Equal(t, order.OrderClosed, r.Status)
	require.Equal(t, 1, s.available(base.Item{Article: article}, s.now, s.now+day))
	s.reopen()
}

// Fewer units in another window need room for those that stay.
func TestFewerUnitsInAnotherWindow(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 2)
	o := s.order(base.Item{Article: article}, base.PurchaseBooking, s.now+day, ptr(s.now+2*day), 2, false)
	s.book(base.Item{Article: article}, s.now+3*day, s.now+4*day, 1)
	r := s.do(order.PatchOrderLine{
		Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{Quantity: 1, From: new(s.now + 3*day), To: new(s.now + 4*day)}),
	}).(*order.OrderRecord)
	require.Len(t, r.Units, 1)
	s.reopen()
}

// What comes free in a command is also for what the same command has made a conflict: its past needs no room.
func TestRedatedIntoThePast(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	o := s.order(base.Item{Article: article}, base.PurchaseBooking, s.now, ptr(s.now+day), 1, false)
	r := s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields:          base.Changed(order.OrderLineInput{From: new(s.now - day)}),
		AllowOverbooked: true}).(*order.OrderRecord)
	require.False(t, r.Conflict())
	s.reopen()
}

// A unit that comes back elsewhere begins a lot there, also where what it leaves behind becomes a conflict.
func TestReturnElsewhereLeavesAConflict(t *testing.T) {
	s := newShop(t)
	there := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "Porto", Timezone: "Europe/Lisbon"}}).(*stock.Location).ID
	article := s.article(base.ID{}, 1)
	from := s.now
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: s.loc, Return: &there},
		Lines: []order.OrderLineInput{
			{Item: base.Item{Article: article}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from,
				To: ptr(from + day)},
		}}).(*order.OrderRecord)
	overbooked := s.rental(order.OrderOpen, base.Item{Article: article}, from+2*day, from+3*day, 1)
	overbooked.AllowOverbooked = true
	later := s.do(overbooked).(*order.OrderRecord)
	s.do(order.FulfillOrder{ID: o.ID})
	s.now += hour
	s.do(order.ReturnOrder{ID: o.ID})
	require.True(t, s.orderNow(later).Conflict())
	a, err := hold.Available(s.view(), hold.Query{Item: base.Item{Article: article}, Location: there,
		Window: base.Span{Start: s.now, End: s.now + day}}, s.now)
	require.NoError(t, err)
	require.Equal(t, 1, a.Available)
	s.reopen()
}

// What was handed over and whose subscription is cancelled at one instant is expected back like any other unit that is
// out.
func TestCancelSubscriptionAtTheHandOver(t *testing.T) {
	for _, begins := range []int64{0, day} { // now, and a day later, but handed over now
		s := newShop(t)
		article := s.article(base.ID{}, 1)
		o := s.order(base.Item{Article: article}, base.PurchaseSubscription, s.now+begins, nil, 1, false)
		s.do(order.FulfillOrder{ID: o.ID})
		r := s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID}).(*order.OrderRecord)
		require.Equal(t, base.Span{Start: s.now, End: s.now + hour/4}, r.Units[0].Range, "the customer has it yet")
		require.Equal(t, 1, s.available(base.Item{Article: article}, s.now+hour, s.now+day))
		s.now += hour
		require.NoError(t, s.Tick(t.Context()))
		r = order.OrderByID(s.view(), o.ID)
		require.Equal(t, order.OrderActive, r.Status)
		require.Equal(t, 0, s.available(base.Item{Article: article}, s.now, s.now+hour), "it is not back")
		require.Equal(t, 1, s.available(base.Item{Article: article}, s.now+hour, s.now+day))
		require.Equal(t, order.OrderClosed, s.do(order.ReturnOrder{ID: o.ID}).(*order.OrderRecord).Status)
		s.reopen()
	}
}

// Fewer kits keep whole kits, also where the kit is made of other components by now: what an order took over from a
// hold of an older program is then not given back in part at all.
func TestFewerKitsOfAHold(t *testing.T) {
	asFormat7(t)
	s := newShop(t)
	bike, helmet := base.Item{Article: s.article(base.ID{}, 9)}, base.Item{SKU: s.sku()}
	s.article(helmet.SKU, 9)
	kit := s.kit(commerce.Component{Item: bike, Quantity: 2}, commerce.Component{Item: helmet, Quantity: 1})
	ordered := func() *order.OrderRecord {
		return s.do(order.OrderHold{Holds: []base.ID{s.book(kit, s.now+day, s.now+2*day, 2).ID}}).(*order.OrderRecord)
	}
	fewer := func(o *order.OrderRecord) order.PatchOrderLine {
		return order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{Quantity: 1})}
	}
	require.Len(t, s.do(fewer(ordered())).(*order.OrderRecord).Units, 3)
	require.Equal(t, 7, s.available(bike, s.now+day, s.now+2*day))
	require.Equal(t, 8, s.available(helmet, s.now+day, s.now+2*day))

	o := ordered()
	s.do(takes(kit.CatalogItem, commerce.Component{Item: helmet, Quantity: 1},
		commerce.Component{Item: bike, Quantity: 2}))
	require.Len(t, s.do(fewer(o)).(*order.OrderRecord).Units, 3, "it was its order's before the kit changed")
	require.Equal(t, 5, s.available(bike, s.now+day, s.now+2*day))
	require.Equal(t, 7, s.available(helmet, s.now+day, s.now+2*day))

	h := s.book(kit, s.now+day, s.now+2*day, 2)
	s.do(takes(kit.CatalogItem, commerce.Component{Item: helmet, Quantity: 2},
		commerce.Component{Item: bike, Quantity: 1}))
	s.reopen()
	o = s.do(order.OrderHold{Holds: []base.ID{h.ID}}).(*order.OrderRecord)
	s.refused(base.CodeConflict, fewer(o))
	require.Equal(t, 1, s.available(bike, s.now+day, s.now+2*day))
	require.Equal(t, 5, s.available(helmet, s.now+day, s.now+2*day))
	s.reopen()
}

// The refusal of a hand-over says what stands in the way, also where the unit is a conflict.
func TestHandOverOfAConflictSaysWhatIsInTheWay(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	first := s.order(base.Item{Article: article}, base.PurchaseBooking, s.now, ptr(s.now+2*day), 1, false)
	s.do(order.FulfillOrder{ID: first.ID})
	second := s.order(base.Item{Article: article}, base.PurchaseBooking, s.now, ptr(s.now+day), 1, true)
	e := s.refused(base.CodeInsufficient, order.FulfillOrder{ID: second.ID})
	next := base.Span{Start: s.now + 2*day, End: s.now + 3*day}
	require.Equal(t,
		[]base.Shortage{{Requested: 1, Reason: "not_enough_stock", Blockers: []base.ID{first.Lines[0].Units[0].Hold},
			Blocking: 1, Next: &next}}, e.Details.(base.ShortageDetails).Lines)
}

// Of an order all of which is cancelled nothing is pending.
func TestCancelledSubscriptionCancelsItsOrder(t *testing.T) {
	s := newShop(t)
	o := s.order(base.Item{Article: s.article(base.ID{}, 1)}, base.PurchaseSubscription, s.now+day, nil, 1, false)
	r := s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID}).(*order.OrderRecord)
	require.Equal(t, order.OrderClosed, r.Status)
	require.Equal(t, order.Cancelled, r.Fulfillment())
}

// A subscription that is cancelled while its unit is out gives the unit to nobody: it is not back.
func TestCancelSubscriptionWhileItIsOut(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	o := s.order(base.Item{Article: article}, base.PurchaseSubscription, s.now, nil, 1, false)
	s.do(order.FulfillOrder{ID: o.ID})
	s.now += day
	waits := s.order(base.Item{Article: article}, base.PurchaseBooking, s.now, ptr(s.now+day), 1, true)
	s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID})
	require.True(t, order.OrderByID(s.view(), waits.ID).Conflict())
	require.Equal(t, 0, s.available(base.Item{Article: article}, s.now, s.now+hour))
	s.do(order.ReturnOrder{ID: o.ID})
	require.False(t, order.OrderByID(s.view(), waits.ID).Conflict())
	s.reopen()
}

// What is cancelled at the end of a term ends then: nobody moves that end any more.
func TestEndOfACancellingSubscriptionIsFixed(t *testing.T) {
	s := newShop(t)
	o := s.order(base.Item{Article: s.article(base.ID{}, 1)}, base.PurchaseSubscription, s.now, nil, 1, false)
	s.do(order.FulfillOrder{ID: o.ID})
	r := s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID, AtEnd: true}).(*order.OrderRecord)
	end := r.Units[0].Range.End
	require.Equal(t, s.now+day, end)
	s.refused(base.CodeStateNotAllowed, order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{}, "endDate")})
	s.refused(base.CodeStateNotAllowed,
		order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{To: new(s.now + 9*day)})})
	require.Equal(t, end, order.OrderByID(s.view(), o.ID).Units[0].Range.End)
}

// An extension that may overbook sends away what is in its way, as what was overbooked anew would be.
func TestOverbookedExtension(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	o := s.order(base.Item{Article: article}, base.PurchaseBooking, s.now, ptr(s.now+day), 1, false)
	s.do(order.FulfillOrder{ID: o.ID})
	next := s.order(base.Item{Article: article}, base.PurchaseBooking, s.now+day, ptr(s.now+2*day), 1, false)
	longer := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(s.now + day + hour)})}
	s.refused(base.CodeInsufficient, longer)
	longer.AllowOverbooked = true
	require.Equal(t, s.now+day+hour, s.do(longer).(*order.OrderRecord).Units[0].Range.End)
	require.True(t, order.OrderByID(s.view(), next.ID).Conflict())
	s.reopen()
}

// A conflict that is made shorter is tried itself, by its new dates and before whoever waited longer, who has no turn
// by that.
func TestShorterConflictIsTriedItself(t *testing.T) {
	for name, c := range map[string]struct {
		end   int64
		waits bool
	}{"it fits": {35, false}, "it does not": {40, true}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			bike := base.Item{Article: s.article(s.sku(), 1)}
			at := func(h int64) int64 { return noon + h*hour }
			s.order(bike, base.PurchaseBooking, at(10), ptr(at(20)), 1, false)
			s.order(bike, base.PurchaseBooking, at(35), ptr(at(45)), 1, false)
			older := s.order(bike, base.PurchaseBooking, at(15), ptr(at(30)), 1, true)
			other := s.order(bike, base.PurchaseBooking, at(25), ptr(at(60)), 1, true)
			s.do(order.PatchOrderLine{Order: other.ID, ID: other.Lines[0].ID,
				Fields: base.Changed(order.OrderLineInput{To: new(at(c.end))})})
			require.Equal(t, []bool{true, c.waits}, []bool{s.orderNow(older).Conflict(), s.orderNow(other).Conflict()})
			s.reopen()
		})
	}
}

// A hand-over as long ago as can be is one.
func TestHandOverAtTheBeginningOfTime(t *testing.T) {
	s := newShop(t)
	o := s.order(base.Item{Article: s.article(base.ID{}, 1)}, base.PurchaseBooking, s.now+hour, ptr(s.now+day), 1,
		false)
	require.Equal(t, order.OrderActive,
		s.do(order.FulfillOrder{ID: o.ID, At: ptr(int64(0))}).(*order.OrderRecord).Status)
	s.refused(base.CodeStateNotAllowed, order.CancelOrder{ID: o.ID})
}

// A sale whose start was left open begins when it takes its unit, however long it was a draft.
func TestDraftOfASaleWithoutAStart(t *testing.T) {
	s := newShop(t)
	article := s.article(base.ID{}, 1)
	l := order.OrderLineInput{Item: base.Item{Article: article}, Purchase: base.PurchaseSale, Quantity: 1}
	draft := func() *order.OrderRecord {
		return s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc},
			Lines: []order.OrderLineInput{l}}).(*order.OrderRecord)
	}
	free, dated := draft(), draft()
	s.do(order.PatchOrderLine{Order: dated.ID, ID: dated.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{From: new(s.now)})})
	s.book(base.Item{Article: article}, s.now, s.now+hour, 1)
	s.now += day
	s.refused(base.CodeInsufficient, order.ConfirmOrder{ID: dated.ID})
	r := s.do(order.ConfirmOrder{ID: free.ID}).(*order.OrderRecord)
	require.Equal(t, s.now, r.Lines[0].From)
	s.reopen()
}

// Another pricing row gives a subscription its terms with its price.
func TestAnotherRowGivesOtherTerms(t *testing.T) {
	s := newShop(t)
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Plans"}}).(*commerce.PricingTable).ID
	row := func(label string, price int64, unit timeline.Unit, committed *int64) *commerce.PricingRow {
		return s.do(commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: label,
			Purchase: base.PurchaseSubscription, Price: price}, Subscription: &commerce.SubscriptionTerms{
			Cycle: commerce.Period{Amount: 1, Unit: unit}, CommitmentCycles: committed,
			RenewalType: commerce.DefaultRenewalType, InitialCharge: commerce.DefaultInitialCharge,
		}}).(*commerce.PricingRow)
	}
	monthly, yearly := row("Monthly", 100, timeline.Months, nil), row("Yearly", 1000, timeline.Years, ptr(int64(2)))
	for _, status := range []order.OrderStatus{order.OrderDraft, order.OrderOpen} {
		o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: status, Pickup: s.loc},
			Lines: []order.OrderLineInput{
				{Item: base.Item{Article: s.article(base.ID{}, 1)}, Purchase: base.PurchaseSubscription, Quantity: 1,
					From: &s.now, PricingRow: &monthly.ID},
			}}).(*order.OrderRecord)
		was := *o.Lines[0].Subscription
		l := s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{PricingRow: new(yearly.ID)})}).(*order.OrderRecord).Lines[0]
		require.Equal(t, int64(1000), l.UnitPrice)
		require.Equal(t, "Yearly", l.Subscription.Label)
		require.Equal(t, *yearly.Subscription, l.Subscription.Terms)
		require.Equal(t, was.ID, l.Subscription.ID)
		require.Equal(t, status == order.OrderOpen, l.Subscription.NextBillingAt > was.NextBillingAt)
	}
	s.reopen()
}

// A line that is for somebody whom the order has no more is for nobody in particular from then on.
func TestLinesAreForCustomersOfTheOrder(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	named := func(name string) order.OrderCustomerInput {
		return order.OrderCustomerInput{Contact: base.Changed(commerce.Contact{FirstName: new(name)})}
	}
	in := s.rental(order.OrderDraft, bike, s.now+day, s.now+2*day, 1)
	in.Contact = whose(commerce.Contact{FirstName: new("Ann")})
	in.Customers = []order.OrderCustomerInput{named("Ben"), named("Cleo")}
	o := s.do(in).(*order.OrderRecord)
	line := in.Lines[0]
	line.OrderCustomer = ptr(o.MainCustomer())
	// the order lists others
	s.refused(base.CodeNotFound, order.AddOrderLines{Order: o.ID, Lines: []order.OrderLineInput{line}})
	line.OrderCustomer = &o.More.Customers[1].ID
	noted := line
	noted.Note = ptr("Saddle high")
	s.do(order.AddOrderLines{Order: o.ID, Lines: []order.OrderLineInput{line, noted}})

	s.now += hour
	lines := s.do(order.PatchOrder{ID: o.ID,
		Fields: base.Changed(order.OrderInput{Note: new("Late")}, "assignedTo")}).(*order.OrderRecord).Lines
	require.Equal(t, []base.ID{{}, *line.OrderCustomer, *line.OrderCustomer},
		[]base.ID{lines[0].Rest().OrderCustomer, lines[1].More.OrderCustomer, lines[2].More.OrderCustomer})
	s.now += hour
	o = s.do(order.PatchOrder{ID: o.ID,
		Fields: base.Changed(order.OrderInput{
			Customers: []order.OrderCustomerInput{named("Ben"), named("Cleo")}})}).(*order.OrderRecord)
	require.Nil(t, o.Lines[1].More)
	require.Equal(t, &order.LineMore{Note: "Saddle high"}, o.Lines[2].More)
	require.Equal(t, []int64{s.now, s.now, s.now}, // the first is for whom the order names first
		[]int64{o.Lines[0].UpdatedAt, o.Lines[1].UpdatedAt, o.Lines[2].UpdatedAt})

	// Without a list it is the one whom the order is for, as long as there is one.
	s.do(order.PatchOrder{ID: o.ID, Fields: base.Changed(order.OrderInput{}, "customers")})
	line.OrderCustomer = ptr(o.MainCustomer())
	s.do(order.AddOrderLines{Order: o.ID, Lines: []order.OrderLineInput{line}})
	customer := func(op order.PatchOrder) base.ID {
		op.ID = o.ID
		return s.do(op).(*order.OrderRecord).Lines[3].Rest().OrderCustomer
	}
	require.Equal(t, o.MainCustomer(),
		customer(order.PatchOrder{Contact: whose(commerce.Contact{FirstName: new("Eva")})}))
	require.Zero(t, customer(order.PatchOrder{Fields: base.Changed(order.OrderInput{}, "customerId")}))
	s.refused(base.CodeNotFound, order.AddOrderLines{Order: o.ID, Lines: []order.OrderLineInput{line}})
	s.reopen()
}

// A line that is over has no other end; what else its order allows is said.
func TestEndOfALineThatIsOver(t *testing.T) {
	s := newShop(t)
	o := s.order(base.Item{Article: s.article(base.ID{}, 1)}, base.PurchaseSubscription, s.now, nil, 1, false)
	in := s.rental(order.OrderOpen, base.Item{Article: s.article(base.ID{}, 1)}, s.now, s.now+day, 1)
	in.Lines = append(in.Lines,
		s.rental(order.OrderOpen, base.Item{Article: s.article(base.ID{}, 1)}, s.now, s.now+day, 1).Lines...)
	two := s.do(in).(*order.OrderRecord)
	said := func(o *order.OrderRecord, state string, allowed ...string) {
		t.Helper()
		e := s.refused(base.CodeStateNotAllowed,
			order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
				Fields: base.Changed(order.OrderLineInput{To: new(s.now + 9*day)})})
		require.Equal(t, base.StateDetails{State: state, Allowed: allowed}, e.Details)
	}
	s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID, AtEnd: true})
	said(o, "cancelling", "prepare", "fulfill", "undo", "cancel", "cancelStockItem", "delete", "applyDiscountCode",
		"removeDiscountCode", "addLineItems", "deleteLineItem",
		"assignStockItem", "unassignStockItem", "update")
	s.do(order.FulfillOrder{ID: o.ID})
	s.do(order.CancelSubscription{ID: o.Lines[0].Subscription.ID})
	said(o, "cancelled", "fulfill", "return", "readyStockItem", "undo", "cancelStockItem", "assignStockItem",
		"unassignStockItem", "update")
	s.do(order.ReturnOrder{ID: o.ID})
	said(o, "cancelled", "readyStockItem", "undo", "archive", "unarchive", "delete", "update")

	s.do(order.FulfillOrder{ID: two.ID})
	s.do(order.ReturnOrder{ID: two.ID, Units: []base.ID{two.Lines[0].Units[0].ID}})
	said(two, "returned", "fulfill", "return", "readyStockItem", "undo", "cancelStockItem", "assignStockItem",
		"unassignStockItem", "update")
}

// The first conflict of an account waits for room like any other: also for what a later line of its own command leaves
// on its article.
func TestOverbookedLineIsSeatedWhereALaterOneLeavesRoom(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	first, second := s.article(sku, 1), s.article(sku, 1)
	at := func(hours int64) int64 { return s.now + day + hours*hour }
	roaming := s.book(base.Item{SKU: sku}, at(0), at(10), 1).Lines[0].Units[0].ID
	s.book(base.Item{Article: second}, at(12), at(20), 1)
	u, _ := stock.UnavailabilityByID(s.view(), roaming)
	require.Equal(t, first, u.Article)

	line := func(i base.Item, from, to int64) order.OrderLineInput {
		return order.OrderLineInput{Item: i, Purchase: base.PurchaseBooking, Quantity: 1, From: &from, To: &to}
	}
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Status: order.OrderOpen,
		AllowOverbooked: true}, Lines: []order.OrderLineInput{
		line(base.Item{Article: first}, at(0), at(5)),
		line(base.Item{SKU: sku}, at(8), at(20)), // has room on the first article when what is there goes to the second
	}}).(*order.OrderRecord)
	u, _ = stock.UnavailabilityByID(s.view(), roaming)
	require.Equal(t, second, u.Article)
	u, _ = stock.UnavailabilityByID(s.view(), o.Lines[0].Units[0].Hold)
	require.NotZero(t, u.Slot, "it needs no other's room any more")
	require.Equal(t, first, u.Article)
	s.reopen()
}

func TestFaultsNameMembersAsTheyAreCalledThere(t *testing.T) {
	s := newShop(t)
	said := func(op base.Op) string {
		t.Helper()
		return s.refused(base.CodeInvalid, op).Faults[0].Message
	}
	sku := base.Item{SKU: s.sku()}
	require.Equal(t, "must be later than startDate", said(s.rental(order.OrderDraft, sku, s.now+day, s.now, 1)))
	require.Equal(t, "must be later than from", said(s.booking(sku, s.now+day, s.now, 1)))
	_, _, err := stock.ListArticles(s.view(), &stock.ArticleQuery{Window: base.Span{Start: s.now, End: s.now},
		Active: true, Limit: 1, Filters: []stock.Filter{{Field: stock.FieldStatus, Operator: label.StartsWith}}}, nil)
	require.Error(t, err)
	require.Contains(t, err.(*base.Error).Faults[0].Message, "does not fit the field status; those that do are eq")
}

// Overbooked, an order waits for an article where it has never been as it does where the article has no unit left: its
// units are conflicts there, and get units as they come. What takes no holds is waited for nowhere.
func TestOverbookedWhereNothingHasEverBeen(t *testing.T) {
	for _, named := range []bool{false, true} {
		s := newShop(t)
		kind := s.sku(fourHours)
		out := s.article(kind, 0)
		article := s.article(kind, 0)
		s.article(kind, 0)
		s.do(stock.ArchiveArticle{ID: out, Archived: true})
		i := base.Item{SKU: kind}
		if named {
			i = base.Item{Article: article}
		}
		from, to := s.now+day, s.now+2*day
		s.refused(base.CodeInsufficient, s.rental(order.OrderOpen, i, from, to, 2))
		o := s.order(i, base.PurchaseBooking, from, &to, 2, true)
		for _, id := range []base.ID{o.Lines[0].Units[0].Hold, o.Lines[0].Units[1].Hold} {
			u := s.unit(id)
			require.True(t, u.Conflict())
			require.Equal(t, article, u.Article)
			require.Equal(t, base.Span{Start: from, End: to + 4*hour}, u.Range)
		}
		list, total := stock.Conflicts(s.view(), stock.ConflictFilter{SKU: kind}, 0, 10, s.now)
		require.Equal(t, 2, total)
		require.Equal(t, "not_enough_stock", list[0].Reason)
		s.reopen()

		s.do(stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1})
		require.False(t, s.unit(o.Lines[0].Units[0].Hold).Conflict())
		require.True(t, s.unit(o.Lines[0].Units[1].Hold).Conflict())
		s.do(stock.IncreaseQuantity{Article: article, Location: s.loc, Amount: 1})
		require.False(t, s.unit(o.Lines[0].Units[1].Hold).Conflict())
		s.reopen()

		over := s.rental(order.OrderOpen, base.Item{Article: out}, from, to, 1)
		over.AllowOverbooked = true
		s.refused(base.CodeStateNotAllowed, over)
		none := s.rental(order.OrderOpen, base.Item{SKU: s.sku()}, from, to, 1)
		none.AllowOverbooked = true
		s.refused(base.CodeInsufficient, none)
	}
}

// Of a SKU that is there, what no article there has is waited for on the first article that has it.
func TestOverbookedForWhatNoArticleThereHas(t *testing.T) {
	s := newShop(t)
	sku, _, size := s.sized("M")
	from, to := s.now+day, s.now+2*day
	o := s.requiring(s.line(base.Item{SKU: sku}, from, to, size("L")))
	o.AllowOverbooked = true
	s.refused(base.CodeInsufficient, o)
	large := s.article(sku, 0)
	s.size(large, "L")
	r := s.do(o).(*order.OrderRecord)
	require.Equal(t, large, s.unit(r.Lines[0].Units[0].Hold).Article)
	require.True(t, s.unit(r.Lines[0].Units[0].Hold).Conflict())
	s.reopen()
	s.do(stock.IncreaseQuantity{Article: large, Location: s.loc, Amount: 1})
	require.False(t, s.unit(r.Lines[0].Units[0].Hold).Conflict())
	s.reopen()
}

// What waits for any of a SKU that was never there waits for the article that another line of the order names.
func TestOverbookedLinesWaitForOneArticle(t *testing.T) {
	s := newShop(t)
	kind := s.sku()
	s.article(kind, 0)
	named := s.article(kind, 0)
	o := s.rental(order.OrderOpen, base.Item{SKU: kind}, s.now+day, s.now+2*day, 1)
	o.Lines = append(o.Lines, o.Lines[0])
	o.Lines[1].Item, o.AllowOverbooked = base.Item{Article: named}, true
	r := s.do(o).(*order.OrderRecord)
	for _, l := range r.Lines {
		require.Equal(t, named, s.unit(l.Units[0].Hold).Article)
	}
	s.reopen()
}

// What nobody fetched in its time is not handed over behind it: its line takes another end first.
func TestHandOverBehindTheEnd(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 1)
	o := s.order(bike, base.PurchaseBooking, s.now+hour, ptr(s.now+2*hour), 1, false)
	s.now += 2 * hour
	require.Contains(t, s.refused(base.CodeStateNotAllowed, order.FulfillOrder{ID: o.ID}).Detail, "is over")
	s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(s.now + hour)})})
	require.Equal(t, order.OrderActive, s.do(order.FulfillOrder{ID: o.ID}).(*order.OrderRecord).Status)
	s.reopen()
}

// Units that a line gets in addition are new, also where the line gets other dates with them: they take nothing that a
// conflict is counted for.
func TestAdditionalUnitsLeaveWhatAConflictIsCountedFor(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	s.article(sku.SKU, 1)
	o := s.rent(sku, noon+day, noon+2*day, 1)
	over := s.rental(order.OrderOpen, sku, noon+day, noon+2*day, 1)
	over.AllowOverbooked = true
	waits := s.do(over).(*order.OrderRecord)
	s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku.SKU}, After: &fourHours,
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1}}}) // a pool of its own
	require.True(t, s.orderNow(waits).Conflict())
	more := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, Fields: base.Changed(order.OrderLineInput{
		To: new(noon + 2*day - hour), Quantity: 2, UnitPrice: new(int64(999))})}
	s.refused(base.CodeInsufficient, more)
	more.Fields.To.Quantity = 1
	s.do(more)
	require.False(t, s.orderNow(waits).Conflict())
	s.reopen()
}

// A line with shorter dates keeps the unit that it has, and its buffers, also where a conflict waits there and another
// pool of its SKU has as little to give.
func TestAShorterLineKeepsItsUnitBesideAnotherPool(t *testing.T) {
	s := newShop(t)
	sku := base.Item{SKU: s.sku()}
	other := s.do(stock.CreateArticle{After: &fourHours, // a pool of its own, the first of the SKU
		ArticleFields: stock.ArticleFields{Name: "Unit", SKU: &sku.SKU, Status: stock.ArticleInactive},
		Quantities:    []stock.InitialQuantity{{Location: s.loc, Count: 1}}}).(*stock.Article).ID
	s.article(sku.SKU, 1)
	o := s.rent(sku, noon+day, noon+2*day, 1)
	over := s.rental(order.OrderOpen, sku, noon+day, noon+2*day, 1)
	over.AllowOverbooked = true
	waits := s.do(over).(*order.OrderRecord)
	s.do(stock.PatchArticle{ID: other, Fields: base.Changed(stock.ArticleFields{Status: stock.ArticleActive})})
	s.book(base.Item{Article: other}, noon+day, noon+2*day, 1)
	require.True(t, s.orderNow(waits).Conflict())
	was, to := s.unit(o.Lines[0].Units[0].Hold), noon+2*day-hour
	s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: &to, UnitPrice: new(int64(999))})})
	require.Equal(t, was.Slot, s.unit(o.Lines[0].Units[0].Hold).Slot)
	require.Equal(t, base.Span{Start: noon + day, End: to}, s.orderNow(o).Units[0].Range)
	require.True(t, s.orderNow(waits).Conflict())
	s.reopen()
}
