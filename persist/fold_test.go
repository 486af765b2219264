package persist

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/persist/power"
)

// manual is a store that folds only when told.
func manual(t *testing.T, mem vfs.FS) *Store {
	t.Helper()
	o := small(mem)
	o.NoFold = true
	s := open(t, o)
	<-s.checked
	return s
}

func TestRowSeesThePublishedValue(t *testing.T) {
	seed := newSeed(t)
	rng := rand.New(rand.NewPCG(seed, 4))
	toy := newToy(seed)
	s := manual(t, vfs.NewMem())
	defer s.Close()
	published := uint64(0)
	var f fold
	for range 300 {
		seq, at, hash := toy.step()
		require.NoError(t, s.Commit(&toy.g, seq, at, hash))
		if rng.IntN(2) == 0 {
			published += rng.Uint64N(seq - published + 1)
			s.Published(published)
		}
		once := rng.IntN(3) > 0 // else the fold catches up, also with what nobody has read yet
		for more := rng.IntN(3) == 0; more; more = more && !once {
			var err error
			more, err = s.foldOnce(&f)
			require.NoError(t, err)
			require.LessOrEqual(t, s.Marker().Seq, published)
		}
		for range 5 {
			row := string([]byte{byte(rng.IntN(3)), byte('a' + rng.IntN(5)), byte('a' + rng.IntN(6))})
			v, ok, err := s.Row(row[0], []byte(row[1:]))
			require.NoError(t, err)
			want, exists := toy.past[published][row]
			require.Equal(t, exists, ok)
			require.Equal(t, want, string(v))
		}
	}
	for more := true; more; {
		var err error
		more, err = s.foldOnce(&f)
		require.NoError(t, err)
	}
	require.Equal(t, published, s.Marker().Seq, "never past the published sequence")
	require.Len(t, s.overlay.recs, int(toy.seq-published))
}

// TestFoldCutAnywhere folds up to a random record, cuts the power, and replays the rest. It holds invariant 3.
func TestFoldCutAnywhere(t *testing.T) {
	seed := newSeed(t)
	rng := rand.New(rand.NewPCG(seed, 5))
	for range 30 {
		mem := power.NewDisk()
		toy := newToy(seed + rng.Uint64N(1000))
		s := manual(t, mem)
		var f fold
		for range 40 {
			seq, at, hash := toy.step()
			require.NoError(t, s.Commit(&toy.g, seq, at, hash))
			s.Published(rng.Uint64N(seq-s.published.Load()+1) + s.published.Load())
			if rng.IntN(4) == 0 {
				_, err := s.foldOnce(&f)
				require.NoError(t, err)
			}
		}
		least := s.Marker().Seq
		c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rng})
		require.NoError(t, s.Close())
		s = open(t, small(c))
		require.NoError(t, toy.check(s, 40, 40))
		require.LessOrEqual(t, s.Marker().Seq, least)
		require.NoError(t, s.Close())
	}
}

func TestFoldWritesEachRowOnce(t *testing.T) {
	s := manual(t, vfs.NewMem())
	defer s.Close()
	var g Group
	for i := uint64(1); i <= 10; i++ {
		var before []byte
		if i > 1 {
			before = []byte{byte(i - 1)}
		}
		g.Change(1, []byte("much changed"), before, []byte{byte(i)})
		g.Change(1, fmt.Appendf(nil, "come and gone %d", i), nil, []byte("x"))
		g.Change(1, fmt.Appendf(nil, "come and gone %d", i), []byte("x"), nil)
		require.NoError(t, s.Commit(&g, i, 0, 0))
	}
	s.Published(10)
	var f fold
	f.recs = s.overlay.upTo(10, 1<<20, nil)
	f.collect()
	b := s.db.NewBatch()
	defer b.Close()
	f.write(b)
	require.Equal(t, uint32(1), b.Count())
}

func TestFoldOfWhatIsLargerThanTheLimit(t *testing.T) {
	s := manual(t, vfs.NewMem())
	defer s.Close()
	var g Group
	for i := uint64(1); i <= 3; i++ {
		g.Change(1, []byte{byte(i)}, nil, make([]byte, 5000))
		require.NoError(t, s.Commit(&g, i, 0, 0))
	}
	s.Published(3)
	var f fold
	for i := uint64(1); i <= 3; i++ {
		_, err := s.foldOnce(&f)
		require.NoError(t, err)
		require.Equal(t, i, s.Marker().Seq, "one record at a time")
	}
}

