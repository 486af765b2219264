package holdfast

import "encoding/json"

// This file owns members of requests that may be left out.

// Opt is a member of a request that may be left out: its zero value is not sent. Set gives it a value, Null sends
// null, which in a PATCH takes away what is there.
type Opt[T any] struct {
	value T
	state state
}

type state uint8

const (
	absent state = iota
	null
	set
)

// Set is a member with a value.
func Set[T any](value T) Opt[T] { return Opt[T]{value: value, state: set} }

// Null is a member that is sent as null.
func Null[T any]() Opt[T] { return Opt[T]{state: null} }

// Get gives the value, and says whether there is one.
func (o Opt[T]) Get() (value T, ok bool) { return o.value, o.state == set }

// IsZero says that the member is left out.
func (o Opt[T]) IsZero() bool { return o.state == absent }

// MarshalJSON writes the value or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.state != set {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads what MarshalJSON writes, so that a request can be kept as JSON and sent later.
func (o *Opt[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*o = Null[T]()
		return nil
	}
	o.state = set
	return json.Unmarshal(text, &o.value)
}
