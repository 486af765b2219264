package main

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns a short run of the simulator, and that a seed is a history.

// TestCrashSimulated plays some new seeds.
func TestCrashSimulated(t *testing.T) {
	first, err := strconv.ParseUint(os.Getenv("HOLDFAST_SEED"), 10, 64)
	if err != nil {
		first = uint64(time.Now().UnixNano()) / 1_000_000
	}
	seeds := uint64(60)
	if testing.Short() {
		seeds = 8
	}
	total := map[string]int{}
	for seed := first; seed < first+seeds; seed++ {
		o := play(seed, io.Discard)
		require.Empty(t, o.Lost, "make simulate SEED=%d", seed)
		for what, n := range o.Counts {
			total[what] += n
		}
	}
	t.Logf("seeds from %d on: %v", first, total)
	require.Greater(t, crashesOf(total), 2*int(seeds))
}

// TestASeedIsAHistory plays seeds again: every choice, answer, end of the log and state hash is the same. A seed has
// some tries, as a goroutine that is held up at a bad moment can still make a difference.
func TestASeedIsAHistory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as a process of the simulator has it
	seeds, played := 6, 0
	if testing.Short() {
		seeds = 2
	}
	for seed := uint64(1); played < seeds; seed++ {
		if newHistory(seed, io.Discard).loose {
			continue
		}
		played++
		one := play(seed, io.Discard)
		require.Empty(t, one.Lost)
		again := play(seed, io.Discard)
		for tries := 1; again.Trace != one.Trace && tries < 10; tries++ {
			again = play(seed, io.Discard)
		}
		require.Equal(t, one, again)
		require.NotEqual(t, play(seed+1, io.Discard).Trace, one.Trace)
	}
}
