package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns subscriptions on the wire: each is a line of an order.

var subscriptionRecordSchema = recordSchema("Subscription", slices.Concat(lineSubscriptionMembers, []Member{
	has("orderId", idSchema.says("The order's id.")),
	has("orderNumber", integerSchema.says("The order's number.")),
	has("customerId", idSchema.orNull().says("The customer; null: there is none.")),
	has("productName", textSchema.says("What its line is called.")),
	has("quantity", integerSchema.says("How many units.")),
	has("startDate", instantSchema.says("When it began.")),
	has("endDate", instantSchema.orNull().says("When it ends; null: it goes on.")),
	has("createdAt", createdSchema),
})...)

func appendSubscription(_ *request, b []byte, s engine.SubscriptionRecord) []byte {
	b = appendLineSubscription(append(b, '{'), s.Line)
	b = appendID(append(b, `,"orderId":`...), s.Order.ID)
	b = appendInt(append(b, `,"orderNumber":`...), s.Order.Number)
	b = appendGivenID(append(b, `,"customerId":`...), s.Order.Customer)
	b = appendText(append(b, `,"productName":`...), s.Line.Name.String())
	b = appendInt(append(b, `,"quantity":`...), int(s.Line.Quantity))
	b = appendInstant(append(b, `,"startDate":`...), s.Line.From)
	b = appendInstant(append(b, `,"endDate":`...), s.Line.To)
	return append(appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(s.ID)), '}')
}

func answerSubscription(q *request, s engine.SubscriptionRecord) error {
	if !q.sameRevision(s.Order.Revision) {
		q.out = appendSubscription(q, q.out, s)
	}
	return nil
}

type listSubscriptions struct {
	status []engine.SubscriptionStatus
	page   page
}

var subscriptionStatus = enum(engine.SubscriptionActive, engine.SubscriptionCancelling, engine.SubscriptionCancelled)

var listSubscriptionsQuery = shapeOf("ListSubscriptions", slices.Concat([]field[listSubscriptions]{
	defaulted("status", list(subscriptionStatus, 0, 3), nil, func(l *listSubscriptions) *[]engine.SubscriptionStatus { return &l.status }).
		says("Only subscriptions in one of these states. Default: all."),
}, pageFields(func(l *listSubscriptions) *page { return &l.page }))...)

const subscriptionPath = "/v1/admin/subscriptions/{id}"

var subscriptionOperations = []operation{
	read(operation{
		id: "admin.subscriptions.list", method: "GET", path: "/v1/admin/subscriptions", scopes: ordersRead,
		summary: "Lists subscriptions in the order in which their orders were made.", answer: pagedSchema(subscriptionRecordSchema),
	}, input[listSubscriptions]{query: listSubscriptionsQuery}, func(q *request, l *listSubscriptions) error {
		all := q.view.Subscriptions()
		if l.status != nil {
			all = slices.DeleteFunc(all, func(s engine.SubscriptionRecord) bool { return !slices.Contains(l.status, s.Status()) })
		}
		appendPage(q, l.page, len(all), func(i int) engine.SubscriptionRecord { return all[i] }, appendSubscription)
		return nil
	}),
	read(operation{
		id: "admin.subscriptions.get", method: "GET", path: subscriptionPath, scopes: ordersRead, cached: true,
		summary: "Returns a subscription; its tag is that of its order.", answer: subscriptionRecordSchema,
	}, input[engine.ID]{path: byUUID(func(id *engine.ID) *engine.ID { return id })}, func(q *request, id *engine.ID) error {
		s, ok := q.view.Subscription(*id)
		if !ok {
			return notFound("subscription")
		}
		return answerSubscription(q, s)
	}),
	write(operation{
		id: "admin.subscriptions.cancel", method: "POST", path: subscriptionPath + "/cancel", scopes: ordersWrite, answer: orderSchema,
		summary: "Ends a subscription: now, or at the end of the first payment cycle that its commitment and its notice allow; answers with its order.",
	}, input[engine.CancelSubscription]{
		path: byUUID(func(o *engine.CancelSubscription) *engine.ID { return &o.ID }),
		body: shapeOf("CancelSubscription", defaulted("atEnd", boolean, false, func(o *engine.CancelSubscription) *bool { return &o.AtEnd }).
			says("At the end of the first payment cycle that commitment and notice allow. Default: now.")),
	}, asIs, answerOrder),
}
