package wire

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"holdfast/engine/base"
)

// This file owns the strict JSON reader: one pass over a body, straight into typed values, naming every fault with its
// JSON pointer. It is our own because no library names all faults, refuses duplicate members and keeps the case of
// names.
//
// It accepts RFC 8259 and, beyond what encoding/json refuses, refuses: more than 32 levels, invalid UTF-8, lone
// surrogates. What members mean (unknown, duplicate, required) is the shapes' business, see shape.go.

const (
	MaxDepth = 32
	// a hostile body must not be answered with one a hundred times its size
	MaxFaults     = 1000
	MaxFaultBytes = 256 << 10 // of their pointers and messages, as they are answered
)

// Codes of single faults, as they stand in errors[].code.
const (
	FaultMalformed = "malformed" // not JSON, not percent-encoding, not UTF-8
	FaultTooDeep   = "too_deep"  // more than 32 levels
	FaultType      = "type"      // another JSON type
	FaultRequired  = "required"  // absent or null
	FaultUnknown   = "unknown"   // no such member or parameter
	FaultDuplicate = "duplicate" // given more than once
	FaultRange     = "range"     // a number, instant or count out of bounds
	FaultFormat    = "format"    // text of another form
	FaultEnum      = "enum"      // none of the allowed values
	FaultLength    = "length"    // too short or too long
	FaultExclusive = "exclusive" // does not go with another
	FaultOrder     = "order"     // an end that is not after its beginning
	FaultReference = "reference" // names nothing that there is, or more than one
)

// Reader reads one document. Every read method consumes exactly one value, also where it reports a fault, so that the
// rest is still looked at. After a syntax fault it is dead: nothing more is read or reported.
type Reader struct {
	data    []byte
	pos     int
	depth   int
	Dead    bool
	path    []pathStep
	scratch []byte // the unescaped text of the token last read
	Claims  []Claim
	Faults  *Faults
	Refer   referrer // nil: a reference is an id
}

// referrer reads what a member refers to by an id or by a name.
type referrer func(member string, raw []byte, dst *base.ID) Wrong

// Claim is a member that was given and takes a scope of its own.
type Claim struct{ Field, Scope string }

// pathStep is a member (name set), an element, or -1 in an object or array of which nothing was read yet.
type pathStep struct {
	name  []byte
	index int
}

// Faults collects faults up to MaxFaults and MaxFaultBytes, or up to Most, and counts the rest.
type Faults struct {
	Most   int // faults that are kept, for those that are not answered as they are; 0: not given
	ListOf []base.Fault
	More   int
	bytes  int             // of the pointers and messages of ListOf
	at     map[string]bool // pointers of the first faults, once they are many
	placed int             // how many faults are in at
}

// Full says that no more faults are kept.
func (l *Faults) Full() bool {
	if l.Most > 0 {
		return len(l.ListOf) >= l.Most
	}
	return len(l.ListOf) >= MaxFaults || l.bytes >= MaxFaultBytes
}

func (l *Faults) Add(f base.Fault) {
	if l.Full() {
		l.More++
		return
	}
	l.ListOf = append(l.ListOf, f)
	l.bytes += len(AppendText(nil, f.Pointer)) + len(AppendText(nil, f.Message))
}

const fewFaults = 16 // are gone through

// At says whether a fault of the value at a pointer was found. It is asked when all is read: from then on faults are
// only added.
func (l *Faults) At(pointer string) bool {
	if len(l.ListOf) > fewFaults {
		if l.at == nil {
			l.at = map[string]bool{}
		}
		for _, f := range l.ListOf[l.placed:] {
			l.at[f.Pointer] = true
		}
		l.placed = len(l.ListOf)
		return l.at[pointer]
	}
	for _, f := range l.ListOf {
		if f.Pointer == pointer {
			return true
		}
	}
	return false
}

// Reset begins a new document; the reader keeps its scratch memory.
func (r *Reader) Reset(data []byte, faults *Faults) {
	*r = Reader{data: data, path: r.path[:0], scratch: r.scratch[:0], Claims: r.Claims[:0], Faults: faults}
}

