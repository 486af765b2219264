// Package hold has carts: holds with lines that take units for a while, and what is asked before one is made:
// availability, calendars, the next window that fits, when rentals can begin.
//
// # Model
//
// A hold is active until it is confirmed, released or made an order, or until its time is up. Its units are in the
// timelines; its own row says what was asked for (holdstore.go). Rows are kept in chunks by their number, since there
// are millions of them; what lists ask for is summed up by readers in memos (memo.go).
//
// What can be held is always what timeline.Stock.Available says, the function that refusals come from, and exact stands
// beside it. A calendar's available is that of each bucket as a plain window, without buffers, where minFree and
// maxFree are counts at an instant; what rentals can begin is asked apart (starts.go), and is what Available says of
// each with its buffers. Where none can be held, fromDate is the first instant from which a unit can be held longer
// than from the window's start: with three units, one taken [24, 29) and three [29, 37), nothing can be held over [22,
// 34), as from 22 a unit can be held up to 29 and no further; fromDate is 37, not 24, where a unit goes. Where units
// are free at every instant and pinned holds are in the way, it is where one of them ends.
//
// # Invariants
//
//  1. What is answered as available can be held by the same question as a command, on the same state.
//  2. A hold that lapses, is released or made shorter gives up its units in the command that does so, and who waits is
//     tried there.
//  3. A list's total is exact, and any page of it costs the same.
//
// It imports commerce, stock, label and base.
package hold
