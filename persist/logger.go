package persist

// This file owns Pebble's logger, and the fuse that marks a store dead.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// fuse blows once, when the storage fails, and stays blown.
type fuse struct {
	once, stuckOnce sync.Once
	err             atomic.Pointer[error]
	opening         atomic.Bool // the error of Open reports what fails
	running         atomic.Bool // an open store is at work, and waits where no file is free
	dead            chan struct{}
	stuck           chan struct{} // a goroutine inside of Pebble is lost, perhaps with locks
	// Pebble's background writes fail again and again: a goroutine that waits for them may wait for ever
	stalled chan struct{}
}

func newFuse() *fuse {
	return &fuse{dead: make(chan struct{}), stuck: make(chan struct{}), stalled: make(chan struct{})}
}

// blow marks the storage failed. Only the first cause is kept.
func (f *fuse) blow(cause error) {
	f.once.Do(func() {
		err := fmt.Errorf("%w: %w", ErrFailed, cause)
		if isFull(cause) {
			err = fmt.Errorf("%w: %w", ErrDiskFull, err)
		}
		f.err.Store(&err)
		close(f.dead)
	})
}

// say logs what happens to an open store.
func (f *fuse) say(log *slog.Logger, level slog.Level, msg string, args ...any) {
	if f.opening.Load() {
		level = slog.LevelDebug
	}
	log.Log(context.Background(), level, msg, args...)
}

// isFull says whether an error is for want of room. Pebble reports it to its logger only as text.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), syscall.ENOSPC.Error())
}

// stall blows the fuse for background writes that fail again and again. It is called once.
func (f *fuse) stall(cause error) {
	f.blow(cause)
	close(f.stalled)
}

// abandon blows the fuse for a cause that leaves Pebble in no state to be closed.
func (f *fuse) abandon(cause error) {
	f.blow(cause)
	f.stuckOnce.Do(func() { close(f.stuck) })
}

// abandoned says whether Pebble must not be called any more but to read.
func (f *fuse) abandoned() bool {
	select {
	case <-f.stuck:
		return true
	default:
		return false
	}
}

// failed is nil, or why the storage failed.
func (f *fuse) failed() error {
	if p := f.err.Load(); p != nil {
		return *p
	}
	return nil
}

// guard runs fn, which calls into Pebble, in a goroutine of its own and waits
// until it returns or is known to be stuck for good. A panic of Pebble's, which
// may hold locks, counts as that, and so does a wait of stallGrace for background
// writes that fail again and again: on a full disk Pebble tries them without an end.
func (f *fuse) guard(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				f.abandon(fmt.Errorf("pebble: %v", p))
			}
		}()
		done <- fn()
	}()
	stalled := f.stalled
	var late <-chan time.Time
	for {
		select {
		case err := <-done:
			return err
		case <-f.stuck:
			return f.failed()
		case <-stalled:
			stalled, late = nil, time.After(stallGrace)
		case <-late:
			f.abandon(f.failed())
		}
	}
}

// stallGrace is how long a call into Pebble may take to return by itself once its background writes fail again and
// again.
const stallGrace = 500 * time.Millisecond

// pebbleLogger takes what Pebble says. A failed commit reads as success if
// Fatalf returns, so Fatalf blows the fuse and never returns: its goroutine
// waits for the process to end, and with it perhaps others that need a lock it
// holds. Whoever calls into Pebble for a write therefore waits for the fuse as
// well.
type pebbleLogger struct {
	log  *slog.Logger
	fuse *fuse
}

func (l pebbleLogger) Infof(format string, args ...any) {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("pebble: " + fmt.Sprintf(format, args...))
	}
}

func (l pebbleLogger) Errorf(format string, args ...any) {
	l.log.Warn("pebble: " + fmt.Sprintf(format, args...))
}

func (l pebbleLogger) Fatalf(format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	l.fuse.abandon(errors.New(msg))
	l.fuse.say(l.log, slog.LevelError, "storage failed, writes are refused until a restart", "cause", msg)
	select {}
}

// fileWait is how long it is waited before it is tried again to open a file.
const fileWait = 10 * time.Millisecond

// free waits a while where the process, or the machine, may open no more files: that passes, as connections end. It is
// false where there is nothing to wait for. said is the caller's memory of what was logged.
func (l pebbleLogger) free(err error, name string, said *bool) bool {
	none := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
	if !none || !l.fuse.running.Load() || l.fuse.failed() != nil {
		return false
	}
	if !*said {
		*said = true
		l.log.Warn("the storage waits until it may open a file", "file", name, "error", err)
	}
	time.Sleep(fileWait)
	return true
}

// maxBackgroundErrors is how many flushes and compactions in a row may fail
// before the storage counts as failed. Pebble tries them again without a pause
// and without an end.
const maxBackgroundErrors = 5

// deadPause is how long Pebble's background work is held up at each error once
// the storage has failed.
const deadPause = 20 * time.Millisecond

// eventListener watches Pebble's background work.
func eventListener(log *slog.Logger, f *fuse) *pebble.EventListener {
	var failures atomic.Int32
	ended := func(err error) {
		switch {
		case err == nil:
			failures.Store(0)
		case errors.Is(err, pebble.ErrCancelledCompaction):
		case failures.Add(1) == maxBackgroundErrors:
			f.stall(fmt.Errorf("background writes keep failing: %w", err))
			f.say(log, slog.LevelError, "storage failed, writes are refused until a restart", "cause", err)
		}
	}
	return &pebble.EventListener{
		// Called with Pebble's lock held, but by a goroutine that would
		// otherwise spin on the same error.
		BackgroundError: func(err error) {
			if f.failed() != nil {
				time.Sleep(deadPause)
				return
			}
			f.say(log, slog.LevelWarn, "background write failed", "error", err)
			time.Sleep(time.Millisecond)
		},
		// Called by readers too, which get the error besides: it must return.
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			f.blow(corruptf("%v: %v", info.Path, info.Details))
			log.Error("data on disk is damaged, writes are refused",
				"file", info.Path, "detail", info.Details)
		},
		FlushEnd:        func(info pebble.FlushInfo) { ended(info.Err) },
		CompactionEnd:   func(info pebble.CompactionInfo) { ended(info.Err) },
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) { log.Warn("writes stall", "reason", info.Reason) },
		WriteStallEnd:   func() { log.Info("writes go on") },
		DiskSlow:        func(info pebble.DiskSlowInfo) { log.Warn("slow disk", "detail", info.String()) },
	}
}
