package model

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/order"
	"holdfast/engine/stock"
)

// This file owns the removal of locations, SKUs, articles and customers. A removed record stays in its list, marked,
// because lots and old holds name it; a customer does not stay.

// asked says that a hold that is not over asks for something.
func (s *step) asked(names func(Line) bool) bool {
	return slices.ContainsFunc(s.a.Holds, func(h *Hold) bool {
		return !h.Status.Ended() &&
			slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Window.End > s.now && names(l) })
	})
}

// of says that a line of kits was made of something.
func (l Line) of(i base.Item) bool {
	return slices.ContainsFunc(l.Booked, func(p commerce.Component) bool { return p.Item == i })
}

// ordered says that an order that is not closed names something.
func (s *step) ordered(names func(*Order) bool) bool {
	return slices.ContainsFunc(s.a.Orders, func(o *Order) bool { return o.Status != order.OrderClosed && names(o) })
}

func (o *Order) names(id ID) bool {
	return slices.ContainsFunc(o.Lines, func(l OrderLine) bool {
		return l.Item.SKU == id || l.Item.Article == id || l.Item.CatalogItem == id ||
			slices.ContainsFunc(l.Booked, func(p commerce.Component) bool { return p.SKU == id || p.Article == id })
	})
}

// inKit says that a SKU or an article is a part of a kit.
func (s *step) inKit(id ID) bool {
	return slices.ContainsFunc(s.a.Kits, func(k *Kit) bool {
		return slices.ContainsFunc(k.Parts, func(p commerce.Component) bool { return p.SKU == id || p.Article == id })
	})
}

func (a *Account) knows(customer ID) bool { return slices.Contains(a.Customers, customer) }

// deleteCustomer removes a customer who has no hold that is not over, and no order that is not closed.
func (s *step) deleteCustomer(o commerce.DeleteCustomer, err error) error {
	if !s.a.knows(o.ID) {
		return refused(err, base.CodeNotFound)
	}
	holds := 0
	for _, h := range s.a.Holds {
		if h.Customer == o.ID && !h.Status.Ended() &&
			slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Window.End > s.now }) {
			holds++
		}
	}
	if holds > 0 || s.ordered(func(n *Order) bool { return n.Customer == o.ID }) {
		s.a.Seen.Wanted++
		if d, ok := as[base.InUseDetails](err); holds > 0 &&
			(!ok || d != base.InUseDetails{Resource: "hold", Count: holds}) {
			return wrong("%d holds are for the customer, the refusal says %+v", holds, d)
		}
		return refused(err, base.CodeInUse)
	}
	s.a.Customers = slices.DeleteFunc(s.a.Customers, func(id ID) bool { return id == o.ID })
	return refused(err, "")
}

func (s *step) deleteLocation(o stock.DeleteLocation, err error) error {
	l := s.a.location(o.ID)
	if l == nil {
		return refused(err, base.CodeNotFound)
	}
	here := func(lot uint32) bool { return s.a.Locations[s.a.lot(lot).Location] == l }
	switch {
	case slices.ContainsFunc(s.a.Slots, func(x Slot) bool { return here(x.Lot) && x.Span.End > s.now }),
		slices.ContainsFunc(s.a.Units, func(u Unit) bool { return here(u.Lot) && u.Hull.End > s.now }),
		slices.ContainsFunc(s.a.Events, func(e *Event) bool { return e.Location == l.ID && e.Window.End > s.now }),
		s.ordered(func(o *Order) bool { return o.Pickup == l.ID || o.Return == l.ID }),
		s.asked(func(x Line) bool { return x.Location == l.ID }):
		s.a.Seen.InUse++
		return refused(err, base.CodeInUse)
	}
	n := *l
	n.Gone = true
	s.a.Locations[slices.Index(s.a.Locations, l)] = &n
	s.a.Seen.Removed++
	return refused(err, "")
}

