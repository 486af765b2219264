// Command holdfast serves and looks after an in-memory availability engine for rental merchants.
//
// A data directory belongs to one process. The command that serves it and the commands that work on a stopped one use
// the same core: a store and an engine on it. A command that needs something from a running server asks its ops
// listener: the socket in its directory, or an address with a token.
//
//	serve                                      store -> socket -> engine -> first run -> public listener -> webhooks
//	accounts, keys, import, export, backup     of the server that has --data, or of a stopped one, locked meanwhile
//	restore, verify                            of a directory or a backup that no process has open
//	replay                                     an engine of its own, or a server at --url, as any client
//	bench                                      a server at --url, as any client, or one on a copy of a directory
//
// # Invariants
//
//  1. A wrong command line does nothing and ends with status 2; a command that failed ends with 1, one that is done
//     with 0.
//  2. The result of a command goes to standard output, and nothing else does; its messages go to standard error.
//  3. All that is read of a file is checked before any of it is done; faults are named by line.
//  4. A server answers while its state is loaded, and says that it is not ready. It stops in reverse: no new requests,
//     those in flight, outcomes of webhooks, engine, store.
//  5. Only the process that has the directory's lock makes and removes the socket: a socket that answers is that
//     server's.
//  6. A key is shown once, by the run that made it, and is in no log line.
package main
