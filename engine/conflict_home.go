package engine

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"holdfast/timeline"
)

// This file owns where an auto-assigned conflict belongs: to its SKU, at its location. It lies on a lot of the pool in which it is counted and tried: of the
// SKU's pools there the one whose effective buffers are those stamped on its hull, else the one with the smallest article id. With no article left it waits
// where nothing counts it: on a lot that is in no pool as its article takes no holds, else on one that is of no article.

// ownerSKU is the SKU that a conflict belongs to, zero where it is pinned to an article, or was made for none and its article had none. It is the one that it was
// made for (made.go), else that of the article that the unit was on when it lost its place, and kept from then on.
func (t *tx) ownerSKU(c timeline.Placed) (sku ID) {
	if c.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot) {
		return ID{}
	}
	at := c.Place
	if _, was, ok := t.acc.stock.Find(c.ID); ok {
		at = was
	}
	if sku := t.acc.madeFor(c.Hold, t.acc.articles().No(t.acc.stock.Lot(at.Lot).Article)); sku != (ID{}) {
		return sku
	}
	if u := unseatedKind.in(t.acc).Get(c.ID); u != nil && u.SKU != nil {
		return *u.SKU
	}
	return t.acc.conflictSKU(c.Hold, t.acc.stock.Lot(at.Lot))
}

// home is a lot that conflicts of a SKU may belong to.
type home struct {
	article       uint32
	lot           timeline.LotNo
	before, after Buffer
}

// articleOf is the article of a lot, which the command itself may have made, nil for none.
func (t *tx) articleOf(lot timeline.Lot) *Article {
	if r := t.acc.articles().No(lot.Article); r != nil {
		return r
	}
	if r := t.seating().article; r != nil && r.No == lot.Article {
		return r
	}
	return nil
}

// latest is an article as the command leaves it.
func (t *tx) latest(r *Article) *Article {
	if t.seating().article != nil && r != nil && r.No == t.seating().article.No {
		return t.seating().article
	}
	return r
}

// homes lists the lots of a SKU at a location whose articles take holds, as the command leaves them, by article.
func (t *tx) homes(sku ID, location uint32) (list []home) {
	add := func(r *Article) {
		if r.SKU == nil || *r.SKU != sku || !r.Takes() {
			return
		}
		no, ok := t.seating().lots[lotOf{r.No, location}]
		if l := r.lotAt(location); l != nil {
			no, ok = l.no, true
		}
		if !ok {
			return
		}
		x := home{article: r.No, lot: no}
		if x.before, x.after = t.acc.buffers(r); t.seating().sku != nil && t.seating().sku.ID == sku {
			x.before, x.after = r.inEffect(t.seating().sku)
		}
		x.before, x.after = x.before.Value(), x.after.Value()
		list = append(list, x)
	}
	for r := range t.acc.articles().By(articleBySKU, string(sku[:])) {
		if t.latest(r) == r {
			add(r)
		}
	}
	if t.seating().article != nil {
		add(t.seating().article)
	}
	slices.SortFunc(list, func(x, y home) int { return cmp.Compare(x.article, y.article) })
	return list
}

// likeness says how far a hull may be one that these buffers made of its body: 0, just so; 1, if the buffer before it was cut to the command's instant; 2, not.
func likeness(h timeline.Hold, before, after Buffer, l *Location, now int64) int {
	full := timeline.Hull(h.Body(), before, after, l.Zone(), minInstant)
	switch {
	case full.End != h.Span.End || full.Start > h.Span.Start:
		return 2
	case full.Start == h.Span.Start:
		return 0
	case min(h.Body().Start, CreatedAt(h.ID)) <= h.Span.Start && h.Span.Start <= min(h.Body().Start, now):
		return 1
	}
	return 2
}

