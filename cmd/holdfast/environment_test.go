package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of what is said of the environment.

func TestUnknownVariablesAreNamed(t *testing.T) {
	for _, c := range []struct{ pair, says string }{
		{"HOLDFAST_LISTN=127.0.0.1:1",
			"holdfast: HOLDFAST_LISTN is set, which is no variable of this program; HOLDFAST_LISTEN is one\n"},
		{"HOLDFAST_DATADIRECTORY=x", "holdfast: HOLDFAST_DATADIRECTORY is set, which is no variable of this program\n"},
		{"HOLDFAST_LISTEN=127.0.0.1:1", ""},
		{"HOLDFAST_BOOTSTRAP_KEY=hf", ""},
		{"HOLDFAST_LISTN=", ""},
		{"HOLDFAST_SERVICE_HOST=10.0.0.1", ""},
		{"HOLDFAST_PORT_8080_TCP=tcp://10.0.0.1:8080", ""},
		{"PATH=/bin", ""},
	} {
		var out bytes.Buffer
		warnOfVariables(newRoot(), []string{c.pair}, &out)
		require.Equal(t, c.says, out.String(), c.pair)
	}
}

func TestDistanceCountsEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"LISTN", "LISTEN", 1}} {
		require.Equal(t, c.want, distance(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, distance(c.b, c.a))
	}
}
