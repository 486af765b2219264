package main

// This file owns the workloads of a bench: what each asks, and of which stock.

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"holdfast/timeline"
)

// workload is one kind of work, by the name that the command line gives it.
type workload struct {
	name, about string
	writes      bool
	most        int // clients; 0: as many as are wanted
	prepare     func(b *bench) (*requests, error)
}

// workloads are all there are, in the order in which they are done.
var workloads = []workload{
	{name: "point", about: "how many units of one article are free at its place over a window", prepare: preparePoint},
	{name: "sku", about: "how many of a SKU are free at one place over a window", prepare: prepareSKU},
	{name: "list", about: "the first 50 of all articles by units free in a week, whole records, with the total",
		prepare: prepareList},
	{name: "calendar", about: "how many of a SKU are free at one place on each of 90 days", prepare: prepareCalendar},
	{name: "bulk", about: "10,000 windows of articles and SKUs in one call", most: 8, prepare: prepareBulk},
	{name: "book", about: "a durable hold of one unit, spread over 50 SKUs", writes: true, prepare: prepareBook},
	{name: "book-one-pool", about: "the same, all of one article of 10,000 units", writes: true,
		prepare: prepareBookOnePool},
	{name: "sold-out", about: "a hold of a SKU of 54 articles that is sold out: each is refused", writes: true,
		prepare: prepareSoldOut},
}

// requests are what a workload sends.
type requests struct {
	method string
	path   string                              // below /v1/admin
	next   func(i int) (query, body []byte)    // of the i-th request; called by many clients at once
	status int                                 // of an answer that counts
	answer func(client int, body []byte) error // looks at one that counts; nil: none is looked at
	undo   func(progress func(what string)) error
}

// bench is what workloads are prepared with.
type bench struct {
	*benchTarget
	clients int
	now     time.Time
	stock   []benchItem // what is there; read once
}

// What a workload that has nothing to work on is left out for.
var (
	errNothingToAsk = errors.New("the account has no articles with units")
	errNoSKU        = errors.New("no article with units has a SKU")
)

// benchItem is an article, or a SKU, at a place where it has units.
type benchItem struct{ article, sku, location string }

// sampleArticles is how many articles are looked at: they are spread evenly over all.
const (
	samplePages    = 8
	sampleArticles = 250 // of a page
)

// items are articles of the account with the places where they have units, a sample where there are many.
func (b *bench) items() ([]benchItem, error) {
	if b.stock != nil {
		return b.stock, nil
	}
	var list []benchItem
	for page, step := 1, 1; ; page += step {
		var answer struct {
			Total    int `json:"totalCount"`
			Articles []struct {
				ID        string               `json:"id"`
				SKU       *struct{ ID string } `json:"sku"`
				Locations []struct {
					ID    string `json:"serviceLocationId"`
					Count int    `json:"count"`
				} `json:"articleLocations"`
			} `json:"articles"`
		}
		path := fmt.Sprintf("articles?page=%d&pageSize=%d&fields=id,sku,articleLocations", page, sampleArticles)
		if err := b.do(http.MethodGet, path, "", nil, &answer); err != nil {
			return nil, err
		}
		for _, a := range answer.Articles {
			for _, l := range a.Locations {
				if l.Count == 0 {
					continue
				}
				item := benchItem{article: a.ID, location: l.ID}
				if a.SKU != nil {
					item.sku = a.SKU.ID
				}
				list = append(list, item)
			}
		}
		pages := (answer.Total + sampleArticles - 1) / sampleArticles
		step = max(1, pages/samplePages)
		if page+step > pages {
			break
		}
	}
	if len(list) == 0 {
		return nil, errNothingToAsk
	}
	b.stock = list
	return list, nil
}

// skus are the items that have a SKU.
func (b *bench) skus() (list []benchItem, err error) {
	all, err := b.items()
	if err != nil {
		return nil, err
	}
	for _, item := range all {
		if item.sku != "" {
			list = append(list, item)
		}
	}
	if len(list) == 0 {
		return nil, errNoSKU
	}
	return list, nil
}

// drawnQuestions is how many questions are drawn before the clock runs.
const drawnQuestions = 1 << 14

// draws is the chance of one workload, the same in each run.
func draws() *rand.Rand { return rand.New(rand.NewPCG(20250601, 2)) }

// window is one of 1 hour to 14 days that begins within half a year.
func (b *bench) window(r *rand.Rand) timeline.Span {
	start := b.hour() + int64(r.IntN(180*24))*timeline.Hour
	return timeline.Span{Start: start, End: start + int64(1+r.IntN(14*24))*timeline.Hour}
}

// hour is the next full hour.
func (b *bench) hour() int64 { return b.now.Truncate(time.Hour).Add(time.Hour).UnixMilli() }

func fromTo(w timeline.Span) string {
	return "&from=" + instantText(w.Start) + "&to=" + instantText(w.End)
}

