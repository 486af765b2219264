// Package outbox keeps webhooks, the events that are sent to them, and the result of each delivery. It sends nothing
// itself: api/webhook does.
//
// # Model
//
// Domains register the types of their events and the functions that find them in a write set (base/event.go). Before a
// write set is complete, DeliverEvents adds one delivery for each webhook that is subscribed to an event, and one body
// of the event for each API version among these webhooks. They are in the same write set as the change, so an event is
// as durable as its change. A delivery is queued, tried, and tried again after growing delays, until it is sent or
// given up (delivery_attempt.go).
//
// # Invariants
//
//  1. Every change that the type of an event names makes one event; nothing else makes one.
//  2. A webhook is sent only what the scopes recorded with it may read.
//  3. A body is kept while a delivery needs it. The log of deliveries is trimmed by size and age (delivery_trim.go).
//  4. Where the record of an event is taken out of a body, nothing is kept of what was answered to that body. The body
//     gets another id, so what comes later of an attempt that was under way is known by the id (delivery_blank.go).
//
// It imports base.
package outbox
