package persist

// This file owns reading everything in a directory back.

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// VerifyOptions says how to verify a directory.
type VerifyOptions struct {
	FS     vfs.FS       // nil: the operating system's
	Logger *slog.Logger // nil: nothing is logged
	// Check is called with the store opened for reading only when everything
	// else was found in order: to rebuild the state and compare its hashes with
	// those of the marker and of the end.
	Check func(*Store) error
}

// Report is what Verify has looked at.
type Report struct {
	Dir         string
	Incarnation uint64
	HeadSeq     uint64 // the head file's
	Marker      Marker
	End         Position // of the last record that checks
	Records     uint64   // kept log records that check
	FirstAt     int64    // instant of the first of them
	Changes     uint64   // in them
	LogBytes    int64    // of them
	Deleted     uint64   // records before the first kept one that are still there
	Rows        uint64
	RowBytes    int64
	Tables      map[byte]TableReport
	Compared    uint64 // rows whose last image is in the kept log, and equal
	Files       int    // tables of Pebble whose every block was read
	Warnings    []string
}

// TableReport counts the rows of one table.
type TableReport struct {
	Rows  uint64
	Bytes int64 // keys and values
}

// Verify reads back everything in a directory that no process has open, and
// changes nothing in it: the head file, every block of Pebble's tables, the
// chain of the kept log, every row, that rows and log agree, and what o.Check
// adds. It continues after a fault if it can; the error joins the faults and is
// nil only if there were none. The report counts what was read either way.
func Verify(dir string, o VerifyOptions) (Report, error) {
	so := Options{Dir: dir, FS: o.FS, Logger: o.Logger, ReadOnly: true}.withDefaults()
	rep := Report{Dir: dir, Tables: map[byte]TableReport{}}
	fu := newFuse()
	err := verifyDir(so, fu, &rep)
	if err == nil && o.Check != nil {
		var s *Store
		if s, err = Open(so); err == nil {
			if err = s.Tail(func(Record) error { return nil }); err == nil {
				err = o.Check(s)
			}
			err = errors.Join(err, s.Close())
		}
	}
	if err != nil {
		err = fmt.Errorf("verify %s: %w", dir, err)
	}
	return rep, err
}

