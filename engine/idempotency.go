package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"holdfast/engine/base"
)

// This file owns idempotency: a command under a key is done once, and its repeats get the first one's result.
//
// The records of a day may be many more than fit in memory, so they live on disk alone. A repeat is looked up there
// before it enters the queue; what was done since, the writer remembers in a window longer than the queue.

// Idempotency names a command so that it can be repeated safely. Key is a hash over everything that makes the scope
// (method, path and the caller's key); Fingerprint a hash over the input.
type Idempotency struct {
	Key         base.ID
	Fingerprint base.ID

	kept *idemRow // what was on disk when the command was submitted
}

// idemKept is how long a result is kept for repeats, in milliseconds.
const idemKept = 24 * 60 * 60 * 1000

// idemRow is what is kept of a command that was done under a key. It is written with the command's own changes, so a
// crash cannot part the two.
type idemRow struct {
	Key         base.ID
	Fingerprint base.ID
	Until       int64
	Erased      bool `json:",omitempty"` // the result named somebody who was erased
	Result      json.RawMessage

	result any // what Result is made of when the row is written, beside the writer
}

var idempotencyKind = base.StoredRows(&base.Kind[idemRow]{
	Tag:  base.TagIdempotency,
	Name: "idempotency record",
	Key:  func(r *idemRow) base.ID { return r.Key },
	Encode: func(dst []byte, r *idemRow) []byte {
		if r.result != nil {
			r.Result, r.result = writtenResult(r.result), nil
		}
		const end = `null}`
		dst = base.EncodeCold(dst, &idemRow{Key: r.Key, Fingerprint: r.Fingerprint, Until: r.Until, Erased: r.Erased})
		if len(r.Result) > 0 { // it is JSON already, and may be long
			dst = append(append(dst[:len(dst)-len(end)], r.Result...), '}')
		}
		return dst
	},
	Decode: base.DecodeCold[idemRow]("idempotency record"),
	Knows:  base.Knows[idemRow],
})

// writtenResult is a result as it is kept. One that a fault of the program keeps from being written is told to no
// repeat: the command is done all the same, and its change is written with the fact.
func writtenResult(result any) (b []byte) {
	defer func() {
		if recover() != nil {
			b = []byte(`"the result could not be written"`) // is no result of any command
		}
	}()
	return base.MustJSON(result)
}

// remember adds the record of a keyed command to its own write set.
func remember(t *base.Tx, i *Idempotency, result any) {
	r := &idemRow{Key: i.Key, Fingerprint: i.Fingerprint, Until: t.Now + idemKept, result: result}
	if result == nil {
		r.Result = json.RawMessage("null")
	}
	base.Record(t, idempotencyKind, i.kept, r) // what was kept has lapsed, or this would be a repeat
	idempotentOf(t).keyed = append(idempotentOf(t).keyed, keyedRow{r.Key, r})
}

// lookUp reads what is kept under a command's key, on the goroutine that submits it.
func (e *Engine) lookUp(cmd *Command) error {
	i := *cmd.Idem // the caller's value is not changed
	var err error
	if i.kept, err = base.ReadStored(e.store, idempotencyKind, cmd.Account, i.Key); err != nil {
		return base.Refuse(base.CodeStorageFailed, "the idempotency record cannot be read")
	}
	cmd.Idem = &i
	return nil
}

// recent is the writer's memory of keyed commands: longer than the queue, so that between a look-up on disk and its
// judgement nothing is missed.
type recent struct {
	rows  map[recentKey]recentRow
	order []recentKey // a ring
	next  int
}

type recentKey struct{ account, key base.ID }

type recentRow struct {
	row   *idemRow // nil: forgotten
	group uint64   // whose log record says so
}

// keyedRow is what a command did to the record of a key.
type keyedRow struct {
	key base.ID
	row *idemRow
}

func newRecent(queue int) *recent {
	return &recent{rows: map[recentKey]recentRow{}, order: make([]recentKey, 2*queue+maxGroupCommands)}
}

func (m *recent) add(account base.ID, r keyedRow, group uint64) {
	k := recentKey{account, r.key}
	if _, ok := m.rows[k]; !ok {
		delete(m.rows, m.order[m.next])
		m.order[m.next] = k
		m.next = (m.next + 1) % len(m.order)
	}
	m.rows[k] = recentRow{r.row, group}
}

