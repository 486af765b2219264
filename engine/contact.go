package engine

import (
	"net/mail"
	"strings"

	"holdfast/timeline"
)

// This file owns contacts: who a customer is and how to reach them. They stand in records of several kinds.

// CustomerType says whether a customer is a person or a business.
type CustomerType string

// A customer is an individual unless told otherwise.
const (
	Individual CustomerType = "individual"
	Business   CustomerType = "business"
)

// ContactAddress is a postal address with a word for who delivers.
type ContactAddress struct {
	Address
	DeliveryNotes string `json:",omitempty"`
}

// ContactAddressPatch gives such an address its parts, or other ones; null empties a part.
type ContactAddressPatch struct {
	AddressPatch
	DeliveryNotes Opt[string]
}

func (p *ContactAddressPatch) merged(a ContactAddress) ContactAddress {
	a.Address = p.AddressPatch.merged(a.Address)
	p.DeliveryNotes.set(&a.DeliveryNotes)
	return a
}

// Patch is what makes this address of none.
func (a ContactAddress) Patch() ContactAddressPatch {
	return ContactAddressPatch{
		AddressPatch: AddressPatch{
			Address: Some(a.Address.Address), ZipCode: Some(a.ZipCode), City: Some(a.City), Country: Some(a.Country), State: Some(a.State), Details: Some(a.Details),
		},
		DeliveryNotes: Some(a.DeliveryNotes),
	}
}

// Contact is who a customer is and how to reach them.
type Contact struct {
	FirstName        *string         `json:",omitempty"`
	LastName         *string         `json:",omitempty"`
	FullName         *string         `json:",omitempty"` // nil: made of the other two
	Email            *string         `json:",omitempty"`
	Phone            *string         `json:",omitempty"`
	MarketingConsent bool            `json:",omitempty"`
	DateOfBirth      *string         `json:",omitempty"` // YYYY-MM-DD
	BillingAddress   *ContactAddress `json:",omitempty"`
	ShippingAddress  *ContactAddress `json:",omitempty"`
	CustomerType     CustomerType
	CompanyName      *string `json:",omitempty"`
	TaxID            *string `json:",omitempty"`
	Language         *string `json:",omitempty"` // BCP 47
}

// Name is the full name, as given or made of first and last name; empty if there is none.
func (c *Contact) Name() string {
	if c.FullName != nil {
		return *c.FullName
	}
	var parts []string
	for _, s := range []*string{c.FirstName, c.LastName} {
		if s != nil {
			parts = append(parts, *s)
		}
	}
	return strings.Join(parts, " ")
}

// same says that two contacts say the same.
func (c *Contact) same(d *Contact) bool {
	return c == d || sameValue(c.FirstName, d.FirstName) && sameValue(c.LastName, d.LastName) && sameValue(c.FullName, d.FullName) && sameValue(c.Email, d.Email) &&
		sameValue(c.Phone, d.Phone) && c.MarketingConsent == d.MarketingConsent && sameValue(c.DateOfBirth, d.DateOfBirth) &&
		sameValue(c.BillingAddress, d.BillingAddress) && sameValue(c.ShippingAddress, d.ShippingAddress) && c.CustomerType == d.CustomerType &&
		sameValue(c.CompanyName, d.CompanyName) && sameValue(c.TaxID, d.TaxID) && sameValue(c.Language, d.Language)
}

// anonymous says that a contact names nobody.
func (c *Contact) anonymous() bool {
	return c.Name() == "" && c.CompanyName == nil && c.Email == nil && c.Phone == nil
}

// ContactPatch gives a contact its fields, or other ones.
type ContactPatch struct {
	FirstName        Opt[string]
	LastName         Opt[string]
	FullName         Opt[string]
	Email            Opt[string]
	Phone            Opt[string]
	MarketingConsent Opt[bool] // null: false
	DateOfBirth      Opt[string]
	BillingAddress   Opt[ContactAddressPatch]
	ShippingAddress  Opt[ContactAddressPatch]
	CustomerType     Opt[CustomerType] // null: individual
	CompanyName      Opt[string]
	TaxID            Opt[string]
	Language         Opt[string]
}

