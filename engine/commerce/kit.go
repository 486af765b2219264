package commerce

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns kits: how a catalog item takes stock. One of it takes all its components, together or not at all, by
// the same seating as any other line; how many there are is asked of that seating, too.

// Kit is a catalog item as it takes stock.
type Kit struct {
	Item  *CatalogItem
	Parts []Part         // no two of the same article or SKU
	Asks  *timeline.Hold // one that asks what the articles that parts are taken from must have; nil: nothing is asked
}

// Part is what one kit takes of an article or a SKU.
type Part struct {
	Article  *stock.Article
	SKU      *stock.SKU
	Quantity int
}

// Item is what the part takes.
func (p Part) Item() base.Item {
	if p.Article != nil {
		return base.Item{Article: p.Article.ID}
	}
	return base.Item{SKU: p.SKU.ID}
}

// Has says that the part can be of an article.
func (p Part) Has(r *stock.Article) bool {
	return r != nil && (r == p.Article || p.SKU != nil && r.SKU != nil && *r.SKU == p.SKU.ID)
}

// IsPart says that a unit can be one of a part: it is of its article, or of an article of its SKU. One that is
// auto-assigned is of the SKU that it was made for, and a conflict of the one that it belongs to.
func IsPart(t *base.Tx, h timeline.Hold, at timeline.Place, p Part) bool {
	lot := t.Acc.Stock.Lot(at.Lot)
	r := stock.ArticleTable(t.Acc).No(lot.Article)
	sku := stock.MadeFor(t.Acc, h, r)
	if sku == (base.ID{}) && !at.Seated() && !h.Flags.Any(timeline.PinnedArticle|timeline.PinnedSlot) {
		sku = stock.ConflictSKU(t.Acc, h, lot)
	}
	if sku != (base.ID{}) {
		return p.SKU != nil && p.SKU.ID == sku
	}
	return p.Has(r)
}

// KitByID resolves a catalog item.
func KitByID(a *base.AccountState, id base.ID) (*Kit, error) {
	i := CatalogTable(a).Get(id)
	if i == nil {
		return nil, ErrNoCatalogItem
	}
	if len(i.Components) == 0 {
		return nil, errNoComponents
	}
	return KitOf(a, i, i.Components)
}

// KitOf resolves a catalog item that takes some components.
func KitOf(a *base.AccountState, i *CatalogItem, components []Component) (*Kit, error) {
	k := &Kit{Item: i, Parts: make([]Part, 0, len(components))}
	for _, c := range components {
		p := Part{Quantity: c.Quantity}
		if c.Article != (base.ID{}) {
			if p.Article = stock.ArticleTable(a).Get(c.Article); p.Article == nil {
				return nil, stock.ErrNoArticle
			}
		} else if p.SKU = stock.SKUTable(a).Get(c.SKU); p.SKU == nil {
			return nil, stock.ErrNoSKU
		}
		if same := slices.IndexFunc(k.Parts,
			func(x Part) bool { return x.Article == p.Article && x.SKU == p.SKU }); same >= 0 {
			k.Parts[same].Quantity += p.Quantity
		} else {
			k.Parts = append(k.Parts, p)
		}
	}
	return k, nil
}

var (
	ErrNoCatalogItem = base.NotFound("catalog item")
	errNoComponents  = base.NotAllowed("the catalog item has no components, so it takes no stock", "without components")
)

// Components are what one kit takes.
func (k *Kit) Components() []Component {
	list := make([]Component, len(k.Parts))
	for i, p := range k.Parts {
		list[i] = Component{Item: p.Item(), Quantity: p.Quantity}
	}
	return list
}

// PartPrices are what the components of a kit were bought for, in their order; nil: there is one alone, or that is not
// known of all.
func PartPrices(a *base.AccountState, k *Kit) (list []int64) {
	if len(k.Parts) < 2 {
		return nil
	}
	for _, p := range k.Parts {
		price := stock.PurchasePrice(a, p.Article, p.SKU)
		if price == nil {
			return nil
		}
		list = append(list, *price)
	}
	return list
}

// Units is how many units of stock one kit takes.
func (k *Kit) Units() (n int) {
	for _, p := range k.Parts {
		n += p.Quantity
	}
	return n
}

// UnitsTaken is how many units of stock some of an item are: of a kit, those that its components take.
func UnitsTaken(a *base.AccountState, item base.Item, n int) int {
	if item.CatalogItem == (base.ID{}) {
		return n
	}
	i := CatalogTable(a).Get(item.CatalogItem)
	if i == nil {
		return n
	}
	units := 0
	for _, c := range i.Components {
		units += n * c.Quantity
	}
	return units
}

