package webhook

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/outbox"
	"holdfast/persist"
	"holdfast/persist/power"
)

// This file owns what the tests of the package play in: the real engine on a file system in memory, the dispatcher,
// receivers that speak TLS with an authority of their own, and a clock that the test owns.

const (
	noon     = int64(1748779200000) // 2025-06-01T12:00:00Z
	patience = 50                   // deliveries that wait, from which on they give way no more
)

// clock fires timers when it is moved.
type clock struct {
	mu     sync.Mutex
	now    int64
	timers map[*timer]bool
	armed  chan struct{} // closed and made anew whenever a timer is set
}

type timer struct {
	at int64
	c  chan time.Time
}

func newClock() *clock {
	return &clock{now: noon, timers: map[*timer]bool{}, armed: make(chan struct{})}
}

func (c *clock) Now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Timer(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.now + d.Milliseconds(), make(chan time.Time, 1)}
	c.timers[t] = true
	c.fire()
	close(c.armed)
	c.armed = make(chan struct{})
	return t.c, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
	}
}

func (c *clock) fire() {
	for t := range c.timers {
		if t.at <= c.now {
			delete(c.timers, t)
			t.c <- time.Time{}
		}
	}
}

func (c *clock) move(ms int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += ms
	c.fire()
}

// awaitTimer waits until the next thing that the clock would fire is at this instant.
func (c *clock) awaitTimer(at int64) {
	for {
		c.mu.Lock()
		first, armed := int64(0), c.armed
		for t := range c.timers {
			if first == 0 || t.at < first {
				first = t.at
			}
		}
		c.mu.Unlock()
		if first == at {
			return
		}
		<-armed
	}
}

type shop struct {
	testing.TB
	*clock
	fs       vfs.FS
	store    *persist.Store
	eng      *engine.Engine
	sender   *Dispatcher
	client   *http.Client
	roots    *x509.CertPool
	log      *lockedBuffer
	registry *prometheus.Registry
	account  base.ID
	jitter   atomic.Int64
	waiting  atomic.Int64 // commands
	room     int          // attempts under way; 0: the default
	bytes    int64        // of an account's attempts; likewise
	behind   atomic.Int64 // milliseconds, of the machine's clock
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.String()
}

func newShop(t testing.TB) *shop {
	s := &shop{TB: t, clock: newClock(), fs: power.NewDisk(), roots: x509.NewCertPool(), log: new(lockedBuffer),
		account: base.ID{6: 0x70, 8: 0x80, 15: 1}}
	s.client = NewClient(ClientOptions{Allow: prefixes("127.0.0.0/8", "::1/128"), Roots: s.roots})
	s.open()
	t.Cleanup(func() { s.close() })
	s.do(base.CreateAccount{AccountFields: base.AccountFields{Name: "Rental"}})
	return s
}

func (s *shop) open() {
	var err error
	s.store, err = persist.Open(persist.Options{Dir: "data", FS: s.fs})
	require.NoError(s, err)
	s.eng, err = engine.Open(context.Background(), engine.Options{
		Store: s.store, Now: s.Now, Manual: true, Checks: true, Logger: slog.New(slog.NewTextHandler(s.log, nil)),
		Random: func() (b [10]byte) { rand.Read(b[:]); return b },
	})
	require.NoError(s, err)
	s.send()
}

