package engine

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/cespare/xxhash/v2"

	"holdfast/engine/table"
	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns write sets: what a plan collects, what the log keeps and what Apply does, for live commands and for recovery
// alike.
//
// A write set is a list of row changes, each a row before and after. The first change is always the account's ledger, so
// that a log record, which holds the write sets of a whole group, falls apart into commands again where a ledger stands.

// rowChange is one changed row, of whatever kind.
type rowChange interface {
	// log appends the change to a group and returns by how much it moves the state hash.
	log(g *persist.Group, buf *encodeBuffer, account ID) uint64
	// weight is about how many bytes the log takes of it (weight.go).
	weight() int
	// of is the kind of the row.
	of() kindOf
	// verify holds the change's before against the row that is there.
	verify(a *account) error
	// remove is the first pass of Apply: holds that go or move leave their slots, so that two may change places.
	remove(s *state, a *account)
	// put is the second pass: the row becomes what it is after.
	put(s *state, a *account)
}

// kind is one kind of row: how it is keyed, written, read, found and put in place. Its fields are set once, in the file of
// its resource; schema.go lists all kinds. One that names a table gets find, all and put from it where it has none of its own.
type kind[R any] struct {
	tag    byte                   // table byte in the log and the rows; never reused
	name   string                 // for messages
	table  func() *table.Table[R] // makes an account's empty table; nil: the rows live elsewhere
	key    func(*R) ID
	encode func(dst []byte, r *R) []byte // canonical: equal rows give equal bytes
	weigh  func(r *R) int                // about how long it is written; nil: it is short
	decode func(account, key ID, b []byte) (*R, error)
	find   func(a *account, like *R) *R                              // the row as it is with the key of the given one, nil: none; unset: not in memory
	all    func(a *account) iter.Seq[*R]                             // every row, in a fixed order
	total  func(a *account) uint64                                   // in place of all, where the rows are not in memory: the sum of their hashes
	remove func(s *state, a *account, before *R)                     // nil where one pass is enough
	put    func(s *state, a *account, before, after *R)              // one of the two may be nil
	scan   func(l *accountLoader, key ID, b []byte) error            // how start-up takes a row; nil: through decode and put
	bulk   func(of []*accountLoader) (finish func(a *account) error) // puts rows in place all at once: it begins with nothing else there; nil: one by one
	fall   func(t *tx, id ID)                                        // what becomes of a row that is due; nil: none ever is
	knows  func(b []byte) error                                      // refuses a stored row of which decode would lose something; nil: decode does

	// older turns a stored row of a form that the kind no longer has into the rows that it is now, whatever their kinds; false: it
	// is of the present form. decode must still read it, as the feed of changes reads the log. nil: no form was ever left.
	older func(account, id ID, stored []byte) (rows []image, is bool, err error)

	carry func(*R) *R // what an archive has of a row (archive.go); nil: the row as it is

	resource string                                          // what its rows are called in the feed of changes; empty: they are not in it
	area     func(r *R) string                               // which of its rows a reader may see is by this; nil: it is the same for all
	part     func(a *account, r *R) (resource string, of ID) // of which record a row is a part, where it is none of its own
	quiet    func(before, after *R) bool                     // a change that is not told: of what the record does not show
}

// rowsOf makes a kind whose rows an account keeps in a table, as JSON on disk: all that most resources need to say.
func rowsOf[R any](tag byte, name string, key func(*R) ID, options ...table.Option[R]) *kind[R] {
	k := &kind[R]{tag: tag, name: name, key: key, encode: encodeCold[R], weigh: jsonWeight[R], decode: decodeCold[R](name), knows: knows[R], resource: resourceName(name)}
	k.table = func() *table.Table[R] { return table.New(func(r *R) table.ID { return key(r) }, options...) }
	k.find = func(a *account, like *R) *R { return k.in(a).Get(key(like)) }
	k.all = func(a *account) iter.Seq[*R] { return k.in(a).All() }
	k.put = func(_ *state, a *account, before, after *R) {
		if after == nil {
			k.in(a).Delete(key(before))
			return
		}
		k.in(a).Put(after)
	}
	return k
}

// in is an account's table of the kind.
func (k *kind[R]) in(a *account) *table.Table[R] { return tableOf[R](a, k.tag) }

