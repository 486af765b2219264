package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns how the writer gets through what is due: in parts of bounded size, each a command of its own. A command waits
// until nothing is due in its account; meanwhile those of other accounts have their turns. An item that cannot be done is set
// aside, so that it holds up nothing else.

// backlog is an account in which more is due than one part does, and the commands that wait for it, in their order.
type backlog struct {
	account *account
	waiting []*Future
}

// turn is always ready.
var turn = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// park has a command wait in the backlog of its account; it says whether there is one.
func (w *writer) park(f *Future) bool {
	for _, b := range w.behind {
		if b.account.id == f.cmd.Account {
			if len(b.waiting) >= w.engine.queue.size {
				f.turnAway(refuse(CodeOverloaded, "too many commands of the account wait until what is due in it is done"))
				return true
			}
			b.waiting = append(b.waiting, f)
			w.engine.stats.parked.Add(1)
			return true
		}
	}
	return false
}

// advance does a part of what is due in the account whose turn it is, and judges what waited for it when it was the last.
func (w *writer) advance() {
	b := w.behind[0]
	w.behind = w.behind[1:]
	for len(b.waiting) > 0 && !w.full() && w.begin(b.waiting[0]) {
		b.waiting = b.waiting[1:]
		w.engine.stats.parked.Add(-1)
	}
	if len(b.waiting) > 0 {
		w.behind = append(w.behind, b)
	}
	w.owed = w.engine.queue.len()
}

// turnAwayBacklog answers the commands that wait for what is due, which nobody is to do any more.
func (w *writer) turnAwayBacklog(err error) {
	for _, b := range w.behind {
		w.engine.stats.parked.Add(-int64(len(b.waiting)))
		for _, f := range b.waiting {
			f.turnAway(err)
		}
	}
	w.behind = nil
}

// runDue does a part of what is due in an account, so that no command meets a hold that has lapsed. It says whether that was
// all, and the command's group has room.
func (w *writer) runDue(a *account) (done bool) {
	a.due.retry(w.state.at)
	first, ok := a.due.first()
	if !ok || first.at > w.state.at {
		return true
	}
	for o := (runDue{w.engine.bounds.DueItems, w.engine.bounds.DueRows, maxTries}); ; {
		before := a.ledger.Sequence
		_, err := w.do(&Command{Account: a.id, Actor: "clock", Op: o})
		if err == nil && a.ledger.Sequence != before {
			break
		}
		// Less may be done where this cannot: all but the one item that is at fault, in the end.
		if o.items > 1 {
			o.items /= 2
			continue
		}
		if e, is := err.(*Error); is && e.Code == CodeInvalid && o.tries > 1 { // for size
			o.tries /= 2
			continue
		}
		if err == nil {
			err = refuse(CodeInternal, "it changes nothing")
		}
		w.setAside(a, first, err)
		break
	}
	first, ok = a.due.first()
	return (!ok || first.at > w.state.at) && !w.full()
}

// setAside puts off a due item that cannot be done.
func (w *writer) setAside(a *account, i dueItem, err error) {
	w.engine.log.Error("what is due cannot be done: it is set aside, and tried again in an hour and at the next start",
		"account", a.id.String(), "table", kindByTag[i.tag].tableName(), "row", i.id.String(), "error", err)
	w.engine.stats.setAside.Add(1)
	a.due.setAside(i, w.state.at)
	w.state.mark(a)
	w.unseen = true
}

// show publishes what the writer has set aside where no group does: nothing is under way, and no row is another.
func (w *writer) show() {
	if !w.unseen || len(w.open.entries) > 0 {
		return
	}
	w.unseen = false
	was, s := w.engine.current.Load(), w.state.publish()
	s.seq, s.hash, s.groups = was.seq, was.hash, was.groups
	for _, a := range s.changed {
		if old, ok := was.accounts.Get(tenant{id: a.id}); ok {
			a.kept = old.kept
		}
	}
	s.changed = nil
	w.engine.current.Store(s)
}

