package persist

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/persist/power"
)

func readAll(tb testing.TB, fs vfs.FS, path string) []byte {
	tb.Helper()
	f, err := fs.Open(path)
	require.NoError(tb, err)
	b, err := io.ReadAll(f)
	require.NoError(tb, errors.Join(err, f.Close()))
	return b
}

func writeAll(tb testing.TB, fs vfs.FS, path string, b []byte) {
	tb.Helper()
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	require.NoError(tb, err)
	_, err = f.Write(slices.Clone(b))
	require.NoError(tb, errors.Join(err, f.Sync(), f.Close()))
}

// cloneDir copies a directory of files into a fresh file system.
func cloneDir(tb testing.TB, fs vfs.FS, dir string) *vfs.MemFS {
	tb.Helper()
	to := vfs.NewMem()
	require.NoError(tb, to.MkdirAll(dir, 0o700))
	names, err := fs.List(dir)
	require.NoError(tb, err)
	for _, n := range names {
		if n == lockName {
			continue
		}
		writeAll(tb, to, fs.PathJoin(dir, n), readAll(tb, fs, fs.PathJoin(dir, n)))
	}
	return to
}

// fileKind names what a file of a store is.
func fileKind(name string) string {
	switch {
	case name == headName:
		return "head"
	case strings.HasSuffix(name, ".log"):
		return "wal"
	case strings.HasSuffix(name, ".sst"):
		return "table"
	default:
		kind, _, _ := strings.Cut(strings.ReplaceAll(name, ".", "-"), "-")
		return strings.ToLower(kind)
	}
}

// TestFlippedBit flips bits in every file of a closed and of a crashed
// directory. Each must be refused, when opened or when verified, or change
// nothing. HOLDFAST_LONG=1 flips one bit of every byte (make flips), else of 25
// in each file, -short of five.
func TestFlippedBit(t *testing.T) {
	seed := newSeed(t)
	for stream, closed := range []bool{true, false} {
		t.Run(fmt.Sprintf("closed=%v", closed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, uint64(3+stream)))
			mem := power.NewDisk()
			o := small(mem)
			o.KeepLog = Keep{Records: 40}
			toy := newToy(seed)
			s := open(t, o)
			toy.run(t, s, 60)
			require.NoError(t, s.Close())
			o.MemTableSize = 1 << 20 // what follows stays in Pebble's log file
			s = open(t, o)
			toy.resume(s)
			toy.run(t, s, 40)
			if closed {
				require.NoError(t, s.Close())
			} else {
				eventually(t, "the head file is up to date", func() bool {
					st, err := readHead(mem, "/data")
					return err == nil && st.Seq == toy.seq
				})
				mem = mem.CrashClone(vfs.CrashCloneCfg{})
				require.NoError(t, s.Close())
			}
			flipAll(t, rng, mem, toy)
		})
	}
}

func flipAll(t *testing.T, rng *rand.Rand, mem vfs.FS, toy *toy) {
	base := cloneDir(t, mem, "/data")
	names, err := base.List("/data")
	require.NoError(t, err)
	slices.Sort(names)
	long, _ := strconv.ParseBool(os.Getenv("HOLDFAST_LONG"))
	few := 12
	if testing.Short() {
		few = 3
	}
	type tally struct{ flips, refused, found, harmless int }
	tallies := map[string]*tally{}
	bytes := 0
	for _, n := range names {
		path := base.PathJoin("/data", n)
		clean := readAll(t, base, path)
		bytes += len(clean)
		count := tallies[fileKind(n)]
		if count == nil {
			count = &tally{}
			tallies[fileKind(n)] = count
		}
		stride := 1
		if !long {
			stride = max(len(clean)/few, 1)
		}
		for i := rng.IntN(stride); i < len(clean); i += stride {
			bit := rng.IntN(8)
			name := fmt.Sprintf("%s: byte %d of %d, bit %d", n, i, len(clean), bit)
			rotten := slices.Clone(clean)
			rotten[i] ^= 1 << bit
			fs := cloneDir(t, base, "/data")
			writeAll(t, fs, path, rotten)
			count.flips++

			rep, verr := Verify("/data", VerifyOptions{FS: fs, Check: func(s *Store) error {
				return toy.check(s, toy.seq, toy.seq)
			}})
			if verr == nil {
				require.Equal(t, toy.seq, rep.End.Seq, name)
			}
			require.Equal(t, rotten, readAll(t, fs, path), "%s: verify changed the file", name)

			s, err := Open(small(fs))
			if err == nil {
				err = toy.check(s, toy.seq, toy.seq)
				cerr := s.Close()
				if err == nil && verr == nil {
					require.NoError(t, cerr, name)
				}
			} else {
				// Refused: left as it was.
				require.Equal(t, rotten, readAll(t, fs, path), name)
			}
			switch {
			case err != nil:
				// A fault in what the store was built from is always an error
				// of ours, not of the comparison with the history.
				require.True(t, explained(err), "%s: %v", name, err)
				require.Error(t, verr, "%s: refused (%v), but verify finds nothing", name, err)
				count.refused++
			case verr != nil:
				count.found++
			default:
				count.harmless++
			}
		}
	}
	t.Logf("%d bytes in %d files", bytes, len(names))
	for kind, c := range tallies {
		t.Logf("%-8s %5d flips: %5d refused when opened, %4d found by verify, %5d harmless", kind, c.flips, c.refused,
			c.found, c.harmless)
	}
}

// explained says whether an error is one an operator is to see.
func explained(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNewerFormat) || errors.Is(err, ErrFailed) ||
		strings.Contains(err.Error(), "pebble") || strings.Contains(err.Error(), "the marker says")
}

func TestFlipUnderWayIsNoticedWhileRunning(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, small(mem))
	toy := newToy(1)
	toy.perStep = 40
	toy.run(t, s, 60)
	require.NoError(t, s.Close())
	o := small(mem)
	o.CacheSize = 1
	s = open(t, o)
	defer s.Close()
	toy.resume(s)
	<-s.checked // nobody reads the files whose bytes are changed here
	names, err := mem.List("/data")
	require.NoError(t, err)
	for _, n := range names {
		if strings.HasSuffix(n, ".sst") {
			b, err := mem.UnsafeGetFileDataBuffer("/data/" + n)
			if err == nil {
				b[len(b)/2] ^= 1
			}
		}
	}
	// Reading runs into it, and the store stops.
	for seq := uint64(1); err == nil && seq <= toy.seq; seq++ {
		_, err = s.Record(seq)
	}
	require.Error(t, err)
	select {
	case <-s.fuse.dead:
	case <-time.After(20 * time.Second):
		t.Fatal("not dead")
	}
	require.ErrorIs(t, s.Failed(), ErrCorrupt)
}
