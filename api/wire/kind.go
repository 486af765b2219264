package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the kinds of values that requests are made of: each is read from JSON and from the text of a query or
// path by the same parser, and describes itself for the document.

// Kind is how values of type V are read. Its functions report faults where they stand and leave dst alone then; they
// are called from many goroutines.
type Kind[V any] struct {
	Schema *Schema
	JSON   func(r *Reader, dst *V)
	Text   func(raw []byte, dst *V) Wrong // nil where the value is not a scalar
	// query reads the parameters of this name, or of names that begin with it and a bracket; present: there was one.
	Query func(a *Args, name string, dst *V) (present bool)
}

// kind is a Kind without the type of its values: dst is a pointer to one.
type kind struct {
	schema *Schema
	fresh  func() (dst any)
	json   func(r *Reader, dst any)
	query  func(a *Args, name string, dst any) (present bool)
}

//go:noinline
func anyOf[V any](k Kind[V]) kind {
	return kind{k.Schema, func() any { return new(V) }, func(r *Reader, dst any) { k.JSON(r, dst.(*V)) },
		func(a *Args, name string, dst any) bool { return k.Query(a, name, dst.(*V)) }}
}

// Wrong is what a parser finds wrong with a text; the zero value is nothing.
type Wrong struct{ Code, Message string }

type scalarType uint8

const (
	JSONString scalarType = iota
	jsonInteger
	jsonBoolean
	JSONNumber
)

func (t scalarType) words() string {
	return [...]string{"a string", "an integer", "true or false", "a number"}[t]
}

// Scalar makes a kind of a parser. raw is gone when parse returns: what is kept of it is copied.
func Scalar[V any](t scalarType, s *Schema, parse func(raw []byte, dst *V) Wrong) Kind[V] {
	return Kind[V]{
		Schema: s,
		Text:   parse,
		JSON: func(r *Reader, dst *V) {
			if raw, ok := r.Token(t); ok {
				if w := parse(raw, dst); w.Code != "" {
					r.Fault(w.Code, w.Message)
				}
			}
		},
		Query: func(a *Args, name string, dst *V) bool {
			arg := a.one(name)
			if arg == nil {
				return false
			}
			if w := parse(arg.Value, dst); w.Code != "" {
				a.Fault(name, w.Code, w.Message)
			}
			return true
		},
	}
}

// Text is a string of least to most characters.
func Text(least, most int) Kind[string] {
	s := &Schema{Type: "string"}
	s.Min, s.Max = bounds(int64(least), int64(most))
	message := "must have " + fromTo(least, most) + " characters"
	return Scalar(JSONString, s, func(raw []byte, dst *string) Wrong {
		if n := utf8.RuneCount(raw); n < least || n > most {
			return Wrong{FaultLength, message}
		}
		*dst = string(raw)
		return Wrong{}
	})
}

// fromTo says how many there may be.
func fromTo(least, most int) string {
	if least == most {
		return "exactly " + strconv.Itoa(most)
	}
	return strconv.Itoa(least) + " to " + strconv.Itoa(most)
}

const MaxSafeInteger = 1<<53 - 1

// Integer is a whole number, written without fraction or exponent, of least to most.
func Integer[V ~int | ~int64 | ~int32 | ~uint32 | ~uint64](least, most int64) Kind[V] {
	s := &Schema{Type: "integer"}
	s.Min, s.Max = bounds(least, most)
	message := "must be " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
	return Scalar(jsonInteger, s, func(raw []byte, dst *V) Wrong {
		n, w := ParseInteger(raw)
		if w.Code == FaultRange || w.Code == "" && (n < least || n > most) {
			return Wrong{FaultRange, message}
		}
		if w.Code == "" {
			*dst = V(n)
		}
		return w
	})
}

func ParseInteger(raw []byte) (n int64, w Wrong) {
	digits := raw
	if len(raw) > 0 && raw[0] == '-' {
		digits = raw[1:]
	}
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return 0, Wrong{FaultType, "must be an integer"}
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, Wrong{FaultType, "must be an integer, without fraction or exponent"}
		}
		if n = min(n*10+int64(c-'0'), MaxSafeInteger+1); n > MaxSafeInteger {
			w.Code = FaultRange
		}
	}
	if len(digits) < len(raw) {
		n = -n
	}
	return n, w
}

var Boolean = Scalar(jsonBoolean, booleanSchema, func(raw []byte, dst *bool) Wrong {
	switch string(raw) {
	case "true":
		*dst = true
	case "false":
		*dst = false
	default:
		return Wrong{FaultType, "must be true or false"}
	}
	return Wrong{}
})

