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

	"github.com/stretchr/testify/require"

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
