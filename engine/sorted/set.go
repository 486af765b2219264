package sorted

import "github.com/tidwall/btree"

// This file owns Set, and the tree that implements it.

// Set is a sorted set of items. Two items are alike if neither is before the other; of items that are alike, the set
// has one at most.
type Set[T any] interface {
	Len() int
	// Get gives the item that is like one, and says whether there is one.
	Get(like T) (item T, ok bool)
	Min() (item T, ok bool)
	// Items gives all items in order.
	Items() []T

	// Scan visits all items in order, until visit says false. Nothing may be written meanwhile.
	Scan(visit func(item T) bool)
	// Ascend visits those from the like of one on.
	Ascend(from T, visit func(item T) bool)

	// Set puts an item in place of its like, which it gives.
	Set(item T) (was T, ok bool)
	// Delete takes out the like of an item, and gives it.
	Delete(like T) (was T, ok bool)

	// Clone is for the writer alone: what is cloned notes that it was.
	Clone() Set[T]
}

// New makes an empty set in an order.
func New[T any](before func(a, b T) bool) Set[T] {
	return tree[T]{btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

type tree[T any] struct{ *btree.BTreeG[T] }

func (t tree[T]) Clone() Set[T] { return tree[T]{t.BTreeG.Copy()} }
