package model

import (
	"reflect"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
)

// This file owns kits: catalog items as what is held of stock. A line of kits is a request for each of its parts.

// Kit is a catalog item. Like the other records it is a value.
type Kit struct {
	ID       ID
	Takes    bool // active, not archived
	Parts    []commerce.Component
	Table    ID    // its pricing table; zero: none
	Changed  int64 // when it was made, or became another
	Revision uint64
}

func (a *Account) kit(id ID) *Kit { return find(a.Kits, func(k *Kit) bool { return k.ID == id }) }

// parts are a kit's, those that name the same added up.
func (k *Kit) parts() (list []commerce.Component) {
	for _, p := range k.Parts {
		i := slices.IndexFunc(list, func(x commerce.Component) bool { return x.Item == p.Item })
		if i < 0 {
			list = append(list, p)
			continue
		}
		list[i].Quantity += p.Quantity
	}
	return list
}

// canBe says that a unit may be a component: it was made for its SKU, or is of its article or SKU, or a conflict that
// belongs to its SKU.
func (a *Account) canBe(u Unit, p commerce.Component) bool {
	if sku := a.meant(u); sku != (ID{}) {
		return p.SKU == sku
	}
	if u.Slot == 0 && !u.articlePinned() {
		return p.SKU != (ID{}) && a.ofSKU(u, p.SKU)
	}
	r := a.of(a.lot(u.Lot))
	return r.ID == p.Article || r.SKU != nil && *r.SKU == p.SKU
}

// componentsOf says of each unit of a hold's line which component it is, and which those are that the line was made of.
func (a *Account) componentsOf(h *Hold, line int) (list []int, booked []commerce.Component) {
	l := h.Lines[line]
	if l.CatalogItem == (ID{}) {
		return make([]int, len(l.Made)), nil
	}
	for j, p := range l.Booked {
		list = append(list, slices.Repeat([]int{j}, l.Quantity*p.Quantity)...)
	}
	return list, l.Booked
}

// catalog judges the commands on catalog items.
func (s *step) catalog(op base.Op, res any, err error) error {
	change := func(id ID, change func(*Kit)) error {
		i := slices.IndexFunc(s.a.Kits, func(k *Kit) bool { return k.ID == id })
		if i < 0 {
			return refused(err, base.CodeNotFound)
		}
		n := *s.a.Kits[i]
		if change(&n); !reflect.DeepEqual(n, *s.a.Kits[i]) {
			n.Changed = s.now
		}
		s.a.Kits[i] = &n
		return refused(err, "")
	}
	switch o := op.(type) {
	case commerce.CreateCatalogItem:
		if err := refused(err, ""); err != nil {
			return err
		}
		k := &Kit{ID: res.(*commerce.CatalogItem).ID, Takes: true, Parts: o.Components, Changed: s.now}
		if o.PricingTable != nil {
			k.Table = *o.PricingTable
		}
		s.a.Kits = append(s.a.Kits, k)
		return nil
	case commerce.PatchCatalogItem:
		return change(o.ID, func(k *Kit) {
			if o.Fields.Has("status") {
				k.Takes = o.Fields.To.Status == commerce.CatalogActive
			}
			if o.Fields.Has("components") {
				k.Parts = o.Fields.To.Components
			}
			if o.Offer.Has("pricingTableId") {
				k.Table = ID{}
			}
			if table := o.Offer.To.PricingTable; table != nil {
				k.Table = *table
			}
		})
	case commerce.DeleteCatalogItem:
		if s.a.kit(o.ID) == nil {
			return refused(err, base.CodeNotFound)
		}
		if s.ordered(func(n *Order) bool { return n.names(o.ID) }) {
			return refused(err, base.CodeInUse)
		}
		if s.asked(func(x Line) bool { return x.CatalogItem == o.ID }) {
			return refused(err, base.CodeInUse)
		}
		s.a.Kits = slices.DeleteFunc(s.a.Kits, func(k *Kit) bool { return k.ID == o.ID })
		return refused(err, "")
	}
	return wrong("the twin does not know %T", op)
}

// ask makes the requests of a line.
func (s *step) ask(line int, l hold.HoldLineInput) (list []request, refusal base.Code) {
	if l.CatalogItem == (ID{}) {
		return s.askParts(line, l, []commerce.Component{{Item: l.Item, Quantity: 1}})
	}
	k := s.a.kit(l.CatalogItem)
	switch {
	case k == nil:
		return nil, base.CodeNotFound
	case len(k.Parts) == 0 || !k.Takes:
		return nil, base.CodeStateNotAllowed
	}
	return s.askParts(line, l, k.parts())
}