// Ask appends the requests that n of an item make at a location: one, or of a catalog item one for each of its parts.
// Without a purchase type it is not asked whether the item is offered so.
func Ask(t *base.Tx, dst []stock.Request, i base.Item, location base.ID, n int, p base.PurchaseType) ([]stock.Request,
	error) {
	if i.CatalogItem == (base.ID{}) {
		q, err := stock.NewRequest(t, i, location)
		q.Quantity = n
		return append(dst, q), err
	}
	k, err := KitByID(t.Acc, i.CatalogItem)
	if err != nil {
		return dst, err
	}
	return AskKits(t, dst, k, location, n, p)
}

// AskKits is ask of a kit.
func AskKits(t *base.Tx, dst []stock.Request, k *Kit, location base.ID, n int, p base.PurchaseType) ([]stock.Request,
	error) {
	if !k.Item.Takes() {
		return dst, stock.TakesNone("catalog item", string(k.Item.Status), k.Item.ArchivedAt)
	}
	if p != "" && !slices.Contains(k.Item.Purchases, p) {
		return dst, notOffered(k.Item, p)
	}
	b := &Kits{k, n}
	for _, p := range k.Parts {
		q, err := stock.NewRequest(t, p.Item(), location)
		if err != nil {
			return dst, err
		}
		q.Bundle, q.Quantity = b, n*p.Quantity
		dst = append(dst, q)
	}
	return dst, nil
}

// notOffered is the refusal of a way to take a catalog item in which it is not offered.
func notOffered(i *CatalogItem, p base.PurchaseType) *base.Error {
	allowed := make([]string, len(i.Purchases))
	for j, x := range i.Purchases {
		allowed[j] = string(x)
	}
	return base.NotAllowed("the catalog item is not offered for "+string(p), string(p), allowed...)
}

// offer is what a part can be taken from at one location.
type offer struct {
	Part
	Sources []stock.Source
	pinned  []int // by source: units of it that other parts of the kit take, which name an article there
	meets   bool  // another part of the kit takes from the same pool, or makes room there
}

// Offers lists what the parts of a kit can be taken from.
func (k *Kit) Offers(a *base.AccountState, s *timeline.Stock, l *stock.Location, body base.Span, now int64) []offer {
	list := make([]offer, len(k.Parts))
	for i, p := range k.Parts {
		list[i] = offer{Part: p,
			Sources: stock.Meeting(s, stock.Sources(a, nil, p.Article, p.SKU, l, body, now), k.Asks, now)}
		for j := range list[i].Sources {
			s := &list[i].Sources[j]
			s.Closed = s.Closed || !k.Item.Takes()
		}
	}
	for i := range list {
		f := &list[i]
		f.pinned = make([]int, len(f.Sources))
		for n, p := range list {
			if p.Article == nil || len(p.Sources) == 0 || n == i {
				continue
			}
			pool := stock.Around(a, p.Sources[0].Pool)
			for j, s := range f.Sources {
				if f.meets = f.meets || stock.Around(a, s.Pool) == pool; s.Pool == pool {
					f.pinned[j] += p.Quantity
				}
			}
		}
	}
	return list
}

// demand is how many units of its sources one kit takes in all: the part's, and those of other parts that name an
// article there.
func (f *offer) demand() int {
	n := f.Quantity
	for _, m := range f.pinned {
		n += m
	}
	return n
}

