// Package label keeps what records of many kinds can carry: tags, attributes with their values, and the ids and
// metadata of other systems. It also has filters, which judge values.
//
// # Model
//
// A Labelled is a kind of record that can carry labels. A domain makes one of its kind (LabelledKind) and the engine
// lists it (engine/schema.go). Labels are part of the record's own row. An index by tag and by external id is kept in
// the record's table.
//
// An attribute has a format, which says what its values are and how they are compared. A Filter is an attribute or a
// field, an operator and operands; a Judge says whether a value passes. To filter a whole table, the values lie in
// Columns, and a judge takes many of them at once (column.go).
//
// # Invariants
//
//  1. A value has the format of its attribute, and an option that the attribute has.
//  2. A tag or an attribute that is deleted is gone for readers at once. It is removed from the rows later, in parts
//     (sweep.go).
//  3. An attribute that records have values of is deleted only by force. The number of these records is kept as a
//     count, so no command searches for them (attribute_use.go).
//
// It imports base.
package label
