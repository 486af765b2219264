package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of files that appear whole or not at all.

// A write that panics leaves nothing of the file.
func TestAWriteThatPanicsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	require.Panics(t, func() { _ = writeFile(filepath.Join(dir, "file"), func(io.Writer) error { panic("fault") }) })
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, list)
}

// What takes the name while a file is written keeps it, also where there are no hard links.
func TestAFileThatCameMeanwhileIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	holds := func(text string) {
		t.Helper()
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, list, 1, "nothing is left of another file")
	}
	write := func(text string) error {
		return writeFile(name, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	err := writeFile(name, func(io.Writer) error { return os.WriteFile(name, []byte("theirs"), 0o600) })
	require.ErrorIs(t, err, errThere)
	require.EqualError(t, err, name+" exists")
	holds("theirs")
	require.ErrorIs(t, write("mine"), errThere)
	holds("theirs")

	part := filepath.Join(dir, "part")
	require.NoError(t, os.WriteFile(part, []byte("mine"), 0o600))
	require.ErrorIs(t, publishUnlinked(part, name), errThere)
	require.NoError(t, os.Remove(name))
	require.NoError(t, publishUnlinked(part, name))
	holds("mine")
	require.Error(t, publishUnlinked(part, name+"2"), "there is no such file any more")
	holds("mine")

	require.NoError(t, os.Remove(name))
	require.EqualError(t, writeFile(name, func(io.Writer) error { return errors.New("lost") }), "lost")
	require.NoError(t, write("mine"))
	holds("mine")
}
