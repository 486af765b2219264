package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns the drills of a backup whose process, or whose server, is killed on the way: nothing is left that
// passes as a backup, and the directory is well.

// halfway stands between commands and the socket of a server. It lets through so many bytes of an answer, then none.
type halfway struct {
	dir     string        // what the command gets as --data
	reached chan struct{} // so many have been let through
	cut     chan struct{} // closed by the test: the connections end
}

func newHalfway(t *testing.T, data string, bytes int64) *halfway {
	h := &halfway{dir: t.TempDir(), reached: make(chan struct{}, 1), cut: make(chan struct{})}
	l, err := net.Listen("unix", filepath.Join(h.dir, socketName))
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go h.pass(from, filepath.Join(data, socketName), bytes)
		}
	}()
	return h
}

func (h *halfway) pass(from net.Conn, socket string, bytes int64) {
	defer from.Close()
	to, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer to.Close()
	gone := make(chan struct{})
	go func() {
		io.Copy(to, from)
		to.Close()
		close(gone)
	}()
	if n, _ := io.CopyN(from, to, bytes); n < bytes {
		return // the command only looked whether somebody answers
	}
	h.reached <- struct{}{}
	select {
	case <-gone:
	case <-h.cut:
	}
}

// begin starts the program as a process of its own, with its own directory for temporary files.
func begin(t *testing.T, temporary string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	var errs bytes.Buffer
	cmd := exec.Command(self)
	cmd.Args = append([]string{"holdfast"}, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
	cmd.Stderr = &errs
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, &errs
}

// await waits until something is so. The limit keeps a broken program from hanging the test.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 30_000 {
		if is() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	require.Fail(t, "still waiting for "+what)
}

// large puts in what does not compress, so that an archive is larger than what fits between two processes.
func (k *keeper) large() {
	k.t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		text := make([]byte, 4500)
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		_, status := k.post("skus", fmt.Sprintf(`{"name":"Bike","description":"%x"}`, text))
		require.Equal(k.t, 200, status)
	}
}

// nothing says that no file or directory in dir passes as a backup: neither is verified nor restored.
func (k *keeper) nothing(dir string) (left []string) {
	k.t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(k.t, err)
	for _, name := range left {
		var out, errs bytes.Buffer
		require.NotZero(k.t, run([]string{"verify", "--data", name}, nil, &out, &errs), "%s: %s", name, &out)
		to := filepath.Join(k.t.TempDir(), "restored")
		require.NotZero(k.t, run([]string{"restore", "--from", name, "--data", to}, nil, &out, &errs), "%s: %s", name,
			&out)
		require.NoDirExists(k.t, to)
	}
	return left
}

// staged are the directories in which the server puts backups together.
func (k *keeper) staged() []string {
	dirs, err := filepath.Glob(filepath.Join(k.data, "checkpoint-*"))
	require.NoError(k.t, err)
	return dirs
}

func TestABackupOfAServerIsKilled(t *testing.T) {
	k := newKeeper(t)
	k.start()
	hold := k.stock()
	k.large()
	require.Len(t, k.book(t.Context(), hold, 5), 20)
	k.until("holdfast_backup_last_good_sequence", func(n float64) bool { return n > 0 })

	whole := filepath.Join(t.TempDir(), "whole.tar.zst")
	require.Contains(t, k.command("backup", "--data", k.data, "--to", whole), "backed up to")
	st, err := os.Stat(whole)
	require.NoError(t, err)
	size := st.Size()
	require.Greater(t, size, int64(500_000))

	for _, after := range []int64{1, size / 2, size - 1000} {
		for _, form := range []string{"file.tar.zst", "directory"} {
			dir := t.TempDir()
			to := filepath.Join(dir, form)
			h := newHalfway(t, k.data, after)
			cmd, errs := begin(t, t.TempDir(), "backup", "--data", h.dir, "--to", to)
			<-h.reached
			if after > 1 {
				await(t, "what it writes", func() bool { return len(files(t, dir)) > 0 })
			}
			require.NoError(t, cmd.Process.Kill())
			require.ErrorContains(t, cmd.Wait(), "killed", errs)
			require.NoFileExists(t, filepath.Join(dir, "file.tar.zst"))
			left := k.nothing(dir)
			if after > 1 {
				require.Len(t, left, 1)
			}

			// The server has put its own away, takes bookings, and gives the next one.
			await(t, "the end of what the server has put together", func() bool { return len(k.staged()) == 0 })
			require.Len(t, k.book(t.Context(), hold, 1), 4)
			if form == "directory" && after > 1 {
				var out, more bytes.Buffer
				require.NotZero(t, run([]string{"backup", "--data", k.data, "--to", to}, nil, &out, &more))
				require.Contains(t, more.String(), "is not empty")
				require.NoError(t, os.RemoveAll(to))
			}
			said, size := k.command("backup", "--data", k.data, "--to", to), int64(0)
			for _, name := range files(t, to) {
				st, err := os.Stat(name)
				require.NoError(t, err)
				size += st.Size()
			}
			require.Equal(t, fmt.Sprintf("backed up to %s, %d bytes\n", to, size), said)
			require.Contains(t, k.command("verify", "--data", to), "result in order")
		}
	}

	// The server is killed in the middle: its command says so and leaves nothing, and the directory opens as it was.
	dir := t.TempDir()
	h := newHalfway(t, k.data, size/2)
	cmd, errs := begin(t, t.TempDir(), "backup", "--data", h.dir, "--to", filepath.Join(dir, "file.tar.zst"))
	<-h.reached
	require.NotEmpty(t, k.staged())
	k.kill()
	close(h.cut)
	require.Error(t, cmd.Wait())
	require.Contains(t, errs.String(), "the backup is not whole")
	require.Empty(t, files(t, dir))
	require.NotEmpty(t, k.staged(), "it had no time to put it away")
	require.Contains(t, k.command("verify", "--data", k.data), "result in order")
	before := k.opened(k.data)
	k.start()
	require.Empty(t, k.staged())
	k.kill()
	require.Equal(t, before.StateHash, k.opened(k.data).StateHash)
}

