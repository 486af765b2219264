package webhook

import (
	"slices"

	"holdfast/engine"
	"holdfast/engine/outbox"
)

// This file owns how outcomes get into the engine: those that came while the last ones were being made durable
// together, in one command an account.

const maxBatch = 1000

func (d *Dispatcher) record() {
	defer close(d.over)
	defer close(d.done)
	broken := false
	for r := range d.results {
		list := []result{r}
		for more := true; more && len(list) < maxBatch; {
			select {
			case r, open := <-d.results:
				if more = open; open {
					list = append(list, r)
				}
			default:
				more = false
			}
		}
		slices.SortStableFunc(list, func(a, b result) int { return a.account.Compare(b.account) })
		d.submit(list)
		if !broken && d.Engine.Failed() != nil {
			broken = true
			close(d.failed)
		}
		if !broken {
			d.done <- list
		}
	}
}

// submit records outcomes, which stand in the order of their accounts, and waits until they are durable. Deliveries
// whose outcome cannot be recorded are not sent again before a start: their outcome is not known.
func (d *Dispatcher) submit(list []result) {
	type batch struct {
		of     []result
		future *engine.Future
	}
	var batches []batch
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(r result) bool { return r.account != list[0].account })
		if n < 0 {
			n = len(list)
		}
		b, op := batch{of: list[:n]}, outbox.RecordAttempts{}
		for i := range b.of {
			if x := &b.of[i]; !x.void {
				op.Outcomes = append(op.Outcomes, x.outcome)
				d.metrics.observe(&x.outcome.Attempt)
			}
		}
		if len(op.Outcomes) > 0 {
			b.future = d.Engine.Submit(engine.Command{Account: list[0].account, Actor: "webhooks", Op: op})
			batches = append(batches, b)
		}
		list = list[n:]
	}
	d.own.Store(int64(len(batches)))
	defer d.own.Store(0)
	for _, b := range batches {
		if _, err := b.future.Wait(); err != nil {
			d.Logger.Error("outcomes of webhooks could not be recorded", "error", err)
			for i := range b.of {
				b.of[i].unknown = true
			}
		}
	}
}
