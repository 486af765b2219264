package stock

import (
	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns unavailabilities: units of stock that are taken, and whose they are.

// Unavailability is one unit of stock taken for a range: a hold on a slot, or a conflict.
type Unavailability struct {
	ID       base.ID
	Range    base.Span // the hull: buffers and body
	Body     base.Span
	Kind     timeline.Kind
	Blocker  timeline.Blocker
	Owner    base.ID // the hold, scheduled event or order that it belongs to
	Item     base.ID // of an order: the stock item that it is for
	Article  base.ID
	Location base.ID
	Slot     base.ID // zero: a conflict, or sold
	Line     int
	Unmet    bool // its article does not have what the order's line requires any more
}

// Conflict says that the hold has no unit. A unit that was sold has no hold any more.
func (u Unavailability) Conflict() bool { return u.Slot == (base.ID{}) && u.Kind != timeline.Sale }

// History visits what is no unavailability any more and is shown as one in a window: what of a lot was sold at an
// instant of it.
var History func(a *base.AccountState, lot timeline.LotNo, w base.Span, visit func(timeline.Placed))

// UnavailabilityAt is a hold of the timelines at its place, as it is shown.
func UnavailabilityAt(a *base.AccountState, h timeline.Hold, at timeline.Place) Unavailability {
	lot := a.Stock.Lot(at.Lot)
	u := Unavailability{
		ID: h.ID, Range: h.Span, Body: h.Body(), Kind: h.Kind, Blocker: h.Flags.Blocker(), Owner: OwnerOf(a, h),
		Line: int(h.Line), Article: ArticleKind.IDOf(a, lot.Article), Location: LocationKind.IDOf(a, lot.Location),
		Unmet: Unmet(a.Stock, h, at, a.Ledger.At),
	}
	if o := ownerships[u.Blocker]; o != nil && o.Item != nil {
		u.Item = o.Item(a, h)
	}
	if s, ok := a.Stock.Slot(at.Slot); ok {
		u.Slot = s.ID
	}
	return u
}

// UnavailabilityOf is a unit as the plan leaves it.
func UnavailabilityOf(t *base.Tx, c timeline.Placed) Unavailability {
	left := *t.Acc
	left.Stock = Draft(t).Stock()
	u := UnavailabilityAt(&left, c.Hold, c.Place)
	if r := Seating(t).article; r != nil && r.No == left.Stock.Lot(c.Place.Lot).Article {
		u.Article = r.ID
	}
	if o := ownerships[u.Blocker]; o != nil && o.Planned != nil {
		u.Owner, u.Item = o.Planned(t, c.Hold)
	}
	return u
}

// Ownership finds the record that a unit belongs to, and what of it the unit is for, zero where there is none; and the
// SKU that an auto-assigned unit on an article was made for (MadeFor).
type Ownership struct {
	Record, Item func(a *base.AccountState, h timeline.Hold) base.ID
	Made         func(a *base.AccountState, h timeline.Hold, on *Article) base.ID
	Goes         func(a *base.AccountState, h timeline.Hold) base.ID      // the location that a one-way unit goes to
	Kept         func(a *base.AccountState, record base.ID) bool          // that a record is there; nil: Record says it
	Planned      func(t *base.Tx, h timeline.Hold) (record, item base.ID) // as a plan leaves them
}

// ownerships are those of what takes units, where ids of units do not follow that of their record.
var ownerships [timeline.BlockerScheduledEvent + 1]*Ownership

// RegisterOwnership says whose the units of a blocker are.
func RegisterOwnership(by timeline.Blocker, o Ownership) { ownerships[by] = &o }

// RecordOf is the record of a unit whose id follows it: Owner says at what distance.
func RecordOf(_ *base.AccountState, h timeline.Hold) base.ID { return base.Before(h.ID, h.Owner) }

// OwnerOf is the record that a unit belongs to.
func OwnerOf(a *base.AccountState, h timeline.Hold) base.ID {
	if o := ownerships[h.Flags.Blocker()]; o != nil {
		return o.Record(a, h)
	}
	return RecordOf(a, h)
}

// UnavailabilityByID returns one unit that is taken.
func UnavailabilityByID(v base.View, id base.ID) (Unavailability, bool) {
	h, at, ok := v.Acc.Stock.Find(id)
	if !ok {
		return Unavailability{}, false
	}
	return UnavailabilityAt(v.Acc, h, at), true
}

// Unmet says that a unit sits on an article that does not have what its line requires any more. A unit that is over is
// never unmet.
func Unmet(s *timeline.Stock, h timeline.Hold, at timeline.Place, now int64) bool {
	return h.Flags.Has(timeline.Choosy) && at.Seated() && h.Span.End > now && !s.Meets(h, at.Lot, now)
}

// takers are the records that take units, by kind.
type takers [len(takerNames)]map[base.ID]bool

// takerNames are the resources of the records that take units, by blocker.
var takerNames = [timeline.BlockerScheduledEvent + 1]string{"hold", "order", "scheduledEvent"}

func (o *takers) add(a *base.AccountState, h timeline.Hold) {
	of := &o[h.Flags.Blocker()]
	if *of == nil {
		*of = map[base.ID]bool{}
	}
	(*of)[OwnerOf(a, h)] = true
}

func (o *takers) inUse() error {
	for by, resource := range takerNames {
		if err := base.InUse(resource, len(o[by])); err != nil {
			return err
		}
	}
	return nil
}

// MadeFor is the SKU that an auto-assigned unit on an article was made for: the one that its line names, or that of the
// component of a kit that it is. It is zero if its line names an article, or if it is not known which component the
// unit is.
func MadeFor(a *base.AccountState, h timeline.Hold, on *Article) base.ID {
	if o := ownerships[h.Flags.Blocker()]; o != nil && !h.Flags.Any(timeline.PinnedArticle|timeline.PinnedSlot) {
		return o.Made(a, h, on)
	}
	return base.ID{}
}