// TestRetention holds invariant 7.
func TestRetention(t *testing.T) {
	for _, keep := range []Keep{{Records: 1}, {Records: 10}, {Records: 200}, {Bytes: 1}, {Bytes: 3000},
		{Records: 50, Bytes: 3000}, {All: true}} {
		mem := vfs.NewMem()
		o := small(mem)
		o.KeepLog = keep
		toy := newToy(1)
		for range 4 {
			s := open(t, o)
			require.NoError(t, toy.check(s, toy.seq, toy.seq))
			<-s.checked
			toy.resume(s)
			toy.run(t, s, 100)
			eventually(t, "folded", func() bool { return s.Marker().Seq == toy.seq })
			m := s.Marker()
			kept := toy.seq - m.FirstKept + 1
			size := int64(0)
			for seq := m.FirstKept; seq <= toy.seq; seq++ {
				r, err := s.Record(seq)
				require.NoError(t, err)
				size += int64(r.Size())
			}
			require.GreaterOrEqual(t, kept, min(keep.Records, toy.seq))
			require.GreaterOrEqual(t, size, min(keep.Bytes, 1000))
			if keep.All {
				require.Equal(t, uint64(1), m.FirstKept)
			} else if keep.Records < 100 {
				require.Less(t, kept, keep.Records+30, "%+v", keep)
				_, err := s.Record(m.FirstKept - 1)
				require.ErrorIs(t, err, ErrPruned)
			}
			require.NoError(t, s.Close())
		}
	}
}

// A log that is cut while the fold lags, as a crash at the wrong instant would find it, begins at what is folded or
// before. It holds invariant 8.
func TestTheLogIsCutAtWhatIsFolded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	cuts := 0
	for range 200 {
		k := keptLog{keep: Keep{Records: rng.Uint64N(20)}, ready: true}
		folded, first := uint64(0), uint64(1)
		for seq := uint64(1); seq <= 100; seq++ {
			k.add(Record{Position: Position{Seq: seq}})
			folded += rng.Uint64N(seq - folded + 1)
			if rng.IntN(10) > 0 {
				continue
			}
			at, _, ok := k.cut(folded, seq)
			if !ok {
				continue
			}
			cuts++
			require.Greater(t, at, first)
			require.LessOrEqual(t, at, folded, "record %d is cut, though it is not folded", at-1)
			require.GreaterOrEqual(t, seq-at+1, k.keep.Records)
			first = at
		}
	}
	require.Greater(t, cuts, 200)
}

// Those who wait for a record read it once it is published, and never before.
func TestWake(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, small(mem))
	toy := newToy(1)
	var wg sync.WaitGroup
	for from := range uint64(4) {
		wg.Go(func() {
			for seq := from + 1; seq <= 200; seq++ {
				<-s.Wake(seq)
				r, err := s.Record(seq)
				if err != nil || r.Seq != seq || s.published.Load() < seq {
					panic(fmt.Sprint(seq, r.Seq, err))
				}
			}
		})
	}
	toy.run(t, s, 200)
	wg.Wait()

	_, err := s.Record(201)
	require.ErrorIs(t, err, ErrNotPublished)
	next := s.Wake(201)
	select {
	case <-next:
		t.Fatal("not published")
	case <-s.Wake(200):
	}
	require.NoError(t, s.Close())
	<-next
	<-s.Wake(202)
}

// The folder waits while Pebble's L0 is deep, commits go on, and what is not
// folded is still seen; unless too much is waiting.
func TestFoldIsThrottled(t *testing.T) {
	o := small(vfs.NewMem())
	var depth, asked atomic.Int64
	depth.Store(maxSublevels)
	o.sublevels = func(*pebble.DB) int { asked.Add(1); return int(depth.Load()) }
	s := open(t, o)
	toy := newToy(1)
	toy.run(t, s, 500)
	eventually(t, "the folder asked", func() bool { return asked.Load() > 1 })
	require.Zero(t, s.Marker().Seq)
	for row, want := range toy.rows {
		v, ok, err := s.Row(row[0], []byte(row[1:]))
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, string(v))
	}
	s.overlay.bytes.Add(maxUnfolded)
	eventually(t, "folded", func() bool { return s.Marker().Seq == 500 })
	s.overlay.bytes.Add(-maxUnfolded)
	toy.run(t, s, 5)
	depth.Store(maxSublevels - 1)
	eventually(t, "folded", func() bool { return s.Marker().Seq == 505 })
	depth.Store(maxSublevels)
	toy.run(t, s, 5)
	require.NoError(t, s.Close())
	require.Equal(t, uint64(510), s.Marker().Seq, "closing does not wait for L0")
}

// The records that were folded may be large: the folder keeps nothing of them.
func TestTheFolderLetsGoOfWhatItFolded(t *testing.T) {
	toy := newToy(newSeed(t))
	s := manual(t, vfs.NewMem())
	defer s.Close()
	var f fold
	for range 20 {
		seq, at, hash := toy.step()
		require.NoError(t, s.Commit(&toy.g, seq, at, hash))
		s.Published(seq)
	}
	_, err := s.foldOnce(&f)
	require.NoError(t, err)
	require.Positive(t, cap(f.last))
	for _, r := range f.last[:cap(f.last)] {
		require.Equal(t, foldRow{}, r)
	}
	for _, r := range f.recs[:cap(f.recs)] {
		require.Zero(t, r)
	}
	require.Empty(t, f.at)
}
