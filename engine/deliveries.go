package engine

import (
	"context"
	"slices"
	"sync"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns what the senders of deliveries ask the engine: which accounts' queues have changed, and what is on
// disk of a delivery.

// called collects, for the sender, the accounts whose queues have changed.
type called struct {
	mu    sync.Mutex
	list  []base.ID
	seen  map[base.ID]bool
	ready chan struct{}
}

func newCalled() called { return called{seen: map[base.ID]bool{}, ready: make(chan struct{}, 1)} }

func (c *called) add(accounts []base.ID) {
	if len(accounts) == 0 {
		return
	}
	c.mu.Lock()
	for _, id := range accounts {
		if !c.seen[id] {
			c.seen[id] = true
			c.list = append(c.list, id)
		}
	}
	c.mu.Unlock()
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// Called is sent to when there is something for TakeCalled.
func (e *Engine) Called() <-chan struct{} { return e.called.ready }

// TakeCalled returns the accounts whose webhooks or queues of deliveries changed since it was last asked; at first all
// that have any. There is only one caller.
func (e *Engine) TakeCalled() []base.ID {
	c := &e.called
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	c.list = nil
	clear(c.seen)
	return list
}

// Call reads what it takes to make an attempt at a delivery of a view; nil: there is nothing to send any more.
func (e *Engine) Call(v base.View, d *outbox.Delivery, now int64) (*outbox.Call, error) {
	w := outbox.WebhookTable(v.Acc).Get(d.Webhook)
	if w == nil || !w.Enabled && !d.ByHand {
		return nil, nil
	}
	d, body, err := e.sent(v, d)
	if err == nil && body == nil {
		err = base.Refuse(base.CodeNotFound, "the bytes of the event are not kept any more")
	}
	if err != nil {
		return nil, err
	}
	c := &outbox.Call{URL: w.URL, Secrets: []string{w.Secret}, Scopes: w.Scopes(), Test: d.Test, Of: d.Body}
	if c.Body, err = body.Text(); err != nil {
		return nil, err
	}
	if w.OldSecret != "" && now < w.OldUntil {
		c.Secrets = append(c.Secrets, w.OldSecret)
		if w.OldSigns {
			slices.Reverse(c.Secrets)
		}
	}
	return c, nil
}

// sent reads the body of a delivery of a view, nil where it is not kept any more. If another one has taken its place
// since, it is that one, and the delivery is the one that has it.
func (e *Engine) sent(v base.View, d *outbox.Delivery) (*outbox.Delivery, *outbox.EventBody, error) {
	for {
		<-e.store.Wake(v.Seq) // a view is there a moment before its record may be read
		body, err := base.ReadStored(e.store, outbox.BodyKind, v.Acc.ID, d.Body)
		if err != nil || body != nil {
			return d, body, err
		}
		v, _ = e.View(v.Acc.ID)
		now := outbox.DeliveryByID(v, d.ID)
		if now == nil || now.Body == d.Body {
			return d, nil, nil
		}
		d = now
	}
}

// DeliveryDetails reads the bytes of a delivery and what came of its attempts, in order.
func (e *Engine) DeliveryDetails(v base.View, d *outbox.Delivery) (body []byte, attempts []outbox.Attempt, err error) {
	d, sent, err := e.sent(v, d)
	if err == nil && sent != nil {
		body, err = sent.Text()
	}
	list, _, unread := outbox.AttemptsOf(e.store, v.Acc.ID, d)
	if err != nil || unread != nil {
		return nil, nil, base.Refuse(base.CodeStorageFailed, "the delivery cannot be read")
	}
	for _, a := range list {
		attempts = append(attempts, a.Attempt)
	}
	return body, attempts, nil
}

// TrimDeliveries drops the deliveries that the logs keep no longer: those that are too old, the oldest of an account
// that has too much of them, and those of webhooks that are gone.
func (e *Engine) TrimDeliveries(ctx context.Context) error {
	return e.inEach(ctx, e.trim(ctx))
}

// trim is TrimDeliveries of one account.
func (e *Engine) trim(ctx context.Context) func(base.View) error {
	return func(v base.View) error {
		for ctx.Err() == nil {
			<-e.store.Wake(v.Seq)
			list, more, err := outbox.Lapsed(v, e.store, e.Now(), e.logBytes)
			if err != nil || !more {
				return err
			}
			_, err = e.Do(Command{Account: v.Acc.ID, Actor: "clock", Op: outbox.ForgetDeliveries{List: list}})
			if err != nil {
				return err
			}
			v, _ = e.View(v.Acc.ID)
		}
		return nil
	}
}
