package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns deliveries on the wire: a webhook's log, and what can be sent once more.

var deliveryStates = []engine.DeliveryState{engine.DeliveryPending, engine.DeliveryDone, engine.DeliveryFailed}

// deliveryState is a state by its name.
var deliveryState = func() kind[engine.DeliveryState] {
	names := make([]string, len(deliveryStates))
	for i, s := range deliveryStates {
		names[i] = s.String()
	}
	name := enum(names...)
	return scalar(jsonString, name.schema, func(raw []byte, dst *engine.DeliveryState) wrong {
		var text string
		w := name.text(raw, &text)
		if w.code == "" {
			*dst = deliveryStates[slices.Index(names, text)]
		}
		return w
	})
}()

type listDeliveries struct {
	page
	webhook engine.ID
	state   engine.DeliveryState
}

// oneDelivery is a delivery of a webhook.
type oneDelivery struct{ webhook, id engine.ID }

func byDelivery[In any](webhook, id func(*In) *engine.ID) *shape[In] {
	return shapeOf("Delivery", required("id", uuid, webhook).says("The webhook's id."), required("deliveryId", uuid, id).says("The delivery's id."))
}

var listDeliveriesQuery = shapeOf("ListDeliveries", append(pageFields(func(o *listDeliveries) *page { return &o.page }),
	defaulted("state", deliveryState, 0, func(o *listDeliveries) *engine.DeliveryState { return &o.state }).
		says("Only deliveries in this state. Default: 0."))...)

var recoverShape = shapeOf("RecoverDeliveries",
	required("since", instant, func(o *engine.RecoverDeliveries) *int64 { return &o.Since }).says("Sends what was given up at this instant or later."))

var (
	deliveryMembers = []Member{
		has("id", idSchema.says("The delivery's id.")),
		has("webhookId", idSchema.says("The webhook that is told.")),
		has("eventId", idSchema.says("The event's id, the same for each webhook that is told of it.")),
		has("eventType", orderEvent.schema.says("What has happened.")),
		has("resource", enumSchema("order").says("What kind of record it happened to.")),
		has("resourceId", idSchema.says("The record's id.")),
		has("test", booleanSchema.says("Whether it is a test, of an event that did not happen.")),
		has("state", deliveryState.schema.says("Whether it waits, was taken, or was given up.")),
		has("attemptCount", integerSchema.says("How many attempts were made.")),
		has("lastStatus", integerSchema.orNull().says("The status that was answered last; null: there was no answer.")),
		has("size", integerSchema.says("How many bytes the body and of the answers kept; about, until the body was sent once.")),
		has("createdAt", createdSchema),
		has("nextAttemptAt", instantSchema.orNull().says("When the next attempt is due; null: none is.")),
		has("endedAt", instantSchema.orNull().says("When it was taken or given up; null: neither yet.")),
	}
	deliverySchema = recordSchema("WebhookDelivery", deliveryMembers...)
	attemptSchema  = recordSchema("WebhookDeliveryAttempt",
		has("number", integerSchema.says("Which attempt it was, from 1.")),
		has("at", instantSchema.says("When it was made.")),
		has("durationMs", integerSchema.says("How long it took, in milliseconds.")),
		has("status", integerSchema.orNull().says("The status that was answered; null: there was no answer.")),
		has("error", textSchema.orNull().says("Why there was no answer that counts; null: there was one.")),
		has("answer", textSchema.says("The first 4 KiB of its body.")))
	deliveryDetailsSchema = recordSchema("WebhookDeliveryDetails", append(deliveryMembers[:len(deliveryMembers):len(deliveryMembers)],
		has("body", textSchema.says("The exact bytes that are sent.")),
		has("attempts", listSchema(attemptSchema).says("The attempts, the first first.")))...)
	recoveredSchema = recordSchema("RecoveredDeliveries",
		has("queued", integerSchema.says("How many deliveries are sent again.")),
		has("left", integerSchema.says("How many are left for another call.")))
)

func appendDelivery(_ *request, b []byte, d *engine.Delivery) []byte {
	b = appendID(append(b, `{"id":`...), d.ID)
	b = appendID(append(b, `,"webhookId":`...), d.Webhook)
	b = appendID(append(b, `,"eventId":`...), d.Event)
	b = appendText(append(b, `,"eventType":`...), string(d.Type))
	b = appendID(append(b, `,"resource":"order","resourceId":`...), d.Resource)
	b = appendBool(append(b, `,"test":`...), d.Test)
	b = appendText(append(b, `,"state":`...), d.State.String())
	b = appendInt(append(b, `,"attemptCount":`...), d.Attempts)
	b = appendGivenInt(append(b, `,"lastStatus":`...), d.Status)
	b = appendInt(append(b, `,"size":`...), d.Size)
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(d.ID))
	b = appendInstantOrNull(append(b, `,"nextAttemptAt":`...), unlessZero(d.Next))
	b = appendInstantOrNull(append(b, `,"endedAt":`...), unlessZero(d.Ended))
	return append(b, '}')
}

