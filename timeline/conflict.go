package timeline

// This file owns seating conflicts again: which of them to try, and in which order.

import (
	"cmp"
	"slices"
	"sort"
)

// Freed is room that came free on the slots of a lot.
type Freed struct {
	Lot  LotNo
	Span Span
}

// Waiting is where conflicts wait for room that came free, which conflicts time may have made room for, and how far
// they have had their turn.
type Waiting struct {
	Room   []Freed
	Due    []ID `json:",omitempty"`
	Behind ID   // conflicts up to this id were tried
}

// Reseated is what a pass over conflicts did.
type Reseated struct {
	Seated []ID // in the order in which they were seated
	Short  []ID // that were tried in vain
	Tries  int  // one a conflict, searchTries where a search found no way
	More   bool // not every candidate had its turn: the tries ran out, or Leaves
	// the last that was seated has a unit that leaves: plan that before another takes the time after it
	Leaves bool
	Next   Waiting // where another pass then continues
}

// Home is where a hold of a lot may be seated: the lot's pool, or the lot alone where the hold is pinned to it or the
// lot has no pool.
func (s *Stock) Home(h *Hold, lot LotNo) PoolRef {
	if pool := s.lot(lot).pool; pool != 0 && !h.Flags.Any(PinnedArticle|PinnedSlot) {
		return SKURef(pool)
	}
	return LotRef(lot)
}

// SeatConflict seats the conflict of an id, moving others if need be, and says where; ok is false where that cannot be
// done, or the id is no conflict. The part of it that is past needs no room. A unit is free for it where the seated
// holds leave one: what is counted for other conflicts does not hold it up. One that is pinned to a slot is seated
// there and nowhere else (PinOf); one that is pinned to its article pushes what may move out of it to other lots of the
// pool. One whose unit goes elsewhere when it ends gets one that every other hold can do without from then on.
func (d *Draft) SeatConflict(id ID) (at Place, ok bool) {
	at, ok, _ = d.seatConflict(id)
	return at, ok
}

// SeatThose is SeatConflict for each of some conflicts in turn. If one finds no room, later ones that are like it find
// none either.
func (d *Draft) SeatThose(ids []ID) {
	var in Placed // that found none
	find := d.Stock().Finder()
	for _, id := range ids {
		h, at, _ := find.Find(id)
		like := Placed{h, at}
		if like.ID, like.Owner = in.ID, in.Owner; like == in && !h.Flags.Any(Choosy|PinnedSlot) {
			continue
		}
		if _, ok := d.SeatConflict(id); !ok {
			in = Placed{h, at}
		} else {
			in = Placed{}
			find = d.Stock().Finder()
		}
	}
}

// PinOf is the slot that a conflict of a lot is pinned to, 0 where it is pinned to none, or to one that is not there
// any more for all of what it needs: then any slot of its article will do.
func (s *Stock) PinOf(h Hold, lot LotNo, now int64) SlotNo {
	if !h.Flags.Has(PinnedSlot) || s.chooser == nil {
		return 0
	}
	no := s.chooser.Pin(h.ID)
	if e, ok := s.Slot(no); !ok || e.Lot != lot || !e.Span.Covers(Span{max(h.Span.Start, now), h.Span.End}) {
		return 0
	}
	return no
}

// seatConflict is SeatConflict, and says whether it took a search to find that it cannot be done.
func (d *Draft) seatConflict(id ID) (at Place, ok, searched bool) {
	h, at, ok := d.Find(id)
	if !ok || at.Seated() || h.Span.End <= d.now {
		return Place{}, false, false
	}
	s := d.Stock()
	slot, p, wide := s.reach(&h, at.Lot, d.now)
	h = h.WithCut(max(0, d.now-h.Span.Start))
	room := Span{h.Seat().Start, h.wants().End}
	if !p.pool && h.choosy() && !s.Meets(h, at.Lot, d.now) {
		return Place{}, false, false // an article that is in no pool yet
	}
	w := s.asks(p, &h, d.now)
	no, free := slot, false
	if slot == 0 {
		no, free = s.tight(p, w, room)
	} else if gap, ok := s.FreeAround(slot, room.Start); ok {
		free = gap.End >= room.End
	}
	if free {
		to := Place{s.slot(no).lot, no}
		d.Take(id)
		d.put(h, to)
		return to, true, false
	}
	if wide != p {
		p, w = wide, onLot(at.Lot)
	}
	if s.Full(p, room) {
		return Place{}, false, false
	}
	b, l, ok := s.makeRoom(p, slot, w, room, d.now)
	if !ok {
		return Place{}, false, true
	}
	d.Take(id)
	d.carryOut(b)
	to := Place{b.lanes[l].slot.Lot, b.lanes[l].slot.No}
	d.put(h, to)
	return to, true, false
}

