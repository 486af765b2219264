package load

// This file owns the bulk query over HTTP: all that a shop's calendar page asks, in one call.

import (
	"bytes"
	"fmt"
	"time"

	"holdfast/bench"
)

const bulkLines = 10_000 // the most of one call

var bulkTarget = bench.AtMost(10, "ms")

// bulk asks about 10,000 windows in one call, one call after the other: articles and SKUs in turns, the SKUs as often
// as they are booked.
func bulk(s *Server, r *bench.Run) (x bench.Result, err error) {
	bodies := int(min(16, max(2, r.Budget/(50*time.Millisecond)))) // a short run sends few
	w := r.World
	list := make([][]byte, bodies)
	articles, skus := w.Set.Queries(bodies*bulkLines, 16, false), w.Set.Queries(bodies*bulkLines, 17, true)
	for i := range list {
		b := bytes.NewBufferString(`{"lines":[`)
		for n := range bulkLines {
			if n > 0 {
				b.WriteByte(',')
			}
			q := articles[i*bulkLines+n]
			item, id := "articleId", w.Merchant.Articles[q.Article]
			if n%2 == 0 {
				q = skus[i*bulkLines+n]
				item, id = "skuId", w.Merchant.SKUs[q.SKU]
			}
			fmt.Fprintf(b, `{"%s":"%v","serviceLocationId":"%v","from":"%s","to":"%s"}`, item, id,
				w.Merchant.Locations[q.Location], instant(q.Start), instant(q.End))
		}
		b.WriteString("]}")
		list[i] = b.Bytes()
	}
	c := newClients(s.Address, "POST", s.Key, 1)
	defer c.close()
	var t bench.Tally
	for t.Took < r.Budget {
		if err := c.askAll(&t, "/v1/admin/availability/query", list); err != nil {
			return x, err
		}
	}
	sample := t.Sample()
	x = bench.Mean(sample, bulkTarget)
	x.Note = fmt.Sprintf("%d windows a call, %.2f us each", bulkLines, 1e6/sample.PerSecond/bulkLines)
	return x, nil
}
