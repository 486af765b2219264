package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns the test of the past that the load begins with.

// A machine that is fast has many holds in the half minute that a cart lives: the stock carries them.
func TestThePastFits(t *testing.T) {
	m, err := furnish(t.Context(), t.TempDir(), 5000, time.Second)
	require.NoError(t, err)
	require.GreaterOrEqual(t, m.past, 5000*expiry)
}
