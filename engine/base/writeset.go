package base

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"

	"holdfast/engine/table"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns write sets: what a plan collects, what the log keeps and what Apply does, for live commands and for
// recovery alike.
//
// A write set is a list of row changes, each a row before and after. The first change is always the account's ledger,
// so that a log record, which holds the write sets of a whole group, can be split into commands again: each begins with
// a change of a ledger.

// RowChange is one changed row, of whatever kind.
type RowChange interface {
	// Log appends the change to a group and returns by how much it moves the state hash.
	Log(g *persist.Group, buf *EncodeBuffer, account ID) uint64
	// Write writes the row ahead, unless it is short: then Log takes no time for that.
	Write()
	// Weights are about how many bytes the log takes of the row before and after (weight.go).
	Weights() (before, after int)
	// Of is the kind of the row, and Key its id.
	Of() KindOf
	Key() ID
	// Verify holds the change's before against the row that is there.
	Verify(a *AccountState) error
	// Remove is the first pass of Apply: holds that go or move leave their slots, so that two may change places.
	Remove(s *State, a *AccountState)
	// Put is the second pass: the row becomes what it is after.
	Put(s *State, a *AccountState)
}

// Kind is one kind of row: how it is keyed, written, read, found and put in place. Its fields are set once, in the file
// of its resource; engine/schema.go lists all kinds. RowsOf makes one whose rows
// lie in a table.
type Kind[R any] struct {
	Tag    byte                   // table byte in the log and the rows; never reused
	Name   string                 // for messages
	table  func() *table.Table[R] // makes an account's empty table; nil: the rows live elsewhere
	Key    func(*R) ID
	Encode func(dst []byte, r *R) []byte // canonical: equal rows give equal bytes
	Weigh  func(r *R) int                // about how long it is written; nil: it is short
	Decode func(account, key ID, b []byte) (*R, error)
	// the row as it is with the key of the given one, nil: none; unset: not in memory
	Find func(a *AccountState, like *R) *R
	All  func(a *AccountState) iter.Seq[*R] // every row, in a fixed order
	// in place of All, where the rows are not in memory: the sum of their hashes
	total  func(a *AccountState) uint64
	Remove func(s *State, a *AccountState, before *R)        // nil where one pass is enough
	Put    func(s *State, a *AccountState, before, after *R) // one of the two may be nil
	// how start-up takes a row; nil: by Decode and Put
	Scan func(l *AccountLoader, key ID, b []byte) error
	// puts rows in place all at once: it begins with nothing else there; nil: one by one
	Bulk func(of []*AccountLoader) (finish func(a *AccountState) error)
	// when time acts on a row, 0: never (DueAt); nil: on none
	DueOf func(*R) int64
	// refuses to remove a record (Delete); nil: none is kept
	Kept    func(t *Tx, r *R) error
	WhenDue DueWork // what is done of a row that is due; none where none ever is
	// refuses a stored row of which Decode would lose something; nil: Decode does so itself
	Knows func(b []byte) error

	// Older turns a stored row of a form that the kind no longer has into the rows that it is now, whatever their
	// kinds; false: it is of the present form. Decode must still read it, as the feed of changes reads the log. nil: no
	// form was ever left.
	Older func(account, id ID, stored []byte) (rows []Image, is bool, err error)

	Carry func(*R) *R // what an archive has of a row (engine/archive.go); nil: the row as it is

	// what its rows are called in the feed of changes; empty: they are not in it
	Resource string
	// which of its rows a reader may see is by this; nil: it is the same for all
	Area func(r *R) string
	// of which record a row is a part, where it is none of its own
	Part func(a *AccountState, r *R) (resource string, of ID)
	// the part of a row that a change must change to be shown (ToldBy); nil: any change is shown
	Told func(row []byte) (any, error)
}

