package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
)

// This file owns the tests of how commands say what is wrong with what they were given.

// refusedWith is what a command line is refused with.
func refusedWith(t *testing.T, code int, args ...string) string {
	t.Helper()
	got, _, errs := holdfast(args...)
	require.Equal(t, code, got, "%v: %s", args, errs)
	require.NotContains(t, errs, "%!")
	require.NotContains(t, errs, "holdfast-copy-", "nobody finds the copy any more")
	return errs
}

func TestADirectoryWithoutAName(t *testing.T) {
	to := filepath.Join(t.TempDir(), "to.tar.zst")
	for _, args := range [][]string{{"verify"}, {"backup", "--to", to}, {"restore", "--from", to}, {"keys", "list"},
		{"serve"}} {
		require.Contains(t, refusedWith(t, exitUsage, append(args, "--data", "")...), `--data "" must name a directory`)
	}
	dir := filepath.Join(t.TempDir(), "made")
	require.Contains(t, refusedWith(t, exitUsage, "restore", "--from", to, "--data", dir, "--at", ""),
		`--at "" is no log sequence`)
}

// A directory that this user may not look into may have a server, or none: nothing is said of one.
func TestADirectoryOfAnotherUser(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may look into everything")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0))
	for _, args := range [][]string{{"keys", "list"}, {"export", "skus", filepath.Join(t.TempDir(), "out.csv")},
		{"backup", "--to", filepath.Join(t.TempDir(), "to.tar.zst")}} {
		errs := refusedWith(t, exitFailed, append(args, "--data", dir)...)
		require.Contains(t, errs, "this user may not look into "+dir)
		require.NotContains(t, errs, "server")
	}
}

// Which account is meant is asked by the flag, with those that there are.
func TestWhichAccountIsMeant(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(t.TempDir(), "out.csv")
	require.NoError(t, quietCore(t, dir, engine.Options{}).Close())
	var ids []string
	for _, name := range []string{"Harbour", "Airport"} {
		code, id, errs := holdfast("accounts", "create", "--name", name, "--data", dir)
		require.Zero(t, code, errs)
		ids = append(ids, strings.TrimSpace(id)+" "+name)
	}
	for _, args := range [][]string{{"keys", "create", "--label", "x"}, {"export", "skus", out},
		{"export", "--all", out}} {
		errs := refusedWith(t, exitUsage, append(args, "--data", dir)...)
		require.Contains(t, errs, "--account has to say which account: there are 2\n")
		for _, id := range ids {
			require.Contains(t, errs, "\n  "+id+"\n")
		}
	}
}

// Faults that the engine finds in flags are said of the flags.
func TestFaultsAreOfFlags(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, quietCore(t, dir, engine.Options{}).Close())
	code, id, errs := holdfast("accounts", "create", "--name", "Harbour", "--data", dir)
	require.Zero(t, code, errs)
	errs = refusedWith(t, exitUsage, "keys", "create", "--label", "x", "--expires", "2020-01-01T00:00:00Z", "--account",
		strings.TrimSpace(id), "--data", dir)
	require.Contains(t, errs, "holdfast: --expires must lie ahead\n")
	errs = refusedWith(t, exitUsage, "keys", "create", "--label", strings.Repeat("x", 999), "--scope", "everything",
		"--account", strings.TrimSpace(id), "--data", dir)
	require.Contains(t, errs, "--label ")
	require.Contains(t, errs, "\n--scope ")
	require.NotContains(t, errs, "errors names them")
	require.Contains(t, refusedWith(t, exitUsage, "export"), "wants RESOURCE and FILE, or --all DIR, has 0 arguments")
	for _, flag := range []string{"--grace", "--overdue-step"} {
		require.Contains(t, refusedWith(t, exitUsage, "serve", flag, "9999999h"), "2562047h at most")
	}
}

// What cannot be copied is named, and not the place of the copy.
func TestASourceThatIsNamed(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	file := filepath.Join(t.TempDir(), "damaged.tar.zst")
	require.NoError(t, os.WriteFile(file, []byte("this is no archive"), 0o600))
	to := filepath.Join(t.TempDir(), "to.tar.zst")
	damaged := filepath.Join(t.TempDir(), "damaged")
	require.NoError(t, quietCore(t, damaged, engine.Options{}).Close())
	manifests, err := filepath.Glob(filepath.Join(damaged, "MANIFEST-*"))
	require.NoError(t, err)
	for _, name := range manifests {
		require.NoError(t, os.WriteFile(name, []byte("rot"), 0o600))
	}
	for _, x := range []struct {
		source string
		args   []string
	}{{gone, []string{"backup", "--to", to, "--data", gone}}, {gone, []string{"bench", "--data", gone}},
		{gone, []string{"verify", "--start", "--data", gone}}, {file, []string{"verify", "--data", file}},
		{damaged, []string{"backup", "--to", filepath.Dir(to), "--data", damaged}},
		{damaged, []string{"backup", "--to", to, "--data", damaged}}, {damaged, []string{"bench", "--data", damaged}},
		{damaged, []string{"verify", "--start", "--data", damaged}}} {
		errs := refusedWith(t, exitFailed, x.args...)
		require.Contains(t, errs, x.source)
		require.NotContains(t, errs, "restore to ")
		require.NotContains(t, errs, `"`+filepath.Dir(to)+`"`)
	}
}

// Nothing is written into what is only read.
func TestNothingIsWrittenIntoASource(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, quietCore(t, dir, engine.Options{}).Close())
	was := filesOf(t, dir)
	inside := filepath.Join(dir, "inside")
	require.Contains(t, refusedWith(t, exitUsage, "restore", "--from", dir, "--data", inside),
		"must not be in the backup")
	for _, args := range [][]string{{"export", "--all", inside}, {"export", "skus", inside + ".csv"}} {
		require.Contains(t, refusedWith(t, exitUsage, append(args, "--data", dir)...),
			"must not be in the data directory")
	}
	require.Equal(t, was, filesOf(t, dir))
}
