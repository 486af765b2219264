//go:build clients

package clients

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file owns what stands in front of the server and fails, as networks and other programs do.

// unreliable answers a write at its fourth attempt only: the first is carried out and its connection ends without an
// answer, the second is carried out again and answered by a page with 503, the third is refused with 429. The first
// read of each address is answered with 502.
func unreliable(t *testing.T, server string) string {
	t.Helper()
	var mu sync.Mutex
	attempts := map[string]int{}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Idempotency-Key")
		write := id != ""
		if !write {
			id = r.Method + r.RequestURI
		}
		mu.Lock()
		attempts[id]++
		n := attempts[id]
		mu.Unlock()
		forward := func() *http.Response {
			q, err := http.NewRequestWithContext(r.Context(), r.Method, server+r.RequestURI, r.Body)
			if err != nil {
				return nil
			}
			q.Header, q.ContentLength = r.Header, r.ContentLength
			a, err := http.DefaultTransport.RoundTrip(q)
			if err != nil {
				return nil
			}
			return a
		}
		switch {
		case write && n <= 2:
			a := forward()
			if a != nil {
				_, _ = io.Copy(io.Discard, a.Body)
				a.Body.Close()
			}
			if n == 1 {
				panic(http.ErrAbortHandler) // the connection ends
			}
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		case write && n == 3:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case !write && n == 1:
			w.WriteHeader(http.StatusBadGateway)
		default:
			a := forward()
			if a == nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			defer a.Body.Close()
			for name, values := range a.Header {
				w.Header()[name] = values
			}
			w.WriteHeader(a.StatusCode)
			_, _ = io.Copy(w, a.Body)
		}
	}))
	t.Cleanup(func() {
		proxy.Close()
		require.NotEmpty(t, attempts, "nothing went over the proxy")
	})
	return proxy.URL
}