func (p *ContactPatch) check(c *checker) {
	c.patchText("/firstName", p.FirstName, 1, maxName)
	c.patchText("/lastName", p.LastName, 1, maxName)
	c.patchText("/fullName", p.FullName, 1, 2*maxName+1)
	c.patchText("/phone", p.Phone, 1, maxName)
	c.patchText("/companyName", p.CompanyName, 1, maxName)
	c.patchText("/taxId", p.TaxID, 1, maxName)
	if o := p.Email; o.Set && !o.Null && !isEmail(o.Value) {
		c.fault("/email", "format", "must be an address like ann@example.com, of at most 254 characters")
	}
	if o := p.DateOfBirth; o.Set && !o.Null {
		if _, ok := timeline.ParseDate(o.Value); !ok {
			c.fault("/dateOfBirth", "format", "must be a day that exists, like 1990-06-30")
		}
	}
	if o := p.Language; o.Set && !o.Null && !isLanguage(o.Value) {
		c.fault("/language", "format", "must be a language tag like en or pt-BR")
	}
	if o := p.CustomerType; o.Set && !o.Null {
		c.oneOf("/customerType", string(o.Value), string(Individual), string(Business))
	}
	c.contactAddress("/billingAddress", p.BillingAddress)
	c.contactAddress("/shippingAddress", p.ShippingAddress)
}

// born refuses a day of birth that is still to come where the account is.
func (t *tx) born(pointer string, p *ContactPatch) error {
	day, ok := timeline.ParseDate(p.DateOfBirth.Value)
	zone, err := timeline.LoadZone(t.acc.row.Timezone)
	if ok && err == nil && timeline.DateOf(zone, t.now).Before(day) {
		return invalid([]Fault{{Pointer: pointer + "/dateOfBirth", Code: "range", Message: "must not lie ahead"}})
	}
	return nil
}

func (c *checker) contactAddress(pointer string, o Opt[ContactAddressPatch]) {
	if o.Set && !o.Null {
		o.Value.check(c, pointer)
		c.patchText(pointer+"/deliveryNotes", o.Value.DeliveryNotes, 0, maxNote)
	}
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s && len(s) <= 254
}

// isLanguage looks at the form of a language tag: parts of up to 8 letters and digits, the first of letters alone.
func isLanguage(s string) bool {
	for i, part := range strings.Split(s, "-") {
		if len(part) < 1 || len(part) > 8 || i == 0 && len(part) < 2 {
			return false
		}
		for _, r := range part {
			if letter := r|0x20 >= 'a' && r|0x20 <= 'z'; !letter && (i == 0 || r < '0' || r > '9') {
				return false
			}
		}
	}
	return len(s) <= 35
}

// merged gives the contact that a patch makes of the one that is there.
func (p *ContactPatch) merged(c Contact) Contact {
	p.FirstName.merge(&c.FirstName)
	p.LastName.merge(&c.LastName)
	p.FullName.merge(&c.FullName)
	p.Email.merge(&c.Email)
	p.Phone.merge(&c.Phone)
	if p.MarketingConsent.Set {
		c.MarketingConsent = p.MarketingConsent.Value
	}
	p.DateOfBirth.merge(&c.DateOfBirth)
	mergeInto(p.BillingAddress, &c.BillingAddress, (*ContactAddressPatch).merged)
	mergeInto(p.ShippingAddress, &c.ShippingAddress, (*ContactAddressPatch).merged)
	if p.CustomerType.Set {
		c.CustomerType = p.CustomerType.Value
	}
	if c.CustomerType == "" {
		c.CustomerType = Individual
	}
	p.CompanyName.merge(&c.CompanyName)
	p.TaxID.merge(&c.TaxID)
	p.Language.merge(&c.Language)
	return c
}

// named checks that a contact names somebody.
func (c *checker) named(contact Contact) {
	if contact.anonymous() {
		c.fault("", "required", "must have a firstName, lastName, fullName, companyName, email or phone")
	}
}
