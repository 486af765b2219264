package workload

import (
	"fmt"

	"holdfast/engine/base"
	"holdfast/engine/label"
	"holdfast/engine/order"
	"holdfast/engine/stock"
	"holdfast/fuzz/model"
)

// This file owns random attributes: few of them, with few values, so that what a line requires some articles have and
// others do not.

// formats are those of the attributes that an account begins with.
var formats = []label.AttributeFormat{label.FormatText, label.FormatNumber, label.FormatSelect}

// moreFormats are those of attributes that are made later.
var moreFormats = []label.AttributeFormat{
	label.FormatText, label.FormatNumber, label.FormatBoolean, label.FormatDate, label.FormatFormula,
	label.FormatSelect, label.FormatMultiselect,
}

const maxAttributes = 5 // of an account

var (
	words   = []string{"red", "Red", "dark red", "blue"}
	numbers = []string{"1", "2.5", "10", "-3"}
	days    = []string{"2026-03-25", "2026-03-26", "2026-03-27", "2026-03-29"}
	choices = []string{"S", "M", "L", "XL"}
)

// Describe gives an account attributes, and its articles values.
func (w *World) Describe(d Dice, tenant int) error {
	do := func(op base.Op) error { _, _, fault := w.Do(tenant, op); return fault }
	for _, f := range formats {
		if err := do(createAttribute(d, w.Tenants[tenant].Twin, f)); err != nil {
			return err
		}
	}
	for _, r := range w.Tenants[tenant].Twin.Articles {
		if err := do(stock.PatchArticle{ID: r.ID, Labels: values(d, w.Tenants[tenant].Twin)}); err != nil {
			return err
		}
	}
	return nil
}

func createAttribute(d Dice, a *model.Account, f label.AttributeFormat) label.CreateAttribute {
	o := label.CreateAttribute{AttributeFields: label.AttributeFields{Name: "trait",
		Key: fmt.Sprintf("key-%d", len(a.Attributes)+1), Format: f}}
	if f.Chosen() {
		o.Options = choices[:2+d.N("options", 3)]
	}
	return o
}

// values draws values for some attributes of an account, also none, which takes them away.
func values(d Dice, a *model.Account) (p label.LabelsPatch) {
	var list []label.AttributeInput
	for _, x := range a.Attributes {
		if odds(d, "this attribute", 60) {
			list = append(list, label.AttributeInput{Key: x.Key, Value: value(d, x)})
		}
	}
	if p.Attributes = base.Some(list); odds(d, "none at all", 5) {
		p.Attributes = base.Null[[]label.AttributeInput]()
	}
	return p
}

func value(d Dice, x *model.Attribute) label.Value {
	if odds(d, "no value", 15) {
		return label.Value{}
	}
	number := label.Value{Kind: label.NumberValue, Number: pick(d, "number", []float64{1, 2.5, 10, -3})}
	switch x.Format {
	case label.FormatNumber:
		return number
	case label.FormatBoolean:
		return label.Value{Kind: label.BooleanValue, Bool: odds(d, "true", 50)}
	case label.FormatDate:
		return label.Value{Kind: label.TextValue, Text: pick(d, "day", days)}
	case label.FormatSelect:
		return label.Value{Kind: label.TextValue, Text: pick(d, "option", x.Options).Name}
	case label.FormatMultiselect:
		v := label.Value{Kind: label.ListValue}
		for _, o := range x.Options {
			if odds(d, "this option", 40) {
				v.List = append(v.List, o.Name)
			}
		}
		return v
	case label.FormatFormula:
		if odds(d, "a number", 30) {
			return number
		}
	}
	return label.Value{Kind: label.TextValue, Text: pick(d, "word", words)}
}

