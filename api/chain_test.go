package api

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
)

func TestKeys(t *testing.T) {
	s := newShop(t)
	const path = "/v1/admin/account"
	secret := strings.Repeat("s", 32)
	for _, key := range []string{
		"", "x", "hf_11111111_", "hf_11111111_" + strings.Repeat("S", 32), "HF_11111111_" + secret,
		"hf_11111111_" + secret + "s", "hf_99999999_" + secret,
		"hf_22222222" + secret, strings.Repeat("k", 10_000), "hf_11111111_" + strings.Repeat("s", 31) + "t",
	} {
		s.call("GET", path, "", "X-API-KEY", key).isRefusal(401, base.CodeUnauthenticated)
	}
	require.Equal(t, "Another", s.ok("GET", path, "", "X-API-KEY", s.other)["name"])

	soon := noon + 1000
	expiring := s.newKey(s.account, engine.CreateKey{PublicID: "expiring1", ExpiresAt: &soon})
	a := s.call("GET", path, "", "X-API-KEY", expiring)
	require.Equal(t, when(soon), a.header["X-Api-Key-Expires-At"])
	for method, nowhere := range map[string]string{"GET": "/v1/admin/nothing", "DELETE": "/v1/admin/account"} {
		a = s.call(method, nowhere, "", "X-API-KEY", expiring)
		require.Contains(t, []int{404, 405}, a.status)
		require.Equal(t, when(soon), a.header["X-Api-Key-Expires-At"])
		require.Empty(t, s.call(method, nowhere, "", "X-API-KEY",
			"hf_expiring1_"+strings.Repeat("x", 32)).header["X-Api-Key-Expires-At"])
	}
	s.clock.Add(1000)
	s.call("GET", path, "", "X-API-KEY", expiring).isRefusal(401, base.CodeKeyExpired)

	revoked := s.newKey(s.account, engine.CreateKey{PublicID: "revoked11"})
	require.Equal(t, 200, s.call("GET", path, "", "X-API-KEY", revoked).status)
	k, _, _ := s.eng.Key([]byte("revoked11"))
	_, err := s.eng.Do(engine.Command{Account: s.account, Actor: "test", Op: engine.RevokeKey{ID: k.ID}})
	require.NoError(t, err)
	s.call("GET", path, "", "X-API-KEY", revoked).isRefusal(401, base.CodeKeyRevoked)
}

func TestScopes(t *testing.T) {
	s := newShop(t)
	readSKUs := s.newKey(s.account, engine.CreateKey{PublicID: "readskus1", Scopes: []string{"inventory.skus.read"}})
	require.Equal(t, 200, s.call("GET", "/v1/admin/skus", "", "X-API-KEY", readSKUs).status)
	a := s.call("POST", "/v1/admin/skus", `{"nonsense":1}`, "X-API-KEY", readSKUs)
	a.isRefusal(403, base.CodeMissingScope)
	require.Equal(t, []any{"inventory.skus.write"}, at(a.object(), "details", "requiredScopes"))
	writeAll := s.newKey(s.account, engine.CreateKey{PublicID: "writeall1", Scopes: []string{"inventory.write"}})
	require.Equal(t, 200, s.call("POST", "/v1/admin/skus", `{"name":"x"}`, "X-API-KEY", writeAll).status)
	s.call("GET", "/v1/admin/locations", "", "X-API-KEY", writeAll).isRefusal(403, base.CodeMissingScope)
}

