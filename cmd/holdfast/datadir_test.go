package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the test of what may be a data directory.

func TestForeignDirectoryIsRefused(t *testing.T) {
	of := func(names ...string) string {
		dir := t.TempDir()
		for _, n := range names {
			require.NoError(t, os.WriteFile(filepath.Join(dir, n), nil, 0o600))
		}
		return dir
	}
	for _, mine := range []string{
		filepath.Join(t.TempDir(), "new"), of(), of("lost+found"), of("LOCK", "HEAD", "notes.txt"),
		of("LOCK", "MANIFEST-000001", "000002.log", "marker.manifest.000001.MANIFEST-000001"),
	} {
		require.NoError(t, notForeign(mine))
	}
	err := notForeign(of("notes.txt", "server.log", "a", "b"))
	require.ErrorAs(t, err, &usageError{})
	require.ErrorContains(t, err, "other files (a, b, notes.txt, ...)")
}

// A name that is empty, as of a variable that is not set, is not taken for a directory.
func TestNoNameIsNoDirectory(t *testing.T) {
	for _, args := range [][]string{{"serve"}, {"keys", "list"}, {"verify"}, {"restore", "--from", "x"}, {"doctor"}} {
		code, _, errs := holdfast(append(args, "--data", "")...)
		require.Equal(t, exitUsage, code, "%v: %s", args, errs)
		require.Contains(t, errs, `--data "" must name a directory`)
	}
}
