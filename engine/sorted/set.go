// Package sorted is the sorted set for what an account has few of: a tree of tidwall/btree, which is copied in constant
// time.
//
// Set is an interface for the sake of builds. A package that sees a generic type in a field of whatever it uses
// compiles all of its methods again, for each type of items: with the tree itself in those fields, half of the work of
// every package that imports the engine was methods of trees. In return what is given to Scan and Ascend is on the
// heap. Tables and the timeline, whose sets are read in every answer, have the tree itself. Call New where other
// packages do not see it: in a function that is neither generic nor small enough to be compiled into its callers.
//
// Invariants:
//
//  1. A set has one writer. Any number of goroutines may read one that is not being written.
//  2. A copy and what it was copied from do not see each other's writes.
//
// It imports the library alone.
package sorted

import "github.com/tidwall/btree"

// Set is a sorted set of items, each of which has one like it at most: one that is neither before nor behind it.
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

	// Copy is for the writer alone: the tree that is copied notes that it was.
	Copy() Set[T]
}

// New makes an empty set in an order.
func New[T any](before func(a, b T) bool) Set[T] {
	return tree[T]{btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

type tree[T any] struct{ *btree.BTreeG[T] }

func (t tree[T]) Copy() Set[T] { return tree[T]{t.BTreeG.Copy()} }
