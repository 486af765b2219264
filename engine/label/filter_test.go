package label

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the tests of filters on single values.

// Text compares without case, and small sigma is two letters.
func TestTextsWithoutCase(t *testing.T) {
	for _, x := range []struct{ value, operand string }{
		{"Bike", "bIKE"}, {"ΣΊΣΥΦΟΣ", "σίσυφος"}, {"σίσυφος", "ΣΊΣΥΦΟΣ"}, {"ΟΔΟΣ", "οδος"}, {"Straße", "STRAẞE"},
		{"ÉTÉ", "été"}, {"\u212aelvin", "KELVIN"},
	} {
		f := TextFact("a", x.value)
		for _, o := range []Operator{Equal, StartsWith, EndsWith, Contains, InArray} {
			var c base.Checker
			operand := ReadOperand(&c, "", FormatText, Value{Kind: TextValue, Text: x.operand}, true)
			j := NewJudge(FormatText, o, []Operand{operand}, timeline.Date{}, nil, nil)
			require.Equal(t, Passed, j.Of(&f), "%s %s %s", x.value, o, x.operand)
		}
	}
}
