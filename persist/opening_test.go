package persist

import (
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/persist/power"
)

// This file owns what an opening writes: in an order that a power cut cannot turn round, and on a disk that fails.

// A directory without a marker is taken for one without a store. So the old marker goes only when the new one is on the
// disk.
func TestAMarkerGoesBehindTheOneThatFollows(t *testing.T) {
	mem := power.NewDisk()
	fs := hook(mem)
	var mu sync.Mutex
	made, synced, gone := 0, 0, 0
	fs.set(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		marker := strings.HasPrefix(path.Base(op.Path), "marker.")
		switch {
		case marker && op.Kind == errorfs.OpCreate:
			made++
		case isSync(op) && op.Path == "/data":
			synced = made
		case marker && op.Kind == errorfs.OpRemove:
			gone++
			if synced != made {
				t.Errorf("%s is removed, and nothing says that the one behind it is on the disk", op.Path)
			}
		}
		return nil
	})
	for range 3 {
		require.NoError(t, open(t, small(fs)).Close())
	}
	mu.Lock()
	defer mu.Unlock()
	require.Positive(t, gone)
}

// Pebble answers an error here by closing what one of its goroutines still uses, and that panics now and then. So it
// never learns of the error: the opening ends with ours.
func TestOptionsThatCannotBeWritten(t *testing.T) {
	mem := power.NewDisk()
	s := open(t, small(mem))
	toy := newToy(1)
	toy.perStep = 60
	toy.run(t, s, 20)
	require.NoError(t, s.Close())
	for _, kind := range []errorfs.OpKind{errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpRename} {
		name := fmt.Sprintf("kind %d", kind)
		fs := hook(mem.CrashClone(vfs.CrashCloneCfg{}))
		hit := false
		fs.set(func(op errorfs.Op) error {
			if op.Kind == kind && strings.HasSuffix(op.Path, ".dbtmp") {
				hit = true
				return errorfs.ErrInjected
			}
			return nil
		})
		_, err := Open(small(fs))
		require.True(t, hit, name)
		require.ErrorIs(t, err, ErrFailed, name)
		require.NotErrorIs(t, err, ErrCorrupt, name)
	}
	again := mem.CrashClone(vfs.CrashCloneCfg{})
	mustRecover(t, toy, crash{again, "after it all", 20, 20}, small(again))
}
