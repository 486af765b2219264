package backup

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/persist"
)

func TestS3(t *testing.T) {
	_, s := newFakeS3(t)
	testTarget(t, s)
}

// TestHabitOnS3 keeps backups in a bucket whose answers fail and are lost, now and then.
func TestHabitOnS3(t *testing.T) {
	fake, s := newFakeS3(t)
	turn := 0
	fake.failing(func(r *http.Request) string {
		if turn++; r.Method == "GET" && r.URL.Query().Has("list-type") {
			return ""
		}
		return map[int]string{3: "500", 11: "lost", 17: "500", 29: "lost"}[turn%37]
	})
	w := newWorld(t, persist.Options{})
	w.commit(10)
	target := watch(s)
	h := w.start(target, nil)
	target.until(t, marked)
	for range 10 {
		w.commit(10)
		target.until(t, func(string) bool { return true })
	}
	h.Close(t.Context())
	fake.failing(nil)
	require.Zero(t, h.State().Breaks)
	w.holds(s, persist.Point{}, 110)
	w.holds(s, persist.AtSeq(42), 42)
}

// TestS3Faults: what fails, stalls or is cut short leaves no object and no directory.
func TestS3Faults(t *testing.T) {
	fake, s := newFakeS3(t)
	nothing := func() {
		t.Helper()
		fake.mu.Lock()
		defer fake.mu.Unlock()
		require.Empty(t, fake.objects)
	}
	puts := func(fault string) func(r *http.Request) string {
		return func(r *http.Request) string {
			if r.Method == "PUT" {
				return fault
			}
			return ""
		}
	}
	fake.failing(puts("500"))
	require.ErrorContains(t, s.Put(t.Context(), "a/one", strings.NewReader("1"), 1), "InternalError")
	nothing()

	ctx, cancel := context.WithCancel(t.Context())
	fake.failing(func(r *http.Request) string {
		if r.Method != "PUT" {
			return ""
		}
		cancel() // as a Put does that has taken too long
		return "stall"
	})
	require.Error(t, s.Put(ctx, "a/one", strings.NewReader("1"), 1))
	nothing()

	// The second part of an archive fails: nothing is there, and what was left is taken away.
	archive := make([]byte, 2*partSize+1000)
	rand.Read(archive)
	fake.failing(func(r *http.Request) string {
		if r.URL.Query().Get("partNumber") == "2" || r.Method == "DELETE" {
			return "500"
		}
		return ""
	})
	require.Error(t, s.Put(t.Context(), "a/full", bytes.NewReader(archive), -1))
	nothing()
	require.NotEmpty(t, fake.uploads)
	fake.failing(nil)
	require.NoError(t, s.Clean(t.Context(), "a/"))
	require.Empty(t, fake.uploads)

	require.NoError(t, s.Put(t.Context(), "a/full", bytes.NewReader(archive), -1))
	require.ErrorIs(t, s.Put(t.Context(), "a/full", bytes.NewReader(archive[:partSize+5]), -1), ErrExists)
	require.Equal(t, archive, fake.objects["shop/one/a/full"])

	// Somebody puts the same name between the look and the Put.
	fake.failing(func(r *http.Request) string {
		if r.Method == "PUT" {
			fake.objects["shop/one/a/two"] = []byte("another's")
		}
		return ""
	})
	require.ErrorIs(t, s.Put(t.Context(), "a/two", strings.NewReader("22"), 2), ErrExists)
	require.Equal(t, "another's", string(fake.objects["shop/one/a/two"]))
	fake.failing(func(r *http.Request) string {
		if r.Method == "POST" && r.URL.Query().Has("uploadId") {
			fake.objects["shop/one/a/three"] = []byte("another's")
		}
		return ""
	})
	require.ErrorIs(t, s.Put(t.Context(), "a/three", bytes.NewReader(archive), -1), ErrExists)
	require.Equal(t, "another's", string(fake.objects["shop/one/a/three"]))
	require.Empty(t, fake.uploads)
}

// TestS3IsCutWhileRestoring leaves nothing of a restore whose archive or segment ends too early.
func TestS3IsCutWhileRestoring(t *testing.T) {
	fake, s := newFakeS3(t)
	w := newWorld(t, persist.Options{})
	w.commit(20)
	target := watch(s)
	h := w.start(target, nil)
	target.until(t, marked)
	w.commit(20)
	h.Close(t.Context())
	lines, err := Lines(t.Context(), s)
	require.NoError(t, err)
	p, err := PlanFor(s, lines, persist.Point{})
	require.NoError(t, err)
	for _, kind := range []string{fullPrefix, segmentPrefix} {
		fake.failing(func(r *http.Request) string {
			if r.Method == "GET" && strings.Contains(r.URL.Path, "/"+kind) {
				return "cut"
			}
			return ""
		})
		dir := t.TempDir() + "/restored"
		_, err := Restore(t.Context(), s, p, persist.RestoreOptions{To: dir})
		require.Error(t, err)
		names, _ := os.ReadDir(dir)
		require.Empty(t, names)
	}
	fake.failing(nil)
	w.holds(s, persist.Point{}, 40)
}

func TestS3Options(t *testing.T) {
	for _, endpoint := range []string{"s3.example.com", "ftp://x", "https://", "https://u:p@x", "https://x/path", "https://x?y=z", "::"} {
		_, err := NewS3(S3Options{Bucket: "bucket", Endpoint: endpoint})
		require.ErrorContains(t, err, "the endpoint must be like", endpoint)
	}
	file := filepath.Join(t.TempDir(), "keys")
	for _, text := range []string{"", "[default\nsecret-secret", "[default]\naws_access_key_id = a\n", "[other]\naws_access_key_id=a\naws_secret_access_key=secret-secret\n"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := NewS3(S3Options{Bucket: "bucket", Credentials: file})
		require.ErrorContains(t, err, "under [default]")
		require.NotContains(t, err.Error(), "secret-secret")
	}
	require.NoError(t, os.WriteFile(file, []byte("[default]\naws_access_key_id=a\naws_secret_access_key=secret-secret\n"), 0o600))
	s, err := NewS3(S3Options{Bucket: "bucket", Credentials: file})
	require.NoError(t, err)
	require.Equal(t, "s3://bucket", s.String())
}
