package wire

import (
	"math"
	"strconv"
	"unicode/utf8"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns how the parts of an answer are written. An encoder appends to the connection's buffer and allocates
// nothing; every text in the state was checked to be UTF-8 when it came in.

const hexDigits = "0123456789abcdef"

// AppendText appends s as a JSON string.
func AppendText(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n != 1 {
				i += n
				continue
			}
			b = append(append(b, s[start:i]...), "\ufffd"...) // a file path or a foreign error text, never a record
			i++
			start = i
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// AppendGiven appends a text that is unset where it is empty.
func AppendGiven(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return AppendText(b, s)
}

func AppendID(b []byte, id base.ID) []byte {
	return append(id.AppendTo(append(b, '"')), '"')
}

// AppendInstant appends an instant; an open end is null.
func AppendInstant(b []byte, t int64) []byte {
	if t == base.Forever {
		return append(b, "null"...)
	}
	// What was computed (a hull, a step) may lie outside the years that can be written.
	t = min(max(t, timeline.MinInstant), timeline.MaxInstant)
	return append(timeline.AppendInstant(append(b, '"'), t), '"')
}

func AppendInt[N ~int | ~int64 | ~uint32 | ~uint64](b []byte, n N) []byte {
	return strconv.AppendInt(b, int64(n), 10)
}

// AppendNumber appends a number in the shortest form that reads back as the same.
func AppendNumber(b []byte, n float64) []byte {
	form := byte('f')
	if size := math.Abs(n); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(b, n, form, -1, 64)
}

func AppendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// AppendList appends an array, each element with its encoder.
func AppendList[V any](b []byte, list []V, element func(b []byte, v V) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = element(b, v)
	}
	return append(b, ']')
}
