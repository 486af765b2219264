package timeline

// This file owns how an instant is written: RFC 3339 in, seconds may be left out, UTC with milliseconds out.

// Reasons why ParseInstant refuses a text, in words that fit after the name of what was given.
const (
	faultForm     = "must be a date-time like 2025-06-01T10:00:00Z"
	faultNoTime   = "must have a time of day, like 2025-06-01T10:00:00Z"
	faultNoZone   = "must end with Z or an offset like +02:00"
	faultDay      = "is not a day of the calendar"
	faultClock    = "is not a time of day between 00:00:00 and 23:59:59"
	faultFraction = "may have at most nine digits of a second's fraction"
	faultOffset   = "has an offset that is not between -23:59 and +23:59"
	faultRange    = "must lie in the years 1970 to 9999"
)

// ParseInstant reads an RFC 3339 date-time with Z or an offset and at most nine fraction digits, as clocks of languages
// write them, or without seconds, as ISO 8601 and Java have it where they are 0, as milliseconds since 1970: what is
// below a millisecond is cut off, not rounded, so that no instant gets later. On success fault is empty; else it says
// in a few words what is wrong. Letters may be of either case, as the RFC has it. Refused are: a date alone, a day that
// its month does not have, a leap second (an instant here has no room for it), and instants before 1970 or after 9999,
// in UTC.
func ParseInstant(s string) (ms int64, fault string) {
	const form = "2006-01-02T15:04"
	if len(s) < len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return 0, faultForm
	}
	year, ok1 := digits(s[0:4])
	month, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:10])
	if !ok1 || !ok2 || !ok3 {
		return 0, faultForm
	}
	if len(s) == len("2006-01-02") {
		return 0, faultNoTime
	}
	if len(s) < len(form) || s[10] != 'T' && s[10] != 't' || s[13] != ':' {
		return 0, faultForm
	}
	hour, ok1 := digits(s[11:13])
	minute, ok2 := digits(s[14:16])
	if !ok1 || !ok2 {
		return 0, faultForm
	}
	rest := s[len(form):]
	var second, fraction int64
	seconds := len(rest) >= len(":05") && rest[0] == ':'
	if seconds {
		if second, ok3 = digits(rest[1:3]); !ok3 {
			return 0, faultForm
		}
		rest = rest[3:]
	}
	if seconds && rest != "" && rest[0] == '.' {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		switch {
		case n == 1:
			return 0, faultForm
		case n > 10:
			return 0, faultFraction
		}
		fraction, _ = digits(rest[1:min(n, 4)])
		for i := n; i < 4; i++ {
			fraction *= 10
		}
		rest = rest[n:]
	}
	offset, fault := parseOffset(rest)
	if fault != "" {
		return 0, fault
	}
	if month < 1 || month > 12 || day < 1 || day > monthDays(year, month) {
		return 0, faultDay
	}
	if hour > 23 || minute > 59 || second > 59 {
		return 0, faultClock
	}
	date := Date{Year: int32(year), Month: uint8(month), Day: uint8(day)}
	ms = date.number()*dayMs + hour*Hour + minute*Minute + second*Second + fraction - offset
	if ms < MinInstant || ms > MaxInstant {
		return 0, faultRange
	}
	return ms, ""
}

func parseOffset(s string) (ms int64, fault string) {
	if s == "Z" || s == "z" {
		return 0, ""
	}
	if s == "" {
		return 0, faultNoZone
	}
	if len(s) != len("+02:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, faultForm
	}
	hour, ok1 := digits(s[1:3])
	minute, ok2 := digits(s[4:6])
	if !ok1 || !ok2 {
		return 0, faultForm
	}
	if hour > 23 || minute > 59 {
		return 0, faultOffset
	}
	ms = hour*Hour + minute*Minute
	if s[0] == '-' {
		ms = -ms
	}
	return ms, ""
}

// digits reads a few decimal digits, nothing else.
func digits(s string) (n int64, ok bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// AppendInstant appends t as RFC 3339 in UTC with milliseconds, like 2025-06-01T10:00:00.000Z, and allocates only where
// dst lacks room for 24 bytes. t lies in [MinInstant, MaxInstant]; an open end has no such form and is the caller's to
// write.
func AppendInstant(dst []byte, t int64) []byte {
	day, clock := floorDiv(t, dayMs)
	d := dateOf(day)
	dst = append(dst, "0000-00-00T00:00:00.000Z"...)
	b := (*[24]byte)(dst[len(dst)-24:])
	year, second, rest := uint32(d.Year), uint32(clock/Second), uint32(clock%Second)
	twoDigits((*[2]byte)(b[0:]), year/100)
	twoDigits((*[2]byte)(b[2:]), year%100)
	twoDigits((*[2]byte)(b[5:]), uint32(d.Month))
	twoDigits((*[2]byte)(b[8:]), uint32(d.Day))
	twoDigits((*[2]byte)(b[11:]), second/3600)
	twoDigits((*[2]byte)(b[14:]), second/60%60)
	twoDigits((*[2]byte)(b[17:]), second%60)
	twoDigits((*[2]byte)(b[20:]), rest/10)
	b[22] += byte(rest % 10)
	return dst
}

// twoDigits adds n, which is below 100, to two zeros.
func twoDigits(b *[2]byte, n uint32) {
	b[0] += byte(n / 10)
	b[1] += byte(n % 10)
}
