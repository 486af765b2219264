package api

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// askedFrom is a request as it is read from a connection of an address.
func askedFrom(t testing.TB, address string, headers ...string) *fasthttp.RequestCtx {
	ctx := new(fasthttp.RequestCtx)
	raw := strings.Join(append([]string{"GET /v1/admin/account HTTP/1.1", "Host: shop"}, headers...), "\r\n") +
		"\r\n\r\n"
	require.NoError(t, ctx.Request.Read(bufio.NewReader(strings.NewReader(raw))), "%q", headers)
	ctx.SetRemoteAddr(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)))
	return ctx
}

// sender is whose a request counts as.
func (s *shop) sender(address string, headers ...string) sender {
	q := s.server.acquire(askedFrom(s, address, headers...), time.Now())
	defer q.release()
	_, is := framing(&q.ctx.Request.Header)
	q.locate(is.passed)
	return q.from
}

func networks(texts ...string) (list []netip.Prefix) {
	for _, t := range texts {
		list = append(list, netip.MustParsePrefix(t))
	}
	return list
}

func TestWhoseRequestItIs(t *testing.T) {
	s := newShop(t)
	s.server.proxies.networks = networks("10.0.0.0/8", "fd00::/8", "127.0.0.2/32")
	s.server.limits.Exempt = networks("198.51.100.0/24", "10.9.0.0/16")
	const proxy = "10.0.0.1:999"
	for _, x := range []struct {
		peer    string
		headers []string
		address string
		exempt  bool
	}{
		// Nobody trusts these: they say what they like.
		{"203.0.113.1:1", nil, "203.0.113.1", false},
		{"203.0.113.1:1", []string{"X-Forwarded-For: 198.51.100.1"}, "203.0.113.1", false},
		{"203.0.113.1:1", []string{"Forwarded: for=127.0.0.1"}, "203.0.113.1", false},
		{"198.51.100.1:1", []string{"X-Forwarded-For: 203.0.113.1"}, "198.51.100.1", true},
		{"127.0.0.1:1", nil, "127.0.0.1", true},
		{"127.0.0.1:1", []string{"X-Forwarded-For: 203.0.113.1"}, "127.0.0.1", false},
		{"127.0.0.1:1", []string{"Forwarded: for=127.0.0.1"}, "127.0.0.1", false},
		{"127.0.0.1:1", []string{"X-Forwarded-For:"}, "127.0.0.1", false},
		{"127.0.0.1:1", []string{"Via: 1.1 proxy"}, "127.0.0.1", false},
		{"127.0.0.1:1", []string{"X-Real-IP: 203.0.113.1"}, "127.0.0.1", false},
		{"[::1]:1", []string{"x-forwarded-for: 203.0.113.1"}, "::1", false},
		// The last that is no trusted proxy's.
		{proxy, nil, "10.0.0.1", false},
		{"10.9.0.1:1", nil, "10.9.0.1", true},
		{"127.0.0.2:1", nil, "127.0.0.2", true},
		{"127.0.0.2:1", []string{"X-Forwarded-For: 203.0.113.1"}, "203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.1"}, "203.0.113.1", false},
		{"[::ffff:10.0.0.1]:1", []string{"X-Forwarded-For: 203.0.113.1"}, "203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: 198.51.100.1"}, "198.51.100.1", true},
		{proxy, []string{"X-Forwarded-For: 127.0.0.1"}, "127.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: 198.51.100.1, 203.0.113.1"}, "203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: 198.51.100.1 ,\t203.0.113.1,10.2.2.2 , fd00::7"}, "203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: 198.51.100.1", "X-Forwarded-For: 203.0.113.1", "X-Forwarded-For: 10.2.2.2"},
			"203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: rubbish, 203.0.113.1"}, "203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: 10.3.3.3, 10.2.2.2"}, "10.3.3.3", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.1:5000"}, "203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: 2001:DB8::9"}, "2001:db8::9", false},
		{proxy, []string{"X-Forwarded-For: [2001:db8::9]:80"}, "2001:db8::9", false},
		{proxy, []string{"X-Forwarded-For: ::ffff:203.0.113.1"}, "203.0.113.1", false},
		{proxy, []string{"Forwarded: for=203.0.113.1"}, "203.0.113.1", false},
		{proxy, []string{
			`Forwarded: for=198.51.100.1;by=10.1.1.1, FOR="203.0.113.1:81" ; proto=https;host="a,b;c", for=10.2.2.2`},
			"203.0.113.1", false},
		{proxy, []string{`Forwarded: for="[2001:db8::9]:_port"`}, "2001:db8::9", false},
		{proxy, []string{`Forwarded: for="`, `Forwarded: for=203.0.113.1`}, "203.0.113.1", false},
		{proxy, []string{`Forwarded: for=198.51.100.1;x="\, for=203.0.113.1`}, "203.0.113.1", false},
		// Both headers, of which a client may have written one.
		{proxy, []string{"X-Forwarded-For: 203.0.113.1", "Forwarded: for=203.0.113.1"}, "203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: 198.51.100.1", "Forwarded: for=203.0.113.1"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.1", "Forwarded: for=198.51.100.1"}, "10.0.0.1", false},
		{"10.9.0.1:1", []string{"X-Forwarded-For: 203.0.113.1", "Forwarded: for=198.51.100.1"}, "10.9.0.1", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.1", "Forwarded: for=unknown"}, "203.0.113.1", false},
		{proxy, []string{"X-Forwarded-For: unknown", "Forwarded: for=203.0.113.1"}, "203.0.113.1", false},
		// What is malformed counts for nothing: nobody is told.
		{proxy, []string{"X-Forwarded-For:"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.1,"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.1, unknown"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: rubbish, 10.2.2.2"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.256"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.1:port"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: 203.0.113.1:123456"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: [203.0.113.1]"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: [2001:db8::9"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: [2001:db8::9]80"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: fe80::1%eth0"}, "10.0.0.1", false},
		{proxy, []string{"X-Forwarded-For: 0.0.0.0"}, "10.0.0.1", false},
		{"127.0.0.2:1", []string{"X-Forwarded-For: unknown"}, "127.0.0.2", false},
		{"10.9.0.1:1", []string{"X-Forwarded-For: unknown"}, "10.9.0.1", false},
		{proxy, []string{"Forwarded: by=203.0.113.1"}, "10.0.0.1", false},
		{proxy, []string{"Forwarded: for=203.0.113.1;for=203.0.113.2"}, "10.0.0.1", false},
		{proxy, []string{`Forwarded: for="203.0.113.1`}, "10.0.0.1", false},
		{proxy, []string{`Forwarded: for="203.0.113\.1"`}, "10.0.0.1", false},
		{proxy, []string{"Forwarded: for=_hidden"}, "10.0.0.1", false},
	} {
		got := s.sender(x.peer, x.headers...)
		require.Equal(t, x.address, got.address.String(), "%s %q", x.peer, x.headers)
		require.Equal(t, x.exempt, got.exempt, "%s %q", x.peer, x.headers)
	}
	log := s.log.String()
	require.Equal(t, 1, strings.Count(log, "was passed on by a proxy that --trusted-proxy does not name"))
	require.Equal(t, 1, strings.Count(log, "tell two addresses"))
}