// UUID is an id whose other forms are refused; LooseID is one that the interface types as plain string: another form is
// simply the id of nothing, and reads as the nil id.
var (
	UUID = Reference(Scalar(JSONString, IDSchema, func(raw []byte, dst *base.ID) Wrong {
		id, ok := ParseID(raw)
		if !ok {
			return Wrong{FaultFormat, "must be a UUID like 0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e"}
		}
		*dst = id
		return Wrong{}
	}))
	LooseID = Reference(Scalar(JSONString, TextSchema, func(raw []byte, dst *base.ID) Wrong {
		*dst, _ = ParseID(raw)
		return Wrong{}
	}))
)

// SomeID is an id where none may be given, as the nil id. That is a UUID like any other, but no record has it: one that
// is given is read as the max id, which no record has either.
var SomeID = Reference(Scalar(JSONString, IDSchema, func(raw []byte, dst *base.ID) Wrong {
	w := UUID.Text(raw, dst)
	if w.Code == "" && *dst == (base.ID{}) {
		for i := range dst {
			dst[i] = 0xff
		}
	}
	return w
}))

// Reference is an id that stands for a record: where the reader knows what is meant by names, it asks there.
func Reference(k Kind[base.ID]) Kind[base.ID] {
	read := k.JSON
	k.JSON = func(r *Reader, dst *base.ID) {
		if r.Refer == nil {
			read(r, dst)
			return
		}
		if raw, ok := r.Token(JSONString); ok {
			if w := r.Refer(r.named(), raw, dst); w.Code != "" {
				r.Fault(w.Code, w.Message)
			}
		}
	}
	return k
}

// ParseID reads the 36-character form of a UUID of versions 1 to 8 with the RFC variant, nil or max: base.ParseID
// without its garbage.
func ParseID(raw []byte) (id base.ID, ok bool) {
	if len(raw) != 36 || raw[8] != '-' || raw[13] != '-' || raw[18] != '-' || raw[23] != '-' {
		return base.ID{}, false
	}
	and, or := byte(0xff), byte(0)
	for i, at := range [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34} {
		hi, lo := hexValues[raw[at]], hexValues[raw[at+1]]
		if hi|lo > 0xf {
			return base.ID{}, false
		}
		id[i] = hi<<4 | lo
		and, or = and&id[i], or|id[i]
	}
	version, variant := id[6]>>4, id[8]>>6
	if or != 0 && and != 0xff && (version < 1 || version > 8 || variant != 2) {
		return base.ID{}, false
	}
	return id, true
}

// Instant is a date-time with Z or an offset, as milliseconds since the epoch.
var Instant = func() Kind[int64] {
	k := Scalar(JSONString, InstantSchema, ParseInstant)
	k.Query = func(a *Args, name string, dst *int64) bool {
		arg := a.one(name)
		if arg == nil {
			return false
		}
		if w := ParseInstant(arg.Value, dst); w.Code != "" {
			a.Fault(name, w.Code, w.Message+lostPlus(arg.Value))
		}
		return true
	}
	return k
}()

func ParseInstant(raw []byte, dst *int64) Wrong {
	t, fault := timeline.ParseInstant(string(raw))
	if fault != "" {
		return Wrong{FaultFormat, fault}
	}
	*dst = t
	return Wrong{}
}

// lostPlus is a hint where the value of a query would be a date-time if its offset began with the plus that has become
// a space.
func lostPlus(raw []byte) string {
	at := len(raw) - len("+00:00")
	if at < 0 || raw[at] != ' ' {
		return ""
	}
	given := bytes.Clone(raw)
	given[at] = '+'
	if w := ParseInstant(given, new(int64)); w.Code != "" {
		return ""
	}
	return "; a + in a query is a space: write %2B or Z"
}

// Enum is one of the values, which stand in the order of their documentation.
func Enum[V ~string](values ...V) Kind[V] {
	s := &Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	message := "must be one of " + strings.Join(s.Enum, ", ")
	return Scalar(JSONString, s, func(raw []byte, dst *V) Wrong {
		for _, v := range values {
			if string(raw) == string(v) {
				*dst = v
				return Wrong{}
			}
		}
		return Wrong{FaultEnum, message}
	})
}

// Words is one of those that a type lists.
func Words[V interface {
	~string
	base.Worded
}]() Kind[V] {
	var zero V
	var values []V
	for _, s := range zero.Words() {
		values = append(values, V(s))
	}
	return Enum(values...)
}

