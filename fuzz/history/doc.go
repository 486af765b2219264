// Package history checks the engine by what concurrent clients may see: races for the last units, and whole histories
// of one pool, judged by a checker of linearizability.
//
// # Model
//
// A pool is {capacity, set of bookings}. A booking is a window; at any instant at most capacity windows overlap. Every
// booking lies in the future and none is pinned, so that the most overlapping windows decide: a set of windows of which
// at most n overlap at once can be laid on n units without a clash, whatever the order in which they came, if the units
// that hold them may be exchanged.
//
//	client 1  |--book--|        |--read--|
//	client 2      |----book----|     |-release-|      time -->
//	client 3   |read|    |---book--|
//
// A history is the calls of all clients with the instants of call and return. It is right if the calls can be put in
// one order that keeps every call that returned before another began in front of it, and in which each has the answer
// that the pool would give.
//
// # Invariants
//
//  1. Of any number of clients that want the same k units, exactly k get one, and a restart finds those and no others.
//     So it is for units of many articles of a SKU, for units of one lot, for windows that differ but share an instant,
//     and for clients that want several at once.
//  2. A client that is refused is refused for want of stock, and would be refused again.
//  3. Of any number of requests under one idempotency key at most one has an effect.
//  4. Every history is linearizable: every answer and every read fits the one order of the commands, neither ahead of
//     it nor late.
//
// The syncs of these tests take some time, so that commands meet in groups as they do on a disk.
package history
