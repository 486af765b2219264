package order

import (
	"slices"
	"strings"

	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/hold"
	"holdfast/engine/stock"
	"holdfast/timeline"
)

// This file owns how orders take stock: lines become requests like those of holds, and are seated with them. A unit of
// an order has the order's number in its row, so that it finds its order wherever it moves to.

func init() {
	stock.RegisterOwnership(timeline.BlockerOrder, stock.Ownership{
		Record: func(a *base.AccountState, h timeline.Hold) base.ID {
			if o := orderOf(a, h); o != nil {
				return o.ID
			}
			return base.ID{}
		},
		Item: func(a *base.AccountState, h timeline.Hold) base.ID {
			if o := orderOf(a, h); o != nil {
				return o.itemOf(h)
			}
			return base.ID{}
		},
		Planned: func(t *base.Tx, h timeline.Hold) (record, item base.ID) {
			o := orderOf(t.Acc, h)
			for _, e := range orderingOf(t).edits {
				if e.now != nil && e.now.Number == uint32(h.Owner) {
					o = e.now
				}
			}
			if o == nil {
				return record, item
			}
			return o.ID, o.itemOf(h)
		},
		Made: func(a *base.AccountState, h timeline.Hold, on *stock.Article) base.ID {
			if o := orderOf(a, h); o != nil {
				return madeForLine(a, o.LineNo(h.Line), h, on)
			}
			return base.ID{}
		},
		Goes: func(a *base.AccountState, h timeline.Hold) base.ID {
			if o := orderOf(a, h); o != nil {
				return o.Return
			}
			return base.ID{}
		},
	})
}

// itemOf is the unit of an order that a unit of stock is for, zero where it is for none.
func (o *Order) itemOf(h timeline.Hold) base.ID {
	if u := o.unitOf(h.Line, h.ID); u != nil {
		return u.ID
	}
	return base.ID{}
}

// sends says whether units of a line leave the place where they are taken: flags is what their rows say of it.
func (o *Order) sends(l *OrderLine) (flags timeline.Flags) {
	if o.Return != o.Pickup && l.Purchase.Type() != base.PurchaseSale {
		return timeline.OneWay
	}
	return 0
}

// orderOf is the order that a unit of stock belongs to, or nil: Owner is the order's number.
func orderOf(a *base.AccountState, h timeline.Hold) *Order { return OrderTable(a).No(uint32(h.Owner)) }

func madeForLine(a *base.AccountState, l *OrderLine, h timeline.Hold, on *stock.Article) base.ID {
	switch {
	case l == nil || l.Names == base.NamesArticle:
		return base.ID{}
	case l.Names == base.NamesSKU:
		return l.Of
	}
	i := slices.IndexFunc(l.Units, func(u OrderUnit) bool { return u.Hold == h.ID })
	if i < 0 {
		return base.ID{}
	}
	if part, known := l.component(&l.Units[i]); known {
		return part.SKU
	}
	k := commerce.KitSince(a, l.Of, h.ID)
	if k == nil {
		return base.ID{}
	}
	return madeForPart(k, l, l.Units[i].Part, on)
}

// madeForPart is that of a component of a line of kits. An order of a hold that was not of whole kits has each unit as
// a component of its own: which one it was, is not known.
func madeForPart(k *commerce.Kit, l *OrderLine, part uint16, on *stock.Article) base.ID {
	if int(part) >= len(k.Parts) || k.Parts[part].SKU == nil {
		return base.ID{}
	}
	p := k.Parts[part]
	if p.Has(on) {
		return p.SKU.ID // the usual case: the units need not be counted
	}
	if !l.whole(k, part) {
		return base.ID{}
	}
	return p.SKU.ID
}

// whole says that a line of kits has as many units of a component as they take.
func (l *OrderLine) whole(k *commerce.Kit, part uint16) bool {
	n := 0
	for i := range l.Units {
		if l.Units[i].Part == part {
			n++
		}
	}
	return n == int(l.Quantity)*k.Parts[part].Quantity
}

// component is the one of its kit that a unit is, where its line keeps which it was booked with.
func (l *OrderLine) component(u *OrderUnit) (c commerce.Component, known bool) {
	booked := l.Rest().Components
	if int(u.Part) >= len(booked) {
		return c, false
	}
	return booked[u.Part], true
}

