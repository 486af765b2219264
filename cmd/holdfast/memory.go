package main

// This file owns how much memory the process is to take: the option, and the watch that makes additions be refused
// before the system ends the process.

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"holdfast/engine/pace"
	"holdfast/persist"
)

type memoryConfig struct{ limit string }

func (c *memoryConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.limit, "memory", "", "memory above which the process collects more often and gives back what it "+
		"can, like 2GiB, from 32MiB on, or off; near it nothing is added any more; "+
		"default: GOMEMLIMIT, else 90 % of what a container may have, else 75 % of the machine's")
}

// leastMemory is the least limit that is taken. An empty server needs half of it; less is mostly a unit that was left
// out.
const leastMemory = 32 << 20

// wanted is the soft limit and where it comes from: the option, else the environment, which the runtime has read (-1),
// else what there is.
func (c *memoryConfig) wanted(environment string, read func(name string) string) (bytes int64, from string, err error) {
	switch {
	case c.limit != "":
		n, ok := pace.ParseMemory(c.limit)
		if !ok {
			return 0, "", usagef("--memory %q must be a number of bytes, as in 2GiB or 512MiB, or off", c.limit)
		}
		if n < leastMemory {
			return 0, "", usagef("--memory %q must be from 32MiB on, as in 2GiB or 512MiB, or off", c.limit)
		}
		return n, "--memory", nil
	case environment != "":
		if n, ok := pace.ParseMemory(environment); ok && n < leastMemory {
			return 0, "", usagef("GOMEMLIMIT %q must be from 32MiB on, as in 2GiB or 512MiB, or off", environment)
		}
		return -1, "GOMEMLIMIT", nil
	}
	bytes, from = pace.MemoryLimit(read)
	return bytes, from, nil
}

// storeMemory is what the store's cache takes of a limit, and each of the up to four tables that it gathers writes in.
// They lie in the heap that the limit is of: with the sizes that the store takes by itself a small limit would be full
// of them.
func storeMemory(limit int64) int64 { return min(max(limit/32, 1<<20), persist.MostMemory) }

// systemFile is the text of a file of the system, nothing where there is none.
func systemFile(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(b)
}

// memoryLook is how often the program checks whether memory is short: what is added in that time is small compared with
// what is kept free.
const memoryLook = 100 * time.Millisecond

// memoryWatch knows whether memory is short.
type memoryWatch struct{ short atomic.Bool }

// keep looks again and again until ctx ends, and says when it changes.
func (w *memoryWatch) keep(ctx context.Context, look <-chan time.Time, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
		}
		limit := debug.SetMemoryLimit(-1)
		short := pace.Short(limit)
		if short == w.short.Load() {
			continue
		}
		w.short.Store(short)
		if short {
			log.Warn("memory is short: nothing is added until some is free", "needed", pace.Needed(), "limit", limit)
		} else {
			log.Info("memory is free again: additions are taken", "needed", pace.Needed(), "limit", limit)
		}
	}
}
