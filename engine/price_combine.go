package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns combinations of rows: a week and a day in place of two weeks. The rows of a combination lie one behind the other, those
// that take longest first, each some whole number of times; together they reach to the end of the window.

// Combination is what rows ask together for one unit over a window.
type Combination struct {
	Rows  []RowUnits
	Total int64
}

// RowUnits is a row with how many of its durations are taken.
type RowUnits struct {
	Row   ID
	Units int64
}

// maxCombined bounds the places that are looked at for one combination.
const maxCombined = 10_000

// combiner looks for the combination with the least total. What a row and those behind it ask from an instant on is worked out once.
type combiner struct {
	rows  []*PricingRow // that take longest first
	end   int64
	zone  *timeline.Zone
	known map[combinedFrom]combined
	looks int
}

type combinedFrom struct {
	row  int
	from int64
}

type combined struct {
	units, total int64
	ok           bool
}

// combine gives the combination of rows with a duration that asks least; of several the one with more of what takes longer. Nil where
// there are fewer than two such rows, where the window has no end, and where there are too many to look at.
func combine(rows []*PricingRow, window Span, z *timeline.Zone) *Combination {
	x := combiner{end: window.End, zone: z, known: map[combinedFrom]combined{}}
	for _, r := range rows {
		if r.Duration != nil {
			x.rows = append(x.rows, r)
		}
	}
	if len(x.rows) < 2 || window.End == Forever {
		return nil
	}
	slices.SortStableFunc(x.rows, func(a, b *PricingRow) int {
		switch long, other := BillingAt(window.Start, *a.Duration, 1, z), BillingAt(window.Start, *b.Duration, 1, z); {
		case long > other:
			return -1
		case long < other:
			return 1
		}
		return 0
	})
	best := x.least(0, window.Start)
	if !best.ok || x.looks > maxCombined {
		return nil
	}
	c := &Combination{Total: best.total}
	at := window.Start
	for i := range x.rows {
		n := x.least(i, at).units
		if n > 0 {
			c.Rows = append(c.Rows, RowUnits{x.rows[i].ID, n})
			at = BillingAt(at, *x.rows[i].Duration, int(n), z)
		}
		if at >= window.End {
			break
		}
	}
	return c
}

// least is the least that a row and those behind it ask from an instant to the end, and how many durations of the row that takes.
func (x *combiner) least(row int, from int64) (best combined) {
	if from >= x.end {
		return combined{ok: true}
	}
	key := combinedFrom{row, from}
	if c, ok := x.known[key]; ok {
		return c
	}
	r := x.rows[row]
	most := UnitsOf(r, Span{Start: from, End: x.end}, x.zone)
	for n := most; n >= 0; n-- {
		if x.looks++; x.looks > maxCombined || row == len(x.rows)-1 && n < most {
			break
		}
		var rest combined
		if n == most {
			rest.ok = true
		} else {
			rest = x.least(row+1, BillingAt(from, *r.Duration, int(n), x.zone))
		}
		price, ok := times(r.Price, n)
		if ok = ok && rest.ok && price+rest.total <= maxSafe; ok && (!best.ok || price+rest.total < best.total) {
			best = combined{n, price + rest.total, true}
		}
	}
	x.known[key] = best
	return best
}
