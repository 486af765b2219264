package api

import (
	"slices"
	"strconv"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns calendars: free units by buckets of time, and the starts of rentals, of one item or of many.

// calendarInput is what is asked of a calendar, whichever item it is of.
type calendarInput struct {
	hold.StartQuery
	size     stock.BucketSize
	length   *int64
	unit     *timeline.Unit
	quantity *int
}

// calendarItem is one item, and its calendar.
type calendarItem struct {
	base.Item
	quantity *int
	buckets  []calendarBucket
}

// calendarBucket is a bucket with the starts in it.
type calendarBucket struct {
	stock.Bucket
	date   timeline.Date
	starts []hold.Start
	wanted int
}

const (
	maxCalendarItems = 250
	maxStartTimes    = 48
	mostBuckets      = 50_000 // buckets and starts of one answer
)

// timeOfDay is a time of day of a wall clock, in milliseconds.
var timeOfDay = wire.Scalar(wire.JSONString, (&wire.Schema{Type: "string"}).Shows(`"09:00"`),
	func(raw []byte, dst *int64) wire.Wrong {
		digit := func(i int) int64 { return int64(raw[i]) - '0' }
		if len(raw) == len("09:00") && raw[2] == ':' &&
			!slices.ContainsFunc([]byte{raw[0], raw[1], raw[3], raw[4]},
				func(c byte) bool { return c < '0' || c > '9' }) {
			if hour, minute := 10*digit(0)+digit(1), 10*digit(3)+digit(4); hour < 24 && minute < 60 {
				*dst = hour*timeline.Hour + minute*timeline.Minute
				return wire.Wrong{}
			}
		}
		return wire.Wrong{Code: wire.FaultFormat, Message: "must be a time of day from 00:00 to 23:59"}
	})

// calendarFields are the fields of a calendar except those that say what it is a calendar of.
func calendarFields[In any](at func(*In) *calendarInput) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Defaulted("serviceLocationId", wire.SomeID, base.ID{}, func(in *In) *base.ID { return &at(in).Location }).
			Says("The location. Default: all. Each number is the sum of what the locations have by themselves then, " +
				"and days are the account's."),
		wire.Defaulted("returnServiceLocationId", wire.SomeID, base.ID{},
			func(in *In) *base.ID { return &at(in).Return }).
			Says(aboutReturn),
		wire.Required("from", wire.Instant, func(in *In) *int64 { return &at(in).Window.Start }).
			Says("First instant of the window."),
		wire.Required("to", wire.Instant, func(in *In) *int64 { return &at(in).Window.End }).
			Says("First instant after the window."),
		wire.Defaulted("bucket", wire.Enum(stock.BucketChange, stock.BucketHour, stock.BucketDay), stock.BucketDay,
			func(in *In) *stock.BucketSize { return &at(in).size }).
			Says("Size of each bucket: at each change, by hour or by local day. Default: day."),
		wire.Optional("length", periodAmount, func(in *In) **int64 { return &at(in).length }).
			Says("How long a rental is, in lengthUnit, at most ten years. If it is given, each bucket lists the " +
				"starts of such rentals. Default: none are listed."),
		wire.Optional("lengthUnit", periodUnit, func(in *In) **timeline.Unit { return &at(in).unit }).
			Says("The unit of length. Days and longer are steps of the local calendar. Default: seconds."),
		wire.Optional("quantity", count, func(in *In) **int { return &at(in).quantity }).
			Says("How many units a rental takes: bookable is about this number. Default: 1."),
		wire.Defaulted("startTimes", wire.ListOf(timeOfDay, 1, maxStartTimes), nil,
			func(in *In) *[]int64 { return &at(in).Times }).
			Says("Local times of day at which rentals begin, on each day. Default: the time of day of from.").
			Shows(`["09:00"]`),
	}
}

var (
	calendarQuery = wire.ShapeOf("Calendar", slices.Concat(
		itemFields(func(o *calendarInput) *base.Item {
			return &o.Item
		}), calendarFields(func(o *calendarInput) *calendarInput { return o }))...)
	calendarItemShape = wire.ShapeOf("CalendarItem",
		append(itemFields(func(i *calendarItem) *base.Item { return &i.Item }),
			wire.Optional("quantity", count, func(i *calendarItem) **int { return &i.quantity }).
				Says("How many units of it a rental takes. Default: quantity of the request."))...)
	calendarsShape = wire.ShapeOf("CalendarsQuery", append([]wire.Field[calendarsInput]{
		wire.Required("items", wire.ListOf(wire.Object(calendarItemShape), 1, maxCalendarItems),
			func(o *calendarsInput) *[]calendarItem { return &o.items }).
			Says("The items, whose calendars are answered in their order."),
	}, calendarFields(func(o *calendarsInput) *calendarInput { return &o.calendarInput })...)...)
)

