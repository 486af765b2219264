package workload

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns the random tests of what is paid and when: discounts, prices and the instants of subscriptions, each
// held against the twin.

// sum draws an amount of money: often one at which things meet.
func sum(d Dice) int64 {
	switch d.N("amount", 5) {
	case 0:
		return int64(d.N("few", 4))
	case 1:
		return int64(d.N("some", 200))
	case 2:
		return maxMoney - int64(d.N("less", 3))
	case 3:
		return 100 * int64(d.N("round", 100))
	}
	return int64(d.N("any", maxMoney))
}

func items(d Dice, most int) (list []ID) {
	for i := range d.N("items", most+1) {
		list = append(list, ID{byte(i + 1)})
	}
	return list
}

func discount(d Dice) commerce.DiscountTerms {
	x := commerce.DiscountTerms{
		ValueType: pick(d, "type",
			[]commerce.DiscountType{commerce.DiscountPercentage, commerce.DiscountPerOrder, commerce.DiscountPerItem}),
		Value: max(1, sum(d)), Purchases: purchases[d.N("ways", 3):], CatalogItems: items(d, 2),
	}
	if x.ValueType == commerce.DiscountPercentage {
		x.Value = 1 + int64(d.N("percent", 100))
	}
	return x
}

func discountables(d Dice) []commerce.Discountable {
	n := d.N("lines", 8)
	if odds(d, "many", 2) {
		n = 1000
	}
	lines := make([]commerce.Discountable, n)
	for i := range lines {
		l := &lines[i]
		l.Purchase, l.Quantity, l.Amount = pick(d, "way", purchases), 1+d.N("quantity", 5), sum(d)
		if odds(d, "named", 80) {
			l.CatalogItem = ID{byte(1 + d.N("item", 3))}
		}
		if odds(d, "very many", 5) {
			l.Quantity = 10_000
		}
		if i > 0 && odds(d, "as before", 30) {
			l.Amount = lines[i-1].Amount
		}
	}
	return lines
}

func TestDiscountsAgainstTwin(t *testing.T) {
	seen := map[base.Code]int{}
	runs, spread := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		runs++
		d := Roll(r)
		for range 10 {
			x, lines := discount(d), discountables(d)
			values, total := x.Allocate(lines)
			want, all := model.Allocate(x, lines)
			require.Equal(r, all, total, "%+v off %+v", x, lines)
			require.Equal(r, want, values, "%+v off %+v", x, lines)
			given := int64(0)
			for i, v := range values {
				require.True(r, v >= 0 && v <= lines[i].Amount, "%d off %+v", v, lines[i])
				given += v
				if v > 0 && v < lines[i].Amount {
					spread++
				}
			}
			require.Equal(r, total, given)

			now := int64(1000)
			code := commerce.DiscountCode{DiscountTerms: x, Used: int64(d.N("used", 3))}
			at := func() *int64 {
				t := now + int64(d.N("by", 3)) - 1
				return &t
			}
			if odds(d, "starts", 30) {
				code.StartsAt = at()
			}
			if odds(d, "ends", 30) {
				code.EndsAt = at()
			}
			if odds(d, "limited", 30) {
				n := int64(1 + d.N("limit", 3))
				code.UsageLimit = &n
			}
			if code.ValueType != commerce.DiscountPercentage {
				code.Currency = pick(d, "currency", []string{"EUR", "EUR", "EUR", "JPY"})
			}
			applied, later := odds(d, "applied", 10), []commerce.Discountable(nil)
			if odds(d, "more payments", 30) {
				later = discountables(d)
			}
			wanted := model.Judge(code, now, "EUR", lines, later, applied)
			seen[wanted]++
			var refusal *base.Error
			if err := code.Judge(now, "EUR", lines, slices.Values(later), applied); wanted == "" {
				require.NoError(r, err)
			} else {
				require.True(r, errors.As(err, &refusal))
				require.Equal(r, wanted, refusal.Code, "%+v for %+v", code, lines)
			}
		}
	})
	if runs >= usual {
		require.Len(t, seen, 7, "%v", seen)
		require.Positive(t, spread)
	}
}

func TestPricesAgainstTwin(t *testing.T) {
	var fits, not, sums, over int
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		runs++
		d := Roll(r)
		for range 10 {
			var lines []commerce.LinePrice
			for range 1 + d.N("lines", 4) {
				unit, quantity, rate := sum(d), d.N("quantity", 5), int64(d.N("rate", 10_001))
				if odds(d, "usual rate", 50) {
					rate = pick(d, "rate", []int64{0, 5, 1900, 2300, 10_000})
				}
				if odds(d, "many", 10) {
					quantity = 10_000
				}
				off := min(sum(d), unit*int64(quantity))
				p, ok := commerce.PriceLine(unit, quantity, off, rate)
				want, good := model.PriceLine(unit, quantity, off, rate)
				require.Equal(r, good, ok, "%d times %d less %d at %d", quantity, unit, off, rate)
				require.Equal(r, want, p, "%d times %d less %d at %d", quantity, unit, off, rate)
				if !ok {
					not++
					continue
				}
				fits++
				lines = append(lines, p)
			}
			p, ok := commerce.PriceOrder(lines)
			want, good := model.PriceOrder(lines)
			require.Equal(r, good, ok, "%+v", lines)
			require.Equal(r, want, p)
			if ok {
				sums++
			} else {
				over++
			}
		}
	})
	if runs >= usual {
		require.True(t, fits > 0 && not > 0 && sums > 0 && over > 0, "%d %d %d %d", fits, not, sums, over)
	}
}

