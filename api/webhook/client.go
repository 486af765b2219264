package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file owns one attempt: the request, and what is made of its answer.

const (
	timeout   = 10 * time.Second // of an attempt in all
	maxAnswer = 64 << 10         // that is read of an answer
)

// MaxIdle is how many connections are kept open between two attempts where nothing else is said.
const MaxIdle = 256

// ClientOptions say what may be called.
type ClientOptions struct {
	Allow    []netip.Prefix // networks that may be called though they are not public, on any port
	Roots    *x509.CertPool // authorities; nil: those of the system
	Resolver *net.Resolver  // nil: that of the system
	Idle     int            // connections that are kept open between two attempts; 0 means MaxIdle
}

// NewClient makes the client that calls endpoints. It keeps connections open, asks no proxy and follows no redirect.
func NewClient(o ClientOptions) *http.Client {
	dialer := &net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second, Resolver: o.Resolver,
		Control: guard{o.Allow}.control}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext,
			TLSClientConfig: &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12,
				ClientSessionCache: tls.NewLRUClientSessionCache(256)},
			TLSHandshakeTimeout:    timeout,
			MaxIdleConns:           cmp.Or(o.Idle, MaxIdle),
			MaxIdleConnsPerHost:    perWebhook,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: maxAnswer,
			DisableCompression:     true,
		},
	}
}

// attempt makes one attempt. The context ends it early where the server stops.
func attempt(ctx context.Context, client *http.Client, now int64, event base.ID, call *outbox.Call) (a outbox.Attempt) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, call.URL, bytes.NewReader(call.Body))
	if err != nil || req.URL.Scheme != "https" || req.URL.User != nil {
		a.Error = "the URL cannot be called"
		return a
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Holdfast-Webhooks")
	if call.Test {
		req.Header.Set("X-Service-Test", "true")
	}
	sign(req.Header, event, now, call.Secrets, call.Body)
	res, err := client.Do(req)
	if err != nil {
		a.Error = reason(err)
		return a
	}
	defer res.Body.Close()
	a.Status = res.StatusCode
	if a.Status >= 300 && a.Status <= 399 {
		a.Error = "a redirect is not followed"
	}
	// The status is what counts. What of the body comes in time is kept, the rest of it is read so that the connection
	// can be used again.
	a.Answer = make([]byte, outbox.KeptAnswer)
	n, _ := io.ReadFull(res.Body, a.Answer)
	a.Answer = a.Answer[:n:n]
	io.CopyN(io.Discard, res.Body, maxAnswer-outbox.KeptAnswer)
	return a
}

// reason says why there was no answer, in words that tell nothing of the server's own network.
func reason(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var timed interface{ Timeout() bool }
	switch {
	case errors.Is(err, errAddress), errors.As(err, &dns):
		// One text for both: whether an inner name has an address says something about the network.
		return "the host has no address that may be called"
	case errors.As(err, &certificate):
		return "the certificate is not trusted"
	case errors.As(err, &record), errors.As(err, &alert):
		return "the TLS handshake failed"
	case errors.As(err, &timed) && timed.Timeout():
		return "timed out"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	}
	return "the connection failed"
}
