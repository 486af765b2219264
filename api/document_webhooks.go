package api

import (
	"bytes"
	"encoding/json"
	"fmt"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns what the document says to the author of a receiver: every event that is sent to a webhook, with its
// headers, its body and what to answer.

// eventsAbout is how each of the events comes about.
var eventsAbout = map[base.HookEvent]string{
	base.OrderCreated: "An order was made, as a draft or open, by itself or of a hold.",
	base.OrderUpdated: "Something that an order shows has changed: its state, its lines, its units and where " +
		"they are, its payments, comments or tags.",
	base.OrderDeleted: "An order was deleted; its data is gone.",
	base.ConflictCreated: "A unit that was held has no place any more, or was taken where there was none: stock " +
		"went away or is late, or overbooking was allowed.",
	base.ConflictResolved: "A conflict is over: the unit has a place again, which its slotId names, or the conflict " +
		"was removed, and slotId is null.",
	base.HoldExpired: "A hold was not confirmed in time and gave its stock back.",
	base.UnitOverdue: "A unit that is with a customer is not back at the end of its line: that has come, its line " +
		"got an end that is past, or its return was undone after it. It is told once; it may be late again when " +
		"the line gets another end, or a return is undone.",
	base.WebhookDisabled: "A webhook was disabled because too many events failed. The event is sent to other webhooks.",
}

// eventSchemas are what the data of events are.
var eventSchemas = map[base.HookEvent]*wire.Schema{
	base.OrderCreated: orderSchema, base.OrderUpdated: orderSchema, base.OrderDeleted: orderSchema,
	base.ConflictCreated: conflictSchema, base.ConflictResolved: conflictSchema, base.HoldExpired: holdSchema,
	base.UnitOverdue: unavailabilitySchema, base.WebhookDisabled: webhookSchema,
}

const receiverAbout = "**Answer** with any status from 200 to 299 within 10 seconds, and do what takes longer " +
	"afterwards. Only the status counts; the first 4 KiB of the answer are kept in the log. Redirects are not " +
	"followed.\n\n**Retries**: after any other status, or none, the event is sent again 10, 20 and 40 seconds later, " +
	"each delay up to a tenth longer: four attempts, within ten minutes. Then the delivery is `failed`. After three " +
	"such events in a row the webhook is disabled. Events that happen after that are kept, at most 10,000 or 64 MB, " +
	"until `recover`; events beyond that, and all events while it is disabled by hand, are only counted as " +
	"`missedEvents`. `redeliver` sends one again, `recover` all since an instant. The log is kept for 14 days. A " +
	"`test` comes with `X-Service-Test: true` and the nil id.\n\n**Repeats and order**: an event may come more than " +
	"once, with the same `eventId` and the same bytes, and after an event that happened later. Remember the ids that " +
	"you have taken, and read the record if you need its present state.\n\n**Verify** the exact bytes of the body " +
	"before you parse them. `webhook-signature` is that of Standard Webhooks: signatures with a blank between, each " +
	"`v1,` and the Base64 of an HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. Its key is what follows " +
	"`whsec_` in the webhook's secret, decoded from Base64. One correct signature is enough: while a secret is " +
	"rotated there are two. Compare in constant time, and refuse a timestamp that is more than five minutes off. Or " +
	"use a library of standardwebhooks.com. `X-Service-Signature` is simpler and knows no time: `sha256=` and the " +
	"HMAC-SHA256 of the body alone in hexadecimal, keyed with the whole text of the secret."

// envelopeSchema is the envelope of an event of a type, with the record in it.
// It has no name, as a generator makes no types of components that webhooks alone refer to; nor have its headers.
func envelopeSchema(typ base.HookEvent) *wire.Schema {
	return wire.RecordSchema("",
		wire.Has("eventId", wire.IDSchema.Says("The event's id, the same in each attempt and in webhook-id.")),
		wire.Has("eventType", hookEvent.Schema.Says("What has happened.")),
		wire.Has("eventTime", wire.InstantSchema.Says("When it happened.")),
		wire.Has("resource", eventResource.Says("What kind of record it happened to.")),
		wire.Has("resourceId", wire.IDSchema.Says("The id of the record, of a conflict that of the unit; in a test "+
			"event the nil id.")),
		wire.Has("apiVersion", wire.TextSchema.Says("The version of the interface in which data is written: the one "+
			"that the webhook is pinned to.")),
		wire.Has("data", eventSchemas[typ].OrNull().Says("The record as the event left it, as the interface shows "+
			"it; null where an order was deleted. In a test event it is an example.")))
}

// webhooks describes every event.
func (c *components) webhooks() (o ordered) {
	headers := eventHeaderParameters()
	for _, typ := range base.HookEvents {
		schema := c.schema(envelopeSchema(typ), false)
		o = o.with(string(typ), ordered{{"post", ordered{
			{"operationId", "events." + string(typ)}, {"tags", []string{"webhooks"}}, {"summary", eventsAbout[typ]},
			{"description", eventsAbout[typ] + "\n\n" + receiverAbout}, {"security", []any{}}, {"parameters", headers},
			{"requestBody", ordered{{"required", true},
				{"content", ordered{
					{"application/json", ordered{{"schema", schema}, {"example", eventExample(typ)}}}}}}},
			{"responses", ordered{
				{"2XX", ordered{{"description", "Taken: the event is not sent again."}}},
				{"default", ordered{{"description", "Not taken: the event is sent again, up to four times in all."}}},
			}},
		}}})
	}
	return o
}

func eventExample(typ base.HookEvent) json.RawMessage {
	data := answerExample(eventSchemas[typ])
	if typ == base.OrderDeleted {
		data = json.RawMessage("null")
	}
	return json.RawMessage(
		fmt.Sprintf(`{"eventId":%q,"eventType":%q,"eventTime":"2025-06-01T12:00:00.000Z","resource":%q,"resourceId":%q,"apiVersion":%q,"data":%s}`,
			exampleID("Event"), typ, typ.Resource(), exampleIDOf(typ), Version, data))
}

// exampleOfEvent is the record that a test shows: the example of the document, with the nil id.
func exampleOfEvent(typ base.HookEvent) []byte {
	return bytes.ReplaceAll(answerExample(eventSchemas[typ]), []byte(exampleIDOf(typ)), []byte(base.ID{}.String()))
}

// exampleIDOf is the id in the example of what events of a type are about.
func exampleIDOf(typ base.HookEvent) string {
	if typ.Resource() == "conflict" {
		return exampleID("Unavailability") // that of the unit
	}
	return exampleID(eventSchemas[typ].Name)
}

// eventHeaders are the headers with which an event comes.
var eventHeaders = []struct{ name, about, example string }{
	{"webhook-id", "The event's id, the same in each attempt: what was taken under it once need not be taken again.",
		exampleID("Event")},
	{"webhook-timestamp", "When the attempt was made, in seconds since 1970: refuse one that is more than five " +
		"minutes off.", "1748779200"},
	{"webhook-signature",
		"Signatures of id, timestamp and body by Standard Webhooks, with a blank between; one correct signature is " +
			"enough.",
		"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
	{"X-Service-Event-Id", "The event's id once more.", exampleID("Event")},
	{"X-Service-Signature", "A signature of the body alone with the present secret, or during the overlap of a " +
		"rotation with the one before it: sha256= and 64 hexadecimal digits.",
		"sha256=2b9a64a21b2a4a2aa3a0f5a1d9f8e2fb7a2ad3a1fbd4c9d6d3b2c4c5e6f70819"},
}

func eventHeaderParameters() (all []any) {
	for _, h := range eventHeaders {
		all = append(all, ordered{
			{"name", h.name}, {"in", "header"}, {"required", true}, {"description", h.about},
			{"schema", ordered{{"type", "string"}}}, {"example", h.example},
		})
	}
	return all
}
