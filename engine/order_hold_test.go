package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of carts that become orders: for which price, of several holds, and what refuses them.

func TestACartBecomesAnOrderWithPrices(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000, CreatePricingRow{Label: "Whole", Purchase: PurchaseBooking, Price: 9000})
	item, sku := s.item(table)
	_, others := s.tariff(1)
	window := Span{Start: s.now + day, End: s.now + 3*day}
	h := s.do(PlaceHold{Lines: []HoldLineInput{
		{Item: item, Location: s.loc, Window: window, Quantity: 1},
		{Item: item, Location: s.loc, Window: window, Quantity: 2},
		{Item: Item{SKU: sku}, Location: s.loc, Window: window, Quantity: 1},
	}}).(*Hold)
	s.do(CreateDiscountCode{DiscountTerms: DiscountTerms{Code: "TEN", ValueType: DiscountPercentage, Value: 10}})
	in := OrderHold{Holds: []ID{h.ID}, OrderInput: OrderInput{Contact: &ContactPatch{FirstName: Some("Anna")}, Discounts: []string{"ten"}}}
	pricing := func(held ...HeldLineInput) *Error {
		o := in
		o.Held = held
		return s.refused(CodeInvalid, o)
	}
	require.Equal(t, []string{"/heldLines/0/pricingRowId"}, pointers(pricing(HeldLineInput{Line: 0, PricingRow: &others[0]})))
	require.Equal(t, []string{"/heldLines/0/line"}, pointers(pricing(HeldLineInput{Line: 3})))
	require.Equal(t, []string{"/heldLines/1", "/heldLines/2/holdId"}, pointers(pricing(HeldLineInput{Line: 0}, HeldLineInput{Line: 0, Hold: &h.ID}, HeldLineInput{Line: 1, Hold: &sku})))
	require.Equal(t, []string{"/heldLines/0/unitPrice"}, pointers(pricing(HeldLineInput{Line: 0, PricingRow: &rows[0], UnitPrice: ptr[int64](1)})))
	in.Discounts = []string{"none"}
	s.refused(CodeDiscountNotFound, in)
	kept, _ := s.view().Hold(h.ID)
	require.Equal(t, Confirmed, kept.Status)

	in.Discounts = []string{"ten"}
	in.Held = []HeldLineInput{{Line: 0, PricingRow: &rows[1], TaxRate: ptr(1900), Name: ptr("Bike")}, {Line: 2, UnitPrice: ptr[int64](500), Note: ptr("blue")}}
	o := s.do(in).(*OrderRecord)
	require.Equal(t, []int64{9000, 2000, 500}, []int64{o.Lines[0].UnitPrice, o.Lines[1].UnitPrice, o.Lines[2].UnitPrice})
	require.Equal(t, []ID{rows[1], rows[0], {}}, []ID{o.Lines[0].PricingRow, o.Lines[1].PricingRow, o.Lines[2].PricingRow})
	require.Equal(t, "blue", o.Lines[2].Rest().Note)
	p, _ := o.Price()
	require.Equal(t, OrderPrice{Subtotal: 13500, Discount: 1350, Tax: 1539, Total: 13689}, p)
	require.EqualValues(t, 1, s.view().DiscountCode(o.Codes[0].ID).Used)
	require.Equal(t, "Anna", *o.Contact.FirstName)
	s.reopen()
}

func TestOneOrderOfSeveralHolds(t *testing.T) {
	s := newShop(t)
	bike, tent := Item{SKU: s.sku()}, Item{SKU: s.sku()}
	s.article(bike.SKU, 1)
	s.article(tent.SKU, 1)
	cart := func(i Item, expires *int64) *Hold {
		return s.do(PlaceHold{Lines: []HoldLineInput{{Item: i, Location: s.loc, Window: Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}}, ExpiresIn: expires}).(*Hold)
	}
	a, b := cart(bike, nil), cart(tent, ptr[int64](60))
	both := OrderHold{Holds: []ID{a.ID, b.ID}}
	s.refused(CodeInvalid, OrderHold{Holds: []ID{a.ID, a.ID}})
	s.refused(CodeInvalid, OrderHold{})
	s.tick(s.now + 61_000)
	e := s.refused(CodeHoldExpired, both)
	require.Equal(t, HoldDetails{b.ID}, e.Details)
	kept, _ := s.view().Hold(a.ID)
	require.Equal(t, Confirmed, kept.Status)

	b = cart(tent, ptr[int64](60))
	both.Holds[1] = b.ID
	require.Equal(t, []string{"/heldLines/0/holdId"}, pointers(s.refused(CodeInvalid, OrderHold{Holds: both.Holds, Held: []HeldLineInput{{Line: 0}}})))
	both.Held = []HeldLineInput{{Hold: &b.ID, Line: 0, UnitPrice: ptr[int64](700)}}
	o := s.do(both).(*OrderRecord)
	require.Len(t, o.Lines, 2)
	for i, h := range []*Hold{a, b} {
		require.Equal(t, h.Lines[0].Units[0].ID, o.Lines[i].Units[0].Hold)
		ended, _ := s.view().Hold(h.ID)
		require.Equal(t, Ordered, ended.Status)
	}
	require.Equal(t, []int64{0, 700}, []int64{o.Lines[0].UnitPrice, o.Lines[1].UnitPrice})
	require.Equal(t, []bool{false, true}, []bool{o.Lines[0].Priced(), o.Lines[1].Priced()})
	require.Zero(t, s.available(bike, s.now+day, s.now+2*day)+s.available(tent, s.now+day, s.now+2*day))
	s.refused(CodeStateNotAllowed, both)
	s.reopen()

	there := s.do(CreateLocation{Name: "There", Timezone: "UTC"}).(*Location).ID
	s.do(IncreaseQuantity{Article: s.article(bike.SKU, 1), Location: there, Amount: 1})
	x := cart(bike, nil)
	y := s.do(PlaceHold{Lines: []HoldLineInput{{Item: bike, Location: there, Window: Span{Start: s.now + day, End: s.now + 2*day}, Quantity: 1}}}).(*Hold)
	s.refused(CodeConflict, OrderHold{Holds: []ID{x.ID, y.ID}})
	s.do(OrderHold{Holds: []ID{x.ID}})
}
