package main

// This file owns the option that says how much memory the process is to take.

import (
	"os"

	"github.com/spf13/pflag"

	"holdfast/engine/pace"
)

type memoryConfig struct{ limit string }

func (c *memoryConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.limit, "memory-limit", "", "memory above which the process collects more often and gives back what it can, like 2GiB, or off; "+
		"default: GOMEMLIMIT, else 90 % of what a container may have, else 75 % of the machine's")
}

// wanted is the soft limit and where it comes from: the option, else the environment, which the runtime has read (-1), else what there is.
func (c *memoryConfig) wanted(environment string, read func(name string) string) (bytes int64, from string, err error) {
	switch {
	case c.limit != "":
		n, ok := pace.ParseMemory(c.limit)
		if !ok {
			return 0, "", usagef("--memory-limit %q must be a number of bytes, as in 2GiB or 512MiB, or off", c.limit)
		}
		return n, "--memory-limit", nil
	case environment != "":
		return -1, "GOMEMLIMIT", nil
	}
	bytes, from = pace.MemoryLimit(read)
	return bytes, from, nil
}

// systemFile is the text of a file of the system, nothing where there is none.
func systemFile(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(b)
}
