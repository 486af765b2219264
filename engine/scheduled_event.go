package engine

import (
	"iter"

	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns scheduled events of articles: reservations, which take a unit, and notes, which do not.
//
// An article that is out, inactive or archived, takes no new holds of customers, but it takes reservations, and those that it has
// stay seated when it goes out: repairs are planned on what is out.

// EventType is what a scheduled event does.
type EventType string

// A reservation takes one unit of the article, without buffers; a note takes none.
const (
	EventReservation EventType = "reservation"
	EventNote        EventType = "note"
)

// ScheduledEvent is a scheduled event's record. A reservation's unavailability has the id that follows its own.
type ScheduledEvent struct {
	ID       ID
	Article  ID
	Location ID
	Type     EventType
	Name     string
	Comment  *string
	Window   Span
	Revision uint64
}

func (s *ScheduledEvent) revision() uint64 { return s.Revision }
func (s *ScheduledEvent) touch(int64)      { s.Revision++ }

const eventByArticle = 0

var scheduledEventKind = rowsOf(tagScheduledEvent, "scheduled event", func(s *ScheduledEvent) ID { return s.ID },
	table.By(func(s *ScheduledEvent) []string { return []string{string(s.Article[:])} }))

func (a *account) events() *table.Table[ScheduledEvent] {
	return tableOf[ScheduledEvent](a, tagScheduledEvent)
}

// CreateScheduledEvent makes a scheduled event. A reservation without a free unit of the article is refused. It answers
// with the *ScheduledEvent.
type CreateScheduledEvent struct {
	Article  ID
	Location ID
	Type     EventType
	Name     string
	Comment  *string
	Window   Span
}

func (o CreateScheduledEvent) Check() []Fault {
	var c checker
	c.oneOf("/type", string(o.Type), string(EventReservation), string(EventNote))
	c.text("/name", o.Name, 1, maxName)
	c.optional("/comment", o.Comment, 0, maxNote)
	c.window("/startDate", "/endDate", o.Window)
	return c.faults
}

func (o CreateScheduledEvent) plan(t *tx) (any, error) {
	r, l := t.acc.articles().Get(o.Article), t.acc.locations().Get(o.Location)
	if r == nil {
		return nil, notFound("article")
	}
	if l == nil {
		return nil, notFound("location")
	}
	s := &ScheduledEvent{ID: t.newID(), Article: o.Article, Location: o.Location, Type: o.Type, Name: o.Name, Comment: o.Comment, Window: o.Window, Revision: 1}
	if o.Type == EventReservation {
		t.used++ // the unavailability's id
		if err := t.seatEvent(s, r, l, nil); err != nil {
			return nil, err
		}
	}
	record(t, scheduledEventKind, nil, s)
	return s, nil
}

// seatEvent takes the unit of a reservation, or takes it anew where it moves from a place: on the article itself, without buffers, whatever
// the article's status. A conflict that has no room there stays one, as far as its claim goes.
func (t *tx) seatEvent(s *ScheduledEvent, r *Article, l *Location, was *timeline.Place) error {
	h := timeline.NewHold(after(s.ID, 1), s.Window, 0, 0)
	h.Owner, h.Kind = 1, timeline.Booking
	h.Flags = timeline.PinnedArticle.WithBlocker(timeline.BlockerScheduledEvent)
	if was != nil {
		h = begun(h, t.now)
	}
	reason := timeline.NotEnoughStock
	var sources []source
	if lot := r.lotAt(l.No); lot != nil {
		sources = []source{{pool: timeline.LotRef(lot.no), hull: s.Window}}
		_, reason = t.draft().Seat(sources[0].pool, h, timeline.Exact)
		if reason != timeline.Granted && was != nil && *was == (timeline.Place{Lot: lot.no}) && t.draft().MayTake(sources[0].pool, h.Seat()) {
			t.draft().Keep(h, lot.no)
			return nil
		}
	}
	if reason == timeline.Granted {
		return nil
	}
	q := request{location: l, article: r, body: s.Window, quantity: 1}
	return insufficient([]Shortage{*t.shortage(&q, sources, reason)})
}

func (CreateScheduledEvent) result() any { return new(ScheduledEvent) }

// PatchScheduledEvent changes a scheduled event; its type stays. It answers with the *ScheduledEvent.
type PatchScheduledEvent struct {
	Article  ID
	ID       ID
	IfMatch  []uint64
	Name     Opt[string]
	Comment  Opt[string]
	Location Opt[ID]
	From, To Opt[int64] // To null: without end
}

func (o PatchScheduledEvent) Check() []Fault {
	var c checker
	c.patchName("/name", o.Name)
	c.patchText("/comment", o.Comment, 0, maxNote)
	c.patchWindow("/startDate", "/endDate", o.From, o.To)
	return c.faults
}

func (t *tx) event(article, id ID, ifMatch []uint64) (*ScheduledEvent, error) {
	s := t.acc.events().Get(id)
	if s == nil || s.Article != article {
		return nil, notFound("scheduled event of this article")
	}
	return s, match(ifMatch, s.revision())
}

func (o PatchScheduledEvent) plan(t *tx) (any, error) {
	s, err := t.event(o.Article, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *s
	if o.Name.Set {
		n.Name = o.Name.Value
	}
	o.Comment.merge(&n.Comment)
	if o.Location.Set {
		n.Location = o.Location.Value
	}
	if o.From.Set {
		n.Window.Start = o.From.Value
	}
	if o.To.Set {
		n.Window.End = o.To.Value
		if o.To.Null {
			n.Window.End = Forever
		}
	}
	if n.Window.Empty() {
		return nil, invalid([]Fault{{Pointer: "/endDate", Code: "order", Message: "must be later than startDate"}})
	}
	l := t.acc.locations().Get(n.Location)
	moved := n.Window != s.Window || n.Location != s.Location
	if l == nil && (moved || o.Location.Set) {
		return nil, notFound("location")
	}
	if s.Type == EventReservation && moved {
		t.draft().Claim()
		h, at, _ := t.draft().Take(after(s.ID, 1))
		t.freed(h.Span, at)
		if err := t.seatEvent(&n, t.acc.articles().Get(s.Article), l, &at); err != nil {
			return nil, err
		}
		t.seatFreed()
	}
	return revise(t, scheduledEventKind, s, n), nil
}

func (PatchScheduledEvent) result() any { return new(ScheduledEvent) }

// DeleteScheduledEvent removes a scheduled event and frees its unit. It answers with nil.
type DeleteScheduledEvent struct {
	Article ID
	ID      ID
	IfMatch []uint64
}

func (DeleteScheduledEvent) Check() []Fault { return nil }

func (o DeleteScheduledEvent) plan(t *tx) (any, error) {
	s, err := t.event(o.Article, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if h, at, ok := t.draft().Take(after(s.ID, 1)); ok {
		t.freed(h.Span, at)
		t.seatFreed()
	}
	record(t, scheduledEventKind, s, nil)
	return nil, nil
}

func (DeleteScheduledEvent) result() any { return new(any) }

// ScheduledEvents goes through the events of an article that overlap a window, in order of creation.
func (v View) ScheduledEvents(article ID, w Span) iter.Seq[*ScheduledEvent] {
	return func(yield func(*ScheduledEvent) bool) {
		for s := range v.acc.events().By(eventByArticle, string(article[:])) {
			if overlaps(w, s.Window) && !yield(s) {
				return
			}
		}
	}
}

// ScheduledEvent returns an event of an article, or nil.
func (v View) ScheduledEvent(article, id ID) *ScheduledEvent {
	if s := v.acc.events().Get(id); s != nil && s.Article == article {
		return s
	}
	return nil
}

// ScheduledEventByID returns a scheduled event of whatever article, or nil.
func (v View) ScheduledEventByID(id ID) *ScheduledEvent { return v.acc.events().Get(id) }
