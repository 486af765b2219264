package wire

import (
	"slices"
	"strings"

	"holdfast/engine/base"
)

// This file owns shapes: an object declared as a value, which drives how it is read from a body, a query or a path,
// which faults it can have, and how the document describes it.

// Shape is an object of type T. It is set up once, by shapeOf, and read from many goroutines.
type Shape[T any] struct {
	Name   string
	Fields []Field[T]
}

// Field is one member of an object, or one parameter of a query or path.
type Field[T any] struct {
	Name     string
	Required bool
	clears   bool   // null does something
	scope    string // what a key needs to give it, beside the operation's own
	Schema   *Schema
	JSON     func(r *Reader, dst *T)
	Query    func(a *Args, name string, dst *T) (present bool)
	absent   func(dst *T) // nil: the zero value
}

// Within are the fields of a part of what is read.
func Within[T, P any](fields []Field[P], at func(*T) *P) []Field[T] {
	list := make([]Field[T], len(fields))
	for i, f := range fields {
		x := Field[T]{Name: f.Name, Required: f.Required, clears: f.clears, scope: f.scope, Schema: f.Schema}
		x.JSON = func(r *Reader, dst *T) { f.JSON(r, at(dst)) }
		x.Query = func(a *Args, name string, dst *T) bool { return f.Query(a, name, at(dst)) }
		if f.absent != nil {
			x.absent = func(dst *T) { f.absent(at(dst)) }
		}
		list[i] = x
	}
	return list
}

const maxFields = 64 // as the bits of a word tell which were seen

func ShapeOf[T any](name string, fields ...Field[T]) *Shape[T] {
	if len(fields) > maxFields {
		panic("api: shape " + name + " has too many fields")
	}
	return &Shape[T]{name, fields}
}

// Shows gives the document an example of a field, as JSON, where one made of its members would not be taken.
func (f Field[T]) Shows(example string) Field[T] {
	f.Schema = f.Schema.Shows(example)
	return f
}

// Says describes a field to the reader of the document.
func (f Field[T]) Says(about string) Field[T] {
	f.Schema = f.Schema.Says(about)
	return f
}

// Needs says which scope a key has to have to give a member of a body, beside one of the operation's own.
func (f Field[T]) Needs(scope string) Field[T] {
	read, clears := f.JSON, f.clears
	f.scope = scope
	f.JSON = func(r *Reader, dst *T) {
		if r.Space() != 'n' || clears {
			r.claim(scope)
		}
		read(r, dst)
	}
	return f
}

// Needing are fields of which some take a scope of their own; none are named: all.
func Needing[T any](scope string, fields []Field[T], names ...string) []Field[T] {
	for i, f := range fields {
		if names == nil || slices.Contains(names, f.Name) {
			fields[i] = f.Needs(scope)
		}
	}
	return fields
}

// With are fields with more of them behind one.
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
	return Field[T]{
		Name: name, Required: true, Schema: k.Schema,
		JSON: func(r *Reader, dst *T) {
			if r.Null() {
				r.Fault(FaultRequired, "must not be null")
				return
			}
			k.JSON(r, at(dst))
		},
		Query: func(a *Args, name string, dst *T) bool { return k.Query(a, name, at(dst)) },
	}
}

// Optional is a member that may be absent or null, which are the same and leave a nil pointer.
func Optional[T, V any](name string, k Kind[V], at func(*T) **V) Field[T] {
	return Field[T]{
		Name: name, Schema: k.Schema.OrNull(),
		JSON: func(r *Reader, dst *T) {
			if r.Null() {
				return
			}
			v := new(V)
			*at(dst) = v
			k.JSON(r, v)
		},
		Query: func(a *Args, name string, dst *T) bool {
			var v V
			present := k.Query(a, name, &v)
			if present {
				*at(dst) = &v
			}
			return present
		},
	}
}

// Defaulted is a member that may be absent or null, which are the same and mean the default.
func Defaulted[T, V any](name string, k Kind[V], def V, at func(*T) *V) Field[T] {
	f := Required(name, k, at)
	f.Required = false
	f.Schema = k.Schema.OrNull()
	f.absent = func(dst *T) { *at(dst) = def }
	f.JSON = func(r *Reader, dst *T) {
		if *at(dst) = def; !r.Null() {
			k.JSON(r, at(dst))
		}
	}
	return f
}

// Merged is a member of a PATCH: absent leaves what is there, null clears it where that is allowed.
func Merged[T, V any](name string, k Kind[V], nullable bool, at func(*T) *base.Opt[V]) Field[T] {
	f := Field[T]{
		Name: name, clears: nullable, Schema: k.Schema,
		JSON: func(r *Reader, dst *T) {
			o := at(dst)
			o.Set = true
			if !r.Null() {
				k.JSON(r, &o.Value)
				return
			}
			if o.Null = true; !nullable {
				r.Fault(FaultRequired, "must not be null")
			}
		},
		Query: func(a *Args, name string, dst *T) bool {
			o := at(dst)
			o.Set = k.Query(a, name, &o.Value)
			return o.Set
		},
	}
	if nullable {
		f.Schema = k.Schema.OrNull()
	}
	return f
}

// Find returns the number of the field of this name, -1 if there is none.
func (s *Shape[T]) Find(name []byte) int {
	for i := range s.Fields {
		if s.Fields[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// ReadJSON reads one object.
func (s *Shape[T]) ReadJSON(r *Reader, dst *T) {
	if !r.Enter('{', "an object") {
		return
	}
	var seen uint64
	for n := 0; ; n++ {
		// The path still stands on the object after its last member: missing ones are reported there.
		if r.Space() == '}' && !r.Dead {
			s.missing(r, seen, dst)
		}
		name, ok := r.member(n)
		if !ok {
			return
		}
		i := s.Find(name)
		switch {
		case i < 0:
			r.Fault(FaultUnknown, "unknown member; known are "+s.names(""))
			r.Skip()
		case seen&(1<<i) != 0:
			r.Fault(FaultDuplicate, "given more than once")
			r.Skip()
		default:
			seen |= 1 << i
			s.Fields[i].JSON(r, dst)
		}
	}
}

func (s *Shape[T]) missing(r *Reader, seen uint64, dst *T) {
	for i := range s.Fields {
		if f := &s.Fields[i]; seen&(1<<i) == 0 {
			if f.Required {
				r.faultAt(f.Name, FaultRequired, "is missing")
			}
			if f.absent != nil {
				f.absent(dst)
			}
		}
	}
}

// ReadArgs reads the members from parameters: those of the bare names, or with a prefix those in brackets behind it.
func (s *Shape[T]) ReadArgs(a *Args, prefix string, dst *T) {
	for i := range s.Fields {
		f := &s.Fields[i]
		name := f.Name
		if prefix != "" {
			name = prefix + "[" + name + "]"
		}
		if f.Query(a, name, dst) {
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

func (s *Shape[T]) names(prefix string) string {
	if len(s.Fields) == 0 {
		return "none"
	}
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return prefix + strings.Join(names, ", ")
}

func (s *Shape[T]) Schema() *Schema {
	d := &Schema{Name: s.Name, Type: "object"}
	for _, f := range s.Fields {
		d.Members = append(d.Members, Member{Name: f.Name, Required: f.Required, Scope: f.scope, Schema: f.Schema})
	}
	return d
}
