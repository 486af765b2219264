package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of where keys and tokens of commands go.

// A proxy would read what is sent without TLS, and a redirect take it elsewhere. The processes are of their own, as the
// environment's proxy is read once.
func TestSecretsGoToTheServerAlone(t *testing.T) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	away := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer away.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("hf_scripttest_"+strings.Repeat("secret", 6)), 0o600))
	for _, name := range []string{"HTTP_PROXY", "http_proxy"} {
		t.Setenv(name, other.URL)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		t.Setenv(name, "")
	}
	for _, url := range []string{"http://holdfast.invalid:8081", away.URL} {
		for _, args := range [][]string{
			{"accounts", "list", "--ops-url", url, "--ops-token-file", secret},
			{"bench", "point", "--url", url, "--key-file", secret, "--time", "1s"},
		} {
			cmd, errs := begin(t, t.TempDir(), args...)
			require.Error(t, cmd.Wait(), "%v", args)
			require.Zero(t, asked.Load(), "%v: %s", args, errs)
			require.NotContains(t, errs.String(), "Run 'holdfast --help'", "the command line is good")
		}
	}
}
