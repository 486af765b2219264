package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns the shop that the tests play in: the real engine on a file system in memory behind the real server on
// a listener in memory, with a clock that the test owns. Every answer is held against the document, and every refusal
// must leave the state as it was.

const (
	hour = int64(60 * 60 * 1000)
	day  = 24 * hour
	noon = int64(1748779200000) // 2025-06-01T12:00:00Z
)

type shop struct {
	testing.TB
	eng      *engine.Engine
	server   *Server
	listener *fasthttputil.InmemoryListener
	client   *fasthttp.Client
	clock    atomic.Int64
	log      *bytes.Buffer
	account  base.ID
	key      string // full access
	other    string // full access, of another account
}

// timely is a listener in memory whose connections say that they are out of time as real ones do: a patient connection
// looks for that error, and would take another for the end.
type timely struct{ net.Listener }

func (l timely) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return timelyConn{c}, err
}

type timelyConn struct{ net.Conn }

func (c timelyConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, timeless(err)
}

func (c timelyConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, timeless(err)
}

func timeless(err error) error {
	if errors.Is(err, fasthttputil.ErrTimeout) {
		return os.ErrDeadlineExceeded
	}
	return err
}

// long leaves out, where the race detector runs, what is long work of one goroutine.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("long work of one goroutine")
	}
}

func newShop(t testing.TB) *shop {
	s := &shop{TB: t, listener: fasthttputil.NewInmemoryListener(), log: new(bytes.Buffer)}
	s.clock.Store(noon)
	store, err := persist.Open(persist.Options{Dir: "data", FS: vfs.NewMem()})
	require.NoError(t, err)
	var drawn atomic.Uint64
	s.eng, err = engine.Open(context.Background(), engine.Options{
		Store: store, Now: s.clock.Load, Manual: true, Checks: true, Logger: slog.New(slog.DiscardHandler),
		Payload: EventPayload,
		Random: func() (b [10]byte) {
			binary.BigEndian.PutUint64(b[2:], drawn.Add(1)<<20)
			return b
		},
	})
	require.NoError(t, err)
	s.server = NewServer(Options{Now: s.clock.Load, Logger: slog.New(slog.NewTextHandler(s.log, nil))})
	s.server.Attach(s.eng)
	done := make(chan error, 1)
	go func() { done <- s.server.Serve(timely{s.listener}) }()
	s.client = &fasthttp.Client{Dial: func(string) (net.Conn, error) {
		return s.listener.Dial()
	}, MaxIdemponentCallAttempts: 1, DisablePathNormalizing: true}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		require.NoError(t, s.server.Shutdown(context.Background()))
		require.NoError(t, <-done)
		require.NoError(t, s.eng.Close())
		require.NoError(t, store.Close())
	})
	s.account, s.key = s.newAccount("Rental", "11111111")
	_, s.other = s.newAccount("Another", "22222222")
	return s
}

func (s *shop) newAccount(name, keyID string) (id base.ID, key string) {
	id = base.ID{15: keyID[0], 6: 0x70, 8: 0x80}
	_, err := s.eng.Do(engine.Command{Account: id, Actor: "test",
		Op: base.CreateAccount{AccountFields: base.AccountFields{Name: name, Timezone: "Europe/Lisbon"}}})
	require.NoError(s, err)
	return id, s.newKey(id, engine.CreateKey{PublicID: keyID})
}

// newKey makes a key of an account; label and secret are the test's.
func (s *shop) newKey(account base.ID, o engine.CreateKey) string {
	secret := strings.Repeat("s", 32)
	o.Hash, o.Version = sha256.Sum256([]byte(secret)), Version
	if o.Label == "" {
		o.Label = "key " + o.PublicID
	}
	_, err := s.eng.Do(engine.Command{Account: account, Actor: "test", Op: o})
	require.NoError(s, err)
	return "hf_" + o.PublicID + "_" + secret
}

// answer is what came back.
type answer struct {
	*shop
	what   string
	status int
	header map[string]string
	body   []byte
}

// call sends a request with the shop's key, unless a header X-API-KEY is given ("" sends none). Headers are pairs.
func (s *shop) call(method, path, body string, headers ...string) *answer {
	s.Helper()
	var req fasthttp.Request
	var res fasthttp.Response
	req.Header.SetMethod(method)
	req.SetRequestURI("http://shop" + path)
	req.Header.Set("X-API-KEY", s.key)
	if body != "" {
		req.Header.SetContentType("application/json")
		req.SetBodyString(body)
	}
	for i := 0; i < len(headers); i += 2 {
		if i >= 2 && headers[i] == headers[i-2] { // a line more of the same
			req.Header.Add(headers[i], headers[i+1])
			continue
		}
		if req.Header.Del(headers[i]); headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	seq, hash := s.eng.State()
	require.NoError(s, s.client.Do(&req, &res))
	received := slices.Clone(res.Body())
	if len(res.Header.ContentEncoding()) > 0 {
		plain, err := res.BodyUncompressed()
		require.NoError(s, err)
		received = slices.Clone(plain)
	}
	a := &answer{shop: s, what: method + " " + path, status: res.StatusCode(), header: map[string]string{},
		body: received}
	for k, v := range res.Header.All() {
		a.header[string(k)] = string(v)
	}
	a.documented(method, path)
	if a.status >= 400 {
		gotSeq, gotHash := s.eng.State()
		require.Equal(s, [2]uint64{seq, hash}, [2]uint64{gotSeq, gotHash}, "%s: a refusal changed the state", a.what)
		require.Equal(s, "application/problem+json", a.header["Content-Type"])
	}
	require.NotEmpty(s, a.header["X-Request-Id"], a.what)
	require.Equal(s, Version, a.header["X-Api-Version"], a.what)
	require.NotContains(s, a.header, "Server")
	return a
}

// ok sends a request that has to succeed, and returns the record.
func (s *shop) ok(method, path, body string, headers ...string) map[string]any {
	s.Helper()
	a := s.call(method, path, body, headers...)
	require.Equal(s, 200, a.status, "%s: %s", a.what, a.body)
	return a.object()
}

// refused sends a request that has to be refused with a code, and with exactly these faults ("in pointer code").
func (s *shop) refused(status int, code base.Code, method, path, body string, faults ...string) *answer {
	s.Helper()
	a := s.call(method, path, body)
	a.isRefusal(status, code, faults...)
	return a
}

func (a *answer) isRefusal(status int, code base.Code, faults ...string) {
	a.Helper()
	if status != a.status {
		require.Equal(a, status, a.status, "%s: %s\n%s", a.what, a.body, a.log)
	}
	var p struct {
		Code   string
		Errors []struct{ In, Pointer, Code string }
	}
	require.NoError(a, json.Unmarshal(a.body, &p))
	require.Equal(a, string(code), p.Code, "%s: %s", a.what, a.body)
	var got []string
	for _, f := range p.Errors {
		got = append(got, f.In+" "+f.Pointer+" "+f.Code)
	}
	require.Equal(a, strings.Join(faults, "\n"), strings.Join(got, "\n"), "%s: %s", a.what, a.body)
}

func (a *answer) object() map[string]any {
	a.Helper()
	var v any
	require.NoError(a, json.Unmarshal(a.body, &v), "%s: %s", a.what, a.body)
	o, _ := v.(map[string]any)
	return o
}

// at digs a value out of decoded JSON: names and indexes.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

// when writes an instant as requests do.
func when(t int64) string { return string(trimQuotes(wire.AppendInstant(nil, t))) }
