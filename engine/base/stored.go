package base

import "holdfast/persist"

// This file owns rows that are on disk alone: of some kinds there are too many, or they are too large, to have them in
// memory.

// StoredRows completes a kind whose rows are on disk alone. An account keeps the sum of their hashes in place of them.
// Who changes such a row says what it was: a plan reads no disk.
func StoredRows[R any](k *Kind[R]) *Kind[R] {
	k.Put = func(*State, *AccountState, *R, *R) {}
	k.Scan = func(l *AccountLoader, id ID, value []byte) error {
		row := RowKey(nil, k.Tag, l.ID, id)
		sum, _ := RowHash(nil, k.Tag, row[1:], value)
		l.Kept[k.Tag] += sum
		return nil
	}
	k.total = func(a *AccountState) uint64 {
		if a.Kept == nil {
			return 0
		}
		return a.Kept[k.Tag]
	}
	return k
}

// ReadStored reads a row that is on disk alone, as of the last published record; nil: there is none.
func ReadStored[R any](store *persist.Store, k *Kind[R], account, id ID) (*R, error) {
	row := RowKey(nil, k.Tag, account, id)
	b, ok, err := store.Row(k.Tag, row[1:])
	if err != nil || !ok {
		return nil, err
	}
	return k.Decode(account, id, b)
}

// Keep adds to the sum of a kind's rows, while the state is built.
func (a *AccountState) Keep(tag byte, sum uint64) {
	if a.Kept == nil {
		a.Kept = new(KeptSums)
	}
	a.Kept[tag] += sum
}

// KeptSums are, by table byte, what an account's rows that are on disk alone make of the state hash.
type KeptSums [maxTag + 1]uint64