// questions are asked by query, which go round.
func questions(path string, list []benchItem, query func(r *rand.Rand, item benchItem) string) *requests {
	r := draws()
	queries := make([][]byte, drawnQuestions)
	for i := range queries {
		queries[i] = []byte(query(r, list[r.IntN(len(list))]))
	}
	return &requests{
		method: http.MethodGet, path: path, status: http.StatusOK,
		next: func(i int) (query, body []byte) { return queries[i%len(queries)], nil },
	}
}

func preparePoint(b *bench) (*requests, error) {
	return b.atPlaces(b.items, func(item benchItem) string { return "articleId=" + item.article })
}

func prepareSKU(b *bench) (*requests, error) {
	return b.atPlaces(b.skus, func(item benchItem) string { return "skuId=" + item.sku })
}

// atPlaces asks how many units of an item are free at its place over a window.
func (b *bench) atPlaces(items func() ([]benchItem, error), of func(item benchItem) string) (*requests, error) {
	list, err := items()
	if err != nil {
		return nil, err
	}
	return questions("availability", list, func(r *rand.Rand, item benchItem) string {
		return of(item) + "&serviceLocationId=" + item.location + fromTo(b.window(r))
	}), nil
}

func prepareList(b *bench) (*requests, error) {
	list, err := b.items()
	if err != nil {
		return nil, err
	}
	return questions("articles", list, func(r *rand.Rand, _ benchItem) string {
		start := b.window(r).Start
		return "dateRange[from]=" + instantText(start) + "&dateRange[to]=" + instantText(start+7*24*timeline.Hour) +
			"&sort=availability&direction=desc"
	}), nil
}

func prepareCalendar(b *bench) (*requests, error) {
	list, err := b.skus()
	if err != nil {
		return nil, err
	}
	return questions("availability/calendar", list, func(r *rand.Rand, item benchItem) string {
		start := b.window(r).Start
		return "skuId=" + item.sku + "&serviceLocationId=" + item.location + "&bucket=day" +
			fromTo(timeline.Span{Start: start, End: start + 90*24*timeline.Hour})
	}), nil
}

func prepareBulk(b *bench) (*requests, error) {
	const lines, bodies = 10_000, 4
	list, err := b.items()
	if err != nil {
		return nil, err
	}
	r := draws()
	all := make([][]byte, bodies)
	for i := range all {
		var text strings.Builder
		text.WriteString(`{"lines":[`)
		for n := range lines {
			if n > 0 {
				text.WriteByte(',')
			}
			item, w := list[r.IntN(len(list))], b.window(r)
			name, id := "articleId", item.article
			if n%2 == 1 && item.sku != "" {
				name, id = "skuId", item.sku
			}
			fmt.Fprintf(&text, `{"%s":"%s","serviceLocationId":"%s","from":"%s","to":"%s"}`, name, id, item.location,
				instantText(w.Start), instantText(w.End))
		}
		text.WriteString("]}")
		all[i] = []byte(text.String())
	}
	return &requests{
		method: http.MethodPost, path: "availability/query", status: http.StatusOK,
		next: func(i int) (query, body []byte) { return nil, all[i%len(all)] },
	}, nil
}

func prepareBook(b *bench) (*requests, error) { return b.booking(50, 4, 50) }

func prepareBookOnePool(b *bench) (*requests, error) { return b.booking(1, 1, 10_000) }

// holdLapses is after how many seconds a hold of a bench lapses by itself, the most that a hold may have. So it
// outlives the longest run of a workload, and the holds of a run that is killed lapse in the end.
const holdLapses = 7_200

// booking books single units of so many SKUs, each of so many articles with so many units: for a few hours within two
// years, so that there is room for all.
func (b *bench) booking(skus, articles, units int) (*requests, error) {
	s, err := b.makeStock(skus, articles, units)
	if err != nil {
		return nil, err
	}
	r := draws()
	bodies := make([][]byte, drawnQuestions)
	for i := range bodies {
		start := b.hour() + int64(r.IntN(700*24))*timeline.Hour
		bodies[i] = s.hold(r.IntN(skus), 1, timeline.Span{Start: start, End: start + int64(1+r.IntN(4))*timeline.Hour})
	}
	return &requests{
		method: http.MethodPost, path: "holds", status: http.StatusOK,
		next:   func(i int) (query, body []byte) { return nil, bodies[i%len(bodies)] },
		answer: s.keep, undo: s.remove,
	}, nil
}

// prepareSoldOut takes the only units of 54 articles, so that every answer says which bookings have them.
func prepareSoldOut(b *bench) (*requests, error) {
	const articles = 54
	s, err := b.makeStock(1, articles, 1)
	if err != nil {
		return nil, err
	}
	start := b.hour() + 30*24*timeline.Hour
	window := timeline.Span{Start: start, End: start + 48*timeline.Hour}
	if err := s.take(s.hold(0, articles, window)); err != nil {
		return nil, errors.Join(err, s.remove(func(string) {}))
	}
	body := s.hold(0, 1, window)
	return &requests{
		method: http.MethodPost, path: "holds", status: http.StatusConflict,
		next: func(int) (query, _ []byte) { return nil, body },
		undo: s.remove,
	}, nil
}