// TestForgedAddressesGainNothing sends wrong keys through a proxy, each with another forged header in front of what the
// proxy adds, or beside it.
func TestForgedAddressesGainNothing(t *testing.T) {
	s := newShop(t)
	s.server.proxies.networks = networks("10.0.0.0/8")
	s.server.limits.Exempt = networks("198.51.100.0/24")
	random := rand.New(rand.NewPCG(1, 2))
	forged := func() string {
		return []string{
			"198.51.100.7", "127.0.0.1", "10.0.0.1", "rubbish", `"`, "203.0.113." + strconv.Itoa(random.IntN(256)), "",
		}[random.IntN(7)]
	}
	unknown := "hf_99999999_" + strings.Repeat("s", 32)
	for name, headers := range map[string]func() []string{
		"X-Forwarded-For": func() []string { return []string{"X-Forwarded-For: " + forged() + ", 203.0.113.9"} },
		"lines": func() []string {
			return []string{"X-Forwarded-For: " + forged(), "X-Forwarded-For: 203.0.113.10"}
		},
		"Forwarded": func() []string {
			return []string{"Forwarded: for=" + forged() + ", for=203.0.113.11;proto=https"}
		},
	} {
		s.clock.Add(60_000)
		seen := map[int]int{}
		for range 300 {
			seen[s.from("10.0.0.1:1",
				get("/v1/admin/account", unknown, append(headers(), "User-Agent: Mozilla/5.0")...)).StatusCode()]++
		}
		require.Equal(t, map[int]int{401: 120, 429: 180}, seen, name)
	}
	// Where the two headers disagree, whoever forges one shares the limit of one address with all who do.
	s.clock.Add(60_000)
	seen := map[int]int{}
	for i := range 300 {
		r := s.from("10.0.0.1:1", get("/v1/admin/account", unknown,
			"X-Forwarded-For: 203.0.113.9", "Forwarded: for=192.0.2."+strconv.Itoa(i%256), "User-Agent: Mozilla/5.0"))
		seen[r.StatusCode()]++
	}
	require.Equal(t, map[int]int{401: 120, 429: 180}, seen)
	require.Equal(t, 401, s.from("10.0.0.1:1",
		get("/v1/admin/account", unknown, "X-Forwarded-For: 203.0.113.9", "User-Agent: Mozilla/5.0")).StatusCode(),
		"nobody else pays for it")
}

