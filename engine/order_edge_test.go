package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns cases of orders at the edges of time and stock: each was wrong once.

func TestNoMoreIsRefundedThanWasCaptured(t *testing.T) {
	s := newShop(t)
	o := s.do(CreateOrder{OrderInput: OrderInput{Status: OrderDraft, Pickup: s.loc}}).(*OrderRecord)
	pay := func(k PaymentKind, amount int64) AddPayment { return AddPayment{Order: o.ID, Kind: k, Amount: amount} }
	s.refused(CodeInvalid, pay(Refund, 1))
	s.do(pay(Capture, 6000))
	e := s.refused(CodeInvalid, pay(Refund, 99_999))
	require.Equal(t, []Fault{{Pointer: "/amount", Code: "range", Message: "must be at most 6000, what is left to give back of what was captured"}}, e.Faults)
	s.do(pay(Refund, 2000))
	s.refused(CodeInvalid, pay(Refund, 4001))
	s.do(pay(Refund, 4000))
	e = s.refused(CodeInvalid, pay(Refund, 1))
	require.Equal(t, "there is nothing left to give back of what was captured", e.Faults[0].Message)
	s.do(pay(DepositCapture, 1)) // deposits are an account of their own
}

func TestNoMoreOfADepositIsRefundedThanWasTaken(t *testing.T) {
	s := newShop(t)
	o := s.do(CreateOrder{OrderInput: OrderInput{Status: OrderDraft, Pickup: s.loc}}).(*OrderRecord)
	pay := func(k PaymentKind, amount int64) AddPayment { return AddPayment{Order: o.ID, Kind: k, Amount: amount} }
	s.do(pay(DepositAuthorise, 500))
	s.do(pay(Capture, 500))
	e := s.refused(CodeInvalid, pay(DepositRefund, 1)) // what is only set aside is released by deposit_cancel
	require.Equal(t, []Fault{{Pointer: "/amount", Code: "range", Message: "there is nothing left to give back of the deposit"}}, e.Faults)
	s.do(pay(DepositCapture, 300))
	e = s.refused(CodeInvalid, pay(DepositRefund, 301))
	require.Equal(t, "must be at most 300, what is left to give back of the deposit", e.Faults[0].Message)
	s.do(pay(DepositRefund, 300))
	s.refused(CodeInvalid, pay(DepositRefund, 1))
	s.do(pay(Refund, 500))
}

func TestNobodyAgreesInTheFuture(t *testing.T) {
	s := newShop(t)
	agreed := func(at int64) []Consent {
		return []Consent{{Label: ptr("Terms")}, {Label: ptr("Terms"), AcceptedAt: &at}}
	}
	create := func(at int64) CreateOrder {
		return CreateOrder{OrderInput: OrderInput{Status: OrderDraft, Pickup: s.loc, Consents: agreed(at)}}
	}
	o := s.do(create(s.now)).(*OrderRecord)
	for _, op := range []Op{create(s.now + 1), PatchOrder{ID: o.ID, Consents: Some(agreed(s.now + 1))}} {
		e := s.refused(CodeInvalid, op)
		require.Equal(t, []Fault{{Pointer: "/consentAcceptances/1/acceptedAt", Code: "range", Message: "must not lie ahead"}}, e.Faults)
	}
	s.do(PatchOrder{ID: o.ID, Consents: Some(agreed(s.now))})
}

func (s *shop) order(i Item, purchase PurchaseType, from int64, to *int64, n int, overbook bool) *OrderRecord {
	s.T.Helper()
	l := OrderLineInput{Item: i, Purchase: purchase, Quantity: n, From: &from, To: to}
	if purchase == PurchaseSubscription {
		l.Subscription = &SubscriptionTerms{Cycle: Period{Amount: 1, Unit: timeline.Days}, RenewalType: DefaultRenewalType, InitialCharge: DefaultInitialCharge}
	}
	return s.do(CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc, AllowOverbooked: overbook}, Lines: []OrderLineInput{l}}).(*OrderRecord)
}

