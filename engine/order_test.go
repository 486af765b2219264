package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the story of one order.

func TestOrderFromDraftToClosed(t *testing.T) {
	s := newShop(t)
	sku := s.do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Bike"},
		After: &stock.Buffer{Amount: 2, Unit: 3}}).(*stock.SKU)
	for range 3 {
		s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Bike", SKU: &sku.ID},
			Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 1}}})
	}
	from, to := s.now+day, s.now+3*day
	price := int64(1500)
	r := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc}, Lines: []order.OrderLineInput{
		{Item: base.Item{SKU: sku.ID}, Purchase: base.PurchaseBooking, Quantity: 2, From: &from, To: &to,
			UnitPrice: &price},
	}}).(*order.OrderRecord)
	require.Equal(t, order.OrderDraft, r.Status)
	require.Equal(t, uint32(1), r.Number)
	require.Len(t, r.Units, 2)
	free := func() int {
		a, err := hold.Available(s.view(),
			hold.Query{Item: base.Item{SKU: sku.ID}, Location: s.loc, Window: base.Span{Start: from, End: to}}, s.now)
		require.NoError(t, err)
		return a.Available
	}
	require.Equal(t, 3, free())
	r = s.do(order.ConfirmOrder{ID: r.ID}).(*order.OrderRecord)
	require.Equal(t, order.OrderOpen, r.Status)
	require.Equal(t, 1, free())
	s.refused(base.CodeStateNotAllowed, order.ConfirmOrder{ID: r.ID})
	s.refused(base.CodeStateNotAllowed, order.ReturnOrder{ID: r.ID})
	s.do(order.PrepareOrder{ID: r.ID})
	// before its time
	r = s.do(order.FulfillOrder{ID: r.ID, Units: []base.ID{r.Lines[0].Units[0].ID}}).(*order.OrderRecord)
	require.Equal(t, order.OrderActive, r.Status)
	require.Equal(t, order.PartiallyFulfilled, r.Fulfillment())
	require.Equal(t, s.now, r.Units[0].Range.Start)
	s.now = from
	r = s.do(order.FulfillOrder{ID: r.ID}).(*order.OrderRecord)
	require.Equal(t, order.Fulfilled, r.Fulfillment())
	s.now = to + 20*60*1000 // late: two steps
	require.NoError(t, s.Tick(t.Context()))
	require.Equal(t, to+30*60*1000+2*hour, order.OrderByID(s.view(), r.ID).Units[0].Range.End)
	r = s.do(order.ReturnOrder{ID: r.ID, Units: []base.ID{r.Lines[0].Units[0].ID}}).(*order.OrderRecord)
	require.Equal(t, order.PartiallyReturned, r.Fulfillment())
	require.Equal(t, s.now+2*hour, r.Units[0].Range.End)
	r = s.do(order.ReturnOrder{ID: r.ID}).(*order.OrderRecord)
	require.Equal(t, order.OrderClosed, r.Status)
	require.Equal(t, uint64(7), r.Revision)
	s.do(order.ArchiveOrder{ID: r.ID, Archive: true})
	s.reopen()
	require.NotZero(t, order.OrderByID(s.view(), r.ID).ArchivedAt)
	s.do(order.DeleteOrder{ID: r.ID})
	require.Nil(t, order.OrderByID(s.view(), r.ID))
	s.reopen()
}

func TestOrderOfHold(t *testing.T) {
	s := newShop(t)
	r := s.do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Tent"},
		Quantities: []stock.InitialQuantity{{Location: s.loc, Count: 2}}}).(*stock.Article)
	w := base.Span{Start: s.now + day, End: s.now + 2*day}
	h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{
		{Item: base.Item{Article: r.ID}, Location: s.loc, Window: w, Quantity: 2}}}).(*hold.Hold)
	o := s.do(order.OrderHold{Holds: []base.ID{h.ID}}).(*order.OrderRecord)
	require.Equal(t, order.OrderOpen, o.Status)
	require.Equal(t, h.Lines[0].Units[0].ID, o.Lines[0].Units[0].Hold)
	got, _ := hold.HoldByID(s.view(), h.ID)
	require.Equal(t, hold.Ordered, got.Status)
	u, _ := stock.UnavailabilityByID(s.view(), h.Lines[0].Units[0].ID)
	require.Equal(t, o.ID, u.Owner)
	require.Equal(t, o.Lines[0].Units[0].ID, u.Item)
	s.reopen()
	s.do(order.CancelOrder{ID: o.ID})
	s.reopen()
}

