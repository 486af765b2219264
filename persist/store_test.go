package persist

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := Open(Options{Dir: "/data", FS: fs})
	require.NoError(t, err)
	var g Group
	for i := uint64(1); i <= 100; i++ {
		var before []byte
		if i > 10 {
			before = binary.BigEndian.AppendUint64(nil, i-10)
		}
		g.Change(3, fmt.Appendf(nil, "k%d", i%10), before, binary.BigEndian.AppendUint64(nil, i))
		require.NoError(t, s.Commit(&g, i, int64(i), i*7))
		s.Published(i)
		v, ok, err := s.Row(3, fmt.Appendf(nil, "k%d", i%10))
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, i, binary.BigEndian.Uint64(v))
	}
	f := s.Follow(1)
	for i := uint64(1); i <= 100; i++ {
		r, err := f.Next(context.Background())
		require.NoError(t, err)
		require.Equal(t, i, r.Seq)
	}
	require.NoError(t, s.Close())
	s, err = Open(Options{Dir: "/data", FS: fs})
	require.NoError(t, err)
	require.Equal(t, uint64(100), s.Marker().Seq)
	n := 0
	require.NoError(t, s.ScanRows(1, func(_ int, table byte, k, v []byte) error { n++; return nil }))
	require.Equal(t, 10, n)
	require.NoError(t, s.Tail(func(Record) error { return nil }))
	require.NoError(t, s.Close())
}
