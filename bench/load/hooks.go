package load

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"holdfast/bench"
	"holdfast/bench/dataset"
)

// This file owns webhooks: how fast events get to an endpoint, and what is left of bookings meanwhile.

var (
	deliveryTarget = bench.AtLeast(2_000, "/s")
	besideTarget   = bench.AtLeast(90, "%")
)

// deliveries sends to one endpoint the events of orders that were opened while nothing was sent, some thousands at a
// time, and measures until the engine has recorded all as delivered.
func deliveries(s *Server, w *bench.World, stream *dataset.Orders, budget time.Duration) (r bench.Result, err error) {
	x, err := openSite(s, w)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	part := min(max(100, int(budget.Seconds()*2_000)), 5_000)
	var t bench.Tally
	for t.Took < budget {
		if err := x.order(stream, part); err != nil {
			return r, err
		}
		w.Settle()
		runtime.GC() // else it is chance whether a collection falls into a part, which makes a tenth
		n := x.created
		stop := t.Start()
		end, err := x.send()
		for err == nil && w.Engine.Failed() == nil {
			changed := w.Engine.Changed(w.Account)
			if !x.queued() {
				break
			}
			<-changed
		}
		stop(part + x.created - n)
		end()
		if err := errors.Join(err, w.Engine.Failed()); err != nil {
			return r, err
		}
	}
	if done := x.delivered(); done != x.created || int(x.calls.Load()) != done {
		return r, fmt.Errorf("%d deliveries of %d events came to %d calls", done, x.created, x.calls.Load())
	}
	r = bench.Rate(t.Sample(), deliveryTarget)
	r.Note = fmt.Sprintf("%d deliveries of orders to one endpoint, TLS, each recorded", t.N)
	return r, nil
}

// bookingBeside books holds from 64 connections with and without deliveries being sent from a long queue, in turns.
func bookingBeside(s *Server, w *bench.World, stream *dataset.Orders, budget time.Duration) (r bench.Result,
	err error) {
	x, err := openSite(s, w)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	c := newClients(s.Address, "POST", s.Key, holdConnections)
	defer c.close()
	// Holds of a turn: of fewer, the queue is sent while the first are booked.
	part := max(1_000, ahead(5_000, budget))
	if err := x.order(stream, part*4/5); err != nil { // more than is sent in a turn
		return r, err
	}
	bodies := make([][]byte, part)
	var beside, alone bench.Tally
	var shares []float64
	sent := 0
	for turn := 0; turn < 2 || beside.Took+alone.Took < 2*budget; turn++ {
		var with, without bench.Tally
		for side := range 2 {
			for i := range bodies {
				h := w.Next()
				bodies[i] = body(w.Merchant.SKUs[h.SKU], w.Merchant.Locations[h.Location], h.Start, h.End)
			}
			w.Settle()
			if (turn+side)%2 == 0 {
				err = c.askAll(&without, "/v1/admin/holds", bodies)
			} else {
				var n int
				n, err = x.beside(func() error { return c.askAll(&with, "/v1/admin/holds", bodies) })
				sent += n
				err = errors.Join(err, x.order(stream, n))
			}
			if err != nil {
				return r, err
			}
		}
		shares = append(shares, 100*with.PerSecond()/without.PerSecond())
		beside.Add(&with)
		alone.Add(&without)
	}
	slices.Sort(shares)
	r = bench.Sampled(beside.Sample(), shares[len(shares)/2], besideTarget)
	r.Note = fmt.Sprintf("%.0f holds/s beside %.0f deliveries/s, %.0f alone; the middle of %d comparisons",
		beside.PerSecond(), float64(sent)/beside.Took.Seconds(), alone.PerSecond(), len(shares))
	return r, nil
}

// beside does something while deliveries are sent, of which there must be enough, and says how many were delivered
// meanwhile.
func (x *site) beside(do func() error) (n int, err error) {
	before := x.delivered()
	stop, err := x.send()
	defer stop()
	if err := errors.Join(err, do()); err != nil {
		return 0, err
	}
	after := x.delivered()
	if !x.queued() {
		err = errors.New("the queue of deliveries ran out")
	}
	return after - before, err
}
