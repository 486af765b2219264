package main

// This file owns how the files that the process may have open are shared out.

import (
	"math"
	"syscall"

	"holdfast/api"
	"holdfast/api/webhook"
	"holdfast/persist"
)

// filesShared is how many files each may have open.
type filesShared struct {
	tables   int // of the store
	attempts int // connections to endpoints of webhooks that are called
	idle     int // those that are kept open between two calls
	conns    int // of clients; a connection beyond that gets an answer that says so, and is closed
}

// ownFiles is how many open files the program has besides: the log, archives, copies, sockets.
const ownFiles = 200

// shareFiles shares out so many files: where they are few, tables have a quarter of them, attempts and all that has no
// number an eighth each, idle connections a sixteenth. Clients have what is left.
func shareFiles(files uint64) filesShared {
	n := int(min(files, math.MaxInt32))
	s := filesShared{tables: min(persist.MostTables, n/4), attempts: min(webhook.MaxAttempts, n/8),
		idle: min(webhook.MaxIdle, n/16)}
	s.conns = min(api.MaxConns, n-s.tables-s.attempts-s.idle-min(ownFiles, n/8))
	return s
}

// filesAtOnce is how many files the process may have open.
func filesAtOnce() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return math.MaxUint64 // it is not known to be bounded
	}
	return l.Cur
}
