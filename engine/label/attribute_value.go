package label

import (
	"bytes"
	"slices"

	"holdfast/engine/base"
	"holdfast/timeline"
)

// This file owns the values of attributes: how they come in, are checked and kept, and are read.

// ValueKind is the type of a Value.
type ValueKind uint8

// NoValue is null: it takes the value away.
const (
	NoValue ValueKind = iota
	TextValue
	NumberValue
	BooleanValue
	ListValue
)

// Value is the value of an attribute as it comes in and goes out.
type Value struct {
	Kind ValueKind `json:",omitempty"`
	// a date is YYYY-MM-DD, an instant in UTC to the millisecond: both in the order of their texts
	Text   string   `json:",omitempty"`
	Number float64  `json:",omitempty"`
	Bool   bool     `json:",omitempty"`
	List   []string `json:",omitempty"`
}

// AttributeInput is a value for the attribute with a key.
type AttributeInput struct {
	Key   string
	Value Value
}

// AttributeValue is a value as a record keeps it. Chosen options are kept by their ids. One whose attribute or options
// are gone is no value any more.
type AttributeValue struct {
	Attribute base.ID
	Kind      ValueKind `json:",omitempty"`
	Text      string    `json:",omitempty"`
	Number    float64   `json:",omitempty"` // of a boolean 1 for true
	Options   []base.ID `json:",omitempty"`
}

// MaxValues is the most attributes that one record has values for.
const MaxValues = 250

// keep makes the form in which a record keeps a value, or names what is wrong with it.
func (d *Attribute) keep(c *base.Checker, pointer string, in Value) AttributeValue {
	v := AttributeValue{Attribute: d.ID, Kind: in.Kind, Text: in.Text, Number: in.Number}
	if in.Bool {
		v.Number = 1
	}
	want := func(kind ValueKind, what string) bool {
		if in.Kind != kind {
			c.Fault(pointer, "type", "must be "+what+", as the attribute's format is "+string(d.Format))
			return false
		}
		return true
	}
	switch d.Format {
	case FormatNumber:
		want(NumberValue, "a number")
	case FormatBoolean:
		want(BooleanValue, "true or false")
	case FormatDate:
		if want(TextValue, "a string") {
			if !base.IsDay(in.Text) {
				c.Fault(pointer, "format", "must be a day that exists, like 2025-06-30")
			}
		}
	case FormatDatetime:
		if want(TextValue, "a string") {
			at, fault := timeline.ParseInstant(in.Text)
			if fault != "" {
				c.Fault(pointer, "format", fault)
				break
			}
			v.Text = string(timeline.AppendInstant(nil, at))
		}
	case FormatSelect:
		if want(TextValue, "a string") {
			v.Text = ""
			v.Options = d.choose(c, pointer, in.Text, v.Options)
		}
	case FormatMultiselect:
		if want(ListValue, "an array of strings") {
			for i, name := range in.List {
				v.Options = d.choose(c, pointer+"/"+base.Itoa(i), name, v.Options)
			}
		}
	case FormatText:
		if want(TextValue, "a string") {
			c.Text(pointer, in.Text, 1, base.MaxNote)
		}
	default: // what is stored, whatever it is
		if in.Kind == ListValue {
			c.Fault(pointer, "type",
				"must be a string, a number, true or false, as the attribute's format is "+string(d.Format))
		} else if in.Kind == TextValue {
			c.Text(pointer, in.Text, 1, base.MaxNote)
		}
	}
	return v
}

// choose adds the option of a name to those chosen.
func (d *Attribute) choose(c *base.Checker, pointer, name string, chosen []base.ID) []base.ID {
	i := slices.IndexFunc(d.Options, func(x AttributeOption) bool { return x.Name == name })
	switch {
	case i < 0:
		names := make([]string, len(d.Options))
		for i, x := range d.Options {
			names[i] = x.Name
		}
		c.Fault(pointer, "enum", "must be one of "+base.Join(names))
	case slices.Contains(chosen, d.Options[i].ID):
		c.Fault(pointer, "duplicate", "is chosen already")
	default:
		chosen = append(chosen, d.Options[i].ID)
	}
	return chosen
}

// alive is what is left of a kept value; ok is false where nothing is.
func (d *Attribute) alive(v AttributeValue) (left AttributeValue, ok bool) {
	if d == nil || d.Format == "" {
		return v, false
	}
	if !d.Format.Chosen() {
		return v, true
	}
	gone := func(id base.ID) bool { return d.Option(id) == nil }
	if slices.ContainsFunc(v.Options, gone) {
		v.Options = slices.DeleteFunc(slices.Clone(v.Options), gone)
	}
	return v, len(v.Options) > 0
}