// tableOf is in for those that a kind itself refers to, and so cannot refer to the kind.
func tableOf[R any](a *account, tag byte) *table.Table[R] { return a.tables[tag].(*table.Table[R]) }

func (k *kind[R]) newTable() table.Any {
	if k.table == nil {
		return nil
	}
	return k.table()
}

type change[R any] struct {
	kind          *kind[R]
	before, after *R
	image         *[]byte // before as it is written, where the plan knows that already
}

// record adds a changed row to the write set; nil before is a new row, nil after a row that goes.
func record[R any](t *tx, k *kind[R], before, after *R) {
	t.set = append(t.set, &change[R]{kind: k, before: before, after: after})
}

func (c *change[R]) of() kindOf { return c.kind }

func (c *change[R]) key() ID {
	if c.after != nil {
		return c.kind.key(c.after)
	}
	return c.kind.key(c.before)
}

// was appends the row before, as it is written.
func (c *change[R]) was(dst []byte) []byte {
	if c.image != nil {
		return append(dst, *c.image...)
	}
	return c.kind.encode(dst, c.before)
}

// encodeBuffer is the scratch memory of one encoder.
type encodeBuffer struct{ key, before, after []byte }

func (c *change[R]) log(g *persist.Group, buf *encodeBuffer, account ID) uint64 {
	buf.key = rowKey(buf.key[:0], c.kind.tag, account, c.key())
	var before, after []byte
	var delta uint64
	if c.before != nil {
		buf.before = c.was(append(buf.before[:0], buf.key...))
		before = buf.before[len(buf.key):]
		delta -= xxhash.Sum64(buf.before)
	}
	if c.after != nil {
		buf.after = c.kind.encode(append(buf.after[:0], buf.key...), c.after)
		after = buf.after[len(buf.key):]
		delta += xxhash.Sum64(buf.after)
	}
	g.Change(c.kind.tag, buf.key[1:], before, after)
	return delta
}

func (c *change[R]) verify(a *account) error {
	if c.kind.find == nil {
		return nil // not in memory
	}
	like := c.before
	if like == nil {
		like = c.after
	}
	have := c.kind.find(a, like)
	switch {
	case have == nil && c.before == nil:
		return nil
	case have == nil || c.before == nil:
		return fmt.Errorf("%s %s: row present %t, expected %t", c.kind.name, c.key(), have != nil, c.before != nil)
	case !bytes.Equal(c.kind.encode(nil, have), c.was(nil)):
		return fmt.Errorf("%s %s: row differs from the one the change was made on", c.kind.name, c.key())
	}
	return nil
}

func (c *change[R]) remove(s *state, a *account) {
	if c.before != nil && c.kind.remove != nil {
		c.kind.remove(s, a, c.before)
	}
}

func (c *change[R]) put(s *state, a *account) { c.kind.put(s, a, c.before, c.after) }

// rowKey is the canonical key of a row: table, account, id. The state hash covers it together with the row's bytes.
func rowKey(dst []byte, tag byte, account, id ID) []byte {
	dst = append(dst, tag)
	dst = append(dst, account[:]...)
	return append(dst, id[:]...)
}

// rowHash is a row's part of the state hash: the sum, modulo 2^64, of this over all rows.
func rowHash(buf []byte, tag byte, key, value []byte) (uint64, []byte) {
	buf = append(append(append(buf[:0], tag), key...), value...)
	return xxhash.Sum64(buf), buf
}

// apply is the only mutator of the state. It cannot fail: what a plan collected fits the state that it was planned on.
// A set that does not is a fault of the program, found by verify (in tests and at recovery) before it gets here. The timelines are
// taken over as the plan has left them on its draft, where that is given: nothing of them is changed twice.
func (s *state) apply(account ID, set []rowChange, drafted *timeline.Stock) {
	a := s.account(account)
	var few [4]func()
	behind := few[:0]
	for _, f := range followers {
		if f.around != nil {
			if after := f.around(a, set); after != nil {
				behind = append(behind, after)
			}
		}
	}
	if a.drafted = drafted != nil; a.drafted {
		a.stock = drafted
		a.choose()
	}
	for _, c := range set {
		c.remove(s, a)
	}
	for _, c := range set {
		c.put(s, a)
	}
	a.drafted = false
	for _, after := range behind {
		after()
	}
	s.touch(a)
}

