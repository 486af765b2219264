package api

import (
	"slices"

	"holdfast/engine"
)

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

var (
	addressMembers = []Member{
		has("address", textSchema.orNull().says("Street and number.")),
		has("zipCode", textSchema.orNull().says("Postal code.")),
		has("city", textSchema.orNull().says("City or town.")),
		has("country", textSchema.orNull().says("Country, such as its two-letter code.")),
		has("state", textSchema.orNull().says("State or region.")),
		has("details", textSchema.orNull().says("Floor, door, or what else helps to find it.")),
	}
	contactAddressSchema = recordSchema("ContactAddressRecord", slices.Concat(addressMembers, []Member{has("deliveryNotes", textSchema.orNull().
				says("What those who deliver should know."))})...)
	contactMembers = []Member{
		has("firstName", textSchema.orNull().says("First name.")),
		has("lastName", textSchema.orNull().says("Last name.")),
		has("fullName", textSchema.orNull().says("First and last name.")),
		has("email", textSchema.orNull().says("Email address.")),
		has("phone", textSchema.orNull().says("Telephone number.")),
		has("marketingConsent", booleanSchema.says("Whether they agreed to be told of offers.")),
		has("dateOfBirth", (&Schema{Type: "string", Format: "date"}).orNull().says("Date of birth.")),
		has("billingAddress", contactAddressSchema.orNull().says("Where invoices go.")),
		has("shippingAddress", contactAddressSchema.orNull().says("Where goods go.")),
		has("customerType", enumSchema("individual", "business").says("Whether it is a person or a business.")),
		has("companyName", textSchema.orNull().says("Name of the business.")),
		has("taxId", textSchema.orNull().says("Tax number of the business.")),
		has("language", textSchema.orNull().says("Language tag, such as pt-PT.")),
	}
)

// appendAddress appends the members of an address; an empty one is unset.
func appendAddress(b []byte, a *engine.Address) []byte {
	b = appendGiven(append(b, `"address":`...), a.Address)
	b = appendGiven(append(b, `,"zipCode":`...), a.ZipCode)
	b = appendGiven(append(b, `,"city":`...), a.City)
	b = appendGiven(append(b, `,"country":`...), a.Country)
	b = appendGiven(append(b, `,"state":`...), a.State)
	return appendGiven(append(b, `,"details":`...), a.Details)
}

func appendContactAddress(b []byte, a *engine.ContactAddress) []byte {
	if a == nil {
		return append(b, "null"...)
	}
	b = appendAddress(append(b, '{'), &a.Address)
	return append(appendGiven(append(b, `,"deliveryNotes":`...), a.DeliveryNotes), '}')
}

// appendContact appends the members of a contact.
func appendContact(b []byte, c *engine.Contact) []byte {
	if name := c.Name(); name != "" {
		return appendNamedContact(b, c, &name)
	}
	return appendNamedContact(b, c, nil)
}

func appendNamedContact(b []byte, c *engine.Contact, fullName *string) []byte {
	b = appendTextOrNull(append(b, `"firstName":`...), c.FirstName)
	b = appendTextOrNull(append(b, `,"lastName":`...), c.LastName)
	b = appendTextOrNull(append(b, `,"fullName":`...), fullName)
	b = appendTextOrNull(append(b, `,"email":`...), c.Email)
	b = appendTextOrNull(append(b, `,"phone":`...), c.Phone)
	b = appendBool(append(b, `,"marketingConsent":`...), c.MarketingConsent)
	b = appendTextOrNull(append(b, `,"dateOfBirth":`...), c.DateOfBirth)
	b = appendContactAddress(append(b, `,"billingAddress":`...), c.BillingAddress)
	b = appendContactAddress(append(b, `,"shippingAddress":`...), c.ShippingAddress)
	b = appendText(append(b, `,"customerType":`...), string(c.CustomerType))
	b = appendTextOrNull(append(b, `,"companyName":`...), c.CompanyName)
	b = appendTextOrNull(append(b, `,"taxId":`...), c.TaxID)
	return appendTextOrNull(append(b, `,"language":`...), c.Language)
}
