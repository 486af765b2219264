package timeline

// This file owns the vector by dense number: a radix tree, copy on write with an ownership token.

import "slices"

const (
	vecLeaf = 16 // entries of a leaf: what one write copies
	vecFan  = 64 // children of an inner node
)

// vec is a persistent array indexed by a dense number. The zero value is empty. Versions work as with tree.
type vec[T any] struct {
	root *vnode[T]
	n    int // entries below it exist
	span int // entries that the root can hold
}

type vnode[T any] struct {
	edit *token
	vals *[vecLeaf]T
	kids []*vnode[T]
}

// at is the entry i, to be read only; nil where there is none yet.
func (v *vec[T]) at(i int) *T {
	if uint(i) >= uint(v.n) {
		return nil
	}
	n, span := v.root, v.span
	for span > vecLeaf {
		span /= vecFan
		n = n.kids[i/span]
		i %= span
	}
	return &n.vals[i]
}

// own is the entry i, to be changed by the owner of edit. It grows the vector up to i with zero entries.
func (v *vec[T]) own(edit *token, i int) *T {
	for i >= v.n {
		v.grow(edit)
	}
	v.root = v.root.own(edit)
	n, span := v.root, v.span
	for span > vecLeaf {
		span /= vecFan
		kid := n.kids[i/span].own(edit)
		n.kids[i/span] = kid
		n = kid
		i %= span
	}
	return &n.vals[i]
}

func (n *vnode[T]) own(edit *token) *vnode[T] {
	if n.edit == edit {
		return n
	}
	c := &vnode[T]{edit: edit, kids: slices.Clone(n.kids)}
	if n.vals != nil {
		vals := *n.vals
		c.vals = &vals
	}
	return c
}

// grow adds one leaf at the right edge.
func (v *vec[T]) grow(edit *token) {
	leaf := &vnode[T]{edit: edit, vals: new([vecLeaf]T)}
	at := v.n
	v.n += vecLeaf
	if v.root == nil {
		v.root, v.span = leaf, vecLeaf
		return
	}
	if at == v.span {
		v.root = &vnode[T]{edit: edit, kids: []*vnode[T]{v.root}}
		v.span *= vecFan
	}
	v.root = v.root.own(edit)
	n, span := v.root, v.span
	for {
		span /= vecFan
		i := at / span
		at %= span
		if i == len(n.kids) {
			for ; span > vecLeaf; span /= vecFan {
				leaf = &vnode[T]{edit: edit, kids: []*vnode[T]{leaf}}
			}
			n.kids = append(n.kids, leaf)
			return
		}
		n.kids[i] = n.kids[i].own(edit)
		n = n.kids[i]
	}
}
