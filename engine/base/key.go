package base

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"

	"holdfast/engine/sorted"
)

// This file owns API keys. Only a hash of a key's secret is ever stored.

// Key is an API key's record.
type Key struct {
	ID        ID
	PublicID  string // the part of the key text that names it, 8 to 32 letters and digits
	Hash      [sha256.Size]byte
	Label     string
	Scopes    []string // none: full access
	Version   string   // pinned API version
	ExpiresAt *int64
	RevokedAt *int64
	Revision  uint64
}

// Matches says in constant time whether a secret is the key's.
func (k *Key) Matches(secret []byte) bool {
	h := sha256.Sum256(secret)
	return subtle.ConstantTimeCompare(h[:], k.Hash[:]) == 1
}

var KeyKind = func() *Kind[Key] {
	k := RowsOf(TagKey, "API key", func(k *Key) ID { return k.ID })
	k.Put = func(s *State, a *AccountState, _, after *Key) {
		k.In(a).Put(after)
		s.Keys.Set(KeyRef{PublicName(after.PublicID), a.ID, after})
	}
	return k
}()

// KeyRef finds a key, and with it the account, by the key's public id.
type KeyRef struct {
	Name    [LongestPublicID]byte
	Account ID
	Key     *Key
}

// LongestPublicID is the number of letters and digits that a public id may have.
const LongestPublicID = 32

// PublicName is a public id as a value: what looks a key up makes no garbage.
func PublicName[T string | []byte](publicID T) (name [LongestPublicID]byte) {
	copy(name[:], publicID)
	return name
}

func newKeyRefs() sorted.Set[KeyRef] {
	return sorted.New(func(a, b KeyRef) bool { return bytes.Compare(a.Name[:], b.Name[:]) < 0 })
}
