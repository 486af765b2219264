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

// attributeValues are values by the keys of their attributes.
var attributeValues = byKey(valueSchema.orNull(), maxValues, func(a *engine.AttributeInput) *string { return &a.Key },
	func(r *jsonReader, a *engine.AttributeInput) { readValue(r, &a.Value) })

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

var attributeListSchema = listSchema(describe("AttributeValue", func(w *scribe, d *engine.Attribute) { w.attribute(d, engine.Value{}, "") }))

// attribute writes an attribute as a record shows it: with its value, and whose that is.
func (w *scribe) attribute(d *engine.Attribute, value engine.Value, origin string) {
	w.ID("id", d.ID, "The attribute's id.")
	w.attributeHead(d)
	w.As(formatSchema, "format", string(d.Format), "How the value is meant.")
	w.Key("value", valueSchema, "The value: text, a number, true or false, or a list of texts; null without one.")
	w.Out = appendValue(w.Out, value)
	w.Before("value", "format")
	w.attributeGroup(d)
	w.As(origins.schema, "origin", origin, "Whose value it is: an article takes over those of its SKU.")
	w.Null("smartFieldMeta", "Always null: fields are not computed here.")
}

// labels writes a record's labels; origin says of its attributes whose they are.
func (w *scribe) labels(l *engine.Labels, origin string) {
	w.tags(l, "The tags linked to it.")
	w.attributes(l, origin, nil, "Values of the account's attributes, its own and those it takes over.")
	w.external(l.External)
}

// attributes writes the values that a record has for attributes, with their origin; those of a SKU, if it is not nil, stand in
// where it has none.
func (w *scribe) attributes(own *engine.Labels, origin string, sku *engine.Labels, about string) {
	w.Key("attributes", attributeListSchema, about)
	w.Out = append(w.Out, '[')
	if w.Writes() {
		w.view.EachAttribute(own, sku, func(d *engine.Attribute, value engine.Value, isOwn bool) {
			w.Next()
			w.Out = append(w.Out, '{')
			if isOwn {
				w.attribute(d, value, origin)
			} else {
				w.attribute(d, value, "sku")
			}
			w.Out = append(w.Out, '}')
		})
	}
	w.Out = append(w.Out, ']')
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
