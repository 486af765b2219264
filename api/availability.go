package api

import (
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"holdfast/engine"
)

// This file owns the questions about stock in time: how much can be held, when, and why not.

// availabilityLine is one question.
type availabilityLine struct {
	engine.Query
	quantity int // 0: not given
	answer   engine.Availability
}

// ask asks it, with what a booking can have.
func (l *availabilityLine) ask(v engine.View, now int64) (engine.Availability, error) {
	l.Moves = true
	return v.Available(l.Query, now)
}

// lineFields are the fields of a question. Without a location it is about all of them.
var lineFields = slices.Concat(
	itemFields(func(l *availabilityLine) *engine.Item { return &l.Item }),
	[]field[availabilityLine]{
		defaulted("serviceLocationId", itemID, engine.ID{}, func(l *availabilityLine) *engine.ID { return &l.Location }).
			says("The location. Default: all, added up."),
	},
	windowFields(func(l *availabilityLine) *engine.Span { return &l.Window }),
	[]field[availabilityLine]{
		defaulted("quantity", count, 0, func(l *availabilityLine) *int { return &l.quantity }).
			says("How many units are wanted. Given, the answer tells the shortage, too."),
	})

var (
	lineShape         = shapeOf("AvailabilityLine", lineFields...)
	availabilityShape = shapeOf("AvailabilityQuery",
		required("lines", list(object(lineShape), 1, 10_000), func(l *[]availabilityLine) *[]availabilityLine { return l }).
			says("The questions, which are answered in their order."))
)

// checkLine checks what the fields of a question say together. prefix is what stands before a field's name in a pointer.
func (q *request) checkLine(in, prefix string, i engine.Item, w engine.Span) {
	if !i.One() && !q.faults.at(prefix+"skuId") && !q.faults.at(prefix+"articleId") && !q.faults.at(prefix+"catalogItemId") {
		code, message := faultRequired, "one of skuId, articleId and catalogItemId has to be given"
		if i != (engine.Item{}) {
			code, message = faultExclusive, "only one of skuId, articleId and catalogItemId may be given"
		}
		q.faults.add(engine.Fault{In: in, Pointer: prefix + "skuId", Code: code, Message: message})
	}
	q.checkOrder(in, prefix, w)
}

func (q *request) checkOrder(in, prefix string, w engine.Span) {
	if w.Start >= w.End && !q.faults.at(prefix+"from") && !q.faults.at(prefix+"to") {
		q.faults.add(engine.Fault{In: in, Pointer: prefix + "to", Code: faultOrder, Message: "must be later than from"})
	}
}

var (
	availabilityMembers = []Member{
		has("available", integerSchema.says("How many further units can be held for the whole window, with the buffers that a booking would bring. "+
			"Of an article: on its own units, wherever else what is on them could go.")),
		has("withMoves", integerSchema.says("How many units a booking can have. Of an article it may be more than are available: "+
			"bookings that may be moved go to other articles of its SKU. Of anything else it is the same.")),
		has("stock", integerSchema.says("Units there at the instant of the window with the fewest free.")),
		has("committed", integerSchema.says("Units taken at that instant, those without a unit of their own included.")),
		has("exact", booleanSchema.says("True: a booking of one more than withMoves is sure to be refused. False: pinned holds made the search stop.")),
		has("shortage", integerSchema.orNull().says("How many of the units asked for a booking cannot have; null where no quantity was given.")),
	}
	availabilitySchema = recordSchema("Availability", slices.Concat(availabilityMembers, []Member{has("sequence", integerSchema.
				says("The account's count of committed changes that the answer is of."))})...)
	availabilityListSchema = recordSchema("AvailabilityList",
		has("lines", listSchema(recordSchema("AvailabilityOfLine", availabilityMembers...)).says("The answers, in the order of the questions.")),
		has("sequence", integerSchema.says("The account's count of committed changes that the answer is of."))).whole()
)