// A subscription that has no stock can be cancelled all the same, and so can one whose article is out of use.
func TestCancelSubscriptionWithoutStock(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	s.order(Item{Article: article}, PurchaseBooking, s.now, ptr(s.now+9*day), 1, false)
	short := s.order(Item{Article: article}, PurchaseSubscription, s.now+hour, ptr(s.now+5*day), 1, true)
	require.True(t, short.Conflict())
	s.do(PatchArticle{ID: article, Status: Some(ArticleInactive), Force: true})
	r := s.do(CancelSubscription{ID: short.Lines[0].Subscription.ID, AtEnd: true}).(*OrderRecord)
	require.Equal(t, SubscriptionCancelling, r.Lines[0].Subscription.Status(r.Order))
	require.Equal(t, s.now+hour+day, r.Units[0].Range.End)
	s.reopen()
}

// What was sold is gone from the instant on from which it had its slot: the slot's past is another's.
func TestDeletedSaleLeavesThePastAlone(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	first := s.do(CreateArticle{Name: "Unit", SKU: &sku, Quantities: []InitialQuantity{{Location: s.loc, Count: 1, From: ptr(s.now - 5*day)}}}).(*Article).ID
	second := s.do(CreateArticle{Name: "Unit", SKU: &sku, Quantities: []InitialQuantity{{Location: s.loc, Count: 1, From: ptr(s.now - 5*day)}}}).(*Article).ID
	sale := s.order(Item{SKU: sku}, PurchaseSale, s.now-4*day, nil, 1, false)
	other := second
	if sale.Units[0].Article == second {
		other = first
	}
	old := s.book(Item{Article: other}, s.now-3*day, s.now-2*day, 1)
	s.do(AssignUnit{Order: sale.ID, Unit: sale.Lines[0].Units[0].ID, Article: other})
	require.Equal(t, OrderClosed, s.do(FulfillOrder{ID: sale.ID}).(*OrderRecord).Status)
	s.do(DeleteOrder{ID: sale.ID})
	u, ok := s.view().Unavailability(old.Lines[0].Units[0].ID)
	require.True(t, ok)
	require.False(t, u.Conflict())
	require.Equal(t, 0, s.available(Item{Article: other}, s.now, s.now+day))
	s.reopen()
}

// Days are those of the place where the order begins: on the day on which the clocks go back 25 hours are one.
func TestAnotherPickupLocationPricesDaysAnew(t *testing.T) {
	s := newShop(t)
	s.now = 1761350400000 // 2025-10-25T00:00:00Z
	bike := Item{SKU: s.sku()}
	table := s.do(CreatePricingTable{Name: "Bikes"}).(*PricingTable).ID
	row := s.do(CreatePricingRow{Table: table, Label: "Day", Purchase: PurchaseBooking, Price: 100, Duration: &Period{Amount: 1, Unit: timeline.Days}}).(*PricingRow)
	there := s.do(CreateLocation{Name: "Accra", Timezone: "Africa/Accra"}).(*Location).ID
	from, to := s.now+12*hour, s.now+37*hour
	o := s.rental(OrderDraft, bike, from, to, 1)
	o.Lines[0].UnitPrice, o.Lines[0].PricingRow = nil, &row.ID
	o.Lines = append(o.Lines, o.Lines[0])
	o.Lines[1].UnitPrice, o.Lines[1].PricingRow = ptr(int64(7)), nil
	prices := func(r any) (list []int64) {
		for _, l := range r.(*OrderRecord).Lines {
			list = append(list, l.UnitPrice)
		}
		return list
	}
	r := s.do(o).(*OrderRecord)
	require.Equal(t, []int64{100, 7}, prices(r))
	require.Equal(t, []int64{200, 7}, prices(s.do(PatchOrder{ID: r.ID, Pickup: Some(there)})))
	require.Equal(t, []int64{100, 7}, prices(s.do(PatchOrder{ID: r.ID, Pickup: Some(s.loc)})))
	s.do(PatchPricingRow{Table: table, ID: row.ID, Price: Some(int64(300))})
	require.Equal(t, []int64{100, 7}, prices(s.do(PatchOrder{ID: r.ID, Pickup: Some(s.loc)})), "it is there already")
}

