package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
)

// This file owns the tests of what a discount code takes off, by hand. Random ones are held against the twin.

func amounts(list ...int64) (lines []commerce.Discountable) {
	for _, n := range list {
		lines = append(lines,
			commerce.Discountable{Purchase: base.PurchaseSale, CatalogItem: base.ID{1}, Quantity: 1, Amount: n})
	}
	return lines
}

var all = []base.PurchaseType{base.PurchaseBooking, base.PurchaseSale, base.PurchaseSubscription}

func TestAllocation(t *testing.T) {
	for _, c := range []struct {
		name   string
		of     commerce.DiscountType
		value  int64
		lines  []commerce.Discountable
		values []int64
	}{
		{"nothing", commerce.DiscountPercentage, 10, nil, []int64{}},
		{"a percentage", commerce.DiscountPercentage, 15, amounts(1000, 200), []int64{150, 30}},
		{"all", commerce.DiscountPercentage, 100, amounts(7, 0, 9), []int64{7, 0, 9}},
		{"half a unit is one", commerce.DiscountPercentage, 50, amounts(1), []int64{1}},
		{"less than half is none", commerce.DiscountPercentage, 49, amounts(1), []int64{0}},
		{"rounded once, not by line", commerce.DiscountPercentage, 10, amounts(4, 4, 4), []int64{1, 0, 0}},
		{"ties by line", commerce.DiscountPercentage, 10, amounts(5, 5, 5, 5), []int64{1, 1, 0, 0}},
		{"the largest rest, not the largest amount", commerce.DiscountPerOrder, 3, amounts(20, 10, 16),
			[]int64{1, 1, 1}},
		{"in proportion", commerce.DiscountPerOrder, 100, amounts(100, 200, 300), []int64{17, 33, 50}},
		{"at most the sum", commerce.DiscountPerOrder, 100, amounts(30, 0, 20), []int64{30, 0, 20}},
		{"by unit", commerce.DiscountPerItem, 30, []commerce.Discountable{
			{Purchase: base.PurchaseSale, Quantity: 2, Amount: 100}, {Purchase: base.PurchaseSale, Quantity: 4,
				Amount: 100}, {Purchase: base.PurchaseSale, Quantity: 1, Amount: 0},
		}, []int64{60, 100, 0}},
		{"by unit, and never more than there is", commerce.DiscountPerItem, base.MaxSafe,
			[]commerce.Discountable{{Purchase: base.PurchaseSale, Quantity: 10_000, Amount: base.MaxSafe}},
			[]int64{base.MaxSafe}},
		{"large amounts", commerce.DiscountPercentage, 50, amounts(base.MaxSafe, base.MaxSafe, 1),
			[]int64{1 << 52, 1 << 52, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, total := (&commerce.DiscountTerms{ValueType: c.of, Value: c.value, Purchases: all}).
				Allocate(c.lines)
			require.Equal(t, c.values, values)
			sum := int64(0)
			for _, v := range c.values {
				sum += v
			}
			require.Equal(t, sum, total)
		})
	}
}

func TestAllocationOfAThousandLargeLines(t *testing.T) {
	for _, d := range []commerce.DiscountTerms{
		{ValueType: commerce.DiscountPercentage, Value: 100, Purchases: all},
		{ValueType: commerce.DiscountPerItem, Value: base.MaxSafe, Purchases: all},
	} {
		lines := amounts(slices.Repeat([]int64{base.MaxSafe}, base.MaxLines)...)
		values, total := d.Allocate(lines)
		require.Equal(t, int64(base.MaxLines*base.MaxSafe), total)
		require.Equal(t, slices.Repeat([]int64{base.MaxSafe}, base.MaxLines), values)
	}
}

func TestAllocationIsForEligibleLinesAlone(t *testing.T) {
	lines := amounts(100, 100, 100, 100)
	lines[1].Purchase, lines[2].CatalogItem, lines[3].CatalogItem = base.PurchaseBooking, base.ID{2}, base.ID{}
	for _, of := range []commerce.DiscountType{commerce.DiscountPercentage, commerce.DiscountPerOrder,
		commerce.DiscountPerItem} {
		d := commerce.DiscountTerms{ValueType: of, Value: 12, Purchases: []base.PurchaseType{base.PurchaseSale},
			CatalogItems: []base.ID{{3}, {1}}}
		values, total := d.Allocate(lines)
		require.Equal(t, []int64{12, 0, 0, 0}, values)
		require.Equal(t, int64(12), total)
		d.CatalogItems = nil
		values, _ = d.Allocate(lines)
		require.Equal(t, map[commerce.DiscountType][]int64{commerce.DiscountPercentage: {12, 0, 12, 12},
			commerce.DiscountPerOrder: {4, 0, 4, 4}, commerce.DiscountPerItem: {12, 0, 12, 12}}[of], values)
	}
}

