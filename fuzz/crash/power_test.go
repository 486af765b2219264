package crash

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/fuzz/workload"
	"holdfast/persist"
	"holdfast/persist/power"
)

// This file owns power cuts.

// cut is what a power cut left, and which lines were answered and submitted by then.
type cut struct {
	fs          *power.Disk
	name        string
	least, most int
}

// TestCrashAtEverySync cuts the power at every sync of a run, keeping none, half or all of what was not synced, opens
// what is left, and of some cuts again at every sync of that opening. It holds invariant 2 of package engine.
func TestCrashAtEverySync(t *testing.T) {
	seed := newSeed(t)
	commands, deepEvery, kept := 70, 23, []int{0, 50, 100} // percent of what was not synced
	if testing.Short() {
		commands, deepEvery, kept = 8, 40, kept[1:2]
	}
	if long() {
		commands, deepEvery = 200, 3
	}
	s := record(t, seed, commands)
	mem := power.NewDisk()
	var answered atomic.Int64
	var mu sync.Mutex
	var cuts []cut
	n := uint64(0)
	over := false
	w := &workload.World{FS: hooked(mem, func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if isSync(op) && !over {
			n++
			for _, percent := range kept {
				least := int(answered.Load())
				name := fmt.Sprintf("sync %d of %s, %d %% kept", n, op.Path, percent)
				left := clone(mem, percent, seed+n)
				// now: a line may have been answered, and the next one written, meanwhile
				most := int(answered.Load()) + 1
				cuts = append(cuts, cut{left, name, least, min(most, len(s.lines))})
			}
		}
		return nil
	})}
	_, err := s.play(w, func(n int) { answered.Store(int64(n)) })
	require.NoError(t, err)
	require.NoError(t, w.Close())
	over = true
	deep := 0
	for i, c := range cuts {
		if i%deepEvery != 0 {
			s.judge(t, c.fs, c.name, c.least, c.most, nil, seed)
			continue
		}
		var again []cut
		opening := true
		fs := hooked(c.fs, func(op errorfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if isSync(op) && opening {
				for _, percent := range kept {
					name := fmt.Sprintf("%s, then in recovery at %s, %d %% kept", c.name, op.Path, percent)
					again = append(again, cut{clone(c.fs, percent, seed), name, c.least, c.most})
				}
			}
			return nil
		})
		r := &workload.World{FS: fs, Clock: workload.Start}
		var err error
		r.Store, err = persist.Open(workload.StoreOptions(fs))
		require.NoError(t, err, c.name)
		end := r.Store.End().Seq
		require.NoError(t, r.OpenEngine(), c.name)
		mu.Lock()
		opening = false
		mu.Unlock()
		own := map[uint64]uint64{}
		for seq := end + 1; seq <= r.Store.End().Seq; seq++ {
			x, err := r.Store.Record(seq)
			require.NoError(t, err, c.name)
			own[seq] = x.StateHash
		}
		require.NoError(t, r.Close(), c.name)
		for _, a := range again {
			s.judge(t, a.fs, a.name, a.least, a.most, own, seed)
			deep++
		}
	}
	t.Logf("%d lines, %d power cuts, %d in recovery", len(s.lines), len(cuts), deep)
	require.Greater(t, deep, 0)
}
