package main

// This file owns how the program is put together: store, then engine, then the servers and what calls webhooks; and
// taken apart in reverse.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/api"
	listener "holdfast/api/admin"
	"holdfast/api/webhook"
	"holdfast/engine"
	"holdfast/persist"
	"holdfast/persist/backup"
)

// core is an open data directory and the engine on it.
type core struct {
	store  *persist.Store
	engine *engine.Engine
}

// openCore opens a data directory, or makes one, and builds the state. It returns when all that became due is done. The
// log stays as long as it is: how far back it goes is for serve to say.
func openCore(ctx context.Context, dir string, o engine.Options, log *slog.Logger) (*core, error) {
	store, err := openStore(dir, persist.Keep{All: true}, o, log)
	if err != nil {
		return nil, err
	}
	c, err := openEngine(ctx, store, o, log)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return c, nil
}

// openStore opens a data directory, or makes one. The clock begins no earlier than the log ends.
func openStore(dir string, keep persist.Keep, o engine.Options, log *slog.Logger) (*persist.Store, error) {
	if o.Phase != nil {
		o.Phase("opens the store and checks its log")
	}
	each := storeMemory(debug.SetMemoryLimit(-1))
	store, err := persist.Open(persist.Options{Dir: dir, KeepLog: keep, Logger: log, CacheSize: each,
		MemTableSize: uint64(each), Tables: shareFiles(filesAtOnce()).tables})
	if err != nil {
		return nil, err
	}
	if behind := store.End().At - o.Now(); behind > clockMayDiffer.Milliseconds() {
		log.Warn("the machine's clock is behind the last change: time goes on from there, by what passes since",
			"seconds", behind/1000)
	}
	steady.notBefore(store.End().At)
	return store, nil
}

// openEngine builds the state of a store.
func openEngine(ctx context.Context, store *persist.Store, o engine.Options, log *slog.Logger) (*core, error) {
	began := time.Now()
	o.Store, o.Random, o.Logger, o.Payload = store, randomBase, log, api.EventPayload
	o.Stopwatch = func() time.Duration { return time.Since(began) }
	e, err := engine.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &core{store: store, engine: e}, nil
}

func randomBase() (b [10]byte) {
	rand.Read(b[:])
	return b
}

// Close finishes the commands under way and gives the directory back.
func (c *core) Close() error { return errors.Join(c.engine.Close(), c.store.Close()) }

// program is a server that runs.
type program struct {
	config  serveConfig
	log     *slog.Logger
	public  *api.Server
	ops     *listener.Server
	figures *listener.Server
	socket  bool                         // there is one in the data directory
	core    atomic.Pointer[core]         // nil while the state is loaded
	ended   chan error                   // of a listener that stopped by itself
	client  *http.Client                 // that calls webhooks
	hooks   *webhook.Dispatcher          // nil while the state is loaded
	habit   atomic.Pointer[backup.Habit] // nil while the state is loaded, or where no backups are kept
	phase   atomic.Value                 // string: what loading does now
	memory  memoryWatch
	unwind  context.CancelFunc // ends what watches clock and memory
}

