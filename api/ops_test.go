package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/api/admin"
	"holdfast/api/ratelimit"
	"holdfast/engine/base"
)

func TestOpsAnswersLocalProgramsOnly(t *testing.T) {
	registry := prometheus.NewRegistry()
	s := NewServer(Options{Now: func() int64 { return noon }, Metrics: registry})
	s.metrics.observe(&operation{metrics: s.metrics.unrouted}, 200, 0)
	var fails error
	ops := admin.New(admin.Options{Metrics: registry, Logger: slog.New(slog.DiscardHandler),
		Backup: func(_ context.Context, w io.Writer) error {
			if fails == nil {
				_, _ = io.WriteString(w, "snapshot")
			}
			return fails
		}})
	server := httptest.NewServer(ops.Handler)
	defer server.Close()
	call := func(method, path string, headers ...string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(method, server.URL+path, nil)
		require.NoError(t, err)
		for i := 0; i < len(headers); i += 2 {
			if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
				req.Host = headers[i+1]
			}
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(body)
	}
	status, body := call("GET", "/metrics")
	require.Equal(t, 200, status)
	require.Contains(t, body, `holdfast_http_requests_total{operation="none",status="200"} 1`)
	status, _ = call("GET", "/debug/pprof/")
	require.Equal(t, 200, status)
	status, body = call("POST", "/backup")
	require.Equal(t, 200, status)
	require.Equal(t, "snapshot", body)
	status, _ = call("GET", "/backup")
	require.Equal(t, 405, status)
	fails = errors.New("disk /data/x is full")
	status, body = call("POST", "/backup")
	require.Equal(t, 500, status)
	require.NotContains(t, body, "/data")

	for _, host := range []string{"localhost", "localhost:8081", "127.0.0.1:8081", "[::1]:8081", "127.9.9.9"} {
		status, _ = call("GET", "/metrics", "Host", host)
		require.Equal(t, 200, status, host)
	}
	for _, host := range []string{"evil.example", "evil.example:8081", "10.0.0.1", "localhost.evil.example",
		"127.0.0.1.evil.example", "0.0.0.0"} {
		status, _ = call("GET", "/metrics", "Host", host)
		require.Equal(t, 403, status, host)
	}
	for _, origin := range []string{"http://localhost:8081", "null", "https://evil.example"} {
		status, _ = call("POST", "/backup", "Origin", origin)
		require.Equal(t, 403, status, origin)
	}
	// A page of another site can make a browser send a plain GET, which has no Origin.
	for site, want := range map[string]int{"none": 200, "same-origin": 200, "cross-site": 403, "same-site": 403,
		"": 200} {
		var headers []string
		if site != "" {
			headers = []string{"Sec-Fetch-Site", site}
		}
		status, _ = call("GET", "/metrics", headers...)
		require.Equal(t, want, status, site)
	}
}

// A client that takes nothing of an answer, or sends nothing of a body, is called off. One that waits for a long call
// is not, and its connection is used again.
func TestOpsCallsOffClientsThatStall(t *testing.T) {
	const most = 200 * time.Millisecond
	ended := make(chan error, 1)
	ops := admin.New(admin.Options{Metrics: prometheus.NewRegistry(), Logger: slog.New(slog.DiscardHandler),
		Stalled: most,
		Backup: func(_ context.Context, w io.Writer) (err error) {
			for piece := make([]byte, 1<<20); err == nil; {
				_, err = w.Write(piece)
			}
			ended <- err
			return err
		},
		Calls: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				ended <- err
				return
			}
			time.Sleep(3 * most)
			ended <- r.Context().Err()
			_, _ = io.WriteString(w, "done")
		})})
	server := httptest.NewServer(ops.Handler)
	defer server.Close()
	for _, request := range []string{"POST /backup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
		"POST /archive HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"} {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(c, request)
		require.NoError(t, err)
		select {
		case err := <-ended:
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		case <-time.After(20 * time.Second):
			t.Error("it is waited for a client that stalls")
		}
		require.NoError(t, c.Close())
	}
	for range 2 {
		res, err := http.Post(server.URL+"/archive", "text/plain", strings.NewReader("whole"))
		require.NoError(t, err)
		require.NoError(t, <-ended, "its caller is still there")
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, "done", string(text))
		require.NoError(t, res.Body.Close())
	}
}

