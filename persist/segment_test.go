package persist

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// pieces makes segments of all that was published behind a position.
func pieces(t testing.TB, s *Store, after Position, limit int) (list [][]byte, end Position) {
	t.Helper()
	var buf []byte
	for {
		file, b, seg, err := s.Segment(buf, after, limit)
		require.NoError(t, err)
		if buf = b; file == nil {
			return list, after
		}
		got, prev, err := CheckSegment(bytes.NewReader(file))
		require.NoError(t, err)
		require.Equal(t, seg, got)
		require.Equal(t, after.Hash, prev)
		require.Equal(t, after.Seq+1, seg.First)
		list, after = append(list, file), seg.End
	}
}

func files(list [][]byte) (out []SegmentFile) {
	for i, b := range list {
		out = append(out,
			SegmentFile{Name: string(rune('a' + i%26)), Open: func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(b)), nil
			}})
	}
	return out
}

// TestRestoreWithSegments takes an archive further by pieces of the log, to every kind of point. It holds the end of
// invariant 9.
func TestRestoreWithSegments(t *testing.T) {
	mem := vfs.NewMem()
	o := small(mem)
	toy := newToy(newSeed(t))
	s := open(t, o)
	toy.run(t, s, 40)
	from, err := s.Record(30) // a piece begins before the archive ends
	require.NoError(t, err)
	var archive bytes.Buffer
	b, err := s.WriteCheckpoint(t.Context(), &archive, nil)
	require.NoError(t, err)
	require.EqualValues(t, 40, b.End.Seq)
	toy.run(t, s, 60)
	list, end := pieces(t, s, from.Position, 2000)
	require.Equal(t, s.End(), end)
	require.Greater(t, len(list), 3)
	require.NoError(t, s.Close())

	restore := func(dir string, list []SegmentFile, at Point) (Backup, error) {
		return Restore(t.Context(),
			RestoreOptions{FS: mem, Archive: bytes.NewReader(archive.Bytes()), To: dir, At: at, Segments: list,
				RowHash: toyHash})
	}
	for dir, x := range map[string]struct {
		at   Point
		want uint64
	}{
		"/end": {Point{}, 100}, "/seq": {AtSeq(73), 73}, "/archive": {AtSeq(40), 40}, "/before": {AtSeq(12), 12},
		"/instant": {AtInstant(toy.ends[57].At), lastAt(toy, toy.ends[57].At)},
		"/late":    {AtInstant(toy.at + 1000), 100},
	} {
		b, err := restore(dir, files(list), x.at)
		require.NoError(t, err, dir)
		require.Equal(t, x.want, b.End.Seq, dir)
		require.Equal(t, x.want, mustHold(t, toy, at(o, dir), x.want, x.want), dir)
	}

	// What does not fit leaves nothing behind, and says where.
	refused := func(list []SegmentFile, at Point, says ...string) {
		t.Helper()
		_, err := restore("/bad", list, at)
		for _, s := range says {
			require.ErrorContains(t, err, s)
		}
		_, err = mem.Stat("/bad")
		require.ErrorIs(t, err, os.ErrNotExist, "the directory is as it was: not there")
	}
	gap := append(files(list[:2]), files(list[3:])...)
	_, prev, err := CheckSegment(bytes.NewReader(list[2]))
	require.NoError(t, err)
	require.NotZero(t, prev)
	refused(gap, Point{}, "there is a gap: record", "up to record")
	second, _, err := CheckSegment(bytes.NewReader(list[1]))
	require.NoError(t, err)
	for dir, at := range map[string]Point{"/gap": AtSeq(second.End.Seq), "/gapat": AtInstant(second.End.At)} {
		b, err := restore(dir, gap, at) // the error says that such a point does
		require.NoError(t, err)
		require.Equal(t, second.End.Seq, b.End.Seq)
	}
	foreign, _ := written(t, 40)
	s = open(t, small(foreign))
	s.Published(40)
	other, _ := pieces(t, s, Position{}, 1<<20)
	require.NoError(t, s.Close())
	refused(files(other), Point{}, "its record 40 is not the one that the archive")
	refused(files(list), AtSeq(101), "the kept log goes from record 1 (")
	newer := append([]byte(segmentMagic), 0, 0, 0, 1, 0, 0, 0, 0)
	z, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	refused(append(files(list[:1]), files([][]byte{z.EncodeAll(newer, nil)})...), AtInstant(toy.at), "newer version",
		"--at takes such a point")
	whole, before, err := CheckSegment(bytes.NewReader(list[1]))
	require.NoError(t, err)
	noticed := 0
	for i := range list[1] {
		broken := bytes.Clone(list[1])
		broken[i] ^= 1 << (i % 8)
		if seg, prev, err := CheckSegment(bytes.NewReader(broken)); err == nil {
			// A bit of the compression's header that says nothing: the records are the same.
			require.Equal(t, whole, seg)
			require.Equal(t, before, prev)
		} else {
			noticed++
		}
		_, _, err = CheckSegment(bytes.NewReader(list[1][:i]))
		require.Error(t, err, "cut at %d", i)
	}
	require.Greater(t, noticed, len(list[1])-8)
	refused(append(files(list[:1]), files([][]byte{list[1][:len(list[1])/2]})...), Point{}, "up to record")
}