// RowsOf makes a kind whose rows an account keeps in a table, as JSON on disk: all that most resources need to say.
func RowsOf[R any](tag byte, name string, key func(*R) ID, options ...table.Option[R]) *Kind[R] {
	k := &Kind[R]{Tag: tag, Name: name, Key: key, Encode: EncodeCold[R], Weigh: JSONWeight[R],
		Decode: DecodeCold[R](name), Knows: Knows[R], Resource: resourceName(name)}
	k.table = table.New(func(r *R) table.ID { return key(r) }, options...).Like
	k.Find = func(a *AccountState, like *R) *R { return k.In(a).Get(key(like)) }
	k.All = func(a *AccountState) iter.Seq[*R] { return k.In(a).All() }
	k.Put = func(_ *State, a *AccountState, before, after *R) {
		if after == nil {
			k.In(a).Delete(key(before))
			return
		}
		k.In(a).Put(after)
	}
	return k
}

// In is an account's table of the kind.
func (k *Kind[R]) In(a *AccountState) *table.Table[R] { return TableOf[R](a, k.Tag) }

// TableOf is Kind.In by the table byte: for functions that the declaration of a kind itself uses, as these cannot name
// the kind.
func TableOf[R any](a *AccountState, tag byte) *table.Table[R] {
	return a.Tables[tag].(*table.Table[R])
}

func (k *Kind[R]) newTable() table.Any {
	if k.table == nil {
		return nil
	}
	return k.table()
}

type Change[R any] struct {
	Kind          *Kind[R]
	Before, After *R
	Image         *[]byte // before as it is written, where the plan knows that already
	next          []byte  // after as it is written, likewise; nil: it is not known
}

// Write writes the row ahead, before and after, unless it is short.
func (c *Change[R]) Write() {
	if c.Kind.Weigh == nil {
		return
	}
	if c.Before != nil && c.Image == nil {
		image := c.Kind.Encode(nil, c.Before)
		c.Image = &image
	}
	if c.After != nil {
		c.next = c.Kind.Encode(nil, c.After)
	}
}

// Record adds a changed row to the write set; nil before is a new row, nil after a row that goes.
func Record[R any](t *Tx, k *Kind[R], before, after *R) {
	t.Room(1)
	t.Set = append(t.Set, &Change[R]{Kind: k, Before: before, After: after})
}

// fewRows is how many rows most commands change, with the account's ledger.
const fewRows = 4

// Room makes room in the write set for so many rows more.
func (t *Tx) Room(n int) {
	if t.Set == nil {
		n = max(n+2, fewRows)
	}
	t.Set = slices.Grow(t.Set, n)
}

// Twice is the kind of a row that the write set changes twice, nil where there is none. Both changes would begin with
// the same row before, so that the state hash would never again be that of the rows.
func (t *Tx) Twice() KindOf {
	type row struct {
		tag byte
		id  ID
	}
	seen := make(map[row]struct{}, len(t.Set))
	for i, c := range t.Set {
		if seen[row{c.Of().TableTag(), c.Key()}] = struct{}{}; len(seen) == i {
			return c.Of()
		}
	}
	return nil
}

// Of is the kind of the row.
func (c *Change[R]) Of() KindOf { return c.Kind }

// Key is the id of the row.
func (c *Change[R]) Key() ID {
	if c.After != nil {
		return c.Kind.Key(c.After)
	}
	return c.Kind.Key(c.Before)
}

// was appends the row before, as it is written.
func (c *Change[R]) was(dst []byte) []byte {
	if c.Image != nil {
		return append(dst, *c.Image...)
	}
	return c.Kind.Encode(dst, c.Before)
}

// EncodeBuffer is the scratch memory of one encoder.
type EncodeBuffer struct{ Key, before, After []byte }

// Log appends the change to a group and returns by how much it moves the state hash.
func (c *Change[R]) Log(g *persist.Group, buf *EncodeBuffer, account ID) uint64 {
	buf.Key = RowKey(buf.Key[:0], c.Kind.Tag, account, c.Key())
	var before, after []byte
	var delta uint64
	if c.Before != nil {
		buf.before = c.was(append(buf.before[:0], buf.Key...))
		before = buf.before[len(buf.Key):]
		delta -= xxhash.Sum64(buf.before)
	}
	if c.After != nil {
		if buf.After = append(buf.After[:0], buf.Key...); c.next != nil {
			buf.After = append(buf.After, c.next...)
		} else {
			buf.After = c.Kind.Encode(buf.After, c.After)
		}
		after = buf.After[len(buf.Key):]
		delta += xxhash.Sum64(buf.After)
	}
	g.Change(c.Kind.Tag, buf.Key[1:], before, after)
	return delta
}

