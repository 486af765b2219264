package engine

import (
	"crypto/sha256"

	"holdfast/engine/table"
)

// This file owns how API keys are made, ended and found.

// CreateKey makes an API key. Secret is drawn by the caller, who alone ever sees it. It answers with the *Key.
type CreateKey struct {
	PublicID  string
	Hash      [sha256.Size]byte // of the secret
	Label     string
	Scopes    []string
	Version   string
	ExpiresAt *int64
}

func (o CreateKey) Check() []Fault {
	var c checker
	c.text("/label", o.Label, 1, maxName)
	if o.ExpiresAt != nil {
		c.instant("/expiresAt", *o.ExpiresAt)
	}
	if n := len(o.PublicID); n < 8 || n > longestPublicID {
		c.fault("/id", "length", "must have between 8 and 32 letters and digits")
	}
	if n := len(o.Scopes); o.Scopes != nil && (n == 0 || n > maxScopes) {
		c.fault("/scopes", "length", "must have between 1 and "+itoa(maxScopes)+" scopes; without the member the key has full access")
	}
	return c.faults
}

const maxScopes = 100 // more than there are

func (o CreateKey) plan(t *tx) (any, error) {
	if _, taken := t.keys.Get(keyRef{name: publicName(o.PublicID)}); taken {
		return nil, refuse(CodeConflict, "a key with this public id exists")
	}
	if o.ExpiresAt != nil && *o.ExpiresAt <= t.now {
		return nil, invalid([]Fault{{Pointer: "/expiresAt", Code: "range", Message: "must lie ahead"}})
	}
	k := &Key{
		ID: t.newID(), PublicID: o.PublicID, Hash: o.Hash, Label: o.Label, Scopes: o.Scopes,
		Version: o.Version, ExpiresAt: o.ExpiresAt, Revision: 1,
	}
	record(t, keyKind, nil, k)
	return k, nil
}

func (CreateKey) result() any { return new(Key) }

// RevokeKey ends a key; the next request with it is refused. The webhooks that it made go on: it answers with the *RevokedKey,
// which names them.
type RevokeKey struct {
	ID      ID
	IfMatch []uint64
}

func (RevokeKey) Check() []Fault { return nil }

func (o RevokeKey) plan(t *tx) (any, error) {
	k := keyKind.in(t.acc).Get(o.ID)
	if k == nil {
		return nil, notFound("API key")
	}
	if err := match(o.IfMatch, k.Revision); err != nil {
		return nil, err
	}
	if k.RevokedAt != nil {
		return nil, &Error{Code: CodeStateNotAllowed, Detail: "the key is revoked already", Details: StateDetails{State: "revoked", Allowed: []string{}}}
	}
	n := *k
	n.RevokedAt = &t.now
	n.Revision++
	record(t, keyKind, k, &n)
	r := &RevokedKey{Key: n}
	for w := range t.acc.webhooks().All() {
		if w.Maker != nil && w.Maker.Key == k.ID {
			r.Webhooks = append(r.Webhooks, w.ID)
		}
	}
	return r, nil
}

func (RevokeKey) result() any { return new(RevokedKey) }

// RevokedKey is a key that was revoked, with the webhooks that it made, in order of creation.
type RevokedKey struct {
	Key
	Webhooks []ID `json:",omitempty"`
}

// Keys yields the account's keys in order of creation.
func (v View) Keys() *table.Table[Key] { return keyKind.in(v.acc) }

// Key finds a key by the public part of its text, with the view of its account. It looks at one snapshot: the key's state
// and all that the view reads are of the same sequence.
func (e *Engine) Key(publicID []byte) (*Key, View, bool) {
	s := e.current.Load()
	r, ok := s.keys.Get(keyRef{name: publicName(publicID)})
	ok = ok && len(publicID) <= longestPublicID
	if !ok {
		return nil, View{}, false
	}
	v, ok := s.view(r.account)
	return r.key, v, ok
}
