package webhook

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/engine/base"
	"holdfast/engine/outbox"
)

// This file holds the client against addresses that lead where nobody but the operator may call.

var privateAddresses = strings.Fields(`
	0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.255
	169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1
	192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
	:: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1
	64:ff9b::169.254.169.254 64:ff9b:1::8.8.8.8 100::1 2001::1 2001:0:7f00:1::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:a00:1::1 2002:a9fe:a9fe::1 2002:808:808::1
	2620:4f:8000::1 3fff::1 5f00::1 fc00::1 fd00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 ff0e::1 4000::1 1::1`)

var publicAddresses = strings.Fields(`
	1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0
	192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700:4700::1111 2a00:1450:4001:81a::200e 2400:cb00::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8`)

func TestAddresses(t *testing.T) {
	var g guard
	dialled := func(a netip.Addr, port uint16) error {
		network := "tcp4"
		if a.Is6() {
			network = "tcp6"
		}
		return g.check(network, netip.AddrPortFrom(a, port).String())
	}
	require.Greater(t, len(privateAddresses), 60)
	for _, text := range privateAddresses {
		require.Error(t, dialled(netip.MustParseAddr(text), 443), text)
	}
	for _, text := range publicAddresses {
		a := netip.MustParseAddr(text)
		require.NoError(t, dialled(a, 443), text)
		for _, port := range []uint16{0, 22, 80, 444, 6379, 8443} {
			require.Error(t, dialled(a, port), "%s:%d", text, port)
		}
	}
	require.Error(t, g.check("tcp6", "[2606:4700::1%eth0]:443"), "with a zone")
	require.Error(t, g.check("udp4", "8.8.8.8:443"))
	require.Error(t, g.check("unix", "/run/docker.sock"))
	require.Error(t, g.check("tcp4", "8.8.8.8"))

	g.allowed = prefixes("10.1.0.0/16", "fd00:1::/32")
	for text, want := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false,
		"fd00:1::5": true, "fd00:2::5": false, "127.0.0.1": false} {
		for _, port := range []uint16{443, 8443, 80} {
			require.Equal(t, want, dialled(netip.MustParseAddr(text), port) == nil, "%s:%d", text, port)
		}
	}
	require.NoError(t, dialled(netip.MustParseAddr("8.8.8.8"), 443))
	require.Error(t, dialled(netip.MustParseAddr("8.8.8.8"), 8443))
}

// names is a name server. It tells of each name what it is told to, by how often the name was asked for.
type names struct {
	mu    sync.Mutex
	asked map[string]int
	tell  func(name string, n int) []string
}

func resolver(tell func(name string, n int) []string) *net.Resolver {
	s := &names{asked: map[string]int{}, tell: tell}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go s.serve(server)
		return client, nil
	}}
}

// serve answers one question, as over TCP: with its length in front.
func (s *names) serve(c net.Conn) {
	defer c.Close()
	var length [2]byte
	if _, err := io.ReadFull(c, length[:]); err != nil {
		return
	}
	q := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(c, q); err != nil {
		return
	}
	var labels []string
	at := 12
	for q[at] != 0 {
		labels = append(labels, string(q[at+1:at+1+int(q[at])]))
		at += 1 + int(q[at])
	}
	kind := binary.BigEndian.Uint16(q[at+1:])
	name := strings.ToLower(strings.Join(labels, "."))
	s.mu.Lock()
	if kind == 1 {
		s.asked[name]++
	}
	n := max(1, s.asked[name])
	s.mu.Unlock()
	var answers [][]byte
	for _, text := range s.tell(name, n) {
		a := netip.MustParseAddr(text)
		if a.Is4() == (kind == 1) {
			answers = append(answers, a.AsSlice())
		}
	}
	r := append([]byte(nil), q[:2]...)
	r = append(r, 0x81, 0x80, 0, 1, 0, byte(len(answers)), 0, 0, 0, 0)
	r = append(r, q[12:at+5]...)
	for _, data := range answers {
		r = append(r, 0xc0, 12, byte(kind>>8), byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(data)))
		r = append(r, data...)
	}
	c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(r))), r...))
}

// call makes one attempt, past what is checked when a webhook is made.
func call(client *http.Client, raw string) outbox.Attempt {
	return attempt(context.Background(), client, noon, base.ID{1},
		&outbox.Call{URL: raw, Secrets: []string{drawSecret()}, Body: []byte("{}")})
}

