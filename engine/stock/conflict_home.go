package stock

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns where an auto-assigned conflict belongs: to its SKU, at its location. It lies on a lot of the pool in
// which it is counted and tried: of the SKU's pools there the one whose effective buffers are those stamped on its
// hull, else the one with the smallest article id. An open end has no buffer after it: such a hull may fit several
// pools. It belongs to one that has an article with what it requires, if there is any, and of these to one that is not
// full. If several pools are equal in this, it stays in the one where it lies. If no article is left, it waits where
// nothing counts it: on a lot that is in no pool as its article takes no holds, else on a lot of no article.

// ownerSKU is the SKU that a conflict belongs to, zero where it is pinned to an article, or was made for none and its
// article had none. It is the one that it was made for (MadeFor), else that of the article that the unit was on when it
// lost its place, and kept from then on.
func ownerSKU(t *base.Tx, c timeline.Placed) (sku base.ID) {
	if c.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot) {
		return base.ID{}
	}
	at := c.Place
	if _, was, ok := t.Acc.Stock.Find(c.ID); ok {
		at = was
	}
	lot := t.Acc.Stock.Lot(at.Lot)
	if lot.No == 0 {
		lot = Draft(t).Stock().Lot(at.Lot) // the command makes it
	}
	if sku := MadeFor(t.Acc, c.Hold, ArticleTable(t.Acc).No(lot.Article)); sku != (base.ID{}) {
		return sku
	}
	if u := UnseatedKind.In(t.Acc).Get(c.ID); u != nil && u.SKU != nil {
		return *u.SKU
	}
	return ConflictSKU(t.Acc, c.Hold, lot)
}

// home is a pool that conflicts of a SKU may belong to.
type home struct {
	before, after Buffer
	lots          []timeline.LotNo // by article
}

// articleOf is the article of a lot, which the command itself may have made, nil for none.
func articleOf(t *base.Tx, lot timeline.Lot) *Article {
	if r := ArticleTable(t.Acc).No(lot.Article); r != nil {
		return r
	}
	if r := Seating(t).article; r != nil && r.No == lot.Article {
		return r
	}
	return nil
}

// latest is an article as the command leaves it.
func latest(t *base.Tx, r *Article) *Article {
	if Seating(t).article != nil && r != nil && r.No == Seating(t).article.No {
		return Seating(t).article
	}
	return r
}

// homes lists the pools of a SKU at a location as the command leaves its articles, the one with the smallest article id
// first.
func homes(t *base.Tx, sku base.ID, location uint32) (list []home) {
	type one struct {
		article uint32
		home
	}
	var all []one
	add := func(r *Article) {
		if r.SKU == nil || *r.SKU != sku || !r.Takes() {
			return
		}
		no, ok := Seating(t).lots[lotOf{r.No, location}]
		if l := r.LotAt(location); l != nil {
			no, ok = l.No, true
		}
		if !ok {
			return
		}
		x := one{r.No, home{lots: []timeline.LotNo{no}}}
		if x.before, x.after = EffectiveBuffers(t.Acc, r); Seating(t).sku != nil && Seating(t).sku.ID == sku {
			x.before, x.after = r.inEffect(Seating(t).sku)
		}
		x.before, x.after = x.before.Value(), x.after.Value()
		all = append(all, x)
	}
	for r := range ArticleTable(t.Acc).By(ArticleBySKU, string(sku[:])) {
		if latest(t, r) == r {
			add(r)
		}
	}
	if Seating(t).article != nil {
		add(Seating(t).article)
	}
	slices.SortFunc(all, func(x, y one) int { return cmp.Compare(x.article, y.article) })
	for _, x := range all {
		i := slices.IndexFunc(list, func(h home) bool { return h.before == x.before && h.after == x.after })
		if i < 0 {
			list = append(list, x.home)
		} else {
			list[i].lots = append(list[i].lots, x.lots...)
		}
	}
	return list
}

// likeness says how well a hull fits these buffers: 0 exactly; 1 if only the buffer before it was cut, at the instant
// of a command; 2 not at all.
func likeness(h timeline.Hold, before, after Buffer, l *Location, now int64) int {
	full := timeline.Hull(h.Body(), before, after, l.Zone(), base.MinInstant)
	switch {
	case full.End != h.Span.End || full.Start > h.Span.Start:
		return 2
	case full.Start == h.Span.Start:
		return 0
	case min(h.Body().Start, base.CreatedAt(h.ID)) <= h.Span.Start && h.Span.Start <= min(h.Body().Start, now):
		return 1
	}
	return 2
}

