package wire

import (
	"slices"

	"holdfast/engine/base"
)

// This file owns how a record of an answer is said: once, by a function that names its members in their order. The same
// function writes the record and, run over an empty one, describes it for the document, so that the two cannot differ.
//
// It is a function and not a list of values, because what an order or an article shows is computed of several records
// at once, and a function needs no table of accessors for that. It costs some ten nanoseconds a member: BenchmarkPages
// of package api writes 50 orders in 160 to 206 us, where the encoders by hand of commit 53bc045 took 143. Fields that
// are declared (record.go) cost about twice as much: 50 customers take 28 to 31 us, 18 to 22 as a function and 17 by
// hand.

// Writer is what an answer is appended to. While it describes, names and what is said of them are kept and values are
// not.
type Writer struct {
	Out   []byte
	doc   *Schema    // the object that is described; nil: it is written
	may   bool       // the next member is left out where it does not apply
	times [8]written // instants that were written, by a hash: a record has few that differ
}

// written is an instant as it stands in an answer.
type written struct {
	at   int64
	text [len(`"2006-01-02T15:04:05.000Z"`)]byte
}

// instant appends an instant; one that is never is null.
func (w *Writer) instant(t int64) {
	if t == base.Forever {
		w.Nil()
		return
	}
	x := &w.times[uint64(t)*0x9e3779b97f4a7c15>>61]
	if x.at != t || x.text[0] == 0 {
		x.at = t
		AppendInstant(x.text[:0], t)
	}
	w.Out = append(w.Out, x.text[:]...)
}

// Describe gives the schema of the object that a function names the members of.
func (w *Writer) Describe(name string, members func()) *Schema {
	outer := w.doc
	w.doc = &Schema{Name: name, Type: "object"}
	members()
	s := w.doc
	w.doc = outer
	return s
}

// Writes says that values are written: where it is false, values that cannot be computed from an empty record need not
// be computed.
func (w *Writer) Writes() bool { return w.doc == nil }

// May says whether a member that is left out at times is given. It stands in front of the member.
func (w *Writer) May(given bool) bool {
	w.may = w.doc != nil
	return given || w.may
}

// Key begins a member; its value is appended after it. Without about the schema says what the member is.
func (w *Writer) Key(name string, s *Schema, about string) {
	if w.doc != nil {
		w.describe(name, s, about)
		return
	}
	w.member(name, "")
}

// null is a member that is unset in this record.
func (w *Writer) null(name string, s *Schema, about string) {
	if w.doc != nil {
		w.describe(name, s, about)
		return
	}
	w.member(name, "null")
}

// member appends a name with what its value begins with. Every member goes through it: it cuts Out, which stores a
// length and no pointer.
func (w *Writer) member(name, begin string) {
	at, most := len(w.Out), len(name)+len(`,"":`)+len(begin)
	if cap(w.Out)-at < most {
		w.Out = slices.Grow(w.Out, most)
	}
	w.Out = w.Out[:at+most]
	b, n := w.Out[at-1:], 1
	if b[0] != '{' {
		b[1], n = ',', 2
	}
	b[n] = '"'
	n += 1 + copy(b[n+1:], name)
	b[n], b[n+1] = '"', ':'
	n += 2 + copy(b[n+2:], begin)
	w.Out = w.Out[:at-1+n]
}

func (w *Writer) describe(name string, s *Schema, about string) {
	if about != "" {
		s = s.Says(about)
	}
	w.doc.Members = append(w.doc.Members, Member{Name: name, Required: !w.may, Schema: s})
	w.may = false
}

// Nil appends null.
func (w *Writer) Nil() { w.Out = append(w.Out, "null"...) }

// Null is a member that is always null.
func (w *Writer) Null(name, about string) {
	w.null(name, NullSchema, about)
}

func (w *Writer) ID(name string, id base.ID, about string) {
	w.Key(name, IDSchema, about)
	w.Out = AppendID(w.Out, id)
}

// TextID is an id that the interface types as plain text.
func (w *Writer) TextID(name string, id base.ID, about string) {
	w.Key(name, TextSchema, about)
	w.Out = AppendID(w.Out, id)
}