// Document reads the data with read. They have to be one value, with nothing after it.
func (r *Reader) Document(read func(*Reader)) {
	read(r)
	if r.Space(); !r.Dead && r.pos < len(r.data) {
		r.die("unexpected data after the value")
	}
}

// Fault reports what is wrong with the value at the present path.
func (r *Reader) Fault(code, message string) {
	if r.Faults.Full() {
		r.Faults.More++ // where it is does not matter any more
		return
	}
	r.Faults.Add(base.Fault{In: "body", Pointer: r.pointer(), Code: code, Message: message})
}

// faultAt reports what is wrong with a member of the object being read.
func (r *Reader) faultAt(member, code, message string) {
	r.path[len(r.path)-1] = pathStep{name: []byte(member)}
	r.Fault(code, message)
}

func (r *Reader) die(message string) {
	if !r.Dead {
		r.Fault(FaultMalformed, message+" at byte "+strconv.Itoa(r.pos))
		r.Dead = true
	}
}

// pointer is the RFC 6901 pointer of the present path. Of a name that is longer than any that there is, it has the
// beginning.
func (r *Reader) pointer() string {
	var b []byte
	for _, s := range r.path {
		if s.name == nil && s.index < 0 {
			break
		}
		b = append(b, '/')
		if s.name == nil {
			b = strconv.AppendInt(b, int64(s.index), 10)
			continue
		}
		name := bytes.ReplaceAll(beginning(s.name), []byte("~"), []byte("~0"))
		b = append(b, bytes.ReplaceAll(name, []byte("/"), []byte("~1"))...)
	}
	return string(b)
}

// beginning is as much of a name as names have; what was left out is shown by a "…".
func beginning(name []byte) []byte {
	if !tooLong(name) {
		return name
	}
	end := 0
	for range base.MaxName {
		_, n := utf8.DecodeRune(name[end:])
		end += n
	}
	return append(bytes.Clone(name[:end]), "…"...)
}

// tooLong says that nothing has a name as long as this one.
func tooLong(name []byte) bool {
	return len(name) > base.MaxName && utf8.RuneCount(name) > base.MaxName
}

// named is the name of the member that is read, or of the one whose list an element of is.
func (r *Reader) named() string {
	for i := len(r.path) - 1; i >= 0; i-- {
		if r.path[i].name != nil {
			return string(r.path[i].name)
		}
	}
	return ""
}

// claim notes that the member at the present path takes a scope: once, however many elements of a list have it.
func (r *Reader) claim(scope string) {
	var field []byte
	for _, s := range r.path {
		if s.name == nil {
			continue
		}
		if len(field) > 0 {
			field = append(field, '.')
		}
		field = append(field, s.name...)
	}
	c := Claim{string(field), scope}
	if !slices.Contains(r.Claims, c) {
		r.Claims = append(r.Claims, c)
	}
}

