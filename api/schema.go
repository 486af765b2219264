package api

// This file owns the description of a value, for readers of the interface: the OpenAPI document is made of these. What is
// read from a request is described by the kinds and shapes that read it (kind.go, shape.go), so the two cannot differ; what
// an answer holds is described beside its encoder.

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
	Scope    string // what a key needs to give it in a request, beside the operation's own; empty: nothing
	Schema   *Schema
}

func (s Schema) orNull() *Schema {
	s.Nullable = true
	return &s
}

// says describes a value to the reader of the document.
func (s Schema) says(about string) *Schema {
	s.About = about
	return &s
}

// shows gives the document an example of a value, as JSON, where one made of its schema would not do.
func (s Schema) shows(example string) *Schema {
	s.Example = example
	return &s
}

func bounds(least, most int64) (*int64, *int64) { return &least, &most }

// The values that answers are made of.
var (
	idSchema      = &Schema{Type: "string", Format: "uuid"}
	instantSchema = &Schema{Type: "string", Format: "date-time"}
	textSchema    = &Schema{Type: "string"}
	integerSchema = &Schema{Type: "integer"}
	booleanSchema = &Schema{Type: "boolean"}
	numberSchema  = &Schema{Type: "number"}
	nullSchema    = &Schema{Type: "null"}

	idOrNull      = idSchema.orNull()
	instantOrNull = instantSchema.orNull()
	textOrNull    = textSchema.orNull()
	integerOrNull = integerSchema.orNull()
	booleanOrNull = booleanSchema.orNull()

	idListSchema   = listSchema(idSchema)
	textListSchema = listSchema(textSchema)

	createdSchema   = &Schema{Name: "CreatedAt", Type: "string", Format: "date-time", About: "When it was made."}
	updatedSchema   = &Schema{Name: "UpdatedAt", Type: "string", Format: "date-time", About: "When it was last changed."}
	accountIDSchema = &Schema{Name: "AccountID", Type: "string", Format: "uuid", About: "The id of the account."}

	rangeSchema = recordSchema("Range",
		has("start", instantSchema.says("First instant of it.")),
		has("end", instantSchema.orNull().says("First instant behind it; null: without end.")))
)

// recordSchema describes an object of an answer.
func recordSchema(name string, members ...Member) *Schema {
	return &Schema{Name: name, Type: "object", Members: members}
}

// has is a member that an answer always has; may is one that is left out where it does not apply.
func has(name string, s *Schema) Member { return Member{Name: name, Required: true, Schema: s} }
func may(name string, s *Schema) Member { return Member{Name: name, Schema: s} }

func listSchema(items *Schema) *Schema { return &Schema{Type: "array", Items: items} }

func enumSchema(values ...string) *Schema { return &Schema{Type: "string", Enum: values} }
