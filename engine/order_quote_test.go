package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/timeline"
)

// This file owns the tests of quotes and of combinations of rows.

func TestAQuoteIsWhatTheOrderCosts(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000,
		commerce.CreatePricingRow{PricingRowFields: commerce.PricingRowFields{Label: "Week",
			Purchase: base.PurchaseBooking, Price: 3500}, Duration: &commerce.Period{Amount: 1, Unit: timeline.Weeks}})
	item, _ := s.item(table)
	s.do(commerce.CreateDiscountCode{
		DiscountTerms: commerce.DiscountTerms{Code: "TEN", ValueType: commerce.DiscountPercentage, Value: 10}})
	before := s.view().Sequence()
	in := s.unpricedRental(order.OrderDraft, item, s.now+day, s.now+9*day, 2)
	in.Discounts = []string{"ten"}
	q, err := order.QuoteOrder(s.view(), in, s.now)
	require.NoError(t, err)
	quoted, _ := q.Order.Price()
	require.Equal(t, commerce.OrderPrice{Subtotal: 14000, Discount: 1400, Total: 12600}, quoted)
	require.Equal(t, []*commerce.Combination{
		{Rows: []commerce.RowUnits{{Row: rows[1], Units: 1}, {Row: rows[0], Units: 1}}, Total: 4500}}, q.Combinations)
	require.Equal(t, before, s.view().Sequence())
	require.Zero(t, commerce.DiscountCodeByID(s.view(), q.Order.Codes[0].ID).Used)
	require.Zero(t, order.Orders(s.view()).Len())
	made, _ := s.do(in).(*order.OrderRecord).Price()
	require.Equal(t, made, quoted)

	// No combination asks less than two days, or has no end; what cannot be ordered cannot be quoted.
	for _, to := range []int64{s.now + 3*day, base.Forever} {
		in.Lines[0].To = &to
		q, err = order.QuoteOrder(s.view(), in, s.now)
		require.NoError(t, err)
		require.Equal(t, []*commerce.Combination{nil}, q.Combinations)
	}
	in.Discounts = []string{"none"}
	_, err = order.QuoteOrder(s.view(), in, s.now)
	require.Equal(t, base.CodeDiscountNotFound, err.(*base.Error).Code)
	in.Lines[0].Purchase = base.PurchaseSale
	_, err = order.QuoteOrder(s.view(), in, s.now)
	require.Equal(t, base.CodeInvalid, err.(*base.Error).Code)
}

// What nothing is taken for, as the item has no components, cannot be ordered, and so not be quoted.
func TestWhatHasNoComponentsIsNotQuoted(t *testing.T) {
	s := newShop(t)
	empty := s.do(commerce.CreateCatalogItem{
		CatalogFields: commerce.CatalogFields{Name: "Nothing"}}).(*commerce.CatalogItem).ID
	in := s.rental(order.OrderDraft, base.Item{CatalogItem: empty}, s.now+day, s.now+2*day, 1)
	_, want := s.try(in)
	require.Equal(t, base.CodeStateNotAllowed, want.(*base.Error).Code)
	_, err := order.QuoteOrder(s.view(), in, s.now)
	require.Equal(t, want, err)
}

// There is a bound to the places that are looked at.
func TestTooManyCombinationsAreNotLookedAt(t *testing.T) {
	var rows []*commerce.PricingRow
	for _, x := range [...]struct{ price, minutes int64 }{{2, 7}, {1, 5}, {1, 3}} {
		rows = append(rows, &commerce.PricingRow{
			PricingRowFields: commerce.PricingRowFields{Price: x.price},
			Duration:         &commerce.Period{Amount: x.minutes, Unit: timeline.Minutes},
		})
	}
	z, err := timeline.LoadZone("UTC")
	require.NoError(t, err)
	require.NotNil(t, commerce.Combine(rows, base.Span{Start: 0, End: hour}, z, new(commerce.Looked)))
	require.Nil(t, commerce.Combine(rows, base.Span{Start: 0, End: 3000 * day}, z, new(commerce.Looked)))
}

// BenchmarkCombine says what one of the looks takes that are counted.
func BenchmarkCombine(b *testing.B) {
	z, err := timeline.LoadZone("Europe/Lisbon")
	require.NoError(b, err)
	every := func(n byte, price int64, u timeline.Unit) *commerce.PricingRow {
		return &commerce.PricingRow{ID: base.ID{n}, PricingRowFields: commerce.PricingRowFields{Price: price},
			Duration: &commerce.Period{Amount: 1, Unit: u}}
	}
	rows := []*commerce.PricingRow{every(1, 3500, timeline.Weeks), every(2, 1000, timeline.Days),
		every(3, 90, timeline.Hours)}
	looks := 0
	for b.Loop() {
		l := new(commerce.Looked)
		commerce.Combine(rows, base.Span{Start: noon, End: noon + 200*day + hour}, z, l)
		looks += l.N
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(looks), "ns/look")
}
