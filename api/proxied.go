package api

import (
	"fmt"
	"net"

	"github.com/pires/go-proxyproto"
)

// This file owns connections that a proxy passes on without looking into them: at the start of each connection it says,
// by the PROXY protocol (versions 1 and 2), whose it is. Where that is agreed, only trusted proxies can connect, and
// this machine, which says nothing: any other peer could claim any address.

// proxied makes the connections of a listener begin with the protocol.
func (s *Server) proxied(l net.Listener) net.Listener {
	return &proxyproto.Listener{Listener: l, ConnPolicy: s.judgePeer, ValidateHeader: leaveOut,
		ReadHeaderTimeout: readTimeout}
}

// leaveOut takes an address away that is none of TCP over IP, such as that of a Unix socket or of a datagram: what has
// no address of its own counts as the proxy's, which limits are for.
func leaveOut(h *proxyproto.Header) error {
	if _, ok := h.SourceAddr.(*net.TCPAddr); !ok {
		h.SourceAddr = nil
	}
	return nil
}

// judgePeer says how a connection has to begin. An error closes it.
func (s *Server) judgePeer(c proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
	switch from := peer(c.Upstream); {
	case s.proxies.trusts(from):
		return proxyproto.REQUIRE, nil
	case from.IsLoopback():
		return proxyproto.SKIP, nil
	default:
		s.crowd.say(func() {
			s.log.Warn("a connection was closed: it is of no network of --trusted-proxy, and --proxy-protocol "+
				"takes no others", "address", from.String())
		})
		return proxyproto.REJECT, fmt.Errorf("%w: no proxy that is trusted", proxyproto.ErrInvalidUpstream)
	}
}

// passedOn says that a connection came with the protocol.
func passedOn(c net.Conn) bool {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // it is one with TLS
		c = t.NetConn()
	}
	p, ok := c.(*patientConn)
	if ok {
		_, ok = p.Conn.(*proxyproto.Conn)
	}
	return ok
}
