package api

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"holdfast/engine"
	"holdfast/timeline"
)

// This file owns the kinds of values that requests are made of: each is read from JSON and from the text of a query or path
// by the same parser, and describes itself for the document.

// kind is how values of type V are read. Its functions report faults where they stand and leave dst alone then; they are
// called from many goroutines.
type kind[V any] struct {
	schema *Schema
	json   func(r *jsonReader, dst *V)
	text   func(raw []byte, dst *V) wrong // nil where the value is not a scalar
	// query reads the parameters of this name, or of names that begin with it and a bracket; present: there was one.
	query func(a *args, name string, dst *V) (present bool)
}

// wrong is what a parser finds wrong with a text; the zero value is nothing.
type wrong struct{ code, message string }

type scalarType uint8

const (
	jsonString scalarType = iota
	jsonInteger
	jsonBoolean
	jsonNumber
)

func (t scalarType) words() string {
	return [...]string{"a string", "an integer", "true or false", "a number"}[t]
}

// scalar makes a kind of a parser. raw is gone when parse returns: what is kept of it is copied.
func scalar[V any](t scalarType, s *Schema, parse func(raw []byte, dst *V) wrong) kind[V] {
	return kind[V]{
		schema: s,
		text:   parse,
		json: func(r *jsonReader, dst *V) {
			if raw, ok := r.token(t); ok {
				if w := parse(raw, dst); w.code != "" {
					r.fault(w.code, w.message)
				}
			}
		},
		query: func(a *args, name string, dst *V) bool {
			arg := a.one(name)
			if arg == nil {
				return false
			}
			if w := parse(arg.value, dst); w.code != "" {
				a.fault(name, w.code, w.message)
			}
			return true
		},
	}
}

// text is a string of least to most characters.
func text(least, most int) kind[string] {
	s := &Schema{Type: "string"}
	s.Min, s.Max = bounds(int64(least), int64(most))
	message := "must have " + strconv.Itoa(least) + " to " + strconv.Itoa(most) + " characters"
	return scalar(jsonString, s, func(raw []byte, dst *string) wrong {
		if n := utf8.RuneCount(raw); n < least || n > most {
			return wrong{faultLength, message}
		}
		*dst = string(raw)
		return wrong{}
	})
}

const maxSafeInteger = 1<<53 - 1

// integer is a whole number, written without fraction or exponent, of least to most.
func integer[V ~int | ~int64 | ~int32 | ~uint32 | ~uint64](least, most int64) kind[V] {
	s := &Schema{Type: "integer"}
	s.Min, s.Max = bounds(least, most)
	message := "must be " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
	return scalar(jsonInteger, s, func(raw []byte, dst *V) wrong {
		n, w := parseInteger(raw)
		if w.code == faultRange || w.code == "" && (n < least || n > most) {
			return wrong{faultRange, message}
		}
		if w.code == "" {
			*dst = V(n)
		}
		return w
	})
}

func parseInteger(raw []byte) (n int64, w wrong) {
	digits := raw
	if len(raw) > 0 && raw[0] == '-' {
		digits = raw[1:]
	}
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return 0, wrong{faultType, "must be an integer"}
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, wrong{faultType, "must be an integer, without fraction or exponent"}
		}
		if n = min(n*10+int64(c-'0'), maxSafeInteger+1); n > maxSafeInteger {
			w.code = faultRange
		}
	}
	if len(digits) < len(raw) {
		n = -n
	}
	return n, w
}

var boolean = scalar(jsonBoolean, booleanSchema, func(raw []byte, dst *bool) wrong {
	switch string(raw) {
	case "true":
		*dst = true
	case "false":
		*dst = false
	default:
		return wrong{faultType, "must be true or false"}
	}
	return wrong{}
})

// uuid is an id whose other forms are refused; looseID is one that the interface types as plain string: another form is
// simply the id of nothing, and reads as the nil id.
var (
	uuid = reference(scalar(jsonString, idSchema, func(raw []byte, dst *engine.ID) wrong {
		id, ok := parseID(raw)
		if !ok {
			return wrong{faultFormat, "must be a UUID like 0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e"}
		}
		*dst = id
		return wrong{}
	}))
	looseID = reference(scalar(jsonString, textSchema, func(raw []byte, dst *engine.ID) wrong {
		*dst, _ = parseID(raw)
		return wrong{}
	}))
)

// reference is an id that stands for a record: where the reader knows what is meant by names, it asks there.
func reference(k kind[engine.ID]) kind[engine.ID] {
	read := k.json
	k.json = func(r *jsonReader, dst *engine.ID) {
		if r.refer == nil {
			read(r, dst)
			return
		}
		if raw, ok := r.token(jsonString); ok {
			if w := r.refer(r.named(), raw, dst); w.code != "" {
				r.fault(w.code, w.message)
			}
		}
	}
	return k
}

