package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"holdfast/persist"
)

// This file owns start-up: the rows as they were folded, then the log behind them, through the same apply as live commands.

// loadWorkers is how many goroutines read rows at start-up.
const loadWorkers = 2

// rowReader is one worker's part of the scan.
type rowReader struct {
	accounts map[ID]*accountLoader
	last     *accountLoader
	hash     uint64
	buf      []byte
	older    *older // nil: all rows are as this program writes them
	images   []image
}

func (r *rowReader) row(tag byte, key, value []byte) error {
	k := kindByTag[tag]
	if k == nil {
		return fmt.Errorf("a row of the unknown table %d", tag)
	}
	of, id, err := splitKey(key)
	if err != nil {
		return err
	}
	var sum uint64
	sum, r.buf = rowHash(r.buf, tag, key, value)
	r.hash += sum
	if r.last == nil || r.last.id != of {
		if r.last = r.accounts[of]; r.last == nil {
			r.last = &accountLoader{id: of, cold: map[byte][]func(*state, *account){}}
			r.accounts[of] = r.last
		}
	}
	if r.older == nil {
		return k.readRow(r.last, id, value)
	}
	if r.images, err = k.present(r.images[:0], of, id, value); err != nil {
		return err
	}
	r.older.count(of, r.images, 1, nil)
	for _, x := range r.images {
		if err := kindByTag[x.tag].readRow(r.last, x.id, x.value); err != nil {
			return err
		}
	}
	return nil
}

// restore builds the state from a store and verifies it against the state hash that marker and records carry. Where rows may
// be of another program's encoding it tells what it has seen of that.
func restore(ctx context.Context, store *persist.Store) (*state, *older, error) {
	s := newState()
	readers := make([]rowReader, loadWorkers)
	var all *older
	if isOlder(store) {
		all = &older{tail: map[string]bool{}}
	}
	for i := range readers {
		readers[i].accounts = map[ID]*accountLoader{}
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
	s.seq, s.at = m.Seq, m.At
	for i := range readers {
		s.hash += readers[i].hash
		if all != nil {
			all.hash += readers[i].older.hash
		}
	}
	if s.hash != m.StateHash {
		return nil, nil, fmt.Errorf("%w: the rows' hash is %016x, the marker at record %d says %016x", persist.ErrCorrupt, s.hash, m.Seq, m.StateHash)
	}
	if err := s.load(readers); err != nil {
		return nil, nil, err
	}
	if err := store.Tail(func(r persist.Record) error { return s.replay(r, all) }); err != nil {
		return nil, nil, err
	}
	s.lastID = makeID(s.at, Base{hi: 0x0fff, lo: 1<<lowBits - 1})
	s.at++ // no id of the instant that the log ended at is made again
	return s, all, ctx.Err()
}

// load puts the scanned rows in place, account by account in id order.
func (s *state) load(readers []rowReader) error {
	parts := map[ID][]*accountLoader{}
	var ids []ID
	for i := range readers {
		for id, l := range readers[i].accounts {
			if parts[id] == nil {
				ids = append(ids, id)
			}
			parts[id] = append(parts[id], l)
		}
		readers[i].accounts = nil
	}
	slices.SortFunc(ids, ID.Compare)
	for _, id := range ids {
		a := s.account(id)
		finish := make([]func(*account) error, len(schema))
		for i, k := range schema {
			finish[i] = k.begin(parts[id])
		}
		for i, k := range schema {
			if finish[i] != nil {
				if err := finish[i](a); err != nil {
					return fmt.Errorf("%w: account %s: %w", persist.ErrCorrupt, id, err)
				}
			}
			for _, l := range parts[id] {
				for _, put := range l.cold[k.tableTag()] {
					put(s, a)
				}
				l.cold[k.tableTag()] = nil
			}
		}
		for _, l := range parts[id] {
			for _, d := range l.due {
				a.due.add(d)
			}
			for tag, sum := range l.kept {
				if sum != 0 {
					a.keep(byte(tag), sum)
				}
			}
		}
		for _, f := range followers {
			if f.load != nil {
				f.load(a)
			}
		}
		s.touch(a)
	}
	return nil
}

// replay applies one log record. Each change is held against the row that is there: a log that does not fit the rows is
// found at the record that made the difference. A record of rows that were written anew changes the hash alone.
func (s *state) replay(r persist.Record, o *older) error {
	var set []rowChange
	var account ID
	var buf []byte
	flush := func() error {
		if len(set) == 0 {
			return nil
		}
		a := s.account(account)
		for _, c := range set {
			if err := c.verify(a); err != nil {
				return fmt.Errorf("%w: log record %d does not fit the state: %w", persist.ErrCorrupt, r.Seq, err)
			}
		}
		s.apply(account, set, nil)
		set = set[:0]
		return nil
	}
	for c := range r.Changes() {
		k := kindByTag[c.Table]
		if k == nil {
			return fmt.Errorf("log record %d changes the unknown table %d", r.Seq, c.Table)
		}
		of, key, err := splitKey(c.Key)
		if err != nil {
			return err
		}
		if !r.Rewrite {
			if c.Table == tagLedger {
				if err := flush(); err != nil {
					return err
				}
				account = of
				s.at = r.At
			} else if !bytes.Equal(of[:], account[:]) {
				return fmt.Errorf("%w: log record %d mixes accounts in one command", persist.ErrCorrupt, r.Seq)
			}
			if o != nil {
				set, err = o.changes(s, set, of, key, c)
			} else {
				var change rowChange
				change, err = k.read(of, key, c.Before, c.After)
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
			sum, buf = rowHash(buf, c.Table, c.Key, c.Before)
			delta -= sum
		}
		if c.After != nil {
			sum, buf = rowHash(buf, c.Table, c.Key, c.After)
			delta += sum
		}
		s.hash += delta
		if o == nil && k.stored() {
			s.account(of).keep(c.Table, delta)
		}
	}
	if err := flush(); err != nil {
		return err
	}
	s.seq, s.at = r.Seq, r.At
	if s.hash != r.StateHash {
		return fmt.Errorf("%w: the state hash after log record %d is %016x, the record says %016x", persist.ErrCorrupt, r.Seq, s.hash, r.StateHash)
	}
	return nil
}