// appendAvailability appends the members of one answer, with its opening brace.
func appendAvailability(b []byte, a engine.Availability, quantity int) []byte {
	b = appendInt(append(b, `{"available":`...), a.Available)
	b = appendInt(append(b, `,"withMoves":`...), a.WithMoves)
	b = appendInt(append(b, `,"stock":`...), a.Stock)
	b = appendInt(append(b, `,"committed":`...), a.Committed)
	b = appendBool(append(b, `,"exact":`...), a.Exact)
	if quantity == 0 {
		return append(b, `,"shortage":null`...)
	}
	return appendInt(append(b, `,"shortage":`...), max(0, quantity-a.WithMoves))
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

// askLines asks many questions of a published view, shared out among the processors: most of their time goes into waiting for
// memory. Of several refusals the first line's is told.
func (q *request) askLines(v engine.View, lines []availabilityLine) error {
	parts := slices.Collect(slices.Chunk(lines, linesAtOnce))
	errs, panics := make([]error, len(parts)), make([]any, len(parts))
	var next atomic.Int64
	ask := func() (ok bool) {
		i := int(next.Add(1) - 1)
		if i >= len(parts) {
			return false
		}
		defer func() { panics[i] = recover() }() // the request's own goroutine knows what to do with it
		errs[i] = askEach(v, parts[i], i*linesAtOnce, q.now)
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
		if errs[i] != nil {
			return errs[i]
		}
	}
	return nil
}

// askEach asks one question after the other; first is the number of the first line.
func askEach(v engine.View, lines []availabilityLine, first int, now int64) (err error) {
	for i := range lines {
		l := &lines[i]
		if l.answer, err = l.ask(v, now); err != nil {
			e := *asRefusal(err)
			e.Detail += " (line " + strconv.Itoa(first+i) + ")"
			return &e
		}
	}
	return nil
}

// appendAnswers appends the answers to questions; the object of the answer stays open.
func appendAnswers(b []byte, lines []availabilityLine) []byte {
	b = append(b, `{"lines":[`...)
	for i := range lines {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendAvailability(b, lines[i].answer, lines[i].quantity), '}')
	}
	return append(b, ']')
}

type calendarInput struct {
	availabilityLine
	size engine.BucketSize
}

var calendarQuery = shapeOf("Calendar", slices.Concat(
	itemFields(func(l *calendarInput) *engine.Item { return &l.Item }),
	[]field[calendarInput]{
		defaulted("serviceLocationId", itemID, engine.ID{}, func(l *calendarInput) *engine.ID { return &l.Location }).
			says("The location. Default: all, added up; days are the account's then."),
		required("from", instant, func(l *calendarInput) *int64 { return &l.Window.Start }).says("First instant of the window."),
		required("to", instant, func(l *calendarInput) *int64 { return &l.Window.End }).says("First instant behind the window."),
		defaulted("bucket", enum(engine.BucketChange, engine.BucketHour, engine.BucketDay), engine.BucketDay,
			func(l *calendarInput) *engine.BucketSize { return &l.size }).
			says("Into what the window is cut: at each change, by hour or by local day. Default: day."),
	})...)

var calendarSchema = recordSchema("CalendarAnswer",
	has("buckets", listSchema(recordSchema("Bucket",
		has("range", rangeSchema.says("The piece of time.")),
		has("minFree", integerSchema.says("Fewest units free at an instant of it; below 0 where holds have no unit.")),
		has("maxFree", integerSchema.says("Most units free at an instant of it.")),
		has("available", integerSchema.says("How many units can be held for the whole bucket, without buffers: what availability says of it as a window.")),
		has("exact", booleanSchema.says("False: pinned holds made the search stop, and perhaps more units could be held.")))).
		says("The window in pieces, without gap or overlap.")),
	has("sequence", integerSchema.says("The account's count of committed changes that the answer is of."))).whole()

type nextInput struct {
	engine.NextQuery
	seconds int64
	until   *int64
}

const (
	maxSeconds = 10 * 366 * 24 * 60 * 60
	lookAhead  = 2 * 366 * 24 * 60 * 60 * 1000 // how far next looks unless it is told, in milliseconds
)