// parseID reads the 36-character form of a UUID of versions 1 to 8 with the RFC variant, nil or max: engine.ParseID without
// its garbage.
func parseID(raw []byte) (id engine.ID, ok bool) {
	if len(raw) != 36 || raw[8] != '-' || raw[13] != '-' || raw[18] != '-' || raw[23] != '-' {
		return engine.ID{}, false
	}
	and, or := byte(0xff), byte(0)
	for i, at := range [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34} {
		hi, lo := hexValues[raw[at]], hexValues[raw[at+1]]
		if hi|lo > 0xf {
			return engine.ID{}, false
		}
		id[i] = hi<<4 | lo
		and, or = and&id[i], or|id[i]
	}
	version, variant := id[6]>>4, id[8]>>6
	if or != 0 && and != 0xff && (version < 1 || version > 8 || variant != 2) {
		return engine.ID{}, false
	}
	return id, true
}

// instant is a date-time with Z or an offset, as milliseconds since the epoch.
var instant = func() kind[int64] {
	k := scalar(jsonString, instantSchema, parseInstant)
	k.query = func(a *args, name string, dst *int64) bool {
		arg := a.one(name)
		if arg == nil {
			return false
		}
		if w := parseInstant(arg.value, dst); w.code != "" {
			a.fault(name, w.code, w.message+lostPlus(arg.value))
		}
		return true
	}
	return k
}()

func parseInstant(raw []byte, dst *int64) wrong {
	t, fault := timeline.ParseInstant(string(raw))
	if fault != "" {
		return wrong{faultFormat, fault}
	}
	*dst = t
	return wrong{}
}

// lostPlus is a hint where the value of a query would be a date-time if its offset began with the plus that has become a space.
func lostPlus(raw []byte) string {
	at := len(raw) - len("+00:00")
	if at < 0 || raw[at] != ' ' {
		return ""
	}
	given := bytes.Clone(raw)
	given[at] = '+'
	if w := parseInstant(given, new(int64)); w.code != "" {
		return ""
	}
	return "; a + in a query is a space: write %2B or Z"
}

// enum is one of the values, which stand in the order of their documentation.
func enum[V ~string](values ...V) kind[V] {
	s := &Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	message := "must be one of " + strings.Join(s.Enum, ", ")
	return scalar(jsonString, s, func(raw []byte, dst *V) wrong {
		for _, v := range values {
			if string(raw) == string(v) {
				*dst = v
				return wrong{}
			}
		}
		return wrong{faultEnum, message}
	})
}

// object is a nested object; in a query its members stand in brackets behind its name.
func object[V any](s *shape[V]) kind[V] {
	return kind[V]{
		schema: s.schema(),
		json:   s.readJSON,
		query: func(a *args, name string, dst *V) bool {
			if !a.below(name) {
				return false
			}
			s.readArgs(a, name, dst)
			return true
		},
	}
}

// list is least to most elements. In a query, scalars are the name repeated, with or without [], and objects are numbered
// from 0.
func list[V any](of kind[V], least, most int) kind[[]V] {
	s := &Schema{Type: "array", Items: of.schema}
	s.Min, s.Max = bounds(int64(least), int64(most))
	message := "must have " + strconv.Itoa(least) + " to " + strconv.Itoa(most) + " elements"
	return kind[[]V]{
		schema: s,
		json: func(r *jsonReader, dst *[]V) {
			if !r.enter('[', "an array") {
				return
			}
			*dst = (*dst)[:0]
			n := 0
			for ; r.element(n); n++ {
				if n >= most {
					r.skip()
					continue
				}
				var zero V
				*dst = append(*dst, zero)
				of.json(r, &(*dst)[n])
			}
			if !r.dead && (n < least || n > most) {
				r.fault(faultLength, message)
			}
		},
		query: func(a *args, name string, dst *[]V) bool {
			n := 0
			for ; ; n++ {
				var v V
				if of.text != nil {
					arg := a.next(name)
					if arg == nil {
						break
					}
					if w := of.text(arg.value, &v); w.code != "" {
						a.fault(name, w.code, w.message)
					}
				} else if !of.query(a, name+"["+strconv.Itoa(n)+"]", &v) {
					break
				}
				if n < most {
					*dst = append(*dst, v)
				}
			}
			if n > 0 && (n < least || n > most) {
				a.fault(name, faultLength, message)
			}
			return n > 0
		},
	}
}

// byKey is an object with at most so many members of free names, each an entry of a list that has the name as its key. It stands
// in bodies only.
func byKey[V any](value *Schema, most int, key func(*V) *string, read func(r *jsonReader, dst *V)) kind[[]V] {
	message := "must have 0 to " + strconv.Itoa(most) + " members"
	return kind[[]V]{
		schema: &Schema{Type: "object", Extra: value},
		json: func(r *jsonReader, dst *[]V) {
			if !r.enter('{', "an object") {
				return
			}
			*dst = []V{}
			n := 0
			for ; ; n++ {
				name, ok := r.member(n)
				if !ok {
					break
				}
				given := string(name)
				switch {
				case n >= most:
					r.skip()
				case slices.ContainsFunc(*dst, func(v V) bool { return *key(&v) == given }):
					r.fault(faultDuplicate, "given more than once")
					r.skip()
				default:
					var v V
					*key(&v) = given
					read(r, &v)
					*dst = append(*dst, v)
				}
			}
			if !r.dead && n > most {
				r.fault(faultLength, message)
			}
		},
		query: func(*args, string, *[]V) bool { return false },
	}
}
