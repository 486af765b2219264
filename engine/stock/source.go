package stock

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns sources: the pools that an item can be taken from at a place, with the hulls that a window has there,
// and what can be held in them.

// Source is one pool that a request can be seated in, with the hull that its buffers make of the body.
type Source struct {
	Pool          timeline.PoolRef
	Hull          base.Span
	Before, After Buffer
	Closed        bool           // the article takes no new holds
	asks          *timeline.Hold // one that asks what articles of it must have; nil: nothing is asked
	Named         bool           // it is the lot of an article that is named, from which others may move to make room
}

// Named is the article or the SKU that an item names, and the slot of an article that has one.
func Named(a *base.AccountState, i base.Item) (article *Article, sku *SKU, single timeline.Single, err error) {
	if i.Article != (base.ID{}) {
		article, no := ArticleTable(a).Find(i.Article)
		if single = a.Stock.Single(no); article == nil {
			return nil, nil, single, ErrNoArticle
		}
		return article, nil, single, nil
	}
	if sku = SKUTable(a).Get(i.SKU); sku == nil {
		return nil, nil, single, ErrNoSKU
	}
	return nil, sku, single, nil
}

// Places is a location, or all.
func Places(a *base.AccountState, location base.ID) ([]*Location, error) {
	if location == (base.ID{}) {
		return slices.Collect(LocationTable(a).All()), nil
	}
	l := LocationTable(a).Get(location)
	if l == nil {
		return nil, errNoLocation
	}
	return []*Location{l}, nil
}

// GoingTo is the location that a question's units go to when they end, nil where they stay.
func GoingTo(a *base.AccountState, id base.ID) (*Location, error) {
	if id == (base.ID{}) {
		return nil, nil
	}
	to := LocationTable(a).Get(id)
	if to == nil {
		return nil, errNoLocation
	}
	return to, nil
}

// Needed is what a window needs at a location where units go elsewhere when they end: a unit without end.
func Needed(w base.Span, at, to *Location) base.Span {
	if to != nil && to != at {
		w.End = base.Forever
	}
	return w
}

// Resolve lists the pools of an item at a location, or at all, for units that go to another, or stay.
func Resolve(a *base.AccountState, dst []Source, i base.Item, location base.ID, to *Location, window base.Span,
	now int64) ([]Source, timeline.Single, error) {
	article, sku, single, err := Named(a, i)
	if err != nil {
		return dst, single, err
	}
	if location != (base.ID{}) {
		l := LocationTable(a).Get(location)
		if l == nil {
			return dst, single, errNoLocation
		}
		return Sources(a, dst, article, sku, l, Needed(window, l, to), now), single, nil
	}
	for i := range LocationTable(a).Len() {
		l := LocationTable(a).At(i)
		dst = Sources(a, dst, article, sku, l, Needed(window, l, to), now)
	}
	return dst, single, nil
}

// The refusals of reads are made once: a query of an unknown item costs nothing.
var (
	ErrNoArticle  = base.NotFound("article")
	ErrNoSKU      = base.NotFound("SKU")
	errNoLocation = base.NotFound("location")
)

// Sources lists the pools of a request, in the order of their smallest article.
func Sources(a *base.AccountState, dst []Source, article *Article, sku *SKU, location *Location, body base.Span,
	now int64) []Source {
	if article != nil {
		l := article.LotAt(location.No)
		if l == nil {
			return dst
		}
		return append(dst, Source{
			Pool: timeline.LotRef(l.No), Hull: timeline.Hull(body, l.Before, l.After, location.Zone(), now),
			Before: l.Before, After: l.After, Closed: l.closed, Named: true,
		})
	}
	for _, p := range sku.pools {
		if p.location != location.No || len(a.Stock.Lots(timeline.SKURef(p.no))) == 0 {
			continue
		}
		dst = append(dst, Source{
			Pool: timeline.SKURef(p.no), Hull: timeline.Hull(body, p.before, p.after, location.Zone(), now),
			Before: p.before, After: p.after,
		})
	}
	if len(dst) > 1 {
		slices.SortStableFunc(dst, func(x, y Source) int {
			return int(a.Stock.Lots(x.Pool)[0]) - int(a.Stock.Lots(y.Pool)[0])
		})
	}
	return dst
}

// Meeting leaves of sources those in which some article has what is asked for; where nothing is asked for, all.
func Meeting(s *timeline.Stock, sources []Source, asks *timeline.Hold, now int64) []Source {
	if asks == nil {
		return sources
	}
	sources = slices.DeleteFunc(sources, func(x Source) bool {
		return !slices.ContainsFunc(s.Lots(x.Pool), func(no timeline.LotNo) bool { return s.Meets(*asks, no, now) })
	})
	for i := range sources {
		if !sources[i].Named { // an article that is named has it, and that is all that is asked
			sources[i].asks = asks
		}
	}
	return sources
}

