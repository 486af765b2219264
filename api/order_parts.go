package api

import (
	"math"
	"slices"
	"strconv"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
	"holdfast/engine/order"
)

// This file owns the parts of orders as they come in: people, forms, consents, documents, lines.

var userInput = wire.ObjectOf[order.UserRef]("UserReferenceInput")

// fieldOption is an option of a checkout field as it comes in.
var fieldOption = func() wire.Kind[string] {
	s := wire.ShapeOf("CheckoutFieldOptionInput", wire.Required("name", wire.Text(0, base.MaxName),
		func(name *string) *string { return name }).Says("What people call the choice."))
	return wire.Object(s)
}()

// checkoutFields are the fields of a form that was filled in: those of a customer have ids, those of a line an id. The
// other of the two they have not.
func checkoutFields(name, other string) wire.Kind[[]order.CheckoutField] {
	given := wire.MadeOf(func(f *order.CheckoutField) *order.CheckoutField { return f },
		wire.Reads("type", wire.Enum(order.CheckoutFieldTypes...)),
		wire.Reads("attributeFormat", wire.Enum(order.CheckoutFieldFormats...)),
		wire.Reads("options", wire.ListOf(fieldOption, 0, order.MaxParts)), wire.Reads("value", fieldValue))
	return wire.ListOf(wire.Object(wire.ShapeOf(name, wire.But(given, other)...)), 0, order.MaxParts)
}

// fieldValue is what a field of a form was filled in with.
var fieldValue = wire.Kind[order.CheckoutValue]{
	Schema: &wire.Schema{Example: `"172"`},
	JSON: func(r *wire.Reader, dst *order.CheckoutValue) {
		switch c := r.Space(); {
		case c == '"':
			longText.JSON(r, &dst.Text)
		case c == 't' || c == 'f':
			dst.Text, dst.As = string(r.Raw()), label.BooleanValue
		case c == '-' || c >= '0' && c <= '9':
			dst.Text, dst.As = string(r.Raw()), label.NumberValue
		default:
			r.WrongType("a string, a number, or true or false")
		}
	},
	Query: func(*wire.Args, string, *order.CheckoutValue) bool { return false },
}

// appendFieldValue appends it as what its field takes, where it is that.
func appendFieldValue(b []byte, f *order.CheckoutField) []byte {
	switch takes := f.Takes(); {
	case f.Value == nil:
		return append(b, "null"...)
	case takes == label.NumberValue && wire.IsNumber(f.Value.Text), takes == label.BooleanValue &&
		(f.Value.Text == "true" || f.Value.Text == "false"):
		return append(b, f.Value.Text...)
	}
	return wire.AppendText(b, f.Value.Text)
}

var (
	customerFormFields = checkoutFields("CheckoutFieldInput", "id")
	lineFormFields     = checkoutFields("LineCheckoutFieldInput", "ids")

	contactInput = wire.Object(wire.ShapeOf("ContactInput", append(
		wire.ChangedBy(func(c *order.MainContact) *base.Changes[commerce.Contact] { return &c.Changes }),
		wire.Optional("crmCustomerId", wire.UUID, func(c *order.MainContact) **base.ID { return &c.Customer }).
			Shows("null").
			Says("The customer whose contact is taken where nothing else is given. Default: the oldest with this "+
				"email, else a new one."))...))

	orderCustomers = wire.ListOf(wire.Object(wire.ShapeOf("OrderCustomerInput", slices.Concat(
		[]wire.Field[order.OrderCustomerInput]{
			wire.Optional("id", wire.UUID,
				func(c *order.OrderCustomerInput) **base.ID { return &c.ID }).
				Says("The id of a customer whom the order has already, and who keeps it. Default: a new id."),
			wire.Optional("crmCustomerId", wire.UUID,
				func(c *order.OrderCustomerInput) **base.ID { return &c.Customer }).
				Says("The customer whose contact is taken where nothing else is given."),
		},
		wire.ChangedBy(func(c *order.OrderCustomerInput) *base.Changes[commerce.Contact] { return &c.Contact }),
		[]wire.Field[order.OrderCustomerInput]{
			wire.Defaulted("checkoutFields", customerFormFields, nil,
				func(c *order.OrderCustomerInput) *[]order.CheckoutField { return &c.Fields }).
				Says("What this customer was asked. Default: nothing."),
		})...)), 0, order.MaxParts)

	requirements = wire.ListOf(wire.Object(wire.ShapeOf("RequirementInput",
		wire.Defaulted("key", wire.Enum(order.RequirementAttribute), order.RequirementAttribute,
			func(r *order.Requirement) *string { return &r.Key }).
			Says("What is looked at: an attribute. Default: attribute."),
		wire.Required("attributeId", wire.UUID, func(r *order.Requirement) *base.ID { return &r.Attribute }).
			Says("The attribute."),
		wire.Required("operator", wire.Enum(label.Operators...),
			func(r *order.Requirement) *label.Operator { return &r.Operator }).
			Says("How its value is compared."),
		wire.Defaulted("values", wire.ListOf(operandText, 0, maxListIDs), nil,
			func(r *order.Requirement) *[]string { return &r.Values }).
			Says("What the value is compared with, as text: any of these has to match, or with a negated "+
				"operator none."),
	)), 0, 32)

	splitRate  = wire.Scalar(wire.JSONNumber, &wire.Schema{Type: "number", Min: new(int64), Max: one}, parseSplit)
	one        = func() *int64 { n := int64(1); return &n }()
	wholeSplit = 1e6
)