// requirements draws what a line asks of its articles, of an account with attributes: now and then of one that is gone,
// or by an operator that does not fit.
func requirements(d Dice, a *model.Account) (list []order.Requirement) {
	for range 1 + d.N("more requirements", 6)/5 {
		x := pick(d, "attribute", a.Attributes)
		q := order.Requirement{Key: order.RequirementAttribute, Attribute: x.ID}
		switch usual := operators[x.Format]; {
		case odds(d, "unfit", 2):
			q.Operator = label.Between
		case odds(d, "usual", 90):
			q.Operator = pick(d, "operator", usual)
		default:
			q.Operator = pick(d, "operator", []label.Operator{label.IsEmpty, label.IsNotEmpty, label.NotInArray})
		}
		if odds(d, "nobody's", 1) {
			q.Attribute = nobody
		}
		n := 1 + d.N("more values", 2)
		switch q.Operator {
		case label.IsEmpty, label.IsNotEmpty, label.IsToday, label.IsBeforeToday, label.IsAfterToday:
			n = 0
		case label.Between, label.NotBetween:
			n = 2
		}
		for range n {
			q.Values = append(q.Values, operand(d, x))
		}
		list = append(list, q)
	}
	return list
}

// operators are those that requirements mostly have.
var operators = map[label.AttributeFormat][]label.Operator{
	label.FormatText: {label.StartsWith, label.StartsWith, label.EndsWith, label.Contains, label.DoesNotContain,
		label.Equal, label.NotEqual},
	label.FormatFormula: {label.StartsWith, label.Contains, label.NotEqual},
	label.FormatNumber: {label.Greater, label.GreaterOrEqual, label.Less, label.LessOrEqual, label.Between,
		label.NotBetween, label.Equal},
	label.FormatDate: {label.Greater, label.LessOrEqual, label.Between, label.IsToday, label.IsBeforeToday,
		label.IsAfterToday},
	label.FormatBoolean:     {label.Equal, label.NotEqual},
	label.FormatSelect:      {label.Equal, label.NotEqual, label.InArray, label.NotInArray},
	label.FormatMultiselect: {label.Equal, label.Contains, label.DoesNotContain, label.InArray},
}

func operand(d Dice, x *model.Attribute) string {
	switch x.Format {
	case label.FormatNumber:
		return pick(d, "number", numbers)
	case label.FormatDate:
		return pick(d, "day", days)
	case label.FormatBoolean:
		return pick(d, "true or false", []string{"true", "false"})
	case label.FormatSelect, label.FormatMultiselect:
		return pick(d, "option", append(choices, "s", "m"))
	}
	return pick(d, "word", append(words, "r", "D", "ed", "BLUE"))
}

// attributeCommand draws a command on what articles have, or might have, of an account with attributes.
func attributeCommand(d Dice, a *model.Account) base.Op {
	x := pick(d, "attribute", a.Attributes)
	switch kind := d.N("attribute command", 20); {
	case kind < 11:
		return stock.PatchArticle{ID: pick(d, "article", articles(a)).ID, Labels: values(d, a)}
	case kind < 15:
		return stock.PatchSKU{ID: pick(d, "SKU", skus(a)).ID, Labels: values(d, a)}
	case kind < 17 && len(a.Attributes) < maxAttributes:
		return createAttribute(d, a, pick(d, "format", moreFormats))
	case kind < 18 && len(a.Attributes) > 2:
		return label.DeleteAttribute{ID: x.ID, Force: odds(d, "force", 60)}
	case x.Format.Chosen():
		return label.PatchAttribute{ID: x.ID, Options: base.Some(options(d, x)), Force: odds(d, "force", 60)}
	}
	return label.PatchAttribute{ID: x.ID, Fields: base.Changed(label.AttributeFields{Name: "other"})}
}

// options draws which options are left of an attribute, or come to it; one gets another name now and then.
func options(d Dice, x *model.Attribute) (list []label.AttributeOption) {
	renamed := odds(d, "renamed", 30)
	for i, name := range choices {
		was := -1
		for k, o := range x.Options {
			if o.Name == name {
				was = k
			}
		}
		switch {
		case i > 0 && odds(d, "no such option", 35):
		case renamed && was >= 0:
			renamed = false
			list = append(list, label.AttributeOption{ID: x.Options[was].ID, Name: fmt.Sprintf("was %s", name)})
		default:
			list = append(list, label.AttributeOption{Name: name})
		}
	}
	return list
}
