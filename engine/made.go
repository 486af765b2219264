package engine

import "holdfast/timeline"

// This file owns what an auto-assigned unit was made for. It belongs to that SKU whatever its article is of by now: given other dates it asks for that SKU, and as
// a conflict it waits for it. An article keeps what is over when it goes to another SKU, so that what a unit sits on does not say it.

// madeFor is the SKU that an auto-assigned unit on an article was made for: the one that its line names, or that of the component of a kit that it is. It is zero
// where its line names an article, and where nobody can say which component it is.
func (a *account) madeFor(h timeline.Hold, on *Article) ID {
	if h.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot) {
		return ID{}
	}
	switch h.Flags.Blocker() {
	case timeline.BlockerOrder:
		if o := a.orderOf(h); o != nil {
			return a.madeForLine(o.lineNo(h.Line), h, on)
		}
	case timeline.BlockerHold:
		if rec := a.holds().get(a.ownerOf(h)); rec != nil {
			return a.madeForHeld(rec, h)
		}
	}
	return ID{}
}

func (a *account) madeForLine(l *OrderLine, h timeline.Hold, on *Article) ID {
	switch {
	case l == nil || l.Names == namesArticle:
		return ID{}
	case l.Names == namesSKU:
		return l.Of
	}
	k := a.kitSince(l.Of, h.ID)
	if k == nil {
		return ID{}
	}
	for i := range l.Units {
		if l.Units[i].Hold == h.ID {
			return a.madeForPart(k, l, l.Units[i].Part, on)
		}
	}
	return ID{}
}

// madeForPart is that of a component of a line of kits. An order of a hold that was not of whole kits has each unit as a component of its own: which one it was,
// is not known.
func (a *account) madeForPart(k *kit, l *OrderLine, part uint16, on *Article) ID {
	if int(part) >= len(k.parts) || k.parts[part].sku == nil {
		return ID{}
	}
	p := k.parts[part]
	if p.has(on) {
		return p.sku.ID // the usual case: the units need not be counted
	}
	n := 0
	for i := range l.Units {
		if l.Units[i].Part == part {
			n++
		}
	}
	if n != int(l.Quantity)*p.quantity {
		return ID{}
	}
	return p.sku.ID
}

// madeForHeld is that of a unit of a hold: the units of a line are in the order of the kit's components.
func (a *account) madeForHeld(rec *holdRecord, h timeline.Hold) ID {
	if int(h.Line) >= len(rec.lines) {
		return ID{}
	}
	l := &rec.lines[h.Line]
	switch l.named {
	case namesArticle:
		return ID{}
	case namesSKU:
		return a.skuID(l.item)
	}
	k := a.kitSince(a.catalog().No(l.item).ID, rec.id)
	if k == nil || int(l.units) != int(l.quantity)*k.units() {
		return ID{}
	}
	n := int(h.Owner) - 1
	for _, before := range rec.lines[:h.Line] {
		n -= int(before.units)
	}
	for _, p := range k.parts {
		if n -= int(l.quantity) * p.quantity; n < 0 && p.sku != nil {
			return p.sku.ID
		} else if n < 0 {
			break
		}
	}
	return ID{}
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

// isOf says that an article is of a SKU.
func (r *Article) isOf(sku ID) bool { return r != nil && r.SKU != nil && *r.SKU == sku }
