package api

import "holdfast/engine"

// This file owns the lines of an order on the wire: added, changed, taken off.

// addLines is line items for an order as they come in.
type addLines struct {
	engine.AddOrderLines
	lines []orderLine
}

var addLinesShape = shapeOf("AddLineItems",
	required("lineItems", orderLines(1), func(o *addLines) *[]orderLine { return &o.lines }).says("The new lines: all are added or none."),
	defaulted("allowOverbooking", boolean, false, func(o *addLines) *bool { return &o.AllowOverbooked }).says("What is short becomes a conflict."))

var patchLineShape = shapeOf("PatchLineItem",
	merged("quantity", count, false, func(o *engine.PatchOrderLine) *engine.Opt[int] { return &o.Quantity }).says("How many units."),
	merged("startDate", instant, false, func(o *engine.PatchOrderLine) *engine.Opt[int64] { return &o.From }).says("While nothing is handed over."),
	merged("endDate", instant, true, func(o *engine.PatchOrderLine) *engine.Opt[int64] { return &o.To }).
		says("Also while units are out: an extension. Null: without end."),
	merged("pricingRowId", uuid, true, func(o *engine.PatchOrderLine) *engine.Opt[engine.ID] { return &o.PricingRow }).
		says("The pricing row that the price is of. Null clears it.").shows("null"),
	merged("unitPrice", price, true, func(o *engine.PatchOrderLine) *engine.Opt[int64] { return &o.UnitPrice }).
		says(aboutUnitPrice+" Null: what the pricing row says.").needs("orders.payments.write"),
	merged("taxRate", taxRate, true, func(o *engine.PatchOrderLine) *engine.Opt[int] { return &o.TaxRate }).
		says("Tax in hundredths of a percent: 2300 is 23 %."),
	merged("name", text(1, 255), false, func(o *engine.PatchOrderLine) *engine.Opt[string] { return &o.Name }).says("What the line is called."),
	merged("note", longText, true, func(o *engine.PatchOrderLine) *engine.Opt[string] { return &o.Note }).
		says("A text for those who read it. Null clears it."),
	merged("imageUrl", text(1, 2048), true, func(o *engine.PatchOrderLine) *engine.Opt[string] { return &o.ImageURL }).
		says("A picture of it. Null clears it."),
	merged("variants", variantsChosen, true, func(o *engine.PatchOrderLine) *engine.Opt[[]engine.LineVariant] { return &o.Variants }).
		says("What the customer chose, replaced as a whole."),
	merged("checkoutFields", lineFormFields, true, func(o *engine.PatchOrderLine) *engine.Opt[[]engine.CheckoutField] { return &o.Fields }).
		says("What the customer was asked for this line, replaced as a whole."),
	merged("expectsInventoryLink", boolean, true, func(o *engine.PatchOrderLine) *engine.Opt[bool] { return &o.ExpectsLink }).
		says("Whether an article is expected to be named, which is kept as it is; nothing is checked here. Null clears it."),
	merged("revenueSplitRate", splitRate, true, func(o *engine.PatchOrderLine) *engine.Opt[int64] { return &o.RevenueSplit }).
		says("Which part of the line's total counts as the article's income, from 0 to 1; null: 1."),
	defaulted("allowOverbooking", boolean, false, func(o *engine.PatchOrderLine) *bool { return &o.AllowOverbooked }).
		says("What is short becomes a conflict."))

const (
	linesPath = orderPath + "/line-items"
	linePath  = linesPath + "/{lineItemId}"
)

// byLine is the path of one line of an order.
func byLine[In any](order, line func(*In) *engine.ID) *shape[In] {
	return shapeOf("LineItemPath", required("id", uuid, order).says("The order's id."), required("lineItemId", uuid, line).says("The line's id."))
}

var orderLineOperations = []operation{
	write(operation{
		id: "admin.orders.addLineItems", method: "POST", path: linesPath, scopes: ordersWrite, answer: orderSchema,
		summary: "Adds line items to a draft or an open order; an open one takes their stock, for all of them or not at all.",
	}, input[addLines]{path: byUUID(func(o *addLines) *engine.ID { return &o.Order }), body: addLinesShape}, func(q *request, o *addLines) engine.Op {
		o.Lines = q.lines(o.lines)
		return o.AddOrderLines
	}, answerOrder),
	write(operation{
		id: "admin.orders.updateLineItem", method: "PATCH", path: linePath, scopes: ordersWrite, guarded: true, answer: orderSchema,
		summary: "Changes a line item: while it is pending all of it, while units are out its end; what that needs is checked and taken in the same command.",
	}, input[engine.PatchOrderLine]{
		path: byLine(func(o *engine.PatchOrderLine) *engine.ID { return &o.Order }, func(o *engine.PatchOrderLine) *engine.ID { return &o.ID }),
		body: patchLineShape,
	}, func(q *request, o *engine.PatchOrderLine) engine.Op {
		o.IfMatch = q.ifMatch
		return o
	}, answerOrder),
	write(operation{
		id: "admin.orders.deleteLineItem", method: "DELETE", path: linePath, scopes: ordersWrite, guarded: true, answer: nullSchema,
		summary: "Takes a line item and its add-ons off a draft or an open order.",
	}, input[engine.DeleteOrderLine]{
		path: byLine(func(o *engine.DeleteOrderLine) *engine.ID { return &o.Order }, func(o *engine.DeleteOrderLine) *engine.ID { return &o.ID }),
	}, func(q *request, o *engine.DeleteOrderLine) engine.Op {
		o.IfMatch = q.ifMatch
		return o
	}, answerNull),
}
