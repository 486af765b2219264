package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
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
		code <- run([]string{"serve", "--listen", address, "--ops-listen", freeAddress(t), "--data", dir}, nil, &out, &errs)
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

	_, err = http.Get("http://" + address + "/healthz")
	require.Error(t, err)
	require.Zero(t, run([]string{"verify", "--data", dir}, nil, &out, &errs), errs.String())
}

func TestNewKey(t *testing.T) {
	seen := map[rune]int{}
	for range 200 {
		key := newKey()
		require.Regexp(t, `^hf_[0-9A-Za-z]{12}_[0-9A-Za-z]{40}$`, key)
		for _, c := range key[3:] {
			seen[c]++
		}
	}
	require.Len(t, seen, 63) // letters, digits and the underscore
}
