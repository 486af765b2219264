// Package stock is the heart: locations, SKUs, articles and their units, who takes which unit when, and what becomes of
// those for whom there is none.
//
// # Model
//
// An account's stock in time is one timeline.Stock. This package gives it meaning: a lot is an article at a location, a
// pool is what the units of a SKU at a location with equal buffers are, and a hold of the timelines is a unit of
// somebody's record, whose owner is told by what that package registered (unavailability.go).
//
// Seating is one way for all who take units (seat.go): a Request says what is wanted, NewRequest finds its sources,
// SeatAll seats all of a command or refuses with what stands in the way. Draft is the timelines as the command would
// leave them; RecordStock makes rows of it.
//
// A conflict that is pinned belongs to its article, any other to its SKU at its location (conflict_home.go), whatever
// becomes of the article that it was on. An auto-assigned unit belongs to the SKU that it was made for (MadeFor),
// whatever its article is of by now. One that is given other dates goes where that SKU has room, to an article with
// other buffers too, and is given that one's.
//
// What names an article takes from the pool of its SKU as well: where the pool's units are spoken for, by whoever waits
// there, none of its articles has one for a new line or event that names it, though a unit of it be free. What a unit
// has already it keeps.
//
// A conflict that is given other dates, as one that is made shorter, is tried itself, at once and by its new dates,
// before whoever waited longer. The others have their turn behind it where it comes to wait in another pool, or makes a
// unit leave an article, though none came free. Elsewhere nothing has changed for them: what is counted for one
// conflict never holds up the seat of another.
//
// A unit that comes back elsewhere is the transfer of a unit (departure.go): one less where it is taken and one more
// where it goes, from the end of its hull on. It is seated as if it had no end, and given its end then; while it is
// seated it stays in its lot, so it makes no room for others on another article. Its departure moves with its end and
// is called off with it. Where others count on its arrival, it moves only so far that they have a unit all the same,
// and what is called off takes the unit from who counts on it: from one that is to leave again, too, which then waits.
// Where that cannot be, as a change of quantity counts on it, the unit goes there as it was planned, and its hold is no
// one-way hold any more. The plan of a reduction takes what leaves as leaving, also where that is among what stands in
// its way.
//
// # Invariants
//
//  1. A unit has one place: a slot, or it is a conflict of one lot. Units on one slot are disjoint, buffers included.
//  2. After a command no conflict is left that its search, which is bounded, would seat, but for those that the next
//     command tries (Tx.Waiting).
//  3. After a decrease of n at an instant the quantity is n lower at every instant from there on, or it is refused.
//  4. A move changes nothing but the slot. What has begun, and what is fixed, does not move.
//  5. Effective buffers are compared by what they amount to.
//
// It imports label and base, and timeline.
package stock
