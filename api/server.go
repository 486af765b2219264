package api

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"holdfast/api/ratelimit"
	"holdfast/engine"
)

// This file owns the public server: its settings, its start and its end.

// MaxConns is how many connections a server has at once where nothing else is said.
const MaxConns = 20_000

// Options are what a server needs from outside. Now is required.
type Options struct {
	Now func() int64 // milliseconds since the epoch
	// Behind is by how much the machine's clock is behind Now, which never goes back; default: not at all. Times that
	// callers compare with their own clocks are given by the machine's clock.
	Behind    func() time.Duration
	Logger    *slog.Logger         // default: slog.Default
	AccessLog bool                 // one line a request; slow requests and errors of ours are logged in any case
	Metrics   *prometheus.Registry // default: one of its own

	Limits Limits         // default: DefaultLimits
	Proxy  []netip.Prefix // networks of proxies that tell whose requests they pass on
	// ProxyProtocol makes each connection of a Proxy begin with the PROXY protocol. Connections of others are closed,
	// except those of this machine.
	ProxyProtocol bool
	Bytes         Bytes // of answers and bodies under way
	// Endpoint says why a webhook's address will not be called, empty where it will; nil: any may be.
	Endpoint func(address string) (why string)
	// Backups says what is not well with the backups that are kept, for /readyz?backup: in words for anybody, without
	// paths or causes, which are for the log. nil: none are kept.
	Backups func() error
	// what expensive reads of an account may cost at once: a page of a list 1, a search 2; default as many as there are
	// cores
	Share int

	MaxConns int // at once; default MaxConns
}

// Server answers the public interface. Until Attach it says that it is not ready.
type Server struct {
	engine    atomic.Pointer[engine.Engine]
	now       func() int64
	behind    func() time.Duration
	log       *slog.Logger
	accessLog bool
	backups   func() error // Options.Backups
	endpoint  func(address string) string
	figures   prometheus.Gatherer
	routes    *routes
	document  *shared
	details   func(q *request, details any) // of offer
	metrics   *metrics
	http      *fasthttp.Server
	stopping  atomic.Bool
	importing sync.Mutex   // held while an archive is imported: one at a time is in memory
	imports   atomic.Int64 // when the import that holds it began
	limits    Limits
	proxies   proxies
	crowd     crowd
	addresses *ratelimit.Addresses
	meters    *ratelimit.Meters
	keeper    keeper
	pins      pins
	pollers   pollers
	room      room // for answers
	bodies    bodies
	shares    shares
	quit      chan struct{} // closed when the server is told to stop
	run       string        // random, the same for all request ids of a run
	count     atomic.Uint64 // of request ids made
}

// The time-outs of a connection. Headers have to arrive within readTimeout of their first byte, so a client that drips
// holds a connection for no longer; a body has the time that bodyTime gives it.
const (
	readTimeout  = 5 * time.Second
	writeTimeout = 10 * time.Second
	idleTimeout  = 60 * time.Second
)

const chunked = -1 // the length of a body in chunks, as the HTTP library says it

// bodyTime is how long a body may take to arrive after its headers: it has to come at 64 KiB a second.
func bodyTime(length int) time.Duration {
	if length == chunked {
		length = bodyLimit // not known
	}
	return readTimeout + time.Duration(min(length, bulkBodyLimit)/(64<<10))*time.Second
}

// offer is what a server serves.
type offer struct {
	operations []operation
	document   func() []byte
	details    func(q *request, details any) // appends the details of a refusal
}

// filled is the options with a default for what is not given.
func (o Options) filled() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	if o.Behind == nil {
		o.Behind = func() time.Duration { return 0 }
	}
	if o.MaxConns == 0 {
		o.MaxConns = MaxConns
	}
	if o.Limits.Plans == nil {
		o.Limits = DefaultLimits()
	}
	if o.Bytes.PerAccount == 0 {
		o.Bytes.PerAccount = 64 << 20
	}
	if o.Bytes.InAll == 0 {
		o.Bytes.InAll = 256 << 20
	}
	if o.Share < searchCost {
		o.Share = defaultShare()
	}
	if o.Backups == nil {
		o.Backups = func() error { return errors.New("no backups are kept") }
	}
	if o.Endpoint == nil {
		o.Endpoint = func(string) string { return "" }
	}
	return o
}

