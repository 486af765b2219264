package engine

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns how the writer does what is due: in parts of bounded size, each a command of its own. A command waits
// until nothing is due in its account; meanwhile the commands of other accounts have their turns. An item that cannot
// be done is set aside, so that it delays nothing else.

// backlog is an account in which more is due than one part does, or of which a command is planned outside the writer,
// with its commands that wait for that, in their order.
type backlog struct {
	account *base.AccountState
	waiting []*Future
	due     *plan // for a part of what is due, where it was made outside the writer
	yields  bool  // while a plan was made outside the writer for this one, other accounts waited for theirs
}

// turn is always ready.
var turn = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// park adds a command to the backlog of its account; it says whether there is one. What is patient is taken however
// long the backlog is: whoever submits such commands bounds how many there are.
func (w *writer) park(f *Future) bool {
	b, is := w.backlogs[f.cmd.Account]
	switch {
	case !is:
		return false
	case len(b.waiting) >= w.engine.queue.size && !f.patient:
		f.turnAway(base.Refuse(base.CodeOverloaded,
			"too many commands of the account are waiting for an earlier one"))
	default:
		b.waiting = append(b.waiting, f)
		w.engine.stats.parked.Add(1)
	}
	return true
}

// wait keeps an account's commands waiting: for a plan that is made outside the writer, or for their turn at such a
// plan, else for what is due.
func (w *writer) wait(b *backlog) {
	yields := b.yields
	b.yields = false
	switch {
	case !b.waiting[0].cmd.offload || yields:
		w.behind = append(w.behind, b)
	case len(w.planned) == maxPlans:
		w.toPlan = append(w.toPlan, b)
	default:
		w.offload(b)
	}
}

// turnCommands is how many commands that waited are judged in a turn: then those of other accounts come in between.
const turnCommands = 64

// advance does a part of what is due in the account whose turn it is, and judges what waited for it when it was the
// last.
func (w *writer) advance() {
	b := w.behind[0]
	w.behind = w.behind[1:]
	if p := b.due; p != nil {
		b.due = nil
		w.carryOutDue(b.account, p)
	}
	for n := 0; len(b.waiting) > 0 && (n < turnCommands || w.closing) && !w.full() && w.begin(b.waiting[0]); n++ {
		b.waiting = b.waiting[1:]
		w.engine.stats.parked.Add(-1)
	}
	if len(b.waiting) > 0 {
		w.wait(b)
	} else {
		delete(w.backlogs, b.account.ID)
	}
	w.owed = w.engine.queue.len()
}

// turnAwayBacklog refuses all commands that wait in a backlog, as nothing is done for them any more.
func (w *writer) turnAwayBacklog(err error) {
	for _, b := range slices.Concat(w.behind, w.planned, w.toPlan) {
		w.engine.stats.parked.Add(-int64(len(b.waiting)))
		for _, f := range b.waiting {
			f.turnAway(err)
		}
	}
	w.behind, w.planned, w.toPlan = nil, nil, nil
	clear(w.backlogs)
}

// runDue does a part of what is due in an account, so that no command meets a hold that has lapsed. done is true if
// nothing more is due and the open group has room.
func (w *writer) runDue(a *base.AccountState) (done bool) {
	first, ok := a.Due.First()
	if !ok || first.At > w.state.At {
		return true
	}
	for o := w.duePart(); ; {
		before := a.Ledger.Sequence
		_, err := w.do(&Command{Account: a.ID, Actor: "clock", Op: o})
		if err == nil && a.Ledger.Sequence != before {
			break
		}
		// Less may be done where this cannot: all but the one item that is at fault, in the end.
		if o.items > 1 {
			o.items /= 2
			continue
		}
		if e, is := err.(*base.Error); is && e.Code == base.CodeInvalid && o.tries > 1 { // for size
			o.tries /= 2
			continue
		}
		if err == nil {
			err = base.Refuse(base.CodeInternal, "it changes nothing")
		}
		w.setAside(a, first, err)
		break
	}
	first, ok = a.Due.First()
	return (!ok || first.At > w.state.At) && !w.full()
}

// duePart is a part of what is due.
func (w *writer) duePart() runDue {
	return runDue{items: w.engine.bounds.DueItems, rows: w.engine.bounds.DueRows, tries: base.MaxTries}
}

