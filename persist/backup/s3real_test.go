//go:build s3

package backup

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"holdfast/persist"
	"holdfast/persist/backup/s3test"
)

func newGateway(t *testing.T) *s3test.Gateway {
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	g, err := s3test.NewGateway(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { g.Kill() })
	return g
}

func bucketAt(t *testing.T, g *s3test.Gateway, prefix string) *S3 {
	target, err := NewS3(S3Options{Bucket: s3test.Bucket, Prefix: prefix, Endpoint: g.URL})
	require.NoError(t, err)
	return target
}

func TestRealS3(t *testing.T) { testTarget(t, bucketAt(t, newGateway(t), "shop")) }

// TestRealS3Archive puts an archive in parts, one that is cut off, and one of a name that is taken.
func TestRealS3Archive(t *testing.T) {
	target := bucketAt(t, newGateway(t), "")
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
			done <- target.Put(t.Context(), "a/race", io.MultiReader(&meeting{all: &both}, bytes.NewReader(archive)),
				-1)
		}()
	}
	errs := []error{<-one, <-two}
	require.True(t, errs[0] == nil && errors.Is(errs[1], ErrExists) || errs[1] == nil && errors.Is(errs[0], ErrExists),
		"%v", errs)

	ctx, cancel := context.WithCancel(t.Context())
	require.Error(t,
		target.Put(ctx, "a/cut", io.MultiReader(bytes.NewReader(archive), call(cancel), bytes.NewReader(archive)), -1))
	list, err := target.List(t.Context(), "a/c")
	require.NoError(t, err)
	require.Empty(t, list)
	require.NoError(t, target.Clean(t.Context(), func(line string) bool { return line == "a" }))
	for u := range target.client.ListIncompleteUploads(t.Context(), s3test.Bucket, "", true) {
		t.Errorf("what is left of an upload: %v", u)
	}

	_, err = target.client.StatObject(t.Context(), s3test.Bucket, "a/nothing", minio.StatObjectOptions{})
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
	server := newGateway(t)
	target := watch(bucketAt(t, server, "shops/one"))
	w := newWorld(t, persist.Options{})
	w.commit(50)
	h := w.start(target, nil)
	target.until(t, marked)
	for range 3 {
		w.commit(50)
		target.until(t, upTo(w.store.End().Seq))
		failures := h.State().LogFailures
		require.NoError(t, server.Kill())
		w.commit(50)
		for h.State().LogFailures == failures {
			time.Sleep(time.Millisecond) // until a segment has failed: a state of the habit alone
		}
		require.NoError(t, server.Start())
		target.until(t, upTo(w.store.End().Seq))
	}
	h.Close(t.Context())
	require.Zero(t, h.State().Breaks)
	require.Zero(t, h.State().Unsent)
	w.holds(target, persist.Point{}, 350)
	w.holds(target, persist.AtSeq(123), 123)
	w.holds(target, persist.AtInstant(w.instant(222)), 222)
}
