// Package stock owns locations, SKUs, articles and their units: which record takes which unit when, and what happens to
// holds for which there is no unit (conflicts).
//
// # Model
//
// An account's stock over time is one timeline.Stock. This package gives it meaning. A lot is an article at a location.
// A pool is all units of a SKU at a location that have equal buffers. A hold in the timelines is one unit of some
// record: a hold, an order or a scheduled event. The package of that record has registered how to find it
// (unavailability.go).
//
// All records take units in the same way (seat.go): a Request says what is wanted, NewRequest finds its sources,
// SeatAll seats all requests of a command, or refuses with what stands in the way. Draft is the timelines as the
// command would leave them; RecordStock makes rows of it.
//
// A conflict that is pinned belongs to its article, any other to its SKU at its location (conflict_home.go), whatever
// happens to the article that it was on. An auto-assigned unit belongs to the SKU that it was made for (MadeFor), even
// if its article is now of another SKU. When it gets other dates, it goes where that SKU has room, perhaps to an
// article with other buffers, and then gets the buffers of that article.
//
// A line or an event that names an article takes from the pool of its SKU as well. If all units of the pool are needed
// for the conflicts that wait there, no article of the pool has a unit for a new line or event that names it, even if a
// unit of it is free. A hold keeps the unit that it already has.
//
// A conflict that gets other dates, shorter ones too, is tried at once with these dates, before conflicts that have
// waited longer. The others are tried after it in two cases, although no unit came free: it now waits in another pool,
// or it makes a unit leave an article. In all other cases nothing has changed for them: what is counted for one
// conflict never prevents that another is seated.
//
// A unit that comes back elsewhere is a transfer of a unit (departure.go): one less where it is taken and one more
// where it goes, from the end of its hull on. It is first seated as if it had no end, then given its end. While it is
// seated it stays in its lot, so it makes no room for others on another article. Its departure moves with its end and
// is called off with it:
//
//   - If other holds count on its arrival, the departure moves only as far as these still have a unit.
//   - Calling it off takes the unit away from the holds that count on its arrival, also from one that is to leave
//     again; that one then waits.
//   - If it cannot be called off, as a change of quantity counts on the arrival, the unit goes there as it was planned,
//     and its hold is no longer a one-way hold.
//
// The plan of a reduction takes units that leave as leaving, also those that stand in its way.
//
// # Invariants
//
//  1. A unit has one place: a slot, or it is a conflict of one lot. Units on one slot are disjoint, buffers included.
//  2. After a command no conflict is left that its search, which is bounded, would seat, except for those that the next
//     command tries (Tx.Waiting).
//  3. After a decrease of n at an instant the quantity is n lower at every instant from there on, or the decrease is
//     refused.
//  4. A move changes nothing but the slot. A hold that is over, handed over or fixed does not move.
//  5. Effective buffers are equal if their Value is: 60 minutes equal 1 hour, but 24 hours do not equal 1 day.
//
// It imports label and base, and timeline.
package stock
