package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// filesOf are the names of the files of a directory, with what is in them.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		files[name] = string(text)
		return err
	}))
	return files
}

// What only reads leaves a directory of an older format as it is, to the byte.
func TestReadingLeavesAnOlderDirectory(t *testing.T) {
	dir := t.TempDir()
	data, rows := filepath.Join(dir, "data"), filepath.Join(dir, "customers.csv")
	code, _, errs := holdfast("restore", "--from", "../../fuzz/golden/testdata/format-7-backup.tar.zst", "--data", data)
	require.Zero(t, code, errs)
	require.NoError(t, os.WriteFile(rows, []byte("companyName\nCompany\n"), 0o600))
	was := filesOf(t, data)
	code, out, errs := holdfast("accounts", "list", "--data", data)
	require.Zero(t, code, errs)
	account := strings.Fields(strings.Split(out, "\n")[1])[0]
	for _, args := range [][]string{{"keys", "list"}, {"keys", "list", "--account", account},
		{"import", "customers", rows, "--check", "--account", account},
		{"export", "customers", filepath.Join(dir, "out.csv"), "--account", account}} {
		code, out, errs := holdfast(append(args, "--data", data)...)
		require.Zero(t, code, errs)
		require.Empty(t, errs)
		require.NotEmpty(t, out)
	}
	now := filesOf(t, data)
	require.ElementsMatch(t, slices.Collect(maps.Keys(was)), slices.Collect(maps.Keys(now)))
	for name, text := range was {
		require.True(t, text == now[name], "%s is another one", name)
	}
}
