package main

// This file owns the copies that commands make in the directory for temporary files, and what is left of them there.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"holdfast/persist"
)

// withCopy gives fn a checked copy of a directory or of a backup, and removes it afterwards. It lies in the directory
// for temporary files.
func withCopy(ctx context.Context, from source, o persist.RestoreOptions, fn func(dir string) error) (err error) {
	dir, lock, err := newScratch()
	if err != nil {
		return err
	}
	// Below it, so that what a killed process leaves is no directory that passes as a backup.
	o.To = filepath.Join(dir, "copy")
	defer func() {
		if err != nil {
			err = copyError{err, o.To, from.name}
		}
		err = errors.Join(err, os.RemoveAll(dir), lock.Close())
	}()
	if _, err := from.restore(ctx, o); err != nil {
		return err
	}
	return fn(o.To)
}

// copyError is an error about a copy, which names what was copied: the copy is gone when the error is read. An error of
// the disk that the copy lies on names that.
type copyError struct {
	error
	copy, of string
}

func (e copyError) Error() string {
	text := strings.TrimPrefix(e.error.Error(), "restore to "+e.copy+": ")
	var file *fs.PathError
	switch {
	case errors.Is(e.error, fs.ErrNotExist): // it was not there to be copied
	case errors.As(e.error, &file) && within(file.Path, e.copy):
		return text
	case errors.Is(e.error, persist.ErrDiskFull), errors.Is(e.error, syscall.ENOSPC): // Pebble's may name no file
		return "copy to " + e.copy + ": " + text
	}
	return strings.ReplaceAll(text, e.copy, e.of)
}

func (e copyError) Unwrap() error { return e.error }

const scratchPattern = "holdfast-copy-*"

// newScratch makes a directory that is this process's own as long as the lock is open. It removes those of processes
// that were killed: each is as large as the data.
func newScratch() (dir string, lock *os.File, err error) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchPattern)) // the pattern is well formed
	for _, name := range left {
		if l, err := lockScratch(name); err == nil {
			os.RemoveAll(name) // it is tried again by the next
			l.Close()
		}
	}
	for range 10 {
		if dir, err = os.MkdirTemp("", scratchPattern); err != nil {
			return "", nil, err
		}
		lock, err = lockScratch(dir)
		if err == nil {
			return dir, lock, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, errors.Join(err, os.Remove(dir))
		}
		// Another process took it for one that was left, before it was locked.
	}
	return "", nil, fmt.Errorf("no directory in %s stays: %w", os.TempDir(), err)
}

// lockScratch locks a directory that no process has locked. It follows no link.
func lockScratch(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
	}
	// Between the two it may have been removed.
	if _, err := os.Lstat(name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
