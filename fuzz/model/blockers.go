package model

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
)

// This file owns what a refusal says of the holds that stand in the way: at most 20 of a line and 1,000 of an answer,
// by start, then id, and how many there are. A unit that names an article takes from its SKU's pool, too: where only
// that pool is short, all units in the pool stand in the way, and units that wait there are counted.

// inTheWay judges what is named of one line; left is how many more the answer may name.
func (s *step) inTheWay(requests []request, l base.Shortage, left *int) error {
	most := min(cmp.Or(s.a.Named, 20), *left)
	*left -= len(l.Blockers)
	if len(l.Blockers) > most || l.Blocking < len(l.Blockers) {
		return wrong("line %d names %d of %d in its way, of at most %d", l.Line, len(l.Blockers), l.Blocking, most)
	}
	named := make([]Unit, 0, len(l.Blockers))
	for _, id := range l.Blockers {
		if u := s.was.unit(id); u != nil {
			named = append(named, *u)
		}
	}
	if !slices.IsSortedFunc(named, byStart) {
		return wrong("line %d names what is in its way in another order than by start: %+v", l.Line, named)
	}
	if len(l.Blockers) < l.Blocking {
		s.a.Seen.Unnamed++
	}
	if len(l.Blockers) == 0 && l.Blocking > 0 {
		s.a.Seen.UnnamedLines++
	}
	q := requests[0]
	if len(requests) > 1 || len(q.pools) != 1 || q.slot != 0 || q.past || q.kit || s.narrow(q) || q.pools[0].Closed {
		return nil
	}
	pool := q.pools[0]
	if s.a.poolShort(q) {
		pool = s.a.poolOf(pool.Lots[0])
		s.a.Seen.PoolShort++
	}
	_, _, _, at := s.a.least(pool, q.hulls[0])
	var want []Unit
	for _, u := range s.a.unitsOf(pool) {
		if u.Takes().Holds(at) {
			want = append(want, u)
		}
	}
	slices.SortFunc(want, byStart)
	if total := len(want); l.Blocking != total {
		return wrong("line %d says that %d stand in its way at %d, the twin has %+v", l.Line, l.Blocking, at, want)
	}
	same := func(u Unit, id ID) bool { return u.ID == id }
	if want = want[:min(len(want), most)]; !slices.EqualFunc(want, l.Blockers, same) {
		return wrong("line %d names %x in its way at %d, the twin %+v", l.Line, l.Blockers, at, want)
	}
	return nil
}

// poolShort says that of what a request asks for of an article by its name the article itself could give all, when all
// that may goes elsewhere, and the pool of its SKU cannot.
func (a *Account) poolShort(q request) bool {
	return a.names(q) && a.keeps(q.pools[0].Lots[0], q.hulls[0], q.quantity) &&
		!a.leaves(q.pools[0].Lots[0], q.hulls[0], q.quantity)
}

func byStart(x, y Unit) int {
	return cmp.Or(cmp.Compare(x.Hull.Start, y.Hull.Start), x.ID.Compare(y.ID))
}
