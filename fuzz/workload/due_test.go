package workload

import (
	"context"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the law that time always gets on: after any history and any stop, a start ends, and nothing that is
// due stays due. The bounds of what is done at once are so low that a few units are beyond them.

// pastDue counts what is due at the world's present and was not done: nothing that time does is left for a second look,
// and no hold is held beyond its expiry.
func (w *World) pastDue(holds []ID) error {
	before, _ := w.Engine.State()
	if err := w.Engine.Tick(context.Background()); err != nil {
		return err
	}
	if after, _ := w.Engine.State(); after != before {
		return fmt.Errorf("%d groups were still to be done", after-before)
	}
	for _, x := range w.Engine.SetAside() {
		return fmt.Errorf("%s %s was set aside", x.Table, x.Row)
	}
	if n := w.Engine.Stats().SetAside; n > 0 {
		return fmt.Errorf("%d times something was set aside", n)
	}
	for n := range w.Tenants {
		for _, id := range holds {
			if h, ok := hold.HoldByID(w.View(n), id); ok && h.Status == hold.Held && h.ExpiresAt != nil &&
				*h.ExpiresAt <= w.Now() {
				return fmt.Errorf("hold %s is held and expired at %d", id, *h.ExpiresAt)
			}
		}
	}
	return nil
}

func TestEveryDueItemIsDoneOrSetAside(t *testing.T) {
	most, starts := 0, 0
	lessOften(t)
	rapid.Check(t, func(r *rapid.T) {
		d := Roll(r)
		fs := vfs.NewCrashableMem()
		w := &World{FS: fs, Clock: Start}
		w.Bounds = base.Bounds{DueItems: 1 + d.N("items", 30), DueRows: 1 + d.N("rows", 60), FollowUps: 1,
			Group: 1 + d.N("group", 40)}
		require.NoError(r, w.Open())
		defer func() { require.NoError(r, w.Close()) }()
		acc := ID{0: 1, 6: 0x70, 8: 0x80, 15: 1}
		var holds, orders []ID
		do := func(op base.Op) any {
			res, err := w.Submit(acc, op)
			if err != nil {
				require.NotEqual(r, base.CodeInternal, err.(*base.Error).Code, "%+v", op)
				return nil
			}
			return res.Record
		}
		do(base.CreateAccount{AccountFields: base.AccountFields{Name: "account", Timezone: "Europe/Lisbon"}})
		w.Tenants = []*Tenant{{ID: acc}}
		here := do(stock.CreateLocation{
			LocationFields: stock.LocationFields{Name: "here", Timezone: Zones[0]}}).(*stock.Location).ID
		sku := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "kind"}}).(*stock.SKU).ID
		var articles []ID
		for range 3 {
			articles = append(articles,
				do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "thing", SKU: &sku},
					Quantities: []stock.InitialQuantity{{Location: here, Count: 10}}}).(*stock.Article).ID)
		}
		w.Bounds.Rows = 60 // a booking of all units is done; two of them in one command are not
		require.NoError(r, w.Close())
		require.NoError(r, w.Open())
		window := func(d Dice) (from, to int64) {
			from = w.Now() + int64(d.N("from", 6))*hour
			return from, from + int64(1+d.N("length", 8))*hour
		}
		settled := func() {
			w.Clock = w.Now()
			require.NoError(r, w.Engine.Tick(context.Background()))
			require.NoError(r, w.pastDue(holds), w.logged.String())
			require.NoError(r, w.Engine.Check())
		}
		r.Repeat(map[string]func(*rapid.T){
			"carts": func(r *rapid.T) {
				d := Roll(r)
				expires := int64(1 + d.N("expires", 100))
				for range 1 + d.N("carts", 6) {
					from, to := window(d)
					o := hold.PlaceHold{ExpiresIn: &expires, Lines: []hold.HoldLineInput{{
						Item: base.Item{SKU: sku}, Location: here, Window: Span{Start: from, End: to},
						Quantity: 1 + d.N("units", 30),
					}}}
					if h, ok := do(o).(*hold.Hold); ok {
						holds = append(holds, h.ID)
					}
				}
			},
			"order": func(r *rapid.T) {
				d := Roll(r)
				from, to := window(d)
				price := int64(100)
				o := order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here,
					AllowOverbooked: true}, Lines: []order.OrderLineInput{{
					Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: 1 + d.N("units", 12),
					From: &from, To: &to, UnitPrice: &price,
				}}}
				if d.N("subscribed", 3) == 0 {
					o.Lines[0].Purchase = base.PurchaseSubscription
					o.Lines[0].Subscription = &commerce.SubscriptionTerms{
						Cycle:       commerce.Period{Amount: 1, Unit: timeline.Days},
						RenewalType: commerce.DefaultRenewalType, InitialCharge: commerce.DefaultInitialCharge}
				}
				if rec, ok := do(o).(*order.OrderRecord); ok {
					orders = append(orders, rec.ID)
				}
			},
			"hand over": func(r *rapid.T) { // and not give back: what is out is late some day
				if d := Roll(r); len(orders) > 0 {
					do(order.FulfillOrder{ID: orders[d.N("order", len(orders))]})
				}
			},
			"fewer": func(r *rapid.T) {
				d := Roll(r)
				do(stock.DecreaseQuantity{Article: articles[d.N("article", 3)], Location: here,
					Amount: 1 + d.N("amount", 4), Force: true})
			},
			"more": func(r *rapid.T) {
				d := Roll(r)
				do(stock.IncreaseQuantity{Article: articles[d.N("article", 3)], Location: here,
					Amount: 1 + d.N("amount", 4)})
			},
			"webhook": func(r *rapid.T) {
				do(createHook(base.HookEvents[Roll(r).N("event", len(base.HookEvents))], "2025-06"))
			},
			"time passes": func(r *rapid.T) {
				w.Clock = w.Now() + int64(Roll(r).N("by", 60))*hour/4
				settled()
			},
			"clock goes back": func(r *rapid.T) { w.Clock -= int64(Roll(r).N("by", 3)) * hour },
			"stop": func(r *rapid.T) {
				d := Roll(r)
				w.Clock = w.Now() + int64(d.N("down", 200))*hour/4
				if d.N("killed", 2) == 0 { // in the middle of what is due, too
					done := make(chan error)
					go func() { done <- w.Engine.Tick(context.Background()) }()
					clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0})
					require.NoError(r, <-done)
					require.NoError(r, w.Close())
					fs, w.FS = clone, clone
				} else {
					require.NoError(r, w.Close())
				}
				require.NoError(r, w.Open())
				starts++
				require.NoError(r, w.pastDue(holds), w.logged.String())
				require.NoError(r, w.Engine.Check())
			},
			"": func(*rapid.T) { most = max(most, len(holds)) },
		})
		settled()
	})
	t.Logf("%d starts, at most %d holds", starts, most)
	require.Positive(t, starts)
}
