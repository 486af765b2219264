package engine

// This file owns events: what happened to records, for those who are told. Domains register the types of their events, with who finds
// them in a write set; whoever tells of them asks for those that it needs.

// eventSource finds the events of a domain in what a plan has recorded. emit is told of each: what it says is made only where somebody
// wants it.
type eventSource func(t *tx, emit func(typ HookEvent, resource ID, data func() eventData))

// eventData is a record as the interface shows it in a version, as JSON. It is written beside the writer, from what does not
// change any more; until then it is known about how long it will be.
type eventData struct {
	about int
	write func(version string) []byte
}

// resourceOf is the resource that events of a type are about.
var resourceOf = map[HookEvent]string{}

var eventSources []eventSource

// registerEvents has events found in every write set.
func registerEvents(resource string, find eventSource, types ...HookEvent) {
	eventSources = append(eventSources, find)
	for _, typ := range types {
		resourceOf[typ] = resource
	}
}

// Resource is what events of the type are about.
func (e HookEvent) Resource() string { return resourceOf[e] }

// written is a record as data of an event, about so long.
func (t *tx) written(record any, about int) eventData {
	payload := t.payload
	if payload == nil {
		return eventData{write: func(string) []byte { return []byte("null") }}
	}
	return eventData{about: about, write: func(version string) []byte { return payload(version, record) }}
}

// OfAccount is a record that shows of which account it is, as events of stock are written.
type OfAccount struct {
	Account ID
	Record  any
}

// HookEvent is a type of event that a webhook can be told of.
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
var HookEvents = []HookEvent{OrderCreated, OrderDeleted, OrderUpdated, ConflictCreated, ConflictResolved, HoldExpired, UnitOverdue, WebhookDisabled}
