package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the tests of carts that become orders: for which price, of several holds, and what refuses them.

func TestACartBecomesAnOrderWithPrices(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000,
		commerce.CreatePricingRow{
			PricingRowFields: commerce.PricingRowFields{Label: "Whole", Purchase: base.PurchaseBooking, Price: 9000}})
	item, sku := s.item(table)
	_, others := s.tariff(1)
	window := base.Span{Start: s.now + day, End: s.now + 3*day}
	h := s.do(hold.PlaceHold{Lines: []hold.HoldLineInput{
		{Item: item, Location: s.loc, Window: window, Quantity: 1},
		{Item: item, Location: s.loc, Window: window, Quantity: 2},
		{Item: base.Item{SKU: sku}, Location: s.loc, Window: window, Quantity: 1},
	}}).(*hold.Hold)
	s.do(commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: "TEN", ValueType: commerce.DiscountPercentage, Value: 10}})
	in := order.OrderHold{Holds: []base.ID{h.ID},
		OrderInput: order.OrderInput{Contact: whose(commerce.Contact{FirstName: new("Anna")}),
			Discounts: []string{"ten"}}}
	pricing := func(held ...order.HeldLineInput) *base.Error {
		o := in
		o.Held = held
		return s.refused(base.CodeInvalid, o)
	}
	require.Equal(t, []string{"/heldLines/0/pricingRowId"},
		pointers(pricing(order.HeldLineInput{Line: 0, PricingRow: &others[0]})))
	require.Equal(t, []string{"/heldLines/0/line"}, pointers(pricing(order.HeldLineInput{Line: 3})))
	require.Equal(t, []string{"/heldLines/1", "/heldLines/2/holdId"},
		pointers(pricing(order.HeldLineInput{Line: 0}, order.HeldLineInput{Line: 0, Hold: &h.ID},
			order.HeldLineInput{Line: 1, Hold: &sku})))
	require.Equal(t, []string{"/heldLines/0/unitPrice"},
		pointers(pricing(order.HeldLineInput{Line: 0, PricingRow: &rows[0], UnitPrice: ptr[int64](1)})))
	in.Discounts = []string{"none"}
	s.refused(base.CodeDiscountNotFound, in)
	kept, _ := hold.HoldByID(s.view(), h.ID)
	require.Equal(t, hold.Confirmed, kept.Status)

	in.Discounts = []string{"ten"}
	in.Held = []order.HeldLineInput{{Line: 0, PricingRow: &rows[1], TaxRate: ptr(1900), Name: ptr("Bike")},
		{Line: 2, UnitPrice: ptr[int64](500), Note: ptr("blue")}}
	o := s.do(in).(*order.OrderRecord)
	require.Equal(t, []int64{9000, 2000, 500},
		[]int64{o.Lines[0].UnitPrice, o.Lines[1].UnitPrice, o.Lines[2].UnitPrice})
	require.Equal(t, []base.ID{rows[1], rows[0], {}},
		[]base.ID{o.Lines[0].PricingRow, o.Lines[1].PricingRow, o.Lines[2].PricingRow})
	require.Equal(t, "blue", o.Lines[2].Rest().Note)
	p, _ := o.Price()
	require.Equal(t, commerce.OrderPrice{Subtotal: 13500, Discount: 1350, Tax: 1539, Total: 13689}, p)
	require.EqualValues(t, 1, commerce.DiscountCodeByID(s.view(), o.Codes[0].ID).Used)
	require.Equal(t, "Anna", *o.Contact.FirstName)
	s.reopen()
}