func verifyDir(o Options, fu *fuse, rep *Report) error {
	f := newPrivateFS(o.FS)
	names, err := list(f, o.Dir)
	if err != nil {
		return err
	}
	if !hasStore(names) {
		return ErrNoStore
	}
	lock, err := lockToRead(f, o.Dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	st, err := readHead(f, o.Dir)
	if err != nil {
		return err
	}
	if !st.valid {
		return headLost(o.Dir)
	}
	if st.bad > 0 {
		rep.Warnings = append(rep.Warnings, "one slot of the head file does not read; the other is used")
	}
	rep.Incarnation, rep.HeadSeq = st.Incarnation, st.Seq
	db, err := openPebble(o, f, lock, fu, true)
	if err != nil {
		if st.Seq == 0 && !slices.ContainsFunc(names, isPebbleFile) {
			rep.Warnings = append(rep.Warnings, "the directory is empty: its making was cut short")
			return nil
		}
		return err
	}
	err = verifyDB(db, f, o.Dir, st.head, comparison{images: images{}}, rep)
	return errors.Join(err, db.Close())
}

// comparison is what the rows are held against.
type comparison struct {
	// if not nil, the last images in the kept log: about 50 bytes of memory for
	// each row in it
	images images
	// if not nil, the state hash of the marker
	hash RowHash
}

// verifyDB checks what Pebble holds, and compares rows and log.
func verifyDB(db *pebble.DB, f vfs.FS, dir string, h head, c comparison, rep *Report) error {
	var faults []error
	fault := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	fault(verifyTables(db, f, dir, rep))
	x, err := examine(db, h)
	fault(err)
	rep.Marker = x.marker
	if x.marker.FirstKept == 0 {
		// No marker, no place to begin.
		return errors.Join(faults...)
	}
	err = verifyLog(db, x, c.images, rep)
	fault(err)
	if err != nil {
		c.images = nil // it does not reach up to the marker
	}
	fault(verifyRows(db, x.marker, c, rep))
	fault(verifyStrays(db, x.marker, rep))
	if len(faults) == 0 {
		fault(db.CheckLevels(nil))
	}
	return errors.Join(faults...)
}

// images holds, for rows changed in the kept log up to the marker, a hash of
// the row's name and one of its last value; 0 where it was deleted.
type images map[uint64]uint64

var imageSeed = maphash.MakeSeed()

func valueHash(v []byte) uint64 {
	if v == nil {
		return 0
	}
	return max(maphash.Bytes(imageSeed, v), 1)
}

// verifyLog reads the kept log and enters the last images up to the marker in im,
// if that is not nil.
func verifyLog(r pebble.Reader, x extent, im images, rep *Report) error {
	m := x.marker
	count := func(rec Record) error {
		if rep.Records == 0 {
			rep.FirstAt = rec.At
		}
		rep.Records++
		rep.Changes += uint64(rec.Len())
		rep.LogBytes += int64(rec.Size())
		rep.End = rec.Position
		return nil
	}
	rep.End = m.beforeKept()
	err := checkKept(r, m, decodeRecord, func(rec Record) error {
		if im != nil {
			for c := range rec.Changes() {
				im[maphash.Bytes(imageSeed, c.row)] = valueHash(c.After)
			}
		}
		return count(rec)
	})
	if err != nil {
		return err
	}
	if m.Seq > 0 {
		rep.End = m.Position
	}
	_, err = walkLog(r, m.Position, x.last, decodeRecord, false, count)
	return err
}

// verifyRows reads every row, and compares.
func verifyRows(db *pebble.DB, m Marker, c comparison, rep *Report) error {
	im := c.images
	var sum, part uint64
	var room []byte
	err := scanRows(db, 1, rowBounds(0, 255), func(_ int, table byte, key, value []byte) error {
		size := int64(1 + len(key) + len(value))
		rep.Rows++
		rep.RowBytes += size
		t := rep.Tables[table]
		t.Rows++
		t.Bytes += size
		rep.Tables[table] = t
		if c.hash != nil {
			part, room = c.hash(room, table, key, value)
			sum += part
		}
		if im != nil {
			var buf [128]byte
			name := maphash.Bytes(imageSeed, append(append(buf[:0], table), key...))
			if want, ok := im[name]; ok {
				if want != valueHash(value) {
					return corruptf("row %x of table %d is not what the log says", key, table)
				}
				delete(im, name)
				rep.Compared++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.hash != nil && sum != m.StateHash {
		return corruptf("the rows' hash is %016x, the marker at record %d says %016x", sum, m.Seq, m.StateHash)
	}
	missing := 0
	for _, v := range im {
		if v != 0 {
			missing++
		}
	}
	if missing > 0 {
		return corruptf("%d rows that the log has are missing", missing)
	}
	return nil
}

// verifyStrays looks for keys that are none of ours, and counts log records
// before the first kept one, which do no harm.
func verifyStrays(db *pebble.DB, m Marker, rep *Report) error {
	gaps := [][2][]byte{
		{nil, {logPrefix}},
		{{logPrefix + 1}, {markerPrefix}},
		{{markerPrefix, 0}, {rowPrefix}},
		{{rowPrefix + 1}, {unloggedPrefix}},
		{{unloggedPrefix + 1}, nil},
	}
	for _, g := range gaps {
		it, err := db.NewIter(&pebble.IterOptions{LowerBound: g[0], UpperBound: g[1]})
		if err != nil {
			return err
		}
		if it.First() {
			err = corruptf("unknown key %x", it.Key())
		}
		if err = errors.Join(err, it.Close()); err != nil {
			return err
		}
	}
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: logKey(0), UpperBound: logKey(m.FirstKept)})
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		rep.Deleted++
	}
	return it.Close()
}

// verifyTables reads every block of every table, also those a scan may skip.
func verifyTables(db *pebble.DB, f vfs.FS, dir string, rep *Report) error {
	levels, err := db.SSTables()
	if err != nil {
		return err
	}
	var faults []error
	for _, l := range levels {
		for _, t := range l {
			name := fmt.Sprintf("%s.sst", t.BackingSSTNum)
			if err := verifyTable(f, f.PathJoin(dir, name)); err != nil {
				faults = append(faults, corruptf("%s: %w", name, err))
				continue
			}
			rep.Files++
		}
	}
	return errors.Join(faults...)
}

func verifyTable(f vfs.FS, path string) error {
	file, err := f.Open(path)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	var o pebble.Options
	o.EnsureDefaults()
	r, err := sstable.NewReader(context.Background(), readable, o.MakeReaderOptions())
	if err != nil {
		return errors.Join(err, readable.Close())
	}
	return errors.Join(r.ValidateBlockChecksums(), r.Close())
}
