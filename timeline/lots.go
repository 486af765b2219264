package timeline

// This file owns what every lot weighs, packed side by side: the article list looks at all of them. And which articles
// have most units.

import "math"

// lotBlock is the plain facts of 64 lots in a row, in arrays by kind.
type lotBlock struct {
	edit     *token
	article  [blockLots]uint32
	location [blockLots]uint32
	units    [blockLots]int32 // slots, whatever their range
	from     [blockLots]int64 // all of them are alive over [from, until)
	until    [blockLots]int64
	all      Span // the part of time over which every slot of every lot here is alive; may be empty
}

// articleEntry is the chain of an article's lots, by lotEntry.next, and the number of slots they have.
type articleEntry struct {
	first LotNo
	units int32
}

// singleRow is the slots of 16 articles in a row that have one each, 0 for others. They lie apart from all else, so
// that those of 100,000 articles stay in the caches, where they are the shortest way to most answers.
type singleRow [16]SlotNo

func (s *Stock) single(article uint32) SlotNo {
	if row := s.singles.at(int(article / uint32(len(singleRow{})))); row != nil {
		return row[article%uint32(len(row))]
	}
	return 0
}

func (s *Stock) setSingle(article uint32, no SlotNo) {
	row := s.singles.own(s.edit, int(article/uint32(len(singleRow{}))))
	row[article%uint32(len(row))] = no
}

// block is the block of a lot, and its place there.
func (s *Stock) block(no LotNo) (*lotBlock, int) {
	return *s.blocks.at(int(no / blockLots)), int(no % blockLots)
}

func (s *Stock) ownBlock(no LotNo) (*lotBlock, int) {
	b := s.blocks.own(s.edit, int(no/blockLots))
	switch {
	case *b == nil:
		*b = &lotBlock{edit: s.edit, all: always}
		for i := range blockLots {
			(*b).from[i], (*b).until[i] = always.Start, always.End
		}
	case (*b).edit != s.edit:
		c := **b
		c.edit = s.edit
		*b = &c
	}
	return *b, int(no % blockLots)
}

var always = Span{math.MinInt64, Forever}

// noteLot puts a new lot into its block and its article's chain.
func (s *Stock) noteLot(no LotNo, article, location uint32) {
	b, i := s.ownBlock(no)
	b.article[i], b.location[i] = article, location
	a := s.articles.own(s.edit, int(article))
	s.lots.own(s.edit, int(no)).next, a.first = a.first, no
}

// noteSlot takes note that a slot of a lot has come (was is empty), gone (is is empty) or changed its range. It is
// called when the slot and its lot are as they will be.
func (s *Stock) noteSlot(no LotNo, was, is Span) {
	b, i := s.ownBlock(no)
	kept := Span{b.from[i], b.until[i]}
	alive := kept
	if !is.Empty() {
		alive = alive.Clip(is)
	}
	// Only a slot that was one of those which bound the stretch can widen it, by a range that reaches further or by
	// going.
	begins, ends := was.Start == kept.Start, was.End == kept.End
	if !was.Empty() && (is.Empty() && (begins || ends) || begins && is.Start < was.Start || ends && is.End > was.End) {
		alive = s.aliveTogether(no)
	}
	if alive != kept {
		b.from[i], b.until[i] = alive.Start, alive.End
		b.all = always
		for j := range blockLots {
			b.all = b.all.Clip(Span{b.from[j], b.until[j]})
		}
	}
	by := int32(0)
	if was.Empty() {
		by++
	}
	if is.Empty() {
		by--
	}
	if by != 0 {
		b.units[i] += by
		a := s.articles.own(s.edit, int(b.article[i]))
		if a.units > 0 {
			s.byUnits.del(s.edit, unitsKey(a.units, b.article[i]))
		}
		if a.units += by; a.units > 0 {
			s.byUnits.set(s.edit, unitsKey(a.units, b.article[i]), struct{}{})
		}
		s.setSingle(b.article[i], s.singleOf(a))
	}
}

// aliveTogether is from the latest begin of a lot's slots to the earliest end. The slots of a large lot it does not
// walk.
func (s *Stock) aliveTogether(no LotNo) Span {
	e := s.lot(no)
	if e.large != nil && len(e.slots) > 0 {
		return e.large.pinned.alive()
	}
	alive := always
	for _, slot := range e.slots {
		s.visited++
		alive = alive.Clip(s.slot(slot).span)
	}
	return alive
}

// SlotsOf counts the slots of an article, whatever their range.
func (s *Stock) SlotsOf(article uint32) int {
	if a := s.articles.at(int(article)); a != nil {
		return int(a.units)
	}
	return 0
}

// Unended counts the slots of an article that end after an instant: those that are alive then, and those that begin
// later. Of a large lot it looks at the instants at which slots begin later, not at the slots.
func (s *Stock) Unended(article uint32, t int64) (n int) {
	a := s.articles.at(int(article))
	if a == nil {
		return 0
	}
	for no := a.first; no != 0; no = s.lot(no).next {
		e := s.lot(no)
		if e.large == nil {
			for _, slot := range e.slots {
				if s.slot(slot).span.End > t {
					n++
				}
			}
			continue
		}
		n += int(e.large.stock.at(t))
		e.large.begins.scan(instant(t+1), func(_ []instant, slots []int32) bool {
			for _, k := range slots {
				n += int(k)
			}
			return true
		})
	}
	return n
}

// singleOf is the slot of an article that has one.
func (s *Stock) singleOf(a *articleEntry) SlotNo {
	if a.units != 1 {
		return 0
	}
	no := a.first
	for len(s.lot(no).slots) == 0 {
		no = s.lot(no).next
	}
	return s.lot(no).slots[0]
}

// unitsKey orders articles by units, the most first, then by number.
func unitsKey(units int32, article uint32) key {
	return key{math.MaxUint64 - uint64(units), uint64(article)}
}
