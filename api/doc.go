// Package api is the REST interface: it turns requests into commands and reads of the engine, and records into answers.
//
// An operation is declared once, as a value (operation.go): its method, its path, who may call it, what it reads and
// what it answers. These values drive the router, the chain, the decoder, the scope check and the document;
// resources.go lists them. A resource is one file, with its shapes, its operations and the code that writes its
// records, and one line in resources.go.
//
// The language of inputs and answers is api/wire, the operator's listener api/admin; both know nothing of this package.
// A record is described once, by a method of the scribe: run over an empty record, the method gives the schema of the
// answer.
//
//	bytes -> framing -> route -> address -> key -> version -> limits -> scope
//	      -> media type, size                                              chain.go, framing.go, address.go,
//	                                                                       limit.go, crowd.go
//	      -> path, query and body into one input, all faults at once       wire
//	      -> 403 of members that take another scope                        request.go
//	      -> what an expensive read costs, of its account's share          share.go
//	      -> a read of the key's View (or of a pinned one: snapshots.go), or a
//	         command of the engine                                         one file per resource
//	      -> the record, appended to the connection's own buffer           wire, scribe.go, one file per resource
//	      -> or a refusal, as a problem document                           errors.go, details.go
//	      -> a figure, and a line of the log                               metrics.go, accesslog.go
//
// # How long answers are
//
// A list leaves no row out of a page. A row is bounded instead, to 31 KiB, so that a page of 250 rows, with all that is
// around them, stays under 8 MB: in a row that would be longer, lists have fewer entries and texts fewer characters
// (wire/cut.go). Next to a member that was cut, another one says its full length: it has the same name with "Total" at
// the end. A record that is answered by itself has the first 1,000 entries of each list, within 4 MiB, and the data of
// a webhook are cut in the same way. Lists that can be longer have a paged list of their own: the stock items of an
// order, the unavailabilities of a hold and of an article, a plan under its digest. A feed ends early, and its cursor
// continues from there (changes.go). room.go bounds how many bytes of answers are under way at once, bodies.go those of
// bodies. An answer that is the same for every caller is held in memory once (shared.go).
//
// # Invariants
//
//  1. Nothing of a request outlives its handler: every parser copies what it keeps, and a request that goes back to its
//     pool refers to nothing.
//  2. A handler gets the View of its key's account, of the same snapshot as the key, and cannot name another account.
//  3. A refusal has changed nothing. All faults of an input are named together, each with a pointer.
//  4. A code has one status, and one place that says which (errors.go).
//  5. An answer of 5xx says nothing about its cause; the log does.
//  6. A command is answered with its own result, not with what the record has become since. (The units of an article
//     are not in the result of a command: they are read from the state after it.)
//  7. What orders and customers tell of persons goes to a key that may read orders or customers, and to no other, of
//     whatever operation the answer is.
package api
