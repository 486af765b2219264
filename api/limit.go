package api

import (
	"context"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"holdfast/api/ratelimit"
	"holdfast/engine"
	"holdfast/engine/base"
)

// This file owns the limits as the chain asks them: which of them are a request's, what is said of them, and how the
// counts outlive the process.

// Limits say how much may be asked. An account is held to the limits of its plan's name; one whose plan is not listed
// has none.
type Limits struct {
	PerAddress      int64 // requests a minute; 0: no limit
	ConnsPerAddress int   // connections at once, or requests that a trusted proxy passes on; 0: no limit
	// networks whose addresses have none; the machine itself has no limits where it passes on no other sender's
	// requests
	Exempt []netip.Prefix
	Plans  map[string]ratelimit.Plan
}

// DefaultLimits are the limits where nothing else is said.
func DefaultLimits() Limits {
	return Limits{
		PerAddress:      600,
		ConnsPerAddress: 1000,
		Plans: map[string]ratelimit.Plan{
			"starter": {PerMinute: 120, PerSecond: 2, Burst: 50, PerMonth: 100_000},
			"growth":  {PerMinute: 600, PerSecond: 10, Burst: 150, PerMonth: 1_000_000},
			"scale":   {PerMinute: 3000, PerSecond: 50, Burst: 500, PerMonth: 10_000_000},
		},
	}
}

// botCost is what a request costs an address whose user agent is missing, or says that it is no person's.
const botCost = 5

// wrongKeyCost is what a key that is none costs on top: keys are not to be tried as fast as stock is asked for.
const wrongKeyCost = 4

// warnFrom is the part of a month's cap, in percent, from which answers say so.
const warnFrom = 80

// charge is what a request was charged, and what is said of it.
type charge struct {
	address netip.Addr // not valid: none
	cost    int64
	state   ratelimit.State // of the tightest limit; none: nothing is said
	used    int64           // of the month
	cap     int64
}

// chargeAddress charges the request to the address it comes from.
func (q *request) chargeAddress() *base.Error {
	s := q.server
	limit := s.limits.PerAddress
	if q.paid || limit == 0 || q.op != nil && q.op.probe {
		return nil
	}
	if !q.from.address.IsValid() || q.from.exempt {
		return nil
	}
	address, ok := q.from.address, false
	q.charge.address, q.charge.cost = address, 1
	if noPerson(q.ctx.Request.Header.UserAgent()) {
		q.charge.cost = botCost
	}
	if q.charge.state, ok = s.addresses.Take(address, q.clock, limit, q.charge.cost); !ok {
		return q.limited(base.CodeRateLimited, q.charge.state, q.charge.state.Reset-q.clock,
			"too many requests from this address")
	}
	return nil
}

// chargeWrongKey charges the address for a key that there is not, as far as it has anything left.
func (q *request) chargeWrongKey() {
	if !q.charge.address.IsValid() {
		return
	}
	if state, ok := q.server.addresses.Take(q.charge.address, q.clock, q.server.limits.PerAddress, wrongKeyCost); ok {
		q.charge.state = state
	}
}

// noPerson says of a user agent that it is missing, or that of a machine that goes through pages.
func noPerson(agent []byte) bool {
	if len(agent) == 0 {
		return true
	}
	for i, c := range agent {
		switch rest := agent[i:]; c | 0x20 {
		case 'b':
			if begins(rest, "bot") {
				return true
			}
		case 'c':
			if begins(rest, "crawler") {
				return true
			}
		case 's':
			if begins(rest, "spider") {
				return true
			}
		}
	}
	return false
}

// begins says that a text begins with lower-case letters, in whatever case.
func begins(text []byte, letters string) bool {
	if len(text) < len(letters) {
		return false
	}
	for i := range len(letters) {
		if text[i]|0x20 != letters[i] {
			return false
		}
	}
	return true
}

// chargeKey charges the request to the key and its account. Under a plan without limits what the address was charged is
// given back.
func (q *request) chargeKey() *base.Error {
	s, account := q.server, q.view.Account()
	q.meter = s.meters.Of(account.ID)
	if q.paid {
		return nil
	}
	plan, limited := s.limits.Plans[account.Plan]
	if !limited {
		q.meter.Take(q.key.ID, q.clock, nil)
		if q.charge.address.IsValid() {
			s.addresses.GiveBack(q.charge.address, q.clock, q.charge.cost)
		}
		q.charge = charge{}
		return nil
	}
	v := q.meter.Take(q.key.ID, q.clock, &plan)
	q.charge.used, q.charge.cap = v.Used, v.Cap
	switch {
	case v.OK:
		q.charge.state = ratelimit.Tighter(q.charge.state, v.State)
		return nil
	case v.Month:
		return q.limited(base.CodeMonthlyCap, v.State, v.Wait, "the account has used its requests of this month")
	}
	return q.limited(base.CodeRateLimited, v.State, v.Wait, "too many requests of this "+string(v.Layer))
}

