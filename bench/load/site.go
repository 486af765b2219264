package load

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/api"
	"holdfast/api/webhook"
	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns the endpoint of webhooks: it speaks TLS on loopback, with an authority of its own, and takes
// everything.

// site is an endpoint, the webhook that reports new orders to it, and the client that knows its authority.
type site struct {
	world   *bench.World
	hook    base.ID
	client  *http.Client
	calls   atomic.Int64 // that came in
	orders  *clients
	stop    func()
	created int // orders since there is the webhook
}

func openSite(s *Server, w *bench.World) (*site, error) {
	certificate, roots, err := certify(time.Now())
	if err != nil {
		return nil, err
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		return nil, err
	}
	x := &site{world: w, orders: newClients(s.Address, "POST", s.Key, holdConnections)}
	server := &fasthttp.Server{NoDefaultServerHeader: true, Handler: func(ctx *fasthttp.RequestCtx) {
		x.calls.Add(1)
		ctx.SetStatusCode(fasthttp.StatusNoContent)
	}}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	x.client = webhook.NewClient(webhook.ClientOptions{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Roots: roots})
	x.stop = func() {
		listener.Close() // a server that has not begun to listen does not know that it should not
		server.Shutdown()
		<-ended
	}
	secret := make([]byte, outbox.SecretBytes)
	rand.Read(secret)
	hook, err := x.do(outbox.CreateWebhook{
		EventType: base.OrderCreated, APIVersion: api.Version,
		WebhookFields: outbox.WebhookFields{URL: "https://" + listener.Addr().String() + "/orders"},
		Secret:        outbox.SecretPrefix + base64.StdEncoding.EncodeToString(secret),
	})
	if err != nil {
		x.stop()
		return nil, err
	}
	x.hook = hook.(*outbox.Webhook).ID
	return x, nil
}

func (x *site) do(op base.Op) (any, error) {
	r, err := x.world.Engine.Do(engine.Command{Account: x.world.Account, Actor: "bench", Op: op})
	return r.Record, err
}

// close ends it. What is still queued is not sent.
func (x *site) close() error {
	x.orders.close()
	x.client.CloseIdleConnections()
	_, err := x.do(outbox.DeleteWebhook{ID: x.hook})
	x.stop()
	return err
}

// order opens orders of three lines, each of which queues a delivery.
func (x *site) order(stream *dataset.Orders, n int) error {
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = orderBody(x.world, stream.Next())
	}
	x.created += n
	var t bench.Tally
	return x.orders.askAll(&t, "/v1/admin/orders", bodies)
}

// send starts what sends deliveries. The function that it gives ends it.
func (x *site) send() (stop func(), err error) {
	d := webhook.Start(webhook.Options{Engine: x.world.Engine, Client: x.client, Now: x.world.Now,
		Logger: slog.New(slog.DiscardHandler)})
	// It begins with what changed since the one before it ended: something has to.
	if _, err = x.do(outbox.TestWebhook{ID: x.hook}); err == nil {
		x.created++
	}
	return func() { d.Close(context.Background()) }, err
}

// queued says whether a delivery waits.
func (x *site) queued() bool {
	for range outbox.Queue(x.world.View(), x.hook) {
		return true
	}
	return false
}

// delivered is how many deliveries the engine has recorded as delivered.
func (x *site) delivered() int {
	_, n := outbox.Deliveries(x.world.View(), x.hook, outbox.DeliveryDone, 0, 0)
	return n
}

// certify makes an authority, and a certificate of it for loopback.
func certify(now time.Time) (leaf tls.Certificate, roots *x509.CertPool, err error) {
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Authority of the bench"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	endpoint := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	by, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return leaf, nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return leaf, nil, err
	}
	root, err := x509.CreateCertificate(rand.Reader, authority, authority, &by.PublicKey, by)
	if err != nil {
		return leaf, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, endpoint, authority, &key.PublicKey, by)
	if err != nil {
		return leaf, nil, err
	}
	if authority, err = x509.ParseCertificate(root); err != nil {
		return leaf, nil, err
	}
	roots = x509.NewCertPool()
	roots.AddCert(authority)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots, nil
}
