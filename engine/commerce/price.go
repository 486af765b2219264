package commerce

import (
	"math/bits"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns prices: of a line, and of an order. All are minor units from 0 to 2^53-1; a sum beyond that is none,
// which ok says.

// LinePrice is what a line comes to.
type LinePrice struct {
	Unit     int64 // for one unit, for the whole time
	Subtotal int64 // of all units
	Discount int64 // what is taken off
	Tax      int64 // on what is left
	Total    int64 // what is left, and the tax
}

// OrderPrice is what the lines of an order come to.
type OrderPrice struct{ Subtotal, Discount, Tax, Total int64 }

// WholeRate is a tax of 100 %, in basis points.
const WholeRate = 10_000

// UnitPrice is what a row asks for one unit over a window.
func UnitPrice(row *PricingRow, window base.Span, z *timeline.Zone) (price int64, ok bool) {
	return Times(row.Price, UnitsOf(row, window, z))
}

// PriceLine prices a line: quantity units at a price each, less a discount, which is at most their sum, plus a tax of
// so many basis points on the rest, rounded half up.
func PriceLine(unit int64, quantity int, discount, taxRate int64) (p LinePrice, ok bool) {
	p = LinePrice{Unit: unit, Discount: discount}
	if p.Subtotal, ok = Times(unit, int64(quantity)); !ok || discount < 0 || discount > p.Subtotal || taxRate < 0 ||
		taxRate > WholeRate {
		return LinePrice{}, false
	}
	left := p.Subtotal - discount
	p.Tax = int64(RoundedShare(uint64(left), uint64(taxRate), WholeRate))
	if p.Total = left + p.Tax; p.Total > base.MaxSafe {
		return LinePrice{}, false
	}
	return p, true
}

// PriceOrder sums up the lines of an order, at most 1,000.
func PriceOrder(lines []LinePrice) (p OrderPrice, ok bool) {
	for i := range lines {
		p.Subtotal += lines[i].Subtotal
		p.Discount += lines[i].Discount
		p.Tax += lines[i].Tax
		p.Total += lines[i].Total
	}
	if max(p.Subtotal, p.Discount, p.Tax, p.Total) > base.MaxSafe {
		return OrderPrice{}, false
	}
	return p, true
}

// Times multiplies; ok is false where the product is beyond all prices.
func Times(price, n int64) (product int64, ok bool) {
	if price < 0 || n < 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(price), uint64(n))
	return int64(lo), hi == 0 && lo <= base.MaxSafe
}
