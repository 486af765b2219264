// Package table keeps rows of one kind as an immutable, ordered table with secondary indexes.
//
// A row is a value behind a pointer: to change a row, make a new one and Put it. The table itself is copy-on-write over
// tidwall/btree: Publish gives a copy that never changes again, in constant time, and the writer continues with its
// own.
//
// # Invariants
//
//  1. Rows are ordered by id. Ids of new rows only grow, so this is the order of creation.
//  2. For each row, an index holds exactly one entry for each key that the index's function gives.
//  3. Only the writer calls Put, Delete and Publish (tidwall's Copy writes to the tree it copies). A published table is
//     read by any number of goroutines without a lock.
//
// The package knows no domain.
package table