// Verify holds the change's before against the row that is there.
func (c *Change[R]) Verify(a *AccountState) error {
	if c.Kind.Find == nil {
		return nil // not in memory
	}
	like := c.Before
	if like == nil {
		like = c.After
	}
	have := c.Kind.Find(a, like)
	switch {
	case have == nil && c.Before == nil:
		return nil
	case have == nil || c.Before == nil:
		return fmt.Errorf("%s %s: row present %t, expected %t", c.Kind.Name, c.Key(), have != nil, c.Before != nil)
	case !bytes.Equal(c.Kind.Encode(nil, have), c.was(nil)):
		return fmt.Errorf("%s %s: row differs from the one the change was made on", c.Kind.Name, c.Key())
	}
	return nil
}

// Remove is the first pass of Apply.
func (c *Change[R]) Remove(s *State, a *AccountState) {
	if c.Before != nil && c.Kind.Remove != nil {
		c.Kind.Remove(s, a, c.Before)
	}
}

// Put is the second pass of Apply.
func (c *Change[R]) Put(s *State, a *AccountState) { c.Kind.Put(s, a, c.Before, c.After) }

// RowKey is the canonical key of a row: table, account, id. The state hash covers it together with the row's bytes.
func RowKey(dst []byte, tag byte, account, id ID) []byte {
	dst = append(dst, tag)
	dst = append(dst, account[:]...)
	return append(dst, id[:]...)
}

// RowHash is a row's part of the state hash: the sum, modulo 2^64, of this over all rows.
func RowHash(buf []byte, tag byte, key, value []byte) (uint64, []byte) {
	buf = append(append(append(buf[:0], tag), key...), value...)
	return xxhash.Sum64(buf), buf
}

// Apply is the only mutator of the state. It cannot fail: what a plan collected fits the state that it was planned on.
// A set that does not is a fault of the program, found by RowChange.Verify (in tests and at recovery) before it gets
// here. The timelines are taken over as the plan has left them on its draft, where that is given: nothing of them is
// changed twice.
func (s *State) Apply(account ID, set []RowChange, drafted *timeline.Stock) {
	a := s.Account(account)
	var few [4]func()
	behind := few[:0]
	for _, f := range Followers {
		if f.Around != nil {
			if after := f.Around(a, set); after != nil {
				behind = append(behind, after)
			}
		}
	}
	if a.Drafted = drafted != nil; a.Drafted {
		a.Stock = drafted
		a.Choose()
	}
	for _, c := range set {
		c.Remove(s, a)
	}
	for _, c := range set {
		c.Put(s, a)
	}
	a.Drafted = false
	for _, after := range behind {
		after()
	}
	s.Touch(a)
}

// KindOf is a kind with its row type put away.
type KindOf interface {
	TableTag() byte
	TableName() string
	Read(account, key ID, before, after []byte) (RowChange, error)
	ReadRow(l *AccountLoader, key ID, value []byte) error
	Begin(of []*AccountLoader) (finish func(a *AccountState) error)
	Sum(a *AccountState) uint64
	newTable() table.Any
	InFeed() string
	FeedChange(a *AccountState, key ID, before, after []byte) (feedChange, error)
	DueWork() *DueWork
	DueRows(a *AccountState) int
	Stored() bool
	Example(full bool) (row []byte, weight int)
	Present(dst []Image, account, id ID, stored []byte) ([]Image, error)
	Each(a *AccountState, visit func(Image) bool)
	Moved(account ID, x Image, s IDShift) (Image, error)
}

// kinds are all of them, in the order in which start-up puts rows in place.
var kinds []KindOf

// RegisterKinds says which kinds there are.
func RegisterKinds(list ...KindOf) []KindOf {
	kinds = list
	return list
}

