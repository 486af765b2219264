// Package power is for tests: a disk in memory whose power can be cut while a store writes to it. Nothing but tests
// imports it.
//
// It is Pebble's file system in memory but for one thing. Of that, Link and ReuseForWrite take the lock for reading
// twice; a copy that wants the lock between the two waits for the first, the second waits for the copy, and all stand
// still. A Disk never copies itself between the two.
package power
