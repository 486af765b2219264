package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// This file owns the clients: what a visit does, and when the next one comes.

const (
	clients  = 64
	pinEvery = 10 * time.Second
	tooLate  = time.Second // a visit that could not begin for so long does not come at all
)

// holdsOfAVisit is how many holds a visit makes in the mean: kinds of visits are drawn alike.
const holdsOfAVisit = 4. / 10

// crowd are clients with a connection each.
type crowd struct {
	server   *server
	merchant *merchant
	seed     uint64
	turned   [600]atomic.Int64 // requests, by the status of their answers
}

func newCrowd(s *server, m *merchant, seed uint64) *crowd {
	return &crowd{server: s, merchant: m, seed: seed}
}

// load is what came of it.
type load struct {
	visits, late int
	turned       string
	p50, p99     time.Duration // from when a visit was due until it was done
	err          error
}

// come starts visits at a rate, each at its time, even where earlier ones are not done; rate 0: each as soon as a
// client is free.
func (c *crowd) come(ctx context.Context, length time.Duration, rate float64) (l load) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next, late atomic.Int64
	var workers sync.WaitGroup
	times := make([][]time.Duration, clients)
	began := time.Now()
	for i := range clients {
		workers.Go(func() {
			v := c.visitor()
			defer v.client.CloseIdleConnections()
			for ctx.Err() == nil {
				n := next.Add(1)
				due := time.Now()
				if rate > 0 {
					due = began.Add(time.Duration(float64(n) / rate * float64(time.Second)))
				}
				if due.Sub(began) >= length {
					return
				}
				if wait := time.Until(due); wait > 0 {
					time.Sleep(wait)
				} else if -wait > tooLate {
					late.Add(1)
					continue
				}
				if err := v.visit(rand.New(rand.NewPCG(c.seed, uint64(n)))); err != nil {
					stop(err)
					return
				}
				times[i] = append(times[i], time.Since(due))
			}
		})
	}
	workers.Wait()
	all := slices.Concat(times...)
	slices.Sort(all)
	l = load{visits: len(all), late: int(late.Load()), err: context.Cause(ctx)}
	for status := range c.turned {
		if n := c.turned[status].Load(); n > 0 {
			l.turned += fmt.Sprintf(", %d requests were answered %d", n, status)
		}
	}
	if n := len(all); n > 0 {
		l.p50, l.p99 = all[n/2], all[n*99/100]
	}
	return l
}

// pin pins a snapshot now and then, and reads by it.
func (c *crowd) pin(ctx context.Context) {
	v := c.visitor()
	defer v.client.CloseIdleConnections()
	tick := time.NewTicker(pinEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var pinned struct{ Sequence uint64 }
		if v.ask("POST", "/snapshots", "", &pinned) == nil && pinned.Sequence > 0 {
			_ = v.ask("GET", fmt.Sprint("/skus?asOf=", pinned.Sequence), "", nil)
		}
	}
}

// visitor is one client.
type visitor struct {
	*crowd
	client   *fasthttp.HostClient
	request  *fasthttp.Request
	response *fasthttp.Response
}

func (c *crowd) visitor() *visitor {
	v := &visitor{crowd: c, request: fasthttp.AcquireRequest(), response: fasthttp.AcquireResponse(),
		client: &fasthttp.HostClient{Addr: c.server.address, MaxConns: 1, MaxIdemponentCallAttempts: 1}}
	return v
}

// visit does one of ten things, four of which make a hold. All that is taken comes free again.
func (v *visitor) visit(dice *rand.Rand) error {
	m := v.merchant
	sku, begin := m.skus[dice.IntN(kinds)], m.from.AddDate(0, 0, dice.IntN(ahead))
	from, to := begin.Format(time.RFC3339), begin.AddDate(0, 0, 1+dice.IntN(5)).Format(time.RFC3339)
	line := fmt.Sprintf(`{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q}`, sku, m.location, from, to)
	var made struct{ ID string }
	hold := func() error {
		return v.ask("POST", "/holds", fmt.Sprintf(`{"lines":[%s],"expiresInSeconds":%d}`, line, expiry), &made)
	}
	then := func(err error, steps ...string) error {
		for _, step := range steps {
			if err != nil || made.ID == "" {
				return err
			}
			method, path := step[:4], step[4:]
			if method == "DEL " {
				method = "DELETE"
			}
			err = v.ask(method, fmt.Sprintf(path, made.ID), "", &made)
		}
		return err
	}
	switch dice.IntN(10) {
	case 0, 1, 2, 3:
		return v.ask("GET", fmt.Sprintf("/availability?skuId=%s&serviceLocationId=%s&from=%s&to=%s", sku, m.location,
			from, to), "", nil)
	case 4:
		return v.ask("GET", "/holds?pageSize=20", "", nil)
	case 5, 6: // a cart that is left to expire
		return hold()
	case 7:
		return then(hold(), "POST/holds/%s/confirm", "DEL /holds/%s")
	case 8:
		return then(hold(), "POST/holds/%s/order", "DEL /orders/%s")
	default:
		err := v.ask("POST", "/orders",
			fmt.Sprintf(`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking",`+
				`"quantity":2,"startDate":%q,"endDate":%q,"unitPrice":100}]}`, m.location, sku, from, to), &made)
		return then(err, "POST/orders/%s/cancel", "DEL /orders/%s")
	}
}

// ask sends a request, and reads the answer into a value. One that the server has no room for is turned away, which is
// no error; any other refusal is: the stock carries all that is asked for.
func (v *visitor) ask(method, path, body string, to any) error {
	v.request.Reset() // a GET after a POST would have its length
	v.request.Header.SetMethod(method)
	v.request.Header.Set("X-API-KEY", v.merchant.key)
	v.request.SetRequestURI("http://soak/v1/admin" + path)
	if body != "" {
		v.request.Header.SetContentType("application/json")
		v.request.SetBodyString(body)
	}
	if err := v.client.Do(v.request, v.response); err != nil {
		return err
	}
	switch code := v.response.StatusCode(); {
	case code == fasthttp.StatusTooManyRequests || code == fasthttp.StatusServiceUnavailable:
		v.turned[code].Add(1)
		return nil
	case code != fasthttp.StatusOK:
		return fmt.Errorf("%s %s: %d %s", method, path, code, v.response.Body())
	}
	if to == nil {
		return nil
	}
	return json.Unmarshal(v.response.Body(), to)
}
