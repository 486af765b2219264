package base

import (
	"cmp"
	"net/mail"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"holdfast/timeline"
)

// This file owns how the fields of a record are declared: each once, by the tags of the struct member that keeps it.
// From the declaration follow the checks of what callers give (here), what a change makes of a record (change.go), and,
// in package api, how a field is read, written and described.
//
//	Code *string `field:"code text 1..255" about:"The code that people read, unique in the account."`
//
// The tag begins with the field's name in the interface. Then comes what a value is:
//
//	text A..B   so many characters
//	zone, email, date, language, link, currency
//	endpoint    an https address that the service calls
//	key A..B    a text of so many letters, digits, underscores, hyphens and dots
//	instant     milliseconds since 1970
//	money       minor units
//	int A..B    a whole number
//	flag        true or false
//	word        one of those that the type lists (Worded)
//	id          of another record
//	object A B  a struct with fields of its own, behind a pointer or in a list; the document calls it A where it
//	            is read, B where it is written, or ARecord where there is no B
//	list A..B   so many values of what follows, each once where it is "distinct"
//	own         what package api reads by a kind of its own, and the record's code checks
//
// and at last "required" where a record cannot be without it, "fixed" where it never changes, and "later" where only a
// change gives it: an answer leaves it out as long as none did. A field whose member is a pointer may be null. For a
// field without a pointer that is not required, null sets the zero value, or the value of the tag "default"; the
// default "all" of a list means all words. A list that has one element at least and no default may be null, too. A
// required field may be left out of a request that makes a record if it has a default, is a flag, or its member is a
// pointer. The default of a number is the value that counts if a request leaves it out.
//
// The tag "about" says what the field is. If the text for requests is another one, "given" has it for all requests, or
// "made" and "changed" have one for each kind of request.

// FieldForm is what a value of a field is.
type FieldForm string

// The forms of fields.
const (
	FormText     FieldForm = "text"
	FormZone     FieldForm = "zone"
	FormEmail    FieldForm = "email"
	FormDate     FieldForm = "date"
	FormLanguage FieldForm = "language"
	FormLink     FieldForm = "link"
	FormEndpoint FieldForm = "endpoint"
	FormCurrency FieldForm = "currency"
	FormKey      FieldForm = "key"
	FormInstant  FieldForm = "instant"
	FormMoney    FieldForm = "money"
	FormInteger  FieldForm = "int"
	FormFlag     FieldForm = "flag"
	FormWord     FieldForm = "word"
	FormID       FieldForm = "id"
	FormObject   FieldForm = "object"
	FormList     FieldForm = "list"
	FormOwn      FieldForm = "own"
)

// Worded is a type of texts that has few values.
type Worded interface{ Words() []string }

// Field is one field of a record, or what the elements of a list are. It never changes.
type Field struct {
	Name, About string
	Made        string // what is said of it where a record is made; empty: what it is about
	Changed     string // and where one is changed
	Example     string // a value that the document shows in requests; empty: one made of the form
	Form        FieldForm
	Least, Most int      // a number, the characters of a text, the entries of a list
	Words       []string // that a word can be
	Default     string   // of a word, a text, a list of words, a number
	Required    bool
	Fixed       bool         // it never changes
	Later       bool         // only a change gives it
	Distinct    bool         // of a list: it has no element twice
	Pointer     bool         // the member is a pointer: null is nil
	Type        reflect.Type // of a value
	Fields      *Fields
	ReadAs      string // of an object: its names in the document
	WrittenAs   string
	Element     *Field // of a list

	at []int // the member's place in the struct
}

// Fields are the fields of a struct, in its order; those of embedded structs are among them.
type Fields struct{ List []Field }

var fieldsOfTypes sync.Map // of reflect.Type: *Fields

// FieldsOf are the fields that a struct declares. A tag that says nothing sensible is a fault of the program and
// panics.
func FieldsOf[R any]() *Fields { return fieldsOf(reflect.TypeFor[R]()) }

func fieldsOf(t reflect.Type) *Fields {
	if fs, ok := fieldsOfTypes.Load(t); ok {
		return fs.(*Fields)
	}
	fs := new(Fields)
	fs.collect(t, nil)
	if len(fs.List) == 0 {
		panic("base: " + t.String() + " declares no fields")
	}
	fieldsOfTypes.Store(t, fs)
	return fs
}

