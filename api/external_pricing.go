package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns external pricing rows on the wire: buttons that send the customer elsewhere.

// externalWrite suffices one by one: who may write listings may set their buttons.
var externalWrite = []string{"catalog.listings.write", "catalog.price_tables.write"}

var createExternalRowShape = wire.ShapeOf("CreateExternalPricingRow",
	wire.Required("label", wire.Text(1, base.MaxName),
		func(o *commerce.CreateExternalPricingRow) *string { return &o.Label }).
		Says("What people call the price."),
	wire.Required("url", wire.Link, func(o *commerce.CreateExternalPricingRow) *string { return &o.URL }).
		Says("Absolute, http or https."))

var patchExternalRowShape = wire.ShapeOf("PatchExternalPricingRow",
	wire.Merged("label", wire.Text(1, base.MaxName), false,
		func(o *commerce.PatchExternalPricingRow) *base.Opt[string] {
			return &o.Label
		}).Says("What people call the price."),
	wire.Merged("translatedLabel", wire.Text(1, base.MaxName), true,
		func(o *commerce.PatchExternalPricingRow) *base.Opt[string] { return &o.TranslatedLabel }).
		Says("The label in the customer's language. Null clears it."),
	wire.Merged("url", wire.Link, false, func(o *commerce.PatchExternalPricingRow) *base.Opt[string] { return &o.URL }).
		Says("Where it can be found: absolute, http or https."))

var externalRowSchema = describe("ExternalPricingRow", (*scribe).writeExternalRow)

func (w *scribe) writeExternalRow(r *commerce.ExternalPricingRow) {
	w.ID("id", r.ID, "The record's id.")
	w.ID("pricingTableId", r.Table, "The table that the row is of.")
	w.Text("label", r.Label, "What people call the price.")
	if w.May(r.TranslatedLabel != nil) {
		w.Text("translatedLabel", given(r.TranslatedLabel), "The label in the customer's language.")
	}
	w.As(wire.URISchema, "url", r.URL, "Where it can be found: absolute, http or https.")
}

func answerExternalRow(q *request, r *commerce.ExternalPricingRow) error {
	q.tag = r.Revision
	appendRecord(&q.scribe, r, (*scribe).writeExternalRow)
	return nil
}

const externalRowPath = pricingTablePath + "/external-pricing-row"

var externalPricingOperations = []operation{
	write(operation{
		id: "admin.pricingTables.createExternalPricingRow", method: "POST", path: externalRowPath,
		scopes: externalWrite,
		summary: "Adds an external row to a pricing table; while external pricing is off there, the row is kept " +
			"and not shown.", answer: externalRowSchema,
	}, input[commerce.CreateExternalPricingRow]{
		path: byTable(func(o *commerce.CreateExternalPricingRow) *base.ID { return &o.Table }),
		body: createExternalRowShape,
	}, asIs, answerExternalRow),
	write(operation{
		id: "admin.pricingTables.updateExternalPricingRow", method: "PATCH", path: externalRowPath + "/{rowId}",
		scopes: externalWrite, guarded: true,
		summary: "Changes an external row.", answer: externalRowSchema,
	}, input[commerce.PatchExternalPricingRow]{
		path: byTableRow(func(o *commerce.PatchExternalPricingRow) *base.ID {
			return &o.Table
		}, func(o *commerce.PatchExternalPricingRow) *base.ID { return &o.ID }),
		body: patchExternalRowShape,
	}, guarded(func(o *commerce.PatchExternalPricingRow) *[]uint64 { return &o.IfMatch }), answerExternalRow),
	write(operation{
		id: "admin.pricingTables.deleteExternalPricingRow", method: "DELETE", path: externalRowPath + "/{rowId}",
		scopes: externalWrite, guarded: true,
		summary: "Takes an external row out of a pricing table.", answer: wire.NullSchema,
	}, input[commerce.DeleteExternalPricingRow]{
		path: byTableRow(func(o *commerce.DeleteExternalPricingRow) *base.ID {
			return &o.Table
		}, func(o *commerce.DeleteExternalPricingRow) *base.ID { return &o.ID }),
	}, guarded(func(o *commerce.DeleteExternalPricingRow) *[]uint64 { return &o.IfMatch }), answerNull),
}
