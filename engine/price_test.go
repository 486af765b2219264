package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

// This file owns the tests of prices, by hand. Random ones are held against the twin.

func TestPriceOfALine(t *testing.T) {
	for _, c := range []struct {
		unit     int64
		quantity int
		discount int64
		rate     int64
		want     LinePrice
		fits     bool
		why      string
	}{
		{0, 1, 0, 0, LinePrice{}, true, ""},
		{1000, 3, 0, 0, LinePrice{Unit: 1000, Subtotal: 3000, Total: 3000}, true, ""},
		{1000, 3, 500, 2300, LinePrice{Unit: 1000, Subtotal: 3000, Discount: 500, Tax: 575, Total: 3075}, true, ""},
		{5, 1, 0, 1000, LinePrice{Unit: 5, Subtotal: 5, Tax: 1, Total: 6}, true, "half is rounded up"},
		{4, 1, 0, 1000, LinePrice{Unit: 4, Subtotal: 4, Total: 4}, true, ""},
		{7, 2, 14, 10_000, LinePrice{Unit: 7, Subtotal: 14, Discount: 14}, true, "nothing is left"},
		{maxSafe, 1, 0, 0, LinePrice{Unit: maxSafe, Subtotal: maxSafe, Total: maxSafe}, true, ""},
		{maxSafe, 1, 1, 10_000, LinePrice{}, false, "the tax goes beyond"},
		{maxSafe, 2, 0, 0, LinePrice{}, false, "the sum goes beyond"},
		{maxSafe, 2, maxSafe, 0, LinePrice{}, false, "a sum that goes beyond is none, whatever is taken off"},
		{1 << 52, 8192, 0, 0, LinePrice{}, false, "2^65, which is 0 in 64 bits"},
		{1, 1, 2, 0, LinePrice{}, false, "more is taken off than there is"},
		{1, 1, -1, 0, LinePrice{}, false, "a surcharge"},
		{-1, 1, 0, 0, LinePrice{}, false, "less than nothing"},
		{1, -1, 0, 0, LinePrice{}, false, "less than none"},
		{1, 1, 0, -1, LinePrice{}, false, "a negative tax"},
		{1, 1, 0, 10_001, LinePrice{}, false, "more than all"},
	} {
		p, ok := PriceLine(c.unit, c.quantity, c.discount, c.rate)
		require.Equal(t, c.fits, ok, "%+v", c)
		require.Equal(t, c.want, p, "%+v", c)
	}
}

func TestPriceOfAnOrder(t *testing.T) {
	p, ok := PriceOrder(nil)
	require.True(t, ok)
	require.Zero(t, p)
	lines := []LinePrice{{Unit: 5, Subtotal: 10, Discount: 1, Tax: 2, Total: 11}, {Unit: 100, Subtotal: 100, Discount: 30, Tax: 7, Total: 77}}
	p, ok = PriceOrder(lines)
	require.True(t, ok)
	require.Equal(t, OrderPrice{Subtotal: 110, Discount: 31, Tax: 9, Total: 88}, p)
	large, _ := PriceLine(maxSafe, 1, 0, 0)
	p, ok = PriceOrder([]LinePrice{large})
	require.True(t, ok)
	require.Equal(t, OrderPrice{Subtotal: maxSafe, Total: maxSafe}, p)
	_, ok = PriceOrder([]LinePrice{large, lines[0]})
	require.False(t, ok)
	_, ok = PriceOrder(slices.Repeat([]LinePrice{large}, maxLines))
	require.False(t, ok)
	free, _ := PriceLine(maxSafe, 1, maxSafe, 0)
	_, ok = PriceOrder([]LinePrice{free, free})
	require.False(t, ok, "nothing is to be paid, but the sum before the discount is none")
}

func TestPriceOfAUnit(t *testing.T) {
	row := PricingRow{Price: 2500, Duration: &Period{Amount: 1, Unit: timeline.Days}}
	z := mustZone("Europe/Lisbon")
	price, ok := UnitPrice(&row, Span{Start: noon, End: noon + 2*day + 1}, z)
	require.True(t, ok)
	require.Equal(t, int64(7500), price)
	row.Price = maxSafe
	_, ok = UnitPrice(&row, Span{Start: noon, End: noon + day}, z)
	require.True(t, ok)
	_, ok = UnitPrice(&row, Span{Start: noon, End: noon + day + 1}, z)
	require.False(t, ok)
	row.Duration = nil
	price, _ = UnitPrice(&row, Span{Start: noon, End: noon + 100*day}, z)
	require.Equal(t, int64(maxSafe), price)
}
