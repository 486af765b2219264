package load

import (
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/bench"
	"holdfast/bench/dataset"
)

// This file owns a flash sale after the last unit is gone: every client asks for one, and every refusal says which
// bookings have the stock and when some is free again.

const saleConnections = 32

var (
	saleTarget    = bench.AtLeast(30_000, "/s")
	refusedTarget = bench.AtLeast(30_000, "/s")
)

// soldOut refuses one unit of a SKU of 54 articles at one location, again and again.
func soldOut(s *Server, w *bench.World, budget time.Duration) (r bench.Result, err error) {
	few, _, err := w.SoldOut()
	if err != nil {
		return r, err
	}
	c := newClients(s.Address, "POST", s.Key, saleConnections)
	defer c.close()
	c.expect(fasthttp.StatusConflict)
	var t bench.Tally
	for t.Took < budget {
		if err := c.askAll(&t, holdsPath, repeated(soldOutBody(few), ahead(10_000, budget))); err != nil {
			return r, err
		}
	}
	r = bench.Rate(t.Sample(), saleTarget)
	r.Note = fmt.Sprintf("%d refusals from %d connections, answers of %d bytes", t.N, saleConnections, t.Answers/t.N)
	return r, nil
}

func soldOutBody(x *bench.SoldOut) []byte {
	return body(x.SKU, x.Location, x.Window.Start, x.Window.End)
}

func repeated(body []byte, n int) [][]byte {
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = body
	}
	return bodies
}

// soldOutAsk is a question about a SKU that is sold out.
type soldOutAsk struct {
	name, path string
	status     int
	body       func(x *bench.SoldOut) []byte
}

var soldOutAsks = []soldOutAsk{
	{"HTTPSoldOutNext", "/v1/admin/availability/next", fasthttp.StatusOK, func(x *bench.SoldOut) []byte {
		return fmt.Appendf(nil, `{"skuId":"%v","serviceLocationId":"%v","notBefore":"%s","seconds":%d}`,
			x.SKU, x.Location, instant(x.Window.Start), x.Window.Length()/1000)
	}},
	{"HTTPSoldOutExplain", "/v1/admin/availability/explain", fasthttp.StatusOK, func(x *bench.SoldOut) []byte {
		return fmt.Appendf(nil, `{"skuId":"%v","serviceLocationId":"%v","from":"%s","to":"%s"}`,
			x.SKU, x.Location, instant(x.Window.Start), instant(x.Window.End))
	}},
	{"HTTPSoldOutRefusal", holdsPath, fasthttp.StatusConflict, soldOutBody},
}

// answers asks from one connection, which waits for each answer.
func (a *soldOutAsk) answers(s *Server, w *bench.World, budget time.Duration) (r bench.Result, err error) {
	few, many, err := w.SoldOut()
	if err != nil {
		return r, err
	}
	c := newClients(s.Address, "POST", s.Key, 1)
	defer c.close()
	c.expect(a.status)
	side := func(x *bench.SoldOut) func() (bench.Sample, error) {
		bodies := repeated(a.body(x), ahead(1_000, budget))
		return func() (bench.Sample, error) {
			var t bench.Tally
			for t.Took < budget/10 {
				if err := c.askAll(&t, a.path, bodies); err != nil {
					return bench.Sample{}, err
				}
			}
			return t.Sample(), nil
		}
	}
	return bench.SoldOutTime(few, many, side(few), side(many))
}

// mostlyRefused books from many connections where three in four ask for two to five days of a SKU that is sold out,
// from any hour of a fortnight on; the fourth takes the next hold of the data set's stream.
func mostlyRefused(s *Server, w *bench.World, budget time.Duration) (r bench.Result, err error) {
	few, _, err := w.SoldOut()
	if err != nil {
		return r, err
	}
	c := newClients(s.Address, "POST", s.Key, holdConnections)
	defer c.close()
	c.take(fasthttp.StatusConflict)
	rng := dataset.Rand(23)
	var t bench.Tally
	for t.Took < budget {
		bodies := holdBodies(w, ahead(10_000, budget))
		for i := range bodies {
			if i%4 != 0 {
				start := few.Window.Start + int64(rng.Int(14*24))*hourLength
				bodies[i] = body(few.SKU, few.Location, start, start+int64(48+rng.Int(3*24))*hourLength)
			}
		}
		if err := c.askAll(&t, holdsPath, bodies); err != nil {
			return r, err
		}
	}
	r = bench.Rate(t.Sample(), refusedTarget)
	r.Note = fmt.Sprintf("%d holds from %d connections, %.0f %% of them refused", t.N, holdConnections,
		100*float64(c.taken())/float64(t.N))
	return r, nil
}
