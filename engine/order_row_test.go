package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the tests of which row a line is sold by, and of the terms that it keeps.

// tariff makes a pricing table with a row of so much a day, and what else is given.
func (s *shop) tariff(day int64, more ...CreatePricingRow) (table ID, rows []ID) {
	s.Helper()
	table = s.do(CreatePricingTable{Name: "Bikes"}).(*PricingTable).ID
	for _, r := range append([]CreatePricingRow{{Label: "Day", Purchase: PurchaseBooking, Price: day, Duration: &Period{Amount: 1, Unit: timeline.Days}}}, more...) {
		r.Table = table
		rows = append(rows, s.do(r).(*PricingRow).ID)
	}
	return table, rows
}

func (s *shop) item(table ID) (Item, ID) {
	sku := s.sku()
	s.article(sku, 9)
	return Item{CatalogItem: s.do(CreateCatalogItem{Name: "Bike", PricingTable: &table, Components: []Component{{Item: Item{SKU: sku}, Quantity: 1}}}).(*CatalogItem).ID}, sku
}

// unpricedRental is a rental whose line says nothing of its price.
func (s *shop) unpricedRental(status OrderStatus, i Item, from, to int64, n int) CreateOrder {
	in := s.rental(status, i, from, to, n)
	in.Lines[0].UnitPrice = nil
	return in
}

func (s *shop) unitPrice(o *OrderRecord) int64 {
	p, ok := o.LinePrices()
	require.True(s.T, ok)
	return p[0].Unit
}

func TestALineKeepsTheTermsItWasSoldOn(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000)
	item, _ := s.item(table)
	in := s.unpricedRental(OrderOpen, item, s.now+day, s.now+3*day, 2)
	in.Lines[0].PricingRow = &rows[0]
	o := s.do(in).(*OrderRecord)
	require.EqualValues(t, 2000, s.unitPrice(o))
	patch := PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID}
	longer := func(days int64) int64 {
		patch.To = Some(s.now + (1+days)*day)
		return s.unitPrice(s.do(patch).(*OrderRecord))
	}
	s.do(PatchPricingRow{Table: table, ID: rows[0], Price: Some[int64](2000)})
	require.EqualValues(t, 3000, longer(3))

	// In use it is retired: the line goes on by it, no other is sold by it.
	s.do(DeletePricingRow{Table: table, ID: rows[0]})
	require.NotZero(t, s.view().PricingTable(table).Row(rows[0]).RetiredAt)
	require.EqualValues(t, 4000, longer(4))
	require.EqualValues(t, 1000, longer(1), "also when it gets shorter")
	s.refused(CodeInvalid, in)
	s.refused(CodeStateNotAllowed, PatchPricingRow{Table: table, ID: rows[0], Price: Some[int64](1)})
	s.reopen()
	require.EqualValues(t, 2000, longer(2))

	// It goes when nothing is sold by it any more and another comes.
	s.do(CancelOrder{ID: o.ID})
	other := s.do(CreatePricingRow{Table: table, Label: "Week", Purchase: PurchaseBooking, Price: 5}).(*PricingRow)
	require.Len(t, s.view().PricingTable(table).Rows, 1)
	s.do(DeletePricingRow{Table: table, ID: other.ID})
	require.Empty(t, s.view().PricingTable(table).Rows)
	s.reopen()
}

func TestAPriceOfItsOwnIsForItsDates(t *testing.T) {
	s := newShop(t)
	bike := Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	in := s.unpricedRental(OrderOpen, bike, s.now+day, s.now+2*day, 1)
	in.Lines[0].UnitPrice = ptr[int64](700)
	o := s.do(in).(*OrderRecord)
	patch := PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, To: Some(s.now + 3*day)}
	require.Equal(t, []string{"/unitPrice"}, pointers(s.refused(CodeInvalid, patch)))
	patch.UnitPrice = Some[int64](900)
	require.EqualValues(t, 900, s.unitPrice(s.do(patch).(*OrderRecord)))
	s.do(PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, Note: Some("x")})
	s.reopen()
}

func TestARowOfAnotherTableIsRefused(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000)
	_, others := s.tariff(1)
	item, sku := s.item(table)
	in := s.unpricedRental(OrderOpen, item, s.now+day, s.now+2*day, 1)
	in.Lines[0].PricingRow = &others[0]
	require.Equal(t, []string{"/lineItems/0/pricingRowId"}, pointers(s.refused(CodeInvalid, in)))
	in.Lines[0].PricingRow = &rows[0]
	o := s.do(in).(*OrderRecord)
	require.Equal(t, []string{"/pricingRowId"}, pointers(s.refused(CodeInvalid, PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, PricingRow: Some(others[0])})))
	in.Lines[0].Item, in.Lines[0].PricingRow = Item{SKU: sku}, &others[0]
	s.do(in) // what has no table of its own
}

