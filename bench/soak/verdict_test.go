package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// made is a run of ten minutes whose heap is as a function says; all else stays as it is.
func made(heap func(minute float64) float64) (list []sample) {
	for at := time.Duration(0); at < 10*time.Minute; at += 5 * time.Second {
		list = append(list, sample{at: at, heap: heap(at.Minutes()), resident: 1, goroutines: 30, files: 40,
			snapshots: 6, disk: 1e8, holds: 1e5, taken: 9})
	}
	return list
}

func TestWhatGrowsIsSeen(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	noisy := func(x, by float64) float64 { return x * (1 + by*(2*dice.Float64()-1)) }
	for name, c := range map[string]struct {
		heap  func(minute float64) float64
		grows bool
	}{
		"as it is":                       {func(float64) float64 { return 50 }, false},
		"noise of a fifth":               {func(float64) float64 { return noisy(50, 0.2) }, false},
		"a warm-up to ten times as much": {func(m float64) float64 { return 50 * min(1, 0.1+m/3) }, false},
		"less and less":                  {func(m float64) float64 { return 100 - 5*m }, false},
		"a saw whose teeth are all alike": {func(m float64) float64 { return 50 + 50*(m*3-float64(int(m*3))) },
			false},
		"a peak that goes": {
			func(m float64) float64 { return map[bool]float64{true: 500, false: 50}[m > 8 && m < 8.5] }, false},
		"5 % a third":                         {func(m float64) float64 { return 50 * (1 + 0.05*m*3/10) }, false},
		"25 % a third":                        {func(m float64) float64 { return 50 * (1 + 0.25*m*3/10) }, true},
		"50 % a third below noise of a tenth": {func(m float64) float64 { return noisy(50*(1+0.5*m*3/10), 0.1) }, true},
		"a step in the last third": {
			func(m float64) float64 { return map[bool]float64{true: 60, false: 50}[m > 7] }, true},
		"from nothing": {func(m float64) float64 { return max(0, m-5) }, true},
		"a saw that climbs": {
			func(m float64) float64 { return 50 + 10*m + 20*(m*3-float64(int(m*3))) }, true},
	} {
		for _, v := range judge(made(c.heap), 10*time.Minute) {
			require.Equal(t, c.grows && v.name == "heap, MiB", v.grows, "%s: %+v", name, v)
		}
	}
}

// A run that was cut short, or that nobody sampled, has shown nothing.
func TestTooFewSamplesShowNothing(t *testing.T) {
	list := made(func(float64) float64 { return 50 })
	for _, short := range [][]sample{nil, list[:len(list)/2], list[:len(list)*2/3+leastInThird-1]} {
		for _, v := range judge(short, 10*time.Minute) {
			require.True(t, v.grows, v.name)
		}
	}
}

func TestFiguresAreRead(t *testing.T) {
	const text = "# HELP go_goroutines Number.\n# TYPE go_goroutines gauge\ngo_goroutines " +
		"33\ngo_memstats_heap_alloc_bytes 1.5e+07\n" +
		"process_resident_memory_bytes 3e+07\nprocess_open_fds 41\nholdfast_snapshots_held " +
		"6\nholdfast_disk_bytes 5e+06\n" +
		"holdfast_refusals_total{code=\"X\"} 7\nholdfast_holds 1000\nholdfast_orders 3\nholdfast_units_taken 12\n"
	x, err := readSample(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, sample{heap: 1.5e7, resident: 3e7, goroutines: 33, files: 41, snapshots: 6, disk: 5e6, holds: 1000,
		orders: 3, taken: 12}, x)
	_, err = readSample(strings.NewReader(strings.ReplaceAll(text, "process_open_fds", "process_fds")))
	require.ErrorContains(t, err, "process_open_fds")
}
