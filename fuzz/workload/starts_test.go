package workload

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/fuzz/model"
)

// This file owns the random test of the calendar of rentals alone: every start of many calendars is tried.

func TestStarts(t *testing.T) {
	seen, n := model.Tally{}, 25
	if testing.Short() {
		n = 10
	}
	for seed := range n {
		startWorld(t, uint64(seed), &seen)
	}
	t.Logf("%d over, %d without a unit, %d not exact", seen.StartsOver, seen.StartsNone, seen.StartsInexact)
	require.Positive(t, seen.StartsOver)
	require.Positive(t, seen.StartsNone)
}

// startWorld plays a random world, and asks when rentals can begin after each command.
func startWorld(t *testing.T, seed uint64, seen *model.Tally) {
	d := Seeded{rand.New(rand.NewPCG(seed, 2026))}
	w, err := New(vfs.NewMem(), 1)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	require.NoError(t, w.Furnish(d, 0, seed%4 == 0))
	for step := range 50 {
		if odds(d, "time passes", 20) {
			w.Clock += int64(d.N("by", 8)) * hour / 2
		}
		_, _, fault := w.Do(0, stockCommand(d, w.Tenants[0].Twin, w.Now()))
		require.NoError(t, fault, "seed %d, step %d", seed, step)
		for range 2 {
			require.NoError(t, w.Starts(d, 0), "seed %d, step %d", seed, step)
		}
	}
	seen.Add(w.Seen)
}
