package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns orders as a whole on the wire: made, read, changed as given, deleted. order_steps.go has the way of their
// units, order_lines.go their lines, order_record.go how they are written.

var (
	ordersRead    = []string{"orders.details.read"}
	ordersWrite   = []string{"orders.details.write"}
	paymentsRead  = []string{"orders.payments.read"}
	paymentsWrite = []string{"orders.payments.write"}

	orderStatus = enum("draft", "open")
)

const (
	ordersPath = "/v1/admin/orders"
	orderPath  = ordersPath + "/{id}"
)

// orderFields are what an order is made of, but for where its stock is taken.
func orderFields[In any](at func(*In) *engine.OrderInput) []field[In] {
	return append(externalFields(func(in *In) *engine.ExternalPatch { return &at(in).External }), []field[In]{
		optional("customerId", uuid, func(in *In) **engine.ID { return &at(in).Customer }).says("The customer, in place of a mainContact. Default: nobody."),
		optional("mainContact", contactInput, func(in *In) **engine.ContactPatch { return &at(in).Contact }).
			says("A new customer, who is made with the order.").needs("customers.write").shows("null"),
		optional("returnLocationId", uuid, func(in *In) **engine.ID { return &at(in).Return }).
			says("Where its units come back to. Default: the pickup location."),
		optional("reference", text(0, 255), func(in *In) **string { return &at(in).Reference }).says("The merchant's or the shop's own name for the order."),
		optional("note", longText, func(in *In) **string { return &at(in).Note }).says("A text for those who read it."),
		defaulted("channel", enum(engine.Channels...), "api", func(in *In) *string { return &at(in).Channel }).
			says("Where the order came from. Default: api."),
		defaulted("customers", orderCustomers, nil, func(in *In) *[]engine.OrderCustomerInput { return &at(in).Customers }).
			says("The people whom the order is for. Default: the main contact."),
		defaulted("checkoutFields", customerFormFields, nil, func(in *In) *[]engine.CheckoutField { return &at(in).Fields }).
			says("What the main contact was asked."),
		defaulted("consentAcceptances", consents, nil, func(in *In) *[]engine.Consent { return &at(in).Consents }).
			says("What the customers have agreed to. Default: nothing."),
		defaulted("documents", orderDocuments, nil, func(in *In) *[]engine.OrderDocument { return &at(in).Documents }).
			says("The documents of the order. Default: none."),
		optional("assignedTo", object(userShape), func(in *In) **engine.UserRef { return &at(in).Assigned }).says("The user who looks after it."),
		defaulted("tags", list(looseID, 0, 100), nil, func(in *In) *[]engine.ID { return &at(in).Tags }).says("Ids of tags of scope orders."),
	}...)
}

type createOrder struct {
	engine.CreateOrder
	status string
	lines  []orderLine
}

var createOrderShape = shapeOf("CreateOrder", slices.Concat([]field[createOrder]{
	defaulted("status", orderStatus, "draft", func(o *createOrder) *string { return &o.status }).
		says("An open order takes its stock, for all lines or not at all."),
	required("pickupLocationId", uuid, func(o *createOrder) *engine.ID { return &o.Pickup }).says("Where its units are handed over; stock is taken there."),
	defaulted("allowOverbooking", boolean, false, func(o *createOrder) *bool { return &o.AllowOverbooked }).says("What is short becomes a conflict."),
	defaulted("lineItems", orderLines(0), nil, func(o *createOrder) *[]orderLine { return &o.lines }).says("What is ordered. Default: nothing, in a draft."),
}, orderFields(func(o *createOrder) *engine.OrderInput { return &o.OrderInput }))...)

// orderHold is an order of a hold as it comes in.
type orderHold struct {
	engine.OrderHold
	pickup       *engine.ID
	status       *string
	subscription *lineSubscription
}

var orderHoldShape = shapeOf("OrderHold", slices.Concat([]field[orderHold]{
	optional("status", orderStatus, func(o *orderHold) **string { return &o.status }).says("An order of a hold is open.").shows(`"open"`),
	optional("pickupLocationId", uuid, func(o *orderHold) **engine.ID { return &o.pickup }).says("Where the hold has its stock."),
	optional("subscription", object(lineSubscriptionShape), func(o *orderHold) **lineSubscription { return &o.subscription }).
		says("The terms of the lines that are held as subscriptions.").shows("null"),
}, orderFields(func(o *orderHold) *engine.OrderInput { return &o.OrderInput }))...)

