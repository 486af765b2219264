package persist

// This file owns the stop at a failing log file, before Pebble's own answer to it ends the process.

import (
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// failStopFS is the file system Pebble gets for writing. Where writing the
// write-padded log fails, the call does not return: Pebble's answer to such an
// error may be a panic while it unlocks a mutex it does not hold (when a new log
// file cannot be made, so on any full disk), and that ends the process without
// a word. Here the fuse blows first, no lock is held, and reads go on.
//
// So it is with the file of options, which Pebble writes at the end of an
// opening: it answers an error there by closing what a goroutine that it has
// started still reads tables with, which panics.
//
// Where no more files may be open, a call waits until one is free: Pebble takes
// it for a disk that fails.
type failStopFS struct {
	privateFS
	fatal func(format string, args ...any)                      // does not return
	free  func(err error, name string, said *bool) (again bool) // waits
}

// opened calls what opens a file until there is one free for it.
func (j failStopFS) opened(name string, open func() (vfs.File, error)) (vfs.File, error) {
	said := false
	for {
		f, err := open()
		if err == nil || !j.free(err, name, &said) {
			return f, err
		}
	}
}

func (j failStopFS) check(err error, op, name string) {
	if err != nil {
		j.fatal("%s %s: %v", op, name, err)
	}
}

func isLogName(name string) bool { return strings.HasSuffix(name, ".log") }

// isDraft says whether a file is one that the options are written to before it
// gets their name.
func isDraft(name string) bool { return strings.HasSuffix(name, ".dbtmp") }

// Unwrap is part of vfs.FS.
func (j failStopFS) Unwrap() vfs.FS { return j.privateFS }

func (j failStopFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := j.opened(name, func() (vfs.File, error) { return j.privateFS.Create(name, c) })
	if isDraft(name) {
		j.check(err, "create", name)
		return failStopFile{File: f, fs: j, name: name}, nil
	}
	return j.watch(f, err, "create", name)
}

func (j failStopFS) Rename(old, name string) error {
	err := j.privateFS.Rename(old, name)
	if isDraft(old) {
		j.check(err, "rename", name)
	}
	return err
}

func (j failStopFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := j.opened(name, func() (vfs.File, error) { return j.privateFS.ReuseForWrite(old, name, c) })
	return j.watch(f, err, "reuse", name)
}

func (j failStopFS) watch(f vfs.File, err error, op, name string) (vfs.File, error) {
	if !isLogName(name) {
		return f, err
	}
	j.check(err, op, name)
	padded, err := newPaddedFile(f)
	j.check(err, "stat", name)
	return failStopFile{File: padded, fs: j, name: name}, nil
}

// Open is for reading.
func (j failStopFS) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	return j.opened(name, func() (vfs.File, error) { return j.privateFS.Open(name, o...) })
}

// OpenDir is for syncing a directory, which a new log file needs as well.
func (j failStopFS) OpenDir(name string) (vfs.File, error) {
	f, err := j.opened(name, func() (vfs.File, error) { return j.privateFS.OpenDir(name) })
	if err != nil {
		return f, err
	}
	return failStopFile{File: f, fs: j, name: name}, nil
}

type failStopFile struct {
	vfs.File
	fs   failStopFS
	name string
}

func (f failStopFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.fs.check(err, "write", f.name)
	return n, err
}

func (f failStopFile) Sync() error {
	err := f.File.Sync()
	f.fs.check(err, "sync", f.name)
	return err
}

func (f failStopFile) SyncData() error {
	err := f.File.SyncData()
	f.fs.check(err, "sync", f.name)
	return err
}

func (f failStopFile) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	f.fs.check(err, "sync", f.name)
	return full, err
}

func (f failStopFile) Stat() (vfs.FileInfo, error) {
	i, err := f.File.Stat()
	f.fs.check(err, "stat", f.name)
	return i, err
}

func (f failStopFile) Close() error {
	err := f.File.Close()
	f.fs.check(err, "close", f.name)
	return err
}
