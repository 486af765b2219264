package api

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"holdfast/engine"
)

const oneLineHold = `{"lines":[{"skuId":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","serviceLocationId":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8f",` +
	`"from":"2025-06-02T12:00:00Z","to":"2025-06-03T12:00:00Z","quantity":1}]}`

func BenchmarkDecodeOneLineHold(b *testing.B) {
	body := []byte(oneLineHold)
	var r jsonReader
	var faults faultList
	b.ReportAllocs()
	for b.Loop() {
		o := new(engine.PlaceHold)
		r.reset(body, &faults)
		r.document(func(r *jsonReader) { placeHoldShape.readJSON(r, o) })
	}
	require.Empty(b, faults.list)
}

// handle runs one request through the whole chain, without a connection.
func (s *shop) handle(raw string) func() int {
	var ctx fasthttp.RequestCtx
	require.NoError(s, ctx.Request.Read(bufio.NewReader(strings.NewReader(raw))))
	return func() int {
		ctx.Response.Reset()
		ctx.ResetUserValues()
		s.server.serve(&ctx)
		return ctx.Response.StatusCode()
	}
}

func availabilityRequest(s *shop, location, sku string) string {
	return fmt.Sprintf("GET /v1/admin/availability?skuId=%s&serviceLocationId=%s&from=%s&to=%s HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\nUser-Agent: bench\r\n\r\n",
		sku, location, when(noon+day), when(noon+2*day), s.key)
}

func BenchmarkHandleAvailability(b *testing.B) {
	s, location, sku, _, _ := stocked(b)
	run := s.handle(availabilityRequest(s, location, sku))
	b.ReportAllocs()
	for b.Loop() {
		if run() != 200 {
			b.Fatal("refused")
		}
	}
}

// An answer of the fast path costs a handful of allocations, however it is asked.
func TestAvailabilityAllocates(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	run := s.handle(availabilityRequest(s, location, sku))
	require.Equal(t, 200, run())
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { run() }), 5.0)
}
