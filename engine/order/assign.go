package order

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns which article a unit of an order is: one that its line may have, or another in its place if the
// request allows it (Substitute). The line, and the component of a kit, say what was ordered, whatever the unit is.

// AssignUnit makes a unit of an order be one of an article: it is pinned there, with the article's buffers where those
// are of other values than those of the article that it leaves, and what may move makes room. An article that the line
// may not have is refused, unless it is to be a Substitute; the details are the *SubstituteDetails.
type AssignUnit struct {
	base.Answers[*OrderRecord]
	Order, Unit, Article base.ID
	Substitute           bool
}

// SubstituteDetails is the Details of SUBSTITUTE_NEEDED: what was ordered, and which articles would do.
type SubstituteDetails struct {
	Ordered  base.Item
	Articles []base.ID // the first, in order of creation
	Total    int       // how many there are
}

func (o AssignUnit) PlanOn(t *base.Tx) (any, error) {
	n, err := Edit(t, o.Order)
	if err != nil {
		return nil, err
	}
	l, u := n.unit(o.Unit)
	r := stock.ArticleTable(t.Acc).Get(o.Article)
	switch {
	case u == nil:
		return nil, base.NotFound("stock item of this order")
	case r == nil:
		return nil, stock.ErrNoArticle
	}
	if err := n.allow(Assign); err != nil {
		return nil, err
	}
	h, at, ok := stock.Draft(t).Find(u.Hold)
	if !ok || u.Handed != 0 {
		return nil, unitState(u)
	}
	fits := serves(t, l, u, h, at, r)
	if !fits && !o.Substitute {
		return nil, substituteNeeded(t, l, u, h, at)
	}
	q, err := hold.MoveRequest(t, n.line(l.ID), hold.MoveLine{Article: &o.Article}, h, at)
	if err != nil {
		return nil, err
	}
	stock.Draft(t).Claim()
	requests := []stock.Request{q}
	stock.LetGo(t, requests)
	if err := stock.SeatAsked(t, base.ID{}, requests); err != nil {
		return nil, err
	}
	u.ByHand, u.Substitute = true, !fits
	assigned(t, n, u)
	stock.SeatFreed(t)
	return answer(t, n), nil
}

// ordered is what a unit was ordered as: what its line names, or the component of a kit that it is. A line may not keep
// which components those were. If the kit has changed since, or was not whole, what was ordered is not known; then it
// is taken to be what the unit is by now.
func ordered(a *base.AccountState, l *OrderLine, u *OrderUnit, on *stock.Article) base.Item {
	if l.Names != base.NamesCatalogItem {
		return l.Item()
	}
	if part, known := l.component(u); known {
		return part.Item
	}
	if u.Hold == (base.ID{}) { // it takes no stock: it is of the kit as that is now
		if k, err := commerce.KitByID(a, l.Of); err == nil && int(u.Part) < len(k.Parts) {
			return k.Parts[u.Part].Item()
		}
		return base.Item{}
	}
	if k := commerce.KitSince(a, l.Of, u.Hold); k != nil {
		if sku := madeForPart(k, l, u.Part, on); sku != (base.ID{}) {
			return base.Item{SKU: sku}
		}
		if int(u.Part) < len(k.Parts) && k.Parts[u.Part].Article != nil && l.whole(k, u.Part) {
			return k.Parts[u.Part].Item()
		}
	}
	switch {
	case on == nil:
		return base.Item{}
	case on.SKU != nil:
		return base.Item{SKU: *on.SKU}
	}
	return base.Item{Article: on.ID}
}

// serves says that an article is one that a unit of a line may have: what was ordered, with what the line requires.
func serves(t *base.Tx, l *OrderLine, u *OrderUnit, h timeline.Hold, at timeline.Place, r *stock.Article) bool {
	lot := stock.Draft(t).Lot(at.Lot)
	i := ordered(t.Acc, l, u, stock.ArticleTable(t.Acc).No(lot.Article))
	if i.Article != r.ID && (i.SKU == (base.ID{}) || !r.IsOf(i.SKU)) {
		return false
	}
	there := r.LotAt(lot.Location)
	if len(l.Rest().Requirements) == 0 || there == nil {
		return true
	}
	h.Flags = h.Flags&^(timeline.PinnedArticle|timeline.PinnedSlot) | timeline.Choosy
	return stock.Draft(t).Stock().Meets(h, there.No, t.Now)
}

