package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnotherToken(t *testing.T) {
	name := filepath.Join(t.TempDir(), "token")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		require.NoError(t, os.WriteFile(name, []byte(text), mode))
		require.NoError(t, os.Chmod(name, mode))
	}
	first, second := strings.Repeat("a", 32), strings.Repeat("b", 32)
	write(first+"\n", 0o600)
	f, err := openToken(name)
	require.NoError(t, err)
	said := new(logText)
	log := slog.New(slog.NewJSONHandler(said, nil))
	lines := func() int { return strings.Count(said.String(), "\n") }

	f.look(false, log)
	require.Equal(t, first, f.get())
	require.Zero(t, lines(), "nothing has changed")
	for _, bad := range []func(){
		func() { write("short", 0o600) },
		func() { write(second, 0o644) },
		func() { require.NoError(t, os.Remove(name)) },
	} {
		bad()
		before := lines()
		f.look(false, log)
		f.look(false, log)
		require.Equal(t, first, f.get(), "the old one stays")
		require.Equal(t, before+1, lines(), "it is said once")
		f.look(true, log)
		require.Equal(t, before+2, lines(), "and to who asks")
	}
	write(second, 0o600)
	f.look(false, log)
	require.Equal(t, second, f.get())
	require.NotContains(t, said.String(), second)
	require.NotContains(t, said.String(), first)
}
