package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns external pricing rows on the wire: buttons that send the customer elsewhere.

// externalWrite are scopes of which each one suffices: a key that may write listings may set their buttons.
var externalWrite = []string{"catalog.listings.write", "catalog.price_tables.write"}

var createExternalRowShape = wire.ShapeOf("CreateExternalPricingRow",
	wire.MadeOf(func(o *commerce.CreateExternalPricingRow) *commerce.ExternalPricingFields {
		return &o.ExternalPricingFields
	})...)

var patchExternalRowShape = wire.ShapeOf("PatchExternalPricingRow",
	wire.ChangedBy(func(o *commerce.PatchExternalPricingRow) *base.Changes[commerce.ExternalPricingFields] {
		return &o.Fields
	})...)

var externalRowSchema = describe("ExternalPricingRow", (*scribe).writeExternalRow)

func (w *scribe) writeExternalRow(r *commerce.ExternalPricingRow) {
	w.ID("id", r.ID, "The record's id.")
	w.ID("pricingTableId", r.Table, "The table that the row is of.")
	wire.WriteFields(&w.Writer, &r.ExternalPricingFields)
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
		scopes:  externalWrite,
		summary: "Changes an external row.", answer: externalRowSchema,
	}, input[commerce.PatchExternalPricingRow]{
		path: byTableRow(func(o *commerce.PatchExternalPricingRow) (table, row *base.ID) { return &o.Table, &o.ID }),
		body: patchExternalRowShape,
	}, asIs, answerExternalRow),
	removal(operation{
		id: "admin.pricingTables.deleteExternalPricingRow", path: externalRowPath + "/{rowId}",
		scopes:  externalWrite,
		summary: "Takes an external row out of a pricing table.",
	}, input[commerce.DeleteExternalPricingRow]{
		path: byTableRow(func(o *commerce.DeleteExternalPricingRow) (table, row *base.ID) { return &o.Table, &o.ID }),
	}),
}
