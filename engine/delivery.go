package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/tidwall/btree"

	"holdfast/engine/table"
	"holdfast/persist"
)

// This file owns deliveries: what is kept in memory of each, the queue of those that wait, and the log of all.

// DeliveryState is how far a delivery has come.
type DeliveryState uint8

// A delivery is pending until it is delivered or given up.
const (
	DeliveryPending DeliveryState = iota + 1
	DeliveryDone
	DeliveryFailed
)

func (s DeliveryState) String() string { return [...]string{"", "pending", "delivered", "failed"}[s] }

// Delivery is one event on its way to one webhook. The event's bytes, and what came of each attempt, are on disk.
type Delivery struct {
	ID       ID
	Webhook  ID
	Event    ID
	Body     ID // of the bytes that are sent
	Resource ID
	Type     HookEvent
	State    DeliveryState
	Test     bool   // of an event that did not happen
	ByHand   bool   // queued by a person: how it goes does not count for the webhook
	Kept     bool   // of an event that happened while the webhook was disabled: it is sent when it is recovered
	Attempts int    // made so far
	Tries    int    // of those, in the schedule under way
	Next     int64  // pending: when the next attempt is due
	First    int64  // first attempt of the schedule, 0: none yet
	Ended    int64  // when it was delivered or given up
	Status   int    // of the last answer, 0: there was none
	Size     uint32 // in bytes, of the body and of the answers kept; of the body about, until it was sent once
	Revision uint32
}

const (
	deliveryByWebhook = 0 // with and without the state
	maxAttempts       = 200
	rowSize           = 256 // about, of a delivery without its body and answers

	tryAtMost  = 4
	backoff    = 10_000 // after the first attempt; then twice that, and again
	giveUp     = 10 * 60 * 1000
	logFor     = 14 * 24 * 60 * 60 * 1000
	maxRecover = 10_000
)

func deliveryKey(webhook ID, state DeliveryState) string {
	return string(append(webhook[:], byte(state)))
}

var deliveryKind = func() *kind[Delivery] {
	k := rowsOf(tagDelivery, "delivery", func(d *Delivery) ID { return d.ID }, table.By(func(d *Delivery) []string {
		return []string{deliveryKey(d.Webhook, 0), deliveryKey(d.Webhook, d.State)}
	}))
	k.resource = "" // the log tells of them
	k.encode, k.decode, k.knows = encodeDelivery, decodeDelivery, nil
	k.weigh = func(*Delivery) int { return 2 * hotWeight }
	k.dueAt((*Delivery).givenUpAt)
	put := k.put
	k.put = func(s *state, a *account, before, after *Delivery) {
		if before != nil {
			a.calls().remove(before)
		}
		if after != nil {
			a.calls().add(after)
		}
		put(s, a, before, after)
		if before != nil && before.State == DeliveryPending || after != nil && after.State == DeliveryPending {
			s.call(a)
		}
	}
	return k
}()

func (a *account) deliveries() *table.Table[Delivery] { return tableOf[Delivery](a, tagDelivery) }

// changed is a copy of a delivery, to become what it is next.
func (d *Delivery) changed() Delivery {
	n := *d
	n.Revision++
	return n
}

// givenUpAt is when a pending delivery is given up, 0 where it has not begun.
func (d *Delivery) givenUpAt() int64 {
	if d.State != DeliveryPending || d.First == 0 {
		return 0
	}
	return d.First + giveUp
}

const (
	deliveryIsTest = 1 << iota
	deliveryByHand
	deliveryKept
)

func encodeDelivery(dst []byte, d *Delivery) []byte {
	flags := byte(0)
	if d.Test {
		flags |= deliveryIsTest
	}
	if d.ByHand {
		flags |= deliveryByHand
	}
	if d.Kept {
		flags |= deliveryKept
	}
	dst = append(dst, hotVersion)
	for _, id := range [...]ID{d.Webhook, d.Event, d.Body, d.Resource} {
		dst = append(dst, id[:]...)
	}
	dst = append(dst, byte(slices.Index(HookEvents, d.Type)), byte(d.State), flags, byte(d.Attempts), byte(d.Tries))
	for _, n := range [...]int64{d.Next, d.First, d.Ended} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(d.Status))
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, d.Size), d.Revision)
}

