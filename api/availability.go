package api

import (
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns the questions about stock in time: how much can be held, when, and why not.

// availabilityLine is one question.
type availabilityLine struct {
	hold.Query
	quantity int // 0: not given
	answer   stock.Availability
}

// ask asks it, with what a booking can have.
func (l *availabilityLine) ask(v base.View, now int64) (stock.Availability, error) {
	l.Moves = true
	return hold.Available(v, l.Query, now)
}

// aboutReturn says what a question is about whose units go elsewhere.
const aboutReturn = "The location to which the units are brought back. If it is another one, they leave their " +
	"location for good: then only units count that no other hold needs from the window's start on, without end. " +
	"Default: the location where they are taken."

// lineFields are the fields of a question. Without a location it is about all of them.
var lineFields = slices.Concat(
	itemFields(func(l *availabilityLine) *base.Item { return &l.Item }),
	[]wire.Field[availabilityLine]{
		wire.Defaulted("serviceLocationId", wire.SomeID, base.ID{},
			func(l *availabilityLine) *base.ID { return &l.Location }).
			Says("The location. Default: all, added up."),
		wire.Defaulted("returnServiceLocationId", wire.SomeID, base.ID{},
			func(l *availabilityLine) *base.ID { return &l.Return }).
			Says(aboutReturn),
	},
	windowFields(func(l *availabilityLine) *base.Span { return &l.Window }),
	[]wire.Field[availabilityLine]{
		wire.Defaulted("quantity", count, 0, func(l *availabilityLine) *int { return &l.quantity }).
			Says("How many units are wanted. If it is given, the answer also has the shortage."),
	})

var (
	lineShape         = wire.ShapeOf("AvailabilityLine", lineFields...)
	availabilityShape = wire.ShapeOf("AvailabilityQuery",
		wire.Required("lines", wire.ListOf(wire.Object(lineShape), 1, 10_000),
			func(l *[]availabilityLine) *[]availabilityLine { return l }).
			Says("The questions, which are answered in their order."))
)

// checkLine checks what the fields of a question say together. prefix is what stands before a field's name in a
// pointer.
func (q *request) checkLine(in, prefix string, i base.Item, w base.Span) {
	if !i.One() && !q.faults.At(prefix+"skuId") && !q.faults.At(prefix+"articleId") &&
		!q.faults.At(prefix+"catalogItemId") {
		code, message := wire.FaultRequired, "one of skuId, articleId and catalogItemId has to be given"
		if i != (base.Item{}) {
			code, message = wire.FaultExclusive, "only one of skuId, articleId and catalogItemId may be given"
		}
		q.fault(in, prefix+"skuId", code, message)
	}
	q.checkOrder(in, prefix, w)
}

func (q *request) checkOrder(in, prefix string, w base.Span) {
	if w.Start >= w.End && !q.faults.At(prefix+"from") && !q.faults.At(prefix+"to") {
		q.fault(in, prefix+"to", wire.FaultOrder, "must be later than from")
	}
}

var (
	availabilitySchema = describe("Availability", func(w *scribe, l *availabilityLine) {
		w.writeAvailability(l)
		w.sequence()
	})
	availabilityListSchema = describe("AvailabilityList", func(w *scribe, l *[]availabilityLine) {
		w.writeAnswers(*l)
		w.sequence()
	}).Uncut()
)

func (w *scribe) writeAvailability(l *availabilityLine) {
	a := &l.answer
	w.Count("available", a.Available,
		"How many further units can be held for the whole window, with the buffers that a booking would bring. Of an "+
			"article: on its own units, without moving bookings to other articles.")
	w.Count("withMoves", a.WithMoves,
		"How many units a booking can get. Of an article it may be more than available, because other bookings can "+
			"move to other articles of its SKU, or fewer, because units are left for bookings of its SKU that have "+
			"none yet. Of anything else it equals available.")
	w.Count("stock", a.Stock,
		"Units there at the instant of the window with the fewest free. Each location has one of its own, and so have "+
			"articles of a SKU with other buffers: these are added up.")
	w.Count("committed", a.Committed, "Units taken at that instant, those without a unit of their own included. Of a "+
		"SKU without those that wait for one of its articles that has no room for them: they keep no other free.")
	w.Bool("exact", a.Exact,
		"True: a booking of one more than withMoves is sure to be refused. False: pinned holds made the search stop.")
	w.Key("shortage", wire.IntegerOrNull,
		"How many of the units asked for a booking cannot get; null where no quantity was given.")
	if l.quantity == 0 {
		w.Nil()
		return
	}
	w.Out = wire.AppendInt(w.Out, max(0, l.quantity-a.WithMoves))
}

// answerBytes is about how long an answer to one of many questions is.
const answerBytes = len(`{"available":10,"withMoves":10,"stock":10,"committed":10,"exact":false,"shortage":null},`)

// writeAnswers writes the answers to questions.
func (w *scribe) writeAnswers(lines []availabilityLine) {
	w.Out = slices.Grow(w.Out, answerBytes*len(lines))
	wire.List(&w.Writer, "lines", "AvailabilityOfLine", lines, "The answers, in the order of the questions.",
		w.writeAvailability)
}

// sequence is the state that an answer is of.
func (w *scribe) sequence() {
	w.Key("sequence", wire.IntegerSchema,
		"The account's count of committed changes at the state that the answer is about.")
	if w.Writes() {
		w.Out = wire.AppendInt(w.Out, w.view.Sequence())
	}
}

// checkLines is checkLine for many, under a pointer.
func (q *request) checkLines(pointer string, lines []availabilityLine) {
	for i := range lines {
		if l := &lines[i]; l.badTogether() {
			q.checkLine("body", pointer+strconv.Itoa(i)+"/", l.Item, l.Window)
		}
	}
}

// linesAtOnce is how many questions a goroutine takes at a time.
const linesAtOnce = 256

// askLines asks many questions of a published view, shared out among the processors: most of their time goes into
// waiting for memory. Those about one item follow each other, as what was read for one is at hand for the next. Of
// several refusals, the answer gives that of the first line.
func (q *request) askLines(v base.View, lines []availabilityLine) error {
	parts := slices.Collect(slices.Chunk(byItem(lines), linesAtOnce))
	errs, panics := make([]error, len(lines)), make([]any, len(parts))
	var next atomic.Int64
	ask := func() (ok bool) {
		i := int(next.Add(1) - 1)
		if i >= len(parts) {
			return false
		}
		defer func() { panics[i] = recover() }() // the request's own goroutine knows what to do with it
		for _, x := range parts[i] {
			l := &lines[x.line]
			l.answer, errs[x.line] = l.ask(v, q.now)
		}
		return true
	}
	var workers sync.WaitGroup
	for range min(len(parts), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for ask() {
			}
		})
	}
	workers.Wait()
	for i := range parts {
		if panics[i] != nil {
			panic(panics[i])
		}
	}
	return firstRefusal(errs)
}

