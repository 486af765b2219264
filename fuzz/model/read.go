package model

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the reads: the answers of the engine are compared with what the lists say.

// Available judges the answer to a query.
func (a *Account) Available(v base.View, q hold.Query, now int64) error {
	if q.CatalogItem != (ID{}) {
		return a.availableKits(v, q, now)
	}
	have, err := hold.Available(v, q, now)
	if err != nil {
		return wrong("available %+v: %v", q, err)
	}
	want, easy := stock.Availability{Exact: true}, true
	most, known := 0, true
	for _, p := range a.pools(q.Item, q.Location) {
		hull := p.hull(q.Window, now)
		free, stock, committed, _ := a.least(p, hull)
		want.Stock, want.Committed = want.Stock+stock, want.Committed+committed
		if p.Closed || free <= 0 {
			continue
		}
		want.Available += free
		if a.room(p, hull, free, now) == certain {
			most += free
			continue
		}
		easy = false
		a.Seen.Hard++
		n, ok := a.most(p, hull, free, now)
		most, known = most+n, known && ok
	}
	count := want.Available
	if !easy {
		if known {
			a.Seen.Searched++
		}
		if known && most < count {
			a.Seen.Fewer++
		}
		if !have.Exact {
			a.Seen.Inexact++
		}
		want.Available, want.Exact = have.Available, have.Exact
	}
	switch {
	case have != want, have.Available > count:
		return wrong("available %+v at %d is %+v, the twin says %+v", q, now, have, want)
	case known && have.Available > most:
		return wrong("available %+v at %d is %d, but only %d can be seated", q, now, have.Available, most)
	case known && have.Exact && have.Available < most:
		return wrong("available %+v at %d is exactly %d, but %d can be seated", q, now, have.Available, most)
	}
	return a.withMoves(v, q, have, now)
}

// most is how many units, up to a count, can be seated over a hull, by exhaustive search.
func (a *Account) most(p Pool, hull Span, count int, now int64) (n int, known bool) {
	for n = count; n > 0; n-- {
		if ok, known := a.fits(p, hull, n, nil, now); !known || ok {
			return n, known
		}
	}
	return 0, true
}

// holdable says whether a unit can be held over a hull: by the count where that decides, else by exhaustive search.
func (a *Account) holdable(p Pool, hull Span, now int64) (ok, known bool) {
	if c := a.room(p, hull, 1, now); c != open {
		return c == certain, true
	}
	return a.fits(p, hull, 1, nil, now)
}

// Covers says that a booking of one window takes all that a booking of the other would, in every pool of an item.
func (a *Account) Covers(i base.Item, location ID, long, short Span, now int64) bool {
	return !slices.ContainsFunc(a.pools(i, location),
		func(p Pool) bool { return !p.hull(long, now).Covers(p.hull(short, now)) })
}

// Calendar judges a calendar: free units instant by instant, and what can be held for each bucket as a plain window.
func (a *Account) Calendar(v base.View, q hold.Query, size stock.BucketSize, now int64) error {
	have, err := hold.Calendar(v, q, size, now, nil)
	if err != nil {
		return wrong("calendar %+v: %v", q, err)
	}
	pools := a.pools(q.Item, q.Location)
	z := a.Zone
	if l := a.location(q.Location); l != nil {
		z = l.Zone
	}
	edges := a.cuts(pools, q.Window)
	switch size {
	case stock.BucketDay:
		edges = dayEdges(z, q.Window)
	case stock.BucketHour:
		edges = hourEdges(z, q.Window)
	}
	var want []stock.Bucket
	k := a.kit(q.CatalogItem)
	if k != nil {
		want = a.kitBuckets(k, q.Location, edges)
	} else {
		want = a.buckets(pools, edges)
	}
	if len(have) != len(want) {
		return wrong("calendar %+v by %s is\n%+v, the twin says\n%+v", q, size, have, want)
	}
	for i, x := range have {
		w := want[i]
		fault := a.heldOver(pools, x, now)
		if k != nil {
			fault = a.kitsHeldOver(k, q.Location, x, i, now)
		}
		if x.Range != w.Range || x.MinFree != w.MinFree || x.MaxFree != w.MaxFree || x.Available > w.Available ||
			fault != nil {
			return wrong("calendar %+v by %s at %d has %+v, the twin counts %+v: %v", q, size, now, x, w, fault)
		}
	}
	return nil
}