// A note changes no price, whatever has become of the row and of the location.
func TestNoteOnALineChangesNoPrice(t *testing.T) {
	s := newShop(t)
	there := s.do(CreateLocation{Name: "Porto", Timezone: "Europe/Lisbon"}).(*Location).ID
	article := s.do(CreateArticle{Name: "Unit"}).(*Article).ID
	table := s.do(CreatePricingTable{Name: "Prices"}).(*PricingTable).ID
	row := s.do(CreatePricingRow{Table: table, Label: "Day", Purchase: PurchaseBooking, Price: 100}).(*PricingRow)
	from := s.now + day
	o := s.do(CreateOrder{OrderInput: OrderInput{Pickup: there}, Lines: []OrderLineInput{
		{Item: Item{Article: article}, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: ptr(from + day), PricingRow: &row.ID},
	}}).(*OrderRecord)
	s.do(PatchArticle{ID: article, Status: Some(ArticleInactive), Force: true})
	s.do(PatchPricingRow{Table: table, ID: row.ID, Price: Some(int64(700))})
	note := PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, Note: Some("by the door")}
	require.Equal(t, int64(100), s.do(note).(*OrderRecord).Lines[0].UnitPrice)
	s.do(CancelOrder{ID: o.ID})
	s.do(DeleteLocation{ID: there})
	require.Equal(t, int64(100), s.do(note).(*OrderRecord).Lines[0].UnitPrice)
	s.reopen()
}

// priced is an order of a day, priced by a row.
func (s *shop) priced() (*PricingRow, *OrderRecord) {
	table := s.do(CreatePricingTable{Name: "Prices"}).(*PricingTable).ID
	row := s.do(CreatePricingRow{Table: table, Label: "Day", Purchase: PurchaseBooking, Price: 100}).(*PricingRow)
	o := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc}, Lines: []OrderLineInput{
		{Item: Item{Article: s.article(ID{}, 1)}, Purchase: PurchaseBooking, Quantity: 1, From: ptr(s.now), To: ptr(s.now + day), PricingRow: &row.ID},
	}}).(*OrderRecord)
	return row, o
}

// A row that has become one for another way to buy sells no line of the old one any more: those that it sold go on by the terms that it
// had then.
func TestARowForAnotherWayToBuyPricesNoLine(t *testing.T) {
	s := newShop(t)
	row, o := s.priced()
	s.do(PatchPricingRow{Table: row.Table, ID: row.ID, Purchase: Some(PurchaseSale), Price: Some(int64(900))})
	patch := PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, To: Some(s.now + 2*day)}
	require.Equal(t, int64(100), s.do(patch).(*OrderRecord).Lines[0].UnitPrice)
	s.do(PatchPricingRow{Table: row.Table, ID: row.ID, Purchase: Some(PurchaseBooking)})
	patch.To = Some(s.now + 3*day)
	require.Equal(t, int64(100), s.do(patch).(*OrderRecord).Lines[0].UnitPrice)
	patch.PricingRow = Some(row.ID)
	require.Equal(t, int64(900), s.do(patch).(*OrderRecord).Lines[0].UnitPrice)
	s.reopen()
}

// A line with neither a price of its own nor a row is for nothing, also when its row was taken off.
func TestLineWithoutARowIsForNothing(t *testing.T) {
	s := newShop(t)
	_, o := s.priced()
	patch := PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, PricingRow: Null[ID]()}
	require.Equal(t, int64(0), s.do(patch).(*OrderRecord).Lines[0].UnitPrice)
	patch.UnitPrice = Some(int64(70))
	require.Equal(t, int64(70), s.do(patch).(*OrderRecord).Lines[0].UnitPrice)
	s.reopen()
}

// A line or a code that is not there counts more than a revision that is past.
func TestUnknownPartOfAPastRevision(t *testing.T) {
	s := newShop(t)
	o := s.order(Item{Article: s.article(ID{}, 1)}, PurchaseBooking, s.now, ptr(s.now+day), 1, false)
	past := []uint64{o.Revision + 1}
	s.refused(CodePrecondition, PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, IfMatch: past})
	s.refused(CodePrecondition, DeleteOrderLine{Order: o.ID, ID: o.Lines[0].ID, IfMatch: past})
	s.refused(CodeNotFound, PatchOrderLine{Order: o.ID, ID: ID{9}, IfMatch: past})
	s.refused(CodeNotFound, DeleteOrderLine{Order: o.ID, ID: ID{9}, IfMatch: past})
	s.refused(CodeNotFound, RemoveDiscount{Order: o.ID, Code: "none", IfMatch: past})
}

