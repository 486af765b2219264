package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns the steps of an order on the wire: confirmed, handed over, returned, over and put away; and which
// article a unit is.

// step declares an operation that takes an order on its way.
func step[In any](name, summary string, id func(*In) *base.ID, body *wire.Shape[In],
	command func(q *request, in *In) base.OpOf[*order.OrderRecord]) operation {
	return write(operation{
		id: "admin.orders." + name, method: "POST", path: orderPath + "/" + name, scopes: ordersWrite, summary: summary,
		answer: orderSchema,
	}, input[In]{path: byUUID(id), body: body}, command, answerOrder)
}

// previewed is a command that may be planned only.
type previewed[O base.Op] struct {
	op     O
	dryRun bool
}

// previewable is the shape of a command with the member that has it planned only.
func previewable[O base.Op](s *wire.Shape[O]) *wire.Shape[previewed[O]] {
	return wire.ShapeOf(s.Name, append(wire.Within(wire.FieldsOf(s), func(o *previewed[O]) *O { return &o.op }),
		wire.Flag("dryRun", func(o *previewed[O]) *bool { return &o.dryRun }).Says(aboutDryRun))...)
}

// orPreview is the command of an input that may be planned only.
func orPreview[O base.OpOf[R], R any](q *request, o *previewed[O]) base.OpOf[R] {
	q.preview = o.dryRun
	return o.op
}

var stockItemIDs = wire.ListOf(wire.UUID, 1, base.MaxUnits)

const (
	aboutStockItems = "The units of the order. Default: all for which the step is possible."
	aboutAt         = "When it was done. Default: now."
)

// byStockItem is the path of one unit of an order.
func byStockItem[In any](at func(*In) (order, item *base.ID)) *wire.Shape[In] {
	return byTwo("StockItemPath", pathID{"id", wire.UUID, "The order's id."},
		pathID{"stockItemId", wire.UUID, "The unit's id in the order."}, at)
}

const stockItemPath = orderPath + "/stock-items/{stockItemId}"

