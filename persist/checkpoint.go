package persist

// This file owns backups of a running store.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// stagePrefix begins the names of directories inside of the store's in which a
// backup is put together from links. Open removes what is left of them.
const stagePrefix = "checkpoint-"

// dropStages removes what is left in a store's directory of backups that were cut short.
func dropStages(f vfs.FS, dir string) error {
	names, err := f.List(dir)
	for _, n := range names {
		if strings.HasPrefix(n, stagePrefix) {
			err = errors.Join(err, f.RemoveAll(f.PathJoin(dir, n)))
		}
	}
	return err
}

// Backup says what a backup holds: everything up to End.
type Backup struct {
	End         Position
	Source      Position // where the log of the source ended, of what Restore made
	Unmarked    []error  // of what Restore made: why not all behind the point could be read for Mark
	Marker      Marker
	Incarnation uint64
	Files       int
	Bytes       int64
}

// Progress is called with how many bytes of a copy are done; total is an
// estimate and may be 0. It may be nil.
type Progress func(done, total int64)

// Checkpoint makes a backup of the running store in dir, which must not exist
// or be empty: a directory that can be opened as it is. Commits continue. The
// backup holds at least what was durable when Checkpoint was called, and only
// what the live log has synced. The bytes are copied, not linked, and the copy
// is read back in full before its head file is written, last: a backup without
// one is not done, and Open refuses it. One at a time.
func (s *Store) Checkpoint(ctx context.Context, dir string, progress Progress) (Backup, error) {
	var b Backup
	from, own := s.End(), !isThere(s.fs, dir)
	err := s.staged(ctx, func(stage string) (err error) {
		made, err := copyStore(ctx, s.fs, stage, dir, progress)
		if err == nil {
			b, err = seal(ctx, s.o, s.fs, dir, *s.form.Load(), nil, s.between(from))
		}
		if err != nil && made {
			err = errors.Join(err, clearDir(s.fs, dir, own))
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("backup to %s: %w", dir, err)
	}
	return b, err
}

// WriteCheckpoint writes a backup of the running store to w, as a tar archive
// compressed with zstd that Restore reads. It holds the same as a backup of
// Checkpoint; the files are read back before they are written.
func (s *Store) WriteCheckpoint(ctx context.Context, w io.Writer, progress Progress) (b Backup, err error) {
	err = s.SendCheckpoint(ctx, func(made Backup, archive func(io.Writer, Progress) error) error {
		b = made
		return archive(w, progress)
	})
	return b, err
}

// SendCheckpoint is WriteCheckpoint for a caller that wants to know what the
// backup holds before its first byte: send is called once, and calls archive to
// write it.
func (s *Store) SendCheckpoint(ctx context.Context,
	send func(b Backup, archive func(io.Writer, Progress) error) error) error {
	from := s.End()
	err := s.staged(ctx, func(stage string) error {
		b, err := seal(ctx, s.o, s.fs, stage, *s.form.Load(), nil, s.between(from))
		if err != nil {
			return err
		}
		return send(b, func(w io.Writer,
			progress Progress) error {
			return WriteArchive(ctx, w, s.fs, stage, progress)
		})
	})
	if err != nil {
		err = fmt.Errorf("backup: %w", err)
	}
	return err
}

// staged links the files of the store as they are at one moment into a
// directory and calls fn with it, when every record in it is synced. It removes
// the directory afterwards.
func (s *Store) staged(ctx context.Context, fn func(stage string) error) (err error) {
	if err := s.fuse.failed(); err != nil {
		return err
	}
	if s.closed.Load() {
		return ErrClosed
	}
	select {
	case s.staging <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.staging }()
	s.stages++
	stage := s.fs.PathJoin(s.o.Dir, fmt.Sprintf("%s%d", stagePrefix, s.stages))
	defer func() { err = errors.Join(err, s.fs.RemoveAll(stage)) }()
	if err := s.fuse.guard(func() error { return s.db.Checkpoint(stage) }); err != nil {
		return err
	}
	// The copied write-ahead log may hold a record whose sync is under way.
	if err := s.durable(ctx, s.attempted.Load()); err != nil {
		return err
	}
	return fn(stage)
}

// durable waits until the log is synced up to seq.
func (s *Store) durable(ctx context.Context, seq uint64) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for s.End().Seq < seq {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.fuse.dead:
			return s.fuse.failed()
		}
	}
	return nil
}

