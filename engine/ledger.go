package engine

import (
	"encoding/binary"
	"iter"
)

// This file owns the ledger: one row an account, changed by every command.

// ledger counts an account's changes and hands out its dense numbers. Every write set begins with its change, so the log
// says of each command when it was and who asked.
type ledger struct {
	Sequence uint64 // committed changes of the account
	At       int64  // instant of the last one
	Location uint32 // last number given to a location; the same for the others
	SKU      uint32
	Article  uint32
	Lot      uint32
	Slot     uint32
	Order    uint32
	Actor    string

	account ID
}

// Version 2 has the last number of an order; an account without orders is written as ever, for the state hash covers the bytes.
const (
	ledgerVersion       = 1
	ledgerVersionOrders = 2
)

var ledgerKind = &kind[ledger]{
	tag:   tagLedger,
	name:  "ledger",
	key:   func(*ledger) ID { return ID{} },
	weigh: func(l *ledger) int { return hotWeight + len(l.Actor) },
	encode: func(dst []byte, l *ledger) []byte {
		version := byte(ledgerVersion)
		if l.Order > 0 {
			version = ledgerVersionOrders
		}
		dst = append(dst, version)
		dst = binary.LittleEndian.AppendUint64(dst, l.Sequence)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(l.At))
		for _, n := range [...]uint32{l.Location, l.SKU, l.Article, l.Lot, l.Slot} {
			dst = binary.LittleEndian.AppendUint32(dst, n)
		}
		if l.Order > 0 {
			dst = binary.LittleEndian.AppendUint32(dst, l.Order)
		}
		return appendText(dst, l.Actor)
	},
	decode: func(account, _ ID, b []byte) (*ledger, error) {
		r := reader{b: b}
		version := r.u8()
		if version != ledgerVersion && version != ledgerVersionOrders {
			return nil, unknownVersion("ledger", b)
		}
		l := &ledger{account: account, Sequence: r.u64(), At: r.i64()}
		for _, n := range [...]*uint32{&l.Location, &l.SKU, &l.Article, &l.Lot, &l.Slot} {
			*n = r.u32()
		}
		if version == ledgerVersionOrders {
			l.Order = r.u32()
		}
		l.Actor = r.text()
		return l, r.done("ledger")
	},
	find: func(a *account, _ *ledger) *ledger {
		if a.ledger.Sequence == 0 {
			return nil
		}
		return &a.ledger
	},
	all: func(a *account) iter.Seq[*ledger] { return one(&a.ledger) },
	put: func(_ *state, a *account, _, after *ledger) { a.ledger = *after },
}
