package engine

import (
	"slices"
	"strings"

	"holdfast/timeline"
)

// This file owns orders of holds: a cart, or several, whose lines and units an order takes over, each line for a price.

// OrderHold makes an order of holds: their lines and units are taken over as they are, without a moment between. It
// answers with the *OrderRecord. Holds that have expired refuse it, and the refusal names the first.
type OrderHold struct {
	OrderInput
	Holds        []ID // at one location
	Held         []HeldLineInput
	Status       *OrderStatus       // an order of holds is open
	Subscription *SubscriptionTerms // of the lines that are held as subscriptions
	Collection   *string            // how those are paid
}

// HeldLineInput says how a line of a hold is sold. A line of which nothing is said is sold as a line of an order is that names neither
// a row nor a price.
type HeldLineInput struct {
	Hold       *ID // nil: the only one
	Line       int // from 0, of the hold
	PricingRow *ID
	UnitPrice  *int64 // in place of what the row says
	TaxRate    *int   // basis points
	Name       *string
	Note       *string
}

// maxOrderHolds bounds the holds that one order is made of.
const maxOrderHolds = 100

func (o OrderHold) Check() []Fault {
	var c checker
	in := o.OrderInput
	in.Status = OrderOpen
	in.check(&c)
	if o.Status != nil && *o.Status != OrderOpen {
		c.fault("/status", "enum", "must be open: a hold has its stock already")
	}
	if o.Holds == nil {
		c.fault("/holdIds", "required", "is missing")
	}
	c.distinct("/holdIds", o.Holds, maxOrderHolds)
	said := map[heldLine]bool{}
	for at, x := range each(&c, "/heldLines", o.Held, 0, maxLines) {
		l, ok := o.heldLine(x)
		switch {
		case x.Hold == nil && !ok:
			c.fault(at+"/holdId", "required", "is missing: there are several holds")
		case !ok:
			c.fault(at+"/holdId", "unknown", "is none of holdIds")
		case said[l]:
			c.fault(at, "duplicate", "is of a line that an earlier entry is of")
		}
		said[l] = true
		c.number(at+"/line", x.Line, 0, maxLines-1)
		if x.PricingRow != nil && x.UnitPrice != nil {
			c.fault(at+"/unitPrice", "exclusive", "has a pricing row or a unit price, not both")
		}
		if x.UnitPrice != nil {
			c.price(at+"/unitPrice", *x.UnitPrice)
		}
		c.taxRate(at+"/taxRate", x.TaxRate)
		c.optional(at+"/name", x.Name, 1, maxName)
		c.optional(at+"/note", x.Note, 0, maxNote)
	}
	c.subscription("/subscription", o.Subscription)
	c.optional("/subscription/collectionMethod", o.Collection, 1, maxName)
	return c.faults
}

// heldLine is a line of a hold.
type heldLine struct {
	hold ID
	line int
}

// heldLine is the line that an entry is of; ok is false where it names none of the holds.
func (o *OrderHold) heldLine(x *HeldLineInput) (l heldLine, ok bool) {
	l.line = x.Line
	switch {
	case x.Hold != nil:
		l.hold = *x.Hold
		return l, slices.Contains(o.Holds, l.hold)
	case len(o.Holds) == 1:
		l.hold = o.Holds[0]
		return l, true
	}
	return l, false
}

// checkOn names entries of lines that a hold has not, and rows that are for something else.
func (o OrderHold) checkOn(a *account) []Fault {
	var c checker
	o.OrderInput.checkOn(&c, a)
	if _, several := a.heldFor(&o); several {
		c.fault("/customerId", "required", "is missing: the holds are for several customers")
	}
	for i := range o.Held {
		x, at := &o.Held[i], "/heldLines/"+itoa(i)
		l, ok := o.heldLine(x)
		rec := a.holds().get(l.hold)
		if !ok || rec == nil {
			continue // faults of their own
		}
		if l.line < 0 || l.line >= len(rec.lines) {
			c.fault(at+"/line", "range", "the hold has no such line")
			continue
		}
		if x.PricingRow == nil {
			continue
		}
		if _, row := a.pricingRowByID(*x.PricingRow); row != nil {
			of := &a.hold(rec, a.stock.Find, 0).Lines[l.line]
			if code, message := a.misnamed(of.Item, of.Purchase, row); code != "" {
				c.fault(at+"/pricingRowId", code, message)
			}
		}
	}
	return c.faults
}

