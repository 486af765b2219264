package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns payments of orders and comments on them, on the wire. Nothing is charged: payments are what others
// say.

var paymentKind = wire.Words[order.PaymentKind]()

var addPaymentShape = wire.ShapeOf("RecordPayment",
	wire.MadeOf(func(o *order.AddPayment) *order.AddPayment { return o })...)

var (
	paymentReferenceSchema = wire.TextOrNull.Shows(`"pi_3PqL8c2eZvKYlo2C"`)
	paymentMethodSchema    = wire.TextOrNull.Shows(`"card"`)
	paymentSchema          = describe("OrderPayment", (*scribe).writePayment)
)

func (w *scribe) writePayment(p *order.OrderPayment) {
	w.ID("id", p.ID, "The payment's id.")
	w.As(paymentKind.Schema, "kind", string(p.Kind), "What kind of payment it is.")
	w.Int("amount", p.Amount, "How much, in minor units.")
	w.GivenID("lineItemId", p.Line, "The line that it is for; null: the whole order.")
	w.Instant("at", p.At, "When it was made.")
	w.Instant("createdAt", base.CreatedAt(p.ID), "When it was recorded.")
	w.Key("reference", paymentReferenceSchema, "What whoever moved the money calls the payment; null: nothing.")
	w.Out = wire.AppendGiven(w.Out, p.Reference)
	w.Key("method", paymentMethodSchema, "How it was paid; null: nobody said.")
	w.Out = wire.AppendGiven(w.Out, p.Method)
}

var addCommentShape = wire.ShapeOf("AddComment",
	wire.MadeOf(func(o *order.AddComment) *order.AddComment { return o })...)

var orderPaymentOperations = []operation{
	partsOf(operation{
		id: "admin.orders.listPayments", method: "GET", path: orderPath + "/payments", scopes: paymentsRead,
		summary: "Lists the recorded payments of an order, in the order in which they were recorded.",
		answer:  pagedSchema(paymentSchema),
	}, byUUID, func(q *request, l *listParts) error {
		r := order.OrderByID(q.view, l.of)
		if r == nil {
			return notFound("order")
		}
		appendPage(q, l.page, len(r.Payments), func(i int) *order.OrderPayment { return &r.Payments[i] },
			(*scribe).writePayment)
		return nil
	}),
	write(operation{
		id: "admin.orders.recordPayment", method: "POST", path: orderPath + "/payments", scopes: paymentsWrite,
		answer: orderSchema,
		summary: "Records a payment that was made elsewhere: the totals of the order and of the line count it. To a " +
			"key without orders.details.read the order tells nothing of persons: mainContact, customers, assignedTo, " +
			"checkoutFields, consentAcceptances, documents, comments, note and orderCustomerId are null or empty.",
	}, input[order.AddPayment]{path: byUUID(func(o *order.AddPayment) *base.ID { return &o.Order }),
		body: addPaymentShape}, asIs, answerOrder),
	write(operation{
		id: "admin.orders.addComment", method: "POST", path: orderPath + "/comments", scopes: ordersWrite,
		answer:  orderSchema,
		summary: "Adds a comment to an order.",
	}, input[order.AddComment]{path: byUUID(func(o *order.AddComment) *base.ID { return &o.Order }),
		body: addCommentShape}, asIs, answerOrder),
}
