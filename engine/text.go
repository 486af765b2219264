package engine

import (
	"strconv"
	"strings"
)

// This file owns the few forms of text that messages need.

func itoa(n int) string { return strconv.Itoa(n) }

func join(words []string) string { return strings.Join(words, ", ") }
