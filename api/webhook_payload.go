package api

import (
	"fmt"

	"holdfast/api/wire"
	"holdfast/engine"
)

// This file owns the data of events: the record that each tells of, as the interface shows it.

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
