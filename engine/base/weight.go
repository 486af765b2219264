package base

import (
	"fmt"
	"reflect"
	"sync"
)

// This file owns how much a command would write, which is known before it is done: a command that is too large for one
// record of the log is refused, like any other fault of a command, and stops no other.

// maxBytes is how much one command may write, by weight, which is seldom less than the bytes are. A record takes
// persist.MaxGroup.
const maxBytes = 96 << 20

// maxRowBytes is how long one row may become, by weight. Each change of it writes it twice, and a third time as the
// result under a key; what gathers in an order by many requests has no other bound.
const maxRowBytes = 8 << 20

// TooMuch refuses a write set that would come to too many bytes in the log, with the result if that is kept, or would
// make one row too long. The length of a row counts only if the command is not owed: an owed command has to be done. A
// row that is too long already may change, but not grow.
func (t *Tx) TooMuch(resultKept, owed bool) *Error {
	all := 0
	for _, c := range t.Set {
		before, after := c.Weights()
		if after > t.Bounds.RowBytes && after > before && !owed {
			return Invalid([]Fault{{Code: "range",
				Message: fmt.Sprintf("would make a record of more than %d bytes", t.Bounds.RowBytes)}})
		}
		all += frameWeight + before + after
	}
	t.Weight = all
	if resultKept {
		all += all / 2 // it is seldom more than what is there after
	}
	if all > t.Bounds.Bytes {
		return Invalid([]Fault{{Code: "range", Message: "would write more than is written at once"}})
	}
	return nil
}

// TooManyRows refuses a command that would change more than so many rows at once.
func TooManyRows(most int) *Error {
	return Invalid([]Fault{{Code: "range", Message: fmt.Sprintf("would change more than %d rows at once", most)}})
}

const (
	frameWeight = 80 // of a row: its key, its length and its place in the record
	HotWeight   = 96 // of a row that is not JSON
)

// Weights are about how many bytes the log takes of the row before and after.
func (c *Change[R]) Weights() (before, after int) {
	return c.Kind.weight(c.Before), c.Kind.weight(c.After)
}

func (k *Kind[R]) weight(r *R) int {
	switch {
	case r == nil:
		return 0
	case k.Weigh == nil:
		return HotWeight
	default:
		return k.Weigh(r)
	}
}

// JSONWeight is about how long a row is as JSON, and not much less.
func JSONWeight[R any](r *R) int { return weigh(reflect.ValueOf(r).Elem()) }

func weigh(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return 2 + textWeight(v.String())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 4
		}
		return weigh(v.Elem())
	case reflect.Array, reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return 6 + 2*v.Len() + v.Len()*7/4 // as numbers at most, as base64 or as an id less
		}
		n = 2
		for i := range v.Len() {
			n += 1 + weigh(v.Index(i))
		}
		return n
	case reflect.Map:
		n = 2
		for i := v.MapRange(); i.Next(); {
			n += 2 + weigh(i.Key()) + weigh(i.Value())
		}
		return n
	case reflect.Struct:
		n = 2
		for _, f := range membersOf(v.Type()) {
			n += f.name + weigh(v.Field(f.index))
		}
		return n
	case reflect.Bool:
		return 5
	case reflect.Float32, reflect.Float64:
		return 24
	}
	if v.IsZero() {
		return 1
	}
	return 20
}

// textWeight is how long a text is with what JSON escapes in it.
func textWeight(s string) int {
	n := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == 0xe2: // U+2028 begins so
			n += 5
		case c == '"' || c == '\\':
			n++
		}
	}
	return n
}

// member is a field of a type that JSON shows.
type member struct{ index, name int } // where it is, how long its name is

var memberLists sync.Map // of types

func membersOf(t reflect.Type) []member {
	if list, ok := memberLists.Load(t); ok {
		return list.([]member)
	}
	list := []member{}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.Anonymous {
			list = append(list, member{i, len(f.Name) + 4})
		}
	}
	memberLists.Store(t, list)
	return list
}
