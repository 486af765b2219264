package pace

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// This file owns the garbage collector's target.

// Spare is how much garbage may lie about before it is collected, in bytes, as long as the target stays within its
// bounds.
const Spare = 512 << 20

const (
	least = 100
	most  = 800
)

// Start sets the target now and again after every collection, for as long as the process runs.
func Start() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(most)
	watch()
}

// watched becomes garbage at once, so that its finalizer runs after the next collection.
type watched struct{ _ *watched }

func watch() {
	runtime.SetFinalizer(new(watched), func(*watched) {
		debug.SetGCPercent(percent(live()))
		watch()
	})
}

// live is what the last collection found in use, in bytes.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// percent is the target for a heap of so many bytes in use.
func percent(live uint64) int {
	return int(min(most, max(least, Spare*100/max(1, live))))
}
