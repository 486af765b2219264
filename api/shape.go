package api

import (
	"strings"

	"holdfast/engine"
)

// This file owns shapes: an object declared as a value, which drives how it is read from a body, a query or a path, which
// faults it can have, and how the document describes it.

// shape is an object of type T. It is set up once, by shapeOf, and read from many goroutines.
type shape[T any] struct {
	name   string
	fields []field[T]
}

// field is one member of an object, or one parameter of a query or path.
type field[T any] struct {
	name     string
	required bool
	clears   bool   // null does something
	scope    string // what a key needs to give it, beside the operation's own
	schema   *Schema
	json     func(r *jsonReader, dst *T)
	query    func(a *args, name string, dst *T) (present bool)
	absent   func(dst *T) // nil: the zero value
}

const maxFields = 64 // as the bits of a word tell which were seen

func shapeOf[T any](name string, fields ...field[T]) *shape[T] {
	if len(fields) > maxFields {
		panic("api: shape " + name + " has too many fields")
	}
	return &shape[T]{name, fields}
}

// shows gives the document an example of a field, as JSON, where one made of its members would not be taken.
func (f field[T]) shows(example string) field[T] {
	f.schema = f.schema.shows(example)
	return f
}

// says describes a field to the reader of the document.
func (f field[T]) says(about string) field[T] {
	f.schema = f.schema.says(about)
	return f
}

// needs says which scope a key has to have to give a member of a body, beside one of the operation's own.
func (f field[T]) needs(scope string) field[T] {
	read, clears := f.json, f.clears
	f.scope = scope
	f.json = func(r *jsonReader, dst *T) {
		if r.space() != 'n' || clears {
			r.claim(scope)
		}
		read(r, dst)
	}
	return f
}

// required is a member that has to be there, and not null.
func required[T, V any](name string, k kind[V], at func(*T) *V) field[T] {
	return field[T]{
		name: name, required: true, schema: k.schema,
		json: func(r *jsonReader, dst *T) {
			if r.null() {
				r.fault(faultRequired, "must not be null")
				return
			}
			k.json(r, at(dst))
		},
		query: func(a *args, name string, dst *T) bool { return k.query(a, name, at(dst)) },
	}
}

// optional is a member that may be absent or null, which are the same and leave a nil pointer.
func optional[T, V any](name string, k kind[V], at func(*T) **V) field[T] {
	return field[T]{
		name: name, schema: k.schema.orNull(),
		json: func(r *jsonReader, dst *T) {
			if r.null() {
				return
			}
			v := new(V)
			*at(dst) = v
			k.json(r, v)
		},
		query: func(a *args, name string, dst *T) bool {
			var v V
			present := k.query(a, name, &v)
			if present {
				*at(dst) = &v
			}
			return present
		},
	}
}

// defaulted is a member that may be absent or null, which are the same and mean the default.
func defaulted[T, V any](name string, k kind[V], def V, at func(*T) *V) field[T] {
	f := required(name, k, at)
	f.required = false
	f.schema = k.schema.orNull()
	f.absent = func(dst *T) { *at(dst) = def }
	f.json = func(r *jsonReader, dst *T) {
		if *at(dst) = def; !r.null() {
			k.json(r, at(dst))
		}
	}
	return f
}

// merged is a member of a PATCH: absent leaves what is there, null clears it where that is allowed.
func merged[T, V any](name string, k kind[V], nullable bool, at func(*T) *engine.Opt[V]) field[T] {
	f := field[T]{
		name: name, clears: nullable, schema: k.schema,
		json: func(r *jsonReader, dst *T) {
			o := at(dst)
			o.Set = true
			if !r.null() {
				k.json(r, &o.Value)
				return
			}
			if o.Null = true; !nullable {
				r.fault(faultRequired, "must not be null")
			}
		},
		query: func(a *args, name string, dst *T) bool {
			o := at(dst)
			o.Set = k.query(a, name, &o.Value)
			return o.Set
		},
	}
	if nullable {
		f.schema = k.schema.orNull()
	}
	return f
}

// find returns the number of the field of this name, -1 if there is none.
func (s *shape[T]) find(name []byte) int {
	for i := range s.fields {
		if s.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

// readJSON reads one object.
func (s *shape[T]) readJSON(r *jsonReader, dst *T) {
	if !r.enter('{', "an object") {
		return
	}
	var seen uint64
	for n := 0; ; n++ {
		// The path still stands on the object after its last member: missing ones are reported there.
		if r.space() == '}' && !r.dead {
			s.missing(r, seen, dst)
		}
		name, ok := r.member(n)
		if !ok {
			return
		}
		i := s.find(name)
		switch {
		case i < 0:
			r.fault(faultUnknown, "unknown member; known are "+s.names(""))
			r.skip()
		case seen&(1<<i) != 0:
			r.fault(faultDuplicate, "given more than once")
			r.skip()
		default:
			seen |= 1 << i
			s.fields[i].json(r, dst)
		}
	}
}

func (s *shape[T]) missing(r *jsonReader, seen uint64, dst *T) {
	for i := range s.fields {
		if f := &s.fields[i]; seen&(1<<i) == 0 {
			if f.required {
				r.faultAt(f.name, faultRequired, "is missing")
			}
			if f.absent != nil {
				f.absent(dst)
			}
		}
	}
}

// readArgs reads the members from parameters: those of the bare names, or with a prefix those in brackets behind it.
func (s *shape[T]) readArgs(a *args, prefix string, dst *T) {
	for i := range s.fields {
		f := &s.fields[i]
		name := f.name
		if prefix != "" {
			name = prefix + "[" + name + "]"
		}
		if f.query(a, name, dst) {
			continue
		}
		if f.required && !a.unread(name) {
			a.fault(name, faultRequired, "is missing")
		}
		if f.absent != nil {
			f.absent(dst)
		}
	}
}

func (s *shape[T]) names(prefix string) string {
	if len(s.fields) == 0 {
		return "none"
	}
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return prefix + strings.Join(names, ", ")
}

func (s *shape[T]) schema() *Schema {
	d := &Schema{Name: s.name, Type: "object"}
	for _, f := range s.fields {
		d.Members = append(d.Members, Member{Name: f.name, Required: f.required, Scope: f.scope, Schema: f.schema})
	}
	return d
}
