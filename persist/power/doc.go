// Package power is for tests: a disk in memory whose power can be cut while a store writes to it. Nothing but tests
// imports it.
//
// It is Pebble's file system in memory, with one difference. In Pebble's, Link and ReuseForWrite take the read lock
// twice. A copy that asks for the lock between the two waits for the first to be released, and the second waits for the
// copy: a deadlock. A Disk never copies itself between the two.
package power
