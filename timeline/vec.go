package timeline

// This file owns the vector by dense number: a radix tree of a fixed height under a short list, copy on write with an
// ownership token.

import "slices"

// vec is a persistent array indexed by a dense number. The zero value is empty. Versions work as with trees. Nodes hold
// their children themselves, not a slice of them, as each step of a look-up waits for the one before.
type vec[T any] struct {
	edit *token // owner of the list
	top  []*vecNode[T]
	n    int // numbers below it have an entry
}

type vecNode[T any] struct {
	edit *token
	kids [vecUpper]*vecLeaves[T]
}

type vecLeaves[T any] struct {
	edit   *token
	leaves [vecLower]vecOwned[T]
}

// vecOwned is a leaf and its owner. The owner is not stored in the leaf, as the leaf fills whole cache lines.
type vecOwned[T any] struct {
	of   *vecEntries[T]
	edit *token
}

type vecEntries[T any] [vecLeaf]T

// at is the entry of a number, to be read only; nil where there is none yet.
func (v *vec[T]) at(i int) *T {
	if uint(i) >= uint(v.n) {
		return nil
	}
	l := uint(i) / vecLeaf
	return &v.top[l/vecLower/vecUpper].kids[l/vecLower%vecUpper].leaves[l%vecLower].of[uint(i)%vecLeaf]
}

// own is the entry of a number, to be changed by the owner of edit. The vector grows up to it with zero entries.
func (v *vec[T]) own(edit *token, i int) *T {
	for i >= v.n {
		v.leaf(edit, uint(v.n)/vecLeaf)
		v.n += vecLeaf
	}
	return &v.leaf(edit, uint(i)/vecLeaf)[uint(i)%vecLeaf]
}

// leaf is a leaf that becomes the owner's, as all above it does; what is not there yet is made.
func (v *vec[T]) leaf(edit *token, l uint) *vecEntries[T] {
	if v.edit != edit {
		v.edit, v.top = edit, slices.Clone(v.top)
	}
	if l/vecLower/vecUpper == uint(len(v.top)) {
		v.top = append(v.top, &vecNode[T]{edit: edit})
	}
	node := &v.top[l/vecLower/vecUpper]
	if (*node).edit != edit {
		*node = &vecNode[T]{edit, (*node).kids}
	}
	leaves := &(*node).kids[l/vecLower%vecUpper]
	switch {
	case *leaves == nil:
		*leaves = &vecLeaves[T]{edit: edit}
	case (*leaves).edit != edit:
		*leaves = &vecLeaves[T]{edit, (*leaves).leaves}
	}
	leaf := &(*leaves).leaves[l%vecLower]
	if leaf.edit != edit {
		n := new(vecEntries[T])
		if leaf.of != nil {
			*n = *leaf.of
		}
		*leaf = vecOwned[T]{n, edit}
	}
	return leaf.of
}
