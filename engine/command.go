package engine

import (
	"time"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns what goes in and out of the writer: commands, optional inputs, and the plan's working view.

// foreseen is an Op whose plan may take a long search. The goroutine of the caller makes the search on a snapshot, and
// the writer only checks whether its result still holds.
type foreseen interface {
	Foresee(v base.View, now int64) *timeline.SearchedReduction
}

// counted is an Op that may be refused on a snapshot (sold_out.go). Its answers may be wrong: they only decide whether
// it is planned on the snapshot to find out.
type counted interface {
	Wanted() uint64                      // a hash of the items and places that it wants stock of
	Exceeds(v base.View, now int64) bool // by the counts there is less than it wants
}

// marked is an Op of which something is stored outside the log once it is durable, before it is answered.
type marked interface {
	mark(e *Engine, account base.ID) error
}

// Command is an Op on behalf of an account.
type Command struct {
	Account base.ID
	Actor   string // what asks: a key's label, or the name of a part of the engine
	Op      base.Op
	Idem    *Idempotency // nil: every submission is a command of its own
	Brief   bool         // a refusal need not say what stands in the way nor what would fit

	Explainer interface{ MayExplain() bool } // asked before a refusal is made to say that, which is slow; nil: it may

	searched *timeline.SearchedReduction // what was foreseen of it
	offload  bool                        // its plan is to be made off the writer
	judged   int64                       // the instant at which the writer judged it
}

// Result is what a command came to.
type Result struct {
	Record   any           // the record that the operation answers with; its type is fixed per Op
	Sequence uint64        // the account's count of committed changes after the command
	Replayed bool          // true: a repeat under an idempotency key, nothing was done
	Moves    int           // holds of others that changed their slot to make room
	Took     time.Duration // how long planning took, by Options.Stopwatch; of a refusal, too

	repeats idemState // of a repeat: the record that Record is read from
}