// Each reason for which a code is refused goes before those that stand behind it.
func TestJudgement(t *testing.T) {
	lines, later := amounts(0), amounts(4)
	lines[0].Purchase = base.PurchaseBooking
	d := commerce.DiscountCode{Used: 5, DiscountTerms: commerce.DiscountTerms{
		Code: "x", ValueType: commerce.DiscountPercentage, Value: 10, Purchases: []base.PurchaseType{base.PurchaseSale},
		UsageLimit: ptr[int64](5), StartsAt: ptr[int64](100), EndsAt: ptr[int64](200),
	}}
	refused := func(now int64, applied bool, code base.Code) {
		t.Helper()
		require.ErrorIs(t, d.Judge(now, "EUR", lines, slices.Values(later), applied), &base.Error{Code: code})
	}
	refused(99, true, base.CodeDiscountApplied)
	refused(99, false, base.CodeDiscountNotStarted)
	refused(200, false, base.CodeDiscountExpired)
	refused(199, false, base.CodeDiscountUsageLimit)
	d.Used--
	refused(100, false, base.CodeDiscountNotApplicable)
	lines[0].Purchase = base.PurchaseSale
	refused(100, false, base.CodeDiscountNoEffect)
	lines[0].Amount = 4
	refused(100, false, base.CodeDiscountNoEffect)
	later[0].Amount = 5
	require.NoError(t, d.Judge(100, "EUR", lines, slices.Values(later), false), "it does off a later payment")
	lines[0].Amount, later = 5, nil
	require.NoError(t, d.Judge(100, "EUR", lines, slices.Values(later), false))
	require.NoError(t, d.Judge(199, "EUR", lines, slices.Values(later), false))
	d.StartsAt, d.EndsAt, d.UsageLimit, d.Used = nil, nil, nil, 1e9
	require.NoError(t, d.Judge(base.MaxInstant, "EUR", lines, slices.Values(later), false))
	require.ErrorIs(t, d.Judge(0, "EUR", nil, slices.Values(later), false),
		&base.Error{Code: base.CodeDiscountNotApplicable})

	// An amount is in a currency, a percentage is of any.
	d.ValueType, d.Currency = commerce.DiscountPerOrder, "EUR"
	require.NoError(t, d.Judge(0, "EUR", lines, slices.Values(later), false))
	require.ErrorIs(t, d.Judge(0, "JPY", lines, slices.Values(later), false),
		&base.Error{Code: base.CodeDiscountNotApplicable})
	d.ValueType, d.Currency = commerce.DiscountPercentage, ""
	require.NoError(t, d.Judge(0, "JPY", lines, slices.Values(later), false))
}

// What the codes of an order take off each line is the sum of their parts of it, in whatever order those are written,
// and also where a part is of a line that is gone.
func TestDiscountsOfALineAreTheirSum(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var o order.Order
		for n := range chance.IntN(12) {
			o.Lines = append(o.Lines,
				order.OrderLine{ID: base.ID{byte(n + 1)}, Quantity: 1, UnitPrice: 1_000_000, OwnPrice: true})
		}
		want := map[base.ID]int64{}
		for range chance.IntN(6) {
			var c order.OrderCode
			for n := range 16 {
				if id := (base.ID{byte(n + 1)}); chance.IntN(2) == 0 {
					c.Allocations = append(c.Allocations, order.LineAmount{Line: id, Value: 1 + chance.Int64N(1000)})
					want[id] += c.Allocations[len(c.Allocations)-1].Value
				}
			}
			if chance.IntN(2) == 0 {
				chance.Shuffle(len(c.Allocations), func(i, j int) {
					c.Allocations[i], c.Allocations[j] = c.Allocations[j], c.Allocations[i]
				})
			}
			o.Codes = append(o.Codes, c)
		}
		prices, ok := o.LinePrices()
		require.True(t, ok)
		for i, p := range prices {
			require.Equal(t, want[o.Lines[i].ID], p.Discount)
		}
	}
}
