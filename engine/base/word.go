package base

import (
	"encoding"
	"fmt"
	"unique"
)

// This file owns words: texts of rows that repeat from row to row, and names of states, which take a byte.

// Word is a text that many rows have, such as a name: kept once, a pointer in each row.
type Word struct{ handle unique.Handle[string] }

// NewWord makes the word of a text: equal texts are one word.
func NewWord(s string) Word { return Word{unique.Make(s)} }

// String is its text.
func (w Word) String() string {
	if w == (Word{}) {
		return ""
	}
	return w.handle.Value()
}

// MarshalText writes a word into a stored row.
func (w Word) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (w *Word) UnmarshalText(b []byte) error {
	*w = NewWord(string(b))
	return nil
}

var _ encoding.TextUnmarshaler = (*Word)(nil)

// NameAt finds a state by its stored name.
func NameAt[S ~uint8](names []string, what string, b []byte) (S, error) {
	for i, n := range names {
		if n == string(b) {
			return S(i), nil
		}
	}
	return 0, fmt.Errorf("%q is no %s", b, what)
}