// carryOutDue applies a part of what is due that was planned outside the writer. If it cannot be done, less is tried.
func (w *writer) carryOutDue(a *base.AccountState, p *plan) {
	before := a.Ledger.Sequence
	if _, err := w.carryOut(p.due, p); err != nil || a.Ledger.Sequence == before {
		w.runDue(a)
	}
}

// setAside puts off a due item that cannot be done.
func (w *writer) setAside(a *base.AccountState, i base.DueItem, err error) {
	w.engine.log.Error("what is due cannot be done: it is set aside, and tried again in an hour and at the next start",
		"account", a.ID.String(), "table", kindByTag[i.Tag].TableName(), "row", i.ID.String(), "error", err)
	w.engine.stats.setAside.Add(1)
	a.Due.SetAside(i, w.state.At)
	w.state.Mark(a)
	w.unseen = true
}

// show publishes what the writer has set aside where no group does so: no group is on its way, and no row has changed.
func (w *writer) show() {
	if !w.unseen || len(w.open.entries) > 0 {
		return
	}
	w.unseen = false
	was, s := w.engine.current.Load(), w.state.Publish()
	s.Seq, s.Hash, s.Groups = was.Seq, was.Hash, was.Groups
	for _, a := range s.Changed {
		if old, ok := was.Accounts.Get(base.Tenant{ID: a.ID}); ok {
			a.Kept = old.Kept
		}
	}
	s.Changed = nil
	w.engine.current.Store(s)
}

// SetAside is an item that was due and could not be done.
type SetAside struct {
	Account, Row base.ID
	Table        string
	Due          int64
}

// SetAside lists what was set aside in all accounts, in a fixed order.
func (e *Engine) SetAside() (list []SetAside) { return setAside(e.current.Load()) }

func setAside(s *base.Snapshot) (list []SetAside) {
	s.Accounts.Scan(func(a base.Tenant) bool {
		for _, i := range a.Due.Aside {
			list = append(list, SetAside{a.ID, i.ID, kindByTag[i.Tag].TableName(), i.At})
		}
		return true
	})
	return list
}

// runDue is the command that does some of what is due in an account: each kind decides what happens to its rows.
type runDue struct {
	base.Answers[any]
	items int // at most
	rows  int // that are changed before the rest is left to the next; one item is always done
	tries int // of conflicts that may want what comes free
}

// Least says that the command does no less than one item, as far as it goes.
func (o runDue) Least() bool { return o.items <= 1 }

func (o runDue) PlanOn(t *base.Tx) (any, error) {
	t.Tries = o.tries
	large := 0    // rows of items that change many
	together := 0 // as many of the items were made ready
	var last *base.DueWork
	due := t.Acc.Due.UpTo(t.Now, o.items)
	for n, i := range due {
		work := kindByTag[i.Tag].DueWork()
		if last != nil && (work.Alone || last.Alone || large+len(t.Set)+unrecorded(t) > o.rows ||
			i.At != base.AsOlder && due[n-1].At == base.AsOlder) {
			break
		}
		last = work
		if n >= together && work.Together != nil {
			together = n + work.Together(t, due[n:])
		}
		if work.Size != nil {
			large += work.Size(t.Acc, i.ID)
		}
		work.Do(t, i.ID)
	}
	settle(t)
	return nil, nil
}

// follow tries the conflicts that a command left untried, by commands of their own: in the same record, so that a stop
// leaves all or nothing of it, or, where they are many, as what is due.
func (w *writer) follow(account base.ID, waiting *timeline.Waiting) {
	tries := base.MaxTries
	for n := 0; waiting != nil; n++ {
		later := n >= w.engine.bounds.FollowUps || w.full()
		t, _, err := w.plan(&Command{Account: account, Actor: "conflicts", Op: followUp(*waiting, tries, later)})
		if err == nil && len(t.Set) > 0 {
			w.apply(w.state.Account(account), t)
			w.open.entries[len(w.open.entries)-1].follows = true
		}
		if e, is := err.(*base.Error); is && e.Code == base.CodeInvalid && tries > 1 { // for size
			tries /= 2
			continue
		}
		if err != nil {
			w.engine.log.Error("conflicts could not be tried", "account", account.String(), "error", err)
			return
		}
		waiting = t.Waiting
	}
}
