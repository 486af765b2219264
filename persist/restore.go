package persist

// This file owns making a directory of a backup, to a point if wanted.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Point is a place in the log to restore to. The zero Point is its end.
type Point struct {
	kind byte
	seq  uint64
	at   int64
}

// AtSeq is the place after the record of that sequence.
func AtSeq(seq uint64) Point { return Point{kind: 's', seq: seq} }

// AtInstant is the place after the last record of that instant, in
// milliseconds, or before.
func AtInstant(ms int64) Point { return Point{kind: 'i', at: ms} }

// OfSequence says whether the point is one of AtSeq.
func (p Point) OfSequence() bool { return p.kind == 's' }

// RowHash is a row's part of the state hash. It may use buf, and returns what to call it with next.
type RowHash func(buf []byte, table byte, key, value []byte) (sum uint64, next []byte)

// RestoreOptions says what to restore. From or Archive, and To, are needed.
type RestoreOptions struct {
	FS      vfs.FS       // nil: the operating system's
	Logger  *slog.Logger // nil: nothing is logged
	From    string       // a backup directory, or a data directory no process has open
	Archive io.Reader    // instead of From: what WriteCheckpoint wrote
	To      string       // must not exist or be empty
	At      Point
	// NotBefore, if given: where the last record up to the point was written before that one, ErrEarly, and nothing is
	// kept.
	NotBefore Position
	// Segments go on where From or Archive ends, in order; the first may begin before that.
	Segments []SegmentFile
	// Mark, if given: what it says of changes behind the point is stored beside the log of the new store.
	Mark Mark
	// Behind are segments of the log behind the point, in any order. They are read for Mark alone: one that cannot be
	// read ends nothing, see Backup.
	Behind []SegmentFile
	// RowHash, if given: the rows that Restore made are compared with the state hash of the point.
	RowHash RowHash
	// Progress is called with the bytes copied.
	Progress Progress

	batch int // of further.go; tests make it small
}

// Restore copies a store to a new place and takes it back to a point there, as far as the kept log allows (ErrBadTarget
// otherwise): rows that are folded past the point are undone with the images the log holds, and records after it are
// dropped. It checks everything on the way: the source's head file against its log, the chain, each row against the
// record that is undone, and reads the result back in full, with the state hash of its rows. The new store gets an
// incarnation of its own, and its head file last: without one it is not done, and Open refuses it. The source is not
// changed.
func Restore(ctx context.Context, o RestoreOptions) (Backup, error) {
	b, err := restore(ctx, o)
	if err != nil {
		err = fmt.Errorf("restore to %s: %w", o.To, err)
	}
	return b, err
}

func restore(ctx context.Context, o RestoreOptions) (b Backup, err error) {
	so := Options{Dir: o.To, FS: o.FS, Logger: o.Logger}.withDefaults()
	f := newPrivateFS(so.FS)
	made, own := false, !isThere(f, o.To)
	defer func() {
		if err != nil && made {
			err = errors.Join(err, clearDir(f, o.To, own))
		}
	}()
	var h head
	if o.Archive != nil {
		made, h, err = unpack(ctx, o.Archive, f, o.To, o.Progress)
	} else {
		made, h, err = copyFrom(ctx, f, o)
	}
	if err != nil {
		return b, err
	}
	fu := newFuse()
	var end Position
	in := h.form
	marks := marks{of: o.Mark, at: o.At}
	marks.behind(ctx, o.Behind)
	err = fu.guard(func() (err error) {
		end, in, err = toPoint(ctx, so, f, fu, h, o, &marks)
		return err
	})
	if err != nil {
		if fu.abandoned() {
			made = false // something may still write there
		}
		return b, err
	}
	b, err = seal(ctx, so, f, o.To, in, o.RowHash, func(Position) error { return nil })
	b.Source, b.Unmarked = end, marks.faults
	return b, err
}

// copyFrom copies a store that no process has open.
func copyFrom(ctx context.Context, f vfs.FS, o RestoreOptions) (made bool, h head, err error) {
	names, err := list(f, o.From)
	if err != nil {
		return false, h, err
	}
	if !hasStore(names) {
		return false, h, fmt.Errorf("%w: %s", ErrNoStore, o.From)
	}
	lock, err := lockToRead(newPrivateFS(f), o.From)
	if err != nil {
		return false, h, err
	}
	defer lock.Close()
	st, err := readHead(f, o.From)
	if err != nil {
		return false, h, err
	}
	if !st.valid {
		return false, h, headLost(o.From)
	}
	made, err = copyStore(ctx, f, o.From, o.To, o.Progress)
	return made, st.head, err
}

// toPoint checks a copied store, which has no head file yet, against the head file it came with and takes it further or
// back, to the point. It returns where its log ended before that, and which form it has.
func toPoint(ctx context.Context, o Options, f privateFS, fu *fuse, h head, r RestoreOptions, marks *marks) (
	end Position, in form, err error) {
	db, err := openPebble(o, f, nil, fu, false)
	if err != nil {
		return end, in, err
	}
	err = func() error {
		x, err := examine(db, h)
		if err != nil {
			return err
		}
		in = h.form
		if len(r.Segments) > 0 {
			if x, in, err = goFurther(ctx, db, x, in, r); err != nil {
				return err
			}
		}
		var target Position
		if target, end, err = locate(db, x, r.At, marks.add); err != nil {
			return err
		}
		if target.before(r.NotBefore) {
			return fmt.Errorf("%w: it goes to record %d of %s", ErrEarly, target.Seq, when(target.At))
		}
		if err := undo(db, x, target); err != nil {
			return err
		}
		if err := marks.write(db); err != nil {
			return err
		}
		return db.Flush()
	}()
	return end, in, errors.Join(err, db.Close())
}

// when is an instant for people.
func when(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
