package wire

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"holdfast/engine/base"
)

// This file owns the fields that a record declares (base.Field): how they are read where a record is made or changed,
// and how they are written and described. Members that an answer computes from several records are written by a Writer
// of their own.

// part is a struct that fields are read into.
type part struct {
	v       reflect.Value
	changes *[]string // where the names of given fields go; nil: the struct is made as a whole
	prefix  string
}

// Own says how to read a field that is not read as its form says.
type Own struct {
	field string
	kind  fieldKind
}

// Reads makes a field be read as another kind than its form says.
func Reads[V any](field string, k Kind[V]) Own {
	return Own{field, fieldKind{k.Schema,
		func(r *Reader, v reflect.Value, _ part) { k.JSON(r, v.Addr().Interface().(*V)) }}}
}

// MadeOf are the declared fields of a record that is made.
func MadeOf[In, R any](at func(*In) *R, own ...Own) []Field[In] {
	return typed[In](partFields(base.FieldsOf[R](), false, own,
		func(in any) part { return part{v: reflect.ValueOf(at(in.(*In))).Elem()} }))
}

// ObjectOf is an object with the declared fields of R.
func ObjectOf[R any](name string) Kind[R] {
	return Object(ShapeOf(name, MadeOf(func(r *R) *R { return r })...))
}

// ChangedBy are the declared fields of a record that is changed: absent ones stay, null clears those that may be null.
func ChangedBy[In, R any](at func(*In) *base.Changes[R], own ...Own) []Field[In] {
	return typed[In](partFields(base.FieldsOf[R](), true, own, func(in any) part {
		c := at(in.(*In))
		return part{v: reflect.ValueOf(&c.To).Elem(), changes: &c.Given}
	}))
}

func partFields(fs *base.Fields, changed bool, own []Own, at func(in any) part) (list []*field) {
	for i := range fs.List {
		f := &fs.List[i]
		if changed && f.Fixed || !changed && f.Later {
			continue
		}
		var k fieldKind
		if i := slices.IndexFunc(own, func(o Own) bool { return o.field == f.Name }); i >= 0 {
			k = own[i].kind
		} else {
			k = kindOf(f, changed)
		}
		demanded := f.Demanded(changed)
		x := &field{Name: f.Name, Required: demanded && !changed, clears: changed && !demanded,
			Schema: k.schema.Says(said(f, changed))}
		switch {
		case f.Example == "":
		case k.schema.Type == "string" && f.Example != "null":
			x.Schema = x.Schema.Shows(strconv.Quote(f.Example))
		default:
			x.Schema = x.Schema.Shows(f.Example)
		}
		if !demanded {
			x.Schema = x.Schema.OrNull()
		}
		x.json = func(r *Reader, in any) {
			p := at(in)
			if changed {
				*p.changes = append(*p.changes, p.prefix+f.Name)
			}
			if r.Null() {
				switch {
				case demanded:
					r.Fault(FaultRequired, "must not be null")
				case x.absent != nil:
					x.absent(in)
				}
				return
			}
			v := f.In(p.v)
			if f.Pointer {
				v.Set(reflect.New(v.Type().Elem()))
				v = v.Elem()
			}
			k.read(r, v, part{changes: p.changes, prefix: p.prefix + f.Name + "/"})
		}
		if f.Form == base.FormInteger && f.Default != "" && !changed {
			n, _ := strconv.Atoi(f.Default)
			x.absent = func(in any) { f.In(at(in).v).SetInt(int64(n)) }
		}
		list = append(list, x)
	}
	return list
}

// said is the description of a field where it is read.
func said(f *base.Field, changed bool) string {
	switch {
	case changed && f.Changed != "":
		return f.Changed
	case !changed && f.Made != "":
		return f.Made
	case f.Default != "" && !f.Demanded(changed):
		return f.About + " Default: " + f.Default + "."
	case f.Form == base.FormFlag && !f.Pointer && !f.Required:
		return f.About + " Default: false."
	case f.Required || strings.Contains(f.About, "null"):
		return f.About
	case !f.Pointer: // an object's fields are said alike where it is made and where it is changed
		return f.About + " Null: none."
	case !changed:
		return f.About
	}
	return f.About + " Null clears it."
}

// fieldKind is how values of a form are read.
type fieldKind struct {
	schema *Schema
	read   func(r *Reader, v reflect.Value, inner part)
}

func kindOf(f *base.Field, changed bool) fieldKind {
	switch f.Form {
	case base.FormText:
		return textKind(Text(f.Least, f.Most))
	case base.FormKey:
		return textKind(Text(f.Least, f.Most))
	case base.FormCurrency:
		return textKind(Text(3, 3))
	case base.FormZone:
		return textKind(Text(1, 255))
	case base.FormLink, base.FormEndpoint:
		return textKind(formatted("uri", base.MaxURL))
	case base.FormLanguage:
		return textKind(Text(1, 35))
	case base.FormEmail, base.FormDate:
		return textKind(formatted(string(f.Form), 254))
	case base.FormWord:
		return textKind(Enum(f.Words...))
	case base.FormMoney, base.FormInteger:
		k := Integer[int64](-MaxSafeInteger, MaxSafeInteger)
		if f.Form == base.FormInteger {
			k = Integer[int64](int64(f.Least), int64(f.Most))
		}
		return fieldKind{k.Schema,
			func(r *Reader, v reflect.Value, _ part) {
				var n int64
				k.JSON(r, &n)
				v.SetInt(n)
			}}
	case base.FormInstant:
		return fieldKind{Instant.Schema,
			func(r *Reader, v reflect.Value, _ part) { Instant.JSON(r, v.Addr().Interface().(*int64)) }}
	case base.FormFlag:
		return fieldKind{Boolean.Schema,
			func(r *Reader, v reflect.Value, _ part) { Boolean.JSON(r, v.Addr().Interface().(*bool)) }}
	case base.FormID:
		k := UUID
		if f.Default != "" {
			k = SomeID
		}
		return fieldKind{k.Schema,
			func(r *Reader, v reflect.Value, _ part) { k.JSON(r, v.Addr().Interface().(*base.ID)) }}
	case base.FormOwn:
		panic("wire: nobody says how " + f.Name + " is read")
	case base.FormObject:
		s := membersOf(f.ReadAs, partFields(f.Fields, changed, nil, func(p any) part { return *p.(*part) }))
		return fieldKind{s.Schema(), func(r *Reader, v reflect.Value, inner part) {
			inner.v = v
			s.ReadJSON(r, &inner)
		}}
	default:
		return listKind(f, kindOf(f.Element, false))
	}
}

