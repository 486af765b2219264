package base

// This file owns postal addresses.

// Address is a postal address; every part may be empty.
type Address struct{ Address, ZipCode, City, Country, State, Details string }

// AddressPatch gives an address its parts, or other ones; null empties a part.
type AddressPatch struct{ Address, ZipCode, City, Country, State, Details Opt[string] }

func (p *AddressPatch) Check(c *Checker, pointer string) {
	c.PatchText(pointer+"/address", p.Address, 0, MaxName)
	c.PatchText(pointer+"/zipCode", p.ZipCode, 0, MaxName)
	c.PatchText(pointer+"/city", p.City, 0, MaxName)
	c.PatchText(pointer+"/country", p.Country, 0, MaxName)
	c.PatchText(pointer+"/state", p.State, 0, MaxName)
	c.PatchText(pointer+"/details", p.Details, 0, MaxName)
}

// Merged gives the address that a patch makes of the one that is there.
func (p *AddressPatch) Merged(a Address) Address {
	p.Address.Assign(&a.Address)
	p.ZipCode.Assign(&a.ZipCode)
	p.City.Assign(&a.City)
	p.Country.Assign(&a.Country)
	p.State.Assign(&a.State)
	p.Details.Assign(&a.Details)
	return a
}

// Address names the faults of an address.
func (c *Checker) Address(pointer string, a *Address) {
	if a == nil {
		return
	}
	for _, f := range [...]struct{ name, value string }{
		{"address", a.Address}, {"zipCode", a.ZipCode}, {"city", a.City}, {"country", a.Country}, {"state", a.State}, {"details", a.Details},
	} {
		c.Text(pointer+"/"+f.name, f.value, 0, MaxName)
	}
}