// Counts judges the counts of a SKU over a window, by the units that are free and there in each bucket.
func (a *Account) Counts(sku, location ID, edges []int64, free, units []int) error {
	pools := a.pools(base.Item{SKU: sku}, location)
	for i, x := range a.buckets(pools, edges) {
		there := 0
		for _, p := range pools {
			n, _ := a.all(p, edges[i])
			there += n
		}
		if free[i] != x.MinFree || units[i] != there {
			return wrong("SKU %x has %d free of %d over %v, the twin says %d of %d", sku, free[i], units[i], x.Range,
				x.MinFree, there)
		}
	}
	return nil
}

// heldOver judges how many units of some pools can be held for a bucket.
func (a *Account) heldOver(pools []Pool, b stock.Bucket, now int64) error {
	most, easy, known := 0, true, true
	for _, p := range pools {
		free, _, _, _ := a.least(p, b.Range)
		if p.Closed || free <= 0 {
			continue
		}
		if a.room(p, b.Range, free, now) == certain {
			most += free
			continue
		}
		n, ok := a.most(p, b.Range, free, now)
		most, easy, known = most+n, false, known && ok
		if ok && n < free {
			a.Seen.FewerDays++
		}
	}
	switch {
	case known && b.Available > most:
		return wrong("only %d can be seated", most)
	case (easy || b.Exact && known) && b.Available < most:
		return wrong("%d can be seated", most)
	case easy && !b.Exact:
		return wrong("it is exact")
	}
	return nil
}

// kitTries is how often one calendar tries what can be held of kits. A bucket takes a try for each part, and one for
// all of them.
const kitTries = 200

// kitsHeldOver judges how many kits can be held for the n-th bucket, at one location. Where the tries may be used up
// and it is not exact, it may be less than there are.
func (a *Account) kitsHeldOver(k *Kit, location ID, b stock.Bucket, n int, now int64) error {
	if location == (ID{}) || !k.Takes {
		return nil
	}
	return a.kits(k, location, b.Range, b.Available, now, true, !b.Exact && n >= kitTries/(len(k.Parts)+1))
}

// cuts is a window cut wherever the free units of one of the pools change.
func (a *Account) cuts(pools []Pool, w Span) []int64 {
	edges := []int64{w.Start}
	for _, t := range a.instants(pools, w)[1:] {
		changes := func(p Pool) bool {
			stock, committed := a.at(p, t)
			before, taken := a.at(p, t-1)
			return stock-committed != before-taken
		}
		if slices.ContainsFunc(pools, changes) {
			edges = append(edges, t)
		}
	}
	return append(edges, w.End)
}

// buckets counts, at each location by itself, and adds that up; Available is the most that there can be.
func (a *Account) buckets(pools []Pool, edges []int64) (list []stock.Bucket) {
	for i := range len(edges) - 1 {
		b := stock.Bucket{Range: Span{Start: edges[i], End: edges[i+1]}}
		for _, l := range a.standing() {
			least, most := 0, 0
			for j, t := range a.instants(pools, b.Range) {
				free := 0
				for _, p := range pools {
					if p.Location.ID == l.ID {
						stock, committed := a.at(p, t)
						free += stock - committed
					}
				}
				if j == 0 || free < least {
					least = free
				}
				if j == 0 || free > most {
					most = free
				}
			}
			b.MinFree, b.MaxFree = b.MinFree+least, b.MaxFree+most
		}
		for _, p := range pools {
			if free, _, _, _ := a.least(p, b.Range); !p.Closed {
				b.Available += max(0, free)
			}
		}
		list = append(list, b)
	}
	return list
}

