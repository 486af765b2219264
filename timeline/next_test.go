package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Next fit against asking every instant, over one pool or several, with buffers of changing length, in easy pools and
// others.
func TestNextFit(t *testing.T) {
	rnd := seeded(t)
	found, hard := 0, 0
	for i := range 6000 {
		k := poolKind{slots: 4, lots: 3, holds: 18, line: 40, pins: []int{0, 25}[i%2], ends: []int{0, 20}[i/2%2],
			conflicts: i / 4 % 4}
		several := i%3 == 2
		if several {
			k.slots, k.lots, k.holds = 7, 4, 30
		}
		x := randomPool(rnd, k)
		shapes := []Shape{{Pool: SKURef(1)}}
		switch {
		case several && x.lots > 2: // the last lot is a pool of its own
			x.s.SetPool(LotNo(x.lots), 2)
			shapes = append(shapes, Shape{Pool: SKURef(2)})
		case rnd.Intn(2) == 0:
			shapes = shapes[:0]
			for l := 1; l <= x.lots; l++ {
				shapes = append(shapes, Shape{Pool: LotRef(LotNo(l))})
			}
		}
		length := 1 + rnd.Int63n(8)
		for j := range shapes {
			before, after, turn := rnd.Int63n(3), rnd.Int63n(3), rnd.Int63n(40)
			shapes[j].Hull = func(from int64) Span {
				to := from + length + after
				if from >= turn { // as where clocks change
					to++
				}
				return Span{max(from-before, min(from, x.now)), to}
			}
		}
		n := 1 + rnd.Intn(3)
		notBefore := x.now + rnd.Int63n(10)
		until := notBefore + rnd.Int63n(50)
		want, ok := int64(0), false
		for at := notBefore; at < until && !ok; at++ {
			sum, count := 0, 0
			for _, shape := range shapes {
				sum += x.s.Available(shape.Pool, shape.Hull(at), x.now).Available
				count += max(0, bruteCount(x.s, shape.Pool, shape.Hull(at)))
			}
			if want, ok = at, sum >= n; !ok && count >= n {
				hard++
			}
		}
		got, is := x.s.NextFit(shapes, n, notBefore, until, x.now)
		require.Equal(t, ok, is, "pool %d: want %d\n%s", i, want, draw(x.s, SKURef(1), x.now))
		if ok {
			found++
			require.Equal(t, want, got, "pool %d\n%s", i, draw(x.s, SKURef(1), x.now))
		}
	}
	t.Logf("%d found; %d windows that the count allows and the pool does not", found, hard)
	require.NotZero(t, hard)
}

// While the one pool has a unit free at every instant, but no slot that is free throughout, the other waits for a
// conflict to end.
func TestNextFitWhereAConflictEnds(t *testing.T) {
	s := New()
	for lot := LotNo(1); lot <= 2; lot++ {
		s.AddLot(lot, uint32(lot), 1)
	}
	for no, lot := range []LotNo{1, 1, 2} {
		s.PutSlot(Slot{testID(no + 1), SlotNo(no + 1), lot, Span{0, Forever}})
	}
	pinned := func(id int, span Span, no SlotNo) {
		h := NewHold(testID(id), span, 0, 0)
		h.Flags = PinnedSlot
		s.Put(h, Place{1, no})
	}
	pinned(1, Span{9, 100}, 1)
	pinned(2, Span{0, 9}, 2)
	s.Put(NewHold(testID(3), Span{0, 5}, 0, 0), Place{Lot: 2})
	hull := func(from int64) Span { return Span{from, from + 10} }
	from, ok := s.NextFit([]Shape{{Pool: LotRef(1), Hull: hull}, {Pool: LotRef(2), Hull: hull}}, 1, 0, 50, 0)
	require.True(t, ok)
	require.Equal(t, int64(5), from)
}

// A month before the 28th, the 29th, the 30th and the 31st of March is the 28th of February: a unit that is busy until
// one o'clock of that day is free for a booking from one o'clock of any of the four, but not of the midnights between.
func TestNextFitWithAMonthBefore(t *testing.T) {
	s := New()
	s.AddLot(1, 1, 1)
	s.PutSlot(Slot{testID(1), 1, 1, Span{0, Forever}})
	busy := utc(t, "2027-02-28T01:00:00Z")
	s.Put(NewHold(testID(2), Span{0, busy}, 0, 0), Place{1, 1})
	z, month := zone(t, "UTC"), Buffer{1, Months}
	window := func(from int64) Span { return Span{from, from + Hour} }
	shape := Shape{
		Pool: LotRef(1), Hull: func(from int64) Span { return Hull(window(from), month, Buffer{}, z, 0) },
		Turn: func(from int64) int64 { return HullTurn(window(from), month, Buffer{}, z) },
	}
	for notBefore, want := range map[string]string{
		"2027-03-01T00:00:00Z": "2027-03-28T01:00:00Z", "2027-03-29T00:00:00Z": "2027-03-29T01:00:00Z",
		"2027-03-28T23:00:00Z": "2027-03-28T23:00:00Z", "2027-03-31T00:30:00Z": "2027-03-31T01:00:00Z",
	} {
		from, ok := s.NextFit([]Shape{shape}, 1, utc(t, notBefore), utc(t, "2028-03-01T00:00:00Z"), 0)
		require.True(t, ok)
		require.Equal(t, utc(t, want), from, notBefore)
	}
}