// askLine appends the requests that n more of a line make: of kits of the components that it was booked with, which it
// keeps from its first unit of stock on.
func askLine(t *base.Tx, dst []stock.Request, o *Order, l *OrderLine, n int) ([]stock.Request, error) {
	if l.Names != base.NamesCatalogItem {
		return commerce.Ask(t, dst, l.Item(), o.Pickup, n, l.Purchase.Type())
	}
	k, err := lineKit(t, l, n)
	if err != nil {
		return dst, err
	}
	if l.Rest().Components == nil {
		m := Own(&l.More)
		m.Components, m.PartPrices = k.Components(), commerce.PartPrices(t.Acc, k)
	}
	return commerce.AskKits(t, dst, k, o.Pickup, n, l.Purchase.Type())
}

// lineKit is the kit of which a line gets units for n more: of the components that it was booked with, else as it is
// now. A line that does not say which those were, as it was a hold's or an older program's, has units of the kit as it
// is now, or gets no more of them.
func lineKit(t *base.Tx, l *OrderLine, n int) (*commerce.Kit, error) {
	if i := commerce.CatalogTable(t.Acc).Get(l.Of); i != nil && l.Rest().Components != nil {
		return commerce.KitOf(t.Acc, i, l.Rest().Components)
	}
	k, err := commerce.KitByID(t.Acc, l.Of)
	if err == nil && slices.ContainsFunc(l.Units, func(u OrderUnit) bool { return u.Hold != (base.ID{}) }) &&
		!hasKits(t, l, k, int(l.Quantity)-n) {
		return nil, base.Refuse(base.CodeConflict, "the item takes other components now; make another line")
	}
	return k, err
}

// hasKits says that a line has the units that n of a kit take, and no others.
func hasKits(t *base.Tx, l *OrderLine, k *commerce.Kit, n int) bool {
	left := make([]int, len(k.Parts))
	for i, p := range k.Parts {
		left[i] = n * p.Quantity
	}
	for i := range l.Units {
		u := &l.Units[i]
		h, at, ok := stock.Draft(t).Find(u.Hold)
		if !ok || int(u.Part) >= len(left) || left[u.Part] == 0 || !commerce.IsPart(t, h, at, k.Parts[u.Part]) {
			return false
		}
		left[u.Part]--
	}
	return len(l.Units) == n*k.Units()
}

// want asks for stock for n of a line's item.
type want struct{ line, n int }

// takeStock seats units for lines of an order, all or none. A refusal counts lines from 0, beginning with the first
// that is wanted. Units that wait for stock, like those of a draft, get it first; if a line has too few units, more are
// made. If it may be overbooked, what is short becomes a conflict.
func takeStock(t *base.Tx, o *Order, wants []want, overbook bool) error {
	requests := make([]stock.Request, 0, len(wants))
	from := make([]int, 0, len(wants))
	units := 0
	for _, w := range wants {
		l := &o.Lines[w.line]
		from = append(from, len(requests))
		var err error
		if requests, err = askLine(t, requests, o, l, w.n); err != nil {
			return ofLineItem(w.line-wants[0].line, err)
		}
		line := requests[from[len(from)-1]:]
		units += stock.SetLine(line, w.line-wants[0].line, l.Span(), l.Purchase.Type().Kind(), uint64(units+1))
		for j := range line {
			q := &line[j]
			q.Overbook = overbook
			q.Proto.Line, q.Proto.Owner = l.No, uint64(o.Number)
			leaves := o.departs(l)
			q.Proto.Flags = q.Proto.Flags.WithBlocker(timeline.BlockerOrder) | leaves
			if leaves != 0 {
				q.To = stock.LocationTable(t.Acc).Get(o.Return)
			}
			if len(l.Rest().Requirements) > 0 {
				q.Proto.Flags |= timeline.Choosy
			}
			if k, is := q.Bundle.(*commerce.Kits); is && q.Asks() != nil {
				asks := q.Proto
				asks.Flags &^= timeline.PinnedArticle
				k.Asks = &asks
			}
		}
	}
	if units > base.MaxUnits {
		return tooManyUnits()
	}
	like := t.NewID()
	t.Used += uint64(units)
	stock.Departing(t).Overbook = overbook
	if err := stock.SeatAsked(t, like, requests); err != nil {
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
			for range line[j].Quantity {
				for next < len(l.Units) && (l.Units[next].Hold != (base.ID{}) || l.Units[next].State == Cancelled) {
					next++
				}
				if next == len(l.Units) {
					l.Units = append(l.Units, OrderUnit{ID: t.NewID()})
				}
				n++
				u := &l.Units[next]
				u.Hold, u.Part, u.ByHand = base.After(like, n), uint16(j), l.Names == base.NamesArticle
			}
		}
		for i := next + 1; i < len(l.Units); i++ { // the item takes fewer by now
			if l.Units[i].Hold == (base.ID{}) && l.Units[i].State != Cancelled {
				l.Units = l.Units[:i]
				break
			}
		}
	}
	if o.UnitCount() > base.MaxUnits {
		return tooManyUnits()
	}
	return nil
}

