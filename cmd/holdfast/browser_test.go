//go:build docs

package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/api/docs"
)

// This file opens the pages in a browser, under the policy that they are served with: what they ask of another host
// would go to a proxy that notes it, and what the policy refuses stands in the browser's log.

// browsersOwn are the hosts that the browser itself asks for its updates and accounts, whatever page is open.
var browsersOwn = []string{"clients2.google.com", "update.googleapis.com", "accounts.google.com", "www.google.com",
	"android.clients.google.com"}

func TestPagesInABrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "chromium is missing")
		t.Skip("chromium is missing: the pages are not opened")
	}
	var mu sync.Mutex
	var outside []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if host, _, _ := strings.Cut(r.Host, ":"); !slices.Contains(browsersOwn, host) {
			outside = append(outside, host)
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	address := freeAddress(t)
	var out, errs bytes.Buffer
	code := make(chan int)
	go func() { code <- run([]string{"serve", "--listen", address, "--data", t.TempDir()}, nil, &out, &errs) }()
	require.NoError(t, awaitReady(address))
	open := func(url string) (dom, log string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var page, said bytes.Buffer
		c := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu",
			"--disable-background-networking", "--disable-component-update",
			"--disable-sync", "--no-first-run", "--user-data-dir="+t.TempDir(), "--proxy-server="+proxy.URL,
			"--virtual-time-budget=15000",
			"--enable-logging=stderr", "--dump-dom", url)
		c.Stdout, c.Stderr = &page, &said
		require.NoError(t, c.Run(), "%s: %s", url, &said)
		return page.String(), said.String()
	}
	for _, name := range []string{"", "/errors", "/" + docs.Reference} {
		dom, log := open("http://" + address + "/docs" + name)
		for _, bad := range []string{"Content Security Policy", "Refused to", "Uncaught"} {
			require.False(t, strings.Contains(log, bad), "%s: %s", name, log)
		}
		if name == "/"+docs.Reference {
			require.True(t, strings.Contains(dom, "Takes stock for a cart") ||
				strings.Contains(dom, "Says how many units can be held"), "the reference is not drawn")
		}
	}
	mu.Lock()
	require.Empty(t, outside)
	mu.Unlock()

	// The proxy notes a request to another host, and the log has what a policy refuses: else the above says nothing.
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", docs.HTML)
		w.Header().Set("Content-Security-Policy", "script-src 'self'")
		w.Write([]byte(`<!doctype html><title>control</title><img src="http://outside.example/x.png"><script>document.title = "ran"</script>`))
	}))
	defer control.Close()
	dom, log := open(control.URL)
	require.Contains(t, dom, "<title>control</title>")
	require.Contains(t, log, "Content Security Policy")
	mu.Lock()
	require.Contains(t, outside, "outside.example")
	mu.Unlock()

	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGTERM))
	require.Zero(t, <-code, errs.String())
}
