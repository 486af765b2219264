package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/timeline"
)

func resortBookings(t testing.TB) []booking {
	t.Helper()
	f, err := os.Open("../../bench/testdata/resort-hotel-bookings.csv.gz")
	require.NoError(t, err)
	defer f.Close()
	bookings, err := readBookings(f)
	require.NoError(t, err)
	return bookings
}

func lisbon(t testing.TB) *timeline.Zone {
	t.Helper()
	z, err := timeline.LoadZone("Europe/Lisbon")
	require.NoError(t, err)
	return z
}

// slowAnswers is the twin of every engine under replay: with everything movable, a booking fits exactly if every
// instant of its hull has fewer units taken than there are. It counts day parts in plain maps and shares nothing with
// occupancy.
func slowAnswers(p *replayPlan) (accepted []bool) {
	accepted = make([]bool, len(p.stays))
	taken := map[[2]int64]int{} // SKU and start of a part of a day
	const part = 4 * timeline.Hour
	parts := func(s *stay, fn func(key [2]int64)) {
		// Hulls begin at 07:00 or 15:00 and end at 15:00: local parts that begin at 07, 11, 15, 19, 23 and 03 hours are
		// never cut.
		for t := s.hull.Start; t < s.hull.End; t += part {
			fn([2]int64{int64(s.sku), t})
		}
	}
	for _, e := range p.events {
		s := &p.stays[e.stay]
		switch {
		case !e.off:
			free := true
			parts(s, func(key [2]int64) { free = free && taken[key] < p.skus[s.sku].units })
			if free {
				accepted[e.stay] = true
				parts(s, func(key [2]int64) { taken[key]++ })
			}
		case accepted[e.stay]:
			parts(s, func(key [2]int64) { taken[key]-- })
		}
	}
	return accepted
}

func TestResortCounts(t *testing.T) {
	bookings := resortBookings(t)
	require.Len(t, bookings, 40060)
	for capacity, want := range map[int]int{40: 28949, 60: 36935, 80: 39599, 100: 40060} {
		// UTC has no change of its clock, which keeps the twin's parts of a day aligned; Lisbon's windows overlap in
		// the same way.
		utc, err := timeline.LoadZone("UTC")
		require.NoError(t, err)
		p, err := planReplay(bookings, utc, capacity, 0)
		require.NoError(t, err)
		accepted := slowAnswers(p)
		got := 0
		for _, a := range accepted {
			if a {
				got++
			}
		}
		require.Equal(t, want, got, "capacity %d", capacity)

		p, err = planReplay(bookings, lisbon(t), capacity, 0)
		require.NoError(t, err)
		verdicts, err := checkReplay(p, accepted)
		require.NoError(t, err)
		sum := verdict{}
		for _, v := range verdicts {
			sum.accepted += v.accepted
			sum.refused += v.refused
			sum.wrongRefusals += v.wrongRefusals
			sum.nightsSold += v.nightsSold
		}
		require.Equal(t, want, sum.accepted)
		require.Equal(t, len(bookings)-want, sum.refused)
		require.Zero(t, sum.wrongRefusals)
	}
}

const header = "row,reserved_room_type,assigned_room_type,booked_on,arrival,nights,outcome,outcome_on,country," +
	"daily_rate\n"

func TestReadBookings(t *testing.T) {
	const good = header +
		"1,A,C,2016-01-01,2016-02-28,2,check-out,2016-03-01,PRT,75.5\n" +
		"7,B,B,2016-01-01,2016-01-01,0,canceled,2016-01-01,NULL,-6.38\n"
	want := []booking{
		{row: 1, roomType: "A", bookedOn: timeline.Date{Year: 2016, Month: 1, Day: 1},
			arrival: timeline.Date{Year: 2016, Month: 2, Day: 28}, nights: 2},
		{row: 7, roomType: "B", bookedOn: timeline.Date{Year: 2016, Month: 1, Day: 1},
			arrival: timeline.Date{Year: 2016, Month: 1, Day: 1}, calledOff: true,
			offOn: timeline.Date{Year: 2016, Month: 1, Day: 1}},
	}
	got, err := readBookings(strings.NewReader(good))
	require.NoError(t, err)
	require.Equal(t, want, got)

	got, err = readBookings(strings.NewReader("\xef\xbb\xbf" + good))
	require.NoError(t, err, "a mark of UTF-8 is passed over, as import does")
	require.Equal(t, want, got)

	got, err = readBookings(strings.NewReader(strings.ReplaceAll(good, "\n", "\r\n")))
	require.NoError(t, err)
	require.Equal(t, want, got)

	packed := gzipped(t, good)
	got, err = readBookings(bytes.NewReader(packed))
	require.NoError(t, err)
	require.Equal(t, want, got)
	for n := range packed {
		_, err = readBookings(bytes.NewReader(packed[:n]))
		require.Error(t, err, "%d bytes of a gzip file", n)
	}
}