func decodeDelivery(_, key ID, b []byte) (*Delivery, error) {
	r, err := hotReader("delivery", b)
	if err != nil {
		return nil, err
	}
	d := &Delivery{ID: key, Webhook: r.id(), Event: r.id(), Body: r.id(), Resource: r.id()}
	typ := int(r.u8())
	d.State = DeliveryState(r.u8())
	flags := r.u8()
	d.Test, d.ByHand, d.Kept = flags&deliveryIsTest != 0, flags&deliveryByHand != 0, flags&deliveryKept != 0
	d.Attempts, d.Tries = int(r.u8()), int(r.u8())
	d.Next, d.First, d.Ended = r.i64(), r.i64(), r.i64()
	d.Status, d.Size, d.Revision = int(r.u16()), r.u32(), r.u32()
	if typ >= len(HookEvents) || d.State < DeliveryPending || d.State > DeliveryFailed {
		return nil, fmt.Errorf("delivery: stored row has type %d and state %d", typ, d.State)
	}
	d.Type = HookEvents[typ]
	return d, r.done("delivery")
}

// callQueue is an account's pending deliveries, by webhook and then by when they are due. It is derived.
type callQueue struct {
	items  *btree.BTreeG[queued]
	counts *btree.BTreeG[queueCount]
	bytes  int64      // of the whole log
	copy   *callQueue // what publish gave last, while nothing has changed since
}

type queued struct {
	webhook ID
	at      int64
	id      ID
	row     *Delivery
}

// queueCount is how many deliveries of a webhook wait to be sent, and how many wait to be recovered.
type queueCount struct {
	webhook ID
	n       int
	kept    int
	bytes   int64 // of those that are kept
}

var callExtension = registerExtension(newCallQueue)

func (a *account) calls() *callQueue { return callExtension.in(a) }

func newCallQueue() *callQueue {
	return &callQueue{
		items: btree.NewBTreeGOptions(func(a, b queued) bool {
			if c := bytes.Compare(a.webhook[:], b.webhook[:]); c != 0 {
				return c < 0
			}
			if a.at != b.at {
				return a.at < b.at
			}
			return bytes.Compare(a.id[:], b.id[:]) < 0
		}, btree.Options{NoLocks: true}),
		counts: btree.NewBTreeGOptions(func(a, b queueCount) bool { return bytes.Compare(a.webhook[:], b.webhook[:]) < 0 }, btree.Options{NoLocks: true}),
	}
}

func (q *callQueue) publish() extension {
	if q.copy == nil {
		q.copy = &callQueue{items: q.items.Copy(), counts: q.counts.Copy(), bytes: q.bytes}
	}
	return q.copy
}

func (q *callQueue) add(d *Delivery) {
	q.copy = nil
	q.bytes += d.length()
	if d.State == DeliveryPending {
		q.items.Set(queued{d.Webhook, d.Next, d.ID, d})
	}
	q.count(d, 1)
}

// count notes that a delivery is there, or, by -1, that it is not any more.
func (q *callQueue) count(d *Delivery, by int) {
	c := q.of(d.Webhook)
	switch {
	case d.State == DeliveryPending:
		c.n += by
	case d.Kept:
		c.kept += by
		c.bytes += int64(by) * d.length()
	default:
		return
	}
	if c.n+c.kept > 0 {
		q.counts.Set(c)
	} else {
		q.counts.Delete(c)
	}
}

// length is about how many bytes of the log a delivery takes.
func (d *Delivery) length() int64 { return int64(d.Size) + rowSize }

func (q *callQueue) remove(d *Delivery) {
	q.copy = nil
	q.bytes -= d.length()
	if d.State == DeliveryPending {
		q.items.Delete(queued{webhook: d.Webhook, at: d.Next, id: d.ID})
	}
	q.count(d, -1)
}

