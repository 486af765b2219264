package api

import (
	"sync"

	"holdfast/engine/base"
)

// This file owns how many requests wait for a change at once.

// pollers counts the requests that wait for a change.
type pollers struct {
	mu  sync.Mutex
	all int
	by  map[base.ID]int
}

const (
	pollersOfAnAccount = 64
	pollersInAll       = 1024
)

func (p *pollers) join(account base.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= pollersInAll || p.by[account] >= pollersOfAnAccount {
		return false
	}
	if p.by == nil {
		p.by = map[base.ID]int{}
	}
	p.all++
	p.by[account]++
	return true
}

func (p *pollers) leave(account base.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.by[account]--; p.by[account] == 0 {
		delete(p.by, account)
	}
}
