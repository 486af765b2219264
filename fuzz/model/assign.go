package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/hold"
	"holdfast/engine/order"
	"holdfast/timeline"
)

// This file owns which article a unit of an order is: one that its line may have, or a substitute, and what it is again
// when that is taken back.

// orderedAs is what a unit was ordered as: what its line names, or the component of a kit that it is. Where it is not
// known which component that is, the answer is the SKU of its article, or the article where it has none.
func (s *step) orderedAs(l *OrderLine, x *OrderUnit, h Unit) base.Item {
	if l.Item.CatalogItem == (ID{}) {
		return l.Item
	}
	if l.Booked != nil {
		return l.Booked[x.Part].Item
	}
	on := s.a.of(s.a.lot(h.Lot))
	k := s.a.kit(l.Item.CatalogItem)
	if k != nil && k.Changed < base.CreatedAt(h.ID) && x.Part < len(k.parts()) {
		n := 0
		for _, y := range l.Units {
			if y.Part == x.Part {
				n++
			}
		}
		if p := k.parts()[x.Part]; n == l.Quantity*p.Quantity {
			return p.Item
		}
	}
	switch {
	case on.Gone:
		return base.Item{}
	case on.SKU != nil:
		return base.Item{SKU: *on.SKU}
	}
	return base.Item{Article: on.ID}
}

// serves says that an article is what was ordered, with what the line requires.
func (s *step) serves(l *OrderLine, x *OrderUnit, h Unit, r *Article) bool {
	i := s.orderedAs(l, x, h)
	if r.Gone || i.Article != r.ID && (i.SKU == (ID{}) || r.SKU == nil || *r.SKU != i.SKU) {
		return false
	}
	lot := s.a.lotAt(r.ID, s.a.Locations[s.a.lot(h.Lot).Location].ID)
	return lot == 0 || s.a.suits(lot, l.Requires, s.now)
}

// assign judges a unit that is to be one of an article: units that may move make room, also in the article's pool. An
// article that the line may not have is refused, unless the command calls it a substitute.
func (s *step) assign(o *Order, op order.AssignUnit, err error) error {
	list, refusal := o.named([]ID{op.Unit},
		func(_ *OrderLine, u *OrderUnit) bool { return u.Hold != (ID{}) && u.Handed == 0 })
	if refusal != "" {
		return refused(err, refusal)
	}
	l, x := list[0].line, list[0].unit
	h := *s.a.unit(x.Hold)
	fits := s.serves(l, x, h, s.a.article(op.Article))
	if !fits && !op.Substitute {
		s.a.Seen.Foreign++
		return rightly(err, base.CodeSubstitute)
	}
	q, n, refusal := s.moved(o.line(l.ID), hold.MoveLine{Article: &op.Article}, h)
	if refusal != "" {
		return refused(err, refusal)
	}
	for _, p := range q.pools {
		q.hulls = append(q.hulls, s.moves(h, p, h.Body()))
	}
	q.past, s.held = true, s.a.clone()
	q.leaves = s.departing(h, h.Body(), o.Pickup)
	moved := []Unit{n}
	if ok, _, fault := s.regrant([]request{q}, moved, err,
		func() (bool, [][]int, error) { return s.grant([]request{q}, err) }); !ok {
		return fault
	}
	s.named = x.Hold
	if x.ByHand, x.Substitute = true, !fits; !fits {
		s.a.Seen.Substituted++
	}
	return s.put(moved[0].over(h.Body(), q.hulls[0]), q.pools[0])
}

// unassign judges a unit that is what its line says again: it stays where the line may have it, is seated anew where it
// may not, and waits for what was ordered where it waits.
func (s *step) unassign(o *Order, op order.UnassignUnit, err error) error {
	list, refusal := o.named([]ID{op.Unit},
		func(_ *OrderLine, u *OrderUnit) bool { return u.Hold != (ID{}) && u.Handed == 0 })
	if refusal != "" {
		return refused(err, refusal)
	}
	l, x := list[0].line, list[0].unit
	h := *s.a.unit(x.Hold)
	r := s.a.of(s.a.lot(h.Lot))
	i, stays := s.orderedAs(l, x, h), s.serves(l, x, h, r)
	x.ByHand, x.Substitute, s.named = l.Item.Article != ID{}, false, x.Hold
	n := h
	n.Flags &^= timeline.PinnedSlot
	if n.Flags &^= timeline.PinnedArticle; i.Article != (ID{}) {
		n.Flags |= timeline.PinnedArticle
	}
	if len(l.Requires) > 0 {
		n.Flags |= timeline.Choosy
	}
	if h.articlePinned() && s.a.meant(n) == (ID{}) && !n.articlePinned() {
		// it is of the SKU of its line, else of that of the article that it was assigned to
		s.remade(n, r.SKU)
	}
	if stays || h.Slot == 0 {
		if err := refused(err, ""); err != nil {
			return err
		}
		k := slices.IndexFunc(s.a.Units, func(u Unit) bool { return u.ID == x.Hold })
		if s.a.Units[k] = n; h.Slot == 0 && r.Takes {
			s.push(h.ID)
		}
		return nil
	}
	asked, refusal := s.ask(o.line(l.ID),
		hold.HoldLineInput{Item: i, Location: s.a.Locations[s.a.lot(h.Lot).Location].ID, Window: h.Body(), Quantity: 1})
	if refusal != "" {
		return rightly(err, refusal)
	}
	q := asked[0]
	if q.was, q.past = n, true; !n.articlePinned() {
		q = s.requiring([]request{q}, l.Requires)[0]
	}
	s.held = s.a.clone()
	q.leaves = s.departing(h, h.Body(), o.Pickup)
	moved := []Unit{n}
	if ok, _, fault := s.regrant([]request{q}, moved, err,
		func() (bool, [][]int, error) { return s.grant([]request{q}, err) }); !ok {
		return fault
	}
	p := s.pooled(h.ID, q.pools)
	if p < 0 {
		return wrong("unit %x was seated outside of what was ordered", h.ID)
	}
	s.a.Seen.Restored++
	return s.put(moved[0].over(h.Body(), q.hulls[p]), q.pools[p])
}
