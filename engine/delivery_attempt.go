package engine

import "slices"

// This file owns the schedule of a delivery: what an attempt's outcome makes of it and of its webhook.

// Attempt is one attempt at a delivery, and what came of it.
type Attempt struct {
	Number int    // from 1
	At     int64  // when it began
	Took   int64  // milliseconds
	Status int    `json:",omitempty"` // of the answer, 0: there was none
	Error  string `json:",omitempty"` // why there was none, or none that counts
	Answer []byte `json:",omitempty"` // the first KeptAnswer bytes of its body
}

// KeptAnswer is how much is kept of an answer's body.
const KeptAnswer = 4 << 10

// Acknowledged says whether the endpoint has taken the event.
func (a *Attempt) Acknowledged() bool { return a.Error == "" && a.Status >= 200 && a.Status <= 299 }

// attemptRow is an attempt under its id, which is as many places behind that of its delivery as it has attempts.
type attemptRow struct {
	ID ID `json:"-"`
	Attempt
}

var attemptKind = storedRows(&kind[attemptRow]{
	tag:    tagAttempt,
	name:   "delivery attempt",
	key:    func(a *attemptRow) ID { return a.ID },
	encode: encodeCold[attemptRow],
	decode: func(account, key ID, b []byte) (*attemptRow, error) {
		a, err := decodeCold[attemptRow]("delivery attempt")(account, key, b)
		if err == nil {
			a.ID = key
		}
		return a, err
	},
	weigh: jsonWeight[attemptRow],
	knows: knows[attemptRow],
})

// Outcome is an attempt at a delivery. Jitter is drawn by the one who made it: how much later the next one is, in ten
// thousandths of the time until then.
type Outcome struct {
	Delivery ID
	Jitter   int64
	Sent     int // bytes of the body, 0: it was not come by
	Attempt
}

// MaxJitter is the greatest jitter: a tenth.
const MaxJitter = 1000

// RecordAttempts takes what came of attempts at deliveries of an account. An attempt that is known already, or of a delivery
// that is not, is left out. It answers with nil.
type RecordAttempts struct{ Outcomes []Outcome }

func (o RecordAttempts) Check() []Fault {
	var c checker
	for i, x := range o.Outcomes {
		if x.Jitter < 0 || x.Jitter > MaxJitter || x.Sent < 0 || x.Took < 0 || x.At < minInstant || x.At > maxInstant || len(x.Answer) > KeptAnswer || len(x.Error) > maxName {
			c.fault("/outcomes/"+itoa(i), "range", "is no outcome of an attempt")
		}
	}
	return c.faults
}

func (o RecordAttempts) plan(t *tx) (any, error) {
	seen := map[ID]bool{}
	for i := range o.Outcomes {
		x := &o.Outcomes[i]
		d := t.acc.deliveries().Get(x.Delivery)
		if d == nil || d.Attempts+1 != x.Number || d.Attempts >= maxAttempts || seen[d.ID] {
			continue
		}
		seen[d.ID] = true
		record(t, attemptKind, nil, &attemptRow{after(d.ID, uint64(x.Number)), x.Attempt})
		n := d.changed()
		n.Attempts, n.Status = x.Number, x.Status
		if d.Attempts == 0 && x.Sent > 0 {
			n.Size = uint32(x.Sent)
		}
		n.Size += uint32(len(x.Answer) + rowSize)
		t.attempted(&n, x)
		record(t, deliveryKind, d, &n)
	}
	return nil, nil
}

func (RecordAttempts) result() any { return new(any) }

// attempted makes of a delivery what an outcome makes of it.
func (t *tx) attempted(n *Delivery, x *Outcome) {
	w := t.hooks().of(t, n.Webhook)
	if x.Acknowledged() {
		n.State, n.Next, n.Ended = DeliveryDone, 0, t.now
		if w != nil && !n.ByHand {
			w.Failed = 0
		}
		return
	}
	if n.State != DeliveryPending {
		return // given up while the attempt was under way
	}
	n.Tries++
	if n.First == 0 {
		n.First = x.At
	}
	pause := int64(backoff) << (n.Tries - 1)
	n.Next = x.At + x.Took + pause + pause*x.Jitter/10_000
	if w == nil || !w.Enabled && !n.ByHand || n.Tries >= tryAtMost || n.Next > n.First+giveUp {
		t.fail(n, w)
	}
}

// fail gives a delivery up, and counts that for its webhook.
func (t *tx) fail(n *Delivery, w *webhookRow) {
	n.State, n.Next, n.Ended = DeliveryFailed, 0, t.now
	if w == nil || !w.Enabled || n.ByHand {
		return
	}
	if w.Failed++; w.Failed >= failuresAll {
		reason := TooManyFailures
		w.Enabled, w.DisabledReason, w.Drain, w.MissedEvents, w.MissedSince = false, &reason, t.now, 0, 0
		w.UpdatedAt, w.Revision = t.now, w.Revision+1
	}
}

// webhookEdits are what deliveries make of their webhooks in one command, which deliveries it has given up, and what it keeps for those that are
// disabled.
type webhookEdits struct {
	list   []webhookEdit
	failed map[ID]bool
	kept   map[ID]queueCount
}

// keeps says whether there is room to keep another event for a webhook.
func (e *webhookEdits) keeps(t *tx, id ID) bool {
	c, more := t.acc.calls().of(id), e.kept[id]
	return c.kept+more.kept < MaxKept && c.bytes+more.bytes < keptBytes
}

