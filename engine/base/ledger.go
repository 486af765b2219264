package base

import (
	"encoding/binary"
	"iter"
)

// This file owns the ledger: one row an account, changed by every command.

// Ledger counts an account's changes and hands out its dense numbers. Every write set begins with its change, so the
// log says of each command when it was done and on whose behalf.
type Ledger struct {
	Sequence uint64 // committed changes of the account
	At       int64  // instant of the last one
	Location uint32 // last number given to a location; the same for the others
	SKU      uint32
	Article  uint32
	Lot      uint32
	Slot     uint32
	Order    uint32
	Actor    string

	Account ID
}

// Version 2 has the last number of an order; an account without orders is written as ever, for the state hash covers
// the bytes.
const (
	ledgerVersion       = 1
	ledgerVersionOrders = 2
)

// LedgerStep is the change that begins a write set: from a ledger, if the account has one, to the next. It keeps both.
func LedgerStep(was, is Ledger) RowChange {
	s := &struct {
		Change[Ledger]
		was, is Ledger
	}{was: was, is: is}
	s.Kind, s.After = LedgerKind, &s.is
	if was.Sequence != 0 {
		s.Before = &s.was
	}
	return &s.Change
}

var LedgerKind = &Kind[Ledger]{
	Tag:   TagLedger,
	Name:  "ledger",
	Key:   func(*Ledger) ID { return ID{} },
	Weigh: func(l *Ledger) int { return HotWeight + len(l.Actor) },
	Encode: func(dst []byte, l *Ledger) []byte {
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
		return AppendText(dst, l.Actor)
	},
	Decode: func(account, _ ID, b []byte) (*Ledger, error) {
		r := Reader{B: b}
		version := r.U8()
		if version != ledgerVersion && version != ledgerVersionOrders {
			return nil, unknownVersion("ledger", b)
		}
		l := &Ledger{Account: account, Sequence: r.U64(), At: r.I64()}
		for _, n := range [...]*uint32{&l.Location, &l.SKU, &l.Article, &l.Lot, &l.Slot} {
			*n = r.U32()
		}
		if version == ledgerVersionOrders {
			l.Order = r.U32()
		}
		l.Actor = r.Text()
		return l, r.Done("ledger")
	},
	Find: func(a *AccountState, _ *Ledger) *Ledger {
		if a.Ledger.Sequence == 0 {
			return nil
		}
		return &a.Ledger
	},
	All: func(a *AccountState) iter.Seq[*Ledger] { return One(&a.Ledger) },
	Put: func(_ *State, a *AccountState, _, after *Ledger) { a.Ledger = *after },
}
