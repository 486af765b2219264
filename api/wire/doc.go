// Package wire is the language in which the interface declares what it reads and what it answers.
//
// An input is a value: a Shape has fields, a Field has a Kind, and each of them reads itself from JSON or from
// parameters and describes itself (shape.go, kind.go; reader.go and args.go take the bytes apart). An answer is a
// function that names its members over a Writer: it writes the record and, run over an empty one, describes it
// (writer.go). Both describe themselves as a Schema (schema.go), of which the document is made.
//
// An answer is a function and not a list of values as an input is, because what an order or an article shows is
// computed of several records at once; it allocates nothing a member, and uses no reflection.
//
// The fields that callers give a record are declared once, in the tags of its struct (base.Field); record.go makes from
// them the code that reads a record that is made or changed, and the code that writes it. It does so by reflection: on
// a page of 250 customers, a field takes 23 to 48 nanoseconds to write. That is three to five times as long as an
// encoder written by hand takes in the same run, and 1.2 to 2.7 times as long as a function takes
// (BenchmarkDeclaredFields of package api, on two cores that others use, too). The records that are read a hundred
// thousand times a second (availability, holds, orders) are written by functions of their own.
//
// # Invariants
//
//  1. A parser copies what it keeps: nothing that was read refers to the bytes that it was read from.
//  2. All faults of an input are found in one pass, each with its pointer.
//  3. The name of a member and its description are in one place. One exception: a function that writes a declared
//     record by hand repeats them (api/order_line_record.go).
//  4. A record that is too long is cut, never refused (cut.go).
//
// It knows no operation, no account and no request, and of the engine the basic names alone: Opt, ID, Fault, Span,
// Forever, MaxName.
package wire
