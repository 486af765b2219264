package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority makes certificates, with a number by which they are told apart.
type authority struct {
	testing.TB
	cert  *x509.Certificate
	key   *ecdsa.PrivateKey
	roots *x509.CertPool
}

func newAuthority(t testing.TB) *authority {
	a := &authority{TB: t, roots: x509.NewCertPool()}
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().
				Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &a.key.PublicKey, a.key)
	require.NoError(t, err)
	a.cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.roots.AddCert(a.cert)
	return a
}

// pair is the PEM of a certificate with this number, and of its key.
func (a *authority) pair(number int64) (cert, key []byte) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: "holdfast"},
		NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 77, 1, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &k.PublicKey, a.key)
	require.NoError(a, err)
	text, err := x509.MarshalECPrivateKey(k)
	require.NoError(a, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: text})
}

// put writes a pair, each file at once.
func (a *authority) put(c networkConfig, cert, key []byte) {
	for name, text := range map[string][]byte{c.cert: cert, c.key: key} {
		require.NoError(a, os.WriteFile(name+".new", text, 0o600))
		require.NoError(a, os.Rename(name+".new", name))
	}
}

// logText is what is logged, for reading while it is written.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestCertificateIsReadAgain(t *testing.T) {
	a, dir := newAuthority(t), t.TempDir()
	c := networkConfig{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	log := new(logText)
	_, err := openPair(c, slog.New(slog.NewTextHandler(log, nil)))
	require.ErrorContains(t, err, `--tls-cert "`+c.cert+`" must be a file`)
	cert, key := a.pair(10)
	require.NoError(t, os.WriteFile(c.cert, cert, 0o600))
	_, err = openPair(c, slog.New(slog.NewTextHandler(log, nil)))
	require.ErrorContains(t, err, `--tls-key "`+c.key+`" must be a file`)
	_, other := a.pair(11)
	a.put(c, cert, other)
	_, err = openPair(c, slog.New(slog.NewTextHandler(log, nil)))
	require.ErrorContains(t, err, "must be a certificate and its private key")
	a.put(c, cert, key)
	p, err := openPair(c, slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(log.String(), "msg=certificate"))
	number := func() int64 { return p.now.Load().Leaf.SerialNumber.Int64() }

	p.look(false)
	require.Equal(t, 1, strings.Count(log.String(), "\n"), "nothing has changed, nothing is said")
	cert, key = a.pair(12)
	require.NoError(t, os.WriteFile(c.cert, cert, 0o600))
	for range 3 {
		p.look(false)
	}
	require.EqualValues(t, 10, number(), "the key is still the old one's")
	require.Equal(t, 1, strings.Count(log.String(), "are no pair, the old one stays"), "said once")
	p.look(true)
	require.Equal(t, 2, strings.Count(log.String(), "are no pair, the old one stays"), "and to whoever asks")
	require.NoError(t, os.WriteFile(c.key, key, 0o600))
	p.look(false)
	require.EqualValues(t, 12, number())
	require.NoError(t, os.Remove(c.cert))
	for range 3 {
		p.look(false)
	}
	require.EqualValues(t, 12, number())
	require.Equal(t, 1, strings.Count(log.String(), "cannot be read again, the old one stays"))
	require.NoError(t, os.WriteFile(c.cert, cert, 0o600))
	p.look(false)
	require.Equal(t, 2, strings.Count(log.String(), "msg=certificate "), "it is the one that is in use")
	p.look(true)
	require.Equal(t, 3, strings.Count(log.String(), "msg=certificate "))
	require.NotContains(t, log.String(), "PRIVATE")
}

// serving runs serve until the test ends, and returns its log.
func serving(t *testing.T, key string, args ...string) *logText {
	t.Setenv(bootstrapVariable, key)
	log, ended := new(logText), make(chan int)
	go func() { ended <- run(append([]string{"serve"}, args...), nil, io.Discard, log) }()
	t.Cleanup(func() {
		require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGTERM))
		require.Zero(t, <-ended, log.String())
	})
	for !strings.Contains(log.String(), `"msg":"ready"`) {
		select {
		case code := <-ended:
			t.Fatalf("serve ends with %d: %s", code, log)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return log
}

const servingKey = "hf_servingtest_0123456789012345678901234567890123456789"

// TestNewCertificateLosesNoRequest puts new pairs, and bad ones, under a server that is asked all the time, on
// connections that stay and on new ones.
func TestNewCertificateLosesNoRequest(t *testing.T) {
	a, dir := newAuthority(t), t.TempDir()
	c := networkConfig{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	cert, key := a.pair(100)
	a.put(c, cert, key)
	address := freeAddress(t)
	log := serving(t, servingKey, "--listen", address, "--data", filepath.Join(dir, "data"),
		"--tls-cert", c.cert, "--tls-key", c.key)
	require.Contains(t, log.String(), `"url":"https://`+address)

	var asked, fresh atomic.Int64
	end := make(chan struct{})
	var clients sync.WaitGroup
	for i := range 4 {
		client := &http.Client{
			Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.roots}, DisableKeepAlives: i%2 == 1}}
		clients.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				body := strings.NewReader(`{"name":"Harbour","timezone":"UTC"}`)
				r, _ := http.NewRequest("POST", "https://"+address+"/v1/admin/locations", body)
				r.Header = http.Header{"X-Api-Key": {servingKey}, "Content-Type": {"application/json"}}
				answer, err := client.Do(r)
				if err != nil {
					t.Errorf("a request is lost: %v", err)
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if err != nil || answer.StatusCode != http.StatusOK {
					t.Errorf("status %d, %v", answer.StatusCode, err)
					return
				}
				if asked.Add(1); i%2 == 1 {
					fresh.Add(1)
				}
			}
		})
	}
	served := func() int64 {
		conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: a.roots})
		require.NoError(t, err)
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	for n := int64(101); n <= 112; n++ {
		before := fresh.Load()
		cert, key := a.pair(n)
		switch n % 4 {
		case 0: // rubbish first: the old pair serves on
			a.put(c, cert[:len(cert)/2], key)
			require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGHUP))
			for said := int(n-101) / 4; strings.Count(log.String(), "are no pair, the old one stays") <= said; {
				time.Sleep(time.Millisecond)
			}
			require.Equal(t, n-1, served())
			fallthrough
		case 1:
			a.put(c, cert, key)
			require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGHUP))
		default:
			a.put(c, cert, key) // it is seen without being told
		}
		for served() != n || fresh.Load() == before {
			time.Sleep(time.Millisecond)
		}
	}
	close(end)
	clients.Wait()
	t.Logf("%d requests, %d of them on connections of their own, under 12 new certificates", asked.Load(), fresh.Load())
}