func textKind(k Kind[string]) fieldKind {
	return fieldKind{k.Schema, func(r *Reader, v reflect.Value, _ part) {
		var s string
		k.JSON(r, &s)
		v.SetString(s)
	}}
}

// formatted is text of a form that the command checks.
func formatted(format string, most int) Kind[string] {
	k := Text(1, most)
	k.Schema.Format = format
	return k
}

// listKind reads a list; an empty one is the nil slice.
func listKind(f *base.Field, of fieldKind) fieldKind {
	k := ListOf(Kind[reflect.Value]{Schema: of.schema, JSON: func(r *Reader, v *reflect.Value) {
		*v = reflect.New(f.Element.Type).Elem()
		of.read(r, *v, part{})
	}}, f.Least, f.Most)
	return fieldKind{k.Schema, func(r *Reader, v reflect.Value, _ part) {
		var list []reflect.Value
		if k.JSON(r, &list); len(list) > 0 {
			v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, len(list)), list...))
		}
	}}
}

// WriteFields writes the declared fields of a record in their order, with the members that come between them.
func WriteFields[R any](w *Writer, r *R, between ...Between) {
	w.fields(base.FieldsOf[R](), reflect.ValueOf(r).Elem(), between)
}

// Between are members that an answer has after one of a record's fields, and that are no fields themselves.
type Between struct {
	behind string
	write  func()
}

// Behind puts members after a field.
func Behind(field string, write func()) Between { return Between{field, write} }

// Fields is WriteFields for what takes a function that names the members.
func Fields[R any](w *Writer) func(r *R) { return func(r *R) { WriteFields(w, r) } }

func (w *Writer) fields(fs *base.Fields, record reflect.Value, between []Between) {
	for i := range fs.List {
		f := &fs.List[i]
		if w.doc != nil {
			s := w.writtenAs(f)
			w.may = f.Later
			w.Key(f.Name, s, f.About)
		} else if v := f.In(record); !f.Later || !v.IsZero() {
			w.field(f, v)
		}
		for _, b := range between {
			if b.behind == f.Name {
				b.write()
			}
		}
	}
}

// field writes one field. A pointer that is nil is null, and so is an empty text that the record can be without.
func (w *Writer) field(f *base.Field, v reflect.Value) {
	unset := f.Pointer && v.IsNil() || f.Empties() && v.Len() == 0 || !f.Pointer && !f.Required &&
		v.Kind() == reflect.String && v.Len() == 0
	if unset {
		w.null(f.Name, nil, "")
		return
	}
	w.Key(f.Name, nil, "")
	if f.Pointer {
		v = v.Elem()
	}
	w.value(f, v)
}

// value appends a value of a field, or an element of a list.
func (w *Writer) value(f *base.Field, v reflect.Value) {
	switch f.Form {
	case base.FormMoney, base.FormInteger:
		w.Out = AppendInt(w.Out, v.Int())
	case base.FormInstant:
		w.instant(v.Int())
	case base.FormFlag:
		w.Out = AppendBool(w.Out, v.Bool())
	case base.FormID:
		w.Out = AppendID(w.Out, v.Interface().(base.ID))
	case base.FormObject:
		w.Braces(func() { w.fields(f.Fields, v, nil) })
	case base.FormList:
		w.Out = append(w.Out, '[')
		for i := range v.Len() {
			w.Next()
			w.value(f.Element, v.Index(i))
		}
		w.Out = append(w.Out, ']')
	default:
		w.Out = AppendText(w.Out, v.String())
	}
}

// writtenAs describes a field of an answer.
func (w *Writer) writtenAs(f *base.Field) *Schema {
	s := TextSchema
	switch f.Form {
	case base.FormInstant:
		s = InstantSchema
	case base.FormMoney, base.FormInteger:
		s = IntegerSchema
	case base.FormLink, base.FormEndpoint:
		s = uriSchema
	case base.FormFlag:
		s = booleanSchema
	case base.FormID:
		s = IDSchema
	case base.FormDate:
		s = DateSchema
	case base.FormWord:
		s = EnumSchema(f.Words...)
	case base.FormObject:
		s = w.Describe(f.WrittenAs, func() { w.fields(f.Fields, reflect.Value{}, nil) })
	case base.FormList:
		s = ListSchema(w.writtenAs(f.Element))
	}
	null := f.Pointer || f.Empties() || s == TextSchema && !f.Required && f.Default == "" && f.Name != ""
	if null && !f.Later {
		s = s.OrNull()
	}
	return s
}