// The first of several reasons to refuse wins, in the order of the chain.
func TestPrecedence(t *testing.T) {
	s := newShop(t)
	scopes := s.newKey(s.account, engine.CreateKey{PublicID: "noscope11", Scopes: []string{"customers.read"}})
	wrong := []string{"X-API-KEY", "x", "X-Api-Version", "2024-01", "Content-Type", "text/plain", "Content-Encoding",
		"gzip", "If-Match", `"9"`}
	call := func(method, path, body string) *answer { return s.call(method, path, body, wrong...) }
	set := func(name, value string) {
		for i := 0; i < len(wrong); i += 2 {
			if wrong[i] == name {
				wrong[i+1] = value
			}
		}
	}
	const sku = "/v1/admin/skus/0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e"
	call("PATCH", "/v1/admin/nothing", `{`).isRefusal(404, base.CodeNotFound)
	a := call("PUT", sku, `{`)
	a.isRefusal(405, base.CodeMethodNotAllowed)
	require.Equal(t, "DELETE, GET, HEAD, PATCH", a.header["Allow"])
	call("PATCH", sku, `{`).isRefusal(401, base.CodeUnauthenticated)
	set("X-API-KEY", scopes)
	call("PATCH", sku, `{`).isRefusal(400, base.CodeVersion)
	set("X-Api-Version", Version)
	call("PATCH", sku, `{`).isRefusal(403, base.CodeMissingScope)
	set("X-API-KEY", s.key)
	call("PATCH", sku, `{`).isRefusal(415, base.CodeMediaType)
	set("Content-Type", "application/json; charset=utf-8")
	call("PATCH", sku, `{`).isRefusal(415, base.CodeMediaType)
	set("Content-Encoding", "")
	call("PATCH", sku, `{`+strings.Repeat(" ", bodyLimit)).isRefusal(413, base.CodeBodyTooLarge)
	call("PATCH", sku+"?x=1", `{"name":"","y":0}`).
		isRefusal(400, base.CodeInvalid, "query x unknown", "body /name length", "body /y unknown")
	call("PATCH", sku, `{"name":"n"}`).isRefusal(404, base.CodeNotFound)
}

func TestPathsAndHeaders(t *testing.T) {
	s := newShop(t)
	for _, path := range []string{"/v1/admin/account", "/v1/admin/account/"} {
		a := s.call("GET", path, "")
		require.Equal(t, 200, a.status)
		require.Equal(t, "application/json", a.header["Content-Type"])
		require.Equal(t, "nosniff", a.header["X-Content-Type-Options"])
		require.Contains(t, a.header["Content-Security-Policy"], "default-src 'none'")
	}
	for _, path := range []string{"/v1/admin/account//", "//v1/admin/account", "/v1/admin/Account",
		"/v1/admin/x/../account", "/v1/admin/acc%6Funt", "/v1/admin/locations/a/b"} {
		s.refused(404, base.CodeNotFound, "GET", path, "")
	}
	require.Equal(t, "GET, HEAD, PATCH",
		s.refused(405, base.CodeMethodNotAllowed, "DELETE", "/v1/admin/account", "").header["Allow"])
	require.Equal(t, "GET, HEAD, POST",
		s.refused(405, base.CodeMethodNotAllowed, "OPTIONS", "/v1/admin/locations/", "").header["Allow"])

	for _, id := range []string{"a", "A.b_c-9", strings.Repeat("x", 128)} {
		require.Equal(t, id, s.call("GET", "/v1/admin/account", "", "X-Request-Id", id).header["X-Request-Id"])
	}
	seen := map[string]bool{}
	for _, id := range []string{"", "a b", "é", "a\"b", strings.Repeat("x", 129), "<script>", "a~",
		"[a]", "@"} {
		got := s.call("GET", "/v1/admin/account", "", "X-Request-Id", id).header["X-Request-Id"]
		require.NotEqual(t, id, got)
		require.False(t, seen[got])
		seen[got] = true
	}
}

func TestMediaTypes(t *testing.T) {
	s := newShop(t)
	const body = `{"name":"x","timezone":"UTC"}`
	for _, good := range []string{"application/json", "Application/JSON", "application/json;charset=utf-8",
		`application/json; charset="UTF-8"`} {
		require.Equal(t, 200, s.call("POST", "/v1/admin/locations", body, "Content-Type", good).status, good)
	}
	for _, bad := range []string{"text/json", "application/jsonx", "application/json; charset=latin1",
		"multipart/form-data; boundary=x", "application/x-www-form-urlencoded"} {
		s.call("POST", "/v1/admin/locations", body, "Content-Type", bad).isRefusal(415, base.CodeMediaType)
	}
	for _, encoding := range []string{"gzip", "br", "zstd", "identity, gzip"} {
		s.call("POST", "/v1/admin/locations", body, "Content-Encoding", encoding).isRefusal(415, base.CodeMediaType)
	}
	s.call("POST", "/v1/admin/locations", "").
		isRefusal(400, base.CodeInvalid, "body /name required", "body /timezone required")
}

