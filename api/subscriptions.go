package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/order"
)

// This file owns subscriptions on the wire: each is a line of an order.

var subscriptionSchema = describeAs("Subscription", order.SubscriptionRecord{
	Subscription: new(order.Subscription), Order: new(order.Order),
	Line: &order.OrderLine{Subscription: new(order.Subscription)},
}, (*scribe).writeSubscription)

func (w *scribe) writeSubscription(s order.SubscriptionRecord) {
	w.lineSubscription(s.Order, s.Line)
	w.ID("orderId", s.Order.ID, "The order's id.")
	w.Int("orderNumber", int64(s.Order.Number), "The order's number.")
	w.GivenID("customerId", s.Order.Customer, "The customer; null: there is none.")
	w.Text("productName", s.Line.Name.String(), "What its line is called.")
	w.Count("quantity", int(s.Line.Quantity), "How many units.")
	w.Instant("startDate", s.Line.From, "When it began.")
	w.End("endDate", s.Line.To, "When it ends; null: it goes on.")
	w.Created(s.ID)
}

func answerSubscription(q *request, s order.SubscriptionRecord) error {
	if !q.sameRevision(s.Order.Revision) {
		appendRecord(&q.scribe, s, (*scribe).writeSubscription)
	}
	return nil
}

type listSubscriptions struct {
	status []order.SubscriptionStatus
	page   page
}

var subscriptionStatus = wire.Enum(order.SubscriptionDraft, order.SubscriptionActive, order.SubscriptionCancelling,
	order.SubscriptionCancelled)

var listSubscriptionsQuery = wire.ShapeOf("ListSubscriptions", slices.Concat([]wire.Field[listSubscriptions]{
	wire.Defaulted("status", wire.ListOf(subscriptionStatus, 0, 4), nil,
		func(l *listSubscriptions) *[]order.SubscriptionStatus { return &l.status }).
		Says("Only subscriptions in one of these states. Default: all."),
}, pageFields(func(l *listSubscriptions) *page { return &l.page }))...)

const subscriptionPath = "/v1/admin/subscriptions/{id}"

var subscriptionOperations = []operation{
	read(operation{
		id: "admin.subscriptions.list", method: "GET", path: "/v1/admin/subscriptions", scopes: ordersRead,
		summary: "Lists subscriptions in the order in which their orders were made.",
		answer:  pagedSchema(subscriptionSchema),
	}, input[listSubscriptions]{query: listSubscriptionsQuery}, func(q *request, l *listSubscriptions) error {
		all := order.Subscriptions(q.view)
		if l.status != nil {
			all = slices.DeleteFunc(all,
				func(s order.SubscriptionRecord) bool { return !slices.Contains(l.status, s.Status(s.Order)) })
		}
		appendPage(q, l.page, len(all), func(i int) order.SubscriptionRecord { return all[i] },
			(*scribe).writeSubscription)
		return nil
	}),
	read(operation{
		id: "admin.subscriptions.get", method: "GET", path: subscriptionPath, scopes: ordersRead, cached: true,
		summary: "Returns a subscription; its entity tag is that of its order.", answer: subscriptionSchema,
	}, input[base.ID]{path: byUUID(itself)}, func(q *request, id *base.ID) error {
		s, ok := order.SubscriptionByID(q.view, *id)
		if !ok {
			return notFound("subscription")
		}
		return answerSubscription(q, s)
	}),
	write(operation{
		id: "admin.subscriptions.cancel", method: "POST", path: subscriptionPath + "/cancel", scopes: ordersWrite,
		answer: orderSchema,
		summary: "Ends a subscription: now, or at the end of the first payment cycle that its commitment and its " +
			"notice allow; answers with its order.",
	}, input[order.CancelSubscription]{
		path: byUUID(func(o *order.CancelSubscription) *base.ID { return &o.ID }),
		body: wire.ShapeOf("CancelSubscription",
			wire.Flag("atEnd", func(o *order.CancelSubscription) *bool { return &o.AtEnd }).
				Says("At the end of the first payment cycle that commitment and notice allow. Default: now.")),
	}, asIs, answerOrder),
}