// SIGHUP ends no process either that has stopped serving and is about to end.
func TestSIGHUPAtTheEndOfAStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	readAgain(ctx, nil, nil, nil, asked, slog.New(slog.DiscardHandler))
	for range 3 {
		require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGHUP))
		time.Sleep(20 * time.Millisecond)
	}
}

// SIGHUP ends no server; one without a certificate says that there is nothing to read.
func TestHangUpEndsNoServer(t *testing.T) {
	log := serving(t, servingKey, "--listen", freeAddress(t), "--data", t.TempDir())
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGHUP))
	for !strings.Contains(log.String(), "there is no certificate and no token to read again") {
		time.Sleep(time.Millisecond)
	}
}

// Old protocols, ciphers without authentication or forward secrecy, and HTTP/2 are not spoken; plain HTTP on the port
// of TLS is no request.
func TestWhatOfTLSIsTaken(t *testing.T) {
	a, dir := newAuthority(t), t.TempDir()
	c := networkConfig{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	cert, key := a.pair(100)
	a.put(c, cert, key)
	address := freeAddress(t)
	serving(t, servingKey, "--listen", address, "--data", filepath.Join(dir, "data"), "--tls-cert", c.cert, "--tls-key",
		c.key)
	for name, x := range map[string]struct {
		config *tls.Config
		good   bool
	}{
		"1.3": {&tls.Config{MinVersion: tls.VersionTLS13}, true},
		"1.2": {&tls.Config{MaxVersion: tls.VersionTLS12}, true},
		"1.2, GCM": {&tls.Config{MaxVersion: tls.VersionTLS12,
			CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384}}, true},
		"1.2, CBC": {&tls.Config{MaxVersion: tls.VersionTLS12,
			CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}}, false},
		"1.1":             {&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, false},
		"HTTP/1.1":        {&tls.Config{NextProtos: []string{"h2", "http/1.1"}}, true},
		"HTTP/2 alone":    {&tls.Config{NextProtos: []string{"h2"}}, false},
		"no name of ours": {&tls.Config{ServerName: "example.com", InsecureSkipVerify: true}, true},
	} {
		x.config.RootCAs = a.roots
		conn, err := tls.Dial("tcp", address, x.config)
		require.Equal(t, x.good, err == nil, "%s: %v", name, err)
		if err == nil {
			require.NotEqual(t, "h2", conn.ConnectionState().NegotiatedProtocol)
			conn.Close()
		}
	}
	_, err := http.Get("http://" + address + "/healthz")
	require.Error(t, err)
	answer, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.roots}}}).
		Get("https://" + address + "/healthz")
	require.NoError(t, err)
	answer.Body.Close()
	require.Equal(t, "HTTP/1.1", answer.Proto)
	var unknown *tls.CertificateVerificationError
	_, err = http.Get("https://" + address + "/healthz")
	require.True(t, errors.As(err, &unknown), "%v", err)
}

// TestServesAnotherMachine asks over TLS from a machine that this one is reached from by its address alone.
func TestServesAnotherMachine(t *testing.T) {
	if !inNetwork(t) {
		return
	}
	a, dir := newAuthority(t), t.TempDir()
	c := networkConfig{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	cert, key := a.pair(100)
	a.put(c, cert, key)
	m := newMachine(t, 1)
	serving(t, servingKey, "--listen", ":8443", "--data", filepath.Join(dir, "data"), "--tls-cert", c.cert, "--tls-key",
		c.key)
	client := m.client()
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: a.roots}
	r, err := http.NewRequest("GET", "https://10.77.1.1:8443/v1/admin/account", nil)
	require.NoError(t, err)
	r.Header.Set("X-API-KEY", servingKey)
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	_, err = m.client().Get("http://10.77.1.1:8081/metrics")
	require.Error(t, err, "the ops listener is not on the network")
}
