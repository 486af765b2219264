package engine

import (
	"time"

	"github.com/tidwall/btree"

	"holdfast/timeline"
)

// This file owns what goes in and out of the writer: commands, optional inputs, and the plan's working view.

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

// foreseen is an Op whose plan may take a long search: it is made by the one who asks, on a snapshot, and the writer only looks
// whether it still holds.
type foreseen interface {
	foresee(v View, now int64) *timeline.Ahead
}

// Check names every fault of an operation's inputs: those of the inputs themselves, and those that this state finds.
func (v View) Check(op Op) []Fault { return append(op.Check(), v.acc.faultsOf(op)...) }

func (a *account) faultsOf(op Op) []Fault {
	if o, ok := op.(informed); ok {
		return o.checkOn(a)
	}
	return nil
}

// Command is an Op on behalf of an account.
type Command struct {
	Account ID
	Actor   string // who asks: a key's label, or the name of a part of the engine
	Op      Op
	Idem    *Idempotency // nil: every submission is a command of its own
	Brief   bool         // a refusal need not say what stands in the way nor what would fit

	Explainer interface{ MayExplain() bool } // asked before a refusal is made to say that, which is dear; nil: it may

	ahead  *timeline.Ahead // what was foreseen of it
	judged int64           // the instant at which the writer judged it
}

// Opt is an input that may be absent, null or a value: PATCH leaves what is absent, clears what is null.
type Opt[T any] struct {
	Set   bool
	Null  bool
	Value T
}

// Some is a given value.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, Value: v} }

// Null is an input given as null.
func Null[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// given is the value, or nil where there is none.
func (o Opt[T]) given() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// merge puts a given value in place of the one a pointer field holds.
func (o Opt[T]) merge(at **T) {
	switch {
	case !o.Set:
	case o.Null:
		*at = nil
	default:
		v := o.Value
		*at = &v
	}
}

// set puts a given value in place of the one a field holds; null is the zero value.
func (o Opt[T]) set(at *T) {
	if o.Set {
		*at = o.Value
	}
}

// replace puts a given list in place of the one a field holds, where either has an element.
func replace[T any](o Opt[[]T], at *[]T) {
	if o.Set && len(o.Value)+len(*at) > 0 {
		*at = o.Value
	}
}

// mergeInto has a given patch change the record part that a pointer field holds, or make it.
func mergeInto[P, T any](o Opt[P], at **T, merged func(p *P, t T) T) {
	switch {
	case !o.Set:
	case o.Null:
		*at = nil
	default:
		var t T
		if *at != nil {
			t = **at
		}
		t = merged(&o.Value, t)
		*at = &t
	}
}

// Result is what a command came to.
type Result struct {
	Record   any           // the record that the operation answers with; its type is fixed per Op
	Sequence uint64        // the account's count of committed changes behind the command
	Replayed bool          // true: a repeat under an idempotency key, nothing was done
	Moves    int           // holds of others that changed their slot to make room
	Took     time.Duration // how long planning took, by Options.Stopwatch; of a refusal, too

	kept *idemRow // of a repeat: where Record is read from
}

// tx is a plan's working view: the account as it is, the command's instant and ids, and the changes collected so far.
type tx struct {
	acc    *account
	keys   *btree.BTreeG[keyRef] // of all accounts: public ids are unique over them
	now    int64
	base   Base
	used   uint64
	set    []rowChange
	ledger ledger // as the command leaves it

	fork    *timeline.Stock // the timelines with lots and slots that the plan added, nil while it added none
	stock   *timeline.Draft
	placed  int                      // rows of slots and units that are recorded of it
	lots    map[lotOf]timeline.LotNo // lots that the plan makes
	article *Article                 // that the plan makes or changes, as far as conflicts have to know
	sku     *SKU                     // that it changes, likewise
	short   []ID                     // units that were made conflicts, as overbooking is allowed
	keyed   []keyedRow               // what the command does to idempotency records
	recent  *recent
	ahead   *timeline.Ahead
	actor   string
	payload func(version string, o *OrderRecord) []byte
	step    int64        // by which a unit that is late is kept longer, in milliseconds
	orders  []*orderEdit // what the command makes of orders
	named   edits        // what it makes of those whom orders name

	explain bool              // a refusal says what stands in the way
	bounds  Bounds            // how much of it
	way     *inTheWay         // which is found by it
	moves   int               // holds that the plan moves to another slot
	room    []timeline.Freed  // what the command freed
	tries   int               // of conflicts that the command may make; 0: maxTries
	gathers bool              // conflicts are not tried yet: more is to come free
	swept   int               // about how many bytes of rows changed beside the record that the command names
	waiting *timeline.Waiting // conflicts are left to try: a follow-up command is wanted
	hooks   webhookEdits
}

// lotOf names a lot by the numbers of its article and location.
type lotOf struct{ article, location uint32 }

// newID gives the command's next id.
func (t *tx) newID() ID {
	id := makeID(t.now, t.base.plus(t.used))
	t.used++
	return id
}

// timelines is what the plan's draft starts from.
func (t *tx) timelines() *timeline.Stock {
	if t.fork != nil {
		return t.fork
	}
	return t.acc.stock
}

// draft is the plan's scratch copy of the account's timelines.
func (t *tx) draft() *timeline.Draft {
	if t.stock == nil {
		s := t.timelines()
		if len(t.orders) == 0 && s.ChoosyLen() == 0 {
			t.stock = s.Draft(t.now)
		} else {
			t.stock = s.DraftFor(t, t.now)
		}
	}
	return t.stock
}
