// Package engine keeps the merchants' stock in time: accounts, locations, SKUs, articles with their units, holds,
// orders, conflicts and scheduled events; it judges commands, makes them durable and answers questions from memory.
//
// # Model
//
// A command is planned, then applied. A plan is a pure function of the state and the command: it gives a result and a
// write set, or a refusal. Apply is the only mutator and cannot fail. A preview is a plan without apply; recovery is
// apply without a plan.
//
//	submit -> take -> runDue -> plan -> apply -> seal -> encode -> commit -> visible -> answered
//	|         '-------- the single writer -----------'   |         '--- the committer ---------'
//	'- any goroutine                                     '- the encoder
//	                  a group is one log record (a large one several) and one sync; the next are planned meanwhile
//
// The queue gives commands out by accounts in turn, those of one account in their order; one account fills half of it
// and no more (queue.go). All that waits still goes into one group, up to its size.
//
// The writer writes nothing down that may be long. What an entry of a group, a result under an idempotency key or an
// event says is a value that nobody changes any more; the encoder makes the bytes of it, in the order of the groups and
// of the commands in them, sums the state hash up over them and hands them to the log. So they are in one record with
// the change, and a command holds up no other by how much is to be written of it. Only of a few bookings, while nothing
// is on its way, the bytes are made on the writer: that is sooner done than handed over (encode.go). How much a command
// would write is weighed before: one of too much is refused (base/weight.go). A result or an event that a fault of the
// program keeps from being written is written as just that.
//
// A command that may change many units is planned by a goroutine of its own, on a copy of its account, while the
// account waits and the others go on (offload.go). What it costs the writer is its apply, which depends on the rows
// that it changes and not on what was looked for.
//
// A hold that nobody can have is refused on the snapshot that readers see, by the same plan, on the goroutine of the
// one who asks: a refusal changes nothing, so it needs neither the writer nor the disk (sold_out.go). Only what was
// refused of late is asked there first.
//
// Readers load one pointer and have everything of one account at one sequence, as long as they like. The state is made
// of copy-on-write trees: publishing it is a handful of pointers, whatever its size.
//
// An account's stock in time is a timeline.Stock; the rows of the other resources are engine/table tables. Every row
// kind is a value of kind (base/writeset.go), listed in schema.go.
//
// Time acts on rows that are due (base/due.go): a hold expires, a unit that is not back is kept for another step, a
// conflict is tried as time makes room for it, a subscription's next payment is set, a delivery is given up. It does so
// in parts of bounded size, in turns with the commands of other accounts; what a fault of the program keeps from being
// done is set aside, and holds up nothing (backlog.go).
//
// # Archives
//
// An account goes out whole as an archive: its rows as they are stored (archive.go). One comes in, judged as a whole in
// a state of its own (archive_judge.go), by commands that put rows in place as a start does and note how far they went,
// without what follows a change otherwise: no events, no moves (archive_import.go). Until the last of them nothing else
// is done in the account (base/importing.go). A new kind of rows is in archives by being in the schema; one that is not
// to be carried is named in archived.
//
// # Packages
//
// A domain is a package. Each imports those behind the arrow only, and what these import (fuzz/deps_test.go has the
// table):
//
//	engine -> outbox, order -> hold -> commerce -> stock -> label -> base -> {engine/table, timeline, persist}
//
// The engine itself says who runs, when, and how it lasts; besides it has what concerns all domains at once: archives,
// batches, erasure, the feed of changes, plans of the stock as bars. A domain registers what others need of it:
//
//	kinds, completions              what it keeps, and what it does before a write set is complete (schema.go)
//	extensions, followers           what it derives of an account, and what keeps that up to date (base/extension.go)
//	places on shelves               what it notes in a plan or a loader (base/shelf.go)
//	ownerships                      whose a unit of stock is, and what it was made for (stock/unavailability.go)
//	referrers                       who refers to a record, which keeps it from being removed (base/in_use.go)
//	events                          the types of its events, and who finds them in a write set (base/event.go)
//
// # Invariants
//
//  1. A command is all or nothing. One that is refused leaves state, log and counters as they were.
//  2. What is visible or answered is durable. What was acknowledged is there after a restart.
//  3. Inside a plan there is no clock, no chance, no I/O and no order of a map: the same commands on the same state
//     give the same state, to the byte. Instants of an account never go back.
//  4. Ids grow over an account: the order of ids is the order of creation.
//  5. The state hash is the sum of rowHash over all rows; it is equal live, after replay and after restore. It is of
//     the stored bytes, and a change takes off what the row before is encoded to: while commands are done, every stored
//     row is in the bytes that this program writes. A start on rows of another program writes them anew, as records of
//     the log (upgrade.go). A change of what is stored moves persist.Format, once for all changes between two releases;
//     decode goes on reading what any release wrote, for a restart, a restore and the feed of changes; a form that a
//     kind leaves goes through its older.
//  6. Everything derived (pools, indexes, dense look-ups, what is due) can be rebuilt from rows; no row depends on it.
//  7. A View names one account; no read and no plan can reach another's rows.
package engine