func TestAnItemWithATableIsNeverSoldForNothingByOmission(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000,
		CreatePricingRow{Label: "Week", Purchase: PurchaseBooking, Price: 3500, Duration: &Period{Amount: 1, Unit: timeline.Weeks}},
		CreatePricingRow{Label: "Same as a day", Purchase: PurchaseBooking, Price: 1000, Duration: &Period{Amount: 24, Unit: timeline.Hours}},
		CreatePricingRow{Label: "Monthly", Purchase: PurchaseSubscription, Price: 900, Subscription: monthly})
	item, sku := s.item(table)
	sold := func(status OrderStatus, days int64) OrderLine {
		return s.do(s.unpricedRental(status, item, s.now+day, s.now+(1+days)*day, 1)).(*OrderRecord).Lines[0]
	}
	for _, status := range []OrderStatus{OrderDraft, OrderOpen} {
		two, five := sold(status, 2), sold(status, 5)
		require.Equal(t, [2]any{rows[0], int64(2000)}, [2]any{two.PricingRow, two.UnitPrice}, "the first of those that ask the same")
		require.Equal(t, [2]any{rows[1], int64(3500)}, [2]any{five.PricingRow, five.UnitPrice})
		require.True(t, five.Priced())
	}
	sale := s.unpricedRental(OrderDraft, item, s.now, s.now+day, 1)
	sale.Lines[0].Purchase, sale.Lines[0].To = PurchaseSale, nil
	require.Equal(t, []string{"/lineItems/0/pricingRowId"}, pointers(s.refused(CodeInvalid, sale)))
	_, err := s.view().Quote(sale, s.now)
	require.Equal(t, []string{"/lineItems/0/pricingRowId"}, pointers(err.(*Error)))
	draft := s.do(s.unpricedRental(OrderDraft, Item{SKU: sku}, s.now, s.now+day, 1)).(*OrderRecord)
	second := AddOrderLines{Order: draft.ID, Lines: append(s.unpricedRental(OrderDraft, Item{SKU: sku}, s.now, s.now+day, 1).Lines, sale.Lines[0])}
	require.Equal(t, []string{"/lineItems/1/pricingRowId"}, pointers(s.refused(CodeInvalid, second)))
	sale.Lines[0].UnitPrice = ptr[int64](0)
	s.do(sale)
	monthly := s.unpricedRental(OrderDraft, item, s.now, s.now+300*day, 1)
	monthly.Lines[0].Purchase = PurchaseSubscription
	line := s.do(monthly).(*OrderRecord).Lines[0]
	require.Equal(t, rows[3], line.PricingRow)
	require.Equal(t, "Monthly", line.Subscription.Label)
	s.do(CreatePricingRow{Table: table, Label: "Other", Purchase: PurchaseSubscription, Price: 1, Subscription: &SubscriptionTerms{Cycle: Period{Amount: 1, Unit: timeline.Years}, RenewalType: "x", InitialCharge: "x"}})
	s.refused(CodeInvalid, monthly)

	// What has no table costs nothing and says so.
	free := s.do(s.unpricedRental(OrderDraft, Item{SKU: sku}, s.now, s.now+day, 1)).(*OrderRecord)
	require.False(t, free.Lines[0].Priced())

	// Neither is a cart, and a price that is taken away is not nothing.
	h := s.book(item, s.now+day, s.now+3*day, 1)
	o := s.do(OrderHold{Holds: []ID{h.ID}}).(*OrderRecord)
	require.EqualValues(t, 2000, s.unitPrice(o))
	require.EqualValues(t, 2000, s.unitPrice(s.do(PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID, PricingRow: Null[ID]()}).(*OrderRecord)))
	s.reopen()
}