// askLine makes the requests of n more of an order's line: the line keeps the components of its kit that it was booked
// with. Where it is not known which those were, it gets more only if what it has is what the kit takes by now.
func (s *step) askLine(o *Order, line, n int) ([]request, base.Code) {
	l := &o.Lines[line]
	k := s.a.kit(l.Item.CatalogItem)
	switch {
	case k == nil:
		return s.ask(line, l.input(o, n))
	case l.Booked != nil:
		if n < l.Quantity && !slices.Equal(l.Booked, k.parts()) {
			s.a.Seen.Rebooked++
		}
	case len(k.Parts) == 0:
		return nil, base.CodeStateNotAllowed
	case slices.ContainsFunc(l.Units, func(u OrderUnit) bool { return u.Hold != ID{} }) &&
		!s.hasKits(l, k, l.Quantity-n):
		return nil, base.CodeConflict
	default:
		l.Booked = k.parts()
	}
	if !k.Takes {
		return nil, base.CodeStateNotAllowed
	}
	return s.askParts(line, l.input(o, n), l.Booked)
}

// hasKits says that a line has the units of n kits as they are now, and no others.
func (s *step) hasKits(l *OrderLine, k *Kit, n int) bool {
	var want, have []int
	for j, p := range k.parts() {
		want = append(want, slices.Repeat([]int{j}, n*p.Quantity)...)
	}
	for _, x := range l.Units {
		u := s.a.unit(x.Hold)
		if u == nil || x.Part >= len(k.parts()) || !s.a.canBe(*u, k.parts()[x.Part]) {
			return false
		}
		have = append(have, x.Part)
	}
	slices.Sort(have)
	return slices.Equal(want, have)
}

// askParts makes a request of a line for each of the parts of what it asks for.
func (s *step) askParts(line int, l hold.HoldLineInput, parts []commerce.Component) (list []request,
	refusal base.Code) {
	for _, p := range parts {
		q, refusal := s.resolve(p.Item, l.Location)
		if refusal != "" {
			return nil, refusal
		}
		q.leaves = l.Return != (ID{}) && l.Return != l.Location && l.Purchase != base.PurchaseSale &&
			l.Window.End != Forever
		q.line, q.body, q.asked, q.quantity, q.sku, q.kit = line, l.Window, l.Quantity, l.Quantity*p.Quantity, p.SKU,
			l.CatalogItem != (ID{})
		for _, pool := range q.pools {
			q.hulls = append(q.hulls, pool.hull(l.Window, s.now))
		}
		list = append(list, q)
	}
	return list, ""
}

// kits judges how many kits the engine says there are at a location: as many can be had, and where that is certain, one
// more cannot. Plain: of a window without buffers. Least: there may be more.
func (a *Account) kits(k *Kit, location ID, body Span, n int, now int64, plain, least bool) error {
	may := func(n int) chance {
		s := &step{now: now, a: a}
		requests, refusal := s.ask(0,
			hold.HoldLineInput{Item: base.Item{CatalogItem: k.ID}, Location: location, Window: body, Quantity: n})
		if refusal != "" {
			return impossible
		}
		for i := range requests {
			for j := range requests[i].hulls {
				if plain {
					requests[i].hulls[j] = body
				}
			}
		}
		c, _, _ := s.judge(requests)
		return c
	}
	switch {
	case n > 0 && may(n) == impossible:
		return wrong("%d kits of %+v at %x over %+v are not there", n, k, location, body)
	case !least && may(n+1) == certain:
		return wrong("there are more than %d kits of %+v at %x over %+v", n, k, location, body)
	}
	return nil
}

// shortKits judges the number that the refusal of a line of kits gives: as a query would be answered, but less than was
// asked.
func (s *step) shortKits(l hold.HoldLineInput, err error) error {
	d, _ := as[base.ShortageDetails](err)
	if fault := s.a.kits(s.a.kit(l.CatalogItem), l.Location, l.Window, d.Lines[0].Available, s.now, false,
		false); fault != nil {
		return fault
	}
	return errRefused
}

// availableKits judges the answer to a query about a catalog item: location by location by the rules of holds, and but
// for what parts that meet in a pool can have together against what the engine says of the parts, which is judged
// elsewhere.
func (a *Account) availableKits(v base.View, q hold.Query, now int64) error {
	k := a.kit(q.CatalogItem)
	have, err := hold.Available(v, q, now)
	if len(k.Parts) == 0 {
		return refused(err, base.CodeStateNotAllowed)
	}
	if err != nil {
		return wrong("available %+v: %v", q, err)
	}
	a.Seen.Kits++
	if q.Location == (ID{}) {
		sum := stock.Availability{Exact: true}
		for _, l := range a.standing() {
			at := q
			at.Location = l.ID
			x, err := hold.Available(v, at, now)
			if err != nil {
				return err
			}
			sum.Available, sum.Stock, sum.Committed = sum.Available+x.Available, sum.Stock+x.Stock,
				sum.Committed+x.Committed
			sum.Exact = sum.Exact && x.Exact
		}
		if have != sum {
			return wrong("available %+v is %+v, location by location %+v", q, have, sum)
		}
		return nil
	}
	if err := a.kits(k, q.Location, q.Window, have.Available, now, false, false); err != nil {
		return err
	}
	meet := a.meet(k, q.Location)
	if meet {
		a.Seen.Met++
	}
	var want stock.Availability
	for i, p := range k.parts() {
		pools, named := a.partPools(k, p, q.Location)
		if meet && len(pools) != 1 {
			return nil // how many they have in all does not show which part there is least of
		}
		each := p.Quantity
		for _, n := range named {
			each += n
		}
		x, err := hold.Available(v, hold.Query{Item: p.Item, Location: q.Location, Window: q.Window, Moves: true}, now)
		if err != nil {
			return err
		}
		if !k.Takes {
			x.WithMoves = 0
		}
		n := x.WithMoves / each
		if i == 0 || n < want.Available {
			want = stock.Availability{Available: n, Stock: x.Stock / each, Exact: x.Exact}
			want.Committed = want.Stock - floor(x.Stock-x.Committed, each)
		} else if n == want.Available {
			want.Exact = want.Exact || x.Exact
		}
	}
	if meet { // how many can be seated together is judged above
		want.Available, want.Exact = have.Available, have.Exact
	}
	if have != want {
		return wrong("available %+v at %d is %+v, by its parts %+v", q, now, have, want)
	}
	return nil
}

