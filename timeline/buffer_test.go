package timeline

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// steps is one line per case: zone, start, amount, unit, end.
func TestAddSteps(t *testing.T) {
	steps := func(name, from string, n int64, unit Unit, want string) {
		t.Helper()
		got := AddSteps(zone(t, name), utc(t, from), n, unit)
		require.Equal(t, want, string(AppendInstant(nil, got)), "%s %s %d %s", name, from, n, unit)
	}
	// Helsinki loses the hour from 03:00 on 2025-03-30: a day later is 23 hours later, 24 hours later is another clock.
	steps("Europe/Helsinki", "2025-03-29T10:00:00+02:00", 1, Days, "2025-03-30T07:00:00.000Z")
	steps("Europe/Helsinki", "2025-03-29T10:00:00+02:00", 24, Hours, "2025-03-30T08:00:00.000Z")
	steps("Europe/Helsinki", "2025-03-29T03:30:00+02:00", 1, Days, "2025-03-30T01:30:00.000Z") // 04:30
	steps("Europe/Helsinki", "2025-03-31T03:30:00+03:00", -1, Days, "2025-03-30T01:30:00.000Z")
	steps("Europe/Helsinki", "2025-03-30T04:30:00+03:00", -1, Days, "2025-03-29T02:30:00.000Z") // 04:30, not 03:30
	// It repeats the hour from 03:00 on 2025-10-26: the first one is meant.
	steps("Europe/Helsinki", "2025-10-25T03:30:00+03:00", 1, Days, "2025-10-26T00:30:00.000Z")
	steps("Europe/Helsinki", "2025-10-27T03:30:00+02:00", -1, Days, "2025-10-26T00:30:00.000Z")
	steps("Europe/Helsinki", "2025-10-26T03:30:00+02:00", 0, Days, "2025-10-26T01:30:00.000Z") // no step, no first
	steps("Europe/Helsinki", "2025-10-26T03:30:00+02:00", 1, Days, "2025-10-27T01:30:00.000Z")
	// West of Greenwich it is the same rule.
	steps("America/New_York", "2025-03-08T02:30:00-05:00", 1, Days, "2025-03-09T07:30:00.000Z") // 03:30
	steps("America/New_York", "2025-02-09T02:30:00-05:00", 1, Months, "2025-03-09T07:30:00.000Z")
	steps("America/New_York", "2025-11-01T01:30:00-04:00", 1, Days, "2025-11-02T05:30:00.000Z")
	// Beirut has no 00:00 on 2024-03-31, Apia no 2011-12-30, Lord Howe loses half an hour.
	steps("Asia/Beirut", "2024-03-30T00:00:00+02:00", 1, Days, "2024-03-30T22:00:00.000Z") // 01:00
	steps("Asia/Beirut", "2024-03-30T00:20:00+02:00", 1, Days, "2024-03-30T22:20:00.000Z") // 01:20
	steps("Pacific/Apia", "2011-12-29T12:00:00-10:00", 1, Days, "2011-12-30T22:00:00.000Z")
	steps("Pacific/Apia", "2011-12-29T12:00:00-10:00", 2, Days, "2011-12-30T22:00:00.000Z")
	steps("Pacific/Apia", "2011-11-30T12:00:00-10:00", 1, Months, "2011-12-30T22:00:00.000Z")
	steps("Australia/Lord_Howe", "2025-10-04T02:10:00+10:30", 1, Days, "2025-10-04T15:40:00.000Z") // 02:40
	steps("Australia/Lord_Howe", "2025-04-05T01:40:00+11:00", 1, Days, "2025-04-05T14:40:00.000Z")
	// Month ends.
	steps("UTC", "2025-01-31T10:00:00Z", 1, Months, "2025-02-28T10:00:00.000Z")
	steps("UTC", "2024-01-31T10:00:00Z", 1, Months, "2024-02-29T10:00:00.000Z")
	steps("UTC", "2025-03-31T10:00:00Z", -1, Months, "2025-02-28T10:00:00.000Z")
	steps("UTC", "2025-01-31T10:00:00Z", 13, Months, "2026-02-28T10:00:00.000Z")
	steps("UTC", "2025-01-15T10:00:00Z", -13, Months, "2023-12-15T10:00:00.000Z")
	steps("UTC", "2024-02-29T10:00:00Z", 1, Years, "2025-02-28T10:00:00.000Z")
	steps("UTC", "2024-02-29T10:00:00Z", 4, Years, "2028-02-29T10:00:00.000Z")
	steps("UTC", "2024-02-29T10:00:00Z", -4, Years, "2020-02-29T10:00:00.000Z")
	steps("UTC", "2025-01-01T00:00:00Z", 2, Weeks, "2025-01-15T00:00:00.000Z")
	steps("UTC", "2025-01-01T00:00:00.250Z", 90, Seconds, "2025-01-01T00:01:30.250Z")
	steps("UTC", "2025-01-01T00:00:00Z", -90, Minutes, "2024-12-31T22:30:00.000Z")
}

