package commerce

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns which of several rows ask least for a window: one, or a combination of them, a week and a day in place
// of two weeks. The rows of a combination lie one behind the other, those that take longest first, each some whole
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

// maxCombined bounds the places that are looked at for one combination, maxLooked those of one command: a look takes an
// eighth to a fifth of a microsecond (BenchmarkCombine), so that others wait for ten milliseconds at most.
const (
	maxCombined = 10_000
	maxLooked   = 50_000
)

// Looked is how many places one command has looked at. The zero value is none.
type Looked struct{ N int }

// Over says that the command may look at no more, and that some combination was not found for that.
func (l *Looked) Over() bool { return l.N > maxLooked }

// combiner looks for the combination with the least total. What a row and those behind it ask from an instant on is
// worked out once.
type combiner struct {
	rows  []*PricingRow // that take longest first
	end   int64
	zone  *timeline.Zone
	known map[combinedFrom]combined
	looks int
	all   *Looked // of the command
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
// longer. Nil where there are fewer than two such rows, where the window has no end, and where there are too many to
// look at.
func Combine(rows []*PricingRow, window base.Span, z *timeline.Zone, all *Looked) *Combination {
	x := combiner{end: window.End, zone: z, known: map[combinedFrom]combined{}, all: all}
	for _, r := range ByLength(rows, window.Start, z) {
		if r.Duration != nil {
			x.rows = append(x.rows, r)
		}
	}
	if len(x.rows) < 2 || window.End == base.Forever {
		return nil
	}
	best := x.least(0, window.Start)
	if !best.ok || x.looks > maxCombined || all.Over() {
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

// least is the least that a row and those behind it ask from an instant to the end, and how many durations of the row
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
	most := UnitsOf(r, base.Span{Start: from, End: x.end}, x.zone)
	for n := most; n >= 0; n-- {
		x.looks++
		x.all.N++
		if x.looks > maxCombined || x.all.Over() || row == len(x.rows)-1 && n < most {
			break
		}
		var rest combined
		if n == most {
			rest.ok = true
		} else {
			rest = x.least(row+1, BillingAt(from, *r.Duration, int(n), x.zone))
		}
		price, ok := Times(r.Price, n)
		if ok = ok && rest.ok && price+rest.total <= base.MaxSafe; ok && (!best.ok || price+rest.total < best.total) {
			best = combined{n, price + rest.total, true}
		}
	}
	x.known[key] = best
	return best
}
