package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/label"
	"holdfast/engine/order"
)

// This file owns orders as a whole on the wire: made, read, changed as given, deleted. order_steps.go has the way of
// their units, order_lines.go their lines, order_record.go how they are written.

var (
	ordersRead    = []string{"orders.details.read"}
	ordersWrite   = []string{"orders.details.write"}
	paymentsRead  = []string{"orders.payments.read"}
	paymentsWrite = []string{"orders.payments.write"}

	orderStatus = wire.Enum("draft", "open")
)

const (
	ordersPath = "/v1/admin/orders"
	orderPath  = ordersPath + "/{id}"
)

// mainContact makes an order be for the customer that a contact is of.
func mainContact[In any](at func(*In) **order.MainContact) wire.Field[In] {
	return wire.Optional("mainContact", contactInput, at).
		Says("Whom the order is with: the customer that crmCustomerId names, or the oldest with this email, whose " +
			"record stays as it is, else a new one. What is given stays on the order.").
		Needs("customers.write").Shows("null")
}

// clearedContact has a mainContact of null say what a customerId of null says, where none is given.
func clearedContact(f wire.Field[patchOrder]) wire.Field[patchOrder] {
	return wire.Then(f, func(o *patchOrder) {
		if o.Contact == nil && !o.Fields.Has("customerId") {
			o.Fields.Given = append(o.Fields.Given, "customerId")
		}
	})
}

// orderKinds are how the fields of an order are read that their declaration does not say that of.
var orderKinds = []wire.Own{wire.Reads("assignedTo", userInput), wire.Reads("customers", orderCustomers),
	wire.Reads("checkoutFields", customerFormFields)}

// orderFields are the fields that an order is made of, except those that say where its stock is taken.
func orderFields[In any](at func(*In) *order.OrderInput) []wire.Field[In] {
	return slices.Concat(externalFields(func(in *In) *label.ExternalPatch { return &at(in).External }),
		[]wire.Field[In]{mainContact(func(in *In) **order.MainContact { return &at(in).Contact })},
		wire.MadeOf(at, orderKinds...),
		[]wire.Field[In]{
			wire.Defaulted("tags", wire.ListOf(wire.LooseID, 0, 100), nil,
				func(in *In) *[]base.ID { return &at(in).Tags }).
				Says("Ids of tags of scope orders."),
		})
}

// createOrder is an order as it comes in: of lines, or of holds.
type createOrder struct {
	orderHold
	lines []orderLine
}

var createOrderShape = wire.ShapeOf("CreateOrder", slices.Concat([]wire.Field[createOrder]{
	wire.Optional("status", orderStatus, func(o *createOrder) **string { return &o.status }).Shows(`"draft"`).
		Says("An open order takes its stock, for all lines or not at all. Default: draft; an order of holds is open."),
	wire.Optional("pickupLocationId", wire.UUID, func(o *createOrder) **base.ID { return &o.pickup }).
		Says("Where its units are handed over; stock is taken there. Required unless holdIds is given: then the " +
			"default is where the holds have their stock."),
	wire.Defaulted("lineItems", orderLines(0), nil, func(o *createOrder) *[]orderLine { return &o.lines }).
		Says("What is ordered. Default: nothing, in a draft. An order of holds has their lines."),
	wire.Defaulted("holdIds", wire.ListOf(wire.UUID, 1, 100), nil, func(o *createOrder) *[]base.ID { return &o.Holds }).
		Shows("null").
		Says("Holds that become this order, in place of lineItems: it takes all their lines and units over as they " +
			"are, or none. An expired one refuses it."),
}, heldFields(func(o *createOrder) *orderHold { return &o.orderHold }))...)

// orderHold is an order of holds as it comes in.
type orderHold struct {
	order.OrderHold
	pickup       *base.ID
	status       *string
	subscription *lineSubscription
	dryRun       bool
}

var orderHoldShape = wire.ShapeOf("OrderHold", slices.Concat([]wire.Field[orderHold]{
	wire.Optional("status", orderStatus, func(o *orderHold) **string { return &o.status }).
		Says("An order of a hold is open.").Shows(`"open"`),
	wire.Optional("pickupLocationId", wire.UUID, func(o *orderHold) **base.ID { return &o.pickup }).
		Says("Where the hold has its stock."),
}, heldFields(func(o *orderHold) *orderHold { return o }))...)

