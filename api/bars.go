package api

import (
	"cmp"
	"slices"
	"strconv"

	"holdfast/api/wire"
	"holdfast/engine"
	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the pictures of stock in time on the wire: bars of articles, and free units of SKUs by day or hour.

const (
	barsOfRow   = 64
	stepsOfRow  = 128
	dayOfMillis = 24 * 60 * 60 * 1000
)

// listBarsQuery is that of the list of articles, without what is about members of its own.
var listBarsQuery = wire.ShapeOf("ListBars",
	slices.DeleteFunc(slices.Clone(listArticlesFields), func(f wire.Field[listArticles]) bool {
		return f.Name == "fields" || f.Name == withBuffers
	})...)

// barRow is an article with what is on it.
type barRow struct {
	article stock.Article
	sku     *stock.SKU
	persons bool // customers may be named
	*engine.ArticleBars
}

var (
	barStates  = wire.EnumSchema("out", "back")
	barRows    = describeAs("ArticleBars", &barRow{ArticleBars: new(engine.ArticleBars)}, (*scribe).writeBarRow)
	barsSchema = describe("ArticleBarsPage", func(w *scribe, _ *none) {
		w.Key("data", wire.ListSchema(barRows), "The articles of the page.")
		w.pagination(page{size: 1}, 0)
		w.sequence()
	}).Uncut()
)

func (w *scribe) writeBarRow(r *barRow) {
	w.ID("id", r.article.ID, "The article's id.")
	w.Text("name", r.article.Name, "What the article is called.")
	code := ""
	if len(r.article.Codes) > 0 {
		code = r.article.Codes[0]
	}
	w.Text("code", code, "The first of its codes; empty without one.")
	wire.Nullable(&w.Writer, "sku", "SKUOfBars", r.sku, "Its SKU; null without one.", func(s *stock.SKU) {
		w.ID("id", s.ID, "The SKU's id.")
		w.Text("name", s.Name, "What the SKU is called.")
	})
	w.Count("units", r.Units, "The most units that are there at an instant of the window.")
	at := base.ID{}
	for _, b := range slices.Concat(r.Bars[:min(len(r.Bars), 1)], r.Conflicts[:min(len(r.Conflicts), 1)]) {
		at = cmp.Or(at, b.Location)
	}
	if w.May(at != base.ID{}) {
		w.ID("serviceLocationId", at,
			"The location that its bars are at, where they do not say another; left out where it has none.")
	}
	bar := func(b *engine.Bar) { w.writeBar(r, b, at) }
	wire.First(&w.Writer, "bars", "Bar", r.Bars, r.Taken, "What takes a unit in the window, by its start.", bar)
	wire.First(&w.Writer, "conflicts", "Bar", r.Conflicts, r.Short, "What has no unit in the window, by its start.",
		bar)
	wire.First(&w.Writer, "events", "EventOfBars", wire.UpTo(r.Events, barsOfRow), len(r.Events),
		"Its events over the window.",
		func(s **stock.ScheduledEvent) {
			e := *s
			if e == nil {
				e = &stock.ScheduledEvent{}
			}
			w.ID("id", e.ID, "The event's id.")
			w.As(eventType.Schema, "type", string(e.Type), "Whether it takes a unit (reservation) or not (note).")
			w.Text("name", e.Name, "What people call the event.")
			w.Instant("from", e.Window.Start, "First instant of the event.")
			w.End("to", e.Window.End, "First instant after the event; null: without end.")
		})
	i := 0
	wire.List(&w.Writer, "steps", "CountStep", r.Steps,
		"How many units there are and how many of them are taken, from each instant on at "+
			"which that changes: of an article with more units than one, or with one that comes or goes in "+
			"the window. "+
			"Empty for others.", func(from *int64) {
			var c timeline.Count
			if i < len(r.Counts) { // a schema is made of none
				c = r.Counts[i]
			}
			w.Instant("from", *from, "From when on.")
			w.Count("stock", c.Stock, "Units there.")
			w.Count("taken", c.Committed, "Units taken of them, conflicts included.")
			i++
		})
	w.Bool("stepped", r.Stepped, "False: there are more steps than these; ask for a shorter window.")
}

// writeBar leaves out what goes without saying of most bars of a row, which are at one location: a screen has thousands
// of them.
func (w *scribe) writeBar(r *barRow, b *engine.Bar, at base.ID) {
	w.ID("id", b.ID, "The id of the taken unit.")
	if w.May(b.Range.Start != b.Body.Start) {
		w.Instant("from", b.Range.Start,
			"From when on it is taken, where a buffer is in front of the booking; left out: from bodyFrom on.")
	}
	if w.May(b.Range.End != b.Body.End) {
		w.End("to", b.Range.End,
			"Until when it is taken, where a buffer is behind the booking; left out: until bodyTo.")
	}
	w.Instant("bodyFrom", b.Body.Start, "Where the booking itself begins.")
	w.End("bodyTo", b.Body.End, "Where the booking itself ends; null without end.")
	if kind := bodyType(b.Kind); w.May(kind != "booking") {
		w.As(intervalTypes, "type", kind, "What the time is; left out: booking.")
	}
	w.As(blockerTypes, "blockerType", blockerType(b.Flags.Blocker()), "What takes it.")
	w.ID("ownerId", b.Owner, "The hold, the order or the event that takes it.")
	if w.May(b.Number > 0) {
		w.Count("orderNumber", int(b.Number), "The order's number; left out where something else takes it.")
	}
	if w.May(b.Label != "" && (r.persons || b.Flags.Blocker() != timeline.BlockerOrder)) {
		w.Text("label", b.Label, "Whom or what it is for: an order's customer, a hold's note, an event's name. Left "+
			"out where there is none, and of an order where the key has neither customers.read nor "+
			"orders.details.read.")
	}
	if w.May(b.Location != at) {
		w.ID("serviceLocationId", b.Location, "The location that it is at; left out: the row's.")
	}
	if w.May(r.Units > 1 && b.Slot != base.ID{}) {
		w.ID("slotId", b.Slot, "The unit that it sits on, of an article with more units than one; otherwise left out.")
	}
	state := ""
	switch {
	case b.Flags.Has(timeline.Back):
		state = "back"
	case b.Flags.Has(timeline.Out):
		state = "out"
	}
	if w.May(state != "") {
		w.As(barStates, "state", state, "Whether the unit is out, or has come back and what is left is its buffer; "+
			"left out where it is still to be handed over.")
	}
	if w.May(b.Due != 0) {
		w.Instant("dueAt", b.Due,
			"When it should have been back, if it is still out after that; otherwise left out.")
	}
	if w.May(b.GoesTo != base.ID{}) {
		w.ID("goesToLocationId", b.GoesTo,
			"Where it stays from the end of its time on, if that is another location; otherwise left out.")
	}
	if w.May(b.Flags.Any(timeline.Pinned)) {
		w.Bool("pinned", b.Flags.Any(timeline.Pinned),
			"True where it stays on its article or unit: it was asked for by name, or is out; otherwise left out.")
	}
}

// listBars answers with a page of articles and what is on them, of one state.
func (q *request) listBars(o *listArticles) error {
	if o.window == nil {
		o.window = &window{q.now, q.now + dayOfMillis}
	}
	o.Window = q.span(o.window)
	articles, total, location, err := q.selectArticles(o)
	if err != nil {
		return err
	}
	if o.Window.Start == o.Window.End {
		o.Window.End++
	}
	row := barRow{ArticleBars: &q.bars, persons: q.may("customers.read") || q.may(ordersRead[0])}
	defer q.bars.Reset(keptStock)
	q.Out = append(q.Out, `{"data":[`...)
	if !q.rows(len(articles), func(i int) {
		row.article, row.sku = *articles[i], nil
		if of := articles[i].SKU; of != nil {
			row.sku = stock.SKUByID(q.view, *of)
		}
		engine.FillArticleBars(q.view, &q.bars, articles[i], location, o.Window, barsOfRow, stepsOfRow)
		appendRecord(&q.scribe, &row, (*scribe).writeBarRow)
	}) {
		return nil
	}
	q.Out = append(q.Out, ']')
	q.pagination(o.page, total)
	q.scribe.sequence()
	q.Out = append(q.Out, '}')
	q.link(o.page, o.page.pages(total))
	return nil
}

type countSKUs struct {
	skus     []base.ID
	location base.ID
	window   base.Span
	size     stock.BucketSize
	page     page
}

var countSKUsQuery = wire.ShapeOf("CountSKUs", slices.Concat([]wire.Field[countSKUs]{
	wire.Defaulted("skuIds", wire.ListOf(wire.UUID, 1, maxListIDs), nil,
		func(o *countSKUs) *[]base.ID { return &o.skus }).
		Says("Only these SKUs, in the order of the list. Default: all, in order of creation."),
	wire.Defaulted("serviceLocationId", wire.SomeID, base.ID{}, func(o *countSKUs) *base.ID { return &o.location }).
		Says("The location. Default: all, added up; days are the account's then."),
	wire.Required("from", wire.Instant, func(o *countSKUs) *int64 { return &o.window.Start }).
		Says("First instant of the window."),
	wire.Required("to", wire.Instant, func(o *countSKUs) *int64 { return &o.window.End }).
		Says("First instant after the window."),
	wire.Defaulted("bucket", wire.Enum(stock.BucketHour, stock.BucketDay), stock.BucketDay,
		func(o *countSKUs) *stock.BucketSize { return &o.size }).
		Says("Size of each bucket: by hour or by local day. Default: day. At most 91,500 counts: 366 days " +
			"of 250 SKUs."),
}, pageFields(func(o *countSKUs) *page { return &o.page }))...)

// mostCounts is how many numbers an answer has at most, of each kind.
const mostCounts = maxPageSize * 366

// skuRow is a SKU with its counts; a schema is made of an empty one.
type skuRow struct {
	sku         stock.SKU
	free, stock []int
}

var (
	skuRows      = describe("SKUCounts", (*scribe).writeSKURow)
	countsSchema = describe("SKUCountsPage", func(w *scribe, _ *none) {
		w.Key("edges", wire.ListSchema(wire.InstantSchema), aboutEdges)
		w.Key("data", wire.ListSchema(skuRows), "The SKUs of the page.")
		w.pagination(page{size: 1}, 0)
		w.sequence()
	}).Uncut()
)

const aboutEdges = "The instants that cut the window, its start and its end included: one more than there are buckets."

func (w *scribe) writeSKURow(r *skuRow) {
	w.ID("id", r.sku.ID, "The SKU's id.")
	w.Text("name", r.sku.Name, "What the SKU is called.")
	w.TextOrNull("code", r.sku.Code, "The SKU's code.")
	w.counts("minFree", r.free, "Fewest units free at an instant of each bucket; below 0 where holds have no unit. Of "+
		"all locations it is the sum of what each of them has by itself.")
	w.counts("stock", r.stock, "Units there at the start of each bucket.")
}

var countListSchema = wire.ListSchema(wire.IntegerSchema)

func (w *scribe) counts(name string, list []int, about string) {
	w.Key(name, countListSchema, about)
	w.Out = wire.AppendList(w.Out, list, wire.AppendInt[int])
}

// checkCountSKUs bounds the answer by how many buckets and SKUs are asked for.
func (q *request) checkCountSKUs(o *countSKUs) {
	q.checkOrder("query", "", o.window)
	length := int64(dayOfMillis)
	if o.size == stock.BucketHour {
		length /= 24
	}
	if buckets := (o.window.End - o.window.Start) / length; buckets*int64(o.page.size) > mostCounts &&
		!q.faults.At("to") {
		q.fault("query", "to", wire.FaultRange,
			"would give more than "+strconv.Itoa(mostCounts)+" counts with this pageSize")
	}
}

func (q *request) countSKUs(o *countSKUs) error {
	var skus []*stock.SKU
	total := stock.SKUs(q.view).Len()
	if o.skus != nil {
		total = len(o.skus)
	}
	for i := o.page.offset(); i < min(o.page.offset()+o.page.size, total); i++ {
		s := (*stock.SKU)(nil)
		if o.skus == nil {
			s = stock.SKUs(q.view).At(i)
		} else if s = stock.SKUByID(q.view, o.skus[i]); s == nil {
			return refuse(base.CodeNotFound, "there is no SKU "+o.skus[i].String())
		}
		skus = append(skus, s)
	}
	edges, free, stock, err := engine.CountSKUs(q.view, skus, o.location, o.window, o.size)
	if err != nil {
		return err
	}
	q.Out = append(q.Out, '{')
	q.Key("edges", nil, "")
	q.Out = wire.AppendList(q.Out, edges, wire.AppendInstant)
	q.Out = append(q.Out, `,"data":[`...)
	for i, s := range skus {
		q.Next()
		appendRecord(&q.scribe, &skuRow{*s, free[i], stock[i]}, (*scribe).writeSKURow)
		if !q.grown(len(q.Out)) {
			return nil
		}
	}
	q.Out = append(q.Out, ']')
	q.pagination(o.page, total)
	q.scribe.sequence()
	q.Out = append(q.Out, '}')
	q.link(o.page, o.page.pages(total))
	return nil
}

var barOperations = []operation{
	readChecked(operation{
		id: "admin.articles.listBars", method: "GET", path: "/v1/admin/articles/bars", scopes: stockRead,
		answer: barsSchema,
		summary: "Lists articles with what takes their units in a window, as bars: what a picture of the stock in " +
			"time needs, of one state.",
	}, input[listArticles]{query: listBarsQuery}, (*request).checkListArticles, (*request).listBars),
	readChecked(operation{
		id: "admin.availability.counts", method: "GET", path: "/v1/admin/availability/counts", scopes: stockRead,
		answer:  countsSchema,
		summary: "Counts free units and stock of many SKUs over a window, by day or hour, of one state.",
	}, input[countSKUs]{query: countSKUsQuery}, (*request).checkCountSKUs, (*request).countSKUs),
}
