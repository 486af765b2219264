package crash

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/fuzz/model"
	"holdfast/fuzz/workload"
	"holdfast/persist"
	"holdfast/persist/power"
)

// This file owns the script: how it is recorded, how it is played, and how what is left of it is judged.

// newSeed is a new seed, or the one that was given; it is printed.
func newSeed(t *testing.T) uint64 {
	seed, err := strconv.ParseUint(os.Getenv("HOLDFAST_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	return seed
}

// long says that a run may take many minutes.
func long() bool {
	long, _ := strconv.ParseBool(os.Getenv("HOLDFAST_LONG"))
	return long
}

func dice(seed, n uint64) workload.Seeded {
	return workload.Seeded{Rand: rand.New(rand.NewPCG(seed, n))}
}

// script is a recorded run.
type script struct {
	lines []workload.Line
	ends  []uint64 // by line: the log's sequence behind it
	codes []bool   // by line: it was refused
	hash  []uint64 // by sequence
	twins map[uint64][]*model.Account
	ids   []base.ID
}

// record plays random commands on a store that nothing disturbs.
func record(t *testing.T, seed uint64, commands int) *script {
	t.Helper()
	w, err := workload.New(vfs.NewMem(), 2)
	require.NoError(t, err)
	defer w.Close()
	s := &script{hash: []uint64{0}, twins: map[uint64][]*model.Account{}}
	note := func() {
		seq, hash := w.Engine.State()
		for uint64(len(s.hash)) <= seq {
			r, err := w.Store.Record(uint64(len(s.hash)))
			require.NoError(t, err)
			s.hash = append(s.hash, r.StateHash)
		}
		require.Equal(t, hash, s.hash[seq])
		var twins []*model.Account
		for _, x := range w.Tenants {
			twins = append(twins, x.Twin)
		}
		s.twins[seq] = twins
	}
	d := dice(seed, 1)
	for tenant := range w.Tenants {
		require.NoError(t, w.Furnish(d, tenant, false))
	}
	note()
	for range commands {
		if d.N("time passes", 4) == 0 {
			w.Clock += int64(d.N("by", 60)) * 60_000
		}
		tenant := d.N("tenant", 4) / 3
		_, _, fault := w.Do(tenant, workload.Command(d, w.Tenants[tenant].Twin, w.Now()))
		require.NoError(t, fault)
		note()
	}
	s.lines = w.Played
	for _, x := range w.Tenants {
		s.ids = append(s.ids, x.ID)
	}
	s.replay(t)
	return s
}

// replay plays the script again, to learn what belongs to each line, and that it is a function of its lines.
func (s *script) replay(t *testing.T) {
	w := &workload.World{FS: vfs.NewMem(), Clock: workload.Start}
	require.NoError(t, w.Open())
	for _, l := range s.lines {
		w.Clock = l.Clock
		_, err := w.Submit(l.Account, l.Op)
		seq, hash := w.Engine.State()
		require.Equal(t, s.hash[seq], hash, "the same commands gave another state at %d", seq)
		s.ends, s.codes = append(s.ends, seq), append(s.codes, err != nil)
	}
	require.NoError(t, w.Close())
}

// end is the log's sequence behind some lines.
func (s *script) end(lines int) uint64 {
	if lines == 0 {
		return 0
	}
	return s.ends[lines-1]
}

// play plays the script until the storage fails; step is told how many lines were answered. An error is of the store.
func (s *script) play(w *workload.World, step func(answered int)) (answered int, err error) {
	w.Clock = workload.Start
	if err := w.Open(); err != nil {
		return 0, err
	}
	for i, l := range s.lines {
		w.Clock = l.Clock
		_, err := w.Submit(l.Account, l.Op)
		if failed := w.Engine.Failed(); failed != nil {
			return i, failed
		}
		if (err != nil) != s.codes[i] {
			return i, err
		}
		step(i + 1)
	}
	return len(s.lines), nil
}

// judge opens what a mishap left and holds it against the recording. least and most are lines: answered, and submitted.
// own has the state hashes, by sequence, of what an opening of the engine did before the mishap: it runs what is due.
func (s *script) judge(t *testing.T, fs vfs.FS, name string, least, most int, own map[uint64]uint64,
	seed uint64) (answered int) {
	t.Helper()
	w := &workload.World{FS: fs}
	for _, l := range s.lines[:most] {
		w.Clock = max(w.Clock, l.Clock)
	}
	var err error
	w.Store, err = persist.Open(workload.StoreOptions(fs))
	require.NoError(t, err, name)
	end := w.Store.End()
	require.GreaterOrEqual(t, end.Seq, s.end(least), "%s: something acknowledged is gone", name)
	if hash, ok := own[end.Seq]; ok {
		require.Equal(t, hash, end.StateHash, "%s: the state at %d", name, end.Seq)
		require.NoError(t, w.OpenEngine(), name)
		require.NoError(t, w.Engine.Check(), name)
		require.NoError(t, w.Close(), name)
		return least
	}
	require.LessOrEqual(t, end.Seq, s.end(most), "%s: there is more than was submitted", name)
	require.Equal(t, s.hash[end.Seq], end.StateHash, "%s: the state at %d", name, end.Seq)
	require.NoError(t, w.OpenEngine(), name)
	for i, x := range s.twins[end.Seq] {
		w.Tenants = append(w.Tenants, &workload.Tenant{ID: s.ids[i], Twin: x})
	}
	require.NoError(t, w.Resume(end.Seq), name)
	d := dice(seed, end.Seq)
	for tenant, x := range w.Tenants {
		require.NoError(t, x.Twin.Records(w.View(tenant), w.Now()), name)
		_, _, fault := w.Do(tenant, workload.Command(d, x.Twin, w.Now()))
		require.NoError(t, fault, name)
		require.NoError(t, w.Compare(d, tenant), name)
	}
	require.NoError(t, w.Close(), name)
	for answered = least; answered < most && s.end(answered+1) <= end.Seq; answered++ {
	}
	return answered
}

// hooked is a file system that asks before each operation; what the hook returns is the operation's error.
func hooked(fs vfs.FS, hook func(errorfs.Op) error) vfs.FS {
	return errorfs.Wrap(fs, errorfs.InjectorFunc(hook))
}

func isSync(op errorfs.Op) bool {
	return op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo
}

func clone(fs *power.Disk, percent int, seed uint64) *power.Disk {
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent,
		RNG: rand.New(rand.NewPCG(seed, uint64(percent)))})
}
