// Package sorted is the sorted set for what an account has few of: a tree of tidwall/btree, which is copied in constant
// time.
//
// Set is an interface to keep builds fast. A package that uses a type with a generic type in one of its fields compiles
// all methods of that again, for each type of items, and a tree has a hundred. The price is that functions given to
// Scan and Ascend are on the heap. So tables, the timeline and the sold units, which are read in lists, use the tree
// itself. Call New where other packages do not see it: in a function that is neither generic nor small enough to be
// inlined into its callers.
//
// # Invariants
//
//  1. A set has one writer. Any number of goroutines may read one that is not being written.
//  2. A copy and what it was copied from do not see each other's writes.
//
// It imports the library alone.
package sorted
