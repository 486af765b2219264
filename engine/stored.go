package engine

import "holdfast/persist"

// This file owns rows that are on disk alone: of some kinds there are too many, or they are too large, to have them in memory.

// storedRows completes a kind whose rows are on disk alone. An account keeps the sum of their hashes in place of them. Who changes
// such a row says what it was: a plan reads no disk.
func storedRows[R any](k *kind[R]) *kind[R] {
	k.put = func(*state, *account, *R, *R) {}
	k.scan = func(l *accountLoader, id ID, value []byte) error {
		row := rowKey(nil, k.tag, l.id, id)
		sum, _ := rowHash(nil, k.tag, row[1:], value)
		l.kept[k.tag] += sum
		return nil
	}
	k.total = func(a *account) uint64 {
		if a.kept == nil {
			return 0
		}
		return a.kept[k.tag]
	}
	return k
}

// readStored reads a row that is on disk alone, as of the last published record; nil: there is none.
func readStored[R any](store *persist.Store, k *kind[R], account, id ID) (*R, error) {
	row := rowKey(nil, k.tag, account, id)
	b, ok, err := store.Row(k.tag, row[1:])
	if err != nil || !ok {
		return nil, err
	}
	return k.decode(account, id, b)
}

// keep adds to the sum of a kind's rows, while the state is built.
func (a *account) keep(tag byte, sum uint64) {
	if a.kept == nil {
		a.kept = new(keptSums)
	}
	a.kept[tag] += sum
}

// keptSums are, by table byte, what an account's rows that are on disk alone make of the state hash.
type keptSums [maxTag + 1]uint64
