package sorted

// This file owns the tests of Set.

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClonesAreApart holds invariant 2 for a writer that goes on after each clone.
func TestClonesAreApart(t *testing.T) {
	s := New(func(a, b int) bool { return a < b })
	var clones []Set[int]
	for i := range 500 {
		s.Set(i)
		if i%3 == 0 {
			s.Delete(i / 2)
		}
		clones = append(clones, s.Clone())
	}
	want := map[int]bool{}
	for i, c := range clones {
		want[i] = true
		if i%3 == 0 {
			delete(want, i/2)
		}
		items := c.Items()
		require.Len(t, items, len(want))
		require.True(t, slices.IsSorted(items))
		for _, x := range items {
			require.True(t, want[x])
		}
		if i%2 == 0 {
			c.Delete(i)
			c.Set(-1)
		}
	}
	require.Len(t, s.Items(), len(want))
}
