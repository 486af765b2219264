package timeline

// This file owns the span: a half-open range of instants, and its relations by name.

import "math"

// Forever is the open end: the end of a span that has none. It is an end only, never a start.
const Forever int64 = math.MaxInt64

// Span is the half-open range [Start, End) of instants in milliseconds since the epoch. End is Forever where there is
// none. A span that is used as a window or taken by a hold is not empty. Comparable; two spans that only touch share no
// instant.
type Span struct{ Start, End int64 }

// Empty says that the span holds no instant.
func (s Span) Empty() bool { return s.Start >= s.End }

// Open says that the span has no end.
func (s Span) Open() bool { return s.End == Forever }

// Holds says that the instant t lies in the span.
func (s Span) Holds(t int64) bool { return s.Start <= t && t < s.End }

// Overlaps says that the two share an instant.
func (s Span) Overlaps(o Span) bool { return s.Start < o.End && o.Start < s.End }

// Covers says that every instant of o lies in s.
func (s Span) Covers(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Clip is what the two share; Empty where they share nothing.
func (s Span) Clip(o Span) Span { return Span{max(s.Start, o.Start), min(s.End, o.End)} }

// Length is the span's length in milliseconds, Forever where it has no end; 0 where it is empty.
func (s Span) Length() int64 {
	switch {
	case s.Empty():
		return 0
	case s.End == Forever:
		return Forever
	}
	return s.End - s.Start
}
