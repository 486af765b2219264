package engine

import (
	"bytes"
	"slices"

	"github.com/tidwall/btree"
)

// This file owns what is due: the instants at which time itself acts on an account.

// dueItem is a row that time changes: a hold that expires, a delivery that is given up. What becomes of it its kind knows.
type dueItem struct {
	at  int64
	id  ID
	tag byte // of the row's kind
}

// before is the order in which things are due.
func (i dueItem) before(o dueItem) bool {
	if i.at != o.at {
		return i.at < o.at
	}
	if c := bytes.Compare(i.id[:], o.id[:]); c != 0 {
		return c < 0
	}
	return i.tag < o.tag
}

// dueAt has time act on a kind's rows at the instant that at gives; 0: never.
func (k *kind[R]) dueAt(at func(*R) int64) {
	put := k.put
	k.put = func(s *state, a *account, before, after *R) {
		if before != nil && at(before) != 0 {
			a.due.remove(dueItem{at(before), k.key(before), k.tag})
		}
		if after != nil && at(after) != 0 {
			a.due.add(dueItem{at(after), k.key(after), k.tag})
		}
		put(s, a, before, after)
	}
}

// dueQueue is an account's due items by instant. It is derived: each row that has one puts it in and takes it out.
type dueQueue struct {
	items *btree.BTreeG[dueItem]
	aside []dueItem // could not be done; no row says so, a start tries them again
	again int64     // when those are tried again; 0: there are none
}

func newDueQueue() dueQueue {
	return dueQueue{items: btree.NewBTreeGOptions(dueItem.before, btree.Options{NoLocks: true})}
}

func (q *dueQueue) publish() dueQueue {
	return dueQueue{q.items.Copy(), slices.Clone(q.aside), q.again}
}
func (q *dueQueue) add(i dueItem)          { q.items.Set(i) }
func (q *dueQueue) first() (dueItem, bool) { return q.items.Min() }
func (q *dueQueue) len() int               { return q.items.Len() + len(q.aside) }

func (q *dueQueue) remove(i dueItem) {
	if _, ok := q.items.Delete(i); ok || q.again == 0 {
		return
	}
	q.aside = slices.DeleteFunc(q.aside, func(x dueItem) bool { return x == i })
	if len(q.aside) == 0 {
		q.again = 0
	}
}

// setAside puts off an item that could not be done.
func (q *dueQueue) setAside(i dueItem, now int64) {
	q.items.Delete(i)
	q.aside = append(q.aside, i)
	q.again = now + tryAgain
}

// tryAgain is how long an item that could not be done is left alone, in milliseconds.
const tryAgain = 60 * 60 * 1000

// retry has what could not be done be due once more, if its time has come.
func (q *dueQueue) retry(now int64) {
	if q.again == 0 || q.again > now {
		return
	}
	for _, i := range q.aside {
		q.add(i)
	}
	q.aside, q.again = nil, 0
}

// next is when there is something to do, 0 for never.
func (q *dueQueue) next() int64 {
	first, _ := q.first()
	if q.again != 0 && (first.at == 0 || q.again < first.at) {
		return q.again
	}
	return first.at
}

// upTo collects what is due at an instant, at most n items.
func (q *dueQueue) upTo(now int64, n int) (items []dueItem) {
	q.items.Scan(func(i dueItem) bool {
		if i.at > now || len(items) == n {
			return false
		}
		items = append(items, i)
		return true
	})
	return items
}

// alarm says when the first thing is due in an account: what the clock looks at, instead of at every account.
type alarm struct {
	at      int64
	account ID
}

func newAlarms() *btree.BTreeG[alarm] {
	return btree.NewBTreeGOptions(func(a, b alarm) bool {
		if a.at != b.at {
			return a.at < b.at
		}
		return bytes.Compare(a.account[:], b.account[:]) < 0
	}, btree.Options{NoLocks: true})
}

// setAlarm brings an account's alarm up to date.
func (s *state) setAlarm(a *account) {
	next := a.due.next()
	if a.importing() {
		next = 0
	}
	if next == a.alarm {
		return
	}
	if a.alarm != 0 {
		s.alarms.Delete(alarm{a.alarm, a.id})
	}
	if a.alarm = next; a.alarm != 0 {
		s.alarms.Set(alarm{a.alarm, a.id})
	}
}