// A unit whose hand-over was put down as of before its slot began, and whose return as of soon after, took no room.
func TestReturnBeforeTheSlotBegan(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	o := s.order(Item{Article: article}, PurchaseBooking, s.now+hour, ptr(s.now+day), 1, false)
	s.do(FulfillOrder{ID: o.ID, At: ptr(s.now - 3*hour)})
	r := s.do(ReturnOrder{ID: o.ID, At: ptr(s.now - 2*hour)}).(*OrderRecord)
	require.Equal(t, OrderClosed, r.Status)
	require.Equal(t, 1, s.available(Item{Article: article}, s.now, s.now+day))
	s.reopen()
}

// Fewer units in another window need room for those that stay.
func TestFewerUnitsInAnotherWindow(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 2)
	o := s.order(Item{Article: article}, PurchaseBooking, s.now+day, ptr(s.now+2*day), 2, false)
	s.book(Item{Article: article}, s.now+3*day, s.now+4*day, 1)
	r := s.do(PatchOrderLine{
		Order: o.ID, ID: o.Lines[0].ID, Quantity: Some(1), From: Some(s.now + 3*day), To: Some(s.now + 4*day),
	}).(*OrderRecord)
	require.Len(t, r.Units, 1)
	s.reopen()
}

// What comes free in a command is also for what the same command has made a conflict: its past needs no room.
func TestRedatedIntoThePast(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	o := s.order(Item{Article: article}, PurchaseBooking, s.now, ptr(s.now+day), 1, false)
	r := s.do(PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, From: Some(s.now - day), AllowOverbooked: true}).(*OrderRecord)
	require.False(t, r.Conflict())
	s.reopen()
}

// A unit that comes back elsewhere begins a lot there, also where what it leaves behind becomes a conflict.
func TestReturnElsewhereLeavesAConflict(t *testing.T) {
	s := newShop(t)
	there := s.do(CreateLocation{Name: "Porto", Timezone: "Europe/Lisbon"}).(*Location).ID
	article := s.article(ID{}, 1)
	from := s.now
	o := s.do(CreateOrder{OrderInput: OrderInput{Status: OrderOpen, Pickup: s.loc, Return: &there}, Lines: []OrderLineInput{
		{Item: Item{Article: article}, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: ptr(from + day)},
	}}).(*OrderRecord)
	overbooked := s.rental(OrderOpen, Item{Article: article}, from+2*day, from+3*day, 1)
	overbooked.AllowOverbooked = true
	later := s.do(overbooked).(*OrderRecord)
	s.do(FulfillOrder{ID: o.ID})
	s.now += hour
	s.do(ReturnOrder{ID: o.ID})
	require.True(t, s.orderNow(later).Conflict())
	a, err := s.view().Available(Query{Item: Item{Article: article}, Location: there, Window: Span{Start: s.now, End: s.now + day}}, s.now)
	require.NoError(t, err)
	require.Equal(t, 1, a.Available)
	s.reopen()
}

// What was handed over and whose subscription is cancelled at one instant is expected back like any other unit that is out.
func TestCancelSubscriptionAtTheHandOver(t *testing.T) {
	for _, begins := range []int64{0, day} { // now, and a day later, but handed over now
		s := newShop(t)
		article := s.article(ID{}, 1)
		o := s.order(Item{Article: article}, PurchaseSubscription, s.now+begins, nil, 1, false)
		s.do(FulfillOrder{ID: o.ID})
		r := s.do(CancelSubscription{ID: o.Lines[0].Subscription.ID}).(*OrderRecord)
		require.Equal(t, Span{Start: s.now, End: s.now + hour/4}, r.Units[0].Range, "the customer has it yet")
		require.Equal(t, 1, s.available(Item{Article: article}, s.now+hour, s.now+day))
		s.now += hour
		require.NoError(t, s.Tick(t.Context()))
		r = s.view().Order(o.ID)
		require.Equal(t, OrderActive, r.Status)
		require.Equal(t, 0, s.available(Item{Article: article}, s.now, s.now+hour), "it is not back")
		require.Equal(t, 1, s.available(Item{Article: article}, s.now+hour, s.now+day))
		require.Equal(t, OrderClosed, s.do(ReturnOrder{ID: o.ID}).(*OrderRecord).Status)
		s.reopen()
	}
}