// heldFields are the fields that an order of holds is made of, except the holds, and where they have their stock.
func heldFields[In any](at func(*In) *orderHold) []wire.Field[In] {
	return append([]wire.Field[In]{
		wire.Defaulted("heldLines", heldLines, nil, func(in *In) *[]order.HeldLineInput { return &at(in).Held }).
			Shows("null").
			Says("How lines of the holds are sold. Lines without an entry are sold as if no row and no price " +
				"were given."),
		wire.Optional("subscription", wire.Object(lineSubscriptionShape),
			func(in *In) **lineSubscription { return &at(in).subscription }).
			Says("The terms of the lines that are held as subscriptions.").Shows("null"),
		wire.Flag("allowOverbooking", func(in *In) *bool { return &at(in).AllowOverbooked }).
			Says("What is short, or counts on units that come back elsewhere, becomes a conflict."),
		wire.Flag("dryRun", func(in *In) *bool { return &at(in).dryRun }).Says(aboutDryRun),
	}, orderFields(func(in *In) *order.OrderInput { return &at(in).OrderInput })...)
}

var heldLines = wire.ListOf(wire.Object(wire.ShapeOf("HeldLineInput", wire.Needing("orders.payments.write",
	wire.MadeOf(func(l *order.HeldLineInput) *order.HeldLineInput { return l }), "unitPrice")...)), 0, 1000)

// take makes the operation take what comes in with words of the wire.
func (o *orderHold) take(q *request) {
	if o.status != nil {
		status := order.OrderDraft
		if *o.status == "open" {
			status = order.OrderOpen
		}
		o.Status = &status
	}
	if o.pickup != nil {
		o.Pickup = *o.pickup
	}
	if s := o.subscription; s != nil {
		o.Subscription, o.Collection = q.terms("/subscription", s.subscriptionInput), s.collection
	}
	q.preview = o.dryRun
	q.claimHeldRows(o)
}

// claimHeldRows is claimRow for the rows of held lines.
func (q *request) claimHeldRows(o *orderHold) {
	lines := map[base.ID][]hold.HoldLine{}
	for _, x := range o.Held {
		of := x.Hold
		if of == nil && len(o.Holds) == 1 {
			of = &o.Holds[0]
		}
		if x.PricingRow == nil || of == nil {
			continue
		}
		list, known := lines[*of]
		if !known {
			if h, ok := hold.HoldWith(q.view, *of, 0); ok {
				list = h.Lines
			}
			lines[*of] = list
		}
		if x.Line >= 0 && x.Line < len(list) {
			q.claimRow(list[x.Line].Item, "heldLines.pricingRowId")
		}
	}
}

// op is the order of lines or the one of holds.
func (o *createOrder) op(q *request) base.OpOf[*order.OrderRecord] {
	o.take(q)
	if o.Holds != nil || q.unread("/holdIds") {
		if o.lines != nil {
			q.fault("body", "/lineItems", wire.FaultExclusive, "an order is of lineItems or of holdIds, not of both")
		}
		return o.OrderHold
	}
	if o.pickup == nil {
		q.fault("body", "/pickupLocationId", wire.FaultRequired, "is missing")
	}
	if o.Held != nil {
		q.fault("body", "/heldLines", wire.FaultExclusive, "is of an order of holds, which names them in holdIds")
	}
	if o.subscription != nil {
		q.fault("body", "/subscription", wire.FaultExclusive,
			"is of an order of holds; a line of lineItems has its own")
	}
	of := order.CreateOrder{OrderInput: o.OrderInput, Lines: q.lines(o.lines)}
	if o.OrderHold.Status != nil {
		of.Status = *o.OrderHold.Status
	}
	return of
}

// patchOrder is a change of an order, or only what would come of it.
type patchOrder struct {
	order.PatchOrder
	dryRun bool
}

