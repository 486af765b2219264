package workload

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
	"holdfast/timeline"
)

// This file owns random pricing tables: few rows of every kind, which come and go while lines are priced by them.

const (
	maxTables = 3 // of an account
	maxRows   = 6 // of a table
)

// purchases are all ways to buy.
var purchases = []base.PurchaseType{base.PurchaseBooking, base.PurchaseSale, base.PurchaseSubscription}

// durations are what the price of a booking is for.
var durations = []commerce.Period{
	{Amount: 1, Unit: timeline.Hours}, {Amount: 90, Unit: timeline.Minutes}, {Amount: 5, Unit: timeline.Hours},
	{Amount: 1, Unit: timeline.Days},
	{Amount: 2, Unit: timeline.Days}, {Amount: 1, Unit: timeline.Weeks},
}

// Price gives an account a pricing table with a row of every kind.
func (w *World) Price(d Dice, tenant int) error {
	do := func(op base.Op) error { _, _, fault := w.Do(tenant, op); return fault }
	if err := do(commerce.CreatePricingTable{PricingTableFields: commerce.PricingTableFields{Name: "prices"}}); err !=
		nil {
		return err
	}
	t := w.Tenants[tenant].Twin.Tables[0]
	for _, p := range slices.Concat(purchases, []base.PurchaseType{base.PurchaseBooking}) {
		if err := do(createRow(d, t, p)); err != nil {
			return err
		}
	}
	return nil
}

func createRow(d Dice, t *model.Table, p base.PurchaseType) commerce.CreatePricingRow {
	o := commerce.CreatePricingRow{Table: t.ID,
		PricingRowFields: commerce.PricingRowFields{Label: "row", Purchase: p, Price: int64(d.N("price", 900))}}
	switch p {
	case base.PurchaseBooking:
		if odds(d, "by time", 80) {
			x := pick(d, "duration", durations)
			o.Duration = &x
		}
	case base.PurchaseSubscription:
		o.Subscription = terms(d)
	}
	return o
}

// rowFor is a row for a line of an account with tables, mostly one for its way to buy; nil: it has a price of its own.
func rowFor(d Dice, a *model.Account, p base.PurchaseType) *ID {
	t := pick(d, "table", a.Tables)
	fits := slices.DeleteFunc(slices.Clone(t.Rows), func(r commerce.PricingRow) bool { return r.Purchase != p })
	if odds(d, "any row", 3) {
		fits = t.Rows
	}
	switch {
	case odds(d, "nobody's", 2):
		return &nobody
	case len(fits) == 0 || odds(d, "own price", 40):
		return nil
	}
	r := pick(d, "row", fits)
	return &r.ID
}

// reprice gives a line a row or a price, or takes its row or its own price away.
func reprice(d Dice, a *model.Account, l *model.OrderLine) (c base.Changes[order.OrderLineInput]) {
	switch d.N("reprice", 5) {
	case 0:
		var own *int64
		if odds(d, "own price", 30) {
			own = new(int64(d.N("price", 5000)))
		}
		return base.Changed(order.OrderLineInput{UnitPrice: own}, "pricingRowId")
	case 1:
		return base.Changed(order.OrderLineInput{}, "unitPrice")
	}
	return base.Changed(order.OrderLineInput{PricingRow: rowFor(d, a, l.Purchase)})
}

// pricingCommand draws a command on the tables of an account that has some.
func pricingCommand(d Dice, a *model.Account) base.Op {
	t := pick(d, "table", a.Tables)
	switch kind := d.N("pricing command", 20); {
	case kind < 1 && len(a.Tables) < maxTables:
		return commerce.CreatePricingTable{PricingTableFields: commerce.PricingTableFields{Name: "more"}}
	case kind < 2 && len(a.Tables) > 1:
		return commerce.DeletePricingTable{ID: t.ID}
	case kind < 3:
		return commerce.PatchPricingTable{ID: t.ID,
			Fields: base.Changed(commerce.PricingTableFields{Name: pick(d, "name", []string{"prices", "other"})})}
	case kind < 6 && len(t.Rows) < maxRows || len(t.Rows) == 0:
		return createRow(d, t, pick(d, "purchase", purchases))
	}
	r := pick(d, "row", t.Rows)
	if odds(d, "deleted", 15) {
		return commerce.DeletePricingRow{Table: t.ID, ID: r.ID}
	}
	o := commerce.PatchPricingRow{Table: t.ID, ID: r.ID}
	to, given := &o.Fields.To, &o.Fields.Given
	if odds(d, "price", 70) {
		to.Price, *given = int64(d.N("price", 900)), append(*given, "price")
	}
	if odds(d, "label", 30) {
		to.Label, *given = pick(d, "label", []string{"row", "other"}), append(*given, "label")
	}
	if r.Purchase == base.PurchaseBooking && odds(d, "duration", 40) {
		x := pick(d, "duration", durations)
		if o.Duration.Amount, o.Duration.Unit = base.Some(x.Amount), base.Some(x.Unit); odds(d, "whole", 20) {
			o.Duration = stock.BufferPatch{Amount: base.Null[int64]()}
		}
	} else if r.Purchase != base.PurchaseSubscription && r.Duration == nil && odds(d, "for another way to buy", 30) {
		to.Purchase, *given = pick(d, "purchase", []base.PurchaseType{base.PurchaseBooking, base.PurchaseSale}),
			append(*given, "purchaseType")
	}
	return o
}
