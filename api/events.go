package api

import "holdfast/engine"

// This file owns scheduled events of articles on the wire.

var eventType = enum(engine.EventReservation, engine.EventNote)

var createEventShape = shapeOf("CreateScheduledEvent",
	required("type", eventType, func(o *engine.CreateScheduledEvent) *engine.EventType { return &o.Type }).says("A reservation takes one unit, a note none."),
	required("name", text(1, 255), func(o *engine.CreateScheduledEvent) *string { return &o.Name }).says("What people call the event."),
	required("serviceLocationId", uuid, func(o *engine.CreateScheduledEvent) *engine.ID { return &o.Location }).says("The location that it is at."),
	required("startDate", instant, func(o *engine.CreateScheduledEvent) *int64 { return &o.Window.Start }).says("First instant of the event."),
	required("endDate", instant, func(o *engine.CreateScheduledEvent) *int64 { return &o.Window.End }).says("First instant behind the event."),
	optional("comment", text(0, 10_000), func(o *engine.CreateScheduledEvent) **string { return &o.Comment }).says("A note for those who read it."))

var patchEventShape = shapeOf("PatchScheduledEvent",
	merged("name", text(1, 255), false, func(o *engine.PatchScheduledEvent) *engine.Opt[string] { return &o.Name }).says("What people call the event."),
	merged("serviceLocationId", uuid, false, func(o *engine.PatchScheduledEvent) *engine.Opt[engine.ID] { return &o.Location }).
		says("The location that it is at."),
	merged("startDate", instant, false, func(o *engine.PatchScheduledEvent) *engine.Opt[int64] { return &o.From }).says("First instant of the event."),
	merged("endDate", instant, false, func(o *engine.PatchScheduledEvent) *engine.Opt[int64] { return &o.To }).says("First instant behind the event."),
	merged("comment", text(0, 10_000), true, func(o *engine.PatchScheduledEvent) *engine.Opt[string] { return &o.Comment }).
		says("A note for those who read it. Null clears it."))

var eventSchema = describe("ScheduledEvent", (*scribe).writeEvent)

func (w *scribe) writeEvent(s *engine.ScheduledEvent) {
	w.ID("id", s.ID, "The event's id.")
	w.ID("articleId", s.Article, "The article that it is of.")
	w.Instant("startDate", s.Window.Start, "First instant of the event.")
	w.End("endDate", s.Window.End, "First instant behind the event; null: without end.")
	w.As(eventType.schema, "type", string(s.Type), "Whether it takes a unit (reservation) or not (note).")
	w.Text("name", s.Name, "What people call the event.")
	w.TextOrNull("comment", s.Comment, "A note for those who read it.")
	w.tenant()
	w.Created(s.ID)
	w.ID("serviceLocationId", s.Location, "The location that it is at.")
}

// scheduledEvents writes the first of the events of an article.
func (w *scribe) scheduledEvents(list []*engine.ScheduledEvent, most int) {
	if !w.Writes() {
		w.Key("scheduledEvents", listSchema(eventSchema), aboutEvents)
		return
	}
	First(&w.Writer, "scheduledEvents", "ScheduledEvent", upTo(list, most), len(list), aboutEvents, func(s **engine.ScheduledEvent) { w.writeEvent(*s) })
}

const aboutEvents = "The events over the window, by start."

func answerEvent(q *request, s *engine.ScheduledEvent) error {
	q.tag = s.Revision
	appendRecord(&q.scribe, s, (*scribe).writeEvent)
	return nil
}

// eventPath is the path of one event of an article.
func eventPath[In any](article, event func(*In) *engine.ID) *shape[In] {
	return shapeOf("EventPath", required("id", looseID, article).says("The article's id."), required("eventId", looseID, event).says("The event's id."))
}

var eventOperations = []operation{
	write(operation{
		id: "admin.articles.createScheduledEvent", method: "POST", path: "/v1/admin/articles/{id}/scheduled-events",
		scopes: []string{"inventory.stock_items.write"}, answer: eventSchema,
		summary: "Creates a scheduled event; a reservation without a free unit of the article is refused.",
	}, input[engine.CreateScheduledEvent]{
		path: byID(func(o *engine.CreateScheduledEvent) *engine.ID { return &o.Article }), body: createEventShape,
	}, func(_ *request, o *engine.CreateScheduledEvent) engine.Op { return o }, answerEvent),
	write(operation{
		id: "admin.articles.updateScheduledEvent", method: "PATCH", path: "/v1/admin/articles/{id}/scheduled-events/{eventId}",
		scopes: []string{"inventory.stock_items.write"}, guarded: true, answer: eventSchema,
		summary: "Changes a scheduled event; its type stays.",
	}, input[engine.PatchScheduledEvent]{
		path: eventPath(func(o *engine.PatchScheduledEvent) *engine.ID { return &o.Article }, func(o *engine.PatchScheduledEvent) *engine.ID { return &o.ID }),
		body: patchEventShape,
	}, func(q *request, o *engine.PatchScheduledEvent) engine.Op {
		o.IfMatch = q.ifMatch
		return o
	}, answerEvent),
	write(operation{
		id: "admin.articles.deleteScheduledEvent", method: "DELETE", path: "/v1/admin/articles/{id}/scheduled-events/{eventId}",
		scopes: []string{"inventory.stock_items.write"}, guarded: true, answer: nullSchema,
		summary: "Removes a scheduled event and frees its unit.",
	}, input[engine.DeleteScheduledEvent]{
		path: eventPath(func(o *engine.DeleteScheduledEvent) *engine.ID { return &o.Article }, func(o *engine.DeleteScheduledEvent) *engine.ID { return &o.ID }),
	}, func(q *request, o *engine.DeleteScheduledEvent) engine.Op {
		o.IfMatch = q.ifMatch
		return o
	}, answerNull),
}

// answerNull is the answer of what removes a record.
func answerNull(q *request, _ any) error {
	q.Nil()
	return nil
}