func TestAddStepsSaturates(t *testing.T) {
	z := zone(t, "Pacific/Auckland")
	for unit := Seconds; unit <= Years; unit++ {
		for _, n := range []int64{math.MaxInt64, math.MaxInt64 / 2, 400_000_000_000} {
			require.Equal(t, Forever, AddSteps(z, 0, n, unit), "%s", unit)
			require.Equal(t, MinInstant, AddSteps(z, MaxInstant, -n, unit), "%s", unit)
		}
		require.Equal(t, MinInstant, AddSteps(z, MaxInstant, math.MinInt64, unit), "%s", unit)
		require.Equal(t, Forever, AddSteps(z, MaxInstant, 1, unit), "%s", unit)
		require.Equal(t, MinInstant, AddSteps(z, 0, -1, unit), "%s", unit)
		require.Equal(t, Forever, AddSteps(z, Forever, -1, unit), "%s", unit)
		require.Equal(t, Forever, AddSteps(z, Forever, 1, unit), "%s", unit)
	}
	require.Equal(t, MaxInstant, AddSteps(nil, MaxInstant-1000, 1, Seconds))
	require.Panics(t, func() { AddSteps(z, 0, 1, 0) })
}

// TestAddStepsNeverGoesBack: a step forward never ends earlier than it began, in any zone, beside any change of its
// clock.
func TestAddStepsNeverGoesBack(t *testing.T) {
	for _, z := range distinctZones(t) {
		for at := int64(0); at < utc(t, "2039-01-01T00:00:00Z"); {
			e := z.era(at)
			if e.end == Forever {
				break
			}
			at = e.end
			for _, d := range []int64{-25 * Hour, -24 * Hour, -Hour, -1, 0, 30 * Minute, 90 * Minute, 23 * Hour,
				24 * Hour, 25 * Hour} {
				from := max(e.end+d, 40*dayMs)
				if AddSteps(z, from, 1, Days) < from || AddSteps(z, from, -1, Days) > from {
					t.Fatalf("%s: a day from %s goes the other way", z.name, AppendInstant(nil, from))
				}
			}
		}
	}
}

func TestHull(t *testing.T) {
	z := zone(t, "Europe/Helsinki")
	body := Span{Start: utc(t, "2025-03-30T10:00:00+03:00"), End: utc(t, "2025-04-02T10:00:00+03:00")}
	day, hours, none := Buffer{1, Days}, Buffer{4, Hours}, Buffer{}

	require.Equal(t, body, Hull(body, none, none, nil, 0))
	require.Equal(t, Span{utc(t, "2025-03-29T08:00:00Z"), body.End + 4*Hour}, Hull(body, day, hours, z, 0))
	// The command's instant cuts the buffer, never the body.
	require.Equal(t, Span{body.Start - Hour, body.End}, Hull(body, day, none, z, body.Start-Hour))
	require.Equal(t, body, Hull(body, day, none, z, body.Start))
	require.Equal(t, body, Hull(body, day, none, z, body.Start+Hour))
	require.Equal(t, body, Hull(body, day, none, z, body.End+Hour))
	// Open and distant ends.
	require.Equal(t, Span{body.Start, Forever}, Hull(Span{body.Start, Forever}, none, day, z, 0))
	require.Equal(t, Span{body.Start, Forever}, Hull(Span{body.Start, MaxInstant}, none, day, z, 0))
	require.Equal(t, Span{0, Hour}, Hull(Span{0, Hour}, Buffer{10, Years}, none, z, 0))
}

func TestBufferBounds(t *testing.T) {
	for unit := Seconds; unit <= Years; unit++ {
		got, ok := ParseUnit(unit.String())
		require.True(t, ok)
		require.Equal(t, unit, got)
		require.True(t, Buffer{1, unit}.Valid())
		require.True(t, Buffer{maxBuffer[unit], unit}.Valid())
		require.False(t, Buffer{maxBuffer[unit] + 1, unit}.Valid())
		require.False(t, Buffer{-1, unit}.Valid())
	}
	require.True(t, Buffer{}.Valid())
	require.False(t, Buffer{1, 0}.Valid())
	require.False(t, Buffer{1, 8}.Valid())
	for _, name := range []string{"", "day", "Days", "DAYS", "fortnights"} {
		_, ok := ParseUnit(name)
		require.False(t, ok, name)
	}
	require.Empty(t, Unit(0).String())
	require.Empty(t, Unit(99).String())
}

