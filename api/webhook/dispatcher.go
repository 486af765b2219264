package webhook

import (
	"container/heap"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/api/auth"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns the dispatcher: which attempt is begun when.

const (
	perWebhook = 16 // attempts under way at one endpoint
	accounts   = 4  // an account has at most 1/accounts of them, not counting the first attempt at each endpoint (fits)

	busyQueue  = 16  // commands that wait, not counting those of outcomes, from which on deliveries give way
	busyFor    = 100 // milliseconds for which that counts: for a moment right after a sync no command waits
	busyPause  = 20  // milliseconds, in which busyStarts attempts are begun meanwhile
	busyStarts = 2
)

// MaxAttempts is how many attempts are under way where nothing else is said.
const MaxAttempts = 512

// Options are what a dispatcher needs from outside. Clock, chance and network are inputs.
type Options struct {
	Engine *engine.Engine
	Client *http.Client
	Now    func() int64 // milliseconds since the epoch, which may be behind the engine's present
	// Behind is by how much the machine's clock is behind Now; default: not at all. A receiver compares the time of an
	// attempt with its own clock.
	Behind func() time.Duration
	// Timer returns a channel that is sent to after a while, and what stops that; default: a time.Timer.
	Timer   func(d time.Duration) (<-chan time.Time, func())
	Jitter  func() int64 // from 0 to outbox.MaxJitter; default: by chance
	Logger  *slog.Logger // default: slog.Default
	Metrics prometheus.Registerer

	Waiting func() int // commands that wait; default: the engine's

	InAll           int   // attempts under way; default MaxAttempts
	BytesPerAccount int64 // of what an account's send; one attempt is made in any case; default 32 MiB
	// from so many waiting deliveries of a webhook on, they no longer give way; default: half of what may wait
	Patience int
}

// Dispatcher sends what is due until it is closed. One goroutine of its own uses all that is here; only Close may be
// called by others.
type Dispatcher struct {
	Options
	metrics *metrics
	quit    chan struct{}
	ended   chan struct{} // of the loop
	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup
	results chan result   // of attempts, to the recorder
	done    chan []result // recorded, to the loop
	over    chan struct{} // of the recorder
	own     atomic.Int64  // commands of the recorder that wait
	failed  chan struct{} // closed when outcomes cannot be recorded

	total   int               // attempts under way
	lanes   map[base.ID]int   // of each webhook
	shares  map[base.ID]int   // of each account
	bytes   map[base.ID]int64 // of what they send
	busy    map[base.ID]bool  // deliveries that are under way, until their outcome is recorded
	alarms  alarms
	next    map[base.ID]int64 // when an account has something due
	waiting []base.ID         // accounts that have more to send than there was room for
	queued  map[base.ID]bool  // those in waiting
	started int               // attempts begun in the pause since
	since   int64
	pressed int64 // when many commands were last seen to wait
}

// result is an attempt that is over.
type result struct {
	account, webhook base.ID
	outcome          outbox.Outcome
	bytes            int64
	void             bool // there was nothing to send, or the server stopped: nothing is recorded
	unknown          bool // it could not be recorded
}

// Start makes a dispatcher that begins with all that is due.
func Start(o Options) *Dispatcher {
	if o.Behind == nil {
		o.Behind = func() time.Duration { return 0 }
	}
	if o.Timer == nil {
		o.Timer = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	if o.Jitter == nil {
		o.Jitter = func() int64 { return rand.Int64N(outbox.MaxJitter + 1) }
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Waiting == nil {
		o.Waiting = func() int { return o.Engine.Stats().Waiting }
	}
	if o.InAll == 0 {
		o.InAll = MaxAttempts
	}
	if o.BytesPerAccount == 0 {
		o.BytesPerAccount = 32 << 20
	}
	if o.Patience == 0 {
		o.Patience = base.MaxQueued / 2
	}
	d := &Dispatcher{
		Options: o, quit: make(chan struct{}), ended: make(chan struct{}), results: make(chan result, o.InAll),
		done: make(chan []result, 1),
		over: make(chan struct{}), failed: make(chan struct{}),
		lanes: map[base.ID]int{}, shares: map[base.ID]int{}, bytes: map[base.ID]int64{}, busy: map[base.ID]bool{},
		next: map[base.ID]int64{}, queued: map[base.ID]bool{},
	}
	d.metrics = newMetrics(o.Metrics, o.Engine, o.Now)
	d.ctx, d.cancel = context.WithCancel(context.Background())
	go d.run()
	go d.record()
	return d
}

// Close begins no more attempts, waits for those under way until the context ends, cuts off the rest, and returns when
// all outcomes are recorded. What was cut off is sent again after a start.
func (d *Dispatcher) Close(ctx context.Context) {
	close(d.quit)
	<-d.ended
	stop := context.AfterFunc(ctx, d.cancel)
	d.workers.Wait()
	stop()
	d.cancel()
	close(d.results)
	<-d.over
}

func (d *Dispatcher) run() {
	defer close(d.ended)
	for {
		wake, stop := d.timer()
		select {
		case <-d.quit:
			stop()
			go func() { // the recorder is not kept waiting
				for range d.done {
				}
			}()
			return
		case <-d.failed: // storage: there is nothing to do but wait for the end
			stop()
			<-d.quit
			return
		case <-d.Engine.Called():
			for _, account := range d.Engine.TakeCalled() {
				d.look(account)
			}
		case list := <-d.done:
			d.finish(list)
		case <-wake:
		}
		stop()
		d.ring()
	}
}

// timer waits for what is due next.
func (d *Dispatcher) timer() (<-chan time.Time, func()) {
	at := int64(0)
	if len(d.alarms) > 0 {
		at = d.alarms[0].at
	}
	if len(d.waiting) > 0 && d.total < d.InAll && (at == 0 || d.since+busyPause < at) {
		at = d.since + busyPause
	}
	if at == 0 {
		return nil, func() {}
	}
	return d.Timer(time.Duration(at-d.Now()) * time.Millisecond)
}

// ring looks at the accounts that have something due, and at those that waited for room.
func (d *Dispatcher) ring() {
	now := d.Now()
	for len(d.alarms) > 0 && d.alarms[0].at <= now {
		if a := heap.Pop(&d.alarms).(alarm); d.next[a.account] == a.at {
			delete(d.next, a.account)
			d.look(a.account)
		}
	}
	for range len(d.waiting) {
		if d.total >= d.InAll || d.paused() {
			return
		}
		account := d.waiting[0]
		d.waiting = d.waiting[1:]
		if d.total >= d.forFirst() && d.shares[account] > 0 {
			d.waiting = append(d.waiting, account)
			continue
		}
		delete(d.queued, account)
		d.look(account)
	}
}

// finish frees the room of attempts whose outcomes are recorded. Accounts that wait for room come before theirs.
func (d *Dispatcher) finish(list []result) {
	for _, r := range list {
		d.total--
		if !r.unknown {
			delete(d.busy, r.outcome.Delivery)
		}
		less(d.lanes, r.webhook, 1)
		less(d.shares, r.account, 1)
		less(d.bytes, r.account, r.bytes)
	}
	d.ring()
	for i, r := range list {
		if i == 0 || list[i-1].account != r.account {
			d.look(r.account)
		}
	}
}

// less takes some from a count, which is dropped where nothing is left.
func less[N int | int64](counts map[base.ID]N, of base.ID, n N) {
	if counts[of] -= n; counts[of] == 0 {
		delete(counts, of)
	}
}

// look begins what is due in an account, as far as there is room, and notes when to look again.
func (d *Dispatcher) look(account base.ID) {
	v, ok := d.Engine.View(account)
	if !ok {
		return
	}
	now, next := v.Now(d.Now()), int64(0)
	webhooks := outbox.Webhooks(v)
	share := d.InAll / accounts
	even := min(perWebhook, max(1, share/max(1, queued(v, webhooks))))
	for _, w := range webhooks {
		behind := outbox.Queued(v, w.ID) >= d.Patience // slower commands are better than events that find no place
		for x := range outbox.Queue(v, w.ID) {
			if d.busy[x.ID] || !w.Enabled && !x.ByHand {
				continue
			}
			if x.Next > now {
				if next == 0 || x.Next < next {
					next = x.Next
				}
				break
			}
			if d.lanes[w.ID] >= even || d.lanes[w.ID] > 0 && d.shares[account] >= share ||
				d.shares[account] > 0 && d.bytes[account]+bytesOf(x) > d.BytesPerAccount {
				break // looked at again when one of the account's is over
			}
			if !d.fits(account, w.ID) || !behind && d.paused() {
				if !d.queued[account] {
					d.queued[account] = true
					d.waiting = append(d.waiting, account)
				}
				break
			}
			d.begin(v, x)
		}
	}
	if next != 0 && d.next[account] != next {
		d.next[account] = next
		heap.Push(&d.alarms, alarm{next, account})
	}
}

// fits says that there is room for one more attempt. The last quarter is for accounts that have none under way, and the
// one before it for endpoints that have none.
func (d *Dispatcher) fits(account, webhook base.ID) bool {
	switch {
	case d.shares[account] == 0:
		return d.total < d.InAll
	case d.lanes[webhook] == 0:
		return d.total < d.forFirst()
	}
	return d.total < d.InAll/2
}

// forFirst is from how many attempts on only an account that has none under way begins one.
func (d *Dispatcher) forFirst() int { return d.InAll - d.InAll/4 }

// bytesOf is about how much an attempt holds.
func bytesOf(x *outbox.Delivery) int64 { return int64(x.Size) + outbox.RowSize }

// queued counts the webhooks that have deliveries in their queue.
func queued(v base.View, webhooks []*outbox.Webhook) (n int) {
	for _, w := range webhooks {
		if outbox.Queued(v, w.ID) > 0 {
			n++
		}
	}
	return n
}

// paused says whether commands wait for the writer, or did just now, and enough was begun meanwhile.
func (d *Dispatcher) paused() bool {
	now := d.Now()
	if now >= d.since+busyPause || now < d.since {
		d.since, d.started = now, 0
	}
	if d.Waiting()-int(d.own.Load()) >= busyQueue {
		d.pressed = now
	}
	return d.started >= busyStarts && now < d.pressed+busyFor && now >= d.pressed
}

// begin makes an attempt on a goroutine of its own.
func (d *Dispatcher) begin(v base.View, x *outbox.Delivery) {
	d.total++
	d.started++
	d.lanes[x.Webhook]++
	d.shares[v.Account().ID]++
	d.bytes[v.Account().ID] += bytesOf(x)
	d.busy[x.ID] = true
	d.metrics.underWay.Inc()
	d.workers.Add(1)
	go func() {
		defer d.workers.Done()
		r := result{account: v.Account().ID, webhook: x.Webhook, bytes: bytesOf(x),
			outcome: outbox.Outcome{Delivery: x.ID, Jitter: d.Jitter()}}
		began := d.Now()
		at := v.Now(began) // of the schedule: a clock that was set back ends none
		call, err := d.Engine.Call(v, x, at)
		switch {
		case err != nil:
			r.outcome.Error = "the event could not be read"
		case call == nil:
			r.void = true
		case !auth.MayReceive(call.Scopes, string(x.Type)):
			r.outcome.Error = "the key that made the webhook could not read this"
		default:
			r.outcome.Attempt = attempt(d.ctx, d.Client, began-d.Behind().Milliseconds(), x.Event, call)
			r.outcome.Sent = len(call.Body)
			r.outcome.Body = call.Of
			r.void = d.ctx.Err() != nil && r.outcome.Status == 0
		}
		r.outcome.Number, r.outcome.At, r.outcome.Took = x.Attempts+1, at, max(0, d.Now()-began)
		d.metrics.underWay.Dec()
		d.results <- r
	}()
}

// alarm says when something is due in an account; an alarm that is not in next any more means nothing.
type alarm struct {
	at      int64
	account base.ID
}

type alarms []alarm

func (a alarms) Len() int           { return len(a) }
func (a alarms) Less(i, j int) bool { return a[i].at < a[j].at }
func (a alarms) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *alarms) Push(x any)        { *a = append(*a, x.(alarm)) }
func (a *alarms) Pop() any {
	n := len(*a) - 1
	x := (*a)[n]
	*a = (*a)[:n]
	return x
}
