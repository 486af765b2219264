package ratelimit

// This file owns the table of addresses: of a fixed size, so that no number of addresses makes it grow.

import (
	"hash/maphash"
	"net/netip"
	"sync"
)

// Each address belongs to one set, by a hash that callers cannot predict. A set that is full forgets a window that is
// over, else the window of which least was used: an address that has used much is remembered.
const (
	sets  = 1 << 13
	ways  = 8
	locks = 64
)

// Addresses are the windows of addresses. IPv6 addresses count by their first 64 bits, which is what one customer has.
type Addresses struct {
	seed  maphash.Seed
	locks [locks]sync.Mutex
	sets  [sets][ways]addressWindow
}

type addressWindow struct {
	address [16]byte
	Window
}

// NewAddresses makes an empty table.
func NewAddresses() *Addresses { return &Addresses{seed: maphash.MakeSeed()} }

// Take charges a request to an address, if the limit allows it.
func (t *Addresses) Take(a netip.Addr, now, limit, cost int64) (s State, ok bool) {
	w, lock := t.find(a, now)
	defer lock.Unlock()
	w.Window, ok = w.take(now, limit, cost)
	return w.state(Address, limit), ok
}

// GiveBack takes a charge back.
func (t *Addresses) GiveBack(a netip.Addr, now, cost int64) {
	w, lock := t.find(a, now)
	defer lock.Unlock()
	w.used = max(0, w.used-cost)
}

// find gives the window of an address, under its lock, which the caller lets go.
func (t *Addresses) find(a netip.Addr, now int64) (w *addressWindow, lock *sync.Mutex) {
	key := network(a)
	i := maphash.Bytes(t.seed, key[:]) % sets
	lock = &t.locks[i%locks]
	lock.Lock()
	set := &t.sets[i]
	least := &set[0]
	for j := range set {
		w = &set[j]
		if w.address == key {
			return w, lock
		}
		if w.at(now).used < least.at(now).used {
			least = w
		}
	}
	*least = addressWindow{address: key}
	return least, lock
}

// network is what an address counts as.
func network(a netip.Addr) [16]byte {
	key := a.Unmap().As16()
	if !a.Unmap().Is4() {
		clear(key[8:])
	}
	return key
}