func (fs *Fields) collect(t reflect.Type, at []int) {
	for i := range t.NumField() {
		m := t.Field(i)
		place := append(slices.Clone(at), i)
		tag, declared := m.Tag.Lookup("field")
		switch {
		case declared:
			f := parseField(m.Type, strings.Fields(tag))
			f.at, f.About, f.Example, f.Default = place, m.Tag.Get("about"), m.Tag.Get("example"), m.Tag.Get("default")
			given := m.Tag.Get("given")
			f.Made, f.Changed = cmp.Or(m.Tag.Get("made"), given), cmp.Or(m.Tag.Get("changed"), given)
			fs.List = append(fs.List, f)
		case m.Anonymous && m.Type.Kind() == reflect.Struct:
			fs.collect(m.Type, place)
		}
	}
}

// parseField reads the words of a tag.
func parseField(t reflect.Type, words []string) Field {
	wrong := func() { panic("base: a field of type " + t.String() + " is declared as " + strings.Join(words, " ")) }
	if len(words) < 2 {
		wrong()
	}
	f := Field{Name: words[0]}
	rest := words[1:]
	cut := func(word string) bool {
		i := slices.Index(rest, word)
		if i > 0 {
			rest = slices.Delete(slices.Clone(rest), i, i+1)
		}
		return i > 0
	}
	f.Fixed, f.Later, f.Required = cut("fixed"), cut("later"), cut("required")
	if t.Kind() == reflect.Pointer {
		f.Pointer, t = true, t.Elem()
	}
	f.Type = t
	f.Form, rest = FieldForm(rest[0]), rest[1:]
	if f.Form == FormText || f.Form == FormList || f.Form == FormInteger || f.Form == FormKey {
		least, most, ok := strings.Cut(rest[0], "..")
		var err error
		if f.Least, err = strconv.Atoi(least); err != nil || !ok {
			wrong()
		}
		if f.Most, err = strconv.Atoi(most); err != nil {
			wrong()
		}
		rest = rest[1:]
	}
	kind := reflect.String
	switch f.Form {
	case FormText, FormZone, FormEmail, FormDate, FormLanguage, FormLink, FormEndpoint, FormCurrency, FormKey:
	case FormMoney, FormInstant, FormInteger:
		if kind = reflect.Int64; f.Form == FormInteger && t.Kind() == reflect.Int {
			kind = reflect.Int
		}
	case FormFlag:
		kind = reflect.Bool
	case FormID:
		kind = reflect.TypeFor[ID]().Kind()
	case FormWord:
		f.Words = reflect.Zero(t).Interface().(Worded).Words()
	case FormObject:
		kind, f.Fields, f.ReadAs, rest = reflect.Struct, fieldsOf(t), rest[0], rest[1:]
		if f.WrittenAs = f.ReadAs + "Record"; len(rest) == 1 {
			f.WrittenAs, rest = rest[0], nil
		}
	case FormList:
		if f.Distinct = rest[0] == "distinct"; f.Distinct {
			rest = rest[1:]
		}
		element := parseField(t.Elem(), append([]string{""}, rest...))
		kind, f.Element, rest = reflect.Slice, &element, nil
	case FormOwn:
		kind = t.Kind()
	default:
		wrong()
	}
	if t.Kind() != kind || len(rest) > 0 || f.Form == FormObject && !f.Pointer && f.Name != "" {
		wrong()
	}
	return f
}

// In is the field's value in a record, which is a struct.
func (f *Field) In(record reflect.Value) reflect.Value { return record.FieldByIndex(f.at) }

// Demanded says that a value has to be given where a record is made, or, where it is changed, may not be taken away.
func (f *Field) Demanded(changed bool) bool {
	return f.Required && (changed || f.Default == "" && f.Form != FormFlag && !f.Pointer)
}

// Empties says that a list is null where it is empty.
func (f *Field) Empties() bool {
	return f.Form == FormList && f.Least > 0 && !f.Required && f.Default == ""
}

