package engine

import (
	"sync/atomic"
	"time"
)

// This file owns the turns of plans that are made outside the writer: one computes at a time, so that all of them
// together use one core. One that has computed for a turn lets those that wait go on first.

// turnTime is how long a plan computes while others wait.
const turnTime = 5 * time.Millisecond

// turns gives plans their turns, first come, first served.
type turns struct {
	taken   chan struct{} // full while a plan has its turn; goroutines that wait to send are served in their order
	waiting atomic.Int32
	clock   func() time.Duration // nil: a turn is over at its first chance
	began   time.Duration        // of the turn; whoever has it may use this
}

func newTurns(clock func() time.Duration) *turns {
	return &turns{taken: make(chan struct{}, 1), clock: clock}
}

// begin waits for a turn.
func (t *turns) begin() {
	t.waiting.Add(1)
	t.taken <- struct{}{}
	t.waiting.Add(-1)
	if t.clock != nil {
		t.began = t.clock()
	}
}

// end gives the turn to the next.
func (t *turns) end() { <-t.taken }

// yield is called by the plan that has the turn, now and then.
func (t *turns) yield() {
	if t.waiting.Load() > 0 && (t.clock == nil || t.clock()-t.began >= turnTime) {
		t.end()
		t.begin()
	}
}
