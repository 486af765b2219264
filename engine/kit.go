package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns kits: how a catalog item takes stock. One of it takes all its components, together or not at all, by the
// same seating as any other line; how many there are is asked of that seating, too.

// kit is a catalog item as it takes stock.
type kit struct {
	item  *CatalogItem
	parts []part         // no two of the same article or SKU
	asks  *timeline.Hold // one that asks what the articles that parts are taken from must have; nil: nothing is asked
}

// part is what one kit takes of an article or a SKU.
type part struct {
	article  *Article
	sku      *SKU
	quantity int
}

func (p part) item() Item {
	if p.article != nil {
		return Item{Article: p.article.ID}
	}
	return Item{SKU: p.sku.ID}
}

// has says that the part can be of an article.
func (p part) has(r *Article) bool {
	return r != nil && (r == p.article || p.sku != nil && r.SKU != nil && *r.SKU == p.sku.ID)
}

// isPart says that a unit can be one of a part: it is of its article, or of an article of its SKU. One that is auto-assigned is of the SKU that it was made for,
// and a conflict of the one that it belongs to.
func (t *tx) isPart(h timeline.Hold, at timeline.Place, p part) bool {
	lot := t.acc.stock.Lot(at.Lot)
	r := t.acc.articles().No(lot.Article)
	sku := t.acc.madeFor(h, r)
	if sku == (ID{}) && !at.Seated() && !h.Flags.Any(timeline.PinnedArticle|timeline.PinnedSlot) {
		sku = t.acc.conflictSKU(h, lot)
	}
	if sku != (ID{}) {
		return p.sku != nil && p.sku.ID == sku
	}
	return p.has(r)
}

// kit resolves a catalog item.
func (a *account) kit(id ID) (*kit, error) {
	i := a.catalog().Get(id)
	if i == nil {
		return nil, errNoCatalogItem
	}
	if len(i.Components) == 0 {
		return nil, errNoComponents
	}
	return a.kitOf(i, i.Components)
}

// kitOf resolves a catalog item that takes some components.
func (a *account) kitOf(i *CatalogItem, components []Component) (*kit, error) {
	k := &kit{item: i, parts: make([]part, 0, len(components))}
	for _, c := range components {
		p := part{quantity: c.Quantity}
		if c.Article != (ID{}) {
			if p.article = a.articles().Get(c.Article); p.article == nil {
				return nil, errNoArticle
			}
		} else if p.sku = a.skus().Get(c.SKU); p.sku == nil {
			return nil, errNoSKU
		}
		if same := slices.IndexFunc(k.parts, func(x part) bool { return x.article == p.article && x.sku == p.sku }); same >= 0 {
			k.parts[same].quantity += p.quantity
		} else {
			k.parts = append(k.parts, p)
		}
	}
	return k, nil
}

var (
	errNoCatalogItem = notFound("catalog item")
	errNoComponents  = &Error{Code: CodeStateNotAllowed, Detail: "the catalog item has no components, so it takes no stock", Details: StateDetails{State: "without components"}}
)

// components are what one kit takes.
func (k *kit) components() []Component {
	list := make([]Component, len(k.parts))
	for i, p := range k.parts {
		list[i] = Component{p.item(), p.quantity}
	}
	return list
}

// partPrices are what the components of a kit were bought for, in their order; nil: there is one alone, or that is not known of all.
func (a *account) partPrices(i Item) (list []int64) {
	k, err := a.kit(i.CatalogItem)
	if err != nil {
		return nil
	}
	return a.pricesOf(k)
}

// pricesOf is partPrices of a kit that is known.
func (a *account) pricesOf(k *kit) (list []int64) {
	if len(k.parts) < 2 {
		return nil
	}
	for _, p := range k.parts {
		price := a.purchasePrice(p.article, p.sku)
		if price == nil {
			return nil
		}
		list = append(list, *price)
	}
	return list
}

// units is how many units of stock one kit takes.
func (k *kit) units() (n int) {
	for _, p := range k.parts {
		n += p.quantity
	}
	return n
}

// ask appends the requests that n of an item make at a location: one, or of a catalog item one for each of its parts. Without
// a purchase type it is not asked whether the item is offered so.
func (t *tx) ask(dst []request, i Item, location ID, n int, p PurchaseType) ([]request, error) {
	if i.CatalogItem == (ID{}) {
		q, err := t.request(i, location)
		q.quantity = n
		return append(dst, q), err
	}
	k, err := t.acc.kit(i.CatalogItem)
	if err != nil {
		return dst, err
	}
	return t.askKits(dst, k, location, n, p)
}

