package timeline

// This file owns large pools: what is kept for a lot or a pool of lots that has too many slots to walk.

import (
	"cmp"
	"slices"
)

// large is the counts and the gaps of one lot, or of a pool of several lots. A pool of one lot uses the lot's.
type large struct {
	edit  *token
	net   profile // slots alive less seats and conflicts' hulls
	stock profile // slots alive
	gaps  gapIndex
	pinned
}

func (l *large) own(edit *token) *large {
	if l.edit == edit {
		return l
	}
	c := *l
	c.edit = edit
	return &c
}

// fill takes a hold's seat out of a gap.
func (l *large) fill(edit *token, no SlotNo, gap Span, h *Hold) {
	seat := h.Seat()
	l.net.add(edit, seat, -1)
	l.pinned.put(edit, h.Flags, no, seat)
	l.gaps.del(edit, gap, no)
	l.gaps.put(edit, Span{gap.Start, seat.Start}, no)
	l.gaps.put(edit, Span{seat.End, gap.End}, no)
}

// clear gives a hold's seat back to the gap that it leaves.
func (l *large) clear(edit *token, no SlotNo, gap Span, h *Hold) {
	seat := h.Seat()
	l.net.add(edit, seat, 1)
	l.pinned.del(edit, h.Flags, no, seat)
	l.gaps.del(edit, Span{gap.Start, seat.Start}, no)
	l.gaps.del(edit, Span{seat.End, gap.End}, no)
	l.gaps.put(edit, gap, no)
}

// shift puts a hold in the place of another, of the same gap. Entries that are equal for both are left as they are.
func (l *large) shift(edit *token, no SlotNo, gap Span, from, to *Hold) {
	was, is := from.Seat(), to.Seat()
	if was.Start != is.Start {
		l.net.add(edit, Span{min(was.Start, is.Start), max(was.Start, is.Start)}, sign(is.Start > was.Start))
		l.gaps.del(edit, Span{gap.Start, was.Start}, no)
		l.gaps.put(edit, Span{gap.Start, is.Start}, no)
	}
	if was.End != is.End {
		l.net.add(edit, Span{min(was.End, is.End), max(was.End, is.End)}, sign(is.End < was.End))
		l.gaps.del(edit, Span{was.End, gap.End}, no)
		l.gaps.put(edit, Span{is.End, gap.End}, no)
	}
	if l.pinned.of(from.Flags) != l.pinned.of(to.Flags) || was != is {
		l.pinned.del(edit, from.Flags, no, was)
		l.pinned.put(edit, to.Flags, no, is)
	}
}

// sign is +1 for what is free now, -1 for what is taken.
func sign(freed bool) int32 {
	if freed {
		return 1
	}
	return -1
}

// overbook counts a conflict, by +1 or -1.
func (l *large) overbook(edit *token, hull Span, by int32) { l.net.add(edit, hull, -by) }

// live counts a slot's range, by +1 or -1.
func (l *large) live(edit *token, span Span, by int32) {
	l.net.add(edit, span, by)
	l.stock.add(edit, span, by)
	l.pinned.live(edit, span, by)
}

// extend takes note that a slot ends at another instant.
func (l *large) extend(edit *token, was, is int64) {
	if is == was {
		return
	}
	more, by := Span{was, is}, int32(1)
	if is < was {
		more, by = Span{is, was}, -1
	}
	l.net.add(edit, more, by)
	l.stock.add(edit, more, by)
	if was != Forever {
		tally(&l.ends, edit, was, -1)
	}
	if is != Forever {
		tally(&l.ends, edit, is, 1)
	}
}

// resize takes note that a slot's range has changed from one to another, both around its holds.
func (l *large) resize(edit *token, no SlotNo, r *rail, was, is Span) {
	if was.Start == is.Start {
		l.extend(edit, was.End, is.End)
	} else {
		l.live(edit, was, -1)
		l.live(edit, is, 1)
	}
	first, _ := r.next(railPos{})
	if first == nil {
		l.gaps.del(edit, was, no)
		l.gaps.put(edit, is, no)
		return
	}
	last := r.prev(r.behind(Forever))
	l.gaps.del(edit, Span{was.Start, seatStart(first)}, no)
	l.gaps.put(edit, Span{is.Start, seatStart(first)}, no)
	l.gaps.del(edit, Span{last.Span.End, was.End}, no)
	l.gaps.put(edit, Span{last.Span.End, is.End}, no)
}

// join takes in a slot with its holds, leave takes it out.
func (l *large) join(edit *token, no SlotNo, e *slotEntry) {
	l.live(edit, e.span, 1)
	e.gaps(func(gap Span) { l.gaps.put(edit, gap, no) }, func(h *Hold) {
		l.net.add(edit, h.Seat(), -1)
		l.pinned.put(edit, h.Flags, no, h.Seat())
	})
}

func (l *large) leave(edit *token, no SlotNo, e *slotEntry) {
	l.live(edit, e.span, -1)
	e.gaps(func(gap Span) { l.gaps.del(edit, gap, no) }, func(h *Hold) {
		l.net.add(edit, h.Seat(), 1)
		l.pinned.del(edit, h.Flags, no, h.Seat())
	})
}

