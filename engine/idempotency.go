package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"holdfast/engine/base"
)

// This file owns idempotency: a command under a key is done once, and its repeats get the first one's result.
//
// The records of a day may be many more than fit in memory, so they live on disk alone. A repeat is looked up there
// before it enters the queue; of what was done since, the writer remembers in a window which record it is. A command
// that has waited for longer than the window is looked up again, outside the writer, before it is judged.

// Idempotency names a command so that it can be repeated safely. Key is a hash over everything that makes the scope
// (method, path and the caller's key); Fingerprint a hash over the input.
type Idempotency struct {
	Key         base.ID
	Fingerprint base.ID

	kept   *idemRow // what was on disk when it was looked up
	looked uint64   // groups whose records were there to be read by then
	failed error    // why it could not be looked up
}

// idemKept is how long a result is kept for repeats, in milliseconds.
const idemKept = 24 * 60 * 60 * 1000

// idemRow is what is kept of a command that was done under a key. It is written with the command's own changes, so a
// crash cannot part the two.
type idemRow struct {
	Key         base.ID
	Fingerprint base.ID
	Until       int64
	Erased      bool `json:",omitempty"` // the result named a person that was erased, or found no room
	Result      json.RawMessage

	result any // what Result is made from when the row is encoded, outside the writer
}

// idemState distinguishes one record of a key from another; the zero state means no record. A key is used anew only
// after its record has lapsed, so a new record always has another instant until which it is kept.
type idemState struct {
	fingerprint base.ID
	until       int64
	erased      bool
}

func (r *idemRow) state() idemState {
	if r == nil {
		return idemState{}
	}
	return idemState{r.Fingerprint, r.Until, r.Erased}
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

// writtenResult is a result as it is kept. If a fault of the program makes it impossible to write the result, no repeat
// gets it: the command is done all the same, and its change is written together with a note of that.
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
	if r.Erased = idempotentOf(t).spent; r.Erased {
		r.result = nil
	} else if result == nil {
		r.Result = json.RawMessage("null")
	}
	base.Record(t, idempotencyKind, i.kept, r) // the kept record has lapsed, else this would be a repeat
	idempotentOf(t).note(r.Key, r)
}

// resultsKept is how many bytes of results are kept of what an account does in a day, by weight. Where they are used
// up, a command leaves only that it was done: it is still not done again, but its repeats are refused. Tests make it
// less.
var resultsKept int64 = 4 << 30

// results counts, by hours, what results of each account were kept in the last day. It knows of none before the start.
type results map[base.ID]*[keptHours]keptHour

type keptHour struct{ hour, bytes int64 }

const (
	resultsHour = 60 * 60 * 1000
	keptHours   = idemKept/resultsHour + 1
)

func (r results) add(account base.ID, now, bytes int64) {
	of := r[account]
	if of == nil {
		of = new([keptHours]keptHour)
		r[account] = of
	}
	h := now / resultsHour
	x := &of[h%keptHours]
	if x.hour != h {
		*x = keptHour{hour: h}
	}
	x.bytes += bytes
}

// spent says that no room is left for results of an account. One whose plan has no limits has no such bound either.
func (r results) spent(a *base.AccountState, now int64) bool {
	of := r[a.ID]
	if of == nil || a.Row.Plan == base.Unlimited {
		return false
	}
	all := int64(0)
	for _, x := range of {
		if x.hour > now/resultsHour-keptHours {
			all += x.bytes
		}
	}
	return all >= resultsKept
}

// lookUp reads what is kept under a command's key, outside the writer. The caller's value is not changed.
func (e *Engine) lookUp(account base.ID, i Idempotency) *Idempotency {
	i.looked, i.failed = e.readable.Load(), nil
	var err error
	if i.kept, err = base.ReadStored(e.store, idempotencyKind, account, i.Key); err != nil {
		i.failed = base.Refuse(base.CodeStorageFailed, "the idempotency record cannot be read")
	}
	return &i
}

// recent is the writer's memory of keyed commands: which records the last of them left. The content of the records is
// read from disk.
type recent struct {
	rows  map[recentKey]recentRow
	order []recentKey // a ring of the last changes
	next  int
	lost  uint64 // the last group of which a change is forgotten
}

type recentKey struct{ account, key base.ID }

type recentRow struct {
	idemState
	group uint64 // whose log record says so
	place int    // in the ring
}

// keyedRow is what a command did to the record of a key.
type keyedRow struct {
	key base.ID
	is  idemState
}