// askKits is ask of a kit.
func (t *tx) askKits(dst []request, k *kit, location ID, n int, p PurchaseType) ([]request, error) {
	if !k.item.Takes() {
		return dst, takesNone("catalog item", string(k.item.Status), k.item.ArchivedAt)
	}
	if p != "" && !slices.Contains(k.item.Purchases, p) {
		return dst, notOffered(k.item, p)
	}
	b := &kits{k, n}
	for _, p := range k.parts {
		q, err := t.request(p.item(), location)
		if err != nil {
			return dst, err
		}
		q.bundle, q.quantity = b, n*p.quantity
		dst = append(dst, q)
	}
	return dst, nil
}

// notOffered is the refusal of a way to take a catalog item in which it is not offered.
func notOffered(i *CatalogItem, p PurchaseType) *Error {
	allowed := make([]string, len(i.Purchases))
	for j, x := range i.Purchases {
		allowed[j] = string(x)
	}
	return &Error{Code: CodeStateNotAllowed, Detail: "the catalog item is not offered for " + string(p), Details: StateDetails{State: string(p), Allowed: allowed}}
}

// offer is what a part can be taken from at one location.
type offer struct {
	part
	sources []source
	pinned  []int // by source: units of it that other parts of the kit take, which name an article there
	meets   bool  // another part of the kit takes from the same pool, or makes room there
}

// offers lists what the parts of a kit can be taken from.
func (k *kit) offers(a *account, s *timeline.Stock, l *Location, body Span, now int64) []offer {
	list := make([]offer, len(k.parts))
	for i, p := range k.parts {
		list[i] = offer{part: p, sources: meeting(s, a.sources(nil, p.article, p.sku, l, body, now), k.asks, now)}
		for j := range list[i].sources {
			s := &list[i].sources[j]
			s.closed = s.closed || !k.item.Takes()
		}
	}
	for i := range list {
		f := &list[i]
		f.pinned = make([]int, len(f.sources))
		for n, p := range list {
			if p.article == nil || len(p.sources) == 0 || n == i {
				continue
			}
			pool := a.around(p.sources[0].pool)
			for j, s := range f.sources {
				if f.meets = f.meets || a.around(s.pool) == pool; s.pool == pool {
					f.pinned[j] += p.quantity
				}
			}
		}
	}
	return list
}

// demand is how many units of its sources one kit takes in all: the part's, and those of other parts that name an article there.
func (f *offer) demand() int {
	n := f.quantity
	for _, m := range f.pinned {
		n += m
	}
	return n
}

