package model

import (
	"math/big"

	"holdfast/engine/commerce"
)

// This file owns prices, in integers without bounds.

const maxMoney = 1<<53 - 1

// PriceLine is what a line comes to; ok is false where a part of it is no amount of money.
func PriceLine(unit int64, quantity int, discount, taxRate int64) (p commerce.LinePrice, ok bool) {
	subtotal := new(big.Int).Mul(big.NewInt(unit), big.NewInt(int64(quantity)))
	left := new(big.Int).Sub(subtotal, big.NewInt(discount))
	tax := new(big.Rat).Mul(new(big.Rat).SetInt(left), big.NewRat(taxRate, 10_000))
	owed := big.NewInt(wholePart(tax.Add(tax, big.NewRat(1, 2))))
	total := new(big.Int).Add(left, owed)
	for _, n := range []*big.Int{subtotal, left, total} {
		if n.Sign() < 0 || n.Cmp(big.NewInt(maxMoney)) > 0 {
			return commerce.LinePrice{}, false
		}
	}
	return commerce.LinePrice{Unit: unit, Subtotal: subtotal.Int64(), Discount: discount, Tax: owed.Int64(),
		Total: total.Int64()}, true
}

// PriceOrder is what lines come to.
func PriceOrder(lines []commerce.LinePrice) (p commerce.OrderPrice, ok bool) {
	ok = true
	sum := func(part func(commerce.LinePrice) int64) int64 {
		n := new(big.Int)
		for _, l := range lines {
			n.Add(n, big.NewInt(part(l)))
		}
		ok = ok && n.Cmp(big.NewInt(maxMoney)) <= 0
		return n.Int64()
	}
	p.Subtotal = sum(func(l commerce.LinePrice) int64 { return l.Subtotal })
	p.Discount = sum(func(l commerce.LinePrice) int64 { return l.Discount })
	p.Tax = sum(func(l commerce.LinePrice) int64 { return l.Tax })
	p.Total = sum(func(l commerce.LinePrice) int64 { return l.Total })
	if !ok {
		return commerce.OrderPrice{}, false
	}
	return p, true
}
