package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/engine"
)

// This file owns the tests of what the doctor says.

func TestDoctorOfAMachineThatWillDo(t *testing.T) {
	c := doctorConfig{data: filepath.Join(t.TempDir(), "a", "b"), listen: "127.0.0.1:0"}
	var out bytes.Buffer
	require.NoError(t, c.examine(t.Context(), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 8)
	for i, what := range []string{"directory", "disk", "room", "clock", "limits", "memory", "port", "backups"} {
		require.Equal(t, what, strings.Fields(lines[i])[0])
		require.NotContains(t, lines[i], " bad ")
	}
	above, err := os.ReadDir(filepath.Dir(filepath.Dir(c.data)))
	require.NoError(t, err)
	require.Empty(t, above, "what it wrote is gone")
}

func TestDoctorNamesWhatWillNotDo(t *testing.T) {
	foreign := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "notes.txt"), nil, 0o600))
	var out bytes.Buffer
	require.ErrorIs(t, (&doctorConfig{data: foreign, listen: "127.0.0.1:0"}).examine(t.Context(), &out), errUnfit)
	require.Regexp(t, `(?m)^directory +bad .*notes\.txt`, out.String())

	file := filepath.Join(foreign, "notes.txt")
	require.Equal(t, bad, (&doctorConfig{data: file}).directory().how)
	open := t.TempDir()
	require.NoError(t, os.Chmod(open, 0o755))
	require.Equal(t, minor, (&doctorConfig{data: open}).directory().how)
	require.Equal(t, bad, (&doctorConfig{}).clock(time.Unix(0, 0)).how)
	require.Equal(t, bad, (&doctorConfig{listen: "192.0.2.1:80"}).port().how)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	require.Equal(t, minor, (&doctorConfig{listen: l.Addr().String()}).port().how)
}

// What serve refuses of a name, the doctor does, too.
func TestDoctorOfANameThatServeRefuses(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(filepath.Join(dir, "gone"), link))
	long := filepath.Join(dir, strings.Repeat("long/", 40))
	for name, says := range map[string]string{"": "must name a directory", link: "which is not there",
		long: "it may have 88 characters, in full or from the working directory; --ops-listen with"} {
		f := (&doctorConfig{data: name}).directory()
		require.Equal(t, bad, f.how, name)
		require.Contains(t, f.says, says)
		code, _, errs := holdfast("serve", "--listen", "127.0.0.1:0", "--data", name)
		require.Equal(t, exitUsage, code)
		require.Contains(t, errs, says)
	}
	require.NoDirExists(t, long, "nothing was made")
	require.Equal(t, fine, (&doctorConfig{data: long, ops: "127.0.0.1:8081"}).directory().how)
	require.NoError(t, fitSocket("/"+strings.Repeat("x", 87)))
	require.Error(t, fitSocket("/"+strings.Repeat("x", 88)))
}

// A directory may have been written under another clock.
func TestDoctorOfAClockThatIsBehind(t *testing.T) {
	dir := t.TempDir()
	core := quietCore(t, dir, engine.Options{})
	started(t, core, dir, "")
	now := time.UnixMilli(core.store.End().At)
	require.Equal(t, fine, (&doctorConfig{data: dir}).clock(now.Add(-time.Hour)).how, "a server has it")
	require.NoError(t, core.Close())
	require.Equal(t, fine, (&doctorConfig{data: dir}).clock(now).how)
	f := (&doctorConfig{data: dir}).clock(now.Add(-90 * time.Minute))
	require.Equal(t, minor, f.how)
	require.Contains(t, f.says, "1h30m0s ahead of it")
}

// What serve refuses to open is not good.
func TestDoctorOfADamagedDirectory(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	core := quietCore(t, dir, engine.Options{})
	started(t, core, dir, "")
	require.Equal(t, fine, (&doctorConfig{data: dir}).directory().how, "a server has it")
	require.NoError(t, core.Close())
	require.Equal(t, fine, (&doctorConfig{data: dir}).directory().how)
	manifests, err := filepath.Glob(filepath.Join(dir, "MANIFEST-*"))
	require.NoError(t, err)
	require.NotEmpty(t, manifests)
	for _, m := range manifests {
		require.NoError(t, os.Remove(m))
	}
	require.Equal(t, bad, (&doctorConfig{data: dir}).directory().how)
}

// Backups are good where they are this directory's, young, and can go on.
func TestDoctorOfBackups(t *testing.T) {
	top := t.TempDir()
	dir, to := filepath.Join(top, "data"), filepath.Join(top, "backups")
	require.NoError(t, os.Mkdir(dir, 0o700))
	core := quietCore(t, dir, engine.Options{})
	started(t, core, dir, "")
	incarnation := core.store.Incarnation()
	c := &doctorConfig{data: dir, to: to, every: time.Hour}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f := c.backups(t.Context(), now)
	require.Equal(t, minor, f.how)
	require.NoDirExists(t, to, "the first archive makes it")

	put := func(incarnation uint64, mark string) string {
		line := filepath.Join(to, fmt.Sprintf("20260301T100000.000Z-%016x", incarnation))
		name := filepath.Join(line, "full-00000000000000000005-20260301T100000.000Z-20260301T110000.000Z")
		require.NoError(t, os.MkdirAll(line, 0o700))
		require.NoError(t, os.WriteFile(name+".tar.zst", nil, 0o600))
		require.NoError(t, os.WriteFile(name+".verified", []byte(mark), 0o600))
		return name + ".verified"
	}
	const mark = `{"sequence":5,` +
		`"archive":"full-00000000000000000005-20260301T100000.000Z-20260301T110000.000Z.tar.zst"}`
	put(incarnation+1, mark)
	f = c.backups(t.Context(), now)
	require.Equal(t, minor, f.how)
	require.Contains(t, f.says, "backups of another server")

	own := put(incarnation, mark)
	f = c.backups(t.Context(), now)
	require.Equal(t, fine, f.how, f.says)
	require.Contains(t, f.says, "is 1h0m0s old and ends at record 5")
	f = c.backups(t.Context(), now.Add(time.Hour))
	require.Equal(t, bad, f.how)
	require.Contains(t, f.says, "one is made every 1h0m0s")
	f = c.backups(t.Context(), now.Add(-2*time.Hour))
	require.Equal(t, bad, f.how)
	require.Contains(t, f.says, "yet to come")
	names, err := os.ReadDir(to)
	require.NoError(t, err)
	require.Len(t, names, 2, "what it wrote is gone")

	require.NoError(t, os.WriteFile(own, nil, 0o600))
	f = c.backups(t.Context(), now)
	require.Equal(t, bad, f.how)
	require.Contains(t, f.says, "is damaged")
	require.NoError(t, core.Close())

	f = (&doctorConfig{data: dir, to: "/proc/self/task", every: time.Hour}).backups(t.Context(), now)
	require.Equal(t, bad, f.how, "nothing can be written there")
}

