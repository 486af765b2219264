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

// This file owns orders of holds: a cart, or several, whose lines and units an order takes over, each line for a price.

// OrderHold makes an order of holds: their lines and units are taken over as they are, in one step, so the units are
// never free in between. It answers with the *OrderRecord. It is refused if a hold has expired; the refusal names the
// first.
type OrderHold struct {
	base.Answers[*OrderRecord]
	base.Adds
	OrderInput
	Holds        []base.ID // at one location
	Held         []HeldLineInput
	Status       *OrderStatus                // an order of holds is open
	Subscription *commerce.SubscriptionTerms // of the lines that are held as subscriptions
	Collection   *string                     // how those are paid
}

// HeldLineInput says how a line of a hold is sold. A line of which nothing is said is sold as a line of an order is
// that names neither a row nor a price.
type HeldLineInput struct {
	Hold       *base.ID `field:"holdId id" about:"The hold; it may be left out where there is one."`
	Line       int      `field:"line int 0..999 required" about:"The number of its line, from 0."`
	PricingRow *base.ID `field:"pricingRowId id" about:"The pricing row that the price is of. Default: of an item with a pricing table the fitting row that asks least." example:"null"`
	UnitPrice  *int64   `field:"unitPrice int 0..9007199254740991" about:"Price of one unit for the whole time, in minor units of the account's currency; of a subscription for a cycle."`
	TaxRate    *int     `field:"taxRate int 0..10000" about:"Tax in hundredths of a percent: 2300 is 23 %."`
	Name       *string  `field:"name text 1..255" about:"What the line is called. Default: as the item is."`
	Note       *string  `field:"note text 0..10000" about:"A text for those who read it."`
}

// maxOrderHolds bounds the holds that one order is made of.
const maxOrderHolds = 100

func (o OrderHold) Check(c *base.Checker) {
	in := o.OrderInput
	in.Status = OrderOpen
	in.check(c)
	if o.Status != nil && *o.Status != OrderOpen {
		c.Fault("/status", "enum", "must be open: a hold has its stock already")
	}
	if o.Holds == nil {
		c.Fault("/holdIds", "required", "is missing")
	}
	c.Distinct("/holdIds", o.Holds, maxOrderHolds)
	said := map[heldLine]bool{}
	for at, x := range base.Each(c, "/heldLines", o.Held, base.MaxLines) {
		l, ok := o.heldLine(x)
		switch {
		case x.Hold == nil && !ok:
			c.Hanging("/holdIds", at+"/holdId", "required", "is missing: there are several holds")
		case !ok:
			c.Hanging("/holdIds", at+"/holdId", "unknown", "is none of holdIds")
		case said[l]:
			c.Fault(at, "duplicate", "is of a line that an earlier entry is of")
		}
		said[l] = true
		base.CheckFields(c, at, x)
		onePrice(c, at, x.PricingRow, x.UnitPrice)
	}
	commerce.CheckSubscription(c, o.Subscription)
	c.Optional("/subscription/collectionMethod", o.Collection, 1, base.MaxName)
}