// GivenID is an id that is unset where it is the nil id.
func (w *Writer) GivenID(name string, id base.ID, about string) {
	if id == (base.ID{}) {
		w.null(name, idOrNull, about)
		return
	}
	w.Key(name, idOrNull, about)
	w.Out = AppendID(w.Out, id)
}

func (w *Writer) IDOrNull(name string, id *base.ID, about string) {
	if id == nil {
		w.null(name, idOrNull, about)
		return
	}
	w.Key(name, idOrNull, about)
	w.Out = AppendID(w.Out, *id)
}

func (w *Writer) Text(name, s, about string) {
	w.Key(name, TextSchema, about)
	w.Out = AppendText(w.Out, s)
}

// GivenText is a text that is unset where it is empty.
func (w *Writer) GivenText(name, s, about string) {
	if s == "" {
		w.null(name, TextOrNull, about)
		return
	}
	w.Key(name, TextOrNull, about)
	w.Out = AppendText(w.Out, s)
}

func (w *Writer) TextOrNull(name string, s *string, about string) {
	if s == nil {
		w.null(name, TextOrNull, about)
		return
	}
	w.Key(name, TextOrNull, about)
	w.Out = AppendText(w.Out, *s)
}

// As is a text that has a schema of its own, such as one of a few values.
func (w *Writer) As(s *Schema, name, v, about string) {
	w.Key(name, s, about)
	w.Out = AppendText(w.Out, v)
}

// AsOrNull is such a text that may be unset; s is the schema without null.
func (w *Writer) AsOrNull(s *Schema, name string, v *string, about string) {
	if w.nullable(s, name, about); v == nil {
		w.Nil()
		return
	}
	w.Out = AppendText(w.Out, *v)
}

// nullable begins a member that may be null.
func (w *Writer) nullable(s *Schema, name, about string) {
	if w.doc != nil {
		s = s.OrNull()
	}
	w.Key(name, s, about)
}

func (w *Writer) Instant(name string, t int64, about string) {
	w.Key(name, InstantSchema, about)
	w.instant(t)
}

// End writes an instant, or null if it is base.Forever.
func (w *Writer) End(name string, t int64, about string) {
	if t == base.Forever {
		w.null(name, instantOrNull, about)
		return
	}
	w.Key(name, instantOrNull, about)
	w.instant(t)
}

// GivenInstant is an instant that is unset where it is 0.
func (w *Writer) GivenInstant(name string, t int64, about string) {
	if t == 0 {
		t = base.Forever
	}
	w.End(name, t, about)
}

func (w *Writer) InstantOrNull(name string, t *int64, about string) {
	if t == nil {
		w.End(name, base.Forever, about)
		return
	}
	w.End(name, *t, about)
}

// Created and Updated are when a record was made, as its id says, and when it was last changed.
func (w *Writer) Created(id base.ID) { w.MadeAt(base.CreatedAt(id)) }

func (w *Writer) MadeAt(t int64) {
	w.Key("createdAt", createdSchema, "")
	w.instant(t)
}

func (w *Writer) Updated(t int64) {
	w.Key("updatedAt", updatedSchema, "")
	w.instant(t)
}

func (w *Writer) Range(name string, s base.Span, about string) {
	w.Key(name, rangeSchema, about)
	w.Out = append(w.Out, `{"start":`...)
	w.instant(s.Start)
	w.Out = append(w.Out, `,"end":`...)
	w.instant(s.End)
	w.Out = append(w.Out, '}')
}

func (w *Writer) Int(name string, n int64, about string) {
	w.Key(name, IntegerSchema, about)
	w.Out = AppendInt(w.Out, n)
}

func (w *Writer) Count(name string, n int, about string) { w.Int(name, int64(n), about) }

// GivenCount is a number that is unset where it is 0.
func (w *Writer) GivenCount(name string, n int, about string) {
	if n == 0 {
		w.null(name, IntegerOrNull, about)
		return
	}
	w.Key(name, IntegerOrNull, about)
	w.Out = AppendInt(w.Out, n)
}

