package webhook

import (
	"errors"
	"net/netip"
	"slices"
	"syscall"
)

// This file owns which addresses may be called. An address is judged as it is dialled, so that no name, and no second
// answer of a name server, leads elsewhere.

var errAddress = errors.New("the address is not allowed")

func prefixes(list ...string) (p []netip.Prefix) {
	for _, s := range list {
		p = append(p, netip.MustParsePrefix(s))
	}
	return p
}

var (
	// What of the address space is not for everybody to call, by the registries of special-purpose addresses.
	special4 = prefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.31.196.0/24",
		"192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	)
	global6  = netip.MustParsePrefix("2000::/3")
	special6 = prefixes(
		"2001::/23",                  // protocol assignments, Teredo among them
		"2001:db8::/32", "3fff::/20", // documentation
		"2002::/16",         // 6to4
		"2620:4f:8000::/48", // AS112
	)
	translated = netip.MustParsePrefix("64:ff9b::/96") // an IPv4 address behind a translator
)

// public says whether an address is one that everybody may call.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if translated.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.Is6() {
		return global6.Contains(a) && !in(special6, a) // no prefix contains an address with a zone
	}
	return !in(special4, a)
}

func in(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// guard judges addresses. allowed networks may be called on any port.
type guard struct{ allowed []netip.Prefix }

func (g guard) check(network, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return errAddress
	}
	if in(g.allowed, to.Addr().Unmap()) || public(to.Addr()) && to.Port() == 443 {
		return nil
	}
	return errAddress
}

// control is the hook of a dialer that is given each address just before it is connected to.
func (g guard) control(network, address string, _ syscall.RawConn) error {
	return g.check(network, address)
}
