package api

import (
	"bytes"
	"fmt"

	"holdfast/api/wire"
	"holdfast/engine"
)

// This file owns the data of events: the record that each tells of, as the interface shows it.

// eventSchemas are what the data of events are.
var eventSchemas = map[engine.HookEvent]*wire.Schema{
	engine.OrderCreated: orderSchema, engine.OrderUpdated: orderSchema, engine.OrderDeleted: orderSchema, engine.ConflictCreated: conflictSchema,
	engine.ConflictResolved: conflictSchema, engine.HoldExpired: holdSchema, engine.UnitOverdue: unavailabilitySchema, engine.WebhookDisabled: webhookSchema,
}

// EventPayload is the record of an event as a version of the interface writes it: there is one.
func EventPayload(_ string, record any) []byte {
	const row = 1 << 10 // about what is written of an order's line, of each unit, and of other records
	w := scribe{Writer: wire.Writer{Out: make([]byte, 0, row)}}
	if of, is := record.(engine.OfAccount); is {
		w.account, record = of.Account, of.Record
	}
	switch r := record.(type) {
	case *engine.OrderRecord:
		w.Out = make([]byte, 0, row*(3+len(r.Lines)+len(r.Units)))
		appendOrder(&w, r)
	case *engine.Conflict:
		appendRecord(&w, *r, (*scribe).writeConflict)
	case *engine.Hold:
		appendHold(&w, r)
	case *engine.Unavailability:
		appendRecord(&w, r, (*scribe).writeUnavailability)
	case *engine.Webhook:
		appendRecord(&w, r, (*scribe).writeWebhook)
	case engine.Example:
		return exampleOfEvent(engine.HookEvent(r))
	default:
		panic(fmt.Sprintf("api: no event is of a %T", record))
	}
	return w.Out
}

// exampleOfEvent is the record that a test shows: the example of the document, with the nil id.
func exampleOfEvent(typ engine.HookEvent) []byte {
	return bytes.ReplaceAll(answerExample(eventSchemas[typ]), []byte(exampleIDOf(typ)), []byte(engine.ID{}.String()))
}

// exampleIDOf is the id in the example of what events of a type are about.
func exampleIDOf(typ engine.HookEvent) string {
	if typ.Resource() == "conflict" {
		return exampleID("Unavailability") // that of the unit
	}
	return exampleID(eventSchemas[typ].Name)
}