// of is how many deliveries of a webhook there are.
func (q *callQueue) of(webhook ID) queueCount {
	c, _ := q.counts.Get(queueCount{webhook: webhook})
	c.webhook = webhook
	return c
}

// waiting is how many deliveries of a webhook wait.
func (q *callQueue) waiting(webhook ID) int { return q.of(webhook).n }

// each yields the pending deliveries of a webhook in the order in which they are due.
func (q *callQueue) each(webhook ID) iter.Seq[*Delivery] {
	return func(yield func(*Delivery) bool) {
		q.items.Ascend(queued{webhook: webhook}, func(i queued) bool { return i.webhook == webhook && yield(i.row) })
	}
}

func init() { registerFollower(follower{check: (*account).checkCalls}) }

// checkCalls recomputes what is derived of webhooks and deliveries, and counts those at which something is due.
func (a *account) checkCalls() (due int, err error) {
	want := newCallQueue()
	for w := range a.webhooks().All() {
		if w.Drain != 0 {
			due++
		}
	}
	for d := range a.deliveries().All() {
		want.add(d)
		if d.givenUpAt() != 0 {
			due++
		}
	}
	if !slices.Equal(want.items.Items(), a.calls().items.Items()) || !slices.Equal(want.counts.Items(), a.calls().counts.Items()) || want.bytes != a.calls().bytes {
		return 0, fmt.Errorf("%d deliveries of %d bytes are queued, the rows say %d of %d", a.calls().items.Len(), a.calls().bytes, want.items.Len(), want.bytes)
	}
	return due, nil
}

// call notes that the queue of an account changed.
func (s *state) call(a *account) {
	if n := len(s.called); n == 0 || s.called[n-1] != a.id {
		s.called = append(s.called, a.id)
	}
}

// Delivery returns a delivery, or nil.
func (v View) Delivery(id ID) *Delivery { return v.acc.deliveries().Get(id) }

// Deliveries returns a part of a webhook's log, the newest first, and how many deliveries there are; state 0 is any.
func (v View) Deliveries(webhook ID, state DeliveryState, offset, most int) (list []*Delivery, total int) {
	return v.acc.deliveries().Page(deliveryByWebhook, []string{deliveryKey(webhook, state)}, offset, most, true)
}

// Queued is how many deliveries of a webhook wait.
func (v View) Queued(webhook ID) int { return v.acc.calls().waiting(webhook) }

// Queue yields the pending deliveries of a webhook in the order in which they are due.
func (v View) Queue(webhook ID) iter.Seq[*Delivery] { return v.acc.calls().each(webhook) }

// Waiting says how many deliveries wait, and when the event of the oldest was; 0 where there is none.
func (v View) Waiting() (n int, oldest int64) {
	v.acc.calls().items.Scan(func(i queued) bool {
		if at := CreatedAt(i.id); oldest == 0 || at < oldest {
			oldest = at
		}
		n++
		return true
	})
	return n, oldest
}

// Call is what it takes to make an attempt.
type Call struct {
	URL     string
	Secrets []string // first the one that X-Service-Signature is of; during an overlap there are two
	Scopes  []string // that the webhook is sent by; none: all
	Body    []byte
	Test    bool // of an event that did not happen
}

// kept is what is on disk of a delivery.
type kept struct {
	id       ID
	body     *eventBody
	attempts []*attemptRow
	known    int // attempts there were when it was read
	size     int
}

func keptOf(store *persist.Store, account ID, d *Delivery) (k kept, err error) {
	k.id, k.known = d.ID, d.Attempts
	if k.body, err = readStored(store, bodyKind, account, d.Body); err != nil {
		return k, err
	}
	for n := range d.Attempts {
		a, err := readStored(store, attemptKind, account, after(d.ID, uint64(n+1)))
		if err != nil {
			return k, err
		}
		if a != nil {
			k.attempts = append(k.attempts, a)
			k.size += len(a.Answer)
		}
	}
	if k.body != nil {
		k.size += len(k.body.packed)
	}
	return k, nil
}
