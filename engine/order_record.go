package engine

import (
	"cmp"
	"slices"

	"holdfast/timeline"
)

// This file owns the answer for an order: the stored row together with all that it names.

// OrderRecord is an order as it is answered: whoever writes it needs nothing else.
type OrderRecord struct {
	*Order
	TagRows []*Tag
	Units   []UnitRecord // of the first units, in the order of lines and units
}

// UnitRecord is where a unit of an order is.
type UnitRecord struct {
	Article  ID // zero: it has none
	Name     string
	Codes    []string
	SKUName  *string
	SKUCode  *string
	Range    Span // the hull; empty where it takes no stock
	Conflict bool
	Unmet    bool // its article does not have what the line requires any more

	Ordered     Item   // what it was ordered as: a SKU or an article, of a kit that of its component; neither where nobody can say
	OrderedName string // what that is called
	OrderedCode *string
}

// edits are rows of what orders and their units name, as a plan leaves them. Most plans change none.
type edits struct {
	articles map[uint32]*Article
	skus     map[ID]*SKU
	now      int64 // the plan's instant; 0: there is no plan

	attributes map[ID]*Attribute // nil: it goes
	n          int               // so much of the write set is read
}

// read reads what has come to the write set since.
func (e *edits) read(set []rowChange) {
	for _, c := range set[e.n:] {
		switch c := c.(type) {
		case *change[Article]:
			if c.after != nil {
				put(&e.articles, c.after.No, c.after)
			}
		case *change[SKU]:
			if c.after != nil {
				put(&e.skus, c.after.ID, c.after)
			}
		case *change[Attribute]:
			put(&e.attributes, c.key(), c.after)
		}
	}
	e.n = len(set)
}

// article, sku and attribute are rows as a plan leaves them, or as they are.
func (e *edits) article(a *account, no uint32) *Article {
	if r := e.articles[no]; r != nil {
		return r
	}
	return a.articles().No(no)
}

func (e *edits) sku(a *account, id ID) *SKU {
	if s := e.skus[id]; s != nil {
		return s
	}
	return a.skus().Get(id)
}

func (e *edits) attribute(a *account, id ID) *Attribute {
	if d, changed := e.attributes[id]; changed {
		return d
	}
	return a.attributes().Get(id)
}

// put makes the map with its first entry.
func put[K comparable, R any](m *map[K]*R, key K, r *R) {
	if *m == nil {
		*m = map[K]*R{}
	}
	(*m)[key] = r
}

// orderRecord is the answer for an order on some state of the stock, with some rows as a plan leaves them, and with the first of
// its units, at most so many.
func (a *account) orderRecord(o *Order, s *timeline.Stock, e *edits, most int) *OrderRecord {
	r := &OrderRecord{Order: o}
	for _, id := range o.Tags {
		if g := a.tags().Get(id); g != nil {
			r.TagRows = append(r.TagRows, g)
		}
	}
	r.Units = make([]UnitRecord, 0, min(o.units(), most))
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range min(len(l.Units), most-len(r.Units)) {
			r.Units = append(r.Units, a.unitRecord(l, &l.Units[j], s, e))
		}
	}
	return r
}

func (a *account) unitRecord(l *OrderLine, u *OrderUnit, s *timeline.Stock, e *edits) UnitRecord {
	r := a.placeOf(u, s, e)
	r.Ordered = a.ordered(l, u, a.articles().Get(r.Article))
	if article := a.articles().Get(r.Ordered.Article); article != nil {
		r.OrderedName = e.article(a, article.No).Name
	} else if sku := e.sku(a, r.Ordered.SKU); sku != nil {
		r.OrderedName, r.OrderedCode = sku.Name, sku.Code
	}
	return r
}

// placeOf is where a unit is.
func (a *account) placeOf(u *OrderUnit, s *timeline.Stock, e *edits) (r UnitRecord) {
	if u.Hold == (ID{}) {
		return r
	}
	lot := u.Lot
	if h, at, ok := s.Find(u.Hold); ok {
		r.Range, r.Conflict = h.Span, !at.Seated()
		if r.Conflict {
			return r
		}
		r.Unmet, lot = unmet(s, h, at, cmp.Or(e.now, a.ledger.At)), at.Lot
	} else if _, ok := a.sale(0, 0, u); ok {
		r.Range = Span{Start: u.Handed, End: Forever}
	} else {
		return r
	}
	no := s.Lot(lot).Article
	article := e.article(a, no)
	if article == nil {
		r.Article = a.articleID(no)
		return r
	}
	r.Article, r.Name, r.Codes = article.ID, article.Name, article.Codes
	if article.SKU != nil {
		sku := e.sku(a, *article.SKU)
		r.SKUName, r.SKUCode = &sku.Name, sku.Code
	}
	return r
}

// StockItems is how many units the order has.
func (r *OrderRecord) StockItems() int { return r.units() }

// Conflict says whether one of the units that the record has is without stock.
func (r *OrderRecord) Conflict() bool {
	return slices.ContainsFunc(r.Units, func(u UnitRecord) bool { return u.Conflict })
}

// OrderStockItem is a unit of an order with its line, and where it is.
type OrderStockItem struct {
	Line *OrderLine
	Unit *OrderUnit
	At   UnitRecord
}

// OrderStockItems reads units of an order in the order of its lines, and how many it has. The record has none of them; it is nil
// where there is no such order.
func (v View) OrderStockItems(id ID, p Part) (r *OrderRecord, list []OrderStockItem, total int) {
	o := v.acc.orders().Get(id)
	if o == nil {
		return nil, nil, 0
	}
	n := 0
	for i := range o.Lines {
		l := &o.Lines[i]
		from := min(max(p.Offset-n, 0), len(l.Units))
		for j := from; j < len(l.Units) && len(list) < p.Limit; j++ {
			list = append(list, OrderStockItem{l, &l.Units[j], v.acc.unitRecord(l, &l.Units[j], v.acc.stock, &edits{})})
		}
		n += len(l.Units)
	}
	return v.acc.orderRecord(o, v.acc.stock, &edits{}, 0), list, n
}
