package main

// This file owns the options that say where the server listens, and which peers it trusts.

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	listener "holdfast/api/admin"
)

type networkConfig struct {
	listen   string
	insecure bool
	cert     string
	key      string
	proxies  []string
	protocol bool
}

func (c *networkConfig) flags(f *pflag.FlagSet) {
	f.StringVar(&c.listen, "listen", "127.0.0.1:8080",
		"address of the public interface; beyond loopback with TLS, or with --listen-insecure")
	f.StringVar(&c.cert, "tls-cert", "", "file with the certificate of the public interface and its chain (PEM), "+
		"read again when it changes and on SIGHUP")
	f.StringVar(&c.key, "tls-key", "", "file with the private key of --tls-cert (PEM)")
	f.BoolVar(&c.insecure, "listen-insecure", false,
		"listen beyond loopback without TLS, so that keys travel in the clear: for a pod, or a private network "+
			"behind a TLS proxy")
	f.StringSliceVar(&c.proxies, "trusted-proxy", nil,
		"networks of proxies that say in X-Forwarded-For or Forwarded whose requests they pass on, like "+
			"10.1.0.0/16, any number of times")
	f.BoolVar(&c.protocol, "proxy-protocol", false,
		"the proxies of --trusted-proxy begin each connection with the PROXY protocol (1 or 2); connections of "+
			"others are closed, but those of this machine")
}

// trusted reads --trusted-proxy. The whole of an address family would trust every peer, and a peer that is trusted can
// claim any address.
func (c *networkConfig) trusted() ([]netip.Prefix, error) {
	list, err := readNetworks("--trusted-proxy", c.proxies)
	for i, n := range list {
		if n.Bits() == 0 {
			return nil, usagef("--trusted-proxy %q must be a network of proxies, like 10.1.0.0/16: this one is "+
				"everybody's", c.proxies[i])
		}
	}
	return list, err
}

// readNetworks reads the values of a flag that names networks.
func readNetworks(flag string, texts []string) (list []netip.Prefix, err error) {
	for _, text := range texts {
		n, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, usagef("%s %q must be a network like 10.1.0.0/16 or fd00::/8", flag, text)
		}
		if a := n.Addr(); a.Is4In6() && n.Bits() >= 96 {
			n = netip.PrefixFrom(a.Unmap(), n.Bits()-96)
		}
		list = append(list, n.Masked())
	}
	return list, nil
}

// check judges the options that need no file.
func (c *networkConfig) check() error {
	if err := checkAddress("--listen", c.listen); err != nil {
		return err
	}
	switch {
	case c.protocol && len(c.proxies) == 0:
		return usagef("--proxy-protocol needs --trusted-proxy, the networks of the proxies that begin " +
			"connections with it")
	case c.cert != "" && c.key == "":
		return usagef("--tls-cert %q needs --tls-key, the file with its private key", c.cert)
	case c.key != "" && c.cert == "":
		return usagef("--tls-key %q needs --tls-cert, the file with its certificate", c.key)
	case c.cert != "" && c.insecure:
		return usagef("--listen-insecure is for a server without TLS, --tls-cert for one with it: give one of them")
	case c.cert == "" && !c.insecure && !listener.CheckLoopback(c.listen):
		return usagef("--listen %q is no loopback address like 127.0.0.1:8080, and other machines' keys would "+
			"travel in the clear: "+
			"give --tls-cert and --tls-key, or --listen-insecure where the network is private", c.listen)
	}
	return nil
}

// checkAddress judges an address to listen on.
func checkAddress(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if n, e := strconv.ParseUint(port, 10, 16); err == nil && (e != nil || strconv.FormatUint(n, 10) != port) {
		err = errors.New("no port")
	}
	if err != nil {
		return usagef("%s %q must be an address and a port from 0 to 65535, like 127.0.0.1:8080, [::1]:8080 or :8080",
			flag, address)
	}
	return nil
}

// localURL is where a server that listens at an address is asked on this machine.
func localURL(scheme, address string) string {
	host, port, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}
