package persist

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

func at(o Options, dir string) Options {
	o.Dir = dir
	return o
}

// mustHold opens a store and compares it with the history.
func mustHold(t *testing.T, toy *toy, o Options, least, most uint64) uint64 {
	t.Helper()
	rep, err := Verify(o.Dir, VerifyOptions{FS: o.FS, Check: func(s *Store) error { return toy.check(s, least, most) }})
	require.NoError(t, err)
	s := open(t, o)
	require.NoError(t, toy.check(s, least, most))
	require.Equal(t, rep.End, s.End())
	require.NoError(t, s.Close())
	return rep.End.Seq
}

// TestBackupOfARunningStore makes backups in both forms while commits go on. It holds invariant 9.
func TestBackupOfARunningStore(t *testing.T) {
	mem := vfs.NewMem()
	o := small(mem)
	o.KeepLog = Keep{Records: 50}
	toy := newToy(newSeed(t))
	s := open(t, o)
	toy.run(t, s, 50)

	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := toy.commit(s); err != nil {
					panic(err)
				}
			}
		}
	})
	type made struct {
		dir         string
		least, most uint64
		b           Backup
	}
	var backups []made
	for i := range 6 {
		dir := fmt.Sprintf("/backups/%d", i)
		least := s.End().Seq
		var b Backup
		var err error
		if i%2 == 0 {
			var last int64
			b, err = s.Checkpoint(t.Context(), dir, func(done, total int64) { last = total - done })
			require.Zero(t, last)
		} else {
			var buf bytes.Buffer
			b, err = s.WriteCheckpoint(t.Context(), &buf, nil)
			require.NoError(t, err)
			_, err = Restore(t.Context(), RestoreOptions{FS: mem, Archive: &buf, To: dir})
		}
		require.NoError(t, err)
		backups = append(backups, made{dir, least, s.End().Seq, b})
	}
	close(stop)
	wg.Wait()
	incarnations := map[uint64]bool{s.Incarnation(): true}
	for _, m := range backups {
		end := mustHold(t, toy, at(o, m.dir), m.least, m.most)
		require.Equal(t, m.b.End.Seq, end)
		require.False(t, incarnations[m.b.Incarnation], "every copy has its own")
		incarnations[m.b.Incarnation] = true
	}
	require.NotContains(t, mem.String(), stagePrefix)
	require.NoError(t, s.Close())
}

// A backup waits until the log has synced what may be in it.
func TestBackupWaitsForTheLog(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, small(mem))
	defer s.Close()
	toy := newToy(1)
	toy.run(t, s, 5)
	seq, when, hash := toy.step()
	p, err := s.Append(&toy.g, seq, when, hash) // a commit is under way
	require.NoError(t, err)
	require.Equal(t, seq, s.attempted.Load())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.Checkpoint(ctx, "/backup", nil)
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatal("done too early", err)
	default:
	}
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	go func() {
		_, err := s.Checkpoint(t.Context(), "/backup", nil)
		done <- err
	}()
	require.NoError(t, p.Wait())
	require.NoError(t, <-done)
	mustHold(t, toy, at(small(mem), "/backup"), 5, 6)
}