func (o OrderHold) plan(t *tx) (any, error) {
	recs := make([]*holdRecord, len(o.Holds))
	for i, id := range o.Holds {
		var err error
		if recs[i], err = t.liveHold(id); err != nil {
			return nil, ofHold(id, err)
		}
	}
	in := o.OrderInput
	if err := t.heldAt(&in, recs); err != nil {
		return nil, err
	}
	if id, _ := t.acc.heldFor(&o); id != (ID{}) && t.mayBeFor(id) == nil {
		in.Customer = &id
	}
	n, err := t.newOrder(&in)
	if err != nil {
		return nil, err
	}
	n.Status = OrderOpen
	for _, rec := range recs {
		if err := t.takeOver(n, rec, &o); err != nil {
			return nil, err
		}
	}
	if n.units() > maxUnits {
		return nil, tooManyUnits()
	}
	if err := t.reroute(n, o.AllowOverbooked); err != nil {
		return nil, err
	}
	t.seatFreed()
	if err := t.reprice(n); err != nil {
		return nil, err
	}
	if err := t.applyCodes(n, o.Discounts); err != nil {
		return nil, err
	}
	return t.answer(n), nil
}

func (OrderHold) result() any { return new(OrderRecord) }

// heldFor is whom holds are for that become an order which does not say so; zero: nobody, and several: more than one.
func (a *account) heldFor(o *OrderHold) (customer ID, several bool) {
	if o.Customer != nil || o.Contact != nil {
		return ID{}, false
	}
	for _, id := range o.Holds {
		rec := a.holds().get(id)
		if rec == nil || rec.customer == (ID{}) || rec.customer == customer {
			continue
		}
		if customer != (ID{}) {
			return ID{}, true
		}
		customer = rec.customer
	}
	return customer, false
}

// ofHold is a refusal that one of several holds is the cause of.
func ofHold(id ID, err error) error {
	refusal, ok := err.(*Error)
	if !ok {
		return err
	}
	e := *refusal
	e.Detail += " (hold " + id.String() + ")"
	return &e
}

// heldAt fills in where the holds have their units and where those go to when they end, if the order does not say so.
func (t *tx) heldAt(in *OrderInput, recs []*holdRecord) error {
	from, to, several := recs[0].lines[0].location, recs[0].lines[0].goes(), false
	for _, rec := range recs {
		for i := range rec.lines {
			if rec.lines[i].location != from {
				return refuse(CodeConflict, "the holds have stock at several locations; an order takes its stock at one")
			}
			several = several || rec.lines[i].goes() != to
		}
	}
	at := t.acc.locations().No(from)
	switch {
	case at == nil:
		return refuse(CodeConflict, "the location of the hold's stock is gone")
	case in.Pickup == (ID{}):
		in.Pickup = at.ID
	case in.Pickup != at.ID:
		return refuse(CodeConflict, "the hold's stock is at another location than the pickup location")
	}
	if in.Return != nil {
		return nil
	}
	back := t.acc.locations().No(to)
	switch {
	case several:
		return refuse(CodeConflict, "the held units come back at several locations; name the order's return location")
	case back == nil:
		return notFound("location")
	}
	in.Return = &back.ID
	return nil
}

// takeOver makes lines of a hold's lines, and its units theirs. Units of one line that were moved apart become lines of their own: a
// line has one window.
func (t *tx) takeOver(o *Order, rec *holdRecord, in *OrderHold) error {
	d := t.draft()
	held, next := t.hold(rec), uint64(1)
	for i := range held.Lines {
		x := &held.Lines[i]
		base, first := rec.lines[i].begin(rec.id, next)
		next = first + uint64(rec.lines[i].units)
		var windows [][]timeline.Placed
		for n := range uint64(rec.lines[i].units) {
			h, at, _ := d.Find(after(base, first+n))
			j := slices.IndexFunc(windows, func(w []timeline.Placed) bool { return w[0].Body() == h.Body() })
			if j < 0 {
				j, windows = len(windows), append(windows, nil)
			}
			windows[j] = append(windows[j], timeline.Placed{Hold: h, Place: at})
		}
		if x.CatalogItem != (ID{}) && len(windows) > 1 {
			return refuse(CodeConflict, "line %d of the hold is of kits whose units were moved apart; an order takes a kit for one window", i)
		}
		for _, units := range windows {
			if err := t.takeOverUnits(o, x, &rec.lines[i], heldLine{rec.id, i}, units, in); err != nil {
				return err
			}
		}
	}
	ended := *rec
	ended.status, ended.due = Ordered, t.now+endedKept
	record(t, holdKind, rec, &ended)
	return nil
}

