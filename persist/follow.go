package persist

// This file owns reading records back, in order at a start and by sequence, and waiting until one is published.

import (
	"fmt"
	"sync"
)

// Tail calls fn for each record after the marker, in order; they were checked when the store was opened. Then it waits
// for the check of the kept log before the marker, which runs meanwhile: only when Tail returns nil was every kept
// record read and found in order. Records may be kept. Call it before the first Published.
func (s *Store) Tail(fn func(Record) error) error {
	m, end := s.Marker(), s.End()
	for seq := m.Seq + 1; seq <= end.Seq; seq++ {
		r, ok := s.overlay.record(seq)
		if !ok {
			return fmt.Errorf("record %d: Tail was called after Published", seq)
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	<-s.checked
	return s.checkErr
}

// Record is the published record of a sequence, checked on its own. It returns
// ErrPruned for one that is no longer kept, ErrNotPublished for one to come.
func (s *Store) Record(seq uint64) (Record, error) {
	if last := s.published.Load(); seq > last {
		return Record{}, fmt.Errorf("%w: %d, the last one is %d", ErrNotPublished, seq, last)
	}
	if r, ok := s.overlay.record(seq); ok {
		return r, nil
	}
	if s.closed.Load() {
		return Record{}, ErrClosed
	}
	if seq >= s.Marker().FirstKept {
		r, ok, err := readRecord(s.db, seq)
		if err != nil || ok {
			return r, err
		}
	}
	// Perhaps deleted between the two looks.
	if first := s.Marker().FirstKept; seq < first {
		return Record{}, fmt.Errorf("%w: %d, the first one kept is %d", ErrPruned, seq, first)
	}
	return Record{}, corruptf("log record %d is missing", seq)
}

// Wake returns a channel that is closed once seq is published, or the store is
// closed.
func (s *Store) Wake(seq uint64) <-chan struct{} { return s.wakers.add(seq, s) }

// wakers are the channels of callers that wait for a sequence to be published.
type wakers struct {
	mu      sync.Mutex
	waiting map[uint64]chan struct{}
}

func (w *wakers) add(seq uint64, s *Store) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	// Published stores the sequence before it takes the lock.
	if s.published.Load() >= seq || s.closed.Load() {
		return closedChan
	}
	c := w.waiting[seq]
	if c == nil {
		c = make(chan struct{})
		if w.waiting == nil {
			w.waiting = make(map[uint64]chan struct{})
		}
		w.waiting[seq] = c
	}
	return c
}

var closedChan = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (w *wakers) wake(published uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for seq, c := range w.waiting {
		if seq <= published {
			close(c)
			delete(w.waiting, seq)
		}
	}
}

func (w *wakers) all() { w.wake(^uint64(0)) }
