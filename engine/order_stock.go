package engine

import (
	"slices"
	"strings"

	"holdfast/timeline"
)

// This file owns how orders take stock: lines become requests like those of holds, and are seated with them. A unit of an
// order has the order's number in its row, so that it finds its order wherever it moves to.

func init() {
	registerOwnership(timeline.BlockerOrder, ownership{
		record: func(a *account, h timeline.Hold) ID {
			if o := a.orderOf(h); o != nil {
				return o.ID
			}
			return ID{}
		},
		item: func(a *account, h timeline.Hold) ID {
			if o := a.orderOf(h); o != nil {
				return o.itemOf(h)
			}
			return ID{}
		},
		planned: func(t *tx, h timeline.Hold) (record, item ID) {
			o := t.acc.orderOf(h)
			for _, e := range t.ordering().edits {
				if e.now != nil && e.now.Number == uint32(h.Owner) {
					o = e.now
				}
			}
			if o == nil {
				return record, item
			}
			return o.ID, o.itemOf(h)
		},
		made: func(a *account, h timeline.Hold, on *Article) ID {
			if o := a.orderOf(h); o != nil {
				return a.madeForLine(o.lineNo(h.Line), h, on)
			}
			return ID{}
		},
		goes: func(a *account, h timeline.Hold) ID {
			if o := a.orderOf(h); o != nil {
				return o.Return
			}
			return ID{}
		},
	})
}

// itemOf is the unit of an order that a unit of stock is for, zero where it is for none.
func (o *Order) itemOf(h timeline.Hold) ID {
	if _, u := o.unitOf(h.Line, h.ID); u != nil {
		return u.ID
	}
	return ID{}
}

// sends says whether units of a line leave the place where they are taken: flags is what their rows say of it.
func (o *Order) sends(l *OrderLine) (flags timeline.Flags) {
	if o.Return != o.Pickup && l.Purchase.Type() != PurchaseSale {
		return timeline.OneWay
	}
	return 0
}

// orderOf is the order that a unit of stock belongs to, or nil: Owner is the order's number.
func (a *account) orderOf(h timeline.Hold) *Order { return a.orders().No(uint32(h.Owner)) }

func (a *account) madeForLine(l *OrderLine, h timeline.Hold, on *Article) ID {
	switch {
	case l == nil || l.Names == namesArticle:
		return ID{}
	case l.Names == namesSKU:
		return l.Of
	}
	i := slices.IndexFunc(l.Units, func(u OrderUnit) bool { return u.Hold == h.ID })
	if i < 0 {
		return ID{}
	}
	if part, known := l.component(&l.Units[i]); known {
		return part.SKU
	}
	k := a.kitSince(l.Of, h.ID)
	if k == nil {
		return ID{}
	}
	return a.madeForPart(k, l, l.Units[i].Part, on)
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
	if !l.whole(k, part) {
		return ID{}
	}
	return p.sku.ID
}

// whole says that a line of kits has as many units of a component as they take.
func (l *OrderLine) whole(k *kit, part uint16) bool {
	n := 0
	for i := range l.Units {
		if l.Units[i].Part == part {
			n++
		}
	}
	return n == int(l.Quantity)*k.parts[part].quantity
}

// component is the one of its kit that a unit is, where its line keeps which it was booked with.
func (l *OrderLine) component(u *OrderUnit) (c Component, known bool) {
	booked := l.Rest().Components
	if int(u.Part) >= len(booked) {
		return c, false
	}
	return booked[u.Part], true
}

// askLine appends the requests that n more of a line make: of kits of the components that it was booked with, which it keeps from its
// first unit of stock on.
func (t *tx) askLine(dst []request, o *Order, l *OrderLine, n int) ([]request, error) {
	if l.Names != namesCatalogItem {
		return t.ask(dst, l.Item(), o.Pickup, n, l.Purchase.Type())
	}
	k, err := t.lineKit(l, n)
	if err != nil {
		return dst, err
	}
	if l.Rest().Components == nil {
		own(&l.More).Components = k.components()
	}
	return t.askKits(dst, k, o.Pickup, n, l.Purchase.Type())
}