var orderStepOperations = []operation{
	step("confirm", "Makes a draft an open order: it takes stock for all lines or not at all.",
		func(o *previewed[order.ConfirmOrder]) *base.ID { return &o.op.ID },
		previewable(wire.ShapeOf("ConfirmOrder",
			wire.Flag("allowOverbooking", func(o *order.ConfirmOrder) *bool { return &o.AllowOverbooked }).
				Says("What is short becomes a conflict."))),
		orPreview),
	step("cancel", "Closes a draft or an open order: its stock is free again.",
		func(o *order.CancelOrder) *base.ID { return &o.ID }, nil, asIs),
	step("prepare", "Marks units as prepared.", func(o *order.PrepareOrder) *base.ID { return &o.ID },
		wire.ShapeOf("PrepareOrder", wire.Defaulted("stockItemIds", stockItemIDs, nil,
			func(o *order.PrepareOrder) *[]base.ID { return &o.Units }).Says(aboutStockItems)),
		asIs),
	step("fulfill", "Hands units over: a sold unit for good, any other until it is returned.",
		func(o *previewed[order.FulfillOrder]) *base.ID { return &o.op.ID },
		previewable(wire.ShapeOf("HandOver",
			wire.Defaulted("stockItemIds", stockItemIDs, nil,
				func(o *order.FulfillOrder) *[]base.ID { return &o.Units }).Says(aboutStockItems),
			wire.Optional("at", wire.Instant, func(o *order.FulfillOrder) **int64 { return &o.At }).Says(aboutAt).
				Shows("null"),
			wire.Flag("ready", func(o *order.FulfillOrder) *bool { return &o.Ready }).
				Says("Ends the buffer of the previous booking of the same unit now, if the unit came back from it."))),
		orPreview),
	step("return", "Takes units back: after the buffer, the rest of their time is free again.",
		func(o *order.ReturnOrder) *base.ID { return &o.ID },
		wire.ShapeOf("TakeBack",
			wire.Defaulted("stockItemIds", stockItemIDs, nil,
				func(o *order.ReturnOrder) *[]base.ID { return &o.Units }).Says(aboutStockItems),
			wire.Optional("at", wire.Instant, func(o *order.ReturnOrder) **int64 { return &o.At }).Says(aboutAt).
				Shows("null")),
		asIs),
	step("undo", "Undoes the last step of units: prepared, handed over, sold or returned. Payments stay, and planned "+
		"dates count again.",
		func(o *previewed[order.UndoOrder]) *base.ID { return &o.op.ID },
		previewable(wire.ShapeOf("Undo",
			wire.Required("stockItemIds", stockItemIDs, func(o *order.UndoOrder) *[]base.ID { return &o.Units }).
				Says("The units of the order."))),
		orPreview),
	step("archive", "Archives a closed order.", func(o *order.ArchiveOrder) *base.ID { return &o.ID }, nil,
		func(_ *request, o *order.ArchiveOrder) base.OpOf[*order.OrderRecord] {
			return order.ArchiveOrder{ID: o.ID, Archive: true}
		}),
	step("unarchive", "Unarchives an order.", func(o *order.ArchiveOrder) *base.ID { return &o.ID }, nil,
		asIs),
	write(operation{
		id: "admin.orders.assignStockItem", method: "POST", path: stockItemPath + "/assign", scopes: ordersWrite,
		answer: movedOrderSchema,
		summary: "Assigns an article to a unit of an order: one that its line may have, or a substitute. The unit is " +
			"pinned there, and what may move makes room.",
	}, input[previewed[order.AssignUnit]]{
		path: byStockItem(func(o *previewed[order.AssignUnit]) (order, item *base.ID) {
			return &o.op.Order, &o.op.Unit
		}),
		body: previewable(wire.ShapeOf("AssignStockItem",
			wire.Required("articleId", wire.UUID, func(o *order.AssignUnit) *base.ID { return &o.Article }).
				Says("The article for the unit."),
			wire.Flag("substitute", func(o *order.AssignUnit) *bool { return &o.Substitute }).
				Says("Takes an article that is not what was ordered, or lacks what the line requires. What was "+
					"ordered is kept; unassign undoes it."))),
	}, orPreview, answerMovedOrder),
	write(operation{
		id: "admin.orders.cancelStockItem", method: "POST", path: stockItemPath + "/cancel", scopes: ordersWrite,
		answer: orderSchema,
		summary: "Cancels a unit that nobody fetched, also of an active order: its stock is free again, and its " +
			"line costs that much less.",
	}, input[previewed[order.CancelUnit]]{
		path: byStockItem(func(o *previewed[order.CancelUnit]) (order, item *base.ID) {
			return &o.op.Order, &o.op.Unit
		}),
		body: previewable(wire.ShapeOf[order.CancelUnit]("CancelStockItem")),
	}, orPreview, answerOrder),
	write(operation{
		id: "admin.orders.readyStockItem", method: "POST", path: stockItemPath + "/ready", scopes: ordersWrite,
		answer:  orderSchema,
		summary: "Marks a returned unit as ready: its buffer ends now, and the rest of the buffer is free at once.",
	}, input[order.ReadyUnit]{
		path: byStockItem(func(o *order.ReadyUnit) (order, item *base.ID) { return &o.Order, &o.Unit }),
	}, asIs, answerOrder),
	write(operation{
		id: "admin.orders.unassignStockItem", method: "POST", path: stockItemPath + "/unassign", scopes: ordersWrite,
		answer: orderSchema,
		summary: "Removes the assignment of a unit: it may move from then on, and an article that was ordered " +
			"takes the place of a substitute.",
	}, input[order.UnassignUnit]{
		path: byStockItem(func(o *order.UnassignUnit) (order, item *base.ID) { return &o.Order, &o.Unit }),
	}, asIs, answerOrder),
}
