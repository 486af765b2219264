package model

import (
	"encoding/binary"
	"slices"

	"holdfast/persist"
	"holdfast/timeline"
)

// This file owns what the twin takes from the engine: where units are, read from the engine's log. The log is the truth
// and says of every row what it was and what it is; the twin holds the first against what it knows.

const (
	tagLedger = 2
	tagLot    = 7
	tagSlot   = 8
	tagUnit   = 9
	tagHold   = 10
)

// parts cuts in two what the log says of a submission: the commands that did what was due before it, and the
// submission's own with what followed. The change of the ledger, which begins each command, says who asked for it.
func parts(account ID, records []persist.Record) (due, own []persist.Change) {
	before := true
	for _, r := range records {
		for c := range r.Changes() {
			if len(c.Key) != 32 || ID(c.Key[:16]) != account {
				continue
			}
			if c.Table == tagLedger {
				actor := actorOf(c)
				before = before && (actor == "clock" || actor == "conflicts")
			}
			if before {
				due = append(due, c)
			} else {
				own = append(own, c)
			}
		}
	}
	return due, own
}

// actorAt is where a ledger's actor begins: after the version, two numbers of 8 and five of 4 bytes, and its own
// length; version 2 has a number more, of orders.
const actorAt = 1 + 2*8 + 5*4 + 4

// actorOf is the actor that asked for a command, as its change of the ledger says.
func actorOf(c persist.Change) string { return string(c.After[actorAt+4*max(0, int(c.After[0])-1):]) }

// read takes what the log says into a copy of the account. Only lots, slots and units are looked at.
func (a *Account) read(changes []persist.Change) (*Account, error) {
	n := a.clone()
	for _, c := range changes {
		id, err := ID(c.Key[16:]), error(nil)
		switch c.Table {
		case tagLot:
			err = n.readLot(c)
		case tagSlot:
			n.Slots, err = row(n.Slots, c, readSlot(id, c.Before), readSlot(id, c.After),
				func(s Slot) ID { return s.ID })
		case tagUnit:
			n.Units, err = row(n.Units, c, readUnit(id, c.Before), readUnit(id, c.After),
				func(u Unit) ID { return u.ID })
		}
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

// row puts one changed row into a list that is in the order of ids.
func row[R comparable](list []R, c persist.Change, before, after R, id func(R) ID) ([]R, error) {
	key := ID(c.Key[16:])
	i, had := slices.BinarySearchFunc(list, key, func(r R, key ID) int { return id(r).Compare(key) })
	if had != (c.Before != nil) || had && list[i] != before {
		return nil, wrong("the log changes row %x from %+v, which is not what it was", key, before)
	}
	switch {
	case c.After == nil && had:
		return slices.Delete(list, i, i+1), nil
	case c.After == nil:
		return list, nil
	case had:
		list[i] = after
		return list, nil
	}
	return slices.Insert(list, i, after), nil
}

func (a *Account) readLot(c persist.Change) error {
	b := c.After
	if c.Before != nil || len(b) != 13 {
		return wrong("a lot changes, or has %d bytes", len(b))
	}
	l := Lot{No: u32(b[1:]), Article: int(u32(b[5:])) - 1, Location: int(u32(b[9:])) - 1}
	if int(l.No) != len(a.Lots)+1 {
		return wrong("lot %d follows %d lots", l.No, len(a.Lots))
	}
	a.Lots = append(a.Lots, l)
	return nil
}

func readSlot(id ID, b []byte) (s Slot) {
	if b == nil {
		return s
	}
	return Slot{id, u32(b[1:]), u32(b[5:]), Span{Start: i64(b[9:]), End: i64(b[17:])}}
}

func readUnit(id ID, b []byte) (u Unit) {
	if b == nil {
		return u
	}
	return Unit{
		ID: id, Kind: timeline.Kind(b[1]), Flags: timeline.Flags(b[2]), Line: binary.LittleEndian.Uint16(b[3:]),
		Hull: Span{Start: i64(b[5:]), End: i64(b[13:])}, Nth: uint64(i64(b[21:])),
		Before: i64(b[29:]), After: i64(b[37:]), Cut: i64(b[45:]), Lot: u32(b[53:]), Slot: u32(b[57:]),
	}
}

func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func i64(b []byte) int64  { return int64(binary.LittleEndian.Uint64(b)) }