// Fewer kits keep whole kits, also where the kit is made of other components by now: what an order took over from a hold of an older program is
// then not given back in part at all.
func TestFewerKitsOfAHold(t *testing.T) {
	asFormat7(t)
	s := newShop(t)
	bike, helmet := Item{Article: s.article(ID{}, 9)}, Item{SKU: s.sku()}
	s.article(helmet.SKU, 9)
	kit := s.kit(Component{bike, 2}, Component{helmet, 1})
	ordered := func() *OrderRecord {
		return s.do(OrderHold{Holds: []ID{s.book(kit, s.now+day, s.now+2*day, 2).ID}}).(*OrderRecord)
	}
	fewer := func(o *OrderRecord) PatchOrderLine {
		return PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, Quantity: Some(1)}
	}
	require.Len(t, s.do(fewer(ordered())).(*OrderRecord).Units, 3)
	require.Equal(t, 7, s.available(bike, s.now+day, s.now+2*day))
	require.Equal(t, 8, s.available(helmet, s.now+day, s.now+2*day))

	o := ordered()
	s.do(PatchCatalogItem{ID: kit.CatalogItem, Components: Some([]Component{{helmet, 1}, {bike, 2}})})
	require.Len(t, s.do(fewer(o)).(*OrderRecord).Units, 3, "it was its order's before the kit changed")
	require.Equal(t, 5, s.available(bike, s.now+day, s.now+2*day))
	require.Equal(t, 7, s.available(helmet, s.now+day, s.now+2*day))

	h := s.book(kit, s.now+day, s.now+2*day, 2)
	s.do(PatchCatalogItem{ID: kit.CatalogItem, Components: Some([]Component{{helmet, 2}, {bike, 1}})})
	s.reopen()
	o = s.do(OrderHold{Holds: []ID{h.ID}}).(*OrderRecord)
	s.refused(CodeConflict, fewer(o))
	require.Equal(t, 1, s.available(bike, s.now+day, s.now+2*day))
	require.Equal(t, 5, s.available(helmet, s.now+day, s.now+2*day))
	s.reopen()
}

// The refusal of a hand-over says what stands in the way, also where the unit is a conflict.
func TestHandOverOfAConflictSaysWhatIsInTheWay(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	first := s.order(Item{Article: article}, PurchaseBooking, s.now, ptr(s.now+2*day), 1, false)
	s.do(FulfillOrder{ID: first.ID})
	second := s.order(Item{Article: article}, PurchaseBooking, s.now, ptr(s.now+day), 1, true)
	e := s.refused(CodeInsufficient, FulfillOrder{ID: second.ID})
	next := Span{Start: s.now + 2*day, End: s.now + 3*day}
	require.Equal(t, []Shortage{{Requested: 1, Reason: "not_enough_stock", Blockers: []ID{first.Lines[0].Units[0].Hold}, Blocking: 1, Next: &next}}, e.Details.(ShortageDetails).Lines)
}

// Of an order all of which is cancelled nothing is pending.
func TestCancelledSubscriptionCancelsItsOrder(t *testing.T) {
	s := newShop(t)
	o := s.order(Item{Article: s.article(ID{}, 1)}, PurchaseSubscription, s.now+day, nil, 1, false)
	r := s.do(CancelSubscription{ID: o.Lines[0].Subscription.ID}).(*OrderRecord)
	require.Equal(t, OrderClosed, r.Status)
	require.Equal(t, Cancelled, r.Fulfillment())
}

// A subscription that is cancelled while its unit is out gives the unit to nobody: it is not back.
func TestCancelSubscriptionWhileItIsOut(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	o := s.order(Item{Article: article}, PurchaseSubscription, s.now, nil, 1, false)
	s.do(FulfillOrder{ID: o.ID})
	s.now += day
	waits := s.order(Item{Article: article}, PurchaseBooking, s.now, ptr(s.now+day), 1, true)
	s.do(CancelSubscription{ID: o.Lines[0].Subscription.ID})
	require.True(t, s.view().Order(waits.ID).Conflict())
	require.Equal(t, 0, s.available(Item{Article: article}, s.now, s.now+hour))
	s.do(ReturnOrder{ID: o.ID})
	require.False(t, s.view().Order(waits.ID).Conflict())
	s.reopen()
}

