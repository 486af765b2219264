package workload

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/fuzz/model"
)

// This file owns the random test of subscriptions of several units.

func TestSubscribed(t *testing.T) {
	var seen model.Tally
	for seed := range uint64(50) {
		d := Seeded{rand.New(rand.NewPCG(seed, 33))}
		require.NoError(t, orderWorld{subscribed: true}.play(d, usualSteps, &seen), "seed %d", seed)
	}
	t.Logf("%+v", seen)
	for _, n := range []int{seen.Leftover, seen.Resumed, seen.Rebound, seen.StaysOut, seen.Bound} {
		require.Positive(t, n, "%+v", seen)
	}
}

// TestSubscribedWithCodes plays worlds of subscriptions of which codes take something off for some payments or for all.
func TestSubscribedWithCodes(t *testing.T) {
	var seen model.Tally
	for seed := range uint64(30) {
		d := Seeded{rand.New(rand.NewPCG(seed, 34))}
		require.NoError(t, orderWorld{subscribed: true, codes: true}.play(d, usualSteps, &seen), "seed %d", seed)
	}
	t.Logf("%+v", seen)
	for _, n := range []int{seen.Applied, seen.Billed, seen.Coded, seen.Outlived} {
		require.Positive(t, n, "%+v", seen)
	}
}

// counter is a world of orders in which what is seldom at the counter is not, often with subscriptions.
func counter(d Dice, steps int, seen *model.Tally) error {
	return orderWorld{counter: true, subscribed: odds(d, "subscriptions", 40)}.play(d, steps, seen)
}
