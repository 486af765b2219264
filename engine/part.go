package engine

import (
	"slices"

	"holdfast/timeline"
)

// This file owns long lists inside a record: of their entries a record has the first, and how many there are; the others are
// read page by page.

// MaxListed is how many entries a list inside one record has at most.
const MaxListed = 1000

// Part is a part of a list: so many entries from an offset on.
type Part struct{ Offset, Limit int }

// First is the part that a record has of a list.
var First = Part{0, MaxListed}

// partOf cuts a list.
func partOf[T any](list []T, p Part) []T {
	from := min(p.Offset, len(list))
	return list[from:min(from+p.Limit, len(list))]
}

// HoldUnits reads units of a hold in the order of its lines, and how many it has; ok is false where there is no such hold.
func (v View) HoldUnits(id ID, p Part) (list []Unavailability, total int, ok bool) {
	rec := v.acc.holds.get(id)
	if rec == nil {
		return nil, 0, false
	}
	if rec.status.Ended() {
		return nil, 0, true
	}
	total = rec.units()
	for n := p.Offset; n < min(p.Offset+p.Limit, total); n++ {
		if u, at, ok := v.acc.stock.Find(after(rec.id, uint64(n+1))); ok {
			list = append(list, v.acc.unavailability(u, at))
		}
	}
	return list, total, true
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
			list = append(list, OrderStockItem{l, &l.Units[j], v.acc.unitRecord(&l.Units[j], v.acc.stock, &edits{})})
		}
		n += len(l.Units)
	}
	return v.acc.orderRecord(o, v.acc.stock, &edits{}, 0), list, n
}

// ArticleUnits reads what is taken of an article in a window, in id order, and how much that is. An instant has Start == End.
func (v View) ArticleUnits(id ID, w Span, p Part) (list []Unavailability, total int, err error) {
	r := v.acc.articles().Get(id)
	if r == nil {
		return nil, 0, errNoArticle
	}
	w = instantOr(w)
	f := firstUnits{most: p.Offset + p.Limit}
	for _, l := range r.lots {
		for _, no := range v.acc.stock.Slots(l.no) {
			for h := range v.acc.stock.Holds(no, w) {
				f.add(timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.no, Slot: no}})
			}
		}
		for h := range v.acc.stock.ConflictsIn(timeline.LotRef(l.no), w) {
			f.add(timeline.Placed{Hold: h, Place: timeline.Place{Lot: l.no}})
		}
	}
	for _, u := range partOf(f.list(), p) {
		list = append(list, v.acc.unavailability(u.Hold, u.Place))
	}
	return list, f.total, nil
}

// firstUnits are the first by id of all that are added.
type firstUnits struct {
	most  int
	total int
	kept  []timeline.Placed
}

// add adds one. What cannot be among the first is dropped now and then, so that a list of any length takes bounded room.
func (f *firstUnits) add(u timeline.Placed) {
	f.total++
	if f.kept = append(f.kept, u); len(f.kept) >= 2*f.most+64 {
		f.list()
	}
}

// list gives the first so far.
func (f *firstUnits) list() []timeline.Placed {
	slices.SortFunc(f.kept, func(x, y timeline.Placed) int { return x.ID.Compare(y.ID) })
	f.kept = f.kept[:min(len(f.kept), f.most)]
	return f.kept
}