// With a token each call has to bring it; beyond loopback the listener has any name, and a page of a browser is refused
// all the same.
func TestOpsTakesAToken(t *testing.T) {
	const token = "a token of thirty-two characters"
	registry, log := prometheus.NewRegistry(), slog.New(slog.DiscardHandler)
	NewServer(Options{Now: func() int64 { return noon }, Metrics: registry})
	ask := func(server *admin.Server, path string, headers ...string) (int, http.Header) {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "127.0.0.1:8081"
		for i := 0; i < len(headers); i += 2 {
			if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
				r.Host = headers[i+1]
			}
		}
		w := httptest.NewRecorder()
		server.Handler.ServeHTTP(w, r)
		return w.Code, w.Header()
	}
	local := admin.New(admin.Options{Metrics: registry, Logger: log, Token: func() string { return token }})
	remote := admin.New(admin.Options{Metrics: registry, Logger: log, Token: func() string { return token },
		Remote: true})
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/cmdline"} {
		for _, ops := range []*admin.Server{local, remote} {
			for _, bad := range []string{"", token, "Bearer", "Bearer ", "Bearer " + token[1:], "Bearer " + token + " ",
				"bearer " + token, "Basic " + token} {
				status, header := ask(ops, path, "Authorization", bad)
				require.Equal(t, 401, status, "%s %q", path, bad)
				require.Equal(t, "Bearer", header.Get("WWW-Authenticate"))
			}
			status, _ := ask(ops, path, "Authorization", "Bearer "+token)
			require.Equal(t, 200, status)
			for name, value := range map[string]string{"Origin": "https://evil.example",
				"Sec-Fetch-Site": "cross-site"} {
				status, _ = ask(ops, path, "Authorization", "Bearer "+token, name, value)
				require.Equal(t, 403, status)
			}
		}
		status, _ := ask(local, path, "Authorization", "Bearer "+token, "Host", "holdfast.example")
		require.Equal(t, 403, status)
		status, _ = ask(remote, path, "Authorization", "Bearer "+token, "Host", "holdfast.example")
		require.Equal(t, 200, status)
	}

	// Metrics alone: no token, and nothing else.
	figures := admin.NewFigures(registry, log, false)
	for path, want := range map[string]int{"/metrics": 200, "/debug/pprof/": 404, "/accounts": 404, "/keys": 404,
		"/backup": 404, "/": 404} {
		status, _ := ask(figures, path)
		require.Equal(t, want, status, path)
	}
	status, _ := ask(figures, "/metrics", "Host", "holdfast.example")
	require.Equal(t, 403, status)
	status, _ = ask(figures, "/metrics", "Origin", "https://evil.example")
	require.Equal(t, 403, status)
	status, _ = ask(admin.NewFigures(registry, log, true), "/metrics", "Host", "holdfast.example")
	require.Equal(t, 200, status)
}

func TestCheckLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:8081": true, "[::1]:8081": true, "localhost:0": true, "127.1.2.3:1": true,
		"[::ffff:127.0.0.1]:1": true,
		":8081":                false, "0.0.0.0:8081": false, "[::]:8081": false, "10.0.0.1:8081": false,
		"example.com:8081": false,
		"127.0.0.1":        false, "": false,
	} {
		require.Equal(t, want, admin.CheckLoopback(address), address)
	}
}

func TestRequestsAreCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	s := newShop(t)
	list := []operation{serviceOperations[0]}
	s.server.metrics = newMetrics(registry, list, s.server.meters)
	s.server.routes = newRoutes(list)
	s.ok("GET", "/healthz", "")
	s.ok("GET", "/healthz", "")
	s.call("GET", "/nothing", "", "X-API-KEY", "")
	counted, timed := counts(t, registry)
	require.Equal(t, map[string]float64{
		"holdfast_http_requests_total none 404": 1, "holdfast_http_requests_total service.health 200": 2,
		"holdfast_refusals_total NOT_FOUND": 1,
	}, counted)
	series, err := registry.Gather()
	require.NoError(t, err)
	layers := map[string]float64{}
	for _, family := range series {
		if family.GetName() == "holdfast_rate_limited_total" {
			for _, m := range family.GetMetric() {
				layers[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	require.Equal(t, map[string]float64{"ip": 0, "account": 0, "key": 0, "cost": 0, "bytes": 0, "connections": 0},
		layers, "there is nothing to be seen of a first burst else")
	require.Equal(t, []string{"none", "service.health"}, timed, "what is never called has no buckets")
}

// The accounts whose requests took longest are told, and no more than a few.
func TestDearestAccountsAreTold(t *testing.T) {
	registry, meters := prometheus.NewRegistry(), ratelimit.NewMeters()
	newMetrics(registry, nil, meters)
	for i := range 30 {
		account := base.NewID(noon, base.BaseOf([10]byte{8: byte(i)}))
		meters.Of(ratelimit.ID(account)).Spend(int64(time.Duration(i/2) * time.Second))
		meters.Of(ratelimit.ID(account)).Spend(int64(time.Duration(i-i/2) * time.Second))
	}
	counted, _ := counts(t, registry)
	require.Len(t, counted, 10)
	for i := range 10 {
		account := base.NewID(noon, base.BaseOf([10]byte{8: byte(20 + i)}))
		require.EqualValues(t, 20+i, counted["holdfast_account_request_seconds_total "+account.String()])
	}
}

// counts are the counters of a registry that have counted something, by name and labels, and the operations that were
// timed.
func counts(t *testing.T, registry *prometheus.Registry) (counted map[string]float64, timed []string) {
	families, err := registry.Gather()
	require.NoError(t, err)
	counted = map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			if n := m.GetCounter().GetValue(); n > 0 {
				counted[name] = n
			}
			if m.Histogram != nil {
				timed = append(timed, m.GetLabel()[0].GetValue())
			}
		}
	}
	return counted, timed
}