func tooManyUnits() *base.Error {
	return base.InvalidAt("/lineItems", "range", "must ask for at most 10000 units in all")
}

// ofLineItem says which line a refusal is about.
func ofLineItem(line int, err error) error {
	refusal, ok := err.(*base.Error)
	if !ok {
		return err
	}
	e := *refusal
	e.Detail += " (line " + base.Itoa(line) + ")"
	return &e
}

// ofNewLine says which of the lines that a request brings a refusal is about, and in its faults where that line stands.
func ofNewLine(line int, err error) error {
	e, ok := ofLineItem(line, err).(*base.Error)
	if !ok {
		return err
	}
	e.Faults = slices.Clone(e.Faults)
	for i := range e.Faults {
		if f := &e.Faults[i]; !strings.HasPrefix(f.Pointer, "/lineItems") {
			f.Pointer = "/lineItems/" + base.Itoa(line) + f.Pointer
		}
	}
	return e
}

// plannedUnits gives a line of a draft the units that it would take.
func plannedUnits(t *base.Tx, o *Order, l *OrderLine) error {
	requests, err := commerce.Ask(t, nil, l.Item(), o.Pickup, int(l.Quantity), l.Purchase.Type())
	if err != nil {
		return err
	}
	n := 0
	for j, q := range requests {
		for range q.Quantity {
			if n == len(l.Units) {
				l.Units = append(l.Units, OrderUnit{ID: t.NewID()})
			}
			l.Units[n].Part, l.Units[n].ByHand = uint16(j), l.Names == base.NamesArticle
			if n++; n > base.MaxUnits {
				return tooManyUnits()
			}
		}
	}
	l.Units = l.Units[:n]
	return nil
}

// free takes the stock of a unit back.
func free(t *base.Tx, u *OrderUnit) {
	if u.Hold == (base.ID{}) {
		return
	}
	if h, at, ok := stock.Draft(t).Take(u.Hold); ok {
		stock.Freed(t, h.Span, at)
	}
	u.Hold = base.ID{}
}

// redate gives the units of a line that are not handed over another window: all or none. The line has it already.
func redate(t *base.Tx, o *Order, line int, overbook bool) error {
	l := &o.Lines[line]
	requests := make([]stock.Request, 0, len(l.Units))
	d := stock.Draft(t)
	for j := range l.Units {
		u := &l.Units[j]
		h, at, ok := d.Find(u.Hold)
		dates := hold.MoveLine{From: &l.From, To: &l.To}
		if !ok || u.Handed != 0 || dates.Idle(h) {
			continue
		}
		if loose(t, l, u, h, at) {
			h.Flags = h.Flags&^timeline.PinnedArticle | timeline.Choosy
		}
		q, err := hold.MoveRequest(t, 0, dates, h, at)
		if err != nil {
			return err
		}
		q.Overbook = overbook
		requests = append(requests, q)
	}
	if len(requests) > 0 {
		d.Claim()
	}
	stock.Departing(t).Overbook = overbook
	stock.LetGo(t, requests)
	if err := stock.SeatAsked(t, base.ID{}, requests); err != nil {
		return err
	}
	d.Waive() // units that the line gets in addition are new
	return nil
}

// loose says that a unit of a line with requirements may be of another article that meets them. Rows of before holds
// could say so have it pinned to its article.
func loose(t *base.Tx, l *OrderLine, u *OrderUnit, h timeline.Hold, at timeline.Place) bool {
	if len(l.Rest().Requirements) == 0 || u.ByHand || h.Flags.Has(timeline.PinnedSlot) {
		return false
	}
	if l.Names != base.NamesCatalogItem {
		return true
	}
	h.Flags &^= timeline.PinnedArticle // no request named it
	if part, known := l.component(u); known {
		return part.SKU != (base.ID{})
	}
	k, err := commerce.KitByID(t.Acc, l.Of)
	return err == nil && int(u.Part) < len(k.Parts) && k.Parts[u.Part].SKU != nil &&
		commerce.IsPart(t, h, at, k.Parts[u.Part])
}

