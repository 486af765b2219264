package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/goccy/go-json"
	"github.com/valyala/fasthttp"

	"holdfast/bench/load"
)

// This file owns Holdfast's side: requests to its REST interface, over loopback, each client on a connection of its
// own.

type holdfast struct{ server *load.Server }

func newHoldfast(s *load.Server) *holdfast { return &holdfast{s} }

// caller is one client's connection with the request that it sends again and again.
type caller struct {
	client   *fasthttp.HostClient
	request  *fasthttp.Request
	response *fasthttp.Response
}

func newCaller(address, key string) *caller {
	c := &caller{
		client: &fasthttp.HostClient{
			Addr: address, MaxConns: 1, NoDefaultUserAgentHeader: true, DisablePathNormalizing: true,
			MaxIdemponentCallAttempts: 1,
		},
		request: fasthttp.AcquireRequest(), response: fasthttp.AcquireResponse(),
	}
	c.request.SetRequestURI("http://" + address + "/")
	c.request.Header.Set("X-Api-Key", key)
	return c
}

func (c *caller) get(path string, query []byte) (status int, err error) {
	c.request.Header.SetMethod(fasthttp.MethodGet)
	c.request.URI().SetPath(path)
	c.request.URI().SetQueryStringBytes(query)
	err = c.client.Do(c.request, c.response)
	return c.response.StatusCode(), err
}

func (c *caller) post(path string, body []byte) (status int, err error) {
	c.request.Header.SetMethod(fasthttp.MethodPost)
	c.request.Header.SetContentType("application/json")
	c.request.URI().SetPath(path)
	c.request.SetBodyRaw(body)
	err = c.client.Do(c.request, c.response)
	return c.response.StatusCode(), err
}

func (c *caller) close() { c.client.CloseIdleConnections() }

func instant(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

func (w window) query() string {
	return "&from=" + instant(w.start) + "&to=" + instant(w.end)
}

const (
	availabilityPath = "/v1/admin/availability"
	holdsPath        = "/v1/admin/holds"
)

func (s *sharedStock) pointQuery(q question) []byte {
	return fmt.Appendf(nil, "articleId=%v&serviceLocationId=%v%s", s.articles[q.article].id,
		s.world.Merchant.Locations[q.location], q.query())
}

func (s *sharedStock) skuQuery(q question) []byte {
	return fmt.Appendf(nil, "skuId=%v&serviceLocationId=%v%s", s.world.Merchant.SKUs[q.sku],
		s.world.Merchant.Locations[q.location], q.query())
}

func (s *sharedStock) calendarQuery(q question) []byte {
	return fmt.Appendf(nil, "skuId=%v&serviceLocationId=%v&bucket=day%s",
		s.world.Merchant.SKUs[q.sku], s.world.Merchant.Locations[q.location], calendar(q).query())
}

func listQuery(q question) []byte {
	w := week(q)
	return fmt.Appendf(nil, "dateRange[from]=%s&dateRange[to]=%s&sort=availability&direction=desc", instant(w.start),
		instant(w.end))
}

// bulkBody asks about many windows, of articles and SKUs in turns.
func (s *sharedStock) bulkBody(list []question) []byte {
	b := bytes.NewBufferString(`{"lines":[`)
	for i, q := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		item, id := "articleId", s.articles[q.article].id
		if i%2 == 1 {
			item, id = "skuId", s.world.Merchant.SKUs[q.sku]
		}
		fmt.Fprintf(b, `{"%s":"%v","serviceLocationId":"%v","from":"%s","to":"%s"}`, item, id,
			s.world.Merchant.Locations[q.location], instant(q.start), instant(q.end))
	}
	b.WriteString("]}")
	return b.Bytes()
}

// holdBody books one unit of a SKU, also of the two that are no part of the data set.
func (s *sharedStock) holdBody(sku, location int, w window) []byte {
	var id any
	for i := len(s.articles) - 1; i >= 0; i-- { // the two are the last
		if s.articles[i].number == sku {
			id = s.articles[i].sku
			break
		}
	}
	return fmt.Appendf(nil,
		`{"lines":[{"skuId":"%v","serviceLocationId":"%v","from":"%s","to":"%s"}],"allowPast":true}`,
		id, s.world.Merchant.Locations[location], instant(w.start), instant(w.end))
}

// read decodes an answer.
func (c *caller) read(into any) error {
	if c.response.StatusCode() != fasthttp.StatusOK {
		return fmt.Errorf("the service answers %d: %.300s", c.response.StatusCode(), c.response.Body())
	}
	return json.Unmarshal(c.response.Body(), into)
}