// appendGivenInt appends a number that is unset where it is 0.
func appendGivenInt(b []byte, n int) []byte {
	if n == 0 {
		return append(b, "null"...)
	}
	return appendInt(b, n)
}

func unlessZero(t int64) *int64 {
	if t == 0 {
		return nil
	}
	return &t
}

func appendAttempt(b []byte, a engine.Attempt) []byte {
	b = appendInt(append(b, `{"number":`...), a.Number)
	b = appendInstant(append(b, `,"at":`...), a.At)
	b = appendInt(append(b, `,"durationMs":`...), a.Took)
	b = appendGivenInt(append(b, `,"status":`...), a.Status)
	b = appendGiven(append(b, `,"error":`...), a.Error)
	return append(appendText(append(b, `,"answer":`...), string(a.Answer)), '}')
}

func answerDelivery(q *request, d *engine.Delivery) error {
	q.out = appendDelivery(q, q.out, d)
	return nil
}

const (
	deliveriesPath = webhookPath + "/deliveries"
	deliveryPath   = deliveriesPath + "/{deliveryId}"

	eventScopeAbout = "Besides its own scope it takes the one to read what the event tells of: orders.details.read for those of orders."
)

var webhookDeliveryOperations = []operation{
	read(operation{
		id: "admin.webhooks.listDeliveries", method: "GET", path: deliveriesPath, scopes: webhooksRead, answer: pagedSchema(deliverySchema),
		summary: "Lists the deliveries of a webhook, the newest first; they are kept for 14 days, of an account at most 1 GiB.",
	}, input[listDeliveries]{path: byUUID(func(o *listDeliveries) *engine.ID { return &o.webhook }), query: listDeliveriesQuery}, func(q *request, o *listDeliveries) error {
		if q.view.Webhook(o.webhook) == nil {
			return notFound("webhook")
		}
		list, total := q.view.Deliveries(o.webhook, o.state, o.offset(), o.size)
		appendRows(q, o.page, list, total, appendDelivery)
		return nil
	}),
	read(operation{
		id: "admin.webhooks.getDelivery", method: "GET", path: deliveryPath, scopes: webhooksRead, live: true, cached: true,
		summary: "Returns a delivery with the bytes that are sent and what came of each attempt. " + eventScopeAbout, answer: deliveryDetailsSchema,
	}, input[oneDelivery]{path: byDelivery(func(o *oneDelivery) *engine.ID { return &o.webhook }, func(o *oneDelivery) *engine.ID { return &o.id })},
		func(q *request, o *oneDelivery) error {
			d := q.view.Delivery(o.id)
			if d == nil || d.Webhook != o.webhook || q.view.Webhook(o.webhook) == nil {
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
			b := appendDelivery(q, q.out, d)
			b = appendText(append(b[:len(b)-1], `,"body":`...), string(body))
			b = appendList(append(b, `,"attempts":`...), attempts, appendAttempt)
			q.out = append(b, '}')
			return nil
		}),
	write(operation{
		id: "admin.webhooks.redeliver", method: "POST", path: deliveryPath + "/redeliver", scopes: webhooksWrite, answer: deliverySchema,
		summary: "Sends an event once more, with the same bytes. How that goes does not count for the webhook. " + eventScopeAbout,
	}, input[engine.RedeliverDelivery]{path: byDelivery(func(o *engine.RedeliverDelivery) *engine.ID { return &o.Webhook }, func(o *engine.RedeliverDelivery) *engine.ID { return &o.ID })},
		func(q *request, o *engine.RedeliverDelivery) engine.Op {
			q.needHook(o.Webhook)
			if d := q.view.Delivery(o.ID); d != nil && d.Webhook == o.Webhook {
				q.needEvent(d.Type)
			}
			return o
		}, answerDelivery),
	write(operation{
		id: "admin.webhooks.recover", method: "POST", path: webhookPath + "/recover", scopes: webhooksWrite, answer: recoveredSchema,
		summary: "Sends again what has failed since an instant, in the order of the events; at most 10,000 at once. " + eventScopeAbout,
	}, input[engine.RecoverDeliveries]{path: byUUID(func(o *engine.RecoverDeliveries) *engine.ID { return &o.Webhook }), body: recoverShape},
		func(q *request, o *engine.RecoverDeliveries) engine.Op {
			q.needHook(o.Webhook)
			return o
		}, func(q *request, r *engine.Recovered) error {
			q.out = appendInt(append(q.out, `{"queued":`...), r.Queued)
			q.out = append(appendInt(append(q.out, `,"left":`...), r.Left), '}')
			return nil
		}),
	write(operation{
		id: "admin.webhooks.test", method: "POST", path: webhookPath + "/test", scopes: webhooksWrite, answer: deliverySchema,
		summary: "Sends an event that did not happen: of the webhook's type, of the order with the nil id, with null as its data. How that goes does not count. " + eventScopeAbout,
	}, input[engine.TestWebhook]{path: byUUID(func(o *engine.TestWebhook) *engine.ID { return &o.ID })},
		func(q *request, o *engine.TestWebhook) engine.Op {
			q.needHook(o.ID)
			return o
		}, answerDelivery),
}