// What rows ask together is the least of all ways, in every zone: nothing that is left out to be quick asks less.
func TestCombinationsAgainstTwin(t *testing.T) {
	runs, mixed := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		runs++
		d := Roll(r)
		name := pick(d, "zone", billingZones)
		z, err := timeline.LoadZone(name)
		require.NoError(r, err)
		rate, start := int64(1+d.N("rate", 40)), near(d)
		var rows []*commerce.PricingRow
		var twin []commerce.PricingRow
		for i := range 2 + d.N("rows", 4) {
			p := period(d)
			row := commerce.PricingRow{ID: ID{byte(i)}, Duration: &p}
			row.Price = p.Amount * about[p.Unit] / hour * rate
			if odds(d, "another rate", 70) {
				row.Price = row.Price*int64(60+d.N("percent", 60))/100 + int64(d.N("more", 3)) // 0: of no use
			}
			rows, twin = append(rows, &row), append(twin, row)
		}
		w := Span{Start: start, End: start + hour/4 + int64(d.N("length", 100*24*hour))}
		want, looks, ok := model.Together(twin, w, name)
		if !ok || looks > 20_000 {
			return
		}
		var looked commerce.Looked
		c := commerce.Combine(rows, w, z, &looked)
		require.LessOrEqual(r, looked.N, looks)
		if c == nil {
			require.Greater(r, looks, 5000)
			return
		}
		require.Equal(r, want, c.Total, "%+v in %s by %+v: %+v", w, name, twin, *c)
		if len(c.Rows) > 1 {
			mixed++
		}
	})
	if runs >= usual {
		require.Greater(t, mixed, runs/10)
	}
}

// billingZones change their clocks by an hour, by half of one, and by a day.
var billingZones = append([]string{"UTC", "Pacific/Apia", "Africa/Casablanca"}, Zones...)

// period draws a length of which a few dozen fit into the stretch that a case is about.
func period(d Dice) commerce.Period {
	unit := timeline.Unit(1 + d.N("unit", 7))
	p := commerce.Period{Amount: 1 + int64(d.N("amount", 3)), Unit: unit}
	switch unit {
	case timeline.Seconds:
		p.Amount *= 60 * 60
	case timeline.Minutes:
		p.Amount *= 60
	}
	return p
}

var about = map[timeline.Unit]int64{
	timeline.Seconds: 1000, timeline.Minutes: 60 * 1000, timeline.Hours: hour, timeline.Days: 24 * hour,
	timeline.Weeks: 7 * 24 * hour, timeline.Months: 30 * 24 * hour,
	timeline.Years: 365 * 24 * hour,
}

// near draws an instant beside one at which a clock is changed, a month ends or a year does.
func near(d Dice) int64 {
	at := pick(d, "near", []string{
		"2024-03-10T07:00:00Z", "2024-03-31T01:00:00Z", "2024-10-27T01:00:00Z", "2024-11-03T06:00:00Z",
		"2024-10-05T15:30:00Z", "2024-04-06T15:00:00Z",
		"2024-01-31T12:00:00Z", "2024-02-29T00:00:00Z", "2023-12-31T23:59:59.999Z", "2011-12-29T20:00:00Z",
		"2011-12-30T10:00:00Z", "2024-03-10T03:00:00Z",
	})
	t, _ := timeline.ParseInstant(at)
	return t + int64(d.N("off", 8*hour)/(hour/4))*hour/4 - 4*hour + pick(d, "ms", []int64{-1, 0, 0, 1})
}

func TestSubscriptionsAgainstTwin(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := Roll(r)
		name := pick(d, "zone", billingZones)
		z, err := timeline.LoadZone(name)
		require.NoError(r, err)
		start, cycle := near(d), period(d)
		length := cycle.Amount * about[cycle.Unit]
		what := func() []any { return []any{"%s every %v from %d", name, cycle, start} }

		n := d.N("cycles", 30)
		last := commerce.BillingAt(start, cycle, n, z)
		require.Equal(r, model.BillingAt(start, cycle, n, name), last, what()...)
		for _, after := range []int64{last, last - 1, last + length/2, start - 1, start - length} {
			i, at := commerce.NextBilling(start, cycle, after, z)
			j, want := model.NextBilling(start, cycle, after, name)
			require.Equal(r, want, at, what()...)
			require.Equal(r, j, i, what()...)
		}

		terms := commerce.SubscriptionTerms{Cycle: cycle}
		if odds(d, "cycles", 50) {
			k := int64(1 + d.N("cycles", 12))
			terms.CommitmentCycles = &k
		}
		some := func(label string) *commerce.Period {
			if !odds(d, label, 50) {
				return nil
			}
			p := period(d)
			// No more than a few dozen cycles.
			for ; p.Amount*about[p.Unit] > 40*length; p.Unit-- {
			}
			return &p
		}
		terms.Commitment, terms.CancellationLead = some("commitment"), some("notice")
		require.Equal(r, model.CommitmentEnd(start, terms, name), commerce.CommitmentEnd(start, &terms, z), what()...)
		for _, now := range []int64{last, start - 2*length, start, last + length/3} {
			require.Equal(r, model.EarliestEnd(start, terms, now, name), commerce.EarliestEnd(start, &terms, now, z),
				what()...)
		}

		row := commerce.PricingRow{Duration: &cycle}
		for _, end := range []int64{last, last + 1, last - 1, start + 1, last + length/2} {
			w := Span{Start: start, End: max(end, start+1)}
			require.Equal(r, model.UnitsOf(row, w, name), commerce.UnitsOf(&row, w, z), what()...)
		}
	})
}