func TestDatesAgainstCounting(t *testing.T) {
	d := Date{1970, 1, 1}
	for day := int64(0); day < 3_000_000; day++ {
		if dateOf(day) != d || d.number() != day {
			t.Fatalf("day %d is %v, want %v", day, dateOf(day), d)
		}
		if int64(d.Day) < monthDays(int64(d.Year), int64(d.Month)) {
			d.Day++
		} else if d.Day = 1; d.Month < 12 {
			d.Month++
		} else {
			d.Month, d.Year = 1, d.Year+1
		}
	}
	require.Equal(t, Date{1969, 12, 31}, dateOf(-1))
	require.Equal(t, Date{1600, 2, 29}, Date{1600, 3, 1}.AddDays(-1))
	require.Equal(t, int64(366), Date{2024, 1, 1}.DaysUntil(Date{2025, 1, 1}))
	require.True(t, Date{2024, 12, 31}.Before(Date{2025, 1, 1}))
}

func TestParseDate(t *testing.T) {
	d, ok := ParseDate("2024-02-29")
	require.True(t, ok)
	require.Equal(t, Date{2024, 2, 29}, d)
	for _, s := range []string{"", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-00", "2024-1-01", "24-01-01",
		"2024-01-01 ", "2024/01/01", "2024-01-01T00:00:00Z", "+024-01-01"} {
		_, ok := ParseDate(s)
		require.False(t, ok, s)
	}
}

func TestDayStart(t *testing.T) {
	starts := func(name string, d Date, want string, exists bool) {
		t.Helper()
		at, ok := DayStart(zone(t, name), d)
		require.Equal(t, want, string(AppendInstant(nil, at)))
		require.Equal(t, exists, ok)
	}
	starts("Europe/Helsinki", Date{2025, 3, 30}, "2025-03-29T22:00:00.000Z", true)
	starts("Asia/Beirut", Date{2024, 3, 31}, "2024-03-30T22:00:00.000Z", true) // begins at 01:00
	starts("Pacific/Apia", Date{2011, 12, 29}, "2011-12-29T10:00:00.000Z", true)
	starts("Pacific/Apia", Date{2011, 12, 30}, "2011-12-30T10:00:00.000Z", false)
	starts("Pacific/Apia", Date{2011, 12, 31}, "2011-12-30T10:00:00.000Z", true)
	// At 00:01 of 2010-11-07 St. John's went back to 23:01: the day began, stopped, and began again.
	starts("America/St_Johns", Date{2010, 11, 7}, "2010-11-07T02:30:00.000Z", true)
	// Havana repeats the hour from 00:00.
	starts("America/Havana", Date{2024, 11, 3}, "2024-11-03T04:00:00.000Z", true)
}

func TestDayAndHourEdges(t *testing.T) {
	cut := func(edges []int64) []string {
		var out []string
		for _, e := range edges {
			out = append(out, string(AppendInstant(nil, e)))
		}
		return out
	}
	apia := zone(t, "Pacific/Apia")
	require.Equal(t, []string{"2011-12-28T10:00:00.000Z", "2011-12-29T10:00:00.000Z", "2011-12-30T10:00:00.000Z",
		"2011-12-31T10:00:00.000Z"},
		cut(DayEdges(apia, utc(t, "2011-12-28T10:00:00Z"), utc(t, "2011-12-31T10:00:00Z"))))
	// A range that begins and ends within days; the day of the change has 23 hours.
	helsinki := zone(t, "Europe/Helsinki")
	require.Equal(t, []string{"2025-03-29T12:00:00.000Z", "2025-03-29T22:00:00.000Z", "2025-03-30T21:00:00.000Z",
		"2025-03-30T21:30:00.000Z"},
		cut(DayEdges(helsinki, utc(t, "2025-03-29T12:00:00Z"), utc(t, "2025-03-30T21:30:00Z"))))
	// Within one day, and up to its end.
	require.Equal(t, []string{"2025-03-29T12:00:00.000Z", "2025-03-29T22:00:00.000Z"},
		cut(DayEdges(helsinki, utc(t, "2025-03-29T12:00:00Z"), utc(t, "2025-03-29T22:00:00Z"))))
	// From the repeated end of a day whose successor has begun already.
	require.Equal(t, []string{"2010-11-07T02:40:00.000Z", "2010-11-08T03:30:00.000Z", "2010-11-08T04:00:00.000Z"},
		cut(DayEdges(zone(t, "America/St_Johns"), utc(t, "2010-11-07T02:40:00Z"), utc(t, "2010-11-08T04:00:00Z"))))

	howe := zone(t, "Australia/Lord_Howe")
	require.Equal(t, []string{"2025-04-05T13:30:00.000Z", "2025-04-05T14:00:00.000Z", "2025-04-05T15:00:00.000Z",
		"2025-04-05T15:30:00.000Z", "2025-04-05T16:00:00.000Z"},
		cut(HourEdges(howe, utc(t, "2025-04-05T13:30:00Z"), utc(t, "2025-04-05T16:00:00Z"))))
	require.Equal(t, []string{"2025-10-04T14:40:00.000Z", "2025-10-04T15:30:00.000Z", "2025-10-04T16:00:00.000Z",
		"2025-10-04T17:00:00.000Z"},
		cut(HourEdges(howe, utc(t, "2025-10-04T14:40:00Z"), utc(t, "2025-10-04T17:00:00Z"))))
}

