package stock

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns scheduled events of articles: reservations, which take a unit, and notes, which do not.
//
// An article that is out, inactive or archived, takes no new holds of customers, but it takes reservations, and those
// that it has stay seated when it goes out: repairs are planned on what is out. One that waits there as a conflict gets
// what comes free.

// EventType is what a scheduled event does.
type EventType string

// A reservation takes one unit of the article, without buffers; a note takes none.
const (
	EventReservation EventType = "reservation"
	EventNote        EventType = "note"
)

// Words are those that a type of event can be.
func (EventType) Words() []string { return []string{string(EventReservation), string(EventNote)} }

// ScheduledEvent is a scheduled event's record. A reservation's unavailability has the id that follows its own.
type ScheduledEvent struct {
	ID       base.ID
	Article  base.ID
	Location base.ID
	ScheduledEventFields
	Window   base.Span
	Revision uint64
}

// ScheduledEventFields are the fields of an event that callers give, in addition to where and when it is.
type ScheduledEventFields struct {
	Type    EventType `field:"type word required fixed" about:"Whether it takes a unit (reservation) or not (note)." made:"A reservation takes one unit, a note none."`
	Name    string    `field:"name text 1..255 required" about:"What people call the event."`
	Comment *string   `field:"comment text 0..10000" about:"A note for those who read it."`
}

func (s *ScheduledEvent) Rev() uint64 { return s.Revision }
func (s *ScheduledEvent) Touch(int64) { s.Revision++ }

const eventByArticle = 0

var ScheduledEventKind = base.RowsOf(base.TagScheduledEvent, "scheduled event",
	func(s *ScheduledEvent) base.ID { return s.ID },
	table.By(func(s *ScheduledEvent) []string { return []string{string(s.Article[:])} }))

// EventTable are all scheduled events of an account.
func EventTable(a *base.AccountState) *table.Table[ScheduledEvent] {
	return base.TableOf[ScheduledEvent](a, base.TagScheduledEvent)
}

// CreateScheduledEvent makes a scheduled event. A reservation without a free unit of the article is refused.
type CreateScheduledEvent struct {
	base.Answers[*ScheduledEvent]
	base.Adds
	Article  base.ID
	Location base.ID
	ScheduledEventFields
	Window base.Span
}

func (o CreateScheduledEvent) Check(c *base.Checker) {
	base.CheckFields(c, "", &o.ScheduledEventFields)
	c.Window("/startDate", "/endDate", o.Window)
}

func (o CreateScheduledEvent) PlanOn(t *base.Tx) (any, error) {
	r, l := ArticleTable(t.Acc).Get(o.Article), LocationTable(t.Acc).Get(o.Location)
	if r == nil {
		return nil, base.NotFound("article")
	}
	if l == nil {
		return nil, base.NotFound("location")
	}
	s := &ScheduledEvent{ID: t.NewID(), Article: o.Article, Location: o.Location,
		ScheduledEventFields: o.ScheduledEventFields, Window: o.Window, Revision: 1}
	if o.Type == EventReservation {
		t.Used++ // the unavailability's id
		if err := seatEvent(t, s, r, l, nil); err != nil {
			return nil, err
		}
	}
	base.Record(t, ScheduledEventKind, nil, s)
	return s, nil
}

// seatEvent takes the unit of a reservation, or takes it anew where it moves from a place: on the article itself,
// without buffers, whatever the article's status. A conflict that has no room there stays one, as far as its claim
// goes.
func seatEvent(t *base.Tx, s *ScheduledEvent, r *Article, l *Location, was *timeline.Place) error {
	h := timeline.NewHold(base.After(s.ID, 1), s.Window, 0, 0)
	h.Owner, h.Kind = 1, timeline.Booking
	h.Flags = timeline.PinnedArticle.WithBlocker(timeline.BlockerScheduledEvent)
	if was != nil {
		h = Begun(h, t.Now)
	}
	reason := timeline.NotEnoughStock
	var sources []Source
	if lot := r.LotAt(l.No); lot != nil {
		sources = []Source{{Pool: timeline.LotRef(lot.No), Hull: s.Window}}
		may := Draft(t).MayName(lot.No, h.Seat())
		if may {
			_, reason = Draft(t).Seat(sources[0].Pool, h, timeline.Exact)
		}
		if may && reason != timeline.Granted && was != nil && *was == (timeline.Place{Lot: lot.No}) &&
			Draft(t).MayTake(sources[0].Pool, h.Seat()) {
			Draft(t).Keep(h, lot.No)
			return nil
		}
	}
	if reason == timeline.Granted {
		return nil
	}
	q := Request{Location: l, Article: r, Body: s.Window, Quantity: 1}
	return Insufficient(t, []base.Shortage{*Shortage(t, &q, sources, reason)})
}