// A booking by a table that combines rows costs what the best combination asks, of the rows as they were when it was sold; other dates
// combine those anew.
func TestATableCombinesItsRows(t *testing.T) {
	s := newShop(t)
	week := &Period{Amount: 1, Unit: timeline.Weeks}
	table, rows := s.tariff(1000, CreatePricingRow{Label: "Week", Purchase: PurchaseBooking, Price: 3500, Duration: week},
		CreatePricingRow{Label: "Whole", Purchase: PurchaseBooking, Price: 20_000}, CreatePricingRow{Label: "Buy", Purchase: PurchaseSale, Price: 1})
	item, _ := s.item(table)
	create := s.unpricedRental(OrderOpen, item, s.now+day, s.now+9*day, 2)
	before := s.do(create).(*OrderRecord)
	require.EqualValues(t, 7000, s.unitPrice(before))
	require.True(t, s.do(PatchPricingTable{ID: table, Combine: Some(true)}).(*PricingTable).Combine)

	o := s.do(create).(*OrderRecord)
	require.EqualValues(t, 4500, s.unitPrice(o))
	l := &o.Lines[0]
	require.Equal(t, []any{ID{}, true}, []any{l.PricingRow, l.Priced()})
	require.Equal(t, &Combination{Rows: []RowUnits{{rows[1], 1}, {rows[0], 1}}, Total: 4500}, l.Combination())
	q, err := s.view().Quote(create, s.now)
	require.NoError(t, err)
	require.EqualValues(t, 4500, q.Order.Lines[0].UnitPrice)
	require.Equal(t, []*Combination{nil}, q.Combinations, "the line is sold by it")

	// Its terms are those of the sale, though one row has another price by now and the other is gone from the table.
	s.do(PatchPricingRow{Table: table, ID: rows[0], Price: Some(int64(9999))})
	s.do(DeletePricingRow{Table: table, ID: rows[1]})
	require.NotZero(t, s.view().PricingTable(table).Row(rows[1]).RetiredAt, "a line is sold by it")
	to := func(n int64) PatchOrderLine {
		return PatchOrderLine{Order: o.ID, ID: l.ID, To: Some(s.now + day + n*day)}
	}
	for days, want := range map[int64]int64{1: 1000, 3: 3000, 7: 3500, 10: 6500, 11: 7000, 15: 8000, 60: 20_000} {
		require.EqualValues(t, want, s.unitPrice(s.do(to(days)).(*OrderRecord)), "%d days", days)
	}
	s.reopen()
	endless := s.do(PatchOrderLine{Order: o.ID, ID: l.ID, To: Null[int64]()}).(*OrderRecord)
	require.EqualValues(t, 1000, s.unitPrice(endless), "the least of them, once, until it has an end")
	require.EqualValues(t, 4500, s.unitPrice(s.do(to(8)).(*OrderRecord)))

	// A row that is named sells it alone, and so does a price; taken away, it is sold as a new line is.
	named := to(8)
	named.PricingRow = Some(rows[0])
	o = s.do(named).(*OrderRecord)
	require.EqualValues(t, 8*9999, s.unitPrice(o))
	require.Nil(t, o.Lines[0].Combination())
	o = s.do(PatchOrderLine{Order: o.ID, ID: l.ID, PricingRow: Null[ID]()}).(*OrderRecord)
	require.EqualValues(t, 20_000, s.unitPrice(o))
	s.do(PatchPricingTable{ID: table, Combine: Some(false)})
	require.EqualValues(t, 9999, s.unitPrice(s.do(to(1)).(*OrderRecord)), "the line keeps how it was sold")
	o = s.do(PatchOrderLine{Order: o.ID, ID: l.ID, UnitPrice: Some(int64(5))}).(*OrderRecord)
	require.Nil(t, o.Lines[0].Combination())
	require.EqualValues(t, 5, s.unitPrice(o))

	sale := s.do(CreateOrder{OrderInput: OrderInput{Status: OrderDraft, Pickup: s.loc}, Lines: []OrderLineInput{{Item: item, Purchase: PurchaseSale, Quantity: 1}}}).(*OrderRecord)
	require.EqualValues(t, 1, s.unitPrice(sale))
	require.Equal(t, rows[3], sale.Lines[0].PricingRow)
	s.reopen()
}

// What one command looks at for prices is bounded, however many lines it has, as nobody else's command is done meanwhile.
func TestCombinationsOfOneCommandAreBounded(t *testing.T) {
	s := newShop(t)
	table, _ := s.tariff(1000, CreatePricingRow{Label: "Week", Purchase: PurchaseBooking, Price: 3500, Duration: &Period{Amount: 1, Unit: timeline.Weeks}},
		CreatePricingRow{Label: "Hour", Purchase: PurchaseBooking, Price: 90, Duration: &Period{Amount: 1, Unit: timeline.Hours}})
	s.do(PatchPricingTable{ID: table, Combine: Some(true)})
	item, _ := s.item(table)
	create := s.unpricedRental(OrderDraft, item, s.now+day, s.now+200*day+hour, 1)
	one := create.Lines[0]
	o := s.do(create).(*OrderRecord)
	require.Len(t, o.Lines[0].Combination().Rows, 3)
	many := 1
	for ; many < maxLines; many *= 2 {
		create.Lines = slices.Repeat([]OrderLineInput{one}, many)
		res, err := s.try(create)
		if err != nil {
			require.Equal(t, "length", err.(*Error).Faults[0].Code)
			break
		}
		require.Len(t, res.(*OrderRecord).Lines[many-1].Combination().Rows, 3)
	}
	require.Greater(t, many, 8)
	require.Less(t, many, maxLines)
	_, err := s.view().Quote(create, s.now)
	require.Equal(t, "length", err.(*Error).Faults[0].Code)
	s.do(PatchPricingTable{ID: table, Combine: Some(false)}) // one row each
	o = s.do(create).(*OrderRecord)
	require.Len(t, o.Lines, many)
	q, err := s.view().Quote(create, s.now)
	require.NoError(t, err)
	require.NotNil(t, q.Combinations[0])
	require.Nil(t, q.Combinations[many-1], "no more are looked for")
}
