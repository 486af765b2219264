package model

import (
	"time"

	"holdfast/engine/commerce"
)

// This file owns the instants of a subscription, payment by payment.

// BillingAt is the n-th payment, counted from the start.
func BillingAt(start int64, cycle commerce.Period, n int, z string) int64 {
	return addSteps(z, start, int64(n)*cycle.Amount, cycle.Unit)
}

// NextBilling is the first payment after an instant.
func NextBilling(start int64, cycle commerce.Period, after int64, z string) (n int, at int64) {
	for at = start; at <= after; at = BillingAt(start, cycle, n, z) {
		n++
	}
	return n, at
}

// CommitmentEnd is the instant before which a subscription may not end.
func CommitmentEnd(start int64, terms commerce.SubscriptionTerms, z string) int64 {
	end := start
	if terms.CommitmentCycles != nil {
		for n := 1; n <= int(*terms.CommitmentCycles); n++ {
			end = BillingAt(start, terms.Cycle, n, z)
		}
	}
	if p := terms.Commitment; p != nil {
		if other := addSteps(z, start, p.Amount, p.Unit); other > end {
			end = other
		}
	}
	return end
}

// EarliestEnd is the end of the first payment cycle that ends when it may; Forever where no such year is known.
func EarliestEnd(start int64, terms commerce.SubscriptionTerms, now int64, z string) int64 {
	notice := now
	if p := terms.CancellationLead; p != nil {
		notice = addSteps(z, now, p.Amount, p.Unit)
	}
	committed := CommitmentEnd(start, terms, z)
	for n := 1; ; n++ {
		switch end := BillingAt(start, terms.Cycle, n, z); {
		case known(end) == Forever:
			return Forever
		case end >= committed && end >= notice:
			return end
		}
	}
}

// known is an instant; Forever where no such year is known.
func known(at int64) int64 {
	if time.UnixMilli(at).UTC().Year() > 9999 {
		return Forever
	}
	return at
}

// UnitsOf is how many durations a window takes: of one without end, as far as anybody knows, the first.
func UnitsOf(row commerce.PricingRow, w Span, z string) int64 {
	n := int64(1)
	if row.Duration != nil && w.End != Forever {
		for addSteps(z, w.Start, n*row.Duration.Amount, row.Duration.Unit) < w.End {
			n++
		}
	}
	return n
}
