package api

import (
	"math"
	"slices"
	"strconv"

	"holdfast/engine"
)

// This file owns the parts of orders as they come in: people, forms, consents, documents, lines.

var userShape = shapeOf("UserReferenceInput",
	required("id", uuid, func(u *engine.UserRef) *engine.ID { return &u.ID }).says("The user's id where users are kept.").shows(`"`+exampleID("UserReference")+`"`),
	required("name", text(1, 255), func(u *engine.UserRef) *string { return &u.Name }).says("What the user is called.").shows(`"Rui"`),
	optional("email", text(1, 255), func(u *engine.UserRef) **string { return &u.Email }).says("Email address."),
	optional("avatarUrl", text(1, 2048), func(u *engine.UserRef) **string { return &u.AvatarURL }).says("A picture of the user."))

// fieldOption is an option of a checkout field as it comes in.
var fieldOption = func() kind[string] {
	s := shapeOf("CheckoutFieldOptionInput", required("name", text(0, 255), func(name *string) *string { return name }).says("What people call the choice."))
	return object(s)
}()

// checkoutFields are the fields of a form that was filled in: those of a customer have ids, those of a line an id.
func checkoutFields(name string, id field[engine.CheckoutField]) kind[[]engine.CheckoutField] {
	return list(object(shapeOf(name, id,
		defaulted("name", text(0, 255), "", func(f *engine.CheckoutField) *string { return &f.Name }).says("What the customer was asked."),
		defaulted("type", enum(engine.CheckoutFieldTypes...), "", func(f *engine.CheckoutField) *string { return &f.Type }).says("What kind of field it is."),
		optional("placeholder", text(0, 255), func(f *engine.CheckoutField) **string { return &f.Placeholder }).says("What stood in the empty field."),
		defaulted("required", boolean, false, func(f *engine.CheckoutField) *bool { return &f.Required }).
			says("Whether it had to be filled in. Default: false."),
		defaulted("internal", boolean, false, func(f *engine.CheckoutField) *bool { return &f.Internal }).
			says("Whether only the merchant sees it. Default: false."),
		optional("attributeId", text(0, 255), func(f *engine.CheckoutField) **string { return &f.AttributeID }).
			says("The customer's attribute that the answer is for."),
		optional("attributeFormat", enum(engine.CheckoutFieldFormats...), func(f *engine.CheckoutField) **string { return &f.AttributeFormat }).
			says("The format of that attribute."),
		defaulted("options", list(fieldOption, 0, maxParts), nil, func(f *engine.CheckoutField) *[]string { return &f.Options }).
			says("What could be chosen. Default: nothing."),
		optional("value", longText, func(f *engine.CheckoutField) **string { return &f.Value }).says("What the customer answered."),
		optional("checkoutFieldId", uuid, func(f *engine.CheckoutField) **engine.ID { return &f.CheckoutFieldID }).
			says("The id of the field in the shop that asked."),
	)), 0, maxParts)
}

const maxParts = 100

