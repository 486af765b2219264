package engine

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/tidwall/btree"
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

var keyKind = func() *kind[Key] {
	k := rowsOf(tagKey, "API key", func(k *Key) ID { return k.ID })
	k.put = func(s *state, a *account, _, after *Key) {
		k.in(a).Put(after)
		s.keys.Set(keyRef{publicName(after.PublicID), a.id, after})
	}
	return k
}()

// keyRef finds a key, and with it the account, by the key's public id.
type keyRef struct {
	name    [longestPublicID]byte
	account ID
	key     *Key
}

// longestPublicID is the number of letters and digits that a public id may have.
const longestPublicID = 32

// publicName is a public id as a value: what looks a key up makes no garbage.
func publicName[T string | []byte](publicID T) (name [longestPublicID]byte) {
	copy(name[:], publicID)
	return name
}

func newKeyRefs() *btree.BTreeG[keyRef] {
	return btree.NewBTreeGOptions(func(a, b keyRef) bool { return bytes.Compare(a.name[:], b.name[:]) < 0 }, btree.Options{NoLocks: true})
}
