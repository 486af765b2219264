// Package model is the engine's slow, obvious twin: a second implementation of its commands and reads on plain slices,
// without an index, a tree or a cache. Every question is answered by looking at everything.
//
// # What the twin says
//
// Where the outcome of a command is determined, the twin predicts it and the engine must do the same: which records
// there are and in which state, ranges and buffers, how many units are free, which commands are refused and with which
// numbers, and which holds are conflicts. Where the engine is free (which slot a hold gets, which holds move to make
// room), the twin takes what the engine chose, read from the engine's own log, and checks that it is lawful.
//
// # What it knows, and what not
//
// It knows locations, SKUs, articles and their quantities, scheduled events, holds and kits; orders with all that their
// lines take and cost: requirements, pricing rows, subscriptions, discount codes, payments; attributes of articles and
// SKUs; webhooks with their deliveries; and the revisions of orders, articles, SKUs, catalog items, attributes, events,
// discount codes, pricing tables and rows.
//
// It does not know keys, tags, comments, documents and consents, external pricing rows, parts of incomes, the list of
// articles with its filters and sorts, attributes of the format datetime, idempotency, the change feed, and the
// revisions of locations, holds and webhooks. Of an account it knows only the zone and the currency, of customers only
// which there are, of a subscription only its instants, and of an order's own fields only its places and its note.
//
// # The rules, by number
//
//  1. A unit has one place: a slot, or it is a conflict of one lot. (law.go)
//  2. Seats on one slot are disjoint and lie inside the slot's range. (law.go)
//  3. A unit that is over, handed over or pinned to a slot never moves. A unit that is pinned to an article moves
//     inside its lot. Every other unit moves inside its pool. A move changes nothing but the place. (law.go)
//  4. The part of a hold before the instant of a command may be cut off when it moves, and then only. (law.go)
//  5. Slots of one lot may exchange their planned ends, and a slot whose new end is the instant at which it begins is
//     gone; otherwise, a slot changes only by a change of quantity. (law.go) A change of n at an instant makes the
//     quantity higher or lower by n at every instant from then on, whatever is planned; where it would be less than
//     nothing at one of them, it is refused, with the earliest instant from which on it would do. The opposite at the
//     same instant calls it off. (quantity.go, reduce.go)
//  6. A unit becomes a conflict only where a command may make it one. A conflict that overlaps what came free is seated
//     where that is possible, the older one first; never on an article that is out, unless it is a scheduled event. The
//     past part of a conflict needs no room. So after any command and any passing of time two kinds of conflict do not
//     remain: one for which all units were taken at some instant, where time alone has made a unit free; and one whose
//     requirement an article with a free unit meets because another day has come. (conflict.go) An auto-assigned unit
//     belongs to the SKU that its line names, or that of the component of a kit that it is, whatever its article is of
//     by now: given other dates it asks for that SKU, and as a conflict it waits for it. (conflict.go, place.go)
//  7. The count of free units is never exceeded, and in an easy pool it is the answer. (count.go, easy.go) A hold that
//     is seated anew needs a free unit by that count only at instants at which the command has more units than it had
//     before it. A conflict with other dates stays a conflict where it has no room. A unit that is handed over needs
//     only a slot. (claim.go, handover.go) A unit that names an article takes from the pool of its SKU, too. It leaves
//     what is counted there, on whichever article it waits. (named.go)
//  8. In a pool that is not easy, what is promised can be seated, and a number that is called exact is the most that
//     can be. Both are compared with an exhaustive search where the pool is small. (search.go)
//  9. An order's units take stock as a hold's do. A unit that is out keeps its slot, and when it is late to the end of
//     the running step. Units in its way are seated elsewhere where that is possible, else they are conflicts. Where
//     overbooking is allowed, no unit that could have been seated is short. (order_stock.go, handover.go)
//  10. A plan of a reduction keeps every hold it says it keeps; it is refused only where an exhaustive search finds no
//     plan either, and what it calls minimal moves no more than the least that search finds. (reduce.go) A one-way unit
//     that is seated stays on its lot, which has one unit less, and its article one more where the unit goes, from the
//     end of its hull on; it is granted only where units without end are there, and an order is refused with a plan
//     only where they may not be. (departure.go)
//  11. One event for each webhook that was enabled for it before is made of each order that a command made, changed or
//     removed, or of which it moved a unit to or from an article. So it is of each unit that became a conflict or
//     stopped being one, of each unit that is out beyond an end of its line and was not before it, of each hold that
//     lapsed, and of each webhook that was disabled for failures; and of nothing else. (event.go)
//  12. A line that requires something gets units of articles that have it, pushing what may move; it is judged before
//     lines of the same SKU that require nothing. Its units move only to articles that have it. A unit whose article
//     loses it goes to another article that has it, where a search finds a way; else it stays. (attribute.go,
//     order_stock.go, place.go) An attribute or option that records have a value of is removed by force only.
//     (attribute.go) A line of kits, of an order or a hold, keeps the components that it was booked with: more and
//     fewer of them are of those. (kit.go, hold_change.go)
//  13. A line costs the price that was given, else what the row that it was sold by asked at that time for each
//     duration begun. A booking whose price was given gets other dates only together with a price or a row. A row by
//     which a line is sold is retired, not deleted. Rows, codes of an amount and orders are in the currency that the
//     account had as they were made, and it gets no other while one of them is not over. (pricing.go)
//  14. A command that changes a record makes its next revision, and a command that leaves all of it as it was makes
//     none. A command that names another revision of an order than the present one is refused. (revision.go)
//  15. Attempts follow the schedule; three events in a row that fail for good disable a webhook. Events for a webhook
//     that was disabled in this way are kept until it recovers them; for one that was disabled by hand they are only
//     counted. (schedule.go, event.go)
package model