// send starts the dispatcher.
func (s *shop) send() {
	s.registry = prometheus.NewRegistry()
	s.sender = Start(Options{
		Engine: s.eng, Client: s.client, Now: s.Now, Timer: s.Timer, Jitter: s.jitter.Load, Patience: patience,
		InAll: s.room, BytesPerAccount: s.bytes,
		Behind: func() time.Duration { return time.Duration(s.behind.Load()) * time.Millisecond },
		Waiting: func() int {
			return int(s.waiting.Load())
		}, Metrics: s.registry,
		Logger: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
}

func (s *shop) close() {
	s.sender.Close(context.Background())
	require.NoError(s, s.eng.Close())
	require.NoError(s, s.eng.Check())
	require.NoError(s, s.store.Close())
}

func (s *shop) do(op base.Op) any {
	s.Helper()
	res, err := s.eng.Do(engine.Command{Account: s.account, Actor: "test", Op: op})
	require.NoError(s, err)
	return res.Record
}

// pass moves the clock, and does what is due by then.
func (s *shop) pass(ms int64) {
	s.Helper()
	s.move(ms)
	require.NoError(s, s.eng.Tick(context.Background()))
}

func drawSecret() string {
	var b [outbox.SecretBytes]byte
	rand.Read(b[:])
	return outbox.SecretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// hook is a webhook with its secret.
type hook struct {
	*shop
	id     base.ID
	secret string
}

func (s *shop) hook(url string) *hook {
	s.Helper()
	h := &hook{shop: s, secret: drawSecret()}
	h.id = s.do(outbox.CreateWebhook{EventType: base.OrderCreated, APIVersion: "2025-06", Secret: h.secret,
		WebhookFields: outbox.WebhookFields{URL: url}}).(*outbox.Webhook).ID
	return h
}

// event has the webhook told of something.
func (h *hook) event() base.ID { return h.do(outbox.TestWebhook{ID: h.id}).(*outbox.Delivery).ID }

// await waits until something is so in the present state.
func (s *shop) await(so func(v base.View) bool) {
	for {
		more := s.eng.Changed(s.account)
		if v, _ := s.eng.View(s.account); so(v) {
			return
		}
		<-more
	}
}

// after waits until a delivery has so many attempts behind it.
func (s *shop) after(id base.ID, attempts int) (d *outbox.Delivery) {
	s.await(func(v base.View) bool {
		d = outbox.DeliveryByID(v, id)
		return d.Attempts >= attempts
	})
	return d
}

func (s *shop) attempts(id base.ID) []outbox.Attempt {
	v, _ := s.eng.View(s.account)
	_, list, err := s.eng.DeliveryDetails(v, outbox.DeliveryByID(v, id))
	require.NoError(s, err)
	return list
}

// received is a request as it came in.
type received struct {
	header http.Header
	body   []byte
	path   string
}

// receiver is an endpoint on loopback that keeps what it was sent.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex
	got  []received
	what func(n int, w http.ResponseWriter, r *http.Request) // how the n-th request is answered; nil: 200
}

// receive starts a receiver of whose authority the shop's client knows.
func (s *shop) receive(what func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	c := &receiver{what: what}
	c.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.got = append(c.got, received{r.Header.Clone(), body, r.URL.RequestURI()})
		n := len(c.got)
		c.mu.Unlock()
		if c.what != nil {
			c.what(n, w, r)
		}
	}))
	c.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	c.TLS = &tls.Config{Certificates: []tls.Certificate{s.certificate()}}
	c.StartTLS()
	s.Cleanup(c.Close)
	return c
}

func (c *receiver) requests() []received {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]received(nil), c.got...)
}

// certificate makes an authority, which the shop's client takes, and a certificate of it for loopback.
func (s *shop) certificate() tls.Certificate {
	made := func(template, parent *x509.Certificate, key, by *ecdsa.PrivateKey) *x509.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
		require.NoError(s, err)
		c, err := x509.ParseCertificate(der)
		require.NoError(s, err)
		return c
	}
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(s, err)
		return k
	}
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Authority of the tests"}, NotBefore: from,
		NotAfter: to, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	}
	rootKey, leafKey := key(), key()
	root = made(root, root, rootKey, rootKey)
	s.roots.AddCert(root)
	leaf := made(&x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: from, NotAfter: to,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, DNSNames: []string{"receiver.test"},
	}, root, leafKey, rootKey)
	return tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: leafKey, Leaf: leaf}
}

// never answers a request.
func never(r *http.Request) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler) // what is said while the client leaves could still be heard
}

func status(codes ...int) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(codes[min(n, len(codes))-1]) }
}

// metric reads a counter or gauge, of those with a label the one of this value.
func (s *shop) metric(name, label string) float64 {
	families, err := s.registry.Gather()
	require.NoError(s, err)
	for _, f := range families {
		for _, m := range f.Metric {
			if f.GetName() == name && (label == "" || m.Label[0].GetValue() == label) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	s.Fatalf("there is no metric %s", name)
	return 0
}
