package table

import "sync/atomic"

// This file owns the rows found by a dense number: a copy-on-write radix tree of fan-out 64 and four levels.

const (
	fan  = 64
	bits = 6

	// maxNumber is the greatest number that a row can have.
	maxNumber = fan*fan*fan*fan - 1
)

// edit marks the nodes that the writer may still change in place: nodes of another edit are shared and copied first.
type edit struct{ _ byte }

type (
	root[R any]   struct{ kids [fan]*branch[R] }
	branch[R any] struct {
		edit *edit
		memo *Memo
		kids [fan]*twig[R]
	}
	twig[R any] struct {
		edit *edit
		memo *Memo
		kids [fan]*leaf[R]
	}
	leaf[R any] struct {
		edit *edit
		memo *Memo
		rows [fan]*R
	}
)

// Block is the rows of 64 numbers in a row, nil where there is none.
type Block[R any] struct {
	Rows *[fan]*R
	// Memo is for what a reader derives from these rows and from nothing else: it lives as long as they stay as they
	// are.
	Memo *Memo
}

// Memo keeps a few values by comparable keys. Many goroutines may use it.
type Memo struct{ list atomic.Pointer[[]memo] }

type memo struct{ key, value any }

// Load is the value of a key, nil if there is none.
func (m *Memo) Load(key any) any {
	if list := m.list.Load(); list != nil {
		for i := range *list {
			if x := &(*list)[i]; x.key == key {
				return x.value
			}
		}
	}
	return nil
}

// Store keeps a value. Where two goroutines store one for the same key, which are equal then, the first one is found.
func (m *Memo) Store(key, value any) {
	for {
		was := m.list.Load()
		var list []memo
		if was != nil {
			list = append(list, *was...)
		}
		list = append(list, memo{key, value})
		if m.list.CompareAndSwap(was, &list) {
			return
		}
	}
}

type numbered[R any] struct {
	edit *edit
	root root[R]
}

func newNumbered[R any]() *numbered[R] { return &numbered[R]{edit: new(edit)} }

func (n *numbered[R]) publish() *numbered[R] {
	n.edit = new(edit)
	return &numbered[R]{root: n.root}
}

// scratch is a copy to be changed that shares all nodes and owns none.
func (n *numbered[R]) scratch() *numbered[R] { return &numbered[R]{edit: new(edit), root: n.root} }

func (n *numbered[R]) get(no uint32) *R {
	if no > maxNumber {
		return nil
	}
	b := n.root.kids[no>>(3*bits)]
	if b == nil {
		return nil
	}
	t := b.kids[no>>(2*bits)%fan]
	if t == nil {
		return nil
	}
	l := t.kids[no>>bits%fan]
	if l == nil {
		return nil
	}
	return l.rows[no%fan]
}

func (n *numbered[R]) put(no uint32, r *R) {
	if no > maxNumber {
		panic("table: number out of range")
	}
	b := n.root.kids[no>>(3*bits)]
	b = own(b, b != nil && b.edit == n.edit)
	b.edit, n.root.kids[no>>(3*bits)] = n.edit, b
	t := b.kids[no>>(2*bits)%fan]
	t = own(t, t != nil && t.edit == n.edit)
	t.edit, b.kids[no>>(2*bits)%fan] = n.edit, t
	l := t.kids[no>>bits%fan]
	l = own(l, l != nil && l.edit == n.edit)
	l.edit, t.kids[no>>bits%fan] = n.edit, l
	memos := new([3]Memo)
	b.memo, t.memo, l.memo = &memos[0], &memos[1], &memos[2]
	l.rows[no%fan] = r
}

// block is the i-th block of 64 numbers, with nil Rows where there is none.
func (n *numbered[R]) block(i int) (b Block[R]) {
	if i < 0 {
		return b
	}
	if t := n.twig(i >> bits); t != nil {
		if l := t.kids[i%fan]; l != nil {
			return Block[R]{&l.rows, l.memo}
		}
	}
	return b
}

// twig is the one of the i-th 64 blocks, or nil.
func (n *numbered[R]) twig(i int) *twig[R] {
	if i < 0 || i > maxNumber/fan/fan {
		return nil
	}
	if b := n.root.kids[i>>bits]; b != nil {
		return b.kids[i%fan]
	}
	return nil
}

// Sum adds up what is said of each block of a table, which depends on its rows alone. The sum of 64 blocks, and that of
// 64 times as many, are kept under the key for as long as their rows stay as they are: so it takes what has changed
// since it was asked for last, and not what there is. The table was made with Numbered.
func Sum[R, V any](t *Table[R], key any, of func(Block[R]) V, add func(V, V) V) (sum V) {
	for _, b := range t.numbers.root.kids {
		if b == nil {
			continue
		}
		sum = add(sum, kept(b.memo, key, func() (sum V) {
			for _, t := range b.kids {
				if t == nil {
					continue
				}
				sum = add(sum, kept(t.memo, key, func() (sum V) {
					for _, l := range t.kids {
						if l != nil {
							sum = add(sum, of(Block[R]{&l.rows, l.memo}))
						}
					}
					return sum
				}))
			}
			return sum
		}))
	}
	return sum
}

// Stretch is what is made of the 64 blocks from the 64*i-th on; where there is no block, its Rows are nil. It is kept
// under the key for as long as none of their rows changes: a reader of all blocks finds the values of 64 blocks side by
// side. The table was made with Numbered.
func Stretch[R, V any](t *Table[R], i int, key any, of func(*[fan]Block[R]) V) V {
	x := t.numbers.twig(i)
	if x == nil {
		return of(new([fan]Block[R]))
	}
	return kept(x.memo, key, func() V {
		var blocks [fan]Block[R]
		for k, l := range x.kids {
			if l != nil {
				blocks[k] = Block[R]{&l.rows, l.memo}
			}
		}
		return of(&blocks)
	})
}

// kept is what a memo has under a key, made where it has nothing.
func kept[V any](m *Memo, key any, make func() V) V {
	if v, ok := m.Load(key).(V); ok {
		return v
	}
	v := make()
	m.Store(key, v)
	return v
}

// own is the node itself where it is the writer's, else a copy, or a new one.
func own[N any](n *N, mine bool) *N {
	switch {
	case mine:
		return n
	case n == nil:
		return new(N)
	}
	c := *n
	return &c
}