func gzipped(t testing.TB, s string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write([]byte(s))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.Bytes()
}

func TestReadBookingsNamesTheLine(t *testing.T) {
	const row = "1,A,C,2016-01-01,2016-02-28,2,check-out,2016-03-01,PRT,75.5\n"
	fault := func(text string, want ...string) {
		t.Helper()
		got, err := readBookings(strings.NewReader(text))
		require.Error(t, err)
		require.Nil(t, got)
		for _, w := range want {
			require.Contains(t, err.Error(), w)
		}
	}
	off := func(column int, value string) string {
		fields := strings.Split(strings.TrimSpace(strings.Replace(row, "1,", "2,", 1)), ",")
		fields[column] = value
		return header + row + strings.Join(fields, ",") + "\n"
	}
	fault("", "empty", "row,reserved_room_type")
	fault(row, "line 1", "header")
	fault(header, "no bookings")
	fault(strings.Replace(header, "nights", "night", 1)+row, "line 1", "header")
	fault(header+row+row, "line 3", "row 1 was on line 2")
	fault(header+row+"2,A\n", "line 3", "has 2 fields")
	fault(header+row+"\"2,A\n", "line 3")
	fault(off(0, "x"), "line 3", `row "x"`)
	fault(off(0, "-1"), "line 3", "row")
	fault(off(1, ""), "line 3", "reserved_room_type")
	fault(off(3, "2016-02-30"), "line 3", "booked_on")
	fault(off(4, "28.02.2016"), "line 3", "arrival")
	fault(off(4, "2016-02-28T10:00:00Z"), "line 3", "arrival")
	fault(off(4, "1969-12-31"), "line 3", "arrival")
	fault(off(5, "-1"), "line 3", "nights")
	fault(off(5, "1.5"), "line 3", "nights")
	fault(off(5, "99999999"), "line 3", "nights")
	fault(off(6, "cancelled"), "line 3", "outcome")
	fault(off(7, ""), "line 3", "outcome_on")
	fault(off(9, "cheap"), "line 3", "daily_rate")
	fault(off(9, "NaN"), "line 3", "daily_rate")
	fault(header+row+"2,A,C,2016-01-05,2016-02-28,2,canceled,2016-01-04,PRT,75.5\n", "line 3", "before booked_on")
	// All faults of a row and of several rows, each under its line.
	fault(header+row+"2,,C,2016-13-01,2016-02-28,2,check-out,2016-03-01,PRT,75.5\n"+
		"3,A,C,2016-01-01,2016-02-28,two,check-out,2016-03-01,PRT,75.5\n",
		"line 3", "reserved_room_type", "booked_on", "line 4", "nights")
	// A quoted field may span lines: what is named is where the row begins.
	fault(header+"1,\"A\nA\",C,2016-01-01,2016-02-28,2,check-out,2016-03-01,PRT,75.5\n"+
		strings.Replace(row, "1,", "two,", 1), "line 4")
	fault(header+strings.Repeat("x\n", 1000), "line 21", "perhaps more")
}

func TestOrderOfPlay(t *testing.T) {
	day := func(d int) timeline.Date { return timeline.Date{Year: 2016, Month: 1, Day: uint8(d)} }
	bookings := []booking{
		{row: 5, bookedOn: day(2)},
		{row: 4, bookedOn: day(2), calledOff: true, offOn: day(2)},
		{row: 3, bookedOn: day(1), calledOff: true, offOn: day(2)},
		{row: 2, bookedOn: day(1), calledOff: true, offOn: day(3)},
		{row: 1, bookedOn: day(2), calledOff: true, offOn: day(2)},
		{row: 6, bookedOn: day(1), calledOff: true, offOn: day(2)},
	}
	var got []string
	for _, e := range orderOfPlay(bookings) {
		sign := "+"
		if e.off {
			sign = "-"
		}
		got = append(got, fmt.Sprint(sign, bookings[e.stay].row))
	}
	require.Equal(t, "+2 +3 +6 -3 -6 +1 +4 +5 -1 -4 -2", strings.Join(got, " "))
}

func TestStayWindows(t *testing.T) {
	text := func(s timeline.Span) string { return instantText(s.Start) + " " + instantText(s.End) }
	date := func(s string) timeline.Date {
		d, ok := timeline.ParseDate(s)
		require.True(t, ok)
		return d
	}
	require.Equal(t, "2016-01-31T15:00:00.000Z 2016-02-02T11:00:00.000Z",
		text(stayWindow(lisbon(t), date("2016-01-31"), 2)))
	require.Equal(t, "2016-07-01T06:00:00.000Z 2016-07-01T10:00:00.000Z",
		text(stayWindow(lisbon(t), date("2016-07-01"), 0)))
	// The night on which Lisbon's clock is put forward has an hour less.
	require.Equal(t, "2016-03-26T15:00:00.000Z 2016-03-27T10:00:00.000Z",
		text(stayWindow(lisbon(t), date("2016-03-26"), 1)))
}

