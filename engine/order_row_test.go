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

// This file owns the tests of which row a line is sold by, and of the terms that it keeps.

// tariff makes a pricing table with a row of so much a day, and what else is given.
func (s *shop) tariff(day int64, more ...commerce.CreatePricingRow) (table base.ID, rows []base.ID) {
	s.Helper()
	table = s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "Bikes"}}).(*commerce.PricingTable).ID
	for _, r := range append([]commerce.CreatePricingRow{
		{PricingRowFields: commerce.PricingRowFields{Label: "Day", Purchase: base.PurchaseBooking, Price: day},
			Duration: &commerce.Period{Amount: 1, Unit: timeline.Days}}}, more...) {
		r.Table = table
		rows = append(rows, s.do(r).(*commerce.PricingRow).ID)
	}
	return table, rows
}

func (s *shop) item(table base.ID) (base.Item, base.ID) {
	sku := s.sku()
	s.article(sku, 9)
	return base.Item{
			CatalogItem: s.do(commerce.CreateCatalogItem{CatalogFields: commerce.CatalogFields{Name: "Bike",
				Components: []commerce.Component{{Item: base.Item{SKU: sku}, Quantity: 1}}},
				CatalogOffer: commerce.CatalogOffer{PricingTable: &table}}).(*commerce.CatalogItem).ID},
		sku
}

// unpricedRental is a rental whose line says nothing of its price.
func (s *shop) unpricedRental(status order.OrderStatus, i base.Item, from, to int64, n int) order.CreateOrder {
	in := s.rental(status, i, from, to, n)
	in.Lines[0].UnitPrice = nil
	return in
}

func (s *shop) unitPrice(o *order.OrderRecord) int64 {
	p, ok := o.LinePrices()
	require.True(s.T, ok)
	return p[0].Unit
}

func TestALineKeepsTheTermsItWasSoldOn(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000)
	item, _ := s.item(table)
	in := s.unpricedRental(order.OrderOpen, item, s.now+day, s.now+3*day, 2)
	in.Lines[0].PricingRow = &rows[0]
	o := s.do(in).(*order.OrderRecord)
	require.EqualValues(t, 2000, s.unitPrice(o))
	patch := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID}
	longer := func(days int64) int64 {
		patch.Fields = base.Changed(order.OrderLineInput{To: new(s.now + (1+days)*day)})
		return s.unitPrice(s.do(patch).(*order.OrderRecord))
	}
	s.do(commerce.PatchPricingRow{Table: table, ID: rows[0],
		Fields: base.Changed(commerce.PricingRowFields{Price: 2000})})
	require.EqualValues(t, 3000, longer(3))

	// In use it is retired: the line goes on by it, no other is sold by it.
	s.do(commerce.DeletePricingRow{Table: table, ID: rows[0]})
	require.NotZero(t, commerce.PricingTableByID(s.view(), table).Row(rows[0]).RetiredAt)
	require.EqualValues(t, 4000, longer(4))
	require.EqualValues(t, 1000, longer(1), "also when it gets shorter")
	same := patch
	same.Fields = base.Changed(order.OrderLineInput{PricingRow: &rows[0], Quantity: 3})
	require.EqualValues(t, 1000, s.unitPrice(s.do(same).(*order.OrderRecord)), "the row that it has may be named")
	same.Fields = base.Changed(order.OrderLineInput{UnitPrice: new(int64(7))})
	require.EqualValues(t, 7, s.unitPrice(s.do(same).(*order.OrderRecord)))
	same.Fields = base.Changed(order.OrderLineInput{PricingRow: &rows[0]})
	require.EqualValues(t, 1000, s.unitPrice(s.do(same).(*order.OrderRecord)))
	s.refused(base.CodeInvalid, in)
	s.refused(base.CodeStateNotAllowed,
		commerce.PatchPricingRow{Table: table, ID: rows[0], Fields: base.Changed(commerce.PricingRowFields{Price: 1})})
	s.reopen()
	require.EqualValues(t, 2000, longer(2))

	// It goes when nothing is sold by it any more and another comes.
	s.do(order.CancelOrder{ID: o.ID})
	other := s.do(commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: "Week",
		Purchase: base.PurchaseBooking, Price: 5}}).(*commerce.PricingRow)
	require.Len(t, commerce.PricingTableByID(s.view(), table).Rows, 1)
	s.do(commerce.DeletePricingRow{Table: table, ID: other.ID})
	require.Empty(t, commerce.PricingTableByID(s.view(), table).Rows)
	s.reopen()
}

