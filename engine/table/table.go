package table

import (
	"bytes"
	"iter"
	"slices"
	"sort"
	"strings"
	"unsafe"

	"github.com/tidwall/btree"
)

// This file owns Table and its secondary indexes.

// ID is the primary key of a row: a UUID's 16 bytes.
type ID = [16]byte

// entry is a row of a tree. It is one type for all kinds of rows, as the compiler makes all of a tree's methods for
// each type of entries: a build would spend most of its time there.
type entry struct {
	id  ID
	row unsafe.Pointer // a *R, of the one table whose tree has the entry
}

// row is the row of an entry, nil for the zero entry.
func (t *Table[R]) row(e entry) *R { return (*R)(e.row) }

// Table is an ordered set of rows of one kind. Make it with New or Like; the zero value is not usable.
type Table[R any] struct {
	id      func(*R) ID
	rows    *btree.BTreeG[entry]
	indexes []*index[R]
	number  func(*R) uint32
	numbers *numbered[R]
	hash    *hashed   // set if numbers is
	none    *Table[R] // is always empty: until it has a row, the table shares what this one has
	copy    *Table[R] // what Publish gave last, while nothing has changed since
	scratch bool      // see Scratch
}

// What has no entry yet is shared by all tables, and never written to.
var (
	noRows    = newRows()
	noEntries = newEntries()
)

func newRows() *btree.BTreeG[entry] {
	return btree.NewBTreeGOptions(lessID, btree.Options{NoLocks: true})
}

func newEntries() *btree.BTreeG[keyed] {
	return btree.NewBTreeGOptions(lessKey, btree.Options{NoLocks: true})
}

// Option is a secondary index, given to New.
type Option[R any] func(*Table[R])

// By makes an index of rows by the keys that a function gives for each; a row may have none or many. keys must depend
// on the row alone. The first index of a table is number 0 for Table.By.
func By[R any](keys func(*R) []string) Option[R] {
	return func(t *Table[R]) {
		t.indexes = append(t.indexes, &index[R]{keys: keys, entries: noEntries})
	}
}

// Numbered lets rows be found by a dense number of theirs, from 1 to 16,777,215. A row never changes its number.
func Numbered[R any](number func(*R) uint32) Option[R] {
	return func(t *Table[R]) { t.number, t.numbers, t.hash = number, newNumbered[R](), newHashed() }
}

// New makes an empty table. id gives a row's primary key.
func New[R any](id func(*R) ID, options ...Option[R]) *Table[R] {
	t := &Table[R]{id: id, rows: noRows}
	for _, o := range options {
		o(t)
	}
	t.none = t
	return t.Like()
}

// Like makes an empty table of the same kind of rows. Any goroutine may call it.
func (t *Table[R]) Like() *Table[R] {
	c := *t.none
	return &c
}

// begin gives a table that has had no row yet trees of its own.
func (t *Table[R]) begin() {
	t.rows, t.indexes = newRows(), slices.Clone(t.indexes)
	for i, x := range t.indexes {
		t.indexes[i] = &index[R]{keys: x.keys, entries: newEntries()}
	}
	if t.number != nil {
		t.numbers, t.hash = newNumbered[R](), newHashed()
	}
}

// Any is a Table of rows of any type, for code that keeps many tables.
type Any interface{ PublishAny() Any }

// PublishAny is Publish.
func (t *Table[R]) PublishAny() Any { return t.Publish() }

// Publish returns a copy that never changes: the same one as long as the table does not change. Writer only.
func (t *Table[R]) Publish() *Table[R] {
	if t.copy != nil {
		return t.copy
	}
	if t.rows == noRows {
		t.copy = t.Like()
		return t.copy
	}
	c := &Table[R]{id: t.id, rows: t.rows.Copy(), indexes: make([]*index[R], len(t.indexes)), number: t.number,
		none: t.none}
	for i, x := range t.indexes {
		c.indexes[i] = &index[R]{keys: x.keys, entries: x.entries.Copy()}
	}
	if t.numbers != nil {
		c.numbers, c.hash = t.numbers.publish(), t.hash
	}
	t.copy = c
	return c
}

