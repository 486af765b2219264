package persist

// This file owns reading rows.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

func appendRowKey(b []byte, table byte, key []byte) []byte {
	return append(append(b, rowPrefix, table), key...)
}

// rowBounds spans the rows of the tables from to to, both included.
func rowBounds(from, to byte) *pebble.IterOptions {
	upper := []byte{rowPrefix + 1}
	if to < 255 {
		upper = []byte{rowPrefix, to + 1}
	}
	return &pebble.IterOptions{LowerBound: []byte{rowPrefix, from}, UpperBound: upper}
}

// ScanRows calls fn for every row as of the marker, see ScanTables.
func (s *Store) ScanRows(workers int, fn func(worker int, table byte, key, value []byte) error) error {
	return s.ScanTables(workers, 0, 255, fn)
}

// ScanTables calls fn for every row of the tables from to to, both included, as
// of one marker: the one Marker returns, as long as nothing was published. The
// work is shared by workers goroutines, also within one table. Each of them
// sees its rows in ascending order, and key and value only during the call. The
// first error ends the scan.
func (s *Store) ScanTables(workers int, from, to byte, fn func(worker int, table byte, key, value []byte) error) error {
	return damaged(scanRows(s.db, workers, rowBounds(from, to), fn))
}

// ScanPrefix calls fn as ScanTables does with one worker, for the rows of a
// table whose key begins with prefix.
func (s *Store) ScanPrefix(table byte, prefix []byte, fn func(key, value []byte) error) error {
	bounds := &pebble.IterOptions{LowerBound: appendRowKey(nil, table, prefix)}
	bounds.UpperBound = bytes.Clone(bounds.LowerBound)
	for i := len(bounds.UpperBound) - 1; i >= 0; i-- { // the next key that is no longer
		if bounds.UpperBound[i]++; bounds.UpperBound[i] != 0 {
			break
		}
	}
	return damaged(scanRows(s.db, 1, bounds, func(_ int, _ byte, key, value []byte) error { return fn(key, value) }))
}

func scanRows(db *pebble.DB, workers int, bounds *pebble.IterOptions,
	fn func(worker int, table byte, key, value []byte) error) error {
	cuts, err := splitPoints(db, bounds, workers)
	if err != nil {
		return err
	}
	base, err := db.NewIter(bounds)
	if err != nil {
		return err
	}
	var next atomic.Int64
	var stop atomic.Bool
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		// Clones see what base sees.
		it, err := base.Clone(pebble.CloneOptions{})
		if err != nil {
			errs[w] = err
			break
		}
		wg.Go(func() {
			errs[w] = func() error {
				for !stop.Load() {
					i := int(next.Add(1)) - 1
					if i > len(cuts) {
						return nil
					}
					lo, hi := bounds.LowerBound, bounds.UpperBound
					if i > 0 {
						lo = cuts[i-1]
					}
					if i < len(cuts) {
						hi = cuts[i]
					}
					it.SetBounds(lo, hi)
					for ok := it.First(); ok; ok = it.Next() {
						k := it.Key()
						if len(k) < 2 {
							return corruptf("row key of %d bytes", len(k))
						}
						v, err := it.ValueAndErr()
						if err != nil {
							return err
						}
						if err := fn(w, k[1], k[2:], v); err != nil {
							return err
						}
					}
					if err := it.Error(); err != nil {
						return err
					}
				}
				return nil
			}()
			if err := it.Close(); errs[w] == nil {
				errs[w] = err
			}
			if errs[w] != nil {
				stop.Store(true)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(append(errs, base.Close())...); err != nil {
		return fmt.Errorf("scan of the rows: %w", err)
	}
	return nil
}

// smallPiece is what is not worth being cut, in bytes.
const smallPiece = 64 << 10

// splitPoints cuts the rows within bounds into pieces of about equal size, many
// more than workers: it halves the largest piece, by keys that are really there,
// until there are enough. Sizes are what Pebble's index says. That counts whole
// blocks of every table that a piece touches, so a piece need not get smaller
// from being cut; the number of pieces ends it.
func splitPoints(db *pebble.DB, bounds *pebble.IterOptions, workers int) (cuts [][]byte, err error) {
	if workers < 2 {
		return nil, nil
	}
	it, err := db.NewIter(bounds)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	type piece struct {
		first, last []byte // keys of rows
		size        uint64
	}
	var pieces []piece
	add := func(lo, hi []byte) error {
		if !it.SeekGE(lo) || bytes.Compare(it.Key(), hi) >= 0 {
			return it.Error()
		}
		p := piece{first: bytes.Clone(it.Key())}
		if !it.SeekLT(hi) {
			return it.Error()
		}
		p.last = bytes.Clone(it.Key())
		if !bytes.Equal(p.first, p.last) {
			var err error
			if p.size, err = db.EstimateDiskUsage(p.first, p.last); err != nil {
				return err
			}
		}
		pieces = append(pieces, p)
		return nil
	}
	if err := add(bounds.LowerBound, bounds.UpperBound); err != nil {
		return nil, err
	}
	for len(pieces) > 0 && len(pieces) < 64*workers {
		largest := 0
		for i := range pieces {
			if pieces[i].size > pieces[largest].size {
				largest = i
			}
		}
		p := pieces[largest]
		if p.size <= smallPiece {
			break
		}
		pieces = slices.Delete(pieces, largest, largest+1)
		mid := between(p.first, p.last)
		if bytes.Compare(mid, p.first) <= 0 || bytes.Compare(mid, p.last) > 0 {
			mid = p.last
		}
		if err := errors.Join(add(p.first, mid), add(mid, append(p.last, 0))); err != nil {
			return nil, err
		}
		cuts = append(cuts, mid)
	}
	slices.SortFunc(cuts, bytes.Compare)
	return cuts, nil
}

// between is a key about half-way from lo to hi, lo < hi, as if keys were
// numbers. It may be lo, or a little more than hi, if there is nothing between.
func between(lo, hi []byte) []byte {
	p := 0
	for p < len(lo) && p < len(hi) && lo[p] == hi[p] {
		p++
	}
	var a, b [8]byte
	copy(a[:], lo[p:])
	copy(b[:], hi[p:])
	x, y := binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:])
	return binary.BigEndian.AppendUint64(bytes.Clone(lo[:p]), x+(y-x)/2)
}

// Row is the latest published value of a row: of the records that are not yet
// folded, else from Pebble. The value is the caller's.
func (s *Store) Row(table byte, key []byte) (value []byte, ok bool, err error) {
	var buf [128]byte
	k := appendRowKey(buf[:0], table, key)
	if im, ok := s.overlay.get(k[1:], s.published.Load()); ok {
		if im.value == nil {
			return nil, false, nil
		}
		return append([]byte{}, im.value...), true, nil
	}
	v, closer, err := s.db.Get(k)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("row of table %d: %w", table, err)
	}
	return append([]byte{}, v...), true, closer.Close()
}
