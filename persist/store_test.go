package persist

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

func TestWriteCloseOpen(t *testing.T) {
	seed := newSeed(t)
	mem := vfs.NewMem()
	toy := newToy(seed)
	var incarnation uint64
	for range 10 {
		s := open(t, small(mem))
		require.NoError(t, toy.check(s, toy.seq, toy.seq))
		if incarnation != 0 {
			require.Equal(t, incarnation, s.Incarnation())
		}
		incarnation = s.Incarnation()
		toy.resume(s)
		toy.run(t, s, 25)
		require.NoError(t, s.Close())
	}
}

func TestCommitOrder(t *testing.T) {
	s := open(t, small(vfs.NewMem()))
	defer s.Close()
	var g Group
	g.Change(1, []byte("k"), nil, []byte("v"))
	require.ErrorIs(t, s.Commit(&g, 2, 10, 0), ErrOrder)
	require.ErrorIs(t, s.Commit(&g, 0, 10, 0), ErrOrder)
	require.NoError(t, s.Commit(&g, 1, 10, 0))
	require.Zero(t, g.Len(), "the record keeps the buffer")
	g.Change(1, []byte("k"), []byte("v"), []byte("w"))
	require.ErrorIs(t, s.Commit(&g, 2, 9, 0), ErrOrder)
	require.ErrorIs(t, s.Commit(&g, 1, 10, 0), ErrOrder)
	require.Equal(t, 1, g.Len())
	require.NoError(t, s.Commit(&g, 2, 10, 0))
	require.NoError(t, s.Commit(&g, 3, 10, 0), "an empty group")
	require.NoError(t, s.Failed())
}

func TestGroupTooLarge(t *testing.T) {
	s := open(t, small(vfs.NewMem()))
	defer s.Close()
	var g Group
	half := make([]byte, MaxGroup/2)
	g.Change(1, []byte("k"), half, half)
	require.ErrorIs(t, s.Commit(&g, 1, 0, 0), ErrTooLarge)
	require.NoError(t, s.Failed())
}

func TestLargeGroup(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, small(mem))
	toy := newToy(1)
	toy.perStep = 5000
	toy.run(t, s, 8)
	require.NoError(t, s.Close())
	s = open(t, small(mem))
	require.NoError(t, toy.check(s, 8, 8))
	require.NoError(t, s.Close())
}

func TestSecondOpenIsRefused(t *testing.T) {
	for _, o := range []Options{small(vfs.NewMem()), {Dir: t.TempDir()}} {
		s := open(t, o)
		for range 2 {
			_, err := Open(o)
			require.ErrorIs(t, err, ErrLocked)
			require.Contains(t, err.Error(), "; stop it")
			_, err = Verify(o.Dir, VerifyOptions{FS: o.FS})
			require.ErrorIs(t, err, ErrLocked)
		}
		require.NoError(t, newToy(1).commit(s), "the first one goes on")
		require.NoError(t, s.Close())
		require.NoError(t, open(t, o).Close())
	}
}

// TestFilesAndDirectoriesArePrivate holds invariant 10.
func TestFilesAndDirectoriesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "data")
	backup := filepath.Join(t.TempDir(), "backup")
	o := small(nil)
	o.Dir = dir
	s := open(t, o)
	toy := newToy(1)
	toy.perStep = 100
	toy.run(t, s, 20)
	_, err := s.Checkpoint(t.Context(), backup, nil)
	require.NoError(t, err)
	check := func(dir string) {
		n := 0
		require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			require.NoError(t, err)
			i, err := d.Info()
			require.NoError(t, err)
			want := os.FileMode(fileMode)
			if d.IsDir() {
				want = dirMode
			}
			require.Equal(t, want, i.Mode().Perm(), path)
			n++
			return nil
		}))
		require.Greater(t, n, 6)
	}
	check(filepath.Dir(dir))
	require.NoError(t, s.Close())
	check(filepath.Dir(dir))
	check(backup)
	restored := filepath.Join(t.TempDir(), "restored")
	_, err = Restore(t.Context(), RestoreOptions{From: backup, To: restored})
	require.NoError(t, err)
	check(restored)
}

