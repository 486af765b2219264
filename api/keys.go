package api

import (
	"crypto/sha256"
	"strings"

	"holdfast/api/auth"
	"holdfast/engine"
)

// This file owns API keys on the wire. The text of a key is drawn here, shown in the answer that makes it, and kept nowhere.

// scope is one of the scopes that there are.
var scope = scalar(jsonString, enumSchema(auth.Scopes...), func(raw []byte, dst *string) wrong {
	if !auth.Known(string(raw)) {
		return wrong{faultEnum, "must be one of " + strings.Join(auth.Scopes, ", ")}
	}
	*dst = string(raw)
	return wrong{}
})

var createKeyShape = shapeOf("CreateAPIKey", keyFields(func(o *engine.CreateKey) *engine.CreateKey { return o })...)

// keyFields are what is said of a new key.
func keyFields[In any](at func(*In) *engine.CreateKey) []field[In] {
	return []field[In]{
		required("label", text(1, 255), func(in *In) *string { return &at(in).Label }).says("What people call the key."),
		defaulted("scopes", list(scope, 1, 100), nil, func(in *In) *[]string { return &at(in).Scopes }).says(
			"What the key may do. Default: everything. An area covers what is below it, write includes read."),
		optional("expiresAt", instant, func(in *In) **int64 { return &at(in).ExpiresAt }).says("When the key stops being good. Default: never."),
	}
}

var (
	keyMembers = []Member{
		has("id", idSchema.says("The key's id.")),
		has("label", textSchema.says("What people call the key.")),
		has("prefix", textSchema.says("How its text begins, up to the secret.")),
		has("scopes", listSchema(enumSchema(auth.Scopes...)).orNull().says("What it may do; null: everything.")),
		has("apiVersion", textSchema.says("The version of the interface that it is pinned to.")),
		has("createdAt", createdSchema),
		has("expiresAt", instantSchema.orNull().says("When it stops being good; null: never.")),
		has("revokedAt", instantSchema.orNull().says("When it was revoked; null while it is not.")),
		has("lastUsedAt", instantSchema.orNull().says("When it was last used; null: never.")),
	}
	keySchema        = recordSchema("APIKey", keyMembers...)
	revokedKeySchema = recordSchema("RevokedAPIKey", append(keyMembers[:len(keyMembers):len(keyMembers)],
		has("webhooks", listSchema(webhookSchema).
			says("Those that the key made, or gave their url or type of event since, in order of creation. They go on.")))...)
	newKeySchema = recordSchema("NewAPIKey", append(keyMembers[:len(keyMembers):len(keyMembers)], has("key", textSchema.orNull().
			says("The whole key, shown this once; null in a repeat.")))...)
)

func appendKey(q *request, b []byte, k *engine.Key) []byte {
	return q.server.appendKey(b, q.view.Account().ID, k)
}

func (s *Server) appendKey(b []byte, account engine.ID, k *engine.Key) []byte {
	b = appendID(append(b, `{"id":`...), k.ID)
	b = appendText(append(b, `,"label":`...), k.Label)
	b = appendText(append(b, `,"prefix":`...), auth.Prefix(k.PublicID))
	b = append(b, `,"scopes":`...)
	if len(k.Scopes) == 0 {
		b = append(b, "null"...)
	} else {
		b = appendList(b, k.Scopes, appendText)
	}
	b = appendText(append(b, `,"apiVersion":`...), pinned(k))
	b = appendInstant(append(b, `,"createdAt":`...), engine.CreatedAt(k.ID))
	b = appendInstantOrNull(append(b, `,"expiresAt":`...), k.ExpiresAt)
	b = appendInstantOrNull(append(b, `,"revokedAt":`...), k.RevokedAt)
	b = append(b, `,"lastUsedAt":`...)
	if last := s.meters.Last(account, k.ID); last == 0 {
		b = append(b, "null"...)
	} else {
		b = appendInstant(b, last)
	}
	return append(b, '}')
}

// appendRevoked ends the record of a key that was revoked with the webhooks that it made, as far as there are any still.
func appendRevoked(b []byte, v engine.View, r *engine.RevokedKey) []byte {
	var hooks []*engine.Webhook
	for _, id := range r.Webhooks {
		if w := v.Webhook(id); w != nil {
			hooks = append(hooks, w)
		}
	}
	b = appendList(append(b[:len(b)-1], `,"webhooks":`...), hooks, func(b []byte, w *engine.Webhook) []byte { return appendWebhook(nil, b, w) })
	return append(b, '}')
}

// drawKey makes the text of a new key, and gives the command what is kept of it.
func drawKey(o *engine.CreateKey) (text string) {
	text = auth.Draw()
	id, secret, _ := auth.Parse([]byte(text))
	o.PublicID, o.Hash, o.Version = string(id), sha256.Sum256(secret), Version
	return text
}

// pinned is the version that a key asks for where a request names none.
func pinned(k *engine.Key) string {
	if k.Version == "" {
		return Version
	}
	return k.Version
}

var keyOperations = []operation{
	read(operation{
		id: "admin.apiKeys.list", method: "GET", path: "/v1/admin/api-keys", access: fullAccess,
		summary: "Lists API keys in order of creation, revoked ones included.", answer: pagedSchema(keySchema),
	}, input[page]{query: listQuery}, func(q *request, p *page) error {
		all := q.view.Keys()
		appendPage(q, *p, all.Len(), all.At, appendKey)
		return nil
	}),
	write(operation{
		id: "admin.apiKeys.create", method: "POST", path: "/v1/admin/api-keys", access: fullAccess,
		summary: "Creates an API key; its text is shown this once; a repeat under an idempotency key has null in its place.", answer: newKeySchema,
	}, input[engine.CreateKey]{body: createKeyShape},
		func(q *request, o *engine.CreateKey) engine.Op {
			q.secret = drawKey(o)
			return o
		},
		func(q *request, k *engine.Key) error {
			q.tag = k.Revision
			q.out = appendKey(q, q.out, k)
			q.out = append(q.out[:len(q.out)-1], `,"key":`...)
			if q.replayed {
				q.out = append(q.out, "null}"...)
				return nil
			}
			q.out = append(appendText(q.out, q.secret), '}')
			return nil
		}),
	write(operation{
		id: "admin.apiKeys.revoke", method: "DELETE", path: "/v1/admin/api-keys/{id}", access: fullAccess, guarded: true,
		summary: "Revokes an API key: the next request with it is refused; the webhooks that the key made go on: the answer names them.", answer: revokedKeySchema,
	}, input[engine.RevokeKey]{path: byUUID(func(o *engine.RevokeKey) *engine.ID { return &o.ID })},
		func(q *request, o *engine.RevokeKey) engine.Op {
			o.IfMatch = q.ifMatch
			return o
		}, behind(func(q *request, r *engine.RevokedKey) error {
			q.out = appendRevoked(appendKey(q, q.out, &r.Key), q.view, r)
			return nil
		})),
}
