package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"holdfast/engine/base"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns the Engine: opening, closing, submitting commands and taking views.

// Options are what an engine needs from outside. Now and Random are the only sources of time and chance: a command gets
// both as inputs.
type Options struct {
	Store  *persist.Store
	Now    func() int64    // milliseconds since the epoch
	Random func() [10]byte // the random part of a command's ids
	Logger *slog.Logger    // default: slog.Default
	Queue  int             // most commands waiting for the writer; default 4096
	// whether memory is so short that nothing is to be added, asked before the queue; nil: it never is
	Full func() bool
	// what is due is run by Tick alone, not by a timer: for tests that own the clock
	Manual   bool
	LogBytes int64 // an account's log of deliveries is kept up to; default 1 GiB
	// a monotonic reading, to measure how long plans take, and how long one that is made outside the writer has had its
	// turn; nil: neither is measured, and each of several such plans gives its turn away at its first chance
	Stopwatch func() time.Duration
	// a record as the interface shows it in a version, as JSON, for events; nil: null
	Payload func(version string, record any) []byte
	// how much longer a unit that is not back in time is kept, again and again until it is back; default 15 minutes
	Overdue time.Duration
	Phase   func(what string) // is called with what Open does now; may be nil
	Bounds  base.Bounds       // how much is done at once, where it is not as usual
	// verify every change against the row it was made on, and the timelines after every command
	Checks bool
}

// Engine serves availability from memory and makes each change durable before it shows it. All methods may be called
// from any goroutine.
type Engine struct {
	store     *persist.Store
	now       func() int64
	random    func() [10]byte
	log       *slog.Logger
	stopwatch func() time.Duration
	checks    bool
	bounds    base.Bounds
	step      int64 // Options.Overdue in milliseconds
	payload   func(version string, record any) []byte
	queue     *queue
	full      func() bool // Options.Full
	quit      chan struct{}
	done      sync.WaitGroup
	current   atomic.Pointer[base.Snapshot]
	failure   atomic.Pointer[base.Error]
	close     sync.Once
	gate      sync.RWMutex // held shared while a command enters the queue, so that Close leaves none in it
	shut      bool
	stats     stats
	refused   lately
	latest    atomic.Int64  // instant at which a command was judged
	readable  atomic.Uint64 // groups of which what is on disk alone can be read
	logIndex  logIndex
	notifier  notifier
	called    called
	logBytes  int64 // of an account's log of deliveries

	trims, sweeps rounds // house-keeping
}

// defaultStep is by how much a unit that is not back in time is kept longer.
const defaultStep = 15 * time.Minute

// Open builds the state from a store and starts the writer. Work that became due while the engine was down is done
// before Open returns.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Store == nil || o.Now == nil || o.Random == nil {
		return nil, errors.New("an engine needs a store, a clock and random numbers")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Queue == 0 {
		o.Queue = 4096
	}
	if o.Overdue == 0 {
		o.Overdue = defaultStep
	}
	if o.LogBytes == 0 {
		o.LogBytes = 1 << 30
	}
	if o.Phase == nil {
		o.Phase = func(string) {}
	}
	o.Phase("builds the state from rows and log")
	s, older, err := restore(ctx, o.Store)
	if err != nil {
		return nil, err
	}
	o.Store.Published(s.Seq) // what was found is durable: followers and look-ups may see all of it
	if older != nil {
		o.Phase("reads rows that another version wrote, and writes them anew")
		if err := rewrite(s, o.Store, older, o.Now(), o.Logger); err != nil {
			return nil, err
		}
	}
	e := &Engine{
		step: max(1, o.Overdue.Milliseconds()), payload: withoutPanic(o.Payload, o.Logger),
		store: o.Store, now: o.Now, random: o.Random, log: o.Logger, stopwatch: o.Stopwatch, checks: o.Checks,
		bounds: o.Bounds.WithDefaults(),
		queue:  newQueue(o.Queue), full: o.Full, quit: make(chan struct{}), called: newCalled(), logBytes: o.LogBytes,
	}
	e.called.add(s.Called)
	s.Called = nil
	e.current.Store(s.Publish())
	w := newWriter(e, s)
	w.encoder = newEncoder(o.Store, e.current.Load())
	e.done.Add(2)
	go w.encoder.run(w.pending, w.written)
	go w.commitGroups()
	go w.run()
	o.Phase("does what became due while it was down")
	if err := e.Tick(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	left, err := e.eraseAgain()
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if !o.Manual {
		ctx, stop := context.WithCancel(context.Background())
		go func() { <-e.quit; stop() }()
		e.done.Add(3)
		go e.keepTime(ctx)
		go e.keepHouse(ctx, left)
		go e.keepForgetting(ctx)
	}
	return e, nil
}

