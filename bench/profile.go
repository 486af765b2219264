package bench

import (
	"os"
	"runtime/pprof"
)

// This file owns the CPU profile that a command writes in addition to its figures.

// Profile writes a CPU profile to a file until it is stopped. Without a path it writes none.
func Profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}
