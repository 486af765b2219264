package stock

import (
	"math"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/timeline"
)

// This file owns what becomes of units with requirements, and of conflicts, when the attributes of articles change.

// KeepRequirements moves units that a change of attributes has left on articles that do not have what their line
// requires. It moves them to articles that have it, in the order in which the units were made. A unit that found no
// room is tried again after another moved. Three kinds of units stay where they are, and are fixed there: a unit that
// finds no room; a unit that leaves, as plans at two places were made with its article; and all units that are left
// after as many tries as conflicts get (a search in vain costs as many tries as it does for a conflict). Then conflicts
// are tried, which may now have room on an article that has what they require.
func KeepRequirements(t *base.Tx) {
	if t.Acc.Stock.ChoosyLen() == 0 {
		return
	}
	lots := relabelledLots(t)
	if len(lots) == 0 {
		return
	}
	regroup(t)
	var ids []base.ID
	for _, no := range lots {
		ids = slices.AppendSeq(ids, Draft(t).Stock().Choosy(no))
	}
	slices.SortFunc(ids, base.ID.Compare)
	for left, moved := base.MaxTries, true; moved && left > 0; { // one that moves may leave its unit to one before it
		ids, moved = refit(t, ids, &left)
	}
	houseFits(t, lots)
	fitsFreed(t, lots)
	if t.Waiting != nil { // the pools are made anew, or what was freed before was too much for one command
		tryBehind(t)
		return
	}
	SeatFreed(t)
}

// refit moves those of some units that are on articles without what their lines require to articles that have it, each
// where it can be at its turn. It returns those that found no room, and whether one moved; left is how many tries are
// left.
func refit(t *base.Tx, ids []base.ID, left *int) (stuck []base.ID, moved bool) {
	d := Draft(t)
	for _, id := range ids {
		h, at, ok := d.Find(id)
		lot := d.Stock().Lot(at.Lot)
		if !ok || !at.Seated() || lot.Pool == 0 || h.Span.End <= t.Now || h.Flags.Any(timeline.Pinned) ||
			d.Stock().Meets(h, at.Lot, t.Now) {
			continue
		}
		if *left--; *left < 0 {
			break
		}
		f := d.Fork()
		f.Take(id)
		if _, why := f.Seat(timeline.SKURef(lot.Pool), Begun(h, t.Now), timeline.Exact); why != timeline.Granted {
			if why == timeline.FragmentedByPinnedHolds {
				*left -= searchTries
			}
			stuck = append(stuck, id)
			continue
		}
		d.Adopt(f)
		Freed(t, h.Span, at)
		moved = true
	}
	return stuck, moved
}

// regroup puts the lots of articles into the pools that the command's changes of articles and SKUs make: an article
// takes its holds along to another pool, and they move there.
func regroup(t *base.Tx) {
	for _, c := range t.Set {
		switch c := c.(type) {
		case *base.Change[Article]:
			if c.Before != nil && c.After != nil {
				for _, l := range c.Before.Lots {
					if pool := poolNow(t.Acc, c.After, l.Location); Draft(t).Stock().Lot(l.No).Pool != pool {
						Draft(t).SetPool(l.No, pool)
					}
				}
			}
		case *base.Change[SKU]:
			if c.Before == nil || c.After == nil ||
				same(c.Before.Before, c.After.Before) && same(c.Before.After, c.After.After) {
				continue
			}
			var moves lotMoves
			next, pools := Pools(t.Acc).Last, map[skuPool]timeline.PoolNo{}
			for _, p := range c.Before.pools {
				pools[skuPool{location: p.location, before: p.before, after: p.after}] = p.no
			}
			for r := range ArticleTable(t.Acc).By(ArticleBySKU, string(c.After.ID[:])) {
				if !r.Takes() {
					continue
				}
				before, after := r.inEffect(c.After)
				for _, l := range r.Lots {
					key := skuPool{location: l.Location, before: before.Value(), after: after.Value()}
					if pools[key] == 0 {
						next++
						pools[key] = next
					}
					moves.add(l.No, Draft(t).Stock().Lot(l.No).Pool, pools[key])
				}
			}
			moves.carryOut(Draft(t))
		}
	}
}

// houseFits brings conflicts to where they belong that may be in several pools of the SKUs of some lots, which have
// other values than before: to one that has what they require.
func houseFits(t *base.Tx, lots []timeline.LotNo) {
	if Draft(t).ConflictLen() == 0 {
		return
	}
	skus := map[base.ID]bool{}
	for _, no := range lots {
		if r := latest(t, articleOf(t, Draft(t).Stock().Lot(no))); r != nil && r.SKU != nil {
			skus[*r.SKU] = true
		}
	}
	var list []timeline.Placed
	for c := range Draft(t).Stock().EachConflict() {
		if c.Span.End == base.Forever && c.Flags.Has(timeline.Choosy) && skus[ownerSKU(t, c)] {
			list = append(list, c)
		}
	}
	houseAll(t, list)
}

// fitsFreed notes that all units of the pools of some lots may be available to conflicts, as these lots have other
// values than before: a conflict may now get a unit that meets it, or one that a hold with a requirement leaves. One
// lot stands for its whole pool.
func fitsFreed(t *base.Tx, lots []timeline.LotNo) {
	s := Draft(t).Stock()
	seen := map[timeline.PoolNo]bool{}
	for _, no := range lots {
		lot := s.Lot(no)
		if lot.Pool == 0 || seen[lot.Pool] {
			continue
		}
		seen[lot.Pool] = true
		pool := timeline.SKURef(lot.Pool)
		if s.ConflictCount(pool) > 0 && slices.ContainsFunc(s.Lots(pool), func(no timeline.LotNo) bool {
			for range s.Choosy(no) {
				return true
			}
			return false
		}) {
			FreedOf(t, no, base.Span{Start: math.MinInt64, End: base.Forever})
		}
	}
}

// searchTries is how many tries one counts for that took a search in vain.
const searchTries = 50

// relabelledLots lists the lots whose articles may have other values than before: of their own, of their SKU, or of
// what is left of an attribute.
func relabelledLots(t *base.Tx) (lots []timeline.LotNo) {
	of := func(r *Article) {
		for _, l := range r.Lots {
			lots = append(lots, l.No)
		}
	}
	for _, c := range t.Set {
		switch c := c.(type) {
		case *base.Change[Article]:
			if c.Before != nil && c.After != nil &&
				(!same(c.Before.SKU, c.After.SKU) || !sameValues(&c.Before.Labels, &c.After.Labels)) {
				of(c.Before)
			}
		case *base.Change[SKU]:
			if c.Before != nil && c.After != nil && !sameValues(&c.Before.Labels, &c.After.Labels) {
				for r := range ArticleTable(t.Acc).By(ArticleBySKU, string(c.After.ID[:])) {
					of(r)
				}
			}
		case *base.Change[label.Attribute]:
			if c.Before != nil {
				lots = slices.AppendSeq(lots, t.Acc.Stock.ChoosyLots())
			}
		}
	}
	slices.Sort(lots)
	return slices.Compact(lots)
}

// sameValues says that two records have the same for all attributes.
func sameValues(x, y *label.Labels) bool {
	return slices.EqualFunc(x.Attributes, y.Attributes, func(v, w label.AttributeValue) bool {
		return v.Attribute == w.Attribute && v.Kind == w.Kind && v.Text == w.Text && v.Number == w.Number &&
			slices.Equal(v.Options, w.Options)
	})
}