// homeOf is the lot that a conflict of a SKU belongs to.
func homeOf(t *base.Tx, c timeline.Placed, homes []home, location uint32) timeline.LotNo {
	if len(homes) == 0 {
		r := latest(t, articleOf(t, Draft(t).Stock().Lot(c.Place.Lot)))
		if r == nil || !r.Takes() {
			return c.Place.Lot
		}
		return limbo(t, location)
	}
	l := LocationTable(t.Acc).No(location)
	const elsewhere, full, unmet, unlike = 2, 4, 8, 16 // each outweighs those before it, and that a buffer was cut
	best, least := homes[0], unlike
	for _, x := range homes {
		n := 2
		if l != nil {
			n = likeness(c.Hold, x.before, x.after, l, t.Now)
		}
		if n == 2 {
			continue
		}
		if !slices.Contains(x.lots, c.Place.Lot) {
			n += elsewhere
		}
		if c.Span.End == base.Forever && x.full(t, c.Hold) {
			n += full
		}
		if c.Span.End == base.Forever && !x.meets(t, c.Hold) {
			n += unmet
		}
		if n < least {
			best, least = x, n
		}
	}
	if slices.Contains(best.lots, c.Place.Lot) {
		return c.Place.Lot
	}
	return best.lots[0]
}

// full says that at some instant of what a conflict needs every unit of a pool is taken.
func (x *home) full(t *base.Tx, h timeline.Hold) bool {
	s, room := Draft(t).Stock(), base.Span{Start: max(h.Span.Start, t.Now), End: h.Span.End}
	return s.Full(s.Home(&h, x.lots[0]), room)
}

// meets says that an article of a pool has what a conflict requires.
func (x *home) meets(t *base.Tx, h timeline.Hold) bool {
	return !h.Flags.Has(timeline.Choosy) || slices.ContainsFunc(x.lots, func(lot timeline.LotNo) bool {
		return Draft(t).Stock().Meets(h, lot, t.Now)
	})
}

// limbo is the lot of no article at a location: what lies there waits.
func limbo(t *base.Tx, location uint32) timeline.LotNo {
	of := lotOf{0, location}
	if no, ok := Seating(t).lots[of]; ok {
		return no
	}
	for no := timeline.LotNo(1); uint32(no) <= t.Acc.Ledger.Lot; no++ {
		if l := t.Acc.Stock.Lot(no); l.No != 0 && l.Article == 0 && l.Location == location {
			return no
		}
	}
	no := newLot(t, 0, location)
	if Seating(t).lots == nil {
		Seating(t).lots = map[lotOf]timeline.LotNo{}
	}
	Seating(t).lots[of] = no
	Draft(t).AddLot(no, 0, location, 0)
	return no
}

// house brings the conflicts of some SKUs to the lots where they belong as the command leaves its articles, and notes
// them as to be tried there.
func house(t *base.Tx, skus ...*base.ID) {
	if Draft(t).ConflictLen() == 0 {
		return
	}
	var list []timeline.Placed
	for c := range Draft(t).Stock().EachConflict() {
		sku := ownerSKU(t, c)
		if sku != (base.ID{}) && slices.ContainsFunc(skus, func(id *base.ID) bool { return id != nil && *id == sku }) {
			list = append(list, c)
		}
	}
	houseAll(t, list)
}

func houseAll(t *base.Tx, list []timeline.Placed) {
	type at struct {
		sku      base.ID
		location uint32
	}
	known := map[at][]home{}
	for _, c := range list {
		of := at{ownerSKU(t, c), Draft(t).Stock().Lot(c.Place.Lot).Location}
		if of.sku == (base.ID{}) {
			continue
		}
		found, ok := known[of]
		if !ok {
			found = homes(t, of.sku, of.location)
			known[of] = found
		}
		if to := homeOf(t, c, found, of.location); to != c.Place.Lot {
			Draft(t).Take(c.ID)
			Draft(t).Keep(c.Hold, to)
			Seating(t).room = append(Seating(t).room, timeline.Freed{Lot: to, Span: c.Span})
		}
	}
}

// rehouse is house if a command changes articles whose pools are then made anew. The new pools exist only after the
// command, so the conflicts are tried after it, too. A conflict that waits in a pool that one of these articles comes
// into may want any of its units.
func rehouse(t *base.Tx, sku *base.ID, come iter.Seq[*Article]) {
	if t.Acc.Stock.ConflictLen() == 0 {
		return
	}
	house(t, sku)
	for r := range come {
		lotsFreed(t, r)
	}
	tryBehind(t)
}

// tryBehind leaves it to a follow-up to try the conflicts that wait for what the command has freed so far.
func tryBehind(t *base.Tx) {
	if len(Seating(t).room) == 0 {
		return
	}
	var due []base.ID
	if t.Waiting != nil {
		Seating(t).room, due = append(t.Waiting.Room, Seating(t).room...), t.Waiting.Due
	}
	t.Waiting, Seating(t).room = &timeline.Waiting{Room: Seating(t).room, Due: due}, nil
}

// lotsFreed notes that all units of an article may be had.
func lotsFreed(t *base.Tx, r *Article) {
	for _, l := range r.Lots {
		FreedOf(t, l.No, base.Span{Start: math.MinInt64, End: base.Forever})
	}
}

// bringHome brings what the command has made conflicts so far, or changed as such, to where it belongs. SeatFreed tries
// what moves there.
func bringHome(t *base.Tx) {
	if Seating(t).Stock != nil && Seating(t).Stock.ConflictLen() > 0 {
		houseAll(t, Seating(t).Stock.Conflicts())
	}
}

// HouseNew is bringHome at the end of the command: what moves is tried in a follow-up.
func HouseNew(t *base.Tx) {
	Seating(t).room = nil
	bringHome(t)
	tryBehind(t)
}
