package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns start-up: the rows as they were folded, then the log after them, through the same apply as live
// commands.

// loadWorkers is how many goroutines read rows at start-up.
const loadWorkers = 2

// rowReader is one worker's part of the scan.
type rowReader struct {
	accounts map[base.ID]*base.AccountLoader
	last     *base.AccountLoader
	hash     uint64
	buf      []byte
	older    *older // nil: all rows are as this program writes them
	images   []base.Image
}

func (r *rowReader) row(tag byte, key, value []byte) error {
	k := kindByTag[tag]
	if k == nil {
		return fmt.Errorf("a row of the unknown table %d", tag)
	}
	of, id, err := base.SplitKey(key)
	if err != nil {
		return err
	}
	var sum uint64
	sum, r.buf = base.RowHash(r.buf, tag, key, value)
	r.hash += sum
	if r.last == nil || r.last.ID != of {
		if r.last = r.accounts[of]; r.last == nil {
			r.last = &base.AccountLoader{ID: of, Cold: map[byte][]func(*base.State, *base.AccountState){}}
			r.accounts[of] = r.last
		}
	}
	if r.older == nil {
		return k.ReadRow(r.last, id, value)
	}
	if r.images, err = k.Present(r.images[:0], of, id, value); err != nil {
		return err
	}
	r.older.count(of, r.images, 1, nil)
	for _, x := range r.images {
		if err := kindByTag[x.Tag].ReadRow(r.last, x.ID, x.Value); err != nil {
			return err
		}
	}
	return nil
}

// restore builds the state from a store and verifies it against the state hash that marker and records carry. If rows
// may have another program's encoding, it also returns what it has seen of that.
func restore(ctx context.Context, store *persist.Store) (*base.State, *older, error) {
	s := base.NewState()
	readers := make([]rowReader, loadWorkers)
	var all *older
	if isOlder(store) {
		all = &older{tail: map[string]bool{}}
	}
	for i := range readers {
		readers[i].accounts = map[base.ID]*base.AccountLoader{}
		if all != nil {
			readers[i].older = new(older)
		}
	}
	err := store.ScanRows(loadWorkers, func(worker int, table byte, key, value []byte) error {
		return readers[worker].row(table, key, value)
	})
	if err != nil {
		return nil, nil, err
	}
	m := store.Marker()
	s.Seq, s.At = m.Seq, m.At
	for i := range readers {
		s.Hash += readers[i].hash
		if all != nil {
			all.hash += readers[i].older.hash
		}
	}
	if s.Hash != m.StateHash {
		return nil, nil, fmt.Errorf("%w: the rows' hash is %016x, the marker at record %d says %016x",
			persist.ErrCorrupt, s.Hash, m.Seq, m.StateHash)
	}
	if err := load(s, readers); err != nil {
		return nil, nil, err
	}
	if err := store.Tail(func(r persist.Record) error { return replay(s, r, all) }); err != nil {
		return nil, nil, err
	}
	s.LastID = base.MakeID(s.At, base.Base{Hi: 0x0fff, Lo: 1<<base.LowBits - 1})
	s.At++ // no id of the instant that the log ended at is made again
	return s, all, ctx.Err()
}

// load puts the scanned rows in place, account by account in id order.
func load(s *base.State, readers []rowReader) error {
	parts := map[base.ID][]*base.AccountLoader{}
	var ids []base.ID
	for i := range readers {
		for id, l := range readers[i].accounts {
			if parts[id] == nil {
				ids = append(ids, id)
			}
			parts[id] = append(parts[id], l)
		}
		readers[i].accounts = nil
	}
	slices.SortFunc(ids, base.ID.Compare)
	for _, id := range ids {
		a := s.Account(id)
		finish := make([]func(*base.AccountState) error, len(schema))
		for i, k := range schema {
			finish[i] = k.Begin(parts[id])
		}
		for i, k := range schema {
			if finish[i] != nil {
				if err := finish[i](a); err != nil {
					return fmt.Errorf("%w: account %s: %w", persist.ErrCorrupt, id, err)
				}
			}
			for _, l := range parts[id] {
				for _, put := range l.Cold[k.TableTag()] {
					put(s, a)
				}
				l.Cold[k.TableTag()] = nil
			}
		}
		for _, l := range parts[id] {
			for _, d := range l.Due {
				a.Due.Add(d)
			}
			for tag, sum := range l.Kept {
				if sum != 0 {
					a.Keep(byte(tag), sum)
				}
			}
		}
		for _, f := range base.Followers {
			if f.Load != nil {
				f.Load(a)
			}
		}
		s.Touch(a)
	}
	return nil
}

// replay applies one log record. Each change is held against the row that is there: a log that does not fit the rows is
// found at the record that made the difference. A record of rows that were written anew changes the hash alone.
func replay(s *base.State, r persist.Record, o *older) error {
	var set []base.RowChange
	var account base.ID
	var buf []byte
	flush := func() error {
		if len(set) == 0 {
			return nil
		}
		a := s.Account(account)
		for _, c := range set {
			if err := c.Verify(a); err != nil {
				return fmt.Errorf("%w: log record %d does not fit the state: %w", persist.ErrCorrupt, r.Seq, err)
			}
		}
		s.Apply(account, set, nil)
		set = set[:0]
		return nil
	}
	for c := range r.Changes() {
		k := kindByTag[c.Table]
		if k == nil {
			return fmt.Errorf("log record %d changes the unknown table %d", r.Seq, c.Table)
		}
		of, key, err := base.SplitKey(c.Key)
		if err != nil {
			return err
		}
		if !r.Rewrite {
			if c.Table == base.TagLedger {
				if err := flush(); err != nil {
					return err
				}
				account = of
				s.At = r.At
			} else if !bytes.Equal(of[:], account[:]) {
				return fmt.Errorf("%w: log record %d mixes accounts in one command", persist.ErrCorrupt, r.Seq)
			}
			if o != nil {
				set, err = o.changes(s, set, of, key, c)
			} else {
				var change base.RowChange
				change, err = k.Read(of, key, c.Before, c.After)
				set = append(set, change)
			}
			if err != nil {
				return fmt.Errorf("log record %d: %w", r.Seq, err)
			}
		}
		if o != nil {
			o.tail[string(append([]byte{c.Table}, c.Key...))] = true
		}
		var sum, delta uint64
		if c.Before != nil {
			sum, buf = base.RowHash(buf, c.Table, c.Key, c.Before)
			delta -= sum
		}
		if c.After != nil {
			sum, buf = base.RowHash(buf, c.Table, c.Key, c.After)
			delta += sum
		}
		s.Hash += delta
		if o == nil && k.Stored() {
			s.Account(of).Keep(c.Table, delta)
		}
	}
	if err := flush(); err != nil {
		return err
	}
	s.Seq, s.At = r.Seq, r.At
	if s.Hash != r.StateHash {
		return fmt.Errorf("%w: the state hash after log record %d is %016x, the record says %016x", persist.ErrCorrupt,
			r.Seq, s.Hash, r.StateHash)
	}
	return nil
}
