package persist

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/persist/power"
)

// crash is what a power cut left, with what the writer knew at that moment.
type crash struct {
	fs          *power.Disk
	name        string
	least, most uint64
}

// TestCrashAtEverySync cuts the power before and after every sync of a run, with none, half and all of what was not
// synced kept, opens what is left, and cuts again at every sync of that opening. It holds invariant 1.
func TestCrashAtEverySync(t *testing.T) {
	seed := newSeed(t)
	mem := power.NewDisk()
	fs := hook(mem)
	o := small(fs)
	o.KeepLog = Keep{Records: 20}
	toy := newToy(seed)

	var acked, attempted atomic.Uint64
	var mu sync.Mutex
	var crashes []crash
	kept := []int{0, 50, 100} // percent of what was not synced
	if testing.Short() {
		kept = []int{50}
	}
	n := 0
	fs.set(func(op errorfs.Op) error {
		if !isSync(op) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		n++
		for _, percent := range kept {
			least := acked.Load()
			c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent,
				RNG: rand.New(rand.NewPCG(seed, uint64(n)))})
			crashes = append(crashes,
				crash{c, fmt.Sprintf("sync %d of %s, %d %% kept", n, op.Path, percent), least, attempted.Load()})
		}
		return nil
	})
	s := open(t, o)
	for range 60 {
		attempted.Add(1)
		require.NoError(t, toy.commit(s))
		acked.Add(1)
	}
	require.NoError(t, s.Close())
	fs.set(func(errorfs.Op) error { return nil })
	t.Logf("%d syncs", n)

	deep := 0
	for i, c := range crashes {
		reopened := hook(c.fs)
		var again []crash
		if i%20 == 0 {
			reopened.set(func(op errorfs.Op) error {
				if isSync(op) {
					mu.Lock()
					defer mu.Unlock()
					for _, percent := range kept {
						f := c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent,
							RNG: rand.New(rand.NewPCG(seed, uint64(i)))})
						again = append(again,
							crash{fs: f, name: fmt.Sprintf("%s, then at %s, %d %% kept", c.name, op.Path, percent)})
					}
				}
				return nil
			})
		}
		end := mustRecover(t, toy, c, small(reopened))
		reopened.set(func(errorfs.Op) error { return nil })
		for _, a := range again {
			// What was read once must be there ever after.
			a.least, a.most = c.least, max(c.most, end)
			mustRecover(t, toy, a, small(a.fs))
			deep++
		}
	}
	t.Logf("%d crashes, %d crashes in recovery", len(crashes), deep)
}

func mustRecover(t *testing.T, toy *toy, c crash, o Options) uint64 {
	t.Helper()
	s, err := Open(o)
	require.NoError(t, err, c.name)
	require.NoError(t, toy.check(s, c.least, c.most), c.name)
	end := s.End().Seq
	require.NoError(t, s.Close(), c.name)
	return end
}

// TestCrashThenGoOn writes, cuts the power, opens and writes on, many times over
// on the same directory.
func TestCrashThenGoOn(t *testing.T) {
	seed := newSeed(t)
	rng := rand.New(rand.NewPCG(seed, 2))
	mem := power.NewDisk()
	toy := newToy(seed)
	for round := range 60 {
		o := small(mem)
		o.KeepLog = Keep{Records: uint64(rng.IntN(30) + 1)}
		o.NoFold = rng.IntN(4) == 0
		s, err := Open(o)
		require.NoError(t, err, "round %d", round)
		require.NoError(t, toy.check(s, toy.seq, toy.seq), "round %d", round)
		toy.resume(s)
		toy.run(t, s, rng.IntN(20))
		next := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rng})
		require.NoError(t, s.Close())
		mem = next
	}
}

// TestCrashDuringBackup cuts the power at every sync of a backup and of a
// restore: what is left either holds everything or does not open.
func TestCrashDuringBackup(t *testing.T) {
	seed := newSeed(t)
	mem := power.NewDisk()
	fs := hook(mem)
	s := open(t, small(fs))
	toy := newToy(seed)
	toy.run(t, s, 40)
	var mu sync.Mutex
	var crashes []crash
	fs.set(func(op errorfs.Op) error {
		if !isSync(op) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		for _, percent := range []int{0, 50, 100} {
			c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent,
				RNG: rand.New(rand.NewPCG(seed, uint64(len(crashes))))})
			crashes = append(crashes,
				crash{fs: c, name: fmt.Sprintf("sync %d of %s, %d %% kept", len(crashes)/3, op.Path, percent)})
		}
		return nil
	})
	_, err := s.Checkpoint(t.Context(), "/backup", nil)
	require.NoError(t, err)
	_, err = Restore(t.Context(), RestoreOptions{FS: fs, From: "/backup", To: "/restored", At: AtSeq(20)})
	require.NoError(t, err)
	crashes = append(crashes, crash{fs: mem.CrashClone(vfs.CrashCloneCfg{}), name: "done"})
	fs.set(func(errorfs.Op) error { return nil })
	require.NoError(t, s.Close())

	whole := map[string]int{}
	for _, c := range crashes {
		c.least, c.most = 40, 40
		mustRecover(t, toy, c, small(c.fs))
		for dir, end := range map[string]uint64{"/backup": 40, "/restored": 20} {
			o := at(small(c.fs), dir)
			o.ReadOnly = true
			s, err := Open(o)
			if err != nil {
				require.True(t, errors.Is(err, ErrHeadLost) || errors.Is(err, ErrNoStore), "%s: %v", c.name, err)
				continue
			}
			require.NoError(t, toy.check(s, end, end), c.name)
			require.NoError(t, s.Close())
			whole[dir]++
		}
	}
	require.NotZero(t, whole["/backup"])
	require.NotZero(t, whole["/restored"])
	t.Logf("%d crashes; opened: %v", len(crashes), whole)
}
