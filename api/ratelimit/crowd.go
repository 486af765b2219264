package ratelimit

// This file owns how much an address has under way at once.

import (
	"net/netip"
	"sync"
)

// Crowd counts what addresses have under way. It is as large as that is. IPv6 addresses count by their first 64 bits.
type Crowd struct {
	mu sync.Mutex
	by map[[16]byte]int
}

// Enter counts one more, unless the address has as many as it may.
func (c *Crowd) Enter(a netip.Addr, most int) bool {
	key := network(a)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[key] >= most {
		return false
	}
	if c.by == nil {
		c.by = map[[16]byte]int{}
	}
	c.by[key]++
	return true
}

// Leave counts one less.
func (c *Crowd) Leave(a netip.Addr) {
	key := network(a)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[key]--; c.by[key] <= 0 {
		delete(c.by, key)
	}
}