// calendarBuffers are steps of every unit.
var calendarBuffers = []Buffer{{}, {90, Minutes}, {1, Days}, {2, Weeks}, {1, Months}, {2, Months}, {11, Months},
	{1, Years}, {4, Years}}

// Next fit against asking every half hour, where buffers are calendar steps: at the ends of months, and where clocks
// are put forward and back.
func TestNextFitWithCalendarSteps(t *testing.T) {
	rnd := seeded(t)
	const half = 30 * Minute
	found, later := 0, 0
	for i := range 1500 {
		z := zone(t, []string{"Europe/Helsinki", "America/New_York", "Australia/Lord_Howe", "UTC"}[i%4])
		about := utc(t, []string{
			"2027-03-26T00:00:00Z", "2027-03-12T00:00:00Z", "2027-10-28T00:00:00Z", "2027-11-05T00:00:00Z",
			"2028-02-26T00:00:00Z", "2027-05-28T00:00:00Z", "2027-04-02T00:00:00Z",
		}[rnd.Intn(7)])
		before, after := calendarBuffers[rnd.Intn(len(calendarBuffers))],
			calendarBuffers[rnd.Intn(len(calendarBuffers))]
		window := Span{0, (1 + rnd.Int63n(40)) * half}
		hull := func(from int64) Span {
			return Hull(Span{from, from + window.End}, before, after, z, 0)
		}
		s := New()
		s.AddLot(1, 1, 1)
		slots := 1 + rnd.Intn(3)
		if i%10 == 0 {
			slots = 40 // one that has a profile
		}
		for no := 1; no <= slots; no++ {
			s.PutSlot(Slot{testID(no), SlotNo(no), 1, Span{0, Forever}})
		}
		notBefore := about + rnd.Int63n(48)*half
		until := notBefore + (1+rnd.Int63n(400))*half
		for no := range slots {
			for _, at := range []int64{hull(notBefore).Start, hull(until).End} {
				// where a hull begins, and where it ends
				for range 2 {
					start := at/half*half + (rnd.Int63n(300)-150)*half
					span := Span{start, start + (1+rnd.Int63n(100))*half}
					if gap, ok := s.FreeAround(SlotNo(no+1), span.Start); ok && gap.End >= span.End && span.Start > 0 {
						s.Put(NewHold(testID(100+s.Len()), span, 0, 0), Place{1, SlotNo(no + 1)})
					}
				}
			}
		}
		shape := Shape{Pool: LotRef(1), Hull: hull,
			Turn: func(from int64) int64 { return HullTurn(Span{from, from + window.End}, before, after, z) }}
		want, ok := int64(0), false
		for at := notBefore; at < until && !ok; at += half {
			want, ok = at, s.Available(LotRef(1), hull(at), 0).Available >= slots
		}
		got, is := s.NextFit([]Shape{shape}, slots, notBefore, until, 0)
		require.Equal(t, ok, is, "%d: %+v before, %+v after", i, before, after)
		if ok {
			found++
			require.Equal(t, want, got, "%d: %+v before, %+v after", i, before, after)
			if got > notBefore {
				later++
			}
		}
	}
	t.Logf("%d found, %d of them later than asked for", found, later)
	require.Greater(t, later, 200)
}

// No hull moves back before its turn.
func TestHullTurn(t *testing.T) {
	rnd := seeded(t)
	turned := 0
	for i := range 700 {
		z := zone(t, []string{"Europe/Helsinki", "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Beirut",
			"America/St_Johns", "Pacific/Apia"}[i%7])
		before, after := calendarBuffers[rnd.Intn(len(calendarBuffers))],
			calendarBuffers[rnd.Intn(len(calendarBuffers))]
		length := 1 + rnd.Int63n(100*Hour)
		hull := func(from int64) Span { return Hull(Span{from, from + length}, before, after, z, 0) }
		t0 := utc(t, "2011-11-01T00:00:00Z") + rnd.Int63n(20*366)*dayMs + rnd.Int63n(dayMs)
		for range 4 {
			turn := HullTurn(Span{t0, t0 + length}, before, after, z)
			require.Greater(t, turn, t0)
			last := min(turn-1, t0+120*dayMs)
			was, at := hull(t0), t0
			for at < last {
				at = min(last, at+1+rnd.Int63n(1+min(last-at, 4*Hour)))
				is := hull(at)
				require.True(t, was.Start <= is.Start && was.End <= is.End, "%s: %+v before, %+v after, %d to %d",
					z.Name(), before, after, t0, at)
				was = is
			}
			if turn == Forever {
				break
			}
			if last == turn-1 {
				if is := hull(turn); is.Start < was.Start || is.End < was.End {
					turned++
				}
			}
			t0 = last + 1
		}
	}
	require.NotZero(t, turned)
}
