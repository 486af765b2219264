package api

import (
	"fmt"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/engine/outbox"
	"holdfast/engine/stock"
)

// This file owns the data of events: the record that each event is about, as the interface shows it.

// EventPayload is the record of an event as a version of the interface writes it: there is one.
func EventPayload(_ string, record any) []byte {
	const row = 1 << 10 // about what is written of an order's line, of each unit, and of other records
	w := scribe{Writer: wire.Writer{Out: make([]byte, 0, row)}}
	if of, is := record.(base.OfAccount); is {
		w.account, record = of.Account, of.Record
	}
	switch r := record.(type) {
	case *order.OrderRecord:
		w.Out = make([]byte, 0, row*(3+len(r.Lines)+len(r.Units)))
		appendOrder(&w, r)
	case *stock.Conflict:
		appendRecord(&w, *r, (*scribe).writeConflict)
	case *hold.Hold:
		appendHold(&w, r)
	case *stock.Unavailability:
		appendRecord(&w, r, (*scribe).writeUnavailability)
	case *outbox.Webhook:
		appendRecord(&w, r, (*scribe).writeWebhook)
	case outbox.Example:
		return exampleOfEvent(base.HookEvent(r))
	default:
		panic(fmt.Sprintf("api: no event is of a %T", record))
	}
	return w.Out
}
