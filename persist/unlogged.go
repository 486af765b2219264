package persist

// This file owns values outside the log: counters, and what is to outlast a restore (marks.go). They are in no record,
// no row and no hash, and not undone by a restore to a point.

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Pair is a key and its value.
type Pair struct{ Key, Value []byte }

// SetUnlogged writes values outside the log, in one batch. They are durable when it returns: it waits for the sync, as
// Pebble keeps a batch in the process if no caller waits.
func (s *Store) SetUnlogged(pairs []Pair) error {
	switch {
	case s.closed.Load():
		return ErrClosed
	case s.o.ReadOnly:
		return ErrReadOnly
	}
	b := s.db.NewBatch()
	for _, p := range pairs {
		if err := b.Set(append([]byte{unloggedPrefix}, p.Key...), p.Value, nil); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	written := make(chan error, 1)
	go func() { // it is lost if the storage fails, as the appender is
		written <- s.guarded(func() error { return errors.Join(s.db.Apply(b, pebble.Sync), b.Close()) })
	}()
	var err error
	select {
	case err = <-written:
	case <-s.fuse.dead:
		err = s.fuse.failed()
	}
	if err != nil {
		return fmt.Errorf("values beside the log: %w", err)
	}
	return nil
}

// ScanUnlogged calls fn for every value outside the log, in the order of the keys. Key and value are good during the
// call only.
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