func newRecent(queue int) *recent {
	return &recent{rows: map[recentKey]recentRow{}, order: make([]recentKey, 2*queue+maxGroupCommands)}
}

func (m *recent) add(account base.ID, r keyedRow, group uint64) {
	oldest := m.order[m.next]
	if last, ok := m.rows[oldest]; ok && last.place == m.next {
		delete(m.rows, oldest)
		m.lost = last.group
	}
	k := recentKey{account, r.key}
	m.order[m.next] = k
	m.rows[k] = recentRow{r.is, group, m.next}
	m.next = (m.next + 1) % len(m.order)
}

// is gives the state of a key's record as the writer knows it. The caller has read the record when groups up to looked
// could be read. known is false if the record may have changed since, and the writer has forgotten the change.
func (m *recent) is(account base.ID, key base.ID, read *idemRow, looked uint64) (is idemState, known bool) {
	if r, ok := m.rows[recentKey{account, key}]; ok {
		return r.idemState, true
	}
	return read.state(), m.lost <= looked
}

// outdated says that a keyed command is to be looked up again before it is judged: it has waited for so long that the
// writer may have forgotten what was done under its key since, or it replaces a record that it has not read.
func (w *writer) outdated(cmd *Command) bool {
	i := cmd.Idem
	if i == nil {
		return false
	}
	is, known := w.recent.is(cmd.Account, i.Key, i.kept, i.looked)
	return !known || is.until != 0 && is.until <= w.state.At && is != i.kept.state()
}

// repeat judges a keyed command against an earlier one of the same key. done is false where there is none, and the
// command is to be planned.
func (w *writer) repeat(cmd *Command) (res Result, done bool, err error) {
	i := cmd.Idem
	if i.failed != nil {
		return res, true, i.failed
	}
	is, _ := w.recent.is(cmd.Account, i.Key, i.kept, i.looked)
	if is.until <= w.state.At {
		if is == (idemState{}) {
			i.kept = nil // forgotten since
		}
		return res, false, nil
	}
	switch {
	case is.fingerprint != i.Fingerprint:
		return res, true, base.Refuse(base.CodeIdempotencyReused, "the idempotency key was used for another request")
	case is.erased:
		return res, true, errErased
	case w.recent.rows[recentKey{cmd.Account, i.Key}].group > w.engine.readable.Load():
		return res, true,
			base.Refuse(base.CodeIdempotencyInUse, "the first request under this idempotency key is still running")
	}
	return Result{Sequence: w.state.Accounts[cmd.Account].Ledger.Sequence, Replayed: true, repeats: is}, true, nil
}

var errErased = base.Refuse(base.CodeIdempotencyReused,
	"the request was done under this key, but its answer is not kept: it named a customer who was erased since, or "+
		"the account's kept answers had used up their room")

// read completes the answer to a repeat with the first one's result, on the goroutine of the caller.
func (r Result) read(e *Engine, cmd *Command) (Result, error) {
	if r.repeats == (idemState{}) {
		return r, nil
	}
	i := cmd.Idem
	if i.kept.state() != r.repeats { // it was done after the look-up
		i = e.lookUp(cmd.Account, *i)
	}
	err := i.failed
	switch {
	case err != nil:
	case i.kept.state() == r.repeats:
		if r.Record, err = cmd.Op.ReadResult(i.kept.Result); err != nil {
			err = base.Refuse(base.CodeInternal, "the stored result cannot be read")
		}
	case i.kept != nil && i.kept.Erased: // since it was judged
		err = errErased
	default:
		err = base.Refuse(base.CodeInternal, "the stored result has just expired")
	}
	if err != nil {
		return Result{}, err
	}
	r.repeats = idemState{}
	return r, nil
}

// Repeat answers a command whose inputs have faults in the present state, where it was done under its key before they
// had. Where it was not, it stays undone, and done is false.
func (e *Engine) Repeat(cmd Command) (res Result, done bool, err error) {
	cmd.Op = faulty{cmd.Op}
	if res, err = e.Do(cmd); errors.Is(err, errFaulty) {
		return Result{}, false, nil
	}
	return res, err == nil, err
}

// faulty is an Op that cannot be done, only repeated.
type faulty struct{ base.Op }

var errFaulty = base.Refuse(base.CodeInvalid, "the inputs have faults")

func (faulty) Check(*base.Checker) {}

func (faulty) PlanOn(*base.Tx) (any, error) { return nil, errFaulty }

// keptRows are records that a command takes as its input, as they were read right before it: a plan reads no disk.
type keptRows struct {
	rows   []*idemRow
	looked uint64 // groups whose records were there to be read by then
}

