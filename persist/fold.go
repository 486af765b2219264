package persist

// This file owns the folder, which turns the log into rows.

import (
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// The folder waits while Pebble's L0 has this many sublevels, unless more
	// than maxUnfolded bytes of log are waiting in memory.
	maxSublevels = 16
	maxUnfolded  = 256 << 20
	throttlePoll = 50 * time.Millisecond
)

// folder follows the log and folds what is published into the rows.
func (s *Store) folder() {
	defer s.workers.Done()
	var f fold
	timer := time.NewTimer(s.o.FoldDelay)
	defer timer.Stop()
	for running := true; running; {
		select {
		case <-s.fuse.dead:
			return
		case <-s.stop:
			running = false
		case <-s.foldWake:
			timer.Reset(s.o.FoldDelay)
			select {
			case <-s.fuse.dead:
				return
			case <-s.stop:
				running = false
			case <-timer.C:
			case <-s.foldFull:
			}
		}
		if s.o.NoFold {
			continue
		}
		s.foldBusy.Store(false)
		for {
			if running && !s.throttle() {
				break
			}
			more, err := s.foldOnce(&f)
			if err != nil {
				return
			}
			if !more {
				break
			}
		}
	}
}

// throttle waits while L0 is deep. It is false when the store is closing.
func (s *Store) throttle() bool {
	for s.overlay.bytes.Load() < maxUnfolded && s.o.sublevels(s.db) >= maxSublevels {
		select {
		case <-s.stop:
			return false
		case <-s.fuse.dead:
			return false
		case <-time.After(throttlePoll):
		}
	}
	return true
}

// fold is the working memory of the folder.
type fold struct {
	recs []Record
	at   map[string]int // row -> index in last
	last []foldRow
}

type foldRow struct {
	row    []byte
	value  []byte
	exists bool // before the first of the records
}

// collect finds the last image of each row that recs change.
func (f *fold) collect() {
	if f.at == nil {
		f.at = make(map[string]int)
	}
	for _, r := range f.recs {
		for c := range r.Changes() {
			i, ok := f.at[text(c.row)]
			if !ok {
				i = len(f.last)
				f.at[text(c.row)] = i
				f.last = append(f.last, foldRow{row: c.row, exists: c.Before != nil})
			}
			f.last[i].value = c.After
		}
	}
}

// forget makes the memory empty for the next records. What was there before
// them is not what the last ones found, and these may be large.
func (f *fold) forget() {
	clear(f.recs)
	clear(f.at)
	clear(f.last)
	f.recs, f.last = f.recs[:0], f.last[:0]
}

// write puts the last images into b.
func (f *fold) write(b *pebble.Batch) {
	for _, r := range f.last {
		switch {
		case r.value != nil:
			d := b.SetDeferred(len(r.row)+1, len(r.value))
			d.Key[0] = rowPrefix
			copy(d.Key[1:], r.row)
			copy(d.Value, r.value)
			d.Finish()
		case r.exists:
			d := b.DeleteDeferred(len(r.row) + 1)
			d.Key[0] = rowPrefix
			copy(d.Key[1:], r.row)
			d.Finish()
		}
	}
}

// foldOnce folds the next published records, at most FoldBytes or one record,
// in one batch with the marker, and deletes log that need not be kept. The
// batch is not synced. It says whether there may be more to fold.
func (s *Store) foldOnce(f *fold) (more bool, err error) {
	f.recs = s.overlay.upTo(s.published.Load(), s.o.FoldBytes, f.recs)
	if len(f.recs) == 0 {
		return false, nil
	}
	f.collect()
	b := s.db.NewBatch()
	defer b.Close()
	f.write(b)

	old := s.Marker()
	m := old
	m.Position = f.recs[len(f.recs)-1].Position
	if first, before, ok := s.kept.cut(m.Seq, s.End().Seq); ok && first > m.FirstKept {
		m.FirstKept, m.HashBeforeFirstKept = first, before
		if err := b.DeleteRange(logKey(old.FirstKept), logKey(first), nil); err != nil {
			return false, err
		}
	}
	if err := b.Set(markerKey, m.encode(), nil); err != nil {
		return false, err
	}
	if err := s.guarded(func() error { return s.db.Apply(b, pebble.NoSync) }); err != nil {
		return false, err
	}
	s.marker.Store(&m)
	s.overlay.drop(f.recs)
	f.forget()
	return true, nil
}

// keptLog knows at which record the kept log may begin: it remembers one record
// in every 64th part of what is to be kept.
type keptLog struct {
	keep Keep

	mu    sync.Mutex
	ready bool // the log before the marker was read, so sizes are known
	total int64
	marks []keptMark
}

type keptMark struct {
	seq    uint64
	before Hash  // of record seq-1
	bytes  int64 // of the records before it
}

func (k *keptLog) add(r Record) {
	if k.keep.All {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.marks); n == 0 ||
		k.total-k.marks[n-1].bytes >= k.keep.Bytes/64 && r.Seq-k.marks[n-1].seq >= k.keep.Records/64 {
		k.marks = append(k.marks, keptMark{seq: r.Seq, before: r.Prev, bytes: k.total})
	}
	k.total += int64(r.Size())
}

// prepend enters what was counted of the log before.
func (k *keptLog) prepend(front *keptLog) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.marks {
		k.marks[i].bytes += front.total
	}
	k.marks = append(front.marks, k.marks...)
	k.total += front.total
	k.ready = true
}

// size is how many bytes are kept, once that is known.
func (k *keptLog) size() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.ready || len(k.marks) == 0 {
		return 0
	}
	return k.total - k.marks[0].bytes
}

// cut is the record at or before folded at which the kept log may begin.
func (k *keptLog) cut(folded, last uint64) (first uint64, before Hash, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keep.All || !k.ready {
		return 0, before, false
	}
	n := 0
	for n < len(k.marks) {
		m := k.marks[n]
		if m.seq > folded || k.total-m.bytes < k.keep.Bytes || last-m.seq+1 < k.keep.Records {
			break
		}
		n++
	}
	if n < 2 {
		return 0, before, false
	}
	k.marks = k.marks[n-1:]
	return k.marks[0].seq, k.marks[0].before, true
}