var (
	customerFormFields = checkoutFields("CheckoutFieldInput",
		defaulted("ids", list(uuid, 0, maxParts), nil, func(f *engine.CheckoutField) *[]engine.ID { return &f.IDs }).
			says("Ids of the same field in other places."))
	lineFormFields = checkoutFields("LineCheckoutFieldInput", optional("id", text(1, 255), func(f *engine.CheckoutField) **string { return &f.ID }).
			says("The field's id in the shop that asked."))

	contactInput = object(shapeOf("ContactInput", contactFields(func(c *engine.ContactPatch) *engine.ContactPatch { return c })...))

	orderCustomers = list(object(shapeOf("OrderCustomerInput", slices.Concat(
		[]field[engine.OrderCustomerInput]{
			optional("crmCustomerId", uuid, func(c *engine.OrderCustomerInput) **engine.ID { return &c.Customer }).
				says("The customer whose contact is taken where nothing else is given."),
		},
		contactFields(func(c *engine.OrderCustomerInput) *engine.ContactPatch { return &c.Contact }),
		[]field[engine.OrderCustomerInput]{
			defaulted("checkoutFields", customerFormFields, nil, func(c *engine.OrderCustomerInput) *[]engine.CheckoutField { return &c.Fields }).
				says("What this customer was asked. Default: nothing."),
		})...)), 0, maxParts)

	consents = list(object(shapeOf("ConsentAcceptanceInput",
		optional("consentConfigId", uuid, func(c *engine.Consent) **engine.ID { return &c.ConfigID }).says("The id of what was asked, where that is kept."),
		optional("label", text(0, 255), func(c *engine.Consent) **string { return &c.Label }).says("What was agreed to, in short."),
		optional("consentText", longText, func(c *engine.Consent) **string { return &c.Text }).says("The whole text that was agreed to."),
		defaulted("required", boolean, false, func(c *engine.Consent) *bool { return &c.Required }).says("Whether the order took agreement. Default: false."),
		optional("acceptedAt", instant, func(c *engine.Consent) **int64 { return &c.AcceptedAt }).says("When the customer agreed; null: they did not."),
		optional("ipAddress", text(0, 255), func(c *engine.Consent) **string { return &c.IPAddress }).says("The address that the agreement came from."),
		optional("userAgent", longText, func(c *engine.Consent) **string { return &c.UserAgent }).says("The program that the agreement came from."),
		optional("locale", text(0, 255), func(c *engine.Consent) **string { return &c.Locale }).says("Language of the text, as a tag."),
		defaulted("links", list(object(shapeOf("ConsentLinkInput",
			required("kind", text(1, 255), func(l *engine.ConsentLink) *string { return &l.Kind }).
				says("What kind of link it is, such as policy.").shows(`"policy"`),
			optional("policyDocumentId", uuid, func(l *engine.ConsentLink) **engine.ID { return &l.PolicyDocumentID }).
				says("The id of the document, where that is kept."),
			optional("name", text(0, 255), func(l *engine.ConsentLink) **string { return &l.Name }).says("What people call the link."),
			optional("content", longText, func(l *engine.ConsentLink) **string { return &l.Content }).says("The text behind the link."),
		)), 0, maxParts), nil, func(c *engine.Consent) *[]engine.ConsentLink { return &c.Links }).says("What the text refers to. Default: uuid."),
	)), 0, maxParts)

	orderDocuments = list(object(shapeOf("OrderDocumentInput",
		required("type", text(1, 255), func(d *engine.OrderDocument) *string { return &d.Type }).
			says("What kind of document it is, such as invoice.").shows(`"email"`),
		defaulted("name", text(0, 255), "", func(d *engine.OrderDocument) *string { return &d.Name }).says("What people call the document."),
		optional("fileRef", text(0, 2048), func(d *engine.OrderDocument) **string { return &d.FileRef }).says("Where the file is kept."),
	)), 0, maxParts)

	variantsChosen = list(object(shapeOf("ChosenVariantInput",
		required("variantId", uuid, func(v *engine.LineVariant) *engine.ID { return &v.Variant }).says("The variant that was chosen from."),
		required("variantValueId", uuid, func(v *engine.LineVariant) *engine.ID { return &v.Value }).says("The choice."),
		optional("variantLabel", text(0, 255), func(v *engine.LineVariant) **string { return &v.Label }).says("What the variant was called then."),
		optional("variantValueLabel", text(0, 255), func(v *engine.LineVariant) **string { return &v.ValueLabel }).says("What the choice was called then."),
	)), 0, 20)

	requirements = list(object(shapeOf("RequirementInput",
		defaulted("key", enum(engine.RequirementAttribute), engine.RequirementAttribute, func(r *engine.Requirement) *string { return &r.Key }).
			says("What is looked at: an attribute. Default: attribute."),
		required("attributeId", uuid, func(r *engine.Requirement) *engine.ID { return &r.Attribute }).says("The attribute."),
		required("operator", enum(engine.Operators...), func(r *engine.Requirement) *engine.Operator { return &r.Operator }).
			says("How its value is compared."),
		defaulted("values", list(operandText, 0, maxListIDs), nil, func(r *engine.Requirement) *[]string { return &r.Values }).
			says("Any of them, as text; of a negated operator none."),
	)), 0, 32)

	taxRate    = integer[int](0, 10_000)
	splitRate  = scalar(jsonNumber, &Schema{Type: "number", Min: new(int64), Max: one}, parseSplit)
	one        = func() *int64 { n := int64(1); return &n }()
	wholeSplit = 1e6
)

// parseSplit reads a part of one, to the millionth.
func parseSplit(raw []byte, dst *int64) wrong {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n < 0 || n > 1 {
		return wrong{faultRange, "must be between 0 and 1"}
	}
	*dst = int64(math.Round(n * wholeSplit))
	return wrong{}
}

// orderLine is a line item as it comes in.
type orderLine struct {
	engine.OrderLineInput
	subscription *lineSubscription
}

// lineSubscription is the terms of a line's subscription as they come in.
type lineSubscription struct {
	subscriptionInput
	collection *string
}

const (
	aboutUnitPrice = "Price of one unit for the whole time, in minor units of the account's currency; of a subscription for a cycle."
	aboutOpenEnd   = "Default: without end, until the units come back; where a pricing row is for a length of time, " +
		"the unit price is that of one such length until there is an end."
)

