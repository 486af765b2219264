package engine

import (
	"crypto/sha256"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
	"holdfast/engine/table"
)

// This file owns how API keys are made, ended and found.

// CreateKey makes an API key. The caller draws the secret, of which only the hash comes here.
type CreateKey struct {
	base.Answers[*base.Key]
	base.Adds
	PublicID  string
	Hash      [sha256.Size]byte // of the secret
	Label     string            `field:"label text 1..255 required" made:"What people call the key."`
	Scopes    []string          `field:"scopes own" made:"What the key may do. Default: everything. An area covers what is below it, write includes read."`
	Version   string
	ExpiresAt *int64 `field:"expiresAt instant" made:"When the key stops being good. Default: never."`
}

func (o CreateKey) Check(c *base.Checker) {
	base.CheckFields(c, "", &o)
	if n := len(o.PublicID); n < 8 || n > base.LongestPublicID {
		c.Fault("/id", "length", "must have between 8 and 32 letters and digits")
	}
	if n := len(o.Scopes); o.Scopes != nil && (n == 0 || n > MaxScopes) {
		c.Fault("/scopes", "length",
			"must have between 1 and "+base.Itoa(MaxScopes)+" scopes; without the member the key has full access")
	}
}

// MaxScopes is the most scopes that a key names: more than there are.
const MaxScopes = 100

func (o CreateKey) PlanOn(t *base.Tx) (any, error) {
	if _, taken := t.Keys.Get(base.KeyRef{Name: base.PublicName(o.PublicID)}); taken {
		return nil, base.Refuse(base.CodeConflict, "a key with this public id exists")
	}
	if o.ExpiresAt != nil && *o.ExpiresAt <= t.Now {
		return nil, base.InvalidAt("/expiresAt", "range", "must lie ahead")
	}
	k := &base.Key{
		ID: t.NewID(), PublicID: o.PublicID, Hash: o.Hash, Label: o.Label, Scopes: o.Scopes,
		Version: o.Version, ExpiresAt: o.ExpiresAt, Revision: 1,
	}
	base.Record(t, base.KeyKind, nil, k)
	return k, nil
}

// RevokeKey ends a key; the next request with it is refused. The webhooks that it made go on: it answers with the
// *RevokedKey, which names them.
type RevokeKey struct {
	base.Answers[*RevokedKey]
	base.IfMatch
	ID base.ID
}

func (o RevokeKey) PlanOn(t *base.Tx) (any, error) {
	k := base.KeyKind.In(t.Acc).Get(o.ID)
	if k == nil {
		return nil, base.NotFound("API key")
	}
	if err := o.IfMatch.Match(k.Revision); err != nil {
		return nil, err
	}
	if k.RevokedAt != nil {
		return nil, base.NotAllowed("the key is revoked already", "revoked")
	}
	n := *k
	now := t.Now
	n.RevokedAt = &now
	n.Revision++
	base.Record(t, base.KeyKind, k, &n)
	r := &RevokedKey{Key: n}
	for w := range outbox.WebhookTable(t.Acc).All() {
		if w.Maker != nil && w.Maker.Key == k.ID {
			r.Webhooks = append(r.Webhooks, w.ID)
		}
	}
	return r, nil
}

// RevokedKey is a key that was revoked, with the webhooks that it made, in order of creation.
type RevokedKey struct {
	base.Key
	Webhooks []base.ID `json:",omitempty"`
}

// Keys yields the account's keys in order of creation.
func Keys(v base.View) *table.Table[base.Key] { return base.KeyKind.In(v.Acc) }

// Key finds a key by the public part of its text, with the view of its account. It looks at one snapshot: the key's
// state and all that the view reads are of the same sequence.
func (e *Engine) Key(publicID []byte) (*base.Key, base.View, bool) {
	s := e.current.Load()
	r, ok := s.Keys.Get(base.KeyRef{Name: base.PublicName(publicID)})
	ok = ok && len(publicID) <= base.LongestPublicID
	if !ok {
		return nil, base.View{}, false
	}
	v, ok := view(s, r.Account)
	return r.Key, v, ok
}
