package power

import (
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// Files get names and are used again while copies are taken. Of a plain file system in memory this stands still within
// some thousand rounds.
func TestCopiesWhileFilesAreUsedAgain(t *testing.T) {
	const rounds = 20_000
	d := NewDisk()
	f, err := d.Create("a", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	var all sync.WaitGroup
	all.Go(func() {
		for range rounds {
			d.CrashClone(vfs.CrashCloneCfg{})
		}
	})
	all.Go(func() {
		for range rounds {
			if d.Link("a", "b") != nil || d.Remove("b") != nil {
				t.Error("link")
			}
			f, err := d.ReuseForWrite("a", "c", vfs.WriteCategoryUnspecified)
			if err != nil || f.Close() != nil || d.Rename("c", "a") != nil {
				t.Error("reuse", err)
			}
		}
	})
	all.Wait()
}

func TestOnlyWhatWasSyncedIsLeft(t *testing.T) {
	d := NewDisk()
	f, err := d.Create("a", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	root, err := d.OpenDir("/")
	require.NoError(t, err)
	require.NoError(t, root.Sync())
	write := func(s string) {
		_, err := f.Write([]byte(s))
		require.NoError(t, err)
	}
	write("kept")
	require.NoError(t, f.Sync())
	write("gone")
	left := d.CrashClone(vfs.CrashCloneCfg{})
	info, err := left.Stat("a")
	require.NoError(t, err)
	require.EqualValues(t, 4, info.Size())
	require.NoError(t, left.Link("a", "b"))
}
