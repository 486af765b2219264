package order

import (
	"cmp"
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns the answer for an order: the stored row together with all that it names.

// OrderRecord is an order as it is answered: it has everything that is needed to write it.
type OrderRecord struct {
	*Order
	TagRows []*label.Tag
	Units   []UnitRecord // of the first units, in the order of lines and units
}

// Impersonal is the record without what it tells of persons, and without what people have written.
func (r *OrderRecord) Impersonal() *OrderRecord {
	o := *r.Order
	o.Contact, o.Lines = nil, slices.Clone(o.Lines)
	o.More = &OrderMore{Reference: r.Rest().Reference, Method: r.Rest().Method}
	for i := range o.Lines {
		if l := &o.Lines[i]; l.More != nil {
			m := Own(&l.More)
			m.Note, m.Fields, m.OrderCustomer = "", nil, base.ID{}
		}
	}
	return &OrderRecord{Order: &o, TagRows: r.TagRows, Units: r.Units}
}

// ShownLine is what an order's record shows of a line, to be compared.
type ShownLine struct {
	OrderLine // without its units, and without what is not shown
	Rest      LineMore
	Price     commerce.LinePrice
	Priced    bool
	Combined  *commerce.Combination
	Zone      *timeline.Zone // by which it is said how long it is
	State     Fulfillment
	Returned  int64
	Paid      map[PaymentKind]int64
	Status    SubscriptionStatus
	Codes     []shownCode
}

// shownCode is what a code does to the payments of a subscription.
type shownCode struct {
	ID    base.ID
	Until int64
}

// ShownLines are an order's lines as its record shows them.
func (o *Order) ShownLines() []ShownLine {
	prices, _ := o.LinePrices() // what is stored has a price
	discounts := o.SubscriptionDiscounts(len(o.Lines))
	paid := map[base.ID]map[PaymentKind]int64{}
	for i := range o.Payments {
		p := &o.Payments[i]
		if paid[p.Line] == nil {
			paid[p.Line] = map[PaymentKind]int64{}
		}
		paid[p.Line][p.Kind] += p.Amount
	}
	list := make([]ShownLine, len(o.Lines))
	for i := range o.Lines {
		l := &o.Lines[i]
		s := ShownLine{OrderLine: *l, Rest: *l.Rest(), Priced: l.Priced(), Combined: l.Combination(),
			Zone: o.zone(), State: l.Fulfillment(), Returned: l.ReturnedAt(), Paid: paid[l.ID]}
		if i < len(prices) {
			s.Price = prices[i]
		}
		s.PricingRow, s.Rest.OrderCustomer = l.PricedBy(), o.CustomerOf(l)
		s.Units, s.Terms, s.FromOpening, s.OwnPrice, s.More = nil, nil, false, false, nil
		s.Rest.Combined, s.Rest.RevenueSplit, s.Rest.ExpectsLink = nil, nil, false // units show the last two
		s.Rest.Components, s.Rest.PartPrices = nil, nil
		if l.Subscription != nil {
			s.Status = l.Subscription.Status(o)
			for _, d := range discounts[i] {
				s.Codes = append(s.Codes, shownCode{d.ID, d.Until})
			}
		}
		list[i] = s
	}
	return list
}

// shownByUnits is what each unit of a line shows of the line and of the order, beside its dates.
type shownByUnits struct {
	name         base.Word
	links        bool
	split        float64
	pickup, back shownPlace
}

type shownPlace struct {
	id   base.ID
	name string
}

func (o *Order) shownByUnits(l *OrderLine) shownByUnits {
	place := func(id base.ID, p *stock.PlaceCopy) (s shownPlace) {
		if p != nil {
			s = shownPlace{id, p.Name}
		}
		return s
	}
	return shownByUnits{l.Name, l.Rest().ExpectsLink, l.SplitRate(), place(o.Pickup, o.PickupAt),
		place(o.Return, o.ReturnAt)}
}

// CustomerOf is the customer of an order that a line is for: the one that it names, else the first.
func (o *Order) CustomerOf(l *OrderLine) base.ID {
	switch more := o.Rest(); {
	case l.Rest().OrderCustomer != base.ID{}:
		return l.Rest().OrderCustomer
	case len(more.Customers) > 0:
		return more.Customers[0].ID
	case o.Contact != nil:
		return o.MainCustomer()
	}
	return base.ID{}
}

// UnitRecord is where a unit of an order is.
type UnitRecord struct {
	Article  base.ID // also of one whose hold is gone, if it was of one then; zero: it has none
	Name     string
	Codes    []string
	SKUName  *string
	SKUCode  *string
	Range    base.Span // the hull; empty where it takes no stock
	Conflict bool
	Unmet    bool // its article does not have what the line requires any more

	// what it was ordered as: a SKU or an article, of a kit that of its component; neither if it is not known
	Ordered     base.Item
	OrderedName string // what that is called
	OrderedCode *string
}

// Edits are rows of what orders and their units name, as a plan leaves them. Most plans change none.
type Edits struct {
	articles map[uint32]*stock.Article
	skus     map[base.ID]*stock.SKU
	now      int64 // the plan's instant; 0: there is no plan

	attributes map[base.ID]*label.Attribute // nil: it goes
	n          int                          // so much of the write set is read
}

// read reads what has come to the write set since.
func (e *Edits) read(set []base.RowChange) {
	for _, c := range set[e.n:] {
		switch c := c.(type) {
		case *base.Change[stock.Article]:
			if c.After != nil {
				put(&e.articles, c.After.No, c.After)
			}
		case *base.Change[stock.SKU]:
			if c.After != nil {
				put(&e.skus, c.After.ID, c.After)
			}
		case *base.Change[label.Attribute]:
			put(&e.attributes, c.Key(), c.After)
		}
	}
	e.n = len(set)
}

// article, sku and attribute are rows as a plan leaves them, or as they are.
func (e *Edits) article(a *base.AccountState, no uint32) *stock.Article {
	if r := e.articles[no]; r != nil {
		return r
	}
	return stock.ArticleTable(a).No(no)
}

func (e *Edits) sku(a *base.AccountState, id base.ID) *stock.SKU {
	if s := e.skus[id]; s != nil {
		return s
	}
	return stock.SKUTable(a).Get(id)
}

func (e *Edits) attribute(a *base.AccountState, id base.ID) *label.Attribute {
	if d, changed := e.attributes[id]; changed {
		return d
	}
	return label.AttributeTable(a).Get(id)
}

// put makes the map with its first entry.
func put[K comparable, R any](m *map[K]*R, key K, r *R) {
	if *m == nil {
		*m = map[K]*R{}
	}
	(*m)[key] = r
}

// RecordWith is the answer for an order on some state of the stock, with some rows as a plan leaves them, and with the
// first of its units, at most so many.
func RecordWith(a *base.AccountState, o *Order, s *timeline.Stock, e *Edits, most int) *OrderRecord {
	r := &OrderRecord{Order: o}
	for _, id := range o.Tags {
		if g := label.TagTable(a).Get(id); g != nil {
			r.TagRows = append(r.TagRows, g)
		}
	}
	r.Units = make([]UnitRecord, 0, min(o.UnitCount(), most))
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range min(len(l.Units), most-len(r.Units)) {
			r.Units = append(r.Units, unitRecord(a, l, &l.Units[j], s, e))
		}
	}
	return r
}

