// Package model is the engine's slow, obvious twin: a second implementation of its commands and reads on plain slices,
// without an index, a tree or a cache. Every question is answered by looking at everything.
//
// # What the twin says
//
// Where the outcome of a command is determined, the twin predicts it and the engine must do the same: which records
// there are and how they stand, ranges and buffers, how many units are free, who is refused and with which numbers,
// which holds are conflicts. Where the engine is free (which slot a hold gets, which holds move to make room), the twin
// takes what the engine chose, read from the engine's own log, and checks that it is lawful.
//
// # What it knows, and what not
//
// It knows locations, SKUs, articles and their quantities, scheduled events, holds and kits; orders with all that their
// lines take and cost: requirements, pricing rows, subscriptions, discount codes, payments; attributes of articles and
// SKUs; webhooks with their deliveries; and the revisions of orders, articles, SKUs, catalog items, attributes, events,
// discount codes, pricing tables and rows.
//
// It does not know accounts beyond their zone and currency, keys, of customers more than who there is, tags, comments,
// documents and consents, external pricing rows, what is said of a subscription beside its instants, parts of incomes,
// the list of articles with its filters and sorts, attributes of the format datetime, idempotency, the change feed, of
// an order's own fields more than its places and its note, and the revisions of locations, holds and webhooks.
//
// # The rules, by number
//
//  1. A unit has one place: a slot, or it is a conflict of one lot. (law.go)
//  2. Seats on one slot are disjoint and lie inside the slot's range. (law.go)
//  3. What is over, handed over or pinned to a slot never moves. What is pinned to an article moves inside its lot.
//     Everything else moves inside its pool. A move changes nothing but the place. (law.go)
//  4. The part of a hold before the instant of a command may be cut off when it moves, and then only. (law.go)
//  5. Slots of one lot may exchange their planned ends, and one that gets the end at which it begins is no more; beyond
//     that, a slot changes only by a change of quantity. (law.go) A change of n at an instant makes the quantity higher
//     or lower by n at every instant from then on, whatever is planned; where it would be less than nothing at one of
//     them, it is refused, with the earliest instant from which on it would do. The opposite at the same instant calls
//     it off. (quantity.go, reduce.go)
//  6. Nothing becomes a conflict but what a command may make one, and a conflict that overlaps what came free is seated
//     where it can be, the older one first; never on an article that is out. What is past of a conflict needs no room:
//     behind any command and any passing of time none is left for which all units were taken at some instant, and time
//     alone has made one free; nor one with a requirement that another day has an article with a free unit meet.
//     (conflict.go) An auto-assigned unit belongs to the SKU that its line names, or that of
//     the component of a kit that it is, whatever its article is of by now: given other dates it asks for that SKU, and
//     as a conflict it waits for it. (conflict.go, place.go)
//  7. The count of free units is never exceeded, and in an easy pool it is the answer. (count.go, easy.go) A hold that
//     is seated anew needs it only where there was no hold of the command before, a conflict with other dates stays one
//     where it has no room, and a unit that is handed over needs no more than a slot. (claim.go, handover.go)
//     What names an article takes from the pool of its SKU, too, and leaves what is counted there, on whichever article
//     it waits. (named.go)
//  8. In a pool that is not easy, what is promised can be seated, and what is called exact is the most that can: held
//     against an exhaustive search where the pool is small. (search.go)
//  9. An order's units take stock as a hold's do. One that is out keeps its slot, to the end of the running step when
//     it is late; what is in its way is seated elsewhere where that can be, else it is a conflict. Where overbooking is
//     allowed, nobody is short who could have been seated. (order_stock.go, handover.go)
//  10. A plan of a reduction keeps every hold it says it keeps; it is refused only where an exhaustive search finds no
//     plan either, and what it calls minimal moves no more than the least that search finds. (reduce.go) A one-way unit
//     that is seated stays on its lot, which has one unit less, and its article one more where the unit goes, from the
//     end of its hull on; it is granted only where units without end are there, and an order is refused with a plan
//     only where they may not be. (departure.go)
//  11. Each order that a command made, changed or removed, or of which it moved a unit to or from an article, is one
//     event for each webhook that was enabled for it before; so is each unit that became a conflict or is one no more,
//     each that time kept for the first step beyond the end of its line, each hold that lapsed and each webhook that
//     was disabled for failures; and nothing else is. (event.go)
//  12. A line that requires something gets units of articles that have it, pushing what may move; it is judged before
//     lines that require nothing of the same SKU. Its units move to articles that have it, and to no other. One whose
//     article loses it goes to another that has it, where a search finds a way, else it stays. (attribute.go,
//     order_stock.go, place.go) An attribute or option that records have a value of is removed by force only.
//     (attribute.go) A line of kits, of an order or a hold, keeps the components that it was booked with: more and
//     fewer of them are of those. (kit.go, hold_change.go)
//  13. A line costs what was given, else what the row that it was sold by asked then for each duration begun; other
//     dates of a booking that was given its price take another. A row by which a line is sold is retired, not deleted.
//     Rows, codes of an amount and orders are in the currency that the account had as they were made, and it gets no
//     other while one of them is not over. (pricing.go)
//  14. What changes a record makes its next revision, and a command that leaves all of it as it was makes none; who
//     names another revision of an order is refused. (revision.go)
//  15. Attempts follow the schedule; three events in a row that fail for good disable a webhook. For one that was
//     disabled so events are kept until it recovers them, for one that was disabled by hand they are counted.
//     (schedule.go, event.go)
package model