// lineKit is the kit of which a line gets units for n more: of the components that it was booked with, else as it is now. A line that does not say
// which those were, as it was a hold's or an older program's, has units of the kit as it is now, or gets no more of them.
func (t *tx) lineKit(l *OrderLine, n int) (*kit, error) {
	if i := t.acc.catalog().Get(l.Of); i != nil && l.Rest().Components != nil {
		return t.acc.kitOf(i, l.Rest().Components)
	}
	k, err := t.acc.kit(l.Of)
	if err == nil && slices.ContainsFunc(l.Units, func(u OrderUnit) bool { return u.Hold != (ID{}) }) && !t.hasKits(l, k, int(l.Quantity)-n) {
		return nil, refuse(CodeConflict, "the item takes other components now; make another line")
	}
	return k, err
}

// hasKits says that a line has the units that n of a kit take, and no others.
func (t *tx) hasKits(l *OrderLine, k *kit, n int) bool {
	left := make([]int, len(k.parts))
	for i, p := range k.parts {
		left[i] = n * p.quantity
	}
	for i := range l.Units {
		u := &l.Units[i]
		h, at, ok := t.draft().Find(u.Hold)
		if !ok || int(u.Part) >= len(left) || left[u.Part] == 0 || !t.isPart(h, at, k.parts[u.Part]) {
			return false
		}
		left[u.Part]--
	}
	return len(l.Units) == n*k.units()
}

// want asks for stock for n of a line's item.
type want struct{ line, n int }

// takeStock seats units for lines of an order, all or none. Units that wait for stock, as those of a draft do, get it first;
// where there are too few of a line they are made. Overbooked, what is short becomes a conflict.
func (t *tx) takeStock(o *Order, wants []want, overbook bool) error {
	requests := make([]request, 0, len(wants))
	from := make([]int, 0, len(wants))
	units := 0
	for _, w := range wants {
		l := &o.Lines[w.line]
		from = append(from, len(requests))
		var err error
		if requests, err = t.askLine(requests, o, l, w.n); err != nil {
			return ofLineItem(w.line, err)
		}
		line := requests[from[len(from)-1]:]
		units += setLine(line, w.line, l.span(), l.Purchase.Type().kind(), uint64(units+1))
		for j := range line {
			q := &line[j]
			q.overbook = overbook
			q.proto.Line, q.proto.Owner = l.No, uint64(o.Number)
			leaves := o.departs(l)
			q.proto.Flags = q.proto.Flags.WithBlocker(timeline.BlockerOrder) | leaves
			if leaves != 0 {
				q.to = t.acc.locations().Get(o.Return)
			}
			if len(l.Rest().Requirements) > 0 {
				q.proto.Flags |= timeline.Choosy
			}
			if k, is := q.bundle.(*kits); is && q.asks() != nil {
				asks := q.proto
				asks.Flags &^= timeline.PinnedArticle
				k.asks = &asks
			}
		}
	}
	if units > maxUnits {
		return tooManyUnits()
	}
	base := t.newID()
	t.used += uint64(units)
	t.seating().departing.overbook = overbook
	if err := t.seatAsked(base, requests); err != nil {
		return err
	}
	n := uint64(0)
	for i, w := range wants {
		l := &o.Lines[w.line]
		line := requests[from[i]:]
		if i+1 < len(wants) {
			line = requests[from[i]:from[i+1]]
		}
		next := 0 // unit of the line that may wait for stock
		for j := range line {
			for range line[j].quantity {
				for next < len(l.Units) && (l.Units[next].Hold != (ID{}) || l.Units[next].State == Cancelled) {
					next++
				}
				if next == len(l.Units) {
					l.Units = append(l.Units, OrderUnit{ID: t.newID()})
				}
				n++
				u := &l.Units[next]
				u.Hold, u.Part, u.ByHand = after(base, n), uint16(j), l.Names == namesArticle
			}
		}
		for i := next + 1; i < len(l.Units); i++ { // the item takes fewer by now
			if l.Units[i].Hold == (ID{}) && l.Units[i].State != Cancelled {
				l.Units = l.Units[:i]
				break
			}
		}
	}
	if o.units() > maxUnits {
		return tooManyUnits()
	}
	return nil
}

