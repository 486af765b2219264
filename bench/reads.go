package bench

import (
	"fmt"

	"holdfast/bench/dataset"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the questions: what a shopper, a shop's page and a merchant ask. Each is asked on the last snapshot,
// at the middle of the data set's 24 months, about the time after it.

// drawn is how many questions are drawn ahead; the measured loops go through them again and again.
const drawn = 1 << 16

const day = 24 * 60 * 60 * 1000

// read is one kind of question. The function it makes asks the i-th one.
type read struct {
	name   string
	target Target
	make   func(w *World) func(i int)
}

var reads = []read{
	{"PointAvailability", AtMost(1, "us"), pointAvailability},
	{"SKUAvailability", AtMost(20, "us"), skuAvailability},
	{"SKUAvailabilityAllLocations", NoTarget("us"), skuAvailabilityAllLocations},
	{"ListFirstPage", AtMost(200, "us"), listPages(1)},
	{"ListAnyPage", AtMost(1500, "us"), listPages(0)},
	{"Calendar90Days", AtMost(200, "us"), calendar90Days},
	{"Starts90Days", AtMost(5000, "us"), starts90Days},
	{"PlanReduction", AtMost(1000, "us"), planReduction},
}

// pointAvailability: one article at its location, any article alike.
func pointAvailability(w *World) func(int) {
	return ask(w, false, func(q dataset.Query) hold.Query {
		return hold.Query{Item: base.Item{Article: w.Merchant.Articles[q.Article]},
			Location: w.Merchant.Locations[q.Location]}
	})
}

// skuAvailability: a SKU at one location, the SKUs as often as they are booked.
func skuAvailability(w *World) func(int) {
	return ask(w, true, func(q dataset.Query) hold.Query {
		return hold.Query{Item: base.Item{SKU: w.Merchant.SKUs[q.SKU]}, Location: w.Merchant.Locations[q.Location]}
	})
}

// skuAvailabilityAllLocations: the same over all ten locations.
func skuAvailabilityAllLocations(w *World) func(int) {
	return ask(w, true, func(q dataset.Query) hold.Query {
		return hold.Query{Item: base.Item{SKU: w.Merchant.SKUs[q.SKU]}}
	})
}

func ask(w *World, popular bool, about func(dataset.Query) hold.Query) func(int) {
	list := make([]hold.Query, drawn)
	for i, q := range w.Set.Queries(drawn, 1, popular) {
		list[i] = about(q)
		list[i].Window = timeline.Span{Start: q.Start, End: q.End}
	}
	v := w.View()
	return func(i int) {
		if _, err := hold.Available(v, list[i%drawn], dataset.Middle); err != nil {
			panic(err)
		}
	}
}

// calendar90Days: a SKU at one location, by day, into a buffer of the caller.
func calendar90Days(w *World) func(int) {
	list := ninetyDays(w)
	v := w.View()
	var out []stock.Bucket
	return func(i int) {
		var err error
		if out, err = hold.Calendar(v, list[i%drawn], stock.BucketDay, dataset.Middle, out[:0]); err != nil {
			panic(err)
		}
		if len(out) != 90 {
			panic(fmt.Sprintf("bench: a calendar of 90 days has %d", len(out)))
		}
	}
}

// starts90Days: the same SKUs, places and days, asked on which of them a rental of two days can begin, buffers in.
func starts90Days(w *World) func(int) {
	list := ninetyDays(w)
	v := w.View()
	var out []hold.Start
	return func(i int) {
		var err error
		q := hold.StartQuery{Query: list[i%drawn], Length: commerce.Period{Amount: 2, Unit: timeline.Days}}
		if out, err = hold.Starts(v, q, dataset.Middle, out[:0]); err != nil {
			panic(err)
		}
		if len(out) < 90 {
			panic(fmt.Sprintf("bench: a calendar of 90 days has %d starts", len(out)))
		}
	}
}

// ninetyDays are windows of 90 days of the SKUs, as often as they are booked.
func ninetyDays(w *World) []hold.Query {
	list := make([]hold.Query, drawn)
	for i, q := range w.Set.Queries(drawn, 2, true) {
		start := min(q.Start, dataset.End-90*day) / day * day
		list[i] = hold.Query{
			Item: base.Item{SKU: w.Merchant.SKUs[q.SKU]}, Location: w.Merchant.Locations[q.Location],
			Window: timeline.Span{Start: start, End: start + 90*day},
		}
	}
	return list
}

// listPages: 50 of all articles by units free in 7 days with the exact total, most first and fewest first in turns; the
// first page, or with pages 0 any one of them.
func listPages(pages int) func(w *World) func(int) {
	return func(w *World) func(int) {
		const size = 50
		v := w.View()
		n := pages
		if n == 0 {
			n = (len(w.Merchant.Articles) + 2) / size
		}
		rng := dataset.Rand(3)
		list := make([]stock.ArticleQuery, drawn)
		for i, q := range w.Set.Queries(drawn, 4, false) {
			start := min(q.Start, dataset.End-7*day)
			list[i] = stock.ArticleQuery{
				Window: timeline.Span{Start: start, End: start + 7*day}, Now: dataset.Middle, Active: true,
				Archived: true,
				Sort:     stock.ByAvailability, Offset: size * rng.Int(n), Limit: size,
			}
		}
		var page []*stock.Article
		return func(i int) {
			q := list[i/2%drawn]
			var total int
			var err error
			q.Desc = i%2 == 0
			page, total, err = stock.ListArticles(v, &q, page[:0])
			if err != nil {
				panic(err)
			}
			if len(page) != size || total != len(w.Merchant.Articles)+2 {
				panic(fmt.Sprintf("bench: a page of %d of %d articles", len(page), total))
			}
		}
	}
}

// planReduction: one unit less of an article with 20 units and 1,000 holds to come.
func planReduction(w *World) func(int) {
	v := w.View()
	return func(int) {
		plan, err := stock.PlanQuantity(v, w.Busy, w.Merchant.Locations[0], 1, nil, dataset.Middle)
		if err != nil {
			panic(err)
		}
		if !plan.OK {
			panic("bench: the unit cannot go: " + plan.Reason)
		}
	}
}