// An add-on names an earlier line of its request, and goes with it.
func TestAddonsOfOneRequest(t *testing.T) {
	s := newShop(t)
	r := s.article(base.ID{}, 3)
	from, to := s.now+day, s.now+2*day
	line := func(addon *int) order.OrderLineInput {
		return order.OrderLineInput{Item: base.Item{Article: r}, Purchase: base.PurchaseBooking, Quantity: 1,
			From: &from, To: &to, AddonOfLine: addon}
	}
	zero, one := 0, 1
	e := s.refused(base.CodeInvalid, order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc},
		Lines: []order.OrderLineInput{line(&zero), line(&one)}})
	require.Equal(t, "/lineItems/0/addonOfLine", e.Faults[0].Pointer)
	require.Equal(t, "/lineItems/1/addonOfLine", e.Faults[1].Pointer)
	o := s.do(order.CreateOrder{OrderInput: order.OrderInput{Pickup: s.loc, Status: order.OrderOpen},
		Lines: []order.OrderLineInput{line(nil), line(&zero), line(&one)}}).(*order.OrderRecord)
	require.Equal(t, []base.ID{o.Lines[0].ID, o.Lines[1].ID},
		[]base.ID{o.Lines[1].More.AddonOf, o.Lines[2].More.AddonOf})
	s.do(order.DeleteOrderLine{Order: o.ID, ID: o.Lines[1].ID})
	require.Len(t, order.OrderByID(s.view(), o.ID).Lines, 1)
	require.Equal(t, 2, s.available(base.Item{Article: r}, from, to))
	s.reopen()
}

// Units of a hold that were moved apart are lines of their own windows; a kit is not taken apart.
func TestOrderOfAHoldThatWasMovedApart(t *testing.T) {
	s := newShop(t)
	item := base.Item{Article: s.article(base.ID{}, 2)}
	from, to := s.now+5*day, s.now+6*day
	apart := func(i base.Item) *hold.Hold {
		h := s.book(i, s.now+day, s.now+2*day, 2)
		return s.do(hold.MoveHold{ID: h.ID,
			Lines: []hold.MoveLine{{Unavailability: h.Lines[0].Units[0].ID, From: &from, To: &to}}}).(*hold.Hold)
	}
	o := s.do(order.OrderHold{Holds: []base.ID{apart(item).ID}}).(*order.OrderRecord)
	require.Len(t, o.Lines, 2)
	for i, want := range []base.Span{{Start: from, End: to}, {Start: s.now + day, End: s.now + 2*day}} {
		require.Equal(t, want, o.Lines[i].Span())
		require.Equal(t, uint16(1), o.Lines[i].Quantity)
		require.Equal(t, want, o.Units[i].Range)
	}
	s.do(order.DeleteOrder{ID: o.ID})
	s.refused(base.CodeConflict,
		order.OrderHold{Holds: []base.ID{apart(s.kit(commerce.Component{Item: item, Quantity: 1})).ID}})
	s.reopen()
}

// What is held as a subscription is ordered as one, by the terms that the order gives.
func TestOrderOfAHeldSubscription(t *testing.T) {
	s := newShop(t)
	h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{{
		Item: base.Item{Article: s.article(base.ID{}, 1)}, Location: s.loc,
		Window: base.Span{Start: s.now, End: base.Forever}, Quantity: 1, Purchase: base.PurchaseSubscription,
	}}}).(*hold.Hold)
	require.Equal(t, base.PurchaseSubscription, h.Lines[0].Purchase)
	s.reopen()
	h, _ = hold.HoldByID(s.view(), h.ID)
	require.Equal(t, base.PurchaseSubscription, h.Lines[0].Purchase)
	e := s.refused(base.CodeInvalid, order.OrderHold{Holds: []base.ID{h.ID}})
	require.Equal(t, "/subscription", e.Faults[0].Pointer)
	o := s.do(order.OrderHold{Holds: []base.ID{h.ID}, Subscription: &commerce.SubscriptionTerms{
		Cycle: commerce.Period{Amount: 1, Unit: timeline.Days}, RenewalType: commerce.DefaultRenewalType,
		InitialCharge: commerce.DefaultInitialCharge,
	}}).(*order.OrderRecord)
	require.Equal(t, s.now+day, o.Lines[0].Subscription.NextBillingAt)
	s.reopen()
}

