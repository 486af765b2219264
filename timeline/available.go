package timeline

// This file owns the answer to "how many": the count, when it is the answer, and seating for real when it may not be.

// availableSeats is how many units beyond those with a gap of their own Available seats for real before it gives up. A
// search that looks at many lanes counts for as many as it has seatLanes, and one that looks often for as many as it
// has seatLooks; where more units than mostGaps have a gap of their own, there is no search. So what one answer takes
// is bounded, however large its pool is.
const (
	availableSeats = 256
	seatLanes      = 64
	seatLooks      = 512
	mostGaps       = 1024
)

// Answer is how many units can be held over a window.
type Answer struct {
	Available int   // so many can be seated; never below 0
	Stock     int   // units at At
	Committed int   // units at At that are taken, conflicts included
	At        int64 // the earliest instant with the least free
	Exact     bool  // one more is sure to be refused; false where the search gave up
}

// Available is how many holds over hull, none of them pinned, can be seated on p by a command of the instant now, one
// after the other with Draft.Seat. The hull has the buffers inside, and is not empty.
//
// The count of free units is an upper bound. It is the answer where the pool is easy: where all fixed things in the
// reach of what may move share an instant. The test that says so goes from cheap to deep; elsewhere Available seats for
// real, with the search that a write uses, and so never promises more than a write can give.
func (s *Stock) Available(p PoolRef, hull Span, now int64) Answer {
	return s.availableUpTo(p, hull, now, maxSlots)
}

// availableUpTo is Available for a caller that needs no more than most units: once so many are found, no search
// continues.
func (s *Stock) availableUpTo(p PoolRef, hull Span, now int64, most int) Answer {
	if lots := s.Lots(p); len(lots) == 1 {
		if lot := s.lot(lots[0]); lot.single != 0 && lot.conflicts == 0 {
			return s.slot(lot.single).available(hull)
		}
	}
	free, stock, committed, at := s.MinFree(p, hull)
	a := Answer{Available: min(max(0, free), most), Stock: stock, Committed: committed, At: at, Exact: true}
	switch {
	case a.Available == 0:
	case s.SlotCount(p) == 1:
	case s.FreeThroughout(p, hull) >= a.Available:
	case s.countIsAnswer(p, hull, now):
	default:
		tries := availableSeats
		a.Available, a.Exact = s.seatForReal(p, nil, NewHold(ID{}, hull, 0, 0), now, a.Available, &tries)
	}
	return a
}

// Single is the slot of an article that has one in all; the zero value is none.
type Single struct {
	stock *Stock
	slot  *slotEntry
}

// Single goes from an article straight to its slot. A reader that takes it before it looks at anything else of the
// article waits for both at a time: in a store larger than the caches that is most of what a read takes.
func (s *Stock) Single(article uint32) Single {
	if no := s.single(article); no != 0 {
		return Single{s, s.slot(no)}
	}
	return Single{}
}

// Available is what Stock.Available says of a lot, where the slot is its slot and no conflict stands in line there.
func (x Single) Available(no LotNo, hull Span) (a Answer, ok bool) {
	if x.slot == nil || x.slot.lot != no || x.stock.conflicts.len() > 0 && x.stock.lot(no).conflicts > 0 {
		return a, false
	}
	return x.slot.available(hull), true
}

// available is the answer of a lot that has one slot and no conflict, as most have: it is free, or it is not from some
// instant on.
func (e *slotEntry) available(w Span) Answer {
	at, taken := w.End, 0
	if h, _ := e.rail.next(e.rail.from(w.Start)); h != nil && seatStart(h) < w.End {
		at, taken = max(w.Start, seatStart(h)), 1
	}
	switch {
	case w.Start < e.span.Start || e.span.End <= w.Start:
		return Answer{At: w.Start, Exact: true}
	case e.span.End < at:
		return Answer{At: e.span.End, Exact: true}
	case at < w.End:
		return Answer{Stock: 1, Committed: taken, At: at, Exact: true}
	}
	return Answer{Available: 1, Stock: 1, At: w.Start, Exact: true}
}

func (s *Stock) countIsAnswer(p PoolRef, hull Span, now int64) bool {
	_, ok := s.easy(p, s.fixityOf(p, hull.Start, now), hull)
	return ok
}

// seatForReal seats up to most holds like h, with its wish, on a draft and says how many it could, and whether it knows
// that no more can be. tries is how often it may look for a rearrangement; it is counted down, to 0 at the least.
func (s *Stock) seatForReal(p PoolRef, w *wish, h Hold, now int64, most int, tries *int) (n int, exact bool) {
	if gaps := s.FreeThroughoutFor(p, h, now); gaps > mostGaps {
		return min(gaps, most), gaps >= most
	}
	d, hull := s.Draft(now), h.Seat()
	if s.wishes == nil && (w != nil || s.choosy.len() > 0) {
		d = s.DraftFor(s.chooser, now) // which keeps the wishes that are asked for
	}
	for ; n < most; n++ {
		h.ID = rehearsal(n)
		if no, ok := d.Stock().tight(p, w, hull); ok {
			d.put(h, Place{s.slot(no).lot, no})
			continue
		}
		if *tries == 0 {
			return n, false
		}
		b, l, ok := d.Stock().makeRoom(p, 0, w, hull, now)
		if *tries = max(0, *tries-b.cost()); !ok {
			return n, b.proven
		}
		d.carryOut(b)
		d.put(h, Place{b.lanes[l].slot.Lot, b.lanes[l].slot.No})
	}
	return n, true
}

// cost is for how many searches one counts that has looked at the board.
func (b *board) cost() int { return 1 + max(len(b.lanes)/seatLanes, b.looked/seatLooks) }

// rehearsal is the n-th of the ids that no hold has.
func rehearsal(n int) (id ID) {
	for i := range id {
		id[i] = 0xff
	}
	id[15], id[14], id[13] = byte(n), byte(n>>8), byte(n>>16)
	return id
}
