package stock

import (
	"slices"

	"holdfast/engine/base"
	"holdfast/engine/label"
)

// This file owns filters of articles: one condition each, on a field or on an attribute, as it is given and read.

// maxFilterValues is the most operands that the filters of a list have together.
const maxFilterValues = label.MaxOperands

// Filter is one condition on a field or on an attribute.
type Filter struct {
	Field     ArticleField // empty: Attribute and Format are given
	Attribute base.ID
	Format    label.AttributeFormat
	Operator  label.Operator
	Values    []label.Value // texts, numbers, true or false
	Written   bool          // the values are texts whatever they mean, as in a query string
}

// Read checks the parts of a filter that do not need the account, and reads its operands.
func (f *Filter) Read(c *base.Checker, at string) (format label.AttributeFormat, operands []label.Operand) {
	format = f.Format
	switch {
	case f.Field != "" && (f.Attribute != base.ID{} || f.Format != ""):
		c.Fault(at+"/field", "exclusive", "a filter has either field, or attributeId and format")
		return "", nil
	case f.Field != "":
		format = f.Field.Format()
	case f.Attribute == base.ID{}:
		c.Fault(at+"/field", "required", "is missing: a filter has either field, or attributeId and format")
		return "", nil
	case f.Format == "":
		c.Fault(at+"/format", "required", "is missing beside attributeId")
		return "", nil
	}
	if fit := label.OperatorsOf[format]; f.Operator != "" && !slices.Contains(fit, f.Operator) {
		words := make([]string, len(fit))
		for i, o := range fit {
			words[i] = string(o)
		}
		of := "a value of the format " + string(format)
		if f.Field != "" {
			of = "the field " + string(f.Field)
		}
		c.Fault(at+"/operator", "enum", "does not fit "+of+"; those that do are "+base.Join(words))
		return format, nil
	}
	for i, v := range f.Values {
		pointer := at + "/value"
		if len(f.Values) > 1 && !f.Written {
			pointer += "/" + base.Itoa(i)
		}
		if x := label.ReadOperand(c, pointer, format, v, f.Written); format == label.FormatWord {
			if words := f.Field.words(); !slices.Contains(words, x.Text) {
				c.Fault(pointer, "enum", "must be one of "+base.Join(words))
			}
			operands = append(operands, x)
		} else {
			operands = append(operands, x)
		}
	}
	if f.Operator == "" {
		return format, nil
	}
	least, most := f.Operator.Operands()
	switch n := len(f.Values); {
	case n < least && n == 0:
		c.Fault(at+"/value", "required", "is missing: "+string(f.Operator)+" takes "+operandWords(least, most))
	case n < least || n > most:
		c.Fault(at+"/value", "length", string(f.Operator)+" takes "+operandWords(least, most))
	case least == 2 && operands[1].Number < operands[0].Number:
		c.Fault(at+"/value", "order", "the second value must not be less than the first")
	}
	return format, operands
}

func operandWords(least, most int) string {
	switch {
	case most == 0:
		return "no value"
	case least == most:
		return base.Itoa(least) + " values"
	}
	return base.Itoa(least) + " to " + base.Itoa(most) + " values"
}
