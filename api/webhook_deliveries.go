package api

import (
	"slices"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns deliveries on the wire: a webhook's log, and what can be sent once more.

var deliveryStates = []outbox.DeliveryState{outbox.DeliveryPending, outbox.DeliveryDone, outbox.DeliveryFailed}

// deliveryState is a state by its name.
var deliveryState = func() wire.Kind[outbox.DeliveryState] {
	names := make([]string, len(deliveryStates))
	for i, s := range deliveryStates {
		names[i] = s.String()
	}
	name := wire.Enum(names...)
	return wire.Scalar(wire.JSONString, name.Schema, func(raw []byte, dst *outbox.DeliveryState) wire.Wrong {
		var text string
		w := name.Text(raw, &text)
		if w.Code == "" {
			*dst = deliveryStates[slices.Index(names, text)]
		}
		return w
	})
}()

type listDeliveries struct {
	page
	webhook base.ID
	state   outbox.DeliveryState
}

// oneDelivery is a delivery of a webhook.
type oneDelivery struct{ webhook, id base.ID }

func byDelivery[In any](at func(*In) (webhook, delivery *base.ID)) *wire.Shape[In] {
	return byTwo("Delivery", pathID{"id", wire.UUID, "The webhook's id."},
		pathID{"deliveryId", wire.UUID, "The delivery's id."}, at)
}

var listDeliveriesQuery = wire.ShapeOf("ListDeliveries",
	append(pageFields(func(o *listDeliveries) *page { return &o.page }),
		wire.Defaulted("state", deliveryState, 0, func(o *listDeliveries) *outbox.DeliveryState { return &o.state }).
			Says("Only deliveries in this state. Default: all."))...)

var recoverShape = wire.ShapeOf("RecoverDeliveries",
	wire.Required("since", wire.Instant, func(o *outbox.RecoverDeliveries) *int64 {
		return &o.Since
	}).Says("Sends what was given up at this instant or later."))

var testWebhookQuery = wire.ShapeOf("TestWebhook",
	wire.Defaulted("eventType", hookEvent, "", func(o *outbox.TestWebhook) *base.HookEvent {
		return &o.EventType
	}).Says("Which of its types; default the first."))

var (
	eventResource         = wire.EnumSchema("order", "conflict", "hold", "unavailability", "webhook")
	deliverySchema        = describe("WebhookDelivery", (*scribe).writeDelivery)
	deliveryDetailsSchema = describe("WebhookDeliveryDetails",
		func(w *scribe, d *outbox.Delivery) { w.writeDeliveryDetails(d, nil, nil) })
	recoveredSchema = describe("RecoveredDeliveries", (*scribe).writeRecovered)
)

func (w *scribe) writeDelivery(d *outbox.Delivery) {
	w.ID("id", d.ID, "The delivery's id.")
	w.ID("webhookId", d.Webhook, "The webhook that it is sent to.")
	w.ID("eventId", d.Event, "The event's id, the same for each webhook that receives it.")
	w.As(hookEvent.Schema, "eventType", string(d.Type), "What has happened.")
	w.As(eventResource, "resource", d.Type.Resource(), "What kind of record it happened to.")
	w.ID("resourceId", d.Resource, "The record's id.")
	w.Bool("test", d.Test, "Whether it is a test, of an event that did not happen.")
	w.As(deliveryState.Schema, "state", d.State.String(), "Whether it waits, was taken, or was given up.")
	w.Count("attemptCount", d.Attempts, "How many attempts were made.")
	w.GivenCount("lastStatus", d.Status, "The status that was answered last; null: there was no answer.")
	w.Int("size", int64(d.Size),
		"Size in bytes of the body and the stored answers; approximate until the body was sent once.")
	w.Created(d.ID)
	w.GivenInstant("nextAttemptAt", d.Next, "When the next attempt is due; null: none is.")
	w.GivenInstant("endedAt", d.Ended, "When it was taken or given up; null: neither yet.")
}

func (w *scribe) writeDeliveryDetails(d *outbox.Delivery, body []byte, attempts []outbox.Attempt) {
	w.writeDelivery(d)
	w.Text("body", string(body), "The exact bytes that are sent.")
	wire.List(&w.Writer, "attempts", "WebhookDeliveryAttempt", attempts, "The attempts, the oldest first.",
		func(a *outbox.Attempt) {
			w.Count("number", a.Number, "Which attempt it was, from 1.")
			w.Instant("at", a.At, "When it was made.")
			w.Int("durationMs", int64(a.Took), "How long it took, in milliseconds.")
			w.GivenCount("status", a.Status, "The status that was answered; null: there was no answer.")
			w.GivenText("error", a.Error, "Why there was no answer that counts; null: there was one.")
			w.Text("answer", string(a.Answer),
				"The first 4 KiB of its body; empty where a customer whom the event named was erased.")
		})
}

func (w *scribe) writeRecovered(r *outbox.Recovered) {
	w.Count("queued", r.Queued, "How many deliveries are sent again.")
	w.Count("left", r.Left, "How many are left for another call.")
}

func answerDelivery(q *request, d *outbox.Delivery) error {
	q.tag = uint64(d.Revision)
	appendRecord(&q.scribe, d, (*scribe).writeDelivery)
	return nil
}

const (
	deliveriesPath = webhookPath + "/deliveries"
	deliveryPath   = deliveriesPath + "/{deliveryId}"

	eventScopeAbout = "In addition to its own scope, the key needs the one to read what the event is about, as for " +
		"webhooks."
)

var webhookDeliveryOperations = []operation{
	read(operation{
		id: "admin.webhooks.listDeliveries", method: "GET", path: deliveriesPath, scopes: webhooksRead,
		answer: pagedSchema(deliverySchema),
		summary: "Lists the deliveries of a webhook, the newest first; they are kept for 14 days, of an account at " +
			"most 1 GiB.",
	}, input[listDeliveries]{path: byUUID(func(o *listDeliveries) *base.ID {
		return &o.webhook
	}), query: listDeliveriesQuery}, func(q *request, o *listDeliveries) error {
		if outbox.WebhookByID(q.view, o.webhook) == nil {
			return notFound("webhook")
		}
		list, total := outbox.Deliveries(q.view, o.webhook, o.state, o.offset(), o.size)
		appendRows(q, o.page, list, total, (*scribe).writeDelivery)
		return nil
	}),
	read(operation{
		id: "admin.webhooks.getDelivery", method: "GET", path: deliveryPath, scopes: webhooksRead, live: true,
		cached:  true,
		summary: "Returns a delivery with the bytes that are sent and what came of each attempt. " + eventScopeAbout,
		answer:  deliveryDetailsSchema,
	}, input[oneDelivery]{
		path: byDelivery(func(o *oneDelivery) (webhook, delivery *base.ID) { return &o.webhook, &o.id })},
		func(q *request, o *oneDelivery) error {
			d := outbox.DeliveryByID(q.view, o.id)
			if d == nil || d.Webhook != o.webhook || outbox.WebhookByID(q.view, o.webhook) == nil {
				return notFound("delivery")
			}
			q.needEvent(d.Type)
			if err := q.lacking(nil); err != nil {
				return err
			}
			if q.sameRevision(uint64(d.Revision)) {
				return nil
			}
			body, attempts, err := q.eng.DeliveryDetails(q.view, d)
			if err != nil {
				return err
			}
			appendRecord(&q.scribe, d,
				func(w *scribe, d *outbox.Delivery) { w.writeDeliveryDetails(d, body, attempts) })
			return nil
		}),
	write(operation{
		id: "admin.webhooks.redeliver", method: "POST", path: deliveryPath + "/redeliver", scopes: webhooksWrite,
		answer: deliverySchema,
		summary: "Sends an event once more, with the same bytes, also if the webhook is disabled. The result does " +
			"not count for the webhook. " + eventScopeAbout,
	}, input[outbox.RedeliverDelivery]{path: byDelivery(func(o *outbox.RedeliverDelivery) (webhook, delivery *base.ID) {
		return &o.Webhook, &o.ID
	})},
		func(q *request, o *outbox.RedeliverDelivery) base.OpOf[*outbox.Delivery] {
			q.needHook(o.Webhook)
			if d := outbox.DeliveryByID(q.view, o.ID); d != nil && d.Webhook == o.Webhook {
				q.needEvent(d.Type)
			}
			return o
		}, answerDelivery),
	write(operation{
		id: "admin.webhooks.recover", method: "POST", path: webhookPath + "/recover", scopes: webhooksWrite,
		answer: recoveredSchema,
		summary: "Sends again what has failed since an instant, and what was kept since then while the webhook was " +
			"disabled; at most 1,000 at once. They are taken in the order of the events, and sent several at a " +
			"time. " + eventScopeAbout,
	}, input[outbox.RecoverDeliveries]{path: byUUID(func(o *outbox.RecoverDeliveries) *base.ID { return &o.Webhook }),
		body: recoverShape},
		func(q *request, o *outbox.RecoverDeliveries) base.OpOf[*outbox.Recovered] {
			q.needHook(o.Webhook)
			return o
		}, func(q *request, r *outbox.Recovered) error {
			appendRecord(&q.scribe, r, (*scribe).writeRecovered)
			return nil
		}),
	write(operation{
		id: "admin.webhooks.test", method: "POST", path: webhookPath + "/test", scopes: webhooksWrite,
		answer: deliverySchema,
		summary: "Sends a test event, with X-Service-Test: true. It has one of the webhook's types, the nil id, and " +
			"an example as its data. The result does not count for the webhook, which may " +
			"be disabled. " + eventScopeAbout,
	}, input[outbox.TestWebhook]{path: byUUID(func(o *outbox.TestWebhook) *base.ID { return &o.ID }),
		query: testWebhookQuery},
		func(q *request, o *outbox.TestWebhook) base.OpOf[*outbox.Delivery] {
			q.needHook(o.ID)
			return o
		}, answerDelivery),
}
