// Package engine keeps the merchants' stock in time: accounts, locations, SKUs, articles with their units, holds, orders,
// conflicts and scheduled events; it judges commands, makes them durable and answers questions from memory.
//
// # Model
//
// A command is planned, then applied. A plan is a pure function of the state and the command: it gives a result and a write
// set, or a refusal. Apply is the only mutator and cannot fail. A preview is a plan without apply; recovery is apply without
// a plan.
//
//	submit -> take -> runDue -> plan -> apply -> seal -> encode -> commit -> visible -> answered
//	|         '-------- the single writer -----------'   |         '--- the committer ---------'
//	'- any goroutine                                     '- the encoder
//	                  a group is one log record (a large one several) and one sync; the next ones are planned meanwhile
//
// The queue gives commands out by accounts in turn, those of one account in their order; one account fills half of it and no more
// (queue.go). All that waits still goes into one group, up to its size.
//
// The writer writes nothing down. What an entry of a group, a result under an idempotency key or an event says is a value that
// nobody changes any more; the encoder makes the bytes of it, in the order of the groups and of the commands in them, sums the
// state hash up over them and hands them to the log. So they are in one record with the change, and a command holds up no other
// by how much is to be written of it (encode.go). How much it would be is weighed before: a command of too much is refused
// (weight.go). A result or an event that a fault of the program keeps from being written is written as just that.
//
// Readers load one pointer and have everything of one account at one sequence, as long as they like. The state is made of
// copy-on-write trees: publishing it is a handful of pointers, whatever its size.
//
// An account's stock in time is a timeline.Stock; the rows of the other resources are engine/table tables. Every row kind is
// a value of kind (writeset.go), listed in schema.go.
//
// An order takes its stock by the seating that holds take theirs by (seat.go, order_stock.go). Its rows say which units it has,
// 64 in each beside its own, so that a change writes those that it changes (order_units.go); where they sit is in the timelines
// alone, and a unit there says the number of its order. A plan changes orders through edit (order_edit.go); what webhooks are
// told is read off the write set, whoever made it (order_event.go), and lies in the same write set. Time acts on rows that are due (due.go): a hold expires, a unit that is not back is kept for another step,
// a conflict is tried as time makes room for it, a subscription's next payment is set, a delivery is given up. It does so in parts of bounded size, in turns with the commands of
// other accounts; what a fault of the program keeps from being done is set aside, and holds up nothing (backlog.go).
//
// A conflict that is pinned belongs to its article, any other to its SKU at its location (conflict_home.go), whatever becomes of
// the article that it was on. An auto-assigned unit belongs to the SKU that it was made for (made.go), whatever its article is of by
// now. One that is given other dates goes where that SKU has room, to an article with other buffers too, and is given that one's.
//
// A conflict that is given other dates, as one that is made shorter, is tried itself, at once and by its new dates, before whoever waited
// longer. The others have their turn behind it where it comes to wait in another pool, or makes a unit leave an article, though none
// came free. Elsewhere nothing has changed for them: what is counted for one conflict never holds up the seat of another.
//
// A unit that comes back elsewhere is the transfer of a unit (departure.go): one less where it is taken and one more where it goes, from the end of its hull on. It
// is seated as if it had no end, and given its end then; while it is seated it stays in its lot. Its departure moves with its end and is called off with it.
//
// A booking, held or ordered, may have no end. Its hull is open then, with no buffer behind it: it is in the way of all that is later,
// and never late. It is given an end, or its end is taken away, as other dates are changed, also while its unit is out; a return ends
// what the unit takes there, and the buffer begins. What such a line costs until it has an end is said in order_price.go.
//
// A sale is a hold without end until its unit is handed over. Then the unit leaves the stock: its slot ends and the hold is no more; the row
// of the order's unit has what history is shown of it (order_sold.go).
//
// # Archives
//
// An account goes out whole as an archive: its rows as they are stored (archive.go). One comes in, judged as a whole in a state of its own
// (archive_judge.go), by commands that put rows in place as a start does and note how far they went, without what follows a change
// otherwise: no events, no moves (archive_import.go). Until the last of them nothing else is done in the account (importing.go). A new
// kind of rows is in archives by being in the schema; one that is not to be carried is named in archived.
//
// # Rooms
//
// The files stand in rooms, one above the other: base (ids, inputs, kinds of rows, plans), label, stock, commerce, hold, order, outbox, and
// above all of them the engine itself, which says who runs, when, and how it lasts. A file names nothing of a higher room; a test holds
// that, and has the list (fuzz/walls_test.go). A domain registers what others need of it:
//
//	kinds, completions              what it keeps, and what it does before a write set is complete (schema.go)
//	extensions, followers           what it derives of an account, and what keeps that up to date (extension.go)
//	places on shelves               what it notes in a plan or a loader (shelf.go)
//	ownerships                      whose a unit of stock is, and what it was made for (unavailability.go)
//	referrers                       who refers to a record, which keeps it from being removed (in_use.go)
//	events                          the types of its events, and who finds them in a write set (event.go)
//
// # Reads
//
// What can be held is always what timeline.Stock.Available says, the function that refusals come from, and exact stands beside it. A calendar's available is that
// of each bucket as a plain window, without buffers, where minFree and maxFree are counts at an instant; what rentals can begin is asked apart (starts.go), and is what
// Available says of each with its buffers. An article's availability (article_stock.go) is that of its window as it is, without buffers, unless what can be booked is asked for. Where none can be held, fromDate is the first instant from which a unit can be held longer
// than from the window's start: with three units, one taken [24, 29) and three [29, 37), nothing can be held over [22, 34), as from 22 a unit can be held up to 29
// and no further; fromDate is 37, not 24, where a unit goes. Where units are free at every instant and pinned holds are in the way, it is where one of them ends.
//
// # Invariants
//
//  1. A command is all or nothing. One that is refused leaves state, log and counters as they were.
//  2. What is visible or answered is durable. What was acknowledged is there after a restart.
//  3. Inside a plan there is no clock, no chance, no I/O and no order of a map: the same commands on the same state give the
//     same state, to the byte. Instants never go back.
//  4. Ids grow over the whole engine: the order of ids is the order of creation.
//  5. The state hash is the sum of rowHash over all rows; it is equal live, after replay and after restore. It is of the stored
//     bytes, and a change takes off what the row before is encoded to: while commands are done, every stored row is in the bytes
//     that this program writes. A start on rows of another program writes them anew, as records of the log (upgrade.go). A
//     change of what is stored moves persist.Format, once for all changes between two releases; decode goes on reading what any
//     release wrote, for a restart, a restore and the feed of changes; a form that a kind leaves goes through its older.
//  6. Everything derived (pools, indexes, dense look-ups, what is due) can be rebuilt from rows; no row depends on it.
//  7. A View names one account; no read and no plan can reach another's rows.
package engine
