package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns sources: the pools that an item can be taken from at a place, with the hulls that a window has there, and what can be held in them.

// source is one pool that a request can be seated in, with the hull that its buffers make of the body.
type source struct {
	pool          timeline.PoolRef
	hull          Span
	before, after Buffer
	closed        bool           // the article takes no new holds
	asks          *timeline.Hold // one that asks what articles of it must have; nil: nothing is asked
	named         bool           // it is the lot of an article that is named, from which others may move to make room
}

// named is the article or the SKU that an item names, and the slot of an article that has one.
func (a *account) named(i Item) (article *Article, sku *SKU, sole timeline.Sole, err error) {
	if i.Article != (ID{}) {
		article, no := a.articles().Find(i.Article)
		if sole = a.stock.Sole(no); article == nil {
			return nil, nil, sole, errNoArticle
		}
		return article, nil, sole, nil
	}
	if sku = a.skus().Get(i.SKU); sku == nil {
		return nil, nil, sole, errNoSKU
	}
	return nil, sku, sole, nil
}

// places is a location, or all.
func (a *account) places(location ID) ([]*Location, error) {
	if location == (ID{}) {
		return slices.Collect(a.locations().All()), nil
	}
	l := a.locations().Get(location)
	if l == nil {
		return nil, errNoLocation
	}
	return []*Location{l}, nil
}

// goingTo is the location that a question's units go to when they end, nil where they stay.
func (a *account) goingTo(id ID) (*Location, error) {
	if id == (ID{}) {
		return nil, nil
	}
	to := a.locations().Get(id)
	if to == nil {
		return nil, errNoLocation
	}
	return to, nil
}

// needed is what a window needs at a location where units go elsewhere when they end: a unit without end.
func needed(w Span, at, to *Location) Span {
	if to != nil && to != at {
		w.End = Forever
	}
	return w
}

// resolve lists the pools of an item at a location, or at all, for units that go to another, or stay.
func (a *account) resolve(dst []source, i Item, location ID, to *Location, window Span, now int64) ([]source, timeline.Sole, error) {
	article, sku, sole, err := a.named(i)
	if err != nil {
		return dst, sole, err
	}
	if location != (ID{}) {
		l := a.locations().Get(location)
		if l == nil {
			return dst, sole, errNoLocation
		}
		return a.sources(dst, article, sku, l, needed(window, l, to), now), sole, nil
	}
	for i := range a.locations().Len() {
		l := a.locations().At(i)
		dst = a.sources(dst, article, sku, l, needed(window, l, to), now)
	}
	return dst, sole, nil
}

// The refusals of reads are made once: a query of an unknown item costs nothing.
var (
	errNoArticle  = notFound("article")
	errNoSKU      = notFound("SKU")
	errNoLocation = notFound("location")
)

// sources lists the pools of a request, in the order of their smallest article.
func (a *account) sources(dst []source, article *Article, sku *SKU, location *Location, body Span, now int64) []source {
	if article != nil {
		l := article.lotAt(location.No)
		if l == nil {
			return dst
		}
		return append(dst, source{
			pool: timeline.LotRef(l.no), hull: timeline.Hull(body, l.before, l.after, location.Zone(), now), before: l.before, after: l.after, closed: l.closed, named: true,
		})
	}
	for _, p := range sku.pools {
		if p.location != location.No || len(a.stock.Lots(timeline.SKURef(p.no))) == 0 {
			continue
		}
		dst = append(dst, source{
			pool: timeline.SKURef(p.no), hull: timeline.Hull(body, p.before, p.after, location.Zone(), now), before: p.before, after: p.after,
		})
	}
	if len(dst) > 1 {
		slices.SortStableFunc(dst, func(x, y source) int {
			return int(a.stock.Lots(x.pool)[0]) - int(a.stock.Lots(y.pool)[0])
		})
	}
	return dst
}

// meeting leaves of sources those in which some article has what is asked for; where nothing is asked for, all.
func meeting(s *timeline.Stock, sources []source, asks *timeline.Hold, now int64) []source {
	if asks == nil {
		return sources
	}
	sources = slices.DeleteFunc(sources, func(x source) bool {
		return !slices.ContainsFunc(s.Lots(x.pool), func(no timeline.LotNo) bool { return s.Meets(*asks, no, now) })
	})
	for i := range sources {
		if !sources[i].named { // an article that is named has it, and that is all that is asked
			sources[i].asks = asks
		}
	}
	return sources
}