var nextShape = shapeOf("NextQuery", slices.Concat(
	itemFields(func(l *nextInput) *engine.Item { return &l.Item }),
	[]field[nextInput]{
		defaulted("serviceLocationId", itemID, engine.ID{}, func(l *nextInput) *engine.ID { return &l.Location }).
			says("The location. Default: all, added up."),
		required("notBefore", instant, func(l *nextInput) *int64 { return &l.NotBefore }).says("The window begins at this instant or later."),
		required("seconds", integer[int64](1, maxSeconds), func(l *nextInput) *int64 { return &l.seconds }).says("Length of the window, in seconds."),
		defaulted("quantity", count, 1, func(l *nextInput) *int { return &l.Quantity }).says("How many units have to be free. Default: 1."),
		optional("until", instant, func(l *nextInput) **int64 { return &l.until }).
			says("The window ends at this instant or before. Default: two years after notBefore."),
	})...)

var nextSchema = recordSchema("NextAnswer",
	has("from", instantSchema.orNull().says("First instant of the window; null where there is none.")),
	has("to", instantSchema.orNull().says("First instant behind the window; null where there is none.")))

var explainSchema = recordSchema("Explanation",
	has("available", integerSchema.says("How many units can be held for the whole window.")),
	has("at", instantSchema.says("The earliest instant of the window with the fewest units free.")),
	has("stock", integerSchema.says("Units there at that instant.")),
	has("blockingUnavailabilities", listSchema(unavailabilitySchema).says("The first 20 by start, then id.")),
	has("blockingTotal", integerSchema.says("How many stand in the way.")),
	has("alternatives", listSchema(recordSchema("Alternative",
		has("kind", enumSchema("later", "shorter", "location", "article").
			says("What is other: a later window, a shorter one, another location or another article.")),
		has("from", instantSchema.says("First instant of the window that would do.")),
		has("to", instantSchema.orNull().says("First instant behind it; null without end.")),
		has("serviceLocationId", idSchema.orNull().says("The other location; null where it is the one asked for.")),
		has("articleId", idSchema.orNull().says("The other article; null where it is what was asked for.")))).says("Ways out, the nearest first."))).whole()

func appendGivenID(b []byte, id engine.ID) []byte {
	if id == (engine.ID{}) {
		return append(b, "null"...)
	}
	return appendID(b, id)
}

var stockRead = []string{"inventory.stock_items.read"}

