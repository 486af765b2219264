package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the story of one order.

func TestOrderFromDraftToClosed(t *testing.T) {
	s := newShop(t)
	sku := s.do(CreateSKU{Name: "Bike", After: &Buffer{Amount: 2, Unit: 3}}).(*SKU)
	for range 3 {
		s.do(CreateArticle{Name: "Bike", SKU: &sku.ID, Quantities: []InitialQuantity{{Location: s.loc, Count: 1}}})
	}
	from, to := s.now+day, s.now+3*day
	price := int64(1500)
	r := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc}, Lines: []OrderLineInput{
		{Item: Item{SKU: sku.ID}, Purchase: PurchaseBooking, Quantity: 2, From: &from, To: &to, UnitPrice: &price},
	}}).(*OrderRecord)
	require.Equal(t, OrderDraft, r.Status)
	require.Equal(t, uint32(1), r.Number)
	require.Len(t, r.Units, 2)
	free := func() int {
		a, err := s.view().Available(Query{Item: Item{SKU: sku.ID}, Location: s.loc, Window: Span{Start: from, End: to}}, s.now)
		require.NoError(t, err)
		return a.Available
	}
	require.Equal(t, 3, free())
	r = s.do(ConfirmOrder{ID: r.ID}).(*OrderRecord)
	require.Equal(t, OrderOpen, r.Status)
	require.Equal(t, 1, free())
	s.refused(CodeStateNotAllowed, ConfirmOrder{ID: r.ID})
	s.refused(CodeStateNotAllowed, ReturnOrder{ID: r.ID})
	s.do(PrepareOrder{ID: r.ID})
	r = s.do(FulfillOrder{ID: r.ID, Units: []ID{r.Lines[0].Units[0].ID}}).(*OrderRecord) // before its time
	require.Equal(t, OrderActive, r.Status)
	require.Equal(t, PartiallyFulfilled, r.Fulfillment())
	require.Equal(t, s.now, r.Units[0].Range.Start)
	s.now = from
	r = s.do(FulfillOrder{ID: r.ID}).(*OrderRecord)
	require.Equal(t, Fulfilled, r.Fulfillment())
	s.now = to + 20*60*1000 // late: two steps
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, to+30*60*1000+2*hour, s.view().Order(r.ID).Units[0].Range.End)
	r = s.do(ReturnOrder{ID: r.ID, Units: []ID{r.Lines[0].Units[0].ID}}).(*OrderRecord)
	require.Equal(t, PartiallyReturned, r.Fulfillment())
	require.Equal(t, s.now+2*hour, r.Units[0].Range.End)
	r = s.do(ReturnOrder{ID: r.ID}).(*OrderRecord)
	require.Equal(t, OrderClosed, r.Status)
	require.Equal(t, uint64(7), r.Revision)
	s.do(ArchiveOrder{ID: r.ID, Archive: true})
	s.reopen()
	require.NotZero(t, s.view().Order(r.ID).ArchivedAt)
	s.do(DeleteOrder{ID: r.ID})
	require.Nil(t, s.view().Order(r.ID))
	s.reopen()
}

func TestOrderOfHold(t *testing.T) {
	s := newShop(t)
	r := s.do(CreateArticle{Name: "Tent", Quantities: []InitialQuantity{{Location: s.loc, Count: 2}}}).(*Article)
	w := Span{Start: s.now + day, End: s.now + 2*day}
	h := s.do(PlaceHold{Lines: []HoldLineInput{{Item: Item{Article: r.ID}, Location: s.loc, Window: w, Quantity: 2}}}).(*Hold)
	o := s.do(OrderHold{Holds: []ID{h.ID}}).(*OrderRecord)
	require.Equal(t, OrderOpen, o.Status)
	require.Equal(t, h.Lines[0].Units[0].ID, o.Lines[0].Units[0].Hold)
	got, _ := s.view().Hold(h.ID)
	require.Equal(t, Ordered, got.Status)
	u, _ := s.view().Unavailability(h.Lines[0].Units[0].ID)
	require.Equal(t, o.ID, u.Owner)
	require.Equal(t, o.Lines[0].Units[0].ID, u.Item)
	s.reopen()
	s.do(CancelOrder{ID: o.ID})
	s.reopen()
}

