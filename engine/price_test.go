package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the tests of prices, by hand. Random ones are held against the twin.

func TestPriceOfALine(t *testing.T) {
	for _, c := range []struct {
		unit     int64
		quantity int
		discount int64
		rate     int64
		want     commerce.LinePrice
		fits     bool
		why      string
	}{
		{0, 1, 0, 0, commerce.LinePrice{}, true, ""},
		{1000, 3, 0, 0, commerce.LinePrice{Unit: 1000, Subtotal: 3000, Total: 3000}, true, ""},
		{1000, 3, 500, 2300, commerce.LinePrice{Unit: 1000, Subtotal: 3000, Discount: 500, Tax: 575, Total: 3075}, true,
			""},
		{5, 1, 0, 1000, commerce.LinePrice{Unit: 5, Subtotal: 5, Tax: 1, Total: 6}, true, "half is rounded up"},
		{4, 1, 0, 1000, commerce.LinePrice{Unit: 4, Subtotal: 4, Total: 4}, true, ""},
		{7, 2, 14, 10_000, commerce.LinePrice{Unit: 7, Subtotal: 14, Discount: 14}, true, "nothing is left"},
		{base.MaxSafe, 1, 0, 0, commerce.LinePrice{Unit: base.MaxSafe, Subtotal: base.MaxSafe, Total: base.MaxSafe},
			true, ""},
		{base.MaxSafe, 1, 1, 10_000, commerce.LinePrice{}, false, "the tax goes beyond"},
		{base.MaxSafe, 2, 0, 0, commerce.LinePrice{}, false, "the sum goes beyond"},
		{base.MaxSafe, 2, base.MaxSafe, 0, commerce.LinePrice{}, false,
			"a sum that goes beyond is none, whatever is taken off"},
		{1 << 52, 8192, 0, 0, commerce.LinePrice{}, false, "2^65, which is 0 in 64 bits"},
		{1, 1, 2, 0, commerce.LinePrice{}, false, "more is taken off than there is"},
		{1, 1, -1, 0, commerce.LinePrice{}, false, "a surcharge"},
		{-1, 1, 0, 0, commerce.LinePrice{}, false, "less than nothing"},
		{1, -1, 0, 0, commerce.LinePrice{}, false, "less than none"},
		{1, 1, 0, -1, commerce.LinePrice{}, false, "a negative tax"},
		{1, 1, 0, 10_001, commerce.LinePrice{}, false, "more than all"},
	} {
		p, ok := commerce.PriceLine(c.unit, c.quantity, c.discount, c.rate)
		require.Equal(t, c.fits, ok, "%+v", c)
		require.Equal(t, c.want, p, "%+v", c)
	}
}

func TestPriceOfAnOrder(t *testing.T) {
	p, ok := commerce.PriceOrder(nil)
	require.True(t, ok)
	require.Zero(t, p)
	lines := []commerce.LinePrice{{Unit: 5, Subtotal: 10, Discount: 1, Tax: 2, Total: 11},
		{Unit: 100, Subtotal: 100, Discount: 30, Tax: 7, Total: 77}}
	p, ok = commerce.PriceOrder(lines)
	require.True(t, ok)
	require.Equal(t, commerce.OrderPrice{Subtotal: 110, Discount: 31, Tax: 9, Total: 88}, p)
	large, _ := commerce.PriceLine(base.MaxSafe, 1, 0, 0)
	p, ok = commerce.PriceOrder([]commerce.LinePrice{large})
	require.True(t, ok)
	require.Equal(t, commerce.OrderPrice{Subtotal: base.MaxSafe, Total: base.MaxSafe}, p)
	_, ok = commerce.PriceOrder([]commerce.LinePrice{large, lines[0]})
	require.False(t, ok)
	_, ok = commerce.PriceOrder(slices.Repeat([]commerce.LinePrice{large}, base.MaxLines))
	require.False(t, ok)
	free, _ := commerce.PriceLine(base.MaxSafe, 1, base.MaxSafe, 0)
	_, ok = commerce.PriceOrder([]commerce.LinePrice{free, free})
	require.False(t, ok, "nothing is to be paid, but the sum before the discount is none")
}

func TestPriceOfAUnit(t *testing.T) {
	row := commerce.PricingRow{PricingRowFields: commerce.PricingRowFields{Price: 2500},
		Duration: &commerce.Period{Amount: 1, Unit: timeline.Days}}
	z := stock.MustZone("Europe/Lisbon")
	price, ok := commerce.UnitPrice(&row, base.Span{Start: noon, End: noon + 2*day + 1}, z)
	require.True(t, ok)
	require.Equal(t, int64(7500), price)
	row.Price = base.MaxSafe
	_, ok = commerce.UnitPrice(&row, base.Span{Start: noon, End: noon + day}, z)
	require.True(t, ok)
	_, ok = commerce.UnitPrice(&row, base.Span{Start: noon, End: noon + day + 1}, z)
	require.False(t, ok)
	row.Duration = nil
	price, _ = commerce.UnitPrice(&row, base.Span{Start: noon, End: noon + 100*day}, z)
	require.Equal(t, int64(base.MaxSafe), price)
}
