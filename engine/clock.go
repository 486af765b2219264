package engine

import (
	"context"
	"sync/atomic"
	"time"
)

// This file owns how time acts: through commands, sent when something is due. No read changes state because it noticed the
// clock.

// runDue is the command that does what is due in an account: each kind of row knows what that is for its own.
type runDue struct{}

func (runDue) Check() []Fault { return nil }
func (runDue) result() any    { return new(any) }

func (runDue) plan(t *tx) (any, error) {
	for _, i := range t.acc.due.upTo(t.now, dueAtOnce) {
		if len(t.set) > dueRows {
			break // the rest follows
		}
		kindByTag[i.tag].due(t, i.id)
	}
	t.recordWebhooks()
	t.seatFreed()
	return nil, nil
}

// nudge is a command that changes nothing: the writer does what is due before it.
type nudge struct{}

func (nudge) Check() []Fault        { return nil }
func (nudge) result() any           { return new(any) }
func (nudge) plan(*tx) (any, error) { return nil, nil }

// Tick does all that is due, in every account, and returns when it is durable.
func (e *Engine) Tick(ctx context.Context) error {
	now := e.now()
	var waiting []*Future
	e.current.Load().alarms.Scan(func(x alarm) bool {
		if x.at > now || ctx.Err() != nil || len(waiting) == cap(e.queue)/2 {
			return false
		}
		waiting = append(waiting, e.Submit(Command{Account: x.account, Actor: "clock", Op: nudge{}}))
		return true
	})
	for _, f := range waiting {
		if _, err := f.Wait(); err != nil {
			return err
		}
	}
	if len(waiting) > 0 && ctx.Err() == nil {
		return e.Tick(ctx)
	}
	return ctx.Err()
}

// lateness is how late an expiry may be, in milliseconds, where no write of its account comes first.
const lateness = 50 * time.Millisecond

// keepTime runs Tick whenever something is due.
func (e *Engine) keepTime() {
	defer e.done.Done()
	ctx, stop := context.WithCancel(context.Background())
	go func() { <-e.quit; stop() }()
	clock, trim, sweep := time.NewTicker(lateness), time.NewTicker(trimLogEvery), time.NewTicker(sweepEvery)
	defer clock.Stop()
	defer trim.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-e.quit:
			return
		case <-clock.C:
			if err := e.Tick(ctx); err != nil && ctx.Err() == nil {
				return // storage failed or the engine is closing: nothing is due any more
			}
		case <-trim.C:
			if err := e.TrimDeliveries(ctx); err != nil && ctx.Err() == nil {
				e.log.Error("old deliveries could not be dropped", "error", err)
			}
		case <-sweep.C:
			if err := e.Sweep(ctx); err != nil && ctx.Err() == nil {
				e.log.Error("lapsed idempotency records could not be dropped", "error", err)
			}
		}
	}
}

// stats counts what the engine did since it was opened.
type stats struct {
	commands, refused, groups atomic.Uint64
	sealed                    atomic.Int64 // commands of groups that are on their way to the disk
}

// Stats are the engine's counters since it was opened.
type Stats struct {
	Commands uint64 // done
	Refused  uint64
	Groups   uint64 // log records, each one sync
	Queued   int    // commands waiting for the writer now
	Waiting  int    // those, and the ones whose group is on its way to the disk
}

// Stats reads the counters.
func (e *Engine) Stats() Stats {
	queued := len(e.queue)
	return Stats{
		Commands: e.stats.commands.Load(), Refused: e.stats.refused.Load(), Groups: e.stats.groups.Load(),
		Queued: queued, Waiting: queued + int(e.stats.sealed.Load()),
	}
}