// most is the largest n such that n kits find their part where each source has so much room, the other parts that take from
// it served.
func (f *offer) most(room []int) int {
	fits := func(n int) bool {
		left := 0
		for j, r := range room {
			left += max(0, r-n*f.pinned[j])
		}
		return left >= n*f.quantity
	}
	total := 0
	for _, r := range room {
		total += max(0, r)
	}
	lo, hi := 0, total/f.quantity
	if fits(hi) {
		return hi
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// mostOf is most over all offers.
func mostOf(offers []offer, room [][]int) int {
	n := offers[0].most(room[0])
	for i := 1; i < len(offers); i++ {
		n = min(n, offers[i].most(room[i]))
	}
	return n
}

// kitAnswer is how many kits there are at one location; stock and committed are those of the part that there is least of,
// counted in kits, with what the other parts take of its pools.
type kitAnswer struct {
	Availability
	scarce *offer // the part that there is least of
}

// kitsAt counts the kits that can be held at a location over a window, on some state of the stock.
//
// Where no two parts meet in a pool, that is the least of what the parts have. Where they do, it is tried by the seating that
// a hold goes through: the answer is a number that could be seated, and where it is exact, one more could not.
func (a *account) kitsAt(s *timeline.Stock, k *kit, l *Location, body Span, now int64) (x kitAnswer) {
	return a.kitsOf(s, k, l, k.offers(a, s, l, body, now), body, now, false)
}

// kitsOf is kitsAt of offers; plain: their hulls are the window, without buffers.
func (a *account) kitsOf(s *timeline.Stock, k *kit, l *Location, offers []offer, body Span, now int64, plain bool) (x kitAnswer) {
	room, shared := make([][]int, len(offers)), false
	for i := range offers {
		f := &offers[i]
		room[i] = make([]int, len(f.sources))
		stock, free, exact := 0, 0, true
		for j, src := range f.sources {
			y := src.available(s, src.hull, now)
			if !src.closed {
				room[i][j] = y.Available
			}
			stock, free, exact = stock+y.Stock, free+y.Stock-y.Committed, exact && y.Exact
		}
		shared = shared || f.meets
		n := f.most(room[i])
		if i > 0 && n == x.Available {
			x.Exact = x.Exact || exact
		}
		if i == 0 || n < x.Available {
			x.scarce, x.Available, x.Exact = f, n, exact
			x.Stock = stock / f.demand()
			x.Committed = x.Stock - floorDiv(free, f.demand())
		}
	}
	if shared && (x.Available > 0 || !x.Exact) {
		x.Available, x.Exact = a.seatKits(s, k, l, body, now, x.surely(a, s, offers, now), x.Available, x.Exact, plain)
	}
	return x
}

// surely is how many kits find a unit free throughout for every part, so that nothing has to move: never more than there are.
// Where parts meet in a pool that has conflicts none is sure: each part alone may have what the conflicts leave, all together not.
func (x *kitAnswer) surely(a *account, s *timeline.Stock, offers []offer, now int64) int {
	for _, f := range offers {
		for _, src := range f.sources {
			if f.meets && contested(s, a.around(src.pool), src.hull) {
				return 0
			}
		}
	}
	room := make([][]int, len(offers))
	for i, f := range offers {
		room[i] = make([]int, len(f.sources))
		for j, src := range f.sources {
			room[i][j] = min(src.free(s, src.hull, now), src.freeThroughout(s, now))
		}
	}
	return min(mostOf(offers, room), x.Available)
}

// contested says that conflicts ask for units of a pool over a hull.
func contested(s *timeline.Stock, pool timeline.PoolRef, hull Span) bool {
	if s.ConflictCount(pool) == 0 {
		return false
	}
	for _, no := range s.Lots(pool) {
		for h := range s.Conflicts(no) {
			if h.Span.Overlaps(hull) {
				return true
			}
		}
	}
	return false
}

// kitSeats is how many units a question about kits seats for real, beside those that are sure to find a place.
const kitSeats = 256

// seatKits finds, between a number of kits that can be seated and one that bounds it, one that can be and whose next cannot.
// exact says that the bound is sure; of the answer, that one more is sure to be refused.
func (a *account) seatKits(s *timeline.Stock, k *kit, l *Location, body Span, now int64, least, bound int, exact, plain bool) (int, bool) {
	fits := func(n int) bool {
		t := tx{acc: a, now: now}
		t.seating().stock = s.Draft(now)
		requests, err := t.askKits(nil, k, l.ID, n, "")
		if err != nil {
			return false
		}
		setLine(requests, 0, body, timeline.Booking, 1)
		for i := range requests {
			requests[i].ask(k.asks)
			if plain {
				requests[i].keepHull, requests[i].proto.Span = true, body
			}
		}
		return len(t.seatLines(rehearsal, requests)) == 0
	}
	if most := max(least, kitSeats/k.units()); bound > most {
		bound, exact = most, false
	}
	if bound == least || fits(bound) {
		for n := bound; !exact; n++ {
			if (n+1)*k.units() > kitSeats || !fits(n+1) {
				return n, false
			}
		}
		return bound, true
	}
	lo, hi := least, bound
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, false
}

// rehearsal is the owner of holds that are only tried: an id that no record has.
var rehearsal = makeID(1<<48-1, Base{})

func floorDiv(a, b int) int {
	n := a / b
	if a%b < 0 {
		n--
	}
	return n
}

// kits are so many of a kit, as one line asks for them.
type kits struct {
	*kit
	n int
}

// short completes the shortage of the line, of which nothing is seated in the draft.
func (k *kits) short(t *tx, short *Shortage, q *request) {
	s := t.draft().Stock()
	body := needed(q.body, q.location, q.to)
	x := t.acc.kitsAt(s, k.kit, q.location, body, t.now)
	short.Requested, short.Available = k.n, min(x.Available, k.n-1)
	offers := k.offers(t.acc, s, q.location, body, t.now)
	room := make([][]int, len(offers))
	for i, f := range offers {
		room[i] = make([]int, len(f.sources))
		for j, src := range f.sources {
			room[i][j] = src.free(s, src.hull, t.now)
		}
	}
	reason := timeline.NotEnoughStock
	if mostOf(offers, room) >= k.n {
		reason = timeline.FragmentedByPinnedHolds
	}
	short.Reason = reason.String()
	if !t.explain {
		return
	}
	var found blockers
	for _, src := range x.scarce.sources {
		t.blockersOf(&found, &src, src.available(s, src.hull, t.now).At)
	}
	t.blocked(short, &found)
	if q.body.End != Forever && t.inTheWay().mayNext() {
		short.Next = t.acc.nextKits(s, k.kit, []*Location{q.location}, q.to, q.body.Start, q.body.End-q.body.Start, k.n, min(q.body.Start+searchAhead, maxInstant), t.now)
	}
}

// kitSince is a catalog item that is as it was when a unit was made, nil where it was changed since: it may have other components, and what was made of those that
// it had keeps what it has.
func (a *account) kitSince(item, unit ID) *kit {
	k, err := a.kit(item)
	if err != nil || k.item.UpdatedAt >= CreatedAt(unit) {
		return nil
	}
	return k
}
