package engine

import (
	"encoding/binary"
	"slices"

	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns the removal of locations, SKUs and articles: what stands in its way, and what is left of them.
//
// Holds, lots and units name them by number, and those that are over outlive them: a former row keeps the id of a number, so
// that an old hold still says what it was for.

// former is what is left of a record that is gone.
type former struct {
	ID ID
	Of byte // the table byte of its kind
	No uint32
}

var formerKind = func() *kind[former] {
	k := rowsOf(tagFormer, "former record", func(f *former) ID { return f.ID },
		table.By(func(f *former) []string { return []string{formerKey(f.Of, f.No)} }))
	k.resource = "" // the record's own end is told
	return k
}()

func formerKey(of byte, no uint32) string {
	return string(binary.BigEndian.AppendUint32([]byte{of}, no))
}

// bury keeps the id of a number whose record goes.
func (t *tx) bury(of byte, id ID, no uint32) { record(t, formerKind, nil, &former{id, of, no}) }

func (a *account) formerID(of byte, no uint32) ID {
	if f := formerKind.in(a).First(0, formerKey(of, no)); f != nil {
		return f.ID
	}
	return ID{}
}

// locationID, skuID and articleID are the ids of numbers, also of records that are gone.
func (a *account) locationID(no uint32) ID {
	if l := a.locations().No(no); l != nil {
		return l.ID
	}
	return a.formerID(tagLocation, no)
}

func (a *account) skuID(no uint32) ID {
	if s := a.skus().No(no); s != nil {
		return s.ID
	}
	return a.formerID(tagSKU, no)
}

func (a *account) articleID(no uint32) ID {
	if r := a.articles().No(no); r != nil {
		return r.ID
	}
	return a.formerID(tagArticle, no)
}

// holdsNaming counts the holds that are not over and ask for something: all of them made after it was. It looks at each,
// at 20 ms a million, as a removal is rare and a count kept with every hold would be dear.
func (a *account) holdsNaming(made ID, now int64, names func(l *holdLine) bool) (n int) {
	for id, row := range a.holds().rows.From(made) {
		if row.status.Ended() {
			continue
		}
		found := row.first.to > now && names(&row.first)
		if !found && row.more {
			more := a.holds().more.Get(id).lines
			for i := range more {
				found = found || more[i].to > now && names(&more[i])
			}
		}
		if found {
			n++
		}
	}
	return n
}

// takers are who takes units, by kind: holds, orders, and scheduled events.
type takers [timeline.BlockerScheduledEvent + 1]map[ID]bool

func (o *takers) add(a *account, h timeline.Hold) {
	of := &o[h.Flags.Blocker()]
	if *of == nil {
		*of = map[ID]bool{}
	}
	(*of)[a.ownerOf(h)] = true
}

func (o *takers) inUse() error {
	for by, resource := range [...]string{"hold", "order", "scheduledEvent"} {
		if err := inUse(resource, len(o[by])); err != nil {
			return err
		}
	}
	return nil
}

// ordersNaming refuses to remove what orders that are not closed refer to. It looks at each, as holdsNaming does.
func (a *account) ordersNaming(names func(o *Order) bool) error {
	n := 0
	for o := range a.orders().All() {
		if o.Status != OrderClosed && names(o) {
			n++
		}
	}
	return inUse("order", n)
}

// naming says whether an order has a line for something.
func naming(id ID) func(o *Order) bool {
	return func(o *Order) bool { return slices.ContainsFunc(o.Lines, func(l OrderLine) bool { return l.Of == id }) }
}

// DeleteLocation removes a location at which no unit is, now or later, and for which no hold and no scheduled event is that
// is not over. It answers with nil.
type DeleteLocation struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteLocation) Check() []Fault { return nil }

