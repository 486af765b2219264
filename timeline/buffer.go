package timeline

// This file owns durations in the merchant's words: exact ones, calendar steps in a zone, and the hull they make of a
// booking's body.

// Exact durations in milliseconds. There is no Day here: a day is a calendar step.
const (
	Second = int64(1000)
	Minute = 60 * Second
	Hour   = 60 * Minute
)

// MinInstant and MaxInstant bound every instant but Forever: 1970-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
const (
	MinInstant = int64(0)
	MaxInstant = int64(253402300799999)
)

// dayMs is a day of a wall clock, where no zone has a say.
const dayMs = 24 * Hour

// Unit is what a buffer's amount counts. The zero value is not a unit.
type Unit uint8

// Seconds, minutes and hours are exact; the others are calendar steps in a zone.
const (
	Seconds Unit = iota + 1
	Minutes
	Hours
	Days
	Weeks
	Months
	Years
)

var unitNames = [...]string{Seconds: "seconds", Minutes: "minutes", Hours: "hours", Days: "days", Weeks: "weeks",
	Months: "months", Years: "years"}

// String is the unit's name as the API writes it; empty for no unit.
func (u Unit) String() string {
	if int(u) < len(unitNames) {
		return unitNames[u]
	}
	return ""
}

// ParseUnit reads a unit's name as the API writes it.
func ParseUnit(name string) (Unit, bool) {
	for u := Seconds; u <= Years; u++ {
		if unitNames[u] == name {
			return u, true
		}
	}
	return 0, false
}

// MaxAmount is the most that a length of time may have of any unit: ten years in the smallest.
const MaxAmount = 3660 * 86400

// maxBuffer has the most of each unit that a buffer may have: ten years, a year counted as 366 days where the unit has
// a fixed length.
var maxBuffer = [...]int64{
	Seconds: MaxAmount, Minutes: 3660 * 1440, Hours: 3660 * 24, Days: 3660, Weeks: 3660 / 7, Months: 120, Years: 10,
}

// Buffer is a time kept free before or after a booking. The zero value is none. Two that are == were entered alike; two
// of the same Value are the same setting, as 60 minutes and 1 hour are.
type Buffer struct {
	Amount int64 // >= 0
	Unit   Unit
}

// Value is the buffer in the one way in which all that keep the same time free are written: none is the zero value,
// what is exact is in seconds, days and weeks are in days, months and years in months. A day is a step of the calendar,
// so it is not 24 hours.
func (b Buffer) Value() Buffer {
	switch {
	case b.Zero():
		return Buffer{}
	case b.Unit == Minutes:
		return Buffer{b.Amount * (Minute / Second), Seconds}
	case b.Unit == Hours:
		return Buffer{b.Amount * (Hour / Second), Seconds}
	case b.Unit == Weeks:
		return Buffer{b.Amount * 7, Days}
	case b.Unit == Years:
		return Buffer{b.Amount * 12, Months}
	}
	return b
}

// Zero says that the buffer keeps nothing free.
func (b Buffer) Zero() bool { return b.Amount == 0 }

// Valid says that the unit is one and the amount lies between 0 and ten years; the zero value is valid.
func (b Buffer) Valid() bool {
	if b == (Buffer{}) {
		return true
	}
	return b.Unit >= Seconds && b.Unit <= Years && b.Amount >= 0 && b.Amount <= maxBuffer[b.Unit]
}

// AddSteps returns the instant n units after t, before it where n is negative.
//
// Seconds, minutes and hours are exact and ask no zone (z may be nil). Days, weeks, months and years move the wall
// clock of the zone: the day of the month is cut to the month's last (31 January and a month is the last of February),
// a wall clock that the zone skips is moved later by the gap, one it shows twice is its first. No step (n = 0) is t
// itself. Forever stays Forever; a result past MaxInstant is Forever, one before MinInstant is MinInstant. t lies in
// [MinInstant, MaxInstant] or is Forever.
func AddSteps(z *Zone, t, n int64, unit Unit) int64 {
	if t == Forever || n == 0 {
		return t
	}
	switch unit {
	case Seconds:
		return addExact(t, n, Second)
	case Minutes:
		return addExact(t, n, Minute)
	case Hours:
		return addExact(t, n, Hour)
	case Weeks:
		if n > maxSteps || n < -maxSteps {
			return beyond(n)
		}
		n *= 7
	case Days, Months, Years:
	default:
		panic("timeline: AddSteps without a unit")
	}
	if n > maxSteps || n < -maxSteps {
		return beyond(n)
	}
	wall := z.local(t)
	day, clock := floorDiv(wall, dayMs)
	switch unit {
	case Days, Weeks:
		day += n
	case Months:
		day = addMonths(day, n)
	case Years:
		day = addMonths(day, 12*n)
	}
	wall = day*dayMs + clock
	if wall < MinInstant-maxShift || wall > MaxInstant+maxShift {
		return beyond(n)
	}
	t, _, _ = z.instant(wall)
	return bounded(t)
}

