package engine

// This file owns the one function that makes a group durable. A replicated log would take its place.

// commitGroups makes sealed groups durable, one after the other: synced, then visible, then answered.
func (w *writer) commitGroups() {
	defer w.engine.done.Done()
	e := w.engine
	for g := range w.sealed {
		err := e.store.Commit(&g.log, g.seq, g.at, g.hash)
		if err != nil {
			e.failure.CompareAndSwap(nil, refuse(CodeStorageFailed, "storage failed; the server takes no more writes and must be restarted"))
			for _, x := range g.waiters {
				x.future.answer(Result{}, unknownOutcome())
			}
			w.synced <- err
			continue
		}
		e.current.Store(g.snapshot)
		e.store.Published(g.seq)
		e.bells.ring(g.touched)
		e.stats.groups.Add(1)
		answers := g.waiters
		g.log.Reset()
		g.waiters, g.snapshot = nil, nil
		w.synced <- nil
		for _, x := range answers {
			x.future.answer(x.res, x.err)
		}
	}
}

// unknownOutcome is the answer to a command whose record may or may not be found after a restart.
func unknownOutcome() *Error {
	return &Error{
		Code:    CodeStorageFailed,
		Detail:  "storage failed while the command was being made durable: it is there whole or not at all after a restart",
		Details: UnknownOutcomeDetails{},
	}
}
