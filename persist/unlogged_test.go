package persist

import (
	"bytes"
	"errors"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
)

func beside(t *testing.T, s *Store) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, s.ScanUnlogged(func(key, value []byte) error {
		found[string(key)] = string(value)
		return nil
	}))
	return found
}

// Values beside the log outlive the process and go into backups; rows, log and hashes do not know them.
func TestScanUnlogged(t *testing.T) {
	mem := vfs.NewMem()
	toy := newToy(newSeed(t))
	s := open(t, small(mem))
	require.Empty(t, beside(t, s))
	toy.run(t, s, 20)
	require.NoError(t, s.SetUnlogged([]Pair{{[]byte("b"), []byte("1")}, {[]byte("a"), nil}}))
	toy.run(t, s, 20)
	require.NoError(t, s.SetUnlogged([]Pair{{[]byte("b"), []byte("2")}}))
	want := map[string]string{"a": "", "b": "2"}
	require.Equal(t, want, beside(t, s))
	stop := errors.New("enough")
	require.ErrorIs(t, s.ScanUnlogged(func(_, _ []byte) error { return stop }), stop)
	var archive bytes.Buffer
	_, err := s.WriteCheckpoint(t.Context(), &archive, nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.SetUnlogged(nil), ErrClosed)

	end := mustHold(t, toy, small(mem), 40, 40)
	_, err = Restore(t.Context(), RestoreOptions{FS: mem, Archive: &archive, To: "/early", At: AtSeq(5)})
	require.NoError(t, err)
	mustHold(t, toy, at(small(mem), "/early"), 5, 5)
	for _, dir := range []string{"/data", "/early"} {
		o := at(small(mem), dir)
		o.ReadOnly = true
		s = open(t, o)
		require.Equal(t, want, beside(t, s), dir)
		require.ErrorIs(t, s.SetUnlogged(nil), ErrReadOnly)
		require.NoError(t, s.Close())
	}
	require.Equal(t, uint64(40), end)
}

// What was written beside the log is on the disk, with no commit behind it.
func TestSetUnloggedIsSynced(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, small(mem))
	require.NoError(t, s.SetUnlogged([]Pair{{[]byte("a"), []byte("1")}}))
	crashed := mem.CrashClone(vfs.CrashCloneCfg{})
	require.NoError(t, s.Close())
	s = open(t, small(crashed))
	require.Equal(t, map[string]string{"a": "1"}, beside(t, s))
	require.NoError(t, s.Close())
}

// A disk that fails does not keep whoever waits.
func TestSetUnloggedOnADiskThatFails(t *testing.T) {
	fs := hook(vfs.NewMem())
	s := open(t, small(fs))
	require.NoError(t, s.SetUnlogged([]Pair{{[]byte("a"), []byte("1")}}))
	fs.set(func(op errorfs.Op) error {
		if isSync(op) && isLogName(op.Path) {
			return syscall.EIO
		}
		return nil
	})
	require.ErrorIs(t, s.SetUnlogged([]Pair{{[]byte("a"), []byte("2")}}), ErrFailed)
	_ = s.Close()
}
