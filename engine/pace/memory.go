package pace

import (
	"math"
	"path"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// This file owns the soft memory limit: near it the collector runs more often, and gives back what is not used; and
// whether that is enough.

// How much of its memory the process takes, in percent: a container's memory is for the process alone; a machine has
// other uses, and a cache of files.
const (
	ofContainer = 90
	ofMachine   = 75
)

// NoLimit is a limit that no process comes to.
const NoLimit = math.MaxInt64

// MemoryLimit is the soft limit that suits where the process runs, in bytes, and what it is a share of; NoLimit where
// the system does not say how much there is. Read gives the text of a file of the system, nothing where there is none.
func MemoryLimit(read func(name string) string) (limit int64, of string) {
	machine, container := machineMemory(read("/proc/meminfo")), containerMemory(read)
	switch {
	case container < machine:
		return share(container, ofContainer), "container"
	case machine < NoLimit:
		return share(machine, ofMachine), "machine"
	}
	return NoLimit, "nothing known"
}

// shortFrom is how much of the limit is needed when memory is short, in percent.
const shortFrom = 90

// Short says whether what is needed comes near a limit in bytes. It takes some microseconds.
func Short(limit int64) bool { return limit < NoLimit && Needed() > share(limit, shortFrom) }

// Needed is the memory that a collection would not give back, in bytes: what the last one found in use, stacks, and
// what the runtime itself takes.
func Needed() int64 {
	sample := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
	}
	metrics.Read(sample)
	n := sample[0].Value.Uint64() + sample[1].Value.Uint64()
	for _, not := range sample[2:] {
		n -= not.Value.Uint64()
	}
	return int64(n)
}

// share is so many percent of a number of bytes.
func share(bytes, percent int64) int64 { return bytes/100*percent + bytes%100*percent/100 }

// machineMemory is what /proc/meminfo says that there is, NoLimit where it says nothing.
func machineMemory(info string) int64 {
	for line := range strings.Lines(info) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil && n > 0 && n < NoLimit>>10 {
				return n << 10
			}
		}
	}
	return NoLimit
}

// containerMemory is the least that a control group of the process, or one around it, allows; NoLimit where none says
// so. A container sees its own group as the root, whatever it is called outside.
func containerMemory(read func(name string) string) int64 {
	least := int64(NoLimit)
	for line := range strings.Lines(read("/proc/self/cgroup")) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		if f[1] != "" { // version 1, where each controller has groups of its own
			if root, file = "/sys/fs/cgroup/memory",
				"memory.limit_in_bytes"; !slices.Contains(strings.Split(f[1], ","), "memory") {
				continue
			}
		}
		for group := path.Clean("/" + f[2]); ; group = path.Dir(group) {
			if n, err := strconv.ParseInt(strings.TrimSpace(read(path.Join(root, group, file))), 10, 64); err == nil &&
				n > 0 {
				least = min(least, n) // version 1 has no word for none: it is a number larger than any machine
			}
			if group == "/" {
				break
			}
		}
	}
	return least
}

// ParseMemory reads a limit as GOMEMLIMIT writes it: bytes, or with a unit as in 512MiB; off is none.
func ParseMemory(text string) (bytes int64, ok bool) {
	if text == "off" {
		return NoLimit, true
	}
	number, shift := strings.TrimSuffix(text, "B"), 0
	for i, unit := range []string{"Ki", "Mi", "Gi", "Ti"} {
		if cut, is := strings.CutSuffix(text, unit+"B"); is {
			number, shift = cut, 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil || n == 0 || n > NoLimit>>shift {
		return 0, false
	}
	return int64(n) << shift, true
}
