package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	neturl "net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"
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
	log := serving(t, servingKey, "--listen", ":8080", "--listen-insecure", "--trusted-proxy", "10.77.3.0/24",
		"--access-log", "--data", t.TempDir())
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

	require.Equal(t, limited, wrongKeys(t, client.client(), "http://10.77.1.1:8000", plain),
		"by the proxy, which says whose requests they are")
	require.Equal(t, limited, wrongKeys(t, forger.client(), "http://10.77.2.1:8000", forged),
		"by the proxy, with headers that are forged")
	require.Equal(t, map[int]int{429: 300}, wrongKeys(t, forger.client(), "http://10.77.2.1:8080", forged),
		"the same without the proxy: it is the same machine")

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

// TestLoopbackBehindAProxy asks on loopback: the machine itself has no limit, and one for whom a proxy asks that is not
// trusted has.
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
	require.Equal(t, map[int]int{401: 120, 429: 180},
		wrongKeys(t, client, "http://"+address, header("X-Forwarded-For")))
	require.Equal(t, 1, strings.Count(log.String(), "--trusted-proxy"), "it is said once")
	require.Equal(t, map[int]int{401: 300}, wrongKeys(t, client, "http://"+address, header()))
}

// TestConnectionsOfAMachine opens more connections than a machine may have: those beyond are closed, and room that is
// given back is there again.
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

// TestProxyProtocol has a proxy that does not look into the connections that it passes on, and tells in front of each
// whose it is.
func TestProxyProtocol(t *testing.T) {
	dir, a := t.TempDir(), newAuthority(t)
	c := networkConfig{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	cert, key := a.pair(100)
	a.put(c, cert, key)
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			address := freeAddress(t)
			args := []string{"--listen", address, "--data", t.TempDir(), "--trusted-proxy", "127.0.0.2/32",
				"--proxy-protocol", "--access-log"}
			if scheme == "https" {
				args = append(args, "--tls-cert", c.cert, "--tls-key", c.key)
			}
			log := serving(t, servingKey, args...)
			// from asks from an address of this machine, behind what it tells at first.
			from := func(local string, tell func(net.Conn) error) *http.Client {
				dial := func(ctx context.Context, network, to string) (net.Conn, error) {
					d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(local)}}
					conn, err := d.DialContext(ctx, network, to)
					if err == nil {
						err = tell(conn)
					}
					return conn, err
				}
				transport := &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: a.roots}}
				t.Cleanup(transport.CloseIdleConnections)
				return &http.Client{Transport: transport}
			}
			proxied := func(version byte, client string) *http.Client {
				return from("127.0.0.2", func(conn net.Conn) error {
					h := proxyproto.HeaderProxyFromAddrs(version, &net.TCPAddr{IP: net.ParseIP(client), Port: 9},
						conn.RemoteAddr())
					_, err := h.WriteTo(conn)
					return err
				})
			}
			// odd tells an address that is none of TCP over IP.
			odd := func(client, to net.Addr) *http.Client {
				return from("127.0.0.2", func(conn net.Conn) error {
					_, err := proxyproto.HeaderProxyFromAddrs(2, client, to).WriteTo(conn)
					return err
				})
			}
			nothing := func(net.Conn) error { return nil }
			plain := func(int) http.Header { return http.Header{"User-Agent": {"a person"}} }
			forged := func(i int) http.Header {
				return http.Header{"User-Agent": {"a person"}, "X-Forwarded-For": {"192.0.2." + strconv.Itoa(i%256)}}
			}
			url := scheme + "://" + address
			limited := map[int]int{401: 120, 429: 180}
			require.Equal(t, limited, wrongKeys(t, proxied(1, "198.51.100.1"), url, plain))
			require.Equal(t, limited, wrongKeys(t, proxied(2, "198.51.100.2"), url, forged),
				"what a client says behind it counts for nothing")
			require.Equal(t, limited, wrongKeys(t, proxied(2, "127.0.0.1"), url, plain),
				"the proxy's machine is not this one")
			require.Equal(t, map[int]int{401: 300}, wrongKeys(t, from("127.0.0.1", nothing), url, plain),
				"this machine tells nothing, and has no limit")
			for client, lines := range map[string]int{"198.51.100.1": 300, "198.51.100.2": 300, "127.0.0.1": 600,
				"192.0.2.": 0, "127.0.0.2": 0} {
				require.Equal(t, lines, strings.Count(log.String(), `"address":"`+client), client)
			}
			socket, datagrams := &net.UnixAddr{Name: "/run/client", Net: "unix"}, &net.UDPAddr{
				IP: net.ParseIP("198.51.100.4"), Port: 9}
			require.Equal(t, limited, wrongKeys(t, odd(socket, socket), url, plain), "they are the proxy's")
			require.Equal(t, map[int]int{429: 300}, wrongKeys(t, odd(datagrams, datagrams), url, plain))
			require.Equal(t, 600, strings.Count(log.String(), `"address":"127.0.0.2`))
			_, err := from("127.0.0.2", nothing).Get(url + "/healthz")
			require.Error(t, err, "a proxy has to tell")
			_, err = from("127.0.0.1", func(conn net.Conn) error {
				_, err := conn.Write([]byte("PROXY TCP4 198.51.100.3 127.0.0.1 9 80\r\n"))
				return err
			}).Get(url + "/healthz")
			if err == nil {
				require.NotContains(t, log.String(), "198.51.100.3", "nobody else is believed")
			}
		})
	}
	var errs bytes.Buffer
	require.Equal(t, 2, run([]string{"serve", "--proxy-protocol", "--data", dir}, nil, io.Discard, &errs))
	require.Contains(t, errs.String(), "--proxy-protocol needs --trusted-proxy")
}
