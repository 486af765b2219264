package persist

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

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

// The log is not synced behind the first record, and the head file is written meanwhile: it names that record and no
// later one, so that the directory opens. It holds a part of invariant 4.
func TestHeadNamesWhatIsSynced(t *testing.T) {
	for range 20 {
		if headBehindTheLog(t) {
			return
		}
	}
	t.Fatal("the head file was always written before a second record could be handed over")
}

// headBehindTheLog is one try; it is none where the head file was written too soon.
func headBehindTheLog(t *testing.T) (tried bool) {
	mem := power.NewDisk()
	fs := hook(mem)
	o := small(fs)
	o.HeadInterval = 50 * time.Millisecond // the second record is handed over before
	s := open(t, o)
	toy := newToy(1)
	first, err := toy.send(s)
	require.NoError(t, err)
	require.NoError(t, first.Wait())
	goOn, headWritten := make(chan struct{}), make(chan struct{}, 1)
	fs.set(func(op errorfs.Op) error {
		switch {
		case !isSync(op):
		case isLog(op):
			<-goOn
		case strings.HasSuffix(op.Path, headName):
			select {
			case headWritten <- struct{}{}:
			default:
			}
		}
		return nil
	})
	second, err := toy.send(s)
	require.NoError(t, err)
	select {
	case <-headWritten: // and on its way to be synced: a disk may keep what was not
		tried = true
	case <-time.After(time.Second):
	}
	for _, percent := range []int{0, 100} {
		c := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(1, 1))})
		mustRecover(t, toy, crash{c, "behind the head", 1, 2}, small(c))
	}
	close(goOn)
	require.NoError(t, second.Wait())
	require.NoError(t, s.Close())
	return tried
}
