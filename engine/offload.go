package engine

import (
	"slices"
	"time"

	"holdfast/engine/base"
)

// This file owns plans that are made outside the writer. A command that may change many units is planned by a goroutine
// of its own, on a copy of its account that nothing changes; so is a part of what is due, where that is much. Meanwhile
// the writer is free for other accounts. In this account nothing happens: its other commands wait for this one to be
// applied, and so does what becomes due (backlog.go). So the finished plan still fits the account, and the writer only
// has to apply it. The plans of several accounts compute in turns (turns.go): one that takes seconds keeps no other
// account's waiting for as long.

// maxPlans is how many accounts may have a plan under way, as each holds memory. Further ones wait.
const maxPlans = 32

// plan is a finished plan of a command.
type plan struct {
	of     *backlog // for which it was made outside the writer
	t      *base.Tx
	res    any
	err    error
	took   time.Duration
	due    *Command       // of a part of what is due: its command
	looked []*Idempotency // in place of a plan: what was read for those that wait, nil where nothing was to be
}

// idsOfPlan is how many ids are reserved for a plan outside the writer, so that no other command of the same instant
// draws them. No plan needs as many.
const idsOfPlan = 1 << 32

// offloads says that the plan of a command is to be made outside the writer.
func (w *writer) offloads(a *base.AccountState, cmd *Command) bool {
	o, ok := cmd.Op.(base.Sized)
	return ok && a != nil && !w.closing && !a.Importing() && o.Size(a) >= w.engine.bounds.Offload
}

// itemsOff is how many units of a command one item of what is due counts as, beside what it changes more.
const itemsOff = 8

// offloadsDue says that so much is due in an account that a part of it is to be planned outside the writer.
func (w *writer) offloadsDue(a *base.AccountState) bool {
	if w.closing || !a.Due.Behind(w.state.At) {
		return false
	}
	n, most := 0, w.engine.bounds.Offload
	for _, i := range a.Due.UpTo(w.state.At, max(1, most/itemsOff)) {
		work := kindByTag[i.Tag].DueWork()
		if n += itemsOff; work.Size != nil {
			n += work.Size(a, i.ID)
		}
		if work.Long {
			return true
		}
	}
	return n >= most
}

// offload plans, outside the writer, a part of what is due in a backlog's account or, where little is due, the first of
// its commands that wait.
// If the first waiting command has to be looked up again, all such commands are looked up now.
func (w *writer) offload(b *backlog) {
	w.planned = append(w.planned, b)
	if w.outdated(&b.waiting[0].cmd) {
		w.lookAgain(b)
		return
	}
	cmd := b.waiting[0].cmd // the caller may be answered before the plan is there, if the disk fails
	p := &plan{of: b}
	if w.offloadsDue(b.account) {
		cmd = Command{Account: b.account.ID, Actor: "clock", Op: w.duePart()}
		p.due = &cmd
	}
	t := w.begun(&cmd, b.account.Publish())
	t.Keys, t.Yield = t.Keys.Clone(), w.turns.yield
	w.state.LastID = base.MakeID(t.Now, t.Base.Plus(idsOfPlan))
	w.engine.done.Add(1)
	go func() {
		defer w.engine.done.Done()
		w.turns.begin()
		began := w.elapsed()
		p.t = t
		p.res, p.err = w.engine.complete(t, &cmd)
		if p.err == nil {
			p.err = w.engine.write(t, &cmd)
		}
		p.took = w.elapsed() - began
		t.Yield = nil // the writer, which applies it, has no turn
		w.turns.end()
		w.offloaded <- p
	}()
}

// write writes what is long of a plan ahead, so that no other account's changes are encoded behind it.
func (e *Engine) write(t *base.Tx, cmd *Command) error {
	return e.contained(cmd, func() error {
		for _, c := range t.Set {
			c.Write()
			t.Yield()
		}
		return nil
	})
}

// lookAgain looks up the keyed commands of a backlog that have waited too long.
func (w *writer) lookAgain(b *backlog) {
	p := &plan{of: b, looked: make([]*Idempotency, len(b.waiting))}
	for i, f := range b.waiting {
		if w.outdated(&f.cmd) {
			p.looked[i] = f.cmd.Idem
		}
	}
	account := b.account.ID
	w.engine.done.Add(1)
	go func() {
		defer w.engine.done.Done()
		for i, x := range p.looked {
			if x != nil {
				p.looked[i] = w.engine.lookUp(account, *x)
			}
		}
		w.offloaded <- p
	}()
}

// land makes the finished plan the next that is applied. After it come the accounts that waited for a plan outside the
// writer; this account gets another one only after them.
func (w *writer) land(p *plan) {
	b := p.of
	w.planned = slices.DeleteFunc(w.planned, func(x *backlog) bool { return x == b })
	f := b.waiting[0]
	f.cmd.offload = false
	switch {
	case p.looked != nil:
		for i, x := range p.looked {
			if x != nil {
				b.waiting[i].cmd.Idem = x
			}
		}
	case p.due != nil:
		b.due = p
	default:
		f.plan = p
	}
	b.yields = len(w.toPlan) > 0
	w.behind = slices.Concat([]*backlog{b}, w.toPlan, w.behind)
	w.toPlan = nil
}

// landed says that the next command to be answered was planned outside the writer.
func (w *writer) landed() bool { return len(w.behind) > 0 && w.behind[0].waiting[0].plan != nil }
