package pace

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of the target.

func TestPercent(t *testing.T) {
	for _, x := range []struct {
		live uint64
		want int
	}{{0, 800}, {1, 800}, {64 << 20, 800}, {128 << 20, 400}, {256 << 20, 200}, {512 << 20, 100}, {1 << 40, 100}} {
		require.Equal(t, x.want, percent(x.live), "%d bytes", x.live)
	}
}

func TestTheEnvironmentWins(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "100")
	Start()
	require.Equal(t, 100, debug.SetGCPercent(100))
}

// TestTheTargetFollowsTheHeap fills the heap and looks what the collector is told.
func TestTheTargetFollowsTheHeap(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "")
	Start()
	heap := make([]byte, 300<<20)
	target := func() int {
		p := debug.SetGCPercent(most)
		debug.SetGCPercent(p)
		return p
	}
	require.Eventually(t, func() bool { runtime.GC(); return target() < 200 }, 20*time.Second, time.Millisecond)
	runtime.KeepAlive(heap)
	heap = nil
	require.Eventually(t, func() bool { runtime.GC(); return target() == most }, 20*time.Second, time.Millisecond)
}