// An add-on names an earlier line of its request, and goes with it.
func TestAddonsOfOneRequest(t *testing.T) {
	s := newShop(t)
	r := s.article(ID{}, 3)
	from, to := s.now+day, s.now+2*day
	line := func(addon *int) OrderLineInput {
		return OrderLineInput{Item: Item{Article: r}, Purchase: PurchaseBooking, Quantity: 1, From: &from, To: &to, AddonOfLine: addon}
	}
	zero, one := 0, 1
	e := s.refused(CodeInvalid, CreateOrder{OrderInput: OrderInput{Pickup: s.loc}, Lines: []OrderLineInput{line(&zero), line(&one)}})
	require.Equal(t, "/lineItems/0/addonOfLine", e.Faults[0].Pointer)
	require.Equal(t, "/lineItems/1/addonOfLine", e.Faults[1].Pointer)
	o := s.do(CreateOrder{OrderInput: OrderInput{Pickup: s.loc, Status: OrderOpen}, Lines: []OrderLineInput{line(nil), line(&zero), line(&one)}}).(*OrderRecord)
	require.Equal(t, []ID{o.Lines[0].ID, o.Lines[1].ID}, []ID{o.Lines[1].More.AddonOf, o.Lines[2].More.AddonOf})
	s.do(DeleteOrderLine{Order: o.ID, ID: o.Lines[1].ID})
	require.Len(t, s.view().Order(o.ID).Lines, 1)
	require.Equal(t, 2, s.available(Item{Article: r}, from, to))
	s.reopen()
}

// Units of a hold that were moved apart are lines of their own windows; a kit is not taken apart.
func TestOrderOfAHoldThatWasMovedApart(t *testing.T) {
	s := newShop(t)
	item := Item{Article: s.article(ID{}, 2)}
	from, to := s.now+5*day, s.now+6*day
	apart := func(i Item) *Hold {
		h := s.book(i, s.now+day, s.now+2*day, 2)
		return s.do(MoveHold{ID: h.ID, Lines: []MoveLine{{Unavailability: h.Lines[0].Units[0].ID, From: &from, To: &to}}}).(*Hold)
	}
	o := s.do(OrderHold{Holds: []ID{apart(item).ID}}).(*OrderRecord)
	require.Len(t, o.Lines, 2)
	for i, want := range []Span{{Start: from, End: to}, {Start: s.now + day, End: s.now + 2*day}} {
		require.Equal(t, want, o.Lines[i].span())
		require.Equal(t, uint16(1), o.Lines[i].Quantity)
		require.Equal(t, want, o.Units[i].Range)
	}
	s.do(DeleteOrder{ID: o.ID})
	s.refused(CodeConflict, OrderHold{Holds: []ID{apart(s.kit(Component{item, 1})).ID}})
	s.reopen()
}

// What is held as a subscription is ordered as one, by the terms that the order gives.
func TestOrderOfAHeldSubscription(t *testing.T) {
	s := newShop(t)
	h := s.do(PlaceHold{Lines: []HoldLineInput{{
		Item: Item{Article: s.article(ID{}, 1)}, Location: s.loc, Window: Span{Start: s.now, End: Forever}, Quantity: 1, Purchase: PurchaseSubscription,
	}}}).(*Hold)
	require.Equal(t, PurchaseSubscription, h.Lines[0].Purchase)
	s.reopen()
	h, _ = s.view().Hold(h.ID)
	require.Equal(t, PurchaseSubscription, h.Lines[0].Purchase)
	e := s.refused(CodeInvalid, OrderHold{Holds: []ID{h.ID}})
	require.Equal(t, "/subscription", e.Faults[0].Pointer)
	o := s.do(OrderHold{Holds: []ID{h.ID}, Subscription: &SubscriptionTerms{
		Cycle: Period{Amount: 1, Unit: timeline.Days}, RenewalType: DefaultRenewalType, InitialCharge: DefaultInitialCharge,
	}}).(*OrderRecord)
	require.Equal(t, s.now+day, o.Lines[0].Subscription.NextBillingAt)
	s.reopen()
}
