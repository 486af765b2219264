package order

import (
	"holdfast/engine/base"
	"holdfast/engine/commerce"
	"holdfast/engine/label"
)

// This file owns the parts of orders that are kept as given: people, forms, consents, documents, comments, how it is paid.

// UserRef names a user of the caller's, as it was sent.
type UserRef struct {
	ID        base.ID
	Name      string
	Email     *string `json:",omitempty"`
	AvatarURL *string `json:",omitempty"`
}

// OrderCustomer is somebody whom an order is for, beside or in place of its main contact.
type OrderCustomer struct {
	ID       base.ID
	Customer base.ID `json:",omitzero"` // the customer's record, if there is one
	commerce.Contact
	Fields    []CheckoutField `json:",omitempty"`
	UpdatedAt int64
}

// CheckoutField is a field of a form that the customer filled in.
type CheckoutField struct {
	ID              *string        `json:",omitempty"` // of a line's
	Name            string         `json:",omitempty"`
	Type            string         `json:",omitempty"`
	IDs             []base.ID      `json:",omitempty"` // of a customer's
	Placeholder     *string        `json:",omitempty"`
	Required        bool           `json:",omitempty"`
	Internal        bool           `json:",omitempty"`
	AttributeID     *string        `json:",omitempty"`
	AttributeFormat *string        `json:",omitempty"`
	Options         []string       `json:",omitempty"`
	Value           *CheckoutValue `json:",omitempty"`
	CheckoutFieldID *base.ID       `json:",omitempty"`
}

// CheckoutValue is what a field was filled in with, as text. As what it came in counts until it was judged: what it is says the field.
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

// Takes is the kind of value that a field takes beside text: that of its type, or of its attribute's format.
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
			label.TextValue: "must be a string", label.NumberValue: "must be a number, or a string", label.BooleanValue: "must be true or false, or a string",
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
	ConfigID   *base.ID      `json:",omitempty"`
	Label      *string       `json:",omitempty"`
	Text       *string       `json:",omitempty"`
	Required   bool          `json:",omitempty"`
	AcceptedAt *int64        `json:",omitempty"`
	IPAddress  *string       `json:",omitempty"`
	UserAgent  *string       `json:",omitempty"`
	Locale     *string       `json:",omitempty"`
	Links      []ConsentLink `json:",omitempty"`
}

// ConsentLink is a document that a consent refers to.
type ConsentLink struct {
	Kind             string
	PolicyDocumentID *base.ID `json:",omitempty"`
	Name             *string  `json:",omitempty"`
	Content          *string  `json:",omitempty"`
}

// OrderDocument is a document of an order's, kept elsewhere.
type OrderDocument struct {
	ID      base.ID
	Type    string
	Name    string
	FileRef *string `json:",omitempty"`
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
	Variant    base.ID
	Value      base.ID
	Label      *string `json:",omitempty"`
	ValueLabel *string `json:",omitempty"`
}

// PaymentMethod is how an order is paid, as given: nothing is charged here.
type PaymentMethod struct {
	Key      *string       `json:",omitempty"`
	HasSaved bool          `json:",omitempty"`
	Card     *SavedCard    `json:",omitempty"`
	Custom   *CustomMethod `json:",omitempty"`
}

// SavedCard is what is known of a card.
type SavedCard struct{ Brand, Last4 string }

// CustomMethod is a way to pay of the merchant's own.
type CustomMethod struct {
	ID          base.ID
	Label       string
	Key         *string `json:",omitempty"`
	Description *string `json:",omitempty"`
}

const (
	maxParts    = 100 // customers, consents, documents, fields of one record
	maxComments = 1_000
	maxPayments = 1_000
)

func user(c *base.Checker, pointer string, u *UserRef) {
	if u == nil {
		return
	}
	c.Text(pointer+"/name", u.Name, 1, base.MaxName)
	c.Optional(pointer+"/email", u.Email, 1, base.MaxName)
	c.Optional(pointer+"/avatarUrl", u.AvatarURL, 1, base.MaxURL)
}

func checkoutFields(c *base.Checker, pointer string, list []CheckoutField) {
	for at, f := range base.Each(c, pointer, list, 0, maxParts) {
		c.Text(at+"/name", f.Name, 0, base.MaxName)
		if f.Type != "" {
			c.OneOf(at+"/type", f.Type, CheckoutFieldTypes...)
		}
		if f.AttributeFormat != nil {
			c.OneOf(at+"/attributeFormat", *f.AttributeFormat, CheckoutFieldFormats...)
		}
		c.Optional(at+"/id", f.ID, 1, base.MaxName)
		c.Optional(at+"/placeholder", f.Placeholder, 0, base.MaxName)
		c.Optional(at+"/attributeId", f.AttributeID, 0, base.MaxName)
		f.checkValue(c, at+"/value")
		c.Count(at+"/ids", len(f.IDs), 0, maxParts)
		for at, name := range base.Each(c, at+"/options", f.Options, 0, maxParts) {
			c.Text(at+"/name", *name, 0, base.MaxName)
		}
	}
}

func consents(c *base.Checker, pointer string, list []Consent) {
	for at, x := range base.Each(c, pointer, list, 0, maxParts) {
		c.Optional(at+"/label", x.Label, 0, base.MaxName)
		c.Optional(at+"/consentText", x.Text, 0, base.MaxNote)
		c.Optional(at+"/ipAddress", x.IPAddress, 0, base.MaxName)
		c.Optional(at+"/userAgent", x.UserAgent, 0, base.MaxNote)
		c.Optional(at+"/locale", x.Locale, 0, base.MaxName)
		c.OptionalInstant(at+"/acceptedAt", x.AcceptedAt)
		for at, l := range base.Each(c, at+"/links", x.Links, 0, maxParts) {
			c.Text(at+"/kind", l.Kind, 1, base.MaxName)
			c.Optional(at+"/name", l.Name, 0, base.MaxName)
			c.Optional(at+"/content", l.Content, 0, base.MaxNote)
		}
	}
}

func orderDocuments(c *base.Checker, pointer string, list []OrderDocument) {
	for at, x := range base.Each(c, pointer, list, 0, maxParts) {
		c.Text(at+"/type", x.Type, 1, base.MaxName)
		c.Text(at+"/name", x.Name, 0, base.MaxName)
		c.Optional(at+"/fileRef", x.FileRef, 0, base.MaxURL)
	}
}

func variantsChosen(c *base.Checker, pointer string, list []LineVariant) {
	for at, v := range base.Each(c, pointer, list, 0, commerce.MaxVariants) {
		c.Optional(at+"/variantLabel", v.Label, 0, base.MaxName)
		c.Optional(at+"/variantValueLabel", v.ValueLabel, 0, base.MaxName)
	}
}

func (m *PaymentMethod) check(c *base.Checker) {
	c.Optional("/paymentMethodKey", m.Key, 1, base.MaxName)
	if m.Card != nil {
		c.Text("/savedCard/brand", m.Card.Brand, 0, base.MaxName)
		c.Text("/savedCard/last4", m.Card.Last4, 0, 4)
	}
	if m.Custom != nil {
		c.Text("/customPaymentMethod/label", m.Custom.Label, 1, base.MaxName)
		c.Optional("/customPaymentMethod/key", m.Custom.Key, 1, base.MaxName)
		c.Optional("/customPaymentMethod/description", m.Custom.Description, 0, base.MaxNote)
	}
}
