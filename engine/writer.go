package engine

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns the single writer: it takes commands one by one, plans each on the state that all before it have made,
// and applies the plan. encode.go encodes the changes, commit.go makes them durable.
//
// The steps of a write, by the names of the functions:
//
//	submit   a command enters the bounded queue, which gives them out by accounts in turn (queue.go)
//	take     the writer stamps its instant and fixes its ids
//	runDue   what is due in the account is done first, as commands of their own; where that takes several,
//	         those of other accounts are judged in between (backlog.go)
//	plan     the operation judges the command and collects a write set, or refuses; where it may be large, outside
//	         the writer, while the account waits (offload.go)
//	apply    the write set goes into the open group and into the state
//	seal     the group is closed: when nothing is on its way to the disk, when it is large enough to follow what
//	         is, or when it stands between heavy commands, which take long to encode
//	encode   its changes are encoded and handed to the log as one record; in another goroutine than the writer's,
//	         unless they are few and nothing is on its way
//	commit   synced; then the snapshot is visible; then the waiters are answered

const (
	maxGroupCommands = 4096

	// A sync takes long for the disk and little of a core. With some on their way a core has something to do meanwhile;
	// each costs about as much as a few commands, so it should carry more than those.
	maxInFlight = persist.MaxPending
	worthSync   = 20
)

type writer struct {
	engine  *Engine
	state   *base.State
	recent  *recent
	results results

	backlogs map[base.ID]*backlog // of the accounts that have one: in one of the three lists below

	behind []*backlog // accounts whose commands wait for what is due, in turns
	owed   int        // commands that were queued when one of these had its turn, and go before the next
	unseen bool       // something was set aside that no snapshot shows yet

	planned   []*backlog // of accounts for which a plan is made outside the writer
	toPlan    []*backlog // of those that wait until there are fewer
	turns     *turns     // of these plans
	offloaded chan *plan // finished plans
	closing   bool       // from now on everything is planned by the writer

	open     *group
	groups   uint64      // closed so far
	inFlight int         // groups that are on their way to the disk
	underWay []burden    // of each of them
	encoder  *encoder    // of another goroutine, unless nothing is on its way
	pending  chan *group // to the encoder
	written  chan *group // from there to the committer
	synced   chan error  // from the committer, for each of these
}

// burden is what makes a group long on its way.
type burden struct {
	rows  int
	heavy bool // a command of it is
}

// group is commands that become durable together, with the callers that wait for them.
type group struct {
	entries  []entry
	burden   // rows in all entries
	records  []*persist.Pending
	err      error // why they were not handed to the log
	snapshot *base.Snapshot
	touched  []base.ID // accounts that the snapshot changes
	called   []base.ID // those of them whose queue of deliveries it changes
	waiters  []waiter
}

type waiter struct {
	future *Future
	res    Result
	err    error
}

func newWriter(e *Engine, s *base.State) *writer {
	return &writer{recent: newRecent(e.queue.size), results: results{}, engine: e, state: s, open: new(group),
		backlogs: map[base.ID]*backlog{}, turns: newTurns(e.stopwatch), offloaded: make(chan *plan, maxPlans),
		pending: make(chan *group, maxInFlight), written: make(chan *group, maxInFlight),
		synced: make(chan error, maxInFlight)}
}

