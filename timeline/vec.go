package timeline

// This file owns the vector by dense number: a radix tree, copy on write with an ownership token.

import "slices"

const (
	vecLeaf = 7  // entries of a leaf: what a write copies. Seven slots and the token fill 512 bytes
	vecFan  = 32 // children of an inner node
)

// vec is a persistent array indexed by a dense number. The zero value is empty. Versions work as with trees.
type vec[T any] struct {
	root   *vecNode[T]
	n      int // numbers below it have an entry
	height int // levels of inner nodes; at least 1, once there is a root
}

// vecNode is an inner node: over leaves at the lowest level, over other inner nodes above.
type vecNode[T any] struct {
	edit   *token
	kids   []*vecNode[T]
	leaves []*vecLeaves[T]
}

type vecLeaves[T any] struct {
	edit *token
	of   [vecLeaf]T
}

// at is the entry of a number, to be read only; nil where there is none yet.
func (v *vec[T]) at(i int) *T {
	if uint(i) >= uint(v.n) {
		return nil
	}
	l := uint(i) / vecLeaf
	n := v.root
	for shift := 5 * (v.height - 1); shift > 0; shift -= 5 {
		n = n.kids[l>>shift%vecFan]
	}
	return &n.leaves[l%vecFan].of[uint(i)%vecLeaf]
}

// own is the entry of a number, to be changed by the owner of edit. The vector grows up to it with zero entries.
func (v *vec[T]) own(edit *token, i int) *T {
	for i >= v.n {
		v.grow(edit)
	}
	l := uint(i) / vecLeaf
	v.root = v.root.own(edit)
	n := v.root
	for shift := 5 * (v.height - 1); shift > 0; shift -= 5 {
		kid := &n.kids[l>>shift%vecFan]
		*kid = (*kid).own(edit)
		n = *kid
	}
	leaf := &n.leaves[l%vecFan]
	if (*leaf).edit != edit {
		*leaf = &vecLeaves[T]{edit, (*leaf).of}
	}
	return &(*leaf).of[uint(i)%vecLeaf]
}

func (n *vecNode[T]) own(edit *token) *vecNode[T] {
	if n.edit == edit {
		return n
	}
	return &vecNode[T]{edit, slices.Clone(n.kids), slices.Clone(n.leaves)}
}

// grow adds one leaf at the right edge.
func (v *vec[T]) grow(edit *token) {
	l := uint(v.n) / vecLeaf
	if v.root == nil {
		v.root, v.height = &vecNode[T]{edit: edit}, 1
	}
	if l>>(5*v.height) > 0 {
		v.root = &vecNode[T]{edit: edit, kids: []*vecNode[T]{v.root}}
		v.height++
	}
	v.root = v.root.own(edit)
	n := v.root
	for shift := 5 * (v.height - 1); shift > 0; shift -= 5 {
		i := int(l >> shift % vecFan)
		if i == len(n.kids) {
			n.kids = append(n.kids, &vecNode[T]{edit: edit})
		}
		n.kids[i] = n.kids[i].own(edit)
		n = n.kids[i]
	}
	n.leaves = append(n.leaves, &vecLeaves[T]{edit: edit})
	v.n += vecLeaf
}