// TestEdgesAgainstTwin counts minutes: an edge is where the local date (or hour, or offset) is another than in the
// minute before.
func TestEdgesAgainstTwin(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for _, name := range []string{"Europe/Helsinki", "America/New_York", "Asia/Beirut", "Pacific/Apia",
		"Australia/Lord_Howe", "America/Havana", "Asia/Kathmandu", "America/Asuncion", "Africa/Casablanca",
		"America/Scoresbysund"} {
		z := zone(t, name)
		for at := utc(t, "2009-01-01T00:00:00Z"); at < utc(t, "2030-01-01T00:00:00Z"); {
			e := z.era(at)
			at = e.end
			if at == Forever {
				break
			}
			from := at - 50*Hour + rnd.Int64N(60)*Minute
			to := at + 50*Hour + rnd.Int64N(60)*Minute
			days, hours := []int64{from}, []int64{from}
			begun := DateOf(z, from)
			for m := from + Minute; m < to; m += Minute {
				if d := DateOf(z, m); begun.Before(d) {
					begun = d
					days = append(days, m)
				}
				if h, _ := floorDiv(z.local(m), Hour); z.slowOffset(m) != z.slowOffset(m-1) || h*Hour == z.local(m) {
					hours = append(hours, m)
				}
			}
			require.Equal(t, append(days, to), DayEdges(z, from, to), "%s %d", name, from)
			require.Equal(t, append(hours, to), HourEdges(z, from, to), "%s %d", name, from)
		}
	}
}

func TestEdgesStopAtTheLimit(t *testing.T) {
	z := zone(t, "Europe/Helsinki")
	require.Len(t, DayEdges(z, 0, MaxInstant), EdgeLimit)
	require.Len(t, HourEdges(z, 0, MaxInstant), EdgeLimit)
	from := utc(t, "2025-01-01T00:30:00Z")
	for _, n := range []int64{9_999, 10_000, 10_001, 10_002} { // full hours within the range
		edges := HourEdges(z, from, from+n*Hour)
		require.Len(t, edges, int(min(n+2, EdgeLimit)))
		require.Equal(t, n <= 10_000, edges[len(edges)-1] == from+n*Hour, "%d", n)
	}
}

func TestWallInstant(t *testing.T) {
	lisbon := zone(t, "Europe/Lisbon")
	require.Equal(t, utc(t, "2016-07-01T14:00:00Z"), WallInstant(lisbon, Date{2016, 7, 1}, 15*Hour))
	require.Equal(t, utc(t, "2016-01-01T15:00:00Z"), WallInstant(lisbon, Date{2016, 1, 1}, 15*Hour))
}

// A buffer and its value keep the same time free, and the values of buffers that do not are not the same.
func TestValueOfABuffer(t *testing.T) {
	b := func(n int64, u Unit) Buffer { return Buffer{n, u} }
	for _, alike := range [][]Buffer{
		{{}, b(0, Seconds), b(0, Days), b(0, Years)},
		{b(7200, Seconds), b(120, Minutes), b(2, Hours)},
		{b(14, Days), b(2, Weeks)},
		{b(24, Months), b(2, Years)},
	} {
		for _, x := range alike {
			require.Equal(t, alike[0].Value(), x.Value())
		}
	}
	require.NotEqual(t, b(24, Hours).Value(), b(1, Days).Value())
	require.NotEqual(t, b(30, Days).Value(), b(1, Months).Value())
	z := zone(t, "Europe/Helsinki")
	r := rand.New(rand.NewPCG(8, 8))
	for range 2000 {
		x := Buffer{r.Int64N(40), Seconds + Unit(r.IntN(int(Years)))}
		body := Span{utc(t, "2025-03-20T10:00:00+02:00") + r.Int64N(30*dayMs), Forever}
		body.End = body.Start + 1 + r.Int64N(dayMs)
		require.Equal(t, Hull(body, x, x, z, 0), Hull(body, x.Value(), x.Value(), z, 0), "%v", x)
	}
}
