package engine

// This file owns events: what happened to records, for those who are told. Domains register the types of their events, with who finds
// them in a write set; whoever tells of them asks for those that it needs.

// eventSource finds the events of a domain in what a plan has recorded. emit is told of each: what it says is made only where somebody
// wants it.
type eventSource func(t *tx, emit func(typ OrderEvent, resource ID, data func() eventData))

// eventData is a record as the interface shows it in a version, as JSON. It is written beside the writer, from what does not
// change any more; until then it is known about how long it will be.
type eventData struct {
	about int
	write func(version string) []byte
}

// resourceOf is the resource that events of a type are about.
var resourceOf = map[OrderEvent]string{}

var eventSources []eventSource

// registerEvents has events found in every write set. Rows name a type by its place among all, so none is ever taken out.
func registerEvents(resource string, find eventSource, types ...OrderEvent) {
	eventSources = append(eventSources, find)
	for _, typ := range types {
		OrderEvents, resourceOf[typ] = append(OrderEvents, typ), resource
	}
}

// written is a record as data of an event, about so long.
func (t *tx) written(record any, about int) eventData {
	payload := t.payload
	if payload == nil {
		return eventData{write: func(string) []byte { return []byte("null") }}
	}
	return eventData{about: about, write: func(version string) []byte { return payload(version, record) }}
}

// OrderEvent is a type of event that a webhook can be told of.
type OrderEvent string

// OrderEvents are all of them. Rows name one by its place, so none is ever taken out.
var OrderEvents []OrderEvent
