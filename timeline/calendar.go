package timeline

// This file owns the civil calendar: dates, months, and the days and hours of a zone as edges between buckets.

// Date is a day of the proleptic Gregorian calendar. Comparable; Before orders it.
type Date struct {
	Year  int32
	Month uint8 // 1 to 12
	Day   uint8 // 1 to the month's length
}

// Before says that d comes earlier than o.
func (d Date) Before(o Date) bool { return d.number() < o.number() }

// AddDays is the date n days later, earlier where n is negative.
func (d Date) AddDays(n int64) Date { return dateOf(d.number() + n) }

// DaysUntil is the number of days from d to o, negative where o comes earlier.
func (d Date) DaysUntil(o Date) int64 { return o.number() - d.number() }

// Append writes the date as ParseDate reads it.
func (d Date) Append(b []byte) []byte {
	n := int(d.Year)*10_000 + int(d.Month)*100 + int(d.Day)
	for i, unit := 0, 10_000_000; unit > 0; i, unit = i+1, unit/10 {
		if i == 4 || i == 6 {
			b = append(b, '-')
		}
		b = append(b, '0'+byte(n/unit%10))
	}
	return b
}

// DateOf is the local date in the zone at instant t.
func DateOf(z *Zone, t int64) Date {
	day, _ := floorDiv(z.local(t), dayMs)
	return dateOf(day)
}

// ClockOf is what the zone's clock shows at instant t, in milliseconds since its 00:00.
func ClockOf(z *Zone, t int64) int64 {
	_, clock := floorDiv(z.local(t), dayMs)
	return clock
}

// ParseDate reads a date written YYYY-MM-DD; ok is false for any other form and for a day that its month does not have.
func ParseDate(s string) (d Date, ok bool) {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return Date{}, false
	}
	year, ok1 := digits(s[0:4])
	month, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:10])
	if !ok1 || !ok2 || !ok3 || month < 1 || month > 12 || day < 1 || day > monthDays(year, month) {
		return Date{}, false
	}
	return Date{Year: int32(year), Month: uint8(month), Day: uint8(day)}, true
}

// WallInstant is the instant at which the zone's clock shows the date and clock (milliseconds since its 00:00, below 24
// hours); skipped and repeated clocks as in AddSteps. The result is not bounded.
func WallInstant(z *Zone, d Date, clock int64) int64 {
	t, _, _ := z.instant(d.number()*dayMs + clock)
	return t
}

// DayStart is the first instant of a local date. Some days have no 00:00 (Beirut in spring) and begin later. ok is
// false for a date the zone skips altogether (Apia, 2011-12-30); the instant is then that of the date after it.
func DayStart(z *Zone, d Date) (t int64, ok bool) {
	t, exists, jump := z.instant(d.number() * dayMs)
	if exists {
		return t, true
	}
	return jump, DateOf(z, jump) == d
}

// EdgeLimit is the most edges that DayEdges and HourEdges return: one more than the 10,000 buckets that an answer may
// have need. A range that has more is left unfinished there, so that a wrong one costs no more than a long one.
const EdgeLimit = 10_002

// DayEdges cuts [from, to) at the first instant of every local date: from, each beginning of a day strictly between,
// to. Neighbours are the buckets, the first and the last of them as much of their day as lies in the range; a skipped
// date has none. from < to <= MaxInstant; at most EdgeLimit edges.
func DayEdges(z *Zone, from, to int64) []int64 {
	edges := make([]int64, 1, min(3+(to-from)/(23*Hour), EdgeLimit))
	edges[0] = from
	for d := DateOf(z, from).AddDays(1); ; d = d.AddDays(1) {
		if len(edges) == EdgeLimit {
			return edges
		}
		t, ok := DayStart(z, d)
		if t >= to {
			return append(edges, to)
		}
		// A range may begin in the repeated end of a day whose successor has begun already (St. John's until 2011).
		if ok && t > from {
			edges = append(edges, t)
		}
	}
}

// HourEdges cuts [from, to) at every full hour of the zone's clock and wherever that clock is put forward or back, so
// no bucket is longer than an hour, and a bucket next to a change by half an hour is shorter. Bounds as in DayEdges.
func HourEdges(z *Zone, from, to int64) []int64 {
	edges := make([]int64, 1, min(3+(to-from)/Hour, EdgeLimit))
	edges[0] = from
	for e, t := z.era(from), from; ; {
		if len(edges) == EdgeLimit {
			return edges
		}
		_, past := floorDiv(t+e.offset, Hour)
		t += Hour - past
		if t >= e.end {
			next := z.era(e.end)
			if next.offset != e.offset {
				t = e.end
			}
			e = next
		}
		if t >= to {
			return append(edges, to)
		}
		edges = append(edges, t)
	}
}

// number is the date's day since 1970-01-01. The two conversions are "days_from_civil" and "civil_from_days" of Howard
// Hinnant's "chrono-Compatible Low-Level Date Algorithms": years begin in March, so the leap day is a year's last.
func (d Date) number() int64 {
	y, m := int64(d.Year), int64(d.Month)
	if m <= 2 {
		y--
		m += 12
	}
	era, yearOfEra := floorDiv(y, 400)
	dayOfYear := (153*(m-3)+2)/5 + int64(d.Day) - 1
	return era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719468
}

func dateOf(day int64) Date {
	era, dayOfEra := floorDiv(day+719468, 146097)
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	month := (5*dayOfYear + 2) / 153
	d := Date{Year: int32(era*400 + yearOfEra), Day: uint8(dayOfYear - (153*month+2)/5 + 1)}
	if month < 10 {
		d.Month = uint8(month + 3)
	} else {
		d.Month = uint8(month - 9)
		d.Year++
	}
	return d
}

// addMonths moves a day number by n months and cuts the day to the length of the month it comes to.
func addMonths(day, n int64) int64 {
	d := dateOf(day)
	year, month := floorDiv(int64(d.Year)*12+int64(d.Month)-1+n, 12)
	d.Year, d.Month = int32(year), uint8(month+1)
	d.Day = min(d.Day, uint8(monthDays(year, month+1)))
	return d.number()
}

func monthDays(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// floorDiv is a / b rounded down, and the rest, for b > 0.
func floorDiv(a, b int64) (q, rest int64) {
	q, rest = a/b, a%b
	if rest < 0 {
		q, rest = q-1, rest+b
	}
	return q, rest
}