func tooManyUnits() *Error {
	return invalid([]Fault{{Pointer: "/lineItems", Code: "range", Message: "must ask for at most 10000 units in all"}})
}

// ofLineItem says which line a refusal is about.
func ofLineItem(line int, err error) error {
	refusal, ok := err.(*Error)
	if !ok {
		return err
	}
	e := *refusal
	e.Detail += " (line " + itoa(line) + ")"
	return &e
}

// ofNewLine says which of the lines that a request brings a refusal is about, and in its faults where that line stands.
func ofNewLine(line int, err error) error {
	e, ok := ofLineItem(line, err).(*Error)
	if !ok {
		return err
	}
	e.Faults = slices.Clone(e.Faults)
	for i := range e.Faults {
		if f := &e.Faults[i]; !strings.HasPrefix(f.Pointer, "/lineItems") {
			f.Pointer = "/lineItems/" + itoa(line) + f.Pointer
		}
	}
	return e
}

// plannedUnits gives a line of a draft the units that it would take.
func (t *tx) plannedUnits(o *Order, l *OrderLine) error {
	requests, err := t.ask(nil, l.Item(), o.Pickup, int(l.Quantity), l.Purchase.Type())
	if err != nil {
		return err
	}
	n := 0
	for j, q := range requests {
		for range q.quantity {
			if n == len(l.Units) {
				l.Units = append(l.Units, OrderUnit{ID: t.newID()})
			}
			l.Units[n].Part, l.Units[n].ByHand = uint16(j), l.Names == namesArticle
			if n++; n > maxUnits {
				return tooManyUnits()
			}
		}
	}
	l.Units = l.Units[:n]
	return nil
}

// free takes the stock of a unit back.
func (t *tx) free(u *OrderUnit) {
	if u.Hold == (ID{}) {
		return
	}
	if h, at, ok := t.draft().Take(u.Hold); ok {
		t.freed(h.Span, at)
	}
	u.Hold = ID{}
}

// redate gives the units of a line that are not handed over another window: all or none. The line has it already.
func (t *tx) redate(o *Order, line int, overbook bool) error {
	l := &o.Lines[line]
	requests := make([]request, 0, len(l.Units))
	d := t.draft()
	for j := range l.Units {
		u := &l.Units[j]
		h, at, ok := d.Find(u.Hold)
		dates := MoveLine{From: &l.From, To: &l.To}
		if !ok || u.Handed != 0 || dates.idle(h) {
			continue
		}
		if t.loose(l, u, h, at) {
			h.Flags = h.Flags&^timeline.PinnedArticle | timeline.Choosy
		}
		q, err := t.moveRequest(line, dates, h, at)
		if err != nil {
			return ofLineItem(line, err)
		}
		q.overbook = overbook
		requests = append(requests, q)
	}
	if len(requests) > 0 {
		d.Claim()
	}
	t.seating().departing.overbook = overbook
	t.letGo(requests)
	if err := t.seatAsked(ID{}, requests); err != nil {
		return err
	}
	d.Waive() // units that the line gets beside them are new
	return nil
}

// loose says that a unit of a line with requirements may be of another article that meets them. Rows of before holds could say so have
// it pinned to its article.
func (t *tx) loose(l *OrderLine, u *OrderUnit, h timeline.Hold, at timeline.Place) bool {
	if len(l.Rest().Requirements) == 0 || u.ByHand || h.Flags.Has(timeline.PinnedSlot) {
		return false
	}
	if l.Names != namesCatalogItem {
		return true
	}
	h.Flags &^= timeline.PinnedArticle // nobody named it
	if part, known := l.component(u); known {
		return part.SKU != (ID{})
	}
	k, err := t.acc.kit(l.Of)
	return err == nil && int(u.Part) < len(k.parts) && k.parts[u.Part].sku != nil && t.isPart(h, at, k.parts[u.Part])
}

