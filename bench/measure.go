package bench

import (
	"cmp"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// This file owns how a figure is taken.

// Sample is what was measured of one kind of operation.
type Sample struct {
	PerSecond float64
	P50, P99  time.Duration
	Allocs    float64       // per operation
	Bytes     float64       // allocated, per operation
	Answer    float64       // length of an answer in bytes, where that is known
	CPU       time.Duration // of the whole process, per operation
}

// Tally adds up what is measured piece by piece, by many goroutines or by one.
type Tally struct {
	N       int             // operations
	Took    time.Duration   // all pieces together
	Times   []time.Duration // of single operations, where they are known
	Answers int             // length of all answers in bytes, where that is known

	allocs, bytes uint64
	cpu           time.Duration
}

// Start begins a piece; the function it gives ends it, and says of how many operations it was.
func (t *Tally) Start() (stop func(n int)) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := processTime(), time.Now()
	return func(n int) {
		t.Took += time.Since(start)
		t.cpu += processTime() - cpu
		runtime.ReadMemStats(&after)
		t.allocs += after.Mallocs - before.Mallocs
		t.bytes += after.TotalAlloc - before.TotalAlloc
		t.N += n
	}
}

// Add takes over what another tally has.
func (t *Tally) Add(o *Tally) {
	t.N, t.Took, t.Times, t.Answers = t.N+o.N, t.Took+o.Took, append(t.Times, o.Times...), t.Answers+o.Answers
	t.allocs, t.bytes, t.cpu = t.allocs+o.allocs, t.bytes+o.bytes, t.cpu+o.cpu
}

// PerSecond is the rate over all pieces.
func (t *Tally) PerSecond() float64 { return float64(t.N) / t.Took.Seconds() }

// Sample is what came of all pieces.
func (t *Tally) Sample() Sample {
	n := float64(t.N)
	s := Sample{
		PerSecond: t.PerSecond(), Allocs: float64(t.allocs) / n, Bytes: float64(t.bytes) / n,
		Answer: float64(t.Answers) / n,
		CPU:    t.cpu / time.Duration(max(1, t.N)),
	}
	s.P50, s.P99 = Percentiles(t.Times)
	return s
}

// processTime is the CPU time that the process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Measure calls op with 0, 1, 2 ... for about a time: half of it in batches of about a millisecond, for the rate and
// the allocations, half one by one, for the percentiles, which so include the two clock readings of a call, some 50 ns.
// The rate is that of the middle batch, so that what else the machine does for a moment does not count. It measures one
// goroutine.
func Measure(budget time.Duration, op func(i int)) Sample {
	const aim = time.Millisecond
	n := 0
	run := func(count int) time.Duration {
		start := time.Now()
		for range count {
			op(n)
			n++
		}
		return time.Since(start)
	}
	size := 1
	for run(size) < aim {
		size *= 2
	}
	runtime.GC()
	var t Tally
	batches := make([]time.Duration, 0, budget/aim+1)
	first, stop := n, t.Start()
	for start := time.Now(); time.Since(start) < budget/2 && len(batches) < cap(batches); {
		batches = append(batches, run(size))
	}
	stop(n - first)
	t.Times = make([]time.Duration, 0, 1<<20)
	for start := time.Now(); time.Since(start) < budget/2 && len(t.Times) < cap(t.Times); {
		t.Times = append(t.Times, run(1))
	}
	s := t.Sample()
	middle, _ := Percentiles(batches)
	s.PerSecond = float64(size) / middle.Seconds()
	return s
}

// growthTurns are the turns of a growth.
const growthTurns = 5

// Growth measures the same work on little and on much, in turns: the middle sample of much, and how many times as long
// it takes.
func Growth(little, much func() (Sample, error)) (s Sample, times float64, err error) {
	samples, ratios := make([]Sample, growthTurns), make([]float64, growthTurns)
	for i := range growthTurns {
		a, err := little()
		if err != nil {
			return s, 0, err
		}
		if samples[i], err = much(); err != nil {
			return s, 0, err
		}
		ratios[i] = a.PerSecond / samples[i].PerSecond
	}
	slices.Sort(ratios)
	slices.SortFunc(samples, func(x, y Sample) int { return cmp.Compare(x.PerSecond, y.PerSecond) })
	return samples[growthTurns/2], ratios[growthTurns/2], nil
}

// Percentiles sorts times and gives the middle one and the one that 99 in 100 do not exceed.
func Percentiles(times []time.Duration) (p50, p99 time.Duration) {
	if len(times) == 0 {
		return 0, 0
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)*99/100]
}

// Heap is the live heap in bytes.
func Heap() int64 {
	runtime.GC()
	runtime.GC() // the first one leaves what was found dead to be swept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