// What is cancelled at the end of a term ends then: nobody moves that end any more.
func TestEndOfACancellingSubscriptionIsFixed(t *testing.T) {
	s := newShop(t)
	o := s.order(Item{Article: s.article(ID{}, 1)}, PurchaseSubscription, s.now, nil, 1, false)
	s.do(FulfillOrder{ID: o.ID})
	r := s.do(CancelSubscription{ID: o.Lines[0].Subscription.ID, AtEnd: true}).(*OrderRecord)
	end := r.Units[0].Range.End
	require.Equal(t, s.now+day, end)
	s.refused(CodeStateNotAllowed, PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, To: Null[int64]()})
	s.refused(CodeStateNotAllowed, PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, To: Some(s.now + 9*day)})
	require.Equal(t, end, s.view().Order(o.ID).Units[0].Range.End)
}

// An extension that may overbook sends away what is in its way, as what was overbooked anew would be.
func TestOverbookedExtension(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	o := s.order(Item{Article: article}, PurchaseBooking, s.now, ptr(s.now+day), 1, false)
	s.do(FulfillOrder{ID: o.ID})
	next := s.order(Item{Article: article}, PurchaseBooking, s.now+day, ptr(s.now+2*day), 1, false)
	longer := PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, To: Some(s.now + day + hour)}
	s.refused(CodeInsufficient, longer)
	longer.AllowOverbooked = true
	require.Equal(t, s.now+day+hour, s.do(longer).(*OrderRecord).Units[0].Range.End)
	require.True(t, s.view().Order(next.ID).Conflict())
	s.reopen()
}

// A conflict that is made shorter is tried itself, by its new dates and before whoever waited longer, who has no turn by that.
func TestShorterConflictIsTriedItself(t *testing.T) {
	for name, c := range map[string]struct {
		end   int64
		waits bool
	}{"it fits": {35, false}, "it does not": {40, true}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			bike := Item{Article: s.article(s.sku(), 1)}
			at := func(h int64) int64 { return noon + h*hour }
			s.order(bike, PurchaseBooking, at(10), ptr(at(20)), 1, false)
			s.order(bike, PurchaseBooking, at(35), ptr(at(45)), 1, false)
			older := s.order(bike, PurchaseBooking, at(15), ptr(at(30)), 1, true)
			other := s.order(bike, PurchaseBooking, at(25), ptr(at(60)), 1, true)
			s.do(PatchOrderLine{Order: other.ID, ID: other.Lines[0].ID, To: Some(at(c.end))})
			require.Equal(t, []bool{true, c.waits}, []bool{s.orderNow(older).Conflict(), s.orderNow(other).Conflict()})
			s.reopen()
		})
	}
}

// A hand-over as long ago as can be is one.
func TestHandOverAtTheBeginningOfTime(t *testing.T) {
	s := newShop(t)
	o := s.order(Item{Article: s.article(ID{}, 1)}, PurchaseBooking, s.now+hour, ptr(s.now+day), 1, false)
	require.Equal(t, OrderActive, s.do(FulfillOrder{ID: o.ID, At: ptr(int64(0))}).(*OrderRecord).Status)
	s.refused(CodeStateNotAllowed, CancelOrder{ID: o.ID})
}

// A sale whose start was left open begins when it takes its unit, however long it was a draft.
func TestDraftOfASaleWithoutAStart(t *testing.T) {
	s := newShop(t)
	article := s.article(ID{}, 1)
	l := OrderLineInput{Item: Item{Article: article}, Purchase: PurchaseSale, Quantity: 1}
	draft := func() *OrderRecord {
		return s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc}, Lines: []OrderLineInput{l}}).(*OrderRecord)
	}
	free, dated := draft(), draft()
	s.do(PatchOrderLine{Order: dated.ID, ID: dated.Lines[0].ID, From: Some(s.now)})
	s.book(Item{Article: article}, s.now, s.now+hour, 1)
	s.now += day
	s.refused(CodeInsufficient, ConfirmOrder{ID: dated.ID})
	r := s.do(ConfirmOrder{ID: free.ID}).(*OrderRecord)
	require.Equal(t, s.now, r.Lines[0].From)
	s.reopen()
}