// Space skips white space and returns the next byte, 0 at the end of the data or of the reader's life.
func (r *Reader) Space() byte {
	if r.Dead {
		return 0
	}
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

// Enter goes into an object or array, or reports that the value is something else and skips it.
func (r *Reader) Enter(bracket byte, what string) bool {
	if r.Space() != bracket {
		r.WrongType(what)
		return false
	}
	if r.depth == MaxDepth {
		r.Fault(FaultTooDeep, "more than 32 levels of nesting")
		r.Dead = true
		return false
	}
	r.depth++
	r.pos++
	r.path = append(r.path, pathStep{index: -1})
	return true
}

func (r *Reader) leave() {
	r.depth--
	r.pos++
	r.path = r.path[:len(r.path)-1]
}

// separator goes to the n-th member or element, or leaves the object or array and returns false.
func (r *Reader) separator(n int, bracket byte) bool {
	c := r.Space()
	if c == bracket {
		r.leave()
		return false
	}
	if n > 0 {
		if c != ',' {
			r.die("expected ',' or '" + string(bracket) + "'")
			return false
		}
		r.pos++
	}
	return !r.Dead
}

// member goes to the n-th member of the object entered and returns its name, which is valid until the next read.
func (r *Reader) member(n int) (name []byte, ok bool) {
	if !r.separator(n, '}') {
		return nil, false
	}
	if r.Space() != '"' {
		r.die("expected a member name")
		return nil, false
	}
	start := r.pos
	name, ok = r.text()
	if !ok {
		return nil, false
	}
	if r.pos-start != len(name)+2 { // unescaped in scratch, which the value will overwrite
		name = bytes.Clone(name)
	}
	if r.Space() != ':' {
		r.die("expected ':'")
		return nil, false
	}
	r.pos++
	r.path[len(r.path)-1].name = name
	return name, true
}

// Element goes to the n-th element of the array entered.
func (r *Reader) Element(n int) bool {
	if !r.separator(n, ']') {
		return false
	}
	r.path[len(r.path)-1].index = n
	return true
}

// more is how many elements there are from here on, one at least, if they are as long as those from start on, of which
// there were n.
func (r *Reader) more(n, start int) int { return 1 + (len(r.data)-r.pos)/((r.pos-start)/n) }

// Null consumes a null, if that is what comes next.
func (r *Reader) Null() bool {
	return r.Space() == 'n' && r.literal("null")
}

// Token consumes a value of the scalar type and returns its text, unescaped; else it reports the type and skips the
// value.
func (r *Reader) Token(t scalarType) (raw []byte, ok bool) {
	c, start := r.Space(), r.pos
	switch {
	case c == '"' && t == JSONString:
		return r.text()
	case (c == '-' || c >= '0' && c <= '9') && (t == jsonInteger || t == JSONNumber):
		return r.number()
	case c == 't' && t == jsonBoolean:
		ok = r.literal("true")
		return r.data[start:r.pos], ok
	case c == 'f' && t == jsonBoolean:
		ok = r.literal("false")
		return r.data[start:r.pos], ok
	}
	r.WrongType(t.words())
	return nil, false
}

func (r *Reader) WrongType(what string) {
	r.Space()
	mark, start := len(r.Faults.ListOf), r.pos
	r.Fault(FaultType, "must be "+what)
	if r.Skip(); r.Dead && r.pos == start && mark < len(r.Faults.ListOf) {
		// not even a value: the syntax fault says it
		r.Faults.ListOf = append(r.Faults.ListOf[:mark], r.Faults.ListOf[mark+1:]...)
	}
}

// Skip consumes any value, looking at its syntax only.
func (r *Reader) Skip() {
	switch c := r.Space(); {
	case c == '{':
		if r.Enter('{', "") {
			for n := 0; ; n++ {
				if _, ok := r.member(n); !ok {
					return
				}
				r.Skip()
			}
		}
	case c == '[':
		if r.Enter('[', "") {
			for n := 0; r.Element(n); n++ {
				r.Skip()
			}
		}
	case c == '"':
		r.text()
	case c == '-' || c >= '0' && c <= '9':
		r.number()
	case c == 't':
		r.literal("true")
	case c == 'f':
		r.literal("false")
	case c == 'n':
		r.literal("null")
	default:
		r.die("expected a value")
	}
}

// Raw consumes any value and returns it as it stands, in the memory of the document.
func (r *Reader) Raw() []byte {
	r.Space()
	start := r.pos
	r.Skip()
	return r.data[start:r.pos]
}

func (r *Reader) literal(word string) bool {
	if !bytes.HasPrefix(r.data[r.pos:], []byte(word)) {
		r.die("expected " + word)
		return false
	}
	r.pos += len(word)
	return true
}

// IsNumber says whether a text is a number of JSON's grammar.
func IsNumber(text string) bool {
	r := Reader{data: []byte(text), Faults: new(Faults)}
	raw, ok := r.number()
	return ok && len(raw) == len(text)
}

// number consumes a number of JSON's grammar.
func (r *Reader) number() (raw []byte, ok bool) {
	start := r.pos
	if r.pos < len(r.data) && r.data[r.pos] == '-' {
		r.pos++
	}
	first := r.pos
	ok = r.digits() && (r.data[first] != '0' || r.pos == first+1)
	if ok && r.pos < len(r.data) && r.data[r.pos] == '.' {
		r.pos++
		ok = r.digits()
	}
	if ok && r.pos < len(r.data) && r.data[r.pos]|0x20 == 'e' {
		r.pos++
		if r.pos < len(r.data) && (r.data[r.pos] == '+' || r.data[r.pos] == '-') {
			r.pos++
		}
		ok = r.digits()
	}
	if !ok {
		r.die("malformed number")
		return nil, false
	}
	return r.data[start:r.pos], true
}

func (r *Reader) digits() bool {
	first := r.pos
	for r.pos < len(r.data) && r.data[r.pos] >= '0' && r.data[r.pos] <= '9' {
		r.pos++
	}
	return r.pos > first
}

// text consumes a string and returns it unescaped: a part of the data, or of scratch where there were escapes.
func (r *Reader) text() (raw []byte, ok bool) {
	r.pos++
	start, ascii := r.pos, true
	for r.pos+8 <= len(r.data) && plain(binary.LittleEndian.Uint64(r.data[r.pos:])) {
		r.pos += 8
	}
	for ; r.pos < len(r.data); r.pos++ {
		switch c := r.data[r.pos]; {
		case c == '"':
			raw = r.data[start:r.pos]
			if !ascii && !utf8.Valid(raw) {
				r.die("invalid UTF-8")
				return nil, false
			}
			r.pos++
			return raw, true
		case c == '\\':
			return r.escaped(start)
		case c < ' ':
			r.die("control character in a string")
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	r.die("string without an end")
	return nil, false
}

// plain says that a string continues over all of eight bytes: each is ASCII, and no control character, quote or
// backslash. A byte below n has its high bit set after n is subtracted, and did not have it before. A byte that equals
// another is below 1 after both are combined by exclusive or. Only a byte that is found in this way borrows from the
// next.
func plain(w uint64) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	quote, backslash := w^ones*'"', w^ones*'\\'
	return (w|(w-ones*' ')&^w|(quote-ones)&^quote|(backslash-ones)&^backslash)&high == 0
}

const escapes = `"\/bfnrt`
const escaped = "\"\\/\b\f\n\r\t"

// escaped reads the rest of a string that has escapes; start is its first byte and pos at the first escape.
func (r *Reader) escaped(start int) (raw []byte, ok bool) {
	b := append(r.scratch[:0], r.data[start:r.pos]...)
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		switch {
		case c == '"':
			r.scratch = b
			if !utf8.Valid(b) {
				r.die("invalid UTF-8")
				return nil, false
			}
			r.pos++
			return b, true
		case c < ' ':
			r.die("control character in a string")
			return nil, false
		case c != '\\':
			b = append(b, c)
			r.pos++
			continue
		}
		r.pos++
		if r.pos == len(r.data) {
			break
		}
		if i := bytes.IndexByte([]byte(escapes), r.data[r.pos]); i >= 0 {
			b = append(b, escaped[i])
			r.pos++
			continue
		}
		u, ok := r.hex4()
		if ok && utf16.IsSurrogate(u) {
			low := rune(-1)
			if bytes.HasPrefix(r.data[r.pos:], []byte(`\u`)) {
				r.pos++
				low, ok = r.hex4()
			}
			u = utf16.DecodeRune(u, low)
			ok = ok && u != utf8.RuneError
		}
		if !ok {
			r.die("malformed escape")
			return nil, false
		}
		b = utf8.AppendRune(b, u)
	}
	r.die("string without an end")
	return nil, false
}

// hex4 consumes the u and the four digits of an escape.
func (r *Reader) hex4() (rune, bool) {
	if len(r.data)-r.pos < 5 || r.data[r.pos] != 'u' {
		return 0, false
	}
	var u rune
	for _, c := range r.data[r.pos+1 : r.pos+5] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		u = u<<4 | rune(d)
	}
	r.pos += 5
	return u, true
}

func hexDigit(c byte) (d byte, ok bool) {
	d = hexValues[c]
	return d, d != noDigit
}

const noDigit = 0xff

var hexValues = func() (digits [256]byte) {
	for c := range digits {
		switch c := byte(c); {
		case c >= '0' && c <= '9':
			digits[c] = c - '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			digits[c] = c | 0x20 - 'a' + 10
		default:
			digits[c] = noDigit
		}
	}
	return digits
}()
