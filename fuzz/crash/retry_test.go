package crash

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/fuzz/workload"
	"holdfast/persist"
	"holdfast/persist/power"
)

// This file owns clients of orders who lose the power: they open, hand over and return orders and apply codes under
// idempotency keys, all at once, and ask again when it is back.

const (
	retryUnits = 12 // of the one lot that everybody orders
	retryUses  = 9  // of the one code
	retryEach  = 6  // orders that a client tries
)

// retry is a shop on a disk that may lose its power.
type retry struct {
	*engine.Engine
	t        *testing.T
	store    *persist.Store
	account  base.ID
	location base.ID
	item     base.ID
	code     base.ID
	draws    atomic.Uint64
}

func (r *retry) open(fs vfs.FS) {
	var err error
	r.store, err = persist.Open(workload.StoreOptions(fs))
	require.NoError(r.t, err)
	r.Engine, err = engine.Open(context.Background(), engine.Options{
		Store: r.store, Manual: true, Checks: true, Now: func() int64 { return workload.Start },
		Random: func() (b [10]byte) {
			binary.BigEndian.PutUint64(b[2:], r.draws.Add(1)<<20)
			return b
		},
	})
	require.NoError(r.t, err)
}

func (r *retry) close() {
	require.NoError(r.t, r.Engine.Close())
	require.NoError(r.t, r.Engine.Check())
	require.NoError(r.t, r.store.Close())
}

func (r *retry) make(op base.Op) any {
	res, err := r.Do(engine.Command{Account: r.account, Op: op})
	require.NoError(r.t, err)
	return res.Record
}

// told is what a client was told of a step: nothing yet, or that it was done, or refused.
type told struct {
	known, done bool
	id          base.ID
}

// client goes the same way with each of its orders: open, apply, hand over, return. What it was told it does not ask
// again.
type client struct {
	no    int
	steps [retryEach][4]told
}

// play goes on until the power is gone. A step that was not answered is asked again under its key.
func (r *retry) play(c *client, gone func() bool, note func(o, step int, x told)) {
	for o := range retryEach {
		for step := range c.steps[o] {
			if c.steps[o][step].known {
				continue
			}
			opened := c.steps[o][0]
			if step > 0 && (!opened.done || step == 3 && !c.steps[o][2].done) {
				break
			}
			price := int64(1000)
			from, to := int64(workload.Start+3600*1000), int64(workload.Start+24*3600*1000)
			op := [...]base.Op{
				order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: r.location},
					Lines: []order.OrderLineInput{
						{Item: base.Item{Article: r.item}, Purchase: base.PurchaseBooking, Quantity: 1 + (c.no+o)%2,
							From: &from, To: &to, UnitPrice: &price},
					}},
				order.ApplyDiscount{Order: opened.id, Code: "Spring"},
				order.FulfillOrder{ID: opened.id},
				order.ReturnOrder{ID: opened.id},
			}[step]
			res, err := r.Do(engine.Command{Account: r.account, Op: op, Idem: &engine.Idempotency{
				Key: base.ID{0: byte(c.no + 1), 1: byte(o), 2: byte(step)}, Fingerprint: base.ID{15: 1},
			}})
			if gone() || errors.Is(err, &base.Error{Code: base.CodeStorageFailed}) {
				return // whatever was said, the client did not hear it
			}
			x := told{known: true, done: err == nil}
			if rec, is := res.Record.(*order.OrderRecord); is && err == nil {
				x.id = rec.ID
			}
			note(o, step, x)
			if before := c.steps[o][step]; before.known && before != x {
				r.t.Errorf("%+v was answered, and then %+v", before, x)
			}
			c.steps[o][step] = x
		}
	}
}

