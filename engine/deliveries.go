package engine

import (
	"context"
	"slices"
	"sync"
	"time"
)

// This file owns what those who send deliveries ask of the engine: whose queue has changed, and what is on disk of a delivery.

// called collects the accounts whose queues have changed for the one who sends.
type called struct {
	mu   sync.Mutex
	list []ID
	seen map[ID]bool
	bell chan struct{}
}

func newCalled() called { return called{seen: map[ID]bool{}, bell: make(chan struct{}, 1)} }

func (c *called) add(accounts []ID) {
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
	case c.bell <- struct{}{}:
	default:
	}
}

// Called is sent to when there is something for TakeCalled.
func (e *Engine) Called() <-chan struct{} { return e.called.bell }

// TakeCalled returns the accounts whose webhooks or queues of deliveries changed since it was last asked; at first all that
// have any. There is one who asks.
func (e *Engine) TakeCalled() []ID {
	c := &e.called
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	c.list = nil
	clear(c.seen)
	return list
}

// Call reads what it takes to make an attempt at a delivery of a view; nil: there is nothing to send any more.
func (e *Engine) Call(v View, d *Delivery, now int64) (*Call, error) {
	w := v.acc.webhooks().Get(d.Webhook)
	if w == nil || !w.Enabled && !d.ByHand {
		return nil, nil
	}
	<-e.store.Wake(v.seq) // a view is there a moment before its record may be read
	body, err := readStored(e.store, bodyKind, v.acc.id, d.Body)
	if err == nil && body == nil {
		err = refuse(CodeNotFound, "the bytes of the event are not kept any more")
	}
	if err != nil {
		return nil, err
	}
	c := &Call{URL: w.URL, Secrets: []string{w.Secret}, Scopes: w.Scopes(), Test: d.Test}
	if c.Body, err = body.text(); err != nil {
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

// DeliveryDetails reads the bytes of a delivery and what came of its attempts, in order.
func (e *Engine) DeliveryDetails(v View, d *Delivery) (body []byte, attempts []Attempt, err error) {
	<-e.store.Wake(v.seq)
	k, err := keptOf(e.store, v.acc.id, d)
	if err == nil && k.body != nil {
		body, err = k.body.text()
	}
	if err != nil {
		return nil, nil, refuse(CodeStorageFailed, "the delivery cannot be read")
	}
	for _, a := range k.attempts {
		attempts = append(attempts, a.Attempt)
	}
	return body, attempts, nil
}

// TrimDeliveries drops the deliveries that the logs keep no longer: those that are too old, the oldest of an account that has
// too much of them, and those of webhooks that are gone.
func (e *Engine) TrimDeliveries(ctx context.Context) error {
	for _, id := range e.Accounts() {
		for {
			v, _ := e.View(id)
			<-e.store.Wake(v.seq)
			list, more, err := lapsed(v, e.store, e.Now(), e.logBytes)
			if err != nil || !more {
				if err != nil {
					return err
				}
				break
			}
			if _, err := e.Do(Command{Account: id, Actor: "clock", Op: forgetDeliveries{list}}); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return ctx.Err()
}

const trimLogEvery = 10 * time.Second
