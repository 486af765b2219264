package base

import (
	"reflect"
	"slices"
	"strings"
)

// This file owns changes of records: some fields are given, with values or as null, and the others stay.

// Changes are new values of some fields of a record.
type Changes[R any] struct {
	To    R        // the values; of a field that is given as null the zero value
	Given []string // the names of the fields that are given; those of an object after its name and a slash
}

// Changed is a change to the values that are not zero, and to null of the fields that are named.
func Changed[R any](to R, null ...string) Changes[R] {
	c := Changes[R]{To: to, Given: null}
	FieldsOf[R]().eachSet(reflect.ValueOf(&to).Elem(), "", func(name string) { c.Given = append(c.Given, name) })
	return c
}

// eachSet visits the names of the fields of a struct that are not zero.
func (fs *Fields) eachSet(record reflect.Value, prefix string, visit func(name string)) {
	for i := range fs.List {
		f := &fs.List[i]
		v := f.In(record)
		if v.IsZero() {
			continue
		}
		visit(prefix + f.Name)
		if f.Form == FormObject {
			f.Fields.eachSet(reflect.Indirect(v), prefix+f.Name+"/", visit)
		}
	}
}

// given are the names that are given of a record, or of an object in it.
type given struct {
	names  []string
	prefix string
}

func (g *given) has(name string) bool {
	return slices.ContainsFunc(g.names, func(n string) bool {
		rest, ok := strings.CutPrefix(n, g.prefix)
		return ok && rest == name
	})
}

func (g *given) within(name string) given { return given{g.names, g.prefix + name + "/"} }

// Has says whether a field is given.
func (c *Changes[R]) Has(name string) bool { return slices.Contains(c.Given, name) }

// Check names the faults of what is given.
func (c *Changes[R]) Check(to *Checker, pointer string) {
	FieldsOf[R]().check(to, pointer, reflect.ValueOf(&c.To).Elem(), &given{names: c.Given})
}

// Of is the record that the changes make of another.
func (c *Changes[R]) Of(r R) R {
	FieldsOf[R]().merge(reflect.ValueOf(&r).Elem(), reflect.ValueOf(&c.To).Elem(), &given{names: c.Given})
	return r
}

// Completed is a record with the defaults of what is not set.
func Completed[R any](r R) R { return new(Changes[R]).Of(r) }

// merge gives a struct the values of fields that are given. A field that is not set gets its default.
func (fs *Fields) merge(to, from reflect.Value, given *given) {
	for i := range fs.List {
		f := &fs.List[i]
		v := f.In(to)
		if given.has(f.Name) && !f.Fixed {
			f.merge(v, f.In(from), given)
		}
		switch {
		case f.Default == "":
		case f.Form == FormList && v.Len() == 0:
			for _, word := range f.Element.Words {
				v.Set(reflect.Append(v, reflect.ValueOf(word).Convert(f.Element.Type)))
			}
		case v.Kind() == reflect.String && v.Len() == 0:
			v.SetString(f.Default)
		}
	}
}

func (f *Field) merge(to, from reflect.Value, given *given) {
	switch {
	case to.Kind() == reflect.Slice && to.Len()+from.Len() == 0: // an empty list stays as it is kept
	case f.Form == FormObject && !from.IsNil():
		n := reflect.New(to.Type().Elem())
		if !to.IsNil() {
			n.Elem().Set(to.Elem())
		}
		f.Fields.merge(n.Elem(), from.Elem(), new(given.within(f.Name)))
		to.Set(n)
	default:
		to.Set(from)
	}
}
