package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/persist"
	"holdfast/persist/backup"
)

// This file owns the test of an upgrade, as the page on it says: a backup of each format that there was is restored,
// served by this program, and taken back.
func TestUpgradeAndTheWayBack(t *testing.T) {
	done := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		require.Zero(t, run(args, nil, &out, &errs), "%v: %s", args, errs.String())
		return out.String()
	}
	opened := func(dir string) (o backup.Opened) {
		require.NoError(t, json.Unmarshal([]byte(done("verify", "--start", "--data", dir)), &o))
		return o
	}
	formatOf := func(dir string) int {
		form, err := persist.FormOf(dir)
		require.NoError(t, err)
		return int(form.Format)
	}
	for format := 1; format <= persist.Format; format++ {
		t.Run(fmt.Sprintf("format %d", format), func(t *testing.T) {
			dir := t.TempDir()
			data, taken, back, undone := filepath.Join(dir, "data"), filepath.Join(dir, "before.tar.zst"),
				filepath.Join(dir, "back"), filepath.Join(dir, "undone")
			done("restore", "--from", fmt.Sprintf("../../fuzz/golden/testdata/format-%d-backup.tar.zst", format),
				"--data", data)
			require.Equal(t, format, formatOf(data))
			before := opened(data)
			require.Equal(t, format, formatOf(data), "verify changes nothing")
			done("backup", "--data", data, "--to", taken)

			// The newer program serves it, and says what it rewrites.
			address := freeAddress(t)
			root := newRoot()
			root.SetArgs([]string{"serve", "--listen", address, "--data", data})
			var out, errs bytes.Buffer
			root.SetOut(&out)
			root.SetErr(&errs)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- root.ExecuteContext(ctx) }()
			require.NoError(t, awaitReady(address))
			cancel()
			require.NoError(t, <-ended, errs.String())
			require.Equal(t, persist.Format, formatOf(data))
			require.Contains(t, done("verify", "--data", data), "result in order")
			after := opened(data)
			require.Greater(t, after.Seq, before.Seq, "what became due was done")

			// Back by the backup that was taken before, and by taking the directory to the record before: in the old
			// format both.
			done("restore", "--from", taken, "--data", back)
			done("restore", "--from", data, "--data", undone, "--at", strconv.FormatUint(before.Seq, 10))
			for _, d := range []string{back, undone} {
				require.Equal(t, format, formatOf(d))
				require.Equal(t, before.StateHash, opened(d).StateHash)
			}
			for _, name := range []string{"data", "back", "undone"} {
				// and a directory of either format is archived and restored
				file := filepath.Join(dir, name+".tar.zst")
				done("backup", "--data", filepath.Join(dir, name), "--to", file)
				require.Contains(t, done("verify", "--data", file), "result in order")
			}
		})
	}
	page, err := os.ReadFile("../../api/docs/upgrading.md")
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(fmt.Sprintf(`present format is %d\b`, persist.Format)), string(page),
		"the page names the present format")
}
