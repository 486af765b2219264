package load

// This file owns what is measured over HTTP.

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/engine/base"
)

const (
	pointConnections = 64
	holdConnections  = 64
	drawn            = 1 << 15 // questions drawn ahead
)

var (
	pointTarget = bench.AtLeast(70, "%")
	holdTarget  = bench.AtLeast(40_000, "/s")
)

// Reads measures over HTTP the work that books nothing. Long answers come first, because the memory that the clients
// allocate counts, too: once their library has seen many short answers, its pool keeps no buffer for a long one.
func (s *Server) Reads(ctx context.Context, r *bench.Run) error {
	pages(ctx, r, s)
	r.Figure(ctx, "HTTPPointAvailability", pointTarget,
		func() (bench.Result, error) { return points(s, r.World, r.Budget) })
	r.Figure(ctx, "HTTPBulkAvailability", bulkTarget, func() (bench.Result, error) { return bulk(s, r) })
	r.Figure(ctx, "KeyAndLimits", guardTarget, func() (bench.Result, error) { return guards(s, r) })
	return ctx.Err()
}

// Writes measures over HTTP the work that books on the world: it comes after all work that reads.
func (s *Server) Writes(ctx context.Context, r *bench.Run) error {
	r.Figure(ctx, "HTTPHolds", holdTarget, func() (bench.Result, error) { return holds(s, r.World, r.Budget) })
	r.Figure(ctx, "HTTPHoldsOfOnePool", holdTarget,
		func() (bench.Result, error) { return holdsOfOnePool(s, r.World, r.Budget) })
	r.Figure(ctx, "HTTPSoldOut", saleTarget, func() (bench.Result, error) { return soldOut(s, r.World, r.Budget) })
	for _, x := range soldOutAsks {
		r.Figure(ctx, x.name, bench.SoldOutTarget,
			func() (bench.Result, error) { return x.answers(s, r.World, r.Budget) })
	}
	r.Figure(ctx, "HTTPHoldsMostlyRefused", refusedTarget,
		func() (bench.Result, error) { return mostlyRefused(s, r.World, r.Budget) })
	r.Figure(ctx, "BookingBesideArchive", archiveTarget,
		func() (bench.Result, error) { return bookingBesideArchive(ctx, s, r.World, r.Budget) })
	r.Figure(ctx, "BookingBesideBackups", logTarget,
		func() (bench.Result, error) { return bookingBesideLog(s, r.World, r.Budget) })
	stream := r.World.Set.Orders()
	opened := sync.OnceValues(func() (bench.Result, error) { return orders(s, r.World, stream, r.Budget) })
	r.Figure(ctx, "HTTPOrders", orderTarget, opened)
	r.Figure(ctx, "HTTPOrdersCPU", orderCPUTarget, func() (bench.Result, error) {
		x, err := opened()
		return bench.Judge(x.CPUus, orderCPUTarget), err
	})
	r.Figure(ctx, "WebhookDeliveries", deliveryTarget,
		func() (bench.Result, error) { return deliveries(s, r.World, stream, r.Budget) })
	r.Figure(ctx, "BookingBesideWebhooks", besideTarget,
		func() (bench.Result, error) { return bookingBeside(s, r.World, stream, r.Budget) })
	return ctx.Err()
}

// points asks for one article at a time, and the empty handler for nothing with the same requests, in turns.
func points(s *Server, w *bench.World, budget time.Duration) (r bench.Result, err error) {
	const path = "/v1/admin/availability"
	queries := make([][]byte, drawn)
	for i, q := range w.Set.Queries(drawn, 11, false) {
		queries[i] = fmt.Appendf(nil, "articleId=%v&serviceLocationId=%v&from=%s&to=%s",
			w.Merchant.Articles[q.Article], w.Merchant.Locations[q.Location], instant(q.Start), instant(q.End))
	}
	ours, empty := newClients(s.Address, "GET", s.Key, pointConnections),
		newClients(s.EmptyAddress, "GET", s.Key, pointConnections)
	defer ours.close()
	defer empty.close()
	const turns = 20
	var all, bare bench.Tally
	shares := make([]float64, turns)
	for i := range shares {
		var a, b bench.Tally
		if err := ours.askFor(&a, budget/turns, path, queries); err != nil {
			return r, err
		}
		if err := empty.askFor(&b, budget/turns, path, queries); err != nil {
			return r, err
		}
		shares[i] = 100 * a.PerSecond() / b.PerSecond()
		all.Add(&a)
		bare.Add(&b)
	}
	slices.Sort(shares)
	r = bench.Sampled(all.Sample(), shares[turns/2], pointTarget)
	r.Note = fmt.Sprintf("%.0f /s, an empty handler %.0f /s and %.1f us of CPU; the middle of %d comparisons",
		all.PerSecond(), bare.PerSecond(), float64(bare.Sample().CPU.Nanoseconds())/1000, turns)
	return r, nil
}

// holds books one unit of a SKU with each request, and takes the next ones of the data set's stream.
func holds(s *Server, w *bench.World, budget time.Duration) (bench.Result, error) {
	return bookings(s, w, budget, func() []byte {
		h := w.Next()
		return body(w.Merchant.SKUs[h.SKU], w.Merchant.Locations[h.Location], h.Start, h.End)
	})
}

// holdsOfOnePool books units of one SKU at one location, a lot of 10,000, from all connections.
func holdsOfOnePool(s *Server, w *bench.World, budget time.Duration) (bench.Result, error) {
	q := dataset.Rand(12)
	return bookings(s, w, budget, func() []byte {
		const hour = 60 * 60 * 1000
		length := int64(1+q.Int(14*24)) * hour
		start := dataset.Epoch + 24*hour + int64(q.Int(int((dataset.End-dataset.Epoch-24*hour-length)/hour)))*hour
		return body(w.LotSKU, w.Merchant.Locations[0], start, start+length)
	})
}

// ahead is how many requests are drawn before they are sent: so many of the usual 5 seconds, of less time fewer.
func ahead(usual int, budget time.Duration) int {
	return min(usual, max(50, int(float64(usual)*budget.Seconds()/5)))
}

// bookings sends bodies that are drawn ahead, a part of a second's worth at a time.
func bookings(s *Server, w *bench.World, budget time.Duration, draw func() []byte) (r bench.Result, err error) {
	c := newClients(s.Address, "POST", s.Key, holdConnections)
	defer c.close()
	var t bench.Tally
	before := w.Engine.Stats()
	for t.Took < budget {
		bodies := make([][]byte, ahead(10_000, budget))
		for i := range bodies {
			bodies[i] = draw()
		}
		if err := c.askAll(&t, "/v1/admin/holds", bodies); err != nil {
			return r, err
		}
	}
	r = bench.Rate(t.Sample(), holdTarget)
	r.Note = fmt.Sprintf("%d holds from %d connections, %.1f to a sync",
		t.N, holdConnections, float64(t.N)/float64(w.Engine.Stats().Groups-before.Groups))
	return r, nil
}

func body(sku, location base.ID, start, end int64) []byte {
	return fmt.Appendf(nil,
		`{"lines":[{"skuId":"%v","serviceLocationId":"%v","from":"%s","to":"%s"}],"allowPast":true}`, sku, location,
		instant(start), instant(end))
}

func instant(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
