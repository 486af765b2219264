package engine

import (
	"context"
	"maps"
	"slices"
	"sort"
	"sync"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns where in the log an account's commands are, which the feed of changes looks up. It also owns the
// waiting for more commands.

// logIndex knows a part of the log. The part grows at both ends on demand: forward to the head, backward as far as a
// reader wants to go. The goroutine that asks for more reads it from the log, while others look up what is known. One
// in markEvery of an account's commands is marked, and every one that lies markEvery records or more from the mark
// before: so an unmarked one is near a mark.
type logIndex struct {
	mu        sync.Mutex
	low, high uint64 // the records from low on, below high, are known
	accounts  map[base.ID]*marks
}

// marks are an account's, found going forward (ascending) and going backward (descending).
type marks struct{ up, down []mark }

// mark says that the record log holds the account's command sequence, and none of its earlier ones.
type mark struct{ sequence, log uint64 }

const markEvery = 64

// find gives the record from which to read the log to reach an account's command. head is the last record. Where a
// record from is given, it is the account's next command at or behind that, and sequence does not count.
func (p *logIndex) find(ctx context.Context, store *persist.Store, account base.ID, sequence, from,
	head uint64) (log uint64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.accounts == nil {
		p.accounts, p.low, p.high = map[base.ID]*marks{}, head+1, head+1
	}
	if first := store.Marker().FirstKept; first > p.low+forgetEvery || first > p.high {
		p.trim(first)
	}
	for p.high <= head {
		if err := p.extend(ctx, store, p.high); err != nil {
			return 0, err
		}
	}
	m := p.of(account)
	if from == 0 {
		for p.low > store.Marker().FirstKept && !m.reach(sequence) {
			if err := p.extend(ctx, store, p.low-1); err != nil {
				return 0, err
			}
			m = p.of(account) // what was known may have been trimmed meanwhile
		}
		// Behind the last mark that is not past it, as far as that is still kept.
		if at, ok := m.last(func(x mark) bool { return x.sequence <= sequence }); ok {
			return max(at.log, store.Marker().FirstKept), nil
		}
		return max(p.low, store.Marker().FirstKept), nil
	}
	for p.low > max(from, store.Marker().FirstKept) {
		if err := p.extend(ctx, store, p.low-1); err != nil {
			return 0, err
		}
		m = p.of(account)
	}
	before, ok := m.last(func(x mark) bool { return x.log < from })
	if !ok {
		before.log = p.low // a mark in front of it may be forgotten
	}
	if from <= before.log+markEvery {
		return from, nil
	}
	if next, ok := m.first(func(x mark) bool { return x.log >= from }); ok {
		return max(from, next.log-min(next.log, markEvery)), nil
	}
	return 0, errCursorGone
}

// forgetEvery is how many records the log has to have lost before what is known of them is forgotten.
const forgetEvery = 1 << 16

// trim forgets what is in front of the first record that is kept.
func (p *logIndex) trim(first uint64) {
	p.low, p.high = first, max(p.high, first)
	maps.DeleteFunc(p.accounts, func(_ base.ID, m *marks) bool {
		gone := func(x mark) bool { return x.log < first }
		m.down = slices.DeleteFunc(m.down, gone)
		m.up = slices.DeleteFunc(m.up, gone)
		return len(m.down)+len(m.up) == 0
	})
}

func (p *logIndex) of(account base.ID) *marks {
	m := p.accounts[account]
	if m == nil {
		m = new(marks)
		p.accounts[account] = m
	}
	return m
}

// extend adds the record at one of the ends, unless another goroutine has done so meanwhile.
func (p *logIndex) extend(ctx context.Context, store *persist.Store, log uint64) error {
	list, err := p.apart(func() ([]found, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return foundIn(store, log)
	})
	if err != nil {
		return err
	}
	forward := log == p.high
	switch {
	case forward:
		p.high++
	case log == p.low-1:
		p.low--
	default:
		return nil
	}
	for _, x := range list {
		p.of(x.account).add(x.mark, forward)
	}
	return nil
}

// apart reads while others use the index.
func (p *logIndex) apart(read func() ([]found, error)) ([]found, error) {
	p.mu.Unlock()
	defer p.mu.Lock()
	return read()
}

// found is the first command of an account in a record.
type found struct {
	account base.ID
	mark
}

// foundIn lists the accounts that have commands in a record.
func foundIn(store *persist.Store, log uint64) (list []found, err error) {
	r, err := store.Record(log)
	if err != nil || r.Rewrite {
		return nil, err
	}
	for c := range r.Changes() {
		if c.Table != base.TagLedger {
			continue
		}
		account, key, err := base.SplitKey(c.Key)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(x found) bool { return x.account == account }) {
			continue
		}
		l, err := base.LedgerKind.Decode(account, key, c.After)
		if err != nil {
			return nil, err
		}
		list = append(list, found{account, mark{l.Sequence, log}})
	}
	return list, nil
}

func (m *marks) add(x mark, forward bool) {
	if forward {
		if n := len(m.up); n == 0 || x.sequence >= m.up[n-1].sequence+markEvery || x.log >= m.up[n-1].log+markEvery {
			m.up = append(m.up, x)
		}
		return
	}
	if n := len(m.down); n == 0 || x.sequence+markEvery <= m.down[n-1].sequence || x.log+markEvery <= m.down[n-1].log {
		m.down = append(m.down, x)
	}
}

// reach says whether a command is not in front of all marks.
func (m *marks) reach(sequence uint64) bool {
	switch {
	case len(m.down) > 0:
		return m.down[len(m.down)-1].sequence <= sequence
	case len(m.up) > 0:
		return m.up[0].sequence <= sequence
	}
	return false
}

// at is the i-th mark in ascending order.
func (m *marks) at(i int) mark {
	if n := len(m.down); i < n {
		return m.down[n-1-i]
	}
	return m.up[i-len(m.down)]
}

// first is the first mark for which past is true; past is also true for all marks after it. last is the last one for
// which it is true; it is also true for all before that.
func (m *marks) first(past func(mark) bool) (mark, bool) {
	n := len(m.down) + len(m.up)
	i := sort.Search(n, func(i int) bool { return past(m.at(i)) })
	if i == n {
		return mark{}, false
	}
	return m.at(i), true
}

func (m *marks) last(in func(mark) bool) (mark, bool) {
	n := len(m.down) + len(m.up)
	i := sort.Search(n, func(i int) bool { return !in(m.at(i)) })
	if i == 0 {
		return mark{}, false
	}
	return m.at(i - 1), true
}

// notifier wakes the goroutines that wait for an account to change.
type notifier struct {
	mu      sync.Mutex
	waiting map[base.ID]chan struct{}
}

// Changed returns a channel that is closed when the account changes after the call. To wait for a change, call Changed
// first, then read the account, then wait on the channel.
func (e *Engine) Changed(account base.ID) <-chan struct{} {
	b := &e.notifier
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.waiting[account]
	if c == nil {
		if b.waiting == nil {
			b.waiting = map[base.ID]chan struct{}{}
		}
		c = make(chan struct{})
		b.waiting[account] = c
	}
	return c
}

func (b *notifier) notify(accounts []base.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		return
	}
	for _, id := range accounts {
		if c := b.waiting[id]; c != nil {
			close(c)
			delete(b.waiting, id)
		}
	}
}

// Incarnation distinguishes this log from others that went through the same sequences.
func (e *Engine) Incarnation() uint64 { return e.store.Incarnation() }