// A backup that is read back, or that waits for another one, ends with its context.
func TestBackupEndsWithItsContext(t *testing.T) {
	fs := hook(vfs.NewMem())
	s := open(t, small(fs))
	defer s.Close()
	toy := newToy(1)
	toy.perStep = 60
	toy.run(t, s, 100)
	ctx, cancel := context.WithCancel(t.Context())
	var reads atomic.Int32
	fs.set(func(op errorfs.Op) error {
		if strings.Contains(op.Path, stagePrefix) && op.Kind == errorfs.OpFileReadAt && reads.Add(1) == 20 {
			cancel()
		}
		return nil
	})
	_, err := s.WriteCheckpoint(ctx, io.Discard, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, ErrCorrupt)
	require.Less(t, reads.Load(), int32(25), "nothing more is read")
	require.NoError(t, s.Failed())

	fs.set(func(errorfs.Op) error { return nil })
	held, free := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.SendCheckpoint(t.Context(), func(Backup, func(io.Writer, Progress) error) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = s.WriteCheckpoint(ctx, io.Discard, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(free)
	require.NoError(t, <-done)
	_, err = s.WriteCheckpoint(t.Context(), io.Discard, nil)
	require.NoError(t, err)
}

func TestBackupRefusesATargetInUse(t *testing.T) {
	mem, toy := written(t, 10)
	s := open(t, small(mem))
	defer s.Close()
	require.NoError(t, mem.MkdirAll("/empty", 0o755))
	_, err := s.Checkpoint(t.Context(), "/empty", nil)
	require.NoError(t, err)
	_, err = s.Checkpoint(t.Context(), "/empty", nil)
	require.ErrorIs(t, err, ErrNotEmpty)
	_, err = Restore(t.Context(), RestoreOptions{FS: mem, From: "/empty", To: "/empty"})
	require.ErrorIs(t, err, ErrNotEmpty)
	_, err = Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/new"})
	require.ErrorIs(t, err, ErrLocked)
	_, err = Restore(t.Context(), RestoreOptions{FS: mem, From: "/nowhere", To: "/new"})
	require.ErrorIs(t, err, ErrNoStore)
	mustHold(t, toy, at(small(mem), "/empty"), 10, 10)
}

// What is behind an archive is not left out without a word, except for the zeros that fill one up.
func TestRestoreRefusesWhatIsBehindAnArchive(t *testing.T) {
	mem, _ := written(t, 10)
	var one bytes.Buffer
	require.NoError(t, WriteArchive(t.Context(), &one, mem, "/data", nil))
	plain, err := zstd.NewReader(bytes.NewReader(one.Bytes()))
	require.NoError(t, err)
	defer plain.Close()
	text, err := io.ReadAll(plain)
	require.NoError(t, err)
	for behind, good := range map[string]bool{one.String(): false, "junk": false, string(stored(text)): false,
		string(stored(make([]byte, 10_240))): true} {
		archive := io.MultiReader(bytes.NewReader(one.Bytes()), strings.NewReader(behind))
		to := fmt.Sprintf("/behind-%d", len(behind))
		_, err := Restore(t.Context(), RestoreOptions{FS: mem, Archive: archive, To: to})
		require.Equal(t, good, err == nil, "%v", err)
		if !good {
			require.ErrorIs(t, err, ErrCorrupt)
		}
	}
}

// A backup that fails on the way leaves nothing that opens, whatever the
// operation.
func TestBackupThatFails(t *testing.T) {
	mem := vfs.NewMem()
	fs := hook(mem)
	s := open(t, small(fs))
	defer s.Close()
	toy := newToy(1)
	toy.run(t, s, 30)
	for n := 1; ; n++ {
		var mu sync.Mutex
		i := 0
		fs.set(func(op errorfs.Op) error {
			if len(op.Path) < 7 || op.Path[:7] != "/backup" {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			i++
			if i == n {
				return errorfs.ErrInjected
			}
			return nil
		})
		_, err := s.Checkpoint(t.Context(), "/backup", nil)
		fs.set(func(errorfs.Op) error { return nil })
		if err == nil {
			t.Logf("%d operations", n)
			break
		}
		require.ErrorIs(t, err, errorfs.ErrInjected)
		require.False(t, isThere(mem, "/backup"), "operation %d: the room of half a backup is free again", n)
	}
	names, err := mem.List("/data")
	require.NoError(t, err)
	for _, n := range names {
		require.NotContains(t, n, stagePrefix, "what a backup was put together from is gone")
	}
	mustHold(t, toy, at(small(mem), "/backup"), 30, 30)
	require.NoError(t, s.Failed())
}

func TestArchive(t *testing.T) {
	mem, toy := written(t, 40)
	s := open(t, small(mem))
	var buf bytes.Buffer
	b, err := s.WriteCheckpoint(t.Context(), &buf, nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	whole := buf.Bytes()

	z, err := zstd.NewReader(bytes.NewReader(whole))
	require.NoError(t, err)
	tr := tar.NewReader(z)
	var names []string
	for {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		require.Equal(t, int64(fileMode), h.Mode)
		names = append(names, h.Name)
	}
	require.Len(t, names, b.Files)
	require.Equal(t, headName, names[len(names)-1])

	restore := func(archive []byte, to string) error {
		_, err := Restore(t.Context(), RestoreOptions{FS: mem, Archive: bytes.NewReader(archive), To: to})
		return err
	}
	require.NoError(t, restore(whole, "/new"))
	mustHold(t, toy, at(small(mem), "/new"), 40, 40)

	for i := 0; i < len(whole); i += 1 + len(whole)/50 {
		require.ErrorIs(t, restore(whole[:i], "/short"), ErrCorrupt, "cut at %d of %d", i, len(whole))
		rotten := bytes.Clone(whole)
		rotten[i] ^= 1
		if err := restore(rotten, "/rotten"); err == nil {
			mustHold(t, toy, at(small(mem), "/rotten"), 40, 40)
			require.NoError(t, mem.RemoveAll("/rotten"))
		}
	}

	for _, name := range []string{"../000001.sst", "/etc/passwd", "sub/000001.sst", "LOCK", "x"} {
		var evil bytes.Buffer
		z, err := zstd.NewWriter(&evil)
		require.NoError(t, err)
		w := tar.NewWriter(z)
		require.NoError(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 1, Mode: 0o644}))
		_, err = w.Write([]byte("x"))
		require.NoError(t, err)
		require.NoError(t, errors.Join(w.Close(), z.Close()))
		err = restore(evil.Bytes(), "/evil")
		require.ErrorIs(t, err, ErrCorrupt)
		require.Contains(t, err.Error(), "does not belong")
	}
}

// TestRestoreToEverySequence takes a directory back to every record of the kept
// log, and to instants.
func TestRestoreToEverySequence(t *testing.T) {
	seed := newSeed(t)
	mem := vfs.NewMem()
	o := small(mem)
	toy := newToy(seed)
	s := open(t, o)
	toy.run(t, s, 40)
	eventually(t, "folded", func() bool { return s.Marker().Seq == 40 })
	require.NoError(t, s.Close())
	o.NoFold = true // a tail
	s = open(t, o)
	toy.resume(s)
	toy.run(t, s, 10)
	require.NoError(t, s.Close())

	check := func(p Point, want uint64) {
		b, err := Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored", At: p,
			RowHash: toyHash})
		require.NoError(t, err)
		require.Equal(t, want, b.End.Seq)
		mustHold(t, toy, at(small(mem), "/restored"), want, want)
		// It goes on from there, with a history of its own.
		s := open(t, at(small(mem), "/restored"))
		require.Equal(t, b.Incarnation, s.Incarnation())
		past := *toy
		past.rng = rand.New(rand.NewPCG(seed, want))
		past.g = Group{}
		past.resume(s)
		past.past = append([]map[string]string{}, past.past...)
		past.ends = append([]Position{}, past.ends...)
		past.run(t, s, 3)
		require.NoError(t, s.Close())
		mustHold(t, &past, at(small(mem), "/restored"), want+3, want+3)
		require.NoError(t, mem.RemoveAll("/restored"))
	}
	step := uint64(1)
	if testing.Short() {
		step = 10
	}
	for seq := uint64(0); seq <= 50; seq += step {
		check(AtSeq(seq), seq)
	}
	check(Point{}, 50)
	for _, early := range []int64{-1, toy.ends[1].At - 1} {
		_, err := Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored", At: AtInstant(early)})
		require.ErrorIs(t, err, ErrBadTarget, "an empty store is asked for by the sequence 0 alone")
	}
	for ms := toy.ends[1].At; ms <= toy.at+1; ms += 3 {
		want := uint64(0)
		for _, e := range toy.ends[1:] {
			if e.At <= ms {
				want = e.Seq
			}
		}
		check(AtInstant(ms), want)
	}
	_, err := Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored", At: AtSeq(51)})
	require.ErrorIs(t, err, ErrBadTarget)
	require.Contains(t, err.Error(), "from record 1 (1970-01-01T00:00:00.")
	mustHold(t, toy, small(mem), 50, 50)
}