// Next judges the earliest window of a length. Whether it is the earliest is asked of the engine's own availability,
// which is judged elsewhere, at every instant at which something ends or begins, as far as buffers carry it, and the
// given ones.
func (a *Account) Next(v base.View, q hold.NextQuery, now int64, others []int64) error {
	w, ok, err := hold.Next(v, q, now)
	if err != nil {
		return wrong("next %+v: %v", q, err)
	}
	enough := func(from int64) bool {
		x, err := hold.Available(v, hold.Query{Item: q.Item, Location: q.Location,
			Window: Span{Start: from, End: from + q.Length}, Moves: true}, now)
		return err == nil && x.WithMoves >= q.Quantity
	}
	end := q.Until
	if ok {
		end = w.Start
		if w.Start < q.NotBefore || w.Start >= q.Until || w.End-w.Start != q.Length || !enough(w.Start) {
			return wrong("next %+v at %d is %+v, where it cannot be had", q, now, w)
		}
	}
	try := append(slices.Clone(others), q.NotBefore, end-1)
	for _, p := range a.pools(q.Item, q.Location) {
		wide := p
		if a.roams(p) {
			wide = a.poolOf(p.Lots[0])
		}
		for _, t := range a.instants([]Pool{wide}, Span{Start: 0, End: Forever}) {
			try = append(try, t, addSteps(p.Location.Zone, t, p.Before.Amount, p.Before.Unit))
		}
	}
	for _, t := range try {
		if q.NotBefore <= t && t < end && enough(t) {
			return wrong("next %+v at %d is %+v (%v), but it can be had at %d", q, now, w, ok, t)
		}
	}
	return nil
}

// Explain judges an explanation against the answer to the same query.
func (a *Account) Explain(v base.View, q hold.Query, quantity int, now int64) error {
	x, err := hold.Explain(v, q, quantity, now)
	if err != nil {
		return wrong("explain %+v: %v", q, err)
	}
	q.Moves = true
	have, _ := hold.Available(v, q, now)
	pools := a.pools(q.Item, q.Location)
	if x.Available != have.WithMoves || x.Stock != have.Stock {
		return wrong("explain %+v says %+v, available says %+v", q, x, have)
	}
	for _, b := range x.Blockers {
		u := a.unit(b.ID)
		if u == nil || !slices.ContainsFunc(pools,
			func(p Pool) bool { return p.has(u.Lot) && u.Takes().Overlaps(p.hull(q.Window, now)) }) {
			return wrong("explain %+v names %+v", q, b)
		}
	}
	k := a.kit(q.CatalogItem)
	if len(pools) > 0 && (k == nil || len(k.parts()) == 1) {
		if err := a.worst(q, x, pools, now); err != nil {
			return err
		}
	}
	if k == nil && len(pools) == 0 {
		// None is free at any instant: the first is the one from which on a booking would take a unit.
		if first := a.firstTaken(q, now); x.At != first {
			return wrong("explain %+v, of which there are no units, says %+v, a booking begins at %d", q, x, first)
		}
		a.Seen.Unstocked++
	}
	if len(x.Alternatives) > 0 && x.Available >= quantity {
		return wrong("explain %+v offers ways out of nothing", q)
	}
	for _, y := range x.Alternatives {
		p := hold.Query{Item: q.Item, Location: y.Location, Window: y.Window, Moves: true}
		if y.Article != (ID{}) {
			p.Item = base.Item{Article: y.Article}
		}
		if have, err := hold.Available(v, p, now); err != nil || have.WithMoves < quantity || p == q {
			return wrong("explain %+v offers %+v, where %d can be had (%v)", q, y, have.WithMoves, err)
		}
	}
	return nil
}

// worst judges the instant of an explanation, that of the pool with the fewest free and of those the earliest, and the
// units named, which are over the instant with the fewest free of their own pool.
func (a *Account) worst(q hold.Query, x *hold.Explanation, pools []Pool, now int64) error {
	fewest, first, blocking := 0, int64(0), 0
	over := map[ID]bool{}
	for i, p := range pools {
		free, _, _, at := a.least(p, p.hull(q.Window, now))
		if i == 0 || free < fewest || free == fewest && at < first {
			fewest, first = free, at
		}
		for _, u := range a.unitsOf(p) {
			if u.Takes().Holds(at) {
				over[u.ID] = true
				blocking++
			}
		}
	}
	if len(pools) > 1 {
		a.Seen.Worst++
	}
	if x.At != first || x.Blocking != blocking || len(x.Blockers) != min(20, blocking) {
		return wrong("explain %+v says %+v, the least is %d at %d, with %d in the way", q, x, fewest, first, blocking)
	}
	for _, b := range x.Blockers {
		if !over[b.ID] {
			return wrong("explain %+v names %+v, which is not over the least of its pool", q, b)
		}
	}
	return nil
}

