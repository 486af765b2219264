package workload

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns random commands on pools: articles of a SKU whose buffers differ are in separate pools. A change of
// buffers makes one pool of two, or two of one, while a conflict waits in one and a unit is free in the other.

// twoLengths are buffers of only two lengths, written in several ways, so that separate pools are often one pool after
// a change.
var twoLengths = []*stock.Buffer{
	nil, nil, {Amount: 0, Unit: timeline.Hours}, {Amount: 1, Unit: timeline.Hours},
	{Amount: 60, Unit: timeline.Minutes},
}

// asBuffer is the patch that makes a buffer another one.
func asBuffer(b *stock.Buffer) (p stock.BufferPatch) {
	if b == nil {
		p.Amount = base.Null[int64]()
	} else {
		p.Amount, p.Unit = base.Some(b.Amount), base.Some(b.Unit)
	}
	return p
}

// inOtherWords is a buffer that keeps the same time, often said otherwise.
func inOtherWords(d Dice, b *stock.Buffer) *stock.Buffer {
	if b == nil || b.Unit != timeline.Hours || odds(d, "in the same words", 50) {
		return b
	}
	return &stock.Buffer{Amount: 60 * b.Amount, Unit: timeline.Minutes}
}

// Part gives an account one more SKU, of little stock at the first location: articles of one unit, most of them in
// separate pools. All units are taken and a conflict waits; then there is one more unit, often in another pool.
func (w *World) Part(d Dice, tenant int) error {
	do := func(op base.Op) error { _, _, fault := w.Do(tenant, op); return fault }
	a := func() *model.Account { return w.Tenants[tenant].Twin }
	if err := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "apart"}}); err != nil {
		return err
	}
	here, sku, units := a().Locations[0].ID, a().SKUs[len(a().SKUs)-1].ID, 2+d.N("more articles apart", 2)
	for range units {
		if err := do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: "apart", SKU: &sku},
			Before: pick(d, "length", twoLengths), After: pick(d, "length", twoLengths),
			Quantities: []stock.InitialQuantity{{Location: here, Count: 1}}}); err != nil {
			return err
		}
	}
	for _, quantity := range []int{units, 1} {
		from := w.Now() + int64(1+d.N("soon", 4))*hour
		to := from + pick(d, "hours", lengths)*hour
		if err := do(order.CreateOrder{
			OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: here, AllowOverbooked: true},
			Lines: []order.OrderLineInput{
				{Item: base.Item{SKU: sku}, Purchase: base.PurchaseBooking, Quantity: quantity, From: &from, To: &to}},
		}); err != nil {
			return err
		}
	}
	return do(stock.IncreaseQuantity{Article: a().Articles[len(a().Articles)-1].ID, Location: here, Amount: 1})
}

// poolCommand draws a command that makes a conflict wait in a pool, adds a unit to a pool or takes one away, or joins
// or parts pools.
func poolCommand(d Dice, a *model.Account, now int64) base.Op {
	kinds, here := skus(a), locations(a)[0].ID
	sku := kinds[min(2, len(kinds)-1)].ID
	list := slices.DeleteFunc(articles(a), func(r *model.Article) bool { return r.SKU == nil || *r.SKU != sku })
	if len(list) == 0 {
		return createArticle(d, a, now)
	}
	article := pick(d, "article of a pool", list).ID
	switch kind := d.N("pool command", 20); {
	case kind < 2:
		return stock.DecreaseQuantity{Article: article, Location: here, Amount: 1, Force: true}
	case kind < 4:
		return stock.IncreaseQuantity{Article: article, Location: here, Amount: 1}
	case kind < 5 && len(a.Holds) > 0:
		return hold.ReleaseHold{ID: pick(d, "hold", a.Holds).ID}
	case kind < 6 && len(a.Orders) > 0:
		return order.CancelOrder{ID: likely(d, a, 50).ID}
	case kind < 7:
		return patchArticle(d, a)
	case kind < 11:
		other := waitedFor(d, a, now, list)
		return stock.PatchArticle{ID: article, Before: asBuffer(inOtherWords(d, other.Before)),
			After: asBuffer(inOtherWords(d, other.After))}
	case kind < 13:
		return stock.PatchArticle{ID: article, Before: asBuffer(pick(d, "length", twoLengths)),
			After: asBuffer(pick(d, "length", twoLengths))}
	case kind < 14:
		o := stock.PatchSKU{ID: sku, Before: asBuffer(pick(d, "length", twoLengths))}
		if odds(d, "behind", 50) {
			o.Before, o.After = o.After, o.Before
		}
		return o
	}
	if len(a.Orders) >= maxOrders || odds(d, "a hold of one", 20) {
		o := placeHold(d, a, now)
		o.Lines[0].Item, o.Lines[0].Location = base.Item{Article: article}, here
		return o
	}
	o := createOrder(d, a, now)
	o.Status, o.Pickup, o.AllowOverbooked = order.OrderOpen, here, true
	l := &o.Lines[0]
	if l.Item, l.Quantity = (base.Item{SKU: sku}), 1+d.N("quantity", 2); odds(d, "soon", 70) {
		from := now + int64(d.N("hour", 4))*hour
		if l.From = &from; l.To != nil {
			to := from + pick(d, "hours", lengths)*hour
			l.To = &to
		}
	}
	return o
}

// waitedFor is one of some articles, mostly the first that a conflict waits for.
func waitedFor(d Dice, a *model.Account, now int64, list []*model.Article) *model.Article {
	for _, u := range a.Units {
		if no := a.Lots[u.Lot-1].Article; u.Slot == 0 && u.Hull.End > now && no >= 0 &&
			slices.Contains(list, a.Articles[no]) && odds(d, "waited for", 60) {
			return a.Articles[no]
		}
	}
	return pick(d, "another article of a pool", list)
}
