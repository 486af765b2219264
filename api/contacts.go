package api

import (
	"slices"

	"holdfast/engine"
)

// This file owns contacts on the wire: who a customer is and how to reach them; and postal addresses.

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

var contactAddress = object(shapeOf("ContactAddress", append(
	addressFields(func(a *engine.ContactAddress) *engine.Address { return &a.Address }),
	defaulted("deliveryNotes", longText, "", func(a *engine.ContactAddress) *string { return &a.DeliveryNotes }))...))

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
		merged("billingAddress", contactAddress, true, func(in *In) *engine.Opt[engine.ContactAddress] { return &at(in).BillingAddress }),
		merged("shippingAddress", contactAddress, true, func(in *In) *engine.Opt[engine.ContactAddress] { return &at(in).ShippingAddress }),
		merged("customerType", customerType, true, func(in *In) *engine.Opt[engine.CustomerType] { return &at(in).CustomerType }).says("Default individual."),
		merged("companyName", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).CompanyName }),
		merged("taxId", text(1, 255), true, func(in *In) *engine.Opt[string] { return &at(in).TaxID }),
		merged("language", text(1, 35), true, func(in *In) *engine.Opt[string] { return &at(in).Language }).says("A language tag, such as en or pt-BR."),
	}
}

var (
	addressMembers = []Member{
		has("address", textSchema), has("zipCode", textSchema), has("city", textSchema), has("country", textSchema), has("state", textSchema),
		has("details", textSchema),
	}
	contactAddressSchema = recordSchema("ContactAddressRecord", slices.Concat(addressMembers, []Member{has("deliveryNotes", textSchema)})...)
	contactMembers       = []Member{
		has("firstName", textSchema.orNull()), has("lastName", textSchema.orNull()), has("fullName", textSchema.orNull()),
		has("email", textSchema.orNull()), has("phone", textSchema.orNull()), has("marketingConsent", booleanSchema),
		has("dateOfBirth", (&Schema{Type: "string", Format: "date"}).orNull()),
		has("billingAddress", contactAddressSchema.orNull()), has("shippingAddress", contactAddressSchema.orNull()),
		has("customerType", enumSchema("individual", "business")), has("companyName", textSchema.orNull()), has("taxId", textSchema.orNull()),
		has("language", textSchema.orNull()),
	}
)

// appendAddress appends the members of an address.
func appendAddress(b []byte, a *engine.Address) []byte {
	b = appendText(append(b, `"address":`...), a.Address)
	b = appendText(append(b, `,"zipCode":`...), a.ZipCode)
	b = appendText(append(b, `,"city":`...), a.City)
	b = appendText(append(b, `,"country":`...), a.Country)
	b = appendText(append(b, `,"state":`...), a.State)
	return appendText(append(b, `,"details":`...), a.Details)
}

func appendContactAddress(b []byte, a *engine.ContactAddress) []byte {
	if a == nil {
		return append(b, "null"...)
	}
	b = appendAddress(append(b, '{'), &a.Address)
	return append(appendText(append(b, `,"deliveryNotes":`...), a.DeliveryNotes), '}')
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
