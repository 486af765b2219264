package api

import (
	"crypto/rand"
	"encoding/base64"
	"slices"

	"holdfast/api/auth"
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns webhooks on the wire. A secret is drawn here, shown in the answer that makes it, and never again.

var hookEvent = wire.Enum(base.HookEvents...)

const (
	eventTypeAbout = "The only type of event that it receives. eventTypes may be given instead; if both are given, " +
		"this is one of them."
	eventTypesAbout = "The types of events that it receives: of orders, conflicts, holds, units that are late, and " +
		"of webhooks that were disabled."

	hookScopeAbout = "In addition to its own scope, the key needs those to read what the events are about: " +
		"orders.details.read for orders, inventory.stock_items.read for conflicts, holds and units, " +
		"settings.webhooks.read for webhooks. What is sent depends on the scopes of the key that made the webhook, " +
		"or that last set its url or its types of events."

	webhookPath = "/v1/admin/webhooks/{id}"
)

var createWebhookShape = wire.ShapeOf("CreateWebhook", append([]wire.Field[outbox.CreateWebhook]{
	wire.Defaulted("eventType", hookEvent, "", func(o *outbox.CreateWebhook) *base.HookEvent { return &o.EventType }).
		Says(eventTypeAbout),
	wire.Defaulted("eventTypes", wire.ListOf(hookEvent, 1, len(base.HookEvents)), nil,
		func(o *outbox.CreateWebhook) *[]base.HookEvent { return &o.EventTypes }).
		Says(eventTypesAbout),
}, wire.MadeOf(func(o *outbox.CreateWebhook) *outbox.WebhookFields { return &o.WebhookFields })...)...)

var patchWebhookShape = wire.ShapeOf("PatchWebhook", append([]wire.Field[outbox.PatchWebhook]{
	wire.Merged("eventType", hookEvent, false,
		func(o *outbox.PatchWebhook) *base.Opt[base.HookEvent] { return &o.EventType }).Says(eventTypeAbout),
	wire.Merged("eventTypes", wire.ListOf(hookEvent, 1, len(base.HookEvents)), false,
		func(o *outbox.PatchWebhook) *base.Opt[[]base.HookEvent] { return &o.EventTypes }).
		Says(eventTypesAbout),
}, wire.ChangedBy(func(o *outbox.PatchWebhook) *base.Changes[outbox.WebhookFields] { return &o.Fields })...)...)

var rotateSecretShape = wire.ShapeOf("RotateSecret",
	wire.MadeOf(func(o *outbox.RotateSecret) *outbox.RotateSecret { return o })...)

var (
	hookEventList    = wire.ListSchema(hookEvent.Schema)
	disabledSchema   = wire.EnumSchema(outbox.TooManyFailures)
	webhookSchema    = describe("Webhook", (*scribe).writeWebhook)
	newWebhookSchema = describe("WebhookWithSecret", func(w *scribe, h *outbox.Webhook) { w.writeNewWebhook(h, "") })
)

func (w *scribe) writeWebhook(h *outbox.Webhook) {
	w.ID("id", h.ID, "The webhook's id.")
	w.As(hookEvent.Schema, "eventType", string(h.EventType),
		"The type of event that it receives; of several types the first.")
	words(w, "eventTypes", hookEventList, h.EventTypes(), "All types of events that it receives.")
	wire.WriteFields(&w.Writer, &h.WebhookFields)
	w.Text("apiVersion", h.APIVersion, "The version of the interface in which events are written.")
	w.Bool("enabled", h.Enabled, "Whether events are sent to it.")
	w.AsOrNull(disabledSchema, "disabledReason", h.DisabledReason, "Why the service disabled it; null: it did not.")
	w.Count("missedEvents", h.MissedEvents, "How many events since it was last disabled are lost to it, as recover "+
		"does not send them: all if it was disabled by hand, else those beyond what is kept.")
	w.GivenInstant("missedSince", h.MissedSince, "When the first of them happened; null: there was none.")
	w.Created(h.ID)
	w.Updated(h.UpdatedAt)
	var maker *base.ID
	if h.Maker != nil {
		maker = &h.Maker.Key
	}
	w.IDOrNull("apiKeyId", maker,
		"The key that made the webhook, or gave it its url or type of event since. Null: made by the "+
			"operator, or before this was recorded.")
}

// writeNewWebhook writes a webhook with its secret, which is empty in a repeat.
func (w *scribe) writeNewWebhook(h *outbox.Webhook, secret string) {
	w.writeWebhook(h)
	w.GivenText("secret", secret, "The key of its signatures, shown only in this answer; null in a repeat.")
}

// needEvent notes that the request makes events of a type be sent, or shows them. It needs the scope to read the
// records that they are about.
func (q *request) needEvent(typ base.HookEvent) { q.need(auth.EventScope(string(typ))) }

// needHook is needEvent of the type that a webhook has, if there is one.
func (q *request) needHook(id base.ID) {
	if w := outbox.WebhookByID(q.view, id); w != nil {
		q.needEvents(w.EventTypes())
	}
}

func (q *request) needEvents(types []base.HookEvent) {
	for _, typ := range types {
		q.needEvent(typ)
	}
}

// maker is the key of the request, as it is recorded with a webhook that it makes.
func (q *request) maker() *outbox.Maker {
	return &outbox.Maker{Key: q.key.ID, Scopes: slices.Clone(q.key.Scopes)}
}

// reach notes a fault where an endpoint will not be called: it would be refused when it is dialled, and the webhook
// disabled soon after.
func (q *request) reach(address string) {
	if len(q.faults.ListOf) > 0 {
		return // they are reported first
	}
	if why := q.server.endpoint(address); why != "" {
		q.fault("body", "/url", "address", why)
	}
}

var answerWebhook = answers((*scribe).writeWebhook)

// drawSecret makes the text of a new secret, for the command and for this one answer.
func (q *request) drawSecret() string {
	var b [outbox.SecretBytes]byte
	rand.Read(b[:])
	q.secret = outbox.SecretPrefix + base64.StdEncoding.EncodeToString(b[:])
	return q.secret
}

// answerSecret answers with a webhook and its new secret, which a repeat does not show.
func answerSecret(q *request, w *outbox.Webhook) error {
	q.tag = w.Revision
	if q.replayed {
		q.secret = ""
	}
	appendRecord(&q.scribe, w, func(to *scribe, w *outbox.Webhook) { to.writeNewWebhook(w, q.secret) })
	return nil
}

// webhookAction is an operation on one webhook that takes nothing and answers with it.
func webhookAction[In any](id, action, summary string, at func(*In) *base.ID,
	command func(q *request, o *In) base.OpOf[*outbox.Webhook]) operation {
	return write(operation{
		id: "admin.webhooks." + id, method: "POST", path: webhookPath + "/" + action, scopes: webhooksWrite,
		summary: summary, answer: webhookSchema,
	}, input[In]{path: byUUID(at)}, command, answerWebhook)
}

var (
	webhooksRead  = []string{"settings.webhooks.read"}
	webhooksWrite = []string{"settings.webhooks.write"}
)

var webhookOperations = []operation{
	read(operation{
		id: "admin.webhooks.list", method: "GET", path: "/v1/admin/webhooks", scopes: webhooksRead,
		summary: "Lists webhooks in order of creation.", answer: pagedSchema(webhookSchema),
	}, input[page]{query: listQuery}, func(q *request, p *page) error {
		all := outbox.Webhooks(q.view)
		appendPage(q, *p, len(all), func(i int) *outbox.Webhook { return all[i] }, (*scribe).writeWebhook)
		return nil
	}),
	write(operation{
		id: "admin.webhooks.create", method: "POST", path: "/v1/admin/webhooks", scopes: webhooksWrite,
		answer: newWebhookSchema,
		summary: "Creates a webhook, which is enabled. Its secret is shown only in this answer; a repeat under an " +
			"idempotency key has null in its place. " + hookScopeAbout,
	}, input[outbox.CreateWebhook]{body: createWebhookShape}, func(q *request,
		o *outbox.CreateWebhook) base.OpOf[*outbox.Webhook] {
		if o.EventType != "" {
			q.needEvent(o.EventType)
		}
		q.needEvents(o.EventTypes)
		q.reach(o.URL)
		o.APIVersion, o.Secret, o.Maker = Version, q.drawSecret(), q.maker()
		return o
	}, answerSecret),
	readOne(operation{
		id: "admin.webhooks.get", method: "GET", path: webhookPath, scopes: webhooksRead, cached: true,
		summary: "Returns a webhook.", answer: webhookSchema,
	}, byUUID(itself), "webhook", outbox.WebhookByID, answerWebhook),
	write(operation{
		id: "admin.webhooks.update", method: "PATCH", path: webhookPath, scopes: webhooksWrite,
		summary: "Changes a webhook. Queued events go to the endpoint that is set when they " +
			"are sent. " + hookScopeAbout,
		answer: webhookSchema,
	}, input[outbox.PatchWebhook]{path: byUUID(func(o *outbox.PatchWebhook) *base.ID { return &o.ID }),
		body: patchWebhookShape},
		func(q *request, o *outbox.PatchWebhook) base.OpOf[*outbox.Webhook] {
			q.needHook(o.ID)
			if o.EventType.Set {
				q.needEvent(o.EventType.Value)
			}
			q.needEvents(o.EventTypes.Value)
			if o.Fields.Has("url") {
				q.reach(o.Fields.To.URL)
			}
			o.Maker = q.maker()
			return o
		}, answerWebhook),
	removal(operation{
		id: "admin.webhooks.delete", path: webhookPath, scopes: webhooksWrite,
		summary: "Deletes a webhook with its log; what is queued is not sent.",
	}, input[outbox.DeleteWebhook]{path: byUUID(func(o *outbox.DeleteWebhook) *base.ID { return &o.ID })}),
	webhookAction("enable", "enable", "Enables a disabled webhook: later events are sent to it. Call recover to send "+
		"what failed or was kept meanwhile.",
		func(o *outbox.EnableWebhook) *base.ID {
			return &o.ID
		}, func(q *request, o *outbox.EnableWebhook) base.OpOf[*outbox.Webhook] {
			q.needHook(o.ID)
			return o
		}),
	webhookAction("disable", "disable", "Disables a webhook: nothing is sent to it, what is queued stays in its log "+
		"as failed, and later events are not kept, only counted as missedEvents.",
		func(o *outbox.DisableWebhook) *base.ID { return &o.ID }, asIs),
	webhookAction("upgradeVersion", "upgrade-version",
		"Pins a webhook to the latest version of the interface, in which its events are written from then on.",
		func(o *outbox.UpgradeWebhook) *base.ID {
			return &o.ID
		}, func(q *request, o *outbox.UpgradeWebhook) base.OpOf[*outbox.Webhook] {
			q.needHook(o.ID)
			o.APIVersion = Version
			return o
		}),
	write(operation{
		id: "admin.webhooks.rotateSecret", method: "POST", path: webhookPath + "/rotate-secret", scopes: webhooksWrite,
		answer: newWebhookSchema,
		summary: "Gives a webhook a new secret, shown only in this answer. While the old secret is valid, " +
			"webhook-signature has both signatures, and X-Service-Signature is made with the old secret, unless " +
			"signWith is new.",
	}, input[outbox.RotateSecret]{path: byUUID(func(o *outbox.RotateSecret) *base.ID { return &o.ID }),
		body: rotateSecretShape},
		func(q *request, o *outbox.RotateSecret) base.OpOf[*outbox.Webhook] {
			q.needHook(o.ID)
			o.Secret = q.drawSecret()
			return o
		}, answerSecret),
}
