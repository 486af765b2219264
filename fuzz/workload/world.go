package workload

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/fuzz/model"
	"holdfast/persist"
)

// This file owns the world of a run: a clock, a store, an engine on it, and the twins of its accounts.

// ID and Span are the engine's.
type (
	ID   = base.ID
	Span = base.Span
)

// Start is the instant at which a run begins: three days before Helsinki changes its clocks.
var Start = time.Date(2026, 3, 26, 8, 0, 0, 0, time.UTC).UnixMilli()

// Zones are those of the locations that a run makes, in turn: all three change their clocks within the first weeks, one
// of them by half an hour.
var Zones = []string{"Europe/Helsinki", "America/New_York", "Australia/Lord_Howe"}

// Tenant is an account and its twin.
type Tenant struct {
	ID   ID
	Twin *model.Account
}

// Line is a command that was submitted, and what the clock said.
type Line struct {
	Clock   int64
	Account ID
	Op      base.Op
}

// World is an engine with all that it stands on. Not for concurrent use.
type World struct {
	FS      vfs.FS
	Clock   int64 // the time that the engine gets when it asks
	At      int64 // the instant of the last command, which the next one's is never before
	Store   *persist.Store
	Engine  *engine.Engine
	Tenants []*Tenant
	Seen    model.Tally
	Bounds  base.Bounds // of the engine, where they are not the usual ones
	Played  []Line

	draws  uint64
	logged bytes.Buffer // what the engine complained of
}

// Dir is where the store lies on the world's file system.
const Dir = "/data"

// StoreOptions are those of a small store that folds and flushes early.
func StoreOptions(fs vfs.FS) persist.Options {
	return persist.Options{
		Dir: Dir, FS: fs, FoldBytes: 4 << 10, FoldDelay: time.Millisecond, HeadInterval: time.Millisecond,
		KeepLog: persist.Keep{All: true}, MemTableSize: 256 << 10, CacheSize: 1 << 20,
	}
}

// offload is of how many units a command is planned off the writer, 0 for the usual. Where accounts have much to do at
// once, which of them has its turn first then depends on how long plans take, and with it the ids of what they make.
var offload int

// New makes a world with some accounts.
func New(fs vfs.FS, accounts int) (*World, error) {
	w := &World{FS: fs, Clock: Start}
	if err := w.Open(); err != nil {
		return nil, err
	}
	for n := range accounts {
		t := &Tenant{ID: ID{0: 1, 6: 0x70, 8: 0x80, 15: byte(n + 1)},
			Twin: &model.Account{Zone: "Europe/Lisbon", Currency: "EUR", Seen: &w.Seen}}
		if _, err := w.Submit(t.ID,
			base.CreateAccount{AccountFields: base.AccountFields{Name: "account", Timezone: t.Twin.Zone}}); err != nil {
			return nil, err
		}
		w.Tenants = append(w.Tenants, t)
	}
	return w, nil
}

// Name opens the engine anew with bounds of its own on what a refusal names: of a line, and in all.
func (w *World) Name(line, all int) error {
	w.Bounds.Named, w.Bounds.NamedAll = line, all
	for _, t := range w.Tenants {
		t.Twin.Named, t.Twin.NamedAll = line, all
	}
	return w.Restart()
}

// Open opens the store and the engine.
func (w *World) Open() (err error) {
	if w.Store, err = persist.Open(StoreOptions(w.FS)); err != nil {
		return err
	}
	if err = w.OpenEngine(); err != nil {
		return errors.Join(err, w.Store.Close())
	}
	return nil
}

// OpenEngine opens the engine on the store.
func (w *World) OpenEngine() (err error) {
	// No id of the instant that the log ended at is made again.
	if end := w.Store.End(); end.Seq > 0 {
		w.At = end.At + 1
	}
	w.Clock = w.Now() // a restart takes longer than a clock is behind
	bounds := w.Bounds
	bounds.Offload = cmp.Or(bounds.Offload, offload)
	w.Engine, err = engine.Open(context.Background(), engine.Options{
		Store: w.Store, Manual: true, Checks: true,
		Logger: slog.New(slog.NewTextHandler(&w.logged, nil)),
		Now:    func() int64 { return w.Clock },
		Random: w.random, Payload: payload, Bounds: bounds,
	})
	return err
}

// Now is the engine's present.
func (w *World) Now() int64 { return max(w.At, w.Clock) }

// Submit submits a command and waits for it.
func (w *World) Submit(account ID, op base.Op) (engine.Result, error) {
	w.At = w.Now()
	w.Played = append(w.Played, Line{w.Clock, account, op})
	return w.Engine.Do(engine.Command{Account: account, Actor: "fuzz", Op: op})
}