var patchOrderShape = shapeOf("PatchOrder", slices.Concat([]field[engine.PatchOrder]{
	merged("customerId", uuid, true, func(o *engine.PatchOrder) *engine.Opt[engine.ID] { return &o.Customer }).
		says("The customer, who becomes the main contact. Null clears it."),
	optional("mainContact", contactInput, func(o *engine.PatchOrder) **engine.ContactPatch { return &o.Contact }).
		says("A new customer, who is made with the order.").needs("customers.write").shows("null"),
	merged("pickupLocationId", uuid, false, func(o *engine.PatchOrder) *engine.Opt[engine.ID] { return &o.Pickup }).says("Changes only in a draft."),
	merged("returnLocationId", uuid, true, func(o *engine.PatchOrder) *engine.Opt[engine.ID] { return &o.Return }).
		says("Where its units come back to; null: the pickup location."),
	merged("reference", text(0, 255), true, func(o *engine.PatchOrder) *engine.Opt[string] { return &o.Reference }).
		says("The merchant's or the shop's own name for the order. Null clears it."),
	merged("note", longText, true, func(o *engine.PatchOrder) *engine.Opt[string] { return &o.Note }).says("A text for those who read it. Null clears it."),
	merged("assignedTo", object(userShape), true, func(o *engine.PatchOrder) *engine.Opt[engine.UserRef] { return &o.Assigned }).
		says("The user who looks after it. Null clears it."),
	merged("customers", orderCustomers, true, func(o *engine.PatchOrder) *engine.Opt[[]engine.OrderCustomerInput] { return &o.Customers }).
		says("The people whom the order is for, replaced as a whole."),
	merged("checkoutFields", customerFormFields, true, func(o *engine.PatchOrder) *engine.Opt[[]engine.CheckoutField] { return &o.Fields }).
		says("What the main contact was asked, replaced as a whole."),
	merged("consentAcceptances", consents, true, func(o *engine.PatchOrder) *engine.Opt[[]engine.Consent] { return &o.Consents }).
		says("What the customers have agreed to, replaced as a whole."),
	merged("documents", orderDocuments, true, func(o *engine.PatchOrder) *engine.Opt[[]engine.OrderDocument] { return &o.Documents }).
		says("The documents of the order, replaced as a whole."),
	merged("paymentMethodKey", text(1, 255), true, func(o *engine.PatchOrder) *engine.Opt[string] { return &o.Key }).
		says("How the customer pays, as it was given. Null clears it.").shows(`"CARD_ONLINE_PROVIDER"`).needs("orders.payments.write"),
	merged("hasSavedPaymentMethod", boolean, true, func(o *engine.PatchOrder) *engine.Opt[bool] { return &o.HasSaved }).
		says("Whether the customer's means of payment is kept by who charges it. Null clears it.").needs("orders.payments.write"),
	merged("savedCard", object(shapeOf("SavedCardInput",
		required("brand", text(0, 255), func(c *engine.SavedCard) *string { return &c.Brand }).says("Who issued the card.").shows(`"visa"`),
		required("last4", text(0, 4), func(c *engine.SavedCard) *string { return &c.Last4 }).says("The last four digits of its number.").shows(`"4242"`),
	)), true, func(o *engine.PatchOrder) *engine.Opt[engine.SavedCard] { return &o.Card }).
		says("The card that is kept; null: none.").needs("orders.payments.write"),
	merged("customPaymentMethod", object(shapeOf("CustomPaymentMethodInput",
		required("id", uuid, func(m *engine.CustomMethod) *engine.ID { return &m.ID }).
			says("The method's id where methods are kept.").shows(`"`+exampleID("CustomPaymentMethod")+`"`),
		required("label", text(1, 255), func(m *engine.CustomMethod) *string { return &m.Label }).says("What people call the method."),
		optional("key", text(1, 255), func(m *engine.CustomMethod) **string { return &m.Key }).says("The key under which programs find the method."),
		optional("description", longText, func(m *engine.CustomMethod) **string { return &m.Description }).says("What is told of the method."),
	)), true, func(o *engine.PatchOrder) *engine.Opt[engine.CustomMethod] { return &o.Custom }).
		says("The merchant's own way of payment. Null clears it.").needs("orders.payments.write"),
}, externalFields(func(o *engine.PatchOrder) *engine.ExternalPatch { return &o.External }))...)

