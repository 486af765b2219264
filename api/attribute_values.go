package api

import (
	"strconv"

	"holdfast/api/wire"
	"holdfast/engine/base"
	"holdfast/engine/label"
)

// This file owns the values of attributes on the wire: an object by key going in, a list of records coming out.

// valueSchema describes a value of any format.
var valueSchema = &wire.Schema{
	About: "A string, a number, true or false, or an array of strings, as the attribute's format wants it."}

const (
	valueTypes = "a string, a number, true or false, an array of strings, or null"
)

// attributeValues are values by the keys of their attributes.
var attributeValues = wire.ByKey(valueSchema.OrNull(), label.MaxValues,
	func(a *label.AttributeInput) *string { return &a.Key },
	func(r *wire.Reader, a *label.AttributeInput) { readValue(r, &a.Value) })

// readScalar reads a text, a number, true or false; false: the next value is something else, and nothing was read.
func readScalar(r *wire.Reader, text wire.Kind[string], dst *label.Value) bool {
	switch c := r.Space(); {
	case c == '"':
		dst.Kind = label.TextValue
		text.JSON(r, &dst.Text)
	case c == 't' || c == 'f':
		dst.Kind = label.BooleanValue
		wire.Boolean.JSON(r, &dst.Bool)
	case c == '-' || c >= '0' && c <= '9':
		dst.Kind = label.NumberValue
		number.JSON(r, &dst.Number)
	default:
		return false
	}
	return true
}

// readValue reads a value of any format. Which one the attribute takes, the command says.
func readValue(r *wire.Reader, dst *label.Value) {
	switch c := r.Space(); {
	case readScalar(r, longText, dst):
	case c == '[':
		dst.Kind = label.ListValue
		texts.JSON(r, &dst.List)
	case c == 'n':
		r.Null()
	default:
		r.WrongType(valueTypes)
	}
}

var texts = wire.ListOf(longText, 0, label.MaxValues)

// number is any number that a double-precision one holds.
var number = wire.Scalar(wire.JSONNumber, &wire.Schema{Type: "number"}, func(raw []byte, dst *float64) wire.Wrong {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return wire.Wrong{Code: wire.FaultRange, Message: "is too large for a number"}
	}
	*dst = n + 0 // minus zero is zero
	return wire.Wrong{}
})

// attributesField is the attribute values of a record that is made or changed.
func attributesField[In any](at func(*In) *label.LabelsPatch) wire.Field[In] {
	return wire.Merged("attributes", attributeValues, true,
		func(in *In) *base.Opt[[]label.AttributeInput] { return &at(in).Attributes }).
		Says("Values by key. Those not named stay; null takes one away, or all.")
}

// labelFields are the labels of a record that is made or changed.
func labelFields[In any](at func(*In) *label.LabelsPatch) []wire.Field[In] {
	return append([]wire.Field[In]{tagsField(at), attributesField(at)},
		externalFields(func(in *In) *label.ExternalPatch { return &at(in).External })...)
}

var attributeListSchema = wire.ListSchema(
	describe("AttributeValue", func(w *scribe, d *label.Attribute) { w.attribute(d, label.Value{}, "") }))

// attribute writes an attribute as a record shows it: with its value, and whose that is.
func (w *scribe) attribute(d *label.Attribute, value label.Value, origin string) {
	w.ID("id", d.ID, "The attribute's id.")
	w.Text("name", d.Name, "What people call the attribute.")
	w.Text("key", d.Key, "The key under which programs find the attribute.")
	w.As(attributeFormat.Schema, "format", string(d.Format), "How the value is meant.")
	w.Key("value", valueSchema, "The value: text, a number, true or false, or a list of texts; null without one.")
	w.Out = appendValue(w.Out, value)
	w.Before("value", "format")
	w.attributeGroup(d)
	w.As(origins.Schema, "origin", origin, "Whose value it is: an article takes over those of its SKU.")
	w.Null("smartFieldMeta", "Always null: fields are not computed here.")
}

// labels writes a record's labels; origin says of its attributes whose they are.
func (w *scribe) labels(l *label.Labels, origin string) {
	w.tags(l, "The tags linked to it.")
	w.attributes(l, origin, nil, "Values of the account's attributes, its own and those it takes over.")
	w.external(l.External)
}

// attributes writes the values that a record has for attributes, with their origin; those of a SKU, if it is not nil,
// stand in where it has none.
func (w *scribe) attributes(own *label.Labels, origin string, sku *label.Labels, about string) {
	w.Key("attributes", attributeListSchema, about)
	w.Out = append(w.Out, '[')
	if w.Writes() {
		label.EachAttribute(w.view, own, sku, func(d *label.Attribute, value label.Value, isOwn bool) {
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

func appendValue(b []byte, v label.Value) []byte {
	switch v.Kind {
	case label.TextValue:
		return wire.AppendText(b, v.Text)
	case label.NumberValue:
		return wire.AppendNumber(b, v.Number)
	case label.BooleanValue:
		return wire.AppendBool(b, v.Bool)
	case label.ListValue:
		return wire.AppendList(b, v.List, wire.AppendText)
	}
	return append(b, "null"...)
}
