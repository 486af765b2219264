package persist

// This file owns how a group becomes durable: appended to the log, then waited
// for.

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// MaxPending is how many records may be on their way to the disk without Append waiting for the first of them.
const MaxPending = 4

// Pending is a record that was handed to the log and is not known to be synced.
type Pending struct {
	store  *Store
	rec    Record
	batch  *pebble.Batch
	synced chan error
}

// Commit makes a group durable: Append and Wait.
func (s *Store) Commit(g *Group, seq uint64, at int64, stateHash uint64) error {
	p, err := s.Append(g, seq, at, stateHash)
	if err != nil {
		return err
	}
	return p.Wait()
}

// Append hands a group to the log as one record, and does not wait for the
// disk: with the group's changes, the sequence (the last one plus one), the
// instant in milliseconds (not before the last one), and the engine's state
// hash after the group. The group is empty afterwards; its bytes belong to the
// record. Records reach the disk in the order in which they were appended, so
// that the disk has one only if it has all before it. It takes MaxPending
// records without waiting, and some more, then waits until the first is synced.
//
// ErrOrder and ErrTooLarge mean that nothing was written and the group is as
// it was, ErrFailed that the storage has failed. Called by one goroutine at a
// time.
func (s *Store) Append(g *Group, seq uint64, at int64, stateHash uint64) (*Pending, error) {
	if err := s.fuse.failed(); err != nil {
		return nil, err
	}
	if s.closed.Load() {
		return nil, ErrClosed
	}
	if s.o.ReadOnly {
		return nil, ErrReadOnly
	}
	switch {
	case seq != s.tip.Seq+1:
		return nil, fmt.Errorf("%w: sequence %d after %d", ErrOrder, seq, s.tip.Seq)
	case at < s.tip.At:
		return nil, fmt.Errorf("%w: instant %d after %d", ErrOrder, at, s.tip.At)
	case g.Bytes() > MaxGroup:
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, g.Bytes(), MaxGroup)
	}
	p := &Pending{store: s, batch: s.db.NewBatch(), synced: make(chan error, 1)}
	p.rec = g.seal(s.tip, seq, at, s.incarnation, stateHash)
	var key [9]byte
	if err := p.batch.Set(appendLogKey(key[:0], seq), p.rec.raw, nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOrder, err)
	}
	s.tip = p.rec.Position
	s.attempted.Store(seq)
	select {
	case s.appended <- p:
		return p, nil
	case <-s.fuse.dead:
		return nil, s.fuse.failed()
	case <-s.stop:
		return nil, ErrClosed
	}
}

// Wait returns when the record is synced, and only then with nil: it is the
// only function that makes a group durable. ErrOutcomeUnknown means that the
// storage failed meanwhile: the record may or may not be there after a restart,
// and every later Append returns ErrFailed. Records are waited for in the order
// in which they were appended, each once.
func (p *Pending) Wait() error {
	s := p.store
	err := error(nil)
	select {
	case err = <-p.synced:
	case <-s.fuse.dead:
		err = s.fuse.failed()
	}
	if err != nil {
		return fmt.Errorf("%w: record %d: %w", ErrOutcomeUnknown, p.rec.Seq, err)
	}
	s.mu.Lock()
	s.end = p.rec.Position
	s.mu.Unlock()
	s.overlay.add(p.rec)
	s.kept.add(p.rec)
	select {
	case s.headWake <- struct{}{}:
	default:
	}
	return nil
}

// appender calls Pebble on behalf of Append, and syncer on behalf of Wait:
// their goroutines are lost if the storage fails, as Fatalf never returns.
func (s *Store) appender() {
	for {
		select {
		case p := <-s.appended:
			if err := s.guarded(func() error { return s.db.ApplyNoSyncWait(p.batch, pebble.Sync) }); err != nil {
				p.synced <- err
				return
			}
			s.syncing <- p
		case <-s.stop:
			return
		case <-s.fuse.dead:
			return
		}
	}
}

func (s *Store) syncer() {
	for {
		select {
		case p := <-s.syncing:
			err := s.guarded(func() error { return errors.Join(p.batch.SyncWait(), p.batch.Close()) })
			p.synced <- err
			if err != nil {
				return
			}
		case <-s.stop:
			return
		case <-s.fuse.dead:
			return
		}
	}
}

// guarded calls Pebble to write. It may never return once the fuse has blown.
// Pebble panics on some errors of its write-ahead log, with locks held; it
// counts as a storage failure like any other.
func (s *Store) guarded(write func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.fuse.abandon(fmt.Errorf("pebble: %v", p))
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
	return write()
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
