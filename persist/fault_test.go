package persist

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/persist/power"
)

// failing makes every operation that matches fail from now on.
func (h *hooked) failing(match func(errorfs.Op) bool) {
	h.set(func(op errorfs.Op) error {
		if match(op) {
			return errorfs.ErrInjected
		}
		return nil
	})
}

func isLog(op errorfs.Op) bool { return strings.HasSuffix(op.Path, ".log") }

// mustBeDead checks a store whose storage has failed: it refuses commits at
// once, still reads what is published, and closes.
func mustBeDead(t *testing.T, toy *toy, s *Store) {
	t.Helper()
	select {
	case <-s.fuse.dead:
	case <-time.After(20 * time.Second):
		t.Fatal("not dead")
	}
	require.ErrorIs(t, s.Failed(), ErrFailed)
	var g Group
	g.Change(1, []byte("x"), nil, []byte("y"))
	err := s.Commit(&g, s.End().Seq+1, toy.at, 0)
	require.ErrorIs(t, err, ErrFailed)
	require.NotErrorIs(t, err, ErrOutcomeUnknown)
	require.Equal(t, 1, g.Len(), "the group is as it was")
	for row, value := range toy.past[s.published.Load()] {
		v, ok, err := s.Row(row[0], []byte(row[1:]))
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, value, string(v))
	}
	r, err := s.Record(s.published.Load())
	require.NoError(t, err)
	require.Equal(t, s.published.Load(), r.Seq)
	_, err = s.Checkpoint(t.Context(), "/backup", nil)
	require.ErrorIs(t, err, ErrFailed)
	require.ErrorIs(t, s.Close(), ErrFailed)
	require.ErrorIs(t, s.Close(), ErrClosed)
}

// TestFailedSyncOfTheLog holds invariant 6.
func TestFailedSyncOfTheLog(t *testing.T) {
	for _, kind := range []errorfs.OpKind{errorfs.OpFileWrite, errorfs.OpFileSyncData, errorfs.OpFileSync} {
		mem := power.NewDisk()
		fs := hook(mem)
		var l logs
		o := small(fs)
		o.Logger = l.logger()
		s := open(t, o)
		toy := newToy(1)
		toy.run(t, s, 5)
		var hit atomic.Bool
		fs.failing(func(op errorfs.Op) bool {
			ok := isLog(op) && op.Kind == kind
			hit.Store(hit.Load() || ok)
			return ok
		})
		err := toy.commit(s)
		if !hit.Load() {
			require.NoError(t, err)
			require.NoError(t, s.Close())
			continue
		}
		require.ErrorIs(t, err, ErrOutcomeUnknown)
		require.ErrorIs(t, err, ErrFailed)
		require.Contains(t, err.Error(), "injected error")
		require.Equal(t, uint64(5), s.End().Seq)
		mustBeDead(t, toy, s)
		eventually(t, "the log says so", func() bool { return strings.Contains(l.String(), "storage failed") })

		for _, percent := range []int{0, 100} {
			c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(1, 1))})
			mustRecover(t, toy, crash{c, "after a failed sync", 5, 6}, small(c))
		}
	}
}

func TestFailedManifest(t *testing.T) {
	mem := power.NewDisk()
	fs := hook(mem)
	s := open(t, small(fs))
	toy := newToy(1)
	toy.perStep = 60
	toy.run(t, s, 5)
	fs.failing(func(op errorfs.Op) bool { return strings.Contains(op.Path, "MANIFEST") && isSync(op) })
	var err error
	for err == nil {
		err = toy.commit(s)
	}
	require.ErrorIs(t, err, ErrFailed)
	acked := s.End().Seq
	mustBeDead(t, toy, s)
	c := mem.CrashClone(vfs.CrashCloneCfg{})
	mustRecover(t, toy, crash{c, "after a failed manifest", acked, acked + 1}, small(c))
}

// TestNoFileIsFree: what has no file waits for one, and goes on; it ends when the store does.
func TestNoFileIsFree(t *testing.T) {
	fs := hook(power.NewDisk())
	var l logs
	o := small(fs)
	o.Logger = l.logger()
	s := open(t, o)
	toy := newToy(1)
	toy.perStep = 60
	toy.run(t, s, 5)
	var refused atomic.Int32
	none := func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpReuseForWrite || op.Kind == errorfs.OpOpen {
			refused.Add(1)
			return &os.PathError{Op: "open", Path: op.Path, Err: syscall.EMFILE}
		}
		return nil
	}
	fs.set(none)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 300 {
			if err := toy.commit(s); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	eventually(t, "files are wanted", func() bool { return refused.Load() > 20 })
	fs.set(func(errorfs.Op) error { return nil })
	<-done
	require.NoError(t, s.Failed())
	require.Contains(t, l.String(), "waits until it may open a file")
	require.NoError(t, s.Close())
	mustHold(t, toy, small(fs), 305, 305)
}

