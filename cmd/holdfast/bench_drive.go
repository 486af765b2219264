package main

// This file owns the clients of a bench: each sends a request, waits for the answer, and sends the next.

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// driven is what came of a workload.
type driven struct {
	times  []time.Duration // of the answers that count, in order of length
	took   time.Duration
	bytes  int // of those answers
	turned int // requests that the server turned away for its limits
	last   *refusal
}

// afterTurned is how long a client waits that was turned away.
const afterTurned = 100 * time.Millisecond

// drive sends requests from many clients for a time, or until path has no more; nil: all go to the path of the
// workload. The first answer that is neither as expected nor of a limit ends it.
func (b *bench) drive(r *requests, clients int, budget time.Duration, path func(i int) (string, bool)) (d driven,
	err error) {
	var next atomic.Int64
	var failed atomic.Bool
	var workers sync.WaitGroup
	all, errs := make([]driven, clients), make([]error, clients)
	begin := time.Now()
	end := begin.Add(budget)
	for n := range clients {
		workers.Go(func() {
			x := b.connect(r)
			defer x.client.CloseIdleConnections()
			for !failed.Load() && time.Now().Before(end) && b.ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if path != nil {
					to, more := path(i)
					if !more {
						return
					}
					x.request.SetRequestURI(b.address(to))
				}
				turned := all[n].turned
				errs[n] = x.ask(r, i, n, &all[n])
				for path != nil && errs[n] == nil && all[n].turned > turned && time.Now().Before(end) {
					// each path counts
					turned = all[n].turned
					errs[n] = x.ask(r, i, n, &all[n])
				}
				if errs[n] != nil {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	d.took = time.Since(begin)
	for _, x := range all {
		d.times, d.bytes, d.turned = append(d.times, x.times...), d.bytes+x.bytes, d.turned+x.turned
		if x.last != nil {
			d.last = x.last
		}
	}
	slices.Sort(d.times)
	for _, err := range errs {
		if err != nil {
			return d, err // one says what all would say
		}
	}
	return d, ended(b.ctx)
}

// address is the URL of a path below /v1/admin.
func (b *bench) address(path string) string { return b.base.JoinPath("v1", "admin", path).String() }

// connection is one client's, with the request and the answer that it uses again and again.
type connection struct {
	client   *fasthttp.HostClient
	request  *fasthttp.Request
	response *fasthttp.Response
}

func (b *bench) connect(r *requests) *connection {
	secure, address := b.base.Scheme == "https", b.base.Host
	if b.base.Port() == "" {
		address = net.JoinHostPort(b.base.Hostname(), b.base.Scheme)
	}
	x := &connection{
		client: &fasthttp.HostClient{
			Addr: address, IsTLS: secure, MaxConns: 1, DisablePathNormalizing: true, MaxIdemponentCallAttempts: 1,
			ReadTimeout: time.Minute, WriteTimeout: time.Minute,
		},
		request: fasthttp.AcquireRequest(), response: fasthttp.AcquireResponse(),
	}
	x.request.SetRequestURI(b.address(r.path))
	x.request.Header.SetMethod(r.method)
	x.request.Header.SetUserAgent(b.agent())
	x.request.Header.Set("X-API-KEY", b.key)
	if r.method == http.MethodPost {
		x.request.Header.SetContentType("application/json")
	}
	return x
}

// ask sends the i-th request.
func (x *connection) ask(r *requests, i, client int, d *driven) error {
	if r.next != nil {
		query, body := r.next(i)
		if query != nil {
			x.request.URI().SetQueryStringBytes(query)
		}
		if body != nil {
			x.request.SetBodyRaw(body)
		}
	}
	start := time.Now()
	if err := x.client.Do(x.request, x.response); err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	took := time.Since(start)
	body := x.response.Body()
	switch status := x.response.StatusCode(); {
	case status == r.status:
		d.times = append(d.times, took)
		d.bytes += len(body)
		if r.answer != nil {
			return r.answer(client, body)
		}
		return nil
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		d.turned++
		d.last = refusalOf(status, body)
		time.Sleep(afterTurned)
		return nil
	default:
		return refusalOf(status, body)
	}
}

// errAllTurned says that nothing could be measured for the limits of the server.
func (d *driven) errAllTurned() error {
	if len(d.times) > 0 {
		return nil
	}
	if d.last == nil {
		return errors.New("no answer came in the time: --time gives more")
	}
	return fmt.Errorf("every request was turned away: %w; `holdfast accounts set-plan` gives an account other limits",
		d.last)
}
