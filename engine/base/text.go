package base

import (
	"strconv"
	"strings"
)

// This file owns the few forms of text that messages need.

// Itoa is a number as text.
func Itoa(n int) string { return strconv.Itoa(n) }

// EscapePointer makes a name a part of a JSON pointer.
func EscapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// Join lists words.
func Join(words []string) string { return strings.Join(words, ", ") }