// Scratch returns a copy for one goroutine that writes nothing to the table, which may be a published one. Rows that
// are there can be Put anew, with the number and the index keys that they have; Get, No and By show them, the orders by
// id do not. The table was made with Numbered.
func (t *Table[R]) Scratch() *Table[R] {
	c := *t
	c.numbers, c.copy, c.scratch = t.numbers.scratch(), nil, true
	return &c
}

// Len is the number of rows.
func (t *Table[R]) Len() int { return t.rows.Len() }

// Get returns the row with an id, or nil.
func (t *Table[R]) Get(id ID) *R {
	if t.hash != nil {
		r, _ := t.Find(id)
		return r
	}
	e, _ := t.rows.Get(entry{id: id})
	return t.row(e)
}

// Find returns the row with an id and its number, or nil. The number is known before the row is read: a caller that
// needs only the number need not wait for the row to come from memory. The table was made with Numbered.
func (t *Table[R]) Find(id ID) (r *R, no uint32) {
	slots := *t.hash.slots.Load()
	mask, hash := uint64(len(slots)-1), uint64(hashOf(id))
	for i := hash & mask; ; i = (i + 1) & mask {
		s := slots[i].Load()
		if s == 0 {
			return nil, 0
		}
		if s>>32 != hash {
			continue
		}
		// A number of a row that is gone, or that this version does not have yet, finds nothing.
		if r := t.numbers.get(uint32(s)); r != nil && t.id(r) == id {
			return r, uint32(s)
		}
	}
}

// No returns the row with a number, or nil. The table was made with Numbered.
func (t *Table[R]) No(n uint32) *R { return t.numbers.get(n) }

// NumberOf is the number of a row; 0 where the table was not made with Numbered.
func (t *Table[R]) NumberOf(r *R) uint32 {
	if t.number == nil {
		return 0
	}
	return t.number(r)
}

// Block returns the rows of the numbers from 64*i on; its Rows are nil where there is none. The table was made with
// Numbered.
func (t *Table[R]) Block(i int) Block[R] { return t.numbers.block(i) }

// Put stores a row, in place of the one with the same id if there is one, which it returns. Writer only.
func (t *Table[R]) Put(r *R) *R {
	if t.scratch {
		old := t.numbers.get(t.number(r))
		t.numbers.put(t.number(r), r)
		return old
	}
	if t.rows == noRows {
		t.begin()
	}
	t.copy = nil
	is := entry{id: t.id(r), row: unsafe.Pointer(r)}
	var was entry
	if last, ok := t.rows.Max(); ok && lessID(last, is) {
		t.rows.Load(is) // after all others, as most new rows are
	} else {
		was, _ = t.rows.Set(is)
	}
	old := t.row(was)
	for _, x := range t.indexes {
		x.replace(t.id(r), old, r)
	}
	if t.numbers != nil {
		t.numbers.put(t.number(r), r)
		if old == nil {
			t.hash.add(t.id(r), t.number(r))
		}
	}
	return old
}

// Delete removes the row with an id and returns it, or nil. Writer only.
func (t *Table[R]) Delete(id ID) *R {
	was, ok := t.rows.Delete(entry{id: id})
	if !ok {
		return nil
	}
	old := t.row(was)
	t.copy = nil
	for _, x := range t.indexes {
		x.replace(id, old, nil)
	}
	if t.numbers != nil {
		t.numbers.put(t.number(old), nil)
	}
	return old
}

// At returns the i-th row in id order; 0 <= i < Len.
func (t *Table[R]) At(i int) *R {
	e, _ := t.rows.GetAt(i)
	return t.row(e)
}

// All yields the rows in id order.
func (t *Table[R]) All() iter.Seq[*R] { return t.From(ID{}) }

// From yields the rows whose id is at least from, in id order.
func (t *Table[R]) From(from ID) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		t.rows.Ascend(entry{id: from}, func(e entry) bool { return yield(t.row(e)) })
	}
}

// Backward yields the rows against their order by id.
func (t *Table[R]) Backward() iter.Seq[*R] {
	return func(yield func(*R) bool) {
		t.rows.Reverse(func(e entry) bool { return yield(t.row(e)) })
	}
}