// check names what is wrong with a value that is given; v is no pointer.
func (f *Field) check(c *Checker, pointer string, v reflect.Value) {
	switch f.Form {
	case FormText:
		c.Text(pointer, v.String(), f.Least, f.Most)
	case FormZone:
		c.Zone(pointer, v.String())
	case FormEmail:
		if !IsEmail(v.String()) {
			c.Fault(pointer, "format", "must be an address like ann@example.com, of at most 254 characters")
		}
	case FormDate:
		if !IsDay(v.String()) {
			c.Fault(pointer, "format", "must be a day that exists, like 1990-06-30")
		}
	case FormLanguage:
		if !IsLanguage(v.String()) {
			c.Fault(pointer, "format", "must be a language tag like en or pt-BR")
		}
	case FormLink:
		c.link(pointer, v.String())
	case FormEndpoint:
		c.endpoint(pointer, v.String())
	case FormCurrency:
		c.currency(pointer, v.String())
	case FormKey:
		c.key(pointer, v.String(), f.Least, f.Most)
	case FormInstant:
		c.Instant(pointer, v.Int())
	case FormInteger:
		c.Number(pointer, int(v.Int()), f.Least, f.Most)
	case FormMoney:
		c.Money(pointer, new(v.Int()))
	case FormWord:
		c.OneOf(pointer, v.String(), f.Words...)
	case FormObject:
		f.Fields.check(c, pointer, v, nil)
	case FormList:
		if !c.Count(pointer, v.Len(), f.Least, f.Most) {
			return
		}
		seen := map[any]bool{}
		for i := range v.Len() {
			at := pointer + "/" + Itoa(i)
			f.Element.check(c, at, v.Index(i))
			if !f.Distinct {
				continue
			}
			if seen[v.Index(i).Interface()] {
				c.Fault(at, "duplicate", "is named more than once")
			}
			seen[v.Index(i).Interface()] = true
		}
	}
}

// check names the faults of the fields of a struct: of all, or of those that are given.
func (fs *Fields) check(c *Checker, pointer string, record reflect.Value, given *given) {
	for i := range fs.List {
		f := &fs.List[i]
		if given != nil && !given.has(f.Name) {
			continue
		}
		v := f.In(record)
		if v.IsZero() && (f.Empties() || f.Default != "" && f.Form != FormInteger && !f.Demanded(given != nil)) {
			continue
		}
		if f.Pointer {
			if v.IsNil() {
				continue
			}
			v = v.Elem()
		}
		at := pointer + "/" + f.Name
		if given != nil && f.Form == FormObject {
			f.Fields.check(c, at, v, new(given.within(f.Name)))
			continue
		}
		f.check(c, at, v)
	}
}

// InOrder has faults of a record stand in the order of its fields; those of nothing that is declared stand last.
func InOrder[R any](faults []Fault) []Fault {
	place := func(f Fault) int {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
		list := FieldsOf[R]().List
		if i := slices.IndexFunc(list, func(x Field) bool { return x.Name == name }); i >= 0 {
			return i
		}
		return len(list)
	}
	slices.SortStableFunc(faults, func(x, y Fault) int { return place(x) - place(y) })
	return faults
}

// CheckFields names the faults of all fields of a record; there may be none.
func CheckFields[R any](c *Checker, pointer string, r *R) {
	if r == nil {
		return
	}
	FieldsOf[R]().check(c, pointer, reflect.ValueOf(r).Elem(), nil)
}

// IsDay says that a text is a day of the years 1 to 9999.
func IsDay(s string) bool {
	d, ok := timeline.ParseDate(s)
	return ok && d.Year > 0
}

// IsEmail says that a text has the form of an address for mail.
func IsEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s && len(s) <= 254
}

// IsLanguage looks at the form of a language tag: parts of up to 8 letters and digits, the first of letters alone.
func IsLanguage(s string) bool {
	for i, part := range strings.Split(s, "-") {
		if len(part) < 1 || len(part) > 8 || i == 0 && len(part) < 2 {
			return false
		}
		for _, r := range part {
			if letter := r|0x20 >= 'a' && r|0x20 <= 'z'; !letter && (i == 0 || r < '0' || r > '9') {
				return false
			}
		}
	}
	return len(s) <= 35
}
