package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFree: stays that touch do not meet, and what reaches into the window counts from its start.
func TestFree(t *testing.T) {
	s := &sharedStock{bookings: []booking{
		{0, 0, window{0, 10}}, {0, 1, window{10, 20}}, {0, 2, window{15, 25}}, {0, 0, window{30, 40}},
	}}
	all := []int32{0, 1, 2, 3}
	for _, c := range []struct {
		w    window
		want int
	}{
		{window{0, 10}, 2},
		{window{5, 15}, 2},
		{window{5, 16}, 1},
		{window{20, 30}, 2},
		{window{25, 30}, 3},
		{window{0, 100}, 1},
	} {
		require.Equal(t, c.want, s.free(3, all, c.w), "%v", c.w)
	}
}

func TestSidesThatDisagreeAreRefused(t *testing.T) {
	require.NoError(t, agree("a list", []int{3, 2}, []int{3, 2}, []int{3, 2}))
	require.ErrorContains(t, agree("a list", []int{3, 2}, []int{3, 1}, []int{3, 2}), "Holdfast [3 1]")
	require.ErrorContains(t, agree("a list", []int{3, 2}, []int{3, 2}, []int{3}), "PostgreSQL [3]")
}

// TestPlausible: one booking of what is sold out is a fault.
func TestPlausible(t *testing.T) {
	w := work{name: "sold out", denies: true}
	require.NoError(t, w.plausible(measured{Count: 5, Denied: 5}, measured{Count: 3, Denied: 3}))
	require.Error(t, w.plausible(measured{Count: 5, Denied: 5}, measured{Count: 3, Denied: 2}))
	require.Error(t, w.plausible(measured{Count: 5, Denied: 4}, measured{Count: 3, Denied: 3}))
}
