// Package base has what every domain of the engine needs: ids, instants, errors, optional inputs and their checks, the
// state of an account, the working view of a plan, and kinds of rows. It knows none of the domains.
//
// # Model
//
// An operation (Op) is a value. It names the faults of its own inputs (Check, with a Checker); its plan (PlanOn) judges
// it on a Tx, the state as the command meets it, and collects a write set there by Record, or refuses with an *Error.
// Apply puts a write set into the state, and cannot fail.
//
// A row is a value of a type that a Kind describes: how it is keyed, written, read, found and put in place. A kind is
// declared in the file of its resource, and listed in engine/schema.go. A plan changes a copy of a row; the row itself
// never changes once it was recorded.
//
// The fields of a record that callers give are declared once, in the tags of its struct (field.go): name, form, bounds
// and description. Checks and changes (change.go) follow from the tags, as do reading, writing and the OpenAPI document
// in package api. A new field of a record that is written by its declaration is one line. A new field of an order or a
// hold is also in the stored row and in the function that writes the answer (api/order_record.go, api/holds.go).
//
// AccountState is the whole state of one account. The writer has one that changes; Publish gives readers a copy that
// does not. A View is that copy with its sequence. Readers outside the engine get nothing but views. The fields of
// AccountState, Tx and State are for the packages of the engine: a test refuses other uses (fuzz/walls_test.go).
//
// A domain registers what it adds to all this: extensions and followers (extension.go), places on shelves (shelf.go),
// referrers (in_use.go), the types of its events (event.go).
//
// # Invariants
//
//  1. Check looks only at the inputs. What depends on the state is for CheckOn, or for a refusal of the plan.
//  2. A plan reads no clock and no random numbers: it has only Tx.Now and Tx.NewID.
//  3. Encode is canonical: equal rows give equal bytes. The state hash is the sum of RowHash over all rows.
//  4. A table byte (tables.go) is never given to another kind.
//  5. A bound that several domains share is here (input.go, bounds.go); one of a single domain is in its file.
//
// It imports engine/table, timeline and persist, and nothing of the engine.
package base