type calendarsInput struct {
	calendarInput
	items []calendarItem
}

var (
	calendarSchema = describe("CalendarAnswer", func(w *scribe, i *calendarItem) {
		w.writeBuckets(i)
		w.sequence()
	}).Uncut()
	calendarsSchema = describe("CalendarsAnswer", (*scribe).writeCalendars).Uncut()
)

func (w *scribe) writeCalendars(items *[]calendarItem) {
	wire.List(&w.Writer, "calendars", "CalendarOfItem", *items, "The calendars, in the order of the items.",
		func(i *calendarItem) {
			w.GivenID("skuId", i.SKU, "The SKU; null where the item is none.")
			w.GivenID("articleId", i.Article, "The article; null where the item is none.")
			w.GivenID("catalogItemId", i.CatalogItem, "The catalog item; null where the item is none.")
			w.writeBuckets(i)
		})
	w.sequence()
}

func (w *scribe) writeBuckets(i *calendarItem) {
	wire.List(&w.Writer, "buckets", "Bucket", i.buckets, "The window in pieces, without gap or overlap.",
		func(b *calendarBucket) {
			w.Range("range", b.Range, "The piece of time.")
			if w.Key("date", wire.DateSchema, "The local date that it begins on."); w.Writes() {
				w.Out = append(b.date.Append(append(w.Out, '"')), '"')
			}
			w.Count("minFree", b.MinFree, "Fewest units free at an instant of it; below 0 where holds have no "+
				"unit. Of all locations: the fewest at each, at whichever instant, added up.")
			w.Count("maxFree", b.MaxFree,
				"Most units free at an instant of it; of all locations the most at each, added up.")
			w.Count("available", b.Available,
				"How many units can be held for the whole bucket as it is: a count without the buffers that a booking "+
					"would bring. What can be booked is in starts.")
			w.Bool("exact", b.Exact, "About available. "+aboutExact)
			wire.List(&w.Writer, "starts", "RentalStart", b.starts,
				"The rentals of the length asked for that begin in "+
					"it. Empty where no length was asked for.", func(x *hold.Start) {
					w.Instant("from", x.Window.Start, "When the rental begins.")
					w.Instant("to", x.Window.End, "When it ends.")
					w.Count("available", x.Available,
						"How many units can be booked for it, with the buffers that a booking "+
							"brings: none where it would be over by now.")
					w.Bool("bookable", x.Available >= b.wanted, "Whether the quantity asked for can be.")
					w.Bool("exact", x.Exact, "About available of the start. "+aboutExact)
				})
		})
}

const aboutExact = "False: pinned holds made the search stop, and perhaps more units could be held."

// checkCalendar checks what the fields of a calendar say together, and makes the length of them. quantities: an item
// has its own.
func (q *request) checkCalendar(in, prefix string, o *calendarInput, quantities bool) {
	q.checkOrder(in, prefix, o.Window)
	switch {
	case o.length != nil:
		o.Length = commerce.Period{Amount: *o.length, Unit: timeline.Seconds}
		if o.unit != nil {
			o.Length.Unit = *o.unit
		}
		if !o.Length.Valid() && !q.faults.At(prefix+"length") && !q.faults.At(prefix+"lengthUnit") {
			q.fault(in, prefix+"length", wire.FaultRange, "must be at most ten years")
		}
	case (o.unit != nil || len(o.Times) > 0 || o.quantity != nil || quantities) && !q.faults.At(prefix+"length"):
		q.fault(in, prefix+"length", wire.FaultRequired, "is needed beside lengthUnit, startTimes and quantity")
	}
}

// entries is how many buckets and starts the calendar of each item has, at least. They are counted before any item is
// looked at: what would be too long is refused at once.
func (o *calendarInput) entries(v base.View) (int, error) {
	return hold.CountEntries(v, o.StartQuery, o.size, o.length != nil)
}

// wanted is how many units a rental of an item takes.
func (i *calendarItem) wanted(o *calendarInput) int {
	for _, n := range [...]*int{i.quantity, o.quantity} {
		if n != nil {
			return *n
		}
	}
	return 1
}

