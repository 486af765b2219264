package timeline

// This file owns Amounts: an amount under each dense number, for the sums of others.

import "iter"

// Amounts are amounts by numbers that begin near 0: 8 bytes for each number up to the greatest, and a tenth of it for
// the nodes above them. A number that nothing was added to has 0. The zero value is not usable: take NewAmounts.
// Publish and Add are for one writer; a published copy may be read by anyone.
type Amounts struct {
	edit *token
	of   vec[int64]
}

// NewAmounts makes amounts that are all 0.
func NewAmounts() *Amounts { return &Amounts{edit: newToken()} }

// Publish gives a copy that never changes, in constant time.
func (m *Amounts) Publish() *Amounts {
	m.edit = m.edit.next()
	return &Amounts{of: m.of}
}

// Of is the amount under a number.
func (m *Amounts) Of(no uint32) int64 {
	if n := m.of.at(int(no)); n != nil {
		return *n
	}
	return 0
}

// Add adds to the amount under a number.
func (m *Amounts) Add(no uint32, n int64) { *m.of.own(m.edit, int(no)) += n }

// All yields the numbers whose amounts are not 0, in their order, with these.
func (m *Amounts) All() iter.Seq2[uint32, int64] {
	return func(yield func(uint32, int64) bool) {
		for no := range m.of.n {
			if n := *m.of.at(no); n != 0 && !yield(uint32(no), n) {
				return
			}
		}
	}
}
