package engine

import (
	"holdfast/engine/base"
)

// This file owns the one function that makes a group durable. A replicated log would take its place.

// commitGroups makes groups durable that the encoder has handed to the log, one after the other: synced, then visible,
// then answered. The writer is notified first: to wake the goroutines that wait for answers takes longer.
func (w *writer) commitGroups() {
	defer w.engine.done.Done()
	e := w.engine
	for g := range w.written {
		err := g.err
		for i := 0; i < len(g.records) && err == nil; i++ {
			err = g.records[i].Wait()
		}
		e.stats.sealed.Add(-int64(len(g.waiters)))
		if err != nil {
			e.storageFailed(g.waiters, err)
			w.synced <- err
			continue
		}
		e.current.Store(g.snapshot)
		e.store.Published(g.snapshot.Seq)
		e.readable.Store(g.snapshot.Groups)
		e.notifier.notify(g.touched)
		e.called.add(g.called)
		e.stats.groups.Add(1)
		w.synced <- nil
		for _, x := range g.waiters {
			x.future.answer(x.res, x.err)
		}
	}
}

// storageFailed refuses everything from now on, and answers those that waited for a group that it may be lost.
func (e *Engine) storageFailed(waiters []waiter, cause error) {
	why := "storage failed; the server takes no more writes and must be restarted"
	if programFault(cause) {
		why = "by a fault of the program the changes of a command could not be written; the server takes no more " +
			"writes and must be restarted"
	}
	e.failure.CompareAndSwap(nil, base.Refuse(base.CodeStorageFailed, "%s", why))
	for _, x := range waiters {
		x.future.answer(Result{}, unknownOutcome())
	}
}

// unknownOutcome is the answer to a command whose record may or may not be found after a restart.
func unknownOutcome() *base.Error {
	return &base.Error{
		Code: base.CodeStorageFailed,
		Detail: "storage failed while the command was being made durable: it is there whole or not at all " +
			"after a restart",
		Details: base.UnknownOutcomeDetails{},
	}
}
