package engine

import (
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns locations: the places at which units are.

// Location is a service location's record.
type Location struct {
	ID        ID
	No        uint32 // dense number in the account
	Name      string
	Address   *Address
	Timezone  string // IANA name: calendar steps and days of what happens here are in it
	UpdatedAt int64
	Revision  uint64
	External  *External `json:",omitempty"`

	zone  *timeline.Zone // derived
	place PlaceCopy      // derived: as orders keep it
}

func (l *Location) revision() uint64 { return l.Revision }
func (l *Location) touch(now int64)  { l.UpdatedAt, l.Revision = now, l.Revision+1 }

// Zone is the location's time zone.
func (l *Location) Zone() *timeline.Zone { return l.zone }

// PlaceCopy is a location as orders keep it.
type PlaceCopy struct {
	Name     string
	Timezone string   // IANA name: calendar steps of what keeps the copy are in it
	Address  *Address `json:",omitempty"`
}

// Zone is the place's time zone; UTC where there is no place.
func (p *PlaceCopy) Zone() *timeline.Zone {
	if p == nil {
		return mustZone("UTC")
	}
	return mustZone(p.Timezone)
}

func (p *PlaceCopy) same(q *PlaceCopy) bool {
	return p == q || p != nil && q != nil && p.Name == q.Name && p.Timezone == q.Timezone && sameValue(p.Address, q.Address)
}

// place is a copy of a location; nil where there is none. Orders share it until the location is another.
func (a *account) place(id ID) *PlaceCopy {
	if l := a.locations().Get(id); l != nil {
		return &l.place
	}
	return nil
}

// mustZone loads a zone whose name was checked when it was stored.
func mustZone(name string) *timeline.Zone {
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
		return wordKeys(&l.Name)
	}
	return wordKeys(&l.Name, &l.Address.Address, &l.Address.ZipCode, &l.Address.City)
}

var locationDirectory = directory[Location]{
	of: (*account).locations, external: func(l *Location) []string { return l.External.keys() }, words: (*Location).words,
	byExternal: locationByExternal, byWords: locationByWords,
}

var locationKind = func() *kind[Location] {
	k := rowsOf(tagLocation, "location", func(l *Location) ID { return l.ID },
		table.By(func(l *Location) []string { return l.External.keys() }), table.By((*Location).words), table.Numbered(func(l *Location) uint32 { return l.No }))
	k.put = func(_ *state, a *account, before, after *Location) {
		if after == nil {
			k.in(a).Delete(before.ID)
			return
		}
		n := *after
		n.zone = mustZone(n.Timezone)
		n.place = PlaceCopy{n.Name, n.Timezone, n.Address}
		k.in(a).Put(&n)
	}
	return k
}()

func (a *account) locations() *table.Table[Location] { return tableOf[Location](a, tagLocation) }

// CreateLocation makes a location. It answers with the *Location.
type CreateLocation struct {
	Name     string
	Timezone string
	Address  *Address
	External ExternalPatch
}

func (o CreateLocation) Check() []Fault {
	var c checker
	c.text("/name", o.Name, 1, maxName)
	c.zone("/timezone", o.Timezone)
	c.address("/address", o.Address)
	o.External.check(&c)
	return c.faults
}

func (o CreateLocation) plan(t *tx) (any, error) {
	external, err := o.External.merged(nil, ID{}, locationKind.name, locationKind.with(t.acc, locationByExternal))
	if err != nil {
		return nil, err
	}
	t.ledger.Location++
	l := &Location{
		ID: t.newID(), No: t.ledger.Location, Name: o.Name, Timezone: o.Timezone, Address: o.Address, External: external, UpdatedAt: t.now, Revision: 1,
	}
	record(t, locationKind, nil, l)
	return l, nil
}

func (CreateLocation) result() any { return new(Location) }

// PatchLocation changes a location. A new zone is for what is made from then on; no hold moves. It answers with the
// *Location.
type PatchLocation struct {
	ID       ID
	IfMatch  []uint64 // revisions that the record may have; none: any
	Name     Opt[string]
	Timezone Opt[string]
	Address  Opt[AddressPatch]
	External ExternalPatch
}

func (o PatchLocation) Check() []Fault {
	var c checker
	c.patchName("/name", o.Name)
	if o.Timezone.Set {
		c.zone("/timezone", o.Timezone.Value)
	}
	if o.Address.Set && !o.Address.Null {
		o.Address.Value.check(&c, "/address")
	}
	o.External.check(&c)
	return c.faults
}

func (o PatchLocation) plan(t *tx) (any, error) {
	l, err := found(t, locationKind, o.ID, o.IfMatch)
	if err != nil {
		return nil, err
	}
	n := *l
	if o.Name.Set {
		n.Name = o.Name.Value
	}
	if o.Timezone.Set {
		n.Timezone = o.Timezone.Value
	}
	mergeInto(o.Address, &n.Address, (*AddressPatch).merged)
	if n.External, err = o.External.merged(l.External, l.ID, locationKind.name, locationKind.with(t.acc, locationByExternal)); err != nil {
		return nil, err
	}
	return revise(t, locationKind, l, n), nil
}

func (PatchLocation) result() any { return new(Location) }

// Location returns a location, or nil.
func (v View) Location(id ID) *Location { return v.acc.locations().Get(id) }

// FindLocations gives a part of the locations that are asked for, in order of creation, and how many there are.
func (v View) FindLocations(q *RecordQuery, p Part) (page []*Location, total int) {
	return locationDirectory.find(v.acc, q, nil, p)
}

// Locations lists the account's locations in order of creation.
func (v View) Locations() *table.Table[Location] { return v.acc.locations() }

// locationID, skuID and articleID are the ids of numbers, also of records that are gone.
func (a *account) locationID(no uint32) ID {
	if l := a.locations().No(no); l != nil {
		return l.ID
	}
	return a.formerID(tagLocation, no)
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
	return a.unreferred(l.ID, now)
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

func (o CreateLocation) distinct() []distinctValue { return o.External.distinct() }