// hold is one that asks what the source is asked for, over a hull.
func (x *Source) hold(hull base.Span) timeline.Hold {
	h := timeline.NewHold(base.ID{}, hull, 0, 0)
	h.Flags, h.Owner, h.Line = x.asks.Flags, x.asks.Owner, x.asks.Line
	return h
}

// Available is how many units of a source can be held over a hull, of articles that meet what is asked for.
func (x *Source) Available(s *timeline.Stock, hull base.Span, now int64) timeline.Answer {
	if x.asks != nil {
		return s.AvailableFor(x.Pool, x.hold(hull), now)
	}
	a := s.Available(x.Pool, hull, now)
	if x.Named {
		a = s.AvailableNamed(x.lot(), hull, now, a)
	}
	return a
}

// FreeThroughout counts units of a source that are free all the time.
func (x *Source) FreeThroughout(s *timeline.Stock, now int64) int {
	if x.asks == nil {
		return s.FreeThroughout(x.Pool, x.Hull)
	}
	return s.FreeThroughoutFor(x.Pool, x.hold(x.Hull), now)
}

// Free bounds available by counting.
func (x *Source) Free(s *timeline.Stock, hull base.Span, now int64) int {
	switch {
	case x.asks != nil:
		return s.BoundFor(x.Pool, x.hold(hull), now)
	case x.Named:
		return s.BoundNamed(x.lot(), hull)
	}
	n, _, _, _ := s.MinFree(x.Pool, hull)
	return n
}

// lot is the lot of an article that is named.
func (x *Source) lot() timeline.LotNo {
	no, _ := x.Pool.Lot()
	return no
}

// pools are the source, or where something is asked for its articles that have it, each for itself.
func (x *Source) pools(s *timeline.Stock, now int64) (list []timeline.PoolRef) {
	if x.asks == nil {
		return []timeline.PoolRef{x.Pool}
	}
	for _, no := range s.Lots(x.Pool) {
		if s.Meets(*x.asks, no, now) {
			list = append(list, timeline.LotRef(no))
		}
	}
	return list
}

// SearchSpan is how far next looks, in milliseconds.
const SearchSpan = 2 * 366 * 24 * 60 * 60 * 1000

// NextFit finds the earliest window of a length, not before an instant, in which units of an item can be held at some
// places together, of articles that meet requirements, by units that go to another location, or stay.
func NextFit(a *base.AccountState, s *timeline.Stock, article *Article, sku *SKU, asks *timeline.Hold,
	places []*Location, to *Location, notBefore, length int64, n int, until, now int64) *base.Span {
	var few [8]Source
	var pools []timeline.Shape
	for _, l := range places {
		sources := Sources(a, few[:0], article, sku, l, base.Span{Start: notBefore, End: notBefore + length}, now)
		pools = AppendShapes(pools, Meeting(s, sources, asks, now), l, to, length, now)
	}
	from, ok := s.NextFit(pools, n, notBefore, until, now)
	if !ok {
		return nil
	}
	return &base.Span{Start: from, End: from + length}
}

// AppendShapes appends the pools that take new holds, with what a window of a length needs in each.
func AppendShapes(pools []timeline.Shape, sources []Source, l, to *Location, length, now int64) []timeline.Shape {
	zone := l.Zone()
	for _, src := range sources {
		if src.Closed {
			continue
		}
		before, after := src.Before, src.After
		if Needed(base.Span{}, l, to).End == base.Forever {
			after = Buffer{} // what comes after an open end
		}
		pools = append(pools, timeline.Shape{
			Pool:  src.Pool,
			For:   src.asks,
			Now:   now,
			Named: src.Named,
			Hull: func(from int64) base.Span {
				return timeline.Hull(Needed(base.Span{Start: from, End: from + length}, l, to), before, after, zone,
					now)
			},
			Turn: func(from int64) int64 {
				return timeline.HullTurn(base.Span{Start: from, End: from + length}, before, after, zone)
			},
		})
	}
	return pools
}

// Availability is the answer to a Query. Stock and Committed are those of the instant with the least free units; over
// several pools they are sums, each pool at its own such instant. For a catalog item all numbers are counted in kits.
// They are those of the component that there is least of; other components take their part of its pools.
type Availability struct {
	Available int
	Stock     int
	Committed int
	// WithMoves is, if it is asked for, how many units a booking can have. For an article these are more than are
	// available on its own units if holds that may be moved can go to other articles of its SKU, and fewer if conflicts
	// of its SKU are counted for these units. For everything else it is Available.
	WithMoves int
	// false: pinned holds made the search stop, perhaps more could be held; where WithMoves is asked for it is about
	// that
	Exact bool
}

// Around is the pool that a lot is in, or the lot where it is in none; a pool is its own.
func Around(a *base.AccountState, p timeline.PoolRef) timeline.PoolRef {
	if no, ok := p.Lot(); ok {
		if pool := a.Stock.Lot(no).Pool; pool != 0 {
			return timeline.SKURef(pool)
		}
	}
	return p
}