// maxSteps is more calendar steps than any two instants are apart, and few enough that nothing here overflows.
const maxSteps = int64(4_000_000)

func addExact(t, n, unit int64) int64 {
	if limit := (MaxInstant - MinInstant) / unit; n > limit || n < -limit {
		return beyond(n)
	}
	return bounded(t + n*unit)
}

func beyond(n int64) int64 {
	if n < 0 {
		return MinInstant
	}
	return Forever
}

func bounded(t int64) int64 {
	if t > MaxInstant {
		return Forever
	}
	return max(t, MinInstant)
}

// Longest is the most time that an amount of a unit takes, and whether the calendar counts it. If it does, a change of
// the zone's offset on the way comes in addition to that time.
func Longest(amount int64, u Unit) (time int64, calendar bool) {
	of := [...]int64{Seconds: Second, Minutes: Minute, Hours: Hour, Days: dayMs, Weeks: 7 * dayMs, Months: 31 * dayMs,
		Years: 366 * dayMs}
	return amount * of[u], u >= Days
}

// Hull is the range that a booking of body takes from its unit: from before the body to after it, in the zone of its
// location. The before-buffer is cut to the command's instant now, as what is past needs no room: the hull begins at
// max(from - before, min(from, now)). An open end stays open.
func Hull(body Span, before, after Buffer, z *Zone, now int64) Span {
	hull := body
	if !before.Zero() {
		hull.Start = max(AddSteps(z, body.Start, -before.Amount, before.Unit), min(body.Start, now))
		// A step back over a day that the zone repeats could end later than it began.
		hull.Start = min(hull.Start, body.Start)
	}
	if !after.Zero() {
		hull.End = max(AddSteps(z, body.End, after.Amount, after.Unit), body.End)
	}
	return hull
}

// HullTurn is an instant after from until which neither end of the hull of a body that begins ever later, and is as
// long as the given one, moves back; Forever where none does any more. Calendar steps turn where a step of months is
// cut to a shorter month (the 29th to the 31st of March are all the 28th of February less a month), and where the
// zone's clock changes at either end of the step. It may name an instant at which nothing moves back.
func HullTurn(body Span, before, after Buffer, z *Zone) int64 {
	turn := stepsTurn(z, body.Start, -before.Amount, before.Unit)
	if body.Open() {
		return turn
	}
	if t := stepsTurn(z, body.End, after.Amount, after.Unit); t < Forever {
		turn = min(turn, t-body.Length())
	}
	return turn
}

// stepsTurn is an instant after t until which AddSteps never moves back as its t moves forward.
func stepsTurn(z *Zone, t, n int64, unit Unit) int64 {
	if n == 0 || unit < Days {
		return Forever
	}
	if unit == Weeks {
		n, unit = 7*n, Days
	} else if unit == Years {
		n, unit = 12*n, Months
	}
	e := z.era(t)
	day, clock := floorDiv(t+e.offset, dayMs)
	to := day + n
	if unit == Months {
		to = addMonths(day, n)
	}
	// The time on the wall clock at which the zone's next change comes, seen from where the step arrives. If the step
	// arrives in a gap of the wall clock, it is the end of that gap.
	edge := Forever
	if at, exists, jump := z.instant(to*dayMs + clock); !exists {
		edge = z.local(jump)
	} else if f := z.era(at); f.end < Forever {
		edge = max(f.end+f.offset, z.local(f.end))
	}
	if unit == Days {
		if edge == Forever {
			return e.end
		}
		return min(e.end, edge-n*dayMs-e.offset)
	}
	for last := day + turnDays; day < last; day++ {
		if edge < (to+1)*dayMs {
			return min(e.end, day*dayMs+max(0, edge-to*dayMs)-e.offset)
		}
		next := addMonths(day+1, n)
		if next == to { // the month that it comes to is shorter
			day++
			break
		}
		to = next
	}
	return min(e.end, day*dayMs-e.offset)
}

// turnDays is how far stepsTurn looks for the end of a month: one that is shorter than another comes sooner, but where
// years are counted.
const turnDays = 100