func (o DeleteLocation) plan(t *tx) (any, error) {
	l, err := found(t, locationKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := t.acc.locationInUse(l, t.now); err != nil {
		return nil, err
	}
	record(t, locationKind, l, nil)
	t.bury(tagLocation, l.ID, l.No)
	return nil, nil
}

func (a *account) locationInUse(l *Location, now int64) error {
	articles := 0
	var waiting takers
	for no := timeline.LotNo(1); uint32(no) <= a.ledger.Lot; no++ {
		if a.stock.Lot(no).Location != l.No {
			continue
		}
		if a.lotLasts(no, now) {
			articles++
		}
		for h := range a.stock.ConflictsIn(timeline.LotRef(no), Span{Start: now, End: Forever}) {
			waiting.add(a, h)
		}
	}
	if err := inUse("article", articles); err != nil {
		return err
	}
	if err := waiting.inUse(); err != nil {
		return err
	}
	events := 0
	for s := range a.events().All() {
		if s.Location == l.ID && s.Window.End > now {
			events++
		}
	}
	if err := inUse("scheduledEvent", events); err != nil {
		return err
	}
	if err := a.ordersNaming(func(o *Order) bool { return o.Pickup == l.ID || o.Return == l.ID }); err != nil {
		return err
	}
	return inUse("hold", a.holdsNaming(l.ID, now, func(x *holdLine) bool { return x.location == l.No }))
}

// lotLasts says whether a lot has a unit that has not ended.
func (a *account) lotLasts(no timeline.LotNo, now int64) bool {
	for _, slot := range a.stock.Slots(no) {
		if s, _ := a.stock.Slot(slot); s.Span.End > now {
			return true
		}
	}
	return false
}

func (DeleteLocation) result() any { return new(any) }

// DeleteSKU removes a SKU that has no article, and for which no hold is that is not over. It answers with nil.
type DeleteSKU struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteSKU) Check() []Fault { return nil }

func (o DeleteSKU) plan(t *tx) (any, error) {
	s, err := found(t, skuKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	articles := 0
	for range t.acc.articles().By(articleBySKU, string(s.ID[:])) {
		articles++
	}
	if err := inUse("article", articles); err != nil {
		return nil, err
	}
	if err := t.usedByCatalog(s.ID); err != nil {
		return nil, err
	}
	if err := t.acc.ordersNaming(naming(s.ID)); err != nil {
		return nil, err
	}
	if err := inUse("hold", t.acc.holdsNaming(s.ID, t.now, func(x *holdLine) bool { return x.named == namesSKU && x.item == s.No })); err != nil {
		return nil, err
	}
	record(t, skuKind, s, nil)
	t.bury(tagSKU, s.ID, s.No)
	return nil, nil
}

func (DeleteSKU) result() any { return new(any) }

// DeleteArticle removes an article with its units and scheduled events, unless a hold or a reservation that is not over has
// one of its units or waits for one. Its units end now; holds that are over keep theirs. It answers with nil.
type DeleteArticle struct {
	ID      ID
	IfMatch []uint64
}

func (DeleteArticle) Check() []Fault { return nil }

func (o DeleteArticle) plan(t *tx) (any, error) {
	r, err := found(t, articleKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	if err := t.usedByCatalog(r.ID); err != nil {
		return nil, err
	}
	if err := t.acc.articleInUse(r, t.now); err != nil {
		return nil, err
	}
	record(t, articleKind, r, nil)
	t.bury(tagArticle, r.ID, r.No)
	gone := *r
	gone.SKU, t.seating().article = nil, &gone
	t.rehouse(r.SKU)
	for s := range t.acc.events().By(eventByArticle, string(r.ID[:])) {
		if s.Type == EventReservation {
			t.draft().Take(after(s.ID, 1))
		}
		record(t, scheduledEventKind, s, nil)
	}
	for _, l := range r.lots {
		for _, no := range t.acc.stock.Slots(l.no) {
			if s, _ := t.acc.stock.Slot(no); s.Span.End > t.now {
				t.draft().EndSlot(no, t.now)
			}
		}
	}
	return nil, nil
}

func (a *account) articleInUse(r *Article, now int64) error {
	var taken takers
	units := 0
	rest := Span{Start: now, End: Forever}
	for _, l := range r.lots {
		units += len(a.stock.Slots(l.no))
		for _, no := range a.stock.Slots(l.no) {
			for h := range a.stock.Holds(no, rest) {
				taken.add(a, h)
			}
		}
		for h := range a.stock.ConflictsIn(timeline.LotRef(l.no), rest) {
			taken.add(a, h)
		}
	}
	if err := taken.inUse(); err != nil {
		return err
	}
	if units > maxSwept { // more than a command changes: some are to be taken away first
		return inUse("unit", units)
	}
	if err := a.ordersNaming(naming(r.ID)); err != nil {
		return err
	}
	return inUse("hold", a.holdsNaming(r.ID, now, func(x *holdLine) bool { return x.named == namesArticle && x.item == r.No }))
}

func (DeleteArticle) result() any { return new(any) }
