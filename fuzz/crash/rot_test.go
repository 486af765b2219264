package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/stock"
	"holdfast/fuzz/workload"
	"holdfast/persist"
	"holdfast/persist/power"
)

// This file owns rotten bits.

// TestFlippedBits flips one bit of a closed data directory, somewhere in its log, rows, manifest or head file, and
// opens it: it is refused, as damaged where it is log, rows or head file, or it is the same state, to the hash.
func TestFlippedBits(t *testing.T) {
	seed := newSeed(t)
	flips := 400
	if testing.Short() {
		flips = 40
	}
	if long() {
		flips = 40_000
	}
	s := record(t, seed, 30)
	mem := power.NewDisk()
	w := &workload.World{FS: mem}
	_, err := s.play(w, func(int) {})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	closed := []*power.Disk{clone(mem, 100, seed)} // everything lies in the log
	require.NoError(t, w.Open())
	require.NoError(t, w.Close())
	closed = append(closed, mem) // opened once more: what was folded lies in tables
	rng := rand.New(rand.NewPCG(seed, 3))
	refused, harmless := map[string]int{}, map[string]int{}
	for range flips {
		of := closed[rng.IntN(2)]
		names, err := of.List(workload.Dir)
		require.NoError(t, err)
		c := clone(of, 100, seed)
		name := path.Join(workload.Dir, names[rng.IntN(len(names))])
		what, ok := flip(t, c, name, rng)
		if !ok {
			continue
		}
		kind := kindOf(name)
		if err := s.reopen(c); err == nil {
			harmless[kind]++
		} else {
			require.NotErrorIs(t, err, errSilent, what)
			if kind == ".log" || kind == ".sst" || kind == "HEAD" {
				require.ErrorIs(t, err, persist.ErrCorrupt, what)
			}
			refused[kind]++
		}
	}
	t.Logf("refused %v, harmless %v", refused, harmless)
}

// kindOf groups files whose names are numbered.
func kindOf(name string) string {
	if e := path.Ext(name); e != "" {
		return e
	}
	name = path.Base(name)
	for i, r := range name {
		if r == '-' || r == '.' {
			return name[:i]
		}
	}
	return name
}

// flip flips a random bit of a file; ok is false for an empty one.
func flip(t *testing.T, fs vfs.FS, name string, rng *rand.Rand) (what string, ok bool) {
	t.Helper()
	info, err := fs.Stat(name)
	require.NoError(t, err)
	if info.IsDir() || info.Size() == 0 {
		return "", false
	}
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	defer f.Close()
	at, bit := rng.Int64N(info.Size()), byte(1)<<rng.IntN(8)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	require.NoError(t, err)
	b[0] ^= bit
	_, err = f.WriteAt(b, at)
	require.NoError(t, err)
	return fmt.Sprintf("bit %#02x of byte %d of %s", bit, at, name), true
}

// errSilent is a state that differs though nothing was refused.
var errSilent = errors.New("another state came up without a word")

func (s *script) reopen(fs vfs.FS) error {
	w := &workload.World{FS: fs, Clock: s.lines[len(s.lines)-1].Clock}
	if err := w.Open(); err != nil {
		return err
	}
	defer w.Close()
	last := s.end(len(s.lines))
	seq, hash := w.Engine.State()
	if seq > last { // what was due was done at the start
		r, err := w.Store.Record(last)
		if err != nil {
			return err
		}
		seq, hash = last, r.StateHash
	}
	if seq != last || hash != s.hash[last] {
		return fmt.Errorf("%w: %d %016x instead of %d %016x", errSilent, seq, hash, last, s.hash[last])
	}
	for _, id := range s.ids {
		if _, err := w.Engine.Do(engine.Command{Account: id,
			Op: stock.CreateLocation{
				LocationFields: stock.LocationFields{Name: "after", Timezone: "UTC"}}}); err != nil {
			return fmt.Errorf("%w: %w", errSilent, err)
		}
	}
	return nil
}
