package main

// This file owns the certificate of the public interface: what of TLS is taken, and how another pair takes the place of
// one that is in use.

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// pair is a certificate and its key, in two files. Connections that are open keep the pair they began with.
type pair struct {
	cert, key string // names of the files
	log       *slog.Logger
	now       atomic.Pointer[tls.Certificate]
	tried     [sha256.Size]byte // of what was last judged, good or bad
	unread    string            // why the files could not be read when last looked at
}

// openPair reads a pair that has to be good.
func openPair(c networkConfig, log *slog.Logger) (*pair, error) {
	p := &pair{cert: c.cert, key: c.key, log: log}
	cert, key, err := p.read()
	if err != nil {
		return nil, err
	}
	if err := p.take(cert, key); err != nil {
		return nil, usagef("--tls-cert %q and --tls-key %q must be a certificate and its private key, as PEM: %w",
			c.cert, c.key, err)
	}
	return p, nil
}

// read is the text of both files.
func (p *pair) read() (cert, key []byte, err error) {
	if cert, err = os.ReadFile(p.cert); err != nil {
		return nil, nil, usagef("--tls-cert %q must be a file with a certificate, as PEM: %w", p.cert, err)
	}
	if key, err = os.ReadFile(p.key); err != nil {
		return nil, nil, usagef("--tls-key %q must be a file with a private key, as PEM: %w", p.key, err)
	}
	return cert, key, nil
}

// take makes new connections use a pair, if it is one.
func (p *pair) take(cert, key []byte) error {
	p.tried = digest(cert, key)
	c, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return err
	}
	p.now.Store(&c)
	level := slog.LevelInfo
	if time.Now().After(c.Leaf.NotAfter) {
		level = slog.LevelWarn
	}
	p.log.Log(context.Background(), level, "certificate",
		"of", c.Leaf.Subject.String(), "names", fmt.Sprint(c.Leaf.DNSNames, c.Leaf.IPAddresses), "until",
		c.Leaf.NotAfter)
	return nil
}

func digest(cert, key []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%d ", len(cert))
	h.Write(cert)
	h.Write(key)
	h.Sum(sum[:0])
	return sum
}

// look takes what the files hold, where that is another pair, or where it is asked for. A bad one is logged once, and
// the old one stays.
func (p *pair) look(asked bool) {
	cert, key, err := p.read()
	if err != nil {
		if text := err.Error(); asked || text != p.unread {
			p.unread = text
			p.log.Error("the certificate cannot be read again, the old one stays", "cause", err)
		}
		return
	}
	p.unread = ""
	if !asked && digest(cert, key) == p.tried {
		return
	}
	if err := p.take(cert, key); err != nil {
		p.log.Error("certificate and key are no pair, the old one stays", "cert", p.cert, "key", p.key, "cause", err)
	}
}

// config is what a listener needs. A client that knows no cipher with forward secrecy and authentication is not served.
func (p *pair) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		CipherSuites: []uint16{ // of TLS 1.2; those of 1.3 are all good
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.now.Load(), nil },
	}
}

// readAgain looks at the files of a pair and of a token at each tick, and when a signal asks for it, until ctx ends.
// Without either it says so to the signal. That stays taken when ctx has ended: given back, it would end the process,
// which still stops.
func readAgain(ctx context.Context, p *pair, token *tokenFile, tick <-chan time.Time, asked chan os.Signal,
	log *slog.Logger) {
	for {
		bySignal := false
		select {
		case <-tick:
		case <-asked:
			bySignal = true
		case <-ctx.Done():
			return
		}
		if p != nil {
			p.look(bySignal)
		}
		if token != nil {
			token.look(bySignal, log)
		}
		if bySignal && p == nil && token == nil {
			log.Info("SIGHUP: there is no certificate and no token to read again")
		}
	}
}
