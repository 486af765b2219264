package engine

import (
	"strconv"
	"strings"
)

// This file owns the few forms of text that messages need.

func itoa(n int) string { return strconv.Itoa(n) }

// escapePointer makes a name a part of a JSON pointer.
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func join(words []string) string { return strings.Join(words, ", ") }