func TestBodySizes(t *testing.T) {
	s, _, sku, _, _ := stocked(t)
	padded := func(n int) string {
		body := `{"name":"x","timezone":"UTC"}`
		return body + strings.Repeat(" ", n-len(body))
	}
	require.Equal(t, 200, s.call("POST", "/v1/admin/locations", padded(bodyLimit)).status)
	for _, n := range []int{bodyLimit + 1, bulkBodyLimit, bulkBodyLimit + 1, 10 << 20} {
		s.refused(413, base.CodeBodyTooLarge, "POST", "/v1/admin/locations", padded(n))
	}
	query := `{"lines":[{"skuId":"` + sku + `","from":"2025-06-02T12:00:00Z"}]}`
	require.Equal(t, 200,
		s.call("POST", "/v1/admin/availability/query", query+strings.Repeat(" ", bulkBodyLimit-len(query))).status)
	s.refused(413, base.CodeBodyTooLarge, "POST", "/v1/admin/availability/query",
		query+strings.Repeat(" ", bulkBodyLimit))
	// What is refused for other reasons is, whatever the size.
	s.call("POST", "/v1/admin/locations", padded(10<<20), "X-API-KEY", "").isRefusal(401, base.CodeUnauthenticated)
	s.refused(404, base.CodeNotFound, "POST", "/v1/nothing", padded(10<<20))
}

func TestNotReady(t *testing.T) {
	s := newShop(t)
	require.Equal(t, "ready", s.ok("GET", "/readyz", "", "X-API-KEY", "")["status"])
	s.server.engine.Store(nil)
	require.Equal(t, "ok", s.ok("GET", "/healthz", "", "X-API-KEY", "")["status"])
	s.refused(503, base.CodeNotReady, "GET", "/readyz", "")
	require.NotEmpty(t, s.refused(503, base.CodeNotReady, "GET", "/v1/admin/account", "").header["Retry-After"])
	s.server.Attach(s.eng)
	s.ok("GET", "/v1/admin/account", "")
}

// A server that is told to stop before it was handed its listener, as one that is stopped while it starts, does not
// accept for good.
func TestListenerBehindTheStop(t *testing.T) {
	for name, serve := range map[string]func(*Server, net.Listener) error{
		"plain":          (*Server).Serve,
		"with TLS":       func(s *Server, l net.Listener) error { return s.ServeTLS(l, &tls.Config{}) },
		"behind a proxy": (*Server).Serve,
	} {
		t.Run(name, func(t *testing.T) {
			s := NewServer(Options{Now: func() int64 { return noon }, Logger: slog.New(slog.DiscardHandler),
				ProxyProtocol: name == "behind a proxy"})
			require.NoError(t, s.Shutdown(t.Context()))
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() { ended <- serve(s, l) }()
			select {
			case err := <-ended:
				require.NoError(t, err)
			case <-time.After(10 * time.Second):
				require.Fail(t, "the server goes on")
			}
			require.ErrorIs(t, l.Close(), net.ErrClosed, "the listener is closed")
		})
	}
}

// fullListener has no room for the first connections.
type fullListener struct {
	net.Listener
	full atomic.Int32
}

func (l *fullListener) Accept() (net.Conn, error) {
	if l.full.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return l.Listener.Accept()
}