// Close stops taking commands, finishes those in the queue, and leaves the store to its owner. It may be called twice.
func (e *Engine) Close() error {
	e.close.Do(func() {
		e.gate.Lock()
		e.shut = true
		e.gate.Unlock()
		close(e.quit)
	})
	e.done.Wait()
	if err := e.failure.Load(); err != nil {
		return err
	}
	return nil
}

// Future is a submitted command. Wait may be called once.
type Future struct {
	engine *Engine
	cmd    Command
	res    Result
	err    error
	done   chan struct{}
	plan   *plan        // where it was made off the writer
	inputs base.Checker // of the command; kept here, it costs no allocation

	patient bool // it waits where its account has its share in the queue, and is not turned away

	asked   bool           // Planned may be called
	planned sync.WaitGroup // one until then
	early   Result
	earlier error
}

// Wait blocks until the command is durable, or refused. A refusal waits, too, for the commands before it that it was
// judged on.
func (f *Future) Wait() (Result, error) {
	<-f.done
	if f.err != nil {
		return f.res, f.engine.explain(&f.cmd, f.err)
	}
	res, err := f.res.read(f.engine, &f.cmd)
	if o, ok := f.cmd.Op.(marked); ok && err == nil {
		err = o.mark(f.engine, f.cmd.Account)
	}
	return res, err
}

// Planned blocks until the command is judged, and returns the judgement. That may still be lost: use it only to build
// further commands that depend on this one, as these are then lost with it. A refusal is not explained.
func (f *Future) Planned() (Result, error) {
	f.planned.Wait()
	if f.earlier != nil {
		return f.early, f.earlier
	}
	return f.early.read(f.engine, &f.cmd)
}

// judged hands the result of the plan to Planned.
func (f *Future) judged(res Result, err error) {
	if f.asked {
		f.early, f.earlier = res, err
		f.planned.Done()
	}
}

func (f *Future) answer(res Result, err error) {
	f.res, f.err = res, err
	f.done <- struct{}{}
}

// turnAway answers a command that was never judged.
func (f *Future) turnAway(err error) {
	f.judged(Result{}, err)
	f.answer(Result{}, err)
}

// explain completes the refusal of a request for which the stock is not enough: it adds what stands in the way and the
// next window that fits. It finds both by planning once more, on the snapshot and on the goroutine of the caller, so
// that a refusal does not delay the writer. It is of the instant of the judgement: a clock that went back would ask for
// more of what is past.
func (e *Engine) explain(cmd *Command, err error) error {
	refusal, ok := err.(*base.Error)
	if !ok || refusal.Code != base.CodeInsufficient || cmd.Brief || cmd.Explainer != nil &&
		!cmd.Explainer.MayExplain() {
		return err
	}
	s := e.current.Load()
	v, ok := view(s, cmd.Account)
	if !ok {
		return err
	}
	t := e.planOn(s, v)
	t.Now, t.Explain = max(cmd.judged, s.At), true
	if _, again := e.planned(t, cmd); errors.Is(again, refusal) {
		return again
	}
	return err // room came free meanwhile
}

// planned runs an operation's plan. A panic in it is a fault of the program that has changed nothing: it is a refusal.
func (e *Engine) planned(t *base.Tx, cmd *Command) (res any, err error) {
	err = e.contained(cmd, func() error {
		if faults := t.Acc.FaultsOf(cmd.Op); len(faults) > 0 {
			return base.Invalid(faults)
		}
		res, err = cmd.Op.PlanOn(t)
		return err
	})
	return res, err
}

// contained makes a refusal of a panic in a part of a command's plan.
func (e *Engine) contained(cmd *Command, part func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if o, due := cmd.Op.(runDue); due && !o.Least() { // less is tried
				err = base.Refuse(base.CodeInternal, "a part of what is due failed")
				return
			}
			e.log.Error("a plan panicked", "operation", fmt.Sprintf("%T", cmd.Op), "panic", p, "stack",
				string(debug.Stack()))
			err = base.Refuse(base.CodeInternal, "the operation failed; nothing was changed")
		}
	}()
	return part()
}

// foresee makes the long search of a command, if it has one, in advance and in the goroutine of the caller. It drops a
// panic in it: the plan itself will meet the same.
func (e *Engine) foresee(cmd *Command) (a *timeline.SearchedReduction) {
	op, ok := cmd.Op.(foreseen)
	if !ok {
		return nil
	}
	s := e.current.Load()
	v, ok := view(s, cmd.Account)
	if !ok {
		return nil
	}
	defer func() {
		if recover() != nil {
			a = nil
		}
	}()
	return op.Foresee(v, max(e.now(), s.At))
}

