package base

import (
	"bytes"

	"holdfast/engine/sorted"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns the state: the writer's own, and the snapshots that readers see.

// AccountState is everything of one tenant. The writer has one that it changes; a snapshot has copies that nothing
// changes.
type AccountState struct {
	ID     ID
	Row    *Account
	Ledger Ledger
	at     int64 // instant of the account's last change

	Tables [maxTag + 1]table.Any // by table byte: the tables of the kinds that have one
	// of rows that are on disk alone; nil: there were none. Of the writer's own account: when it was opened
	Kept       *KeptSums
	Stock      *timeline.Stock
	Due        dueQueue
	Extensions []Extension // of domains (extension.go)
	Drafted    bool        // while a write set is applied: stock is as it will leave it
	alarm      int64       // what alarms has for the account, 0 for nothing; the writer's alone
}

// NewAccount makes the state of an account that has no rows.
func NewAccount(id ID) *AccountState {
	a := &AccountState{ID: id, Stock: timeline.New(), Due: newDueQueue(),
		Extensions: make([]Extension, len(newExtensions))}
	for i, create := range newExtensions {
		a.Extensions[i] = create()
	}
	a.Choose()
	for _, k := range kinds {
		a.Tables[k.TableTag()] = k.newTable()
	}
	return a
}

// Publish gives a copy of the account that never changes. Writer only.
func (a *AccountState) Publish() *AccountState {
	c := &AccountState{
		ID: a.ID, Row: a.Row, Ledger: a.Ledger, at: a.at, Kept: a.Kept, Stock: a.Stock.Publish(), Due: a.Due.publish(),
		Extensions: make([]Extension, len(a.Extensions)),
	}
	for i, p := range a.Extensions {
		c.Extensions[i] = p.Publish()
	}
	for i, t := range a.Tables {
		if t != nil {
			c.Tables[i] = t.PublishAny()
		}
	}
	c.Choose()
	return c
}

// State is the writer's: what all commands so far, durable or not yet, have made.
type State struct {
	Seq      uint64 // log sequence, as it was read: live, the encoder counts on
	At       int64  // instant of the last command
	Hash     uint64 // sum of RowHash over all rows, likewise
	Accounts map[ID]*AccountState
	touched  []*AccountState // changed since the last snapshot, in the order of their first change
	dirty    map[ID]bool
	Tree     sorted.Set[Tenant] // the published copies
	Keys     sorted.Set[KeyRef]
	alarms   sorted.Set[Alarm]
	LastID   ID
	Called   []ID // accounts whose queue of deliveries changed since the last snapshot
}

// NewState makes a state without accounts.
func NewState() *State {
	return &State{
		Accounts: map[ID]*AccountState{},
		dirty:    map[ID]bool{},
		Tree:     sorted.New(func(a, b Tenant) bool { return bytes.Compare(a.ID[:], b.ID[:]) < 0 }),
		Keys:     newKeyRefs(),
		alarms:   newAlarms(),
	}
}

// Account returns the writer's own copy of an account, a new empty one if there is none yet.
func (s *State) Account(id ID) *AccountState {
	a := s.Accounts[id]
	if a == nil {
		a = NewAccount(id)
		s.Accounts[id] = a
	}
	return a
}

func (s *State) Touch(a *AccountState) {
	a.at = s.At
	s.Mark(a)
}

// Mark has the next snapshot show an account as it is then.
func (s *State) Mark(a *AccountState) {
	if !s.dirty[a.ID] {
		s.dirty[a.ID] = true
		s.touched = append(s.touched, a)
	}
}

// TouchedIDs appends the ids of the accounts that changed since the last snapshot.
func (s *State) TouchedIDs(ids []ID) []ID {
	for _, a := range s.touched {
		ids = append(ids, a.ID)
	}
	return ids
}

// Tenant is an account under its id.
type Tenant struct {
	ID ID
	*AccountState
}

// Snapshot is one published state. It is immutable; readers hold it as long as they like, at the price of its memory.
type Snapshot struct {
	Seq      uint64
	At       int64
	Hash     uint64
	Accounts sorted.Set[Tenant]
	Keys     sorted.Set[KeyRef]
	Alarms   sorted.Set[Alarm]
	Groups   uint64          // closed since the engine was opened
	Changed  []*AccountState // the accounts that are new in it, until they are complete
}

// Publish makes a snapshot of the state as it is. Writer only.
func (s *State) Publish() *Snapshot {
	changed := make([]*AccountState, 0, len(s.touched))
	for _, a := range s.touched {
		copied := a.Publish()
		changed = append(changed, copied)
		s.Tree.Set(Tenant{a.ID, copied})
		s.setAlarm(a)
		delete(s.dirty, a.ID)
	}
	s.touched = s.touched[:0]
	return &Snapshot{Seq: s.Seq, At: s.At, Hash: s.Hash, Accounts: s.Tree.Clone(), Keys: s.Keys.Clone(),
		Alarms: s.alarms.Clone(), Changed: changed}
}

// View is one account at one sequence. All reads take one; there is no way from a View to another account. It may be
// used by many goroutines and costs nothing to make.
type View struct {
	Acc *AccountState
	Seq uint64
	At  int64
}

// Sequence is the account's own count of committed changes.
func (v View) Sequence() uint64 { return v.Acc.Ledger.Sequence }

// Account is the account's record.
func (v View) Account() *Account { return v.Acc.Row }

// Now is the later of a clock reading and the last command's instant: the engine's present, for reads at that reading.
func (v View) Now(clock int64) int64 { return max(clock, v.At) }
