package commerce

import (
	"cmp"
	"math/bits"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns which of several rows ask least for a window: one, or a combination of them, a week and a day in place
// of two weeks. The rows of a combination follow each other in time, those that take longest first, each some whole
// number of times; together they reach to the end of the window.

// Combination is what rows ask together for one unit over a window.
type Combination struct {
	Rows  []RowUnits
	Total int64
}

// RowUnits is a row with how many of its durations are taken.
type RowUnits struct {
	Row   base.ID
	Units int64
}

// Units is how many durations of a row are taken.
func (c *Combination) Units(row base.ID) int64 {
	for _, r := range c.Rows {
		if r.Row == row {
			return r.Units
		}
	}
	return 0
}

// Cheapest is the row that asks least for a window, the first of several; nil: each asks too much to say.
func Cheapest(rows []*PricingRow, window base.Span, z *timeline.Zone) (best *PricingRow) {
	total := int64(0)
	for _, r := range rows {
		if n, ok := UnitPrice(r, window, z); ok && (best == nil || n < total) {
			best, total = r, n
		}
	}
	return best
}

// LeastOf is the combination of rows that asks least, or the row that does so alone where no combination asks less;
// nil: all ask too much to say.
func LeastOf(rows []*PricingRow, window base.Span, z *timeline.Zone, looks *Looked) *Combination {
	alone, c := (*Combination)(nil), Combine(rows, window, z, looks)
	if r := Cheapest(rows, window, z); r != nil {
		n := UnitsOf(r, window, z)
		alone = &Combination{Rows: []RowUnits{{r.ID, n}}, Total: r.Price * n}
	}
	if alone == nil || c != nil && c.Total < alone.Total {
		return c
	}
	return alone
}

// ByLength puts rows in the order in which they lie in a combination from an instant on: those that take longest first,
// one for the whole window before all.
func ByLength(rows []*PricingRow, from int64, z *timeline.Zone) []*PricingRow {
	end := func(r *PricingRow) int64 {
		if r.Duration == nil {
			return base.Forever
		}
		return BillingAt(from, *r.Duration, 1, z)
	}
	return slices.SortedStableFunc(slices.Values(rows),
		func(a, b *PricingRow) int { return cmp.Compare(end(b), end(a)) })
}

// maxCombined bounds the places that are looked at for one combination, maxLooked those of one command: a look takes up
// to a third of a microsecond (BenchmarkCombine), so that others wait for some ten milliseconds at most.
const (
	maxCombined = 10_000
	maxLooked   = 50_000
)

// Looked is what one command has looked at: how many places, and what it found. The zero value is nothing.
type Looked struct {
	N     int
	known map[lookedFor][]found
}

type lookedFor struct {
	window base.Span
	zone   *timeline.Zone
}

type found struct {
	rows []*PricingRow
	c    *Combination
}

// combiner looks for the combination with the least total. What a row and those after it ask from an instant on is
// worked out once.
type combiner struct {
	rows  []tried
	end   int64
	zone  *timeline.Zone
	known map[combinedFrom]combined
	looks int
	left  int // looks that there may be
}

// tried is a row with two lower bounds for itself and the rows after it: the lowest price, and the lowest price per
// time (rate for length). For the second one, a duration counts with the most time that the calendar can make of it.
// slack is by how much clocks may be put back while these rows last: one change of clocks for each row that the
// calendar counts.
type tried struct {
	*PricingRow
	price, rate, length int64
	slack               int64
}

type combinedFrom struct {
	row  int
	from int64
}

type combined struct {
	units, total int64
	ok           bool
}

// Combine gives the combination of rows with a duration that asks least; of several the one with more of what takes
// longer. Nil where there are no such rows, where the window has no end, and where there are too many to look at, for
// it or for the whole command.
func Combine(rows []*PricingRow, window base.Span, z *timeline.Zone, looked *Looked) *Combination {
	of := lookedFor{window, z}
	for _, f := range looked.known[of] {
		if slices.EqualFunc(f.rows, rows, sameTerms) {
			return f.c
		}
	}
	c := combine(rows, window, z, looked)
	if looked.known == nil {
		looked.known = map[lookedFor][]found{}
	}
	looked.known[of] = append(looked.known[of], found{rows, c})
	return c
}

// sameTerms says that two rows ask the same under one name.
func sameTerms(a, b *PricingRow) bool {
	return a.ID == b.ID && a.Price == b.Price && (a.Duration == nil) == (b.Duration == nil) &&
		(a.Duration == nil || *a.Duration == *b.Duration)
}

func combine(rows []*PricingRow, window base.Span, z *timeline.Zone, looked *Looked) *Combination {
	x := combiner{end: window.End, zone: z, known: map[combinedFrom]combined{},
		left: min(maxCombined, maxLooked-looked.N)}
	for _, r := range ByLength(rows, window.Start, z) {
		if r.Duration != nil {
			x.rows = append(x.rows, tried{PricingRow: r})
		}
	}
	if len(x.rows) == 0 || window.End == base.Forever {
		return nil
	}
	x.bound(z.Spread(window.Start, window.End))
	best := x.least(0, window.Start)
	looked.N += x.looks
	if !best.ok || x.looks > x.left {
		return nil
	}
	c := &Combination{Total: best.total}
	at := window.Start
	for i, r := range x.rows {
		n := x.known[combinedFrom{i, at}].units
		if n > 0 {
			c.Rows = append(c.Rows, RowUnits{r.ID, n})
			at = BillingAt(at, *r.Duration, int(n), z)
		}
		if at >= window.End {
			break
		}
	}
	return c
}

// bound works out the least that each row and those after it can ask, if clocks are put back by so much at most.
func (x *combiner) bound(back int64) {
	for i := len(x.rows) - 1; i >= 0; i-- {
		r := &x.rows[i]
		most, calendar := timeline.Longest(r.Duration.Amount, r.Duration.Unit)
		r.price, r.rate, r.length = r.Price, r.Price, most
		if calendar {
			r.slack = back
		}
		if i == len(x.rows)-1 {
			continue
		}
		next := &x.rows[i+1]
		r.price, r.slack = min(r.price, next.price), r.slack+next.slack
		if cheaperRate(next, r) {
			r.rate, r.length = next.rate, next.length
		}
	}
}

// cheaperRate says that a asks less for its time than b.
func cheaperRate(a, b *tried) bool {
	ahi, alo := bits.Mul64(uint64(a.rate), uint64(b.length))
	bhi, blo := bits.Mul64(uint64(b.rate), uint64(a.length))
	return cmp.Or(cmp.Compare(ahi, bhi), cmp.Compare(alo, blo)) < 0
}

// atLeast is a lower bound of what a row and those after it ask for some time.
func (x *combiner) atLeast(row int, time int64) int64 {
	if row == len(x.rows) || time <= 0 {
		return 0
	}
	r := &x.rows[row]
	hi, lo := bits.Mul64(uint64(r.rate), uint64(max(time-r.slack, 0)))
	if hi >= uint64(r.length) {
		return base.MaxSafe
	}
	n, _ := bits.Div64(hi, lo, uint64(r.length))
	return int64(max(min(n, base.MaxSafe), uint64(r.price)))
}

// least is the least that a row and those after it ask from an instant to the end, and how many durations of the row
// that takes.
func (x *combiner) least(row int, from int64) (best combined) {
	if from >= x.end {
		return combined{ok: true}
	}
	key := combinedFrom{row, from}
	if c, ok := x.known[key]; ok {
		return c
	}
	r := x.rows[row]
	most := UnitsOf(r.PricingRow, base.Span{Start: from, End: x.end}, x.zone)
	limit := int64(base.MaxSafe) // what more than that is asked for is not better
	floor := x.atLeast(row, x.end-from)
	for n := most; n >= 0 && limit >= floor && (row < len(x.rows)-1 || n == most); {
		if x.looks++; x.looks > x.left {
			break
		}
		at := x.end
		if n < most {
			at = BillingAt(from, *r.Duration, int(n), x.zone)
		}
		rest := x.atLeast(row+1, x.end-at)
		if price, ok := Times(r.Price, n); ok && price+rest <= limit {
			if c := x.least(row+1, at); c.ok && price+c.total <= limit {
				best = combined{n, price + c.total, true}
				limit = best.total - 1
			}
		}
		if rest > limit {
			break
		}
		if n--; r.Price > 0 {
			n = min(n, (limit-rest)/r.Price) // with fewer of the row, those after it can ask no less
		}
	}
	x.known[key] = best
	return best
}
