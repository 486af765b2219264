package engine

import (
	"fmt"
	"runtime"
	"time"

	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the single writer: it takes commands one by one, plans each on the state that all before it have made,
// and applies what was planned. encode.go writes it down, commit.go makes it durable.
//
// The steps of a write, by the names of the functions:
//
//	submit   a command enters the bounded queue (engine.go)
//	take     the writer stamps its instant and fixes its ids
//	runDue   what is due in the account is done first, as commands of their own
//	plan     the operation judges the command and collects a write set, or refuses
//	apply    the write set goes into the open group and into the state
//	seal     the group is closed: when nothing is on its way to the disk, or when it is large enough to follow what is
//	encode   its changes are written down, beside the writer, and handed to the log as one record
//	commit   synced; then the snapshot is visible; then the waiters are answered

const (
	maxGroupRows     = 10_000
	maxGroupCommands = 4096
	dueAtOnce        = 1000   // due items done by one command
	dueRows          = 10_000 // rows that such a command changes before it leaves the rest to the next

	// A sync takes long for the disk and little of a core. With some on their way a core has something to do meanwhile;
	// each costs about as much as a few commands, so it should carry more than those.
	maxInFlight = persist.MaxPending
	worthSync   = 20
)

type writer struct {
	engine *Engine
	state  *state
	recent *recent

	open     *group
	groups   uint64      // closed so far
	inFlight int         // groups that are on their way to the disk
	pending  chan *group // to the encoder
	written  chan *group // from there to the committer
	synced   chan error  // from the committer, for each of these
}

// group is commands that become durable together, and who waits for them.
type group struct {
	entries  []entry
	rows     int // in all entries
	records  []*persist.Pending
	err      error // why they were not handed to the log
	snapshot *snapshot
	touched  []ID // accounts that the snapshot changes
	called   []ID // those of them whose queue of deliveries it changes
	waiters  []waiter
}

type waiter struct {
	future *Future
	res    Result
	err    error
}

func newWriter(e *Engine, s *state) *writer {
	return &writer{recent: newRecent(cap(e.queue)), engine: e, state: s, open: new(group), pending: make(chan *group, maxInFlight), written: make(chan *group, maxInFlight), synced: make(chan error, maxInFlight)}
}

func (w *writer) run() {
	defer w.engine.done.Done()
	defer close(w.pending)
	for {
		switch {
		case w.inFlight == 0:
			w.gather()
			w.seal()
		case w.inFlight < maxInFlight && len(w.open.waiters) >= w.worth() && len(w.open.entries) > 0:
			w.seal()
		}
		queue := w.engine.queue
		if w.full() {
			queue = nil // the next sync makes room
		}
		select {
		case f := <-queue:
			w.take(f)
		case err := <-w.synced:
			w.inFlight--
			if err != nil {
				w.fail(err)
				return
			}
		case <-w.engine.quit:
			w.drain()
			return
		}
	}
}

func (w *writer) full() bool {
	return w.open.rows >= maxGroupRows || len(w.open.waiters) >= maxGroupCommands
}

// gather takes what is in the queue before a group is closed, and once more after those who were just answered had their
// turn: until the group is worth its sync. The rest follows in the next one while this one is on its way.
func (w *writer) gather() {
	if len(w.open.entries) == 0 {
		return
	}
	for range 2 {
		for more := true; more && len(w.open.waiters) < w.worth(); {
			select {
			case f := <-w.engine.queue:
				w.take(f)
			default:
				more = false
			}
		}
		runtime.Gosched()
	}
}

// worth is how many commands a group should have before it is closed: more where many wait, for then nobody waits for the
// answers of this one.
func (w *writer) worth() int { return max(worthSync, len(w.engine.queue)/2) }

// drain finishes what was submitted before the engine was closed. No command enters the queue any more.
func (w *writer) drain() {
	for {
		for w.inFlight == 0 && w.seal() {
		}
		select {
		case f := <-w.engine.queue:
			w.take(f)
		default:
			if w.inFlight == 0 {
				return
			}
			if err := <-w.synced; err != nil {
				w.fail(err)
				return
			}
			w.inFlight--
		}
	}
}

// take judges one command and answers through the open group.
func (w *writer) take(f *Future) {
	res, err := w.judge(&f.cmd)
	f.judged(res, err)
	if len(w.open.entries) == 0 && w.inFlight == 0 {
		// Nothing durable is waited for: the answer depends on nothing that could still be lost.
		f.answer(res, err)
		return
	}
	w.open.waiters = append(w.open.waiters, waiter{f, res, err})
}

func (w *writer) judge(cmd *Command) (Result, error) {
	a := w.state.accounts[cmd.Account]
	if _, creates := cmd.Op.(CreateAccount); a == nil && !creates {
		return Result{}, notFound("account")
	}
	w.state.at = max(w.state.at, w.engine.now())
	cmd.judged = w.state.at
	if a != nil {
		if cmd.Idem != nil {
			if res, done, err := w.repeat(cmd); done {
				return res, err
			}
		}
		w.runDue(a)
	}
	return w.do(cmd)
}

// runDue does what is due in an account, so that no command meets a hold that has lapsed.
func (w *writer) runDue(a *account) {
	for {
		first, ok := a.due.first()
		if !ok || first.at > w.state.at {
			return
		}
		before := a.ledger.Sequence
		if _, err := w.do(&Command{Account: a.id, Actor: "clock", Op: runDue{}}); err != nil {
			w.engine.log.Error("what is due could not be done", "account", a.id.String(), "error", err)
			return
		}
		if a.ledger.Sequence == before {
			w.engine.log.Error("what is due changes nothing", "account", a.id.String(), "table", first.tag, "row", first.id.String())
			return
		}
	}
}

// do plans a command and applies the plan.
func (w *writer) do(cmd *Command) (Result, error) {
	began := w.elapsed()
	t, res, err := w.plan(cmd)
	took := w.elapsed() - began
	if err != nil {
		w.engine.stats.refused.Add(1)
		return Result{Took: took}, err
	}
	a := w.state.account(cmd.Account)
	if len(t.set) == 0 {
		return Result{Record: res, Sequence: a.ledger.Sequence, Took: took}, nil
	}
	w.apply(a, t)
	for _, k := range t.keyed {
		w.recent.add(cmd.Account, k, w.groups+1)
	}
	w.engine.stats.commands.Add(1)
	w.follow(cmd.Account, t.waiting)
	return Result{Record: res, Sequence: a.ledger.Sequence, Moves: t.moves, Took: took}, nil
}

func (w *writer) elapsed() time.Duration {
	if w.engine.stopwatch == nil {
		return 0
	}
	return w.engine.stopwatch()
}

// plan runs a command's plan and completes its write set.
func (w *writer) plan(cmd *Command) (t *tx, res any, err error) {
	a := w.state.accounts[cmd.Account]
	if a == nil {
		a = newAccount(cmd.Account)
	}
	t = &tx{acc: a, keys: w.state.keys, now: w.state.at, base: w.nextBase(), ledger: a.ledger, recent: w.recent, ahead: cmd.ahead, actor: cmd.Actor, step: w.engine.step, payload: w.engine.payload}
	if res, err = w.engine.planned(t, cmd); err != nil {
		return nil, nil, err
	}
	t.keepRequirements()
	t.recordOrders()
	t.leftRoom()
	t.recordStock()
	t.tellOfOrders()
	if len(t.set) > maxRows {
		return nil, nil, tooManyRows()
	}
	if cmd.Idem != nil { // also of a command that changed nothing: repeated later, it might
		t.remember(cmd.Idem, res)
	}
	t.ledger.Sequence++
	t.ledger.At, t.ledger.Actor, t.ledger.account = t.now, cmd.Actor, cmd.Account
	return t, res, nil
}

func tooManyRows() *Error {
	return invalid([]Fault{{Code: "range", Message: "would change more than 110000 rows at once"}})
}

// nextBase draws the base of a command's ids. Within one millisecond it goes on where the command before it stopped: ids
// only grow, which is what makes their order the order of creation.
func (w *writer) nextBase() Base {
	b := BaseOf(w.engine.random())
	if ms, last := splitID(w.state.lastID); ms == w.state.at && !last.less(b) {
		return last.plus(1)
	}
	return b
}

// apply puts a plan's write set into the open group and into the state.
func (w *writer) apply(a *account, t *tx) {
	is := t.ledger
	first := &change[ledger]{kind: ledgerKind, after: &is}
	if a.ledger.Sequence != 0 {
		was := a.ledger // the account's own goes on
		first.before = &was
	}
	set := append([]rowChange{first}, t.set...)
	if w.engine.checks {
		for _, c := range set {
			if err := c.verify(a); err != nil {
				panic(fmt.Sprintf("engine: a plan does not fit its state: %v", err))
			}
		}
	}
	w.open.entries = append(w.open.entries, entry{a.id, w.state.at, set})
	w.open.rows += len(set)
	if t.used > 0 {
		w.state.lastID = makeID(t.now, t.base.plus(t.used-1))
	}
	w.state.apply(a.id, set)
	if w.engine.checks {
		if err := a.stock.Check(); err != nil {
			panic(fmt.Sprintf("engine: timelines broken after a command: %v", err))
		}
	}
}

// follow tries the conflicts that a command left untried, by commands of their own.
func (w *writer) follow(account ID, waiting *timeline.Waiting) {
	for waiting != nil {
		t, _, err := w.plan(&Command{Account: account, Actor: "conflicts", Op: seatConflicts{*waiting}})
		if err != nil {
			w.engine.log.Error("conflicts could not be tried", "account", account.String(), "error", err)
			return
		}
		if len(t.set) > 0 {
			w.apply(w.state.account(account), t)
		}
		waiting = t.waiting
	}
}

// seal closes the open group and hands it on; it says whether there was anything to do.
func (w *writer) seal() bool {
	g := w.open
	if len(g.entries) == 0 {
		if len(g.waiters) == 0 {
			return false
		}
		for _, x := range g.waiters { // refusals only: what they were judged behind is durable now
			x.future.answer(x.res, x.err)
		}
		g.waiters = g.waiters[:0]
		return true
	}
	w.inFlight++
	w.groups++
	g.touched = w.state.touchedIDs(nil)
	g.called, w.state.called = w.state.called, nil
	g.snapshot = w.state.publish()
	g.snapshot.groups = w.groups
	w.engine.stats.sealed.Add(int64(len(g.waiters)))
	w.pending <- g
	w.open = &group{waiters: make([]waiter, 0, len(g.waiters))}
	return true
}

// fail ends writing after the storage failed: whoever waits is told, whoever comes later is refused, readers keep the last
// published snapshot.
func (w *writer) fail(cause error) {
	e := w.engine
	e.log.Error("storage failed, no more writes are taken", "error", cause)
	for _, x := range w.open.waiters {
		x.future.answer(Result{}, unknownOutcome())
	}
	for {
		select {
		case f := <-e.queue:
			f.turnAway(e.failure.Load())
		case <-e.quit:
			for {
				select {
				case f := <-e.queue:
					f.turnAway(e.failure.Load())
				default:
					return
				}
			}
		}
	}
}
