package model

import (
	"math/big"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns what a discount code takes off, in fractions.

func eligible(d commerce.DiscountTerms, l commerce.Discountable) bool {
	bought, named := false, len(d.CatalogItems) == 0
	for _, p := range d.Purchases {
		bought = bought || p == l.Purchase
	}
	for _, id := range d.CatalogItems {
		named = named || id == l.CatalogItem
	}
	return bought && named
}

// Allocate is what a discount code takes off each line, and in all.
func Allocate(d commerce.DiscountTerms, lines []commerce.Discountable) (values []int64, total int64) {
	values = make([]int64, len(lines))
	if d.ValueType == commerce.DiscountPerItem {
		for i, l := range lines {
			if eligible(d, l) {
				all := new(big.Int).Mul(big.NewInt(d.Value), big.NewInt(int64(l.Quantity)))
				if values[i] = l.Amount; all.Cmp(big.NewInt(l.Amount)) < 0 {
					values[i] = all.Int64()
				}
			}
			total += values[i]
		}
		return values, total
	}
	sum := new(big.Rat)
	for _, l := range lines {
		if eligible(d, l) {
			sum.Add(sum, new(big.Rat).SetInt64(l.Amount))
		}
	}
	if sum.Sign() == 0 {
		return values, 0
	}
	if d.ValueType == commerce.DiscountPercentage {
		part := new(big.Rat).Mul(sum, big.NewRat(d.Value, 100))
		total = wholePart(part.Add(part, big.NewRat(1, 2)))
	} else if total = d.Value; sum.Cmp(new(big.Rat).SetInt64(d.Value)) < 0 {
		total = wholePart(sum)
	}
	left, rests := total, make([]*big.Rat, len(lines))
	for i, l := range lines {
		if eligible(d, l) {
			share := new(big.Rat).Mul(new(big.Rat).SetInt64(total), new(big.Rat).SetInt64(l.Amount))
			share.Quo(share, sum)
			values[i] = wholePart(share)
			rests[i] = share.Sub(share, new(big.Rat).SetInt64(values[i]))
			left -= values[i]
		}
	}
	for ; left > 0; left-- {
		most := -1
		for i, r := range rests {
			if r != nil && (most < 0 || r.Cmp(rests[most]) > 0) {
				most = i
			}
		}
		values[most]++
		rests[most] = nil
	}
	return values, total
}

func wholePart(r *big.Rat) int64 {
	return new(big.Int).Div(r.Num(), r.Denom()).Int64() // towards minus infinity, as the divisor is positive
}

// Judge is the code with which a discount code is refused; empty: it is not. later are payments to come.
func Judge(d commerce.DiscountCode, now int64, currency string, lines, later []commerce.Discountable,
	applied bool) base.Code {
	some := false
	for _, l := range lines {
		some = some || eligible(d.DiscountTerms, l)
	}
	_, total := Allocate(d.DiscountTerms, lines)
	for _, l := range later {
		_, off := Allocate(d.DiscountTerms, []commerce.Discountable{l})
		total += off
	}
	for _, reason := range []struct {
		holds bool
		code  base.Code
	}{
		{applied, base.CodeDiscountApplied},
		{d.StartsAt != nil && *d.StartsAt > now, base.CodeDiscountNotStarted},
		{d.EndsAt != nil && *d.EndsAt <= now, base.CodeDiscountExpired},
		{d.UsageLimit != nil && *d.UsageLimit-d.Used < 1, base.CodeDiscountUsageLimit},
		{d.ValueType != commerce.DiscountPercentage && d.Currency != currency, base.CodeDiscountNotApplicable},
		{!some, base.CodeDiscountNotApplicable},
		{total == 0, base.CodeDiscountNoEffect},
	} {
		if reason.holds {
			return reason.code
		}
	}
	return ""
}
