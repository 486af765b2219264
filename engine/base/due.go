package base

import (
	"bytes"
	"slices"

	"holdfast/engine/sorted"
)

// This file owns what is due: the instants at which time itself acts on an account.

// DueItem is a row that time changes: a hold that expires, a delivery that is given up. Its kind decides what happens
// (Kind.WhenDue).
type DueItem struct {
	At  int64
	ID  ID
	Tag byte // of the row's kind
}

// DueWork is what is done of the rows of a kind when they are due.
type DueWork struct {
	Do func(t *Tx, id ID) // what becomes of a row
	// Size is about how many rows that changes beside the row itself; nil: few.
	Size func(a *AccountState, id ID) int
	// Together readies the first of some due items for being done by one command, and says how many these are; nil: it
	// is done one by one.
	Together func(t *Tx, due []DueItem) int
	Long     bool // it goes on through many records
	Alone    bool // it changes rows as they were before the command, which therefore does nothing else
}

// AsOlder is the instant at which it is due that a row gets what an older program did not keep. That comes before all
// else that is due, by commands of its own, so that a command which changes the row tells of its own change alone.
const AsOlder = 1

// before is the order in which things are due.
func (i DueItem) before(o DueItem) bool {
	if i.At != o.At {
		return i.At < o.At
	}
	if c := bytes.Compare(i.ID[:], o.ID[:]); c != 0 {
		return c < 0
	}
	return i.Tag < o.Tag
}

// DueAt lets time act on a kind's rows at the instant that at gives; 0: never.
func (k *Kind[R]) DueAt(at func(*R) int64) {
	k.DueOf = at
	put := k.Put
	k.Put = func(s *State, a *AccountState, before, after *R) {
		if before != nil && at(before) != 0 {
			a.Due.Remove(DueItem{at(before), k.Key(before), k.Tag})
		}
		if after != nil && at(after) != 0 {
			a.Due.Add(DueItem{at(after), k.Key(after), k.Tag})
		}
		put(s, a, before, after)
	}
}

// DueRows counts an account's rows on which time acts at some instant.
func (k *Kind[R]) DueRows(a *AccountState) (n int) {
	if k.DueOf == nil {
		return 0
	}
	for r := range k.All(a) {
		if k.DueOf(r) != 0 {
			n++
		}
	}
	return n
}

// dueQueue is an account's due items by instant. It is derived: each row that has one puts it in and takes it out.
type dueQueue struct {
	items sorted.Set[DueItem]
	Aside []DueItem // could not be done; no row says so, a start tries them again
	again int64     // when those are tried again; 0: there are none
}

func newDueQueue() dueQueue {
	return dueQueue{items: sorted.New(DueItem.before)}
}

func (q *dueQueue) publish() dueQueue {
	return dueQueue{q.items.Clone(), slices.Clone(q.Aside), q.again}
}

// Add notes what is due at an instant.
func (q *dueQueue) Add(i DueItem) { q.items.Set(i) }

// First is what is due next.
func (q *dueQueue) First() (DueItem, bool) { return q.items.Min() }

// Len counts what is due at any time, set aside or not.
func (q *dueQueue) Len() int { return q.items.Len() + len(q.Aside) }

// Remove takes out what is due no more.
func (q *dueQueue) Remove(i DueItem) {
	if _, ok := q.items.Delete(i); ok || q.again == 0 {
		return
	}
	q.Aside = slices.DeleteFunc(q.Aside, func(x DueItem) bool { return x == i })
	if len(q.Aside) == 0 {
		q.again = 0
	}
}

// SetAside puts off an item that could not be done.
func (q *dueQueue) SetAside(i DueItem, now int64) {
	q.items.Delete(i)
	q.Aside = append(q.Aside, i)
	q.again = now + TryAgain
}

// TryAgain is how long an item that could not be done is left alone, in milliseconds.
const TryAgain = 60 * 60 * 1000

// Retry makes what could not be done due once more, if its time has come.
func (q *dueQueue) Retry(now int64) {
	if q.again == 0 || q.again > now {
		return
	}
	for _, i := range q.Aside {
		q.Add(i)
	}
	q.Aside, q.again = nil, 0
}

// next is when there is something to do, 0 for never.
func (q *dueQueue) next() int64 {
	first, _ := q.First()
	if q.again != 0 && (first.At == 0 || q.again < first.At) {
		return q.again
	}
	return first.At
}

// Behind says that something is to be done by an instant, and is not.
func (q *dueQueue) Behind(now int64) bool {
	at := q.next()
	return at != 0 && at <= now
}

// UpTo collects what is due at an instant, at most n items.
func (q *dueQueue) UpTo(now int64, n int) (items []DueItem) {
	q.items.Scan(func(i DueItem) bool {
		if i.At > now || len(items) == n {
			return false
		}
		items = append(items, i)
		return true
	})
	return items
}

// Alarm says when the first thing is due in an account: what the clock looks at, instead of at every account.
type Alarm struct {
	At      int64
	Account ID
}

func newAlarms() sorted.Set[Alarm] {
	return sorted.New(func(a, b Alarm) bool {
		if a.At != b.At {
			return a.At < b.At
		}
		return bytes.Compare(a.Account[:], b.Account[:]) < 0
	})
}

// setAlarm brings an account's alarm up to date.
func (s *State) setAlarm(a *AccountState) {
	next := a.Due.next()
	if a.Importing() {
		next = 0
	}
	if next == a.alarm {
		return
	}
	if a.alarm != 0 {
		s.alarms.Delete(Alarm{a.alarm, a.ID})
	}
	if a.alarm = next; a.alarm != 0 {
		s.alarms.Set(Alarm{a.alarm, a.ID})
	}
}
