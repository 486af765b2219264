package main

// This file owns the orders of the demo merchant: to come, under way, late, over, and subscribed to; and its discount codes.

import (
	"errors"

	"holdfast/engine"
	"holdfast/timeline"
)

// demoCodes are the discount codes; the first is on some of the orders.
var demoCodes = []engine.CreateDiscountCode{
	{DiscountTerms: engine.DiscountTerms{Code: "WEEKEND10", ValueType: engine.DiscountPercentage, Value: 10, Purchases: []engine.PurchaseType{engine.PurchaseBooking}}},
	{DiscountTerms: engine.DiscountTerms{Code: "WELCOME", ValueType: engine.DiscountPerOrder, Value: 1500, UsageLimit: ptr(int64(100))}},
	{DiscountTerms: engine.DiscountTerms{Code: "HELMET5", ValueType: engine.DiscountPerItem, Value: 500}},
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
		made[engine.DiscountCode](d, c)
	}
	view, _ := d.core.engine.View(d.account)
	items, _ := view.Catalog(engine.CatalogFilter{Active: true}, 0, 100)
	var customers []engine.ID
	for m := range view.Customers().All() {
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
			row := d.priceOf(view, item, engine.PurchaseBooking)
			if !item.Takes() || row == nil {
				continue
			}
			from, to := x.from+int64(i%12)*timeline.Hour, x.to+int64(i%12)*timeline.Hour
			if x.from < now {
				from, to = x.from, x.to
			}
			o := d.order(engine.CreateOrder{
				OrderInput: engine.OrderInput{
					Status: engine.OrderOpen, Pickup: draw(d, d.locations), Customer: ptr(draw(d, customers)), Tags: []engine.ID{d.tags[draw(d, []string{"Delivery", "Walk-in"})]},
				},
				Lines: []engine.OrderLineInput{{
					Item: engine.Item{CatalogItem: item.ID}, Purchase: engine.PurchaseBooking, Quantity: 1, From: &from, To: &to, PricingRow: &row.ID,
				}},
			}, x.stage)
			d.lead(o, x.stage, i)
		}
	}
	d.subscribe(view, items, customers)
}

// priceOf is a catalog item's price for a way to have it, nil if it is not offered so.
func (d *demo) priceOf(view engine.View, item *engine.CatalogItem, p engine.PurchaseType) *engine.PricingRow {
	if item.PricingTable == nil {
		return nil
	}
	rows := view.PricingTable(*item.PricingTable).Rows
	for i := range rows {
		if rows[i].Purchase == p {
			return &rows[i]
		}
	}
	return nil
}

// order makes an order, nil where the stock does not carry it.
func (d *demo) order(op engine.CreateOrder, stage demoStage) *engine.OrderRecord {
	if stage == demoDraft {
		op.Status = engine.OrderDraft
	}
	res, err := d.core.engine.Do(engine.Command{Account: d.account, Actor: "demo", Op: op, Brief: true})
	var refusal *engine.Error
	switch {
	case err == nil:
		return res.Record.(*engine.OrderRecord)
	case errors.As(err, &refusal) && refusal.Code == engine.CodeInsufficient:
	default:
		d.err = errors.Join(d.err, err)
	}
	return nil
}

// lead brings an order to its stage.
func (d *demo) lead(o *engine.OrderRecord, stage demoStage, i int) {
	if o == nil {
		return
	}
	if i%4 == 0 && stage != demoCancelled {
		o = made[engine.Discounted](d, engine.ApplyDiscount{Order: o.ID, Code: demoCodes[0].Code}).Order
	}
	if d.err != nil {
		return
	}
	switch stage {
	case demoPrepared:
		made[engine.OrderRecord](d, engine.PrepareOrder{ID: o.ID})
	case demoOut, demoLate, demoBack:
		price, _ := o.Price()
		if price.Total > 0 {
			made[engine.OrderRecord](d, engine.AddPayment{Order: o.ID, Kind: engine.Capture, Amount: price.Total})
		}
		made[engine.OrderRecord](d, engine.FulfillOrder{ID: o.ID, At: &o.Lines[0].From})
		if stage == demoBack {
			made[engine.OrderRecord](d, engine.ReturnOrder{ID: o.ID})
		}
	case demoCancelled:
		made[engine.OrderRecord](d, engine.CancelOrder{ID: o.ID})
	}
}

// subscribe makes orders of what is to be had by the month.
func (d *demo) subscribe(view engine.View, items []*engine.CatalogItem, customers []engine.ID) {
	for i, item := range items {
		row := d.priceOf(view, item, engine.PurchaseSubscription)
		if !item.Takes() || row == nil {
			continue
		}
		o := d.order(engine.CreateOrder{
			OrderInput: engine.OrderInput{Status: engine.OrderOpen, Pickup: d.locations[i%len(d.locations)], Customer: ptr(draw(d, customers))},
			Lines: []engine.OrderLineInput{{
				Item: engine.Item{CatalogItem: item.ID}, Purchase: engine.PurchaseSubscription, Quantity: 1, From: ptr(d.today + 90*demoDay), PricingRow: &row.ID,
			}},
		}, demoOpen)
		d.lead(o, demoOpen, 1)
	}
}
