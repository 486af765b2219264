package commerce

import (
	"net/mail"
	"strings"

	"holdfast/engine/base"
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
	base.Address
	DeliveryNotes string `json:",omitempty"`
}

// ContactAddressPatch gives such an address its parts, or other ones; null empties a part.
type ContactAddressPatch struct {
	base.AddressPatch
	DeliveryNotes base.Opt[string]
}

func (p *ContactAddressPatch) merged(a ContactAddress) ContactAddress {
	a.Address = p.AddressPatch.Merged(a.Address)
	p.DeliveryNotes.Assign(&a.DeliveryNotes)
	return a
}

// Patch is what makes this address of none.
func (a ContactAddress) Patch() ContactAddressPatch {
	return ContactAddressPatch{
		AddressPatch: base.AddressPatch{
			Address: base.Some(a.Address.Address), ZipCode: base.Some(a.ZipCode), City: base.Some(a.City), Country: base.Some(a.Country), State: base.Some(a.State), Details: base.Some(a.Details),
		},
		DeliveryNotes: base.Some(a.DeliveryNotes),
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

// Same says that two contacts say the same.
func (c *Contact) Same(d *Contact) bool {
	return c == d || base.SameValue(c.FirstName, d.FirstName) && base.SameValue(c.LastName, d.LastName) && base.SameValue(c.FullName, d.FullName) && base.SameValue(c.Email, d.Email) &&
		base.SameValue(c.Phone, d.Phone) && c.MarketingConsent == d.MarketingConsent && base.SameValue(c.DateOfBirth, d.DateOfBirth) &&
		base.SameValue(c.BillingAddress, d.BillingAddress) && base.SameValue(c.ShippingAddress, d.ShippingAddress) && c.CustomerType == d.CustomerType &&
		base.SameValue(c.CompanyName, d.CompanyName) && base.SameValue(c.TaxID, d.TaxID) && base.SameValue(c.Language, d.Language)
}

// Anonymous says that a contact names nobody.
func (c *Contact) Anonymous() bool {
	return c.Name() == "" && c.CompanyName == nil && c.Email == nil && c.Phone == nil
}

// ContactPatch gives a contact its fields, or other ones.
type ContactPatch struct {
	FirstName        base.Opt[string]
	LastName         base.Opt[string]
	FullName         base.Opt[string]
	Email            base.Opt[string]
	Phone            base.Opt[string]
	MarketingConsent base.Opt[bool] // null: false
	DateOfBirth      base.Opt[string]
	BillingAddress   base.Opt[ContactAddressPatch]
	ShippingAddress  base.Opt[ContactAddressPatch]
	CustomerType     base.Opt[CustomerType] // null: individual
	CompanyName      base.Opt[string]
	TaxID            base.Opt[string]
	Language         base.Opt[string]
}

func (p *ContactPatch) Check(c *base.Checker) {
	c.PatchText("/firstName", p.FirstName, 1, base.MaxName)
	c.PatchText("/lastName", p.LastName, 1, base.MaxName)
	c.PatchText("/fullName", p.FullName, 1, 2*base.MaxName+1)
	c.PatchText("/phone", p.Phone, 1, base.MaxName)
	c.PatchText("/companyName", p.CompanyName, 1, base.MaxName)
	c.PatchText("/taxId", p.TaxID, 1, base.MaxName)
	if o := p.Email; o.Set && !o.Null && !IsEmail(o.Value) {
		c.Fault("/email", "format", "must be an address like ann@example.com, of at most 254 characters")
	}
	if o := p.DateOfBirth; o.Set && !o.Null {
		if _, ok := timeline.ParseDate(o.Value); !ok {
			c.Fault("/dateOfBirth", "format", "must be a day that exists, like 1990-06-30")
		}
	}
	if o := p.Language; o.Set && !o.Null && !IsLanguage(o.Value) {
		c.Fault("/language", "format", "must be a language tag like en or pt-BR")
	}
	if o := p.CustomerType; o.Set && !o.Null {
		c.OneOf("/customerType", string(o.Value), string(Individual), string(Business))
	}
	contactAddress(c, "/billingAddress", p.BillingAddress)
	contactAddress(c, "/shippingAddress", p.ShippingAddress)
}

// Born refuses a day of birth that is still to come where the account is.
func Born(t *base.Tx, pointer string, p *ContactPatch) error {
	day, ok := timeline.ParseDate(p.DateOfBirth.Value)
	zone, err := timeline.LoadZone(t.Acc.Row.Timezone)
	if ok && err == nil && timeline.DateOf(zone, t.Now).Before(day) {
		return base.Invalid([]base.Fault{{Pointer: pointer + "/dateOfBirth", Code: "range", Message: "must not lie ahead"}})
	}
	return nil
}

func contactAddress(c *base.Checker, pointer string, o base.Opt[ContactAddressPatch]) {
	if o.Set && !o.Null {
		o.Value.Check(c, pointer)
		c.PatchText(pointer+"/deliveryNotes", o.Value.DeliveryNotes, 0, base.MaxNote)
	}
}

// IsEmail says that a text has the form of an address for mail.
func IsEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s && len(s) <= 254
}

// IsLanguage looks at the form of a language tag: parts of up to 8 letters and digits, the first of letters alone.
func IsLanguage(s string) bool {
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

// Merged gives the contact that a patch makes of the one that is there.
func (p *ContactPatch) Merged(c Contact) Contact {
	p.FirstName.Merge(&c.FirstName)
	p.LastName.Merge(&c.LastName)
	p.FullName.Merge(&c.FullName)
	p.Email.Merge(&c.Email)
	p.Phone.Merge(&c.Phone)
	if p.MarketingConsent.Set {
		c.MarketingConsent = p.MarketingConsent.Value
	}
	p.DateOfBirth.Merge(&c.DateOfBirth)
	base.MergeInto(p.BillingAddress, &c.BillingAddress, (*ContactAddressPatch).merged)
	base.MergeInto(p.ShippingAddress, &c.ShippingAddress, (*ContactAddressPatch).merged)
	if p.CustomerType.Set {
		c.CustomerType = p.CustomerType.Value
	}
	if c.CustomerType == "" {
		c.CustomerType = Individual
	}
	p.CompanyName.Merge(&c.CompanyName)
	p.TaxID.Merge(&c.TaxID)
	p.Language.Merge(&c.Language)
	return c
}

// CheckNamed demands that a contact names somebody.
func CheckNamed(c *base.Checker, contact Contact) {
	if contact.Anonymous() {
		c.Fault("", "required", "must have a firstName, lastName, fullName, companyName, email or phone")
	}
}