// gaps visits the gaps, empty ones too, and the holds of a slot in order of time.
func (e *slotEntry) gaps(gap func(Span), hold func(*Hold)) {
	from := e.span.Start
	for h, p := e.rail.next(railPos{}); h != nil; h, p = e.rail.next(p) {
		gap(Span{from, seatStart(h)})
		hold(h)
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

// largeFacts is everything that a large keeps, as lists.
type largeFacts struct {
	net, stock, begins, ends []change // by instant, each once; only the field stock is used
	gaps                     [classCount][]spanFact
	slot, article            []spanFact // pinned seats
}

// spanFact is a gap by its start, or a seat by its end, and the other one.
type spanFact struct {
	at    key
	other int64
}

func (a spanFact) compare(b spanFact) int { return a.at.compare(b.at) }

// facts gathers what is to be kept for some lots from their slots and conflicts.
func (s *Stock) facts(lots []LotNo) *largeFacts {
	f := &largeFacts{}
	add := func(to *[]change, over Span, by int32) {
		*to = append(*to, change{over.Start, by, 0})
		if !over.Open() {
			*to = append(*to, change{over.End, -by, 0})
		}
	}
	for _, lot := range lots {
		for _, no := range s.lot(lot).slots {
			e := s.slot(no)
			add(&f.net, e.span, 1)
			add(&f.stock, e.span, 1)
			f.begins = append(f.begins, change{e.span.Start, 1, 0})
			if !e.span.Open() {
				f.ends = append(f.ends, change{e.span.End, 1, 0})
			}
			e.gaps(func(gap Span) {
				if !gap.Empty() {
					of := &f.gaps[lengthClass(gap)]
					*of = append(*of, spanFact{gapKey(gap, no), gap.End})
				}
			}, func(h *Hold) {
				seat := h.Seat()
				add(&f.net, seat, -1)
				switch fact := (spanFact{pinnedKey(seat, no), seat.Start}); {
				case h.Flags.Any(Out | PinnedSlot):
					f.slot = append(f.slot, fact)
				case h.Flags.Any(toLot | Choosy):
					f.article = append(f.article, fact)
				}
			})
		}
		for h := range s.Conflicts(lot) {
			add(&f.net, h.Span, -1)
		}
	}
	f.net, f.stock, f.begins, f.ends = sumUp(f.net), sumUp(f.stock), sumUp(f.begins), sumUp(f.ends)
	for c := range f.gaps {
		slices.SortFunc(f.gaps[c], spanFact.compare)
	}
	slices.SortFunc(f.slot, spanFact.compare)
	slices.SortFunc(f.article, spanFact.compare)
	return f
}

// sumUp orders changes and joins those of one instant; what comes to nothing goes.
func sumUp(list []change) []change {
	slices.SortFunc(list, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	sums := list[:0]
	for _, c := range list {
		if n := len(sums); n > 0 && sums[n-1].at == c.at {
			sums[n-1].stock += c.stock
		} else {
			sums = append(sums, c)
		}
	}
	return slices.DeleteFunc(sums, func(c change) bool { return c.stock == 0 })
}

// newLarge is what is to be kept for some lots.
func (s *Stock) newLarge(lots []LotNo) *large {
	l, f := &large{edit: s.edit}, s.facts(lots)
	l.net.sumTree = buildSteps[level, levels](s.edit, f.net)
	l.stock.sumTree = buildSteps[level, levels](s.edit, f.stock)
	l.begins = buildSteps[struct{}, none[instant, int32]](s.edit, f.begins)
	l.ends = buildSteps[struct{}, none[instant, int32]](s.edit, f.ends)
	for c, gaps := range f.gaps {
		l.gaps[c] = buildSpans[gapSum, gapSums](s.edit, gaps)
	}
	l.slot = buildSpans[int64, latest](s.edit, f.slot)
	l.article = buildSpans[int64, latest](s.edit, f.article)
	return l
}

func buildSteps[S comparable, A summer[instant, int32, S]](edit *token, list []change) sumTree[instant, int32, S, A] {
	t, _ := build[instant, int32, S, A](edit, len(list),
		func(i int) (instant, int32) { return instant(list[i].at), list[i].stock })
	return t
}

func buildSpans[S comparable, A summer[key, int64, S]](edit *token, list []spanFact) sumTree[key, int64, S, A] {
	t, _ := build[key, int64, S, A](edit, len(list), func(i int) (key, int64) { return list[i].at, list[i].other })
	return t
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
		s.flush() // what waits is for what is kept now
		e := s.lots.own(s.edit, int(no))
		if lot.large != nil {
			e.large = nil
		} else {
			e.large = s.newLarge(e.self[:])
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
	s.flush()
	e := s.pools.own(s.edit, int(no))
	if !wanted {
		e.large = nil
		return
	}
	e.large = s.newLarge(e.lots)
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