// hold is one that asks what the source is asked for, over a hull.
func (x *source) hold(hull Span) timeline.Hold {
	h := timeline.NewHold(ID{}, hull, 0, 0)
	h.Flags, h.Owner, h.Line = x.asks.Flags, x.asks.Owner, x.asks.Line
	return h
}

// available is how many units of a source can be held over a hull, of articles that meet what is asked for.
func (x *source) available(s *timeline.Stock, hull Span, now int64) timeline.Answer {
	if x.asks != nil {
		return s.AvailableFor(x.pool, x.hold(hull), now)
	}
	a := s.Available(x.pool, hull, now)
	if x.named {
		a = s.AvailableNamed(x.lot(), hull, now, a)
	}
	return a
}

// freeThroughout counts units of a source that are free all the time.
func (x *source) freeThroughout(s *timeline.Stock, now int64) int {
	if x.asks == nil {
		return s.FreeThroughout(x.pool, x.hull)
	}
	return s.FreeThroughoutFor(x.pool, x.hold(x.hull), now)
}

// free bounds available by counting.
func (x *source) free(s *timeline.Stock, hull Span, now int64) int {
	switch {
	case x.asks != nil:
		return s.BoundFor(x.pool, x.hold(hull), now)
	case x.named:
		return s.BoundNamed(x.lot(), hull)
	}
	n, _, _, _ := s.MinFree(x.pool, hull)
	return n
}

// lot is the lot of an article that is named.
func (x *source) lot() timeline.LotNo {
	no, _ := x.pool.Lot()
	return no
}

// pools are the source, or where something is asked for its articles that have it, each for itself.
func (x *source) pools(s *timeline.Stock, now int64) (list []timeline.PoolRef) {
	if x.asks == nil {
		return []timeline.PoolRef{x.pool}
	}
	for _, no := range s.Lots(x.pool) {
		if s.Meets(*x.asks, no, now) {
			list = append(list, timeline.LotRef(no))
		}
	}
	return list
}

// searchAhead is how far next looks, in milliseconds.
const searchAhead = 2 * 366 * 24 * 60 * 60 * 1000

// nextFit finds the earliest window of a length, not before an instant, in which units of an item can be held at some places
// together, of articles that meet requirements, by units that go to another location, or stay.
func (a *account) nextFit(s *timeline.Stock, article *Article, sku *SKU, asks *timeline.Hold, places []*Location, to *Location, notBefore, length int64, n int, until, now int64) *Span {
	var few [8]source
	var pools []timeline.Shape
	for _, l := range places {
		sources := a.sources(few[:0], article, sku, l, Span{Start: notBefore, End: notBefore + length}, now)
		pools = appendShapes(pools, meeting(s, sources, asks, now), l, to, length, now)
	}
	from, ok := s.NextFit(pools, n, notBefore, until, now)
	if !ok {
		return nil
	}
	return &Span{Start: from, End: from + length}
}

// appendShapes appends the pools that take new holds, with what a window of a length needs in each.
func appendShapes(pools []timeline.Shape, sources []source, l, to *Location, length, now int64) []timeline.Shape {
	zone := l.Zone()
	for _, src := range sources {
		if src.closed {
			continue
		}
		before, after := src.before, src.after
		if needed(Span{}, l, to).End == Forever {
			after = Buffer{} // what is behind an open end
		}
		pools = append(pools, timeline.Shape{
			Pool:  src.pool,
			For:   src.asks,
			Now:   now,
			Named: src.named,
			Hull: func(from int64) Span {
				return timeline.Hull(needed(Span{Start: from, End: from + length}, l, to), before, after, zone, now)
			},
			Turn: func(from int64) int64 {
				return timeline.HullTurn(Span{Start: from, End: from + length}, before, after, zone)
			},
		})
	}
	return pools
}

// Availability is the answer to a Query. Stock and Committed are those of the instant with the least free units; over
// several pools they are sums, each pool at its own such instant. Of a catalog item all are counted in kits, and they are
// those of the component that there is least of, of whose pools other components take their part.
type Availability struct {
	Available int
	Stock     int
	Committed int
	// WithMoves is, where it is asked for, how many units a booking can have. Of an article these are more than are available on its own units, where holds that
	// may be moved go to other articles of its SKU; of all else it is Available.
	WithMoves int
	Exact     bool // false: pinned holds made the search stop, perhaps more could be held; where WithMoves is asked for it is about that
}

// around is the pool that a lot is in, or the lot where it is in none; a pool is its own.
func (a *account) around(p timeline.PoolRef) timeline.PoolRef {
	if no, ok := p.Lot(); ok {
		if pool := a.stock.Lot(no).Pool; pool != 0 {
			return timeline.SKURef(pool)
		}
	}
	return p
}
