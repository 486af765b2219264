package base

import (
	"encoding/binary"

	"holdfast/engine/table"
)

// This file owns what is left of records that are gone, for what outlives them.
//
// Holds, lots and units name records by number: a tombstone keeps the id of a number, so that an old hold still says
// what it was for.

// tombstone is what is left of a record that is gone.
type tombstone struct {
	ID ID
	Of byte // the table byte of its kind
	No uint32
}

var TombstoneKind = func() *Kind[tombstone] {
	k := RowsOf(tagTombstone, "former record", func(f *tombstone) ID { return f.ID },
		table.By(func(f *tombstone) []string { return []string{TombstoneKey(f.Of, f.No)} }))
	k.Resource = "" // the feed has the end of the record itself
	return k
}()

// TombstoneKey is the key of the tombstone of a record by its number.
func TombstoneKey(of byte, no uint32) string {
	return string(binary.BigEndian.AppendUint32([]byte{of}, no))
}

// Bury keeps the id of a number whose record goes.
func (t *Tx) Bury(of byte, id ID, no uint32) { Record(t, TombstoneKind, nil, &tombstone{id, of, no}) }

// TombstoneID is the id of a record that was deleted, by its number.
func (a *AccountState) TombstoneID(of byte, no uint32) ID {
	if f := TombstoneKind.In(a).First(0, TombstoneKey(of, no)); f != nil {
		return f.ID
	}
	return ID{}
}

// IDOf is the id of a record by its number, also of one that is gone.
func (k *Kind[R]) IDOf(a *AccountState, no uint32) ID {
	if r := k.In(a).No(no); r != nil {
		return k.Key(r)
	}
	return a.TombstoneID(k.Tag, no)
}

// NoOf is the number of a record by its id, also of one that is gone; 0 for none.
func (k *Kind[R]) NoOf(a *AccountState, id ID) uint32 {
	if r, no := k.In(a).Find(id); r != nil {
		return no
	}
	if f := TombstoneKind.In(a).Get(id); f != nil && f.Of == k.Tag {
		return f.No
	}
	return 0
}
