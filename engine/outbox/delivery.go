package outbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/sorted"
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

// String is the word on the wire.
func (s DeliveryState) String() string { return [...]string{"", "pending", "delivered", "failed"}[s] }

// Delivery is one event on its way to one webhook. The event's bytes, and what came of each attempt, are on disk.
type Delivery struct {
	ID       base.ID
	Webhook  base.ID
	Event    base.ID
	Body     base.ID // of the bytes that are sent
	Resource base.ID
	Type     base.HookEvent
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
	MaxAttempts       = 200
	RowSize           = 256 // about, of a delivery without its body and answers

	TryAtMost  = 4
	Backoff    = 10_000 // after the first attempt; then twice that, and again
	GiveUp     = 10 * 60 * 1000
	LogFor     = 14 * 24 * 60 * 60 * 1000
	MaxRecover = base.DueAtOnce // by one command: it changes each on the writer
)

func deliveryKey(webhook base.ID, state DeliveryState) string {
	return string(append(webhook[:], byte(state)))
}

var DeliveryKind = func() *base.Kind[Delivery] {
	k := base.RowsOf(base.TagDelivery, "delivery", func(d *Delivery) base.ID { return d.ID },
		table.By(func(d *Delivery) []string {
			return []string{deliveryKey(d.Webhook, 0), deliveryKey(d.Webhook, d.State)}
		}))
	k.Resource = "" // the log of the webhook shows them
	k.Encode, k.Decode, k.Knows = encodeDelivery, decodeDelivery, nil
	k.Weigh = func(*Delivery) int { return 2 * base.HotWeight }
	k.DueAt((*Delivery).givenUpAt)
	put := k.Put
	k.Put = func(s *base.State, a *base.AccountState, before, after *Delivery) {
		if before != nil {
			Calls(a).remove(before)
		}
		if after != nil {
			Calls(a).add(after)
		}
		put(s, a, before, after)
		if before != nil && before.State == DeliveryPending || after != nil && after.State == DeliveryPending {
			call(s, a)
		}
	}
	return k
}()

// DeliveryTable are all deliveries of an account that are kept.
func DeliveryTable(a *base.AccountState) *table.Table[Delivery] {
	return base.TableOf[Delivery](a, base.TagDelivery)
}

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
	return d.First + GiveUp
}

func encodeDelivery(dst []byte, d *Delivery) []byte {
	dst = append(dst, base.HotVersion)
	for _, id := range [...]base.ID{d.Webhook, d.Event, d.Body, d.Resource} {
		dst = append(dst, id[:]...)
	}
	dst = append(dst, byte(slices.Index(base.HookEvents, d.Type)), byte(d.State),
		base.Flags(d.Test, d.ByHand, d.Kept), byte(d.Attempts), byte(d.Tries))
	for _, n := range [...]int64{d.Next, d.First, d.Ended} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(d.Status))
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, d.Size), d.Revision)
}

func decodeDelivery(_, key base.ID, b []byte) (*Delivery, error) {
	r, err := base.HotReader("delivery", b)
	if err != nil {
		return nil, err
	}
	d := &Delivery{ID: key, Webhook: r.ID(), Event: r.ID(), Body: r.ID(), Resource: r.ID()}
	typ := int(r.U8())
	d.State = DeliveryState(r.U8())
	r.Flags(&d.Test, &d.ByHand, &d.Kept)
	d.Attempts, d.Tries = int(r.U8()), int(r.U8())
	d.Next, d.First, d.Ended = r.I64(), r.I64(), r.I64()
	d.Status, d.Size, d.Revision = int(r.U16()), r.U32(), r.U32()
	if typ >= len(base.HookEvents) || d.State < DeliveryPending || d.State > DeliveryFailed {
		return nil, fmt.Errorf("delivery: stored row has type %d and state %d", typ, d.State)
	}
	d.Type = base.HookEvents[typ]
	return d, r.Done("delivery")
}

// callQueue is an account's pending deliveries, by webhook and then by when they are due. It is derived.
type callQueue struct {
	items  sorted.Set[queued]
	counts sorted.Set[queueCount]
	Bytes  int64      // of the whole log
	copy   *callQueue // what publish gave last, while nothing has changed since
}

type queued struct {
	webhook base.ID
	at      int64
	id      base.ID
	row     *Delivery
}

// queueCount is how many deliveries of a webhook wait to be sent, and how many wait to be recovered.
type queueCount struct {
	webhook base.ID
	n       int
	Kept    int
	bytes   int64 // of those that are kept
}

var callExtension = base.RegisterExtension(newCallQueue)

// Calls are the deliveries that wait, by hook.
func Calls(a *base.AccountState) *callQueue { return callExtension.In(a) }

func newCallQueue() *callQueue {
	return &callQueue{
		items: sorted.New(func(a, b queued) bool {
			if c := bytes.Compare(a.webhook[:], b.webhook[:]); c != 0 {
				return c < 0
			}
			if a.at != b.at {
				return a.at < b.at
			}
			return bytes.Compare(a.id[:], b.id[:]) < 0
		}),
		counts: sorted.New(func(a, b queueCount) bool {
			return bytes.Compare(a.webhook[:], b.webhook[:]) < 0
		}),
	}
}

// Publish gives a copy that never changes.
func (q *callQueue) Publish() base.Extension {
	if q.copy == nil {
		q.copy = &callQueue{items: q.items.Clone(), counts: q.counts.Clone(), Bytes: q.Bytes}
	}
	return q.copy
}

func (q *callQueue) add(d *Delivery) {
	q.copy = nil
	q.Bytes += d.length()
	if d.State == DeliveryPending {
		q.items.Set(queued{d.Webhook, d.Next, d.ID, d})
	}
	q.count(d, 1)
}