// Every way to write an inner address, and every name that leads to one, ends where the address is dialled or before.
func TestNoWayToInnerAddresses(t *testing.T) {
	s := newShop(t)
	r := s.receive(nil)
	u, err := url.Parse(r.URL)
	require.NoError(t, err)
	port := u.Port()
	// A name server that reads numbers as some systems do, and has inner addresses under every other name.
	inner := map[string]string{
		"metadata.test": "169.254.169.254", "ten.test": "10.0.0.1", "six.test": "::1",
		"mapped.test": "::ffff:127.0.0.1", "ula.test": "fd00::1", "nat64.test": "64:ff9b::7f00:1",
		"teredo.test": "2001:0:7f00:1::1", "sixtofour.test": "2002:7f00:1::1", "zero.test": "0.0.0.0",
		"cgn.test": "100.64.0.1", "link.test": "fe80::1", "broadcast.test": "255.255.255.255",
	}
	client := NewClient(ClientOptions{Roots: s.roots, Resolver: resolver(func(name string, _ int) []string {
		if a := inner[name]; a != "" {
			return []string{a}
		}
		return []string{"127.0.0.1"}
	})})
	hosts := strings.Fields(`
		127.0.0.1 127.0.0.2 127.1 127.0.1 0 0.0.0.0 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 017700000001 0177.0.0.1 0177.0.0.01 127.0.0.01 127.000.000.001 00000177.0.0.1 0x7F.0x0.0x0.0x1
		1.0.0.127.in-addr.arpa localhost localhost. LOCALHOST localhost.localdomain 127.0.0.1. 127.0.0.1.nip.test receiver.test receiver.test. RECEIVER.TEST 10.0.0.1 192.168.1.1 172.16.0.1
		169.254.169.254 169.254.169.254. 0xa9fea9fe 2852039166 0251.0376.0251.0376 metadata.test metadata.test. ten.test six.test mapped.test ula.test nat64.test teredo.test
		sixtofour.test zero.test cgn.test link.test broadcast.test 100.64.0.1 198.18.0.1 224.0.0.1 255.255.255.255
		[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [2002:7f00:1::]
		[2001:0:7f00:1::1] [fe80::1] [fe80::1%25lo] [::1%25lo] [fd00::1] [fd00:ec2::254] [ff02::1] [fec0::1] ①②⑦.⓪.⓪.① 127。0。0。1 xn--localhost`)
	require.Greater(t, len(hosts), 60)
	n := 0
	for _, host := range hosts {
		for _, at := range []string{host, host + ":" + port, host + ":443"} {
			a := call(client, "https://"+at+"/")
			require.Contains(t, []string{"the host has no address that may be called", "the connection failed"},
				a.Error, at)
			require.Zero(t, a.Status, at)
			n++
		}
	}
	// Addresses that say one thing to a person and another to a parser.
	for _, raw := range []string{
		"http://receiver.test:" + port + "/", "HTTP://127.0.0.1:" + port + "/", "ftp://127.0.0.1/",
		"file:///etc/passwd", "gopher://127.0.0.1:" + port + "/", "//127.0.0.1/", "127.0.0.1", "",
		"https://example.com@127.0.0.1:" + port + "/", "https://user:pass@127.0.0.1:" + port + "/",
		"https://127.0.0.1:" + port + "#@example.com/", "https://127.0.0.1:" + port + "?@example.com/",
		"https://example.com\\@127.0.0.1:" + port + "/", "https://127.0.0.1:" + port + "\\.example.com/",
		"https://127.0.0.1:" + port + "%2f@example.com/", "https:///127.0.0.1/", "https://:" + port + "/",
		"https://127.0.0.1\t:" + port + "/", "https://127.0.0.1%0d%0aHost:example.com/",
		"https://[127.0.0.1]:" + port + "/", "https://[::ffff:127.0.0.1%25lo]:" + port + "/",
	} {
		a := call(client, raw)
		require.NotEmpty(t, a.Error, raw)
		require.Zero(t, a.Status, raw)
		n++
	}
	require.Empty(t, r.requests())
	require.Greater(t, n, 60)
	t.Logf("%d addresses", n)
	a := call(s.client, r.URL)
	require.Equal(t, 200, a.Status, "the receiver is there for those who may: %s", a.Error)
}

// A name that leads to a good address first and to an inner one after is refused where it leads then.
func TestRebinding(t *testing.T) {
	s := newShop(t)
	r := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	u, err := url.Parse(r.URL)
	require.NoError(t, err)
	good := netip.MustParsePrefix("127.0.0.1/32") // in the place of a public address
	client := func(tell func(name string, n int) []string) *http.Client {
		return NewClient(ClientOptions{Roots: s.roots, Allow: []netip.Prefix{good}, Resolver: resolver(tell)})
	}
	c := client(func(_ string, n int) []string { return [][]string{{"127.0.0.1"}, {"127.0.0.2"}}[min(n, 2)-1] })
	raw := fmt.Sprintf("https://receiver.test:%s/", u.Port())
	require.Equal(t, 200, call(c, raw).Status)
	require.Equal(t, "the host has no address that may be called", call(c, raw).Error)
	require.Len(t, r.requests(), 1)
	// Nor is the next address of the same answer taken where the first one does not answer.
	c = client(func(string, int) []string { return []string{"127.0.0.2", "127.0.0.3", "10.0.0.1"} })
	require.Equal(t, "the host has no address that may be called", call(c, raw).Error)
	// A public address in the answer does not vouch for the others.
	dead := fmt.Sprintf("https://receiver.test:%d/", 1)
	c = client(func(string, int) []string { return []string{"127.0.0.1", "127.0.0.2"} })
	require.NotEmpty(t, call(c, dead).Error)
	require.Len(t, r.requests(), 1)
}

// A redirect is not followed, wherever it leads.
func TestRedirects(t *testing.T) {
	s := newShop(t)
	behind := s.receive(nil)
	for _, to := range []string{behind.URL, "http://169.254.169.254/latest/meta-data/", "https://127.0.0.1/",
		"//10.0.0.1/", "/again", "file:///etc/passwd", "https://example.com/"} {
		for _, code := range []int{301, 302, 303, 307, 308} {
			r := s.receive(func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", to)
				w.WriteHeader(code)
			})
			a := call(s.client, r.URL)
			require.Equal(t, [2]any{code, "a redirect is not followed"}, [2]any{a.Status, a.Error})
			require.Len(t, r.requests(), 1)
		}
	}
	require.Empty(t, behind.requests())
}

// A proxy of the environment is not asked.
func TestNoProxy(t *testing.T) {
	s := newShop(t)
	proxy := s.receive(nil)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	t.Setenv("https_proxy", proxy.URL)
	c := NewClient(ClientOptions{Roots: x509.NewCertPool(), Allow: prefixes("127.0.0.0/8"),
		Resolver: resolver(func(string, int) []string { return []string{"10.0.0.1"} })})
	require.Equal(t, "the host has no address that may be called", call(c, "https://example.com/").Error)
	require.Empty(t, proxy.requests())
}