// readsKept is an Op with keptRows.
type readsKept interface{ know(*base.Tx, *recent) }

// know lets the plan see what the writer remembers.
func (keptRows) know(t *base.Tx, m *recent) { idempotentOf(t).recent = m }

// readKept reads the stored records for keys and keeps those for which so is true.
func (e *Engine) readKept(account base.ID, keys []base.ID, so func(*idemRow) bool) (k keptRows, err error) {
	k.looked = e.readable.Load()
	for _, key := range keys {
		r, err := base.ReadStored(e.store, idempotencyKind, account, key)
		if err != nil {
			return k, err
		}
		if r != nil && so(r) {
			k.rows = append(k.rows, r)
		}
	}
	return k, nil
}

// change replaces each record that is unchanged since it was read, or drops it where becomes returns nil. It returns
// false if the writer has forgotten whether one changed.
func (k keptRows) change(t *base.Tx, becomes func(*idemRow) *idemRow) (all bool) {
	all = true
	for _, r := range k.rows {
		is, known := idempotentOf(t).recent.is(t.Acc.ID, r.Key, r, k.looked)
		if all = all && known; !known || is != r.state() {
			continue // it may have been, or was, used anew or dropped since
		}
		n := becomes(r)
		base.Record(t, idempotencyKind, r, n)
		idempotentOf(t).note(r.Key, n)
	}
	return all
}

// forget drops idempotency records that are kept no longer.
type forget struct {
	base.Answers[any]
	keptRows
}

// PlanOn leaves what is not known of to the next time.
func (o forget) PlanOn(t *base.Tx) (any, error) {
	o.change(t, func(*idemRow) *idemRow { return nil })
	return nil, nil
}

// sweepEvery is how often lapsed idempotency records are looked for: they are ignored from the instant they lapse.
const sweepEvery = time.Hour

// Sweep drops the idempotency records that have lapsed. It reads all that are kept, outside the writer.
func (e *Engine) Sweep(ctx context.Context) error {
	return e.inEach(ctx, e.sweep(ctx))
}

// sweep is Sweep of one account.
func (e *Engine) sweep(ctx context.Context) func(base.View) error {
	return func(v base.View) error {
		account, now := v.Acc.ID, e.Now()
		lapsed := func(r *idemRow) bool { return r.Until <= now }
		return e.eachKept(ctx, account, func(key base.ID, value []byte) (bool, error) {
			r, err := idempotencyKind.Decode(account, key, value)
			return err == nil && lapsed(r), err
		}, func(keys []base.ID) error {
			rows, err := e.readKept(account, keys, lapsed)
			if err == nil && len(rows.rows) > 0 {
				_, err = e.Do(Command{Account: account, Actor: "clock", Op: forget{keptRows: rows}})
			}
			return err
		})
	}
}

// eachKept reads the records of an account, and hands over the keys of those that are wanted, as many as one command
// changes.
func (e *Engine) eachKept(ctx context.Context, account base.ID, wanted func(key base.ID, value []byte) (bool, error),
	do func(keys []base.ID) error) error {
	var keys []base.ID
	size := 0
	err := e.store.ScanPrefix(base.TagIdempotency, account[:], func(key, value []byte) error {
		if err := errors.Join(ctx.Err(), e.Failed()); err != nil {
			return err
		}
		_, id, err := base.SplitKey(key)
		if err != nil {
			return err
		}
		if ok, err := wanted(id, value); !ok {
			return err
		}
		if len(keys) == base.DueAtOnce || size >= base.TrimBytes {
			if err := do(keys); err != nil {
				return err
			}
			keys, size = nil, 0
		}
		keys = append(keys, id)
		size += len(value)
		return nil
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	return do(keys)
}

// idempotent is what a plan does to idempotency records.
type idempotent struct {
	keyed  []keyedRow
	recent *recent
	spent  bool // no room is left for the result
}

var idempotentPlace = base.RegisterPlace[idempotent]()

func idempotentOf(t *base.Tx) *idempotent { return idempotentPlace.On(&t.Shelf) }

// note says what a plan makes of a record.
func (i *idempotent) note(key base.ID, r *idemRow) {
	i.keyed = append(i.keyed, keyedRow{key, r.state()})
}

// addAll notes what a plan does to idempotency records, in a group.
func (r *recent) addAll(account base.ID, t *base.Tx, group uint64) {
	if idempotentPlace.Made(&t.Shelf) {
		for _, k := range idempotentOf(t).keyed {
			r.add(account, k, group)
		}
	}
}
