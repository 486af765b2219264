package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns the lines of an order on the wire: added, changed, taken off.

// addLines is line items for an order as they come in.
type addLines struct {
	order.AddOrderLines
	lines []orderLine
}

var addLinesShape = wire.ShapeOf("AddLineItems",
	wire.Required("lineItems", orderLines(1), func(o *addLines) *[]orderLine { return &o.lines }).
		Says("The new lines: all are added or none."),
	wire.Defaulted("allowOverbooking", wire.Boolean, false, func(o *addLines) *bool { return &o.AllowOverbooked }).
		Says("What is short becomes a conflict."))

// patchLine is a change of a line, or only what would come of it.
type patchLine struct {
	order.PatchOrderLine
	dryRun bool
}

var patchLineShape = wire.ShapeOf("PatchLineItem",
	wire.Merged("quantity", count, false, func(o *patchLine) *base.Opt[int] { return &o.Quantity }).
		Says("How many units."),
	wire.Merged("startDate", wire.Instant, false, func(o *patchLine) *base.Opt[int64] { return &o.From }).
		Says("While nothing is handed over."),
	wire.Merged("endDate", wire.Instant, true, func(o *patchLine) *base.Opt[int64] { return &o.To }).
		Says("Also while units are out: an extension. Null: without end."),
	wire.Merged("pricingRowId", wire.UUID, true, func(o *patchLine) *base.Opt[base.ID] { return &o.PricingRow }).
		Says("The pricing row that the price is of. Null clears it.").Shows("null"),
	wire.Merged("unitPrice", price, true, func(o *patchLine) *base.Opt[int64] { return &o.UnitPrice }).
		Says(aboutUnitPrice+" Null: what the pricing row says.").Needs("orders.payments.write"),
	wire.Merged("taxRate", taxRate, true, func(o *patchLine) *base.Opt[int] { return &o.TaxRate }).
		Says("Tax in hundredths of a percent: 2300 is 23 %."),
	wire.Merged("name", lineName, false, func(o *patchLine) *base.Opt[string] { return &o.Name }).
		Says("What the line is called"+asRead),
	wire.Merged("note", longText, true, func(o *patchLine) *base.Opt[string] { return &o.Note }).
		Says("A text for those who read it. Null clears it."),
	wire.Merged("imageUrl", wire.Text(1, 2048), true, func(o *patchLine) *base.Opt[string] { return &o.ImageURL }).
		Says("A picture of it. Null clears it."),
	wire.Merged("variants", variantsChosen, true,
		func(o *patchLine) *base.Opt[[]order.LineVariant] { return &o.Variants }).
		Says("What the customer chose, replaced as a whole."),
	wire.Merged("checkoutFields", lineFormFields, true,
		func(o *patchLine) *base.Opt[[]order.CheckoutField] { return &o.Fields }).
		Says("What the customer was asked for this line, replaced as a whole."),
	wire.Merged("expectsInventoryLink", wire.Boolean, true,
		func(o *patchLine) *base.Opt[bool] { return &o.ExpectsLink }).
		Says("Whether an article is expected to be named, which is kept as it is; nothing is checked here. "+
			"Null clears it."),
	wire.Merged("revenueSplitRate", splitRate, true, func(o *patchLine) *base.Opt[int64] { return &o.RevenueSplit }).
		Says("Which part of the line's total counts as the article's income, from 0 to 1; null: 1."),
	wire.Defaulted("allowOverbooking", wire.Boolean, false, func(o *patchLine) *bool { return &o.AllowOverbooked }).
		Says("What is short becomes a conflict."),
	wire.Defaulted("dryRun", wire.Boolean, false, func(o *patchLine) *bool { return &o.dryRun }).Says(aboutDryRun),
)

const (
	linesPath = orderPath + "/line-items"
	linePath  = linesPath + "/{lineItemId}"
)

// byLine is the path of one line of an order.
func byLine[In any](order, line func(*In) *base.ID) *wire.Shape[In] {
	return wire.ShapeOf("LineItemPath", wire.Required("id", wire.UUID, order).Says("The order's id."),
		wire.Required("lineItemId", wire.UUID, line).Says("The line's id."))
}

var orderLineOperations = []operation{
	write(operation{
		id: "admin.orders.addLineItems", method: "POST", path: linesPath, scopes: ordersWrite, answer: orderSchema,
		summary: "Adds line items to a draft or an open order; an open one takes their stock, for all of them or " +
			"not at all.",
	}, input[addLines]{path: byUUID(func(o *addLines) *base.ID {
		return &o.Order
	}), body: addLinesShape}, func(q *request, o *addLines) base.OpOf[*order.OrderRecord] {
		o.Lines = q.lines(o.lines)
		return o.AddOrderLines
	}, answerOrder),
	write(operation{
		id: "admin.orders.updateLineItem", method: "PATCH", path: linePath, scopes: ordersWrite, guarded: true,
		answer: movedOrderSchema,
		summary: "Changes a line item: while it is pending all of it, while units are out its end; what that needs " +
			"is checked and taken in the same command.",
	}, input[patchLine]{
		path: byLine(func(o *patchLine) *base.ID { return &o.Order }, func(o *patchLine) *base.ID { return &o.ID }),
		body: patchLineShape,
	}, func(q *request, o *patchLine) base.OpOf[*order.OrderRecord] {
		o.IfMatch, q.preview = q.ifMatch, o.dryRun
		if r := order.OrderByID(q.view, o.Order); r != nil && o.PricingRow.Set && !o.PricingRow.Null {
			if l := r.LineOf(o.ID); l != nil {
				q.claimRow(l.Item(), "pricingRowId")
			}
		}
		return &o.PatchOrderLine
	}, answerMovedOrder),
	write(operation{
		id: "admin.orders.deleteLineItem", method: "DELETE", path: linePath, scopes: ordersWrite, guarded: true,
		answer:  wire.NullSchema,
		summary: "Takes a line item and its add-ons off a draft or an open order.",
	}, input[order.DeleteOrderLine]{
		path: byLine(func(o *order.DeleteOrderLine) *base.ID {
			return &o.Order
		}, func(o *order.DeleteOrderLine) *base.ID { return &o.ID }),
	}, guarded(func(o *order.DeleteOrderLine) *[]uint64 { return &o.IfMatch }), answerNull),
}
