// Package hold has carts: holds with lines that take units for a while, and what is asked before one is made:
// availability, calendars, the next window that fits, when rentals can begin.
//
// # Model
//
// A hold with an expiry is held, one without is confirmed. It takes its units until it is released, made an order, or,
// if it is only held, until it expires. Its units are in the timelines; its own row says what was asked for
// (holdstore.go). As there are millions of rows, they are small and lie in a timeline.ByID, in order of id. Readers sum
// up what lists ask of them in memos (list_memo.go).
//
// How many can be held is always the answer of timeline.Stock.Available, which refusals come from, too; with it comes
// whether that is exact. A calendar has two kinds of numbers: available is that answer for each bucket as a plain
// window, without buffers; minFree and maxFree are counts of free units at an instant. Which rentals can begin when is
// another question (starts.go): the answer is what Available says of each rental with its buffers.
//
// If no unit can be held over a window, fromDate is the first instant from which a unit can be held longer than from
// the window's start. Say there are three units, and the window is [22, 34):
//
//	[22, 24)   none is taken
//	[24, 29)   one is taken
//	[29, 37)   all three are taken
//
// No start before 37 gives a unit that can be held beyond 29. So fromDate is 37.
//
// If a unit is free at every instant and pinned holds are in the way, fromDate is the end of one of these.
//
// # Invariants
//
//  1. What is answered as available can be held by the same question as a command, on the same state.
//  2. A hold that expires, is released or made shorter gives up its units in the command that does so, and conflicts
//     that may take them are tried in the same command.
//  3. A list's total is exact, and any page of it costs the same.
//
// It imports commerce, stock, label and base.
package hold
