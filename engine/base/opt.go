package base

// This file owns optional inputs, and what they make of the fields that they are given for.

// Opt is an input that may be absent, null or a value: PATCH leaves what is absent, clears what is null.
type Opt[T any] struct {
	Set   bool
	Null  bool
	Value T
}

// Some is a given value.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, Value: v} }

// Null is an input given as null.
func Null[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// Given is the value, or nil where there is none.
func (o Opt[T]) Given() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// Merge puts a given value in place of the one a pointer field holds.
func (o Opt[T]) Merge(at **T) {
	switch {
	case !o.Set:
	case o.Null:
		*at = nil
	default:
		v := o.Value
		*at = &v
	}
}

// ValueOf is what a member says, or the zero value where it is left out.
func ValueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// SameValue says that two members are both left out, or say the same.
func SameValue[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
