// Package label keeps what hangs on records of many kinds: tags, attributes with their values, and the ids and metadata
// of other systems; and filters, which judge values.
//
// # Model
//
// A Labelled is a kind of record that labels hang on. A domain makes one of its kind (LabelledKind) and the engine
// lists it (engine/schema.go). Labels are part of the record's own row. An index by tag and by external id is kept in
// the record's table.
//
// An attribute has a format, which says what its values are and how they are compared. A Filter is an attribute or a
// field, an operator and operands; a Judge says of a value whether it passes. Where a whole table is asked, the values
// lie in Columns, of which it judges many at once (column.go).
//
// # Invariants
//
//  1. A value has the format of its attribute, and an option that the attribute has.
//  2. A tag or an attribute that is deleted is gone for readers at once. What rows still say of it is swept behind it,
//     in parts (sweep.go).
//  3. An attribute that records have values of is deleted by force only. How many these are is counted, not looked for
//     (attribute_use.go).
//
// It imports base.
package label
