package api

import (
	"holdfast/api/wire"
	"holdfast/engine"
)

// This file owns external pricing rows on the wire: buttons that send the customer elsewhere.

// externalWrite suffices one by one: who may write listings may set their buttons.
var externalWrite = []string{"catalog.listings.write", "catalog.price_tables.write"}

var link = func() wire.Kind[string] {
	k, s := wire.Text(1, 2048), *wire.TextSchema
	s.Format, s.Min, s.Max = "uri", k.Schema.Min, k.Schema.Max
	k.Schema = &s
	return k
}()

var createExternalRowShape = wire.ShapeOf("CreateExternalPricingRow",
	wire.Required("label", wire.Text(1, 255), func(o *engine.CreateExternalPricingRow) *string { return &o.Label }).Says("What people call the price."),
	wire.Required("url", link, func(o *engine.CreateExternalPricingRow) *string { return &o.URL }).Says("Absolute, http or https."))

var patchExternalRowShape = wire.ShapeOf("PatchExternalPricingRow",
	wire.Merged("label", wire.Text(1, 255), false, func(o *engine.PatchExternalPricingRow) *engine.Opt[string] { return &o.Label }).Says("What people call the price."),
	wire.Merged("translatedLabel", wire.Text(1, 255), true, func(o *engine.PatchExternalPricingRow) *engine.Opt[string] { return &o.TranslatedLabel }).
		Says("The label in the customer's language. Null clears it."),
	wire.Merged("url", link, false, func(o *engine.PatchExternalPricingRow) *engine.Opt[string] { return &o.URL }).
		Says("Where it can be found: absolute, http or https."))

var (
	uriSchema         = &wire.Schema{Type: "string", Format: "uri"}
	externalRowSchema = describe("ExternalPricingRow", (*scribe).writeExternalRow)
)

func (w *scribe) writeExternalRow(r *engine.ExternalPricingRow) {
	w.ID("id", r.ID, "The record's id.")
	w.ID("pricingTableId", r.Table, "The table that the row is of.")
	w.Text("label", r.Label, "What people call the price.")
	if w.May(r.TranslatedLabel != nil) {
		w.Text("translatedLabel", given(r.TranslatedLabel), "The label in the customer's language.")
	}
	w.As(uriSchema, "url", r.URL, "Where it can be found: absolute, http or https.")
}

func answerExternalRow(q *request, r *engine.ExternalPricingRow) error {
	q.tag = r.Revision
	appendRecord(&q.scribe, r, (*scribe).writeExternalRow)
	return nil
}

const externalRowPath = pricingTablePath + "/external-pricing-row"

var externalPricingOperations = []operation{
	write(operation{
		id: "admin.pricingTables.createExternalPricingRow", method: "POST", path: externalRowPath, scopes: externalWrite,
		summary: "Adds an external row to a pricing table; while external pricing is off there, the row is kept and not shown.", answer: externalRowSchema,
	}, input[engine.CreateExternalPricingRow]{
		path: byTable(func(o *engine.CreateExternalPricingRow) *engine.ID { return &o.Table }), body: createExternalRowShape,
	}, func(_ *request, o *engine.CreateExternalPricingRow) engine.Op { return o }, answerExternalRow),
	write(operation{
		id: "admin.pricingTables.updateExternalPricingRow", method: "PATCH", path: externalRowPath + "/{rowId}", scopes: externalWrite, guarded: true,
		summary: "Changes an external row.", answer: externalRowSchema,
	}, input[engine.PatchExternalPricingRow]{
		path: byTableRow(func(o *engine.PatchExternalPricingRow) *engine.ID { return &o.Table }, func(o *engine.PatchExternalPricingRow) *engine.ID { return &o.ID }),
		body: patchExternalRowShape,
	}, func(q *request, o *engine.PatchExternalPricingRow) engine.Op {
		o.IfMatch = q.ifMatch
		return o
	}, answerExternalRow),
	write(operation{
		id: "admin.pricingTables.deleteExternalPricingRow", method: "DELETE", path: externalRowPath + "/{rowId}", scopes: externalWrite, guarded: true,
		summary: "Takes an external row out of a pricing table.", answer: wire.NullSchema,
	}, input[engine.DeleteExternalPricingRow]{
		path: byTableRow(func(o *engine.DeleteExternalPricingRow) *engine.ID { return &o.Table }, func(o *engine.DeleteExternalPricingRow) *engine.ID { return &o.ID }),
	}, func(q *request, o *engine.DeleteExternalPricingRow) engine.Op {
		o.IfMatch = q.ifMatch
		return o
	}, answerNull),
}
