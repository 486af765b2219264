package ratelimit

// This file owns what is counted of accounts and keys.

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// ID is the id of an account or of a key.
type ID = [16]byte

// Plan is what an account may ask.
type Plan struct {
	PerMinute int64 // of the account
	PerSecond int64 // of each key
	Burst     int64
	PerMonth  int64 // of the account
}

// Usage is what is kept of an account, or of a key: how many requests in which month, and when the last one was.
type Usage struct {
	ID    ID
	Month int32 // counted from the year 0
	Count int64
	Last  int64
}

// Verdict is what the limits of a key and its account say of a request.
type Verdict struct {
	OK    bool
	Month bool  // refused: by the month's cap
	Wait  int64 // refused: for how long
	State       // of the tightest limit, or of the one that refuses; of no limit under a plan that has none
	Used  int64 // of the month
	Cap   int64
}

// Meters are the meters of all accounts.
type Meters struct {
	mu       sync.RWMutex
	accounts map[ID]*Meter
	changed  []*Meter // since Changed was called
}

// Meter counts the requests of an account.
type Meter struct {
	id    ID
	all   *Meters
	spent atomic.Int64 // nanoseconds of answering

	mu      sync.Mutex
	minute  Window
	month   Month
	last    int64
	keys    map[ID]*keyMeter
	changed []*keyMeter // since Changed was called; none: the account neither
}

type keyMeter struct {
	id      ID
	bucket  Bucket
	month   Month
	last    int64
	changed bool
}

// NewMeters makes meters that have counted nothing. What was kept is restored into them.
func NewMeters() *Meters { return &Meters{accounts: map[ID]*Meter{}} }

// Of is the meter of an account. It may be kept.
func (m *Meters) Of(account ID) *Meter {
	m.mu.RLock()
	a := m.accounts[account]
	m.mu.RUnlock()
	if a != nil {
		return a
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a = m.accounts[account]; a == nil {
		a = &Meter{id: account, all: m, keys: map[ID]*keyMeter{}}
		m.accounts[account] = a
	}
	return a
}

func (a *Meter) key(id ID) *keyMeter {
	k := a.keys[id]
	if k == nil {
		k = &keyMeter{id: id}
		a.keys[id] = k
	}
	return k
}

// Take charges a request to a key and the account, if the plan allows it; without a plan it is only counted.
func (a *Meter) Take(key ID, now int64, p *Plan) Verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.key(key)
	a.month, k.month = a.month.at(now), k.month.at(now)
	v := Verdict{OK: true}
	if p != nil {
		v = a.judge(k, now, p)
	}
	if !v.OK {
		return v
	}
	a.month.used++
	k.month.used++
	a.last, k.last = max(a.last, now), max(k.last, now)
	if !k.changed {
		k.changed = true
		if a.changed = append(a.changed, k); len(a.changed) == 1 {
			a.all.mu.Lock()
			a.all.changed = append(a.all.changed, a)
			a.all.mu.Unlock()
		}
	}
	if p != nil {
		v.State = Tighter(Tighter(k.bucket.state(now, p.Burst), a.minute.state(Account, p.PerMinute)),
			a.month.state(p.PerMonth))
		v.Used = a.month.used
	}
	return v
}

// Spend adds nanoseconds that a request of the account was being answered.
func (a *Meter) Spend(nanoseconds int64) { a.spent.Add(nanoseconds) }

// Spent is how long an account's requests were being answered, in nanoseconds.
type Spent struct {
	Account     ID
	Nanoseconds int64
}

// Dearest are the accounts whose requests took longest, at most n, the dearest first.
func (m *Meters) Dearest(n int) (list []Spent) {
	m.mu.RLock()
	for _, a := range m.accounts {
		if spent := a.spent.Load(); spent > 0 {
			list = append(list, Spent{a.id, spent})
		}
	}
	m.mu.RUnlock()
	slices.SortFunc(list, func(a, b Spent) int {
		return cmp.Or(cmp.Compare(b.Nanoseconds, a.Nanoseconds), bytes.Compare(a.Account[:], b.Account[:]))
	})
	return list[:min(n, len(list))]
}

// judge asks all limits and charges the two that refill by the clock, or neither.
func (a *Meter) judge(k *keyMeter, now int64, p *Plan) Verdict {
	v := Verdict{Used: a.month.used, Cap: p.PerMonth}
	if a.month.used >= p.PerMonth {
		v.Month, v.State, v.Wait = true, a.month.state(p.PerMonth), a.month.end-now
		return v
	}
	window, ok := a.minute.take(now, p.PerMinute, 1)
	if !ok {
		v.State, v.Wait = window.state(Account, p.PerMinute), window.start+minute-now
		return v
	}
	k.bucket, ok, v.Wait = k.bucket.take(now, p.PerSecond, p.Burst)
	if !ok {
		v.State = k.bucket.state(now, p.Burst)
		return v
	}
	a.minute, v.OK = window, true
	return v
}

// Last is when a key was last used; 0: never.
func (m *Meters) Last(account, key ID) int64 {
	m.mu.RLock()
	a := m.accounts[account]
	m.mu.RUnlock()
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.keys[key]; k != nil {
		return k.last
	}
	return 0
}

// Restore sets what was kept of an account, or of a key of it.
func (m *Meters) Restore(account ID, u Usage) {
	a := m.Of(account)
	a.mu.Lock()
	defer a.mu.Unlock()
	if u.ID == account {
		a.month, a.last = newMonth(u.Month, u.Count), u.Last
		return
	}
	k := a.key(u.ID)
	k.month, k.last = newMonth(u.Month, u.Count), u.Last
}

// Changed gives what has changed since it was called last.
func (m *Meters) Changed() (list []Usage) {
	m.mu.Lock()
	changed := m.changed
	m.changed = nil
	m.mu.Unlock()
	for _, a := range changed {
		a.mu.Lock()
		list = append(list, Usage{a.id, monthOf(a.month.start), a.month.used, a.last})
		for _, k := range a.changed {
			list = append(list, Usage{k.id, monthOf(k.month.start), k.month.used, k.last})
			k.changed = false
		}
		a.changed = nil
		a.mu.Unlock()
	}
	return list
}
