package load

// This file owns what it costs to know who sends a request and that the key allows it.

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/valyala/fasthttp"

	"holdfast/api"
	"holdfast/api/ratelimit"
	"holdfast/bench"
)

var guardTarget = bench.AtMost(2, "us")

// guards puts one request through all that stands in front of an operation, again and again: route, budget of the
// address, key, version, budgets of account and key, scope. None of the limits is ever reached.
func guards(s *Server, r *bench.Run) (x bench.Result, err error) {
	const many = 1 << 40
	gate := api.NewServer(api.Options{Now: r.Now, Logger: slog.New(slog.DiscardHandler), Limits: api.Limits{
		PerAddress: many,
		Plans: map[string]ratelimit.Plan{
			r.View().Account().Plan: {PerMinute: many, PerSecond: 1_000_000, Burst: many, PerMonth: many}},
	}})
	gate.Attach(r.Engine)
	var ctx fasthttp.RequestCtx
	if err := ctx.Request.Read(bufio.NewReader(strings.NewReader("GET /v1/admin/articles HTTP/1.1\r\nHost: " +
		"shop\r\nX-API-KEY: " + s.Key +
		"\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 " +
		"Firefox/140.0\r\n\r\n"))); err != nil {
		return x, err
	}
	ctx.SetRemoteAddr(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 50_000})
	refused := 0
	sample := bench.Measure(r.Budget, func(int) {
		if !gate.Admits(&ctx) {
			refused++
		}
	})
	if err := gate.Shutdown(context.Background()); err != nil {
		return x, err
	}
	if refused > 0 {
		return x, fmt.Errorf("%d requests were refused", refused)
	}
	return bench.Mean(sample, guardTarget), nil
}