// firstTaken is the first instant from which on a booking of an article or a SKU takes a unit, the earliest of its
// locations.
func (a *Account) firstTaken(q hold.Query, now int64) int64 {
	first, before := q.Window.Start, stock.Buffer{}
	if r := a.article(q.Article); r != nil {
		before, _ = a.buffers(r)
	} else if b := a.sku(q.SKU).Before; b != nil {
		before = *b
	}
	for _, l := range a.Locations {
		if !l.Gone && (q.Location == (ID{}) || q.Location == l.ID) {
			first = min(first, Hull(q.Window, before, stock.Buffer{}, l.Zone, now).Start)
		}
	}
	return first
}

// render is a unit as the engine shows it.
func (a *Account) render(u Unit) stock.Unavailability {
	l := a.lot(u.Lot)
	x := stock.Unavailability{
		ID: u.ID, Range: u.Hull, Body: u.Body(), Kind: u.Kind, Blocker: u.Flags.Blocker(), Owner: a.Owner(u),
		Line:    int(u.Line),
		Article: a.of(l).ID, Location: a.Locations[l.Location].ID,
	}
	if u.Slot != 0 {
		x.Slot = a.slot(u.Slot).ID
	}
	x.Unmet = a.unmet(u, a.At)
	if o := a.orderUnit(u.ID); o != nil {
		x.Item = o.ID
	}
	return x
}

// Records judges everything that is read by name: units, hold records, events, conflicts.
func (a *Account) Records(v base.View, now int64) error {
	if err := a.hookRecords(v); err != nil {
		return err
	}
	for _, u := range a.Units {
		if x, ok := stock.UnavailabilityByID(v, u.ID); !ok || x != a.render(u) {
			return wrong("unavailability %+v (%v), the twin says %+v", x, ok, a.render(u))
		}
	}
	page, total := hold.ListHolds(v, &hold.HoldQuery{Part: base.Part{Limit: len(a.Holds) + 1}, Units: base.MaxListed})
	if total != len(a.Holds) || len(page) != total {
		return wrong("%d of %d holds, the twin has %d", len(page), total, len(a.Holds))
	}
	for i, h := range page {
		if err := a.record(h, a.Holds[i]); err != nil {
			return err
		}
	}
	if err := a.orderRecords(v); err != nil {
		return err
	}
	if err := a.incomes(v); err != nil {
		return err
	}
	if err := a.revisions(v); err != nil {
		return err
	}
	if err := a.attributeRecords(v); err != nil {
		return err
	}
	if err := a.pricingRecords(v); err != nil {
		return err
	}
	if err := a.present(v, now); err != nil {
		return err
	}
	for _, r := range a.Articles {
		n := 0
		for _, e := range a.Events {
			if e.Article != r.ID {
				continue
			}
			n++
			if x := stock.ScheduledEventByID(v, e.ID); x == nil || x.Article != r.ID || x.Window != e.Window ||
				x.Location != e.Location {
				return wrong("event %+v, the twin says %+v", x, e)
			}
		}
		if list := stock.ScheduledEvents(v, nil, r.ID, ID{}, Span{Start: 0, End: Forever}); len(list) != n {
			return wrong("article %x has %d events, the twin has %d", r.ID, len(list), n)
		}
	}
	return nil
}

func (a *Account) record(h *hold.Hold, want *Hold) error {
	bad := h.ID != want.ID || h.Status != want.Status || h.Customer != want.Customer || h.Note != want.Note ||
		len(h.Lines) != len(want.Lines) || (h.ExpiresAt != nil) != (want.Status == hold.Held)
	bad = bad || h.ExpiresAt != nil && *h.ExpiresAt != want.Due
	for i := range min(len(h.Lines), len(want.Lines)) {
		x, w := h.Lines[i], want.Lines[i]
		bad = bad || x.Item != w.Item || x.Location != w.Location || x.Window != w.Window || x.Quantity != w.Quantity ||
			x.Purchase != w.Purchase
		units := len(w.Made)
		if want.Status.Ended() {
			units = 0
		}
		bad = bad || len(x.Units) != units
		for k, u := range x.Units {
			bad = bad || u.ID != w.unit(k) || u.Owner != h.ID || u.Ordered != w.madeAs(k)
		}
	}
	if bad {
		return wrong("hold %+v, the twin says %+v", h, want)
	}
	return nil
}

