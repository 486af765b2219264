package load

import (
	"fmt"
	"time"

	"holdfast/bench"
	"holdfast/bench/dataset"
)

// This file owns orders over HTTP.

var (
	orderTarget    = bench.AtLeast(12_000, "/s")
	orderCPUTarget = bench.AtMost(150, "us") // the clients' included
)

// orders opens an order of three lines and nine units with each request, from 64 connections. The stock carries all of
// them.
func orders(s *Server, w *bench.World, stream *dataset.Orders, budget time.Duration) (r bench.Result, err error) {
	c := newClients(s.Address, "POST", s.Key, holdConnections)
	defer c.close()
	var t bench.Tally
	before := w.Engine.Stats()
	for t.Took < budget {
		bodies := make([][]byte, ahead(2_000, budget))
		for i := range bodies {
			bodies[i] = orderBody(w, stream.Next())
		}
		if err := c.askAll(&t, "/v1/admin/orders", bodies); err != nil {
			return r, err
		}
	}
	r = bench.Rate(t.Sample(), orderTarget)
	r.Note = fmt.Sprintf("%d orders of %d lines and %d units from %d connections, %.1f to a sync, answers of %d bytes",
		t.N, dataset.OrderLines, dataset.OrderLines*dataset.LineUnits, holdConnections,
		float64(t.N)/float64(w.Engine.Stats().Groups-before.Groups), t.Answers/t.N)
	return r, nil
}

func orderBody(w *bench.World, x dataset.Order) []byte {
	b := fmt.Appendf(nil, `{"status":"open","pickupLocationId":"%v","lineItems":[`, w.Merchant.Locations[x.Location])
	for i, sku := range x.SKUs {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b,
			`{"skuId":"%v","purchaseType":"booking","quantity":%d,"startDate":"%s","endDate":"%s","unitPrice":4500}`,
			w.Merchant.SKUs[sku], dataset.LineUnits, instant(x.Start), instant(x.End))
	}
	return append(b, `]}`...)
}