func TestRestoreAsFarAsTheLogIsKept(t *testing.T) {
	mem := vfs.NewMem()
	o := small(mem)
	o.KeepLog = Keep{Records: 20}
	toy := newToy(1)
	s := open(t, o)
	<-s.checked
	toy.run(t, s, 100)
	require.NoError(t, s.Close())
	o.ReadOnly = true
	s = open(t, o)
	first := s.Marker().FirstKept
	require.NoError(t, s.Close())
	require.Greater(t, first, uint64(50))
	for _, p := range []Point{AtSeq(first - 1), AtSeq(0), AtSeq(101), AtInstant(toy.ends[first].At - 1),
		AtInstant(-1)} {
		_, err := Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored", At: p})
		var kept *BadTargetError
		require.ErrorAs(t, err, &kept)
		require.Equal(t, first, kept.First.Seq)
		require.EqualValues(t, 100, kept.End.Seq)
	}
	_, err := Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored", At: AtSeq(first)})
	require.NoError(t, err)
	mustHold(t, toy, at(small(mem), "/restored"), first, first)

	// Before the first record of all there is nothing, which only the sequence 0 asks for.
	mem, toy = written(t, 30)
	_, err = Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored", At: AtInstant(-1)})
	require.ErrorIs(t, err, ErrBadTarget)
	b, err := Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored", At: AtSeq(0)})
	require.NoError(t, err)
	require.EqualValues(t, 30, b.Source.Seq)
	mustHold(t, toy, at(small(mem), "/restored"), 0, 0)
}

