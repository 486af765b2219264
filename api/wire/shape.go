package wire

import (
	"slices"
	"strings"

	"holdfast/engine/base"
)

// This file owns shapes: an object declared as a value, which drives how it is read from a body, a query or a path,
// which faults it can have, and how the document describes it.

// Shape is an object of type T. It is set up once, by ShapeOf, and read from many goroutines.
//
// T and the types of values check the declarations. The code that makes fields and the code that reads is compiled once
// for all types: there a dst is the pointer to T in an any. Some of that code must not be inlined, as the program would
// then contain it hundreds of times.
type Shape[T any] Members

// Field is one member of an object, or one parameter of a query or path.
type Field[T any] struct{ *field }

// Members are the members of an object, of whatever type.
type Members struct {
	Name    string
	list    []*field
	unknown string // what is said of a member that is none of them
}

type field struct {
	Name     string
	Required bool
	clears   bool   // null does something
	scope    string // what a key needs to give it, in addition to the operation's own
	Schema   *Schema
	json     func(r *Reader, dst any)
	query    func(a *Args, name string, dst any) (present bool)
	absent   func(dst any) // nil: the zero value
}

// typed are fields that read into a T.
func typed[T any](list []*field) []Field[T] {
	fields := make([]Field[T], len(list))
	for i, f := range list {
		fields[i] = Field[T]{f}
	}
	return fields
}

func untyped[T any](fields []Field[T]) []*field {
	list := make([]*field, len(fields))
	for i, f := range fields {
		list[i] = f.field
	}
	return list
}

// FieldsOf are the fields of a shape, which the caller may change.
func FieldsOf[T any](s *Shape[T]) []Field[T] { return typed[T](s.list) }

// Within are fields of a part of the value that is read.
func Within[T, P any](fields []Field[P], at func(*T) *P) []Field[T] {
	return typed[T](within(untyped(fields), func(dst any) any { return at(dst.(*T)) }))
}

//go:noinline
func within(list []*field, at func(dst any) any) []*field {
	for i, f := range list {
		x := *f
		x.json = func(r *Reader, dst any) { f.json(r, at(dst)) }
		x.query = func(a *Args, name string, dst any) bool { return f.query(a, name, at(dst)) }
		if f.absent != nil {
			x.absent = func(dst any) { f.absent(at(dst)) }
		}
		list[i] = &x
	}
	return list
}

const maxFields = 64 // as the bits of a word tell which were seen

// ShapeOf declares an object of up to 64 members.
func ShapeOf[T any](name string, fields ...Field[T]) *Shape[T] {
	return (*Shape[T])(membersOf(name, untyped(fields)))
}

//go:noinline
func membersOf(name string, list []*field) *Members {
	if len(list) > maxFields {
		panic("wire: shape " + name + " has too many fields")
	}
	return &Members{name, list, "unknown member; known are " + names(list)}
}

// Shows gives the document an example of a field, as JSON, where one made of its members would not be taken.
func (f Field[T]) Shows(example string) Field[T] { return Field[T]{showing(f.field, example)} }

// Says describes a field to the reader of the document.
func (f Field[T]) Says(about string) Field[T] { return Field[T]{saying(f.field, about)} }

// Needs says which scope a key needs to give a member of a body, in addition to one of the operation's own.
func (f Field[T]) Needs(scope string) Field[T] { return Field[T]{needing(f.field, scope)} }

//go:noinline
func showing(f *field, example string) *field {
	x := *f
	x.Schema = f.Schema.Shows(example)
	return &x
}

//go:noinline
func saying(f *field, about string) *field {
	x := *f
	x.Schema = f.Schema.Says(about)
	return &x
}

//go:noinline
func needing(f *field, scope string) *field {
	x := *f
	x.scope = scope
	x.json = func(r *Reader, dst any) {
		if r.Space() != 'n' || f.clears {
			r.claim(scope)
		}
		f.json(r, dst)
	}
	return &x
}