// A directory whose head file is gone is damaged, and not empty: whatever is asked of it.
func TestADirectoryWithoutItsHeadIsDamaged(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, quietCore(t, dir, engine.Options{}).Close())
	require.Contains(t, (&doctorConfig{data: dir}).directory().says, "as this program writes")
	require.NoError(t, os.Remove(filepath.Join(dir, "HEAD")))
	f := (&doctorConfig{data: dir}).directory()
	require.Equal(t, bad, f.how)
	require.Contains(t, f.says, "damaged")
	require.Contains(t, f.says, "head file is missing")
	require.ErrorIs(t, (&doctorConfig{data: dir, listen: "127.0.0.1:0"}).examine(t.Context(), io.Discard), errUnfit)
	for _, args := range [][]string{{"keys", "list"}, {"keys", "create", "--label", "x"},
		{"export", "skus", filepath.Join(t.TempDir(), "out.csv")}} {
		code, _, errs := holdfast(append(args, "--data", dir)...)
		require.Equal(t, exitFailed, code)
		require.Contains(t, errs, "head file is missing")
	}
	empty := t.TempDir()
	require.Contains(t, (&doctorConfig{data: empty}).directory().says, empty+" is empty")
	code, _, errs := holdfast("keys", "list", "--data", empty)
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "no data directory here: "+empty)
}

func TestDoctorAsksWhetherTheServerIsReady(t *testing.T) {
	ready := true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/readyz", r.URL.Path)
		if !ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	c := doctorConfig{url: s.URL}
	require.NoError(t, c.askReady(t.Context()))
	ready = false
	require.ErrorContains(t, c.askReady(t.Context()), "503")
	s.Close()
	require.ErrorContains(t, c.askReady(t.Context()), "not ready")
	require.ErrorAs(t, (&doctorConfig{url: "here"}).askReady(t.Context()), &usageError{})
	require.ErrorAs(t, (&doctorConfig{listen: "here"}).askReady(t.Context()), &usageError{})
}

// Where the server expects the PROXY protocol of this machine, the doctor begins with it.
func TestDoctorAsksAServerThatHasTheProxyProtocol(t *testing.T) {
	for _, proxies := range []string{"127.0.0.0/8", "127.0.0.9/32"} { // the latter does not expect it of 127.0.0.1
		t.Run(proxies, func(t *testing.T) {
			t.Setenv("HOLDFAST_PROXY_PROTOCOL", "true")
			t.Setenv("HOLDFAST_TRUSTED_PROXY", proxies)
			t.Setenv("HOLDFAST_LISTEN", freeAddress(t))
			serving(t, servingKey, "--data", t.TempDir())
			code, _, errs := holdfast("doctor", "--ready")
			require.Zero(t, code, errs)
		})
	}
	t.Setenv("HOLDFAST_PROXY_PROTOCOL", "true")
	t.Setenv("HOLDFAST_TRUSTED_PROXY", "everybody")
	code, _, errs := holdfast("doctor", "--ready")
	require.Equal(t, exitUsage, code, errs)
}

// A health check without options asks the server that has its environment, whichever names its certificate has.
func TestDoctorAsksTheServerOfItsEnvironment(t *testing.T) {
	there := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	plain, secure := httptest.NewServer(there), httptest.NewTLSServer(there)
	defer plain.Close()
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, c := range []struct {
		server *httptest.Server
		cert   string
	}{{plain, ""}, {secure, "/run/secrets/cert.pem"}} {
		_, port, err := net.SplitHostPort(c.server.Listener.Addr().String())
		require.NoError(t, err)
		t.Setenv("HOLDFAST_TLS_CERT", c.cert)
		for _, host := range []string{"127.0.0.1", "0.0.0.0", "[::]", "", "localhost"} {
			t.Setenv("HOLDFAST_LISTEN", host+":"+port)
			code, _, errs := holdfast("doctor", "--ready")
			require.Zero(t, code, "%s: %s", host, errs)
		}
		t.Setenv("HOLDFAST_LISTEN", "127.0.0.1:1")
		code, _, errs := holdfast("doctor", "--ready")
		require.Equal(t, exitFailed, code)
		require.Contains(t, errs, "127.0.0.1:1")
		code, _, errs = holdfast("doctor", "--ready", "--url", c.server.URL)
		require.Zero(t, code, errs)
	}
}