var orderOperations = append([]operation{
	readChecked(operation{
		id: "admin.orders.list", method: "GET", path: ordersPath, scopes: ordersRead,
		summary: "Lists orders in order of creation: those that pass all filters.", answer: pagedSchema(orderSchema),
	}, input[listOrders]{query: listOrdersQuery}, (*request).checkListOrders, (*request).listOrders),
	write(operation{
		id: "admin.orders.create", method: "POST", path: ordersPath, scopes: ordersWrite, answer: orderSchema,
		summary: "Creates an order: a draft, which takes no stock, or an open one, which takes it for all lines or not at all.",
	}, input[createOrder]{body: createOrderShape}, func(q *request, o *createOrder) engine.Op {
		if o.status == "open" {
			o.Status = engine.OrderOpen
		}
		o.Lines = q.lines(o.lines)
		return o.CreateOrder
	}, answerOrder),
	write(operation{
		id: "admin.holds.order", method: "POST", path: "/v1/admin/holds/{id}/order", scopes: ordersWrite, answer: orderSchema,
		summary: "Makes an order of a hold: it takes the hold's lines and units over as they are, without a moment between.",
	}, input[orderHold]{path: byUUID(func(o *orderHold) *engine.ID { return &o.Hold }), body: orderHoldShape}, func(q *request, o *orderHold) engine.Op {
		if o.status != nil {
			status := engine.OrderDraft
			if *o.status == "open" {
				status = engine.OrderOpen
			}
			o.Status = &status
		}
		if o.pickup != nil {
			o.Pickup = *o.pickup
		}
		if s := o.subscription; s != nil {
			o.Subscription, o.Collection = q.terms("/subscription", s.subscriptionInput), s.collection
		}
		return o.OrderHold
	}, answerOrder),
	read(operation{
		id: "admin.orders.get", method: "GET", path: orderPath, scopes: ordersRead,
		summary: "Returns an order.", answer: orderSchema,
	}, input[engine.ID]{path: byUUID(func(id *engine.ID) *engine.ID { return id })}, func(q *request, id *engine.ID) error {
		r := q.view.Order(*id)
		if r == nil {
			return notFound("order")
		}
		return answerOrder(q, r)
	}),
	read(operation{
		id: "admin.orders.listStockItems", method: "GET", path: orderPath + "/stock-items", scopes: ordersRead,
		summary: "Lists all stock items of an order, in the order of its lines.", answer: pagedSchema(stockItemSchema),
	}, input[listUnits]{
		path:  byUUID(func(l *listUnits) *engine.ID { return &l.of }),
		query: shapeOf("ListStockItems", pageFields(func(l *listUnits) *page { return &l.page })...),
	}, func(q *request, l *listUnits) error {
		r, items, total := q.view.OrderStockItems(l.of, l.page.part())
		if r == nil {
			return notFound("order")
		}
		appendRows(q, l.page, items, total, func(w *scribe, x engine.OrderStockItem) { w.stockItem(r, x.Line, x.Unit, &x.At) })
		return nil
	}),
	write(operation{
		id: "admin.orders.update", method: "PATCH", path: orderPath, scopes: ordersWrite, guarded: true,
		summary: "Changes what an order has as given; its lines have operations of their own.", answer: orderSchema,
	}, input[engine.PatchOrder]{path: byUUID(func(o *engine.PatchOrder) *engine.ID { return &o.ID }), body: patchOrderShape},
		func(q *request, o *engine.PatchOrder) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, answerOrder),
	write(operation{
		id: "admin.orders.delete", method: "DELETE", path: orderPath, scopes: ordersWrite, guarded: true,
		answer: nullSchema,
		summary: "Deletes an order that has nothing out, a closed one, too: its stock is free again, but what was sold for good stays gone; " +
			"its codes get their uses back.",
	}, input[engine.DeleteOrder]{path: byUUID(func(o *engine.DeleteOrder) *engine.ID { return &o.ID })},
		func(q *request, o *engine.DeleteOrder) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, answerNull),
}, tagged[*engine.OrderRecord]{
	of: engine.OrderLabels, about: "an order", area: "orders", path: ordersPath, id: uuid, scopes: ordersWrite,
	answer: orderSchema, render: answerOrder,
}.linkOperations()...)