func TestFlushKeepsFailing(t *testing.T) {
	mem := power.NewDisk()
	fs := hook(mem)
	s := open(t, small(fs))
	toy := newToy(1)
	toy.perStep = 60
	toy.run(t, s, 5)
	fs.failing(func(op errorfs.Op) bool {
		return strings.HasSuffix(op.Path, ".sst") && op.Kind.ReadOrWrite() == errorfs.OpIsWrite
	})
	var err error
	for err == nil {
		err = toy.commit(s)
	}
	require.ErrorIs(t, err, ErrFailed)
	acked := s.End().Seq
	mustBeDead(t, toy, s)
	fs.set(func(errorfs.Op) error { return nil })
	c := mem.CrashClone(vfs.CrashCloneCfg{})
	mustRecover(t, toy, crash{c, "after failed flushes", acked, acked + 1}, small(c))
}

func TestFailedHead(t *testing.T) {
	fs := hook(vfs.NewMem())
	s := open(t, small(fs))
	toy := newToy(1)
	toy.run(t, s, 1)
	fs.failing(func(op errorfs.Op) bool { return strings.HasSuffix(op.Path, headName) && isSync(op) })
	for toy.commit(s) == nil {
	}
	mustBeDead(t, toy, s)
}

// A full disk fails writes of data, and is over after a restart on a disk with
// room.
func TestFullDisk(t *testing.T) {
	mem := power.NewDisk()
	fs := hook(mem)
	o := small(fs)
	o.HeadInterval = time.Hour // the log is the first that finds the disk full
	s := open(t, o)
	toy := newToy(1)
	toy.run(t, s, 10)
	fs.failing(func(op errorfs.Op) bool {
		switch op.Kind {
		case errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpCreate, errorfs.OpFilePreallocate:
			return true
		}
		return false
	})
	require.ErrorIs(t, toy.commit(s), ErrOutcomeUnknown)
	acked := s.End().Seq
	mustBeDead(t, toy, s)
	c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	mustRecover(t, toy, crash{c, "after a full disk", acked, acked + 1}, small(c))
}

// TestEveryOperationFails runs a script with its n-th file operation failing,
// for n = 1, 2, 3 and so on until the script ends without meeting it, once and
// for good, and recovers what is left. HOLDFAST_LONG=1 takes every n, else about
// every tenth.
func TestEveryOperationFails(t *testing.T) {
	seed := newSeed(t)
	stride := uint64(11)
	if testing.Short() {
		stride = 41
	}
	if long, _ := strconv.ParseBool(os.Getenv("HOLDFAST_LONG")); long {
		stride = 1
	}
	for _, forGood := range []bool{true, false} {
		faults := 0
		for n := uint64(1 + seed%stride); ; n += stride {
			if !failNth(t, seed, n, forGood) {
				t.Logf("for good: %v; %d runs, over %d operations", forGood, faults, n)
				break
			}
			faults++
		}
	}
}

// failNth says whether there was an n-th operation.
func failNth(t *testing.T, seed, n uint64, forGood bool) (hit bool) {
	t.Helper()
	mem := power.NewDisk()
	fs := hook(mem)
	var ops atomic.Uint64
	var first atomic.Pointer[string]
	fs.set(func(op errorfs.Op) error {
		i := ops.Add(1)
		if i == n || forGood && i > n {
			what := fmt.Sprintf("operation %d (kind %d on %s), for good: %v", n, op.Kind, op.Path, forGood)
			first.CompareAndSwap(nil, &what)
			return errorfs.ErrInjected
		}
		return nil
	})
	o := small(fs)
	o.KeepLog = Keep{Records: 5}
	toy := newToy(seed)
	toy.perStep = 40
	var acked uint64
	bad := func(err error) {
		if err == nil {
			return
		}
		require.NotNil(t, first.Load(), "%v", err)
		require.True(t, errors.Is(err, ErrFailed) || errors.Is(err, errorfs.ErrInjected), "%s: %v", *first.Load(), err)
	}
	s, err := Open(o)
	bad(err)
	if err == nil {
		for i := range 40 {
			if i == 20 {
				_, err := s.Checkpoint(t.Context(), "/backup", nil)
				bad(err)
			}
			if err := toy.commit(s); err != nil {
				bad(err)
				require.ErrorIs(t, err, ErrFailed, *first.Load())
				break
			}
			acked = toy.seq
		}
		bad(s.Close())
	}
	// The disk is well again after the restart.
	for _, percent := range []int{0, 100} {
		c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(seed, n))})
		name := fmt.Sprintf("%d %% kept", percent)
		if w := first.Load(); w != nil {
			name += ", " + *w
		}
		mustRecover(t, toy, crash{c, name, acked, toy.seq}, small(c))
	}
	return first.Load() != nil
}

// A start on a full disk ends, and says why: Pebble itself would try again for ever.
func TestStartOnAFullDisk(t *testing.T) {
	disk := power.NewDisk()
	s := open(t, small(disk))
	toy := newToy(1)
	toy.run(t, s, 50)
	fs := hook(disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0}))
	fs.set(func(op errorfs.Op) error {
		if strings.HasSuffix(op.Path, ".sst") && (op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpFileWrite) {
			return syscall.ENOSPC
		}
		return nil
	})
	ended := make(chan error, 1)
	var logged bytes.Buffer
	go func() {
		o := small(fs)
		o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		_, err := Open(o)
		ended <- err
	}()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, ErrDiskFull)
		require.ErrorContains(t, err, "the disk is full")
		require.Empty(t, logged.String(), "the error tells it, and there is no server that refuses writes")
	case <-time.After(time.Minute):
		t.Fatal("the start does not end")
	}
	require.NoError(t, s.Close())
}
