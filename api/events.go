package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/stock"
)

// This file owns scheduled events of articles on the wire.

var eventType = wire.Words[stock.EventType]()

var createEventShape = wire.ShapeOf("CreateScheduledEvent", wire.With(
	wire.MadeOf(func(o *stock.CreateScheduledEvent) *stock.ScheduledEventFields { return &o.ScheduledEventFields }),
	"name",
	wire.Required("serviceLocationId", wire.UUID, func(o *stock.CreateScheduledEvent) *base.ID { return &o.Location }).
		Says("The location that it is at."),
	wire.Required("startDate", wire.Instant, func(o *stock.CreateScheduledEvent) *int64 { return &o.Window.Start }).
		Says("First instant of the event."),
	wire.Required("endDate", wire.Instant, func(o *stock.CreateScheduledEvent) *int64 { return &o.Window.End }).
		Says("First instant after the event."))...)

var patchEventShape = wire.ShapeOf("PatchScheduledEvent", wire.With(
	wire.ChangedBy(func(o *stock.PatchScheduledEvent) *base.Changes[stock.ScheduledEventFields] { return &o.Fields }),
	"name",
	wire.Merged("serviceLocationId", wire.UUID, false,
		func(o *stock.PatchScheduledEvent) *base.Opt[base.ID] { return &o.Location }).
		Says("The location that it is at."),
	wire.Merged("startDate", wire.Instant, false,
		func(o *stock.PatchScheduledEvent) *base.Opt[int64] { return &o.From }).Says("First instant of the event."),
	wire.Merged("endDate", wire.Instant, false, func(o *stock.PatchScheduledEvent) *base.Opt[int64] { return &o.To }).
		Says("First instant after the event."))...)

var eventSchema = describe("ScheduledEvent", (*scribe).writeEvent)

func (w *scribe) writeEvent(s *stock.ScheduledEvent) {
	w.ID("id", s.ID, "The event's id.")
	w.ID("articleId", s.Article, "The article that it is of.")
	w.Instant("startDate", s.Window.Start, "First instant of the event.")
	w.End("endDate", s.Window.End, "First instant after the event; null: without end.")
	wire.WriteFields(&w.Writer, &s.ScheduledEventFields)
	w.tenant()
	w.Created(s.ID)
	w.ID("serviceLocationId", s.Location, "The location that it is at.")
}

// scheduledEvents writes the first of the events of an article.
func (w *scribe) scheduledEvents(list []*stock.ScheduledEvent, most int) {
	if !w.Writes() {
		w.Key("scheduledEvents", wire.ListSchema(eventSchema), aboutEvents)
		return
	}
	wire.First(&w.Writer, "scheduledEvents", "ScheduledEvent", wire.UpTo(list, most), len(list), aboutEvents,
		func(s **stock.ScheduledEvent) { w.writeEvent(*s) })
}

const aboutEvents = "The events over the window, by start."

var answerEvent = answers((*scribe).writeEvent)

// eventPath is the path of one event of an article.
func eventPath[In any](at func(*In) (article, event *base.ID)) *wire.Shape[In] {
	return byTwo("EventPath", pathID{"id", wire.LooseID, "The article's id."},
		pathID{"eventId", wire.LooseID, "The event's id."}, at)
}

var eventOperations = []operation{
	write(operation{
		id: "admin.articles.createScheduledEvent", method: "POST", path: "/v1/admin/articles/{id}/scheduled-events",
		scopes: stockWrite, answer: eventSchema,
		summary: "Creates a scheduled event; a reservation without a free unit of the article is refused.",
	}, input[stock.CreateScheduledEvent]{
		path: byID(func(o *stock.CreateScheduledEvent) *base.ID { return &o.Article }), body: createEventShape,
	}, asIs, answerEvent),
	write(operation{
		id: "admin.articles.updateScheduledEvent", method: "PATCH",
		path:   "/v1/admin/articles/{id}/scheduled-events/{eventId}",
		scopes: stockWrite, answer: eventSchema,
		summary: "Changes a scheduled event; its type stays.",
	}, input[stock.PatchScheduledEvent]{
		path: eventPath(func(o *stock.PatchScheduledEvent) (article, event *base.ID) { return &o.Article, &o.ID }),
		body: patchEventShape,
	}, asIs, answerEvent),
	removal(operation{
		id:      "admin.articles.deleteScheduledEvent",
		path:    "/v1/admin/articles/{id}/scheduled-events/{eventId}",
		scopes:  stockWrite,
		summary: "Removes a scheduled event and frees its unit.",
	}, input[stock.DeleteScheduledEvent]{
		path: eventPath(func(o *stock.DeleteScheduledEvent) (article, event *base.ID) { return &o.Article, &o.ID }),
	}),
}