// fill asks for the calendar of an item.
func (i *calendarItem) fill(v base.View, o *calendarInput, now int64) error {
	x := o.StartQuery
	x.Item = i.Item
	buckets, err := hold.Calendar(v, x.Query, o.size, now, nil)
	if err != nil {
		return err
	}
	var starts []hold.Start
	if o.length != nil {
		if starts, err = hold.Starts(v, x, now, nil); err != nil {
			return err
		}
	}
	wanted := i.wanted(o)
	zone := hold.Zone(v, o.Location)
	i.buckets = make([]calendarBucket, len(buckets))
	for n, b := range buckets {
		j := 0
		for j < len(starts) && starts[j].Window.Start < b.Range.End {
			j++
		}
		i.buckets[n] = calendarBucket{Bucket: b, date: timeline.DateOf(zone, b.Range.Start), starts: starts[:j],
			wanted: wanted}
		starts = starts[j:]
	}
	return nil
}

// fill asks for the calendar of the n-th item, or takes that of an earlier one that is the same.
func (o *calendarsInput) fill(v base.View, n int, now int64) error {
	i := &o.items[n]
	for k := range o.items[:n] {
		if was := &o.items[k]; was.Item == i.Item && was.wanted(&o.calendarInput) == i.wanted(&o.calendarInput) {
			i.buckets = was.buckets
			return nil
		}
	}
	return i.fill(v, &o.calendarInput, now)
}

// entries is how many buckets and starts a calendar has.
func (i *calendarItem) entries() (n int) {
	for _, b := range i.buckets {
		n += 1 + len(b.starts)
	}
	return n
}

const aboutCalendar = " Counts are without buffers. With a length it lists the starts of such rentals, and how many " +
	"units can be booked for each, buffers included."

var getCalendar = readChecked(operation{
	id: "admin.availability.calendar", method: "GET", path: "/v1/admin/availability/calendar", scopes: stockRead,
	answer: calendarSchema,
	summary: "Counts free units over a window, by day, by hour or by change, and says how many can be held for each " +
		"whole bucket." + aboutCalendar,
}, input[calendarInput]{query: calendarQuery},
	func(q *request, o *calendarInput) {
		q.checkLine("query", "", o.Item, base.Span{Start: 0, End: 1})
		q.checkCalendar("query", "", o, false)
	},
	func(q *request, o *calendarInput) error {
		i := calendarItem{Item: o.Item}
		if _, err := o.entries(q.view); err != nil {
			return err
		}
		if err := i.fill(q.view, o, q.now); err != nil {
			return err
		}
		q.Braces(func() {
			q.writeBuckets(&i)
			q.sequence()
		})
		return nil
	})

var listCalendars = readChecked(operation{
	id: "admin.availability.calendars", method: "POST", path: "/v1/admin/availability/calendar", scopes: stockRead,
	answer:  calendarsSchema,
	summary: "Answers the calendars of many items, on one state." + aboutCalendar,
}, input[calendarsInput]{body: calendarsShape},
	func(q *request, o *calendarsInput) {
		q.checkCalendar("body", "/", &o.calendarInput,
			slices.ContainsFunc(o.items, func(i calendarItem) bool { return i.quantity != nil }))
		for i := range o.items {
			q.checkLine("body", "/items/"+strconv.Itoa(i)+"/", o.items[i].Item, base.Span{Start: 0, End: 1})
		}
	},
	func(q *request, o *calendarsInput) error {
		tooMany := func() error {
			q.fault("body", "/items", wire.FaultRange,
				"would give more than "+strconv.Itoa(mostBuckets)+" buckets and starts")
			return q.faulted(nil)
		}
		each, err := o.entries(q.view)
		if err != nil {
			return ofItem(err, 0)
		}
		if each*len(o.items) > mostBuckets {
			return tooMany()
		}
		entries := 0
		for n := range o.items {
			if err := o.fill(q.view, n, q.now); err != nil {
				return ofItem(err, n)
			}
			if entries += o.items[n].entries(); entries > mostBuckets {
				return tooMany()
			}
		}
		appendRecord(&q.scribe, &o.items, (*scribe).writeCalendars)
		return nil
	})

// ofItem says which item a refusal is about.
func ofItem(err error, n int) error {
	e := *asRefusal(err)
	e.Detail += " (item " + strconv.Itoa(n) + ")"
	return &e
}
