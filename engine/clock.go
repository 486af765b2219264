package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"holdfast/engine/base"
)

// This file owns how time acts: through commands, sent when something is due. No read changes state because it noticed
// the clock.

// nudge is a command that changes nothing: the writer does what is due before it.
type nudge struct {
	base.Answers[any]
}

func (nudge) PlanOn(*base.Tx) (any, error) { return nil, nil }

// Tick does all that is due, in every account, and returns when it is durable. Work that cannot be done is set aside.
func (e *Engine) Tick(ctx context.Context) error {
	n := nudges{engine: e, patient: true, under: map[base.ID]bool{}}
	for rung := map[base.Alarm]bool{}; ; {
		n.send(ctx, rung)
		if len(n.list) == 0 {
			return ctx.Err()
		}
		if err := n.wait(ctx); err != nil {
			return err
		}
	}
}

// nudges are those under way: as long as one is, its account needs no other.
type nudges struct {
	engine  *Engine
	patient bool // an account is nudged also where many of its commands wait, of which each does what is due
	list    []*Future
	under   map[base.ID]bool // accounts
}

// send nudges the accounts in which something is due, except for alarms that have rung before.
func (n *nudges) send(ctx context.Context, rung map[base.Alarm]bool) {
	now := n.engine.now()
	n.engine.current.Load().Alarms.Scan(func(x base.Alarm) bool {
		if x.At > now || ctx.Err() != nil || len(n.list) >= n.engine.queue.size/2 {
			return false
		}
		if !n.under[x.Account] && !rung[x] {
			n.under[x.Account] = true
			n.list = append(n.list,
				n.engine.submitted(Command{Account: x.Account, Actor: "clock", Op: nudge{}}, n.patient))
			if rung != nil {
				rung[x] = true
			}
		}
		return true
	})
}