var patchOrderShape = wire.ShapeOf("PatchOrder", slices.Concat(
	[]wire.Field[patchOrder]{
		clearedContact(mainContact(
			func(o *patchOrder) **order.MainContact { return &o.Contact })),
		wire.Merged("pickupLocationId", wire.UUID, false,
			func(o *patchOrder) *base.Opt[base.ID] { return &o.Pickup }).Says("Changes only in a draft."),
		wire.Flag("allowOverbooking", func(o *patchOrder) *bool { return &o.AllowOverbooked }).
			Says("What counts on units that come back elsewhere becomes a conflict."),
	},
	wire.ChangedBy(func(o *patchOrder) *base.Changes[order.OrderInput] { return &o.Fields }, orderKinds...),
	wire.Needing("orders.payments.write", wire.ChangedBy(
		func(o *patchOrder) *base.Changes[order.PaymentMethod] { return &o.Method },
		wire.Reads("savedCard", wire.ObjectOf[order.SavedCard]("SavedCardInput")),
		wire.Reads("customPaymentMethod", wire.ObjectOf[order.CustomMethod]("CustomPaymentMethodInput")))),
	externalFields(func(o *patchOrder) *label.ExternalPatch { return &o.External }),
	[]wire.Field[patchOrder]{
		wire.Flag("dryRun", func(o *patchOrder) *bool { return &o.dryRun }).Says(aboutDryRun),
	})...)

var orderOperations = append([]operation{
	readChecked(operation{
		id: "admin.orders.list", method: "GET", path: ordersPath, scopes: ordersRead,
		summary: "Lists orders: those that pass all filters, in the order that is asked for.",
		answer:  pagedSchema(orderSchema),
	}, input[listOrders]{query: listOrdersQuery}, (*request).checkListOrders, (*request).listOrders),
	write(operation{
		id: "admin.orders.create", method: "POST", path: ordersPath, scopes: ordersWrite, answer: orderSchema,
		summary: "Creates an order: a draft, which takes no stock; an open one, which takes stock for all lines or " +
			"not at all; or one of holds, which takes over their stock.",
	}, input[createOrder]{body: createOrderShape}, func(q *request, o *createOrder) base.OpOf[*order.OrderRecord] {
		return o.op(q)
	}, answerOrder),
	write(operation{
		id: "admin.holds.order", method: "POST", path: "/v1/admin/holds/{id}/order", scopes: ordersWrite,
		answer: orderSchema,
		summary: "Makes an order of a hold. It takes over the hold's lines and units as they are; the units are at " +
			"no moment free.",
	}, input[orderHold]{path: byUUID(func(o *orderHold) *base.ID { o.Holds = make([]base.ID, 1); return &o.Holds[0] }),
		body: orderHoldShape},
		func(q *request, o *orderHold) base.OpOf[*order.OrderRecord] {
			o.take(q)
			return o.OrderHold
		}, answerOrder),
	readOne(operation{
		id: "admin.orders.get", method: "GET", path: orderPath, scopes: ordersRead,
		summary: "Returns an order.", answer: orderSchema,
	}, byUUID(itself), "order", order.OrderByID, answerOrder),
	partsOf(operation{
		id: "admin.orders.listStockItems", method: "GET", path: orderPath + "/stock-items", scopes: ordersRead,
		summary: "Lists all stock items of an order, in the order of its lines.", answer: pagedSchema(stockItemSchema),
	}, byUUID, func(q *request, l *listParts) error {
		r, items, total := order.OrderStockItems(q.view, l.of, l.page.part())
		if r == nil {
			return notFound("order")
		}
		appendRows(q, l.page, items, total,
			func(w *scribe, x order.OrderStockItem) { w.stockItem(r, x.Line, x.Unit, &x.At) })
		return nil
	}),
	write(operation{
		id: "admin.orders.update", method: "PATCH", path: orderPath, scopes: ordersWrite,
		summary: "Changes what was given for an order; its lines have operations of their own.", answer: orderSchema,
	}, input[patchOrder]{path: byUUID(func(o *patchOrder) *base.ID { return &o.ID }), body: patchOrderShape},
		func(q *request, o *patchOrder) base.OpOf[*order.OrderRecord] {
			q.preview = o.dryRun
			return &o.PatchOrder
		}, answerOrder),
	removal(operation{
		id: "admin.orders.delete", path: orderPath, scopes: ordersWrite,
		summary: "Deletes an order that has no unit out, also a closed one. Its stock is free again, except for what " +
			"was sold for good. The uses of its discount codes are given back.",
	}, input[order.DeleteOrder]{path: byUUID(func(o *order.DeleteOrder) *base.ID { return &o.ID })}),
}, tagged[*order.OrderRecord]{
	of: order.OrderLabels, about: "an order", area: "orders", path: ordersPath, id: wire.UUID, scopes: ordersWrite,
	answer: orderSchema, render: answerOrder,
}.linkOperations()...)