// madeAs is what a unit of a line was asked for as: what the line names, or the component of its kits.
func (l *Line) madeAs(k int) base.Item {
	if l.CatalogItem == (ID{}) {
		return l.Item
	}
	for _, p := range l.Booked {
		if k -= l.Quantity * p.Quantity; k < 0 {
			return p.Item
		}
	}
	return base.Item{}
}

// Conflicts judges the list of conflicts under a filter.
func (a *Account) Conflicts(v base.View, f stock.ConflictFilter, now int64) error {
	var want []stock.Unavailability
	for _, u := range a.Units {
		l := a.lot(u.Lot)
		r, at := a.of(l), a.Locations[l.Location]
		if u.Slot == 0 && (f.Article == (ID{}) || f.Article == r.ID) && (f.Location == (ID{}) || f.Location == at.ID) &&
			(f.SKU == (ID{}) || a.ofSKU(u, f.SKU)) && (f.Window == nil || meets(*f.Window, u.Hull)) {
			want = append(want, a.render(u))
		}
	}
	page, total := stock.Conflicts(v, f, 0, len(want)+1, now)
	if total != len(want) || len(page) != total {
		return wrong("%d of %d conflicts under %+v, the twin has %d", len(page), total, f, len(want))
	}
	for i, c := range page {
		why := timeline.FragmentedByPinnedHolds
		u := *a.unit(c.ID)
		if need := rest(u, now); need.Start < need.End && a.full(a.home(u), need) {
			why = timeline.NotEnoughStock
		}
		if c.Unavailability != want[i] || c.Reason != why.String() || c.Since != a.Lost[c.ID] {
			return wrong("conflict %+v, the twin says %+v, %s", c, want[i], why)
		}
	}
	return nil
}

// meets says that a window, which may be an instant, overlaps a range.
func meets(w, s Span) bool {
	if w.Start == w.End {
		return s.Holds(w.Start)
	}
	return s.Overlaps(w)
}

// ArticleStock judges the stock of an article in a window, at one location or all.
func (a *Account) ArticleStock(v base.View, article, location ID, w Span, now int64) error {
	var have stock.ArticleStock
	if err := stock.FillArticleStock(v, &have, article, location, w, now); err != nil {
		return wrong("stock of %x: %v", article, err)
	}
	want := stock.ArticleStock{Window: w}
	all := Pool{}
	for _, l := range a.Lots {
		if at := a.Locations[l.Location].ID; a.of(l).ID == article && (location == (ID{}) || at == location) {
			all.Lots = append(all.Lots, l.No)
			var said *stock.LocationCount
			if i := len(want.Availability); i < len(have.Availability) {
				said = &have.Availability[i]
			}
			a.lotStock(&want, l, said, now)
		}
	}
	slices.SortFunc(want.Units, func(x, y stock.Unavailability) int { return x.ID.Compare(y.ID) })
	a.series(&want, all)
	for _, x := range [...]struct {
		what  string
		equal bool
	}{
		{"units", slices.Equal(have.Units, want.Units)},
		{"locations", slices.Equal(have.Locations, want.Locations)},
		{"quantity", slices.EqualFunc(have.Quantity, want.Quantity, sameCount)},
		{"availability", slices.EqualFunc(have.Availability, want.Availability, sameCount)},
		{"balance", slices.Equal(have.Balance, want.Balance)},
		{"committed", slices.Equal(have.Committed, want.Committed)},
		{"to sell", slices.Equal(have.ToSell, want.ToSell)},
		{"utilisation", slices.Equal(have.Utilisation, want.Utilisation)},
	} {
		if !x.equal {
			return wrong("stock of %x at %x in %+v: %s is\n%+v, the twin says\n%+v", article, location, w, x.what, have,
				want)
		}
	}
	return nil
}

func sameCount(x, y stock.LocationCount) bool {
	return x.Exact == y.Exact && x.Location == y.Location && x.Count == y.Count && (x.From == nil) == (y.From == nil) &&
		(x.From == nil || *x.From == *y.From)
}