// random makes the ids of a run: in every command others, and the same in every run. The high bits stay free, so that
// an id and a number add up without a carry.
func (w *World) random() (b [10]byte) {
	w.draws++
	x := w.draws * 0x9e3779b97f4a7c15
	binary.BigEndian.PutUint64(b[2:], x>>8)
	b[1] = byte(x)
	return b
}

// Close closes the engine and its store.
func (w *World) Close() error {
	if err := w.Engine.Close(); err != nil {
		return err
	}
	return w.Store.Close()
}

// Restart closes everything and opens it again: the state must be the same, to the hash.
func (w *World) Restart() error {
	seq, hash := w.Engine.State()
	if err := w.Close(); err != nil {
		return err
	}
	if err := w.Open(); err != nil {
		return err
	}
	if s, h := w.Engine.State(); s == seq && h != hash {
		return fmt.Errorf("the state at %d was %016x and is %016x after a restart", seq, hash, h)
	}
	return w.Resume(seq)
}

// Resume takes into the twins what the engine did when it was opened on the state of a sequence: all that was due.
func (w *World) Resume(seq uint64) error {
	log, err := w.log(seq)
	if len(log) > 0 {
		w.At = w.Now()
	}
	for _, t := range w.Tenants {
		if err == nil {
			t.Twin, err = t.Twin.Step(t.ID, model.Tick{}, w.Now(), nil, nil, log)
		}
	}
	if err != nil {
		return err
	}
	return w.told()
}

// Do submits a command for an account, and holds what came of it against all twins: of the other accounts nothing
// changed.
func (w *World) Do(tenant int, op base.Op) (engine.Result, error, error) {
	t := w.Tenants[tenant]
	before, _ := w.Engine.State()
	var res engine.Result
	var err error
	if _, tick := op.(model.Tick); tick {
		w.Clock = w.Now() // what is due is so by the clock
		err = w.Engine.Tick(context.Background())
	} else {
		res, err = w.Submit(t.ID, op)
	}
	log, fault := w.log(before)
	if fault != nil {
		return res, err, fault
	}
	if len(log) > 0 {
		w.At = w.Now()
	}
	for i, other := range w.Tenants {
		if i == tenant {
			continue
		}
		if _, tick := op.(model.Tick); !tick {
			if fault := untouched(log, other.ID); fault != nil {
				return res, err, fault
			}
			continue
		}
		if other.Twin, fault = other.Twin.Step(other.ID, op, w.Now(), nil, nil, log); fault != nil {
			return res, err, fault
		}
	}
	twin, fault := t.Twin.Step(t.ID, op, w.Now(), res.Record, err, log)
	if fault != nil {
		return res, err, fmt.Errorf("%T%+v at %d: %w\n%s", op, op, w.Now(), fault, w.logged.String())
	}
	t.Twin = twin
	return res, err, w.told()
}

// log reads the records after a sequence.
func (w *World) log(after uint64) (list []persist.Record, err error) {
	last, _ := w.Engine.State()
	for seq := after + 1; seq <= last; seq++ {
		r, err := w.Store.Record(seq)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

func untouched(log []persist.Record, account ID) error {
	for _, r := range log {
		for c := range r.Changes() {
			if ID(c.Key[:16]) == account {
				return fmt.Errorf("log record %d of another account's command changes table %d of account %x", r.Seq,
					c.Table, account)
			}
		}
	}
	return nil
}

// View is an account as it is now.
func (w *World) View(tenant int) base.View {
	v, _ := w.Engine.View(w.Tenants[tenant].ID)
	return v
}

// Promise asks how many units there are and holds the engine to the number: so many can be booked, and one more cannot,
// for the reason that goes with it.
func (w *World) Promise(tenant int, q hold.Query) error {
	if w.Engine.Now() != w.Now() {
		return nil // the clock was put back: a preview would be of another instant than the next command
	}
	q.Moves = true // that is what a booking can have
	answer, err := hold.Available(w.View(tenant), q, w.Now())
	if err != nil {
		return err
	}
	preview := func(n int) error {
		_, err := w.Engine.Preview(engine.Command{Account: w.Tenants[tenant].ID, Op: hold.PlaceHold{
			AllowPast: true,
			Lines:     []hold.HoldLineInput{{Item: q.Item, Location: q.Location, Window: q.Window, Quantity: n}},
		}})
		return err
	}
	if answer.WithMoves > 0 {
		if err := preview(answer.WithMoves); err != nil {
			return fmt.Errorf("%+v at %d: %+v were promised: %w", q, w.Now(), answer, err)
		}
	}
	err = preview(answer.WithMoves + 1)
	if err == nil {
		return fmt.Errorf("%+v at %d: %+v was the answer, and one more can be had", q, w.Now(), answer)
	}
	return nil
}
