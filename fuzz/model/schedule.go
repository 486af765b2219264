package model

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns the schedule of deliveries, on a plain list of all there ever were.

const (
	tries       = 4
	firstPause  = 10_000         // ms; then 20 and 40 s
	giveUpAfter = 10 * 60 * 1000 // ms after the first attempt
	inARow      = 3              // events that fail for good before a webhook is disabled
)

func pending(d *outbox.Delivery) bool { return d.State == outbox.DeliveryPending }

// lapsed says that a delivery has been tried for too long.
func (s *step) lapsed(d *outbox.Delivery) bool {
	return pending(d) && d.First != 0 && s.now >= d.First+giveUpAfter
}

// round is what one command of the clock does: it gives up what was tried for too long, and what waits for webhooks
// that were disabled before.
func (s *step) round() {
	disabled := map[ID]bool{}
	for _, h := range s.a.Hooks {
		disabled[h.ID] = !h.Enabled
	}
	for i := range s.a.Deliveries {
		d := &s.a.Deliveries[i]
		switch {
		case pending(d) && disabled[d.Webhook] && !d.ByHand:
			s.over(d, outbox.DeliveryFailed)
			s.a.Seen.Drained++
		case s.lapsed(d):
			s.lost(d)
		}
	}
}

// quiet says that nothing is due of deliveries.
func (s *step) quiet() error {
	for i := range s.a.Deliveries {
		d := &s.a.Deliveries[i]
		if h := s.a.hook(d.Webhook); s.lapsed(d) || pending(d) && h != nil && !h.Enabled && !d.ByHand {
			return wrong("at %d it was not given up: %+v", s.now, *d)
		}
	}
	return nil
}

// over ends a delivery.
func (s *step) over(d *outbox.Delivery, state outbox.DeliveryState) {
	d.State, d.Next, d.Ended = state, 0, s.now
}

// lost ends a delivery that failed for good. A delivery that a person asked for does not count as a failure of the
// webhook.
func (s *step) lost(d *outbox.Delivery) {
	s.over(d, outbox.DeliveryFailed)
	s.a.Seen.Lost++
	h := s.a.hook(d.Webhook)
	if d.ByHand || h == nil || !h.Enabled {
		return
	}
	if h.Failed++; h.Failed == inARow {
		h.Enabled, h.Reason, h.Missed, h.Since = false, outbox.TooManyFailures, 0, 0
		s.a.Seen.Disabled++
	}
}

// attempts takes what came of attempts: the next one each of those that are known.
func (s *step) attempts(list []outbox.Outcome) {
	seen := map[ID]bool{}
	for _, x := range list {
		d := at(s.a.Deliveries, func(d *outbox.Delivery) bool { return d.ID == x.Delivery })
		if d == nil || seen[d.ID] || x.Number != d.Attempts+1 {
			continue
		}
		seen[d.ID] = true
		d.Attempts, d.Status = x.Number, x.Status
		h := s.a.hook(d.Webhook)
		if x.Error == "" && x.Status/100 == 2 {
			s.over(d, outbox.DeliveryDone)
			s.a.Seen.Delivered++
			if h != nil && !d.ByHand {
				h.Failed = 0
			}
			continue
		}
		if !pending(d) {
			continue
		}
		if d.Tries++; d.Tries == 1 {
			d.First = x.At
		}
		pause := int64(firstPause)
		for range d.Tries - 1 {
			pause *= 2
		}
		d.Next = x.At + x.Took + pause + pause/10*x.Jitter/outbox.MaxJitter
		if d.Tries == tries || d.Next > d.First+giveUpAfter || h == nil || !h.Enabled && !d.ByHand {
			s.lost(d)
		}
	}
}

// again queues a delivery once more.
func (s *step) again(d *outbox.Delivery, byHand bool) {
	d.State, d.Next, d.First, d.Ended, d.Tries, d.ByHand, d.Kept = outbox.DeliveryPending, s.now, 0, 0, 0, byHand, false
	s.a.Seen.Requeued++
}

func (s *step) redeliver(o outbox.RedeliverDelivery, err error) error {
	h := s.a.hook(o.Webhook)
	d := at(s.a.Deliveries, func(d *outbox.Delivery) bool { return d.ID == o.ID && d.Webhook == o.Webhook })
	switch {
	case h == nil || d == nil:
		return refused(err, base.CodeNotFound)
	case pending(d):
		return refused(err, base.CodeStateNotAllowed)
	}
	s.again(d, true)
	return refused(err, "")
}

func (s *step) recover(o outbox.RecoverDeliveries, res any, err error) error {
	n := 0
	if fault := s.hooked(o.Webhook, err, true, false, func(h *Hook) {
		for i := range s.a.Deliveries {
			if d := &s.a.Deliveries[i]; d.Webhook == h.ID && d.State == outbox.DeliveryFailed && d.Ended >= o.Since &&
				!d.Test {
				s.again(d, false)
				n++
			}
		}
	}); fault != nil || err != nil {
		return fault
	}
	if r := *res.(*outbox.Recovered); r != (outbox.Recovered{Queued: n}) {
		return wrong("recovered %+v, the twin says %d", r, n)
	}
	return nil
}

// deliveryRecords judges every delivery and the order in which a webhook's wait.
func (a *Account) deliveryRecords(v base.View) error {
	for _, d := range a.Deliveries {
		r := outbox.DeliveryByID(v, d.ID)
		if r == nil {
			return wrong("delivery %+v is gone", d)
		}
		x := *r
		if x.Size, x.Revision = 0, 0; x != d {
			return wrong("delivery %+v, the twin says %+v", x, d)
		}
	}
	for _, h := range a.Hooks {
		var want []ID
		list := slices.DeleteFunc(slices.Clone(a.Deliveries),
			func(d outbox.Delivery) bool { return d.Webhook != h.ID || !pending(&d) })
		slices.SortFunc(list,
			func(x, y outbox.Delivery) int { return cmp.Or(cmp.Compare(x.Next, y.Next), x.ID.Compare(y.ID)) })
		for _, d := range list {
			want = append(want, d.ID)
		}
		var have []ID
		for d := range outbox.Queue(v, h.ID) {
			have = append(have, d.ID)
		}
		if !slices.Equal(have, want) {
			return wrong("webhook %x has %v to be told, the twin says %v", h.ID, have, want)
		}
	}
	return nil
}
