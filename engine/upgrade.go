package engine

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns rows that another program wrote in other bytes than this one does: how they are read, and how they are
// written anew.
//
// A change subtracts from the state hash what the row before is encoded to, so what is stored must be what this program
// writes. A directory says which program's encoding its rows are of. Where it is another, a start reads each row as
// what it is to this program, and when all is read and its hash was compared, writes those anew whose bytes differ: by
// records of the log that say of themselves that they change no more than that. The state in memory is the same before
// and after, so a start that was cut short is gone on with by the next, and a restore to a point goes across it both
// ways.

// older is a start's knowledge of a directory whose rows are not known to be as this program writes them.
type older struct {
	hash uint64          // the state hash, if all rows were as this program writes them
	tail map[string]bool // table and key of what the log changes after the marker
}

// Rewrites says whether a start on a directory of a form writes to it before any command does.
func Rewrites(f persist.Form) bool { return f.Encoding != rowEncoding() }

// isOlder says whether rows and log records may be of another program's encoding.
func isOlder(store *persist.Store) bool {
	f := store.Form()
	return Rewrites(f) || store.Marker().Seq < f.Since
}

// count adds rows to the hash, or takes them from it, and where an account is given, from what it knows of rows on disk
// alone.
func (o *older) count(of base.ID, rows []base.Image, sign uint64, a *base.AccountState) {
	var key, buf []byte
	for _, x := range rows {
		var sum uint64
		key = base.RowKey(key[:0], x.Tag, of, x.ID)
		sum, buf = base.RowHash(buf, x.Tag, key[1:], x.Value)
		o.hash += sign * sum
		if a != nil && kindByTag[x.Tag].Stored() {
			a.Keep(x.Tag, sign*sum)
		}
	}
}

// changes reads a change of the log as changes of rows as this program writes them.
func (o *older) changes(s *base.State, set []base.RowChange, of, id base.ID, c persist.Change) ([]base.RowChange,
	error) {
	k := kindByTag[c.Table]
	var before, after []base.Image
	var err error
	if c.Before != nil {
		if before, err = k.Present(nil, of, id, c.Before); err != nil {
			return nil, err
		}
	}
	if c.After != nil {
		if after, err = k.Present(nil, of, id, c.After); err != nil {
			return nil, err
		}
	}
	a := s.Account(of)
	o.count(of, before, ^uint64(0), a)
	o.count(of, after, 1, a)
	for x, at := range both(before, after) {
		if at[0] != nil && at[1] != nil && bytes.Equal(at[0], at[1]) {
			continue
		}
		change, err := kindByTag[x.Tag].Read(of, x.ID, at[0], at[1])
		if err != nil {
			return nil, err
		}
		set = append(set, change)
	}
	return set, nil
}

// both goes through the rows of two lists: each with its bytes in the one and in the other, nil where it is not in it.
func both(before, after []base.Image) func(yield func(base.Image, [2][]byte) bool) {
	type name struct {
		tag byte
		id  base.ID
	}
	now := make(map[name][]byte, len(after))
	for _, x := range after {
		now[name{x.Tag, x.ID}] = x.Value
	}
	return func(yield func(base.Image, [2][]byte) bool) {
		for _, x := range before {
			value := now[name{x.Tag, x.ID}]
			delete(now, name{x.Tag, x.ID})
			if !yield(x, [2][]byte{x.Value, value}) {
				return
			}
		}
		for _, x := range after {
			if _, is := now[name{x.Tag, x.ID}]; is && !yield(x, [2][]byte{nil, x.Value}) {
				return
			}
		}
	}
}

// rewriteBytes is how large a record of rows that are written anew becomes, and then some: what one row becomes is in
// one. Tests make it smaller.
var rewriteBytes = 1 << 20

// rewriter writes rows anew.
type rewriter struct {
	store *persist.Store
	state *base.State
	log   persist.Group
	rows  int
}

// rewrite writes all rows anew that are stored in other bytes than this program's, by records of the log of the instant
// at, and says in the directory that it is done, unless it says so already. It sees what was published, and publishes
// its own records as it writes them.
func rewrite(s *base.State, store *persist.Store, o *older, at int64, log *slog.Logger) error {
	if !Rewrites(store.Form()) { // it was done, and what is folded does not reach up to there
		if s.Hash != o.hash {
			return fmt.Errorf("%w: the rows' hash is %016x, as this program writes them it is %016x",
				persist.ErrCorrupt, s.Hash, o.hash)
		}
		return nil
	}
	if err := store.Rewriting(); err != nil {
		return err
	}
	s.At = max(s.At, at)
	w := &rewriter{store: store, state: s}
	err := store.ScanRows(1, func(_ int, tag byte, key, value []byte) error {
		if o.tail[string(append([]byte{tag}, key...))] {
			return nil
		}
		return w.row(tag, key, value)
	})
	if err != nil {
		return err
	}
	for _, row := range slices.Sorted(maps.Keys(o.tail)) {
		tag, key := row[0], []byte(row[1:])
		value, ok, err := store.Row(tag, key)
		if err == nil && ok {
			err = w.row(tag, key, value)
		}
		if err != nil {
			return err
		}
	}
	if err := w.seal(); err != nil {
		return err
	}
	if s.Hash != o.hash {
		return fmt.Errorf("rows were written anew to the state hash %016x, they make %016x", s.Hash, o.hash)
	}
	if w.rows > 0 {
		log.Info("rows that another version wrote were written anew", "rows", w.rows)
	}
	return store.Rewritten(rowEncoding())
}

// row writes one stored row anew, if that is necessary.
func (w *rewriter) row(tag byte, key, stored []byte) error {
	of, id, err := base.SplitKey(key)
	if err != nil {
		return err
	}
	rows, err := kindByTag[tag].Present(nil, of, id, stored)
	if err != nil {
		return err
	}
	if len(rows) == 1 && rows[0].Is(tag, id) && bytes.Equal(rows[0].Value, stored) {
		return nil
	}
	w.rows++
	var name, buf []byte
	for x, at := range both([]base.Image{{Tag: tag, ID: id, Value: stored}}, rows) {
		name = base.RowKey(name[:0], x.Tag, of, x.ID)
		var sum uint64
		if at[0] != nil {
			sum, buf = base.RowHash(buf, x.Tag, name[1:], at[0])
			w.state.Hash -= sum
		}
		if at[1] != nil {
			sum, buf = base.RowHash(buf, x.Tag, name[1:], at[1])
			w.state.Hash += sum
		}
		w.log.Change(x.Tag, name[1:], at[0], at[1])
	}
	if w.log.Bytes() >= rewriteBytes {
		return w.seal()
	}
	return nil
}

// seal makes durable what has come together.
func (w *rewriter) seal() error {
	if w.log.Len() == 0 {
		return nil
	}
	w.log.Rewrite = true
	if err := w.store.Commit(&w.log, w.state.Seq+1, w.state.At, w.state.Hash); err != nil {
		return err
	}
	w.state.Seq++
	w.store.Published(w.state.Seq)
	return nil
}