// The id of nobody and of no line is unknown like any other.
func TestTheNilIDNamesNoLineAndNoCustomer(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 1)
	for _, set := range []func(*order.OrderLineInput){
		func(l *order.OrderLineInput) { l.AddonOf = new(base.ID) },
		func(l *order.OrderLineInput) { l.OrderCustomer = new(base.ID) },
	} {
		in := s.rental(order.OrderDraft, base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)
		set(&in.Lines[0])
		_, err := s.try(in)
		require.Equal(t, base.CodeNotFound, err.(*base.Error).Code)
	}
}

// A shortage of lines that are added counts them as the request does, and one of a line that is to have more units says
// how many that are.
func TestAShortageIsOfTheLinesOfTheRequest(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 5)
	create := s.rental(order.OrderOpen, base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)
	create.Lines = append(create.Lines, create.Lines[0])
	o := s.do(create).(*order.OrderRecord)
	short := func(op base.Op) base.Shortage {
		_, err := s.try(op)
		lines := err.(*base.Error).Details.(base.ShortageDetails).Lines
		require.Len(t, lines, 1)
		return lines[0]
	}
	add := order.AddOrderLines{Order: o.ID, Lines: create.Lines[:1]}
	add.Lines[0].Quantity = 9
	x := short(add)
	require.Equal(t, []int{0, 9, 3}, []int{x.Line, x.Requested, x.Available})
	patch := order.PatchOrderLine{Order: o.ID, ID: o.Lines[1].ID,
		Fields: base.Changed(order.OrderLineInput{Quantity: 9})}
	x = short(patch)
	require.Equal(t, []int{0, 9, 4}, []int{x.Line, x.Requested, x.Available})
	s.do(s.rental(order.OrderOpen, base.Item{SKU: sku}, s.now+2*day, s.now+3*day, 5))
	patch.Fields = base.Changed(order.OrderLineInput{To: new(s.now + 3*day), UnitPrice: new(int64(1))})
	require.Zero(t, short(patch).Line)

	empty := s.do(commerce.CreateCatalogItem{
		CatalogFields: commerce.CatalogFields{Name: "Nothing"}}).(*commerce.CatalogItem).ID
	add.Lines[0].Item = base.Item{CatalogItem: empty}
	_, err := s.try(add)
	require.Contains(t, err.(*base.Error).Detail, "(line 0)")
}

// A refusal for the order's state names what was asked for.
func TestARefusalNamesItsOperation(t *testing.T) {
	s := newShop(t)
	sku := s.sku()
	s.article(sku, 1)
	s.do(commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: "TEN", ValueType: commerce.DiscountPercentage, Value: 10}})
	in := s.rental(order.OrderOpen, base.Item{SKU: sku}, s.now+day, s.now+2*day, 1)
	in.Discounts = []string{"TEN"}
	o := s.do(in).(*order.OrderRecord)
	s.do(order.CancelOrder{ID: o.ID})
	line := o.Lines[0].ID
	for want, op := range map[string]base.Op{
		"updateLineItem": order.PatchOrderLine{Order: o.ID, ID: line,
			Fields: base.Changed(order.OrderLineInput{TaxRate: new(7)})},
		"deleteLineItem":     order.DeleteOrderLine{Order: o.ID, ID: line},
		"removeDiscountCode": order.RemoveDiscount{Order: o.ID, Code: "TEN"},
	} {
		require.Contains(t, s.refused(base.CodeStateNotAllowed, op).Detail, "does not allow "+want)
	}
}
