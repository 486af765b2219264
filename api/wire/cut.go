package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file owns how long a record may be. In a list it is a row of at most MaxRow bytes, elsewhere it has at most
// MaxRecord. Where it would be longer, its lists have fewer entries and its texts fewer characters. Beside a list that
// was cut stands how many entries it has, under its name and "Total". A text that was cut ends in "…".
//
// Encoders write only the first entries of lists that can be very long, RowEntries of a row and base.MaxListed of a
// record on its own, so that the work is bounded, too. A record that is still too long is cut here, whatever it is.

const (
	MaxRow     = 31 << 10 // 250 of them, and what is around, are less than 8 MB
	MaxRecord  = 4 << 20
	MaxFeed    = 7 << 20 // an answer that continues from a cursor ends here
	RowEntries = 32      // entries of a kilobyte that are written of a row at most
	RowSteps   = 320     // entries of a hundred bytes
)

const TotalOf = "Total"

// totalSchema describes the member that says how long a list is.
var totalSchema = &Schema{Name: "EntriesTotal", Type: "integer",
	About: "How many entries the list has, where it is cut."}

// TotalMember is the member that says how long a list of an answer is, where that may be cut.
func TotalMember(of Member) (name string, s *Schema) {
	if of.Schema.Type == "array" {
		return of.Name + TotalOf, totalSchema
	}
	return "", nil
}

// Uncut marks an answer that is no record: its lists are never cut so.
func (s Schema) Uncut() *Schema {
	s.Whole = true
	return &s
}

// cuts are the lengths to which lists and texts are cut, from the longest on. The last leaves ids, instants and names
// of states whole.
var cuts = []struct{ entries, chars int }{
	{1000, 10_000}, {500, 4000}, {200, 2000}, {100, 1000}, {50, 1000}, {32, 1000}, {20, 500}, {12, 255}, {8, 255},
	{5, 255}, {3, 128}, {2, 64},
	{1, 48}, {0, 48},
}

// Bounded cuts the record that was appended from start on to at most so many bytes.
func Bounded(b []byte, start, most int) []byte {
	if len(b)-start <= most {
		return b
	}
	src := slices.Clone(b[start:])
	lo, hi := -1, len(cuts)-1 // hi does
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		c := cutter{cuts[mid].entries, cuts[mid].chars}
		if out, _ := c.value(b[:start], src, 0); len(out)-start <= most {
			hi = mid
		} else {
			lo = mid
		}
	}
	c := cutter{cuts[hi].entries, cuts[hi].chars}
	b, _ = c.value(b[:start], src, 0)
	return b
}

// cutter copies JSON as the encoders write it, without blanks, with lists and texts cut.
type cutter struct{ entries, chars int }

// value copies the value at i and says where it ends.
func (c cutter) value(dst, src []byte, i int) ([]byte, int) {
	switch src[i] {
	case '{':
		return c.object(dst, src, i)
	case '[':
		dst, i, _ = c.list(dst, src, i)
		return dst, i
	}
	end := EndOfValue(src, i)
	return append(dst, src[i:end]...), end
}

func (c cutter) object(dst, src []byte, i int) ([]byte, int) {
	dst = append(dst, '{')
	for i++; src[i] != '}'; {
		if src[i] == ',' {
			dst = append(dst, ',')
			i++
		}
		end := i + 1 + bytes.IndexByte(src[i+1:], '"') + 1 // names have no escapes
		name := src[i+1 : end-1]
		dst = append(dst, src[i:end+1]...)
		i = end + 1
		total := -1
		switch src[i] {
		case '[':
			var n int
			if dst, i, n = c.list(dst, src, i); n > c.entries {
				total = n
			}
		case '"':
			dst, i = c.text(dst, src, i)
		default:
			dst, i = c.value(dst, src, i)
		}
		// An id for a name is one of many, which are counted as a whole; and an encoder that has cut a list says itself
		// how long it is.
		if total >= 0 && len(name) < 36 &&
			!bytes.HasPrefix(src[i:], slices.Concat([]byte(`,"`), name, []byte(TotalOf+`"`))) {
			dst = append(append(append(dst, ',', '"'), name...), TotalOf+`":`...)
			dst = strconv.AppendInt(dst, int64(total), 10)
		}
	}
	return append(dst, '}'), i + 1
}

// list copies the first entries, and says how many there are.
func (c cutter) list(dst, src []byte, i int) (_ []byte, end, n int) {
	dst = append(dst, '[')
	for i++; src[i] != ']'; n++ {
		if src[i] == ',' {
			i++
		}
		if n >= c.entries {
			i = EndOfValue(src, i)
			continue
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst, i = c.value(dst, src, i)
	}
	return append(dst, ']'), i + 1, n
}

// text copies the first characters.
func (c cutter) text(dst, src []byte, i int) (_ []byte, end int) {
	start, keep := i, 0
	n := 0
	for i++; src[i] != '"'; n++ {
		if n == c.chars {
			keep = i
		}
		switch {
		case src[i] != '\\':
			_, size := utf8.DecodeRune(src[i:])
			i += size
		case src[i+1] == 'u':
			i += 6
		default:
			i += 2
		}
	}
	if n <= c.chars {
		return append(dst, src[start:i+1]...), i + 1
	}
	return append(append(dst, src[start:keep]...), `…"`...), i + 1
}

// OfTotal is the name of the member that a total is of, or the name itself.
func OfTotal(name string) string { return strings.TrimSuffix(name, TotalOf) }

// EndOfValue is where the JSON value that begins at i ends.
func EndOfValue(b []byte, i int) int {
	for depth := 0; ; i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
}