// kindOf is a kind with its row type put away.
type kindOf interface {
	tableTag() byte
	tableName() string
	read(account, key ID, before, after []byte) (rowChange, error)
	readRow(l *accountLoader, key ID, value []byte) error
	begin(of []*accountLoader) (finish func(a *account) error)
	sum(a *account) uint64
	newTable() table.Any
	inFeed() string
	told(a *account, key ID, before, after []byte) (toldChange, error)
	due(t *tx, id ID)
	stored() bool
	example(full bool) []byte
	present(dst []image, account, id ID, stored []byte) ([]image, error)
	each(a *account, visit func(image) bool)
	moved(account ID, x image, s IDShift) (image, error)
}

// kinds are all of them, in the order in which start-up puts rows in place.
var kinds []kindOf

// registerKinds says which kinds there are.
func registerKinds(list ...kindOf) []kindOf {
	kinds = list
	return list
}

func (k *kind[R]) tableTag() byte    { return k.tag }
func (k *kind[R]) tableName() string { return k.name }
func (k *kind[R]) due(t *tx, id ID)  { k.fall(t, id) }

// stored says that rows of the kind are on disk alone.
func (k *kind[R]) stored() bool { return k.total != nil }

func (k *kind[R]) read(account, key ID, before, after []byte) (rowChange, error) {
	c := &change[R]{kind: k}
	var err error
	if before != nil {
		if c.before, err = k.decode(account, key, before); err != nil {
			return nil, err
		}
	}
	if after != nil {
		if c.after, err = k.decode(account, key, after); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (k *kind[R]) readRow(l *accountLoader, key ID, value []byte) error {
	if k.scan != nil {
		return k.scan(l, key, value)
	}
	r, err := k.decode(l.id, key, value)
	if err != nil {
		return err
	}
	l.cold[k.tag] = append(l.cold[k.tag], func(s *state, a *account) { k.put(s, a, nil, r) })
	return nil
}

func (k *kind[R]) begin(of []*accountLoader) (finish func(a *account) error) {
	if k.bulk == nil {
		return nil
	}
	return k.bulk(of)
}

// each visits the rows of an account as an archive has them, until visit has enough.
func (k *kind[R]) each(a *account, visit func(image) bool) {
	for r := range k.all(a) {
		if k.carry != nil {
			r = k.carry(r)
		}
		if !visit(image{k.tag, k.key(r), k.encode(nil, r)}) {
			return
		}
	}
}

// splitKey reads back what rowKey wrote, without the table byte.
func splitKey(b []byte) (account, id ID, err error) {
	if len(b) != 32 {
		return account, id, fmt.Errorf("row key of %d bytes, want 32", len(b))
	}
	return ID(b[:16]), ID(b[16:]), nil
}

func one[R any](r *R) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		if r != nil {
			yield(r)
		}
	}
}

// image is a row as it is written.
type image struct {
	tag   byte
	id    ID
	value []byte
}

// is says which row it is, not what it says.
func (i image) is(tag byte, id ID) bool { return i.tag == tag && i.id == id }

// present appends what a stored row is as this program writes it: one row, but of a kind that has changed its form.
func (k *kind[R]) present(dst []image, account, id ID, stored []byte) ([]image, error) {
	if k.older != nil {
		rows, older, err := k.older(account, id, stored)
		if err != nil || older {
			return append(dst, rows...), err
		}
	}
	r, err := k.decode(account, id, stored)
	if err == nil && k.knows != nil {
		err = k.knows(stored)
	}
	if err != nil {
		return dst, fmt.Errorf("%s %s: %w", k.name, id, err)
	}
	value := k.encode(nil, r)
	if bytes.Equal(value, stored) {
		value = stored
	}
	return append(dst, image{k.tag, id, value}), nil
}

// sum is the part of the state hash that an account's rows of a kind make.
func (k *kind[R]) sum(a *account) (total uint64) {
	if k.total != nil {
		return k.total(a)
	}
	var buf []byte
	var key []byte
	for r := range k.all(a) {
		key = rowKey(key[:0], k.tag, a.id, k.key(r))
		var h uint64
		h, buf = rowHash(buf, k.tag, key[1:], k.encode(nil, r))
		total += h
	}
	return total
}
