package stock

import (
	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns locations: the places at which units are.

// Location is a service location's record.
type Location struct {
	ID base.ID
	No uint32 // dense number in the account
	LocationFields
	base.Stamp
	External *label.External `json:",omitempty"`

	zone  *timeline.Zone // derived
	place PlaceCopy      // derived: as orders keep it
}

// LocationFields are the fields of a location that callers give. Calendar steps and days of what happens there are in
// its time zone.
type LocationFields struct {
	Name     string        `field:"name text 1..255 required" about:"What the location is called."`
	Address  *base.Address `field:"address object Address LocationAddress" about:"Where the location is."`
	Timezone string        `field:"timezone zone required" about:"An IANA time zone name, such as Europe/Lisbon: its days begin and end by it."`
}

// Zone is the location's time zone.
func (l *Location) Zone() *timeline.Zone { return l.zone }

// PlaceCopy is a location as orders keep it.
type PlaceCopy struct {
	Name     string
	Timezone string        // IANA name: calendar steps of what keeps the copy are in it
	Address  *base.Address `json:",omitempty"`
}

// Zone is the place's time zone; UTC where there is no place.
func (p *PlaceCopy) Zone() *timeline.Zone {
	if p == nil {
		return MustZone("UTC")
	}
	return MustZone(p.Timezone)
}

// Same says that two copies are equal.
func (p *PlaceCopy) Same(q *PlaceCopy) bool {
	return p == q || p != nil && q != nil && p.Name == q.Name && p.Timezone == q.Timezone &&
		base.SameValue(p.Address, q.Address)
}

// Place is a copy of a location; nil where there is none. Orders share it until the location is another.
func Place(a *base.AccountState, id base.ID) *PlaceCopy {
	if l := LocationTable(a).Get(id); l != nil {
		return &l.place
	}
	return nil
}

// MustZone loads a zone whose name was checked when it was stored.
func MustZone(name string) *timeline.Zone {
	z, err := timeline.LoadZone(name)
	if err != nil {
		panic("engine: a stored zone is unknown: " + name)
	}
	return z
}

const (
	locationByExternal = iota
	locationByWords
)

// words are those of the location's name, and of the street, code and city of its address.
func (l *Location) words() []string {
	if l.Address == nil {
		return base.WordKeys(&l.Name)
	}
	return base.WordKeys(&l.Name, &l.Address.Address, &l.Address.ZipCode, &l.Address.City)
}

// LocationDirectory finds locations.
var LocationDirectory = &base.Directory[Location]{Of: LocationTable, ByExternal: locationByExternal,
	ByWords: locationByWords}

var LocationKind = func() *base.Kind[Location] {
	k := base.RowsOf(base.TagLocation, "location", func(l *Location) base.ID { return l.ID },
		table.By(func(l *Location) []string { return l.External.Keys() }), table.By((*Location).words),
		table.Numbered(func(l *Location) uint32 { return l.No }))
	k.Put = func(_ *base.State, a *base.AccountState, before, after *Location) {
		if after == nil {
			k.In(a).Delete(before.ID)
			return
		}
		n := *after
		n.zone = MustZone(n.Timezone)
		n.place = PlaceCopy{n.Name, n.Timezone, n.Address}
		k.In(a).Put(&n)
	}
	k.Kept = locationInUse
	return k
}()

// LocationTable are all locations of an account.
func LocationTable(a *base.AccountState) *table.Table[Location] {
	return base.TableOf[Location](a, base.TagLocation)
}

// CreateLocation makes a location.
type CreateLocation struct {
	base.Answers[*Location]
	base.Adds
	LocationFields
	External label.ExternalPatch
}

func (o CreateLocation) Check(c *base.Checker) {
	base.CheckFields(c, "", &o.LocationFields)
	o.External.Check(c)
}

func (o CreateLocation) PlanOn(t *base.Tx) (any, error) {
	external, err := o.External.Merged(nil, base.ID{}, LocationKind.Name,
		label.With(LocationKind, t.Acc, locationByExternal))
	if err != nil {
		return nil, err
	}
	t.Ledger.Location++
	l := &Location{ID: t.NewID(), No: t.Ledger.Location, LocationFields: o.LocationFields, External: external,
		Stamp: t.Stamp()}
	base.Record(t, LocationKind, nil, l)
	return l, nil
}

// PatchLocation changes a location. A new zone is for what is made from then on; no hold moves.
type PatchLocation struct {
	base.Answers[*Location]
	base.IfMatch
	ID       base.ID
	Fields   base.Changes[LocationFields]
	External label.ExternalPatch
}

func (o PatchLocation) Check(c *base.Checker) {
	o.Fields.Check(c, "")
	o.External.Check(c)
}

func (o PatchLocation) PlanOn(t *base.Tx) (any, error) {
	l, err := base.Found(t, LocationKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *l
	n.LocationFields = o.Fields.Of(n.LocationFields)
	if n.External, err = o.External.Merged(l.External, l.ID, LocationKind.Name,
		label.With(LocationKind, t.Acc, locationByExternal)); err != nil {
		return nil, err
	}
	return base.Revise(t, LocationKind, l, n), nil
}

// LocationByID returns a location, or nil.
func LocationByID(v base.View, id base.ID) *Location { return LocationTable(v.Acc).Get(id) }

// Locations lists the account's locations in order of creation.
func Locations(v base.View) *table.Table[Location] { return LocationTable(v.Acc) }

// DeleteLocation removes a location at which no unit is, now or later, and for which no hold and no scheduled event is
// that is not over.
type DeleteLocation = base.Delete[Location, *Location]

func locationInUse(t *base.Tx, l *Location) error {
	a, now := t.Acc, t.Now
	articles := 0
	var waiting takers
	for no := timeline.LotNo(1); uint32(no) <= a.Ledger.Lot; no++ {
		if a.Stock.Lot(no).Location != l.No {
			continue
		}
		if lotLasts(a, no, now) {
			articles++
		}
		for h := range a.Stock.ConflictsIn(timeline.LotRef(no), base.Span{Start: now, End: base.Forever}) {
			waiting.add(a, h)
		}
	}
	if err := base.InUse("article", articles); err != nil {
		return err
	}
	if err := waiting.inUse(); err != nil {
		return err
	}
	events := 0
	for s := range EventTable(a).All() {
		if s.Location == l.ID && s.Window.End > now {
			events++
		}
	}
	if err := base.InUse("scheduledEvent", events); err != nil {
		return err
	}
	return a.Unreferred(l.ID, now)
}

// lotLasts says whether a lot has a unit that has not ended.
func lotLasts(a *base.AccountState, no timeline.LotNo, now int64) bool {
	for _, slot := range a.Stock.Slots(no) {
		if s, _ := a.Stock.Slot(slot); s.Span.End > now {
			return true
		}
	}
	return false
}

func (o CreateLocation) Distinct() []base.DistinctValue { return o.External.Distinct() }
