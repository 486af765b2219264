package engine

import (
	"bytes"

	"github.com/tidwall/btree"

	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns the state: the writer's own, and the snapshots that readers see.

// account is everything of one tenant. The writer has one that it changes; a snapshot has copies that nothing changes.
type account struct {
	id     ID
	row    *Account
	ledger ledger
	at     int64 // instant of the account's last change

	tables     [maxTag + 1]table.Any // by table byte: the tables of the kinds that have one
	kept       *keptSums             // of rows that are on disk alone; nil: there were none. Of the writer's own account: when it was opened
	stock      *timeline.Stock
	due        dueQueue
	extensions []extension // of domains (extension.go)
	drafted    bool        // while a write set is applied: stock is as it will leave it
	alarm      int64       // what alarms has for the account, 0 for nothing; the writer's alone
}

func newAccount(id ID) *account {
	a := &account{id: id, stock: timeline.New(), due: newDueQueue(), extensions: make([]extension, len(newExtensions))}
	for i, create := range newExtensions {
		a.extensions[i] = create()
	}
	a.choose()
	for _, k := range kinds {
		a.tables[k.tableTag()] = k.newTable()
	}
	return a
}

// publish gives a copy of the account that never changes. Writer only.
func (a *account) publish() *account {
	c := &account{
		id: a.id, row: a.row, ledger: a.ledger, at: a.at, kept: a.kept, stock: a.stock.Publish(), due: a.due.publish(), extensions: make([]extension, len(a.extensions)),
	}
	for i, p := range a.extensions {
		c.extensions[i] = p.publish()
	}
	for i, t := range a.tables {
		if t != nil {
			c.tables[i] = t.PublishAny()
		}
	}
	c.choose()
	return c
}

// state is the writer's: what all commands so far, durable or not yet, have made.
type state struct {
	seq      uint64 // log sequence, as it was read: live, the encoder counts on
	at       int64  // instant of the last command
	hash     uint64 // sum of rowHash over all rows, likewise
	accounts map[ID]*account
	touched  []*account // changed since the last snapshot, in the order of their first change
	dirty    map[ID]bool
	tree     *btree.BTreeG[tenant] // the published copies
	keys     *btree.BTreeG[keyRef]
	alarms   *btree.BTreeG[alarm]
	lastID   ID
	called   []ID // accounts whose queue of deliveries changed since the last snapshot
}

func newState() *state {
	return &state{
		accounts: map[ID]*account{},
		dirty:    map[ID]bool{},
		tree: btree.NewBTreeGOptions(func(a, b tenant) bool { return bytes.Compare(a.id[:], b.id[:]) < 0 },
			btree.Options{NoLocks: true}),
		keys:   newKeyRefs(),
		alarms: newAlarms(),
	}
}

// account returns the writer's own copy of an account, a new empty one if there is none yet.
func (s *state) account(id ID) *account {
	a := s.accounts[id]
	if a == nil {
		a = newAccount(id)
		s.accounts[id] = a
	}
	return a
}

func (s *state) touch(a *account) {
	a.at = s.at
	s.mark(a)
}

// mark has the next snapshot show an account as it is then.
func (s *state) mark(a *account) {
	if !s.dirty[a.id] {
		s.dirty[a.id] = true
		s.touched = append(s.touched, a)
	}
}

// touchedIDs appends the ids of the accounts that changed since the last snapshot.
func (s *state) touchedIDs(ids []ID) []ID {
	for _, a := range s.touched {
		ids = append(ids, a.id)
	}
	return ids
}

// tenant is an account under its id.
type tenant struct {
	id ID
	*account
}

// snapshot is one published state. It is immutable; readers hold it as long as they like, at the price of its memory.
type snapshot struct {
	seq      uint64
	at       int64
	hash     uint64
	accounts *btree.BTreeG[tenant]
	keys     *btree.BTreeG[keyRef]
	alarms   *btree.BTreeG[alarm]
	groups   uint64     // closed since the engine was opened
	changed  []*account // the accounts that are new in it, until they are complete
}

// publish makes a snapshot of the state as it is. Writer only.
func (s *state) publish() *snapshot {
	changed := make([]*account, 0, len(s.touched))
	for _, a := range s.touched {
		copied := a.publish()
		changed = append(changed, copied)
		s.tree.Set(tenant{a.id, copied})
		s.setAlarm(a)
		delete(s.dirty, a.id)
	}
	s.touched = s.touched[:0]
	return &snapshot{seq: s.seq, at: s.at, hash: s.hash, accounts: s.tree.Copy(), keys: s.keys.Copy(), alarms: s.alarms.Copy(), changed: changed}
}

// View is one account at one sequence. All reads are methods of it; there is no way from a View to another account. It may
// be used by many goroutines and costs nothing to make.
type View struct {
	acc *account
	seq uint64
	at  int64
}

// Sequence is the account's own count of committed changes.
func (v View) Sequence() uint64 { return v.acc.ledger.Sequence }

// LogSequence is the sequence of the log record behind which the view was taken.
func (v View) LogSequence() uint64 { return v.seq }

// Account is the account's record.
func (v View) Account() *Account { return v.acc.row }

// Now is the later of a clock reading and the last command's instant: the engine's present, for reads at that reading.
func (v View) Now(clock int64) int64 { return max(clock, v.at) }
