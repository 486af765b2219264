package api

import (
	"slices"
	"sync"

	"holdfast/api/wire"
	"holdfast/engine/base"
)

// This file owns pinned snapshots: states that reads may ask for by their sequence, so that one report of many calls is
// about one state.

const (
	pinnedFor       = 60_000 // milliseconds
	pinsOfAnAccount = 8
	pinsInAll       = 64
	pinsOfMore      = 32 // behind so many, only an account that has none gets one
)

// pin is a state that is kept for a while. It holds the memory of what has changed since.
type pin struct {
	view  base.View
	now   int64 // the present as it was
	until int64
}

// pins are the pinned states of all accounts, at most pinsInAll, in no order.
type pins struct {
	mu   sync.Mutex
	list []pin
}

// add pins a state at an instant. One that is pinned already is kept for longer, and is of this instant from then on.
// ok is false where there are too many; wait is until enough of them go.
func (p *pins) add(v base.View, now, clock int64) (until int64, ok bool, wait int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(clock)
	account := v.Account().ID
	if x := p.find(account, v.Sequence()); x != nil {
		x.now, x.until = now, clock+pinnedFor
		return x.until, true, 0
	}
	var ends, own []int64
	for _, x := range p.list {
		ends = append(ends, x.until)
		if x.view.Account().ID == account {
			own = append(own, x.until)
		}
	}
	most := pinsInAll
	if len(own) > 0 {
		most = pinsOfMore
	}
	if len(own) >= pinsOfAnAccount {
		ends, most = own, pinsOfAnAccount
	}
	if len(ends) >= most {
		slices.Sort(ends)
		return 0, false, ends[len(ends)-most] - clock
	}
	p.list = append(p.list, pin{v, now, clock + pinnedFor})
	return clock + pinnedFor, true, 0
}

func (p *pins) find(account base.ID, sequence uint64) *pin {
	i := slices.IndexFunc(p.list,
		func(x pin) bool { return x.view.Sequence() == sequence && x.view.Account().ID == account })
	if i < 0 {
		return nil
	}
	return &p.list[i]
}

// get gives the pinned state of an account at a sequence.
func (p *pins) get(account base.ID, sequence uint64, clock int64) (x pin, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(clock)
	if found := p.find(account, sequence); found != nil {
		return *found, true
	}
	return x, false
}

// expire lets go of what was kept long enough.
func (p *pins) expire(clock int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(clock)
}

func (p *pins) drop(clock int64) {
	p.list = slices.DeleteFunc(p.list, func(x pin) bool { return x.until <= clock })
}

// count is how many states are pinned.
func (p *pins) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.list)
}

var (
	asOf       = wire.Integer[uint64](1, wire.MaxSafeInteger)
	asOfMember = wire.Member{Name: "asOf",
		Schema: asOf.Schema.Says("Reads the pinned snapshot of this sequence in place of the present state.")}
)

// takesAsOf says whether an operation reads a state that may be a pinned one.
func (o *operation) takesAsOf() bool { return !o.write && !o.live && o.access != noKey }

var headerSequence = []byte(headerNameSequence)

// pinnedView makes the request read the state that it asks for.
func (q *request) pinnedView() error {
	if q.asOf == 0 {
		return nil
	}
	x, ok := q.server.pins.get(q.view.Account().ID, q.asOf, q.clock)
	if !ok {
		return refuse(base.CodeSnapshotGone, "no snapshot of this sequence is pinned")
	}
	q.view, q.now = x.view, x.now
	return nil
}

var snapshotSchema = describe("Snapshot", func(w *scribe, _ *pin) { w.writeSnapshot(0, 0) })

func (w *scribe) writeSnapshot(sequence uint64, until int64) {
	w.Int("sequence", int64(sequence), "The sequence to read by, as asOf.")
	w.Instant("expiresAt", until, "Until when it is kept.")
}

var snapshotOperations = []operation{
	read(operation{
		id: "admin.snapshots.create", method: "POST", path: "/v1/admin/snapshots", scopes: []string{"account.read"},
		live: true, answer: snapshotSchema,
		summary: "Pins the present state for 60 seconds: reads with asOf and its sequence are about this state at " +
			"this instant. A state that is pinned already is of the new instant from then on.",
	}, input[none]{}, func(q *request, _ *none) error {
		until, ok, wait := q.server.pins.add(q.view, q.now, q.clock)
		if !ok {
			return q.busy(wait, "too many snapshots are pinned")
		}
		q.Braces(func() { q.writeSnapshot(q.view.Sequence(), until) })
		return nil
	}),
}
