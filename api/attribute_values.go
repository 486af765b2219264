package api

import (
	"strconv"

	"holdfast/engine"
)

// This file owns the values of attributes on the wire: an object by key going in, a list of records coming out.

// valueSchema describes a value of any format.
var valueSchema = &Schema{About: "A string, a number, true or false, or an array of strings, as the attribute's format wants it."}

const (
	maxValues  = 250    // of one record, and elements of one value
	maxText    = 10_000 // characters
	valueTypes = "a string, a number, true or false, an array of strings, or null"
)

// attributeValues are values by the keys of their attributes. They stand in bodies only.
var attributeValues = kind[[]engine.AttributeInput]{
	schema: &Schema{Type: "object", Extra: valueSchema.orNull()},
	json: func(r *jsonReader, dst *[]engine.AttributeInput) {
		if !r.enter('{', "an object") {
			return
		}
		*dst = []engine.AttributeInput{}
		n := 0
		for ; ; n++ {
			name, ok := r.member(n)
			if !ok {
				break
			}
			in := engine.AttributeInput{Key: string(name)}
			switch {
			case n >= maxValues:
				r.skip()
			case givenKey(*dst, in.Key):
				r.fault(faultDuplicate, "given more than once")
				r.skip()
			default:
				readValue(r, &in.Value)
				*dst = append(*dst, in)
			}
		}
		if !r.dead && n > maxValues {
			r.fault(faultLength, "must have 0 to 250 members")
		}
	},
	query: func(*args, string, *[]engine.AttributeInput) bool { return false },
}

func givenKey(list []engine.AttributeInput, key string) bool {
	for _, in := range list {
		if in.Key == key {
			return true
		}
	}
	return false
}

// readScalar reads a text, a number, true or false; false: the next value is something else, and nothing was read.
func readScalar(r *jsonReader, text kind[string], dst *engine.Value) bool {
	switch c := r.space(); {
	case c == '"':
		dst.Kind = engine.TextValue
		text.json(r, &dst.Text)
	case c == 't' || c == 'f':
		dst.Kind = engine.BooleanValue
		boolean.json(r, &dst.Bool)
	case c == '-' || c >= '0' && c <= '9':
		dst.Kind = engine.NumberValue
		number.json(r, &dst.Number)
	default:
		return false
	}
	return true
}

// readValue reads a value of any format. Which one the attribute takes, the command says.
func readValue(r *jsonReader, dst *engine.Value) {
	switch c := r.space(); {
	case readScalar(r, longText, dst):
	case c == '[':
		dst.Kind = engine.ListValue
		texts.json(r, &dst.List)
	case c == 'n':
		r.null()
	default:
		r.wrongType(valueTypes)
	}
}

var (
	longText = text(0, maxText)
	texts    = list(longText, 0, maxValues)
)

// number is any number that a double-precision one holds.
var number = scalar(jsonNumber, &Schema{Type: "number"}, func(raw []byte, dst *float64) wrong {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return wrong{faultRange, "is too large for a number"}
	}
	*dst = n + 0 // minus zero is zero
	return wrong{}
})

// attributesField is the attribute values of a record that is made or changed.
func attributesField[In any](at func(*In) *engine.LabelsPatch) field[In] {
	return merged("attributes", attributeValues, true, func(in *In) *engine.Opt[[]engine.AttributeInput] { return &at(in).Attributes }).
		says("Values by key. Those not named stay; null takes one away, or all.")
}

// labelFields are the labels of a record that is made or changed.
func labelFields[In any](at func(*In) *engine.LabelsPatch) []field[In] {
	return append([]field[In]{tagsField(at), attributesField(at)}, externalFields(func(in *In) *engine.ExternalPatch { return &at(in).External })...)
}

var attributeValueSchema = recordSchema("AttributeValue",
	has("id", idSchema.says("The attribute's id.")),
	has("name", textSchema.says("What people call the attribute.")),
	has("key", textSchema.says("The key under which programs find the attribute.")),
	has("value", valueSchema.says("The value: text, a number, true or false, or a list of texts; null without one.")),
	has("format", attributeFormatSchema.says("How the value is meant.")),
	has("groupId", idSchema.orNull().says("The id of the group that the attribute is shown in; null without one.")),
	has("groupName", textSchema.orNull().says("The group that the attribute is shown in.")),
	has("systemGroup", enumSchema("sustainability", "system").orNull().says("Always null: an account's attributes are in no built-in group.")),
	has("origin", enumSchema("article", "sku", "customer", "catalog").says("Whose value it is: an article takes over those of its SKU.")),
	has("smartFieldMeta", nullSchema.says("Always null: fields are not computed here.")))

// labelMembers are a record's labels as they are answered.
var labelMembers = append([]Member{
	has("tags", listSchema(tagSchema).says("The tags linked to it.")),
	has("attributes", listSchema(attributeValueSchema).says("Values of the account's attributes, its own and those it takes over."))},
	externalMembers...)

// appendAttributes appends the values that a record has for attributes, with their origin; other, if not nil, stands in
// where it has none.
func (q *request) appendAttributes(b []byte, own *engine.Labels, origin string, other *engine.Labels, otherOrigin string) []byte {
	b = append(b, '[')
	q.view.EachAttribute(own, other, func(d *engine.Attribute, value engine.Value, isOwn bool) {
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		b = appendAttributeHead(append(b, '{'), d)
		b = appendValue(append(b, `,"value":`...), value)
		b = appendAttributeGroup(b, d)
		of := origin
		if !isOwn {
			of = otherOrigin
		}
		b = appendText(append(b, `,"origin":`...), of)
		b = append(b, `,"smartFieldMeta":null}`...)
	})
	return append(b, ']')
}

func appendValue(b []byte, v engine.Value) []byte {
	switch v.Kind {
	case engine.TextValue:
		return appendText(b, v.Text)
	case engine.NumberValue:
		return appendNumber(b, v.Number)
	case engine.BooleanValue:
		return appendBool(b, v.Bool)
	case engine.ListValue:
		return appendList(b, v.List, appendText)
	}
	return append(b, "null"...)
}