func TestWrongKeysAreDear(t *testing.T) {
	s := newShop(t)
	const path = "/v1/admin/account"
	left := func(key string) string { return s.tells(s.from("203.0.113.1:1", get(path, key)))[1] }
	require.Equal(t, "599", left(""))
	require.Equal(t, "598", left("no key at all"))
	require.Equal(t, "593", left("hf_99999999_"+strings.Repeat("s", 32)))
	require.Equal(t, "588", left(s.key[:len(s.key)-1]+"x"), "a key with another secret")
	require.Equal(t, [4]string{}, s.tells(s.from("203.0.113.1:1", get(path, s.key))),
		"a good one of an account without limits is given back")
	require.Equal(t, "587", left(""))
}

func TestWhatAnAddressHasUnderWay(t *testing.T) {
	s := newShop(t)
	s.server.proxies.networks = networks("10.0.0.0/8")
	s.server.limits.ConnsPerAddress = 2
	begin := func(peer string, headers ...string) (*request, bool) {
		q := s.server.acquire(askedFrom(t, peer, headers...), time.Now())
		q.op = &operation{}
		q.locate(len(headers) > 0)
		return q, q.enter() == nil
	}
	const one, other = "X-Forwarded-For: 203.0.113.1", "X-Forwarded-For: 203.0.113.2"
	a, ok := begin("10.0.0.1:1", one)
	require.True(t, ok)
	b, ok := begin("10.0.0.2:1", one)
	require.True(t, ok)
	c, ok := begin("10.0.0.1:1", one)
	require.False(t, ok, "a third request of one address, by whatever proxy")
	d, ok := begin("10.0.0.1:1", other)
	require.True(t, ok)
	for range 5 {
		e, ok := begin("203.0.113.1:1")
		require.True(t, ok, "its connection is counted already")
		e.release()
		e, ok = begin("127.0.0.1:1")
		require.True(t, ok, "the machine itself")
		defer e.release()
	}
	c.release()
	a.release()
	a, ok = begin("10.0.0.1:1", one)
	require.True(t, ok)
	for _, q := range []*request{a, b, d} {
		q.release()
	}

}

// visitors is a listener on which these addresses connect, one after the other.
type visitors struct {
	from   []string
	closed []string
}

func (v *visitors) Accept() (net.Conn, error) {
	if len(v.from) == 0 {
		return nil, io.EOF
	}
	c := &visitor{v, v.from[0], nil}
	v.from = v.from[1:]
	return c, nil
}

func (v *visitors) Close() error   { return nil }
func (v *visitors) Addr() net.Addr { return nil }

type visitor struct {
	all  *visitors
	from string
	net.Conn
}

