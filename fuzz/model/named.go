package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns lines that name an article: they have its own units, and what is auto-assigned there makes room for
// them by going to other articles of the pool. They take from their SKU's pool as its own lines do: what waits there
// keeps what it is counted for, on whichever article it waits.

// countsNamed says whether n units more of an article can be had, by counting at every instant: its pool has them free,
// with all conflicts that are counted there, and the article when all that may go goes elsewhere.
func (a *Account) countsNamed(lot uint32, need Span, n int) bool {
	return a.leaves(lot, need, n) && a.keeps(lot, need, n)
}

// keeps says that an article has n units at every instant of a window that nothing is on which may not go elsewhere.
func (a *Account) keeps(lot uint32, need Span, n int) bool {
	for _, t := range a.instants([]Pool{a.poolOf(lot)}, need) {
		left, _ := a.at(a.lotPool(lot), t)
		for _, u := range a.Units {
			if u.Lot == lot && u.Takes().Holds(t) &&
				(u.articlePinned() || u.Slot != 0 && (u.out() || u.oneWay())) {
				left--
			}
		}
		if left < n {
			return false
		}
	}
	return true
}

// leaves says that the pool of an article has n units free at every instant of a window, those counted that wait there
// for whichever of its articles.
func (a *Account) leaves(lot uint32, need Span, n int) bool {
	free, _, _, _ := a.least(a.poolOf(lot), need)
	return free >= n
}

// roams says that an article's pool has other articles, so that what is on its units may go there.
func (a *Account) roams(p Pool) bool { return len(p.Lots) == 1 && len(a.poolOf(p.Lots[0]).Lots) > 1 }

// named judges n units of an article that are asked for by its name, where its own units do not do.
func (a *Account) named(p Pool, need Span, n int, now int64) chance {
	if !a.roams(p) || p.Closed {
		return impossible
	}
	lot := p.Lots[0]
	if !a.countsNamed(lot, need, n) {
		return impossible
	}
	ok, known := a.fits(a.poolOf(lot), need, n, func(x Slot) bool { return x.Lot == lot }, now)
	switch {
	case known && !ok:
		return impossible
	case known:
		return certain
	}
	return open
}

// byName is what is said of n units of an article, its own or what others leave.
func (a *Account) byName(p Pool, need Span, n int, now int64) chance {
	c := impossible
	if !p.Closed && (!a.roams(p) || a.leaves(p.Lots[0], need, n)) {
		if c = a.room(p, need, n, now); c == open {
			if ok, known := a.fits(p, need, n, nil, now); known && !ok {
				c = impossible
			}
		}
	}
	return max(c, a.named(p, need, n, now))
}

// withMoves judges what is said of an article with moves: so many can be had, and where that is exact, one more cannot.
func (a *Account) withMoves(v base.View, q hold.Query, plain stock.Availability, now int64) error {
	q.Moves = true
	have, err := hold.Available(v, q, now)
	if err != nil {
		return wrong("available %+v: %v", q, err)
	}
	n := have.WithMoves
	if have.Available != plain.Available || have.Stock != plain.Stock || have.Committed != plain.Committed {
		return wrong("available %+v is %+v, without moves %+v", q, have, plain)
	}
	if q.Article == (ID{}) {
		if n != have.Available || have.Exact != plain.Exact {
			return wrong("available %+v is %+v, of no article", q, have)
		}
		return nil
	}
	if q.Location == (ID{}) {
		sum, exact := 0, true
		for _, l := range a.standing() {
			at := q
			at.Location = l.ID
			x, err := hold.Available(v, at, now)
			if err != nil {
				return err
			}
			sum, exact = sum+x.WithMoves, exact && x.Exact
		}
		if sum != n || exact != have.Exact {
			return wrong("available %+v is %+v, location by location %d, exactly: %v", q, have, sum, exact)
		}
		return nil
	}
	for _, p := range a.pools(q.Item, q.Location) {
		hull := p.hull(q.Window, now)
		if n > plain.Available {
			a.Seen.Named++
		}
		if n < plain.Available {
			a.Seen.WaitedFor++
		}
		switch {
		case n < plain.Available && (!a.roams(p) || a.leaves(p.Lots[0], hull, n+1)):
			return wrong("available %+v at %d is %+v, and its pool has more", q, now, have)
		case n > 0 && a.byName(p, hull, n, now) == impossible:
			return wrong("available %+v at %d is %+v, but so many cannot be had", q, now, have)
		case have.Exact && a.byName(p, hull, n+1, now) == certain:
			return wrong("available %+v at %d is %+v, but one more can be had", q, now, have)
		}
	}
	return nil
}

// reach is where what a request does is felt: where it names an article and others made room for it, in all of the
// pool.
func (a *Account) reach(q request) (lots []uint32) {
	for _, p := range q.pools {
		if q.pushed && len(p.Lots) > 0 {
			p = a.poolOf(p.Lots[0])
		}
		lots = append(lots, p.Lots...)
	}
	return lots
}

// touches says that two requests are for units of the same lots, or that one made room in those of the other.
func (a *Account) touches(q, o request) bool {
	lots := a.reach(o)
	return slices.ContainsFunc(a.reach(q), func(no uint32) bool { return slices.Contains(lots, no) })
}

// names says that a request names an article whose units others may leave for it.
func (a *Account) names(q request) bool {
	return q.named == 1 && !q.past && len(q.pools) == 1 && a.roams(q.pools[0])
}