// repeat judges a keyed command against an earlier one of the same key. done is false where there is none, and the
// command is to be planned.
func (w *writer) repeat(cmd *Command) (res Result, done bool, err error) {
	row := cmd.Idem.kept
	running := false
	if r, ok := w.recent.rows[recentKey{cmd.Account, cmd.Idem.Key}]; ok {
		row, running = r.row, r.group > w.engine.current.Load().Groups
	}
	if row == nil || row.Until <= w.state.At {
		cmd.Idem.kept = row
		return res, false, nil
	}
	switch {
	case row.Fingerprint != cmd.Idem.Fingerprint:
		return res, true, base.Refuse(base.CodeIdempotencyReused, "the idempotency key was used for another request")
	case row.Erased:
		return res, true, base.Refuse(base.CodeIdempotencyReused,
			"the request was done under this key; its answer named a customer who was erased since")
	case running:
		return res, true,
			base.Refuse(base.CodeIdempotencyInUse, "the first request under this idempotency key is still running")
	}
	return Result{Sequence: w.state.Accounts[cmd.Account].Ledger.Sequence, Replayed: true, kept: row}, true, nil
}

// read completes the answer to a repeat with the first one's result, on the goroutine of the one who asks.
func (r Result) read(op base.Op) (Result, error) {
	if r.kept == nil {
		return r, nil
	}
	var err error
	if r.Record, err = op.ReadResult(r.kept.Result); err != nil {
		return Result{}, base.Refuse(base.CodeInternal, "the kept result cannot be read")
	}
	r.kept = nil
	return r, nil
}

// forget drops idempotency records that are kept no longer. What they are is an input: a plan reads no disk.
type forget struct {
	base.Answers[any]
	rows []*idemRow
}

func (forget) Check() []base.Fault { return nil }

func (o forget) PlanOn(t *base.Tx) (any, error) {
	for _, r := range o.rows {
		if _, changed := idempotentOf(t).recent.rows[recentKey{t.Acc.ID, r.Key}]; changed || r.Until > t.Now {
			continue // used anew, or forgotten already, since it was read
		}
		base.Record(t, idempotencyKind, r, nil)
		idempotentOf(t).keyed = append(idempotentOf(t).keyed, keyedRow{r.Key, nil})
	}
	return nil, nil
}

// sweepEvery is how often lapsed idempotency records are looked for: they are ignored from the instant they lapse.
const sweepEvery = time.Hour

// Sweep drops the idempotency records that have lapsed. It scans all that are kept, beside the writer.
func (e *Engine) Sweep(ctx context.Context) error {
	now := e.Now()
	var of base.ID
	var lapsed []*idemRow
	flush := func() error {
		if len(lapsed) == 0 {
			return ctx.Err()
		}
		_, err := e.Do(Command{Account: of, Actor: "clock", Op: forget{rows: lapsed}})
		lapsed = nil
		return err
	}
	err := e.store.ScanTables(1, base.TagIdempotency, base.TagIdempotency,
		func(_ int, _ byte, key, value []byte) error {
			account, id, err := base.SplitKey(key)
			if err != nil {
				return err
			}
			r, err := idempotencyKind.Decode(account, id, value)
			if err != nil || r.Until > now {
				return err
			}
			if latest, ok, err := e.store.Row(base.TagIdempotency, key); err != nil || !ok ||
				!bytes.Equal(latest, value) {
				return err // the log is ahead of the rows here
			}
			if account != of || len(lapsed) == base.DueAtOnce {
				if err := flush(); err != nil {
					return err
				}
				of = account
			}
			lapsed = append(lapsed, r)
			return nil
		})
	return errors.Join(err, flush())
}

// idempotent is what a plan does to idempotency records.
type idempotent struct {
	keyed  []keyedRow
	recent *recent
}

var idempotentPlace = base.RegisterPlace[idempotent]()

func idempotentOf(t *base.Tx) *idempotent { return idempotentPlace.On(&t.Shelf) }

// addAll notes what a plan does to idempotency records, in a group.
func (r *recent) addAll(account base.ID, t *base.Tx, group uint64) {
	if idempotentPlace.Made(&t.Shelf) {
		for _, k := range idempotentOf(t).keyed {
			r.add(account, k, group)
		}
	}
}
