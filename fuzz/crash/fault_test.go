package crash

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
	"holdfast/fuzz/workload"
	"holdfast/persist/power"
)

// This file owns failing disks.

// TestEveryOperationFails plays the script with its n-th file operation failing, for n = 1, 2, 3 and so on until the
// script ends without meeting it: that one alone, and that one with all that follow.
func TestEveryOperationFails(t *testing.T) {
	seed := newSeed(t)
	commands, stride := 60, uint64(3)
	if testing.Short() {
		commands, stride = 15, 17
	}
	if long() {
		stride = 1
	}
	s := record(t, seed, commands)
	for _, forGood := range []bool{true, false} {
		runs := 0
		for n := 1 + seed%stride; s.failNth(t, seed, n, forGood); n += stride {
			runs++
		}
		t.Logf("for good: %v; %d runs with a failure each", forGood, runs)
		require.Greater(t, runs, 3)
	}
}

// failNth says whether there was an n-th operation.
func (s *script) failNth(t *testing.T, seed, n uint64, forGood bool) (hit bool) {
	t.Helper()
	mem := power.NewDisk()
	var ops atomic.Uint64
	var first atomic.Pointer[string]
	w := &workload.World{FS: hooked(mem, func(op errorfs.Op) error {
		if i := ops.Add(1); i != n && !(forGood && i > n) {
			return nil
		}
		what := fmt.Sprintf("operation %d (kind %d on %s) failed, for good: %v", n, op.Kind, op.Path, forGood)
		first.CompareAndSwap(nil, &what)
		return errorfs.ErrInjected
	})}
	answered, err := s.play(w, func(int) {})
	name := "nothing failed"
	if what := first.Load(); what != nil {
		name = *what
	}
	if w.Engine != nil && err != nil {
		s.dead(t, w, name, answered)
	}
	if w.Engine != nil {
		closed := w.Close()
		require.True(t, closed == nil || first.Load() != nil, "%s: %v", name, closed)
	}
	require.True(t, err == nil || first.Load() != nil, "%s: %v", name, err)
	for _, percent := range []int{0, 50, 100} { // the disk is well again after the restart
		s.judge(t, clone(mem, percent, seed+n), fmt.Sprintf("%s, %d %% kept", name, percent), answered,
			min(answered+1, len(s.lines)), nil, seed)
	}
	return first.Load() != nil
}

// dead checks an engine whose storage failed: it takes no writes and says so, and goes on reading what it had
// published.
func (s *script) dead(t *testing.T, w *workload.World, name string, answered int) {
	t.Helper()
	_, err := w.Submit(s.ids[0],
		stock.CreateLocation{LocationFields: stock.LocationFields{Name: "late", Timezone: "UTC"}})
	require.ErrorIs(t, err, &base.Error{Code: base.CodeStorageFailed}, name)
	seq, hash := w.Engine.State()
	require.Equal(t, s.end(answered), seq, name)
	require.Equal(t, s.hash[seq], hash, name)
	for i, x := range s.twins[seq] {
		v, ok := w.Engine.View(s.ids[i])
		require.True(t, ok, name)
		require.NoError(t, (*model.Account).Records(x, v, w.Now()), name)
	}
}
