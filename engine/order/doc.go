// Package order has orders: their lines, units, states, prices, payments and subscriptions, and how units are handed
// over and returned.
//
// # Model
//
// An order takes its stock by the same seating as a hold (stock/seat.go, stock.go). An order has a row of its own, and
// more rows that say which units it has, 64 in each, so that a change writes only the rows whose units it changes
// (units.go). On which slots the units are is only in the timelines; a unit there says the number of its order. A plan
// changes orders through Edit (edit.go). The events for webhooks are found in the write set (event.go).
//
// A booking, held or ordered, may have no end. Its hull is then open, with no buffer after it: it blocks every later
// booking of its unit and is never overdue. Its end is set or taken away as other dates are changed, also while its
// unit is out. A return ends what the unit takes at that instant, and the buffer begins. price.go says what such a line
// costs until it has an end.
//
// A sale is a hold without end until its unit is handed over. Then the unit leaves the stock: its slot ends and its
// hold is removed; the row with the order's unit keeps what the history shows of it (sold.go).
//
// # Invariants
//
//  1. An order has as many units as its lines say, each seated or a conflict.
//  2. Totals follow from the lines, discounts and payments, and are worked out again at every change (price.go).
//  3. Undo puts back what was there before, if the stock still has room for it (undo.go).
//  4. Every filter of the list is an index or a set of numbers; none looks at all orders (index.go).
//
// It imports hold, commerce, stock, label and base.
package order
