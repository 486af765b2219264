package workload

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/fuzz/model"
)

// This file owns worlds in great number: short ones of all sorts, on all processors. Most of what can be wrong shows in
// few commands, so that many short worlds find more than few long ones; some are long. `make worlds WORLDS=100000`
// plays so many of them.

var (
	worlds     = flag.Int("worlds", 160, "how many worlds TestWorlds plays")
	worldsFrom = flag.Uint64("worlds.from", 1, "the seed of the first of them")
)

// mostFailures is how many worlds may fail before no more are played: several say more than one about what is wrong.
const mostFailures = 20

func TestWorlds(t *testing.T) {
	if testing.Short() {
		*worlds = min(*worlds, 60)
	}
	var seen model.Tally
	var played [len(sorts)]int
	var adding sync.Mutex
	var next, commands atomic.Int64
	var failed atomic.Int64
	var workers sync.WaitGroup
	told := time.Now()
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for failed.Load() < mostFailures {
				n := next.Add(1) - 1
				if n >= int64(*worlds) {
					return
				}
				seed := *worldsFrom + uint64(n)
				var mine model.Tally
				steps, err := shortWorld(seed, &mine)
				commands.Add(int64(steps))
				if err != nil {
					failed.Add(1)
					t.Errorf("seed %d, %s: %v", seed, sorts[seed%uint64(len(sorts))].name, err)
					continue
				}
				adding.Lock()
				seen.Add(mine)
				played[seed%uint64(len(sorts))]++
				if time.Since(told) > time.Minute {
					told = time.Now()
					t.Logf("%d worlds", n)
				}
				adding.Unlock()
			}
		})
	}
	workers.Wait()
	for i, n := range played {
		t.Logf("%6d of %s", n, sorts[i].name)
	}
	t.Logf("%d commands: %+v", commands.Load(), seen)
}

// TestWorldsThatFailed plays worlds that have found a fault that no smaller story shows.
func TestWorldsThatFailed(t *testing.T) {
	for _, seed := range []uint64{
		8401345, // a kit that leaves took what a conflict is counted for, as the line before it had fixed itself there
		9618655, // a unit that was to leave lost its place to another that leaves by the same command, which panicked
		8567662, // a refusal did not name who waits on an article without units, and is counted
	} {
		var seen model.Tally
		_, err := shortWorld(seed, &seen)
		require.NoError(t, err, "seed %d", seed)
	}
}

// sorts are the sorts of worlds, the seeds in turn.
var sorts = [...]struct {
	name string
	play func(d Dice, steps int, seen *model.Tally) error
}{
	{"stock, articles and reads", reads},
	{"orders", orderWorld{}.play},
	{"two accounts", neighbours},
	{"orders with prices", orderWorld{rich: true, hooks: true}.play},
	{"the counter", counter},
	{"carts", orderWorld{rich: true, cart: true, counter: true}.play},
	{"pools that join and part", pools},
	{"units that leave", leaving},
}

// Few are enough here, so that many commands are planned off the writer, and not all.
func init() { offload = 3 }

// shortWorld plays the world of a seed, and says how many commands long it was.
func shortWorld(seed uint64, seen *model.Tally) (steps int, err error) {
	d := Seeded{rand.New(rand.NewPCG(seed, 2027))}
	steps = 4 + d.N("steps", 16)
	if odds(d, "long", 3) {
		steps = usualSteps
	}
	return steps, sorts[seed%uint64(len(sorts))].play(d, steps, seen)
}

// inWorld plays in a world of its own with some accounts.
func inWorld(accounts int, seen *model.Tally, play func(w *World) error) (err error) {
	w, err := New(vfs.NewMem(), accounts)
	if err != nil {
		return err
	}
	defer func() {
		seen.Add(w.Seen)
		if e := w.Close(); err == nil {
			err = e
		}
	}()
	return play(w)
}

// reads is a world of stock whose reads are compared.
func reads(d Dice, steps int, seen *model.Tally) error {
	return inWorld(1, seen, func(w *World) error { return playStock(w, d, steps) })
}

// neighbours is a world of stock in which commands of another account come between.
func neighbours(d Dice, steps int, seen *model.Tally) error {
	return inWorld(2, seen, func(w *World) error { return playStock(w, d, steps) })
}

func playStock(w *World, d Dice, steps int) error {
	for tenant := range w.Tenants {
		if err := w.Furnish(d, tenant, tenant == 1 && odds(d, "large", 20)); err != nil {
			return err
		}
		if odds(d, "attributes", 40) {
			if err := w.Describe(d, tenant); err != nil {
				return err
			}
		}
		if odds(d, "repairs", 30) {
			if err := w.Repair(d, tenant); err != nil {
				return err
			}
		}
	}
	for n := range steps {
		if odds(d, "time passes", 25) {
			w.Clock += int64(d.N("by", 8)) * hour / 2
		}
		tenant := d.N("tenant", len(w.Tenants))
		err := func() error {
			if odds(d, "tick", 20) {
				if _, _, fault := w.Do(0, model.Tick{}); fault != nil {
					return fault
				}
			}
			if _, _, fault := w.Do(tenant, Command(d, w.Tenants[tenant].Twin, w.Now())); fault != nil {
				return fault
			}
			if odds(d, "singles", 5) {
				if err := w.Singles(d, tenant); err != nil {
					return err
				}
			}
			if odds(d, "restart", 3) {
				if err := w.Restart(); err != nil {
					return err
				}
			}
			if n == steps-1 || odds(d, "compare", 30) {
				return w.Compare(d, tenant)
			}
			return nil
		}()
		if err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
	}
	return nil
}
