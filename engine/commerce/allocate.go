package commerce

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"holdfast/engine/base"
)

// This file owns what a discount code takes off the lines of an order, and why one is refused; and how an amount is
// spread. It is arithmetic alone: uses are counted in discount.go.

// Discountable is a line of an order as a discount sees it.
type Discountable struct {
	Purchase    base.PurchaseType
	CatalogItem base.ID // zero: the line names none
	Quantity    int
	Amount      int64 // what is left of the line's price, at least 0
}

// Eligible says whether the code is for a line.
func (d *DiscountTerms) Eligible(l *Discountable) bool {
	return slices.Contains(d.Purchases, l.Purchase) &&
		(d.CatalogItems == nil || slices.Contains(d.CatalogItems, l.CatalogItem))
}

// Allocate says what the code takes off each line, and the sum. No line loses more than its amount; one that the code
// is not for loses nothing. There are at most 1,000 lines of at most 2^53-1 each, whose sum fits in 63 bits.
//
// A percentage is of the sum of the eligible lines, rounded half up, once; a fixed amount for an order is at most that
// sum. Either is spread over the lines in proportion to their amounts (apportion).
func (d *DiscountTerms) Allocate(lines []Discountable) (values []int64, total int64) {
	values = make([]int64, len(lines))
	if d.ValueType == DiscountPerItem {
		for i := range lines {
			if l := &lines[i]; d.Eligible(l) && l.Quantity > 0 {
				values[i] = l.Amount
				if d.Value <= l.Amount/int64(l.Quantity) {
					values[i] = d.Value * int64(l.Quantity)
				}
				total += values[i]
			}
		}
		return values, total
	}
	sum, weights := uint64(0), make([]uint64, len(lines))
	for i := range lines {
		if d.Eligible(&lines[i]) {
			weights[i] = uint64(lines[i].Amount)
			sum += weights[i]
		}
	}
	off := min(uint64(d.Value), sum)
	if d.ValueType == DiscountPercentage {
		off = RoundedShare(sum, uint64(d.Value), 100)
	}
	if off == 0 {
		return values, 0
	}
	Apportion(values, off, weights, sum)
	return values, int64(off)
}

// Apportion spreads an amount in proportion to weights that make a sum above 0: each gets the whole part of its share,
// and those of the largest rests one unit more, the earlier first, until all is spread.
func Apportion(values []int64, n uint64, weights []uint64, sum uint64) {
	type rest struct {
		at int
		of uint64
	}
	rests, spread := make([]rest, 0, len(weights)), uint64(0)
	for i, w := range weights {
		hi, lo := bits.Mul64(n, w)
		whole, of := bits.Div64(hi, lo, sum)
		values[i] = int64(whole)
		rests, spread = append(rests, rest{i, of}), spread+whole
	}
	slices.SortStableFunc(rests, func(a, b rest) int { return cmp.Compare(b.of, a.of) })
	for _, r := range rests[:n-spread] {
		values[r.at]++
	}
}

// RoundedShare is n * part / whole, rounded half up, for part <= whole.
func RoundedShare(n, part, whole uint64) uint64 {
	hi, lo := bits.Mul64(n, part)
	share, rest := bits.Div64(hi, lo, whole)
	if rest >= whole-rest {
		share++
	}
	return share
}

// Weigh gives each line that the code is for its part of an amount for an order, in proportion to what the lines cost:
// in all its value, also where they cost less.
func (d *DiscountTerms) Weigh(lines []Discountable) []int64 {
	parts, weights, sum := make([]int64, len(lines)), make([]uint64, len(lines)), uint64(0)
	for i := range lines {
		if d.Eligible(&lines[i]) {
			weights[i] = uint64(lines[i].Amount)
			sum += weights[i]
		}
	}
	if sum > 0 {
		Apportion(parts, uint64(d.Value), weights, sum)
	}
	return parts
}

// Lasts says whether the code is for more payments of a subscription than the first.
func (d *DiscountTerms) Lasts() bool {
	return d.Duration == DiscountForever || d.Duration == DiscountRepeating && *d.Cycles > 1
}

// Judge refuses a code for the lines of an order in a currency at an instant; applied: the order carries it already.
// later are payments of subscriptions behind the first that the code would be for. Where there are several reasons it
// is the first of: the order has it, it is not valid yet, not any more, it is used up, it is an amount in another
// currency, it is for none of the lines, it would take nothing off the order, nor off a later payment.
func (d *DiscountCode) Judge(now int64, currency string, lines []Discountable, later iter.Seq[Discountable],
	applied bool) error {
	switch {
	case applied:
		return base.Refuse(base.CodeDiscountApplied, "the order has the discount code %q already", d.Code)
	case d.StartsAt != nil && now < *d.StartsAt:
		return base.Refuse(base.CodeDiscountNotStarted, "the discount code %q is not valid yet", d.Code)
	case d.EndsAt != nil && now >= *d.EndsAt:
		return base.Refuse(base.CodeDiscountExpired, "the discount code %q is not valid any more", d.Code)
	case d.UsageLimit != nil && d.Used >= *d.UsageLimit:
		return base.Refuse(base.CodeDiscountUsageLimit, "the discount code %q is used up", d.Code)
	case d.amount() && d.Currency != currency:
		return base.Refuse(base.CodeDiscountNotApplicable,
			"the discount code %q is an amount in %s, the order is in %s", d.Code, d.Currency, currency)
	case !slices.ContainsFunc(lines, func(l Discountable) bool { return d.Eligible(&l) }):
		return base.Refuse(base.CodeDiscountNotApplicable, "the discount code %q is for none of the order's lines",
			d.Code)
	}
	if _, total := d.Allocate(lines); total > 0 {
		return nil
	}
	for l := range later {
		if _, off := d.Allocate([]Discountable{l}); off > 0 {
			return nil
		}
	}
	return base.Refuse(base.CodeDiscountNoEffect, "the discount code %q would take nothing off", d.Code)
}
