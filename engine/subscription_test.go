package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the tests of the instants of subscriptions, by hand. Random ones are held against the twin.

func clock(t *testing.T, s string) int64 {
	t.Helper()
	ms, fault := timeline.ParseInstant(s)
	require.Empty(t, fault)
	return ms
}

func written(ms int64) string {
	if ms == base.Forever {
		return "never"
	}
	return string(timeline.AppendInstant(nil, ms))
}

func TestBilling(t *testing.T) {
	months, days := commerce.Period{Amount: 1, Unit: timeline.Months}, commerce.Period{Amount: 1, Unit: timeline.Days}
	for _, c := range []struct {
		name, zone, start string
		cycle             commerce.Period
		first             int
		want              []string
	}{
		{"the end of the month", "UTC", "2025-01-31T10:00:00Z", months, 0,
			[]string{"2025-01-31T10:00:00.000Z", "2025-02-28T10:00:00.000Z", "2025-03-31T10:00:00.000Z",
				"2025-04-30T10:00:00.000Z", "2025-05-31T10:00:00.000Z"}},
		{"a leap day", "UTC", "2024-02-29T10:00:00Z", commerce.Period{Amount: 1, Unit: timeline.Years}, 1,
			[]string{"2025-02-28T10:00:00.000Z", "2026-02-28T10:00:00.000Z", "2027-02-28T10:00:00.000Z",
				"2028-02-29T10:00:00.000Z"}},
		{"every third month over the end of a year", "UTC", "2024-11-30T00:00:00Z",
			commerce.Period{Amount: 3, Unit: timeline.Months}, 1,
			[]string{"2025-02-28T00:00:00.000Z", "2025-05-30T00:00:00.000Z"}},
		{"the month is that of the place", "America/New_York", "2025-02-01T02:00:00Z", months, 1, // 31 January, 21:00
			[]string{"2025-03-01T02:00:00.000Z", "2025-04-01T01:00:00.000Z"}},
		{"the same hour when clocks go forward", "Europe/Lisbon", "2025-03-29T09:00:00Z", days, 0,
			[]string{"2025-03-29T09:00:00.000Z", "2025-03-30T08:00:00.000Z", "2025-03-31T08:00:00.000Z"}},
		{"and back", "Europe/Lisbon", "2025-10-25T08:00:00Z", days, 0,
			[]string{"2025-10-25T08:00:00.000Z", "2025-10-26T09:00:00.000Z"}},
		{"an hour that is skipped", "Europe/Lisbon", "2025-03-29T01:30:00Z", days, 1,
			[]string{"2025-03-30T01:30:00.000Z", "2025-03-31T00:30:00.000Z"}},
		{"an hour that comes twice", "Europe/Lisbon", "2025-10-25T00:30:00Z", days, 1,
			[]string{"2025-10-26T00:30:00.000Z", "2025-10-27T01:30:00.000Z"}},
		{"a day that is skipped", "Pacific/Apia", "2011-12-28T20:00:00Z", days, 0, // 28 December, 10:00
			[]string{"2011-12-28T20:00:00.000Z", "2011-12-29T20:00:00.000Z", "2011-12-30T20:00:00.000Z",
				"2011-12-30T20:00:00.000Z", "2011-12-31T20:00:00.000Z"}},
		{"hours are hours", "Europe/Lisbon", "2025-03-29T09:00:00Z", commerce.Period{Amount: 24, Unit: timeline.Hours},
			0,
			[]string{"2025-03-29T09:00:00.000Z", "2025-03-30T09:00:00.000Z"}},
		{"the end of all years", "UTC", "9999-11-30T00:00:00Z", months, 0,
			[]string{"9999-11-30T00:00:00.000Z", "9999-12-30T00:00:00.000Z", "never", "never"}},
		{"more than an integer holds", "UTC", "2025-01-01T00:00:00Z",
			commerce.Period{Amount: 3660 * 86400, Unit: timeline.Seconds}, 1 << 62, []string{"never"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			z := stock.MustZone(c.zone)
			start := clock(t, c.start)
			var got []string
			for n := range c.want {
				got = append(got, written(commerce.BillingAt(start, c.cycle, c.first+n, z)))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestNextBilling(t *testing.T) {
	z := stock.MustZone("Europe/Lisbon")
	next := func(start string, cycle commerce.Period, after string) (int, string) {
		n, at := commerce.NextBilling(clock(t, start), cycle, clock(t, after), z)
		return n, written(at)
	}
	for _, c := range []struct {
		start string
		cycle commerce.Period
		after string
		n     int
		at    string
	}{
		{"2025-01-31T10:00:00Z", commerce.Period{Amount: 1, Unit: timeline.Months}, "2025-01-30T10:00:00Z", 0,
			"2025-01-31T10:00:00.000Z"},
		{"2025-01-31T10:00:00Z", commerce.Period{Amount: 1, Unit: timeline.Months}, "2025-01-31T10:00:00Z", 1,
			"2025-02-28T10:00:00.000Z"},
		{"2025-01-31T10:00:00Z", commerce.Period{Amount: 1, Unit: timeline.Months}, "2025-02-28T10:00:00Z", 2,
			"2025-03-31T09:00:00.000Z"},
		{"2025-01-31T10:00:00Z", commerce.Period{Amount: 1, Unit: timeline.Months}, "2025-03-31T08:59:59.999Z", 2,
			"2025-03-31T09:00:00.000Z"},
		{"2025-01-01T00:00:00Z", commerce.Period{Amount: 7, Unit: timeline.Seconds}, "2065-01-01T00:00:00Z",
			1262304000/7 + 1, "2065-01-01T00:00:01.000Z"},
		{"1970-01-01T00:00:00Z", commerce.Period{Amount: 1, Unit: timeline.Seconds}, "9999-12-31T23:59:58Z",
			253402300799, "9999-12-31T23:59:59.000Z"},
		{"9999-12-01T00:00:00Z", commerce.Period{Amount: 1, Unit: timeline.Months}, "9999-12-01T00:00:00Z", 1, "never"},
	} {
		n, at := next(c.start, c.cycle, c.after)
		require.Equal(t, c.at, at, "%+v", c)
		require.Equal(t, c.n, n, "%+v", c)
	}
	// Both payments of the instant that two days have in Apia are over at it.
	apia, start := stock.MustZone("Pacific/Apia"), clock(t, "2011-12-28T20:00:00Z")
	n, at := commerce.NextBilling(start, commerce.Period{Amount: 1, Unit: timeline.Days},
		clock(t, "2011-12-30T20:00:00Z"), apia)
	require.Equal(t, 4, n)
	require.Equal(t, "2011-12-31T20:00:00.000Z", written(at))
	_, at = commerce.NextBilling(start, commerce.Period{Amount: 1, Unit: timeline.Days}, base.Forever, apia)
	require.Equal(t, "never", written(at))
}

func TestEndOfASubscription(t *testing.T) {
	z := stock.MustZone("Europe/Lisbon")
	month := commerce.Period{Amount: 1, Unit: timeline.Months}
	for _, c := range []struct {
		name      string
		terms     commerce.SubscriptionTerms
		now       string
		committed string
		end       string
	}{
		{"nothing binds", commerce.SubscriptionTerms{Cycle: month}, "2025-02-10T00:00:00Z", "2025-01-31T10:00:00.000Z",
			"2025-02-28T10:00:00.000Z"},
		{"before the start", commerce.SubscriptionTerms{Cycle: month}, "2025-01-01T00:00:00Z",
			"2025-01-31T10:00:00.000Z", "2025-02-28T10:00:00.000Z"},
		{"at the end of a cycle", commerce.SubscriptionTerms{Cycle: month}, "2025-02-28T10:00:00Z",
			"2025-01-31T10:00:00.000Z", "2025-02-28T10:00:00.000Z"},
		{"right behind it", commerce.SubscriptionTerms{Cycle: month}, "2025-02-28T10:00:00.001Z",
			"2025-01-31T10:00:00.000Z", "2025-03-31T09:00:00.000Z"},
		{"cycles", commerce.SubscriptionTerms{Cycle: month, CommitmentCycles: ptr[int64](3)}, "2025-02-10T00:00:00Z",
			"2025-04-30T09:00:00.000Z", "2025-04-30T09:00:00.000Z"},
		{"a period that ends within a cycle", commerce.SubscriptionTerms{Cycle: month,
			Commitment: &commerce.Period{Amount: 10, Unit: timeline.Weeks}}, "2025-02-10T00:00:00Z",
			"2025-04-11T09:00:00.000Z", "2025-04-30T09:00:00.000Z"},
		{"the later of the two", commerce.SubscriptionTerms{Cycle: month, CommitmentCycles: ptr[int64](2),
			Commitment: &commerce.Period{Amount: 1, Unit: timeline.Years}}, "2025-02-10T00:00:00Z",
			"2026-01-31T10:00:00.000Z", "2026-01-31T10:00:00.000Z"},
		{"or the other", commerce.SubscriptionTerms{Cycle: month, CommitmentCycles: ptr[int64](2),
			Commitment: &commerce.Period{Amount: 1, Unit: timeline.Days}}, "2025-02-10T00:00:00Z",
			"2025-03-31T09:00:00.000Z", "2025-03-31T09:00:00.000Z"},
		{"notice in time", commerce.SubscriptionTerms{Cycle: month,
			CancellationLead: &commerce.Period{Amount: 14, Unit: timeline.Days}}, "2025-02-14T10:00:00Z",
			"2025-01-31T10:00:00.000Z", "2025-02-28T10:00:00.000Z"},
		{"notice too late", commerce.SubscriptionTerms{Cycle: month,
			CancellationLead: &commerce.Period{Amount: 14, Unit: timeline.Days}}, "2025-02-14T10:00:00.001Z",
			"2025-01-31T10:00:00.000Z", "2025-03-31T09:00:00.000Z"},
		{"notice within the commitment", commerce.SubscriptionTerms{Cycle: month, CommitmentCycles: ptr[int64](3),
			CancellationLead: &commerce.Period{Amount: 1, Unit: timeline.Months}},
			"2025-03-30T09:00:00Z", "2025-04-30T09:00:00.000Z", "2025-04-30T09:00:00.000Z"},
		{"notice beyond the commitment", commerce.SubscriptionTerms{Cycle: month, CommitmentCycles: ptr[int64](3),
			CancellationLead: &commerce.Period{Amount: 1, Unit: timeline.Months}},
			"2025-04-01T00:00:00Z", "2025-04-30T09:00:00.000Z", "2025-05-31T09:00:00.000Z"},
		{"behind all years", commerce.SubscriptionTerms{Cycle: month}, "9999-12-31T23:00:00Z",
			"2025-01-31T10:00:00.000Z", "never"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := clock(t, "2025-01-31T10:00:00Z")
			require.Equal(t, c.committed, written(commerce.CommitmentEnd(start, &c.terms, z)))
			require.Equal(t, c.end, written(commerce.EarliestEnd(start, &c.terms, clock(t, c.now), z)))
		})
	}
}

func TestDurationsOfAWindow(t *testing.T) {
	for _, c := range []struct {
		zone     string
		duration *commerce.Period
		from, to string
		want     int64
	}{
		{"Europe/Lisbon", nil, "2025-01-01T00:00:00Z", "2030-01-01T00:00:00Z", 1},
		{"Europe/Lisbon", &commerce.Period{Amount: 1, Unit: timeline.Days}, "2025-01-01T10:00:00Z",
			"2025-01-01T10:00:00.001Z", 1},
		{"Europe/Lisbon", &commerce.Period{Amount: 1, Unit: timeline.Days}, "2025-01-01T10:00:00Z",
			"2025-01-02T10:00:00Z", 1},
		{"Europe/Lisbon", &commerce.Period{Amount: 1, Unit: timeline.Days}, "2025-01-01T10:00:00Z",
			"2025-01-02T10:00:00.001Z", 2},
		// A day of 23 hours, and one of 25, from morning to morning.
		{"Europe/Lisbon", &commerce.Period{Amount: 1, Unit: timeline.Days}, "2025-03-29T09:00:00Z",
			"2025-03-30T08:00:00Z", 1},
		{"Europe/Lisbon", &commerce.Period{Amount: 1, Unit: timeline.Days}, "2025-03-29T09:00:00Z",
			"2025-03-30T08:00:00.001Z", 2},
		{"Europe/Lisbon", &commerce.Period{Amount: 1, Unit: timeline.Days}, "2025-10-25T08:00:00Z",
			"2025-10-26T09:00:00Z", 1},
		{"Europe/Lisbon", &commerce.Period{Amount: 24, Unit: timeline.Hours}, "2025-10-25T08:00:00Z",
			"2025-10-26T09:00:00Z", 2},
		{"UTC", &commerce.Period{Amount: 1, Unit: timeline.Months}, "2025-01-31T00:00:00Z", "2025-02-28T00:00:00Z", 1},
		{"UTC", &commerce.Period{Amount: 1, Unit: timeline.Months}, "2025-01-31T00:00:00Z", "2025-03-31T00:00:00Z", 2},
		{"UTC", &commerce.Period{Amount: 1, Unit: timeline.Months}, "2025-01-31T00:00:00Z", "2025-03-30T00:00:00Z", 2},
		{"UTC", &commerce.Period{Amount: 2, Unit: timeline.Weeks}, "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z", 3},
		{"UTC", &commerce.Period{Amount: 1, Unit: timeline.Seconds}, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
			253402300800},
		{"UTC", &commerce.Period{Amount: 10, Unit: timeline.Years}, "2025-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
			798},
		{"Pacific/Apia", &commerce.Period{Amount: 1, Unit: timeline.Days}, "2011-12-28T20:00:00Z",
			"2011-12-30T20:00:00Z", 2},
	} {
		w := base.Span{Start: clock(t, c.from), End: clock(t, c.to)}
		require.Equal(t, c.want,
			commerce.UnitsOf(&commerce.PricingRow{Duration: c.duration}, w, stock.MustZone(c.zone)), "%+v", c)
	}
}