func unitRecord(a *base.AccountState, l *OrderLine, u *OrderUnit, s *timeline.Stock, e *Edits) UnitRecord {
	r := placeOf(a, u, s, e)
	r.Ordered = ordered(a, l, u, stock.ArticleTable(a).Get(r.Article))
	if article := stock.ArticleTable(a).Get(r.Ordered.Article); article != nil {
		r.OrderedName = e.article(a, article.No).Name
	} else if sku := e.sku(a, r.Ordered.SKU); sku != nil {
		r.OrderedName, r.OrderedCode = sku.Name, sku.Code
	}
	return r
}

// placeOf is where a unit is.
func placeOf(a *base.AccountState, u *OrderUnit, s *timeline.Stock, e *Edits) (r UnitRecord) {
	lot := u.Lot
	if h, at, ok := s.Find(u.Hold); ok {
		r.Range, r.Conflict = h.Span, !at.Seated()
		if r.Conflict {
			return r
		}
		r.Unmet, lot = stock.Unmet(s, h, at, cmp.Or(e.now, a.Ledger.At)), at.Lot
	} else if _, ok := sale(a, 0, 0, u); ok {
		r.Range = base.Span{Start: u.Handed, End: base.Forever}
	} else if lot == 0 {
		return r
	}
	no := s.Lot(lot).Article
	article := e.article(a, no)
	if article == nil {
		r.Article = stock.ArticleKind.IDOf(a, no)
		return r
	}
	r.Article, r.Name, r.Codes = article.ID, article.Name, article.Codes
	if article.SKU != nil {
		sku := e.sku(a, *article.SKU)
		r.SKUName, r.SKUCode = &sku.Name, sku.Code
	}
	return r
}

// elsewhere says whether two places show in an order's record as different: by their article, or as one is none.
func elsewhere(t *base.Tx, p, q timeline.Place) bool {
	if p.Seated() != q.Seated() || !p.Seated() || p.Lot == q.Lot {
		return p.Seated() != q.Seated()
	}
	s := stock.Draft(t).Stock()
	return s.Lot(p.Lot).Article != s.Lot(q.Lot).Article
}

// ReturnedAt is when the last unit of a line came back, 0 while not all are.
func (l *OrderLine) ReturnedAt() (at int64) {
	if l.Fulfillment() != Returned {
		return 0
	}
	for j := range l.Units {
		at = max(at, l.Units[j].Returned)
	}
	return at
}

// StockItems is how many units the order has.
func (r *OrderRecord) StockItems() int { return r.UnitCount() }

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

// OrderStockItems reads units of an order in the order of its lines, and how many it has. The record has none of them;
// it is nil where there is no such order.
func OrderStockItems(v base.View, id base.ID, p base.Part) (r *OrderRecord, list []OrderStockItem, total int) {
	o := OrderTable(v.Acc).Get(id)
	if o == nil {
		return nil, nil, 0
	}
	n := 0
	for i := range o.Lines {
		l := &o.Lines[i]
		from := min(max(p.Offset-n, 0), len(l.Units))
		for j := from; j < len(l.Units) && len(list) < p.Limit; j++ {
			list = append(list,
				OrderStockItem{l, &l.Units[j], unitRecord(v.Acc, l, &l.Units[j], v.Acc.Stock, &Edits{})})
		}
		n += len(l.Units)
	}
	return RecordWith(v.Acc, o, v.Acc.Stock, &Edits{}, 0), list, n
}