func TestNoGoroutineIsLeft(t *testing.T) {
	// Stores that were killed by other tests keep theirs.
	running := func() int {
		buf := make([]byte, 64<<20)
		return strings.Count(string(buf[:runtime.Stack(buf, true)]), "created by holdfast/persist.")
	}
	before := running()
	mem := vfs.NewMem()
	s := open(t, small(mem))
	require.Greater(t, running(), before)
	newToy(1).run(t, s, 30)
	_, err := s.Checkpoint(t.Context(), "/backup", nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = Verify("/data", VerifyOptions{FS: mem})
	require.NoError(t, err)
	setHead(t, mem, func(h *head) { h.Seq = 50 })
	_, err = Open(small(mem))
	require.ErrorIs(t, err, ErrShortLog)
	eventually(t, "all have ended", func() bool { return running() == before })
}

func TestStatsTellHowFarItIs(t *testing.T) {
	o := small(vfs.NewMem())
	o.KeepLog = Keep{Records: 5}
	s := open(t, o)
	<-s.checked
	toy := newToy(1)
	toy.run(t, s, 50)
	eventually(t, "folded", func() bool { return s.Stats().Folded == 50 })
	st := s.Stats()
	require.Equal(t, uint64(50), st.Durable)
	require.Equal(t, uint64(50), st.Published)
	require.Greater(t, st.FirstKept, uint64(1))
	require.Zero(t, st.UnfoldedBytes)
	require.Positive(t, st.KeptBytes)
	require.NotNil(t, st.SyncSeconds)
	require.NoError(t, s.Close())
	require.Equal(t, uint64(50), s.Stats().Durable)
}

func TestReadOnly(t *testing.T) {
	mem, toy := written(t, 30)
	before := mem.String()
	o := small(mem)
	o.ReadOnly = true
	s := open(t, o)
	require.NoError(t, toy.check(s, 30, 30))
	var g Group
	require.ErrorIs(t, s.Commit(&g, 31, toy.at, 0), ErrReadOnly)
	s.Published(30)
	_, err := s.Record(30)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Equal(t, before, mem.String())
	o.Dir = "/nothing"
	_, err = Open(o)
	require.ErrorIs(t, err, ErrNoStore)
	require.NotContains(t, mem.String(), "nothing")
}

// damage changes a stored key behind the store's back.
func damage(t *testing.T, mem vfs.FS, change func(*pebble.DB)) {
	t.Helper()
	o := small(mem).withDefaults()
	db, err := openPebble(o, newPrivateFS(mem), nil, newFuse(), false)
	require.NoError(t, err)
	change(db)
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
}

// TestDamageThatPebbleCannotSee changes what is stored with valid checksums of
// Pebble's: lost and misdirected writes. Open refuses, or Verify finds it.
func TestDamageThatPebbleCannotSee(t *testing.T) {
	get := func(t *testing.T, db *pebble.DB, key []byte) []byte {
		v, c, err := db.Get(key)
		require.NoError(t, err)
		defer c.Close()
		return append([]byte(nil), v...)
	}
	aRow := func(t *testing.T, db *pebble.DB) []byte {
		it, err := db.NewIter(rowBounds(0, 255))
		require.NoError(t, err)
		require.True(t, it.First())
		k := append([]byte(nil), it.Key()...)
		require.NoError(t, it.Close())
		return k
	}
	for _, c := range []struct {
		name   string
		verify bool // only Verify can find it, or the engine's hash of the rows
		change func(*testing.T, *pebble.DB)
	}{
		{"record lost", false,
			func(t *testing.T, db *pebble.DB) { require.NoError(t, db.Delete(logKey(30), pebble.Sync)) }},
		{"last record lost", false,
			func(t *testing.T, db *pebble.DB) { require.NoError(t, db.Delete(logKey(60), pebble.Sync)) }},
		{"record misplaced", false, func(t *testing.T, db *pebble.DB) {
			require.NoError(t, db.Set(logKey(30), get(t, db, logKey(31)), pebble.Sync))
		}},
		{"log behind the end", false, func(t *testing.T, db *pebble.DB) {
			require.NoError(t, db.Set(logKey(61), get(t, db, logKey(60)), pebble.Sync))
		}},
		{"record older than the one before", false, func(t *testing.T, db *pebble.DB) {
			last, err := decodeRecord(get(t, db, logKey(60)))
			require.NoError(t, err)
			var g Group
			r := g.seal(last.Position, 61, last.At-1, 1, last.StateHash)
			require.NoError(t, db.Set(logKey(61), r.raw, pebble.Sync))
		}},
		{"marker lost", false,
			func(t *testing.T, db *pebble.DB) { require.NoError(t, db.Delete(markerKey, pebble.Sync)) }},
		{"marker of another moment", false, func(t *testing.T, db *pebble.DB) {
			m, err := readMarker(db)
			require.NoError(t, err)
			m.Seq--
			require.NoError(t, db.Set(markerKey, m.encode(), pebble.Sync))
		}},
		{"marker with another state", true, func(t *testing.T, db *pebble.DB) {
			m, err := readMarker(db)
			require.NoError(t, err)
			m.StateHash++
			require.NoError(t, db.Set(markerKey, m.encode(), pebble.Sync))
		}},
		{"row lost", true,
			func(t *testing.T, db *pebble.DB) { require.NoError(t, db.Delete(aRow(t, db), pebble.Sync)) }},
		{"row changed", true, func(t *testing.T, db *pebble.DB) {
			require.NoError(t, db.Set(aRow(t, db), []byte("?"), pebble.Sync))
		}},
		{"row invented", true, func(t *testing.T, db *pebble.DB) {
			require.NoError(t, db.Set([]byte("R\x01zz"), []byte("?"), pebble.Sync))
		}},
		{"unknown key", true, func(t *testing.T, db *pebble.DB) {
			require.NoError(t, db.Set([]byte("Q"), []byte("?"), pebble.Sync))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem, toy := written(t, 60)
			damage(t, mem, func(db *pebble.DB) { c.change(t, db) })
			_, err := Verify("/data",
				VerifyOptions{FS: mem, Check: func(s *Store) error { return toy.check(s, 60, 60) }})
			require.Error(t, err)
			if !strings.Contains(err.Error(), "the marker says") {
				require.ErrorIs(t, err, ErrCorrupt)
			}
			s, err := Open(small(mem))
			if err == nil {
				_, _, err = recovered(s)
				s.Close()
			}
			if c.name != "unknown key" {
				require.Error(t, err)
			}
			if !c.verify {
				require.ErrorIs(t, err, ErrCorrupt)
			}
		})
	}
}

// A start takes the hash of a folded record on trust where Pebble has no complaint. Whoever reads the record does not,
// nor does Verify. It holds invariant 2.
func TestFoldedRecordsAreCheckedByTheirReaders(t *testing.T) {
	mem, _ := written(t, 60)
	damage(t, mem, func(db *pebble.DB) {
		m, err := readMarker(db)
		require.NoError(t, err)
		require.Greater(t, m.Seq, uint64(30), "record 30 is folded")
		v, c, err := db.Get(logKey(30))
		require.NoError(t, err)
		raw := append([]byte(nil), v...)
		require.NoError(t, c.Close())
		raw[recordHeader+3] ^= 1
		require.NoError(t, db.Set(logKey(30), raw, pebble.Sync))
	})
	_, err := Verify("/data", VerifyOptions{FS: mem})
	require.ErrorIs(t, err, ErrCorrupt)
	s, err := Open(small(mem))
	require.NoError(t, err)
	defer s.Close()
	_, end, err := recovered(s)
	require.NoError(t, err)
	require.Equal(t, uint64(60), end.Seq)
	s.Published(end.Seq)
	_, err = s.Record(30)
	require.ErrorIs(t, err, ErrCorrupt)
	_, err = s.Record(31)
	require.NoError(t, err)
}

func TestHarmlessLeftovers(t *testing.T) {
	mem, toy := written(t, 60)
	o := small(mem)
	o.KeepLog = Keep{Records: 10}
	s := open(t, o)
	require.NoError(t, toy.check(s, 60, 60))
	toy.resume(s)
	toy.run(t, s, 30)
	require.NoError(t, s.Close())
	rng := rand.New(rand.NewPCG(1, 1))
	// Records below the first kept one, as if their deletion had been lost.
	damage(t, mem, func(db *pebble.DB) {
		m, err := readMarker(db)
		require.NoError(t, err)
		require.Greater(t, m.FirstKept, uint64(20))
		for i := uint64(1); i < m.FirstKept; i += 1 + rng.Uint64N(3) {
			require.NoError(t, db.Set(logKey(i), []byte("whatever"), pebble.Sync))
		}
	})
	// A backup that was cut short.
	require.NoError(t, mem.MkdirAll("/data/checkpoint-1", dirMode))
	writeAll(t, mem, "/data/checkpoint-1/000001.sst", []byte("x"))
	rep, err := Verify("/data", VerifyOptions{FS: mem})
	require.NoError(t, err)
	require.NotZero(t, rep.Deleted)
	s = open(t, o)
	require.NoError(t, toy.check(s, 90, 90))
	require.NoError(t, s.Close())
	require.NotContains(t, mem.String(), "checkpoint-1")
}

func TestForeignDirectory(t *testing.T) {
	mem := vfs.NewMem()
	db, err := pebble.Open("/data", &pebble.Options{FS: mem})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = Open(small(mem))
	require.ErrorIs(t, err, ErrHeadLost)
}
