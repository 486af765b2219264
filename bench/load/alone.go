package load

import (
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/hold"
)

// This file owns what one client is answered that has the server to itself, and the mix of questions and holds of many.

// Alone is one kind of work with what it took one client.
type Alone struct {
	Work string
	bench.Sample
}

// The kinds of work that a growing stock is measured by.
const (
	Point    = "point"
	SKU      = "SKU"
	List     = "list"
	Calendar = "calendar"
	Hold     = "hold"
)

const (
	availabilityPath = "/v1/admin/availability"
	calendarPath     = "/v1/admin/availability/calendar"
	articlesPath     = "/v1/admin/articles"
	holdsPath        = "/v1/admin/holds"
	hourLength       = 60 * 60 * 1000
	dayLength        = 24 * hourLength
)

// ask is one question: a path, and what it is asked with.
type ask struct {
	work, path string
	queries    [][]byte
}

// asks draws the questions of all kinds that book nothing.
func asks(w *bench.World, n int) []ask {
	window := func(start, end int64) string { return "&from=" + instant(start) + "&to=" + instant(end) }
	point, sku, list, days := make([][]byte, n), make([][]byte, n), make([][]byte, n), make([][]byte, n)
	for i, q := range w.Set.Queries(n, 21, false) {
		point[i] = fmt.Appendf(nil, "articleId=%v&serviceLocationId=%v%s", w.Merchant.Articles[q.Article],
			w.Merchant.Locations[q.Location], window(q.Start, q.End))
		start := min(q.Start, dataset.End-7*dayLength)
		list[i] = fmt.Appendf(nil, "dateRange[from]=%s&dateRange[to]=%s&sort=availability&direction=desc",
			instant(start), instant(start+7*dayLength))
	}
	for i, q := range w.Set.Queries(n, 22, true) {
		about := fmt.Sprintf("skuId=%v&serviceLocationId=%v", w.Merchant.SKUs[q.SKU], w.Merchant.Locations[q.Location])
		sku[i] = []byte(about + window(q.Start, q.End))
		start := min(q.Start, dataset.End-90*dayLength) / dayLength * dayLength
		days[i] = []byte(about + "&bucket=day" + window(start, start+90*dayLength))
	}
	return []ask{{Point, availabilityPath, point}, {SKU, availabilityPath, sku}, {List, articlesPath, list},
		{Calendar, calendarPath, days}}
}

// Alone does one kind of work after the other from one connection, each for a time.
func (s *Server) Alone(w *bench.World, budget time.Duration) (all []Alone, err error) {
	get := newClients(s.Address, "GET", s.Key, 1)
	defer get.close()
	for _, a := range asks(w, drawn/4) {
		var t bench.Tally
		if err := get.askFor(&t, budget, a.path, a.queries); err != nil {
			return nil, err
		}
		all = append(all, Alone{a.work, t.Sample()})
	}
	post := newClients(s.Address, "POST", s.Key, 1)
	defer post.close()
	var t bench.Tally
	for t.Took < budget {
		if err := post.askAll(&t, holdsPath, holdBodies(w, 500)); err != nil {
			return nil, err
		}
	}
	return append(all, Alone{Hold, t.Sample()}), nil
}

func holdBodies(w *bench.World, n int) [][]byte {
	bodies := make([][]byte, n)
	for i := range bodies {
		h := w.Next()
		bodies[i] = body(w.Merchant.SKUs[h.SKU], w.Merchant.Locations[h.Location], h.Start, h.End)
	}
	return bodies
}

// Of ten requests of the mix one is a hold, one a page of the list, one a calendar; the others are about a SKU or an
// article.
var mix = [10]string{Hold, Point, SKU, Point, SKU, List, Point, SKU, Calendar, Point}

const mixConnections = 32

// Mixed sends the mix from many connections until enough says so, or so many holds are booked: there has to be room for
// all holds that are drawn.
func (s *Server) Mixed(w *bench.World, holds int, enough func() bool) (sample bench.Sample, err error) {
	const atOnce = 20_000 // are drawn
	byWork := map[string]ask{}
	for _, a := range asks(w, drawn/4) {
		byWork[a.work] = a
	}
	c := newClients(s.Address, "GET", s.Key, mixConnections)
	defer c.close()
	var t bench.Tally
	for ; holds > 0 && !enough(); holds -= atOnce {
		bodies := holdBodies(w, min(holds, atOnce))
		err := c.run(&t, func(i int, r *fasthttp.Request) bool {
			work := mix[i%len(mix)]
			if work == Hold {
				if i/len(mix) >= len(bodies) || enough() {
					return false
				}
				r.Header.SetMethod(fasthttp.MethodPost)
				r.Header.SetContentType("application/json")
				r.URI().SetPath(holdsPath)
				r.URI().SetQueryString("")
				r.SetBodyRaw(bodies[i/len(mix)])
				return true
			}
			a := byWork[work]
			r.Header.SetMethod(fasthttp.MethodGet)
			r.URI().SetPath(a.path)
			r.URI().SetQueryStringBytes(a.queries[i%len(a.queries)])
			r.ResetBody()
			r.Header.SetContentLength(0) // of the hold that went before on this connection
			return i/len(mix) < len(bodies)
		})
		if err != nil {
			return sample, err
		}
	}
	return t.Sample(), nil
}

// HoldAlone books holds in process from one caller that waits for each.
func HoldAlone(w *bench.World, budget time.Duration) (bench.Sample, error) {
	var t bench.Tally
	for t.Took < budget {
		commands := make([]hold.PlaceHold, 500)
		for i := range commands {
			commands[i] = w.Command(w.Next())
		}
		stop := t.Start()
		for _, c := range commands {
			start := time.Now()
			if _, err := w.Engine.Do(engine.Command{Account: w.Account, Actor: "bench", Op: c}); err != nil {
				return bench.Sample{}, err
			}
			t.Times = append(t.Times, time.Since(start))
		}
		stop(len(commands))
	}
	return t.Sample(), nil
}
