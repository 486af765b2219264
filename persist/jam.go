package persist

// This file owns the stop at a failing log file, before Pebble's own answer to it ends the process.

import (
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// jamFS is the file system Pebble gets for writing. Where writing the
// write-ahead log fails, the call does not return: Pebble's answer to such an
// error may be a panic while it unlocks a mutex it does not hold (when a new log
// file cannot be made, so on any full disk), and that ends the process without
// a word. Here the fuse blows first, no lock is held, and reads go on.
//
// So it is with the file of options, which Pebble writes at the end of an
// opening: it answers an error there by closing what a goroutine that it has
// started still reads tables with, which panics.
type jamFS struct {
	privateFS
	fatal func(format string, args ...any) // does not return
}

func (j jamFS) check(err error, op, name string) {
	if err != nil {
		j.fatal("%s %s: %v", op, name, err)
	}
}

func isLogName(name string) bool { return strings.HasSuffix(name, ".log") }

// isDraft says whether a file is one that the options are written to before it
// gets their name.
func isDraft(name string) bool { return strings.HasSuffix(name, ".dbtmp") }

// Unwrap is part of vfs.FS.
func (j jamFS) Unwrap() vfs.FS { return j.privateFS }

func (j jamFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := j.privateFS.Create(name, c)
	if isDraft(name) {
		j.check(err, "create", name)
		return jamFile{File: f, fs: j, name: name}, nil
	}
	return j.watch(f, err, "create", name)
}

func (j jamFS) Rename(old, name string) error {
	err := j.privateFS.Rename(old, name)
	if isDraft(old) {
		j.check(err, "rename", name)
	}
	return err
}

func (j jamFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := j.privateFS.ReuseForWrite(old, name, c)
	return j.watch(f, err, "reuse", name)
}

func (j jamFS) watch(f vfs.File, err error, op, name string) (vfs.File, error) {
	if !isLogName(name) {
		return f, err
	}
	j.check(err, op, name)
	ahead, err := newAheadFile(f)
	j.check(err, "stat", name)
	return jamFile{File: ahead, fs: j, name: name}, nil
}

// OpenDir is for syncing a directory, which a new log file needs as well.
func (j jamFS) OpenDir(name string) (vfs.File, error) {
	f, err := j.privateFS.OpenDir(name)
	if err != nil {
		return f, err
	}
	return jamFile{File: f, fs: j, name: name}, nil
}

type jamFile struct {
	vfs.File
	fs   jamFS
	name string
}

func (f jamFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.fs.check(err, "write", f.name)
	return n, err
}

func (f jamFile) Sync() error {
	err := f.File.Sync()
	f.fs.check(err, "sync", f.name)
	return err
}

func (f jamFile) SyncData() error {
	err := f.File.SyncData()
	f.fs.check(err, "sync", f.name)
	return err
}

func (f jamFile) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	f.fs.check(err, "sync", f.name)
	return full, err
}

func (f jamFile) Stat() (vfs.FileInfo, error) {
	i, err := f.File.Stat()
	f.fs.check(err, "stat", f.name)
	return i, err
}

func (f jamFile) Close() error {
	err := f.File.Close()
	f.fs.check(err, "close", f.name)
	return err
}
