package api

import (
	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
)

// This file owns contacts on the wire: who a customer is and how to reach them; and postal addresses.

// addressFields are an address's fields in a record that is made: it is all of the address.
func addressFields[In any](at func(*In) *base.Address) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Defaulted("address", wire.Text(0, 255), "", func(in *In) *string { return &at(in).Address }).Says("Street and number; null: none."),
		wire.Defaulted("zipCode", wire.Text(0, 255), "", func(in *In) *string { return &at(in).ZipCode }).Says("Postal code; null: none."),
		wire.Defaulted("city", wire.Text(0, 255), "", func(in *In) *string { return &at(in).City }).Says("City or town; null: none."),
		wire.Defaulted("country", wire.Text(0, 255), "", func(in *In) *string { return &at(in).Country }).Says("Country, such as its two-letter code; null: none."),
		wire.Defaulted("state", wire.Text(0, 255), "", func(in *In) *string { return &at(in).State }).Says("State or region; null: none."),
		wire.Defaulted("details", wire.Text(0, 255), "", func(in *In) *string { return &at(in).Details }).Says("Floor, door, or what else helps to find it; null: none."),
	}
}

// addressPatchFields are the same where the record may have an address already: what is absent stays.
func addressPatchFields[In any](at func(*In) *base.AddressPatch) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Merged("address", wire.Text(0, 255), true, func(in *In) *base.Opt[string] { return &at(in).Address }).Says("Street and number; null: none."),
		wire.Merged("zipCode", wire.Text(0, 255), true, func(in *In) *base.Opt[string] { return &at(in).ZipCode }).Says("Postal code; null: none."),
		wire.Merged("city", wire.Text(0, 255), true, func(in *In) *base.Opt[string] { return &at(in).City }).Says("City or town; null: none."),
		wire.Merged("country", wire.Text(0, 255), true, func(in *In) *base.Opt[string] { return &at(in).Country }).
			Says("Country, such as its two-letter code; null: none."),
		wire.Merged("state", wire.Text(0, 255), true, func(in *In) *base.Opt[string] { return &at(in).State }).Says("State or region; null: none."),
		wire.Merged("details", wire.Text(0, 255), true, func(in *In) *base.Opt[string] { return &at(in).Details }).
			Says("Floor, door, or what else helps to find it; null: none."),
	}
}

var contactAddress = wire.Object(wire.ShapeOf("ContactAddress", append(
	addressPatchFields(func(a *commerce.ContactAddressPatch) *base.AddressPatch { return &a.AddressPatch }),
	wire.Merged("deliveryNotes", longText, true, func(a *commerce.ContactAddressPatch) *base.Opt[string] { return &a.DeliveryNotes }).
		Says("What those who deliver should know. Null clears it."))...))

var (
	customerType = wire.Enum(commerce.Individual, commerce.Business)
	date         = describedText("date")
	email        = describedText("email")
	dateSchema   = &wire.Schema{Type: "string", Format: "date"}
)

// describedText is text of a form that the command checks.
func describedText(format string) wire.Kind[string] {
	k := wire.Text(1, 254)
	k.Schema.Format = format
	return k
}

