package engine

import "bytes"

// This file owns changes of records that count their revisions.

// revised is a record that counts its revisions.
type revised[R any] interface {
	*R
	revision() uint64
	touch(now int64) // makes it the next revision
}

// found is the record that a command names, in a revision that the caller accepts.
func found[R any, P revised[R]](t *tx, k *kind[R], id ID, ifMatch []uint64) (*R, error) {
	r := k.in(t.acc).Get(id)
	if r == nil {
		return nil, notFound(k.name)
	}
	return r, match(ifMatch, P(r).revision())
}

// revise adds a record as a patch leaves it to the write set, as its next revision, and returns it. One that is as it was stays
// that: nothing is recorded.
func revise[R any, P revised[R]](t *tx, k *kind[R], before *R, after R) *R {
	was := *before
	if l, ok := any(&was).(interface{ dropGone(a *account) }); ok {
		l.dropGone(t.acc) // that a label is gone is no change of the record
	}
	if alike(k.encode, &was, &after) {
		return before
	}
	P(&after).touch(t.now)
	record(t, k, before, &after)
	return &after
}

// alike says that two records, or parts of such, say the same: that they are written with the same bytes.
func alike[R any](encode func(dst []byte, r *R) []byte, a, b *R) bool {
	return bytes.Equal(encode(nil, a), encode(nil, b))
}
