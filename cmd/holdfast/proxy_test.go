package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	neturl "net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wrongKeys asks 300 times with keys that there are not, and counts what is answered.
func wrongKeys(t *testing.T, client *http.Client, url string, header func(i int) http.Header) map[int]int {
	seen := map[int]int{}
	for i := range 300 {
		r, err := http.NewRequest("GET", url+"/v1/admin/account", nil)
		require.NoError(t, err)
		r.Header = header(i)
		r.Header.Set("X-API-KEY", "hf_wrongwrong_"+strconv.Itoa(1_000_000+i)+strings.Repeat("x", 32))
		answer, err := client.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
		seen[answer.StatusCode]++
	}
	return seen
}

// TestClientsBehindProxies has three machines: two clients and a proxy, which one of the clients reaches the server by.
func TestClientsBehindProxies(t *testing.T) {
	if !inNetwork(t) {
		return
	}
	client, forger, far := newMachine(t, 1), newMachine(t, 2), newMachine(t, 3)
	log := serving(t, servingKey, "--listen", ":8080", "--listen-insecure", "--trusted-proxy", "10.77.3.0/24", "--access-log", "--data", t.TempDir())
	target, err := neturl.Parse("http://10.77.3.1:8080")
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target) // adds the address of who asked to X-Forwarded-For
	proxy.Transport = far.client().Transport
	l, err := net.Listen("tcp", ":8000")
	require.NoError(t, err)
	front := &http.Server{Handler: proxy}
	go front.Serve(l)
	defer front.Close()
	plain := func(int) http.Header { return http.Header{"User-Agent": {"a person"}} }
	forged := func(i int) http.Header {
		address := "198.51.100." + strconv.Itoa(i%256)
		return http.Header{"User-Agent": {"a person"}, "X-Forwarded-For": {address}, "X-Real-Ip": {address}}
	}
	limited := map[int]int{401: 120, 429: 180}

	require.Equal(t, limited, wrongKeys(t, client.client(), "http://10.77.1.1:8000", plain), "by the proxy, which says whose requests they are")
	require.Equal(t, limited, wrongKeys(t, forger.client(), "http://10.77.2.1:8000", forged), "by the proxy, with headers that are forged")
	require.Equal(t, map[int]int{429: 300}, wrongKeys(t, forger.client(), "http://10.77.2.1:8080", forged), "the same without the proxy: it is the same machine")

	for address, lines := range map[string]int{"10.77.1.2": 300, "10.77.2.2": 600, "198.51.100.": 0} {
		require.Equal(t, lines, strings.Count(log.String(), `"address":"`+address), "lines of the access log")
	}

	// A good key goes on with what is left to its account, not to the address.
	r, err := http.NewRequest("GET", "http://10.77.3.1:8080/v1/admin/account", nil)
	require.NoError(t, err)
	r.Header.Set("X-API-KEY", servingKey)
	answer, err := far.client().Do(r)
	require.NoError(t, err)
	answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
}

// TestLoopbackBehindAProxy asks on loopback: the machine itself has no limit, and one for whom a proxy asks that is not trusted has.
func TestLoopbackBehindAProxy(t *testing.T) {
	address := freeAddress(t)
	log := serving(t, servingKey, "--listen", address, "--data", t.TempDir())
	client := &http.Client{}
	header := func(more ...string) func(int) http.Header {
		return func(int) http.Header {
			h := http.Header{"User-Agent": {"a person"}}
			for _, name := range more {
				h.Set(name, "203.0.113.9")
			}
			return h
		}
	}
	require.Equal(t, map[int]int{401: 300}, wrongKeys(t, client, "http://"+address, header()))
	require.Zero(t, strings.Count(log.String(), "--trusted-proxy"))
	require.Equal(t, map[int]int{401: 120, 429: 180}, wrongKeys(t, client, "http://"+address, header("X-Forwarded-For")))
	require.Equal(t, 1, strings.Count(log.String(), "--trusted-proxy"), "it is said once")
	require.Equal(t, map[int]int{401: 300}, wrongKeys(t, client, "http://"+address, header()))
}

// TestConnectionsOfAMachine opens more connections than a machine may have: those beyond are closed, and room that is given back is there again.
func TestConnectionsOfAMachine(t *testing.T) {
	if !inNetwork(t) {
		return
	}
	m, other := newMachine(t, 1), newMachine(t, 2)
	serving(t, servingKey, "--listen", ":8080", "--listen-insecure", "--limit-ip-conns", "5", "--data", t.TempDir())
	open := func(m *machine, address string) (net.Conn, error) {
		c, err := m.dial(t.Context(), "tcp", address)
		require.NoError(t, err)
		_, err = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		if err == nil {
			_, err = c.Read(make([]byte, 1))
		}
		return c, err
	}
	var held []net.Conn
	for range 5 {
		c, err := open(m, "10.77.1.1:8080")
		require.NoError(t, err)
		held = append(held, c)
	}
	_, err := open(m, "10.77.1.1:8080")
	require.Error(t, err)
	_, err = open(other, "10.77.2.1:8080")
	require.NoError(t, err)
	held[0].Close()
	for {
		if _, err = open(m, "10.77.1.1:8080"); err == nil {
			break
		}
		time.Sleep(time.Millisecond) // until the server has seen the end of the one that was closed
	}
}
