package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The option counts before the environment, and that before what the system says that there is.
func TestMemoryLimitComesFromOnePlace(t *testing.T) {
	system := func(name string) string {
		return map[string]string{"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "1000\n"}[name]
	}
	for _, c := range []struct {
		option, environment string
		bytes               int64
		from                string
	}{
		{"2KiB", "1GiB", 2048, "--memory-limit"},
		{"", "1GiB", -1, "GOMEMLIMIT"}, // the runtime has it
		{"", "", 900, "container"},
	} {
		bytes, from, err := (&memoryConfig{c.option}).wanted(c.environment, system)
		require.NoError(t, err)
		require.Equal(t, []any{c.bytes, c.from}, []any{bytes, from})
	}
	_, _, err := (&memoryConfig{"lots"}).wanted("", system)
	require.ErrorContains(t, err, "--memory-limit")
}
