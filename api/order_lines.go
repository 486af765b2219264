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
	wire.Flag("allowOverbooking", func(o *addLines) *bool { return &o.AllowOverbooked }).
		Says("What is short becomes a conflict."))

// patchLine is a change of a line, or only what would come of it.
type patchLine struct {
	order.PatchOrderLine
	dryRun bool
}

var patchLineShape = wire.ShapeOf("PatchLineItem", append(
	wire.Needing("orders.payments.write", wire.ChangedBy(
		func(o *patchLine) *base.Changes[order.OrderLineInput] { return &o.Fields }, lineKinds...), "unitPrice"),
	wire.Flag("allowOverbooking", func(o *patchLine) *bool { return &o.AllowOverbooked }).
		Says("What is short becomes a conflict."),
	wire.Flag("dryRun", func(o *patchLine) *bool { return &o.dryRun }).Says(aboutDryRun))...)

const (
	linesPath = orderPath + "/line-items"
	linePath  = linesPath + "/{lineItemId}"
)

// byLine is the path of one line of an order.
func byLine[In any](at func(*In) (order, line *base.ID)) *wire.Shape[In] {
	return byTwo("LineItemPath", pathID{"id", wire.UUID, "The order's id."},
		pathID{"lineItemId", wire.UUID, "The line's id."}, at)
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
		id: "admin.orders.updateLineItem", method: "PATCH", path: linePath, scopes: ordersWrite,
		answer: movedOrderSchema,
		summary: "Changes a line item: all of it while it is pending, only its end while units are out. The stock " +
			"for that is checked and taken in the same command.",
	}, input[patchLine]{
		path: byLine(func(o *patchLine) (order, line *base.ID) { return &o.Order, &o.ID }),
		body: patchLineShape,
	}, func(q *request, o *patchLine) base.OpOf[*order.OrderRecord] {
		q.preview = o.dryRun
		if r := order.OrderByID(q.view, o.Order); r != nil && o.Fields.To.PricingRow != nil {
			if l := r.LineOf(o.ID); l != nil {
				q.claimRow(l.Item(), "pricingRowId")
			}
		}
		return &o.PatchOrderLine
	}, answerMovedOrder),
	removal(operation{
		id: "admin.orders.deleteLineItem", path: linePath, scopes: ordersWrite,
		summary: "Takes a line item and its add-ons off a draft or an open order.",
	}, input[order.DeleteOrderLine]{
		path: byLine(func(o *order.DeleteOrderLine) (order, line *base.ID) { return &o.Order, &o.ID }),
	}),
}
