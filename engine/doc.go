// Package engine keeps the merchants' stock over time: accounts, locations, SKUs, articles with their units, holds,
// orders, conflicts and scheduled events. It judges commands, makes them durable and answers questions from memory.
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
// The queue serves the accounts in turn, and the commands of one account in their order. One account can fill half of
// the queue, and no more (queue.go). Everything that waits can still go into one group, up to the group's size.
//
// The writer encodes nothing that may be long. The rows of a group, the results under idempotency keys and the events
// are values that nobody changes any more. The encoder makes their bytes, in the order of the groups and of the
// commands in them, adds up the state hash and hands the bytes to the log. So a result and an event are in one log
// record with their change, and a command that writes much does not delay the others. One exception: when a group is a
// few bookings and no other group is on its way, the writer has it encoded at once, as this is faster than handing it
// to another goroutine (encode.go). The size of what a command would write is estimated before, and a command of too
// much is refused (base/weight.go). Where a fault of the program makes it impossible to encode a result, a text that
// says so is stored in its place; an event is then sent without its record.
//
// A command that may change many units is planned by a goroutine of its own, on a copy of its account, while the
// account waits and the other accounts go on (offload.go). The writer only applies the plan. The time of that depends
// on the rows that change, not on how long the search was. Plans of several accounts compute in turns (turns.go).
//
// If stock is short, a hold is refused on the snapshot that readers see, in the goroutine of the caller, by the same
// plan: a refusal changes nothing, so it needs neither the writer nor the disk (sold_out.go). This is tried only for
// requests like those that were refused recently.
//
// Readers load one pointer and see everything of one account at one sequence, for as long as they like. The state is
// made of copy-on-write trees: to publish it takes a handful of pointers, whatever its size.
//
// An account's stock over time is a timeline.Stock. The rows of the other resources are in tables of engine/table.
// Every kind of row is a value of type base.Kind (base/writeset.go), and is listed in schema.go.
//
// Time acts on rows that are due (base/due.go): a hold expires, a unit that is not back is kept for another step, a
// conflict is tried when time makes room for it, a subscription's next payment is set, a delivery is given up. This
// happens in parts of bounded size, in turn with the commands of other accounts. An item whose work fails by a fault of
// the program is set aside, and delays nothing (backlog.go).
//
// # Archives
//
// An account is exported whole as an archive: its rows as they are stored (archive.go). On import, an archive is first
// judged as a whole in a state of its own (archive_judge.go). Then commands put its rows in place, as a start does, and
// note how far they are. They do nothing else that changes normally cause: no events, no moves (archive_import.go).
// Until the last of them nothing else is done in the account (base/importing.go). A new kind of row is in archives
// because it is in the schema; the kinds that archives leave out are named in archived (archive_part.go).
//
// # Packages
//
// A domain is a package. Each imports only packages to the right of it (fuzz/deps_test.go has the table):
//
//	engine -> outbox, order -> hold -> commerce -> stock -> label -> base -> {engine/table, timeline, persist}
//
// Package engine owns the scheduling of commands and their durability. It also has what concerns all domains at once:
// archives, batches, erasure, the feed of changes, plans of the stock as bars. The code that schedules and writes
// commands names no domain. A domain registers what others need:
//
//	kinds, completions              the rows it keeps, and what it does before a write set is complete (schema.go)
//	what is due                     what becomes of a row, and how much that may be (base.DueWork)
//	extensions, followers           what it derives of an account, and what keeps that up to date (base/extension.go)
//	places on shelves               what it notes in a plan or a loader (base/shelf.go)
//	ownerships                      which record owns a unit, and for which SKU it was made (stock/unavailability.go)
//	referrers                       which records refer to one, so that it cannot be removed (base/in_use.go)
//	events                          the types of its events, and what finds them in a write set (base/event.go)
//
// # Invariants
//
//  1. A command is all or nothing. One that is refused leaves state, log and counters as they were.
//  2. What is visible or answered is durable. What was acknowledged is there after a restart.
//  3. Inside a plan there is no clock, no randomness, no I/O and no order of a map: the same commands on the same state
//     give the same state, to the byte. Instants of an account never go back.
//  4. Ids grow over an account: the order of ids is the order of creation.
//  5. The state hash is the sum of base.RowHash over all rows; it is equal live, after replay and after restore. It is
//     of the stored bytes, and a change subtracts the hash of the encoded old row. So, while commands are done, every
//     stored row must have the bytes that this program writes. A start on rows of another program writes them anew, as
//     records of the log (upgrade.go). A change of what is stored moves persist.Format, once for all changes between
//     two releases. Decode goes on reading what any release wrote, for a restart, a restore and the feed of changes. A
//     kind that gives up a stored form converts its old rows in its function Older.
//  6. Everything derived (pools, indexes, dense look-ups, what is due) can be rebuilt from rows; no row depends on it.
//  7. A View names one account; no read and no plan can reach another's rows.
package engine
