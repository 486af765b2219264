package engine

import (
	"encoding/json"
	"iter"

	"holdfast/engine/table"
)

// This file owns idempotency: a command under a key is done once, and its repeats get the first one's result.

// Idempotency names a command so that it can be repeated safely. Key is a hash over everything that makes the scope
// (method, path and the caller's key); Fingerprint a hash over the input.
type Idempotency struct {
	Key         ID
	Fingerprint ID
}

// idemKept is how long a result is kept for repeats, in milliseconds.
const idemKept = 24 * 60 * 60 * 1000

// idemRow is what is kept of a command that was done under a key. It is written with the command's own changes, so a crash
// cannot part the two.
type idemRow struct {
	Key         ID
	Fingerprint ID
	Until       int64
	Result      json.RawMessage

	group uint64 // sequence of the log record that holds it, 0 after a restart; derived
}

var idempotencyKind = &kind[idemRow]{
	tag:    tagIdempotency,
	name:   "idempotency record",
	key:    func(r *idemRow) ID { return r.Key },
	encode: encodeCold[idemRow],
	decode: decodeCold[idemRow]("idempotency record"),
	find:   func(a *account, like *idemRow) *idemRow { return a.idem.Get(like.Key) },
	all:    func(a *account) iter.Seq[*idemRow] { return a.idem.All() },
	put: func(s *state, a *account, before, after *idemRow) {
		if before != nil {
			a.idem.Delete(before.Key)
			a.due.remove(dueItem{before.Until, dueIdempotency, before.Key})
		}
		if after != nil {
			n := *after
			n.group = s.group
			a.idem.Put(&n)
			a.due.add(dueItem{n.Until, dueIdempotency, n.Key})
		}
	},
}

func newIdemTable() *table.Table[idemRow] {
	return table.New(func(r *idemRow) table.ID { return r.Key })
}

// remember adds the record of a keyed command to its own write set.
func (t *tx) remember(i *Idempotency, result any) {
	b, err := json.Marshal(result)
	if err != nil {
		panic(err) // results are plain records
	}
	record(t, idempotencyKind, nil, &idemRow{Key: i.Key, Fingerprint: i.Fingerprint, Until: t.now + idemKept, Result: b})
}

// repeat judges a keyed command against an earlier one of the same key. done is false where there is none, and the command
// is to be planned. published is the sequence up to which results are durable.
func (a *account) repeat(cmd *Command, now int64, published uint64) (res Result, err error, done bool) {
	row := a.idem.Get(cmd.Idem.Key)
	switch {
	case row == nil || row.Until <= now:
		return Result{}, nil, false
	case row.Fingerprint != cmd.Idem.Fingerprint:
		return Result{}, refuse(CodeIdempotencyReused, "the idempotency key was used for another request"), true
	case row.group > published:
		return Result{}, refuse(CodeIdempotencyInUse, "the first request under this idempotency key is still running"), true
	}
	record := cmd.Op.result()
	if err := json.Unmarshal(row.Result, record); err != nil {
		return Result{}, refuse(CodeInternal, "the kept result cannot be read"), true
	}
	return Result{Record: record, Sequence: a.ledger.Sequence, Replayed: true}, nil, true
}
