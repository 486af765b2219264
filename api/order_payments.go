package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns payments of orders and comments on them, on the wire. Nothing is charged: payments are what others say.

var paymentKind = enum(engine.PaymentKinds...)

var addPaymentShape = shapeOf("RecordPayment",
	required("kind", paymentKind, func(o *engine.AddPayment) *engine.PaymentKind { return &o.Kind }).says("What kind of payment it is."),
	required("amount", atLeastOne, func(o *engine.AddPayment) *int64 { return &o.Amount }).shows("9000").
		says("How much, in minor units of the account's currency."),
	optional("lineItemId", uuid, func(o *engine.AddPayment) **engine.ID { return &o.Line }).
		says("The line that it is for. Default: the order as a whole.").shows("null"),
	optional("at", instant, func(o *engine.AddPayment) **int64 { return &o.At }).says(aboutAt),
	optional("reference", text(1, 255), func(o *engine.AddPayment) **string { return &o.Reference }).
		says("What whoever moved the money calls the payment.").shows(`"pi_3PqL8c2eZvKYlo2C"`),
	optional("method", text(1, 255), func(o *engine.AddPayment) **string { return &o.Method }).
		says("How it was paid, in a word of the merchant's.").shows(`"card"`))

var (
	paymentReferenceSchema = textOrNull.shows(`"pi_3PqL8c2eZvKYlo2C"`)
	paymentMethodSchema    = textOrNull.shows(`"card"`)
	paymentSchema          = describe("OrderPayment", (*scribe).writePayment)
)

func (w *scribe) writePayment(p *engine.OrderPayment) {
	w.ID("id", p.ID, "The payment's id.")
	w.As(paymentKind.schema, "kind", string(p.Kind), "What kind of payment it is.")
	w.Int("amount", p.Amount, "How much, in minor units.")
	w.GivenID("lineItemId", p.Line, "The line that it is for; null: the whole order.")
	w.Instant("at", p.At, "When it was made.")
	w.Instant("createdAt", engine.CreatedAt(p.ID), "When it was recorded.")
	w.Key("reference", paymentReferenceSchema, "What whoever moved the money calls the payment; null: nothing.")
	w.Out = appendGiven(w.Out, p.Reference)
	w.Key("method", paymentMethodSchema, "How it was paid; null: nobody said.")
	w.Out = appendGiven(w.Out, p.Method)
}

type listPayments struct {
	order engine.ID
	page  page
}

var addCommentShape = shapeOf("AddComment",
	required("content", text(1, 10_000), func(o *engine.AddComment) *string { return &o.Content }).
		says("The comment's text.").shows(`"Brings the bikes back in the evening"`),
	optional("author", object(userShape), func(o *engine.AddComment) **engine.UserRef { return &o.Author }).says("Without one it is the system's."),
	optional("parentCommentId", uuid, func(o *engine.AddComment) **engine.ID { return &o.Parent }).says("The comment that this one answers.").shows("null"))

var orderPaymentOperations = []operation{
	read(operation{
		id: "admin.orders.listPayments", method: "GET", path: orderPath + "/payments", scopes: paymentsRead,
		summary: "Lists the payments recorded of an order, in the order in which they were.", answer: pagedSchema(paymentSchema),
	}, input[listPayments]{
		path:  byUUID(func(l *listPayments) *engine.ID { return &l.order }),
		query: shapeOf("ListPayments", slices.Concat(pageFields(func(l *listPayments) *page { return &l.page }))...),
	}, func(q *request, l *listPayments) error {
		r := q.view.Order(l.order)
		if r == nil {
			return notFound("order")
		}
		appendPage(q, l.page, len(r.Payments), func(i int) *engine.OrderPayment { return &r.Payments[i] }, (*scribe).writePayment)
		return nil
	}),
	write(operation{
		id: "admin.orders.recordPayment", method: "POST", path: orderPath + "/payments", scopes: paymentsWrite, answer: orderSchema,
		summary: "Records a payment that was made elsewhere: the totals of the order and of the line count it.",
	}, input[engine.AddPayment]{path: byUUID(func(o *engine.AddPayment) *engine.ID { return &o.Order }), body: addPaymentShape}, asIs, answerOrder),
	write(operation{
		id: "admin.orders.addComment", method: "POST", path: orderPath + "/comments", scopes: ordersWrite, answer: orderSchema,
		summary: "Adds a comment to an order.",
	}, input[engine.AddComment]{path: byUUID(func(o *engine.AddComment) *engine.ID { return &o.Order }), body: addCommentShape}, asIs, answerOrder),
}
