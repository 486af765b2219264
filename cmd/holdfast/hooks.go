package main

// This file owns the options that say which endpoints of webhooks may be called.

import (
	"crypto/x509"
	"os"

	"github.com/spf13/pflag"

	"holdfast/api/webhook"
)

type hooksConfig struct {
	allow []string
	ca    string
}

func (c *hooksConfig) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&c.allow, "webhook-allow", nil, "networks that webhooks may call though they are not public, "+
		"on any port, like 10.1.0.0/16; else only public addresses on port 443")
	f.StringVar(&c.ca, "webhook-ca", "",
		"file of certificates (PEM) of authorities that endpoints of webhooks may have, beside those of the system")
}

// options are for what calls webhooks, and for what says that an endpoint will not be called.
func (c *hooksConfig) options() (o webhook.ClientOptions, err error) {
	if o.Allow, err = readNetworks("--webhook-allow", c.allow); err != nil {
		return o, err
	}
	if c.ca != "" {
		pem, err := os.ReadFile(c.ca)
		if err != nil {
			return o, usagef("--webhook-ca %q must be a file with certificates, as PEM: %w", c.ca, err)
		}
		if o.Roots, err = x509.SystemCertPool(); err != nil {
			o.Roots = x509.NewCertPool()
		}
		if !o.Roots.AppendCertsFromPEM(pem) {
			return o, usagef("--webhook-ca %q must be a file with certificates, as PEM: it holds no certificate", c.ca)
		}
	}
	return o, nil
}
