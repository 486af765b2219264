package engine

// This file owns postal addresses.

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
