package api

import (
	"bufio"
	"bytes"
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
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/timeline"
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

// BenchmarkDeclaredFields writes who 250 customers are, the longest page that there is: as the fields are declared, by
// a function that names the members, and by hand. All three write the same bytes, in turn, so that what else the
// machine does slows them alike.
func BenchmarkDeclaredFields(b *testing.B) {
	const fields = 20 // of a contact with one address
	page := make([]commerce.Contact, 250)
	for i := range page {
		page[i] = commerce.Contact{FirstName: new("Ann"), LastName: new("Lee"), FullName: new("Ann Lee"),
			Email: new(fmt.Sprintf("ann%d@example.com", i)), Phone: new("+351 21 123 4567"),
			CustomerType: commerce.Individual, Language: new("pt-PT"),
			BillingAddress: &commerce.ContactAddress{Address: base.Address{Address: "Rua Augusta 1",
				ZipCode: "1100-048", City: "Lisboa", Country: "PT"}}}
	}
	var w scribe
	write := func(one func(c *commerce.Contact)) {
		w.Out = w.Out[:0]
		for i := range page {
			w.Out = append(w.Out, '{')
			one(&page[i])
			w.Out = append(w.Out, '}')
		}
	}
	ways := []struct {
		name string
		one  func(c *commerce.Contact)
		took time.Duration
	}{
		{name: "declared", one: func(c *commerce.Contact) { wire.WriteFields(&w.Writer, c) }},
		{name: "function", one: w.contactByFunction},
		{name: "hand", one: func(c *commerce.Contact) { w.Out = appendContact(w.Out, c) }},
	}
	write(ways[0].one)
	declared := bytes.Clone(w.Out)
	for _, way := range ways {
		write(way.one)
		require.Equal(b, string(declared), string(w.Out), way.name)
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range ways {
			start := time.Now()
			write(ways[i].one)
			ways[i].took += time.Since(start)
		}
	}
	for _, way := range ways {
		b.ReportMetric(float64(way.took.Nanoseconds())/float64(b.N*len(page)*fields), way.name+"-ns/field")
	}
}

// contactByFunction writes a contact by a function that names the members.
func (w *scribe) contactByFunction(c *commerce.Contact) {
	address := func(a *commerce.ContactAddress) {
		w.GivenText("address", a.Address.Address, "")
		w.GivenText("zipCode", a.ZipCode, "")
		w.GivenText("city", a.City, "")
		w.GivenText("country", a.Country, "")
		w.GivenText("state", a.State, "")
		w.GivenText("details", a.Details, "")
		w.GivenText("deliveryNotes", a.DeliveryNotes, "")
	}
	w.TextOrNull("firstName", c.FirstName, "")
	w.TextOrNull("lastName", c.LastName, "")
	w.TextOrNull("fullName", c.FullName, "")
	w.TextOrNull("email", c.Email, "")
	w.TextOrNull("phone", c.Phone, "")
	w.Bool("marketingConsent", c.MarketingConsent, "")
	w.TextOrNull("dateOfBirth", c.DateOfBirth, "")
	wire.Nullable(&w.Writer, "billingAddress", "", c.BillingAddress, "", address)
	wire.Nullable(&w.Writer, "shippingAddress", "", c.ShippingAddress, "", address)
	w.Text("customerType", string(c.CustomerType), "")
	w.TextOrNull("companyName", c.CompanyName, "")
	w.TextOrNull("taxId", c.TaxID, "")
	w.TextOrNull("language", c.Language, "")
}

// appendContact appends the members of a contact as an encoder by hand does.
func appendContact(b []byte, c *commerce.Contact) []byte {
	text := func(b []byte, name string, s *string) []byte {
		if b = append(b, name...); s == nil {
			return append(b, "null"...)
		}
		return wire.AppendText(b, *s)
	}
	address := func(b []byte, name string, a *commerce.ContactAddress) []byte {
		if b = append(b, name...); a == nil {
			return append(b, "null"...)
		}
		b = wire.AppendGiven(append(b, `{"address":`...), a.Address.Address)
		b = wire.AppendGiven(append(b, `,"zipCode":`...), a.ZipCode)
		b = wire.AppendGiven(append(b, `,"city":`...), a.City)
		b = wire.AppendGiven(append(b, `,"country":`...), a.Country)
		b = wire.AppendGiven(append(b, `,"state":`...), a.State)
		b = wire.AppendGiven(append(b, `,"details":`...), a.Details)
		return append(wire.AppendGiven(append(b, `,"deliveryNotes":`...), a.DeliveryNotes), '}')
	}
	b = text(b, `"firstName":`, c.FirstName)
	b = text(b, `,"lastName":`, c.LastName)
	b = text(b, `,"fullName":`, c.FullName)
	b = text(b, `,"email":`, c.Email)
	b = text(b, `,"phone":`, c.Phone)
	b = wire.AppendBool(append(b, `,"marketingConsent":`...), c.MarketingConsent)
	b = text(b, `,"dateOfBirth":`, c.DateOfBirth)
	b = address(b, `,"billingAddress":`, c.BillingAddress)
	b = address(b, `,"shippingAddress":`, c.ShippingAddress)
	b = wire.AppendText(append(b, `,"customerType":`...), string(c.CustomerType))
	b = text(b, `,"companyName":`, c.CompanyName)
	b = text(b, `,"taxId":`, c.TaxID)
	return text(b, `,"language":`, c.Language)
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

// BenchmarkSubscribedOrder writes an order of 1,000 subscriptions with ten codes that are each for the first payment of
// all of them.
func BenchmarkSubscribedOrder(b *testing.B) {
	o := &order.Order{}
	for n := range base.MaxLines {
		month := commerce.Period{Amount: 1, Unit: timeline.Months}
		o.Lines = append(o.Lines, order.OrderLine{ID: base.ID{14: byte(n >> 8), 15: byte(n)}, Quantity: 1,
			To:           base.Forever,
			Subscription: &order.Subscription{Terms: commerce.SubscriptionTerms{Cycle: month}}})
	}
	for range 10 {
		c := order.OrderCode{Terms: commerce.DiscountTerms{Duration: commerce.DiscountOnce}}
		for i := range o.Lines {
			c.Allocations = append(c.Allocations, order.LineAmount{Line: o.Lines[i].ID, Value: 1})
		}
		o.Codes = append(o.Codes, c)
	}
	r := &order.OrderRecord{Order: o}
	for b.Loop() {
		EventPayload(Version, r)
	}
}