// PatchScheduledEvent changes a scheduled event; its type stays.
type PatchScheduledEvent struct {
	base.Answers[*ScheduledEvent]
	base.IfMatch
	Article  base.ID
	ID       base.ID
	Fields   base.Changes[ScheduledEventFields]
	Location base.Opt[base.ID]
	From, To base.Opt[int64] // To null: without end
}

func (o PatchScheduledEvent) Check(c *base.Checker) {
	o.Fields.Check(c, "")
	c.PatchWindow("/startDate", "/endDate", o.From, o.To)
}

func event(t *base.Tx, article, id base.ID, ifMatch base.IfMatch) (*ScheduledEvent, error) {
	s := EventTable(t.Acc).Get(id)
	if s == nil || s.Article != article {
		return nil, base.NotFound("scheduled event of this article")
	}
	return s, ifMatch.Match(s.Rev())
}

func (o PatchScheduledEvent) PlanOn(t *base.Tx) (any, error) {
	s, err := event(t, o.Article, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *s
	n.ScheduledEventFields = o.Fields.Of(s.ScheduledEventFields)
	if o.Location.Set {
		n.Location = o.Location.Value
	}
	if o.From.Set {
		n.Window.Start = o.From.Value
	}
	if o.To.Set {
		n.Window.End = o.To.Value
		if o.To.Null {
			n.Window.End = base.Forever
		}
	}
	if n.Window.Empty() {
		return nil, base.InvalidAt("/endDate", "order", "must be later than startDate")
	}
	l := LocationTable(t.Acc).Get(n.Location)
	moved := n.Window != s.Window || n.Location != s.Location
	if l == nil && (moved || o.Location.Set) {
		return nil, base.NotFound("location")
	}
	if s.Type == EventReservation && moved {
		Draft(t).Claim()
		h, at, _ := Draft(t).Take(base.After(s.ID, 1))
		Freed(t, h.Span, at)
		if err := seatEvent(t, &n, ArticleTable(t.Acc).Get(s.Article), l, &at); err != nil {
			return nil, err
		}
		SeatFreed(t)
	}
	return base.Revise(t, ScheduledEventKind, s, n), nil
}

// DeleteScheduledEvent removes a scheduled event and frees its unit.
type DeleteScheduledEvent struct {
	base.Answers[any]
	base.IfMatch
	Article base.ID
	ID      base.ID
}

func (o DeleteScheduledEvent) PlanOn(t *base.Tx) (any, error) {
	s, err := event(t, o.Article, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if h, at, ok := Draft(t).Take(base.After(s.ID, 1)); ok {
		Freed(t, h.Span, at)
		SeatFreed(t)
	}
	base.Record(t, ScheduledEventKind, s, nil)
	return nil, nil
}

// ScheduledEvents appends the events of an article that overlap a window, at a location or, without one, at all, by
// start and then id.
func ScheduledEvents(v base.View, list []*ScheduledEvent, article, location base.ID, w base.Span) []*ScheduledEvent {
	n := len(list)
	for e := range EventTable(v.Acc).By(eventByArticle, string(article[:])) {
		if overlaps(w, e.Window) && (location == (base.ID{}) || e.Location == location) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list[n:], func(x, y *ScheduledEvent) int {
		return cmp.Or(cmp.Compare(x.Window.Start, y.Window.Start), x.ID.Compare(y.ID))
	})
	return list
}

// ScheduledEventByID returns a scheduled event of whatever article, or nil.
func ScheduledEventByID(v base.View, id base.ID) *ScheduledEvent { return EventTable(v.Acc).Get(id) }
