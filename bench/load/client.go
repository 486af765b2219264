package load

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/bench"
)

// This file owns the clients: connections that are kept alive, each of which asks and waits, asks and waits.

// clients are connections to one address, with one kind of request.
type clients struct {
	connections []connection
}

// connection is one keep-alive connection with its request and response, which are used again and again.
type connection struct {
	client   *fasthttp.HostClient
	request  *fasthttp.Request
	response *fasthttp.Response
	expect   int // the status of every answer
	or       int // another one that is taken as well; 0: none
	others   int // answers with that one
	times    []time.Duration
	answers  int // bytes
}

func newClients(address, method, key string, n int) *clients {
	c := &clients{connections: make([]connection, n)}
	for i := range c.connections {
		x := &c.connections[i]
		x.client = &fasthttp.HostClient{
			Addr: address, MaxConns: 1, NoDefaultUserAgentHeader: true, DisablePathNormalizing: true,
			MaxIdemponentCallAttempts: 1,
		}
		x.request, x.response, x.times = fasthttp.AcquireRequest(), fasthttp.AcquireResponse(),
			make([]time.Duration, 0, 1<<16)
		x.expect = fasthttp.StatusOK
		x.request.Header.SetMethod(method)
		x.request.Header.Set("X-Api-Key", key)
		if method == fasthttp.MethodPost {
			x.request.Header.SetContentType("application/json")
		}
		x.request.SetRequestURI("http://" + address + "/")
	}
	return c
}

// expect says that every answer has a status.
func (c *clients) expect(status int) {
	for i := range c.connections {
		c.connections[i].expect = status
	}
}

// take says that answers may have another status, too.
func (c *clients) take(status int) {
	for i := range c.connections {
		c.connections[i].or = status
	}
}

// taken is how many answers had it.
func (c *clients) taken() (n int) {
	for _, x := range c.connections {
		n += x.others
	}
	return n
}

func (c *clients) close() {
	for _, x := range c.connections {
		x.client.CloseIdleConnections()
	}
}

// askFor sends requests to a path with one query after the other, again and again, for a time.
func (c *clients) askFor(t *bench.Tally, budget time.Duration, path string, queries [][]byte) error {
	end := time.Now().Add(budget)
	c.path(path)
	return c.run(t, func(i int, r *fasthttp.Request) bool {
		r.URI().SetQueryStringBytes(queries[i%len(queries)])
		return time.Now().Before(end)
	})
}

func (c *clients) path(path string) {
	for _, x := range c.connections {
		x.request.URI().SetPath(path)
	}
}

// askAll sends each body once.
func (c *clients) askAll(t *bench.Tally, path string, bodies [][]byte) error {
	c.path(path)
	return c.run(t, func(i int, r *fasthttp.Request) bool {
		if i >= len(bodies) {
			return false
		}
		r.SetBodyRaw(bodies[i])
		return true
	})
}

// run sends the requests that set makes until it makes none. The first answer that is not as expected, mostly 200, is
// an error.
func (c *clients) run(t *bench.Tally, set func(i int, r *fasthttp.Request) bool) error {
	var next atomic.Int64
	var failed atomic.Bool
	var workers sync.WaitGroup
	errs := make([]error, len(c.connections))
	stop := t.Start()
	for i := range c.connections {
		x := &c.connections[i]
		x.times, x.answers = x.times[:0], 0
		workers.Go(func() {
			for !failed.Load() && set(int(next.Add(1)-1), x.request) {
				if errs[i] = x.ask(); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	n := 0
	for _, x := range c.connections {
		n += len(x.times)
	}
	stop(n)
	for _, x := range c.connections {
		t.Times = append(t.Times, x.times...)
		t.Answers += x.answers
	}
	return errors.Join(errs...)
}

// ask sends the connection's request and waits for the answer.
func (x *connection) ask() error {
	start := time.Now()
	if err := x.client.Do(x.request, x.response); err != nil {
		return err
	}
	x.times = append(x.times, time.Since(start))
	x.answers += len(x.response.Body())
	switch code := x.response.StatusCode(); code {
	case x.expect:
	case x.or:
		x.others++
	default:
		return fmt.Errorf("%s %s: %d %s", x.request.Header.Method(), x.request.URI().Path(), code, x.response.Body())
	}
	return nil
}
