package timeline

// This file owns what versions of a set of tidwall/btree rely on.

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnWritesNothingToTheVersion holds what many goroutines need that fork one version: its tree stays as it was, to
// the last field.
func TestOwnWritesNothingToTheVersion(t *testing.T) {
	edit := newToken()
	v := newVersioned(edit, func(a, b int) bool { return a < b })
	for i := range 1000 {
		v.set(edit, i)
	}
	version, fields := v, fmt.Sprint(*v.rows)
	fork := version
	own := newToken()
	fork.set(own, 1000)
	fork.set(own, 1000) // in place of its like
	fork.del(own, 1)
	fork.del(own, 1) // which is not there
	require.Equal(t, fields, fmt.Sprint(*version.rows))
	require.Equal(t, []int{1000, 1000}, []int{version.len(), fork.len()})
	n := 0
	version.rows.Scan(func(i int) bool {
		require.Equal(t, n, i)
		n++
		return true
	})
	require.Equal(t, 1000, n)
	rows := fork.rows
	require.Same(t, rows, fork.own(own), "an owner copies once")
	v.del(edit.next(), 2)
	_, had := version.rows.Get(2)
	require.True(t, had)
}