// By yields the rows that index number i lists under a key, in id order.
func (t *Table[R]) By(i int, key string) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		t.indexes[i].entries.Ascend(keyed{key: key}, func(k keyed) bool {
			return k.key == key && yield(t.Get(k.id))
		})
	}
}

// Keys are those under which index number i lists a row.
func (t *Table[R]) Keys(i int, r *R) []string { return t.indexes[i].keys(r) }

// Prefix yields the ids of the rows that index number i lists under keys that begin so: key by key, so that one may
// come several times.
func (t *Table[R]) Prefix(i int, prefix string) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		t.indexes[i].entries.Ascend(keyed{key: prefix}, func(k keyed) bool {
			return strings.HasPrefix(k.key, prefix) && yield(k.id)
		})
	}
}

// CountPrefix is how many Prefix yields.
func (t *Table[R]) CountPrefix(i int, prefix string) int {
	entries := t.indexes[i].entries
	first := rank(entries, keyed{key: prefix})
	return sort.Search(entries.Len()-first, func(n int) bool {
		e, _ := entries.GetAt(first + n)
		return !strings.HasPrefix(e.key, prefix)
	})
}

// First returns the first row that index number i lists under a key, or nil.
func (t *Table[R]) First(i int, key string) *R {
	for r := range t.By(i, key) {
		return r
	}
	return nil
}

// Page returns a part of the rows that index number i lists under some keys, in id order or against it, and how many
// there are. No row may be under two of them. For each key it takes the length of the page, and the time of a search
// within a search by place: both grow with the logarithm of the table.
func (t *Table[R]) Page(i int, keys []string, offset, limit int, desc bool) (page []*R, total int) {
	entries := t.indexes[i].entries
	from := make([]int, len(keys)) // where the entries of each key begin
	for k, key := range keys {
		from[k] = rank(entries, keyed{key: key})
		total += rank(entries, keyed{key: key + "\x00"}) - from[k]
	}
	first, last := offset, min(offset+limit, total)
	if desc {
		first, last = total-last, total-offset
	}
	if first >= last {
		return nil, total
	}
	// The first row of the page is that with so many before it.
	at := sort.Search(t.Len(), func(n int) bool {
		e, _ := t.rows.GetAt(n)
		upTo := 0
		for k, key := range keys {
			upTo += rank(entries, keyed{key, e.id}) - from[k]
			if _, listed := entries.Get(keyed{key, e.id}); listed {
				upTo++
			}
		}
		return upTo > first
	})
	e, _ := t.rows.GetAt(at)
	for _, key := range keys {
		left := last - first
		entries.Ascend(keyed{key, e.id}, func(x keyed) bool {
			if x.key != key || left == 0 {
				return false
			}
			left--
			page = append(page, t.Get(x.id))
			return true
		})
	}
	slices.SortFunc(page, func(a, b *R) int {
		x, y := t.id(a), t.id(b)
		return bytes.Compare(x[:], y[:])
	})
	page = page[:last-first]
	if desc {
		slices.Reverse(page)
	}
	return page, total
}

// rank is how many entries are before one.
func rank(entries *btree.BTreeG[keyed], k keyed) int {
	return sort.Search(entries.Len(), func(n int) bool {
		e, _ := entries.GetAt(n)
		return !lessKey(e, k)
	})
}

func lessID(a, b entry) bool { return bytes.Compare(a.id[:], b.id[:]) < 0 }

type keyed struct {
	key string
	id  ID
}

func lessKey(a, b keyed) bool {
	if a.key != b.key {
		return a.key < b.key
	}
	return bytes.Compare(a.id[:], b.id[:]) < 0
}

type index[R any] struct {
	keys    func(*R) []string
	entries *btree.BTreeG[keyed]
}

func (x *index[R]) replace(id ID, old, new *R) {
	var was, is []string
	if old != nil {
		was = x.keys(old)
	}
	if new != nil {
		is = x.keys(new)
	}
	if slices.Equal(was, is) {
		return
	}
	for _, k := range was {
		x.entries.Delete(keyed{k, id})
	}
	for _, k := range is {
		x.entries.Set(keyed{k, id})
	}
}