// kindOf is the kind of a type of rows.
func kindOf[R any]() *Kind[R] {
	i := slices.IndexFunc(kinds, func(k KindOf) bool { _, is := k.(*Kind[R]); return is })
	return kinds[i].(*Kind[R])
}

// TableTag is the table byte.
func (k *Kind[R]) TableTag() byte { return k.Tag }

// TableName is the name for messages.
func (k *Kind[R]) TableName() string { return k.Name }

// DueWork is what is done of a row that is due.
func (k *Kind[R]) DueWork() *DueWork { return &k.WhenDue }

// Stored says that rows of the kind are on disk alone.
func (k *Kind[R]) Stored() bool { return k.total != nil }

// Read reads a change of the log.
func (k *Kind[R]) Read(account, key ID, before, after []byte) (RowChange, error) {
	c := &Change[R]{Kind: k}
	var err error
	if before != nil {
		if c.Before, err = k.Decode(account, key, before); err != nil {
			return nil, err
		}
	}
	if after != nil {
		if c.After, err = k.Decode(account, key, after); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// ReadRow takes a stored row at start-up.
func (k *Kind[R]) ReadRow(l *AccountLoader, key ID, value []byte) error {
	if k.Scan != nil {
		return k.Scan(l, key, value)
	}
	r, err := k.Decode(l.ID, key, value)
	if err != nil {
		return err
	}
	l.Cold[k.Tag] = append(l.Cold[k.Tag], func(s *State, a *AccountState) { k.Put(s, a, nil, r) })
	return nil
}

// Begin puts the rows of accounts in place all at once, where the kind does so.
func (k *Kind[R]) Begin(of []*AccountLoader) (finish func(a *AccountState) error) {
	if k.Bulk == nil {
		return nil
	}
	return k.Bulk(of)
}

// Each visits the rows of an account as an archive has them, until visit has enough.
func (k *Kind[R]) Each(a *AccountState, visit func(Image) bool) {
	for r := range k.All(a) {
		if k.Carry != nil {
			r = k.Carry(r)
		}
		if !visit(Image{k.Tag, k.Key(r), k.Encode(nil, r)}) {
			return
		}
	}
}

// SplitKey reads back what RowKey wrote, without the table byte.
func SplitKey(b []byte) (account, id ID, err error) {
	if len(b) != 32 {
		return account, id, fmt.Errorf("row key of %d bytes, want 32", len(b))
	}
	return ID(b[:16]), ID(b[16:]), nil
}

// One goes through a row, if there is one.
func One[R any](r *R) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		if r != nil {
			yield(r)
		}
	}
}

// Image is a row as it is written.
type Image struct {
	Tag   byte
	ID    ID
	Value []byte
}

// Is says which row it is, not what it says.
func (i Image) Is(tag byte, id ID) bool { return i.Tag == tag && i.ID == id }

// Present appends what a stored row is as this program writes it: one row, but of a kind that has changed its form.
func (k *Kind[R]) Present(dst []Image, account, id ID, stored []byte) ([]Image, error) {
	if k.Older != nil {
		rows, older, err := k.Older(account, id, stored)
		if err != nil || older {
			return append(dst, rows...), err
		}
	}
	r, err := k.Decode(account, id, stored)
	if err == nil && k.Knows != nil {
		err = k.Knows(stored)
	}
	if err != nil {
		return dst, fmt.Errorf("%s %s: %w", k.Name, id, err)
	}
	value := k.Encode(nil, r)
	if bytes.Equal(value, stored) {
		value = stored
	}
	return append(dst, Image{k.Tag, id, value}), nil
}

// Sum is the part of the state hash that an account's rows of a kind make.
func (k *Kind[R]) Sum(a *AccountState) (total uint64) {
	if k.total != nil {
		return k.total(a)
	}
	var buf []byte
	var key []byte
	for r := range k.All(a) {
		key = RowKey(key[:0], k.Tag, a.ID, k.Key(r))
		var h uint64
		h, buf = RowHash(buf, k.Tag, key[1:], k.Encode(nil, r))
		total += h
	}
	return total
}
