package persist

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// childDir tells this test binary that it is to be the other process.
const childDir = "HOLDFAST_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir, os.Getenv("HOLDFAST_TEST_CHILD_SEED"))
		return
	}
	os.Exit(m.Run())
}

// child opens the directory, goes on with the history of that seed, and prints
// each sequence that was acknowledged, until it is killed.
func child(dir, seed string) {
	o := small(nil)
	o.Dir = dir
	s, err := Open(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := strconv.ParseUint(seed, 10, 64)
	toy := newToy(n)
	for toy.seq < s.End().Seq {
		toy.step()
	}
	s.Published(toy.seq)
	for {
		if err := toy.commit(s); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(toy.seq)
	}
}

func start(t *testing.T, dir string, seed uint64) (*exec.Cmd, *bufio.Scanner) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("HOLDFAST_TEST_CHILD_SEED=%d", seed))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// unwritable is a file system that is mounted to be read.
type unwritable struct{ vfs.FS }

func (u unwritable) Unwrap() vfs.FS { return u.FS }

func (unwritable) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, syscall.EROFS }

func (unwritable) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, syscall.EROFS
}

func (unwritable) ReuseForWrite(string, string, vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, syscall.EROFS
}

func (unwritable) Remove(string) error         { return syscall.EROFS }
func (unwritable) RemoveAll(string) error      { return syscall.EROFS }
func (unwritable) Rename(string, string) error { return syscall.EROFS }
func (unwritable) Link(string, string) error   { return syscall.EROFS }
func (unwritable) Lock(name string) (io.Closer, error) {
	return nil, &os.PathError{Op: "open", Path: name, Err: syscall.EROFS}
}
func (unwritable) MkdirAll(string, os.FileMode) error { return syscall.EROFS }

// TestKilledProcess kills a process that writes, many times, and finds all that
// it acknowledged. While it lives its directory is locked.
func TestKilledProcess(t *testing.T) {
	seed := newSeed(t)
	o := small(nil)
	o.Dir = t.TempDir()
	acked := uint64(0)
	for round := range 8 {
		cmd, lines := start(t, o.Dir, seed)
		for range 5 + 9*round {
			require.True(t, lines.Scan())
			n, err := strconv.ParseUint(lines.Text(), 10, 64)
			require.NoError(t, err, lines.Text())
			acked = n
		}
		if round == 0 {
			_, err := Open(o)
			require.ErrorIs(t, err, ErrLocked)
			_, err = Verify(o.Dir, VerifyOptions{FS: unwritable{vfs.Default}})
			require.ErrorIs(t, err, ErrLocked)
		}
		require.NoError(t, cmd.Process.Kill())
		for lines.Scan() {
			if n, err := strconv.ParseUint(lines.Text(), 10, 64); err == nil {
				acked = n
			}
		}
		require.Error(t, cmd.Wait())
		s := open(t, o)
		toy := newToy(seed)
		for toy.seq < s.End().Seq {
			toy.step()
		}
		require.NoError(t, toy.check(s, acked, acked+1))
		require.NoError(t, s.Close())
		t.Logf("acknowledged %d, recovered %d", acked, toy.seq)
	}
}

// TestReadOnlyDirectory verifies what nothing can be written to, with a LOCK and without.
func TestReadOnlyDirectory(t *testing.T) {
	o := small(nil)
	o.Dir = t.TempDir()
	s, toy := open(t, o), newToy(7)
	for range 50 {
		require.NoError(t, toy.commit(s))
	}
	require.NoError(t, s.Close())
	for range 2 {
		rep, err := Verify(o.Dir, VerifyOptions{FS: unwritable{vfs.Default}})
		require.NoError(t, err)
		require.Equal(t, toy.seq, rep.HeadSeq)
		require.NoError(t, os.RemoveAll(filepath.Join(o.Dir, lockName)))
	}
	require.NoFileExists(t, filepath.Join(o.Dir, lockName))
}