func (w *Writer) IntOrNull(name string, n *int64, about string) {
	if n == nil {
		w.null(name, IntegerOrNull, about)
		return
	}
	w.Key(name, IntegerOrNull, about)
	w.Out = AppendInt(w.Out, *n)
}

func (w *Writer) Number(name string, n float64, about string) {
	w.Key(name, NumberSchema, about)
	w.Out = AppendNumber(w.Out, n)
}

func (w *Writer) Bool(name string, v bool, about string) {
	w.Key(name, booleanSchema, about)
	w.Out = AppendBool(w.Out, v)
}

func (w *Writer) Texts(name string, list []string, about string) {
	w.Key(name, textListSchema, about)
	w.Out = AppendList(w.Out, list, AppendText)
}

func (w *Writer) IDs(name string, list []base.ID, about string) {
	w.Key(name, IDListSchema, about)
	w.Out = AppendList(w.Out, list, AppendID)
}

// Object is a member that is an object. of is the name of its kind.
func (w *Writer) Object(name, of, about string, members func()) {
	if w.doc != nil {
		w.Key(name, w.Describe(of, members), about)
		return
	}
	w.Key(name, nil, "")
	w.Braces(members)
}

// Braces appends an object.
func (w *Writer) Braces(members func()) {
	w.Out = append(w.Out, '{')
	members()
	w.Out = append(w.Out, '}')
}

// Nullable is a member that is an object or, where there is no v, null.
func Nullable[V any](w *Writer, name, of string, v *V, about string, members func(v *V)) {
	switch {
	case w.doc != nil:
		w.nullable(w.Describe(of, func() { members(new(V)) }), name, about)
	case v == nil:
		w.null(name, nil, "")
	default:
		w.Key(name, nil, "")
		w.Out = append(w.Out, '{')
		members(v)
		w.Out = append(w.Out, '}')
	}
}

// List is a member that is a list of objects.
func List[V any](w *Writer, name, of string, list []V, about string, members func(v *V)) {
	First(w, name, of, list, len(list), about, members)
}

// First is the first entries of a list, of which there are total. Behind a list that is cut stands how long it is.
func First[V any](w *Writer, name, of string, list []V, total int, about string, members func(v *V)) {
	if w.doc != nil {
		w.Key(name, ListSchema(w.Describe(of, func() { members(new(V)) })), about)
		return
	}
	w.Key(name, nil, "")
	w.Out = append(w.Out, '[')
	for i := range list {
		if i > 0 {
			w.Out = append(w.Out, ',')
		}
		w.Out = append(w.Out, '{')
		members(&list[i])
		w.Out = append(w.Out, '}')
	}
	w.Out = append(w.Out, ']')
	if total > len(list) {
		w.Count(name+TotalOf, total, "")
	}
}

// UpTo is the first entries of a list.
func UpTo[V any](list []V, most int) []V { return list[:min(len(list), most)] }

// Each is List of what lies elsewhere.
func Each[V any](w *Writer, name, of string, list []*V, about string, members func(v *V)) {
	if w.doc != nil {
		List(w, name, of, []V(nil), about, members)
		return
	}
	List(w, name, of, list, about, func(v **V) { members(*v) })
}

// Next separates the entries of a list that is begun: what is appended next is one of them.
func (w *Writer) Next() {
	if w.Out[len(w.Out)-1] != '[' {
		w.Out = append(w.Out, ',')
	}
}

// Property begins a member of an object with free names.
func (w *Writer) Property(name string) {
	if w.Out[len(w.Out)-1] != '{' {
		w.Out = append(w.Out, ',')
	}
	w.Out = append(AppendText(w.Out, name), ':')
}

// Before has the document name a member in front of another that answers have first: its order is older.
func (w *Writer) Before(name, other string) {
	if w.doc == nil {
		return
	}
	at := func(name string) int {
		return slices.IndexFunc(w.doc.Members, func(m Member) bool { return m.Name == name })
	}
	i := at(name)
	m := w.doc.Members[i]
	w.doc.Members = slices.Insert(slices.Delete(w.doc.Members, i, i+1), at(other), m)
}
