//go:build s3

package backup

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"holdfast/persist"
)

// realServer is versitygw, built by make test-backup, with one bucket.
type realServer struct {
	t       *testing.T
	address string
	dir     string
	process *exec.Cmd
}

func newRealServer(t *testing.T) *realServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &realServer{t: t, address: l.Addr().String(), dir: t.TempDir()}
	require.NoError(t, l.Close())
	t.Setenv("AWS_ACCESS_KEY_ID", "access-of-a-test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-of-a-test")
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "bucket"), 0o700))
	s.start()
	t.Cleanup(func() { s.kill() })
	return s
}

func (s *realServer) start() {
	s.process = exec.Command(os.Getenv("HOLDFAST_S3_SERVER"), "--quiet", "--access", "access-of-a-test", "--secret", "secret-of-a-test", "--port", s.address, "posix", s.dir)
	require.NoError(s.t, s.process.Start())
	for range 600 {
		if c, err := net.Dial("tcp", s.address); err == nil {
			c.Close()
			return
		}
		time.Sleep(20 * time.Millisecond) // not a measure of anything: another process is starting
	}
	s.t.Fatal("the S3 server does not listen")
}

func (s *realServer) kill() {
	s.process.Process.Kill()
	s.process.Wait()
}

func (s *realServer) target(prefix string) *S3 {
	target, err := NewS3(S3Options{Bucket: "bucket", Prefix: prefix, Endpoint: "http://" + s.address})
	require.NoError(s.t, err)
	return target
}

func TestRealS3(t *testing.T) { testTarget(t, newRealServer(t).target("shop")) }

// TestRealS3Archive puts an archive in parts, one that is cut off, and one of a name that is taken.
func TestRealS3Archive(t *testing.T) {
	target := newRealServer(t).target("")
	archive := make([]byte, 2*partSize+12345)
	rand.Read(archive)
	require.NoError(t, target.Put(t.Context(), "a/full", bytes.NewReader(archive), -1))
	got, err := readAll(t.Context(), target, "a/full", int64(len(archive)))
	require.NoError(t, err)
	require.True(t, bytes.Equal(archive, got))
	require.ErrorIs(t, target.Put(t.Context(), "a/full", bytes.NewReader(archive[1:]), -1), ErrExists)

	// Both look, both find nothing, one is first.
	one, two := make(chan error), make(chan error)
	var both sync.WaitGroup
	both.Add(2)
	for _, done := range []chan error{one, two} {
		go func() {
			done <- target.Put(t.Context(), "a/race", io.MultiReader(&meeting{all: &both}, bytes.NewReader(archive)), -1)
		}()
	}
	errs := []error{<-one, <-two}
	require.True(t, errs[0] == nil && errors.Is(errs[1], ErrExists) || errs[1] == nil && errors.Is(errs[0], ErrExists), "%v", errs)

	ctx, cancel := context.WithCancel(t.Context())
	require.Error(t, target.Put(ctx, "a/cut", io.MultiReader(bytes.NewReader(archive), call(cancel), bytes.NewReader(archive)), -1))
	list, err := target.List(t.Context(), "a/c")
	require.NoError(t, err)
	require.Empty(t, list)
	require.NoError(t, target.Clean(t.Context(), "a/"))
	for u := range target.client.ListIncompleteUploads(t.Context(), "bucket", "", true) {
		t.Errorf("what is left of an upload: %v", u)
	}

	_, err = target.client.StatObject(t.Context(), "bucket", "a/nothing", minio.StatObjectOptions{})
	require.ErrorIs(t, target.fault("a/nothing", err), ErrMissing)
	require.Equal(t, http.StatusNotFound, minio.ToErrorResponse(err).StatusCode)
}

// meeting reads nothing until all have come.
type meeting struct {
	all  *sync.WaitGroup
	once sync.Once
}

func (m *meeting) Read([]byte) (int, error) {
	m.once.Do(func() { m.all.Done(); m.all.Wait() })
	return 0, io.EOF
}

// call reads nothing and calls something.
type call func()

func (c call) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

// TestRealS3Habit keeps backups while the S3 server is killed and started again, and restores from what is there.
func TestRealS3Habit(t *testing.T) {
	server := newRealServer(t)
	target := watch(server.target("shops/one"))
	w := newWorld(t, persist.Options{})
	w.commit(50)
	h := w.start(target, nil)
	target.until(t, marked)
	for range 3 {
		w.commit(50)
		target.until(t, upTo(w.store.End().Seq))
		failures := h.State().LogFailures
		server.kill()
		w.commit(50)
		for h.State().LogFailures == failures {
			time.Sleep(time.Millisecond) // until a segment has failed: a state of the habit alone
		}
		server.start()
		target.until(t, upTo(w.store.End().Seq))
	}
	h.Close(t.Context())
	require.Zero(t, h.State().Breaks)
	require.Zero(t, h.State().Unsent)
	w.holds(target, persist.Point{}, 350)
	w.holds(target, persist.AtSeq(123), 123)
	w.holds(target, persist.AtInstant(w.instant(222)), 222)
}