// takeOverUnits makes a line of units of a hold's line that have one window.
func (t *tx) takeOverUnits(o *Order, x *HoldLine, held *holdLine, from heldLine, units []timeline.Placed, of *OrderHold) error {
	w := units[0].Body()
	in := OrderLineInput{Item: x.Item, Purchase: x.Purchase, Quantity: len(units), From: &w.Start}
	if w.End != Forever {
		in.To = &w.End
	}
	if x.CatalogItem != (ID{}) {
		in.Quantity = x.Quantity
	}
	said := slices.IndexFunc(of.Held, func(x HeldLineInput) bool { l, _ := of.heldLine(&x); return l == from })
	if said >= 0 {
		x := &of.Held[said]
		in.PricingRow, in.UnitPrice, in.TaxRate, in.Name, in.Note = x.PricingRow, x.UnitPrice, x.TaxRate, x.Name, x.Note
	}
	if x.Purchase == PurchaseSubscription {
		if in.Subscription, in.Collection = of.Subscription, of.Collection; !t.acc.hasTerms(&in) {
			return invalid([]Fault{{Pointer: "/subscription", Code: "required", Message: "is missing: line " + itoa(from.line) + " of the hold is a subscription"}})
		}
	}
	if err := t.addLine(o, &in); err != nil {
		return from.refused(said, err)
	}
	l := &o.Lines[len(o.Lines)-1]
	for _, u := range units {
		u.Owner, u.Line, u.Flags = uint64(o.Number), l.No, u.Flags.WithBlocker(timeline.BlockerOrder)
		t.draft().Replace(u.Hold)
		l.Units = append(l.Units, OrderUnit{ID: t.newID(), Hold: u.ID, ByHand: u.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot)})
	}
	if x.CatalogItem != (ID{}) {
		t.partsOf(l, held.booked, units)
	}
	t.beginSubscription(o, l)
	return nil
}

// refused is a refusal of a line, of which an entry says how it is sold, or none (-1) does.
func (l heldLine) refused(entry int, err error) error {
	refusal, ok := err.(*Error)
	if !ok {
		return err
	}
	e := *refusal
	e.Detail += " (line " + itoa(l.line) + " of hold " + l.hold.String() + ")"
	e.Faults = slices.Clone(e.Faults)
	for i := range e.Faults {
		switch f := &e.Faults[i]; {
		case strings.HasPrefix(f.Pointer, "/lineItems"):
		case entry >= 0:
			f.Pointer = "/heldLines/" + itoa(entry) + f.Pointer
		default:
			f.Pointer, f.Message = "/heldLines", "must have an entry for line "+itoa(l.line)+" of hold "+l.hold.String()+": "+f.Pointer[1:]+" "+f.Message
		}
	}
	return &e
}

// partsOf says of units which component of a line's kits each is: of those that they were made of. Where an older program did not keep these, and the units
// are not what the kit takes by now, each is a part of its own, so that none is given back for another.
func (t *tx) partsOf(l *OrderLine, booked *bookedKit, units []timeline.Placed) {
	var parts []uint16
	k, err := t.acc.heldKit(l.Of, booked)
	if err == nil {
		for j, p := range k.parts {
			parts = append(parts, slices.Repeat([]uint16{uint16(j)}, int(l.Quantity)*p.quantity)...)
		}
	}
	whole := len(parts) == len(units)
	for i := 0; whole && booked == nil && i < len(units); i++ {
		whole = t.isPart(units[i].Hold, units[i].Place, k.parts[parts[i]])
	}
	for i := range units {
		if l.Units[i].Part = uint16(i); whole {
			l.Units[i].Part = parts[i]
		}
	}
	m := own(&l.More)
	if whole {
		m.Components, m.PartPrices = k.components(), t.acc.pricesOf(k)
	} else if m.PartPrices = nil; m.empty() {
		l.More = nil
	}
}
