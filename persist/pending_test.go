package persist

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/persist/power"
)

// This file owns the tests of records that are on their way to the disk together.

// send makes a step and appends it.
func (t *toy) send(s *Store) (*Pending, error) {
	seq, at, hash := t.step()
	return s.Append(&t.g, seq, at, hash)
}

func TestSeveralOnTheirWay(t *testing.T) {
	mem := power.NewDisk()
	s := open(t, small(mem))
	toy := newToy(1)
	var way []*Pending
	for range MaxPending {
		p, err := toy.send(s)
		require.NoError(t, err)
		way = append(way, p)
	}
	require.Zero(t, s.End().Seq, "nothing counts as durable before it is waited for")
	for i, p := range way {
		require.NoError(t, p.Wait())
		seq := uint64(i + 1)
		require.Equal(t, seq, s.End().Seq)
		s.Published(seq)
		c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0, RNG: rand.New(rand.NewPCG(1, 1))})
		mustRecover(t, toy, crash{c, "with others on their way", seq, MaxPending}, small(c))
	}
	require.NoError(t, s.Close())
}

func TestFailedSyncWithSeveralOnTheirWay(t *testing.T) {
	for seed := range uint64(8) {
		mem := power.NewDisk()
		fs := hook(mem)
		s := open(t, small(fs))
		toy := newToy(1)
		toy.run(t, s, 5)
		fs.failing(func(op errorfs.Op) bool { return isLog(op) && isSync(op) })
		var way []*Pending
		for range 3 {
			p, err := toy.send(s)
			if err != nil {
				require.ErrorIs(t, err, ErrFailed) // the first one's sync may have failed by now
				break
			}
			way = append(way, p)
		}
		require.NotEmpty(t, way)
		for _, p := range way {
			require.ErrorIs(t, p.Wait(), ErrOutcomeUnknown)
		}
		require.Equal(t, uint64(5), s.End().Seq)
		mustBeDead(t, toy, s)
		for _, percent := range []int{0, 50, 100} {
			c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(seed, 1))})
			mustRecover(t, toy, crash{c, "after a failed sync", 5, uint64(5 + len(way))}, small(c))
		}
	}
}