// most is the largest n such that n kits find their part where each source has so much room, the other parts that take
// from it served.
func (f *offer) most(room []int) int {
	fits := func(n int) bool {
		left := 0
		for j, r := range room {
			left += max(0, r-n*f.pinned[j])
		}
		return left >= n*f.Quantity
	}
	total := 0
	for _, r := range room {
		total += max(0, r)
	}
	lo, hi := 0, total/f.Quantity
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

// kitAnswer is how many kits there are at one location; stock and committed are those of the part that there is least
// of, counted in kits, with what the other parts take of its pools.
type kitAnswer struct {
	stock.Availability
	Scarce *offer // the part that there is least of
}

// KitsAt counts the kits that can be held at a location over a window, on some state of the stock.
//
// Where no two parts meet in a pool, that is the least of what the parts have. Where they do, it is tried by the
// seating that a hold goes through: the answer is a number that could be seated, and where it is exact, one more could
// not.
func KitsAt(a *base.AccountState, s *timeline.Stock, k *Kit, l *stock.Location, body base.Span,
	now int64) (x kitAnswer) {
	return KitsOf(a, s, k, l, k.Offers(a, s, l, body, now), body, now, false)
}

// KitsOf is KitsAt with the offers given; plain: their hulls are the window, without buffers.
func KitsOf(a *base.AccountState, s *timeline.Stock, k *Kit, l *stock.Location, offers []offer, body base.Span,
	now int64, plain bool) (x kitAnswer) {
	room, shared := make([][]int, len(offers)), false
	for i := range offers {
		f := &offers[i]
		room[i] = make([]int, len(f.Sources))
		stock, free, exact := 0, 0, true
		for j, src := range f.Sources {
			y := src.Available(s, src.Hull, now)
			if !src.Closed {
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
			x.Scarce, x.Available, x.Exact = f, n, exact
			x.Stock = stock / f.demand()
			x.Committed = x.Stock - floorDiv(free, f.demand())
		}
	}
	if shared && (x.Available > 0 || !x.Exact) {
		x.Available, x.Exact = SeatKits(a, s, k, l, body, now, x.surely(a, s, offers, now), x.Available, x.Exact, plain)
	}
	return x
}

// surely is how many kits find a unit free throughout for every part, so that nothing has to move: never more than
// there are. Where parts meet in a pool that has conflicts none is sure: each part alone may have what the conflicts
// leave, all together not.
func (x *kitAnswer) surely(a *base.AccountState, s *timeline.Stock, offers []offer, now int64) int {
	for _, f := range offers {
		for _, src := range f.Sources {
			if f.meets && contested(s, stock.Around(a, src.Pool), src.Hull) {
				return 0
			}
		}
	}
	room := make([][]int, len(offers))
	for i, f := range offers {
		room[i] = make([]int, len(f.Sources))
		for j, src := range f.Sources {
			room[i][j] = min(src.Free(s, src.Hull, now), src.FreeThroughout(s, now))
		}
	}
	return min(mostOf(offers, room), x.Available)
}

// contested says that conflicts ask for units of a pool over a hull.
func contested(s *timeline.Stock, pool timeline.PoolRef, hull base.Span) bool {
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

// kitSeats is how many units a question about kits seats for real, in addition to those that are sure to find a place.
const kitSeats = 256

// SeatKits finds, between a number of kits that can be seated and one that bounds it, one that can be and whose next
// cannot. exact says that the bound is sure; of the answer, that one more is sure to be refused.
func SeatKits(a *base.AccountState, s *timeline.Stock, k *Kit, l *stock.Location, body base.Span, now int64, least,
	bound int, exact, plain bool) (int, bool) {
	fits := func(n int) bool {
		t := base.Tx{Acc: a, Now: now}
		stock.Seating(&t).Stock = s.Draft(now)
		requests, err := AskKits(&t, nil, k, l.ID, n, "")
		if err != nil {
			return false
		}
		stock.SetLine(requests, 0, body, timeline.Booking, 1)
		for i := range requests {
			requests[i].Ask(k.Asks)
			if plain {
				requests[i].KeepHull, requests[i].Proto.Span = true, body
			}
		}
		return len(stock.SeatLines(&t, rehearsal, requests)) == 0
	}
	if most := max(least, kitSeats/k.Units()); bound > most {
		bound, exact = most, false
	}
	if bound == least || fits(bound) {
		for n := bound; !exact; n++ {
			if (n+1)*k.Units() > kitSeats || !fits(n+1) {
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
var rehearsal = base.MakeID(1<<48-1, base.Base{})

func floorDiv(a, b int) int {
	n := a / b
	if a%b < 0 {
		n--
	}
	return n
}

// Kits are so many of a kit, as one line asks for them.
type Kits struct {
	*Kit
	n int
}

// Short completes the shortage of the line, of which nothing is seated in the draft.
func (k *Kits) Short(t *base.Tx, short *base.Shortage, q *stock.Request) {
	s := stock.Draft(t).Stock()
	body := stock.Needed(q.Body, q.Location, q.To)
	x := KitsAt(t.Acc, s, k.Kit, q.Location, body, t.Now)
	short.Requested, short.Available = k.n, min(x.Available, k.n-1)
	offers := k.Offers(t.Acc, s, q.Location, body, t.Now)
	room := make([][]int, len(offers))
	for i, f := range offers {
		room[i] = make([]int, len(f.Sources))
		for j, src := range f.Sources {
			room[i][j] = src.Free(s, src.Hull, t.Now)
		}
	}
	reason := timeline.NotEnoughStock
	if mostOf(offers, room) >= k.n {
		reason = timeline.FragmentedByPinnedHolds
	}
	short.Reason = reason.String()
	if !t.Explain {
		return
	}
	var found stock.Blockers
	for _, src := range x.Scarce.Sources {
		stock.BlockersOf(t, &found, &src, src.Hull, k.n*x.Scarce.Quantity, src.Available(s, src.Hull, t.Now).At)
	}
	stock.Blocked(t, short, &found)
	if q.Body.End != base.Forever && stock.NotedInTheWay(t).MayNext() {
		short.Next = NextKits(t.Acc, s, k.Kit, []*stock.Location{q.Location}, q.To, q.Body.Start,
			q.Body.End-q.Body.Start, k.n, min(q.Body.Start+stock.SearchSpan, base.MaxInstant), t.Now)
	}
}

// KitSince is a catalog item that is as it was when a unit was made, nil where it was changed since: it may have other
// components, and what was made of those that it had keeps what it has.
func KitSince(a *base.AccountState, item, unit base.ID) *Kit {
	k, err := KitByID(a, item)
	if err != nil || k.Item.UpdatedAt >= base.CreatedAt(unit) {
		return nil
	}
	return k
}