// wait waits for all that are under way.
func (n *nudges) wait(ctx context.Context) error {
	for _, f := range n.list {
		select {
		case <-f.done:
			if f.err != nil {
				return f.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	clear(n.under)
	n.list = nil
	return nil
}

// over lets go of those that are answered, or were turned away: the next ones do as well.
func (n *nudges) over() {
	n.list = slices.DeleteFunc(n.list, func(f *Future) bool {
		select {
		case <-f.done:
			delete(n.under, f.cmd.Account)
			return true
		default:
			return false
		}
	})
}

// lateness is how late an expiry may be, in milliseconds, where no write of its account comes first.
const lateness = 50 * time.Millisecond

// keepTime nudges accounts whenever something is due. One in which much is due does not keep it from the others.
func (e *Engine) keepTime(ctx context.Context) {
	defer e.done.Done()
	n := nudges{engine: e, under: map[base.ID]bool{}}
	clock := time.NewTicker(lateness)
	defer clock.Stop()
	for {
		select {
		case <-e.quit:
			return
		case <-clock.C:
			if n.over(); e.Failed() != nil {
				return // nothing is due any more
			}
			n.send(ctx, nil)
		}
	}
}

// trimEvery is how often what is kept of deliveries and erased customers is looked through. Tests make it shorter.
var trimEvery = 10 * time.Second

// keepHouse drops what is kept no longer, and erases customers that could not be erased at the start: left says that
// there are such. Its commands may wait long for their accounts, so other goroutines keep time, and forget who was
// erased.
func (e *Engine) keepHouse(ctx context.Context, left bool) {
	defer e.done.Done()
	trim, sweep := time.NewTicker(trimEvery), time.NewTicker(sweepEvery)
	defer trim.Stop()
	defer sweep.Stop()
	for e.Failed() == nil {
		select {
		case <-e.quit:
			return
		case <-trim.C:
			e.tellKept(ctx, "old deliveries", e.inEach(ctx, e.trims.beside(e, e.trim(ctx))))
			if left {
				var err error
				left, err = e.eraseAgain()
				e.tellKept(ctx, "customers whose erasure a restore has taken back", err)
				left = left || err != nil
			}
		case <-sweep.C:
			e.tellKept(ctx, "lapsed idempotency records", e.inEach(ctx, e.sweeps.beside(e, e.sweep(ctx))))
		}
	}
}

// keepForgetting takes erased customers out of what is on disk alone.
func (e *Engine) keepForgetting(ctx context.Context) {
	defer e.done.Done()
	forget := time.NewTicker(trimEvery)
	defer forget.Stop()
	erased := newForgetter(e)
	for e.Failed() == nil {
		select {
		case <-e.quit:
			return
		case <-forget.C:
			more, err := erased.forgetBeside(ctx)
			e.tellKept(ctx, "what is kept of erased customers", err)
			if forget.Reset(trimEvery); more {
				forget.Reset(trimEvery / 10)
			}
		}
	}
}

func (e *Engine) tellKept(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		e.log.Error(what+" could not be dropped; it is tried again", "error", err)
	}
}

// inEach does something in every account, except for those that an archive is being imported into. If it cannot be done
// in one account, for example because too many commands wait there, that account is left to the next time; the others
// are still done.
func (e *Engine) inEach(ctx context.Context, do func(base.View) error) error {
	var failed []error
	for _, id := range e.Accounts() {
		if ctx.Err() != nil || e.Failed() != nil {
			break
		}
		if v, _ := e.View(id); !v.Acc.Importing() {
			if err := do(v); err != nil {
				failed = append(failed, fmt.Errorf("account %s: %w", id, err))
			}
		}
	}
	return errors.Join(append(failed, ctx.Err())...)
}

// rounds are accounts in which one kind of house-keeping is under way.
type rounds struct {
	mu    sync.Mutex
	under map[base.ID]bool
}

// patience is for how long the house-keeping of one account holds up that of the next. Tests make it longer or shorter.
var patience = time.Second

// beside has something done in an account go on beside that of others where it takes long: its commands wait for those
// of the account, and there may be more to do by the time that they are done. Until it is over it is not begun again.
func (r *rounds) beside(e *Engine, do func(base.View) error) func(base.View) error {
	return func(v base.View) error {
		if !r.enter(v.Acc.ID) {
			return nil
		}
		done, late := make(chan error), make(chan struct{})
		e.done.Add(1)
		go func() {
			defer e.done.Done()
			err := do(v)
			r.leave(v.Acc.ID)
			select {
			case done <- err:
			case <-late:
				e.tellKept(context.Background(), "what is kept of account "+v.Acc.ID.String(), err)
			}
		}()
		select {
		case err := <-done:
			return err
		case <-time.After(patience):
			close(late)
			return nil
		}
	}
}

// enter says that it may begin in an account.
func (r *rounds) enter(account base.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.under == nil {
		r.under = map[base.ID]bool{}
	}
	under := r.under[account]
	r.under[account] = true
	return !under
}

func (r *rounds) leave(account base.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.under, account)
}

// stats counts what the engine did since it was opened.
type stats struct {
	commands, refused, groups atomic.Uint64
	sealed                    atomic.Int64 // commands of groups that are on their way to the disk
	parked                    atomic.Int64 // commands that wait until what is due in their account is done
	setAside                  atomic.Uint64
}

// Stats are the engine's counters since it was opened.
type Stats struct {
	Commands uint64 // done
	Refused  uint64
	Groups   uint64 // log records, each one sync
	Queued   int    // commands waiting for the writer, or for what is due in their account, now
	Waiting  int    // those, and the ones whose group is on its way to the disk
	SetAside uint64 // times that what was due could not be done
}

// Stats reads the counters.
func (e *Engine) Stats() Stats {
	queued := e.queue.len() + int(e.stats.parked.Load())
	return Stats{
		Commands: e.stats.commands.Load(), Refused: e.stats.refused.Load(), Groups: e.stats.groups.Load(),
		Queued: queued, Waiting: queued + int(e.stats.sealed.Load()), SetAside: e.stats.setAside.Load(),
	}
}
