package engine

import "holdfast/persist"

// This file owns how the log of deliveries is kept short.

// forgetDeliveries drops deliveries with all that is kept of them. What that is is an input: a plan reads no disk.
type forgetDeliveries struct{ list []kept }

func (forgetDeliveries) Check() []Fault { return nil }
func (forgetDeliveries) result() any    { return new(any) }

func (o forgetDeliveries) plan(t *tx) (any, error) {
	gone := map[ID]bool{}
	for i := range o.list {
		k := &o.list[i]
		d := t.acc.deliveries().Get(k.id)
		if d == nil || d.Attempts != k.known || d.State == DeliveryPending && t.acc.webhooks().Get(d.Webhook) != nil {
			continue // forgotten already, or queued again since it was read
		}
		gone[d.ID] = true
		record(t, deliveryKind, d, nil)
		if w := t.hooks().of(t, d.Webhook); d.Kept && w != nil {
			w.missed(CreatedAt(d.ID), t.now)
		}
		for _, a := range k.attempts {
			record(t, attemptKind, a, nil)
		}
		if k.body != nil && !t.acc.sent(d, gone) {
			record(t, bodyKind, k.body, nil)
		}
	}
	for f := range formerKind.in(t.acc).By(0, formerKey(tagWebhook, 0)) {
		left := false
		for d := range t.acc.deliveries().By(deliveryByWebhook, deliveryKey(f.ID, 0)) {
			if left = !gone[d.ID]; left {
				break
			}
		}
		if !left {
			record(t, formerKind, f, nil)
		}
	}
	return nil, nil
}

// sent says whether the bytes of a delivery are those of another one that is not gone. Deliveries of one event follow each
// other.
func (a *account) sent(d *Delivery, gone map[ID]bool) bool {
	for other := range a.deliveries().From(d.Event) {
		if other.Event != d.Event {
			return false
		}
		if other.Body == d.Body && !gone[other.ID] {
			return true
		}
	}
	return false
}

const (
	trimBytes = 4 << 20 // that one command drops
)

// lapsed reads some of the deliveries that are kept no longer; more: there is something to do.
func lapsed(v View, store *persist.Store, now, most int64) (list []kept, more bool, err error) {
	size := 0
	take := func(d *Delivery) bool {
		var k kept
		if k, err = keptOf(store, v.acc.id, d); err != nil {
			return false
		}
		list = append(list, k)
		size += k.size
		return len(list) < dueAtOnce && size < trimBytes
	}
	for f := range formerKind.in(v.acc).By(0, formerKey(tagWebhook, 0)) {
		more = true
		for d := range v.acc.deliveries().By(deliveryByWebhook, deliveryKey(f.ID, 0)) {
			if !take(d) {
				return list, true, err
			}
		}
	}
	over := v.acc.calls().bytes - most
	for d := range v.acc.deliveries().All() {
		if CreatedAt(d.ID)+logFor > now && over <= 0 {
			break
		}
		if d.State == DeliveryPending || v.acc.webhooks().Get(d.Webhook) == nil {
			continue
		}
		over -= d.length()
		if !take(d) {
			return list, true, err
		}
	}
	return list, more || len(list) > 0, err
}