// Needing are fields of which the named ones need a scope of their own; where none are named, all do.
func Needing[T any](scope string, fields []Field[T], names ...string) []Field[T] {
	for i, f := range fields {
		if names == nil || slices.Contains(names, f.Name) {
			fields[i] = f.Needs(scope)
		}
	}
	return fields
}

// With are some fields, with more of them after one.
func With[T any](fields []Field[T], behind string, more ...Field[T]) []Field[T] {
	at := slices.IndexFunc(fields, func(f Field[T]) bool { return f.Name == behind })
	return slices.Insert(fields, at+1, more...)
}

// But are fields without one of them.
func But[T any](fields []Field[T], name string) []Field[T] {
	return slices.DeleteFunc(fields, func(f Field[T]) bool { return f.Name == name })
}

// Required is a member that has to be there, and not null.
func Required[T, V any](name string, k Kind[V], at func(*T) *V) Field[T] {
	return Field[T]{required(name, anyOf(k), func(dst any) any { return at(dst.(*T)) })}
}

//go:noinline
func required(name string, k kind, at func(dst any) any) *field {
	return &field{
		Name: name, Required: true, Schema: k.schema,
		json: func(r *Reader, dst any) {
			if r.Null() {
				r.Fault(FaultRequired, "must not be null")
				return
			}
			k.json(r, at(dst))
		},
		query: func(a *Args, name string, dst any) bool { return k.query(a, name, at(dst)) },
	}
}

// Optional is a member that may be absent or null. Both mean the same and leave a nil pointer.
func Optional[T, V any](name string, k Kind[V], at func(*T) **V) Field[T] {
	return Field[T]{optional(name, anyOf(k), func(dst, v any) { *at(dst.(*T)) = v.(*V) })}
}

//go:noinline
func optional(name string, k kind, set func(dst, v any)) *field {
	return &field{
		Name: name, Schema: k.schema.OrNull(),
		json: func(r *Reader, dst any) {
			if r.Null() {
				return
			}
			v := k.fresh()
			set(dst, v)
			k.json(r, v)
		},
		query: func(a *Args, name string, dst any) bool {
			v := k.fresh()
			present := k.query(a, name, v)
			if present {
				set(dst, v)
			}
			return present
		},
	}
}

// Defaulted is a member that may be absent or null. Both mean the default.
func Defaulted[T, V any](name string, k Kind[V], def V, at func(*T) *V) Field[T] {
	return Field[T]{defaulted(name, anyOf(k), func(dst any) any { return at(dst.(*T)) },
		func(dst any) { *at(dst.(*T)) = def })}
}

// Flag is a member that is true or false, and false where it is absent or null.
func Flag[T any](name string, at func(*T) *bool) Field[T] { return Defaulted(name, Boolean, false, at) }

// Kept is a member that may be absent or null. Both leave the value that is there.
func Kept[T, V any](name string, k Kind[V], at func(*T) *V) Field[T] {
	return Field[T]{defaulted(name, anyOf(k), func(dst any) any { return at(dst.(*T)) }, nil)}
}

//go:noinline
func defaulted(name string, k kind, at func(dst any) any, absent func(dst any)) *field {
	f := required(name, k, at)
	f.Required = false
	f.Schema = k.schema.OrNull()
	f.absent = absent
	f.json = func(r *Reader, dst any) {
		if absent != nil {
			absent(dst)
		}
		if !r.Null() {
			k.json(r, at(dst))
		}
	}
	return f
}

// Merged is a member of a PATCH: absent leaves the value that is there, null clears it where that is allowed.
func Merged[T, V any](name string, k Kind[V], nullable bool, at func(*T) *base.Opt[V]) Field[T] {
	return Field[T]{merged(name, anyOf(k), nullable, func(dst any) (set, null *bool, v any) {
		o := at(dst.(*T))
		return &o.Set, &o.Null, &o.Value
	})}
}