func (e *webhookEdits) keep(d *Delivery) {
	if e.kept == nil {
		e.kept = map[ID]queueCount{}
	}
	c := e.kept[d.Webhook]
	e.kept[d.Webhook] = queueCount{kept: c.kept + 1, bytes: c.bytes + d.length()}
}

type webhookEdit struct {
	before *webhookRow
	after  webhookRow
}

// of is a webhook as the command leaves it, to be changed; nil: there is none.
func (e *webhookEdits) of(t *tx, id ID) *webhookRow {
	i := slices.IndexFunc(e.list, func(x webhookEdit) bool { return x.before.ID == id })
	if i < 0 {
		w := t.acc.webhooks().Get(id)
		if w == nil {
			return nil
		}
		i = len(e.list)
		e.list = append(e.list, webhookEdit{w, *w})
	}
	return &e.list[i].after
}

// once says of each delivery one time that it may be given up.
func (e *webhookEdits) once(id ID) bool {
	if e.failed[id] {
		return false
	}
	if e.failed == nil {
		e.failed = map[ID]bool{}
	}
	e.failed[id] = true
	return true
}

// counted is what deliveries change of a webhook.
func (w *webhookRow) counted() [5]int64 {
	enabled := int64(0)
	if w.Enabled {
		enabled = 1
	}
	return [5]int64{enabled, int64(w.Failed), w.Drain, int64(w.MissedEvents), w.MissedSince}
}

// recordWebhooks adds the webhooks that the command's deliveries and events changed to its write set.
func (t *tx) recordWebhooks() {
	if !hooksPlace.made(&t.shelf) {
		return
	}
	for i := range t.hooks().list {
		if x := &t.hooks().list[i]; x.after.counted() != x.before.counted() {
			record(t, webhookKind, x.before, &x.after)
		}
	}
}

func init() {
	// A delivery is given up some time after its first attempt.
	deliveryKind.fall = func(t *tx, id ID) {
		if d := t.acc.deliveries().Get(id); t.hooks().once(id) {
			n := d.changed()
			t.fail(&n, t.hooks().of(t, d.Webhook))
			record(t, deliveryKind, d, &n)
		}
	}
	// What a disabled webhook had queued is given up, in parts, but for what was queued by hand.
	webhookKind.fall = func(t *tx, id ID) {
		w := t.hooks().of(t, id)
		left := dueAtOnce
		for d := range t.acc.calls().each(id) {
			if d.ByHand {
				continue
			}
			if left == 0 {
				return // the rest follows
			}
			left--
			if t.hooks().once(d.ID) {
				n := d.changed()
				n.State, n.Next, n.Ended = DeliveryFailed, 0, t.now
				record(t, deliveryKind, d, &n)
			}
		}
		w.Drain = 0
	}
}

// RedeliverDelivery queues a delivery that is over once more, by hand, also where its webhook is disabled. It answers with the *Delivery.
type RedeliverDelivery struct{ Webhook, ID ID }

func (RedeliverDelivery) Check() []Fault { return nil }

func (o RedeliverDelivery) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.Webhook, nil)
	if err != nil {
		return nil, err
	}
	d := t.acc.deliveries().Get(o.ID)
	if d == nil || d.Webhook != w.ID {
		return nil, notFound("delivery")
	}
	if !d.again() || t.acc.calls().waiting(w.ID) >= MaxQueued {
		return nil, &Error{Code: CodeStateNotAllowed, Detail: "the delivery waits already, or was tried too often", Details: StateDetails{d.State.String(), []string{}}}
	}
	n := d.requeued(t.now)
	n.ByHand = true
	record(t, deliveryKind, d, n)
	return n, nil
}

func (RedeliverDelivery) result() any { return new(Delivery) }

// again says whether a delivery can be queued once more.
func (d *Delivery) again() bool {
	return d.State != DeliveryPending && d.Attempts+tryAtMost <= maxAttempts
}

func (d *Delivery) requeued(now int64) *Delivery {
	n := d.changed()
	n.State, n.Next, n.Ended, n.First, n.Tries, n.ByHand, n.Kept = DeliveryPending, now, 0, 0, 0, false, false
	return &n
}

// RecoverDeliveries queues again what has failed for good at a webhook since an instant, and what was kept for it since then, tests left out, in the order of the events. It answers
// with the *Recovered.
type RecoverDeliveries struct {
	Webhook ID
	Since   int64
}

// Recovered says how many deliveries were queued again, and how many are left for another call.
type Recovered struct{ Queued, Left int }

func (o RecoverDeliveries) Check() []Fault {
	var c checker
	c.instant("/since", o.Since)
	return c.faults
}

func (o RecoverDeliveries) plan(t *tx) (any, error) {
	w, err := found(t, webhookKind, o.Webhook, nil)
	if err != nil {
		return nil, err
	}
	if err := w.enabled(); err != nil {
		return nil, err
	}
	var r Recovered
	room := min(maxRecover, MaxQueued-t.acc.calls().waiting(w.ID))
	for d := range t.acc.deliveries().By(deliveryByWebhook, deliveryKey(w.ID, DeliveryFailed)) {
		switch {
		case d.Ended < o.Since || d.Test || !d.again():
		case r.Queued >= room:
			r.Left++
		default:
			r.Queued++
			record(t, deliveryKind, d, d.requeued(t.now))
		}
	}
	return &r, nil
}

func (RecoverDeliveries) result() any { return new(Recovered) }

var hooksPlace = registerPlace[webhookEdits]()

// hooks is what a plan makes of webhooks.
func (t *tx) hooks() *webhookEdits { return hooksPlace.on(&t.shelf) }
