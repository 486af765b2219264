package engine

// This file owns the parts of orders that are kept as given: people, forms, consents, documents, comments, how it is paid.

// UserRef names a user of the caller's, as it was sent.
type UserRef struct {
	ID        ID
	Name      string
	Email     *string `json:",omitempty"`
	AvatarURL *string `json:",omitempty"`
}

// OrderCustomer is somebody whom an order is for, beside or in place of its main contact.
type OrderCustomer struct {
	ID       ID
	Customer ID `json:",omitzero"` // the customer's record, if there is one
	Contact
	Fields    []CheckoutField `json:",omitempty"`
	UpdatedAt int64
}

// CheckoutField is a field of a form that the customer filled in.
type CheckoutField struct {
	ID              *string        `json:",omitempty"` // of a line's
	Name            string         `json:",omitempty"`
	Type            string         `json:",omitempty"`
	IDs             []ID           `json:",omitempty"` // of a customer's
	Placeholder     *string        `json:",omitempty"`
	Required        bool           `json:",omitempty"`
	Internal        bool           `json:",omitempty"`
	AttributeID     *string        `json:",omitempty"`
	AttributeFormat *string        `json:",omitempty"`
	Options         []string       `json:",omitempty"`
	Value           *CheckoutValue `json:",omitempty"`
	CheckoutFieldID *ID            `json:",omitempty"`
}

// CheckoutValue is what a field was filled in with, as text. As what it came in counts until it was judged: what it is says the field.
type CheckoutValue struct {
	Text string
	As   ValueKind // NoValue: as text
}

// MarshalText writes a value into a stored row.
func (v CheckoutValue) MarshalText() ([]byte, error) { return []byte(v.Text), nil }

// UnmarshalText reads what MarshalText wrote.
func (v *CheckoutValue) UnmarshalText(b []byte) error {
	*v = CheckoutValue{Text: string(b)}
	return nil
}

// Takes is the kind of value that a field takes beside text: that of its type, or of its attribute's format.
func (f *CheckoutField) Takes() ValueKind {
	kind := f.Type
	if f.Type == "customer_attribute" && f.AttributeFormat != nil {
		kind = *f.AttributeFormat
	}
	switch kind {
	case "number":
		return NumberValue
	case "checkbox", "boolean":
		return BooleanValue
	}
	return TextValue
}

// checkValue judges what a field was filled in with.
func (f *CheckoutField) checkValue(c *checker, pointer string) {
	if f.Value == nil {
		return
	}
	c.text(pointer, f.Value.Text, 0, maxNote)
	if as := f.Value.As; as != NoValue && as != f.Takes() {
		c.fault(pointer, "type", map[ValueKind]string{
			TextValue: "must be a string", NumberValue: "must be a number, or a string", BooleanValue: "must be true or false, or a string",
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
	ID         ID
	ConfigID   *ID           `json:",omitempty"`
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
	PolicyDocumentID *ID     `json:",omitempty"`
	Name             *string `json:",omitempty"`
	Content          *string `json:",omitempty"`
}

// OrderDocument is a document of an order's, kept elsewhere.
type OrderDocument struct {
	ID      ID
	Type    string
	Name    string
	FileRef *string `json:",omitempty"`
}

// OrderComment is a comment on an order.
type OrderComment struct {
	ID         ID
	UpdatedAt  int64
	AuthorType string // user or system
	Content    string
	Author     *UserRef `json:",omitempty"`
	Parent     ID       `json:",omitzero"`
}

// LineVariant is what was chosen of a variant.
type LineVariant struct {
	Variant    ID
	Value      ID
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
	ID          ID
	Label       string
	Key         *string `json:",omitempty"`
	Description *string `json:",omitempty"`
}

const (
	maxParts    = 100 // customers, consents, documents, fields of one record
	maxComments = 1_000
	maxPayments = 1_000
)

func (c *checker) user(pointer string, u *UserRef) {
	if u == nil {
		return
	}
	c.text(pointer+"/name", u.Name, 1, maxName)
	c.optional(pointer+"/email", u.Email, 1, maxName)
	c.optional(pointer+"/avatarUrl", u.AvatarURL, 1, maxURL)
}

func (c *checker) checkoutFields(pointer string, list []CheckoutField) {
	for at, f := range each(c, pointer, list, 0, maxParts) {
		c.text(at+"/name", f.Name, 0, maxName)
		if f.Type != "" {
			c.oneOf(at+"/type", f.Type, CheckoutFieldTypes...)
		}
		if f.AttributeFormat != nil {
			c.oneOf(at+"/attributeFormat", *f.AttributeFormat, CheckoutFieldFormats...)
		}
		c.optional(at+"/id", f.ID, 1, maxName)
		c.optional(at+"/placeholder", f.Placeholder, 0, maxName)
		c.optional(at+"/attributeId", f.AttributeID, 0, maxName)
		f.checkValue(c, at+"/value")
		c.count(at+"/ids", len(f.IDs), 0, maxParts)
		for at, name := range each(c, at+"/options", f.Options, 0, maxParts) {
			c.text(at+"/name", *name, 0, maxName)
		}
	}
}

func (c *checker) consents(pointer string, list []Consent) {
	for at, x := range each(c, pointer, list, 0, maxParts) {
		c.optional(at+"/label", x.Label, 0, maxName)
		c.optional(at+"/consentText", x.Text, 0, maxNote)
		c.optional(at+"/ipAddress", x.IPAddress, 0, maxName)
		c.optional(at+"/userAgent", x.UserAgent, 0, maxNote)
		c.optional(at+"/locale", x.Locale, 0, maxName)
		c.optionalInstant(at+"/acceptedAt", x.AcceptedAt)
		for at, l := range each(c, at+"/links", x.Links, 0, maxParts) {
			c.text(at+"/kind", l.Kind, 1, maxName)
			c.optional(at+"/name", l.Name, 0, maxName)
			c.optional(at+"/content", l.Content, 0, maxNote)
		}
	}
}

func (c *checker) orderDocuments(pointer string, list []OrderDocument) {
	for at, x := range each(c, pointer, list, 0, maxParts) {
		c.text(at+"/type", x.Type, 1, maxName)
		c.text(at+"/name", x.Name, 0, maxName)
		c.optional(at+"/fileRef", x.FileRef, 0, maxURL)
	}
}

func (c *checker) variantsChosen(pointer string, list []LineVariant) {
	for at, v := range each(c, pointer, list, 0, maxVariants) {
		c.optional(at+"/variantLabel", v.Label, 0, maxName)
		c.optional(at+"/variantValueLabel", v.ValueLabel, 0, maxName)
	}
}

func (m *PaymentMethod) check(c *checker) {
	c.optional("/paymentMethodKey", m.Key, 1, maxName)
	if m.Card != nil {
		c.text("/savedCard/brand", m.Card.Brand, 0, maxName)
		c.text("/savedCard/last4", m.Card.Last4, 0, 4)
	}
	if m.Custom != nil {
		c.text("/customPaymentMethod/label", m.Custom.Label, 1, maxName)
		c.optional("/customPaymentMethod/key", m.Custom.Key, 1, maxName)
		c.optional("/customPaymentMethod/description", m.Custom.Description, 0, maxNote)
	}
}
