package persist

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// The log's file changes its size rarely, and holds what was written and zeros behind it.
func TestAheadFile(t *testing.T) {
	mem := vfs.NewMem()
	f, err := mem.Create("000001.log", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	a, err := newPaddedFile(f)
	require.NoError(t, err)
	var wrote []byte
	sizes := map[int]bool{}
	read := func() []byte {
		r, err := mem.Open("000001.log")
		require.NoError(t, err)
		defer r.Close()
		i, err := r.Stat()
		require.NoError(t, err)
		b := make([]byte, i.Size())
		_, err = r.ReadAt(b, 0)
		require.NoError(t, err)
		return b
	}
	for i := range 2000 {
		p := bytes.Repeat([]byte{byte(1 + i%255)}, 1+i*7%3000)
		wrote = append(wrote, p...)
		n, err := a.Write(p)
		require.NoError(t, err)
		require.Equal(t, len(p), n)
		i, err := a.Stat()
		require.NoError(t, err)
		sizes[int(i.Size())] = true
	}
	require.Less(t, len(sizes), 20)
	b := read()
	require.Greater(t, len(b), len(wrote))
	require.LessOrEqual(t, len(b), len(wrote)+mostPadding)
	require.Equal(t, wrote, b[:len(wrote)])
	require.Equal(t, make([]byte, len(b)-len(wrote)), b[len(wrote):])

	big := bytes.Repeat([]byte{9}, 3*mostPadding)
	_, err = a.Write(bytes.Clone(big)) // a file may change what it is given
	require.NoError(t, err)
	require.Equal(t, append(wrote, big...), read()[:len(wrote)+len(big)])

	// Over a file that is used again nothing is written ahead until its end.
	again, err := mem.ReuseForWrite("000001.log", "000002.log", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	a, err = newPaddedFile(again)
	require.NoError(t, err)
	was, err := a.Stat()
	require.NoError(t, err)
	_, err = a.Write([]byte("x"))
	require.NoError(t, err)
	is, err := a.Stat()
	require.NoError(t, err)
	require.Equal(t, was.Size(), is.Size())
}

// On the disk a log takes what it holds and the zeros ahead, not the room of a whole table in memory.
func TestLogTakesTheRoomOfWhatItHolds(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	newToy(newSeed(t)).run(t, s, 50)
	require.NoError(t, s.Close())
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	require.NoError(t, err)
	require.NotEmpty(t, logs)
	for _, name := range logs {
		i, err := os.Stat(name)
		require.NoError(t, err)
		require.LessOrEqual(t, i.Sys().(*syscall.Stat_t).Blocks*512, int64(2*mostPadding), name)
	}
}
