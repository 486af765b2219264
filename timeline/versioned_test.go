package timeline

// This file owns what versions of a set of tidwall/btree rely on.

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnWritesNothingToTheVersion holds what many goroutines need that fork one version: its tree stays as it was, to the
// last field.
func TestOwnWritesNothingToTheVersion(t *testing.T) {
	edit := newToken()
	v := newVersioned(edit, func(a, b int) bool { return a < b })
	for i := range 1000 {
		v.own(edit).Set(i)
	}
	version, fields := v, fmt.Sprint(*v.rows)
	fork := version
	own := newToken()
	fork.own(own).Set(1000)
	fork.own(own).Delete(1)
	require.Equal(t, fields, fmt.Sprint(*version.rows))
	require.Equal(t, 1000, version.rows.Len())
	require.Equal(t, 1000, fork.rows.Len())
	n := 0
	version.rows.Scan(func(i int) bool {
		require.Equal(t, n, i)
		n++
		return true
	})
	require.Equal(t, 1000, n)
	rows := fork.rows
	require.Same(t, rows, fork.own(own), "an owner copies once")
	v.own(edit.next()).Delete(2)
	_, had := version.rows.Get(2)
	require.True(t, had)
}
