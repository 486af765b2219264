package api

import (
	"slices"
	"sync"

	"holdfast/engine/base"
)

// This file owns how many requests wait for a change at once. A server does not see that a client has gone, so a wait
// may be of nobody: where all are taken, one more ends the oldest.

// pollers are the requests that wait for a change.
type pollers struct {
	mu  sync.Mutex
	all int
	by  map[base.ID][]*poller // the oldest first
}

// poller is a request that waits.
type poller struct {
	account base.ID
	since   int64
	ended   chan struct{} // closed where the request has to make room for another
}

const (
	pollersOfAnAccount = 64
	pollersInAll       = 1024

	// pollerLeast is how long a wait is left alone, in milliseconds: without it, clients that are more than may wait
	// would end each other's waits without a pause.
	pollerLeast = 1000
)

// join has one more request wait. Where its account has as many as it may, the oldest of them ends; where all accounts
// together have, the oldest of the account that has most. It refuses where that one has only just begun.
func (p *pollers) join(account base.ID, now int64) (*poller, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var oldest *poller
	if list := p.by[account]; len(list) >= pollersOfAnAccount {
		oldest = list[0]
	} else if p.all >= pollersInAll {
		for _, list := range p.by {
			if oldest == nil || len(list) > len(p.by[oldest.account]) {
				oldest = list[0]
			}
		}
	}
	if oldest != nil {
		if now < oldest.since+pollerLeast {
			return nil, false
		}
		close(oldest.ended)
		p.remove(oldest)
	}
	if p.by == nil {
		p.by = map[base.ID][]*poller{}
	}
	w := &poller{account, now, make(chan struct{})}
	p.all++
	p.by[account] = append(p.by[account], w)
	return w, true
}

// leave ends the wait of a request, if nothing has.
func (p *pollers) leave(w *poller) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(w)
}

func (p *pollers) remove(w *poller) {
	list := p.by[w.account]
	i := slices.Index(list, w)
	if i < 0 {
		return
	}
	p.all--
	if p.by[w.account] = slices.Delete(list, i, i+1); len(list) == 1 {
		delete(p.by, w.account)
	}
}