func (w *writer) run() {
	defer w.engine.done.Done()
	defer close(w.pending)
	for {
		switch {
		case w.inFlight == 0:
			w.gather()
			w.seal()
		case w.inFlight < maxInFlight && (w.full() || len(w.open.waiters) >= w.worth() || w.follows()) &&
			len(w.open.entries) > 0:
			w.seal()
		}
		if w.inFlight == 0 {
			w.show()
		}
		queue, due := w.engine.queue.heard(), (<-chan struct{})(turn)
		if w.full() {
			queue = nil // the next sync makes room
		}
		if w.full() || len(w.behind) == 0 || !w.landed() && (w.owed > 0 || w.laden()) {
			due = nil
		}
		select {
		case <-queue:
			w.takeNext()
		case <-due:
			w.advance()
		case p := <-w.offloaded:
			w.land(p)
		case err := <-w.synced:
			w.arrived()
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

// laden reports that the groups on their way to the disk have at least Bounds.Group rows. The next part of what is due
// can then wait until one of them is on the disk: a command that comes in between is synced after all of them.
func (w *writer) laden() bool {
	rows := 0
	for _, b := range w.underWay {
		rows += b.rows
	}
	return rows >= w.engine.bounds.Group
}

// follows says that the open group has a heavy command, or comes directly after a group with one: it goes to the log at
// once, so that its commands need not wait together with the next heavy one.
func (w *writer) follows() bool {
	return w.open.heavy || len(w.underWay) > 0 && w.underWay[len(w.underWay)-1].heavy
}

// arrived notes that the first of the groups on their way is on the disk.
func (w *writer) arrived() {
	w.inFlight--
	w.underWay = w.underWay[1:]
}

func (w *writer) full() bool {
	return w.open.rows >= w.engine.bounds.Group || len(w.open.waiters) >= maxGroupCommands
}

// gather takes what is in the queue before a group is closed, until the group is worth its sync. It does so a second
// time, after the callers that were just answered had a chance to send more. The rest goes into the next group while
// this one is on its way.
func (w *writer) gather() {
	if len(w.open.entries) == 0 {
		return
	}
	for range 2 {
		for len(w.open.waiters) < w.worth() && !w.full() && !w.open.heavy && w.takeNext() {
		}
		runtime.Gosched()
	}
}

// worth is how many commands a group should have before it is closed. Where more than twice worthSync are in the queue,
// it is half of them: the writer then has enough to plan, and need not close a group so that its callers send more.
func (w *writer) worth() int { return max(worthSync, w.engine.queue.len()/2) }

// drain finishes what was submitted before the engine was closed. No command enters the queue any more. A command that
// waits for more than one part of what is due is refused: the rest of what is due is done after the next start.
func (w *writer) drain() {
	turns := 0 // of the accounts whose commands wait, once the plans outside the writer have ended
	for w.closing = true; len(w.planned) > 0; turns = len(w.behind) {
		w.land(<-w.offloaded)
	}
	for {
		for w.inFlight == 0 && w.seal() {
		}
		if !w.full() && turns > 0 {
			turns--
			w.advance()
			continue
		}
		if !w.full() && w.takeNext() {
			continue
		}
		if !w.full() {
			w.turnAwayBacklog(base.Refuse(base.CodeNotReady, "the engine is closing"))
		}
		if w.inFlight == 0 && len(w.open.entries) == 0 {
			return
		}
		if w.inFlight == 0 {
			continue
		}
		if err := <-w.synced; err != nil {
			w.fail(err)
			return
		}
		w.arrived()
	}
}

// takeNext judges the command whose turn it is; it says whether there was one.
func (w *writer) takeNext() bool {
	f := w.engine.queue.take()
	if f != nil {
		w.take(f)
	}
	return f != nil
}

// take judges one command, or makes it wait until what is before it in its account is done.
func (w *writer) take(f *Future) {
	w.owed = max(0, w.owed-1)
	if !w.park(f) && !w.begin(f) {
		w.engine.stats.parked.Add(1)
		b := &backlog{account: w.state.Accounts[f.cmd.Account], waiting: []*Future{f}}
		w.backlogs[f.cmd.Account] = b
		w.wait(b)
	}
}

// begin judges one command and answers through the open group. begun is false if so much is due before it that it has
// to wait, or if it must first be planned outside the writer.
func (w *writer) begin(f *Future) (begun bool) {
	var res Result
	var err error
	if p := f.plan; p != nil {
		f.plan = nil
		res, err = w.carryOut(&f.cmd, p)
	} else if res, begun, err = w.judge(&f.cmd); !begun {
		return false
	}
	f.judged(res, err)
	if len(w.open.entries) == 0 && w.inFlight == 0 {
		// Nothing durable is waited for: the answer depends on nothing that could still be lost.
		f.answer(res, err)
		return true
	}
	w.open.waiters = append(w.open.waiters, waiter{f, res, err})
	return true
}

// judge plans a command and applies the plan; begun is false where a part of what is due was done instead, or where the
// plan is to be made outside the writer, or the command to be looked up again there.
func (w *writer) judge(cmd *Command) (res Result, begun bool, err error) {
	a := w.state.Accounts[cmd.Account]
	if a == nil && !creates(cmd.Op) {
		return Result{}, true, base.NotFound("account")
	}
	w.state.At = max(w.state.At, w.engine.present())
	cmd.judged = w.state.At
	if a != nil {
		if a.Importing() && !carries(cmd.Op) {
			return Result{}, true, base.View{Acc: a}.Ready()
		}
		if cmd.offload = w.outdated(cmd); cmd.offload {
			return Result{}, false, nil
		}
		if cmd.Idem != nil {
			if res, done, err := w.repeat(cmd); done {
				return res, true, err
			}
		}
		if !a.Importing() {
			a.Due.Retry(w.state.At)
			if cmd.offload = w.offloadsDue(a); cmd.offload || !w.runDue(a) {
				return Result{}, false, nil
			}
		}
	}
	if cmd.offload = w.offloads(a, cmd); cmd.offload {
		return Result{}, false, nil
	}
	res, err = w.do(cmd)
	return res, true, err
}

// creates says that an operation may make the account that it is for.
func creates(op base.Op) bool {
	switch op.(type) {
	case base.CreateAccount, importPart:
		return true
	}
	return false
}

// do plans a command and applies the plan.
func (w *writer) do(cmd *Command) (Result, error) {
	began := w.elapsed()
	t, res, err := w.plan(cmd)
	return w.carryOut(cmd, &plan{t: t, res: res, err: err, took: w.elapsed() - began})
}

// carryOut applies what was planned.
func (w *writer) carryOut(cmd *Command, p *plan) (Result, error) {
	if p.err != nil {
		w.engine.stats.refused.Add(1)
		return Result{Took: p.took}, p.err
	}
	t := p.t
	heavy := len(t.Set) >= w.engine.bounds.Heavy
	if heavy && len(w.open.waiters) > 0 && len(w.open.entries) > 0 && w.inFlight < maxInFlight {
		w.seal() // the commands before it need not wait until it is encoded
	}
	a := w.state.Account(cmd.Account)
	if len(t.Set) == 0 {
		return Result{Record: p.res, Sequence: a.Ledger.Sequence, Took: p.took}, nil
	}
	w.apply(a, t)
	w.open.heavy = w.open.heavy || heavy
	w.recent.addAll(cmd.Account, t, w.groups+1)
	if cmd.Idem != nil && !idempotentOf(t).spent {
		w.results.add(cmd.Account, w.state.At, int64(t.Weight/2))
	}
	w.engine.stats.commands.Add(1)
	w.follow(cmd.Account, t.Waiting)
	return Result{Record: p.res, Sequence: a.Ledger.Sequence, Moves: t.Moves, Took: p.took}, nil
}

func (w *writer) elapsed() time.Duration {
	if w.engine.stopwatch == nil {
		return 0
	}
	return w.engine.stopwatch()
}

// plan runs a command's plan and completes its write set.
func (w *writer) plan(cmd *Command) (t *base.Tx, res any, err error) {
	a := w.state.Accounts[cmd.Account]
	if a == nil {
		a = base.NewAccount(cmd.Account)
	}
	t = w.begun(cmd, a)
	if o, ok := cmd.Op.(readsKept); ok {
		o.know(t, w.recent)
	}
	res, err = w.engine.complete(t, cmd)
	return t, res, err
}

// begun is the working view of a command's plan as it begins.
func (w *writer) begun(cmd *Command, a *base.AccountState) *base.Tx {
	t := &base.Tx{Acc: a, Keys: w.state.Keys, Now: w.state.At, Base: w.nextBase(), Ledger: a.Ledger,
		Searched: cmd.searched, Actor: cmd.Actor, Step: w.engine.step, Payload: w.engine.payload,
		Bounds: w.engine.bounds}
	if cmd.Idem != nil && w.results.spent(a, w.state.At) {
		idempotentOf(t).spent = true
	}
	return t
}

// complete runs a command's plan and completes its write set, on the writer or off it.
func (e *Engine) complete(t *base.Tx, cmd *Command) (res any, err error) {
	if res, err = e.planned(t, cmd); err != nil {
		return nil, err
	}
	err = e.contained(cmd, func() error {
		if _, complete := cmd.Op.(importPart); complete {
			return nil
		}
		for _, complete := range completions {
			complete(t)
		}
		if k := t.Twice(); k != nil {
			panic("engine: a plan changes one row of " + k.TableName() + " twice")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	o, owed := cmd.Op.(base.Owed)
	if len(t.Set) > e.bounds.Rows && !(owed && o.Least()) {
		return nil, base.TooManyRows(e.bounds.Rows)
	}
	if tooMuch := t.TooMuch(cmd.Idem != nil, owed); tooMuch != nil {
		return nil, tooMuch
	}
	if cmd.Idem != nil { // also of a command that changed nothing: repeated later, it might
		remember(t, cmd.Idem, res)
	}
	t.Ledger.Sequence++
	t.Ledger.At, t.Ledger.Actor, t.Ledger.Account = t.Now, cmd.Actor, cmd.Account
	return res, nil
}

// nextBase draws the base of a command's ids. Within one millisecond it continues where the command before it stopped:
// ids only grow, so their order is the order of creation.
func (w *writer) nextBase() base.Base {
	b := base.BaseOf(w.engine.random())
	if ms, last := base.SplitID(w.state.LastID); ms == w.state.At && !last.Less(b) {
		return last.Plus(1)
	}
	return b
}

// apply puts a plan's write set into the open group and into the state.
func (w *writer) apply(a *base.AccountState, t *base.Tx) {
	t.Set = slices.Insert(t.Set, 0, base.LedgerStep(a.Ledger, t.Ledger)) // mostly there is room
	set := t.Set
	if w.engine.checks {
		for _, c := range set {
			if err := c.Verify(a); err != nil {
				panic(fmt.Sprintf("engine: a plan does not fit its state: %v", err))
			}
		}
	}
	w.open.entries = append(w.open.entries, entry{account: a.ID, at: w.state.At, set: set})
	w.open.rows += len(set)
	if t.Used > 0 {
		if last := base.MakeID(t.Now, t.Base.Plus(t.Used-1)); w.state.LastID.Before(last) {
			w.state.LastID = last
		}
	}
	w.state.Apply(a.ID, set, t.Drafted)
	if w.engine.checks {
		if err := a.Stock.Check(); err != nil {
			panic(fmt.Sprintf("engine: timelines broken after a command: %v", err))
		}
	}
}

// seal closes the open group and hands it on; it says whether there was anything to do.
func (w *writer) seal() bool {
	g := w.open
	if len(g.entries) == 0 {
		if len(g.waiters) == 0 {
			return false
		}
		for _, x := range g.waiters { // refusals only: the commands that they were judged on are durable now
			x.future.answer(x.res, x.err)
		}
		g.waiters = g.waiters[:0]
		return true
	}
	w.inFlight++
	w.underWay = append(w.underWay, g.burden)
	w.groups++
	g.touched = w.state.TouchedIDs(nil)
	g.called, w.state.Called = w.state.Called, nil
	g.snapshot = w.state.Publish()
	g.snapshot.Groups = w.groups
	w.engine.stats.sealed.Add(int64(len(g.waiters)))
	if w.inFlight == 1 && g.brief() {
		w.encoder.take(g)
		w.written <- g
	} else {
		w.pending <- g
	}
	w.open = &group{waiters: make([]waiter, 0, len(g.waiters))}
	return true
}

// fail ends writing after the storage failed: the commands that wait get that error, later ones are refused, and
// readers keep the last published snapshot.
func (w *writer) fail(cause error) {
	e := w.engine
	what := "storage failed, no more writes are taken"
	if programFault(cause) {
		what = "a fault of the program, not of the disk: the changes of a command could not be written; no more " +
			"writes are taken"
	}
	e.log.Error(what, "error", cause)
	w.turnAwayBacklog(e.failure.Load())
	for _, x := range w.open.waiters { // the log has nothing of their group
		x.future.answer(Result{}, e.failure.Load())
	}
	for closed := false; !closed; {
		select {
		case <-e.queue.heard():
		case <-e.quit:
			closed = true
		}
		for f := e.queue.take(); f != nil; f = e.queue.take() {
			f.turnAway(e.failure.Load())
		}
	}
}
