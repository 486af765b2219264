package base

import (
	"encoding/json"

	"holdfast/engine/sorted"
	"holdfast/timeline"
)

// This file owns operations, and the working view of the plan that one makes.

// Op is one operation with its inputs: a struct type of a domain, such as hold.PlaceHold or stock.CreateLocation.
// An Op is not changed once it was submitted.
type Op interface {
	// Check names every fault of the inputs themselves, looking at nothing else. It is called before the queue, with a
	// checker that has found nothing yet.
	Check(c *Checker)
	// PlanOn judges the operation on the state it meets and collects its changes, or refuses with an *Error. It has no
	// clock, no randomness and no I/O; if it refuses, nothing has changed.
	PlanOn(t *Tx) (any, error)
	// ReadResult reads a result of PlanOn back, as a repeat under an idempotency key is answered with it. Answers has
	// it.
	ReadResult(kept []byte) (any, error)
}

// OpOf is an operation whose plan returns an R: a record, or nothing where R is any.
type OpOf[R any] interface {
	Op
	answers(R)
}

// Adds is embedded in an operation that makes records that stay: it is turned away while memory is short.
type Adds struct{}

func (Adds) adds() {}

// AddsRecords says that an operation makes records that stay.
func AddsRecords(op Op) bool {
	_, adds := op.(interface{ adds() })
	return adds
}

// Answers is embedded in an operation, and says what its plan returns.
type Answers[R any] struct{}

func (Answers[R]) answers(R) {}

// Check is that of an operation whose inputs have no faults of their own; others have a Check of their own.
func (Answers[R]) Check(*Checker) {}

// ReadResult reads what was kept of a result.
func (Answers[R]) ReadResult(kept []byte) (any, error) {
	var r R
	err := json.Unmarshal(kept, &r)
	return r, err
}

// Sized is an Op that may change many units.
type Sized interface {
	// Size is about how many units of stock it changes, as far as its inputs tell and the records that they name.
	Size(a *AccountState) int
}

// Owed is an Op that does work that has come due, or that follows from units that came free: it must be done, however
// many rows change.
type Owed interface {
	// Least says that the command does no less in parts.
	Least() bool
}

// informed is an Op of whose inputs only the state can tell all faults.
type informed interface {
	// CheckOn names the faults that an account's state finds in the inputs: a tag of the wrong scope, say. Nothing is
	// found yet in the checker.
	CheckOn(c *Checker, a *AccountState)
}

// Check names every fault of an operation's inputs: those of the inputs themselves, and those that this state finds.
func (v View) Check(op Op) []Fault { return append(FaultsIn(op), v.Acc.FaultsOf(op)...) }

// FaultsIn are the faults of the inputs themselves.
func FaultsIn(op Op) []Fault {
	var c Checker
	op.Check(&c)
	return c.Faults
}

// FaultsOf are the faults that the state finds in an operation.
func (a *AccountState) FaultsOf(op Op) []Fault {
	o, ok := op.(informed)
	if !ok {
		return nil
	}
	var c Checker
	o.CheckOn(&c, a)
	return c.Faults
}

// Tx is a plan's working view: the account as it is, the command's instant and ids, and the changes collected so far.
type Tx struct {
	Acc      *AccountState
	Keys     sorted.Set[KeyRef] // of all accounts: public ids are unique over them
	Now      int64
	Base     Base
	Used     uint64
	Set      []RowChange
	Weight   int    // of the write set; set by TooMuch
	Ledger   Ledger // as the command leaves it
	Actor    string
	Step     int64                       // by which a unit that is late is kept longer, in milliseconds
	Searched *timeline.SearchedReduction // what was planned of it before its turn
	Payload  func(version string, record any) []byte
	Shelf    shelf  // what domains note (shelf.go)
	Yield    func() // lets the plans of other accounts go on first, now and then; nil where none can be under way

	Explain bool              // a refusal says what stands in the way
	Bounds  Bounds            // how much of it
	Moves   int               // holds that the plan moves to another slot
	Tries   int               // of conflicts that it may make; 0: MaxTries
	Waiting *timeline.Waiting // conflicts are left to try: a follow-up command is wanted
	// the timelines as the write set leaves them, where the plan has them; nil: they are to be made
	Drafted *timeline.Stock
}

// NewID gives the command's next id.
func (t *Tx) NewID() ID {
	id := MakeID(t.Now, t.Base.Plus(t.Used))
	t.Used++
	return id
}
