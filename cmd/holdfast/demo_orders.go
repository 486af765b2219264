package main

// This file owns the orders of the demo merchant: to come, under way, late, over, and subscribed to; and its discount
// codes.

import (
	"errors"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/timeline"
)

// demoCodes are the discount codes; the first is on some of the orders.
var demoCodes = []commerce.CreateDiscountCode{
	{DiscountTerms: commerce.DiscountTerms{Code: "WEEKEND10", ValueType: commerce.DiscountPercentage, Value: 10,
		Purchases: []base.PurchaseType{base.PurchaseBooking}}},
	{DiscountTerms: commerce.DiscountTerms{Code: "WELCOME", ValueType: commerce.DiscountPerOrder, Value: 1500,
		UsageLimit: ptr(int64(100))}},
	{DiscountTerms: commerce.DiscountTerms{Code: "HELMET5", ValueType: commerce.DiscountPerItem, Value: 500}},
}

// demoStage is how far an order is on its way.
type demoStage int

const (
	demoDraft demoStage = iota
	demoOpen
	demoPrepared
	demoOut
	demoLate // out, and due back in a minute
	demoBack
	demoCancelled
)

// sell makes codes and orders.
func (d *demo) sell() {
	if d.err != nil {
		return
	}
	for _, c := range demoCodes {
		made[commerce.DiscountCode](d, c)
	}
	view, _ := d.core.engine.View(d.account)
	items, _ := commerce.Catalog(view, commerce.CatalogFilter{Active: true}, 0, 100)
	var customers []base.ID
	for m := range commerce.Customers(view).All() {
		customers = append(customers, m.ID)
	}
	now := d.core.engine.Now()
	for _, x := range [...]struct {
		stage    demoStage
		n        int
		from, to int64
	}{
		{demoDraft, 6, d.today + 9*demoDay, d.today + 11*demoDay},
		{demoOpen, 30, d.today + 2*demoDay, d.today + 4*demoDay},
		{demoPrepared, 4, now + 2*timeline.Hour, now + 26*timeline.Hour},
		{demoOut, 12, now - 20*timeline.Hour, now + 8*timeline.Hour},
		{demoLate, 1, now - 30*timeline.Hour, now + timeline.Minute},
		{demoBack, 20, now - 40*timeline.Hour, now + timeline.Minute},
		{demoCancelled, 3, d.today + 5*demoDay, d.today + 6*demoDay},
	} {
		for i := 0; i < x.n && d.err == nil; i++ {
			item := draw(d, items)
			row := d.priceOf(view, item, base.PurchaseBooking)
			if !item.Takes() || row == nil {
				continue
			}
			from, to := x.from+int64(i%12)*timeline.Hour, x.to+int64(i%12)*timeline.Hour
			if x.from < now {
				from, to = x.from, x.to
			}
			o := d.order(order.CreateOrder{
				OrderInput: order.OrderInput{
					Status: order.OrderOpen, Pickup: draw(d, d.locations), Customer: ptr(draw(d, customers)),
					Tags: []base.ID{d.tags[draw(d, []string{"Delivery", "Walk-in"})]},
				},
				Lines: []order.OrderLineInput{{
					Item: base.Item{CatalogItem: item.ID}, Purchase: base.PurchaseBooking, Quantity: 1, From: &from,
					To: &to, PricingRow: &row.ID,
				}},
			}, x.stage)
			d.lead(o, x.stage, i)
		}
	}
	d.subscribe(view, items, customers)
}

// priceOf is a catalog item's price for a way to have it, nil if it is not offered so.
func (d *demo) priceOf(view base.View, item *commerce.CatalogItem, p base.PurchaseType) *commerce.PricingRow {
	if item.PricingTable == nil {
		return nil
	}
	rows := commerce.PricingTableByID(view, *item.PricingTable).Rows
	for i := range rows {
		if rows[i].Purchase == p {
			return &rows[i]
		}
	}
	return nil
}

// order makes an order, nil where the stock does not carry it.
func (d *demo) order(op order.CreateOrder, stage demoStage) *order.OrderRecord {
	if stage == demoDraft {
		op.Status = order.OrderDraft
	}
	res, err := d.core.engine.Do(engine.Command{Account: d.account, Actor: "demo", Op: op, Brief: true})
	var refusal *base.Error
	switch {
	case err == nil:
		return res.Record.(*order.OrderRecord)
	case errors.As(err, &refusal) && refusal.Code == base.CodeInsufficient:
	default:
		d.err = errors.Join(d.err, err)
	}
	return nil
}

// lead brings an order to its stage.
func (d *demo) lead(o *order.OrderRecord, stage demoStage, i int) {
	if o == nil {
		return
	}
	if i%4 == 0 && stage != demoCancelled {
		o = made[order.Discounted](d, order.ApplyDiscount{Order: o.ID, Code: demoCodes[0].Code}).Order
	}
	if d.err != nil {
		return
	}
	switch stage {
	case demoPrepared:
		made[order.OrderRecord](d, order.PrepareOrder{ID: o.ID})
	case demoOut, demoLate, demoBack:
		price, _ := o.Price()
		if price.Total > 0 {
			made[order.OrderRecord](d, order.AddPayment{Order: o.ID, Kind: order.Capture, Amount: price.Total})
		}
		made[order.OrderRecord](d, order.FulfillOrder{ID: o.ID, At: &o.Lines[0].From})
		if stage == demoBack {
			made[order.OrderRecord](d, order.ReturnOrder{ID: o.ID})
		}
	case demoCancelled:
		made[order.OrderRecord](d, order.CancelOrder{ID: o.ID})
	}
}

// subscribe makes orders for the items that are offered by the month.
func (d *demo) subscribe(view base.View, items []*commerce.CatalogItem, customers []base.ID) {
	for i, item := range items {
		row := d.priceOf(view, item, base.PurchaseSubscription)
		if !item.Takes() || row == nil {
			continue
		}
		o := d.order(order.CreateOrder{
			OrderInput: order.OrderInput{Status: order.OrderOpen, Pickup: d.locations[i%len(d.locations)],
				Customer: ptr(draw(d, customers))},
			Lines: []order.OrderLineInput{{
				Item: base.Item{CatalogItem: item.ID}, Purchase: base.PurchaseSubscription, Quantity: 1,
				From: ptr(d.today + 90*demoDay), PricingRow: &row.ID,
			}},
		}, demoOpen)
		d.lead(o, demoOpen, 1)
	}
}
