package engine

import (
	"encoding/binary"

	"holdfast/engine/base"
	"holdfast/persist"
)

// This file owns what is kept of the use of accounts and keys. It is kept outside the state, as no command and no read
// depends on it.

// Usage is how often an account or a key was used in a month, and when last.
type Usage struct {
	ID    base.ID // of the account or key
	Month int32   // year times twelve, and the month from 0
	Count int64
	Last  int64 // instant
}

const usageVersion = 1

// SaveUsage keeps what has changed: it is durable when SaveUsage returns.
func (e *Engine) SaveUsage(list []Usage) error {
	pairs := make([]persist.Pair, len(list))
	for i, u := range list {
		v := append(make([]byte, 0, 21), usageVersion)
		v = binary.LittleEndian.AppendUint32(v, uint32(u.Month))
		v = binary.LittleEndian.AppendUint64(v, uint64(u.Count))
		v = binary.LittleEndian.AppendUint64(v, uint64(u.Last))
		pairs[i] = persist.Pair{Key: u.ID[:], Value: v}
	}
	return e.store.SetUnlogged(pairs)
}

// Usage reads what was kept of the accounts and keys that there are: visit is called with the account of each.
func (e *Engine) Usage(visit func(account base.ID, u Usage)) error {
	kept := map[base.ID]Usage{}
	err := e.store.ScanUnlogged(func(key, value []byte) error {
		r := base.Reader{B: value}
		if r.U8() != usageVersion || len(key) != len(base.ID{}) {
			return nil // of another version: it counts from anew
		}
		u := Usage{ID: base.ID(key), Month: int32(r.U32()), Count: r.I64(), Last: r.I64()}
		if r.Done("usage") == nil {
			kept[u.ID] = u
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range e.Accounts() {
		if u, ok := kept[id]; ok {
			visit(id, u)
		}
		v, _ := e.View(id)
		for k := range Keys(v).All() {
			if u, ok := kept[k.ID]; ok {
				visit(id, u)
			}
		}
	}
	return nil
}