// between checks that a backup ends no earlier than from, and no later than the
// live log.
func (s *Store) between(from Position) func(Position) error {
	return func(end Position) error {
		if live := s.End(); end.Seq < from.Seq || end.Seq > live.Seq {
			return corruptf("the backup ends at record %d, the live log went from %d to %d", end.Seq, from.Seq,
				live.Seq)
		}
		return nil
	}
}

// copyStore copies the files of a store, except for the head file and the lock,
// into dir, which it makes. It says whether anything was made.
func copyStore(ctx context.Context, f vfs.FS, from, dir string, progress Progress) (made bool, err error) {
	if err := emptyTarget(f, dir); err != nil {
		return false, err
	}
	names, total, err := storeFiles(f, from)
	if err != nil {
		return false, err
	}
	if err := makeDir(f, dir); err != nil {
		return true, err
	}
	var done int64
	for _, n := range names {
		err := copyFile(f, f.PathJoin(from, n), f.PathJoin(dir, n), func(n int) error {
			done += int64(n)
			if progress != nil {
				progress(done, total)
			}
			return ctx.Err()
		})
		if err != nil {
			return true, fmt.Errorf("copy %s: %w", n, err)
		}
	}
	return true, syncDir(f, dir)
}

// clearDir removes what a copy that failed has left, and the directory, if it
// is the copy's own: it was not there before.
func clearDir(f vfs.FS, dir string, own bool) error {
	names, err := list(f, dir)
	for _, n := range names {
		err = errors.Join(err, f.RemoveAll(f.PathJoin(dir, n)))
	}
	if own && err == nil && isThere(f, dir) {
		err = f.Remove(dir)
	}
	return err
}

func isThere(f vfs.FS, name string) bool {
	_, err := f.Stat(name)
	return err == nil
}

// emptyTarget refuses a directory in which there is anything.
func emptyTarget(f vfs.FS, dir string) error {
	names, err := list(f, dir)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		return fmt.Errorf("%w: %s", ErrNotEmpty, dir)
	}
	return nil
}

// storeFiles lists what belongs to a store and is copied: all but the head file
// and the lock, sorted, with the sum of their sizes.
func storeFiles(f vfs.FS, dir string) (names []string, total int64, err error) {
	all, err := f.List(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, n := range all {
		if n == headName || n == lockName || strings.HasPrefix(n, headName+".") || strings.HasPrefix(n, stagePrefix) {
			continue
		}
		st, err := f.Stat(f.PathJoin(dir, n))
		if err != nil {
			return nil, 0, err
		}
		if st.Mode().IsRegular() { // no directory, and no socket that a process has left there
			names = append(names, n)
			total += st.Size()
		}
	}
	slices.Sort(names)
	return names, total, nil
}

// seal reads a copied store in full, with its chain and every row, and then
// gives it a head file of its own. in is the form of what it was copied from.
// With sum, the state hash of the rows is compared. It ends with ctx.
func seal(ctx context.Context, o Options, f privateFS, dir string, in form, sum RowHash,
	check func(end Position) error) (Backup, error) {
	var b Backup
	o.Dir = dir
	fu := newFuse()
	ending := newPrivateFS(endingFS{f, ctx})
	db, err := openPebble(o, ending, nil, fu, true)
	var rep Report
	if err == nil {
		rep.Tables = map[byte]TableReport{}
		err = errors.Join(verifyDB(db, ending, dir, head{}, comparison{hash: sum}, &rep), db.Close())
	}
	if ctx.Err() != nil {
		return b, ctx.Err() // what was not read to its end is not damaged
	}
	if err == nil {
		err = check(rep.End)
	}
	if err != nil {
		return b, err
	}
	names, total, err := storeFiles(f, dir)
	if err != nil {
		return b, err
	}
	b = Backup{End: rep.End, Marker: rep.Marker, Files: len(names) + 1, Bytes: total + 2*slotSize}
	b.Incarnation, err = createHead(f, dir, rep.End, in.at(rep.End.Seq))
	return b, err
}
