package commerce

import (
	"math"
	"sort"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the instants of a subscription: when it is paid, and when it may end; and how many durations of a
// price a window takes. Steps are those of the calendar in a location's zone. The n-th is always counted from the
// start, so that the payments after 31 January are on 28 February and on 31 March.

// BillingAt is the instant of the n-th payment, from 0, which is the start; Forever if that lies after all years.
func BillingAt(start int64, cycle Period, n int, z *timeline.Zone) int64 {
	if int64(n) > math.MaxInt64/cycle.Amount {
		return base.Forever
	}
	return timeline.AddSteps(z, start, int64(n)*cycle.Amount, cycle.Unit)
}

// stepsPast is the least number of periods from start on that end after an instant. Steps never go back as their number
// grows, so it is found by halves: 40 looks, whatever the period.
func stepsPast(start int64, p Period, t int64, z *timeline.Zone) int {
	return sort.Search(1<<40, func(n int) bool { return BillingAt(start, p, n, z) > t })
}

// NextBilling is the first payment later than an instant, by number and instant. Where the calendar skips a day, two
// payments can be at one instant. at is Forever where there is no later one in all years.
func NextBilling(start int64, cycle Period, after int64, z *timeline.Zone) (n int, at int64) {
	n = stepsPast(start, cycle, after, z)
	return n, BillingAt(start, cycle, n, z)
}

// CommitmentEnd is the instant before which a subscription may not end: the later one of what its cycles and its period
// of commitment say, the start where there is neither.
func CommitmentEnd(start int64, terms *SubscriptionTerms, z *timeline.Zone) int64 {
	end := start
	if n := terms.CommitmentCycles; n != nil {
		end = max(end, BillingAt(start, terms.Cycle, int(*n), z))
	}
	if p := terms.Commitment; p != nil {
		end = max(end, timeline.AddSteps(z, start, p.Amount, p.Unit))
	}
	return end
}

// EarliestEnd is the first end of a payment cycle that comes neither before the end of the commitment nor before now
// and the notice; Forever where all years are over before.
func EarliestEnd(start int64, terms *SubscriptionTerms, now int64, z *timeline.Zone) int64 {
	least := now
	if p := terms.CancellationLead; p != nil {
		least = timeline.AddSteps(z, now, p.Amount, p.Unit)
	}
	n := stepsPast(start, terms.Cycle, max(least, CommitmentEnd(start, terms, z))-1, z)
	return BillingAt(start, terms.Cycle, max(n, 1), z)
}

// UnitsOf is how many durations of a row a window takes, rounded up: at least one, and one of a row without a duration
// or of a window without end, whose length is not known yet.
func UnitsOf(row *PricingRow, window base.Span, z *timeline.Zone) int64 {
	if row.Duration == nil || window.End == base.Forever {
		return 1
	}
	return int64(max(stepsPast(window.Start, *row.Duration, window.End-1, z), 1))
}
