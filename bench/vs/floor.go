package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/valyala/fasthttp"

	"holdfast/bench/load"
)

// This file owns the floors: what the transport and the disk take when nothing is computed.

const floorBytes = 700 // about what one booking appends to the log and the rows

// floors measures an empty handler with the requests of a point question and of a booking, and synced batches of
// Pebble.
func floors(ctx context.Context, s *load.Server, o options, r *report, progress func(string)) error {
	for _, n := range o.clients {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress(fmt.Sprintf("floors, %d clients", n))
		get, err := drive(n, o.budget, func(int) (operation, func(), error) {
			c := newCaller(s.EmptyAddress, s.Key)
			return ask(c, availabilityPath, [][]byte{r.exampleQuery}), c.close, nil
		})
		if err != nil {
			return err
		}
		post, err := postFloor(n, o.budget, r)
		if err != nil {
			return err
		}
		synced, err := pebbleFloor(n, o.budget)
		if err != nil {
			return err
		}
		r.Floors = append(r.Floors, floor{n, get, post, synced})
	}
	return nil
}

// postFloor takes a booking's request and answers with as many bytes as a booking has.
func postFloor(n int, budget time.Duration, r *report) (m measured, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return m, err
	}
	answer := make([]byte, 800)
	server := &fasthttp.Server{NoDefaultServerHeader: true,
		Handler: func(ctx *fasthttp.RequestCtx) { ctx.Response.SetBodyRaw(answer) }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	m, err = drive(n, budget, func(int) (operation, func(), error) {
		c := newCaller(listener.Addr().String(), "")
		return func(int) (outcome, error) { return c.answered(c.post(holdsPath, r.exampleBody)) }, c.close, nil
	})
	listener.Close()
	server.Shutdown()
	<-ended
	return m, err
}

// pebbleFloor commits batches, each of which is synced before the next of its client.
func pebbleFloor(n int, budget time.Duration) (m measured, err error) {
	dir, err := os.MkdirTemp("", "holdfast-vs-floor-*")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(dir)
	db, err := pebble.Open(dir, &pebble.Options{Logger: quiet{}})
	if err != nil {
		return m, err
	}
	defer db.Close()
	value := make([]byte, floorBytes)
	return drive(n, budget, func(no int) (operation, func(), error) {
		return func(i int) (outcome, error) {
			return done, db.Set(fmt.Appendf(nil, "%012d", i), value, pebble.Sync)
		}, func() {}, nil
	})
}

// quiet keeps what Pebble has to say to itself.
type quiet struct{}

func (quiet) Infof(string, ...any)         {}
func (quiet) Errorf(string, ...any)        {}
func (quiet) Fatalf(text string, a ...any) { panic(fmt.Sprintf(text, a...)) }
