package api

import (
	"bytes"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/valyala/fasthttp"
)

// This file owns whose address a request counts as: that of its peer, or, where a trusted proxy passes the request on,
// the address that the proxy gives. A proxy adds the address of its own peer at the end of a header, after the
// addresses that it was sent, which may be forged. So the last address that is not a trusted proxy's counts, and the
// ones before it are not looked at.

// sender is who a request comes from.
type sender struct {
	address netip.Addr // not valid: no network
	exempt  bool       // has no limits
	counted bool       // is counted as a connection already
}

// proxies are the networks whose word is taken, and what was said of others'.
type proxies struct {
	networks            []netip.Prefix
	protocol            bool // each begins its connections with the PROXY protocol
	untrusted, disagree sync.Once
}

func (p *proxies) trusts(a netip.Addr) bool { return listed(p.networks, a) }

func listed(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a) })
}

// peer is the address at the other end of a connection.
func peer(from net.Addr) netip.Addr {
	tcp, ok := from.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}

// locate finds who sends the request. passed says whether its headers show that a proxy passes it on.
func (q *request) locate(passed bool) {
	s, from := q.server, q.from.address
	if !from.IsValid() {
		return
	}
	proxied := s.proxies.protocol && passedOn(q.ctx.Conn())
	local, exempt, trusted := from.IsLoopback() && !proxied, listed(s.limits.Exempt, from), s.proxies.trusts(from)
	q.from.counted, q.from.exempt = !proxied && s.directly(from), local || exempt
	if !passed || !local && !trusted {
		return // a client's word, or the proxy asks for itself, or a program on this machine does
	}
	told, agreed := netip.Addr{}, true
	if trusted {
		told, agreed = s.proxies.read(&q.ctx.Request.Header)
	}
	switch {
	case !trusted:
		q.from.exempt = exempt
		s.proxies.untrusted.Do(func() {
			s.log.Warn("a request on loopback was passed on by a proxy that --trusted-proxy does not name: such " +
				"requests have the limit of one address")
		})
	case told.IsValid():
		q.from.address, q.from.exempt = told, listed(s.limits.Exempt, told)
	default:
		q.from.exempt = false // the sender is not known: all such requests share the limit of one address, the proxy's
		if !agreed {
			s.proxies.disagree.Do(func() {
				s.log.Warn("X-Forwarded-For and Forwarded tell two addresses, so neither counts: have the proxy "+
					"remove the one that it does not write", "proxy", from.String())
			})
		}
	}
}

// read is the address that a proxy gives in its headers, not valid where it gives none. Of two headers that disagree
// neither counts, as only one of them is the proxy's. A header that is malformed in the part that is looked at counts
// as absent.
func (p *proxies) read(h *fasthttp.RequestHeader) (told netip.Addr, agreed bool) {
	plain, full := p.last(h, "X-Forwarded-For", cutPlain), p.last(h, "Forwarded", cutForwarded)
	switch {
	case !full.IsValid():
		return plain, true
	case !plain.IsValid() || plain == full:
		return full, true
	}
	return netip.Addr{}, false
}

// last goes through the addresses of a header from its end, to the first that is no trusted proxy's; where all are, to
// the first of all.
func (p *proxies) last(h *fasthttp.RequestHeader, name string,
	cut func(line []byte) (before, address []byte, ok bool)) (a netip.Addr) {
	all := h.PeekAll(name)
	for i := len(all) - 1; i >= 0; i-- {
		for line := all[i]; line != nil; {
			var text []byte
			var ok bool
			if line, text, ok = cut(line); !ok {
				return netip.Addr{}
			}
			if a, ok = parseHop(text); !ok {
				return netip.Addr{}
			}
			if !p.trusts(a) {
				return a
			}
		}
	}
	return a
}

// cutPlain takes the last of addresses with commas between them.
func cutPlain(line []byte) (before, address []byte, ok bool) {
	if i := bytes.LastIndexByte(line, ','); i >= 0 {
		return line[:i], line[i+1:], true
	}
	return nil, line, true
}

// cutForwarded takes the last element of a list of RFC 7239, and of it the one parameter `for`. It looks from the end,
// so that a quote that a client has left open in front hides nothing.
func cutForwarded(line []byte) (before, address []byte, ok bool) {
	i := lastOutside(line, ',')
	element := line[i+1:]
	if i >= 0 {
		before = line[:i]
	}
	if bytes.IndexByte(element, '\\') >= 0 || bytes.Count(element, []byte{'"'})%2 != 0 {
		return nil, nil, false
	}
	for rest := element; rest != nil; {
		i := lastOutside(rest, ';')
		pair := bytes.Trim(rest[i+1:], " \t")
		if rest = rest[:max(i, 0)]; i < 0 {
			rest = nil
		}
		name, value, _ := bytes.Cut(pair, []byte{'='})
		if !bytes.EqualFold(name, []byte("for")) {
			continue
		}
		if address != nil {
			return nil, nil, false // two of them
		}
		if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
			value = value[1 : n-1]
		}
		address = value
	}
	return before, address, address != nil
}

// lastOutside is where a byte stands for the last time outside of quotes, -1 where it does not.
func lastOutside(line []byte, sep byte) int {
	quoted := false
	for i := len(line) - 1; i >= 0; i-- {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == sep && !quoted:
			return i
		}
	}
	return -1
}

// longestHop is that of an IPv6 address that ends like IPv4, in brackets, with a port.
const longestHop = 64

// parseHop reads an address as proxies write it: an IPv6 one may stand in brackets, and a port may follow it.
func parseHop(text []byte) (a netip.Addr, ok bool) {
	text = bytes.Trim(text, " \t")
	if len(text) > longestHop {
		return a, false
	}
	if inner, found := bytes.CutPrefix(text, []byte{'['}); found {
		address, after, closed := bytes.Cut(inner, []byte{']'})
		if !closed || len(after) > 0 && (after[0] != ':' || !isPort(after[1:])) || bytes.IndexByte(address, ':') < 0 {
			return a, false
		}
		text = address
	} else if bytes.Count(text, []byte{':'}) == 1 {
		address, port, _ := bytes.Cut(text, []byte{':'})
		if !isPort(port) {
			return a, false
		}
		text = address
	}
	a, err := netip.ParseAddr(string(text))
	if err != nil || a.Zone() != "" || a.IsUnspecified() {
		return netip.Addr{}, false
	}
	return a.Unmap(), true
}

// isPort says of a text that it is a port, or a name in place of one.
func isPort(text []byte) bool {
	if len(text) > 1 && text[0] == '_' {
		return true
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) >= 1 && len(text) <= 5
}