// substituteNeeded refuses an article that is not what was ordered, and says which would do.
func substituteNeeded(t *base.Tx, l *OrderLine, u *OrderUnit, h timeline.Hold, at timeline.Place) *base.Error {
	d := &SubstituteDetails{
		Ordered: ordered(t.Acc, l, u, stock.ArticleTable(t.Acc).No(stock.Draft(t).Lot(at.Lot).Article))}
	add := func(r *stock.Article) {
		if !r.Takes() || !serves(t, l, u, h, at, r) {
			return
		}
		if d.Total++; d.Total <= base.MaxListed {
			d.Articles = append(d.Articles, r.ID)
		}
	}
	if r := stock.ArticleTable(t.Acc).Get(d.Ordered.Article); r != nil {
		add(r)
	}
	for r := range stock.ArticleTable(t.Acc).By(stock.ArticleBySKU, string(d.Ordered.SKU[:])) {
		add(r)
	}
	slices.SortFunc(d.Articles, base.ID.Compare)
	return &base.Error{Code: base.CodeSubstitute, Detail: "the article is not what was ordered; details says what " +
		"would do, and substitute takes it all the same", Details: d}
}

// UnassignUnit makes a unit what its line says again. One of an article that the line may have stays where it is, and
// may move from then on, unless the line names the article; another is seated anew, or, where there is no room for it,
// refused. One that waits does so for what was ordered.
type UnassignUnit struct {
	base.Answers[*OrderRecord]
	Order, Unit base.ID
}

func (o UnassignUnit) PlanOn(t *base.Tx) (any, error) {
	n, err := Edit(t, o.Order)
	if err != nil {
		return nil, err
	}
	l, u := n.unit(o.Unit)
	if u == nil {
		return nil, base.NotFound("stock item of this order")
	}
	if err := n.allowAs(Assign, alongside[Assign]); err != nil {
		return nil, err
	}
	h, at, ok := stock.Draft(t).Find(u.Hold)
	if !ok || u.Handed != 0 {
		return nil, unitState(u)
	}
	u.ByHand, u.Substitute = l.Names == base.NamesArticle, false
	assigned(t, n, u)
	if err := unpin(t, n.line(l.ID), l, u, h, at); err != nil {
		return nil, err
	}
	return answer(t, n), nil
}

// unpin gives a unit of a line the pins that the line gives it, and a seat by them.
func unpin(t *base.Tx, line int, l *OrderLine, u *OrderUnit, h timeline.Hold, at timeline.Place) error {
	d := stock.Draft(t)
	r := stock.ArticleTable(t.Acc).No(d.Lot(at.Lot).Article)
	i := ordered(t.Acc, l, u, r)
	stays := r != nil && serves(t, l, u, h, at, r)
	h.Flags &^= timeline.PinnedSlot | timeline.PinnedArticle
	if i.Article != (base.ID{}) {
		h.Flags |= timeline.PinnedArticle
	}
	if len(l.Rest().Requirements) > 0 {
		h.Flags |= timeline.Choosy
	}
	if stays || !at.Seated() {
		d.Replace(h)
		if sku := stock.MadeFor(t.Acc, h, r); !at.Seated() && (sku == (base.ID{}) || r.IsOf(sku)) {
			// of another SKU it is brought there, and tried there
			stock.SeatConflict(t, h.ID)
		}
		return nil
	}
	q, err := stock.NewRequest(t, i, stock.LocationKind.IDOf(t.Acc, d.Lot(at.Lot).Location))
	if err != nil {
		return ofLineItem(line, err)
	}
	q.Was, q.Line, q.Body, q.Quantity, q.Proto, q.To = at, line, h.Body(), 1, h, stock.GoesInPlan(t, h)
	d.Claim()
	requests := []stock.Request{q}
	stock.LetGo(t, requests)
	if err := stock.SeatAsked(t, base.ID{}, requests); err != nil {
		return err
	}
	stock.SeatFreed(t)
	return nil
}
