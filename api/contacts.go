package api

import "holdfast/engine"

// This file owns contacts on the wire: who a customer is and how to reach them; and postal addresses.

// addressFields are an address's fields in a record that is made: it is all of the address.
func addressFields[In any](at func(*In) *engine.Address) []field[In] {
	return []field[In]{
		defaulted("address", text(0, 255), "", func(in *In) *string { return &at(in).Address }).says("Street and number; null: none."),
		defaulted("zipCode", text(0, 255), "", func(in *In) *string { return &at(in).ZipCode }).says("Postal code; null: none."),
		defaulted("city", text(0, 255), "", func(in *In) *string { return &at(in).City }).says("City or town; null: none."),
		defaulted("country", text(0, 255), "", func(in *In) *string { return &at(in).Country }).says("Country, such as its two-letter code; null: none."),
		defaulted("state", text(0, 255), "", func(in *In) *string { return &at(in).State }).says("State or region; null: none."),
		defaulted("details", text(0, 255), "", func(in *In) *string { return &at(in).Details }).says("Floor, door, or what else helps to find it; null: none."),
	}
}

// addressPatchFields are the same where the record may have an address already: what is absent stays.
func addressPatchFields[In any](at func(*In) *engine.AddressPatch) []field[In] {
	return []field[In]{
		merged("address", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).Address }).says("Street and number; null: none."),
		merged("zipCode", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).ZipCode }).says("Postal code; null: none."),
		merged("city", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).City }).says("City or town; null: none."),
		merged("country", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).Country }).
			says("Country, such as its two-letter code; null: none."),
		merged("state", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).State }).says("State or region; null: none."),
		merged("details", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).Details }).
			says("Floor, door, or what else helps to find it; null: none."),
	}
}

var contactAddress = object(shapeOf("ContactAddress", append(
	addressPatchFields(func(a *engine.ContactAddressPatch) *engine.AddressPatch { return &a.AddressPatch }),
	merged("deliveryNotes", longText, true, func(a *engine.ContactAddressPatch) *engine.Opt[string] { return &a.DeliveryNotes }).
		says("What those who deliver should know. Null clears it."))...))

var (
	customerType = enum(engine.Individual, engine.Business)
	date         = describedText("date")
	email        = describedText("email")
	dateSchema   = &Schema{Type: "string", Format: "date"}
)

// describedText is text of a form that the command checks.
func describedText(format string) kind[string] {
	k := text(1, 254)
	k.schema.Format = format
	return k
}

// contactFields are a contact's fields, in a record that is made or changed.
func contactFields[In any](at func(*In) *engine.ContactPatch) []field[In] {
	return []field[In]{
		merged("firstName", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).FirstName }).says("First name. Null clears it."),
		merged("lastName", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).LastName }).says("Last name. Null clears it."),
		merged("fullName", text(1, 511), true, func(in *In) *engine.Opt[string] { return &at(in).FullName }).
			says("First and last name; null: it is made of the two."),
		merged("email", email, true, func(in *In) *engine.Opt[string] { return &at(in).Email }).says("Email address. Null clears it."),
		merged("phone", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).Phone }).says("Telephone number. Null clears it."),
		merged("marketingConsent", boolean, true, func(in *In) *engine.Opt[bool] { return &at(in).MarketingConsent }).
			says("Whether they agreed to be told of offers. Default: false."),
		merged("dateOfBirth", date, true, func(in *In) *engine.Opt[string] { return &at(in).DateOfBirth }).says("Date of birth. Null clears it."),
		merged("billingAddress", contactAddress, true, func(in *In) *engine.Opt[engine.ContactAddressPatch] { return &at(in).BillingAddress }).
			says("Where invoices go. Null clears it."),
		merged("shippingAddress", contactAddress, true, func(in *In) *engine.Opt[engine.ContactAddressPatch] { return &at(in).ShippingAddress }).
			says("Where goods go. Null clears it."),
		merged("customerType", customerType, true, func(in *In) *engine.Opt[engine.CustomerType] { return &at(in).CustomerType }).
			says("Whether it is a person or a business. Default: individual."),
		merged("companyName", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).CompanyName }).
			says("Name of the business. Null clears it."),
		merged("taxId", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).TaxID }).says("Tax number of the business. Null clears it."),
		merged("language", text(1, 35), true, func(in *In) *engine.Opt[string] { return &at(in).Language }).says("A language tag, such as en or pt-BR."),
	}
}

// address writes the members of an address; an empty one is unset.
func (w *scribe) address(a *engine.Address) {
	w.GivenText("address", a.Address, "Street and number.")
	w.GivenText("zipCode", a.ZipCode, "Postal code.")
	w.GivenText("city", a.City, "City or town.")
	w.GivenText("country", a.Country, "Country, such as its two-letter code.")
	w.GivenText("state", a.State, "State or region.")
	w.GivenText("details", a.Details, "Floor, door, or what else helps to find it.")
}

func (w *scribe) contactAddress(name string, a *engine.ContactAddress, about string) {
	Nullable(&w.Writer, name, "ContactAddressRecord", a, about, func(a *engine.ContactAddress) {
		w.address(&a.Address)
		w.GivenText("deliveryNotes", a.DeliveryNotes, "What those who deliver should know.")
	})
}

// contact writes the members of a contact, by the name that it has or that is made of its parts.
func (w *scribe) contact(c *engine.Contact) { w.contactNamed(c, c.Name()) }

func (w *scribe) contactNamed(c *engine.Contact, fullName string) {
	w.TextOrNull("firstName", c.FirstName, "First name.")
	w.TextOrNull("lastName", c.LastName, "Last name.")
	w.GivenText("fullName", fullName, "First and last name.")
	w.TextOrNull("email", c.Email, "Email address.")
	w.TextOrNull("phone", c.Phone, "Telephone number.")
	w.Bool("marketingConsent", c.MarketingConsent, "Whether they agreed to be told of offers.")
	w.AsOrNull(dateSchema, "dateOfBirth", c.DateOfBirth, "Date of birth.")
	w.contactAddress("billingAddress", c.BillingAddress, "Where invoices go.")
	w.contactAddress("shippingAddress", c.ShippingAddress, "Where goods go.")
	w.As(customerType.schema, "customerType", string(c.CustomerType), "Whether it is a person or a business.")
	w.TextOrNull("companyName", c.CompanyName, "Name of the business.")
	w.TextOrNull("taxId", c.TaxID, "Tax number of the business.")
	w.TextOrNull("language", c.Language, "Language tag, such as pt-PT.")
}
