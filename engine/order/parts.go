package order

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
)

// This file owns the parts of orders that are kept as given: people, forms, consents, documents, comments, how it is
// paid.

// UserRef names a user of the caller's, as it was sent.
type UserRef struct {
	ID        base.ID `field:"id id required" about:"The user's id where users are kept." ids:"foreign"`
	Name      string  `field:"name text 1..255 required" about:"What the user is called." example:"Rui"`
	Email     *string `json:",omitempty" field:"email text 1..255" about:"Email address."`
	AvatarURL *string `json:",omitempty" field:"avatarUrl text 1..2048" about:"A picture of the user."`
}

// OrderCustomer is a customer that an order is for, in addition to its main contact or in place of it.
type OrderCustomer struct {
	ID       base.ID
	Customer base.ID `json:",omitzero"` // the customer's record, if there is one
	commerce.Contact
	Fields    []CheckoutField `json:",omitempty"`
	UpdatedAt int64
}

// CheckoutField is a field of a form that the customer filled in.
type CheckoutField struct {
	ID              *string        `json:",omitempty" field:"id text 1..255" about:"The field's id in the shop that asked."` // of a line's
	Name            string         `json:",omitempty" field:"name text 0..255" made:"What the customer was asked."`
	Type            string         `json:",omitempty" field:"type own" made:"What kind of field it is."`
	IDs             []base.ID      `json:",omitempty" field:"ids list 0..100 id" made:"Ids of the same field in other places." ids:"foreign"` // of a customer's
	Placeholder     *string        `json:",omitempty" field:"placeholder text 0..255" about:"What stood in the empty field."`
	Required        bool           `json:",omitempty" field:"required flag" about:"Whether it had to be filled in."`
	Internal        bool           `json:",omitempty" field:"internal flag" about:"Whether only the merchant sees it."`
	AttributeID     *string        `json:",omitempty" field:"attributeId text 0..255" about:"The customer's attribute that the answer is for."`
	AttributeFormat *string        `json:",omitempty" field:"attributeFormat own" about:"The format of that attribute."`
	Options         []string       `json:",omitempty" field:"options own" made:"What could be chosen. Default: nothing."`
	Value           *CheckoutValue `json:",omitempty" field:"value own" about:"What the customer answered: a string, of a number also a number and of a checkbox also true or false, as it is by its type or its attribute's format."`
	CheckoutFieldID *base.ID       `json:",omitempty" field:"checkoutFieldId id" about:"The id of the field in the shop that asked." ids:"foreign"`
}

// CheckoutValue is the answer in a form field, as text. As is the JSON type in which it was sent, needed until it is
// checked; afterwards the field's type decides.
type CheckoutValue struct {
	Text string
	As   label.ValueKind // NoValue: as text
}

// MarshalText writes a value into a stored row.
func (v CheckoutValue) MarshalText() ([]byte, error) { return []byte(v.Text), nil }

// UnmarshalText reads what MarshalText wrote.
func (v *CheckoutValue) UnmarshalText(b []byte) error {
	*v = CheckoutValue{Text: string(b)}
	return nil
}

// Takes is the kind of value that a field takes in addition to text: that of its type, or of its attribute's format.
func (f *CheckoutField) Takes() label.ValueKind {
	kind := f.Type
	if f.Type == "customer_attribute" && f.AttributeFormat != nil {
		kind = *f.AttributeFormat
	}
	switch kind {
	case "number":
		return label.NumberValue
	case "checkbox", "boolean":
		return label.BooleanValue
	}
	return label.TextValue
}

// checkValue judges what a field was filled in with.
func (f *CheckoutField) checkValue(c *base.Checker, pointer string) {
	if f.Value == nil {
		return
	}
	c.Text(pointer, f.Value.Text, 0, base.MaxNote)
	if as := f.Value.As; as != label.NoValue && as != f.Takes() {
		c.Fault(pointer, "type", map[label.ValueKind]string{
			label.TextValue: "must be a string", label.NumberValue: "must be a number, or a string",
			label.BooleanValue: "must be true or false, or a string",
		}[f.Takes()])
	}
}

// CheckoutFieldTypes and CheckoutFieldFormats are the words that its Type and AttributeFormat can be.
var (
	CheckoutFieldTypes   = []string{"text", "select", "number", "checkbox", "customer_attribute"}
	CheckoutFieldFormats = []string{"text", "number", "boolean", "date", "datetime", "formula", "select", "multiselect"}
)

