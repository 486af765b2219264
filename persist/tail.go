package persist

// This file owns walking the log and judging what it says.

import (
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Reading and checking the log, on a running store or one opened read-only.

func logBounds(from uint64) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: logKey(from), UpperBound: []byte{logPrefix + 1}}
}

// readRecord reads the one record of a sequence; ok is false if there is none.
func readRecord(r pebble.Reader, seq uint64) (rec Record, ok bool, err error) {
	v, closer, err := r.Get(logKey(seq))
	if err == pebble.ErrNotFound {
		return rec, false, nil
	}
	if err != nil {
		return rec, false, fmt.Errorf("log record %d: %w", seq, err)
	}
	raw := append([]byte(nil), v...)
	if err := closer.Close(); err != nil {
		return rec, false, err
	}
	rec, err = decodeRecord(raw)
	if err == nil && rec.Seq != seq {
		err = corruptf("the log record at %d says it is %d", seq, rec.Seq)
	}
	if err != nil {
		return rec, false, fmt.Errorf("log record %d: %w", seq, err)
	}
	return rec, true, nil
}

// lastSeq is the sequence of the last log record, 0 if there is none.
func lastSeq(r pebble.Reader) (uint64, error) {
	it, err := r.NewIter(logBounds(0))
	if err != nil {
		return 0, err
	}
	var seq uint64
	if it.Last() {
		if k := it.Key(); len(k) == 9 {
			seq = binary.BigEndian.Uint64(k[1:])
		} else {
			err = corruptf("log key of %d bytes", len(k))
		}
	}
	if cerr := it.Close(); err == nil {
		err = cerr
	}
	return seq, err
}

// walkLog reads records after+1 to last in order and checks each one: by
// decode itself, then its number, its instant, and that it holds the hash of the
// one before, starting with after's. If last is not there it is an error. fn may be nil; it
// may keep records only if own is set, else their bytes are reused.
func walkLog(r pebble.Reader, after Position, last uint64, decode func(raw []byte) (Record, error), own bool,
	fn func(Record) error) (end Position, err error) {
	end = after
	if last <= after.Seq {
		return end, nil
	}
	it, err := r.NewIter(logBounds(after.Seq + 1))
	if err != nil {
		return end, err
	}
	defer func() {
		if cerr := it.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("log after record %d: %w", end.Seq, cerr)
		}
	}()
	for ok := it.First(); ok && end.Seq < last; ok = it.Next() {
		k := it.Key()
		if len(k) != 9 {
			return end, corruptf("log key of %d bytes after record %d", len(k), end.Seq)
		}
		if seq := binary.BigEndian.Uint64(k[1:]); seq != end.Seq+1 {
			return end, corruptf("log record %d is missing, the next one is %d", end.Seq+1, seq)
		}
		raw, err := it.ValueAndErr()
		if err != nil {
			return end, fmt.Errorf("log record %d: %w", end.Seq+1, err)
		}
		if own {
			raw = append([]byte(nil), raw...)
		}
		rec, err := decode(raw)
		if err != nil {
			return end, fmt.Errorf("log record %d: %w", end.Seq+1, err)
		}
		if err := follows(rec, end); err != nil {
			return end, err
		}
		if fn != nil {
			if err := fn(rec); err != nil {
				return end, err
			}
		}
		end = rec.Position
	}
	if err := it.Error(); err != nil {
		return end, fmt.Errorf("log after record %d: %w", end.Seq, err)
	}
	if end.Seq != last {
		return end, corruptf("the log ends at record %d, record %d is expected", end.Seq, last)
	}
	return end, nil
}

// follows checks that rec is the next record after prev.
func follows(rec Record, prev Position) error {
	switch {
	case rec.Seq != prev.Seq+1:
		return corruptf("the log record at %d says it is %d", prev.Seq+1, rec.Seq)
	case rec.Prev != prev.Hash:
		return corruptf("broken chain: log record %d follows a record with hash %v, record %d has %v",
			rec.Seq, rec.Prev, prev.Seq, prev.Hash)
	case rec.At < prev.At:
		return corruptf("log record %d is older (%d) than the one before (%d)", rec.Seq, rec.At, prev.At)
	}
	return nil
}

// extent is what a directory holds: from where the log is kept, how far it is
// folded, where it ends.
type extent struct {
	marker Marker
	last   uint64
}

// beforeKept is the position before the first kept record. Its instant and
// state hash are not known any more.
func (m Marker) beforeKept() Position {
	return Position{Seq: m.FirstKept - 1, Hash: m.HashBeforeFirstKept}
}

// examine reads the marker and the end of the log and compares them with HEAD,
// without reading the log between.
func examine(r pebble.Reader, h head) (extent, error) {
	var x extent
	var err error
	if x.marker, err = readMarker(r); err != nil {
		return x, err
	}
	if x.last, err = lastSeq(r); err != nil {
		return x, err
	}
	m := x.marker
	if h.Seq > max(x.last, m.Seq) {
		return x, shortLog(h, max(x.last, m.Seq))
	}
	if m.Seq > x.last {
		return x, corruptf("the rows are folded up to record %d, but the log ends at record %d", m.Seq, x.last)
	}
	if m.FirstKept == 0 || m.FirstKept > max(m.Seq, 1) {
		return x, corruptf("the marker keeps the log from record %d on and is at record %d", m.FirstKept, m.Seq)
	}
	if h.Seq >= m.FirstKept {
		rec, ok, err := readRecord(r, h.Seq)
		if err != nil {
			return x, err
		}
		if !ok {
			return x, corruptf("log record %d, which the head file names, is missing", h.Seq)
		}
		if rec.Hash != h.Hash {
			return x, fmt.Errorf("%w: %w: log record %d has hash %v, the head file says %v: the log is not the one "+
				"this head file belongs to; %s",
				ErrCorrupt, ErrShortLog, h.Seq, rec.Hash, h.Hash, advice)
		}
	}
	return x, nil
}

const advice = "nothing was changed: run `holdfast verify` for what is readable, and restore a backup with " +
	"`holdfast restore`"

func shortLog(h head, last uint64) error {
	return fmt.Errorf("%w: %w: the log ends at record %d, but record %d was synced: %d records are lost; %s",
		ErrCorrupt, ErrShortLog, last, h.Seq, h.Seq-last, advice)
}
