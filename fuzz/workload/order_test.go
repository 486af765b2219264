package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/engine/base"
	"holdfast/fuzz/model"
)

// This file owns the random test of orders alone: small worlds in which most commands are on orders.

// orderWorld is a random world of orders.
type orderWorld struct {
	hooks bool // with webhooks
	rich  bool // with attributes that lines ask for, and rows that they are priced by

	counter bool // with what happens at the counter now and then
	cart    bool // with what a shop's cart does now and then; rich
	pools   bool // with pools that a change of buffers makes one, or parts
	leaves  bool // with units that leave for another place, and what is planned on that

	subscribed bool // with subscriptions of several units
	codes      bool // with codes for them, and with other prices once they are renewed
}

// usualSteps is how many commands such a world is long.
const usualSteps = 60

// varied is a world whose seed says of what sort it is.
func varied(seed uint64) orderWorld { return orderWorld{hooks: seed%2 == 0, rich: seed%3 > 0} }

// rare are worlds that come to what few do.
var rare = []uint64{173, 363, 907, 1252, 1341, 2250}

func TestOrders(t *testing.T) {
	var seen model.Tally
	seeds := slices.Clone(rare)
	for seed := range uint64(30) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		require.NoError(t, varied(seed).play(orderDice(seed), usualSteps, &seen), "seed %d", seed)
	}
	t.Logf("%+v", seen)
	for _, n := range []int{seen.Late, seen.Postponed, seen.Early, seen.Elsewhere, seen.Sold, seen.Foreign,
		seen.Substituted, seen.Restored, seen.Reassigned, seen.Overbooked, seen.Ahead, seen.Endless, seen.Ended,
		seen.Applied,
		seen.Required - seen.Unmet, seen.Unmet, seen.Quoted, seen.Kept, seen.Idle, seen.Stale, seen.Billed, seen.Lapsed,
		seen.Told, seen.KeptEvents, seen.MissedEvents, seen.Delivered, seen.Lost, seen.Drained, seen.Disabled,
		seen.Requeued} {
		require.Positive(t, n, "%+v", seen)
	}
}

// TestCounter plays worlds of orders in which what is seldom at the counter is not.
func TestCounter(t *testing.T) {
	var seen model.Tally
	for seed := range uint64(80) {
		c := varied(seed)
		c.counter = true
		require.NoError(t, c.play(Seeded{rand.New(rand.NewPCG(seed, 99))}, usualSteps, &seen), "seed %d", seed)
	}
	t.Logf("%+v", seen)
	for _, n := range []int{seen.Ready, seen.Unfetched, seen.Undone, seen.Unsold, seen.OutAgain, seen.GoneOn} {
		require.Positive(t, n, "%+v", seen)
	}
}

// TestCarts plays worlds in which carts become orders.
func TestCarts(t *testing.T) {
	var seen model.Tally
	for seed := range uint64(100) {
		c := orderWorld{hooks: seed%4 == 0, rich: true, cart: true}
		require.NoError(t, c.play(Seeded{rand.New(rand.NewPCG(seed, 77))}, usualSteps, &seen), "seed %d", seed)
	}
	t.Logf("%+v", seen)
	for _, n := range []int{seen.Carts, seen.Recast, seen.Owned, seen.Disowned, seen.Wanted, seen.Listed, seen.Rebooked,
		seen.Reheld, seen.Together, seen.Mixed, seen.Quotes, seen.Offered, seen.Chosen, seen.Unpriced, seen.Applied} {
		require.Positive(t, n, "%+v", seen)
	}
}

func orderDice(seed uint64) Dice { return Seeded{rand.New(rand.NewPCG(seed, 88))} }

// TestMoreOrders plays worlds as they come.
func TestMoreOrders(t *testing.T) {
	lessOften(t)
	rapid.Check(t, func(r *rapid.T) {
		d, seen := Roll(r), model.Tally{}
		c := orderWorld{hooks: odds(d, "webhooks", 50), rich: odds(d, "rich", 67), counter: odds(d, "counter", 50)}
		c.cart = c.rich && odds(d, "cart", 50)
		require.NoError(r, c.play(d, usualSteps, &seen))
	})
}

// play plays orders and holds, most of them orders.
func (c orderWorld) play(d Dice, steps int, seen *model.Tally) error {
	return inWorld(1, seen, func(w *World) error { return c.playIn(w, d, steps) })
}

func (c orderWorld) playIn(w *World, d Dice, steps int) error {
	if err := w.Furnish(d, 0, false); err != nil {
		return err
	}
	if c.pools {
		if err := w.Part(d, 0); err != nil {
			return err
		}
	}
	if c.hooks {
		if err := w.Hook(0); err != nil {
			return err
		}
	}
	if c.rich {
		if err := w.Describe(d, 0); err != nil {
			return err
		}
		if err := w.Price(d, 0); err != nil {
			return err
		}
	}
	if c.cart {
		if err := w.stockShop(d, 0); err != nil {
			return err
		}
	}
	for n := range steps {
		if c.hooks && odds(d, "of webhooks", 40) {
			w.Clock += int64(d.N("seconds", 50)) * 1000
			if _, _, err := w.Do(0, hookCommand(d, w.Tenants[0].Twin, w.Now())); err != nil {
				return fmt.Errorf("step %d: %w", n, err)
			}
		}
		if odds(d, "time passes", 25) {
			w.Clock += int64(d.N("by", 8)) * hour / 2
		}
		op := orderCommand
		if odds(d, "of stock", 35) {
			op = stockCommand
		}
		if c.rich && odds(d, "of attributes", 10) {
			op = func(d Dice, a *model.Account, _ int64) base.Op { return attributeCommand(d, a) }
		}
		if c.rich && odds(d, "of pricing", 8) {
			op = func(d Dice, a *model.Account, _ int64) base.Op { return pricingCommand(d, a) }
		}
		if c.counter && odds(d, "at the counter", 25) {
			op = counterCommand
		}
		if c.cart && odds(d, "of a cart", 40) {
			op = cartCommand
		}
		if c.pools && odds(d, "of pools", 50) {
			op = poolCommand
		}
		if c.leaves && odds(d, "of units that leave", 60) {
			op = leaveCommand
		}
		if c.subscribed && odds(d, "of subscriptions", 70) {
			op = subscribedCommand
		}
		if c.codes && len(w.Tenants[0].Twin.Orders) > 0 && odds(d, "of codes", 25) {
			op = discountCommand
		}
		next := op(d, w.Tenants[0].Twin, w.Now())
		if c.codes {
			renewFor(d, next)
		}
		if _, _, err := w.Do(0, next); err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
		if err := w.Tenants[0].Twin.Records(w.View(0), w.Now()); err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
		if c.cart && odds(d, "a quote", 50) {
			if err := w.quote(d, 0); err != nil {
				return fmt.Errorf("step %d: %w", n, err)
			}
		}
		if c.cart {
			if err := w.heldList(d, 0); err != nil {
				return fmt.Errorf("step %d: %w", n, err)
			}
		}
		if err := Sums(w.View(0)); err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
		if c.pools && odds(d, "compare", 20) {
			if err := w.Compare(d, 0); err != nil {
				return fmt.Errorf("step %d: %w", n, err)
			}
		}
		if n%10 == 0 {
			if err := w.Restart(); err != nil {
				return fmt.Errorf("step %d: %w", n, err)
			}
		}
	}
	return nil
}