// start binds the addresses, loads the state and serves. Until the state is loaded the server answers, and says that it
// is not ready. A first run says on out what it has made, before the first request is served.
func start(ctx context.Context, c serveConfig, limits api.Limits, hooks webhook.ClientOptions, out io.Writer,
	log *slog.Logger) (*program, error) {
	public, err := net.Listen("tcp", c.network.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	// the socket is made when the directory is open
	opsAt, ops := "unix:"+filepath.Join(c.data, socketName), net.Listener(nil)
	if c.ops.listen != "" {
		if ops, err = c.ops.open(c.pair); err != nil {
			return nil, errors.Join(fmt.Errorf("--ops-listen: %w", err), public.Close())
		}
		opsAt = c.ops.url(ops, c.pair)
	}
	var figures net.Listener
	if c.ops.metrics != "" {
		if figures, err = net.Listen("tcp", c.ops.metrics); err != nil {
			err = errors.Join(fmt.Errorf("--metrics-listen: %w", err), public.Close())
			if ops != nil {
				err = errors.Join(err, ops.Close())
			}
			return nil, err
		}
	}
	registry := prometheus.NewRegistry()
	files := shareFiles(filesAtOnce())
	hooks.Idle = files.idle
	p := &program{config: c, log: log, ended: make(chan error, 3), client: webhook.NewClient(hooks)}
	registerProcess(registry, &p.memory)
	watched, unwind := context.WithCancel(context.WithoutCancel(ctx))
	p.unwind = unwind
	go steady.watch(watched, time.Tick(time.Second), log)
	go p.memory.keep(watched, time.Tick(memoryLook), log)
	p.public = api.NewServer(api.Options{Now: clock, Behind: behind, Logger: log, AccessLog: c.accessLog,
		Metrics: registry, Limits: limits, Proxy: c.proxies, MaxConns: files.conns,
		ProxyProtocol: c.network.protocol, Backups: p.backups, Endpoint: hooks.Refuses})
	var token func() string
	if c.ops.token != nil {
		token = c.ops.token.get
	}
	p.ops = listener.New(listener.Options{
		Metrics: registry, Logger: log, Calls: p.public.Admin(), Backup: p.backup, Token: token,
		Stalled: backup.Stalled,
		Remote:  c.ops.listen != "" && !listener.CheckLoopback(c.ops.listen),
	})
	p.figures = listener.NewFigures(registry, log, !listener.CheckLoopback(c.ops.metrics))
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	go readAgain(watched, c.pair, c.ops.token, time.Tick(certificateLook), asked, log)
	at := localURL("http", public.Addr().String())
	if c.pair != nil {
		at = localURL("https", public.Addr().String())
		go func() { p.ended <- p.public.ServeTLS(public, c.pair.config()) }()
	} else {
		go func() { p.ended <- p.public.Serve(public) }()
	}
	if ops != nil {
		go func() { p.ended <- p.ops.Serve(ops) }()
	}
	if figures != nil {
		go func() { p.ended <- p.figures.Serve(figures) }()
	}
	loaded := make(chan error, 1)
	go func() { loaded <- p.load(ctx, registry, at, out) }()
	say := time.NewTicker(loadingSaid)
	defer say.Stop()
	if err := p.await(ctx, loaded, say.C); err != nil {
		if errors.Is(err, errStillLoading) {
			return nil, err // what loads has the store: the end of the process ends it
		}
		return nil, errors.Join(err, p.stop())
	}
	log.Info("ready", "url", at, "ops", opsAt, "data", c.data)
	return p, nil
}

// certificateLook is how often it is looked whether the certificate or the token has changed.
const certificateLook = time.Second

// loadingSaid is how long loading takes before the log says what it does, and how often it says so again.
const loadingSaid = 5 * time.Second

var errStillLoading = errors.New("stopped while the state was being loaded")

// await waits until the state is loaded. When the server is to stop before that, loading has the grace to notice.
func (p *program) await(ctx context.Context, loaded <-chan error, say <-chan time.Time) error {
	began := time.Now()
	for {
		select {
		case err := <-loaded:
			return err
		case <-say:
			p.log.Info("loading", "now", p.phase.Load(), "seconds", int(time.Since(began).Seconds()))
		case <-ctx.Done():
			p.log.Info("stopping while the state is loaded", "now", p.phase.Load(), "grace", p.config.grace)
			select {
			case err := <-loaded:
				return err
			case <-time.After(p.config.grace):
				return errStillLoading
			}
		}
	}
}

// load opens the data directory, does what a first run does, and lets requests in.
func (p *program) load(ctx context.Context, registry *prometheus.Registry, url string, out io.Writer) error {
	began := time.Now()
	o := engine.Options{Now: clock, Full: p.memory.short.Load, Overdue: p.config.overdue,
		Phase: func(what string) { p.phase.Store(what) }}
	store, err := openStore(p.config.data, p.config.keep, o, p.log)
	if err != nil {
		return err
	}
	if p.config.ops.listen == "" {
		l, err := listenSocket(p.config.data)
		if err != nil {
			return errors.Join(err, store.Close())
		}
		p.socket = true
		go func() { p.ended <- p.ops.Serve(l) }()
	}
	replay := startup{replayed: store.End().Seq - store.Marker().Seq}
	if store.End().Seq == 0 {
		p.log.Info("made a new data directory", "data", p.config.data)
	}
	core, err := openEngine(ctx, store, o, p.log)
	if err != nil {
		return errors.Join(err, p.endSocket(), store.Close())
	}
	replay.took = time.Since(began)
	p.log.Info("the state is loaded", "records", replay.replayed, "sequence", store.End().Seq, "took",
		replay.took.Round(time.Millisecond))
	p.core.Store(core)
	first, err := core.firstRun(p.config.data, "Holdfast", p.config.bootstrap)
	if err != nil {
		return err
	}
	if p.config.demo {
		if err := core.loadDemo(first, p.log); err != nil {
			return err
		}
	}
	core.register(registry, p.config.data, replay)
	if h := p.config.habit.start(store, p.log); h != nil {
		p.habit.Store(h)
		registerHabit(registry, h)
	}
	first.show(out, fmt.Sprintf("Holdfast serves %s from %s\nIts documentation: %s/docs", url, p.config.data, url))
	switch question := core.question(first.account); {
	case first.key == "":
		fmt.Fprintf(out, "Another key: holdfast keys create --label NAME --data %s\n", p.config.data)
	case !first.given && question != "":
		fmt.Fprintf(out, "To ask what is free:\n\n  curl -H 'X-API-KEY: %s' '%s%s'\n\n", first.key, url, question)
	}
	p.public.Attach(core.engine)
	p.hooks = webhook.Start(webhook.Options{Engine: core.engine, Client: p.client, Now: clock, Behind: behind,
		Logger: p.log, Metrics: registry, InAll: shareFiles(filesAtOnce()).attempts})
	return first.confirm()
}

// backups says what is not well with the backups that are kept.
func (p *program) backups() error {
	switch h := p.habit.Load(); {
	case p.config.habit.to == "":
		return errors.New("no backups are kept: --backup-to says where")
	case h == nil:
		return errors.New("the state is being loaded")
	default:
		return h.Fault()
	}
}

// backup writes a consistent snapshot of the running state.
func (p *program) backup(ctx context.Context, w io.Writer) error {
	core := p.core.Load()
	if core == nil {
		return errors.New("the state is being loaded")
	}
	_, err := core.store.WriteCheckpoint(ctx, w, nil)
	return err
}

// hooksGrace is how long a stop waits for endpoints of webhooks that do not answer. An attempt that is cut off is made
// again after the next start, so a stop need not wait for attempts as it does for requests.
const hooksGrace = time.Second

// stop takes the program apart: no new requests, those in flight within the grace, on each listener, then the engine,
// then the store.
func (p *program) stop() error {
	defer p.log.Info("stopped")
	defer p.unwind()
	ctx, cancel := context.WithTimeout(context.Background(), p.config.grace)
	defer cancel()
	calls := make(chan error, 1)
	go func() { calls <- p.ops.Stop(ctx) }()
	var err error
	cut := false
	for _, e := range []error{p.public.Shutdown(ctx), <-calls, p.figures.Stop(ctx), p.endSocket()} {
		if errors.Is(e, context.DeadlineExceeded) {
			cut = true
		} else {
			err = errors.Join(err, e)
		}
	}
	if cut {
		p.log.Warn("requests in flight were cut off", "grace", p.config.grace)
	}
	if p.hooks != nil {
		short, done := context.WithTimeout(ctx, hooksGrace)
		p.hooks.Close(short)
		done()
	}
	if core := p.core.Load(); core != nil {
		err = errors.Join(err, core.engine.Close())
		if h := p.habit.Load(); h != nil {
			h.Close(ctx)
		}
		err = errors.Join(err, core.store.Close())
	}
	return err
}

// endSocket removes the socket, where this process has made one: while it has the directory's lock.
func (p *program) endSocket() error {
	if !p.socket {
		return nil
	}
	p.socket = false
	return os.Remove(filepath.Join(p.config.data, socketName))
}
