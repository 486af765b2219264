// Package timeline is stock over time: which unit of which article is taken when, how many are free over a window, and
// how holds can be arranged so that no room is lost. It knows spans of milliseconds and numbers, never a clock, a
// random number, a file or JSON; ids and instants come from the caller.
//
// # Model
//
// An article at a location is a lot; its units are slots, each alive over a span. A hold takes one slot over its seat.
// Lots whose units may replace each other are a pool. A hold without a slot is a conflict: stock was overbooked on
// purpose, or was taken away. A conflict is counted but has no unit.
//
//	pool 1   lot 1   slot 1   ----|=== hold ====|------|== hold ==|---------------------->
//	                 slot 2   ....|------------|==== hold, without end ===================>
//	         lot 2   slot 3   ---------------------|===== hold =====|--------|..............
//	                 conflict           |===== hull =====|
//
//	         stock            2   3                                          2
//	         committed        0   1     2       3  4     3 ...
//
//	   ---- a gap: alive and free        .... not alive        spans are half-open: what touches shares no instant
//
// # Stock
//
// The quantity of a lot, the number of its slots alive, is exact at every instant; which slot has which end is not
// fixed. Slots of one lot may exchange their planned ends when holds are seated, moved or pushed aside, and when units
// are taken away. The quantity never changes by that. A slot whose new end is at its start no longer exists: say one
// unit is there up to an instant, and two others from that instant on. Then the first may go on as one of the two, and
// that one's slot is gone.
//
// A reduction adds one more end at its instant to all that were planned: from then on the quantity is one lower at
// every instant. So reductions add up in whatever order they come. A reduction that would make the quantity negative at
// any later instant cannot be made.
//
// A hold keeps the time that it already has. Conflicts are counted only against room that is newly asked for (MayTake),
// by a new hold or by one that is made longer. They are never counted against what a hold had before the command, nor
// against a unit that is handed over.
//
// A conflict that waits for an article gets a unit of it as soon as the holds there can move to other lots of the pool
// (SeatConflict). The same is true for a unit that is handed over early (Reseat) or moves to that article, and for a
// new hold that names the article (SeatNamed). Such a new hold takes from the pool, too: the pool's count has to leave
// room for it, on whichever lots the pool's conflicts are kept (MayName). So there are two counts. Available counts
// what an article's own slots have room for, with the conflicts that are kept there. AvailableNamed counts the holds
// that name the article and can be seated: more where others make room, fewer where the pool's conflicts need its
// units.
//
// The caller says where a conflict waits: by the lot that it is kept on. It is counted in that lot and in its pool, and
// tried in its pool, or only in the lot if it is pinned there or the lot is in no pool. In a pool of several lots, a
// conflict that is pinned to a lot is counted only as far as it could be seated together with the holds that are seated
// and pinned there. A conflict that is pinned to a slot gets that slot, if the slot is there for all of the time that
// is left, else any slot of its lot.
//
// A Stock is all timelines of one account as one persistent value. The rows are the truth, on one rail for each slot,
// in order of time; everything else is an index over them, kept with every change:
//
//	rail       a slot's holds, 64 bytes each, in runs of up to 64          what is at t, the gap around t
//	pins       of each slot, what may fix one of its holds                 whether the count is the answer
//	ids        hold -> slot                                                the hold of an id
//	classes    all seats by length class (powers of two), start, slot      what overlaps a window
//	conflicts  by lot, then id, and so the holds that are choosy
//	large      of lots and pools with more than 32 slots and conflicts, and only there:
//	  profile    changes of the counts by instant; sums, extremes          least free over a window, next with n free
//	  gapIndex   gaps by length class, start, slot; furthest ends          tightest gap, longest free, free throughout
//	  pinned     seats that may not move, by their ends                    whether the count is the answer
//	blocks     plain facts of 64 lots side by side                         the article list
//	articles   an article's lots, and how many slots they have
//	singles    an article's slot, where it has one                         the shortest way to most answers
//
// # Versions
//
// Trees, vectors and structs of a Stock are copied on write. Each Stock owns a token; a node that carries it belongs to
// that Stock alone and is changed in place, any other is shared and copied first. A vector's leaf has its token in the
// node above it. Publish gives a version that never changes, and the writer a new token; Fork gives a scratch copy a
// token of its own. Both are O(1). A fork writes nothing to what it came from, so many goroutines may fork one
// published version at once. The result of a draft takes over the token of the Stock that it replaces (Outcome): else,
// after each command that moves a hold, the next ones would copy all nodes of the open group again.
//
// Readers may note on a part of a ByID what they derived of it (Section): the note stays with the node, in all versions
// that have it, and costs the writer nothing.
//
// # Invariants
//
//  1. Seats on one rail are disjoint, and ordered by start, so by end too.
//  2. A seat is not empty and lies inside its slot's span.
//  3. A hold is in the ids once, and either on the rail of the slot named there or among the conflicts of the lot named
//     there.
//  4. A slot is of one lot, for good; a lot is in one pool or in none; a pool exists while it has lots.
//  5. Every index equals what is computed again from the rails and the conflicts.
//  6. Lots of more than walkMax slots and conflicts keep a large, and pools of several lots that have more; none of
//     walkMin or fewer does. No answer depends on whether there is one.
//  7. A node is changed only by the owner of its token: a version, once published, answers the same for ever.
//  8. Answers depend on what a Stock holds, never on its history: one that was loaded and one that went through every
//     change give the same.
//
// Check verifies all but the last two, which the tests do.
//
// Instants lie in [MinInstant, MaxInstant], or are Forever where a span has no end.
//
// # Cost
//
// What questions, changes, memory and loading cost on 1,000,000 holds is in api/docs/figures.md (Speed and memory);
// make bench and the benchmarks of this package measure it again.
//
// # Trees
//
// Conflicts and choosy holds lie in trees of tidwall/btree (versioned.go). All other trees are those of tree.go.
// Profiles, gaps and pinned seats need a sum of every subtree, and the library has no place for one; so do ByID, Sorted
// and Sets, which find by place. The ids and the classes need no sums. Each was tried in the library, and a headline
// figure of make bench got worse by more than a tenth. The order of the articles by units was not tried: it is one row
// an article, of the same type as the ids.
//
//	what is moved  figure                         tree.go   library
//	ids            HeapPerHold                      116 B     146 B   +26 %
//	               HeapPerHoldWithRecord            179 B     209 B   +17 %
//	classes        HeapPerHold                      116 B     124 B    +7 %
//	               ListAnyPage, with Ascend        750 us    873 us   +16 %
//	               ListAnyPage, with iterators     750 us    818 us    +9 %, and nine allocations, not none
//	ByID           HeapPerHoldWithRecord            179 B     248 B   +38 %
//	conflicts      no headline figure has conflicts
//
// Ids only grow, and a full node of the library splits in half: that leaves every node half empty, where tree.go leaves
// it full. The classes are read by the run of a leaf here, and row by row there. The heap does not vary between runs;
// ListAnyPage is the median of seven runs in turns, with classes loaded as BenchmarkForms loads them, so that nodes are
// full. The ids and ByID were loaded in order: they then weigh what they weigh when a running server puts them one by
// one. A load that fills the nodes halves that, but only until more rows come. Bookings a second and start-up differed
// no more than runs of the same form did.
//
// BenchmarkForms, medians of five runs in turns, a million rows or 20,000 conflicts, tree.go first:
//
//	                                      ids                classes            conflicts
//	bytes a row, put one by one           22      52         28      36         92      114
//	bytes a row, loaded                   22      26         26      26         86      79
//	a row more, a version each            1.1     3.9 us     4.3     5.7 us     4.1     5.6 us
//	  garbage                             1.3     7.3 KB     3.6     8.1 KB     5.4     13 KB
//	a row more, a version every 100       0.11    0.18 us    2.9     2.9 us     3.0     3.4 us
//	  garbage                             0.07    0.13 KB    1.8     3.8 KB     4.3     6.4 KB
//	one more and one less, a version each 4.8     10 us      7.7     9.8 us     7.0     12 us
//	one more and one less, every 100      2.4     3.4 us     5.2     6.4 us     4.9     4.0 us
//	a row by its key                      0.63    0.95 us    0.72    0.77 us    0.26    0.33 us
//	in order                              0.5     1.7 us     120     220 us     0.24    0.35 us
//
// What was tried and dropped stands with the code it would have replaced.
package timeline