func TestPeakIsOfThePlayNotOfTheEnd(t *testing.T) {
	day := func(d int) timeline.Date { return timeline.Date{Year: 2016, Month: 1, Day: uint8(d)} }
	p, err := planReplay([]booking{
		{row: 1, roomType: "B", bookedOn: day(1), arrival: day(10), nights: 2, calledOff: true, offOn: day(2)},
		{row: 2, roomType: "B", bookedOn: day(1), arrival: day(11), nights: 2},
		{row: 3, roomType: "B", bookedOn: day(3), arrival: day(10), nights: 1},
		{row: 4, roomType: "A", bookedOn: day(3), arrival: day(10), nights: 1},
		// the cleaning after row 4 ends as it begins
		{row: 5, roomType: "A", bookedOn: day(3), arrival: day(11), nights: 1},
		// the day room of the morning on which row 5 leaves
		{row: 6, roomType: "A", bookedOn: day(3), arrival: day(12), nights: 0},
	}, lisbon(t), 50, 0)
	require.NoError(t, err)
	require.Equal(t, []replaySKU{{name: "A", peak: 2, units: 1, stays: 3}, {name: "B", peak: 2, units: 1, stays: 3}},
		p.skus)
	require.Equal(t, "2016-01-01T00:00:00.000Z", instantText(p.start))
}

func TestCheckFindsWrongRefusalsAndDoubleSales(t *testing.T) {
	day := func(d int) timeline.Date { return timeline.Date{Year: 2016, Month: 1, Day: uint8(d)} }
	p, err := planReplay([]booking{
		{row: 1, roomType: "A", bookedOn: day(1), arrival: day(10), nights: 2, calledOff: true, offOn: day(3)},
		{row: 2, roomType: "A", bookedOn: day(2), arrival: day(11), nights: 5},
		{row: 3, roomType: "A", bookedOn: day(4), arrival: day(10), nights: 2},
	}, lisbon(t), 50, 0)
	require.NoError(t, err)

	v, err := checkReplay(p, []bool{true, false, true})
	require.NoError(t, err)
	require.Equal(t, []verdict{{accepted: 2, refused: 1, nightsSold: 2}}, v)

	v, err = checkReplay(p, []bool{true, false, false})
	require.NoError(t, err)
	require.Equal(t, []verdict{{accepted: 1, refused: 2, wrongRefusals: 1}}, v)

	_, err = checkReplay(p, []bool{true, true, false})
	require.ErrorContains(t, err, "row 2 was accepted")
}

func TestShiftMovesWholeWeeksPastNow(t *testing.T) {
	bookings := []booking{{arrival: timeline.Date{Year: 2015, Month: 7, Day: 3}},
		{arrival: timeline.Date{Year: 2015, Month: 7, Day: 1}}}
	z := lisbon(t)
	at := func(s string) int64 {
		ms, fault := timeline.ParseInstant(s)
		require.Empty(t, fault)
		return ms
	}
	require.Equal(t, int64(0), shiftPast(bookings, z, at("2015-06-29T22:59:59Z")))
	require.Equal(t, int64(7), shiftPast(bookings, z, at("2015-06-29T23:00:00Z")))
	require.Equal(t, int64(7), shiftPast(bookings, z, at("2015-07-05T12:00:00Z")))
	require.Equal(t, int64(14), shiftPast(bookings, z, at("2015-07-07T12:00:00Z")))
}

// TestOccupancyAgainstTwin plays random files under random answers.
func TestOccupancyAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	utc, err := timeline.LoadZone("UTC")
	require.NoError(t, err)
	for range 50 {
		var bookings []booking
		for row := range 200 {
			b := booking{row: row, roomType: string(rune('A' + rnd.IntN(3))), nights: rnd.IntN(6)}
			b.bookedOn = timeline.Date{Year: 2016, Month: 1, Day: 1}.AddDays(rnd.Int64N(30))
			b.arrival = b.bookedOn.AddDays(rnd.Int64N(20))
			if b.calledOff = rnd.IntN(3) == 0; b.calledOff {
				b.offOn = b.bookedOn.AddDays(rnd.Int64N(20))
			}
			bookings = append(bookings, b)
		}
		p, err := planReplay(bookings, utc, 10+rnd.IntN(90), 0)
		require.NoError(t, err)
		accepted := slowAnswers(p)
		verdicts, err := checkReplay(p, accepted)
		require.NoError(t, err)
		for _, v := range verdicts {
			require.Zero(t, v.wrongRefusals)
		}
		// Refuse the first booking that was accepted: there was room for it.
		for i := range accepted {
			if accepted[i] {
				accepted[i] = false
				verdicts, err = checkReplay(p, accepted)
				require.NoError(t, err)
				require.GreaterOrEqual(t, verdicts[p.stays[i].sku].wrongRefusals, 1)
				break
			}
		}
	}
}
