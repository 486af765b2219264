package persist

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
	return scanRows(s.db, workers, from, to, fn)
}

func scanRows(db *pebble.DB, workers int, from, to byte, fn func(worker int, table byte, key, value []byte) error) error {
	bounds := rowBounds(from, to)
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

// splitPoints cuts the rows within bounds into pieces of about equal size: at
// the ends of Pebble's tables, and between them as if keys were spread evenly
// over a table's range. There are many more pieces than workers, so it need
// not be exact.
func splitPoints(db *pebble.DB, bounds *pebble.IterOptions, workers int) ([][]byte, error) {
	if workers < 2 {
		return nil, nil
	}
	levels, err := db.SSTables()
	if err != nil {
		return nil, err
	}
	var total uint64
	for _, l := range levels {
		for _, t := range l {
			total += t.Size
		}
	}
	piece := max(total/uint64(32*workers), 64<<10)
	var cuts [][]byte
	for _, l := range levels {
		for _, t := range l {
			lo, hi := clamp(t.Smallest.UserKey, bounds), clamp(t.Largest.UserKey, bounds)
			if bytes.Compare(lo, hi) >= 0 {
				continue
			}
			n := int(min(t.Size/piece, 1024)) + 1
			cuts = append(cuts, lo)
			for i := 1; i < n; i++ {
				cuts = append(cuts, between(lo, hi, i, n))
			}
		}
	}
	return sortCuts(cuts, bounds), nil
}

func clamp(k []byte, b *pebble.IterOptions) []byte {
	if bytes.Compare(k, b.LowerBound) < 0 {
		return b.LowerBound
	}
	if bytes.Compare(k, b.UpperBound) > 0 {
		return b.UpperBound
	}
	return k
}

// between is about the i-th of n equal steps from lo to hi, lo < hi.
func between(lo, hi []byte, i, n int) []byte {
	p := 0
	for p < len(lo) && p < len(hi) && lo[p] == hi[p] {
		p++
	}
	var a, b [8]byte
	copy(a[:], lo[p:])
	copy(b[:], hi[p:])
	x, y := binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:])
	return binary.BigEndian.AppendUint64(append([]byte(nil), lo[:p]...), x+(y-x)/uint64(n)*uint64(i))
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

// sortCuts orders cuts and leaves those strictly within bounds, each once.
func sortCuts(cuts [][]byte, b *pebble.IterOptions) [][]byte {
	slices.SortFunc(cuts, bytes.Compare)
	cuts = slices.CompactFunc(cuts, bytes.Equal)
	return slices.DeleteFunc(cuts, func(k []byte) bool {
		return bytes.Compare(k, b.LowerBound) <= 0 || bytes.Compare(k, b.UpperBound) >= 0
	})
}