func TestAPriceOfItsOwnIsForItsDates(t *testing.T) {
	s := newShop(t)
	bike := base.Item{SKU: s.sku()}
	s.article(bike.SKU, 2)
	in := s.unpricedRental(order.OrderOpen, bike, s.now+day, s.now+2*day, 1)
	in.Lines[0].UnitPrice = ptr[int64](700)
	o := s.do(in).(*order.OrderRecord)
	patch := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{To: new(s.now + 3*day)})}
	require.Equal(t, []string{"/unitPrice"}, pointers(s.refused(base.CodeInvalid, patch)))
	patch.Fields = base.Changed(order.OrderLineInput{To: patch.Fields.To.To, UnitPrice: new(int64(900))})
	require.EqualValues(t, 900, s.unitPrice(s.do(patch).(*order.OrderRecord)))
	s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{Note: new("x")})})
	s.reopen()
}

func TestARowOfAnotherTableIsRefused(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000)
	_, others := s.tariff(1)
	item, sku := s.item(table)
	in := s.unpricedRental(order.OrderOpen, item, s.now+day, s.now+2*day, 1)
	in.Lines[0].PricingRow = &others[0]
	require.Equal(t, []string{"/lineItems/0/pricingRowId"}, pointers(s.refused(base.CodeInvalid, in)))
	in.Lines[0].PricingRow = &rows[0]
	o := s.do(in).(*order.OrderRecord)
	require.Equal(t, []string{"/pricingRowId"},
		pointers(s.refused(base.CodeInvalid,
			order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
				Fields: base.Changed(order.OrderLineInput{PricingRow: new(others[0])})})))
	in.Lines[0].Item, in.Lines[0].PricingRow = base.Item{SKU: sku}, &others[0]
	s.do(in) // what has no table of its own
}

func TestAnItemWithATableIsNeverSoldForNothingByOmission(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000,
		commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Week",
			Purchase: base.PurchaseBooking, Price: 3500}, Duration: &commerce.Period{Amount: 1, Unit: timeline.Weeks}},
		commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Same as a day",
			Purchase: base.PurchaseBooking, Price: 1000}, Duration: &commerce.Period{Amount: 24, Unit: timeline.Hours}},
		commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Monthly",
			Purchase: base.PurchaseSubscription, Price: 900}, Subscription: monthly})
	item, sku := s.item(table)
	sold := func(status order.OrderStatus, days int64) order.OrderLine {
		return s.do(s.unpricedRental(status, item, s.now+day, s.now+(1+days)*day, 1)).(*order.OrderRecord).Lines[0]
	}
	for _, status := range []order.OrderStatus{order.OrderDraft, order.OrderOpen} {
		two, five := sold(status, 2), sold(status, 5)
		require.Equal(t, [2]any{rows[0], int64(2000)}, [2]any{two.PricingRow, two.UnitPrice},
			"the first of those that ask the same")
		require.Equal(t, [2]any{rows[1], int64(3500)}, [2]any{five.PricingRow, five.UnitPrice})
		require.True(t, five.Priced())
	}
	sale := s.unpricedRental(order.OrderDraft, item, s.now, s.now+day, 1)
	sale.Lines[0].Purchase, sale.Lines[0].To = base.PurchaseSale, nil
	require.Equal(t, []string{"/lineItems/0/pricingRowId"}, pointers(s.refused(base.CodeInvalid, sale)))
	_, err := order.QuoteOrder(s.view(), sale, s.now)
	require.Equal(t, []string{"/lineItems/0/pricingRowId"}, pointers(err.(*base.Error)))
	draft := s.do(s.unpricedRental(order.OrderDraft, base.Item{SKU: sku}, s.now, s.now+day, 1)).(*order.OrderRecord)
	second := order.AddOrderLines{Order: draft.ID,
		Lines: append(s.unpricedRental(order.OrderDraft, base.Item{SKU: sku}, s.now, s.now+day, 1).Lines,
			sale.Lines[0])}
	require.Equal(t, []string{"/lineItems/1/pricingRowId"}, pointers(s.refused(base.CodeInvalid, second)))
	sale.Lines[0].UnitPrice = ptr[int64](0)
	s.do(sale)
	monthly := s.unpricedRental(order.OrderDraft, item, s.now, s.now+300*day, 1)
	monthly.Lines[0].Purchase = base.PurchaseSubscription
	line := s.do(monthly).(*order.OrderRecord).Lines[0]
	require.Equal(t, rows[3], line.PricingRow)
	require.Equal(t, "Monthly", line.Subscription.Label)
	s.do(commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: "Other",
		Purchase: base.PurchaseSubscription, Price: 1}, Subscription: &commerce.SubscriptionTerms{
		Cycle: commerce.Period{Amount: 1, Unit: timeline.Years}, RenewalType: "x", InitialCharge: "x"}})
	s.refused(base.CodeInvalid, monthly)

	// What has no table costs nothing and says so.
	free := s.do(s.unpricedRental(order.OrderDraft, base.Item{SKU: sku}, s.now, s.now+day, 1)).(*order.OrderRecord)
	require.False(t, free.Lines[0].Priced())

	// Neither is a cart, and a price that is taken away is not nothing.
	h := s.book(item, s.now+day, s.now+3*day, 1)
	o := s.do(order.OrderHold{Holds: []base.ID{h.ID}}).(*order.OrderRecord)
	require.EqualValues(t, 2000, s.unitPrice(o))
	require.EqualValues(t, 2000,
		s.unitPrice(s.do(order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
			Fields: base.Changed(order.OrderLineInput{}, "pricingRowId")}).(*order.OrderRecord)))
	s.reopen()
}

