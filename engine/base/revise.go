package base

import (
	"bytes"
	"slices"
)

// This file owns changes of records that count their revisions.

// Revised is a record that counts its revisions.
type Revised[R any] interface {
	*R
	Rev() uint64
	Touch(now int64) // makes it the next revision
}

// Stamp is embedded in records, and makes them Revised.
type Stamp struct {
	UpdatedAt int64
	Revision  uint64
}

func (s *Stamp) OwnStamp() *Stamp { return s }
func (s *Stamp) Rev() uint64      { return s.Revision }
func (s *Stamp) Touch(now int64)  { *s = Stamp{now, s.Revision + 1} }

// Stamp is that of a record's first revision.
func (t *Tx) Stamp() Stamp { return Stamp{t.Now, 1} }

// IfMatch is embedded in an operation on one record, and says which revisions the record may have; none: any.
type IfMatch []uint64

// Demand sets the revisions that the record may have.
func (m *IfMatch) Demand(revisions []uint64) { *m = revisions }

// Match refuses a revision that is none of those.
func (m IfMatch) Match(revision uint64) error {
	if len(m) == 0 || slices.Contains(m, revision) {
		return nil
	}
	return Refuse(CodePrecondition, "the record was changed since it was read")
}

// Found is the record that a command names, in a revision that the caller accepts.
func Found[R any, P Revised[R]](t *Tx, k *Kind[R], id ID, ifMatch IfMatch) (*R, error) {
	r := k.In(t.Acc).Get(id)
	if r == nil {
		return nil, NotFound(k.Name)
	}
	return r, ifMatch.Match(P(r).Rev())
}

// Revise adds a record as a patch leaves it to the write set, as its next revision, and returns it. One that is as it
// was stays that: nothing is recorded.
func Revise[R any, P Revised[R]](t *Tx, k *Kind[R], before *R, after R) *R {
	was := *before
	if l, ok := any(&was).(interface{ DropGone(a *AccountState) }); ok {
		l.DropGone(t.Acc) // that a label is gone is no change of the record
	}
	if Alike(k.Encode, &was, &after) {
		return before
	}
	P(&after).Touch(t.Now)
	Record(t, k, before, &after)
	return &after
}

// Alike says that two records, or parts of such, say the same: that they are written with the same bytes.
func Alike[R any](encode func(dst []byte, r *R) []byte, a, b *R) bool {
	return bytes.Equal(encode(nil, a), encode(nil, b))
}
