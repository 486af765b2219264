// Command holdfast serves and looks after an in-memory availability engine for rental merchants.
//
// A data directory belongs to one process. What serves it, and what works on a stopped one, goes through the same core:
// a store and an engine on it. Whoever wants something of a running server asks its ops listener: the socket in its
// directory, or an address with a token.
//
//	serve                                      store -> socket -> engine -> first run -> public listener -> webhooks
//	accounts, keys, import, export, backup     of the server that has --data, or of a stopped one, locked meanwhile
//	restore, verify                            of a directory or a backup that nobody has open
//	replay                                     an engine of its own, or a server at --url, as any client
//	bench                                      a server at --url, as any client, or one on a copy of a directory
//
// # Invariants
//
//  1. A command line that is wrong does nothing and ends with 2; a command that failed ends with 1, one that is done
//     with 0.
//  2. What a command gives goes to standard output, alone; what it says goes to standard error.
//  3. What is read of a file is judged before anything of it is done; faults are named by line.
//  4. A server answers while its state is loaded, and says that it is not ready. It stops in reverse: no new requests,
//     those in flight, outcomes of webhooks, engine, store.
//  5. The socket is made and removed by who has the directory's lock: where one answers, it is that server's.
//  6. A key is shown once, by the run that made it, and is in no log line.
package main
