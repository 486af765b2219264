package persist

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// filled is a store with n rows of 100 bytes in table 5, and a few in others.
func filled(tb testing.TB, o Options, n int) *Store {
	tb.Helper()
	s := open(tb, o)
	var g Group
	value := make([]byte, 100)
	rng := rand.NewChaCha8([32]byte{})
	seq := uint64(0)
	for i := 0; i < n; {
		for ; i < n && g.Bytes() < 256<<10; i++ {
			rng.Read(value)
			g.Change(5, binary.BigEndian.AppendUint64([]byte("0192a4e7"), uint64(i)<<20), nil, value)
		}
		if seq == 0 {
			g.Change(4, []byte("x"), nil, []byte("y"))
			g.Change(0, nil, nil, []byte("first"))
			g.Change(255, []byte{255, 255}, nil, []byte("last"))
		}
		seq++
		require.NoError(tb, s.Commit(&g, seq, 0, 0))
		s.Published(seq)
	}
	require.NoError(tb, s.Close())
	s = open(tb, o)
	require.Equal(tb, seq, s.Marker().Seq)
	return s
}

func TestScanIsShared(t *testing.T) {
	const n = 60_000
	o := small(vfs.NewMem())
	s := filled(t, o, n)
	defer s.Close()
	for _, workers := range []int{1, 2, 5} {
		seen := make([][][]byte, workers)
		require.NoError(t, s.ScanRows(workers, func(w int, table byte, key, value []byte) error {
			seen[w] = append(seen[w], append([]byte{table}, key...))
			return nil
		}))
		all := map[string]bool{}
		for _, part := range seen {
			for i, k := range part {
				require.True(t, i == 0 || bytes.Compare(part[i-1], k) < 0, "ascending")
				require.False(t, all[string(k)], "once")
				all[string(k)] = true
			}
		}
		require.Len(t, all, n+3)
	}
	// No piece is so large that a worker would wait for another.
	bounds := rowBounds(0, 255)
	cuts, err := splitPoints(s.db, bounds, 2)
	require.NoError(t, err)
	cuts = append(cuts, bounds.UpperBound)
	it, err := s.db.NewIter(bounds)
	require.NoError(t, err)
	pieces, piece, largest := 1, 0, 0
	for ok := it.First(); ok; ok = it.Next() {
		if bytes.Compare(it.Key(), cuts[0]) >= 0 {
			pieces++
			largest, piece = max(largest, piece), 0
			for bytes.Compare(it.Key(), cuts[0]) >= 0 {
				cuts = cuts[1:]
			}
		}
		piece++
	}
	require.NoError(t, it.Close())
	require.Less(t, max(largest, piece), n/16)
	require.Greater(t, pieces, 30)
}

// Where many tables overlap, a single row touches more than a small piece has: such rows are not cut one from the
// other, which takes longer than reading them.
func TestOverlappingTablesAreCutSeldom(t *testing.T) {
	db, err := pebble.Open("", &pebble.Options{FS: vfs.NewMem(), DisableAutomaticCompactions: true,
		L0StopWritesThreshold: 100, Logger: pebbleLogger{log: slog.New(slog.DiscardHandler)}})
	require.NoError(t, err)
	defer db.Close()
	value := make([]byte, 100)
	rng := rand.NewChaCha8([32]byte{})
	const files, rows = 32, 2000
	for f := range files {
		b := db.NewBatch()
		for i := range rows {
			rng.Read(value)
			require.NoError(t,
				b.Set(appendRowKey(nil, 5, binary.BigEndian.AppendUint64(nil, uint64(i*files+f)<<20)), value, nil))
		}
		require.NoError(t, b.Commit(pebble.NoSync))
		require.NoError(t, db.Flush())
	}
	bounds := rowBounds(0, 255)
	cuts, err := splitPoints(db, bounds, 2)
	require.NoError(t, err)
	require.Greater(t, len(cuts), 30)
	require.Less(t, len(cuts), 128)
	for i := range cuts[1:] {
		require.Negative(t, bytes.Compare(cuts[i], cuts[i+1]))
	}
}

func TestScanOfTables(t *testing.T) {
	s := filled(t, small(vfs.NewMem()), 100)
	defer s.Close()
	for _, c := range []struct {
		from, to byte
		rows     int
	}{{0, 255, 103}, {5, 5, 100}, {0, 4, 2}, {6, 255, 1}, {255, 255, 1}, {6, 254, 0}} {
		n := 0
		require.NoError(t, s.ScanTables(1, c.from, c.to, func(_ int, table byte, _, _ []byte) error {
			require.True(t, c.from <= table && table <= c.to)
			n++
			return nil
		}))
		require.Equal(t, c.rows, n)
	}
}

func TestScanEndsWithTheFirstError(t *testing.T) {
	s := filled(t, small(vfs.NewMem()), 20_000)
	defer s.Close()
	wrong := errors.New("wrong")
	n := 0
	require.ErrorIs(t, s.ScanRows(1, func(int, byte, []byte, []byte) error {
		n++
		if n == 10 {
			return wrong
		}
		return nil
	}), wrong)
	require.Equal(t, 10, n)
	require.ErrorIs(t, s.ScanRows(2, func(int, byte, []byte, []byte) error { return wrong }), wrong)
}

func TestBetweenLiesBetweenItsKeys(t *testing.T) {
	for _, c := range [][2]string{{"a", "b"}, {"abc", "abd"}, {"", "zzzzzzzzzz"},
		{"same prefix 1", "same prefix 2999999999"}, {"a", "a\x00"}} {
		lo, hi := []byte(c[0]), []byte(c[1])
		mid := between(lo, hi)
		require.Negative(t, bytes.Compare(lo, mid))
		if c[1] != "a\x00" {
			require.Negative(t, bytes.Compare(mid, hi))
		}
	}
}
