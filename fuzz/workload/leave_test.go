package workload

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/fuzz/model"
)

// This file owns the random test of units that leave their place for another.

func TestLeaving(t *testing.T) {
	var seen model.Tally
	for seed := range uint64(50) {
		require.NoError(t, leaving(Seeded{rand.New(rand.NewPCG(seed, 44))}, usualSteps, &seen), "seed %d", seed)
	}
	t.Logf("%+v", seen)
	for _, n := range []int{seen.OneWay, seen.CalledBack, seen.Shifted, seen.CastOff, seen.StaysHere} {
		require.Positive(t, n, "%+v", seen)
	}
}

// leaving is a world of orders whose units often come back elsewhere.
func leaving(d Dice, steps int, seen *model.Tally) error {
	return orderWorld{counter: odds(d, "at the counter", 50), leaves: true}.play(d, steps, seen)
}

// TestWorldsOfUnitsThatLeaveThatFailed plays worlds that have found a fault that no smaller story shows.
func TestWorldsOfUnitsThatLeaveThatFailed(t *testing.T) {
	for _, seed := range []uint64{
		16037871, // units changed articles among them, and two of them were held to leave as they did before
		16060679, // what was called off came back beside the late unit that had kept it
		17635978, // one whose end was taken away was left without a unit, where that is to be refused
		17333623, // two units that are late change places: one of them stayed, as it was looked at first
		17338935, // a unit that was a conflict for a moment was held to leave as it did before
		17109879, // of the twin: it called back what was to leave a lot whose ends were all of bookings that are over
		17724263, // a slot ended at the instant at which another one began, where one could go on
		18085899, // one without end and article got a buffer with its end, which one that comes back does not
		18021711, // of the twin: a late unit was fastened to an arrival on which only what had expired counted
		18029631, // of the twin: what had ended long ago came back as the end of a unit that is late now
		18085599, // of the twin: of two units that changed articles the first was fastened before the second left
		19013719, // of the twin: who gave way for a unit that goes nowhere had to say why itself
		20099631, // of the twin: the end of a late unit came to lie where another unit begins
		21004588, // of the twin, at the counter: a slot that the same command gives back was not counted
		21093279, // a conflict on an article that is out was seated there when it was to go elsewhere no more
		21094675, // an end was taken away from a unit that is out, though a decrease counts on its arrival
		16063551, // of the twin: who loses the slot that it named as its unit arrives at another instant moves
		25130999, // of the twin: it ended a slot under a unit that is out, where a free slot could end in its place
	} {
		var seen model.Tally
		_, err := shortWorld(seed, &seen)
		require.NoError(t, err, "seed %d", seed)
	}
}