// A booking by a table that combines rows costs what the best combination asks, of the rows as they were when it was
// sold; other dates combine those anew.
func TestATableCombinesItsRows(t *testing.T) {
	s := newShop(t)
	week := &commerce.Period{Amount: 1, Unit: timeline.Weeks}
	table, rows := s.tariff(1000,
		commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Week",
			Purchase: base.PurchaseBooking, Price: 3500}, Duration: week},
		commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Whole",
			Purchase: base.PurchaseBooking, Price: 20_000}},
		commerce.CreatePricingRow{
			PricingRowFields: commerce.PricingRowFields{Label: "Buy", Purchase: base.PurchaseSale, Price: 1}})
	item, _ := s.item(table)
	create := s.unpricedRental(order.OrderOpen, item, s.now+day, s.now+9*day, 2)
	before := s.do(create).(*order.OrderRecord)
	require.EqualValues(t, 7000, s.unitPrice(before))
	require.True(t, s.do(commerce.PatchPricingTable{ID: table,
		Fields: base.Changed(commerce.PricingTableFields{Combine: true})}).(*commerce.PricingTable).Combine)

	o := s.do(create).(*order.OrderRecord)
	require.EqualValues(t, 4500, s.unitPrice(o))
	l := &o.Lines[0]
	require.Equal(t, []any{base.ID{}, true}, []any{l.PricingRow, l.Priced()})
	require.Equal(t, &commerce.Combination{
		Rows: []commerce.RowUnits{{Row: rows[1], Units: 1}, {Row: rows[0], Units: 1}}, Total: 4500}, l.Combination())
	q, err := order.QuoteOrder(s.view(), create, s.now)
	require.NoError(t, err)
	require.EqualValues(t, 4500, q.Order.Lines[0].UnitPrice)
	require.Equal(t, []*commerce.Combination{nil}, q.Combinations, "the line is sold by it")

	// Its terms are those of the sale, though one row has another price by now and the other is gone from the table.
	s.do(commerce.PatchPricingRow{Table: table, ID: rows[0],
		Fields: base.Changed(commerce.PricingRowFields{Price: int64(9999)})})
	s.do(commerce.DeletePricingRow{Table: table, ID: rows[1]})
	require.NotZero(t, commerce.PricingTableByID(s.view(), table).Row(rows[1]).RetiredAt, "a line is sold by it")
	to := func(n int64) order.PatchOrderLine {
		return order.PatchOrderLine{Order: o.ID, ID: l.ID,
			Fields: base.Changed(order.OrderLineInput{To: new(s.now + day + n*day)})}
	}
	for days, want := range map[int64]int64{1: 1000, 3: 3000, 7: 3500, 10: 6500, 11: 7000, 15: 8000, 60: 20_000} {
		require.EqualValues(t, want, s.unitPrice(s.do(to(days)).(*order.OrderRecord)), "%d days", days)
	}
	s.reopen()
	endless := s.do(order.PatchOrderLine{Order: o.ID, ID: l.ID,
		Fields: base.Changed(order.OrderLineInput{}, "endDate")}).(*order.OrderRecord)
	require.EqualValues(t, 1000, s.unitPrice(endless), "the least of them, once, until it has an end")
	require.EqualValues(t, 4500, s.unitPrice(s.do(to(8)).(*order.OrderRecord)))

	// A row that is named sells it alone, and so does a price; taken away, it is sold as a new line is.
	named := to(8)
	named.Fields = base.Changed(order.OrderLineInput{To: named.Fields.To.To, PricingRow: &rows[0]})
	o = s.do(named).(*order.OrderRecord)
	require.EqualValues(t, 8*9999, s.unitPrice(o))
	require.Nil(t, o.Lines[0].Combination())
	o = s.do(order.PatchOrderLine{Order: o.ID, ID: l.ID,
		Fields: base.Changed(order.OrderLineInput{}, "pricingRowId")}).(*order.OrderRecord)
	require.EqualValues(t, 20_000, s.unitPrice(o))
	s.do(commerce.PatchPricingTable{ID: table, Fields: base.Changed(commerce.PricingTableFields{}, "combineRows")})
	require.EqualValues(t, 9999, s.unitPrice(s.do(to(1)).(*order.OrderRecord)), "the line keeps how it was sold")
	o = s.do(order.PatchOrderLine{Order: o.ID, ID: l.ID,
		Fields: base.Changed(order.OrderLineInput{UnitPrice: new(int64(5))})}).(*order.OrderRecord)
	require.Nil(t, o.Lines[0].Combination())
	require.EqualValues(t, 5, s.unitPrice(o))

	sale := s.do(order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderDraft, Pickup: s.loc},
		Lines: []order.OrderLineInput{{Item: item, Purchase: base.PurchaseSale, Quantity: 1}}}).(*order.OrderRecord)
	require.EqualValues(t, 1, s.unitPrice(sale))
	require.Equal(t, rows[3], sale.Lines[0].PricingRow)
	s.reopen()
}

