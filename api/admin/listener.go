package admin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// This file owns the operator's listener: metrics, profiles, backup, accounts, keys, import and export. It asks for no
// key: it is a socket of the operator's own, or takes a token. It refuses what a browser on the same machine could be
// made to send: a Host that is not loopback, any Origin, and what another site's page asks for.

// Bounds of a call's headers, as those of the interface.
const (
	headerTime = 5 * time.Second
	maxHeader  = 16 << 10
)

// Options say what the operator's listener offers.
type Options struct {
	Metrics *prometheus.Registry
	Logger  *slog.Logger // default: slog.Default
	Calls   http.Handler // what looks after accounts and keys; nil: nothing
	// the token that each call has to bring, looked up at each call; nil: none, for a socket that only the owner may
	// open
	Token  func() string
	Remote bool // it listens on more than loopback, under any name
	// Backup writes a consistent snapshot of the running state as a stream, without holding up writes. An error in the
	// middle breaks the connection, so that the reader cannot take what it has for the whole.
	Backup func(ctx context.Context, w io.Writer) error
	// how long a client may take nothing of an answer, or send nothing of a body; 0: for ever
	Stalled time.Duration
}

// Server is a listener's server. It knows which calls are under way, so that what they use can be taken apart.
type Server struct {
	http.Server
	calls sync.RWMutex // held by each call
	ended bool         // no call begins any more
	cut   context.CancelFunc
}

// Stop takes no more calls, and waits for those under way until ctx ends. Those that are left are cut off then, and it
// waits until they have ended: they read and write what the caller takes apart next. The error is that of ctx where
// calls were cut off.
func (s *Server) Stop(ctx context.Context) error {
	err := s.Shutdown(ctx)
	s.cut()
	err = errors.Join(err, s.Close())
	s.calls.Lock()
	defer s.calls.Unlock()
	s.ended = true
	return err
}

// known has each call known to Stop.
func (s *Server) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.calls.RLock()
		defer s.calls.RUnlock()
		if s.ended { // its request came as the connections were closed
			http.Error(w, "the server stops", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// New makes the operator's server.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("POST /backup", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		sent := &countingWriter{w: w}
		if err := o.Backup(r.Context(), sent); err != nil {
			o.Logger.Error("backup failed", "cause", err)
			if sent.n > 0 {
				panic(http.ErrAbortHandler)
			}
			http.Error(w, "the backup failed: the server's log says why", http.StatusInternalServerError)
		}
	})
	if o.Calls != nil {
		mux.Handle("/accounts", o.Calls)
		mux.Handle("/accounts/", o.Calls)
		mux.Handle("/keys", o.Calls)
		mux.Handle("/keys/", o.Calls)
		mux.Handle("/import/", o.Calls)
		mux.Handle("/export/", o.Calls)
		mux.Handle("/archive", o.Calls)
	}
	return newOpsServer(onlyMeant(o.Remote, withToken(o.Token, patient(o.Stalled, mux))), o.Logger)
}

// NewFigures makes a server of metrics alone. remote says that it listens beyond loopback.
func NewFigures(registry *prometheus.Registry, log *slog.Logger, remote bool) *Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return newOpsServer(onlyMeant(remote, mux), log)
}

func newOpsServer(handler http.Handler, log *slog.Logger) *Server {
	ctx, cut := context.WithCancel(context.Background())
	s := &Server{cut: cut, Server: http.Server{
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}}
	s.Handler = s.known(handler)
	return s
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// CheckLoopback says whether an address to listen on is reachable from this machine alone.
func CheckLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback(host)
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLoopback()
}

// withToken refuses calls that do not bring the token.
func withToken(token func() string, next http.Handler) http.Handler {
	if token == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want := sha256.Sum256([]byte("Bearer " + token()))
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "this listener takes a token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// onlyMeant refuses what does not come from a program that means it, and, on loopback, what calls the listener by
// another name.
func onlyMeant(remote bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		_, foreign := r.Header["Origin"]
		switch r.Header.Get("Sec-Fetch-Site") { // what a browser says of the page that made it ask
		case "", "none", "same-origin":
		default:
			foreign = true
		}
		if foreign || !remote && !loopback(host) {
			http.Error(w, "this listener answers local programs only", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