// heldLine is a line of a hold.
type heldLine struct {
	hold base.ID
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

// CheckOn names entries of lines that a hold has not, and rows that are for something else.
func (o OrderHold) CheckOn(c *base.Checker, a *base.AccountState) {
	o.OrderInput.checkOn(c, a)
	if _, several := heldFor(a, &o); several {
		c.Fault("/customerId", "required", "is missing: the holds are for several customers")
	}
	for i := range o.Held {
		x, at := &o.Held[i], "/heldLines/"+base.Itoa(i)
		l, ok := o.heldLine(x)
		rec := hold.Holds(a).Get(l.hold)
		if !ok || rec == nil {
			continue // faults of their own
		}
		if l.line < 0 || l.line >= len(rec.Lines) {
			c.Fault(at+"/line", "range", "the hold has no such line")
			continue
		}
		if x.PricingRow == nil {
			continue
		}
		if row := commerce.PricingRowByID(a, *x.PricingRow); row != nil {
			of := &hold.HoldFrom(a, rec, a.Stock.Find, 0).Lines[l.line]
			if code, message := misnamed(a, of.Item, of.Purchase, row); code != "" {
				c.Fault(at+"/pricingRowId", code, message)
			}
		}
	}
}

func (o OrderHold) PlanOn(t *base.Tx) (any, error) {
	recs := make([]*hold.HoldRecord, len(o.Holds))
	for i, id := range o.Holds {
		var err error
		if recs[i], err = hold.LiveHold(t, id); err != nil {
			return nil, ofHold(id, err)
		}
	}
	in := o.OrderInput
	if err := heldAt(t, &in, recs); err != nil {
		return nil, err
	}
	if id, _ := heldFor(t.Acc, &o); id != (base.ID{}) && commerce.MayBeFor(t, id) == nil {
		in.Customer = &id
	}
	n, err := newOrder(t, &in)
	if err != nil {
		return nil, err
	}
	n.Status = OrderOpen
	for _, rec := range recs {
		if err := takeOver(t, n, rec, &o); err != nil {
			return nil, err
		}
	}
	if n.UnitCount() > base.MaxUnits {
		return nil, tooManyUnits()
	}
	if err := rerouteAsked(t, n, o.AllowOverbooked); err != nil {
		return nil, err
	}
	stock.SeatFreed(t)
	if err := reprice(n); err != nil {
		return nil, err
	}
	if err := applyCodes(t, n, o.Discounts); err != nil {
		return nil, err
	}
	return answer(t, n), nil
}

// heldFor is the customer of the holds that become an order, if the order names none; zero: the holds name none either.
// several: they name more than one.
func heldFor(a *base.AccountState, o *OrderHold) (customer base.ID, several bool) {
	if o.Customer != nil || o.Contact != nil {
		return base.ID{}, false
	}
	for _, id := range o.Holds {
		rec := hold.Holds(a).Get(id)
		if rec == nil || rec.Customer == (base.ID{}) || rec.Customer == customer {
			continue
		}
		if customer != (base.ID{}) {
			return base.ID{}, true
		}
		customer = rec.Customer
	}
	return customer, false
}

// ofHold is a refusal that one of several holds is the cause of.
func ofHold(id base.ID, err error) error {
	refusal, ok := err.(*base.Error)
	if !ok {
		return err
	}
	e := *refusal
	e.Detail += " (hold " + id.String() + ")"
	return &e
}

// heldAt fills in where the holds have their units and where those go to when they end, if the order does not say so.
func heldAt(t *base.Tx, in *OrderInput, recs []*hold.HoldRecord) error {
	from, to, several := recs[0].Lines[0].Location, recs[0].Lines[0].Goes(), false
	for _, rec := range recs {
		for i := range rec.Lines {
			if rec.Lines[i].Location != from {
				return base.Refuse(base.CodeConflict,
					"the holds have stock at several locations; an order takes its stock at one")
			}
			several = several || rec.Lines[i].Goes() != to
		}
	}
	at := stock.LocationTable(t.Acc).No(from)
	switch {
	case at == nil:
		return base.Refuse(base.CodeConflict, "the location of the hold's stock is gone")
	case in.Pickup == (base.ID{}):
		in.Pickup = at.ID
	case in.Pickup != at.ID:
		return base.Refuse(base.CodeConflict, "the hold's stock is at another location than the pickup location")
	}
	if in.Return != nil {
		return nil
	}
	back := stock.LocationTable(t.Acc).No(to)
	switch {
	case several:
		return base.Refuse(base.CodeConflict,
			"the held units come back at several locations; name the order's return location")
	case back == nil:
		return base.NotFound("location")
	}
	in.Return = &back.ID
	return nil
}

// takeOver makes lines of a hold's lines, and its units theirs. Units of one line that were moved apart become lines of
// their own: a line has one window.
func takeOver(t *base.Tx, o *Order, rec *hold.HoldRecord, in *OrderHold) error {
	d := stock.Draft(t)
	held, next := hold.HoldIn(t, rec), uint64(1)
	for i := range held.Lines {
		x := &held.Lines[i]
		proto, first := rec.Lines[i].Begin(rec.ID, next)
		next = first + uint64(rec.Lines[i].Units)
		var windows [][]timeline.Placed
		for n := range uint64(rec.Lines[i].Units) {
			h, at, _ := d.Find(base.After(proto, first+n))
			j := slices.IndexFunc(windows, func(w []timeline.Placed) bool { return w[0].Body() == h.Body() })
			if j < 0 {
				j, windows = len(windows), append(windows, nil)
			}
			windows[j] = append(windows[j], timeline.Placed{Hold: h, Place: at})
		}
		if x.CatalogItem != (base.ID{}) && len(windows) > 1 {
			return base.Refuse(base.CodeConflict,
				"line %d of the hold is of kits whose units were moved apart; an order takes a kit for one window", i)
		}
		for _, units := range windows {
			if err := takeOverUnits(t, o, x, &rec.Lines[i], heldLine{rec.ID, i}, units, in); err != nil {
				return err
			}
		}
	}
	ended := *rec
	ended.Status, ended.Due = hold.Ordered, t.Now+hold.EndedKept
	base.Record(t, hold.HoldKind, rec, &ended)
	return nil
}

// takeOverUnits makes a line of units of a hold's line that have one window.
func takeOverUnits(t *base.Tx, o *Order, x *hold.HoldLine, held *hold.LineRow, from heldLine, units []timeline.Placed,
	of *OrderHold) error {
	w := units[0].Body()
	in := OrderLineInput{Item: x.Item, Purchase: x.Purchase, Quantity: len(units), From: &w.Start}
	if w.End != base.Forever {
		in.To = &w.End
	}
	if x.CatalogItem != (base.ID{}) {
		in.Quantity = x.Quantity
	}
	said := slices.IndexFunc(of.Held, func(x HeldLineInput) bool { l, _ := of.heldLine(&x); return l == from })
	if said >= 0 {
		x := &of.Held[said]
		in.PricingRow, in.UnitPrice, in.TaxRate, in.Name, in.Note = x.PricingRow, x.UnitPrice, x.TaxRate, x.Name, x.Note
	}
	if x.Purchase == base.PurchaseSubscription {
		if in.Subscription, in.Collection = of.Subscription, of.Collection; !hasTerms(t.Acc, &in) {
			return base.InvalidAt("/subscription", "required",
				"is missing: line "+base.Itoa(from.line)+" of the hold is a subscription")
		}
	}
	if err := addLine(t, o, &in); err != nil {
		return from.refused(said, err)
	}
	l := &o.Lines[len(o.Lines)-1]
	for _, u := range units {
		u.Owner, u.Line, u.Flags = uint64(o.Number), l.No, u.Flags.WithBlocker(timeline.BlockerOrder)
		stock.Draft(t).Replace(u.Hold)
		l.Units = append(l.Units,
			OrderUnit{ID: t.NewID(), Hold: u.ID, ByHand: u.Flags.Any(timeline.PinnedArticle | timeline.PinnedSlot)})
	}
	if x.CatalogItem != (base.ID{}) {
		partsOf(t, l, held.Booked, units)
	}
	beginSubscription(t, o, l)
	return nil
}

// refused is a refusal of a line, of which an entry says how it is sold, or none (-1) does.
func (l heldLine) refused(entry int, err error) error {
	refusal, ok := err.(*base.Error)
	if !ok {
		return err
	}
	e := *refusal
	e.Detail += " (line " + base.Itoa(l.line) + " of hold " + l.hold.String() + ")"
	e.Faults = slices.Clone(e.Faults)
	for i := range e.Faults {
		switch f := &e.Faults[i]; {
		case strings.HasPrefix(f.Pointer, "/lineItems"):
		case entry >= 0:
			f.Pointer = "/heldLines/" + base.Itoa(entry) + f.Pointer
		default:
			f.Pointer, f.Message = "/heldLines", "must have an entry for line "+base.Itoa(l.line)+" of hold "+
				l.hold.String()+": "+f.Pointer[1:]+" "+f.Message
		}
	}
	return &e
}

// partsOf sets, for each unit, the number of its component in the line's kits. Where that is not known (an older
// program did not store it, and the kit has changed), each unit is a component of its own, so that no unit is given
// back for another.
func partsOf(t *base.Tx, l *OrderLine, booked *hold.BookedKit, units []timeline.Placed) {
	var parts []uint16
	k, err := hold.HeldKit(t.Acc, l.Of, booked)
	if err == nil {
		for j, p := range k.Parts {
			parts = append(parts, slices.Repeat([]uint16{uint16(j)}, int(l.Quantity)*p.Quantity)...)
		}
	}
	whole := len(parts) == len(units)
	for i := 0; whole && booked == nil && i < len(units); i++ {
		whole = commerce.IsPart(t, units[i].Hold, units[i].Place, k.Parts[parts[i]])
	}
	for i := range units {
		if l.Units[i].Part = uint16(i); whole {
			l.Units[i].Part = parts[i]
		}
	}
	if whole {
		m := Own(&l.More)
		m.Components, m.PartPrices = k.Components(), commerce.PartPrices(t.Acc, k)
	}
}