// planOn is a plan's working view of a snapshot.
func (e *Engine) planOn(s *base.Snapshot, v base.View) *base.Tx {
	return &base.Tx{Acc: v.Acc, Keys: s.Keys, Now: max(e.now(), s.At), Base: base.BaseOf(e.random()),
		Ledger: v.Acc.Ledger, Step: e.step, Bounds: e.bounds}
}

// Submit hands a command to the writer. It returns once the search that can be made in advance is done (foresee) and
// the queue has room for the command. Commands of one goroutine for one account are judged in the order in which it
// submits them; none waits for another's sync.
func (e *Engine) Submit(cmd Command) *Future { return e.submitted(cmd, true) }

func (e *Engine) submitted(cmd Command, patient bool) *Future {
	f := &Future{engine: e, cmd: cmd, done: make(chan struct{}, 1), asked: true, patient: patient}
	f.planned.Add(1)
	e.submit(f)
	return f
}

// submit hands a command to the writer. Where its account has its share in the queue, it waits, or is turned away if it
// is not patient.
func (e *Engine) submit(f *Future) {
	if !e.turnedAway(f) {
		e.enqueue(f)
	}
}

// turnedAway answers a command that is not taken; it says whether it has.
func (e *Engine) turnedAway(f *Future) bool {
	if f.cmd.Op.Check(&f.inputs); len(f.inputs.Faults) > 0 {
		faults := f.inputs.Faults
		if v, ok := e.View(f.cmd.Account); ok {
			faults = v.Check(f.cmd.Op)
		}
		f.turnAway(base.Invalid(faults))
		return true
	}
	if f.cmd.Idem != nil {
		if f.cmd.Idem = e.lookUp(f.cmd.Account, *f.cmd.Idem); f.cmd.Idem.failed != nil {
			f.turnAway(f.cmd.Idem.failed)
			return true
		}
	}
	if err := crowdedOut(e.full, f.cmd.Op); err != nil {
		f.turnAway(err)
		return true
	}
	return false
}

// enqueue puts a command into the queue for the writer.
func (e *Engine) enqueue(f *Future) {
	f.cmd.searched = e.foresee(&f.cmd)
	e.gate.RLock()
	defer e.gate.RUnlock()
	if e.shut {
		f.turnAway(base.Refuse(base.CodeNotReady, "the engine is closing"))
		return
	}
	if !e.queue.put(f) {
		f.turnAway(base.Refuse(base.CodeOverloaded, "too many commands of the account are waiting"))
	}
}

var futures = sync.Pool{New: func() any { return &Future{done: make(chan struct{}, 1)} }}

// Do submits a command and waits for it. Where commands of its account fill their share of the queue, half of it, it is
// refused with CodeOverloaded. A command that the present snapshot refuses because stock is short is not submitted
// (sold_out.go): such a refusal is certain to come after those earlier commands of this goroutine whose answers it has
// received, and after no others.
func (e *Engine) Do(cmd Command) (Result, error) {
	f := futures.Get().(*Future)
	f.engine, f.cmd = e, cmd
	if !e.turnedAway(f) {
		if err := e.soldOut(&f.cmd); err != nil {
			f.turnAway(err)
		} else {
			e.enqueue(f)
		}
	}
	res, err := f.Wait()
	e.learn(&cmd, err)
	*f = Future{done: f.done}
	futures.Put(f)
	return res, err
}

// View gives an account as of the present snapshot; ok is false where there is no such account.
func (e *Engine) View(account base.ID) (v base.View, ok bool) { return view(e.current.Load(), account) }

func view(s *base.Snapshot, id base.ID) (base.View, bool) {
	a, ok := s.Accounts.Get(base.Tenant{ID: id})
	if !ok {
		return base.View{}, false
	}
	return base.View{Acc: a.AccountState, Seq: s.Seq, At: s.At}, true
}

// Accounts lists the ids of all accounts, in id order.
func (e *Engine) Accounts() (ids []base.ID) {
	e.current.Load().Accounts.Scan(func(a base.Tenant) bool {
		ids = append(ids, a.ID)
		return true
	})
	return ids
}

// present is the clock for a command, but never earlier than it was for one before: also a refusal is judged no
// earlier.
func (e *Engine) present() int64 {
	now := e.now()
	for {
		last := e.latest.Load()
		if now <= last {
			return last
		}
		if e.latest.CompareAndSwap(last, now) {
			return now
		}
	}
}

// Now is the engine's present: the clock, but never earlier than the last command.
func (e *Engine) Now() int64 { return max(e.now(), e.current.Load().At) }

// State is the published log sequence and the state hash at it. The hash is equal on every engine that has done the
// same commands.
func (e *Engine) State() (seq, hash uint64) {
	s := e.current.Load()
	return s.Seq, s.Hash
}

// Failed is the storage failure that ended writing, or nil.
func (e *Engine) Failed() error {
	if err := e.failure.Load(); err != nil {
		return err
	}
	return nil
}