// contactFields are a contact's fields, in a record that is made or changed.
func contactFields[In any](at func(*In) *commerce.ContactPatch) []wire.Field[In] {
	return []wire.Field[In]{
		wire.Merged("firstName", wire.Text(1, 255), true, func(in *In) *base.Opt[string] { return &at(in).FirstName }).Says("First name. Null clears it."),
		wire.Merged("lastName", wire.Text(1, 255), true, func(in *In) *base.Opt[string] { return &at(in).LastName }).Says("Last name. Null clears it."),
		wire.Merged("fullName", wire.Text(1, 511), true, func(in *In) *base.Opt[string] { return &at(in).FullName }).
			Says("First and last name; null: it is made of the two."),
		wire.Merged("email", email, true, func(in *In) *base.Opt[string] { return &at(in).Email }).Says("Email address. Null clears it."),
		wire.Merged("phone", wire.Text(1, 255), true, func(in *In) *base.Opt[string] { return &at(in).Phone }).Says("Telephone number. Null clears it."),
		wire.Merged("marketingConsent", wire.Boolean, true, func(in *In) *base.Opt[bool] { return &at(in).MarketingConsent }).
			Says("Whether they agreed to be told of offers. Default: false."),
		wire.Merged("dateOfBirth", date, true, func(in *In) *base.Opt[string] { return &at(in).DateOfBirth }).Says("Date of birth. Null clears it."),
		wire.Merged("billingAddress", contactAddress, true, func(in *In) *base.Opt[commerce.ContactAddressPatch] { return &at(in).BillingAddress }).
			Says("Where invoices go. Null clears it."),
		wire.Merged("shippingAddress", contactAddress, true, func(in *In) *base.Opt[commerce.ContactAddressPatch] { return &at(in).ShippingAddress }).
			Says("Where goods go. Null clears it."),
		wire.Merged("customerType", customerType, true, func(in *In) *base.Opt[commerce.CustomerType] { return &at(in).CustomerType }).
			Says("Whether it is a person or a business. Default: individual."),
		wire.Merged("companyName", wire.Text(1, 255), true, func(in *In) *base.Opt[string] { return &at(in).CompanyName }).
			Says("Name of the business. Null clears it."),
		wire.Merged("taxId", wire.Text(1, 255), true, func(in *In) *base.Opt[string] { return &at(in).TaxID }).Says("Tax number of the business. Null clears it."),
		wire.Merged("language", wire.Text(1, 35), true, func(in *In) *base.Opt[string] { return &at(in).Language }).Says("A language tag, such as en or pt-BR."),
	}
}

// address writes the members of an address; an empty one is unset.
func (w *scribe) address(a *base.Address) {
	w.GivenText("address", a.Address, "Street and number.")
	w.GivenText("zipCode", a.ZipCode, "Postal code.")
	w.GivenText("city", a.City, "City or town.")
	w.GivenText("country", a.Country, "Country, such as its two-letter code.")
	w.GivenText("state", a.State, "State or region.")
	w.GivenText("details", a.Details, "Floor, door, or what else helps to find it.")
}

func (w *scribe) contactAddress(name string, a *commerce.ContactAddress, about string) {
	wire.Nullable(&w.Writer, name, "ContactAddressRecord", a, about, func(a *commerce.ContactAddress) {
		w.address(&a.Address)
		w.GivenText("deliveryNotes", a.DeliveryNotes, "What those who deliver should know.")
	})
}

// contact writes the members of a contact, by the name that it has or that is made of its parts.
func (w *scribe) contact(c *commerce.Contact) { w.contactNamed(c, c.Name()) }

func (w *scribe) contactNamed(c *commerce.Contact, fullName string) {
	w.TextOrNull("firstName", c.FirstName, "First name.")
	w.TextOrNull("lastName", c.LastName, "Last name.")
	w.GivenText("fullName", fullName, "First and last name.")
	w.TextOrNull("email", c.Email, "Email address.")
	w.TextOrNull("phone", c.Phone, "Telephone number.")
	w.Bool("marketingConsent", c.MarketingConsent, "Whether they agreed to be told of offers.")
	w.AsOrNull(dateSchema, "dateOfBirth", c.DateOfBirth, "Date of birth.")
	w.contactAddress("billingAddress", c.BillingAddress, "Where invoices go.")
	w.contactAddress("shippingAddress", c.ShippingAddress, "Where goods go.")
	w.As(customerType.Schema, "customerType", string(c.CustomerType), "Whether it is a person or a business.")
	w.TextOrNull("companyName", c.CompanyName, "Name of the business.")
	w.TextOrNull("taxId", c.TaxID, "Tax number of the business.")
	w.TextOrNull("language", c.Language, "Language tag, such as pt-PT.")
}