// TestRestoreInManyBatches takes an archive further in batches that rows are made in, changed and dropped.
func TestRestoreInManyBatches(t *testing.T) {
	seed := newSeed(t)
	rng := rand.New(rand.NewPCG(seed, 6))
	mem := vfs.NewMem()
	o := small(mem)
	toy := newToy(seed)
	s := open(t, o)
	toy.run(t, s, 20)
	var archive bytes.Buffer
	b, err := s.WriteCheckpoint(t.Context(), &archive, nil)
	require.NoError(t, err)
	toy.run(t, s, 150)
	from, err := s.Record(b.End.Seq)
	require.NoError(t, err)
	list, _ := pieces(t, s, from.Position, 2000)
	require.NoError(t, s.Close())
	for i, batch := range []int{1, 300, 1000, 3000, 1 + rng.IntN(5000), 1 << 20} {
		dir, at, want := "/end"+string(rune('0'+i)), Point{}, uint64(170)
		if i%2 > 0 {
			want = 20 + rng.Uint64N(151)
			at = AtSeq(want)
		}
		b, err := Restore(t.Context(), RestoreOptions{FS: mem, Archive: bytes.NewReader(archive.Bytes()), To: dir,
			At: at, Segments: files(list), RowHash: toyHash, batch: batch})
		require.NoError(t, err)
		require.Equal(t, want, b.End.Seq)
		o.Dir = dir
		mustHold(t, toy, o, want, want)
	}
}

// lastAt is the last sequence of an instant.
func lastAt(t *toy, at int64) (seq uint64) {
	for i, e := range t.ends {
		if e.At <= at {
			seq = uint64(i)
		}
	}
	return seq
}

// TestSegmentOfAnotherLog tells a position of another log from one that is not kept any more.
func TestSegmentOfAnotherLog(t *testing.T) {
	mem := vfs.NewMem()
	o := small(mem)
	o.KeepLog = Keep{Records: 10}
	toy := newToy(newSeed(t))
	s := open(t, o)
	toy.run(t, s, 200)
	eventually(t, "the log is cut", func() bool { return s.Marker().FirstKept > 20 })
	_, _, _, err := s.Segment(nil, Position{Seq: 3}, 1000)
	require.ErrorIs(t, err, ErrPruned)
	_, err = s.Behind(Position{Seq: 3}, 1000)
	require.ErrorIs(t, err, ErrPruned)
	_, _, _, err = s.Segment(nil, Position{Seq: 195, Hash: Hash{1}}, 1000)
	require.ErrorIs(t, err, ErrCorrupt)
	require.NotErrorIs(t, err, ErrPruned)
	file, _, _, err := s.Segment(nil, s.End(), 1000)
	require.NoError(t, err)
	require.Nil(t, file)
	require.NoError(t, s.Close())
	_, _, _, err = s.Segment(nil, s.End(), 1000)
	require.ErrorIs(t, err, ErrClosed)
}

// stored is a zstd frame of blocks that are not compressed: a compressor would take all the time of a run.
func stored(plain []byte) []byte {
	const most = 1 << 17
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0x58} // no checksum, a window of 2 MiB
	for {
		n := min(len(plain), most)
		head := uint32(n) << 3
		if n == len(plain) {
			head |= 1
		}
		b = append(append(b, byte(head), byte(head>>8), byte(head>>16)), plain[:n]...)
		if plain = plain[n:]; len(plain) == 0 {
			return b
		}
	}
}

// FuzzSegment reads any bytes as a piece of a log: as they come, and as what a compressor was given. It ends, with an
// error of the package or with records that follow each other.
func FuzzSegment(f *testing.F) {
	mem, _ := written(f, 12)
	s := open(f, small(mem))
	list, _ := pieces(f, s, Position{}, 4000)
	require.NoError(f, s.Close())
	for _, file := range list {
		z, err := zstd.NewReader(bytes.NewReader(file))
		require.NoError(f, err)
		plain, err := io.ReadAll(z)
		require.NoError(f, err)
		z.Close()
		_, _, err = CheckSegment(bytes.NewReader(stored(plain)))
		require.NoError(f, err)
		f.Add(file, false)
		f.Add(plain, true)
		f.Add(plain[:len(plain)-5], true)
	}
	f.Fuzz(func(t *testing.T, b []byte, plain bool) {
		if plain {
			b = stored(b)
		}
		seg, _, err := CheckSegment(bytes.NewReader(b))
		if err == nil {
			require.LessOrEqual(t, seg.First, seg.End.Seq)
		}
	})
}
