package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/persist"
)

// What may not be read, and what a newer program wrote, has no faults that anybody found.
func TestVerifySaysWhyItCannotTell(t *testing.T) {
	require.ErrorContains(t, notVerified(fmt.Errorf("open: %w", fs.ErrPermission)), "may not read")
	dir := t.TempDir()
	s, err := persist.Open(persist.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	verify := func() (code int, said string) {
		var out, errs bytes.Buffer
		code = run([]string{"verify", "--data", dir}, nil, &out, &errs)
		return code, out.String() + errs.String()
	}
	if os.Getuid() != 0 { // root may read everything
		name := filepath.Join(dir, "HEAD")
		require.NoError(t, os.Chmod(name, 0))
		code, said := verify()
		require.Equal(t, 1, code)
		require.Contains(t, said, "may not read")
		require.NotContains(t, said, "FAULTS")
		require.NoError(t, os.Chmod(name, 0o600))
	}
	makeNewer(t, filepath.Join(dir, "HEAD"))
	code, said := verify()
	require.Equal(t, 1, code)
	require.Contains(t, said, "newer")
	require.NotContains(t, said, "FAULTS")
}

// makeNewer has a head file name a format that nobody knows yet.
func makeNewer(t *testing.T, name string) {
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, slot := range [][]byte{b[:len(b)/2], b[len(b)/2:]} {
		text := slot[:len(slot)-sha256.Size]
		binary.LittleEndian.PutUint32(text[8:], 1<<20)
		sum := sha256.Sum256(text)
		copy(slot[len(text):], sum[:])
	}
	require.NoError(t, os.WriteFile(name, b, 0o600))
}

// A report that cannot be written is a failure.
func TestVerifyWhoseReportIsLost(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer full.Close()
	dir := t.TempDir()
	require.NoError(t, quietCore(t, dir, engine.Options{}).Close())
	var errs bytes.Buffer
	require.Equal(t, exitFailed, run([]string{"verify", "--data", dir}, nil, full, &errs))
	require.Contains(t, errs.String(), "no space left")
}

// Each command advises what it can do itself about a directory that is in use.
func TestADirectoryInUseIsSaid(t *testing.T) {
	dir := t.TempDir()
	c := quietCore(t, dir, engine.Options{})
	defer c.Close()
	to := filepath.Join(t.TempDir(), "to")
	for _, args := range [][]string{{"verify", "--data", dir}, {"verify", "--start", "--data", dir},
		{"restore", "--from", dir, "--data", to}} {
		code, _, errs := holdfast(args...)
		require.Equal(t, exitFailed, code)
		require.Contains(t, errs, "holdfast backup makes one of a running server")
		require.NotContains(t, errs, "ops")
	}
	for _, args := range [][]string{{"backup", "--data", dir, "--to", to}, {"keys", "list", "--data", dir},
		{"backup", "--data", dir, "--to", to + ".tar.zst"}} {
		code, _, errs := holdfast(args...)
		require.Equal(t, exitFailed, code)
		require.Contains(t, errs, "--ops-url")
	}
	code, _, errs := holdfast("backup", "--data", dir, "--to", to+".tar.zst")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "backup of "+dir+" to "+to+".tar.zst: ")
}

// Rows that do not have the state hash of the log are neither restored nor backed up: a start would refuse them.
func TestRowsOfAnotherStateHashAreNotRestored(t *testing.T) {
	dir := t.TempDir()
	s, err := persist.Open(persist.Options{Dir: dir})
	require.NoError(t, err)
	var g persist.Group
	g.Change(1, []byte("row"), nil, []byte("value"))
	require.NoError(t, s.Commit(&g, 1, 1, 1))
	s.Published(1)
	require.NoError(t, s.Close())
	to := filepath.Join(t.TempDir(), "to")
	for _, args := range [][]string{{"restore", "--from", dir, "--data", to}, {"backup", "--data", dir, "--to", to},
		{"backup", "--data", dir, "--to", to + ".tar.zst"}} {
		require.Contains(t, refusedWith(t, exitFailed, args...), "the marker at record 1 says")
		require.NoFileExists(t, args[len(args)-1])
		require.NoDirExists(t, args[len(args)-1])
	}
}

// An archive whose mark is damaged is not verified: restore takes the one before it and says so, and verify finds it.
func TestRestorePassesOverAnArchiveWithADamagedMark(t *testing.T) {
	top := t.TempDir()
	dir, to := filepath.Join(top, "data"), filepath.Join(top, "backups")
	var marks []string
	var ends []uint64
	for i := range 2 {
		c := quietCore(t, dir, engine.Options{})
		if i == 0 {
			started(t, c, dir, "")
		} else {
			require.NoError(t, c.do(c.engine.Accounts()[0], base.SetPlan{Plan: "growth"}))
		}
		end := c.store.End()
		line := filepath.Join(to, fmt.Sprintf("20260301T100000.000Z-%016x", c.store.Incarnation()))
		require.NoError(t, c.Close())
		require.NoError(t, os.MkdirAll(line, 0o700))
		at := time.UnixMilli(end.At).UTC().Format("20060102T150405.000Z")
		name := fmt.Sprintf("full-%020d-%s-%s", end.Seq, at, at)
		code, _, errs := holdfast("backup", "--data", dir, "--to", filepath.Join(line, name+".tar.zst"))
		require.Zero(t, code, errs)
		mark := fmt.Sprintf(`{"sequence":%d,"archive":"%s.tar.zst"}`, end.Seq, name)
		marks, ends = append(marks, filepath.Join(line, name+".verified")), append(ends, end.Seq)
		require.NoError(t, os.WriteFile(marks[i], []byte(mark), 0o600))
	}
	restore := func(name string) (code int, out, errs string) {
		return holdfast("restore", "--from", to, "--data", filepath.Join(top, name))
	}
	_, out, _ := restore("whole")
	require.Contains(t, out, fmt.Sprintf("log sequence %d,", ends[1]))

	require.NoError(t, os.WriteFile(marks[1], nil, 0o600))
	code, out, errs := restore("before")
	require.Zero(t, code)
	require.Contains(t, out, fmt.Sprintf("log sequence %d,", ends[0]))
	require.Contains(t, errs, "note: "+filepath.Join(filepath.Base(filepath.Dir(marks[1])), filepath.Base(marks[1]))+
		" is damaged")
	code, out, errs = holdfast("verify", "--data", to)
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "1 archives that were opened when they were made, 1 that were not")
	require.Contains(t, out, "FAULTS FOUND")
	require.Contains(t, errs, filepath.Base(marks[1])+" is damaged")

	require.NoError(t, os.WriteFile(marks[0], nil, 0o600))
	require.Contains(t, refusedWith(t, exitFailed, "restore", "--from", to, "--data", filepath.Join(top, "none")),
		"none of the 2 archives")
}