// sales are units of a lot that were sold at an instant of a window, as they are listed with the article: no hold any
// more.
func (a *Account) sales(lot uint32, w Span) (list []stock.Unavailability) {
	for _, o := range a.Orders {
		o.each(func(l *OrderLine, u *OrderUnit) {
			if u.Lot != lot || !w.Holds(u.Handed) {
				return
			}
			gone := Span{Start: u.Handed, End: Forever}
			at := a.lot(lot)
			list = append(list, stock.Unavailability{
				ID: u.Hold, Range: gone, Body: gone, Kind: timeline.Sale, Blocker: timeline.BlockerOrder, Owner: o.ID,
				Item:    u.ID,
				Article: a.of(at).ID, Location: a.Locations[at.Location].ID, Line: int(l.No),
			})
		})
	}
	return list
}

// lotStock adds what one lot brings. said is what the engine has available of it, nil where it says nothing.
func (a *Account) lotStock(x *stock.ArticleStock, l Lot, said *stock.LocationCount, now int64) {
	p, at := a.lotPool(l.No), a.Locations[l.Location].ID
	w := x.Window
	if w.Start == w.End {
		w.End++
	}
	for _, u := range a.unitsOf(p) {
		if u.Takes().Overlaps(w) {
			x.Units = append(x.Units, a.render(u))
		}
	}
	x.Units = append(x.Units, a.sales(l.No, w)...)
	quantity, since := 0, int64(-1)
	first := len(x.Locations)
	for _, s := range a.slotsOf(p) {
		if s.Span.Holds(w.Start) {
			quantity++
		}
		for _, t := range []int64{s.Span.Start, s.Span.End} {
			if t <= w.Start {
				since = max(since, t)
			}
		}
		if s.Span.Overlaps(w) {
			i := slices.IndexFunc(x.Locations[first:], func(y stock.ArticleLocation) bool { return y.Range == s.Span })
			if i < 0 {
				i = len(x.Locations) - first
				x.Locations = append(x.Locations, stock.ArticleLocation{Location: at, Range: s.Span})
			}
			x.Locations[first+i].Count++
		}
	}
	slices.SortFunc(x.Locations[first:], func(p, q stock.ArticleLocation) int {
		return cmp.Or(cmp.Compare(p.Range.Start, q.Range.Start), cmp.Compare(p.Range.End, q.Range.End))
	})
	x.Quantity = append(x.Quantity, stock.LocationCount{Location: at, Count: quantity, From: instantOrNil(since)})

	count, from, exact := 0, int64(-1), true
	if !p.Closed {
		free, _, _, _ := a.least(p, w)
		count = max(0, free)
		if a.room(p, w, count, now) == open {
			most, known := a.most(p, w, count, now)
			// The lot is too large to search: units that are free without a move can certainly be had, and the engine
			// decides about the rest.
			if !known && said != nil && a.freeThroughout(p, w) <= said.Count && said.Count <= count {
				most = said.Count
			}
			count = most
			if said != nil && !said.Exact { // then there may be more than it says
				count, exact = min(most, said.Count), false
			}
		}
		if from = x.Window.Start; count == 0 {
			var known bool
			if from, known = a.freeFrom(p, w, now); !known && said != nil && said.From != nil {
				from = *said.From
			}
			if at, taken := a.at(p, w.Start); from > w.Start && at > taken {
				a.Seen.FreeLater++
				if free > 0 {
					a.Seen.WalledIn++
				}
			}
		}
	}
	x.Availability = append(x.Availability,
		stock.LocationCount{Location: at, Count: count, From: instantOrNil(from), Exact: exact})
}

// freeFrom is the first instant from which a unit can be held longer than from the start of a window; -1 where there is
// none. known is false where the search that says how long one can be held gives up.
func (a *Account) freeFrom(p Pool, w Span, now int64) (from int64, known bool) {
	all := append(a.instants([]Pool{p}, Span{Start: w.Start, End: Forever}), Forever)
	until := w.Start
	for _, t := range all[1:] {
		if ok, known := a.holdable(p, Span{Start: w.Start, End: t}, now); !ok {
			if !known {
				return 0, false
			}
			break
		}
		until = t
	}
	for _, t := range all[1 : len(all)-1] {
		beyond := all[slices.IndexFunc(all, func(x int64) bool { return x > max(t, until) })]
		if ok, known := a.holdable(p, Span{Start: t, End: beyond}, now); ok || !known {
			return t, known
		}
	}
	return -1, true
}

func instantOrNil(t int64) *int64 {
	if t < 0 {
		return nil
	}
	return &t
}