// meet says that two parts of a kit take from one pool.
func (a *Account) meet(k *Kit, location ID) bool {
	for _, p := range k.parts() {
		for _, o := range k.parts() {
			if p.Article != o.Article && p.Article != (ID{}) && o.Article != (ID{}) {
				if x, y := a.lotAt(p.Article, location), a.lotAt(o.Article, location); x != 0 && y != 0 &&
					a.poolOf(x).has(y) {
					return true
				}
			}
			if p.SKU == (ID{}) || o.Article == (ID{}) {
				continue
			}
			for _, pool := range a.skuPools(p.SKU, location) {
				if pool.has(a.lotAt(o.Article, location)) {
					return true
				}
			}
		}
	}
	return false
}

func floor(a, b int) int {
	n := a / b
	if a < 0 && a%b != 0 {
		n--
	}
	return n
}

// kitBuckets counts kits in buckets, at each location by itself, and adds that up: at every instant of the part that
// there is least of.
func (a *Account) kitBuckets(k *Kit, location ID, edges []int64) (list []stock.Bucket) {
	all := a.pools(base.Item{CatalogItem: k.ID}, location)
	for i := range len(edges) - 1 {
		b := stock.Bucket{Range: Span{Start: edges[i], End: edges[i+1]}}
		for _, l := range a.standing() {
			if location != (ID{}) && l.ID != location {
				continue
			}
			least, most := 0, 0
			for j, t := range a.instants(all, b.Range) {
				n := a.kitsNow(k, l.ID,
					func(p Pool) int { stock, committed := a.at(p, t); return stock - committed })
				if j == 0 || n < least {
					least = n
				}
				if j == 0 || n > most {
					most = n
				}
			}
			b.MinFree, b.MaxFree = b.MinFree+least, b.MaxFree+most
			b.Available += a.kitsOver(k, l.ID, func(p Pool) int {
				if p.Closed || !k.Takes {
					return 0
				}
				free, _, _, _ := a.least(p, b.Range)
				if a.roams(p) { // others may leave more, and those that wait less
					for free = 0; a.countsNamed(p.Lots[0], b.Range, free+1); {
						free++
					}
				}
				return max(0, free)
			})
		}
		list = append(list, b)
	}
	return list
}

// partPools are the pools of a part at a location, and how many units of each pool the other parts of its kit take that
// name an article there.
func (a *Account) partPools(k *Kit, p commerce.Component, location ID) (pools []Pool, named []int) {
	for _, pool := range a.pools(p.Item, location) {
		n := 0
		for _, o := range k.parts() {
			if p.SKU != (ID{}) && o.Article != (ID{}) && pool.has(a.lotAt(o.Article, location)) {
				n += o.Quantity
			}
		}
		pools, named = append(pools, pool), append(named, n)
	}
	return pools, named
}

// kitsNow is how many kits the free units of an instant make; negative where stock is overbooked.
func (a *Account) kitsNow(k *Kit, location ID, free func(Pool) int) (n int) {
	for i, p := range k.parts() {
		units, each := 0, p.Quantity
		pools, named := a.partPools(k, p, location)
		for j, pool := range pools {
			units, each = units+free(pool), each+named[j]
		}
		if x := floor(units, each); i == 0 || x < n {
			n = x
		}
	}
	return n
}

// kitsOver is the largest number of kits for which every part has units, when each pool has so many.
func (a *Account) kitsOver(k *Kit, location ID, free func(Pool) int) (n int) {
	for ; ; n++ {
		for _, p := range k.parts() {
			left := 0
			pools, named := a.partPools(k, p, location)
			for j, pool := range pools {
				left += max(0, free(pool)-(n+1)*named[j])
			}
			if left < (n+1)*p.Quantity {
				return n
			}
		}
	}
}