// parseSplit reads a part of one, to the millionth.
func parseSplit(raw []byte, dst *int64) wire.Wrong {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n < 0 || n > 1 {
		return wire.Wrong{Code: wire.FaultRange, Message: "must be between 0 and 1"}
	}
	*dst = int64(math.Round(n * wholeSplit))
	return wire.Wrong{}
}

// orderLine is a line item as it comes in.
type orderLine struct {
	order.OrderLineInput
	subscription *lineSubscription
}

// lineSubscription is the terms of a line's subscription as they come in.
type lineSubscription struct {
	subscriptionInput
	collection *string
}

var lineSubscriptionShape = wire.ShapeOf("LineSubscriptionInput", append(
	subscriptionFields(func(s *lineSubscription) *subscriptionInput { return &s.subscriptionInput }),
	wire.Optional("collectionMethod", wire.Text(1, base.MaxName),
		func(s *lineSubscription) **string { return &s.collection }).
		Says("Stored as given: nothing is charged here."))...)

// lineName is what a line is called: as it is written, or as it is read.
var lineName = func() wire.Kind[string] {
	text := wire.Text(1, base.MaxName)
	read := wire.Object(wire.ShapeOf("LocalizedNameInput",
		wire.Required("def", text, func(s *string) *string { return s }).Says("The name in the merchant's language.")))
	return wire.Kind[string]{
		Schema: &wire.Schema{Example: `"City bike"`},
		JSON: func(r *wire.Reader, dst *string) {
			switch r.Space() {
			case '"':
				text.JSON(r, dst)
			case '{':
				read.JSON(r, dst)
			default:
				r.WrongType("a string, or an object with def")
			}
		},
		Query: func(*wire.Args, string, *string) bool { return false },
	}
}()

// lineKinds are how the fields of a line are read that their declaration does not say that of.
var lineKinds = []wire.Own{wire.Reads("name", lineName), wire.Reads("requirements", requirements),
	wire.Reads("checkoutFields", lineFormFields), wire.Reads("revenueSplitRate", splitRate)}

var lineItem = wire.Object(wire.ShapeOf("OrderLineItemInput", slices.Concat(
	itemFields(func(l *orderLine) *base.Item { return &l.Item }),
	wire.Needing("orders.payments.write",
		wire.MadeOf(func(l *orderLine) *order.OrderLineInput { return &l.OrderLineInput }, lineKinds...), "unitPrice"),
	[]wire.Field[orderLine]{
		wire.Optional("subscription", wire.Object(lineSubscriptionShape),
			func(l *orderLine) **lineSubscription { return &l.subscription }).
			Says("The terms of a subscription, in place of those of the pricing row.").Shows("null"),
	})...))

// orderLines are line items, at least so many.
func orderLines(least int) wire.Kind[[]orderLine] { return wire.ListOf(lineItem, least, 1000) }

// lines are line items as the engine takes them.
func (q *request) lines(list []orderLine) []order.OrderLineInput {
	out := make([]order.OrderLineInput, len(list))
	for i := range list {
		l := &list[i]
		if s := l.subscription; s != nil {
			l.Subscription, l.Collection = q.terms("/lineItems/"+strconv.Itoa(i)+"/subscription", s.subscriptionInput),
				s.collection
		}
		if l.PricingRow != nil {
			q.claimRow(l.Item, "lineItems.pricingRowId")
		}
		out[i] = l.OrderLineInput
	}
	return out
}

// claimRow makes a request need the scope of a unit price where it names a pricing row for an item without a pricing
// table: that can be a row of any price.
func (q *request) claimRow(i base.Item, field string) {
	c := wire.Claim{Field: field, Scope: "orders.payments.write"}
	if !order.HasPricingTable(q.view, i) && !slices.Contains(q.json.Claims, c) {
		q.json.Claims = append(q.json.Claims, c)
	}
}
