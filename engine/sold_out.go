package engine

import (
	"sync/atomic"

	"holdfast/engine/base"
)

// This file owns the refusal, on a snapshot and in the goroutine of the caller, of what is sold out. A refusal changes
// nothing, so in the order of the commands it may stand wherever a read may: after everything that was answered before
// it was asked for. The present snapshot is such a place. So a refusal waits neither for the writer nor for the disk.
// When many callers want stock that is sold out, the writer is free for the commands that change something.
//
// To look at the stock twice would make every accepted booking slower. So the snapshot is asked only where a request
// for the same was refused recently. That decides where a command is judged, and never how.

// soldOut is the refusal of a command for which the present snapshot has not enough stock, not explained; nil where the
// writer has to judge it. The writer judges every command with an idempotency key, as it may be a repeat, and every
// command while something is due that may make room.
func (e *Engine) soldOut(cmd *Command) (refusal error) {
	op, ok := cmd.Op.(counted)
	if !ok || cmd.Idem != nil || !e.refused.has(op.Wanted()) || e.failure.Load() != nil {
		return nil
	}
	s := e.current.Load()
	v, ok := view(s, cmd.Account)
	if !ok || v.Ready() != nil {
		return nil
	}
	now := max(e.present(), s.At)
	if v.Acc.Due.Behind(now) {
		return nil
	}
	defer func() {
		if recover() != nil { // it is left to the plan itself
			refusal = nil
		}
	}()
	if len(v.Acc.FaultsOf(cmd.Op)) == 0 && op.Exceeds(v, now) {
		t := e.planOn(s, v)
		t.Now = now
		if _, err := cmd.Op.PlanOn(t); short(err) {
			e.stats.refused.Add(1)
			cmd.judged = now
			return err
		}
	}
	e.refused.less(op.Wanted())
	return nil
}

// learn notes that a command was refused because stock is short.
func (e *Engine) learn(cmd *Command, err error) {
	if op, ok := cmd.Op.(counted); ok && cmd.Idem == nil && short(err) {
		e.refused.add(op.Wanted())
	}
}

// short says that a refusal is because stock is short.
func short(err error) bool {
	refusal, ok := err.(*base.Error)
	return ok && refusal.Code == base.CodeInsufficient
}

// lately is what was refused recently, by hashes. One may take the place of another.
type lately [1 << 10]atomic.Uint64

// perRefusal is how many later requests try the snapshot without success before the entry is dropped. The count is in
// the lowest bits of an entry.
const perRefusal = 3

func (l *lately) at(hash uint64) *atomic.Uint64 { return &l[hash>>32%uint64(len(l))] }

func (l *lately) has(hash uint64) bool {
	is := l.at(hash).Load()
	return is&^perRefusal == hash&^perRefusal && is&perRefusal > 0
}

func (l *lately) add(hash uint64) {
	if x := l.at(hash); x.Load() != hash|perRefusal { // all callers that ask for the same read it
		x.Store(hash | perRefusal)
	}
}

func (l *lately) less(hash uint64) {
	x := l.at(hash)
	if is := x.Load(); is&^perRefusal == hash&^perRefusal && is&perRefusal > 0 {
		x.CompareAndSwap(is, is-1)
	}
}