//go:noinline
func merged(name string, k kind, nullable bool, at func(dst any) (set, null *bool, v any)) *field {
	f := &field{
		Name: name, clears: nullable, Schema: k.schema,
		json: func(r *Reader, dst any) {
			set, null, v := at(dst)
			*set = true
			if !r.Null() {
				k.json(r, v)
				return
			}
			if *null = true; !nullable {
				r.Fault(FaultRequired, "must not be null")
			}
		},
		query: func(a *Args, name string, dst any) bool {
			set, _, v := at(dst)
			*set = k.query(a, name, v)
			return *set
		},
	}
	if nullable {
		f.Schema = k.schema.OrNull()
	}
	return f
}

// Ignored is a member of a body that is read and then dropped.
func Ignored[T any](name string, s *Schema, read func(r *Reader)) Field[T] {
	return Field[T]{&field{Name: name, Schema: s,
		json:  func(r *Reader, _ any) { read(r) },
		query: func(*Args, string, any) bool { return false }}}
}

// Then does something after a body has given a member.
func Then[T any](f Field[T], do func(*T)) Field[T] {
	x := *f.field
	x.json = func(r *Reader, dst any) {
		f.json(r, dst)
		do(dst.(*T))
	}
	return Field[T]{&x}
}

// ReadJSON reads one object.
func (s *Shape[T]) ReadJSON(r *Reader, dst *T) { (*Members)(s).ReadJSON(r, dst) }

// ReadArgs reads the members from parameters: those of the bare names, or with a prefix those in brackets after it.
func (s *Shape[T]) ReadArgs(a *Args, prefix string, dst *T) { (*Members)(s).ReadArgs(a, prefix, dst) }

// Schema describes the object.
func (s *Shape[T]) Schema() *Schema { return (*Members)(s).Schema() }

// find returns the number of the field of this name, -1 if there is none.
func (m *Members) find(name []byte) int {
	for i := range m.list {
		if m.list[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// ReadJSON reads one object.
func (m *Members) ReadJSON(r *Reader, dst any) {
	if !r.Enter('{', "an object") {
		return
	}
	var seen uint64
	for n := 0; ; n++ {
		// The path still stands on the object after its last member: missing ones are reported there.
		if r.Space() == '}' && !r.Dead {
			m.missing(r, seen, dst)
		}
		name, ok := r.member(n)
		if !ok {
			return
		}
		i := m.find(name)
		switch {
		case i < 0:
			r.Fault(FaultUnknown, m.unknown)
			r.Skip()
		case seen&(1<<i) != 0:
			r.Fault(FaultDuplicate, "given more than once")
			r.Skip()
		default:
			seen |= 1 << i
			m.list[i].json(r, dst)
		}
	}
}

func (m *Members) missing(r *Reader, seen uint64, dst any) {
	for i := range m.list {
		if f := m.list[i]; seen&(1<<i) == 0 {
			if f.Required {
				r.faultAt(f.Name, FaultRequired, "is missing")
			}
			if f.absent != nil {
				f.absent(dst)
			}
		}
	}
}

// ReadArgs reads the members from parameters: those of the bare names, or with a prefix those in brackets after it.
func (m *Members) ReadArgs(a *Args, prefix string, dst any) {
	for i := range m.list {
		f := m.list[i]
		name := f.Name
		if prefix != "" {
			name = prefix + "[" + name + "]"
		}
		if f.query(a, name, dst) {
			continue
		}
		if f.Required && !a.unread(name) {
			a.Fault(name, FaultRequired, "is missing")
		}
		if f.absent != nil {
			f.absent(dst)
		}
	}
}

func names(list []*field) string {
	if len(list) == 0 {
		return "none"
	}
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// Schema describes the object.
//
//go:noinline
func (m *Members) Schema() *Schema {
	d := &Schema{Name: m.Name, Type: "object"}
	for _, f := range m.list {
		d.Members = append(d.Members, Member{Name: f.Name, Required: f.Required, Scope: f.scope, Schema: f.Schema})
	}
	return d
}
