package main

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// This file owns the loads, and the account that waits while they run.

const (
	idleLoad     = "nothing"
	readersLoad  = "200 that do not read a page of holds"
	refusalsLoad = "64 connections of refusals"
	searchLoad   = "16 that search for the next window"
	heavyLoad    = "holds of 10,000 units and their release"
	lapsingLoad  = "12 carts of 10,000 units that lapse at once"
	ordersLoad   = "orders of 10,000 units and their cancellation"
)

// names are those of the loads, in the order in which they are run.
var names = []string{idleLoad, refusalsLoad, searchLoad, heavyLoad, ordersLoad, lapsingLoad, readersLoad}

// loads go on until they are killed.
var loads = map[string]func(plan) error{
	readersLoad: func(p plan) error {
		return many(200, func() error {
			c, err := net.Dial("tcp", p.Address)
			if err != nil {
				return err
			}
			defer c.Close()
			c.(*net.TCPConn).SetReadBuffer(4 << 10)
			fmt.Fprintf(c, "GET /v1/admin/holds?pageSize=250 HTTP/1.1\r\nHost: fair\r\nX-API-KEY: %s\r\n\r\n", p.Key)
			time.Sleep(3 * time.Second)
			return nil
		})
	},
	refusalsLoad: func(p plan) error {
		return asking(p, 64, func(c *client) error {
			_, err := c.ask("POST", "/v1/admin/holds", holdOf(p.SoldOut, p.Location, p.From.AddDate(0, 0, 7), 1))
			return err
		})
	},
	searchLoad: func(p plan) error {
		body := fmt.Sprintf(
			`{"skuId":%q,"serviceLocationId":%q,"notBefore":%q,"seconds":86400,"quantity":9900,"until":%q}`,
			p.SKU, p.Location, p.From.AddDate(0, 0, 100).Format(time.RFC3339), p.From.AddDate(0, 0, 349).
				Format(time.RFC3339))
		return asking(p, 16, func(c *client) error {
			_, err := c.ask("POST", "/v1/admin/availability/next", body)
			return err
		})
	},
	heavyLoad: func(p plan) error {
		return asking(p, 2, func(c *client) error {
			id, err := c.ask("POST", "/v1/admin/holds", holdOf(p.SKU, p.Location, p.From.AddDate(0, 0, 40), 10_000))
			if err == nil && id != "" {
				_, err = c.ask("DELETE", "/v1/admin/holds/"+id, "")
			}
			return err
		})
	},
	lapsingLoad: func(p plan) error {
		c := newClient(p.Address, p.Key)
		for n := range 12 {
			cart := holdOf(p.SKU, p.Location, p.From.AddDate(0, 0, 360+n), 10_000)
			if _, err := c.ask("POST", "/v1/admin/holds", cart[:len(cart)-1]+`,"expiresInSeconds":30}`); err != nil {
				return err
			}
		}
		select {}
	},
	ordersLoad: func(p plan) error {
		from := p.From.AddDate(0, 0, 50)
		body := fmt.Sprintf(
			`{"status":"open","pickupLocationId":%q,"lineItems":[{"skuId":%q,"purchaseType":"booking","quantity":10000,"startDate":%q,"endDate":%q,"unitPrice":100}]}`,
			p.Location, p.SKU, from.Format(time.RFC3339), from.AddDate(0, 0, 1).Format(time.RFC3339))
		return asking(p, 2, func(c *client) error {
			id, err := c.ask("POST", "/v1/admin/orders", body)
			if err == nil && id != "" {
				_, err = c.ask("POST", "/v1/admin/orders/"+id+"/cancel", "{}")
			}
			return err
		})
	},
}

func holdOf(sku, location string, from time.Time, n int) string {
	return fmt.Sprintf(`{"lines":[{"skuId":%q,"serviceLocationId":%q,"from":%q,"to":%q,"quantity":%d}]}`,
		sku, location, from.Format(time.RFC3339), from.AddDate(0, 0, 1).Format(time.RFC3339), n)
}

// many does something on n goroutines for as long as it goes well.
func many(n int, do func() error) error {
	errs := make(chan error, n)
	for range n {
		go func() {
			var err error
			for err == nil {
				err = do()
			}
			errs <- err
		}()
	}
	return <-errs
}

func asking(p plan, n int, do func(*client) error) error {
	free := make(chan *client, n)
	for range n {
		free <- newClient(p.Address, p.Key)
	}
	return many(n, func() error {
		c := <-free
		defer func() { free <- c }()
		return do(c)
	})
}

// client is one connection.
type client struct {
	http     fasthttp.HostClient
	request  fasthttp.Request
	response fasthttp.Response
}

func newClient(address, key string) *client {
	c := &client{http: fasthttp.HostClient{Addr: address, MaxConns: 1, MaxIdemponentCallAttempts: 1}}
	c.request.Header.Set("X-API-KEY", key)
	c.request.Header.SetContentType("application/json")
	return c
}

// ask asks, and gives the id of the record that is answered with, empty where it is refused: loads are made to be
// refused at times. A request that the server does not take at all is an error.
func (c *client) ask(method, path, body string) (id string, err error) {
	c.request.Header.SetMethod(method)
	c.request.SetRequestURI("http://fair" + path)
	c.request.SetBodyString(body)
	if err := c.http.Do(&c.request, &c.response); err != nil {
		return "", err
	}
	switch code := c.response.StatusCode(); {
	case code == 400 || code == 404 || code == 500:
		return "", fmt.Errorf("%s %s: %d %s", method, path, code, c.response.Body())
	case code != 200:
		return "", nil
	}
	var r struct{ ID string }
	err = json.Unmarshal(c.response.Body(), &r)
	return r.ID, err
}

// waits are what the other account waits.
type waits struct{ Bookings, Reads figures }

type figures struct{ P50, P99, Max time.Duration }

func (f figures) String() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
	return ms(f.P50) + "\t" + ms(f.P99) + "\t" + ms(f.Max)
}

func figuresOf(times []time.Duration) (f figures) {
	if slices.Sort(times); len(times) > 0 {
		f = figures{times[len(times)/2], times[len(times)*99/100], times[len(times)-1]}
	}
	return f
}

// wait books and reads, one after the other, for a time.
func wait(p plan) (w waits) {
	var workers sync.WaitGroup
	end := time.Now().Add(p.For)
	ask := func(of *figures, do func(c *client, n int) error) {
		workers.Go(func() {
			var times []time.Duration
			c := newClient(p.Address, p.Beside)
			for n := 0; time.Now().Before(end); n++ {
				start := time.Now()
				if err := do(c, n); err != nil {
					panic(err)
				}
				times = append(times, time.Since(start))
				time.Sleep(2 * time.Millisecond)
			}
			*of = figuresOf(times)
		})
	}
	ask(&w.Bookings, func(c *client, n int) error {
		id, err := c.ask("POST", "/v1/admin/holds", holdOf(p.Another, p.BesideAt, p.From.AddDate(0, 0, 1+n%300), 1))
		if err == nil && id == "" {
			err = fmt.Errorf("a booking was refused: %s", c.response.Body())
		}
		return err
	})
	ask(&w.Reads, func(c *client, n int) error {
		from := p.From.AddDate(0, 0, 1+n%300)
		_, err := c.ask("GET",
			fmt.Sprintf("/v1/admin/availability?skuId=%s&serviceLocationId=%s&from=%s&to=%s", p.Another, p.BesideAt,
				from.Format(time.RFC3339), from.AddDate(0, 0, 1).Format(time.RFC3339)), "")
		return err
	})
	workers.Wait()
	return w
}
