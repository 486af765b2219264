package engine

import (
	"holdfast/engine/table"
	"holdfast/timeline"
)

// This file owns locations: the places at which units are.

// Address is a postal address; every part may be empty.
type Address struct{ Address, ZipCode, City, Country, State, Details string }

// AddressPatch gives an address its parts, or other ones; null empties a part.
type AddressPatch struct{ Address, ZipCode, City, Country, State, Details Opt[string] }

func (p *AddressPatch) check(c *checker, pointer string) {
	c.patchText(pointer+"/address", p.Address, 0, maxName)
	c.patchText(pointer+"/zipCode", p.ZipCode, 0, maxName)
	c.patchText(pointer+"/city", p.City, 0, maxName)
	c.patchText(pointer+"/country", p.Country, 0, maxName)
	c.patchText(pointer+"/state", p.State, 0, maxName)
	c.patchText(pointer+"/details", p.Details, 0, maxName)
}

// merged gives the address that a patch makes of the one that is there.
func (p *AddressPatch) merged(a Address) Address {
	p.Address.set(&a.Address)
	p.ZipCode.set(&a.ZipCode)
	p.City.set(&a.City)
	p.Country.set(&a.Country)
	p.State.set(&a.State)
	p.Details.set(&a.Details)
	return a
}

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

	zone *timeline.Zone // derived
}

func (l *Location) revision() uint64 { return l.Revision }
func (l *Location) touch(now int64)  { l.UpdatedAt, l.Revision = now, l.Revision+1 }

// Zone is the location's time zone.
func (l *Location) Zone() *timeline.Zone { return l.zone }

// mustZone loads a zone whose name was checked when it was stored.
func mustZone(name string) *timeline.Zone {
	z, err := timeline.LoadZone(name)
	if err != nil {
		panic("engine: a stored zone is unknown: " + name)
	}
	return z
}

func (c *checker) zone(pointer, name string) {
	if _, err := timeline.LoadZone(name); err != nil {
		c.fault(pointer, "zone", "must be an IANA time zone name such as Europe/Lisbon")
	}
}

const locationByExternal = 0

var locationKind = func() *kind[Location] {
	k := rowsOf(tagLocation, "location", func(l *Location) ID { return l.ID },
		table.By(func(l *Location) []string { return l.External.keys() }), table.Numbered(func(l *Location) uint32 { return l.No }))
	k.put = func(_ *state, a *account, before, after *Location) {
		if after == nil {
			k.in(a).Delete(before.ID)
			return
		}
		n := *after
		n.zone = mustZone(n.Timezone)
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

func (c *checker) address(pointer string, a *Address) {
	if a == nil {
		return
	}
	for _, f := range [...]struct{ name, value string }{
		{"address", a.Address}, {"zipCode", a.ZipCode}, {"city", a.City}, {"country", a.Country}, {"state", a.State}, {"details", a.Details},
	} {
		c.text(pointer+"/"+f.name, f.value, 0, maxName)
	}
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

func (c *checker) patchName(pointer string, name Opt[string]) {
	if name.Set {
		c.text(pointer, name.Value, 1, maxName)
	}
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

// match holds a record's revision against the ones a caller accepts.
func match(wanted []uint64, revision uint64) error {
	if len(wanted) == 0 {
		return nil
	}
	for _, w := range wanted {
		if w == revision {
			return nil
		}
	}
	return refuse(CodePrecondition, "the record was changed since it was read")
}

// Location returns a location, or nil.
func (v View) Location(id ID) *Location { return v.acc.locations().Get(id) }

// LocationWith returns the location that has an external id, or nil.
func (v View) LocationWith(external string) *Location {
	return v.acc.locations().First(locationByExternal, external)
}

// Locations lists the account's locations in order of creation.
func (v View) Locations() *table.Table[Location] { return v.acc.locations() }
