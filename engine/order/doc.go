// Package order has orders: their lines, units, states, prices, payments and subscriptions, and the way of a unit over
// the counter and back.
//
// # Model
//
// An order takes its stock by the seating that holds take theirs by (stock/seat.go, stock.go). Its rows say which units
// it has, 64 in each beside its own, so that a change writes those that it changes (units.go); where they sit is in the
// timelines alone, and a unit there says the number of its order. A plan changes orders through edit (edit.go); what
// webhooks are told is read off the write set (event.go).
//
// A booking, held or ordered, may have no end. Its hull is open then, with no buffer behind it: it is in the way of all
// that is later, and never late. It is given an end, or its end is taken away, as other dates are changed, also while
// its unit is out; a return ends what the unit takes there, and the buffer begins. What such a line costs until it has
// an end is said in price.go.
//
// A sale is a hold without end until its unit is handed over. Then the unit leaves the stock: its slot ends and the
// hold is no more; the row of the order's unit has what history is shown of it (sold.go).
//
// # Invariants
//
//  1. An order has as many units as its lines say, each seated or a conflict.
//  2. Totals are what the lines, discounts and payments give, anew at every change (price.go).
//  3. What is undone is as it was, where stock still carries it (undo.go).
//  4. Every filter of the list is an index or a set of numbers; none looks at all orders (index.go).
//
// It imports hold, commerce, stock, label and base.
package order
