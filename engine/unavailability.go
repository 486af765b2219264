package engine

import "holdfast/timeline"

// This file owns unavailabilities: units of stock that are taken, and whose they are.

// Unavailability is one unit of stock taken for a range: a hold on a slot, or a conflict.
type Unavailability struct {
	ID       ID
	Range    Span // the hull: buffers and body
	Body     Span
	Kind     timeline.Kind
	Blocker  timeline.Blocker
	Owner    ID // the hold, scheduled event or order that it belongs to
	Item     ID // of an order: the stock item that it is for
	Article  ID
	Location ID
	Slot     ID // zero: a conflict, or sold
	Line     int
	Unmet    bool // its article does not have what the order's line requires any more
}

// CreatedAt is the instant at which the unit was taken.
func (u Unavailability) CreatedAt() int64 { return CreatedAt(u.ID) }

// Conflict says that the hold has no unit. What was sold is no hold any more.
func (u Unavailability) Conflict() bool { return u.Slot == (ID{}) && u.Kind != timeline.Sale }

// history visits what is no unavailability any more and is shown as one in a window: what of a lot was sold at an instant of it.
var history func(a *account, lot timeline.LotNo, w Span, visit func(timeline.Placed))

func (a *account) unavailability(h timeline.Hold, at timeline.Place) Unavailability {
	lot := a.stock.Lot(at.Lot)
	u := Unavailability{
		ID: h.ID, Range: h.Span, Body: h.Body(), Kind: h.Kind, Blocker: h.Flags.Blocker(), Owner: a.ownerOf(h), Line: int(h.Line),
		Article: a.articleID(lot.Article), Location: a.locationID(lot.Location), Unmet: unmet(a.stock, h, at, a.ledger.At),
	}
	if o := ownerships[u.Blocker]; o != nil && o.item != nil {
		u.Item = o.item(a, h)
	}
	if s, ok := a.stock.Slot(at.Slot); ok {
		u.Slot = s.ID
	}
	return u
}

// unavailability is a unit as the plan leaves it.
func (t *tx) unavailability(c timeline.Placed) Unavailability {
	left := *t.acc
	left.stock = t.draft().Stock()
	u := left.unavailability(c.Hold, c.Place)
	if r := t.seating().article; r != nil && r.No == left.stock.Lot(c.Place.Lot).Article {
		u.Article = r.ID
	}
	if o := ownerships[u.Blocker]; o != nil && o.planned != nil {
		u.Owner, u.Item = o.planned(t, c.Hold)
	}
	return u
}

// ownership finds the record that a unit belongs to, and what of it the unit is for, zero where there is none; and the SKU that an
// auto-assigned unit on an article was made for (made.go).
type ownership struct {
	record, item func(a *account, h timeline.Hold) ID
	made         func(a *account, h timeline.Hold, on *Article) ID
	goes         func(a *account, h timeline.Hold) ID           // the location that a one-way unit goes to
	planned      func(t *tx, h timeline.Hold) (record, item ID) // as a plan leaves them
}

// ownerships are those of what takes units, where ids of units do not follow that of their record.
var ownerships [timeline.BlockerScheduledEvent + 1]*ownership

func registerOwnership(by timeline.Blocker, o ownership) { ownerships[by] = &o }

// ahead is the record of a unit whose id follows it: Owner says at what distance.
func ahead(_ *account, h timeline.Hold) ID { return before(h.ID, h.Owner) }

// ownerOf is the record that a unit belongs to.
func (a *account) ownerOf(h timeline.Hold) ID {
	if o := ownerships[h.Flags.Blocker()]; o != nil {
		return o.record(a, h)
	}
	return ahead(a, h)
}

// Unavailability returns one unit that is taken.
func (v View) Unavailability(id ID) (Unavailability, bool) {
	h, at, ok := v.acc.stock.Find(id)
	if !ok {
		return Unavailability{}, false
	}
	return v.acc.unavailability(h, at), true
}

// unmet says that a unit sits on an article that does not have what its line requires any more. Of what is over, nobody asks.
func unmet(s *timeline.Stock, h timeline.Hold, at timeline.Place, now int64) bool {
	return h.Flags.Has(timeline.Choosy) && at.Seated() && h.Span.End > now && !s.Meets(h, at.Lot, now)
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
