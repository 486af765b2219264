package base

import (
	"encoding/binary"

	"holdfast/engine/table"
)

// This file owns what is left of records that are gone, for what outlives them.
//
// Holds, lots and units name records by number: a former row keeps the id of a number, so that an old hold still says what it was for.

// former is what is left of a record that is gone.
type former struct {
	ID ID
	Of byte // the table byte of its kind
	No uint32
}

var FormerKind = func() *Kind[former] {
	k := RowsOf(tagFormer, "former record", func(f *former) ID { return f.ID },
		table.By(func(f *former) []string { return []string{FormerKey(f.Of, f.No)} }))
	k.Resource = "" // the record's own end is told
	return k
}()

// FormerKey is the key of the tombstone of a record by its number.
func FormerKey(of byte, no uint32) string {
	return string(binary.BigEndian.AppendUint32([]byte{of}, no))
}

// Bury keeps the id of a number whose record goes.
func (t *Tx) Bury(of byte, id ID, no uint32) { Record(t, FormerKind, nil, &former{id, of, no}) }

// FormerID is the id of a record that was deleted, by its number.
func (a *AccountState) FormerID(of byte, no uint32) ID {
	if f := FormerKind.In(a).First(0, FormerKey(of, no)); f != nil {
		return f.ID
	}
	return ID{}
}
