package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of what a discount code takes off, by hand. Random ones are held against the twin.

func amounts(list ...int64) (lines []Discountable) {
	for _, n := range list {
		lines = append(lines, Discountable{Purchase: PurchaseSale, CatalogItem: ID{1}, Quantity: 1, Amount: n})
	}
	return lines
}

var all = []PurchaseType{PurchaseBooking, PurchaseSale, PurchaseSubscription}

func TestAllocation(t *testing.T) {
	for _, c := range []struct {
		name   string
		of     DiscountType
		value  int64
		lines  []Discountable
		values []int64
	}{
		{"nothing", DiscountPercentage, 10, nil, []int64{}},
		{"a percentage", DiscountPercentage, 15, amounts(1000, 200), []int64{150, 30}},
		{"all", DiscountPercentage, 100, amounts(7, 0, 9), []int64{7, 0, 9}},
		{"half a unit is one", DiscountPercentage, 50, amounts(1), []int64{1}},
		{"less than half is none", DiscountPercentage, 49, amounts(1), []int64{0}},
		{"rounded once, not by line", DiscountPercentage, 10, amounts(4, 4, 4), []int64{1, 0, 0}},
		{"ties by line", DiscountPercentage, 10, amounts(5, 5, 5, 5), []int64{1, 1, 0, 0}},
		{"the largest rest, not the largest amount", DiscountPerOrder, 3, amounts(20, 10, 16), []int64{1, 1, 1}},
		{"in proportion", DiscountPerOrder, 100, amounts(100, 200, 300), []int64{17, 33, 50}},
		{"at most the sum", DiscountPerOrder, 100, amounts(30, 0, 20), []int64{30, 0, 20}},
		{"by unit", DiscountPerItem, 30, []Discountable{
			{Purchase: PurchaseSale, Quantity: 2, Amount: 100}, {Purchase: PurchaseSale, Quantity: 4, Amount: 100}, {Purchase: PurchaseSale, Quantity: 1, Amount: 0},
		}, []int64{60, 100, 0}},
		{"by unit, and never more than there is", DiscountPerItem, maxSafe, []Discountable{{Purchase: PurchaseSale, Quantity: 10_000, Amount: maxSafe}}, []int64{maxSafe}},
		{"large amounts", DiscountPercentage, 50, amounts(maxSafe, maxSafe, 1), []int64{1 << 52, 1 << 52, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, total := (&DiscountTerms{ValueType: c.of, Value: c.value, Purchases: all}).Allocate(c.lines)
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
	for _, d := range []DiscountTerms{
		{ValueType: DiscountPercentage, Value: 100, Purchases: all}, {ValueType: DiscountPerItem, Value: maxSafe, Purchases: all},
	} {
		lines := amounts(slices.Repeat([]int64{maxSafe}, maxLines)...)
		values, total := d.Allocate(lines)
		require.Equal(t, int64(maxLines*maxSafe), total)
		require.Equal(t, slices.Repeat([]int64{maxSafe}, maxLines), values)
	}
}

func TestAllocationIsForEligibleLinesAlone(t *testing.T) {
	lines := amounts(100, 100, 100, 100)
	lines[1].Purchase, lines[2].CatalogItem, lines[3].CatalogItem = PurchaseBooking, ID{2}, ID{}
	for _, of := range []DiscountType{DiscountPercentage, DiscountPerOrder, DiscountPerItem} {
		d := DiscountTerms{ValueType: of, Value: 12, Purchases: []PurchaseType{PurchaseSale}, CatalogItems: []ID{{3}, {1}}}
		values, total := d.Allocate(lines)
		require.Equal(t, []int64{12, 0, 0, 0}, values)
		require.Equal(t, int64(12), total)
		d.CatalogItems = nil
		values, _ = d.Allocate(lines)
		require.Equal(t, map[DiscountType][]int64{DiscountPercentage: {12, 0, 12, 12}, DiscountPerOrder: {4, 0, 4, 4}, DiscountPerItem: {12, 0, 12, 12}}[of], values)
	}
}

// Each reason for which a code is refused goes before those that stand behind it.
func TestJudgement(t *testing.T) {
	lines := amounts(0)
	lines[0].Purchase = PurchaseBooking
	d := DiscountCode{Used: 5, DiscountTerms: DiscountTerms{
		Code: "x", ValueType: DiscountPercentage, Value: 10, Purchases: []PurchaseType{PurchaseSale}, UsageLimit: ptr[int64](5), StartsAt: ptr[int64](100), EndsAt: ptr[int64](200),
	}}
	refused := func(now int64, applied bool, code Code) {
		t.Helper()
		require.ErrorIs(t, d.Judge(now, "EUR", lines, applied), &Error{Code: code})
	}
	refused(99, true, CodeDiscountApplied)
	refused(99, false, CodeDiscountNotStarted)
	refused(200, false, CodeDiscountExpired)
	refused(199, false, CodeDiscountUsageLimit)
	d.Used--
	refused(100, false, CodeDiscountNotApplicable)
	lines[0].Purchase = PurchaseSale
	refused(100, false, CodeDiscountNoEffect)
	lines[0].Amount = 4
	refused(100, false, CodeDiscountNoEffect)
	lines[0].Amount = 5
	require.NoError(t, d.Judge(100, "EUR", lines, false))
	require.NoError(t, d.Judge(199, "EUR", lines, false))
	d.StartsAt, d.EndsAt, d.UsageLimit, d.Used = nil, nil, nil, 1e9
	require.NoError(t, d.Judge(maxInstant, "EUR", lines, false))
	require.ErrorIs(t, d.Judge(0, "EUR", nil, false), &Error{Code: CodeDiscountNotApplicable})

	// An amount is in a currency, a percentage is of any.
	d.ValueType, d.Currency = DiscountPerOrder, "EUR"
	require.NoError(t, d.Judge(0, "EUR", lines, false))
	require.ErrorIs(t, d.Judge(0, "JPY", lines, false), &Error{Code: CodeDiscountNotApplicable})
	d.ValueType, d.Currency = DiscountPercentage, ""
	require.NoError(t, d.Judge(0, "JPY", lines, false))
}
