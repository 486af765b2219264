package webhook

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// This file owns whether an endpoint may be called, as far as its address alone shows. A client that sets an endpoint
// learns at once that it would be refused when it is dialled; the address is judged again at that time. No name is
// looked up here: what the name servers and the hosts file of this machine say about a name reveals something about the
// network that the machine is in.

// innerDomains are the names at the end of a host that no public host has, by the registry of special-use domain names
// and by what ICANN keeps for inner networks.
var innerDomains = []string{
	"alt", "example", "home.arpa", "internal", "invalid", "lan", "local", "localdomain", "localhost", "onion", "test",
}

// Refuses says why an absolute https URL would not be called, empty where its address does not tell.
func (o ClientOptions) Refuses(address string) string {
	const inner = "must lead to a public address: this one is of an inner network, which the operator has to allow"
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
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	a, err := netip.ParseAddr(host)
	switch {
	case err == nil && o.allows(a), err != nil && len(o.Allow) > 0: // the name may lead there
		return ""
	case err == nil && !public(a), err != nil && innerName(host):
		return inner
	case port != 443:
		return "must be on port 443: another one the operator has to allow"
	}
	return ""
}

// allows says whether the operator lets an address be called on any port.
func (o ClientOptions) allows(a netip.Addr) bool { return in(o.Allow, a.Unmap()) }

// innerName says of a name whether no public host can have it.
func innerName(host string) bool {
	return !strings.Contains(host, ".") || slices.ContainsFunc(innerDomains, func(domain string) bool {
		return strings.HasSuffix(host, "."+domain)
	})
}
