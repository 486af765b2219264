package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// This file owns the tests of what a bench counts; the script bench.txtar runs the command.

func benchOn(t *testing.T, handler http.HandlerFunc) *bench {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	cl, err := newClient(context.Background(), server.URL+"/below", "hf_key", "bench")
	require.NoError(t, err)
	return &bench{benchTarget: &benchTarget{client: cl}, clients: 3, now: time.Now()}
}

// Each path is asked for once that counts, however often the server turns it away.
func TestBenchAsksForEachPath(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	b := benchOn(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.Path]++
		if r.Header.Get("X-API-KEY") != "hf_key" || r.Header.Get("User-Agent") != "holdfast-bench" {
			w.WriteHeader(http.StatusUnauthorized)
		} else if strings.HasSuffix(r.URL.Path, "/3") && seen[r.URL.Path] == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	d, err := b.drive(&requests{method: http.MethodDelete, path: "holds", status: http.StatusOK}, 3, time.Minute,
		func(i int) (string, bool) {
			return "holds/" + string(rune('0'+i)), i < 5
		})
	require.NoError(t, err)
	require.Len(t, d.times, 5)
	require.Equal(t, 1, d.turned)
	require.Equal(t, map[string]int{
		"/below/v1/admin/holds/0": 1, "/below/v1/admin/holds/1": 1, "/below/v1/admin/holds/2": 1,
		"/below/v1/admin/holds/3": 2, "/below/v1/admin/holds/4": 1,
	}, seen)
}

// An answer that is neither expected nor of a limit ends the workload, and is told once.
func TestBenchEndsAtAFault(t *testing.T) {
	b := benchOn(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(`{"code":"MISSING_SCOPE","detail":"no"}`))
	})
	_, err := b.drive(&requests{method: http.MethodGet, path: "articles", status: http.StatusOK}, 3, time.Minute, nil)
	require.EqualError(t, err, "the server answers 403 MISSING_SCOPE: no")
}

// A sample is spread over all pages: the first is in it, and none beyond the last is asked for.
func TestBenchSample(t *testing.T) {
	for _, c := range []struct {
		articles int
		pages    []string
	}{
		{3, []string{"1"}},
		{250, []string{"1"}},
		{500, []string{"1", "2"}},
		{10_000, []string{"1", "6", "11", "16", "21", "26", "31", "36"}},
	} {
		var asked []string
		b := benchOn(t, func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.Query().Get("page"))
			require.Equal(t, "250", r.URL.Query().Get("pageSize"))
			w.Write([]byte(`{"totalCount":` + strconv.Itoa(c.articles) + `,"articles":[
				{"id":"a","sku":{"id":"s"},"articleLocations":[{"serviceLocationId":"l","count":2},{"serviceLocationId":"m","count":0}]},
				{"id":"b","sku":null,"articleLocations":[{"serviceLocationId":"l","count":1}]}]}`))
		})
		all, err := b.items()
		require.NoError(t, err)
		require.Equal(t, c.pages, asked, c.articles)
		require.Equal(t, []benchItem{{"a", "s", "l"}, {"b", "", "l"}}, all[:2])
		require.Len(t, all, 2*len(c.pages))
		skus, err := b.skus()
		require.NoError(t, err)
		require.Len(t, skus, len(c.pages))
	}
}

func TestBenchKeepsTheHoldOfAnAnswer(t *testing.T) {
	s := &ownStock{}
	s.holds = append(s.holds, nil, nil)
	require.NoError(t,
		s.keep(1, []byte(`{"id":"0198a3c0-0000-7000-8000-000000000001","status":"held","lines":[{"id":"x"}]}`)))
	require.Equal(t, "0198a3c0-0000-7000-8000-000000000001", s.holds[1][0].String())
	for _, bad := range []string{"", "{}", `{"id":"short"}`,
		`{"id":"0198a3c0-0000-7000-8000-00000000000z","status":"held"}`} {
		require.ErrorContains(t, s.keep(0, []byte(bad)), "a hold without an id", bad)
	}
	require.Empty(t, s.holds[0])
}

func TestBenchCompares(t *testing.T) {
	r := &benchRun{Results: []benchResult{{Workload: "point", Clients: 2, PerSecond: 300, P50us: 10, P99us: 40},
		{Workload: "sku", PerSecond: 1, P50us: 1, P99us: 1}}}
	saved := &benchRun{Of: "x", Machine: benchMachine{CPUs: 1},
		Results: []benchResult{{Workload: "point", Clients: 4, PerSecond: 200, P50us: 20, P99us: 10}}}
	r.compareWith(saved)
	require.Equal(t, []float64{1.5, 0.5, 4},
		[]float64{r.Results[0].RateTimes, r.Results[0].P50Times, r.Results[0].P99Times})
	require.Zero(t, r.Results[1].RateTimes)
	require.Equal(t, []string{"note: that was another machine", "note: that was another server or directory",
		"note: point had 4 clients there"}, r.differences(saved))
	require.Empty(t, r.differences(r))
}

func TestBenchTimes(t *testing.T) {
	for us, want := range map[float64]string{0.5: "0.50 us", 7.123: "7.12 us", 99.94: "99.9 us", 123.4: "123 us",
		1234: "1.23 ms", 12_345: "12.3 ms", 2e6: "2.00 s"} {
		require.Equal(t, want, inTime(us))
	}
}
