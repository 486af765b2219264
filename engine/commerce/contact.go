package commerce

import (
	"strings"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns contacts: the names of a customer and the ways to reach them. Records of several kinds have contacts.

// CustomerType says whether a customer is a person or a business.
type CustomerType string

// A customer is an individual if nothing else is given.
const (
	Individual CustomerType = "individual"
	Business   CustomerType = "business"
)

// Words are those that a customer type can be.
func (CustomerType) Words() []string { return []string{string(Individual), string(Business)} }

// ContactAddress is a postal address with a note for the people that deliver.
type ContactAddress struct {
	base.Address
	DeliveryNotes string `json:",omitempty" field:"deliveryNotes text 0..10000" about:"What those who deliver should know."`
}

// Contact is the names of a customer and the ways to reach them. If no full name is given, it is made of the other two.
type Contact struct {
	FirstName        *string         `json:",omitempty" field:"firstName text 1..255" about:"First name."`
	LastName         *string         `json:",omitempty" field:"lastName text 1..255" about:"Last name."`
	FullName         *string         `json:",omitempty" field:"fullName text 1..511" about:"First and last name. Without one it is made of the two."`
	Email            *string         `json:",omitempty" field:"email email" about:"Email address."`
	Phone            *string         `json:",omitempty" field:"phone text 1..255" about:"Telephone number."`
	MarketingConsent bool            `json:",omitempty" field:"marketingConsent flag" about:"Whether they agreed to receive offers."`
	DateOfBirth      *string         `json:",omitempty" field:"dateOfBirth date" about:"Date of birth."`
	BillingAddress   *ContactAddress `json:",omitempty" field:"billingAddress object ContactAddress" about:"Where invoices go."`
	ShippingAddress  *ContactAddress `json:",omitempty" field:"shippingAddress object ContactAddress" about:"Where goods go."`
	CustomerType     CustomerType    `field:"customerType word" default:"individual" about:"Whether it is a person or a business."`
	CompanyName      *string         `json:",omitempty" field:"companyName text 1..255" about:"Name of the business."`
	TaxID            *string         `json:",omitempty" field:"taxId text 1..255" about:"Tax number of the business."`
	Language         *string         `json:",omitempty" field:"language language" about:"A language tag, such as en or pt-BR."`
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

// Names are the names by which a customer is found: a full name that was given need not have the other two in it. One
// that was not given is nil.
func (c *Contact) Names() []*string { return []*string{c.FirstName, c.LastName, c.FullName} }

// Same says that two contacts say the same.
func (c *Contact) Same(d *Contact) bool {
	return c == d || base.SameValue(c.FirstName, d.FirstName) && base.SameValue(c.LastName, d.LastName) &&
		base.SameValue(c.FullName, d.FullName) && base.SameValue(c.Email, d.Email) &&
		base.SameValue(c.Phone, d.Phone) && c.MarketingConsent == d.MarketingConsent &&
		base.SameValue(c.DateOfBirth, d.DateOfBirth) &&
		base.SameValue(c.BillingAddress, d.BillingAddress) && base.SameValue(c.ShippingAddress, d.ShippingAddress) &&
		c.CustomerType == d.CustomerType &&
		base.SameValue(c.CompanyName, d.CompanyName) && base.SameValue(c.TaxID, d.TaxID) &&
		base.SameValue(c.Language, d.Language)
}

// Anonymous says that a contact has nothing that identifies a customer.
func (c *Contact) Anonymous() bool {
	return c.Name() == "" && c.CompanyName == nil && c.Email == nil && c.Phone == nil
}

// Unborn says that a contact has a day of birth that nobody has: one still to come where the account is, or of the year
// 0. Older versions took both.
func (c *Contact) Unborn(a *base.Account, now int64) bool {
	if c.DateOfBirth == nil {
		return false
	}
	day, _ := timeline.ParseDate(*c.DateOfBirth)
	zone, err := timeline.LoadZone(a.Timezone)
	return day.Year < 1 || err == nil && timeline.DateOf(zone, now).Before(day)
}

// Born refuses a day of birth that is still to come where the account is.
func Born(t *base.Tx, pointer string, c *base.Changes[Contact]) error {
	if c.To.Unborn(t.Acc.Row, t.Now) {
		return base.InvalidAt(pointer+"/dateOfBirth", "range", "must not lie ahead")
	}
	return nil
}

// CheckNamed demands that a contact is not anonymous.
func CheckNamed(c *base.Checker, contact Contact) {
	if contact.Anonymous() {
		c.Fault("", "required", "must have a firstName, lastName, fullName, companyName, email or phone")
	}
}