// extend gives the units of a line that are out the line's end: all or none. Overbooked, what is in their way makes
// room or becomes a conflict.
func extend(t *base.Tx, l *OrderLine, overbook bool) error {
	for j := range l.Units {
		u := &l.Units[j]
		if u.Handed == 0 || u.Returned != 0 {
			continue
		}
		h, at, ok := stock.Draft(t).Find(u.Hold)
		if !ok {
			continue
		}
		body := base.Span{Start: h.Body().Start, End: stock.NotOver(t, l.To)}
		if l.To <= body.Start {
			return base.InvalidAt("/endDate", "order", "must be later than the hand-over")
		}
		if to := stock.GoesInPlan(t, h); to != nil {
			stock.Send(t, h.ID, to)
		}
		stock.Departing(t).Overbook = overbook
		if !stock.Stretch(t, h, at, body, overbook) {
			return stock.Insufficient(t, []base.Shortage{*shortOf(t, unitOfLine{0, l, u},
				h.WithSpan(base.Span{Start: h.Span.Start, End: body.End}).WithBuffers(0, 0), at)})
		}
	}
	return stock.BlockedDeparture(t)
}

// rerouteAsked is reroute for a command, which is refused if an article gets more slots by that than it may have.
func rerouteAsked(t *base.Tx, o *Order, overbook bool) error {
	if err := reroute(t, o, overbook); err != nil {
		return err
	}
	return stock.Crowded(t)
}

// reroute makes the units of an order that have not come back go where the order says by now: those that are not handed
// over are seated where every other hold can do without them. If other holds stand in the way, it is refused, or, with
// overbook, they become conflicts.
func reroute(t *base.Tx, o *Order, overbook bool) error {
	d, to := stock.Draft(t), stock.LocationTable(t.Acc).Get(o.Return)
	stock.Departing(t).Overbook = overbook
	var requests []stock.Request
	var there []base.ID // units that stay where they are
	for i := range o.Lines {
		l := &o.Lines[i]
		goes := o.departs(l)
		for j := range l.Units {
			u := &l.Units[j]
			h, at, ok := d.Find(u.Hold)
			if !ok || u.Returned != 0 {
				continue
			}
			stock.Send(t, h.ID, to)
			was, _, _ := t.Acc.Stock.Find(h.ID)
			if goes == h.Flags&timeline.OneWay && (goes == 0 || stock.GoesTo(t.Acc, was) == to) {
				continue
			}
			if !stock.Lift(t, h.ID) {
				continue // others count on its arrival where it was to go: it goes there
			}
			h.Flags = h.Flags&^timeline.OneWay | goes
			d.Replace(h)
			if q, err := hold.MoveRequest(t, i, hold.MoveLine{}, h, at); err == nil && u.Handed == 0 && q.Leaves() {
				q.Overbook = overbook
				requests = append(requests, q)
			} else {
				there = append(there, h.ID)
				if !at.Seated() { // one that goes elsewhere no more needs a unit for its time alone
					stock.TryAnew(t, h.ID)
				}
			}
		}
	}
	if len(requests) > 0 {
		d.Claim()
		stock.LetGo(t, requests)
	}
	if err := stock.SeatAll(t, base.ID{}, requests); err != nil {
		return err
	}
	d.Waive()
	stock.SettleUnits(t, there...)
	return stock.BlockedDeparture(t)
}

// undeparted says that an order has units that leave their place, for which no program has planned that: an older one
// made it. That is due at once. The order says that they are planned, and what becomes of them since, as one that
// cannot be called off, is not planned again.
func (o *Order) undeparted() bool {
	sends := func(l OrderLine) bool { return o.sends(&l) != 0 }
	return !o.Departs && o.Return != o.Pickup && (o.Status == OrderOpen || o.Status == OrderActive) &&
		slices.ContainsFunc(o.Lines, sends)
}

// departOlder plans the departures of an order that an older program made. Holds that count on its units become
// conflicts. The order still says what it said.
func departOlder(t *base.Tx, id base.ID) {
	n, err := Edit(t, id)
	if err != nil {
		return
	}
	editOf(t, id).kept = true
	n.Departs = true
	if err := reroute(t, n, true); err != nil {
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