// judge holds what is there against what clients were told: what was done is there, and no order is there twice.
func (r *retry) judge(clients []client, name string) {
	v, ok := r.View(r.account)
	require.True(r.t, ok, name)
	carry, out := int64(0), 0
	for o := range order.Orders(v).All() {
		carry += int64(len(o.Codes))
		if o.Status != order.OrderClosed {
			for _, l := range o.Lines {
				out += len(l.Units)
			}
		}
	}
	require.Equal(r.t, carry, commerce.DiscountCodeByID(v, r.code).Used, name)
	require.LessOrEqual(r.t, carry, int64(retryUses), name)
	a, err := hold.Available(v, hold.Query{Item: base.Item{Article: r.item}, Location: r.location,
		Window: base.Span{Start: workload.Start + 3600*1000, End: workload.Start + 2*3600*1000}}, workload.Start)
	require.NoError(r.t, err, name)
	require.Equal(r.t, retryUnits-out, a.Available, name)
	for _, c := range clients {
		for _, steps := range c.steps {
			if !steps[0].done {
				continue
			}
			o := order.OrderByID(v, steps[0].id)
			require.NotNil(r.t, o, "%s: an acknowledged order is gone", name)
			require.True(r.t, !steps[1].done || len(o.Codes) == 1, "%s: an acknowledged code is gone", name)
			require.True(r.t, !steps[2].done || o.Lines[0].Units[0].Handed != 0,
				"%s: an acknowledged hand-over is gone", name)
			require.True(r.t, !steps[3].done || o.Status == order.OrderClosed, "%s: an acknowledged return is gone",
				name)
		}
	}
}

// TestOrdersRetriedAfterPowerCut cuts the power at some sync while clients are at work. What was acknowledged is there,
// what was not is there whole or not at all, and asked again under its key it is done once: the uses of the code are
// those of the orders that carry it, and no order has a twin.
func TestOrdersRetriedAfterPowerCut(t *testing.T) {
	seed := newSeed(t)
	runs, count := 25, 6
	if testing.Short() {
		runs = 5
	}
	if long() {
		runs = 1000
	}
	rng := rand.New(rand.NewPCG(seed, 9))
	replayed := 0
	for run := range runs {
		mem := power.NewDisk()
		at, percent := uint64(1+rng.IntN(40)), []int{0, 50, 100}[run%3]
		var mu sync.Mutex
		var left *power.Disk
		var heard []client
		clients := make([]client, count)
		armed, n := false, uint64(0)
		fs := hooked(mem, func(op errorfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; armed && isSync(op) && left == nil {
				if at--; at == 0 {
					heard = append([]client{}, clients...)
					left = clone(mem, percent, seed+n)
				}
			}
			return nil
		})
		r := &retry{t: t, account: base.ID{0: 1, 6: 0x70, 8: 0x80, 15: 1}}
		r.open(fs)
		r.make(base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental", Timezone: "UTC"}})
		r.location = r.make(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "Harbour", Timezone: "UTC"}}).(*stock.Location).ID
		r.item = r.make(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "Bike"},
			Quantities: []stock.InitialQuantity{{Location: r.location, Count: retryUnits}}}).(*stock.Article).ID
		limit := int64(retryUses)
		r.code = r.make(commerce.CreateDiscountCode{DiscountTerms: commerce.DiscountTerms{Code: "Spring",
			ValueType: commerce.DiscountPercentage, Value: 10, UsageLimit: &limit}}).(*commerce.DiscountCode).ID
		mu.Lock()
		armed = true
		mu.Unlock()
		together := func(gone func() bool) {
			var all sync.WaitGroup
			for i := range clients {
				all.Go(func() {
					mine := clients[i]
					mine.no = i
					r.play(&mine, gone, func(o, step int, x told) {
						mu.Lock()
						defer mu.Unlock()
						clients[i].no, clients[i].steps[o][step] = i, x
					})
				})
			}
			all.Wait()
		}
		together(func() bool {
			mu.Lock()
			defer mu.Unlock()
			return left != nil
		})
		r.close()
		name := fmt.Sprintf("seed %d, run %d, %d %% kept", seed, run, percent)
		if left == nil { // it was over before
			r.judge(clients, name)
			continue
		}
		r.open(left)
		copy(clients, heard)
		r.judge(clients, name)
		v, _ := r.View(r.account)
		before := order.Orders(v).Len()
		told := 0
		for i := range clients {
			for _, s := range clients[i].steps {
				if s[0].done {
					told++
				}
			}
		}
		replayed += before - told // orders that nobody was told of
		together(func() bool { return false })
		r.judge(clients, name)
		v, _ = r.View(r.account)
		orders := 0
		for i := range clients {
			for _, s := range clients[i].steps {
				if s[0].done {
					orders++
				}
			}
		}
		require.Equal(t, orders, order.Orders(v).Len(), "%s: an order that nobody knows", name)
		r.close()
	}
	t.Logf("%d orders had been made without a word", replayed)
}
