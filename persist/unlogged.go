package persist

// This file owns values beside the log: counters that no state depends on. They
// are in no record, no row and no hash, and not undone by a restore to a point.

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Pair is a key and its value.
type Pair struct{ Key, Value []byte }

// SetUnlogged writes values beside the log, in one batch. It waits for no sync:
// a crash of the machine may forget what was written since the last commit.
func (s *Store) SetUnlogged(pairs []Pair) error {
	switch {
	case s.closed.Load():
		return ErrClosed
	case s.o.ReadOnly:
		return ErrReadOnly
	}
	b := s.db.NewBatch()
	defer b.Close()
	for _, p := range pairs {
		if err := b.Set(append([]byte{unloggedPrefix}, p.Key...), p.Value, nil); err != nil {
			return err
		}
	}
	if err := s.guarded(func() error { return s.db.Apply(b, pebble.NoSync) }); err != nil {
		return fmt.Errorf("values beside the log: %w", err)
	}
	return nil
}

// ScanUnlogged calls fn for every value beside the log, in the order of the keys. Key
// and value are good during the call only.
func (s *Store) ScanUnlogged(fn func(key, value []byte) error) error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{unloggedPrefix},
		UpperBound: []byte{unloggedPrefix + 1}})
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err == nil {
			err = fn(it.Key()[1:], v)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return damaged(errors.Join(it.Error(), it.Close()))
}