var lineSubscriptionShape = shapeOf("LineSubscriptionInput", append(
	subscriptionFields(func(s *lineSubscription) *subscriptionInput { return &s.subscriptionInput }),
	optional("collectionMethod", text(1, 255), func(s *lineSubscription) **string { return &s.collection }).
		says("Stored as given: nothing is charged here."))...)

var lineItem = object(shapeOf("OrderLineItemInput", slices.Concat(
	itemFields(func(l *orderLine) *engine.Item { return &l.Item }),
	[]field[orderLine]{
		required("purchaseType", purchaseType, func(l *orderLine) *engine.PurchaseType { return &l.Purchase }).
			says("How it is taken: booked for a time, sold, or subscribed to."),
		defaulted("quantity", count, 1, func(l *orderLine) *int { return &l.Quantity }).says("How many units. Default: 1."),
		optional("startDate", instant, func(l *orderLine) **int64 { return &l.From }).
			says("First instant of the line; of a sale it may be left out and is now."),
		optional("endDate", instant, func(l *orderLine) **int64 { return &l.To }).says("First instant behind the line; a sale has none. " + aboutOpenEnd),
		optional("pricingRowId", uuid, func(l *orderLine) **engine.ID { return &l.PricingRow }).
			says("The pricing row that the price is of; without it or a unit price the line is free.").shows("null"),
		optional("unitPrice", price, func(l *orderLine) **int64 { return &l.UnitPrice }).says(aboutUnitPrice).needs("orders.payments.write"),
		optional("taxRate", taxRate, func(l *orderLine) **int { return &l.TaxRate }).says("Tax in hundredths of a percent: 2300 is 23 %. Default: 0."),
		optional("name", text(1, 255), func(l *orderLine) **string { return &l.Name }).says("What the line is called. Default: the item's name."),
		optional("note", longText, func(l *orderLine) **string { return &l.Note }).says("A text for those who read it."),
		optional("imageUrl", text(1, 2048), func(l *orderLine) **string { return &l.ImageURL }).says("A picture of it."),
		optional("orderCustomerId", uuid, func(l *orderLine) **engine.ID { return &l.OrderCustomer }).
			says("The customer of the order that the line is for.").shows("null"),
		optional("addonOfLineItemId", uuid, func(l *orderLine) **engine.ID { return &l.AddonOf }).
			says("The line of this order, there already, that this one is an add-on of.").shows("null"),
		optional("addonOfLine", integer[int](0, 999), func(l *orderLine) **int { return &l.AddonOfLine }).
			says("The earlier line of this request that it is an add-on of, counted from 0.").shows("null"),
		optional("catalogAddonId", uuid, func(l *orderLine) **engine.ID { return &l.CatalogAddon }).
			says("The add-on's id in the shop's catalog, as it was given."),
		optional("cartAddonId", uuid, func(l *orderLine) **engine.ID { return &l.CartAddon }).says("The add-on's id in the cart, as it was given."),
		optional("isAddon", text(1, 255), func(l *orderLine) **string { return &l.IsAddon }).
			says("What kind of add-on it is, which is kept as it is.").shows(`"cart"`),
		defaulted("variants", variantsChosen, nil, func(l *orderLine) *[]engine.LineVariant { return &l.Variants }).
			says("What the customer chose. Default: nothing."),
		defaulted("requirements", requirements, nil, func(l *orderLine) *[]engine.Requirement { return &l.Requirements }).
			says("What the article of each unit has to be like.").shows("null"),
		defaulted("checkoutFields", lineFormFields, nil, func(l *orderLine) *[]engine.CheckoutField { return &l.Fields }).
			says("What the customer was asked for this line. Default: nothing."),
		defaulted("expectsInventoryLink", boolean, false, func(l *orderLine) *bool { return &l.ExpectsLink }).
			says("Whether an article is expected to be named, which is kept as it is; nothing is checked here. Default: false."),
		optional("revenueSplitRate", splitRate, func(l *orderLine) **int64 { return &l.RevenueSplit }).
			says("The part of the income that is the article's own. Default 1."),
		optional("subscription", object(lineSubscriptionShape), func(l *orderLine) **lineSubscription { return &l.subscription }).
			says("The terms of a subscription, in place of those of the pricing row.").shows("null"),
	})...))

// orderLines are line items, at least so many.
func orderLines(least int) kind[[]orderLine] { return list(lineItem, least, 1000) }

// lines are line items as the engine takes them.
func (q *request) lines(list []orderLine) []engine.OrderLineInput {
	out := make([]engine.OrderLineInput, len(list))
	for i := range list {
		l := &list[i]
		if s := l.subscription; s != nil {
			l.Subscription, l.Collection = q.terms("/lineItems/"+strconv.Itoa(i)+"/subscription", s.subscriptionInput), s.collection
		}
		out[i] = l.OrderLineInput
	}
	return out
}