// limited refuses for now. wait is in milliseconds.
func (q *request) limited(code base.Code, state ratelimit.State, wait int64, detail string) *base.Error {
	q.charge.state = state
	return q.later(code, state.Layer, wait, detail)
}

// busy refuses for now what takes room that other requests of the account, or of all, have.
func (q *request) busy(wait int64, detail string) *base.Error {
	return q.later(base.CodeRateLimited, ratelimit.Account, wait, detail)
}

func (q *request) later(code base.Code, layer ratelimit.Layer, wait int64, detail string) *base.Error {
	q.server.metrics.limited.WithLabelValues(string(layer)).Inc()
	q.ctx.Response.Header.SetCanonical(headerRetryAfter, strconv.AppendInt(nil, max(1, seconds(wait)), 10))
	return &base.Error{Code: code, Detail: detail, Details: map[string]any{"layer": layer}}
}

// seconds rounds milliseconds up.
func seconds(ms int64) int64 { return (ms + 999) / 1000 }

// say sets the headers that tell of the limits.
func (c *charge) say(q *request) {
	if c.state.Limit == 0 {
		return
	}
	h := &q.ctx.Response.Header
	set := func(name []byte, n int64) {
		q.numBuf = strconv.AppendInt(q.numBuf[:0], n, 10)
		h.SetCanonical(name, q.numBuf)
	}
	set(headerLimit, c.state.Limit)
	set(headerRemaining, c.state.Remaining)
	set(headerReset, seconds(c.state.Reset-q.server.behind().Round(time.Second).Milliseconds()))
	if c.cap > 0 && c.used*100 >= c.cap*warnFrom {
		q.numBuf = append(strconv.AppendInt(q.numBuf[:0], c.used, 10), " of the month's "...)
		q.numBuf = append(strconv.AppendInt(q.numBuf, c.cap, 10), " requests are used"...)
		h.SetCanonical(headerWarning, q.numBuf)
	}
}

// Headers in the form in which they are sent.
var (
	headerRetryAfter = []byte("Retry-After")
	headerLimit      = []byte("X-Ratelimit-Limit")
	headerRemaining  = []byte("X-Ratelimit-Remaining")
	headerReset      = []byte("X-Ratelimit-Reset")
	headerWarning    = []byte("X-Ratelimit-Warning")
)

// paidValue is the key under which a request that asked whether it may send its body keeps what it was charged then.
const paidValue = "holdfast.paid"

// keeper saves what the meters count, once a second and at the end.
type keeper struct {
	begin, end sync.Once
	stop       chan struct{}
	done       chan struct{}
}

// keepUsage restores the usage that was kept, and then keeps it regularly.
func (s *Server) keepUsage(e *engine.Engine) {
	s.keeper.begin.Do(func() {
		err := e.Usage(func(account base.ID, u engine.Usage) {
			s.meters.Restore(account, ratelimit.Usage{ID: u.ID, Month: u.Month, Count: u.Count, Last: u.Last})
		})
		if err != nil {
			s.log.Error("what was used this month cannot be read, it counts from anew", "cause", err)
		}
		s.keeper.done = make(chan struct{})
		go func() {
			defer close(s.keeper.done)
			s.keepSaving(e.SaveUsage)
		}()
	})
}

// keepSaving saves what has changed, until the server stops or the storage fails.
func (s *Server) keepSaving(save func([]engine.Usage) error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for last := false; !last; {
		select {
		case <-tick.C:
			s.pins.expire(s.now())
		case <-s.keeper.stop:
			last = true
		}
		changed := s.meters.Changed()
		if len(changed) == 0 {
			continue
		}
		list := make([]engine.Usage, len(changed))
		for i, u := range changed {
			list[i] = engine.Usage{ID: u.ID, Month: u.Month, Count: u.Count, Last: u.Last}
		}
		if err := save(list); err != nil {
			s.log.Error("what was used cannot be kept any more", "cause", err)
			return
		}
	}
}

// endUsage saves the last time.
func (s *Server) endUsage(ctx context.Context) {
	s.keeper.end.Do(func() { close(s.keeper.stop) })
	if s.keeper.done == nil {
		return
	}
	select {
	case <-s.keeper.done:
	case <-ctx.Done():
	}
}