// reach gives the slot that a conflict of a lot must get (0: any slot will do), the pool or lot where it is seated, and
// where other holds may be moved for that: a conflict that waits for an article may push others out of it.
func (s *Stock) reach(h *Hold, lot LotNo, now int64) (slot SlotNo, p, wide PoolRef) {
	if slot = s.PinOf(*h, lot, now); slot == 0 {
		h.Flags &^= PinnedSlot
	}
	p = s.Home(h, lot)
	wide = p
	if pool := s.lot(lot).pool; h.Flags.Has(PinnedArticle) && pool != 0 && len(s.Lots(SKURef(pool))) > 1 {
		wide = SKURef(pool)
	}
	return slot, p, wide
}

// Openings says of conflicts of one state when time may make room for them, for many that are alike and come one after
// the other with the work for one.
type Openings struct {
	stock *Stock
	now   int64
	asked opening
	at    int64 // the answer
}

// opening is what an answer depends on.
type opening struct {
	pool       PoolRef
	span, room Span
}

// Openings looks at s as it is at an instant.
func (s *Stock) Openings(now int64) *Openings { return &Openings{stock: s, now: now} }

// Of is an instant before which time alone makes no room for a conflict of a lot that has none now; Forever: it never
// does.
func (o *Openings) Of(h Hold, lot LotNo) int64 {
	_, _, p := o.stock.reach(&h, lot, o.now)
	asked := opening{p, h.Span, Span{max(h.Span.Start, o.now), h.wants().End}}
	if asked != o.asked {
		o.asked, o.at = asked, o.stock.opens(asked, o.now)
	}
	return o.at
}

// opens is Of. Where all units are taken at some instant of what a conflict needs, it is the last such instant; else
// something fixed is in the way, and the next end of a seat or beginning of a slot may change that.
func (s *Stock) opens(o opening, now int64) int64 {
	at := int64(Forever)
	switch {
	case o.span.End <= now:
	case s.Full(o.pool, o.room):
		at = o.room.Start + 1 + int64(sort.Search(int(o.span.End-o.room.Start-1), func(n int) bool {
			return !s.Full(o.pool, Span{o.room.Start + 1 + int64(n), o.room.End})
		}))
	default:
		for slot := range s.PoolSlots(o.pool) {
			if slot.Span.Start > now {
				at = min(at, slot.Span.Start)
			}
			for x := range s.Holds(slot.No, Span{now, Forever}) {
				at = min(at, x.Seat().End)
				break
			}
		}
	}
	if at >= o.span.End {
		return Forever
	}
	return at
}

// searchTries is how many tries one counts for that took a search in vain: some milliseconds, where others take a
// microsecond.
const searchTries = 50

// looksOfTry is how many conflicts are looked at for each that may be tried.
const looksOfTry = 4

