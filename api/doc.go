// Package api is the REST interface: it turns requests into commands and reads of the engine, and records into answers.
//
// An operation is declared once, as a value (operation.go): method, path, who may ask, what it reads and what it
// answers. Router, chain, decoder, scope check and document are driven by these values; routes.go lists them. A
// resource is one file with its shapes, what writes its records and its operations, and one line in routes.go.
//
// The language of inputs and answers is api/wire, the operator's listener api/admin; both know nothing of what is here.
// A record is said once, by a method of the scribe: run over an empty record it is the schema of the answer.
//
//	bytes -> framing -> route -> address -> key -> version -> limits -> scope
//	      -> media type, size                                              chain.go, framing.go, address.go,
//	                                                                       limit.go, crowd.go
//	      -> path, query and body into one input, all faults at once       wire
//	      -> 403 of members that take another scope                        request.go
//	      -> what a dear read costs, of its account's share                share.go
//	      -> a read of the key's View (or of a pinned one: snapshots.go), or a
//	         command of the engine                                         one file per resource
//	      -> the record, appended to the connection's own buffer           wire, scribe.go, one file per resource
//	      -> or a refusal, as a problem document                           errors.go, details.go
//	      -> a figure, and a line of the log                               metrics.go, accesslog.go
//
// # How long answers are
//
// A list leaves no row out of a page. A row is bounded instead, to 31 KiB, so that 250 of them and what is around stay
// under 8 MB: its lists have fewer entries then, its texts fewer characters (wire/cut.go). Beside what was cut stands
// how long it is, under its name and "Total". A record of its own has the first 1,000 entries of each list, within 4
// MiB, and what a webhook is sent is cut like it. What can be longer has a paged list: the stock items of an order, the
// unavailabilities of a hold and of an article, a plan under its digest. A feed ends early, and its cursor goes on from
// there (changes.go). How many bytes are under way at once is in room.go, for bodies in bodies.go; what is the same for
// every caller is held once (shared.go).
//
// # Invariants
//
//  1. Nothing of a request outlives its handler: every parser copies what it keeps, and a request that goes back to its
//     pool refers to nothing.
//  2. A handler is given the View of its key's account, of the same snapshot as the key, and cannot name another
//     account.
//  3. A refusal has changed nothing. All faults of an input are named together, each with a pointer.
//  4. A code has one status, and one place that says which (errors.go).
//  5. An answer of 5xx tells nothing of its cause; the log does.
//  6. A command is answered with its own result, not with what the record has come to since. (The units of an article
//     are not in the result of a command: they are read from the state behind it.)
package api
