package load

import (
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"holdfast/bench"
	"holdfast/bench/dataset"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns a flash sale after the last unit is gone: everybody asks, and everybody is refused with who has the stock and when
// there is some again.

const (
	saleConnections = 32
	saleArticles    = 54
	saleStays       = 10 // holds of each article beside the one that sells it out
)

var saleTarget = bench.AtLeast(30_000, "/s")

// soldOut refuses one unit of a SKU of 54 articles at one location, again and again.
func soldOut(s *Server, w *bench.World, budget time.Duration) (r bench.Result, err error) {
	sku, from, to, err := SellOut(w)
	if err != nil {
		return r, err
	}
	c := newClients(s.Address, "POST", s.Key, saleConnections)
	defer c.close()
	c.expect(fasthttp.StatusConflict)
	request := body(sku, w.Merchant.Locations[0], from, to)
	bodies := make([][]byte, 1_000)
	for i := range bodies {
		bodies[i] = request
	}
	var t bench.Tally
	for t.Took < budget {
		if err := c.askAll(&t, "/v1/admin/holds", bodies); err != nil {
			return r, err
		}
	}
	r = bench.Rate(t.Sample(), saleTarget)
	r.Note = fmt.Sprintf("%d refusals from %d connections, answers of %d bytes", t.N, saleConnections, t.Answers/t.N)
	return r, nil
}

// SellOut makes a SKU of 54 articles with one unit each at the first location,
// of which none is free over two days, and which are busy before them and behind them.
func SellOut(w *bench.World) (id base.ID, from, to int64, err error) {
	do := func(op base.Op) (any, error) {
		r, err := w.Engine.Do(engine.Command{Account: w.Account, Actor: "bench", Op: op})
		return r.Record, err
	}
	sku, err := do(stock.CreateSKU{SKUFields: stock.SKUFields{Name: "Flash sale"}})
	if err != nil {
		return id, 0, 0, err
	}
	const day = 24 * 60 * 60 * 1000
	id, place := sku.(*stock.SKU).ID, w.Merchant.Locations[0]
	from = dataset.Epoch + 60*day
	to = from + 2*day
	for i := range saleArticles {
		article, err := do(stock.CreateArticle{ArticleFields: stock.ArticleFields{Name: fmt.Sprintf("Flash sale %d", i), SKU: &id}, Quantities: []stock.InitialQuantity{{Location: place, Count: 1}}})
		if err != nil {
			return id, 0, 0, err
		}
		made := hold.PlaceHold{AllowPast: true}
		for k := range saleStays + 1 {
			start := from + int64(k-saleStays/2)*4*day + int64(i%24)*3_600_000 - 24*3_600_000
			made.Lines = append(made.Lines, hold.HoldLineInput{
				Item: base.Item{Article: article.(*stock.Article).ID}, Location: place, Quantity: 1, Window: base.Span{Start: start, End: start + 3*day},
			})
		}
		if _, err := do(made); err != nil {
			return id, 0, 0, err
		}
	}
	return id, from, to, nil
}
