package outbox

import (
	"slices"

	"holdfast/engine/base"
)

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

// attemptRow is an attempt under its id: the id of the n-th attempt is n places after that of its delivery.
type attemptRow struct {
	ID base.ID `json:"-"`
	Attempt
}

var AttemptKind = base.StoredRows(&base.Kind[attemptRow]{
	Tag:    base.TagAttempt,
	Name:   "delivery attempt",
	Key:    func(a *attemptRow) base.ID { return a.ID },
	Encode: base.EncodeCold[attemptRow],
	Decode: func(account, key base.ID, b []byte) (*attemptRow, error) {
		a, err := base.DecodeCold[attemptRow]("delivery attempt")(account, key, b)
		if err == nil {
			a.ID = key
		}
		return a, err
	},
	Weigh: base.JSONWeight[attemptRow],
	Knows: base.Knows[attemptRow],
})

// Outcome is an attempt at a delivery. The caller that made the attempt draws Jitter: how much later the next one is,
// in ten thousandths of the time until then.
type Outcome struct {
	Delivery base.ID
	Jitter   int64
	Sent     int     // bytes of the body, 0: it was not come by
	Body     base.ID // that was sent
	Attempt
}

// MaxJitter is the greatest jitter: a tenth.
const MaxJitter = 1000

// RecordAttempts takes what came of attempts at deliveries of an account. An attempt that is known already, or of a
// delivery that is not, is left out, and so is what was answered to a body that was blanked meanwhile.
type RecordAttempts struct {
	base.Answers[any]
	Outcomes []Outcome
}

func (o RecordAttempts) Check(c *base.Checker) {
	for i, x := range o.Outcomes {
		if x.Jitter < 0 || x.Jitter > MaxJitter || x.Sent < 0 || x.Took < 0 || x.At < base.MinInstant ||
			x.At > base.MaxInstant || len(x.Answer) > KeptAnswer || len(x.Error) > base.MaxName {
			c.Fault("/outcomes/"+base.Itoa(i), "range", "is no outcome of an attempt")
		}
	}
}

func (o RecordAttempts) PlanOn(t *base.Tx) (any, error) {
	seen := map[base.ID]bool{}
	for i := range o.Outcomes {
		x := o.Outcomes[i]
		d := DeliveryTable(t.Acc).Get(x.Delivery)
		if d == nil || d.Attempts+1 != x.Number || d.Attempts >= MaxAttempts || seen[d.ID] {
			continue
		}
		seen[d.ID] = true
		if x.Body != d.Body {
			x.Sent, x.Answer = 0, nil
		}
		base.Record(t, AttemptKind, nil, &attemptRow{base.After(d.ID, uint64(x.Number)), x.Attempt})
		n := d.changed()
		n.Attempts, n.Status = x.Number, x.Status
		if d.Attempts == 0 && x.Sent > 0 {
			n.Size = uint32(x.Sent)
		}
		n.Size += uint32(len(x.Answer) + RowSize)
		attempted(t, &n, &x)
		base.Record(t, DeliveryKind, d, &n)
	}
	return nil, nil
}