// A server that has as many files open as it may goes on with what it has, and accepts again once others have ended.
func TestListenerWithoutRoom(t *testing.T) {
	var said bytes.Buffer
	s := NewServer(Options{Now: func() int64 { return noon }, Logger: slog.New(slog.NewTextHandler(&said, nil))})
	memory := fasthttputil.NewInmemoryListener()
	l := &fullListener{Listener: memory}
	l.full.Store(3)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	client := fasthttp.Client{Dial: func(string) (net.Conn, error) { return memory.Dial() }}
	status, _, err := client.GetTimeout(nil, "http://holdfast/healthz", 10*time.Second)
	require.NoError(t, err)
	require.Equal(t, 200, status)
	client.CloseIdleConnections()
	require.NoError(t, s.Shutdown(t.Context()))
	require.NoError(t, <-ended)
	require.Equal(t, 1, strings.Count(said.String(), "too many open files"), "it is said once: %s", said.String())
}

// TestPanicTellsNothing holds invariant 5.
func TestPanicTellsNothing(t *testing.T) {
	s := newShop(t)
	broken := read(operation{id: "test.panic", method: "GET", path: "/panic", access: anyKey, answer: wire.NullSchema},
		input[none]{},
		func(q *request, _ *none) error {
			q.Out = append(q.Out, "half an answer"...)
			panic("the secret cause")
		})
	list := []operation{broken}
	list[0].metrics = s.server.metrics.unrouted
	s.server.routes = newRoutes(list)
	a := s.refused(500, base.CodeInternal, "GET", "/panic", "")
	require.NotContains(t, string(a.body), "secret")
	require.NotContains(t, string(a.body), "half")
	require.NotContains(t, string(a.body), ".go")
	require.Contains(t, s.log.String(), "the secret cause")
	require.Equal(t, 500, s.call("GET", "/panic", "").status, "the next request on the connection is served")
}

// What a handler reads is overwritten as soon as it has answered: nothing that was kept may change with it. It holds
// invariant 1.
func TestNothingOutlivesItsRequest(t *testing.T) {
	s := newShop(t)
	serve := s.server.http.Handler
	s.server.http.Handler = func(ctx *fasthttp.RequestCtx) {
		serve(ctx)
		poison := func(b []byte) {
			for i := range b[:cap(b)] {
				b[:cap(b)][i] = '!'
			}
		}
		poison(ctx.Request.Body())
		poison(ctx.URI().QueryString())
		poison(ctx.Request.Header.RawHeaders())
		for k, v := range ctx.Request.Header.All() {
			if string(k) != "Connection" {
				poison(v)
			}
		}
	}
	l := s.ok("POST", "/v1/admin/locations",
		`{"name":"kept \u00e9 name","timezone":"UTC","address":{"city":"kept city"}}`, "Idempotency-Key", "kept-key")
	sku := s.ok("POST", "/v1/admin/skus", `{"name":"kept sku","code":"kept-code","description":"kept text"}`)
	article := s.ok("POST", "/v1/admin/articles",
		`{"name":"kept article","codes":["kept-1","kept-2"],"condition":"kept","skuId":"`+sku["id"].(string)+
			`","quantities":[{"serviceLocationId":"`+l["id"].(string)+`","count":1}]}`)
	hold := s.ok("POST", "/v1/admin/holds",
		strings.Replace(s.holdBody("sku", sku["id"].(string), l["id"].(string), noon, noon+day, 1), "{",
			`{"note":"kept note",`, 1))
	s.ok("PATCH", "/v1/admin/skus/"+sku["id"].(string), `{"description":"kept too"}`)
	for range 3 {
		require.Equal(t, l, s.ok("GET", "/v1/admin/locations/"+l["id"].(string), ""))
		require.Equal(t, "kept too", s.ok("GET", "/v1/admin/skus/"+sku["id"].(string), "")["description"])
		got := s.ok("GET", "/v1/admin/articles/"+article["id"].(string), "")
		require.Equal(t, article["codes"], got["codes"])
		require.Equal(t, "kept", got["condition"])
		require.Equal(t, "kept note", s.ok("GET", "/v1/admin/holds/"+hold["id"].(string), "")["note"])
		require.Equal(t, "true", s.call("POST", "/v1/admin/locations",
			`{"name":"kept \u00e9 name","timezone":"UTC","address":{"city":"kept city"}}`,
			"Idempotency-Key", "kept-key").header["Idempotent-Replayed"])
	}
	require.NoError(t, s.eng.Check())
}