// SetAside is an item that was due and could not be done.
type SetAside struct {
	Account, Row ID
	Table        string
	Due          int64
}

// SetAside lists what was set aside in all accounts, in a fixed order.
func (e *Engine) SetAside() (list []SetAside) { return e.current.Load().setAside() }

func (s *snapshot) setAside() (list []SetAside) {
	s.accounts.Scan(func(a tenant) bool {
		for _, i := range a.due.aside {
			list = append(list, SetAside{a.id, i.id, kindByTag[i.tag].tableName(), i.at})
		}
		return true
	})
	return list
}

// runDue is the command that does some of what is due in an account: each kind of row knows what that is for its own.
type runDue struct {
	items int // at most
	rows  int // that are changed before the rest is left to the next; one item is always done
	tries int // of conflicts that may want what comes free
}

// least says that the command does no less than one item, as far as it goes.
func (o runDue) least() bool { return o.items <= 1 }

func (runDue) Check() []Fault { return nil }
func (runDue) result() any    { return new(any) }

func (o runDue) plan(t *tx) (any, error) {
	t.seating().tries = o.tries
	large := 0 // orders are written whole
	for n, i := range t.acc.due.upTo(t.now, o.items) {
		if n > 0 && large+t.rows() > o.rows {
			break
		}
		if i.tag == tagOrder {
			large += t.acc.orders().Get(i.id).units()
		}
		kindByTag[i.tag].due(t, i.id)
	}
	t.seatFreed()
	return nil, nil
}

// rows is about how many rows the plan has changed so far, with the events that orders are told of.
func (t *tx) rows() int {
	n := len(t.set) + len(t.ordering().edits)*(1+t.acc.webhooks().Len())
	if t.seating().stock != nil {
		n += t.seating().stock.Touched()
	}
	return n
}

// follow tries the conflicts that a command left untried, by commands of their own: in the same group, so that a stop leaves
// all or nothing of it, or, where they are many, as what is due.
func (w *writer) follow(account ID, waiting *timeline.Waiting) {
	tries := maxTries
	for n := 0; waiting != nil; n++ {
		var op Op = seatConflicts{*waiting, tries}
		if n >= w.engine.bounds.FollowUps || w.full() {
			op = postpone{*waiting}
		}
		t, _, err := w.plan(&Command{Account: account, Actor: "conflicts", Op: op})
		if err == nil && len(t.set) > 0 {
			w.apply(w.state.account(account), t)
		}
		if e, is := err.(*Error); is && e.Code == CodeInvalid && tries > 1 { // for size
			tries /= 2
			continue
		}
		if err != nil {
			w.engine.log.Error("conflicts could not be tried", "account", account.String(), "error", err)
			return
		}
		waiting = t.waiting
	}
}

// untried is room that came free and conflicts that have not had their turn at it: due from the instant it is made.
type untried struct {
	ID ID
	At int64
	timeline.Waiting
}

var untriedKind = func() *kind[untried] {
	k := rowsOf(tagUntried, "room for conflicts", func(u *untried) ID { return u.ID })
	k.resource = "" // what becomes of conflicts, their units tell
	k.dueAt(func(u *untried) int64 { return u.At })
	return k
}()

func init() {
	untriedKind.fall = func(t *tx, id ID) {
		u := untriedKind.in(t.acc).Get(id)
		var n *untried
		if left := t.tryConflicts(u.Waiting, t.seating().tries); left != nil {
			n = &untried{id, u.At, *left}
		}
		record(t, untriedKind, u, n)
	}
}

// postpone keeps room that conflicts are to be tried for.
type postpone struct{ timeline.Waiting }

func (postpone) Check() []Fault { return nil }
func (postpone) result() any    { return new(any) }

func (o postpone) plan(t *tx) (any, error) {
	o.Room = slices.Compact(slices.Clone(o.Room)) // the units of a hold leave the same room
	record(t, untriedKind, nil, &untried{t.newID(), t.now, o.Waiting})
	return nil, nil
}