func TestOneOrderOfSeveralHolds(t *testing.T) {
	s := newShop(t)
	bike, tent := base.Item{SKU: s.sku()}, base.Item{SKU: s.sku()}
	s.article(bike.SKU, 1)
	s.article(tent.SKU, 1)
	cart := func(i base.Item, expires *int64) *hold.Hold {
		return s.do(hold.PlaceHold{
			Lines: []hold.HoldLineInput{
				{Item: i, Location: s.loc, Window: base.Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}},
			ExpiresIn: expires}).(*hold.Hold)
	}
	a, b := cart(bike, nil), cart(tent, ptr[int64](60))
	both := order.OrderHold{Holds: []base.ID{a.ID, b.ID}}
	s.refused(base.CodeInvalid, order.OrderHold{Holds: []base.ID{a.ID, a.ID}})
	s.refused(base.CodeInvalid, order.OrderHold{})
	s.tick(s.now + 61_000)
	e := s.refused(base.CodeHoldExpired, both)
	require.Equal(t, base.HoldDetails{ID: b.ID}, e.Details)
	kept, _ := hold.HoldByID(s.view(), a.ID)
	require.Equal(t, hold.Confirmed, kept.Status)

	b = cart(tent, ptr[int64](60))
	both.Holds[1] = b.ID
	require.Equal(t, []string{"/heldLines/0/holdId"},
		pointers(s.refused(base.CodeInvalid,
			order.OrderHold{Holds: both.Holds, Held: []order.HeldLineInput{{Line: 0}}})))
	both.Held = []order.HeldLineInput{{Hold: &b.ID, Line: 0, UnitPrice: ptr[int64](700)}}
	o := s.do(both).(*order.OrderRecord)
	require.Len(t, o.Lines, 2)
	for i, h := range []*hold.Hold{a, b} {
		require.Equal(t, h.Lines[0].Units[0].ID, o.Lines[i].Units[0].Hold)
		ended, _ := hold.HoldByID(s.view(), h.ID)
		require.Equal(t, hold.Ordered, ended.Status)
	}
	require.Equal(t, []int64{0, 700}, []int64{o.Lines[0].UnitPrice, o.Lines[1].UnitPrice})
	require.Equal(t, []bool{false, true}, []bool{o.Lines[0].Priced(), o.Lines[1].Priced()})
	require.Zero(t, s.available(bike, s.now+day, s.now+2*day)+s.available(tent, s.now+day, s.now+2*day))
	s.refused(base.CodeStateNotAllowed, both)
	s.reopen()

	there := s.do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "There", Timezone: "UTC"}}).(*stock.Location).ID
	s.do(stock.IncreaseQuantity{Article: s.article(bike.SKU, 1), Location: there, Amount: 1})
	x := cart(bike, nil)
	y := s.do(hold.PlaceHold{
		Lines: []hold.HoldLineInput{{Item: bike, Location: there,
			Window: base.Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}}}).(*hold.Hold)
	s.refused(base.CodeConflict, order.OrderHold{Holds: []base.ID{x.ID, y.ID}})
	s.do(order.OrderHold{Holds: []base.ID{x.ID}})
}

// An order comes back at one location: where its holds come back at several, it has to say at which.
func TestAnOrderOfHoldsThatComeBackAtSeveralLocations(t *testing.T) {
	s := newOneWay(t, 3)
	var lines []hold.HoldLineInput
	for _, to := range []base.ID{s.there, s.loc, s.there} {
		lines = append(lines, hold.HoldLineInput{Item: s.bike, Location: s.loc, Return: to,
			Window: base.Span{Start: noon + day, End: noon + 2*day}, Quantity: 1})
	}
	h := s.do(hold.PlaceHold{Lines: lines}).(*hold.Hold)
	s.refused(base.CodeConflict, order.OrderHold{Holds: []base.ID{h.ID}})
	o := s.do(order.OrderHold{Holds: []base.ID{h.ID},
		OrderInput: order.OrderInput{Return: &s.loc}}).(*order.OrderRecord)
	require.Equal(t, s.loc, o.Return)
	require.Equal(t, []int{3, 0},
		[]int{s.stock(s.loc, noon+2*day, noon+3*day), s.stock(s.there, noon+2*day, noon+3*day)})
	s.reopen()
}