// The rows of a usual table are combined for every line of a large order, in the order as in its quote: few places have
// to be looked at for one, and lines that are alike are priced once.
func TestManyLinesAreCombined(t *testing.T) {
	s := newShop(t)
	table, _ := s.tariff(2500, usualRows...)
	s.do(commerce.PatchPricingTable{ID: table, Fields: base.Changed(commerce.PricingTableFields{Combine: true})})
	item, _ := s.item(table)
	create := s.unpricedRental(order.OrderDraft, item, s.now+day, s.now+90*day, 1)
	one := create.Lines[0]
	create.Lines = slices.Repeat([]order.OrderLineInput{one}, base.MaxLines)
	for i := range create.Lines {
		create.Lines[i].To = new(s.now + 92*day + int64(i%200)*24*hour)
	}
	q, err := order.QuoteOrder(s.view(), create, s.now)
	require.NoError(t, err)
	o := s.do(create).(*order.OrderRecord)
	for i := range o.Lines {
		require.Equal(t, q.Order.Lines[i].UnitPrice, o.Lines[i].UnitPrice, i)
	}
	require.EqualValues(t, 3*33000, o.Lines[0].UnitPrice)
	require.EqualValues(t, 3*33000+2500, o.Lines[2].UnitPrice)
	require.EqualValues(t, 3*33000+11000+2500, o.Lines[9].UnitPrice)
}

// usualRows have a longer time ask less for it.
var usualRows = func() (list []commerce.CreatePricingRow) {
	for _, x := range [...]struct {
		n, price int64
		u        timeline.Unit
	}{{1, 500, timeline.Hours}, {4, 1500, timeline.Hours}, {3, 6000, timeline.Days}, {1, 11000, timeline.Weeks},
		{2, 19000, timeline.Weeks}, {1, 33000, timeline.Months}} {
		list = append(list, commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Row",
			Purchase: base.PurchaseBooking, Price: x.price}, Duration: &commerce.Period{Amount: x.n, Unit: x.u}})
	}
	return list
}()

// What one command looks at for prices is bounded, however many lines it has, as nobody else's command is done
// meanwhile. A line for which no more may be looked at is sold by the one row that asks least.
func TestCombinationsOfOneCommandAreBounded(t *testing.T) {
	s := newShop(t)
	table, _ := s.tariff(2401, hardRows...)
	s.do(commerce.PatchPricingTable{ID: table, Fields: base.Changed(commerce.PricingTableFields{Combine: true})})
	item, _ := s.item(table)
	create := s.unpricedRental(order.OrderDraft, item, s.now+day, s.now+10*day+hour/2, 1)
	one := create.Lines[0]
	create.Lines = slices.Repeat([]order.OrderLineInput{one}, 200)
	for i := range create.Lines {
		create.Lines[i].To = new(*one.To + int64(i)*hour)
	}
	q, err := order.QuoteOrder(s.view(), create, s.now)
	require.NoError(t, err)
	o := s.do(create).(*order.OrderRecord)
	mixed := func(lines []order.OrderLine) (n int) {
		for i := range lines {
			if len(lines[i].Combination().Rows) > 1 {
				n++
			}
		}
		return n
	}
	for i := range o.Lines {
		require.Equal(t, q.Order.Lines[i].UnitPrice, o.Lines[i].UnitPrice, i)
	}
	require.NotZero(t, mixed(o.Lines[:100]))
	require.Zero(t, mixed(o.Lines[100:]))

	// one row each
	s.do(commerce.PatchPricingTable{ID: table, Fields: base.Changed(commerce.PricingTableFields{}, "combineRows")})
	q, err = order.QuoteOrder(s.view(), create, s.now)
	require.NoError(t, err)
	offers := func(c *commerce.Combination) bool { return c != nil }
	require.True(t, slices.ContainsFunc(q.Combinations[:100], offers))
	require.False(t, slices.ContainsFunc(q.Combinations[100:], offers), "no more are looked for")
}

