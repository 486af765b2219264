package engine

import (
	"github.com/tidwall/btree"

	"holdfast/timeline"
)

// This file owns operations, and the working view of the plan that one makes.

// Span is a half-open range of milliseconds since the epoch.
type Span = timeline.Span

// Forever is the open end of a range.
const Forever = timeline.Forever

// Op is one operation with its inputs: a struct type of this package, such as PlaceHold or CreateLocation.
// An Op is not changed once it was submitted.
type Op interface {
	// Check names every fault of the inputs themselves, looking at nothing else. It is called before the queue.
	Check() []Fault
	// plan judges the operation on the state it meets and collects its changes, or refuses with an *Error. It has no
	// clock, no randomness and no I/O; what it refuses leaves nothing behind.
	plan(t *tx) (any, error)
	// result is a pointer to the zero value of what plan returns, for reading back the result of an idempotent repeat.
	result() any
}

// informed is an Op of whose inputs only the state can tell all faults.
type informed interface {
	// checkOn names the faults that an account's state finds in the inputs: a tag of the wrong scope, say.
	checkOn(a *account) []Fault
}

// Check names every fault of an operation's inputs: those of the inputs themselves, and those that this state finds.
func (v View) Check(op Op) []Fault { return append(op.Check(), v.acc.faultsOf(op)...) }

func (a *account) faultsOf(op Op) []Fault {
	if o, ok := op.(informed); ok {
		return o.checkOn(a)
	}
	return nil
}

// tx is a plan's working view: the account as it is, the command's instant and ids, and the changes collected so far.
type tx struct {
	acc     *account
	keys    *btree.BTreeG[keyRef] // of all accounts: public ids are unique over them
	now     int64
	base    Base
	used    uint64
	set     []rowChange
	ledger  ledger // as the command leaves it
	actor   string
	step    int64           // by which a unit that is late is kept longer, in milliseconds
	ahead   *timeline.Ahead // what was planned of it before its turn
	payload func(version string, record any) []byte
	shelf   shelf // what domains note (shelf.go)

	explain bool              // a refusal says what stands in the way
	bounds  Bounds            // how much of it
	moves   int               // holds that the plan moves to another slot
	waiting *timeline.Waiting // conflicts are left to try: a follow-up command is wanted
}

// newID gives the command's next id.
func (t *tx) newID() ID {
	id := makeID(t.now, t.base.plus(t.used))
	t.used++
	return id
}