// attempted makes of a delivery what an outcome makes of it.
func attempted(t *base.Tx, n *Delivery, x *Outcome) {
	w := hooks(t).of(t, n.Webhook)
	if x.Acknowledged() {
		n.State, n.Next, n.Ended = DeliveryDone, 0, t.Now
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
	pause := int64(Backoff) << (n.Tries - 1)
	n.Next = x.At + x.Took + pause + pause*x.Jitter/10_000
	if w == nil || !w.Enabled && !n.ByHand || n.Tries >= TryAtMost || n.Next > n.First+GiveUp {
		fail(t, n, w)
	}
}

// fail gives a delivery up, and counts that for its webhook.
func fail(t *base.Tx, n *Delivery, w *WebhookRow) {
	n.State, n.Next, n.Ended = DeliveryFailed, 0, t.Now
	if w == nil || !w.Enabled || n.ByHand {
		return
	}
	if w.Failed++; w.Failed >= FailuresAll {
		reason := TooManyFailures
		w.Enabled, w.DisabledReason, w.Drain, w.MissedEvents, w.MissedSince = false, &reason, t.Now, 0, 0
		w.UpdatedAt, w.Revision = t.Now, w.Revision+1
	}
}

// webhookEdits are what deliveries make of their webhooks in one command, which deliveries it has given up, and what it
// keeps for those that are disabled.
type webhookEdits struct {
	list   []webhookEdit
	failed map[base.ID]bool
	kept   map[base.ID]queueCount
}

// keeps says whether there is room to keep another event for a webhook.
func (e *webhookEdits) keeps(t *base.Tx, id base.ID) bool {
	c, more := Calls(t.Acc).Of(id), e.kept[id]
	return c.Kept+more.Kept < MaxKept && c.bytes+more.bytes < keptBytes
}

func (e *webhookEdits) keep(d *Delivery) {
	if e.kept == nil {
		e.kept = map[base.ID]queueCount{}
	}
	c := e.kept[d.Webhook]
	e.kept[d.Webhook] = queueCount{Kept: c.Kept + 1, bytes: c.bytes + d.length()}
}

type webhookEdit struct {
	before *WebhookRow
	after  WebhookRow
}

// of is a webhook as the command leaves it, to be changed; nil: there is none.
func (e *webhookEdits) of(t *base.Tx, id base.ID) *WebhookRow {
	i := slices.IndexFunc(e.list, func(x webhookEdit) bool { return x.before.ID == id })
	if i < 0 {
		w := WebhookTable(t.Acc).Get(id)
		if w == nil {
			return nil
		}
		i = len(e.list)
		e.list = append(e.list, webhookEdit{w, *w})
	}
	return &e.list[i].after
}

// once says of each delivery one time that it may be given up.
func (e *webhookEdits) once(id base.ID) bool {
	if e.failed[id] {
		return false
	}
	if e.failed == nil {
		e.failed = map[base.ID]bool{}
	}
	e.failed[id] = true
	return true
}

// counted is what deliveries change of a webhook.
func (w *WebhookRow) counted() [5]int64 {
	enabled := int64(0)
	if w.Enabled {
		enabled = 1
	}
	return [5]int64{enabled, int64(w.Failed), w.Drain, int64(w.MissedEvents), w.MissedSince}
}

// RecordWebhooks adds the webhooks that the command's deliveries and events changed to its write set.
func RecordWebhooks(t *base.Tx) {
	if !hooksPlace.Made(&t.Shelf) {
		return
	}
	for i := range hooks(t).list {
		if x := &hooks(t).list[i]; x.after.counted() != x.before.counted() {
			base.Record(t, WebhookKind, x.before, &x.after)
		}
	}
}

func init() {
	// A delivery is given up some time after its first attempt.
	DeliveryKind.WhenDue.Do = func(t *base.Tx, id base.ID) {
		if d := DeliveryTable(t.Acc).Get(id); hooks(t).once(id) {
			n := d.changed()
			fail(t, &n, hooks(t).of(t, d.Webhook))
			base.Record(t, DeliveryKind, d, &n)
		}
	}
	// What a disabled webhook had queued is given up, in parts, except for what was queued by hand.
	WebhookKind.WhenDue.Do = func(t *base.Tx, id base.ID) {
		w := hooks(t).of(t, id)
		left := base.DueAtOnce
		for d := range Calls(t.Acc).each(id) {
			if d.ByHand {
				continue
			}
			if left == 0 {
				return // the rest follows
			}
			left--
			if hooks(t).once(d.ID) {
				n := d.changed()
				n.State, n.Next, n.Ended = DeliveryFailed, 0, t.Now
				base.Record(t, DeliveryKind, d, &n)
			}
		}
		w.Drain = 0
	}
}

// RedeliverDelivery queues a delivery that is over once more, by hand, also where its webhook is disabled.
type RedeliverDelivery struct {
	base.Answers[*Delivery]
	base.Adds
	Webhook, ID base.ID
}

func (o RedeliverDelivery) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.Webhook, nil)
	if err != nil {
		return nil, err
	}
	d := DeliveryTable(t.Acc).Get(o.ID)
	if d == nil || d.Webhook != w.ID {
		return nil, base.NotFound("delivery")
	}
	if !d.again() || Calls(t.Acc).Waiting(w.ID) >= t.Bounds.Queued {
		return nil, base.NotAllowed("the delivery waits already, or was tried too often", d.State.String())
	}
	n := d.requeued(t.Now)
	n.ByHand = true
	base.Record(t, DeliveryKind, d, n)
	return n, nil
}

// again says whether a delivery can be queued once more.
func (d *Delivery) again() bool {
	return d.State != DeliveryPending && d.Attempts+TryAtMost <= MaxAttempts
}

func (d *Delivery) requeued(now int64) *Delivery {
	n := d.changed()
	n.State, n.Next, n.Ended, n.First, n.Tries, n.ByHand, n.Kept = DeliveryPending, now, 0, 0, 0, false, false
	return &n
}

// RecoverDeliveries queues again what has failed for good at a webhook since an instant, and what was kept for it since
// then, tests left out, in the order of the events.
type RecoverDeliveries struct {
	base.Answers[*Recovered]
	base.Adds
	Webhook base.ID
	Since   int64
}

// Recovered says how many deliveries were queued again, and how many are left for another call.
type Recovered struct{ Queued, Left int }

func (o RecoverDeliveries) Check(c *base.Checker) { c.Instant("/since", o.Since) }

// failedPerUnit is how many failed deliveries are looked at in the time that a unit of stock takes.
const failedPerUnit = 8

// Size makes the plan be made outside the writer if many deliveries have failed: it looks at all of them, as one may
// fail long after later ones did.
func (o RecoverDeliveries) Size(a *base.AccountState) int {
	return DeliveryTable(a).CountPrefix(deliveryByWebhook, deliveryKey(o.Webhook, DeliveryFailed)) / failedPerUnit
}

func (o RecoverDeliveries) PlanOn(t *base.Tx) (any, error) {
	w, err := base.Found(t, WebhookKind, o.Webhook, nil)
	if err != nil {
		return nil, err
	}
	if err := w.enabled(); err != nil {
		return nil, err
	}
	var r Recovered
	room := min(MaxRecover, t.Bounds.Queued-Calls(t.Acc).Waiting(w.ID))
	for d := range DeliveryTable(t.Acc).By(deliveryByWebhook, deliveryKey(w.ID, DeliveryFailed)) {
		switch {
		case d.Ended < o.Since || d.Test || !d.again():
		case r.Queued >= room:
			r.Left++
		default:
			r.Queued++
			base.Record(t, DeliveryKind, d, d.requeued(t.Now))
		}
	}
	return &r, nil
}

var hooksPlace = base.RegisterPlace[webhookEdits]()

// hooks is what a plan makes of webhooks.
func hooks(t *base.Tx) *webhookEdits { return hooksPlace.On(&t.Shelf) }
