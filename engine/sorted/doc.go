// Package sorted is the sorted set for what an account has few of: a tree of tidwall/btree, which is copied in constant
// time.
//
// Set is an interface for the sake of builds. A package that sees a generic type in a field of whatever it uses
// compiles all of its methods again, for each type of items, and a tree has a hundred. In return what is given to Scan
// and Ascend is on the heap: tables, the timeline and what was sold, which are read in lists, have the tree itself.
// Call New where other packages do not see it: in a function that is neither generic nor small enough to be compiled
// into its callers.
//
// Invariants:
//
//  1. A set has one writer. Any number of goroutines may read one that is not being written.
//  2. A copy and what it was copied from do not see each other's writes.
//
// It imports the library alone.
package sorted