// newServer makes a server of what it is to serve. It listens nowhere yet.
func newServer(o Options, of offer) *Server {
	o = o.filled()
	var run [6]byte
	rand.Read(run[:])
	list := slices.Clone(of.operations)
	s := &Server{
		now: o.Now, behind: o.Behind, log: o.Logger, accessLog: o.AccessLog, run: hex.EncodeToString(run[:]),
		document: newShared("", of.document), details: of.details, backups: o.Backups, endpoint: o.Endpoint,
		limits: o.Limits, addresses: ratelimit.NewAddresses(), meters: ratelimit.NewMeters(),
		keeper: keeper{stop: make(chan struct{})}, quit: make(chan struct{}),
	}
	s.proxies.protocol = o.ProxyProtocol
	s.figures = o.Metrics
	s.proxies.networks, s.metrics = o.Proxy, newMetrics(o.Metrics, list, s.meters)
	s.routes, s.shares.most, s.shares.patience = newRoutes(list), o.Share, shareWait
	s.room.bound, s.bodies.room.bound = o.Bytes, o.Bytes
	o.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_snapshots_held", Help: "Snapshots that are pinned for reads with asOf.",
	}, func() float64 { return float64(s.pins.count()) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_answer_bytes",
		Help: "Bytes of longer answers that are being written, or are under way to their readers.",
	}, func() float64 { return float64(s.room.taken()) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_body_bytes",
		Help: "Bytes of longer bodies of requests that are being read, or are answered.",
	}, func() float64 { return float64(s.bodies.room.taken()) }))
	s.http = &fasthttp.Server{
		Handler:       s.serve,
		ErrorHandler:  s.unreadable,
		ExpectHandler: s.expect,
		HeaderReceived: func(h *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
			if n := h.ContentLength(); n > 0 || n == chunked {
				c.ReadTimeout, c.MaxRequestBodySize = bodyTime(n), s.bodyBound(h)
			}
			return c
		},

		ReadBufferSize:     maxHeader,
		WriteBufferSize:    writeBuffer,
		MaxRequestBodySize: bulkBodyLimit,
		ReadTimeout:        readTimeout,
		WriteTimeout:       writeTimeout,
		IdleTimeout:        idleTimeout,
		Concurrency:        o.MaxConns,

		CloseOnShutdown:              true,
		DisablePreParseMultipartForm: true,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		// Its messages quote headers, and so keys: what matters of them is logged by the chain.
		Logger: log.New(io.Discard, "", 0),
	}
	return s
}

// Attach gives the server its engine: from here on it is ready.
func (s *Server) Attach(e *engine.Engine) {
	s.keepUsage(e)
	s.engine.Store(e)
}

// Serve answers connections of a listener until it is closed or Shutdown is called. After Shutdown it closes the
// listener at once. It may be called for several listeners.
func (s *Server) Serve(l net.Listener) error { return s.http.Serve(s.listener(l)) }

// ServeTLS is Serve with TLS on every connection.
func (s *Server) ServeTLS(l net.Listener, config *tls.Config) error {
	return s.http.Serve(secureListener{s.listener(l), config})
}

func (s *Server) listener(l net.Listener) net.Listener {
	l = &endingListener{Listener: l, server: s}
	if s.proxies.protocol {
		return patientListener{s.proxied(l)}
	}
	return patientListener{countedListener{l, s}}
}

// endingListener ends once the server has been told to stop, and not before: where the system has no room for one more
// connection, it waits for some to end. The library closes the listeners that it knows at the instant of the stop; one
// that comes later would accept connections for ever. It is closed only once, even where both the library and the
// server close it.
type endingListener struct {
	net.Listener
	server *Server
	once   sync.Once
	said   time.Time // when it was last said that there is no room
}

// The pauses of a listener that has no room for a connection, from the first to the longest, and how often it is said.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = time.Second
	saidAgain    = time.Minute
)

func (l *endingListener) Accept() (net.Conn, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		select {
		case <-l.server.quit:
			if err := l.Close(); err != nil {
				return nil, err
			}
			return nil, io.EOF // not a fault
		default:
		}
		c, err := l.Listener.Accept()
		if !passes(err) {
			return c, err
		}
		if time.Since(l.said) > saidAgain {
			l.server.log.Warn("a connection could not be accepted; those that are open are served", "error", err)
			l.said = time.Now()
		}
		select {
		case <-l.server.quit:
		case <-time.After(pause):
		}
	}
}

// passes says that an error of Accept is temporary: open files or memory are used up until other connections end, or
// the client has gone.
func passes(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS) ||
		errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.ECONNABORTED)
}

func (l *endingListener) Close() (err error) {
	l.once.Do(func() { err = l.Listener.Close() })
	return err
}

// Handler is the whole interface as one function, for servers that are set up elsewhere, and for measurements.
func (s *Server) Handler() fasthttp.RequestHandler { return s.serve }

// Admits says whether a request passes all that stands in front of its operation, and charges it: a part of the
// interface, for measurements.
func (s *Server) Admits(ctx *fasthttp.RequestCtx) bool {
	q := s.acquire(ctx, time.Now())
	defer q.release()
	return q.admit() == nil
}

// Shutdown stops accepting, says so on /readyz, and waits for the requests in flight, at most until ctx ends. It is
// called before the engine is closed.
func (s *Server) Shutdown(ctx context.Context) error {
	if !s.stopping.Swap(true) {
		close(s.quit)
	}
	err := s.http.ShutdownWithContext(ctx)
	s.endUsage(ctx)
	return err
}
