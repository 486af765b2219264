package workload

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
)

// This file owns the random test of conflicts and time: little stock, much of it sold twice, and instants that pass in
// small steps. The law is that no conflict is left behind any command, and at any instant, for which what came free, or
// time alone, has made room.

func TestTimeSeatsConflicts(t *testing.T) {
	var seen model.Tally
	for seed := range uint64(40) {
		require.NoError(t, scarce(Seeded{rand.New(rand.NewPCG(seed, 15))}, &seen), "seed %d", seed)
	}
	t.Logf("%+v", seen)
	for _, n := range []int{seen.Opened, seen.Reseated - seen.Opened, seen.Evicted, seen.Overbooked, seen.Late,
		seen.Told, seen.Named, seen.WaitedFor, seen.PoolShort} {
		require.Positive(t, n, "%+v", seen)
	}
}

// scarce plays a world of little stock.
func scarce(d Dice, seen *model.Tally) error {
	return inWorld(1, seen, func(w *World) error { return playScarce(w, d) })
}

func playScarce(w *World, d Dice) (err error) {
	do := func(op base.Op) any {
		res, refused, fault := w.Do(0, op)
		if fault != nil && err == nil {
			err = fault
		}
		if refused != nil || fault != nil {
			return nil
		}
		return res.Record
	}
	here := do(stock.CreateLocation{
		LocationFields: stock.LocationFields{Name: "here", Timezone: Zones[0]}}).(*stock.Location).ID
	sku := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "kind"}}).(*stock.SKU).ID
	var articles []ID
	for range 1 + d.N("articles", 3) {
		articles = append(articles,
			do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "thing", SKU: &sku},
				Quantities: []stock.InitialQuantity{{Location: here, Count: 1 + d.N("units", 2)}}}).(*stock.Article).ID)
	}
	if odds(d, "webhooks", 50) {
		o := createHook("", "2025-06")
		o.EventTypes = base.HookEvents
		do(o)
	}
	for range 120 {
		if odds(d, "time passes", 40) {
			w.Clock = w.Now() + int64(1+d.N("by", 6))*hour/2
			do(model.Tick{})
		}
		do(scarceCommand(d, w, here, sku, articles))
		if err == nil {
			err = w.Tenants[0].Twin.Available(w.View(0), scarceQuestion(d, w, here, articles), w.Now())
		}
		if odds(d, "restart", 2) && err == nil {
			err = w.Restart()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scarceQuestion asks for an article of a SKU that others wait for.
func scarceQuestion(d Dice, w *World, here ID, articles []ID) hold.Query {
	from := w.Now() + int64(d.N("asked from", 12))*hour
	return hold.Query{Item: base.Item{Article: pick(d, "asked article", articles)}, Location: here,
		Window: Span{Start: from, End: from + int64(1+d.N("asked length", 4))*hour}}
}

// scarceCommand draws a command that sells what is short, or has it change hands.
func scarceCommand(d Dice, w *World, here, sku ID, articles []ID) base.Op {
	a, now := w.Tenants[0].Twin, w.Now()
	item := base.Item{SKU: sku}
	if odds(d, "an article", 30) {
		item = base.Item{Article: pick(d, "article", articles)}
	}
	from := now + int64(d.N("from", 8))*hour
	to := from + int64(1+d.N("length", 10))*hour
	switch kind := d.N("command", 12); {
	case kind < 2 && len(a.Holds) > 0:
		return hold.ReleaseHold{ID: pick(d, "hold", a.Holds).ID}
	case kind < 3:
		return stock.DecreaseQuantity{Article: pick(d, "article", articles), Location: here, Amount: 1, Force: true}
	case kind < 4:
		return stock.IncreaseQuantity{Article: pick(d, "article", articles), Location: here, Amount: 1, From: &from}
	case kind < 6 && len(a.Orders) > 0:
		return order.FulfillOrder{ID: pick(d, "order", a.Orders).ID}
	case kind < 7 && len(a.Orders) > 0:
		return order.ReturnOrder{ID: pick(d, "order", a.Orders).ID}
	case kind < 8 && len(a.Orders) > 0:
		return order.CancelOrder{ID: pick(d, "order", a.Orders).ID}
	case kind < 9:
		expires := int64(30 + 600*d.N("expires", 12))
		return hold.PlaceHold{ExpiresIn: &expires,
			Lines: []hold.HoldLineInput{{Item: item, Location: here, Window: Span{Start: from, End: to}, Quantity: 1}}}
	}
	return order.CreateOrder{OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here, AllowOverbooked: true},
		Lines: []order.OrderLineInput{
			{Item: item, Purchase: base.PurchaseBooking, Quantity: 1 + d.N("quantity", 2), From: &from, To: &to},
		}}
}
