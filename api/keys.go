package api

import (
	"crypto/sha256"
	"strings"

	"holdfast/api/auth"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns API keys on the wire. The text of a key is drawn here, shown in the answer that makes it, and kept
// nowhere.

// scope is one of the scopes that there are.
var scope = wire.Scalar(wire.JSONString, wire.EnumSchema(auth.Scopes...), func(raw []byte, dst *string) wire.Wrong {
	if !auth.Known(string(raw)) {
		return wire.Wrong{Code: wire.FaultEnum, Message: "must be one of " + strings.Join(auth.Scopes, ", ")}
	}
	*dst = string(raw)
	return wire.Wrong{}
})

var createKeyShape = wire.ShapeOf("CreateAPIKey",
	keyFields(func(o *engine.CreateKey) *engine.CreateKey { return o })...)

// keyFields are what is said of a new key.
func keyFields[In any](at func(*In) *engine.CreateKey) []wire.Field[In] {
	return wire.MadeOf(at, wire.Reads("scopes", wire.ListOf(scope, 1, engine.MaxScopes)))
}

var (
	scopeSchema      = wire.EnumSchema(auth.Scopes...)
	scopesOrNull     = wire.ListSchema(scopeSchema).OrNull()
	keySchema        = describe("APIKey", func(w *scribe, k *base.Key) { w.writeKey(k, 0) })
	revokedKeySchema = describe("RevokedAPIKey", func(w *scribe, r *engine.RevokedKey) { w.writeRevoked(r, 0) })
	newKeySchema     = describe("NewAPIKey", func(w *scribe, k *base.Key) { w.writeNewKey(k, 0, "") })
)

// writeKey writes a key that was last used at an instant; 0: never.
func (w *scribe) writeKey(k *base.Key, last int64) {
	w.ID("id", k.ID, "The key's id.")
	w.Text("label", k.Label, "What people call the key.")
	w.Text("prefix", auth.Prefix(k.PublicID), "How its text begins, up to the secret.")
	if w.Key("scopes", scopesOrNull, "What it may do; null: everything."); len(k.Scopes) == 0 {
		w.Nil()
	} else {
		w.Out = wire.AppendList(w.Out, k.Scopes, wire.AppendText)
	}
	w.Text("apiVersion", pinned(k), "The version of the interface that it is pinned to.")
	w.Created(k.ID)
	w.InstantOrNull("expiresAt", k.ExpiresAt, "When it expires; null: never.")
	w.InstantOrNull("revokedAt", k.RevokedAt, "When it was revoked; null while it is not.")
	w.GivenInstant("lastUsedAt", last, "When it was last used; null: never.")
}

// writeNewKey writes a key with its text, which is empty in a repeat.
func (w *scribe) writeNewKey(k *base.Key, last int64, text string) {
	w.writeKey(k, last)
	w.GivenText("key", text, "The whole key, shown only in this answer; null in a repeat.")
}

// writeRevoked writes a key that was revoked with the webhooks that it made, as far as there are any still.
func (w *scribe) writeRevoked(r *engine.RevokedKey, last int64) {
	w.writeKey(&r.Key, last)
	w.webhooksOf(r)
}

func (w *scribe) webhooksOf(r *engine.RevokedKey) {
	var hooks []*outbox.Webhook
	for _, id := range r.Webhooks {
		if h := outbox.WebhookByID(w.view, id); h != nil {
			hooks = append(hooks, h)
		}
	}
	wire.Each(&w.Writer, "webhooks", "Webhook", hooks,
		"Those that the key made, or gave their url or type of event since, in order of "+
			"creation. They go on.", func(h *outbox.Webhook) { w.writeWebhook(h) })
}

// lastUsed is when a key was last used; 0: never.
func (s *Server) lastUsed(account base.ID, k *base.Key) int64 {
	return s.meters.Last(account, k.ID)
}

// writesKeys writes keys of the account of a request.
func (q *request) writesKeys() func(w *scribe, k *base.Key) {
	account := q.view.Account().ID
	return func(w *scribe, k *base.Key) { w.writeKey(k, q.server.lastUsed(account, k)) }
}

// drawKey makes the text of a new key, and gives the command what is kept of it.
func drawKey(o *engine.CreateKey) (text string) {
	text = auth.Draw()
	id, secret, _ := auth.Parse([]byte(text))
	o.PublicID, o.Hash, o.Version = string(id), sha256.Sum256(secret), Version
	return text
}

var keyOperations = []operation{
	read(operation{
		id: "admin.apiKeys.list", method: "GET", path: "/v1/admin/api-keys", access: fullAccess,
		summary: "Lists API keys in order of creation, revoked ones included.", answer: pagedSchema(keySchema),
	}, input[page]{query: listQuery}, func(q *request, p *page) error {
		all := engine.Keys(q.view)
		appendPage(q, *p, all.Len(), all.At, q.writesKeys())
		return nil
	}),
	write(operation{
		id: "admin.apiKeys.create", method: "POST", path: "/v1/admin/api-keys", access: fullAccess,
		summary: "Creates an API key; its text is shown only in this answer; a repeat under an idempotency key has " +
			"null in its place.", answer: newKeySchema,
	}, input[engine.CreateKey]{body: createKeyShape},
		func(q *request, o *engine.CreateKey) base.OpOf[*base.Key] {
			q.secret = drawKey(o)
			return o
		},
		func(q *request, k *base.Key) error {
			q.tag = k.Revision
			if q.replayed {
				q.secret = ""
			}
			last := q.server.lastUsed(q.view.Account().ID, k)
			appendRecord(&q.scribe, k, func(w *scribe, k *base.Key) { w.writeNewKey(k, last, q.secret) })
			return nil

		}),
	write(operation{
		id: "admin.apiKeys.revoke", method: "DELETE", path: "/v1/admin/api-keys/{id}", access: fullAccess,
		summary: "Revokes an API key: the next request with it is refused; the webhooks that the key made go on: " +
			"the answer names them.", answer: revokedKeySchema,
	}, input[engine.RevokeKey]{path: byUUID(func(o *engine.RevokeKey) *base.ID { return &o.ID })},
		asIs, behind(func(q *request, r *engine.RevokedKey) error {
			q.tag = r.Key.Revision
			last := q.server.lastUsed(q.view.Account().ID, &r.Key)
			appendRecord(&q.scribe, r, func(w *scribe, r *engine.RevokedKey) { w.writeRevoked(r, last) })
			return nil
		})),
}
