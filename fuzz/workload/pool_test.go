package workload

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/fuzz/model"
)

// This file owns the random test of pools that become one and apart again.

func TestPools(t *testing.T) {
	var seen model.Tally
	seeds := []uint64{122} // a sale is taken back on an article that has lost what its line requires
	for seed := range uint64(40) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		require.NoError(t, pools(Seeded{rand.New(rand.NewPCG(seed, 66))}, usualSteps, &seen), "seed %d", seed)
	}
	t.Logf("%+v", seen)
	for _, n := range []int{seen.Joined, seen.Parted, seen.Housed} {
		require.Positive(t, n, "%+v", seen)
	}
}

// pools is a world of orders in which buffers change that keep pools apart.
func pools(d Dice, steps int, seen *model.Tally) error {
	return orderWorld{rich: odds(d, "rich", 50), counter: true, pools: true}.play(d, steps, seen)
}
