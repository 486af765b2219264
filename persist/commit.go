package persist

// This file owns the one function that makes a group durable.

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Commit makes a group durable: it is the only function that does. It writes
// one record with the group's changes, the sequence (the last one plus one),
// the instant in milliseconds (not before the last one), and the engine's
// state hash after the group, and returns when the record is synced. The group
// is empty afterwards; its bytes belong to the record.
//
// ErrOrder and ErrTooLarge mean that nothing was written and the group is as
// it was. ErrOutcomeUnknown means that the storage failed meanwhile: the record
// may or may not be there after a restart, and every later call returns
// ErrFailed. Called by one goroutine at a time.
func (s *Store) Commit(g *Group, seq uint64, at int64, stateHash uint64) error {
	if err := s.fuse.failed(); err != nil {
		return err
	}
	if s.closed.Load() {
		return ErrClosed
	}
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	prev := s.end // written by this goroutine alone
	switch {
	case seq != prev.Seq+1:
		return fmt.Errorf("%w: sequence %d after %d", ErrOrder, seq, prev.Seq)
	case at < prev.At:
		return fmt.Errorf("%w: instant %d after %d", ErrOrder, at, prev.At)
	case g.Bytes() > MaxGroup:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, g.Bytes(), MaxGroup)
	}
	rec := g.seal(prev, seq, at, s.incarnation, stateHash)

	var key [9]byte
	s.batch.Reset()
	if err := s.batch.Set(appendLogKey(key[:0], seq), rec.raw, nil); err != nil {
		return fmt.Errorf("%w: %w", ErrOrder, err)
	}
	s.attempted.Store(seq)
	if err := s.sync(); err != nil {
		return fmt.Errorf("%w: record %d: %w", ErrOutcomeUnknown, seq, err)
	}

	s.mu.Lock()
	s.end = rec.Position
	s.mu.Unlock()
	s.overlay.add(rec)
	s.kept.add(rec)
	select {
	case s.headWake <- struct{}{}:
	default:
	}
	return nil
}

// sync hands the batch to the committer and waits until it is synced or the
// storage has failed, whichever comes first.
func (s *Store) sync() error {
	select {
	case s.commits <- s.batch:
	case <-s.fuse.dead:
		return s.fuse.failed()
	case <-s.stop:
		return ErrClosed
	}
	select {
	case err := <-s.done:
		return err
	case <-s.fuse.dead:
		return s.fuse.failed()
	}
}

// committer calls Pebble on behalf of Commit: its goroutine is lost if the sync
// fails, as Fatalf never returns.
func (s *Store) committer() {
	for {
		select {
		case b := <-s.commits:
			s.done <- s.apply(b, pebble.Sync)
		case <-s.stop:
			return
		case <-s.fuse.dead:
			return
		}
	}
}

// apply writes a batch. It may never return once the fuse has blown. Pebble
// panics on some errors of its write-ahead log, with locks held; it counts as a
// storage failure like any other.
func (s *Store) apply(b *pebble.Batch, o *pebble.WriteOptions) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.fuse.jam(fmt.Errorf("pebble: %v", p))
			err = s.fuse.failed()
		}
		if err != nil {
			s.fail(err)
			err = s.fuse.failed()
		}
	}()
	if err := s.fuse.failed(); err != nil {
		return err
	}
	return s.db.Apply(b, o)
}

// Published says that everything up to seq may be seen: the folder and the
// followers go that far and no further. seq must be durable and not go back.
func (s *Store) Published(seq uint64) {
	s.published.Store(seq)
	s.wakers.wake(seq)
	if s.o.NoFold || s.o.ReadOnly {
		return
	}
	if !s.foldBusy.Swap(true) {
		s.foldWake <- struct{}{}
	}
	if s.overlay.bytes.Load() >= int64(s.o.FoldBytes) {
		select {
		case s.foldFull <- struct{}{}:
		default:
		}
	}
}
