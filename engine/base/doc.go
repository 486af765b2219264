// Package base is what every domain of the engine needs, and knows none of them: ids, instants, errors, optional inputs
// and their checks, the state of an account, the working view of a plan, and kinds of rows.
//
// # Model
//
// An operation (Op) is a value. It names the faults of its own inputs (Check, with a Checker); its plan (PlanOn) judges
// it on a Tx, the state as the command meets it, and collects a write set there by Record, or refuses with an *Error.
// Apply puts a write set into the state, and cannot fail.
//
// A row is a value of a type that a Kind describes: how it is keyed, written, read, found and put in place. A kind is
// declared in the file of its resource, and listed in engine/schema.go. What is changed is a copy; the row itself never
// changes once it was recorded.
//
// The fields of a record that callers give are declared once, in the tags of its struct (field.go): name, form, bounds,
// what is said of them. Checks, changes (change.go), and in package api reading, writing and the document come of that.
// A new field is one line.
//
// AccountState is all of one account. The writer has one that changes; Publish gives readers a copy that does not. A
// View is that copy with the sequence it is of, and all that readers outside of the engine hold. The fields of
// AccountState, Tx and State are for the packages of the engine: a test keeps others off them (fuzz/walls_test.go).
//
// What a domain adds to all this it registers: extensions and followers (extension.go), places on shelves (shelf.go),
// referrers (in_use.go), the types of its events (event.go).
//
// # Invariants
//
//  1. A Check looks at the inputs alone. What only the state can tell is CheckOn, and a refusal of the plan.
//  2. A plan reads no clock and draws nothing: Tx.Now and Tx.NewID are all that it has of either.
//  3. Encode is canonical: equal rows give equal bytes. The state hash is the sum of RowHash over all rows.
//  4. A table byte (tables.go) is never given to another kind.
//  5. A bound that several domains share is here (input.go, bounds.go); one of a single domain is in its file.
//
// It imports engine/table, timeline and persist, and nothing of the engine.
package base
