package table

// This file owns Numbered: rows found by a dense number.

const fan = 64

type page[R any] struct {
	edit *edit
	kids [fan]*page[R] // inner
	rows *[fan]*R      // leaf
}

// edit marks the pages that one writer may still change in place: pages of another edit are shared and copied first.
type edit struct{ _ byte }

// Numbered maps dense numbers from 1 to rows: a copy-on-write radix tree of fan-out 64, four levels, 16.7 million numbers.
// The rules of concurrency are those of Table.
type Numbered[R any] struct {
	edit *edit
	root *page[R]
}

// MaxNumber is the greatest number that Numbered can hold.
const MaxNumber = fan*fan*fan*fan - 1

// NewNumbered makes an empty one.
func NewNumbered[R any]() *Numbered[R] { return &Numbered[R]{edit: new(edit)} }

// Publish returns a copy that never changes. Writer only.
func (n *Numbered[R]) Publish() *Numbered[R] {
	c := &Numbered[R]{root: n.root}
	n.edit = new(edit)
	return c
}

// Get returns the row with a number, or nil.
func (n *Numbered[R]) Get(no uint32) *R {
	p := n.root
	for shift := 18; shift > 0 && p != nil; shift -= 6 {
		p = p.kids[no>>shift%fan]
	}
	if p == nil || no > MaxNumber {
		return nil
	}
	return p.rows[no%fan]
}

// Put stores a row under its number, or forgets the number where r is nil. Writer only.
func (n *Numbered[R]) Put(no uint32, r *R) {
	if no > MaxNumber {
		panic("table: number out of range")
	}
	p := n.own(&n.root, false)
	for shift := 18; shift > 0; shift -= 6 {
		p = n.own(&p.kids[no>>shift%fan], shift == 6)
	}
	p.rows[no%fan] = r
}

func (n *Numbered[R]) own(at **page[R], leaf bool) *page[R] {
	p := *at
	switch {
	case p == nil:
		p = &page[R]{edit: n.edit}
		if leaf {
			p.rows = new([fan]*R)
		}
	case p.edit != n.edit:
		c := *p
		c.edit = n.edit
		if leaf {
			rows := *p.rows
			c.rows = &rows
		}
		p = &c
	}
	*at = p
	return p
}
