// Package outbox keeps webhooks, the events they are sent, and what became of each delivery. It sends nothing itself:
// that is api/webhook.
//
// # Model
//
// Domains register the types of their events and who finds them in a write set (base/event.go). Before a write set is
// complete, DeliverEvents makes one body an event and one delivery a hook that wants it, in the same write set: an
// event is as durable as what it tells of. A delivery is queued, tried, and tried again with growing distances, until
// it is sent or given up (delivery_attempt.go).
//
// # Invariants
//
//  1. An event is told of every change that its type names, once, and of nothing else.
//  2. A hook is sent what the scopes recorded with it may read.
//  3. A body is kept while a delivery needs it. The log of deliveries is trimmed by size and age (delivery_trim.go).
//
// It imports base.
package outbox
