package timeline

// This file owns large pools: what is kept for a lot or a pool of lots that has too many slots to walk.

// walkMax is the most slots and conflicts of a pool that reads walk. Above it a pool keeps a large; one that shrinks gives it up only at walkMin, so that a
// pool at the edge does not build and drop it in turns. No answer depends on whether a pool has one.
//
// Walking takes 1.6 us for 10 slots over 7 days and grows with both; the profile takes 0.1 to 3 us whatever the numbers.
const (
	walkMax = 32
	walkMin = 24
)

// large is the counts and the gaps of one lot, or of a pool of several lots. A pool of one lot uses the lot's.
type large struct {
	edit  *token
	net   profile // slots alive less seats and conflicts' hulls
	stock profile // slots alive
	gaps  gapIndex
}

func (l *large) own(edit *token) *large {
	if l.edit == edit {
		return l
	}
	c := *l
	c.edit = edit
	return &c
}

// fill takes a seat out of a gap.
func (l *large) fill(edit *token, no SlotNo, gap, seat Span) {
	l.net.add(edit, seat, -1)
	l.gaps.del(edit, gap, no)
	l.gaps.put(edit, Span{gap.Start, seat.Start}, no)
	l.gaps.put(edit, Span{seat.End, gap.End}, no)
}

// clear gives a seat back to the gap that it leaves.
func (l *large) clear(edit *token, no SlotNo, gap, seat Span) {
	l.net.add(edit, seat, 1)
	l.gaps.del(edit, Span{gap.Start, seat.Start}, no)
	l.gaps.del(edit, Span{seat.End, gap.End}, no)
	l.gaps.put(edit, gap, no)
}

// overbook counts a conflict, by +1 or -1.
func (l *large) overbook(edit *token, hull Span, by int32) { l.net.add(edit, hull, -by) }

// live counts a slot's range, by +1 or -1.
func (l *large) live(edit *token, span Span, by int32) {
	l.net.add(edit, span, by)
	l.stock.add(edit, span, by)
}

// resize takes note that a slot's range has changed from one to another, both around its holds.
func (l *large) resize(edit *token, no SlotNo, r *rail, was, is Span) {
	l.live(edit, was, -1)
	l.live(edit, is, 1)
	first, _ := r.next(railPos{})
	if first == nil {
		l.gaps.del(edit, was, no)
		l.gaps.put(edit, is, no)
		return
	}
	last, _ := r.prev(r.behind(Forever))
	l.gaps.del(edit, Span{was.Start, seatStart(first)}, no)
	l.gaps.put(edit, Span{is.Start, seatStart(first)}, no)
	l.gaps.del(edit, Span{last.Span.End, was.End}, no)
	l.gaps.put(edit, Span{last.Span.End, is.End}, no)
}

// join takes in a slot with its holds, leave takes it out.
func (l *large) join(edit *token, no SlotNo, e *slotEntry) {
	l.live(edit, e.span, 1)
	e.gaps(func(gap Span) { l.gaps.put(edit, gap, no) }, func(seat Span) { l.net.add(edit, seat, -1) })
}

func (l *large) leave(edit *token, no SlotNo, e *slotEntry) {
	l.live(edit, e.span, -1)
	e.gaps(func(gap Span) { l.gaps.del(edit, gap, no) }, func(seat Span) { l.net.add(edit, seat, 1) })
}

// gaps visits the gaps, empty ones too, and the seats of a slot in order of time.
func (e *slotEntry) gaps(gap, seat func(Span)) {
	from := e.span.Start
	for h, p := e.rail.next(railPos{}); h != nil; h, p = e.rail.next(p) {
		gap(Span{from, seatStart(h)})
		seat(h.Seat())
		from = h.Span.End
	}
	gap(Span{from, e.span.End})
}

// joinLot takes in all of a lot, leaveLot takes it out.
func (s *Stock) joinLot(l *large, no LotNo) {
	for _, slot := range s.lot(no).slots {
		l.join(s.edit, slot, s.slot(slot))
	}
	for h := range s.Conflicts(no) {
		l.overbook(s.edit, h.Span, 1)
	}
}

func (s *Stock) leaveLot(l *large, no LotNo) {
	for _, slot := range s.lot(no).slots {
		l.leave(s.edit, slot, s.slot(slot))
	}
	for h := range s.Conflicts(no) {
		l.overbook(s.edit, h.Span, -1)
	}
}

// tell calls change with what is kept for the lot and for its pool, to be changed.
func (s *Stock) tell(no LotNo, change func(l *large)) {
	lot := s.lot(no)
	if lot.large != nil {
		e := s.lots.own(s.edit, int(no))
		e.large = e.large.own(s.edit)
		change(e.large)
	}
	if pool := s.pool(lot.pool); pool != nil && pool.large != nil {
		e := s.pools.own(s.edit, int(lot.pool))
		e.large = e.large.own(s.edit)
		change(e.large)
	}
}

// fit builds or drops what is kept for a lot and its pool, after their numbers of slots or conflicts have changed.
func (s *Stock) fit(no LotNo) {
	lot := s.lot(no)
	if n := len(lot.slots) + int(lot.conflicts); lot.large == nil && n > walkMax || lot.large != nil && n <= walkMin {
		e := s.lots.own(s.edit, int(no))
		if lot.large != nil {
			e.large = nil
		} else {
			l := &large{edit: s.edit}
			s.joinLot(l, no)
			e.large = l
		}
	}
	if lot.pool != 0 {
		s.fitPool(lot.pool)
	}
}

func (s *Stock) fitPool(no PoolNo) {
	pool := s.pools.at(int(no))
	n := int(pool.slots) + int(pool.conflicts)
	wanted := len(pool.lots) > 1 && (n > walkMax || pool.large != nil && n > walkMin)
	if wanted == (pool.large != nil) {
		return
	}
	e := s.pools.own(s.edit, int(no))
	if !wanted {
		e.large = nil
		return
	}
	l := &large{edit: s.edit}
	for _, lot := range e.lots {
		s.joinLot(l, lot)
	}
	e.large = l
}

// large is what is kept for p, nil where its slots are walked.
func (s *Stock) large(p PoolRef) *large {
	lot := LotNo(p.no)
	if p.pool {
		e := s.pool(PoolNo(p.no))
		if e == nil {
			return nil
		}
		if len(e.lots) > 1 {
			return e.large
		}
		lot = e.lots[0]
	}
	if e := s.lot(lot); e != nil {
		return e.large
	}
	return nil
}
