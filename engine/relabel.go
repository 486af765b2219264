package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns what becomes of units with requirements where what articles have for attributes changes.

// keepRequirements moves what a change of attributes has left on articles that do not have what its line requires to those that have
// it, in the order in which it was made. What finds no room there stays as it is, and fixed there; so does a unit that leaves, with whose
// article plans at two places were made; and what is left after as many tries as conflicts get, of which a search in vain takes as many as
// theirs.
func (t *tx) keepRequirements() {
	if t.acc.stock.ChoosyLen() == 0 {
		return
	}
	var ids []ID
	for _, no := range t.relabelledLots() {
		ids = slices.AppendSeq(ids, t.draft().Stock().Choosy(no))
	}
	slices.SortFunc(ids, ID.Compare)
	d, left := t.draft(), maxTries
	for _, id := range ids {
		h, at, ok := d.Find(id)
		lot := d.Stock().Lot(at.Lot)
		if !ok || !at.Seated() || lot.Pool == 0 || h.Span.End <= t.now || h.Flags.Any(timeline.Pinned) || d.Stock().Meets(h, at.Lot, t.now) {
			continue
		}
		if left--; left < 0 {
			break
		}
		f := d.Fork()
		f.Take(id)
		if _, why := f.Seat(timeline.SKURef(lot.Pool), begun(h, t.now), timeline.Exact); why != timeline.Granted {
			if why == timeline.FragmentedByPinnedHolds {
				left -= searchTries
			}
			continue
		}
		d.Adopt(f)
		t.freed(h.Span, at)
	}
	t.seatFreed()
}

// searchTries is how many tries one counts for that took a search in vain.
const searchTries = 50

// relabelledLots lists the lots whose articles may have other values than before: of their own, of their SKU, or of what is left of an
// attribute.
func (t *tx) relabelledLots() (lots []timeline.LotNo) {
	of := func(r *Article) {
		for _, l := range r.lots {
			lots = append(lots, l.no)
		}
	}
	for _, c := range t.set {
		switch c := c.(type) {
		case *change[Article]:
			if c.before != nil && c.after != nil && (!same(c.before.SKU, c.after.SKU) || !sameValues(&c.before.Labels, &c.after.Labels)) {
				of(c.before)
			}
		case *change[SKU]:
			if c.before != nil && c.after != nil && !sameValues(&c.before.Labels, &c.after.Labels) {
				for r := range t.acc.articles().By(articleBySKU, string(c.after.ID[:])) {
					of(r)
				}
			}
		case *change[Attribute]:
			if c.before != nil {
				lots = slices.AppendSeq(lots, t.acc.stock.ChoosyLots())
			}
		}
	}
	slices.Sort(lots)
	return slices.Compact(lots)
}

// sameValues says that two records have the same for all attributes.
func sameValues(x, y *Labels) bool {
	return slices.EqualFunc(x.Attributes, y.Attributes, func(v, w AttributeValue) bool {
		return v.Attribute == w.Attribute && v.Kind == w.Kind && v.Text == w.Text && v.Number == w.Number && slices.Equal(v.Options, w.Options)
	})
}
