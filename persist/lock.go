package persist

// This file owns the lock of a directory: one process at a time has it open.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockDir takes the lock of a directory, and makes its file where there is none.
func lockDir(f privateFS, dir string) (*pebble.Lock, error) {
	l, err := pebble.LockDirectory(dir, f)
	if err == nil {
		return l, nil
	}
	var errno syscall.Errno
	var path *os.PathError
	if !errors.As(err, &path) && (errors.As(err, &errno) || strings.Contains(err.Error(), "lock held")) {
		return nil, fmt.Errorf("%w: another process, or this one, has %s open; stop it", ErrLocked, dir)
	}
	return nil, fmt.Errorf("lock: %w", err)
}

// lockToRead takes the lock of a directory that is only read. If its file cannot be written, a lock for readers is
// enough: a process that has the directory open holds a lock that excludes it.
func lockToRead(f privateFS, dir string) (*pebble.Lock, error) {
	l, err := lockDir(f, dir)
	if f.onDisk && (errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)) {
		return lockDir(privateFS{FS: readersLock{f}}, dir)
	}
	return l, err
}

// readersLock is a file system whose locks are those of readers.
type readersLock struct{ vfs.FS }

func (readersLock) Lock(name string) (io.Closer, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) { // no process has the directory open, and none that only reads it makes the file
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	whole := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &whole); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
