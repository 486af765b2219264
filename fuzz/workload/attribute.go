package workload

import (
	"fmt"

	"holdfast/engine"
	"holdfast/fuzz/model"
)

// This file owns random attributes: few of them, with few values, so that what a line requires some articles have and others do
// not.

// formats are those of the attributes that an account begins with.
var formats = []engine.AttributeFormat{engine.FormatText, engine.FormatNumber, engine.FormatSelect}

// moreFormats are those of attributes that are made later.
var moreFormats = []engine.AttributeFormat{
	engine.FormatText, engine.FormatNumber, engine.FormatBoolean, engine.FormatDate, engine.FormatFormula, engine.FormatSelect, engine.FormatMultiselect,
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
	do := func(op engine.Op) error { _, _, fault := w.Do(tenant, op); return fault }
	for _, f := range formats {
		if err := do(createAttribute(d, w.Tenants[tenant].Twin, f)); err != nil {
			return err
		}
	}
	for _, r := range w.Tenants[tenant].Twin.Articles {
		if err := do(engine.PatchArticle{ID: r.ID, Labels: values(d, w.Tenants[tenant].Twin)}); err != nil {
			return err
		}
	}
	return nil
}

func createAttribute(d Dice, a *model.Account, f engine.AttributeFormat) engine.CreateAttribute {
	o := engine.CreateAttribute{Name: "trait", Key: fmt.Sprintf("key-%d", len(a.Attributes)+1), Format: f}
	if f.Chosen() {
		o.Options = choices[:2+d.N("options", 3)]
	}
	return o
}

// values draws values for some attributes of an account, also none, which takes them away.
func values(d Dice, a *model.Account) (p engine.LabelsPatch) {
	var list []engine.AttributeInput
	for _, x := range a.Attributes {
		if odds(d, "this attribute", 60) {
			list = append(list, engine.AttributeInput{Key: x.Key, Value: value(d, x)})
		}
	}
	if p.Attributes = engine.Some(list); odds(d, "none at all", 5) {
		p.Attributes = engine.Null[[]engine.AttributeInput]()
	}
	return p
}

func value(d Dice, x *model.Attribute) engine.Value {
	if odds(d, "no value", 15) {
		return engine.Value{}
	}
	number := engine.Value{Kind: engine.NumberValue, Number: pick(d, "number", []float64{1, 2.5, 10, -3})}
	switch x.Format {
	case engine.FormatNumber:
		return number
	case engine.FormatBoolean:
		return engine.Value{Kind: engine.BooleanValue, Bool: odds(d, "true", 50)}
	case engine.FormatDate:
		return engine.Value{Kind: engine.TextValue, Text: pick(d, "day", days)}
	case engine.FormatSelect:
		return engine.Value{Kind: engine.TextValue, Text: pick(d, "option", x.Options).Name}
	case engine.FormatMultiselect:
		v := engine.Value{Kind: engine.ListValue}
		for _, o := range x.Options {
			if odds(d, "this option", 40) {
				v.List = append(v.List, o.Name)
			}
		}
		return v
	case engine.FormatFormula:
		if odds(d, "a number", 30) {
			return number
		}
	}
	return engine.Value{Kind: engine.TextValue, Text: pick(d, "word", words)}
}

// requirements draws what a line asks of its articles, of an account with attributes: now and then of one that is gone, or by an
// operator that does not fit.
func requirements(d Dice, a *model.Account) (list []engine.Requirement) {
	for range 1 + d.N("more requirements", 6)/5 {
		x := pick(d, "attribute", a.Attributes)
		q := engine.Requirement{Key: engine.RequirementAttribute, Attribute: x.ID}
		switch usual := operators[x.Format]; {
		case odds(d, "unfit", 2):
			q.Operator = engine.Between
		case odds(d, "usual", 90):
			q.Operator = pick(d, "operator", usual)
		default:
			q.Operator = pick(d, "operator", []engine.Operator{engine.IsEmpty, engine.IsNotEmpty, engine.NotInArray})
		}
		if odds(d, "nobody's", 1) {
			q.Attribute = nobody
		}
		n := 1 + d.N("more values", 2)
		switch q.Operator {
		case engine.IsEmpty, engine.IsNotEmpty, engine.IsToday, engine.IsBeforeToday, engine.IsAfterToday:
			n = 0
		case engine.Between, engine.NotBetween:
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
var operators = map[engine.AttributeFormat][]engine.Operator{
	engine.FormatText:        {engine.StartsWith, engine.StartsWith, engine.EndsWith, engine.Contains, engine.DoesNotContain, engine.Equal, engine.NotEqual},
	engine.FormatFormula:     {engine.StartsWith, engine.Contains, engine.NotEqual},
	engine.FormatNumber:      {engine.Greater, engine.GreaterOrEqual, engine.Less, engine.LessOrEqual, engine.Between, engine.NotBetween, engine.Equal},
	engine.FormatDate:        {engine.Greater, engine.LessOrEqual, engine.Between, engine.IsToday, engine.IsBeforeToday, engine.IsAfterToday},
	engine.FormatBoolean:     {engine.Equal, engine.NotEqual},
	engine.FormatSelect:      {engine.Equal, engine.NotEqual, engine.InArray, engine.NotInArray},
	engine.FormatMultiselect: {engine.Equal, engine.Contains, engine.DoesNotContain, engine.InArray},
}

func operand(d Dice, x *model.Attribute) string {
	switch x.Format {
	case engine.FormatNumber:
		return pick(d, "number", numbers)
	case engine.FormatDate:
		return pick(d, "day", days)
	case engine.FormatBoolean:
		return pick(d, "true or false", []string{"true", "false"})
	case engine.FormatSelect, engine.FormatMultiselect:
		return pick(d, "option", append(choices, "s", "m"))
	}
	return pick(d, "word", append(words, "r", "D", "ed", "BLUE"))
}

// attributeCommand draws a command on what articles have, or might have, of an account with attributes.
func attributeCommand(d Dice, a *model.Account) engine.Op {
	x := pick(d, "attribute", a.Attributes)
	switch kind := d.N("attribute command", 20); {
	case kind < 11:
		return engine.PatchArticle{ID: pick(d, "article", articles(a)).ID, Labels: values(d, a)}
	case kind < 15:
		return engine.PatchSKU{ID: pick(d, "SKU", skus(a)).ID, Labels: values(d, a)}
	case kind < 17 && len(a.Attributes) < maxAttributes:
		return createAttribute(d, a, pick(d, "format", moreFormats))
	case kind < 18 && len(a.Attributes) > 2:
		return engine.DeleteAttribute{ID: x.ID, Force: odds(d, "force", 60)}
	case x.Format.Chosen():
		return engine.PatchAttribute{ID: x.ID, Options: engine.Some(options(d, x)), Force: odds(d, "force", 60)}
	}
	return engine.PatchAttribute{ID: x.ID, Name: engine.Some("other")}
}

// options draws which options are left of an attribute, or come to it; one gets another name now and then.
func options(d Dice, x *model.Attribute) (list []engine.OptionPatch) {
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
			list = append(list, engine.OptionPatch{ID: &x.Options[was].ID, Name: fmt.Sprintf("was %s", name)})
		default:
			list = append(list, engine.OptionPatch{Name: name})
		}
	}
	return list
}
