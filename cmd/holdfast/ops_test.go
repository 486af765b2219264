package main

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOpsFromAnotherMachine asks the operator's listener over TLS from another machine, with a token and without, and
// the one for metrics.
func TestOpsFromAnotherMachine(t *testing.T) {
	if !inNetwork(t) {
		return
	}
	a, dir := newAuthority(t), t.TempDir()
	c := networkConfig{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	cert, key := a.pair(100)
	a.put(c, cert, key)
	token := strings.Repeat("secret", 6)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte(token+"\n"), 0o600))
	m := newMachine(t, 1)
	log := serving(t, servingKey, "--listen", ":8443", "--tls-cert", c.cert, "--tls-key", c.key, "--data",
		filepath.Join(dir, "data"),
		"--ops-listen", "0.0.0.0:8081", "--ops-token-file", filepath.Join(dir, "token"), "--metrics-listen",
		"0.0.0.0:9090")
	client := m.client()
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: a.roots}
	ask := func(url, authorization string) int {
		r, err := http.NewRequest("GET", url, nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", authorization)
		answer, err := client.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
		return answer.StatusCode
	}
	require.Equal(t, 200, ask("https://10.77.1.1:8081/accounts", "Bearer "+token))
	require.Equal(t, 401, ask("https://10.77.1.1:8081/accounts", "Bearer "+token[1:]))
	require.Equal(t, 401, ask("https://10.77.1.1:8081/metrics", ""))
	require.Equal(t, 400, ask("http://10.77.1.1:8081/metrics", ""), "nothing is served in the clear")
	require.Equal(t, 200, ask("http://10.77.1.1:9090/metrics", ""))
	require.Equal(t, 404, ask("http://10.77.1.1:9090/accounts", ""))
	require.NotContains(t, log.String(), token)
}

// A name that is too long for a socket is told by the way from the present directory, where that is shorter, and else
// named.
func TestLongNamesOfSockets(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		dir = filepath.Join(dir, strings.Repeat("long", 10))
	}
	require.NoError(t, os.MkdirAll(dir, 0o700))
	_, err := listenSocket(dir)
	require.ErrorContains(t, err, "too long a name for a socket: --ops-listen")
	server, err := serverOf(t.Context(), dir)
	require.NoError(t, err)
	require.Nil(t, server)

	t.Chdir(dir)
	l, err := listenSocket(dir)
	require.NoError(t, err)
	server, err = serverOf(t.Context(), dir)
	require.NoError(t, err)
	require.NotNil(t, server)
	require.NoError(t, l.Close())
	server, err = serverOf(t.Context(), dir)
	require.NoError(t, err)
	require.Nil(t, server, "nobody listens any more")
	st, err := os.Stat(socketName)
	require.NoError(t, err)
	require.Equal(t, os.ModeSocket|0o600, st.Mode())
	l, err = listenSocket(dir)
	require.NoError(t, err, "in place of what was left")
	require.NoError(t, l.Close())
}

// A name that a caller chose is shown, and does nothing to the terminal.
func TestListsSpellOutControlCharacters(t *testing.T) {
	var out strings.Builder
	require.NoError(t, table(&out, "ID NAME", [][]string{{"1", "Räder \x1b[2J\u202e\t\r\n2\x00"}, {"2", "Ολα 7 €"}}))
	require.Equal(t, "ID  NAME\n1   Räder \\x1b[2J\\u202e\\t\\r\\n2\\x00\n2   Ολα 7 €\n", out.String())
}