// lineOf is a question by its item.
type lineOf struct {
	item uint64 // the parts of its id in which those of one shop differ
	line int32
}

// byItem puts questions in the order of their items: nearly that in which these were made, in which they lie in memory.
func byItem(lines []availabilityLine) []lineOf {
	order := make([]lineOf, len(lines))
	for i := range lines {
		l := &lines[i]
		id := cmp.Or(l.Article, l.SKU, l.CatalogItem)
		order[i] = lineOf{uint64(binary.BigEndian.Uint32(id[2:]))<<32 | uint64(binary.BigEndian.Uint32(id[12:])),
			int32(i)}
	}
	slices.SortFunc(order, func(x, y lineOf) int { return cmp.Compare(x.item, y.item) })
	return order
}

// firstRefusal is the refusal of the first line that is refused.
func firstRefusal(errs []error) error {
	for i, err := range errs {
		if err != nil {
			e := *asRefusal(err)
			e.Detail += " (line " + strconv.Itoa(i) + ")"
			return &e
		}
	}
	return nil
}

// askEach asks one question after the other.
func askEach(v base.View, lines []availabilityLine, now int64) error {
	errs := make([]error, len(lines))
	for i := range lines {
		l := &lines[i]
		l.answer, errs[i] = l.ask(v, now)
	}
	return firstRefusal(errs)
}

type nextInput struct {
	hold.NextQuery
	seconds int64
	until   *int64
}

const (
	maxSeconds = 10 * 366 * 24 * 60 * 60
	lookAhead  = 2 * 366 * 24 * 60 * 60 * 1000 // latest begin after notBefore where until is not given, in milliseconds
)

var nextShape = wire.ShapeOf("NextQuery", slices.Concat(
	itemFields(func(l *nextInput) *base.Item { return &l.Item }),
	[]wire.Field[nextInput]{
		wire.Defaulted("serviceLocationId", wire.SomeID, base.ID{}, func(l *nextInput) *base.ID { return &l.Location }).
			Says("The location. Default: all, added up."),
		wire.Defaulted("returnServiceLocationId", wire.SomeID, base.ID{},
			func(l *nextInput) *base.ID { return &l.Return }).
			Says(aboutReturn),
		wire.Required("notBefore", wire.Instant, func(l *nextInput) *int64 { return &l.NotBefore }).
			Says("The window begins at this instant or later."),
		wire.Required("seconds", wire.Integer[int64](1, maxSeconds), func(l *nextInput) *int64 { return &l.seconds }).
			Says("Length of the window, in seconds."),
		wire.Defaulted("quantity", count, 1, func(l *nextInput) *int { return &l.Quantity }).
			Says("How many units have to be free. Default: 1."),
		wire.Optional("until", wire.Instant, func(l *nextInput) **int64 { return &l.until }).
			Says("The window ends at this instant or before. Default: it begins before two years after notBefore " +
				"have passed, and may end later."),
	})...)

var nextSchema = describe("NextAnswer", (*scribe).writeNext)

// writeNext writes a window; one that begins never is none.
func (w *scribe) writeNext(s *base.Span) {
	w.End("from", s.Start, "First instant of the window; null where there is none.")
	w.End("to", s.End, "First instant after the window; null where there is none.")
}

