package base

import (
	"fmt"
	"reflect"
	"sync"
)

// This file owns how much a command would write, which is known before it is done: what is too large for one record of
// the log is refused, as any other fault of a command, and stops nobody.

// maxBytes is how much one command may write, by weight, which is seldom less than the bytes are. A record takes
// persist.MaxGroup.
const maxBytes = 96 << 20

// WeighedFrom is how many rows a command has before they are weighed. Fewer are never too much: a row comes of few
// requests.
const WeighedFrom = 16

// Weight is about how many bytes the write set will come to in the log.
func (t *Tx) Weight() (n int) {
	if len(t.Set) < WeighedFrom {
		return 0
	}
	for _, c := range t.Set {
		n += c.Weight()
	}
	return n
}

// TooManyRows refuses a command that would change more than so many rows at once.
func TooManyRows(most int) *Error {
	return Invalid([]Fault{{Code: "range", Message: fmt.Sprintf("would change more than %d rows at once", most)}})
}

// TooManyBytes refuses a command that would write too much.
func TooManyBytes() *Error {
	return Invalid([]Fault{{Code: "range", Message: "would write more than is written at once"}})
}

const (
	frameWeight = 80 // of a row: its key, its length and its place in the record
	HotWeight   = 96 // of a row that is not JSON
)

// Weight is about how many bytes the log takes of the change.
func (c *Change[R]) Weight() int {
	n := frameWeight
	for _, r := range [...]*R{c.Before, c.After} {
		switch {
		case r == nil:
		case c.Kind.Weigh == nil:
			n += HotWeight
		default:
			n += c.Kind.Weigh(r)
		}
	}
	return n
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
