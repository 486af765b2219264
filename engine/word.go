package engine

import (
	"encoding"
	"fmt"
	"unique"
)

// This file owns words: texts of rows that repeat from row to row, and names of states, which take a byte.

// word is a text that many rows have, such as a name: kept once, a pointer in each row.
type word struct{ handle unique.Handle[string] }

func newWord(s string) word { return word{unique.Make(s)} }

func (w word) String() string {
	if w == (word{}) {
		return ""
	}
	return w.handle.Value()
}

// MarshalText writes a word into a stored row.
func (w word) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (w *word) UnmarshalText(b []byte) error {
	*w = newWord(string(b))
	return nil
}

var _ encoding.TextUnmarshaler = (*word)(nil)

// nameAt finds a state by its stored name.
func nameAt[S ~uint8](names []string, what string, b []byte) (S, error) {
	for i, n := range names {
		if n == string(b) {
			return S(i), nil
		}
	}
	return 0, fmt.Errorf("%q is no %s", b, what)
}
