package api

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"holdfast/api/ratelimit"
	"holdfast/engine/base"
)

// This file owns how the server refuses what ratelimit.Crowd counts too much of: connections, or, of an address that a
// proxy passes on, requests.

// crowdSaid is how seldom it is logged that connections are closed.
const crowdSaid = time.Minute

// crowd is what addresses have under way.
type crowd struct {
	ratelimit.Crowd
	mu   sync.Mutex
	said time.Time
}

// countedListener closes connections beyond those that an address may have. Connections of a trusted proxy are not
// counted, but the requests that they pass on are.
type countedListener struct {
	net.Listener
	server *Server
}

func (l countedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		s, from := l.server, peer(c.RemoteAddr())
		if s.limits.ConnsPerAddress == 0 || !from.IsValid() || !s.directly(from) {
			return c, nil
		}
		if s.crowd.Enter(from, s.limits.ConnsPerAddress) {
			return &countedConn{Conn: c, crowd: &s.crowd, from: from}, nil
		}
		c.Close()
		s.metrics.limited.WithLabelValues(string(layerConns)).Inc()
		s.crowd.say(func() {
			s.log.Warn("an address has as many connections as it may: more are closed", "address", from.String())
		})
	}
}

// layerConns is the layer of connections that are closed before they ask for anything.
const layerConns ratelimit.Layer = "connections"

// directly says of a peer that it is a client, and has limits.
func (s *Server) directly(from netip.Addr) bool {
	return !from.IsLoopback() && !listed(s.limits.Exempt, from) && !s.proxies.trusts(from)
}

func (c *crowd) say(how func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.said) >= crowdSaid {
		c.said = now
		how()
	}
}

// countedConn leaves the crowd when it is closed.
type countedConn struct {
	net.Conn
	crowd *crowd
	from  netip.Addr
	once  sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.crowd.Leave(c.from) })
	return c.Conn.Close()
}

// enter counts a request that was passed on, until it is released.
func (q *request) enter() *base.Error {
	s := q.server
	if s.limits.ConnsPerAddress == 0 || q.from.counted || q.from.exempt || !q.from.address.IsValid() || q.entered ||
		q.op.probe {
		return nil
	}
	if !s.crowd.Enter(q.from.address, s.limits.ConnsPerAddress) {
		return q.later(base.CodeRateLimited, ratelimit.Address, 1000, "too many requests of this address are under way")
	}
	q.entered = true
	return nil
}

// leave is the end of enter.
func (q *request) leave() {
	if q.entered {
		q.server.crowd.Leave(q.from.address)
		q.entered = false
	}
}
