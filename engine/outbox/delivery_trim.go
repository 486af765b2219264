package outbox

import (
	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns how the log of deliveries is kept short.

// ForgetDeliveries drops deliveries with all that is kept of them. The caller reads what that is, as a plan reads no
// disk.
type ForgetDeliveries struct {
	base.Answers[any]
	List []Kept
}

func (o ForgetDeliveries) PlanOn(t *base.Tx) (any, error) {
	gone := map[base.ID]bool{}
	for i := range o.List {
		k := &o.List[i]
		d := DeliveryTable(t.Acc).Get(k.ID)
		if d == nil || d.Attempts != k.known || d.State == DeliveryPending &&
			WebhookTable(t.Acc).Get(d.Webhook) != nil {
			continue // forgotten already, or queued again since it was read
		}
		gone[d.ID] = true
		base.Record(t, DeliveryKind, d, nil)
		if w := hooks(t).of(t, d.Webhook); d.Kept && w != nil {
			w.missed(base.CreatedAt(d.ID), t.Now)
		}
		for _, a := range k.Attempts {
			base.Record(t, AttemptKind, a, nil)
		}
		if k.Body != nil && !sent(t.Acc, d, gone) {
			base.Record(t, BodyKind, k.Body, nil)
		}
	}
	for f := range base.TombstoneKind.In(t.Acc).By(0, base.TombstoneKey(base.TagWebhook, 0)) {
		left := false
		for d := range DeliveryTable(t.Acc).By(deliveryByWebhook, deliveryKey(f.ID, 0)) {
			if left = !gone[d.ID]; left {
				break
			}
		}
		if !left {
			base.Record(t, base.TombstoneKind, f, nil)
		}
	}
	return nil, nil
}

// sent says whether the bytes of a delivery are those of another one that is not gone. Deliveries of one event follow
// each other.
func sent(a *base.AccountState, d *Delivery, gone map[base.ID]bool) bool {
	for other := range DeliveryTable(a).From(d.Event) {
		if other.Event != d.Event {
			return false
		}
		if other.Body == d.Body && !gone[other.ID] {
			return true
		}
	}
	return false
}

// Lapsed reads some of the deliveries that are kept no longer; more: there is something to do.
func Lapsed(v base.View, store *persist.Store, now, most int64) (list []Kept, more bool, err error) {
	size := 0
	take := func(d *Delivery) bool {
		var k Kept
		if k, err = KeptOf(store, v.Acc.ID, d); err != nil {
			return false
		}
		list = append(list, k)
		size += k.size
		return len(list) < base.DueAtOnce && size < base.TrimBytes
	}
	for f := range base.TombstoneKind.In(v.Acc).By(0, base.TombstoneKey(base.TagWebhook, 0)) {
		more = true
		for d := range DeliveryTable(v.Acc).By(deliveryByWebhook, deliveryKey(f.ID, 0)) {
			if !take(d) {
				return list, true, err
			}
		}
	}
	over := Calls(v.Acc).Bytes - most
	for d := range DeliveryTable(v.Acc).All() {
		if base.CreatedAt(d.ID)+LogFor > now && over <= 0 {
			break
		}
		if d.State == DeliveryPending || WebhookTable(v.Acc).Get(d.Webhook) == nil {
			continue
		}
		over -= d.length()
		if !take(d) {
			return list, true, err
		}
	}
	return list, more || len(list) > 0, err
}
