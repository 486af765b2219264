package engine

import (
	"sync"

	"holdfast/timeline"
)

// This file owns the reads about stock in time: how much is free, when, and why not.

// Query asks how many units of an item can be held for a window. The window is what the shopper sees: the buffers that a
// booking would bring are added to it.
type Query struct {
	Item
	Location ID // zero: all locations, each asked for itself, the answers added up
	Return   ID // where the units go to when the window ends; zero: they stay. Elsewhere a window needs units without end
	Window   Span
	Moves    bool // WithMoves is asked for
}

// Available answers a Query at an instant. It allocates nothing, but for catalog items.
func (v View) Available(q Query, now int64) (Availability, error) {
	to, err := v.acc.goingTo(q.Return)
	if err != nil {
		return Availability{}, err
	}
	if q.CatalogItem != (ID{}) {
		return v.kits(q, to, now)
	}
	answer := Availability{Exact: true}
	var few [8]source
	sources, sole, err := v.acc.resolve(few[:0], q.Item, q.Location, to, q.Window, now)
	if err != nil {
		return answer, err
	}
	for _, s := range sources {
		no, _ := s.pool.Lot()
		a, ok := sole.Available(no, s.hull)
		if !ok {
			a = v.acc.stock.Available(s.pool, s.hull, now)
		}
		if !s.closed { // of one that is closed it is known that there are none
			answer.Available += a.Available
			if q.Moves && s.named {
				a = v.acc.stock.AvailableNamed(no, s.hull, now, a)
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
func (v View) kits(q Query, to *Location, now int64) (answer Availability, err error) {
	k, places, err := v.acc.kitPlaces(q.Item, q.Location)
	answer.Exact = true
	for _, l := range places {
		x := v.acc.kitsAt(v.acc.stock, k, l, needed(q.Window, l, to), now)
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
func (a *account) kitPlaces(i Item, location ID) (k *kit, places []*Location, err error) {
	if k, err = a.kit(i.CatalogItem); err != nil {
		return nil, nil, err
	}
	places, err = a.places(location)
	return k, places, err
}

// Calendar counts an item's free units over a window, in buckets, and says of each how many can be held for it: what Available says of the bucket as a plain
// window. It adds no buffers.
func (v View) Calendar(q Query, size BucketSize, now int64, dst []Bucket) ([]Bucket, error) {
	a, first := v.acc, len(dst)
	to, err := a.goingTo(q.Return)
	if err != nil {
		return dst, err
	}
	if dst, err = v.calendar(q, size, now, dst); err == nil && to != nil {
		err = v.leaving(q, to, dst[first:], now)
	}
	return dst, err
}

// calendar is Calendar for units that stay.
func (v View) calendar(q Query, size BucketSize, now int64, dst []Bucket) ([]Bucket, error) {
	a := v.acc
	zone := a.zoneAt(q.Location)
	if q.CatalogItem != (ID{}) {
		k, places, err := a.kitPlaces(q.Item, q.Location)
		if err != nil {
			return dst, err
		}
		return a.calendarOfKits(k, places, q.Window, zone, size, now, dst)
	}
	var few [8]source
	sources, _, err := a.resolve(few[:0], q.Item, q.Location, nil, q.Window, now)
	if err != nil {
		return dst, err
	}
	pools := make([]timeline.PoolRef, len(sources))
	closed := false // an article's sources are, all of them; a SKU's never are
	for i, s := range sources {
		pools[i] = s.pool
		closed = closed || s.closed
	}
	edges, err := a.edges(zone, size, pools, q.Window)
	if err != nil {
		return dst, err
	}
	counted := bucketScratch.Get().(*[]timeline.Bucket)
	*counted = a.stock.Calendar(pools, edges, now, (*counted)[:0])
	for i, b := range *counted {
		if closed {
			b.Available, b.Exact = 0, true
		}
		dst = append(dst, Bucket{Span{Start: edges[i], End: edges[i+1]}, b.Min, b.Max, b.Available, b.Exact})
	}
	bucketScratch.Put(counted)
	return dst, nil
}

// leavingBuckets is how many buckets of a calendar are asked for units that go elsewhere. Further ones have what the last of those has: who
// can do without a unit from one instant on can do without it from a later one.
const leavingBuckets = 1000

// leaving says of buckets how many units can be held for them that go to another location then.
func (v View) leaving(q Query, to *Location, list []Bucket, now int64) error {
	a := v.acc
	places, err := a.places(q.Location)
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
			n, exact := a.plainly(q.Item, l, needed(b.Range, l, to), now)
			b.Available, b.Exact = b.Available+n, b.Exact && exact
		}
	}
	return nil
}

// plainly is how many units of an item that is there can be held at a location over a window without buffers.
func (a *account) plainly(i Item, l *Location, w Span, now int64) (n int, exact bool) {
	if k, err := a.kit(i.CatalogItem); err == nil {
		offers := k.offers(a, a.stock, l, w, now)
		for _, f := range offers {
			for j := range f.sources {
				f.sources[j].hull = w
			}
		}
		x := a.kitsOf(a.stock, k, l, offers, w, now, true)
		return x.Available, x.Exact
	}
	article, sku, _, _ := a.named(i)
	exact = true
	for _, s := range a.sources(nil, article, sku, l, w, now) {
		if x := a.stock.Available(s.pool, w, now); !s.closed {
			n, exact = n+x.Available, exact && x.Exact
		}
	}
	return n, exact
}

var bucketScratch = sync.Pool{New: func() any { return new([]timeline.Bucket) }}

// NextQuery asks for the earliest window of a length in which units of an item can be held.
type NextQuery struct {
	Item
	Location  ID // zero: all locations, what each has added up
	Return    ID // as in a Query
	NotBefore int64
	Length    int64 // milliseconds
	Quantity  int
	Until     int64 // the window begins before it
}

// Next finds the window; ok is false where there is none before Until.
func (v View) Next(q NextQuery, now int64) (w Span, ok bool, err error) {
	a := v.acc
	places, err := a.places(q.Location)
	if err != nil {
		return w, false, err
	}
	to, err := a.goingTo(q.Return)
	if err != nil {
		return w, false, err
	}
	var next *Span
	switch {
	case q.CatalogItem != (ID{}):
		k, err := a.kit(q.CatalogItem)
		if err != nil {
			return w, false, err
		}
		next = a.nextKits(a.stock, k, places, to, q.NotBefore, q.Length, q.Quantity, q.Until, now)
	default:
		article, sku, _, err := a.named(q.Item)
		if err != nil {
			return w, false, err
		}
		next = a.nextFit(a.stock, article, sku, nil, places, to, q.NotBefore, q.Length, q.Quantity, q.Until, now)
	}
	if next == nil {
		return w, false, nil
	}
	return *next, true, nil
}

// Explanation says why an item has no more units over a window, and what to do instead.
type Explanation struct {
	Available    int
	At           int64            // the instant with the least free units
	Stock        int              // units there; of a catalog item, kits that they make
	Blockers     []Unavailability // the first of them by start, then id
	Blocking     int              // how many there are
	Alternatives []Alternative
}

// Alternative is a way out.
type Alternative struct {
	Kind     string // later | shorter | location | article
	Window   Span
	Location ID
	Article  ID // zero but for article
}

// Explain answers a Query with its reasons. Quantity is how many units are wanted, at least 1.
func (v View) Explain(q Query, quantity int, now int64) (*Explanation, error) {
	a := v.acc
	x := &Explanation{At: q.Window.Start}
	to, err := a.goingTo(q.Return)
	if err != nil {
		return nil, err
	}
	var sources []source
	// Where there are no units at all, the least is from where the hull of a booking begins.
	begin := func(p part, l *Location) {
		x.At = min(x.At, timeline.Hull(q.Window, a.before(p), Buffer{}, l.Zone(), now).Start)
	}
	if q.CatalogItem != (ID{}) {
		k, places, err := a.kitPlaces(q.Item, q.Location)
		if err != nil {
			return nil, err
		}
		for _, l := range places {
			y := a.kitsAt(a.stock, k, l, needed(q.Window, l, to), now)
			x.Available += y.Available
			x.Stock += y.Stock
			sources = append(sources, y.scarce.sources...)
			begin(y.scarce.part, l)
		}
	} else {
		article, sku, _, err := a.named(q.Item)
		if err != nil {
			return nil, err
		}
		places, err := a.places(q.Location)
		if err != nil {
			return nil, err
		}
		for _, l := range places {
			sources = a.sources(sources, article, sku, l, needed(q.Window, l, to), now)
			begin(part{article: article, sku: sku}, l)
		}
	}
	least, first := 0, true
	way, found := inTheWay{stock: a.stock, line: maxBlockers, all: maxBlockersInAll}, blockers{}
	for _, s := range sources {
		answer := s.available(a.stock, s.hull, now)
		if q.CatalogItem == (ID{}) {
			if !s.closed {
				x.Available += answer.Available
			}
			x.Stock += answer.Stock
		}
		if free := answer.Stock - answer.Committed; first || free < least {
			least, first, x.At = free, false, answer.At
		}
		way.add(&found, s.pool, answer.At)
	}
	x.Blocking = found.total
	for _, h := range way.close(&found) {
		_, at, _ := a.stock.Find(h.ID)
		x.Blockers = append(x.Blockers, a.unavailability(h, at))
	}
	if x.Available < quantity {
		x.Alternatives = v.alternatives(q, quantity, now)
	}
	return x, nil
}

// before is the buffer before a booking of a part.
func (a *account) before(p part) (before Buffer) {
	if p.article != nil {
		before, _ = a.buffers(p.article)
	} else {
		before, _ = p.sku.buffers()
	}
	return before
}

// maxAlternatives bounds the ways out of each kind.
const maxAlternatives = 10

func (v View) alternatives(q Query, quantity int, now int64) (list []Alternative) {
	a := v.acc
	closed := q.Window.End != Forever
	can := func(i Item, location ID, w Span) bool {
		answer, err := v.Available(Query{Item: i, Location: location, Return: q.Return, Window: w, Moves: true}, now)
		return err == nil && answer.WithMoves >= quantity
	}
	if closed {
		length := q.Window.Length()
		if w, ok, _ := v.Next(NextQuery{q.Item, q.Location, q.Return, q.Window.Start, length, quantity, min(q.Window.Start+searchAhead, maxInstant)}, now); ok {
			list = append(list, Alternative{Kind: "later", Window: w})
		}
		// The longest window from the same start, to the hour: what can be held for a time can be held for less.
		const hour = 60 * 60 * 1000
		lo, hi := int64(0), length/hour
		for lo < hi {
			mid := (lo + hi + 1) / 2
			if mid*hour < length && can(q.Item, q.Location, Span{Start: q.Window.Start, End: q.Window.Start + mid*hour}) {
				lo = mid
			} else {
				hi = mid - 1
			}
		}
		if lo > 0 {
			list = append(list, Alternative{Kind: "shorter", Window: Span{Start: q.Window.Start, End: q.Window.Start + lo*hour}})
		}
	}
	for i, n := 0, 0; i < a.locations().Len() && n < maxAlternatives; i++ {
		if l := a.locations().At(i); l.ID != q.Location && can(q.Item, l.ID, q.Window) {
			list = append(list, Alternative{Kind: "location", Window: q.Window, Location: l.ID})
			n++
		}
	}
	if article := a.articles().Get(q.Article); article != nil && article.SKU != nil {
		n := 0
		for r := range a.articles().By(articleBySKU, string(article.SKU[:])) {
			if n == maxAlternatives {
				break
			}
			if r.ID != article.ID && r.Takes() && can(Item{Article: r.ID}, q.Location, q.Window) {
				list = append(list, Alternative{Kind: "article", Window: q.Window, Article: r.ID})
				n++
			}
		}
	}
	return list
}