// count notes that a delivery is there, or, by -1, that it is not any more.
func (q *callQueue) count(d *Delivery, by int) {
	c := q.Of(d.Webhook)
	switch {
	case d.State == DeliveryPending:
		c.n += by
	case d.Kept:
		c.Kept += by
		c.bytes += int64(by) * d.length()
	default:
		return
	}
	if c.n+c.Kept > 0 {
		q.counts.Set(c)
	} else {
		q.counts.Delete(c)
	}
}

// length is about how many bytes of the log a delivery takes.
func (d *Delivery) length() int64 { return int64(d.Size) + RowSize }

func (q *callQueue) remove(d *Delivery) {
	q.copy = nil
	q.Bytes -= d.length()
	if d.State == DeliveryPending {
		q.items.Delete(queued{webhook: d.Webhook, at: d.Next, id: d.ID})
	}
	q.count(d, -1)
}

// Of is how many deliveries of a webhook there are.
func (q *callQueue) Of(webhook base.ID) queueCount {
	c, _ := q.counts.Get(queueCount{webhook: webhook})
	c.webhook = webhook
	return c
}

// Waiting is how many deliveries of a webhook wait.
func (q *callQueue) Waiting(webhook base.ID) int { return q.Of(webhook).n }

// each yields the pending deliveries of a webhook in the order in which they are due.
func (q *callQueue) each(webhook base.ID) iter.Seq[*Delivery] {
	return func(yield func(*Delivery) bool) {
		q.items.Ascend(queued{webhook: webhook}, func(i queued) bool { return i.webhook == webhook && yield(i.row) })
	}
}

func init() { base.RegisterFollower(base.Follower{Check: checkCalls}) }

// checkCalls recomputes what is derived of deliveries.
func checkCalls(a *base.AccountState) error {
	want := newCallQueue()
	for d := range DeliveryTable(a).All() {
		want.add(d)
	}
	if !slices.Equal(want.items.Items(), Calls(a).items.Items()) ||
		!slices.Equal(want.counts.Items(), Calls(a).counts.Items()) || want.Bytes != Calls(a).Bytes {
		return fmt.Errorf("%d deliveries of %d bytes are queued, the rows say %d of %d", Calls(a).items.Len(),
			Calls(a).Bytes, want.items.Len(), want.Bytes)
	}
	return nil
}

// call notes that the queue of an account changed.
func call(s *base.State, a *base.AccountState) {
	if n := len(s.Called); n == 0 || s.Called[n-1] != a.ID {
		s.Called = append(s.Called, a.ID)
	}
}

// DeliveryByID returns a delivery, or nil.
func DeliveryByID(v base.View, id base.ID) *Delivery { return DeliveryTable(v.Acc).Get(id) }

// Deliveries returns a part of a webhook's log, the newest first, and how many deliveries there are; state 0 is any.
func Deliveries(v base.View, webhook base.ID, state DeliveryState, offset, most int) (list []*Delivery, total int) {
	return DeliveryTable(v.Acc).Page(deliveryByWebhook, []string{deliveryKey(webhook, state)}, offset, most, true)
}

// Queued is how many deliveries of a webhook wait.
func Queued(v base.View, webhook base.ID) int { return Calls(v.Acc).Waiting(webhook) }

// Queue yields the pending deliveries of a webhook in the order in which they are due.
func Queue(v base.View, webhook base.ID) iter.Seq[*Delivery] { return Calls(v.Acc).each(webhook) }

// Waiting says how many deliveries wait, and when the event of the oldest was; 0 where there is none.
func Waiting(v base.View) (n int, oldest int64) {
	Calls(v.Acc).items.Scan(func(i queued) bool {
		if at := base.CreatedAt(i.id); oldest == 0 || at < oldest {
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
	Of      base.ID // the body's
	Test    bool    // of an event that did not happen
}

// EventsFrom yields the deliveries from an id on, those of one event at a time. These follow each other.
func EventsFrom(a *base.AccountState, from base.ID) iter.Seq[[]*Delivery] {
	return func(yield func([]*Delivery) bool) {
		var list []*Delivery
		for d := range DeliveryTable(a).From(from) {
			if len(list) > 0 && list[0].Event != d.Event {
				if !yield(list) {
					return
				}
				list = nil
			}
			list = append(list, d)
		}
		if len(list) > 0 {
			yield(list)
		}
	}
}

// Kept is what is on disk of a delivery.
type Kept struct {
	ID       base.ID
	Body     *EventBody
	Attempts []*attemptRow
	known    int // attempts there were when it was read
	size     int
}

// KeptOf reads what is on disk of a delivery.
func KeptOf(store *persist.Store, account base.ID, d *Delivery) (k Kept, err error) {
	k.ID, k.known = d.ID, d.Attempts
	if k.Body, err = base.ReadStored(store, BodyKind, account, d.Body); err != nil {
		return k, err
	}
	if k.Attempts, k.size, err = AttemptsOf(store, account, d); err == nil && k.Body != nil {
		k.size += len(k.Body.Packed)
	}
	return k, err
}

// AttemptsOf reads the attempts at a delivery, and how many bytes their answers have.
func AttemptsOf(store *persist.Store, account base.ID, d *Delivery) (list []*attemptRow, size int, err error) {
	for n := range d.Attempts {
		a, err := base.ReadStored(store, AttemptKind, account, base.After(d.ID, uint64(n+1)))
		if err != nil {
			return nil, 0, err
		}
		if a != nil {
			list = append(list, a)
			size += len(a.Answer)
		}
	}
	return list, size, nil
}