var (
	alternativeKinds = wire.EnumSchema("later", "shorter", "location", "article")
	explainSchema    = describe("Explanation", (*scribe).writeExplanation).Uncut()
)

func (w *scribe) writeExplanation(x *hold.Explanation) {
	w.Count("available", x.Available,
		"How many units can be held for the whole window: of an article as withMoves of an availability counts them.")
	w.Instant("at", x.At, "The earliest instant of the window with the fewest units free. Each location has one of "+
		"its own, and so have articles of a SKU with other buffers: this is that of the one with the fewest free.")
	w.Count("stock", x.Stock, "Units there at that instant; of several, those of each at its own, added up.")
	w.units("blockingUnavailabilities", x.Blockers, 0,
		"The holds over that instant, of several those of each over its own: the first 20 by start, then id.")
	w.Count("blockingTotal", x.Blocking, "How many stand in the way.")
	wire.List(&w.Writer, "alternatives", "Alternative", x.Alternatives, "Ways out, the nearest first.",
		func(a *hold.Alternative) {
			w.As(alternativeKinds, "kind", a.Kind,
				"What differs: a later window, the longest shorter one from the same start in whole hours, another "+
					"location or another article.")
			w.Instant("from", a.Window.Start, "First instant of the window that is possible.")
			w.End("to", a.Window.End, "First instant after it; null without end.")
			w.GivenID("serviceLocationId", a.Location, "The other location; null where it is the one asked for.")
			w.GivenID("articleId", a.Article, "The other article; null where it is what was asked for.")
		})
}

var availabilityOperations = []operation{
	readChecked(operation{
		id: "admin.availability.get", method: "GET", path: "/v1/admin/availability", scopes: stockRead,
		answer:  availabilitySchema,
		summary: "Says how many units can be held for a window, with the buffers that a booking would bring.",
	}, input[availabilityLine]{query: lineShape},
		func(q *request, l *availabilityLine) { q.checkLine("query", "", l.Item, l.Window) },
		func(q *request, l *availabilityLine) error {
			var err error
			if l.answer, err = l.ask(q.view, q.now); err != nil {
				return err
			}
			q.Braces(func() {
				q.writeAvailability(l)
				q.sequence()
			})
			return nil
		}),
	readChecked(operation{
		id: "admin.availability.query", method: "POST", path: "/v1/admin/availability/query", scopes: stockRead,
		limit: bulkBodyLimit, answer: availabilityListSchema, summary: "Answers many questions on one state.",
	}, input[[]availabilityLine]{body: availabilityShape},
		func(q *request, lines *[]availabilityLine) { q.checkLines("/lines/", *lines) },
		func(q *request, lines *[]availabilityLine) error {
			if err := q.askLines(q.view, *lines); err != nil {
				return err
			}
			q.Braces(func() {
				q.writeAnswers(*lines)
				q.sequence()
			})
			return nil
		}),
	getCalendar, listCalendars,
	readChecked(operation{
		id: "admin.availability.next", method: "POST", path: "/v1/admin/availability/next", scopes: stockRead,
		answer: nextSchema, summary: "Finds the earliest window of a length in which units can be held.",
	}, input[nextInput]{body: nextShape},
		func(q *request, l *nextInput) {
			l.Length, l.Until = l.seconds*1000, l.NotBefore+lookAhead
			if l.until != nil {
				l.Until = *l.until - l.Length + 1 // an end gives the first instant at which it does not begin any more
				if *l.until <= l.NotBefore && !q.faults.At("/until") && !q.faults.At("/notBefore") {
					q.fault("body", "/until", wire.FaultOrder, "must be later than notBefore")
				}
			}
			q.checkLine("body", "/", l.Item, base.Span{Start: 0, End: 1})
		},
		func(q *request, l *nextInput) error {
			w, ok, err := hold.Next(q.view, l.NextQuery, q.now)
			switch {
			case err != nil:
				return err
			case !ok:
				w = base.Span{Start: base.Forever, End: base.Forever}
			}
			appendRecord(&q.scribe, &w, (*scribe).writeNext)
			return nil
		}),
	readChecked(operation{
		id: "admin.availability.explain", method: "POST", path: "/v1/admin/availability/explain", scopes: stockRead,
		answer: explainSchema,
		summary: "Explains why no more units are available: the instant with the fewest free units, the holds over " +
			"it, and alternatives.",
	}, input[availabilityLine]{body: lineShape},
		func(q *request, l *availabilityLine) { q.checkLine("body", "/", l.Item, l.Window) },
		func(q *request, l *availabilityLine) error {
			x, err := hold.Explain(q.view, l.Query, max(1, l.quantity), q.now)
			if err != nil {
				return err
			}
			appendRecord(&q.scribe, x, (*scribe).writeExplanation)

			return nil
		}),
}

// badTogether says that checkLine has something to say; it saves the making of pointers for lines without fault.
func (l *availabilityLine) badTogether() bool {
	return !l.One() || l.Window.Start >= l.Window.End
}
