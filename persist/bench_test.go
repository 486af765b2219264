package persist

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// group fills g with n changes of about 300 bytes, before and after together.
func group(g *Group, n int, seq uint64) {
	var key [17]byte
	var value [150]byte
	for i := range n {
		binary.BigEndian.PutUint64(key[:], seq%50_000*uint64(n)+uint64(i))
		binary.BigEndian.PutUint64(value[:], seq)
		g.Change(1, key[:], value[:130], value[:])
	}
}

func benchmarkCommit(b *testing.B, o Options, n int) {
	s := open(b, o)
	var g Group
	seq := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		seq++
		group(&g, n, seq)
		require.NoError(b, s.Commit(&g, seq, int64(seq), seq))
		s.Published(seq)
	}
	require.NoError(b, s.Close())
}

// The cost above a bare sync of as many bytes is what BenchmarkCommit/disk has
// over BenchmarkSync.
func BenchmarkCommit(b *testing.B) {
	b.Run("disk", func(b *testing.B) { benchmarkCommit(b, Options{Dir: b.TempDir()}, 20) })
	b.Run("memory", func(b *testing.B) { benchmarkCommit(b, Options{Dir: "/data", FS: vfs.NewMem()}, 20) })
}

// BenchmarkSync writes and syncs, at the end of a file and over the zeros ahead
// of it.
func BenchmarkSync(b *testing.B) {
	for _, name := range []string{"end", "ahead"} {
		b.Run(name, func(b *testing.B) {
			f, err := vfs.Default.Create(filepath.Join(b.TempDir(), "f"), vfs.WriteCategoryUnspecified)
			require.NoError(b, err)
			if name == "ahead" {
				f, err = newPaddedFile(f)
				require.NoError(b, err)
			}
			buf := make([]byte, 20*310)
			for b.Loop() {
				_, err := f.Write(buf)
				require.NoError(b, err)
				require.NoError(b, f.SyncData())
			}
			require.NoError(b, f.Close())
		})
	}
}

// BenchmarkMerge folds in memory and counts the bytes that merges write for one
// of the rows and the log, as deep as L0 may get here and with Pebble's own depth.
func BenchmarkMerge(b *testing.B) {
	for _, depth := range []int{0, 4} {
		b.Run(strconv.Itoa(depth), func(b *testing.B) {
			o := Options{Dir: "/data", FS: vfs.NewMem(), MemTableSize: 1 << 20, l0Depth: depth}
			s := open(b, o)
			var g Group
			seq := uint64(0)
			for b.Loop() {
				seq++
				group(&g, 20, seq)
				require.NoError(b, s.Commit(&g, seq, int64(seq), seq))
				s.Published(seq)
			}
			var flushed, merged uint64
			for _, l := range s.db.Metrics().Levels {
				flushed += l.TableBytesFlushed
				merged += l.TableBytesCompacted
			}
			b.ReportMetric(float64(merged)/float64(flushed), "merged/flushed")
			require.NoError(b, s.Close())
		})
	}
}

func BenchmarkGroup(b *testing.B) {
	var g Group
	b.ReportAllocs()
	for b.Loop() {
		g.Reset()
		group(&g, 20, 1)
	}
}

func BenchmarkSeal(b *testing.B) {
	var g Group
	b.ReportAllocs()
	for b.Loop() {
		group(&g, 20, 1)
		r := g.seal(Position{}, 1, 0, 0, 0)
		b.SetBytes(int64(r.Size()))
	}
}

// BenchmarkScan reads rows of 100 bytes as a start does, from a directory of
// HOLDFAST_ROWS rows (default 1,000,000).
func BenchmarkScan(b *testing.B) {
	n := 1_000_000
	if v, err := strconv.Atoi(os.Getenv("HOLDFAST_ROWS")); err == nil {
		n = v
	}
	o := Options{Dir: b.TempDir(), KeepLog: Keep{Records: 1}}
	s := filled(b, o, n)
	defer s.Close()
	for _, workers := range []int{1, 2} {
		b.Run(string(rune('0'+workers)), func(b *testing.B) {
			for b.Loop() {
				var counts [2][8]int
				require.NoError(b, s.ScanRows(workers, func(w int, _ byte, key, value []byte) error {
					counts[w][0] += len(key) + len(value)
					return nil
				}))
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// BenchmarkOpen opens a directory with a kept log of 256 MiB behind the fold and
// waits until its chain was checked.
func BenchmarkOpen(b *testing.B) {
	o := Options{Dir: b.TempDir(), KeepLog: Keep{All: true}}
	s := open(b, o)
	var g Group
	size := 0
	for seq := uint64(1); size < 256<<20; seq++ {
		group(&g, 1000, seq)
		size += g.Bytes()
		require.NoError(b, s.Commit(&g, seq, int64(seq), seq))
		s.Published(seq)
	}
	require.NoError(b, s.Close())
	b.SetBytes(int64(size))
	for b.Loop() {
		s := open(b, o)
		require.NoError(b, s.Tail(func(Record) error { return nil }))
		require.NoError(b, s.Close())
	}
}

func BenchmarkRow(b *testing.B) {
	o := Options{Dir: b.TempDir(), KeepLog: Keep{Records: 1}}
	s := filled(b, o, 200_000)
	defer s.Close()
	b.Run("there", func(b *testing.B) {
		b.ReportAllocs()
		i := uint64(0)
		for b.Loop() {
			i = (i*7919 + 1) % 200_000
			_, ok, err := s.Row(5, binary.BigEndian.AppendUint64([]byte("0192a4e7"), i<<20))
			require.True(b, ok && err == nil)
		}
	})
	b.Run("missing", func(b *testing.B) {
		i := uint64(0)
		for b.Loop() {
			i = (i*7919 + 1) % 200_000
			_, ok, err := s.Row(5, binary.BigEndian.AppendUint64([]byte("0192a4e7"), i<<20+1))
			require.True(b, !ok && err == nil)
		}
	})
}
