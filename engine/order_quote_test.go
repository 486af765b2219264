package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the tests of quotes and of combinations of rows.

func TestAQuoteIsWhatTheOrderCosts(t *testing.T) {
	s := newShop(t)
	table, rows := s.tariff(1000, CreatePricingRow{Label: "Week", Purchase: PurchaseBooking, Price: 3500, Duration: &Period{Amount: 1, Unit: timeline.Weeks}})
	item, _ := s.item(table)
	s.do(CreateDiscountCode{DiscountTerms: DiscountTerms{Code: "TEN", ValueType: DiscountPercentage, Value: 10}})
	before := s.view().Sequence()
	in := s.unpricedRental(OrderDraft, item, s.now+day, s.now+9*day, 2)
	in.Discounts = []string{"ten"}
	q, err := s.view().Quote(in, s.now)
	require.NoError(t, err)
	quoted, _ := q.Order.Price()
	require.Equal(t, OrderPrice{Subtotal: 14000, Discount: 1400, Total: 12600}, quoted)
	require.Equal(t, []*Combination{{Rows: []RowUnits{{rows[1], 1}, {rows[0], 1}}, Total: 4500}}, q.Combinations)
	require.Equal(t, before, s.view().Sequence())
	require.Zero(t, s.view().DiscountCode(q.Order.Codes[0].ID).Used)
	require.Zero(t, s.view().Orders().Len())
	made, _ := s.do(in).(*OrderRecord).Price()
	require.Equal(t, made, quoted)

	// No combination asks less than two days, or has no end; what cannot be ordered cannot be quoted.
	for _, to := range []int64{s.now + 3*day, Forever} {
		in.Lines[0].To = &to
		q, err = s.view().Quote(in, s.now)
		require.NoError(t, err)
		require.Equal(t, []*Combination{nil}, q.Combinations)
	}
	in.Discounts = []string{"none"}
	_, err = s.view().Quote(in, s.now)
	require.Equal(t, CodeDiscountNotFound, err.(*Error).Code)
	in.Lines[0].Purchase = PurchaseSale
	_, err = s.view().Quote(in, s.now)
	require.Equal(t, CodeInvalid, err.(*Error).Code)
}

// There is a bound to the places that are looked at.
func TestTooManyCombinationsAreNotLookedAt(t *testing.T) {
	rows := []*PricingRow{{Price: 2, Duration: &Period{Amount: 7, Unit: timeline.Minutes}}, {Price: 1, Duration: &Period{Amount: 5, Unit: timeline.Minutes}}, {Price: 1, Duration: &Period{Amount: 3, Unit: timeline.Minutes}}}
	z, err := timeline.LoadZone("UTC")
	require.NoError(t, err)
	require.NotNil(t, combine(rows, Span{Start: 0, End: hour}, z, new(looked)))
	require.Nil(t, combine(rows, Span{Start: 0, End: 3000 * day}, z, new(looked)))
}

// BenchmarkCombine says what one of the looks takes that are counted.
func BenchmarkCombine(b *testing.B) {
	z, err := timeline.LoadZone("Europe/Lisbon")
	require.NoError(b, err)
	every := func(n byte, price int64, u timeline.Unit) *PricingRow {
		return &PricingRow{ID: ID{n}, Price: price, Duration: &Period{Amount: 1, Unit: u}}
	}
	rows := []*PricingRow{every(1, 3500, timeline.Weeks), every(2, 1000, timeline.Days), every(3, 90, timeline.Hours)}
	looks := 0
	for b.Loop() {
		l := new(looked)
		combine(rows, Span{Start: noon, End: noon + 200*day + hour}, z, l)
		looks += l.n
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(looks), "ns/look")
}
