package workload

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"

	"holdfast/api"
	"holdfast/engine/base"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/fuzz/model"
)

// This file owns webhooks in random worlds: random commands on them, and that the last event of an order says how it
// is.

// maxHooks bounds the webhooks of an account.
const maxHooks = 6

// payload writes a record as the interface shows it, an order without what others are called: that changes without the
// order.
func payload(version string, record any) []byte {
	r, is := record.(*order.OrderRecord)
	if !is {
		return api.EventPayload(version, record)
	}
	n := *r
	o := *r.Order
	o.PickupAt, o.ReturnAt = nil, nil
	n.Order = &o
	n.Units = make([]order.UnitRecord, len(r.Units))
	for i, u := range r.Units {
		n.Units[i] = order.UnitRecord{Article: u.Article, Conflict: u.Conflict}
	}
	return api.EventPayload(version, &n)
}

// told compares the orders of all accounts with what the last event of each said.
func (w *World) told() error {
	for i, t := range w.Tenants {
		v := w.View(i)
		for id, said := range t.Twin.Said {
			if is := string(payload("", order.OrderByID(v, id))); is != said {
				at := 0
				for at < min(len(is), len(said)) && is[at] == said[at] {
					at++
				}
				return fmt.Errorf("the last event of order %s says\n%s\nit is\n%s", id, excerpt(said, at),
					excerpt(is, at))
			}
		}
	}
	return nil
}

func excerpt(s string, at int) string { return s[max(0, at-300):min(len(s), at+300)] }

// Hook gives an account webhooks for all types of events.
func (w *World) Hook(tenant int) error {
	for _, typ := range base.HookEvents {
		if _, _, fault := w.Do(tenant, createHook(typ, "2025-06")); fault != nil {
			return fault
		}
	}
	return nil
}

func createHook(typ base.HookEvent, version string) outbox.CreateWebhook {
	return outbox.CreateWebhook{
		EventType: typ, WebhookFields: outbox.WebhookFields{URL: "https://example.com/hooks"}, APIVersion: version,
		Secret: outbox.SecretPrefix + base64.StdEncoding.EncodeToString(make([]byte, outbox.SecretBytes)),
	}
}

// hookCommand draws a command on an account's webhooks, of which there are some: mostly what came of attempts.
func hookCommand(d Dice, a *model.Account, now int64) base.Op {
	if odds(d, "attempts", 70) {
		if list := outcomes(d, a, now); len(list) > 0 {
			return outbox.RecordAttempts{Outcomes: list}
		}
	}
	h := pick(d, "webhook", a.Hooks)
	for _, x := range a.Hooks {
		if !x.Enabled && odds(d, "a disabled one", 50) {
			h = x
		}
	}
	switch kind := d.N("webhook command", 32); {
	case kind < 10 && !h.Enabled:
		return outbox.EnableWebhook{ID: h.ID}
	case kind < 3:
		return outbox.DisableWebhook{ID: h.ID}
	case kind < 5 && len(a.Hooks) > 3:
		return outbox.DeleteWebhook{ID: h.ID}
	case kind < 8 && len(a.Hooks) < maxHooks:
		o := createHook(pick(d, "type", base.HookEvents), pick(d, "version", []string{"2025-06", "2025-06", "2025-12"}))
		if odds(d, "several types", 50) {
			o.EventType, o.EventTypes = "", someTypes(d)
		}
		return o
	case kind < 9:
		if odds(d, "several types", 50) {
			return outbox.PatchWebhook{ID: h.ID, EventTypes: base.Some(someTypes(d))}
		}
		return outbox.PatchWebhook{ID: h.ID, EventType: base.Some(pick(d, "type", base.HookEvents))}
	case kind < 10:
		return outbox.EnableWebhook{ID: h.ID}
	case kind < 12 || len(a.Deliveries) == 0:
		o := outbox.TestWebhook{ID: h.ID}
		if odds(d, "of a type", 50) {
			o.EventType = pick(d, "type", h.Types)
		}
		return o
	case kind < 20:
		is := pick(d, "delivery", a.Deliveries)
		x := outbox.RedeliverDelivery{Webhook: is.Webhook, ID: is.ID}
		if odds(d, "another webhook", 5) {
			x.Webhook = h.ID
		}
		return x
	}
	since := int64(0)
	if odds(d, "since", 60) {
		since = now - int64(d.N("ago", 20))*hour/4
	}
	return outbox.RecoverDeliveries{Webhook: h.ID, Since: since}
}

// someTypes draws types of events, in any order.
func someTypes(d Dice) (types []base.HookEvent) {
	for len(types) == 0 {
		for _, typ := range base.HookEvents {
			if odds(d, "this type", 40) {
				types = slices.Insert(types, d.N("place", len(types)+1), typ)
			}
		}
	}
	return types
}

// outcomes draws what came of attempts at what is due, or due soon, rarely of others: mostly they fail.
func outcomes(d Dice, a *model.Account, now int64) (list []outbox.Outcome) {
	var due []outbox.Delivery
	for _, x := range a.Deliveries {
		if x.State == outbox.DeliveryPending && x.Next <= now || odds(d, "any", 1) {
			due = append(due, x)
		}
	}
	// Those at which attempts began come first, so that some get to their end.
	slices.SortStableFunc(due, func(x, y outbox.Delivery) int { return cmp.Compare(y.Tries, x.Tries) })
	for _, x := range due[:min(len(due), 1+d.N("attempts", 4))] {
		o := outbox.Outcome{Delivery: x.ID, Jitter: int64(d.N("jitter", outbox.MaxJitter+1)), Attempt: outbox.Attempt{
			Number: x.Attempts + 1, At: now, Took: int64(d.N("took", 10_000)),
			Status: pick(d, "status", []int{500, 500, 404, 301, 204}),
		}}
		switch d.N("attempt", 30) {
		case 0:
			o.Number += d.N("number", 3) - 1
		case 1:
			o.Took = 10*60*1000 - int64(d.N("took", 50_000))
		case 2:
			o.Status, o.Error = 200, "time-out"
		case 3:
			o.At -= int64(d.N("ago", 12)) * 60 * 1000
		}
		list = append(list, o)
		if odds(d, "twice", 3) {
			list = append(list, o)
		}
	}
	return list
}
