package persist

// This file owns what can go wrong, as values.

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// What can go wrong, as values for errors.Is. The error returned always says
// more: which file or sequence, what was expected and what was found.
var (
	// ErrFailed: the storage failed earlier; no commit is taken any more.
	// What was published stays readable. Only a restart recovers.
	ErrFailed = errors.New("storage failed")

	// ErrOutcomeUnknown: the storage failed while this commit was under way.
	// After a restart the group is there as a whole or not at all. An error
	// that is ErrOutcomeUnknown is ErrFailed too.
	ErrOutcomeUnknown = errors.New("outcome unknown")

	// ErrDiskFull: the storage failed for want of room. It is ErrFailed too,
	// if the store was open before.
	ErrDiskFull = errors.New("the disk is full")

	// ErrClosed: the store was closed.
	ErrClosed = errors.New("store is closed")

	// ErrReadOnly: the store was opened for reading only.
	ErrReadOnly = errors.New("store is open for reading only")

	// ErrOrder: a commit came with a sequence or an instant that does not
	// follow the last one. Nothing was written.
	ErrOrder = errors.New("commit out of order")

	// ErrTooLarge: a group is over MaxGroup bytes. Nothing was written.
	ErrTooLarge = errors.New("group too large")

	// ErrCorrupt: what is on disk is not what was written.
	ErrCorrupt = errors.New("data directory is damaged")

	// ErrShortLog: the log ends before the place the head file names, or
	// holds another record there. It is ErrCorrupt too.
	ErrShortLog = errors.New("log is shorter than the head file says")

	// ErrHeadLost: there is a log, but no readable head file. It is
	// ErrCorrupt too.
	ErrHeadLost = errors.New("head file is missing or unreadable")

	// ErrNewerFormat: a newer program wrote this directory.
	ErrNewerFormat = errors.New("written by a newer version")

	// ErrLocked: another process uses the directory.
	ErrLocked = errors.New("data directory is in use")

	// ErrPruned: the record asked for lies before the first kept one.
	ErrPruned = errors.New("record is no longer kept")

	// ErrNotPublished: the record asked for lies after the published end.
	ErrNotPublished = errors.New("record is not published")

	// ErrNotEmpty: a backup or a restore would write over something.
	ErrNotEmpty = errors.New("target exists and is not empty")

	// ErrNoStore: the directory holds no store.
	ErrNoStore = errors.New("no data directory here")

	// ErrBadTarget: a restore cannot reach the point asked for.
	ErrBadTarget = errors.New("point is outside of the kept log")

	// ErrEarly: the last record up to the point was written before
	// RestoreOptions.NotBefore.
	ErrEarly = errors.New("the log up to the point ends too early")
)

// corruptf makes an error that is ErrCorrupt.
func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}

// damaged makes what Pebble calls corruption ErrCorrupt, whichever of its reads found it.
func damaged(err error) error {
	if pebble.IsCorruptionError(err) && !errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}