// hardRows ask the same for their time, and few of their sums reach an end.
var hardRows = func() (list []commerce.CreatePricingRow) {
	for _, x := range [...]struct{ hours, price int64 }{{5, 500}, {7, 700}, {11, 1100}} {
		list = append(list, commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Row",
			Purchase: base.PurchaseBooking, Price: x.price},
			Duration: &commerce.Period{Amount: x.hours, Unit: timeline.Hours}})
	}
	return list
}()

// Every line whose row is missing is named, beside what is wrong with others, in the order as in its quote.
func TestEachLineThatLacksARowIsNamed(t *testing.T) {
	s := newShop(t)
	table := s.do(commerce.CreatePricingTable{
		PricingTableFields: commerce.PricingTableFields{Name: "For sale"}}).(*commerce.PricingTable).ID
	sale := s.do(commerce.CreatePricingRow{Table: table, PricingRowFields: commerce.PricingRowFields{Label: "Buy",
		Purchase: base.PurchaseSale, Price: 1}}).(*commerce.PricingRow).ID
	item, _ := s.item(table)
	create := s.unpricedRental(order.OrderDraft, item, s.now+day, s.now+2*day, 1)
	create.Lines = slices.Repeat(create.Lines, 3)
	create.Lines[1].PricingRow = &sale
	draft := s.do(order.CreateOrder{OrderInput: create.OrderInput}).(*order.OrderRecord)
	for _, op := range []base.Op{create, order.AddOrderLines{Order: draft.ID, Lines: create.Lines}} {
		var faults []string
		for _, f := range s.view().Check(op) {
			faults = append(faults, f.Pointer+" "+f.Code)
		}
		require.Equal(t, []string{"/lineItems/0/pricingRowId required", "/lineItems/1/pricingRowId purchase",
			"/lineItems/2/pricingRowId required"}, faults)
	}
}

// A price that is given is of no row; taken away, the line is sold by the row that it had.
func TestAGivenPriceIsOfNoRow(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000)
	item, _ := s.item(table)
	o := s.do(s.unpricedRental(order.OrderOpen, item, s.now+day, s.now+3*day, 1)).(*order.OrderRecord)
	require.Equal(t, rows[0], o.Lines[0].PricedBy())
	patch := order.PatchOrderLine{Order: o.ID, ID: o.Lines[0].ID,
		Fields: base.Changed(order.OrderLineInput{UnitPrice: new(int64(7))})}
	o = s.do(patch).(*order.OrderRecord)
	require.Equal(t, []any{base.ID{}, int64(7)}, []any{o.Lines[0].PricedBy(), o.Lines[0].UnitPrice})
	patch.Fields = base.Changed(order.OrderLineInput{}, "unitPrice")
	o = s.do(patch).(*order.OrderRecord)
	require.Equal(t, []any{rows[0], int64(2000)}, []any{o.Lines[0].PricedBy(), o.Lines[0].UnitPrice})
}

// Rows of which each alone would cost too much may be combined to a price that does not.
func TestRowsAreCombinedWhereEachAloneIsTooDear(t *testing.T) {
	s := newShop(t)
	table, _ := s.tariff(2e15, commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Week",
		Purchase: base.PurchaseBooking, Price: 5e15}, Duration: &commerce.Period{Amount: 1, Unit: timeline.Weeks}})
	item, _ := s.item(table)
	create := s.unpricedRental(order.OrderOpen, item, s.now+day, s.now+9*day, 1)
	s.refused(base.CodeInvalid, create)
	s.do(commerce.PatchPricingTable{ID: table, Fields: base.Changed(commerce.PricingTableFields{Combine: true})})
	require.EqualValues(t, 7e15, s.unitPrice(s.do(create).(*order.OrderRecord)))
	create.Lines[0].To = new(s.now + 15*day)
	s.refused(base.CodeInvalid, create)
}