// Consent is something that the customer agreed to.
type Consent struct {
	ID         base.ID
	ConfigID   *base.ID      `json:",omitempty" field:"consentConfigId id" about:"The id of what was asked, where that is kept." ids:"foreign"`
	Label      *string       `json:",omitempty" field:"label text 0..255" about:"What was agreed to, in short."`
	Text       *string       `json:",omitempty" field:"consentText text 0..10000" about:"The whole text that was agreed to."`
	Required   bool          `json:",omitempty" field:"required flag" about:"Whether the order took agreement."`
	AcceptedAt *int64        `json:",omitempty" field:"acceptedAt instant" about:"When the customer agreed, which is not to come; null: they did not."`
	IPAddress  *string       `json:",omitempty" field:"ipAddress text 0..255" about:"The address that the agreement came from."`
	UserAgent  *string       `json:",omitempty" field:"userAgent text 0..10000" about:"The program that the agreement came from."`
	Locale     *string       `json:",omitempty" field:"locale text 0..255" about:"Language of the text, as a tag."`
	Links      []ConsentLink `json:",omitempty" field:"links list 0..100 object ConsentLinkInput ConsentLink" about:"What the text refers to."`
}

// ConsentLink is a document that a consent refers to.
type ConsentLink struct {
	Kind             string   `field:"kind text 1..255 required" about:"What kind of link it is, such as policy." example:"policy"`
	PolicyDocumentID *base.ID `json:",omitempty" field:"policyDocumentId id" about:"The id of the document, where that is kept." ids:"foreign"`
	Name             *string  `json:",omitempty" field:"name text 0..255" about:"What people call the link."`
	Content          *string  `json:",omitempty" field:"content text 0..10000" about:"The text behind the link."`
}

// OrderDocument is a document of an order's, kept elsewhere.
type OrderDocument struct {
	ID      base.ID
	Type    string  `field:"type text 1..255 required" about:"What kind of document it is, such as invoice." example:"email"`
	Name    string  `field:"name text 0..255" made:"What people call the document."`
	FileRef *string `json:",omitempty" field:"fileRef text 0..2048" about:"Where the file is kept."`
}

// OrderComment is a comment on an order.
type OrderComment struct {
	ID         base.ID
	UpdatedAt  int64
	AuthorType string // user or system
	Content    string
	Author     *UserRef `json:",omitempty"`
	Parent     base.ID  `json:",omitzero"`
}

// LineVariant is what was chosen of a variant.
type LineVariant struct {
	Variant    base.ID `field:"variantId id required" about:"The variant that was chosen from."`
	Value      base.ID `field:"variantValueId id required" about:"The choice."`
	Label      *string `json:",omitempty" field:"variantLabel text 0..255" about:"What the variant was called then."`
	ValueLabel *string `json:",omitempty" field:"variantValueLabel text 0..255" about:"What the choice was called then."`
}

// PaymentMethod is how an order is paid, as given: nothing is charged here.
type PaymentMethod struct {
	Key      *string       `json:",omitempty" field:"paymentMethodKey text 1..255" about:"How the customer pays, as it was given." example:"CARD_ONLINE_PROVIDER"`
	HasSaved bool          `json:",omitempty" field:"hasSavedPaymentMethod flag" changed:"Whether the customer's means of payment is kept by who charges it. Null clears it."`
	Card     *SavedCard    `json:",omitempty" field:"savedCard own" about:"The card that is kept; null: none."`
	Custom   *CustomMethod `json:",omitempty" field:"customPaymentMethod own" about:"The merchant's own way of payment."`
}

// SavedCard is what is known of a card.
type SavedCard struct {
	Brand string `field:"brand text 0..255 required" about:"Who issued the card." example:"visa"`
	Last4 string `field:"last4 text 0..4 required" about:"The last four digits of its number." example:"4242"`
}

// CustomMethod is a way to pay of the merchant's own.
type CustomMethod struct {
	ID          base.ID `field:"id id required" about:"The method's id where methods are kept." ids:"foreign"`
	Label       string  `field:"label text 1..255 required" about:"What people call the method."`
	Key         *string `json:",omitempty" field:"key text 1..255" about:"The key under which programs find the method."`
	Description *string `json:",omitempty" field:"description text 0..10000" about:"What is told of the method."`
}

const (
	MaxParts    = 100 // customers, consents, documents, fields of one record
	maxComments = 1_000
	maxPayments = 1_000
)

func checkoutFields(c *base.Checker, list []CheckoutField) {
	for at, f := range base.Each(c, "/checkoutFields", list, MaxParts) {
		base.CheckFields(c, at, f)
		if f.Type != "" {
			c.OneOf(at+"/type", f.Type, CheckoutFieldTypes...)
		}
		if f.AttributeFormat != nil {
			c.OneOf(at+"/attributeFormat", *f.AttributeFormat, CheckoutFieldFormats...)
		}
		f.checkValue(c, at+"/value")
		for at, name := range base.Each(c, at+"/options", f.Options, MaxParts) {
			c.Text(at+"/name", *name, 0, base.MaxName)
		}
	}
}

func (m *PaymentMethod) check(c *base.Checker) {
	base.CheckFields(c, "", m)
	base.CheckFields(c, "/savedCard", m.Card)
	base.CheckFields(c, "/customPaymentMethod", m.Custom)
}