// value reads a kept value; ok is false where nothing is left of it.
func (d *Attribute) value(v AttributeValue) (out Value, ok bool) {
	if v, ok = d.alive(v); !ok {
		return out, false
	}
	switch {
	case d.Format == FormatSelect:
		return Value{Kind: TextValue, Text: d.Option(v.Options[0]).Name}, true
	case d.Format == FormatMultiselect:
		out.Kind = ListValue
		for _, id := range v.Options {
			out.List = append(out.List, d.Option(id).Name)
		}
		return out, true
	case v.Kind == BooleanValue:
		return Value{Kind: BooleanValue, Bool: v.Number == 1}, true
	}
	return Value{Kind: v.Kind, Text: v.Text, Number: v.Number}, true
}

// checkValues names what is wrong with values as the account stands.
func checkValues(a *base.AccountState, c *base.Checker, pointer string, values []AttributeInput) {
	for _, in := range values {
		at := pointer + "/" + base.EscapePointer(in.Key)
		d := AttributeTable(a).First(attributeByKey, in.Key)
		if d == nil {
			c.Fault(at, "unknown", "no attribute has this key")
		} else if in.Value.Kind != NoValue {
			d.keep(c, at, in.Value)
		}
	}
}

// aliveValues are a record's values without what is gone.
func aliveValues(a *base.AccountState, values []AttributeValue) []AttributeValue {
	for i := range values {
		left, ok := AttributeTable(a).Get(values[i].Attribute).alive(values[i])
		if ok && len(left.Options) == len(values[i].Options) {
			continue
		}
		kept := slices.Clone(values[:i])
		for _, v := range values[i:] {
			if left, ok := AttributeTable(a).Get(v.Attribute).alive(v); ok {
				kept = append(kept, left)
			}
		}
		return kept
	}
	return values
}

// withValues puts values among those of a record, which stay in the order of their attributes. The values were checked.
func withValues(a *base.AccountState, values []AttributeValue, more []AttributeInput) []AttributeValue {
	values = slices.Clone(values)
	for _, in := range more {
		d := AttributeTable(a).First(attributeByKey, in.Key)
		v := d.keep(new(base.Checker), "", in.Value)
		i, had := slices.BinarySearchFunc(values, d.ID, CompareAttribute)
		_, has := d.alive(v)
		switch has = has && in.Value.Kind != NoValue; {
		case had && has:
			values[i] = v
		case had:
			values = slices.Delete(values, i, i+1)
		case has:
			values = slices.Insert(values, i, v)
		}
	}
	return values
}

// CompareAttribute orders values by the ids of their attributes.
func CompareAttribute(v AttributeValue, id base.ID) int { return bytes.Compare(v.Attribute[:], id[:]) }

// WithoutGone takes from labels what an attribute, as it is to be, has no place for; changed says that there was any.
func (l *Labels) WithoutGone(d *Attribute) (changed bool) {
	i, had := slices.BinarySearchFunc(l.Attributes, d.ID, CompareAttribute)
	if !had {
		return false
	}
	left, ok := d.alive(l.Attributes[i])
	switch {
	case !ok:
		l.Attributes = slices.Delete(slices.Clone(l.Attributes), i, i+1)
	case len(left.Options) < len(l.Attributes[i].Options):
		l.Attributes = slices.Clone(l.Attributes)
		l.Attributes[i] = left
	default:
		return false
	}
	return true
}

// EachAttribute visits what a record has for attributes, in the order of their creation: its own values, and for
// attributes without one the value of another record that stands in (an article's SKU), which may be nil.
func EachAttribute(v base.View, own, other *Labels, visit func(d *Attribute, value Value, own bool)) {
	var mine, theirs []AttributeValue
	if mine = own.Attributes; other != nil {
		theirs = other.Attributes
	}
	show := func(kept AttributeValue, own bool) bool {
		d := AttributeTable(v.Acc).Get(kept.Attribute)
		value, ok := d.value(kept)
		if ok {
			visit(d, value, own)
		}
		return ok
	}
	for len(mine)+len(theirs) > 0 {
		order := 1
		if len(theirs) == 0 {
			order = -1
		} else if len(mine) > 0 {
			order = bytes.Compare(mine[0].Attribute[:], theirs[0].Attribute[:])
		}
		shown := order <= 0 && show(mine[0], true)
		if order >= 0 {
			if !shown {
				show(theirs[0], false)
			}
			theirs = theirs[1:]
		}
		if order <= 0 {
			mine = mine[1:]
		}
	}
}

// Chosen is the options that a text names, by name or id.
func (d *Attribute) Chosen(x Operand) (ids []base.ID) {
	for _, o := range d.Options {
		if base.Uncased(o.Name) == x.Text || o.ID == x.ID {
			ids = append(ids, o.ID)
		}
	}
	return ids
}
