package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// freeAddress is an address on loopback on which nothing listened a moment ago.
func freeAddress(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// TestTermStopsServing sends SIGTERM while a request is under way: it is answered, and the program ends well.
func TestTermStopsServing(t *testing.T) {
	key := "hf_termtestkey_" + strings.Repeat("0123456789", 4)
	t.Setenv(bootstrapVariable, key)
	address, dir := freeAddress(t), t.TempDir()
	var out, errs bytes.Buffer
	code := make(chan int)
	go func() {
		code <- run([]string{"serve", "--listen", address, "--data", dir}, nil, &out, &errs)
	}()
	require.NoError(t, awaitReady(address))

	// A request whose body is still on its way when the signal comes.
	body, send := io.Pipe()
	request, err := http.NewRequest("POST", "http://"+address+"/v1/admin/locations", body)
	require.NoError(t, err)
	request.Header.Set("X-API-KEY", key)
	request.Header.Set("Content-Type", "application/json")
	answer := make(chan *http.Response)
	go func() {
		a, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
		}
		answer <- a
	}()
	_, err = io.WriteString(send, `{"name":"Harbour",`)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGTERM))
	_, err = io.WriteString(send, `"timezone":"Europe/Helsinki"}`)
	require.NoError(t, err)
	require.NoError(t, send.Close())
	a := <-answer
	require.NotNil(t, a)
	defer a.Body.Close()
	require.Equal(t, http.StatusOK, a.StatusCode)
	require.Zero(t, <-code, errs.String())
	require.Contains(t, errs.String(), `"msg":"memory limit","bytes":`)

	_, err = http.Get("http://" + address + "/healthz")
	require.Error(t, err)
	require.Zero(t, run([]string{"verify", "--data", dir}, nil, &out, &errs), errs.String())
}

// TestSecondTermStopsAtOnce leaves a request open for ever: the first signal waits for it, the second does not.
func TestSecondTermStopsAtOnce(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	address := freeAddress(t)
	serve := exec.Command(self)
	serve.Args = []string{"holdfast", "serve", "--listen", address, "--data", t.TempDir(), "--grace", "1h"}
	require.NoError(t, serve.Start())
	t.Cleanup(func() { serve.Process.Kill() })
	require.NoError(t, awaitReady(address))
	open, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer open.Close()
	_, err = io.WriteString(open, "POST /v1/admin/locations HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	require.NoError(t, err)

	ended := make(chan error)
	go func() { ended <- serve.Wait() }()
	require.NoError(t, serve.Process.Signal(syscall.SIGTERM))
	for { // until it listens no more, which is when it has heard the first one
		c, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		c.Close()
	}
	require.NoError(t, serve.Process.Signal(syscall.SIGTERM))
	var died *exec.ExitError
	require.ErrorAs(t, <-ended, &died)
	require.Equal(t, syscall.SIGTERM, died.Sys().(syscall.WaitStatus).Signal())
}

// TestFirstQuestionWorksAsPrinted asks what the first start of the demo says to ask, and finds the documentation where
// it says it is.
func TestFirstQuestionWorksAsPrinted(t *testing.T) {
	address, dir := freeAddress(t), filepath.Join(t.TempDir(), "data")
	serve := func() (said string) {
		var out, errs bytes.Buffer
		root := newRoot()
		root.SetArgs([]string{"serve", "--demo", "--listen", address, "--data", dir})
		root.SetOut(&out)
		root.SetErr(&errs)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- root.ExecuteContext(ctx) }()
		require.NoError(t, awaitReady(address))
		defer func() {
			cancel()
			require.NoError(t, <-ended, errs.String())
			said = out.String()
		}()
		return ""
	}
	said := serve()
	call := regexp.MustCompile(`curl -H '(.*): (.*)' '(.*)'`).FindStringSubmatch(said)
	require.NotNil(t, call, said)
	page := regexp.MustCompile(`documentation: (\S+)`).FindStringSubmatch(said)
	require.NotNil(t, page, said)

	root := newRoot()
	root.SetArgs([]string{"serve", "--listen", address, "--data", dir})
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(io.Discard)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- root.ExecuteContext(ctx) }()
	require.NoError(t, awaitReady(address))
	for url, want := range map[string]string{call[3]: `"available":`, page[1]: "<html",
		"http://" + address + "/": "<html"} {
		r, err := http.NewRequest("GET", url, nil)
		require.NoError(t, err)
		r.Header.Set(call[1], call[2])
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, errors.Join(err, answer.Body.Close()))
		require.Equal(t, 200, answer.StatusCode, "%s: %s", url, body)
		require.Contains(t, string(body), want)
	}
	cancel()
	require.NoError(t, <-ended)
	require.Contains(t, out.String(), "Another key: holdfast keys create --label NAME --data "+dir)
	require.NotContains(t, out.String(), "hf_")
}
