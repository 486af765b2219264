package persist

// This file owns undoing records from the fold back to a point.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// undoBatch is how many bytes of rows are undone in one batch, at least.
const undoBatch = 4 << 20

// BadTargetError is ErrBadTarget, and says from where to where the kept log goes.
type BadTargetError struct{ First, End Position }

func (e *BadTargetError) Error() string {
	return fmt.Sprintf("%v: the kept log goes from record %d (%s) to %d (%s)", ErrBadTarget, e.First.Seq,
		when(e.First.At), e.End.Seq, when(e.End.At))
}

func (e *BadTargetError) Unwrap() error { return ErrBadTarget }

// before says whether a record was written before another one, which may be of a log that this one was put back from.
func (p Position) before(q Position) bool {
	return cmp.Or(cmp.Compare(p.At, q.At), cmp.Compare(p.Seq, q.Seq)) < 0
}

// locate reads the whole kept log, checks its chain, and finds the point; it calls pass with each record. Before the
// first record there is nothing. A caller that wants that must give the sequence 0, as such an early instant is likely
// a mistake.
func locate(db *pebble.DB, x extent, at Point, pass func(Record)) (target, end Position, err error) {
	m := x.marker
	var first Position
	found := m.FirstKept == 1 && (at.kind == 0 || at.kind == 's' && at.seq == 0)
	look := func(r Record) error {
		if first.Seq == 0 {
			first = r.Position
		}
		end = r.Position
		pass(r)
		switch at.kind {
		case 's':
			if r.Seq == at.seq {
				target, found = r.Position, true
			}
		case 'i':
			if r.At <= at.at {
				target, found = r.Position, true
			}
		default:
			target, found = r.Position, true
		}
		return nil
	}
	if err := checkKept(db, m, decodeRecord, look); err != nil {
		return target, end, err
	}
	if _, err := walkLog(db, m.Position, x.last, decodeRecord, false, look); err != nil {
		return target, end, err
	}
	if !found {
		return target, end, &BadTargetError{First: first, End: end}
	}
	return target, end, nil
}

// undo takes the rows back to the target, if they are folded past it, and drops the records after it. It may be
// repeated after a crash.
func undo(db *pebble.DB, x extent, target Position) error {
	if target.Seq < x.marker.Seq {
		if err := undoRows(db, x.marker, target); err != nil {
			return err
		}
	}
	return db.DeleteRange(logKey(target.Seq+1), []byte{logPrefix + 1}, pebble.Sync)
}

// undoRows walks the records from the marker back to the target and sets each
// row to what it was before, when it is what the record says it was after. The
// chain up to the marker was checked. Each batch ends at a record and moves the
// marker there.
func undoRows(db *pebble.DB, m Marker, target Position) (err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: logKey(target.Seq), UpperBound: logKey(m.Seq + 1)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()

	rows := map[string][]byte{} // undone, not yet written
	size := 0
	flush := func(p Position) error {
		b := db.NewBatch()
		defer b.Close()
		for k, v := range rows {
			key := append([]byte{rowPrefix}, k...)
			var err error
			if v == nil {
				err = b.Delete(key, nil)
			} else {
				err = b.Set(key, v, nil)
			}
			if err != nil {
				return err
			}
		}
		m.Position = p
		if err := b.Set(markerKey, m.encode(), nil); err != nil {
			return err
		}
		clear(rows)
		size = 0
		return db.Apply(b, pebble.Sync)
	}

	// The record read is the one before those undone.
	for ok := it.Last(); ok; ok = it.Prev() {
		v, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		rec, err := decodeRecord(append([]byte(nil), v...))
		if err != nil {
			return err
		}
		if size >= undoBatch || rec.Seq == target.Seq {
			if err := flush(rec.Position); err != nil {
				return err
			}
		}
		if rec.Seq == target.Seq {
			return nil
		}
		changes := make([]Change, 0, rec.Len())
		for c := range rec.Changes() {
			changes = append(changes, c)
		}
		for i := len(changes) - 1; i >= 0; i-- {
			c := changes[i]
			now, pending := rows[text(c.row)]
			if !pending {
				if now, err = getRow(db, c.row); err != nil {
					return err
				}
			}
			if (now == nil) != (c.After == nil) || !bytes.Equal(now, c.After) {
				return corruptf("row %x of table %d is not what log record %d left", c.Key, c.Table, rec.Seq)
			}
			rows[text(c.row)] = c.Before
			size += len(c.row) + len(c.Before)
		}
	}
	if err := it.Error(); err != nil {
		return err
	}
	if target.Seq != 0 {
		return corruptf("log record %d is missing", target.Seq)
	}
	return flush(Position{})
}

// getRow is the value of a row (table and key), nil if there is none.
func getRow(db *pebble.DB, row []byte) ([]byte, error) {
	v, closer, err := db.Get(append([]byte{rowPrefix}, row...))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return append([]byte{}, v...), closer.Close()
}
