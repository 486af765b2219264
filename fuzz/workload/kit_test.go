package workload

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
)

// This file owns the random test of kits alone: what is available, what can be held and the next window agree.

// kitSeeds are worlds in which they once did not, or in which the twin was wrong about a refusal, before those that
// come as they come.
var kitSeeds = []uint64{256, 441, 444, 846, 930, 1096, 1873, 1877, 3311, 4046, 4892}

func TestKits(t *testing.T) {
	seeds := kitSeeds
	for seed := range uint64(30) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		kitWorld(t, seed)
	}
}

// kitWorld plays a random world, and asks its kits after each command.
func kitWorld(t *testing.T, seed uint64) {
	d := Seeded{rand.New(rand.NewPCG(seed, 77))}
	w, err := New(vfs.NewMem(), 1)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	require.NoError(t, w.Furnish(d, 0, false))
	for step := range 60 {
		if odds(d, "time passes", 20) {
			w.Clock += int64(d.N("by", 8)) * hour / 2
		}
		_, _, fault := w.Do(0, stockCommand(d, w.Tenants[0].Twin, w.Now()))
		require.NoError(t, fault, "seed %d, step %d", seed, step)
		if a := w.Tenants[0].Twin; step >= 15 && len(a.Kits) > 0 {
			for range 4 {
				require.NoError(t, w.askKit(d), "seed %d, step %d", seed, step)
			}
		}
	}
}

// askKit asks a kit for its next window, and for one that it must keep its promise over.
func (w *World) askKit(d Dice) error {
	a, now := w.Tenants[0].Twin, w.Now()
	k := pick(d, "kit", a.Kits)
	q := hold.NextQuery{
		Item: base.Item{CatalogItem: k.ID}, Location: location(d, a), NotBefore: instant(d, a, now),
		Length: pick(d, "hours", lengths) * hour, Quantity: 1 + d.N("quantity", 3),
	}
	q.Until = q.NotBefore + pick(d, "until", lengths)*hour
	var try []int64
	for range 5 {
		try = append(try, instant(d, a, now))
	}
	everywhere := q
	everywhere.Location = ID{}
	for _, q := range []hold.NextQuery{q, everywhere} {
		if err := a.Next(w.View(0), q, now, try); err != nil {
			return err
		}
	}
	return w.Promise(0, hold.Query{Item: q.Item, Location: q.Location, Window: Window(d, a, now)})
}
