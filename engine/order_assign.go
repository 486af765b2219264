package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns which article a unit of an order is: one that its line may have, or another in its place, if somebody says so. The line,
// and the component of a kit, say what was ordered, whatever the unit is.

// AssignUnit makes a unit of an order be one of an article: it is pinned there, with the article's buffers where those are of other values
// than those of the article that it leaves, and what may move makes room. An article that the line may not have is refused, unless it is
// to be a Substitute; the details are the *SubstituteDetails. It answers with the *OrderRecord.
type AssignUnit struct {
	Order, Unit, Article ID
	Substitute           bool
}

// SubstituteDetails is the Details of SUBSTITUTE_NEEDED: what was ordered, and which articles would do.
type SubstituteDetails struct {
	Ordered  Item
	Articles []ID // the first, in order of creation
	Total    int  // how many there are
}

func (AssignUnit) Check() []Fault { return nil }

func (o AssignUnit) plan(t *tx) (any, error) {
	n, err := t.edit(o.Order)
	if err != nil {
		return nil, err
	}
	l, u := n.unit(o.Unit)
	r := t.acc.articles().Get(o.Article)
	switch {
	case u == nil:
		return nil, notFound("stock item of this order")
	case r == nil:
		return nil, errNoArticle
	}
	if err := n.allow(Assign); err != nil {
		return nil, err
	}
	h, at, ok := t.draft().Find(u.Hold)
	if !ok || u.Handed != 0 {
		return nil, unitState(u)
	}
	fits := t.serves(l, u, h, at, r)
	if !fits && !o.Substitute {
		return nil, t.substituteNeeded(l, u, h, at)
	}
	q, err := t.moveRequest(n.line(l.ID), MoveLine{Article: &o.Article}, h, at)
	if err != nil {
		return nil, err
	}
	t.draft().Claim()
	t.letGo([]request{q})
	if err := t.seatAsked(ID{}, []request{q}); err != nil {
		return nil, err
	}
	u.ByHand, u.Substitute = true, !fits
	t.seatFreed()
	return t.answer(n), nil
}

func (AssignUnit) result() any { return new(OrderRecord) }

// ordered is what a unit was ordered as: what its line names, or the component of a kit that it is. Of a line that does not keep which
// those were nobody knows, where the kit has changed since or was not whole; then it is what it is by now.
func (a *account) ordered(l *OrderLine, u *OrderUnit, on *Article) Item {
	if l.Names != namesCatalogItem {
		return l.Item()
	}
	if part, known := l.component(u); known {
		return part.Item
	}
	if u.Hold == (ID{}) { // it takes no stock: it is of the kit as that is now
		if k, err := a.kit(l.Of); err == nil && int(u.Part) < len(k.parts) {
			return k.parts[u.Part].item()
		}
		return Item{}
	}
	if k := a.kitSince(l.Of, u.Hold); k != nil {
		if sku := a.madeForPart(k, l, u.Part, on); sku != (ID{}) {
			return Item{SKU: sku}
		}
		if int(u.Part) < len(k.parts) && k.parts[u.Part].article != nil && l.whole(k, u.Part) {
			return k.parts[u.Part].item()
		}
	}
	switch {
	case on == nil:
		return Item{}
	case on.SKU != nil:
		return Item{SKU: *on.SKU}
	}
	return Item{Article: on.ID}
}

// serves says that an article is one that a unit of a line may have: what was ordered, with what the line requires.
func (t *tx) serves(l *OrderLine, u *OrderUnit, h timeline.Hold, at timeline.Place, r *Article) bool {
	lot := t.draft().Lot(at.Lot)
	i := t.acc.ordered(l, u, t.acc.articles().No(lot.Article))
	if i.Article != r.ID && (i.SKU == (ID{}) || !r.isOf(i.SKU)) {
		return false
	}
	there := r.lotAt(lot.Location)
	if len(l.Rest().Requirements) == 0 || there == nil {
		return true
	}
	h.Flags = h.Flags&^(timeline.PinnedArticle|timeline.PinnedSlot) | timeline.Choosy
	return t.draft().Stock().Meets(h, there.no, t.now)
}

// substituteNeeded refuses an article that is not what was ordered, and says which would do.
func (t *tx) substituteNeeded(l *OrderLine, u *OrderUnit, h timeline.Hold, at timeline.Place) *Error {
	d := &SubstituteDetails{Ordered: t.acc.ordered(l, u, t.acc.articles().No(t.draft().Lot(at.Lot).Article))}
	add := func(r *Article) {
		if !r.Takes() || !t.serves(l, u, h, at, r) {
			return
		}
		if d.Total++; d.Total <= MaxListed {
			d.Articles = append(d.Articles, r.ID)
		}
	}
	if r := t.acc.articles().Get(d.Ordered.Article); r != nil {
		add(r)
	}
	for r := range t.acc.articles().By(articleBySKU, string(d.Ordered.SKU[:])) {
		add(r)
	}
	slices.SortFunc(d.Articles, ID.Compare)
	return &Error{Code: CodeSubstitute, Detail: "the article is not what was ordered; details says what would do, and substitute takes it all the same", Details: d}
}

// UnassignUnit has a unit be what its line says again. One of an article that the line may have stays where it is, and may move from then
// on, unless the line names the article; another is seated anew, or, where there is no room for it, refused. One that waits does so for
// what was ordered. It answers with the *OrderRecord.
type UnassignUnit struct{ Order, Unit ID }

func (UnassignUnit) Check() []Fault { return nil }

func (o UnassignUnit) plan(t *tx) (any, error) {
	n, err := t.edit(o.Order)
	if err != nil {
		return nil, err
	}
	l, u := n.unit(o.Unit)
	if u == nil {
		return nil, notFound("stock item of this order")
	}
	if err := n.allow(Assign); err != nil {
		return nil, err
	}
	h, at, ok := t.draft().Find(u.Hold)
	if !ok || u.Handed != 0 {
		return nil, unitState(u)
	}
	u.ByHand, u.Substitute = l.Names == namesArticle, false
	if err := t.unpin(n.line(l.ID), l, u, h, at); err != nil {
		return nil, err
	}
	return t.answer(n), nil
}

func (UnassignUnit) result() any { return new(OrderRecord) }

// unpin gives a unit of a line the pins that the line gives it, and a seat by them.
func (t *tx) unpin(line int, l *OrderLine, u *OrderUnit, h timeline.Hold, at timeline.Place) error {
	d := t.draft()
	r := t.acc.articles().No(d.Lot(at.Lot).Article)
	i := t.acc.ordered(l, u, r)
	stays := r != nil && t.serves(l, u, h, at, r)
	h.Flags &^= timeline.PinnedSlot | timeline.PinnedArticle
	if i.Article != (ID{}) {
		h.Flags |= timeline.PinnedArticle
	}
	if len(l.Rest().Requirements) > 0 {
		h.Flags |= timeline.Choosy
	}
	if stays || !at.Seated() {
		d.Replace(h)
		if sku := t.acc.madeFor(h, r); !at.Seated() && (sku == (ID{}) || r.isOf(sku)) { // of another SKU it is brought there, and tried there
			t.seatConflict(h.ID)
		}
		return nil
	}
	q, err := t.request(i, t.acc.locationID(d.Lot(at.Lot).Location))
	if err != nil {
		return ofLineItem(line, err)
	}
	q.was, q.line, q.body, q.quantity, q.proto, q.to = at, line, h.Body(), 1, h, t.goes(h)
	d.Claim()
	t.letGo([]request{q})
	if err := t.seatAsked(ID{}, []request{q}); err != nil {
		return err
	}
	t.seatFreed()
	return nil
}