// A restore finds a row that is not what the log left, and a source whose log is
// shorter than its head file says.
func TestRestoreOfADamagedSource(t *testing.T) {
	mem, _ := written(t, 30)
	setHead(t, mem, func(h *head) { h.Seq = 31 })
	_, err := Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored"})
	require.ErrorIs(t, err, ErrShortLog)
	_, err = mem.Stat("/restored")
	require.ErrorIs(t, err, os.ErrNotExist)

	// A directory that was there stays, as empty as it was.
	require.NoError(t, mem.MkdirAll("/there", 0o700))
	_, err = Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/there"})
	require.ErrorIs(t, err, ErrShortLog)
	names, err := mem.List("/there")
	require.NoError(t, err)
	require.Empty(t, names)
}

func TestRestoreFindsARowThatTheLogDidNotLeave(t *testing.T) {
	mem, _ := written(t, 30)
	damage(t, mem, func(db *pebble.DB) {
		it, err := db.NewIter(rowBounds(0, 255))
		require.NoError(t, err)
		b := db.NewBatch()
		for ok := it.First(); ok; ok = it.Next() {
			require.NoError(t, b.Set(it.Key(), []byte("?"), nil))
		}
		require.NoError(t, it.Close())
		require.NoError(t, db.Apply(b, pebble.Sync))
	})
	_, err := Restore(t.Context(), RestoreOptions{FS: mem, From: "/data", To: "/restored", At: AtSeq(10)})
	require.ErrorIs(t, err, ErrCorrupt)
	require.Contains(t, err.Error(), "is not what log record")
}

// A start refuses rows that do not have the state hash of the log: a restore does not make them.
func TestRestoreComparesTheStateHash(t *testing.T) {
	mem := vfs.NewMem()
	o := small(mem)
	s := open(t, o)
	toy := newToy(newSeed(t))
	toy.run(t, s, 20)
	seq, at, hash := toy.step()
	require.NoError(t, s.Commit(&toy.g, seq, at, hash+1))
	s.Published(seq)
	require.NoError(t, s.Close())
	restore := func(p Point) error {
		_, err := Restore(t.Context(),
			RestoreOptions{FS: mem, From: "/data", To: "/restored", At: p, RowHash: toyHash})
		return err
	}
	err := restore(Point{})
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "the marker at record 21 says")
	_, err = mem.Stat("/restored")
	require.ErrorIs(t, err, os.ErrNotExist, "nothing is left")
	require.NoError(t, restore(AtSeq(20)), "before that all was in order")
	mustHold(t, toy, Options{Dir: "/restored", FS: mem}, 20, 20)
}

func TestArchiveOfADirectoryInUse(t *testing.T) {
	mem, _ := written(t, 3)
	s := open(t, small(mem))
	require.ErrorIs(t, WriteArchive(t.Context(), io.Discard, mem, "/data", nil), ErrLocked)
	require.NoError(t, s.Close())
	require.NoError(t, WriteArchive(t.Context(), io.Discard, mem, "/data", nil))
}

func TestVerifyReportsWhatItRead(t *testing.T) {
	mem, toy := written(t, 30)
	rep, err := Verify("/data", VerifyOptions{FS: mem})
	require.NoError(t, err)
	require.Equal(t, uint64(30), rep.Records)
	require.Equal(t, uint64(len(toy.rows)), rep.Rows)
	require.Equal(t, rep.Rows, rep.Compared)
	require.Equal(t, toy.sum, rep.Marker.StateHash)
	rows := uint64(0)
	for _, r := range rep.Tables {
		rows += r.Rows
	}
	require.Equal(t, rep.Rows, rows)
	_, err = Verify("/nothing", VerifyOptions{FS: mem})
	require.ErrorIs(t, err, ErrNoStore)
}

// FuzzArchive restores from any bytes that an archive may hold. It is refused as damaged, or the directory that is made
// is in order.
func FuzzArchive(f *testing.F) {
	mem, _ := written(f, 6)
	s := open(f, small(mem))
	var whole bytes.Buffer
	_, err := s.WriteCheckpoint(f.Context(), &whole, nil)
	require.NoError(f, err)
	require.NoError(f, s.Close())
	z, err := zstd.NewReader(&whole)
	require.NoError(f, err)
	plain, err := io.ReadAll(z)
	require.NoError(f, err)
	z.Close()
	_, err = Restore(f.Context(), RestoreOptions{FS: vfs.NewMem(), Archive: bytes.NewReader(stored(plain)), To: "/new"})
	require.NoError(f, err)
	f.Add(plain)
	f.Add(plain[:len(plain)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, plain []byte) {
		mem := vfs.NewMem()
		if _, err := Restore(t.Context(),
			RestoreOptions{FS: mem, Archive: bytes.NewReader(stored(plain)), To: "/new"}); err == nil {
			_, err = Verify("/new", VerifyOptions{FS: mem})
			require.NoError(t, err)
		}
	})
}
