package backup

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/persist"
	"holdfast/persist/backup/s3test"
)

// newFakeS3 is a bucket of a service that fails as it is told.
func newFakeS3(t *testing.T) (*s3test.Fake, *S3) {
	f := s3test.NewFake()
	t.Cleanup(f.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	s, err := NewS3(S3Options{Bucket: s3test.Bucket, Prefix: "shop/one", Endpoint: f.URL, Region: "us-east-1"})
	require.NoError(t, err)
	return f, s
}

func TestS3(t *testing.T) {
	_, s := newFakeS3(t)
	testTarget(t, s)
}

// TestHabitOnS3 keeps backups in a bucket whose answers fail and are lost, now and then.
func TestHabitOnS3(t *testing.T) {
	fake, s := newFakeS3(t)
	var turn atomic.Int32
	fake.Failing(func(r *http.Request) s3test.Fault {
		n := turn.Add(1)
		if r.Method == "GET" && r.URL.Query().Has("list-type") {
			return s3test.None
		}
		return map[int32]s3test.Fault{3: s3test.Fails, 11: s3test.Lose, 17: s3test.Fails, 29: s3test.Lose}[n%37]
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
	fake.Failing(nil)
	require.Zero(t, h.State().Breaks)
	w.holds(s, persist.Point{}, 110)
	w.holds(s, persist.AtSeq(42), 42)
}

// TestS3Faults: what fails, stalls or is cut short leaves no object and no directory.
func TestS3Faults(t *testing.T) {
	fake, s := newFakeS3(t)
	nothing := func() {
		t.Helper()
		require.Empty(t, fake.Objects())
	}
	puts := func(fault s3test.Fault) func(r *http.Request) s3test.Fault {
		return func(r *http.Request) s3test.Fault {
			if r.Method == "PUT" {
				return fault
			}
			return s3test.None
		}
	}
	fake.Failing(puts(s3test.Fails))
	require.ErrorContains(t, s.Put(t.Context(), "a/one", strings.NewReader("1"), 1), "InternalError")
	nothing()

	ctx, cancel := context.WithCancel(t.Context())
	fake.Failing(func(r *http.Request) s3test.Fault {
		if r.Method != "PUT" {
			return s3test.None
		}
		cancel() // as a Put does that has taken too long
		return s3test.Stall
	})
	require.Error(t, s.Put(ctx, "a/one", strings.NewReader("1"), 1))
	nothing()

	// The second part of an archive fails: nothing is there, and what was left is taken away.
	archive := make([]byte, 2*partSize+1000)
	rand.Read(archive)
	fake.Failing(func(r *http.Request) s3test.Fault {
		if r.URL.Query().Get("partNumber") == "2" || r.Method == "DELETE" {
			return s3test.Fails
		}
		return s3test.None
	})
	require.Error(t, s.Put(t.Context(), "a/full", bytes.NewReader(archive), -1))
	nothing()
	require.NotZero(t, fake.Uploads())
	fake.Failing(nil)
	require.NoError(t, s.Clean(t.Context(), func(line string) bool { return line == "a" }))
	require.Zero(t, fake.Uploads())

	require.NoError(t, s.Put(t.Context(), "a/full", bytes.NewReader(archive), -1))
	require.ErrorIs(t, s.Put(t.Context(), "a/full", bytes.NewReader(archive[:partSize+5]), -1), ErrExists)
	require.Equal(t, archive, fake.Objects()["shop/one/a/full"])

	// Somebody puts the same name between the look and the Put.
	fake.Failing(func(r *http.Request) s3test.Fault {
		if r.Method == "PUT" {
			fake.Add("shop/one/a/two", "another's")
		}
		return s3test.None
	})
	require.ErrorIs(t, s.Put(t.Context(), "a/two", strings.NewReader("22"), 2), ErrExists)
	require.Equal(t, "another's", string(fake.Objects()["shop/one/a/two"]))
	fake.Failing(func(r *http.Request) s3test.Fault {
		if r.Method == "POST" && r.URL.Query().Has("uploadId") {
			fake.Add("shop/one/a/three", "another's")
		}
		return s3test.None
	})
	require.ErrorIs(t, s.Put(t.Context(), "a/three", bytes.NewReader(archive), -1), ErrExists)
	require.Equal(t, "another's", string(fake.Objects()["shop/one/a/three"]))
	require.Zero(t, fake.Uploads())
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
		fake.Failing(func(r *http.Request) s3test.Fault {
			if r.Method == "GET" && strings.Contains(r.URL.Path, "/"+kind) {
				return s3test.Cut
			}
			return s3test.None
		})
		dir := t.TempDir() + "/restored"
		_, err := Restore(t.Context(), s, p, persist.RestoreOptions{To: dir})
		require.Error(t, err)
		names, _ := os.ReadDir(dir)
		require.Empty(t, names)
	}
	fake.Failing(nil)
	w.holds(s, persist.Point{}, 40)
}

func TestS3Options(t *testing.T) {
	for _, endpoint := range []string{"s3.example.com", "ftp://x", "https://", "https://u:p@x", "https://x/path",
		"https://x?y=z", "::"} {
		_, err := NewS3(S3Options{Bucket: "bucket", Endpoint: endpoint})
		require.ErrorIs(t, err, ErrEndpoint, endpoint)
	}
	_, err := NewS3(S3Options{Bucket: "bucket", Region: "over there"})
	require.ErrorIs(t, err, ErrRegion)
	file := filepath.Join(t.TempDir(), "keys")
	for _, text := range []string{
		"", "[default\nsecret-secret", "[default]\naws_access_key_id = a\n",
		"[other]\naws_access_key_id=a\naws_secret_access_key=secret-secret\n",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := NewS3(S3Options{Bucket: "bucket", Credentials: file})
		require.Equal(t, ErrCredentials, err, "nothing of the file is in it")
	}
	require.NoError(t,
		os.WriteFile(file, []byte("[default]\naws_access_key_id=a\naws_secret_access_key=secret-secret\n"), 0o600))
	s, err := NewS3(S3Options{Bucket: "bucket", Credentials: file})
	require.NoError(t, err)
	require.Equal(t, "s3://bucket", s.String())
}

func TestParseBucket(t *testing.T) {
	for name, want := range map[string][2]string{
		"s3://shop": {"shop", ""}, "s3://shop/": {"shop", ""}, "s3://shop/a/b/": {"shop", "a/b"},
		"s3://my.shop-1/x_y": {"my.shop-1", "x_y"},
	} {
		bucket, prefix, ok := ParseBucket(name)
		require.True(t, ok, name)
		require.Equal(t, want, [2]string{bucket, prefix}, name)
	}
	for _, name := range []string{
		"", "/dir", "s3:/shop", "s3://", "S3://shop", "s3://ab", "s3://Shop", "s3://shop..x/y", "s3://key:secret@shop",
		"s3://shop//x", "s3://shop/a//b",
		"s3://shop/../x", "s3://shop/./x", "s3://shop/a b", "s3://shop/x?y=z", "s3://shop/" + strings.Repeat("x", 513),
		"gs://shop",
	} {
		_, _, ok := ParseBucket(name)
		require.False(t, ok, name)
	}
}

// TestS3Credentials: a file is read again where the service refuses what was in it, and who has none is told so.
func TestS3Credentials(t *testing.T) {
	fake, _ := newFakeS3(t)
	fake.Failing(func(r *http.Request) s3test.Fault {
		if strings.Contains(r.Header.Get("Authorization"), "Credential=second/") {
			return s3test.None
		}
		return s3test.Forbid
	})
	file := filepath.Join(t.TempDir(), "keys")
	write := func(id string) {
		t.Helper()
		text := "[default]\naws_access_key_id=" + id + "\naws_secret_access_key=secret\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write("first")
	s, err := NewS3(S3Options{Bucket: s3test.Bucket, Endpoint: fake.URL, Region: "us-east-1", Credentials: file})
	require.NoError(t, err)
	_, err = s.List(t.Context(), "")
	require.ErrorContains(t, err, "AccessDenied")
	write("second")
	_, err = s.List(t.Context(), "")
	require.NoError(t, err)

	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", fake.URL) // a role that is refused, too
	s, err = NewS3(S3Options{Bucket: s3test.Bucket, Endpoint: fake.URL, Region: "us-east-1"})
	require.NoError(t, err)
	_, err = s.List(t.Context(), "")
	require.ErrorContains(t, err, "there are no credentials")
}