// Object is a nested object; in a query its members stand in brackets after its name.
func Object[V any](s *Shape[V]) Kind[V] {
	return Kind[V]{
		Schema: s.Schema(),
		JSON:   s.ReadJSON,
		Query: func(a *Args, name string, dst *V) bool {
			if !a.below(name) {
				return false
			}
			s.ReadArgs(a, name, dst)
			return true
		},
	}
}

// foreseen is how many elements are read before room is made for more: for as many as the rest of the document would
// hold at their average length.
const foreseen = 64

// ListOf is least to most elements. In a query, scalars are the name repeated, with or without [], and objects are
// numbered from 0.
func ListOf[V any](of Kind[V], least, most int) Kind[[]V] {
	s := &Schema{Type: "array", Items: of.Schema}
	s.Min, s.Max = bounds(int64(least), int64(most))
	message := "must have " + fromTo(least, most) + " elements"
	return Kind[[]V]{
		Schema: s,
		JSON: func(r *Reader, dst *[]V) {
			if !r.Enter('[', "an array") {
				return
			}
			*dst = (*dst)[:0]
			n, start := 0, r.pos
			for ; r.Element(n); n++ {
				if n >= most {
					r.Skip()
					continue
				}
				if n >= foreseen && n == cap(*dst) {
					*dst = slices.Grow(*dst, min(most-n, r.more(n, start)))
				}
				var zero V
				*dst = append(*dst, zero)
				of.JSON(r, &(*dst)[n])
			}
			if !r.Dead && (n < least || n > most) {
				r.Fault(FaultLength, message)
			}
		},
		Query: func(a *Args, name string, dst *[]V) bool {
			n := 0
			for ; ; n++ {
				var v V
				if of.Text != nil {
					arg := a.Next(name)
					if arg == nil {
						break
					}
					if w := of.Text(arg.Value, &v); w.Code != "" {
						a.Fault(name, w.Code, w.Message)
					}
				} else if !of.Query(a, name+"["+strconv.Itoa(n)+"]", &v) {
					break
				}
				if n < most {
					*dst = append(*dst, v)
				}
			}
			if n > 0 && (n < least || n > most) {
				a.Fault(name, FaultLength, message)
			}
			if of.Text == nil {
				a.gap(name, n)
			}
			return n > 0
		},
	}
}

// OrOne makes a list of a body take one element as itself, too, in place of a list of one. The elements are of the kind
// that the list is of.
func OrOne[V any](list Kind[[]V], of Kind[V]) Kind[[]V] {
	read := list.JSON
	list.JSON = func(r *Reader, dst *[]V) {
		if r.Space() == '[' {
			read(r, dst)
			return
		}
		var v V
		of.JSON(r, &v)
		*dst = []V{v}
	}
	return list
}

// Commas makes a list take several elements in one parameter, too, with commas between them: no element contains a
// comma.
func Commas[V any](list Kind[[]V]) Kind[[]V] {
	read := list.Query
	list.Query = func(a *Args, name string, dst *[]V) bool {
		a.split(name)
		return read(a, name, dst)
	}
	return list
}

// ByKey is an object with at most so many members of free names, each an entry of a list that has the name as its key.
// Nothing is read of a member whose name is too long for a key. It stands in bodies only.
func ByKey[V any](value *Schema, most int, key func(*V) *string, read func(r *Reader, dst *V)) Kind[[]V] {
	message := "must have 0 to " + strconv.Itoa(most) + " members"
	tooLongName := "the name must have at most " + strconv.Itoa(base.MaxName) + " characters"
	return Kind[[]V]{
		Schema: &Schema{Type: "object", Extra: value},
		JSON: func(r *Reader, dst *[]V) {
			if !r.Enter('{', "an object") {
				return
			}
			*dst = []V{}
			n := 0
			for ; ; n++ {
				name, ok := r.member(n)
				if !ok {
					break
				}
				if n >= most || tooLong(name) {
					if n < most {
						r.Fault(FaultLength, tooLongName)
					}
					r.Skip()
					continue
				}
				given := string(name)
				switch {
				case slices.ContainsFunc(*dst, func(v V) bool { return *key(&v) == given }):
					r.Fault(FaultDuplicate, "given more than once")
					r.Skip()
				default:
					var v V
					*key(&v) = given
					read(r, &v)
					*dst = append(*dst, v)
				}
			}
			if !r.Dead && n > most {
				r.Fault(FaultLength, message)
			}
		},
		Query: func(*Args, string, *[]V) bool { return false },
	}
}