// extend gives the units of a line that are out the line's end: all or none. Overbooked, what is in their way makes room or becomes a
// conflict.
func (t *tx) extend(l *OrderLine, line int, overbook bool) error {
	for j := range l.Units {
		u := &l.Units[j]
		if u.Handed == 0 || u.Returned != 0 {
			continue
		}
		h, at, ok := t.draft().Find(u.Hold)
		if !ok {
			continue
		}
		body := Span{Start: h.Body().Start, End: t.notOver(l.To)}
		if l.To <= body.Start {
			return invalid([]Fault{{Pointer: "/endDate", Code: "order", Message: "must be later than the hand-over"}})
		}
		if to := t.goes(h); to != nil {
			t.send(h.ID, to)
		}
		t.seating().departing.overbook = overbook
		if !t.stretch(h, at, body, overbook) {
			return insufficient([]Shortage{*t.shortOf(unitOfLine{line, l, u}, h.WithSpan(Span{Start: h.Span.Start, End: body.End}).WithBuffers(0, 0), at)})
		}
	}
	return t.blockedDeparture()
}

// reroute has the units of an order that have not come back go where the order says by now: those that are not handed over are seated
// where every other hold can do without them. What stands in the way refuses it, or, overbooked, becomes a conflict.
func (t *tx) reroute(o *Order, overbook bool) error {
	d, to := t.draft(), t.acc.locations().Get(o.Return)
	t.seating().departing.overbook = overbook
	var requests []request
	var there []ID // units that stay where they are
	for i := range o.Lines {
		l := &o.Lines[i]
		for j := range l.Units {
			u := &l.Units[j]
			h, at, ok := d.Find(u.Hold)
			if !ok || u.Returned != 0 {
				continue
			}
			goes := o.departs(l)
			t.send(h.ID, to)
			was, _, _ := t.acc.stock.Find(h.ID)
			if goes == h.Flags&timeline.OneWay && (goes == 0 || t.acc.goes(was) == to) {
				continue
			}
			t.lift(h.ID)
			h.Flags = h.Flags&^timeline.OneWay | goes
			d.Replace(h)
			if q, err := t.moveRequest(i, MoveLine{}, h, at); err == nil && u.Handed == 0 && q.leaves() {
				q.overbook = overbook
				requests = append(requests, q)
			} else {
				there = append(there, h.ID)
			}
		}
	}
	if len(requests) > 0 {
		d.Claim()
		t.letGo(requests)
	}
	if err := t.seatAll(ID{}, requests); err != nil {
		return err
	}
	d.Waive()
	t.settleUnits(there...)
	return t.blockedDeparture()
}

// undeparted says that an order has units that leave their place, for which no program has planned that: an older one made it. That is due at once. The order says
// that they are planned, and what becomes of them since, as one that cannot be called off, is not planned again.
func (o *Order) undeparted() bool {
	sends := func(l OrderLine) bool { return o.sends(&l) != 0 }
	return !o.Departs && o.Return != o.Pickup && (o.Status == OrderOpen || o.Status == OrderActive) && slices.ContainsFunc(o.Lines, sends)
}

// departOlder plans the departures of an order that an older program made. What counts on its units becomes a conflict. What the order says
// stays what it was.
func (t *tx) departOlder(id ID) {
	n, err := t.edit(id)
	if err != nil {
		return
	}
	t.editOf(id).kept = true
	n.Departs = true
	if err := t.reroute(n, true); err != nil {
		panic(err) // nothing refuses it when it may overbook: this is a fault of the program, and sets the order aside
	}
}

// departs notes that an order's lines send units elsewhere, with their departures planned.
func (o *Order) departs(l *OrderLine) (flags timeline.Flags) {
	if flags = o.sends(l); flags != 0 {
		o.Departs = true
	}
	return flags
}