// homeOf is the lot that a conflict of a SKU belongs to.
func (t *tx) homeOf(c timeline.Placed, homes []home, location uint32) timeline.LotNo {
	if len(homes) == 0 {
		r := t.latest(t.articleOf(t.draft().Stock().Lot(c.Place.Lot)))
		if r == nil || !r.Takes() {
			return c.Place.Lot
		}
		return t.limbo(location)
	}
	l := t.acc.locations().No(location)
	best, least := homes[0], 2
	for _, x := range homes {
		n := 2
		if l != nil {
			n = likeness(c.Hold, x.before, x.after, l, t.now)
		}
		if x.lot == c.Place.Lot && n < 2 {
			return x.lot
		}
		if n < least {
			best, least = x, n
		}
	}
	for _, x := range homes {
		if x.lot == c.Place.Lot && x.before == best.before && x.after == best.after {
			return x.lot
		}
	}
	return best.lot
}

// limbo is the lot of no article at a location: what lies there waits.
func (t *tx) limbo(location uint32) timeline.LotNo {
	of := lotOf{0, location}
	if no, ok := t.seating().lots[of]; ok {
		return no
	}
	for no := timeline.LotNo(1); uint32(no) <= t.acc.ledger.Lot; no++ {
		if l := t.acc.stock.Lot(no); l.No != 0 && l.Article == 0 && l.Location == location {
			return no
		}
	}
	no := t.newLot(0, location)
	if t.seating().lots == nil {
		t.seating().lots = map[lotOf]timeline.LotNo{}
	}
	t.seating().lots[of] = no
	t.draft().AddLot(no, 0, location, 0)
	return no
}

// house brings the conflicts of some SKUs to the lots where they belong as the command leaves its articles, and notes them as to be tried there.
func (t *tx) house(skus ...*ID) {
	if t.draft().ConflictLen() == 0 {
		return
	}
	var list []timeline.Placed
	for c := range t.draft().Stock().EachConflict() {
		sku := t.ownerSKU(c)
		if sku != (ID{}) && slices.ContainsFunc(skus, func(id *ID) bool { return id != nil && *id == sku }) {
			list = append(list, c)
		}
	}
	t.houseAll(list)
}

func (t *tx) houseAll(list []timeline.Placed) {
	type at struct {
		sku      ID
		location uint32
	}
	known := map[at][]home{}
	for _, c := range list {
		of := at{t.ownerSKU(c), t.draft().Stock().Lot(c.Place.Lot).Location}
		if of.sku == (ID{}) {
			continue
		}
		homes, ok := known[of]
		if !ok {
			homes = t.homes(of.sku, of.location)
			known[of] = homes
		}
		if to := t.homeOf(c, homes, of.location); to != c.Place.Lot {
			t.draft().Take(c.ID)
			t.draft().Keep(c.Hold, to)
			t.seating().room = append(t.seating().room, timeline.Freed{Lot: to, Span: c.Span})
		}
	}
}

// rehouse is house where pools are made anew of what a command changes: they are there behind it, and so are the conflicts tried. Who waits in a pool that one
// of these articles comes into may want any of its units.
func (t *tx) rehouse(sku *ID, come iter.Seq[*Article]) {
	if t.acc.stock.ConflictLen() == 0 {
		return
	}
	t.house(sku)
	for r := range come {
		t.lotsFreed(r)
	}
	if len(t.seating().room) > 0 {
		t.waiting, t.seating().room = &timeline.Waiting{Room: t.seating().room}, nil
	}
}

// lotsFreed notes that all units of an article may be had.
func (t *tx) lotsFreed(r *Article) {
	for _, l := range r.lots {
		t.freedOf(r, l.no, Span{Start: math.MinInt64, End: Forever})
	}
}

// houseNew brings what the command has made conflicts, or changed as such, to where it belongs. What moves there is tried behind the command.
func (t *tx) houseNew() {
	if t.seating().stock == nil || t.seating().stock.ConflictLen() == 0 {
		return
	}
	t.seating().room = nil
	if t.houseAll(t.seating().stock.Conflicts()); len(t.seating().room) > 0 {
		var due []ID
		if t.waiting != nil {
			t.seating().room, due = append(t.waiting.Room, t.seating().room...), t.waiting.Due
		}
		t.waiting = &timeline.Waiting{Room: t.seating().room, Due: due}
	}
}
