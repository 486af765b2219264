package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"

	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns start-up: the rows as they were folded, then the log behind them, through the same apply as live commands.

// loadWorkers is how many goroutines read rows at start-up.
const loadWorkers = 2

// accountLoader collects the rows of one account that one worker read, each kind in ascending order of its keys.
type accountLoader struct {
	id    ID
	cold  map[byte][]func(*state, *account) // what puts the rows of a kind in place
	lots  []lot
	slots []timeline.Slot
	units chunks[timeline.Placed]
	holds chunks[keyedHold]
	more  []*holdMore
	due   []dueItem
	kits  kitCounts
	kept  keptSums // of rows that are on disk alone
}

// keyedHold is a hold's dense row with its id.
type keyedHold struct {
	id  ID
	row holdRow
}

// chunks is a list that grows without copying: many rows are read once and put in place once.
type chunks[T any] struct{ list [][]T }

const chunkRows = 8192

// next makes room for one more row at the end.
func (c *chunks[T]) next() *T {
	n := len(c.list)
	if n == 0 || len(c.list[n-1]) == chunkRows {
		c.list = append(c.list, make([]T, 0, chunkRows))
		n++
	}
	last := &c.list[n-1]
	*last = (*last)[:len(*last)+1]
	return &(*last)[len(*last)-1]
}

// merge visits the rows of several lists in the order of their ids, in runs, and lets go of each chunk behind it.
func merge[T any](lists []chunks[T], id func(*T) ID, visit func(run []T)) {
	rest := make([][]T, len(lists)) // of the chunk each list is at
	for {
		least, second := -1, ID{}
		var first ID
		for i := range lists {
			for len(rest[i]) == 0 && len(lists[i].list) > 0 {
				rest[i], lists[i].list[0] = lists[i].list[0], nil
				lists[i].list = lists[i].list[1:]
			}
			if len(rest[i]) == 0 {
				continue
			}
			switch x := id(&rest[i][0]); {
			case least < 0:
				least, first = i, x
			case x.Compare(first) < 0:
				least, first, second = i, x, first
			case second == ID{} || x.Compare(second) < 0:
				second = x
			}
		}
		if least < 0 {
			return
		}
		run := rest[least]
		n := len(run)
		if second != (ID{}) && id(&run[n-1]).Compare(second) > 0 {
			n = sort.Search(n, func(i int) bool { return id(&run[i]).Compare(second) > 0 })
		}
		visit(run[:n])
		rest[least] = run[n:]
	}
}

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
		stock := loadHolds(parts[id])
		for _, k := range schema {
			if k.tableTag() == tagLot { // lots, slots and units at once, behind what they refer to
				if err := a.loadStock(parts[id], stock); err != nil {
					return err
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

// heldStock is an account's units and hold records on their way from rows. They refer to nothing, so they are put in order on
// goroutines of their own while other rows are put in place.
type heldStock struct {
	work    sync.WaitGroup
	loader  *timeline.Loader // has the units
	rows    *timeline.ByID[holdRow]
	inOrder bool
}

func loadHolds(parts []*accountLoader) *heldStock {
	units, holds := make([]chunks[timeline.Placed], len(parts)), make([]chunks[keyedHold], len(parts))
	for i, l := range parts {
		units[i], holds[i] = l.units, l.holds
		l.units, l.holds = chunks[timeline.Placed]{}, chunks[keyedHold]{}
	}
	s := &heldStock{loader: timeline.NewLoader()}
	s.work.Go(func() { merge(units, func(u *timeline.Placed) ID { return u.ID }, s.loader.AddHolds) })
	s.work.Go(func() {
		rows := timeline.NewByIDLoader[holdRow]()
		merge(holds, func(h *keyedHold) ID { return h.id }, func(run []keyedHold) {
			for i := range run {
				rows.Add(run[i].id, run[i].row)
			}
		})
		s.rows, s.inOrder = rows.Finish()
	})
	return s
}

// loadStock builds an account's timelines from their rows.
func (a *account) loadStock(parts []*accountLoader, held *heldStock) error {
	var lots []lot
	var slots []timeline.Slot
	for _, l := range parts {
		lots, slots = append(lots, l.lots...), append(slots, l.slots...)
		for _, m := range l.more {
			a.holds().more.Put(m)
		}
		for _, d := range l.due {
			a.due.add(d)
		}
		for no, n := range l.kits {
			a.kits().add(uint32(no), n)
		}
		l.lots, l.slots, l.more, l.due, l.kits = nil, nil, nil, nil, nil
	}
	slices.SortFunc(lots, func(x, y lot) int { return cmp.Compare(x.no, y.no) })
	slices.SortFunc(slots, func(x, y timeline.Slot) int { return cmp.Compare(x.No, y.No) })
	a.aggregateAll()
	placed := make([]timeline.Lot, len(lots))
	for i := range lots {
		l, lot := &lots[i], &placed[i]
		*lot = timeline.Lot{No: l.no, Article: l.article, Location: l.location}
		if r := a.articles().No(l.article); r != nil { // nobody has seen it yet, so it may be changed
			a.derive(r, append(r.lots, articleLot{location: l.location, no: l.no}))
			lot.Pool = a.poolFor(r, l.location)
		}
	}
	held.work.Wait()
	for _, lot := range placed {
		held.loader.AddLot(lot)
	}
	for _, s := range slots {
		held.loader.AddSlot(s)
	}
	if !held.inOrder {
		return fmt.Errorf("%w: account %s: hold records are out of order", persist.ErrCorrupt, a.id)
	}
	a.holds().rows = held.rows
	var err error
	if a.stock, err = held.loader.Finish(); err != nil {
		return fmt.Errorf("%w: account %s: %w", persist.ErrCorrupt, a.id, err)
	}
	a.stock.SetChooser(a)
	return nil
}