// Another pricing row gives a subscription its terms with its price.
func TestAnotherRowGivesOtherTerms(t *testing.T) {
	s := newShop(t)
	table := s.do(CreatePricingTable{Name: "Plans"}).(*PricingTable).ID
	row := func(label string, price int64, unit timeline.Unit, committed *int64) *PricingRow {
		return s.do(CreatePricingRow{Table: table, Label: label, Purchase: PurchaseSubscription, Price: price, Subscription: &SubscriptionTerms{
			Cycle: Period{Amount: 1, Unit: unit}, CommitmentCycles: committed, RenewalType: DefaultRenewalType, InitialCharge: DefaultInitialCharge,
		}}).(*PricingRow)
	}
	monthly, yearly := row("Monthly", 100, timeline.Months, nil), row("Yearly", 1000, timeline.Years, ptr(int64(2)))
	for _, status := range []OrderStatus{OrderDraft, OrderOpen} {
		o := s.do(CreateOrder{OrderInput: OrderInput{Status: status, Pickup: s.loc}, Lines: []OrderLineInput{
			{Item: Item{Article: s.article(ID{}, 1)}, Purchase: PurchaseSubscription, Quantity: 1, From: &s.now, PricingRow: &monthly.ID},
		}}).(*OrderRecord)
		was := *o.Lines[0].Subscription
		l := s.do(PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, PricingRow: Some(yearly.ID)}).(*OrderRecord).Lines[0]
		require.Equal(t, int64(1000), l.UnitPrice)
		require.Equal(t, "Yearly", l.Subscription.Label)
		require.Equal(t, *yearly.Subscription, l.Subscription.Terms)
		require.Equal(t, was.ID, l.Subscription.ID)
		require.Equal(t, status == OrderOpen, l.Subscription.NextBillingAt > was.NextBillingAt)
	}
	s.reopen()
}

// A line that is for somebody whom the order has no more is for nobody in particular from then on.
func TestLinesAreForCustomersOfTheOrder(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	named := func(name string) OrderCustomerInput {
		return OrderCustomerInput{Contact: ContactPatch{FirstName: Some(name)}}
	}
	in := s.rental(OrderDraft, bike, s.now+day, s.now+2*day, 1)
	in.Contact = &ContactPatch{FirstName: Some("Ann")}
	in.Customers = []OrderCustomerInput{named("Ben"), named("Cleo")}
	o := s.do(in).(*OrderRecord)
	line := in.Lines[0]
	line.OrderCustomer = ptr(o.MainCustomer())
	s.refused(CodeNotFound, AddOrderLines{Order: o.ID, Lines: []OrderLineInput{line}}) // the order lists others
	line.OrderCustomer = &o.More.Customers[1].ID
	noted := line
	noted.Note = ptr("Saddle high")
	made := s.now
	s.do(AddOrderLines{Order: o.ID, Lines: []OrderLineInput{line, noted}})

	s.now += hour
	lines := s.do(PatchOrder{ID: o.ID, Note: Some("Late"), Assigned: Null[UserRef]()}).(*OrderRecord).Lines
	require.Equal(t, []ID{{}, *line.OrderCustomer, *line.OrderCustomer}, []ID{lines[0].Rest().OrderCustomer, lines[1].More.OrderCustomer, lines[2].More.OrderCustomer})
	s.now += hour
	o = s.do(PatchOrder{ID: o.ID, Customers: Some([]OrderCustomerInput{named("Ben"), named("Cleo")})}).(*OrderRecord)
	require.Nil(t, o.Lines[1].More)
	require.Equal(t, &LineMore{Note: "Saddle high"}, o.Lines[2].More)
	require.Equal(t, []int64{made, s.now, s.now}, []int64{o.Lines[0].UpdatedAt, o.Lines[1].UpdatedAt, o.Lines[2].UpdatedAt})

	// Without a list it is the one whom the order is for, as long as there is one.
	s.do(PatchOrder{ID: o.ID, Customers: Null[[]OrderCustomerInput]()})
	line.OrderCustomer = ptr(o.MainCustomer())
	s.do(AddOrderLines{Order: o.ID, Lines: []OrderLineInput{line}})
	customer := func(op PatchOrder) ID {
		op.ID = o.ID
		return s.do(op).(*OrderRecord).Lines[3].Rest().OrderCustomer
	}
	require.Equal(t, o.MainCustomer(), customer(PatchOrder{Contact: &ContactPatch{FirstName: Some("Eva")}}))
	require.Zero(t, customer(PatchOrder{Customer: Null[ID]()}))
	s.refused(CodeNotFound, AddOrderLines{Order: o.ID, Lines: []OrderLineInput{line}})
	s.reopen()
}

