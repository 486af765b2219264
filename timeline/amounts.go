package timeline

// This file owns Amounts: an amount under each dense number, for the sums of others.

import "iter"

// amountsOfBlock is how many numbers in a row lie in one block: what a write copies, and the least that it makes.
const amountsOfBlock = 32

// Amounts are amounts by numbers that begin near 0: 9 bytes for each number of a block of which one has an amount, else
// a third of a byte. A number that nothing was added to has 0. The zero value is not usable: take NewAmounts. Publish
// and Add are for one writer; a published copy may be read by anyone.
type Amounts struct {
	edit   *token
	blocks vec[*amountBlock] // nil where there is none
}

type amountBlock struct {
	edit *token
	of   [amountsOfBlock]int64
}

// NewAmounts makes amounts that are all 0.
func NewAmounts() *Amounts { return &Amounts{edit: newToken()} }

// Publish gives a copy that never changes, in constant time.
func (m *Amounts) Publish() *Amounts {
	m.edit = m.edit.next()
	return &Amounts{blocks: m.blocks}
}

// Of is the amount under a number.
func (m *Amounts) Of(no uint32) int64 {
	if b := m.blocks.at(int(no / amountsOfBlock)); b != nil && *b != nil {
		return (*b).of[no%amountsOfBlock]
	}
	return 0
}

// Add adds to the amount under a number.
func (m *Amounts) Add(no uint32, n int64) {
	b := m.blocks.own(m.edit, int(no/amountsOfBlock))
	switch {
	case *b == nil:
		*b = &amountBlock{edit: m.edit}
	case (*b).edit != m.edit:
		*b = &amountBlock{m.edit, (*b).of}
	}
	(*b).of[no%amountsOfBlock] += n
}

// All yields the numbers whose amounts are not 0, in their order, with these.
func (m *Amounts) All() iter.Seq2[uint32, int64] {
	return func(yield func(uint32, int64) bool) {
		for i := range m.blocks.n {
			b := *m.blocks.at(i)
			if b == nil {
				continue
			}
			for j, n := range b.of {
				if n != 0 && !yield(uint32(i*amountsOfBlock+j), n) {
					return
				}
			}
		}
	}
}