// SeatConflicts tries the conflicts that may want what was freed, by id, which is the order in which they were made:
// those of the pools of the lots that overlap a freed range. It begins again after a seat that moved holds between
// lots, as the room they left may be what a conflict pinned there waits for; each round seats one, so it ends. If very
// many conflicts want none of the room, its looks run out; another pass then continues from there. A conflict gets
// nothing of the room if closed says so of it and the lot on which it waits (nil: each may get some).
func (d *Draft) SeatConflicts(w Waiting, tries int, closed func(*Hold, LotNo) bool) (r Reseated) {
	w.Room = slices.Concat(w.Room, d.left)
	d.left = d.left[:0]
	looks := looksOfTry * tries
again:
	ids, until, all := d.wanting(w, &looks, closed)
	for _, id := range ids {
		if r.Tries >= tries {
			r.More, r.Next = true, w
			return r
		}
		r.Tries++
		w.Behind = id
		d.left = d.left[:0]
		_, ok, searched := d.seatConflict(id)
		if searched {
			r.Tries += searchTries - 1
		}
		if !ok {
			r.Short = append(r.Short, id)
			continue
		}
		r.Seated = append(r.Seated, id)
		moved := len(d.left) > 0
		if moved {
			w = Waiting{Room: append(w.Room, d.left...), Due: w.Due}
		}
		if h, _, _ := d.Find(id); h.wants() != h.Span {
			r.More, r.Leaves, r.Next = true, true, w
			return r
		}
		if moved && looks <= 0 {
			r.More, r.Next = true, w
			return r
		}
		if moved {
			goto again
		}
	}
	if !all {
		w.Behind = until
		r.More, r.Next = true, w
	}
	return r
}

// leastLooks is how many conflicts of each lot are looked at, whatever is left: they are listed only as far as all lots
// were gone through.
const leastLooks = 64

// wanting lists the conflicts that may want what was freed and have not had their turn, by id. It looks at some and no
// more; where these are not all, it lists those up to an id.
func (d *Draft) wanting(w Waiting, looks *int, closed func(*Hold, LotNo) bool) (ids []ID, until ID, all bool) {
	s := d.Stock()
	for _, id := range w.Due {
		if _, at, ok := d.Find(id); ok && !at.Seated() && w.Behind.Before(id) {
			ids = append(ids, id)
		}
	}
	type waiting struct {
		lot  LotNo
		room []Freed // of its pool
	}
	var list []waiting
	for room := s.freed(w.Room); len(room) > 0; {
		n := 1
		for n < len(room) && room[n].Lot == room[0].Lot {
			n++
		}
		for _, lot := range s.Lots(s.Home(&Hold{}, room[0].Lot)) {
			if s.lot(lot).conflicts > 0 {
				list = append(list, waiting{lot, room[:n]})
			}
		}
		room = room[n:]
	}
	all = true
	each := leastLooks
	if len(list) > 0 {
		each = max(each, *looks/len(list))
	}
	for _, x := range list {
		n, last := 0, ID{}
		for h := range s.conflictsBehind(x.lot, w.Behind) {
			if n == each {
				if all || last.Before(until) {
					until = last
				}
				all = false
				break
			}
			n, last = n+1, h.ID
			// One that is pinned to another lot has what others leave there that move here.
			if meets(x.room, h.wants()) && (closed == nil || !closed(&h, x.lot)) {
				ids = append(ids, h.ID)
			}
		}
		*looks -= n
	}
	if !all {
		ids = slices.DeleteFunc(ids, until.Before)
	}
	slices.SortFunc(ids, ID.Compare)
	return slices.Compact(ids), until, all
}

// freed is what came free in each pool, as of the first of its lots, in as few pieces as there can be.
func (s *Stock) freed(room []Freed) []Freed {
	room = slices.Clone(room)
	for i := range room {
		room[i].Lot = s.Lots(s.Home(&Hold{}, room[i].Lot))[0]
	}
	return joinFreed(room)
}

// meets says that a span overlaps one of some that are in order and do not meet.
func meets(room []Freed, x Span) bool {
	i, _ := slices.BinarySearchFunc(room, x.Start, func(f Freed, t int64) int { return cmp.Compare(f.Span.End, t+1) })
	return i < len(room) && room[i].Span.Overlaps(x)
}

// joinFreed puts room in order and joins it to as few pieces as there can be: the units of an order leave one range
// thousands of times.
func joinFreed(room []Freed) (list []Freed) {
	slices.SortFunc(room, func(a, b Freed) int {
		return cmp.Or(cmp.Compare(a.Lot, b.Lot), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	for _, f := range room {
		if n := len(list); n > 0 && list[n-1].Lot == f.Lot && f.Span.Start <= list[n-1].Span.End {
			list[n-1].Span.End = max(list[n-1].Span.End, f.Span.End)
		} else {
			list = append(list, f)
		}
	}
	return list
}
