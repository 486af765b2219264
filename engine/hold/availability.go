package hold

import (
	"sync"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the reads about stock in time: how much is free, when, and why not.

// Query asks how many units of an item can be held for a window. The window is what the shopper sees: the buffers that
// a booking would bring are added to it.
type Query struct {
	base.Item
	Location base.ID // zero: all locations, each asked for itself, the answers added up
	// where the units go to when the window ends; zero: they stay. Elsewhere a window needs units without end
	Return base.ID
	Window base.Span
	Moves  bool // WithMoves is asked for
}

// Available answers a Query at an instant. It allocates nothing, except for catalog items.
func Available(v base.View, q Query, now int64) (stock.Availability, error) {
	to, err := stock.GoingTo(v.Acc, q.Return)
	if err != nil {
		return stock.Availability{}, err
	}
	if q.CatalogItem != (base.ID{}) {
		return kits(v, q, to, now)
	}
	answer := stock.Availability{Exact: true}
	var few [8]stock.Source
	sources, single, err := stock.Resolve(v.Acc, few[:0], q.Item, q.Location, to, q.Window, now)
	if err != nil {
		return answer, err
	}
	for _, s := range sources {
		no, _ := s.Pool.Lot()
		a, one := single.Available(no, s.Hull)
		if !one {
			a = v.Acc.Stock.Available(s.Pool, s.Hull, now)
		}
		if !s.Closed { // of one that is closed it is known that there are none
			answer.Available += a.Available
			// the one that is there is all that there can be, and no conflict waits
			if q.Moves && s.Named && !(one && a.Available == 1 && v.Acc.Stock.ConflictLen() == 0) {
				a = v.Acc.Stock.AvailableNamed(no, s.Hull, now, a)
			}
			if q.Moves {
				answer.WithMoves += a.Available
			}
			answer.Exact = answer.Exact && a.Exact
		}
		answer.Stock += a.Stock
		answer.Committed += a.Committed
	}
	return answer, nil
}

// kits is Available for a catalog item.
func kits(v base.View, q Query, to *stock.Location, now int64) (answer stock.Availability, err error) {
	k, places, err := kitPlaces(v.Acc, q.Item, q.Location)
	answer.Exact = true
	for _, l := range places {
		x := commerce.KitsAt(v.Acc, v.Acc.Stock, k, l, stock.Needed(q.Window, l, to), now)
		answer.Available += x.Available
		answer.Stock += x.Stock
		answer.Committed += x.Committed
		answer.Exact = answer.Exact && x.Exact
	}
	if q.Moves {
		answer.WithMoves = answer.Available
	}
	return answer, err
}

// kitPlaces resolves a catalog item at a location, or at all.
func kitPlaces(a *base.AccountState, i base.Item, location base.ID) (k *commerce.Kit, places []*stock.Location,
	err error) {
	if k, err = commerce.KitByID(a, i.CatalogItem); err != nil {
		return nil, nil, err
	}
	places, err = stock.Places(a, location)
	return k, places, err
}

// Calendar counts an item's free units over a window, in buckets, and says of each how many can be held for it: what
// Available says of the bucket as a plain window. It adds no buffers. Of all locations each number is the sum of what
// the locations have by themselves.
func Calendar(v base.View, q Query, size stock.BucketSize, now int64, dst []stock.Bucket) ([]stock.Bucket, error) {
	a, first := v.Acc, len(dst)
	to, err := stock.GoingTo(a, q.Return)
	if err != nil {
		return dst, err
	}
	if dst, err = calendar(v, q, size, now, dst); err == nil && to != nil {
		err = leaving(v, q, to, dst[first:], now)
	}
	return dst, err
}

// calendar is Calendar for units that stay.
func calendar(v base.View, q Query, size stock.BucketSize, now int64, dst []stock.Bucket) ([]stock.Bucket, error) {
	a := v.Acc
	zone := zoneAt(a, q.Location)
	if q.CatalogItem != (base.ID{}) {
		k, places, err := kitPlaces(a, q.Item, q.Location)
		if err != nil {
			return dst, err
		}
		return commerce.CalendarOfKits(a, k, places, q.Window, zone, size, now, dst)
	}
	article, sku, _, err := stock.Named(a, q.Item)
	if err != nil {
		return dst, err
	}
	places, err := stock.Places(a, q.Location)
	if err != nil {
		return dst, err
	}
	var few [8]stock.Source
	var pools []timeline.PoolRef
	ends := make([]int, len(places)) // of the pools of each place
	closed := false                  // an article's sources are, all of them; a SKU's never are
	for i, l := range places {
		for _, s := range stock.Sources(a, few[:0], article, sku, l, q.Window, now) {
			pools = append(pools, s.Pool)
			closed = closed || s.Closed
		}
		ends[i] = len(pools)
	}
	edges, err := stock.Edges(a, zone, size, pools, q.Window)
	if err != nil {
		return dst, err
	}
	first := len(dst)
	for i := range len(edges) - 1 {
		dst = append(dst, stock.Bucket{Range: base.Span{Start: edges[i], End: edges[i+1]}, Exact: true})
	}
	counted := bucketScratch.Get().(*[]timeline.Bucket)
	begin := 0
	for _, end := range ends {
		own := pools[begin:end]
		if begin = end; len(own) == 0 {
			continue // the place has none
		}
		*counted = a.Stock.Calendar(own, edges, now, (*counted)[:0])
		for j, b := range *counted {
			x := &dst[first+j]
			x.MinFree, x.MaxFree = x.MinFree+b.Min, x.MaxFree+b.Max
			if !closed {
				x.Available, x.Exact = x.Available+b.Available, x.Exact && b.Exact
			}
		}
	}
	bucketScratch.Put(counted)
	return dst, nil
}

// leavingBuckets is how many buckets of a calendar are asked for units that go elsewhere. Further ones have what the
// last of those has: holds that can do without a unit from one instant on can do without it from a later one.
const leavingBuckets = 1000

// leaving says of buckets how many units can be held for them that go to another location then.
func leaving(v base.View, q Query, to *stock.Location, list []stock.Bucket, now int64) error {
	a := v.Acc
	places, err := stock.Places(a, q.Location)
	if err != nil {
		return err
	}
	for i := range list {
		b := &list[i]
		if i >= leavingBuckets {
			b.Available, b.Exact = min(b.Available, list[i-1].Available), false
			continue
		}
		b.Available, b.Exact = 0, true
		for _, l := range places {
			n, exact := plainly(a, q.Item, l, stock.Needed(b.Range, l, to), now)
			b.Available, b.Exact = b.Available+n, b.Exact && exact
		}
	}
	return nil
}

// plainly is how many units of an item that is there can be held at a location over a window without buffers.
func plainly(a *base.AccountState, i base.Item, l *stock.Location, w base.Span, now int64) (n int, exact bool) {
	if k, err := commerce.KitByID(a, i.CatalogItem); err == nil {
		offers := k.Offers(a, a.Stock, l, w, now)
		for _, f := range offers {
			for j := range f.Sources {
				f.Sources[j].Hull = w
			}
		}
		x := commerce.KitsOf(a, a.Stock, k, l, offers, w, now, true)
		return x.Available, x.Exact
	}
	article, sku, _, _ := stock.Named(a, i)
	exact = true
	for _, s := range stock.Sources(a, nil, article, sku, l, w, now) {
		if x := a.Stock.Available(s.Pool, w, now); !s.Closed {
			n, exact = n+x.Available, exact && x.Exact
		}
	}
	return n, exact
}

var bucketScratch = sync.Pool{New: func() any { return new([]timeline.Bucket) }}

// NextQuery asks for the earliest window of a length in which units of an item can be held.
type NextQuery struct {
	base.Item
	Location  base.ID // zero: all locations, what each has added up
	Return    base.ID // as in a Query
	NotBefore int64
	Length    int64 // milliseconds
	Quantity  int
	// The window begins before Until, however much later it ends. A caller with an instant at which the window must
	// have ended gives that instant less Length, plus 1. stock.SearchSpan, as others give it, limits the beginning,
	// too.
	Until int64
}

// Next finds the window; ok is false where there is none before Until.
func Next(v base.View, q NextQuery, now int64) (w base.Span, ok bool, err error) {
	a := v.Acc
	places, err := stock.Places(a, q.Location)
	if err != nil {
		return w, false, err
	}
	to, err := stock.GoingTo(a, q.Return)
	if err != nil {
		return w, false, err
	}
	var next *base.Span
	switch {
	case q.CatalogItem != (base.ID{}):
		k, err := commerce.KitByID(a, q.CatalogItem)
		if err != nil {
			return w, false, err
		}
		next = commerce.NextKits(a, a.Stock, k, places, to, q.NotBefore, q.Length, q.Quantity, q.Until, now)
	default:
		article, sku, _, err := stock.Named(a, q.Item)
		if err != nil {
			return w, false, err
		}
		next = stock.NextFit(a, a.Stock, article, sku, nil, places, to, q.NotBefore, q.Length, q.Quantity, q.Until, now)
	}
	if next == nil {
		return w, false, nil
	}
	return *next, true, nil
}

// Explanation says why an item has no more units over a window, and what to do instead.
type Explanation struct {
	Available int
	// The instant with the least free units. Each pool has its own: this is that of the pool with the fewest, the
	// earliest of those with as few.
	At           int64
	Stock        int                    // units there, each pool's at its own instant; of a catalog item, kits of them
	Blockers     []stock.Unavailability // those of each pool over its own instant; the first by start, then id
	Blocking     int                    // how many there are
	Alternatives []Alternative
}

// Alternative is a way out.
type Alternative struct {
	Kind     string // later | shorter | location | article
	Window   base.Span
	Location base.ID
	Article  base.ID // zero except for article
}

// Explain answers a Query with its reasons. Quantity is how many units are wanted, at least 1.
func Explain(v base.View, q Query, quantity int, now int64) (*Explanation, error) {
	a := v.Acc
	x := &Explanation{At: q.Window.Start}
	to, err := stock.GoingTo(a, q.Return)
	if err != nil {
		return nil, err
	}
	var sources []stock.Source
	// Where there are no units at all, the least is from where the hull of a booking begins.
	begin := func(p commerce.Part, l *stock.Location) {
		x.At = min(x.At, timeline.Hull(q.Window, before(a, p), stock.Buffer{}, l.Zone(), now).Start)
	}
	if q.CatalogItem != (base.ID{}) {
		k, places, err := kitPlaces(a, q.Item, q.Location)
		if err != nil {
			return nil, err
		}
		for _, l := range places {
			y := commerce.KitsAt(a, a.Stock, k, l, stock.Needed(q.Window, l, to), now)
			x.Available += y.Available
			x.Stock += y.Stock
			sources = append(sources, y.Scarce.Sources...)
			begin(y.Scarce.Part, l)
		}
	} else {
		article, sku, _, err := stock.Named(a, q.Item)
		if err != nil {
			return nil, err
		}
		places, err := stock.Places(a, q.Location)
		if err != nil {
			return nil, err
		}
		for _, l := range places {
			sources = stock.Sources(a, sources, article, sku, l, stock.Needed(q.Window, l, to), now)
			begin(commerce.Part{Article: article, SKU: sku}, l)
		}
	}
	least, first := 0, true
	way, found := stock.InTheWay{Stock: a.Stock, Line: base.MaxBlockers, All: base.MaxBlockersInAll}, stock.Blockers{}
	for _, s := range sources {
		answer := s.Available(a.Stock, s.Hull, now)
		if q.CatalogItem == (base.ID{}) {
			if !s.Closed {
				x.Available += answer.Available
			}
			x.Stock += answer.Stock
		}
		free := answer.Stock - answer.Committed
		if first || free < least || free == least && answer.At < x.At {
			least, first, x.At = free, false, answer.At
		}
		way.Add(&found, s.Pool, answer.At)
	}
	x.Blocking = found.Total
	for _, id := range way.Close(&found) {
		h, at, _ := a.Stock.Find(id)
		x.Blockers = append(x.Blockers, stock.UnavailabilityAt(a, h, at))
	}
	if x.Available < quantity {
		x.Alternatives = alternatives(v, q, quantity, now)
	}
	return x, nil
}

// before is the buffer before a booking of a part.
func before(a *base.AccountState, p commerce.Part) (before stock.Buffer) {
	if p.Article != nil {
		before, _ = stock.EffectiveBuffers(a, p.Article)
	} else {
		before, _ = p.SKU.Buffers()
	}
	return before
}

// maxAlternatives bounds the ways out of each kind.
const maxAlternatives = 10

func alternatives(v base.View, q Query, quantity int, now int64) (list []Alternative) {
	a := v.Acc
	closed := q.Window.End != base.Forever
	can := func(i base.Item, location base.ID, w base.Span) bool {
		answer, err := Available(v, Query{Item: i, Location: location, Return: q.Return, Window: w, Moves: true}, now)
		return err == nil && answer.WithMoves >= quantity
	}
	if closed {
		length := q.Window.Length()
		if w, ok, _ := Next(v, NextQuery{Item: q.Item, Location: q.Location, Return: q.Return,
			NotBefore: q.Window.Start, Length: length, Quantity: quantity,
			Until: min(q.Window.Start+stock.SearchSpan, base.MaxInstant)}, now); ok {
			list = append(list, Alternative{Kind: "later", Window: w})
		}
		// The longest window from the same start, to the hour: what can be held for a time can be held for less.
		const hour = 60 * 60 * 1000
		lo, hi := int64(0), length/hour
		for lo < hi {
			mid := (lo + hi + 1) / 2
			if mid*hour < length &&
				can(q.Item, q.Location, base.Span{Start: q.Window.Start, End: q.Window.Start + mid*hour}) {
				lo = mid
			} else {
				hi = mid - 1
			}
		}
		if lo > 0 {
			list = append(list,
				Alternative{Kind: "shorter", Window: base.Span{Start: q.Window.Start, End: q.Window.Start + lo*hour}})
		}
	}
	for i, n := 0, 0; i < stock.LocationTable(a).Len() && n < maxAlternatives; i++ {
		if l := stock.LocationTable(a).At(i); l.ID != q.Location && can(q.Item, l.ID, q.Window) {
			list = append(list, Alternative{Kind: "location", Window: q.Window, Location: l.ID})
			n++
		}
	}
	if article := stock.ArticleTable(a).Get(q.Article); article != nil && article.SKU != nil {
		n := 0
		for r := range stock.ArticleTable(a).By(stock.ArticleBySKU, string(article.SKU[:])) {
			if n == maxAlternatives {
				break
			}
			if r.ID != article.ID && r.Takes() && can(base.Item{Article: r.ID}, q.Location, q.Window) {
				list = append(list, Alternative{Kind: "article", Window: q.Window, Article: r.ID})
				n++
			}
		}
	}
	return list
}
