package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns payments of orders and comments on them, on the wire. Nothing is charged: payments are what others
// say.

var paymentKind = wire.Enum(order.PaymentKinds...)

var addPaymentShape = wire.ShapeOf("RecordPayment",
	wire.Required("kind", paymentKind, func(o *order.AddPayment) *order.PaymentKind { return &o.Kind }).
		Says("What kind of payment it is."),
	wire.Required("amount", wire.Integer[int64](1, wire.MaxSafeInteger),
		func(o *order.AddPayment) *int64 { return &o.Amount }).Shows("9000").
		Says("How much, in minor units of the account's currency. A refund is at most what the captures of the "+
			"order leave to give back, a deposit_refund what its deposit_captures leave."),
	wire.Optional("lineItemId", wire.UUID, func(o *order.AddPayment) **base.ID { return &o.Line }).
		Says("The line that it is for. Default: the order as a whole.").Shows("null"),
	wire.Optional("at", wire.Instant, func(o *order.AddPayment) **int64 { return &o.At }).Says(aboutAt),
	wire.Optional("reference", wire.Text(1, base.MaxName), func(o *order.AddPayment) **string { return &o.Reference }).
		Says("What whoever moved the money calls the payment.").Shows(`"pi_3PqL8c2eZvKYlo2C"`),
	wire.Optional("method", wire.Text(1, base.MaxName), func(o *order.AddPayment) **string { return &o.Method }).
		Says("How it was paid, in a word of the merchant's.").Shows(`"card"`))

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

type listPayments struct {
	order base.ID
	page  page
}

var addCommentShape = wire.ShapeOf("AddComment",
	wire.Required("content", wire.Text(1, base.MaxNote), func(o *order.AddComment) *string { return &o.Content }).
		Says("The comment's text.").Shows(`"Brings the bikes back in the evening"`),
	wire.Optional("author", userInput, func(o *order.AddComment) **order.UserRef { return &o.Author }).
		Says("Without one it is the system's."),
	wire.Optional("parentCommentId", wire.UUID, func(o *order.AddComment) **base.ID {
		return &o.Parent
	}).Says("The comment that this one answers.").Shows("null"))

var orderPaymentOperations = []operation{
	read(operation{
		id: "admin.orders.listPayments", method: "GET", path: orderPath + "/payments", scopes: paymentsRead,
		summary: "Lists the payments recorded of an order, in the order in which they were.",
		answer:  pagedSchema(paymentSchema),
	}, input[listPayments]{
		path: byUUID(func(l *listPayments) *base.ID { return &l.order }),
		query: wire.ShapeOf("ListPayments",
			slices.Concat(pageFields(func(l *listPayments) *page { return &l.page }))...),
	}, func(q *request, l *listPayments) error {
		r := order.OrderByID(q.view, l.order)
		if r == nil {
			return notFound("order")
		}
		appendPage(q, l.page, len(r.Payments), func(i int) *order.OrderPayment { return &r.Payments[i] },
			(*scribe).writePayment)
		return nil
	}),
	write(operation{
		id: "admin.orders.recordPayment", method: "POST", path: orderPath + "/payments", scopes: paymentsWrite,
		answer:  orderSchema,
		summary: "Records a payment that was made elsewhere: the totals of the order and of the line count it.",
	}, input[order.AddPayment]{path: byUUID(func(o *order.AddPayment) *base.ID { return &o.Order }),
		body: addPaymentShape}, asIs, answerOrder),
	write(operation{
		id: "admin.orders.addComment", method: "POST", path: orderPath + "/comments", scopes: ordersWrite,
		answer:  orderSchema,
		summary: "Adds a comment to an order.",
	}, input[order.AddComment]{path: byUUID(func(o *order.AddComment) *base.ID { return &o.Order }),
		body: addCommentShape}, asIs, answerOrder),
}
