package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns contacts on the wire: who a customer is and how to reach them; and postal addresses.

// addressFields are an address's fields in a record that is made: it is all of the address.
func addressFields[In any](at func(*In) *engine.Address) []field[In] {
	return []field[In]{
		defaulted("address", text(0, 255), "", func(in *In) *string { return &at(in).Address }),
		defaulted("zipCode", text(0, 255), "", func(in *In) *string { return &at(in).ZipCode }),
		defaulted("city", text(0, 255), "", func(in *In) *string { return &at(in).City }),
		defaulted("country", text(0, 255), "", func(in *In) *string { return &at(in).Country }),
		defaulted("state", text(0, 255), "", func(in *In) *string { return &at(in).State }),
		defaulted("details", text(0, 255), "", func(in *In) *string { return &at(in).Details }),
	}
}

// addressPatchFields are the same where the record may have an address already: what is absent stays.
func addressPatchFields[In any](at func(*In) *engine.AddressPatch) []field[In] {
	return []field[In]{
		merged("address", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).Address }),
		merged("zipCode", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).ZipCode }),
		merged("city", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).City }),
		merged("country", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).Country }),
		merged("state", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).State }),
		merged("details", text(0, 255), true, func(in *In) *engine.Opt[string] { return &at(in).Details }),
	}
}

var contactAddress = object(shapeOf("ContactAddress", append(
	addressPatchFields(func(a *engine.ContactAddressPatch) *engine.AddressPatch { return &a.AddressPatch }),
	merged("deliveryNotes", longText, true, func(a *engine.ContactAddressPatch) *engine.Opt[string] { return &a.DeliveryNotes }))...))

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
		merged("firstName", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).FirstName }),
		merged("lastName", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).LastName }),
		merged("fullName", text(1, 511), true, func(in *In) *engine.Opt[string] { return &at(in).FullName }).says("Null: it is made of first and last name."),
		merged("email", email, true, func(in *In) *engine.Opt[string] { return &at(in).Email }),
		merged("phone", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).Phone }),
		merged("marketingConsent", boolean, true, func(in *In) *engine.Opt[bool] { return &at(in).MarketingConsent }).says("Default false."),
		merged("dateOfBirth", date, true, func(in *In) *engine.Opt[string] { return &at(in).DateOfBirth }),
		merged("billingAddress", contactAddress, true, func(in *In) *engine.Opt[engine.ContactAddressPatch] { return &at(in).BillingAddress }),
		merged("shippingAddress", contactAddress, true, func(in *In) *engine.Opt[engine.ContactAddressPatch] { return &at(in).ShippingAddress }),
		merged("customerType", customerType, true, func(in *In) *engine.Opt[engine.CustomerType] { return &at(in).CustomerType }).says("Default individual."),
		merged("companyName", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).CompanyName }),
		merged("taxId", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).TaxID }),
		merged("language", text(1, 35), true, func(in *In) *engine.Opt[string] { return &at(in).Language }).says("A language tag, such as en or pt-BR."),
	}
}

var (
	addressMembers = []Member{
		has("address", textSchema.orNull()), has("zipCode", textSchema.orNull()), has("city", textSchema.orNull()), has("country", textSchema.orNull()),
		has("state", textSchema.orNull()), has("details", textSchema.orNull()),
	}
	contactAddressSchema = recordSchema("ContactAddressRecord", slices.Concat(addressMembers, []Member{has("deliveryNotes", textSchema.orNull())})...)
	contactMembers       = []Member{
		has("firstName", textSchema.orNull()), has("lastName", textSchema.orNull()), has("fullName", textSchema.orNull()),
		has("email", textSchema.orNull()), has("phone", textSchema.orNull()), has("marketingConsent", booleanSchema),
		has("dateOfBirth", (&Schema{Type: "string", Format: "date"}).orNull()),
		has("billingAddress", contactAddressSchema.orNull()), has("shippingAddress", contactAddressSchema.orNull()),
		has("customerType", enumSchema("individual", "business")), has("companyName", textSchema.orNull()), has("taxId", textSchema.orNull()),
		has("language", textSchema.orNull()),
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
