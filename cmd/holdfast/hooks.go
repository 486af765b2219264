package main

// This file owns the options that say which endpoints of webhooks may be called.

import (
	"crypto/x509"
	"net/http"
	"os"

	"github.com/spf13/pflag"

	"holdfast/api/webhook"
)

type hooksConfig struct {
	allow []string
	ca    string
}

func (c *hooksConfig) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&c.allow, "webhook-allow", nil, "networks that webhooks may call though they are not public, on any port, like 10.1.0.0/16; else only public addresses on port 443")
	f.StringVar(&c.ca, "webhook-ca", "", "file of certificates (PEM) of authorities that endpoints of webhooks may have, beside those of the system")
}

// client makes what calls webhooks.
func (c *hooksConfig) client() (*http.Client, error) {
	var o webhook.ClientOptions
	var err error
	if o.Allow, err = readNetworks("--webhook-allow", c.allow); err != nil {
		return nil, err
	}
	if c.ca != "" {
		pem, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, usagef("--webhook-ca %q must be a file with certificates, as PEM: %w", c.ca, err)
		}
		if o.Roots, err = x509.SystemCertPool(); err != nil {
			o.Roots = x509.NewCertPool()
		}
		if !o.Roots.AppendCertsFromPEM(pem) {
			return nil, usagef("--webhook-ca %q must be a file with certificates, as PEM: it holds no certificate", c.ca)
		}
	}
	return webhook.NewClient(o), nil
}
