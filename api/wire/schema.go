package wire

import "slices"

// This file owns the description of a value, for readers of the interface: the OpenAPI document is made of these. What
// is read from a request is described by the kinds and shapes that read it (kind.go, shape.go), so the two cannot
// differ; what an answer holds is described next to its encoder.

// Schema describes one JSON value. It is set up once and never changed after.
type Schema struct {
	Name     string // of a record that the document names once and refers to
	Type     string // object, array, string, integer, number, boolean; empty: any value
	Format   string // uuid, date-time, date, email, uri
	About    string
	Enum     []string
	Nullable bool
	Min, Max *int64 // of a number, of the length of a text in characters, or of the count of elements
	Items    *Schema
	Members  []Member
	Extra    *Schema // of an object with free names: what each member holds
	Example  string  // as JSON
	Whole    bool    // of an answer that is no record: its lists are never cut short
}

// Member is one member of an object.
type Member struct {
	Name     string
	Required bool   // always there (in an answer), or refused without (in a request)
	Scope    string // what a key needs to give it in a request, in addition to the operation's own; empty: nothing
	Schema   *Schema
}

func (s Schema) OrNull() *Schema {
	s.Nullable = true
	return &s
}

// Says describes a value to the reader of the document.
func (s Schema) Says(about string) *Schema {
	s.About = about
	return &s
}

// Shows gives the document an example of a value, as JSON, where one made of its schema would not do.
func (s Schema) Shows(example string) *Schema {
	s.Example = example
	return &s
}

func bounds(least, most int64) (*int64, *int64) { return &least, &most }

// The values that answers are made of.
var (
	IDSchema      = &Schema{Type: "string", Format: "uuid"}
	InstantSchema = &Schema{Type: "string", Format: "date-time"}
	TextSchema    = &Schema{Type: "string"}
	IntegerSchema = &Schema{Type: "integer"}
	booleanSchema = &Schema{Type: "boolean"}
	NumberSchema  = &Schema{Type: "number"}
	NullSchema    = &Schema{Type: "null"}
	uriSchema     = &Schema{Type: "string", Format: "uri"}
	DateSchema    = &Schema{Type: "string", Format: "date"}

	idOrNull      = IDSchema.OrNull()
	instantOrNull = InstantSchema.OrNull()
	TextOrNull    = TextSchema.OrNull()
	IntegerOrNull = IntegerSchema.OrNull()

	IDListSchema   = ListSchema(IDSchema)
	textListSchema = ListSchema(TextSchema)

	createdSchema = &Schema{Name: "CreatedAt", Type: "string", Format: "date-time", About: "When it was made."}
	updatedSchema = &Schema{Name: "UpdatedAt", Type: "string", Format: "date-time",
		About: "When it was last changed."}
	AccountIDSchema = &Schema{Name: "AccountID", Type: "string", Format: "uuid", About: "The id of the account."}

	rangeSchema = RecordSchema("Range",
		Has("start", InstantSchema.Says("First instant of it.")),
		Has("end", InstantSchema.OrNull().Says("First instant after it; null: without end.")))
)

// RecordSchema describes an object of an answer.
func RecordSchema(name string, members ...Member) *Schema {
	return &Schema{Name: name, Type: "object", Members: members}
}

// Has is a member that an answer always has; may is one that is left out where it does not apply.
func Has(name string, s *Schema) Member { return Member{Name: name, Required: true, Schema: s} }
func May(name string, s *Schema) Member { return Member{Name: name, Schema: s} }

func ListSchema(items *Schema) *Schema { return &Schema{Type: "array", Items: items} }

func EnumSchema(values ...string) *Schema { return &Schema{Type: "string", Enum: values} }

// Any says whether a member of a value, however deep, is as asked.
func (s *Schema) Any(is func(Member) bool) bool {
	if s == nil {
		return false
	}
	return s.Items.Any(is) || slices.ContainsFunc(s.Members, func(m Member) bool { return is(m) || m.Schema.Any(is) })
}
