package base

// This file owns events: what happened to records, for receivers outside. Domains register the types of their events,
// with a function that finds them in a write set; the code that sends events asks for those that it needs.

// eventSource finds the events of a domain in what a plan has recorded. It calls emit for each: the data of an event is
// made only if a receiver wants it.
type eventSource func(t *Tx, emit func(typ HookEvent, resource ID, data func() EventData))

// EventData is a record as the interface shows it in a version, as JSON. It is encoded outside the writer, from values
// that do not change any more; until then About is about how long it will be.
type EventData struct {
	About int
	Write func(version string) []byte
}

// ResourceOf is the resource that events of a type are about.
var ResourceOf = map[HookEvent]string{}

var EventSources []eventSource

// RegisterEvents has events found in every write set.
func RegisterEvents(resource string, find eventSource, types ...HookEvent) {
	EventSources = append(EventSources, find)
	for _, typ := range types {
		ResourceOf[typ] = resource
	}
}

// Resource is what events of the type are about.
func (e HookEvent) Resource() string { return ResourceOf[e] }

// Written is a record as data of an event, about so long.
func (t *Tx) Written(record any, about int) EventData {
	payload := t.Payload
	if payload == nil {
		return EventData{Write: func(string) []byte { return []byte("null") }}
	}
	return EventData{About: about, Write: func(version string) []byte { return payload(version, record) }}
}

// OfAccount is a record that shows of which account it is, as events of stock are written.
type OfAccount struct {
	Account ID
	Record  any
}

// HookEvent is a type of event that a webhook can get.
type HookEvent string

// The types of events.
const (
	OrderCreated     HookEvent = "order.created"
	OrderDeleted     HookEvent = "order.deleted"
	OrderUpdated     HookEvent = "order.updated"
	ConflictCreated  HookEvent = "conflict.created"
	ConflictResolved HookEvent = "conflict.resolved"
	HoldExpired      HookEvent = "hold.expired"
	UnitOverdue      HookEvent = "unit.overdue"
	WebhookDisabled  HookEvent = "webhook.disabled"
)

// HookEvents are all of them. Rows name one by its place, so none is ever taken out, and what is new comes last.
var HookEvents = []HookEvent{OrderCreated, OrderDeleted, OrderUpdated, ConflictCreated, ConflictResolved, HoldExpired,
	UnitOverdue, WebhookDisabled}