func (v *visitor) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(v.from), 1))
}

func (v *visitor) LocalAddr() net.Addr { return nil }

func (v *visitor) Close() error {
	v.all.closed = append(v.all.closed, v.from)
	return nil
}

// Connections are counted as they are accepted, until they are closed: those of clients, not those of the machine
// itself or of a proxy.
func TestConnectionsOfAnAddress(t *testing.T) {
	s := newShop(t)
	s.server.proxies.networks = networks("10.0.0.0/8")
	s.server.limits.Exempt = networks("198.51.100.0/24")
	s.server.limits.ConnsPerAddress = 2
	v := &visitors{from: []string{
		"203.0.113.1", "203.0.113.1", "203.0.113.1", "::ffff:203.0.113.1", "203.0.113.2", "2001:db8::1", "2001:db8::2",
		"2001:db8::3",
		"127.0.0.1", "127.0.0.1", "127.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.1", "198.51.100.1", "198.51.100.1",
		"198.51.100.1",
	}}
	l := countedListener{v, s.server}
	var open []net.Conn
	for {
		c, err := l.Accept()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		open = append(open, c)
	}
	require.Len(t, open, 14)
	require.Equal(t, []string{"203.0.113.1", "::ffff:203.0.113.1", "2001:db8::3"}, v.closed)
	require.Equal(t, 1, strings.Count(s.log.String(), "as many connections as it may"), "said seldom")
	require.NoError(t, open[0].Close())
	require.NoError(t, open[0].Close(), "twice is once")
	v.from = []string{"203.0.113.1", "203.0.113.1"}
	c, err := l.Accept()
	require.NoError(t, err)
	_, err = l.Accept()
	require.ErrorIs(t, err, io.EOF)
	for _, c := range append(open, c) {
		require.NoError(t, c.Close())
	}
	for range 2 {
		require.True(t, s.server.crowd.Enter(netip.MustParseAddr("203.0.113.1"), 2), "all have left")
	}
}

// FuzzForgedHeaders puts anything in front of what a trusted proxy adds: the address that it tells stays the one.
func FuzzForgedHeaders(f *testing.F) {
	for _, seed := range []string{"", `"`, "for=", `for="`, "198.51.100.1", `for="[::1]:9";host="a,`, "\\", ",,,",
		";for=", "\t "} {
		f.Add(seed)
	}
	p := proxies{networks: networks("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, front string) {
		if strings.ContainsAny(front, "\r\n\x00") {
			return
		}
		for name, added := range map[string]string{"X-Forwarded-For": ", 203.0.113.9, 10.0.0.2",
			"Forwarded": `, for="203.0.113.9:1";proto=https, for=10.0.0.2`} {
			var h fasthttp.RequestHeader
			h.Set(name, front+added)
			told, agreed := p.read(&h)
			require.Equal(t, "203.0.113.9", told.String(), "%s: %q", name, front)
			require.True(t, agreed)
			h.Set(name, front)
			p.read(&h)
		}
	})
}

// Where the PROXY protocol is agreed, who is no proxy cannot connect.
func TestWhoBeginsWithTheProxyProtocol(t *testing.T) {
	s := newShop(t)
	s.server.proxies.networks = networks("10.0.0.0/8", "127.0.0.2/32")
	for from, want := range map[string]proxyproto.Policy{"10.1.1.1": proxyproto.REQUIRE,
		"127.0.0.2": proxyproto.REQUIRE, "127.0.0.1": proxyproto.SKIP, "::1": proxyproto.SKIP} {
		got, err := s.server.judgePeer(proxyproto.ConnPolicyOptions{
			Upstream: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 1))})
		require.NoError(t, err, from)
		require.Equal(t, want, got, from)
	}
	v := &visitors{from: []string{"203.0.113.1", "10.1.1.1", "2001:db8::1", "127.0.0.1"}}
	l, open := s.server.proxied(v), 0
	for {
		if _, err := l.Accept(); err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		open++
	}
	require.Equal(t, 2, open)
	require.Equal(t, []string{"203.0.113.1", "2001:db8::1"}, v.closed)
}
