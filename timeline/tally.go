package timeline

// This file owns what lists of articles count: units and how many of them are taken over a window, which locations they
// are at, and which articles have conflicts. Each is one pass over the lots' packed facts, and over what overlaps the
// window: no article's timeline is gone through but where its slots begin or end there.

// Tally is what an article has in a window: units at its start, and the most of them that are taken at one instant of
// each lot, conflicts included.
type Tally struct{ Units, Taken int32 }

// Tallies fills dst with the tallies of articles 0 to the given one, by number, at one location or, where it is 0, at
// all. Without taken that is left out: it costs a pass over all that overlaps the window, as in FreeRanking.
func (s *Stock) Tallies(r *Ranking, w Span, location uint32, articles int, taken bool, dst []Tally) []Tally {
	dst = append(dst[:0], make([]Tally, articles+1)...)
	if taken {
		r.head = zeros(r.head, s.blocks.n*blockLots)
		r.items = append(r.items[:0], rankItem{})
		s.rankItems(r, w)
	}
	start := Span{w.Start, w.Start + 1}
	for i := range s.blocks.n {
		b := *s.blocks.at(i)
		if b == nil {
			continue
		}
		steady := b.all.Covers(start)
		for j, n := range b.units {
			article := b.article[j]
			if n == 0 && b.article[j] == 0 || int(article) > articles || location != 0 && b.location[j] != location {
				continue
			}
			if !steady && !(Span{b.from[j], b.until[j]}).Covers(start) {
				n = s.unitsOver(LotNo(i*blockLots+j), start)
			}
			dst[article].Units += n
			if !taken {
				continue
			}
			if head := r.head[i*blockLots+j]; head != 0 {
				dst[article].Taken += r.atOnce(head, w)
			}
		}
	}
	return dst
}

// unitsOver counts the slots of a lot that overlap w.
func (s *Stock) unitsOver(no LotNo, w Span) (n int32) {
	e := s.lot(no)
	if e == nil {
		return 0
	}
	for _, slot := range e.slots {
		if s.slot(slot).span.Overlaps(w) {
			n++
		}
	}
	return n
}

// Stocked visits the article and location of each lot that has a unit somewhere in w.
func (s *Stock) Stocked(w Span, visit func(article, location uint32)) {
	for i := range s.blocks.n {
		b := *s.blocks.at(i)
		if b == nil {
			continue
		}
		for j, n := range b.units {
			if n == 0 {
				continue
			}
			// Where all slots are alive together they overlap w if that part does; else one may lie outside of it.
			if alive := (Span{b.from[j], b.until[j]}); !alive.Overlaps(w) && s.unitsOver(LotNo(i*blockLots+j), w) == 0 {
				continue
			}
			visit(b.article[j], b.location[j])
		}
	}
}

// Conflicted sets the bit of each article that has a conflict overlapping w, bit a%64 of word a/64, at one location or,
// where it is 0, at all.
func (s *Stock) Conflicted(w Span, location uint32, words []uint64) {
	s.conflicts.rows.Scan(func(c Placed) bool {
		if !c.Span.Overlaps(w) {
			return true
		}
		b, at := s.block(c.Place.Lot)
		if location != 0 && b.location[at] != location {
			return true
		}
		if a := b.article[at]; int(a/64) < len(words) {
			words[a/64] |= 1 << (a % 64)
		}
		return true
	})
}