var availabilityOperations = []operation{
	readChecked(operation{
		id: "admin.availability.get", method: "GET", path: "/v1/admin/availability", scopes: stockRead, answer: availabilitySchema,
		summary: "Says how many units can be held for a window, with the buffers that a booking would bring.",
	}, input[availabilityLine]{query: lineShape},
		func(q *request, l *availabilityLine) { q.checkLine("query", "", l.Item, l.Window) },
		func(q *request, l *availabilityLine) error {
			a, err := l.ask(q.view, q.now)
			if err != nil {
				return err
			}
			q.out = appendAvailability(q.out, a, l.quantity)
			q.out = append(appendInt(append(q.out, `,"sequence":`...), q.view.Sequence()), '}')
			return nil
		}),
	readChecked(operation{
		id: "admin.availability.query", method: "POST", path: "/v1/admin/availability/query", scopes: stockRead, limit: bulkBodyLimit,
		answer: availabilityListSchema, summary: "Answers many questions on one state.",
	}, input[[]availabilityLine]{body: availabilityShape},
		func(q *request, lines *[]availabilityLine) { q.checkLines("/lines/", *lines) },
		func(q *request, lines *[]availabilityLine) error {
			if err := q.askLines(q.view, *lines); err != nil {
				return err
			}
			q.out = append(appendInt(append(appendAnswers(q.out, *lines), `,"sequence":`...), q.view.Sequence()), '}')
			return nil
		}),
	readChecked(operation{
		id: "admin.availability.calendar", method: "GET", path: "/v1/admin/availability/calendar", scopes: stockRead, answer: calendarSchema,
		summary: "Counts free units over a window, by day, by hour or by change, and says how many can be held for each whole bucket; no buffers are added.",
	}, input[calendarInput]{query: calendarQuery},
		func(q *request, l *calendarInput) { q.checkLine("query", "", l.Item, l.Window) },
		func(q *request, l *calendarInput) error {
			buckets, err := q.view.Calendar(l.Query, l.size, q.now, nil)
			if err != nil {
				return err
			}
			q.out = appendList(append(q.out, `{"buckets":`...), buckets, func(b []byte, x engine.Bucket) []byte {
				b = appendRange(append(b, `{"range":`...), x.Range)
				b = appendInt(append(b, `,"minFree":`...), x.MinFree)
				b = appendInt(append(b, `,"maxFree":`...), x.MaxFree)
				b = appendInt(append(b, `,"available":`...), x.Available)
				return append(appendBool(append(b, `,"exact":`...), x.Exact), '}')
			})
			q.out = append(appendInt(append(q.out, `,"sequence":`...), q.view.Sequence()), '}')
			return nil
		}),
	readChecked(operation{
		id: "admin.availability.next", method: "POST", path: "/v1/admin/availability/next", scopes: stockRead, answer: nextSchema,
		summary: "Finds the earliest window of a length in which units can be held.",
	}, input[nextInput]{body: nextShape},
		func(q *request, l *nextInput) {
			l.Length, l.Until = l.seconds*1000, l.NotBefore+lookAhead
			if l.until != nil {
				if l.Until = *l.until; l.Until <= l.NotBefore && !q.faults.at("/until") && !q.faults.at("/notBefore") {
					q.faults.add(engine.Fault{In: "body", Pointer: "/until", Code: faultOrder, Message: "must be later than notBefore"})
				}
			}
			q.checkLine("body", "/", l.Item, engine.Span{Start: 0, End: 1})
		},
		func(q *request, l *nextInput) error {
			w, ok, err := q.view.Next(l.NextQuery, q.now)
			switch {
			case err != nil:
				return err
			case !ok:
				q.out = append(q.out, `{"from":null,"to":null}`...)
			default:
				q.out = appendInstant(append(q.out, `{"from":`...), w.Start)
				q.out = append(appendInstant(append(q.out, `,"to":`...), w.End), '}')
			}
			return nil
		}),
	readChecked(operation{
		id: "admin.availability.explain", method: "POST", path: "/v1/admin/availability/explain", scopes: stockRead, answer: explainSchema,
		summary: "Says why there is no more: the instant with the least free units, the holds over it, and ways out.",
	}, input[availabilityLine]{body: lineShape},
		func(q *request, l *availabilityLine) { q.checkLine("body", "/", l.Item, l.Window) },
		func(q *request, l *availabilityLine) error {
			x, err := q.view.Explain(l.Query, max(1, l.quantity), q.now)
			if err != nil {
				return err
			}
			q.out = appendInt(append(q.out, `{"available":`...), x.Available)
			q.out = appendInstant(append(q.out, `,"at":`...), x.At)
			q.out = appendInt(append(q.out, `,"stock":`...), x.Stock)
			q.out = q.appendUnavailabilities(append(q.out, `,"blockingUnavailabilities":`...), x.Blockers)
			q.out = appendInt(append(q.out, `,"blockingTotal":`...), x.Blocking)
			q.out = appendList(append(q.out, `,"alternatives":`...), x.Alternatives, func(b []byte, a engine.Alternative) []byte {
				b = appendText(append(b, `{"kind":`...), a.Kind)
				b = appendInstant(append(b, `,"from":`...), a.Window.Start)
				b = appendInstant(append(b, `,"to":`...), a.Window.End)
				b = appendGivenID(append(b, `,"serviceLocationId":`...), a.Location)
				return append(appendGivenID(append(b, `,"articleId":`...), a.Article), '}')
			})
			q.out = append(q.out, '}')
			return nil
		}),
}

// badTogether says that checkLine has something to say; it saves the making of pointers for lines without fault.
func (l *availabilityLine) badTogether() bool {
	return !l.One() || l.Window.Start >= l.Window.End
}