func (s *step) deleteSKU(o stock.DeleteSKU, err error) error {
	k := s.a.sku(o.ID)
	switch {
	case k == nil:
		return refused(err, base.CodeNotFound)
	case slices.ContainsFunc(s.a.Articles, func(r *Article) bool { return !r.Gone && r.SKU != nil && *r.SKU == k.ID }),
		s.inKit(k.ID),
		s.ordered(func(o *Order) bool { return o.names(k.ID) }),
		s.asked(func(x Line) bool { return x.SKU == k.ID || x.of(base.Item{SKU: k.ID}) }):
		s.a.Seen.InUse++
		return refused(err, base.CodeInUse)
	}
	n := *k
	n.Gone = true
	s.a.SKUs[slices.Index(s.a.SKUs, k)] = &n
	s.a.Seen.Removed++
	return refused(err, "")
}

// deleteArticle ends the article's units now; units of holds that are over stay where they were.
func (s *step) deleteArticle(o stock.DeleteArticle, err error) error {
	r := s.a.article(o.ID)
	if r == nil {
		return refused(err, base.CodeNotFound)
	}
	of := func(lot uint32) bool { return s.a.of(s.a.lot(lot)) == r }
	if slices.ContainsFunc(s.a.Units, func(u Unit) bool {
		return of(u.Lot) && u.Hull.End > s.now
	}) || s.inKit(r.ID) || s.ordered(func(o *Order) bool {
		return o.names(r.ID)
	}) || s.asked(func(x Line) bool { return x.Article == r.ID || x.of(base.Item{Article: r.ID}) }) {
		s.a.Seen.InUse++
		return refused(err, base.CodeInUse)
	}
	if err := refused(err, ""); err != nil {
		return err
	}
	s.a.Units = slices.DeleteFunc(s.a.Units, func(u Unit) bool { return of(u.Lot) && u.event() })
	s.a.Events = slices.DeleteFunc(s.a.Events, func(e *Event) bool { return e.Article == r.ID })
	kept := s.a.Slots[:0:0]
	for _, x := range s.a.Slots {
		if of(x.Lot) && x.Span.End > s.now {
			x.Span.End = s.now
		}
		if !x.Span.Empty() {
			kept = append(kept, x)
		}
	}
	s.a.Slots = kept
	n := *r
	n.Gone, n.Takes, n.SKU = true, false, nil
	s.a.Articles[slices.Index(s.a.Articles, r)] = &n
	s.a.Seen.Removed++
	return nil
}

// present checks that the engine lists what is there and nothing else.
func (a *Account) present(v base.View, now int64) error {
	var locations, skus, articles []ID
	for _, l := range a.Locations {
		if !l.Gone {
			locations = append(locations, l.ID)
		}
	}
	for _, k := range a.SKUs {
		if !k.Gone {
			skus = append(skus, k.ID)
		}
	}
	for _, r := range a.Articles {
		if !r.Gone {
			articles = append(articles, r.ID)
		}
	}
	var got [3][]ID
	for l := range stock.Locations(v).All() {
		got[0] = append(got[0], l.ID)
	}
	for k := range stock.SKUs(v).All() {
		got[1] = append(got[1], k.ID)
	}
	for r := range stock.Articles(v).All() {
		got[2] = append(got[2], r.ID)
	}
	for i, want := range [...][]ID{locations, skus, articles} {
		if !slices.Equal(got[i], want) {
			return wrong("list %d has %v, the twin has %v", i, got[i], want)
		}
	}
	for _, descending := range []bool{false, true} {
		q := stock.ArticleQuery{
			Window: Span{Start: now, End: now}, Now: now, Active: true, Archived: true, Sort: stock.ByAvailability,
			Desc: descending, Limit: len(articles) + 1,
		}
		page, total, err := stock.ListArticles(v, &q, nil)
		if err != nil || total != len(articles) || len(page) != total {
			return wrong("%d of %d articles by free units (%v), the twin has %d", len(page), total, err, len(articles))
		}
		for _, r := range page {
			if r == nil || !slices.Contains(articles, r.ID) {
				return wrong("an article by free units is %+v", r)
			}
		}
	}
	return nil
}