func TestCompression(t *testing.T) {
	s, _, sku, _, _ := stocked(t)
	long := "/v1/admin/articles"
	text := s.call("GET", long, "").body
	for header, want := range map[string]string{
		"gzip": "gzip", "zstd": "zstd", "gzip, zstd": "zstd", "gzip;q=1, zstd;q=0.5": "gzip", "*": "zstd",
		"GZIP": "gzip", "br": "", "gzip;q=0": "", "identity": "",
		"*;q=0, gzip": "gzip", "gzip;q=2": "", "": "", "zstd;q=0, *": "gzip",
	} {
		a := s.call("GET", long, "", "Accept-Encoding", header)
		require.Equal(t, want, a.header["Content-Encoding"], header)
		require.Equal(t, string(text), string(a.body), header)
		require.Equal(t, "Accept-Encoding", a.header["Vary"])
	}
	require.NotContains(t, s.call("GET", "/v1/admin/account", "", "Accept-Encoding", "gzip").header, "Content-Encoding",
		"too short to pay")

	path := "/v1/admin/skus/" + sku
	s.ok("PATCH", path, `{"description":"`+strings.Repeat("long ", 300)+`"}`)
	tag := s.call("GET", path, "", "Accept-Encoding", "gzip").header["Etag"]
	require.Equal(t, `"2-gzip"`, tag)
	for _, held := range []string{tag, `"2-zstd"`, `"2"`} {
		a := s.call("GET", path, "", "If-None-Match", held)
		require.Equal(t, 304, a.status)
		require.Equal(t, held, a.header["Etag"], "of the answer that the caller has")
		require.Equal(t, "Accept-Encoding", a.header["Vary"])
	}
	require.Equal(t, 200, s.call("PATCH", path, `{}`, "If-Match", tag).status)

	// Lines of one header are one list; a key for idempotency is one.
	require.Equal(t, 200, s.call("PATCH", path, `{}`, "If-Match", `"x"`, "If-Match", tag).status)
	s.call("PATCH", path, `{}`, "If-Match", `"x"`, "If-Match", `"7"`).isRefusal(412, base.CodePrecondition)
	s.call("PATCH", path, `{}`, "If-Match", " ").isRefusal(412, base.CodePrecondition)
	s.call("PATCH", path, `{}`, "Idempotency-Key", "a", "Idempotency-Key", "b").
		isRefusal(400, base.CodeInvalid, "header Idempotency-Key duplicate")
}

// A record is the same however its id is spelled, so that a key does nothing to it twice.
func TestAKeyIsForTheRecordHoweverItIsSpelled(t *testing.T) {
	s := newShop(t)
	location := s.ok("POST", "/v1/admin/locations", `{"name":"x","timezone":"UTC"}`)["id"].(string)
	made := s.ok("POST", ordersPath, `{"pickupLocationId":"`+location+`"}`)["id"].(string)
	for i, key := range []string{"first", "second", "third"} { // of which each spelling is the first
		spelled := []string{made, strings.ToUpper(made), strings.ReplaceAll(made, "-", "%2d")}
		for j := range spelled {
			a := s.call("POST", ordersPath+"/"+spelled[(i+j)%3]+"/payments", `{"kind":"capture","amount":5}`,
				"Idempotency-Key", key)
			require.Equal(t, 200, a.status, "%s", a.body)
			require.Equal(t, 5.0*float64(i+1), a.object()["capturedTotal"], a.what)
			require.Equal(t, map[bool]string{true: "true"}[j > 0], a.header["Idempotent-Replayed"], a.what)
		}
	}
	other := s.ok("POST", ordersPath, `{"pickupLocationId":"`+location+`"}`)["id"].(string)
	require.Equal(t, 5.0, s.ok("POST", ordersPath+"/"+strings.ToUpper(other)+"/payments",
		`{"kind":"capture","amount":5}`, "Idempotency-Key", "first")["capturedTotal"])
}
