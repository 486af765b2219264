package api

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"holdfast/api/ratelimit"
	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/hold"
)

const oneLineHold = `{"lines":[{"skuId":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8e","serviceLocationId":"0190d3a4-6b1f-7c32-9d5e-3f2a1b0c9d8f",` +
	`"from":"2025-06-02T12:00:00Z","to":"2025-06-03T12:00:00Z","quantity":1}]}`

func BenchmarkDecodeOneLineHold(b *testing.B) {
	body := []byte(oneLineHold)
	var r wire.Reader
	var faults wire.Faults
	b.ReportAllocs()
	for b.Loop() {
		o := new(hold.PlaceHold)
		r.Reset(body, &faults)
		r.Document(func(r *wire.Reader) { placeHoldShape.ReadJSON(r, o) })
	}
	require.Empty(b, faults.ListOf)
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
	return fmt.Sprintf("GET /v1/admin/availability?skuId=%s&serviceLocationId=%s&from=%s&to=%s HTTP/1.1\r\nHost: "+
		"shop\r\nX-API-KEY: %s\r\nUser-Agent: bench\r\n\r\n",
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

// BenchmarkPages writes pages of 50 records: what a declaration that both writes and describes costs shows here first.
func BenchmarkPages(b *testing.B) {
	s, location, sku, _, _ := stocked(b)
	for i := range 50 {
		s.call("POST", "/v1/admin/customers",
			fmt.Sprintf(`{"firstName":"Ann","lastName":"Lee","email":"ann%d@example.com"}`, i))
		s.call("POST", "/v1/admin/orders",
			fmt.Sprintf(`{"pickupLocationId":"%s","lineItems":[{"skuId":"%s","purchaseType":"booking","quantity":1,"startDate":"%s","endDate":"%s"}]}`,
				location, sku, when(noon+int64(2*i+3)*day), when(noon+int64(2*i+4)*day)))
	}
	for _, path := range []string{"customers", "orders", "articles"} {
		b.Run(path, func(b *testing.B) {
			run := s.handle(fmt.Sprintf("GET /v1/admin/%s?pageSize=50 HTTP/1.1\r\nHost: shop\r\nX-API-KEY: %s\r\n\r\n",
				path, s.key))
			b.ReportAllocs()
			for b.Loop() {
				if run() != 200 {
					b.Fatal("refused")
				}
			}
		})
	}
}

// An answer of the fast path costs a handful of allocations, however it is asked.
func TestAvailabilityAllocates(t *testing.T) {
	s, location, sku, _, _ := stocked(t)
	run := s.handle(availabilityRequest(s, location, sku))
	require.Equal(t, 200, run())
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { run() }), 5.0)
}

// BenchmarkKeyAndLimits is what it costs to know who asks and that they may: address, key, account and scope. Below 2
// us.
func BenchmarkKeyAndLimits(b *testing.B) {
	s := newShop(b)
	s.server.limits = Limits{PerAddress: 1 << 40, Plans: map[string]ratelimit.Plan{
		"unlimited": {PerMinute: 1 << 40, PerSecond: 1_000_000, Burst: 1 << 40, PerMonth: 1 << 40},
	}}
	key := s.newKey(s.account,
		engine.CreateKey{PublicID: "scoped111", Scopes: []string{"locations.read", "orders.write", "inventory.read"}})
	for i := range 10_000 {
		s.newKey(s.account, engine.CreateKey{PublicID: fmt.Sprintf("another%08d", i)})
	}
	var ctx fasthttp.RequestCtx
	require.NoError(b, ctx.Request.Read(bufio.NewReader(strings.NewReader(
		"GET /v1/admin/articles HTTP/1.1\r\nHost: shop\r\nX-API-KEY: "+key+
			"\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n\r\n"))))
	ctx.SetRemoteAddr(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 5})
	q := s.server.acquire(&ctx, time.Now())
	require.Nil(b, q.match())
	b.ReportAllocs()
	for b.Loop() {
		q.from = sender{address: peer(ctx.RemoteAddr())}
		q.locate(false)
		if q.chargeAddress() != nil || q.enter() != nil || q.authenticate() != nil || q.chargeKey() != nil ||
			q.authorise() != nil {
			b.Fatal("refused")
		}
	}
	q.charge.say(q)
	require.NotEmpty(b, ctx.Response.Header.Peek("X-RateLimit-Limit"))
}

// BenchmarkLocate is what it costs to read what stands in the headers' lines and to know whose address a request counts
// as, of those that a proxy passes on, too.
func BenchmarkLocate(b *testing.B) {
	s := newShop(b)
	s.server.proxies.networks = networks("10.0.0.0/8")
	for name, x := range map[string][]string{
		"direct": {"192.0.2.7:5"}, "loopback": {"127.0.0.1:5"},
		"proxy":     {"10.0.0.1:5", "X-Forwarded-For: 198.51.100.1, 192.0.2.7, 10.0.0.2"},
		"forwarded": {"10.0.0.1:5", `Forwarded: for=198.51.100.1, for="192.0.2.7:80";proto=https, for=10.0.0.2`},
	} {
		b.Run(name, func(b *testing.B) {
			ctx := askedFrom(b, x[0],
				append(x[1:], "X-API-KEY: "+s.key, "User-Agent: Mozilla/5.0", "Accept: application/json")...)
			q := s.server.acquire(ctx, time.Now())
			defer q.release()
			b.ReportAllocs()
			for b.Loop() {
				q.from = sender{address: peer(ctx.RemoteAddr())}
				_, is := framing(&ctx.Request.Header)
				q.locate(is.passed)
			}
		})
	}
}