// files are the names in a directory of all that has bytes.
func files(t *testing.T, dir string) (names []string) {
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // renamed or removed meanwhile
		}
		if err == nil && d.Type().IsRegular() {
			if st, err := d.Info(); err == nil && st.Size() > 0 {
				names = append(names, name)
			}
		}
		return err
	}))
	return names
}

// The command of a stopped directory is killed while it makes its checked copy, and while it writes.
func TestABackupOfADirectoryIsKilled(t *testing.T) {
	k := newKeeper(t)
	k.start()
	hold := k.stock()
	k.large()
	require.Len(t, k.book(t.Context(), hold, 5), 20)
	k.kill()
	before := k.opened(k.data)

	for step, begun := range map[string]func(dir, temporary string) bool{
		"the copy": func(_, temporary string) bool { return len(files(t, temporary)) > 0 },
		"the file": func(dir, _ string) bool { return len(files(t, dir)) > 0 },
	} {
		hit := false
		for range 50 { // the process may be faster than who looks
			dir, temporary := t.TempDir(), t.TempDir()
			to := filepath.Join(dir, "file.tar.zst")
			cmd, errs := begin(t, temporary, "backup", "--data", k.data, "--to", to)
			await(t, step, func() bool { return begun(dir, temporary) })
			require.NoError(t, cmd.Process.Kill())
			cmd.Wait()
			if _, err := os.Stat(to); err == nil {
				require.Contains(t, k.command("verify", "--data", to), "result in order", errs)
				continue
			}
			hit = true
			k.nothing(dir)
			require.NotEmpty(t, k.nothing(temporary))

			// The next one removes the copy, and does not trip over the file.
			next, errs := begin(t, temporary, "backup", "--data", k.data, "--to", to)
			require.NoError(t, next.Wait(), errs)
			require.Empty(t, files(t, temporary))
			require.Contains(t, k.command("verify", "--data", to), "result in order")
			require.Equal(t, before.StateHash, k.opened(to).StateHash)
			break
		}
		require.True(t, hit, "the process was never killed at %s", step)
	}
	require.Contains(t, k.command("verify", "--data", k.data), "result in order")
	require.Equal(t, before.StateHash, k.opened(k.data).StateHash)
}

// A copy that is in use is left alone, one that was left is removed, and what is none is not touched.
func TestScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	used, lock, err := newScratch()
	require.NoError(t, err)
	defer lock.Close()
	left, theirs := filepath.Join(os.TempDir(), "holdfast-copy-1"), filepath.Join(os.TempDir(), "holdfast-copy-2")
	require.NoError(t, os.Mkdir(left, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(left, "file"), []byte("data"), 0o600))
	elsewhere := t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, theirs))
	second, other, err := newScratch()
	require.NoError(t, err)
	defer other.Close()
	require.NotEqual(t, used, second)
	require.DirExists(t, used)
	require.DirExists(t, elsewhere)
	require.NoDirExists(t, left)
	_, err = os.Lstat(theirs)
	require.NoError(t, err)
	for _, dir := range []string{used, second} {
		st, err := os.Stat(dir)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), st.Mode().Perm())
	}
}

// A file may be whole when its process is killed, but not yet on the disk: its name says that it does not count.
func TestAnUnfinishedArchive(t *testing.T) {
	k := newKeeper(t)
	k.start()
	k.stock()
	k.kill()
	dir := t.TempDir()
	whole := filepath.Join(dir, "file.tar.zst")
	k.command("backup", "--data", k.data, "--to", whole)
	require.NoError(t, os.Rename(whole, whole+".part-12345"))
	require.Len(t, k.nothing(dir), 1)
	require.NoError(t, os.Rename(whole+".part-12345", whole))
	require.Contains(t, k.command("verify", "--data", whole), "result in order")
}

// A backup that is under way when the server is asked to stop is finished within the grace, and cut off at its end;
// then the server takes away what it has put together before it ends.
func TestAStopAwaitsABackup(t *testing.T) {
	for _, grace := range []string{"10m", "1ms"} {
		k := newKeeper(t)
		k.more = []string{"--grace", grace}
		k.start()
		k.stock()
		k.large()
		server, err := serverOf(t.Context(), k.data)
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.base+"/backup", nil)
		require.NoError(t, err)
		answer, err := server.do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		archive, err := os.Create(filepath.Join(t.TempDir(), "whole.tar.zst"))
		require.NoError(t, err)
		defer archive.Close()
		_, err = io.CopyN(archive, answer.Body, 1) // the rest does not fit between the two
		require.NoError(t, err)
		require.NotEmpty(t, k.staged())

		require.NoError(t, k.process.Process.Signal(syscall.SIGTERM))
		if grace == "10m" {
			await(t, "the stop", func() bool {
				c, err := net.Dial("tcp", k.address)
				if err == nil {
					c.Close()
				}
				return err != nil
			})
			_, err = io.Copy(archive, answer.Body)
			require.NoError(t, err)
			require.Contains(t, k.command("verify", "--data", archive.Name()), "result in order")
		}
		require.NoError(t, k.process.Wait(), k.errs.String())
		require.Empty(t, k.staged())
		require.Equal(t, grace == "1ms", strings.Contains(k.errs.String(), "were cut off"))
	}
}