// A line that is over has no other end; what else its order allows is said.
func TestEndOfALineThatIsOver(t *testing.T) {
	s := newShop(t)
	o := s.order(Item{Article: s.article(ID{}, 1)}, PurchaseSubscription, s.now, nil, 1, false)
	in := s.rental(OrderOpen, Item{Article: s.article(ID{}, 1)}, s.now, s.now+day, 1)
	in.Lines = append(in.Lines, s.rental(OrderOpen, Item{Article: s.article(ID{}, 1)}, s.now, s.now+day, 1).Lines...)
	two := s.do(in).(*OrderRecord)
	said := func(o *OrderRecord, state string, allowed ...string) {
		t.Helper()
		e := s.refused(CodeStateNotAllowed, PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, To: Some(s.now + 9*day)})
		require.Equal(t, StateDetails{State: state, Allowed: allowed}, e.Details)
	}
	s.do(CancelSubscription{ID: o.Lines[0].Subscription.ID, AtEnd: true})
	said(o, "cancelling", "prepare", "fulfill", "undo", "cancel", "cancelStockItem", "delete", "applyDiscountCode", "removeDiscountCode", "addLineItems", "deleteLineItem",
		"assignStockItem", "unassignStockItem", "update")
	s.do(FulfillOrder{ID: o.ID})
	s.do(CancelSubscription{ID: o.Lines[0].Subscription.ID})
	said(o, "cancelled", "fulfill", "return", "readyStockItem", "undo", "cancelStockItem", "assignStockItem", "unassignStockItem", "update")
	s.do(ReturnOrder{ID: o.ID})
	said(o, "cancelled", "readyStockItem", "undo", "archive", "unarchive", "delete", "update")

	s.do(FulfillOrder{ID: two.ID})
	s.do(ReturnOrder{ID: two.ID, Units: []ID{two.Lines[0].Units[0].ID}})
	said(two, "returned", "fulfill", "return", "readyStockItem", "undo", "cancelStockItem", "assignStockItem", "unassignStockItem", "update")
}

// The first conflict of an account waits for room like any other: also for what a later line of its own command leaves on its
// article.
func TestOverbookedLineIsSeatedWhereALaterOneLeavesRoom(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	first, second := s.article(sku, 1), s.article(sku, 1)
	at := func(hours int64) int64 { return s.now + day + hours*hour }
	roaming := s.book(Item{SKU: sku}, at(0), at(10), 1).Lines[0].Units[0].ID
	s.book(Item{Article: second}, at(12), at(20), 1)
	u, _ := s.view().Unavailability(roaming)
	require.Equal(t, first, u.Article)

	line := func(i Item, from, to int64) OrderLineInput {
		return OrderLineInput{Item: i, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: &to}
	}
	o := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Status: OrderOpen, AllowOverbooked: true}, Lines: []OrderLineInput{
		line(Item{Article: first}, at(0), at(5)),
		line(Item{SKU: sku}, at(8), at(20)), // has room on the first article when what is there goes to the second
	}}).(*OrderRecord)
	u, _ = s.view().Unavailability(roaming)
	require.Equal(t, second, u.Article)
	u, _ = s.view().Unavailability(o.Lines[0].Units[0].Hold)
	require.NotZero(t, u.Slot, "it needs no other's room any more")
	require.Equal(t, first, u.Article)
	s.reopen()
}

func TestFaultsNameMembersAsTheyAreCalledThere(t *testing.T) {
	s := newShop(t)
	said := func(op Op) string {
		t.Helper()
		return s.refused(CodeInvalid, op).Faults[0].Message
	}
	sku := Item{SKU: s.sku()}
	require.Equal(t, "must be later than startDate", said(s.rental(OrderDraft, sku, s.now+day, s.now, 1)))
	require.Equal(t, "must be later than from", said(s.booking(sku, s.now+day, s.now, 1)))
	_, _, err := s.view().ListArticles(&ArticleQuery{Window: Span{Start: s.now, End: s.now}, Active: true, Limit: 1, Filters: []Filter{{Field: FieldStatus, Operator: StartsWith}}}, nil)
	require.Error(t, err)
	require.Contains(t, err.(*Error).Faults[0].Message, "does not fit the field status; those that do are eq")
}
