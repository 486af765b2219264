package webhook

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// This file owns whether an endpoint may be called, as far as that can be told when it is set: who sets it is told at
// once what would be refused when it is dialled. That is judged then all the same.

// lookUp is how long the addresses of a name are waited for.
const lookUp = 2 * time.Second

// Refuses says why an absolute https URL would not be called, empty where it would, or where its host has no address
// yet.
func (o ClientOptions) Refuses(ctx context.Context, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	port := uint64(443)
	if p := u.Port(); p != "" {
		if port, err = strconv.ParseUint(p, 10, 16); err != nil {
			return ""
		}
	}
	addresses := o.addresses(ctx, strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
	inner := false
	for _, a := range addresses {
		network := "tcp6"
		if a = a.Unmap(); a.Is4() {
			network = "tcp4"
		}
		if (guard{o.Allow}).check(network, netip.AddrPortFrom(a, uint16(port)).String()) == nil {
			return ""
		}
		inner = inner || !public(a)
	}
	switch {
	case inner:
		return "must lead to a public address: this one is of an inner network, which the operator has to allow"
	case port != 443 && (len(addresses) > 0 || len(o.Allow) == 0):
		return "must be on port 443: another one the operator has to allow"
	}
	return ""
}

// addresses are those that a host has now.
func (o ClientOptions) addresses(ctx context.Context, host string) []netip.Addr {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	}
	ctx, stop := context.WithTimeout(ctx, lookUp)
	defer stop()
	resolver := o.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	list, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil
	}
	return list
}
