package pace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryLimit(t *testing.T) {
	const (
		meminfo = "MemTotal:        8000000 kB\nMemFree:         1000000 kB\n"
		max2    = "/sys/fs/cgroup/memory.max"
		max1    = "/sys/fs/cgroup/memory/memory.limit_in_bytes"
	)
	type files map[string]string
	for name, c := range map[string]struct {
		files files
		limit int64
		of    string
	}{
		"a machine": {files{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/\n"}, 6_144_000_000,
			"machine"},
		"a container": {files{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/\n",
			max2: "1000000000\n"}, 900_000_000, "container"},
		"a container that has no limit": {files{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/\n", max2: "max\n"},
			6_144_000_000, "machine"},
		"a limit beyond the machine": {files{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/\n",
			max2: "9000000000\n"}, 6_144_000_000, "machine"},
		"an odd limit": {files{"/proc/self/cgroup": "0::/\n", max2: "1234567891\n"}, 1_111_111_101,
			"container"},
		"a group around it is tighter": {files{"/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/b/memory.max": "5000\n", "/sys/fs/cgroup/a/memory.max": "4000\n"}, 3600, "container"},
		"a name that only the host knows": {files{"/proc/self/cgroup": "0::/docker/x\n", max2: "2000\n"}, 1800,
			"container"},
		"version 1": {files{"/proc/meminfo": meminfo,
			"/proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/docker/x\n1:cpu:/\n0::/\n",
			"/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "3000\n",
			max1: "9223372036854771712\n"}, 2700, "container"},
		"version 1 without a limit": {files{"/proc/meminfo": meminfo, "/proc/self/cgroup": "4:memory:/\n",
			max1: "9223372036854771712\n"}, 6_144_000_000, "machine"},
		"another controller's group": {files{"/proc/meminfo": meminfo, "/proc/self/cgroup": "4:cpu:/x\n",
			"/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "3000\n"}, 6_144_000_000, "machine"},
		"nothing is known": {files{"/proc/meminfo": "MemTotal: many kB\n", "/proc/self/cgroup": "junk\n",
			max2: "1000\n"}, NoLimit, "nothing known"},
		"another system": {files{}, NoLimit, "nothing known"},
	} {
		t.Run(name, func(t *testing.T) {
			limit, of := MemoryLimit(func(name string) string { return c.files[name] })
			require.Equal(t, []any{c.limit, c.of}, []any{limit, of})
		})
	}
}

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"off": NoLimit, "1": 1, "1024B": 1024, "3KiB": 3 << 10, "512MiB": 512 << 20, "2GiB": 2 << 30, "1TiB": 1 << 40,
		"8388607TiB": 8388607 << 40,
		"":           0, "0": 0, "0MiB": 0, "-1": 0, "2GB": 0, "2gib": 0, "MiB": 0, "1.5GiB": 0, " 1": 0,
		"8388608TiB":          0,
		"9223372036854775808": 0,
	} {
		n, ok := ParseMemory(text)
		require.Equal(t, []any{want, want != 0}, []any{n, ok}, text)
	}
}
